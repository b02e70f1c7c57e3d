"""Events of a motion: zero crossings of functions of the state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from rbnotes import arguments
from rbnotes.arguments import InvalidArgument
from rbnotes.dynamics import State
from rbnotes.multibody.model import Model

ROUNDING = 4 * float(np.finfo(float).eps)
"""Smallest relative tolerance of :func:`scipy.optimize.brentq`."""


@dataclass(frozen=True)
class Event:
    """Zero crossing of a function of the state, which ``simulate(..., events=)`` finds.

    Attributes
    ----------
    function
        Function from a state of the model to the number, in any unit, whose zero crossings are sought.
        Rotation vectors and similar coordinates ``q`` may jump when they are replaced on the way: let the
        function depend on poses rather than on such coordinates.
    terminal
        True if the motion ends at the event.
    direction
        1: only while the function rises, -1: only while it falls, 0: either. A motion that starts again from
        the state of an event with 0, such as a bounce from a landing, finds the same event at once.

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


class EventOccurrence(NamedTuple):
    """Occurrence of an event.

    Attributes
    ----------
    event
        Index of the event.
    state
        State of the tree.
    """

    event: int
    state: State


class EventDetector:
    """Detector of events in consecutive intervals of time, whose values at their ends it keeps.

    Parameters
    ----------
    model
        Model whose state the functions take.
    events
        Events to detect.
    state
        State of the tree at the start of the first interval.
    """

    def __init__(self, model: Model, events: Sequence[Event], state: State) -> None:
        self._model, self._events = model, events
        self._values = self._evaluate(state)

    def detect(
        self, start: float, ends: Iterable[float], state_at: Callable[[float], State]
    ) -> list[EventOccurrence]:
        """Return the events in intervals of time in their order, until a terminal one.

        An event occurs once in an interval at most. The state of an occurrence is on the far side of the zero
        crossing: a motion that continues from it does not repeat the event.

        Parameters
        ----------
        start
            Start of the first interval, s.
        ends
            Ends of the intervals, s.
        state_at
            Function from a time in the intervals to the state of the tree.
        """
        found: list[EventOccurrence] = []
        if not self._events:
            return found
        for end in ends:
            found += self._detect_in_interval(start, end, state_at)
            if any(self._events[each.event].terminal for each in found):
                break
            start = end
        return found

    def _detect_in_interval(
        self, start: float, end: float, state_at: Callable[[float], State]
    ) -> list[EventOccurrence]:
        before, self._values = self._values, self._evaluate(state_at(end))
        times = {
            i: self._crossing_time(i, {start: before[i], end: self._values[i]}, state_at)
            for i, event in enumerate(self._events)
            if _is_crossed(event, before[i], self._values[i])
        }
        last = min((t for i, t in times.items() if self._events[i].terminal), default=end)
        if last < end:
            # Others that are crossed there, too, differ in time by rounding.
            at_last = self._evaluate(state_at(last))
            times = {
                i: min(t, last)
                for i, t in times.items()
                if t <= last or _is_crossed(self._events[i], before[i], at_last[i])
            }
        return [EventOccurrence(i, state_at(t)) for i, t in sorted(times.items(), key=lambda item: item[1])]

    def _crossing_time(
        self, i: int, end_values: dict[float, float], state_at: Callable[[float], State]
    ) -> float:
        """Return the time of an event between two times with values of other signs, to rounding.

        In other coordinates the value at the start may have another sign by rounding: those given are used.
        """

        def value(t: float) -> float:
            return end_values[t] if t in end_values else self._value(i, state_at(t))

        start, end = end_values
        t = float(brentq(value, start, end, xtol=ROUNDING, rtol=ROUNDING))
        step = float(np.spacing(max(abs(start), abs(end))))
        while np.sign(value(t)) == np.sign(end_values[start]):
            t, step = min(t + step, end), 2 * step
        return t

    def _evaluate(self, state: State) -> list[float]:
        return [self._value(i, state) for i in range(len(self._events))]

    def _value(self, i: int, state: State) -> float:
        name, own_state = f"events[{i}]", self._model.state_from_tree(state)
        value = arguments.call_user_function(name, self._events[i].function, own_state)
        return arguments.real_number(name, value)


def _is_crossed(event: Event, before: float, after: float) -> bool:
    """Return True if the function crosses zero between two values; zero at the start does not count."""
    rises = before < 0 <= after and event.direction >= 0
    falls = before > 0 >= after and event.direction <= 0
    return rises or falls
