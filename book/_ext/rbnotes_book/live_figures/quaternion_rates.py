"""Numbers of the live figure of the rate of a quaternion in base and in body coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbnotes import quaternion, so3
from rbnotes.arguments import Array
from rbnotes.testing import derivative

SPEED = 1.5


def direction(azimuth: float, elevation: float) -> Array:
    """Return the unit vector ``(3,)`` of two angles."""
    flat = np.cos(elevation)
    return np.array([flat * np.cos(azimuth), flat * np.sin(azimuth), np.sin(elevation)])


def evaluate(state: dict[str, Any], mode: str) -> dict[str, Any]:
    """Return the quaternion, both rates and their parts, and the error of the rate of the mode."""
    omega, u = SPEED * direction(*state["omega"]), direction(*state["axis"])
    q = quaternion.from_axis_angle(u, state["theta"])
    rates = {
        "base": quaternion.derivative_from_base(q, omega),
        "body": quaternion.derivative_from_body(q, omega),
    }

    def quaternion_at(t: float) -> Array:
        turn = quaternion.from_rotation_vector(t * omega)
        return quaternion.product(turn, q) if mode == "base" else quaternion.product(q, turn)

    R, half = so3.exp(state["theta"] * u), np.sin(state["theta"] / 2) * u
    cosine = omega @ R @ omega / SPEED**2
    return {
        "q": q.tolist(),
        **{name: rate.tolist() for name, rate in rates.items()},
        "scalar": -float(half @ omega),
        "cross": float(np.linalg.norm(np.cross(omega, half))),
        "distance": float(np.linalg.norm(rates["base"] - rates["body"])),
        "between": float(np.arccos(cosine)),
        "error": float(np.linalg.norm(rates[mode] - derivative(quaternion_at).value)),
    }
