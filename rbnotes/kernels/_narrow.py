"""Symmetric systems of many unknowns in which rows couple neighbours alone, factored within their envelope.

Columns stand one behind the other, so that those which change others are read in a row; four of them change
the others at once. (:mod:`rbnotes.kernels._envelope` keeps rows, and the order of sums.)
"""

import math
from collections import namedtuple

import numpy as np

from rbnotes.kernels._distance import bare, plain, swift
from rbnotes.kernels._numbers import eight, read, write

Envelope = namedtuple("Envelope", "last place numbers")
"""Of each column of a symmetric matrix the entries from the diagonal to its last one, and eight zeros.

Entry ``(i, k)`` is at ``place[k] + i``."""

LANES = 8
"""Numbers side by side."""

ABREAST = 4
"""Columns that change the others at once, for which those are read and written once: they end together."""

WIDE = 2e7
"""Products that a factor may take at most: beyond it others are faster."""


@swift
def products(x, at, y, there, first, last):
    """The sum of products of entries from one number to another."""
    total = 0.0
    for k in range(first, last):
        total += x[at + k] * y[there + k]
    return total


@plain
def ordered(Q, A, columns):
    """Places of the unknowns that bring those near each other that rows connect: by distance from an end."""
    d, place, queue = len(Q.start) - 1, np.full(len(Q.start) - 1, -1), np.empty(len(Q.start) - 1, np.int64)
    seen, row_seen, round_, taken = np.zeros(d, np.int64), np.zeros(len(A.start) - 1, np.int64), 0, 0
    for root in range(d):
        if place[root] >= 0:
            continue
        end, count = root, 0
        for _ in range(2):  # the last one found is far from the root, and so a better one
            round_ += 1
            queue[0], count, done = end, 1, 0
            seen[end] = round_
            while done < count:
                u = queue[done]
                done += 1
                for k in range(Q.start[u], Q.start[u + 1]):
                    j = Q.column[k]
                    if seen[j] != round_:
                        seen[j] = round_
                        queue[count] = j
                        count += 1
                for t in range(columns.start[u], columns.start[u + 1]):
                    i = columns.column[t]
                    if row_seen[i] == round_:
                        continue
                    row_seen[i] = round_
                    for k in range(A.start[i], A.start[i + 1]):
                        j = A.column[k]
                        if seen[j] != round_:
                            seen[j] = round_
                            queue[count] = j
                            count += 1
            end = queue[count - 1]
        for k in range(count):
            place[queue[k]] = taken + k
        taken += count
    return place


@plain
def envelope(size, first_rows, second_rows):
    """Room for a matrix that couples the unknowns of each row, or none if that takes too much work."""
    last = np.arange(size)
    for rows in (first_rows, second_rows):
        for i in range(len(rows.start) - 1):
            least, most = size, 0
            for k in range(rows.start[i], rows.start[i + 1]):
                least, most = min(least, rows.column[k]), max(most, rows.column[k])
            if least < size:
                last[least] = max(last[least], most)
    place, total, work, end = np.empty(size, np.int64), 0, 0.0, 0
    for k in range(size):
        if k % ABREAST == 0:
            for j in range(k, min(k + ABREAST, size)):
                end = max(end, last[j])
        last[k] = end
        place[k] = total - k
        total += end + 1 - k + LANES
        work += (end - k) * (end - k) / 2
    return Envelope(last, place, np.empty(total if work <= WIDE else 0))


@bare
def subtracted(x, at, y, there, first, last, factor):
    """Takes a multiple of numbers, behind which there are zeros, from others."""
    row, at, there = eight(factor), int(at), int(there)
    for k in range(int(first), int(last) + 1, LANES):
        write(y, there + k, read(y, there + k, row) - read(x, at + k, row) * row)


@bare
def four_subtracted(x, a, b, c, d, y, there, first, last, factors):
    """The same with four of them."""
    e, f, g, h = eight(factors[0]), eight(factors[1]), eight(factors[2]), eight(factors[3])
    a, b, c, d, there = int(a), int(b), int(c), int(d), int(there)
    for k in range(int(first), int(last) + 1, LANES):
        left = read(y, there + k, e) - read(x, a + k, e) * e - read(x, b + k, e) * f
        write(y, there + k, left - read(x, c + k, e) * g - read(x, d + k, e) * h)


@bare
def factored(S):
    """Replaces a matrix by its factor; false where it is not positive definite."""
    last, place, x = S
    size = len(last)
    for begin in range(0, size, ABREAST):
        end = min(begin + ABREAST, size)
        for k in range(begin, end):
            own = place[k]
            if not x[own + k] > 0.0:
                return False
            x[own + k] = math.sqrt(x[own + k])
            inverse = 1 / x[own + k]
            for i in range(k + 1, last[k] + 1):
                x[own + i] *= inverse
            for i in range(k + 1, end):
                subtracted(x, own, x, place[i], i, last[k], x[own + i])
        if end - begin == ABREAST:
            a, b, c, d = place[begin], place[begin + 1], place[begin + 2], place[begin + 3]
            for i in range(end, last[begin] + 1):
                factors = x[a + i], x[b + i], x[c + i], x[d + i]
                if factors[0] != 0.0 or factors[1] != 0.0 or factors[2] != 0.0 or factors[3] != 0.0:
                    four_subtracted(x, a, b, c, d, x, place[i], i, last[begin], factors)
    return True


@bare
def solved(S, x):
    """Replaces x, behind which there is room, by what the factored matrix takes to it."""
    lower_solved(S, x, 0)
    for k in range(len(S.last) - 1, -1, -1):
        own = S.place[k]
        x[k] = (x[k] - products(S.numbers, own, x, 0, k + 1, S.last[k] + 1)) / S.numbers[own + k]


@bare
def lower_solved(S, x, begin):
    """Replaces x, zero before ``begin`` and with room behind it, by the factor's inverse times x."""
    for k in range(begin, len(S.last)):
        x[k] /= S.numbers[S.place[k] + k]
        if x[k] != 0.0:
            subtracted(S.numbers, S.place[k], x, 0, k + 1, S.last[k], x[k])


@bare
def added(S, rows, i, factor):
    """Adds a multiple of the square of a row."""
    for k in range(rows.start[i], rows.start[i + 1]):
        u, scaled = rows.column[k], factor * rows.value[k]
        for t in range(rows.start[i], rows.start[i + 1]):
            if rows.column[t] >= u:
                S.numbers[S.place[u] + rows.column[t]] += scaled * rows.value[t]


@bare
def begun(S, Q, at):
    """Writes Q into an envelope."""
    for k in range(len(S.numbers)):
        S.numbers[k] = 0.0
    for u in range(len(S.last)):
        for k in range(Q.start[u], Q.start[u + 1]):
            if Q.column[k] >= at[u]:
                S.numbers[S.place[at[u]] + Q.column[k]] += Q.value[k]
