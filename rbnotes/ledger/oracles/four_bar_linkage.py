"""A planar four-bar linkage in space, made of point masses, as a function of the crank angle.

Ground, crank, coupler and rocker have the lengths ``bars (4,)``; the plane is that of x and y of a frame at
the crank's hinge, ``bodies (3, 4, 4)`` are the points of the three moving bars, mass first, in the frames
``frames (3, 4, 4)`` on the bars. Directions are unit vectors in the plane; they are analytic, so the crank
angle may be complex.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.oracles import complex_steps
from rbnotes.ledger.oracles.branching_tree import (
    PositionFunction,
    elementary_pose,
    time_derivative,
    transform_points,
)

Directions = Callable[[Array], list[Array]]


def closed_loop_directions(bars: Array) -> Directions:
    """Return the directions of crank, coupler and rocker at crank angles ``(..., 1)``."""
    ground, crank, coupler, rocker = bars

    def directions(theta: Array) -> list[Array]:
        first = np.stack([np.cos(theta[..., 0]), np.sin(theta[..., 0])], axis=-1)
        diagonal = np.array([ground, 0.0]) - crank * first
        square = np.sum(diagonal**2, axis=-1)
        span = np.sqrt(square)
        cosine = (coupler**2 + square - rocker**2) / (2 * coupler * span)
        sine = np.sqrt(1 - cosine**2)
        x, y = diagonal[..., 0] / span, diagonal[..., 1] / span
        second = np.stack([x * cosine - y * sine, x * sine + y * cosine], axis=-1)
        third = (diagonal - coupler * second) / rocker
        return [first, second, third]

    return directions


def open_chain_directions(angles: Array) -> list[Array]:
    """Return the directions of three bars in series from their relative angles."""
    sums = np.cumsum(angles, axis=-1)
    return [np.stack([np.cos(s), np.sin(s)], axis=-1) for s in np.moveaxis(sums, -1, 0)]


def rotating_base(place: Array, tilt: Array) -> PositionFunction:
    """Return the pose of the plane, tilted on a base that rotates about the z axis of `place`."""
    return lambda u: place @ elementary_pose("turn z", u[..., 0]) @ tilt


def bar_point_positions(
    base: PositionFunction, bars: Array, frames: Array, bodies: Array, directions: Directions
) -> PositionFunction:
    """Return positions ``(..., 3 N)`` of all points of the three bars, in the world.

    ``base`` and ``directions`` map the coordinates to the pose of the plane and to the directions in it.
    """

    def positions(u: Array) -> Array:
        bar_directions = directions(u)
        starts = bar_ends(bars, bar_directions)[:-1]
        poses = []
        for start, (c, s) in zip(
            starts, (np.moveaxis(direction, -1, 0) for direction in bar_directions), strict=True
        ):
            pose = np.zeros((*c.shape, 4, 4), dtype=c.dtype)
            pose[..., 0, 0], pose[..., 0, 1], pose[..., 1, 0], pose[..., 1, 1] = c, -s, s, c
            pose[..., 2, 2], pose[..., 3, 3], pose[..., :2, 3] = 1, 1, start
            poses.append(pose)
        in_world = base(u)[..., None, :, :] @ np.stack(poses, axis=-3) @ frames
        return transform_points(in_world, bodies[..., 1:]).reshape(*u.shape[:-1], -1)

    return positions


def bar_ends(bars: Array, directions: list[Array]) -> list[Array]:
    """Return the start points of the three bars in the plane, and the end point of the last one."""
    ends = [0 * directions[0]]
    for length, direction in zip(bars[1:], directions, strict=True):
        ends.append(ends[-1] + length * direction)
    return ends


def loop_closure_error(place: Array, bars: Array) -> PositionFunction:
    """Return the world vector ``(..., 3)`` from the end of the open chain to the far end of the ground."""

    def gap(angles: Array) -> Array:
        end = bar_ends(bars, open_chain_directions(angles))[-1]
        offset = np.array([bars[0], 0.0]) - end
        result: Array = np.einsum("ij,...j->...i", place[:3, :2], offset)
        return result

    return gap


def angular_velocity(direction: Array, direction_rate: Array) -> Array:
    """Return the angular velocity of a unit vector in the plane."""
    return direction[..., 0] * direction_rate[..., 1] - direction[..., 1] * direction_rate[..., 0]


def relative_rates(bars: Array, theta: Array, speed: Array) -> Array:
    """Return the angular velocities ``(..., 3)`` of the bars, each relative to its predecessor."""
    directions = closed_loop_directions(bars)
    direction_rates = np.moveaxis(
        complex_steps.directional_derivative(lambda u: np.stack(directions(u), axis=-1), theta, speed), -1, 0
    )
    angular_velocities = np.stack(
        [angular_velocity(a, b) for a, b in zip(directions(theta), direction_rates, strict=True)], axis=-1
    )
    return np.diff(angular_velocities, axis=-1, prepend=0.0)


def relative_accelerations(bars: Array, theta: Array, speed: Array, acceleration: Array) -> Array:
    """Return the relative angular accelerations ``(3,)`` of the bars, by differences."""
    return time_derivative(
        lambda t: relative_rates(bars, theta + t * speed + t**2 / 2 * acceleration, speed + t * acceleration)
    )
