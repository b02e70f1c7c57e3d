"""Each model against another solution of its problem, the laws of its cone, and other models."""

from functools import partial
from itertools import product

import cvxpy as cp
import numpy as np
import pytest
from friction_models import MODELS, every_model
from friction_scenes import heap, stack

from rbnotes.contact import Contacts
from rbnotes.dynamics import StepProblem
from rbnotes.friction import (
    anitescu_stewart,
    coulomb_residuals,
    facet_directions,
    friction_contact_problem,
    gauss_seidel_friction,
    single_qp,
    socp_fixed_point_friction,
)


def solve_by_enumerating_states(problem, names):
    """Solve planar Coulomb friction by trying stick, slip and separation at each contact."""
    space = friction_contact_problem(problem)
    W, u, mu, count = space.delassus_matrix, space.free_contact_velocities.ravel(), space.mu, space.count
    for states in product(names, repeat=count):
        A, b = np.zeros((3 * count, 3 * count)), np.zeros(3 * count)
        for i, state in enumerate(states):
            n, t, s = 3 * i, 3 * i + 1, 3 * i + 2
            A[s, s] = 1.0  # nothing acts sideways
            if state == "off":
                A[n, n] = A[t, t] = 1.0
                continue
            A[n], b[n] = W[n], -u[n]
            if state == "stick":
                A[t], b[t] = W[t], -u[t]
            else:
                A[t, t], A[t, n] = 1.0, mu[i] if state == "right" else -mu[i]
        try:
            r = np.linalg.solve(A, b)
        except np.linalg.LinAlgError:
            continue
        v = W @ r + u
        good = True
        for i, state in enumerate(states):
            a, f, un, ut = r[3 * i], r[3 * i + 1], v[3 * i], v[3 * i + 1]
            good &= a >= -1e-9 and un >= -1e-9 and abs(f) <= mu[i] * a + 1e-9
            good &= {"right": ut >= -1e-9, "left": ut <= 1e-9}.get(state, True)
        if good:
            yield r.reshape(-1, 3)


@pytest.mark.parametrize("seed", range(6))
def test_planar_contacts_against_enumeration(seed):
    """In a plane all cones agree with Coulomb's; the solution is found by trying every state."""
    rng = np.random.default_rng(seed)
    inertia = np.diag(rng.uniform(0.5, 3.0, 6))
    rows = np.zeros((3, 3, 6))
    for i in range(3):
        angle, arm = rng.uniform(0, 2 * np.pi), rng.normal(size=2)
        n = np.array([np.cos(angle), np.sin(angle)])
        t = np.array([-n[1], n[0]])
        for body, sign in ((0, 1.0), (1, -1.0)) if i else ((0, 1.0),):
            for row, d in ((rows[i, 0], n), (rows[i, 1], t)):
                row[3 * body : 3 * body + 3] = sign * np.array([arm[0] * d[1] - arm[1] * d[0], *d])
    momentum = inertia @ rng.normal(size=6)
    problem = StepProblem(inertia, momentum, contacts=Contacts(rows, rng.uniform(0.1, 0.6, 3)))
    candidates = list(solve_by_enumerating_states(problem, ("off", "stick", "right", "left")))
    assert candidates
    for solve in (
        anitescu_stewart,
        gauss_seidel_friction,
        socp_fixed_point_friction,
        MODELS["Gauss-Seidel, box"],
    ):
        velocity = solve(problem).velocity  # impulses of contacts that stick together need not be unique
        assert (
            min(
                np.abs(velocity - friction_contact_problem(problem).apply_impulses(one)[0]).max()
                for one in candidates
            )
            < 1e-5
        )


@pytest.mark.parametrize("equations", [0, 3])
def test_coulomb_laws_hold_in_a_heap(rng, equations):
    for _ in range(3):
        problem = heap(rng, equations=equations, mu=(0.1, 0.5))
        for solution in (socp_fixed_point_friction(problem), gauss_seidel_friction(problem)):
            laws = coulomb_residuals(problem, solution)
            assert laws.natural_residual <= 1e-6
            assert max(abs(law) for law in laws) < 2e-4
            balance = problem.mass @ solution.velocity - problem.momentum
            balance -= problem.contacts.rows.T @ solution.contact_impulses.ravel()
            balance -= problem.bilateral.rows.T @ solution.bilateral
            assert np.abs(balance).max() < 1e-9
            if equations:
                assert np.abs(problem.bilateral.rows @ solution.velocity).max() < 1e-9


accurate_cone_programs = partial(socp_fixed_point_friction, tolerance=1e-5)
"""Cone programs to ten times the accuracy that they have on every processor."""
OWN_CONE = {
    "pyramid": (anitescu_stewart, {"cone": "pyramid"}),
    "pyramid of 12": (MODELS["pyramid of 12"], {"cone": "pyramid", "facets": 12}),
    "box, updated": (MODELS["box, updated"], {"cone": "box"}),
    "Gauss-Seidel, box": (MODELS["Gauss-Seidel, box"], {"cone": "box"}),
    "Gauss-Seidel": (gauss_seidel_friction, {}),
    "Coulomb": (accurate_cone_programs, {}),
}


@pytest.mark.slow
@pytest.mark.parametrize("ratio", [1.0, 10.0])
@pytest.mark.parametrize("name", OWN_CONE)
def test_each_model_satisfies_the_laws_of_its_cone(rng, name, ratio):
    """Complementarity, the cone, maximal dissipation; bodies up to a thousand times as heavy as others."""
    solve, cone = OWN_CONE[name]
    for _ in range(3):
        problem = heap(rng, mu=(0.05, 0.3), ratio=ratio)
        solution = solve(problem)
        scale = max(np.abs(solution.contact_impulses).max(), 1.0)
        laws = coulomb_residuals(problem, solution, **cone)
        assert (
            max(abs(law) for law in laws[:-1]) < (2e-4 if solve is accurate_cone_programs else 2e-5) * scale
        )
        if name.startswith("pyramid"):  # inside the round cone, and less than all it could dissipate
            round_laws = coulomb_residuals(problem, solution)
            assert round_laws.cone_violation < 1e-9 * scale
            assert round_laws.dissipation_deficit > -1e-9 * scale


@pytest.mark.slow
@pytest.mark.parametrize("ratio", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("facets", [4, 8])
def test_stacks_with_light_and_heavy_tops(facets, ratio):
    """Four contacts where three would do, between bodies of which one is a thousand times as heavy."""
    problem = stack(4, ratio)
    solution = anitescu_stewart(problem, facets)
    laws = coulomb_residuals(problem, solution, cone="pyramid", facets=facets)
    assert max(abs(law) for law in laws[:-1]) < 1e-9 * np.abs(solution.contact_impulses).max()
    assert solution.residual < 1e-10
    round_one = socp_fixed_point_friction(problem)
    assert coulomb_residuals(problem, round_one).natural_residual < 5e-6
    error = np.abs(solution.velocity - round_one.velocity).max()
    assert error < 0.1  # a pyramid's friction is up to 29% or 8% too small


@pytest.mark.parametrize("form", ["primal", "dual"])
def test_single_qp_impulse_and_velocity_are_in_dual_cones(rng, form):
    for facets in (4, 10):
        problem = heap(rng, ratio=3.0)
        solution = single_qp(problem, facets, form=form)
        laws = coulomb_residuals(problem, solution, cone="pyramid", facets=facets)
        u = friction_contact_problem(problem).velocities_from_solution(solution)
        speed = (u[:, 1:] @ facet_directions(facets).T).max(axis=1)
        scale = np.abs(solution.contact_impulses).max()
        assert laws.cone_violation < 1e-7 * scale
        assert np.min(u[:, 0] - problem.contacts.mu * speed) > -1e-7
        assert np.abs(np.sum(solution.contact_impulses * u)) < 1e-6 * scale


def test_round_cone_is_the_limit_of_pyramids(rng):
    problem = heap(rng, 3, 4, mu=(0.1, 0.4))
    exact = socp_fixed_point_friction(problem).velocity
    errors = [np.abs(anitescu_stewart(problem, facets).velocity - exact).max() for facets in (4, 16, 64)]
    assert errors[0] > 10 * errors[2]
    assert errors[1] > 2 * errors[2]


@pytest.mark.parametrize("facets", [4, 10])
def test_single_qp_by_cvxpy_in_velocities(rng, facets):
    problem = heap(rng, equations=2)
    contacts, v = problem.contacts, cp.Variable(len(problem.momentum))
    constraints = [problem.bilateral.rows @ v == 0]
    for k in range(facets):
        angle = 2 * np.pi * k / facets
        sliding = np.cos(angle) * contacts.rows[1::3] + np.sin(angle) * contacts.rows[2::3]
        constraints.append(contacts.normal_jacobian @ v + cp.multiply(contacts.mu, sliding @ v) >= 0)
    energy = cp.quad_form(v, cp.psd_wrap(problem.mass)) / 2 - problem.momentum @ v
    cp.Problem(cp.Minimize(energy), constraints).solve(solver="CLARABEL")
    for form in ("primal", "dual"):
        solution = single_qp(problem, facets, form=form)
        assert np.allclose(solution.velocity, v.value, atol=1e-5)
        assert np.all(solution.normal >= -1e-9)


def test_single_qp_never_gains_energy(rng):
    for _ in range(5):
        problem = heap(rng)
        before = problem.momentum @ np.linalg.solve(problem.mass, problem.momentum)
        v = single_qp(problem).velocity
        assert v @ problem.mass @ v <= before * (1 + 1e-9)


@every_model
def test_all_models_agree_without_friction(rng, solve):
    problem = heap(rng, mu=(0.0, 0.0))
    solution = solve(problem)
    assert np.allclose(solution.velocity, anitescu_stewart(problem).velocity, atol=1e-5)
    assert np.allclose(solution.tangential, 0, atol=1e-9)
