"""Numbers of the live figure of a velocity that becomes admissible (Lloyd 0.5)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbnotes.constraints import constrained_velocity


def evaluate(state: dict[str, Any], mode: str) -> dict[str, Any]:
    """Return the velocities after the constraint becomes active, the impulse, and energies."""
    M, v, a = np.diag([1.0, state["mass"]]), np.array(state["v"], dtype=float), state["angle"]
    row, along = np.array([[-np.sin(a), np.cos(a)]]), np.array([np.cos(a), np.sin(a)])
    right, _ = constrained_velocity(M, row, v)
    after = right if mode == "masses" else v - row[0] * (row[0] @ v)
    impulse = M @ (after - v)
    return {
        "after": after.tolist(),
        "impulse": impulse.tolist(),
        "along": float(along @ impulse),
        "energy": float((after - v) @ M @ (after - v) / 2),
        "least": float((right - v) @ M @ (right - v) / 2),
        "loss": float(v @ M @ v - after @ M @ after) / 2,
    }
