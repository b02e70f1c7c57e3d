"""Commands and forces of actuators, their forces as a force law of a tree, and the power of all forces."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.dynamics import Forces, State, zero_forces
from rbnotes.multibody.model import Model
from rbnotes.multibody.reduced.dynamics import passive_joint_forces
from rbnotes.multibody.reduced.tree import Tree

Commands = ArrayLike | Mapping[str, ArrayLike]
"""Joint forces, N m or N, and targets of servos, by body names or in one array."""
Control = Callable[[State], Commands]
"""Commands at a state."""

TIME_TOLERANCE = 1e-6
"""Largest distance of a time from that of a sample, in steps, at which the sample itself is used."""


@dataclass(frozen=True, eq=False)
class SampledCommands:
    """Control that interpolates commands at the times of the states linearly.

    Attributes
    ----------
    samples
        Commands ``(steps + 1, k)`` at the start and after each step: forces, N m or N, or targets of servos,
        rad or m, and per second.
    start
        Time of the first sample, s.
    h
        Step size, s.
    """

    samples: Array
    start: float
    h: float

    def __call__(self, state: State) -> Array:
        """Return the commands ``(k,)`` at the time of a state."""
        last = len(self.samples) - 1
        position = float(np.clip((state.t - self.start) / self.h, 0.0, last))
        nearest = round(position)
        if abs(position - nearest) < TIME_TOLERANCE:
            result: Array = self.samples[nearest]
        else:
            first, second = self.samples[int(position)], self.samples[int(position) + 1]
            result = first + (position - int(position)) * (second - first)
        return result


def interpolate_commands(
    model: Model, samples: Commands, start: float, h: float, steps: int
) -> SampledCommands:
    """Return a control that interpolates commands.

    Parameters
    ----------
    samples
        Commands at the start and after each step: ``(steps + 1, k)`` for the joint velocities, in the order
        of ``state.qdot``, or ``(steps + 1,)`` or ``(steps + 1, d)`` by the names of bodies.
    start
        Time of the first sample, s.
    h
        Step size, s.
    steps
        Number of steps.

    Raises
    ------
    InvalidArgument
        If a body has no joint, or a shape does not fit.
    """
    if isinstance(samples, Mapping):
        by_name = {
            name: _check_samples(f"control[{name!r}]", values, steps + 1) for name, values in samples.items()
        }
        rows = [{name: values[i] for name, values in by_name.items()} for i in range(steps + 1)]
        commands = np.array([model.command_vector("control", row) for row in rows])[:, model.joint_indices]
    else:
        size = len(model.joint_indices)
        commands = arguments.with_ndim("control", arguments.array("control", samples, steps + 1, size), 2)
    return SampledCommands(commands, start, h)


def _check_samples(name: str, values: ArrayLike, count: int) -> Array:
    """Return samples as an array with one row for each time."""
    array = arguments.array(name, values)
    if array.ndim == 0 or len(array) != count:
        raise InvalidArgument(name, f"shape {array.shape}", f"{count} commands, for the start and each step")
    return array


def actuator_commands(model: Model, control: Control | None, state: State) -> Array:
    """Return the commands of the actuators ``(k,)`` at a state of the tree.

    They are zero along the coordinates of free bodies.
    """
    if control is None:
        return model.actuator_gains.default_command
    command = arguments.call_user_function("control", control, model.state_from_tree(state))
    return model.command_vector("control(state)", command)


def tree_actuator_forces(model: Model, control: Control | None, state: State) -> Array:
    """Return the forces of the actuators ``(k,)`` at a state of the tree, N m and N."""
    return model.actuator_gains.forces(state.q, state.qdot, actuator_commands(model, control, state))


def actuated_tree(model: Model, control: Control | None) -> Tree:
    """Return the tree of a model under all forces, with the actuators as ``applied_joint_forces``.

    It has the derivatives of servos within their limits.
    """
    gains = model.actuator_gains

    def law(state: State) -> Forces:
        force = tree_actuator_forces(model, control, state)
        is_within = np.abs(force) < gains.force_limit
        return Forces(force, np.diag(-gains.kp * is_within), np.diag(-gains.kd * is_within))

    return model.tree._with_joint_forces(law)


def applied_power(model: Model, state: State, actuator_force: Array) -> float:
    """Return the power of joint springs and dampers, actuators and the forces of the model, W."""
    power = (passive_joint_forces(model.tree, state.q, state.qdot) + actuator_force) @ state.qdot
    if model.force_law is not zero_forces:
        bodies = model.tree.maximal_state(state)
        force = arguments.call_user_function("forces", model.force_law, bodies).f
        power = power + force @ bodies.phi.ravel()
    return float(power)
