"""Si & Guenter 4: the dynamics of a tree by six passes."""

from __future__ import annotations

from dataclasses import replace

from rbnotes.ledger.joint_quantities import ASSEMBLY, accelerations, coordinates, forces, velocities
from rbnotes.ledger.quantities import LENGTH, NUMBER, POSE, RATE, TWIST, WRENCH, stacked_quantity
from rbnotes.ledger.record import Argument
from rbnotes.ledger.section import Section

section = Section(
    "si/s4",
    chapter="general-joints-linear-time",
    arguments={
        "assembly": Argument(
            ASSEMBLY,
            (
                "a tree of joints and bodies in the world, with all coordinates zero: the parent of each body"
                " (-1: none); joints about z (revolute), along z (prismatic), about x and then y (universal) "
                "or by a rotation vector (spherical); centers in the bodies, inertias about these"
            ),
        ),
        "q": Argument(coordinates, "of the joints, in their order"),
        "qdot": Argument(velocities, "of the joints, in their order"),
        "T": Argument(POSE, "of the body in the world"),
        "v": Argument(TWIST, "in the frame of the body"),
        "qddot": Argument(accelerations, "of the joints, in their order"),
        "wrenches": Argument(WRENCH, "on each body, about its origin, along its axes"),
        "G": Argument(POSE, "of the body in its parent"),
        "tau": Argument(forces, "of the joints, in their order"),
        "states": Argument(stacked_quantity(NUMBER, RATE)),
        "radii": Argument(LENGTH),
        "fraction": Argument(NUMBER),
    },
)
equations_section = replace(section, chapter="tree-equations")
