"""Derivatives by the complex step of functions that broadcast over leading axes: all steps in one call.

Such a function is analytic, takes complex numbers, and is exact to rounding one tiny imaginary step away.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rbnotes.arguments import Array

STEP_SIZE = 1e-40
"""Its square is lost beside anything."""


def directional_derivative(function: Callable[[Any], Any], q: Array, qdot: Array) -> Array:
    """Return derivative at ``q (..., k)`` along one direction.

    The velocity of whatever depends on coordinates.
    """
    derivative: Array = np.imag(function(q + 1j * STEP_SIZE * qdot)) / STEP_SIZE
    return derivative


def partial_derivatives(function: Callable[[Any], Any], q: Array) -> Array:
    """Return derivatives by each coordinate, along the axis behind the leading ones of ``q (..., k)``."""
    return directional_derivative(function, q[..., None, :], np.eye(q.shape[-1]))
