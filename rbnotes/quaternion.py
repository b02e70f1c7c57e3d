"""Unit quaternions ``q = (scalar, vector)`` as rotations (Lloyd 0.2).

``q`` and ``-q`` are the same rotation. ``product(q, p)`` turns first by ``p``, then by ``q``, as the product
of their matrices does.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument

HALF_TURN_WITHIN = 4 * np.finfo(float).eps
"""Scalars up to this size are zero to rounding: the rotation is a half turn."""


def from_axis_angle(axis: ArrayLike, angle: ArrayLike) -> Array:
    """Quaternion ``(..., 4)`` of a turn by ``angle (...)`` about the unit vector ``axis (..., 3)``."""
    axis, half = arguments.unit_vector("axis", axis), arguments.scalar("angle", angle)[..., None] / 2
    return _join(np.cos(half), np.sin(half) * axis)


def from_rotation_vector(w: ArrayLike) -> Array:
    """Quaternion ``(..., 4)`` of the rotation vector ``w (..., 3)``, axis times angle."""
    w = arguments.vector("w", w)
    half = np.hypot.reduce(w, axis=-1, keepdims=True) / 2
    sine_over_half = np.divide(np.sin(half), half, out=np.ones_like(half), where=half > 0)
    return _join(np.cos(half), sine_over_half * w / 2)


def to_rotation_vector(q: ArrayLike) -> Array:
    """Rotation vector ``(..., 3)`` of length at most pi.

    Half turns have two: the one whose first component that is not zero is positive is returned.
    """
    q = _canonical(arguments.unit_quaternion("q", q))
    scalar, axis = q[..., :1], q[..., 1:]
    sine = np.linalg.norm(axis, axis=-1, keepdims=True)
    # atan2 is accurate at both ends, where arccos of the scalar loses half its digits.
    half_angle_over_sine = np.divide(np.arctan2(sine, scalar), sine, out=np.ones_like(sine), where=sine > 0)
    return 2 * half_angle_over_sine * axis


def from_rotation(R: ArrayLike) -> Array:
    """Quaternion ``(..., 4)`` of a rotation matrix ``(..., 3, 3)``, with a scalar that is not negative.

    Raises
    ------
    InvalidArgument
        If ``R`` is not a rotation matrix; the message says how far it is from one.
    """
    R = arguments.rotation("R", R)
    trace = np.trace(R, axis1=-2, axis2=-1)
    # Each row of 4 q q^T is a multiple of q; the one with the largest diagonal loses no digits.
    outer = np.empty((*R.shape[:-2], 4, 4))
    outer[..., 0, 0] = 1 + trace
    outer[..., 1:, 1:] = R + np.swapaxes(R, -1, -2) + (1 - trace)[..., None, None] * np.eye(3)
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        outer[..., 0, 1 + i] = outer[..., 1 + i, 0] = R[..., k, j] - R[..., j, k]
    largest = np.argmax(np.diagonal(outer, axis1=-2, axis2=-1), axis=-1)
    q = np.take_along_axis(outer, largest[..., None, None], axis=-2)[..., 0, :]
    return _canonical(q / np.linalg.norm(q, axis=-1, keepdims=True))


def to_rotation(q: ArrayLike) -> Array:
    """Rotation matrix ``(..., 3, 3)``."""
    q = arguments.unit_quaternion("q", q)
    s, v = q[..., 0, None, None], q[..., 1:]
    cross = -np.cross(v[..., None, :], np.eye(3))
    outer = v[..., :, None] * v[..., None, :]
    return (2 * s * s - 1) * np.eye(3) + 2 * outer + 2 * s * cross


def product(q: ArrayLike, p: ArrayLike) -> Array:
    """Quaternion product ``q p`` (Lloyd 0.2), of quaternions ``(..., 4)`` of any length."""
    q, p = arguments.vector("q", q, 4), arguments.vector("p", p, 4)
    qs, qv, ps, pv = q[..., :1], q[..., 1:], p[..., :1], p[..., 1:]
    scalar = qs * ps - np.sum(qv * pv, axis=-1, keepdims=True)
    return _join(scalar, qs * pv + ps * qv + np.cross(qv, pv))


def conjugate(q: ArrayLike) -> Array:
    """``(scalar, -vector)``: for a unit quaternion, the inverse rotation."""
    q = arguments.vector("q", q, 4)
    return _join(q[..., :1], -q[..., 1:])


def inverse(q: ArrayLike) -> Array:
    """Inverse ``(..., 4)`` of quaternions that need not be unit, only not zero."""
    q = arguments.vector("q", q, 4)
    length = _length("q", q)
    return conjugate(q / length) / length


def normalize(q: ArrayLike) -> Array:
    """Unit quaternion in the direction of ``q (..., 4)``, which must not be zero."""
    q = arguments.vector("q", q, 4)
    return q / _length("q", q)


def rotate(q: ArrayLike, x: ArrayLike) -> Array:
    """Vectors ``(..., 3)`` from rotated coordinates to base coordinates, ``q (0, x) q^-1`` (Lloyd 0.2)."""
    q, x = arguments.unit_quaternion("q", q), arguments.vector("x", x)
    s, v = q[..., :1], q[..., 1:]
    twice_cross = 2 * np.cross(v, x)
    return x + s * twice_cross + np.cross(v, twice_cross)


def derivative_from_base(q: ArrayLike, omega: ArrayLike) -> Array:
    """``dq/dt (..., 4)`` for an angular velocity in base coordinates (Lloyd 0.2, eq. (0.1))."""
    return product(_pure(omega), arguments.unit_quaternion("q", q)) / 2


def derivative_from_body(q: ArrayLike, omega: ArrayLike) -> Array:
    """``dq/dt (..., 4)`` for an angular velocity in the coordinates of the rotated frame (Lloyd 0.2)."""
    return product(arguments.unit_quaternion("q", q), _pure(omega)) / 2


def base_angular_velocity(q: ArrayLike, qdot: ArrayLike) -> Array:
    """Angular velocity ``(..., 3)`` in base coordinates, the inverse of :func:`derivative_from_base`.

    The part of ``qdot`` along ``q`` changes the length alone, and is left out.
    """
    q, qdot = arguments.unit_quaternion("q", q), arguments.vector("qdot", qdot, 4)
    return 2 * product(qdot, conjugate(q))[..., 1:]


def body_angular_velocity(q: ArrayLike, qdot: ArrayLike) -> Array:
    """Angular velocity ``(..., 3)`` in rotated coordinates, the inverse of :func:`derivative_from_body`.

    The part of ``qdot`` along ``q`` changes the length alone, and is left out.
    """
    q, qdot = arguments.unit_quaternion("q", q), arguments.vector("qdot", qdot, 4)
    return 2 * product(conjugate(q), qdot)[..., 1:]


def step(q: ArrayLike, omega: ArrayLike, h: ArrayLike) -> Array:
    """Quaternion after the time ``h (...)`` at a constant angular velocity in rotated coordinates.

    Exact, and unit to rounding, where ``q + h dq/dt`` grows longer with every step (:func:`drift`).
    """
    q, omega = arguments.unit_quaternion("q", q), arguments.vector("omega", omega)
    return product(q, from_rotation_vector(arguments.scalar("h", h)[..., None] * omega))


def drift(omega: ArrayLike, h: ArrayLike) -> Array:
    """What one step ``q + h dq/dt``, of ``h (...)``, adds to the length of a unit quaternion, ``(...)``.

    ``dq/dt`` is perpendicular to ``q``, so the step runs along the tangent of the unit sphere and ends
    outside, whatever the direction of ``omega (..., 3)`` and in whichever coordinates it is given.
    """
    omega = arguments.vector("omega", omega)
    tangent = arguments.scalar("h", h) * np.hypot.reduce(omega, axis=-1) / 2
    # sqrt(1 + t^2) - 1 without cancellation or overflow.
    return tangent * (tangent / (1 + np.hypot(1, tangent)))


def interpolate(q0: ArrayLike, q1: ArrayLike, t: ArrayLike) -> Array:
    """Spherical interpolation from ``q0`` (t = 0) to the rotation of ``q1`` (t = 1), the short way round.

    ``t`` broadcasts against the leading axes of the quaternions.
    """
    q0, q1 = arguments.unit_quaternion("q0", q0), arguments.unit_quaternion("q1", q1)
    way = to_rotation_vector(normalize(product(conjugate(q0), q1)))
    return product(q0, from_rotation_vector(arguments.scalar("t", t)[..., None] * way))


def _canonical(q: Array) -> Array:
    """Of q and -q, the one with a positive scalar.

    At a half turn, where rounding alone would decide, the first component of the axis that is not zero does.
    """
    decides = np.abs(q) > np.where(np.arange(4) == 0, HALF_TURN_WITHIN, 1e-12)
    first = np.argmax(decides, axis=-1)[..., None]
    q = np.sign(np.take_along_axis(q, first, axis=-1)) * q
    q[..., 0] = np.maximum(q[..., 0], 0.0)
    return q


def _pure(omega: ArrayLike) -> Array:
    omega = arguments.vector("omega", omega)
    return _join(np.zeros_like(omega[..., :1]), omega)


def _join(scalar: Array, vector: Array) -> Array:
    shape = np.broadcast_shapes(scalar.shape[:-1], vector.shape[:-1])
    q = np.empty((*shape, 4))
    q[..., :1], q[..., 1:] = scalar, vector
    return q


def _length(name: str, q: Array) -> Array:
    length = np.hypot.reduce(q, axis=-1, keepdims=True)  # no overflow where squares would
    if np.any(length == 0):
        raise InvalidArgument(name, "a zero quaternion", "a quaternion of positive length")
    return length
