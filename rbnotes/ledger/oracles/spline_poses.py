"""Uniform cubic B-splines of points and poses by recursion, for real and complex parameters."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.spatial.transform import Rotation

from rbnotes.arguments import Array
from rbnotes.ledger.oracles.pose_products import Pose, make_poses, screw_pose

KNOTS = np.arange(-3, 5)


def basis(u: Array) -> Array:
    """Return the weights ``(..., 4)`` of four control points for parameters ``(...)`` between 0 and 1.

    They follow from the Cox-de Boor recursion.
    """
    u = np.asarray(u)
    weights = [(np.ones_like(u) if knot == 0 else np.zeros_like(u)) for knot in KNOTS[:-1]]
    for degree in (1, 2, 3):
        weights = [
            ((u - KNOTS[i]) * weights[i] + (KNOTS[i + degree + 1] - u) * weights[i + 1]) / degree
            for i in range(len(weights) - 1)
        ]
    return np.stack(weights, axis=-1)


def frame_twists(frames: Array) -> Array:
    """Return the twists ``(n - 1, 6)`` from each frame to the next in unit time, with angles below pi."""
    return np.array([_twist_to(np.linalg.solve(E, F)) for E, F in pairwise(frames)])


def _twist_to(E: Array) -> Array:
    """Return the twist to E: SciPy's rotation vector, and the origin velocity from a linear system."""
    w, unit_time = Rotation.from_matrix(E[:3, :3]).as_rotvec(), np.ones(())
    translations = np.stack(
        [constant_twist_pose(np.append(w, v), unit_time)[:3, 3] for v in np.eye(3)], axis=-1
    )
    return np.append(w, np.linalg.solve(translations, E[:3, 3]))


def constant_twist_pose(twist: Array, time: Array) -> Array:
    """Return the poses after times ``(...)`` of motion at a constant twist.

    The motion is a screw about an axis that need not pass through the origin.
    """
    w, v = twist[:3], twist[3:]
    speed = np.sqrt(w @ w)
    if speed == 0:
        return make_poses(np.eye(3), time[..., None] * v)
    axis_point, pitch = np.cross(w, v) / speed**2, w @ v / speed**2
    R = screw_pose(w / speed, speed * time)[..., :3, :3]
    return make_poses(R, axis_point - R @ axis_point + (pitch * time)[..., None] * w)


def spline_curve(frames: Array) -> Pose:
    """Return the pose function of the spline segment of four control frames."""
    d = frame_twists(frames)

    def pose(q: Array) -> Array:
        weights = basis(q[..., 0])
        E: Array = frames[0]
        for i in range(3):
            E = E @ constant_twist_pose(d[i], np.sum(weights[..., i + 1 :], axis=-1))
        return E

    return pose


def euler_rotation(angles: Array) -> Array:
    """Return the rotations ``(..., 3, 3)`` of intrinsic x-y-z Euler angles, by their entries."""
    (a, b, c), (A, B, C) = (np.moveaxis(f(angles), -1, 0) for f in (np.cos, np.sin))
    rows = [
        [b * c, -b * C, B],
        [a * C + A * B * c, a * c - A * B * C, -A * b],
        [A * C - a * B * c, A * c + a * B * C, a * b],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def spline_surface(points: Array) -> Pose:
    """Return the pose function of the patch of control values ``(4, 4, 6)``, first index along ``q[0]``."""

    def pose(q: Array) -> Array:
        weights = basis(q[..., 0])[..., :, None] * basis(q[..., 1])[..., None, :]
        values = np.einsum("...ij,ijk->...k", weights, points)
        return make_poses(euler_rotation(values[..., 3:]), values[..., :3])

    return pose
