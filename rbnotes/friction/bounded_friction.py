"""Friction with given bounds: the second of the two programs of staggered projections (Sueda 2.11).

For known normal impulses, the friction impulses b of c contacts minimize

    b^T W b / 2 + b^T s,      b_i within mu_i a_i times the section of the friction cone,

where s are the sliding velocities without friction and W those per impulse. The section is a square, a disc
or a polygon. The result satisfies the law of maximum dissipation: friction stops a contact or, at its bound,
opposes the sliding.
"""

from __future__ import annotations

import numpy as np

from rbnotes.arguments import Array
from rbnotes.complementarity import LCP, BoxLCP, solve
from rbnotes.friction.cvxpy_programs import friction_program
from rbnotes.friction.facets import facet_directions
from rbnotes.friction.residual_tracking import LCPSolver

CONE_SECTIONS = ("box", "pyramid", "disc")
"""Names of the sections: ``|b_1|, |b_2| <= mu a``, a polygon inscribed in the disc, the disc."""

PROGRAM_SOLVERS = {"own": "block_principal_pivoting", "cvxpy": "cvxpy"}
"""Solvers of convex programs, and the method of :func:`rbnotes.complementarity.solve` that each selects."""

GRADIENT_STEPS, NEWTON_STEPS, MAX_CYCLES = 30, 15, 40
"""Numbers of gradient and Newton steps in each cycle, and the largest number of cycles."""

RELATIVE_TOLERANCE = 1e-12
"""Change relative to the impulses at which the iteration for the disc ends."""


def bounded_friction(
    W: Array,
    sliding: Array,
    limits: Array,
    cone: str,
    facets: int,
    initial_guess: Array,
    solver: str = "own",
    proximal_weight: float = 0.0,
    lcp_solver: LCPSolver = solve,
) -> Array:
    """Return the friction impulses ``(c, 2)`` for given bounds.

    Parameters
    ----------
    W : (2 c, 2 c)
        Sliding velocities per impulse, symmetric and positive semidefinite, 1/kg.
    sliding : (c, 2)
        Sliding velocities without friction, m/s.
    limits : (c,)
        Bounds ``mu a``, N s.
    cone, facets
        Section of the cone, one of ``CONE_SECTIONS``, and number of corners of the polygon.
    initial_guess : (c, 2)
        Initial impulses, N s.
    solver : {"own", "cvxpy"}
        Solver of the program.
    proximal_weight
        Weight, relative to that of W, of the distance from ``initial_guess``. It selects among impulses that
        make the same motion, as those of redundant contacts do. A fixed point of the iteration is exact
        whatever the weight.
    lcp_solver
        Solver of the complementarity problems for boxes and pyramids.
    """
    is_active = (limits > 0) & np.any(W, axis=1).reshape(-1, 2).any(axis=1)
    result = np.zeros_like(sliding)
    if not np.any(is_active):
        return result
    rows = np.flatnonzero(np.repeat(is_active, 2))
    W_active, s, bounds = W[np.ix_(rows, rows)], sliding[is_active], limits[is_active]
    if proximal_weight:
        weight = proximal_weight * np.repeat(_largest_mobility(W_active), 2)
        W_active, s = W_active + np.diag(weight), s - weight.reshape(-1, 2) * initial_guess[is_active]
    if solver == "cvxpy":
        impulses = friction_program(len(bounds), cone, facets).solve(W_active, s, bounds)
        result[is_active] = project_on_section(impulses, bounds, cone, facets)
    elif cone == "box":
        component_bounds = np.repeat(bounds, 2)
        problem = BoxLCP(W_active, s.ravel(), -component_bounds, component_bounds)
        result[is_active] = lcp_solver(problem, initial_guess=initial_guess[is_active].ravel()).z.reshape(
            -1, 2
        )
    elif cone == "pyramid":
        result[is_active] = _solve_in_pyramids(W_active, s, bounds, facets, lcp_solver)
    else:
        result[is_active] = _solve_in_discs(W_active, s, bounds, initial_guess[is_active])
    return result


def project_on_section(impulses: Array, limits: Array, cone: str, facets: int = 4) -> Array:
    """Return the nearest friction impulses ``(c, 2)`` within ``limits (c,)`` times the section."""
    if cone == "box":
        result: Array = np.clip(impulses, -limits[:, None], limits[:, None])
        return result
    size = np.linalg.norm(impulses, axis=1)
    if cone == "disc":
        scale = np.divide(limits, size, out=np.ones_like(size), where=size > limits)
        scaled: Array = impulses * scale[:, None]
        return scaled
    # A polygon with corners at twice the size contains the impulse; products of larger limits may overflow.
    corners = np.minimum(limits, 2 * size)[:, None, None] * facet_directions(facets)
    sides = np.roll(corners, -1, axis=1) - corners
    lengths = np.sum(sides**2, axis=-1)
    offset_from_corner = impulses[:, None] - corners
    edge_fraction = np.sum(offset_from_corner * sides, axis=-1) / np.where(lengths > 0, lengths, 1.0)
    nearest = corners + np.clip(edge_fraction, 0.0, 1.0)[..., None] * sides
    inside = (limits > 0) & np.all(
        sides[..., 0] * offset_from_corner[..., 1] >= sides[..., 1] * offset_from_corner[..., 0], axis=1
    )
    best = np.argmin(np.sum((nearest - impulses[:, None]) ** 2, axis=-1), axis=1)
    return np.where(inside[:, None], impulses, nearest[np.arange(len(best)), best])


def support_function(velocities: Array, cone: str, facets: int = 4) -> Array:
    """Return the largest power ``(...)`` per bound that a section extracts from velocities ``(..., 2)``."""
    if cone == "box":
        result: Array = np.abs(velocities).sum(axis=-1)
    elif cone == "disc":
        result = np.linalg.norm(velocities, axis=-1)
    else:
        result = np.max(velocities @ facet_directions(facets).T, axis=-1)
    return result


def support_point(velocities: Array, cone: str, facets: int = 4) -> Array:
    """Return the points ``(..., 2)`` of a unit section farthest along velocities ``(..., 2)``."""
    if cone == "box":
        corner: Array = np.sign(velocities)
        return corner
    if cone == "disc":
        size = np.linalg.norm(velocities, axis=-1, keepdims=True)
        unit: Array = np.divide(velocities, size, out=np.zeros_like(velocities), where=size > 0)
        return unit
    directions = facet_directions(facets)
    vertex = directions[np.argmax(velocities @ directions.T, axis=-1)]
    support_vertex: Array = vertex * np.any(velocities, axis=-1, keepdims=True)
    return support_vertex


def _solve_in_pyramids(W: Array, s: Array, limits: Array, facets: int, lcp_solver: LCPSolver) -> Array:
    """Solve for ``b = D^T phi`` with ``phi >= 0`` and ``sum phi <= mu a``, a monotone LCP."""
    count = len(limits)
    D = np.kron(np.eye(count), facet_directions(facets))
    E = np.kron(np.eye(count), np.ones((facets, 1)))
    unit = np.repeat(1 / np.sqrt(_largest_mobility(W)), facets)
    units = np.concatenate([unit, 1 / unit[::facets]])
    M = np.block([[D @ W @ D.T, E], [-E.T, np.zeros((count, count))]])
    lcp = LCP(units[:, None] * M * units, units * np.concatenate([D @ s.ravel(), limits]))
    solution = solve(lcp, raise_on_failure=False)
    if not solution.is_solved:
        solution = lcp_solver(lcp, "lemke")
    phi = (units * solution.z)[: count * facets]
    return (phi @ D).reshape(-1, 2)


def _solve_in_discs(W: Array, s: Array, limits: Array, initial_guess: Array) -> Array:
    """Solve ``b = P(b - r (W b + s))`` by accelerated gradient steps, then by Newton's method."""
    r = np.repeat(1 / _largest_mobility(W), 2)
    root = np.sqrt(r)
    r_gradient = r / np.linalg.norm(root[:, None] * W * root, 2)
    free_sliding = s.ravel()

    def fixed_point_change(b: Array, rate: Array) -> Array:
        gradient_step = (b - rate * (W @ b + free_sliding)).reshape(-1, 2)
        return project_on_section(gradient_step, limits, "disc").ravel() - b

    b = project_on_section(initial_guess, limits, "disc").ravel()
    size = max(float(np.max(limits)), 1e-300)
    best, best_error = b, float(np.max(np.abs(fixed_point_change(b, r))))
    for _ in range(MAX_CYCLES):
        b, momentum, t = best, best, 1.0
        for _ in range(GRADIENT_STEPS):
            next_b = momentum + fixed_point_change(momentum, r_gradient)
            next_t = (1 + np.sqrt(1 + 4 * t * t)) / 2
            momentum = next_b + (t - 1) / next_t * (next_b - b)
            if (next_b - b) @ (W @ next_b + free_sliding) > 0:
                momentum, next_t = next_b, 1.0
            b, t = next_b, next_t
        error = float(np.max(np.abs(fixed_point_change(b, r))))
        for _ in range(NEWTON_STEPS):
            if error < best_error:
                best, best_error = b, error
            if best_error <= RELATIVE_TOLERANCE * size:
                return best.reshape(-1, 2)
            b = b - _newton_step(W, free_sliding, limits, r, b)
            error = float(np.max(np.abs(fixed_point_change(b, r))))
        if error < best_error:
            best, best_error = b, error
        if best_error == np.inf:
            break
    return project_on_section(best.reshape(-1, 2), limits, "disc")


def _newton_step(W: Array, free_sliding: Array, limits: Array, r: Array, b: Array) -> Array:
    """Return the Newton step for the fixed point of the projection."""
    gradient_step = (b - r * (W @ b + free_sliding)).reshape(-1, 2)
    size = np.linalg.norm(gradient_step, axis=1)
    projection_jacobian = np.zeros((len(b), len(b)))
    blocks = projection_jacobian.reshape(len(limits), 2, len(limits), 2)
    indices = np.arange(len(limits))
    blocks[indices, :, indices, :] = np.eye(2)
    is_outside = np.flatnonzero(size > limits)
    unit = gradient_step[is_outside] / size[is_outside, None]
    tangential_projector = np.eye(2) - unit[:, :, None] * unit[:, None, :]
    blocks[is_outside, :, is_outside, :] = (limits[is_outside] / size[is_outside])[
        :, None, None
    ] * tangential_projector
    error = b - project_on_section(gradient_step, limits, "disc").ravel()
    jacobian = np.eye(len(b)) - projection_jacobian @ (np.eye(len(b)) - r[:, None] * W)
    return np.linalg.lstsq(jacobian, error, rcond=1e-12)[0]


def _largest_mobility(W: Array) -> Array:
    """Return the largest velocity ``(c,)`` that a unit impulse makes at its own contact."""
    c = len(W) // 2
    blocks = np.einsum("iaib->iab", W.reshape(c, 2, c, 2))
    result: Array = np.linalg.eigvalsh(blocks)[:, -1]
    return np.where(result > 0, result, 1.0)
