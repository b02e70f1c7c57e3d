"""Contact and friction as one convex quadratic program (Sueda 1.13; Anitescu and Hart).

In impulses it reads

    minimise  lambda^T C M^-1 C^T lambda / 2 + lambda^T (C M^-1 f~ - target)
    subject to  lambda >= 0  and  mu a - sum_k b_k >= 0  at each contact,

and ``M v = f~ + C^T lambda`` then gives the velocities: impulses push. Its dual is the program in velocities

    minimise  v^T M v / 2 - v^T f~   subject to   N v + mu T_k v >= target   for each facet k.

Convexity has a price: a contact that slides is held off, with ``N v = mu |T v|``, as if it slid on the
cone's flank. In one step the gap that this opens is ``h mu |T v|``, which vanishes with h; the velocity with
which it opens does not. A body that is set down sliding keeps only ``1 / (1 + mu^2)`` of its speed, at any h.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import sparse

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.complementarity import LCP, QP, solve_lcp
from rbnotes.complementarity.residuals import worst
from rbnotes.complementarity.solve import default_tolerance
from rbnotes.dynamics import StepProblem, StepSolution, hardened
from rbnotes.friction.contact_space import ContactSpace, FrictionNotConverged, contact_space
from rbnotes.friction.endings import on_its_way
from rbnotes.friction.facets import facet_directions, facet_rows

SINKING = 1e-7
"""Largest accepted velocity of overlap, relative to the velocities without contacts."""

GREAT = 1e3
"""Coefficient of friction from which on rows ``N + mu T_k`` may have lost too much of N."""


def primal_qp(problem: StepProblem, facets: int = 4) -> QP:
    """The program in velocities: rows ``N + mu T_k`` for each contact and facet ``(c facets, n)``.

    Raises InvalidArgument if ``facets`` is odd or below 4.
    """
    arguments.instance("problem", problem, StepProblem)
    return _primal_qp(contact_space(problem), facets)


def dual_qp(problem: StepProblem, facets: int = 4) -> QP:
    """The program in impulses: all normal ones, then the facets' of one contact after the other (1.88).

    Equations of the problem are kept to by the inverse mass, not by rows of the primal.

    Raises InvalidArgument if ``facets`` is odd or below 4.
    """
    arguments.instance("problem", problem, StepProblem)
    return _dual_qp(contact_space(problem), facets)


def single_qp(
    problem: StepProblem, facets: int = 4, *, form: str = "primal", method: str = "active_set"
) -> StepSolution:
    """Contact with friction in a pyramid of ``facets`` edges by one convex program (Sueda 1.13).

    The impulses lie in the pyramid with edges ``a = 1, b = mu d_k``, which lies inside Coulomb's cone; the
    velocities in its dual. Both forms have the same velocities; impulses differ where they are not unique.

    Parameters
    ----------
    facets : int
        Edges of the pyramid, an even number of at least 4; the first along the first tangent.
    form : {"primal", "dual"}
        Solve for the velocities; or for the impulses, by Lemke's method on the conditions for a minimum.
    method
        Of :func:`rbnotes.complementarity.solve_lcp`, for the primal form; where a ``mu`` beyond a thousand
        keeps that from an answer, the impulses are those of the dual form.

    Returns
    -------
    StepSolution
        ``iterations`` is one.

    Raises
    ------
    InvalidArgument
        If the mass matrix or a softness is not symmetric.
    Unsolved
        If the contacts and equations contradict each other.
    FrictionNotConverged
        If rounding, multiplied by a great ``mu``, lets bodies sink into each other, or keeps the program from
        its tolerance.
    """
    arguments.instance("problem", problem, StepProblem)
    arguments.choice("form", form, ("primal", "dual"))
    space = contact_space(problem)
    if not space.symmetric:
        raise InvalidArgument("problem", "a mass or softness that is not symmetric", "symmetric ones")
    facet_directions(facets)
    if space.count == 0:
        impulses: Array = np.zeros((0, 3))
        residual = 0.0
    elif form == "dual":
        impulses, residual = _by_dual(space, facets)
    else:
        impulses, residual = _by_primal(space, facets, method)
    solution = space.solution(impulses, iterations=1, residual=residual, method=f"single QP, {form}")
    overlap = _overlap(space, impulses)
    if not overlap <= SINKING:
        raise FrictionNotConverged(replace(solution, residual=worst(residual, overlap)), SINKING)
    tolerance = default_tolerance("quadratic")
    if not residual <= tolerance:
        raise FrictionNotConverged(solution, tolerance)
    return solution


def _by_primal(space: ContactSpace, facets: int, method: str) -> tuple[Array, float]:
    """Impulses ``(c, 3)`` and the residual.

    Rows ``N + mu T_k`` with a great mu keep few digits of N, so that the program may seem infeasible and
    bodies sink. Then the impulses are those of the other program, which has mu by itself.
    """
    found = solve_lcp(_primal_qp(space, facets), method, check=False)
    touching = space.with_friction
    edges, alone = np.split(found.z, [touching * facets])
    edges = edges.reshape(touching, facets)
    impulses = np.zeros((space.count, 3))
    impulses[:touching] = _from_edges(
        edges.sum(axis=1), space.mu[:touching, None] * edges, facet_directions(facets)
    )
    impulses[touching:, 0] = alone
    if found.solved and _overlap(space, impulses) <= SINKING:
        return impulses, found.residuals.relative
    if np.max(space.mu, initial=0.0) <= GREAT:
        return impulses, on_its_way(found).residuals.relative
    return _by_dual(space, facets)


def _by_dual(space: ContactSpace, facets: int) -> tuple[Array, float]:
    """Impulses ``(c, 3)`` and the residual."""
    qp, count = _dual_qp(space, facets), space.count
    E = qp.A[qp.size :]
    # With multipliers nu of E lambda >= 0: w = Q lambda - E^T nu + c, and lambda itself is not negative.
    conditions = LCP(np.block([[qp.Q, -E.T], [E, np.zeros((count, count))]]), np.r_[qp.c, qp.b[qp.size :]])
    dual = on_its_way(solve_lcp(conditions, "lemke", check=False))
    found = dual.z[: qp.size]
    edges = found[count:].reshape(count, facets)
    return _from_edges(found[:count], edges, facet_directions(facets)), dual.residuals.relative


def _overlap(space: ContactSpace, impulses: Array) -> float:
    """Largest velocity of overlap, relative to those without contacts: long rows hide what is short."""
    fastest = np.abs(space.free).max(initial=0.0) or 1.0
    return float(-space.velocities(impulses)[:, 0].min(initial=0.0) / fastest)


def _primal_qp(space: ContactSpace, facets: int) -> QP:
    touching = space.with_friction
    directions = facet_directions(facets)
    normal = np.ones((touching, facets, 1))
    edges = np.concatenate([normal, space.mu[:touching, None, None] * directions], axis=2)
    to_edges = sparse.bsr_array(
        (edges, np.arange(touching), np.arange(touching + 1)), shape=(touching * facets, 3 * touching)
    )
    rows = sparse.csr_array(to_edges @ space.rows[: 3 * touching])
    targets = np.repeat(space.contacts.normal_target[:touching], facets)
    # The slacks of soft rows are velocities, too; contacts do not know them.
    hard = hardened(space.problem)
    slacks = sparse.csr_array((rows.shape[0], hard.size - space.problem.size))
    A = sparse.vstack([sparse.hstack([rows, slacks]), hard.unilateral.rows], format="csr")
    return QP(
        Q=hard.mass,
        c=-hard.momentum,
        A=A if sparse.issparse(hard.mass) else A.toarray(),
        b=np.concatenate([targets, hard.unilateral.target]),
        G=hard.bilateral.rows,
        g=hard.bilateral.target,
    )


def _dual_qp(space: ContactSpace, facets: int) -> QP:
    count = space.count
    C = facet_rows(count, facet_directions(facets))
    Q = C @ space.delassus @ C.T
    E = np.hstack([np.diag(space.mu), -np.kron(np.eye(count), np.ones((1, facets)))])
    return QP(
        Q=(Q + Q.T) / 2,
        c=C @ space.free.ravel(),
        A=np.vstack([np.eye(len(C)), E]),
        b=np.zeros(len(C) + count),
    )


def _from_edges(normal: Array, edges: Array, directions: Array) -> Array:
    return np.concatenate([normal[:, None], edges @ directions], axis=1)
