"""Where two solids touch: up to eight points that hold a face on a face as well as all its points would."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rbnotes.arguments import Array
from rbnotes.contact.distance import (
    TOUCHING,
    Core,
    closest_on_segments,
    closest_points,
    separating_axis,
)

FLAT = 0.03
"""Sine of the angle up to which a face or edge counts as lying flat, so that more than one point carries it.

The gaps of its points are still measured one by one, along the normal of the face: that of the nearest is off
by less than 2 FLAT^2 of the distance between the cores.
"""

LEANING = 0.5
"""Sine of the angle up to which all corners of a face count that leans over another.

Within the margin they are contacts that may close next, when the body rocks onto them.
"""

THIN = 1e-6
"""Sine of the angle up to which an edge is perpendicular to the normal, where cores overlap in edges."""

TIE = 1e-12
"""Faces whose tilts differ by less lie equally flat: the second one's normal counts, on every processor."""

_AROUND: list[Array] = [
    np.zeros((1, 0)),
    np.array([[-1.0], [1.0]]),
    np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]),
]
"""The corners of a point, an edge and a face, in order."""


class Manifold(NamedTuple):
    """Points of contact of two solids a and b; k may be zero."""

    position: Array
    """Halfway between the surfaces, in the world ``(k, 3)``, m."""
    normal: Array
    """Unit vector from b to a ``(k, 3)``: an impulse along it pushes a, one against it b."""
    gap: Array
    """Distance of the surfaces along the normal ``(k,)``, negative where they overlap, m."""


def no_contact() -> Manifold:
    """A manifold without points."""
    return Manifold(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0))


def manifold(a: Core, radius_a: float, b: Core, radius_b: float, margin: float) -> Manifold:
    """Points of contact of two rounded boxes with gaps of at most ``margin``."""
    touching = TOUCHING * (a.size + b.size + radius_a + radius_b)
    normal, separation = separating_axis(a, b, touching)
    if separation - radius_a - radius_b > margin:
        return no_contact()
    disjoint = separation > 0
    if disjoint:
        x, y = closest_points(a, b)
        between = x - y + max(0.0, touching - float(np.linalg.norm(x - y))) * normal
        normal = between / np.linalg.norm(between)
    on_a, on_b, normal = _touching(a, b, normal, disjoint)
    gap = (on_a - on_b) @ normal - radius_a - radius_b
    position = (on_a + on_b + (radius_b - radius_a) * normal) / 2
    near = gap <= margin
    return Manifold(position[near], np.broadcast_to(normal, position.shape)[near], gap[near])


def manifold_with_plane(a: Core, radius: float, normal: Array, origin: Array, margin: float) -> Manifold:
    """Points of contact of a rounded box with the half-space behind a plane through ``origin``."""
    corners = a.corners()
    gap = (corners - origin) @ normal - radius
    position = corners - (radius + gap / 2)[:, None] * normal
    near = gap <= margin
    return Manifold(position[near], np.broadcast_to(normal, position.shape)[near], gap[near])


class _Feature(NamedTuple):
    """The corner, edge or face of a core that lies farthest in some direction."""

    corners: Array
    """(1, 3), (2, 3), or (4, 3) in order around the face."""
    axes: Array
    """The directions in which it extends ``(dimension, 3)``."""
    middle: Array
    half: Array
    """Half extents along the axes ``(dimension,)``."""


def _farthest(core: Core, direction: Array, flat: float) -> _Feature:
    local = direction @ core.R
    free = (np.abs(local) <= flat) & (core.half > 0)
    middle = core.p + core.R @ np.where(free, 0.0, np.where(local < 0, -core.half, core.half))
    axes, half = core.R.T[free], core.half[free]
    return _Feature(middle + (_AROUND[len(half)] * half) @ axes, axes, middle, half)


def _touching(a: Core, b: Core, normal: Array, disjoint: bool) -> tuple[Array, Array, Array]:
    """Pairs of points on the cores ``(k, 3)``, one opposite the other, and the normal."""
    of_a, of_b = _farthest(a, -normal, FLAT), _farthest(b, normal, FLAT)
    dimensions = len(of_a.axes), len(of_b.axes)
    if 2 in dimensions:
        tilts = [
            np.max(np.abs(each.axes @ normal)) if len(each.axes) == 2 else np.inf for each in (of_a, of_b)
        ]
        if tilts[0] < tilts[1] - TIE:
            on_b, on_a, towards_b = _on_face(of_a, _farthest(b, normal, LEANING), -normal)
            towards_a = -towards_b
        else:
            on_a, on_b, towards_a = _on_face(of_b, _farthest(a, -normal, LEANING), normal)
        if len(on_a):
            return on_a, on_b, towards_a
    elif dimensions == (1, 1) and np.linalg.norm(np.cross(of_a.axes[0], of_b.axes[0])) < FLAT:
        on_a, on_b = _along_edge(of_a, of_b)
        if len(on_a):
            return on_a, on_b, normal
    if disjoint:
        x, y = closest_points(a, b)
    else:
        x, y = _crossing(a, b, normal)
    return x[None], y[None], normal


def _crossing(a: Core, b: Core, normal: Array) -> tuple[Array, Array]:
    """Closest points of the edges that overlap least."""
    of_a, of_b = _farthest(a, -normal, THIN), _farthest(b, normal, THIN)
    if len(of_a.axes) == len(of_b.axes) == 1:
        return closest_on_segments(*of_a.corners, *of_b.corners)
    return closest_points(a, b)


def _on_face(face: _Feature, other: _Feature, normal: Array) -> tuple[Array, Array, Array]:
    """Corners of the part of ``other`` over a face, the points of the face below them, the face's normal."""
    up = np.cross(*face.axes)
    up = up if up @ normal > 0 else -up
    polygon = other.corners
    for axis, half in zip(face.axes, face.half, strict=True):
        for side in (axis, -axis):
            polygon = _cut(polygon, side, side @ face.middle + half)
    height = (polygon - face.middle) @ up
    return polygon, polygon - height[:, None] * up, up


def _along_edge(of_a: _Feature, of_b: _Feature) -> tuple[Array, Array]:
    """The ends of what two parallel edges have side by side, on each."""
    axis, half = of_a.axes[0], of_a.half[0]
    on_b = of_b.corners
    for side in (axis, -axis):
        on_b = _cut(on_b, side, side @ of_a.middle + half)
    on_a = of_a.middle + ((on_b - of_a.middle) @ axis)[:, None] * axis
    return on_a, on_b


def _cut(polygon: Array, side: Array, limit: float) -> Array:
    """The part of a convex polygon, segment or point ``(k, 3)`` with ``side @ x <= limit``."""
    if not len(polygon):
        return polygon
    slack = 1e-12 * (1 + abs(limit))
    beyond = polygon @ side - limit
    kept = []
    for i in range(len(polygon)):
        if beyond[i] <= slack:
            kept.append(polygon[i])
        following = (i + 1) % len(polygon)
        if (len(polygon) > 2 or following) and min(beyond[i], beyond[following]) < -slack < slack < max(
            beyond[i], beyond[following]
        ):
            fraction = beyond[i] / (beyond[i] - beyond[following])
            kept.append(polygon[i] + fraction * (polygon[following] - polygon[i]))
    return np.array(kept).reshape(-1, 3)
