"""Two joints in a row, as products of poses.

In general: a ball with an arm, of three coordinates, then a hinge and a screw with an arm between, of two:
the Jacobians of both change, and so does that of the pair. And the pairs that make free joints.
"""

from __future__ import annotations

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.oracles.pose_chains import Pose, rate, shifted, turned, turned_by
from rbnotes.ledger.oracles.twists import adjoint_by_conjugation

PITCH = 0.35


def first(A: Array) -> Pose:
    """Of the first joint, whose arm has the shape ``A (4, 4)``."""

    def pose(q: Array) -> Array:
        return turned_by(q) @ A

    return pose


def second(a: Array, B: Array, b: Array) -> Pose:
    """Of the second joint: a hinge about a, an arm B, a screw about b."""

    def pose(q: Array) -> Array:
        return turned(a, q[..., 0]) @ B @ turned(b, q[..., 1], PITCH)

    return pose


def both(A: Array, a: Array, B: Array, b: Array) -> Pose:
    """Of the two in a row, with five coordinates."""
    one, two = first(A), second(a, B, b)

    def pose(q: Array) -> Array:
        return one(q[..., :3]) @ two(q[..., 3:])

    return pose


def adjoint_rate(pose: Pose, q: Array, qdot: Array) -> Array:
    """How the adjoint of a pose changes along a motion, each adjoint by conjugation."""

    def adjoints(x: Array) -> Array:
        return np.array([adjoint_by_conjugation(E) for E in pose(x)])

    return rate(adjoints, q, qdot)


def back_rate(pose: Pose, q: Array, qdot: Array) -> Array:
    """The same for the adjoint of the inverse pose."""
    return adjoint_rate(lambda x: np.linalg.inv(pose(x)), q, qdot)


def free_in_the_plane(q: Array) -> Array:
    """A shift along x and y, then a turn about z."""
    along = np.stack([q[..., 0], q[..., 1], np.zeros_like(q[..., 0])], axis=-1)
    return shifted(along) @ turned(np.eye(3)[2], q[..., 2])


def free_in_space(q: Array) -> Array:
    """A turn by a rotation vector, then a shift in the turned frame."""
    return turned_by(q[..., :3]) @ shifted(q[..., 3:])
