"""Chain of rods on revolute joints, which several benchmarks simulate."""

from __future__ import annotations

import numpy as np

from rbnotes import Body, Model, se3
from rbnotes.joints import Revolute
from rbnotes.shapes import Box


def hanging_chain(links: int, shape: Box, density: float) -> Model:
    """Return rods that hang 0.5 m below each other on hinges along y, under a slanting weight."""
    rods = [
        Body(
            f"{i}",
            shape,
            density=density,
            joint=Revolute([0, 1, 0]),
            parent=f"{i - 1}" if i else None,
            joint_frame=se3.frame(np.eye(3), [0, 0, -0.5 if i else 0.0]),
            body_frame=se3.frame(np.eye(3), [0, 0, -0.25]),
            collision=(),
        )
        for i in range(links)
    ]
    return Model(rods, gravity=(3.0, 0.0, -9.81))
