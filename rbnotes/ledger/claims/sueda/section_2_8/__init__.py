"""Sueda 2.8: closed loops."""

from __future__ import annotations

from rbnotes.ledger.joint_quantities import BRANCHING, MASS_POINTS
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import (
    ACCELERATION,
    LENGTH,
    NUMBER,
    POSE,
    RATE,
    TIME,
    TWIST,
    VELOCITY,
    matrix_quantity,
    vector_quantity,
)
from rbnotes.ledger.record import Argument
from rbnotes.ledger.section import Section

section = Section(
    "sueda/s2.8",
    chapter="loops-and-limits",
    page_2019=Page(36, last=38),
    page_2021=Page(48, last=50),
    arguments={
        "place": Argument(POSE, "of the plane of the bars in the world"),
        "bars": Argument(LENGTH, "lengths of ground, crank, coupler and rocker"),
        "frames": Argument(POSE, "of the bodies, each in its bar"),
        "bodies": Argument(MASS_POINTS, "points of each body: mass, then position in the frame of the body"),
        "theta": Argument(NUMBER),
        "tilt": Argument(POSE, "of the plane of the bars on the base that carries it"),
        "beta": Argument(NUMBER),
        "A": Argument(POSE, "of the body A in the world"),
        "B": Argument(POSE, "of the body B in the world"),
        "x_A": Argument(LENGTH, "closure point of the loop on A, in the frame of its body"),
        "x_B": Argument(LENGTH, "closure point of the loop on B, in the frame of its body"),
        "phi_A": Argument(TWIST, "of the body A, in its frame"),
        "phi_B": Argument(TWIST, "of the body B, in its frame"),
        "link_frames": Argument(
            POSE,
            (
                "for each joint (a universal joint about x and y; on it a hinge about z that carries a "
                "slider along z, and another hinge): pose in the frame of the parent joint, then pose of "
                "the body in the joint frame"
            ),
        ),
        "q": Argument(BRANCHING, "of the joints, in their order"),
        "v": Argument(vector_quantity((RATE, 3), (VELOCITY, 1), (RATE, 1)), "of the joints, in their order"),
        "a": Argument(NUMBER, "in the frame of the two directions"),
        "axis": Argument(NUMBER, "of the hinge, in the body A"),
        "g": Argument(ACCELERATION, "along the axes of the world"),
        "speeds": Argument(RATE),
        "h": Argument(TIME),
        "c": Argument(
            matrix_quantity(vector_quantity((NUMBER, 3), (NUMBER / LENGTH, 1), (NUMBER, 1)), BRANCHING)
        ),
        "b": Argument(vector_quantity((NUMBER, 3), (NUMBER / LENGTH, 1), (NUMBER, 1))),
        "x": Argument(LENGTH, "of a point, in the frame of its body"),
        "normal": Argument(NUMBER, "of the plane, in the world"),
        "bounds": Argument(vector_quantity((NUMBER, 1), (LENGTH, 1))),
        "c2": Argument(
            matrix_quantity(vector_quantity((NUMBER, 3), (NUMBER / LENGTH, 1), (NUMBER, 1)), BRANCHING)
        ),
        "b2": Argument(vector_quantity((NUMBER, 3), (NUMBER / LENGTH, 1), (NUMBER, 1))),
    },
)

JOINTS_THEN_CONSTRAINTS = "of the joints, in their order, then of the constraints"
