"""The pose of a torus in contact with another one, as a function of four coordinates."""

from __future__ import annotations

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.oracles.branching_tree import PositionFunction
from rbnotes.ledger.oracles.pose_products import Pose, screw_pose, translation_pose


def touching_tori(radii: Array) -> Pose:
    """Return the pose of a torus that touches another one without rotating about the common normal.

    Parameters
    ----------
    radii
        Radii of the first torus and of its tube, then of the second torus and of its tube, shape ``(4,)``.
    """
    R, r, other_R, other_r = radii
    x, y, z = np.eye(3)

    def pose(q: Array) -> Array:
        outwards = (
            screw_pose(z, q[..., 0])
            @ translation_pose(R * x)
            @ screw_pose(-y, q[..., 1])
            @ translation_pose((r + other_r) * x)
        )
        result: Array = (
            outwards @ screw_pose(y, q[..., 2]) @ translation_pose(other_R * x) @ screw_pose(z, q[..., 3])
        )
        return result

    return pose


def point_positions(radii: Array, points: Array) -> PositionFunction:
    """Return the positions of points ``(p, 4)`` of the moving torus, mass first, as a function of q."""
    pose = touching_tori(radii)

    def positions(q: Array) -> Array:
        E = pose(q)
        world_points = np.einsum("...ij,pj->...pi", E[..., :3, :3], points[:, 1:]) + E[..., None, :3, 3]
        flat: Array = world_points.reshape(*q.shape[:-1], -1)
        return flat

    return positions
