"""Friction in a polyhedral cone as an LCP (Lloyd 0.10, after Anitescu, Potra, Stewart and Trinkle)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import linalg

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.complementarity import LCP, Solution, Status, Unsolved, solve_lcp
from rbnotes.complementarity.solve import default_tolerance
from rbnotes.dynamics import StepProblem, StepSolution
from rbnotes.friction.contact_space import ContactSpace, contact_space, raise_not_converged
from rbnotes.friction.facets import facet_directions, facet_rows

COVERS = 4
"""Covering vectors that are tried before a ray is believed."""


class FrictionLCP(NamedTuple):
    """The LCP in normal impulses a, facet impulses phi and sliding speeds xi, stacked in this order."""

    lcp: LCP
    """The problem itself: impulses, N s, and sliding speeds, m/s."""
    directions: Array
    """Unit vectors ``(facets, 2)`` in the tangent plane."""


def friction_lcp(problem: StepProblem, facets: int = 4) -> FrictionLCP:
    """The problem with the motion eliminated: ``w = M z + q`` with ``z = (a, phi, xi)``.

    ::

            [ N W N^T   N W D^T   0 ]        [ u_N ]        [ separation velocity ]
        M = [ D W N^T   D W D^T   E ]    q = [ u_D ]    w = [ sigma = D v + E xi  ]
            [   mu       -E^T     0 ]        [  0  ]        [ gamma = mu a - E^T phi ]

    D holds ``facets`` tangential rows for each contact, and E a one for each of them in the column of its
    contact. W is the inverse mass, with the equations of the problem kept to.

    Raises InvalidArgument if ``facets`` is odd or below 4.
    """
    arguments.instance("problem", problem, StepProblem)
    return _friction_lcp(contact_space(problem), facets)


def anitescu_stewart(problem: StepProblem, facets: int = 4) -> StepSolution:
    """Contact with friction in a pyramid of ``facets`` edges, found by Lemke's method.

    The problem is an LCP. For each contact ``0 <= a _|_ u >= 0``; friction is a sum of impulses along the
    edges, ``0 <= phi_k _|_ d_k v + xi >= 0``, within the pyramid, ``0 <= xi _|_ mu a - sum_k phi_k >= 0``.
    The pyramid lies inside Coulomb's cone and shares its edges with it, so friction is right along an edge
    and up to the factor ``cos(pi / facets)`` too small between two; its direction is that of the edge most
    against the sliding. There is always a solution if no target is above zero; else friction may
    jam what a target asks for.

    Parameters
    ----------
    facets : int
        Edges of the pyramid, an even number of at least 4; the first along the first tangent.

    Returns
    -------
    StepSolution
        ``iterations`` counts the pivots.

    Raises
    ------
    InvalidArgument
        If ``facets`` is odd or below 4.
    Unsolved
        If the contacts and equations contradict each other, or friction jams them.
    FrictionNotConverged
        If rounding keeps the solver from its tolerance; its ``solution`` is the best that was found.
    """
    arguments.instance("problem", problem, StepProblem)
    space = contact_space(problem)
    count = space.count
    if count == 0:
        facet_directions(facets)
        return space.solution(np.zeros((0, 3)), iterations=0, residual=0.0, method="Anitescu-Stewart")
    lcp, directions = _friction_lcp(space, facets)
    unit = np.sqrt(np.divide(1.0, space.mobility, out=np.ones(count), where=space.mobility > 0))
    units = np.concatenate([unit, np.repeat(unit, facets), 1 / unit])
    found = _solved(LCP(units[:, None] * lcp.M * units, units * lcp.q))
    if found.status is Status.INFEASIBLE:
        raise Unsolved(found)
    z = units * found.z
    phi = z[count : count + count * facets].reshape(count, facets)
    impulses = np.concatenate([z[:count, None], phi @ directions], axis=1)
    solution = space.solution(
        impulses,
        iterations=found.statistics.pivots,
        residual=found.residuals.relative,
        method="Anitescu-Stewart",
    )
    if not found.solved:
        raise_not_converged(space, solution, default_tolerance("lemke"))
    return solution


def _friction_lcp(space: ContactSpace, facets: int) -> FrictionLCP:
    count = space.count
    directions = facet_directions(facets)
    to_rows = facet_rows(count, directions)
    E = np.kron(np.eye(count), np.ones((facets, 1)))
    M = linalg.block_diag(to_rows @ space.delassus @ to_rows.T, np.zeros((count, count)))
    M[count : count + len(E), -count:] = E
    M[-count:, :count] = np.diag(space.mu)
    M[-count:, count : count + len(E)] = -E.T
    q = np.concatenate([to_rows @ space.free.ravel(), np.zeros(count)])
    return FrictionLCP(LCP(M, q), directions)


def _solved(lcp: LCP) -> Solution:
    """Lemke's solution; where rounding leads its path astray, another one's, or the best of them.

    Others start from another covering vector; the last is the active-set method. Units are those of each
    contact, in which light and heavy bodies look the same.
    """
    generator = np.random.default_rng(0)
    cover: Array = np.ones(lcp.size)
    found: list[Solution] = []
    for _ in range(COVERS):
        found.append(solve_lcp(lcp, "lemke", cover=cover, check=False))
        if found[-1].status in (Status.SOLVED, Status.INFEASIBLE):
            return found[-1]
        cover = generator.uniform(0.5, 2.0, lcp.size)
    found.append(solve_lcp(lcp, "active_set", check=False))
    residuals = [each.residuals.relative for each in found]
    return found[int(np.argmin(np.nan_to_num(residuals, nan=np.inf)))]
