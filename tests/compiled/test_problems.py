"""Compiled LCPs and quadratic programs against the reference's."""

from functools import partial

import numpy as np
import pytest
from scipy import sparse

from rbnotes import complementarity
from rbnotes.arguments import InvalidArgument
from rbnotes.complementarity import LCP, QP, BoxLCP, NotSolved, box_residuals, solve, solver


@pytest.fixture
def without_reference_fallback(monkeypatch):
    """Solve by compiled code, without the reference as a fallback."""
    monkeypatch.setattr(solver, "solve", lambda *_, **__: pytest.fail("this is the reference's"))


def monotone(n, seed, symmetric=True):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(n, n))
    turning = 0.0 if symmetric else A - A.T
    return A @ A.T / n + 0.1 * np.eye(n) + turning, rng.normal(size=n)


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("n", [1, 7, 8, 30])
def test_lcp_agrees_with_the_reference(n, symmetric, without_reference_fallback):
    M, q = monotone(n, n, symmetric)
    problem = LCP(M, q)
    expected, actual = solve(problem, "lemke"), solve(problem, compiled=True)
    np.testing.assert_allclose(actual.z, expected.z, rtol=0, atol=1e-11)
    np.testing.assert_allclose(actual.w, M @ actual.z + q, rtol=0, atol=1e-12)
    assert actual.is_solved
    np.testing.assert_allclose(
        solve(LCP(np.asfortranarray(M), q), compiled=True).z, actual.z, rtol=0, atol=1e-13
    )


def test_residuals_agree_with_the_reference(without_reference_fallback):
    """Compare at an inaccurate solution within the tolerance."""
    M, q = monotone(9, 2, symmetric=False)
    M[3, 3], q[3] = 0.0, 1.0
    solution = solve(LCP(M, q), compiled=True)
    expected = box_residuals(LCP(M, q), solution.z)
    assert solution.residuals.natural == pytest.approx(expected.natural, abs=1e-15)
    assert solution.residuals.relative == pytest.approx(expected.relative, abs=1e-14)


def test_copositive_matrices(without_reference_fallback):
    """Two opposite facets: neither symmetric nor positive semidefinite."""
    W = np.array([[1.0, 0.6, -0.6], [0.6, 0.8, -0.8], [-0.6, -0.8, 0.8]])
    M = np.block([[W, np.array([[0.0], [1.0], [1.0]])], [np.array([[0.5, -1.0, -1.0, 0.0]])]])
    q = np.array([-1.0, 0.7, -0.7, 0.0])
    solution = solve(LCP(M, q), compiled=True)
    assert box_residuals(LCP(M, q), solution.z).relative <= 1e-12
    assert np.count_nonzero(solution.z) >= 2


@pytest.mark.parametrize("seed", [2, 4, 5])
def test_degenerate_ties_follow_the_lexicographic_rule(seed, without_reference_fallback):
    """Rows of small integers have ties for the leaving variable."""
    rows = np.random.default_rng(seed).integers(-1, 2, (12, 5)).astype(float)
    M, q = rows @ rows.T, -rows.sum(axis=1)
    problem = LCP(M, q)
    expected, actual = solve(problem, "lemke"), solve(problem, compiled=True)
    assert box_residuals(LCP(M, q), actual.z).relative <= 1e-12
    assert actual.statistics.pivots == expected.statistics.pivots


def wall(bricks, seed=0, mass_matrix=None):
    """Return stacked bricks with four contacts at each interface: redundant rows, some of them zero."""
    rng = np.random.default_rng(seed)
    A = np.zeros((4 * bricks, 6 * bricks))
    for k in range(bricks):
        for i, (x, y) in enumerate(((-1, -1), (-1, 1), (1, -1), (1, 1))):
            row = np.array([y, -x, 0.0, 0.0, 0.0, 1.0])
            A[4 * k + i, 6 * k : 6 * k + 6] = row
            if k:
                A[4 * k + i, 6 * k - 6 : 6 * k] = -row
    M = np.diag(rng.uniform(0.5, 2.0, 6 * bricks)) if mass_matrix is None else mass_matrix(rng, 6 * bricks)
    velocity = 0.1 * rng.normal(size=6 * bricks)
    velocity[5::6] -= 1.0
    return M, -M @ velocity, A, 0.01 * rng.normal(size=4 * bricks)


def block_diagonal_masses(rng, size):
    """Return masses that couple three unknowns each."""
    spread = rng.normal(size=(size // 3, 3, 3))
    return sparse.block_diag(spread @ np.swapaxes(spread, -1, -2) + np.eye(3)).toarray()


@pytest.mark.slow
def test_quadratic_programs_agree_with_the_reference(without_reference_fallback):
    """By Lemke's method and block pivoting; if one of Q and A is sparse, both become sparse columns."""
    for bricks in (1, 5, 8, 9, 30):
        for mass_matrix in (None, block_diagonal_masses):
            assert_agrees_with_the_reference(bricks, mass_matrix)
    Q, c, A, b = wall(3)
    x = solve(QP(Q, c, A, b), compiled=True).x
    for matrices in ((sparse.csr_array(Q), A), (Q, sparse.coo_array(A))):
        solution = solve(QP(matrices[0], c, matrices[1], b), compiled=True)
        np.testing.assert_allclose(solution.x, x, rtol=0, atol=1e-12)


def assert_agrees_with_the_reference(bricks, mass_matrix):
    """Compare both methods; velocities are unique, impulses need not be."""
    Q, c, A, b = wall(bricks, bricks, mass_matrix)
    expected, actual = solve(QP(Q, c, A, b)), solve(QP(Q, c, A, b), compiled=True)
    thin = solve(QP(sparse.csc_array(Q), c, sparse.csc_array(A), b), compiled=True)
    scale = np.max(np.abs(expected.x))
    for each in (actual, thin):
        np.testing.assert_allclose(each.x, expected.x, rtol=0, atol=1e-8 * scale)
        np.testing.assert_allclose(each.w, A @ each.x - b, rtol=0, atol=1e-12)
        np.testing.assert_allclose(Q @ each.x + c, A.T @ each.z, rtol=0, atol=1e-8)
        assert np.min(each.z) >= 0
        judged = complementarity.Elimination.from_qp(QP(Q, c, A, b)).residuals(each.x, [], each.z)
        assert judged.relative <= 1e-10
        assert each.residuals.relative == pytest.approx(judged.relative, abs=1e-12)
    assert actual.method == ("lemke" if bricks <= 8 else "block_principal_pivoting")


def test_sparse_matrices_of_an_lcp(without_reference_fallback):
    """Lemke's method takes them as dense ones."""
    M, q = monotone(4, 1)
    z = solve(LCP(M, q), compiled=True).z
    np.testing.assert_array_equal(solve(LCP(sparse.csr_array(M), q), compiled=True).z, z)


@pytest.mark.slow
def test_problems_that_fail_go_to_the_reference():
    """Problems without a solution, pairs or inequalities."""
    infeasible = LCP(-np.eye(2), -np.ones(2)), QP(np.eye(1), np.zeros(1), [[1.0], [-1.0]], np.ones(2))
    for problem in infeasible:
        with pytest.raises(NotSolved, match="infeasible"):
            solve(problem, compiled=True)
        solution = solve(problem, compiled=True, raise_on_failure=False)
        assert not solution
        assert solution.certificate is not None
    assert solve(LCP(np.zeros((0, 0)), []), compiled=True)
    assert solve(QP(np.eye(2), -np.ones(2)), compiled=True).x.tolist() == [1.0, 1.0]


def test_unsupported_arguments_are_refused():
    M, q = monotone(3, 1)
    problem = LCP(M, q)
    refused = (
        ("method", partial(solve, problem, "lemke")),
        ("initial_guess", partial(solve, problem, initial_guess=q)),
        ("max_pivots", partial(solve, problem, max_pivots=3)),
        ("problem: got a QP with equations", partial(solve, QP(M, q, G=np.ones((1, 3)), g=[1.0]))),
        ("problem: got type BoxLCP", partial(solve, BoxLCP(M, q, 0.0, 1.0))),
        ("tolerance", partial(solve, problem, tolerance=-1.0)),
    )
    for name, call in refused:
        with pytest.raises(InvalidArgument, match=name):
            call(compiled=True)
    with pytest.raises(InvalidArgument, match="compiled: got str"):
        solve(problem, compiled="auto")
