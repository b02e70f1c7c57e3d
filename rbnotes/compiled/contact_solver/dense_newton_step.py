"""Newton step of the friction law for a dense Delassus matrix."""

import numpy as np
from numba.extending import overload
from numba.np.linalg import _LAPACK, F_INT_nptype

from rbnotes.compiled.array_allocation import empty
from rbnotes.compiled.decorators import jit_alloc
from rbnotes.compiled.linear_algebra import dot


@jit_alloc
def dense_newton_step(W, F, P, rho, units, damping, step):
    """Write the step that solves ``(1 - P + damping + rho P W) step = F``, scaled by `units`."""
    size = len(F)
    A = empty((size, size))
    for i in range(len(rho)):
        for a in range(3):
            row = 3 * i + a
            for j in range(size):
                product = dot(P[i, a], (W[3 * i, j], W[3 * i + 1, j], W[3 * i + 2, j]))
                A[j, row] = rho[i] * product * units[j // 3] / units[i]
            A[row, row] += 1.0
            A[row, row] += damping
            for b in range(3):
                A[3 * i + b, row] -= P[i, a, b]
            step[row] = F[row] / units[i]
    solve_transposed(A, step)
    for i in range(size):
        step[i] *= units[i // 3]


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
