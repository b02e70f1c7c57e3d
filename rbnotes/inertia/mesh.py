"""Mass properties of the solid inside a closed triangle mesh, by exact integration (Sueda 1.7)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbnotes import arguments
from rbnotes.arguments import InvalidArgument
from rbnotes.inertia.spatial import MassProperties, mass_properties


def triangle_mesh(vertices: ArrayLike, triangles: ArrayLike, density: ArrayLike = 1.0) -> MassProperties:
    """Return the mass properties of a solid with uniform density, in the frame of its vertices.

    The moments are sums over signed tetrahedra between the triangles and one point. The solid may have
    several parts and cavities. Self-intersection is not detected.

    Parameters
    ----------
    vertices : (n, 3)
        Vertices, m.
    triangles : (m, 3) of int
        Corners of each triangle, counter-clockwise seen from outside (from inside the cavity for its wall).
    density : (...)
        Density, kg/m^3.

    Raises
    ------
    InvalidArgument
        If an index is out of range, the surface is not closed, the triangles are clockwise seen from outside,
        or the volume is below the rounding error of the vertices.
    """
    points = arguments.array("vertices", vertices, None, 3)
    if points.ndim != 2:
        raise InvalidArgument("vertices", f"shape {points.shape}", "shape (n, 3)")
    corners = points[_check_triangles(triangles, len(points))]
    # Integration about the center of the mesh, not a distant origin, keeps the digits.
    middle = np.mean(corners, axis=(0, 1))
    centered_corners = corners - middle

    a, b, c = np.moveaxis(centered_corners, 1, 0)
    normals = np.cross(b - a, c - a)
    volumes = np.sum(a * normals, axis=-1) / 6
    volume = np.sum(volumes)
    rounding = np.finfo(float).eps * np.max(np.abs(corners)) * np.sum(np.abs(normals))
    if volume <= rounding:
        got = f"a solid of volume {volume:.3g}, to within {rounding:.3g}"
        raise InvalidArgument("triangles", got, "a volume, and triangles counter-clockwise from outside")
    sums = np.sum(centered_corners, axis=1)
    mean = volumes @ sums / 4 / volume
    second_moments = np.einsum("t,tai,taj->ij", volumes, centered_corners, centered_corners)
    second_moments = (second_moments + np.einsum("t,ti,tj->ij", volumes, sums, sums)) / 20
    second_moments -= volume * np.outer(mean, mean)
    inertia = np.trace(second_moments) * np.eye(3) - second_moments
    density = arguments.positive_array("density", density)
    mass = arguments.positive_array("density times volume", density * volume)
    return mass_properties(mass, density[..., None, None] * inertia, middle + mean)


def _check_triangles(value: ArrayLike, count: int) -> NDArray[np.integer[Any]]:
    """Return the indices of the triangles; raise an error unless the surface is closed and oriented."""
    arguments.array("triangles", value, None, 3)
    triangles = np.asarray(value)
    if triangles.ndim != 2 or not np.issubdtype(triangles.dtype, np.integer) or not triangles.size:
        raise InvalidArgument(
            "triangles", f"{triangles.dtype} of shape {triangles.shape}", "integers of shape (m, 3)"
        )
    if triangles.min() < 0 or triangles.max() >= count:
        got = f"indices from {triangles.min()} to {triangles.max()}"
        raise InvalidArgument("triangles", got, f"indices of {count} vertices")
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    forward, counts = np.unique(edges, axis=0, return_counts=True)
    backward = np.unique(edges[:, ::-1], axis=0)
    if np.any(counts > 1) or np.any(forward != backward):
        raise InvalidArgument(
            "triangles",
            "edges that do not occur exactly once in each direction",
            "a closed, oriented surface",
        )
    return triangles
