"""Matrices times vectors over leading axes; nothing is checked here."""

from __future__ import annotations

import numpy as np

from rbnotes.arguments import Array


def matvec(A: Array, x: Array) -> Array:
    """``A x``, matrices ``(..., m, n)`` times vectors ``(..., n)``."""
    product: Array = np.einsum("...ij,...j->...i", A, x)
    return product


def matvec_transposed(A: Array, x: Array) -> Array:
    """``A^T x``, for matrices ``(..., m, n)`` and vectors ``(..., m)``."""
    product: Array = np.einsum("...ji,...j->...i", A, x)
    return product
