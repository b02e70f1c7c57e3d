"""Polygonal approximation of the disc of friction directions."""

from __future__ import annotations

import numpy as np

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument


def facet_directions(facets: int) -> Array:
    """Return unit vectors ``(facets, 2)`` at equal angles, the first along the first tangent.

    Raises
    ------
    InvalidArgument
        If ``facets`` is odd or below four: the directions must come in opposite pairs, or a contact could
        slide without opposing friction.
    """
    if arguments.count("facets", facets) < 4 or facets % 2:
        raise InvalidArgument("facets", str(facets), "an even number, at least 4")
    angles = 2 * np.pi * np.arange(facets) / facets
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def contact_to_facet_matrix(count: int, directions: Array) -> Array:
    """Return the matrix from the rows of all contacts to their normals, followed by their facets.

    Its shape is ``(count (1 + facets), 3 count)``.
    """
    normal = np.kron(np.eye(count), [[1.0, 0.0, 0.0]])
    facet = np.kron(np.eye(count), np.hstack([np.zeros((len(directions), 1)), directions]))
    return np.vstack([normal, facet])
