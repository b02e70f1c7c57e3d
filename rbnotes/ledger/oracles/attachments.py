"""Attached components that follow others: effective masses from energies, softened motions from a minimum."""

from __future__ import annotations

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.oracles.constrained_systems import energy_matrix, least_squares_multipliers


def attached_velocities(G: Array, v: Array) -> Array:
    """Return all velocities where attached ones follow: row by row ``v_k + G_k v = 0``."""
    return np.concatenate([v, [-(row @ v) for row in G]])


def effective_mass(M: Array, G: Array) -> Array:
    """Matrix of the kinetic energy of all components in the velocities that the attached ones follow."""
    return energy_matrix(M, lambda v: attached_velocities(G, v), G.shape[1])


def effective_rows(rows: Array, G: Array) -> Array:
    """Return the constraint rows in the velocities of the components that stay; attached ones follow."""
    return np.stack([rows @ attached_velocities(G, unit) for unit in np.eye(G.shape[1])], axis=1)


def soft_constrained_motion(
    M: Array, f: Array, soft: tuple[Array, Array, Array], hard: tuple[Array, Array]
) -> tuple[Array, Array, Array]:
    """Return the motion of least action under hard constraints and soft ones.

    Minimises ``v^T M v / 2 - f^T v`` plus, for each soft constraint ``G v = g``, the cost
    ``(G v - g)^2 / (2 R)`` of a violation, as a damper between the two would; ``H v = h`` holds exactly.

    Parameters
    ----------
    soft
        G ``(k, n)``, g ``(k,)`` and the softnesses R ``(k,)``, positive.
    hard
        H ``(m, n)`` and h ``(m,)``.

    Returns
    -------
    v, soft_push, hard_push
        Velocities; weights of the rows of G and of H in the forces that act on the components.
    """
    (G, g, R), (H, h) = soft, hard
    root = np.linalg.cholesky(M).T
    particular = np.linalg.lstsq(H, h, rcond=None)[0]
    free = np.linalg.svd(H)[2][len(H) :].T
    # A sum of squares: of the distance from the free motion, and of the violations.
    squares = np.vstack([root, G / np.sqrt(R)[:, None]])
    right_hand_side = np.concatenate([np.linalg.solve(root.T, f), g / np.sqrt(R)])
    reduced_velocity = np.linalg.lstsq(squares @ free, right_hand_side - squares @ particular, rcond=None)[0]
    v = particular + free @ reduced_velocity
    soft_push = np.array([(target - row @ v) / r for row, target, r in zip(G, g, R, strict=True)])
    hard_push = least_squares_multipliers(
        M @ v - f - sum(row * p for row, p in zip(G, soft_push, strict=True)), H
    )
    return v, soft_push, hard_push
