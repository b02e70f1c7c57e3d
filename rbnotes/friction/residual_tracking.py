"""Complementarity problems of friction where masses leave few digits: the best that a solver reaches."""

from __future__ import annotations

from typing import Protocol

from numpy.typing import ArrayLike

from rbnotes.complementarity import LCP, BoxLCP, Solution, solve_lcp
from rbnotes.complementarity.residuals import max_or_nan
from rbnotes.complementarity.solve import default_tolerance
from rbnotes.dynamics import StepSolution
from rbnotes.friction.contact_problem import FrictionNotConverged
from rbnotes.friction.solver_status import accept_best_effort


class LCPSolver(Protocol):
    """How problems are solved: :func:`rbnotes.complementarity.solve_lcp`, or the best of it."""

    def __call__(
        self,
        problem: LCP | BoxLCP,
        method: str = "block_principal_pivoting",
        *,
        initial_guess: ArrayLike | None = None,
    ) -> Solution:
        """A solution."""
        ...


class ResidualTrackingSolver:
    """Solves problems as far as rounding lets it, and knows the largest relative residual left of them."""

    def __init__(self) -> None:
        self.residual, self.tolerance = 0.0, 0.0

    def __call__(
        self,
        problem: LCP | BoxLCP,
        method: str = "block_principal_pivoting",
        *,
        initial_guess: ArrayLike | None = None,
    ) -> Solution:
        """A solution, or how far the solver came.

        Raises
        ------
        Unsolved
            If it says that there is none.
        """
        solution = accept_best_effort(
            solve_lcp(problem, method, initial_guess=initial_guess, raise_on_failure=False)
        )
        self.residual = max_or_nan(self.residual, solution.residuals.relative)
        self.tolerance = max(self.tolerance, default_tolerance(method))
        return solution

    def raise_if_inaccurate(self, solution: StepSolution) -> None:
        """Raises FrictionNotConverged, with what was made of the problems, if rounding left too much."""
        if not self.residual <= self.tolerance:
            raise FrictionNotConverged(solution, self.tolerance)
