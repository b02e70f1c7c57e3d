"""One call for all problems and all methods."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.complementarity.active_set import active_set, polish
from rbnotes.complementarity.conversions import box_unknowns, lcp_from_box, qp_from_box, qp_from_lcp
from rbnotes.complementarity.elimination import Elimination
from rbnotes.complementarity.gauss_seidel import gauss_seidel
from rbnotes.complementarity.lemke import lemke
from rbnotes.complementarity.pivoting import pivoting
from rbnotes.complementarity.problems import LCP, QP, BoxLCP, Problem
from rbnotes.complementarity.quadratic import solve_qp
from rbnotes.complementarity.residuals import box_residuals
from rbnotes.complementarity.second_opinion import second_opinion, settled
from rbnotes.complementarity.solution import QPSolution, Solution, Status, Unsolved, judged

AnySolution = TypeVar("AnySolution", bound=Solution)

METHODS = ("active_set", "pivoting", "lemke", "gauss_seidel", "quadratic")

SMALL_PRODUCT = 20_000
"""Up to this number of entries N is made dense: that is faster."""


@overload
def solve_lcp(
    problem: QP,
    method: str = "active_set",
    *,
    start: ArrayLike | None = None,
    tolerance: float | None = None,
    check: bool = True,
    **options: Any,
) -> QPSolution: ...


@overload
def solve_lcp(
    problem: LCP | BoxLCP,
    method: str = "active_set",
    *,
    start: ArrayLike | None = None,
    tolerance: float | None = None,
    check: bool = True,
    **options: Any,
) -> Solution: ...


def solve_lcp(
    problem: Problem,
    method: str = "active_set",
    *,
    start: ArrayLike | None = None,
    tolerance: float | None = None,
    check: bool = True,
    **options: Any,
) -> Solution:
    """Solve an LCP, box LCP or quadratic program.

    Parameters
    ----------
    problem
        LCP, BoxLCP or QP, dense or sparse.
    method : {"active_set", "pivoting", "lemke", "gauss_seidel", "quadratic"}
        * ``active_set``: blocks of pivots; the fastest. M positive semidefinite or a P-matrix.
        * ``pivoting``: single pivots, columns built on demand; M likewise.
        * ``lemke``: for other matrices too, such as those of friction; dense.
        * ``gauss_seidel``: sweeps; can be stopped early. M symmetric positive semidefinite.
        * ``quadratic``: a convex solver through cvxpy. M positive semidefinite; symmetric, except for an
          LCP.
    start : (n,), optional
        z to start from, in its unit, such as that of the step before; of use to all methods but lemke and
        quadratic.
    tolerance
        Accepted relative residual; by default 1e-10, for quadratic 1e-8.
    check
        Raise an error if the problem is not solved. Otherwise look at ``status`` yourself.
    options
        Handed to the method: see the functions of the same names, for quadratic :func:`solve_qp`.

    Returns
    -------
    Solution
        z, w, residuals and statistics; for quadratic programs a
        :class:`~rbnotes.complementarity.solution.QPSolution`, with x and multipliers too.

    Raises
    ------
    InvalidArgument
        If ``method`` is not one of the names, ``tolerance`` is not positive, or the shape of ``start`` does
        not fit.
    Unsolved
        If ``check`` and the status is not "solved"; it carries the status and the last iterate.
    """
    if not isinstance(problem, QP | LCP | BoxLCP):
        array = isinstance(problem, np.ndarray) or sparse.issparse(problem)
        got = f"an array of shape {problem.shape}" if array else type(problem).__name__
        raise InvalidArgument("problem", got, "a QP, LCP or BoxLCP, such as solve_lcp(LCP(M, q))")
    arguments.choice("method", method, METHODS)
    tolerance = arguments.number("tolerance", default_tolerance(method) if tolerance is None else tolerance)
    if isinstance(problem, QP) and method != "quadratic":
        return solve_elimination(
            Elimination.of_qp(problem), method, start=start, tolerance=tolerance, check=check, **options
        )
    options = _options(method, start, tolerance, options)
    solution = solve_qp(problem, **options) if isinstance(problem, QP) else _pairs(problem, method, options)
    return accepted(solution) if check else solution


def solve_elimination(
    problem: Elimination,
    method: str = "active_set",
    *,
    start: ArrayLike | None = None,
    tolerance: float = 1e-10,
    check: bool = True,
    **options: Any,
) -> QPSolution:
    """Solve the LCP that is left of a problem, and find the eliminated unknowns; pivoting does so on demand.

    Parameters and errors as for :func:`solve_lcp`; the method is any but "quadratic".

    Raises InvalidArgument if ``method`` is not one of the names or ``tolerance`` is not positive.
    """
    arguments.instance("problem", problem, Elimination)
    arguments.choice("method", method, METHODS[:-1])
    tolerance = arguments.number("tolerance", tolerance)
    options = _options(method, start, tolerance, options)
    solution = pivoting(problem, **options) if method == "pivoting" else None
    if solution is None or not settled(solution):
        if len(problem.f) * problem.size <= SMALL_PRODUCT:
            problem = problem.densified()
        inner = _pairs(problem.lcp(), method, options)
        x, multipliers = problem.unknowns(inner.z)
        residuals = problem.residuals_of(x, multipliers, inner.z)
        solution = QPSolution(
            judged(inner.status, residuals, tolerance),
            inner.z,
            problem.N @ x - problem.n,
            residuals,
            inner.method,
            inner.statistics,
            inner.certificate,
            x=x,
            multipliers=multipliers,
        )
    return accepted(solution) if check else solution


def default_tolerance(method: str) -> float:
    """Relative residual that a method's solutions are accepted with."""
    return 1e-8 if method == "quadratic" else 1e-10


def accepted(solution: AnySolution) -> AnySolution:
    """The solution, if it is one; else :class:`~rbnotes.complementarity.solution.Unsolved` is raised."""
    if not solution.solved:
        raise Unsolved(solution)
    return solution


def _options(method: str, start: ArrayLike | None, tolerance: float, more: dict[str, Any]) -> dict[str, Any]:
    starts = start is not None and method not in ("lemke", "quadratic")
    return {**more, "tolerance": tolerance} | ({"start": start} if starts else {})


def _pairs(problem: LCP | BoxLCP, method: str, options: dict[str, Any]) -> Solution:
    """By a method, and where that fails by what else there is."""

    def solved(problem: LCP | BoxLCP, units: Array) -> Solution:
        start = {"start": options["start"] / units} if "start" in options else {}
        return _by(problem, method, options | start)

    if problem.size == 0:
        return pivoting(problem, tolerance=options["tolerance"])
    solution = _by(problem, method, options)
    if settled(solution):
        return solution
    return second_opinion(problem, solution, solved, tolerance=options["tolerance"])


def _by(problem: LCP | BoxLCP, method: str, options: dict[str, Any]) -> Solution:
    if method == "lemke":
        if isinstance(problem, LCP):
            return lemke(problem, **options)
        inner = lemke(lcp_from_box(problem), **options)
        return _rated(problem, box_unknowns(problem, inner.z), inner, options["tolerance"])
    if method == "quadratic":
        qp = qp_from_lcp(problem) if isinstance(problem, LCP) else qp_from_box(problem)
        inner = solve_qp(qp, **options)
        if inner.status is Status.UNBOUNDED:
            # The face that an LCP without feasible point shows as the dual of a program.
            inner = replace(inner, status=Status.INFEASIBLE)
        return _rated(problem, polish(problem, inner.x), inner, options["tolerance"])
    if method == "pivoting":
        return pivoting(problem, **options)
    return (active_set if method == "active_set" else gauss_seidel)(problem, **options)


def _rated(problem: LCP | BoxLCP, z: Array, inner: Solution, tolerance: float) -> Solution:
    """The solution z of a problem, found through another one."""
    residuals = box_residuals(problem, z)
    status = judged(inner.status, residuals, tolerance)
    return Solution(status, z, problem.M @ z + problem.q, residuals, inner.method, inner.statistics)
