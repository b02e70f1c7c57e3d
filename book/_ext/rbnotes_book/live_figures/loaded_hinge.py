"""Numbers of the live figure of a loaded hinge with friction (Sueda 2.11)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbnotes import joints
from rbnotes.arguments import Array
from rbnotes.dynamics import State
from rbnotes.friction import Bearing, journal_bearing
from rbnotes.inertia import spatial_inertia
from rbnotes.multibody import reduced
from rbnotes.multibody.reduced.bearings import Bearings
from rbnotes_book.live_figures import printed_form

MASS, MOMENT, DISTANCE, GRAVITY, STEP, CONTACTS, NUM_ANGLES = 1.0, 0.02, 0.3, 9.81, 0.01, 8, 60
BODY = {"mass": MASS, "moment": MOMENT, "distance": DISTANCE}
PRINTED = printed_form("sueda/s2.11/t1491#c")
SMALL = 1e-9


def pin(radius: float, mu: float, count: int = CONTACTS) -> Bearing:
    """Return a pin that carries only forces and moments across its axis."""
    return journal_bearing(radius, 0.1, mu, points=count, thrust=False)


def normals(count: int) -> Array:
    """Return the outward normals ``(count, 2)`` of the contacts around one end."""
    result: Array = pin(1.0, 0.0, count).normals[:count, :2]
    return result


def multipliers(force: Array, count: int) -> Array:
    """Return the normal multipliers ``(count,)`` of a force across the pin, in sum over both ends."""
    wrench = np.array([0, 0, 0, *force, 0])
    result: Array = np.sum(pin(1.0, 0.0, count).normal_multipliers(wrench).reshape(2, count), axis=0)
    return result


def pendulum_step(
    body: dict[str, float], gravity: float, angle: float, rate: float, h: float, bearing: Bearing | None
) -> dict[str, Any]:
    """Return angle and rate after a step, the force of the pin in the frame of the pendulum, and friction."""
    M = spatial_inertia(body["mass"], body["moment"] * np.eye(3), [body["distance"], 0, 0])
    # The pendulum is along x; it hangs along -y where its angle is zero.
    tree = reduced.Tree([reduced.Link("body", joints.Revolute(), M)], gravity=[0, -gravity, 0])
    start = State(q=[angle - np.pi / 2], qdot=[rate])
    bearings: Bearings = {"body": bearing or pin(1.0, 0.0)}
    step = reduced.bisp_step(tree, start, h, bearings, tolerance=1e-12)
    load = step.bearing_reactions["body"]
    return {
        "angle": step.state.q[0] + np.pi / 2,
        "rate": step.state.qdot[0],
        "force": load.reaction[3:5] / h,
        "friction": load.generalized_friction[0] / h,
    }


def evaluate(state: dict[str, Any], mode: str) -> dict[str, Any]:
    """Return the force of the pin, its multipliers, friction and its bounds, also at rest over the angle."""
    mu, radius = state["mu"], state["radius"]
    # The printed bounds add up to zero on a pin with an even number of contacts: the step has no friction.
    bearing = pin(radius, mu) if mode == "right" else None

    def bound(force: Array) -> float:
        alpha = -multipliers(force, CONTACTS)
        if mode == "right":
            return float(radius * mu * np.sum(np.abs(alpha)))
        directions = np.column_stack([normals(CONTACTS), np.zeros(CONTACTS)])
        return float(radius * PRINTED(np.stack([radius * directions, directions]), alpha, mu)[0])

    def step(angle: float, rate: float) -> dict[str, Any]:
        return pendulum_step(BODY, GRAVITY, angle, rate, STEP, bearing)

    now, angles = step(state["angle"], state["rate"]), np.linspace(-np.pi, np.pi, NUM_ANGLES + 1)
    alpha = -multipliers(now["force"], CONTACTS)
    return {
        "force": now["force"].tolist(),
        "alpha": alpha.tolist(),
        "bound": bound(now["force"]),
        "friction": now["friction"],
        "next": now["rate"],
        "reaction": float(np.linalg.norm(now["force"])),
        "weight": -float(MASS * GRAVITY * DISTANCE * np.sin(state["angle"])),
        "empty": int(np.sum(alpha < -SMALL)) if mode == "printed" else 0,
        "bounds": [bound(step(angle, 0.0)["force"]) for angle in angles],
    }
