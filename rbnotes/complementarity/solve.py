"""One call for all problems and all methods."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from numpy.typing import ArrayLike
from scipy import sparse

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.complementarity.active_set import active_set, polish
from rbnotes.complementarity.conversions import (
    Elimination,
    box_unknowns,
    lcp_from_box,
    mixed_from_qp,
    qp_from_box,
    qp_from_lcp,
    qp_from_mixed,
)
from rbnotes.complementarity.gauss_seidel import gauss_seidel
from rbnotes.complementarity.lemke import lemke
from rbnotes.complementarity.pivoting import pivoting
from rbnotes.complementarity.problems import LCP, QP, BoxLCP, MixedLCP, Problem, dense
from rbnotes.complementarity.quadratic import solve_qp
from rbnotes.complementarity.residuals import box_residuals, mixed_residuals
from rbnotes.complementarity.solution import Solution, Status, Unsolved

METHODS = ("active_set", "pivoting", "lemke", "gauss_seidel", "quadratic")

SMALL_PRODUCT = 20_000
"""Up to this number of entries N is made dense: that is faster."""


def solve_lcp(
    problem: Problem,
    method: str = "active_set",
    *,
    start: ArrayLike | None = None,
    tolerance: float | None = None,
    check: bool = True,
    **options: Any,
) -> Solution:
    """Solve an LCP, box LCP, mixed LCP or quadratic program.

    Parameters
    ----------
    problem
        LCP, BoxLCP, MixedLCP or QP, dense or sparse.
    method : {"active_set", "pivoting", "lemke", "gauss_seidel", "quadratic"}
        * ``active_set``: blocks of pivots; the fastest. M positive semidefinite or a P-matrix.
        * ``pivoting``: single pivots, columns built on demand; M likewise.
        * ``lemke``: for other matrices too, such as those of friction; dense.
        * ``gauss_seidel``: sweeps; can be stopped early. M symmetric positive semidefinite.
        * ``quadratic``: a convex solver through cvxpy. M positive semidefinite; symmetric, except for an
          LCP.
    start : (n,), optional
        z to start from, such as that of the step before; of use to all methods but lemke and quadratic.
    tolerance
        Accepted relative residual; by default 1e-10, for quadratic 1e-8.
    check
        Raise an error if the problem is not solved. Otherwise look at ``status`` yourself.
    options
        Handed to the method: see the functions of the same names, for quadratic :func:`solve_qp`.

    Returns
    -------
    Solution
        z, w, residuals and statistics; for mixed LCPs and quadratic programs x and multipliers too.

    Raises
    ------
    Unsolved
        If ``check`` and the status is not "solved"; it carries the status and the last iterate.
    """
    arguments.choice("method", method, METHODS)
    if not isinstance(problem, QP | LCP | BoxLCP | MixedLCP):
        raise InvalidArgument("problem", type(problem).__name__, "a QP, LCP, BoxLCP or MixedLCP")
    options["tolerance"] = (1e-8 if method == "quadratic" else 1e-10) if tolerance is None else tolerance
    if start is not None and method not in ("lemke", "quadratic"):
        options["start"] = start
    if method == "quadratic":
        solution = _quadratic(problem, options)
    elif isinstance(problem, QP | MixedLCP):
        mixed = mixed_from_qp(problem) if isinstance(problem, QP) else problem
        solution = _mixed(mixed, method, options)
    else:
        solution = _pairs(problem, method, options)
    if check and not solution.solved:
        raise Unsolved(solution)
    return solution


def _pairs(problem: LCP | BoxLCP, method: str, options: dict[str, Any]) -> Solution:
    if method == "lemke":
        if isinstance(problem, LCP):
            return lemke(problem, **options)
        inner = lemke(lcp_from_box(problem), **options)
        return _rated(problem, box_unknowns(problem, inner.z), inner, options["tolerance"])
    solvers = {"active_set": active_set, "pivoting": pivoting, "gauss_seidel": gauss_seidel}
    return solvers[method](problem, **options)


def _mixed(problem: MixedLCP, method: str, options: dict[str, Any]) -> Solution:
    """Eliminate x and lambda, solve, and find them again; pivoting does so on demand."""
    if method == "pivoting":
        return pivoting(problem, **options)
    if len(problem.f) * problem.size <= SMALL_PRODUCT:
        problem = _densified(problem)
    elimination = Elimination(problem)
    inner = _pairs(elimination.lcp(), method, options)
    x, multipliers = elimination.unknowns(inner.z)
    residuals = mixed_residuals(problem, inner.z, x, multipliers)
    status = _judged(inner.status, residuals.relative, options["tolerance"])
    w = problem.N @ x - problem.n
    return replace(inner, status=status, w=w, residuals=residuals, x=x, multipliers=multipliers)


def _densified(problem: MixedLCP) -> MixedLCP:
    """The problem with dense matrices, which are faster while they are small; M stays if it is in blocks."""
    if not any(sparse.issparse(matrix) for matrix in (problem.M, problem.N, problem.G)):
        return problem
    M = problem.M if not len(problem.g) else dense(problem.M)
    return replace(problem, M=M, N=dense(problem.N), G=dense(problem.G))


def _quadratic(problem: Problem, options: dict[str, Any]) -> Solution:
    tolerance = options["tolerance"]
    if isinstance(problem, QP):
        return solve_qp(problem, **options)
    if isinstance(problem, MixedLCP):
        return solve_qp(qp_from_mixed(problem), **options)
    qp = qp_from_lcp(problem) if isinstance(problem, LCP) else qp_from_box(problem)
    inner = solve_qp(qp, **options)
    if inner.status in (Status.UNBOUNDED, Status.INFEASIBLE):
        # Either face of an LCP without feasible point: its dual is unbounded, its gap program infeasible.
        inner = replace(inner, status=Status.INFEASIBLE)
    assert inner.x is not None
    return _rated(problem, polish(problem, inner.x), inner, tolerance)


def _rated(problem: LCP | BoxLCP, z: Array, inner: Solution, tolerance: float) -> Solution:
    """The solution z of a problem, found through another one."""
    residuals = box_residuals(problem, z)
    status = inner.status
    if status in (Status.SOLVED, Status.ILL_CONDITIONED):
        status = Status.SOLVED if residuals.relative <= tolerance else Status.ILL_CONDITIONED
    w = problem.M @ z + problem.q
    return replace(
        inner, status=status, z=z, w=w, residuals=residuals, x=None, multipliers=None, certificate=None
    )


def _judged(status: Status, relative: float, tolerance: float) -> Status:
    return Status.ILL_CONDITIONED if status is Status.SOLVED and not relative <= tolerance else status
