"""Contact points of convex solids that are described by their support points.

The separation of two solids a and b along a unit vector n, from b to a, is

    f(n) = min n . (x - y)   over the points x of a and y of b.

Its maximum over all n is the distance of the solids, or minus their least overlap, and its argument is the
contact normal. Differences ``x - y`` of support points span a polytope, for which the maximum follows from
the point nearest to the origin (as in the algorithm of Gilbert, Johnson and Keerthi) or, if the origin is
inside, from the nearest face (as in the expanding polytope algorithm of van den Bergen). The support points
along this normal extend the polytope until its separation is that of the solids.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from rbnotes.arguments import Array
from rbnotes.contact.manifolds import (
    FLAT_TOLERANCE,
    TILTED_FACE_TOLERANCE,
    ContactManifold,
    clip_polygon,
    empty_manifold,
    manifold_between,
    manifold_within_margin,
)
from rbnotes.shapes import ConvexShape

SEPARATION_TOLERANCE = 1e-13
"""Accepted error of the separation, relative to the size of the solids."""
TOUCHING_TOLERANCE = 1e-7
"""Separation relative to the size below which the normal is that of a face of the polytope."""
FACE_TOLERANCE = 1e-12
"""Difference of heights relative to the size below which triangles are parts of one face."""
MAX_SUPPORT_POINTS = 100
"""Largest number of support points of the polytope."""


class PlacedSolid(NamedTuple):
    """Convex solid at a pose.

    Attributes
    ----------
    shape
        Solid in its frame.
    R
        Rotation matrix ``(3, 3)`` of the frame.
    p
        Origin of the frame ``(3,)``, m.
    """

    shape: ConvexShape
    R: Array
    p: Array

    def support_point(self, direction: Array) -> Array:
        """Return a point ``(3,)`` of the core that lies farthest in a direction."""
        return self.p + self.R @ self.shape.compute_support_point(direction @ self.R)

    def support_polygon(self, direction: Array, tolerance: float) -> Array:
        """Return the face, edge or point ``(k, 3)`` of the core that faces a direction."""
        return self.p + self.shape.compute_support_polygon(direction @ self.R, tolerance) @ self.R.T


class Separation(NamedTuple):
    """Separation of two cores.

    Attributes
    ----------
    normal
        Unit vector ``(3,)`` from b to a along which the cores are farthest apart, or overlap least.
    distance
        Separation along the normal, negative if the cores overlap, m.
    on_a, on_b
        Closest points ``(3,)`` of the cores, or the points that meet once the overlap is removed.
    """

    normal: Array
    distance: float
    on_a: Array
    on_b: Array


def plane_manifold(solid: PlacedSolid, normal: Array, origin: Array, margin: float) -> ContactManifold:
    """Return the contact points of a solid and the half-space behind a plane through ``origin``."""
    outline = solid.p + solid.shape.compute_outline(-normal @ solid.R) @ solid.R.T
    rounding = solid.shape.rounding
    gap = (outline - origin) @ normal - rounding
    position = outline - (rounding + gap / 2)[:, None] * normal
    return manifold_within_margin(position, normal, gap, margin)


def convex_manifold(a: PlacedSolid, b: PlacedSolid, margin: float) -> ContactManifold:
    """Return the contact points of two convex solids with gaps of at most ``margin``."""
    rounding_a, rounding_b = a.shape.rounding, b.shape.rounding
    found = separation(a, b, margin + rounding_a + rounding_b)
    if found is None:
        return empty_manifold()
    on_a, on_b, normal = _opposite_points(a, b, found)
    return manifold_between(on_a, on_b, normal, rounding_a, rounding_b, margin)


def separation(a: PlacedSolid, b: PlacedSolid, limit: float = np.inf) -> Separation | None:
    """Return the separation of two cores, or None if it exceeds a limit."""
    size = a.shape.bounding_radius + b.shape.bounding_radius
    points_a, points_b = [], []
    between = a.p - b.p
    for axis in (*a.R.T, *b.R.T, between if np.any(between) else a.R[:, 0]):
        for direction in (axis, -axis):
            points_a.append(a.support_point(-direction))
            points_b.append(b.support_point(direction))
    while True:
        on_a, on_b = np.array(points_a), np.array(points_b)
        try:
            nearest = _nearest_feature(on_a - on_b, size)
        except QhullError:  # a new point that coincides with others up to rounding
            on_a, on_b = on_a[:-1], on_b[:-1]
            nearest = _nearest_feature(on_a - on_b, size)
            return Separation(nearest.normal, nearest.distance, *nearest.combine(on_a, on_b))
        new_a, new_b = a.support_point(-nearest.normal), b.support_point(nearest.normal)
        distance = float(nearest.normal @ (new_a - new_b))
        if distance > limit:
            return None
        is_converged = nearest.distance - distance <= SEPARATION_TOLERANCE * size
        if is_converged or len(points_a) >= MAX_SUPPORT_POINTS:
            return Separation(nearest.normal, distance, *nearest.combine(on_a, on_b))
        points_a.append(new_a)
        points_b.append(new_b)


class _NearestFeature(NamedTuple):
    """Feature of a polytope that is nearest to the origin.

    Attributes
    ----------
    distance
        Distance of the origin, negative inside, m.
    corners
        Indices of the corners of its triangle ``(3,)``.
    weights
        Weights of the corners ``(3,)`` for the nearest point.
    """

    normal: Array
    distance: float
    corners: Array
    weights: Array

    def combine(self, on_a: Array, on_b: Array) -> tuple[Array, Array]:
        """Return the points of the two solids whose difference is the nearest point."""
        return self.weights @ on_a[self.corners], self.weights @ on_b[self.corners]


def _nearest_feature(points: Array, size: float) -> _NearestFeature:
    """Return the feature of the convex hull of points ``(k, 3)`` that is nearest to the origin."""
    hull = ConvexHull(points)
    outwards, heights = hull.equations[:, :3], hull.equations[:, 3]  # heights of the origin above the faces
    highest = int(np.argmax(heights))
    is_outside = heights[highest] > TOUCHING_TOLERANCE * size
    # Qhull divides faces into triangles.
    candidates = np.flatnonzero(heights > (0.0 if is_outside else heights[highest] - FACE_TOLERANCE * size))
    triangles = points[hull.simplices[candidates]]
    weights = _nearest_weights(triangles)
    nearest = np.einsum("tk,tki->ti", weights, triangles)
    best = int(np.argmin(np.sum(nearest**2, axis=1)))
    corners = hull.simplices[candidates[best]]
    if is_outside:
        distance = float(np.linalg.norm(nearest[best]))
        return _NearestFeature(nearest[best] / distance, distance, corners, weights[best])
    return _NearestFeature(-outwards[highest], float(heights[highest]), corners, weights[best])


def _nearest_weights(triangles: Array) -> Array:
    """Return the weights ``(t, 3)`` of the corners of triangles ``(t, 3, 3)`` for the points nearest to 0."""
    first, last = triangles, np.roll(triangles, -1, axis=1)
    edges = last - first
    squares = np.sum(edges**2, axis=-1)
    along = -np.sum(first * edges, axis=-1) / np.where(squares > 0, squares, 1.0)
    along = np.clip(along, 0.0, 1.0)
    on_edges = first + along[..., None] * edges
    distances = np.sum(on_edges**2, axis=-1)
    best = np.argmin(distances, axis=1)
    rows = np.arange(len(triangles))
    result = np.zeros((len(triangles), 3))
    result[rows, best] = 1 - along[rows, best]
    result[rows, (best + 1) % 3] = along[rows, best]
    # Barycentric coordinates of the projection onto the plane, where it lies inside the triangle.
    normal = np.cross(edges[:, 0], edges[:, 1])
    area = np.sum(normal**2, axis=1)
    parts = np.sum(np.cross(last, np.roll(first, -2, axis=1)) * normal[:, None], axis=-1)
    inside = (area > 0) & np.all(parts >= 0, axis=1)
    result[inside] = parts[inside] / np.sum(parts[inside], axis=1, keepdims=True)
    return result


def _opposite_points(a: PlacedSolid, b: PlacedSolid, found: Separation) -> tuple[Array, Array, Array]:
    """Return pairs of opposite points on the cores ``(k, 3)``, and the normal."""
    normal = found.normal
    polygon_a = a.support_polygon(-normal, FLAT_TOLERANCE)
    polygon_b = b.support_polygon(normal, FLAT_TOLERANCE)
    tilt_a, tilt_b = _tilt(polygon_a, normal), _tilt(polygon_b, normal)
    if tilt_b <= tilt_a and tilt_b < np.inf:
        on_a, on_b, up = _points_on_face(polygon_b, a.support_polygon(-normal, TILTED_FACE_TOLERANCE), normal)
        if len(on_a):
            return on_a, on_b, up
    elif tilt_a < np.inf:
        on_b, on_a, down = _points_on_face(
            polygon_a, b.support_polygon(normal, TILTED_FACE_TOLERANCE), -normal
        )
        if len(on_a):
            return on_a, on_b, -down
    elif len(polygon_a) == len(polygon_b) == 2:
        on_a, on_b = _points_on_edges(polygon_a, polygon_b)
        if len(on_a):
            return on_a, on_b, normal
    return found.on_a[None], found.on_b[None], normal


def _plane_normal(polygon: Array, normal: Array) -> Array:
    """Return the unit normal ``(3,)`` of the plane of a polygon, on the side of ``normal``."""
    up = np.cross(polygon[1] - polygon[0], polygon[2] - polygon[0])
    unit: Array = np.copysign(1 / np.linalg.norm(up), up @ normal) * up
    return unit


def _tilt(polygon: Array, normal: Array) -> float:
    """Return the sine of the angle between a face and the plane across ``normal``; infinite for an edge."""
    if len(polygon) < 3:
        return np.inf
    return float(np.linalg.norm(np.cross(_plane_normal(polygon, normal), normal)))


def _points_on_face(face: Array, other: Array, normal: Array) -> tuple[Array, Array, Array]:
    """Return the points of ``other`` over a face, the points of the face below them, and its normal."""
    up = _plane_normal(face, normal)
    center = face.mean(axis=0)
    polygon = other
    for start, end in zip(face, np.roll(face, -1, axis=0), strict=True):
        side = np.cross(end - start, up)
        side = side / np.linalg.norm(side)
        side = side if side @ (start - center) > 0 else -side
        polygon = clip_polygon(polygon, side, side @ start)
    height = (polygon - center) @ up
    return polygon, polygon - height[:, None] * up, up


def _points_on_edges(edge_a: Array, edge_b: Array) -> tuple[Array, Array]:
    """Return the ends of the overlap of two edges on each of them; none if they are not parallel."""
    along_a, along_b = edge_a[1] - edge_a[0], edge_b[1] - edge_b[0]
    axis = along_a / np.linalg.norm(along_a)
    if np.linalg.norm(np.cross(axis, along_b)) >= FLAT_TOLERANCE * np.linalg.norm(along_b):
        return np.zeros((0, 3)), np.zeros((0, 3))
    on_b = clip_polygon(clip_polygon(edge_b, axis, axis @ edge_a[1]), -axis, -axis @ edge_a[0])
    return edge_a[0] + ((on_b - edge_a[0]) @ axis)[:, None] * axis, on_b
