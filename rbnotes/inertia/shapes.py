"""Mass properties of solids of uniform density, centered at the origin and aligned with the axes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.inertia.spatial import MassProperties, mass_properties


def cuboid(sides: ArrayLike, density: ArrayLike = 1.0) -> MassProperties:
    """Return the mass properties of a box with ``sides (..., 3)`` along x, y, z (Sueda 1.7, eq. (1.24)).

    Raises
    ------
    InvalidArgument
        If ``sides`` or ``density`` is not positive.
    """
    sides = arguments.positive_array("sides", sides, 3)
    return _centered_properties(np.prod(sides, axis=-1), sides**2 / 12, density)


def ellipsoid(semi_axes: ArrayLike, density: ArrayLike = 1.0) -> MassProperties:
    """Return the mass properties of an ellipsoid with ``semi_axes (..., 3)`` along x, y, z.

    Raises
    ------
    InvalidArgument
        If ``semi_axes`` or ``density`` is not positive.
    """
    return _ellipsoid(arguments.positive_array("semi_axes", semi_axes, 3), density)


def sphere(radius: ArrayLike, density: ArrayLike = 1.0) -> MassProperties:
    """Return the mass properties of a ball of ``radius (...)``.

    Raises
    ------
    InvalidArgument
        If ``radius`` or ``density`` is not positive.
    """
    radius = arguments.positive_array("radius", radius)
    return _ellipsoid(np.stack([radius] * 3, axis=-1), density)


def cylinder(radius: ArrayLike, length: ArrayLike, density: ArrayLike = 1.0) -> MassProperties:
    """Return the mass properties of a cylinder of ``radius`` and ``length (...)`` about z.

    Raises
    ------
    InvalidArgument
        If ``radius``, ``length`` or ``density`` is not positive.
    """
    r, length = _check_radius_and_length(radius, length)
    return _centered_properties(np.pi * r**2 * length, _axisymmetric(r**2 / 4, length**2 / 12), density)


def cone(radius: ArrayLike, length: ArrayLike, density: ArrayLike = 1.0) -> MassProperties:
    """Return the mass properties of a cone of base ``radius`` and ``length (...)`` about z.

    The center of mass, at a quarter of the length from the base, is the origin.

    Raises
    ------
    InvalidArgument
        If ``radius``, ``length`` or ``density`` is not positive.
    """
    r, length = _check_radius_and_length(radius, length)
    squares = _axisymmetric(3 * r**2 / 20, 3 * length**2 / 80)
    return _centered_properties(np.pi * r**2 * length / 3, squares, density)


def capsule(radius: ArrayLike, length: ArrayLike, density: ArrayLike = 1.0) -> MassProperties:
    """Return the mass properties of a capsule: a cylinder of ``length (...)`` along z between two half balls.

    Raises
    ------
    InvalidArgument
        If ``radius``, ``length`` or ``density`` is not positive.
    """
    r, length = _check_radius_and_length(radius, length)
    barrel, ball = np.pi * r**2 * length, 4 / 3 * np.pi * r**3
    transverse = (barrel * r**2 / 4 + ball * r**2 / 5) / (barrel + ball)
    # The center of a half ball is 3/8 r from its flat side, which is length/2 from the center.
    half_ball = r**2 / 5 + length**2 / 4 + 3 / 8 * r * length
    axial = (barrel * length**2 / 12 + ball * half_ball) / (barrel + ball)
    return _centered_properties(barrel + ball, _axisymmetric(transverse, axial), density)


def rounded_box(half_extents: ArrayLike, radius: ArrayLike, density: ArrayLike = 1.0) -> MassProperties:
    """Return the mass properties of all points within ``radius (...)`` of a box, the core.

    The core has ``half_extents (..., 3)`` along x, y, z; zeros make it flat.

    Raises
    ------
    InvalidArgument
        If ``half_extents`` or ``radius`` is negative, the volume is zero, or ``density`` is not positive.
    """
    half = arguments.require_within(
        "half_extents", arguments.vector("half_extents", half_extents), 0.0, np.inf
    )
    r = arguments.real_array("radius", radius, minimum=0)
    shape = arguments.common_shape(half_extents=half.shape[:-1], radius=r.shape)
    half, r = np.broadcast_to(half, (*shape, 3)), np.broadcast_to(r, shape)[..., None]
    others = np.stack([np.roll(half, -1, axis=-1), np.roll(half, -2, axis=-1)])
    # Volumes of the core and all corners, of both plates on the faces along each axis, and of four edges.
    core, ball = 8 * np.prod(half, axis=-1), 4 / 3 * np.pi * r[..., 0] ** 3
    plates, edges = 8 * r * np.prod(others, axis=0), 2 * np.pi * r**2 * half
    volume = core + ball + np.sum(plates + edges, axis=-1)
    if np.any(volume == 0):
        raise arguments.InvalidArgument("half_extents, radius", "no volume", "a solid")
    # Along each axis, a part lies between the faces of the core or, by u, beyond: means of (half + u)^2.
    within = half**2 / 3
    beyond_face = half**2 + half * r + r**2 / 3
    beyond_edge = half**2 + 8 / (3 * np.pi) * half * r + r**2 / 4
    beyond_corner = half**2 + 3 / 4 * half * r + r**2 / 5
    along, across = edges, np.sum(edges, axis=-1, keepdims=True) - edges
    other_plates = np.sum(plates, axis=-1, keepdims=True) - plates
    second_moments = (
        (core[..., None] + other_plates + along) * within
        + plates * beyond_face
        + across * beyond_edge
        + ball[..., None] * beyond_corner
    )
    return _centered_properties(volume, second_moments / volume[..., None], density)


def torus(radius: ArrayLike, tube_radius: ArrayLike, density: ArrayLike = 1.0) -> MassProperties:
    """Return the mass properties of a ring about z of ``radius (...)`` and ``tube_radius (...)``.

    Raises
    ------
    InvalidArgument
        If ``radius``, ``tube_radius`` or ``density`` is not positive.
    """
    big, small = (
        arguments.positive_array("radius", radius),
        arguments.positive_array("tube_radius", tube_radius),
    )
    shape = arguments.common_shape(radius=big.shape, tube_radius=small.shape)
    big, small = np.broadcast_to(big, shape), np.broadcast_to(small, shape)
    if np.any(small > big):
        raise arguments.InvalidArgument(
            "tube_radius", f"{np.max(small):g}", "a tube radius of at most the radius"
        )
    transverse = big**2 / 2 + 3 / 8 * small**2
    return _centered_properties(
        2 * np.pi**2 * big * small**2, _axisymmetric(transverse, small**2 / 4), density
    )


def with_mass(body: MassProperties, mass: ArrayLike) -> MassProperties:
    """Return the mass properties of the same shape with another mass.

    Raises
    ------
    InvalidArgument
        If ``mass`` is not positive.
    """
    arguments.require_instance("body", body, MassProperties)
    body, mass = mass_properties(*body), arguments.positive_array("mass", mass)
    arguments.common_shape(mass=mass.shape, body=body.mass.shape)
    scaled = (mass / body.mass)[..., None, None] * body.inertia
    return MassProperties(mass, arguments.array("mass", scaled), body.com)


def _ellipsoid(semi_axes: Array, density: ArrayLike) -> MassProperties:
    return _centered_properties(4 / 3 * np.pi * np.prod(semi_axes, axis=-1), semi_axes**2 / 5, density)


def _check_radius_and_length(radius: ArrayLike, length: ArrayLike) -> tuple[Array, Array]:
    r, length = arguments.positive_array("radius", radius), arguments.positive_array("length", length)
    shape = arguments.common_shape(radius=r.shape, length=length.shape)
    return np.broadcast_to(r, shape), np.broadcast_to(length, shape)


def _axisymmetric(transverse: Array, axial: Array) -> Array:
    return np.stack([transverse, transverse, axial], axis=-1)


def _centered_properties(volume: Array, mean_squares: Array, density: ArrayLike) -> MassProperties:
    """Return mass properties from the mean squares of x, y and z over the volume."""
    density = arguments.positive_array("density", density)
    arguments.common_shape(density=density.shape, size=volume.shape)
    mass = arguments.positive_array("density times volume", density * volume)
    moments = mass[..., None] * (np.sum(mean_squares, axis=-1, keepdims=True) - mean_squares)
    moments = arguments.array("density times moments of volume", moments)
    return MassProperties(mass, moments[..., None] * np.eye(3), np.zeros(moments.shape))
