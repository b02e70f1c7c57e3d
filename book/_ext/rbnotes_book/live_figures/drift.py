"""Numbers of the live figure of drift: a pendulum by velocity constraints, with and without stabilization."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbnotes.arguments import Array
from rbnotes.constraints import factor_kkt
from rbnotes.constraints.stabilization import project_positions, velocity_target

MASS, GRAVITY, LENGTH, NUM_STEPS, MAX_LENGTH = 1.0, np.array([0.0, -9.81]), 1.0, 160, 3.0
MODES = ("nothing", "baumgarte", "projection")


def error(x: Array) -> Array:
    """Return the constraint error ``(1,)``."""
    return np.array([np.linalg.norm(x) - LENGTH])


def jacobian(x: Array) -> Array:
    """Return the derivative ``(1, 2)`` of the error."""
    return x[None] / np.linalg.norm(x)


def step(state: dict[str, Any], mode: str) -> dict[str, Any]:
    """Return the state after a step of symplectic Euler under the constraint."""
    x, v, h = np.array(state["x"], dtype=float), np.array(state["v"], dtype=float), state["h"]
    M = MASS * np.eye(2)
    target = velocity_target(error(x), state["rate"] / h) if mode == "baumgarte" else np.zeros(1)
    v_new, _ = factor_kkt(M, jacobian(x)).solve(M @ v + h * MASS * GRAVITY, target)
    x = x + h * v_new
    if mode == "projection":
        x = project_positions(x, M, error, jacobian, tolerance=1e-14).positions
    return {**state, "v": v_new, "x": x}


def errors(state: dict[str, Any], mode: str) -> list[float]:
    """Return the errors of the length in a simulation; they stay when it has diverged."""
    result = [float(error(np.array(state["x"], dtype=float))[0])]
    for _ in range(NUM_STEPS):
        if 0.05 < result[-1] + LENGTH < MAX_LENGTH:
            state = step(state, mode)
        result.append(float(error(state["x"])[0]))
    return result


def evaluate(state: dict[str, Any], mode: str) -> dict[str, Any]:
    """Return the error now, Baumgarte's target, and the errors that follow in each mode."""
    g = float(error(np.array(state["x"], dtype=float))[0])
    errors_by_mode = {name: errors(state, name) for name in MODES}
    return {
        "g": g,
        "target": -state["rate"] / state["h"] * g,
        "largest": float(np.max(np.abs(errors_by_mode[mode]))),
        "length": g + LENGTH,
        **errors_by_mode,
    }
