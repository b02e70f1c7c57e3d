"""Rotation about a point by a rotation vector or a quaternion (Sueda 2.4.8)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rbnotes.arguments import Array, InvalidArgument
from rbnotes.joints.joint_type import MAX_COORDINATE, JointType
from rbnotes.unchecked import quaternion, so3
from rbnotes.unchecked.linear_algebra import IDENTITY, matvec

WRAP_THRESHOLD = 1.5 * np.pi
"""Length above which rotation vectors are shortened by whole turns, rad."""

MIN_QUATERNION_LENGTH = 1 / MAX_COORDINATE
"""Length below which a quaternion is not a configuration: powers of its inverse overflow."""


class _Spherical(JointType):
    """Any rotation, no translation: the linear half of S is zero."""

    @property
    def twist_subalgebra(self) -> Array:
        return np.eye(6)[:, :3]


@dataclass(frozen=True)
class ExponentialSpherical(_Spherical):
    """Spherical joint with a rotation vector as coordinates (Sueda 2.4.8, eq. (2.42)).

    It is singular where the length of the rotation vector is a positive multiple of 2 pi. Above a length of
    1.5 pi, :meth:`~rbnotes.joints.JointType.reparametrize` changes to the shorter vector of the same
    rotation.
    """

    @property
    def num_coordinates(self) -> int:
        return 3

    def compute_transform(self, q: Array) -> Array:
        return _rotation_pose(so3.exp(q))

    def compute_motion_subspace(self, q: Array) -> Array:
        return _twists_from_angular(so3.right_jacobian(q), axis=-2)

    def compute_motion_subspace_rate(self, q: Array, qdot: Array) -> Array:
        return _twists_from_angular(so3.right_jacobian_dot(q, qdot), axis=-2)

    def compute_motion_subspace_derivative(self, q: Array) -> Array:
        derivatives = so3.right_jacobian_dot(q[..., None, :], np.eye(3))
        return _twists_from_angular(np.moveaxis(derivatives, -3, -1), axis=-3)

    def compute_bias_acceleration_derivative(self, q: Array, qdot: Array) -> Array:
        direction = qdot[..., None, :]
        second_derivatives = so3.left_jacobian_hessian(q[..., None, :], direction, np.eye(3))
        # The right Jacobian is the transpose of the left one.
        return _twists_from_angular(np.einsum("...lji,...j->...il", second_derivatives, qdot), axis=-2)

    def compute_reparametrization(self, q: Array, qdot: Array) -> tuple[Array, Array]:
        length = np.linalg.norm(q, axis=-1, keepdims=True)
        full_turns = np.maximum(np.ceil((length - WRAP_THRESHOLD) / (2 * np.pi)), 0)
        shorter = q - np.divide(
            2 * np.pi * full_turns * q, length, out=np.zeros_like(q), where=full_turns > 0
        )
        twist = matvec(so3.right_jacobian(q), qdot)
        rates = matvec(so3.right_jacobian_inverse(shorter), twist)
        return shorter, np.where(full_turns > 0, rates, qdot)

    def compute_nearest_coordinates(self, Q: Array) -> Array:
        return so3.log(Q[..., :3, :3])


@dataclass(frozen=True)
class QuaternionSpherical(_Spherical):
    """Spherical joint with a quaternion as coordinates, scalar first; it has no singularities.

    Four coordinates have three degrees of freedom and one constraint, ``(q.q - 1) / 2 = 0``. Pose and twist
    are those of the normalized quaternion, which must not be zero.

    Raises
    ------
    InvalidArgument
        By all methods that depend on the pose, for a quaternion shorter than :data:`MIN_QUATERNION_LENGTH`.
    """

    @property
    def num_coordinates(self) -> int:
        return 4

    @property
    def num_coordinate_constraints(self) -> int:
        return 1

    @property
    def neutral(self) -> Array:
        return np.array([1.0, 0.0, 0.0, 0.0])

    def compute_coordinate_constraint(self, q: Array) -> Array:
        result: Array = (np.sum(q * q, axis=-1, keepdims=True) - 1) / 2
        return result

    def compute_coordinate_constraint_jacobian(self, q: Array) -> Array:
        return q[..., None, :].copy()

    def compute_coordinate_constraint_jacobian_rate(self, q: Array, qdot: Array) -> Array:
        return qdot[..., None, :].copy()

    def compute_coordinate_constraint_bias_derivative(self, q: Array, qdot: Array) -> Array:
        return np.zeros((*q.shape[:-1], 1, 4))

    def compute_transform(self, q: Array) -> Array:
        _squared_norm("q", q)
        return _rotation_pose(quaternion.to_rotation(quaternion.normalize(q)))

    def compute_motion_subspace(self, q: Array) -> Array:
        # The angular velocity is twice the vector part of q^-1 qdot.
        return _twists_from_angular(2 * _vector_part_matrix(q) / _squared_norm("q", q)[..., None], axis=-2)

    def compute_motion_subspace_rate(self, q: Array, qdot: Array) -> Array:
        square = _squared_norm("q", q)[..., None]
        q_dot_qdot = np.sum(q * qdot, axis=-1)[..., None, None]
        return _twists_from_angular(
            2 * _vector_part_matrix(qdot) / square - 4 * q_dot_qdot * _vector_part_matrix(q) / square**2,
            axis=-2,
        )

    def compute_motion_subspace_derivative(self, q: Array) -> Array:
        derivatives = self.compute_motion_subspace_rate(*np.broadcast_arrays(q[..., None, :], np.eye(4)))
        return np.moveaxis(derivatives, -3, -1)

    def compute_bias_acceleration_derivative(self, q: Array, qdot: Array) -> Array:
        # The bias acceleration is -4 (q.qdot) / (q.q)^2 times the vector part of conjugate(q) qdot, which is
        # minus that of conjugate(qdot) q.
        square = _squared_norm("q", q)[..., None]
        q_dot_qdot = np.sum(q * qdot, axis=-1)[..., None, None]
        vector_part = matvec(_vector_part_matrix(q), qdot)[..., None]
        derivative = q_dot_qdot * _vector_part_matrix(qdot) - vector_part * qdot[..., None, :]
        derivative = derivative + 4 * q_dot_qdot / square * vector_part * q[..., None, :]
        return _twists_from_angular(4 * derivative / square**2, axis=-2)

    def compute_reparametrization(self, q: Array, qdot: Array) -> tuple[Array, Array]:
        length = np.sqrt(_squared_norm("q", q))
        unit, rates = q / length, qdot / length
        return unit, rates - np.sum(unit * rates, axis=-1, keepdims=True) * unit

    def compute_nearest_coordinates(self, Q: Array) -> Array:
        return quaternion.from_rotation(Q[..., :3, :3])


def _rotation_pose(R: Array) -> Array:
    Q = np.zeros((*R.shape[:-2], 4, 4))
    Q[..., :3, :3], Q[..., 3, 3] = R, 1
    return Q


def _twists_from_angular(angular: Array, axis: int) -> Array:
    """Return twists with a given angular half, three numbers along an axis."""
    return np.concatenate([angular, np.zeros_like(angular)], axis=axis)


def _vector_part_matrix(q: Array) -> Array:
    """Return the matrix ``(..., 3, 4)`` that maps p to the vector part of ``conjugate(q) p``."""
    matrix = np.empty((*q.shape[:-1], 3, 4))
    matrix[..., 0], matrix[..., 1:] = -q[..., 1:], q[..., :1, None] * IDENTITY - so3.hat(q[..., 1:])
    return matrix


def _squared_norm(name: str, q: Array) -> Array:
    square: Array = np.sum(q * q, axis=-1, keepdims=True)
    shortest = np.sqrt(np.min(square, initial=np.inf))
    if shortest < MIN_QUATERNION_LENGTH:
        got = "a zero quaternion" if shortest == 0 else f"a quaternion of length {shortest:.3g}"
        raise InvalidArgument(name, got, f"a length of at least {MIN_QUATERNION_LENGTH:g}")
    return square
