"""Projected Gauss-Seidel with friction, contact by contact (Lloyd 0.15, 0.16)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.complementarity.residuals import max_or_nan
from rbnotes.constraints.sequential_impulses import friction_impulse
from rbnotes.dynamics import StepProblem, StepSolution
from rbnotes.friction.contact_problem import friction_contact_problem, raise_not_converged
from rbnotes.friction.residuals import natural_residual_unchecked


def gauss_seidel_friction(
    problem: StepProblem,
    *,
    cone: str = "disc",
    initial_guess: ArrayLike | None = None,
    tolerance: float = 1e-9,
    max_sweeps: int = 10_000,
    raise_on_failure: bool = True,
) -> StepSolution:
    """Solve a step with friction by sweeps over the contacts, each solved as if it were alone.

    The normal impulse of a contact is chosen so that the contact separates, then its friction impulse so that
    the sliding stops, within ``mu`` times the current normal impulse. A fixed point satisfies Coulomb's law
    for ``cone="disc"``, and the law of box friction (Lloyd 0.16) with the bounds of its own normal impulses
    for ``cone="box"``.

    Parameters
    ----------
    cone : {"disc", "box"}
        Bound on the length of the friction impulse, or on each of its two components.
    initial_guess : (c, 3), optional
        Initial impulses, N s, such as those of the previous step.
    tolerance
        Accepted dimensionless natural residual, see :func:`rbnotes.friction.residuals.natural_residual`.
    max_sweeps : int
        Largest number of sweeps.
    raise_on_failure
        If True, raise an error if the tolerance is not reached; otherwise check ``residual``.

    Returns
    -------
    StepSolution
        Solution; ``iterations`` is the number of sweeps.

    Raises
    ------
    InvalidArgument
        If ``cone`` is not one of the names, ``tolerance`` is not positive, ``max_sweeps`` is below 1, or the
        shape of ``initial_guess`` does not fit.
    NotSolved
        If ``raise_on_failure`` and the contacts and equations contradict each other.
    FrictionNotConverged
        If ``raise_on_failure`` and the tolerance is not reached within ``max_sweeps``.
    """
    arguments.require_instance("problem", problem, StepProblem)
    arguments.choice("cone", cone, ("disc", "box"))
    tolerance = arguments.positive_number("tolerance", tolerance)
    max_sweeps = arguments.count("max_sweeps", max_sweeps, minimum=1)
    contact_problem = friction_contact_problem(problem)
    W, u, mu = contact_problem.delassus_matrix, contact_problem.free_contact_velocities, contact_problem.mu
    impulses: Array = np.zeros((contact_problem.count, 3))
    if initial_guess is not None:
        impulses = arguments.with_ndim(
            "initial_guess", arguments.array("initial_guess", initial_guess, contact_problem.count, 3), 2
        )
    blocks = contact_problem.diagonal_blocks
    mobility = (blocks + np.swapaxes(blocks, 1, 2))[:, 1:, 1:] / 2
    largest_mobilities = np.linalg.eigvalsh(mobility)[:, -1]
    residual, sweeps = np.inf, 0
    while residual > tolerance and sweeps < max_sweeps:
        for i, block in enumerate(blocks):
            velocity = u[i] + W[3 * i : 3 * i + 3] @ impulses.ravel()
            impulses[i] = _solve_single_contact(
                impulses[i], velocity, block, float(largest_mobilities[i]), float(mu[i]), cone
            )
        sweeps += 1
        residual = natural_residual_unchecked(
            contact_problem, impulses, contact_problem.velocities_from_impulses(impulses), cone
        )
    residual = max_or_nan(residual, contact_problem.sticking_residual(impulses))
    solution = contact_problem.step_solution(
        impulses, iterations=sweeps, residual=residual, method=f"Gauss-Seidel, {cone}"
    )
    if raise_on_failure and not residual <= tolerance:
        raise_not_converged(contact_problem, solution, tolerance)
    return solution


def _solve_single_contact(
    impulse: Array, velocity: Array, block: Array, largest_mobility: float, mu: float, cone: str
) -> Array:
    """Return the new impulse ``(3,)`` of one contact; ``velocity`` is that under all current impulses.

    ``largest_mobility`` is the largest eigenvalue of the tangential block: its inverse is a step that never
    overshoots.
    """
    updated = impulse.copy()
    if block[0, 0] > 0:
        updated[0] = max(0.0, impulse[0] - velocity[0] / block[0, 0])
    sliding = velocity[1:] + block[1:, 0] * (updated[0] - impulse[0])
    limit = mu * updated[0]
    mobility = block[1:, 1:]
    if cone == "box":
        for k in (0, 1):
            if mobility[k, k] > 0:
                # Sliding velocity without this impulse:
                sliding_without_impulse = sliding[k] - mobility[k, k] * updated[1 + k]
                updated[1 + k] = friction_impulse(sliding_without_impulse, mobility[k, k], limit)
                sliding = sliding + mobility[:, k] * (updated[1 + k] - impulse[1 + k])
        return updated
    if largest_mobility > 0:
        unbounded_impulse = impulse[1:] - sliding / largest_mobility
        size = np.linalg.norm(unbounded_impulse)
        updated[1:] = unbounded_impulse if size <= limit else unbounded_impulse * (limit / size)
    return updated
