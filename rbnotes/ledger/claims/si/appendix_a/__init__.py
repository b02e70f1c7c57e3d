"""Si & Guenter, appendix A: stacked quantities of all bodies, eqs. (36) to (53)."""

from __future__ import annotations

from rbnotes.ledger.joint_quantities import ASSEMBLY, accelerations, coordinates, velocities
from rbnotes.ledger.quantities import (
    WRENCH,
)
from rbnotes.ledger.record import Argument
from rbnotes.ledger.section import Section

section = Section(
    "si/sA",
    chapter="tree-equations",
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
        "qddot": Argument(accelerations, "of the joints, in their order"),
        "wrenches": Argument(WRENCH, "on each body, about its origin, along its axes"),
    },
)
