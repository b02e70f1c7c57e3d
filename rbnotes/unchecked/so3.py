"""Formulas of :mod:`rbnotes.so3` for checked arrays, without argument checks.

Each function has the name, arguments, result and source of the public function that checks its arguments.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from scipy.special import factorial

from rbnotes.arguments import Array
from rbnotes.unchecked import quaternion
from rbnotes.unchecked.linear_algebra import IDENTITY

SERIES_BELOW = 1.0
"""Angle below which coefficients are summed as series; the error of twelve terms is below rounding."""

CLOSED_FORM_ABOVE = 4.0
"""Angle above which derivatives of the coefficients use the sine and the cosine."""


def hat(w: Array) -> Array:
    W = np.zeros((*w.shape, 3))
    W[..., 2, 1], W[..., 0, 2], W[..., 1, 0] = w[..., 0], w[..., 1], w[..., 2]
    return W - W.mT


def vee(W: Array) -> Array:
    # The mean of the two entries, so that rounding in either is halved.
    x, y, z = W[..., 2, 1] - W[..., 1, 2], W[..., 0, 2] - W[..., 2, 0], W[..., 1, 0] - W[..., 0, 1]
    return np.stack([x, y, z], axis=-1) / 2


def exp(w: Array) -> Array:
    W, (c1, c2) = hat(w), _stumpff(w, 2)
    return IDENTITY + c1 * W + c2 * (W @ W)


def log(R: Array) -> Array:
    return quaternion.to_rotation_vector(quaternion.from_rotation(R))


def angle(R: Array) -> Array:
    length: Array = np.linalg.norm(log(R), axis=-1)
    return length


def left_jacobian(w: Array) -> Array:
    W, (_, c2, c3) = hat(w), _stumpff(w, 3)
    return IDENTITY + c2 * W + c3 * (W @ W)


def right_jacobian(w: Array) -> Array:
    return left_jacobian(w).mT


def left_jacobian_inverse(w: Array) -> Array:
    W = hat(w)
    return IDENTITY - W / 2 + _inverse_coefficient(w) * (W @ W)


def right_jacobian_inverse(w: Array) -> Array:
    return left_jacobian_inverse(w).mT


def left_jacobian_dot(w: Array, wdot: Array) -> Array:
    W, Wdot = hat(w), hat(wdot)
    c2, c3, dc2, dc3 = _coefficient_derivatives(w)
    return c2 * Wdot + c3 * _symmetric_product(W, Wdot) + _dot(w, wdot) * (dc2 * W + dc3 * (W @ W))


def right_jacobian_dot(w: Array, wdot: Array) -> Array:
    return left_jacobian_dot(w, wdot).mT


def left_jacobian_inverse_dot(w: Array, wdot: Array) -> Array:
    inverse = left_jacobian_inverse(w)
    return -inverse @ left_jacobian_dot(w, wdot) @ inverse


def right_jacobian_inverse_dot(w: Array, wdot: Array) -> Array:
    return left_jacobian_inverse_dot(w, wdot).mT


def left_jacobian_hessian(w: Array, u: Array, v: Array) -> Array:
    W, U, V = hat(w), hat(u), hat(v)
    (_, c3, dc2, dc3), (ddc2, ddc3) = (
        _coefficient_derivatives(w),
        _coefficient_second_derivatives(w),
    )
    wu, wv, uv = _dot(w, u), _dot(w, v), _dot(u, v)
    return (
        c3 * _symmetric_product(U, V)
        + dc2 * (wv * U + wu * V + uv * W)
        + dc3 * (wv * _symmetric_product(W, U) + wu * _symmetric_product(W, V) + uv * (W @ W))
        + wu * wv * (ddc2 * W + ddc3 * (W @ W))
    )


def interpolate(R0: Array, R1: Array, t: Array) -> Array:
    return R0 @ exp(t[..., None] * log(R0.mT @ R1))


def _dot(a: Array, b: Array) -> Array:
    dot: Array = np.sum(a * b, axis=-1)[..., None, None]
    return dot


def _symmetric_product(A: Array, B: Array) -> Array:
    return A @ B + B @ A


def _stumpff(w: Array, last: int) -> list[Array]:
    """Return c_k = 1/k! - x^2/(k+2)! + ... for k = 1 to ``last``, at the angle x = |w|, as (..., 1, 1).

    c_1 = sin(x)/x, c_2 = (1 - cos(x))/x^2, c_3 = (x - sin(x))/x^3, and so on. Their derivatives are
    (dc_k/dx)/x = k c_{k+2} - c_{k+1}.
    """
    x = np.linalg.norm(w, axis=-1)[..., None, None]
    c: list[Array] = [_sine_ratio(x), _sine_ratio(x / 2) ** 2 / 2]
    if last > 2:
        small, square = x < SERIES_BELOW, x * x
        divisor = np.where(small, 1, square)
        series = np.where(small, square, 0)[..., None] ** _J @ _SERIES
        for k in range(3, last + 1):
            closed = (1 / math.factorial(k - 2) - c[k - 3]) / divisor
            c.append(np.where(small, series[..., k - 3], closed))
    return c


def _sine_ratio(x: Array) -> Array:
    """Return sin(x)/x, at large angles more accurate than ``np.sinc``, which multiplies by pi."""
    ratio: Array = np.divide(np.sin(x), x, out=np.ones(x.shape), where=x > 0)
    return ratio


def _coefficient_derivatives(w: Array) -> list[Array]:
    """Return c_2 and c_3, then their derivatives (dc_k/dx)/x, at the angle x = |w|.

    At large angles, derivatives from c_4 and c_5 suffer from cancellation; those from the sine and the cosine
    do not.
    """
    c1, c2, c3, c4, c5 = _stumpff(w, 5)
    large, square = _closed_form_mask(w)
    dc2 = np.where(large, (c1 - 2 * c2) / square, 2 * c4 - c3)
    dc3 = np.where(large, (c2 - 3 * c3) / square, 3 * c5 - c4)
    return [c2, c3, dc2, dc3]


def _coefficient_second_derivatives(w: Array) -> list[Array]:
    """Return the derivatives (d/dx)/x of the two derivatives in :func:`_coefficient_derivatives`."""
    c1, c2, c3, c4, c5, c6, c7 = _stumpff(w, 7)
    large, square = _closed_form_mask(w)
    cosine = np.cos(np.linalg.norm(w, axis=-1)[..., None, None])
    ddc2 = np.where(large, (cosine - 5 * c1 + 8 * c2) / square / square, 8 * c6 - 5 * c5 + c4)
    ddc3 = np.where(large, (c1 - 7 * c2 + 15 * c3) / square / square, 15 * c7 - 7 * c6 + c5)
    return [ddc2, ddc3]


def _closed_form_mask(w: Array) -> tuple[Array, Array]:
    """Return a mask of angles above ``CLOSED_FORM_ABOVE``, and their squares."""
    x = np.linalg.norm(w, axis=-1)[..., None, None]
    large = x > CLOSED_FORM_ABOVE
    return large, np.where(large, x * x, 1)


def _inverse_coefficient(w: Array) -> Array:
    """Return (1 - x/2 cot(x/2))/x^2 at the angle x = |w|, as (..., 1, 1)."""
    x = np.linalg.norm(w, axis=-1)[..., None, None]
    small = x < SERIES_BELOW
    large = np.where(small, SERIES_BELOW, x)
    closed = (1 - large / 2 / np.tan(large / 2)) / large**2
    series = np.where(small, x * x, 0)[..., None] ** _J @ _SERIES_INVERSE
    coefficient: Array = np.where(small, series, closed)
    return coefficient


def _bernoulli(count: int) -> list[float]:
    """Return the absolute values of the Bernoulli numbers B_2, B_4, ..., each rounded once."""
    numbers = [Fraction(1)]
    for n in range(1, 2 * count + 1):
        numbers.append(-sum(math.comb(n + 1, k) * numbers[k] for k in range(n)) / Fraction(n + 1))
    return [abs(float(number)) for number in numbers[2::2]]


_J = np.arange(12)
_SERIES = np.stack([(-1.0) ** _J / factorial(2 * _J + k) for k in range(3, 8)], axis=1)
_SERIES_INVERSE = np.array(_bernoulli(12)) / factorial(2 * _J + 2)
