"""Frames that carry points, and their coordinates among those of the system.

Particles and the world count as frames: a particle is a frame that cannot rotate, the world one that cannot
move.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rbnotes.arguments import Array, InvalidArgument
from rbnotes.dynamics import WORLD, State
from rbnotes.forces.anchor_points import NO_PARTICLE, AnchorPoints, Indices, require_body_indices

NO_COORDINATE = -1
"""Index in place of a coordinate that cannot move."""


class AnchorFrames(NamedTuple):
    """Frames that carry points: the m bodies, the p particles, and last the world.

    Attributes
    ----------
    E
        Poses ``(m + p + 1, 4, 4)``.
    phi
        Twists ``(m + p + 1, 6)``.
    coordinates
        Indices of the six coordinates in the system ``(m + p + 1, 6)``; ``NO_COORDINATE`` where there is
        none.
    """

    E: Array
    phi: Array
    coordinates: Indices


class IndexedForces(NamedTuple):
    """Forces of one group: s forces on N coordinates of the system each.

    Attributes
    ----------
    coordinates
        Indices of the coordinates ``(s, N)``; ``NO_COORDINATE`` where there is none.
    f
        Forces ``(s, N)``, N or N m.
    K
        Derivatives with respect to increments of the coordinates ``(s, N, N)``.
    D
        Derivatives with respect to the velocities ``(s, N, N)``.
    """

    coordinates: Indices
    f: Array
    K: Array
    D: Array

    @classmethod
    def from_wrenches(cls, coordinates: Indices, wrenches: tuple[Array, Array, Array]) -> IndexedForces:
        """Return the forces of wrenches on frames with coordinates ``(s, n, 6)``."""
        w, K, D = wrenches
        shape = K.shape[:-1]
        return cls(coordinates.reshape(shape), w.reshape(shape), K, D)


class AnchorKinematics(NamedTuple):
    """Points of s paths with n points each, and the frames that carry them.

    Attributes
    ----------
    coordinates
        Indices of the coordinates ``(s, n, 6)``.
    E
        Poses of the frames ``(s, n, 4, 4)``, m.
    x
        Points in their frames ``(s, n, 3)``, m.
    phi
        Twists of the frames ``(s, n, 6)``, rad/s and m/s.
    """

    coordinates: Indices
    E: Array
    x: Array
    phi: Array


def anchor_frames(state: State) -> AnchorFrames:
    """Return all frames that can carry a point."""
    m, p = len(state.E), len(state.x)
    E = np.tile(np.eye(4), (m + p + 1, 1, 1))
    phi = np.zeros((m + p + 1, 6))
    coordinates = np.full((m + p + 1, 6), NO_COORDINATE, dtype=np.intp)
    E[:m], phi[:m] = state.E, state.phi
    E[m : m + p, :3, 3], phi[m : m + p, 3:] = state.x, state.v
    coordinates[:m] = np.arange(6 * m).reshape(m, 6)
    coordinates[m : m + p, 3:] = 6 * m + np.arange(3 * p).reshape(p, 3)
    return AnchorFrames(E, phi, coordinates)


def anchor_kinematics(points: AnchorPoints, state: State) -> AnchorKinematics:
    """Return the points ``(s, n)``, or ``(n,)`` of one path, and their frames in this state."""
    body = np.atleast_2d(require_body_indices("points", points.body))
    particle = np.atleast_2d(points.particle)
    m, p = len(state.E), len(state.x)
    check_indices("points", body[body != WORLD], m)
    check_indices("points", particle[particle != NO_PARTICLE], p)
    numbers = np.select([particle != NO_PARTICLE, body != WORLD], [m + particle, body], m + p)
    E, phi, coordinates = anchor_frames(state)
    return AnchorKinematics(coordinates[numbers], E[numbers], points.x.reshape(*body.shape, 3), phi[numbers])


def single_point_paths(points: AnchorPoints) -> AnchorPoints:
    """Return points ``(s,)`` or ``()`` as paths of one point each ``(s, 1)``."""
    shape = (-1, 1)
    return AnchorPoints(
        points.body.reshape(shape), points.particle.reshape(shape), points.x.reshape(-1, 1, 3)
    )


def check_indices(name: str, numbers: Indices, count: int) -> None:
    """Raise InvalidArgument if an index ``(...)`` is not in the range 0 to count - 1."""
    if np.any((numbers < 0) | (numbers >= count)):
        raise InvalidArgument(name, f"number {numbers.max(initial=-1)}", f"one of {count}, counted from 0")
