"""Products of matrices and vectors over leading axes, and sizes of arrays, without argument checks."""

from __future__ import annotations

import numpy as np

from rbnotes.arguments import Array

IDENTITY = np.eye(3)
"""Identity matrix, made once."""

_NEXT, _LAST = [1, 2, 0], [2, 0, 1]


def matvec(A: Array, x: Array) -> Array:
    """Return ``A x`` for matrices ``(..., m, n)`` and vectors ``(..., n)``."""
    product: Array = np.einsum("...ij,...j->...i", A, x)
    return product


def matvec_transposed(A: Array, x: Array) -> Array:
    """Return ``A^T x`` for matrices ``(..., m, n)`` and vectors ``(..., m)``."""
    product: Array = np.einsum("...ji,...j->...i", A, x)
    return product


def cross(a: Array, b: Array) -> Array:
    """Return ``a x b`` for vectors ``(..., 3)``; for few vectors, much faster than ``np.cross``."""
    product: Array = a[..., _NEXT] * b[..., _LAST] - a[..., _LAST] * b[..., _NEXT]
    return product


def max_abs(values: Array) -> float:
    """Return the largest absolute value, zero for an empty array."""
    return float(np.abs(values).max()) if values.size else 0.0
