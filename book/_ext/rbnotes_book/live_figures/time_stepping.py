"""Numbers of the live figure of an oscillator by four schemes (Lloyd 0.9.1 to 0.9.3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import expm

from rbnotes.arguments import Array
from rbnotes.dynamics import (
    MechanicalSystem,
    State,
    implicit_euler,
    integrate,
    mechanical_system,
    symplectic_euler,
    trapezoidal,
)  # fmt: skip
from rbnotes.dynamics.schemes import advance_by_mean_velocity
from rbnotes_book.live_figures import printed_form

DURATION = 6.0
PRINTED = printed_form("lloyd/s0.9.3/d4")


def printed_velocity(M: Array, v: Array, f: Array, K: Array, D: Array, h: float) -> Array:
    """Return the velocities after a step of the trapezoidal rule as printed."""
    parts = PRINTED(M, f, K, D, np.zeros(len(v)), v, h)
    result: Array = np.linalg.solve(parts[:-1], M @ v + h * parts[-1])
    return result


def printed_step(system: MechanicalSystem, state: State, h: float) -> State:
    """Return the state after a step of the trapezoidal rule as printed."""
    velocity = printed_velocity(system.mass_matrix(state), state.velocity, *system.linearized_force(state), h)
    return advance_by_mean_velocity(system, state, velocity, h)


SCHEMES: dict[str, Callable[..., State]] = {
    "symplectic": symplectic_euler,
    "implicit": implicit_euler,
    "trapezoidal": trapezoidal,
    "printed": printed_step,
}


def oscillator(d: float) -> MechanicalSystem:
    """Return the mass of 1 kg on a spring of 1 N/m and a damper."""
    one = np.eye(1)
    return mechanical_system(one, lambda x, v: -x - d * v, lambda x, v: -one, lambda x, v: -d * one)


def path(state: dict[str, Any], mode: str, h: float, count: int) -> Array:
    """Return positions and velocities ``(count + 1, 2)`` after each step."""
    x, v = state["y"]
    run = integrate(SCHEMES[mode], oscillator(state["d"]), State(q=[x], qdot=[v]), h, count)
    return np.hstack([run.q, run.qdot])


def evaluate(state: dict[str, Any], mode: str) -> dict[str, Any]:
    """Return the path, its error after six seconds with the step and with half of it, and the energy."""
    h, start = state["h"], np.array(state["y"], dtype=float)
    count = int(np.floor(DURATION / h + 0.5))
    points, halved = path(state, mode, h, count), path(state, mode, h / 2, 2 * count)
    end = expm(count * h * np.array([[0.0, 1.0], [-1.0, -state["d"]]])) @ start
    error, half = (float(np.linalg.norm(each[-1] - end)) for each in (points, halved))
    return {
        "error": error,
        "half": half,
        "ratio": error / half if half > 1e-9 else 0.0,
        "energy": float(points[-1] @ points[-1]) / 2,
        "path": points.tolist(),
    }
