"""Numbers of the live figure of the asymmetry of a stiffness matrix (Sueda 1.9.2, Lloyd 0.23)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbnotes import se3
from rbnotes.arguments import Array
from rbnotes.forces import BodyForces, directional_force, symmetric_part
from rbnotes.forces.world_axes import rotate_to_world
from rbnotes.testing import derivative
from rbnotes_book.live_figures import planar_pose

POINT, PLANE = np.array([0.5, 0.3, 0]), np.array([2, 3, 4])


def constant_force(f: Array, E: Array, x: Array) -> BodyForces:
    """Return the wrench ``(1, 6)`` of a constant force on a body, and its stiffness."""
    forces = directional_force(1.0, f, E, x)
    return forces._replace(w=forces.w[None])


def evaluate(state: dict[str, Any], mode: str) -> dict[str, Any]:
    """Return the wrench, the matrix and its asymmetry, and the wrench after a move, predicted and exact."""
    E, force = planar_pose(state["pose"]), np.array([*state["force"], 0])
    move = np.array([0, 0, state["turn"], state["shift"], 0, 0])
    end = E @ se3.exp(move)

    def forces_at(E: Array) -> BodyForces:
        forces = constant_force(force, E, POINT)
        return rotate_to_world(forces, E[None]) if mode == "world" else forces

    def displaced(j: int, by: float) -> Array:
        if mode != "world":
            return E @ se3.exp(by * np.eye(6)[PLANE[j]])
        angle, x, y = by * np.eye(3)[j]
        return planar_pose(np.add(state["pose"], [x, y, angle]))

    def wrench(E: Array) -> Array:
        result: Array = forces_at(E).w[0, PLANE]
        return result

    def column(j: int) -> Array:
        return derivative(lambda t: wrench(displaced(j, t))).value

    K = forces_at(E).K
    matrix = (symmetric_part(K) if mode == "symmetrized" else K)[np.ix_(PLANE, PLANE)]
    columns = [column(j) for j in range(3)]
    change = np.array([state["turn"], *(end - E)[:2, 3]]) if mode == "world" else move[PLANE]
    predicted, after, skew = wrench(E) + matrix @ change, wrench(end), matrix - matrix.T
    return {
        "wrench": wrench(E).tolist(),
        "matrix": matrix.tolist(),
        "skew": skew.tolist(),
        "predicted": predicted.tolist(),
        "after": after.tolist(),
        "asymmetry": float(np.max(np.abs(skew))),
        "error": float(np.max(np.abs(matrix - np.stack(columns, axis=1)))),
        "force_error": float(np.linalg.norm((predicted - after)[1:])),
        "twisted": float(abs(predicted[0] - after[0])),
    }
