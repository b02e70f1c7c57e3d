"""Complex-step derivatives of functions that broadcast over leading axes: all steps in one call.

The functions must be analytic and accept complex arguments; the derivatives are exact to rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rbnotes.arguments import Array

STEP_SIZE = 1e-40
"""Step size whose square is negligible relative to any number."""


def directional_derivative(function: Callable[[Any], Any], q: Array, qdot: Array) -> Array:
    """Return the derivative of a function at ``q (..., k)`` along the direction `qdot`.

    This is the time derivative of the function for coordinates q with the rates `qdot`.
    """
    derivative: Array = np.imag(function(q + 1j * STEP_SIZE * qdot)) / STEP_SIZE
    return derivative


def partial_derivatives(function: Callable[[Any], Any], q: Array) -> Array:
    """Return the derivatives with respect to each coordinate of ``q (..., k)``, after its leading axes."""
    return directional_derivative(function, q[..., None, :], np.eye(q.shape[-1]))
