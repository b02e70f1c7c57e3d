"""d'Alembert's principle for point masses with generalized coordinates; velocities by complex steps.

A system is a function from coordinates ``(..., k)`` to the positions ``(..., N, 3)`` of its point masses.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.oracles import complex_steps
from rbnotes.ledger.oracles.pose_products import derivative_along_motion

PositionFunction = Callable[[Array], Array]


def mass_matrix(positions: PositionFunction, masses: Array, q: Array) -> Array:
    """Return the mass matrix, from the point velocities at unit rates."""
    G = complex_steps.partial_derivatives(positions, q)
    result: Array = np.einsum("n,ina,jna->ij", masses, G, G)
    return result


def net_generalized_force(
    positions: PositionFunction, masses: Array, gravity: Array, q: Array, qdot: Array
) -> Array:
    """Return the generalized gravity forces minus the inertial forces at ``qddot = 0``."""

    def velocities(x: Array) -> Array:
        return complex_steps.directional_derivative(positions, x, qdot)

    result: Array = np.einsum(
        "n,ina,na->i",
        masses,
        complex_steps.partial_derivatives(positions, q),
        gravity - derivative_along_motion(velocities, q, qdot),
    )
    return result


def acceleration(
    positions: PositionFunction,
    masses: Array,
    gravity: Array,
    q: Array,
    qdot: Array,
    force: Array | float = 0.0,
) -> Array:
    """Return ``qddot`` of the point masses under gravity and a generalized force."""
    total_force = np.asarray(force) + net_generalized_force(positions, masses, gravity, q, qdot)
    result: Array = np.linalg.solve(mass_matrix(positions, masses, q), total_force)
    return result
