"""Types of arguments, and the errors of checks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating[Any]]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]

Matrix = Any
"""Two-dimensional NumPy or scipy.sparse array; their declared types have no operators in common."""

ArrayField = Any
"""Type of array fields of dataclasses: constructors accept nested lists, and the fields hold checked
read-only arrays.

No declared type expresses both.
"""


class InvalidArgument(ValueError):
    """Error of an argument that a function does not accept; the message names the expected value."""

    def __init__(self, name: str, got: str, expected: str) -> None:
        super().__init__(f"{name}: got {got}, expected {expected}")
        self.name, self.got, self.expected = name, got, expected


class SingularConfiguration(InvalidArgument):
    """Error of an argument at, or too near to, a singularity of the formula."""


def format_value(value: Any) -> str:
    """Return the first characters of a value's representation, for messages."""
    try:
        return f"{value!r:.60}"
    except Exception:  # of the caller's own class, or of a list that is nested too deeply
        return "without a representation"
