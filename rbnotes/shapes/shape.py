"""Base class of shapes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from rbnotes import inertia
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.inertia import MassProperties

if TYPE_CHECKING:
    from rbnotes.shapes import CollisionGeometry


class Shape(ABC):
    """Shape of uniform density."""

    @abstractmethod
    def _mass_properties(self, density: ArrayLike) -> MassProperties: ...

    @property
    def collision_geometry(self) -> CollisionGeometry:
        """Geometry for which contacts are computed.

        Raises
        ------
        InvalidArgument
            If the shape has none, such as a cylinder.
        """
        expected = "a Box, Sphere, Capsule, RoundedBox or Plane, which have collision geometry"
        raise InvalidArgument("shape", type(self).__name__, expected)

    def mass_properties(
        self, *, density: ArrayLike | None = None, mass: ArrayLike | None = None
    ) -> MassProperties:
        """Return mass, inertia about the center, and center of the shape, from its density or its mass.

        Parameters
        ----------
        density : (...), optional
            Density, kg/m^3.
        mass : (...), optional
            Mass, kg.

        Raises
        ------
        InvalidArgument
            If both or none of ``density`` and ``mass`` are given, or the shape is a plane, which has no mass.
        """
        if (density is None) == (mass is None):
            got = "neither" if mass is None else "both"
            raise InvalidArgument("density, mass", got, "one of the two")
        if mass is None:
            return self._mass_properties(1.0 if density is None else density)
        return inertia.with_mass(self._mass_properties(1.0), mass)

    def spatial_inertia(self, *, density: ArrayLike | None = None, mass: ArrayLike | None = None) -> Array:
        """Return the spatial inertia ``(..., 6, 6)`` at the shape's frame; see :meth:`mass_properties`.

        Raises
        ------
        InvalidArgument
            If ``density`` or ``mass`` is not positive, or the shape is a plane, which has no mass.
        """
        return inertia.spatial_inertia(*self.mass_properties(density=density, mass=mass))
