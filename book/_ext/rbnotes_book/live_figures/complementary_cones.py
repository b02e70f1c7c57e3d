"""Numbers of the live figure of the complementary cones of a problem of two contacts."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbnotes.complementarity import LCP, enumeration

MATRICES = {"unique": [[2, 1], [1, 2]], "several": [[1, 2], [2, 1]], "none": [[1, -2], [-2, 1]]}
SETS: tuple[list[int], ...] = ([], [0], [1], [0, 1])
"""Sets of contacts that push, in the order of the colors of the cones."""


def evaluate(state: dict[str, Any], mode: str) -> dict[str, Any]:
    """Return the solution, and which of the four cones contain q."""
    A, q = np.array(MATRICES[mode], dtype=float), np.array(state["q"], dtype=float)
    cones = []
    for pushing in SETS:
        columns = np.where(np.isin([0, 1], pushing), -A, np.eye(2))
        cones.append(int(np.all(np.linalg.solve(columns, q) >= 0)))
    z = enumeration(LCP(A, q)).z if any(cones) else np.zeros(2)
    w = A @ z + q
    return {
        "z": z.tolist(),
        "w": w.tolist(),
        "z1": z[0],
        "z2": z[1],
        "w1": w[0],
        "w2": w[1],
        "q": q.tolist(),
        "count": sum(cones),
        "cones": cones,
    }
