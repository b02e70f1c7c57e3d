"""LU factorization of sparse matrices of 6 x 6 blocks, one block row for each body.

The bodies are eliminated in an order of minimum degree, which keeps the number of nonzero blocks small.
Pivots are chosen within the diagonal blocks only. A row of a block takes eight numbers, the last two of them
zero, so that a row is one vector of the processor.
"""

from typing import Any, NamedTuple

import numpy as np

from rbnotes.compiled.array_allocation import empty, zeros
from rbnotes.compiled.decorators import jit_alloc, jit_fma, jit_fma_inline, jit_noalloc
from rbnotes.compiled.simd.lanes import broadcast8, read, write

BLOCK_SIZE = 48
"""Numbers of a block."""


class BlockMatrix(NamedTuple):
    """Matrix of m x m blocks with a symmetric pattern, in the order of elimination.

    Attributes
    ----------
    start
        First entry of each block row in `neighbors`, and the number of entries ``(m + 1,)``.
    neighbors
        Later blocks that the elimination of each block row couples with it.
    place
        Index of each block's first number in `blocks` ``(m, m)``; undefined where a block is zero.
    blocks
        Nonzero blocks, fill-in included ``(48 b,)``.
    inverse
        Working memory of a block ``(48,)``.
    """

    start: Any
    neighbors: Any
    place: Any
    blocks: Any
    inverse: Any


@jit_alloc
def minimum_degree_order(is_coupled):
    """Return an order of elimination by minimum degree; add the fill-in to the pattern ``(m, m)``."""
    count = len(is_coupled)
    order, degree = empty(count, np.int64), zeros(count, np.int64)
    is_eliminated, neighbors = zeros(count, np.bool_), empty(count, np.int64)
    for i in range(count):
        for j in range(count):
            degree[i] += is_coupled[i, j]
    for k in range(count):
        pivot, num_neighbors = -1, 0
        for i in range(count):
            if not is_eliminated[i] and (pivot < 0 or degree[i] < degree[pivot]):
                pivot = i
        order[k], is_eliminated[pivot] = pivot, True
        for i in range(count):
            if is_coupled[pivot, i] and not is_eliminated[i]:
                neighbors[num_neighbors] = i
                num_neighbors += 1
        for n in range(num_neighbors):
            i = neighbors[n]
            degree[i] -= 1
            for n2 in range(num_neighbors):
                j = neighbors[n2]
                if j != i and not is_coupled[i, j]:
                    is_coupled[i, j] = True
                    degree[i] += 1
    return order


@jit_alloc
def allocate_block_matrix(is_coupled, order):
    """Return a matrix with this pattern, with its blocks in this order of elimination."""
    count, num_blocks = len(order), 0
    start, place = empty(count + 1, np.int64), empty((count, count), np.int64)
    neighbors = empty(count * count, np.int64)
    start[0] = 0
    for i in range(count):
        start[i + 1] = start[i]
        for j in range(count):
            if i == j or is_coupled[order[i], order[j]]:
                place[i, j] = BLOCK_SIZE * num_blocks
                num_blocks += 1
                if j > i:
                    neighbors[start[i + 1]] = j
                    start[i + 1] += 1
    return BlockMatrix(start, neighbors, place, empty(BLOCK_SIZE * num_blocks), empty(BLOCK_SIZE))


@jit_fma
def invert_block(A, o, inverse):
    """Replace the block at index o by its inverse; return False if it is singular.

    Gauss-Jordan elimination with row pivoting turns the block into the identity matrix, and the identity
    matrix, in the working memory `inverse`, into the inverse.
    """
    zero = broadcast8(0.0)
    for i in range(6):
        write(inverse, 8 * i, zero)
        inverse[9 * i] = 1.0
    for k in range(6):
        pivot = k
        for i in range(k + 1, 6):
            if abs(A[o + 8 * i + k]) > abs(A[o + 8 * pivot + k]):
                pivot = i
        if A[o + 8 * pivot + k] == 0:
            return False
        if pivot != k:
            swap_rows(A, o + 8 * k, o + 8 * pivot)
            swap_rows(inverse, 8 * k, 8 * pivot)
        scale = 1 / A[o + 9 * k]
        left, right = read(A, o + 8 * k, zero) * scale, read(inverse, 8 * k, zero) * scale
        for i in range(6):
            factor = A[o + 8 * i + k]
            if i != k:
                write(A, o + 8 * i, read(A, o + 8 * i, zero) - left * factor)
                write(inverse, 8 * i, read(inverse, 8 * i, zero) - right * factor)
        write(A, o + 8 * k, left)
        write(inverse, 8 * k, right)
    for i in range(6):
        write(A, o + 8 * i, read(inverse, 8 * i, zero))
    return True


@jit_fma_inline
def swap_rows(A, o, p):
    """Swap the rows at the indices o and p."""
    first, second = read(A, o, broadcast8(0.0)), read(A, p, broadcast8(0.0))
    write(A, o, second)
    write(A, p, first)


@jit_fma_inline
def row_product(A, o, p, like):
    """Return the product of the row at index o with the block at index p."""
    first = read(A, p, like) * A[o] + read(A, p + 8, like) * A[o + 1] + read(A, p + 16, like) * A[o + 2]
    return first + (
        read(A, p + 24, like) * A[o + 3] + read(A, p + 32, like) * A[o + 4] + read(A, p + 40, like) * A[o + 5]
    )


@jit_fma
def multiply_block(A, o, p):
    """Replace the block at index o by its product with the block at index p."""
    zero = broadcast8(0.0)
    for i in range(o, o + BLOCK_SIZE, 8):
        write(A, i, row_product(A, i, p, zero))


@jit_fma
def subtract_product(A, o, p, q):
    """Subtract the product of the blocks at the indices p and q from the block at index o."""
    zero = broadcast8(0.0)
    for i in range(0, BLOCK_SIZE, 8):
        write(A, o + i, read(A, o + i, zero) - row_product(A, p + i, q, zero))


@jit_noalloc
def factor_blocks(matrix):
    """Replace the matrix by its factors, with the inverse pivots on the diagonal; return False on failure."""
    start, neighbors, place, blocks = matrix.start, matrix.neighbors, matrix.place, matrix.blocks
    for k in range(len(start) - 1):
        if not invert_block(blocks, place[k, k], matrix.inverse):
            return False
        for n in range(start[k], start[k + 1]):
            i = neighbors[n]
            lower = place[i, k]
            multiply_block(blocks, lower, place[k, k])
            for n2 in range(start[k], start[k + 1]):
                j = neighbors[n2]
                subtract_product(blocks, place[i, j], lower, place[k, j])
    return True


@jit_fma_inline
def product_row(A, o, x):
    """Return the product of the row at index o with a vector of six numbers."""
    first = A[o] * x[0] + A[o + 1] * x[1] + A[o + 2] * x[2]
    return first + (A[o + 3] * x[3] + A[o + 4] * x[4] + A[o + 5] * x[5])


@jit_fma_inline
def product6(A, o, x):
    """Return the product of the block at index o with a vector of six numbers."""
    y = (x[0], x[1], x[2], x[3], x[4], x[5])
    return (
        product_row(A, o, y),
        product_row(A, o + 8, y),
        product_row(A, o + 16, y),
        product_row(A, o + 24, y),
        product_row(A, o + 32, y),
        product_row(A, o + 40, y),
    )


@jit_fma_inline
def subtract6(x, y):
    """Subtract six numbers y from x, in place."""
    x[0], x[1], x[2] = x[0] - y[0], x[1] - y[1], x[2] - y[2]
    x[3], x[4], x[5] = x[3] - y[3], x[4] - y[4], x[5] - y[5]


@jit_fma
def solve_blocks(matrix, x):
    """Replace x ``(m, 6)`` by the solution of the factored system."""
    start, neighbors, place, blocks = matrix.start, matrix.neighbors, matrix.place, matrix.blocks
    count = len(start) - 1
    for k in range(count):
        for n in range(start[k], start[k + 1]):
            i = neighbors[n]
            subtract6(x[i], product6(blocks, place[i, k], x[k]))
    for k in range(count - 1, -1, -1):
        for n in range(start[k], start[k + 1]):
            j = neighbors[n]
            subtract6(x[k], product6(blocks, place[k, j], x[j]))
        x[k, 0], x[k, 1], x[k, 2], x[k, 3], x[k, 4], x[k, 5] = product6(blocks, place[k, k], x[k])
