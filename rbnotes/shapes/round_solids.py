"""Cylinders and cones about the z axis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import inertia
from rbnotes.arguments import Array
from rbnotes.inertia import MassProperties
from rbnotes.shapes.shape import ConvexShape
from rbnotes.shapes.solids import set_lengths

NUM_RIM_POINTS = 8
"""Number of contact points on a rim that lies flat: the lowest one, and others at equal angles from it."""


@dataclass(frozen=True)
class Cylinder(ConvexShape):
    """Circular cylinder about the z axis.

    Attributes
    ----------
    radius
        Radius, m.
    length
        Length along z, m.

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
    def bounding_radius(self) -> float:
        """Radius of the smallest sphere around the center that contains the solid, m."""
        return float(np.hypot(self.radius, self.length / 2))

    def compute_support_point(self, direction: Array) -> Array:
        """Return a point ``(3,)`` that lies farthest in a direction, m."""
        x, y = self.radius * _unit_or_zero(direction[:2])
        return np.array([x, y, np.sign(direction[2]) * self.length / 2])

    def compute_support_polygon(self, direction: Array, tolerance: float) -> Array:
        """Return points of the base ``(8, 3)``, the ends of a side line ``(2, 3)``, or one point, m."""
        z = np.copysign(self.length / 2, direction[2])
        if np.linalg.norm(direction[:2]) <= tolerance:
            return rim(self.radius, z, direction)
        lowest = self.radius * _unit_or_zero(direction[:2])
        if abs(direction[2]) <= tolerance:
            return np.array([[*lowest, -self.length / 2], [*lowest, self.length / 2]])
        return np.array([[*lowest, z]])

    def compute_outline(self, direction: Array) -> Array:
        """Return points ``(16, 3)`` of both rims, the lowest ones among them, m."""
        ends = (-self.length / 2, self.length / 2)
        return np.concatenate([rim(self.radius, z, direction) for z in ends])

    def _mass_properties(self, density: ArrayLike) -> MassProperties:
        return inertia.cylinder(self.radius, self.length, density)


@dataclass(frozen=True)
class Cone(ConvexShape):
    """Circular cone about the z axis, with its center of mass at the origin.

    The base is at ``z = -length / 4`` and the apex at ``z = 3 length / 4``.

    Attributes
    ----------
    radius
        Radius of the base, m.
    length
        Distance of the apex from the base, m.

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
    def bounding_radius(self) -> float:
        """Radius of the smallest sphere around the center of mass that contains the solid, m."""
        return float(max(np.hypot(self.radius, self.length / 4), 3 * self.length / 4))

    @property
    def _apex(self) -> Array:
        return np.array([0.0, 0.0, 3 * self.length / 4])

    def _rim_point(self, direction: Array) -> Array:
        return np.array([*self.radius * _unit_or_zero(direction[:2]), -self.length / 4])

    def compute_support_point(self, direction: Array) -> Array:
        """Return a point ``(3,)`` that lies farthest in a direction, m."""
        rim_point = self._rim_point(direction)
        return self._apex if direction @ (self._apex - rim_point) > 0 else rim_point

    def compute_support_polygon(self, direction: Array, tolerance: float) -> Array:
        """Return points of the base ``(8, 3)``, the ends of a side line ``(2, 3)``, or one point, m."""
        if direction[2] < 0 and np.linalg.norm(direction[:2]) <= tolerance:
            return rim(self.radius, -self.length / 4, direction)
        rim_point = self._rim_point(direction)
        side = self._apex - rim_point
        if abs(direction @ side) <= tolerance * np.linalg.norm(side):
            return np.array([rim_point, self._apex])
        return self.compute_support_point(direction)[None]

    def compute_outline(self, direction: Array) -> Array:
        """Return points ``(9, 3)``: the apex, and points of the rim with the lowest one, m."""
        return np.vstack([self._apex, rim(self.radius, -self.length / 4, direction)])

    def _mass_properties(self, density: ArrayLike) -> MassProperties:
        return inertia.cone(self.radius, self.length, density)


def rim(radius: float, z: float, direction: Array) -> Array:
    """Return points ``(8, 3)`` of a circle about the z axis; the first lies farthest in a direction."""
    start = np.arctan2(direction[1], direction[0])
    angles = start + 2 * np.pi * np.arange(NUM_RIM_POINTS) / NUM_RIM_POINTS
    return np.stack([radius * np.cos(angles), radius * np.sin(angles), np.full(NUM_RIM_POINTS, z)], axis=1)


def _unit_or_zero(vector: Array) -> Array:
    size = np.linalg.norm(vector)
    return vector / size if size > 0 else np.zeros_like(vector)
