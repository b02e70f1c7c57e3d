"""Time steps under constraints (Lloyd 0.10, 0.11): one form for every scheme.

All schemes of :mod:`rbnotes.dynamics.schemes` end in a mass and a momentum. Constraints are rows on the new
velocities, hard or soft, bilateral or unilateral: :mod:`rbnotes.dynamics.step_problem`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from rbnotes import arguments
from rbnotes._frozen import changed
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.dynamics.motion import MechanicalSystem
from rbnotes.dynamics.schemes import Step
from rbnotes.dynamics.solve_step import solve_step
from rbnotes.dynamics.state import State
from rbnotes.dynamics.step_problem import BilateralRows, Rows, StepProblem, UnilateralRows

RowsAt = Callable[[State, float], Iterable[Rows]]
"""The rows of a step of size h, seen from a state: at most one of each kind."""


@dataclass(frozen=True, eq=False)
class ConstrainedStep:
    """The state after a step, and the impulses of the constraints during it."""

    state: State
    """Positions, m and rad, and velocities, m/s and rad/s, at the end of the step."""
    bilateral: Array
    """``(k,)``, N s."""
    unilateral: Array
    """``(m,)``, not negative, N s."""


def with_rows(problem: StepProblem, rows: Iterable[Rows]) -> StepProblem:
    """The problem of a step under constraints.

    Raises
    ------
    InvalidArgument
        If there are two of a kind.
    """
    arguments.instance("problem", problem, StepProblem)
    given: dict[str, Any] = {}
    for each in arguments.instances("rows", rows, BilateralRows, UnilateralRows):
        name = "bilateral" if isinstance(each, BilateralRows) else "unilateral"
        if name in given:
            raise InvalidArgument(
                "rows", type(each).__name__, "one BilateralRows, one UnilateralRows, or both"
            )
        given[name] = each
    return problem.under(**given)


def constrained_step(
    scheme: Step,
    system: MechanicalSystem,
    state: State,
    h: float,
    rows_at: RowsAt,
    *,
    where: str = "start",
) -> ConstrainedStep:
    """One step of a scheme under constraints (Lloyd 0.10, 0.11).

    Parameters
    ----------
    scheme
        A step of :mod:`rbnotes.dynamics.schemes`. In the first half of Bridson-Marino's, impulses are those
        of half a step.
    rows_at
        Gives the rows of a step from a state and h.
    where : {"start", "middle"}
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
    arguments.instance("state", state, State)
    arguments.function("scheme", scheme)
    arguments.function("rows_at", rows_at)
    arguments.provides("system", system, "mass", "moved")
    arguments.choice("where", where, ("start", "middle"))
    h = arguments.number("h", h)
    v = state.velocity
    at = state if where == "start" else system.moved(state, h / 2 * v, h / 2)
    rows = arguments.instances("rows_at(state, h)", rows_at(at, h), BilateralRows, UnilateralRows)
    impulses = []

    def solve(problem: StepProblem, fraction: float) -> Array:
        held = _for_part(rows, fraction) if where == "start" else _in_the_middle(rows, v, fraction)
        solution = solve_step(with_rows(problem, held))
        impulses.append((solution.bilateral, solution.unilateral))
        return solution.velocity

    after = scheme(system, state, h, solve=solve)
    return ConstrainedStep(after, *impulses[-1])


def constrained(
    scheme: Step, rows_at: RowsAt, *, where: str = "start"
) -> Callable[[MechanicalSystem, State, float], State]:
    """The scheme under constraints, for :func:`rbnotes.dynamics.integrate`: :func:`constrained_step`.

    Raises InvalidArgument if ``scheme`` or ``rows_at`` is no function or ``where`` is not one of the names.
    """

    arguments.function("scheme", scheme)
    arguments.function("rows_at", rows_at)
    arguments.choice("where", where, ("start", "middle"))

    def step(system: MechanicalSystem, state: State, h: float) -> State:
        return constrained_step(scheme, system, state, h, rows_at, where=where).state

    return step


def _for_part(rows: Iterable[Rows], fraction: float) -> list[Rows]:
    """Rows of a part of a step: it has a part of the impulse, and the same force."""
    return [changed(each, softness=each.softness / fraction) for each in rows]


def _in_the_middle(rows: Iterable[Rows], v: Array, fraction: float) -> list[Rows]:
    """``G v = g`` halfway between the old velocities and those at twice the fraction of half a step."""
    result: list[Rows] = []
    for each in arguments.instances("rows", rows, BilateralRows, UnilateralRows):
        if not isinstance(each, BilateralRows) or each.soft:
            got = type(each).__name__ if not isinstance(each, BilateralRows) else "soft rows"
            raise InvalidArgument("rows", got, 'hard bilateral rows only, with where="middle"')
        target = 2 * fraction * each.target - (2 * fraction - 1) * (each.rows @ v)
        result.append(changed(each, target=target))
    return result
