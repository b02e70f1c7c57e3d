"""Refinement of contact velocities together with the impulses, for large mass ratios.

If a heavy body lies on a light one, the velocity of the light one is a small difference of large impulses:
the rounding of the impulses alone moves it. The velocities are therefore unknowns of their own. In

    M v - J^T r - G^T lambda = p,

with impulses r in the cone, velocities of sticking contacts and normal velocities of sliding ones are given,
and the momentum balances to the rounding of its terms.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import linalg

from rbnotes.arguments import Array, BoolArray
from rbnotes.complementarity.problems import to_dense
from rbnotes.dynamics import StepSolution
from rbnotes.friction.contact_problem import FrictionContactProblem
from rbnotes.friction.residuals import (
    _effective_masses,
    friction_bounds,
    natural_residual_unchecked,
    project_on_cone_unchecked,
    rounding_residual,
)

MAX_REFINEMENTS = 12
"""Largest number of linear systems."""

STEPS_PER_STATE = 3
"""Number of linear systems with the same contact states."""

ROUNDING_FRACTION, MIN_ROUNDING = 0.01, 1e-12
"""Rounding of velocities from impulses, relative to the tolerance and to the velocities without impulses,
above which the refinement is tried."""

MOMENTUM_TOLERANCE = 1e-13
"""Accepted error of the momentum balance relative to its terms."""

RANK_TOLERANCE = 1e-13
"""Size of singular values, relative to the largest, below which contacts are redundant."""


class _Point(NamedTuple):
    """Velocities, contact impulses and bilateral impulses of one iterate."""

    velocity: Array
    impulses: Array
    bilateral: Array


def refine_velocities(
    contact_problem: FrictionContactProblem, solution: StepSolution, tolerance: float
) -> StepSolution | None:
    """Return a solution whose velocities satisfy Coulomb's law within the tolerance, or None.

    The momentum balances to ``1e-13`` of its terms, which must not exceed the momentum that corresponds to
    the kinetic energy of the data. Rows with regularization are not supported.
    """
    problem = contact_problem.problem
    impulses = contact_problem.impulses_from_solution(solution)
    if problem.bilateral.is_regularized or problem.unilateral.is_regularized:
        return None
    if not rounding_residual(contact_problem, impulses) > max(ROUNDING_FRACTION * tolerance, MIN_ROUNDING):
        return None  # the impulses do not limit the accuracy
    point = _Point(solution.velocity, impulses, np.asarray(solution.bilateral))
    best: tuple[float, _Point] = (np.inf, point)
    for k in range(MAX_REFINEMENTS):
        if k % STEPS_PER_STATE == 0:
            states = _contact_states(contact_problem, point)
        point = _correct(contact_problem, point, *states)
        if not all(np.all(np.isfinite(each)) for each in point):
            break
        # Rounding may leave impulses slightly outside their cones.
        projected = project_on_cone_unchecked(point.impulses, contact_problem.mu)
        candidate = point._replace(impulses=projected)
        residual = _residual(contact_problem, candidate)
        if residual < best[0]:
            best = residual, candidate
        if residual <= tolerance:
            break
    residual, point = best
    if not residual <= tolerance:
        return None
    if contact_problem.sticking_residual(point.impulses):
        return None
    count = contact_problem.friction_contact_count
    return StepSolution(
        point.velocity,
        point.bilateral,
        unilateral=point.impulses[count:, 0].copy(),
        normal=point.impulses[:count, 0].copy(),
        tangential=point.impulses[:count, 1:].copy(),
        iterations=solution.iterations,
        residual=residual,
        method=solution.method,
    )


def _contact_velocities(contact_problem: FrictionContactProblem, velocity: Array) -> Array:
    result: Array = (contact_problem.contact_jacobian @ velocity).reshape(-1, 3)
    result[:, 0] -= contact_problem.contacts.normal_target
    return result


def _residual(contact_problem: FrictionContactProblem, point: _Point) -> float:
    """Return the natural residual of the velocities, infinity if the momentum does not balance."""
    problem, J, G = (
        contact_problem.problem,
        contact_problem.contact_jacobian,
        contact_problem.problem.bilateral.rows,
    )
    r = point.impulses.ravel()
    error = np.abs(problem.mass @ point.velocity - problem.momentum - J.T @ r - G.T @ point.bilateral)
    terms = np.abs(problem.momentum) + abs(problem.mass) @ np.abs(point.velocity)
    terms += abs(J).T @ np.abs(r) + abs(G).T @ np.abs(point.bilateral)
    root = np.sqrt(np.abs(problem.mass.diagonal()))
    explained = root * np.max(np.abs(problem.momentum) / root)
    if np.any(error > MOMENTUM_TOLERANCE * terms) or np.any(MOMENTUM_TOLERANCE * terms > 1e-6 * explained):
        return np.inf
    return natural_residual_unchecked(
        contact_problem, point.impulses, _contact_velocities(contact_problem, point.velocity)
    )


def _contact_states(contact_problem: FrictionContactProblem, point: _Point) -> tuple[BoolArray, BoolArray]:
    """Return masks ``(c,)`` of the sticking and of the sliding contacts."""
    u = _contact_velocities(contact_problem, point.velocity)
    stepped_impulses = point.impulses - _effective_masses(contact_problem.mobility)[:, None] * u
    is_pushing = stepped_impulses[:, 0] > 0
    bounds = friction_bounds(contact_problem.mu, stepped_impulses[:, 0])
    is_within = np.linalg.norm(stepped_impulses[:, 1:], axis=1) <= bounds
    return is_pushing & is_within, is_pushing & ~is_within


def _correct(
    contact_problem: FrictionContactProblem,
    point: _Point,
    is_sticking: BoolArray,
    is_sliding: BoolArray,
) -> _Point:
    """Solve for velocities and impulses with given contact states: one Newton step."""
    problem, mu = contact_problem.problem, contact_problem.mu
    J, G = to_dense(contact_problem.contact_jacobian), to_dense(problem.bilateral.rows)
    M, count = to_dense(problem.mass), contact_problem.count
    u = _contact_velocities(contact_problem, point.velocity)
    # Directions of the impulses of sliding contacts, of which only the normal velocity is given.
    # They oppose the sliding; large impulses would keep their directions in a step against the velocities.
    speed = np.linalg.norm(u[:, 1:], axis=1)
    friction = np.divide(-u[:, 1:], speed[:, None], out=np.zeros((count, 2)), where=speed[:, None] > 0)
    along = np.concatenate([np.ones((count, 1)), mu[:, None] * friction], axis=1)
    blocks = J.reshape(count, 3, -1)
    sticking_rows = blocks[is_sticking].reshape(-1, J.shape[1])
    rows = np.vstack([sticking_rows, blocks[is_sliding, 0], G])
    columns = np.vstack([sticking_rows, np.einsum("ia,iaj->ij", along[is_sliding], blocks[is_sliding]), G])
    start = np.where(is_sticking[:, None], point.impulses, 0.0)
    start[is_sliding] = point.impulses[is_sliding, :1] * along[is_sliding]
    # Friction that turns with the sliding resists changes of its direction.
    tangents, direction = blocks[is_sliding, 1:], friction[is_sliding]
    projector = np.eye(2) - direction[:, :, None] * direction[:, None]
    stiffness = mu[is_sliding] * start[is_sliding, 0] / np.where(speed > 0, speed, 1.0)[is_sliding]
    turning = np.einsum("iaj,iab,ibk->jk", tangents, stiffness[:, None, None] * projector, tangents)
    # Units in which masses, and the mobilities of all rows, are one.
    unit = 1 / np.sqrt(np.abs(np.diagonal(M + turning)))
    row_unit, column_unit = (
        1 / np.maximum(np.linalg.norm(each * unit, axis=1), 1e-100) for each in (rows, columns)
    )
    momentum_error = problem.momentum + J.T @ start.ravel() + G.T @ point.bilateral - M @ point.velocity
    velocity_error = np.concatenate(
        [
            -u[is_sticking].ravel(),
            -u[is_sliding, 0],
            problem.bilateral.target - G @ point.velocity,
        ]
    )
    matrix = np.block(
        [
            [(M + turning) * unit * unit[:, None], -(columns * unit * column_unit[:, None]).T],
            [rows * unit * row_unit[:, None], np.zeros((len(rows), len(rows)))],
        ]
    )
    right = np.concatenate([unit * momentum_error, row_unit * velocity_error])
    change = linalg.lstsq(matrix, right, cond=RANK_TOLERANCE)[0]
    velocity = point.velocity + unit * change[: len(M)]
    steps = column_unit * change[len(M) :]
    num_sticking, num_sliding = 3 * int(is_sticking.sum()), int(is_sliding.sum())
    impulses = start
    impulses[is_sticking] += steps[:num_sticking].reshape(-1, 3)
    impulses[is_sliding] += steps[num_sticking : num_sticking + num_sliding, None] * along[is_sliding]
    return _Point(velocity, impulses, point.bilateral + steps[num_sticking + num_sliding :])
