"""Elimination of unknowns and equations from a problem, which leaves an LCP (Lloyd 0.7).

The optimality conditions of a quadratic program, and the problem of a time step, have the form

    M x - G^T lambda - N^T z = f,   G x = g,   0 <= z _|_ w = N x - n >= 0.

With x and lambda from the first two equations, ``w = M' z + q'`` with ``M' = Nb A^-1 Nb^T``, ``Nb = (N 0)``
and the KKT matrix A of M and G.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from rbnotes import arguments
from rbnotes.arguments import Array, Matrix, SingularConfiguration
from rbnotes.complementarity.problems import LCP, QP, to_dense
from rbnotes.complementarity.residuals import (
    Residuals,
    max_or_nan,
    max_relative_error,
    pair_residuals,
    row_scales,
)
from rbnotes.constraints.kkt import KKT, factor_kkt_unchecked
from rbnotes.constraints.matrices import MIN_PIVOT, is_symmetric_unchecked, smallest_pivots
from rbnotes.unchecked.linear_algebra import max_abs


@dataclass(frozen=True, eq=False)
class Elimination:
    """Unknowns x and lambda as functions of z, and the LCP in z; the KKT matrix is factored once.

    Arrays are not checked: :class:`~rbnotes.complementarity.QP` and :class:`rbnotes.dynamics.StepProblem`
    check theirs.

    Attributes
    ----------
    M
        Regular matrix ``(d, d)``, dense or sparse: in a step the inertia, kg, kg m and kg m^2.
    f
        Right side ``(d,)``: in a step the momentum, N s and N m s.
    N
        Rows of the inequalities ``(m, d)``, in the units of n per x; dense or sparse.
    n
        Lower bounds of ``N x (m,)``: in a step m/s.
    G
        Rows of the equations ``(k, d)``, in the units of g per x; dense or sparse; k is zero without
        equations.
    g
        Values of ``G x (k,)``: in a step m/s or rad/s.
    factors
        Factored KKT matrix of M and G, if already available.
    matrix_name
        Name of M in error messages: that of the caller's argument.
    """

    M: Matrix
    f: Array
    N: Matrix
    n: Array
    G: Matrix
    g: Array
    factors: KKT | None = None
    matrix_name: str = "M"

    @classmethod
    def from_qp(cls, qp: QP) -> Elimination:
        """Return the optimality conditions of a quadratic program, sufficient if Q is positive definite.

        Raises
        ------
        InvalidArgument
            If ``qp`` is not a ``QP``.
        """
        arguments.require_instance("qp", qp, QP)
        return cls(M=qp.Q, f=-qp.c, N=qp.A, n=qp.b, G=qp.G, g=qp.g, matrix_name="Q")

    @property
    def size(self) -> int:
        """Number of pairs (z, w)."""
        return len(self.n)

    @cached_property
    def is_symmetric(self) -> bool:
        """True if M is symmetric to rounding."""
        return is_symmetric_unchecked(self.M)

    @cached_property
    def kkt(self) -> KKT:
        """Factored KKT matrix of M and G."""
        if self.factors is not None:
            return self.factors
        try:
            return factor_kkt_unchecked(self.M, self.G)
        except SingularConfiguration as error:
            if error.name != "M":
                raise
            raise SingularConfiguration(self.matrix_name, error.got, error.expected) from error

    @cached_property
    def _inverse(self) -> Any:
        """Inverse of M if it is sparse and there are no equations, else None."""
        blocks = self.factors is None and not len(self.g) and sparse.issparse(self.M)
        return _block_inverse(self.M) if blocks else None

    def lcp(self) -> LCP:
        """Return the LCP in z, which takes ``m + 1`` solves with the KKT matrix for m rows of N.

        If M is sparse with small blocks, and there are no equations, its matrix is sparse.
        """
        q = self.N @ self.recover_unknowns(np.zeros(self.size))[0] - self.n
        if self._inverse is not None:
            return LCP(M=self.N @ (self._inverse @ self.N.T), q=q)
        N = to_dense(self.N)
        columns, _ = self.kkt.solve_unchecked(N.T, np.zeros((self.kkt.num_constraints, self.size)))
        M = self.N @ columns
        is_fixed = is_constrained(np.diagonal(M), N, self.M)
        M[is_fixed], M[:, is_fixed] = 0.0, 0.0
        return LCP(M=(M + M.T) / 2 if self.is_symmetric else M, q=q)

    def recover_unknowns(self, z: ArrayLike) -> tuple[Array, Array]:
        """Return x ``(d,)`` and lambda ``(k,)`` for z ``(m,)``, by one solve.

        Raises
        ------
        InvalidArgument
            If the shape of ``z`` does not fit.
        """
        z = arguments.single_vector("z", z, self.size)
        right_hand_side = self.f + self.N.T @ z
        if self._inverse is not None:
            return self._inverse @ right_hand_side, np.zeros(0)
        return self.kkt.solve_unchecked(right_hand_side, self.g)

    def residuals(self, x: ArrayLike, multipliers: ArrayLike, z: ArrayLike) -> Residuals:
        """Return the residuals of x ``(d,)``, lambda ``(k,)`` and z ``(m,)``.

        Raises
        ------
        InvalidArgument
            If the shape of ``x``, ``multipliers`` or ``z`` does not fit.
        """
        x = arguments.single_vector("x", x, len(self.f))
        multipliers = arguments.single_vector("multipliers", multipliers, len(self.g))
        z = arguments.single_vector("z", z, self.size)
        return self.residuals_unchecked(x, multipliers, z)

    def residuals_unchecked(self, x: Array, multipliers: Array, z: Array) -> Residuals:
        """Return :meth:`residuals` for valid vectors, without checks."""
        equation_residual = self.M @ x - self.G.T @ multipliers - self.N.T @ z - self.f
        force = abs(self.M) @ np.abs(x) + abs(self.G).T @ np.abs(multipliers) + abs(self.N).T @ np.abs(z)
        force += np.abs(self.f)
        # The motion under these forces alone: x itself may be zero because they balance.
        motion_bound = np.maximum(np.abs(x), force / self._inertia)
        scales = self._residual_scales
        constraint_residual = self.G @ x - self.g
        constraint_scales = row_scales(
            scales.equations, abs(self.G) @ motion_bound + np.abs(self.g), scales.equations_cap
        )
        pair_scales = row_scales(scales.pairs, abs(self.N) @ motion_bound + np.abs(self.n), scales.pairs_cap)
        # An impulse z_i changes w_i by about z_i |N_i|^2 / m, with m the size of M.
        unit_responses = square_entries(self.N) @ (1 / self._inertia)
        pairs = pair_residuals(
            z, self.N @ x - self.n, pair_scales, np.where(unit_responses > 0, unit_responses, 1.0)
        )
        equation_error = max_relative_error(
            equation_residual, row_scales(np.abs(self.f), force, scales.force_cap)
        )
        return replace(
            pairs,
            equations=max_or_nan(max_abs(equation_residual), max_abs(constraint_residual)),
            relative=max_or_nan(
                pairs.relative, equation_error, max_relative_error(constraint_residual, constraint_scales)
            ),
        )

    @cached_property
    def _inertia(self) -> Array:
        """Approximate inertia of each unknown ``(d,)``."""
        inertia = np.abs(self.M.diagonal())
        is_positive = inertia >= MIN_PIVOT
        result: Array = np.where(
            is_positive, inertia, inertia.max(initial=0.0) if np.any(is_positive) else 1.0
        )
        return result

    @cached_property
    def _residual_scales(self) -> _ResidualScales:
        """Scales of the errors, from f, g and n alone; see :class:`residuals.ResidualScale`."""
        root = np.sqrt(self._inertia)
        equation_units, pair_units = (
            np.sqrt(square_entries(rows) @ (1 / self._inertia)) for rows in (self.G, self.N)
        )
        largest_of = [np.abs(self.f) / root]
        for value, unit in ((self.g, equation_units), (self.n, pair_units)):
            largest_of.append(np.abs(value[unit > 0]) / unit[unit > 0])
        energy = max_abs(np.concatenate(largest_of))
        free_speeds = np.abs(self.f) / self._inertia
        return _ResidualScales(
            force_cap=energy * root,
            equations=np.abs(self.g) + abs(self.G) @ free_speeds,
            equations_cap=energy * equation_units,
            pairs=np.abs(self.n) + abs(self.N) @ free_speeds,
            pairs_cap=energy * pair_units,
        )

    def with_dense_matrices(self) -> Elimination:
        """Return the problem with dense matrices, faster if small; a block-diagonal M stays sparse."""
        if not any(sparse.issparse(matrix) for matrix in (self.M, self.N, self.G)):
            return self
        M = self.M if not len(self.g) else to_dense(self.M)
        return replace(self, M=M, N=to_dense(self.N), G=to_dense(self.G))


class _ResidualScales(NamedTuple):
    """Sizes of rows and the caps of their rounding, for :func:`residuals.row_scales`."""

    force_cap: Array
    equations: Array
    equations_cap: Array
    pairs: Array
    pairs_cap: Array


def square_entries(matrix: Matrix) -> Any:
    """Return the squared entries of a dense or sparse matrix."""
    return matrix.multiply(matrix) if sparse.issparse(matrix) else matrix * matrix


def is_constrained(mobility: Array, rows: Array, M: Matrix) -> Any:
    """Return True for rows of N along which impulses have no effect because of the equations.

    ``mobility`` accounts for the equations; without them it would be about ``sum row^2 / diag(M)``.
    """
    return mobility <= 1e-13 * np.sum(rows**2 / np.abs(M.diagonal()), axis=-1)


def _block_inverse(M: Matrix, max_block_size: int = 12) -> Any:
    """Return the inverse of a sparse matrix with small diagonal blocks (such as free bodies), else None."""
    diagonal = M.diagonal()
    if M.nnz == len(diagonal) and np.all(diagonal >= MIN_PIVOT):
        indices = np.arange(len(diagonal) + 1)
        return sparse.csr_array((1 / diagonal, indices[:-1], indices), shape=M.shape)
    count, label = connected_components(M, directed=False)
    sizes = np.bincount(label)
    if sizes.max() > max_block_size:
        return None
    order = np.argsort(label, kind="stable")
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    position = np.empty(len(label), dtype=int)
    position[order] = np.arange(len(label)) - np.repeat(starts, sizes)
    entries = M.tocoo()
    rows, columns, values = [], [], []
    for size in np.unique(sizes):
        blocks = np.flatnonzero(sizes == size)
        index = np.full(count, -1)
        index[blocks] = np.arange(len(blocks))
        is_member = index[label[entries.row]] >= 0
        stack = np.zeros((len(blocks), size, size))
        r, c = entries.row[is_member], entries.col[is_member]
        stack[index[label[r]], position[r], position[c]] = entries.data[is_member]
        try:
            factors = np.linalg.cholesky((stack + np.swapaxes(stack, 1, 2)) / 2)
        except np.linalg.LinAlgError:
            return None  # the factorization raises the error
        squares, diagonals = (np.diagonal(each, axis1=1, axis2=2) for each in (factors**2, stack))
        if np.any(squares < smallest_pivots(diagonals)):
            return None
        members = order[starts[blocks][:, None] + np.arange(size)]
        rows.append(np.repeat(members, size, axis=1).ravel())
        columns.append(np.tile(members, size).ravel())
        values.append(np.linalg.inv(stack).ravel())
    triplets = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    return sparse.coo_array(triplets, shape=M.shape).tocsr()
