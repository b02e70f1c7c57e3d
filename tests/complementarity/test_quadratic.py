"""Quadratic programs through cvxpy: translated once, any solver, accurate after refinement."""

import time
from functools import partial

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given
from known_problems import enumerate_mixed_solution, mixed, program
from scipy import sparse

from rbnotes.arguments import InvalidArgument
from rbnotes.complementarity import LCP, QP, ParametrizedQP, Status, solve
from rbnotes.complementarity.cvxpy_solver import _square_root_factor, cached_program

SOLVERS = ["CLARABEL", "OSQP", "SCS"]
if "HIGHS" in cp.installed_solvers():  # it comes with cvxpy from 1.6 on
    SOLVERS.append("HIGHS")


@pytest.mark.parametrize("solver", SOLVERS)
def test_every_solver_is_exact_after_refinement(solver):
    rng = np.random.default_rng(3)
    for _ in range(3):
        N = rng.standard_normal((6, 4))
        qp = QP(
            np.diag([1.0, 2, 3, 4]), rng.standard_normal(4), N, N @ rng.standard_normal(4) - rng.random(6)
        )
        solution = solve(qp, "cvxpy", solver=solver)
        assert solution.is_solved
        assert solution.residuals.relative < 1e-12
        np.testing.assert_allclose(solution.x, solve(qp).x, atol=1e-10)
        np.testing.assert_allclose(solution.w, qp.A @ solution.x - qp.b, atol=1e-12)
        assert solver in solution.method


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@given(mixed(4, 3, 1))
def test_multiplier_signs_follow_the_convention(form, problem):
    P = program(problem)
    solution = solve(program(problem, form), "cvxpy")
    np.testing.assert_allclose(solution.x, enumerate_mixed_solution(problem), atol=1e-5)
    balance = P.Q @ solution.x + P.c - P.A.T @ solution.z - P.G.T @ solution.multipliers
    assert np.max(np.abs(balance)) < 1e-6 * (1 + np.max(np.abs(solution.z)) + np.max(np.abs(P.Q)))
    assert np.all(solution.z >= 0)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_roots_of_singular_matrices(rank):
    """They have no Cholesky factor; the null space has general axes."""
    B = np.random.default_rng(rank).standard_normal((4, rank))
    R = _square_root_factor(B @ B.T)
    np.testing.assert_allclose(R.T @ R, B @ B.T, atol=1e-13)


def test_programs_without_unknowns():
    """Rows without entries hold or are infeasible."""
    none = np.zeros((0, 0))
    solve_by_cvxpy = partial(solve, method="cvxpy", raise_on_failure=False)
    assert solve_by_cvxpy(QP(none, np.zeros(0)))
    assert solve_by_cvxpy(QP(none, np.zeros(0), np.zeros((2, 0)), [-1.0, 0.0]))
    for contradiction in (
        QP(none, np.zeros(0), np.zeros((2, 0)), [-1.0, 1.0]),
        QP(none, np.zeros(0), G=np.zeros((1, 0)), g=[0.5]),
    ):
        assert solve_by_cvxpy(contradiction).status is Status.INFEASIBLE
    assert solve(LCP(none, np.zeros(0)), "cvxpy").is_solved
    with pytest.raises(InvalidArgument, match="example: got a program without unknowns"):
        ParametrizedQP(QP(none, np.zeros(0)))


def test_without_a_solution_the_slacks_are_those_of_zero():
    """x >= 2 and x <= -3: the result is x = 0, with the slacks there."""
    solution = solve(QP(np.eye(1), [1.0], [[1.0], [-1.0]], [2.0, 3.0]), "cvxpy", raise_on_failure=False)
    assert solution.status is Status.INFEASIBLE
    np.testing.assert_array_equal(solution.x, [0.0])
    np.testing.assert_array_equal(solution.z, [0.0, 0.0])
    np.testing.assert_array_equal(solution.w, [-2.0, -3.0])


def test_program_is_translated_once():
    """The second solve finds the translation made by the first: DPP, and one program per shape."""
    rng = np.random.default_rng(4)
    N = rng.standard_normal((3, 2))
    example = QP(np.eye(2), np.zeros(2), N, -np.ones(3))
    program = ParametrizedQP(example)
    assert program._problem.is_dcp(dpp=True)
    for _ in range(4):
        A = rng.standard_normal((2, 2))
        qp = QP(A @ A.T + np.eye(2), rng.standard_normal(2), rng.standard_normal((3, 2)), -np.ones(3))
        np.testing.assert_allclose(program.solve(qp).x, solve(qp).x, atol=1e-9)
    compilations = program._problem._cache.param_prog
    assert compilations is not None
    assert cached_program((2, 3, 0), "CLARABEL", None) is cached_program((2, 3, 0), "CLARABEL", None)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "diagonal"])
@pytest.mark.parametrize("vary", [("Q", "c"), ("c",)])
def test_translated_program_is_correct_without_refinement(monkeypatch, form, vary):
    """Refinement would correct a wrong solution, so it is off."""
    monkeypatch.setattr(
        "rbnotes.complementarity.cvxpy_solver._solve_with_active_rows", lambda qp, active, solution: solution
    )
    Q, A, b = form(np.diag([1.0, 4.0, 2.0])), np.array([[1.0, 1.0, 0.0]]), np.array([1.0])
    program = ParametrizedQP(QP(Q, np.ones(3), A, b), vary=vary)
    qp = QP(3 * Q if "Q" in vary else Q, [-2.0, 1.0, 3.0], A, b)
    np.testing.assert_allclose(program.solve(qp).x, solve(qp).x, atol=1e-6)


def test_sparse_row_parameters(monkeypatch):
    """Each entry goes to its own place; seconds of the interface are those around the solver."""
    monkeypatch.setattr(
        "rbnotes.complementarity.cvxpy_solver._solve_with_active_rows", lambda qp, active, result: result
    )
    Q, A, G = np.diag([1.0, 4.0, 2.0]), [[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [[1.0, 0.0, -1.0]]
    program = QP(Q, np.ones(3), sparse.csr_array(A), [1.0, 0.5], sparse.csr_array(G), [0.2])
    A, G = [[0.5, -2.0, 0.0], [0.0, 0.0, 3.0]], [[2.0, 0.0, -3.0]]
    qp = QP(Q, [-2.0, 1.0, 3.0], sparse.csr_array(A), [1.0, 0.5], sparse.csr_array(G), [0.2])
    start = time.perf_counter()
    solution = ParametrizedQP(program).solve(qp)
    passed = time.perf_counter() - start
    np.testing.assert_allclose(solution.x, solve(qp).x, atol=1e-6)
    assert 0 <= solution.statistics.interface_time <= passed


def test_only_parameters_may_change():
    Q, A = np.diag([1.0, 2.0]), sparse.csr_array([[1.0, 1.0]])
    program = ParametrizedQP(QP(Q, [1.0, 1.0], A, [0.0]), vary=("c", "b"))
    other = QP(Q, [-1.0, 1.0], A, [3.0])
    np.testing.assert_allclose(program.solve(other).x, solve(other).x, atol=1e-9)
    with pytest.raises(InvalidArgument, match="Q: got other numbers, expected those of the example"):
        program.solve(QP(2 * Q, [-1.0, 1.0], A, [3.0]))
    with pytest.raises(
        InvalidArgument, match=r"A: got shape \(2, 2\), expected shape \(1, 2\) as in the example"
    ):
        program.solve(QP(Q, [-1.0, 1.0], np.eye(2), [3.0, 3.0]))


def test_solver_status_is_verified(monkeypatch):
    """A wrong "optimal" solution is refused; an inaccurate one is judged by its residuals."""
    qp = QP(np.eye(2), [-1.0, -1.0], [[-1.0, 0.0]], [-0.5])
    program = ParametrizedQP(qp)

    def wrong(**options):
        program._x.value = np.array([5.0, 5.0])
        program._inequality.dual_variables[0].value = np.array([0.0])
        program._problem._status = cp.OPTIMAL
        program._problem._solver_stats = type("Stats", (), {"num_iters": 1, "solve_time": 0.0})()

    monkeypatch.setattr(program._problem, "solve", wrong)
    monkeypatch.setattr(
        "rbnotes.complementarity.cvxpy_solver._solve_with_active_rows", lambda qp, active, result: result
    )
    solution = program.solve(qp)
    assert solution.status is Status.ILL_CONDITIONED
    assert solution.residuals.relative > 0.1


def test_limits_and_bad_arguments():
    rng = np.random.default_rng(5)
    N = rng.standard_normal((30, 20))
    qp = QP(np.eye(20), rng.standard_normal(20), N, N @ rng.standard_normal(20) - rng.random(30))
    hurried = ParametrizedQP(qp, max_iter=1, solver="CLARABEL").solve(qp)
    assert hurried.statistics.iterations == 1
    assert hurried.is_solved == (np.max(np.abs(hurried.x - solve(qp).x)) < 1e-6)
    with pytest.raises(InvalidArgument, match="solver: got 'NONESUCH', expected one of"):
        solve(qp, "cvxpy", solver="NONESUCH")
    with pytest.raises(InvalidArgument, match="vary: got 'M'"):
        ParametrizedQP(qp, vary=("M",))
    with pytest.raises(InvalidArgument, match="Q: got smallest eigenvalue -1"):
        solve(QP(np.diag([1.0, -1.0]), np.zeros(2)), "cvxpy")


def test_grazing_contacts_are_exact_after_refinement():
    """Gap 0 and force 0: there an interior-point method is accurate to the square root of its tolerance."""
    problem = LCP([[2.0, 1.0], [1.0, 2.0]], [-2.0, -1.0])  # z = (1, 0), w = (0, 0)
    solution = solve(problem, "cvxpy")
    np.testing.assert_allclose(solution.z, [1, 0], atol=1e-12)
