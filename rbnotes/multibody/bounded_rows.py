"""Rows with bounded impulses: dry friction and actuators with limits, in the problem of a velocity update.

The impulse of a row at the new velocity v is

    p = clip(offset - gain rows v, -bound, bound).

Dry friction has an infinite gain: p is whatever keeps the row at rest, or the bound, against the velocity.
Each row is linear, at its upper bound or at its lower bound. Given these *modes*, the problem is one without
bounds, for any solver of contacts. The modes of rows whose impulse or velocity contradicts them change until
all are consistent. That may cycle, above all if there are more rows than degrees of freedom. Then every other
change takes the modes of a box LCP, in which the friction of contacts has its last limits, and those between
change one row: without contacts the LCP has the solution. If more rows are at rest than can move, they share
the load in many ways, and some have the impulses of the LCP.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg import block_diag, qr

from rbnotes.arguments import Array, IntArray, Matrix
from rbnotes.complementarity import BoxLCP
from rbnotes.complementarity import solve as solve_complementarity
from rbnotes.constraints.redundant_rows import InconsistentConstraints
from rbnotes.dynamics import BilateralRows, StepProblem, StepSolution, UnilateralRows, factor_step
from rbnotes.errors import NotConverged
from rbnotes.unchecked.bounded_impulses import LINEAR, LOWER, MAX_MODE_CHANGES, RELATIVE_TOLERANCE, UPPER

MAX_ITERATIONS = 50
"""Largest number of iterations."""


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
    limited, solves_lcp = bounded, False
    speed = float(np.max(np.abs(np.linalg.solve(problem.mass, problem.momentum)), initial=0.0))
    for iteration in range(MAX_ITERATIONS):
        try:
            solution, impulse = _solve_in_modes(problem, limited, solve, modes)
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
        violation = _violations(limited, modes, impulse, velocity, speed)
        is_violated = (violation > RELATIVE_TOLERANCE) & ~has_no_impulse
        if not np.any(is_violated):
            return BoundedSolution(solution, np.clip(impulse, -bounded.bound, bounded.bound))
        solves_lcp = iteration >= MAX_MODE_CHANGES and not solves_lcp
        if solves_lcp:
            modes, limited = _modes_of_box_lcp(problem, bounded, solution)
        else:
            if iteration >= MAX_MODE_CHANGES:
                is_violated &= violation == np.max(violation[is_violated])
            nearest_bound = np.where(impulse > 0, UPPER, LOWER)
            modes = np.where(is_violated, np.where(modes == LINEAR, nearest_bound, LINEAR), modes)
            limited = bounded
    message = f"dry friction and limits of actuators: no consistent state after {MAX_ITERATIONS} iterations"
    raise NotConverged(message, solution.velocity, float(np.max(violation)))


def _solve_in_modes(
    problem: StepProblem,
    bounded: BoundedRows,
    solve: Callable[[StepProblem], StepSolution],
    modes: IntArray,
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
) -> tuple[IntArray, BoundedRows]:
    """Return the modes of the rows with the friction limits of the last solution, and rows with new bounds.

    With these limits the update minimizes a convex function, so that its solution exists: it is a box LCP of
    the impulses of the rows, the inequalities and the contacts. Rows at rest whose velocities other rows at
    rest determine are at bounds: their impulses.
    """
    is_coupled, inequalities = bounded.gain > 0, problem.unilateral
    offset, gain, bound = (each[is_coupled] for each in bounded[1:])
    impulse: Array = np.clip(bounded.offset, -bounded.bound, bounded.bound)
    momentum = problem.momentum + bounded.rows[~is_coupled].T @ impulse[~is_coupled]
    contact_rows, contact_target, contact_lower, contact_upper = _contacts_with_fixed_bounds(
        problem, solution
    )
    rows = np.concatenate([bounded.rows[is_coupled], inequalities.rows, contact_rows])
    factor, no_targets = factor_step(problem), np.zeros((problem.bilateral.count, len(rows)))
    responses = factor.solve_unchecked(rows.T, no_targets)[0]
    velocity = factor.solve_unchecked(momentum, problem.bilateral.target)[0]
    softness, no_softness = inequalities.regularization, np.zeros((len(contact_rows), len(contact_rows)))
    compliance = block_diag(
        np.diag(1 / gain), np.diag(softness) if softness.ndim == 1 else softness, no_softness
    )
    lcp = BoxLCP(
        rows @ responses + compliance,
        rows @ velocity - np.concatenate([offset / gain, inequalities.target, contact_target]),
        np.concatenate([-bound, np.zeros(inequalities.count), contact_lower]),
        np.concatenate([bound, np.full(inequalities.count, np.inf), contact_upper]),
    )
    impulse[is_coupled] = solve_complementarity(lcp).z[: len(bound)]
    is_linear = is_coupled & (np.abs(impulse) < bounded.bound)
    at_rest = np.flatnonzero(is_linear & np.isinf(bounded.gain))
    places = np.cumsum(is_coupled)[at_rest] - 1
    mobility = rows[places] @ responses[:, places]
    is_linear[at_rest[_dependent_rows(mobility)]] = False
    modes = np.where(is_linear, LINEAR, np.where(impulse > 0, UPPER, LOWER))
    return modes, bounded._replace(bound=np.where(is_linear, bounded.bound, np.abs(impulse)))


def _contacts_with_fixed_bounds(
    problem: StepProblem, solution: StepSolution
) -> tuple[Array, Array, Array, Array]:
    """Return rows ``(3 c, N)`` of the contacts, their targets, and bounds of impulses ``(3 c,)``.

    The bounds of friction follow from the impulses of a solution: the limit of friction along the friction
    impulse, and the remaining half width of the disc across it.
    """
    contacts = problem.contacts
    if contacts is None or not contacts.count:
        return np.zeros((0, problem.size)), np.zeros(0), np.zeros(0), np.zeros(0)
    matrix: Matrix = getattr(contacts.rows, "matrix", contacts.rows)
    rows = np.reshape(matrix.toarray() if sparse.issparse(matrix) else matrix, (-1, 3, problem.size))
    friction = np.linalg.norm(solution.tangential, axis=1)
    direction = np.where(friction[:, None] > 0, solution.tangential, [1.0, 0.0])
    direction = direction / np.linalg.norm(direction, axis=1, keepdims=True)
    along = np.einsum("ci,cin->cn", direction, rows[:, 1:])
    across = np.einsum("ci,cin->cn", direction[:, ::-1] * [-1.0, 1.0], rows[:, 1:])
    limit = contacts.mu * solution.normal
    across_limit = np.sqrt(np.maximum(limit**2 - friction**2, 0.0))
    no_limit, zero = np.full(len(limit), np.inf), np.zeros(len(limit))
    return (
        np.stack([rows[:, 0], along, across], axis=1).reshape(-1, problem.size),
        np.stack([contacts.normal_target, zero, zero], axis=1).ravel(),
        np.stack([zero, -limit, -across_limit], axis=1).ravel(),
        np.stack([no_limit, limit, across_limit], axis=1).ravel(),
    )


def _dependent_rows(mobility: Array) -> IntArray:
    """Return the indices of rows whose velocities others determine, from their velocities per impulse."""
    if not len(mobility):
        return np.zeros(0, dtype=np.intp)
    _, R, order = qr(mobility, pivoting=True)
    sizes = np.abs(np.diagonal(R))
    result: IntArray = order[sizes <= RELATIVE_TOLERANCE * sizes[0]]
    return result


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
    bounded: BoundedRows, modes: IntArray, impulse: Array, velocity: Array, speed: float
) -> Array:
    """Return the violation of each row's mode ``(m,)``, relative to its bound or to `speed`."""
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
