"""A branching tree of four bodies made of point masses, with joints and bodies at general places.

A hinge at the root carries a universal joint on one branch, a slider and then a screw on the other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from scipy.linalg import block_diag

from rbnotes.arguments import Array
from rbnotes.checking.strategies import arrays, inertias, positive_numbers, unit_vectors
from rbnotes.ledger.oracles.bodies import bracket, kinetic_energy_matrix, point_masses
from rbnotes.ledger.oracles.dalembert import Places
from rbnotes.ledger.oracles.pose_chains import frames, rate, shifted, slopes, turned

PARENTS = (-1, 0, 0, 2)
COORDINATES = 5
PITCH = 0.35


@dataclass(frozen=True, eq=False)
class Cloud:
    """Four bodies, as numbers."""

    placements: Array
    """Joints at rest, in the frames of their parents' joints ``(4, 4, 4)``."""
    bodies: Array
    """Bodies in the frames of their joints ``(4, 4, 4)``."""
    axes: Array
    """Of the hinge, the slider and the screw ``(3, 3)``."""
    masses: Array
    centres: Array
    """In the frames of the bodies ``(4, 3)``."""
    inertias: Array
    """About the centres ``(4, 3, 3)``."""
    gravity: Array


def clouds() -> SearchStrategy[Cloud]:
    """Such trees with anything anywhere."""
    three, four = st.tuples(*[unit_vectors()] * 3), st.tuples(*[inertias()] * 4)
    return st.builds(
        Cloud,
        frames(4),
        frames(4),
        three.map(np.array),
        st.tuples(*[positive_numbers()] * 4).map(np.array),
        arrays(4, 3),
        four.map(np.array),
        arrays(3),
    )


def poses(cloud: Cloud, q: Array) -> Array:
    """Of the bodies, in the world ``(..., 4, 4, 4)``."""
    x, y, _ = np.eye(3)
    hinge, slide, screw = cloud.axes
    moved = [
        turned(hinge, q[..., 0]),
        turned(x, q[..., 1]) @ turned(y, q[..., 2]),
        shifted(q[..., 3, None] * slide),
        turned(screw, q[..., 4], PITCH),
    ]
    joints: list[Array] = []
    for Q, rest, parent in zip(moved, cloud.placements, PARENTS, strict=True):
        joints.append((joints[parent] if parent >= 0 else np.eye(4)) @ rest @ Q)
    return np.stack(joints, axis=-3) @ cloud.bodies


def places(cloud: Cloud) -> Places:
    """Of six point masses a body, as a function of the coordinates ``(..., 24, 3)``."""
    points = np.array([_points(cloud, i)[1] for i in range(4)])

    def at(q: Array) -> Array:
        E = poses(cloud, q)
        there: Array = points @ np.swapaxes(E[..., :3, :3], -1, -2) + E[..., None, :3, 3]
        return there.reshape(*q.shape[:-1], -1, 3)

    return at


def point_mass(cloud: Cloud) -> Array:
    """Mass of each of these points ``(24,)``."""
    return np.repeat(cloud.masses / 6, 6)


def jacobian(cloud: Cloud, q: Array) -> Array:
    """Body twists for unit rates of the coordinates ``(..., 24, 5)``, one body after the other."""
    back = np.linalg.inv(poses(cloud, q))[..., None, :, :, :]
    X = back @ slopes(lambda x: poses(cloud, x), q)
    entries = ((2, 1), (0, 2), (1, 0), (0, 3), (1, 3), (2, 3))
    twists = np.stack([X[..., i, j] for i, j in entries], axis=-1)
    return np.swapaxes(twists.reshape(*q.shape, -1), -1, -2)


def jacobian_rate(cloud: Cloud, q: Array, qdot: Array) -> Array:
    """How it changes along a motion."""
    return rate(lambda x: jacobian(cloud, x), q, qdot)


def maximal_mass(cloud: Cloud) -> Array:
    """Inertias of the bodies about their origins, on the diagonal ``(24, 24)``."""
    each = zip(cloud.masses, cloud.inertias, cloud.centres, strict=True)
    return block_diag(*(kinetic_energy_matrix(*body) for body in each))


def own_wrenches(cloud: Cloud, q: Array, phi: Array) -> Array:
    """Weights, and what the bodies' own motion does, in their frames ``(24,)``."""
    R = poses(cloud, q)[:, :3, :3]
    return np.concatenate([_wrench(cloud, i, R[i], twist) for i, twist in enumerate(phi.reshape(4, 6))])


def _points(cloud: Cloud, i: int) -> tuple[float, Array]:
    return point_masses(cloud.masses[i], cloud.inertias[i], cloud.centres[i])


def _wrench(cloud: Cloud, i: int, R: Array, twist: Array) -> Array:
    """Of weights less what point masses need to fly on, turning with a body whose twist stays the same."""
    each, points = _points(cloud, i)
    w = bracket(twist[:3])
    forces = each * (cloud.gravity @ R - points @ (w @ w).T - w @ twist[3:])
    return np.concatenate([np.sum(np.cross(points, forces), axis=0), np.sum(forces, axis=0)])
