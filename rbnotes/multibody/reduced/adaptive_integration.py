"""Adaptive integration of a tree with high accuracy, with changes of coordinates on the way (Sueda 2.4.8).

Rotation vectors are singular after a full turn. Near that singularity an adaptive method would take ever
smaller steps. Instead, the coordinates are replaced by others of the same pose, and the method restarts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, Protocol, overload

import numpy as np
from numpy.typing import ArrayLike
from scipy import integrate
from scipy.optimize import brentq

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument, SingularConfiguration
from rbnotes.dynamics import State, States
from rbnotes.dynamics.mechanical_system import MechanicalSystem

METHODS = ("DOP853", "RK45", "RK23", "Radau", "BDF", "LSODA")
"""Names of the methods, which are classes of :mod:`scipy.integrate`."""
REPARAMETRIZATION_TOLERANCE = 1e-6
"""Largest relative change of coordinates that counts as rounding, such as a normalized quaternion."""
DEFAULT_MAX_EVALUATIONS = 1_000_000
"""Default limit of evaluations of the accelerations, without those that choose the first step."""


class ReparametrizableSystem(MechanicalSystem, Protocol):
    """System that can choose better coordinates for a state.

    :class:`~rbnotes.multibody.reduced.Tree` is one.
    """

    def reparametrize(self, state: State) -> State:
        """Return the same state in coordinates away from singularities."""
        ...


@dataclass(frozen=True)
class Event:
    """Zero crossing of a function of the state.

    Rotation vectors and similar coordinates may jump when they are replaced on the way: let the function
    depend on poses rather than on such coordinates.

    Attributes
    ----------
    function
        Function from a state to the number, in any unit, whose zero crossings are sought.
    terminal
        True if the motion ends at the event.
    direction
        1: only while the function rises, -1: only while it falls, 0: either.

    Raises
    ------
    InvalidArgument
        If the direction is not -1, 0 or 1.
    """

    function: Callable[[State], float]
    terminal: bool = False
    direction: int = 0

    def __post_init__(self) -> None:
        arguments.require_force_law("function", self.function)
        is_integer = isinstance(self.direction, int | np.integer) and not isinstance(self.direction, bool)
        if not is_integer or self.direction not in (-1, 0, 1):
            raise InvalidArgument("direction", arguments.format_value(self.direction), "-1, 0 or 1")

    def is_crossed(self, before: float, after: float) -> bool:
        """Return True if the function crosses zero between two values; zero at the start does not count."""
        rises = before < 0 <= after and self.direction >= 0
        falls = before > 0 >= after and self.direction <= 0
        return rises or falls


@dataclass(frozen=True, eq=False)
class MotionWithEvents:
    """Motion and the events in it.

    Attributes
    ----------
    states
        States at those of the given times that are not after the end.
    events
        For each event, the states in which it happened, in the order of time.
    terminating_event
        Index of the event that ended the motion; None if it continued until the last time.
    """

    states: States
    events: tuple[tuple[State, ...], ...]
    terminating_event: int | None


@overload
def integrate_adaptively(
    system: ReparametrizableSystem,
    state: State,
    times: ArrayLike,
    *,
    method: str = ...,
    rtol: float = ...,
    atol: float = ...,
    max_step: float = ...,
    max_evaluations: int = ...,
) -> States: ...


@overload
def integrate_adaptively(
    system: ReparametrizableSystem,
    state: State,
    times: ArrayLike,
    *,
    events: Sequence[Event],
    method: str = ...,
    rtol: float = ...,
    atol: float = ...,
    max_step: float = ...,
    max_evaluations: int = ...,
) -> MotionWithEvents: ...


def integrate_adaptively(
    system: ReparametrizableSystem,
    state: State,
    times: ArrayLike,
    *,
    events: Sequence[Event] | None = None,
    method: str = "DOP853",
    rtol: float = 1e-9,
    atol: float = 1e-10,
    max_step: float = np.inf,
    max_evaluations: int = DEFAULT_MAX_EVALUATIONS,
) -> States | MotionWithEvents:
    """Return the states at the given times, by an adaptive method of SciPy.

    This is the level below ``simulate(..., scheme="DOP853")``: use it for events, for times of your own, or
    for a tree without a :class:`~rbnotes.multibody.Model`.

    Parameters
    ----------
    state
        State of a tree, without poses; its ``t`` is not after the first of the times.
    times : (T,)
        Increasing, s.
    events
        Events to detect; the result is then a :class:`MotionWithEvents`. Two zero crossings of one function
        within one step of the method are not detected: reduce ``max_step``.
    method : {"DOP853", "RK45", "RK23", "Radau", "BDF", "LSODA"}
        Method: explicit Runge-Kutta methods of orders 8, 5 and 3, implicit ones for stiff systems, or one
        that switches.
    rtol, atol
        Accepted errors, relative and in their units, of coordinates and velocities in a step.
    max_step
        The longest step of the method, s.
    max_evaluations
        Largest number of evaluations of the accelerations.

    Raises
    ------
    InvalidArgument
        If the times do not increase from that of the state, or ``events`` holds another object.
    SingularConfiguration
        If the method fails, or needs more evaluations.
    """
    arguments.require_methods("system", system, "retract", "acceleration", "reparametrize")
    arguments.require_instance("state", state, State)
    arguments.choice("method", method, METHODS)
    events = None if events is None else arguments.instances("events", events, Event)
    rtol, atol = arguments.positive_number("rtol", rtol), arguments.positive_number("atol", atol)
    if (
        np.isnan(arguments.with_ndim("max_step", arguments.extended_real_array("max_step", max_step), 0))
        or max_step <= 0
    ):
        raise InvalidArgument("max_step", f"{max_step}", "a positive number, or infinity")
    times = arguments.array("times", times)
    if times.ndim != 1 or not times.size or np.any(np.diff(times, prepend=state.t) < 0):
        raise InvalidArgument("times", f"{times}", f"times that increase from {state.t:g}")

    num_evaluations = arguments.count("max_evaluations", max_evaluations)
    origin = system.reparametrize(state)
    event_detector = _EventDetector(() if events is None else tuple(events), origin)
    num_at_start = int(np.searchsorted(times, state.t, side="right"))
    reached_states = [origin] * num_at_start
    if num_at_start < len(times):
        for step in adaptive_steps(system, origin, times[-1], method, rtol, atol, max_step, num_evaluations):
            end = event_detector.detect(step)
            num_reached = int(np.searchsorted(times, end, side="right"))
            reached_states += [step.state_at(t) for t in times[len(reached_states) : num_reached]]
            if event_detector.terminating_event is not None:
                break
    states = _stack_states(reached_states, origin)
    return (
        states
        if events is None
        else MotionWithEvents(
            states, tuple(map(tuple, event_detector.occurrences)), event_detector.terminating_event
        )
    )


class AdaptiveStep(NamedTuple):
    """One step of an adaptive method.

    Attributes
    ----------
    start_time, end_time
        Times at its start and end, s.
    end
        State at its end.
    state_at
        Function from a time within the step to the state, by the dense output of the method.
    """

    start_time: float
    end_time: float
    end: State
    state_at: Callable[[float], State]


def adaptive_steps(
    system: ReparametrizableSystem,
    state: State,
    end_time: float,
    method: str,
    rtol: float,
    atol: float,
    max_step: float = np.inf,
    max_evaluations: int = DEFAULT_MAX_EVALUATIONS,
) -> Iterator[AdaptiveStep]:
    """Yield the steps of an adaptive method of SciPy from a state until a later time.

    The arguments are those of :func:`integrate_adaptively`.

    Raises
    ------
    SingularConfiguration
        If the method fails, or needs more evaluations.
    """
    remaining_evaluations = max_evaluations

    def state_from(origin: State, t: float, increment_and_velocity: Array) -> State:
        increment, velocity = np.split(increment_and_velocity, 2)
        return system.retract(origin, increment, t - origin.t).with_velocity(velocity)

    def start_method(origin: State) -> integrate.OdeSolver:
        def rates(t: float, increment_and_velocity: Array) -> Array:
            nonlocal remaining_evaluations
            remaining_evaluations -= 1
            if remaining_evaluations < 0:
                got = f"{max_evaluations}, used up after {t - state.t:g} s"
                raise SingularConfiguration("max_evaluations", got, "more, or earlier times")
            acceleration = system.acceleration(state_from(origin, t, increment_and_velocity))
            return np.concatenate([increment_and_velocity[state.size :], acceleration])

        initial_values = np.concatenate([np.zeros(state.size), origin.velocity])
        return getattr(integrate, method)(
            rates, origin.t, initial_values, float(end_time), rtol=rtol, atol=atol, max_step=max_step
        )

    def interpolate_state(origin: State, dense_output: Callable[[float], Array], t: float) -> State:
        return state_from(origin, t, dense_output(t))

    origin = system.reparametrize(state)
    solver = start_method(origin)
    while solver.status == "running":
        message = solver.step()
        if solver.status == "failed":
            raise SingularConfiguration("state", str(message), "a motion that continues until the last time")
        end = state_from(origin, solver.t, solver.y)
        state_at = partial(interpolate_state, origin, solver.dense_output())
        yield AdaptiveStep(solver.t_old, solver.t, end, state_at)
        reparametrized = system.reparametrize(end)
        is_other = np.abs(reparametrized.q - end.q) > REPARAMETRIZATION_TOLERANCE * (1 + np.abs(end.q))
        if solver.status == "running" and np.any(is_other):
            origin = reparametrized
            solver = start_method(origin)


class _EventDetector:
    """Events, their values after the last step of the method, and their occurrences."""

    def __init__(self, events: Sequence[Event], origin: State) -> None:
        for event in events:
            if not isinstance(event, Event):
                raise InvalidArgument("events", arguments.format_value(event), "instances of Event")
        self.events = events
        self.values = [self._value(i, origin) for i in range(len(events))]
        self.occurrences: list[list[State]] = [[] for _ in events]
        self.terminating_event: int | None = None

    def detect(self, step: AdaptiveStep) -> float:
        """Find the events of a step, and return the time until which the motion continues."""
        crossings = []
        for i, event in enumerate(self.events):
            value = self._value(i, step.end)
            if event.is_crossed(self.values[i], value):
                # In new coordinates the value at the start may have another sign, by rounding.
                ends = {step.start_time: self.values[i], step.end_time: value}
                crossings.append((_event_time(i, self._value, step.state_at, ends), i))
            self.values[i] = value
        for t, i in sorted(crossings):
            self.occurrences[i].append(step.state_at(t))
            if self.events[i].terminal:
                self.terminating_event = i
                return t
        return step.end_time

    def _value(self, i: int, state: State) -> float:
        name = f"events[{i}]"
        return arguments.real_number(name, arguments.call_user_function(name, self.events[i].function, state))


def _event_time(
    i: int, value: Callable[[int, State], float], path: Callable[[float], State], ends: dict[float, float]
) -> float:
    """Return the time of an event between two times, to rounding."""
    rounding = 4 * float(np.finfo(float).eps)

    def function(t: float) -> float:
        return ends[t] if t in ends else value(i, path(t))

    return float(brentq(function, *ends, xtol=rounding, rtol=rounding))


def _stack_states(states_found: list[State], origin: State) -> States:
    """Return the states as one object; there may be none."""
    states = States.stack(states_found or [origin])
    return states if states_found else States(*(each[:0] for each in vars(states).values()))
