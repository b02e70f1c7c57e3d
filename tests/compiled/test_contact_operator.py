"""Contact velocities and Newton steps of islands without joints, against dense matrices."""

import itertools

import numpy as np
import pytest
from numba import njit

from rbnotes.compiled.contact_solver.contact_impulses import contact_islands
from rbnotes.compiled.contact_solver.contact_operator import (
    body_operator,
    contact_scales,
    contact_velocities,
    newton_step,
)
from rbnotes.compiled.contact_solver.joint_constraints import Bodies
from rbnotes.compiled.structure_references import keep_alive, reference

MU, DAMPING = 0.7, 1e-3
WORLD = 6
# A cycle of four bodies: eliminating one couples its neighbors. Bodies 3 and 4 are not in the island.
PAIRS = np.array([(0, 1), (1, 2), (2, 5), (5, 0), (WORLD, 1), (2, WORLD), (5, 2), (0, 1)])


@njit(error_model="numpy")
def evaluate(bodies, row_bodies, jacobian, responses, free, r, F, P):
    """Return velocities, mobilities and a Newton step of the operator of an island."""
    count = len(row_bodies) // 3
    operator = body_operator(row_bodies, jacobian, responses, bodies, np.full(len(bodies.mass) + 1, -1))
    u, step, mobility, rho = np.empty(3 * count), np.empty(3 * count), np.empty(count), np.empty(count)
    operator_reference = reference(operator)
    contact_velocities(operator_reference, free, r, u)
    contact_scales(operator_reference, mobility, rho)
    newton_step(operator_reference, F, P, rho, np.sqrt(rho), DAMPING, step)
    keep_alive(operator)
    return u, mobility, step


@njit(error_model="numpy")
def islands_of(row_bodies, joint_row_bodies, num_bodies, is_candidate):
    return contact_islands(row_bodies, joint_row_bodies, num_bodies, is_candidate)


def sliding_derivative(rng):
    """Return the derivative of the projection of an impulse on a disc of radius ``MU a``."""
    direction, ratio = rng.normal(size=2), 0.6
    direction /= np.linalg.norm(direction)
    P = np.zeros((3, 3))
    P[0, 0], P[1:, 0] = 1.0, MU * direction
    P[1:, 1:] = ratio * (np.eye(2) - np.outer(direction, direction))
    return P


@pytest.mark.slow
def test_velocities_and_newton_steps_agree_with_those_of_the_dense_matrix():
    rng, count = np.random.default_rng(3), len(PAIRS)
    roots = rng.normal(size=(WORLD, 3, 3))
    masses, inertias = rng.uniform(1, 3, WORLD), roots @ roots.transpose(0, 2, 1) + np.eye(3)
    M = np.zeros((6 * WORLD, 6 * WORLD))
    for b in range(WORLD):
        M[6 * b : 6 * b + 3, 6 * b : 6 * b + 3] = inertias[b]
        M[6 * b + 3 : 6 * b + 6, 6 * b + 3 : 6 * b + 6] = masses[b] * np.eye(3)
    rows, row_bodies = rng.normal(size=(3 * count, 2, 6)), np.repeat(PAIRS, 3, axis=0)
    J, responses = np.zeros((3 * count, 6 * WORLD)), np.zeros_like(rows)
    for i, side in np.ndindex(3 * count, 2):
        if row_bodies[i, side] < WORLD:
            columns = slice(6 * row_bodies[i, side], 6 * row_bodies[i, side] + 6)
            J[i, columns] = rows[i, side]
            responses[i, side] = np.linalg.solve(M[columns, columns], rows[i, side])
    W = J @ np.linalg.solve(M, J.T)
    P = np.array([np.zeros((3, 3)), np.eye(3), *(sliding_derivative(rng) for _ in range(count - 2))])
    free, r, F = rng.normal(size=(3, 3 * count))
    bodies = Bodies(masses, inertias, 1 / masses, np.linalg.inv(inertias), np.zeros((WORLD, 3)))
    u, mobility, step = evaluate(bodies, row_bodies, rows, responses, free, r, F, P)
    np.testing.assert_allclose(u, W @ r + free, rtol=0, atol=1e-12)
    expected_mobility = np.diagonal(W).reshape(-1, 3).mean(axis=1)
    np.testing.assert_allclose(mobility, expected_mobility, rtol=1e-13)
    blocks = np.zeros((3 * count, 3 * count))
    for i in range(count):
        blocks[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] = P[i]
    matrix = (1 + DAMPING) * np.eye(3 * count) - blocks
    matrix += blocks @ W / np.repeat(expected_mobility, 3)[:, None]
    expected = np.linalg.solve(matrix, F)
    np.testing.assert_allclose(step, expected, rtol=0, atol=1e-9 * np.abs(expected).max())


def test_islands_are_coupled_by_bodies_and_joints_but_not_by_the_world():
    pairs = np.array([(0, 6), (1, 2), (6, 3), (2, 4), (5, 6)])
    for others, expected in ((True, [[0, 2], [1, 3], [4]]), (False, [[0, 2], [3], [4]])):
        is_candidate = np.array([True, others, True, True, True])
        start, contacts, has_joints = islands_of(
            np.repeat(pairs, 3, axis=0), np.array([(3, 0), (6, 3)]), 6, is_candidate
        )
        assert [contacts[a:b].tolist() for a, b in itertools.pairwise(start)] == expected
        assert has_joints[:3].tolist() == [True, False, False]
