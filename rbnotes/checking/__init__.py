"""Tools for checking formulas: differences, counted operations, random frames and inertias.

>>> from rbnotes import checking
>>> estimate = checking.jacobian(lambda x: x**2, [1.0, 2.0])
>>> estimate.value.round(6).tolist(), bool(estimate.error < 1e-9)
([[2.0, 0.0], [0.0, 4.0]], True)
"""

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
from rbnotes.checking.draws import SEED, same_everywhere
from rbnotes.checking.interrupts import interruptible

__all__ = [
    "SEED",
    "Estimate",
    "complex_step",
    "derivative",
    "interruptible",
    "jacobian",
    "jacobian_se3",
    "jacobian_so3",
    "multiplications",
    "same_everywhere",
    "strategies",
]
