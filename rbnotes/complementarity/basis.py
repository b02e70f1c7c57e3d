"""Complementary basis of ``w = M z + q``, with the columns of M built on demand (Lloyd 0.8).

The set alpha contains the indices i whose z_i is basic; for the others, beta, w_i is basic. Solving
``w = M z + q`` for the basic variables gives the pivoted system, with

    M' = [ M_aa^-1         -M_aa^-1 M_ab        ]      q' = [ -M_aa^-1 q_a     ]
         [ M_ba M_aa^-1     M_bb + M_ba M'_ab   ]           [ q_b + M_ba q'_a  ]

A column of M' requires the columns of M in alpha and, for an index in beta, the column of that index. If M
comes from an elimination, each column is one solve with the KKT matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy import linalg, sparse

from rbnotes import arguments
from rbnotes.arguments import Array, Matrix
from rbnotes.complementarity.elimination import Elimination, is_constrained
from rbnotes.complementarity.problems import LCP, BoxLCP
from rbnotes.constraints.kkt import KKT


class LazyColumns:
    """Columns of an LCP matrix ``(n, n)``, each built on first use.

    Raises
    ------
    InvalidArgument
        If ``size`` is negative or ``build`` is not a function.
    """

    def __init__(self, size: int, build: Callable[[int], Array]) -> None:
        size = arguments.count("size", size)
        arguments.require_function("build", build)
        self._build = build
        self._slot = np.full(size, -1)
        self._store = np.zeros((size, min(size, 8)), order="F")
        self.num_built = 0

    def __getitem__(self, j: int) -> Array:
        if self._slot[j] < 0:
            if self.num_built == self._store.shape[1]:
                enlarged = np.zeros((len(self._slot), min(len(self._slot), 2 * self.num_built)), order="F")
                enlarged[:, : self.num_built] = self._store
                self._store = enlarged
            self._store[:, self.num_built] = self._build(int(j))
            self._slot[j] = self.num_built
            self.num_built += 1
        return self._store[:, self._slot[j]]

    def entries(self, rows: Any, indices: list[int]) -> Array:
        """Return entries ``M[rows, indices]`` of columns that are already built."""
        result: Array = self._store[rows][..., self._slot[indices]]
        return result

    def linear_combination(self, indices: Any, weights: Array) -> Array:
        """Return the sum of columns times weights ``(n,)``."""
        for j in indices:
            self[j]  # builds the column
        weights_by_slot = np.zeros(self.num_built)
        weights_by_slot[self._slot[indices]] = weights
        return self._store[:, : self.num_built] @ weights_by_slot


class PivotingData:
    """Data of a pivoting method: q, the bounds, and the columns of M.

    Raises
    ------
    InvalidArgument
        If ``problem`` does not fit.
    """

    def __init__(self, problem: LCP | BoxLCP | Elimination) -> None:
        arguments.require_instance("problem", problem, LCP, BoxLCP, Elimination)
        n = self.size = problem.size
        self.is_symmetric = problem.is_symmetric
        self.matrix: Matrix | None = None
        self.lower, self.upper = np.zeros(n), np.full(n, np.inf)
        if isinstance(problem, Elimination):
            kkt = problem.kkt
            N = problem.N.tocsr() if sparse.issparse(problem.N) else problem.N
            self.q = N @ kkt.solve_unchecked(problem.f, problem.g)[0] - problem.n
            self.columns = LazyColumns(n, partial(_eliminated_column, kkt, N, problem.M))
        else:
            M = self.matrix = problem.M
            self.q = problem.q
            self.columns = LazyColumns(n, partial(_matrix_column, M))
        if isinstance(problem, BoxLCP):
            self.lower, self.upper = problem.lower, problem.upper


class Basis:
    """Complementary basis and the values of all variables.

    Raises
    ------
    InvalidArgument
        If ``data`` is not a ``PivotingData``.
    """

    def __init__(self, data: PivotingData) -> None:
        arguments.require_instance("data", data, PivotingData)
        self.data, self.columns = data, data.columns
        self.basic_indices: list[int] = []
        """Indices of the basic z, in the order of the factors."""
        self.is_basic = np.zeros(data.size, dtype=bool)
        self.num_pivots = 0
        """Number of exchanges, and of moves of a z from one bound to the other."""
        open_below, open_above = np.isinf(data.lower), np.isinf(data.upper)
        self.is_unbounded = open_below & open_above
        self.at_upper = open_below & ~open_above
        self.z = np.where(self.is_unbounded, 0.0, np.where(self.at_upper, data.upper, data.lower))
        self.w = self.slack(self.z)
        self._Q = self._R = np.zeros((0, 0))

    def solve(self, right: Array) -> Array:
        """Solve with ``M_aa``."""
        if not self.basic_indices:
            return right
        result: Array = linalg.solve_triangular(self._R, self._Q.T @ right, check_finite=False)
        return result

    def solve_transposed(self, right: Array) -> Array:
        """Solve with ``M_aa^T``."""
        if not self.basic_indices:
            return right
        result: Array = self._Q @ linalg.solve_triangular(self._R, right, trans=1, check_finite=False)
        return result

    @property
    def factor_diagonal(self) -> Array:
        """Diagonal ``(k,)`` of the factor R of ``M_aa``, zero where it is singular."""
        return np.array(np.diag(self._R))

    def unit_vector(self, r: int) -> Array:
        """Return the unit vector e_r over alpha."""
        result: Array = (np.array(self.basic_indices) == r).astype(np.float64)
        return result

    def pivoted_column(self, r: int) -> Array:
        """Return column r of M' ``(n,)``: rates of all basic variables as the nonbasic of pair r grows."""
        if self.is_basic[r]:
            rates_alpha = self.solve(self.unit_vector(r))
            rates = self.columns.linear_combination(self.basic_indices, rates_alpha)
        else:
            m_r = self.columns[r]
            rates_alpha = -self.solve(m_r[self.basic_indices])
            rates = m_r + self.columns.linear_combination(self.basic_indices, rates_alpha)
        rates[self.basic_indices] = rates_alpha
        return rates

    def pivoted_diagonal(self, s: int) -> float:
        """Return the entry ``M'_ss``."""
        if self.is_basic[s]:
            return float(self.solve(self.unit_vector(s)) @ self.unit_vector(s))
        m_s = self.columns[s]
        return float(
            m_s[s] - self.columns.entries(s, self.basic_indices) @ self.solve(m_s[self.basic_indices])
        )

    def exchange(self, s: int) -> None:
        """Exchange z_s and w_s and update the factors of ``M_aa``."""
        k = len(self.basic_indices)
        if self.is_basic[s]:
            position = self.basic_indices.index(s)
            del self.basic_indices[position]
            if k == 1:
                self._Q = self._R = np.zeros((0, 0))
            else:
                Q, R = linalg.qr_delete(self._Q, self._R, position, which="row", check_finite=False)
                self._Q, self._R = linalg.qr_delete(Q, R, position, which="col", check_finite=False)
        else:
            column = self.columns[s]
            if k == 0:
                self._Q, self._R = np.ones((1, 1)), np.array([[column[s]]])
            else:
                row = np.append(self.columns.entries(s, self.basic_indices), column[s])
                Q, R = linalg.qr_insert(
                    self._Q, self._R, column[self.basic_indices], k, which="col", check_finite=False
                )
                self._Q, self._R = linalg.qr_insert(Q, R, row, k, which="row", check_finite=False)
            self.basic_indices.append(s)
        self.is_basic[s] = not self.is_basic[s]
        self.num_pivots += 1

    def leave_basis(self, s: int) -> None:
        """Make z_s nonbasic at the bound that it has reached or passed, or the nearer one."""
        lower, upper = self.data.lower[s], self.data.upper[s]
        self.at_upper[s] = upper - self.z[s] < self.z[s] - lower
        self.z[s] = upper if self.at_upper[s] else lower
        self.exchange(s)

    def slack(self, z: Array) -> Array:
        """Return ``M z + q``, from the columns with nonzero z."""
        nonzero = np.flatnonzero(z)
        result: Array = self.data.q + self.columns.linear_combination(nonzero, z[nonzero])
        return result

    def recompute_values(self) -> None:
        """Recompute the values of the basic variables for nonbasic ones at their bounds."""
        z = np.where(self.is_basic, 0.0, self.z)
        w = self.slack(z)
        z[self.basic_indices] = -self.solve(w[self.basic_indices])
        w += self.columns.linear_combination(self.basic_indices, z[self.basic_indices])
        z[self.basic_indices] -= self.solve(w[self.basic_indices])
        self.z, self.w = z, self.slack(z)
        self.w[self.basic_indices] = 0.0


def _eliminated_column(kkt: KKT, N: Matrix, M: Matrix, j: int) -> Array:
    """Return column j of ``N A^-1 N^T``: the response of all pairs to the multiplier of row j."""
    row = _to_vector(N[[j]])
    motion = kkt.solve(row)[0]
    column: Array = np.zeros(N.shape[0]) if is_constrained(row @ motion, row, M) else N @ motion
    return column


def _matrix_column(M: Matrix, j: int) -> Array:
    return _to_vector(M[:, [j]])


def _to_vector(matrix: Matrix) -> Array:
    """Return the single row or column of a dense or sparse matrix as a vector."""
    return np.asarray(matrix.toarray() if sparse.issparse(matrix) else matrix).ravel()
