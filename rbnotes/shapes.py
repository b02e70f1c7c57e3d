"""Solid shapes, each said once: what a body weighs, where it touches and how it looks follow from it.

>>> from rbnotes.shapes import Box
>>> brick = Box([0.2, 0.1, 0.05])
>>> brick.spatial_inertia(density=2000.0)[5, 5].round(9).item()
2.0

A solid is centred at its frame and lies along its axes, and :func:`rbnotes.viewer.solid` draws it.

A :class:`rbnotes.contact.Collider` takes a box, a sphere or a capsule as its shape: all three are boxes with
round edges, or what is left of one, and one algorithm finds their distances and all the corners on which a
face stands, exactly. A cylinder collides with nothing, for it stands on a round rim, which no finite number
of points is: on those of a prism it would tip and roll otherwise than it does. Where that will do, take a
:class:`Capsule` or a :class:`rbnotes.contact.RoundedBox`. Ellipsoids and meshes are mass properties only
(:mod:`rbnotes.inertia`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from numpy.typing import ArrayLike

from rbnotes import arguments, inertia
from rbnotes.arguments import Array, ArrayField, InvalidArgument
from rbnotes.inertia import MassProperties


class Solid(ABC):
    """A shape of uniform density. Solids of the same kind and size are equal."""

    @abstractmethod
    def _mass_properties(self, density: ArrayLike) -> MassProperties: ...

    def mass_properties(
        self, *, density: ArrayLike | None = None, mass: ArrayLike | None = None
    ) -> MassProperties:
        """Mass, inertia about the centre and centre of the solid, from its density or its mass.

        Parameters
        ----------
        density : (...), optional
            kg/m^3.
        mass : (...), optional
            kg.

        Raises
        ------
        InvalidArgument
            Unless exactly one of the two is given.
        """
        if (density is None) == (mass is None):
            got = "neither" if mass is None else "both"
            raise InvalidArgument("density, mass", got, "one of the two")
        if mass is None:
            return self._mass_properties(1.0 if density is None else density)
        return inertia.with_mass(self._mass_properties(1.0), mass)

    def spatial_inertia(self, *, density: ArrayLike | None = None, mass: ArrayLike | None = None) -> Array:
        """Spatial inertia ``(..., 6, 6)`` at the solid's frame; see :meth:`mass_properties`.

        Raises InvalidArgument if ``density`` or ``mass`` is not positive.
        """
        return inertia.spatial_inertia(*self.mass_properties(density=density, mass=mass))


@dataclass(frozen=True)
class Box(Solid):
    """Cuboid.

    Raises InvalidArgument if ``sides`` are not positive.
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

    Raises InvalidArgument if ``radius`` is not positive.
    """

    radius: float
    """m."""

    def __post_init__(self) -> None:
        _set_lengths(self, "radius")

    def _mass_properties(self, density: ArrayLike) -> MassProperties:
        return inertia.sphere(self.radius, density)


@dataclass(frozen=True)
class Cylinder(Solid):
    """Circular cylinder, its axis along z; it weighs and is drawn, but collides with nothing.

    Raises InvalidArgument if ``radius`` or ``length`` is not positive.
    """

    radius: float
    """m."""
    length: float
    """Along z, m."""

    def __post_init__(self) -> None:
        _set_lengths(self, "radius", "length")

    def _mass_properties(self, density: ArrayLike) -> MassProperties:
        return inertia.cylinder(self.radius, self.length, density)


@dataclass(frozen=True)
class Capsule(Solid):
    """Cylinder along z with a half ball on each end.

    Raises InvalidArgument if ``radius`` or ``length`` is not positive.
    """

    radius: float
    """m."""
    length: float
    """Of the cylinder, without the half balls, m."""

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
