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


def facets_of_contacts(count: int, facets: int) -> Array:
    """Return the unit vectors ``(count, facets, 2)`` of :func:`facet_directions` for each contact."""
    return np.tile(facet_directions(facets), (count, 1, 1))


def contact_to_facet_matrix(directions: Array) -> Array:
    """Return the matrix from the rows of all contacts to their normals, followed by their facets.

    The directions are ``(c, k, 2)``, k for each contact; the shape of the result is ``(c (1 + k), 3 c)``.
    """
    count, facets = directions.shape[:2]
    result = np.zeros((count * (1 + facets), 3 * count))
    contact = np.arange(count)
    result[contact, 3 * contact] = 1.0
    facet = result[count:].reshape(count, facets, count, 3)
    facet[contact, :, contact, 1:] = directions
    return result
