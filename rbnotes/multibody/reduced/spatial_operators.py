"""Spatial operators: the equations of motion as products of sparse matrices (Si & Guenter, appendix A).

The twists of all n bodies form one column, six numbers each, in the frames of the bodies. Row i of a block
matrix belongs to body i. The adjoint A_i of the inverse of the body's pose G_i in the parent's body frame (in
the world, for a root) maps twists from the parent to the body:

    v = Gamma v + S qdot,      f = Gamma^T f + J vdot + ad_v J v + f_e,      tau = S^T f,

where Gamma holds A_i in row i and in the column of its parent. The chain of parents ends after at most n
steps: Gamma is nilpotent, and G = (I - Gamma)^-1 is a finite sum. With it,

    M = S^T G^T J G S.

These matrices serve reading and checking; :mod:`rbnotes.multibody.reduced.square_factorization` takes O(n).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, ArrayField
from rbnotes.multibody.reduced.dynamics import (
    _gravity_wrenches,
    _passive_joint_forces,
    check_applied_forces,
)
from rbnotes.multibody.reduced.kinematics import (
    _check_state_vectors,
    _matvec,
    _poses_unchecked,
    relative_joint_poses,
)
from rbnotes.multibody.reduced.tree import Tree
from rbnotes.unchecked import se3
from rbnotes.unchecked.frozen import set_writable_fields


def parent_motion_transforms(tree: Tree, q: ArrayLike) -> Array:
    """Return A ``(..., n, 6, 6)``, which maps twists from the body frame of each link's parent to its own.

    The parent of a root is the world, whose frame is the identity (Si & Guenter 4, eqs. (6), (8)).

    Raises
    ------
    InvalidArgument
        If the shape of ``q`` does not fit.
    """
    arguments.require_instance("tree", tree, Tree)
    return _parent_motion_transforms(tree, tree.check_vector("q", q))


def _parent_motion_transforms(tree: Tree, q: Array) -> Array:
    relative_poses = relative_joint_poses(tree, q)
    parent_frames = np.array(
        [np.eye(4) if parent < 0 else tree.body_frames[parent] for parent in tree.parents]
    )
    return se3.Ad_inverse(se3.inverse(parent_frames.reshape(-1, 4, 4)) @ relative_poses @ tree.body_frames)


def motion_subspaces(tree: Tree, q: ArrayLike) -> tuple[Array, ...]:
    """Return S_i ``(..., 6, k_i)``: each body's twist relative to its parent is ``S_i qdot_i`` (eq. (9)).

    Raises
    ------
    InvalidArgument
        If the shape of ``q`` does not fit.
    """
    arguments.require_instance("tree", tree, Tree)
    return _motion_subspaces(tree, tree.check_vector("q", q))


def _motion_subspaces(tree: Tree, q: Array) -> tuple[Array, ...]:
    pairs = zip(tree.links, tree.joint_to_body_adjoints, tree.coordinate_slices, strict=True)
    return tuple(A @ link.joint.compute_motion_subspace(q[..., own]) for link, A, own in pairs)


def _motion_subspace_rates(tree: Tree, q: Array, qdot: Array) -> tuple[Array, ...]:
    """Return Sdot_i ``(..., 6, k_i)`` of each link (Si & Guenter 4, eq. (12))."""
    pairs = zip(tree.links, tree.joint_to_body_adjoints, tree.coordinate_slices, strict=True)
    return tuple(
        A @ link.joint.compute_motion_subspace_rate(q[..., own], qdot[..., own]) for link, A, own in pairs
    )


def _sum_child_wrenches(tree: Tree, wrenches: Array, A: Array, i: int) -> Array:
    """Return the sum ``(..., 6)`` of the wrenches ``(..., n, 6)`` of the children of link i, in its frame."""
    total: Array = np.zeros(6)
    for child in tree.children[i]:
        total = total + _transpose_matvec(A[..., child, :, :], wrenches[..., child, :])
    return total


@dataclass(frozen=True, eq=False)
class SpatialOperators:
    """Matrices of Si & Guenter's appendix A at one state, each built on first use.

    Rows and columns of bodies come in sixes. Leading axes of q and qdot broadcast.

    Attributes
    ----------
    tree
        Links and their joints.
    q
        Coordinates ``(..., k)``, rad or m.
    qdot
        Velocities ``(..., k)``, rad/s or m/s; zero by default.
    wrenches
        Applied wrenches ``(..., n, 6)`` besides the weights, N m and N, in body coordinates.

    Raises
    ------
    InvalidArgument
        If the shape of ``q``, ``qdot`` or ``wrenches`` does not fit.
    """

    tree: Tree
    q: ArrayField
    qdot: ArrayField = None
    wrenches: ArrayField = 0.0

    def __post_init__(self) -> None:
        arguments.require_instance("tree", self.tree, Tree)
        rates = np.zeros(self.tree.num_coordinates) if self.qdot is None else self.qdot
        q, qdot = _check_state_vectors(self.tree, self.q, rates)
        _, wrenches = check_applied_forces(self.tree, 0.0, self.wrenches, q=q)
        set_writable_fields(self, q=q, qdot=qdot, wrenches=wrenches)

    @property
    def _n(self) -> int:
        return len(self.tree.links)

    @cached_property
    def S(self) -> Array:
        """Motion subspaces of all joints, ``diag(S_1, ..., S_n) (..., 6 n, k)``."""
        return _block_diagonal(_motion_subspaces(self.tree, self.q))

    @cached_property
    def Sdot(self) -> Array:
        """Rate of S, ``(..., 6 n, k)``."""
        return _block_diagonal(_motion_subspace_rates(self.tree, self.q, self.qdot))

    @cached_property
    def J(self) -> Array:
        """Spatial inertias of the bodies, ``diag(J_1, ..., J_n) (6 n, 6 n)``."""
        return _stacked_block_diagonal(self.tree.inertias)

    @cached_property
    def M_lambda(self) -> Array:
        """Adjoints from parents to bodies, ``diag(A_1, ..., A_n) (..., 6 n, 6 n)``."""
        return _stacked_block_diagonal(_parent_motion_transforms(self.tree, self.q))

    @cached_property
    def Theta(self) -> Array:
        """Selection matrix ``(6 n, 6 n)`` of the parent of each body, zero for roots (eq. (38))."""
        is_parent = np.array([[p == j for j in range(self._n)] for p in self.tree.parents], dtype=float)
        result: Array = np.kron(is_parent.reshape(self._n, self._n), np.eye(6))
        return result

    @cached_property
    def Gamma(self) -> Array:
        """Product ``M_lambda Theta``, ``(..., 6 n, 6 n)``: from twists of parents to children (eq. (43))."""
        result: Array = self.M_lambda @ self.Theta
        return result

    @cached_property
    def G(self) -> Array:
        """Sum ``I + Gamma + Gamma^2 + ... = (I - Gamma)^-1 (..., 6 n, 6 n)`` (eqs. (44), (45), (59)).

        Row i holds, in the column of each ancestor, the adjoint from there: filled from the parent's row.
        """
        A = _parent_motion_transforms(self.tree, self.q)
        G = np.zeros((*A.shape[:-3], 6 * self._n, 6 * self._n))
        for i, parent in enumerate(self.tree.parents):
            rows = slice(6 * i, 6 * i + 6)
            if parent >= 0:
                G[..., rows, :] = A[..., i, :, :] @ G[..., 6 * parent : 6 * parent + 6, :]
            G[..., rows, rows] = np.eye(6)
        return G

    @cached_property
    def v(self) -> Array:
        """Body twists ``G S qdot (..., 6 n)`` (eq. (41))."""
        return _matvec(self.G, _matvec(self.S, self.qdot))

    @cached_property
    def ad_Sqdot(self) -> Array:
        """``diag(-ad_{S_i qdot_i})``, ``(..., 6 n, 6 n)``; the minus sign is part of the symbol."""
        return -_stacked_block_diagonal(se3.ad(self._split_bodies(_matvec(self.S, self.qdot))))

    @cached_property
    def ad_v(self) -> Array:
        """``diag(-ad_{v_i}^T)``, ``(..., 6 n, 6 n)``; the minus sign is part of the symbol.

        The paper prints it with a dot over v: the twists are meant, not their rates.
        """
        return -_stacked_block_diagonal(se3.ad(self._split_bodies(self.v)).mT)

    @cached_property
    def f_e(self) -> Array:
        """Weights and applied wrenches of the bodies ``(..., 6 n)``, with a minus sign."""
        load: Array = (
            _gravity_wrenches(self.tree, _poses_unchecked(self.tree, self.q).body_poses) + self.wrenches
        )
        return -load.reshape(*load.shape[:-2], 6 * self._n)

    @cached_property
    def a(self) -> Array:
        """Joint terms of the twists' rates, ``ad_Sqdot Gamma v + Sdot qdot (..., 6 n)`` (eq. (56))."""
        return _matvec(self.ad_Sqdot @ self.Gamma, self.v) + _matvec(self.Sdot, self.qdot)

    @cached_property
    def b(self) -> Array:
        """Gyroscopic wrenches less the loads, ``ad_v J v + f_e (..., 6 n)`` (eq. (57))."""
        return _matvec(self.ad_v @ self.J, self.v) + self.f_e

    @cached_property
    def mass_matrix(self) -> Array:
        """Mass matrix ``S^T G^T J G S (..., k, k)`` (eq. (51))."""
        J = self.G @ self.S
        result: Array = J.mT @ self.J @ J
        return result

    @cached_property
    def coriolis_matrix(self) -> Array:
        """Coriolis matrix C ``(..., k, k)`` (eq. (52)): ``C qdot`` are the bias forces without loads."""
        J = self.G @ self.S
        rate_momentum = self.J @ self.G @ (self.ad_Sqdot @ self.Gamma @ J + self.Sdot)
        result: Array = J.mT @ (rate_momentum + self.ad_v @ self.J @ J)
        return result

    @cached_property
    def load_forces(self) -> Array:
        """Joint forces phi ``(..., k) = S^T G^T f_e`` that balance the loads (eq. (53))."""
        return _matvec((self.G @ self.S).mT, self.f_e)

    def net_generalized_force(self, tau: ArrayLike = 0.0) -> Array:
        """Return ``tau - S^T G^T (J G a + b) (..., k)``, the force that accelerates the joints (eq. (55)).

        The forces of springs and dampers of the joints are added to tau.

        Raises
        ------
        InvalidArgument
            If the shape of ``tau`` does not fit.
        """
        tau, _ = check_applied_forces(self.tree, tau, 0.0)
        bias = _matvec(self.G.mT, _matvec(self.J @ self.G, self.a) + self.b)
        return tau + _passive_joint_forces(self.tree, self.q, self.qdot) - _matvec(self.S.mT, bias)

    def _split_bodies(self, x: Array) -> Array:
        return x.reshape(*x.shape[:-1], self._n, 6)


def _transpose_matvec(A: Array, x: Array) -> Array:
    return _matvec(A.mT, x)


def _stacked_block_diagonal(blocks: Array) -> Array:
    """Return blocks ``(..., n, a, b)`` as a block diagonal matrix ``(..., n a, n b)``."""
    return _block_diagonal([blocks[..., i, :, :] for i in range(blocks.shape[-3])])


def _block_diagonal(blocks: Any) -> Array:
    """Return blocks ``(..., a_i, b_i)`` in one block diagonal matrix."""
    rows, columns = sum(B.shape[-2] for B in blocks), sum(B.shape[-1] for B in blocks)
    leading = np.broadcast_shapes(*(B.shape[:-2] for B in blocks))
    result, row, column = np.zeros((*leading, rows, columns)), 0, 0
    for B in blocks:
        result[..., row : row + B.shape[-2], column : column + B.shape[-1]] = B
        row, column = row + B.shape[-2], column + B.shape[-1]
    return result
