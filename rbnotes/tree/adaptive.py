"""The motion of a tree to nearly all digits, in coordinates that change where they have to (Sueda 2.4.8).

Rotation vectors are singular after a full turn. An adaptive method would take ever smaller steps towards
that; instead, coordinates are exchanged for others of the same pose on the way, and the method starts anew.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike
from scipy.integrate import DOP853

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument, SingularConfiguration
from rbnotes.dynamics import State, States
from rbnotes.dynamics.motion import MechanicalSystem

EXCHANGED = 1e-6
"""Coordinates that change by less, relatively, are rounded rather than exchanged: quaternions made unit."""


class Reparametrised(MechanicalSystem, Protocol):
    """A system that knows better coordinates for a state: :class:`~rbnotes.tree.system.TreeSystem`."""

    def reparametrised(self, state: State) -> State: ...


def integrate_adaptively(
    system: Reparametrised, state: State, times: ArrayLike, *, rtol: float = 1e-9, atol: float = 1e-10
) -> States:
    """States at the given times, by scipy's method of order 8 with as many steps as it takes.

    Parameters
    ----------
    state
        Without poses: a tree's, with ``t`` before the first of the times.
    times : (T,)
        Increasing, s.
    rtol, atol
        Accepted errors of coordinates and velocities in a step.

    Raises
    ------
    InvalidArgument
        If the times do not increase from that of the state.
    SingularConfiguration
        If the method gives up.
    """
    times = arguments.array("times", times)
    if times.ndim != 1 or not times.size or np.any(np.diff(times, prepend=state.t) < 0):
        raise InvalidArgument("times", f"{times}", f"times that increase from {state.t:g}")

    def at(t: float, both: Array) -> State:
        increment, velocity = np.split(both, 2)
        return system.moved(origin, increment, t - origin.t).with_velocity(velocity)

    def rates(t: float, both: Array) -> Array:
        return np.concatenate([both[state.size :], system.acceleration(at(t, both))])

    def started(origin: State) -> DOP853:
        start = np.concatenate([np.zeros(state.size), origin.velocity])
        return DOP853(rates, origin.t, start, float(times[-1]), rtol=rtol, atol=atol)

    found: list[State] = []
    origin = system.reparametrised(state)
    while len(found) < len(times) and times[len(found)] == origin.t:
        found.append(origin)
    method = started(origin)
    while len(found) < len(times):
        message = method.step()
        if method.status == "failed":
            raise SingularConfiguration("state", str(message), "a motion that goes on until the last time")
        inside = method.dense_output()
        while len(found) < len(times) and times[len(found)] <= method.t:
            found.append(at(times[len(found)], inside(times[len(found)])))
        now = at(method.t, method.y)
        better = system.reparametrised(now)
        if len(found) < len(times) and np.any(np.abs(better.q - now.q) > EXCHANGED * (1 + np.abs(now.q))):
            origin = better
            method = started(origin)
    return States.of(found)
