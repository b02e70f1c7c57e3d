"""Published problems: known solutions, cycles, rays and exponential families with their pivot counts."""

from fractions import Fraction

import numpy as np
import pytest
from exact_lemke import all_solutions, exact_lemke

from rbnotes.complementarity import LCP, Status, lemke, principal_pivoting, solve

ALL_METHODS = ("block_principal_pivoting", "principal_pivoting", "lemke")


def lower_twos(n):
    """Return Murty's matrix: ones on the diagonal, twos below."""
    return np.eye(n) + 2 * np.tril(np.ones((n, n)), -1)


SOLVED = {
    # K. G. Murty, Linear Complementarity, Linear and Nonlinear Programming, example 2.8.
    "murty 2.8": (
        [[1, -1, -1, -1], [-1, 1, -1, -1], [1, 1, 2, 0], [1, 1, 0, 2]],
        [3, 5, -9, -5],
        [2, 1, 3, 1],
    ),
    # M. M. Kostreva, Cycling in linear complementarity problems, 1979.
    "kostreva 1": ([[1, 2, 0], [0, 1, 2], [2, 0, 1]], [-1, -1, -1], [1 / 3, 1 / 3, 1 / 3]),
    # C. A. Floudas et al., Handbook of Test Problems in Local and Global Optimization, 10.2.
    "handbook 10.2.1": (lower_twos(16).T, -np.ones(16), np.eye(16)[15]),
    "handbook 10.2.3": ([[0, -1, 2], [2, 0, -2], [-1, 1, 0]], [-3, 6, -1], [0, 1, 3]),
    **{
        f"handbook 10.2.9, {force}": (
            [[11, 0, 10, -1], [0, 11, 10, -1], [10, 10, 21, -1], [1, 1, 1, 0]],
            [50, 50, force, -6],
            np.array([force + 16, force + 16, 2 * (23 - force), 1286 - 9 * force]) / 13,
        )
        for force in (1, 16)
    },
}


@pytest.mark.parametrize("name", SOLVED)
def test_lemke_finds_the_published_solution(name):
    M, q, z = SOLVED[name]
    solution = lemke(LCP(M, q))
    assert solution.is_solved
    np.testing.assert_allclose(solution.z, z, atol=1e-12)
    exact = exact_lemke(np.array(M, dtype=int).tolist(), np.array(q, dtype=int).tolist())
    assert solution.statistics.pivots == exact.pivots
    np.testing.assert_allclose([float(value) for value in exact.z], z, atol=1e-12)


@pytest.mark.parametrize("name", [name for name in SOLVED if name != "handbook 10.2.3"])
@pytest.mark.parametrize("method", ["block_principal_pivoting", "principal_pivoting"])
def test_principal_pivoting_finds_the_published_solution(name, method):
    """Problem 10.2.3 has a zero diagonal and is not monotone, so it is left out."""
    M, q, z = SOLVED[name]
    np.testing.assert_allclose(solve(LCP(M, q), method).z, z, atol=1e-11)


def test_several_solutions():
    """Handbook 10.2.2: (1, 0), (0, 1) and all between them."""
    problem = LCP(np.ones((2, 2)), [-1, -1])
    for method in (*ALL_METHODS, "gauss_seidel", "cvxpy"):
        z = solve(problem, method).z
        assert np.all(z >= 0)
        assert abs(z.sum() - 1) < 1e-9


RAYS = {
    "murty 2.9": ([[-1, 0, -3], [1, -2, -5], [-2, -1, -2]], [-3, -2, -1]),
    "kostreva 2": ([[1, -1, 3], [2, -1, 3], [-1, -2, 0]], [-1, -1, -1]),
}


@pytest.mark.parametrize("name", RAYS)
def test_ray_termination_is_reported(name):
    M, q = RAYS[name]
    assert not exact_lemke(M, q).solved
    # In both, a row of M and its q are negative: the ray proves that there is nothing to find.
    assert solve(LCP(M, q), "lemke", raise_on_failure=False).status is Status.INFEASIBLE
    for method in ("block_principal_pivoting", "principal_pivoting"):
        assert not solve(LCP(M, q), method, raise_on_failure=False).is_solved


def test_solvable_problem_can_end_in_a_ray():
    """Murty 2.11: one covering vector ends in a ray, another in the solution."""
    M, q = [[Fraction(-3, 2), 2], [-4, 4]], [-5, 17]
    problem = LCP(np.array(M, dtype=float), q)
    assert lemke(problem, covering_vector=[5.0, 16.0]).status is Status.SECONDARY_RAY
    assert not exact_lemke(M, q, [5, 16]).solved
    solution = lemke(problem)
    assert solution.is_solved
    assert [Fraction(value).limit_denominator(1000) for value in solution.z] in all_solutions(M, q)


@pytest.mark.parametrize("n", range(1, 9))
def test_exponential_pivot_counts(n):
    """Murty's and Fathi's problems take Lemke's method 2^n pivots; the transposed matrix takes it two."""
    L = lower_twos(n)
    q_murty = [2 ** (n + 1 - i) - 2 ** (n + 1) for i in range(1, n + 1)]
    families = {
        "murty": (L, q_murty, 2.0**n * np.eye(n)[0], 2**n),
        "fathi": (L @ L.T, [-1] * n, np.eye(n)[0], 2**n),
        "transposed": (L.T, [-1] * n, np.eye(n)[-1], 2),
    }
    for M, q, z, pivots in families.values():
        solution = lemke(LCP(M, q))
        np.testing.assert_allclose(solution.z, z, atol=1e-9)
        assert solution.statistics.pivots == pivots
        if n <= 6:
            exact = exact_lemke(M.astype(int).tolist(), q)
            assert exact.pivots == pivots
            assert exact.z == [Fraction(value) for value in z]


@pytest.mark.parametrize("n", range(1, 9))
def test_pivot_counts_of_other_methods_on_exponential_families(n):
    """Principal pivoting needs 2^n - 1 pivots for Murty's problem, but one for Fathi's; blocks need n + 1."""
    L = lower_twos(n)
    murty = LCP(L, [2 ** (n + 1 - i) - 2 ** (n + 1) for i in range(1, n + 1)])
    fathi = LCP(L @ L.T, -np.ones(n))
    # 0 <= q for the first entry; with n = 1 the only entry enters at once.
    assert principal_pivoting(murty).statistics.pivots == 2**n - 1
    assert principal_pivoting(fathi).statistics.pivots == 1
    for problem in (murty, fathi):
        solution = solve(problem, "block_principal_pivoting")
        assert solution.method == "block_principal_pivoting"
        assert solution.statistics.factorizations <= n + 2
        np.testing.assert_allclose(solution.z, principal_pivoting(problem).z, atol=1e-9)


def test_pivot_limits_are_respected():
    n = 8
    murty = LCP(lower_twos(n), [2 ** (n + 1 - i) - 2 ** (n + 1) for i in range(1, n + 1)])
    for method in ("lemke", "principal_pivoting"):
        solution = solve(murty, method, raise_on_failure=False, max_pivots=20)
        assert solution.status is Status.ITERATION_LIMIT
        assert solution.statistics.pivots == 20
