"""Corrupt a valid value, or give it an unusual form: each function takes a random generator and the value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse


class Impossible(Exception):
    """Raised if the kind does not apply to the valid value."""


class Stranger:
    """Object of a type that no function accepts."""


class Raising:
    """An object that neither NumPy nor a message can read."""

    def __array__(self, *args: Any, **options: Any) -> np.ndarray:
        raise RuntimeError("no array")

    def __repr__(self) -> str:
        raise RuntimeError("no text")


def dense(value: Any) -> np.ndarray:
    return value.toarray() if sparse.issparse(value) else np.asarray(value, dtype=float)


def to_array(value: Any) -> np.ndarray:
    """Return the array of :func:`dense`, but keep integers."""
    return np.asarray(value) if np.asarray(value).dtype.kind in "iu" else dense(value)


def with_number(number: float) -> Callable[[np.random.Generator, Any], Any]:
    def make(rng: np.random.Generator, value: Any) -> Any:
        array = dense(value).copy()
        if not array.size:
            raise Impossible
        array.flat[rng.integers(array.size)] = number
        if sparse.issparse(value):
            return sparse.csc_array(array)
        return float(array) if array.ndim == 0 else array

    return make


def filled_with(number: float) -> Callable[[np.random.Generator, Any], Any]:
    return lambda rng, value: np.full(np.shape(dense(value)), number)


def cast(convert: Callable[[np.ndarray], Any]) -> Callable[[np.random.Generator, Any], Any]:
    return lambda rng, value: convert(dense(value))


def masked(rng: np.random.Generator, value: Any) -> Any:
    array = dense(value)
    if not array.size:
        raise Impossible
    mask = np.zeros(array.shape, bool)
    mask.flat[0] = True
    return np.ma.masked_array(array, mask=mask)


def masked_inside(rng: np.random.Generator, value: Any) -> Any:
    if dense(value).ndim < 2 or not dense(value).size:
        raise Impossible
    return [masked(rng, row) for row in dense(value)]


def ragged(rng: np.random.Generator, value: Any) -> Any:
    return [[1.0], [1.0, 2.0]]


def truth_inside(rng: np.random.Generator, value: Any) -> Any:
    """Return the value as lists with a boolean in the place of one number, which NumPy converts to 0 or 1."""
    array = dense(value)
    if not array.ndim or array.size < 2:
        raise Impossible
    entries = array.astype(object)
    entries.flat[rng.integers(array.size)] = True
    return entries.tolist()


def raising_inside(rng: np.random.Generator, value: Any) -> Any:
    array = dense(value)
    if not array.ndim or not array.size:
        raise Impossible
    entries = array.astype(object)
    entries.flat[rng.integers(array.size)] = Raising()
    return entries.tolist()


def nested(rng: np.random.Generator, value: Any) -> Any:
    """Return lists in which one entry is a list itself, or as many within each other as no array has axes."""
    if rng.random() < 0.5:
        return [1.0, [2.0, [3.0]]]
    lists: Any = [1.0]
    for _ in range(100):
        lists = [lists]
    return lists


def containing_itself(rng: np.random.Generator, value: Any) -> Any:
    lists: list[Any] = [1.0]
    lists.append(lists)
    return lists


def as_sparse(rng: np.random.Generator, value: Any) -> Any:
    if sparse.issparse(value) or dense(value).ndim > 2:
        raise Impossible
    return sparse.csr_array(np.atleast_2d(dense(value)))


def column(rng: np.random.Generator, value: Any) -> Any:
    array = dense(value)
    if array.ndim != 1 or array.size < 2:
        raise Impossible
    return array[:, None]


def row(rng: np.random.Generator, value: Any) -> Any:
    if sparse.issparse(value):
        raise Impossible
    return dense(value)[None]


def longer(rng: np.random.Generator, value: Any) -> Any:
    array = dense(value)
    if array.ndim == 0:
        raise Impossible
    return np.concatenate(
        [array, array[..., -1:] if array.size else np.ones((*array.shape[:-1], 1))], axis=-1
    )


def shorter(rng: np.random.Generator, value: Any) -> Any:
    array = dense(value)
    if array.ndim == 0 or array.shape[-1] < 2:
        raise Impossible
    return array[..., :-1]


def transposed(rng: np.random.Generator, value: Any) -> Any:
    array = dense(value)
    if array.ndim < 2 or array.shape[-1] == array.shape[-2]:
        raise Impossible
    return np.swapaxes(array, -1, -2)


def stack(rng: np.random.Generator, value: Any) -> Any:
    if sparse.issparse(value):
        raise Impossible
    return np.stack([dense(value), dense(value)])


def perturbed(rng: np.random.Generator, value: Any) -> Any:
    array = dense(value)
    return array + rng.normal(size=array.shape)


def integral(rng: np.random.Generator, value: Any) -> Any:
    array = dense(value)
    if np.any(array != np.round(array)) or np.any(np.abs(array) > 2**40):
        raise Impossible
    return array.astype(int) if array.ndim else int(array)


def single(rng: np.random.Generator, value: Any) -> Any:
    array = to_array(value)
    if array.dtype.kind in "iu":
        raise Impossible
    if np.any(array.astype(np.float32) != array):
        raise Impossible
    return array.astype(np.float32)


def strided(rng: np.random.Generator, value: Any) -> Any:
    array = to_array(value)
    if array.ndim == 0:
        raise Impossible
    spread = np.repeat(array, 2, axis=-1)
    return spread[..., ::2]


def read_only(rng: np.random.Generator, value: Any) -> Any:
    array = to_array(value).copy()
    array.setflags(write=False)
    return array


def in_format(name: str) -> Callable[[np.random.Generator, Any], Any]:
    def make(rng: np.random.Generator, value: Any) -> Any:
        if not sparse.issparse(value):
            raise Impossible
        return value.asformat(name)

    return make


def unsorted(value: Any) -> Any:
    """Return a CSC matrix whose row indices run backwards in each column."""
    matrix = sparse.csc_array(value)
    order = np.concatenate(
        [np.arange(a, b)[::-1] for a, b in zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True)]
    )
    if not matrix.nnz:
        return matrix
    return sparse.csc_array((matrix.data[order], matrix.indices[order], matrix.indptr), shape=matrix.shape)


def unsorted_indices(rng: np.random.Generator, value: Any) -> Any:
    if not sparse.issparse(value):
        raise Impossible
    return unsorted(value)


def first(value: Any) -> Any:
    for each in value:
        return each
    raise Impossible


def returning(result: Any) -> Callable[[np.random.Generator, Any], Any]:
    return lambda rng, value: lambda *args, **options: result


def returning_number(number: float) -> Callable[[np.random.Generator, Any], Any]:
    def make(rng: np.random.Generator, value: Any) -> Any:
        return lambda *args, **options: replace_number(value(*args, **options), number)

    return make


def replace_number(result: Any, number: float) -> Any:
    """Return the result with one number replaced in its first array of numbers."""
    if isinstance(result, float | int | np.number):
        return number
    if isinstance(result, np.ndarray) and result.dtype.kind == "f" and result.size:
        changed = result.copy()
        changed.flat[0] = number
        return changed
    if isinstance(result, tuple) and result:
        head = replace_number(result[0], number)
        others = result[1:]
        return type(result)(head, *others) if hasattr(result, "_fields") else (head, *others)
    if is_dataclass(result) and not isinstance(result, type):
        first = fields(result)[0].name
        return replace(result, **{first: replace_number(getattr(result, first), number)})
    raise Impossible


def holding(number: float) -> Callable[[np.random.Generator, Any], Any]:
    """Return a named tuple with one number replaced."""

    def make(rng: np.random.Generator, value: Any) -> Any:
        if not hasattr(value, "_fields"):
            raise Impossible
        which = int(rng.integers(len(value)))
        return value._replace(**{value._fields[which]: replace_number(value[which], number)})

    return make
