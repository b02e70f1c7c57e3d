"""Lloyd 0.22.1: the position Jacobian of a frame spring, variation by variation."""

from __future__ import annotations

from dataclasses import replace

from rbnotes.ledger.quantities import (
    ANGULAR_MOMENTUM,
    DAMPING,
    LENGTH,
    NUMBER,
    POSE,
    RATE,
    STIFFNESS,
    TORQUE,
    VELOCITY,
    stacked_quantity,
)
from rbnotes.ledger.record import Argument
from rbnotes.ledger.section import Section

section = Section(
    "lloyd/s0.22.1",
    chapter="frame-spring-stiffness",
    arguments={
        "poses": Argument(POSE, "of the bodies A and B in the world, of frame 1 in A, of frame 2 in B"),
        "delta": Argument(
            stacked_quantity(LENGTH, NUMBER),
            "small motions of A, then of B (translation, rotation), along the axes of the bodies",
        ),
        "k_t": Argument(STIFFNESS),
        "k_r": Argument(TORQUE),
        "delta_theta": Argument(NUMBER, "small rotation of the body, along its axes"),
        "velocities": Argument(
            stacked_quantity(VELOCITY, RATE),
            "linear and angular of A, then of B, along the axes of the world",
        ),
        "R_AW": Argument(NUMBER, "of the body A in the world"),
        "p_1": Argument(LENGTH, "origin of the frame 1, in the body A"),
        "R_BW": Argument(NUMBER, "of the body B in the world"),
        "p_2": Argument(LENGTH, "origin of the frame 2, in the body B"),
        "d_t": Argument(DAMPING),
        "d_r": Argument(ANGULAR_MOMENTUM),
        "w": Argument(NUMBER, "rotation vector of frame 2 relative to frame 1"),
        "omega": Argument(RATE, "angular velocity of frame 2 relative to frame 1, in frame 1"),
        "share": Argument(NUMBER),
        "R_2B": Argument(NUMBER, "of frame 2 in the body B"),
        "follow": Argument(NUMBER),
    },
)
rotation_section = replace(section, chapter="frame-springs")
