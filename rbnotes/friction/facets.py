"""The polygon that stands for the disc of friction directions where a model asks for finitely many."""

from __future__ import annotations

import numpy as np

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument


def facet_directions(facets: int) -> Array:
    """Unit vectors ``(facets, 2)`` at equal angles in the tangent plane, the first along the first tangent.

    Raises
    ------
    InvalidArgument
        If the number is odd or below four: the directions have to come in opposite pairs, or a contact
        could slide without friction that opposes it.
    """
    if arguments.count("facets", facets) < 4 or facets % 2:
        raise InvalidArgument("facets", str(facets), "an even number, at least 4")
    angles = 2 * np.pi * np.arange(facets) / facets
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def contact_to_facet_matrix(count: int, directions: Array) -> Array:
    """From the three rows of each contact to all normals, then the facets of one contact after the other.

    A matrix of shape ``(count (1 + facets), 3 count)``.
    """
    normal = np.kron(np.eye(count), [[1.0, 0.0, 0.0]])
    facet = np.kron(np.eye(count), np.hstack([np.zeros((len(directions), 1)), directions]))
    return np.vstack([normal, facet])
