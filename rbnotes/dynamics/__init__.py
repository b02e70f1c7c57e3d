"""Dynamics: the state of a system, how it moves, and the linear problem of a time step."""

from rbnotes.dynamics.step_problem import (
    BilateralRows,
    ContactRows,
    StepProblem,
    StepSolution,
    UnilateralRows,
)

__all__ = ["BilateralRows", "ContactRows", "StepProblem", "StepSolution", "UnilateralRows"]
