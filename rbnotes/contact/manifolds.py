"""Contact manifolds: up to eight points that represent the contact area of two faces."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from rbnotes.arguments import Array
from rbnotes.contact.distance import (
    TOUCHING_TOLERANCE,
    Core,
    SeparatingAxis,
    closest_points,
    separating_axis,
)
from rbnotes.shapes.shape import FACE_CORNERS
from rbnotes.unchecked.linear_algebra import cross

FLAT_TOLERANCE = 0.03
"""Sine of the angle up to which a face or edge counts as flat, so that it has several contact points.

The gaps are still measured at each point along the normal of the face; the gap of the nearest point is off by
less than 2 FLAT_TOLERANCE^2 times the distance between the cores.
"""

TILTED_FACE_TOLERANCE = 0.5
"""Sine of the angle up to which all corners of a tilted face become contact points.

Within the margin they are contacts that may close next, when the body rocks onto them.
"""

TILT_TIE_TOLERANCE = 1e-12
"""Difference of tilts below which two faces count as equally flat; then the normal of the second one is used,
on every processor."""


class ContactManifold(NamedTuple):
    """Contact points of two solids a and b; the number k may be zero.

    Attributes
    ----------
    position
        Midpoints between the surfaces, in the world ``(k, 3)``, m.
    normal
        Unit vectors from b to a ``(k, 3)``: an impulse along the normal pushes a, one against it b.
    gap
        Distances of the surfaces along the normal ``(k,)``, negative if they overlap, m.
    """

    position: Array
    normal: Array
    gap: Array


def empty_manifold() -> ContactManifold:
    """Return a manifold without points."""
    return ContactManifold(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0))


def rounded_box_manifold(
    a: Core, radius_a: float, b: Core, radius_b: float, margin: float
) -> ContactManifold:
    """Return the contact points of two rounded boxes with gaps of at most ``margin``."""
    touching_distance = TOUCHING_TOLERANCE * (a.half_diagonal + b.half_diagonal + radius_a + radius_b)
    best = separating_axis(a, b, touching_distance)
    if best.separation - radius_a - radius_b > margin:
        return empty_manifold()
    normal = best.normal
    if best.separation > 0:
        x, y = closest_points(a, b)
        separation_vector = x - y + max(0.0, touching_distance - float(np.linalg.norm(x - y))) * normal
        normal = separation_vector / np.linalg.norm(separation_vector)
    points_a, points_b, normal = opposite_points(
        partial(_support_feature, a, -normal), partial(_support_feature, b, normal), normal
    )
    if not len(points_a):
        x, y = closest_points(a, b) if best.separation > 0 else _deepest_points(a, b, best)
        points_a, points_b = x[None], y[None]
    return manifold_between(points_a, points_b, normal, radius_a, radius_b, margin)


def manifold_between(
    points_a: Array, points_b: Array, normal: Array, radius_a: float, radius_b: float, margin: float
) -> ContactManifold:
    """Return the contact points between opposite points ``(k, 3)`` of two cores with rounding radii."""
    gap = (points_a - points_b) @ normal - radius_a - radius_b
    position = (points_a + points_b + (radius_b - radius_a) * normal) / 2
    return manifold_within_margin(position, normal, gap, margin)


def manifold_within_margin(position: Array, normal: Array, gap: Array, margin: float) -> ContactManifold:
    """Return the contact points with gaps of at most ``margin`` and a common normal ``(3,)``."""
    is_close = gap <= margin
    return ContactManifold(
        position[is_close], np.broadcast_to(normal, position.shape)[is_close], gap[is_close]
    )


class Feature(NamedTuple):
    """Corner, edge or face of a core that lies farthest in some direction.

    Attributes
    ----------
    corners
        Corners ``(1, 3)``, ``(2, 3)``, or ``(k, 3)`` in order around the face.
    sides
        Outward unit vectors ``(s, 3)`` in the edge or face: along the edge, or perpendicular to the edges of
        the face.
    limits
        Largest extents ``(s,)`` along the sides, m.
    normal
        Unit normal ``(3,)`` of a face, of either sign; zero for others.
    """

    corners: Array
    sides: Array
    limits: Array
    normal: Array

    @property
    def is_face(self) -> bool:
        """True for a face."""
        return len(self.corners) > 2

    @property
    def is_edge(self) -> bool:
        """True for an edge."""
        return len(self.corners) == 2

    def tilt(self, normal: Array) -> float:
        """Return the sine of the angle of a face to the plane across a normal; infinite for others."""
        return float(np.max(np.abs(self.sides @ normal))) if self.is_face else np.inf

    def clip(self, polygon: Array) -> Array:
        """Return the part of a polygon, segment or point ``(k, 3)`` within the sides."""
        for side, limit in zip(self.sides, self.limits, strict=True):
            polygon = clip_polygon(polygon, side, limit)
        return polygon


def _support_feature(core: Core, direction: Array, tolerance: float) -> Feature:
    """Return the corner, edge or face of a core that lies farthest in a direction."""
    local = direction @ core.R
    extends = (np.abs(local) <= tolerance) & (core.half_extents > 0)
    center = core.p + core.R @ np.where(
        extends, 0.0, np.where(local < 0, -core.half_extents, core.half_extents)
    )
    axes, half_extents = core.R.T[extends], core.half_extents[extends]
    corners = center + (FACE_CORNERS[len(axes)] * half_extents) @ axes
    sides = np.stack([axes, -axes], axis=1).reshape(-1, 3)
    normal = cross(*axes) if len(axes) == 2 else np.zeros(3)
    return Feature(corners, sides, sides @ center + np.repeat(half_extents, 2), normal)


def opposite_points(
    support_feature_a: Callable[[float], Feature],
    support_feature_b: Callable[[float], Feature],
    normal: Array,
) -> tuple[Array, Array, Array]:
    """Return pairs of opposite points of faces and edges ``(k, 3)``, and the normal.

    Parameters
    ----------
    support_feature_a, support_feature_b
        Features that face each other: functions of the sine of the angle up to which they count as flat.
    normal
        Unit vector ``(3,)`` from b to a.

    Returns
    -------
    points_a, points_b, normal
        Points on both, none for corners and crossing edges; and the normal of the flatter face, if any.
    """
    a, b = support_feature_a(FLAT_TOLERANCE), support_feature_b(FLAT_TOLERANCE)
    if a.is_face or b.is_face:
        if a.tilt(normal) < b.tilt(normal) - TILT_TIE_TOLERANCE:
            points_b, points_a, normal_b = _points_on_face(
                a, support_feature_b(TILTED_FACE_TOLERANCE), -normal
            )
            normal_a = -normal_b
        else:
            points_a, points_b, normal_a = _points_on_face(
                b, support_feature_a(TILTED_FACE_TOLERANCE), normal
            )
        return (points_a, points_b, normal_a) if len(points_a) else (points_a, points_b, normal)
    if a.is_edge and b.is_edge and np.linalg.norm(cross(a.sides[0], b.sides[0])) < FLAT_TOLERANCE:
        points_b = a.clip(b.corners)
        axis, start = a.sides[0], a.corners[0]
        return start + ((points_b - start) @ axis)[:, None] * axis, points_b, normal
    return np.zeros((0, 3)), np.zeros((0, 3)), normal


def _points_on_face(face: Feature, other: Feature, normal: Array) -> tuple[Array, Array, Array]:
    """Return the corners of ``other`` over a face, the face points below them, and the face normal."""
    up = face.normal if face.normal @ normal > 0 else -face.normal
    polygon = face.clip(other.corners)
    height = (polygon - face.corners.mean(axis=0)) @ up
    return polygon, polygon - height[:, None] * up, up


def _deepest_points(a: Core, b: Core, best: SeparatingAxis) -> tuple[Array, Array]:
    """Return the points ``(3,)`` of overlapping cores that touch when a is moved out of b along the axis.

    Points of the cores where they lie have distance zero: the cores share them.
    """
    overlap = best.separation * best.axis
    x, y = closest_points(a._replace(p=a.p - overlap), b)
    return x + overlap, y


def clip_polygon(polygon: Array, side: Array, limit: float) -> Array:
    """Return the part of a convex polygon, segment or point ``(k, 3)`` with ``side @ x <= limit``."""
    if not len(polygon):
        return polygon
    slack = 1e-12 * (1 + abs(limit))
    excess = polygon @ side - limit
    clipped = []
    for i in range(len(polygon)):
        if excess[i] <= slack:
            clipped.append(polygon[i])
        next_index = (i + 1) % len(polygon)
        if (len(polygon) > 2 or next_index) and min(excess[i], excess[next_index]) < -slack < slack < max(
            excess[i], excess[next_index]
        ):
            fraction = excess[i] / (excess[i] - excess[next_index])
            clipped.append(polygon[i] + fraction * (polygon[next_index] - polygon[i]))
    return np.array(clipped).reshape(-1, 3)
