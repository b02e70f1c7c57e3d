"""Unit quaternions ``q = (scalar, vector)`` as rotations (Lloyd 0.2).

``q`` and ``-q`` are the same rotation. ``product(q, p)`` rotates first by ``p``, then by ``q``, like the
product of their matrices.

>>> import numpy as np
>>> from rbnotes import quaternion
>>> q = quaternion.from_axis_angle([0, 0, 1], np.pi / 2)
>>> (np.round(quaternion.rotate(q, [1, 0, 0]), 6) + 0.0).tolist()
[0.0, 1.0, 0.0]

The functions check their arguments and call the formulas in ``rbnotes/unchecked/quaternion.py``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.unchecked import quaternion

MIN_INVERTIBLE_ENTRY = 1e-307
"""Length below which the inverse of a quaternion overflows in float64."""


def from_axis_angle(axis: ArrayLike, angle: ArrayLike) -> Array:
    """Return the quaternion ``(..., 4)`` of a rotation by ``angle (...)`` about ``axis (..., 3)``.

    Raises
    ------
    InvalidArgument
        If ``axis`` is not of unit length or the shape of ``angle`` does not fit.
    """
    axis, angle = arguments.unit_vector("axis", axis), arguments.real_array("angle", angle)
    arguments.common_shape(axis=axis.shape[:-1], angle=angle.shape)
    return quaternion.from_axis_angle(axis, angle)


def from_rotation_vector(w: ArrayLike) -> Array:
    """Return the quaternion ``(..., 4)`` of the rotation vector ``w (..., 3)``, axis times angle.

    Raises
    ------
    InvalidArgument
        If the shape of ``w`` does not fit.
    """
    return quaternion.from_rotation_vector(arguments.vector("w", w))


def to_rotation_vector(q: ArrayLike) -> Array:
    """Return the rotation vector ``(..., 3)`` of length at most pi.

    For half turns, the one of two vectors whose first nonzero component is positive is returned.

    Raises
    ------
    InvalidArgument
        If ``q`` is not of unit length.
    """
    return quaternion.to_rotation_vector(arguments.unit_quaternion("q", q))


def from_rotation(R: ArrayLike) -> Array:
    """Return the quaternion ``(..., 4)`` of a rotation matrix ``(..., 3, 3)``, with nonnegative scalar.

    Raises
    ------
    InvalidArgument
        If ``R`` is not a rotation matrix; the message says how far it is from one.
    """
    return quaternion.from_rotation(arguments.rotation("R", R))


def to_rotation(q: ArrayLike) -> Array:
    """Return the rotation matrix ``(..., 3, 3)``.

    Raises
    ------
    InvalidArgument
        If ``q`` is not of unit length.
    """
    return quaternion.to_rotation(arguments.unit_quaternion("q", q))


def product(q: ArrayLike, p: ArrayLike) -> Array:
    """Return the quaternion product ``q p`` (Lloyd 0.2), of quaternions ``(..., 4)`` of any length.

    Raises
    ------
    InvalidArgument
        If the shape of ``q`` or ``p`` does not fit.
    """
    q, p = arguments.vector("q", q, 4), arguments.vector("p", p, 4)
    arguments.common_shape(q=q.shape[:-1], p=p.shape[:-1])
    return quaternion.product(q, p)


def conjugate(q: ArrayLike) -> Array:
    """Return ``(scalar, -vector)``, for a unit quaternion the inverse rotation.

    Raises
    ------
    InvalidArgument
        If the shape of ``q`` does not fit.
    """
    return quaternion.conjugate(arguments.vector("q", q, 4))


def inverse(q: ArrayLike) -> Array:
    """Return the inverse ``(..., 4)`` of nonzero quaternions of any length.

    Raises
    ------
    InvalidArgument
        If ``q`` is zero.
    """
    q = _check_nonzero("q", q)
    if np.any(np.max(np.abs(q), axis=-1) < MIN_INVERTIBLE_ENTRY):
        expected = f"entries of at least {MIN_INVERTIBLE_ENTRY:g}, or the inverse overflows"
        raise InvalidArgument("q", "a quaternion that is nearly zero", expected)
    return quaternion.inverse(q)


def normalize(q: ArrayLike) -> Array:
    """Return the unit quaternion in the direction of a nonzero ``q (..., 4)``.

    Raises
    ------
    InvalidArgument
        If ``q`` is zero.
    """
    return quaternion.normalize(_check_nonzero("q", q))


def rotate(q: ArrayLike, x: ArrayLike) -> Array:
    """Transform vectors ``(..., 3)`` from rotated to base coordinates, ``q (0, x) q^-1`` (Lloyd 0.2).

    Raises
    ------
    InvalidArgument
        If ``q`` is not of unit length or the shape of ``x`` does not fit.
    """
    q, x = arguments.unit_quaternion("q", q), arguments.vector("x", x)
    arguments.common_shape(q=q.shape[:-1], x=x.shape[:-1])
    return quaternion.rotate(q, x)


def derivative_from_base(q: ArrayLike, omega: ArrayLike) -> Array:
    """Return ``dq/dt (..., 4)`` for an angular velocity in base coordinates (Lloyd 0.2, eq. (0.1)).

    Raises
    ------
    InvalidArgument
        If ``q`` is not of unit length or the shape of ``omega`` does not fit.
    """
    return quaternion.derivative_from_base(*_check_quaternion_and_velocity(q, omega))


def derivative_from_body(q: ArrayLike, omega: ArrayLike) -> Array:
    """Return ``dq/dt (..., 4)`` for an angular velocity in rotated coordinates (Lloyd 0.2).

    Raises
    ------
    InvalidArgument
        If ``q`` is not of unit length or the shape of ``omega`` does not fit.
    """
    return quaternion.derivative_from_body(*_check_quaternion_and_velocity(q, omega))


def base_angular_velocity(q: ArrayLike, qdot: ArrayLike) -> Array:
    """Return the angular velocity ``(..., 3)`` in base coordinates, see :func:`derivative_from_base`.

    The part of ``qdot`` along ``q`` changes only the length and is ignored.

    Raises
    ------
    InvalidArgument
        If ``q`` is not of unit length or the shape of ``qdot`` does not fit.
    """
    return quaternion.base_angular_velocity(*_check_quaternion_and_rate(q, qdot))


def body_angular_velocity(q: ArrayLike, qdot: ArrayLike) -> Array:
    """Return the angular velocity ``(..., 3)`` in rotated coordinates, see :func:`derivative_from_body`.

    The part of ``qdot`` along ``q`` changes only the length and is ignored.

    Raises
    ------
    InvalidArgument
        If ``q`` is not of unit length or the shape of ``qdot`` does not fit.
    """
    return quaternion.body_angular_velocity(*_check_quaternion_and_rate(q, qdot))


def step(q: ArrayLike, omega: ArrayLike, h: ArrayLike) -> Array:
    """Return the quaternion after the time ``h (...)`` at constant angular velocity in rotated coordinates.

    Exact, and unit to rounding, where ``q + h dq/dt`` grows longer with every step (:func:`norm_drift`).

    Raises
    ------
    InvalidArgument
        If ``q`` is not of unit length or the shape of ``omega`` or ``h`` does not fit.
    """
    (q, omega), h = _check_quaternion_and_velocity(q, omega), arguments.real_array("h", h)
    arguments.common_shape(q=q.shape[:-1], omega=omega.shape[:-1], h=h.shape)
    return quaternion.step(q, omega, h)


def norm_drift(omega: ArrayLike, h: ArrayLike) -> Array:
    """Return the growth ``(...)`` of the length of a unit quaternion in a step ``q + h dq/dt``.

    ``dq/dt`` is perpendicular to ``q``, so the step is tangent to the unit sphere and ends outside it,
    for any direction of ``omega (..., 3)`` in either coordinates.

    Raises
    ------
    InvalidArgument
        If the shape of ``omega`` or ``h`` does not fit.
    """
    omega, h = arguments.vector("omega", omega), arguments.real_array("h", h)
    arguments.common_shape(omega=omega.shape[:-1], h=h.shape)
    return quaternion.norm_drift(omega, h)


def interpolate(q0: ArrayLike, q1: ArrayLike, t: ArrayLike) -> Array:
    """Interpolate spherically from ``q0`` (t = 0) to the rotation of ``q1`` (t = 1) on the shortest path.

    ``t`` broadcasts against the leading axes of the quaternions.

    Raises
    ------
    InvalidArgument
        If ``q0`` or ``q1`` is not of unit length or the shape of ``t`` does not fit.
    """
    q0, q1 = arguments.unit_quaternion("q0", q0), arguments.unit_quaternion("q1", q1)
    t = arguments.real_array("t", t)
    arguments.common_shape(q0=q0.shape[:-1], q1=q1.shape[:-1], t=t.shape)
    return quaternion.interpolate(q0, q1, t)


def _check_nonzero(name: str, value: ArrayLike) -> Array:
    q = arguments.vector(name, value, 4)
    if np.any(np.all(q == 0, axis=-1)):
        raise InvalidArgument(name, "a zero quaternion", "a quaternion of positive length")
    return q


def _check_quaternion_and_velocity(q: ArrayLike, omega: ArrayLike) -> tuple[Array, Array]:
    """Return a checked unit quaternion and an angular velocity."""
    q, omega = arguments.unit_quaternion("q", q), arguments.vector("omega", omega)
    arguments.common_shape(q=q.shape[:-1], omega=omega.shape[:-1])
    return q, omega


def _check_quaternion_and_rate(q: ArrayLike, qdot: ArrayLike) -> tuple[Array, Array]:
    """Return a checked unit quaternion and its derivative."""
    q, qdot = arguments.unit_quaternion("q", q), arguments.vector("qdot", qdot, 4)
    arguments.common_shape(q=q.shape[:-1], qdot=qdot.shape[:-1])
    return q, qdot
