"""Contact manifolds: up to eight points that support a face on a face like all its points would."""

from __future__ import annotations

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
    on_a, on_b, normal = _witness_points(a, b, normal, best)
    return manifold_between(on_a, on_b, normal, radius_a, radius_b, margin)


def manifold_between(
    on_a: Array, on_b: Array, normal: Array, radius_a: float, radius_b: float, margin: float
) -> ContactManifold:
    """Return the contact points between opposite points ``(k, 3)`` of two cores with rounding radii."""
    gap = (on_a - on_b) @ normal - radius_a - radius_b
    position = (on_a + on_b + (radius_b - radius_a) * normal) / 2
    return manifold_within_margin(position, normal, gap, margin)


def manifold_within_margin(position: Array, normal: Array, gap: Array, margin: float) -> ContactManifold:
    """Return the contact points with gaps of at most ``margin``; the normal ``(3,)`` is that of all."""
    kept = gap <= margin
    return ContactManifold(position[kept], np.broadcast_to(normal, position.shape)[kept], gap[kept])


class _Feature(NamedTuple):
    """Corner, edge or face of a core that lies farthest in some direction.

    Attributes
    ----------
    corners
        Corners ``(1, 3)``, ``(2, 3)``, or ``(4, 3)`` in order around the face.
    axes
        Directions in which the feature extends ``(dimension, 3)``.
    half_extents
        Half extents along the axes ``(dimension,)``.
    """

    corners: Array
    axes: Array
    center: Array
    half_extents: Array


def _support_feature(core: Core, direction: Array, tolerance: float) -> _Feature:
    local = direction @ core.R
    extends = (np.abs(local) <= tolerance) & (core.half_extents > 0)
    center = core.p + core.R @ np.where(
        extends, 0.0, np.where(local < 0, -core.half_extents, core.half_extents)
    )
    axes, half_extents = core.R.T[extends], core.half_extents[extends]
    return _Feature(
        center + (FACE_CORNERS[len(half_extents)] * half_extents) @ axes, axes, center, half_extents
    )


def _witness_points(a: Core, b: Core, normal: Array, best: SeparatingAxis) -> tuple[Array, Array, Array]:
    """Return pairs of opposite points on the cores ``(k, 3)``, and the normal."""
    feature_a, feature_b = (
        _support_feature(a, -normal, FLAT_TOLERANCE),
        _support_feature(b, normal, FLAT_TOLERANCE),
    )
    dimensions = len(feature_a.axes), len(feature_b.axes)
    if 2 in dimensions:
        tilts = [
            np.max(np.abs(feature.axes @ normal)) if len(feature.axes) == 2 else np.inf
            for feature in (feature_a, feature_b)
        ]
        if tilts[0] < tilts[1] - TILT_TIE_TOLERANCE:
            on_b, on_a, normal_b = _points_on_face(
                feature_a, _support_feature(b, normal, TILTED_FACE_TOLERANCE), -normal
            )
            normal_a = -normal_b
        else:
            on_a, on_b, normal_a = _points_on_face(
                feature_b, _support_feature(a, -normal, TILTED_FACE_TOLERANCE), normal
            )
        if len(on_a):
            return on_a, on_b, normal_a
    elif (
        dimensions == (1, 1)
        and np.linalg.norm(np.cross(feature_a.axes[0], feature_b.axes[0])) < FLAT_TOLERANCE
    ):
        on_a, on_b = _points_on_parallel_edges(feature_a, feature_b)
        if len(on_a):
            return on_a, on_b, normal
    x, y = closest_points(a, b) if best.separation > 0 else _deepest_points(a, b, best)
    return x[None], y[None], normal


def _deepest_points(a: Core, b: Core, best: SeparatingAxis) -> tuple[Array, Array]:
    """Return the points ``(3,)`` of overlapping cores that meet once a leaves b along the best axis.

    Points of the cores where they lie have distance zero: the cores share them.
    """
    overlap = best.separation * best.axis
    x, y = closest_points(a._replace(p=a.p - overlap), b)
    return x + overlap, y


def _points_on_face(face: _Feature, other: _Feature, normal: Array) -> tuple[Array, Array, Array]:
    """Return the corners of ``other`` over a face, the face points below them, and the face normal."""
    up = np.cross(*face.axes)
    up = up if up @ normal > 0 else -up
    polygon = other.corners
    for axis, half in zip(face.axes, face.half_extents, strict=True):
        for side in (axis, -axis):
            polygon = clip_polygon(polygon, side, side @ face.center + half)
    height = (polygon - face.center) @ up
    return polygon, polygon - height[:, None] * up, up


def _points_on_parallel_edges(feature_a: _Feature, feature_b: _Feature) -> tuple[Array, Array]:
    """Return the ends of the overlap of two parallel edges, on each edge."""
    axis, half = feature_a.axes[0], feature_a.half_extents[0]
    on_b = feature_b.corners
    for side in (axis, -axis):
        on_b = clip_polygon(on_b, side, side @ feature_a.center + half)
    on_a = feature_a.center + ((on_b - feature_a.center) @ axis)[:, None] * axis
    return on_a, on_b


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
