"""Scaling of problems by powers of two, which causes no rounding."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from rbnotes.arguments import Array, Matrix
from rbnotes.complementarity.problems import LCP, BoxLCP
from rbnotes.complementarity.residuals import unit_response

EQUILIBRATION_SWEEPS = 10
"""Number of alternating scalings of rows and columns."""


def symmetric_scaling(M: Matrix) -> Array:
    """Return units u ``(n,)`` of z such that the diagonal of ``diag(u) M diag(u)`` is about one.

    Symmetry and positive semidefiniteness are preserved.
    """
    return round_to_power_of_two(1 / np.sqrt(unit_response(M)))


def two_sided_scaling(M: Matrix) -> tuple[Array, Array]:
    """Return units of z, and factors on w, that make the largest entries of all rows and columns about one.

    For matrices whose rows and columns have different scales. A P-matrix remains a P-matrix.
    """
    size = abs(sparse.csr_array(M)) if sparse.issparse(M) else np.abs(M)
    columns, rows = np.ones(M.shape[1]), np.ones(M.shape[0])
    for _ in range(EQUILIBRATION_SWEEPS):
        scaled = scale_matrix(size, columns, rows)
        for factor, axis in ((rows, 1), (columns, 0)):
            largest = scaled.max(axis=axis)
            largest = largest.toarray().ravel() if sparse.issparse(largest) else largest
            factor /= np.sqrt(np.where(largest > 0, largest, 1.0))
    return round_to_power_of_two(columns), round_to_power_of_two(rows)


def scale_matrix(M: Matrix, z_scale: Array, w_scale: Array) -> Matrix:
    """Return ``diag(w_scale) M diag(z_scale)``, dense or sparse."""
    if sparse.issparse(M):
        return sparse.diags_array(w_scale) @ M @ sparse.diags_array(z_scale)
    return w_scale[:, None] * M * z_scale


def scale_problem(problem: LCP | BoxLCP, z_scale: Array, w_scale: Array) -> LCP | BoxLCP:
    """Return the problem in the unknowns ``z / z_scale``, with ``w * w_scale``."""
    M, q = scale_matrix(problem.M, z_scale, w_scale), w_scale * problem.q
    if isinstance(problem, LCP):
        return LCP(M, q)
    return BoxLCP(M, q, problem.lower / z_scale, problem.upper / z_scale)


def round_to_power_of_two(values: Array) -> Array:
    """Return the nearest powers of two."""
    return np.exp2(np.round(np.log2(values)))
