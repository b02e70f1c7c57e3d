"""A branching tree of bodies made of point masses, and Newton's law for the points.

Two arrays describe the tree: ``link_frames (4, 2, 4, 4)``, the placement of each joint in the joint frame of
its parent and of the body in its own joint frame, and ``bodies (4, 4, 4)``, four points for each body, the
mass first. A universal joint (rotations about x and y) carries two revolute joints about z; the first of them
carries a prismatic joint along z. That makes five coordinates.

Positions are analytic functions: complex steps give velocities to machine precision.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.oracles import complex_steps
from rbnotes.unchecked.central_differences import time_derivative_at_zero

PARENTS = (-1, 0, 1, 0)
MOTIONS = (("turn x", "turn y"), ("turn z",), ("slide z",), ("turn z",))
NUM_COORDINATES = 5

PositionFunction = Callable[[Array], Array]
"""Positions ``(..., 3 N)`` of N points at coordinates ``(..., k)``, which may be complex."""


def body_poses(link_frames: Array, q: Array) -> Array:
    """Return the poses ``(..., 4, 4, 4)`` of the bodies in the world."""
    joints: list[Array] = []
    column = 0
    for (placement, _), parent, motions in zip(link_frames, PARENTS, MOTIONS, strict=True):
        pose = placement if parent < 0 else joints[parent] @ placement
        for motion in motions:
            pose = pose @ elementary_pose(motion, q[..., column])
            column += 1
        joints.append(pose)
    return np.stack([pose @ body for pose, (_, body) in zip(joints, link_frames, strict=True)], axis=-3)


def elementary_pose(motion: str, size: Array) -> Array:
    """Return the pose ``(..., 4, 4)`` after a rotation about an axis or a translation along it."""
    kind, axis = motion.split()
    i = "xyz".index(axis)
    pose = np.zeros((*np.shape(size), 4, 4), dtype=np.asarray(size).dtype)
    pose[...] = np.eye(4)
    if kind == "slide":
        pose[..., i, 3] = size
        return pose
    j, k = (i + 1) % 3, (i + 2) % 3
    pose[..., j, j] = pose[..., k, k] = np.cos(size)
    pose[..., k, j], pose[..., j, k] = np.sin(size), -np.sin(size)
    return pose


def transform_points(poses: Array, x: Array) -> Array:
    """Return the world positions of body-fixed points ``(..., n, p, 3)``."""
    rotated: Array = np.einsum("...nij,npj->...npi", poses[..., :3, :3], x)
    return rotated + poses[..., :, None, :3, 3]


def point_positions(link_frames: Array, bodies: Array) -> PositionFunction:
    """Return the positions of all points of all bodies as a function of the coordinates."""

    def positions(q: Array) -> Array:
        return transform_points(body_poses(link_frames, q), bodies[..., 1:]).reshape(*q.shape[:-1], -1)

    return positions


def point_position(link_frames: Array, body: int, x: Array) -> PositionFunction:
    """Return the position of one point of a body as a function of the coordinates."""

    def position(q: Array) -> Array:
        return transform_points(body_poses(link_frames, q)[..., body : body + 1, :, :], x[None, None])[
            ..., 0, 0, :
        ]

    return position


def joint_axis(link_frames: Array, body: int) -> PositionFunction:
    """Return the z axis of a joint in the world as a function of the coordinates."""

    def axis(q: Array) -> Array:
        return (body_poses(link_frames, q)[..., body, :, :] @ np.linalg.inv(link_frames[body, 1]))[..., :3, 2]

    return axis


def position_derivatives(positions: PositionFunction, q: Array) -> Array:
    """Return the derivatives ``(..., k)`` with respect to the coordinates, by complex steps."""
    return np.moveaxis(complex_steps.partial_derivatives(positions, q), 0, -1)


def time_derivative(function: Callable[[Array], Array]) -> Array:
    """Return the derivative at time zero of a function that takes an array of times ``(T, 1)``.

    It is less accurate than those of :mod:`rbnotes.testing` (1e-11 for these motions) but much faster.
    """
    return time_derivative_at_zero(function, 0.01)


def bias_acceleration(positions: PositionFunction, q: Array, v: Array) -> Array:
    """Return the acceleration at constant coordinate rates, by differences of the velocity."""
    return time_derivative(lambda t: complex_steps.directional_derivative(positions, q + t * v, v))


def acceleration_of(positions: PositionFunction, q: Array, v: Array, a: Array) -> Array:
    """Return the second time derivative of `positions` along the motion ``q + v t + a t^2 / 2``."""
    return time_derivative(
        lambda t: complex_steps.directional_derivative(positions, q + t * v + t**2 / 2 * a, v + t * a)
    )


def newton_equations(
    positions: PositionFunction, masses: Array, forces: Array, q: Array, v: Array
) -> tuple[Array, Array]:
    """Return mass matrix and generalized forces of the coordinates, from Newton's law for N points.

    Each admissible virtual displacement satisfies ``sum dx (m a - F) = 0``; the accelerations are
    ``a = dx/dq qddot`` plus the acceleration at constant coordinate rates.

    Parameters
    ----------
    masses, forces
        ``(N,)`` and ``(N, 3)``.
    """
    jacobian = position_derivatives(positions, q)
    coordinate_masses = np.repeat(masses, 3)
    net_forces = forces.ravel() - coordinate_masses * bias_acceleration(positions, q, v)
    return np.einsum("xa,x,xb->ab", jacobian, coordinate_masses, jacobian), np.einsum(
        "xa,x->a", jacobian, net_forces
    )


def twists_and_velocities(link_frames: Array, body_points: Array, q: Array, v: Array) -> tuple[Array, Array]:
    """Return the body twists ``(..., 4, 6)`` and the velocities ``(..., n, p, 3)`` of body-fixed points."""
    pose_rates = complex_steps.directional_derivative(lambda x: body_poses(link_frames, x), q, v)
    X = np.linalg.inv(body_poses(link_frames, q)) @ pose_rates
    phi = np.stack([X[..., 2, 1], X[..., 0, 2], X[..., 1, 0], *np.moveaxis(X[..., :3, 3], -1, 0)], axis=-1)
    return phi, np.einsum("...nij,...npj->...npi", pose_rates[..., :3, :3], body_points) + pose_rates[
        ..., :, None, :3, 3
    ]


def tree_newton_equations(
    link_frames: Array, bodies: Array, g: Array, q: Array, v: Array
) -> tuple[Array, Array]:
    """Return mass matrix ``(5, 5)`` and generalized forces ``(5,)`` of the tree under gravity alone."""
    masses = bodies[..., 0].ravel()
    return newton_equations(point_positions(link_frames, bodies), masses, masses[:, None] * g, q, v)


def tangent_directions(a: Array) -> Array:
    """Return two orthonormal directions ``(2, 3)`` perpendicular to a.

    The first is the projection of the coordinate axis farthest from a; the second is the cross product of a
    with it.
    """
    axis = np.eye(3)[np.argmin(np.abs(a))]
    tangent = axis - (axis @ a) * a
    tangent /= np.linalg.norm(tangent)
    y, z = (1, 2), (2, 0)
    binormal = np.array([a[i] * tangent[j] - a[j] * tangent[i] for i, j in (y, z, (0, 1))])
    return np.stack([tangent, binormal])
