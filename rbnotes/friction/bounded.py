"""Friction with bounds that are given: the second of the two programs of staggered projections (Sueda 2.11).

With the normal impulses known, friction impulses b of c contacts minimise

    b^T W b / 2 + b^T s,      b_i within mu_i a_i times the section of the friction cone,

where s are the sliding velocities without friction and W those per impulse. The section is a square, a disc
or a polygon. What comes out satisfies the law of greatest dissipation: friction stops a contact or, at its
bound, opposes it.
"""

from __future__ import annotations

import numpy as np

from rbnotes.arguments import Array
from rbnotes.complementarity import LCP, BoxLCP, solve_lcp
from rbnotes.friction.best import Solve
from rbnotes.friction.facets import facet_directions
from rbnotes.friction.programs import friction_program

CONES = ("box", "pyramid", "disc")
"""Sections that friction may have: ``|b_1|, |b_2| <= mu a``, a polygon in the disc, the disc."""

SOLVERS = ("own", "cvxpy")

SMOOTH, NEWTON, ROUNDS = 30, 15, 40
"""Gradient and Newton steps in turn, and how often."""

DONE = 1e-12
"""Change, relative to the impulses, up to which the disc is solved."""


def bounded_friction(
    W: Array,
    sliding: Array,
    limits: Array,
    cone: str,
    facets: int,
    start: Array,
    solver: str = "own",
    nearness: float = 0.0,
    solve: Solve = solve_lcp,
) -> Array:
    """Friction impulses ``(c, 2)``.

    Parameters
    ----------
    W : (2 c, 2 c)
        Sliding velocities per impulse, symmetric and positive semidefinite.
    sliding, start : (c, 2)
        Velocities without friction, m/s, and impulses to start from, N s.
    limits : (c,)
        ``mu a``, N s.
    nearness
        Weight, relative to that of W, of the distance from ``start``: chooses among impulses that make the
        same motion, as those of redundant contacts do. What does not change is exact whatever it is.
    solve
        Of the problems that boxes and pyramids make.
    """
    moving = (limits > 0) & np.any(W, axis=1).reshape(-1, 2).any(axis=1)
    result = np.zeros_like(sliding)
    if not np.any(moving):
        return result
    rows = np.flatnonzero(np.repeat(moving, 2))
    own, s, bounds = W[np.ix_(rows, rows)], sliding[moving], limits[moving]
    if nearness:
        weight = nearness * np.repeat(_mobility(own), 2)
        own, s = own + np.diag(weight), s - weight.reshape(-1, 2) * start[moving]
    if solver == "cvxpy":
        found = friction_program(len(bounds), cone, facets).solve(own, s, bounds)
        result[moving] = within_section(found, bounds, cone, facets)
    elif cone == "box":
        wide = np.repeat(bounds, 2)
        problem = BoxLCP(own, s.ravel(), -wide, wide)
        result[moving] = solve(problem, start=start[moving].ravel()).z.reshape(-1, 2)
    elif cone == "pyramid":
        result[moving] = _in_pyramids(own, s, bounds, facets, solve)
    else:
        result[moving] = _in_discs(own, s, bounds, start[moving])
    return result


def within_section(impulses: Array, limits: Array, cone: str, facets: int = 4) -> Array:
    """Nearest friction impulses ``(c, 2)`` within ``limits (c,)`` times the section of the cone."""
    if cone == "box":
        result: Array = np.clip(impulses, -limits[:, None], limits[:, None])
        return result
    if cone == "disc":
        size = np.linalg.norm(impulses, axis=1)
        part = np.divide(limits, size, out=np.ones_like(size), where=size > 0)
        shorter: Array = impulses * np.minimum(1.0, part)[:, None]
        return shorter
    corners = limits[:, None, None] * facet_directions(facets)
    sides = np.roll(corners, -1, axis=1) - corners
    lengths = np.sum(sides**2, axis=-1)
    away = impulses[:, None] - corners
    along = np.sum(away * sides, axis=-1) / np.where(lengths > 0, lengths, 1.0)
    nearest = corners + np.clip(along, 0.0, 1.0)[..., None] * sides
    inside = np.all(sides[..., 0] * away[..., 1] >= sides[..., 1] * away[..., 0], axis=1)
    best = np.argmin(np.sum((nearest - impulses[:, None]) ** 2, axis=-1), axis=1)
    return np.where(inside[:, None], impulses, nearest[np.arange(len(best)), best])


def support(velocities: Array, cone: str, facets: int = 4) -> Array:
    """What a unit section takes from velocities ``(..., 2)`` at most: power per bound ``(...)``."""
    if cone == "box":
        result: Array = np.abs(velocities).sum(axis=-1)
    elif cone == "disc":
        result = np.linalg.norm(velocities, axis=-1)
    else:
        result = np.max(velocities @ facet_directions(facets).T, axis=-1)
    return result


def greatest(velocities: Array, cone: str, facets: int = 4) -> Array:
    """The point ``(..., 2)`` of a unit section farthest along velocities ``(..., 2)``, which may be zero."""
    if cone == "box":
        corner: Array = np.sign(velocities)
        return corner
    if cone == "disc":
        size = np.linalg.norm(velocities, axis=-1, keepdims=True)
        unit: Array = np.divide(velocities, size, out=np.zeros_like(velocities), where=size > 0)
        return unit
    directions = facet_directions(facets)
    found = directions[np.argmax(velocities @ directions.T, axis=-1)]
    moving: Array = found * np.any(velocities, axis=-1, keepdims=True)
    return moving


def _in_pyramids(W: Array, s: Array, limits: Array, facets: int, solve: Solve) -> Array:
    """``b = D^T phi`` with ``phi >= 0`` and ``sum phi <= mu a``: a monotone LCP."""
    count = len(limits)
    D = np.kron(np.eye(count), facet_directions(facets))
    E = np.kron(np.eye(count), np.ones((facets, 1)))
    unit = np.repeat(1 / np.sqrt(_mobility(W)), facets)
    units = np.concatenate([unit, 1 / unit[::facets]])
    M = np.block([[D @ W @ D.T, E], [-E.T, np.zeros((count, count))]])
    lcp = LCP(units[:, None] * M * units, units * np.concatenate([D @ s.ravel(), limits]))
    solution = solve_lcp(lcp, check=False)
    if not solution.solved:
        solution = solve(lcp, "lemke")
    phi = (units * solution.z)[: count * facets]
    return (phi @ D).reshape(-1, 2)


def _in_discs(W: Array, s: Array, limits: Array, start: Array) -> Array:
    """Accelerated gradients to tell what sticks, and Newton's method on ``b = P(b - r (W b + s))``."""
    r = np.repeat(1 / _mobility(W), 2)
    root = np.sqrt(r)
    r_gradient = r / np.linalg.norm(root[:, None] * W * root, 2)
    free = s.ravel()

    def changed(b: Array, rate: Array) -> Array:
        wanted = (b - rate * (W @ b + free)).reshape(-1, 2)
        return within_section(wanted, limits, "disc").ravel() - b

    b = within_section(start, limits, "disc").ravel()
    size = max(float(np.max(limits)), 1e-300)
    best, least = b, float(np.max(np.abs(changed(b, r))))
    for _ in range(ROUNDS):
        b, momentum, t = best, best, 1.0
        for _ in range(SMOOTH):
            new = momentum + changed(momentum, r_gradient)
            t_new = (1 + np.sqrt(1 + 4 * t * t)) / 2
            momentum = new + (t - 1) / t_new * (new - b)
            if (new - b) @ (W @ new + free) > 0:
                momentum, t_new = new, 1.0
            b, t = new, t_new
        error = float(np.max(np.abs(changed(b, r))))
        for _ in range(NEWTON):
            if error < least:
                best, least = b, error
            if least <= DONE * size:
                return best.reshape(-1, 2)
            b = b - _newton_step(W, free, limits, r, b)
            error = float(np.max(np.abs(changed(b, r))))
        if error < least:
            best, least = b, error
        if least == np.inf:
            break
    return within_section(best.reshape(-1, 2), limits, "disc")


def _newton_step(W: Array, free: Array, limits: Array, r: Array, b: Array) -> Array:
    wanted = (b - r * (W @ b + free)).reshape(-1, 2)
    size = np.linalg.norm(wanted, axis=1)
    slopes = np.zeros((len(b), len(b)))
    blocks = slopes.reshape(len(limits), 2, len(limits), 2)
    each = np.arange(len(limits))
    blocks[each, :, each, :] = np.eye(2)
    out = np.flatnonzero(size > limits)
    unit = wanted[out] / size[out, None]
    across = np.eye(2) - unit[:, :, None] * unit[:, None, :]
    blocks[out, :, out, :] = (limits[out] / size[out])[:, None, None] * across
    error = b - within_section(wanted, limits, "disc").ravel()
    jacobian = np.eye(len(b)) - slopes @ (np.eye(len(b)) - r[:, None] * W)
    return np.linalg.lstsq(jacobian, error, rcond=1e-12)[0]


def _mobility(W: Array) -> Array:
    """Largest velocity ``(c,)`` that a unit impulse makes at its own contact."""
    c = len(W) // 2
    blocks = np.einsum("iaib->iab", W.reshape(c, 2, c, 2))
    result: Array = np.linalg.eigvalsh(blocks)[:, -1]
    return np.where(result > 0, result, 1.0)
