"""Box friction: each friction impulse bounded on its own (Lloyd 0.10, eqs. (0.5), (0.6))."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.complementarity import BoxLCP
from rbnotes.complementarity.residuals import max_or_nan
from rbnotes.dynamics import StepProblem, StepSolution
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
    method: str = "block_principal_pivoting",
) -> StepSolution:
    """Contact with friction bounded by ``mu`` times an estimate of the normal impulse, in each direction.

    The problem is a box LCP: for each contact ``0 <= a _|_ u >= 0``, and for each of its two tangents
    ``-mu e <= b_k <= mu e`` with a sliding velocity that is positive only at the lower bound and negative
    only at the upper one; e is the estimate of a. The cone is a square prism, aligned with the tangents:
    diagonally, friction is up to ``sqrt(2)`` times too large. What a stack knows of its masses is in the
    digits of one matrix: a ratio of 1e6 between two of them leaves enough, 1e12 over all bodies does not.

    Parameters
    ----------
    normal_estimate : (c,), optional
        e, N s, such as the normal impulses of the step before. By default those of the problem without
        friction.
    max_updates : int
        How often to solve again with the normal impulses just found, at most, until they agree with the
        estimate. Zero: never, as in the notes. That this converges is not certain.
    tolerance
        Largest relative change of the estimate at which to stop.
    method
        Of :func:`rbnotes.complementarity.solve_lcp`.

    Returns
    -------
    StepSolution
        ``iterations`` counts the problems solved.

    Raises
    ------
    InvalidArgument
        If ``normal_estimate`` or ``max_updates`` is negative, ``tolerance`` is not positive, or ``method`` is
        not one of the names.
    Unsolved
        If the contacts and equations contradict each other.
    FrictionNotConverged
        If rounding keeps the solver from its tolerance; or if updates are asked for and the estimate still
        changes after the last one.
    """
    arguments.require_instance("problem", problem, StepProblem)
    tolerance = arguments.positive_number("tolerance", tolerance)
    max_updates = arguments.count("max_updates", max_updates)
    contact_problem = friction_contact_problem(problem)
    count = contact_problem.count
    problems_solved, solve = 0, ResidualTrackingSolver()
    if normal_estimate is None:
        estimate = _solve_box_lcp(contact_problem, np.zeros(count), method, solve)[:, 0]
        problems_solved += 1
    else:
        estimate = arguments.real_array("normal_estimate", normal_estimate, minimum=0.0)
        if estimate.shape != (count,):
            raise InvalidArgument("normal_estimate", f"shape {estimate.shape}", f"shape ({count},)")
    for update in range(max_updates + 1):
        if update:  # it mends an estimate that is not good; without it friction's limits are as good as that
            solve = ResidualTrackingSolver()
        impulses = _solve_box_lcp(contact_problem, contact_problem.mu * estimate, method, solve)
        problems_solved += 1
        change = np.abs(impulses[:, 0] - estimate).max(initial=0.0)
        if change <= tolerance * np.abs(impulses[:, 0]).max(initial=1e-300) or update == max_updates:
            break
        estimate = impulses[:, 0]
    relative = float(change / max(np.abs(impulses[:, 0]).max(initial=0.0), 1e-300)) if change else 0.0
    solution = contact_problem.step_solution(
        impulses,
        iterations=problems_solved,
        residual=max_or_nan(solve.residual, relative if max_updates else 0.0),
        method="box friction",
    )
    solve.raise_if_inaccurate(solution)
    if max_updates and not relative <= tolerance:
        raise FrictionNotConverged(solution, tolerance)
    return solution


def _solve_box_lcp(
    contact_problem: FrictionContactProblem, limits: Array, method: str, solve: LCPSolver
) -> Array:
    """Impulses ``(c, 3)`` with friction within ``limits (c,)``."""
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
    return solve(box, method).z.reshape(-1, 3)
