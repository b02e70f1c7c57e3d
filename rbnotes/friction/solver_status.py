"""How solvers of complementarity problems end: solved, on the way there, or because there is no solution."""

from __future__ import annotations

from rbnotes.complementarity import NotSolved, Solution, Status

BEST_EFFORT_STATUSES = (Status.ILL_CONDITIONED, Status.ITERATION_LIMIT, Status.CYCLING)
"""How a solver ends that was on its way; any other end says that there is no solution."""


def accept_best_effort(solution: Solution) -> Solution:
    """A solution, or how far a solver came.

    Raises
    ------
    Unsolved
        If it says that there is none.
    """
    if not solution.is_solved and solution.status not in BEST_EFFORT_STATUSES:
        raise NotSolved(solution)
    return solution
