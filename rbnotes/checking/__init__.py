"""Tools for checking formulas: numerical derivatives; random rotations, frames, inertias."""

from rbnotes.checking import strategies
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
    "same_everywhere",
    "strategies",
]
