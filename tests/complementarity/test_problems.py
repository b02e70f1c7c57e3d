"""Problem types: argument checks and conversions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from known_problems import boxes, enumerate_box_solution, enumerate_mixed_solution, mixed, monotone, program
from scipy import sparse

from rbnotes.arguments import InvalidArgument, SingularConfiguration
from rbnotes.complementarity import (
    LCP,
    QP,
    BoxLCP,
    Elimination,
    box_residuals,
    box_unknowns,
    lcp_from_box,
    lcp_from_qp,
    qp_from_box,
    qp_from_lcp,
    qp_minimizer,
    solve,
)
from rbnotes.testing.strategies import full_rank_matrices, matrices, spd_matrices, vectors


def assert_close(actual, expected, tolerance=1e-8):
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance * (1 + np.max(np.abs(expected))))


@given(spd_matrices(3), vectors(3), matrices(4, 3), vectors(3), vectors(4))
def test_a_program_and_its_lcp(Q, c, A, inside, slack):
    b = A @ inside - np.abs(slack)
    qp = QP(Q, c, A, b)
    z = solve(lcp_from_qp(qp)).z
    x = qp_minimizer(qp, z)
    assert_close(x, enumerate_mixed_solution(Elimination.from_qp(qp)), 1e-6)
    # Strong duality: the LCP's own program attains minus the same value, up to the constant c^T Q^-1 c / 2.
    dual = qp_from_lcp(lcp_from_qp(qp))
    assert_close(qp.objective(x), -dual.objective(z) - c @ np.linalg.solve(Q, c) / 2, 1e-7)


@given(mixed(5, 3, 2))
def test_a_program_with_equations_and_its_lcp(problem):
    qp = program(problem)
    x = qp_minimizer(qp, solve(lcp_from_qp(qp)).z)
    assert_close(x, enumerate_mixed_solution(problem), 1e-6)
    back = Elimination.from_qp(qp)
    for name in ("M", "f", "N", "n", "G", "g"):
        np.testing.assert_array_equal(getattr(back, name), getattr(problem, name))


@given(monotone(4))
def test_lcp_solution_minimizes_its_program(problem):
    """No feasible step along a grid of directions lowers the objective."""
    z = solve(problem).z
    program = qp_from_lcp(problem)
    assert np.all(program.A @ z - program.b >= -1e-9 * (1 + np.max(np.abs(z))))
    value = program.objective(z)
    if not problem.is_symmetric:
        assert abs(value) < 1e-9 * (1 + np.max(np.abs(z)) ** 2 * np.max(np.abs(problem.M)))
    for step in np.vstack([np.eye(4), -np.eye(4), np.full((1, 4), 0.5)]):
        candidate = z + 1e-3 * step
        if np.all(program.A @ candidate - program.b >= 0):
            assert program.objective(candidate) >= value - 1e-12 * (1 + abs(value))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@given(mixed(4, 3, 2))
def test_eliminated_unknowns_are_recovered(form, problem):
    same = Elimination.from_qp(program(problem, form))
    z = solve(same.lcp(), tolerance=1e-8).z
    result, multipliers = same.recover_unknowns(z)
    assert_close(result, enumerate_mixed_solution(problem), 1e-6)
    assert same.residuals(result, multipliers, z).relative < 1e-7


@given(boxes(4))
def test_a_box_as_lcp(problem):
    z = solve(lcp_from_box(problem), "lemke").z
    assert_close(box_unknowns(problem, z), enumerate_box_solution(problem), 1e-7)


@given(monotone(3))
def test_lcp_as_box_lcp(problem):
    box = BoxLCP(problem.M, problem.q, 0.0, np.inf)
    z = solve(problem).z
    assert_close(solve(box).z, z)
    assert box_residuals(box, z).relative == pytest.approx(box_residuals(problem, z).relative, abs=1e-14)


@given(st.integers(1, 4), matrices(6, 8), st.data())
def test_small_blocks_stay_sparse(size, N, data):
    """Free bodies: the LCP matrix is sparse and equals the dense one."""
    M = sparse.block_diag([data.draw(spd_matrices(size)), data.draw(spd_matrices(8 - size))]).tocsc()
    order = np.array([0, 4, 1, 5, 2, 6, 3, 7])
    M = M[order][:, order]
    f, n = np.arange(8.0), np.ones(6)
    lcp = Elimination.from_qp(QP(M, -f, sparse.csr_array(N), n)).lcp()
    dense = Elimination.from_qp(QP(M.toarray(), -f, N, n)).lcp()
    assert sparse.issparse(lcp.M)
    assert_close(lcp.M.toarray(), dense.M, 1e-12)
    assert_close(lcp.q, dense.q, 1e-12)


@given(spd_matrices(3), vectors(3), full_rank_matrices(2, 3))
def test_contact_along_a_constraint_has_a_zero_row(M, f, G):
    """A contact along a constraint: its row of the LCP is zero, not rounding, for every method."""
    N = np.vstack([G[0], [1.0, 0.0, 0.0]])
    problem = QP(M, -f, N, [-1.0, -0.5], G, [0.0, 0.0])
    lcp = Elimination.from_qp(problem).lcp()
    np.testing.assert_array_equal(lcp.M[0], 0)
    for method in ("block_principal_pivoting", "principal_pivoting", "gauss_seidel", "lemke", "cvxpy"):
        solution = solve(problem, method, tolerance=1e-8)
        assert abs(G[0] @ solution.x) < 1e-7
        assert solution.z[0] < 1e-7


def test_invalid_problems_are_rejected():
    with pytest.raises(InvalidArgument, match=r"q: got shape \(3,\), expected shape \(2,\), as M has"):
        LCP(np.eye(2), np.ones(3))
    with pytest.raises(InvalidArgument, match=r"q: got shape \(3,\), expected shape \(2,\), as M has"):
        LCP(sparse.eye_array(2), np.ones(3))
    with pytest.raises(InvalidArgument, match="q: got NaN"):
        LCP(np.eye(2), [0.0, np.nan])
    with pytest.raises(InvalidArgument, match="q: got shape"):
        LCP(np.eye(2), [[0.0, 1.0], [1.0, 0.0]])
    with pytest.raises(InvalidArgument, match=r"Q: got max \|Q - Q\^T\| = 1, expected a symmetric matrix"):
        QP([[1.0, 1.0], [0.0, 1.0]], [0.0, 0.0])
    with pytest.raises(InvalidArgument, match="b: got nothing, expected a value, since A is given"):
        QP(np.eye(2), np.zeros(2), A=np.eye(2))
    with pytest.raises(InvalidArgument, match="lower: got 2 > 1, expected lower <= upper"):
        BoxLCP(np.eye(2), np.zeros(2), [0.0, 2.0], [1.0, 1.0])
    with pytest.raises(InvalidArgument, match="upper: got the wrong infinity, -inf"):
        BoxLCP(np.eye(1), np.zeros(1), -np.inf, -np.inf)
    with pytest.raises(InvalidArgument, match="M: got a matrix that is not symmetric"):
        qp_from_box(BoxLCP([[1.0, 1.0], [0.0, 1.0]], np.zeros(2), 0.0, 1.0))
    with pytest.raises(SingularConfiguration, match="Q: got smallest eigenvalue 0"):
        lcp_from_qp(QP(np.diag([1.0, 0.0]), np.zeros(2), np.eye(2), np.zeros(2)))
    with pytest.raises(
        InvalidArgument, match="method: got 'simplex', expected one of 'block_principal_pivoting'"
    ):
        solve(LCP(np.eye(1), [1.0]), "simplex")
    with pytest.raises(InvalidArgument, match="problem: got int, expected a QP, LCP or BoxLCP"):
        solve(1)
    with pytest.raises(InvalidArgument, match=r"initial_guess: got shape \(3,\)"):
        solve(LCP(np.eye(2), [-1.0, 1.0]), initial_guess=np.zeros(3))
    for cover in ([1.0, -1.0], [0.0, 1.0]):
        with pytest.raises(InvalidArgument, match="covering_vector: got smallest entry"):
            solve(LCP(np.eye(2), [-1.0, 1.0]), "lemke", covering_vector=cover)
    with pytest.raises(InvalidArgument, match="relaxation: got 2, expected a number between 0 and 2"):
        solve(LCP(np.eye(2), [-1.0, 1.0]), "gauss_seidel", relaxation=2.0)


def test_box_rows_hold_inside_and_fail_outside():
    lower, upper = np.array([-1.0, -np.inf, 0.5, -np.inf]), np.array([2.0, 3.0, np.inf, np.inf])
    qp = qp_from_box(BoxLCP(np.eye(4), np.zeros(4), lower, upper))
    assert qp.A.shape == (4, 4)
    for z in np.random.default_rng(0).uniform(-4, 4, (100, 4)):
        assert np.all(qp.A @ z >= qp.b) == np.all((lower <= z) & (z <= upper))
