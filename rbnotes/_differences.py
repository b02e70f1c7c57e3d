"""Central differences of order eight: their weights, once, and rates of what takes many times at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rbnotes.arguments import Array

STEP = 4e-3
AHEAD = np.array([4 / 5, -1 / 5, 4 / 105, -1 / 280])
"""First derivatives: weights of one to four steps ahead, and with a minus of as many behind."""
BOTH_WAYS = np.array([8 / 5, -1 / 5, 8 / 315, -1 / 560])
"""Second derivatives: weights of one to four steps, ahead and behind alike."""
MIDDLE = -205 / 72
"""And of the point in between."""

_TIMES = np.arange(1.0, 5.0)[:, None]


def rate(function: Callable[[Array], Array], step: float = STEP) -> Array:
    """Derivative at time zero of a function of times ``(T, 1)``, whose values are ``(T, ...)``."""
    ahead, behind = np.split(function(step * np.concatenate([_TIMES, -_TIMES])), 2)
    result: Array = np.tensordot(AHEAD, ahead - behind, axes=1) / step
    return result


def slope(function: Callable[[float], Array], step: float = STEP) -> Array:
    """Derivative at zero of an array-valued function that takes one number at a time."""
    ahead = [function(k * step) - function(-k * step) for k in range(1, 5)]
    result: Array = np.tensordot(AHEAD, ahead, axes=1) / step
    return result


def rates(function: Callable[[Array], Array], step: float = STEP) -> tuple[Array, Array, Array]:
    """The value at time zero, and the first and second derivatives, of such a function."""
    values = function(step * np.concatenate([np.zeros((1, 1)), _TIMES, -_TIMES]))
    middle, ahead, behind = values[0], values[1:5], values[5:]
    second: Array = (MIDDLE * middle + np.tensordot(BOTH_WAYS, ahead + behind, axes=1)) / step**2
    return middle, np.tensordot(AHEAD, ahead - behind, axes=1) / step, second
