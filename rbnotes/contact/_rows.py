"""The formulas of contact rows, for points and poses that are known to be right: nothing is checked here."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbnotes import _se3
from rbnotes._frozen import known
from rbnotes.arguments import Array
from rbnotes.contact.detection import ContactPoints
from rbnotes.contact.pair_rows import PairRows
from rbnotes.dynamics import WORLD


def contact_rows(points: ContactPoints, poses: Array) -> PairRows:
    """Three rows a contact: along the normal and the tangents."""
    return rows_along(points.axes, points, poses)


def rows_along(directions: Array, points: ContactPoints, poses: Array) -> PairRows:
    """Rows along directions of the world ``(c, k, 3)``."""

    if not len(points):
        none = np.zeros((0, directions.shape[1], 6))
        return known(PairRows, a=points.a, b=points.b, on_a=none, on_b=none, bodies=len(poses))

    def blocks(numbers: NDArray[np.intp]) -> Array:
        """What takes twists to velocities of the bodies' points."""
        result = np.zeros((*directions.shape[:2], 6))
        moves = np.flatnonzero(numbers != WORLD)
        body = numbers[moves]
        R = poses[body, :3, :3]
        x = np.einsum("cji,cj->ci", R, points.position[moves] - poses[body, :3, 3])
        result[moves] = directions[moves] @ R @ _se3.Gamma(x)
        return result

    a, b = points.a, points.b
    return known(PairRows, a=a, b=b, on_a=blocks(a), on_b=-blocks(b), bodies=len(poses))
