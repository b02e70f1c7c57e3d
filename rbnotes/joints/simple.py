"""Joints with a constant motion subspace S (Sueda 2.4.1-2.4.4, 2.4.7)."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rbnotes import arguments
from rbnotes.arguments import Array, ArrayField, InvalidArgument
from rbnotes.joints.joint_type import JointType
from rbnotes.unchecked import so3
from rbnotes.unchecked.frozen import set_fields
from rbnotes.unchecked.linear_algebra import IDENTITY

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class Fixed(JointType):
    """No motion: the pose is constant (Sueda 2.4.1). In a composite it is an offset between two joints.

    Raises InvalidArgument if ``pose`` is not a pose.

    Attributes
    ----------
    pose
        ``(4, 4)``, m; the identity by default.
    """

    pose: ArrayField = None

    def __post_init__(self) -> None:
        pose = arguments.frame("pose", np.eye(4) if self.pose is None else self.pose)
        if pose.shape != (4, 4):
            raise InvalidArgument("pose", f"shape {pose.shape}", "one pose of shape (4, 4)")
        set_fields(self, pose=pose)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fixed) and np.array_equal(self.pose, other.pose)

    def __hash__(self) -> int:
        return hash((Fixed, self.pose.tobytes()))

    @property
    def num_coordinates(self) -> int:
        return 0

    @property
    def twist_subalgebra(self) -> Array:
        return np.zeros((6, 0))

    def compute_transform(self, q: Array) -> Array:
        Q = np.empty((*q.shape[:-1], 4, 4))
        Q[...] = self.pose
        return Q

    def compute_motion_subspace(self, q: Array) -> Array:
        return np.zeros((*q.shape[:-1], 6, 0))

    def compute_motion_subspace_derivative(self, q: Array) -> Array:
        return np.zeros((*q.shape[:-1], 6, 0, 0))

    def compute_bias_acceleration_derivative(self, q: Array, qdot: Array) -> Array:
        return np.zeros((*q.shape[:-1], 6, 0))

    def compute_nearest_coordinates(self, Q: Array) -> Array:
        return np.zeros((*Q.shape[:-2], 0))


class _ConstantSubspaceJoint(JointType):
    """Joints with a constant S: their motions form a commutative group."""

    @cached_property
    @abstractmethod
    def _constant_motion_subspace(self) -> Array:
        """S ``(6, k)``."""

    @property
    def num_coordinates(self) -> int:
        return int(self._constant_motion_subspace.shape[1])

    @property
    def twist_subalgebra(self) -> Array:
        result: Array = self._constant_motion_subspace / np.linalg.norm(
            self._constant_motion_subspace, axis=0
        )
        return result

    def compute_motion_subspace(self, q: Array) -> Array:
        S = np.empty((*q.shape[:-1], *self._constant_motion_subspace.shape))
        S[...] = self._constant_motion_subspace
        return S

    def compute_motion_subspace_derivative(self, q: Array) -> Array:
        return np.zeros((*q.shape[:-1], 6, self.num_coordinates, self.num_coordinates))

    def compute_motion_subspace_rate(self, q: Array, qdot: Array) -> Array:
        return np.zeros((*q.shape[:-1], 6, self.num_coordinates))

    def compute_bias_acceleration_derivative(self, q: Array, qdot: Array) -> Array:
        return np.zeros((*q.shape[:-1], 6, self.num_coordinates))

    def compute_transform(self, q: Array) -> Array:
        Q = np.zeros((*q.shape[:-1], 4, 4))
        Q[..., :3, :3], Q[..., 3, 3] = IDENTITY, 1
        Q[..., :3, 3] = q @ self._constant_motion_subspace[3:].T
        return Q

    def compute_nearest_coordinates(self, Q: Array) -> Array:
        return Q[..., :3, 3] @ self._constant_motion_subspace[3:]


class _AxisRotationJoint(_ConstantSubspaceJoint):
    """Joints that rotate about an axis, the same in both frames."""

    axis: ArrayField

    @cached_property
    def _rotation_parts(self) -> tuple[Array, Array, Array]:
        """``a a^T``, ``I - a a^T`` and ``[a]`` of the axis a, each ``(3, 3)``."""
        a = np.array(self.axis)
        outer = np.outer(a, a)
        return outer, np.eye(3) - outer, so3.hat(a)

    def _rotation_pose(self, angle: Array) -> Array:
        """Return poses ``(..., 4, 4)`` rotated by angles ``(...)``, to rounding after many turns, too."""
        constant, of_cosine, of_sine = self._rotation_parts
        cosine, sine = np.cos(angle)[..., None, None], np.sin(angle)[..., None, None]
        Q = np.zeros((*angle.shape, 4, 4))
        Q[..., :3, :3] = cosine * of_cosine + sine * of_sine + constant
        Q[..., 3, 3] = 1
        return Q


@dataclass(frozen=True)
class Revolute(_AxisRotationJoint):
    """Rotation by q about an axis, z by default (Sueda 2.4.7, eq. (2.41)).

    Raises InvalidArgument if ``axis`` is not of unit length.

    Attributes
    ----------
    axis
        Unit vector ``(3,)``, the same in both frames.
    """

    axis: ArrayField = Z

    def __post_init__(self) -> None:
        set_fields(self, axis=_unit_axis(self.axis))

    @cached_property
    def _constant_motion_subspace(self) -> Array:
        return np.array([[*self.axis, 0.0, 0.0, 0.0]]).T

    def compute_transform(self, q: Array) -> Array:
        return self._rotation_pose(q[..., 0])

    def compute_nearest_coordinates(self, Q: Array) -> Array:
        return _angle_about(self.axis, Q)[..., None]


@dataclass(frozen=True)
class Prismatic(_ConstantSubspaceJoint):
    """Translation by q along an axis, z by default (Sueda 2.4.2).

    Raises InvalidArgument if ``axis`` is not of unit length.

    Attributes
    ----------
    axis
        Unit vector ``(3,)``.
    """

    axis: ArrayField = Z

    def __post_init__(self) -> None:
        set_fields(self, axis=_unit_axis(self.axis))

    @cached_property
    def _constant_motion_subspace(self) -> Array:
        return np.array([[0.0, 0.0, 0.0, *self.axis]]).T


@dataclass(frozen=True)
class PlanarTranslation(_ConstantSubspaceJoint):
    """Translation by q along x and y, without rotation (Sueda 2.4.3, where it is the planar joint)."""

    @cached_property
    def _constant_motion_subspace(self) -> Array:
        return np.eye(6)[:, 3:5]


@dataclass(frozen=True)
class Translational(_ConstantSubspaceJoint):
    """Translation by q along x, y and z, without rotation (Sueda 2.4.4)."""

    @cached_property
    def _constant_motion_subspace(self) -> Array:
        return np.eye(6)[:, 3:]


@dataclass(frozen=True)
class Helical(_AxisRotationJoint):
    """Rotation by q about an axis, z by default, and translation along it by the pitch times q.

    Raises InvalidArgument if ``axis`` is not of unit length or ``pitch`` is not a finite number.

    Attributes
    ----------
    axis
        Unit vector ``(3,)``.
    pitch
        Translation per radian, m; a full turn translates by 2 pi times as much.
    """

    axis: ArrayField = Z
    pitch: float = 1.0

    def __post_init__(self) -> None:
        set_fields(self, axis=_unit_axis(self.axis), pitch=arguments.real_number("pitch", self.pitch))

    @cached_property
    def _constant_motion_subspace(self) -> Array:
        return np.array([[*self.axis, *(self.pitch * np.array(self.axis))]]).T

    def compute_transform(self, q: Array) -> Array:
        Q = self._rotation_pose(q[..., 0])
        Q[..., :3, 3] = q * self._constant_motion_subspace[3:, 0]
        return Q

    def compute_nearest_coordinates(self, Q: Array) -> Array:
        return JointType.compute_nearest_coordinates(self, Q)

    def _initial_coordinates(self, Q: Array) -> Array:
        """Return q from the angle, up to full turns, which follow from the translation."""
        angle, translation = _angle_about(self.axis, Q), Q[..., :3, 3] @ np.array(self.axis)
        if self.pitch == 0:
            return angle[..., None]
        full_turns = np.round((translation / self.pitch - angle) / (2 * np.pi))
        result: Array = ((angle + 2 * np.pi * full_turns + self.pitch * translation) / (1 + self.pitch**2))[
            ..., None
        ]
        return result


def _unit_axis(axis: Any) -> tuple[float, ...]:
    checked = arguments.unit_vector("axis", axis)
    if checked.shape != (3,):
        raise InvalidArgument("axis", f"shape {checked.shape}", "one unit vector of shape (3,)")
    return tuple((checked / np.linalg.norm(checked)).tolist())


def _angle_about(axis: tuple[float, ...], Q: Array) -> Array:
    """Return the angle ``(...)`` of the rotation about the axis that is nearest to that of Q."""
    a, R = np.array(axis), Q[..., :3, :3]
    sine = np.einsum("ij,...ji->...", so3.hat(a), R.mT)
    cosine = np.trace(R, axis1=-2, axis2=-1) - np.einsum("i,...ij,j->...", a, R, a)
    # Half a turn about a perpendicular axis: all angles are equally far, and arctan2 gives 0.
    result: Array = np.arctan2(sine, cosine)
    return result
