"""Change inputs so that they have the special geometry or the unequal scales of real scenes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import partial
from itertools import combinations, product
from typing import Any

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.evaluation import Values

ENTRY_FACTORS = (1e3, 1e-3)
"""Factors on one entry or row."""
SYMMETRIC_FACTORS = (30.0, 0.01)
"""Factors on a row and column of a symmetric matrix, whose eigenvalues change by their squares."""
PARALLEL_FACTORS = (0.7, -1.3)
"""Ratios of parallel vectors."""
SIGNS = (1.0, -1.0)
LAST_ROW = (0.0, 0.0, 0.0, 1.0)
"""Last row of a pose."""
POSITION_ON_LINE = 0.6
"""Place of a point between two others, relative to their distance."""

Place = tuple[str, str | None]
"""Name of an argument, and of one of its fields if it is an object."""


def most_varied(inputs: Sequence[Values]) -> list[Values]:
    """Return the inputs with the most distinct numbers other than zero, at least half of them.

    Searches begin with zeros and repeat numbers. A change of such inputs often changes no result.
    """
    varieties = [_variety(values) for values in inputs]
    return [
        values for values, variety in zip(inputs, varieties, strict=True) if variety >= np.median(varieties)
    ]


def _variety(values: Values) -> float:
    """Return the number of distinct sizes of numbers other than zero, relative to that of all numbers."""
    sizes = np.abs(np.concatenate([np.zeros(1), *map(_numbers, values.values())]))
    return float(np.count_nonzero(np.unique(sizes)) / sizes.size)


def _numbers(value: Any) -> Array:
    """Return the numbers in an argument, or in the fields of an object."""
    if is_dataclass(value):
        return np.concatenate([np.zeros(0), *(_numbers(getattr(value, part.name)) for part in fields(value))])
    is_real = isinstance(value, (float, np.ndarray)) and np.asarray(value).dtype.kind == "f"
    return np.ravel(value) if is_real else np.zeros(0)


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
    """Yield functions that change inputs like these in one argument, in a field of one, or in several.

    Symmetric matrices stay symmetric, positive arrays positive, and arrays of fixed length unchanged; unit
    vectors and poses change their direction only.
    """
    places = dict(_places(inputs))
    for place, values in places.items():
        for change in array_changes(values):
            yield partial(_change_all, [(place, change)])
    compounds = [place for place, values in places.items() if _has_directions(values)]
    for axis, sign in product(range(3), SIGNS) if compounds else ():
        yield partial(
            _change_all,
            [(place, partial(_align, axis + offset, sign)) for offset, place in enumerate(compounds)],
        )
    rows = [place for place in compounds if places[place][0].shape[1:] == (3,)]
    if rows:
        yield partial(_change_all, [(place, _oppose_first_rows) for place in rows])
    vectors = [
        name for (name, part), values in places.items() if part is None and _are_varying_vectors(values)
    ]
    for first, second in combinations(vectors, 2):
        for sign in SIGNS:
            yield partial(_make_parallel, first, second, sign)


def array_changes(values: Sequence[Any]) -> Iterator[Callable[[Array], Array]]:
    """Yield the changes of an argument that takes such values."""
    if _are_varying_vectors(values):
        for axis, sign in product(range(3), SIGNS):
            yield partial(_align, axis, sign)
    if not is_scalable(values) or not np.ndim(values[0]):
        return
    stacked = np.asarray(values)
    if _are_symmetric(stacked):
        scale = _scale_second_moment if _are_inertias(stacked) else _scale_row_and_column
        for factor in SYMMETRIC_FACTORS:
            yield partial(scale, factor)
        if stacked.ndim == 3:
            return
    last = stacked.shape[1] - 1
    for factor in ENTRY_FACTORS:
        for index in sorted({0, last}):
            yield partial(_scale_entry, index, factor)
    if np.all(stacked >= 0):
        return
    if stacked.shape[1:] == (6,):
        for half in (slice(0, 3), slice(3, 6)):
            yield partial(_clear, half)
        for factor in PARALLEL_FACTORS:
            yield partial(_make_screw, factor)
    if stacked.ndim == 3 and stacked.shape[2] == 3:
        for index in range(2, last + 1):
            yield partial(_put_on_line, index)


def _places(inputs: Sequence[Values]) -> Iterator[tuple[Place, list[Any]]]:
    """Yield the arguments and the fields of objects, with their values."""
    for name in inputs[0] if inputs else ():
        values = [each[name] for each in inputs]
        yield (name, None), values
        for part in fields(values[0]) if is_dataclass(values[0]) else ():
            yield (name, part.name), [getattr(value, part.name) for value in values]


def _are_varying_vectors(values: Sequence[Any]) -> bool:
    """Return True for vectors ``(3,)``, of any length or of one, that point in varying directions."""
    if not all(isinstance(value, np.ndarray) and value.shape == (3,) for value in values):
        return False
    stacked = np.asarray(values)
    varies = not np.any(np.all(np.isclose(stacked, stacked[0]), axis=0))
    return stacked.dtype.kind == "f" and varies and not np.all(stacked >= 0)


def _has_directions(values: Sequence[Any]) -> bool:
    """Return True for poses, twists and rows of vectors."""
    if not all(isinstance(value, np.ndarray) for value in values):
        return False
    if all(value.shape[-2:] == (4, 4) for value in values):
        return all(bool(np.all(value[..., 3, :] == LAST_ROW)) for value in values)
    shape = values[0].shape
    is_stack = shape == (6,) or (len(shape) == 2 and shape[1] == 3)
    if not is_stack or not is_scalable(values):
        return False
    stacked = np.asarray(values)
    return not np.all(stacked >= 0) and not _are_symmetric(np.abs(stacked))


def _are_symmetric(stacked: Array) -> bool:
    """Return True for symmetric matrices, or stacks of them."""
    is_square = stacked.ndim > 2 and stacked.shape[-2] == stacked.shape[-1]
    return is_square and np.allclose(stacked, np.swapaxes(stacked, -1, -2))


def _are_inertias(matrices: Array) -> bool:
    """Return True for rotational inertias ``(..., 3, 3)``: no moment exceeds the sum of the others."""
    if matrices.shape[-2:] != (3, 3):
        return False
    moments = np.linalg.eigvalsh(matrices)
    return bool(np.all(moments[..., 2] <= moments[..., 0] + moments[..., 1]))


def _change_all(changes: Sequence[tuple[Place, Callable[[Any], Any]]], values: Values) -> Values:
    """Return inputs with a change of each of these arguments or fields."""
    for (name, part), change in changes:
        value = values[name]
        changed = change(value) if part is None else replace(value, **{part: change(getattr(value, part))})
        values = {**values, name: changed}
    return values


def _make_parallel(first: str, second: str, sign: float, values: Values) -> Values:
    """Return inputs in which a vector has the direction of another, or the opposite one."""
    return {**values, second: _along_vector(values[first], sign, values[second])}


def _scale_entry(index: int, factor: float, value: Array) -> Array:
    result = value.copy()
    result[index] *= factor
    return result


def _scale_row_and_column(factor: float, value: Array) -> Array:
    """Return symmetric matrices in another unit of their last coordinate."""
    result = value.copy()
    result[..., -1, :] *= factor
    result[..., :, -1] *= factor
    return result


def _scale_second_moment(factor: float, value: Array) -> Array:
    """Return rotational inertias of bodies that are longer or shorter along their last axis."""
    traces = np.trace(value, axis1=-2, axis2=-1)[..., None, None] * np.eye(3)
    moments = _scale_row_and_column(factor, traces / 2 - value)
    inertias: Array = np.trace(moments, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - moments
    return inertias


def _align(axis: int, sign: float, value: Array) -> Array:
    """Return a vector, one of several, the halves of a twist or the positions of poses along axes."""
    result = value.copy()
    if value.shape[-2:] == (4, 4):
        result[..., :3, 3] = _along_axis(axis, sign, value[..., :3, 3])
    elif value.ndim == 2:
        row = axis % len(value)
        result[row] = _along_axis(axis, sign, value[row])
    else:
        for half in range(value.size // 3):
            part = slice(3 * half, 3 * half + 3)
            result[part] = _along_axis(axis + half, sign, value[part])
    return result


def _along_axis(axis: int, sign: float, vectors: Array) -> Array:
    """Return vectors ``(..., 3)`` of the same lengths along an axis."""
    aligned: Array = sign * np.linalg.norm(vectors, axis=-1, keepdims=True) * np.eye(3)[axis % 3]
    return aligned


def _along_vector(direction: Array, sign: float, vector: Array) -> Array:
    """Return a vector of the same length along another one; zero if that is zero."""
    return direction * (sign * np.linalg.norm(vector) / (np.linalg.norm(direction) or 1.0))


def _oppose_first_rows(value: Array) -> Array:
    """Return vectors ``(n, 3)``, the second of which is opposite to the first."""
    result = value.copy()
    if len(value) > 1:
        result[1] = _along_vector(value[0], -1.0, value[1])
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
