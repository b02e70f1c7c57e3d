"""Problems without solution, and statuses: named, proved where that is claimed, never silent."""

import pydoc
import re
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from scipy import sparse

from rbnotes import complementarity
from rbnotes.arguments import InvalidArgument, SingularConfiguration
from rbnotes.complementarity import (
    LCP,
    METHODS,
    QP,
    BoxLCP,
    NotSolved,
    Status,
    block_principal_pivoting,
    gauss_seidel,
    principal_pivoting,
    solve,
)
from rbnotes.complementarity.certificate import verify_certificate
from rbnotes.complementarity.enumeration import MAX_ENUMERATED_PAIRS
from rbnotes.errors import NotConverged
from rbnotes.testing.strategies import matrices, vectors

PROVING = ("block_principal_pivoting", "principal_pivoting", "lemke")


@given(matrices(5, 2), vectors(5))
def test_infeasible_problems_have_a_certificate(N, extra):
    """q is made so that y >= 0 with N^T y = 0 has q^T y < 0: no z lifts all w."""
    N[4] = -(N[0] + N[1])
    y = np.array([1.0, 1, 0, 0, 1])
    q = extra - y * (extra @ y + 1) / 3
    problem = LCP(N @ N.T, q)
    for method in PROVING:
        solution = solve(problem, method, raise_on_failure=False)
        assert solution.status is Status.INFEASIBLE
        proof = solution.certificate
        assert np.all(proof >= -1e-8)
        assert np.all(problem.M.T @ proof <= 1e-7 * (1 + np.max(np.abs(problem.M))))
        assert q @ proof < 0
    assert solve(problem, "cvxpy", raise_on_failure=False).status is Status.INFEASIBLE


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_contradicting_contacts_are_infeasible(form):
    """A block between walls that close: two contacts push against each other."""
    N = form(np.array([[1.0], [-1.0]]))
    problem = QP(form(np.eye(1)), [0.0], N, [0.5, 0.5])
    for method in (*PROVING, "cvxpy"):
        with pytest.raises(NotSolved, match="infeasible"):
            solve(problem, method)
    with pytest.raises(NotSolved, match="iteration limit") as error:
        solve(problem, "gauss_seidel", max_sweeps=50)
    assert error.value.status is Status.ITERATION_LIMIT
    assert error.value.solution.statistics.sweeps == 50


def test_certificate_within_rounding_is_not_exact():
    """Large terms that cancel, within bounds, and a remainder of 1e-7 or 1e-13 of them."""
    q, y = np.array([0.0, 0.0, -1e-7]), np.array([0.0, 0.0, 1.0])
    M = np.zeros((3, 3))
    M[2] = [1.0, -1.0, 0.0]
    for size, status in ((1.0, Status.INFEASIBLE), (1e-9, Status.INFEASIBLE), (-1.0, None)):
        bounds = np.array([0.0, 1.0, 0.0]), np.array([1.0, 2.0, np.inf])
        proof = verify_certificate(BoxLCP(M, size * q, *bounds), y)
        assert (proof and proof.status) is status
    q_cancels = np.array([1.0, 0.0, -1.0 - 1e-15])
    y = np.array([1.0, 0.0, 1.0])
    assert verify_certificate(LCP(np.zeros((3, 3)), q_cancels), y).status is Status.INFEASIBLE
    third = np.array([[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]) / 3
    rounded = third.copy()
    rounded[1, 0] = np.nextafter(third[1, 0], 0.0)
    for M, status in ((third, Status.INFEASIBLE), (rounded, Status.NEARLY_INFEASIBLE)):
        proof = verify_certificate(LCP(M, [-1.0, -1.0, 0.0]), np.array([1.0, 1.0, 0.0]))
        assert proof.status is status
        assert (proof.certificate is None) == (status is Status.NEARLY_INFEASIBLE)
    assert verify_certificate(LCP(rounded, [-1.0, -1.0, 0.0]), np.array([1.0, 0.5, 0.0])) is None


def test_a_quadratic_program_can_be_unbounded_or_infeasible():
    unbounded = QP(np.diag([1.0, 0.0]), [0.0, -1.0], [[1.0, 0.0]], [1.0])
    assert solve(unbounded, "cvxpy", raise_on_failure=False).status is Status.UNBOUNDED
    infeasible = QP(np.eye(1), [0.0], [[1.0], [-1.0]], [1.0, 1.0])
    for method in (*PROVING, "cvxpy"):
        assert solve(infeasible, method, raise_on_failure=False).status is Status.INFEASIBLE
    with pytest.raises(SingularConfiguration, match="Q: got"):
        solve(unbounded)


@pytest.mark.parametrize("form", [np.asarray, sparse.csc_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("smallest", [0.0, 5e-324, -1.0])
def test_an_unsuited_matrix_of_a_quadratic_program_is_named(form, smallest):
    """It has no smallest x; the error names the argument, and a result without an error is falsy."""
    problems = (
        QP(form(np.diag([1.0, smallest])), [0.0, -1.0], [[1.0, 0.0]], [1.0]),
        QP(form([[smallest]]), [-1.0], [[1.0]], [1.0]),
    )
    for problem, method in product(problems, METHODS[:-1]):
        with pytest.raises(SingularConfiguration, match=r"^Q: got"):
            solve(problem, method)
        solution = solve(problem, method, raise_on_failure=False)
        assert not solution
        assert solution.status is Status.UNSUITED
    for problem in problems:
        assert not solve(problem, "cvxpy", raise_on_failure=False)


def test_matrices_outside_the_class_of_a_method_are_named():
    """A diagonal entry of -1 is refused; Lemke's method accepts it and proves that there is no solution."""
    problem = LCP([[-1.0]], [-1.0])
    for method in (block_principal_pivoting, principal_pivoting):
        assert method(problem).status is Status.UNSUITED
    with pytest.raises(InvalidArgument, match="M: got a diagonal entry -1"):
        gauss_seidel(problem)
    for method in METHODS:
        assert solve(problem, method, raise_on_failure=False).status is Status.INFEASIBLE
        with pytest.raises(NotSolved, match="infeasible"):
            solve(problem, method)


@pytest.mark.parametrize("compiled", [False, True])
def test_a_failed_solution_is_falsy(compiled):
    assert solve(LCP([[1.0]], [-1.0]), compiled=compiled)
    assert not solve(LCP([[-1.0]], [-1.0]), compiled=compiled, raise_on_failure=False)


def test_other_methods_solve_problems_that_a_method_is_unsuited_to():
    for M, q, z in (
        ([[0.0, 1.0], [1.0, 0.0]], [1.0, 1.0], [0.0, 0.0]),
        ([[1.0, 2.0], [-3.0, 1.0]], [-1.0, 2.0], [5 / 7, 1 / 7]),
    ):
        for method in METHODS:
            np.testing.assert_allclose(solve(LCP(M, q), method).z, z, atol=1e-8)
    box = BoxLCP([[1.0, 1.0], [0.0, 1.0]], [-2.0, -0.5], 0.0, 1.0)
    for method in METHODS:
        np.testing.assert_allclose(solve(box, method).z, [1.0, 0.5], atol=1e-8)


def test_divergence_is_reported():
    """Without a symmetric positive definite M, Gauss-Seidel may cycle or diverge."""
    problem = LCP([[1.0, -4.0], [4.0, 1.0]], [-1.0, -8.0])
    solution = solve(problem, "gauss_seidel", raise_on_failure=False, refine=False)
    assert solution.status is Status.ITERATION_LIMIT
    np.testing.assert_allclose(solve(problem).z, [33 / 17, 4 / 17])
    negative = LCP([[1.0, -4.0], [-4.0, 1.0]], [-1.0, -1.0])
    assert gauss_seidel(negative).status is Status.UNSUITED
    assert solve(negative, "gauss_seidel", raise_on_failure=False).status is Status.INFEASIBLE


def test_unbounded_variables_must_determine_each_other():
    """Else pivoting methods are unsuited; up to eight pairs are enumerated: z = (0, 1, ...)."""
    for size in (2, 9):
        M, lower = np.eye(size), np.zeros(size)
        M[:2, :2], lower[0] = [[0.0, 1.0], [1.0, 0.0]], -np.inf
        problem = BoxLCP(M, -np.eye(size)[0], lower, np.inf)
        for method in ("principal_pivoting", "lemke"):
            if size <= MAX_ENUMERATED_PAIRS:
                np.testing.assert_allclose(solve(problem, method).z, np.eye(size)[1], atol=1e-12)
                continue
            with pytest.raises(SingularConfiguration, match="M: got a singular block of unbounded variables"):
                solve(problem, method)
            assert solve(problem, method, raise_on_failure=False).status is Status.UNSUITED
    infeasible = BoxLCP([[0.0, 0.0], [0.0, 1.0]], [1.0, -1.0], [-np.inf, 0.0], np.inf)
    for method in ("principal_pivoting", "lemke"):
        assert solve(infeasible, method, raise_on_failure=False).status is Status.INFEASIBLE


def test_ill_conditioning_is_reported():
    """Entries over sixteen orders of magnitude: a result above the tolerance is not called solved."""
    n = 12
    hilbert = 1.0 / (np.arange(n)[:, None] + np.arange(n) + 1)
    scale = 10.0 ** np.linspace(-8, 8, n)
    problem = LCP(scale[:, None] * hilbert * scale, -np.ones(n))
    for method in METHODS:
        solution = solve(problem, method, raise_on_failure=False)
        w = problem.M @ solution.z + problem.q
        assert solution.is_solved == (solution.residuals.relative <= (1e-8 if method == "cvxpy" else 1e-10))
        if solution.is_solved:
            assert np.all(solution.z >= 0)
            assert np.all(w >= -1e-7 * np.max(np.abs(w)))


@pytest.mark.parametrize("method", METHODS)
def test_empty_and_trivial_problems(method):
    empty = solve(LCP(np.zeros((0, 0)), np.zeros(0)), method)
    assert empty.z.shape == (0,)
    assert empty.is_solved
    trivial = solve(LCP(np.eye(3), [0.0, 1.0, 2.0]), method)
    np.testing.assert_allclose(trivial.z, 0, atol=1e-12)
    at_rest = solve(LCP(np.eye(3), np.zeros(3)), method)
    np.testing.assert_array_equal(at_rest.z, 0)


def test_the_error_carries_the_solution():
    with pytest.raises(NotSolved, match=r"lemke: infeasible \(relative residual") as error:
        solve(LCP([[0.0]], [-1.0]), "lemke")
    assert isinstance(error.value, NotConverged)
    assert error.value.residual == error.value.solution.residuals.relative > 0
    assert error.value.solution.status is Status.INFEASIBLE
    np.testing.assert_array_equal(error.value.solution.certificate, [1.0])


def test_help_lists_every_status_in_one_table():
    text = pydoc.render_doc(complementarity, renderer=pydoc.plaintext)
    assert re.findall(r"^[ |]*``([A-Z_]+)`` +[A-Z]", text, re.MULTILINE) == list(Status.__members__)
