"""A torus that touches another one, as nothing but a pose that depends on four coordinates."""

from __future__ import annotations

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.oracles.branching import Places
from rbnotes.ledger.oracles.pose_chains import Pose, shifted, turned


def touching_tori(radii: Array) -> Pose:
    """Pose of one torus on another: they touch, and do not turn about their common normal.

    Parameters
    ----------
    radii
        ``(4,)``: of the first torus and of its tube, of the other one and of its tube.
    """
    R, r, other_R, other_r = radii
    x, y, z = np.eye(3)

    def pose(q: Array) -> Array:
        outwards = turned(z, q[..., 0]) @ shifted(R * x) @ turned(-y, q[..., 1]) @ shifted((r + other_r) * x)
        moved: Array = outwards @ turned(y, q[..., 2]) @ shifted(other_R * x) @ turned(z, q[..., 3])
        return moved

    return pose


def places_on(radii: Array, points: Array) -> Places:
    """Positions of points ``(p, 4)`` of the moving torus, mass first, from the coordinates of its joint."""
    pose = touching_tori(radii)

    def places(q: Array) -> Array:
        E = pose(q)
        moved = np.einsum("...ij,pj->...pi", E[..., :3, :3], points[:, 1:]) + E[..., None, :3, 3]
        flat: Array = moved.reshape(*q.shape[:-1], -1)
        return flat

    return places
