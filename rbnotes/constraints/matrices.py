"""What is asked of a matrix before it is factored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg, sparse

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument, Matrix, SingularConfiguration

KKTSolver = Callable[[Array, Array], tuple[Array, Array]]
"""Velocities and multipliers, from the upper and the lower right side of a KKT system."""


def is_symmetric(M: Matrix) -> bool:
    """Whether a dense or sparse matrix is symmetric to rounding.

    A dense one is multiplied with a vector from both sides, which takes less memory than to transpose it.

    Raises InvalidArgument if the shape of ``M`` does not fit.
    """
    return is_symmetric_unchecked(check_square(M))


def is_symmetric_unchecked(M: Matrix) -> bool:
    """As :func:`is_symmetric`, for a square matrix that is known to be finite."""
    if sparse.issparse(M):
        return bool(abs(M - M.T).max() <= 1e-12 * abs(M).max()) if M.nnz else True
    probe = np.cos(np.arange(len(M)) + 0.5)
    return bool(np.max(np.abs(M @ probe - probe @ M), initial=0.0) <= 1e-12 * np.linalg.norm(M))


def well_conditioned_lu(
    name: str, matrix: Array, min_reciprocal_condition: float = 100 * float(np.finfo(float).eps)
) -> Any:
    """Factors for :func:`scipy.linalg.lu_solve`, of a matrix whose reciprocal condition is not below this."""
    factors, pivots, singular = linalg.lapack.dgetrf(matrix)
    reciprocal = 0.0 if singular else linalg.lapack.dgecon(factors, np.abs(matrix).sum(axis=0).max())[0]
    if not reciprocal >= min_reciprocal_condition:
        raise SingularConfiguration(name, f"reciprocal condition {reciprocal:.1g}", "a regular matrix")
    return factors, pivots


def check_square(M: Matrix) -> Matrix:
    """A dense or sparse matrix, if it is finite and square."""
    M = arguments.matrix("M", M)
    if M.shape[0] != M.shape[1]:
        raise InvalidArgument("M", f"shape {M.shape}", "a square matrix")
    return M
