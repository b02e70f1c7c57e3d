"""Numbers of the live figure of two boxes welded together (Sueda 1.7)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbnotes import Body, Model, se3
from rbnotes.arguments import Array
from rbnotes.dynamics import State, symplectic_euler
from rbnotes.inertia import composite, spatial_inertia
from rbnotes.shapes import Box
from rbnotes_book.live_figures import planar_pose

SHAPE, MASS, NUM_STEPS, STEP = Box([0.6, 0.3, 0.3]), 1.0, 100, 0.02
MODES = ("whole", "diagonal")


def ways(M: Array, com: Array, twist: Array) -> list[float]:
    """Return the distances of the center of mass from its start, after each step."""
    system = Model([Body("boxes", inertia=M)], gravity=[0, 0, 0])
    current, result = State(np.eye(4)[None], twist[None]), [0.0]
    for _ in range(NUM_STEPS):
        current = symplectic_euler(system, current, STEP)
        result.append(float(np.linalg.norm(se3.transform_points(current.E[0], com) - com)))
    return result


def evaluate(state: dict[str, Any], mode: str) -> dict[str, Any]:
    """Return the center of mass, moments, and the displacement of the center of mass in each mode."""
    second = SHAPE.mass_properties(mass=state["mass"])
    body = composite([SHAPE.mass_properties(mass=MASS), second], [np.eye(4), planar_pose(state["weld"])])
    M, com = spatial_inertia(*body), body.com
    spin = np.array([0.0, 0.0, state["omega"]])
    twist = np.concatenate([spin, -np.cross(spin, com)])
    matrices = {"whole": M, "diagonal": np.diag(np.diag(M))}
    by_mode = {name: ways(matrices[name], com, twist) for name in MODES}
    drift = float(np.linalg.norm(se3.transform_points(planar_pose(state["pose"]), com) - com))
    return {
        "com": com[:2].tolist(),
        "moment": float(body.inertia[2, 2]),
        "outer": float(M[2, 2]),
        "drift": drift,
        "displacement": by_mode[mode][-1],
        **by_mode,
    }
