"""Complementarity problems of friction where masses leave few digits: the best that a solver reaches."""

from __future__ import annotations

from typing import Protocol

from numpy.typing import ArrayLike

from rbnotes.complementarity import LCP, BoxLCP, Solution, solve_lcp
from rbnotes.complementarity.residuals import worst
from rbnotes.complementarity.solve import default_tolerance
from rbnotes.dynamics import StepSolution
from rbnotes.friction.contact_space import FrictionNotConverged
from rbnotes.friction.endings import on_its_way


class Solve(Protocol):
    """How problems are solved: :func:`rbnotes.complementarity.solve_lcp`, or the best of it."""

    def __call__(
        self, problem: LCP | BoxLCP, method: str = "active_set", *, start: ArrayLike | None = None
    ) -> Solution:
        """A solution."""
        ...


class Best:
    """Solves problems as far as rounding lets it, and knows the largest relative residual left of them."""

    def __init__(self) -> None:
        self.residual, self.tolerance = 0.0, 0.0

    def __call__(
        self, problem: LCP | BoxLCP, method: str = "active_set", *, start: ArrayLike | None = None
    ) -> Solution:
        """A solution, or how far the solver came.

        Raises
        ------
        Unsolved
            If it says that there is none.
        """
        solution = on_its_way(solve_lcp(problem, method, start=start, check=False))
        self.residual = worst(self.residual, solution.residuals.relative)
        self.tolerance = max(self.tolerance, default_tolerance(method))
        return solution

    def check(self, solution: StepSolution) -> None:
        """Raises FrictionNotConverged, with what was made of the problems, if rounding left too much."""
        if not self.residual <= self.tolerance:
            raise FrictionNotConverged(solution, self.tolerance)
