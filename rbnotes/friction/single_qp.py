"""Contact and friction as one convex quadratic program (Sueda 1.13; Anitescu and Hart).

The program in impulses is

    minimize  lambda^T C M^-1 C^T lambda / 2 + lambda^T (C M^-1 f~ - target)
    subject to  lambda >= 0  and  mu a - sum_k b_k >= 0  at each contact,

and ``M v = f~ + C^T lambda`` gives the velocities; positive impulses push. Its dual is the program in
velocities

    minimize  v^T M v / 2 - v^T f~   subject to   N v + mu T_k v >= target   for each facet k.

The convex program is not Coulomb's law: a sliding contact separates with ``N v = mu |T v|``. The gap that
opens in one step, ``h mu |T v|``, vanishes with h; the separation velocity does not. A body that is set down
sliding keeps only ``1 / (1 + mu^2)`` of its speed, at any h.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import sparse

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.complementarity import LCP, QP, NotSolved, Solution, solve
from rbnotes.complementarity.residuals import max_or_nan
from rbnotes.complementarity.solver import default_tolerance
from rbnotes.dynamics import StepProblem, StepSolution, expand_compliance
from rbnotes.friction.bounded_friction import PROGRAM_SOLVERS, project_on_section
from rbnotes.friction.contact_problem import (
    FrictionContactProblem,
    FrictionNotConverged,
    friction_contact_problem,
)
from rbnotes.friction.facets import contact_to_facet_matrix, facet_directions, facets_of_contacts
from rbnotes.friction.residuals import friction_bounds

MAX_LAW_VIOLATION = 1e-7
"""Largest accepted penetration velocity, and velocity of friction outside the pyramid, relative to the
velocities without contacts."""

LARGE_MU = 1e3
"""Coefficient of friction above which the program in impulses replaces that in velocities.

Rows ``N + mu T_k`` lose digits of N: velocities have an error of ``mu^2`` roundings. In the program in
impulses mu is separate.
"""


def primal_qp(problem: StepProblem, facets: int = 4) -> QP:
    """Return the program in velocities, with rows ``N + mu T_k (c facets, n)`` for contacts and facets.

    Raises
    ------
    InvalidArgument
        If ``facets`` is odd or below 4.
    """
    arguments.require_instance("problem", problem, StepProblem)
    return _primal_qp(friction_contact_problem(problem), facets)


def dual_qp(problem: StepProblem, facets: int = 4) -> QP:
    """Return the program in impulses: all normal impulses, then the facet impulses contact by contact (1.88).

    The inverse mass accounts for the equations of the problem, not rows of the primal.

    Raises
    ------
    InvalidArgument
        If ``facets`` is odd or below 4.
    """
    arguments.require_instance("problem", problem, StepProblem)
    return _dual_qp(friction_contact_problem(problem), facets)


def single_qp(
    problem: StepProblem, facets: int = 4, *, form: str = "primal", solver: str = "own"
) -> StepSolution:
    """Solve a step with pyramidal friction by one convex program (Sueda 1.13).

    The impulses lie in the pyramid with ``facets`` edges ``a = 1, b = mu d_k`` inside Coulomb's cone, the
    velocities in its dual. Both forms give the same velocities; impulses may differ if they are not unique.

    Parameters
    ----------
    facets : int
        Number of edges of the pyramid, even and at least 4; the first edge is along the first tangent.
    form : {"primal", "dual"}
        Program in velocities or program in impulses. If a ``mu`` exceeds a thousand, the impulses come from
        the latter, because the former would lose too many digits.
    solver : {"own", "cvxpy"}
        Solver of the program: :mod:`rbnotes.complementarity`, by block principal pivoting for the primal form
        and by Lemke's method on the optimality conditions for the dual form; or cvxpy.

    Returns
    -------
    StepSolution
        Solution; ``iterations`` is one.

    Raises
    ------
    InvalidArgument
        If the mass matrix or a regularization is not symmetric, or ``form`` or ``solver`` is not one of the
        names.
    NotSolved
        If the contacts and equations contradict each other.
    FrictionNotConverged
        If rounding, amplified by a large ``mu``, lets bodies penetrate, or prevents the program from reaching
        its tolerance.
    """
    arguments.require_instance("problem", problem, StepProblem)
    arguments.choice("form", form, ("primal", "dual"))
    arguments.choice("solver", solver, tuple(PROGRAM_SOLVERS))
    contact_problem = friction_contact_problem(problem)
    if not contact_problem.is_symmetric:
        raise InvalidArgument("problem", "a mass or regularization that is not symmetric", "symmetric ones")
    facet_directions(facets)
    if np.any(np.isinf(contact_problem.contacts.mu)):
        expected = "finite ones, since sliding contacts open with mu times their speed"
        raise InvalidArgument("problem", "infinite coefficients of friction", expected)
    if contact_problem.count == 0:
        impulses: Array = np.zeros((0, 3))
        residual = 0.0
    elif form == "dual" or np.max(contact_problem.mu) > LARGE_MU:
        impulses, residual = _solve_dual(contact_problem, facets, solver)
    else:
        impulses, residual = _solve_primal(contact_problem, facets, solver)
    solution = contact_problem.step_solution(
        impulses, iterations=1, residual=residual, method=f"single QP, {form}"
    )
    violation = _law_violation(contact_problem, impulses, facets)
    if not violation <= MAX_LAW_VIOLATION:
        raise FrictionNotConverged(
            replace(solution, residual=max_or_nan(residual, violation)), MAX_LAW_VIOLATION
        )
    tolerance = default_tolerance("cvxpy")
    if not residual <= tolerance:
        raise FrictionNotConverged(solution, tolerance)
    return solution


def _solve_primal(contact_problem: FrictionContactProblem, facets: int, solver: str) -> tuple[Array, float]:
    """Return impulses ``(c, 3)`` and the residual of the program in velocities."""
    qp = _primal_qp(contact_problem, facets)
    qp_solution = solve(qp, PROGRAM_SOLVERS[solver], raise_on_failure=False)
    _raise_if_infeasible(qp_solution)
    friction_count = contact_problem.friction_contact_count
    edges, frictionless = np.split(qp_solution.z, [friction_count * facets])
    edges = edges.reshape(friction_count, facets)
    impulses = np.zeros((contact_problem.count, 3))
    impulses[:friction_count] = _impulses_from_edges(
        edges.sum(axis=1), contact_problem.mu[:friction_count, None] * edges, facet_directions(facets)
    )
    impulses[friction_count:, 0] = frictionless
    return impulses, qp_solution.residuals.relative


def _solve_dual(contact_problem: FrictionContactProblem, facets: int, solver: str) -> tuple[Array, float]:
    """Return impulses ``(c, 3)`` and the residual of the program in impulses."""
    qp, count = _dual_qp(contact_problem, facets), contact_problem.count
    E = qp.A[qp.size :]
    # With multipliers nu of E lambda >= 0: w = Q lambda - E^T nu + c, and lambda >= 0.
    M = np.block([[qp.Q, -E.T], [E, np.zeros((count, count))]])
    conditions = LCP(M, np.r_[qp.c, qp.b[qp.size :]])
    method = "lemke" if solver == "own" else solver
    solution = solve(conditions, method, raise_on_failure=False)
    _raise_if_infeasible(solution)
    multipliers = solution.z[: qp.size]
    edges = multipliers[count:].reshape(count, facets)
    impulses = _impulses_from_edges(multipliers[:count], edges, facet_directions(facets))
    return impulses, solution.residuals.relative


def _law_violation(contact_problem: FrictionContactProblem, impulses: Array, facets: int) -> float:
    """Return the largest velocity of penetration and of friction outside the pyramid.

    It is relative to the velocities without contacts.
    """
    bounds = friction_bounds(contact_problem.mu, impulses[:, 0])
    friction = impulses[:, 1:]
    outside = np.abs(friction - project_on_section(friction, bounds, "pyramid", facets))
    penetration = -contact_problem.velocities_from_impulses(impulses)[:, 0]
    violation = max_or_nan(
        penetration.max(initial=0.0), (contact_problem.mobility[:, None] * outside).max(initial=0.0)
    )
    return violation / (np.abs(contact_problem.free_contact_velocities).max(initial=0.0) or 1.0)


def _raise_if_infeasible(solution: Solution) -> None:
    """Raise NotSolved if a program has no solution.

    Other failures are rounding: the program is convex.
    """
    if solution.is_infeasible:
        raise NotSolved(solution)


def _primal_qp(contact_problem: FrictionContactProblem, facets: int) -> QP:
    """Return the program in the velocities, with a row for each edge of the friction pyramids."""
    friction_count = contact_problem.friction_contact_count
    directions = facet_directions(facets)
    normal = np.ones((friction_count, facets, 1))
    edges = np.concatenate([normal, contact_problem.mu[:friction_count, None, None] * directions], axis=2)
    to_edges = sparse.bsr_array(
        (edges, np.arange(friction_count), np.arange(friction_count + 1)),
        shape=(friction_count * facets, 3 * friction_count),
    )
    rows = sparse.csr_array(to_edges @ contact_problem.contact_jacobian[: 3 * friction_count])
    targets = np.repeat(contact_problem.contacts.normal_target[:friction_count], facets)
    # The slacks of soft rows are extra velocities, which the contacts do not involve.
    expanded_problem = expand_compliance(contact_problem.problem)
    slacks = sparse.csr_array((rows.shape[0], expanded_problem.size - contact_problem.problem.size))
    A = sparse.vstack([sparse.hstack([rows, slacks]), expanded_problem.unilateral.rows], format="csr")
    return QP(
        Q=expanded_problem.mass,
        c=-expanded_problem.momentum,
        A=A if sparse.issparse(expanded_problem.mass) else A.toarray(),
        b=np.concatenate([targets, expanded_problem.unilateral.target]),
        G=expanded_problem.bilateral.rows,
        g=expanded_problem.bilateral.target,
    )


def _dual_qp(contact_problem: FrictionContactProblem, facets: int) -> QP:
    """Return the program in the impulses: normal ones and one for each facet direction."""
    count = contact_problem.count
    C = contact_to_facet_matrix(facets_of_contacts(count, facets))
    Q = C @ contact_problem.delassus_matrix @ C.T
    E = np.hstack([np.diag(contact_problem.mu), -np.kron(np.eye(count), np.ones((1, facets)))])
    return QP(
        Q=(Q + Q.T) / 2,
        c=C @ contact_problem.free_contact_velocities.ravel(),
        A=np.vstack([np.eye(len(C)), E]),
        b=np.zeros(len(C) + count),
    )


def _impulses_from_edges(normal: Array, edges: Array, directions: Array) -> Array:
    return np.concatenate([normal[:, None], edges @ directions], axis=1)
