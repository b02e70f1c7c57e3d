"""Coulomb's law by Newton's method, for all contacts at once: the simulator's friction.

With de Saxce's change of variable the law of all contacts is one equation: impulses r stay when their
velocities, scaled and raised by ``mu`` times the sliding speed, are subtracted and the cones projected on,

    F(r) = r - project(r - rho (W r + free + mu |s| e_n)) = 0.

F is smooth but on the surfaces where a contact changes between sticking, sliding and separation, and has
generalised derivatives there (Alart and Curnier; Joli and Feng for this form). Newton's method on it takes a
handful of steps from impulses that are nearly right, such as those of the time step before, and treats all
directions alike. Where it fails to make F smaller, impulses come from the central path
(:mod:`rbnotes.friction.central_path`), which needs none to start from: along that of Coulomb's law itself,
and where that leads nowhere, along those of convex programs with given sliding speeds, one after the other
(Acary and Cadoux). Newton's method takes each of them to the last digits.

Contacts of bodies that have nothing to do with each other are solved apart.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.dynamics import StepProblem, StepSolution
from rbnotes.friction.central_path import along_the_central_path
from rbnotes.friction.contact_space import Responses, contact_space, raise_not_converged
from rbnotes.friction.laws import _project_on_cone, _reciprocal, residual_in

LEAST, MOST = 1e-10, 10.0
"""Damping of the linear systems, whose entries are of size one; more where a step does not make F smaller.
Contacts that repeat others share their impulse by it."""

ENOUGH = 0.999
"""Part of F that a step may leave."""

PATIENT, SLOW = 5, 0.3
"""Every so many steps of Newton's method have to leave no more than this part of F; else it is given up."""

EXACT = 1e-14
"""Residual that is nothing but rounding."""

PROGRAMS = 20
"""With given sliding speeds, at most."""

Search = Callable[[Responses, Array, float, int], tuple[Array, float, int]]
"""From impulses, the accepted residual and a number of steps to better impulses, their residual and steps."""


def newton_friction(
    problem: StepProblem,
    *,
    start: ArrayLike | None = None,
    tolerance: float = 1e-8,
    max_iterations: int = 50,
    check: bool = True,
) -> StepSolution:
    """Contact with Coulomb friction in its round cone, by Newton's method for all contacts at once.

    Friction of size ``mu a`` opposes the sliding; where nothing slides it is anything within the cone. From
    ``start`` it takes a few steps if that is nearly right; else along the central path some twenty, in each
    of which a system with three unknowns a contact is solved.

    Parameters
    ----------
    start : (c, 3), optional
        Impulses to start from, N s, such as those of the step before.
    tolerance
        Accepted natural residual, without unit (:func:`rbnotes.friction.laws.natural_residual`).
    max_iterations : int
        Of each search: Newton steps, or those along one central path.
    check
        Raise an error if the tolerance is not met; otherwise look at ``residual`` yourself: the impulses are
        the best that were found.

    Returns
    -------
    StepSolution
        ``iterations`` counts the linear systems.

    Raises
    ------
    InvalidArgument
        If ``tolerance`` is not positive, ``max_iterations`` is below 1, or the shape of ``start`` does not
        fit.
    Unsolved
        If ``check`` and the contacts and equations contradict each other.
    FrictionNotConverged
        If ``check`` and the tolerance is not met. That there is a solution is not certain if bodies are
        wedged in, and for equations that hold what contacts drive.
    """
    return friction_by(by_newton, problem, start, tolerance, max_iterations, check)


def friction_by(
    search: Search,
    problem: StepProblem,
    start: ArrayLike | None,
    tolerance: float,
    max_iterations: int,
    check: bool,
) -> StepSolution:
    """As :func:`newton_friction`, by a search that does what :func:`by_newton` does."""
    tolerance = arguments.number("tolerance", tolerance)
    max_iterations = arguments.count("max_iterations", max_iterations, minimum=1)
    space = contact_space(problem)
    first: Array = np.zeros((space.count, 3))
    if start is not None:
        found = arguments.exactly("start", arguments.array("start", start, space.count, 3), 2)
        first = _project_on_cone(found, space.mu)
    impulses, iterations = np.zeros((space.count, 3)), 0
    for which, island in space.islands():
        impulses[which], steps = _solve(search, island, first[which], tolerance, max_iterations)
        iterations += steps
    residual = residual_in(space, impulses, space.velocities(impulses))
    solution = space.solution(impulses, iterations=iterations, residual=residual, method="Newton")
    if check and not residual <= tolerance:
        raise_not_converged(space, solution, tolerance)
    return solution


def _solve(
    search: Search, space: Responses, start: Array, tolerance: float, max_iterations: int
) -> tuple[Array, int]:
    """The best impulses, and the number of iterations."""
    best, least, iterations = search(space, start, tolerance, max_iterations)
    sliding = None
    for program in range(PROGRAMS + 1):
        if least <= tolerance:
            break
        accuracy = tolerance if sliding is None else tolerance**2
        found, size, steps = along_the_central_path(space, accuracy, max_iterations, sliding)
        if sliding is None or program == PROGRAMS or size < 1e-3:
            found, size, more = search(space, found, tolerance, max_iterations)
            steps += more
        if size < least:
            best, least = found, size
        iterations += steps
        at = best if sliding is None else found
        sliding = np.linalg.norm(space.velocities(at)[:, 1:], axis=1)
    return best, iterations


def by_newton(space: Responses, r: Array, tolerance: float, max_iterations: int) -> tuple[Array, float, int]:
    """The best impulses near r, their residual, and the number of steps."""
    best, least, steps = r, residual_in(space, r, space.velocities(r)), 0
    rho = _reciprocal(space.mobility)
    # Impulses of light and heavy bodies, by the velocities that they make.
    units = np.sqrt(np.where(rho > 0, rho, 1.0))[:, None]
    damping, history, gained = LEAST, [np.inf], True
    # Within the tolerance, too, as long as a step brings much: accuracy is cheap then.
    while (least > tolerance or (gained and least > EXACT)) and steps < max_iterations:
        F, slope = _equation(space, r, rho)
        merit = float(np.linalg.norm(F / units))
        history.append(merit)
        if len(history) > PATIENT and merit > SLOW * history[-1 - PATIENT]:
            break
        while damping <= MOST and steps < max_iterations:
            new = r - _newton_step(F, slope, units, damping)
            steps += 1
            if np.linalg.norm(_error(space, new, rho) / units) <= ENOUGH * merit:
                break
            damping *= 10
        else:
            break
        r, damping = new, max(damping / 30, LEAST)
        found = _project_on_cone(r, space.mu)
        size = residual_in(space, found, space.velocities(found))
        gained = size < least / 10
        if size < least:
            best, least = found, size
    return best, least, steps


def _error(space: Responses, r: Array, rho: Array) -> Array:
    u = space.velocities(r)
    u[:, 0] += space.mu * np.linalg.norm(u[:, 1:], axis=1)
    error: Array = r - _project_on_cone(r - rho[:, None] * u, space.mu)
    return error


def _equation(space: Responses, r: Array, rho: Array) -> tuple[Array, Array]:
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
