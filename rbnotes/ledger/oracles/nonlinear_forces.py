"""A nonlinear force with given value and derivatives at one state, for forms and references."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rbnotes.arguments import Array

Force = Callable[[Array, Array], Array]
ForceDerivative = Callable[[Array, Array], Array]


def next_entry(size: int) -> Array:
    """Return the matrix of the permutation that takes each entry to the one after it."""
    return np.eye(size)[[*range(1, size), 0]]


def signed_permutation(size: int) -> Array:
    """Return a matrix that takes each entry to the one before it, the first one with the other sign."""
    signs = np.where(np.arange(size) == 1, -1.0, 1.0)
    result: Array = signs[:, None] * np.eye(size)[[size - 1, *range(size - 1)]]
    return result


def nonlinear_force(f: Array, K: Array, D: Array, x: Array, v: Array, nonlinearity: float = 1.0) -> Force:
    """Return a nonlinear force with the value f and the derivatives K, D at (x, v) ``(n,)``.

    The factor `nonlinearity` scales its nonlinear part; zero makes the force affine.
    """
    of_positions, of_velocities = next_entry(len(x)), signed_permutation(len(x))

    def force(y: Array, u: Array) -> Array:
        nonlinear_part = 1 - np.cos(of_positions @ (y - x) + of_velocities @ (u - v))
        return f + K @ (y - x) + D @ (u - v) + nonlinearity * nonlinear_part

    return force


def nonlinear_force_derivatives(
    K: Array, D: Array, x: Array, v: Array, nonlinearity: float = 1.0
) -> tuple[ForceDerivative, ForceDerivative]:
    """Return the derivatives of :func:`nonlinear_force` with respect to positions and velocities."""
    of_positions, of_velocities = next_entry(len(x)), signed_permutation(len(x))

    def stiffness(y: Array, u: Array) -> Array:
        angles = of_positions @ (y - x) + of_velocities @ (u - v)
        return K + nonlinearity * np.sin(angles)[:, None] * of_positions

    def damping(y: Array, u: Array) -> Array:
        angles = of_positions @ (y - x) + of_velocities @ (u - v)
        result: Array = D + nonlinearity * np.sin(angles)[:, None] * of_velocities
        return result

    return stiffness, damping
