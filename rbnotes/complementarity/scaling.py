"""Units in which a problem is easy: powers of two, so that changing to them rounds nothing."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from rbnotes.arguments import Array, Matrix
from rbnotes.complementarity.problems import LCP, BoxLCP
from rbnotes.complementarity.residuals import unit_response

EQUILIBRATION_SWEEPS = 10
"""Rows and columns are scaled in turn so many times."""


def symmetric_scaling(M: Matrix) -> Array:
    """Units u ``(n,)`` of z in which each variable has an effect of about one: ``diag(u) M diag(u)``.

    What is symmetric or positive semidefinite stays so.
    """
    return round_to_power_of_two(1 / np.sqrt(unit_response(M)))


def two_sided_scaling(M: Matrix) -> tuple[Array, Array]:
    """Units of z, and factors on w, that bring the largest entries of all rows and columns near to one.

    For matrices whose rows and columns have scales of their own. A P-matrix stays one.
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
    """``diag(w_units) M diag(z_units)``, dense or sparse."""
    if sparse.issparse(M):
        return sparse.diags_array(w_scale) @ M @ sparse.diags_array(z_scale)
    return w_scale[:, None] * M * z_scale


def scale_problem(problem: LCP | BoxLCP, z_scale: Array, w_scale: Array) -> LCP | BoxLCP:
    """The problem in the unknowns ``z / z_units``, with ``w * w_units``."""
    M, q = scale_matrix(problem.M, z_scale, w_scale), w_scale * problem.q
    if isinstance(problem, LCP):
        return LCP(M, q)
    return BoxLCP(M, q, problem.lower / z_scale, problem.upper / z_scale)


def round_to_power_of_two(values: Array) -> Array:
    """The nearest powers of two."""
    return np.exp2(np.round(np.log2(values)))
