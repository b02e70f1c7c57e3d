"""Numbers of the live figure of the direction of a spring and its derivative (S 1.37, S 1.62)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbnotes.arguments import Array
from rbnotes.dynamics import linearly_implicit_velocity
from rbnotes.forces import ConstantTension, path_wrenches, zero_length_spring

LIMIT, STEPS = 2.4, 40
MOVING = np.ix_([9, 10], [9, 10])
"""Rows and columns of the moving end in the plane."""
FRAMES, AT_REST = np.stack([np.eye(4)] * 2), np.zeros((2, 6))


def ends(x: Array) -> Array:
    """Return the fixed and the moving end of the spring."""
    return np.array([[0.0, 0.0, 0.0], [*x, 0.0]])


def step(state: dict[str, Any], mode: str) -> dict[str, Any]:
    """Return the state after a linearly implicit step; the printed matrix has the other sign."""
    x, v, k, h = np.array(state["x"]), np.array(state["v"]), state["k"], state["h"]
    K = zero_length_spring(k, FRAMES, ends(x)).K[MOVING] * (-1 if mode == "printed" else 1)
    after = linearly_implicit_velocity(np.eye(2), v, -k * x, K, np.zeros((2, 2)), h)
    return {**state, "v": after, "x": x + h * after}


def distances(state: dict[str, Any], mode: str) -> list[float]:
    """Return the distances along the first direction; they stay when they have become large."""
    u = np.array(state["x"]) / np.linalg.norm(state["x"])
    result = [float(u @ state["x"])]
    for _ in range(STEPS):
        if abs(result[-1]) < LIMIT:
            state = step(state, mode)
        result.append(float(u @ state["x"]))
    return result


def evaluate(state: dict[str, Any], mode: str) -> dict[str, Any]:
    """Return how the direction of the pull changes, by the formula and exactly."""
    x = np.array(state["x"])
    d = np.array([np.cos(state["delta"]), np.sin(state["delta"])])
    length = float(np.linalg.norm(x))
    exact = path_wrenches(ConstantTension(1.0), FRAMES, ends(x), AT_REST).K[MOVING]
    second = zero_length_spring(1 / length, FRAMES, ends(x)).K[MOVING]
    # K_k1 is the exact derivative less the right K_k2.
    used = exact - 2 * second if mode == "printed" else exact
    formula, quotient = float(d @ used @ d), float(d @ exact @ d)
    return {
        "change": (used @ d).tolist(),
        "exact": (exact @ d).tolist(),
        "formula": formula,
        "quotient": quotient,
        "difference": formula - quotient,
        "length": length,
        "printed": distances(state, "printed"),
        "right": distances(state, "right"),
    }
