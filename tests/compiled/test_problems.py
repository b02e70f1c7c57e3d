"""Compiled LCPs and quadratic programs against the reference's."""

import numpy as np
import pytest
from scipy import sparse

from rbnotes import compiled, complementarity
from rbnotes.arguments import InvalidArgument
from rbnotes.compiled.complementarity import problems
from rbnotes.complementarity import LCP, QP, NotSolved, box_residuals, solve_lcp


@pytest.fixture
def without_reference_fallback(monkeypatch):
    """Use the compiled code without the fallback to the reference."""
    monkeypatch.setattr(problems, "reference", lambda *_, **__: pytest.fail("this is the reference's"))


def monotone(n, seed, symmetric=True):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(n, n))
    turning = 0.0 if symmetric else A - A.T
    return A @ A.T / n + 0.1 * np.eye(n) + turning, rng.normal(size=n)


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("n", [1, 7, 8, 30])
def test_lcp_agrees_with_the_reference(n, symmetric, without_reference_fallback):
    M, q = monotone(n, n, symmetric)
    expected, found = solve_lcp(LCP(M, q), "lemke"), compiled.solve_lcp(M, q)
    np.testing.assert_allclose(found.z, expected.z, rtol=0, atol=1e-11)
    np.testing.assert_allclose(found.w, M @ found.z + q, rtol=0, atol=1e-12)
    assert found.is_solved
    np.testing.assert_allclose(compiled.solve_lcp(np.asfortranarray(M), q).z, found.z, rtol=0, atol=1e-13)


def test_residuals_agree_with_the_reference(without_reference_fallback):
    """For an inaccurate solution within the tolerance."""
    M, q = monotone(9, 2, symmetric=False)
    M[3, 3], q[3] = 0.0, 1.0
    found = compiled.solve_lcp(M, q)
    expected = box_residuals(LCP(M, q), found.z)
    assert found.residuals.natural == pytest.approx(expected.natural, abs=1e-15)
    assert found.residuals.relative == pytest.approx(expected.relative, abs=1e-14)


def test_copositive_matrices(without_reference_fallback):
    """Two opposite facets: neither symmetric nor positive semidefinite."""
    W = np.array([[1.0, 0.6, -0.6], [0.6, 0.8, -0.8], [-0.6, -0.8, 0.8]])
    M = np.block([[W, np.array([[0.0], [1.0], [1.0]])], [np.array([[0.5, -1.0, -1.0, 0.0]])]])
    q = np.array([-1.0, 0.7, -0.7, 0.0])
    found = compiled.solve_lcp(M, q)
    assert box_residuals(LCP(M, q), found.z).relative <= 1e-12
    assert np.count_nonzero(found.z) >= 2


@pytest.mark.parametrize("seed", [2, 4, 5])
def test_degenerate_ties_follow_the_lexicographic_rule(seed, without_reference_fallback):
    """Rows of small integers have ties for the leaving variable."""
    rows = np.random.default_rng(seed).integers(-1, 2, (12, 5)).astype(float)
    M, q = rows @ rows.T, -rows.sum(axis=1)
    expected, found = solve_lcp(LCP(M, q), "lemke"), compiled.solve_lcp(M, q)
    assert box_residuals(LCP(M, q), found.z).relative <= 1e-12
    assert found.statistics.pivots == expected.statistics.pivots


def wall(bricks, seed=0, mass_matrix=None):
    """Bricks on each other, each interface held at four corners: redundant rows, some of them zero."""
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


def in_blocks(rng, size):
    """Masses that couple three unknowns each."""
    spread = rng.normal(size=(size // 3, 3, 3))
    return sparse.block_diag(spread @ np.swapaxes(spread, -1, -2) + np.eye(3)).toarray()


@pytest.mark.parametrize("mass_matrix", [None, in_blocks])
@pytest.mark.parametrize("bricks", [1, 5, 8, 9, 30])
def test_quadratic_programs_agree_with_the_reference(bricks, mass_matrix, without_reference_fallback):
    """By Lemke's method and block pivoting; velocities are unique, impulses need not be."""
    Q, c, A, b = wall(bricks, bricks, mass_matrix)
    expected, found = solve_lcp(QP(Q, c, A, b)), compiled.solve_qp(Q, c, A, b)
    thin = compiled.solve_qp(sparse.csc_array(Q), c, sparse.csc_array(A), b)
    scale = np.max(np.abs(expected.x))
    for each in (found, thin):
        np.testing.assert_allclose(each.x, expected.x, rtol=0, atol=1e-8 * scale)
        np.testing.assert_allclose(each.w, A @ each.x - b, rtol=0, atol=1e-12)
        np.testing.assert_allclose(Q @ each.x + c, A.T @ each.z, rtol=0, atol=1e-8)
        assert np.min(each.z) >= 0
        judged = complementarity.Elimination.from_qp(QP(Q, c, A, b)).residuals(each.x, [], each.z)
        assert judged.relative <= 1e-10
        assert each.residuals.relative == pytest.approx(judged.relative, abs=1e-12)
    assert found.method == ("lemke" if bricks <= 8 else "block_principal_pivoting")


def test_unsupported_problems_fall_back_to_the_reference():
    """Other number types and forms, and problems without a solution."""
    M, q = monotone(3, 1)
    assert compiled.solve_lcp(M.tolist(), q.tolist()).is_solved
    assert compiled.solve_lcp(np.eye(2), np.ones(2)).z.tolist() == [0.0, 0.0]
    for bad in (np.nan, 1e101):
        with pytest.raises(InvalidArgument, match="M"):
            compiled.solve_lcp(np.array([[bad]]), np.ones(1))
        with pytest.raises(InvalidArgument, match="b"):
            compiled.solve_qp(np.eye(1), np.ones(1), np.eye(1), np.array([bad]))
    with pytest.raises(InvalidArgument, match="tolerance"):
        compiled.solve_lcp(M, q, tolerance=-1.0)
    with pytest.raises(InvalidArgument, match="Q"):
        compiled.solve_qp(np.array([[1.0, 0.5], [0.0, 1.0]]), np.ones(2), np.eye(2), np.ones(2))
    with pytest.raises(NotSolved):
        compiled.solve_lcp(-np.eye(2), -np.ones(2))
    with pytest.raises(NotSolved):
        compiled.solve_qp(np.eye(1), np.zeros(1), np.array([[1.0], [-1.0]]), np.ones(2))
    rows = sparse.csr_array(np.eye(2))
    assert compiled.solve_qp(rows, -np.ones(2), rows, np.zeros(2)).x.tolist() == [1.0, 1.0]
    assert compiled.solve_qp(np.eye(2), -np.ones(2), np.zeros((0, 2)), np.zeros(0)).x.tolist() == [1.0, 1.0]
