"""Counts of multiplications: the cost of an algorithm, independent of the machine.

Times of small calculations in Python measure the interpreter. The cost of an algorithm, such as O(n) or
O(n^3), is a number of operations, which NumPy allows to count: its functions pass their arguments to an array
type that overrides them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from unittest import mock

import numpy as np

_CUBIC_FUNCTIONS = {np.linalg.solve, np.linalg.inv, np.linalg.eigh, np.linalg.eigvalsh, np.linalg.cholesky}
_ARRAY_CREATORS = ("zeros", "ones", "empty", "eye")


def count_multiplications(calculation: Callable[[], Any]) -> int:
    """Return the number of products of two numbers that NumPy computes in a call.

    Products, quotients, matrix products and ``einsum`` are counted, and ``k^3`` for factorizations of k by k
    matrices (solving, inverses, eigenvalues). Only arrays that NumPy creates during the call (zeros, ones,
    empty or identities), and arrays computed from them, are counted. Results that are cached between calls
    are counted once.

    The functions that create arrays are replaced meanwhile: nothing else may run at the same time.
    """
    count_before = _multiplication_count.count
    with mock.patch.multiple(np, **{name: _counting_creator(getattr(np, name)) for name in _ARRAY_CREATORS}):
        calculation()
    return _multiplication_count.count - count_before


@dataclass
class _MultiplicationCount:
    """Mutable counter of multiplications."""

    count: int = 0


_multiplication_count = _MultiplicationCount()


class _CountingArray(np.ndarray[Any, Any]):
    """Array that counts the multiplications in which it takes part."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        plain_inputs = [_to_plain_array(value) for value in inputs]
        if options.get("out") is not None:
            options["out"] = tuple(_to_plain_array(value) for value in options["out"])
        result = getattr(ufunc, method)(*plain_inputs, **options)
        if ufunc is np.matmul:
            _multiplication_count.count += np.size(result) * plain_inputs[0].shape[-1]
        elif ufunc in (np.multiply, np.divide):
            _multiplication_count.count += np.size(result)
        return _to_counting_array(result)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        args = _to_plain_containers(args)
        result = function(*args, **_to_plain_containers(options))
        if function is np.einsum:
            _multiplication_count.count += _einsum_multiplications(args[0], args[1:])
        elif function in _CUBIC_FUNCTIONS:
            _multiplication_count.count += np.size(args[0]) * np.shape(args[0])[-1]
        return _to_counting_array(result)


def _counting_creator(maker: Any) -> Any:
    return lambda *args, **options: maker(*args, **options).view(_CountingArray)


def _to_counting_array(value: Any) -> Any:
    if isinstance(value, tuple):
        entries = map(_to_counting_array, value)
        return type(value)(*entries) if hasattr(value, "_fields") else tuple(entries)
    return value.view(_CountingArray) if type(value) is np.ndarray else value


def _to_plain_array(value: Any) -> Any:
    return value.view(np.ndarray) if isinstance(value, np.ndarray) else value


def _to_plain_containers(values: Any) -> Any:
    """Return arrays in tuples, lists and dictionaries as plain arrays."""
    if isinstance(values, dict):
        return {name: _to_plain_containers(value) for name, value in values.items()}
    if isinstance(values, tuple | list):
        return type(values)(_to_plain_containers(value) for value in values)
    return _to_plain_array(values)


def _einsum_multiplications(subscripts: str, operands: Any) -> int:
    """Return the number of products over all letters; the leading axes are those of the largest operand."""
    sizes: dict[str, int] = {}
    leading = 1
    for letters, operand in zip(subscripts.split("->")[0].split(","), operands, strict=True):
        shape, letter_names = np.shape(operand), letters.strip().replace("...", "")
        sizes.update(zip(letter_names[::-1], shape[::-1], strict=False))
        leading = max(leading, int(np.prod(shape[: len(shape) - len(letter_names)])))
    return leading * int(np.prod(list(sizes.values())))
