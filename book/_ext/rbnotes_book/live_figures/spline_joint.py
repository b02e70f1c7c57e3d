"""Numbers of the live figure of a joint along a spline of poses (Sueda 2.4.12)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbnotes.arguments import Array
from rbnotes.joints import SplineCurve
from rbnotes.joints.spline import BSPLINE_BASIS
from rbnotes.testing import derivative
from rbnotes_book.live_figures import planar_pose, printed_form

NUM_SAMPLES, LAST, MIN_RATE = 40, 2, 0.05
PRINTED = printed_form("sueda/s2.4.12/alg3#c")


def weights(u: float) -> Array:
    """Return the cumulative weights of the increments and two derivatives ``(3, 3)``, one row for each."""
    powers = np.array([[1, u, u**2, u**3], [0, 1, 2 * u, 3 * u**2], [0, 0, 2, 6 * u]])
    return np.cumsum((powers @ BSPLINE_BASIS)[:, ::-1], axis=1)[:, -2::-1]


def curve(frames: Array, q: float) -> dict[str, Array]:
    """Return pose, motion subspace and its derivative on an open spline."""
    joint = SplineCurve(frames, cyclic=False)
    return {
        "Q": joint.transform([q]),
        "S": joint.motion_subspace([q])[:, 0],
        "dS": joint.motion_subspace_derivative([q])[:, 0, 0],
    }


def printed_curve(frames: Array, q: float) -> dict[str, Array]:
    """Return the same with the derivative as printed."""
    first = min(max(int(np.floor(q)), 0), len(frames) - 4)
    return {**curve(frames, q), "dS": PRINTED(frames[first : first + 4], q - first)}


def acceleration(values: dict[str, Array]) -> Array:
    """Return the acceleration ``(2,)`` of the origin at unit rate of q, along the axes of the world."""
    R, S, dS = values["Q"][:3, :3], values["S"], values["dS"]
    result: Array = (R @ (dS[3:] + np.cross(S[:3], S[3:])))[:2]
    return result


def evaluate(state: dict[str, Any], mode: str) -> dict[str, Any]:
    """Return pose, twist and acceleration of the origin, and accelerations along the curve."""
    frames, q = np.array([planar_pose(pose) for pose in state["frames"]]), state["q"]
    at = printed_curve if mode == "printed" else curve
    now, samples = at(frames, q), np.linspace(0, LAST, NUM_SAMPLES + 1)

    def velocity(each: float) -> Array:
        values = curve(frames, each)
        return (values["Q"][:3, :3] @ values["S"][3:])[:2]

    vector, exact, (w, vx, vy) = acceleration(now), derivative(velocity, q).value, now["S"][2:5]
    accelerations = np.array([acceleration(at(frames, each)) for each in samples])
    rights = np.array([acceleration(curve(frames, each)) for each in samples])
    return {
        "pose": [*now["Q"][:2, 3].tolist(), float(np.arctan2(now["Q"][1, 0], now["Q"][0, 0]))],
        "twist": [w, vx, vy],
        "acceleration": float(np.linalg.norm(vector)),
        "vector": vector.tolist(),
        "exact": exact.tolist(),
        "quotient": float(np.linalg.norm(exact)),
        "distance": float(np.hypot(vx, vy) / max(MIN_RATE, abs(w))),
        "difference": float(np.max(np.linalg.norm(accelerations - rights, axis=1))),
        "sizes": np.linalg.norm(accelerations, axis=1).tolist(),
        "rights": np.linalg.norm(rights, axis=1).tolist(),
    }
