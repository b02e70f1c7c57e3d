"""Exact derivatives of the dynamics of a tree with respect to coordinates and velocities (Sueda 2.5).

The derivatives of inverse dynamics have three parts; linearly implicit steps omit most of them (Sueda eq.
(2.79)). *Twists and accelerations* of the bodies change, by one sweep from roots to leaves like that of the
Jacobian; *wrenches* change with them and with the poses; and so does the *Jacobian* that projects wrenches on
the joints, which causes a geometric stiffness. Most terms come from one bracket: seen from a frame that moves
with a column S_l of its joint, every twist x from further up changes by ``-ad(S_l) x = ad(x) S_l``.

Derivatives with respect to q hold qdot and qddot constant, those with respect to qdot hold q and qddot. The
coordinate is the last axis. Joints contribute the derivative of S, and the second derivatives of S along the
velocities (``bias_acceleration_derivative``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.multibody.reduced.dynamics import (
    _gyroscopic_and_gravity_wrenches,
    _mass_matrix_from_jacobian,
    _net_generalized_force,
    _solve_constrained_accelerations,
    check_applied_forces,
    coordinate_constraints,
    mass_matrix_from_jacobian,
    solve_accelerations,
)
from rbnotes.multibody.reduced.jacobian_products import subtree_wrenches
from rbnotes.multibody.reduced.kinematics import (
    _check_state_vectors,
    _jacobian,
    _matvec,
    _poses,
    body_kinematics_unchecked,
    check_vectors,
    relative_joint_poses,
)
from rbnotes.multibody.reduced.link import require_tree
from rbnotes.unchecked import se3, so3

if TYPE_CHECKING:
    from rbnotes.multibody.reduced.tree import Tree


class DynamicsDerivatives(NamedTuple):
    """Derivatives of joint forces or accelerations ``(..., k)``.

    Attributes
    ----------
    q
        Derivative ``(..., k, k)`` with respect to the coordinates, in the unit of the value per rad or m.
    qdot
        Derivative ``(..., k, k)`` with respect to the velocities, in the unit of the value per rad/s or m/s.
    """

    q: Array
    qdot: Array


class KinematicsDerivatives(NamedTuple):
    """Kinematics of a tree and their derivatives; twists are in body coordinates.

    Attributes
    ----------
    body_poses
        Frames of the bodies ``(..., n, 4, 4)``, m.
    phi
        Body twists ``(..., n, 6)``, rad/s and m/s.
    J
        Jacobian ``(..., n, 6, k)``: derivative of the twists with respect to qdot, and of their rates with
        respect to qddot, rad and m per unit of the coordinates.
    phi_q
        Derivative ``(..., n, 6, k)`` of the twists with respect to q, rad/s and m/s per unit of the
        coordinates.
    phidot
        Rates ``(..., n, 6)`` of the twists, rad/s^2 and m/s^2, ``J qddot + Jdot qdot``.
    phidot_q
        Derivative ``(..., n, 6, k)`` of the rates with respect to q, rad/s^2 and m/s^2 per unit of the
        coordinates.
    phidot_qdot
        Derivative ``(..., n, 6, k)`` of the rates with respect to qdot, rad/s and m/s per unit of the
        coordinates.
    """

    body_poses: Array
    phi: Array
    J: Array
    phi_q: Array
    phidot: Array
    phidot_q: Array
    phidot_qdot: Array


def kinematics_derivatives(
    tree: Tree, q: ArrayLike, qdot: ArrayLike, qddot: ArrayLike
) -> KinematicsDerivatives:
    """Return twists and their rates for all bodies, with all derivatives, by one sweep from the roots.

    Raises
    ------
    InvalidArgument
        If the shape of ``q``, ``qdot`` or ``qddot`` does not fit.
    """
    require_tree(tree)
    return _kinematics_derivatives(tree, *check_vectors(tree, q=q, qdot=qdot, qddot=qddot))


def _kinematics_derivatives(tree: Tree, q: Array, qdot: Array, qddot: Array) -> KinematicsDerivatives:
    """Propagate twists, their rates and the derivatives of both from the root outwards."""
    relative_poses = relative_joint_poses(tree, q)
    A = se3.Ad_inverse(relative_poses)
    J = _jacobian(tree, q, A)
    # One more row than there are links: the last one, index -1, is the world at rest.
    shape = (*q.shape[:-1], len(tree.links) + 1, 6)
    phi, rate = np.zeros(shape), np.zeros(shape)
    phi_q, rate_q, rate_qdot = (np.zeros((*shape, tree.num_coordinates)) for _ in range(3))
    for i, (link, parent, coordinates) in enumerate(
        zip(tree.links, tree.parents, tree.coordinate_slices, strict=True)
    ):
        v, a, S = qdot[..., coordinates], qddot[..., coordinates], J[..., i, :, coordinates]
        dS, adjoint = link.joint.compute_motion_subspace_derivative(q[..., coordinates]), A[..., i, :, :]
        Sdot, subspace_derivative = (
            np.einsum("...ijl,...l->...ij", dS, v),
            _subspace_derivative_product(dS, v),
        )
        twist, parent_twist = _matvec(S, v), _matvec(adjoint, phi[..., parent, :])
        parent_rate = _matvec(adjoint, rate[..., parent, :])
        joint_ad, parent_ad = se3.ad(twist), se3.ad(parent_twist)

        phi[..., i, :] = parent_twist + twist
        rate[..., i, :] = parent_rate + _matvec(parent_ad, twist) + _matvec(S, a) + _matvec(Sdot, v)

        parent_twist_q = adjoint @ phi_q[..., parent, :, :]
        parent_twist_q[..., coordinates] = parent_ad @ S
        phi_q[..., i, :, :] = parent_twist_q
        phi_q[..., i, :, coordinates] += subspace_derivative

        rate_q[..., i, :, :] = adjoint @ rate_q[..., parent, :, :] - joint_ad @ parent_twist_q
        rate_q[..., i, :, coordinates] += se3.ad(parent_rate) @ S + parent_ad @ subspace_derivative
        rate_q[..., i, :, coordinates] += _subspace_derivative_product(
            dS, a
        ) + link.joint.compute_bias_acceleration_derivative(q[..., coordinates], v)

        parent_twist_qdot = J[..., i, :, :].copy()
        parent_twist_qdot[..., coordinates] = 0
        rate_qdot[..., i, :, :] = adjoint @ rate_qdot[..., parent, :, :] - joint_ad @ parent_twist_qdot
        rate_qdot[..., i, :, coordinates] += parent_ad @ S + Sdot + subspace_derivative
    links, to_bodies = slice(len(tree.links)), tree.joint_to_body_adjoints
    phi, rate = (_matvec(to_bodies, each[..., links, :]) for each in (phi, rate))
    phi_q, rate_q, rate_qdot = (to_bodies @ each[..., links, :, :] for each in (phi_q, rate_q, rate_qdot))
    return KinematicsDerivatives(
        _poses(tree, relative_poses).body_poses, phi, to_bodies @ J, phi_q, rate, rate_q, rate_qdot
    )


def body_wrench_derivatives(tree: Tree, derivatives: KinematicsDerivatives) -> tuple[Array, Array, Array]:
    """Return gravity, gyroscopic and inertial wrenches ``(..., n, 6)``, and their derivatives.

    The derivatives ``(..., n, 6, k)`` are with respect to q and to qdot.
    """
    M, phi, J = tree.inertias, derivatives.phi, derivatives.J
    wrenches = _gyroscopic_and_gravity_wrenches(tree, derivatives.body_poses, phi) - _matvec(
        M, derivatives.phidot
    )
    gyroscopic = se3.ad(phi).mT @ M + wrench_cross_matrix(_matvec(M, phi))
    wrenches_q = (
        gyroscopic @ derivatives.phi_q
        + _gravity_wrench_derivative(tree, derivatives.body_poses) @ J
        - M @ derivatives.phidot_q
    )
    return wrenches, wrenches_q, gyroscopic @ J - M @ derivatives.phidot_qdot


def geometric_stiffness(tree: Tree, q: ArrayLike, wrenches: ArrayLike) -> Array:
    """Return ``d(J^T f)/dq (..., k, k)`` for constant body wrenches ``f (..., n, 6)``.

    Wrenches are added up from leaves to roots; a joint that rotates the wrenches from beyond it changes the
    forces at all joints before it.

    Raises
    ------
    InvalidArgument
        If the shape of ``q`` or ``wrenches`` does not fit.
    """
    require_tree(tree)
    return _geometric_stiffness(tree, tree.check_vector("q", q), check_applied_forces(tree, 0.0, wrenches)[1])


def _geometric_stiffness(tree: Tree, q: Array, wrenches: Array) -> Array:
    """Return the derivative of ``J^T wrenches`` with respect to q, for constant wrenches in body frames."""
    shape = arguments.common_shape(q=q.shape[:-1], wrenches=wrenches.shape[:-2])
    q, wrenches = (
        np.broadcast_to(q, (*shape, tree.num_coordinates)),
        np.broadcast_to(wrenches, (*shape, len(tree.links), 6)),
    )
    A = se3.Ad_inverse(relative_joint_poses(tree, q))
    J = _jacobian(tree, q, A)
    total = subtree_wrenches(tree, wrenches, A)
    result = np.zeros((*shape, tree.num_coordinates, tree.num_coordinates))
    for i in range(len(tree.links)):
        coordinates, wrench = tree.coordinate_slices[i], total[..., i, :]
        S = J[..., i, :, coordinates]
        result[..., :, coordinates] = -J[..., i, :, :].mT @ wrench_cross_matrix(wrench) @ S
        result[..., coordinates, coordinates] = np.einsum(
            "...a,...amj->...mj",
            wrench,
            tree.links[i].joint.compute_motion_subspace_derivative(q[..., coordinates]),
        )
    return result


def inverse_dynamics_derivatives(
    tree: Tree, q: ArrayLike, qdot: ArrayLike, qddot: ArrayLike, wrenches: ArrayLike = 0.0
) -> DynamicsDerivatives:
    """Return the derivatives of inverse dynamics with respect to q and qdot.

    The derivative with respect to qddot is the mass matrix. The applied wrenches are constant in body
    coordinates. The terms of springs, dampers and other forces on bodies are in
    :meth:`~rbnotes.multibody.reduced.Tree.linearized_residual`.

    Raises
    ------
    InvalidArgument
        If a shape does not fit.
    """
    require_tree(tree)
    q, qdot, qddot = check_vectors(tree, q=q, qdot=qdot, qddot=qddot)
    return _inverse_dynamics_derivatives(
        tree, q, qdot, qddot, check_applied_forces(tree, 0.0, wrenches, q=q)[1]
    )


def _inverse_dynamics_derivatives(
    tree: Tree, q: Array, qdot: Array, qddot: Array, wrenches: Array
) -> DynamicsDerivatives:
    """Return the derivatives of the forces that inverse dynamics requires."""
    derivatives = _kinematics_derivatives(tree, q, qdot, qddot)
    body_wrenches, wrenches_q, wrenches_qdot = body_wrench_derivatives(tree, derivatives)
    geometric = _geometric_stiffness(tree, q, body_wrenches + wrenches)
    stiffness, damping = (np.diag(tree.joint_parameter(field)) for field in ("stiffness", "damping"))
    generalized = (
        np.einsum("...nai,...naj->...ij", derivatives.J, each) for each in (wrenches_q, wrenches_qdot)
    )
    tau_q, tau_qdot = generalized
    return DynamicsDerivatives(stiffness - tau_q - geometric, damping - tau_qdot)


def forward_dynamics_derivatives(
    tree: Tree, q: ArrayLike, qdot: ArrayLike, tau: ArrayLike = 0.0, wrenches: ArrayLike = 0.0
) -> DynamicsDerivatives:
    """Return the derivatives of :func:`~rbnotes.multibody.reduced.forward_dynamics` at constant forces.

    The derivatives are along increments of the coordinates, by which states of a tree move. If joints have
    constraints on their own coordinates, accelerations satisfy these near the state, too: in ``M qddot - f =
    G^T mu`` and ``G qddot = -Gdot qdot`` both sides change, G among them. The derivatives along the allowed
    directions (of a quaternion, perpendicular to it) are those on a path of unit quaternions; the others
    describe coordinates that have drifted off.

    Raises
    ------
    InvalidArgument
        If a shape does not fit.
    SingularConfiguration
        As for forward dynamics.
    """
    require_tree(tree)
    q, qdot = _check_state_vectors(tree, q, qdot)
    tau, wrenches = check_applied_forces(tree, tau, wrenches, q=q)
    kinematics = body_kinematics_unchecked(tree, q, qdot)
    force = _net_generalized_force(tree, kinematics, q, qdot, tau, wrenches)
    M = mass_matrix_from_jacobian(tree, q, kinematics.J)
    qddot = solve_accelerations(tree, q, qdot, M, force)
    q, qdot = np.broadcast_to(q, qddot.shape), np.broadcast_to(qdot, qddot.shape)
    inverse = _inverse_dynamics_derivatives(tree, q, qdot, qddot, wrenches)
    G, _ = coordinate_constraints(tree, q, qdot)
    G_transpose = G.mT
    constraint_force = _matvec(_mass_matrix_from_jacobian(tree, kinematics.J), qddot) - force
    mu = np.linalg.solve(G @ G_transpose, G @ constraint_force[..., None])[..., 0]
    constraint_force_q, constraint_acceleration_q, constraint_acceleration_qdot = _constraint_derivatives(
        tree, q, qdot, qddot, mu
    )
    return DynamicsDerivatives(
        _solve_constrained_accelerations(
            tree, q, M, constraint_force_q - inverse.q, G, -constraint_acceleration_q
        ),
        _solve_constrained_accelerations(tree, q, M, -inverse.qdot, G, -constraint_acceleration_qdot),
    )


def _constraint_derivatives(
    tree: Tree, q: Array, qdot: Array, qddot: Array, mu: Array
) -> tuple[Array, Array, Array]:
    """Return ``d(G^T mu)/dq (..., k, k)``, and d/dq and d/dqdot of ``G qddot + Gdot qdot (..., c, k)``."""
    force_q = np.zeros((*mu.shape[:-1], tree.num_coordinates, tree.num_coordinates))
    acceleration_q = np.zeros((*mu.shape, tree.num_coordinates))
    acceleration_qdot = acceleration_q.copy()
    end = 0
    for link, own in zip(tree.links, tree.coordinate_slices, strict=True):
        joint, rows = link.joint, slice(end, end + link.joint.num_coordinate_constraints)
        if joint.num_coordinate_constraints:
            joint_q, joint_qdot = q[..., own], qdot[..., own]
            each = np.broadcast_arrays(joint_q[..., None, :], np.eye(joint.num_coordinates))
            dG = joint.compute_coordinate_constraint_jacobian_rate(*each)
            force_q[..., own, own] = np.einsum("...lcj,...c->...jl", dG, mu[..., rows])
            acceleration_q[..., rows, own] = np.einsum("...lcj,...j->...cl", dG, qddot[..., own])
            acceleration_q[..., rows, own] += joint.compute_coordinate_constraint_bias_derivative(
                joint_q, joint_qdot
            )
            acceleration_qdot[..., rows, own] = np.einsum("...lcj,...j->...cl", dG, joint_qdot)
            acceleration_qdot[..., rows, own] += joint.compute_coordinate_constraint_jacobian_rate(
                joint_q, joint_qdot
            )
        end = rows.stop
    return force_q, acceleration_q, acceleration_qdot


def wrench_cross_matrix(wrenches: Array) -> Array:
    """Return matrices ``(..., 6, 6)`` that map a twist xi to ``ad(xi)^T f``, for wrenches ``f (..., 6)``."""
    moment, force = so3.hat(wrenches[..., :3]), so3.hat(wrenches[..., 3:])
    upper = np.concatenate([moment, force], axis=-1)
    return np.concatenate([upper, np.concatenate([force, np.zeros_like(force)], axis=-1)], axis=-2)


def _gravity_wrench_derivative(tree: Tree, bodies: Array) -> Array:
    """Return the derivatives ``(..., n, 6, 6)`` of gravity wrenches along rotations of the bodies."""
    weights, centers = tree.weights_and_centers
    local = np.einsum("...nji,nj->...ni", bodies[..., :3, :3], weights)
    result = np.zeros((*local.shape[:-1], 6, 6))
    result[..., :3] = se3.Gamma(centers).mT @ so3.hat(local)
    return result


def _subspace_derivative_product(dS: Array, rates: Array) -> Array:
    """Return the derivative ``(..., 6, k)`` of ``S rates`` at constant rates."""
    result: Array = np.einsum("...ijl,...j->...il", dS, rates)
    return result
