"""One contact with pyramid friction, solved by enumerating its cases, without a sliding multiplier."""

from __future__ import annotations

import numpy as np

from rbnotes.arguments import Array


def pyramid_corners(count: int) -> Array:
    """Return the corners ``(count, 2)`` of the pyramid's unit section, the first on the first axis."""
    angles = 2 * np.pi * np.arange(count) / count
    return np.column_stack([np.cos(angles), np.sin(angles)])


def gauge(point: Array, polygon: Array) -> float:
    """Return the factor that scales the polygon ``(c, 2)`` about the origin until the point is on an edge."""
    pairs = zip(polygon, np.roll(polygon, 1, axis=0), strict=True)
    return max(float(np.linalg.solve(np.stack(pair), np.ones(2)) @ point) for pair in pairs)


def pyramid_contact(
    M: Array, momentum: Array, normal: Array, tangents: Array, mu: float, polygon: Array
) -> tuple[Array, float, Array]:
    """Return velocity, normal impulse and friction impulse ``(2,)`` of one contact.

    The contact opens, sticks, slides with friction in a corner of the polygon, or slides across one of its
    edges. Each case is a small linear problem; the result is the case with the least violated inequalities.
    """
    rows = np.vstack([normal, tangents])
    inverse = np.linalg.inv(M)
    W, free_velocity = rows @ inverse @ rows.T, rows @ inverse @ momentum

    def violation(impulse: Array) -> float:
        u = free_velocity + W @ impulse
        normal, friction = impulse[0], impulse[1:]
        excess_power = friction @ u[1:] - normal * mu * np.min(polygon @ u[1:])
        outside = gauge(friction, polygon) - mu * normal
        result: float = max(abs(min(normal, u[0])), outside, excess_power)
        return result

    candidates = [np.zeros(3), -np.linalg.solve(W, free_velocity)]
    for first, second in zip(polygon, np.roll(polygon, 1, axis=0), strict=True):
        in_corner = np.append(1.0, mu * first)
        candidates.append(-free_velocity[0] / (W[0] @ in_corner) * in_corner)
        ends = np.column_stack([in_corner, np.append(1.0, mu * second)])
        conditions = np.stack([[1.0, 0.0, 0.0], np.append(0.0, second - first)])
        coefficients = np.linalg.lstsq(conditions @ W @ ends, -conditions @ free_velocity, rcond=None)[0]
        if np.all(coefficients >= 0):
            candidates.append(ends @ coefficients)
    best = min(candidates, key=violation)
    return inverse @ (momentum + rows.T @ best), float(best[0]), best[1:]


def eliminate_velocity(A: Array, right: Array) -> tuple[Array, Array]:
    """Return M and q of the LCP in z that remains of ``A (x, z) - (right, 0) = (0, w)`` without x (3)."""
    response = np.linalg.solve(A[:3, :3], np.column_stack([-A[:3, 3:], right]))
    return A[3:, 3:] + A[3:, :3] @ response[:, :-1], A[3:, :3] @ response[:, -1]


def sliding_states(s: Array, limit: float, excess: float) -> tuple[Array, list[Array]]:
    """Return the momentum of a unit mass that ends at the velocity s ``(2,)``, and two LCP states for it.

    Friction has the magnitude ``limit`` along the facet, of eight, that opposes the sliding most; the
    coefficient is one. The states (theta, phi, xi) have the least xi with all sigma >= 0, and a greater one.
    """
    facets = pyramid_corners(8)
    phi = limit * (np.arange(8) == np.argmin(facets @ s))
    smallest_xi = -min(facets @ s)
    momentum = np.append(s - phi @ facets, -limit)
    return momentum, [np.concatenate([[limit], phi, [xi]]) for xi in (smallest_xi, smallest_xi + excess)]
