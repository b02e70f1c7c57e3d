"""Numbers of the live figure of the tension and the damping of a muscle (Sueda (1.38), (1.56))."""

from __future__ import annotations

from typing import Any

from rbnotes.forces import Muscle
from rbnotes.testing import derivative

PEAK, LENGTH, SPEED = 100.0, 0.3, 5.0


def evaluate(state: dict[str, Any], mode: str) -> dict[str, Any]:
    """Return the values of the curves, the tension, and its damping in one form and by differences."""
    length, velocity = state["at"]
    a, rate = state["activation"], LENGTH * SPEED
    muscle = Muscle(PEAK, LENGTH, SPEED, activation=a)
    tension, _, right = muscle(LENGTH * length, rate * velocity)
    active, slope = float(muscle.active_force_length(length)), float(muscle.active_force_length(length, 1))
    printed = PEAK * a * slope * float(muscle.force_velocity(velocity, 1)) / rate
    damping = printed if mode == "printed" else float(right)
    quotient = float(derivative(lambda t: muscle(LENGTH * length, rate * velocity + t).F).value)
    return {
        "active": active,
        "slope": slope,
        "velocity": float(muscle.force_velocity(velocity)),
        "passive": float(muscle.passive_force_length(length)),
        "tension": float(tension),
        "damping": damping,
        "quotient": quotient,
        "difference": damping - quotient,
    }
