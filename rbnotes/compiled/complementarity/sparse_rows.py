"""Compressed sparse rows: columns and values of the entries, row after row."""

from typing import Any, NamedTuple

import numpy as np

from rbnotes.compiled.array_allocation import empty, zeros
from rbnotes.compiled.decorators import jit_alloc, jit_noalloc


class SparseRows(NamedTuple):
    """Compressed sparse rows of a matrix.

    Attributes
    ----------
    start
        Index of the first entry of each row, and the number of entries ``(m + 1,)``.
    column
        Column of each entry.
    value
        Value of each entry.
    """

    start: Any
    column: Any
    value: Any


SYMMETRY_TOLERANCE = 1e-12
"""Difference of a matrix and its transpose, relative to the largest entry, that counts as rounding."""


@jit_noalloc
def row_dot(rows, i, x):
    """Return the product of row i with a vector."""
    total = 0.0
    for k in range(rows.start[i], rows.start[i + 1]):
        total += rows.value[k] * x[rows.column[k]]
    return total


@jit_noalloc
def row_abs_dot(rows, i, x):
    """Return the sum of the absolute values of the products of row i with a vector."""
    total = 0.0
    for k in range(rows.start[i], rows.start[i + 1]):
        total += abs(rows.value[k] * x[rows.column[k]])
    return total


@jit_noalloc
def add_row(rows, i, factor, out):
    """Add a multiple of row i to a vector."""
    for k in range(rows.start[i], rows.start[i + 1]):
        out[rows.column[k]] += factor * rows.value[k]


@jit_alloc
def sparse_rows(matrix):
    """Convert a dense matrix to sparse rows without zeros."""
    count, width = matrix.shape
    start, total = zeros(count + 1, np.int64), 0
    for i in range(count):
        for j in range(width):
            total += matrix[i, j] != 0.0
        start[i + 1] = total
    column, value, total = empty(total, np.int64), empty(total), 0
    for i in range(count):
        for j in range(width):
            if matrix[i, j] != 0.0:
                column[total], value[total] = j, matrix[i, j]
                total += 1
    return SparseRows(start, column, value)


@jit_alloc
def transpose_rows(rows, width):
    """Return the rows of the transpose, without zeros and with sorted columns."""
    start, count = zeros(width + 1, np.int64), len(rows.start) - 1
    for k in range(rows.start[count]):
        start[rows.column[k] + 1] += rows.value[k] != 0.0
    for j in range(width):
        start[j + 1] += start[j]
    column, value, following = empty(start[width], np.int64), empty(start[width]), start.copy()
    for i in range(count):
        for k in range(rows.start[i], rows.start[i + 1]):
            if rows.value[k] != 0.0:
                index = following[rows.column[k]]
                column[index], value[index] = i, rows.value[k]
                following[rows.column[k]] += 1
    return SparseRows(start, column, value)


@jit_noalloc
def is_symmetric(rows, other):
    """Return True if the rows equal those of the transpose, `other`, to rounding."""
    for i in range(len(rows.start)):
        if rows.start[i] != other.start[i]:
            return False
    largest, total = 0.0, rows.start[-1]
    for k in range(total):
        largest = max(largest, abs(rows.value[k]))
    for k in range(total):
        if (
            rows.column[k] != other.column[k]
            or abs(rows.value[k] - other.value[k]) > SYMMETRY_TOLERANCE * largest
        ):
            return False
    return True


@jit_noalloc
def renumber_columns(rows, order):
    """Replace each column index by its place in `order`."""
    for k in range(rows.start[-1]):
        rows.column[k] = order[rows.column[k]]
