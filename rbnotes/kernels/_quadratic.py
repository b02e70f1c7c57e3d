"""Quadratic programs with inequalities (:mod:`rbnotes.kernels.problems`): dense in z, or narrow in x."""

import math
from collections import namedtuple

import numpy as np

from rbnotes.complementarity.active_set import MAX_CENTRES, PATIENCE
from rbnotes.kernels._accepting import against, pair_counted, size_of
from rbnotes.kernels._distance import bare, plain
from rbnotes.kernels._lemke import lemke
from rbnotes.kernels._narrow import (
    LANES,
    added,
    begun,
    envelope,
    factored,
    lower_solved,
    ordered,
    products,
    solved,
)
from rbnotes.kernels._rows import Rows, along, mirrored, numbered, sizes_along, spread, transposed
from rbnotes.kernels._tables import EQUATIONS, RELATIVE

Program = namedtuple("Program", "Q c A b")
"""Minimise ``x^T Q x / 2 + c^T x`` under ``A x >= b``."""

SOFT = 1e-8
"""Weight of an impulse's distance from the centre, relative to the effect of an impulse."""

SIGN = 1e-11
"""Signs are believed above this, relative to the largest of their kind."""

FEW = 32
"""Up to so many inequalities the dense problem in z is solved."""


@plain
def judged(program, at, x, z, left):
    """Writes how well x and z solve a program, as an elimination's residuals are; the w are handed back."""
    Q, c, A, b = program
    d, m = len(c), len(b)
    inertia, heaviest = np.empty(d), 0.0
    motion, force, reach, free = c.copy(), np.empty(d), np.empty(d), np.empty(d)
    for u in range(d):
        inertia[at[u]] = 0.0
        for k in range(Q.start[u], Q.start[u + 1]):
            if Q.column[k] == at[u]:
                inertia[at[u]] += abs(Q.value[k])
        heaviest = max(heaviest, inertia[at[u]])
    for u in range(d):
        if not inertia[u] > 0:
            inertia[u] = heaviest if heaviest > 0 else 1.0
    for u in range(d):
        motion[at[u]] += along(Q, u, x)
        force[at[u]] = sizes_along(Q, u, x) + abs(c[at[u]])
    energy = 0.0
    for u in range(d):
        energy = max(energy, abs(c[u]) / math.sqrt(inertia[u]))
        free[u] = abs(c[u]) / inertia[u]
    w, effects = np.empty(m), np.empty(m)
    for i in range(m):
        effects[i] = 0.0
        for k in range(A.start[i], A.start[i + 1]):
            u = A.column[k]
            effects[i] += A.value[k] * A.value[k] / inertia[u]
            motion[u] -= A.value[k] * z[i]
            force[u] += abs(A.value[k] * z[i])
        if effects[i] > 0:
            energy = max(energy, abs(b[i]) / math.sqrt(effects[i]))
        w[i] = along(A, i, x) - b[i]
    left[:] = 0.0
    for u in range(d):
        reach[u] = max(abs(x[u]), force[u] / inertia[u])
        left[EQUATIONS] = max(left[EQUATIONS], abs(motion[u]))
        size = size_of(abs(c[u]), force[u], energy * math.sqrt(inertia[u]))
        left[RELATIVE] = max(left[RELATIVE], against(motion[u], size))
    for i in range(m):
        own, terms = abs(b[i]) + sizes_along(A, i, free), abs(b[i]) + sizes_along(A, i, reach)
        size = size_of(own, terms, energy * math.sqrt(effects[i]))
        pair_counted(left, z[i], w[i], effects[i] if effects[i] > 0 else 1.0, size)
    return w


@plain
def eliminated(program, at, S, x, z):
    """Solves for z in the dense LCP of few inequalities, then for x; the number of pivots, or -1."""
    Q, c, A, b = program
    d, m = len(c), len(b)
    begun(S, Q, at)
    if not factored(S):
        return -1
    Y, begin, end = np.zeros((m, d + LANES)), np.empty(m, np.int64), np.empty(m, np.int64)
    M, q, w = np.empty((m, m)), np.empty(m), np.empty(m)
    for u in range(d):
        x[u] = -c[u]
    solved(S, x)
    diagonal = len(Q.column) == d
    for i in range(m):
        begin[i], end[i] = d, d
        last = 0
        for k in range(A.start[i], A.start[i + 1]):
            begin[i], last = min(begin[i], A.column[k]), max(last, A.column[k])
            Y[i, A.column[k]] += A.value[k]
        if diagonal:
            end[i] = last + 1
            for k in range(A.start[i], A.start[i + 1]):
                Y[i, A.column[k]] = A.value[k] / S.numbers[S.place[A.column[k]] + A.column[k]]
        else:
            lower_solved(S, Y[i], begin[i])
        q[i] = along(A, i, x) - b[i]
        for j in range(i + 1):
            first, final = max(begin[i], begin[j]), min(end[i], end[j])
            M[i, j] = M[j, i] = products(Y[i], 0, Y[j], 0, first, final)
    pivots = lemke(M, q, z, w)
    if pivots < 0:
        return -1
    for u in range(d):
        x[u] = -c[u]
    for i in range(m):
        spread(A, i, z[i], x)
    solved(S, x)
    return pivots


@plain
def by_blocks(program, at, S, x, z, left, tolerance):
    """Solves by blocks of pivots, with the bodies' system in the place of the contacts'.

    Where z_i is within its bounds, ``w_i + soft_i (z_i - centre_i)`` is zero, so that x solves

        (Q + A^T A / soft) x = A^T (centre + b / soft) - c

    over these rows, whether or not some of them repeat others. The number of factorizations, or -1.
    """
    Q, c, A, b = program
    d, m = len(c), len(b)
    inertia = np.zeros(d)
    for u in range(d):
        for k in range(Q.start[u], Q.start[u + 1]):
            if Q.column[k] == at[u]:
                inertia[at[u]] += Q.value[k]
    soft, centre, within, w, right = (
        np.empty(m),
        np.zeros(m),
        np.empty(m, np.bool_),
        np.empty(m),
        np.empty(d + LANES),
    )
    scale = np.empty(m)
    largest = 0.0
    for u in range(d):
        if not inertia[u] > 0:
            return -1
        x[u] = -c[u] / inertia[u]
    for i in range(m):
        effect = 0.0
        for k in range(A.start[i], A.start[i + 1]):
            effect += A.value[k] * A.value[k] / inertia[A.column[k]]
        if effect == 0.0:
            return -1
        scale[i], soft[i] = effect, SOFT * effect
        w[i] = along(A, i, x) - b[i]
        within[i] = w[i] < 0
        largest = max(largest, abs(w[i]))
        z[i] = 0.0
    small, count = SIGN * largest, 0
    fresh = False
    for _ in range(MAX_CENTRES):
        best, patience = m + 1, PATIENCE
        while True:
            if not fresh:
                begun(S, Q, at)
                for i in range(m):
                    if within[i]:
                        added(S, A, i, 1 / soft[i])
                if not factored(S):
                    return -1
                fresh = True
                count += 1
            for u in range(d):
                right[u] = -c[u]
            for i in range(m):
                z[i] = 0.0
                if within[i]:
                    spread(A, i, centre[i] + b[i] / soft[i], right)
            solved(S, right)
            for u in range(d):
                x[u] = right[u]
            relaxed(program, at, S, within, centre, soft, x, z, right)
            wrong = 0
            for i in range(m):
                w[i] = along(A, i, x) - b[i]
                if (scale[i] * z[i] if within[i] else w[i] - soft[i] * centre[i]) < -small:
                    within[i] = not within[i]
                    wrong += 1
            if wrong == 0:
                break
            fresh = False
            patience = PATIENCE if wrong < best else patience - 1
            best = min(best, wrong)
            if patience < 0:
                return -1
        for i in range(m):
            z[i] = max(z[i], 0.0)
            centre[i] = z[i]
        judged(program, at, x, z, left)
        if left[RELATIVE] <= tolerance:
            return count
    return -1


@bare
def relaxed(program, at, S, within, centre, soft, x, z, right):
    """Writes z, and takes out of x and z what rounding left: the equations of the bodies are off by it."""
    Q, c, A, b = program
    for _ in range(2):
        for i in range(len(b)):
            if within[i]:
                z[i] = centre[i] + (b[i] - along(A, i, x)) / soft[i]
        for u in range(len(c)):
            right[u] = -c[u]
        for u in range(len(c)):
            right[at[u]] -= along(Q, u, x)
        for i in range(len(b)):
            if within[i]:
                spread(A, i, z[i], right)
        solved(S, right)
        for u in range(len(c)):
            x[u] += right[u]
        for i in range(len(b)):
            if within[i]:
                z[i] -= along(A, i, right) / soft[i]


@plain
def solve(program, x, z, w, left, tolerance):
    """Writes a solution and its residuals; how many pivots and factorizations, and 1 if there is none."""
    Q, c, A, b = program
    d, m = len(c), len(b)
    columns, across = transposed(A, d), transposed(Q, d)
    Q = transposed(across, d)
    if not mirrored(Q, across):
        return 0, 0, 1
    few = m <= FEW
    at = np.arange(d) if few else ordered(Q, A, columns)
    inner = Program(
        Rows(Q.start, Q.column.copy(), Q.value), np.empty(d), Rows(A.start, A.column.copy(), A.value), b
    )
    numbered(inner.Q, at)
    numbered(inner.A, at)
    for u in range(d):
        inner.c[at[u]] = c[u]
    S, y = envelope(d, inner.Q, inner.Q if few else inner.A), np.empty(d + LANES)
    if len(S.numbers) == 0:
        return 0, 0, 1
    pivots, factorizations = 0, 0
    if few:
        pivots = eliminated(inner, at, S, y, z)
    else:
        factorizations = by_blocks(inner, at, S, y, z, left, tolerance)
    if pivots < 0 or factorizations < 0:
        return 0, 0, 1
    found = judged(inner, at, y, z, left)
    for i in range(m):
        w[i] = found[i]
    for u in range(d):
        x[u] = y[at[u]]
    return pivots, factorizations, 0
