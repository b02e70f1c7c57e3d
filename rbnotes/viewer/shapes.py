"""Shapes of scenes. Each is drawn in its own frame, whose pose is given to :meth:`Scene.add`.

Shapes that a mechanism deforms (arrow, line, spring) may change over time: their arrays then have a leading
time axis.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments, shapes
from rbnotes.arguments import Array, InvalidArgument

COLORS = {
    "blue": "#3d85d8",
    "orange": "#e08214",
    "green": "#3aa655",
    "red": "#dc4c46",
    "purple": "#9673c4",
    "teal": "#26a3a3",
    "brown": "#a87850",
    "gray": "#8b939c",
}
"""Mid-tones that are visible on white and on dark pages."""
ARROW_SHARE = 0.25
"""Length of the longest arrow of a unit, as a share of the size of its scene."""
NUM_CONE_FACES = 32
"""Number of triangles that draw the side of a cone."""
NUM_MERIDIANS = 24
"""Number of meridians that draw an ellipsoid; the parallels are half as many."""


@dataclass(frozen=True, eq=False)
class Drawable:
    """Shape to draw: constant numbers, and arrays that may have a leading time axis.

    Attributes
    ----------
    kind
        Kind of the shape: ``box``, ``arrow``, ``spring`` and so on.
    color
        Name of one of :data:`COLORS`.
    parameters
        Constant numbers by name: lengths, m; widths, pixels; numbers of turns.
    arrays
        Arrays by name: sides ``(3,)``, points ``(n, 3)`` and the like, m, and indices of corners; varying
        arrays have a leading axis T.
    samples
        Length of the time axis; None for a constant shape.
    unit
        Unit of an arrow. The scene chooses the lengths of arrows in other units than m.
    """

    kind: str
    color: str
    parameters: Mapping[str, float] = field(default_factory=dict)
    arrays: Mapping[str, Array] = field(default_factory=dict)
    samples: int | None = None
    unit: str = "m"

    def __post_init__(self) -> None:
        arguments.choice("color", self.color, tuple(COLORS))


def solid(shape: shapes.Shape, color: str = "blue") -> Drawable:
    """Return the drawing of a :class:`rbnotes.shapes.Shape`; a plane is drawn as the ground, in its color.

    Raises
    ------
    InvalidArgument
        If ``color`` is not a color of the viewer.
    """
    arguments.require_instance("shape", shape, shapes.Shape)
    match shape:
        case shapes.Box():
            return box(shape.sides, color)
        case shapes.Sphere():
            return sphere(shape.radius, color)
        case shapes.Cylinder():
            return cylinder(shape.radius, shape.length, color)
        case shapes.Capsule():
            return capsule(shape.radius, shape.length, color)
        case shapes.Cone():
            return _cone(shape, color)
        case shapes.Ellipsoid():
            return _ellipsoid(shape, color)
        case shapes.ConvexMesh():
            return mesh(shape.vertices, shape.triangles, color)
        case shapes.RoundedBox():
            return box(2 * (shape.half_extents + shape.radius), color)
        case shapes.HeightField():
            return mesh(shape.vertices.reshape(-1, 3), shape.triangles, color)
        case shapes.Plane():
            return ground()
    raise InvalidArgument("shape", type(shape).__name__, "a shape of rbnotes.shapes")


def _cone(shape: shapes.Cone, color: str) -> Drawable:
    angles = 2 * np.pi * np.arange(NUM_CONE_FACES) / NUM_CONE_FACES
    base = -shape.length / 4
    rim = np.stack([shape.radius * np.cos(angles), shape.radius * np.sin(angles), 0 * angles + base], axis=1)
    vertices = np.vstack([rim, [0.0, 0.0, base], [0.0, 0.0, 3 * shape.length / 4]])
    first, second = np.arange(NUM_CONE_FACES), (np.arange(NUM_CONE_FACES) + 1) % NUM_CONE_FACES
    center, apex = np.full(NUM_CONE_FACES, NUM_CONE_FACES), np.full(NUM_CONE_FACES, NUM_CONE_FACES + 1)
    sides, bottom = np.stack([first, second, apex], axis=1), np.stack([second, first, center], axis=1)
    return mesh(vertices, np.vstack([sides, bottom]), color)


def _ellipsoid(shape: shapes.Ellipsoid, color: str) -> Drawable:
    polar = np.linspace(0, np.pi, NUM_MERIDIANS // 2 + 1)[1:-1]
    azimuth = 2 * np.pi * np.arange(NUM_MERIDIANS) / NUM_MERIDIANS
    theta, phi = np.meshgrid(polar, azimuth, indexing="ij")
    ring = np.stack([np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)], axis=-1)
    hull = shapes.ConvexMesh(np.vstack([ring.reshape(-1, 3), [[0, 0, 1], [0, 0, -1]]]))
    return mesh(hull.vertices * shape.semi_axes, hull.triangles, color)


def box(sides: ArrayLike, color: str = "blue") -> Drawable:
    """Return a box centered at its frame, with ``sides`` (3,) along x, y, z [m].

    Raises
    ------
    InvalidArgument
        If ``sides`` are not positive or ``color`` is not a color of the viewer.
    """
    return Drawable("box", color, arrays={"sides": arguments.positive_array("sides", sides, 3)})


def sphere(radius: float, color: str = "blue") -> Drawable:
    """Return a sphere centered at its frame; ``radius`` in m.

    Raises
    ------
    InvalidArgument
        If ``radius`` is not positive or ``color`` is not a color of the viewer.
    """
    return Drawable("sphere", color, {"radius": arguments.positive_number("radius", radius)})


def cylinder(radius: float, length: float, color: str = "blue") -> Drawable:
    """Return a cylinder about the z axis centered at its frame; ``radius`` and ``length`` in m.

    Raises
    ------
    InvalidArgument
        If ``radius`` or ``length`` is not positive or ``color`` is not a color of the viewer.
    """
    return Drawable(
        "cylinder",
        color,
        {
            "radius": arguments.positive_number("radius", radius),
            "length": arguments.positive_number("length", length),
        },
    )


def capsule(radius: float, length: float, color: str = "blue") -> Drawable:
    """Return a capsule centered at its frame: a cylinder of ``length`` along z between half balls, m.

    Raises
    ------
    InvalidArgument
        If ``radius`` or ``length`` is not positive or ``color`` is not a color of the viewer.
    """
    return Drawable(
        "capsule",
        color,
        {
            "radius": arguments.positive_number("radius", radius),
            "length": arguments.positive_number("length", length),
        },
    )


def frame_axes(length: float = 1.0) -> Drawable:
    """Return the axes of a frame, x red, y green, z blue; ``length`` in m.

    Raises
    ------
    InvalidArgument
        If ``length`` is not positive.
    """
    return Drawable("axes", "gray", {"length": arguments.positive_number("length", length)})


def ground(size: float = 10.0) -> Drawable:
    """Return a square grid in the xy plane of its frame; ``size`` in m.

    Raises
    ------
    InvalidArgument
        If ``size`` is not positive.
    """
    return Drawable("ground", "gray", {"size": arguments.positive_number("size", size)})


def arrow(vector: ArrayLike, color: str = "red", *, unit: str = "m") -> Drawable:
    """Return an arrow from the origin along a vector.

    Parameters
    ----------
    vector : (3,) or (T, 3)
        Vector in the frame of the arrow, m or in the unit of ``unit``; ``(T, 3)`` if it varies.
    color
        Name of a color of the viewer.
    unit
        Unit of the vector, such as ``"N"``. Vectors in m are drawn at their lengths; those of another unit at
        one scale, which the scene chooses by :func:`arrow_scale` and whose longest arrow it names.

    Raises
    ------
    InvalidArgument
        If ``color`` is not a color of the viewer or the shape of ``vector`` does not fit.
    """
    checked = arguments.vector("vector", vector)
    shape = _shape_over_time("arrow", color, "vector", checked, 1)
    return replace(shape, unit=arguments.text("unit", unit))


def arrow_scale(magnitudes: ArrayLike, size: float) -> float:
    """Return the length of an arrow for one unit of its vector, m.

    The longest arrow is a quarter as long as the scene, so that forces of 1 mN and of 1 kN look alike.

    Parameters
    ----------
    magnitudes : (n,)
        Magnitudes of all vectors of one unit, at all times, in any unit.
    size
        Size of the scene without its arrows, m.

    Raises
    ------
    InvalidArgument
        If ``magnitudes`` are not finite or ``size`` is not positive.
    """
    largest = np.max(np.abs(arguments.single_vector("magnitudes", magnitudes, None)), initial=0.0)
    share = ARROW_SHARE * arguments.positive_number("size", size)
    return float(share / largest) if largest > 0 else 1.0


def line(points: ArrayLike, color: str = "gray", width: float = 2.0) -> Drawable:
    """Return a polyline through ``points``, ``(n, 3)`` or ``(T, n, 3)``, m; ``width`` in pixels.

    Raises
    ------
    InvalidArgument
        If ``color`` is not a color of the viewer, ``width`` is not positive, or the shape of ``points`` does
        not fit.
    """
    checked = arguments.array("points", points, None, 3)
    if checked.shape[-2] < 2:
        raise InvalidArgument("points", f"{checked.shape[-2]} point", "at least 2 points")
    return _shape_over_time(
        "line", color, "points", checked, 2, width=arguments.positive_number("width", width)
    )


def spring(
    ends: ArrayLike, color: str = "gray", radius: float = 0.05, coils: int = 10, width: float = 2.0
) -> Drawable:
    """Return a coil between ``ends``, ``(2, 3)`` or ``(T, 2, 3)``, m; ``width`` in pixels.

    Raises
    ------
    InvalidArgument
        If ``color`` is not a color of the viewer, ``radius`` or ``width`` is not positive, ``coils`` is below
        1, or the shape of ``ends`` does not fit.
    """
    return _shape_over_time(
        "spring",
        color,
        "ends",
        arguments.array("ends", ends, 2, 3),
        2,
        radius=arguments.positive_number("radius", radius),
        coils=float(arguments.count("coils", coils, minimum=1)),
        width=arguments.positive_number("width", width),
    )


def mesh(vertices: ArrayLike, triangles: ArrayLike, color: str = "blue") -> Drawable:
    """Return a mesh of ``vertices (n, 3)``, m, and ``triangles (m, 3)``, counter-clockwise from outside.

    Raises
    ------
    InvalidArgument
        If ``color`` is not a color of the viewer or the shape of ``vertices`` or ``triangles`` does not fit.
    """
    points = arguments.array("vertices", vertices, None, 3)
    indices = arguments.array("triangles", triangles, None, 3)
    if points.ndim != 2:
        raise InvalidArgument("vertices", f"shape {points.shape}", "shape (n, 3)")
    if indices.ndim != 2 or np.any(indices != np.round(indices)):
        raise InvalidArgument("triangles", f"shape {indices.shape}", "whole numbers of shape (m, 3)")
    if np.any(indices < 0) or np.any(indices >= len(points)):
        raise InvalidArgument("triangles", "an index out of range", f"indices from 0 to {len(points) - 1}")
    return Drawable("mesh", color, arrays={"vertices": points, "triangles": indices})


def _shape_over_time(
    kind: str, color: str, name: str, values: Array, axes: int, **parameters: float
) -> Drawable:
    """Return a shape whose array has ``axes`` axes, or one more for time."""
    if values.ndim > axes + 1:
        raise InvalidArgument(name, f"shape {values.shape}", f"at most {axes + 1} axes")
    samples = len(values) if values.ndim == axes + 1 else None
    return Drawable(kind, color, parameters, {name: values}, samples)
