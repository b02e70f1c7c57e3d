"""Numbers of the live figure of a spring-damper between two boxes (S 1.66)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbnotes import Body, Model, se3
from rbnotes.arguments import Array
from rbnotes.dynamics import State, symplectic_euler
from rbnotes.forces import (
    CallableTensionLaw,
    PathForces,
    SpringDamper,
    TensionLaw,
    body_path_length,
    on_body,
    path_through,
)  # fmt: skip
from rbnotes.shapes import Box

SIZE = (0.44, 0.3)
ENDS = np.array([[SIZE[0] / 2, 0.05, 0], [-SIZE[0] / 2, 0.05, 0]])
MAX_LENGTH, STEP, NUM_SAMPLES, STEPS_PER_SAMPLE = 4.0, 0.02, 100, 3
INERTIA = Box([*SIZE, SIZE[1]]).spatial_inertia(mass=1.0)


def poses(state: dict[str, Any]) -> tuple[Array, Array]:
    """Return the poses (2, 4, 4) and twists (2, 6) of the boxes, which move in the plane of x and y."""
    x, y, angle = np.array(state["pose"], dtype=float).T
    c, s, o = np.cos(angle), np.sin(angle), np.zeros(2)
    R = np.moveaxis(np.array([[c, -s, o], [s, c, o], [o, o, o + 1]]), -1, 0)
    phi = np.zeros((2, 6))
    phi[:, 2:5] = state["twist"]
    return se3.frame(R, np.stack([x, y, o], axis=-1)), phi


def law(state: dict[str, Any], mode: str) -> TensionLaw:
    """Return the pull of a form: the printed one has the wrong sign in front of its spring."""
    k, d, L = (state[name] for name in "kdL")
    if mode == "right":
        return SpringDamper(k, d, L)
    return CallableTensionLaw(
        lambda length, rate: -(k * (length - L) - d * rate) / L,
        lambda length, rate: -k / L + 0 * length,
        lambda length, rate: d / L + 0 * length,
    )


def system(state: dict[str, Any], mode: str) -> Model:
    """Return the two boxes with their spring."""
    path = path_through(on_body(0, ENDS[0]), on_body(1, ENDS[1]))
    bodies = [Body(name, inertia=INERTIA) for name in ("left", "right")]
    return Model(bodies, gravity=[0, 0, 0], forces=PathForces(law(state, mode), path))


def lengths(state: dict[str, Any], mode: str) -> list[float]:
    """Return the lengths of the spring in a simulation from a state; they stay when it has diverged."""
    boxes, current = system(state, mode), State(*poses(state))
    result = [float(body_path_length(current.E, ENDS, current.phi).L)]
    for _ in range(NUM_SAMPLES):
        for _ in range(STEPS_PER_SAMPLE):
            if float(body_path_length(current.E, ENDS, current.phi).L) < MAX_LENGTH:
                current = symplectic_euler(boxes, current, STEP)
        result.append(float(body_path_length(current.E, ENDS, current.phi).L))
    return result


def evaluate(state: dict[str, Any], mode: str) -> dict[str, Any]:
    """Return the terms of the formula, the force, and the lengths that follow."""
    k, d, L = (state[name] for name in "kdL")
    E, phi = poses(state)
    path_length = body_path_length(E, ENDS, phi)
    length, rate = float(path_length.L), float(path_length.Ldot)
    tension = float(law(state, mode)(length, rate).F)
    quotient = float(SpringDamper(k, d, L)(length, rate).F)
    span = np.diff(se3.transform_points(E, ENDS), axis=0)[0, :2]
    return {
        "spring": k * (length - L) / L,
        "damper": d * rate / L,
        "length": length,
        "rate": rate,
        "pull": tension,
        "quotient": quotient,
        "difference": tension - quotient,
        "force": (tension * span / length).tolist(),
        "printed": lengths(state, "printed"),
        "right": lengths(state, "right"),
    }
