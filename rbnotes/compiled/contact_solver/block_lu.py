"""LU factorization of sparse matrices of 6 x 6 blocks, one block row for each body.

The bodies are eliminated in an order of minimum degree, which keeps the number of nonzero blocks small.
Pivots are chosen within the diagonal blocks only.
"""

from typing import Any, NamedTuple

import numpy as np

from rbnotes.compiled.array_allocation import empty, zeros
from rbnotes.compiled.decorators import jit_alloc, jit_noalloc, jit_reassoc


class BlockMatrix(NamedTuple):
    """Matrix of m x m blocks with a symmetric pattern, in the order of elimination.

    Attributes
    ----------
    start
        First entry of each block row in `neighbors`, and the number of entries ``(m + 1,)``.
    neighbors
        Later blocks that the elimination of each block row couples with it.
    place
        Index of each block in `blocks` ``(m, m)``; undefined where a block is zero.
    blocks
        Nonzero blocks ``(b, 6, 6)``, fill-in included.
    row, swaps
        Working memory ``(6,)``.
    """

    start: Any
    neighbors: Any
    place: Any
    blocks: Any
    row: Any
    swaps: Any


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
                place[i, j] = num_blocks
                num_blocks += 1
                if j > i:
                    neighbors[start[i + 1]] = j
                    start[i + 1] += 1
    return BlockMatrix(start, neighbors, place, empty((num_blocks, 6, 6)), empty(6), empty(6, np.int64))


@jit_reassoc
def invert_block(A, swaps):
    """Replace a 6 x 6 matrix by its inverse; return False if it is singular. `swaps` is working memory."""
    for k in range(6):
        pivot = k
        for i in range(k + 1, 6):
            if abs(A[i, k]) > abs(A[pivot, k]):
                pivot = i
        swaps[k] = pivot
        for j in range(6):
            A[k, j], A[pivot, j] = A[pivot, j], A[k, j]
        if A[k, k] == 0:
            return False
        scale = 1 / A[k, k]
        A[k, k] = 1.0
        for j in range(6):
            A[k, j] *= scale
        for i in range(6):
            if i != k:
                factor = A[i, k]
                A[i, k] = 0.0
                for j in range(6):
                    A[i, j] -= factor * A[k, j]
    for k in range(5, -1, -1):
        for i in range(6):
            A[i, k], A[i, swaps[k]] = A[i, swaps[k]], A[i, k]
    return True


@jit_reassoc
def multiply_block(A, B, row):
    """Replace A by ``A B``; `row` is working memory."""
    for i in range(6):
        for j in range(6):
            row[j] = A[i, j]
        for j in range(6):
            A[i, j] = row[0] * B[0, j]
        for k in range(1, 6):
            for j in range(6):
                A[i, j] += row[k] * B[k, j]


@jit_reassoc
def subtract_product(A, B, C):
    """Subtract ``B C`` from A."""
    for i in range(6):
        for k in range(6):
            factor = B[i, k]
            for j in range(6):
                A[i, j] -= factor * C[k, j]


@jit_noalloc
def factor_blocks(matrix):
    """Replace the matrix by its factors, with the inverse pivots on the diagonal; return False on failure."""
    start, neighbors, place, blocks = matrix.start, matrix.neighbors, matrix.place, matrix.blocks
    row, swaps = matrix.row, matrix.swaps
    for k in range(len(start) - 1):
        if not invert_block(blocks[place[k, k]], swaps):
            return False
        for n in range(start[k], start[k + 1]):
            i = neighbors[n]
            lower = blocks[place[i, k]]
            multiply_block(lower, blocks[place[k, k]], row)
            for n2 in range(start[k], start[k + 1]):
                j = neighbors[n2]
                subtract_product(blocks[place[i, j]], lower, blocks[place[k, j]])
    return True


@jit_noalloc
def subtract_block_product(x, A, y):
    """Subtract ``A y`` from x, vectors of six numbers."""
    for i in range(6):
        for j in range(6):
            x[i] -= A[i, j] * y[j]


@jit_noalloc
def multiply_vector(A, x):
    """Replace x, a vector of six numbers, by ``A x``."""
    x0, x1, x2, x3, x4, x5 = x[0], x[1], x[2], x[3], x[4], x[5]
    for i in range(6):
        x[i] = A[i, 0] * x0 + A[i, 1] * x1 + A[i, 2] * x2 + A[i, 3] * x3 + A[i, 4] * x4 + A[i, 5] * x5


@jit_noalloc
def solve_blocks(matrix, x):
    """Replace x ``(m, 6)`` by the solution of the factored system."""
    start, neighbors, place, blocks = matrix.start, matrix.neighbors, matrix.place, matrix.blocks
    count = len(start) - 1
    for k in range(count):
        for n in range(start[k], start[k + 1]):
            i = neighbors[n]
            subtract_block_product(x[i], blocks[place[i, k]], x[k])
    for k in range(count - 1, -1, -1):
        for n in range(start[k], start[k + 1]):
            subtract_block_product(x[k], blocks[place[k, neighbors[n]]], x[neighbors[n]])
        multiply_vector(blocks[place[k, k]], x[k])
