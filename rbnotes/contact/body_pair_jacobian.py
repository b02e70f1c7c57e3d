"""Sparse Jacobian whose rows involve two bodies each, stored as blocks.

A contact, or any other condition between two bodies, depends only on the twists of these two. Among n bodies
its rows have 6 n columns, of which at most twelve are nonzero; only these are stored and multiplied.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from rbnotes import arguments
from rbnotes.arguments import Array, BoolArray, IntArray, InvalidArgument
from rbnotes.dynamics import WORLD
from rbnotes.unchecked.frozen import construct_unchecked, set_writable_fields


@dataclass(frozen=True, eq=False)
class BodyPairJacobian:
    """Jacobian of c groups of k rows on the twists of n bodies; each group involves two bodies a and b.

    The matrix has the shape ``(c k, 6 n)``: ``jacobian @ twists.ravel()`` are velocities along the rows, and
    ``jacobian.T @ impulses`` are the impulsive wrenches of impulses along them. If a matrix J maps other
    velocities to the twists, ``jacobian @ J`` is the Jacobian for those velocities.

    Attributes
    ----------
    a
        Index of the first body ``(c,)``, or ``WORLD``.
    b
        Index of the second body ``(c,)``, or ``WORLD``.
    block_a
        Block ``(c, k, 6)`` for the twist of body a; for rows that are velocities of points, m in the first
        three columns and dimensionless in the others. Ignored if the body is the world.
    block_b
        Block ``(c, k, 6)`` for the twist of body b: m in the first three columns, dimensionless in the
        others.
    num_bodies
        Number of bodies n.

    Raises
    ------
    InvalidArgument
        If shapes do not fit, or the index of a body is out of range.
    """

    a: IntArray
    b: IntArray
    block_a: Array
    block_b: Array
    num_bodies: int

    def __post_init__(self) -> None:
        arguments.count("num_bodies", self.num_bodies)
        block_a, block_b = (
            arguments.array(name, getattr(self, name), None, 6) for name in ("block_a", "block_b")
        )
        if block_a.ndim != 3 or block_a.shape != block_b.shape:
            got = f"shapes {block_a.shape} and {block_b.shape}"
            raise InvalidArgument("block_a, block_b", got, "the same shape (c, k, 6)")
        for name, block in (("a", block_a), ("b", block_b)):
            body_indices = _body_indices(name, getattr(self, name), len(block_a), self.num_bodies)
            set_writable_fields(self, **{name: body_indices})
            # The world has no columns: its index is replaced by that of the last body, with a zero block.
            is_body = (body_indices != WORLD)[:, None, None]
            set_writable_fields(self, **{f"block_{name}": np.where(is_body, block, 0.0)})

    @property
    def shape(self) -> tuple[int, int]:
        """Shape ``(c k, 6 n)`` of the matrix."""
        return self.block_a.shape[0] * self.block_a.shape[1], 6 * self.num_bodies

    def select_groups(self, mask: BoolArray) -> BodyPairJacobian:
        """Return the groups of rows that a mask ``(c,)`` selects."""
        parts = {name: getattr(self, name)[mask] for name in ("a", "b", "block_a", "block_b")}
        return construct_unchecked(BodyPairJacobian, **parts, num_bodies=self.num_bodies)

    @property
    def T(self) -> TransposedBodyPairJacobian:
        """Transpose, from impulses along the rows to wrenches."""
        return TransposedBodyPairJacobian(self)

    def __matmul__(self, twists: ArrayLike | Any) -> Any:
        """Return velocities along the rows ``(c k,)`` for twists ``(6 n,)``, or the product with a matrix."""
        if sparse.issparse(twists) or np.ndim(twists) == 2:
            return self.matrix @ arguments.matrix("twists", twists, self.shape[1], None)
        return relative_velocities(self, arguments.vector("twists", twists, self.shape[1])).ravel()

    @cached_property
    def matrix(self) -> sparse.csr_array:
        """Sparse matrix ``(c k, 6 n)``."""
        return self._blocks.tocsr()

    def toarray(self) -> Array:
        """Return the dense matrix ``(c k, 6 n)``, for few bodies."""
        groups, k, _ = self.block_a.shape
        dense = np.zeros((groups, k, self.num_bodies, 6))
        number = np.arange(groups)
        if self.num_bodies:
            dense[number, :, self.a] += self.block_a
            dense[number, :, self.b] += self.block_b
        return dense.reshape(self.shape)

    def delassus_matrix(self, inverse_masses: ArrayLike) -> Any:
        """Return the velocities along the rows per impulse along them, a sparse block matrix ``(c k, c k)``.

        Two groups are coupled if they share a body that moves.

        Parameters
        ----------
        inverse_masses : (n, 6, 6)
            Inverses of the spatial inertias, 1/kg and 1/(kg m^2).

        Raises
        ------
        InvalidArgument
            If the shape of ``inverse_masses`` does not fit.
        """
        inverses = arguments.array("inverse_masses", inverse_masses, self.num_bodies, 6, 6)
        arguments.with_ndim("inverse_masses", inverses, 3)
        rows = self._blocks
        numbers = np.arange(self.num_bodies)
        size = 6 * self.num_bodies
        mobility = sparse.bsr_array(
            (inverses, numbers, np.append(numbers, self.num_bodies)), shape=(size, size)
        )
        return rows @ (mobility @ rows.T)

    @cached_property
    def _blocks(self) -> sparse.bsr_array:
        """Sparse matrix of blocks ``(k, 6)``, without those of the world."""
        k = self.block_a.shape[1]
        body = np.stack([self.a, self.b], axis=1)
        is_body = body != WORLD
        blocks = np.stack([self.block_a, self.block_b], axis=1)[is_body]
        ends = np.append(0, np.cumsum(np.sum(is_body, axis=1)))
        if not blocks.size:
            return sparse.bsr_array(self.shape, blocksize=(max(k, 1), 6))
        return sparse.bsr_array((blocks, body[is_body], ends), shape=self.shape)


@dataclass(frozen=True, eq=False)
class TransposedBodyPairJacobian:
    """Transpose of a :class:`BodyPairJacobian`.

    Attributes
    ----------
    jacobian
        Jacobian of which this is the transpose.
    """

    jacobian: BodyPairJacobian

    @property
    def shape(self) -> tuple[int, int]:
        """Shape ``(6 n, c k)`` of the matrix."""
        return self.jacobian.shape[1], self.jacobian.shape[0]

    def __matmul__(self, impulses: ArrayLike) -> Array:
        """Return the wrenches on all bodies ``(6 n,)`` of impulses along the rows ``(c k,)``."""
        jacobian = self.jacobian
        group_impulses = arguments.vector("impulses", impulses, jacobian.shape[0]).reshape(
            jacobian.block_a.shape[:2]
        )
        wrenches = np.zeros((jacobian.num_bodies, 6))
        if jacobian.num_bodies:
            np.add.at(wrenches, jacobian.a, np.einsum("cki,ck->ci", jacobian.block_a, group_impulses))
            np.add.at(wrenches, jacobian.b, np.einsum("cki,ck->ci", jacobian.block_b, group_impulses))
        return wrenches.ravel()


def relative_velocities(jacobian: BodyPairJacobian, twists: Array) -> Array:
    """Return the velocities along the rows ``(c, k)`` for twists ``(6 n,)``, without checks."""
    if not len(jacobian.a):
        return np.zeros(jacobian.block_a.shape[:2])
    phi = twists.reshape(-1, 6)
    velocities: Array = np.einsum("cki,ci->ck", jacobian.block_a, phi[jacobian.a])
    velocities += np.einsum("cki,ci->ck", jacobian.block_b, phi[jacobian.b])
    return velocities


def _body_indices(name: str, value: ArrayLike, count: int, num_bodies: int) -> IntArray:
    empty = np.zeros(0, np.intp)
    indices = arguments.indices(name, value if count else empty, minimum=WORLD, below=num_bodies)
    if indices.shape != (count,):
        raise InvalidArgument(name, f"shape {indices.shape}", f"integers of shape ({count},)")
    return indices
