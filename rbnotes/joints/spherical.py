"""Rotation about a point by a rotation vector or a quaternion (Sueda 2.4.8)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rbnotes import _quaternion, _so3
from rbnotes._linear import apply
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.joints.protocol import JointType

WRAP_ABOVE = 1.5 * np.pi
"""Rotation vectors longer than this are shortened by whole turns."""


class _Spherical(JointType):
    """Any rotation, no translation: S has an upper half only."""

    @property
    def algebra(self) -> Array:
        return np.eye(6)[:, :3]


@dataclass(frozen=True)
class ExponentialSpherical(_Spherical):
    """A ball joint with a rotation vector for coordinates (Sueda 2.4.8, eq. (2.42)).

    It is singular where the rotation vector is a whole number of turns long, except at zero. Short of the
    first such sphere, at 1.5 pi, :meth:`reparametrise` changes to the shorter vector of the same rotation.
    """

    @property
    def coordinates(self) -> int:
        return 3

    def _transform(self, q: Array) -> Array:
        return _about_the_origin(_so3.exp(q))

    def _S(self, q: Array) -> Array:
        return _padded(_so3.right_jacobian(q), axis=-2)

    def _Sdot(self, q: Array, qdot: Array) -> Array:
        return _padded(_so3.right_jacobian_dot(q, qdot), axis=-2)

    def _dS(self, q: Array) -> Array:
        slopes = _so3.right_jacobian_dot(q[..., None, :], np.eye(3))
        return _padded(np.moveaxis(slopes, -3, -1), axis=-3)

    def _drift_slope(self, q: Array, qdot: Array) -> Array:
        along = qdot[..., None, :]
        bends = _so3.left_jacobian_hessian(q[..., None, :], along, np.eye(3))
        # The right Jacobian is the transpose of the left one.
        return _padded(np.einsum("...lji,...j->...il", bends, qdot), axis=-2)

    def _reparametrise(self, q: Array, qdot: Array) -> tuple[Array, Array]:
        length = np.linalg.norm(q, axis=-1, keepdims=True)
        turns = np.maximum(np.ceil((length - WRAP_ABOVE) / (2 * np.pi)), 0)
        shorter = q - np.divide(2 * np.pi * turns * q, length, out=np.zeros_like(q), where=turns > 0)
        twist = apply(_so3.right_jacobian(q), qdot)
        rates = apply(_so3.right_jacobian_inverse(shorter), twist)
        return shorter, np.where(turns > 0, rates, qdot)

    def _coordinates_of(self, Q: Array) -> Array:
        return _so3.log(Q[..., :3, :3])


@dataclass(frozen=True)
class QuaternionSpherical(_Spherical):
    """A ball joint with a quaternion, scalar first, for coordinates; it is singular nowhere.

    Four coordinates for three freedoms: their one constraint is ``(q.q - 1) / 2 = 0``. Pose and twist are
    those of the normalised quaternion, and defined for any but zero.

    Raises
    ------
    InvalidArgument
        By all methods, for a quaternion of length zero.
    """

    @property
    def coordinates(self) -> int:
        return 4

    @property
    def constraints(self) -> int:
        return 1

    @property
    def home(self) -> Array:
        return np.array([1.0, 0.0, 0.0, 0.0])

    def _constraint(self, q: Array) -> Array:
        result: Array = (np.sum(q * q, axis=-1, keepdims=True) - 1) / 2
        return result

    def _constraint_rows(self, q: Array) -> Array:
        return q[..., None, :].copy()

    def _constraint_rows_dot(self, q: Array, qdot: Array) -> Array:
        return qdot[..., None, :].copy()

    def _constraint_drift_slope(self, q: Array, qdot: Array) -> Array:
        return np.zeros((*q.shape[:-1], 1, 4))

    def _transform(self, q: Array) -> Array:
        _square("q", q)
        return _about_the_origin(_quaternion.to_rotation(_quaternion.normalize(q)))

    def _S(self, q: Array) -> Array:
        # The angular velocity is twice the vector part of q^-1 qdot.
        return _padded(2 * _vector_part(q) / _square("q", q)[..., None], axis=-2)

    def _Sdot(self, q: Array, qdot: Array) -> Array:
        square = _square("q", q)[..., None]
        along = np.sum(q * qdot, axis=-1)[..., None, None]
        return _padded(2 * _vector_part(qdot) / square - 4 * along * _vector_part(q) / square**2, axis=-2)

    def _dS(self, q: Array) -> Array:
        slopes = self._Sdot(*np.broadcast_arrays(q[..., None, :], np.eye(4)))
        return np.moveaxis(slopes, -3, -1)

    def _drift_slope(self, q: Array, qdot: Array) -> Array:
        # The drift is -4 (q.qdot) / (q.q)^2 times the vector part of conjugate(q) qdot, which is minus that
        # of conjugate(qdot) q.
        square = _square("q", q)[..., None]
        along = np.sum(q * qdot, axis=-1)[..., None, None]
        turning = apply(_vector_part(q), qdot)[..., None]
        slope = along * _vector_part(qdot) - turning * qdot[..., None, :]
        slope = slope + 4 * along / square * turning * q[..., None, :]
        return _padded(4 * slope / square**2, axis=-2)

    def _reparametrise(self, q: Array, qdot: Array) -> tuple[Array, Array]:
        length = np.sqrt(_square("q", q))
        unit, rates = q / length, qdot / length
        return unit, rates - np.sum(unit * rates, axis=-1, keepdims=True) * unit

    def _coordinates_of(self, Q: Array) -> Array:
        return _quaternion.from_rotation(Q[..., :3, :3])


def _about_the_origin(R: Array) -> Array:
    Q = np.zeros((*R.shape[:-2], 4, 4))
    Q[..., :3, :3], Q[..., 3, 3] = R, 1
    return Q


def _padded(angular: Array, axis: int) -> Array:
    """Twists from their angular half, three numbers along an axis."""
    return np.concatenate([angular, np.zeros_like(angular)], axis=axis)


def _vector_part(q: Array) -> Array:
    """Matrix ``(..., 3, 4)`` that takes p to the vector part of ``conjugate(q) p``."""
    matrix = np.empty((*q.shape[:-1], 3, 4))
    matrix[..., 0], matrix[..., 1:] = -q[..., 1:], q[..., :1, None] * np.eye(3) - _so3.hat(q[..., 1:])
    return matrix


def _square(name: str, q: Array) -> Array:
    square = np.sum(q * q, axis=-1, keepdims=True)
    if np.any(square == 0):
        raise InvalidArgument(name, "a zero quaternion", "a quaternion of positive length")
    result: Array = square
    return result
