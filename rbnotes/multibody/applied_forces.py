"""Forces of actuators as a force law of a tree, and the power of all applied forces."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.dynamics import Forces, State, zero_forces
from rbnotes.multibody.model import Model
from rbnotes.multibody.reduced.dynamics import passive_joint_forces
from rbnotes.multibody.reduced.system import TreeSystem

Control = Callable[[State], ArrayLike | Mapping[str, ArrayLike]]
"""Commands at a state: joint forces, N m or N, and targets of servos, by body names or in one array."""


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


def actuated_system(model: Model, control: Control | None) -> TreeSystem:
    """Return the tree of a model under all forces, with the actuators as ``applied_joint_forces``.

    It has the derivatives of servos within their limits.
    """
    gains = model.actuator_gains

    def law(state: State) -> Forces:
        force = tree_actuator_forces(model, control, state)
        is_within = np.abs(force) < gains.force_limit
        return Forces(force, np.diag(-gains.kp * is_within), np.diag(-gains.kd * is_within))

    return replace(model.system, applied_joint_forces=law)


def applied_power(model: Model, state: State, actuator_force: Array) -> float:
    """Return the power of joint springs and dampers, actuators and the forces of the model, W."""
    power = (passive_joint_forces(model.tree, state.q, state.qdot) + actuator_force) @ state.qdot
    if model.force_law is not zero_forces:
        bodies = model.system.maximal_state(state)
        force = arguments.call_user_function("forces", model.force_law, bodies).f
        power = power + force @ bodies.phi.ravel()
    return float(power)
