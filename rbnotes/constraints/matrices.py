"""Checks of matrices before they are factored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg, sparse

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument, Matrix, SingularConfiguration

KKTSolver = Callable[[Array, Array], tuple[Array, Array]]
"""Function from the upper and the lower right side of a KKT system to velocities and multipliers."""


MIN_PIVOT = 1 / arguments.MAX_ABS_VALUE**2
"""Smallest pivot of a positive definite matrix: the reciprocal of a smaller one may overflow."""

ROUNDING_PIVOT = 1e-13
"""Size of a pivot relative to its entry of the diagonal, below which it is a rounding error of zero."""


def smallest_pivots(diagonal: Array) -> Array:
    """Return the smallest pivots ``(n,)`` of a regular positive definite matrix, from its diagonal."""
    result: Array = np.maximum(MIN_PIVOT, ROUNDING_PIVOT * diagonal)
    return result


def is_symmetric_unchecked(M: Matrix) -> bool:
    """Return True if a finite square matrix, dense or sparse, is symmetric to rounding.

    A dense matrix is multiplied by a vector from both sides, which needs less memory than its transpose.
    """
    if sparse.issparse(M):
        return bool(abs(M - M.T).max() <= 1e-12 * abs(M).max()) if M.nnz else True
    probe = np.cos(np.arange(len(M)) + 0.5)
    return bool(np.max(np.abs(M @ probe - probe @ M), initial=0.0) <= 1e-12 * np.linalg.norm(M))


def well_conditioned_lu(
    name: str, matrix: Array, min_reciprocal_condition: float = 100 * float(np.finfo(float).eps)
) -> Any:
    """Return factors for :func:`scipy.linalg.lu_solve` if the reciprocal condition number is large enough."""
    factors, pivots, singular = linalg.lapack.dgetrf(matrix)
    reciprocal = 0.0 if singular else linalg.lapack.dgecon(factors, np.abs(matrix).sum(axis=0).max())[0]
    if not reciprocal >= min_reciprocal_condition:
        raise SingularConfiguration(name, f"reciprocal condition {reciprocal:.1g}", "a regular matrix")
    return factors, pivots


def check_square(M: Matrix) -> Matrix:
    """Return a dense or sparse matrix after checking that it is finite and square."""
    M = arguments.matrix("M", M)
    if M.shape[0] != M.shape[1]:
        raise InvalidArgument("M", f"shape {M.shape}", "a square matrix")
    return M
