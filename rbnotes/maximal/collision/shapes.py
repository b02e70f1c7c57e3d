"""Solids that can touch: boxes, spheres and capsules, all of them boxes with round edges, and half-spaces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument


@dataclass(frozen=True, eq=False)
class Rounded:
    """All points within ``radius`` of a box, the core, that is centred at its frame.

    The core of a capsule is a segment, that of a sphere a point: one description, and one algorithm for all
    pairs. Made by :func:`box`, :func:`sphere`, :func:`capsule`.
    """

    half_extents: Array
    """Of the core along x, y, z ``(3,)``, m; zeros make it flatter."""
    radius: float
    """Of the edges, m."""

    def __post_init__(self) -> None:
        half = arguments.scalar(
            "half_extents", arguments.vector("half_extents", self.half_extents), minimum=0
        )
        radius = arguments.scalar("radius", self.radius, minimum=0)
        if half.shape != (3,) or radius.shape != ():
            got = f"shapes {half.shape} and {radius.shape}"
            raise InvalidArgument("half_extents, radius", got, "shapes (3,) and ()")
        if radius == 0 and np.any(half == 0):
            raise InvalidArgument("radius", "0 around a core without volume", "a solid")
        object.__setattr__(self, "half_extents", half)
        object.__setattr__(self, "radius", radius.item())

    @property
    def bounding_radius(self) -> float:
        """Of the smallest sphere around the centre that holds the solid, m."""
        return float(np.linalg.norm(self.half_extents)) + self.radius


@dataclass(frozen=True)
class Plane:
    """The half-space below the xy plane of its frame; its surface pushes along z."""


Shape = Rounded | Plane


def box(sides: ArrayLike) -> Rounded:
    """Cuboid with ``sides (3,)`` along x, y, z [m]."""
    return Rounded(arguments.positive("sides", arguments.vector("sides", sides)) / 2, 0.0)


def sphere(radius: float) -> Rounded:
    """Sphere [m]."""
    return Rounded(np.zeros(3), arguments.positive("radius", radius).item())


def capsule(radius: float, length: float) -> Rounded:
    """Cylinder of ``length`` along z with a half-sphere on each end [m]."""
    half = arguments.positive("length", length).item() / 2
    return Rounded(np.array([0.0, 0.0, half]), arguments.positive("radius", radius).item())
