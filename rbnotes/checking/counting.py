"""How many multiplications a calculation takes: the cost of an algorithm, whatever the machine.

Times of small calculations in Python are times of Python. What an algorithm is said to cost, such as O(n) or
O(n^3), is a number of operations, and numpy lets these be counted: its functions hand their arguments to an
array type that asks for them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from unittest import mock

import numpy as np

_SOLVERS = {np.linalg.solve, np.linalg.inv, np.linalg.eigh, np.linalg.eigvalsh, np.linalg.cholesky}
_MAKERS = ("zeros", "ones", "empty", "eye")


def multiplications(calculation: Callable[[], Any]) -> int:
    """How many products of two numbers a call takes, in what numpy does for it.

    Counted are products, quotients, matrix products, ``einsum``, and ``k^3`` for what numpy factors: solving,
    inverses, eigenvalues of k by k matrices. Arrays count that numpy makes during the call (zeros, ones,
    empty or identities), and whatever comes of them; what is calculated from others alone does not. What the
    calculation keeps for later calls is not calculated, and not counted, again.

    The functions that make arrays are numpy's own while this runs: nothing else may run beside it.
    """
    before = _tally.count
    with mock.patch.multiple(np, **{name: _making(getattr(np, name)) for name in _MAKERS}):
        calculation()
    return _tally.count - before


@dataclass
class _Tally:
    """Not frozen: it counts."""

    count: int = 0


_tally = _Tally()


class _Counting(np.ndarray[Any, Any]):
    """Counts what it takes part in."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        given = [_plain(each) for each in inputs]
        if options.get("out") is not None:
            options["out"] = tuple(_plain(each) for each in options["out"])
        result = getattr(ufunc, method)(*given, **options)
        if ufunc is np.matmul:
            _tally.count += np.size(result) * given[0].shape[-1]
        elif ufunc in (np.multiply, np.divide):
            _tally.count += np.size(result)
        return _watched(result)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        args = _plain_all(args)
        result = function(*args, **_plain_all(options))
        if function is np.einsum:
            _tally.count += _of_einsum(args[0], args[1:])
        elif function in _SOLVERS:
            _tally.count += np.size(args[0]) * np.shape(args[0])[-1]
        return _watched(result)


def _making(maker: Any) -> Any:
    return lambda *args, **options: maker(*args, **options).view(_Counting)


def _watched(value: Any) -> Any:
    if isinstance(value, tuple):
        whole = map(_watched, value)
        return type(value)(*whole) if hasattr(value, "_fields") else tuple(whole)
    return value.view(_Counting) if type(value) is np.ndarray else value


def _plain(value: Any) -> Any:
    return value.view(np.ndarray) if isinstance(value, np.ndarray) else value


def _plain_all(values: Any) -> Any:
    """The same arrays, in tuples, lists and dictionaries, without their type."""
    if isinstance(values, dict):
        return {name: _plain_all(value) for name, value in values.items()}
    if isinstance(values, tuple | list):
        return type(values)(_plain_all(value) for value in values)
    return _plain(values)


def _of_einsum(subscripts: str, operands: Any) -> int:
    """Products in one sum over all the letters; the leading axes are those of the largest operand."""
    sizes: dict[str, int] = {}
    leading = 1
    for letters, operand in zip(subscripts.split("->")[0].split(","), operands, strict=True):
        shape, named = np.shape(operand), letters.strip().replace("...", "")
        sizes.update(zip(named[::-1], shape[::-1], strict=False))
        leading = max(leading, int(np.prod(shape[: len(shape) - len(named)])))
    return leading * int(np.prod(list(sizes.values())))
