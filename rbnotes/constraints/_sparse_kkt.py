"""Factorization of sparse KKT matrices, regularized on the multipliers and refined in each solve."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from rbnotes.arguments import Array, Matrix, SingularConfiguration
from rbnotes.constraints.matrices import is_symmetric_unchecked, smallest_pivots
from rbnotes.constraints.redundant_rows import RANK_TOLERANCE, check_consistent
from rbnotes.unchecked.linear_algebra import max_abs

PROXIMAL_WEIGHT = 1e-8
"""Regularization of the multipliers relative to G M^-1 G^T; iterative refinement removes its effect."""

MAX_ROW_WEIGHT = 1e-4
"""Largest regularization of a multiplier relative to its own entry of G M^-1 G^T.

Otherwise the multipliers of rows in small units, or of heavy bodies, would need many refinements.
"""


@dataclass(frozen=True, eq=False)
class SparseFactors:
    """Factors of ``[[M, -G^T], [G, delta]]``; solves remove the effect of delta by iterations.

    Attributes
    ----------
    M
        Inertia ``(n, n)``.
    G
        Constraint matrix ``(k, n)``.
    schur_diagonal
        Approximate diagonal ``(k,)`` of ``G M^-1 G^T``, with a lower bound for small rows.
    delta
        Regularization of the multipliers ``(k,)``.
    has_small_rows
        True if the regularization of some rows is limited by their own size.
    lu
        Factors that :func:`scipy.sparse.linalg.splu` returns; they cannot be pickled.
    """

    M: Matrix
    G: Matrix
    schur_diagonal: Array
    delta: Array
    has_small_rows: bool
    lu: Any

    def __reduce__(self) -> tuple[Any, ...]:
        return factor_sparse, (self.M, self.G)

    def rank(self) -> int:
        """Return the number of independent rows of G."""
        return int(self.G.shape[0] - _count_redundant(self._solve_schur, self.G.shape[0], self.delta))

    def solve(self, b: Array, g: Array) -> tuple[Array, Array]:
        """Return velocities and multipliers for valid right sides."""
        M, G = self.M, self.G
        v, multipliers = self._solve_regularized(b, g)
        unconstrained = b / M.diagonal().reshape(-1, *[1] * (b.ndim - 1))  # about the size of the velocities
        forces = max(max_abs(b), max_abs(M @ v))
        speeds = max(max_abs(g), max_abs(G @ unconstrained), max_abs(abs(G) @ np.abs(v)))
        errors: list[float] = [np.inf, np.inf]
        for _ in range(20):
            residual = b - M @ v + G.T @ multipliers, g - G @ v
            new_errors = [max(_relative_size(residual[0], forces), _relative_size(residual[1], speeds))]
            if self.has_small_rows:  # errors of small rows are invisible beside large ones
                new_errors.append(max_abs((residual[1].T / np.sqrt(self.schur_diagonal)).T))
            if not any(
                new_error < 0.5 * old_error for new_error, old_error in zip(new_errors, errors, strict=False)
            ):
                break
            errors = new_errors
            dv, step = self._solve_regularized(*residual)
            v, multipliers = v + dv, multipliers + step
        check_consistent(g - G @ v, speeds)
        return v, multipliers

    def _solve_regularized(self, b: Array, g: Array) -> tuple[Array, Array]:
        solution, n = self.lu.solve(np.concatenate([b, g])), self.M.shape[0]
        return solution[:n], solution[n:]

    def _solve_schur(self, g: Array) -> Array:
        return self._solve_regularized(np.zeros((self.M.shape[0], g.shape[1])), g)[1]


def factor_sparse(M: Matrix, G: Matrix) -> SparseFactors:
    """Factor ``[[M, -G^T], [G, delta]]`` and solve with iterations that remove the effect of delta.

    The iterations are proximal-point steps on the multipliers. Started from zero they stay in the range of
    ``delta^-1 G`` and converge to the multipliers of least norm if rows are redundant; small rows have less
    weight in this norm.
    """
    _check_positive_pivots(M, is_symmetric_unchecked(M))
    schur_diagonal = (G * G) @ (1 / M.diagonal())
    largest_diagonal = max(np.max(schur_diagonal, initial=0.0), 1e-100)
    # Rows that are redundant because they are small are small compared with their delta.
    schur_diagonal = np.maximum(schur_diagonal, RANK_TOLERANCE**2 * largest_diagonal)
    delta = np.minimum(PROXIMAL_WEIGHT * largest_diagonal, MAX_ROW_WEIGHT * schur_diagonal)
    has_small_rows = bool(np.any(delta < PROXIMAL_WEIGHT * largest_diagonal))
    has_rows = G.shape[0] > 0
    matrix = sparse.block_array([[M, -G.T], [G, sparse.diags_array(delta)]], format="csc") if has_rows else M
    # A threshold for pivots: eliminating a multiplier first would divide by delta.
    lu = splu(matrix, **(_ORDERING | {"diag_pivot_thresh": 0.1}))
    return SparseFactors(M, G, schur_diagonal, delta, has_small_rows, lu)


_ORDERING = {
    "permc_spec": "MMD_AT_PLUS_A",
    "diag_pivot_thresh": 0.0,
    "options": {"SymmetricMode": True},
}


def _check_positive_pivots(M: Matrix, symmetric: bool) -> None:
    """Raise an error if M is singular or a pivot is not positive."""
    try:
        lu = splu(M, **_ORDERING)
    except RuntimeError as error:
        raise SingularConfiguration("M", "a singular matrix", "a regular one") from error
    # U factors the rows and columns of M in the order of the permutation.
    pivots, diagonal = lu.U.diagonal(), M.diagonal()
    if np.any(pivots < smallest_pivots(diagonal[np.argsort(lu.perm_c)])):
        expected = "positive definite" if symmetric else "a matrix with positive definite symmetric part"
        raise SingularConfiguration("M", f"a pivot of {pivots.min():.3g}", expected)


def _count_redundant(schur_solve: Callable[[Array], Array], k: int, delta: Array) -> int:
    """Return the number of zero eigenvalues of ``S = G M^-1 G^T``, the trace of ``(S + delta)^-1 delta``.

    A few random right sides show whether there are any.
    """
    if k == 0:
        return 0
    probes = np.random.default_rng(0).choice([-1.0, 1.0], (k, 4))
    if np.all(np.sum(probes * schur_solve(delta[:, None] * probes), axis=0) < 1e-3):
        return 0
    trace = 0.0
    for start in range(0, k, 256):
        block = np.eye(k)[:, start : start + 256]
        trace += np.sum(block * schur_solve(delta[:, None] * block))
    return round(trace)


def _relative_size(error: Array, size: float) -> float:
    return max_abs(error) / size if size > 0 else 0.0
