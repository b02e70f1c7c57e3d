"""Uniform cubic B-splines by their recursion, through points and through poses, for complex numbers too."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.spatial.transform import Rotation

from rbnotes.arguments import Array
from rbnotes.ledger.oracles.pose_products import Pose, make_poses, screw_pose

KNOTS = np.arange(-3, 5)


def basis(u: Array) -> Array:
    """Weights ``(..., 4)`` of four control points, for parameters ``(...)`` of the segment from 0 to 1.

    By the recursion of Cox and de Boor, from the constant that is one on the segment.
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
    """Twists ``(n - 1, 6)`` that lead from each frame to the next in one second, by less than half a turn."""
    return np.array([_twist_to(np.linalg.solve(E, F)) for E, F in pairwise(frames)])


def _twist_to(E: Array) -> Array:
    """By scipy's rotation vector; where a body gets to is linear in the velocity of its origin."""
    w, unit_time = Rotation.from_matrix(E[:3, :3]).as_rotvec(), np.ones(())
    way = np.stack([constant_twist_pose(np.append(w, v), unit_time)[:3, 3] for v in np.eye(3)], axis=-1)
    return np.append(w, np.linalg.solve(way, E[:3, 3]))


def constant_twist_pose(twist: Array, time: Array) -> Array:
    """Return poses after times ``(...)`` of a constant twist.

    About an axis beside the origin, and along it.
    """
    w, v = twist[:3], twist[3:]
    speed = np.sqrt(w @ w)
    if speed == 0:
        return make_poses(np.eye(3), time[..., None] * v)
    beside, pitch = np.cross(w, v) / speed**2, w @ v / speed**2
    R = screw_pose(w / speed, speed * time)[..., :3, :3]
    return make_poses(R, beside - R @ beside + (pitch * time)[..., None] * w)


def spline_curve(frames: Array) -> Pose:
    """Return the pose on the segment of four control frames: the first one, and parts of three steps."""
    d = frame_twists(frames)

    def pose(q: Array) -> Array:
        weights = basis(q[..., 0])
        E: Array = frames[0]
        for i in range(3):
            E = E @ constant_twist_pose(d[i], np.sum(weights[..., i + 1 :], axis=-1))
        return E

    return pose


def euler_rotation(angles: Array) -> Array:
    """Rotations ``(..., 3, 3)`` about x, the new y and the newest z, by their entries."""
    (a, b, c), (A, B, C) = (np.moveaxis(f(angles), -1, 0) for f in (np.cos, np.sin))
    rows = [
        [b * c, -b * C, B],
        [a * C + A * B * c, a * c - A * B * C, -A * b],
        [A * C - a * B * c, A * c + a * B * C, a * b],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def spline_surface(points: Array) -> Pose:
    """Return the pose on the patch of control values ``(4, 4, 6)``, whose first index goes along ``q[0]``."""

    def pose(q: Array) -> Array:
        weights = basis(q[..., 0])[..., :, None] * basis(q[..., 1])[..., None, :]
        at = np.einsum("...ij,ijk->...k", weights, points)
        return make_poses(euler_rotation(at[..., 3:]), at[..., :3])

    return pose
