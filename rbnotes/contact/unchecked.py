"""Contact Jacobians for valid points and poses, without argument checks."""

from __future__ import annotations

import numpy as np

from rbnotes.arguments import Array, IntArray
from rbnotes.contact.body_pair_jacobian import BodyPairJacobian
from rbnotes.contact.detection import ContactPoints
from rbnotes.dynamics import WORLD
from rbnotes.unchecked import se3
from rbnotes.unchecked.frozen import construct_unchecked


def contact_jacobian(points: ContactPoints, poses: Array) -> BodyPairJacobian:
    """Return three rows for each contact: along the normal and the tangents."""
    return jacobian_along(points.axes, points, poses)


def jacobian_along(directions: Array, points: ContactPoints, poses: Array) -> BodyPairJacobian:
    """Return rows along directions of the world ``(c, k, 3)``."""
    if not len(points):
        empty = np.zeros((0, directions.shape[1], 6))
        return construct_unchecked(
            BodyPairJacobian, a=points.a, b=points.b, block_a=empty, block_b=empty, num_bodies=len(poses)
        )

    def body_blocks(bodies: IntArray) -> Array:
        """Return the matrices from twists to velocities of the bodies' points."""
        result = np.zeros((*directions.shape[:2], 6))
        movable = np.flatnonzero(bodies != WORLD)
        body = bodies[movable]
        R = poses[body, :3, :3]
        x = np.einsum("cji,cj->ci", R, points.position[movable] - poses[body, :3, 3])
        result[movable] = directions[movable] @ R @ se3.Gamma(x)
        return result

    a, b = points.a, points.b
    return construct_unchecked(
        BodyPairJacobian, a=a, b=b, block_a=body_blocks(a), block_b=-body_blocks(b), num_bodies=len(poses)
    )
