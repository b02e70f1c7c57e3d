"""Bodies under wrenches, each as six point masses that obey Newton's law."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.oracles.bodies import point_masses
from rbnotes.ledger.oracles.twists import twist_matrix

Body = tuple[float, Array, Array]
"""Mass, center of mass, and inertia about it."""


def inertial_wrench(m: float, c: Array, J: Array, phi: Array, phidot: Array) -> Array:
    """Return the wrench in the body frame that accelerates the point masses."""
    each, points = point_masses(m, J, c)
    X = twist_matrix(phi)
    accelerations = (np.column_stack([points, np.ones(6)]) @ (twist_matrix(phidot) + X @ X).T)[:, :3]
    forces = each * accelerations
    return np.concatenate([np.sum(np.cross(points, forces), axis=0), np.sum(forces, axis=0)])


def acceleration(m: float, c: Array, J: Array, phi: Array, wrench: Array) -> Array:
    """Return the rate phidot of the twist under a wrench, by inverting :func:`inertial_wrench`."""
    at_rest = inertial_wrench(m, c, J, phi, np.zeros(6))
    columns = [inertial_wrench(m, c, J, phi, unit) - at_rest for unit in np.eye(6)]
    return np.linalg.solve(np.stack(columns, axis=-1), wrench - at_rest)


def unconstrained_step(
    bodies: Sequence[Body], twists: Sequence[Array], wrenches: Sequence[Array], h: float
) -> Array:
    """Return the stacked twists of unconstrained bodies after a step under the given wrenches."""
    steps = [
        phi + h * acceleration(m, c, J, phi, wrench)
        for (m, c, J), phi, wrench in zip(bodies, twists, wrenches, strict=True)
    ]
    return np.concatenate(steps)


def free_motion(m: float, c: Array, J: Array, E: Array, phi: Array, wrench: Array, duration: float) -> Array:
    """Return the pose after a short free motion under a wrench that is constant in the body frame.

    It is one step of the classical Runge-Kutta method; its error is of fifth order in the duration.
    """

    def rates(pose: Array, twist: Array) -> tuple[Array, Array]:
        return pose @ twist_matrix(twist), acceleration(m, c, J, twist, wrench)

    total, (pose_rate, twist_rate) = np.zeros((4, 4)), rates(E, phi)
    for fraction, weight in ((1 / 2, 1 / 6), (1 / 2, 1 / 3), (1, 1 / 3), (0, 1 / 6)):
        total += weight * pose_rate
        if fraction:
            time = fraction * duration
            pose_rate, twist_rate = rates(E + time * pose_rate, phi + time * twist_rate)
    end: Array = E + duration * total
    return end
