"""Checks of numbers and arrays: shapes, sizes and bounds."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbnotes.arguments.types_and_errors import Array, InvalidArgument, format_value

MAX_ABS_VALUE = 1e100
"""Upper bound of numbers; its inverse is the lower bound of positive ones.

Products and cubes of larger numbers overflow, and infinities make NaNs.
"""

_PYTHON_TYPES = {"iuf": frozenset({int, float}), "iu": frozenset({int}), "b": frozenset({bool})}
"""Python's own types by NumPy's kinds of data types."""


def array(name: str, value: ArrayLike, *shape: int | None) -> Array:
    """Return a finite float64 array whose trailing axes are ``shape`` (``None`` accepts any length).

    Numbers beyond ``MAX_ABS_VALUE`` count as infinite.

    Raises InvalidArgument for anything else.
    """
    result = _real_numbers(name, value)
    if result.shape[-len(shape) :] != shape and not _shape_matches(result.shape, shape):
        raise InvalidArgument(name, f"shape {result.shape}", f"shape (..., {format_shape(shape)})")
    if not all_true(np.abs(result) < MAX_ABS_VALUE):
        _raise_out_of_range(name, result)
    return result


def extended_real_array(name: str, value: ArrayLike) -> Array:
    """Return an array of real numbers of any shape, infinite ones included.

    Raises InvalidArgument for anything else.
    """
    result = _real_numbers(name, value)
    array(name, np.where(np.isinf(result), 0.0, result))
    return result


def common_shape(**shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the common shape to which the leading axes of several named arguments broadcast.

    Raises
    ------
    InvalidArgument
        If they do not broadcast.
    """
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError as error:
        got = "leading axes " + ", ".join(map(str, shapes.values()))
        raise InvalidArgument(", ".join(shapes), got, "axes that broadcast") from error


def vector(name: str, value: ArrayLike, size: int | None = 3) -> Array:
    """Return finite vectors ``(..., size)``.

    Raises InvalidArgument for anything else.
    """
    return array(name, value, size)


def single_vector(name: str, value: ArrayLike, size: int | None = 3) -> Array:
    """Return one finite vector ``(size,)``; rows ``(1, size)`` and columns are rejected.

    Raises InvalidArgument for anything else.
    """
    result = array(name, value, size)
    if result.ndim != 1:
        raise InvalidArgument(
            name, f"shape {result.shape}", f"one vector of shape ({format_shape((size,))},)"
        )
    return result


def with_ndim(name: str, result: Array, ndim: int) -> Array:
    """Return a checked array if it has ``ndim`` axes.

    Raises InvalidArgument for anything else.
    """
    if result.ndim != ndim:
        raise InvalidArgument(name, f"shape {result.shape}", f"{ndim} axes")
    return result


def broadcast_to_count(name: str, result: Array, count: int) -> Array:
    """Broadcast a checked number to ``(count,)``, or return a checked array of that shape.

    Raises InvalidArgument for anything else.
    """
    if result.shape not in ((), (count,)):
        raise InvalidArgument(name, f"shape {result.shape}", f"a number, or shape ({count},)")
    return np.broadcast_to(result, (count,))


def real_array(name: str, value: ArrayLike, *, minimum: float = -np.inf, maximum: float = np.inf) -> Array:
    """Return an array of finite numbers of any shape within ``[minimum, maximum]``.

    Raises InvalidArgument for anything else.
    """
    return require_within(name, array(name, value), minimum, maximum)


def require_within(name: str, result: Array, minimum: float, maximum: float) -> Array:
    """Return a checked array if its numbers are within ``[minimum, maximum]``.

    Raises InvalidArgument for anything else.
    """
    inside = (result >= minimum) & (result <= maximum)
    if not all_true(inside):
        raise InvalidArgument(name, f"{result[~inside].flat[0]:g}", f"numbers in [{minimum:g}, {maximum:g}]")
    return result


def positive_array(name: str, value: ArrayLike, *shape: int | None) -> Array:
    """Return an array of positive finite numbers of any shape, or with trailing axes ``shape``.

    Raises InvalidArgument for anything else.
    """
    result = array(name, value, *shape)
    if not all_true(result > 1 / MAX_ABS_VALUE):
        small = result[result <= 1 / MAX_ABS_VALUE].flat[0]
        limit = "0" if small <= 0 else f"{1 / MAX_ABS_VALUE:g}"
        raise InvalidArgument(name, f"{small:g}", f"numbers greater than {limit}")
    return result


def positive_number(name: str, value: Any) -> float:
    """Return one positive finite number, such as a tolerance or a step size.

    Raises InvalidArgument for anything else.
    """
    result = positive_array(name, value)
    if result.ndim:
        raise InvalidArgument(name, f"shape {result.shape}", "one number")
    return float(result)


def real_number(name: str, value: Any, minimum: float = -np.inf, maximum: float = np.inf) -> float:
    """Return one finite number within ``[minimum, maximum]``, such as a time or a rate.

    Raises InvalidArgument for anything else.
    """
    result = real_array(name, value, minimum=minimum, maximum=maximum)
    if result.ndim:
        raise InvalidArgument(name, f"shape {result.shape}", "one number")
    return float(result)


def count(name: str, value: Any, minimum: int = 0) -> int:
    """Return an integer of at least ``minimum``.

    Raises InvalidArgument for anything else.
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < minimum:
        raise InvalidArgument(name, format_value(value), f"a whole number of at least {minimum}")
    return int(value)


def indices(name: str, value: ArrayLike, minimum: int = 0, below: int | None = None) -> NDArray[np.intp]:
    """Return an array of integers of any shape, at least ``minimum`` and less than ``below``.

    Raises InvalidArgument for anything else.
    """
    array = _read_array(name, value, "iu", "whole numbers")
    if np.any(array < minimum) or (below is not None and np.any(array >= below)):
        limits = f"of at least {minimum}" + ("" if below is None else f" and less than {below}")
        outside = (array < minimum) | (array >= (np.inf if below is None else below))
        raise InvalidArgument(name, f"{array[outside].flat[0]}", f"whole numbers {limits}")
    return array.astype(np.intp)


def boolean_vector(name: str, value: ArrayLike, size: int) -> NDArray[np.bool_]:
    """Return booleans ``(size,)``; numbers are rejected.

    Raises InvalidArgument for anything else.
    """
    expected = f"booleans of shape ({size},)"
    array = _read_array(name, value, "b", expected)
    if array.shape != (size,):
        raise InvalidArgument(name, f"shape {array.shape}", expected)
    return array.astype(np.bool_)


def _real_numbers(name: str, value: ArrayLike) -> Array:
    """Return a new float64 array; text, objects, booleans, complex and masked numbers are rejected."""
    return _read_array(name, value, "iuf", "an array of real numbers").astype(np.float64)


def _read_array(name: str, value: Any, kinds: str, expected: str) -> NDArray[Any]:
    """Return a value as an array if all its entries already have one of NumPy's ``kinds``.

    NumPy would convert text, bytes and booleans to numbers and None to NaN, and drop imaginary parts and
    masks. An empty array of floats has every kind, because NumPy converts an empty list to one.
    """
    cause: Exception | None = None
    try:
        array = np.asanyarray(value)  # first, because it refuses lists that contain themselves
        if _is_of_kind(array, kinds) and (array is value or _is_of_kind(value, kinds)):
            return np.asarray(array)
    except Exception as error:  # an object's own __array__ may raise anything
        cause = error
    raise InvalidArgument(name, f"{type(value).__name__} {format_value(value)}", expected) from cause


def _is_of_kind(value: Any, kinds: str) -> bool:
    """Return True if all entries of an array, a number, or nested sequences have one of NumPy's ``kinds``."""
    if isinstance(value, np.ndarray | np.generic):
        is_masked = isinstance(value, np.ma.MaskedArray)
        return not is_masked and (value.dtype.kind in kinds or (value.dtype.kind == "f" and not value.size))
    if isinstance(value, str | bytes | bytearray | memoryview):
        return False
    if hasattr(value, "__getitem__") and not hasattr(value, "__array__"):
        if set(map(type, value)) <= _PYTHON_TYPES[kinds]:
            return True
        return all(_is_of_kind(entry, kinds) for entry in value)
    return _is_of_kind(np.asanyarray(value), kinds)


def _raise_out_of_range(name: str, result: Array) -> NoReturn:
    if not all_true(np.isfinite(result)):
        raise InvalidArgument(name, "NaN or infinite entries", "finite numbers")
    got = f"an entry of {result.flat[np.argmax(np.abs(result))]:.3g}"
    raise InvalidArgument(name, got, f"numbers smaller than {MAX_ABS_VALUE:g}")


def all_true(condition: NDArray[np.bool_]) -> bool:
    """Return True if all entries are true; for few entries, much faster than ``np.all``."""
    return bool(np.count_nonzero(condition) == condition.size)


def _shape_matches(shape: tuple[int, ...], trailing: tuple[int | None, ...]) -> bool:
    if len(shape) < len(trailing):
        return False
    lengths = shape[len(shape) - len(trailing) :]
    return all(size in (None, length) for length, size in zip(lengths, trailing, strict=True))


def format_shape(shape: tuple[int | None, ...]) -> str:
    """Return the text of a shape in which None stands for any length."""
    return ", ".join("n" if size is None else str(size) for size in shape)
