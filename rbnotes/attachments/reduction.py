"""Null-space reduction: a system in the velocities of its unattached components (Lloyd 0.17, 0.18).

All velocities follow from those of the active components, ``v = J v_active + bias``: a
:class:`~rbnotes.dynamics.Reduction`, whose J follows from the order in which components are eliminated.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument, Matrix
from rbnotes.attachments.attachment import Attachment, elimination_order
from rbnotes.dynamics import Reduction, StepProblem, StepSolution

Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False, kw_only=True)
class NullSpaceReduction(Reduction):
    """Map from the velocities of the active components to all velocities of a system.

    The rows of J of the active components are rows of the identity. :func:`null_space_reduction` creates it.
    J and bias are those of :class:`~rbnotes.dynamics.Reduction`.

    Attributes
    ----------
    active_indices
        Indices of the velocities of active components ``(n_active,)`` among all.
    attached_indices
        Indices of the velocities of attached components ``(n_attached,)``.
    attached_coupling
        Dependence of attached velocities on each other ``(n_attached, n_attached)``, sparse and nilpotent,
        dimensionless between velocities of one kind.
    max_depth
        Length of the longest chain of attachments.
    """

    active_indices: Indices
    attached_indices: Indices
    attached_coupling: Matrix
    max_depth: int

    def attachment_forces(self, problem: StepProblem, solution: StepSolution) -> Array:
        """Return the forces ``(n_attached,)`` that each attachment exerts on its attached component.

        The opposite force acts on the masters, through ``J_kj^T``.

        Parameters
        ----------
        problem, solution
            Those of the whole system, before reduction.

        Raises
        ------
        InvalidArgument
            If ``problem`` is not a ``StepProblem`` or ``solution`` is not a ``StepSolution``.
        """
        arguments.require_instance("problem", problem, StepProblem)
        arguments.require_instance("solution", solution, StepSolution)
        direct_forces = self.constraint_forces(problem, solution)[self.attached_indices]
        # A component also transmits the forces of the components attached to it.
        forces = direct_forces
        for _ in range(self.max_depth - 1):
            forces = direct_forces + self.attached_coupling.T @ forces
        return forces


def null_space_reduction(sizes: Sequence[int], attachments: Iterable[Attachment]) -> NullSpaceReduction:
    """Return the map from active velocities to all velocities (Lloyd 0.17, 0.18).

    Parameters
    ----------
    sizes : (number of components,)
        Number of velocities of each component; they are stacked in this order.
    attachments
        At most one for each component, in any order. A component may be attached to attached ones.

    Raises
    ------
    CyclicAttachments
        If the attachments form a cycle.
    InvalidArgument
        If a component does not exist, is attached twice, or a block does not have its and its master's sizes.
    """
    attachments = arguments.instances("attachments", attachments, Attachment)
    starts = _offsets(sizes)
    order = elimination_order(attachments)
    depths: dict[int, int] = {}
    rows, columns, values = [], [], []
    bias = np.zeros(starts[-1])
    is_attached = np.zeros(starts[-1], dtype=bool)
    for attachment in reversed(order):
        _check_sizes(attachment, sizes)
        k = attachment.component
        own_indices = np.arange(starts[k], starts[k + 1])
        bias[own_indices], is_attached[own_indices] = attachment.bias, True
        depths[k] = 1 + max(depths.get(j, 0) for j in attachment.blocks)
        for j, block in attachment.blocks.items():
            masters = np.arange(starts[j], starts[j + 1])
            rows.append(np.repeat(own_indices, len(masters)))
            columns.append(np.tile(masters, len(own_indices)))
            values.append(block.ravel())
    n, depth = int(starts[-1]), max(depths.values(), default=0)
    entries = [
        np.concatenate(parts) if parts else np.zeros(0, dtype=int) for parts in (values, rows, columns)
    ]
    direct = sparse.csr_array((entries[0], (entries[1], entries[2])), shape=(n, n))
    active, attached = np.flatnonzero(~is_attached), np.flatnonzero(is_attached)
    attached_coupling, active_coupling = direct[attached][:, attached], direct[attached][:, active]
    J_attached, total_bias = active_coupling, bias[attached]
    for _ in range(depth - 1):
        J_attached = active_coupling + attached_coupling @ J_attached
        total_bias = bias[attached] + attached_coupling @ total_bias
    bias[attached] = total_bias
    stacked = sparse.vstack([sparse.eye_array(len(active), format="csr"), J_attached], format="csr")
    permutation = np.empty(n, dtype=int)
    permutation[np.concatenate([active, attached])] = np.arange(n)
    return NullSpaceReduction(
        J=stacked[permutation],
        bias=bias,
        active_indices=active,
        attached_indices=attached,
        attached_coupling=attached_coupling,
        max_depth=depth,
    )


def eliminate_attachment(problem: StepProblem, sizes: Sequence[int], attachment: Attachment) -> StepProblem:
    """Return the problem after one attachment: the component's rows and columns are zero (Lloyd 0.17, 0.18).

    The matrix is ``P_k M P_k^T`` with the reduction matrix of the attachment. Applied to all attachments in
    the order of :func:`~rbnotes.attachments.attachment.elimination_order`, it gives the problem of
    :meth:`NullSpaceReduction.reduce` in the rows and columns of the active components. Two attachments
    commute if neither component is a master of the other.

    Raises InvalidArgument if ``problem`` is not a ``StepProblem``, ``sizes`` does not fit, or ``attachment``
    is not an ``Attachment``.
    """
    arguments.require_instance("problem", problem, StepProblem)
    arguments.require_instance("attachment", attachment, Attachment)
    P, bias = reduction_matrix(sizes, attachment)
    return Reduction(P.T, bias).reduce(problem)


def reduction_matrix(sizes: Sequence[int], attachment: Attachment) -> tuple[Any, Array]:
    """Return sparse P ``(n, n)`` and the bias ``(n,)`` of one attachment: ``v = P^T v + bias`` (Lloyd 0.17).

    P is the identity except for the rows and columns of the attached component, whose forces it transfers to
    the masters by ``J_kj^T``.

    Raises InvalidArgument if ``sizes`` does not fit or ``attachment`` is not an ``Attachment``.
    """
    arguments.require_instance("attachment", attachment, Attachment)
    starts = _offsets(sizes)
    _check_sizes(attachment, sizes)
    P = sparse.lil_array(sparse.eye_array(starts[-1]))
    own_indices = slice(starts[attachment.component], starts[attachment.component + 1])
    P[own_indices, own_indices] = 0.0
    for j, block in attachment.blocks.items():
        P[starts[j] : starts[j + 1], own_indices] = block.T
    bias = np.zeros(starts[-1])
    bias[own_indices] = attachment.bias
    return sparse.csr_array(P), bias


def _offsets(sizes: Sequence[int]) -> Indices:
    counts = arguments.indices("sizes", sizes, minimum=1)
    if counts.ndim != 1:
        raise InvalidArgument(
            "sizes", arguments.format_value(sizes), "one positive integer for each component"
        )
    return np.concatenate([[0], np.cumsum(counts)])


def _check_sizes(attachment: Attachment, sizes: Sequence[int]) -> None:
    for k in (attachment.component, *attachment.blocks):
        if not 0 <= k < len(sizes):
            below = f"less than {len(sizes)}, the number of sizes"
            raise InvalidArgument("attachments", f"component {k}", below)
    for j, block in attachment.blocks.items():
        expected = (sizes[attachment.component], sizes[j])
        if block.shape != expected:
            raise InvalidArgument(f"blocks[{j}]", f"shape {block.shape}", f"shape {expected}")
