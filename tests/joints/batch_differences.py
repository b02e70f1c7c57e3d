"""Finite differences of batched functions: all states and steps in one call.

Central, of order eight, as those of `rbnotes.testing`, which take one state at a time and estimate errors.
"""

import numpy as np

from rbnotes.unchecked.central_differences import (
    STEP,
    time_derivative_at_zero,
    time_derivatives_at_zero,
)


def by_coordinates(function, q):
    """Return df/dq for states ``(n, k)``: the shape of the values ``(n, ...)``, followed by k."""
    n, k = q.shape

    def along(t):
        values = function((q[:, None] + t[..., None, None] * np.eye(k)).reshape(len(t) * n * k, k))
        return values.reshape(len(t), n, k, *values.shape[1:])

    return np.moveaxis(time_derivative_at_zero(along), 1, -1)


def by_time(function, step=STEP):
    """Return f, df/dt and d2f/dt2 at t = 0, for a function of times ``(m,)`` with values ``(m, ...)``."""
    return time_derivatives_at_zero(lambda t: function(t[:, 0]), step)
