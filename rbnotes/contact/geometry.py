"""Collision geometry: boxes, spheres and capsules as rounded boxes; and half-spaces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.shapes import Box, Capsule, Solid, Sphere


@dataclass(frozen=True, eq=False)
class RoundedBox:
    """Set of all points within ``radius`` of a box, the core, that is centered at its frame.

    The core of a capsule is a segment and that of a sphere a point, so that one algorithm handles all pairs.
    :func:`collision_geometry` converts a solid.

    Raises
    ------
    InvalidArgument
        If ``half_extents`` or ``radius`` is negative.
    """

    half_extents: Array
    """Half extents of the core along x, y, z ``(3,)``, m; zeros make it flat."""
    radius: float
    """Radius of the edges, m."""

    def __post_init__(self) -> None:
        half = arguments.vector("half_extents", self.half_extents)
        half = arguments.require_within("half_extents", half, 0.0, np.inf)
        radius = arguments.real_array("radius", self.radius, minimum=0)
        if half.shape != (3,) or radius.shape != ():
            got = f"shapes {half.shape} and {radius.shape}"
            raise InvalidArgument("half_extents, radius", got, "shapes (3,) and ()")
        if radius == 0 and np.any(half == 0):
            raise InvalidArgument("radius", "0 around a core without volume", "a solid")
        object.__setattr__(self, "half_extents", half)
        object.__setattr__(self, "radius", radius.item())

    @property
    def bounding_radius(self) -> float:
        """Radius of the smallest sphere around the center that contains the solid, m."""
        return float(np.linalg.norm(self.half_extents)) + self.radius


@dataclass(frozen=True)
class Plane:
    """Half-space below the xy plane of its frame; its surface pushes along z."""


Shape = Solid | RoundedBox | Plane
"""Shapes that can collide."""

CollisionGeometry = RoundedBox | Plane
"""Geometry for which contacts are computed."""


def collision_geometry(shape: Shape) -> CollisionGeometry:
    """Return the rounded box equivalent to a solid; rounded boxes and planes are returned unchanged.

    Raises
    ------
    InvalidArgument
        If the solid has no collision geometry, such as a cylinder.
    """
    match shape:
        case RoundedBox() | Plane():
            return shape
        case Box():
            return RoundedBox(np.array(shape.sides) / 2, 0.0)
        case Sphere():
            return RoundedBox(np.zeros(3), shape.radius)
        case Capsule():
            return RoundedBox(np.array([0.0, 0.0, shape.length / 2]), shape.radius)
    raise InvalidArgument("shape", type(shape).__name__, "a Box, Sphere, Capsule, RoundedBox or Plane")
