"""Numbers of the live figure of friction laws: disc, pyramid and box against a sliding direction."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbnotes.arguments import Array
from rbnotes.friction.bounded_friction import project_on_section

MASS, WEIGHT, STEP, NUM_STEPS = 1.0, 9.81, 0.02, 120
SECTIONS = {"cone": "disc", "pyramid": "pyramid", "box": "box"}
NORMS = {"cone": 2, "pyramid": 1, "box": np.inf}


def friction(v: Array, mu: float, mode: str, h: float) -> Array:
    """Return the mean friction force in a step."""
    limits = np.array([mu * MASS * WEIGHT * h])
    impulse: Array = project_on_section(-MASS * v[None], limits, SECTIONS[mode])[0]
    return impulse / h


def path(state: dict[str, Any], mode: str) -> list[list[float]]:
    """Return the positions of a puck that starts at the origin."""
    v, x = np.array(state["v"], dtype=float), np.zeros(2)
    points = [x]
    for _ in range(NUM_STEPS):
        v = v + STEP / MASS * friction(v, state["mu"], mode, STEP)
        x = x + STEP * v
        points.append(x)
    result: list[list[float]] = np.array(points).tolist()
    return result


def evaluate(state: dict[str, Any], mode: str) -> dict[str, Any]:
    """Return the friction of a law, the power that it takes out, and the paths of all laws."""
    v, mu = np.array(state["v"], dtype=float), state["mu"]
    force = friction(v, mu, mode, 1e-4)
    across = abs(force[0] * v[1] - force[1] * v[0])
    return {
        "force": force.tolist(),
        "size": float(np.linalg.norm(force, NORMS[mode])),
        "limit": mu * MASS * WEIGHT,
        "angle": float(np.degrees(np.arctan2(across, -force @ v))),
        "power": float(-force @ v),
        "coulomb": float(-friction(v, mu, "cone", 1e-4) @ v),
        "speed": float(np.linalg.norm(v)),
        **{each: path(state, each) for each in SECTIONS},
    }
