"""Forward dynamics by the square factors of the mass matrix (Si & Guenter 4, eqs. (18)-(35); appendix B).

Over the bodies, ``M = S^T G^T J G S`` has factors that are not square (:class:`SpatialOperators`).
The *articulated* inertia Jbar of a body, that with all joints beyond it free, gives
square ones: with the block diagonal ``Omega = S^T Jbar S`` and ``K = Jbar S Omega^-1``,

    Pi = Gamma^T K,    Y = (I - Gamma^T (I - K S^T))^-1,
    M = (I + S^T G^T Pi) Omega (I + S^T G^T Pi)^T,    M^-1 = (I - S^T Y Pi)^T Omega^-1 (I - S^T Y Pi).

``I - S^T Y Pi`` is upper triangular with ones on its diagonal; two sweeps apply it and its transpose.
The paper uses Y and Pi without defining them; these definitions make its equation (58) true.

The articulated-body algorithm propagates inertias and loads together. This one first computes the joint
forces at zero acceleration (inverse dynamics), and then the accelerations by the remaining forces.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.multibody.reduced.dynamics import (
    _coordinate_constraint_inertia,
    _gravity_wrenches,
    _passive_joint_forces,
    check_applied_forces,
)
from rbnotes.multibody.reduced.inverse_mass import _factor_mass_matrix
from rbnotes.multibody.reduced.kinematics import _check_state_vectors, _matvec, _poses_unchecked
from rbnotes.multibody.reduced.recursive_dynamics import _remove_constraint_components
from rbnotes.multibody.reduced.spatial_operators import (
    SpatialOperators,
    _block_diagonal,
    _motion_subspace_rates,
    _motion_subspaces,
    _parent_motion_transforms,
    _stacked_block_diagonal,
    _sum_child_wrenches,
    _transpose_matvec,
)
from rbnotes.multibody.reduced.tree import Tree
from rbnotes.unchecked import se3


class SquareFactors(NamedTuple):
    """Factors of the mass matrix, body by body, in the frames of the bodies.

    Attributes
    ----------
    A
        Adjoints ``(..., n, 6, 6)``, dimensionless and m, from the frames of the parents.
    S
        Motion subspace ``(..., 6, k_i)`` of each joint, rad and m per unit of its coordinates.
    articulated_inertias
        Jbar ``(..., n, 6, 6)``, kg, kg m and kg m^2: the inertia of each body with the joints beyond it free.
    Omega
        Joint inertias ``S_i^T Jbar_i S_i (..., k_i, k_i)``, kg m^2 or kg, with the joints before them locked.
    gain
        Gains ``K_i = Jbar_i S_i Omega_i^-1 (..., 6, k_i)``: wrench on each body by its joint's force.
    Y
        Maps ``A_i^T (I - K_i S_i^T) (..., n, 6, 6)``, dimensionless and m, from a wrench on the body to the
        wrench on its parent.
    Pi
        Wrench on the parent by the joint's force, ``A_i^T K_i (..., 6, k_i)``.
    """

    A: Array
    S: tuple[Array, ...]
    articulated_inertias: Array
    Omega: tuple[Array, ...]
    gain: tuple[Array, ...]
    Y: Array
    Pi: tuple[Array, ...]


class FactoredDynamicsResult(NamedTuple):
    """Results of Si & Guenter's six passes, with their letters; each body has a row, in its frame.

    Attributes
    ----------
    v
        Twists ``(..., n, 6)``, rad/s and m/s, eq. (20).
    a
        Joint terms of the rates of the twists ``(..., n, 6)``, rad/s^2 and m/s^2, eq. (19).
    b
        Gyroscopic wrenches less the loads ``(..., n, 6)``, N m and N, eq. (21).
    alpha
        Rates of the twists at qddot = 0 ``(..., n, 6)``, rad/s^2 and m/s^2, eq. (22).
    alpha_bar
        Wrenches on the bodies for these rates ``(..., n, 6)``, N m and N, eq. (23).
    p
        Wrenches in the joints for these rates ``(..., n, 6)``, N m and N, eq. (24).
    p_bar
        Joint forces for these rates ``(..., k)``, N m or N, eq. (25).
    tau_bar
        Remaining joint forces ``(..., k)``, N m or N, eq. (26).
    factors
        Factors of eqs. (27)-(30), which depend on q alone.
    z
        Wrenches that hold each body while tau_bar moves the joints beyond it ``(..., n, 6)``, N m and N, eq.
        (31).
    c
        Remainder of tau_bar at each joint ``(..., k)``, N m or N, eq. (32).
    c_bar
        Accelerations of the joints with those before them locked ``(..., k)``, rad/s^2 or m/s^2, eq. (33).
    eta
        Rates of the twists by the accelerations of joints ``(..., n, 6)``, rad/s^2 and m/s^2, eq. (34).
    qddot
        Accelerations of the joints ``(..., k)``, rad/s^2 or m/s^2, eq. (35).
    """

    v: Array
    a: Array
    b: Array
    alpha: Array
    alpha_bar: Array
    p: Array
    p_bar: Array
    tau_bar: Array
    factors: SquareFactors
    z: Array
    c: Array
    c_bar: Array
    eta: Array
    qddot: Array


class FactorMatrices(NamedTuple):
    """Factors of appendix B as matrices.

    Attributes
    ----------
    Jbar
        ``diag(Jbar_1, ..., Jbar_n)``, ``(..., 6 n, 6 n)``, kg, kg m and kg m^2.
    Omega
        ``diag(Omega_1, ..., Omega_n)``, ``(..., k, k)``, kg m^2 or kg.
    Y
        ``(I - Gamma^T (I - K S^T))^-1 (..., 6 n, 6 n)``, dimensionless and m, upper triangular.
    Pi
        ``Gamma^T K (..., 6 n, k)``, dimensionless and m, upper triangular by blocks, zero on the diagonal.
    unit_triangular
        ``I - S^T Y Pi (..., k, k)``, dimensionless among joints of one kind, upper triangular by blocks with
        ones on the diagonal.
    unit_triangular_inverse
        ``I + S^T G^T Pi (..., k, k)``, dimensionless in the same way, its inverse.
    """

    Jbar: Array
    Omega: Array
    Y: Array
    Pi: Array
    unit_triangular: Array
    unit_triangular_inverse: Array

    @property
    def mass_matrix(self) -> Array:
        """Mass matrix ``(I + S^T G^T Pi) Omega (I + S^T G^T Pi)^T``."""
        result: Array = self.unit_triangular_inverse @ self.Omega @ self.unit_triangular_inverse.mT
        return result

    @property
    def inverse_mass_matrix(self) -> Array:
        """Inverse mass matrix ``(I - S^T Y Pi)^T Omega^-1 (I - S^T Y Pi)`` (eq. (58))."""
        result: Array = self.unit_triangular.mT @ np.linalg.solve(self.Omega, self.unit_triangular)
        return result


def square_factors(tree: Tree, q: ArrayLike) -> SquareFactors:
    """Return the articulated inertias and gains (Si & Guenter eqs. (27)-(30)).

    They come from the sweep of :func:`~rbnotes.multibody.reduced.factor_mass_matrix`, in the frames of the
    bodies. An inertia is added along the constrained coordinates of joints, as in the regularized mass
    matrix.

    Raises
    ------
    InvalidArgument
        If the shape of ``q`` does not fit.
    SingularConfiguration
        If some joint is in a singular state, or no mass moves with it; the message names it.
    """
    arguments.require_instance("tree", tree, Tree)
    return _square_factors(tree, tree.check_vector("q", q))


def _square_factors(tree: Tree, q: Array) -> SquareFactors:
    """Return the factors of a valid configuration, without checks."""
    A, S = _parent_motion_transforms(tree, q), _motion_subspaces(tree, q)
    articulated, Y = np.zeros_like(A), np.zeros_like(A)
    Omega, gain, Pi = [], [], []
    to_joints = se3.Ad(tree.body_frames)
    for i, pivot in enumerate(
        _factor_mass_matrix(tree, q, np.zeros((tree.num_coordinates, tree.num_coordinates))).pivots
    ):
        Xt, St = A[..., i, :, :].mT, S[i].mT
        J = to_joints[i].T @ pivot.articulated_inertia @ to_joints[i]
        K = J @ S[i] @ pivot.inverse_joint_inertia
        articulated[..., i, :, :], Y[..., i, :, :] = J, Xt @ (np.eye(6) - K @ St)
        Omega.append(St @ J @ S[i] + _coordinate_constraint_inertia(tree, q, i))
        gain.append(K)
        Pi.append(Xt @ K)
    return SquareFactors(A, S, articulated, tuple(Omega), tuple(gain), Y, tuple(Pi))


def factored_dynamics(
    tree: Tree, q: ArrayLike, qdot: ArrayLike, tau: ArrayLike = 0.0, wrenches: ArrayLike = 0.0
) -> FactoredDynamicsResult:
    """Return the results of forward dynamics in six passes over the tree (eqs. (18)-(35)).

    The parameters and the accelerations are those of :func:`rbnotes.multibody.reduced.forward_dynamics`.
    Neither the mass matrix nor the Jacobian is formed, and the cost grows linearly with the number of links.

    Raises
    ------
    InvalidArgument
        If a shape does not fit.
    SingularConfiguration
        As for :func:`square_factors`.
    """
    arguments.require_instance("tree", tree, Tree)
    q, qdot = _check_state_vectors(tree, q, qdot)
    tau, wrenches = check_applied_forces(tree, tau, wrenches)
    leading = arguments.common_shape(q=q.shape[:-1], tau=tau.shape[:-1], wrenches=wrenches.shape[:-2])
    q, qdot = (
        np.broadcast_to(q, (*leading, tree.num_coordinates)),
        np.broadcast_to(qdot, (*leading, tree.num_coordinates)),
    )
    factors = _square_factors(tree, q)
    A, S, n = factors.A, factors.S, len(tree.links)
    Sdot, slices = _motion_subspace_rates(tree, q, qdot), tree.coordinate_slices
    load = _gravity_wrenches(tree, _poses_unchecked(tree, q).body_poses) + wrenches
    v, a, b, alpha, alpha_bar, p, z, eta = np.zeros((8, *leading, n, 6))
    p_bar, c, c_bar, qddot = np.zeros((4, *leading, tree.num_coordinates))

    # Passes 1 and 2, from the roots: twists and their rates at qddot = 0.
    for i, parent in enumerate(tree.parents):
        J = tree.inertias[i]
        own_twist = _matvec(S[i], qdot[..., slices[i]])
        if parent >= 0:
            v[..., i, :] = _matvec(A[..., i, :, :], v[..., parent, :])
            alpha[..., i, :] = _matvec(A[..., i, :, :], alpha[..., parent, :])
        a[..., i, :] = _matvec(Sdot[i], qdot[..., slices[i]]) - _matvec(se3.ad(own_twist), v[..., i, :])
        v[..., i, :] += own_twist
        b[..., i, :] = -_transpose_matvec(se3.ad(v[..., i, :]), _matvec(J, v[..., i, :])) - load[..., i, :]
        alpha[..., i, :] += a[..., i, :]
        alpha_bar[..., i, :] = _matvec(J, alpha[..., i, :]) + b[..., i, :]

    # Pass 3, from the leaves: the joint forces for these rates, and the remaining joint forces.
    for i in reversed(range(n)):
        p[..., i, :] = _sum_child_wrenches(tree, p, A, i) + alpha_bar[..., i, :]
        p_bar[..., slices[i]] = _transpose_matvec(S[i], p[..., i, :])
    tau_bar: Array = tau + _passive_joint_forces(tree, q, qdot) - p_bar

    # Passes 4 (the factors) and 5, from the leaves.
    for i in reversed(range(n)):
        for child in tree.children[i]:
            z[..., i, :] += _matvec(factors.Y[..., child, :, :], z[..., child, :])
            z[..., i, :] += _matvec(factors.Pi[child], tau_bar[..., slices[child]])
        c[..., slices[i]] = tau_bar[..., slices[i]] - _transpose_matvec(S[i], z[..., i, :])
        c_bar[..., slices[i]] = np.linalg.solve(factors.Omega[i], c[..., slices[i], None])[..., 0]

    # Pass 6, from the roots.
    for i, parent in enumerate(tree.parents):
        qddot[..., slices[i]] = c_bar[..., slices[i]]
        if parent >= 0:
            qddot[..., slices[i]] -= _transpose_matvec(factors.Pi[i], eta[..., parent, :])
            eta[..., i, :] = _transpose_matvec(factors.Y[..., i, :, :], eta[..., parent, :])
        eta[..., i, :] += _matvec(S[i], c_bar[..., slices[i]])
    # Nothing else moves along the constrained coordinates of joints.
    qddot, constraint_accelerations = _remove_constraint_components(tree, q, qdot, qddot)
    qddot += constraint_accelerations
    return FactoredDynamicsResult(
        v, a, b, alpha, alpha_bar, p, p_bar, tau_bar, factors, z, c, c_bar, eta, qddot
    )


def factor_matrices(tree: Tree, q: ArrayLike) -> FactorMatrices:
    """Return the factors of appendix B as matrices, by their definitions in this module.

    Raises
    ------
    InvalidArgument
        If the shape of ``q`` does not fit.
    """
    operators = SpatialOperators(tree, q)
    factors = _square_factors(tree, operators.q)
    S, K, Gt = operators.S, _block_diagonal(factors.gain), operators.Gamma.mT
    St, bodies, joints = S.mT, np.eye(6 * len(tree.links)), np.eye(tree.num_coordinates)
    Y, Pi = np.linalg.inv(bodies - Gt @ (bodies - K @ St)), Gt @ K
    return FactorMatrices(
        _stacked_block_diagonal(factors.articulated_inertias),
        _block_diagonal(factors.Omega),
        Y,
        Pi,
        joints - St @ Y @ Pi,
        joints + St @ operators.G.mT @ Pi,
    )
