"""Checks of arguments: each returns the checked float64 array or raises an error that names it.

Every public function of the package passes its inputs through here, once, so a wrong shape, a NaN or a
matrix that is no rotation is reported where it enters, in the caller's own words. Then it calls formulas
that check nothing, such as those of ``rbnotes/_se3.py``.

What comes back is always a new array: nothing done with it reaches the caller's own.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

Array = NDArray[np.floating[Any]]

ROTATION_TOLERANCE = 1e-8
"""Largest accepted entry of |R^T R - I|: rounding after thousands of products, not a wrong matrix."""

UNIT_TOLERANCE = 1e-8
"""Largest accepted deviation of a unit vector's or unit quaternion's length from 1."""

FULL_TURN_WITHIN = 1e-8
"""Angles this near to a multiple of 2 pi are full turns."""

LARGEST = 1e100
"""Numbers must be smaller, and positive ones larger than its inverse: products and cubes of larger ones
overflow, and infinities make NaNs."""

_LAST_ROW = [0.0, 0.0, 0.0, 1.0]


class InvalidArgument(ValueError):
    """An argument is not what the function needs; the message says what it got and what was expected."""

    def __init__(self, name: str, got: str, expected: str) -> None:
        super().__init__(f"{name}: got {got}, expected {expected}")
        self.name, self.got, self.expected = name, got, expected


class SingularConfiguration(InvalidArgument):
    """The argument lies on (or too near to) a singularity of the formula."""


def array(name: str, value: ArrayLike, *shape: int | None) -> Array:
    """Finite float64 array whose trailing axes are ``shape`` (``None`` accepts any length).

    Numbers beyond ``LARGEST`` count as infinite.
    """
    result = _real_numbers(name, value)
    if result.shape[-len(shape) :] != shape and not _fits(result.shape, shape):
        raise InvalidArgument(name, f"shape {result.shape}", f"shape (..., {_names(shape)})")
    if not _every(np.abs(result) < LARGEST):
        _refuse_size(name, result)
    return result


def bound(name: str, value: ArrayLike) -> Array:
    """Real numbers, an array of any shape, that may be infinite where nothing bounds."""
    result = _real_numbers(name, value)
    array(name, np.where(np.isinf(result), 0.0, result))
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


def one_vector(name: str, value: ArrayLike, size: int | None = 3) -> Array:
    """One finite vector ``(size,)``, where neither rows ``(1, size)`` nor columns will do."""
    result = array(name, value, size)
    if result.ndim != 1:
        raise InvalidArgument(name, f"shape {result.shape}", f"one vector of shape ({_names((size,))},)")
    return result


def twist(name: str, value: ArrayLike) -> Array:
    """Finite six-vectors ``(..., 6)``, angular part first (a twist or a wrench)."""
    return array(name, value, 6)


def rotation_vector(name: str, value: ArrayLike, *, full_turns: bool = True) -> Array:
    """Rotation vectors ``(..., 3)``, axis times angle, whose squares do not overflow.

    Raises
    ------
    SingularConfiguration
        Where ``full_turns`` are not accepted, if the angle is a positive multiple of 2 pi.
    """
    w = array(name, value, 3)
    _check_angle(name, w, full_turns)
    return w


def twist_vector(name: str, value: ArrayLike, *, full_turns: bool = True) -> Array:
    """Twists ``(..., 6)`` that go into an exponential: the angular part is a :func:`rotation_vector`."""
    xi = array(name, value, 6)
    _check_angle(name, xi[..., :3], full_turns)
    return xi


def exactly(name: str, result: Array, axes: int) -> Array:
    """The checked array, if it has this number of axes: where what broadcasts elsewhere will not do."""
    if result.ndim != axes:
        raise InvalidArgument(name, f"shape {result.shape}", f"{axes} axes")
    return result


def scalar(name: str, value: ArrayLike, *, minimum: float = -np.inf, maximum: float = np.inf) -> Array:
    """Finite numbers, an array of any shape, within ``[minimum, maximum]``."""
    result = array(name, value)
    inside = (result >= minimum) & (result <= maximum)
    if not _every(inside):
        raise InvalidArgument(name, f"{result[~inside].flat[0]:g}", f"numbers in [{minimum:g}, {maximum:g}]")
    return result


def positive(name: str, value: ArrayLike, *shape: int | None) -> Array:
    """Finite numbers greater than zero; an array of any shape, or whose trailing axes are ``shape``."""
    result = array(name, value, *shape)
    if not _every(result > 1 / LARGEST):
        small = result[result <= 1 / LARGEST].flat[0]
        limit = "0" if small <= 0 else f"{1 / LARGEST:g}"
        raise InvalidArgument(name, f"{small:g}", f"numbers greater than {limit}")
    return result


def number(name: str, value: Any) -> float:
    """One finite number greater than zero, such as a tolerance or a step size."""
    result = positive(name, value)
    if result.ndim:
        raise InvalidArgument(name, f"shape {result.shape}", "one number")
    return float(result)


def real(name: str, value: Any, minimum: float = -np.inf, maximum: float = np.inf) -> float:
    """One finite number within ``[minimum, maximum]``, such as a time or a rate."""
    result = scalar(name, value, minimum=minimum, maximum=maximum)
    if result.ndim:
        raise InvalidArgument(name, f"shape {result.shape}", "one number")
    return float(result)


def count(name: str, value: Any, minimum: int = 0) -> int:
    """A whole number of at least ``minimum``."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < minimum:
        raise InvalidArgument(name, repr(value), f"a whole number of at least {minimum}")
    return int(value)


def unit_vector(name: str, value: ArrayLike, size: int = 3) -> Array:
    """Vectors ``(..., size)`` of length 1 within ``UNIT_TOLERANCE``."""
    result = array(name, value, size)
    # einsum, unlike norm, does not warn where squares overflow
    error = np.abs(np.sqrt(np.einsum("...i,...i->...", result, result)) - 1)
    if not _every(error <= UNIT_TOLERANCE):
        got = f"a length that differs from 1 by {np.max(error):.3g}"
        raise InvalidArgument(name, got, "unit length" + _in_double_precision(value))
    return result


def unit_quaternion(name: str, value: ArrayLike) -> Array:
    """Quaternions ``(..., 4)``, scalar first, of length 1 within ``UNIT_TOLERANCE``."""
    return unit_vector(name, value, 4)


def rotation(name: str, value: ArrayLike) -> Array:
    """Rotation matrices ``(..., 3, 3)``: orthonormal within ``ROTATION_TOLERANCE``, determinant +1."""
    R = array(name, value, 3, 3)
    if not (R.ndim == 2 and _is_rotation(*R.tolist())):
        _check_rotations(name, R, value)
    return R


def frame(name: str, value: ArrayLike) -> Array:
    """Poses ``(..., 4, 4)``: a rotation, a translation and the last row (0, 0, 0, 1)."""
    E = array(name, value, 4, 4)
    if E.ndim == 2:
        *rows, last = E.tolist()
        if last == _LAST_ROW and _is_rotation(*rows):
            return E
    error = np.abs(E[..., 3, :] - _LAST_ROW)
    if not _every(error <= ROTATION_TOLERANCE):
        got = f"a last row {np.max(error):.3g} off (0, 0, 0, 1)"
        raise InvalidArgument(name, got, "a rigid transformation")
    _check_rotations(name, E[..., :3, :3], value)
    return E


def skew_symmetric(name: str, value: ArrayLike) -> Array:
    """Cross-product matrices ``(..., 3, 3)``, skew-symmetric to rounding."""
    W = array(name, value, 3, 3)
    _check_skew_symmetric(name, W)
    return W


def twist_matrix(name: str, value: ArrayLike) -> Array:
    """Matrices ``(..., 4, 4)`` of twists: a cross-product matrix, a velocity and a last row of zeros."""
    X = array(name, value, 4, 4)
    if not _every(np.abs(X[..., 3, :]) <= 1e-10 * _size(X)[..., None]):
        raise InvalidArgument(name, "a last row other than zero", "the matrix of a twist")
    _check_skew_symmetric(name, X[..., :3, :3])
    return X


def symmetric(name: str, value: ArrayLike, size: int | None = 3) -> Array:
    """Symmetric matrices ``(..., size, size)``, to rounding; returned exactly symmetric."""
    result = array(name, value, size, size)
    if result.shape[-1] != result.shape[-2]:
        raise InvalidArgument(name, f"shape {result.shape}", "square matrices (..., n, n)")
    transposed = np.swapaxes(result, -1, -2)
    asymmetry = np.max(np.abs(result - transposed), axis=(-1, -2), initial=0.0)
    if not _every(asymmetry <= 1e-10 * np.max(np.abs(result), axis=(-1, -2), initial=0.0)):
        got = f"a matrix with max |A - A^T| = {np.max(asymmetry):.3g}"
        raise InvalidArgument(name, got, "a symmetric matrix")
    return (result + transposed) / 2


def positive_definite(name: str, value: ArrayLike, size: int | None = 3) -> Array:
    """Symmetric positive definite matrices ``(..., size, size)``, not singular to rounding."""
    result = symmetric(name, value, size)
    eigenvalues = np.linalg.eigvalsh(result)
    rounding = np.finfo(float).eps * np.max(np.abs(eigenvalues), axis=-1, initial=0.0, keepdims=True)
    if not _every(eigenvalues > np.maximum(result.shape[-1] * rounding, 1 / LARGEST)):
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
    # A copy in canonical form: solvers sort indices in place, which must not reach the caller's matrix.
    result = sparse.csc_array(value, copy=True)
    result.sum_duplicates()
    if rows not in (None, result.shape[0]) or columns not in (None, result.shape[1]):
        raise InvalidArgument(name, f"shape {result.shape}", f"shape ({_names((rows, columns))})")
    result.data = array(name, result.data, None)
    return result


def indices(name: str, value: ArrayLike, minimum: int = 0, below: int | None = None) -> NDArray[np.intp]:
    """Whole numbers, an array of any shape, of at least ``minimum`` and less than ``below``."""
    try:
        given = np.asarray(value)
    except ValueError:
        given = np.zeros((), object)
    if (given.size and given.dtype.kind not in "iu") or isinstance(value, np.ma.MaskedArray):
        raise InvalidArgument(name, f"{type(value).__name__} {value!r:.60}", "whole numbers")
    if np.any(given < minimum) or (below is not None and np.any(given >= below)):
        limits = f"of at least {minimum}" + ("" if below is None else f" and less than {below}")
        outside = (given < minimum) | (given >= (np.inf if below is None else below))
        raise InvalidArgument(name, f"{given[outside].flat[0]}", f"whole numbers {limits}")
    return given.astype(np.intp)


def truths(name: str, value: ArrayLike, size: int) -> NDArray[np.bool_]:
    """Truth values ``(size,)``; no numbers in their place."""
    try:
        given = np.asarray(value)
    except ValueError:
        given = np.zeros((), object)
    if given.dtype != np.bool_ or given.shape != (size,) or isinstance(value, np.ma.MaskedArray):
        raise InvalidArgument(name, f"{given.dtype} of shape {given.shape}", f"booleans of shape ({size},)")
    return given


def finite_matrix(name: str, value: Any, rows: int, columns: int) -> Any:
    """As :func:`matrix`, for what a function returned: as it is, since it is nobody else's."""
    numbers = value.data if sparse.issparse(value) else value
    shape = np.shape(value)
    floats = isinstance(numbers, np.ndarray) and numbers.dtype == np.float64
    if floats and shape == (rows, columns) and _every(np.abs(numbers) < LARGEST):
        return value
    return matrix(name, value, rows, columns)


def choice(name: str, value: Any, options: tuple[str, ...]) -> str:
    """One of the named options."""
    if not isinstance(value, str) or value not in options:
        raise InvalidArgument(name, repr(value), "one of " + ", ".join(map(repr, options)))
    return value


def instance(name: str, value: Any, *kinds: type) -> None:
    """Refuses what is not of one of these classes."""
    if not isinstance(value, kinds):
        expected = " or ".join(kind.__name__ for kind in kinds)
        raise InvalidArgument(name, _described(value), expected)


def instances(name: str, values: Any, *kinds: type) -> tuple[Any, ...]:
    """The values as a tuple, each of one of these classes."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        expected = " or ".join(kind.__name__ for kind in kinds)
        raise InvalidArgument(name, _described(values), f"a sequence, each {expected}")
    result = tuple(values)
    for number, value in enumerate(result):
        if not isinstance(value, kinds):
            instance(f"{name}[{number}]", value, *kinds)
    return result


def provides(name: str, value: Any, *methods: str) -> None:
    """Refuses what has not all of these methods: any object with them will do, but no class or array."""
    missing = [method for method in methods if not callable(getattr(value, method, None))]
    if isinstance(value, type | ModuleType | np.ndarray) or missing:
        raise InvalidArgument(name, _described(value), "an object with " + ", ".join(missing or methods))


def function(name: str, value: Any) -> None:
    """Refuses what cannot be called."""
    if not callable(value) or isinstance(value, type):
        raise InvalidArgument(name, _described(value), "a function")


def _described(value: Any) -> str:
    if isinstance(value, type):
        return f"the class {value.__name__}"
    return type(value).__name__


def text(name: str, value: Any) -> str:
    """Text that is not empty, such as a name."""
    if not isinstance(value, str) or not value:
        raise InvalidArgument(name, f"{type(value).__name__} {value!r:.60}", "text")
    return value


def _real_numbers(name: str, value: ArrayLike) -> Array:
    """A new float64 array. Text, objects, truth values, complex and masked numbers are refused."""
    try:
        given = np.asarray(value)
        # NumPy would read text as numbers, None as NaN, and forget imaginary parts and masks.
        if given.dtype.kind not in "iuf" or isinstance(value, np.ma.MaskedArray):
            raise TypeError
        if isinstance(value, list | tuple) and any(isinstance(row, np.ma.MaskedArray) for row in value):
            raise TypeError
        return given.astype(np.float64)
    except (TypeError, ValueError) as error:
        got = f"{type(value).__name__} {value!r:.60}"
        raise InvalidArgument(name, got, "an array of real numbers") from error


def _refuse_size(name: str, result: Array) -> NoReturn:
    if not _every(np.isfinite(result)):
        raise InvalidArgument(name, "NaN or infinite entries", "finite numbers")
    got = f"an entry of {result.flat[np.argmax(np.abs(result))]:.3g}"
    raise InvalidArgument(name, got, f"numbers smaller than {LARGEST:g}")


def _every(condition: NDArray[np.bool_]) -> bool:
    """Several times as quick as ``np.all`` on few numbers."""
    return bool(np.count_nonzero(condition) == condition.size)


def _fits(shape: tuple[int, ...], trailing: tuple[int | None, ...]) -> bool:
    if len(shape) < len(trailing):
        return False
    lengths = shape[len(shape) - len(trailing) :]
    return all(size in (None, length) for length, size in zip(lengths, trailing, strict=True))


def _names(shape: tuple[int | None, ...]) -> str:
    return ", ".join("n" if size is None else str(size) for size in shape)


def _size(A: Array) -> Array:
    """Largest entry of each matrix, at least 1."""
    size: Array = np.max(np.abs(A), axis=(-1, -2), initial=1.0)
    return size


def _in_double_precision(value: ArrayLike) -> str:
    """What to add to an expectation that numbers of single precision miss by their rounding."""
    dtype = np.asarray(value).dtype
    return f" in float64, not rounded to {dtype}" if dtype in (np.float16, np.float32) else ""


def _check_angle(name: str, w: Array, full_turns: bool) -> None:
    if full_turns:
        return
    turns = np.linalg.norm(w, axis=-1) / (2 * np.pi)
    distance = np.abs(turns - np.round(turns)) * 2 * np.pi
    if np.any((np.round(turns) > 0) & (distance < FULL_TURN_WITHIN)):
        got = f"an angle within {FULL_TURN_WITHIN:g} of a multiple of 2 pi"
        raise SingularConfiguration(name, got, "an angle away from it")


def _is_rotation(row1: list[float], row2: list[float], row3: list[float]) -> bool:
    """Several times as quick for one matrix as NumPy. Rows may go on; what is refused is looked at again."""
    (a, b, c, *_), (d, e, f, *_), (g, h, i, *_) = row1, row2, row3
    return (
        abs(a * a + d * d + g * g - 1) <= ROTATION_TOLERANCE
        and abs(b * b + e * e + h * h - 1) <= ROTATION_TOLERANCE
        and abs(c * c + f * f + i * i - 1) <= ROTATION_TOLERANCE
        and abs(a * b + d * e + g * h) <= ROTATION_TOLERANCE
        and abs(a * c + d * f + g * i) <= ROTATION_TOLERANCE
        and abs(b * c + e * f + h * i) <= ROTATION_TOLERANCE
        and a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g) > 0
    )


def _check_rotations(name: str, R: Array, given: ArrayLike) -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        error = np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3))
    if not _every(error <= ROTATION_TOLERANCE):  # NaN, where huge entries overflow, is not
        got = f"a matrix with max |R^T R - I| = {np.max(error):.3g}"
        raise InvalidArgument(name, got, "a rotation matrix" + _in_double_precision(given))
    if not _every(np.linalg.det(R) > 0):
        raise InvalidArgument(name, "a reflection (determinant -1)", "a rotation matrix (determinant +1)")


def _check_skew_symmetric(name: str, W: Array) -> None:
    defect = np.max(np.abs(W + np.swapaxes(W, -1, -2)), axis=(-1, -2), initial=0.0)
    if not _every(defect <= 1e-10 * _size(W)):
        got = f"a matrix with max |W + W^T| = {np.max(defect):.3g}"
        raise InvalidArgument(name, got, "a skew-symmetric matrix")
