"""Adaptive integration of a tree with high accuracy, with changes of coordinates on the way (Sueda 2.4.8).

Rotation vectors are singular after a full turn. Near that singularity an adaptive method would take ever
smaller steps. Instead, the coordinates are replaced by others of the same pose, and the method restarts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy import integrate

from rbnotes.arguments import Array, SingularConfiguration
from rbnotes.dynamics import State
from rbnotes.multibody.reduced.tree import Tree
from rbnotes.unchecked.frozen import replace_unchecked

METHODS = ("DOP853", "RK45", "RK23", "Radau", "BDF", "LSODA")
"""Names of the methods, which are classes of :mod:`scipy.integrate`."""
REPARAMETRIZATION_TOLERANCE = 1e-6
"""Largest relative change of coordinates that counts as rounding, such as a normalized quaternion."""
MAX_EVALUATIONS = 1_000_000
"""Largest number of evaluations of the accelerations, without those that choose the first step."""


class AdaptiveStep(NamedTuple):
    """One step of an adaptive method.

    Attributes
    ----------
    start_time, end_time
        Times at its start and end, s.
    state_at
        Function from a time within the step to the state, by the dense output of the method.
    """

    start_time: float
    end_time: float
    state_at: Callable[[float], State]


def adaptive_steps(
    tree: Tree, state: State, end_time: float, method: str, rtol: float, atol: float
) -> Iterator[AdaptiveStep]:
    """Yield the steps of an adaptive method of SciPy from a state until a later time.

    Parameters
    ----------
    state
        State of the tree.
    end_time
        Time of the last state, s.
    method
        Name of the method in :mod:`scipy.integrate`.
    rtol, atol
        Accepted errors, relative and in their units, of coordinates and velocities in a step.

    Raises
    ------
    SingularConfiguration
        If the method fails, or needs more than ``MAX_EVALUATIONS``.
    """
    remaining_evaluations = MAX_EVALUATIONS

    def state_from(origin: State, t: float, increment_and_velocity: Array) -> State:
        increment, velocity = np.split(increment_and_velocity, 2)
        return replace_unchecked(tree.retract(origin, increment, 0.0).with_velocity(velocity), t=float(t))

    def start_method(origin: State) -> integrate.OdeSolver:
        def rates(t: float, increment_and_velocity: Array) -> Array:
            nonlocal remaining_evaluations
            remaining_evaluations -= 1
            if remaining_evaluations < 0:
                got = f"{method!r}, which takes {MAX_EVALUATIONS} evaluations for {t - state.t:g} s"
                raise SingularConfiguration("scheme", got, "another one, larger tolerances, or shorter runs")
            acceleration = tree.acceleration(state_from(origin, t, increment_and_velocity))
            return np.concatenate([increment_and_velocity[state.size :], acceleration])

        initial_values = np.concatenate([np.zeros(state.size), origin.velocity])
        return getattr(integrate, method)(
            rates, origin.t, initial_values, float(end_time), rtol=rtol, atol=atol
        )

    def interpolate_state(origin: State, dense_output: Callable[[float], Array], t: float) -> State:
        return state_from(origin, t, dense_output(t))

    origin = tree.reparametrize(state)
    solver = start_method(origin)
    while solver.status == "running":
        message = solver.step()
        if solver.status == "failed":
            raise SingularConfiguration("state", str(message), "a motion that continues until the last time")
        yield AdaptiveStep(solver.t_old, solver.t, partial(interpolate_state, origin, solver.dense_output()))
        end = state_from(origin, solver.t, solver.y)
        reparametrized = tree.reparametrize(end)
        is_other = np.abs(reparametrized.q - end.q) > REPARAMETRIZATION_TOLERANCE * (1 + np.abs(end.q))
        if solver.status == "running" and np.any(is_other):
            origin = reparametrized
            solver = start_method(origin)
