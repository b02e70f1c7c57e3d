"""Contacts before they close: which to look at in a step, and how fast they may close in it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.contact.detection import Collider, ContactPoints, checked_colliders, checked_pairs, found_points
from rbnotes.contact.shapes import Rounded
from rbnotes.dynamics import WORLD


def nearby_points(
    colliders: Sequence[Collider],
    poses: ArrayLike,
    twists: ArrayLike,
    h: float,
    gravity: ArrayLike,
    *,
    apart: Sequence[tuple[int, int]] = (),
) -> ContactPoints:
    """Contacts that could close within a step of size h, from the speeds that the bodies have.

    Parameters
    ----------
    poses : (n, 4, 4)
        Poses of the bodies, m.
    twists : (n, 6)
        Their twists in their coordinates, rad/s and m/s.
    gravity : (3,)
        What they gain in the step, m/s^2.
    apart
        Pairs that are not to touch, as for :func:`contact_points`.

    Raises
    ------
    InvalidArgument
        If ``poses`` are no poses, ``h`` is not positive, or the shape of ``twists`` or ``gravity`` does not
        fit.
    """
    poses = arguments.exactly("poses", arguments.frame("poses", poses), 3)
    twists = arguments.exactly("twists", arguments.array("twists", twists, len(poses), 6), 2)
    gravity = arguments.one_vector("gravity", gravity)
    colliders, apart = checked_colliders(colliders, len(poses)), checked_pairs(apart)
    margin = reach(colliders, twists, arguments.number("h", h), gravity)
    return found_points(colliders, poses, margin, apart)


def reach(colliders: Sequence[Collider], twists: Array, h: float, gravity: Array) -> float:
    """How far apart bodies may be that are to close a gap in the step, for twists known to be right."""
    sizes = np.zeros(len(twists))
    for each in colliders:
        if each.body != WORLD and isinstance(each.surface, Rounded):
            size = np.linalg.norm(each.frame[:3, 3]) + each.surface.bounding_radius
            sizes[each.body] = max(sizes[each.body], size)
    angular, linear = (np.linalg.norm(part, axis=1) for part in np.split(twists, 2, axis=1))
    fastest = np.max(linear + angular * sizes, initial=0.0) + h * np.linalg.norm(gravity)
    return float(2 * h * fastest)


def separation_speeds(points: ContactPoints, approach: ArrayLike, h: float, gravity: ArrayLike) -> Array:
    """Least normal velocities ``(c,)`` after a step, m/s.

    Bodies that are apart may close the gap. Those that would hit each other within this step and are elastic
    bounce already now (Newton's law of impact), unless they are slower than what gravity adds in two steps:
    so that they come to rest.

    Parameters
    ----------
    approach : (c,)
        Normal velocities before, negative where bodies approach, m/s.

    Raises
    ------
    InvalidArgument
        If ``h`` is not positive or the shape of ``approach`` or ``gravity`` does not fit.
    """
    arguments.instance("points", points, ContactPoints)
    approach = arguments.one_vector("approach", approach, len(points))
    h, gravity = arguments.number("h", h), arguments.one_vector("gravity", gravity)
    return allowed_speeds(points, approach, h, gravity)


def allowed_speeds(points: ContactPoints, approach: Array, h: float, gravity: Array) -> Array:
    """As :func:`separation_speeds`, for speeds that are known to be right."""
    slow = resting_speed(h, gravity)
    hits = (points.restitution > 0) & (approach < slow) & (points.gap + h * approach <= 0)
    return np.where(hits, -points.restitution * approach, np.minimum(-points.gap / h, 0.0))


def resting_speed(h: float, gravity: Array) -> float:
    """What approaches slower than this does not bounce, m/s, below zero: what gravity adds in two steps."""
    return -2 * h * float(np.linalg.norm(gravity))
