"""Staggered projections: friction laws, both solvers, other models, lost contacts, history, warm starts."""

from dataclasses import replace

import cvxpy as cp
import numpy as np
import pytest
from friction_scenes import heap

from rbnotes.contact import Contacts
from rbnotes.dynamics import StepProblem
from rbnotes.friction import (
    FrictionNotConverged,
    coulomb_residuals,
    friction_contact_problem,
    socp_fixed_point_friction,
    staggered_projections,
)
from rbnotes.friction import (
    bounded_friction as bounded_friction_module,
)
from rbnotes.friction.anderson_acceleration import AndersonAcceleration
from rbnotes.friction.bounded_friction import bounded_friction, project_on_section
from rbnotes.friction.cvxpy_programs import contact_program, friction_program
from rbnotes.friction.staggered_projections import friction_impulses

CONES = ("box", "pyramid", "disc")


def problem(seed, contacts, size=9, mu=0.4):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(size, size))
    rows = rng.normal(size=(contacts, 3, size))
    return StepProblem(A @ A.T + np.eye(size), 3 * rng.normal(size=size), contacts=Contacts(rows, mu=mu))


@pytest.mark.parametrize("cone", CONES)
@pytest.mark.parametrize("seed", range(4))
def test_coulombs_laws_hold_with_each_section(cone, seed):
    contact_problem = problem(seed, 3)
    laws = coulomb_residuals(
        contact_problem,
        staggered_projections(contact_problem, cone=cone, tolerance=1e-10),
        cone=cone,
        facets=8,
    )
    assert np.max(np.abs(laws[:5])) < 1e-7


@pytest.mark.slow
@pytest.mark.parametrize("cone", CONES)
def test_cvxpy_finds_the_same_motion(cone):
    contact_problem = problem(1, 3)
    own_solver, cvxpy_solver = (
        staggered_projections(contact_problem, cone=cone, solver=solver).velocity
        for solver in ("own", "cvxpy")
    )
    assert np.max(np.abs(own_solver - cvxpy_solver)) < 1e-5


@pytest.mark.parametrize("seed", range(3))
def test_disc_section_is_coulombs_law(seed):
    contact_problem = problem(seed, 2, mu=0.2)
    velocity = staggered_projections(contact_problem, cone="disc", tolerance=1e-10).velocity
    assert np.max(np.abs(velocity - socp_fixed_point_friction(contact_problem).velocity)) < 1e-5


@pytest.mark.parametrize("cone", CONES)
@pytest.mark.parametrize("seed", range(3))
def test_friction_within_bounds_minimizes_the_quadratic(cone, seed):
    """Compare with cvxpy, with more contacts than degrees of freedom."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(12, 4))
    W, s, limits = rows @ rows.T, rng.normal(size=(6, 2)), rng.uniform(0.05, 0.3, 6)
    s = (rows @ rng.normal(size=4)).reshape(6, 2)
    b = cp.Variable((6, 2))
    if cone == "box":
        bounds = [cp.abs(b) <= np.stack([limits, limits], axis=1)]
    elif cone == "disc":
        bounds = [cp.norm(b, 2, axis=1) <= limits]
    else:
        middles = np.pi / 4 * (np.arange(8) + 0.5)
        outward = np.stack([np.cos(middles), np.sin(middles)], axis=1)
        bounds = [b @ each <= np.cos(np.pi / 8) * limits for each in outward]
    flat = cp.vec(b, order="C")
    least = cp.Problem(cp.Minimize(cp.sum_squares(rows.T @ flat) / 2 + s.ravel() @ flat), bounds)
    least.solve("CLARABEL")
    impulses = bounded_friction(W, s, limits, cone, 8, np.zeros((6, 2)))
    assert np.max(np.abs(impulses - project_on_section(impulses, limits, cone, 8))) < 1e-9
    assert (
        abs(impulses.ravel() @ W @ impulses.ravel() / 2 + s.ravel() @ impulses.ravel() - least.value) < 1e-6
    )


@pytest.mark.parametrize("cone", CONES)
def test_impulses_are_projected_onto_their_section(cone):
    """No point of a convex section lies beyond the plane through the nearest, across the way to it."""
    rng = np.random.default_rng(2)
    limits, impulses = rng.uniform(0.5, 2.0, 40), 2 * rng.normal(size=(40, 2))
    angles = np.linspace(0, 2 * np.pi, 9 if cone == "pyramid" else 721)
    points = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    if cone == "box":
        points = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    nearest = project_on_section(impulses, limits, cone, 8)
    np.testing.assert_allclose(project_on_section(nearest, limits, cone, 8), nearest, atol=1e-12)
    section = limits[:, None, None] * points
    beyond = np.einsum("ci,cpi->cp", impulses - nearest, section - nearest[:, None])
    assert beyond.max() < 1e-12
    # It is in the section: in no direction farther than all of that.
    directions = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    support = np.max(section @ directions.T, axis=1)
    assert np.all(nearest @ directions.T <= support + 1e-12)
    assert 10 < np.sum(np.any(impulses != nearest, axis=1)) < 40


def test_newton_for_disc_friction_converges_quadratically():
    rng = np.random.default_rng(1)
    A = rng.normal(size=(8, 8))
    W, s, limits = A @ A.T + 0.1 * np.eye(8), rng.normal(size=(4, 2)), np.array([0.02, 0.1, 0.3, 9.0])
    b = bounded_friction(W, s, limits, "disc", 4, np.zeros((4, 2)))
    assert 0 < np.sum(np.linalg.norm(b, axis=1) < 0.999 * limits) < 4
    r = np.full(8, 0.2)
    for off in (1e-3, 1e-4):
        near = b.ravel() + off * rng.normal(size=8)
        better = near - bounded_friction_module._newton_step(W, s.ravel(), limits, r, near)
        assert np.max(np.abs(better - b.ravel())) < 100 * off**2


def test_mobility_is_the_largest_response_to_a_unit_impulse():
    rng = np.random.default_rng(5)
    A = rng.normal(size=(6, 3))
    A[2:4] = 0
    W = A @ A.T
    angles = np.linspace(0, np.pi, 2001)
    unit = np.stack([np.cos(angles), np.sin(angles)])
    most = [np.max(np.linalg.norm(W[i : i + 2, i : i + 2] @ unit, axis=0)) for i in (0, 4)]
    np.testing.assert_allclose(
        bounded_friction_module._largest_mobility(W), [most[0], 1.0, most[1]], rtol=1e-5
    )


def test_separated_body_has_no_previous_friction():
    """Algorithm 7 stops before its friction problem if nothing is carried, and applies the old friction."""
    rows = np.eye(3)[None, [2, 0, 1]]
    flying = StepProblem(np.eye(3), [1.0, 2.0, 0.5], contacts=Contacts(rows, mu=0.5))
    solution = staggered_projections(flying, initial_guess=[[1.0, -0.4, -0.3]])
    np.testing.assert_allclose(solution.velocity, [1.0, 2.0, 0.5])


def test_history_is_reported_and_warm_starts_shorten_it():
    contact_problem = problem(2, 3)
    cold = staggered_projections(contact_problem)
    warm = staggered_projections(contact_problem, initial_guess=cold.contact_impulses)
    assert len(cold.history) == cold.iterations - 1
    assert cold.history[-1] == cold.residual <= 1e-8 < cold.history[0]
    assert warm.iterations < cold.iterations
    np.testing.assert_allclose(warm.velocity, cold.velocity, atol=1e-6)


def test_unconverged_result_reports_its_residual():
    with pytest.raises(FrictionNotConverged, match="residual") as raised:
        staggered_projections(problem(1, 3), max_iterations=3)
    assert raised.value.residual == raised.value.solution.history[-1] > 1e-8


def test_anderson_acceleration_halves_growing_steps():
    """Otherwise it minimizes the combined last changes: for an affine map this gives the fixed point."""
    mixing, change = AndersonAcceleration(3), np.array([1.0, -2.0])
    np.testing.assert_allclose(mixing.next_argument(np.zeros(2), change), change)
    for part in (1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 16):
        change = 3 * change
        np.testing.assert_allclose(mixing.next_argument(np.ones(2), 1 + change), 1 + part * change)
    A, b = np.array([[0.3, 0.2], [-0.4, 0.5]]), np.array([1.0, 2.0])
    mixing, x = AndersonAcceleration(3), np.zeros(2)
    for _ in range(3):
        x = mixing.next_argument(x, A @ x + b)
    np.testing.assert_allclose(x, np.linalg.solve(np.eye(2) - A, b), rtol=1e-9)


def test_programs_in_units_of_light_and_heavy_bodies():
    """Without active bounds the impulses stop all motion, ``-W^-1 v``; otherwise they are projected."""
    W, v = np.diag([4.0, 4.0, 0.01, 0.01]), np.array([[1.0, -2.0], [0.3, 0.1]])
    stops = -v / np.array([[4.0], [0.01]])
    for cone in ("disc", "box"):
        impulses = friction_program(2, cone, 4).solve(W, v, np.array([1e3, 1e3]))
        np.testing.assert_allclose(impulses, stops, rtol=1e-6)
    impulses = friction_program(2, "disc", 4).solve(W, v, np.array([0.2, 1e3]))
    np.testing.assert_allclose(impulses, [0.2 * stops[0] / np.linalg.norm(stops[0]), stops[1]], rtol=1e-6)
    solution = contact_program(2).solve(np.diag([4.0, 0.01]), np.array([[-2.0], [3.0]]), np.zeros(2))
    np.testing.assert_allclose(solution, [[0.5], [0.0]], atol=1e-6)


def test_sliding_stopped_by_normal_impulses_needs_no_friction(rng):
    """The remaining sliding is rounding and needs no friction."""
    space = friction_contact_problem(heap(rng))
    normal = rng.uniform(0.5, 1.5, space.count)
    across = space.delassus_matrix.reshape(space.count, 3, space.count, 3)[:, 1:, :, 0]
    free = space.free_contact_velocities.copy()
    free[:, 1:] = -np.einsum("iaj,j->ia", across, normal) * (1 + 1e-14)
    none = np.zeros((space.count, 2))
    impulses = friction_impulses(replace(space, free_contact_velocities=free), normal, normal, none)
    assert np.abs(across).max() > 0.01
    assert np.all(impulses == 0)
