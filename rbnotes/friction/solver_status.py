"""Classification of the statuses with which solvers of complementarity problems end."""

from __future__ import annotations

from rbnotes.complementarity import NotSolved, Solution, Status

BEST_EFFORT_STATUSES = (Status.ILL_CONDITIONED, Status.ITERATION_LIMIT, Status.CYCLING)
"""Statuses of solvers that made progress; any other status says that there is no solution."""


def accept_best_effort(solution: Solution) -> Solution:
    """Return a solution or the best iterate.

    Raises
    ------
    NotSolved
        If the problem has no solution.
    """
    if not solution.is_solved and solution.status not in BEST_EFFORT_STATUSES:
        raise NotSolved(solution)
    return solution
