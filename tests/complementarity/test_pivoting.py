"""Pivoting: the pivoted system by definition, updated factors, number of solves."""

import copy
import pickle
from importlib import import_module

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from known_problems import mixed, monotone
from scipy import sparse

from rbnotes.complementarity import (
    LCP,
    QP,
    Basis,
    BoxLCP,
    Elimination,
    LazyColumns,
    PivotingData,
    Status,
    gauss_seidel,
    principal_pivoting,
    solve,
)
from rbnotes.testing.strategies import matrices, spd_matrices, vectors

N = 5
SUBSETS = st.sets(st.integers(0, N - 1))


def pivoted_system(M, q, alpha):
    """Return M' and q' by solving ``w = M z + q`` for the basic variables at unit nonbasic ones."""
    n = len(q)
    basic = np.isin(np.arange(n), list(alpha))
    # Unknowns: z where basic, w elsewhere. w - M z = q.
    left = np.where(basic, -M, np.eye(n))
    right = np.where(basic, np.eye(n), -M)
    return -np.linalg.solve(left, right), np.linalg.solve(left, q)


@given(monotone(N), SUBSETS)
def test_columns_of_the_pivoted_system(problem, alpha):
    basis = Basis(PivotingData(problem))
    for s in alpha:
        basis.exchange(s)
    M_pivoted, q_pivoted = pivoted_system(problem.M, problem.q, alpha)
    scale = 1 + np.max(np.abs(M_pivoted))
    for r in range(N):
        np.testing.assert_allclose(basis.pivoted_column(r), M_pivoted[:, r], atol=1e-9 * scale)
        assert basis.pivoted_diagonal(r) == pytest.approx(M_pivoted[r, r], abs=1e-9 * scale)
    basis.recompute_values()
    np.testing.assert_allclose(np.where(basis.is_basic, basis.z, basis.w), q_pivoted, atol=1e-9 * scale)


@pytest.mark.parametrize("twin", [lambda basis: pickle.loads(pickle.dumps(basis)), copy.deepcopy])
@pytest.mark.parametrize("form", [np.array, sparse.csc_array])
@pytest.mark.parametrize("eliminated", [False, True])
def test_pickled_or_copied_basis_can_continue(twin, form, eliminated):
    M = np.diag([2.0, 3, 4]) + 0.5
    problem = LCP(form(M), -np.ones(3))
    if eliminated:
        qp = QP(form(M), np.ones(3), form(np.eye(3)), np.ones(3), form([[1.0, 1, 0]]), np.ones(1))
        problem = Elimination.from_qp(qp)
    basis = Basis(PivotingData(problem))
    basis.exchange(1)
    again = twin(basis)
    for each in (basis, again):
        each.exchange(2)
        each.recompute_values()
    np.testing.assert_allclose(again.z, basis.z, rtol=1e-13)
    np.testing.assert_allclose(again.w, basis.w, rtol=1e-13, atol=1e-13)
    if eliminated:
        x, multipliers = twin(problem).recover_unknowns(np.ones(3))
        expected = problem.recover_unknowns(np.ones(3))
        np.testing.assert_allclose(np.append(x, multipliers), np.concatenate(expected), rtol=1e-13)


@given(monotone(N), st.lists(st.integers(0, N - 1), max_size=12))
def test_factors_stay_accurate_through_many_exchanges(problem, exchanges):
    basis = Basis(PivotingData(problem))
    for s in exchanges:
        basis.exchange(s)
    assert basis.num_pivots == len(exchanges)
    assert sorted(basis.basic_indices) == [s for s in range(N) if exchanges.count(s) % 2]
    inner = problem.M[np.ix_(basis.basic_indices, basis.basic_indices)]
    right = np.arange(len(basis.basic_indices)) + 1.0
    np.testing.assert_allclose(inner @ basis.solve(right), right, atol=1e-10)
    np.testing.assert_allclose(inner.T @ basis.solve_transposed(right), right, atol=1e-10)


def test_columns_are_computed_once_on_demand():
    M = np.arange(400.0).reshape(20, 20)
    requested = []
    columns = LazyColumns(20, lambda j: (requested.append(j), M[:, j])[1])
    for j in (3, 7, 3, *range(12), 7):
        np.testing.assert_array_equal(columns[j], M[:, j])
    assert requested == [3, 7, 0, 1, 2, 4, 5, 6, 8, 9, 10, 11]
    assert columns.num_built == 12
    np.testing.assert_array_equal(
        columns.linear_combination([2, 5], np.array([1.0, -2.0])), M[:, 2] - 2 * M[:, 5]
    )


@given(mixed(5, 4, 2))
def test_number_of_solves(problem):
    """One solve for q, one for each column used, one for x and lambda; a full matrix needs all columns."""
    built = []
    original = LazyColumns.__getitem__

    def watched(self, j):
        if self._slot[j] < 0:
            built.append(int(j))
        return original(self, j)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LazyColumns, "__getitem__", watched)
        solution = principal_pivoting(problem, tolerance=1e-8)
    assert len(built) == len(set(built))
    assert solution.statistics.solves == len(built) + 2
    assert solution.statistics.solves_avoided == problem.size - len(built)
    assert set(np.flatnonzero(solution.z > 0)) <= set(built)


def test_inactive_contacts_need_no_solves():
    """A particle in a bowl of 200 faces touches three of them."""
    rng = np.random.default_rng(6)
    normals = rng.standard_normal((200, 3))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    problem = QP(np.eye(3), [0.0, 0.0, 3.0], normals, np.full(200, -1.0))
    solution = principal_pivoting(Elimination.from_qp(problem))
    assert solution.is_solved
    assert solution.statistics.solves < 20
    assert solution.statistics.solves_avoided > 180
    np.testing.assert_allclose(solution.x, solve(problem, "lemke").x, atol=1e-9)


@given(spd_matrices(4), vectors(4), matrices(4, 4))
def test_trace_records_the_pivots(M, q, S):
    """Each drive of a P-matrix problem leaves fewer wrong w than there were; all bases are complementary."""
    problem = LCP(M + 3 * (S - S.T), q)
    traced = []
    solution = principal_pivoting(
        problem, callback=lambda basis, r: traced.append((sorted(basis.basic_indices), r))
    )
    assert solution.is_solved
    assert len(traced) <= solution.statistics.pivots + 1
    if traced:
        assert set(np.flatnonzero(solution.z > 1e-9)) <= set(traced[-1][0])


def test_zero_diagonal_needs_double_pivots():
    """A skew matrix: every diagonal entry of every M' is zero, yet the problem is monotone and solvable."""
    problem = LCP([[0.0, 1.0], [-1.0, 0.0]], [-1.0, 2.0])
    solution = principal_pivoting(problem)
    assert solution.is_solved
    np.testing.assert_allclose(solution.z, [2, 1], atol=1e-12)


@pytest.mark.parametrize("a", [1.0, 0.001, 0.75])
def test_singular_part_of_initial_basis_is_dropped(a):
    """Both initial variables can enter; without the first, which is negative, the second divides by zero."""
    solution = principal_pivoting(LCP([[a, -1.0], [1.0, 0.0]], [1.0, 1.0]), [1.0, 1.0])
    assert solution.is_solved
    assert np.array_equal(solution.z, [0.0, 0.0])


@given(matrices(4, 4), vectors(4), vectors(4))
def test_skew_problems_with_a_feasible_point(S, z, w):
    M = S - S.T
    problem = LCP(M, np.abs(w) - M @ np.abs(z))
    for method in ("principal_pivoting", "lemke", "block_principal_pivoting"):
        solution = solve(problem, method, raise_on_failure=False)
        assert solution.is_solved or (method, solution.status) == ("principal_pivoting", Status.SECONDARY_RAY)
        assert solution.is_solved or method != "lemke"


@given(mixed(4, 4, 1))
def test_gauss_seidel_in_groups_equals_single_rows(problem):
    """Sparse and dense sweeps converge to the same w; relaxation changes only the path."""
    lcp = problem.lcp()
    w = solve(lcp, tolerance=1e-8).w
    for M in (lcp.M, sparse.csr_array(lcp.M)):
        for relaxation in (0.7, 1.0, 1.5):
            solution = gauss_seidel(LCP(M, lcp.q), relaxation=relaxation, tolerance=1e-8)
            assert solution.is_solved
            np.testing.assert_allclose(solution.w, w, atol=1e-6 * (1 + np.max(np.abs(w))))


@pytest.mark.parametrize("triangle", [sparse.triu, sparse.tril])
def test_coupled_rows_are_updated_successively(triangle):
    """Rows updated later in a sweep use the new values of earlier rows, unlike in a Jacobi step."""
    chain = triangle(sparse.diags_array([2.0, 3.0, 2.0], offsets=[-1, 0, 1], shape=(6, 6)), format="csr")
    box = BoxLCP(chain, np.arange(1.0, 7.0), np.full(6, -1e6), np.full(6, 1e6))
    solution = gauss_seidel(box, max_sweeps=1, refine=False)
    assert np.count_nonzero(np.abs(solution.w) < 1e-12) >= 3


def test_unrefined_gauss_seidel_converges_linearly():
    """Without refinement, on a tridiagonal matrix: the error falls by the same factor in every sweep."""
    n = 10
    M = sparse.diags_array([-1.0, 2.1, -1.0], offsets=[-1, 0, 1], shape=(n, n)).toarray()
    q = -np.ones(n)
    exact = np.linalg.solve(M, -q)
    errors = [
        np.max(np.abs(gauss_seidel(LCP(M, q), max_sweeps=k, refine=False).z - exact)) for k in (20, 30, 40)
    ]
    # The spectral radius of Gauss-Seidel is the square of Jacobi's, which is cos(pi / (n + 1)) / 1.05 here.
    factor = (np.cos(np.pi / (n + 1)) / 1.05) ** 2
    assert errors[1] / errors[0] == pytest.approx(factor**10, rel=0.05)
    assert errors[2] / errors[1] == pytest.approx(factor**10, rel=0.05)


@pytest.mark.parametrize("first", [0, 2])
def test_rounding_sized_pivots_do_not_block(first):
    """Two z and two w, one of each at zero already, which the driving variable moves by its last digits."""
    M = np.eye(N) + np.triu(np.ones((N, N)), 1) - np.tril(np.ones((N, N)), -1)
    basis = Basis(PivotingData(LCP(M, np.ones(N))))
    for s in (0, 1):
        basis.exchange(s)
    basis.z, basis.w = np.array([0.5, 0, 0, 0, 0]), np.array([0, 0, 0.5, 0, 1.0])
    rates = np.array([-0.1, -1e-15, -0.1, -1e-15, 1.0])
    rates[first] = -0.2
    module = import_module("rbnotes.complementarity.principal_pivoting")
    step, blocking = module._ratio_test(basis, 4, rates)
    assert blocking == first
    assert step == pytest.approx(2.5)
