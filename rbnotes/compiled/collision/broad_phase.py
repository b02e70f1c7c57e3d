"""Broad phase: pairs of shapes whose bounding spheres are close, at a constant cost for each shape.

Centers of shapes are sorted into the cells of a grid, and cells into the lists of a hash table. Spheres
larger than a cell are compared with all others.
"""

import math

import numpy as np

from rbnotes.compiled.array_allocation import empty, zeros
from rbnotes.compiled.decorators import jit_alloc, jit_noalloc
from rbnotes.compiled.linear_algebra import fill_array

MIN_GRID_COUNT = 24
"""Number of shapes from which a grid is faster than the comparison of all pairs."""
CELL_RATIO = 4.0
"""Ratio of the size of a cell to the mean radius of the spheres."""
MAX_CELL = 2.0**40
"""Bound of the coordinates of a cell."""


@jit_alloc
def build_grid(centers, radii):
    """Return the cells ``(n, 3)``, the first shape of each list, the next one of each, and the large shapes.

    Lists end with -1. A large shape has no cell; it is its own next one.
    """
    count, finite, total = len(radii), 0, 0.0
    for i in range(count):
        if not math.isinf(radii[i]):
            finite, total = finite + 1, total + radii[i]
    size = CELL_RATIO * total / finite if count >= MIN_GRID_COUNT and total > 0 else 0.0
    num_lists = 1
    while num_lists < 2 * count:
        num_lists *= 2
    cells, heads = zeros((count, 3), np.int64), empty(num_lists, np.int64)
    fill_array(heads, -1)
    following, large, num_large = empty(count, np.int64), empty(count, np.int64), 0
    for i in range(count):
        if 2 * radii[i] <= size:
            for k in range(3):
                cells[i, k] = int(max(-MAX_CELL, min(MAX_CELL, math.floor(centers[i, k] / size))))
            list_index = cell_list_index(cells[i, 0], cells[i, 1], cells[i, 2], num_lists)
            following[i], heads[list_index] = heads[list_index], i
        else:
            following[i], large[num_large] = i, i
            num_large += 1
    return cells, heads, following, large[:num_large]


@jit_noalloc
def cell_list_index(x, y, z, num_lists):
    """Return the index of the hash table's list for a cell (hash of Teschner et al. 2003)."""
    return (x * 73856093 ^ y * 19349663 ^ z * 83492791) & (num_lists - 1)


@jit_noalloc
def later_neighbors(i, centers, radii, grid, neighbors):
    """Write the shapes j > i whose bounding spheres overlap that of i, ascending; return their number."""
    cells, heads, following, large = grid
    count = 0
    if following[i] == i:  # a large shape, see build_grid
        for j in range(i + 1, len(radii)):
            if spheres_overlap(centers, radii, i, j):
                neighbors[count] = j
                count += 1
        return count
    for j in large:
        if j > i and spheres_overlap(centers, radii, i, j):
            neighbors[count] = j
            count += 1
    for x in range(cells[i, 0] - 1, cells[i, 0] + 2):
        for y in range(cells[i, 1] - 1, cells[i, 1] + 2):
            for z in range(cells[i, 2] - 1, cells[i, 2] + 2):
                j = heads[cell_list_index(x, y, z, len(heads))]
                # A list is in descending order.
                while j > i:
                    is_in_cell = cells[j, 0] == x and cells[j, 1] == y and cells[j, 2] == z
                    if is_in_cell and spheres_overlap(centers, radii, i, j):
                        count = insert_sorted(neighbors, count, j)
                    j = following[j]
    return count


@jit_noalloc
def spheres_overlap(centers, radii, i, j):
    """Return True if two bounding spheres overlap."""
    x, y, z = centers[i, 0] - centers[j, 0], centers[i, 1] - centers[j, 1], centers[i, 2] - centers[j, 2]
    radius_sum = radii[i] + radii[j]
    return math.isinf(radius_sum) or x * x + y * y + z * z <= radius_sum * radius_sum


@jit_noalloc
def insert_sorted(numbers, count, number):
    """Insert a number into the first ``count`` ones, which ascend; return the new count."""
    i = count
    while i > 0 and numbers[i - 1] > number:
        numbers[i] = numbers[i - 1]
        i -= 1
    numbers[i] = number
    return count + 1


@jit_noalloc
def may_touch(excluded_pairs, a, b):
    """Return True if two bodies differ and are not in the sorted list of pairs ``(e, 2)``, smaller first."""
    first, second, low, high = min(a, b), max(a, b), 0, len(excluded_pairs)
    while low < high:
        middle = (low + high) // 2
        x, y = excluded_pairs[middle, 0], excluded_pairs[middle, 1]
        if x < first or (x == first and y < second):
            low = middle + 1
        else:
            high = middle
    is_excluded = (
        low < len(excluded_pairs) and excluded_pairs[low, 0] == first and excluded_pairs[low, 1] == second
    )
    return a != b and not is_excluded
