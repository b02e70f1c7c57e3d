"""Symmetric systems of the joints, factored within their envelope.

Of each row only what lies from its first entry to the diagonal is kept, one row behind the other: entry
``(i, j)`` is at ``place[i] + j``. Elimination fills nothing outside. For joints in a good order, such as
those of a chain, it takes a time that grows with their number alone.
"""

import math

from rbnotes.compiled.collision.distance import jit_noalloc

MIN_RELATIVE_PIVOT = 1e-8
"""Least pivot, relative to its diagonal entry, of rows that surely do not repeat others."""


@jit_noalloc
def dot_range(x, x_start, y, y_start, first, last):
    """The sum of products of entries from one number to another."""
    total = 0.0
    for k in range(first, last):
        total += x[x_start + k] * y[y_start + k]
    return total


@jit_noalloc
def factor_cholesky(S, first, offset):
    """Replaces S by its factor L; false where rows may repeat others."""
    for i in range(len(first)):
        row = offset[i]
        for j in range(first[i], i):
            column = offset[j]
            pivot = S[row + j] - dot_range(S, row, S, column, max(first[i], first[j]), j)
            S[row + j] = pivot / S[column + j]
        diagonal = S[row + i]
        pivot = diagonal - dot_range(S, row, S, row, first[i], i)
        if not pivot > MIN_RELATIVE_PIVOT * diagonal:
            return False
        S[row + i] = math.sqrt(pivot)
    return True


@jit_noalloc
def solve_lower(L, first, offset, x):
    """Replaces x by ``L^-1 x``."""
    for i in range(len(first)):
        row = offset[i]
        total = x[i]
        for k in range(first[i], i):
            total -= L[row + k] * x[k]
        x[i] = total / L[row + i]


@jit_noalloc
def solve_cholesky(L, first, offset, x):
    """Replaces x by ``(L L^T)^-1 x``."""
    solve_lower(L, first, offset, x)
    for i in range(len(first) - 1, -1, -1):
        row = offset[i]
        x[i] /= L[row + i]
        for k in range(first[i], i):
            x[k] -= L[row + k] * x[i]


@jit_noalloc
def factor_lu(lower, upper, first, offset):
    """Replaces a matrix by its factors L, with ones on its diagonal, and U; false where a pivot is zero.

    In ``upper`` are the entries above the diagonal and on it, column by column, as those of rows are below.
    The matrix is nearly symmetric and positive definite, so that no rows need to change places.
    """
    for i in range(len(first)):
        row = offset[i]
        for j in range(first[i], i):
            column, start = offset[j], max(first[i], first[j])
            lower[row + j] -= dot_range(lower, row, upper, column, start, j)
            lower[row + j] /= upper[column + j]
            upper[row + j] -= dot_range(lower, column, upper, row, start, j)
        upper[row + i] -= dot_range(lower, row, upper, row, first[i], i)
        if upper[row + i] == 0:
            return False
    return True


@jit_noalloc
def solve_lu(lower, upper, first, offset, x):
    """Replaces x by ``(L U)^-1 x``."""
    for i in range(len(first)):
        row = offset[i]
        for k in range(first[i], i):
            x[i] -= lower[row + k] * x[k]
    for i in range(len(first) - 1, -1, -1):
        row = offset[i]
        x[i] /= upper[row + i]
        for k in range(first[i], i):
            x[k] -= upper[row + k] * x[i]
