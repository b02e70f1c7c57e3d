"""Compliant constraints (springs and dampers), from their energies and from averages over a step."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np

from rbnotes.arguments import Array
from rbnotes.testing import complex_step


def curved_constraint(q: Array) -> Array:
    """Return two nonlinear constraint functions of four real or complex coordinates."""
    return np.array([q[0] ** 2 + q[1] * q[2] - 1, np.sin(q[3]) + q[0] * q[1] - q[2]])


def elastic_work(phi: Array, alpha: Array) -> Array:
    """Return the work against springs of compliance alpha as the errors grow from zero to phi ``(k,)``."""
    nodes, weights = np.polynomial.legendre.leggauss(3)
    errors = [(s + 1) / 2 * phi for s in nodes]
    parts = [w / 2 * phi @ np.linalg.solve(alpha, e) for e, w in zip(errors, weights, strict=True)]
    result: Array = np.sum(parts, axis=0)
    return result


def soft_multiplier(phi: Array, rate: Array, alpha: Array, dampers: Array) -> Array:
    """Return minus the derivatives of the springs' work and of half the dampers' power."""
    elastic = complex_step(lambda e: elastic_work(e, alpha), phi)
    viscous = complex_step(lambda r: r @ dampers @ r / 2, rate)
    return -(elastic + viscous)


def soft_step(
    M: Array, G: Array, b: Array, phi: Array, alpha: Array, beta: Array, h: float
) -> tuple[Array, Array]:
    """Return the new velocities ``(n,)`` and mean multipliers ``(k,)`` of a step, from the averages.

    ``M v = b + h G^T mean`` and ``alpha mean = -(phi + h/2 G v) - beta G v``, solved at once.
    """
    mean_error = h / 2 * G
    system = np.block([[M, -h * G.T], [mean_error + beta @ G, alpha]])
    solution = np.linalg.solve(system, np.concatenate([b, -phi]))
    return solution[: len(M)], solution[len(M) :]


def soft_contacts(
    M: Array, N: Array, b: Array, phi: Array, alpha: Array, beta: Array, h: float
) -> tuple[Array, Array, Array]:
    """Return the new velocities, mean forces ``(k,)`` and w of soft contacts; all combinations are tried.

    alpha and beta are matrices ``(k, k)``. w is the residual of the rows of Lloyd (0.10).
    """
    k, n = N.shape
    relaxed = np.eye(k) * h / 2 + beta
    for pushing in itertools.product((False, True), repeat=k):
        is_active = np.array(pushing)
        rows = np.where(is_active[:, None], np.linalg.solve(relaxed, np.hstack([relaxed @ N, alpha])), 0.0)
        rows[~is_active, n:] = np.eye(k)[~is_active]
        right_side = np.where(is_active, -np.linalg.solve(relaxed, phi), 0.0)
        solution = np.linalg.solve(
            np.vstack([np.hstack([M, -h * N.T]), rows]), np.concatenate([b, right_side])
        )
        v, force = solution[:n], solution[n:]
        w = np.linalg.solve(relaxed, alpha @ force + phi) + N @ v
        if np.all(force >= -1e-12) and np.all(w >= -1e-12):
            return v, force, w
    raise ArithmeticError("no combination of contacts is consistent")


def step_errors(q: Array, v: Array, a: Array, h: float) -> tuple[Array, Array, Array]:
    """Return phi at both ends of a step of ``q + v t + a t^2 / 2``, and ``G v`` at its end.

    G is that at the start of the step.
    """
    G = complex_step(curved_constraint, q)
    return curved_constraint(q), curved_constraint(q + h * v + h**2 / 2 * a), G @ (v + h * a)


def value_and_slope_at_zero(mean: Callable[[float], Array]) -> Array:
    """Return value and derivative ``(2, k)`` at h = 0 of a function of the step size, from eight sizes."""
    sizes, unit = np.arange(1, 9) / 8, 1 / 64
    fitted = np.polynomial.polynomial.polyfit(sizes, [mean(unit * s) for s in sizes], 7)
    return np.stack([fitted[0], fitted[1] / unit])
