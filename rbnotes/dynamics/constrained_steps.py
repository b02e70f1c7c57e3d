"""Time steps under constraints (Lloyd 0.10, 0.11): one form for every scheme.

All schemes of :mod:`rbnotes.dynamics.schemes` end in a mass and a momentum. Constraints are rows on the new
velocities, hard or soft, bilateral or unilateral: :mod:`rbnotes.dynamics.step_problem`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.dynamics.mechanical_system import MechanicalSystem
from rbnotes.dynamics.schemes import TimeStepper
from rbnotes.dynamics.solve_step import solve_step
from rbnotes.dynamics.state import State
from rbnotes.dynamics.step_problem import BilateralRows, StepProblem, UnilateralRows, VelocityConstraintRows
from rbnotes.unchecked.frozen import replace_unchecked

ConstraintFunction = Callable[[State, float], Iterable[VelocityConstraintRows]]
"""The rows of a step of size h, seen from a state: at most one of each kind."""


@dataclass(frozen=True, eq=False)
class ConstrainedStepResult:
    """The state after a step, and the impulses of the constraints during it."""

    state: State
    """Positions, m and rad, and velocities, m/s and rad/s, at the end of the step."""
    bilateral_impulses: Array
    """``(k,)``, N s."""
    unilateral_impulses: Array
    """``(m,)``, not negative, N s."""


def add_constraints(problem: StepProblem, rows: Iterable[VelocityConstraintRows]) -> StepProblem:
    """The problem of a step under constraints.

    Raises
    ------
    InvalidArgument
        If there are two of a kind.
    """
    arguments.require_instance("problem", problem, StepProblem)
    rows_by_kind: dict[str, Any] = {}
    for each in arguments.instances("rows", rows, BilateralRows, UnilateralRows):
        name = "bilateral" if isinstance(each, BilateralRows) else "unilateral"
        if name in rows_by_kind:
            raise InvalidArgument(
                "rows", type(each).__name__, "one BilateralRows, one UnilateralRows, or both"
            )
        rows_by_kind[name] = each
    return problem.with_constraints(**rows_by_kind)


def constrained_step(
    scheme: TimeStepper,
    system: MechanicalSystem,
    state: State,
    h: float,
    constraint_function: ConstraintFunction,
    *,
    evaluate_at: str = "start",
) -> ConstrainedStepResult:
    """One step of a scheme under constraints (Lloyd 0.10, 0.11).

    Parameters
    ----------
    scheme
        A step of :mod:`rbnotes.dynamics.schemes`. In the first half of Bridson-Marino's, impulses are those
        of half a step.
    constraint_function
        Gives the rows of a step from a state and h.
    evaluate_at : {"start", "middle"}
        Where the rows are evaluated. ``start``: at the start of the step, for the new velocities, as in the
        notes; then no scheme is better than of first order. ``middle``: at the positions after half a step
        with the old velocities, for the mean of old and new velocities. That keeps the second order of the
        trapezoidal rule and of Bridson-Marino, and with the former the impulses do no work; the new
        velocities then satisfy the constraint but to second order. For hard bilateral rows, and velocities
        that satisfy them at the start: a contact would bounce.

    Raises
    ------
    InvalidArgument
        If soft or unilateral rows are asked for in the middle.
    """
    arguments.require_instance("state", state, State)
    arguments.require_function("scheme", scheme)
    arguments.require_function("constraint_function", constraint_function)
    arguments.require_methods("system", system, "mass_matrix", "retract")
    arguments.choice("evaluate_at", evaluate_at, ("start", "middle"))
    h = arguments.positive_number("h", h)
    v = state.velocity
    evaluation_state = state if evaluate_at == "start" else system.retract(state, h / 2 * v, h / 2)
    rows = arguments.instances(
        "rows_at(state, h)", constraint_function(evaluation_state, h), BilateralRows, UnilateralRows
    )
    impulses = []

    def solve(problem: StepProblem, fraction: float) -> Array:
        scaled_rows = (
            _scale_to_fraction(rows, fraction)
            if evaluate_at == "start"
            else _midpoint_rows(rows, v, fraction)
        )
        solution = solve_step(add_constraints(problem, scaled_rows))
        impulses.append((solution.bilateral, solution.unilateral))
        return solution.velocity

    after = scheme(system, state, h, solve=solve)
    return ConstrainedStepResult(after, *impulses[-1])


def constrain_scheme(
    scheme: TimeStepper, constraint_function: ConstraintFunction, *, evaluate_at: str = "start"
) -> Callable[[MechanicalSystem, State, float], State]:
    """The scheme under constraints, for :func:`rbnotes.dynamics.integrate`: :func:`constrained_step`.

    Raises InvalidArgument if ``scheme`` or ``constraint_function`` is no function or ``evaluate_at`` is not one of the names.
    """

    arguments.require_function("scheme", scheme)
    arguments.require_function("constraint_function", constraint_function)
    arguments.choice("evaluate_at", evaluate_at, ("start", "middle"))

    def step(system: MechanicalSystem, state: State, h: float) -> State:
        return constrained_step(scheme, system, state, h, constraint_function, evaluate_at=evaluate_at).state

    return step


def _scale_to_fraction(
    rows: Iterable[VelocityConstraintRows], fraction: float
) -> list[VelocityConstraintRows]:
    """Rows of a part of a step: it has a part of the impulse, and the same force."""
    return [replace_unchecked(each, regularization=each.regularization / fraction) for each in rows]


def _midpoint_rows(
    rows: Iterable[VelocityConstraintRows], v: Array, fraction: float
) -> list[VelocityConstraintRows]:
    """``G v = g`` halfway between the old velocities and those at twice the fraction of half a step."""
    result: list[VelocityConstraintRows] = []
    for each in arguments.instances("rows", rows, BilateralRows, UnilateralRows):
        if not isinstance(each, BilateralRows) or each.is_regularized:
            got = type(each).__name__ if not isinstance(each, BilateralRows) else "soft rows"
            raise InvalidArgument("rows", got, 'hard bilateral rows only, with where="middle"')
        target = 2 * fraction * each.target - (2 * fraction - 1) * (each.rows @ v)
        result.append(replace_unchecked(each, target=target))
    return result
