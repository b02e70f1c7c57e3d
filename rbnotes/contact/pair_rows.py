"""Rows that involve two bodies each, kept as their blocks.

A contact, or any other condition between two bodies, knows the twists of these two alone. Among n bodies its
rows have 6 n columns, all but twelve of them zero: what is stored, multiplied and added up here are the
twelve.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from rbnotes import arguments
from rbnotes._frozen import keep, known
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.dynamics import WORLD


@dataclass(frozen=True, eq=False)
class PairRows:
    """c groups of k rows on the twists of n bodies; those of a group all involve bodies a and b.

    As a matrix it is ``(c k, 6 n)``: ``rows @ twists.ravel()`` are velocities along the rows, and
    ``rows.T @ impulses`` the impulsive wrenches that impulses along them amount to. ``rows @ J`` are the rows
    on other velocities, those that make the twists by a matrix J.

    Raises
    ------
    InvalidArgument
        If shapes do not fit, or a body is not there.
    """

    a: NDArray[np.intp]
    """Number of one body ``(c,)``, or ``WORLD``."""
    b: NDArray[np.intp]
    """Number of the other ``(c,)``."""
    on_a: Array
    """What multiplies the twist of body a ``(c, k, 6)``, m for its first three numbers and without unit for
    the others where rows are velocities of points; of no account where that is the world."""
    on_b: Array
    """What multiplies the twist of body b ``(c, k, 6)``, m and without unit in the same way."""
    bodies: int
    """How many there are, n."""

    def __post_init__(self) -> None:
        arguments.count("bodies", self.bodies)
        on_a, on_b = (arguments.array(name, getattr(self, name), None, 6) for name in ("on_a", "on_b"))
        if on_a.ndim != 3 or on_a.shape != on_b.shape:
            got = f"shapes {on_a.shape} and {on_b.shape}"
            raise InvalidArgument("on_a, on_b", got, "the same shape (c, k, 6)")
        for name, block in (("a", on_a), ("b", on_b)):
            numbers = _numbers(name, getattr(self, name), len(on_a), self.bodies)
            keep(self, **{name: numbers})
            # The world has no columns. Its number is that of the last body, which a zero block leaves alone.
            moving = (numbers != WORLD)[:, None, None]
            keep(self, **{f"on_{name}": np.where(moving, block, 0.0)})

    @property
    def shape(self) -> tuple[int, int]:
        """``(c k, 6 n)``."""
        return self.on_a.shape[0] * self.on_a.shape[1], 6 * self.bodies

    def groups(self, which: NDArray[np.bool_]) -> PairRows:
        """Those groups of rows that a mask ``(c,)`` tells."""
        parts = {name: getattr(self, name)[which] for name in ("a", "b", "on_a", "on_b")}
        return known(PairRows, **parts, bodies=self.bodies)

    @property
    def T(self) -> TransposedPairRows:
        """From impulses along the rows to wrenches."""
        return TransposedPairRows(self)

    def __matmul__(self, twists: ArrayLike | Any) -> Any:
        """Velocities along the rows ``(c k,)`` at twists ``(6 n,)``; or the product with a matrix."""
        if sparse.issparse(twists) or np.ndim(twists) == 2:
            return self.matrix @ arguments.matrix("twists", twists, self.shape[1], None)
        return velocities_along(self, arguments.vector("twists", twists, self.shape[1])).ravel()

    @cached_property
    def matrix(self) -> sparse.csr_array:
        """The rows as a sparse matrix ``(c k, 6 n)``."""
        return self._blocks.tocsr()

    def toarray(self) -> Array:
        """The rows as a dense matrix ``(c k, 6 n)``, for few bodies."""
        groups, k, _ = self.on_a.shape
        dense = np.zeros((groups, k, self.bodies, 6))
        number = np.arange(groups)
        if self.bodies:
            dense[number, :, self.a] += self.on_a
            dense[number, :, self.b] += self.on_b
        return dense.reshape(self.shape)

    def delassus(self, inverse_masses: ArrayLike) -> Any:
        """Velocities along the rows per impulse along them, as a sparse matrix ``(c k, c k)`` of blocks.

        Groups of rows answer each other where they share a body that moves.

        Parameters
        ----------
        inverse_masses : (n, 6, 6)
            Inverses of the spatial inertias, 1/kg and 1/(kg m^2).

        Raises
        ------
        InvalidArgument
            If the shape of ``inverse_masses`` does not fit.
        """
        inverses = arguments.array("inverse_masses", inverse_masses, self.bodies, 6, 6)
        arguments.exactly("inverse_masses", inverses, 3)
        rows = self._blocks
        numbers = np.arange(self.bodies)
        size = 6 * self.bodies
        mobility = sparse.bsr_array((inverses, numbers, np.append(numbers, self.bodies)), shape=(size, size))
        return rows @ (mobility @ rows.T)

    @cached_property
    def _blocks(self) -> sparse.bsr_array:
        """The rows as a matrix of blocks ``(k, 6)``, those of the world left out."""
        k = self.on_a.shape[1]
        body = np.stack([self.a, self.b], axis=1)
        moving = body != WORLD
        blocks = np.stack([self.on_a, self.on_b], axis=1)[moving]
        ends = np.append(0, np.cumsum(np.sum(moving, axis=1)))
        if not blocks.size:
            return sparse.bsr_array(self.shape, blocksize=(max(k, 1), 6))
        return sparse.bsr_array((blocks, body[moving], ends), shape=self.shape)


@dataclass(frozen=True, eq=False)
class TransposedPairRows:
    """What ``rows.T`` is."""

    rows: PairRows
    """What it is the transpose of: c groups of k rows on n bodies."""

    @property
    def shape(self) -> tuple[int, int]:
        """``(6 n, c k)``."""
        return self.rows.shape[1], self.rows.shape[0]

    def __matmul__(self, impulses: ArrayLike) -> Array:
        """Wrenches on all bodies ``(6 n,)`` that impulses along the rows ``(c k,)`` amount to."""
        rows = self.rows
        along = arguments.vector("impulses", impulses, rows.shape[0]).reshape(rows.on_a.shape[:2])
        wrenches = np.zeros((rows.bodies, 6))
        if rows.bodies:
            np.add.at(wrenches, rows.a, np.einsum("cki,ck->ci", rows.on_a, along))
            np.add.at(wrenches, rows.b, np.einsum("cki,ck->ci", rows.on_b, along))
        return wrenches.ravel()


def velocities_along(rows: PairRows, twists: Array) -> Array:
    """Velocities along the rows ``(c, k)`` at twists ``(6 n,)`` that are known to be right."""
    if not len(rows.a):
        return np.zeros(rows.on_a.shape[:2])
    phi = twists.reshape(-1, 6)
    along: Array = np.einsum("cki,ci->ck", rows.on_a, phi[rows.a])
    along += np.einsum("cki,ci->ck", rows.on_b, phi[rows.b])
    return along


def _numbers(name: str, value: ArrayLike, count: int, bodies: int) -> NDArray[np.intp]:
    empty = np.zeros(0, np.intp)
    numbers = arguments.indices(name, value if count else empty, minimum=WORLD, below=bodies)
    if numbers.shape != (count,):
        raise InvalidArgument(name, f"shape {numbers.shape}", f"integers of shape ({count},)")
    return numbers
