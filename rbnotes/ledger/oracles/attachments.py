"""Attached components: effective masses from kinetic energies, soft constraints from a minimum principle."""

from __future__ import annotations

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.oracles.constrained_systems import energy_matrix, least_squares_multipliers


def attached_velocities(G: Array, v: Array) -> Array:
    """Return the velocities of all components; each attached component satisfies ``v_k + G_k v = 0``."""
    return np.concatenate([v, [-(row @ v) for row in G]])


def effective_mass(M: Array, G: Array) -> Array:
    """Return the matrix of the total kinetic energy in the velocities of the independent components."""
    return energy_matrix(M, lambda v: attached_velocities(G, v), G.shape[1])


def effective_rows(rows: Array, G: Array) -> Array:
    """Return the constraint rows in the velocities of the independent components."""
    return np.stack([rows @ attached_velocities(G, unit) for unit in np.eye(G.shape[1])], axis=1)


def soft_constrained_motion(
    M: Array, f: Array, soft: tuple[Array, Array, Array], hard: tuple[Array, Array]
) -> tuple[Array, Array, Array]:
    """Return the velocities that minimize the kinetic objective under hard and soft constraints.

    The objective is ``v^T M v / 2 - f^T v`` plus ``(G v - g)^2 / (2 R)`` for each soft constraint ``G v =
    g``; ``H v = h`` holds exactly.

    Parameters
    ----------
    soft
        G ``(k, n)``, g ``(k,)`` and the positive regularizations R ``(k,)``.
    hard
        H ``(m, n)`` and h ``(m,)``.

    Returns
    -------
    v, soft_multipliers, hard_multipliers
        Velocities, and the multipliers of the rows of G and of H.
    """
    (G, g, R), (H, h) = soft, hard
    root = np.linalg.cholesky(M).T
    particular = np.linalg.lstsq(H, h, rcond=None)[0]
    null_basis = np.linalg.svd(H)[2][len(H) :].T
    # A sum of squares: the distance from the free motion, and the violations.
    squares = np.vstack([root, G / np.sqrt(R)[:, None]])
    right_hand_side = np.concatenate([np.linalg.solve(root.T, f), g / np.sqrt(R)])
    reduced_velocity = np.linalg.lstsq(
        squares @ null_basis, right_hand_side - squares @ particular, rcond=None
    )[0]
    v = particular + null_basis @ reduced_velocity
    soft_multipliers = np.array([(target - row @ v) / r for row, target, r in zip(G, g, R, strict=True)])
    hard_multipliers = least_squares_multipliers(
        M @ v - f - sum(row * p for row, p in zip(G, soft_multipliers, strict=True)), H
    )
    return v, soft_multipliers, hard_multipliers
