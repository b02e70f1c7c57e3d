"""What is raised where an argument is not what a function needs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating[Any]]

Matrix = Any
"""A NumPy array or a scipy.sparse array, with two axes: their declared types have no operators in common."""

ArrayField = Any
"""Of a dataclass: whoever makes it may give nested lists, whoever reads it finds a checked array that cannot
be written to. No declared type says both."""


class InvalidArgument(ValueError):
    """An argument is not what the function needs; the message says what it got and what was expected."""

    def __init__(self, name: str, got: str, expected: str) -> None:
        super().__init__(f"{name}: got {got}, expected {expected}")
        self.name, self.got, self.expected = name, got, expected


class SingularConfiguration(InvalidArgument):
    """The argument lies on (or too near to) a singularity of the formula."""
