"""Impulses of joint dampers, actuators and dry friction over half a step.

Gains may be large: the impulses are implicit in the new velocity. Dampers are integrated as
``-d (theta v + (1 - theta) v_before)`` with the theta that is exact for one joint alone, between one half for
slow joints and one for fast ones. The springs of position servos act at the middle of the step, which is
stable for any gain, and for fast joints at its end:

    first half:   kp (target - q - h (1 + s) v / 2),
    second half:  kp (target - q + h (1 - s) v_before / 2 - h s v / 2),   s = h^2 kp / (12 m + h^2 kp),

with the inertia m of the joint. For small steps s vanishes with h^2, so that the order is two.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rbnotes.arguments import Array
from rbnotes.dynamics import State
from rbnotes.multibody.bounded_rows import BoundedRows, dry_friction_rows
from rbnotes.multibody.model import Model
from rbnotes.unchecked.bounded_impulses import STIFF_INERTIA_FACTOR


class JointImpulses(NamedTuple):
    """Impulses of the joints over half a step, as functions of the new velocity v ``(k,)``.

    Attributes
    ----------
    motor
        Impulses of motors and of commanded forces ``(k,)``, N m s or N s.
    damper
        Impulses of dampers at zero velocity ``(k,)``, N m s or N s.
    damping
        Impulse per velocity of the dampers ``(k,)``: their impulses are ``damper - damping v``.
    bounded
        Rows of servos, then those of dry friction.
    """

    motor: Array
    damper: Array
    damping: Array
    bounded: BoundedRows

    @classmethod
    def none(cls, num_coordinates: int) -> JointImpulses:
        """Return no impulses, for k coordinates."""
        zero: Array = np.zeros(num_coordinates)
        return cls(zero, zero, zero, dry_friction_rows(np.zeros((0, num_coordinates)), np.zeros(0)))

    @property
    def constant(self) -> Array:
        """Impulses at zero velocity ``(k,)`` without those of bounded rows, N m s or N s."""
        return self.motor + self.damper


def joint_impulses(
    model: Model, state: State, mass: Array, command: Array, h: float, *, is_first: bool
) -> JointImpulses:
    """Return the impulses of joints over half a step at a state of the tree.

    Parameters
    ----------
    mass
        Mass matrix ``(k, k)``.
    command
        Commands of the actuators ``(k,)``.
    h
        Size of the whole step, s.
    is_first
        True for the first half of the step.
    """
    gains, q, before = model.actuator_gains, state.q, state.qdot
    damping = model.tree.joint_parameter("damping")
    is_servo = (gains.kp > 0) | (gains.kd > 0)
    offset = gains.offset(command)
    motor = np.where(is_servo, 0.0, np.clip(offset, -gains.force_limit, gains.force_limit))
    if not (np.any(damping) or np.any(is_servo)):
        zero: Array = np.zeros(len(q))
        return JointImpulses(h / 2 * motor, zero, zero, _joint_friction_rows(model, h))
    inertia = 1 / np.diagonal(np.linalg.inv(mass))
    theta = implicit_fraction(h * (damping + gains.kd) / (2 * inertia))
    s = h**2 * gains.kp / (STIFF_INERTIA_FACTOR * inertia + h**2 * gains.kp)
    if is_first:
        position, delay = q, h * (1 + s) / 2
    else:
        position, delay = q - h * (1 - s) / 2 * before, h * s / 2
    servo_offset = offset - gains.kp * position - gains.kd * (1 - theta) * before
    own: Array = np.eye(len(q))[is_servo]
    servos = BoundedRows(
        own,
        h / 2 * servo_offset[is_servo],
        h / 2 * (gains.kp * delay + gains.kd * theta)[is_servo],
        h / 2 * gains.force_limit[is_servo],
    )
    rows = servos.join(_joint_friction_rows(model, h))
    damper = -h / 2 * damping * (1 - theta) * before
    return JointImpulses(h / 2 * motor, damper, h / 2 * damping * theta, rows)


def implicit_fraction(z: Array) -> Array:
    """Return theta: ``v = v_before - z (theta v + (1 - theta) v_before)`` is ``v_before exp(-z)``."""
    is_small = z < 1e-3
    z_safe = np.where(is_small, 1.0, z)
    result: Array = np.where(is_small, 0.5 + z / 12, -1 / np.expm1(-z_safe) - 1 / z_safe)
    return result


def _joint_friction_rows(model: Model, h: float) -> BoundedRows:
    friction = model.joint_friction
    has_friction = friction > 0
    return dry_friction_rows(np.eye(len(friction))[has_friction], h / 2 * friction[has_friction])
