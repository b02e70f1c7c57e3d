"""Rates and derivatives of motion subspaces in the body, for the derivatives of dynamics."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbnotes.arguments import Array
from rbnotes.compiled import tree_layout as layout
from rbnotes.joints.joint_type import JointType
from rbnotes.multibody.packing.external_joints import JointSlices, group_by_program
from rbnotes.unchecked import se3

SUBSPACE_DERIVATIVES_SIZE = int(layout.SUBSPACE_DERIVATIVES_SIZE)


class SubspaceDerivatives:
    """Derivatives of the motion subspaces at a state of a tree; compiled for joints given as functions.

    Parameters
    ----------
    places
        Joints, and the index of their first coordinate.
    coordinates
        Number of coordinates of the tree.
    """

    def __init__(self, joint_starts: Iterable[tuple[JointType, int]], coordinates: int) -> None:
        joint_slices = [
            JointSlices(
                joint,
                slice(start, start + joint.num_coordinates),
                slice(
                    SUBSPACE_DERIVATIVES_SIZE * start,
                    SUBSPACE_DERIVATIVES_SIZE * start + _derivatives_size(joint.num_coordinates),
                ),
            )
            for joint, start in joint_starts
        ]
        self.is_empty = not joint_slices
        compiled, uncompiled = group_by_program(joint_slices, "subspace_derivatives_function", 0, coordinates)
        self._compiled: list[tuple[Any, ...]] = [tuple(each) for each in compiled]
        # Equal joints are evaluated together: a NumPy call takes as long as a joint.
        by_joint: dict[int, list[JointSlices]] = {}
        for slices in uncompiled:
            by_joint.setdefault(id(slices.joint), []).append(slices)
        self._uncompiled = [
            (
                members[0].joint,
                _indices(slices.coordinates for slices in members),
                _indices(slices.numbers for slices in members),
            )
            for members in by_joint.values()
        ]
        self._numbers = np.zeros(0 if self.is_empty else SUBSPACE_DERIVATIVES_SIZE * coordinates)

    def evaluate(self, q: Array, qdot: Array, qddot: Array) -> Array | None:
        """Return rates and coordinate derivatives of the columns of S, as one vector ``(48 k,)``.

        For each column these are S', S'' and the derivatives of all columns of its joint with respect to its
        coordinate. Returns None near a singular state of a compiled joint. The states ``(k,)`` are not
        checked.

        Raises
        ------
        SingularConfiguration
            If another joint's coordinates are at a singular state.
        InvalidArgument
            If a joint has no formula for its second derivatives.
        """
        for fill, table, constants, work in self._compiled:
            if fill(table, constants, work, q, qdot, qddot, self._numbers):
                return None
        for joint, coordinates, numbers in self._uncompiled:
            self._numbers[numbers] = _subspace_derivatives(
                joint, *(each[coordinates] for each in (q, qdot, qddot))
            )
        return self._numbers


def _derivatives_size(m: int) -> int:
    """Return the number of derivatives of a joint with m coordinates."""
    return m * (int(layout.COLUMN_CHANGES_OFFSET) + 6 * m)


def _indices(slices: Iterable[slice]) -> NDArray[np.intp]:
    return np.array([np.arange(each.start, each.stop) for each in slices])


def _subspace_derivatives(joint: JointType, q: Array, v: Array, a: Array) -> Array:
    """Return the derivatives of one joint at states ``(..., m)``, shape ``(..., m (12 + 6 m))``.

    Derivatives of twists and rates of columns differ by a bracket, since increments of a pose do not commute:
    for the twist ``u = S qdot``, ``du/dq_j = Sdot_j + ad(u) S_j``. So the second rate of a column follows
    from the derivative of ``udot``.
    """
    m = joint.num_coordinates
    S, dS = joint.compute_motion_subspace(q), joint.compute_motion_subspace_derivative(q)
    Sdot = np.einsum("...cij,...j->...ci", dS, v)
    twist, rate = (np.einsum("...ci,...i->...c", S, each) for each in (v, a))
    rate = rate + np.einsum("...ci,...i->...c", Sdot, v)
    rate_q = np.einsum("...cij,...i->...cj", dS, a) + joint.compute_bias_acceleration_derivative(q, v)
    Sddot = rate_q - se3.ad(rate) @ S - se3.ad(twist) @ Sdot
    # For each coordinate, one column after the other.
    changes = np.moveaxis(dS, -3, -1).swapaxes(-3, -2).reshape(*q.shape, 6 * m)
    rates = (each.mT for each in (Sdot, Sddot))
    return np.concatenate([*rates, changes], axis=-1).reshape(*q.shape[:-1], -1)
