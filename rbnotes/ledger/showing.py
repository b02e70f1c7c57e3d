"""Inputs and results as short text: identities, zeros and poses by name, not as dumps of numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from rbnotes.arguments import Array

DIGITS = 6
NOISE = 1e-12
"""What is so much smaller than the largest entry is rounding, and zero."""
FEW = 6
"""Entries that differ from zero, or from the identity, and are still listed one by one."""


def number(value: float) -> str:
    """A number in few digits."""
    return f"{value:.{DIGITS}g}"


def inputs(values: Mapping[str, Any]) -> list[str]:
    """One line, or a few, for each named value."""
    return [line for name, value in values.items() for line in _lines(name, value)]


def result(value: Any, other: Any) -> str:
    """A result beside another: as a whole if it is small, else the entry in which the two differ most."""
    one, two = np.asarray(value, dtype=float), np.asarray(other, dtype=float)
    if one.shape != two.shape:
        return f"an array of the shape {one.shape}"
    size = np.max(np.abs([one, two]), initial=0.0, where=np.isfinite([one, two]))
    one = np.where(np.abs(one) < NOISE * size, 0.0, one)
    if one.size <= FEW:
        return number(one.item()) if one.size == 1 else "(" + ", ".join(map(number, one.ravel())) + ")"
    gap = np.where(np.isfinite(one - two), np.abs(one - two), np.inf)
    worst = np.unravel_index(int(np.argmax(gap)), one.shape)
    place = ", ".join(str(int(index) + 1) for index in worst)
    return f"{number(one[worst])} in entry {place} of {' x '.join(map(str, one.shape))}"


def _lines(name: str, value: Any) -> Iterator[str]:
    if is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            if field.repr:
                yield from _lines(f"{name}.{field.name}", getattr(value, field.name))
        return
    if isinstance(value, tuple | list) and any(
        np.ndim(item) or is_dataclass(item) or isinstance(item, tuple) for item in value
    ):
        for place, item in enumerate(value):
            yield from _lines(f"{name}[{place}]", item)
        return
    try:
        numbers = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        yield f"{name} = {value}"
        return
    if isinstance(value, bool | np.bool_):
        yield f"{name} = {bool(value)}"
    elif numbers.ndim > 2:
        for place, item in enumerate(numbers):
            yield from _lines(f"{name}[{place}]", item)
    elif (short := _short(numbers)) is not None:
        yield f"{name} = {short}"
    else:
        text = np.array2string(
            numbers, precision=DIGITS, suppress_small=True, separator=", ", prefix=f"{name} = "
        )
        yield from f"{name} = {text}".splitlines()


def _short(numbers: Array) -> str | None:
    """An array of at most two axes in one line, if its structure allows."""
    if numbers.ndim == 0:
        return number(numbers.item())
    if numbers.size == 0:
        return "nothing"
    if numbers.ndim == 1:
        return "(" + ", ".join(map(number, numbers)) + ")"
    rows, columns = numbers.shape
    if rows == columns > 1:
        upright = np.eye(4)
        if numbers.shape == (4, 4):
            upright[:3, 3] = moved = numbers[:3, 3]
            if np.array_equal(numbers, upright):
                return f"a shift by {_short(moved)}" if np.any(moved) else "the identity"
        diagonal = np.diagonal(numbers)
        if np.array_equal(numbers, np.diag(diagonal)) and np.any(diagonal):
            size = f"{rows} x {rows}"
            if np.all(diagonal == diagonal[0]):
                factor = "" if diagonal[0] == 1 else f"{number(diagonal[0])} times "
                return f"{factor}the identity, {size}"
            return f"diagonal with {_short(diagonal)}"
    places = np.argwhere(numbers)
    if not len(places):
        return f"zero, {rows} x {columns}"
    if len(places) <= FEW < numbers.size:
        listed = ", ".join(f"{number(numbers[i, j])} at ({i + 1}, {j + 1})" for i, j in places)
        return f"zero, {rows} x {columns}, but {listed}"
    return None
