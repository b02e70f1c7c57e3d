"""Tools for checking formulas: differences, counted operations, random frames and inertias."""

from rbnotes.checking import strategies
from rbnotes.checking.counting import multiplications
from rbnotes.checking.differences import (
    Estimate,
    complex_step,
    derivative,
    jacobian,
    jacobian_se3,
    jacobian_so3,
)
from rbnotes.checking.draws import same_everywhere

__all__ = [
    "Estimate",
    "complex_step",
    "derivative",
    "jacobian",
    "jacobian_se3",
    "jacobian_so3",
    "multiplications",
    "same_everywhere",
    "strategies",
]
