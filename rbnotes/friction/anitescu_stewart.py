"""Friction in a polyhedral cone as an LCP (Lloyd 0.10, after Anitescu, Potra, Stewart and Trinkle)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import linalg

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.complementarity import LCP, NotSolved, Solution, Status, solve
from rbnotes.complementarity.solver import default_tolerance
from rbnotes.dynamics import StepProblem, StepSolution
from rbnotes.friction.contact_problem import (
    FrictionContactProblem,
    friction_contact_problem,
    raise_not_converged,
)
from rbnotes.friction.facets import contact_to_facet_matrix, facet_directions

MAX_COVERING_VECTORS = 4
"""Number of covering vectors tried before a ray is accepted."""


class FrictionLCP(NamedTuple):
    """LCP in normal impulses a, facet impulses phi and sliding speeds xi, stacked in this order."""

    lcp: LCP
    """The LCP; its unknowns are impulses, N s, and sliding speeds, m/s."""
    directions: Array
    """Unit vectors ``(facets, 2)`` in the tangent plane."""


def friction_lcp(problem: StepProblem, facets: int = 4) -> FrictionLCP:
    """Return the LCP with the velocities eliminated: ``w = M z + q`` with ``z = (a, phi, xi)``.

    ::

            [ N W N^T   N W D^T   0 ]        [ u_N ]        [ separation velocity ]
        M = [ D W N^T   D W D^T   E ]    q = [ u_D ]    w = [ sigma = D v + E xi  ]
            [   mu       -E^T     0 ]        [  0  ]        [ gamma = mu a - E^T phi ]

    D holds ``facets`` tangential rows for each contact; E has a one for each of them in the column of its
    contact. W is the inverse mass, subject to the equations of the problem.

    Raises
    ------
    InvalidArgument
        If ``facets`` is odd or below 4.
    """
    arguments.require_instance("problem", problem, StepProblem)
    return _friction_lcp(friction_contact_problem(problem), facets)


def anitescu_stewart(problem: StepProblem, facets: int = 4) -> StepSolution:
    """Solve a step with pyramidal friction (Anitescu and Potra; Stewart and Trinkle) by Lemke's method.

    The problem is an LCP. For each contact ``0 <= a _|_ u >= 0``; friction is a sum of impulses along the
    edges, ``0 <= phi_k _|_ d_k v + xi >= 0``, within the pyramid, ``0 <= xi _|_ mu a - sum_k phi_k >= 0``.
    The pyramid has ``facets`` edges, which lie on Coulomb's cone: friction is exact along an edge and up to
    the factor ``cos(pi / facets)`` too small between two; it acts along the edge that opposes the sliding
    most. A solution exists if no target is positive; otherwise friction may jam the contacts.

    Parameters
    ----------
    facets : int
        Number of edges of the pyramid, even and at least 4; the first edge is along the first tangent.

    Returns
    -------
    StepSolution
        Solution; ``iterations`` is the number of pivots.

    Raises
    ------
    InvalidArgument
        If ``facets`` is odd or below 4.
    NotSolved
        If the contacts and equations contradict each other, or friction jams them.
    FrictionNotConverged
        If rounding prevents the solver from reaching its tolerance; ``solution`` is the best iterate.
    """
    arguments.require_instance("problem", problem, StepProblem)
    contact_problem = friction_contact_problem(problem)
    count = contact_problem.count
    if count == 0:
        facet_directions(facets)
        return contact_problem.step_solution(
            np.zeros((0, 3)), iterations=0, residual=0.0, method="Anitescu-Stewart"
        )
    lcp, directions = _friction_lcp(contact_problem, facets)
    unit = np.sqrt(
        np.divide(1.0, contact_problem.mobility, out=np.ones(count), where=contact_problem.mobility > 0)
    )
    units = np.concatenate([unit, np.repeat(unit, facets), 1 / unit])
    lcp_solution = _solve_with_retries(LCP(units[:, None] * lcp.M * units, units * lcp.q))
    if lcp_solution.status is Status.INFEASIBLE:
        raise NotSolved(lcp_solution)
    z = units * lcp_solution.z
    phi = z[count : count + count * facets].reshape(count, facets)
    impulses = np.concatenate([z[:count, None], phi @ directions], axis=1)
    solution = contact_problem.step_solution(
        impulses,
        iterations=lcp_solution.statistics.pivots,
        residual=lcp_solution.residuals.relative,
        method="Anitescu-Stewart",
    )
    if not lcp_solution.is_solved:
        raise_not_converged(contact_problem, solution, default_tolerance("lemke"))
    return solution


def _friction_lcp(contact_problem: FrictionContactProblem, facets: int) -> FrictionLCP:
    count = contact_problem.count
    directions = facet_directions(facets)
    to_facets = contact_to_facet_matrix(count, directions)
    E = np.kron(np.eye(count), np.ones((facets, 1)))
    M = linalg.block_diag(to_facets @ contact_problem.delassus_matrix @ to_facets.T, np.zeros((count, count)))
    M[count : count + len(E), -count:] = E
    M[-count:, :count] = np.diag(contact_problem.mu)
    M[-count:, count : count + len(E)] = -E.T
    q = np.concatenate([to_facets @ contact_problem.free_contact_velocities.ravel(), np.zeros(count)])
    return FrictionLCP(LCP(M, q), directions)


def _solve_with_retries(lcp: LCP) -> Solution:
    """Solve by Lemke's method; after a failure, retry with other covering vectors and block pivoting.

    If no attempt succeeds, the solution with the smallest residual is returned. Each contact has its own
    units, so that the result does not depend on the mass of the bodies.
    """
    generator = np.random.default_rng(0)
    covering_vector: Array = np.ones(lcp.size)
    solutions: list[Solution] = []
    for _ in range(MAX_COVERING_VECTORS):
        solutions.append(solve(lcp, "lemke", covering_vector=covering_vector, raise_on_failure=False))
        if solutions[-1].status in (Status.SOLVED, Status.INFEASIBLE):
            return solutions[-1]
        covering_vector = generator.uniform(0.5, 2.0, lcp.size)
    solutions.append(solve(lcp, "block_principal_pivoting", raise_on_failure=False))
    residuals = [solution.residuals.relative for solution in solutions]
    return solutions[int(np.argmin(np.nan_to_num(residuals, nan=np.inf)))]
