"""Rigid motions: SE(3), twists and wrenches, adjoints, exponential map, logarithm and their Jacobians.

A frame ``E`` is a 4 x 4 matrix, a twist ``xi = (omega, v)`` is written in the body frame, so that
``dE/dt = E hat(xi)``; a wrench is ``(torque, force)`` in the same frame.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments, so3
from rbnotes.arguments import Array, InvalidArgument


def frame(R: ArrayLike, p: ArrayLike) -> Array:
    """Pose ``(..., 4, 4)`` from rotation ``(..., 3, 3)`` and origin ``(..., 3)`` (Sueda 1.1, eq. (1.1))."""
    R, p = arguments.rotation("R", R), arguments.vector("p", p)
    shape = arguments.common_shape(R=R.shape[:-2], p=p.shape[:-1])
    E = np.zeros((*shape, 4, 4))
    E[..., :3, :3], E[..., :3, 3], E[..., 3, 3] = R, p, 1
    return E


def inverse(E: ArrayLike) -> Array:
    """Inverse pose ``(..., 4, 4)`` (Sueda 1.1, eq. (1.4))."""
    R, p = _parts(arguments.frame("E", E))
    Rt = np.swapaxes(R, -1, -2)
    return frame(Rt, -_apply(Rt, p))


def transform_points(E: ArrayLike, x: ArrayLike) -> Array:
    """Points ``(..., 3)`` from the frame's coordinates to those of its parent (Sueda 1.1, eq. (1.2))."""
    E, x = arguments.frame("E", E), arguments.vector("x", x)
    arguments.common_shape(E=E.shape[:-2], x=x.shape[:-1])
    R, p = _parts(E)
    return _apply(R, x) + p


def hat(xi: ArrayLike) -> Array:
    """Matrix ``(..., 4, 4)`` of a twist (Sueda 1.2, eq. (1.6))."""
    xi = arguments.twist("xi", xi)
    X = np.zeros((*xi.shape[:-1], 4, 4))
    X[..., :3, :3], X[..., :3, 3] = so3.hat(xi[..., :3]), xi[..., 3:]
    return X


def vee(X: ArrayLike) -> Array:
    """Twist ``(..., 6)`` of its matrix, the inverse of :func:`hat`.

    Raises
    ------
    InvalidArgument
        If the upper left block is not skew-symmetric or the last row is not zero.
    """
    X = arguments.array("X", X, 4, 4)
    if np.any(np.abs(X[..., 3, :]) > 1e-10 * np.max(np.abs(X), axis=(-1, -2), initial=1.0)[..., None]):
        raise InvalidArgument("X", "a last row other than zero", "the matrix of a twist")
    return np.concatenate([so3.vee(X[..., :3, :3]), X[..., :3, 3]], axis=-1)


def exp(xi: ArrayLike) -> Array:
    """Pose ``(..., 4, 4)`` that the twist ``xi`` reaches in unit time (Sueda 1.3, eq. (1.10))."""
    xi = arguments.twist("xi", xi)
    w, v = xi[..., :3], xi[..., 3:]
    return frame(so3.exp(w), _apply(so3.left_jacobian(w), v))


def log(E: ArrayLike) -> Array:
    """Twist **vector** ``(..., 6)`` that reaches ``E`` in unit time (Sueda 1.3, eq. (1.10)).

    It turns by at most pi, and at half turns as :func:`rbnotes.so3.log` does. Its matrix is ``hat(log(E))``.
    """
    R, p = _parts(arguments.frame("E", E))
    w = so3.log(R)
    return np.concatenate([w, _apply(so3.left_jacobian_inverse(w), p)], axis=-1)


def Ad(E: ArrayLike) -> Array:
    """Adjoint ``(..., 6, 6)``: twists in the frame ``E`` to its parent's coordinates (Sueda 1.5, eq. (1.14)).

    Its transpose takes wrenches the other way.
    """
    R, p = _parts(arguments.frame("E", E))
    return _lower_triangular(R, so3.hat(p) @ R)


def Ad_inverse(E: ArrayLike) -> Array:
    """Inverse of :func:`Ad`, the adjoint of the inverse pose."""
    return Ad(inverse(E))


def ad(xi: ArrayLike) -> Array:
    """Spatial cross product ``(..., 6, 6)``: ``ad(a) @ b`` is the Lie bracket of two twists.

    Sueda 1.5, eq. (1.19); Si & Guenter 3, eq. (3).
    """
    xi = arguments.twist("xi", xi)
    return _lower_triangular(so3.hat(xi[..., :3]), so3.hat(xi[..., 3:]))


def Ad_dot(E: ArrayLike, xi: ArrayLike) -> Array:
    """Time derivative of ``Ad(E)`` while ``E`` moves with body twist ``xi`` (Sueda 1.5, eq. (1.19))."""
    adjoint, bracket = Ad(E), ad(xi)
    arguments.common_shape(E=adjoint.shape[:-2], xi=bracket.shape[:-2])
    return adjoint @ bracket


def Ad_inverse_dot(E: ArrayLike, xi: ArrayLike) -> Array:
    """Time derivative of ``Ad_inverse(E)`` while ``E`` moves with body twist ``xi`` (Si & Guenter, C)."""
    adjoint, bracket = Ad_inverse(E), ad(xi)
    arguments.common_shape(E=adjoint.shape[:-2], xi=bracket.shape[:-2])
    return -bracket @ adjoint


def left_jacobian(xi: ArrayLike) -> Array:
    """Matrix ``(..., 6, 6)`` that takes ``dxi/dt`` to the twist of ``exp(xi)`` in the fixed frame."""
    xi = arguments.twist("xi", xi)
    w, v = xi[..., :3], xi[..., 3:]
    # The series of so3.left_jacobian in the block matrix ad(xi): its lower block is the derivative along v.
    return _lower_triangular(so3.left_jacobian(w), so3.left_jacobian_dot(w, v))


def right_jacobian(xi: ArrayLike) -> Array:
    """Matrix ``(..., 6, 6)`` that takes ``dxi/dt`` to the body twist of ``exp(xi)``."""
    return left_jacobian(-arguments.twist("xi", xi))


def left_jacobian_inverse(xi: ArrayLike) -> Array:
    """Inverse of :func:`left_jacobian`.

    Raises
    ------
    SingularConfiguration
        If the angle is a positive multiple of 2 pi.
    """
    xi = arguments.twist("xi", xi)
    w, v = xi[..., :3], xi[..., 3:]
    inverse = so3.left_jacobian_inverse(w)
    return _lower_triangular(inverse, -inverse @ so3.left_jacobian_dot(w, v) @ inverse)


def right_jacobian_inverse(xi: ArrayLike) -> Array:
    """Inverse of :func:`right_jacobian`; raises the same errors as :func:`left_jacobian_inverse`."""
    return left_jacobian_inverse(-arguments.twist("xi", xi))


def left_jacobian_dot(xi: ArrayLike, xidot: ArrayLike) -> Array:
    """Time derivative ``(..., 6, 6)`` of :func:`left_jacobian` along ``dxi/dt = xidot``."""
    xi, xidot = arguments.twist("xi", xi), arguments.twist("xidot", xidot)
    arguments.common_shape(xi=xi.shape[:-1], xidot=xidot.shape[:-1])
    w, v, wdot, vdot = xi[..., :3], xi[..., 3:], xidot[..., :3], xidot[..., 3:]
    return _lower_triangular(
        so3.left_jacobian_dot(w, wdot),
        so3.left_jacobian_dot(w, vdot) + so3.left_jacobian_hessian(w, v, wdot),
    )


def right_jacobian_dot(xi: ArrayLike, xidot: ArrayLike) -> Array:
    """Time derivative ``(..., 6, 6)`` of :func:`right_jacobian` along ``dxi/dt = xidot``."""
    return left_jacobian_dot(-arguments.twist("xi", xi), -arguments.twist("xidot", xidot))


def left_jacobian_inverse_dot(xi: ArrayLike, xidot: ArrayLike) -> Array:
    """Time derivative ``(..., 6, 6)`` of :func:`left_jacobian_inverse`, which raises the same errors."""
    inverse, rate = left_jacobian_inverse(xi), left_jacobian_dot(xi, xidot)
    return -inverse @ rate @ inverse


def right_jacobian_inverse_dot(xi: ArrayLike, xidot: ArrayLike) -> Array:
    """Time derivative ``(..., 6, 6)`` of :func:`right_jacobian_inverse`, which raises the same errors."""
    return left_jacobian_inverse_dot(-arguments.twist("xi", xi), -arguments.twist("xidot", xidot))


def interpolate(E0: ArrayLike, E1: ArrayLike, t: ArrayLike) -> Array:
    """Pose on the screw motion from ``E0`` (t = 0) to ``E1`` (t = 1), with a constant body twist.

    ``t`` broadcasts against the leading axes of the frames.
    """
    E0, E1 = arguments.frame("E0", E0), arguments.frame("E1", E1)
    t = arguments.scalar("t", t)
    arguments.common_shape(E0=E0.shape[:-2], E1=E1.shape[:-2], t=t.shape)
    return E0 @ exp(t[..., None] * log(inverse(E0) @ E1))


def Gamma(x: ArrayLike) -> Array:
    """Matrix ``(..., 3, 6)`` from the body twist to the velocity of its point ``x``, in body coordinates.

    Sueda 1.4, eq. (1.12): ``Gamma = ([x]^T  I)``; the material Jacobian is ``R Gamma``.
    """
    x = arguments.vector("x", x)
    identity = np.broadcast_to(np.eye(3), (*x.shape, 3))
    return np.concatenate([-so3.hat(x), identity], axis=-1)


def point_velocity(E: ArrayLike, x: ArrayLike, xi: ArrayLike) -> Array:
    """World velocity ``(..., 3)`` of the body's point ``x`` when the body at ``E`` has twist ``xi``.

    Sueda 1.4, eq. (1.12).
    """
    E, x, xi = arguments.frame("E", E), arguments.vector("x", x), arguments.twist("xi", xi)
    arguments.common_shape(E=E.shape[:-2], x=x.shape[:-1], xi=xi.shape[:-1])
    R, _ = _parts(E)
    return _apply(R, _apply(Gamma(x), xi))


def point_wrench(E: ArrayLike, x: ArrayLike, f: ArrayLike) -> Array:
    """Body wrench ``(..., 6)`` of a world force ``f`` at the point ``x`` of the body at ``E``.

    Sueda 1.4, eq. (1.13).
    """
    E, x, f = arguments.frame("E", E), arguments.vector("x", x), arguments.vector("f", f)
    arguments.common_shape(E=E.shape[:-2], x=x.shape[:-1], f=f.shape[:-1])
    R, _ = _parts(E)
    local = _apply(np.swapaxes(R, -1, -2), f)
    return _apply(np.swapaxes(Gamma(x), -1, -2), local)


def _parts(E: Array) -> tuple[Array, Array]:
    return E[..., :3, :3], E[..., :3, 3]


def _apply(A: Array, x: Array) -> Array:
    """Matrix times vector over leading axes."""
    return np.einsum("...ij,...j->...i", A, x)


def _lower_triangular(diagonal: Array, below: Array) -> Array:
    result = np.zeros((*diagonal.shape[:-2], 6, 6))
    result[..., :3, :3] = result[..., 3:, 3:] = diagonal
    result[..., 3:, :3] = below
    return result
