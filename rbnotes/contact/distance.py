"""Distance of two cores, and their separating axis or axis of least overlap.

A core is a box, a rectangle, a segment or a point: a box with some half extents zero. Two such convex bodies
are disjoint if and only if one of fifteen axes separates them (face normals and products of edges); if they
overlap, the axis of least overlap is one of the same fifteen.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rbnotes.arguments import Array
from rbnotes.shapes.shape import corner_signs
from rbnotes.unchecked import so3

TOUCHING_TOLERANCE = 1e-4
"""Distance relative to the size below which cores touch: the direction between the closest points is then
inaccurate."""

PARALLEL_TOLERANCE = 1e-6
"""Sine of the angle below which two edges count as parallel and have no common normal."""


class Core(NamedTuple):
    """Box with half extents ``half_extents (3,)``, axes in the columns of ``R (3, 3)``, and center ``p``."""

    half_extents: Array
    R: Array
    p: Array

    @property
    def half_diagonal(self) -> float:
        """Half of the diagonal, m."""
        return float(np.linalg.norm(self.half_extents))

    def corner_signs(self) -> Array:
        """Return the signs of the corners along x, y, z ``(k, 3)``: 1 or -1, always 1 if the core is flat."""
        return corner_signs(self.half_extents)

    def corners(self) -> Array:
        """Return the corners ``(k, 3)``: eight of a box, one of a point."""
        return self.p + (self.corner_signs() * self.half_extents) @ self.R.T

    def edges(self) -> tuple[Array, Array]:
        """Return both ends of the edges ``(k, 3)``: twelve of a box, none of a point."""
        signs, corners = self.corner_signs(), self.corners()
        directions = np.flatnonzero(self.half_extents > 0)
        first = [corners[signs[:, i] < 0] for i in directions]
        last = [corners[signs[:, i] > 0] for i in directions]
        return np.concatenate([np.zeros((0, 3)), *first]), np.concatenate([np.zeros((0, 3)), *last])

    def project_points(self, points: Array) -> Array:
        """Return the points of the core closest to given points ``(..., 3)``."""
        local = np.clip((points - self.p) @ self.R, -self.half_extents, self.half_extents)
        return self.p + local @ self.R.T


class SeparatingAxis(NamedTuple):
    """Direction along which the projections of two cores are farthest apart, or overlap least.

    Attributes
    ----------
    axis
        Unit vector from b to a ``(3,)`` with the largest separation.
    separation
        Gap between the projections on ``axis``, negative if they overlap, m.
    normal
        Unit vector ``(3,)``: ``axis``, or for touching cores the mean of the axes that are nearly as good.
    """

    axis: Array
    separation: float
    normal: Array


def separating_axis(a: Core, b: Core, tie_width: float = 0.0) -> SeparatingAxis:
    """Return the axis with the largest separation.

    If two edges touch, all directions between the adjacent faces separate the cores, and rounding decides
    which face is best. The normal is then the mean of the axes within ``tie_width`` of the best one, which is
    continuous, and symmetric if the cores are. The mean of axes of deep overlap would not separate the cores:
    from an overlap of ``tie_width`` on fewer axes count, and from twice that on only the best one.

    If the centers of two spheres or the axes of two capsules coincide, several directions are equally good:
    the first of the axes of a, then of b, then of their products is returned.
    """
    edge_products = np.swapaxes(so3.hat(a.R.T) @ b.R, 1, 2).reshape(9, 3)
    lengths = np.linalg.norm(edge_products, axis=1, keepdims=True)
    not_parallel = lengths[:, 0] > PARALLEL_TOLERANCE
    axes = np.concatenate([a.R.T, b.R.T, edge_products[not_parallel] / lengths[not_parallel]])
    center_distances = axes @ (a.p - b.p)
    separations = (
        np.abs(center_distances) - np.abs(axes @ a.R) @ a.half_extents - np.abs(axes @ b.R) @ b.half_extents
    )
    best = int(np.argmax(separations))
    largest = float(separations[best])
    outwards = np.where(center_distances[:, None] >= 0, axes, -axes)
    axis = outwards[best]
    tie_width = min(tie_width, 2 * tie_width + largest)
    if tie_width > 0 and np.abs(center_distances[best]) > tie_width:
        weights = np.maximum(0.0, 1 - (largest - separations) / tie_width)
        weights[6:] *= lengths[not_parallel, 0] ** 2  # products of edges vanish as the edges become parallel
        mean = weights @ outwards
        return SeparatingAxis(axis, largest, mean / np.linalg.norm(mean))
    return SeparatingAxis(axis, largest, axis)


def closest_points(a: Core, b: Core) -> tuple[Array, Array]:
    """Return the closest points of a and b ``(3,)``, for cores that do not overlap.

    They are a corner and a point of the other core, or lie on an edge of each.
    """
    corners_a, corners_b = a.corners(), b.corners()
    points_a = [corners_a, a.project_points(corners_b)]
    points_b = [b.project_points(corners_a), corners_b]
    (start_a, end_a), (start_b, end_b) = a.edges(), b.edges()
    if len(start_a) and len(start_b):
        x, y = closest_on_segments(start_a[:, None], end_a[:, None], start_b[None], end_b[None])
        points_a.append(x.reshape(-1, 3))
        points_b.append(y.reshape(-1, 3))
    x, y = np.concatenate(points_a), np.concatenate(points_b)
    nearest = int(np.argmin(np.sum((x - y) ** 2, axis=1)))
    return x[nearest], y[nearest]


def closest_on_segments(p0: Array, p1: Array, q0: Array, q1: Array) -> tuple[Array, Array]:
    """Return the closest points ``(..., 3)`` of segments from ``p0`` to ``p1`` and from ``q0`` to ``q1``.

    For parallel segments, one of several pairs is returned.
    """
    p0, p1, q0, q1 = np.broadcast_arrays(p0, p1, q0, q1)
    u, v, r = p1 - p0, q1 - q0, p0 - q0
    uu, vv, uv = np.sum(u * u, axis=-1), np.sum(v * v, axis=-1), np.sum(u * v, axis=-1)
    ur, vr = np.sum(u * r, axis=-1), np.sum(v * r, axis=-1)
    determinant = uu * vv - uv**2
    not_parallel = determinant > PARALLEL_TOLERANCE**2 * uu * vv
    s = np.divide(uv * vr - ur * vv, determinant, out=np.zeros_like(determinant), where=not_parallel)
    # The best s of the lines, clipped; the best t for it, clipped; the best s for that.
    t = np.clip((uv * np.clip(s, 0, 1) + vr) / vv, 0, 1)
    s = np.clip((uv * t - ur) / uu, 0, 1)
    return p0 + s[..., None] * u, q0 + t[..., None] * v
