"""Checks of dense and sparse matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from rbnotes.arguments.numbers import MAX_ABS_VALUE, all_true, array, format_shape
from rbnotes.arguments.types_and_errors import Array, InvalidArgument


def symmetric(name: str, value: ArrayLike, size: int | None = 3) -> Array:
    """Return matrices ``(..., size, size)`` that are symmetric to rounding, made exactly symmetric.

    Raises InvalidArgument for anything else.
    """
    result = array(name, value, size, size)
    if result.shape[-1] != result.shape[-2]:
        raise InvalidArgument(name, f"shape {result.shape}", "square matrices (..., n, n)")
    transposed = result.mT
    asymmetry = np.max(np.abs(result - transposed), axis=(-1, -2), initial=0.0)
    is_symmetric = asymmetry <= 1e-10 * np.max(np.abs(result), axis=(-1, -2), initial=0.0)
    if not all_true(is_symmetric):
        got = f"a matrix with max |A - A^T| = {np.max(asymmetry):.3g}"
        raise InvalidArgument(_first_invalid(name, is_symmetric), got, "a symmetric matrix")
    return (result + transposed) / 2


def positive_definite(name: str, value: ArrayLike, size: int | None = 3) -> Array:
    """Return symmetric positive definite matrices ``(..., size, size)``, not singular to rounding.

    Raises InvalidArgument for anything else.
    """
    result = symmetric(name, value, size)
    eigenvalues = np.linalg.eigvalsh(result)
    rounding = np.finfo(float).eps * np.max(np.abs(eigenvalues), axis=-1, initial=0.0, keepdims=True)
    is_positive = np.all(eigenvalues > np.maximum(result.shape[-1] * rounding, 1 / MAX_ABS_VALUE), axis=-1)
    if not all_true(is_positive):
        got = f"smallest eigenvalue {np.min(eigenvalues):.3g}"
        raise InvalidArgument(_first_invalid(name, is_positive), got, "a positive definite matrix")
    return result


def _first_invalid(name: str, is_valid: NDArray[np.bool_]) -> str:
    """Return the name of the first invalid matrix of a stack, such as ``bodies[2]``."""
    if not is_valid.ndim:
        return name
    index = np.argwhere(~is_valid)[0]
    return f"{name}[{', '.join(map(str, index))}]"


def matrix(name: str, value: Any, rows: int | None = None, columns: int | None = None) -> Any:
    """Return a finite real matrix ``(rows, columns)``, dense or, if it is sparse, a ``csc_array``.

    Raises InvalidArgument for anything else.
    """
    if not sparse.issparse(value):
        result = array(name, value, rows, columns)
        if result.ndim != 2:
            raise InvalidArgument(name, f"shape {result.shape}", "one matrix (two axes)")
        return result
    # A copy in canonical form: solvers sort indices in place, which must not reach the caller's matrix.
    result = sparse.csc_array(value, copy=True)
    result.sum_duplicates()
    if rows not in (None, result.shape[0]) or columns not in (None, result.shape[1]):
        raise InvalidArgument(name, f"shape {result.shape}", f"shape ({format_shape((rows, columns))})")
    result.data = array(name, result.data, None)
    return result


def matrix_without_copy(name: str, value: Any, rows: int, columns: int) -> Any:
    """Return a matrix like :func:`matrix`, without a copy, for results of functions.

    Raises InvalidArgument for anything else.
    """
    numbers = value.data if sparse.issparse(value) else value
    floats = isinstance(numbers, np.ndarray) and numbers.dtype == np.float64
    if floats and value.shape == (rows, columns) and all_true(np.abs(numbers) < MAX_ABS_VALUE):
        return value
    return matrix(name, value, rows, columns)
