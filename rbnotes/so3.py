"""Rotations: SO(3), its exponential map and logarithm, and their Jacobians.

A rotation vector ``w`` is axis times angle; ``exp(w)`` is the rotation matrix it stands for, and
``log(R)`` gives the vector back. Increments are named for the side they are on::

    d/dt exp(w) = exp(w) hat(right_jacobian(w) dw/dt)     angular velocity in the body frame
                = hat(left_jacobian(w) dw/dt) exp(w)      angular velocity in the world frame
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.polynomial.polynomial import polyval
from numpy.typing import ArrayLike
from scipy.special import bernoulli, factorial

from rbnotes import arguments, quaternion
from rbnotes.arguments import Array, InvalidArgument, SingularConfiguration

SERIES_BELOW = 0.5
"""Angle below which the coefficients are summed as series; seven terms leave less than rounding there."""


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
    w = arguments.vector("w", w)
    W = _hat(w)
    a, b, _ = _coefficients(w)
    return np.eye(3) + a * W + b * (W @ W)


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
    w = arguments.vector("w", w)
    W = _hat(w)
    _, b, c = _coefficients(w)
    return np.eye(3) + b * W + c * (W @ W)


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
    w = arguments.vector("w", w)
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
    w, wdot = arguments.vector("w", w), arguments.vector("wdot", wdot)
    W, Wdot = _hat(w), _hat(wdot)
    _, b, c = _coefficients(w)
    db, dc = _coefficient_slopes(w)
    rate = np.sum(w * wdot, axis=-1)[..., None, None]
    return b * Wdot + c * (W @ Wdot + Wdot @ W) + rate * (db * W + dc * (W @ W))


def right_jacobian_dot(w: ArrayLike, wdot: ArrayLike) -> Array:
    """Time derivative ``(..., 3, 3)`` of :func:`right_jacobian` along ``dw/dt = wdot``."""
    return np.swapaxes(left_jacobian_dot(w, wdot), -1, -2)


def interpolate(R0: ArrayLike, R1: ArrayLike, t: ArrayLike) -> Array:
    """Rotation on the shortest way from ``R0`` (t = 0) to ``R1`` (t = 1), at constant angular velocity.

    ``t`` broadcasts against the leading axes of the rotations.
    """
    R0, R1 = arguments.rotation("R0", R0), arguments.rotation("R1", R1)
    t = arguments.scalar("t", t)
    return R0 @ exp(t[..., None] * log(np.swapaxes(R0, -1, -2) @ R1))


def _hat(w: Array) -> Array:
    W = np.zeros((*w.shape, 3))
    W[..., 2, 1], W[..., 0, 2], W[..., 1, 0] = w[..., 0], w[..., 1], w[..., 2]
    return W - np.swapaxes(W, -1, -2)


def _coefficients(w: Array) -> tuple[Array, Array, Array]:
    """sin(x)/x, (1 - cos(x))/x^2 and (x - sin(x))/x^3 at the angle x = |w|, as (..., 1, 1)."""
    x = np.linalg.norm(w, axis=-1)[..., None, None]
    a = np.sinc(x / np.pi)
    b = np.sinc(x / (2 * np.pi)) ** 2 / 2
    return a, b, _with_series(x, lambda x: (1 - np.sin(x) / x) / x**2, _SERIES_C)


def _coefficient_slopes(w: Array) -> tuple[Array, Array]:
    """(d/dx)/x of the second and the third of :func:`_coefficients`."""
    x = np.linalg.norm(w, axis=-1)[..., None, None]
    b_slope = _with_series(x, lambda x: (np.sin(x) / x - 2 * (1 - np.cos(x)) / x**2) / x**2, _SERIES_DB)
    c_slope = _with_series(
        x, lambda x: ((1 - np.cos(x)) / x**2 - 3 * (1 - np.sin(x) / x) / x**2) / x**2, _SERIES_DC
    )
    return b_slope, c_slope


def _inverse_coefficient(w: Array) -> Array:
    """(1 - x/2 cot(x/2))/x^2 at the angle x = |w|, as (..., 1, 1)."""
    x = np.linalg.norm(w, axis=-1)[..., None, None]
    return _with_series(x, lambda x: (1 - x / 2 / np.tan(x / 2)) / x**2, _SERIES_INVERSE)


def _with_series(x: Array, closed: Callable[[Array], Array], series: Array) -> Array:
    """The closed form, and below ``SERIES_BELOW``, where it cancels, its power series in x^2."""
    safe = np.maximum(x, SERIES_BELOW)
    return np.where(x < SERIES_BELOW, polyval(x * x, series), closed(safe))


_K = np.arange(1, 9)
_SERIES_C = np.concatenate([[1 / 6], (-1.0) ** _K / factorial(2 * _K + 3)])
_SERIES_DB = (-1.0) ** _K * 2 * _K / factorial(2 * _K + 2)
_SERIES_DC = (-1.0) ** _K * 2 * _K / factorial(2 * _K + 3)
_SERIES_INVERSE = np.abs(bernoulli(16)[2::2]) / factorial(2 * _K)
