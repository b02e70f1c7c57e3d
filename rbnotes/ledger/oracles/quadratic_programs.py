"""Quadratic programs solved by definition: objective values, virtual work, enumeration of active sets."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
from scipy.linalg import null_space

from rbnotes.arguments import Array

Objective = Callable[[Array], float]


def quadratic_parts(objective: Objective, size: int) -> tuple[Array, Array]:
    """Return Hessian and gradient at the origin of a quadratic objective, from its values."""
    units = np.eye(size)
    value = objective(np.zeros(size))
    single = np.array([objective(e) for e in units])
    opposite = np.array([objective(-e) for e in units])
    pairs = np.array([[objective(a + b) for b in units] for a in units])
    return pairs - single[:, None] - single + value, (single - opposite) / 2


def minimizer(objective: Objective, G: Array) -> Array:
    """Return the minimizer of a quadratic objective over all v with ``G v = 0``."""
    hessian, gradient = quadratic_parts(objective, G.shape[1])
    null_basis = null_space(G) if len(G) else np.eye(G.shape[1])
    curvature = null_basis.T @ hessian @ null_basis
    if null_basis.size and np.linalg.eigvalsh(curvature)[0] <= 0:
        raise ArithmeticError("the objective has no least value")
    return null_basis @ np.linalg.solve(curvature, -null_basis.T @ gradient)


def constrained_minimizer(objective: Objective, C: Array, G: Array) -> Array:
    """Return the minimizer under ``C v >= 0`` and ``G v = 0``, by enumerating the active sets."""
    candidates = []
    for active in itertools.product((False, True), repeat=len(C)):
        v = minimizer(objective, np.vstack([G, C[np.array(active, dtype=bool)]]))
        if np.all(C @ v >= -1e-10):
            candidates.append(v)
    return min(candidates, key=objective)


def admissible_velocities(M: Array, G: Array, f: Array) -> Array:
    """Return the velocities with ``G v = 0``, by the principle of virtual work."""
    Z = null_space(G)
    velocities: Array = Z @ np.linalg.solve(Z.T @ M @ Z, Z.T @ f)
    return velocities


def contact_velocities(M: Array, f: Array, C: Array, G: Array) -> Array:
    """Return the velocities after frictionless contact with impulses >= 0, by enumerating the active sets."""
    for pushing in itertools.product((False, True), repeat=len(C)):
        rows = np.vstack([G, C[np.array(pushing, dtype=bool)]])
        W = np.linalg.inv(M)
        impulses = np.linalg.lstsq(rows @ W @ rows.T, -rows @ W @ f, rcond=None)[0]
        v: Array = W @ (f + rows.T @ impulses)
        if np.all(C @ v >= -1e-9) and np.all(impulses[len(G) :] >= -1e-9):
            return v
    raise ArithmeticError("no set of pushing contacts fits")
