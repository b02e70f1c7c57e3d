"""Half-space, which has no mass."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from rbnotes.arguments import InvalidArgument
from rbnotes.inertia import MassProperties
from rbnotes.shapes.shape import Shape


@dataclass(frozen=True)
class Plane(Shape):
    """Half-space below the xy plane of its frame; its surface pushes along z. It has no mass properties."""

    @property
    def collision_geometry(self) -> Plane:
        """The plane itself."""
        return self

    def _mass_properties(self, density: ArrayLike) -> MassProperties:
        raise InvalidArgument("shape", "a Plane, which has no mass", "a solid")
