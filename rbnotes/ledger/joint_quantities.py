"""Physical quantities of the coordinates of a tree by joint type: angles of hinges, lengths of sliders."""

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
    MatrixQuantity,
    ObjectQuantity,
    VectorQuantity,
    matrix_quantity,
    vector_quantity,
)

Arguments = Mapping[str, Any]
NUM_COORDINATES = {"revolute": 1, "prismatic": 1, "universal": 2, "spherical": 3}
ASSEMBLY = ObjectQuantity(
    {
        "joints": POSE,
        "bodies": POSE,
        "masses": MASS,
        "centers": LENGTH,
        "inertias": INERTIA,
        "gravity": ACCELERATION,
    }
)
"""A tree of the oracles, see :mod:`rbnotes.ledger.oracles.body_trees`."""
POINT_MASS_TREE = ObjectQuantity(
    {
        "placements": POSE,
        "bodies": POSE,
        "masses": MASS,
        "centers": LENGTH,
        "inertias": INERTIA,
        "gravity": ACCELERATION,
    }
)
"""A tree of :mod:`rbnotes.ledger.oracles.point_mass_tree`."""
MASS_POINTS = vector_quantity((MASS, 1), (LENGTH, 3))
"""A point of a body: its mass, then its position."""
BRANCHING = vector_quantity((NUMBER, 3), (LENGTH, 1), (NUMBER, 1))
"""Coordinates of the tree of :mod:`rbnotes.ledger.oracles.branching_tree`, and of its points."""
BRANCHING_STATE = {"q": BRANCHING, "v": BRANCHING / TIME, "a": BRANCHING / TIME / TIME}
"""Its coordinates, velocities and accelerations."""
BRANCHING_CONSTRAINT_ROWS = {
    **{name: NUMBER / BRANCHING for name in ("b", "b2")},
    **{name: matrix_quantity(NUMBER / BRANCHING, BRANCHING) for name in ("c", "c2")},
}
"""Rows of its constraints, and their derivatives with respect to the coordinates."""


def coordinates(values: Arguments) -> VectorQuantity:
    """Return the quantities of joint coordinates: those of the assembly, or angles if there is none."""
    assembly = values.get("assembly")
    if assembly is None:
        return vector_quantity((NUMBER, 1))
    return vector_quantity(
        *((LENGTH if kind == "prismatic" else NUMBER, NUM_COORDINATES[kind]) for kind in assembly.kinds)
    )


def velocities(values: Arguments) -> VectorQuantity:
    """Return the quantities of the rates of joint coordinates."""
    return coordinates(values) / TIME


def accelerations(values: Arguments) -> VectorQuantity:
    """Return the quantities of the second derivatives of joint coordinates."""
    return velocities(values) / TIME


def forces(values: Arguments) -> VectorQuantity:
    """Return the quantities of the joint forces: torques for angles, forces for lengths."""
    return ENERGY / coordinates(values)


def momenta(values: Arguments) -> VectorQuantity:
    """Return the quantities of the joint momenta."""
    return forces(values) * TIME


def mass_matrix(values: Arguments) -> MatrixQuantity:
    """Return the quantity of the joint-space mass matrix."""
    return matrix_quantity(momenta(values), velocities(values))


def jacobian(values: Arguments) -> MatrixQuantity:
    """Return the quantity of the Jacobian from joint velocities to body twists."""
    return matrix_quantity(TWIST, velocities(values))


def jacobian_rate(values: Arguments) -> MatrixQuantity:
    """Return the quantity of the rate of the Jacobian."""
    return jacobian(values) / TIME
