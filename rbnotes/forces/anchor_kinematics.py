"""What carries points, and where its coordinates are in the whole system.

Particles and the world count as frames that are carried along: a particle is one that cannot turn, the world
one that cannot move.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rbnotes.arguments import Array, InvalidArgument
from rbnotes.dynamics import WORLD, State
from rbnotes.forces.anchor_points import NO_PARTICLE, AnchorPoints, Indices

NO_COORDINATE = -1
"""The number of a coordinate that cannot move."""


class AnchorFrames(NamedTuple):
    """What carries points: the m bodies, the p particles as frames of their own, and last the world."""

    E: Array
    """Poses ``(m + p + 1, 4, 4)``."""
    phi: Array
    """Twists ``(m + p + 1, 6)``."""
    coordinates: Indices
    """Numbers of the six coordinates in the system ``(m + p + 1, 6)``, ``FIXED`` where there is none."""


class IndexedForces(NamedTuple):
    """Forces of one group, each of s on N coordinates of the system."""

    coordinates: Indices
    """Their numbers ``(s, N)``, ``FIXED`` where nothing can move."""
    f: Array
    """``(s, N)``."""
    K: Array
    """``(s, N, N)``."""
    D: Array
    """``(s, N, N)``."""

    @classmethod
    def from_wrenches(cls, coordinates: Indices, wrenches: tuple[Array, Array, Array]) -> IndexedForces:
        """From coordinates ``(s, n, 6)`` of carriers and their :class:`~rbnotes.forces.BodyForces`."""
        w, K, D = wrenches
        shape = K.shape[:-1]
        return cls(coordinates.reshape(shape), w.reshape(shape), K, D)


class AnchorKinematics(NamedTuple):
    """Points of s chains, n of each, with what carries them."""

    coordinates: Indices
    """``(s, n, 6)``."""
    E: Array
    """``(s, n, 4, 4)``."""
    x: Array
    """In what carries them ``(s, n, 3)``."""
    phi: Array
    """``(s, n, 6)``."""


def anchor_frames(state: State) -> AnchorFrames:
    """Everything that can carry a point, as one array of frames."""
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
    """The points ``(s, n)``, or ``(n,)`` of one chain, with what carries them in this state."""
    body, particle = np.atleast_2d(points.body), np.atleast_2d(points.particle)
    m, p = len(state.E), len(state.x)
    check_indices("points", body[body != WORLD], m)
    check_indices("points", particle[particle != NO_PARTICLE], p)
    numbers = np.select([particle != NO_PARTICLE, body != WORLD], [m + particle, body], m + p)
    E, phi, coordinates = anchor_frames(state)
    return AnchorKinematics(coordinates[numbers], E[numbers], points.x.reshape(*body.shape, 3), phi[numbers])


def single_point_paths(points: AnchorPoints) -> AnchorPoints:
    """Points ``(s,)`` or ``()`` as chains of one point each ``(s, 1)``."""
    shape = (-1, 1)
    return AnchorPoints(
        points.body.reshape(shape), points.particle.reshape(shape), points.x.reshape(-1, 1, 3)
    )


def check_indices(name: str, numbers: Indices, count: int) -> None:
    """Refuses numbers ``(...)`` of what the state does not have."""
    if np.any((numbers < 0) | (numbers >= count)):
        raise InvalidArgument(name, f"number {numbers.max(initial=-1)}", f"one of {count}, counted from 0")
