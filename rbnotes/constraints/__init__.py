"""Bilateral constraints: KKT systems and projections (Lloyd 0.5, 0.6).

>>> from rbnotes.constraints import factor_kkt
>>> kkt = factor_kkt([[2.0, 0.0], [0.0, 1.0]], [[1.0, 1.0]])
>>> v, multipliers = kkt.solve([0.0, 3.0])
>>> v.round(9).tolist(), multipliers.round(9).tolist()
([-1.0, 1.0], [-2.0])
"""

from rbnotes.constraints.kkt import (
    KKT,
    factor_kkt,
    kkt_inverse,
    kkt_matrix,
)
from rbnotes.constraints.projection import (
    constrained_force,
    constrained_velocity,
    force_projection,
    velocity_projection,
)
from rbnotes.constraints.redundant_rows import InconsistentConstraints

__all__ = [
    "KKT",
    "InconsistentConstraints",
    "constrained_force",
    "constrained_velocity",
    "factor_kkt",
    "force_projection",
    "kkt_inverse",
    "kkt_matrix",
    "velocity_projection",
]
