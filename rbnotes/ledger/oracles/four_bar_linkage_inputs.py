"""Draw four-bar linkages for records, and build the library's tree of them (not for oracles)."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.linalg import expm

from rbnotes import joints
from rbnotes.arguments import Array
from rbnotes.ledger.oracles.branching_tree_inputs import mass_points, spatial_inertia
from rbnotes.ledger.oracles.twists import twist_matrix
from rbnotes.multibody.reduced import Link, LoopClosure, Tree
from rbnotes.testing.strategies import arrays, frames, numbers, vectors

BASE, CRANK, COUPLER, ROCKER = NAMES = ("base", "crank", "coupler", "rocker")

LINKAGE = {
    "place": frames(),
    # Ground, crank, coupler and rocker: with these lengths the crank makes full turns.
    "bars": vectors(4).map(lambda n: np.array([1.2, 0.4, 1.3, 1.1]) + n / np.array([16, 16, 16, 16])),
    "frames": arrays(3, 6).map(lambda n: np.array([expm(twist_matrix(xi / 2)) for xi in n])),
    "bodies": mass_points(3),
    "theta": numbers(),
}


def has_distinct_axes(tilt: Array) -> bool:
    """Return True if the axes of base and crank differ.

    The base has no inertia: parallel axes would make the mass matrix singular.
    """
    return bool(np.hypot(*tilt[:2, 2]) + np.hypot(*tilt[:2, 3]) > 0.1)


MOVING_LINKAGE = LINKAGE | {
    "tilt": frames().filter(has_distinct_axes),
    "beta": numbers(),
    "g": vectors(3),
    "speeds": vectors(2),
}
"""Linkage with a base that rotates by beta about its z axis; the plane is tilted on the base."""


@lru_cache(maxsize=128)
def _linkage_tree(numbers: tuple[bytes, ...], g: tuple[float, ...], is_hinged: bool) -> Tree:
    place, lengths, frames, bodies, tilt = map(np.frombuffer, numbers)
    base = joints.Revolute() if is_hinged else joints.Fixed()
    links = [Link(BASE, base, placement=place.reshape(4, 4))]
    placement = tilt.reshape(4, 4)
    bar_data = zip(NAMES[1:], lengths[1:], frames.reshape(3, 4, 4), bodies.reshape(3, 4, 4), strict=True)
    for name, length, frame, points in bar_data:
        parent = links[-1].name
        links.append(Link(name, joints.Revolute(), spatial_inertia(points), parent, placement, frame))
        placement = np.eye(4)
        placement[0, 3] = length
    return Tree(links, gravity=g)


def linkage_tree(
    place: Array,
    bars: Array,
    frames: Array,
    bodies: Array,
    *,
    g: Array | tuple[float, ...] = (0.0, 0.0, 0.0),
    tilt: Array | None = None,
) -> Tree:
    """Return the open chain as a tree of the library.

    It consists of the base (fixed, or on a hinge if `tilt` is given) and three bars in series.
    """
    parts = (place, bars, frames, bodies, np.eye(4) if tilt is None else tilt)
    numbers = tuple(np.ascontiguousarray(part, dtype=float).tobytes() for part in parts)
    return _linkage_tree(numbers, tuple(g), tilt is not None)


def loop_closure(
    bars: Array, frames: Array, *, tilt: Array | None = None, planar: bool = True
) -> LoopClosure:
    """Return the constraint between the last bar's end and the ground, in two or in all directions."""
    plane = np.eye(4) if tilt is None else tilt
    ground = plane @ np.array([bars[0], 0, 0, 1])
    end = np.linalg.inv(frames[2]) @ np.array([bars[3], 0, 0, 1])
    axis = plane[:3, 2] / np.linalg.norm(plane[:3, 2])
    return LoopClosure(BASE, ground[:3], ROCKER, end[:3], axis if planar else None)


def assembled_angles(bars: Array, theta: float) -> Array:
    """Return the joint angles ``(3,)`` of the closed loop with the elbow to the left."""
    ground, crank, coupler, rocker = bars
    x, y = ground - crank * np.cos(theta), -crank * np.sin(theta)
    elbow = np.arccos((coupler**2 + x**2 + y**2 - rocker**2) / (2 * coupler * np.hypot(x, y)))
    second = np.arctan2(y, x) + elbow
    third = np.arctan2(y - coupler * np.sin(second), x - coupler * np.cos(second))
    return np.array([theta, second - theta, third - second])


def assembled_rates(bars: Array, q: Array, omega: float) -> Array:
    """Return the joint rates ``(3,)`` that keep the loop closed."""
    sums = np.cumsum(q)
    normals = np.array([-np.sin(sums), np.cos(sums)]) * bars[1:]
    others = np.linalg.solve(normals[:, 1:], -normals[:, 0] * omega)
    return np.diff(np.append(omega, others), prepend=0.0)
