"""Rows with bounded impulses: dry friction and actuators with limits, in the problem of a velocity update.

The impulse of a row at the new velocity v is

    p = clip(offset - gain rows v, -bound, bound).

Dry friction has an infinite gain: p is whatever keeps the row at rest, or the bound, against the velocity.
Each row is linear, at its upper bound or at its lower bound. Given these *modes*, the problem is one without
bounds, for any solver of contacts. The modes of rows whose impulse or velocity contradicts them change until
all are consistent. That may cycle, above all if there are more rows than degrees of freedom. Then the modes
are those of a box LCP, in which contacts have their last impulses: without contacts its solution is exact.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag

from rbnotes.arguments import Array
from rbnotes.complementarity import BoxLCP
from rbnotes.complementarity import solve as solve_complementarity
from rbnotes.constraints.redundant_rows import InconsistentConstraints
from rbnotes.dynamics import BilateralRows, StepProblem, StepSolution, UnilateralRows, factor_step
from rbnotes.errors import NotConverged

RELATIVE_TOLERANCE = 1e-9
"""Accepted excess of an impulse over its bound, relative to it, and accepted velocity with the wrong sign,
relative to the largest velocity without the rows."""

MAX_MODE_CHANGES = 10
"""Number of iterations that change the modes of all contradictory rows; later ones solve box LCPs."""

MAX_ITERATIONS = 50
"""Largest number of iterations."""

LINEAR, UPPER, LOWER = 0, 1, -1
"""Modes of a row."""


class BoundedRows(NamedTuple):
    """Rows whose impulses are bounded.

    Attributes
    ----------
    rows
        Matrix ``(m, n)``.
    offset
        Impulses ``(m,)`` at zero velocity, N m s or N s; zero for dry friction.
    gain
        Impulse per velocity ``(m,)``, N m s^2 or kg; infinite for dry friction.
    bound
        Largest impulse ``(m,)`` in either direction, N m s or N s; may be infinite for finite gains.
    """

    rows: Array
    offset: Array
    gain: Array
    bound: Array

    def join(self, other: BoundedRows) -> BoundedRows:
        """Return these rows, then those of another set."""
        return BoundedRows(*(np.concatenate(pair) for pair in zip(self, other, strict=True)))


def dry_friction_rows(rows: Array, bound: Array) -> BoundedRows:
    """Return rows ``(m, n)`` of dry friction with these bounds ``(m,)``."""
    return BoundedRows(rows, np.zeros(len(rows)), np.full(len(rows), np.inf), bound)


class BoundedSolution(NamedTuple):
    """Solution of a problem with bounded rows.

    Attributes
    ----------
    solution
        Velocities and impulses, those of the bounded rows excluded.
    impulse
        Impulses of the bounded rows ``(m,)``.
    """

    solution: StepSolution
    impulse: Array


def solve_with_bounded_rows(
    problem: StepProblem,
    bounded: BoundedRows,
    solve: Callable[[StepProblem], StepSolution],
    velocity_before: Array,
) -> BoundedSolution:
    """Solve a velocity update with bounded rows.

    Parameters
    ----------
    problem
        Update without the rows.
    solve
        Solver of updates without bounded rows.
    velocity_before
        Velocity ``(n,)`` before the update, whose sign is the first guess for dry friction.

    Raises
    ------
    InconsistentConstraints
        If redundant equations of the problem contradict each other.
    NotConverged
        If no consistent modes are found; ``solution`` is the last velocity.
    """
    if not len(bounded.rows):
        return BoundedSolution(solve(problem), np.zeros(0))
    is_dry = np.isinf(bounded.gain)
    has_no_impulse = bounded.bound == 0
    modes = np.where(is_dry, -np.sign(bounded.rows @ velocity_before), 0.0).astype(np.intp)
    modes[has_no_impulse] = UPPER
    speed = float(np.max(np.abs(np.linalg.solve(problem.mass, problem.momentum)), initial=0.0))
    for iteration in range(MAX_ITERATIONS):
        try:
            solution, impulse = _solve_in_modes(problem, bounded, solve, modes)
        except InconsistentConstraints:
            # Other constraints prescribe the velocity of a row at rest: it slides.
            is_at_rest = is_dry & (modes == LINEAR)
            if not np.any(is_at_rest):
                raise
            row_velocity = bounded.rows @ solve(problem).velocity
            is_moving = np.abs(row_velocity) > RELATIVE_TOLERANCE * speed
            modes = np.where(is_at_rest & is_moving, -np.sign(row_velocity), modes).astype(np.intp)
            if not np.any(is_at_rest & is_moving):
                raise
            continue
        velocity = bounded.rows @ solution.velocity
        violation = _violations(bounded, modes, impulse, velocity, speed)
        is_violated = (violation > RELATIVE_TOLERANCE) & ~has_no_impulse
        if not np.any(is_violated):
            return BoundedSolution(solution, np.clip(impulse, -bounded.bound, bounded.bound))
        if iteration >= MAX_MODE_CHANGES:
            modes = _modes_of_box_lcp(problem, bounded, solution)
        else:
            nearest_bound = np.where(impulse > 0, UPPER, LOWER)
            modes = np.where(is_violated, np.where(modes == LINEAR, nearest_bound, LINEAR), modes)
    message = f"dry friction and limits of actuators: no consistent state after {MAX_ITERATIONS} iterations"
    raise NotConverged(message, solution.velocity, float(np.max(violation)))


def _solve_in_modes(
    problem: StepProblem,
    bounded: BoundedRows,
    solve: Callable[[StepProblem], StepSolution],
    modes: NDArray[np.intp],
) -> tuple[StepSolution, Array]:
    """Return the solution in given modes, with the impulses of the rows ``(m,)``."""
    is_rigid = np.isinf(bounded.gain) & (modes == LINEAR)
    is_soft = np.isfinite(bounded.gain) & (modes == LINEAR)
    constant = np.where(is_soft, bounded.offset, modes * np.where(modes == LINEAR, 0.0, bounded.bound))
    gain = np.where(is_soft, bounded.gain, 0.0)
    own = problem.bilateral
    bilateral = BilateralRows(
        np.concatenate([own.rows, bounded.rows[is_rigid]]),
        np.concatenate([own.target, np.zeros(int(np.sum(is_rigid)))]),
    )
    in_modes = replace(
        problem,
        mass=problem.mass + bounded.rows.T @ (gain[:, None] * bounded.rows),
        momentum=problem.momentum + bounded.rows.T @ constant,
        bilateral=bilateral,
    )
    if np.any(is_rigid) and problem.unilateral.count:
        solution = _solve_without_determined_inequalities(in_modes, solve)
    else:
        solution = solve(in_modes)
    impulse = constant - gain * (bounded.rows @ solution.velocity)
    impulse[is_rigid] = solution.bilateral[own.count :]
    return replace(solution, bilateral=solution.bilateral[: own.count]), impulse


def _modes_of_box_lcp(
    problem: StepProblem, bounded: BoundedRows, solution: StepSolution
) -> NDArray[np.intp]:
    """Return the modes of the rows under the contact impulses of the last solution.

    With these impulses the update minimizes a convex function, so that its solution exists: it is a box LCP of
    the impulses of the rows and of the inequalities.
    """
    is_coupled, inequalities = bounded.gain > 0, problem.unilateral
    offset, gain, bound = (each[is_coupled] for each in bounded[1:])
    own, fixed = bounded.rows[is_coupled], bounded.rows[~is_coupled]
    momentum = problem.momentum + fixed.T @ np.clip(
        bounded.offset[~is_coupled], -bounded.bound[~is_coupled], bounded.bound[~is_coupled]
    )
    if problem.contacts is not None:
        momentum = momentum + problem.contacts.rows.T @ solution.contact_impulses.ravel()
    rows = np.concatenate([own, inequalities.rows])
    factor, no_targets = factor_step(problem), np.zeros((problem.bilateral.count, len(rows)))
    responses = factor.solve_unchecked(rows.T, no_targets)[0]
    velocity = factor.solve_unchecked(momentum, problem.bilateral.target)[0]
    softness = inequalities.regularization
    compliance = block_diag(np.diag(1 / gain), np.diag(softness) if softness.ndim == 1 else softness)
    lcp = BoxLCP(
        rows @ responses + compliance,
        rows @ velocity - np.concatenate([offset / gain, inequalities.target]),
        np.concatenate([-bound, np.zeros(inequalities.count)]),
        np.concatenate([bound, np.full(inequalities.count, np.inf)]),
    )
    impulse = solve_complementarity(lcp).z[: len(own)]
    modes: NDArray[np.intp] = np.full(len(bounded.rows), LINEAR)
    modes[is_coupled] = np.where(impulse >= bound, UPPER, np.where(impulse <= -bound, LOWER, LINEAR))
    return modes


def _solve_without_determined_inequalities(
    problem: StepProblem, solve: Callable[[StepProblem], StepSolution]
) -> StepSolution:
    """Solve without the inequalities whose velocities the equations determine: rounding would decide on them.

    If a determined velocity violates its inequality, all are kept. Velocities are compared with those without
    impulses: at rest they are rounding.
    """
    rows, target = problem.unilateral.rows, problem.unilateral.target
    no_targets = np.zeros((problem.bilateral.count, len(rows)))
    responses = factor_step(problem).solve_unchecked(rows.T, no_targets)[0]
    free_responses = np.linalg.solve(problem.mass, rows.T)
    mobility, free_mobility = (np.sum(rows.T * each, axis=0) for each in (responses, free_responses))
    is_movable = mobility > RELATIVE_TOLERANCE * free_mobility
    if np.all(is_movable):
        return solve(problem)
    solution = solve(replace(problem, unilateral=UnilateralRows(rows[is_movable], target[is_movable])))
    free_velocity = np.linalg.solve(problem.mass, problem.momentum)
    speed = np.linalg.norm(rows, axis=1) * np.linalg.norm(free_velocity)
    if np.any((rows @ solution.velocity - target < -RELATIVE_TOLERANCE * speed) & ~is_movable):
        return solve(problem)
    impulses = np.zeros(len(is_movable))
    impulses[is_movable] = solution.unilateral
    return replace(solution, unilateral=impulses)


def _violations(
    bounded: BoundedRows, modes: NDArray[np.intp], impulse: Array, velocity: Array, speed: float
) -> Array:
    """Return how much each row contradicts its mode ``(m,)``, relative to its bound or to `speed`."""
    linear = modes == LINEAR
    scale = np.where(np.isfinite(bounded.bound) & (bounded.bound > 0), bounded.bound, 1.0)
    excess = (np.abs(impulse) - bounded.bound) / scale
    is_dry = np.isinf(bounded.gain)
    # At a bound, the impulse of the row without bounds must exceed it.
    unbounded = np.where(is_dry, 0.0, bounded.offset) - np.where(is_dry, 0.0, bounded.gain) * velocity
    shortfall = np.where(
        is_dry,
        modes * velocity / (speed if speed > 0 else 1.0),
        (bounded.bound - modes * unbounded) / scale,
    )
    result: Array = np.where(linear, excess, shortfall)
    return result
