"""Quadratic programs with inequalities, as a dense LCP in z or with a banded system in x.

:mod:`rbnotes.compiled.complementarity.problems` calls them.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from rbnotes.compiled.array_allocation import empty, zeros
from rbnotes.compiled.complementarity.banded_cholesky import (
    add_row_square,
    allocate_envelope,
    bandwidth_reducing_order,
    factor_cholesky,
    solve_cholesky,
    solve_lower,
    write_matrix,
)
from rbnotes.compiled.complementarity.lemke import solve_lemke
from rbnotes.compiled.complementarity.residuals import (
    relative_error,
    row_scale,
    update_pair_residuals,
)
from rbnotes.compiled.complementarity.sparse_rows import (
    SparseRows,
    add_row,
    is_symmetric,
    renumber_columns,
    row_abs_dot,
    row_dot,
    transpose_rows,
)
from rbnotes.compiled.decorators import jit_alloc, jit_noalloc
from rbnotes.compiled.linear_algebra import reordered_dot_range
from rbnotes.compiled.record_layout import EQUATIONS, RELATIVE
from rbnotes.compiled.simd.lanes import NUM_LANES
from rbnotes.complementarity.block_principal_pivoting import MAX_PROXIMAL_STEPS, MAX_STALLED_BLOCKS


class QuadraticProgram(NamedTuple):
    """Minimize ``x^T Q x / 2 + c^T x`` subject to ``A x >= b``.

    Attributes
    ----------
    Q
        Rows of the symmetric matrix, :class:`SparseRows`.
    c
        Linear term ``(d,)``.
    A
        Rows of the inequalities, :class:`SparseRows`.
    b
        Right-hand sides ``(m,)``.
    """

    Q: Any
    c: Any
    A: Any
    b: Any


RELATIVE_REGULARIZATION = 1e-8
"""Weight of the distance of an impulse from the proximal center, relative to the response to an impulse."""

SIGN_TOLERANCE = 1e-11
"""Smallest magnitude with a reliable sign, relative to the largest value of its kind."""

MAX_DENSE_INEQUALITIES = 32
"""Most inequalities for which the dense problem in z is solved."""


@jit_alloc
def program_residuals(program, order, x, z, residuals):
    """Write the residuals of x and z, scaled as in :mod:`rbnotes.complementarity.elimination`; return w."""
    Q, c, A, b = program
    d, m = len(c), len(b)
    inertia, heaviest = empty(d), 0.0
    motion, force, x_bounds, x_free = c.copy(), empty(d), empty(d), empty(d)
    for u in range(d):
        inertia[order[u]] = 0.0
        for k in range(Q.start[u], Q.start[u + 1]):
            if Q.column[k] == order[u]:
                inertia[order[u]] += abs(Q.value[k])
        heaviest = max(heaviest, inertia[order[u]])
    for u in range(d):
        if not inertia[u] > 0:
            inertia[u] = heaviest if heaviest > 0 else 1.0
    for u in range(d):
        motion[order[u]] += row_dot(Q, u, x)
        force[order[u]] = row_abs_dot(Q, u, x) + abs(c[order[u]])
    energy = 0.0
    for u in range(d):
        energy = max(energy, abs(c[u]) / math.sqrt(inertia[u]))
        x_free[u] = abs(c[u]) / inertia[u]
    w, responses = empty(m), empty(m)
    for i in range(m):
        responses[i] = 0.0
        for k in range(A.start[i], A.start[i + 1]):
            u = A.column[k]
            responses[i] += A.value[k] * A.value[k] / inertia[u]
            motion[u] -= A.value[k] * z[i]
            force[u] += abs(A.value[k] * z[i])
        if responses[i] > 0:
            energy = max(energy, abs(b[i]) / math.sqrt(responses[i]))
        w[i] = row_dot(A, i, x) - b[i]
    residuals[:] = 0.0
    for u in range(d):
        x_bounds[u] = max(abs(x[u]), force[u] / inertia[u])
        residuals[EQUATIONS] = max(residuals[EQUATIONS], abs(motion[u]))
        scale = row_scale(abs(c[u]), force[u], energy * math.sqrt(inertia[u]))
        residuals[RELATIVE] = max(residuals[RELATIVE], relative_error(motion[u], scale))
    for i in range(m):
        entry_scale, terms = (
            abs(b[i]) + row_abs_dot(A, i, x_free),
            abs(b[i]) + row_abs_dot(A, i, x_bounds),
        )
        scale = row_scale(entry_scale, terms, energy * math.sqrt(responses[i]))
        update_pair_residuals(residuals, z[i], w[i], responses[i] if responses[i] > 0 else 1.0, scale)
    return w


@jit_alloc
def solve_by_elimination(program, order, S, x, z):
    """Solve the dense LCP of few inequalities for z, then for x; return the number of pivots, or -1."""
    Q, c, A, b = program
    d, m = len(c), len(b)
    write_matrix(S, Q, order)
    if not factor_cholesky(S):
        return -1
    Y, begin, end = zeros((m, d + NUM_LANES)), empty(m, np.int64), empty(m, np.int64)
    M, q, w = empty((m, m)), empty(m), empty(m)
    for u in range(d):
        x[u] = -c[u]
    solve_cholesky(S, x)
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
                Y[i, A.column[k]] = A.value[k] / S.entries[S.offset[A.column[k]] + A.column[k]]
        else:
            solve_lower(S, Y[i], begin[i])
        q[i] = row_dot(A, i, x) - b[i]
        for j in range(i + 1):
            first, final = max(begin[i], begin[j]), min(end[i], end[j])
            M[i, j] = M[j, i] = reordered_dot_range(Y[i], 0, Y[j], 0, first, final)
    pivots = solve_lemke(M, q, z, w)
    if pivots < 0:
        return -1
    for u in range(d):
        x[u] = -c[u]
    for i in range(m):
        add_row(A, i, z[i], x)
    solve_cholesky(S, x)
    return pivots


@jit_alloc
def solve_by_block_pivoting(program, order, S, x, z, residuals, tolerance):
    """Solve by block pivoting with a system in x; return the number of factorizations, or -1.

    For rows whose z_i lies within its bounds, ``w_i + s_i (z_i - center_i)`` vanishes with the regularization
    s, so that x solves

        (Q + A^T A / s) x = A^T (center + b / s) - c

    over these rows. The rows may be linearly dependent.
    """
    Q, c, A, b = program
    d, m = len(c), len(b)
    inertia = zeros(d)
    for u in range(d):
        for k in range(Q.start[u], Q.start[u + 1]):
            if Q.column[k] == order[u]:
                inertia[order[u]] += Q.value[k]
    regularization, center, active, w, rhs = (
        empty(m),
        zeros(m),
        empty(m, np.bool_),
        empty(m),
        empty(d + NUM_LANES),
    )
    scale = empty(m)
    largest = 0.0
    for u in range(d):
        if not inertia[u] > 0:
            return -1
        x[u] = -c[u] / inertia[u]
    for i in range(m):
        mobility = 0.0
        for k in range(A.start[i], A.start[i + 1]):
            mobility += A.value[k] * A.value[k] / inertia[A.column[k]]
        if mobility == 0.0:
            return -1
        scale[i], regularization[i] = mobility, RELATIVE_REGULARIZATION * mobility
        w[i] = row_dot(A, i, x) - b[i]
        active[i] = w[i] < 0
        largest = max(largest, abs(w[i]))
        z[i] = 0.0
    sign_tolerance, count = SIGN_TOLERANCE * largest, 0
    is_factored = False
    for _ in range(MAX_PROXIMAL_STEPS):
        best, blocks_left = m + 1, MAX_STALLED_BLOCKS
        while True:
            if not is_factored:
                write_matrix(S, Q, order)
                for i in range(m):
                    if active[i]:
                        add_row_square(S, A, i, 1 / regularization[i])
                if not factor_cholesky(S):
                    return -1
                is_factored = True
                count += 1
            for u in range(d):
                rhs[u] = -c[u]
            for i in range(m):
                z[i] = 0.0
                if active[i]:
                    add_row(A, i, center[i] + b[i] / regularization[i], rhs)
            solve_cholesky(S, rhs)
            for u in range(d):
                x[u] = rhs[u]
            refine_solution(program, order, S, active, center, regularization, x, z, rhs)
            num_wrong = 0
            for i in range(m):
                w[i] = row_dot(A, i, x) - b[i]
                if (scale[i] * z[i] if active[i] else w[i] - regularization[i] * center[i]) < -sign_tolerance:
                    active[i] = not active[i]
                    num_wrong += 1
            if num_wrong == 0:
                break
            is_factored = False
            blocks_left = MAX_STALLED_BLOCKS if num_wrong < best else blocks_left - 1
            best = min(best, num_wrong)
            if blocks_left < 0:
                return -1
        for i in range(m):
            z[i] = max(z[i], 0.0)
            center[i] = z[i]
        program_residuals(program, order, x, z, residuals)
        if residuals[RELATIVE] <= tolerance:
            return count
    return -1


@jit_noalloc
def refine_solution(program, order, S, active, center, regularization, x, z, rhs):
    """Write z and correct x and z for rounding errors in ``Q x + c = A^T z``."""
    Q, c, A, b = program
    for _ in range(2):
        for i in range(len(b)):
            if active[i]:
                z[i] = center[i] + (b[i] - row_dot(A, i, x)) / regularization[i]
        for u in range(len(c)):
            rhs[u] = -c[u]
        for u in range(len(c)):
            rhs[order[u]] -= row_dot(Q, u, x)
        for i in range(len(b)):
            if active[i]:
                add_row(A, i, z[i], rhs)
        solve_cholesky(S, rhs)
        for u in range(len(c)):
            x[u] += rhs[u]
        for i in range(len(b)):
            if active[i]:
                z[i] -= row_dot(A, i, rhs) / regularization[i]


@jit_alloc
def solve_program(program, x, z, w, residuals, tolerance):
    """Write a solution and its residuals; return pivots, factorizations, and 1 if there is no solution."""
    Q, c, A, b = program
    d, m = len(c), len(b)
    columns_of_A, transpose = transpose_rows(A, d), transpose_rows(Q, d)
    Q = transpose_rows(transpose, d)
    if not is_symmetric(Q, transpose):
        return 0, 0, 1
    is_dense = m <= MAX_DENSE_INEQUALITIES
    order = np.arange(d) if is_dense else bandwidth_reducing_order(Q, A, columns_of_A)
    inner = QuadraticProgram(
        SparseRows(Q.start, Q.column.copy(), Q.value),
        empty(d),
        SparseRows(A.start, A.column.copy(), A.value),
        b,
    )
    renumber_columns(inner.Q, order)
    renumber_columns(inner.A, order)
    for u in range(d):
        inner.c[order[u]] = c[u]
    S, y = allocate_envelope(d, inner.Q, inner.Q if is_dense else inner.A), empty(d + NUM_LANES)
    if len(S.entries) == 0:
        return 0, 0, 1
    pivots, factorizations = 0, 0
    if is_dense:
        pivots = solve_by_elimination(inner, order, S, y, z)
    else:
        factorizations = solve_by_block_pivoting(inner, order, S, y, z, residuals, tolerance)
    if pivots < 0 or factorizations < 0:
        return 0, 0, 1
    slacks = program_residuals(inner, order, y, z, residuals)
    for i in range(m):
        w[i] = slacks[i]
    for u in range(d):
        x[u] = y[order[u]]
    return pivots, factorizations, 0
