"""A nonlinear force with given value and derivatives at one state, for forms and references."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rbnotes.arguments import Array

Force = Callable[[Array, Array], Array]
ForceDerivative = Callable[[Array, Array], Array]


def nonlinear_force(f: Array, K: Array, D: Array, x: Array, v: Array, nonlinearity: float = 1.0) -> Force:
    """Return a nonlinear force with the value f and the derivatives K, D at (x, v) ``(3,)``.

    The factor `nonlinearity` scales its nonlinear part; zero makes the force affine.
    """

    def force(y: Array, u: Array) -> Array:
        nonlinear_part = 1 - np.cos(np.roll(y - x, -1) + _permute_signs(u - v))
        return f + K @ (y - x) + D @ (u - v) + nonlinearity * nonlinear_part

    return force


def nonlinear_force_derivatives(
    K: Array, D: Array, x: Array, v: Array, nonlinearity: float = 1.0
) -> tuple[ForceDerivative, ForceDerivative]:
    """Return the derivatives of :func:`nonlinear_force` with respect to positions and velocities."""
    by_position, by_velocity = np.roll(np.eye(3), -1, axis=0), _permute_signs(np.eye(3))

    def stiffness(y: Array, u: Array) -> Array:
        return K + nonlinearity * np.sin(np.roll(y - x, -1) + _permute_signs(u - v))[:, None] * by_position

    def damping(y: Array, u: Array) -> Array:
        return D + nonlinearity * np.sin(np.roll(y - x, -1) + _permute_signs(u - v))[:, None] * by_velocity

    return stiffness, damping


def _permute_signs(u: Array) -> Array:
    return np.stack([u[2], -u[0], u[1]])
