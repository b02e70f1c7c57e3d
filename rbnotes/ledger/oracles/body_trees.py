"""Trees of bodies: poses as products of joint motions, dynamics from point masses.

The poses of bodies and joints in the reference configuration are in world coordinates. The motion Q of a
joint moves its subtree by ``F Q F^-1`` in world coordinates, where F is its reference frame. Velocities are
differences of these poses. Dynamics is d'Alembert's principle for the point masses of the bodies, without
adjoints or twists.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from scipy.linalg import expm

from rbnotes.arguments import Array
from rbnotes.ledger.oracles import complex_steps
from rbnotes.ledger.oracles.bodies import bracket, point_masses
from rbnotes.unchecked.central_differences import time_derivative_at_zero

NUM_COORDINATES = {"revolute": 1, "prismatic": 1, "universal": 2, "spherical": 3}


@dataclass(frozen=True, eq=False)
class Assembly:
    """Describe a tree in its reference configuration, where all coordinates are zero.

    Attributes
    ----------
    parents
        Parent of each body, -1 for the world; in any order.
    kinds
        Kind of each body's joint: about z, along z, about x and then y, or by a rotation vector.
    joints
        Frames ``(n, 4, 4)`` of the joints.
    bodies
        Frames ``(n, 4, 4)`` of the bodies.
    masses
        ``(n,)``
    centers
        Centers of mass ``(n, 3)``, in body frames.
    inertias
        Inertias about the centers of mass ``(n, 3, 3)``, in body axes.
    gravity
        ``(3,)``
    """

    parents: tuple[int, ...]
    kinds: tuple[str, ...]
    joints: Array
    bodies: Array
    masses: Array
    centers: Array
    inertias: Array
    gravity: Array

    @property
    def num_coordinates(self) -> int:
        """Return the number of coordinates."""
        return sum(NUM_COORDINATES[kind] for kind in self.kinds)


def revolute_assembly(parents: tuple[int, ...], joints: Array, bodies: Array) -> Assembly:
    """Return unit masses on revolute joints about the z axes of the joint frames."""
    n = len(parents)
    kinds, inertias = ("revolute",) * n, np.broadcast_to(np.eye(3), (n, 3, 3))
    return Assembly(parents, kinds, joints, bodies, np.ones(n), np.zeros((n, 3)), inertias, np.zeros(3))


def renumber(assembly: Assembly, numbering: tuple[int, ...]) -> Assembly:
    """Return the same bodies, on joints of one kind, in another numbering."""
    order = [numbering.index(i) for i in range(len(numbering))]
    parents = tuple(-1 if assembly.parents[i] < 0 else numbering[assembly.parents[i]] for i in order)
    permuted = {
        field: getattr(assembly, field)[order]
        for field in ("joints", "bodies", "masses", "centers", "inertias")
    }
    return replace(assembly, parents=parents, **permuted)


def coordinate_slices(assembly: Assembly) -> list[slice]:
    """Return the slice of each joint's coordinates in the coordinate vector, in the order of the bodies."""
    ends = np.cumsum([0, *(NUM_COORDINATES[kind] for kind in assembly.kinds)]).tolist()
    return [slice(start, end) for start, end in pairwise(ends)]


def joint_motion(kind: str, q: Array) -> Array:
    """Return the pose Q ``(..., 4, 4)`` of a joint; the coordinates ``(..., k)`` may be complex."""
    x, y, z = np.eye(3)
    Q = np.zeros((*q.shape[:-1], 4, 4), dtype=q.dtype)
    Q[..., [0, 1, 2, 3], [0, 1, 2, 3]] = 1
    if kind == "revolute":
        Q[..., 0, 0] = Q[..., 1, 1] = np.cos(q[..., 0])
        Q[..., 1, 0] = np.sin(q[..., 0])
        Q[..., 0, 1] = -np.sin(q[..., 0])
    elif kind == "prismatic":
        Q[..., :3, 3] = q * z
    elif kind == "universal":
        Q[..., :3, :3] = _rotation(q[..., :1] * x) @ _rotation(q[..., 1:] * y)
    else:
        Q[..., :3, :3] = _rotation(q)
    return Q


SERIES_BELOW_SQUARED = 1e-3
"""Squared angle below which the coefficients of a rotation are summed as series."""

_E = np.stack([bracket(axis) for axis in np.eye(3)])


def _rotation(r: Array) -> Array:
    """Return the rotations ``(..., 3, 3)`` of real or complex rotation vectors, by Rodrigues' formula."""
    squared = np.sum(r * r, axis=-1)[..., None, None]
    small = np.abs(squared) < SERIES_BELOW_SQUARED
    angle = np.sqrt(np.where(small, 1.0, squared))
    series = [
        1 - squared / 6 * (1 - squared / 20 * (1 - squared / 42)),
        1 - squared / 12 * (1 - squared / 30),
    ]
    sine = np.where(small, series[0], np.sin(angle) / angle)
    versine = np.where(small, series[1] / 2, (1 - np.cos(angle)) / angle**2)
    K = np.tensordot(r, _E, axes=1)
    rotation: Array = np.eye(3) + sine * K + versine * (K @ K)
    return rotation


def displacements(assembly: Assembly, q: Array) -> Array:
    """Return the displacements ``(..., n, 4, 4)`` of the bodies from the reference configuration."""
    q = np.asarray(q)
    joints = zip(assembly.kinds, coordinate_slices(assembly), strict=True)
    Q = np.stack([joint_motion(kind, q[..., part]) for kind, part in joints], axis=-3)
    moves = assembly.joints @ Q @ np.linalg.inv(assembly.joints)
    result = moves.copy()
    for body, parent in enumerate(assembly.parents):
        while parent >= 0:
            result[..., body, :, :] = moves[..., parent, :, :] @ result[..., body, :, :]
            parent = assembly.parents[parent]
    return result


def poses(assembly: Assembly, q: Array) -> Array:
    """Return the poses ``(..., n, 4, 4)`` of the bodies at coordinates ``q (..., k)``, real or complex."""
    return displacements(assembly, q) @ assembly.bodies


def joint_poses(assembly: Assembly, q: Array) -> Array:
    """Return the frames ``(..., n, 4, 4)`` of the joints after their motion."""
    return displacements(assembly, q) @ assembly.joints


def jacobian(assembly: Assembly, q: Array) -> Array:
    """Return the body Jacobian ``(..., 6 n, k)``, by complex steps of the poses."""
    rates = complex_steps.partial_derivatives(lambda x: poses(assembly, x), q)
    columns = _twists(poses(assembly, q)[..., None, :, :, :], rates)
    return np.swapaxes(columns.reshape(*columns.shape[:-2], -1), -1, -2)


def joint_jacobian(kind: str, q: Array) -> Array:
    """Return the motion subspace ``(..., 6, k)`` of a joint in its own frame, by complex steps."""
    rates = complex_steps.partial_derivatives(lambda x: joint_motion(kind, x), q)
    return np.swapaxes(_twists(joint_motion(kind, q)[..., None, :, :], rates), -1, -2)


def jacobian_rate(assembly: Assembly, q: Array, qdot: Array) -> Array:
    """Return the time derivative ``(6 n, k)`` of :func:`jacobian` along the motion, by differences."""
    return time_derivative_at_zero(lambda t: jacobian(assembly, q + t * qdot))


def twists(assembly: Assembly, q: Array, qdot: Array) -> Array:
    """Return the body twists ``(..., n, 6)``, by a complex step of the poses along the motion."""
    return _twists(
        poses(assembly, q), complex_steps.directional_derivative(lambda x: poses(assembly, x), q, qdot)
    )


def twist_rates(assembly: Assembly, q: Array, qdot: Array, qddot: Array) -> Array:
    """Return the rates of the body twists ``(n, 6)``, by differences along the motion."""
    return time_derivative_at_zero(
        lambda t: twists(assembly, q + t * qdot + t**2 / 2 * qddot, qdot + t * qddot)
    )


def _twists(E: Array, rates: Array) -> Array:
    X = np.linalg.solve(np.broadcast_to(E, rates.shape), rates)
    return np.stack([X[..., 2, 1], X[..., 0, 2], X[..., 1, 0], *np.moveaxis(X[..., :3, 3], -1, 0)], axis=-1)


def point_positions(assembly: Assembly, q: Array) -> Array:
    """Return the world positions ``(..., 18 n)`` of the point masses of the bodies, six for each body."""
    return _transform_points(_body_points(assembly), poses(assembly, q))


def _body_points(assembly: Assembly) -> Array:
    """Return the positions of the point masses of all bodies ``(n, 6, 3)``, in body frames."""
    bodies = zip(assembly.masses, assembly.inertias, assembly.centers, strict=True)
    return np.stack([point_masses(float(m), J, c)[1] for m, J, c in bodies])


def _transform_points(points: Array, E: Array) -> Array:
    positions = points @ np.swapaxes(E[..., :3, :3], -1, -2) + E[..., None, :3, 3]
    return positions.reshape(*E.shape[:-3], -1)


def _coordinate_masses(assembly: Assembly) -> Array:
    """Return the point mass that belongs to each position component ``(18 n,)``."""
    return np.repeat(assembly.masses / 6, 18)


def point_jacobian(assembly: Assembly, q: Array) -> Array:
    """Return the Jacobian of all point positions with respect to the coordinates, shape ``(18 n, k)``."""
    return complex_steps.partial_derivatives(lambda x: point_positions(assembly, x), q).T


def point_bias_acceleration(assembly: Assembly, q: Array, qdot: Array) -> Array:
    """Return the point accelerations ``(18 n,)`` at constant coordinate rates."""
    points = _body_points(assembly)
    return time_derivative_at_zero(
        lambda t: complex_steps.directional_derivative(
            lambda x: _transform_points(points, poses(assembly, x)), q + t * qdot, qdot
        )
    )


def mass_weighted_jacobian(assembly: Assembly, q: Array) -> Array:
    """Return the point Jacobian weighted with the square roots of the masses, shape ``(18 n, k)``."""
    return np.sqrt(_coordinate_masses(assembly))[:, None] * point_jacobian(assembly, q)


def inertial_forces(assembly: Assembly, q: Array, qdot: Array, qddot: Array) -> Array:
    """Return the generalized forces ``(k,)`` that accelerate the point masses, by d'Alembert's principle.

    Gravity and loads are not included.
    """
    J = point_jacobian(assembly, q)
    accelerations = J @ qddot + point_bias_acceleration(assembly, q, qdot)
    return J.T @ (_coordinate_masses(assembly) * accelerations)


def gravity_forces(assembly: Assembly, q: Array) -> Array:
    """Return the generalized gravity forces ``(k,)`` from the virtual work of the points' weights."""
    count = len(_coordinate_masses(assembly)) // 3
    return point_jacobian(assembly, q).T @ (_coordinate_masses(assembly) * np.tile(assembly.gravity, count))


def accelerations(assembly: Assembly, q: Array, qdot: Array, load: Array) -> Array:
    """Return the joint accelerations ``(k,)`` by Gauss's principle of least constraint.

    The generalized force `load` ``(k,)`` acts in addition to gravity.
    """
    roots, W = np.sqrt(_coordinate_masses(assembly)), mass_weighted_jacobian(assembly, q)
    relative = np.tile(assembly.gravity, len(roots) // 3) - point_bias_acceleration(assembly, q, qdot)
    acceleration_without_load = np.linalg.lstsq(W, roots * relative, rcond=None)[0]
    R: Array = np.asarray(np.linalg.qr(W, mode="r"))
    result: Array = acceleration_without_load + np.linalg.solve(R, np.linalg.solve(R.T, load))
    return result


def hinge_errors(assembly: Assembly, E: Array) -> Array:
    """Return the constraint errors of the revolute joints ``(..., 5 n)`` for any poses of the bodies.

    Each joint has two tilts of its axis, then three offsets.
    """
    errors = []
    for i, parent in enumerate(assembly.parents):
        reference_pose = np.eye(4) if parent < 0 else assembly.bodies[parent]
        parent_pose = np.eye(4) if parent < 0 else E[..., parent, :, :]
        parent_side = parent_pose @ np.linalg.inv(reference_pose) @ assembly.joints[i]
        body_side = E[..., i, :, :] @ np.linalg.inv(assembly.bodies[i]) @ assembly.joints[i]
        X = np.linalg.inv(parent_side) @ body_side
        errors.append(np.stack([X[..., 0, 2], X[..., 1, 2], *np.moveaxis(X[..., :3, 3], -1, 0)], axis=-1))
    return np.concatenate(errors, axis=-1)


def hinge_error_rates(assembly: Assembly, E: Array, phi: Array) -> Array:
    """Return the rates of the constraint errors ``(..., 5 n)`` for independent twists ``(..., n, 6)``."""
    X = np.zeros((*phi.shape[:-1], 4, 4))
    X[..., :3, :3], X[..., :3, 3] = np.tensordot(phi[..., :3], _E, axes=1), phi[..., 3:]
    return complex_steps.directional_derivative(lambda poses: hinge_errors(assembly, poses), E, E @ X)


def hinge_bias_acceleration(assembly: Assembly, E: Array, phi: Array) -> Array:
    """Return the second derivatives of the constraint errors ``(5 n,)`` at constant twists ``(n, 6)``."""
    X = np.zeros((*phi.shape[:-1], 4, 4))
    X[..., :3, :3], X[..., :3, 3] = np.tensordot(phi[..., :3], _E, axes=1), phi[..., 3:]
    return time_derivative_at_zero(
        lambda t: hinge_error_rates(assembly, E @ expm(t[..., None, None] * X), phi)
    )
