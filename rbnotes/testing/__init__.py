"""Tools for checking formulas: differences, counted operations, random frames and inertias.

>>> from rbnotes import checking
>>> estimate = checking.jacobian(lambda x: x**2, [1.0, 2.0])
>>> estimate.value.round(6).tolist(), bool(estimate.error < 1e-9)
([[2.0, 0.0], [0.0, 4.0]], True)
"""

from rbnotes.testing import strategies
from rbnotes.testing.differences import (
    DerivativeEstimate,
    complex_step,
    derivative,
    jacobian,
    jacobian_se3,
    jacobian_so3,
)
from rbnotes.testing.interrupts import interruptible
from rbnotes.testing.operation_counts import count_multiplications
from rbnotes.testing.reproducible_draws import SEED, reproducible_draws

__all__ = [
    "SEED",
    "DerivativeEstimate",
    "complex_step",
    "derivative",
    "interruptible",
    "jacobian",
    "jacobian_se3",
    "jacobian_so3",
    "count_multiplications",
    "reproducible_draws",
    "strategies",
]
