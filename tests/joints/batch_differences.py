"""Differences of functions of whole batches: every state and every step in one call.

Central, of order eight, as those of `rbnotes.checking`, which take one state at a time and estimate errors.
"""

import numpy as np

STEP = 4e-3
AT = np.array([-4, -3, -2, -1, 1, 2, 3, 4])
FIRST = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 4 / 5, -1 / 5, 4 / 105, -1 / 280])
SECOND = np.array([-1 / 560, 8 / 315, -1 / 5, 8 / 5, 8 / 5, -1 / 5, 8 / 315, -1 / 560])
OF_THE_MIDDLE = -205 / 72


def by_coordinates(function, q):
    """df/dq for states ``(n, k)``: the shape of the values ``(n, ...)``, followed by k."""
    n, k = q.shape
    moved = q[:, None, None] + STEP * AT[:, None] * np.eye(k)[:, None]
    values = function(moved.reshape(n * k * len(AT), k))
    values = values.reshape(n, k, len(AT), *values.shape[1:])
    return np.moveaxis(np.tensordot(FIRST, values, axes=(0, 2)), 1, -1) / STEP


def by_time(function, step=STEP):
    """f, df/dt and d2f/dt2 at t = 0, for a function of times ``(m,)`` whose values are ``(m, ...)``."""
    values = function(step * np.append(AT, 0))
    around, middle = values[:-1], values[-1]
    second = np.tensordot(SECOND, around, axes=1) + OF_THE_MIDDLE * middle
    return middle, np.tensordot(FIRST, around, axes=1) / step, second / step**2
