"""Contact by contact: projected Gauss-Seidel with friction (Lloyd 0.15, 0.16)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.constraints.sequential import friction_impulse
from rbnotes.dynamics import StepProblem, StepSolution
from rbnotes.friction.contact_space import contact_space, raise_not_converged
from rbnotes.friction.laws import residual_in


def gauss_seidel_friction(
    problem: StepProblem,
    *,
    cone: str = "disc",
    start: ArrayLike | None = None,
    tolerance: float = 1e-8,
    max_sweeps: int = 10_000,
    check: bool = True,
) -> StepSolution:
    """Satisfy one contact after the other, each as if it were alone, until none changes any more.

    Each contact first takes the normal impulse that separates it, then the friction impulse that stops it
    as far as ``mu`` times that normal impulse allows. The bound is the current one, so that a fixed point
    satisfies the law it is after: with ``cone="disc"`` Coulomb's, with its round cone; with ``cone="box"``
    that of box friction (Lloyd 0.16) with the bounds of its own normal impulses.

    Parameters
    ----------
    cone : {"disc", "box"}
        Bound the friction impulse by its length, or each of its two components.
    start : (c, 3), optional
        Impulses to start from, N s, such as those of the step before.
    tolerance
        Accepted natural residual, without unit, see :func:`rbnotes.friction.laws.natural_residual`.
    max_sweeps : int
    check
        Raise an error if the tolerance is not met; otherwise look at ``residual`` yourself.

    Returns
    -------
    StepSolution
        ``iterations`` counts the sweeps.

    Raises
    ------
    InvalidArgument
        If ``cone`` is not one of the names, ``tolerance`` is not positive, ``max_sweeps`` is below 1, or the
        shape of ``start`` does not fit.
    Unsolved
        If ``check`` and the contacts and equations contradict each other.
    FrictionNotConverged
        If ``check`` and the tolerance is not met within ``max_sweeps``.
    """
    arguments.instance("problem", problem, StepProblem)
    arguments.choice("cone", cone, ("disc", "box"))
    tolerance = arguments.number("tolerance", tolerance)
    max_sweeps = arguments.count("max_sweeps", max_sweeps, minimum=1)
    space = contact_space(problem)
    W, u, mu = space.delassus, space.free, space.mu
    impulses: Array = np.zeros((space.count, 3))
    if start is not None:
        impulses = arguments.exactly("start", arguments.array("start", start, space.count, 3), 2)
    blocks = space.blocks
    mobility = (blocks + np.swapaxes(blocks, 1, 2))[:, 1:, 1:] / 2
    largest = np.linalg.eigvalsh(mobility)[:, -1]
    residual, sweeps = np.inf, 0
    while residual > tolerance and sweeps < max_sweeps:
        for i, block in enumerate(blocks):
            velocity = u[i] + W[3 * i : 3 * i + 3] @ impulses.ravel()
            impulses[i] = _alone(impulses[i], velocity, block, float(largest[i]), float(mu[i]), cone)
        sweeps += 1
        residual = residual_in(space, impulses, space.velocities(impulses), cone)
    solution = space.solution(impulses, iterations=sweeps, residual=residual, method=f"Gauss-Seidel, {cone}")
    if check and not residual <= tolerance:
        raise_not_converged(space, solution, tolerance)
    return solution


def _alone(impulse: Array, velocity: Array, block: Array, largest: float, mu: float, cone: str) -> Array:
    """The impulse ``(3,)`` of one contact after its turn; ``velocity`` is that under all current impulses.

    ``largest`` is the largest eigenvalue of the block's tangential part: the step that never overshoots.
    """
    new = impulse.copy()
    if block[0, 0] > 0:
        new[0] = max(0.0, impulse[0] - velocity[0] / block[0, 0])
    sliding = velocity[1:] + block[1:, 0] * (new[0] - impulse[0])
    limit = mu * new[0]
    mobility = block[1:, 1:]
    if cone == "box":
        for k in (0, 1):
            if mobility[k, k] > 0:
                # What remains of the sliding if this impulse were taken away again:
                without = sliding[k] - mobility[k, k] * new[1 + k]
                new[1 + k] = friction_impulse(without, mobility[k, k], limit)
                sliding = sliding + mobility[:, k] * (new[1 + k] - impulse[1 + k])
        return new
    if largest > 0:
        wanted = impulse[1:] - sliding / largest
        size = np.linalg.norm(wanted)
        new[1:] = wanted if size <= limit else wanted * (limit / size)
    return new
