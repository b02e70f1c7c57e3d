"""Tools for checking formulas: numerical derivatives, operation counts, random frames and inertias.

>>> from rbnotes import testing
>>> estimate = testing.jacobian(lambda x: x**2, [1.0, 2.0])
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
    "count_multiplications",
    "derivative",
    "interruptible",
    "jacobian",
    "jacobian_se3",
    "jacobian_so3",
    "reproducible_draws",
    "strategies",
]
