"""Numerical derivatives with error estimates, on vectors, SO(3) and SE(3).

They are the oracles of most checks, so they share nothing with the rest of the package: increments of
rotations and frames go through ``scipy.linalg.expm``.

The finite differences are central, of order eight: with the default step they are good to about 1e-12
relative for functions that vary over lengths of order one. The estimate of the error compares them with
order six on the same points and adds the rounding, of the function's values and of its argument.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import expm

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument

STEP = 4e-3
_ORDER_8 = np.array([4 / 5, -1 / 5, 4 / 105, -1 / 280])
_ORDER_6 = np.array([3 / 4, -3 / 20, 1 / 60, 0.0])


class Estimate(NamedTuple):
    """A derivative and a bound on its error that holds for smooth functions."""

    value: Array
    error: float


def derivative(function: Callable[[float], ArrayLike], t: float = 0.0, *, step: float = STEP) -> Estimate:
    """d/dt of an array-valued function of one number; the value has the function's shape.

    Raises
    ------
    InvalidArgument
        If the function returns NaN or infinity near ``t``, or the step is not positive.
    """
    t = float(arguments.scalar("t", t))
    return _central(function, t, abs(t), step)


def jacobian(function: Callable[[Array], ArrayLike], x: ArrayLike, *, step: float = STEP) -> Estimate:
    """df/dx for a vector ``x (n,)``; the value has the function's shape followed by ``n``."""
    x = _point(x)
    return _along(lambda direction, t: function(x + t * direction), np.abs(x), step)


def jacobian_so3(function: Callable[[Array], ArrayLike], R: ArrayLike, *, step: float = STEP) -> Estimate:
    """Derivative along body-frame rotations, ``R exp([w])`` at ``w = 0``; last axis of length 3."""
    R = arguments.rotation("R", R)
    return _along(lambda w, t: function(R @ expm(t * _cross_matrix(w))), np.ones(3), step)


def jacobian_se3(function: Callable[[Array], ArrayLike], E: ArrayLike, *, step: float = STEP) -> Estimate:
    """Derivative along body-frame twists, ``E exp([xi])`` at ``xi = 0``; last axis of length 6."""
    E = arguments.frame("E", E)
    size = np.max(np.abs(E), initial=1.0)
    return _along(lambda xi, t: function(_rigid(E @ expm(t * _twist_matrix(xi)))), np.full(6, size), step)


def complex_step(function: Callable[[Array], ArrayLike], x: ArrayLike) -> Array:
    """df/dx for a vector ``x (n,)`` through the complex step: exact to rounding.

    The function must be analytic and accept complex arrays: no absolute values, norms or conjugates.

    Raises
    ------
    InvalidArgument
        If the function drops the imaginary part, or returns NaN or infinity.
    """
    x, tiny = _point(x), 1e-40
    columns = []
    for unit in np.eye(x.size):
        shifted = np.asarray(function(x + 1j * tiny * unit))
        if not np.all(np.isfinite(shifted)):
            raise InvalidArgument("function", f"NaN or infinite values at {x}", "an analytic function")
        if not np.iscomplexobj(shifted) and np.any(shifted != np.asarray(function(x + STEP * unit))):
            raise InvalidArgument(
                "function", "real values for complex arguments", "an analytic function (no abs, no norm)"
            )
        columns.append(np.imag(shifted) / tiny)
    return np.stack(columns, axis=-1)


def _point(x: ArrayLike) -> Array:
    point = arguments.array("x", x, None)
    if point.ndim != 1 or point.size == 0:
        raise InvalidArgument("x", f"shape {point.shape}", "one vector of shape (n,)")
    return point


def _along(path: Callable[[Array, float], ArrayLike], magnitudes: Array, step: float) -> Estimate:
    columns = [
        _central(lambda t, unit=unit: path(unit, t), 0.0, magnitude, step)  # type: ignore[misc]
        for unit, magnitude in zip(np.eye(magnitudes.size), magnitudes, strict=True)
    ]
    return Estimate(np.stack([c.value for c in columns], axis=-1), max(c.error for c in columns))


def _central(function: Callable[[float], ArrayLike], t: float, magnitude: float, step: float) -> Estimate:
    """Difference around ``t``; the argument of the function is rounded like numbers of size ``magnitude``."""
    step = float(arguments.positive("step", step))
    forward, backward = (
        np.array([np.asarray(function(t + sign * k * step), dtype=np.float64) for k in (1, 2, 3, 4)])
        for sign in (1, -1)
    )
    if not (np.all(np.isfinite(forward)) and np.all(np.isfinite(backward))):
        raise InvalidArgument("function", f"NaN or infinite values near t = {t}", "a smooth function")
    difference = forward - backward
    value = np.tensordot(_ORDER_8, difference, axes=1) / step
    lower = np.tensordot(_ORDER_6, difference, axes=1) / step
    values, slope = (np.max(np.abs(array), initial=0.0) for array in (forward, value))
    rounding = 4 * np.finfo(float).eps * (values + slope * magnitude) / step
    return Estimate(value, float(np.max(np.abs(value - lower), initial=0.0) + rounding))


def _cross_matrix(w: Array) -> Array:
    x, y, z = w
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def _twist_matrix(xi: Array) -> Array:
    matrix = np.zeros((4, 4))
    matrix[:3, :3] = _cross_matrix(xi[:3])
    matrix[:3, 3] = xi[3:]
    return matrix


def _rigid(E: Array) -> Array:
    # expm leaves rounding in the last row, which a frame must have exactly.
    E[..., 3, :] = 0, 0, 0, 1
    return E
