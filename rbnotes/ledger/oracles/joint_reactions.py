"""Joint reactions of a branching tree, from Newton's law for each point.

The tree is that of :mod:`rbnotes.ledger.oracles.branching_tree`. A point with acceleration a under gravity g
needs the force ``m (a - g)``. The sum over the points of a body is the wrench of all its joints and other
constraints on it; the sum over the subtree of a joint is the wrench that the joint transmits.
"""

from __future__ import annotations

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.oracles.branching_tree import (
    PARENTS,
    acceleration_of,
    body_poses,
    point_positions,
    transform_points,
)


def inertial_point_forces(
    link_frames: Array, bodies: Array, g: Array, q: Array, v: Array, a: Array
) -> tuple[Array, Array]:
    """Return the positions of the mass points and the forces on them, each ``(4, 4, 3)``, in the world.

    Each body has four points. Their accelerations follow from q, v and a; the forces exclude weight.
    """
    rates = acceleration_of(point_positions(link_frames, bodies), q, v, a).reshape(4, 4, 3)
    return transform_points(body_poses(link_frames, q), bodies[..., 1:]), bodies[..., :1] * (rates - g)


def wrench_at(frame: Array, positions: Array, forces: Array) -> Array:
    """Return the wrench ``(6,)`` in a frame of forces at the positions ``(p, 3)``."""
    R, origin = frame[:3, :3], frame[:3, 3]
    arms = positions - origin
    moment = np.array(
        [
            np.sum(arms[:, 1] * forces[:, 2] - arms[:, 2] * forces[:, 1]),
            np.sum(arms[:, 2] * forces[:, 0] - arms[:, 0] * forces[:, 2]),
            np.sum(arms[:, 0] * forces[:, 1] - arms[:, 1] * forces[:, 0]),
        ]
    )
    return np.concatenate([R.T @ moment, R.T @ np.sum(forces, axis=0)])


def net_body_wrenches(link_frames: Array, bodies: Array, g: Array, q: Array, v: Array, a: Array) -> Array:
    """Return the net constraint wrenches on the bodies ``(24,)``, in body frames."""
    positions, forces = inertial_point_forces(link_frames, bodies, g, q, v, a)
    poses = body_poses(link_frames, q)
    return np.concatenate([wrench_at(*each) for each in zip(poses, positions, forces, strict=True)])


def joint_transmitted_wrenches(
    link_frames: Array, bodies: Array, g: Array, q: Array, v: Array, a: Array
) -> Array:
    """Return the wrenches ``(24,)`` that the joints transmit, in the moved joint frames."""
    positions, forces = inertial_point_forces(link_frames, bodies, g, q, v, a)
    frames = body_poses(link_frames, q) @ np.linalg.inv(link_frames[:, 1])
    result = []
    for joint, frame in enumerate(frames):
        carried_bodies = [body for body in range(4) if _carries(joint, body)]
        result.append(
            wrench_at(
                frame, np.concatenate(positions[carried_bodies]), np.concatenate(forces[carried_bodies])
            )
        )
    return np.concatenate(result)


def _carries(joint: int, body: int) -> bool:
    while body > joint:
        body = PARENTS[body]
    return body == joint
