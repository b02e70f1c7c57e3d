"""Factorization of dense KKT matrices.

M and ``G M^-1 G^T`` are factored; the latter is not formed if M is symmetric.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import linalg

from rbnotes import arguments
from rbnotes.arguments import Array, SingularConfiguration
from rbnotes.constraints.matrices import is_symmetric_unchecked, smallest_pivots, well_conditioned_lu
from rbnotes.constraints.redundant_rows import RANK_TOLERANCE, check_consistent, range_basis
from rbnotes.unchecked.linear_algebra import max_abs


@dataclass(frozen=True, eq=False)
class DenseFactors:
    """Factored dense KKT matrix.

    Attributes
    ----------
    G
        Constraint matrix ``(k, n)``.
    basis
        Orthonormal basis ``(k, r)`` of the combinations of rows, or None if the rows are independent.
    independent_rows
        Independent combinations of the rows of G ``(r, n)``.
    solve_inertia
        Function that solves with M.
    solve_schur
        Function that solves with ``G M^-1 G^T`` of the independent rows.
    """

    G: Array
    basis: Array | None
    independent_rows: Array
    solve_inertia: Callable[[Array], Array]
    solve_schur: Callable[[Array], Array]

    def rank(self) -> int:
        """Return the number of independent rows of G."""
        return len(self.independent_rows)

    def solve(self, b: Array, g: Array) -> tuple[Array, Array]:
        """Return velocities and multipliers for valid right sides."""
        unconstrained = self.solve_inertia(b)
        if not len(self.G):
            return unconstrained, g
        reduced = g
        if self.basis is not None:
            reduced = self.basis.T @ g
            size = max(max_abs(g), max_abs(np.abs(self.G) @ np.abs(unconstrained)))
            check_consistent(g - self.basis @ reduced, size)
        multipliers = self.solve_schur(reduced - self.independent_rows @ unconstrained)
        v = unconstrained + self.solve_inertia(self.independent_rows.T @ multipliers)
        return v, multipliers if self.basis is None else self.basis @ multipliers


def factor_dense(M: Array, G: Array) -> DenseFactors:
    """Factor ``[[M, -G^T], [G, 0]]``."""
    solve_inertia: Callable[[Array], Array]
    solve_schur: Callable[[Array], Array]
    if is_symmetric_unchecked(M):
        L = _cholesky_factor(M)
        solve_inertia = partial(_solve_cholesky, L, 1)
        R = _schur_factor(L, G)
        basis = None if _is_clearly_independent(M, L, R) else range_basis(G)
        independent_rows = G if basis is None else basis.T @ G
        if basis is not None:
            R = _schur_factor(L, independent_rows)
        if len(R) and np.min(np.abs(np.diagonal(R))) < 1 / arguments.MAX_ABS_VALUE:
            expected = "rows that some velocity changes"
            raise SingularConfiguration("G", "a row of entries next to zero", expected)
        solve_schur = partial(_solve_cholesky, R, 0)
    else:
        basis = range_basis(G)
        independent_rows = G if basis is None else basis.T @ G
        solve_inertia, solve_schur = _lu_solvers(M, independent_rows)
    return DenseFactors(G, basis, independent_rows, solve_inertia, solve_schur)


# LAPACK solves the triangular systems: the overhead of SciPy exceeds the cost for dozens of velocities.


def _cholesky_factor(M: Array) -> Array:
    L, failed = linalg.lapack.dpotrf(M, lower=1)
    if failed or np.any(np.diagonal(L) ** 2 < smallest_pivots(np.diagonal(M))):
        smallest = np.linalg.eigvalsh(M)[0]
        raise SingularConfiguration("M", f"smallest eigenvalue {smallest:.3g}", "positive definite")
    factor: Array = L
    return factor


def _solve_cholesky(factor: Array, lower: int, b: Array) -> Array:
    if not b.size:
        return b
    x: Array = linalg.lapack.dpotrs(factor, b, lower=lower)[0]
    return x


def _schur_factor(L: Array, G: Array) -> Array:
    """Return R with ``R^T R = G M^-1 G^T``, which is not formed; for no more rows than columns."""
    if not len(G):
        return np.zeros((0, 0))
    columns = linalg.lapack.dtrtrs(L, G.T, lower=1)[0]
    R: Array = np.asfortranarray(np.triu(linalg.lapack.dgeqrf(columns, overwrite_a=1)[0][: len(G)]))
    return R


def _is_clearly_independent(M: Array, L: Array, R: Array) -> bool:
    """Return True if condition numbers already show that the rows are independent.

    The smallest singular value of G relative to the largest is bounded by the reciprocal condition numbers of
    L and R. Their estimates may be too optimistic by some factor. It is cheaper than :func:`range_basis`.
    """
    if not len(R):
        return True
    if R.shape[0] != R.shape[1]:
        return False
    inverse, singular = linalg.lapack.dtrtri(R)
    reciprocal_condition_M = linalg.lapack.dpocon(L, np.linalg.norm(M, 1), uplo="L")[0]
    condition = np.linalg.norm(R, 1) * np.linalg.norm(inverse, 1) / np.sqrt(reciprocal_condition_M)
    return bool(not singular and len(R) * condition < 0.1 / RANK_TOLERANCE)


def _lu_solvers(M: Array, G: Array) -> tuple[Callable[[Array], Array], Callable[[Array], Array]]:
    """Return solvers with M and with ``G M^-1 G^T`` by LU factorization, for unsymmetric M."""
    factors = well_conditioned_lu("M", M)
    if not len(G):
        return partial(linalg.lu_solve, factors), np.positive
    schur = G @ linalg.lu_solve(factors, G.T)
    units = np.sqrt(
        np.maximum(np.diagonal(schur), 1 / arguments.MAX_ABS_VALUE)
    )  # makes the test independent of the units of rows and of the masses
    schur_factors = well_conditioned_lu("G M^-1 G^T", schur / units / units[:, None])
    return partial(linalg.lu_solve, factors), partial(_solve_scaled_lu, schur_factors, units)


def _solve_scaled_lu(factors: Any, units: Array, g: Array) -> Array:
    x: Array = (linalg.lu_solve(factors, (g.T / units).T).T / units).T
    return x
