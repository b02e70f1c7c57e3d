"""Articulated inertias and joint wrenches of a tree of point masses: some joints free, the others locked.

There is no recursion: each quantity is a least-squares problem in the displacements of the points, weighted
with the square roots of their masses.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.oracles import body_trees
from rbnotes.ledger.oracles.bodies import bracket
from rbnotes.ledger.oracles.point_mass_dynamics import inertial_wrench
from rbnotes.ledger.oracles.twists import twist_from_matrix, twist_matrix


def descendants(assembly: body_trees.Assembly, k: int) -> list[int]:
    """Return the descendants of body k at any depth, without body k."""
    result = [k]
    for _ in assembly.parents:
        result += [i for i, parent in enumerate(assembly.parents) if parent in result and i not in result]
    return result[1:]


def joint_coordinates(assembly: body_trees.Assembly, bodies: list[int]) -> list[int]:
    """Return the coordinate indices of the joints of the given bodies."""
    parts = body_trees.coordinate_slices(assembly)
    return [index for body in sorted(bodies) for index in range(parts[body].start, parts[body].stop)]


def mass_weighted_jacobian(assembly: body_trees.Assembly, q: Array) -> Array:
    """Return the mass-weighted point Jacobian ``(18 n, k)``; recent results are cached."""
    return _mass_weighted_jacobian(assembly, q.tobytes())


@lru_cache(maxsize=128)
def _mass_weighted_jacobian(assembly: body_trees.Assembly, q: bytes) -> Array:
    return body_trees.mass_weighted_jacobian(assembly, np.frombuffer(q))


def rigid_subtree_jacobian(assembly: body_trees.Assembly, q: Array, k: int, E: Array | None = None) -> Array:
    """Return the weighted displacements ``(18 n, 6)`` for unit twists of body k and its rigid subtree.

    Twists are expressed in the frame E, by default in the frame of the body.
    """
    n = len(assembly.parents)
    E = body_trees.poses(assembly, q)[k] if E is None else E
    positions = body_trees.point_positions(assembly, q).reshape(n, 6, 3)
    displacements = np.zeros((n, 6, 3, 6))
    for i in (k, *descendants(assembly, k)):
        for j, position in enumerate(positions[i]):
            arm = E[:3, :3].T @ (position - E[:3, 3])
            gamma = np.concatenate([-bracket(arm), np.eye(3)], axis=1)
            displacements[i, j] = np.sqrt(assembly.masses[i] / 6) * E[:3, :3] @ gamma
    return displacements.reshape(18 * n, 6)


def parent_frame(assembly: body_trees.Assembly, q: Array, k: int) -> Array:
    """Return the frame of a body's parent, or the identity if the parent is the world."""
    parent = assembly.parents[k]
    return np.eye(4) if parent < 0 else body_trees.poses(assembly, q)[parent]


def articulated_inertia(assembly: body_trees.Assembly, q: Array, k: int) -> Array:
    """Return the articulated inertia ``(6, 6)`` of body k: the joints of its subtree are free.

    It is the Gram matrix of the displacements that remain after the joints of the subtree have moved so that
    the points move least.
    """
    W, joint_columns = (
        rigid_subtree_jacobian(assembly, q, k),
        mass_weighted_jacobian(assembly, q)[:, joint_coordinates(assembly, descendants(assembly, k))],
    )
    residual = (
        W - joint_columns @ np.linalg.lstsq(joint_columns, W, rcond=None)[0] if joint_columns.size else W
    )
    return residual.T @ residual


def articulated_joint_inertia(assembly: body_trees.Assembly, q: Array, k: int) -> Array:
    """Return the inertia of the coordinates of joint k: its ancestors are locked, its descendants free."""
    W = mass_weighted_jacobian(assembly, q)
    columns, subtree_columns = (
        W[:, joint_coordinates(assembly, [k])],
        W[:, joint_coordinates(assembly, descendants(assembly, k))],
    )
    residual = (
        columns - subtree_columns @ np.linalg.lstsq(subtree_columns, columns, rcond=None)[0]
        if subtree_columns.size
        else columns
    )
    return residual.T @ residual


def point_accelerations(assembly: body_trees.Assembly, q: Array, bodies: list[int], force: Array) -> Array:
    """Return the weighted point accelerations ``(18 n, ...)`` at rest with only the joints of `bodies` free.

    The generalized force ``(k, ...)`` covers all coordinates; entries of locked joints have no effect.
    """
    indices = joint_coordinates(assembly, bodies)
    C = mass_weighted_jacobian(assembly, q)[:, indices]
    result: Array = C @ np.linalg.solve(C.T @ C, force[indices])
    return result


def joint_wrenches(
    assembly: body_trees.Assembly, q: Array, qdot: Array, qddot: Array, wrenches: Array
) -> Array:
    """Return the sum of the joint wrenches on each body ``(n, 6)``, in the frame of the body.

    It is the inertial wrench of the body's points minus its weight and the applied wrench.
    """
    phi, phidot = body_trees.twists(assembly, q, qdot), body_trees.twist_rates(assembly, q, qdot, qddot)
    E, result = body_trees.poses(assembly, q), []
    bodies = zip(assembly.masses, assembly.centers, assembly.inertias, strict=True)
    for i, (m, c, J) in enumerate(bodies):
        force = m * E[i, :3, :3].T @ assembly.gravity
        weight = np.concatenate([np.cross(c, force), force])
        result.append(inertial_wrench(m, c, J, phi[i], phidot[i]) - weight - wrenches[i])
    return np.stack(result)


def subtree_wrenches(assembly: body_trees.Assembly, q: Array, wrenches: Array) -> Array:
    """Return for each body the sum of the wrenches ``(n, 6)`` on its subtree, about its origin."""
    E = body_trees.poses(assembly, q)
    forces = np.einsum("nij,nj->ni", E[:, :3, :3], wrenches[:, 3:])
    moments = np.einsum("nij,nj->ni", E[:, :3, :3], wrenches[:, :3]) + np.cross(E[:, :3, 3], forces)
    result = np.zeros_like(wrenches)
    for k in range(len(E)):
        bodies = [k, *descendants(assembly, k)]
        force, moment = forces[bodies].sum(axis=0), moments[bodies].sum(axis=0)
        moment_at_origin = moment - np.cross(E[k, :3, 3], force)
        result[k] = np.concatenate([E[k, :3, :3].T @ moment_at_origin, E[k, :3, :3].T @ force])
    return result


def equation_of_motion_terms(
    assembly: body_trees.Assembly, q: Array, qdot: Array, wrenches: Array
) -> tuple[Array, Array, Array]:
    """Return mass matrix, velocity bias forces and load-holding forces, by d'Alembert's principle."""
    W = mass_weighted_jacobian(assembly, q)
    return (
        W.T @ W,
        velocity_bias_forces(assembly, q, qdot),
        -applied_generalized_forces(assembly, q, wrenches),
    )


def velocity_bias_forces(assembly: body_trees.Assembly, q: Array, qdot: Array) -> Array:
    """Return the generalized forces ``(k,)`` that keep the coordinate rates constant, without loads."""
    return _velocity_bias_forces(assembly, q.tobytes(), qdot.tobytes())


@lru_cache(maxsize=128)
def _velocity_bias_forces(assembly: body_trees.Assembly, q: bytes, qdot: bytes) -> Array:
    coordinates, v = np.frombuffer(q), np.frombuffer(qdot)
    roots = np.sqrt(np.repeat(assembly.masses / 6, 18))
    result: Array = mass_weighted_jacobian(assembly, coordinates).T @ (
        roots * body_trees.point_bias_acceleration(assembly, coordinates, v)
    )
    return result


def applied_generalized_forces(assembly: body_trees.Assembly, q: Array, wrenches: Array) -> Array:
    """Return the generalized forces ``(k,)`` of gravity and applied wrenches, from their virtual work."""
    return _gravity_forces(assembly, q.tobytes()) + _jacobian(assembly, q.tobytes()).T @ wrenches.ravel()


@lru_cache(maxsize=128)
def _gravity_forces(assembly: body_trees.Assembly, q: bytes) -> Array:
    return body_trees.gravity_forces(assembly, np.frombuffer(q))


@lru_cache(maxsize=128)
def _jacobian(assembly: body_trees.Assembly, q: bytes) -> Array:
    return body_trees.jacobian(assembly, np.frombuffer(q))


def accelerations(assembly: body_trees.Assembly, q: Array, qdot: Array, wrenches: Array, tau: Array) -> Array:
    """Return the joint accelerations ``(k,)`` from the virtual work of all forces on the points."""
    W, forces = (
        mass_weighted_jacobian(assembly, q),
        tau + applied_generalized_forces(assembly, q, wrenches) - velocity_bias_forces(assembly, q, qdot),
    )
    R = np.asarray(np.linalg.qr(W, mode="r"))
    result: Array = np.linalg.solve(R, np.linalg.solve(R.T, forces))
    return result


def net_generalized_force(
    assembly: body_trees.Assembly, q: Array, qdot: Array, wrenches: Array, tau: Array
) -> Array:
    """Return the generalized forces ``(k,)`` that accelerate the coordinates: tau + loads - bias forces."""
    return tau + applied_generalized_forces(assembly, q, wrenches) - velocity_bias_forces(assembly, q, qdot)


def articulated_inertias(assembly: body_trees.Assembly, q: Array) -> Array:
    """Return the articulated inertias of all bodies ``(n, 6, 6)``."""
    return _articulated_inertias(assembly, q.tobytes())


@lru_cache(maxsize=128)
def _articulated_inertias(assembly: body_trees.Assembly, q: bytes) -> Array:
    return np.stack(
        [articulated_inertia(assembly, np.frombuffer(q), k) for k in range(len(assembly.parents))]
    )


def parent_wrench_maps(assembly: body_trees.Assembly, q: Array) -> tuple[list[Array], list[Array]]:
    """Return for each body the maps from its wrench and its joint force to the wrench on its fixed parent.

    Both are expressed in the frame of the parent: ``(6, 6)`` for zero joint force, and ``(6, k_i)``. The
    joints of the subtree carry no force.
    """
    return _parent_wrench_maps(assembly, q.tobytes())


@lru_cache(maxsize=128)
def _parent_wrench_maps(assembly: body_trees.Assembly, q_bytes: bytes) -> tuple[list[Array], list[Array]]:
    """Return the maps from the wrench on a body, and from its joint forces, to the wrench on its parent."""
    q, n = np.frombuffer(q_bytes), len(assembly.parents)
    J, E = _jacobian(assembly, q_bytes), body_trees.poses(assembly, q)
    Y: list[Array] = []
    Pi: list[Array] = []
    for k in range(n):
        frame, subtree = parent_frame(assembly, q, k), [k, *descendants(assembly, k)]
        W, indices = rigid_subtree_jacobian(assembly, q, k, frame), joint_coordinates(assembly, [k])
        unit = np.eye(assembly.num_coordinates)[:, indices]
        G = np.linalg.inv(frame) @ E[k]
        adjoint = np.stack(
            [twist_from_matrix(np.linalg.inv(G) @ twist_matrix(unit_twist) @ G) for unit_twist in np.eye(6)],
            axis=-1,
        )
        force_map = W.T @ point_accelerations(assembly, q, subtree, unit)
        on_coordinates = J[6 * k : 6 * k + 6].T.copy()
        Y.append(adjoint.T - W.T @ point_accelerations(assembly, q, subtree, on_coordinates))
        Pi.append(force_map)
    return Y, Pi


def holding_wrenches(assembly: body_trees.Assembly, q: Array, forces: Array) -> Array:
    """Return the wrenches ``(n, 6)`` that hold each body while `forces` move the joints of its subtree."""
    result = np.zeros((len(assembly.parents), 6))
    for k in range(len(result)):
        if bodies := descendants(assembly, k):
            result[k] = rigid_subtree_jacobian(assembly, q, k).T @ point_accelerations(
                assembly, q, bodies, forces
            )
    return result


def subtree_joint_accelerations(assembly: body_trees.Assembly, q: Array, forces: Array) -> Array:
    """Return the accelerations ``(k,)`` of each joint while its ancestors are locked.

    The forces act on its descendants as well.
    """
    C, result = mass_weighted_jacobian(assembly, q), np.zeros(assembly.num_coordinates)
    for k in range(len(assembly.parents)):
        subtree_indices, indices = (
            joint_coordinates(assembly, [k, *descendants(assembly, k)]),
            joint_coordinates(assembly, [k]),
        )
        rates = np.linalg.solve(C[:, subtree_indices].T @ C[:, subtree_indices], forces[subtree_indices])
        result[indices] = rates[[subtree_indices.index(index) for index in indices]]
    return result
