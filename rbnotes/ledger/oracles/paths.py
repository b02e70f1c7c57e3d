"""Paths through real or complex points: lengths, rates and their complex-step derivatives."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.oracles import complex_steps
from rbnotes.testing import complex_step


def segment_lengths(x: Array) -> Array:
    """Return the lengths ``(..., n)`` of the segments of a path ``(..., n + 1, 3)``."""
    result: Array = np.sqrt(np.sum(np.diff(x, axis=-2) ** 2, axis=-1))
    return result


def segment_directions(x: Array) -> Array:
    """Return the directions ``(..., n, 3)`` of the segments of a path ``(..., n + 1, 3)``."""
    return np.diff(x, axis=-2) / segment_lengths(x)[..., None]


def active_length(x: Array, active: Array | slice = slice(None)) -> Array:
    """Return the length of the active segments (default: all)."""
    result: Array = np.sum(segment_lengths(x)[..., active], axis=-1)
    return result


def active_rate(x: Array, v: Array, active: Array | slice = slice(None)) -> Array:
    """Return the rate of the length of the active segments, from the velocities of the points."""
    result: Array = np.sum((np.diff(v, axis=-2) * segment_directions(x))[..., active, :], axis=(-2, -1))
    return result


def point_derivatives(function: Callable[[Array], Array], x: Array) -> Array:
    """Return the derivatives with respect to each point: the function's axes, then point and coordinate."""
    # Complex steps along all coordinates at once: the functions broadcast.
    units = np.eye(x.size).reshape(-1, *x.shape)
    derivatives = np.moveaxis(complex_steps.directional_derivative(function, x, units), 0, -1)
    return derivatives.reshape(*derivatives.shape[:-1], *x.shape)


def derivative_blocks(derivatives: Array) -> Array:
    """Return the blocks ``[i, j]`` of a derivative with the axes (i, coordinate, j, coordinate)."""
    return np.swapaxes(derivatives, 1, 2)


def numerical_length_rate(x: Array, v: Array, active: Array | slice = slice(None)) -> Array:
    """Return dL/dt, by a complex step of the length along the motion."""
    result: Array = complex_step(lambda t: active_length(x + t[0] * v, active), np.zeros(1))[0]
    return result
