"""Staggered projections: alternating contact and friction programs (Sueda 2.11, Algorithm 7; Kaufman et al.).

For known friction, the normal impulses a solve a convex program; for known normal impulses, the friction
impulses b solve another one. Both are solved in turn until the normal impulses stop changing,

    a = argmin a^T N W N^T a / 2 + a^T (u + N W T^T b),   a >= 0,
    b = argmin b^T T W T^T b / 2 + b^T (s + T W N^T a),   b_i within mu a_i times the section of the cone,

A fixed point satisfies Coulomb's law with that section. Positive impulses push:
``M v = M v_free + N^T a + T^T b``. W is the inverse mass, subject to the equations of the problem.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.complementarity import LCP, solve
from rbnotes.complementarity.residuals import max_or_nan
from rbnotes.dynamics import StepProblem, StepSolution
from rbnotes.friction.bounded_friction import CONE_SECTIONS, PROGRAM_SOLVERS, bounded_friction
from rbnotes.friction.contact_problem import (
    FrictionContactProblem,
    FrictionNotConverged,
    friction_contact_problem,
    raise_unless_sticking,
)
from rbnotes.friction.cvxpy_programs import contact_program
from rbnotes.friction.facets import facet_directions
from rbnotes.friction.residual_tracking import LCPSolver, ResidualTrackingSolver

SLIDING_ROUNDING = 1e-11
"""Size of a sliding velocity, relative to its terms, below which it is rounding."""


@dataclass(frozen=True, eq=False)
class StaggeredSolution(StepSolution):
    """Solution of a step with the history of the iteration.

    The other attributes are those of :class:`~rbnotes.dynamics.StepSolution`.

    Attributes
    ----------
    history
        Relative change of the normal impulses at each contact program except the first; the last one is the
        ``residual``, unless rounding left a larger one in the last programs.
    """

    history: tuple[float, ...] = ()


def staggered_projections(
    problem: StepProblem,
    *,
    cone: str = "box",
    facets: int = 8,
    initial_guess: ArrayLike | None = None,
    tolerance: float = 1e-8,
    max_iterations: int = 200,
    solver: str = "own",
    raise_on_failure: bool = True,
) -> StaggeredSolution:
    """Solve a step with friction by staggered projections (Sueda 2.11, the right form of Algorithm 7).

    Algorithm 7 stops before its first friction program if a contact has no impulse, and then applies the
    friction of the previous step. Here the friction program is solved at least once, so that friction belongs
    to the present contacts.

    Parameters
    ----------
    cone : {"box", "pyramid", "disc"}
        Section of the friction cone: ``|b_1|, |b_2| <= mu a``, a polygon with its corners on the disc, the
        disc.
    facets : int
        Number of corners of the polygon, even and at least 4.
    initial_guess : (c, 3), optional
        Impulses of the previous step at the same contacts, then at the inequalities, N s; only the friction
        impulses are used.
    tolerance
        Accepted change of the normal impulses from one contact problem to the next, relative to them, both
        in the norm ``sqrt(a^T N W N^T a)``.
    max_iterations : int
        Largest number of contact programs. Convergence is not guaranteed, in particular for large ``mu``.
    solver : {"own", "cvxpy"}
        Solver of both programs: :mod:`rbnotes.complementarity` and a Newton method for the disc; or cvxpy.
    raise_on_failure
        If True, raise an error if the tolerance is not reached; otherwise check ``residual``.

    Returns
    -------
    StaggeredSolution
        Solution; ``iterations`` is the number of contact programs.

    Raises
    ------
    InvalidArgument
        If the mass matrix or a regularization is not symmetric.
    NotSolved
        If the contacts and equations contradict each other.
    FrictionNotConverged
        If ``raise_on_failure`` and the tolerance is not reached, by the iteration or by the last programs.
    """
    arguments.choice("cone", cone, CONE_SECTIONS)
    arguments.choice("solver", solver, tuple(PROGRAM_SOLVERS))
    if cone == "pyramid":
        facet_directions(facets)
    tolerance = arguments.positive_number("tolerance", tolerance)
    max_iterations = arguments.count("max_iterations", max_iterations, minimum=2)
    contact_problem = friction_contact_problem(problem)
    if not contact_problem.is_symmetric:
        raise InvalidArgument("problem", "a mass or regularization that is not symmetric", "symmetric ones")
    b: Array = np.zeros((contact_problem.count, 2))
    if initial_guess is not None:
        guess = arguments.with_ndim(
            "initial_guess",
            arguments.array("initial_guess", initial_guess, contact_problem.count, 3),
            2,
        )
        b = guess[:, 1:]
    a = normal_impulses(contact_problem, b, solver=solver, lcp_solver=ResidualTrackingSolver())
    history: list[float] = []
    while len(history) < max_iterations - 1 and (not history or history[-1] > tolerance):
        lcp_solver = ResidualTrackingSolver()
        b = friction_impulses(
            contact_problem,
            a,
            contact_problem.mu * a,
            b,
            cone=cone,
            facets=facets,
            solver=solver,
            lcp_solver=lcp_solver,
        )
        next_normal_impulses = normal_impulses(
            contact_problem, b, initial_guess=a, solver=solver, lcp_solver=lcp_solver
        )
        history.append(relative_change(contact_problem, a, next_normal_impulses))
        a = next_normal_impulses
    solution = contact_problem.step_solution(
        np.concatenate([a[:, None], b], axis=1),
        iterations=len(history) + 1,
        residual=max_or_nan(history[-1], lcp_solver.residual),
        method=f"staggered projections, {cone}",
    )
    values = {field.name: getattr(solution, field.name) for field in fields(solution)}
    staggered_solution = StaggeredSolution(**values, history=tuple(history))
    if raise_on_failure and not history[-1] <= tolerance:
        raise FrictionNotConverged(staggered_solution, tolerance)
    if raise_on_failure:
        lcp_solver.raise_if_inaccurate(staggered_solution)
        raise_unless_sticking(contact_problem, staggered_solution)
    return staggered_solution


def normal_impulses(
    contact_problem: FrictionContactProblem,
    friction: Array,
    *,
    initial_guess: Array | None = None,
    solver: str = "own",
    lcp_solver: LCPSolver = solve,
) -> Array:
    """Return the normal impulses ``(c,)`` under given friction, N s (right form of Sueda (2.113)).

    Zero for contacts whose normal velocity the equations fix, as in the joints of a tree.

    Parameters
    ----------
    contact_problem
        Contacts of a step, with their mobility.
    friction
        Friction impulses ``(c, 2)``, N s.
    initial_guess
        Initial normal impulses ``(c,)``, N s.
    solver : {"own", "cvxpy"}
        Solver of the program.
    lcp_solver
        Function that solves an LCP, for the solver "own".
    """
    W = contact_problem.delassus_matrix.reshape(contact_problem.count, 3, contact_problem.count, 3)
    u = contact_problem.free_contact_velocities[:, 0] + np.einsum("ijk,jk->i", W[:, 0, :, 1:], friction)
    result = np.zeros(contact_problem.count)
    normal_block = W[:, 0, :, 0]
    is_movable = (np.diag(normal_block) > 0) | (np.abs(contact_problem.free_contact_velocities[:, 0]) > 0)
    if np.any(is_movable):
        if solver == "cvxpy":
            zero_limits = np.zeros(int(np.sum(is_movable)))
            impulses = contact_program(len(zero_limits)).solve(
                normal_block[np.ix_(is_movable, is_movable)], u[is_movable][:, None], zero_limits
            )
            result[is_movable] = np.maximum(impulses[:, 0], 0.0)
        else:
            lcp = LCP(normal_block[np.ix_(is_movable, is_movable)], u[is_movable])
            result[is_movable] = lcp_solver(
                lcp, initial_guess=None if initial_guess is None else initial_guess[is_movable]
            ).z
    return result


def friction_impulses(
    contact_problem: FrictionContactProblem,
    normal: Array,
    limits: Array,
    initial_guess: Array,
    *,
    cone: str = "box",
    facets: int = 8,
    solver: str = "own",
    proximal_weight: float = 0.0,
    lcp_solver: LCPSolver = solve,
) -> Array:
    """Return the friction impulses ``(c, 2)`` for normal impulses ``(c,)`` and bounds (Sueda eq. (2.114))."""
    W = contact_problem.delassus_matrix.reshape(contact_problem.count, 3, contact_problem.count, 3)
    normal_to_tangent = W[:, 1:, :, 0]
    s = contact_problem.free_contact_velocities[:, 1:] + np.einsum("iaj,j->ia", normal_to_tangent, normal)
    terms = np.abs(contact_problem.free_contact_velocities[:, 1:]) + np.einsum(
        "iaj,j->ia", np.abs(normal_to_tangent), normal
    )
    s[np.abs(s) <= SLIDING_ROUNDING * terms] = 0.0  # sliding that the normal impulses stop is rounding
    tangent_block = W[:, 1:, :, 1:].reshape(2 * contact_problem.count, 2 * contact_problem.count)
    return bounded_friction(
        tangent_block, s, limits, cone, facets, initial_guess, solver, proximal_weight, lcp_solver
    )


def relative_change(
    contact_problem: FrictionContactProblem, old_impulses: Array, new_impulses: Array
) -> float:
    """Return the change of normal impulses ``(c,)`` relative to the new ones, in the norm of ``N W N^T``."""
    normal_block = contact_problem.delassus_matrix[::3, ::3]
    size, change = (
        np.sqrt(max_or_nan(float(each @ normal_block @ each), 0.0))
        for each in (new_impulses, new_impulses - old_impulses)
    )
    if size == 0:
        return float(change > 0)
    return float(change / size)
