"""Rigid motions: SE(3), twists and wrenches, adjoints, exponential map, logarithm and their Jacobians.

A frame ``E`` is a 4 x 4 matrix, a twist ``xi = (omega, v)`` is written in the body frame, so that
``dE/dt = E hat(xi)``; a wrench is ``(torque, force)`` in the same frame.

>>> import numpy as np
>>> from rbnotes import se3, so3
>>> E = se3.frame(so3.exp([0, 0, np.pi / 2]), [1, 0, 0])
>>> (np.round(se3.transform_points(E, [2, 0, 0]), 6) + 0.0).tolist()
[1.0, 2.0, 0.0]
>>> spin = se3.Ad(E) @ [0, 0, 1, 0, 0, 0]  # about z, seen from the parent
>>> (np.round(spin, 6) + 0.0).tolist()
[0.0, 0.0, 1.0, 0.0, -1.0, 0.0]

Here arguments are checked; the formulas stand in ``rbnotes/unchecked/se3.py``.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.unchecked import se3


def frame(R: ArrayLike, p: ArrayLike) -> Array:
    """Pose ``(..., 4, 4)`` from rotation ``(..., 3, 3)`` and origin ``(..., 3)`` (Sueda 1.1, eq. (1.1)).

    Raises InvalidArgument if ``R`` is no rotation matrix or the shape of ``p`` does not fit.
    """
    R, p = arguments.rotation("R", R), arguments.vector("p", p)
    arguments.common_shape(R=R.shape[:-2], p=p.shape[:-1])
    return se3.frame(R, p)


def inverse(E: ArrayLike) -> Array:
    """Inverse pose ``(..., 4, 4)`` (Sueda 1.1, eq. (1.4)).

    Raises InvalidArgument if ``E`` is no pose.
    """
    return se3.inverse(arguments.frame("E", E))


def transform_points(E: ArrayLike, x: ArrayLike) -> Array:
    """Points ``(..., 3)`` from the frame's coordinates to those of its parent (Sueda 1.1, eq. (1.2)).

    Raises InvalidArgument if ``E`` is no pose or the shape of ``x`` does not fit.
    """
    E, x = arguments.frame("E", E), arguments.vector("x", x)
    arguments.common_shape(E=E.shape[:-2], x=x.shape[:-1])
    return se3.transform_points(E, x)


def hat(xi: ArrayLike) -> Array:
    """Matrix ``(..., 4, 4)`` of a twist (Sueda 1.2, eq. (1.6)).

    Raises InvalidArgument if the shape of ``xi`` does not fit.
    """
    return se3.hat(arguments.twist("xi", xi))


def vee(X: ArrayLike) -> Array:
    """Twist ``(..., 6)`` of its matrix, the inverse of :func:`hat`.

    Raises
    ------
    InvalidArgument
        If the upper left block is not skew-symmetric or the last row is not zero.
    """
    return se3.vee(arguments.twist_matrix("X", X))


def exp(xi: ArrayLike) -> Array:
    """Pose ``(..., 4, 4)`` that the twist ``xi`` reaches in unit time (Sueda 1.3, eq. (1.10)).

    Raises InvalidArgument if the shape of ``xi`` does not fit.
    """
    return se3.exp(arguments.twist_vector("xi", xi))


def log(E: ArrayLike) -> Array:
    """Twist **vector** ``(..., 6)`` that reaches ``E`` in unit time (Sueda 1.3, eq. (1.10)).

    It turns by at most pi, and at half turns as :func:`rbnotes.so3.log` does. Its matrix is ``hat(log(E))``.

    Raises InvalidArgument if ``E`` is no pose.
    """
    return se3.log(arguments.frame("E", E))


def Ad(E: ArrayLike) -> Array:
    """Adjoint ``(..., 6, 6)``: twists in the frame ``E`` to its parent's coordinates (Sueda 1.5, eq. (1.14)).

    Its transpose takes wrenches the other way.

    Raises InvalidArgument if ``E`` is no pose.
    """
    return se3.Ad(arguments.frame("E", E))


def Ad_inverse(E: ArrayLike) -> Array:
    """Inverse of :func:`Ad`, the adjoint of the inverse pose.

    Raises InvalidArgument if ``E`` is no pose.
    """
    return se3.Ad_inverse(arguments.frame("E", E))


def ad(xi: ArrayLike) -> Array:
    """Spatial cross product ``(..., 6, 6)``: ``ad(a) @ b`` is the Lie bracket of two twists.

    Sueda 1.5, eq. (1.19); Si & Guenter 3, eq. (3).

    Raises InvalidArgument if the shape of ``xi`` does not fit.
    """
    return se3.ad(arguments.twist("xi", xi))


def Ad_dot(E: ArrayLike, xi: ArrayLike) -> Array:
    """Time derivative of ``Ad(E)`` while ``E`` moves with body twist ``xi`` (Sueda 1.5, eq. (1.19)).

    Raises InvalidArgument if ``E`` is no pose or the shape of ``xi`` does not fit.
    """
    E, xi = arguments.frame("E", E), arguments.twist("xi", xi)
    arguments.common_shape(E=E.shape[:-2], xi=xi.shape[:-1])
    return se3.Ad_dot(E, xi)


def Ad_inverse_dot(E: ArrayLike, xi: ArrayLike) -> Array:
    """Time derivative of ``Ad_inverse(E)`` while ``E`` moves with body twist ``xi`` (Si & Guenter, C).

    Raises InvalidArgument if ``E`` is no pose or the shape of ``xi`` does not fit.
    """
    E, xi = arguments.frame("E", E), arguments.twist("xi", xi)
    arguments.common_shape(E=E.shape[:-2], xi=xi.shape[:-1])
    return se3.Ad_inverse_dot(E, xi)


def left_jacobian(xi: ArrayLike) -> Array:
    """Matrix ``(..., 6, 6)`` that takes ``dxi/dt`` to the twist of ``exp(xi)`` in the fixed frame.

    Raises InvalidArgument if the shape of ``xi`` does not fit.
    """
    return se3.left_jacobian(arguments.twist_vector("xi", xi))


def right_jacobian(xi: ArrayLike) -> Array:
    """Matrix ``(..., 6, 6)`` that takes ``dxi/dt`` to the body twist of ``exp(xi)``.

    Raises InvalidArgument if the shape of ``xi`` does not fit.
    """
    return se3.right_jacobian(arguments.twist_vector("xi", xi))


def left_jacobian_inverse(xi: ArrayLike) -> Array:
    """Inverse of :func:`left_jacobian`.

    Raises
    ------
    InvalidArgument
        If the shape of ``xi`` does not fit.
    SingularConfiguration
        If the angle is a positive multiple of 2 pi.
    """
    return se3.left_jacobian_inverse(arguments.twist_vector("xi", xi, full_turns=False))


def right_jacobian_inverse(xi: ArrayLike) -> Array:
    """Inverse of :func:`right_jacobian`; raises the same errors as :func:`left_jacobian_inverse`.

    Raises InvalidArgument if the shape of ``xi`` does not fit; SingularConfiguration if the angle is a
    positive multiple of 2 pi.
    """
    return se3.right_jacobian_inverse(arguments.twist_vector("xi", xi, full_turns=False))


def left_jacobian_dot(xi: ArrayLike, xidot: ArrayLike) -> Array:
    """Time derivative ``(..., 6, 6)`` of :func:`left_jacobian` along ``dxi/dt = xidot``.

    Raises InvalidArgument if the shape of ``xi`` or ``xidot`` does not fit.
    """
    return se3.left_jacobian_dot(*_check_twist_and_rate(xi, xidot))


def right_jacobian_dot(xi: ArrayLike, xidot: ArrayLike) -> Array:
    """Time derivative ``(..., 6, 6)`` of :func:`right_jacobian` along ``dxi/dt = xidot``.

    Raises InvalidArgument if the shape of ``xi`` or ``xidot`` does not fit.
    """
    return se3.right_jacobian_dot(*_check_twist_and_rate(xi, xidot))


def left_jacobian_inverse_dot(xi: ArrayLike, xidot: ArrayLike) -> Array:
    """Time derivative ``(..., 6, 6)`` of :func:`left_jacobian_inverse`, which raises the same errors.

    Raises InvalidArgument if the shape of ``xi`` or ``xidot`` does not fit.
    """
    return se3.left_jacobian_inverse_dot(*_check_twist_and_rate(xi, xidot, full_turns=False))


def right_jacobian_inverse_dot(xi: ArrayLike, xidot: ArrayLike) -> Array:
    """Time derivative ``(..., 6, 6)`` of :func:`right_jacobian_inverse`, which raises the same errors.

    Raises InvalidArgument if the shape of ``xi`` or ``xidot`` does not fit; SingularConfiguration if the
    angle is a positive multiple of 2 pi.
    """
    return se3.right_jacobian_inverse_dot(*_check_twist_and_rate(xi, xidot, full_turns=False))


def interpolate(E0: ArrayLike, E1: ArrayLike, t: ArrayLike) -> Array:
    """Pose on the screw motion from ``E0`` (t = 0) to ``E1`` (t = 1), with a constant body twist.

    ``t`` broadcasts against the leading axes of the frames.

    Raises InvalidArgument if ``E0`` or ``E1`` is no pose or the shape of ``t`` does not fit.
    """
    E0, E1 = arguments.frame("E0", E0), arguments.frame("E1", E1)
    t = arguments.real_array("t", t)
    arguments.common_shape(E0=E0.shape[:-2], E1=E1.shape[:-2], t=t.shape)
    return se3.interpolate(E0, E1, t)


def Gamma(x: ArrayLike) -> Array:
    """Matrix ``(..., 3, 6)`` from the body twist to the velocity of its point ``x``, in body coordinates.

    Sueda 1.4, eq. (1.12): ``Gamma = ([x]^T  I)``; the material Jacobian is ``R Gamma``.

    Raises InvalidArgument if the shape of ``x`` does not fit.
    """
    return se3.Gamma(arguments.vector("x", x))


def point_velocity(E: ArrayLike, x: ArrayLike, xi: ArrayLike) -> Array:
    """World velocity ``(..., 3)`` of the body's point ``x`` when the body at ``E`` has twist ``xi``.

    Sueda 1.4, eq. (1.12).

    Raises InvalidArgument if ``E`` is no pose or the shape of ``x`` or ``xi`` does not fit.
    """
    E, x, xi = arguments.frame("E", E), arguments.vector("x", x), arguments.twist("xi", xi)
    arguments.common_shape(E=E.shape[:-2], x=x.shape[:-1], xi=xi.shape[:-1])
    return se3.point_velocity(E, x, xi)


def point_wrench(E: ArrayLike, x: ArrayLike, f: ArrayLike) -> Array:
    """Body wrench ``(..., 6)`` of a world force ``f`` at the point ``x`` of the body at ``E``.

    Sueda 1.4, eq. (1.13).

    Raises InvalidArgument if ``E`` is no pose or the shape of ``x`` or ``f`` does not fit.
    """
    E, x, f = arguments.frame("E", E), arguments.vector("x", x), arguments.vector("f", f)
    arguments.common_shape(E=E.shape[:-2], x=x.shape[:-1], f=f.shape[:-1])
    return se3.point_wrench(E, x, f)


def _check_twist_and_rate(xi: ArrayLike, xidot: ArrayLike, *, full_turns: bool = True) -> tuple[Array, Array]:
    """A checked twist vector and its rate."""
    xi, xidot = arguments.twist_vector("xi", xi, full_turns=full_turns), arguments.twist("xidot", xidot)
    arguments.common_shape(xi=xi.shape[:-1], xidot=xidot.shape[:-1])
    return xi, xidot
