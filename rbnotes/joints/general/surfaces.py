"""Surfaces for joints: a point as a function of two coordinates, and the frame of the surface there.

The x axis of the frame is along the lines of constant v, in the direction of increasing u, and the z axis
along the normal. On a sphere, an ellipsoid and a torus, the normal points out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import comb

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.joints.general.casadi_functions import jacobian
from rbnotes.joints.general.symbols import Symbolic, check_coordinate, check_finite
from rbnotes.unchecked.frozen import set_fields


@dataclass(frozen=True)
class Surface:
    """Smooth surface with coordinates (u, v) and their usual range.

    Raises InvalidArgument if ``point``, ``factors`` or ``pole`` is not a function or the shape of ``low`` or
    ``high`` does not fit.

    Attributes
    ----------
    name
        Name in messages and in the names of joints.
    point
        Function from (u, v) to a point ``(3,)``, m, of arithmetic and numpy functions.
    factors
        Function from (u, v) to poses, a rotation ``(3, 3)`` and a position ``(3,)`` each, whose product is
        the frame. By default the frame follows from the derivatives of the point and is singular where the
        surface folds.
    pole
        Function from (u, v) to a number that vanishes at the poles, where the lines of constant v shrink to a
        point.
    low
        Lower ends of the usual ranges of u and v ``(2,)``, in their units.
    high
        Upper ends of the usual ranges of u and v ``(2,)``, in their units.
    """

    name: str
    point: Callable[[Symbolic, Symbolic], Symbolic]
    factors: Callable[[Symbolic, Symbolic], list[tuple[Symbolic, Symbolic]]] | None = None
    pole: Callable[[Symbolic, Symbolic], Symbolic] | None = None
    low: tuple[float, float] = (-np.pi, -np.pi)
    high: tuple[float, float] = (np.pi, np.pi)

    def __post_init__(self) -> None:
        arguments.text("name", self.name)
        for name in ("point", "factors", "pole"):
            if name == "point" or getattr(self, name) is not None:
                arguments.require_function(name, getattr(self, name), "u", "v")
        low, high = (arguments.single_vector(name, getattr(self, name), 2) for name in ("low", "high"))
        if np.any(high < low):
            raise InvalidArgument("high", str(high.tolist()), f"no less than low, {low.tolist()}")
        set_fields(self, low=tuple(low.tolist()), high=tuple(high.tolist()))

    def frame(self, u: Symbolic, v: Symbolic) -> list[tuple[Symbolic, Symbolic]]:
        """Return factors whose product has the axes ``(3, 3)`` as columns and the point ``(3,)``.

        Raises InvalidArgument if ``u`` or ``v`` is not a finite number; SingularConfiguration if the
        derivatives at ``u``, ``v`` are parallel or zero.
        """
        u, v = check_coordinate("u", u), check_coordinate("v", v)
        with np.errstate(all="ignore"):
            if self.factors is not None:
                return [(check_finite(R, u=u, v=v), check_finite(t, u=u, v=v)) for R, t in self.factors(u, v)]
            du, dv = self._point_gradient(u, v)
            x, normal = normalize(du), normalize(np.cross(du, dv))
            axes = np.array([x, np.cross(normal, x), normal]).T
            return [(check_finite(axes, u=u, v=v), check_finite(self.point(u, v), u=u, v=v))]

    def fold_margin(self, u: Symbolic, v: Symbolic) -> Symbolic | None:
        """Return the sine of the angle between the derivatives, zero at a fold; None if there are no folds.

        Raises InvalidArgument if ``u`` or ``v`` is not a finite number; SingularConfiguration if the
        derivatives at ``u``, ``v`` are parallel or zero.
        """
        u, v = check_coordinate("u", u), check_coordinate("v", v)
        if self.factors is not None:
            return None
        with np.errstate(all="ignore"):
            du, dv = self._point_gradient(u, v)
            cross_product = np.cross(du, dv)
            sine = np.sqrt((cross_product @ cross_product) / ((du @ du) * (dv @ dv)))
            return check_finite(sine, u=u, v=v)

    def _point_gradient(self, u: Symbolic, v: Symbolic) -> Symbolic:
        return jacobian(lambda p: self.point(p[0], p[1]), np.array([u, v])).T


OUTWARD_TO_SURFACE_FRAME = np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]])
"""Rotation from the frame of the surface to one whose x axis points out and y axis eastward."""


def sphere(radius: float) -> Surface:
    """Return a sphere about the origin, m; u is the longitude and v the latitude, rad.

    Its poles are on the z axis.

    Raises InvalidArgument if ``radius`` is not positive.
    """
    radius = arguments.positive_number("radius", radius)
    return Surface(
        "sphere",
        partial(_sphere_point, radius),
        partial(_sphere_factors, radius),
        _cosine_of_latitude,
        low=(-np.pi, -np.pi / 2),
        high=(np.pi, np.pi / 2),
    )


def _sphere_point(radius: float, u: Symbolic, v: Symbolic) -> Symbolic:
    return radius * _outward_direction(u, v)


def _sphere_factors(radius: float, u: Symbolic, v: Symbolic) -> list[tuple[Symbolic, Symbolic]]:
    return [
        (rotation_about_z(u), np.zeros(3)),
        (_rotation_about_minus_y(v), np.zeros(3)),
        (OUTWARD_TO_SURFACE_FRAME, radius * OUTWARD_TO_SURFACE_FRAME[:, 2]),
    ]


def _cosine_of_latitude(u: Symbolic, v: Symbolic) -> Symbolic:
    return np.cos(v)


def ellipsoid(semi_axes: ArrayLike) -> Surface:
    """Return the ellipsoid with semi-axes ``(3,)`` along x, y and z, m; u and v as on a sphere.

    Raises InvalidArgument if ``semi_axes`` are not positive.
    """
    a, b, c = arguments.with_ndim(
        "semi_axes", arguments.positive_array("semi_axes", semi_axes, 3), 1
    ).tolist()
    return Surface(
        "ellipsoid",
        partial(_ellipsoid_point, a, b, c),
        partial(_ellipsoid_factors, a, b, c),
        _cosine_of_latitude,
        low=(-np.pi, -np.pi / 2),
        high=(np.pi, np.pi / 2),
    )


def _ellipsoid_point(a: float, b: float, c: float, u: Symbolic, v: Symbolic) -> Symbolic:
    return np.array([a, b, c]) * _outward_direction(u, v)


def _ellipsoid_factors(
    a: float, b: float, c: float, u: Symbolic, v: Symbolic
) -> list[tuple[Symbolic, Symbolic]]:
    # The azimuth and the elevation of the normal, which is along (x/a^2, y/b^2, z/c^2).
    width = np.sqrt((a * np.sin(u)) ** 2 + (b * np.cos(u)) ** 2)
    azimuth = np.arctan2(a * np.sin(u), b * np.cos(u))
    elevation = np.arctan2(np.sin(v) / c, np.cos(v) * width / (a * b))
    rotations = (rotation_about_z(azimuth), _rotation_about_minus_y(elevation), OUTWARD_TO_SURFACE_FRAME)
    return [(np.eye(3), _ellipsoid_point(a, b, c, u, v)), *((R, np.zeros(3)) for R in rotations)]


def torus(radius: float, tube_radius: float) -> Surface:
    """Return a torus about the z axis: u is the angle about it and v the angle about the tube, rad.

    v is 0 on the outer equator and pi on the inner one. It has no poles.

    Raises
    ------
    InvalidArgument
        If ``tube_radius`` is not less than ``radius``, m.
    """
    radius, tube_radius = (
        arguments.positive_number("radius", radius),
        arguments.positive_number("tube_radius", tube_radius),
    )
    if tube_radius >= radius:
        raise InvalidArgument("tube_radius", f"{tube_radius:g}", f"a tube thinner than the radius {radius:g}")
    return Surface(
        "torus", partial(_torus_point, radius, tube_radius), partial(_torus_factors, radius, tube_radius)
    )


def _torus_point(radius: float, tube_radius: float, u: Symbolic, v: Symbolic) -> Symbolic:
    return radius * np.array([np.cos(u), np.sin(u), 0]) + tube_radius * _outward_direction(u, v)


def _torus_factors(
    radius: float, tube_radius: float, u: Symbolic, v: Symbolic
) -> list[tuple[Symbolic, Symbolic]]:
    return [
        (rotation_about_z(u), np.zeros(3)),
        (_rotation_about_minus_y(v), np.array([radius, 0, 0])),
        (OUTWARD_TO_SURFACE_FRAME, tube_radius * OUTWARD_TO_SURFACE_FRAME[:, 2]),
    ]


def bezier_surface(points: ArrayLike) -> Surface:
    """Return the Bezier surface of control points ``(m, n, 3)``, m.

    u goes along the first axis of the grid, v along the second, both from 0 to 1; the polynomials extend it
    beyond.

    Raises
    ------
    InvalidArgument
        If there are fewer than 2 x 2 control points.
    """
    points = arguments.array("points", points, 3)
    if points.ndim != 3 or min(points.shape[:2]) < 2:
        raise InvalidArgument("points", f"shape {points.shape}", "2 x 2 control points or more, (m, n, 3)")
    return Surface("Bezier surface", partial(_bezier_point, points), low=(0.0, 0.0), high=(1.0, 1.0))


def _bezier_point(points: Array, u: Symbolic, v: Symbolic) -> Symbolic:
    rows, columns = bernstein_polynomials(len(points), u), bernstein_polynomials(points.shape[1], v)
    return sum(rows[i] * columns[j] * points[i, j] for i in range(len(rows)) for j in range(len(columns)))


def bernstein_polynomials(count: int, u: Symbolic) -> list[Symbolic]:
    """Return the Bernstein polynomials at u: the weights of the control points of a Bezier curve."""
    degree = count - 1
    return [comb(degree, i) * u**i * (1 - u) ** (degree - i) for i in range(count)]


def triangulate(surface: Surface, num_u: int = 24, num_v: int = 24) -> tuple[Array, Array]:
    """Return vertices ``(m, 3)`` and triangles ``(t, 3)`` of the surface over its usual range."""
    u, v = (
        np.linspace(low, high, count + 1)
        for low, high, count in zip(surface.low, surface.high, (num_u, num_v), strict=True)
    )
    vertices = np.array([surface.point(a, b) for a in u for b in v], dtype=float)
    corner = (np.arange(num_u)[:, None] * (num_v + 1) + np.arange(num_v)).ravel()
    right, above = corner + num_v + 1, corner + 1
    halves = [np.stack([corner, right, above], axis=1), np.stack([right, right + 1, above], axis=1)]
    return vertices, np.concatenate(halves)


def rotation_about_z(angle: Symbolic) -> Symbolic:
    """Return the rotation ``(3, 3)`` about z."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def normalize(vector: Symbolic) -> Symbolic:
    """Return the unit vector along a vector."""
    return vector / np.sqrt(vector @ vector)


def _outward_direction(u: Symbolic, v: Symbolic) -> Symbolic:
    return np.array([np.cos(v) * np.cos(u), np.cos(v) * np.sin(u), np.sin(v)])


def _rotation_about_minus_y(v: Symbolic) -> Symbolic:
    """Return the rotation ``(3, 3)`` about -y."""
    c, s = np.cos(v), np.sin(v)
    return np.array([[c, 0, -s], [0, 1, 0], [s, 0, c]])
