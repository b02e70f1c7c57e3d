"""Newton step of the friction law for a dense Delassus matrix."""

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload
from numba.np.linalg import _LAPACK, F_INT_nptype

from rbnotes.compiled.array_allocation import empty
from rbnotes.compiled.array_views import view_at
from rbnotes.compiled.decorators import jit_alloc, jit_noalloc, jit_reassoc
from rbnotes.compiled.linear_algebra import copy_rows
from rbnotes.compiled.padded_matrices import (
    factor_by_elimination,
    padded_size,
    solve_by_substitution,
)

MAX_ELIMINATION_SIZE = 64
"""Largest system that is solved by plain elimination; LAPACK takes less time for larger ones."""


class NewtonSystem(NamedTuple):
    """Linear system of n equations of the Newton steps of c contacts, and its last factors.

    Attributes
    ----------
    A
        Rows of the matrix, padded ``(n, w)``.
    columns, pivots, inverse_pivots
        Factors (:func:`~rbnotes.compiled.padded_matrices.factor_by_elimination`); empty for a large system.
    x
        Unknowns, padded ``(w,)``.
    P
        Derivatives of the projections in the factored matrix ``(c, 3, 3)``.
    damping
        Damping of the factored matrix, NaN if none is factored ``(1,)``.
    memory
        Owner of the other arrays of floats.
    """

    A: Any
    columns: Any
    pivots: Any
    inverse_pivots: Any
    x: Any
    P: Any
    damping: Any
    memory: Any


@jit_alloc
def allocate_newton_system(size):
    """Return the memory of a system of this size; nothing is factored."""
    width, factor_size = padded_size(size), size if size <= MAX_ELIMINATION_SIZE else 0
    memory = empty((size + factor_size + 1) * width + factor_size + 3 * size + 1)
    A, offset = view_at(memory, 0, (size, width))
    columns, offset = view_at(memory, offset, (factor_size, width))
    inverse_pivots, offset = view_at(memory, offset, (factor_size,))
    x, offset = view_at(memory, offset, (width,))
    P, offset = view_at(memory, offset, (size // 3, 3, 3))
    damping, _ = view_at(memory, offset, (1,))
    damping[0] = np.nan
    for j in range(size, width):
        x[j] = 0.0
        for i in range(factor_size):
            columns[i, j] = 0.0
    pivots = empty(factor_size, np.int64)
    return NewtonSystem(A, columns, pivots, inverse_pivots, x, P, damping, memory)


@jit_noalloc
def dense_newton_step(system, W, F, P, rho, units, damping, step):
    """Write the step that solves ``(1 - P + damping + rho P W) step = F``, scaled by `units`.

    The factors of the last step are used again if the matrix is the same.
    """
    size, is_regular, x = len(F), True, system.x
    if size <= MAX_ELIMINATION_SIZE:
        is_regular = factor_newton_matrix(system, W, P, rho, units, damping)
    else:
        write_newton_matrix(system, W, P, rho, units, damping)
    for i in range(size):
        x[i] = F[i] / units[i // 3]
    if size > MAX_ELIMINATION_SIZE:
        solve_by_lapack(system.A, x[:size])
    elif is_regular:
        solve_by_substitution(system.columns, system.pivots, system.inverse_pivots, x)
    else:
        x[0] = np.nan
    for i in range(size):
        step[i] = x[i] * units[i // 3]


@jit_alloc
def solve_by_lapack(A, x):
    """Replace x by the solution of ``A y = x``, for a padded matrix."""
    size = len(x)
    transposed = empty((size, size))
    for i in range(size):
        for j in range(size):
            transposed[j, i] = A[i, j]
    solve_transposed(transposed, x)


@jit_noalloc
def factor_newton_matrix(system, W, P, rho, units, damping):
    """Factor the matrix unless its last factors are those; return False if it is singular."""
    num_changes = 0
    for i in range(len(P)):
        for a in range(3):
            for b in range(3):
                num_changes += P[i, a, b] != system.P[i, a, b]
    if num_changes == 0 and damping == system.damping[0]:
        return True
    write_newton_matrix(system, W, P, rho, units, damping)
    for i in range(len(P)):
        copy_rows(P[i], 3, system.P[i])
    is_regular = factor_by_elimination(system.A, system.columns, system.pivots, system.inverse_pivots)
    system.damping[0] = damping if is_regular else np.nan
    return is_regular


@jit_reassoc
def write_newton_matrix(system, W, P, rho, units, damping):
    """Write the rows of the matrix."""
    A, column_units, size = system.A, system.x, len(W)
    for j in range(size):
        column_units[j] = units[j // 3]
    for i in range(len(rho)):
        first, second, third = W[3 * i], W[3 * i + 1], W[3 * i + 2]
        for a in range(3):
            scale, own = rho[i] / units[i], A[3 * i + a]
            p0, p1, p2 = scale * P[i, a, 0], scale * P[i, a, 1], scale * P[i, a, 2]
            for j in range(size):
                own[j] = (p0 * first[j] + p1 * second[j] + p2 * third[j]) * column_units[j]
            for j in range(size, len(own)):
                own[j] = 0.0
            own[3 * i + a] += 1.0 + damping
            for b in range(3):
                own[3 * i + b] -= P[i, a, b]


def solve_transposed(A, x):
    """Replace x by the solution of ``A^T y = x``; overwrites A."""
    x[:] = np.linalg.solve(A.T, x)


@overload(solve_transposed)
def _overload_solve_transposed(A, x):
    # Calls LAPACK like numba's solve, whose checks and copies take longer to compile than this whole module.
    gesv, double = _LAPACK().numba_xgesv(A.dtype), ord("d")

    def solve(A, x):
        size = len(x)
        pivots = empty(size, F_INT_nptype)
        if gesv(double, size, 1, A.ctypes, size, pivots.ctypes, x.ctypes, size) != 0:
            x[:] = np.nan

    return solve
