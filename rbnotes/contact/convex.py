"""Contact points of convex solids that are described by their support points.

The separation of two solids a and b along a unit vector n, from b to a, is

    f(n) = min n . (x - y)   over the points x of a and y of b.

Its maximum over all n is the distance of the solids, or minus their least overlap, and its argument is the
contact normal. Differences ``x - y`` of support points span a polytope, for which the maximum follows from
the point nearest to the origin (as in the algorithm of Gilbert, Johnson and Keerthi) or, if the origin is
inside, from the nearest face (as in the expanding polytope algorithm of van den Bergen). The support points
along this normal extend the polytope until its separation is that of the solids. Between curved surfaces this
gains half a digit in each iteration; Newton's method then finds the normal along which the support points are
opposite.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from rbnotes.arguments import Array, InvalidArgument
from rbnotes.contact.manifolds import (
    ContactManifold,
    Feature,
    empty_manifold,
    manifold_between,
    manifold_within_margin,
    opposite_points,
)
from rbnotes.shapes import ConvexShape
from rbnotes.unchecked.contact_axes import tangent_directions
from rbnotes.unchecked.linear_algebra import cross

SEPARATION_TOLERANCE = 1e-13
"""Accepted error of the separation, relative to the size of the solids."""
TOUCHING_TOLERANCE = 1e-6
"""Separation relative to the size below which rounding spoils the direction between the closest points, and
the normal of the highest face may separate the solids further."""
FACE_TOLERANCE = 1e-12
"""Difference of heights relative to the size below which triangles are parts of one face."""
MAX_START_POINTS = 20
"""Largest number of support points that do not span a solid."""
MAX_SUPPORT_POINTS = 400
"""Largest number of support points of the polytope.

Only overlapping solids with a circle of equally good normals need more, such as a ball on the axis of a cone.
The separation along the normal that is found is then less than the largest one by up to 1e-4 of the size."""
SYMMETRY_TOLERANCE = 1e-6
"""Ratio of the slopes across two directions below which the normals along one of them are equally good."""
NEWTON_START = (1e-6, 1e-2)
"""Error of the separation from which Newton's method starts, relative to the smaller solid, for solids that
overlap and for disjoint ones. Overlapping solids have several locally best normals, disjoint ones one."""
NEWTON_RETRY = 1e-2
"""Factor by which the error must fall after Newton's method failed, until it starts again."""
NEWTON_INCREMENT = 1e-5
"""Increment of the normal for its differences."""
MAX_NEWTON_ITERATIONS = 6
"""Largest number of Newton iterations; without edges, four suffice."""


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
    point_a, point_b
        Closest points ``(3,)`` of the cores, or those that touch after the overlap is removed.
    """

    normal: Array
    distance: float
    point_a: Array
    point_b: Array


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
    result = separation(a, b, margin + rounding_a + rounding_b)
    if result is None:
        return empty_manifold()
    points_a, points_b, normal = opposite_points(
        lambda tolerance: _polygon_feature(a.support_polygon(-result.normal, tolerance)),
        lambda tolerance: _polygon_feature(b.support_polygon(result.normal, tolerance)),
        result.normal,
    )
    if not len(points_a):
        points_a, points_b = result.point_a[None], result.point_b[None]
    return manifold_between(points_a, points_b, normal, rounding_a, rounding_b, margin)


def separation(a: PlacedSolid, b: PlacedSolid, limit: float = np.inf) -> Separation | None:
    """Return the separation of two cores, or None if it exceeds a limit."""
    radii = a.shape.bounding_radius, b.shape.bounding_radius
    size = sum(radii)
    offset = a.p - b.p
    axes = np.concatenate([a.R.T, b.R.T, [offset if np.any(offset) else a.R[:, 0]]])
    pairs = [_support_points(a, b, direction) for axis in axes for direction in (axis, -axis)]
    best: Separation | None = None
    newton_start = NEWTON_START
    while True:
        points_a, points_b = (np.array(points) for points in zip(*pairs, strict=True))
        try:
            nearest = _nearest_feature(points_a - points_b, size)
        except QhullError:
            if best is not None or len(pairs) > MAX_START_POINTS:
                break  # the last point coincides with another one up to rounding
            thin = np.linalg.svd(points_a - points_b - np.mean(points_a - points_b, axis=0))[2][-1]
            pairs += [_support_points(a, b, direction) for direction in (thin, -thin)]
            continue
        num_pairs = len(pairs)
        for normal in nearest.normals:
            pairs.append(_support_points(a, b, normal))
            distance = float(normal @ np.subtract(*pairs[-1]))
            if distance > limit:
                return None
            if best is None or distance > best.distance - SEPARATION_TOLERANCE * size:
                best = Separation(normal, distance, *nearest.combine(points_a, points_b))
        assert best is not None
        error = nearest.distance - best.distance
        if error <= SEPARATION_TOLERANCE * size:
            return best
        differences = points_a - points_b
        is_new = [np.all(np.any(differences != np.subtract(*pair), axis=1)) for pair in pairs[num_pairs:]]
        if not any(is_new) or len(pairs) >= MAX_SUPPORT_POINTS:
            break  # rounding hides further progress
        if error <= newton_start[int(best.distance > 0)] * min(radii):
            stationary = _stationary_separation(a, b, best.normal, size)
            if stationary is not None and stationary.distance >= best.distance - SEPARATION_TOLERANCE * size:
                return stationary if stationary.distance <= limit else None
            newton_start = (NEWTON_RETRY * error / min(radii),) * 2
    if best is None:
        raise InvalidArgument("shapes", "two without a volume", "one with a volume")
    stationary = _stationary_separation(a, b, best.normal, size)
    return best if stationary is None or stationary.distance < best.distance else stationary


def _support_points(a: PlacedSolid, b: PlacedSolid, normal: Array) -> tuple[Array, Array]:
    """Return the points ``(3,)`` of both cores that determine their separation along a normal."""
    return a.support_point(-normal), b.support_point(normal)


def _stationary_separation(a: PlacedSolid, b: PlacedSolid, normal: Array, size: float) -> Separation | None:
    """Return the separation along the normal near a given one on which opposite support points lie.

    It exists where the surfaces are smooth; otherwise the result may be None.
    """
    for _ in range(MAX_NEWTON_ITERATIONS):
        point_a, point_b = _support_points(a, b, normal)
        difference = point_a - point_b
        distance = float(normal @ difference)
        if np.linalg.norm(difference - distance * normal) <= SEPARATION_TOLERANCE * size:
            return Separation(normal, distance, point_a, point_b)
        tangents = tangent_directions(normal)
        residual = tangents @ difference
        jacobian = np.empty((2, 2))
        for i in range(2):
            near = _unit(normal + NEWTON_INCREMENT * tangents[i])
            other = np.subtract(*_support_points(a, b, near))
            jacobian[:, i] = (tangents @ (other - (near @ other) * near) - residual) / NEWTON_INCREMENT
        step = np.linalg.lstsq(jacobian, residual, rcond=SYMMETRY_TOLERANCE)[0]
        if np.linalg.norm(step) > 1:
            return None
        normal = _unit(normal - step @ tangents)
    return None


def _unit(vector: Array) -> Array:
    unit: Array = vector / np.linalg.norm(vector)
    return unit


class _NearestFeature(NamedTuple):
    """Feature of a polytope that is nearest to the origin.

    Attributes
    ----------
    normals
        Unit vectors ``(3,)`` along which the polytope is farthest from the origin: one, or two of which
        rounding may spoil either.
    distance
        Distance of the origin, negative inside, m.
    corners
        Indices of the corners of its triangle ``(3,)``.
    weights
        Weights of the corners ``(3,)`` for the nearest point.
    """

    normals: Sequence[Array]
    distance: float
    corners: Array
    weights: Array

    def combine(self, points_a: Array, points_b: Array) -> tuple[Array, Array]:
        """Return the points of the two solids whose difference is the nearest point."""
        return self.weights @ points_a[self.corners], self.weights @ points_b[self.corners]


def _nearest_feature(points: Array, size: float) -> _NearestFeature:
    """Return the feature of the convex hull of points ``(k, 3)`` that is nearest to the origin."""
    center = points.mean(axis=0)  # Qhull needs points around its origin
    hull = ConvexHull(points - center)
    outwards = hull.equations[:, :3]
    heights = hull.equations[:, 3] - outwards @ center  # of the origin above the faces
    highest = int(np.argmax(heights))
    is_outside = heights[highest] > 0
    # Qhull divides faces into triangles.
    candidates = np.flatnonzero(heights > (0.0 if is_outside else heights[highest] - FACE_TOLERANCE * size))
    triangles = points[hull.simplices[candidates]]
    weights = _nearest_weights(triangles)
    nearest = np.einsum("tk,tki->ti", weights, triangles)
    best = int(np.argmin(np.sum(nearest**2, axis=1)))
    corners = hull.simplices[candidates[best]]
    normals, distance = [-outwards[highest]], float(heights[highest])
    if is_outside:
        distance = float(np.linalg.norm(nearest[best]))
        direction = _direction_to_feature(
            nearest[best], triangles[best], weights[best], -outwards[candidates[best]]
        )
        normals = [direction, *normals] if distance <= TOUCHING_TOLERANCE * size else [direction]
    return _NearestFeature(normals, distance, corners, weights[best])


def _direction_to_feature(nearest: Array, triangle: Array, weights: Array, face_normal: Array) -> Array:
    """Return the unit vector ``(3,)`` to the nearest point of a triangle, perpendicular to its feature.

    Within a face this is the normal of the face, which is accurate even if the distance is not.
    """
    on_feature = triangle[weights > 0]
    if len(on_feature) == 3:
        return face_normal
    if len(on_feature) == 2:
        edge = _unit(on_feature[1] - on_feature[0])
        nearest = nearest - (nearest @ edge) * edge
    length = np.linalg.norm(nearest)
    return nearest / length if length > 0 else face_normal


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
    normal = cross(edges[:, 0], edges[:, 1])
    area = np.sum(normal**2, axis=1)
    parts = np.sum(cross(last, np.roll(first, -2, axis=1)) * normal[:, None], axis=-1)
    inside = (area > 0) & np.all(parts >= 0, axis=1)
    result[inside] = parts[inside] / np.sum(parts[inside], axis=1, keepdims=True)
    return result


def _polygon_feature(corners: Array) -> Feature:
    """Return a point ``(1, 3)``, an edge ``(2, 3)``, or a face ``(k, 3)`` with its sides."""
    if len(corners) < 3:
        along = [_unit(corners[1] - corners[0])] if len(corners) == 2 else []
        sides = np.array([sign * axis for axis in along for sign in (1, -1)]).reshape(-1, 3)
        return Feature(corners, sides, np.sum(sides * corners[::-1][: len(sides)], axis=1), np.zeros(3))
    edges = np.roll(corners, -1, axis=0) - corners
    center = corners.mean(axis=0)
    normal = _unit(np.sum(cross(corners - center, edges), axis=0))
    sides = cross(edges, normal)
    sides = sides / np.linalg.norm(sides, axis=1)[:, None]
    return Feature(corners, sides, np.sum(sides * corners, axis=1), normal)
