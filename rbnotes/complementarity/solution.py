"""Results of solvers: solution, status, residuals and statistics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from rbnotes.arguments import Array
from rbnotes.complementarity.residuals import Residuals
from rbnotes.errors import NotConverged


class Status(StrEnum):
    """Status with which a solver ended.

    ===================== ==============================================================================
    status                meaning
    ===================== ==============================================================================
    ``SOLVED``            The natural residual is accepted.
    ``INFEASIBLE``        No z within its bounds gives a feasible w; ``certificate`` proves it, verified
                          in rational arithmetic.
    ``NEARLY_INFEASIBLE`` The proof holds to rounding only: feasible z are many orders of magnitude larger
                          than the data suggest, or exist only due to the rounding of the data.
    ``UNBOUNDED``         The quadratic program has no minimum.
    ``SECONDARY_RAY``     The path ends in a ray: no solution, or M is outside the class for which this is
                          a proof.
    ``CYCLING``           A basis recurred.
    ``UNSUITED``          The matrix is outside the class that the method solves; try Lemke's method.
    ``NO_SOLUTION``       No complementary basis is a solution, as rational arithmetic proves.
    ``ILL_CONDITIONED``   The method ended normally, but rounding leaves residuals above the tolerance.
    ``ITERATION_LIMIT``   Not converged: z is the best iterate.
    ===================== ==============================================================================
    """

    SOLVED = "solved"
    INFEASIBLE = "infeasible"
    NEARLY_INFEASIBLE = "nearly infeasible"
    UNBOUNDED = "unbounded"
    SECONDARY_RAY = "secondary ray"
    CYCLING = "cycling"
    UNSUITED = "unsuited"
    NO_SOLUTION = "no solution"
    ILL_CONDITIONED = "ill-conditioned"
    ITERATION_LIMIT = "iteration limit"


@dataclass(frozen=True)
class Statistics:
    """Operation counts and times of a solver; unused fields are zero.

    Attributes
    ----------
    pivots
        Exchanges of basic and nonbasic variables, and moves of a variable from bound to bound.
    factorizations
        Factorizations of a principal submatrix.
    sweeps
        Gauss-Seidel sweeps over all rows.
    iterations
        Iterations of the convex solver.
    solves
        Solves with the KKT matrix of an elimination.
    solves_avoided
        Further solves that building the whole LCP matrix would have required.
    solver_time
        Time of the convex solver, as it reports it, s.
    interface_time
        Time of cvxpy around it, to set and transfer numbers, s.
    """

    pivots: int = 0
    factorizations: int = 0
    sweeps: int = 0
    iterations: int = 0
    solves: int = 0
    solves_avoided: int = 0
    solver_time: float = 0.0
    interface_time: float = 0.0


@dataclass(frozen=True, eq=False)
class Solution:
    """Result of a solver of complementarity problems: solution or best iterate, residuals and status.

    It is falsy unless the problem is solved.

    Attributes
    ----------
    status
        Status with which the solver ended.
    z
        Complementary variables ``(n,)``: contact impulses, N s, or forces, N; for a quadratic program those
        of ``A x >= b``.
    w
        Slacks ``(n,)``: m/s for impulses.
    residuals
        Residuals of z.
    method
        Name of the method that found z.
    statistics
        Operation counts and times.
    certificate
        Certificate if infeasible: y ``(n,)`` with ``y >= 0``, ``M^T y <= 0`` and ``q^T y < 0``, in any unit:
        for all ``z >= 0``, ``w^T y < 0``. It is verified in rational arithmetic, then rounded. For other
        bounds see :mod:`rbnotes.complementarity.certificate`.
    """

    status: Status
    z: Array
    w: Array
    residuals: Residuals
    method: str
    statistics: Statistics = field(default_factory=Statistics)
    certificate: Array | None = None

    @property
    def is_solved(self) -> bool:
        """True if the solution was accepted."""
        return self.status is Status.SOLVED

    @property
    def is_infeasible(self) -> bool:
        """True if no solution exists, exactly or to the rounding of the data."""
        return self.status in (Status.INFEASIBLE, Status.NEARLY_INFEASIBLE)

    def __bool__(self) -> bool:
        """Return :attr:`is_solved`."""
        return self.is_solved


@dataclass(frozen=True, eq=False, kw_only=True)
class QPSolution(Solution):
    """Solution with the eliminated unknowns, of a quadratic program or a time step.

    The other attributes are those of :class:`Solution`.

    Attributes
    ----------
    x
        Unknowns ``(d,)``, in their units: m/s and rad/s for velocities.
    multipliers
        Multipliers of the equations ``G x = g (k,)``: N s or N m s for velocities.
    """

    x: Array
    multipliers: Array


def judge_status(status: Status, residuals: Residuals, tolerance: float) -> Status:
    """Return the status that the residuals justify."""
    if residuals.relative <= tolerance:
        return Status.SOLVED
    return Status.ILL_CONDITIONED if status is Status.SOLVED else status


class NotSolved(NotConverged):
    """Error of a problem that was not solved, with its ``status`` and ``solution``.

    ``residual`` is the relative residual; ``inequalities`` are the names of those of the problem, if they
    have names.
    """

    solution: Solution

    def __init__(self, solution: Solution, inequalities: Sequence[str] = ()) -> None:
        residual = solution.residuals.relative
        message = f"{solution.method}: {solution.status} (relative residual {residual:.2g})"
        if inequalities:
            message = f"{', '.join(dict.fromkeys(inequalities))}: {message}"
        super().__init__(message, solution, residual)
        self.status = solution.status
