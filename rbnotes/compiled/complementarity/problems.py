"""LCPs and quadratic programs, solved by compiled code for programs that solve many of them."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.compiled.compilation import compiled_function, failure_code
from rbnotes.compiled.record_layout import NUM_RESIDUALS, RELATIVE
from rbnotes.complementarity import LCP, QP, QPSolution, Residuals, Solution, Statistics, Status
from rbnotes.complementarity import solve_lcp as reference
from rbnotes.unchecked.frozen import construct_unchecked

DEFAULT_TOLERANCE = 1e-10
"""Default of the accepted relative residual."""

_EMPTY_INTEGERS = np.zeros(0, dtype=np.uint64)
_NO_MULTIPLIERS: Array = np.zeros(0)
_RESIDUAL_NAMES = tuple(field.name for field in fields(Residuals))


def solve_lcp(M: ArrayLike, q: ArrayLike, *, tolerance: float = DEFAULT_TOLERANCE) -> Solution:
    """Solve an LCP by Lemke's method, as :func:`rbnotes.complementarity.solve_lcp` does.

    Intended for up to about a hundred pairs; M need not be symmetric, as for contacts with polyhedral
    friction cones. If this fails or is not accurate enough, the reference solves the problem.

    Parameters
    ----------
    M : (n, n)
        Matrix of the problem, dense, in the units of w per z: 1/kg for contacts.
    q : (n,)
        Values of w at z = 0, in the unit of w: m/s for contacts.
    tolerance
        Accepted relative residual, dimensionless.

    Returns
    -------
    Solution
        With z, w and their residuals.

    Raises
    ------
    InvalidArgument
        If a shape does not fit or ``tolerance`` is not positive.
    NotSolved
        If there is no solution, or none was found.
    MissingExtra
        If numba is not installed.
    """
    if tolerance is not DEFAULT_TOLERANCE:
        tolerance = arguments.positive_number("tolerance", tolerance)
    if _is_float_array(q, 1) and _is_float_array(M, 2) and len(q) and M.shape == 2 * q.shape:
        n = len(q)
        z, w, residuals = np.empty(n), np.empty(n), np.empty(NUM_RESIDUALS)
        residuals[RELATIVE] = tolerance
        status = compiled_function("solve_lcp")(_EMPTY_INTEGERS, M.ravel(), q, z, w, residuals)
        if status != failure_code():
            return construct_unchecked(Solution, **_solution_fields(z, w, residuals, "lemke", status - 1, 0))
    return reference(LCP(M, q), "lemke", tolerance=tolerance)


def solve_qp(
    Q: Any, c: ArrayLike, A: Any, b: ArrayLike, *, tolerance: float = DEFAULT_TOLERANCE
) -> QPSolution:
    """Solve a quadratic program without equations, as :func:`rbnotes.complementarity.solve_lcp` does.

    Few inequalities are solved as an LCP by Lemke's method. Many are solved by block pivoting, each with a
    system of the size of x, which is banded if the rows couple only neighbors, such as the contacts of a
    wall. Contacts may be redundant. If this fails or is slow, the reference solves the problem.

    Parameters
    ----------
    Q : (d, d)
        Second derivatives of the objective, positive definite: kg, kg m and kg m^2 in a step. Dense if A is
        dense, scipy.sparse if A is sparse; a ``csc_array`` is not copied.
    c : (d,)
        Gradient of the objective at x = 0: N s and N m s in a step.
    A : (m, d)
        Rows of the inequalities, in the units of b per x.
    b : (m,)
        Lower bounds of ``A x``: m/s for contacts.
    tolerance
        Accepted relative residual, dimensionless.

    Returns
    -------
    QPSolution
        With x, z, w and their residuals.

    Raises
    ------
    InvalidArgument
        If ``Q`` is not symmetric, a shape does not fit or ``tolerance`` is not positive.
    NotSolved
        If there is no solution, or none was found.
    MissingExtra
        If numba is not installed.
    """
    if tolerance is not DEFAULT_TOLERANCE:
        tolerance = arguments.positive_number("tolerance", tolerance)
    found = _solve_compiled(Q, c, A, b, tolerance)
    return reference(QP(Q, c, A, b), tolerance=tolerance) if found is None else found


def _solve_compiled(Q: Any, c: Any, A: Any, b: Any, tolerance: float) -> QPSolution | None:
    """Return the solution by compiled code, or None if there is none or an argument has another type."""
    if not (_is_float_array(c, 1) and _is_float_array(b, 1)) or not len(b):
        return None
    d, m = len(c), len(b)
    if getattr(Q, "shape", None) != (d, d) or getattr(A, "shape", None) != (m, d):
        return None
    if _is_float_array(Q, 2) and _is_float_array(A, 2):
        name, integers = "solve_dense_qp", np.zeros(2, dtype=np.uint64)
        numbers = Q.ravel(), A.ravel()
    elif _is_csc_matrix(Q) and _is_csc_matrix(A):
        name, numbers = "solve_sparse_qp", (Q.data, A.data)
        integers = np.concatenate(
            [Q.indptr, Q.indices, A.indptr, A.indices], dtype=np.uint64, casting="unsafe"
        )
    else:
        return None
    x, z, w, residuals = np.empty(d), np.zeros(m), np.empty(m), np.empty(NUM_RESIDUALS)
    residuals[RELATIVE] = tolerance
    if compiled_function(name)(integers, numbers[0], c, numbers[1], b, x, z, w, residuals):
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


def _is_float_array(value: Any, axes: int) -> TypeGuard[Array]:
    """Return True if `value` is a float array with this number of axes; vectors must be contiguous."""
    meant = type(value) is np.ndarray and value.ndim == axes and value.dtype == np.float64
    return meant and (axes == 2 or value.flags.c_contiguous)


def _is_csc_matrix(value: Any) -> bool:
    """Return True if `value` is a sparse float matrix in canonical CSC format."""
    return (
        sparse.issparse(value)
        and value.format == "csc"
        and _is_float_array(value.data, 1)
        and value.has_canonical_format
    )
