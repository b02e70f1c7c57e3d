"""Numbers of the live figure of a frame spring whose bodies rotate (L 0.43)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbnotes import se3, so3
from rbnotes.arguments import Array
from rbnotes.forces import FrameSpring, frame_spring_forces

STIFFNESS, SPINS, FASTEST = 1.0, 31, 3.0
POINTS = np.array([[0.55, 0.35, 0.0], [-0.55, 0.25, 0.0]])
FRAMES = se3.frame(np.stack([np.eye(3)] * 2), POINTS)
SPRING = FrameSpring(FRAMES[0], FRAMES[1], STIFFNESS * np.eye(3), np.zeros((3, 3)))
AT_REST = np.zeros((2, 6))


def evaluate(state: dict[str, Any], mode: str) -> dict[str, Any]:
    """Return the change of the force on A by the formula and by the exact stiffness matrix."""
    x, y, angle = np.array(state["pose"], dtype=float).T
    axis = np.array([0.0, 0.0, 1.0])
    E = se3.frame(so3.exp(angle[:, None] * axis), np.stack([x, y, np.zeros(2)], axis=-1))
    forces = frame_spring_forces(SPRING, E, AT_REST)
    force, stiffness = forces.w[0, 3:], forces.K[3:6]
    rotation = np.array(state["turn"], dtype=float)
    turning = np.cross(force, rotation[0] * axis)

    def points(rotations: Array) -> Array:
        """Return the change along rotations, without that of the axes of A."""
        xi = np.zeros((2, 6))
        xi[:, 2] = rotations
        change: Array = stiffness @ xi.ravel() - np.cross(force, rotations[0] * axis)
        return change

    exact = points(rotation) + turning
    spin = np.array(state["spin"], dtype=float)
    from_points = points(spin if mode == "printed" else rotation)
    change = from_points + turning
    change_sizes = [
        float(np.linalg.norm(points(np.array([each, spin[1]])) + turning))
        for each in np.linspace(-FASTEST, FASTEST, SPINS)
    ]
    return {
        "force": force[:2].tolist(),
        "change": change[:2].tolist(),
        "exact": exact[:2].tolist(),
        "points": float(np.linalg.norm(from_points)),
        "turning": float(np.linalg.norm(turning)),
        "size": float(np.linalg.norm(change)),
        "exact_size": float(np.linalg.norm(exact)),
        "difference": float(np.linalg.norm(change - exact)),
        "changes": change_sizes,
    }
