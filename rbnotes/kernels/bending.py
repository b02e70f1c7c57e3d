"""How the columns of joints move and change, as seen from the body: what tangents need of blocks."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from rbnotes import _se3
from rbnotes.arguments import Array
from rbnotes.joints.protocol import JointType

_SIZE = 48
_CHANGES = 12


class Bends:
    """How the columns of joints bend at a state of a tree.

    Parameters
    ----------
    places
        Joints, and where their coordinates start in a state.
    coordinates
        Of the tree.
    """

    def __init__(self, places: Iterable[tuple[JointType, int]], coordinates: int) -> None:
        # The same joints together: numpy takes a call as long as a joint.
        starts: dict[int, tuple[JointType, list[int]]] = {}
        for joint, start in places:
            starts.setdefault(id(joint), (joint, []))[1].append(start)
        self._blocks = [
            (joint, np.add.outer(own, np.arange(joint.coordinates))) for joint, own in starts.values()
        ]
        self.none = not self._blocks
        self._numbers = np.zeros((0 if self.none else coordinates, _SIZE))

    def at(self, q: Array, qdot: Array, qddot: Array) -> Array:
        """First and second rates of the columns S, and what each coordinate makes of them; flat ``(48 k,)``.

        Derivatives of twists and rates of columns differ by a bracket, since increments of a pose do not
        commute: for the twist ``u = S qdot``, ``du/dq_j = Sdot_j + ad(u) S_j``. So the derivative of ``udot``
        tells the second rate of a column. The states ``(k,)`` have been checked.

        Raises
        ------
        SingularConfiguration
            If a joint's coordinates are at a singular state of its functions.
        InvalidArgument
            If a joint has no formula for its second derivatives.
        """
        for joint, own in self._blocks:
            self._numbers[own] = _bends(joint, *(each[own] for each in (q, qdot, qddot)))
        return self._numbers.reshape(-1)


def _bends(joint: JointType, q: Array, v: Array, a: Array) -> Array:
    """Of one joint at states ``(..., m)``: an array ``(..., m, 48)``."""
    m = joint.coordinates
    S, dS = joint._S(q), joint._dS(q)
    Sdot = np.einsum("...cij,...j->...ci", dS, v)
    twist, rate = (np.einsum("...ci,...i->...c", S, each) for each in (v, a))
    rate = rate + np.einsum("...ci,...i->...c", Sdot, v)
    rate_q = np.einsum("...cij,...i->...cj", dS, a) + joint._drift_slope(q, v)
    Sddot = rate_q - _se3.ad(rate) @ S - _se3.ad(twist) @ Sdot
    result = np.zeros((*q.shape, _SIZE))
    for number, each in enumerate((Sdot, Sddot)):
        result[..., 6 * number : 6 * number + 6] = np.swapaxes(each, -1, -2)
    # By each coordinate one column after the other.
    changes = np.moveaxis(dS, -3, -1).swapaxes(-3, -2)
    result[..., _CHANGES : _CHANGES + 6 * m] = changes.reshape(*q.shape, 6 * m)
    return result
