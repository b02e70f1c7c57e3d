"""Staggered projections: contact and friction by turns (Sueda 2.11, Algorithm 7; Kaufman and others).

With friction known, normal impulses a are those of a convex program; with normal impulses known, friction
impulses b are those of another one. Solved in turn, until the normal impulses stay as they are,

    a = argmin a^T N W N^T a / 2 + a^T (u + N W T^T b),   a >= 0,
    b = argmin b^T T W T^T b / 2 + b^T (s + T W N^T a),   b_i within mu a_i times the section of the cone,

a fixed point satisfies Coulomb's law with that section. Impulses push: ``M v = M v_free + N^T a + T^T b``. W
is the inverse mass with the equations of the problem kept to, of whatever velocities the problem has.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.complementarity import LCP, solve_lcp
from rbnotes.complementarity.residuals import worst
from rbnotes.dynamics import StepProblem, StepSolution
from rbnotes.friction.best import Best, Solve
from rbnotes.friction.bounded import CONES, SOLVERS, bounded_friction
from rbnotes.friction.contact_space import ContactSpace, FrictionNotConverged, contact_space
from rbnotes.friction.facets import facet_directions
from rbnotes.friction.programs import contact_program

ROUNDING = 1e-11
"""Part of the terms of a sliding velocity up to which it is their rounding."""


@dataclass(frozen=True, eq=False)
class StaggeredSolution(StepSolution):
    """A solution, with the way to it."""

    history: tuple[float, ...] = ()
    """Relative change of the normal impulses at each contact problem but the first; the last one is the
    ``residual``, if rounding left no larger one in the last programs."""


def staggered(
    problem: StepProblem,
    *,
    cone: str = "box",
    facets: int = 8,
    start: ArrayLike | None = None,
    tolerance: float = 1e-8,
    max_iterations: int = 200,
    solver: str = "own",
    check: bool = True,
) -> StaggeredSolution:
    """Contact with friction by staggered projections (Sueda 2.11, the right form of Algorithm 7).

    Algorithm 7 stops before its first friction problem if a contact carries nothing, and then applies the
    friction of the step before; here the friction problem is solved at least once, and what is applied
    belongs to the contacts that there are.

    Parameters
    ----------
    cone : {"box", "pyramid", "disc"}
        Section of the friction cone: ``|b_1|, |b_2| <= mu a``, a polygon with its corners on the disc, the
        disc.
    facets : int
        Corners of the polygon, an even number of at least 4.
    start : (c, 3), optional
        Impulses of the step before, at the same contacts; of use are those of friction.
    tolerance
        Accepted change of the normal impulses from one contact problem to the next, relative to them, both
        measured by the speeds that they make: ``sqrt(a^T N W N^T a)``.
    max_iterations : int
        Contact problems at most. That the iteration converges is not certain, for great ``mu`` it may not.
    solver : {"own", "cvxpy"}
        Of both problems: those of :mod:`rbnotes.complementarity`, and a Newton method for the disc; or cvxpy.
    check
        Raise an error if the tolerance is not met; otherwise look at ``residual`` yourself.

    Returns
    -------
    StaggeredSolution
        ``iterations`` counts the contact problems.

    Raises
    ------
    InvalidArgument
        If the mass matrix or a softness is not symmetric.
    Unsolved
        If the contacts and equations contradict each other.
    FrictionNotConverged
        If ``check`` and the tolerance is not met, or rounding keeps the last programs from theirs.
    """
    arguments.choice("cone", cone, CONES)
    arguments.choice("solver", solver, SOLVERS)
    if cone == "pyramid":
        facet_directions(facets)
    tolerance = arguments.number("tolerance", tolerance)
    max_iterations = arguments.count("max_iterations", max_iterations, minimum=2)
    space = contact_space(problem)
    if not space.symmetric:
        raise InvalidArgument("problem", "a mass or softness that is not symmetric", "symmetric ones")
    b: Array = np.zeros((space.count, 2))
    if start is not None:
        given = arguments.exactly("start", arguments.array("start", start, space.with_friction, 3), 2)
        b[: space.with_friction] = given[:, 1:]
    a = normal_impulses(space, b, solver=solver, solve=Best())
    history: list[float] = []
    while len(history) < max_iterations - 1 and (not history or history[-1] > tolerance):
        solve = Best()
        b = friction_impulses(space, a, space.mu * a, b, cone=cone, facets=facets, solver=solver, solve=solve)
        new = normal_impulses(space, b, start=a, solver=solver, solve=solve)
        history.append(relative_change(space, a, new))
        a = new
    solution = space.solution(
        np.concatenate([a[:, None], b], axis=1),
        iterations=len(history) + 1,
        residual=worst(history[-1], solve.residual),
        method=f"staggered projections, {cone}",
    )
    values = {field.name: getattr(solution, field.name) for field in fields(solution)}
    found = StaggeredSolution(**values, history=tuple(history))
    if check and not history[-1] <= tolerance:
        raise FrictionNotConverged(found, tolerance)
    if check:
        solve.check(found)
    return found


def normal_impulses(
    space: ContactSpace,
    friction: Array,
    *,
    start: Array | None = None,
    solver: str = "own",
    solve: Solve = solve_lcp,
) -> Array:
    """Normal impulses ``(c,)`` under friction impulses ``(c, 2)`` (right form of Sueda eq. (2.113)).

    None where the normal direction is held, as in the joints of a tree.
    """
    W = space.delassus.reshape(space.count, 3, space.count, 3)
    u = space.free[:, 0] + np.einsum("ijk,jk->i", W[:, 0, :, 1:], friction)
    result = np.zeros(space.count)
    own = W[:, 0, :, 0]
    moving = (np.diag(own) > 0) | (np.abs(space.free[:, 0]) > 0)
    if np.any(moving):
        if solver == "cvxpy":
            none = np.zeros(int(np.sum(moving)))
            found = contact_program(len(none)).solve(own[np.ix_(moving, moving)], u[moving][:, None], none)
            result[moving] = np.maximum(found[:, 0], 0.0)
        else:
            lcp = LCP(own[np.ix_(moving, moving)], u[moving])
            result[moving] = solve(lcp, start=None if start is None else start[moving]).z
    return result


def friction_impulses(
    space: ContactSpace,
    normal: Array,
    limits: Array,
    start: Array,
    *,
    cone: str = "box",
    facets: int = 8,
    solver: str = "own",
    nearness: float = 0.0,
    solve: Solve = solve_lcp,
) -> Array:
    """Friction impulses ``(c, 2)`` under normal ones ``(c,)``, within ``limits (c,)`` (Sueda eq. (2.114))."""
    W = space.delassus.reshape(space.count, 3, space.count, 3)
    across = W[:, 1:, :, 0]
    s = space.free[:, 1:] + np.einsum("iaj,j->ia", across, normal)
    terms = np.abs(space.free[:, 1:]) + np.einsum("iaj,j->ia", np.abs(across), normal)
    s[np.abs(s) <= ROUNDING * terms] = 0.0  # what the normal impulses stop is no sliding
    own = W[:, 1:, :, 1:].reshape(2 * space.count, 2 * space.count)
    return bounded_friction(own, s, limits, cone, facets, start, solver, nearness, solve)


def relative_change(space: ContactSpace, old: Array, new: Array) -> float:
    """Change of normal impulses ``(c,)``, by the speeds that they make, relative to the new ones."""
    own = space.delassus[::3, ::3]
    size, change = (np.sqrt(worst(float(each @ own @ each), 0.0)) for each in (new, new - old))
    if size == 0:
        return float(change > 0)
    return float(change / size)
