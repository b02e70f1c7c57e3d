"""Construction of frozen dataclasses, with and without checks.

A constructor checks its arguments. Data computed from checked data is valid by construction:
:func:`construct_unchecked` and :func:`replace_unchecked` create it without checks.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, TypeVar

import numpy as np

Data = TypeVar("Data")


def set_fields(data: object, **values: Any) -> None:
    """Set fields of a frozen dataclass within its constructor; arrays become read-only."""
    set_writable_fields(data, **{name: make_read_only(value) for name, value in values.items()})


def set_writable_fields(data: object, **values: Any) -> None:
    """Set fields within the constructor of data of one step, which nothing keeps; arrays stay writable."""
    for name, value in values.items():
        object.__setattr__(data, name, value)


def make_read_only(value: Any) -> Any:
    """Return a value after making it read-only if it is an array or a tuple of arrays."""
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    elif isinstance(value, tuple):
        for entry in value:
            make_read_only(entry)
    return value


def construct_unchecked(cls: type[Data], **values: Any) -> Data:
    """Return an instance with given values of all fields, in the form that the constructor stores."""
    data = object.__new__(cls)
    data.__dict__.update(values)
    return data


def replace_unchecked(data: Data, **values: Any) -> Data:
    """Return a copy with other values of some fields, without cached properties."""
    # Data is any dataclass; typing has no bound for this.
    old = {field.name: getattr(data, field.name) for field in fields(data)}  # type: ignore[arg-type]
    return construct_unchecked(type(data), **{**old, **values})
