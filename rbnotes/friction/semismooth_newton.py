"""Semismooth Newton method for Coulomb's law, for all contacts at once.

With de Saxce's change of variable, the law of all contacts is one equation for the impulses r: a step along
the negative velocities, raised by ``mu`` times the sliding speed, projected on the cones, leaves r unchanged,

    F(r) = r - project(r - rho (W r + free + mu |s| e_n)) = 0.

F is smooth except on the surfaces where a contact changes between sticking, sliding and separation, and has
generalized derivatives there (Alart and Curnier; Joli and Feng for this form). Newton's method needs a few
steps from a good initial guess, such as the impulses of the previous time step, and is isotropic. If it fails
to reduce F, the initial impulses come from the central path (:mod:`rbnotes.friction.central_path`), which
needs no initial guess: first that of Coulomb's law, and if that fails, those of a sequence of convex programs
with given sliding speeds (Acary and Cadoux). Newton's method refines each of them to rounding.

Independent sets of contacts are solved separately.
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
"""Damping of the scaled linear systems: its initial value, and its largest after steps that do not reduce F.

It distributes impulses evenly over redundant contacts.
"""

SUFFICIENT_DECREASE = 0.999
"""Largest ratio of F after and before an accepted step."""

STAGNATION_WINDOW, MAX_STAGNATION_RATIO = 5, 0.3
"""Number of Newton steps after which F must have decreased by this ratio; otherwise the search ends."""

ROUNDING_RESIDUAL = 1e-14
"""Residual at the level of rounding."""

MAX_CONVEX_PROGRAMS = 20
"""Largest number of programs with given sliding speeds."""

ImpulseSearch = Callable[[DelassusProblem, Array, float, int], tuple[Array, float, int]]
"""Function from a problem, impulses, a tolerance and a number of steps to impulses, residual and steps."""


def semismooth_newton_friction(
    problem: StepProblem,
    *,
    initial_guess: ArrayLike | None = None,
    tolerance: float = 1e-8,
    max_iterations: int = 50,
    raise_on_failure: bool = True,
) -> StepSolution:
    """Solve a step with Coulomb friction by the semismooth Newton method.

    Friction of size ``mu a`` opposes the sliding; a sticking contact has any impulse within the cone. From a
    good ``initial_guess`` the method takes a few steps, along the central path about twenty; each step solves
    a linear system with three unknowns for each contact.

    Parameters
    ----------
    initial_guess : (c, 3), optional
        Initial impulses, N s, such as those of the previous step.
    tolerance
        Accepted dimensionless natural residual (:func:`rbnotes.friction.residuals.natural_residual`).
    max_iterations : int
        Largest number of iterations of each search: Newton steps, or steps along one central path.
    raise_on_failure
        If True, raise an error if the tolerance is not reached; otherwise the best impulses are returned,
        with their ``residual``.

    Returns
    -------
    StepSolution
        Solution; ``iterations`` is the number of linear systems.

    Raises
    ------
    InvalidArgument
        If ``tolerance`` is not positive, ``max_iterations`` is below 1, or the shape of ``initial_guess``
        does not fit.
    NotSolved
        If ``raise_on_failure`` and the contacts and equations contradict each other.
    FrictionNotConverged
        If ``raise_on_failure`` and the tolerance is not reached. A solution need not exist if bodies are
        wedged, or if equations hold what the contacts drive.
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
    """Solve a step as :func:`semismooth_newton_friction` does, with any search for impulses."""
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
    """Return the best impulses of one island and the number of iterations."""
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
    """Return the best impulses found from r, their residual, and the number of steps."""
    best, best_residual, steps = (
        r,
        natural_residual_unchecked(contact_problem, r, contact_problem.velocities_from_impulses(r)),
        0,
    )
    rho = _effective_masses(contact_problem.mobility)
    # Impulses of light and heavy bodies are compared by the velocities that they make.
    units = np.sqrt(np.where(rho > 0, rho, 1.0))[:, None]
    damping, history, has_improved = MIN_DAMPING, [np.inf], True
    # Continue within the tolerance while a step reduces the residual much: accuracy is cheap then.
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
    """Return F ``(c, 3)`` and one of its generalized derivatives ``(3 c, 3 c)``."""
    count, mu = contact_problem.count, contact_problem.mu
    u = contact_problem.velocities_from_impulses(r)
    speed = np.linalg.norm(u[:, 1:], axis=1)
    direction = np.divide(u[:, 1:], speed[:, None], out=np.zeros((count, 2)), where=speed[:, None] > 0)
    u[:, 0] += mu * speed
    projection_argument = r - rho[:, None] * u
    projected, P = _projection_and_jacobian(projection_argument, mu)
    # Derivative of the raised velocities: S u, with mu times the sliding direction in the upper row.
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
    """Return projections on the cones ``(c, 3)`` and their derivatives ``(c, 3, 3)``."""
    a, b = x[:, 0], x[:, 1:]
    size = np.linalg.norm(b, axis=1)
    t = np.divide(b, size[:, None], out=np.zeros_like(b), where=size[:, None] > 0)
    height = (a + mu * size) / (1 + mu**2)  # height of the nearest point of the surface
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
