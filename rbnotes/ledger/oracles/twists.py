"""Twists as 4 x 4 matrices, transformed between frames by matrix products."""

from __future__ import annotations

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.oracles.bodies import bracket


def twist_matrix(phi: Array) -> Array:
    """Return ``[phi] (4, 4)`` of a twist ``(6,)``, angular part first."""
    return np.concatenate([np.column_stack([bracket(phi[:3]), phi[3:]]), np.zeros((1, 4))])


_UNIT_TWISTS = np.stack([twist_matrix(unit) for unit in np.eye(6)])


def twist_from_matrix(X: Array) -> Array:
    """Return the twist ``(6,)`` of a matrix ``[phi] (4, 4)``."""
    return np.array([X[2, 1], X[0, 2], X[1, 0], *X[:3, 3]])


def adjoint_by_conjugation(E: Array) -> Array:
    """Return the adjoint of E from ``[Ad phi] = E [phi] E^-1`` for the six unit twists."""
    X = E @ _UNIT_TWISTS @ np.linalg.inv(E)
    return np.stack([X[:, 2, 1], X[:, 0, 2], X[:, 1, 0], *X[:, :3, 3].T])


def commutator(a: Array, b: Array) -> Array:
    """Return the Lie bracket of two twists, as the commutator of their matrices."""
    A, B = twist_matrix(a), twist_matrix(b)
    return twist_from_matrix(A @ B - B @ A)
