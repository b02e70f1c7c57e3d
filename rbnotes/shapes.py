"""Solid shapes, which determine the mass properties, the collision geometry and the appearance of a body.

>>> from rbnotes.shapes import Box
>>> brick = Box([0.2, 0.1, 0.05])
>>> brick.spatial_inertia(density=2000.0)[5, 5].round(9).item()
2.0

A solid is centered at its frame and aligned with its axes; :func:`rbnotes.viewer.solid` draws it.

The shape of a :class:`rbnotes.contact.Collider` is a box, a sphere or a capsule. All three are rounded boxes,
for which one algorithm finds the exact distances and contact points. A cylinder has no collision geometry,
since no finite number of points represents its round rim: a prism tips and rolls differently. Use a
:class:`Capsule` or a :class:`rbnotes.contact.RoundedBox` instead if that suffices. Ellipsoids and meshes have
mass properties only (:mod:`rbnotes.inertia`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from numpy.typing import ArrayLike

from rbnotes import arguments, inertia
from rbnotes.arguments import Array, ArrayField, InvalidArgument
from rbnotes.inertia import MassProperties


class Solid(ABC):
    """Shape of uniform density. Solids of the same kind and size are equal."""

    @abstractmethod
    def _mass_properties(self, density: ArrayLike) -> MassProperties: ...

    def mass_properties(
        self, *, density: ArrayLike | None = None, mass: ArrayLike | None = None
    ) -> MassProperties:
        """Return mass, inertia about the center, and center of the solid, from its density or its mass.

        Parameters
        ----------
        density : (...), optional
            Density, kg/m^3.
        mass : (...), optional
            Mass, kg.

        Raises
        ------
        InvalidArgument
            If both or none of ``density`` and ``mass`` are given.
        """
        if (density is None) == (mass is None):
            got = "neither" if mass is None else "both"
            raise InvalidArgument("density, mass", got, "one of the two")
        if mass is None:
            return self._mass_properties(1.0 if density is None else density)
        return inertia.with_mass(self._mass_properties(1.0), mass)

    def spatial_inertia(self, *, density: ArrayLike | None = None, mass: ArrayLike | None = None) -> Array:
        """Return the spatial inertia ``(..., 6, 6)`` at the solid's frame; see :meth:`mass_properties`.

        Raises
        ------
        InvalidArgument
            If ``density`` or ``mass`` is not positive.
        """
        return inertia.spatial_inertia(*self.mass_properties(density=density, mass=mass))


@dataclass(frozen=True)
class Box(Solid):
    """Cuboid.

    Raises
    ------
    InvalidArgument
        If ``sides`` are not positive.
    """

    sides: ArrayField
    """Lengths along x, y, z ``(3,)``, m; kept as a tuple."""

    def __post_init__(self) -> None:
        sides = arguments.positive_array("sides", self.sides, 3)
        if sides.shape != (3,):
            raise InvalidArgument("sides", f"shape {sides.shape}", "shape (3,)")
        object.__setattr__(self, "sides", tuple(sides.tolist()))

    def _mass_properties(self, density: ArrayLike) -> MassProperties:
        return inertia.cuboid(self.sides, density)


@dataclass(frozen=True)
class Sphere(Solid):
    """Ball.

    Raises
    ------
    InvalidArgument
        If ``radius`` is not positive.
    """

    radius: float
    """Radius, m."""

    def __post_init__(self) -> None:
        _set_lengths(self, "radius")

    def _mass_properties(self, density: ArrayLike) -> MassProperties:
        return inertia.sphere(self.radius, density)


@dataclass(frozen=True)
class Cylinder(Solid):
    """Circular cylinder about the z axis, without collision geometry.

    Raises
    ------
    InvalidArgument
        If ``radius`` or ``length`` is not positive.
    """

    radius: float
    """Radius, m."""
    length: float
    """Length along z, m."""

    def __post_init__(self) -> None:
        _set_lengths(self, "radius", "length")

    def _mass_properties(self, density: ArrayLike) -> MassProperties:
        return inertia.cylinder(self.radius, self.length, density)


@dataclass(frozen=True)
class Capsule(Solid):
    """Cylinder along z with a half ball on each end.

    Raises
    ------
    InvalidArgument
        If ``radius`` or ``length`` is not positive.
    """

    radius: float
    """Radius, m."""
    length: float
    """Length of the cylinder, without the half balls, m."""

    def __post_init__(self) -> None:
        _set_lengths(self, "radius", "length")

    def _mass_properties(self, density: ArrayLike) -> MassProperties:
        return inertia.capsule(self.radius, self.length, density)


def _set_lengths(solid: Solid, *names: str) -> None:
    for name in names:
        length = arguments.positive_array(name, getattr(solid, name))
        if length.shape != ():
            raise InvalidArgument(name, f"shape {length.shape}", "one number")
        object.__setattr__(solid, name, length.item())
