"""Step problems against enumeration, regularized systems, complementarity and quadratic programs."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from rbnotes.arguments import InvalidArgument
from rbnotes.complementarity import solve
from rbnotes.constraints import InconsistentConstraints
from rbnotes.constraints.soft_constraints import target_and_regularization
from rbnotes.dynamics import (
    BilateralRows,
    StepProblem,
    StepSolution,
    UnilateralRows,
    box_lcp_from_step,
    expand_compliance,
    factor_step,
    lcp_from_step,
    qp_from_step,
    recover_unknowns,
    solve_step,
    step_residuals,
)
from rbnotes.testing.strategies import full_rank_matrices, matrices, spd_matrices, vectors

INERTIAS = st.one_of(
    spd_matrices(3),
    st.builds(lambda A, B: A + (B - B.T) / 2, spd_matrices(3), matrices(3, 3)),  # of an implicit step
)


def solve_by_enumeration(M, b, G, g, R, N, n, Q):
    """Return the solution found by trying which unilateral rows act, each try one dense linear system."""
    size, k, m = len(b), len(g), len(n)
    A = np.zeros((size + k + m, size + k + m))
    A[:size, :size], A[:size, size : size + k], A[:size, size + k :] = M, -G.T, -N.T
    A[size : size + k, :size], A[size : size + k, size : size + k] = G, R
    A[size + k :, :size], A[size + k :, size + k :] = N, Q
    right = np.concatenate([b, g, n])
    for acting in itertools.product((False, True), repeat=m):
        active = np.concatenate([np.ones(size + k, dtype=bool), acting])
        solution = np.zeros(len(right))
        solution[active] = np.linalg.solve(A[np.ix_(active, active)], right[active])
        w = (A @ solution - right)[size + k :]
        if np.all(solution[size + k :] >= -1e-9) and np.all(w >= -1e-9):
            return StepSolution(*np.split(solution, [size, size + k]))
    raise AssertionError("no set of acting rows fits")


@given(
    INERTIAS,
    vectors(3),
    full_rank_matrices(3, 3),
    vectors(3),
    st.sampled_from([0.0, 0.5, np.array([[0.7]])]),
    st.sampled_from([0.0, 0.5, np.array([0.25, 0.0]), np.array([[1.0, 0.4], [0.4, 0.5]])]),
    st.sampled_from(["block_principal_pivoting", "principal_pivoting", "lemke"]),
    st.booleans(),
)
def test_step_solves_the_mixed_problem(M, b, rows, targets, R, Q, method, thin):
    G, N = rows[:1], rows[1:]
    square = [np.diag(np.broadcast_to(s, size)) if np.ndim(s) < 2 else s for s, size in ((R, 1), (Q, 2))]
    expected = solve_by_enumeration(M, b, G, targets[:1], square[0], N, targets[1:], square[1])
    if thin:
        M, G, N = (sparse.csr_array(matrix) for matrix in (M, G, N))
    problem = StepProblem(M, b, BilateralRows(G, targets[:1], R), UnilateralRows(N, targets[1:], Q))
    solution = solve_step(problem, method=method)
    for name in ("velocity", "bilateral", "unilateral"):
        np.testing.assert_allclose(getattr(solution, name), getattr(expected, name), atol=1e-7)
    assert step_residuals(problem, solution).relative < 1e-9
    assert step_residuals(problem, replace(solution, velocity=solution.velocity + 0.1)).relative > 1e-6


@given(spd_matrices(4), full_rank_matrices(2, 4), vectors(4), vectors(2), vectors(2, 0.0, 2))
def test_soft_rows_equal_the_regularized_system(M, G, b, phi, alpha):
    g, R = target_and_regularization(phi, alpha, 0.125, 0.25)
    v, impulse = np.split(np.linalg.solve(np.block([[M, -G.T], [G, R]]), np.concatenate([b, g])), [4])
    solution = solve_step(StepProblem(M, b, BilateralRows(G, g, R)))
    np.testing.assert_allclose(solution.velocity, v, atol=1e-8)
    np.testing.assert_allclose(solution.bilateral, impulse, atol=1e-7)


@given(
    spd_matrices(4),
    vectors(4),
    full_rank_matrices(1, 4),
    matrices(2, 4),
    vectors(4),
    st.sampled_from([0.0, 0.5, np.array([[1.0, 0.4], [0.4, 0.5]])]),
    st.booleans(),
)
def test_a_step_as_lcp_box_and_quadratic_program(M, b, G, N, inside, Q, thin):
    rows = BilateralRows(G, G @ inside), UnilateralRows(N, N @ inside - [0.25, 0.0], Q)
    if thin:
        rows = tuple(replace(each, rows=sparse.csr_array(each.rows)) for each in rows)
    problem = StepProblem(sparse.csr_array(M) if thin else M, b, *rows)
    solution = solve_step(problem)
    z = solve(lcp_from_step(problem, factor_step(expand_compliance(problem))), tolerance=1e-9).z
    v, bilateral = recover_unknowns(problem, z)
    box = solve(box_lcp_from_step(problem), "principal_pivoting", tolerance=1e-8).z
    x = solve(qp_from_step(problem), "cvxpy").x
    scale = 1 + np.max(np.abs(solution.velocity))
    for velocity in (v, box[:4], x[:4]):
        np.testing.assert_allclose(velocity, solution.velocity, rtol=0, atol=1e-6 * scale)
    assert step_residuals(problem, StepSolution(v, bilateral, z)).relative < 1e-8
    with pytest.raises(InvalidArgument, match="mass: got a matrix that is not symmetric"):
        qp_from_step(StepProblem(np.triu(np.ones((4, 4))), b))


@given(spd_matrices(4), full_rank_matrices(2, 4), vectors(4), vectors(2), spd_matrices(2), spd_matrices(2))
def test_nonsymmetric_regularization(M, G, b, phi, alpha, beta):
    g, R = target_and_regularization(phi, alpha, beta, 0.25)
    v, impulse = np.split(np.linalg.solve(np.block([[M, -G.T], [G, R]]), np.concatenate([b, g])), [4])
    for form in (np.asarray, sparse.csr_array):
        solution = solve_step(StepProblem(form(M), b, BilateralRows(form(G), g, R)))
        scale = 1 + np.max(np.abs(impulse))
        np.testing.assert_allclose(solution.velocity, v, rtol=0, atol=1e-6 * scale)
        np.testing.assert_allclose(solution.bilateral, impulse, rtol=0, atol=1e-6 * scale)


def test_redundant_rows_share_the_impulse_and_must_agree():
    G = np.array([[1.0, 0.0], [1.0, 0.0]])

    def solve_redundant_step(target=0.0, softness=0.0):
        return solve_step(StepProblem(np.eye(2), [1.0, 2.0], BilateralRows(G, target, softness)))

    solution = solve_redundant_step()
    np.testing.assert_allclose(solution.velocity, [0, 2], atol=1e-12)
    np.testing.assert_allclose(solution.bilateral, [-0.5, -0.5], atol=1e-12)
    with pytest.raises(InconsistentConstraints):
        solve_redundant_step([0.0, 1.0])
    soft = solve_redundant_step([0.0, 1.0], [0.1, 0.1])
    np.testing.assert_allclose(G @ soft.velocity + 0.1 * soft.bilateral, [0, 1], atol=1e-10)
