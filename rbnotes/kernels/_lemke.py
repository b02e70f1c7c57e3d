"""Lemke's method, as :mod:`rbnotes.complementarity.lemke` has it, on a table of the nonbasic variables.

Variables are numbered w (0 to n - 1), z (n to 2n - 1), z_0 (2n). A row of the table tells the value of a
basic variable, behind it how that grows with each of the n + 1 nonbasic ones, and then zeros up to a multiple
of eight.
"""

import numpy as np

from rbnotes.complementarity.lemke import PIVOT, TIE
from rbnotes.kernels._distance import bare, plain, swift
from rbnotes.kernels._numbers import eight, read, write

REFINED = 3
"""Corrections of what came out, at most."""

ROUNDING = 1e-14
"""What is left of w up to this, relative to the largest q, is rounding."""

LANES = 8
"""Numbers side by side."""

PIVOTS, MORE = 50, 1000
"""Pivots at most: so many for each pair, and so many more."""


@plain
def lemke(M, q, z, w):
    """Writes a complementary z and its w; the number of pivots, or -1 where the path has no end."""
    n = len(q)
    width = (n + 2 + LANES - 1) // LANES * LANES
    table = np.zeros((n, width))
    basic, nonbasic, at = np.empty(n, np.int64), np.empty(n + 1, np.int64), 0
    place, tied = np.empty(2 * n + 1, np.int64), np.empty(n, np.int64)
    for i in range(n):
        table[i, 0], table[i, n + 1] = q[i], 1.0
        for j in range(n):
            table[i, 1 + j] = M[i, j]
        basic[i], nonbasic[i] = i, n + i
        place[i], place[n + i] = i, 1 + i
        z[i] = 0.0
    nonbasic[n], place[2 * n] = 2 * n, n + 1
    least = 0.0
    for i in range(n):
        least = min(least, q[i])
    entering, pivots = 2 * n, 0
    while least < 0 and pivots < PIVOTS * n + MORE:
        at = place[entering]
        leaving = _blocking(table, basic, place, at, tied, pivots == 0)
        if leaving < 0:
            return -1
        left = basic[leaving]
        exchanged(table, leaving, at)
        basic[leaving], nonbasic[at - 1] = entering, left
        place[entering], place[left] = leaving, at
        pivots += 1
        if left == 2 * n:
            least = 0.0
        entering = left + n if left < n else left - n
    if least < 0:
        return -1
    for i in range(n):
        if basic[i] >= n:
            z[basic[i] - n] = table[i, 0]
    refined(M, q, table, basic, place, z, w)
    return pivots


@plain
def _blocking(table, basic, place, at, tied, first):
    """The row that leaves when a column enters, or -1; z_0 where it may. At first it is the least of q."""
    n, step, steepest, largest, count = len(basic), np.inf, 0.0, 0.0, 0
    for i in range(n):
        steepest, largest = max(steepest, abs(table[i, at])), max(largest, abs(table[i, 0]))
    sign, least = (-1.0, 0.0) if first else (1.0, PIVOT * steepest)
    falls = 0.0
    for i in range(n):
        if -sign * table[i, at] > least or first:
            falls = max(falls, abs(table[i, at]))
            step = min(step, table[i, 0] / abs(table[i, at]))
    if falls == 0.0:
        return -1
    for i in range(n):
        blocks = -sign * table[i, at] > least or first
        if blocks and table[i, 0] / abs(table[i, at]) <= step + TIE * largest / falls:
            if basic[i] == 2 * n:
                return i
            tied[count] = i
            count += 1
    column = -1
    while count > 1 and column < n:
        low = np.inf
        for t in range(count):
            low = min(low, _entry(table, basic, place, tied[t], column, at))
        most, kept = 1.0, 0
        for t in range(count):
            most = max(most, abs(_entry(table, basic, place, tied[t], column, at)))
        for t in range(count):
            if _entry(table, basic, place, tied[t], column, at) <= low + TIE * most:
                tied[kept] = tied[t]
                kept += 1
        count = kept
        column += 1
    return tied[0]


@bare
def _entry(table, basic, place, row, column, at):
    """Of a row of ``[B^-1 q, B^-1]``, over its entry of the entering column."""
    fall = abs(table[row, at])
    if column < 0:
        return table[row, 0] / fall
    if place[column] < len(basic) and basic[place[column]] == column:
        return 1 / fall if place[column] == row else 0.0
    return -table[row, place[column]] / fall


@bare
def exchanged(table, r, c):
    """Exchanges the basic variable of a row with the nonbasic one of a column."""
    n, width = table.shape
    factor, pivots = -1 / table[r, c], table[r]
    for j in range(width):
        pivots[j] *= factor
    pivots[c] = -factor
    for i in range(n):
        rate, row = table[i, c], table[i]
        if i != r and rate != 0.0:
            row[c] = 0.0
            rates = eight(rate)
            for j in range(0, width, LANES):
                write(row, j, read(row, j, rates) + rates * read(pivots, j, rates))


@plain
def refined(M, q, table, basic, place, z, w):
    """Takes what rounding left of w out of the basic z; their rates with the w are in the table."""
    n, last, largest = len(q), np.inf, 0.0
    for i in range(n):
        largest = max(largest, abs(q[i]))
    slacks(M, q, z, w)
    for _ in range(REFINED):
        left = 0.0
        for i in range(n):
            if basic[i] >= n:
                left = max(left, abs(w[basic[i] - n]))
        if left <= ROUNDING * largest or not left < last / 2:
            break
        last = left
        for i in range(n):
            if basic[i] >= n:
                for j in range(n):
                    if basic[j] >= n:
                        k = basic[j] - n
                        z[basic[i] - n] -= table[i, place[k]] * w[k]
        slacks(M, q, z, w)
    below = False
    for i in range(n):
        below = below or z[i] < 0
        z[i] = max(z[i], 0.0)
    if below:
        slacks(M, q, z, w)


@swift
def slacks(M, q, z, w):
    """Writes ``M z + q``."""
    n = len(q)
    for i in range(n):
        total = q[i]
        for j in range(n):
            total += M[i, j] * z[j]
        w[i] = total
