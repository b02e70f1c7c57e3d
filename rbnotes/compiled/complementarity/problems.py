"""LCPs and quadratic programs, solved by compiled code for programs that solve many of them."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
from scipy import sparse

from rbnotes.arguments import Array
from rbnotes.compiled.compilation import compiled_function, failure_code
from rbnotes.compiled.record_layout import NUM_RESIDUALS, RELATIVE
from rbnotes.complementarity import LCP, QP, QPSolution, Residuals, Solution, Statistics, Status
from rbnotes.complementarity.problems import to_dense
from rbnotes.unchecked.frozen import construct_unchecked

_EMPTY_INTEGERS = np.zeros(0, dtype=np.uint64)
_NO_MULTIPLIERS: Array = np.zeros(0)
_RESIDUAL_NAMES = tuple(field.name for field in fields(Residuals))


def solve_compiled(problem: LCP | QP, tolerance: float) -> Solution | None:
    """Solve an LCP, or a quadratic program without equations; return None if that fails.

    Arguments are not checked. :func:`rbnotes.complementarity.solve` calls this function.

    Raises
    ------
    MissingExtra
        If numba is not installed.
    """
    solve: Any = _solve_lcp if isinstance(problem, LCP) else _solve_qp
    solution: Solution | None = solve(problem, tolerance)
    return solution


def _solve_lcp(problem: LCP, tolerance: float) -> Solution | None:
    """Solve an LCP by Lemke's method: M is dense, and need not be symmetric."""
    M, q = to_dense(problem.M), problem.q
    z, w, residuals = np.empty_like(q), np.empty_like(q), np.empty(NUM_RESIDUALS)
    residuals[RELATIVE] = tolerance
    status = compiled_function("solve_lcp")(_EMPTY_INTEGERS, M.ravel(), q, z, w, residuals)
    if not len(q) or status == failure_code():
        return None
    return construct_unchecked(Solution, **_solution_fields(z, w, residuals, "lemke", status - 1, 0))


def _solve_qp(problem: QP, tolerance: float) -> QPSolution | None:
    """Solve a quadratic program; its rows may be redundant.

    Few inequalities are solved as an LCP by Lemke's method. Many are solved by block pivoting, each with a
    system of the size of x, which is banded if the rows couple only neighbors, such as the contacts of a
    wall.
    """
    Q, c, A, b = problem.Q, problem.c, problem.A, problem.b
    if sparse.issparse(Q) or sparse.issparse(A):
        name, Q, A = "solve_sparse_qp", sparse.csc_array(Q), sparse.csc_array(A)
        integers = np.concatenate(
            [Q.indptr, Q.indices, A.indptr, A.indices], dtype=np.uint64, casting="unsafe"
        )
        entries = Q.data, A.data
    else:
        name, integers = "solve_dense_qp", np.zeros(2, dtype=np.uint64)
        entries = Q.ravel(), A.ravel()
    x, z, w, residuals = np.empty_like(c), np.zeros_like(b), np.empty_like(b), np.empty(NUM_RESIDUALS)
    residuals[RELATIVE] = tolerance
    function = compiled_function(name)
    if not len(b) or function(integers, entries[0], c, entries[1], b, x, z, w, residuals):
        return None
    pivots, factorizations = integers[:2].tolist()
    method = "block_principal_pivoting" if factorizations else "lemke"
    return construct_unchecked(
        QPSolution,
        x=x,
        multipliers=_NO_MULTIPLIERS,
        **_solution_fields(z, w, residuals, method, pivots, factorizations),
    )


def _solution_fields(
    z: Array, w: Array, residual_values: Array, method: str, pivots: int, factorizations: int
) -> dict[str, Any]:
    """Return the fields of a solution."""
    statistics = construct_unchecked(
        Statistics,
        pivots=pivots,
        factorizations=factorizations,
        sweeps=0,
        iterations=0,
        solves=0,
        solves_avoided=0,
        solver_time=0.0,
        interface_time=0.0,
    )
    residuals = construct_unchecked(
        Residuals, **dict(zip(_RESIDUAL_NAMES, residual_values.tolist(), strict=True))
    )
    return {
        "status": Status.SOLVED,
        "z": z,
        "w": w,
        "residuals": residuals,
        "method": method,
        "statistics": statistics,
        "certificate": None,
    }
