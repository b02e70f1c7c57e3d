"""The compiled central path of Coulomb's law against its reference, with bodies instead of a dense matrix."""

import numpy as np
import pytest
from numba import njit

from rbnotes.compiled.contact_solver.central_path import follow_central_path
from rbnotes.compiled.contact_solver.contact_impulses import search_impulses
from rbnotes.compiled.contact_solver.contact_operator import body_operator
from rbnotes.compiled.contact_solver.gauss_seidel import sweep_contacts
from rbnotes.compiled.contact_solver.joint_constraints import Bodies
from rbnotes.compiled.contact_solver.newton_friction import solve_newton
from rbnotes.compiled.structure_references import keep_alive, reference
from rbnotes.friction import central_path
from rbnotes.friction.contact_problem import DelassusProblem
from rbnotes.friction.residuals import natural_residual_unchecked

PATH_TOLERANCE, MAX_ITERATIONS = 1e-4, 50
TOLERANCE, MAX_FRICTION_ITERATIONS = 1e-9, 50
WORLD = 5
# A pile: three bodies on the ground, two on top of them, several contacts for some pairs.
PAIRS = np.array(
    [(0, WORLD), (0, WORLD), (1, WORLD), (WORLD, 2), (3, 0), (3, 1), (4, 2), (4, 3), (1, 4), (3, 0)]
)


@njit(error_model="numpy")
def follow_compiled_path(bodies, row_bodies, jacobian, responses, free, mu, impulses):
    """Return the residual and the number of iterations of the compiled path."""
    operator = body_operator(row_bodies, jacobian, responses, bodies, np.full(len(bodies.mass) + 1, -1))
    result = follow_central_path(reference(operator), free, mu, PATH_TOLERANCE, MAX_ITERATIONS, impulses)
    keep_alive(operator)
    return result


@njit(error_model="numpy")
def run_compiled_sweeps(bodies, row_bodies, jacobian, responses, free, mu, num_sweeps, impulses):
    operator = body_operator(row_bodies, jacobian, responses, bodies, np.full(len(bodies.mass) + 1, -1))
    sweep_contacts(reference(operator), free, mu, num_sweeps, impulses)
    keep_alive(operator)


def pile(seed):
    """Return bodies, contact rows and responses of random contacts, and their dense problem."""
    rng, count = np.random.default_rng(seed), len(PAIRS)
    roots = rng.normal(size=(WORLD, 3, 3))
    masses, inertias = rng.uniform(1, 3, WORLD), roots @ roots.transpose(0, 2, 1) + np.eye(3)
    inverse_inertias = np.linalg.inv(inertias)
    row_bodies = np.repeat(PAIRS, 3, axis=0)
    rows, responses = rng.normal(size=(3 * count, 2, 6)), np.zeros((3 * count, 2, 6))
    J = np.zeros((3 * count, WORLD + 1, 6))
    responses[..., :3] = np.einsum(
        "rsij,rsj->rsi", np.concatenate([inverse_inertias, np.zeros((1, 3, 3))])[row_bodies], rows[..., :3]
    )
    responses[..., 3:] = np.append(1 / masses, 0.0)[row_bodies][..., None] * rows[..., 3:]
    M_inverse_J = np.zeros_like(J)
    for r, side in np.ndindex(3 * count, 2):
        J[r, row_bodies[r, side]] = rows[r, side]
        M_inverse_J[r, row_bodies[r, side]] = responses[r, side]
    W = J.reshape(3 * count, -1) @ M_inverse_J.reshape(3 * count, -1).T
    mu = rng.uniform(0.2, 0.9, count)
    mu[3] = 0.0
    free = rng.normal(size=(count, 3))
    problem = DelassusProblem(delassus_matrix=W, free_contact_velocities=free, mu=mu)
    bodies = Bodies(masses, inertias, np.append(1 / masses, 0.0), inverse_inertias, np.zeros((WORLD, 3)))
    return bodies, row_bodies, rows, responses, problem


@pytest.mark.slow
def test_sweeps_approach_coulombs_law():
    for seed in range(5):
        bodies, row_bodies, rows, responses, problem = pile(seed)
        free, impulses = problem.free_contact_velocities.ravel(), np.zeros(len(rows))
        arguments = bodies, row_bodies, rows, responses, free, problem.mu
        residuals = []
        for num_sweeps in (10, 200):
            run_compiled_sweeps(*arguments, num_sweeps, impulses)
            r = impulses.reshape(-1, 3)
            residuals.append(natural_residual_unchecked(problem, r, problem.velocities_from_impulses(r)))
        assert residuals[0] > 1e-8
        assert residuals[1] < 1e-10


@pytest.mark.slow
def test_path_ends_at_the_point_of_the_reference():
    for seed in range(5):
        assert_ends_where_the_reference_does(*pile(seed))


def assert_ends_where_the_reference_does(bodies, row_bodies, rows, responses, problem):
    free, impulses = problem.free_contact_velocities.ravel(), np.empty(3 * len(PAIRS))
    residual, iterations = follow_compiled_path(
        bodies, row_bodies, rows, responses, free, problem.mu, impulses
    )
    expected, expected_residual, expected_iterations = central_path.follow_central_path(
        problem, PATH_TOLERANCE, MAX_ITERATIONS
    )
    impulses = impulses.reshape(-1, 3)
    assert residual <= PATH_TOLERANCE
    assert expected_residual <= PATH_TOLERANCE
    assert abs(iterations - expected_iterations) <= 1  # rounding can move the last one
    np.testing.assert_allclose(impulses, expected, rtol=0, atol=1e-5 * np.abs(expected).max())
    velocities = problem.velocities_from_impulses(impulses)
    assert natural_residual_unchecked(problem, impulses, velocities) == pytest.approx(residual, abs=1e-10)


@njit(error_model="numpy")
def search(bodies, row_bodies, jacobian, responses, free, mu, guess, impulses):
    """Return the residuals of Newton's method and of the search that opens contacts."""
    operator = body_operator(row_bodies, jacobian, responses, bodies, np.full(len(bodies.mass) + 1, -1))
    island = reference(operator)
    residual, _ = solve_newton(island, free, mu, guess, TOLERANCE, MAX_FRICTION_ITERATIONS, impulses)
    best = search_impulses(island, free, mu, guess, TOLERANCE, MAX_FRICTION_ITERATIONS, impulses)
    keep_alive(operator)
    return residual, best


def hexagon(seed):
    """Return the arguments of a search for a sliding body whose face cannot keep six contacts closed.

    The gaps at the corners differ a little from those of any plane.
    """
    rng, count = np.random.default_rng(seed), 6
    angles = 2 * np.pi * (np.arange(count) + 0.5) / count
    corners = np.stack([np.cos(angles), np.sin(angles), -np.ones(count)], axis=1)
    axes = np.tile([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], (count, 1))
    rows = np.zeros((3 * count, 2, 6))
    rows[:, 0] = np.concatenate([np.cross(np.repeat(corners, 3, axis=0), axes), axes], axis=1)
    velocity = rng.normal(size=6) * [0.1, 0.1, 1.0, 1.0, 1.0, 0.0] - [0, 0, 0, 0, 0, 1.0]
    free = rows[:, 0] @ velocity
    free[::3] += 3e-8 * rng.normal(size=count)
    inertia = np.eye(3)[None]
    world_inertia = np.concatenate([inertia, np.zeros((1, 3, 3))])
    bodies = Bodies(np.ones(1), inertia, np.array([1.0, 0.0]), world_inertia, np.zeros((1, 3)))
    mu, row_bodies = np.full(count, 0.2), np.tile([0, 1], (3 * count, 1))
    return bodies, row_bodies, rows, rows.copy(), free, mu, np.zeros(3 * count)


@pytest.mark.slow
def test_search_opens_contacts_that_a_sliding_face_cannot_keep_closed():
    newton_residuals, residuals = [], []
    for seed in range(5):
        arguments = hexagon(seed)
        _, _, rows, _, free, mu, guess = arguments
        impulses = np.empty_like(guess)
        newton_residual, residual = search(*arguments, impulses)
        problem = DelassusProblem(
            delassus_matrix=rows[:, 0] @ rows[:, 0].T, free_contact_velocities=free.reshape(-1, 3), mu=mu
        )
        impulses = impulses.reshape(-1, 3)
        velocities = problem.velocities_from_impulses(impulses)
        natural_residual = natural_residual_unchecked(problem, impulses, velocities)
        assert natural_residual == pytest.approx(residual, rel=0.5, abs=1e-10)
        newton_residuals.append(newton_residual)
        residuals.append(residual)
    # Rounding decides single cases: Newton's method alone solves none of five here, the search four.
    num_solved, num_solved_by_newton = (
        np.count_nonzero(np.array(each) <= TOLERANCE) for each in (residuals, newton_residuals)
    )
    assert num_solved >= 3
    assert num_solved >= num_solved_by_newton + 2
    assert max(residuals) <= 1e-7
