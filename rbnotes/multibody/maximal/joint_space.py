"""Forces and constraints in joint coordinates, for steps of bodies with six coordinates each.

The joint velocities are a linear function of the twists of the bodies, ``qdot = A phi``. Joint forces act on
the bodies as the wrenches ``A^T tau``, and rows on joint velocities act on the twists as ``rows A``.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from rbnotes.arguments import Array, BoolArray
from rbnotes.dynamics import State, UnilateralRows
from rbnotes.multibody.bearing_friction import BearingUpdate
from rbnotes.multibody.bounded_rows import BoundedRows, dry_friction_rows
from rbnotes.multibody.joint_kinematics import JointKinematics


class JointSpaceConstraints(NamedTuple):
    """Equations and limits of joint coordinates, as rows on the twists of the bodies.

    Attributes
    ----------
    G
        Rows of the equations ``(m, 6 n)``.
    error
        Errors of the equations ``(m,)``, rad or m.
    bias_velocity
        Part of the rates of the errors ``(m,)`` that is independent of the twists.
    limit_rows
        Rows of the limits ``(l, 6 n)``.
    limit_gap
        Gaps of the limits ``(l,)``, rad or m.
    """

    G: Array
    error: Array
    bias_velocity: Array
    limit_rows: Array
    limit_gap: Array

    def reachable_limits(
        self, velocity: Array, velocity_change: Array, h: float, slop: float
    ) -> UnilateralRows:
        """Return the limits that may be reached within a step at twice its velocities ``(6 n,)``."""
        is_near = are_limits_reachable(self.limit_rows, self.limit_gap, velocity, velocity_change, h, slop)
        return UnilateralRows(self.limit_rows[is_near], -np.maximum(self.limit_gap[is_near], 0.0) / h)

    def reached_limits(self, slop: float) -> UnilateralRows:
        """Return the limits that are reached."""
        is_reached = self.limit_gap <= slop
        return UnilateralRows(self.limit_rows[is_reached], np.zeros(int(np.sum(is_reached))))


def are_limits_reachable(
    rows: Array, gap: Array, velocity: Array, velocity_change: Array, h: float, slop: float
) -> BoolArray:
    """Return a mask ``(l,)`` of the limits that may be reached within a step at twice its velocities."""
    reach = 2 * h * (np.abs(rows @ velocity) + np.abs(rows @ velocity_change))
    result: BoolArray = gap <= reach + slop
    return result


class Rotors(NamedTuple):
    """Rotors that turn with joint coordinates, but do not move the bodies otherwise.

    They move freely, as the bodies do, and are coupled to them at both ends of a step.

    Attributes
    ----------
    rows
        Rows of their velocities on the twists of the bodies ``(r, 6 n)``.
    armature
        Inertias ``(r,)``, kg m^2 or kg.
    position
        Positions ``(r,)``: coordinates of the joints, rad or m.
    """

    rows: Array
    armature: Array
    position: Array

    @classmethod
    def none(cls, size: int) -> Rotors:
        """Return no rotors, for bodies with twists of this total size ``6 n``."""
        return cls(np.zeros((0, size)), np.zeros(0), np.zeros(0))

    @property
    def mass_matrix(self) -> Array:
        """Mass matrix ``(6 n, 6 n)`` of the rotors in the twists of the bodies."""
        result: Array = self.rows.T @ (self.armature[:, None] * self.rows)
        return result

    def energy(self, velocity: Array) -> float:
        """Return the kinetic energy of the rotors at twists ``(6 n,)`` of the bodies, J."""
        return float(self.armature @ (self.rows @ velocity) ** 2) / 2

    def coupling_work(self, velocities: tuple[Array, Array], own_velocities: tuple[Array, Array]) -> float:
        """Return the work of the impulses between rotors and bodies in a velocity update, J.

        Parameters
        ----------
        velocities
            Twists ``(6 n,)`` of the bodies before and after the update.
        own_velocities
            Velocities ``(r,)`` of the rotors before and after it.
        """
        impulse = -self.armature * (own_velocities[1] - own_velocities[0])
        slip = self.rows @ (velocities[0] + velocities[1]) - (own_velocities[0] + own_velocities[1])
        return float(impulse @ slip) / 2


class JointSpaceImpulses(NamedTuple):
    """Impulses of joint coordinates in a velocity update, as functions of the new twists phi ``(6 n,)``.

    Attributes
    ----------
    constant
        Impulses at zero velocity ``(6 n,)``: springs, dampers and motors.
    damping
        Impulse per velocity of the dampers ``(6 n, 6 n)``: their impulses are ``-damping phi``.
    bounded
        Rows of servos and of dry friction on the twists.
    motor
        Part of the constant impulses that motors exert, in joint coordinates ``(k,)``.
    coordinate_rows
        The bounded rows, on joint velocities ``(b, k)``.
    """

    constant: Array
    damping: Array
    bounded: BoundedRows
    motor: Array
    coordinate_rows: Array

    @classmethod
    def none(cls, size: int, num_coordinates: int) -> JointSpaceImpulses:
        """Return no impulses, for twists of the total size ``6 n`` and k joint coordinates."""
        no_rows, no_impulse = np.zeros((0, size)), np.zeros(size)
        return cls(
            no_impulse,
            np.zeros((size, size)),
            dry_friction_rows(no_rows, np.zeros(0)),
            np.zeros(num_coordinates),
            np.zeros((0, num_coordinates)),
        )

    def free_velocity_change(self, mass: Array, velocity: Array, impulse: Array) -> Array:
        """Return the change of the twists ``(6 n,)`` under these impulses and another one.

        Constraints and dry friction do not act.

        Parameters
        ----------
        mass
            Mass matrix ``(6 n, 6 n)``.
        velocity
            Twists ``(6 n,)`` before the update.
        impulse
            The other impulse ``(6 n,)``.
        """
        bounded = self.bounded
        return unconstrained_velocity_change(
            mass, velocity, impulse + self.constant - self.damping @ velocity, self.damping, bounded
        )


def unconstrained_velocity_change(
    mass: Array, velocity: Array, impulse: Array, damping: Array, bounded: BoundedRows
) -> Array:
    """Return the change of the velocities ``(N,)`` under an impulse and servos, without dry friction.

    Parameters
    ----------
    damping
        Impulse per velocity of dampers ``(N, N)``, which act on the change.
    """
    is_servo = np.isfinite(bounded.gain)
    rows, gain = bounded.rows[is_servo], bounded.gain[is_servo]
    servo_impulse = np.clip(
        bounded.offset[is_servo] - gain * (rows @ velocity), -bounded.bound[is_servo], bounded.bound[is_servo]
    )
    implicit_mass = mass + damping + rows.T @ (gain[:, None] * rows)
    change: Array = np.linalg.solve(implicit_mass, impulse + rows.T @ servo_impulse)
    return change


def split_bounded_impulse(
    bounded: BoundedRows, coordinate_rows: Array, motor: Array, impulse: Array
) -> tuple[Array, Array]:
    """Return the impulses ``(k,)`` of actuators, those of motors included, and of dry friction."""
    is_dry = np.isinf(bounded.gain)
    row_impulses = coordinate_rows * impulse[:, None]
    return motor + np.sum(row_impulses[~is_dry], axis=0), np.sum(row_impulses[is_dry], axis=0)


class JointSpace(Protocol):
    """Forces and constraints in joint coordinates at one configuration of the bodies."""

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the forces and constraints, such as "bearings"."""
        ...

    def at(self, E: Array) -> JointSpace:
        """Return the joint space at later poses ``(n, 4, 4)``; its coordinates continue those of this one."""
        ...

    def coordinates_and_rates(self, velocity: Array) -> tuple[Array, Array]:
        """Return the coordinates and, at twists ``(6 n,)``, their rates, each ``(k,)``."""
        ...

    def constraints(self, state: State, t: float) -> JointSpaceConstraints:
        """Return the equations and limits, with prescribed motions at the time t.

        Parameters
        ----------
        state
            Twists of the bodies, at these poses.
        """
        ...

    def rotors(self) -> Rotors:
        """Return the rotors of the joints."""
        ...

    def impulses(self, state: State, control_state: State, h: float, *, is_first: bool) -> JointSpaceImpulses:
        """Return the impulses over the first or the second half of a step of size h.

        Parameters
        ----------
        state
            Twists of the bodies before the impulses, at these poses.
        control_state
            State at the same poses, at which commands are evaluated.
        """
        ...

    def bearings(self, state: State, kinematics: JointKinematics) -> BearingUpdate | None:
        """Return the bearings with friction, or None if there are none.

        Parameters
        ----------
        state
            Twists of the bodies before the update, at these poses.
        kinematics
            Kinematics of the joints between the bodies at the poses.
        """
        ...

    @property
    def has_control(self) -> bool:
        """True if the commands are a function of the state."""
        ...


class JointConfiguration(NamedTuple):
    """Joints at one configuration of the bodies.

    Attributes
    ----------
    kinematics
        Kinematics of the joints between bodies.
    joint_space
        Forces and constraints in joint coordinates, or None.
    """

    kinematics: JointKinematics
    joint_space: JointSpace | None

    def rotors(self) -> Rotors:
        """Return the rotors of the joints; none without a joint space."""
        if self.joint_space is None:
            return Rotors.none(6 * self.kinematics.num_bodies)
        return self.joint_space.rotors()

    def coordinates_and_rates(self, velocity: Array) -> tuple[Array, Array]:
        """Return joint coordinates and, at twists ``(6 n,)``, their rates; none without a joint space."""
        if self.joint_space is None:
            return np.zeros(0), np.zeros(0)
        return self.joint_space.coordinates_and_rates(velocity)
