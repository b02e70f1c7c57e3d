"""Numbers of the live figure of a twist and a wrench in two frames."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbnotes import se3
from rbnotes_book.live_figures import planar_pose


def evaluate(state: dict[str, Any], mode: str) -> dict[str, Any]:
    """Return twist, wrench and power in the inner frame, and the power in the outer frame."""
    E = planar_pose(state["pose"])
    phi = np.array([0, 0, state["omega"], *state["v"], 0])
    outer_wrench = np.array([0, 0, state["torque"], *state["f"], 0])
    twist = se3.Ad_inverse(E) @ phi
    wrench = (se3.Ad_inverse(E) if mode == "twist" else se3.Ad(E).T) @ outer_wrench
    outer, inner = float(outer_wrench @ phi), float(wrench @ twist)
    return {
        "twist": twist.tolist(),
        "wrench": wrench.tolist(),
        "outer": outer,
        "inner": inner,
        "difference": inner - outer,
        "moment": wrench[2],
        "v": twist[3:5].tolist(),
        "f": wrench[3:5].tolist(),
    }
