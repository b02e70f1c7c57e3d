"""Checks of arguments: each returns the checked float64 array or raises an error that names it.

Every public function of the package passes its inputs through here, so a wrong shape, a NaN or a
matrix that is no rotation is reported where it enters, in the caller's own words.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

Array = NDArray[np.floating[Any]]

ROTATION_TOLERANCE = 1e-8
"""Largest accepted entry of |R^T R - I|: rounding after thousands of products, not a wrong matrix."""

UNIT_TOLERANCE = 1e-8
"""Largest accepted deviation of a unit vector's or unit quaternion's length from 1."""


class InvalidArgument(ValueError):
    """An argument is not what the function needs; the message says what it got and what was expected."""

    def __init__(self, name: str, got: str, expected: str) -> None:
        super().__init__(f"{name}: got {got}, expected {expected}")
        self.name, self.got, self.expected = name, got, expected


class SingularConfiguration(InvalidArgument):
    """The argument lies on (or too near to) a singularity of the formula."""


def array(name: str, value: ArrayLike, *shape: int | None) -> Array:
    """Finite float64 array whose trailing axes are ``shape`` (``None`` accepts any length)."""
    try:
        result = np.asarray(value)
        if result.dtype.kind not in "biuf":  # NumPy would read text as numbers, and None as NaN
            raise TypeError
        result = result.astype(np.float64)
    except (TypeError, ValueError) as error:
        got = f"{type(value).__name__} {value!r:.60}"
        raise InvalidArgument(name, got, "an array of real numbers") from error
    trailing = result.shape[result.ndim - len(shape) :] if result.ndim >= len(shape) else ()
    matches = len(trailing) == len(shape) and all(
        want in (None, have) for want, have in zip(shape, trailing, strict=True)
    )
    if not matches:
        wanted = ", ".join("n" if size is None else str(size) for size in shape)
        raise InvalidArgument(name, f"shape {result.shape}", f"shape (..., {wanted})")
    if not np.all(np.isfinite(result)):
        raise InvalidArgument(name, "NaN or infinite entries", "finite numbers")
    return result


def common_shape(**shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Shape that the leading axes of several arguments, given by name, broadcast to."""
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError as error:
        got = "leading axes " + ", ".join(map(str, shapes.values()))
        raise InvalidArgument(", ".join(shapes), got, "axes that broadcast") from error


def vector(name: str, value: ArrayLike, size: int | None = 3) -> Array:
    """Finite vectors ``(..., size)``."""
    return array(name, value, size)


def twist(name: str, value: ArrayLike) -> Array:
    """Finite six-vectors ``(..., 6)``, angular part first (a twist or a wrench)."""
    return array(name, value, 6)


def scalar(name: str, value: ArrayLike, *, minimum: float = -np.inf, maximum: float = np.inf) -> Array:
    """Finite numbers, an array of any shape, within ``[minimum, maximum]``."""
    result = array(name, value)
    if np.any(result < minimum) or np.any(result > maximum):
        worst = result[(result < minimum) | (result > maximum)].flat[0]
        raise InvalidArgument(name, f"{worst:g}", f"numbers in [{minimum:g}, {maximum:g}]")
    return result


def positive(name: str, value: ArrayLike) -> Array:
    """Finite numbers greater than zero, an array of any shape."""
    result = array(name, value)
    if np.any(result <= 0):
        raise InvalidArgument(name, f"{result[result <= 0].flat[0]:g}", "numbers greater than 0")
    return result


def unit_vector(name: str, value: ArrayLike, size: int = 3) -> Array:
    """Vectors ``(..., size)`` of length 1 within ``UNIT_TOLERANCE``."""
    result = vector(name, value, size)
    with np.errstate(over="ignore"):
        error = np.max(np.abs(np.linalg.norm(result, axis=-1) - 1), initial=0.0)
    if error > UNIT_TOLERANCE:
        raise InvalidArgument(name, f"a length that differs from 1 by {error:.3g}", "unit length")
    return result


def unit_quaternion(name: str, value: ArrayLike) -> Array:
    """Quaternions ``(..., 4)``, scalar first, of length 1 within ``UNIT_TOLERANCE``."""
    return unit_vector(name, value, 4)


def rotation(name: str, value: ArrayLike) -> Array:
    """Rotation matrices ``(..., 3, 3)``: orthonormal within ``ROTATION_TOLERANCE``, determinant +1."""
    result = array(name, value, 3, 3)
    with np.errstate(over="ignore", invalid="ignore"):
        defect = np.max(np.abs(np.swapaxes(result, -1, -2) @ result - np.eye(3)), initial=0.0)
    if not defect <= ROTATION_TOLERANCE:  # NaN where huge entries overflow
        raise InvalidArgument(name, f"a matrix with max |R^T R - I| = {defect:.3g}", "a rotation matrix")
    if np.any(np.linalg.det(result) < 0):
        raise InvalidArgument(name, "a reflection (determinant -1)", "a rotation matrix (determinant +1)")
    return result


def frame(name: str, value: ArrayLike) -> Array:
    """Poses ``(..., 4, 4)``: a rotation, a translation and the last row (0, 0, 0, 1)."""
    result = array(name, value, 4, 4)
    defect = np.max(np.abs(result[..., 3, :] - np.array([0.0, 0.0, 0.0, 1.0])), initial=0.0)
    if defect > ROTATION_TOLERANCE:
        raise InvalidArgument(name, f"a last row {defect:.3g} off (0, 0, 0, 1)", "a rigid transformation")
    rotation(name, result[..., :3, :3])
    return result


def symmetric(name: str, value: ArrayLike, size: int | None = 3) -> Array:
    """Symmetric matrices ``(..., size, size)``, to rounding; returned exactly symmetric."""
    result = array(name, value, size, size)
    if result.shape[-1] != result.shape[-2]:
        raise InvalidArgument(name, f"shape {result.shape}", "square matrices (..., n, n)")
    transposed = np.swapaxes(result, -1, -2)
    asymmetry = np.max(np.abs(result - transposed), axis=(-1, -2), initial=0.0)
    allowed = 1e-10 * np.max(np.abs(result), axis=(-1, -2), initial=0.0)
    if np.any(asymmetry > allowed):
        got = f"a matrix with max |A - A^T| = {np.max(asymmetry):.3g}"
        raise InvalidArgument(name, got, "a symmetric matrix")
    return (result + transposed) / 2


def positive_definite(name: str, value: ArrayLike, size: int | None = 3) -> Array:
    """Symmetric positive definite matrices ``(..., size, size)``, not singular to rounding."""
    result = symmetric(name, value, size)
    eigenvalues = np.linalg.eigvalsh(result)
    rounding = np.finfo(float).eps * np.max(np.abs(eigenvalues), axis=-1, initial=0.0, keepdims=True)
    if np.any(eigenvalues <= result.shape[-1] * rounding):
        got = f"smallest eigenvalue {np.min(eigenvalues):.3g}"
        raise InvalidArgument(name, got, "a positive definite matrix")
    return result


def matrix(name: str, value: Any, rows: int | None = None, columns: int | None = None) -> Any:
    """Finite real matrix ``(rows, columns)``, dense or scipy.sparse; the latter becomes a ``csc_array``."""
    if not sparse.issparse(value):
        result = array(name, value, rows, columns)
        if result.ndim != 2:
            raise InvalidArgument(name, f"shape {result.shape}", "one matrix (two axes)")
        return result
    # A copy: sorting indices, which solvers do in place, must not reach the caller's matrix.
    result = sparse.csc_array(value, copy=True)
    if rows not in (None, result.shape[0]) or columns not in (None, result.shape[1]):
        wanted = ", ".join("n" if size is None else str(size) for size in (rows, columns))
        raise InvalidArgument(name, f"shape {result.shape}", f"shape ({wanted})")
    result.data = array(name, result.data, None)
    return result


def choice(name: str, value: Any, options: tuple[str, ...]) -> str:
    """One of the named options."""
    if not isinstance(value, str) or value not in options:
        raise InvalidArgument(name, repr(value), "one of " + ", ".join(map(repr, options)))
    return value
