"""Cholesky factorization of a large symmetric matrix within its envelope, by columns.

The matrix couples few neighboring unknowns. Four columns update the following ones in one pass over memory.
:mod:`rbnotes.compiled.contact_solver.envelope_factors` stores rows instead.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from rbnotes.compiled.array_allocation import empty, zeros
from rbnotes.compiled.decorators import jit_alloc, jit_noalloc
from rbnotes.compiled.linear_algebra import fill_array, reordered_dot_range
from rbnotes.compiled.simd.lanes import NUM_LANES, broadcast8, read, write


class Envelope(NamedTuple):
    """Lower envelope of a symmetric matrix, column by column.

    Each column holds the entries from the diagonal to its last nonzero, and eight zeros.
    Entry ``(i, k)`` stands at ``offset[k] + i``.

    Attributes
    ----------
    last
        Row of the last entry of each column ``(n,)``.
    offset
        Offsets of the columns ``(n,)``.
    entries
        Entries of all columns, one column after the other.
    """

    last: Any
    offset: Any
    entries: Any


COLUMNS_PER_BLOCK = 4
"""Columns that update the following ones in one pass; they have the same last row."""

MAX_FACTOR_PRODUCTS = 2e7
"""Most products of a factorization; beyond it other methods are faster."""


@jit_alloc
def bandwidth_reducing_order(Q, A, columns):
    """Return an order of the unknowns, by breadth-first search, that brings coupled unknowns together."""
    d = len(Q.start) - 1
    order, queue = empty(d, np.int64), empty(d, np.int64)
    fill_array(order, -1)
    last_pass, row_last_pass, pass_number, num_ordered = (
        zeros(d, np.int64),
        zeros(len(A.start) - 1, np.int64),
        0,
        0,
    )
    for root in range(d):
        if order[root] >= 0:
            continue
        end, count = root, 0
        for _ in range(2):  # the unknown reached last is far from the root: a better root
            pass_number += 1
            queue[0], count, done = end, 1, 0
            last_pass[end] = pass_number
            while done < count:
                u = queue[done]
                done += 1
                for k in range(Q.start[u], Q.start[u + 1]):
                    j = Q.column[k]
                    if last_pass[j] != pass_number:
                        last_pass[j] = pass_number
                        queue[count] = j
                        count += 1
                for t in range(columns.start[u], columns.start[u + 1]):
                    i = columns.column[t]
                    if row_last_pass[i] == pass_number:
                        continue
                    row_last_pass[i] = pass_number
                    for k in range(A.start[i], A.start[i + 1]):
                        j = A.column[k]
                        if last_pass[j] != pass_number:
                            last_pass[j] = pass_number
                            queue[count] = j
                            count += 1
            end = queue[count - 1]
        for k in range(count):
            order[queue[k]] = num_ordered + k
        num_ordered += count
    return order


@jit_alloc
def allocate_envelope(size, first_rows, second_rows):
    """Allocate the envelope for the couplings in the rows; it is empty if the factor costs too much."""
    last = empty(size, np.int64)
    for i in range(size):
        last[i] = i
    for rows in (first_rows, second_rows):
        for i in range(len(rows.start) - 1):
            least, most = size, 0
            for k in range(rows.start[i], rows.start[i + 1]):
                least, most = min(least, rows.column[k]), max(most, rows.column[k])
            if least < size:
                last[least] = max(last[least], most)
    offset, total, work, end = empty(size, np.int64), 0, 0.0, 0
    for k in range(size):
        if k % COLUMNS_PER_BLOCK == 0:
            for j in range(k, min(k + COLUMNS_PER_BLOCK, size)):
                end = max(end, last[j])
        last[k] = end
        offset[k] = total - k
        total += end + 1 - k + NUM_LANES
        work += (end - k) * (end - k) / 2
    return Envelope(last, offset, empty(total if work <= MAX_FACTOR_PRODUCTS else 0))


@jit_noalloc
def subtract_multiple(x, x_start, y, y_start, first, last, factor):
    """Subtract a multiple of a range of y from x; y is padded with zeros."""
    row, x_start, y_start = broadcast8(factor), int(x_start), int(y_start)
    for k in range(int(first), int(last) + 1, NUM_LANES):
        write(y, y_start + k, read(y, y_start + k, row) - read(x, x_start + k, row) * row)


@jit_noalloc
def subtract_four_multiples(x, a, b, c, d, y, y_start, first, last, factors):
    """Subtract multiples of four ranges of y from x; y is padded with zeros."""
    e, f, g, h = (
        broadcast8(factors[0]),
        broadcast8(factors[1]),
        broadcast8(factors[2]),
        broadcast8(factors[3]),
    )
    a, b, c, d, y_start = int(a), int(b), int(c), int(d), int(y_start)
    for k in range(int(first), int(last) + 1, NUM_LANES):
        total = read(y, y_start + k, e) - read(x, a + k, e) * e - read(x, b + k, e) * f
        write(y, y_start + k, total - read(x, c + k, e) * g - read(x, d + k, e) * h)


@jit_noalloc
def factor_cholesky(S):
    """Replace a matrix by its Cholesky factor; return False if it is not positive definite."""
    last, offset, x = S
    size = len(last)
    for begin in range(0, size, COLUMNS_PER_BLOCK):
        end = min(begin + COLUMNS_PER_BLOCK, size)
        for k in range(begin, end):
            column = offset[k]
            if not x[column + k] > 0.0:
                return False
            x[column + k] = math.sqrt(x[column + k])
            inverse = 1 / x[column + k]
            for i in range(k + 1, last[k] + 1):
                x[column + i] *= inverse
            for i in range(k + 1, end):
                subtract_multiple(x, column, x, offset[i], i, last[k], x[column + i])
        if end - begin == COLUMNS_PER_BLOCK:
            a, b, c, d = offset[begin], offset[begin + 1], offset[begin + 2], offset[begin + 3]
            for i in range(end, last[begin] + 1):
                factors = x[a + i], x[b + i], x[c + i], x[d + i]
                if factors[0] != 0.0 or factors[1] != 0.0 or factors[2] != 0.0 or factors[3] != 0.0:
                    subtract_four_multiples(x, a, b, c, d, x, offset[i], i, last[begin], factors)
    return True


@jit_noalloc
def solve_cholesky(S, x):
    """Replace x, which is padded, by the solution of the factored system."""
    solve_lower(S, x, 0)
    for k in range(len(S.last) - 1, -1, -1):
        column = S.offset[k]
        x[k] -= reordered_dot_range(S.entries, column, x, 0, k + 1, S.last[k] + 1)
        x[k] /= S.entries[column + k]


@jit_noalloc
def solve_lower(S, x, begin):
    """Replace x, zero before `begin` and padded, by ``L^-1 x``."""
    for k in range(begin, len(S.last)):
        x[k] /= S.entries[S.offset[k] + k]
        if x[k] != 0.0:
            subtract_multiple(S.entries, S.offset[k], x, 0, k + 1, S.last[k], x[k])


@jit_noalloc
def add_row_square(S, rows, i, factor):
    """Add a multiple of ``a a^T`` for row a."""
    for k in range(rows.start[i], rows.start[i + 1]):
        u, scaled = rows.column[k], factor * rows.value[k]
        for t in range(rows.start[i], rows.start[i + 1]):
            if rows.column[t] >= u:
                S.entries[S.offset[u] + rows.column[t]] += scaled * rows.value[t]


@jit_noalloc
def write_matrix(S, Q, order):
    """Write Q into its envelope."""
    for k in range(len(S.entries)):
        S.entries[k] = 0.0
    for u in range(len(S.last)):
        for k in range(Q.start[u], Q.start[u + 1]):
            if Q.column[k] >= order[u]:
                S.entries[S.offset[order[u]] + Q.column[k]] += Q.value[k]
