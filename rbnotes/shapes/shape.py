"""Base classes of shapes, rounded boxes and planes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from itertools import product
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments, inertia
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.inertia import MassProperties
from rbnotes.unchecked.frozen import set_fields

BOX_CORNERS = np.array(list(product((-1.0, 1.0), repeat=3)))
"""Corners of a cube."""
FACE_CORNERS = (
    np.zeros((1, 0)),
    np.array([[-1.0], [1.0]]),
    np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]),
)
"""Corners of a point, an edge and a face, in order."""


def corner_signs(half_extents: Array) -> Array:
    """Return the signs of a box's corners along x, y, z ``(k, 3)``: 1 or -1, always 1 if the box is flat."""
    signs: Array = BOX_CORNERS[np.all((half_extents > 0) | (BOX_CORNERS > 0), axis=1)]
    return signs


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
            If the shape has none.
        """
        raise InvalidArgument("shape", type(self).__name__, "a shape with collision geometry")

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


class ConvexShape(Shape):
    """Convex solid that is described by its support points.

    It consists of all points within the distance ``rounding`` of a convex core. Its own methods take unit
    vectors and do not check them.
    """

    @property
    def rounding(self) -> float:
        """Largest distance of points from the core, m; zero for solids with sharp edges."""
        return 0.0

    @property
    def collision_geometry(self) -> Self:
        """The solid itself."""
        return self

    @property
    @abstractmethod
    def bounding_radius(self) -> float:
        """Radius of a sphere around the origin of the frame that contains the solid, m."""

    @abstractmethod
    def compute_support_point(self, direction: Array) -> Array:
        """Return a point ``(3,)`` of the core that lies farthest in a direction, m."""

    @abstractmethod
    def compute_support_polygon(self, direction: Array, tolerance: float) -> Array:
        """Return the corners of the face, the ends of the edge, or the point that faces a direction, m.

        Parameters
        ----------
        direction
            Unit vector ``(3,)``.
        tolerance
            Sine of the angle up to which a face or edge counts as perpendicular to the direction.

        Returns
        -------
        Array
            Points ``(k, 3)`` in order around the face.
        """

    @abstractmethod
    def compute_outline(self, direction: Array) -> Array:
        """Return the points ``(k, 3)`` of the core that may touch a plane beyond it, m.

        Parameters
        ----------
        direction
            Unit vector ``(3,)`` towards the plane.
        """


@dataclass(frozen=True, eq=False)
class RoundedBox(ConvexShape):
    """Set of all points within ``radius`` of a box, the core, that is centered at its frame.

    The core of a capsule is a segment and that of a sphere a point, so that one algorithm handles all pairs.

    Attributes
    ----------
    half_extents
        Half extents of the core along x, y, z ``(3,)``, m; zeros make it flat.
    radius
        Radius of the edges, m.

    Raises
    ------
    InvalidArgument
        If ``half_extents`` or ``radius`` is negative.
    """

    half_extents: Array
    radius: float

    def __post_init__(self) -> None:
        half = arguments.vector("half_extents", self.half_extents)
        half = arguments.require_within("half_extents", half, 0.0, np.inf)
        radius = arguments.real_array("radius", self.radius, minimum=0)
        if half.shape != (3,) or radius.shape != ():
            got = f"shapes {half.shape} and {radius.shape}"
            raise InvalidArgument("half_extents, radius", got, "shapes (3,) and ()")
        if radius == 0 and np.any(half == 0):
            raise InvalidArgument("radius", "0 around a core without volume", "a solid")
        set_fields(self, half_extents=half, radius=radius.item())

    @property
    def bounding_radius(self) -> float:
        """Radius of the smallest sphere around the center that contains the solid, m."""
        return float(np.linalg.norm(self.half_extents)) + self.radius

    @property
    def rounding(self) -> float:
        """Radius of the edges, m."""
        return self.radius

    def compute_support_point(self, direction: Array) -> Array:
        """Return a corner ``(3,)`` of the core that lies farthest in a direction, m."""
        return np.copysign(self.half_extents, direction)

    def compute_support_polygon(self, direction: Array, tolerance: float) -> Array:
        """Return the corners ``(k, 3)`` of the face, edge or corner that faces a direction, m."""
        extends = (np.abs(direction) <= tolerance) & (self.half_extents > 0)
        center = np.where(extends, 0.0, self.compute_support_point(direction))
        axes = np.eye(3)[extends] * self.half_extents[extends, None]
        return center + FACE_CORNERS[len(axes)] @ axes

    def compute_outline(self, direction: Array) -> Array:
        """Return the corners ``(k, 3)`` of the core, m."""
        return self.half_extents * corner_signs(self.half_extents)

    def _mass_properties(self, density: ArrayLike) -> MassProperties:
        return inertia.rounded_box(self.half_extents, self.radius, density)


class Ground(Shape):
    """Shape that is fixed to the world and has no mass."""

    @property
    def collision_geometry(self) -> Self:
        """The shape itself."""
        return self

    def _mass_properties(self, density: ArrayLike) -> MassProperties:
        raise InvalidArgument("shape", f"a {type(self).__name__}, which has no mass", "a solid")


@dataclass(frozen=True)
class Plane(Ground):
    """Half-space below the xy plane of its frame; its surface pushes along z. It has no mass properties."""


CollisionGeometry = ConvexShape | Ground
"""Geometry for which contacts are computed."""
