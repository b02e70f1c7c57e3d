"""Subspaces of twists: bases that depend on the subspace alone, and Lie algebras.

A basis is built from the projection onto the subspace: it consists of the orthonormal vectors nearest to the
longest projections of coordinate axes. It does not depend on the vectors that span the subspace, varies
smoothly with it while the choice of axes does not change, and has only zeros and ones if coordinate axes span
the subspace.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rbnotes.arguments import Array
from rbnotes.unchecked import se3

RANK_TOLERANCE = 1e-9
"""Relative size below which singular values count as zero."""


def basis(projection: Array, rank: int) -> Array:
    """Return an orthonormal basis ``(..., n, rank)`` of the range of a projection ``(..., n, n)``."""
    axes = _select_axes(projection, rank)
    columns = np.take_along_axis(projection, axes[..., None, :], axis=-1)
    # The products of the columns are the entries of the projection.
    products = np.take_along_axis(columns, axes[..., :, None], axis=-2)
    values, vectors = np.linalg.eigh(products)
    root = (vectors / np.sqrt(values)[..., None, :]) @ vectors.mT
    result: Array = columns @ root
    return result


def _select_axes(projection: Array, rank: int) -> NDArray[np.intp]:
    """Return the axes ``(..., rank)`` of longest projection, each after removal of the former ones."""
    remainder = projection
    axes = np.zeros((*projection.shape[:-2], rank), dtype=np.intp)
    for i in range(rank):
        lengths = np.diagonal(remainder, axis1=-2, axis2=-1)
        axes[..., i] = np.argmax(np.round(lengths, 9), axis=-1)  # the first one of equals
        column = np.take_along_axis(remainder, axes[..., i, None, None], axis=-1)
        column = column / np.linalg.norm(column, axis=-2, keepdims=True)
        remainder = remainder - column * column.mT
    return np.sort(axes, axis=-1)


def span(vectors: Array) -> Array:
    """Return a basis ``(n, rank)`` of the span of the columns ``(n, m)``."""
    U, sizes, _ = np.linalg.svd(vectors, full_matrices=False)
    rank = int(np.sum(sizes > RANK_TOLERANCE * np.max(sizes, initial=1.0)))
    return basis(_round_near_integers(U[:, :rank] @ U[:, :rank].T), rank)


def complement(vectors: Array) -> Array:
    """Return a basis ``(n, n - m)`` of the orthogonal complement of orthonormal columns ``(n, m)``."""
    n, m = vectors.shape
    return basis(_round_near_integers(np.eye(n) - vectors @ vectors.T), n - m)


def lie_algebra(parts: Sequence[Array]) -> Array:
    """Return a basis ``(6, d)`` of the smallest Lie algebra that contains the columns of all parts."""
    basis = span(np.concatenate([np.zeros((6, 0)), *parts], axis=1))
    while True:
        brackets = [se3.ad(column) @ basis for column in basis.T]
        larger = span(np.concatenate([basis, *brackets], axis=1))
        if larger.shape == basis.shape:
            return basis
        basis = larger


def _round_near_integers(projection: Array) -> Array:
    """Round the entries that are integers up to rounding errors."""
    rounded = np.round(projection)
    return np.where(np.abs(projection - rounded) < 1e-14, rounded, projection)
