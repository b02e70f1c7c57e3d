"""Ellipsoids."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments, inertia
from rbnotes.arguments import Array, ArrayField, InvalidArgument
from rbnotes.inertia import MassProperties
from rbnotes.shapes.shape import ConvexShape
from rbnotes.unchecked.frozen import set_fields


@dataclass(frozen=True)
class Ellipsoid(ConvexShape):
    """Ellipsoid with its axes along x, y and z.

    Attributes
    ----------
    semi_axes
        Semi-axes along x, y, z ``(3,)``, m; kept as a tuple.

    Raises
    ------
    InvalidArgument
        If ``semi_axes`` are not positive.
    """

    semi_axes: ArrayField

    def __post_init__(self) -> None:
        semi_axes = arguments.positive_array("semi_axes", self.semi_axes, 3)
        if semi_axes.shape != (3,):
            raise InvalidArgument("semi_axes", f"shape {semi_axes.shape}", "shape (3,)")
        set_fields(self, semi_axes=tuple(semi_axes.tolist()))

    @property
    def bounding_radius(self) -> float:
        """Radius of the smallest sphere around the center that contains the solid, m."""
        return float(max(self.semi_axes))

    def compute_support_point(self, direction: Array) -> Array:
        """Return the point ``(3,)`` that lies farthest in a direction, m."""
        semi_axes = np.array(self.semi_axes)
        scaled = semi_axes * direction
        point: Array = semi_axes * (scaled / np.linalg.norm(scaled))
        return point

    def compute_support_polygon(self, direction: Array, tolerance: float) -> Array:
        """Return the point ``(1, 3)`` that lies farthest in a direction, m."""
        return self.compute_support_point(direction)[None]

    def compute_outline(self, direction: Array) -> Array:
        """Return the point ``(1, 3)`` that lies farthest in a direction, m."""
        return self.compute_support_point(direction)[None]

    def _mass_properties(self, density: ArrayLike) -> MassProperties:
        return inertia.ellipsoid(self.semi_axes, density)
