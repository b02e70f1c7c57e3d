"""Lemke's method, as in :mod:`rbnotes.complementarity.lemke`, on a tableau of the nonbasic variables.

Variables are numbered w (0 to n - 1), z (n to 2n - 1), z_0 (2n). A row of the tableau holds the value of a
basic variable, its rates with the n + 1 nonbasic variables, and zeros up to a multiple of eight.
"""

import numpy as np

from rbnotes.compiled.array_allocation import empty, zeros
from rbnotes.compiled.decorators import jit_alloc, jit_noalloc, jit_reassoc
from rbnotes.compiled.padded_matrices import padded_size
from rbnotes.compiled.simd.lanes import NUM_LANES, broadcast8, read, write
from rbnotes.complementarity.lemke import PIVOT_TOLERANCE, TIE_TOLERANCE

MAX_REFINEMENTS = 3
"""Most refinement steps of the solution."""

ROUNDING_TOLERANCE = 1e-14
"""Residual of w, relative to the largest q, that counts as rounding."""

MAX_PIVOTS_PER_PAIR, EXTRA_PIVOTS = 50, 1000
"""Pivots allowed: a number for each pair, and a constant."""


@jit_alloc
def solve_lemke(M, q, z, w):
    """Write a complementary z and its w; return the number of pivots, or -1 if the path ends on a ray."""
    n = len(q)
    width = padded_size(n + 2)
    tableau = zeros((n, width))
    basic, nonbasic, entering_column = empty(n, np.int64), empty(n + 1, np.int64), 0
    position, tied = empty(2 * n + 1, np.int64), empty(n, np.int64)
    for i in range(n):
        tableau[i, 0], tableau[i, n + 1] = q[i], 1.0
        for j in range(n):
            tableau[i, 1 + j] = M[i, j]
        basic[i], nonbasic[i] = i, n + i
        position[i], position[n + i] = i, 1 + i
        z[i] = 0.0
    nonbasic[n], position[2 * n] = 2 * n, n + 1
    least = 0.0
    for i in range(n):
        least = min(least, q[i])
    entering, pivots = 2 * n, 0
    while least < 0 and pivots < MAX_PIVOTS_PER_PAIR * n + EXTRA_PIVOTS:
        entering_column = position[entering]
        leaving = _leaving_row(tableau, basic, position, entering_column, tied, pivots == 0)
        if leaving < 0:
            return -1
        leaving_variable = basic[leaving]
        pivot(tableau, leaving, entering_column)
        basic[leaving], nonbasic[entering_column - 1] = entering, leaving_variable
        position[entering], position[leaving_variable] = leaving, entering_column
        pivots += 1
        if leaving_variable == 2 * n:
            least = 0.0
        entering = leaving_variable + n if leaving_variable < n else leaving_variable - n
    if least < 0:
        return -1
    for i in range(n):
        if basic[i] >= n:
            z[basic[i] - n] = tableau[i, 0]
    refine_solution(M, q, tableau, basic, position, z, w)
    return pivots


@jit_alloc
def _leaving_row(tableau, basic, position, column_index, tied, is_first_pivot):
    """Return the row that leaves the basis when a column enters, or -1 if the path ends on a ray.

    Among the rows of the smallest ratio, that of z_0 is preferred; other ties are broken lexicographically.
    At the first pivot, when z_0 enters, the row of the smallest q leaves.
    """
    n, step, steepest, largest, count = len(basic), np.inf, 0.0, 0.0, 0
    for i in range(n):
        steepest, largest = max(steepest, abs(tableau[i, column_index])), max(largest, abs(tableau[i, 0]))
    sign, least = (-1.0, 0.0) if is_first_pivot else (1.0, PIVOT_TOLERANCE * steepest)
    max_entry = 0.0
    for i in range(n):
        if -sign * tableau[i, column_index] > least or is_first_pivot:
            max_entry = max(max_entry, abs(tableau[i, column_index]))
            step = min(step, tableau[i, 0] / abs(tableau[i, column_index]))
    if max_entry == 0.0:
        return -1
    for i in range(n):
        blocks = -sign * tableau[i, column_index] > least or is_first_pivot
        if (
            blocks
            and tableau[i, 0] / abs(tableau[i, column_index]) <= step + TIE_TOLERANCE * largest / max_entry
        ):
            if basic[i] == 2 * n:
                return i
            tied[count] = i
            count += 1
    column = -1
    while count > 1 and column < n:
        low = np.inf
        for t in range(count):
            low = min(low, _tableau_entry(tableau, basic, position, tied[t], column, column_index))
        largest_entry, num_candidates = 1.0, 0
        for t in range(count):
            largest_entry = max(
                largest_entry, abs(_tableau_entry(tableau, basic, position, tied[t], column, column_index))
            )
        for t in range(count):
            if (
                _tableau_entry(tableau, basic, position, tied[t], column, column_index)
                <= low + TIE_TOLERANCE * largest_entry
            ):
                tied[num_candidates] = tied[t]
                num_candidates += 1
        count = num_candidates
        column += 1
    return tied[0]


@jit_noalloc
def _tableau_entry(tableau, basic, position, row, column, entering):
    """Return an entry of a row of ``[B^-1 q, B^-1]``, divided by the row's entry of the entering column."""
    pivot = abs(tableau[row, entering])
    if column < 0:
        return tableau[row, 0] / pivot
    if position[column] < len(basic) and basic[position[column]] == column:
        return 1 / pivot if position[column] == row else 0.0
    return -tableau[row, position[column]] / pivot


@jit_noalloc
def pivot(tableau, r, c):
    """Exchange the basic variable of a row with the nonbasic variable of a column."""
    n, width = tableau.shape
    factor, pivots = -1 / tableau[r, c], tableau[r]
    for j in range(width):
        pivots[j] *= factor
    pivots[c] = -factor
    for i in range(n):
        rate, row = tableau[i, c], tableau[i]
        if i != r and rate != 0.0:
            row[c] = 0.0
            rates = broadcast8(rate)
            for j in range(0, width, NUM_LANES):
                write(row, j, read(row, j, rates) + rates * read(pivots, j, rates))


@jit_alloc
def refine_solution(M, q, tableau, basic, position, z, w):
    """Correct the basic z for the rounding errors in w; the tableau holds the rates of z with w."""
    n, previous_error, largest = len(q), np.inf, 0.0
    for i in range(n):
        largest = max(largest, abs(q[i]))
    write_slacks(M, q, z, w)
    for _ in range(MAX_REFINEMENTS):
        error = 0.0
        for i in range(n):
            if basic[i] >= n:
                error = max(error, abs(w[basic[i] - n]))
        if error <= ROUNDING_TOLERANCE * largest or not error < previous_error / 2:
            break
        previous_error = error
        for i in range(n):
            if basic[i] >= n:
                for j in range(n):
                    if basic[j] >= n:
                        k = basic[j] - n
                        z[basic[i] - n] -= tableau[i, position[k]] * w[k]
        write_slacks(M, q, z, w)
    below = False
    for i in range(n):
        below = below or z[i] < 0
        z[i] = max(z[i], 0.0)
    if below:
        write_slacks(M, q, z, w)


@jit_reassoc
def write_slacks(M, q, z, w):
    """Write ``M z + q``."""
    n = len(q)
    for i in range(n):
        total = q[i]
        for j in range(n):
            total += M[i, j] * z[j]
        w[i] = total
