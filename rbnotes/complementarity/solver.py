"""Common entry point of all methods for complementarity problems and quadratic programs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.complementarity.block_principal_pivoting import (
    block_principal_pivoting,
    refine_active_set,
)
from rbnotes.complementarity.certificate import find_row_certificate
from rbnotes.complementarity.conversions import qp_from_box, qp_from_lcp
from rbnotes.complementarity.cvxpy_solver import solve_by_cvxpy
from rbnotes.complementarity.elimination import Elimination
from rbnotes.complementarity.fallbacks import is_conclusive, solve_box_by_lemke, try_fallbacks
from rbnotes.complementarity.gauss_seidel import gauss_seidel
from rbnotes.complementarity.lemke import lemke
from rbnotes.complementarity.principal_pivoting import principal_pivoting
from rbnotes.complementarity.problems import LCP, QP, BoxLCP
from rbnotes.complementarity.residuals import box_residuals_unchecked
from rbnotes.complementarity.solution import NotSolved, QPSolution, Solution, Status, judge_status

Problem = QP | LCP | BoxLCP | Elimination
"""Problems that :func:`solve` accepts."""

AnySolution = TypeVar("AnySolution", bound=Solution)

METHODS = ("block_principal_pivoting", "principal_pivoting", "lemke", "gauss_seidel", "cvxpy")

MAX_DENSE_ENTRIES = 20_000
"""Largest number of entries of N up to which it is converted to a dense matrix, which is then faster."""


@overload
def solve(
    problem: QP | Elimination,
    method: str | None = None,
    *,
    compiled: bool = False,
    initial_guess: ArrayLike | None = None,
    tolerance: float | None = None,
    raise_on_failure: bool = True,
    **options: Any,
) -> QPSolution: ...


@overload
def solve(
    problem: LCP | BoxLCP,
    method: str | None = None,
    *,
    compiled: bool = False,
    initial_guess: ArrayLike | None = None,
    tolerance: float | None = None,
    raise_on_failure: bool = True,
    **options: Any,
) -> Solution: ...


def solve(
    problem: Problem,
    method: str | None = None,
    *,
    compiled: bool = False,
    initial_guess: ArrayLike | None = None,
    tolerance: float | None = None,
    raise_on_failure: bool = True,
    **options: Any,
) -> Solution:
    """Solve an LCP, box LCP or quadratic program.

    If the method fails, or is unsuited to the matrix, other methods are tried: the method on the scaled
    problem, Lemke's method, a search for a certificate of infeasibility and, for a few pairs, enumeration.
    The solution names the one that succeeded.

    Parameters
    ----------
    problem
        Problem with dense or sparse data; an :class:`Elimination` is one with unknowns to eliminate.
    method : {"block_principal_pivoting", "principal_pivoting", "lemke", "gauss_seidel", "cvxpy"}, optional
        * ``block_principal_pivoting``, the default: usually the fastest. M positive semidefinite or a
          P-matrix.
        * ``principal_pivoting``: single pivots, columns built on demand. M as above.
        * ``lemke``: also for other matrices, such as those of friction; dense.
        * ``gauss_seidel``: projected Gauss-Seidel. M symmetric positive semidefinite.
        * ``cvxpy``: a convex solver through cvxpy. M positive semidefinite; symmetric, except for an LCP.
          Not for an elimination.
    compiled
        If True, use compiled code, for programs that solve many small problems or walls of contacts: an LCP,
        by Lemke's method, or a quadratic program without equations, by Lemke's method or, if there are many
        inequalities, by block principal pivoting. It takes no ``method``, ``initial_guess`` or ``options``.
        If it fails, the problem is solved by the reference.
    initial_guess : (n,), optional
        Initial z, in its unit, such as that of the previous step; ignored by ``lemke`` and ``cvxpy``.
    tolerance
        Accepted relative residual; by default 1e-10, for ``cvxpy`` 1e-8.
    raise_on_failure
        If True, raise an error if the problem is not solved. Otherwise a solution that is not solved is
        falsy, and its ``status`` is one of :class:`~rbnotes.complementarity.Status`.
    options
        Options of the method: see the functions of the same names, for ``cvxpy`` ``solver`` and
        ``solver_tolerance`` of :class:`ParametrizedQP`.

    Returns
    -------
    Solution
        Solution with z, w, residuals and statistics; for quadratic programs and eliminations a
        :class:`~rbnotes.complementarity.solution.QPSolution`, which adds x and multipliers.

    Raises
    ------
    InvalidArgument
        If ``method`` is not one of the names, ``tolerance`` is not positive, the shape of ``initial_guess``
        does not fit, or compiled code does not support the arguments. If ``raise_on_failure``, also if the
        matrix is unsuited: ``Q`` of a quadratic program is not positive definite (for ``cvxpy``,
        semidefinite), or ``M`` is outside the class of the method and no other method succeeds.
    NotSolved
        If ``raise_on_failure`` and the status is not "solved"; it carries the status and the last iterate.
    MissingExtra
        If ``compiled`` and numba is not installed.
    """
    if not isinstance(problem, Problem):
        array = isinstance(problem, np.ndarray) or sparse.issparse(problem)
        got = f"an array of shape {problem.shape}" if array else type(problem).__name__
        raise InvalidArgument("problem", got, "a QP, LCP or BoxLCP, such as solve(LCP(M, q))")
    arguments.require_instance("compiled", compiled, bool)
    if compiled:
        solution = _solve_compiled(problem, method, initial_guess, tolerance, options)
        return raise_unless_solved(solution) if raise_on_failure else solution
    method = METHODS[0] if method is None else arguments.choice("method", method, METHODS)
    tolerance = default_tolerance(method) if tolerance is None else tolerance
    options = _method_options(
        method, initial_guess, arguments.positive_number("tolerance", tolerance), options
    )
    if isinstance(problem, QP | Elimination):
        return _solve_program(problem, method, options, raise_on_failure)
    solution, unsuited = _solve_with_fallbacks(problem, method, options)
    if raise_on_failure and unsuited is not None and solution.status is Status.UNSUITED:
        raise unsuited
    return raise_unless_solved(solution) if raise_on_failure else solution


def _solve_compiled(
    problem: Problem,
    method: str | None,
    initial_guess: ArrayLike | None,
    tolerance: float | None,
    options: dict[str, Any],
) -> Solution:
    """Solve by compiled code and, if that fails, by the reference; refuse arguments of other types."""
    from rbnotes.compiled.complementarity.problems import solve_compiled  # numba is optional

    if not isinstance(problem, (LCP, QP)) or (isinstance(problem, QP) and len(problem.g)):
        got = "a QP with equations" if isinstance(problem, QP) else f"type {type(problem).__name__}"
        expected = "an LCP, or a QP without equations, with compiled=True"
        raise InvalidArgument("problem", got, expected)
    for name, value in {"method": method, "initial_guess": initial_guess, **options}.items():
        if value is not None:
            raise InvalidArgument(name, f"{value!r:.60}", "none with compiled=True")
    tolerance = 1e-10 if tolerance is None else arguments.positive_number("tolerance", tolerance)
    solution = solve_compiled(problem, tolerance)
    if solution is None:
        fallback = "lemke" if isinstance(problem, LCP) else None
        return solve(problem, fallback, tolerance=tolerance, raise_on_failure=False)
    return solution


def _solve_program(
    problem: QP | Elimination, method: str, options: dict[str, Any], raise_on_failure: bool
) -> QPSolution:
    """Solve a quadratic program or an elimination."""
    if method == "cvxpy" and isinstance(problem, Elimination):
        raise InvalidArgument("method", "'cvxpy' for an Elimination", f"one of {', '.join(METHODS[:-1])}")
    elimination = Elimination.from_qp(problem) if isinstance(problem, QP) else problem
    try:
        if isinstance(problem, QP) and method == "cvxpy":
            solution = solve_by_cvxpy(problem, **options)
        else:
            solution = _solve_elimination(elimination, method, options)
    except InvalidArgument as error:
        if raise_on_failure or error.name != elimination.matrix_name:
            raise
        return _unsuited_program(elimination, method)
    return raise_unless_solved(solution) if raise_on_failure else solution


def _solve_elimination(problem: Elimination, method: str, options: dict[str, Any]) -> QPSolution:
    """Solve the LCP of an elimination and recover the eliminated unknowns.

    Principal pivoting builds the columns of the LCP on demand.
    """
    solution = principal_pivoting(problem, **options) if method == "principal_pivoting" else None
    if solution is None or not is_conclusive(solution):
        if len(problem.f) * problem.size <= MAX_DENSE_ENTRIES:
            problem = problem.with_dense_matrices()
        inner, _ = _solve_with_fallbacks(problem.lcp(), method, options)
        x, multipliers = problem.recover_unknowns(inner.z)
        residuals = problem.residuals_unchecked(x, multipliers, inner.z)
        status, certificate = judge_status(inner.status, residuals, options["tolerance"]), None
        if status in (Status.INFEASIBLE, Status.NEARLY_INFEASIBLE, Status.NO_SOLUTION):
            # The LCP has been computed with rounding; a proof has to hold for the problem itself.
            proof = find_row_certificate(problem.N, problem.n, problem.G, problem.g)
            status, certificate = proof or (Status.ILL_CONDITIONED, None)
        solution = QPSolution(
            status,
            inner.z,
            problem.N @ x - problem.n,
            residuals,
            inner.method,
            inner.statistics,
            certificate,
            x=x,
            multipliers=multipliers,
        )
    return solution


def _unsuited_program(problem: Elimination, method: str) -> QPSolution:
    """Return the result for an unsuited matrix: all unknowns zero."""
    x, multipliers, z = np.zeros(len(problem.f)), np.zeros(len(problem.g)), np.zeros(problem.size)
    residuals = problem.residuals_unchecked(x, multipliers, z)
    return QPSolution(Status.UNSUITED, z, -problem.n, residuals, method, x=x, multipliers=multipliers)


def default_tolerance(method: str) -> float:
    """Return the relative residual up to which solutions of a method are accepted."""
    return 1e-8 if method == "cvxpy" else 1e-10


def raise_unless_solved(solution: AnySolution) -> AnySolution:
    """Return a solved solution; otherwise raise :class:`~rbnotes.complementarity.solution.NotSolved`."""
    if not solution.is_solved:
        raise NotSolved(solution)
    return solution


def _method_options(
    method: str, initial_guess: ArrayLike | None, tolerance: float, more: dict[str, Any]
) -> dict[str, Any]:
    takes_guess = initial_guess is not None and method not in ("lemke", "cvxpy")
    return {**more, "tolerance": tolerance} | ({"initial_guess": initial_guess} if takes_guess else {})


def _solve_with_fallbacks(
    problem: LCP | BoxLCP, method: str, options: dict[str, Any]
) -> tuple[Solution, InvalidArgument | None]:
    """Solve by a method, and by the fallbacks if it fails; return the error about M if it is unsuited."""

    def solve_scaled(problem: LCP | BoxLCP, units: Array) -> Solution:
        start = {"initial_guess": options["initial_guess"] / units} if "initial_guess" in options else {}
        return _solve_if_suited(problem, method, options | start)[0]

    if problem.size == 0:
        return principal_pivoting(problem, tolerance=options["tolerance"]), None
    solution, unsuited = _solve_if_suited(problem, method, options)
    if not is_conclusive(solution):
        solution = try_fallbacks(problem, solution, solve_scaled, tolerance=options["tolerance"])
    return solution, unsuited


def _solve_if_suited(
    problem: LCP | BoxLCP, method: str, options: dict[str, Any]
) -> tuple[Solution, InvalidArgument | None]:
    """Solve by a method; if M is unsuited, return the point nearest to zero and the error."""
    try:
        return _solve_by_method(problem, method, options), None
    except InvalidArgument as error:
        if error.name not in ("M", "Q"):
            raise
        z = np.clip(np.zeros(problem.size), problem.lower, problem.upper)
        residuals = box_residuals_unchecked(problem, z)
        solution = Solution(Status.UNSUITED, z, problem.M @ z + problem.q, residuals, method)
        return solution, type(error)("M", error.got, error.expected)


def _solve_by_method(problem: LCP | BoxLCP, method: str, options: dict[str, Any]) -> Solution:
    """Solve the problem by the method of this name, without fallbacks."""
    if method == "lemke":
        if isinstance(problem, LCP):
            return lemke(problem, **options)
        return solve_box_by_lemke(problem, **options)
    if method == "cvxpy":
        qp = qp_from_lcp(problem) if isinstance(problem, LCP) else qp_from_box(problem)
        inner = solve_by_cvxpy(qp, **options)
        if inner.status is Status.UNBOUNDED or inner.is_infeasible:
            # A dual program is unbounded if there is no feasible point; the fallbacks look for a proof.
            inner = replace(inner, status=Status.ILL_CONDITIONED)
        return _solution_of_original(
            problem, refine_active_set(problem, inner.x), inner, options["tolerance"]
        )
    if method == "principal_pivoting":
        return principal_pivoting(problem, **options)
    return (block_principal_pivoting if method == "block_principal_pivoting" else gauss_seidel)(
        problem, **options
    )


def _solution_of_original(problem: LCP | BoxLCP, z: Array, inner: Solution, tolerance: float) -> Solution:
    """Return the solution z of a problem that was solved through another one."""
    residuals = box_residuals_unchecked(problem, z)
    status = judge_status(inner.status, residuals, tolerance)
    return Solution(status, z, problem.M @ z + problem.q, residuals, inner.method, inner.statistics)
