"""Every method against every other, against exact arithmetic and against trying all active sets."""

import numpy as np
import pytest
from exact_lemke import all_solutions, exact_lemke
from hypothesis import given
from hypothesis import strategies as st
from known_problems import (
    boxes,
    enumerate_box_solution,
    enumerate_mixed_solution,
    mixed,
    monotone,
    planted_lcp,
    program,
)
from scipy import sparse

from rbnotes.arguments import InvalidArgument
from rbnotes.complementarity import LCP, METHODS, QP, BoxLCP, Elimination, lemke, solve
from rbnotes.testing.strategies import matrices, spd_matrices, vectors

DENSE_AND_SPARSE = (np.asarray, pytest.param(sparse.csr_array, marks=pytest.mark.slow))


def methods(symmetric):
    """Return the methods for a problem; Gauss-Seidel need not converge if M is not symmetric."""
    return [method for method in METHODS if symmetric or method != "gauss_seidel"]


def assert_close(actual, expected, tolerance=1e-8):
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance * (1 + np.max(np.abs(expected))))


@pytest.mark.parametrize("form", DENSE_AND_SPARSE)
@given(monotone(4))
def test_strictly_monotone_problems_have_one_solution(form, problem):
    exact = exact_lemke(problem.M.tolist(), problem.q.tolist())
    assert exact.solved
    z = np.array([float(value) for value in exact.z])
    for method in methods(problem.is_symmetric):
        solution = solve(LCP(form(problem.M), problem.q), method)
        assert_close(solution.z, z)
        assert_close(solution.w, problem.M @ z + problem.q)


def test_larger_strictly_monotone_problems():
    rng = np.random.default_rng(1)
    for size in (30, 60):
        A = rng.standard_normal((size, size))
        M = A @ A.T / size + 0.1 * np.eye(size)
        active = rng.random(size) < 0.5
        z = np.where(active, rng.random(size), 0.0)
        w = np.where(active, 0.0, rng.random(size))
        for matrix in (M, M + A - A.T):
            problem = LCP(matrix, w - matrix @ z)
            for method in methods(problem.is_symmetric):
                assert_close(solve(problem, method).z, z)


@given(planted_lcp(5), st.data())
def test_planted_degenerate_problems(problem_and_z, data):
    """z need not be unique, but w and M z are."""
    problem, z = problem_and_z
    w = problem.M @ z + problem.q
    for method in METHODS:
        solution = solve(problem, method, tolerance=1e-8)
        assert_close(solution.w, w, 1e-6)


@given(planted_lcp(6, rank=2))
def test_rank_deficient_problems(problem_and_z):
    """Six contacts on two degrees of freedom, some grazing."""
    problem, z = problem_and_z
    w = problem.M @ z + problem.q
    for method in METHODS:
        solution = solve(problem, method, tolerance=1e-8)
        assert_close(solution.w, w, 1e-6)
        assert solution.residuals.feasibility == 0.0


@given(matrices(4, 4), vectors(4))
def test_lemke_solutions_equal_exact_solutions(M, q):
    """General matrices: the paths in floating point and in exact arithmetic end alike."""
    exact = exact_lemke(M.tolist(), q.tolist())
    solution = lemke(LCP(M, q))
    if solution.is_solved:
        w = M @ solution.z + q
        scale = 1 + np.max(np.abs(w)) + np.max(np.abs(solution.z))
        assert np.max(np.abs(np.minimum(solution.z, w))) <= 1e-8 * scale
        assert all_solutions(M.tolist(), q.tolist())
    assert solution.is_solved == exact.solved
    assert solution.statistics.pivots == exact.pivots


@given(matrices(3, 3), vectors(3))
def test_no_method_silently_returns_a_wrong_solution(M, q):
    """For every M the result is a solution, or a status or an error that gives the reason."""
    for method in METHODS:
        try:
            solution = solve(LCP(M, q), method, raise_on_failure=False, **limits(method))
        except InvalidArgument as error:
            named = error.name
        else:
            named = None
        if named is not None:
            assert named in ("M", "Q")
            continue
        if solution.is_solved:
            scale = np.max(np.abs(M)) * np.max(solution.z, initial=0.0) + np.max(np.abs(q), initial=0.0)
            w = M @ solution.z + q
            assert np.all(solution.z >= 0)
            assert np.all(w >= -1e-7 * scale)
            assert np.all(np.abs(solution.z * w) <= 1e-7 * (1 + scale) * (1 + solution.z))
        elif solution.status == "infeasible" and solution.certificate is not None:
            y = solution.certificate
            assert np.all(y >= -1e-8)
            assert np.all(M.T @ y <= 1e-7)
            assert q @ y < 0


def limits(method):
    return {"max_sweeps": 200} if method == "gauss_seidel" else {}


@pytest.mark.parametrize("form", DENSE_AND_SPARSE)
@given(boxes(4))
def test_box_problems(form, problem):
    z = enumerate_box_solution(problem)
    same = BoxLCP(form(problem.M), problem.q, problem.lower, problem.upper)
    for method in methods(problem.is_symmetric):
        if method == "cvxpy" and not problem.is_symmetric:
            continue
        assert_close(solve(same, method).z, z, 1e-7)


@pytest.mark.parametrize("form", DENSE_AND_SPARSE)
@given(mixed(5, 4, 2))
def test_programs_with_equations(form, problem):
    x = enumerate_mixed_solution(problem)
    P = problem
    same = program(problem, form)
    for method in METHODS:
        solution = solve(same, method, tolerance=1e-8)
        assert_close(solution.x, x, 1e-6)
        assert_close(solution.w, P.N @ solution.x - P.n, 1e-12)
        motion = P.M @ solution.x - P.G.T @ solution.multipliers - P.N.T @ solution.z - P.f
        scale = 1 + np.max(np.abs(solution.z)) + np.max(np.abs(solution.multipliers))
        assert np.max(np.abs(motion)) < 1e-6 * scale
        assert np.max(np.abs(P.G @ solution.x - P.g)) < 1e-6 * scale
        assert np.max(np.abs(np.minimum(solution.z, P.N @ solution.x - P.n))) < 1e-6 * scale


@given(spd_matrices(3), vectors(3), matrices(4, 3), vectors(3), vectors(4))
def test_quadratic_programs(Q, c, A, inside, slack):
    b = A @ inside - np.abs(slack)
    x = enumerate_mixed_solution(Elimination.from_qp(QP(Q, c, A, b)))
    for method in METHODS:
        assert_close(solve(QP(Q, c, A, b), method, tolerance=1e-8).x, x, 1e-6)


@given(monotone(5), vectors(5))
def test_any_start_ends_at_the_same_solution(problem, start):
    z = solve(problem).z
    for method in (
        "block_principal_pivoting",
        "principal_pivoting",
        *(["gauss_seidel"] if problem.is_symmetric else []),
    ):
        assert_close(solve(problem, method, initial_guess=start).z, z)


@given(boxes(4), vectors(4))
def test_box_solution_does_not_depend_on_the_initial_guess(problem, start):
    z = enumerate_box_solution(problem)
    for method in ("block_principal_pivoting", "principal_pivoting"):
        assert_close(solve(problem, method, initial_guess=start).z, z, 1e-7)


def test_warm_start_reduces_iterations():
    rng = np.random.default_rng(2)
    A = rng.standard_normal((40, 40))
    problem = LCP(A @ A.T / 40 + 0.1 * np.eye(40), rng.standard_normal(40))
    nearby = LCP(problem.M, problem.q + 1e-3 * rng.standard_normal(40))
    start = solve(problem).z

    def work(method, count, start):
        return getattr(solve(nearby, method, initial_guess=start).statistics, count)

    for method, count in (
        ("principal_pivoting", "pivots"),
        ("block_principal_pivoting", "factorizations"),
        ("gauss_seidel", "sweeps"),
    ):
        assert work(method, count, start) <= work(method, count, None)
    assert work("principal_pivoting", "pivots", start) <= 3
