"""Rotations: SO(3), its exponential map and logarithm, and their Jacobians.

A rotation vector ``w`` is axis times angle, ``exp(w)`` is its rotation matrix, and ``log`` is the inverse of
``exp``. Jacobians are named for the side of the increment::

    d/dt exp(w) = exp(w) hat(right_jacobian(w) dw/dt)     angular velocity in the body frame
                = hat(left_jacobian(w) dw/dt) exp(w)      angular velocity in the world frame

Angles may be large: the result is that of a vector that differs from ``w`` by its rounding, so that at 1e6
rad all results are accurate to 1e-10 rad.

>>> import numpy as np
>>> from rbnotes import so3
>>> quarter_turn = so3.exp([0, 0, np.pi / 2])
>>> (np.round(quarter_turn @ [1, 0, 0], 6) + 0.0).tolist()
[0.0, 1.0, 0.0]
>>> so3.log(so3.exp([0.1, 0.2, 0.3])).round(6).tolist()
[0.1, 0.2, 0.3]

The functions check their arguments and call the formulas in ``rbnotes/unchecked/so3.py``.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.unchecked import so3


def hat(w: ArrayLike) -> Array:
    """Return the cross-product matrix, ``hat(w) @ x == cross(w, x)`` (Sueda 1.2, eq. (1.7)).

    Parameters
    ----------
    w : (..., 3)
        Vector in any unit.

    Returns
    -------
    (..., 3, 3)
        Matrix in the unit of the vector.

    Raises
    ------
    InvalidArgument
        If the shape of ``w`` does not fit.
    """
    return so3.hat(arguments.vector("w", w))


def vee(W: ArrayLike) -> Array:
    """Return the vector ``(..., 3)`` of a skew-symmetric matrix ``(..., 3, 3)``, the inverse of :func:`hat`.

    Raises
    ------
    InvalidArgument
        If ``W`` is not skew-symmetric to rounding.
    """
    return so3.vee(arguments.skew_symmetric("W", W))


def exp(w: ArrayLike) -> Array:
    """Return the rotation matrix ``(..., 3, 3)`` of a vector by Rodrigues' formula (Sueda 1.3, eq. (1.10)).

    Raises
    ------
    InvalidArgument
        If the shape of ``w`` does not fit.
    """
    return so3.exp(arguments.rotation_vector("w", w))


def log(R: ArrayLike) -> Array:
    """Return the rotation **vector** ``(..., 3)`` of a matrix, of length at most pi (Sueda 1.3, eq. (1.10)).

    Its matrix is ``hat(log(R))``. Half turns have two logarithms, ``w`` and ``-w``: the one whose first
    nonzero component is positive is returned.

    Raises
    ------
    InvalidArgument
        If ``R`` is not a rotation matrix; the message says how far it is from one.
    """
    return so3.log(arguments.rotation("R", R))


def angle(R: ArrayLike) -> Array:
    """Return the angle of rotation ``(...)``, between 0 and pi.

    Raises
    ------
    InvalidArgument
        If ``R`` is not a rotation matrix.
    """
    return so3.angle(arguments.rotation("R", R))


def left_jacobian(w: ArrayLike) -> Array:
    """Return the matrix ``(..., 3, 3)`` from ``dw/dt`` to the world angular velocity of ``exp(w)``.

    Raises
    ------
    InvalidArgument
        If the shape of ``w`` does not fit.
    """
    return so3.left_jacobian(arguments.rotation_vector("w", w))


def right_jacobian(w: ArrayLike) -> Array:
    """Return the matrix ``(..., 3, 3)`` from ``dw/dt`` to the body angular velocity of ``exp(w)``.

    Raises
    ------
    InvalidArgument
        If the shape of ``w`` does not fit.
    """
    return so3.right_jacobian(arguments.rotation_vector("w", w))


def left_jacobian_inverse(w: ArrayLike) -> Array:
    """Return the inverse ``(..., 3, 3)`` of :func:`left_jacobian`.

    Raises
    ------
    InvalidArgument
        If the shape of ``w`` does not fit.
    SingularConfiguration
        If the angle is a positive multiple of 2 pi, where no inverse exists.
    """
    return so3.left_jacobian_inverse(arguments.rotation_vector("w", w, full_turns=False))


def right_jacobian_inverse(w: ArrayLike) -> Array:
    """Return the inverse ``(..., 3, 3)`` of :func:`right_jacobian`.

    Raises
    ------
    InvalidArgument
        If the shape of ``w`` does not fit.
    SingularConfiguration
        If the angle is a positive multiple of 2 pi.
    """
    return so3.right_jacobian_inverse(arguments.rotation_vector("w", w, full_turns=False))


def left_jacobian_dot(w: ArrayLike, wdot: ArrayLike) -> Array:
    """Return the time derivative ``(..., 3, 3)`` of :func:`left_jacobian` along ``dw/dt = wdot``.

    Raises
    ------
    InvalidArgument
        If the shape of ``w`` or ``wdot`` does not fit.
    """
    return so3.left_jacobian_dot(*_check_vector_and_rate(w, wdot))


def right_jacobian_dot(w: ArrayLike, wdot: ArrayLike) -> Array:
    """Return the time derivative ``(..., 3, 3)`` of :func:`right_jacobian` along ``dw/dt = wdot``.

    Raises
    ------
    InvalidArgument
        If the shape of ``w`` or ``wdot`` does not fit.
    """
    return so3.right_jacobian_dot(*_check_vector_and_rate(w, wdot))


def left_jacobian_inverse_dot(w: ArrayLike, wdot: ArrayLike) -> Array:
    """Return the time derivative ``(..., 3, 3)`` of :func:`left_jacobian_inverse`.

    Raises
    ------
    InvalidArgument
        If the shape of ``w`` or ``wdot`` does not fit.
    SingularConfiguration
        If the angle is a positive multiple of 2 pi.
    """
    return so3.left_jacobian_inverse_dot(*_check_vector_and_rate(w, wdot, full_turns=False))


def right_jacobian_inverse_dot(w: ArrayLike, wdot: ArrayLike) -> Array:
    """Return the time derivative ``(..., 3, 3)`` of :func:`right_jacobian_inverse`.

    Raises
    ------
    InvalidArgument
        If the shape of ``w`` or ``wdot`` does not fit.
    SingularConfiguration
        If the angle is a positive multiple of 2 pi.
    """
    return so3.right_jacobian_inverse_dot(*_check_vector_and_rate(w, wdot, full_turns=False))


def left_jacobian_hessian(w: ArrayLike, u: ArrayLike, v: ArrayLike) -> Array:
    """Return the second derivative ``(..., 3, 3)`` of :func:`left_jacobian` along ``u`` and ``v``.

    Raises
    ------
    InvalidArgument
        If the shape of ``w``, ``u`` or ``v`` does not fit.
    """
    w, u, v = arguments.rotation_vector("w", w), arguments.vector("u", u), arguments.vector("v", v)
    arguments.common_shape(w=w.shape[:-1], u=u.shape[:-1], v=v.shape[:-1])
    return so3.left_jacobian_hessian(w, u, v)


def interpolate(R0: ArrayLike, R1: ArrayLike, t: ArrayLike) -> Array:
    """Return the rotation on the shortest path from ``R0`` (t = 0) to ``R1`` (t = 1), at constant velocity.

    ``t`` broadcasts against the leading axes of the rotations.

    Raises
    ------
    InvalidArgument
        If ``R0`` or ``R1`` is not a rotation matrix or the shape of ``t`` does not fit.
    """
    R0, R1 = arguments.rotation("R0", R0), arguments.rotation("R1", R1)
    t = arguments.real_array("t", t)
    arguments.common_shape(R0=R0.shape[:-2], R1=R1.shape[:-2], t=t.shape)
    return so3.interpolate(R0, R1, t)


def _check_vector_and_rate(w: ArrayLike, wdot: ArrayLike, *, full_turns: bool = True) -> tuple[Array, Array]:
    """Return a checked rotation vector and its rate."""
    w, wdot = arguments.rotation_vector("w", w, full_turns=full_turns), arguments.vector("wdot", wdot)
    arguments.common_shape(w=w.shape[:-1], wdot=wdot.shape[:-1])
    return w, wdot
