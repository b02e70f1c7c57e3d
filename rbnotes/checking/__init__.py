"""Tools for checking formulas: numerical derivatives and random rotations, frames, inertias."""

from rbnotes.checking import strategies
from rbnotes.checking.differences import (
    Estimate,
    complex_step,
    derivative,
    jacobian,
    jacobian_se3,
    jacobian_so3,
)

__all__ = [
    "Estimate",
    "complex_step",
    "derivative",
    "jacobian",
    "jacobian_se3",
    "jacobian_so3",
    "strategies",
]
