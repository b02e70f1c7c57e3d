"""Numbers of the live figure of Gauss-Seidel sweeps over two constraints (Lloyd 0.15)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbnotes.arguments import Array
from rbnotes.constraints.sequential_impulses import equality_gauss_seidel
from rbnotes_book.live_figures import printed_form

SOLUTION, NUM_SWEEPS = np.array([0.6, 0.4]), 12
PRINTED = printed_form("lloyd/s0.15/d2#b")
MODES = ("seidel", "jacobi", "printed")


def sweep(A: Array, b: Array, x: Array, mode: str) -> Array:
    """Return the impulses after a sweep over the rows of ``A x = b``."""
    if mode == "jacobi":
        return x + (b - A @ x) / np.diag(A)
    if mode == "printed":
        return printed_sweep(A, b, x)
    rows = np.eye(len(b))
    return equality_gauss_seidel(A, rows, b, np.zeros(len(b)), sweeps=1, initial_impulses=x).impulses


def printed_sweep(A: Array, b: Array, x: Array) -> Array:
    """Return the impulses after a printed sweep; the record has three rows, of which some stand alone."""
    n = len(b)
    rows, sides, start = np.eye(3, 5, k=2), np.zeros(3), np.zeros(3)
    rows[:n] = 0.0
    rows[:n, :n], sides[:n], start[:n] = np.linalg.cholesky(A), b, x
    result: Array = PRINTED(np.eye(5), rows, np.zeros(5), sides, start)
    return result[:n]


def evaluate(state: dict[str, Any], mode: str) -> dict[str, Any]:
    """Return the errors of the rows now and after twelve sweeps, and the paths of all modes."""
    c = state["coupling"]
    A = np.array([[1.0, c], [c, 1.0]])
    b, start = A @ SOLUTION, np.array(state["x"], dtype=float)
    paths, errors = {}, {}
    for name in MODES:
        points = [start]
        for _ in range(NUM_SWEEPS):
            points.append(sweep(A, b, points[-1], name))
        paths[name] = [point.tolist() for point in points]
        errors[f"error_{name}"] = np.max(np.abs(b - np.array(points) @ A), axis=1).tolist()
    iteration = np.diag([c, c])[::-1] if mode == "jacobi" else np.array([[0, c], [0, c * c]])
    return {
        "largest": errors["error_seidel"][0],
        "end": errors[f"error_{mode}"][-1],
        "factor": float(np.max(np.abs(np.linalg.eigvals(iteration)))),
        "x": start.tolist(),
        **paths,
        **errors,
    }
