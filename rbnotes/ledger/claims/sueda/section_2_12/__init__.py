"""Sueda 2.12: constraints in linear time."""

from __future__ import annotations

from rbnotes.ledger.joint_quantities import ASSEMBLY, BRANCHING, MASS_POINTS
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import (
    ACCELERATION,
    FORCE,
    LENGTH,
    MASS,
    NUMBER,
    POSE,
    RATE,
    TIME,
    TORQUE,
    VELOCITY,
    matrix_quantity,
    vector_quantity,
)
from rbnotes.ledger.record import Argument
from rbnotes.ledger.section import Section

section = Section(
    "sueda/s2.12",
    chapter="constraints-in-linear-time",
    page_2019=Page(44, last=47),
    page_2021=Page(56, last=58),
    arguments={
        "link_frames": Argument(
            POSE,
            (
                "for each joint (a universal joint about x and y; on it a hinge about z that carries a "
                "slider along z, and another hinge): pose in the frame of the parent joint, then pose of "
                "the body in the joint frame"
            ),
        ),
        "q": Argument(BRANCHING, "of the joints, in their order"),
        "x": Argument(LENGTH, "of a point, in the frame of its body"),
        "v": Argument(vector_quantity((RATE, 3), (VELOCITY, 1), (RATE, 1)), "of the joints, in their order"),
        "a": Argument(
            vector_quantity((NUMBER / TIME**2, 3), (ACCELERATION, 1), (NUMBER / TIME**2, 1)),
            "of the joints, in their order",
        ),
        "bodies": Argument(MASS_POINTS, "four points of each body: mass, then position in the body"),
        "g": Argument(ACCELERATION, "along the axes of the world"),
        "E": Argument(POSE, "of the body in the world"),
        "m": Argument(MASS),
        "assembly": Argument(
            ASSEMBLY,
            (
                "a tree of joints and bodies in the world, with all coordinates zero: the parent of each body"
                " (-1: none); joints about z (revolute), along z (prismatic), about x and then y (universal) "
                "or by a rotation vector (spherical); centers in the bodies, inertias about these"
            ),
        ),
        "tau": Argument(
            vector_quantity((TORQUE, 3), (FORCE, 1), (TORQUE, 1)), "of the joints, in their order"
        ),
        "is_prescribed": Argument(NUMBER),
        "x_A": Argument(LENGTH, "closure point of the loop on A, in the frame of its body"),
        "x_B": Argument(LENGTH, "closure point of the loop on B, in the frame of its body"),
        "c": Argument(
            matrix_quantity(vector_quantity((NUMBER, 3), (NUMBER / LENGTH, 1), (NUMBER, 1)), BRANCHING)
        ),
        "b": Argument(vector_quantity((NUMBER, 3), (NUMBER / LENGTH, 1), (NUMBER, 1))),
        "normal": Argument(NUMBER, "of the plane, in the world"),
        "c2": Argument(
            matrix_quantity(vector_quantity((NUMBER, 3), (NUMBER / LENGTH, 1), (NUMBER, 1)), BRANCHING)
        ),
        "b2": Argument(vector_quantity((NUMBER, 3), (NUMBER / LENGTH, 1), (NUMBER, 1))),
        "weights": Argument(NUMBER, "one for each constraint"),
        "perturbation": Argument(NUMBER, "of the last row, which otherwise depends on the others"),
        "row": Argument(
            vector_quantity((TORQUE, 3), (FORCE, 1), (TORQUE, 1)), "of the joints, in their order"
        ),
        "bounds": Argument(vector_quantity((NUMBER, 1), (LENGTH, 1))),
    },
)
