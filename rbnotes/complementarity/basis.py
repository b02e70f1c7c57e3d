"""A complementary basis of ``w = M z + q``, with the columns of M built on demand (Lloyd 0.8).

The basis is told by alpha, the set of i whose z_i is basic; for the others, beta, w_i is. With the nonbasic
variables taken to the right side, ``w = M z + q`` becomes the pivoted system, with

    M' = [ M_aa^-1         -M_aa^-1 M_ab        ]      q' = [ -M_aa^-1 q_a     ]
         [ M_ba M_aa^-1     M_bb + M_ba M'_ab   ]           [ q_b + M_ba q'_a  ]

One column of M' takes the columns of M with index in alpha and, from beta, the one of its own index. Where M
comes from an elimination, a column of it is one solve with the KKT matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg, sparse

from rbnotes import arguments
from rbnotes.arguments import Array, Matrix
from rbnotes.complementarity.elimination import Elimination, is_held
from rbnotes.complementarity.problems import LCP, BoxLCP


class Columns:
    """The columns of an LCP matrix ``(n, n)``, each built the first time it is asked for.

    Raises InvalidArgument if ``size`` is negative or ``build`` is no function.
    """

    def __init__(self, size: int, build: Callable[[int], Array]) -> None:
        size = arguments.count("size", size)
        arguments.function("build", build)
        self._build = build
        self._slot = np.full(size, -1)
        self._store = np.zeros((size, min(size, 8)), order="F")
        self.built = 0

    def __getitem__(self, j: int) -> Array:
        if self._slot[j] < 0:
            if self.built == self._store.shape[1]:
                grown = np.zeros((len(self._slot), min(len(self._slot), 2 * self.built)), order="F")
                grown[:, : self.built] = self._store
                self._store = grown
            self._store[:, self.built] = self._build(int(j))
            self._slot[j] = self.built
            self.built += 1
        return self._store[:, self._slot[j]]

    def rows(self, rows: Any, indices: list[int]) -> Array:
        """Entries ``M[rows, indices]`` of columns known already."""
        result: Array = self._store[rows][..., self._slot[indices]]
        return result

    def combine(self, indices: Any, weights: Array) -> Array:
        """Sum of columns times weights ``(n,)``."""
        for j in indices:
            self[j]
        spread = np.zeros(self.built)
        spread[self._slot[indices]] = weights
        return self._store[:, : self.built] @ spread


class Pairs:
    """What a pivoting method needs of the pairs (z, w): q, the bounds, the columns of M.

    Raises InvalidArgument if ``problem`` does not fit.
    """

    def __init__(self, problem: LCP | BoxLCP | Elimination) -> None:
        arguments.instance("problem", problem, LCP, BoxLCP, Elimination)
        n = self.size = problem.size
        self.symmetric = problem.symmetric
        self.matrix: Matrix | None = None
        self.lower, self.upper = np.zeros(n), np.full(n, np.inf)
        if isinstance(problem, Elimination):
            kkt = problem.kkt
            N = problem.N.tocsr() if sparse.issparse(problem.N) else problem.N
            self.q = N @ kkt.solver(problem.f, problem.g)[0] - problem.n

            def solved(j: int) -> Array:
                row = _flat(N[[j]])
                motion = kkt.solve(row)[0]
                return np.zeros(n) if is_held(row @ motion, row, problem.M) else N @ motion

            self.columns = Columns(n, solved)
        else:
            M = self.matrix = problem.M
            self.q = problem.q
            self.columns = Columns(n, lambda j: _flat(M[:, [j]]))
        if isinstance(problem, BoxLCP):
            self.lower, self.upper = problem.lower, problem.upper


class Basis:
    """A complementary basis and the values of all variables.

    Raises InvalidArgument if ``pairs`` is no ``Pairs``.
    """

    def __init__(self, pairs: Pairs) -> None:
        arguments.instance("pairs", pairs, Pairs)
        self.pairs, self.columns = pairs, pairs.columns
        self.alpha: list[int] = []
        """Indices of the basic z, in the order of the factors."""
        self.basic = np.zeros(pairs.size, dtype=bool)
        self.pivots = 0
        """Exchanges so far, and moves of a z from one of its bounds to the other."""
        open_below, open_above = np.isinf(pairs.lower), np.isinf(pairs.upper)
        self.unbounded = open_below & open_above
        self.at_upper = open_below & ~open_above
        self.z = np.where(self.unbounded, 0.0, np.where(self.at_upper, pairs.upper, pairs.lower))
        self.w = self.slack(self.z)
        self._Q = self._R = np.zeros((0, 0))

    def solve(self, right: Array) -> Array:
        """Solve with ``M_aa``."""
        if not self.alpha:
            return right
        result: Array = linalg.solve_triangular(self._R, self._Q.T @ right, check_finite=False)
        return result

    def solve_transposed(self, right: Array) -> Array:
        """Solve with ``M_aa^T``."""
        if not self.alpha:
            return right
        result: Array = self._Q @ linalg.solve_triangular(self._R, right, trans=1, check_finite=False)
        return result

    @property
    def factored_diagonal(self) -> Array:
        """The diagonal ``(k,)`` of the factor R of ``M_aa``: zero where it is singular."""
        return np.array(np.diag(self._R))

    def unit(self, r: int) -> Array:
        """The unit vector e_r over alpha."""
        result: Array = (np.array(self.alpha) == r).astype(np.float64)
        return result

    def column(self, r: int) -> Array:
        """Column r of M' ``(n,)``: the rates of all basic variables as the nonbasic of pair r grows."""
        if self.basic[r]:
            rates_alpha = self.solve(self.unit(r))
            rates = self.columns.combine(self.alpha, rates_alpha)
        else:
            m_r = self.columns[r]
            rates_alpha = -self.solve(m_r[self.alpha])
            rates = m_r + self.columns.combine(self.alpha, rates_alpha)
        rates[self.alpha] = rates_alpha
        return rates

    def diagonal(self, s: int) -> float:
        """The entry ``M'_ss``."""
        if self.basic[s]:
            return float(self.solve(self.unit(s)) @ self.unit(s))
        m_s = self.columns[s]
        return float(m_s[s] - self.columns.rows(s, self.alpha) @ self.solve(m_s[self.alpha]))

    def exchange(self, s: int) -> None:
        """Exchange z_s and w_s; the factors of ``M_aa`` are updated, not computed anew."""
        k = len(self.alpha)
        if self.basic[s]:
            position = self.alpha.index(s)
            del self.alpha[position]
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
                row = np.append(self.columns.rows(s, self.alpha), column[s])
                Q, R = linalg.qr_insert(
                    self._Q, self._R, column[self.alpha], k, which="col", check_finite=False
                )
                self._Q, self._R = linalg.qr_insert(Q, R, row, k, which="row", check_finite=False)
            self.alpha.append(s)
        self.basic[s] = not self.basic[s]
        self.pivots += 1

    def leave(self, s: int) -> None:
        """Make z_s nonbasic at the bound that it is at, nearer to, or beyond."""
        lower, upper = self.pairs.lower[s], self.pairs.upper[s]
        self.at_upper[s] = upper - self.z[s] < self.z[s] - lower
        self.z[s] = upper if self.at_upper[s] else lower
        self.exchange(s)

    def slack(self, z: Array) -> Array:
        """``M z + q``, from the columns where z is not zero."""
        used = np.flatnonzero(z)
        result: Array = self.pairs.q + self.columns.combine(used, z[used])
        return result

    def refresh(self) -> None:
        """Compute the values of the basic variables anew: ``q'``, for the nonbasic ones at their bounds."""
        z = np.where(self.basic, 0.0, self.z)
        w = self.slack(z)
        z[self.alpha] = -self.solve(w[self.alpha])
        w += self.columns.combine(self.alpha, z[self.alpha])
        z[self.alpha] -= self.solve(w[self.alpha])
        self.z, self.w = z, self.slack(z)
        self.w[self.alpha] = 0.0


def _flat(matrix: Matrix) -> Array:
    """The single row or column of a matrix, dense or sparse, as a vector."""
    return np.asarray(matrix.toarray() if sparse.issparse(matrix) else matrix).ravel()
