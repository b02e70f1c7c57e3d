"""What the numbers of a tree are, whose joints tell: an angle of a hinge, a length of a slider."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rbnotes.ledger.quantities import (
    ACCELERATION,
    ENERGY,
    INERTIA,
    LENGTH,
    MASS,
    NUMBER,
    POSE,
    TIME,
    TWIST,
    Column,
    Fields,
    Grid,
    column,
    per,
)

Arguments = Mapping[str, Any]
SIZES = {"revolute": 1, "prismatic": 1, "universal": 2, "spherical": 3}
ASSEMBLY = Fields(
    {
        "joints": POSE,
        "bodies": POSE,
        "masses": MASS,
        "centres": LENGTH,
        "inertias": INERTIA,
        "gravity": ACCELERATION,
    }
)
"""A tree of the oracles, see :mod:`rbnotes.ledger.oracles.chains`."""
CLOUD = Fields(
    {
        "placements": POSE,
        "bodies": POSE,
        "masses": MASS,
        "centres": LENGTH,
        "inertias": INERTIA,
        "gravity": ACCELERATION,
    }
)
"""A tree of :mod:`rbnotes.ledger.oracles.hinged_clouds`."""
HEAVY_POINTS = column((MASS, 1), (LENGTH, 3))
"""A point of a body: its mass, then its place."""
BRANCHING = column((NUMBER, 3), (LENGTH, 1), (NUMBER, 1))
"""Coordinates of the tree of :mod:`rbnotes.ledger.oracles.branching`, and of a cloud."""
ON_BRANCHING = {"q": BRANCHING, "v": BRANCHING / TIME, "a": BRANCHING / TIME / TIME}
"""Its coordinates, velocities and accelerations."""
ROWS_ON_BRANCHING = {
    **{name: NUMBER / BRANCHING for name in ("b", "b2")},
    **{name: per(NUMBER / BRANCHING, BRANCHING) for name in ("c", "c2")},
}
"""Rows of its constraints, and how they change with the coordinates."""


def coordinates(values: Arguments) -> Column:
    """Of the joints of an assembly; angles where there is none."""
    assembly = values.get("assembly")
    if assembly is None:
        return column((NUMBER, 1))
    return column(*((LENGTH if kind == "prismatic" else NUMBER, SIZES[kind]) for kind in assembly.kinds))


def velocities(values: Arguments) -> Column:
    """Their rates."""
    return coordinates(values) / TIME


def accelerations(values: Arguments) -> Column:
    """Their second derivatives."""
    return velocities(values) / TIME


def forces(values: Arguments) -> Column:
    """What does work on them: torques of angles, forces of lengths."""
    return ENERGY / coordinates(values)


def momenta(values: Arguments) -> Column:
    """What goes with their rates."""
    return forces(values) * TIME


def masses(values: Arguments) -> Grid:
    """Mass matrix."""
    return per(momenta(values), velocities(values))


def jacobian(values: Arguments) -> Grid:
    """Twists of the bodies for velocities of the joints."""
    return per(TWIST, velocities(values))


def jacobian_rate(values: Arguments) -> Grid:
    """Its time derivative."""
    return jacobian(values) / TIME
