"""Two joints in series, as products of poses.

In the general pair a spherical joint with an offset (three coordinates) carries a revolute and a helical
joint with an offset between them (two coordinates): both Jacobians vary, and so does that of the pair. Two
more pairs are free joints.
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
    """Return the pose function of the first joint, with the offset ``A (4, 4)``."""

    def pose(q: Array) -> Array:
        return rotation_pose(q) @ A

    return pose


def hinge_and_screw(a: Array, B: Array, b: Array) -> Pose:
    """Return the pose function of the second joint: a hinge about a, an offset B, a screw about b."""

    def pose(q: Array) -> Array:
        return screw_pose(a, q[..., 0]) @ B @ screw_pose(b, q[..., 1], PITCH)

    return pose


def joint_pair(A: Array, a: Array, B: Array, b: Array) -> Pose:
    """Return the pose function of both joints in series, with five coordinates."""
    first, second = ball_with_arm(A), hinge_and_screw(a, B, b)

    def pose(q: Array) -> Array:
        return first(q[..., :3]) @ second(q[..., 3:])

    return pose


def adjoint_rate(pose: Pose, q: Array, qdot: Array) -> Array:
    """Return the time derivative of a pose's adjoint along a motion; the adjoints follow by conjugation."""

    def adjoints(x: Array) -> Array:
        return np.array([adjoint_by_conjugation(E) for E in pose(x)])

    return derivative_along_motion(adjoints, q, qdot)


def inverse_adjoint_rate(pose: Pose, q: Array, qdot: Array) -> Array:
    """Return the time derivative of the adjoint of the inverse pose along a motion."""
    return adjoint_rate(lambda x: np.linalg.inv(pose(x)), q, qdot)


def planar_free_joint(q: Array) -> Array:
    """Return the pose after a translation along x and y, then a rotation about z."""
    translation = np.stack([q[..., 0], q[..., 1], np.zeros_like(q[..., 0])], axis=-1)
    return translation_pose(translation) @ screw_pose(np.eye(3)[2], q[..., 2])


def spatial_free_joint(q: Array) -> Array:
    """Return the pose after a rotation by a rotation vector, then a translation in the rotated frame."""
    return rotation_pose(q[..., :3]) @ translation_pose(q[..., 3:])
