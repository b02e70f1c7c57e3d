"""Central differences of order eight: weights, and derivatives of functions of one or many times."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rbnotes.arguments import Array

STEP = 4e-3
FIRST_DERIVATIVE_WEIGHTS = np.array([4 / 5, -1 / 5, 4 / 105, -1 / 280])
"""Weights of first derivatives for one to four steps ahead; those behind have the opposite sign."""
SECOND_DERIVATIVE_WEIGHTS = np.array([8 / 5, -1 / 5, 8 / 315, -1 / 560])
"""Weights of second derivatives for one to four steps, ahead and behind."""
SECOND_DERIVATIVE_CENTER_WEIGHT = -205 / 72
"""Weight of second derivatives for the center."""

_SAMPLE_OFFSETS = np.arange(1.0, 5.0)[:, None]


def time_derivative_at_zero(function: Callable[[Array], Array], step: float = STEP) -> Array:
    """Return the derivative at time zero of a function of times ``(T, 1)``, whose values are ``(T, ...)``."""
    values_ahead, values_behind = np.split(
        function(step * np.concatenate([_SAMPLE_OFFSETS, -_SAMPLE_OFFSETS])), 2
    )
    result: Array = np.tensordot(FIRST_DERIVATIVE_WEIGHTS, values_ahead - values_behind, axes=1) / step
    return result


def derivative_at_zero(function: Callable[[float], Array], step: float = STEP) -> Array:
    """Return the derivative at zero of an array-valued function of one number."""
    central_differences = [function(k * step) - function(-k * step) for k in range(1, 5)]
    result: Array = np.tensordot(FIRST_DERIVATIVE_WEIGHTS, central_differences, axes=1) / step
    return result


def time_derivatives_at_zero(
    function: Callable[[Array], Array], step: float = STEP
) -> tuple[Array, Array, Array]:
    """Return the value, and first and second derivatives, at time zero of a function of times ``(T, 1)``."""
    values = function(step * np.concatenate([np.zeros((1, 1)), _SAMPLE_OFFSETS, -_SAMPLE_OFFSETS]))
    center_value, values_ahead, values_behind = values[0], values[1:5], values[5:]
    second: Array = (
        SECOND_DERIVATIVE_CENTER_WEIGHT * center_value
        + np.tensordot(SECOND_DERIVATIVE_WEIGHTS, values_ahead + values_behind, axes=1)
    ) / step**2
    return (
        center_value,
        np.tensordot(FIRST_DERIVATIVE_WEIGHTS, values_ahead - values_behind, axes=1) / step,
        second,
    )
