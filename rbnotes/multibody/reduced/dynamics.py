"""Dynamics of a tree: mass matrix, forward and inverse dynamics, energies (Sueda 2.3, 2.5).

The equations of motion of all bodies with ``phi = J qdot``, multiplied by ``J^T``, in which the constraint
forces of the joints do no work, are

    M_r qddot = J^T (f - M Jdot qdot) + tau,      M_r = J^T M J.

f holds the gravity wrenches, the gyroscopic wrenches and the applied ones, tau the forces of springs and
dampers in the joints and the applied ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, SingularConfiguration
from rbnotes.multibody.reduced.kinematics import (
    BodyKinematics,
    _check_state_vectors,
    _jacobian_unchecked,
    _matvec,
    _nearby_inertia_ratios,
    _poses_unchecked,
    body_kinematics_unchecked,
    check_vectors,
    twists_unchecked,
)
from rbnotes.multibody.reduced.link import require_tree
from rbnotes.unchecked import se3

if TYPE_CHECKING:
    from rbnotes.multibody.reduced.tree import Tree


def mass_matrix(tree: Tree, q: ArrayLike) -> Array:
    """Return ``M_r = J^T M J (..., k, k)``, symmetric (Sueda eq. (2.18)).

    Raises
    ------
    InvalidArgument
        If the shape of ``q`` does not fit.
    """
    require_tree(tree)
    return _mass_matrix(tree, tree.check_vector("q", q))


def _mass_matrix(tree: Tree, q: Array) -> Array:
    J = _jacobian_unchecked(tree, q)
    return _mass_matrix_from_jacobian(
        tree, J.reshape(*q.shape[:-1], len(tree.links), 6, tree.num_coordinates)
    )


def _mass_matrix_from_jacobian(tree: Tree, J: Array) -> Array:
    rows = (*J.shape[:-3], 6 * len(tree.links), tree.num_coordinates)
    M: Array = J.reshape(rows).mT @ (tree.inertias @ J).reshape(rows)
    return (M + M.mT) / 2


def regularized_mass_matrix(tree: Tree, q: Array) -> Array:
    """Return the mass matrix with an inertia along the coordinate directions that joints constrain.

    Nothing moves along the length of a quaternion, and ``J^T M J`` is zero there. An inertia of the size of
    the inertia that the joint carries is added: it does not change the motion that the constraints allow, and
    the matrix is regular.
    """
    J = _jacobian_unchecked(tree, q)
    return mass_matrix_from_jacobian(
        tree, q, J.reshape(*q.shape[:-1], len(tree.links), 6, tree.num_coordinates)
    )


def mass_matrix_from_jacobian(tree: Tree, q: Array, J: Array) -> Array:
    """Return :func:`regularized_mass_matrix` from the Jacobian by bodies ``(..., n, 6, k)``."""
    M = _mass_matrix_from_jacobian(tree, J)
    for i, (link, coordinates) in enumerate(zip(tree.links, tree.coordinate_slices, strict=True)):
        if link.joint.num_coordinate_constraints:
            M[..., coordinates, coordinates] += _coordinate_constraint_inertia(tree, q, i)
    return M


def _coordinate_constraint_inertia(tree: Tree, q: Array, i: int) -> Array:
    """Return the inertia ``(..., k_i, k_i)`` along the constrained coordinates of a joint, or zero."""
    joint, joint_coordinates = tree.links[i].joint, q[..., tree.coordinate_slices[i]]
    if not joint.num_coordinate_constraints:
        return np.zeros((joint.num_coordinates, joint.num_coordinates))
    rows = joint.compute_coordinate_constraint_jacobian(joint_coordinates)
    result: Array = tree.mean_subtree_inertias[i] * rows.mT @ rows
    return result


def coordinate_constraints(tree: Tree, q: Array, qdot: Array) -> tuple[Array, Array]:
    """Return the coordinate constraints of joints: ``G (..., c, k)`` and ``Gdot qdot (..., c)``.

    Velocities satisfy ``G qdot = 0``, accelerations ``G qddot + Gdot qdot = 0``.
    """
    count = sum(link.joint.num_coordinate_constraints for link in tree.links)
    rows, bias_acceleration = (
        np.zeros((*q.shape[:-1], count, tree.num_coordinates)),
        np.zeros((*q.shape[:-1], count)),
    )
    end = 0
    for link, coordinates in zip(tree.links, tree.coordinate_slices, strict=True):
        constraint_rows = slice(end, end + link.joint.num_coordinate_constraints)
        if link.joint.num_coordinate_constraints:
            joint_q, joint_qdot = q[..., coordinates], qdot[..., coordinates]
            rows[..., constraint_rows, coordinates] = link.joint.compute_coordinate_constraint_jacobian(
                joint_q
            )
            bias_acceleration[..., constraint_rows] = _matvec(
                link.joint.compute_coordinate_constraint_jacobian_rate(joint_q, joint_qdot), joint_qdot
            )
        end = constraint_rows.stop
    return rows, bias_acceleration


def gyroscopic_and_gravity_wrenches(tree: Tree, q: ArrayLike, qdot: ArrayLike) -> Array:
    """Return the gyroscopic and gravity wrenches ``(..., n, 6)`` in body coordinates (Sueda 1.6).

    Raises
    ------
    InvalidArgument
        If the shape of ``q`` or ``qdot`` does not fit.
    """
    require_tree(tree)
    q, qdot = _check_state_vectors(tree, q, qdot)
    return _gyroscopic_and_gravity_wrenches(
        tree, _poses_unchecked(tree, q).body_poses, twists_unchecked(tree, q, qdot)
    )


def gravity_wrenches(tree: Tree, q: ArrayLike) -> Array:
    """Return the wrenches ``(..., n, 6)`` of gravity in body coordinates.

    Raises
    ------
    InvalidArgument
        If the shape of ``q`` does not fit.
    """
    require_tree(tree)
    return _gravity_wrenches(tree, _poses_unchecked(tree, tree.check_vector("q", q)).body_poses)


def passive_joint_forces(tree: Tree, q: ArrayLike, qdot: ArrayLike) -> Array:
    """Return the forces ``(..., k)`` of springs and dampers in the joints (Sueda 2.5, eqs. (2.72), (2.74)).

    Raises
    ------
    InvalidArgument
        If the shape of ``q`` or ``qdot`` does not fit.
    """
    require_tree(tree)
    return _passive_joint_forces(tree, *_check_state_vectors(tree, q, qdot))


def _passive_joint_forces(tree: Tree, q: Array, qdot: Array) -> Array:
    return (
        -tree.joint_parameter("stiffness") * (q - tree.joint_parameter("spring_reference"))
        - tree.joint_parameter("damping") * qdot
    )


def net_generalized_force(
    tree: Tree, q: ArrayLike, qdot: ArrayLike, tau: ArrayLike = 0.0, wrenches: ArrayLike = 0.0
) -> Array:
    """Return ``J^T (f - M Jdot qdot) + tau (..., k)`` with springs and dampers (Sueda eqs. (2.18), (2.73)).

    Parameters
    ----------
    tau
        Applied joint forces ``(..., k)`` besides those of springs and dampers, N m and N.
    wrenches
        Applied body wrenches ``(..., n, 6)``, N m and N, besides gravity, in body coordinates.

    Raises
    ------
    InvalidArgument
        If a shape does not fit.
    """
    require_tree(tree)
    q, qdot = _check_state_vectors(tree, q, qdot)
    tau, wrenches = check_applied_forces(tree, tau, wrenches, q=q)
    return _net_generalized_force(tree, body_kinematics_unchecked(tree, q, qdot), q, qdot, tau, wrenches)


def _net_generalized_force(
    tree: Tree, kinematics: BodyKinematics, q: Array, qdot: Array, tau: Array, wrenches: Array
) -> Array:
    """Return :func:`net_generalized_force` from the kinematics at the same state."""
    return generalized_body_force(tree, kinematics, wrenches) + _passive_joint_forces(tree, q, qdot) + tau


def generalized_body_force(tree: Tree, kinematics: BodyKinematics, wrenches: Array) -> Array:
    """Return ``J^T (f - M Jdot qdot) (..., k)`` with own and applied wrenches ``(..., n, 6)``."""
    f = (
        _gyroscopic_and_gravity_wrenches(tree, kinematics.body_poses, kinematics.phi)
        + wrenches
        - _matvec(tree.inertias, kinematics.bias_acceleration)
    )
    result: Array = np.einsum("...nai,...na->...i", kinematics.J, f)
    return result


def forward_dynamics_dense(
    tree: Tree, q: ArrayLike, qdot: ArrayLike, tau: ArrayLike = 0.0, wrenches: ArrayLike = 0.0
) -> Array:
    """Return the accelerations ``(..., k)`` under applied joint forces and wrenches (Sueda eq. (2.18)).

    They satisfy the constraints of joints on their own coordinates. The parameters are those of
    :func:`net_generalized_force`.

    Raises
    ------
    InvalidArgument
        If a shape does not fit.
    SingularConfiguration
        If the mass matrix is singular: some joint is in a singular state, or no mass moves with it. The
        message names the joints.
    """
    require_tree(tree)
    q, qdot = _check_state_vectors(tree, q, qdot)
    tau, wrenches = check_applied_forces(tree, tau, wrenches, q=q)
    kinematics = body_kinematics_unchecked(tree, q, qdot)
    force = _net_generalized_force(tree, kinematics, q, qdot, tau, wrenches)
    return solve_accelerations(tree, q, qdot, mass_matrix_from_jacobian(tree, q, kinematics.J), force)


def solve_accelerations(tree: Tree, q: Array, qdot: Array, M: Array, force: Array) -> Array:
    """Return ``qddot (..., k)`` from the regularized mass matrix and the net generalized force."""
    rows, bias_acceleration = coordinate_constraints(tree, q, qdot)
    return _solve_constrained_accelerations(
        tree, q, M, force[..., None], rows, -bias_acceleration[..., None]
    )[..., 0]


def _solve_constrained_accelerations(
    tree: Tree, q: Array, M: Array, forces: Array, rows: Array, targets: Array
) -> Array:
    """Return accelerations ``(..., k, m)`` under forces ``(..., k, m)`` with ``rows qddot = targets``."""
    qddot = solve_mass_matrix(tree, q, M, forces)
    if rows.shape[-2]:
        responses = solve_mass_matrix(tree, q, M, rows.mT)
        qddot = qddot + responses @ np.linalg.solve(rows @ responses, targets - rows @ qddot)
    return qddot


def inverse_dynamics_dense(
    tree: Tree, q: ArrayLike, qdot: ArrayLike, qddot: ArrayLike, wrenches: ArrayLike = 0.0
) -> Array:
    """Return the applied joint forces ``(..., k)`` for the accelerations ``qddot (..., k)``.

    They add to the springs, dampers, gravity and applied wrenches of :func:`net_generalized_force`.

    Raises
    ------
    InvalidArgument
        If a shape does not fit.
    """
    require_tree(tree)
    q, qdot, qddot = check_vectors(tree, q=q, qdot=qdot, qddot=qddot)
    return _inverse_dynamics_dense(tree, q, qdot, qddot, check_applied_forces(tree, 0.0, wrenches, q=q)[1])


def _inverse_dynamics_dense(tree: Tree, q: Array, qdot: Array, qddot: Array, wrenches: Array) -> Array:
    kinematics = body_kinematics_unchecked(tree, q, qdot)
    return _matvec(_mass_matrix_from_jacobian(tree, kinematics.J), qddot) - _net_generalized_force(
        tree, kinematics, q, qdot, np.zeros(()), wrenches
    )


def kinetic_energy(tree: Tree, q: ArrayLike, qdot: ArrayLike) -> Array:
    """Return the kinetic energy of all bodies ``(...)``, J.

    Raises
    ------
    InvalidArgument
        If the shape of ``q`` or ``qdot`` does not fit.
    """
    require_tree(tree)
    return kinetic_energy_from_twists(tree, twists_unchecked(tree, *_check_state_vectors(tree, q, qdot)))


def kinetic_energy_from_twists(tree: Tree, phi: Array) -> Array:
    """Return the kinetic energy from the body twists ``(..., n, 6)``."""
    result: Array = np.sum(phi * _matvec(tree.inertias, phi), axis=(-2, -1)) / 2
    return result


def rotor_energy_from_rates(armature: Array, qdot: Array) -> Array:
    """Return the kinetic energy ``(...)`` of rotors with these inertias ``(k,)`` from rates ``(..., k)``."""
    result: Array = np.sum(armature * qdot**2, axis=-1) / 2
    return result


def potential_energy(tree: Tree, q: ArrayLike) -> Array:
    """Return the potential energy of gravity and of the joints' springs ``(...)``, J.

    The potential of gravity is zero with every center of mass at the world's origin.

    Raises
    ------
    InvalidArgument
        If the shape of ``q`` does not fit.
    """
    require_tree(tree)
    q = tree.check_vector("q", q)
    return potential_energy_from_poses(tree, q, _poses_unchecked(tree, q).body_poses)


def potential_energy_from_poses(tree: Tree, q: Array, bodies: Array) -> Array:
    """Return the potential energy from the coordinates and the frames ``(..., n, 4, 4)`` of the bodies."""
    deflection = q - tree.joint_parameter("spring_reference")
    spring_energy: Array = np.sum(tree.joint_parameter("stiffness") * deflection**2, axis=-1) / 2
    return spring_energy + gravity_energy_from_poses(tree, bodies)


def gravity_energy_from_poses(tree: Tree, bodies: Array) -> Array:
    """Return the potential energy of gravity from the frames ``(..., n, 4, 4)`` of the bodies."""
    weights, centers = tree.weights_and_centers
    energy: Array = -np.sum(weights * se3.transform_points(bodies, centers), axis=(-2, -1))
    return energy


def spatial_momentum(tree: Tree, q: ArrayLike, qdot: ArrayLike) -> Array:
    """Return angular momentum about the world's origin and linear momentum ``(..., 6)`` in the world.

    Raises
    ------
    InvalidArgument
        If the shape of ``q`` or ``qdot`` does not fit.
    """
    require_tree(tree)
    q, qdot = _check_state_vectors(tree, q, qdot)
    momenta = _matvec(tree.inertias, twists_unchecked(tree, q, qdot))
    to_world = se3.Ad_inverse(_poses_unchecked(tree, q).body_poses)
    result: Array = np.einsum("...nba,...nb->...a", to_world, momenta)
    return result


def solve_mass_matrix(tree: Tree, q: Array, M: Array, forces: Array) -> Array:
    """Return ``M_r^-1 forces (..., k, m)``, for m forces at once.

    Raises
    ------
    SingularConfiguration
        If M_r is not positive definite to rounding; the message names the joints that move without inertia.
    """
    # Scaling by the diagonal makes the test independent of units and of the masses of the links.
    diagonal = np.diagonal(M, axis1=-2, axis2=-1) * _stacked_inertia_ratios(tree, q)
    scale = 1 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))[..., None]
    scaled = M * scale * scale.mT
    if scaled.size:
        values, vectors = np.linalg.eigh(scaled)
        smallest, directions = values[..., 0].ravel(), vectors[..., 0].reshape(-1, tree.num_coordinates)
        worst = int(np.argmin(smallest))
        if smallest[worst] < 100 * np.finfo(float).eps:
            raise _singular_mass_matrix_error(tree, float(smallest[worst]), directions[worst])
    return scale * np.linalg.solve(scaled, scale * forces)


def _stacked_inertia_ratios(tree: Tree, q: Array) -> Array:
    """Return the inertia of all coordinates ``(..., k)`` near q relative to that at q."""
    ratios = np.ones(q.shape)
    for link, coordinates in zip(tree.links, tree.coordinate_slices, strict=True):
        S = link.joint.compute_motion_subspace(q[..., coordinates])
        ratios[..., coordinates] = _nearby_inertia_ratios(link.joint, q[..., coordinates], S)
    return ratios


def _singular_mass_matrix_error(tree: Tree, smallest: float, direction: Array) -> SingularConfiguration:
    """Return the error for a mass matrix with this smallest eigenvalue and scaled eigenvector ``(k,)``."""
    moving = (np.abs(direction) > 0.1 * np.max(np.abs(direction))).nonzero()[0]
    names = [
        repr(link.name)
        for link, own in zip(tree.links, tree.coordinate_slices, strict=True)
        if np.any((own.start <= moving) & (moving < own.stop))
    ]
    got = f"a mass matrix that is singular along {', '.join(names)} (eigenvalue {smallest:.3g}, scaled)"
    return SingularConfiguration("q", got, "joints away from singular states, with inertia beyond them")


def check_applied_forces(
    tree: Tree, tau: ArrayLike, wrenches: ArrayLike, **vectors: Array
) -> tuple[Array, Array]:
    """Return forces and wrenches, broadcast to the leading axes of the given vectors."""
    tau, wrenches = arguments.array("tau", tau), arguments.array("wrenches", wrenches)
    n = len(tree.links)
    for name, value, shape in (("tau", tau, (tree.num_coordinates,)), ("wrenches", wrenches, (n, 6))):
        if value.ndim and value.shape[-len(shape) :] != shape:
            raise arguments.InvalidArgument(name, f"shape {value.shape}", f"shape (..., {shape}), or 0")
    leading = {name: value.shape[:-1] for name, value in vectors.items()}
    arguments.common_shape(**leading, tau=tau.shape[:-1], wrenches=wrenches.shape[:-2])
    return tau, wrenches


def _gyroscopic_and_gravity_wrenches(tree: Tree, bodies: Array, phi: Array) -> Array:
    momenta = _matvec(tree.inertias, phi)
    gyroscopic = _matvec(se3.ad(phi).mT, momenta)
    return gyroscopic + _gravity_wrenches(tree, bodies)


def _gravity_wrenches(tree: Tree, bodies: Array) -> Array:
    weights, centers = tree.weights_and_centers
    return se3.point_wrench(bodies, centers, weights)
