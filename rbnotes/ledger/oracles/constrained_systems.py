"""Constrained linear systems, solved without the library's factorizations; masses from energies."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rbnotes.arguments import Array


def constrained_system(M: Array, G: Array, b: Array, g: Array) -> tuple[Array, Array]:
    """Return v and lambda with ``M v - G^T lambda = b`` and ``G v = g``, from one dense linear system."""
    k, n = G.shape
    system = np.zeros((n + k, n + k))
    for i in range(n):
        system[i, :n] = M[i]
        system[i, n:] = [-row[i] for row in G]
    system[n:, :n] = G
    solution = np.linalg.solve(system, np.concatenate([b, g]))
    return solution[:n], solution[n:]


def energy_matrix(M: Array, velocities: Callable[[Array], Array], size: int) -> Array:
    """Return the mass matrix of `size` independent velocities, from values of the kinetic energy."""

    def energy(reduced: Array) -> float:
        v = velocities(reduced)
        return float(v @ M @ v / 2)

    units = np.eye(size)
    return np.array([[energy(a + b) - energy(a) - energy(b) for b in units] for a in units])


def least_action(M: Array, f: Array, G: Array, g: Array) -> Array:
    """Return v with ``G v = g`` that minimizes ``v^T M v / 2 - f^T v``, by least squares in a null space."""
    particular = np.linalg.lstsq(G, g, rcond=None)[0]
    null_basis = np.linalg.svd(G)[2][len(G) :].T
    root = np.linalg.cholesky(M)
    reduced_velocity = np.linalg.lstsq(
        root.T @ null_basis, np.linalg.solve(root, f - M @ particular), rcond=None
    )[0]
    result: Array = particular + null_basis @ reduced_velocity
    return result


def lagrangian_slopes(M: Array, f: Array, G: Array, g: Array, v: Array, multipliers: Array) -> Array:
    """Return the derivatives of the Lagrangian by v, and minus those by the multipliers.

    The Lagrangian is ``v^T M v / 2 - f^T v - multipliers^T (G v - g)``, a quadratic function, for which
    central differences are exact.
    """

    def lagrangian(unknowns: Array) -> float:
        v, multipliers = unknowns[: len(f)], unknowns[len(f) :]
        action = v @ M @ v / 2 - f @ v
        work = sum(p * (row @ v - c) for p, row, c in zip(multipliers, G, g, strict=True))
        return float(action - work)

    unknowns = np.concatenate([v, multipliers])
    slopes = [
        (lagrangian(unknowns + unit) - lagrangian(unknowns - unit)) / 2 for unit in np.eye(len(unknowns))
    ]
    return np.array([*slopes[: len(f)], *(-slope for slope in slopes[len(f) :])])


def least_squares_multipliers(force: Array, G: Array) -> Array:
    """Return the multipliers of the rows of G that combine to the given force, by least squares."""
    result: Array = np.linalg.lstsq(np.stack(list(G), axis=1), force, rcond=None)[0]
    return result


def project_velocity(M: Array, G: Array, v: Array) -> Array:
    """Return the velocity with ``G v' = 0`` that is nearest to v in kinetic energy, by least squares."""
    null_basis, root = np.linalg.svd(G)[2][len(G) :].T, np.linalg.cholesky(M).T
    result: Array = null_basis @ np.linalg.lstsq(root @ null_basis, root @ v, rcond=None)[0]
    return result


def least_constraint(M: Array, G: Array, f: Array) -> Array:
    """Return M times the admissible acceleration nearest to the free one in the metric M (Gauss)."""
    return M @ project_velocity(M, G, np.linalg.solve(M, f))


def mixed_motion(M: Array, G: Array, N: Array, f: Array, g: Array, z: Array) -> tuple[Array, Array]:
    """Return x and lambda of a mixed LCP for given z, by elimination."""
    total_force = f + sum(weight * row for weight, row in zip(z, N, strict=True))
    return constrained_system(M, G, total_force, g)
