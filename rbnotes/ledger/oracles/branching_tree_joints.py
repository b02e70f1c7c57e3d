"""Motions and wrenches at the joints of the tree of :mod:`~rbnotes.ledger.oracles.branching_tree`."""

from __future__ import annotations

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.oracles import complex_steps
from rbnotes.ledger.oracles.branching_tree import (
    body_poses,
    time_derivative,
    transform_points,
)


def joint_poses(link_frames: Array, q: Array) -> Array:
    """Return the poses ``(..., 4, 4, 4)`` of the joints in the world."""
    poses: Array = body_poses(link_frames, q) @ np.linalg.inv(link_frames[:, 1])
    return poses


def joint_twists(link_frames: Array, q: Array, v: Array) -> Array:
    """Return the twists ``(..., 4, 6)`` of the joint frames, each in its own frame, by complex steps."""
    X = np.linalg.inv(joint_poses(link_frames, q)) @ complex_steps.directional_derivative(
        lambda x: joint_poses(link_frames, x), q, v
    )
    return np.stack([X[..., 2, 1], X[..., 0, 2], X[..., 1, 0], *np.moveaxis(X[..., :3, 3], -1, 0)], axis=-1)


def joint_twist_rates(link_frames: Array, q: Array, v: Array, a: Array) -> Array:
    """Return the time derivatives ``(4, 6)`` of the components of the joint twists, under accelerations a."""
    return time_derivative(lambda t: joint_twists(link_frames, q + v * t + a * t**2 / 2, v + a * t))


def joint_gravity_wrenches(link_frames: Array, bodies: Array, g: Array, q: Array) -> Array:
    """Return the gravity wrenches ``(4, 6)`` of each body, in the frame of its joint."""
    x = transform_points(body_poses(link_frames, q), bodies[..., 1:])
    return np.array(
        [
            wrench_in_frame(pose, positions, points[:, :1] * g)
            for pose, positions, points in zip(joint_poses(link_frames, q), x, bodies, strict=True)
        ]
    )


def wrench_in_frame(pose: Array, positions: Array, forces: Array) -> Array:
    """Return the wrench ``(6,)`` of forces ``(..., 3)`` at world positions, in the frame of a pose."""
    arms = positions - pose[:3, 3]
    moment, force = (vectors.reshape(-1, 3).sum(axis=0) for vectors in (np.cross(arms, forces), forces))
    return np.concatenate([pose[:3, :3].T @ moment, pose[:3, :3].T @ force])


def solve_hybrid_dynamics(M: Array, f: Array, a: Array, prescribed: tuple[int, ...]) -> tuple[Array, Array]:
    """Return the accelerations under forces f, and the additional forces ``M a - f``.

    The accelerations of the `prescribed` coordinates are those in `a`.
    """
    a = a.copy()
    free_indices = [i for i in range(len(a)) if i not in prescribed]
    if free_indices:
        inertial_forces = M[np.ix_(free_indices, list(prescribed))] @ a[list(prescribed)]
        a[free_indices] = np.linalg.solve(
            M[np.ix_(free_indices, free_indices)], f[free_indices] - inertial_forces
        )
    return a, M @ a - f
