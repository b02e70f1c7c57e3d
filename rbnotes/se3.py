"""Rigid motions: SE(3), twists and wrenches, adjoints, exponential map, logarithm and their Jacobians.

A pose ``E`` is a 4 x 4 matrix; a twist ``xi = (omega, v)`` is expressed in the body frame, so that
``dE/dt = E hat(xi)``; a wrench is ``(torque, force)`` in the same frame.

>>> import numpy as np
>>> from rbnotes import se3, so3
>>> E = se3.frame(so3.exp([0, 0, np.pi / 2]), [1, 0, 0])
>>> (np.round(se3.transform_points(E, [2, 0, 0]), 6) + 0.0).tolist()
[1.0, 2.0, 0.0]
>>> spin = se3.Ad(E) @ [0, 0, 1, 0, 0, 0]  # about z, seen from the parent
>>> (np.round(spin, 6) + 0.0).tolist()
[0.0, 0.0, 1.0, 0.0, -1.0, 0.0]

The functions check their arguments and call the formulas in ``rbnotes/unchecked/se3.py``.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.unchecked import se3


def frame(R: ArrayLike, p: ArrayLike) -> Array:
    """Return the pose ``(..., 4, 4)`` of a rotation ``(..., 3, 3)`` and an origin ``(..., 3)`` (Sueda (1.1)).

    Raises
    ------
    InvalidArgument
        If ``R`` is not a rotation matrix or the shape of ``p`` does not fit.
    """
    R, p = arguments.rotation("R", R), arguments.vector("p", p)
    arguments.common_shape(R=R.shape[:-2], p=p.shape[:-1])
    return se3.frame(R, p)


def inverse(E: ArrayLike) -> Array:
    """Return the inverse pose ``(..., 4, 4)`` (Sueda 1.1, eq. (1.4)).

    Raises
    ------
    InvalidArgument
        If ``E`` is not a pose.
    """
    return se3.inverse(arguments.frame("E", E))


def transform_points(E: ArrayLike, x: ArrayLike) -> Array:
    """Transform points ``(..., 3)`` from the frame to its parent (Sueda 1.1, eq. (1.2)).

    Raises
    ------
    InvalidArgument
        If ``E`` is not a pose or the shape of ``x`` does not fit.
    """
    E, x = arguments.frame("E", E), arguments.vector("x", x)
    arguments.common_shape(E=E.shape[:-2], x=x.shape[:-1])
    return se3.transform_points(E, x)


def hat(xi: ArrayLike) -> Array:
    """Return the matrix ``(..., 4, 4)`` of a twist (Sueda 1.2, eq. (1.6)).

    Raises
    ------
    InvalidArgument
        If the shape of ``xi`` does not fit.
    """
    return se3.hat(arguments.twist("xi", xi))


def vee(X: ArrayLike) -> Array:
    """Return the twist ``(..., 6)`` of a matrix, the inverse of :func:`hat`.

    Raises
    ------
    InvalidArgument
        If the upper left block is not skew-symmetric or the last row is not zero.
    """
    return se3.vee(arguments.twist_matrix("X", X))


def exp(xi: ArrayLike) -> Array:
    """Return the pose ``(..., 4, 4)`` that the twist ``xi`` reaches in unit time (Sueda 1.3, eq. (1.10)).

    Raises
    ------
    InvalidArgument
        If the shape of ``xi`` does not fit.
    """
    return se3.exp(arguments.twist_vector("xi", xi))


def log(E: ArrayLike) -> Array:
    """Return the twist **vector** ``(..., 6)`` that reaches ``E`` in unit time (Sueda 1.3, eq. (1.10)).

    Its angle is at most pi; half turns are treated as in :func:`rbnotes.so3.log`. Its matrix is
    ``hat(log(E))``.

    Raises
    ------
    InvalidArgument
        If ``E`` is not a pose.
    """
    return se3.log(arguments.frame("E", E))


def Ad(E: ArrayLike) -> Array:
    """Return the adjoint ``(..., 6, 6)`` from twists in ``E`` to those in its parent (Sueda 1.5, eq. (1.14)).

    Its transpose takes wrenches from the parent to ``E``.

    Raises
    ------
    InvalidArgument
        If ``E`` is not a pose.
    """
    return se3.Ad(arguments.frame("E", E))


def Ad_inverse(E: ArrayLike) -> Array:
    """Return the inverse of :func:`Ad`, the adjoint of the inverse pose.

    Raises
    ------
    InvalidArgument
        If ``E`` is not a pose.
    """
    return se3.Ad_inverse(arguments.frame("E", E))


def ad(xi: ArrayLike) -> Array:
    """Return the matrix ``(..., 6, 6)`` of the Lie bracket ``ad(a) @ b`` of two twists.

    Sueda 1.5, eq. (1.19); Si & Guenter 3, eq. (3).

    Raises
    ------
    InvalidArgument
        If the shape of ``xi`` does not fit.
    """
    return se3.ad(arguments.twist("xi", xi))


def Ad_dot(E: ArrayLike, xi: ArrayLike) -> Array:
    """Return the time derivative of ``Ad(E)`` for the body twist ``xi`` of ``E`` (Sueda 1.5, eq. (1.19)).

    Raises
    ------
    InvalidArgument
        If ``E`` is not a pose or the shape of ``xi`` does not fit.
    """
    E, xi = arguments.frame("E", E), arguments.twist("xi", xi)
    arguments.common_shape(E=E.shape[:-2], xi=xi.shape[:-1])
    return se3.Ad_dot(E, xi)


def Ad_inverse_dot(E: ArrayLike, xi: ArrayLike) -> Array:
    """Return the time derivative of ``Ad_inverse(E)`` for the body twist ``xi`` of ``E`` (Si & Guenter, C).

    Raises
    ------
    InvalidArgument
        If ``E`` is not a pose or the shape of ``xi`` does not fit.
    """
    E, xi = arguments.frame("E", E), arguments.twist("xi", xi)
    arguments.common_shape(E=E.shape[:-2], xi=xi.shape[:-1])
    return se3.Ad_inverse_dot(E, xi)


def left_jacobian(xi: ArrayLike) -> Array:
    """Return the matrix ``(..., 6, 6)`` that takes ``dxi/dt`` to the twist of ``exp(xi)`` in the fixed frame.

    Raises
    ------
    InvalidArgument
        If the shape of ``xi`` does not fit.
    """
    return se3.left_jacobian(arguments.twist_vector("xi", xi))


def right_jacobian(xi: ArrayLike) -> Array:
    """Return the matrix ``(..., 6, 6)`` that takes ``dxi/dt`` to the body twist of ``exp(xi)``.

    Raises
    ------
    InvalidArgument
        If the shape of ``xi`` does not fit.
    """
    return se3.right_jacobian(arguments.twist_vector("xi", xi))


def left_jacobian_inverse(xi: ArrayLike) -> Array:
    """Return the inverse ``(..., 6, 6)`` of :func:`left_jacobian`.

    Raises
    ------
    InvalidArgument
        If the shape of ``xi`` does not fit.
    SingularConfiguration
        If the angle is a positive multiple of 2 pi.
    """
    return se3.left_jacobian_inverse(arguments.twist_vector("xi", xi, full_turns=False))


def right_jacobian_inverse(xi: ArrayLike) -> Array:
    """Return the inverse ``(..., 6, 6)`` of :func:`right_jacobian`.

    Raises
    ------
    InvalidArgument
        If the shape of ``xi`` does not fit.
    SingularConfiguration
        If the angle is a positive multiple of 2 pi.
    """
    return se3.right_jacobian_inverse(arguments.twist_vector("xi", xi, full_turns=False))


def left_jacobian_dot(xi: ArrayLike, xidot: ArrayLike) -> Array:
    """Return the time derivative ``(..., 6, 6)`` of :func:`left_jacobian` along ``dxi/dt = xidot``.

    Raises
    ------
    InvalidArgument
        If the shape of ``xi`` or ``xidot`` does not fit.
    """
    return se3.left_jacobian_dot(*_check_twist_and_rate(xi, xidot))


def right_jacobian_dot(xi: ArrayLike, xidot: ArrayLike) -> Array:
    """Return the time derivative ``(..., 6, 6)`` of :func:`right_jacobian` along ``dxi/dt = xidot``.

    Raises
    ------
    InvalidArgument
        If the shape of ``xi`` or ``xidot`` does not fit.
    """
    return se3.right_jacobian_dot(*_check_twist_and_rate(xi, xidot))


def left_jacobian_inverse_dot(xi: ArrayLike, xidot: ArrayLike) -> Array:
    """Return the time derivative ``(..., 6, 6)`` of :func:`left_jacobian_inverse`.

    Raises
    ------
    InvalidArgument
        If the shape of ``xi`` or ``xidot`` does not fit.
    """
    return se3.left_jacobian_inverse_dot(*_check_twist_and_rate(xi, xidot, full_turns=False))


def right_jacobian_inverse_dot(xi: ArrayLike, xidot: ArrayLike) -> Array:
    """Return the time derivative ``(..., 6, 6)`` of :func:`right_jacobian_inverse`.

    Raises
    ------
    InvalidArgument
        If the shape of ``xi`` or ``xidot`` does not fit.
    SingularConfiguration
        If the angle is a positive multiple of 2 pi.
    """
    return se3.right_jacobian_inverse_dot(*_check_twist_and_rate(xi, xidot, full_turns=False))


def interpolate(E0: ArrayLike, E1: ArrayLike, t: ArrayLike) -> Array:
    """Return the pose on the screw motion from ``E0`` (t = 0) to ``E1`` (t = 1), with a constant body twist.

    ``t`` broadcasts against the leading axes of the frames.

    Raises
    ------
    InvalidArgument
        If ``E0`` or ``E1`` is not a pose or the shape of ``t`` does not fit.
    """
    E0, E1 = arguments.frame("E0", E0), arguments.frame("E1", E1)
    t = arguments.real_array("t", t)
    arguments.common_shape(E0=E0.shape[:-2], E1=E1.shape[:-2], t=t.shape)
    return se3.interpolate(E0, E1, t)


def Gamma(x: ArrayLike) -> Array:
    """Return the matrix ``(..., 3, 6)`` from the body twist to the velocity of its point ``x`` in the body.

    Sueda 1.4, eq. (1.12): ``Gamma = ([x]^T  I)``; the material Jacobian is ``R Gamma``.

    Raises
    ------
    InvalidArgument
        If the shape of ``x`` does not fit.
    """
    return se3.Gamma(arguments.vector("x", x))


def point_velocity(E: ArrayLike, x: ArrayLike, xi: ArrayLike) -> Array:
    """Return the world velocity ``(..., 3)`` of the point ``x`` of a body at ``E`` with twist ``xi``.

    Sueda 1.4, eq. (1.12).

    Raises
    ------
    InvalidArgument
        If ``E`` is not a pose or the shape of ``x`` or ``xi`` does not fit.
    """
    E, x, xi = arguments.frame("E", E), arguments.vector("x", x), arguments.twist("xi", xi)
    arguments.common_shape(E=E.shape[:-2], x=x.shape[:-1], xi=xi.shape[:-1])
    return se3.point_velocity(E, x, xi)


def point_wrench(E: ArrayLike, x: ArrayLike, f: ArrayLike) -> Array:
    """Return the body wrench ``(..., 6)`` of a world force ``f`` at the point ``x`` of the body at ``E``.

    Sueda 1.4, eq. (1.13).

    Raises
    ------
    InvalidArgument
        If ``E`` is not a pose or the shape of ``x`` or ``f`` does not fit.
    """
    E, x, f = arguments.frame("E", E), arguments.vector("x", x), arguments.vector("f", f)
    arguments.common_shape(E=E.shape[:-2], x=x.shape[:-1], f=f.shape[:-1])
    return se3.point_wrench(E, x, f)


def _check_twist_and_rate(xi: ArrayLike, xidot: ArrayLike, *, full_turns: bool = True) -> tuple[Array, Array]:
    """Return a checked twist vector and its rate."""
    xi, xidot = arguments.twist_vector("xi", xi, full_turns=full_turns), arguments.twist("xidot", xidot)
    arguments.common_shape(xi=xi.shape[:-1], xidot=xidot.shape[:-1])
    return xi, xidot
