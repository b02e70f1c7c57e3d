"""Newton step of the friction law for a dense Delassus matrix."""

import numpy as np
from numba.extending import overload
from numba.np.linalg import _LAPACK, F_INT_nptype

from rbnotes.compiled.array_allocation import empty
from rbnotes.compiled.decorators import jit_alloc, jit_reassoc
from rbnotes.compiled.padded_matrices import padded_size, solve_by_elimination

MAX_ELIMINATION_SIZE = 64
"""Largest system that is solved by plain elimination; LAPACK takes less time for larger ones."""


@jit_alloc
def dense_newton_step(W, F, P, rho, units, damping, step):
    """Write the step that solves ``(1 - P + damping + rho P W) step = F``, scaled by `units`."""
    size = len(F)
    A = empty((size, padded_size(size + 1)))
    for i in range(size):
        step[i] = units[i // 3]
    write_newton_system(W, F, P, rho, units, damping, step, A)
    if size > MAX_ELIMINATION_SIZE:
        transposed = empty((size, size))
        for i in range(size):
            step[i] = A[i, size]
            for j in range(size):
                transposed[j, i] = A[i, j]
        solve_transposed(transposed, step)
    elif not solve_by_elimination(A, step):
        step[0] = np.nan
    for i in range(size):
        step[i] *= units[i // 3]


@jit_reassoc
def write_newton_system(W, F, P, rho, units, damping, column_units, A):
    """Write the rows of the system, each followed by its right-hand side and zeros."""
    size = len(F)
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
            own[size] = F[3 * i + a] / units[i]


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
