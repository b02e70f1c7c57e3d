"""Contact points of convex solids on height fields.

Each triangle near the solid is the top of a prism that reaches below the solid. A contact at an edge counts
only if its normal lies between those of the triangles that meet there: otherwise one of them is nearer, and a
body that slides over the edges within a face would hit them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from rbnotes.arguments import Array, InvalidArgument
from rbnotes.contact.convex import PlacedSolid, convex_manifold
from rbnotes.contact.manifolds import ContactManifold, empty_manifold
from rbnotes.inertia import MassProperties
from rbnotes.shapes import ConvexShape, HeightField

NORMAL_TOLERANCE = 1e-6
"""Accepted error of normals at edges."""
COINCIDENCE_TOLERANCE = 1e-9
"""Distance relative to the size of the solid below which two contact points with the same normal are one."""
NEIGHBORS = (((0, -1, 1), (1, 0, 1), (0, 0, 1)), ((0, 0, 0), (0, 1, 0), (-1, 0, 0)))
"""Steps along x and y, and the number of the triangle in its cell, to the neighbors at the three edges."""


def height_field_manifold(
    solid: PlacedSolid, field: HeightField, pose: Array, margin: float
) -> ContactManifold:
    """Return the contact points of a solid and a height field with gaps of at most ``margin``."""
    R, radius = pose[:3, :3], solid.shape.bounding_radius
    local = PlacedSolid(solid.shape, R.T @ solid.R, R.T @ (solid.p - pose[:3, 3]))
    search_radius = radius + margin
    cells = [
        range(max(0, int(first)), min(count - 1, int(last) + 1))
        for first, last, count in zip(
            np.clip(
                (local.p[:2] - search_radius + field.sides / 2) // field.cell_sides, 0, field.heights.shape
            ),
            np.clip(
                (local.p[:2] + search_radius + field.sides / 2) // field.cell_sides, -1, field.heights.shape
            ),
            field.heights.shape,
            strict=True,
        )
    ]
    manifolds = [empty_manifold()]
    for i, j, k in product(*cells, range(2)):
        corners = field.corners[i, j, k]
        center = corners.mean(axis=0)
        offset = local.p - center
        triangle_radius = np.max(np.linalg.norm(corners - center, axis=1))
        if offset @ field.normals[i, j, k] > 0 and np.linalg.norm(offset) > search_radius + triangle_radius:
            continue
        depth = 2 * search_radius + float(np.max(field.cell_sides))
        manifold = convex_manifold(local, _prism(corners, field.normals[i, j, k], depth), margin)
        if len(manifold.gap) and _is_between_neighbors(field, i, j, k, manifold.normal[0]):
            manifolds.append(manifold)
    position, normal, gap = (np.concatenate(each) for each in zip(*manifolds, strict=True))
    keys = np.concatenate([position / radius, normal], axis=1)
    _, distinct = np.unique(np.round(keys / COINCIDENCE_TOLERANCE), axis=0, return_index=True)
    distinct = np.sort(distinct)
    return ContactManifold(position[distinct] @ R.T + pose[:3, 3], normal[distinct] @ R.T, gap[distinct])


@dataclass(frozen=True, eq=False)
class _Prism(ConvexShape):
    """Prism below a triangle.

    Attributes
    ----------
    top
        Corners of the triangle ``(3, 3)``, m.
    normal
        Upward unit normal ``(3,)`` of the triangle.
    vertices
        All corners ``(6, 3)``, those of the triangle first, m.
    """

    top: Array
    normal: Array
    vertices: Array

    @property
    def bounding_radius(self) -> float:
        """Radius of a sphere around the origin that contains the prism, m."""
        return float(np.max(np.linalg.norm(self.vertices, axis=1)))

    def compute_support_point(self, direction: Array) -> Array:
        """Return the corner ``(3,)`` that lies farthest in a direction, m."""
        point: Array = self.vertices[np.argmax(self.vertices @ direction)]
        return point

    def compute_support_polygon(self, direction: Array, tolerance: float) -> Array:
        """Return the triangle ``(3, 3)``, one of its edges, or a corner, m."""
        corner = int(np.argmax(self.vertices @ direction))
        ends = [(corner + 1) % 3, (corner + 2) % 3]
        selected = [corner]
        if corner < 3 and direction @ self.normal > 0:
            edges = self.top[ends] - self.top[corner]
            edge_tilts = np.abs(edges @ direction) / np.linalg.norm(edges, axis=1)
            flattest = int(np.argmin(edge_tilts))
            if np.linalg.norm(np.cross(self.normal, direction)) <= tolerance:
                selected = [0, 1, 2]
            elif edge_tilts[flattest] <= tolerance:
                selected = [corner, ends[flattest]]
        result: Array = self.vertices[selected]
        return result

    def compute_outline(self, direction: Array) -> Array:
        """Return all corners ``(6, 3)``, m."""
        return self.vertices

    def _mass_properties(self, density: ArrayLike) -> MassProperties:
        raise InvalidArgument("shape", "a part of a HeightField", "a solid")


def _prism(corners: Array, normal: Array, depth: float) -> PlacedSolid:
    center = corners.mean(axis=0)
    top = corners - center
    bottom = top.copy()
    bottom[:, 2] = np.min(top[:, 2]) - depth
    return PlacedSolid(_Prism(top, normal, np.concatenate([top, bottom])), np.eye(3), center)


def _is_between_neighbors(field: HeightField, i: int, j: int, k: int, normal: Array) -> bool:
    """Return True if no neighbor of a triangle is nearer to a body than this one, along a normal."""
    top, corners = field.normals[i, j, k], field.corners[i, j, k]
    if normal @ top >= 1 - NORMAL_TOLERANCE**2:
        return True
    if normal[2] <= 0:
        return False
    sides = np.cross(np.roll(corners, -1, axis=0) - corners, top)
    for side, (di, dj, triangle) in zip(sides, NEIGHBORS[k], strict=True):
        outward = side / np.linalg.norm(side)
        tilt = float(normal @ outward)
        if tilt <= NORMAL_TOLERANCE:
            continue
        x, y = i + di, j + dj
        if not (0 <= x < field.heights.shape[0] - 1 and 0 <= y < field.heights.shape[1] - 1):
            continue
        # Between the normals of both triangles, the angle to the own one is the smaller.
        other = field.normals[x, y, triangle]
        if np.arctan2(tilt, normal @ top) > np.arctan2(other @ outward, other @ top) + NORMAL_TOLERANCE:
            return False
    return True
