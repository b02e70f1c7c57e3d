"""Semismooth Newton method for Coulomb's law, for all contacts at once.

The law of all contacts is one equation for the impulses r = (a, b) of each contact: a step along the negative
velocities W r + free, projected on the law, leaves r unchanged,

    F_n(r) = a - max(0, a - rho u),            F_t(r) = b - project(b - rho s, mu max(0, a - rho u)),

with the projection on a disc of that radius. F is smooth except where a contact changes between sticking,
sliding and separation, and has generalized derivatives there (Alart and Curnier). Newton's method needs a few
steps from a good initial guess, such as the impulses of the previous time step, and is isotropic. If it fails
to reduce F, the initial impulses come from the central path of Coulomb's law
(:mod:`rbnotes.friction.central_path`), then from those of a sequence of convex programs with given sliding
speeds (Acary and Cadoux), and last from LCPs with polyhedral cones whose corners follow the sliding
(:mod:`rbnotes.friction.polyhedral_lcp`), which have solutions for any mu. Newton's method refines each of
them to rounding. Where the rounding of the impulses of heavy bodies moves light ones, velocities and impulses
are refined together (:mod:`rbnotes.friction.velocity_refinement`).

Independent sets of contacts are solved separately.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice, product

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.complementarity.residuals import max_or_nan
from rbnotes.dynamics import StepProblem, StepSolution
from rbnotes.friction.central_path import follow_central_path
from rbnotes.friction.contact_problem import (
    DelassusProblem,
    friction_contact_problem,
    limited_coefficients,
    raise_not_converged,
)
from rbnotes.friction.polyhedral_lcp import coulomb_impulses_from_polyhedra
from rbnotes.friction.residuals import (
    _effective_masses,
    friction_bounds,
    natural_residual_unchecked,
    project_on_admissible_impulses,
    project_on_cone_unchecked,
    rounding_residual,
)
from rbnotes.friction.velocity_refinement import refine_velocities

TOLERANCE = 1e-9
"""Accepted natural residual by default."""

MAX_SEARCHED_COEFFICIENT = 1e6
"""Largest coefficient of friction of a first search: rounding spoils the search with larger ones."""

MIN_DAMPING, MAX_DAMPING = 1e-7, 10.0
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

PROMISING_RESIDUAL = 1e-3
"""Residual of the impulses of a convex program below which Newton's method continues from them."""

MAX_POLYHEDRA = 12
"""Largest number of LCPs with polyhedral cones."""

MAX_POLYHEDRAL_CONTACTS = 60
"""Largest number of contacts for which LCPs with polyhedral cones are tried; their cost grows fast."""

ImpulseSearch = Callable[[DelassusProblem, Array, float, int], tuple[Array, float, int]]
"""Function from a problem, impulses, a tolerance and a number of steps to impulses, residual and steps."""


def semismooth_newton_friction(
    problem: StepProblem,
    *,
    initial_guess: ArrayLike | None = None,
    tolerance: float = TOLERANCE,
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
        wedged, or if equations prevent motions that the contacts drive.
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
    guess: Array = np.zeros((contact_problem.count, 3))
    if initial_guess is not None:
        guess = arguments.with_ndim(
            "initial_guess", arguments.array("initial_guess", initial_guess, contact_problem.count, 3), 2
        )
    mu, islands, iterations, best = contact_problem.mu, contact_problem.islands(), 0, None
    for limited_mu, has_fallbacks in product(
        limited_coefficients(mu, MAX_SEARCHED_COEFFICIENT), (False, True)
    ):
        if not has_fallbacks:
            initial_impulses = project_on_cone_unchecked(guess, limited_mu)
        impulses: Array = np.zeros((contact_problem.count, 3))
        for members, island in islands:
            if limited_mu is not mu:
                island = DelassusProblem(
                    delassus_matrix=island.delassus_matrix,
                    free_contact_velocities=island.free_contact_velocities,
                    mu=limited_mu[members],
                )
            impulses[members], steps = _solve_island(
                search, island, initial_impulses[members], tolerance, max_iterations, has_fallbacks
            )
            iterations += steps
        residual = max_or_nan(
            natural_residual_unchecked(
                contact_problem, impulses, contact_problem.velocities_from_impulses(impulses)
            ),
            rounding_residual(contact_problem, impulses),
            contact_problem.sticking_residual(impulses),
        )
        solution = contact_problem.step_solution(
            impulses, iterations=iterations, residual=residual, method="Newton"
        )
        if not solution.residual <= tolerance:
            solution = refine_velocities(contact_problem, solution, tolerance) or solution
        if solution.residual <= tolerance:
            return solution
        if best is None or not solution.residual >= best.residual:
            best = solution
        initial_impulses = impulses
    assert best is not None
    if raise_on_failure:
        raise_not_converged(contact_problem, best, tolerance)
    return best


def _solve_island(
    search: ImpulseSearch,
    contact_problem: DelassusProblem,
    initial_guess: Array,
    tolerance: float,
    max_iterations: int,
    has_fallbacks: bool,
) -> tuple[Array, int]:
    """Return the best impulses of one island and the number of iterations.

    Without fallbacks, the search starts from the initial guess. With fallbacks, the initial guess is the
    result of such a search, and further initial guesses are tried.
    """
    if not has_fallbacks:
        best, _, iterations = search(contact_problem, initial_guess, tolerance, max_iterations)
        return best, iterations
    best, iterations = initial_guess, 0
    best_residual = natural_residual_unchecked(
        contact_problem, best, contact_problem.velocities_from_impulses(best)
    )
    for candidate, steps in _initial_guesses(contact_problem, tolerance, max_iterations):
        if best_residual <= tolerance:
            break
        refined, residual, more_steps = search(contact_problem, candidate, tolerance, max_iterations)
        iterations += steps + more_steps
        if residual < best_residual:
            best, best_residual = refined, residual
    return best, iterations


def _initial_guesses(
    contact_problem: DelassusProblem, tolerance: float, max_iterations: int
) -> Iterator[tuple[Array, int]]:
    """Yield impulses from which Newton's method may converge, with the number of linear systems they took."""
    impulses, _, steps = follow_central_path(contact_problem, tolerance, max_iterations)
    yield impulses, steps
    for _ in range(MAX_CONVEX_PROGRAMS):
        sliding = np.linalg.norm(contact_problem.velocities_from_impulses(impulses)[:, 1:], axis=1)
        impulses, residual, more_steps = follow_central_path(
            contact_problem, tolerance**2, max_iterations, sliding
        )
        steps += more_steps
        if residual < PROMISING_RESIDUAL:
            yield impulses, steps
            steps = 0
    yield impulses, steps
    if contact_problem.count <= MAX_POLYHEDRAL_CONTACTS:
        for impulses in islice(coulomb_impulses_from_polyhedra(contact_problem), MAX_POLYHEDRA):
            yield project_on_cone_unchecked(impulses, contact_problem.mu), 1


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
        candidate = project_on_cone_unchecked(r, contact_problem.mu)
        candidate_residual = natural_residual_unchecked(
            contact_problem, candidate, contact_problem.velocities_from_impulses(candidate)
        )
        has_improved = candidate_residual < best_residual / 2
        if candidate_residual < best_residual:
            best, best_residual = candidate, candidate_residual
    return best, best_residual, steps


def _natural_map(contact_problem: DelassusProblem, r: Array, rho: Array) -> Array:
    """Return ``F = r - project(r - rho u(r))``, shape ``(c, 3)``."""
    stepped_impulses = r - rho[:, None] * contact_problem.velocities_from_impulses(r)
    error: Array = r - project_on_admissible_impulses(
        stepped_impulses, friction_bounds(contact_problem.mu, stepped_impulses[:, 0])
    )
    return error


def _natural_map_and_jacobian(contact_problem: DelassusProblem, r: Array, rho: Array) -> tuple[Array, Array]:
    """Return F of :func:`_natural_map` ``(c, 3)`` and one of its generalized derivatives ``(3 c, 3 c)``."""
    count, mu = contact_problem.count, contact_problem.mu
    stepped_impulses = r - rho[:, None] * contact_problem.velocities_from_impulses(r)
    bounds = friction_bounds(mu, stepped_impulses[:, 0])
    P = _projection_jacobian(stepped_impulses, bounds, mu)
    # The derivative is F' = 1 - P (1 - rho W).
    jacobian = rho[:, None, None] * np.einsum(
        "iab,ibj->iaj", P, contact_problem.delassus_matrix.reshape(count, 3, -1)
    )
    diagonal = np.arange(count)
    jacobian.reshape(count, 3, count, 3)[diagonal, :, diagonal] += np.eye(3) - P
    F = r - project_on_admissible_impulses(stepped_impulses, bounds)
    return F, jacobian.reshape(3 * count, 3 * count)


def _newton_step(F: Array, jacobian: Array, units: Array, damping: float) -> Array:
    """Return the step ``(c, 3)`` with ``(jacobian + damping) step = F``, solved in units of each contact."""
    scale = np.repeat(units[:, 0], 3)
    A = jacobian * scale / scale[:, None]
    A.flat[:: len(A) + 1] += damping
    result: Array = (scale * np.linalg.solve(A, F.ravel() / scale)).reshape(-1, 3)
    return result


def _projection_jacobian(stepped_impulses: Array, bounds: Array, mu: Array) -> Array:
    """Return the derivatives ``(c, 3, 3)`` of the projections of stepped impulses on the law."""
    P = np.zeros((len(stepped_impulses), 3, 3))
    is_pushing, size = stepped_impulses[:, 0] > 0, np.linalg.norm(stepped_impulses[:, 1:], axis=1)
    is_sticking = is_pushing & (size <= bounds)
    P[is_pushing, 0, 0] = 1.0
    P[is_sticking, 1, 1] = P[is_sticking, 2, 2] = 1.0
    sliding = np.flatnonzero(is_pushing & ~is_sticking)
    t = stepped_impulses[sliding, 1:] / size[sliding, None]
    P[sliding, 1:, 0] = mu[sliding, None] * t
    projector = np.eye(2) - t[:, :, None] * t[:, None, :]
    P[sliding, 1:, 1:] = (bounds[sliding] / size[sliding])[:, None, None] * projector
    return P
