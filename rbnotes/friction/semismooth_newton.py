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
from rbnotes.friction.central_path import follow_central_path
from rbnotes.friction.contact_problem import (
    DelassusProblem,
    friction_contact_problem,
    raise_not_converged,
)
from rbnotes.friction.residuals import (
    _effective_masses,
    _project_on_cone_unchecked,
    natural_residual_unchecked,
)

MIN_DAMPING, MAX_DAMPING = 1e-10, 10.0
"""Damping of the linear systems, whose entries are of size one; more where a step does not make F smaller.
Contacts that repeat others share their impulse by it."""

SUFFICIENT_DECREASE = 0.999
"""Part of F that a step may leave."""

STAGNATION_WINDOW, MAX_STAGNATION_RATIO = 5, 0.3
"""Every so many steps of Newton's method have to leave no more than this part of F; else it is given up."""

ROUNDING_RESIDUAL = 1e-14
"""Residual that is nothing but rounding."""

MAX_CONVEX_PROGRAMS = 20
"""With given sliding speeds, at most."""

ImpulseSearch = Callable[[DelassusProblem, Array, float, int], tuple[Array, float, int]]
"""From impulses, the accepted residual and a number of steps to better impulses, their residual and steps."""


def semismooth_newton_friction(
    problem: StepProblem,
    *,
    initial_guess: ArrayLike | None = None,
    tolerance: float = 1e-8,
    max_iterations: int = 50,
    raise_on_failure: bool = True,
) -> StepSolution:
    """Contact with Coulomb friction in its round cone, by Newton's method for all contacts at once.

    Friction of size ``mu a`` opposes the sliding; where nothing slides it is anything within the cone. From
    ``initial_guess`` it takes a few steps if that is nearly right; else along the central path some twenty, in each
    of which a system with three unknowns a contact is solved.

    Parameters
    ----------
    initial_guess : (c, 3), optional
        Impulses to start from, N s, such as those of the step before.
    tolerance
        Accepted natural residual, without unit (:func:`rbnotes.friction.residuals.natural_residual`).
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
        If ``tolerance`` is not positive, ``max_iterations`` is below 1, or the shape of ``initial_guess`` does not
        fit.
    Unsolved
        If ``raise_on_failure`` and the contacts and equations contradict each other.
    FrictionNotConverged
        If ``raise_on_failure`` and the tolerance is not met. That there is a solution is not certain if bodies are
        wedged in, and for equations that hold what contacts drive.
    """
    return solve_friction(newton_search, problem, initial_guess, tolerance, max_iterations, raise_on_failure)


def solve_friction(
    search: ImpulseSearch,
    problem: StepProblem,
    initial_guess: ArrayLike | None,
    tolerance: float,
    max_iterations: int,
    raise_on_failure: bool,
) -> StepSolution:
    """As :func:`newton_friction`, by a search that does what :func:`by_newton` does."""
    tolerance = arguments.positive_number("tolerance", tolerance)
    max_iterations = arguments.count("max_iterations", max_iterations, minimum=1)
    contact_problem = friction_contact_problem(problem)
    initial_impulses: Array = np.zeros((contact_problem.count, 3))
    if initial_guess is not None:
        guess = arguments.with_ndim(
            "initial_guess", arguments.array("initial_guess", initial_guess, contact_problem.count, 3), 2
        )
        initial_impulses = _project_on_cone_unchecked(guess, contact_problem.mu)
    impulses, iterations = np.zeros((contact_problem.count, 3)), 0
    for members, island in contact_problem.islands():
        impulses[members], steps = _solve_island(
            search, island, initial_impulses[members], tolerance, max_iterations
        )
        iterations += steps
    residual = natural_residual_unchecked(
        contact_problem, impulses, contact_problem.velocities_from_impulses(impulses)
    )
    solution = contact_problem.step_solution(
        impulses, iterations=iterations, residual=residual, method="Newton"
    )
    if raise_on_failure and not residual <= tolerance:
        raise_not_converged(contact_problem, solution, tolerance)
    return solution


def _solve_island(
    search: ImpulseSearch,
    contact_problem: DelassusProblem,
    initial_guess: Array,
    tolerance: float,
    max_iterations: int,
) -> tuple[Array, int]:
    """The best impulses, and the number of iterations."""
    best, best_residual, iterations = search(contact_problem, initial_guess, tolerance, max_iterations)
    sliding = None
    for program in range(MAX_CONVEX_PROGRAMS + 1):
        if best_residual <= tolerance:
            break
        accuracy = tolerance if sliding is None else tolerance**2
        candidate, candidate_residual, steps = follow_central_path(
            contact_problem, accuracy, max_iterations, sliding
        )
        if sliding is None or program == MAX_CONVEX_PROGRAMS or candidate_residual < 1e-3:
            candidate, candidate_residual, more_steps = search(
                contact_problem, candidate, tolerance, max_iterations
            )
            steps += more_steps
        if candidate_residual < best_residual:
            best, best_residual = candidate, candidate_residual
        iterations += steps
        reference_impulses = best if sliding is None else candidate
        sliding = np.linalg.norm(contact_problem.velocities_from_impulses(reference_impulses)[:, 1:], axis=1)
    return best, iterations


def newton_search(
    contact_problem: DelassusProblem, r: Array, tolerance: float, max_iterations: int
) -> tuple[Array, float, int]:
    """The best impulses near r, their residual, and the number of steps."""
    best, best_residual, steps = (
        r,
        natural_residual_unchecked(contact_problem, r, contact_problem.velocities_from_impulses(r)),
        0,
    )
    rho = _effective_masses(contact_problem.mobility)
    # Impulses of light and heavy bodies, by the velocities that they make.
    units = np.sqrt(np.where(rho > 0, rho, 1.0))[:, None]
    damping, history, has_improved = MIN_DAMPING, [np.inf], True
    # Within the tolerance, too, as long as a step brings much: accuracy is cheap then.
    while (
        best_residual > tolerance or (has_improved and best_residual > ROUNDING_RESIDUAL)
    ) and steps < max_iterations:
        F, jacobian = _natural_map_and_jacobian(contact_problem, r, rho)
        merit = float(np.linalg.norm(F / units))
        history.append(merit)
        if (
            len(history) > STAGNATION_WINDOW
            and merit > MAX_STAGNATION_RATIO * history[-1 - STAGNATION_WINDOW]
        ):
            break
        while damping <= MAX_DAMPING and steps < max_iterations:
            trial = r - _newton_step(F, jacobian, units, damping)
            steps += 1
            if (
                np.linalg.norm(_natural_map(contact_problem, trial, rho) / units)
                <= SUFFICIENT_DECREASE * merit
            ):
                break
            damping *= 10
        else:
            break
        r, damping = trial, max(damping / 30, MIN_DAMPING)
        candidate = _project_on_cone_unchecked(r, contact_problem.mu)
        candidate_residual = natural_residual_unchecked(
            contact_problem, candidate, contact_problem.velocities_from_impulses(candidate)
        )
        has_improved = candidate_residual < best_residual / 10
        if candidate_residual < best_residual:
            best, best_residual = candidate, candidate_residual
    return best, best_residual, steps


def _natural_map(contact_problem: DelassusProblem, r: Array, rho: Array) -> Array:
    u = contact_problem.velocities_from_impulses(r)
    u[:, 0] += contact_problem.mu * np.linalg.norm(u[:, 1:], axis=1)
    error: Array = r - _project_on_cone_unchecked(r - rho[:, None] * u, contact_problem.mu)
    return error


def _natural_map_and_jacobian(contact_problem: DelassusProblem, r: Array, rho: Array) -> tuple[Array, Array]:
    """F ``(c, 3)`` and one of its generalised derivatives ``(3 c, 3 c)``."""
    count, mu = contact_problem.count, contact_problem.mu
    u = contact_problem.velocities_from_impulses(r)
    speed = np.linalg.norm(u[:, 1:], axis=1)
    direction = np.divide(u[:, 1:], speed[:, None], out=np.zeros((count, 2)), where=speed[:, None] > 0)
    u[:, 0] += mu * speed
    projection_argument = r - rho[:, None] * u
    projected, P = _projection_and_jacobian(projection_argument, mu)
    # How the raised velocities change with those of the contacts: by S u, with mu times the direction above.
    S = np.tile(np.eye(3), (count, 1, 1))
    S[:, 0, 1:] = mu[:, None] * direction
    PS = rho[:, None, None] * (P @ S)
    jacobian = np.einsum("iab,ibj->iaj", PS, contact_problem.delassus_matrix.reshape(count, 3, -1))
    diagonal = np.arange(count)
    jacobian.reshape(count, 3, count, 3)[diagonal, :, diagonal] += np.eye(3) - P
    return r - projected, jacobian.reshape(3 * count, 3 * count)


def _newton_step(F: Array, jacobian: Array, units: Array, damping: float) -> Array:
    scale = np.repeat(units[:, 0], 3)
    A = jacobian * scale / scale[:, None]
    A.flat[:: len(A) + 1] += damping
    result: Array = (scale * np.linalg.solve(A, F.ravel() / scale)).reshape(-1, 3)
    return result


def _projection_and_jacobian(x: Array, mu: Array) -> tuple[Array, Array]:
    """Projections on the cones ``(c, 3)`` and their derivatives ``(c, 3, 3)``."""
    a, b = x[:, 0], x[:, 1:]
    size = np.linalg.norm(b, axis=1)
    t = np.divide(b, size[:, None], out=np.zeros_like(b), where=size[:, None] > 0)
    height = (a + mu * size) / (1 + mu**2)  # of the nearest point of the surface
    P = np.zeros((len(x), 3, 3))
    P[:, 0, 0] = 1 / (1 + mu**2)
    P[:, 0, 1:] = P[:, 1:, 0] = (mu / (1 + mu**2))[:, None] * t
    radial_projector = t[:, :, None] * t[:, None, :]
    ratio = np.divide(mu * height, size, out=np.zeros_like(size), where=size > 0)
    P[:, 1:, 1:] = (mu**2 / (1 + mu**2))[:, None, None] * radial_projector + ratio[:, None, None] * (
        np.eye(2) - radial_projector
    )
    P[(size <= mu * a) & (a >= 0)] = np.eye(3)
    P[mu * size <= -a] = 0.0
    return _project_on_cone_unchecked(x, mu), P
