"""Two joints in a row, as products of poses.

In general: a ball with an arm, of three coordinates, then a hinge and a screw with an arm between, of two:
the Jacobians of both change, and so does that of the pair. And the pairs that make free joints.
"""

from __future__ import annotations

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.oracles.pose_products import (
    Pose,
    derivative_along_motion,
    rotation_pose,
    screw_pose,
    translation_pose,
)
from rbnotes.ledger.oracles.twists import adjoint_by_conjugation

PITCH = 0.35


def ball_with_arm(A: Array) -> Pose:
    """Of the first joint, whose arm has the shape ``A (4, 4)``."""

    def pose(q: Array) -> Array:
        return rotation_pose(q) @ A

    return pose


def hinge_and_screw(a: Array, B: Array, b: Array) -> Pose:
    """Of the second joint: a hinge about a, an arm B, a screw about b."""

    def pose(q: Array) -> Array:
        return screw_pose(a, q[..., 0]) @ B @ screw_pose(b, q[..., 1], PITCH)

    return pose


def joint_pair(A: Array, a: Array, B: Array, b: Array) -> Pose:
    """Of the two in a row, with five coordinates."""
    one, two = ball_with_arm(A), hinge_and_screw(a, B, b)

    def pose(q: Array) -> Array:
        return one(q[..., :3]) @ two(q[..., 3:])

    return pose


def adjoint_rate(pose: Pose, q: Array, qdot: Array) -> Array:
    """Return the time derivative of a pose's adjoint along a motion; each adjoint is found by conjugation."""

    def adjoints(x: Array) -> Array:
        return np.array([adjoint_by_conjugation(E) for E in pose(x)])

    return derivative_along_motion(adjoints, q, qdot)


def inverse_adjoint_rate(pose: Pose, q: Array, qdot: Array) -> Array:
    """Return the same for the adjoint of the inverse pose."""
    return adjoint_rate(lambda x: np.linalg.inv(pose(x)), q, qdot)


def planar_free_joint(q: Array) -> Array:
    """Return a shift along x and y, then a turn about z."""
    along = np.stack([q[..., 0], q[..., 1], np.zeros_like(q[..., 0])], axis=-1)
    return translation_pose(along) @ screw_pose(np.eye(3)[2], q[..., 2])


def spatial_free_joint(q: Array) -> Array:
    """Return a turn by a rotation vector, then a shift in the turned frame."""
    return rotation_pose(q[..., :3]) @ translation_pose(q[..., 3:])
