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
from rbnotes.complementarity.conversions import box_unknowns, lcp_from_box, qp_from_box, qp_from_lcp
from rbnotes.complementarity.cvxpy_solver import solve_qp
from rbnotes.complementarity.elimination import Elimination
from rbnotes.complementarity.fallbacks import is_conclusive, try_fallbacks
from rbnotes.complementarity.gauss_seidel import gauss_seidel
from rbnotes.complementarity.lemke import lemke
from rbnotes.complementarity.principal_pivoting import principal_pivoting
from rbnotes.complementarity.problems import LCP, QP, BoxLCP, Problem
from rbnotes.complementarity.residuals import box_residuals
from rbnotes.complementarity.solution import NotSolved, QPSolution, Solution, Status, judge_status

AnySolution = TypeVar("AnySolution", bound=Solution)

METHODS = ("block_principal_pivoting", "principal_pivoting", "lemke", "gauss_seidel", "cvxpy")

MAX_DENSE_ENTRIES = 20_000
"""Largest number of entries of N up to which it is converted to a dense matrix, which is then faster."""


@overload
def solve_lcp(
    problem: QP,
    method: str = "block_principal_pivoting",
    *,
    initial_guess: ArrayLike | None = None,
    tolerance: float | None = None,
    raise_on_failure: bool = True,
    **options: Any,
) -> QPSolution: ...


@overload
def solve_lcp(
    problem: LCP | BoxLCP,
    method: str = "block_principal_pivoting",
    *,
    initial_guess: ArrayLike | None = None,
    tolerance: float | None = None,
    raise_on_failure: bool = True,
    **options: Any,
) -> Solution: ...


def solve_lcp(
    problem: Problem,
    method: str = "block_principal_pivoting",
    *,
    initial_guess: ArrayLike | None = None,
    tolerance: float | None = None,
    raise_on_failure: bool = True,
    **options: Any,
) -> Solution:
    """Solve an LCP, box LCP or quadratic program.

    Parameters
    ----------
    problem
        Problem with dense or sparse data.
    method : {"block_principal_pivoting", "principal_pivoting", "lemke", "gauss_seidel", "cvxpy"}
        * ``block_principal_pivoting``: usually the fastest. M positive semidefinite or a P-matrix.
        * ``principal_pivoting``: single pivots, columns built on demand. M as above.
        * ``lemke``: also for other matrices, such as those of friction; dense.
        * ``gauss_seidel``: projected Gauss-Seidel. M symmetric positive semidefinite.
        * ``cvxpy``: a convex solver through cvxpy. M positive semidefinite; symmetric, except for an LCP.
    initial_guess : (n,), optional
        Initial z, in its unit, such as that of the previous step; ignored by ``lemke`` and ``cvxpy``.
    tolerance
        Accepted relative residual; by default 1e-10, for ``cvxpy`` 1e-8.
    raise_on_failure
        If True, raise an error if the problem is not solved; otherwise check ``status``.
    options
        Options of the method: see the functions of the same names, for ``cvxpy`` :func:`solve_qp`.

    Returns
    -------
    Solution
        Solution with z, w, residuals and statistics; for quadratic programs a
        :class:`~rbnotes.complementarity.solution.QPSolution`, which adds x and multipliers.

    Raises
    ------
    InvalidArgument
        If ``method`` is not one of the names, ``tolerance`` is not positive, or the shape of
        ``initial_guess`` does not fit.
    NotSolved
        If ``raise_on_failure`` and the status is not "solved"; it carries the status and the last iterate.
    """
    if not isinstance(problem, QP | LCP | BoxLCP):
        array = isinstance(problem, np.ndarray) or sparse.issparse(problem)
        got = f"an array of shape {problem.shape}" if array else type(problem).__name__
        raise InvalidArgument("problem", got, "a QP, LCP or BoxLCP, such as solve_lcp(LCP(M, q))")
    arguments.choice("method", method, METHODS)
    tolerance = arguments.positive_number(
        "tolerance", default_tolerance(method) if tolerance is None else tolerance
    )
    if isinstance(problem, QP) and method != "cvxpy":
        return solve_elimination(
            Elimination.from_qp(problem),
            method,
            initial_guess=initial_guess,
            tolerance=tolerance,
            raise_on_failure=raise_on_failure,
            **options,
        )
    options = _method_options(method, initial_guess, tolerance, options)
    solution = (
        solve_qp(problem, **options)
        if isinstance(problem, QP)
        else _solve_with_fallbacks(problem, method, options)
    )
    return raise_unless_solved(solution) if raise_on_failure else solution


def solve_elimination(
    problem: Elimination,
    method: str = "block_principal_pivoting",
    *,
    initial_guess: ArrayLike | None = None,
    tolerance: float = 1e-10,
    raise_on_failure: bool = True,
    **options: Any,
) -> QPSolution:
    """Solve the LCP of an elimination and recover the eliminated unknowns.

    Parameters and errors are those of :func:`solve_lcp`; the method is any but "cvxpy". Principal pivoting
    builds the columns of the LCP on demand.

    Raises
    ------
    InvalidArgument
        If ``method`` is not one of the names or ``tolerance`` is not positive.
    """
    arguments.require_instance("problem", problem, Elimination)
    arguments.choice("method", method, METHODS[:-1])
    tolerance = arguments.positive_number("tolerance", tolerance)
    options = _method_options(method, initial_guess, tolerance, options)
    solution = principal_pivoting(problem, **options) if method == "principal_pivoting" else None
    if solution is None or not is_conclusive(solution):
        if len(problem.f) * problem.size <= MAX_DENSE_ENTRIES:
            problem = problem.with_dense_matrices()
        inner = _solve_with_fallbacks(problem.lcp(), method, options)
        x, multipliers = problem.recover_unknowns(inner.z)
        residuals = problem.residuals_unchecked(x, multipliers, inner.z)
        solution = QPSolution(
            judge_status(inner.status, residuals, tolerance),
            inner.z,
            problem.N @ x - problem.n,
            residuals,
            inner.method,
            inner.statistics,
            inner.certificate,
            x=x,
            multipliers=multipliers,
        )
    return raise_unless_solved(solution) if raise_on_failure else solution


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


def _solve_with_fallbacks(problem: LCP | BoxLCP, method: str, options: dict[str, Any]) -> Solution:
    """Solve by a method, and by the fallbacks if it fails."""

    def solve_scaled(problem: LCP | BoxLCP, units: Array) -> Solution:
        start = {"initial_guess": options["initial_guess"] / units} if "initial_guess" in options else {}
        return _solve_by_method(problem, method, options | start)

    if problem.size == 0:
        return principal_pivoting(problem, tolerance=options["tolerance"])
    solution = _solve_by_method(problem, method, options)
    if is_conclusive(solution):
        return solution
    return try_fallbacks(problem, solution, solve_scaled, tolerance=options["tolerance"])


def _solve_by_method(problem: LCP | BoxLCP, method: str, options: dict[str, Any]) -> Solution:
    if method == "lemke":
        if isinstance(problem, LCP):
            return lemke(problem, **options)
        inner = lemke(lcp_from_box(problem), **options)
        return _solution_of_original(problem, box_unknowns(problem, inner.z), inner, options["tolerance"])
    if method == "cvxpy":
        qp = qp_from_lcp(problem) if isinstance(problem, LCP) else qp_from_box(problem)
        inner = solve_qp(qp, **options)
        if inner.status is Status.UNBOUNDED:
            # A dual program is unbounded if the LCP has no feasible point.
            inner = replace(inner, status=Status.INFEASIBLE)
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
    residuals = box_residuals(problem, z)
    status = judge_status(inner.status, residuals, tolerance)
    return Solution(status, z, problem.M @ z + problem.q, residuals, inner.method, inner.statistics)
