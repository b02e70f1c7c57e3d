"""Linear algebra of small dense matrices whose rows are padded to a multiple of eight numbers.

A row is a few vectors of the processor. The Cholesky factorization ``M = L^T L`` proceeds from the last row
to the first: for the mass matrix of a tree with parents first it has no fill-in (Featherstone, Rigid Body
Dynamics Algorithms, 6.5), and steps with a zero entry of L are skipped. The entries of a vector in the eight
of the row at hand are changed one by one: a vector that is read just after one of its numbers was written
waits for the memory.
"""

import math

from rbnotes.compiled.decorators import jit_fma
from rbnotes.compiled.simd.lanes import NUM_LANES, broadcast8, read, sum_lanes, write


@jit_fma
def padded_size(count):
    """Return the length of a row with this number of entries."""
    return (count + NUM_LANES - 1) // NUM_LANES * NUM_LANES


@jit_fma
def multiply(A, x, out):
    """Write ``A x`` for a matrix ``(k, w)`` and a padded vector."""
    for i in range(len(A)):
        total = broadcast8(0.0)
        for c in range(0, A.shape[1], NUM_LANES):
            total = total + read(A[i], c, total) * read(x, c, total)
        out[i] = sum_lanes(total)


@jit_fma
def multiply_transposed(A, x, out):
    """Write ``A^T x``, padded, for a matrix ``(k, w)``."""
    for c in range(0, A.shape[1], NUM_LANES):
        total = broadcast8(0.0)
        for i in range(len(A)):
            total = total + read(A[i], c, total) * x[i]
        write(out, c, total)


@jit_fma
def factor_cholesky(L, inverse_pivots):
    """Replace a symmetric matrix ``(k, w)`` by L below the diagonal; return True on success.

    Only the entries below the diagonal and on it are read. Those on it and after it in the same eight are
    overwritten. `inverse_pivots` ``(k,)`` receives the reciprocals of the diagonal of L. The result is False
    if the matrix is not positive definite.
    """
    zero = broadcast8(0.0)
    for back in range(len(L)):
        k = len(L) - 1 - back
        row = L[k]
        if not row[k] > 0:
            return False
        inverse = 1 / row[k]
        for above in range(k):
            i = k - 1 - above  # the next pivot comes first, since the following steps wait for it
            factor = row[i] * inverse
            if factor != 0:
                other = L[i]
                for c in range(0, i + 1, NUM_LANES):
                    write(other, c, read(other, c, zero) - read(row, c, zero) * factor)
        inverse_pivots[k] = math.sqrt(inverse)
        for c in range(0, k, NUM_LANES):
            write(row, c, read(row, c, zero) * inverse_pivots[k])
    return True


@jit_fma
def solve_inward(L, inverse_pivots, x):
    """Replace a padded vector x by ``L^-T x``."""
    zero = broadcast8(0.0)
    for back in range(len(L)):
        k = len(L) - 1 - back
        value, row, own_start = x[k] * inverse_pivots[k], L[k], k // NUM_LANES * NUM_LANES
        x[k] = value
        for i in range(own_start, k):
            x[i] -= row[i] * value
        for c in range(0, own_start, NUM_LANES):
            write(x, c, read(x, c, zero) - read(row, c, zero) * value)


@jit_fma
def solve_outward(L, inverse_pivots, x):
    """Replace a padded vector x by ``L^-1 x``."""
    for k in range(len(L)):
        total, row, own_start = broadcast8(0.0), L[k], k // NUM_LANES * NUM_LANES
        for c in range(0, own_start, NUM_LANES):
            total = total + read(row, c, total) * read(x, c, total)
        value = x[k] - sum_lanes(total)
        for i in range(own_start, k):
            value -= row[i] * x[i]
        x[k] = value * inverse_pivots[k]


@jit_fma
def solve_inward_columns(L, inverse_pivots, X):
    """Replace the columns of X ``(k, w)`` by ``L^-T X``."""
    zero = broadcast8(0.0)
    for back in range(len(L)):
        k = len(L) - 1 - back
        row = X[k]
        for c in range(0, len(row), NUM_LANES):
            write(row, c, read(row, c, zero) * inverse_pivots[k])
        for i in range(k):
            factor = L[k, i]
            if factor != 0:
                other = X[i]
                for c in range(0, len(row), NUM_LANES):
                    write(other, c, read(other, c, zero) - read(row, c, zero) * factor)


@jit_fma
def multiply_columns(X, W):
    """Write the products of the columns of X ``(k, w)``, ``W = X^T X`` ``(n, w)``."""
    for r in range(len(W)):
        for c in range(0, W.shape[1], NUM_LANES):
            total = broadcast8(0.0)
            for i in range(len(X)):
                total = total + read(X[i], c, total) * X[i, r]
            write(W[r], c, total)


@jit_fma
def sum_squares(X, weights, out):
    """Write the weighted sums of the squares of the columns of X ``(k, w)``, padded."""
    for c in range(0, X.shape[1], NUM_LANES):
        total = broadcast8(0.0)
        for i in range(len(X)):
            row = read(X[i], c, total)
            total = total + row * row * weights[i]
        write(out, c, total)


@jit_fma
def factor_by_elimination(A, columns, pivots, inverse_pivots):
    """Factor a matrix ``(n, w)`` by Gaussian elimination with row pivoting; return False if it is singular.

    Row k of `columns` ``(n, w)`` receives column k of the upper factor, without the pivot, and below it the
    multipliers of the rows; `pivots` ``(n,)`` receives the rows that row k is swapped with. A is overwritten.
    """
    size, zero = len(A), broadcast8(0.0)
    for k in range(size):
        pivot, first, column = k, k // NUM_LANES * NUM_LANES, columns[k]
        for i in range(k + 1, size):
            if abs(A[i, k]) > abs(A[pivot, k]):
                pivot = i
        if A[pivot, k] == 0:
            return False
        row, other = A[k], A[pivot]
        if pivot != k:
            for c in range(first, len(row), NUM_LANES):
                above, below = read(row, c, zero), read(other, c, zero)
                write(row, c, below)
                write(other, c, above)
        pivots[k], inverse_pivots[k] = pivot, 1 / row[k]
        for i in range(k):
            column[i] = A[i, k]
        for i in range(k + 1, size):
            factor = A[i, k] * inverse_pivots[k]
            column[i] = factor
            if factor != 0:
                other = A[i]
                for c in range(first, len(row), NUM_LANES):
                    write(other, c, read(other, c, zero) - read(row, c, zero) * factor)
    return True


@jit_fma
def solve_by_substitution(columns, pivots, inverse_pivots, x):
    """Replace a padded vector by the solution of the system that :func:`factor_by_elimination` factored.

    The padding of `columns` is zero.
    """
    size, zero = len(columns), broadcast8(0.0)
    for k in range(size):
        value, column, own_end = x[pivots[k]], columns[k], (k // NUM_LANES + 1) * NUM_LANES
        x[pivots[k]], x[k] = x[k], value
        for i in range(k + 1, own_end):
            x[i] -= column[i] * value
        for c in range(own_end, len(column), NUM_LANES):
            write(x, c, read(x, c, zero) - read(column, c, zero) * value)
    solve_inward(columns, inverse_pivots, x)
