"""A body as point masses that rotate about their center: inertia, and acceleration by Newton's law."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from rbnotes.arguments import Array
from rbnotes.ledger.oracles.bodies import point_masses


def rotate_about_body_axis(R: Array, delta: Array, t: float) -> Array:
    """Return the orientation after t times a rotation about an axis of the body."""
    result: Array = R @ Rotation.from_rotvec(t * delta).as_matrix()
    return result


def rotate_about_world_axis(R: Array, delta: Array, t: float) -> Array:
    """Return the orientation after t times a rotation about an axis of the world."""
    result: Array = Rotation.from_rotvec(t * delta).as_matrix() @ R
    return result


def world_inertia(m: float, J: Array, R: Array) -> Array:
    """Return the spatial inertia ``(6, 6)`` at the center of mass in world axes, linear part first."""
    each, points = point_masses(m, J, np.zeros(3))
    points = points @ R.T
    outer = points.T @ points  # summed over all points
    result = m * np.eye(6)
    result[3:, 3:] = each * (np.trace(outer) * np.eye(3) - outer)
    return result


def acceleration(m: float, J: Array, R: Array, omega: Array, f: Array) -> Array:
    """Return the linear and angular acceleration ``(6,)`` of a rotating body, in world axes.

    Each mass accelerates by ``alpha x p + omega x (omega x p)``; the moments of its inertial forces add up to
    the torque.
    """
    each, points = point_masses(m, J, np.zeros(3))
    points = points @ R.T

    def torque(alpha: Array) -> Array:
        accelerations = np.cross(alpha, points) + np.cross(omega, np.cross(omega, points))
        result: Array = each * np.cross(points, accelerations).sum(axis=0)
        return result

    gyroscopic = torque(np.zeros(3))
    columns = np.stack([torque(axis) - gyroscopic for axis in np.eye(3)], axis=-1)
    return np.concatenate([f[:3] / m, np.linalg.solve(columns, f[3:] - gyroscopic)])
