"""A camera that shows a set of points as large as its picture allows; the player does the same."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rbnotes.arguments import Array

FIELD_OF_VIEW = np.radians(35.0)
"""Angle of view, upwards [rad]."""

MARGIN = 1.06
"""How much larger the picture is than what is in it."""


@dataclass(frozen=True, eq=False)
class Camera:
    """Looks along -``axes[2]``; ``position`` is in these axes."""

    axes: Array
    """Right, up and towards the camera, unit vectors ``(3, 3)``, one a row."""
    position: Array
    """Where the camera is, in its own axes ``(3,)``, m."""

    def project(self, points: Array) -> Array:
        """Where points (..., 3) of the world are seen: right and up, as tangents of angles (..., 2)."""
        view_points = points @ self.axes.T
        tangents: Array = (view_points[..., :2] - self.position[:2]) / (
            self.position[2] - view_points[..., 2:]
        )
        return tangents

    def depth(self, points: Array) -> Array:
        """Distances in front of the camera."""
        distances: Array = self.position[2] - points @ self.axes[2]
        return distances


def view_axes(view: Array) -> Array:
    """Right, up and towards the camera for an azimuth and an elevation [rad]."""
    (c, s), (level, rise) = [(np.cos(angle), np.sin(angle)) for angle in view]
    return np.array([[-s, c, 0.0], [-rise * c, -rise * s, level], [level * c, level * s, rise]])


def fit_camera(points: Array, view: Array, aspect: float) -> Camera:
    """The nearest camera in a direction whose picture, ``aspect`` times as wide as high, holds points (n, 3).

    A point is inside if |x - c_x| <= t (c_z - z) with the tangent t of half the angle of view: two planes for
    each side of the picture, of which the outermost count.
    """
    axes = view_axes(view)
    view_points = points @ axes.T
    tangents = np.tan(FIELD_OF_VIEW / 2) / MARGIN * np.array([aspect, 1.0])
    high = (view_points[:, :2] + tangents * view_points[:, 2:]).max(axis=0)
    low = (-view_points[:, :2] + tangents * view_points[:, 2:]).max(axis=0)
    back = ((high + low) / (2 * tangents)).max()
    # a single point, or a line towards the camera, has no size
    back = max(back, view_points[:, 2].max() + 1e-3)
    return Camera(axes, np.array([*(high - low) / 2, back]))


def aspect_ratio(points: Array, view: Array) -> float:
    """Width by height of what is seen of the points."""
    camera = fit_camera(points, view, 1.0)
    width, height = np.ptp(camera.project(points), axis=0)
    return float(width / max(height, 1e-9))
