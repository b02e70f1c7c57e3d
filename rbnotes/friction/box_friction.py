"""Box friction: each component of friction is bounded separately (Lloyd 0.10, eqs. (0.5), (0.6))."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.complementarity import BoxLCP
from rbnotes.complementarity.residuals import max_or_nan
from rbnotes.dynamics import StepProblem, StepSolution
from rbnotes.friction.bounded_friction import PROGRAM_SOLVERS
from rbnotes.friction.contact_problem import (
    FrictionContactProblem,
    FrictionNotConverged,
    friction_contact_problem,
)
from rbnotes.friction.residual_tracking import LCPSolver, ResidualTrackingSolver
from rbnotes.unchecked.frozen import construct_unchecked


def box_friction(
    problem: StepProblem,
    *,
    normal_estimate: ArrayLike | None = None,
    max_updates: int = 0,
    tolerance: float = 1e-8,
    solver: str = "own",
) -> StepSolution:
    """Solve a step with each friction component bounded by ``mu`` times an estimate of the normal impulse.

    The problem is a box LCP: for each contact ``0 <= a _|_ u >= 0``, and for each of its two tangents
    ``-mu e <= b_k <= mu e`` with a sliding velocity that is positive only at the lower bound and negative
    only at the upper one; e is the estimate of a. The cone is a square prism, aligned with the tangents:
    diagonally, friction is up to ``sqrt(2)`` times too large. All masses of a stack enter one matrix: ratios
    of 1e6 between two bodies leave enough digits, 1e12 over all bodies does not.

    Parameters
    ----------
    normal_estimate : (c,), optional
        Estimate e, N s, such as the normal impulses of the previous step. By default the normal impulses
        without friction.
    max_updates : int
        Maximum number of further solves with the normal impulses just found as the estimate, until both
        agree. Zero, as in the notes, makes none. Convergence is not guaranteed.
    tolerance
        Relative change of the estimate at which the updates end.
    solver : {"own", "cvxpy"}
        Solver of the box LCPs; cvxpy requires a symmetric mass and regularization.

    Returns
    -------
    StepSolution
        Solution; ``iterations`` is the number of problems solved.

    Raises
    ------
    InvalidArgument
        If ``normal_estimate`` or ``max_updates`` is negative, ``tolerance`` is not positive, or ``solver`` is
        not one of the names.
    NotSolved
        If the contacts and equations contradict each other.
    FrictionNotConverged
        If rounding prevents the solver from reaching its tolerance, or the estimate still changes after the
        last update.
    """
    arguments.require_instance("problem", problem, StepProblem)
    tolerance = arguments.positive_number("tolerance", tolerance)
    max_updates = arguments.count("max_updates", max_updates)
    method = PROGRAM_SOLVERS[arguments.choice("solver", solver, tuple(PROGRAM_SOLVERS))]
    contact_problem = friction_contact_problem(problem)
    if solver == "cvxpy" and not contact_problem.is_symmetric:
        raise InvalidArgument("problem", "a mass or regularization that is not symmetric", "symmetric ones")
    count = contact_problem.count
    problems_solved, lcp_solver = 0, ResidualTrackingSolver()
    if normal_estimate is None:
        estimate = _solve_box_lcp(contact_problem, np.zeros(count), method, lcp_solver)[:, 0]
        problems_solved += 1
    else:
        estimate = arguments.real_array("normal_estimate", normal_estimate, minimum=0.0)
        if estimate.shape != (count,):
            raise InvalidArgument("normal_estimate", f"shape {estimate.shape}", f"shape ({count},)")
    for update in range(max_updates + 1):
        if update:  # an update corrects a poor estimate
            lcp_solver = ResidualTrackingSolver()
        impulses = _solve_box_lcp(contact_problem, contact_problem.mu * estimate, method, lcp_solver)
        problems_solved += 1
        change = np.abs(impulses[:, 0] - estimate).max(initial=0.0)
        if change <= tolerance * np.abs(impulses[:, 0]).max(initial=1e-300) or update == max_updates:
            break
        estimate = impulses[:, 0]
    relative = float(change / max(np.abs(impulses[:, 0]).max(initial=0.0), 1e-300)) if change else 0.0
    solution = contact_problem.step_solution(
        impulses,
        iterations=problems_solved,
        residual=max_or_nan(lcp_solver.residual, relative if max_updates else 0.0),
        method="box friction",
    )
    lcp_solver.raise_if_inaccurate(solution)
    if max_updates and not relative <= tolerance:
        raise FrictionNotConverged(solution, tolerance)
    return solution


def _solve_box_lcp(
    contact_problem: FrictionContactProblem, limits: Array, method: str, lcp_solver: LCPSolver
) -> Array:
    """Return the impulses ``(c, 3)`` with friction within ``limits (c,)``."""
    count = contact_problem.count
    if count == 0:
        return np.zeros((0, 3))
    lower = np.stack([np.zeros(count), -limits, -limits], axis=1).ravel()
    upper = np.stack([np.full(count, np.inf), limits, limits], axis=1).ravel()
    box = construct_unchecked(
        BoxLCP,
        M=contact_problem.delassus_matrix,
        q=contact_problem.free_contact_velocities.ravel(),
        lower=lower,
        upper=upper,
    )
    return lcp_solver(box, method).z.reshape(-1, 3)
