"""Height fields."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rbnotes import arguments
from rbnotes.arguments import Array, ArrayField, IntArray, InvalidArgument
from rbnotes.shapes.shape import Ground
from rbnotes.unchecked.frozen import set_fields


@dataclass(frozen=True, eq=False)
class HeightField(Ground):
    """Ground below a surface of triangles over a grid, centered at its frame. It has no mass properties.

    The diagonal of each cell runs from its corner at the least x and y to the opposite one.

    Attributes
    ----------
    heights
        Heights z of the grid's points ``(n, m)``, along x and then along y, m.
    sides
        Lengths of the grid along x and y ``(2,)``, m.

    Raises
    ------
    InvalidArgument
        If ``sides`` are not positive, or there are fewer than two points along x or y.
    """

    heights: ArrayField
    sides: ArrayField

    def __post_init__(self) -> None:
        heights = arguments.array("heights", self.heights)
        if heights.ndim != 2 or min(heights.shape) < 2:
            raise InvalidArgument("heights", f"shape {heights.shape}", "shape (n, m) with at least (2, 2)")
        sides = arguments.positive_array("sides", self.sides, 2)
        if sides.shape != (2,):
            raise InvalidArgument("sides", f"shape {sides.shape}", "shape (2,)")
        set_fields(self, heights=heights, sides=sides)

    @property
    def cell_sides(self) -> Array:
        """Lengths of a cell along x and y ``(2,)``, m."""
        cell_sides: Array = self.sides / (np.array(self.heights.shape) - 1)
        return cell_sides

    @cached_property
    def vertices(self) -> Array:
        """Points of the surface ``(n, m, 3)``, m."""
        n, m = self.heights.shape
        x, y = (
            np.linspace(-side / 2, side / 2, count) for side, count in zip(self.sides, (n, m), strict=True)
        )
        return np.stack([*np.meshgrid(x, y, indexing="ij"), self.heights], axis=-1)

    @cached_property
    def corners(self) -> Array:
        """Corners of both triangles of each cell ``(n - 1, m - 1, 2, 3, 3)``, counter-clockwise, m."""
        v = self.vertices
        first, second, third, fourth = v[:-1, :-1], v[1:, :-1], v[1:, 1:], v[:-1, 1:]
        below, above = (np.stack(each, axis=2) for each in ((first, second, third), (first, third, fourth)))
        return np.stack([below, above], axis=2)

    @cached_property
    def normals(self) -> Array:
        """Upward unit normals of both triangles of each cell ``(n - 1, m - 1, 2, 3)``."""
        a, b, c = np.moveaxis(self.corners, -2, 0)
        normals = np.cross(b - a, c - a)
        result: Array = normals / np.linalg.norm(normals, axis=-1, keepdims=True)
        return result

    @property
    def triangles(self) -> IntArray:
        """Indices of the corners of all triangles in the flattened vertices ``(t, 3)``."""
        index = np.arange(self.heights.size).reshape(self.heights.shape)
        first, second, third, fourth = index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]
        below, above = (np.stack(each, axis=-1) for each in ((first, second, third), (first, third, fourth)))
        return np.stack([below, above], axis=2).reshape(-1, 3)
