"""Solvers against enumeration of all bases, on 22 kinds of matrices."""

from dataclasses import replace

import numpy as np
import pytest
from matrix_kinds import matrix_kinds
from scipy import sparse

from rbnotes.arguments import SingularConfiguration
from rbnotes.complementarity import LCP, QP, BoxLCP, Status, enumeration, lemke, principal_pivoting, solve
from rbnotes.complementarity.block_principal_pivoting import principal_solver
from rbnotes.complementarity.fallbacks import try_fallbacks

METHODS = ("block_principal_pivoting", "principal_pivoting", "lemke")
MONOTONE = ("definite", "semidefinite", "skew")


def cases(count, seed):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield from matrix_kinds(rng, int(rng.integers(1, 7)))


def violation(problem, z):
    """Return the violation of z, each row relative to the size of its terms."""
    terms = np.abs(problem.M) * np.abs(z)
    w = problem.M @ z + problem.q
    size = np.abs(problem.q) + terms.sum(axis=1)
    wrong = np.where(size > 0, np.minimum(0.0, w) / np.where(size > 0, size, 1), 0)
    both = np.abs(z * w) / np.where(size * np.abs(z) > 0, size * np.abs(z), 1)
    return max(-wrong.min(), both.max(), -z.min())


def is_certificate(problem, y):
    """Return True if y proves that no nonnegative z makes w nonnegative."""
    against = problem.M.T @ y <= 1e-9 * (np.abs(problem.M).T @ np.abs(y))
    return np.all(y >= -1e-9) and np.all(against) and problem.q @ y < 0


@pytest.mark.parametrize("seed", [8, pytest.param(10, marks=pytest.mark.slow)])
def test_every_method_agrees_with_enumeration(seed):
    statuses = set()
    for name, M, q in cases(6, seed):
        problem = LCP(M, q)
        expected = enumeration(problem)
        statuses.add((name, expected.status))
        np.testing.assert_array_equal(expected.w, M @ expected.z + q)
        for method in METHODS:
            solution = solve(problem, method, raise_on_failure=False)
            if (
                "semidefinite" in name and expected.is_infeasible
            ):  # the last digit decides if the proof is exact
                assert solution.is_infeasible, (name, method, M, q)
            else:
                assert solution.status is expected.status, (name, method, M, q)
            np.testing.assert_allclose(
                solution.w,
                M @ solution.z + q,
                atol=1e-13 * (np.abs(M) @ np.abs(solution.z) + np.abs(q)).max(),
            )
            if solution.is_solved:
                assert violation(problem, solution.z) < 1e-7, (name, method, M, q)
            elif solution.status is Status.INFEASIBLE:
                assert is_certificate(problem, solution.certificate), (name, method, M, q)
    proofs = {Status.INFEASIBLE, Status.NEARLY_INFEASIBLE, Status.NO_SOLUTION}
    assert {status for _, status in statuses} == {Status.SOLVED, *proofs}
    assert all("semidefinite" in name for name, status in statuses if status is Status.NEARLY_INFEASIBLE)
    assert len({name for name, _ in statuses}) == 22


@pytest.mark.slow
def test_convex_solvers_agree_with_enumeration():
    for name, M, q in cases(3, seed=9):
        if not name.startswith(MONOTONE):
            continue
        problem = LCP(M, q)
        expected, solution = enumeration(problem), solve(problem, "cvxpy", raise_on_failure=False)
        assert solution.status is expected.status, (name, M, q)


@pytest.mark.parametrize("method", [*METHODS, "cvxpy"])
@pytest.mark.parametrize("size", [1e-12, 1.0, 1e12])
def test_one_pair_in_any_units(method, size):
    assert solve(LCP([[1.0]], [-size]), method).z[0] == pytest.approx(size, rel=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_diverged_z_is_not_accepted(method):
    """The problem is infeasible; z of 1e17 along a column of zeros was once accepted."""
    problem = LCP([[0, 0, -2], [0, 0, 1], [2, -1, 1]], [-1, -2, -2])
    solution = solve(problem, method, raise_on_failure=False)
    assert solution.status is Status.INFEASIBLE
    assert is_certificate(problem, solution.certificate)


@pytest.mark.parametrize("method", METHODS)
def test_degenerate_problem_that_is_not_symmetric(method):
    solution = solve(LCP([[4, 4, 2], [0, 1, -2], [-2, 2, 0]], [-4, -1, -2]), method)
    np.testing.assert_allclose(solution.z, [0, 1, 0], atol=1e-12)


@pytest.mark.parametrize(
    ("cover", "z"),
    [
        ((0.1, 1.0), (0.8, 0.0)),
        ((0.4, 0.7), (0.0, 0.25)),
        ((1.0, 1.0), (0.0, 1.0)),
        ((3.0, 1.0), (0.0, 5 / 3)),
    ],
)
def test_lemke_path_depends_on_the_covering_vector(cover, z):
    """In closed form: z_0 enters at max(-q / d), where the w of that row leaves, and its z enters until the w
    of the other row is zero.
    """
    problem = LCP(np.eye(2), [-1.0, -2.0])
    np.testing.assert_allclose(lemke(problem, covering_vector=cover, max_pivots=2).z, z, atol=1e-12)
    np.testing.assert_allclose(lemke(problem, covering_vector=cover).z, [1.0, 2.0], atol=1e-12)
    assert lemke(problem, covering_vector=cover).statistics.pivots == 3


@pytest.mark.parametrize("method", METHODS)
def test_certificate_includes_upper_bounds(method):
    """z = (1, 0): the first at its upper bound, where w may be negative."""
    box = BoxLCP([[0, 1], [-1, 0]], [-1, 1], [0, -np.inf], [1, 0.5])
    z = solve(box, method).z
    w = box.M @ z + box.q
    assert np.all(z <= box.upper + 1e-12)
    assert z[0] >= 0
    assert np.all(np.where(z < box.upper - 1e-9, np.abs(w), np.maximum(w, 0)) < 1e-9)
    tight = BoxLCP([[0.0, 1.0], [0.0, 0.0]], [-1.0, -1.0], [0.0, 0.0], [np.inf, 0.5])
    assert solve(tight, method, raise_on_failure=False).status is Status.INFEASIBLE


def test_singular_pivots_have_a_status():
    problem = LCP([[0.0, -1.0], [0.0, 0.0]], [0.0, -1.0])
    assert principal_pivoting(problem).status is Status.UNSUITED
    for method in METHODS:
        assert solve(problem, method, raise_on_failure=False).status is Status.INFEASIBLE


def test_feasible_problems_without_solution_have_a_status():
    problem = LCP([[0.0, 1.0], [-1.0, 1.0]], [-1.0, 0.5])
    for method in METHODS:
        solution = solve(problem, method, raise_on_failure=False)
        assert solution.status is enumeration(problem).status


def test_enumeration_is_limited_to_small_problems():
    with pytest.raises(ValueError, match="problem: got 9 pairs, expected at most 8"):
        enumeration(LCP(np.eye(9), np.ones(9)))


@pytest.mark.parametrize("method", METHODS)
def test_iteration_limits_are_respected(method):
    rng = np.random.default_rng(0)
    A = rng.standard_normal((12, 12))
    problem = LCP(A @ A.T, rng.standard_normal(12))
    if method != "block_principal_pivoting":
        for limit in (1, 4):
            solution = solve(problem, method, raise_on_failure=False, max_pivots=limit)
            assert solution.status is Status.ITERATION_LIMIT
            assert solution.statistics.pivots == limit
        assert np.min(solution.z) >= 0
        assert np.max(solution.z) > 0


@pytest.mark.parametrize("form", [np.array, sparse.csr_array], ids=["dense", "sparse"])
def test_block_pivoting_on_indefinite_symmetric_matrix(form):
    """The failing Cholesky factorization shows that it is indefinite."""
    M = np.array([[1.0, 5.0, 2.0, 0.3], [5.0, 1.0, 4.0, 0.1], [2.0, 4.0, -3.0, 0.7], [0.3, 0.1, 0.7, 2.0]])
    weights, right = np.array([0.5, 0.25, 2.0, 1.0]), np.array([1.0, -2.0, 3.0])
    for within in (np.array([0, 1, 2]), np.array([1, 3, 2])):
        block = M[np.ix_(within, within)] + np.diag(weights[within])
        actual = principal_solver(form(M), within, weights, is_symmetric=True)(right)
        np.testing.assert_allclose(block @ actual, right, atol=1e-12)


def test_retry_rescales_the_problem():
    """The scaled variables have unit diagonal."""
    problem, problems = LCP(np.diag([1.0, 4.0]), [-1.0, -2.0]), []

    def method(scaled, units):
        problems.append((np.diag(scaled.M).tolist(), units.tolist()))
        return principal_pivoting(scaled)

    failed = replace(principal_pivoting(problem), status=Status.CYCLING)
    result = try_fallbacks(problem, failed, method)
    assert problems == [([1.0, 1.0], [1.0, 0.5])]
    np.testing.assert_allclose(result.z, [1.0, 0.5])


def test_moves_between_bounds_are_counted():
    """A chain of variables that move between close bounds repeatedly."""
    n = 6
    M = np.eye(n) + 0.9 * (np.diag(np.ones(n - 1), 1) + np.diag(np.ones(n - 1), -1))
    box = BoxLCP(M @ M.T, np.full(n, -5.0), np.zeros(n), np.full(n, 1e-3))
    solution = principal_pivoting(box)
    assert solution.is_solved
    np.testing.assert_allclose(solution.z, 1e-3)
    assert solution.statistics.pivots >= n
    assert principal_pivoting(box, max_pivots=3).status is Status.ITERATION_LIMIT


@pytest.mark.parametrize("form", [np.array, sparse.csc_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("method", ["principal_pivoting", "block_principal_pivoting"])
def test_an_elimination_needs_a_positive_definite_matrix(form, method):
    for Q in (-np.eye(2), np.diag([1.0, -1.0])):
        with pytest.raises(SingularConfiguration, match="positive definite"):
            solve(QP(form(Q), [1.0, 1.0], np.eye(2), [0.0, 0.0]), method)
