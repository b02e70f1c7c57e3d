"""Rigid motions, equivalent point masses, and the cross-product matrix of a vector."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.spatial.transform import Rotation

from rbnotes.arguments import Array


def bracket(a: Array) -> Array:
    """Return the matrix of the cross product with ``a (3,)``, by components."""
    x, y, z = a
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def motion(E: Array, xi: Array) -> Callable[[float], Array]:
    """Return a motion that passes ``E`` at time zero with the body twist ``xi``.

    The body rotates about a fixed axis of the world while its origin moves along a straight line. The twist
    is used only through its definition: angular velocity and velocity of the origin, both in body axes.
    """
    angular_velocity, linear_velocity = E[:3, :3] @ xi[:3], E[:3, :3] @ xi[3:]

    def pose(t: float) -> Array:
        result = np.eye(4)
        result[:3, :3] = Rotation.from_rotvec(t * angular_velocity).as_matrix() @ E[:3, :3]
        result[:3, 3] = E[:3, 3] + t * linear_velocity
        return result

    return pose


def point_masses(mass: float, inertia: Array, com: Array) -> tuple[float, Array]:
    """Return six equal point masses with the given total mass, inertia about their center, and center.

    The result is the mass of each point and the positions ``(6, 3)``.
    """
    second_moments = np.trace(inertia) / 2 * np.eye(3) - inertia
    moments, axes = np.linalg.eigh(second_moments)
    arms = (axes * np.sqrt(3 * np.maximum(moments, 0) / mass)).T
    return mass / 6, np.concatenate([com + arms, com - arms])


def kinetic_energy_matrix(mass: float, inertia: Array, com: Array, *, linear_first: bool = False) -> Array:
    """Return the matrix M of the kinetic energy ``xi^T M xi / 2`` of six point masses."""
    each, points = point_masses(mass, inertia, com)
    rotational = np.stack([np.cross(axis, points) for axis in np.eye(3)], axis=-1)
    translational = np.broadcast_to(np.eye(3), rotational.shape)
    velocities = np.concatenate(
        [translational, rotational] if linear_first else [rotational, translational], axis=-1
    )
    result: Array = each * np.einsum("pic,pid->cd", velocities, velocities)
    return result
