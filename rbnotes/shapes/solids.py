"""Solids centered at their frames: boxes, spheres and capsules, which are rounded boxes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments, inertia
from rbnotes.arguments import ArrayField, InvalidArgument
from rbnotes.inertia import MassProperties
from rbnotes.shapes.shape import RoundedBox, Shape
from rbnotes.unchecked.frozen import set_fields


@dataclass(frozen=True)
class Box(Shape):
    """Cuboid.

    Attributes
    ----------
    sides
        Lengths along x, y, z ``(3,)``, m; kept as a tuple.

    Raises
    ------
    InvalidArgument
        If ``sides`` are not positive.
    """

    sides: ArrayField

    def __post_init__(self) -> None:
        sides = arguments.positive_array("sides", self.sides, 3)
        if sides.shape != (3,):
            raise InvalidArgument("sides", f"shape {sides.shape}", "shape (3,)")
        set_fields(self, sides=tuple(sides.tolist()))

    @property
    def collision_geometry(self) -> RoundedBox:
        """Rounded box that is equal to this shape."""
        return RoundedBox(np.array(self.sides) / 2, 0.0)

    def _mass_properties(self, density: ArrayLike) -> MassProperties:
        return inertia.cuboid(self.sides, density)


@dataclass(frozen=True)
class Sphere(Shape):
    """Ball.

    Attributes
    ----------
    radius
        Radius, m.

    Raises
    ------
    InvalidArgument
        If ``radius`` is not positive.
    """

    radius: float

    def __post_init__(self) -> None:
        set_lengths(self, "radius")

    @property
    def collision_geometry(self) -> RoundedBox:
        """Rounded box that is equal to this shape."""
        return RoundedBox(np.zeros(3), self.radius)

    def _mass_properties(self, density: ArrayLike) -> MassProperties:
        return inertia.sphere(self.radius, density)


@dataclass(frozen=True)
class Capsule(Shape):
    """Cylinder along z with a half ball on each end.

    Attributes
    ----------
    radius
        Radius, m.
    length
        Length of the cylinder, without the half balls, m.

    Raises
    ------
    InvalidArgument
        If ``radius`` or ``length`` is not positive.
    """

    radius: float
    length: float

    def __post_init__(self) -> None:
        set_lengths(self, "radius", "length")

    @property
    def collision_geometry(self) -> RoundedBox:
        """Rounded box that is equal to this shape."""
        return RoundedBox(np.array([0.0, 0.0, self.length / 2]), self.radius)

    def _mass_properties(self, density: ArrayLike) -> MassProperties:
        return inertia.capsule(self.radius, self.length, density)


def set_lengths(shape: Shape, *names: str) -> None:
    """Store lengths of a shape as floats after checking that they are positive numbers."""
    for name in names:
        length = arguments.positive_array(name, getattr(shape, name))
        if length.shape != ():
            raise InvalidArgument(name, f"shape {length.shape}", "one number")
        set_fields(shape, **{name: length.item()})
