"""Format values as text with the significant digits."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

FEW_DECIMALS, ALL_DECIMALS = 6, 17
"""Number of decimals shown by default, and the number that represents a float64 exactly."""

ROUNDING_NOISE = 1e-6
"""Ratio to the largest entry below which an entry may be shown as zero."""

LINE_WIDTH = 72
"""Columns of a line, including the text before the value; more do not fit a phone in letters of 8 px."""
RESULT_INDENT = 4
"""Columns before a result that stands below its label."""


def format_input(name: str, value: Any) -> str:
    """Return an input as an assignment with all digits, so that it can be copied."""
    return f"  {name} = {format_value(value, indent=len(name) + 5)}"


def format_result(label: str, value: Any, *, decimals: int | None = None) -> str:
    """Return a result beside its label, or below it if its rows do not fit beside it."""
    beside = format_value(value, decimals=decimals, indent=len(label) + 3)
    below = format_value(value, decimals=decimals, indent=RESULT_INDENT)
    if beside.count("\n") == below.count("\n"):
        return f"  {label} {beside}"
    return f"  {label.rstrip()}\n{RESULT_INDENT * ' '}{below}"


def format_value(value: Any, *, decimals: int | None = None, indent: int = 0) -> str:
    """Return a value on one line or several.

    Without ``decimals`` it has all digits, unless fewer represent it exactly.
    """
    if isinstance(value, str) or value is None:
        return str(value)
    if named := _fields(value):
        lines = [
            f"{name} = {format_value(each, decimals=decimals, indent=indent + len(name) + 3)}"
            for name, each in named.items()
        ]
        return ("\n" + indent * " ").join([f"{type(value).__name__} with", *lines])
    if isinstance(value, tuple | list) and any(np.ndim(item) for item in value):
        return ", ".join(format_value(item, decimals=decimals, indent=indent) for item in value)
    try:
        array = np.asarray(value)
    except ValueError:  # a list of lists of several lengths
        return repr(value)
    if array.dtype.kind not in "fc":
        text = np.array2string(array, separator=", ", max_line_width=LINE_WIDTH - indent)
        return text.replace("\n", "\n" + indent * " ")
    if decimals is None:
        decimals = (
            FEW_DECIMALS
            if np.array_equal(np.round(array, FEW_DECIMALS), array, equal_nan=True)
            else ALL_DECIMALS
        )
    if decimals < ALL_DECIMALS:  # show rounding errors beside other numbers as zeros
        noise = min(ROUNDING_NOISE * np.max(np.abs(array), initial=0.0), 10.0 ** -(decimals + 3))
        array = np.where(np.abs(array) < noise, 0.0, array)
    if decimals == ALL_DECIMALS:
        text = np.array2string(
            array, formatter={"float_kind": format_float}, separator=", ", max_line_width=LINE_WIDTH - indent
        )
    else:
        small = not np.any((array != 0) & (np.abs(array) < 10.0**-decimals))
        text = np.array2string(
            array,
            precision=decimals,
            suppress_small=small,
            separator=", ",
            max_line_width=LINE_WIDTH - indent,
        )
    return "\n".join(line.rstrip() for line in text.replace("\n", "\n" + indent * " ").splitlines())


def _fields(value: Any) -> dict[str, Any]:
    """Return the fields of a dataclass or a named tuple by name; empty for other values."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value) if field.repr}
    return value._asdict() if hasattr(value, "_asdict") else {}


def format_float(number: float | np.floating[Any]) -> str:
    """Return the shortest text that converts back to the number."""
    return repr(float(number))


def distinguishing_decimals(got: NDArray[Any], expected: NDArray[Any]) -> int:
    """Return the number of decimals that show the difference of two arrays, plus one."""
    if got.shape != expected.shape or not (np.all(np.isfinite(got)) and np.all(np.isfinite(expected))):
        return FEW_DECIMALS
    largest = float(np.max(np.abs(got - expected), initial=0.0))
    return (
        FEW_DECIMALS
        if largest == 0
        else int(np.clip(1 - np.floor(np.log10(largest)), FEW_DECIMALS, ALL_DECIMALS))
    )
