"""Coulomb's law by Newton's method, for all contacts at once.

With de Saxce's change of variable the law of all contacts is one equation: impulses r stay when their
velocities, scaled and raised by ``mu`` times the sliding speed, are subtracted and the cones projected on,

    F(r) = r - project(r - rho (W r + free + mu |s| e_n)) = 0.

F is smooth but on the surfaces where a contact changes between sticking, sliding and separation, and has
generalised derivatives there (Alart and Curnier; Joli and Feng for this form). Newton's method on it takes a
handful of steps from impulses that are nearly right, such as those of the time step before, and treats all
directions alike. Where it fails to make F smaller, contacts take turns for a while instead
(:mod:`rbnotes.friction.gauss_seidel`).

A few contacts, or some that were nearly right before, take a handful of steps. A stack of boxes with four
contacts between each two, whose impulses are far from unique, may use up all steps and sweeps, and end at a
residual of 1e-4 or so.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.dynamics import StepProblem, StepSolution
from rbnotes.friction.contact_space import ContactSpace, contact_space, raise_not_converged
from rbnotes.friction.gauss_seidel import one_after_the_other
from rbnotes.friction.laws import _project_on_cone, _reciprocal, residual_in

LEAST, MOST = 1e-10, 10.0
"""Damping of the linear systems, whose entries are of size one; more where a step does not make F smaller.
Contacts that repeat others share their impulse by it."""

ENOUGH = 0.999
"""Part of F that a step may leave."""

TURNS = 10
"""How often they do before Newton's method is tried again."""


def newton_friction(
    problem: StepProblem,
    *,
    start: ArrayLike | None = None,
    tolerance: float = 1e-8,
    max_iterations: int = 100,
    max_sweeps: int = 1000,
    check: bool = True,
) -> StepSolution:
    """Contact with Coulomb friction in its round cone, by Newton's method for all contacts at once.

    Friction of size ``mu a`` opposes the sliding; where nothing slides it is anything within the cone.

    Parameters
    ----------
    start : (c, 3), optional
        Impulses to start from, such as those of the step before.
    tolerance
        Accepted natural residual (:func:`rbnotes.friction.laws.natural_residual`).
    max_iterations, max_sweeps : int
        Newton steps, and turns of each contact, at most.
    check
        Raise an error if the tolerance is not met; otherwise look at ``residual`` yourself: the impulses are
        the best that were found.

    Returns
    -------
    StepSolution
        ``iterations`` counts Newton steps and sweeps.

    Raises
    ------
    Unsolved
        If ``check`` and the contacts and equations contradict each other.
    FrictionNotConverged
        If ``check`` and the tolerance is not met.
    """
    tolerance = arguments.number("tolerance", tolerance)
    max_iterations = arguments.count("max_iterations", max_iterations, minimum=1)
    max_sweeps = arguments.count("max_sweeps", max_sweeps)
    space = contact_space(problem)
    impulses: Array = np.zeros((space.count, 3))
    if start is not None:
        impulses = _project_on_cone(
            arguments.exactly("start", arguments.array("start", start, space.count, 3), 2), space.mu
        )
    best, residual, iterations = _solve(space, impulses, tolerance, max_iterations, max_sweeps)
    solution = space.solution(best, iterations=iterations, residual=residual, method="Newton")
    if check and residual > tolerance:
        raise_not_converged(space, solution, tolerance)
    return solution


def _solve(
    space: ContactSpace, r: Array, tolerance: float, max_iterations: int, max_sweeps: int
) -> tuple[Array, float, int]:
    """The best impulses, their residual, and the number of iterations."""
    best, least = r, _residual(space, r)
    sweeps = steps = 0
    rho = _reciprocal(space.mobility)
    # Impulses of light and heavy bodies, by the velocities that they make.
    units = np.sqrt(np.where(rho > 0, rho, 1.0))[:, None]
    damping = LEAST
    while least > tolerance and (steps < max_iterations or sweeps < max_sweeps):
        if steps < max_iterations and damping <= MOST:
            F, slope = _equation(space, r, rho)
            merit = np.linalg.norm(F / units)
            while damping <= MOST:
                new = r - _newton_step(F, slope, units, damping)
                steps += 1
                if np.linalg.norm(_error(space, new, rho) / units) <= ENOUGH * merit:
                    r, damping = new, max(damping / 30, LEAST)
                    break
                damping *= 10
        else:
            count = min(TURNS, max_sweeps - sweeps)
            if count <= 0:
                break
            r, damping = one_after_the_other(space, best, count), LEAST
            sweeps += count
        found = _project_on_cone(r, space.mu)
        size = _residual(space, found)
        if size < least:
            best, least = found, size
    return best, least, steps + sweeps


def _residual(space: ContactSpace, r: Array) -> float:
    return residual_in(space, r, space.velocities(r))


def _error(space: ContactSpace, r: Array, rho: Array) -> Array:
    u = space.velocities(r)
    u[:, 0] += space.mu * np.linalg.norm(u[:, 1:], axis=1)
    error: Array = r - _project_on_cone(r - rho[:, None] * u, space.mu)
    return error


def _equation(space: ContactSpace, r: Array, rho: Array) -> tuple[Array, Array]:
    """F ``(c, 3)`` and one of its generalised derivatives ``(3 c, 3 c)``."""
    count, mu = space.count, space.mu
    u = space.velocities(r)
    speed = np.linalg.norm(u[:, 1:], axis=1)
    direction = np.divide(u[:, 1:], speed[:, None], out=np.zeros((count, 2)), where=speed[:, None] > 0)
    u[:, 0] += mu * speed
    inner = r - rho[:, None] * u
    projected, P = _projection_and_slope(inner, mu)
    # How the raised velocities change with those of the contacts: by S u, with mu times the direction above.
    S = np.tile(np.eye(3), (count, 1, 1))
    S[:, 0, 1:] = mu[:, None] * direction
    PS = rho[:, None, None] * (P @ S)
    slope = np.einsum("iab,ibj->iaj", PS, space.delassus.reshape(count, 3, -1))
    diagonal = np.arange(count)
    slope.reshape(count, 3, count, 3)[diagonal, :, diagonal] += np.eye(3) - P
    return r - projected, slope.reshape(3 * count, 3 * count)


def _newton_step(F: Array, slope: Array, units: Array, damping: float) -> Array:
    scale = np.repeat(units[:, 0], 3)
    A = slope * scale / scale[:, None]
    A.flat[:: len(A) + 1] += damping
    result: Array = (scale * np.linalg.solve(A, F.ravel() / scale)).reshape(-1, 3)
    return result


def _projection_and_slope(x: Array, mu: Array) -> tuple[Array, Array]:
    """Projections on the cones ``(c, 3)`` and their derivatives ``(c, 3, 3)``."""
    a, b = x[:, 0], x[:, 1:]
    size = np.linalg.norm(b, axis=1)
    t = np.divide(b, size[:, None], out=np.zeros_like(b), where=size[:, None] > 0)
    height = (a + mu * size) / (1 + mu**2)  # of the nearest point of the surface
    P = np.zeros((len(x), 3, 3))
    P[:, 0, 0] = 1 / (1 + mu**2)
    P[:, 0, 1:] = P[:, 1:, 0] = (mu / (1 + mu**2))[:, None] * t
    along = t[:, :, None] * t[:, None, :]
    ratio = np.divide(mu * height, size, out=np.zeros_like(size), where=size > 0)
    P[:, 1:, 1:] = (mu**2 / (1 + mu**2))[:, None, None] * along + ratio[:, None, None] * (np.eye(2) - along)
    P[(size <= mu * a) & (a >= 0)] = np.eye(3)
    P[mu * size <= -a] = 0.0
    return _project_on_cone(x, mu), P
