"""A branching tree of four bodies made of point masses, with joints and bodies in general positions.

A revolute joint at the root carries a universal joint on one branch, a prismatic and then a helical joint on
the other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from scipy.linalg import block_diag
from scipy.spatial.transform import Rotation

from rbnotes.arguments import Array
from rbnotes.ledger.oracles import complex_steps
from rbnotes.ledger.oracles.bodies import bracket, kinetic_energy_matrix, point_masses
from rbnotes.ledger.oracles.dalembert import PositionFunction
from rbnotes.ledger.oracles.pose_products import (
    Pose,
    derivative_along_motion,
    make_poses,
    screw_pose,
    translation_pose,
)
from rbnotes.testing.strategies import round_directions, round_numbers, round_poses

PARENTS = (-1, 0, 0, 2)
NUM_COORDINATES = 5
PITCH = 0.35


@dataclass(frozen=True, eq=False)
class PointMassTree:
    """Hold the parameters of the four bodies and their joints.

    Attributes
    ----------
    placements
        Joint frames at zero coordinates, in the joint frames of the parents ``(4, 4, 4)``, m.
    bodies
        Body frames in the joint frames ``(4, 4, 4)``, m.
    axes
        Unit vectors of the hinge, the slider and the screw ``(3, 3)``.
    masses
        Masses of the bodies ``(4,)``, kg.
    centers
        Centers of mass in the body frames ``(4, 3)``, m.
    inertias
        Inertias about the centers of mass ``(4, 3, 3)``, kg m^2.
    gravity
        Acceleration of gravity ``(3,)`` in the world, m/s^2.
    """

    placements: Array
    bodies: Array
    axes: Array
    masses: Array
    centers: Array
    inertias: Array
    gravity: Array


def point_mass_trees() -> SearchStrategy[PointMassTree]:
    """Draw random trees by their seed; hypothesis cannot shrink their entries."""
    return st.integers(0, 63).map(point_mass_tree)


def point_mass_tree(number: int) -> PointMassTree:
    """Return the random tree of a seed."""
    draw = np.random.default_rng(number)
    axes = draw.normal(size=(3, 3))
    moments = draw.normal(size=(4, 3, 3))
    second = round_numbers(moments @ np.swapaxes(moments, -1, -2) / 3 + np.eye(3) / 4)
    return PointMassTree(
        _frames(draw.uniform(-1.5, 1.5, (4, 6))),
        _frames(draw.uniform(-1.5, 1.5, (4, 6))),
        round_directions(axes / np.linalg.norm(axes, axis=1, keepdims=True)),
        round_numbers(draw.uniform(0.3, 3.0, 4)),
        round_numbers(draw.uniform(-1.0, 1.0, (4, 3))),
        np.trace(second, axis1=1, axis2=2)[:, None, None] * np.eye(3) - second,
        round_numbers(draw.normal(size=3)),
    )


def five_numbers(begin: int) -> SearchStrategy[Array]:
    """Draw five coordinates or rates by their seed; seeds start at `begin`."""
    return st.integers(begin, begin + 63).map(
        lambda number: round_numbers(np.random.default_rng(number).uniform(-2, 2, 5))
    )


def _frames(numbers: Array) -> Array:
    """Return the poses of rotation vectors and positions ``(n, 6)``."""
    return round_poses(make_poses(Rotation.from_rotvec(numbers[:, :3]).as_matrix(), numbers[:, 3:]))


def poses(body_tree: PointMassTree, q: Array) -> Array:
    """Return the poses of the bodies in the world ``(..., 4, 4, 4)``."""
    x, y, _ = np.eye(3)
    hinge, slide, screw = body_tree.axes
    joint_poses = [
        screw_pose(hinge, q[..., 0]),
        screw_pose(x, q[..., 1]) @ screw_pose(y, q[..., 2]),
        translation_pose(q[..., 3, None] * slide),
        screw_pose(screw, q[..., 4], PITCH),
    ]
    joints: list[Array] = []
    for Q, reference, parent in zip(joint_poses, body_tree.placements, PARENTS, strict=True):
        joints.append((joints[parent] if parent >= 0 else np.eye(4)) @ reference @ Q)
    return np.stack(joints, axis=-3) @ body_tree.bodies


def point_positions(body_tree: PointMassTree) -> PositionFunction:
    """Return the positions ``(..., 24, 3)`` of six point masses for each body as a function of q."""
    points = np.array([_points(body_tree, i)[1] for i in range(4)])

    def positions(q: Array) -> Array:
        E = poses(body_tree, q)
        world_points: Array = points @ np.swapaxes(E[..., :3, :3], -1, -2) + E[..., None, :3, 3]
        return world_points.reshape(*q.shape[:-1], -1, 3)

    return positions


def masses_of_points(body_tree: PointMassTree) -> Array:
    """Return the mass of each point ``(24,)``."""
    return np.repeat(body_tree.masses / 6, 6)


def jacobian(body_tree: PointMassTree, q: Array) -> Array:
    """Return the stacked body Jacobian ``(..., 24, 5)``."""
    return body_jacobian(lambda x: poses(body_tree, x), q)


def body_jacobian(pose: Pose, q: Array) -> Array:
    """Return the Jacobian ``(..., 6 n, k)`` of bodies whose poses ``(..., n, 4, 4)`` are a function of q."""
    inverse_poses = np.linalg.inv(pose(q))[..., None, :, :, :]
    return np.swapaxes(_twists(inverse_poses @ complex_steps.partial_derivatives(pose, q)), -1, -2)


def bias_acceleration(body_tree: PointMassTree, q: Array, qdot: Array) -> Array:
    """Return ``Jdot qdot (24,)``, the rates of the twists at constant coordinate rates."""

    def twists(x: Array) -> Array:
        return _twists(
            np.linalg.inv(poses(body_tree, x))
            @ complex_steps.directional_derivative(lambda y: poses(body_tree, y), x, qdot)
        )

    return derivative_along_motion(twists, q, qdot)


def _twists(X: Array) -> Array:
    """Return the stacked twists ``(..., 6 n)`` of matrices ``(..., n, 4, 4)``."""
    entries = ((2, 1), (0, 2), (1, 0), (0, 3), (1, 3), (2, 3))
    return np.stack([X[..., i, j] for i, j in entries], axis=-1).reshape(*X.shape[:-3], -1)


def maximal_mass_matrix(body_tree: PointMassTree) -> Array:
    """Return the block-diagonal matrix ``(24, 24)`` of the spatial inertias about the body origins."""
    each = zip(body_tree.masses, body_tree.inertias, body_tree.centers, strict=True)
    result: Array = block_diag(*(kinetic_energy_matrix(*body) for body in each))
    return result


def gyroscopic_and_gravity_wrenches(body_tree: PointMassTree, q: Array, phi: Array) -> Array:
    """Return the sum of gravity and gyroscopic wrenches in the body frames ``(24,)``."""
    R = poses(body_tree, q)[:, :3, :3]
    return np.concatenate(
        [
            _gyroscopic_and_gravity_wrench(body_tree, i, R[i], twist)
            for i, twist in enumerate(phi.reshape(4, 6))
        ]
    )


def _points(body_tree: PointMassTree, i: int) -> tuple[float, Array]:
    return point_masses(body_tree.masses[i], body_tree.inertias[i], body_tree.centers[i])


def _gyroscopic_and_gravity_wrench(body_tree: PointMassTree, i: int, R: Array, twist: Array) -> Array:
    """Return the wrench of the weights minus the inertial forces of the points at constant body twist."""
    each, points = _points(body_tree, i)
    w = bracket(twist[:3])
    forces = each * (body_tree.gravity @ R - points @ (w @ w).T - w @ twist[3:])
    return np.concatenate([np.sum(np.cross(points, forces), axis=0), np.sum(forces, axis=0)])


def spring_wrenches(body_tree: PointMassTree, q: Array, k: float, x: Array) -> Array:
    """Return the wrenches ``(..., 24)`` of a zero-length spring from x[0] on body 1 to x[1] on body 3."""
    E = poses(body_tree, q)
    ends = [E[..., i, :3, :3] @ point + E[..., i, :3, 3] for i, point in zip((1, 3), x, strict=True)]
    tension = k * (ends[1] - ends[0])
    w = np.zeros((*E.shape[:-2], 6), dtype=E.dtype)
    for i, point, force in ((1, x[0], tension), (3, x[1], -tension)):
        body_force = np.einsum("...ba,...b->...a", E[..., i, :3, :3], force)
        w[..., i, :3], w[..., i, 3:] = np.cross(point, body_force), body_force
    return w.reshape(*q.shape[:-1], -1)
