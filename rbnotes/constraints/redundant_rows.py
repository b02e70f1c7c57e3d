"""Rows that repeat each other: which, and whether they ask for the same."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from rbnotes.arguments import Array, InvalidArgument

RANK_TOLERANCE = 1e-9
"""Rows of G that add less than this to the others (relative to the largest row) count as redundant."""

CONSISTENCY_TOLERANCE = 1e-7
"""Largest contradiction between redundant rows, relative to the sizes of g and of the terms of
G times the free motion."""


class InconsistentConstraints(InvalidArgument):
    """Redundant rows of G ask for different values: no v satisfies them all."""


def row_space(G: Array) -> Array | None:
    """Orthonormal basis (k, rank) of the multipliers that matter; None if the rows are independent."""
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
    """That rows miss no more than rounding of what they ask for.

    Raises
    ------
    InconsistentConstraints
        If they do.
    """
    size = max_abs(contradiction)
    if size > CONSISTENCY_TOLERANCE * scale:
        raise InconsistentConstraints(
            "g", f"values that redundant rows of G miss by {size:.3g}", "values that some v satisfies"
        )


def max_abs(values: Array) -> float:
    """The largest of them, without signs; zero if there are none."""
    return float(np.max(np.abs(values), initial=0.0))
