"""The formulas of :mod:`rbnotes.so3`, on arrays that have been checked: nothing is checked here.

Each has the name, arguments, result and source of the public function there, which checks and then calls it.
Modules of this package whose data is checked call these.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.polynomial.polynomial import polyval
from scipy.special import bernoulli, factorial

from rbnotes import _quaternion
from rbnotes.arguments import Array

SERIES_BELOW = 1.0
"""Angle below which coefficients are summed as series; twelve terms leave less than rounding there."""


def hat(w: Array) -> Array:
    W = np.zeros((*w.shape, 3))
    W[..., 2, 1], W[..., 0, 2], W[..., 1, 0] = w[..., 0], w[..., 1], w[..., 2]
    return W - np.swapaxes(W, -1, -2)


def vee(W: Array) -> Array:
    # The mean of the two entries, so that rounding in either is halved.
    x, y, z = W[..., 2, 1] - W[..., 1, 2], W[..., 0, 2] - W[..., 2, 0], W[..., 1, 0] - W[..., 0, 1]
    return np.stack([x, y, z], axis=-1) / 2


def exp(w: Array) -> Array:
    W, (c1, c2) = hat(w), _stumpff(w, 2)
    return np.eye(3) + c1 * W + c2 * (W @ W)


def log(R: Array) -> Array:
    return _quaternion.to_rotation_vector(_quaternion.from_rotation(R))


def angle(R: Array) -> Array:
    length: Array = np.linalg.norm(log(R), axis=-1)
    return length


def left_jacobian(w: Array) -> Array:
    W, (_, c2, c3) = hat(w), _stumpff(w, 3)
    return np.eye(3) + c2 * W + c3 * (W @ W)


def right_jacobian(w: Array) -> Array:
    return np.swapaxes(left_jacobian(w), -1, -2)


def left_jacobian_inverse(w: Array) -> Array:
    W = hat(w)
    return np.eye(3) - W / 2 + _inverse_coefficient(w) * (W @ W)


def right_jacobian_inverse(w: Array) -> Array:
    return np.swapaxes(left_jacobian_inverse(w), -1, -2)


def left_jacobian_dot(w: Array, wdot: Array) -> Array:
    W, Wdot = hat(w), hat(wdot)
    _, c2, c3, c4, c5 = _stumpff(w, 5)
    slope2, slope3 = 2 * c4 - c3, 3 * c5 - c4
    return c2 * Wdot + c3 * _symmetric_product(W, Wdot) + _dot(w, wdot) * (slope2 * W + slope3 * (W @ W))


def right_jacobian_dot(w: Array, wdot: Array) -> Array:
    return np.swapaxes(left_jacobian_dot(w, wdot), -1, -2)


def left_jacobian_inverse_dot(w: Array, wdot: Array) -> Array:
    inverse = left_jacobian_inverse(w)
    return -inverse @ left_jacobian_dot(w, wdot) @ inverse


def right_jacobian_inverse_dot(w: Array, wdot: Array) -> Array:
    return np.swapaxes(left_jacobian_inverse_dot(w, wdot), -1, -2)


def left_jacobian_hessian(w: Array, u: Array, v: Array) -> Array:
    W, U, V = hat(w), hat(u), hat(v)
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


def interpolate(R0: Array, R1: Array, t: Array) -> Array:
    return R0 @ exp(t[..., None] * log(np.swapaxes(R0, -1, -2) @ R1))


def _dot(a: Array, b: Array) -> Array:
    dot: Array = np.sum(a * b, axis=-1)[..., None, None]
    return dot


def _symmetric_product(A: Array, B: Array) -> Array:
    return A @ B + B @ A


def _stumpff(w: Array, last: int) -> list[Array]:
    """c_k = 1/k! - x^2/(k+2)! + x^4/(k+4)! - ... for k = 1 to ``last``, at the angle x = |w|, as (..., 1, 1).

    c_1 = sin(x)/x, c_2 = (1 - cos(x))/x^2, c_3 = (x - sin(x))/x^3, and so on. Their derivatives are
    (dc_k/dx)/x = k c_{k+2} - c_{k+1}.
    """
    x = np.linalg.norm(w, axis=-1)[..., None, None]
    c: list[Array] = [np.sinc(x / np.pi), np.sinc(x / (2 * np.pi)) ** 2 / 2]
    small, square = x < SERIES_BELOW, x * x
    divisor = np.where(small, 1, square)
    for k in range(3, last + 1):
        closed = (1 / math.factorial(k - 2) - c[k - 3]) / divisor
        c.append(np.where(small, polyval(np.where(small, square, 0), _SERIES[k]), closed))
    return c[:last]


def _inverse_coefficient(w: Array) -> Array:
    """(1 - x/2 cot(x/2))/x^2 at the angle x = |w|, as (..., 1, 1)."""
    x = np.linalg.norm(w, axis=-1)[..., None, None]
    small = x < SERIES_BELOW
    large = np.where(small, SERIES_BELOW, x)
    closed = (1 - large / 2 / np.tan(large / 2)) / large**2
    coefficient: Array = np.where(small, polyval(np.where(small, x * x, 0), _SERIES_INVERSE), closed)
    return coefficient


_J = np.arange(12)
_SERIES = {k: (-1.0) ** _J / factorial(2 * _J + k) for k in range(3, 8)}
_SERIES_INVERSE = np.abs(bernoulli(24)[2::2]) / factorial(2 * _J + 2)
