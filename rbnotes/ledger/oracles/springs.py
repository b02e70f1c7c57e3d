"""A spring between two points: its force from a potential and a dissipation function, by complex steps.

Positions and velocities are ``x, v (2, 3)``. The tension V' + dR/dldot is nonlinear in the length and its
rate.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.oracles import complex_steps
from rbnotes.testing import complex_step, jacobian

Potential = Callable[[Array], Array]
Dissipation = Callable[[Array, Array], Array]


def distance(x: Array) -> Array:
    """Return the distance l ``(...)`` of real or complex points ``(..., 2, 3)``."""
    step = x[..., 1, :] - x[..., 0, :]
    result: Array = np.sqrt(np.sum(step * step, axis=-1))
    return result


def _distance(flat: Array) -> Array:
    return distance(flat.reshape(*flat.shape[:-1], 2, 3))


def distance_rate(x: Array, v: Array) -> Array:
    """Return dl/dt, by a complex step of the distance along the motion."""
    return complex_steps.directional_derivative(distance, x, v)


def first_point_derivative(function: Callable[[Array], Array], x: Array) -> Array:
    """Return the derivative with respect to the first point of a pair, by complex steps."""
    return complex_step(lambda z: function(np.array([z, x[1] + 0 * z])), x[0])


def force_on_ends(potential: Potential, dissipation: Dissipation, x: Array, v: Array) -> Array:
    """Return the forces ``(2, 3)``: minus the derivatives of V in the points and of R in the velocities."""
    length = distance(x)
    gradient = complex_steps.partial_derivatives(_distance, x.ravel())  # the rate is its product with v
    conservative = complex_steps.partial_derivatives(lambda z: potential(_distance(z)), x.ravel())
    dissipative = complex_steps.partial_derivatives(lambda u: dissipation(length, u @ gradient), v.ravel())
    return -(conservative + dissipative).reshape(2, 3)


def cubic_spring(k: float, d: float) -> tuple[Potential, Dissipation]:
    """Return V = k (l^3 / 3 - l) and R = d l ldot^2 / 2 + ldot^4 / 16."""
    return (
        lambda length: k * (length**3 / 3 - length),
        lambda length, ldot: d * length * ldot**2 / 2 + ldot**4 / 16,
    )


def tension(length: Array, ldot: Array, k: float, d: float) -> Array:
    """Return the tension F(l, ldot) of the cubic spring."""
    return k * (length**2 - 1) + d * length * ldot + ldot**3 / 4


def tension_length_derivative(length: Array, ldot: Array, k: float, d: float) -> Array:
    """Return dF/dl of the cubic spring."""
    return 2 * k * length + d * ldot


def tension_rate_derivative(length: Array, ldot: Array, k: float, d: float) -> Array:
    """Return dF/dldot of the cubic spring."""
    return d * length + 3 * ldot**2 / 4


def linear_spring(k: float, d: float, r: float) -> tuple[Potential, Dissipation]:
    """Return V = k (l - r)^2 / 2 and R = d ldot^2 / 2."""
    return lambda length: k * (length - r) ** 2 / 2, lambda length, ldot: d * ldot**2 / 2


def spring_tension(spring: tuple[Potential, Dissipation], x: Array, v: Array) -> Array:
    """Return the component of the force on the first point towards the second."""
    result: Array = force_on_ends(*spring, x, v)[0] @ (x[1] - x[0]) / distance(x)
    return result


def force_jacobians(spring: tuple[Potential, Dissipation], x: Array, v: Array) -> Array:
    """Return the derivatives ``(2, 6, 6)`` of the forces in positions and velocities, by differences."""

    def force(x: Array, v: Array) -> Array:
        return force_on_ends(*spring, x.reshape(2, 3), v.reshape(2, 3)).ravel()

    positions, velocities = x.ravel(), v.ravel()
    return np.array(
        [
            jacobian(lambda z: force(z, velocities), positions).value,
            jacobian(lambda z: force(positions, z), velocities).value,
        ]
    )


def first_point_difference(function: Callable[[Array], Array], x: Array) -> Array:
    """Return the derivative with respect to the first point of a pair, by differences."""
    return jacobian(lambda z: function(np.array([z, x[1]])), x[0]).value
