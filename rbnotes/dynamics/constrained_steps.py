"""Time steps under constraints, in one form for every scheme (Lloyd 0.10, 0.11).

Every scheme of :mod:`rbnotes.dynamics.schemes` gives a mass and a momentum. Constraints are rows on the new
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
"""Function from a state and the step size to constraint rows, at most one object of each kind."""


@dataclass(frozen=True, eq=False)
class ConstrainedStepResult:
    """Result of a step under constraints: the state after it and the impulses of the constraints.

    Attributes
    ----------
    state
        Positions, m and rad, and velocities, m/s and rad/s, at the end of the step.
    bilateral_impulses
        Impulses of the equations ``(k,)``, N s.
    unilateral_impulses
        Impulses of the inequalities ``(m,)``, not negative, N s.
    """

    state: State
    bilateral_impulses: Array
    unilateral_impulses: Array


def add_constraints(problem: StepProblem, rows: Iterable[VelocityConstraintRows]) -> StepProblem:
    """Return the problem of a step with constraint rows.

    Raises
    ------
    InvalidArgument
        If there are two objects of one kind.
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
    """Advance one step of a scheme under constraints (Lloyd 0.10, 0.11).

    This is a level below :func:`rbnotes.multibody.simulate`: use it for systems that are not models of
    bodies, such as particles, or for rows of your own.

    Parameters
    ----------
    scheme
        A scheme of :mod:`rbnotes.dynamics.schemes`. In the first half of Bridson-Marino, impulses are those
        of half a step.
    constraint_function
        Function from a state and h to the rows of the step.
    evaluate_at : {"start", "middle"}
        Positions at which the rows are evaluated. ``start``: at the start of the step, for the new
        velocities, as in the notes; then every scheme is of first order at most. ``middle``: at the positions
        after half a step with the old velocities, for the mean of old and new velocities. This preserves the
        second order of the trapezoidal rule and of Bridson-Marino; with the trapezoidal rule the impulses do
        no work. The new velocities satisfy the constraint to second order. It requires hard bilateral rows,
        and velocities that satisfy them at the start.

    Raises
    ------
    InvalidArgument
        If soft or unilateral rows are given with ``evaluate_at="middle"``.
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
        "constraint_function(state, h)",
        arguments.call_user_function("constraint_function", constraint_function, evaluation_state, h),
        BilateralRows,
        UnilateralRows,
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
    """Return the scheme under constraints, for :func:`rbnotes.dynamics.integrate`.

    Its steps are those of :func:`constrained_step`.

    Raises InvalidArgument if ``scheme`` or ``constraint_function`` is not a function or ``evaluate_at`` is
    not one of the names.
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
    """Return rows for a fraction of a step: a fraction of the impulse is the same force."""
    return [replace_unchecked(each, regularization=each.regularization / fraction) for each in rows]


def _midpoint_rows(
    rows: Iterable[VelocityConstraintRows], v: Array, fraction: float
) -> list[VelocityConstraintRows]:
    """Return rows for ``G v = g`` at the mean of old and new velocities."""
    result: list[VelocityConstraintRows] = []
    for each in arguments.instances("rows", rows, BilateralRows, UnilateralRows):
        if not isinstance(each, BilateralRows) or each.is_regularized:
            got = type(each).__name__ if not isinstance(each, BilateralRows) else "soft rows"
            raise InvalidArgument("rows", got, 'hard bilateral rows only, with evaluate_at="middle"')
        target = 2 * fraction * each.target - (2 * fraction - 1) * (each.rows @ v)
        result.append(replace_unchecked(each, target=target))
    return result
