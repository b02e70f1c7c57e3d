"""Redundant constraint rows: detection and consistency."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from rbnotes.arguments import Array, InvalidArgument
from rbnotes.unchecked.linear_algebra import max_abs

RANK_TOLERANCE = 1e-9
"""Size of the independent part of a row, relative to the largest row, below which the row is redundant."""

CONSISTENCY_TOLERANCE = 1e-7
"""Largest contradiction between redundant rows, relative to g and to the terms of G times the free motion."""


class InconsistentConstraints(InvalidArgument):
    """Redundant rows of G have different targets: no v satisfies them all."""


def range_basis(G: Array) -> Array | None:
    """Return an orthonormal basis (k, rank) of the range of G, or None if the rows are independent."""
    if not len(G):
        return None
    R, pivots = linalg.qr(G.T, mode="r", pivoting=True)
    sizes = np.abs(np.diag(R))
    rank = int(np.sum(sizes > RANK_TOLERANCE * sizes[0])) if sizes[0] > 0 else 0
    if rank == len(G):
        return None
    rows = np.empty((len(G), rank))
    rows[pivots] = R[:rank].T
    return linalg.qr(rows, mode="economic")[0] if rank else rows


def check_consistent(contradiction: Array, scale: float) -> None:
    """Check that rows miss their targets by no more than rounding.

    Raises
    ------
    InconsistentConstraints
        If they do not.
    """
    size = max_abs(contradiction)
    if size > CONSISTENCY_TOLERANCE * scale:
        raise InconsistentConstraints(
            "g", f"values that redundant rows of G miss by {size:.3g}", "values that some v satisfies"
        )
