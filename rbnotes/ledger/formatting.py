"""Format inputs and results as short text: identities, zeros and poses by name, not as arrays of numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from rbnotes.arguments import Array

NUM_DIGITS = 6
ROUNDING_NOISE = 1e-10
"""Entries below this fraction of the largest entry are shown as zero."""
MAX_LISTED_ENTRIES = 6
"""Largest number of entries, different from zero or the identity, that are listed one by one."""


def format_number(value: float) -> str:
    """Format a number with few digits."""
    return f"{value:.{NUM_DIGITS}g}"


def format_inputs(values: Mapping[str, Any]) -> list[str]:
    """Format named values, each in one line or a few."""
    return [line for name, value in values.items() for line in _format_lines(name, value)]


def format_result(value: Any, other: Any) -> str:
    """Format a result for comparison with another.

    A small result is formatted completely, a large one by the entry that differs most.
    """
    first, second = np.asarray(value, dtype=float), np.asarray(other, dtype=float)
    if first.shape != second.shape:
        return f"an array of the shape {first.shape}"
    size = np.max(np.abs([first, second]), initial=0.0, where=np.isfinite([first, second]))
    first = np.where(np.abs(first) < ROUNDING_NOISE * size, 0.0, first)
    if first.size <= MAX_LISTED_ENTRIES:
        return (
            format_number(first.item())
            if first.size == 1
            else "(" + ", ".join(map(format_number, first.ravel())) + ")"
        )
    gap = np.where(np.isfinite(first - second), np.abs(first - second), np.inf)
    worst = np.unravel_index(int(np.argmax(gap)), first.shape)
    place = ", ".join(str(int(index) + 1) for index in worst)
    return f"{format_number(first[worst])} in entry {place} of {' x '.join(map(str, first.shape))}"


def _format_lines(name: str, value: Any) -> Iterator[str]:
    """Yield the lines of a named value, with a line for each part of nested values."""
    if is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            if field.repr:
                yield from _format_lines(f"{name}.{field.name}", getattr(value, field.name))
        return
    if isinstance(value, tuple | list) and any(
        np.ndim(item) or is_dataclass(item) or isinstance(item, tuple) for item in value
    ):
        for place, item in enumerate(value):
            yield from _format_lines(f"{name}[{place}]", item)
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
            yield from _format_lines(f"{name}[{place}]", item)
    elif (short := _format_short(numbers)) is not None:
        yield f"{name} = {short}"
    else:
        text = np.array2string(
            numbers, precision=NUM_DIGITS, suppress_small=True, separator=", ", prefix=f"{name} = "
        )
        yield from f"{name} = {text}".splitlines()


def _format_short(numbers: Array) -> str | None:
    """Format an array with at most two axes in one line if its structure allows; otherwise return None."""
    if numbers.ndim == 0:
        return format_number(numbers.item())
    if numbers.size == 0:
        return "nothing"
    if numbers.ndim == 1:
        return "(" + ", ".join(map(format_number, numbers)) + ")"
    rows, columns = numbers.shape
    if rows == columns > 1:
        expected_pose = np.eye(4)
        if numbers.shape == (4, 4):
            expected_pose[:3, 3] = translation = numbers[:3, 3]
            if np.array_equal(numbers, expected_pose):
                return f"a shift by {_format_short(translation)}" if np.any(translation) else "the identity"
        diagonal = np.diagonal(numbers)
        if np.array_equal(numbers, np.diag(diagonal)) and np.any(diagonal):
            size = f"{rows} x {rows}"
            if np.all(diagonal == diagonal[0]):
                factor = "" if diagonal[0] == 1 else f"{format_number(diagonal[0])} times "
                return f"{factor}the identity, {size}"
            return f"diagonal with {_format_short(diagonal)}"
    for common in (0.0, float(np.median(numbers))):
        places = np.argwhere(numbers != common)
        text = f"{f'all {format_number(common)}' if common else 'zero'}, {rows} x {columns}"
        if not len(places):
            return text
        if len(places) <= MAX_LISTED_ENTRIES < numbers.size / (2 if common else 1):
            listed = ", ".join(f"{format_number(numbers[i, j])} at ({i + 1}, {j + 1})" for i, j in places)
            return f"{text}, but {listed}"
    return None
