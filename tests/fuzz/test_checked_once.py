"""No public function checks an argument twice.

Over the table of valid calls. What counts is a look at numbers: a check of `rbnotes.arguments` that converts
and bounds them. A value of the caller's, or what a check has made of it, may pass one in a call; functions
that are checked already are formulas, or cores whose names begin with an underscore.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any
from unittest import mock

import numpy as np
import pytest
from scipy import sparse
from table import SUBPACKAGES, table

from rbnotes import arguments

LOOKING = (
    *(
        "array",
        "extended_real_array",
        "matrix_without_copy",
        "frame",
        "indices",
        "matrix",
        "positive_number",
        "single_vector",
        "positive_array",
    ),
    *(
        "positive_definite",
        "real_number",
        "rotation",
        "rotation_vector",
        "real_array",
        "skew_symmetric",
        "symmetric",
    ),
    *("boolean_vector", "twist", "twist_matrix", "twist_vector", "unit_quaternion", "unit_vector", "vector"),
)
"""Checks that look at numbers; the others look at types, shapes, or at what one of these has made."""


def parts(value: Any, depth: int = 4) -> Iterator[Any]:
    """Return the arrays and lists of numbers in an argument."""
    if isinstance(value, np.ndarray | list) or sparse.issparse(value):
        yield value
    if depth and isinstance(value, list | tuple):
        for each in value:
            yield from parts(each, depth - 1)
    if depth and is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from parts(getattr(value, field.name, None), depth - 1)


def deep_copy(value: Any) -> Any:
    """Return a copy, so that no two arguments are one object."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(deep_copy, value))
    return [deep_copy(each) for each in value] if isinstance(value, list) else value


def arguments_checked_twice(call: Any) -> list[str]:
    """Return the arguments that a call checks twice, with the places."""
    values = {name: deep_copy(value) for name, value in call.arguments.items()}
    owner = getattr(call.function, "__self__", None)
    looks = {id(part): 0 for value in (*values.values(), owner) for part in parts(value)}
    references: list[Any] = [values]  # an id is one object's for as long as that lives
    lines: list[str] = []
    within = False

    def count_checks(check: Any) -> Any:
        def look(name: str, value: Any, *more: Any, **options: Any) -> Any:
            nonlocal within
            if within:  # a check that calls another
                return check(name, value, *more, **options)
            within = True
            try:
                result = check(name, value, *more, **options)
            finally:
                within = False
            if id(value) in looks:
                looks[id(value)] += 1
                if looks[id(value)] > 1:
                    frames = [f for f in traceback.extract_stack(limit=4)[:-1] if "rbnotes" in f.filename]
                    lines.append(f"{name} in {' < '.join(f.name for f in reversed(frames))}")
                if isinstance(result, np.ndarray):
                    looks[id(result)] = 1
                    references.append(result)
            return result

        return look

    checks = {name: count_checks(getattr(arguments, name)) for name in LOOKING}
    with mock.patch.multiple(arguments, **checks), np.errstate(all="ignore"):
        call(**values)
    return lines


@pytest.mark.parametrize("subpackage", SUBPACKAGES)
def test_no_argument_is_checked_twice(subpackage: str) -> None:
    repeated = {call.name: arguments_checked_twice(call) for call in table(subpackage) if not call.slow}
    assert {name: twice for name, twice in repeated.items() if twice} == {}
