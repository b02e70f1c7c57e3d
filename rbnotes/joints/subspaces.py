"""Subspaces of twists: bases that follow from the subspace alone, and Lie algebras.

A basis is built from the projection onto the subspace: the axis that it keeps longest, then the one that it
keeps longest of the rest, and so on. It does not depend on how the subspace was given, and has only
zeros and ones where the subspace is spanned by axes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rbnotes import se3
from rbnotes.arguments import Array

DEPENDENT = 1e-9
"""Relative size of singular values that count as zero."""


def basis(projection: Array, rank: int) -> Array:
    """Orthonormal basis ``(..., n, rank)`` of what a symmetric projection ``(..., n, n)`` keeps."""
    rest, columns, axes = projection, [], []
    for _ in range(rank):
        lengths = np.diagonal(rest, axis1=-2, axis2=-1)
        axis = np.argmax(np.round(lengths, 9), axis=-1)[..., None]  # the first one of equals
        column = np.take_along_axis(rest, axis[..., None], axis=-1)[..., 0]
        column = column / np.linalg.norm(column, axis=-1, keepdims=True)
        rest = rest - column[..., :, None] * column[..., None, :]
        columns.append(column)
        axes.append(axis[..., 0])
    if not columns:
        return np.zeros((*projection.shape[:-1], 0))
    order = np.argsort(np.stack(axes, axis=-1), axis=-1)
    return np.take_along_axis(np.stack(columns, axis=-1), order[..., None, :], axis=-1)


def span(vectors: Array) -> Array:
    """Basis ``(n, rank)`` of the span of some vectors, the columns ``(n, m)``."""
    U, sizes, _ = np.linalg.svd(vectors, full_matrices=False)
    rank = int(np.sum(sizes > DEPENDENT * np.max(sizes, initial=1.0)))
    return basis(_clean(U[:, :rank] @ U[:, :rank].T), rank)


def complement(vectors: Array) -> Array:
    """Basis ``(n, n - m)`` of what is perpendicular to orthonormal columns ``(n, m)``."""
    n, m = vectors.shape
    return basis(_clean(np.eye(n) - vectors @ vectors.T), n - m)


def lie_algebra(parts: Sequence[Array]) -> Array:
    """Basis ``(6, d)`` of the smallest Lie algebra that holds the columns ``(6, m)`` of all parts."""
    found = span(np.concatenate([np.zeros((6, 0)), *parts], axis=1))
    while True:
        brackets = [se3.ad(column) @ found for column in found.T]
        larger = span(np.concatenate([found, *brackets], axis=1))
        if larger.shape == found.shape:
            return found
        found = larger


def _clean(projection: Array) -> Array:
    """Without the rounding of entries that are whole."""
    whole = np.round(projection)
    return np.where(np.abs(projection - whole) < 1e-14, whole, projection)
