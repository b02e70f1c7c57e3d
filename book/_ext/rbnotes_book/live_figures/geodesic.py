"""Numbers of the live figure of the ways from one orientation to another."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbnotes import so3
from rbnotes.arguments import Array
from rbnotes.testing import derivative

START, NUM_SAMPLES = np.array([0.9, -0.4, 0.6]), 60


def evaluate(state: dict[str, Any], mode: str) -> dict[str, Any]:
    """Return the matrix, its determinant, and speeds and determinants along the way."""
    azimuth, elevation = state["azimuth"], state["elevation"]
    axis = [np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)]
    w = state["angle"] * np.array(axis)
    R0, R1 = so3.exp(START), so3.exp(w)

    def at(t: float) -> Array:
        if mode == "vectors":
            return so3.exp((1 - t) * START + t * w)
        return so3.interpolate(R0, R1, t) if mode == "geodesic" else (1 - t) * R0 + t * R1

    def speed(t: float) -> float:
        return float(np.linalg.norm(derivative(lambda s: at(t + s)).value))

    times = np.linspace(0, 1, NUM_SAMPLES + 1)
    speeds = [speed(t) for t in times]
    R = at(state["t"])
    return {
        "R": R.tolist(),
        "determinant": float(np.linalg.det(R)),
        "shortest": float(np.min(np.linalg.norm(R, axis=0))),
        "evenness": min(speeds) / max(1e-9, *speeds),
        "speeds": speeds,
        "determinants": [float(np.linalg.det(at(t))) for t in times],
    }
