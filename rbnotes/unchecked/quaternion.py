"""Formulas of :mod:`rbnotes.quaternion` for checked arrays, without argument checks.

Each function has the name, arguments, result and source of the public function that checks its arguments.
"""

from __future__ import annotations

import numpy as np

from rbnotes.arguments import Array
from rbnotes.unchecked.linear_algebra import IDENTITY, cross

HALF_TURN_TOLERANCE = 4 * np.finfo(float).eps
"""Size of the scalar below which a rotation counts as a half turn."""

_LARGEST_ROUNDING = np.array([HALF_TURN_TOLERANCE, 1e-12, 1e-12, 1e-12])


def from_axis_angle(axis: Array, angle: Array) -> Array:
    half = angle[..., None] / 2
    return _join(np.cos(half), np.sin(half) * axis)


def from_rotation_vector(w: Array) -> Array:
    half = np.hypot.reduce(w, axis=-1, keepdims=True) / 2
    sine_over_half = np.divide(np.sin(half), half, out=np.ones_like(half), where=half > 0)
    return _join(np.cos(half), sine_over_half * w / 2)


def to_rotation_vector(q: Array) -> Array:
    q = _canonical(q)
    scalar, axis = q[..., :1], q[..., 1:]
    sine = np.linalg.norm(axis, axis=-1, keepdims=True)
    # atan2 is accurate at both ends, where arccos of the scalar loses half its digits.
    half_angle_over_sine = np.divide(np.arctan2(sine, scalar), sine, out=np.ones_like(sine), where=sine > 0)
    w: Array = 2 * half_angle_over_sine * axis
    return w


def from_rotation(R: Array) -> Array:
    trace = np.trace(R, axis1=-2, axis2=-1)
    # Each row of 4 q q^T is a multiple of q; the one with the largest diagonal loses no digits.
    outer = np.empty((*R.shape[:-2], 4, 4))
    outer[..., 0, 0] = 1 + trace
    outer[..., 1:, 1:] = R + R.mT + (1 - trace)[..., None, None] * IDENTITY
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        outer[..., 0, 1 + i] = outer[..., 1 + i, 0] = R[..., k, j] - R[..., j, k]
    largest = np.argmax(np.diagonal(outer, axis1=-2, axis2=-1), axis=-1)
    q = np.take_along_axis(outer, largest[..., None, None], axis=-2)[..., 0, :]
    return _canonical(q / np.linalg.norm(q, axis=-1, keepdims=True))


def to_rotation(q: Array) -> Array:
    s, v = q[..., 0, None, None], q[..., 1:]
    cross_matrix = -cross(v[..., None, :], IDENTITY)
    outer = v[..., :, None] * v[..., None, :]
    return (2 * s * s - 1) * IDENTITY + 2 * outer + 2 * s * cross_matrix


def product(q: Array, p: Array) -> Array:
    qs, qv, ps, pv = q[..., :1], q[..., 1:], p[..., :1], p[..., 1:]
    scalar = qs * ps - np.sum(qv * pv, axis=-1, keepdims=True)
    return _join(scalar, qs * pv + ps * qv + cross(qv, pv))


def conjugate(q: Array) -> Array:
    return _join(q[..., :1], -q[..., 1:])


def inverse(q: Array) -> Array:
    # Avoids the square of the length and the length itself, which may overflow.
    size: Array = np.max(np.abs(q), axis=-1, keepdims=True)
    squared_length: Array = np.sum((q / size) ** 2, axis=-1, keepdims=True)
    return conjugate(q / size) / squared_length / size


def normalize(q: Array) -> Array:
    q = q / np.max(np.abs(q), axis=-1, keepdims=True)  # so that the squares neither overflow nor vanish
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    return q


def rotate(q: Array, x: Array) -> Array:
    s, v = q[..., :1], q[..., 1:]
    twice_cross = 2 * cross(v, x)
    return x + s * twice_cross + cross(v, twice_cross)


def derivative_from_base(q: Array, omega: Array) -> Array:
    return product(_pure_quaternion(omega), q) / 2


def derivative_from_body(q: Array, omega: Array) -> Array:
    return product(q, _pure_quaternion(omega)) / 2


def base_angular_velocity(q: Array, qdot: Array) -> Array:
    return 2 * product(qdot, conjugate(q))[..., 1:]


def body_angular_velocity(q: Array, qdot: Array) -> Array:
    return 2 * product(conjugate(q), qdot)[..., 1:]


def step(q: Array, omega: Array, h: Array) -> Array:
    return product(q, from_rotation_vector(h[..., None] * omega))


def norm_drift(omega: Array, h: Array) -> Array:
    tangent = h * np.hypot.reduce(omega, axis=-1) / 2
    # sqrt(1 + t^2) - 1 without cancellation or overflow.
    longer: Array = tangent * (tangent / (1 + np.hypot(1, tangent)))
    return longer


def interpolate(q0: Array, q1: Array, t: Array) -> Array:
    relative_rotation = to_rotation_vector(normalize(product(conjugate(q0), q1)))
    return product(q0, from_rotation_vector(t[..., None] * relative_rotation))


def _canonical(q: Array) -> Array:
    """Return the one of q and -q with positive scalar.

    At a half turn, where rounding would decide, the first nonzero component of the axis is positive.
    """
    signs = np.where(np.abs(q) > _LARGEST_ROUNDING, np.sign(q), 0.0)
    # The weight of each sign exceeds the sum of the weights after it.
    q = np.sign(np.sum(signs * [8.0, 4.0, 2.0, 1.0], axis=-1, keepdims=True)) * q
    q[..., 0] = np.maximum(q[..., 0], 0.0)
    return q


def _pure_quaternion(omega: Array) -> Array:
    return _join(np.zeros_like(omega[..., :1]), omega)


def _join(scalar: Array, vector: Array) -> Array:
    shape = np.broadcast_shapes(scalar.shape[:-1], vector.shape[:-1])
    q = np.empty((*shape, 4))
    q[..., :1], q[..., 1:] = scalar, vector
    return q
