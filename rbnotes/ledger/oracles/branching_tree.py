"""A branching tree of bodies as points with masses, and Newton's law for whatever moves points.

The tree is described by arrays: ``at (4, 2, 4, 4)``, the placement of each joint in the frame of its parent's
joint and the body's frame in that of its own, and ``bodies (4, 4, 4)``, four points each, the mass first. A
cross (rotations about x and y) carries a hinge and another one, both about z; a slider along z goes with the
first. That makes five coordinates.

Positions are analytic functions, so that complex steps give velocities to the last digit.
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


def body_poses(at: Array, q: Array) -> Array:
    """Return poses ``(..., 4, 4, 4)`` of the bodies in the world."""
    joints: list[Array] = []
    column = 0
    for (placement, _), parent, motions in zip(at, PARENTS, MOTIONS, strict=True):
        pose = placement if parent < 0 else joints[parent] @ placement
        for motion in motions:
            pose = pose @ elementary_pose(motion, q[..., column])
            column += 1
        joints.append(pose)
    return np.stack([pose @ body for pose, (_, body) in zip(joints, at, strict=True)], axis=-3)


def elementary_pose(motion: str, size: Array) -> Array:
    """Pose ``(..., 4, 4)`` after turning about an axis or sliding along it."""
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
    """Return points ``(..., n, p, 3)`` of bodies, in the world."""
    rotated: Array = np.einsum("...nij,npj->...npi", poses[..., :3, :3], x)
    return rotated + poses[..., :, None, :3, 3]


def point_positions(at: Array, bodies: Array) -> PositionFunction:
    """Return positions of all points of all bodies."""

    def places(q: Array) -> Array:
        return transform_points(body_poses(at, q), bodies[..., 1:]).reshape(*q.shape[:-1], -1)

    return places


def point_position(at: Array, body: int, x: Array) -> PositionFunction:
    """Position of one point of a body."""

    def place(q: Array) -> Array:
        return transform_points(body_poses(at, q)[..., body : body + 1, :, :], x[None, None])[..., 0, 0, :]

    return place


def joint_axis(at: Array, body: int) -> PositionFunction:
    """Return the z axis of a joint, in the world."""

    def axis(q: Array) -> Array:
        return (body_poses(at, q)[..., body, :, :] @ np.linalg.inv(at[body, 1]))[..., :3, 2]

    return axis


def position_derivatives(places: PositionFunction, q: Array) -> Array:
    """Return derivatives ``(..., k)`` by the coordinates, one complex step for each."""
    return np.moveaxis(complex_steps.partial_derivatives(places, q), 0, -1)


def time_derivative(function: Callable[[Array], Array]) -> Array:
    """Return derivative at time zero of what takes times ``(T, 1)`` all at once.

    Rougher than those of :mod:`rbnotes.testing`, good to 1e-11 for these motions, and many times as fast.
    """
    return time_derivative_at_zero(function, 0.01)


def bias_acceleration(places: PositionFunction, q: Array, v: Array) -> Array:
    """Return acceleration while the coordinates move steadily, by differences of the velocity."""
    return time_derivative(lambda t: complex_steps.directional_derivative(places, q + t * v, v))


def acceleration_of(places: PositionFunction, q: Array, v: Array, a: Array) -> Array:
    """Return acceleration of whatever depends on coordinates that move as ``q + v t + a t^2 / 2``."""
    return time_derivative(
        lambda t: complex_steps.directional_derivative(places, q + t * v + t**2 / 2 * a, v + t * a)
    )


def newton_equations(
    places: PositionFunction, masses: Array, forces: Array, q: Array, v: Array
) -> tuple[Array, Array]:
    """Masses and forces of the coordinates, from Newton's law for each of N points.

    Each displacement that the coordinates allow does the work ``sum dx (m a - F) = 0``, and the accelerations
    are ``a = dx/dq qddot`` and what is left at steady coordinates.

    Parameters
    ----------
    masses, forces
        ``(N,)`` and ``(N, 3)``.
    """
    jacobian = position_derivatives(places, q)
    heavy = np.repeat(masses, 3)
    lacking = forces.ravel() - heavy * bias_acceleration(places, q, v)
    return np.einsum("xa,x,xb->ab", jacobian, heavy, jacobian), np.einsum("xa,x->a", jacobian, lacking)


def twists_and_velocities(at: Array, body_points: Array, q: Array, v: Array) -> tuple[Array, Array]:
    """Twists ``(..., 4, 6)`` of the bodies, and velocities ``(..., n, p, 3)`` of points on each of them."""
    moving = complex_steps.directional_derivative(lambda x: body_poses(at, x), q, v)
    X = np.linalg.inv(body_poses(at, q)) @ moving
    phi = np.stack([X[..., 2, 1], X[..., 0, 2], X[..., 1, 0], *np.moveaxis(X[..., :3, 3], -1, 0)], axis=-1)
    return phi, np.einsum("...nij,...npj->...npi", moving[..., :3, :3], body_points) + moving[
        ..., :, None, :3, 3
    ]


def tree_newton_equations(at: Array, bodies: Array, g: Array, q: Array, v: Array) -> tuple[Array, Array]:
    """Masses ``(5, 5)`` and forces ``(5,)`` of the tree's coordinates under gravity alone."""
    masses = bodies[..., 0].ravel()
    return newton_equations(point_positions(at, bodies), masses, masses[:, None] * g, q, v)


def tangent_directions(a: Array) -> Array:
    """Return two orthonormal directions ``(2, 3)``.

    The axis farthest from a, laid flat, and a quarter turn on.
    """
    along = np.eye(3)[np.argmin(np.abs(a))]
    flat = along - (along @ a) * a
    flat /= np.linalg.norm(flat)
    y, z = (1, 2), (2, 0)
    binormal = np.array([a[i] * flat[j] - a[j] * flat[i] for i, j in (y, z, (0, 1))])
    return np.stack([flat, binormal])
