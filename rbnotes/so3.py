"""Rotations: SO(3), its exponential map and logarithm, and their Jacobians.

A rotation vector ``w`` is axis times angle; ``exp(w)`` is the rotation matrix it stands for, and
``log(R)`` gives the vector back. Increments are named for the side they are on::

    d/dt exp(w) = exp(w) hat(right_jacobian(w) dw/dt)     angular velocity in the body frame
                = hat(left_jacobian(w) dw/dt) exp(w)      angular velocity in the world frame
"""

from __future__ import annotations

import numpy as np
from numpy.polynomial.polynomial import polyval
from numpy.typing import ArrayLike
from scipy.special import bernoulli, factorial

from rbnotes import arguments, quaternion
from rbnotes.arguments import Array, InvalidArgument, SingularConfiguration

SERIES_BELOW = 1.0
"""Angle below which coefficients are summed as series; twelve terms leave less than rounding there."""

ANGLE_BELOW = 1e100
"""Rotation vectors must be shorter; the square of the angle must not overflow."""


def hat(w: ArrayLike) -> Array:
    """Cross-product matrix: ``hat(w) @ x == cross(w, x)`` (Sueda 1.2, eq. (1.7)).

    Parameters
    ----------
    w : (..., 3)

    Returns
    -------
    (..., 3, 3)
    """
    return _hat(arguments.vector("w", w))


def vee(W: ArrayLike) -> Array:
    """Vector ``(..., 3)`` of a skew-symmetric matrix ``(..., 3, 3)``, the inverse of :func:`hat`.

    Raises
    ------
    InvalidArgument
        If ``W`` is not skew-symmetric to rounding.
    """
    W = arguments.array("W", W, 3, 3)
    defect = np.max(np.abs(W + np.swapaxes(W, -1, -2)), axis=(-1, -2), initial=0.0)
    if np.any(defect > 1e-10 * np.max(np.abs(W), axis=(-1, -2), initial=1.0)):
        got = f"a matrix with max |W + W^T| = {np.max(defect):.3g}"
        raise InvalidArgument("W", got, "a skew-symmetric matrix")
    # The mean of the two entries, so that rounding in either is halved.
    return (
        np.stack(
            [W[..., 2, 1] - W[..., 1, 2], W[..., 0, 2] - W[..., 2, 0], W[..., 1, 0] - W[..., 0, 1]], axis=-1
        )
        / 2
    )


def exp(w: ArrayLike) -> Array:
    """Rotation matrix ``(..., 3, 3)`` of a rotation vector, by Rodrigues' formula (Sueda 1.3, eq. (1.10))."""
    w = _rotation_vector("w", w)
    W, (c1, c2) = _hat(w), _stumpff(w, 2)
    return np.eye(3) + c1 * W + c2 * (W @ W)


def log(R: ArrayLike) -> Array:
    """Rotation **vector** ``(..., 3)`` of a rotation matrix, of length at most pi (Sueda 1.3, eq. (1.10)).

    Its matrix is ``hat(log(R))``. Half turns have two logarithms, ``w`` and ``-w``: the one whose first
    component that is not zero is positive is returned.

    Raises
    ------
    InvalidArgument
        If ``R`` is not a rotation matrix; the message says how far it is from one.
    """
    return quaternion.to_rotation_vector(quaternion.from_rotation(R))


def angle(R: ArrayLike) -> Array:
    """Angle of rotation ``(...)``, between 0 and pi."""
    return np.linalg.norm(log(R), axis=-1)


def left_jacobian(w: ArrayLike) -> Array:
    """Matrix ``(..., 3, 3)`` from ``dw/dt`` to the angular velocity of ``exp(w)`` in the world frame."""
    w = _rotation_vector("w", w)
    W, (_, c2, c3) = _hat(w), _stumpff(w, 3)
    return np.eye(3) + c2 * W + c3 * (W @ W)


def right_jacobian(w: ArrayLike) -> Array:
    """Matrix ``(..., 3, 3)`` from ``dw/dt`` to the angular velocity of ``exp(w)`` in the body frame."""
    return np.swapaxes(left_jacobian(w), -1, -2)


def left_jacobian_inverse(w: ArrayLike) -> Array:
    """Inverse of :func:`left_jacobian`.

    Raises
    ------
    SingularConfiguration
        If the angle is a positive multiple of 2 pi, where no inverse exists.
    """
    w = _rotation_vector("w", w)
    turns = np.linalg.norm(w, axis=-1) / (2 * np.pi)
    distance = np.abs(turns - np.round(turns)) * 2 * np.pi
    if np.any((np.round(turns) > 0) & (distance < 1e-8)):
        raise SingularConfiguration(
            "w", "an angle within 1e-8 of a multiple of 2 pi", "an angle away from it"
        )
    W = _hat(w)
    return np.eye(3) - W / 2 + _inverse_coefficient(w) * (W @ W)


def right_jacobian_inverse(w: ArrayLike) -> Array:
    """Inverse of :func:`right_jacobian`; raises the same errors as :func:`left_jacobian_inverse`."""
    return np.swapaxes(left_jacobian_inverse(w), -1, -2)


def left_jacobian_dot(w: ArrayLike, wdot: ArrayLike) -> Array:
    """Time derivative ``(..., 3, 3)`` of :func:`left_jacobian` along ``dw/dt = wdot``."""
    w, wdot = _rotation_vector("w", w), arguments.vector("wdot", wdot)
    arguments.common_shape(w=w.shape[:-1], wdot=wdot.shape[:-1])
    W, Wdot = _hat(w), _hat(wdot)
    _, c2, c3, c4, c5 = _stumpff(w, 5)
    slope2, slope3 = 2 * c4 - c3, 3 * c5 - c4
    return c2 * Wdot + c3 * _symmetric_product(W, Wdot) + _dot(w, wdot) * (slope2 * W + slope3 * (W @ W))


def right_jacobian_dot(w: ArrayLike, wdot: ArrayLike) -> Array:
    """Time derivative ``(..., 3, 3)`` of :func:`right_jacobian` along ``dw/dt = wdot``."""
    return np.swapaxes(left_jacobian_dot(w, wdot), -1, -2)


def left_jacobian_inverse_dot(w: ArrayLike, wdot: ArrayLike) -> Array:
    """Time derivative ``(..., 3, 3)`` of :func:`left_jacobian_inverse`, which raises the same errors."""
    inverse, rate = left_jacobian_inverse(w), left_jacobian_dot(w, wdot)
    return -inverse @ rate @ inverse


def right_jacobian_inverse_dot(w: ArrayLike, wdot: ArrayLike) -> Array:
    """Time derivative ``(..., 3, 3)`` of :func:`right_jacobian_inverse`, which raises the same errors."""
    return np.swapaxes(left_jacobian_inverse_dot(w, wdot), -1, -2)


def left_jacobian_hessian(w: ArrayLike, u: ArrayLike, v: ArrayLike) -> Array:
    """Second derivative ``(..., 3, 3)`` of :func:`left_jacobian` along the directions ``u`` and ``v``."""
    w, u, v = _rotation_vector("w", w), arguments.vector("u", u), arguments.vector("v", v)
    arguments.common_shape(w=w.shape[:-1], u=u.shape[:-1], v=v.shape[:-1])
    W, U, V = _hat(w), _hat(u), _hat(v)
    _, _, c3, c4, c5, c6, c7 = _stumpff(w, 7)
    slope2, slope3 = 2 * c4 - c3, 3 * c5 - c4
    curvature2, curvature3 = 8 * c6 - 5 * c5 + c4, 15 * c7 - 7 * c6 + c5
    wu, wv, uv = _dot(w, u), _dot(w, v), _dot(u, v)
    return (
        c3 * _symmetric_product(U, V)
        + slope2 * (wv * U + wu * V + uv * W)
        + slope3 * (wv * _symmetric_product(W, U) + wu * _symmetric_product(W, V) + uv * (W @ W))
        + wu * wv * (curvature2 * W + curvature3 * (W @ W))
    )


def interpolate(R0: ArrayLike, R1: ArrayLike, t: ArrayLike) -> Array:
    """Rotation on the shortest way from ``R0`` (t = 0) to ``R1`` (t = 1), at constant angular velocity.

    ``t`` broadcasts against the leading axes of the rotations.
    """
    R0, R1 = arguments.rotation("R0", R0), arguments.rotation("R1", R1)
    t = arguments.scalar("t", t)
    arguments.common_shape(R0=R0.shape[:-2], R1=R1.shape[:-2], t=t.shape)
    return R0 @ exp(t[..., None] * log(np.swapaxes(R0, -1, -2) @ R1))


def _hat(w: Array) -> Array:
    W = np.zeros((*w.shape, 3))
    W[..., 2, 1], W[..., 0, 2], W[..., 1, 0] = w[..., 0], w[..., 1], w[..., 2]
    return W - np.swapaxes(W, -1, -2)


def _rotation_vector(name: str, value: ArrayLike) -> Array:
    w = arguments.vector(name, value)
    if np.any(np.abs(w) >= ANGLE_BELOW):
        got = f"an entry of {np.max(np.abs(w)):.3g}"
        raise InvalidArgument(name, got, f"a rotation vector shorter than {ANGLE_BELOW:g}")
    return w


def _dot(a: Array, b: Array) -> Array:
    return np.sum(a * b, axis=-1)[..., None, None]


def _symmetric_product(A: Array, B: Array) -> Array:
    return A @ B + B @ A


def _stumpff(w: Array, last: int) -> list[Array]:
    """c_k = 1/k! - x^2/(k+2)! + x^4/(k+4)! - ... for k = 1 to ``last``, at the angle x = |w|, as (..., 1, 1).

    c_1 = sin(x)/x, c_2 = (1 - cos(x))/x^2, c_3 = (x - sin(x))/x^3, and so on. Their derivatives are
    (dc_k/dx)/x = k c_{k+2} - c_{k+1}.
    """
    x = np.linalg.norm(w, axis=-1)[..., None, None]
    c = [np.sinc(x / np.pi), np.sinc(x / (2 * np.pi)) ** 2 / 2]
    small, square = x < SERIES_BELOW, x * x
    divisor = np.where(small, 1, square)
    for k in range(3, last + 1):
        closed = (1 / factorial(k - 2) - c[k - 3]) / divisor
        c.append(np.where(small, polyval(np.where(small, square, 0), _SERIES[k]), closed))
    return c[:last]


def _inverse_coefficient(w: Array) -> Array:
    """(1 - x/2 cot(x/2))/x^2 at the angle x = |w|, as (..., 1, 1)."""
    x = np.linalg.norm(w, axis=-1)[..., None, None]
    small = x < SERIES_BELOW
    large = np.where(small, SERIES_BELOW, x)
    closed = (1 - large / 2 / np.tan(large / 2)) / large**2
    return np.where(small, polyval(np.where(small, x * x, 0), _SERIES_INVERSE), closed)


_J = np.arange(12)
_SERIES = {k: (-1.0) ** _J / factorial(2 * _J + k) for k in range(3, 8)}
_SERIES_INVERSE = np.abs(bernoulli(24)[2::2]) / factorial(2 * _J + 2)
