"""Problems without solution, and statuses: named, proved where that is claimed, never silent."""

import numpy as np
import pytest
from hypothesis import given
from scipy import sparse

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
    solve_lcp,
)
from rbnotes.complementarity.certificate import is_infeasibility_certificate
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
        solution = solve_lcp(problem, method, raise_on_failure=False)
        assert solution.status is Status.INFEASIBLE
        proof = solution.certificate
        assert np.all(proof >= -1e-8)
        assert np.all(problem.M.T @ proof <= 1e-7 * (1 + np.max(np.abs(problem.M))))
        assert q @ proof < 0
    assert solve_lcp(problem, "cvxpy", raise_on_failure=False).status is Status.INFEASIBLE


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_contradicting_contacts_are_infeasible(form):
    """A block between walls that close: two contacts push against each other."""
    N = form(np.array([[1.0], [-1.0]]))
    problem = QP(form(np.eye(1)), [0.0], N, [0.5, 0.5])
    for method in (*PROVING, "cvxpy"):
        with pytest.raises(NotSolved, match="infeasible"):
            solve_lcp(problem, method)
    with pytest.raises(NotSolved, match="iteration limit") as error:
        solve_lcp(problem, "gauss_seidel", max_sweeps=50)
    assert error.value.status is Status.ITERATION_LIMIT
    assert error.value.solution.statistics.sweeps == 50


def test_certificate_within_rounding_is_rejected():
    """Large terms that cancel, within bounds, and a remainder of 1e-13 of them."""
    y, product, q = np.array([0.0, 0.0, 1.0]), np.array([1.0, -1.0, 0.0]), np.array([0.0, 0.0, -1e-7])
    lower, upper = np.array([0.0, 1.0, 0.0]), np.array([1.0, 2.0, np.inf])
    assert is_infeasibility_certificate(y, product, np.abs(product), q, lower, upper)
    assert not is_infeasibility_certificate(y, product, np.abs(product), q, 1e6 * lower, 1e6 * upper)
    q_cancels, lower, upper = np.array([1.0, 0.0, -1.0 - 1e-15]), np.zeros(3), np.full(3, np.inf)
    assert not is_infeasibility_certificate(
        np.array([1.0, 0.0, 1.0]), np.zeros(3), np.zeros(3), q_cancels, lower, upper
    )


def test_a_quadratic_program_can_be_unbounded_or_infeasible():
    unbounded = QP(np.diag([1.0, 0.0]), [0.0, -1.0], [[1.0, 0.0]], [1.0])
    assert solve_lcp(unbounded, "cvxpy", raise_on_failure=False).status is Status.UNBOUNDED
    infeasible = QP(np.eye(1), [0.0], [[1.0], [-1.0]], [1.0, 1.0])
    for method in (*PROVING, "cvxpy"):
        assert solve_lcp(infeasible, method, raise_on_failure=False).status is Status.INFEASIBLE
    with pytest.raises(SingularConfiguration, match="M: got"):
        solve_lcp(unbounded)


def test_matrices_outside_the_class_of_a_method_are_rejected():
    """-1 has no place on the diagonal; Lemke's method does not mind."""
    problem = LCP([[-1.0]], [-1.0])
    for method in (block_principal_pivoting, principal_pivoting):
        assert method(problem).status is Status.UNSUITED
    for method in ("block_principal_pivoting", "principal_pivoting", "lemke"):
        assert solve_lcp(problem, method, raise_on_failure=False).status is Status.INFEASIBLE
    with pytest.raises(InvalidArgument, match="M: got a diagonal entry -1"):
        solve_lcp(problem, "gauss_seidel")
    with pytest.raises(InvalidArgument, match="Q: got smallest eigenvalue -1"):
        solve_lcp(problem, "cvxpy")
    with pytest.raises(InvalidArgument, match="M: got a diagonal entry 0"):
        solve_lcp(LCP([[0.0, 1.0], [1.0, 0.0]], [1.0, 1.0]), "gauss_seidel")


def test_divergence_is_reported():
    """Gauss-Seidel needs a symmetric positive M: else it may go round in circles, or grow without end."""
    problem = LCP([[1.0, -4.0], [4.0, 1.0]], [-1.0, -8.0])
    solution = solve_lcp(problem, "gauss_seidel", raise_on_failure=False, refine=False)
    assert solution.status is Status.ITERATION_LIMIT
    np.testing.assert_allclose(solve_lcp(problem).z, [33 / 17, 4 / 17])
    negative = LCP([[1.0, -4.0], [-4.0, 1.0]], [-1.0, -1.0])
    assert gauss_seidel(negative).status is Status.UNSUITED
    assert solve_lcp(negative, "gauss_seidel", raise_on_failure=False).status is Status.INFEASIBLE


def test_singular_unbounded_block_is_rejected():
    problem = BoxLCP([[0.0, 0.0], [0.0, 1.0]], [1.0, -1.0], [-np.inf, 0.0], np.inf)
    for method in ("principal_pivoting", "lemke"):
        with pytest.raises(SingularConfiguration, match="singular block of unbounded variables"):
            solve_lcp(problem, method)


def test_ill_conditioning_is_reported():
    """Entries over sixteen orders of magnitude: a result above the tolerance is not called solved."""
    n = 12
    hilbert = 1.0 / (np.arange(n)[:, None] + np.arange(n) + 1)
    scale = 10.0 ** np.linspace(-8, 8, n)
    problem = LCP(scale[:, None] * hilbert * scale, -np.ones(n))
    for method in METHODS:
        solution = solve_lcp(problem, method, raise_on_failure=False)
        w = problem.M @ solution.z + problem.q
        assert solution.is_solved == (solution.residuals.relative <= (1e-8 if method == "cvxpy" else 1e-10))
        if solution.is_solved:
            assert np.all(solution.z >= 0)
            assert np.all(w >= -1e-7 * np.max(np.abs(w)))


@pytest.mark.parametrize("method", METHODS)
def test_empty_and_trivial_problems(method):
    empty = solve_lcp(LCP(np.zeros((0, 0)), np.zeros(0)), method)
    assert empty.z.shape == (0,)
    assert empty.is_solved
    trivial = solve_lcp(LCP(np.eye(3), [0.0, 1.0, 2.0]), method)
    np.testing.assert_allclose(trivial.z, 0, atol=1e-12)
    at_rest = solve_lcp(LCP(np.eye(3), np.zeros(3)), method)
    np.testing.assert_array_equal(at_rest.z, 0)


def test_the_error_carries_the_solution():
    with pytest.raises(NotSolved, match=r"lemke: infeasible \(relative residual") as error:
        solve_lcp(LCP([[0.0]], [-1.0]), "lemke")
    assert isinstance(error.value, NotConverged)
    assert error.value.residual == error.value.solution.residuals.relative > 0
    assert error.value.solution.status is Status.INFEASIBLE
    np.testing.assert_array_equal(error.value.solution.certificate, [1.0])
