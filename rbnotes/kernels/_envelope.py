"""Symmetric systems of the joints, factored within their envelope.

Of each row only what lies from its first entry to the diagonal is kept, one row behind the other: entry
``(i, j)`` is at ``place[i] + j``. Elimination fills nothing outside. For joints in a good order, such as
those of a chain, it takes a time that grows with their number alone.
"""

import math

from rbnotes.kernels._distance import bare

SURE = 1e-8
"""Least pivot, relative to its diagonal entry, of rows that surely do not repeat others."""


@bare
def along(x, at, y, there, first, last):
    """The sum of products of entries from one number to another."""
    total = 0.0
    for k in range(first, last):
        total += x[at + k] * y[there + k]
    return total


@bare
def cholesky(S, first, place):
    """Replaces S by its factor L; false where rows may repeat others."""
    for i in range(len(first)):
        own = place[i]
        for j in range(first[i], i):
            other = place[j]
            left = S[own + j] - along(S, own, S, other, max(first[i], first[j]), j)
            S[own + j] = left / S[other + j]
        whole = S[own + i]
        left = whole - along(S, own, S, own, first[i], i)
        if not left > SURE * whole:
            return False
        S[own + i] = math.sqrt(left)
    return True


@bare
def lower_solved(L, first, place, x):
    """Replaces x by ``L^-1 x``."""
    for i in range(len(first)):
        own = place[i]
        total = x[i]
        for k in range(first[i], i):
            total -= L[own + k] * x[k]
        x[i] = total / L[own + i]


@bare
def solved(L, first, place, x):
    """Replaces x by ``(L L^T)^-1 x``."""
    lower_solved(L, first, place, x)
    for i in range(len(first) - 1, -1, -1):
        own = place[i]
        x[i] /= L[own + i]
        for k in range(first[i], i):
            x[k] -= L[own + k] * x[i]


@bare
def factored(lower, upper, first, place):
    """Replaces a matrix by its factors L, with ones on its diagonal, and U; false where a pivot is zero.

    In ``upper`` are the entries above the diagonal and on it, column by column, as those of rows are below.
    The matrix is nearly symmetric and positive definite, so that no rows need to change places.
    """
    for i in range(len(first)):
        own = place[i]
        for j in range(first[i], i):
            other, start = place[j], max(first[i], first[j])
            lower[own + j] -= along(lower, own, upper, other, start, j)
            lower[own + j] /= upper[other + j]
            upper[own + j] -= along(lower, other, upper, own, start, j)
        upper[own + i] -= along(lower, own, upper, own, first[i], i)
        if upper[own + i] == 0:
            return False
    return True


@bare
def factors_solved(lower, upper, first, place, x):
    """Replaces x by ``(L U)^-1 x``."""
    for i in range(len(first)):
        own = place[i]
        for k in range(first[i], i):
            x[i] -= lower[own + k] * x[k]
    for i in range(len(first) - 1, -1, -1):
        own = place[i]
        x[i] /= upper[own + i]
        for k in range(first[i], i):
            x[k] -= upper[own + k] * x[i]
