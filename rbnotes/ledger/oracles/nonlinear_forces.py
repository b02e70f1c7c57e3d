"""A nonlinear force with given value and derivatives at one state, for forms and references."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rbnotes.arguments import Array

Force = Callable[[Array, Array], Array]
ForceDerivative = Callable[[Array, Array], Array]

NEXT_ENTRY = np.roll(np.eye(3), -1, axis=0)
"""Matrix of the permutation that takes each entry to the one after it."""
SIGNED_PERMUTATION = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""Matrix that permutes entries and changes the sign of one."""


def nonlinear_force(f: Array, K: Array, D: Array, x: Array, v: Array, nonlinearity: float = 1.0) -> Force:
    """Return a nonlinear force with the value f and the derivatives K, D at (x, v) ``(3,)``.

    The factor `nonlinearity` scales its nonlinear part; zero makes the force affine.
    """

    def force(y: Array, u: Array) -> Array:
        nonlinear_part = 1 - np.cos(NEXT_ENTRY @ (y - x) + SIGNED_PERMUTATION @ (u - v))
        return f + K @ (y - x) + D @ (u - v) + nonlinearity * nonlinear_part

    return force


def nonlinear_force_derivatives(
    K: Array, D: Array, x: Array, v: Array, nonlinearity: float = 1.0
) -> tuple[ForceDerivative, ForceDerivative]:
    """Return the derivatives of :func:`nonlinear_force` with respect to positions and velocities."""

    def stiffness(y: Array, u: Array) -> Array:
        angles = NEXT_ENTRY @ (y - x) + SIGNED_PERMUTATION @ (u - v)
        return K + nonlinearity * np.sin(angles)[:, None] * NEXT_ENTRY

    def damping(y: Array, u: Array) -> Array:
        angles = NEXT_ENTRY @ (y - x) + SIGNED_PERMUTATION @ (u - v)
        result: Array = D + nonlinearity * np.sin(angles)[:, None] * SIGNED_PERMUTATION
        return result

    return stiffness, damping
