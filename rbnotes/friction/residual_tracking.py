"""Solver of the complementarity problems of friction that records the residual of the best iterate."""

from __future__ import annotations

from typing import Protocol

from numpy.typing import ArrayLike

from rbnotes.complementarity import LCP, BoxLCP, Solution, solve
from rbnotes.complementarity.residuals import max_or_nan
from rbnotes.complementarity.solver import default_tolerance
from rbnotes.dynamics import StepSolution
from rbnotes.friction.contact_problem import FrictionNotConverged
from rbnotes.friction.solver_status import accept_best_effort


class LCPSolver(Protocol):
    """Protocol of solvers such as :func:`rbnotes.complementarity.solve`."""

    def __call__(
        self,
        problem: LCP | BoxLCP,
        method: str = "block_principal_pivoting",
        *,
        initial_guess: ArrayLike | None = None,
    ) -> Solution:
        """Solve a problem."""
        ...


class ResidualTrackingSolver:
    """Solver that accepts the best iterate and records the largest relative residual."""

    def __init__(self) -> None:
        self.residual, self.tolerance = 0.0, 0.0

    def __call__(
        self,
        problem: LCP | BoxLCP,
        method: str = "block_principal_pivoting",
        *,
        initial_guess: ArrayLike | None = None,
    ) -> Solution:
        """Return a solution or the best iterate.

        Raises
        ------
        NotSolved
            If the problem has no solution.
        """
        solution = accept_best_effort(
            solve(problem, method, initial_guess=initial_guess, raise_on_failure=False)
        )
        self.residual = max_or_nan(self.residual, solution.residuals.relative)
        self.tolerance = max(self.tolerance, default_tolerance(method))
        return solution

    def raise_if_inaccurate(self, solution: StepSolution) -> None:
        """Raise FrictionNotConverged with the solution if the recorded residual exceeds the tolerance."""
        if not self.residual <= self.tolerance:
            raise FrictionNotConverged(solution, self.tolerance)
