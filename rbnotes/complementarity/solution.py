"""What a solver returns: the solution, how good it is, and what it took."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from rbnotes.arguments import Array
from rbnotes.complementarity.residuals import Residuals
from rbnotes.errors import NotConverged


class Status(StrEnum):
    """How a solver ended."""

    SOLVED = "solved"
    """Accepted on the natural residual."""
    INFEASIBLE = "infeasible"
    """No z within its bounds gives a feasible w; ``certificate`` proves it where the solver has one."""
    UNBOUNDED = "unbounded"
    """The quadratic program has no minimum."""
    SECONDARY_RAY = "secondary ray"
    """The path ends in a ray: no solution, or M is outside the class for which that would be proof."""
    CYCLING = "cycling"
    """A basis came back."""
    UNSUITED = "unsuited"
    """M is neither positive semidefinite nor a P-matrix, which this method needs; Lemke's may do."""
    NO_SOLUTION = "no solution"
    """There are feasible points, but none of all complementary bases is a solution."""
    ILL_CONDITIONED = "ill-conditioned"
    """Ended as solved, but rounding leaves residuals above the tolerance."""
    ITERATION_LIMIT = "iteration limit"
    """Not converged yet: z is the best so far."""


@dataclass(frozen=True)
class Statistics:
    """What a solution took; a method fills in what it has."""

    pivots: int = 0
    """Exchanges of basic and nonbasic variables, and moves of a variable from bound to bound."""
    factorizations: int = 0
    """Fresh factorizations of a principal submatrix."""
    sweeps: int = 0
    """Gauss-Seidel sweeps over all rows."""
    iterations: int = 0
    """Iterations of the convex solver."""
    solves: int = 0
    """Right sides solved with the KKT matrix of an elimination."""
    solves_avoided: int = 0
    """Solves that building the whole LCP matrix would have taken on top."""
    solver_time: float = 0.0
    """Time spent inside the convex solver, by its own account, s."""
    interface_time: float = 0.0
    """Time that cvxpy spent around it, on setting numbers and on passing them back and forth, s."""


@dataclass(frozen=True, eq=False)
class Solution:
    """A solution of a complementarity problem, or how far a solver came."""

    status: Status
    """How the solver ended."""
    z: Array
    """Complementary variables ``(n,)``: contact impulses, N s, or forces, N; for a quadratic program those of
    ``A x >= b``."""
    w: Array
    """Their slacks ``(n,)``: m/s for impulses."""
    residuals: Residuals
    """How far z is off, law by law."""
    method: str
    """What found z, by name."""
    statistics: Statistics = field(default_factory=Statistics)
    """What it took."""
    certificate: Array | None = None
    """If infeasible: y ``(n,)`` with ``y >= 0``, ``M^T y <= 0`` and ``q^T y < 0``, in any unit: for all z >=
    0, ``w^T y < 0``. With other bounds see :func:`rbnotes.complementarity.certificate.is_infeasibility_certificate`."""

    @property
    def is_solved(self) -> bool:
        """Whether the solution was accepted."""
        return self.status is Status.SOLVED


@dataclass(frozen=True, eq=False, kw_only=True)
class QPSolution(Solution):
    """A solution with the unknowns that were eliminated: of a quadratic program, or of a time step."""

    x: Array
    """The unknowns ``(d,)``, in their units: m/s and rad/s for velocities."""
    multipliers: Array
    """Of the equations ``G x = g`` ``(k,)``: N s or N m s for velocities."""


def judge_status(status: Status, residuals: Residuals, tolerance: float) -> Status:
    """The status that the residuals justify, whatever a method ended with."""
    if residuals.relative <= tolerance:
        return Status.SOLVED
    return Status.ILL_CONDITIONED if status is Status.SOLVED else status


class NotSolved(NotConverged):
    """A problem was not solved; ``status`` says why and ``solution`` holds how far the solver came.

    ``residual`` is the relative one; ``inequalities`` names those of the problem, where they have names.
    """

    solution: Solution

    def __init__(self, solution: Solution, inequalities: Sequence[str] = ()) -> None:
        residual = solution.residuals.relative
        message = f"{solution.method}: {solution.status} (relative residual {residual:.2g})"
        if inequalities:
            message = f"{', '.join(dict.fromkeys(inequalities))}: {message}"
        super().__init__(message, solution, residual)
        self.status = solution.status
