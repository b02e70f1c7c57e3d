"""Friction in a polyhedral cone as an LCP (Lloyd 0.10, after Anitescu, Potra, Stewart and Trinkle)."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.complementarity import LCP, NotSolved, Solution, solve
from rbnotes.complementarity.residuals import max_or_nan
from rbnotes.complementarity.solver import default_tolerance
from rbnotes.dynamics import StepProblem, StepSolution
from rbnotes.friction.contact_problem import (
    friction_contact_problem,
    limited_coefficients,
    raise_not_converged,
)
from rbnotes.friction.facets import facet_directions, facets_of_contacts
from rbnotes.friction.polyhedral_lcp import polyhedral_lcp, scaled_polyhedral_lcp
from rbnotes.friction.residuals import natural_residual_unchecked

SEARCHED_COEFFICIENTS = (1e3, 1e6)
"""Coefficients of friction to which searches are limited at first: rounding spoils those with larger ones."""

LAW_TOLERANCE = 1e-8
"""Accepted natural residual of the law of the pyramid."""

MAX_COVERING_VECTORS = 4
"""Number of covering vectors tried before a ray is accepted."""


class FrictionLCP(NamedTuple):
    """LCP in normal impulses a, facet impulses phi and sliding speeds xi, stacked in this order.

    Attributes
    ----------
    lcp
        The LCP; its unknowns are impulses, N s, and sliding speeds, m/s.
    directions
        Unit vectors ``(facets, 2)`` in the tangent plane.
    """

    lcp: LCP
    directions: Array


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
    contact_problem = friction_contact_problem(problem)
    directions = facets_of_contacts(contact_problem.count, facets)
    return FrictionLCP(polyhedral_lcp(contact_problem, directions), facet_directions(facets))


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
    best: StepSolution | None = None
    for limited_mu in limited_coefficients(contact_problem.mu, *SEARCHED_COEFFICIENTS):
        limited_problem = replace(contact_problem, mu=limited_mu)
        scaled = scaled_polyhedral_lcp(limited_problem, facets_of_contacts(count, facets))
        lcp_solution = _solve_with_retries(scaled.lcp)
        impulses = scaled.impulses(lcp_solution.z)
        law_residual = natural_residual_unchecked(
            contact_problem, impulses, contact_problem.velocities_from_impulses(impulses), "pyramid", facets
        )
        solution = contact_problem.step_solution(
            impulses,
            iterations=lcp_solution.statistics.pivots,
            residual=max_or_nan(
                lcp_solution.residuals.relative,
                law_residual if law_residual > LAW_TOLERANCE else 0.0,
                contact_problem.sticking_residual(impulses),
            ),
            method="Anitescu-Stewart",
        )
        if lcp_solution.is_solved and solution.residual <= default_tolerance("lemke"):
            return solution
        if best is None or not solution.residual >= best.residual:
            best = solution
    if lcp_solution.is_infeasible:
        raise NotSolved(lcp_solution)
    assert best is not None
    raise_not_converged(contact_problem, best, default_tolerance("lemke"))


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
        if solutions[-1].is_solved or solutions[-1].is_infeasible:
            return solutions[-1]
        covering_vector = generator.uniform(0.5, 2.0, lcp.size)
    solutions.append(solve(lcp, "block_principal_pivoting", raise_on_failure=False))
    residuals = [solution.residuals.relative for solution in solutions]
    return solutions[int(np.argmin(np.nan_to_num(residuals, nan=np.inf)))]
