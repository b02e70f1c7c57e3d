"""Cholesky and LU factorization of the joint system within its envelope, by rows.

Each row holds the entries from its first nonzero to the diagonal, one row after the other: entry ``(i, j)``
stands at ``offset[i] + j``. Elimination creates no entry outside the envelope. For joints in a good order,
such as those of a chain, the cost is proportional to their number.
"""

import math

from rbnotes.compiled.decorators import jit_noalloc
from rbnotes.compiled.linear_algebra import reordered_dot_range

MIN_RELATIVE_PIVOT = 1e-8
"""Smallest pivot, relative to its diagonal entry, of rows that are safely independent."""


@jit_noalloc
def factor_cholesky(S, first, offset):
    """Replace S by its Cholesky factor L; return False if rows may be linearly dependent."""
    for i in range(len(first)):
        row = offset[i]
        for j in range(first[i], i):
            column = offset[j]
            pivot = S[row + j] - reordered_dot_range(S, row, S, column, max(first[i], first[j]), j)
            S[row + j] = pivot / S[column + j]
        diagonal = S[row + i]
        pivot = diagonal - reordered_dot_range(S, row, S, row, first[i], i)
        if not pivot > MIN_RELATIVE_PIVOT * diagonal:
            return False
        S[row + i] = math.sqrt(pivot)
    return True


@jit_noalloc
def solve_lower(L, first, offset, x):
    """Replace x by ``L^-1 x``."""
    for i in range(len(first)):
        row = offset[i]
        total = x[i]
        for k in range(first[i], i):
            total -= L[row + k] * x[k]
        x[i] = total / L[row + i]


@jit_noalloc
def solve_cholesky(L, first, offset, x):
    """Replace x by ``(L L^T)^-1 x``."""
    solve_lower(L, first, offset, x)
    for i in range(len(first) - 1, -1, -1):
        row = offset[i]
        x[i] /= L[row + i]
        for k in range(first[i], i):
            x[k] -= L[row + k] * x[i]


@jit_noalloc
def factor_lu(lower, upper, first, offset):
    """Replace a matrix by its factors L, with unit diagonal, and U; return False if a pivot is zero.

    `lower` holds the entries below the diagonal by rows, `upper` the diagonal and the entries above it by
    columns. The matrix is nearly symmetric and positive definite, so no pivoting is needed.
    """
    for i in range(len(first)):
        row = offset[i]
        for j in range(first[i], i):
            column, start = offset[j], max(first[i], first[j])
            lower[row + j] -= reordered_dot_range(lower, row, upper, column, start, j)
            lower[row + j] /= upper[column + j]
            upper[row + j] -= reordered_dot_range(lower, column, upper, row, start, j)
        upper[row + i] -= reordered_dot_range(lower, row, upper, row, first[i], i)
        if upper[row + i] == 0:
            return False
    return True


@jit_noalloc
def solve_lu(lower, upper, first, offset, x):
    """Replace x by ``(L U)^-1 x``."""
    for i in range(len(first)):
        row = offset[i]
        for k in range(first[i], i):
            x[i] -= lower[row + k] * x[k]
    for i in range(len(first) - 1, -1, -1):
        row = offset[i]
        x[i] /= upper[row + i]
        for k in range(first[i], i):
            x[k] -= upper[row + k] * x[i]
