"""Poses as products of elementary poses, real or complex: joint twists by complex steps.

A joint is a function from coordinates ``(..., k)`` to poses ``(..., 4, 4)``. One call evaluates all steps.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from hypothesis.strategies import SearchStrategy
from scipy.spatial.transform import Rotation

from rbnotes.arguments import Array
from rbnotes.ledger.oracles import complex_steps
from rbnotes.ledger.oracles.bodies import bracket
from rbnotes.testing.strategies import arrays, round_poses
from rbnotes.unchecked import central_differences

Pose = Callable[[Array], Array]


def random_poses(*shape: int) -> SearchStrategy[Array]:
    """Draw poses ``(*shape, 4, 4)`` in a single draw, fast to generate and to shrink."""

    def poses_from_numbers(numbers: Array) -> Array:
        rotations = Rotation.from_rotvec(numbers[:, :3]).as_matrix()
        return round_poses(make_poses(rotations, numbers[:, 3:])).reshape(*shape, 4, 4)

    return arrays(math.prod(shape), 6).map(poses_from_numbers)


def screw_pose(axis: Array, angle: Array | float, pitch: float = 0.0) -> Array:
    """Return the pose after a screw motion about a unit axis through the origin."""
    bracket_of_axis, angle = bracket(axis), np.asarray(angle)[..., None, None]
    R = np.eye(3) + np.sin(angle) * bracket_of_axis + (1 - np.cos(angle)) * bracket_of_axis @ bracket_of_axis
    return make_poses(R, pitch * angle[..., 0] * np.asarray(axis))


def rotation_pose(r: Array) -> Array:
    """Return the poses rotated by nonzero rotation vectors ``(..., 3)``."""
    angle = np.sqrt(np.sum(r * r, axis=-1))[..., None, None]
    generator = np.stack([np.cross(r, unit) for unit in np.eye(3)], axis=-1) / angle
    R = np.eye(3) + np.sin(angle) * generator + (1 - np.cos(angle)) * generator @ generator
    return make_poses(R, np.zeros(3))


def make_poses(R: Array, p: Array) -> Array:
    """Return the poses with these rotations ``(..., 3, 3)`` and positions ``(..., 3)``."""
    shape = np.broadcast_shapes(R.shape[:-2], p.shape[:-1])
    E = np.zeros((*shape, 4, 4), dtype=np.result_type(R, p))
    E[..., :3, :3], E[..., :3, 3], E[..., 3, 3] = R, p, 1
    return E


def translation_pose(p: Array) -> Array:
    """Return the pose after a translation."""
    return make_poses(np.eye(3), p)


def derivative_along_motion(function: Callable[[Array], Array], q: Array, qdot: Array) -> Array:
    """Return the time derivative of a function of the coordinates ``(..., k)`` along a motion."""
    return central_differences.time_derivative_at_zero(lambda t: function(q + t * qdot))


def pose_jacobian(pose: Pose, q: Array) -> Array:
    """Return the body twists ``(..., 6, k)`` for unit rates of each coordinate."""
    X = np.linalg.inv(pose(q))[..., None, :, :] @ complex_steps.partial_derivatives(pose, q)
    entries = ((2, 1), (0, 2), (1, 0), (0, 3), (1, 3), (2, 3))
    return np.stack([X[..., i, j] for i, j in entries], axis=-2)


def pose_jacobian_rate(pose: Pose, q: Array, qdot: Array) -> Array:
    """Return the time derivative of the body twists :func:`pose_jacobian` along a motion, ``(..., 6, k)``."""
    return derivative_along_motion(lambda x: pose_jacobian(pose, x), q, qdot)


def pose_jacobian_derivative(pose: Pose, q: Array) -> Array:
    """Return the derivatives of the body twists with respect to each coordinate, shape ``(6, k, k)``.

    The last axis is that of the coordinate that varies.
    """
    return np.stack([pose_jacobian_rate(pose, q, unit) for unit in np.eye(q.size)], axis=-1)
