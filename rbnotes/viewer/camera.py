"""Camera that shows a set of points as large as the picture allows; the player computes the same."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rbnotes.arguments import Array

FIELD_OF_VIEW = np.radians(35.0)
"""Vertical angle of view, rad."""

MARGIN = 1.06
"""Ratio of the size of the picture to that of its content."""


@dataclass(frozen=True, eq=False)
class Camera:
    """Camera that looks along -``axes[2]``; ``position`` is expressed in these axes.

    Attributes
    ----------
    axes
        Right, up and backward unit vectors as rows ``(3, 3)``.
    position
        Position of the camera in its own axes ``(3,)``, m.
    """

    axes: Array
    position: Array

    def project(self, points: Array) -> Array:
        """Return images ``(..., 2)`` of world points: tangents of the angles to the right and up."""
        view_points = points @ self.axes.T
        tangents: Array = (view_points[..., :2] - self.position[:2]) / (
            self.position[2] - view_points[..., 2:]
        )
        return tangents

    def depth(self, points: Array) -> Array:
        """Return the distances of points from the camera along its axis."""
        distances: Array = self.position[2] - points @ self.axes[2]
        return distances


def view_axes(view: Array) -> Array:
    """Return the right, up and backward directions for an azimuth and an elevation, rad."""
    (c_a, s_a), (c_e, s_e) = [(np.cos(angle), np.sin(angle)) for angle in view]
    return np.array([[-s_a, c_a, 0.0], [-s_e * c_a, -s_e * s_a, c_e], [c_e * c_a, c_e * s_a, s_e]])


def fit_camera(points: Array, view: Array, aspect: float) -> Camera:
    """Return the nearest camera in a direction that shows points ``(n, 3)``; ``aspect`` is width over height.

    A point is inside if |x - c_x| <= t (c_z - z) with the tangent t of half the angle of view: two planes for
    each side of the picture, of which only the outermost matter.
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
    """Return the ratio of width to height of the visible points."""
    camera = fit_camera(points, view, 1.0)
    width, height = np.ptp(camera.project(points), axis=0)
    return float(width / max(height, 1e-9))
