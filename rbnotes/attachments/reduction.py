"""Null-space reduction: a system in the velocities of its unattached components alone (Lloyd 0.17, 0.18).

All velocities follow from those of the active components, ``v = J v_active + drift``. Put into

    M v - G^T lambda = f + forces that hold the attachments,
    G v + R lambda = g,

and with the first line multiplied by ``J^T``, where those forces do no work, a smaller system of the same
form remains.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.attachments.attachment import Attachment, elimination_order
from rbnotes.integrators import VelocitySystem
from rbnotes.stepping import StepConstraints, solve_step

Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class ConstrainedSystem:
    """``M v - G^T lambda = f`` and ``G v + R lambda = g``; multipliers push along the rows of G.

    Accelerations, forces and constraint forces; or velocities, momenta and constraint impulses.
    """

    M: Any
    """``(n, n)``, dense or sparse."""
    f: Any
    """``(n,)``."""
    G: Any = None
    """Constraint rows ``(k, n)``, dense or sparse; none by default."""
    g: Any = None
    """``(k,)``; zero by default."""
    R: Any = None
    """Softness of the constraints, as in :func:`rbnotes.constraints.regularization.regularized_rows`:
    a number, ``(k,)`` or ``(k, k)``; zero by default. Reductions leave it as it is."""

    def __post_init__(self) -> None:
        f = arguments.vector("f", self.f, None)
        n = len(f)
        M = arguments.matrix("M", self.M, n, n)
        G = arguments.matrix("G", np.zeros((0, n)) if self.G is None else self.G, None, n)
        g = np.zeros(G.shape[0]) if self.g is None else arguments.vector("g", self.g, G.shape[0])
        for name, value in {"M": M, "f": f, "G": G, "g": g}.items():
            object.__setattr__(self, name, value)

    def solve(self) -> tuple[Array, Array]:
        """Velocities ``(n,)`` and multipliers ``(k,)``."""
        rows = StepConstraints(G=self.G, g=self.g, R=self.R)
        solution = solve_step(VelocitySystem(self.M, self.f), rows)
        return solution.v, solution.bilateral


@dataclass(frozen=True, eq=False)
class NullSpace:
    """All velocities of a system from those of its active components: ``v = J v_active + drift``.

    Made by :func:`null_space`.
    """

    J: Any
    """``(n, n_active)``, sparse: rows of active components are those of the identity."""
    drift: Array
    """``(n,)``, zero for active components."""
    active: Indices
    """Indices of the velocities of active components ``(n_active,)`` among all."""
    attached: Indices
    """Indices of the velocities of attached components ``(n_attached,)``."""
    among_attached: Any
    """How attached velocities depend on each other ``(n_attached, n_attached)``, sparse, nilpotent."""
    depth: int
    """Length of the longest chain of attachments."""

    def velocities(self, v_active: ArrayLike) -> Array:
        """All velocities ``(n,)`` from those of the active components ``(n_active,)``."""
        return self.J @ arguments.vector("v_active", v_active, self.J.shape[1]) + self.drift

    def reduce(self, system: ConstrainedSystem) -> ConstrainedSystem:
        """The system in the active velocities (Lloyd eqs. (0.20) to (0.24)).

        ``M' = J^T M J`` holds the effective inertia of the masters, ``f' = J^T (f - M drift)`` the forces on
        attached components, handed on, and the fictitious forces of their drift.
        """
        if system.M.shape[0] != len(self.drift):
            raise InvalidArgument("system", f"{system.M.shape[0]} velocities", str(len(self.drift)))
        J, M = self.J, system.M
        return ConstrainedSystem(
            M=J.T @ M @ J if sparse.issparse(M) else J.T @ (M @ J),
            f=J.T @ (system.f - M @ self.drift),
            G=system.G @ J,
            g=system.g - system.G @ self.drift,
            R=system.R,
        )

    def attachment_forces(self, system: ConstrainedSystem, v: ArrayLike, multipliers: ArrayLike) -> Array:
        """Forces ``(n_attached,)`` that each attachment exerts on its attached component.

        The opposite force acts on the masters, through ``J_kj^T``.

        Parameters
        ----------
        system
            The whole system, before reduction.
        v, multipliers : (n,), (k,)
            Its solution.
        """
        v = arguments.vector("v", v, len(self.drift))
        multipliers = arguments.vector("multipliers", multipliers, len(system.g))
        missing = (system.M @ v - system.G.T @ multipliers - system.f)[self.attached]
        # What a component has to pass on to those attached to it, it needs on top.
        forces = missing
        for _ in range(self.depth - 1):
            forces = missing + self.among_attached.T @ forces
        return forces


def null_space(sizes: Sequence[int], attachments: Iterable[Attachment]) -> NullSpace:
    """The map from active velocities to all, all attachments at once (Lloyd 0.17, 0.18).

    Parameters
    ----------
    sizes : number of components
        How many velocities each component has; their velocities are stacked in this order.
    attachments
        At most one for each component, in any order. A component may be attached to attached ones.

    Raises
    ------
    CyclicAttachments
        If components are attached to each other in a circle.
    InvalidArgument
        If a component does not exist, is attached twice, or a block does not have its and its master's sizes.
    """
    starts = _starts(sizes)
    order = elimination_order(attachments)
    depths: dict[int, int] = {}
    rows, columns, values = [], [], []
    drift = np.zeros(starts[-1])
    is_attached = np.zeros(starts[-1], dtype=bool)
    for attachment in reversed(order):
        _check_sizes(attachment, sizes)
        k = attachment.component
        own = np.arange(starts[k], starts[k + 1])
        drift[own], is_attached[own] = attachment.drift, True
        depths[k] = 1 + max(depths.get(j, 0) for j in attachment.blocks)
        for j, block in attachment.blocks.items():
            masters = np.arange(starts[j], starts[j + 1])
            rows.append(np.repeat(own, len(masters)))
            columns.append(np.tile(masters, len(own)))
            values.append(block.ravel())
    n, depth = int(starts[-1]), max(depths.values(), default=0)
    entries = [
        np.concatenate(parts) if parts else np.zeros(0, dtype=int) for parts in (values, rows, columns)
    ]
    direct = sparse.csr_array((entries[0], (entries[1], entries[2])), shape=(n, n))
    active, attached = np.flatnonzero(~is_attached), np.flatnonzero(is_attached)
    among, onto_active = direct[attached][:, attached], direct[attached][:, active]
    J_attached, total_drift = onto_active, drift[attached]
    for _ in range(depth - 1):
        J_attached = onto_active + among @ J_attached
        total_drift = drift[attached] + among @ total_drift
    drift[attached] = total_drift
    stacked = sparse.vstack([sparse.eye_array(len(active), format="csr"), J_attached], format="csr")
    back = np.empty(n, dtype=int)
    back[np.concatenate([active, attached])] = np.arange(n)
    return NullSpace(sparse.csr_array(stacked[back]), drift, active, attached, among, depth)


def eliminate(system: ConstrainedSystem, sizes: Sequence[int], attachment: Attachment) -> ConstrainedSystem:
    """The system after one attachment: its component's rows and columns are zero (Lloyd 0.17, 0.18).

    ``P_k M P_k^T`` with the reduction matrix of one attachment. One after the other, in the order of
    :func:`~rbnotes.attachments.attachment.elimination_order`, the attachments leave the system of
    :meth:`NullSpace.reduce` in the rows and columns of the active components. Attachments of which none is
    the other's master commute; others do not.
    """
    P, drift = reduction_matrix(sizes, attachment)
    if system.M.shape[0] != len(drift):
        raise InvalidArgument("system", f"{system.M.shape[0]} velocities", str(len(drift)))
    return ConstrainedSystem(
        M=P @ system.M @ P.T,
        f=P @ (system.f - system.M @ drift),
        G=system.G @ P.T,
        g=system.g - system.G @ drift,
        R=system.R,
    )


def reduction_matrix(sizes: Sequence[int], attachment: Attachment) -> tuple[Any, Array]:
    """P ``(n, n)``, sparse, and the drift ``(n,)`` of one attachment: ``v = P^T v + drift`` (Lloyd 0.17).

    P is the identity, but for the rows and columns of the attached component: it hands its forces on to its
    masters, by ``J_kj^T``, and keeps none.
    """
    starts = _starts(sizes)
    _check_sizes(attachment, sizes)
    P = sparse.lil_array(sparse.eye_array(starts[-1]))
    own = slice(starts[attachment.component], starts[attachment.component + 1])
    P[own, own] = 0.0
    for j, block in attachment.blocks.items():
        P[starts[j] : starts[j + 1], own] = block.T
    drift = np.zeros(starts[-1])
    drift[own] = attachment.drift
    return sparse.csr_array(P), drift


def _starts(sizes: Sequence[int]) -> Indices:
    counts = np.asarray(sizes)
    if counts.ndim != 1 or not np.issubdtype(counts.dtype, np.integer) or np.any(counts < 1):
        raise InvalidArgument("sizes", f"{sizes!r:.60}", "one positive integer for each component")
    return np.concatenate([[0], np.cumsum(counts)])


def _check_sizes(attachment: Attachment, sizes: Sequence[int]) -> None:
    for k in (attachment.component, *attachment.blocks):
        if not 0 <= k < len(sizes):
            raise InvalidArgument("attachments", f"component {k}", f"components 0 to {len(sizes) - 1}")
    for j, block in attachment.blocks.items():
        expected = (sizes[attachment.component], sizes[j])
        if block.shape != expected:
            raise InvalidArgument(f"blocks[{j}]", f"shape {block.shape}", f"shape {expected}")
