"""Products of matrices and vectors over leading axes, and sizes of arrays, without argument checks."""

from __future__ import annotations

import numpy as np

from rbnotes.arguments import Array


def matvec(A: Array, x: Array) -> Array:
    """Return ``A x`` for matrices ``(..., m, n)`` and vectors ``(..., n)``."""
    product: Array = np.einsum("...ij,...j->...i", A, x)
    return product


def matvec_transposed(A: Array, x: Array) -> Array:
    """Return ``A^T x`` for matrices ``(..., m, n)`` and vectors ``(..., m)``."""
    product: Array = np.einsum("...ji,...j->...i", A, x)
    return product


def max_abs(values: Array) -> float:
    """Return the largest absolute value, zero for an empty array."""
    return float(np.abs(values).max()) if values.size else 0.0
