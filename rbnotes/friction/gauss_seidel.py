"""Contact by contact: projected Gauss-Seidel with friction (Lloyd 0.15, 0.16)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.constraints.sequential import friction_impulse
from rbnotes.friction.contacts import ContactProblem, ContactSolution, NotConverged, solution_from
from rbnotes.friction.laws import natural_residual


def gauss_seidel_friction(
    problem: ContactProblem,
    *,
    cone: str = "disc",
    start: ArrayLike | None = None,
    tolerance: float = 1e-8,
    max_sweeps: int = 10_000,
    check: bool = True,
) -> ContactSolution:
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
        Impulses to start from, such as those of the step before.
    tolerance
        Accepted residual: for the disc De Saxce's natural residual, for the box the largest change of an
        impulse in a sweep, relative to the largest impulse.
    max_sweeps : int
    check
        Raise an error if the tolerance is not met; otherwise look at ``residual`` yourself.

    Returns
    -------
    ContactSolution
        ``iterations`` counts the sweeps.

    Raises
    ------
    NotConverged
        If ``check`` and the tolerance is not met within ``max_sweeps``.
    """
    arguments.choice("cone", cone, ("disc", "box"))
    if max_sweeps < 1:
        raise InvalidArgument("max_sweeps", str(max_sweeps), "at least 1")
    contacts = problem.contacts
    W, u = problem.delassus, problem.free_contact_velocity
    impulses: Array = np.zeros((contacts.count, 3))
    if start is not None:
        impulses = arguments.array("start", start, contacts.count, 3).copy()
    blocks = [W[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] for i in range(contacts.count)]
    scale = np.abs(u).max(initial=0.0) / max(np.abs(W).max(initial=0.0), 1e-300)
    residual, sweeps = np.inf, 0
    while residual > tolerance and sweeps < max_sweeps:
        before = impulses.copy()
        for i, block in enumerate(blocks):
            velocity = u[i] + W[3 * i : 3 * i + 3] @ impulses.ravel()
            impulses[i] = _alone(impulses[i], velocity, block, float(contacts.mu[i]), cone)
        sweeps += 1
        if cone == "disc":
            velocities = u + (W @ impulses.ravel()).reshape(-1, 3)
            residual = natural_residual(problem, impulses, velocities)
        else:
            change = np.abs(impulses - before).max(initial=0.0)
            largest = max(np.abs(impulses).max(initial=0.0), scale)
            residual = float(change / largest) if largest > 0 else 0.0
    solution = solution_from(
        problem, impulses, iterations=sweeps, residual=residual, model=f"Gauss-Seidel, {cone}"
    )
    if check and residual > tolerance:
        raise NotConverged(solution, tolerance)
    return solution


def _alone(impulse: Array, velocity: Array, block: Array, mu: float, cone: str) -> Array:
    """The impulse ``(3,)`` of one contact after its turn; ``velocity`` is that under all current impulses."""
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
    stiffest = np.linalg.eigvalsh(mobility)[-1]
    if stiffest > 0:
        wanted = impulse[1:] - sliding / stiffest
        size = np.linalg.norm(wanted)
        new[1:] = wanted if size <= limit else wanted * (limit / size)
    return new
