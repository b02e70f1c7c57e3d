"""Actuators: motors and servos that act on the joints of a model.

A command is a number for each coordinate of the joint: the force of a motor, the target of a servo. The
function ``control`` of :func:`~rbnotes.multibody.simulate` returns commands by the names of the bodies that
the joints carry. An actuator without a command takes its default: no force, or the target of the servo.

>>> from rbnotes.joints import Revolute
>>> from rbnotes.multibody import Body, Model, PositionServo, simulate
>>> from rbnotes.shapes import Capsule
>>> arm = Body("arm", Capsule(0.05, 0.4), mass=2.0, joint=Revolute([0, 0, 1]))
>>> servo = PositionServo("arm", kp=200.0, kd=8.0, target=0.5)
>>> model = Model([arm], actuators=[servo])
>>> motion = simulate(model, h=0.01, duration=2.0)
>>> motion.states[-1].q.round(6).tolist()
[0.5]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import NamedTuple

import numpy as np

from rbnotes import arguments
from rbnotes.arguments import Array, ArrayField, BoolArray, InvalidArgument
from rbnotes.multibody.reduced.link import per_coordinate, require_fixed_coordinates
from rbnotes.multibody.reduced.tree import Tree
from rbnotes.unchecked.frozen import set_fields


@dataclass(frozen=True, eq=False)
class Motor:
    """Actuator that exerts the commanded force, within its limits.

    Attributes
    ----------
    body
        Name of the body that the joint carries.
    force_limit
        Largest force in either direction, ``(k,)`` or a number, N m or N.

    Raises
    ------
    InvalidArgument
        If ``force_limit`` is negative.
    """

    body: str
    _: KW_ONLY
    force_limit: ArrayField = np.inf

    def __post_init__(self) -> None:
        _set_gains(self)


@dataclass(frozen=True, eq=False)
class PositionServo:
    """Actuator that pulls the joint to a target: ``kp (target - q) - kd qdot``, within its limits.

    Attributes
    ----------
    body
        Name of the body that the joint carries.
    kp
        Gain of the position, ``(k,)`` or a number, N m/rad or N/m.
    kd
        Gain of the velocity, ``(k,)`` or a number, N m s/rad or N s/m.
    target
        Target without a command, ``(k,)`` or a number, rad or m.
    force_limit
        Largest force in either direction, ``(k,)`` or a number, N m or N.

    Raises
    ------
    InvalidArgument
        If a gain or ``force_limit`` is negative, or ``target`` is not finite.
    """

    body: str
    _: KW_ONLY
    kp: ArrayField
    kd: ArrayField = 0.0
    target: ArrayField = 0.0
    force_limit: ArrayField = np.inf

    def __post_init__(self) -> None:
        _set_gains(self, "kp", "kd")


@dataclass(frozen=True, eq=False)
class VelocityServo:
    """Actuator that drives the joint at a target velocity: ``kv (target - qdot)``, within its limits.

    Attributes
    ----------
    body
        Name of the body that the joint carries.
    kv
        Gain, ``(k,)`` or a number, N m s/rad or N s/m.
    target
        Target velocity without a command, ``(k,)`` or a number, rad/s or m/s.
    force_limit
        Largest force in either direction, ``(k,)`` or a number, N m or N.

    Raises
    ------
    InvalidArgument
        If ``kv`` or ``force_limit`` is negative, or ``target`` is not finite.
    """

    body: str
    _: KW_ONLY
    kv: ArrayField
    target: ArrayField = 0.0
    force_limit: ArrayField = np.inf

    def __post_init__(self) -> None:
        _set_gains(self, "kv")


Actuator = Motor | PositionServo | VelocityServo
"""Any actuator."""


class ActuatorGains(NamedTuple):
    """Actuators of a tree in all its coordinates ``(k,)``; zero gains where there is none.

    The forces are ``clip(f + kp (q_target - q) + kd (qdot_target - qdot))`` with one of f, q_target and
    qdot_target from the command.

    Attributes
    ----------
    kp
        Gains of position, N m/rad or N/m.
    kd
        Gains of velocity, N m s/rad or N s/m.
    force_limit
        Largest forces; infinite without an actuator, where the command is a force.
    default_command
        Commands if none are given: forces, positions or velocities.
    is_position
        True where the command is a target of the position.
    is_velocity
        True where the command is a target of the velocity.
    """

    kp: Array
    kd: Array
    force_limit: Array
    default_command: Array
    is_position: BoolArray
    is_velocity: BoolArray

    def forces(self, q: Array, qdot: Array, command: Array) -> Array:
        """Return the forces ``(k,)`` at coordinates and velocities ``(k,)``."""
        force = self.offset(command) - self.kp * q - self.kd * qdot
        return np.clip(force, -self.force_limit, self.force_limit)

    def offset(self, command: Array) -> Array:
        """Return the forces ``(k,)`` at zero coordinates and velocities, without limits."""
        gain = np.where(self.is_position, self.kp, np.where(self.is_velocity, self.kd, 1.0))
        return gain * command


def actuator_gains(actuators: Sequence[Actuator], tree: Tree, joint_names: Sequence[str]) -> ActuatorGains:
    """Return the gains of the actuators of a tree, on joints of bodies with these names.

    Raises
    ------
    InvalidArgument
        If a body has two actuators or no joint, or a value does not fit the joint.
    """
    k = tree.num_coordinates
    kp, kd, command = np.zeros(k), np.zeros(k), np.zeros(k)
    force_limit, is_position, is_velocity = np.full(k, np.inf), np.zeros(k, bool), np.zeros(k, bool)
    actuated = set[str]()
    for actuator in actuators:
        label = f"actuators: {type(actuator).__name__}({actuator.body!r})"
        if actuator.body not in joint_names:
            raise no_joint_error(label, "no such joint", joint_names)
        if actuator.body in actuated:
            raise InvalidArgument(label, "a second actuator of its joint", "one for each joint")
        actuated.add(actuator.body)
        index = tree.index(actuator.body)
        own, joint = tree.coordinate_slices[index], tree.links[index].joint
        force_limit[own] = per_coordinate(f"{label}: force_limit", actuator.force_limit, joint)
        if isinstance(actuator, Motor):
            continue
        require_fixed_coordinates(label, joint)
        command[own] = per_coordinate(f"{label}: target", actuator.target, joint)
        if isinstance(actuator, PositionServo):
            kp[own] = per_coordinate(f"{label}: kp", actuator.kp, joint)
            kd[own] = per_coordinate(f"{label}: kd", actuator.kd, joint)
            is_position[own] = True
        else:
            kd[own] = per_coordinate(f"{label}: kv", actuator.kv, joint)
            is_velocity[own] = True
    return ActuatorGains(kp, kd, force_limit, command, is_position, is_velocity)


def no_joint_error(name: str, got: str, joint_names: Sequence[str]) -> InvalidArgument:
    """Return the error about a body without a joint; it lists the bodies on joints."""
    names = ", ".join(map(repr, joint_names)) or "none: all bodies are free"
    return InvalidArgument(name, got, f"names of bodies on joints: {names}")


def _set_gains(actuator: Actuator, *gains: str) -> None:
    """Check the name of the body, the limit, the target and the gains of an actuator."""
    arguments.text("body", actuator.body)
    values = {name: arguments.real_array(name, getattr(actuator, name), minimum=0.0) for name in gains}
    limit = arguments.extended_real_array("force_limit", actuator.force_limit)
    values["force_limit"] = arguments.require_within("force_limit", limit, 0.0, np.inf)
    if not isinstance(actuator, Motor):
        values["target"] = arguments.array("target", actuator.target)
    set_fields(actuator, **values)
