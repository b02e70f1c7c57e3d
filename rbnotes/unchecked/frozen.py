"""Frozen dataclasses from inside: how constructors keep what they checked, and data known to be right.

A constructor checks its arguments, for it stands at the border. What a step computes from data that was
checked there is right by construction: :func:`known` and :func:`changed` make such data and look at nothing.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, TypeVar

Data = TypeVar("Data")


def set_fields(data: object, **values: Any) -> None:
    """Set fields of a frozen dataclass, from within its constructor."""
    for name, value in values.items():
        object.__setattr__(data, name, value)


def construct_unchecked(cls: type[Data], **values: Any) -> Data:
    """An instance with these values for all its fields, in the form in which its constructor keeps them."""
    data = object.__new__(cls)
    data.__dict__.update(values)
    return data


def replace_unchecked(data: Data, **values: Any) -> Data:
    """A copy with other values for some fields, and nothing that was derived from the old ones."""
    # Data is any dataclass, for which typing has no bound.
    old = {field.name: getattr(data, field.name) for field in fields(data)}  # type: ignore[arg-type]
    return construct_unchecked(type(data), **{**old, **values})
