"""What references are built from: motions through space, point masses, the bracket of a vector.

Nothing here uses the library's geometry, so that an agreement with the library means something.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.spatial.transform import Rotation

from rbnotes.arguments import Array


def bracket(a: Array) -> Array:
    """Matrix of the cross product with ``a (3,)``, written out by components."""
    x, y, z = a
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def motion(E: Array, xi: Array) -> Callable[[float], Array]:
    """A motion that passes ``E`` at time zero with the body twist ``xi``.

    The body turns about a fixed axis of the world while its origin flies straight: the twist is only met as
    what it means, an angular velocity and the velocity of the origin, both seen from the body.
    """
    turning, flying = E[:3, :3] @ xi[:3], E[:3, :3] @ xi[3:]

    def pose(t: float) -> Array:
        moved = np.eye(4)
        moved[:3, :3] = Rotation.from_rotvec(t * turning).as_matrix() @ E[:3, :3]
        moved[:3, 3] = E[:3, 3] + t * flying
        return moved

    return pose


def point_masses(mass: float, inertia: Array, com: Array) -> tuple[float, Array]:
    """Six equal point masses with the given total mass, inertia about their centre, and centre.

    Returns the mass of each and their positions ``(6, 3)``.
    """
    second_moments = np.trace(inertia) / 2 * np.eye(3) - inertia
    moments, axes = np.linalg.eigh(second_moments)
    arms = (axes * np.sqrt(3 * np.maximum(moments, 0) / mass)).T
    return mass / 6, np.concatenate([com + arms, com - arms])


def kinetic_energy_matrix(mass: float, inertia: Array, com: Array, *, linear_first: bool = False) -> Array:
    """The matrix M of the kinetic energy ``xi^T M xi / 2`` of six point masses, from their velocities."""
    each, points = point_masses(mass, inertia, com)
    turning = np.stack([np.cross(axis, points) for axis in np.eye(3)], axis=-1)
    flying = np.broadcast_to(np.eye(3), turning.shape)
    velocities = np.concatenate([flying, turning] if linear_first else [turning, flying], axis=-1)
    return each * np.einsum("pic,pid->cd", velocities, velocities)


def constrained_system(M: Array, G: Array, b: Array, g: Array) -> tuple[Array, Array]:
    """v and lambda with ``M v - G^T lambda = b`` and ``G v = g``, solved as one dense linear system."""
    k, n = G.shape
    system = np.zeros((n + k, n + k))
    for i in range(n):
        system[i, :n] = M[i]
        system[i, n:] = [-row[i] for row in G]
    system[n:, :n] = G
    both = np.linalg.solve(system, np.concatenate([b, g]))
    return both[:n], both[n:]


def energy_matrix(M: Array, velocities: Callable[[Array], Array], size: int) -> Array:
    """Matrix of the kinetic energy in ``size`` velocities that the others follow, from energies alone."""

    def energy(reduced: Array) -> float:
        v = velocities(reduced)
        return float(v @ M @ v / 2)

    units = np.eye(size)
    return np.array([[energy(a + b) - energy(a) - energy(b) for b in units] for a in units])


def least_action(M: Array, f: Array, G: Array, g: Array) -> Array:
    """The v with ``G v = g`` that minimises ``v^T M v / 2 - f^T v``, by least squares in the null space."""
    particular = np.linalg.lstsq(G, g, rcond=None)[0]
    free = np.linalg.svd(G)[2][len(G) :].T
    root = np.linalg.cholesky(M)
    along = np.linalg.lstsq(root.T @ free, np.linalg.solve(root, f - M @ particular), rcond=None)[0]
    return particular + free @ along


def multipliers_of(force: Array, G: Array) -> Array:
    """Weights of the rows of G in a force that they make up."""
    return np.linalg.lstsq(np.stack(list(G), axis=1), force, rcond=None)[0]
