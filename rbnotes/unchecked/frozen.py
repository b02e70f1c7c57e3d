"""Construction of frozen dataclasses, with and without checks.

A constructor checks its arguments. Data computed from checked data is valid by construction:
:func:`construct_unchecked` and :func:`replace_unchecked` create it without checks.

Arrays in fields, and arrays that functions of the user receive, are read-only: a function that writes into
its arguments would change the results of others, or have no effect.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, TypeVar

import numpy as np

Data = TypeVar("Data")


def read_only(value: Data) -> Data:
    """Return a read-only view of an array; other values are returned unchanged."""
    if not isinstance(value, np.ndarray) or not value.flags.writeable:
        return value
    view = value.view()
    view.flags.writeable = False
    return view


def set_fields(data: object, **values: Any) -> None:
    """Set fields of a frozen dataclass within its constructor."""
    for name, value in values.items():
        object.__setattr__(data, name, read_only(value))


def construct_unchecked(cls: type[Data], **values: Any) -> Data:
    """Return an instance with given values of all fields, in the form that the constructor stores."""
    data = object.__new__(cls)
    data.__dict__.update({name: read_only(value) for name, value in values.items()})
    return data


def replace_unchecked(data: Data, **values: Any) -> Data:
    """Return a copy with other values of some fields, without cached properties."""
    # Data is any dataclass; typing has no bound for this.
    old = {field.name: getattr(data, field.name) for field in fields(data)}  # type: ignore[arg-type]
    return construct_unchecked(type(data), **{**old, **values})
