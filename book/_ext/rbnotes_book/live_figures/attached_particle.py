"""Numbers of the live figure of a particle that is attached to two others (Lloyd 0.17)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbnotes.arguments import Array
from rbnotes.attachments import Attachment, null_space_reduction
from rbnotes.dynamics import StepProblem


def reduced(M: Array, m: float, w: Array, force: Array) -> tuple[Array, Array]:
    """Return the mass matrix of the masters and the forces on them, for each axis of the force.

    The masters come first in the problem, and the particle is the last component.
    """
    count = len(w)
    space = null_space_reduction(
        [1] * (count + 1), [Attachment(count, {j: w[j : j + 1, None] for j in range(count)})]
    )
    whole = np.zeros((count + 1, count + 1))
    whole[:-1, :-1], whole[-1, -1] = M, m
    problems = [space.reduce(StepProblem(whole, [*np.zeros(count), each])) for each in force]
    return np.asarray(problems[0].mass), np.stack([problem.momentum for problem in problems], axis=-1)


def evaluate(state: dict[str, Any], mode: str) -> dict[str, Any]:
    """Return accelerations, the forces on the ends, the effective mass at the particle, and the residual."""
    s, m, f = state["s"], state["mass"], np.array(state["f"], dtype=float)
    w = np.array([1 - s, s])
    M, forces = reduced(np.eye(2), m, w, f)
    if mode == "lumped":
        M = np.eye(2) + np.diag(m * w)
    accelerations = np.linalg.solve(M, forces)
    own = w @ accelerations
    imbalance = accelerations + np.outer(w, m * own - f)
    return {
        "accelerations": accelerations.tolist(),
        "own": own.tolist(),
        "size": float(np.linalg.norm(own)),
        "forces": forces.tolist(),
        "effective_mass": 1 / float(w @ np.linalg.solve(M, w)),
        "residual": float(np.max(np.linalg.norm(imbalance, axis=1))),
    }
