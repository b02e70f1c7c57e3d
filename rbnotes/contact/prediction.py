"""Prediction of contacts that may close in a step, and their target velocities."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, BoolArray
from rbnotes.contact.detection import (
    Collider,
    ContactPoints,
    check_colliders,
    check_excluded_pairs,
    contact_points_unchecked,
)
from rbnotes.dynamics import WORLD
from rbnotes.shapes import ConvexShape


def predict_contacts(
    colliders: Sequence[Collider],
    poses: ArrayLike,
    twists: ArrayLike,
    h: float,
    gravity: ArrayLike,
    *,
    excluded_pairs: Sequence[tuple[int, int]] = (),
) -> ContactPoints:
    """Return the contacts that could close within a step of size h, from the velocities of the bodies.

    Parameters
    ----------
    poses : (n, 4, 4)
        Poses of the bodies, m.
    twists : (n, 6)
        Body twists, rad/s and m/s.
    gravity : (3,)
        Acceleration of gravity, m/s^2.
    excluded_pairs
        Pairs that do not collide, as for :func:`contact_points`.

    Raises
    ------
    InvalidArgument
        If ``poses`` are not poses, ``h`` is not positive, or the shape of ``twists`` or ``gravity`` does not
        fit.
    """
    poses = arguments.with_ndim("poses", arguments.frame("poses", poses), 3)
    twists = arguments.with_ndim("twists", arguments.array("twists", twists, len(poses), 6), 2)
    gravity = arguments.single_vector("gravity", gravity)
    colliders, excluded_pairs = check_colliders(colliders, len(poses)), check_excluded_pairs(excluded_pairs)
    margin = contact_margin(colliders, twists, arguments.positive_number("h", h), gravity)
    return contact_points_unchecked(colliders, poses, margin, excluded_pairs)


def bounding_radii(colliders: Sequence[Collider], num_bodies: int) -> Array:
    """Return the largest distance ``(n,)`` of each body's surface from the origin of its frame, m."""
    radii = np.zeros(num_bodies)
    for collider in colliders:
        if collider.body != WORLD and isinstance(collider.collision_geometry, ConvexShape):
            radius = np.linalg.norm(collider.frame[:3, 3]) + collider.collision_geometry.bounding_radius
            radii[collider.body] = max(radii[collider.body], radius)
    return radii


def surface_speeds(colliders: Sequence[Collider], twists: Array) -> Array:
    """Return bounds of the speeds ``(..., n)`` of the points of bodies from ``twists (..., n, 6)``, m/s."""
    angular, linear = (np.linalg.norm(part, axis=-1) for part in np.split(twists, 2, axis=-1))
    result: Array = linear + angular * bounding_radii(colliders, twists.shape[-2])
    return result


def contact_margins(fastest: Array, h: float, gravity: Array) -> Array:
    """Return the largest gaps ``(...)`` that bodies may close in a step, m.

    ``fastest (...)`` are the largest speeds of points of the bodies, m/s.
    """
    result: Array = 2 * h * (fastest + h * np.linalg.norm(gravity))
    return result


def contact_margin(colliders: Sequence[Collider], twists: Array, h: float, gravity: Array) -> float:
    """Return the largest gap that bodies may close in the step, without checks."""
    fastest = np.max(surface_speeds(colliders, twists), axis=-1, initial=0.0)
    return float(contact_margins(fastest, h, gravity))


def normal_velocity_targets(
    points: ContactPoints, normal_velocities: ArrayLike, h: float, gravity: ArrayLike
) -> Array:
    """Return the smallest normal velocities ``(c,)`` after a step, m/s.

    Separated bodies may close the gap. Elastic bodies that would collide within this step rebound now
    (Newton's impact law), unless they approach more slowly than gravity accelerates them in two steps; so
    they come to rest.

    Parameters
    ----------
    normal_velocities : (c,)
        Normal velocities before the step, negative if bodies approach, m/s.

    Raises
    ------
    InvalidArgument
        If ``h`` is not positive or the shape of ``normal_velocities`` or ``gravity`` does not fit.
    """
    arguments.require_instance("points", points, ContactPoints)
    normal_velocities = arguments.single_vector("normal_velocities", normal_velocities, len(points))
    h, gravity = arguments.positive_number("h", h), arguments.single_vector("gravity", gravity)
    return normal_velocity_targets_unchecked(points, normal_velocities, h, gravity)


def normal_velocity_targets_unchecked(
    points: ContactPoints, normal_velocities: Array, h: float, gravity: Array
) -> Array:
    """Return :func:`normal_velocity_targets` for valid arguments, without checks."""
    return np.where(
        rebounding_contacts(points, normal_velocities, h, gravity),
        -points.restitution * normal_velocities,
        closing_velocities(points, h),
    )


def rebounding_contacts(
    points: ContactPoints, normal_velocities: Array, h: float, gravity: Array
) -> BoolArray:
    """Return a mask ``(c,)`` of the contacts of elastic bodies that would collide within a step."""
    result: BoolArray = (
        (points.restitution > 0)
        & (normal_velocities < restitution_threshold(h, gravity))
        & (points.gap + h * normal_velocities <= 0)
    )
    return result


def closing_velocities(points: ContactPoints, h: float) -> Array:
    """Return the smallest normal velocities ``(c,)`` with which no contact closes further in a step, m/s."""
    result: Array = np.minimum(-points.gap / h, 0.0)
    return result


def restitution_threshold(h: float, gravity: Array) -> float:
    """Return the normal velocity above which contacts do not rebound, m/s: that of a fall of two steps."""
    return -2 * h * float(np.linalg.norm(gravity))
