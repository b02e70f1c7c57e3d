"""LCP of contacts with friction in polyhedral cones, each with its own facets (Lloyd 0.10).

In Coulomb's law friction opposes the sliding. If the polygon of a contact has a corner in that direction, the
solution of the LCP satisfies Coulomb's law. :func:`coulomb_impulses_from_polyhedra` therefore repeats the LCP
with one more corner at each contact, opposite to its last sliding velocity. Each LCP has a solution if no
target is positive, for any mu and any masses; Lemke's method finds it, except for rounding.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy import linalg

from rbnotes.arguments import Array
from rbnotes.complementarity import LCP
from rbnotes.complementarity.lemke import lemke
from rbnotes.friction.contact_problem import DelassusProblem
from rbnotes.friction.facets import contact_to_facet_matrix, facets_of_contacts

FIRST_FACETS = 6
"""Number of corners of the first polygons."""

STICKING_SPEED = 1e-9
"""Sliding speed, relative to the free velocities, below which a contact sticks."""


class ScaledPolyhedralLCP(NamedTuple):
    """LCP whose unknowns are of size one, with the scales that give impulses.

    Attributes
    ----------
    lcp
        The LCP in normal impulses, facet impulses and sliding speeds.
    units
        Units of the unknowns, N s and m/s.
    to_facets
        Matrix ``(c (1 + k), 3 c)`` from contact rows to normals and facets.
    """

    lcp: LCP
    units: Array
    to_facets: Array

    def impulses(self, z: Array) -> Array:
        """Return the contact impulses ``(c, 3)`` of unknowns of the LCP."""
        num_rows = len(self.to_facets)
        result: Array = (self.to_facets.T @ (self.units * z)[:num_rows]).reshape(-1, 3)
        return result


def polyhedral_lcp(contact_problem: DelassusProblem, directions: Array) -> LCP:
    """Return the LCP for facets along unit vectors ``(c, k, 2)`` in the tangent planes."""
    count, facets = directions.shape[:2]
    to_facets = contact_to_facet_matrix(directions)
    E = np.kron(np.eye(count), np.ones((facets, 1)))
    M = linalg.block_diag(to_facets @ contact_problem.delassus_matrix @ to_facets.T, np.zeros((count, count)))
    M[count : count + len(E), -count:] = E
    M[-count:, :count] = np.diag(contact_problem.mu)
    M[-count:, count : count + len(E)] = -E.T
    q = np.concatenate([to_facets @ contact_problem.free_contact_velocities.ravel(), np.zeros(count)])
    return LCP(M, q)


def scaled_polyhedral_lcp(contact_problem: DelassusProblem, directions: Array) -> ScaledPolyhedralLCP:
    """Return the LCP with rows and unknowns in the units of each contact, whatever its mass and mu."""
    facets = directions.shape[1]
    mobility = contact_problem.mobility
    unit = np.sqrt(np.divide(1.0, mobility, out=np.ones(len(mobility)), where=mobility > 0))
    units = np.concatenate([unit, np.repeat(unit, facets), 1 / unit])
    # The limits of friction, mu a - sum(phi) >= 0, are divided by mu if it is large.
    row_units = np.concatenate([units[: -len(unit)], 1 / (unit * np.maximum(contact_problem.mu, 1.0))])
    lcp = polyhedral_lcp(contact_problem, directions)
    speed = float(np.abs(row_units * lcp.q).max())
    speed = speed if speed > 0 else 1.0
    scaled = LCP(row_units[:, None] * lcp.M * units, row_units * lcp.q / speed)
    return ScaledPolyhedralLCP(scaled, speed * units, contact_to_facet_matrix(directions))


def coulomb_impulses_from_polyhedra(contact_problem: DelassusProblem) -> Iterator[Array]:
    """Yield impulses ``(c, 3)`` of LCPs whose corners approach the directions of sliding."""
    free_speed = np.abs(contact_problem.free_contact_velocities).max()
    directions = facets_of_contacts(contact_problem.count, FIRST_FACETS)
    while True:
        scaled = scaled_polyhedral_lcp(contact_problem, directions)
        impulses = scaled.impulses(lemke(scaled.lcp, max_pivots=10 * scaled.lcp.size).z)
        yield impulses
        opposed = -contact_problem.velocities_from_impulses(impulses)[:, 1:]
        is_sticking = np.linalg.norm(opposed, axis=1) <= STICKING_SPEED * free_speed
        opposed[is_sticking] = impulses[is_sticking, 1:]
        size = np.linalg.norm(opposed, axis=1)[:, None]
        corner = np.divide(opposed, size, out=directions[:, 0].copy(), where=size > 0)
        directions = np.concatenate([directions, corner[:, None]], axis=1)
