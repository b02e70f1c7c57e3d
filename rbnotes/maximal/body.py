"""A single rigid body in body coordinates: its equations of motion, its momentum, its steps (Sueda 1.6, 1.8).

The state is a pose ``E (4, 4)`` and a body twist ``phi (6,)``, angular part first. ``M (6, 6)`` is the
spatial inertia about the origin of the body frame, which may lie anywhere in the body.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments, inertia, se3
from rbnotes.arguments import Array, InvalidArgument


class BodyState(NamedTuple):
    """Pose ``(..., 4, 4)`` and body twist ``(..., 6)``."""

    E: Array
    phi: Array


Wrench = Callable[[Array, Array], ArrayLike]
"""External body wrench ``(6,)`` at a pose and a body twist."""


def gyroscopic_wrench(M: ArrayLike, phi: ArrayLike) -> Array:
    """Wrench ``(..., 6)`` of the body's own motion, ``ad(phi)^T M phi`` (Sueda 1.6, eq. (1.21)).

    It does no work.
    """
    M, phi = arguments.positive_definite("M", M, 6), arguments.twist("phi", phi)
    return np.einsum("...ji,...jk,...k->...i", se3.ad(phi), M, phi)


def gravity_wrench(E: ArrayLike, M: ArrayLike, g: ArrayLike) -> Array:
    """Body wrench ``(..., 6)`` of gravity ``g (3,)``, given in the world (Sueda 1.6, eq. (1.22)).

    The force acts at the centre of mass; about another origin of the body frame it has a moment.
    """
    mass, _, com = inertia.from_spatial_inertia(M)
    return se3.point_wrench(E, com, mass[..., None] * arguments.vector("g", g))


def acceleration(M: ArrayLike, phi: ArrayLike, wrench: ArrayLike) -> Array:
    """Rate of the body twist ``(..., 6)``: ``M dphi/dt = ad(phi)^T M phi + wrench`` (Sueda eq. (1.21))."""
    force = gyroscopic_wrench(M, phi) + arguments.twist("wrench", wrench)
    return np.linalg.solve(np.asarray(M, dtype=np.float64), force[..., None])[..., 0]


def euler_step(M: ArrayLike, state: BodyState, wrench: ArrayLike, h: float) -> BodyState:
    """Twist from the wrench at the start, then the pose with the new twist (Sueda eqs. (1.28), (1.29))."""
    h = float(arguments.positive("h", h))
    phi = np.asarray(state.phi) + h * acceleration(M, state.phi, wrench)
    return BodyState(np.asarray(state.E) @ se3.exp(h * phi), phi)


def runge_kutta_step(M: ArrayLike, state: BodyState, wrench: Wrench, h: float) -> BodyState:
    """Fourth-order Runge-Kutta-Munthe-Kaas step: the reference for the others.

    The pose at a stage is ``E exp([xi])``; xi changes at the rate that gives the stage's body twist.
    """
    h = float(arguments.positive("h", h))

    def rates(xi: Array, phi: Array) -> Array:
        pose = state.E @ se3.exp(xi)
        xidot = se3.right_jacobian_inverse(xi) @ phi
        return np.concatenate([xidot, acceleration(M, phi, wrench(pose, phi))])

    start = np.concatenate([np.zeros(6), state.phi])
    k1 = rates(*np.split(start, 2))
    k2 = rates(*np.split(start + h / 2 * k1, 2))
    k3 = rates(*np.split(start + h / 2 * k2, 2))
    k4 = rates(*np.split(start + h * k3, 2))
    xi, phi = np.split(start + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), 2)
    return BodyState(state.E @ se3.exp(xi), phi)


def fly(
    M: ArrayLike, state: BodyState, wrench: Wrench, h: float, steps: int, *, method: str = "euler"
) -> BodyState:
    """States after 0, 1, ..., ``steps`` steps: poses ``(steps + 1, 4, 4)`` and twists ``(steps + 1, 6)``.

    Parameters
    ----------
    method : "euler" or "runge-kutta"
    """
    arguments.choice("method", method, ("euler", "runge-kutta"))
    if steps < 1:
        raise InvalidArgument("steps", str(steps), "at least 1")
    states = [BodyState(arguments.frame("E", state.E), arguments.vector("phi", state.phi, 6))]
    for _ in range(steps):
        now = states[-1]
        if method == "euler":
            states.append(euler_step(M, now, wrench(*now), h))
        else:
            states.append(runge_kutta_step(M, now, wrench, h))
    return BodyState(np.stack([s.E for s in states]), np.stack([s.phi for s in states]))


def kinetic_energy(M: ArrayLike, phi: ArrayLike) -> Array:
    """``phi^T M phi / 2 (...)``, J."""
    M, phi = arguments.positive_definite("M", M, 6), arguments.twist("phi", phi)
    return np.einsum("...i,...ij,...j->...", phi, M, phi) / 2


def world_momentum(M: ArrayLike, E: ArrayLike, phi: ArrayLike) -> Array:
    """Angular momentum about the world's origin, then linear momentum ``(..., 6)``, in world coordinates."""
    M, phi = arguments.positive_definite("M", M, 6), arguments.twist("phi", phi)
    momentum = np.einsum("...ij,...j->...i", M, phi)
    return np.einsum("...ji,...j->...i", se3.Ad_inverse(E), momentum)
