"""Change inputs so that they have the special geometry or the unequal scales of real scenes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.evaluation import Values

ENTRY_FACTORS = (30.0, 0.01)
"""Factors on one entry or row, or on a row and column of a symmetric matrix."""
PARALLEL_FACTORS = (0.7, -1.3)
"""Ratios of parallel vectors."""
POSITION_ON_LINE = 0.6
"""Place of a point between two others, relative to their distance."""


def is_scalable(values: Sequence[Any]) -> bool:
    """Return True for numbers and arrays without entries, rows or columns of fixed length except zero."""
    if not all(isinstance(value, (float, np.ndarray)) and np.size(value) for value in values):
        return False
    if len({np.shape(value) for value in values}) > 1 or np.asarray(values).dtype.kind != "f":
        return False
    stacked = np.asarray(values)
    lengths = [np.abs(stacked), *(np.linalg.norm(stacked, axis=axis) for axis in range(1, stacked.ndim))]
    return not any(np.any(np.all(np.isclose(each, each[:1]) & (each != 0), axis=0)) for each in lengths)


def structured_changes(inputs: Sequence[Values]) -> Iterator[Callable[[Values], Values]]:
    """Yield functions that change inputs like these in one argument, or in a field of one.

    Symmetric matrices stay symmetric, positive arrays positive, and arrays of fixed length unchanged.
    """
    for name in inputs[0] if inputs else ():
        values = [each[name] for each in inputs]
        for change in array_changes(values):
            yield partial(_change_argument, name, change)
        if is_dataclass(values[0]):
            for part in fields(values[0]):
                for change in array_changes([getattr(value, part.name) for value in values]):
                    yield partial(_change_argument, name, partial(_change_field, part.name, change))
    vectors = [
        name
        for name in (inputs[0] if inputs else ())
        if np.shape(inputs[0][name]) == (3,) and is_scalable([each[name] for each in inputs])
    ]
    for first, second in permutations(vectors, 2):
        for factor in PARALLEL_FACTORS:
            yield partial(_make_parallel, first, second, factor)


def array_changes(values: Sequence[Any]) -> Iterator[Callable[[Array], Array]]:
    """Yield the changes of an argument that takes such values."""
    if not is_scalable(values) or not np.ndim(values[0]):
        return
    stacked = np.asarray(values)
    is_square = stacked.ndim == 3 and stacked.shape[1] == stacked.shape[2]
    if is_square and np.allclose(stacked, stacked.transpose(0, 2, 1)):
        for factor in ENTRY_FACTORS:
            yield partial(_scale_row_and_column, factor)
        return
    last = stacked.shape[1] - 1
    for factor in ENTRY_FACTORS:
        for index in sorted({0, last}):
            yield partial(_scale_entry, index, factor)
    if np.all(stacked >= 0):
        return
    if stacked.shape[1:] == (3,):
        for axis in range(3):
            for sign in (1.0, -1.0):
                yield partial(_align, axis, sign)
    if stacked.shape[1:] == (6,):
        for half in (slice(0, 3), slice(3, 6)):
            yield partial(_clear, half)
        for factor in PARALLEL_FACTORS:
            yield partial(_make_screw, factor)
    if stacked.ndim == 3 and stacked.shape[2] == 3:
        for index in range(2, last + 1):
            yield partial(_put_on_line, index)


def _change_argument(name: str, change: Callable[[Any], Any], values: Values) -> Values:
    return {**values, name: change(values[name])}


def _change_field(name: str, change: Callable[[Any], Any], value: Any) -> Any:
    return replace(value, **{name: change(getattr(value, name))})


def _make_parallel(first: str, second: str, factor: float, values: Values) -> Values:
    return {**values, second: factor * values[first]}


def _scale_entry(index: int, factor: float, value: Array) -> Array:
    result = value.copy()
    result[index] *= factor
    return result


def _scale_row_and_column(factor: float, value: Array) -> Array:
    """Return a symmetric matrix in another unit of its last coordinate."""
    result = value.copy()
    result[-1] *= factor
    result[:, -1] *= factor
    return result


def _align(axis: int, sign: float, value: Array) -> Array:
    """Return a vector along an axis."""
    result: Array = sign * np.linalg.norm(value) * np.eye(3)[axis]
    return result


def _clear(part: slice, value: Array) -> Array:
    result = value.copy()
    result[part] = 0.0
    return result


def _make_screw(pitch: float, value: Array) -> Array:
    """Return a twist or wrench whose halves are parallel."""
    return np.append(value[:3], pitch * value[:3])


def _put_on_line(index: int, value: Array) -> Array:
    """Return points of which one lies on the line through the two before it."""
    result = value.copy()
    result[index] = value[index - 2] + (1 + POSITION_ON_LINE) * (value[index - 1] - value[index - 2])
    return result
