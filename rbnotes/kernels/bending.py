"""How the columns of joints move and change, as seen from the body: what tangents need of blocks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from rbnotes import _se3
from rbnotes.arguments import Array
from rbnotes.joints.protocol import JointType

Block = tuple[JointType, NDArray[np.intp]]
"""A joint and its coordinates ``(places, k)`` in the state of the tree, wherever the tree has that joint."""

_SIZE = 48
_CHANGES = 12


def blocks_of(places: Iterable[tuple[JointType, int]]) -> list[Block]:
    """Joints with their first coordinates, the same ones together: numpy takes a call as long as a joint."""
    starts: dict[int, list[int]] = {}
    joints: dict[int, JointType] = {}
    for joint, start in places:
        joints[id(joint)] = joint
        starts.setdefault(id(joint), []).append(start)
    return [(joint, np.add.outer(starts[key], np.arange(joint.coordinates))) for key, joint in joints.items()]


def bends(blocks: Sequence[Block], q: Array, qdot: Array, qddot: Array) -> Array:
    """First and second rates of the columns S, and their derivatives ``(..., k, 48)`` by each coordinate.

    Derivatives of twists and rates of columns differ by a bracket, since increments of a pose do not commute:
    for the twist ``u = S qdot``, ``du/dq_j = Sdot_j + ad(u) S_j``. So the derivative of ``udot`` tells the
    second rate of a column. The states ``(..., k)`` have been checked.

    Raises
    ------
    SingularConfiguration
        If a joint's coordinates are at a singular state of its functions.
    InvalidArgument
        If a joint has no formula for its second derivatives.
    """
    result = np.zeros((*q.shape, _SIZE))
    for joint, own in blocks:
        at, v, a = (each[..., own] for each in (q, qdot, qddot))
        m = joint.coordinates
        S, dS = joint._S(at), joint._dS(at)
        Sdot = np.einsum("...cij,...j->...ci", dS, v)
        twist, rate = (np.einsum("...ci,...i->...c", S, each) for each in (v, a))
        rate = rate + np.einsum("...ci,...i->...c", Sdot, v)
        rate_q = np.einsum("...cij,...i->...cj", dS, a) + joint._drift_slope(at, v)
        Sddot = rate_q - _se3.ad(rate) @ S - _se3.ad(twist) @ Sdot
        result[..., own, :6], result[..., own, 6:_CHANGES] = (
            np.swapaxes(each, -1, -2) for each in (Sdot, Sddot)
        )
        # By each coordinate one column after the other.
        changes = np.moveaxis(dS, -3, -1).swapaxes(-3, -2)
        result[..., own, _CHANGES : _CHANGES + 6 * m] = changes.reshape(*at.shape, 6 * m)
    return result
