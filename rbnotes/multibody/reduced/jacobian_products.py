"""Products with the Jacobian of a tree, its rate and its transpose, without these matrices (Sueda 2.10).

A row of J repeats that of the parent, seen from another frame. The product with the parent's row is known
before that of the child, so each product takes one sweep over the links: from the roots to the leaves for J
and Jdot, in the other direction for the transpose. The cost grows as the number n of links. Filling J
(:func:`~rbnotes.multibody.reduced.jacobian`) takes as many blocks as the sum of the depths of all links.

All functions broadcast over leading axes: for a product with several vectors, stack these along one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.multibody.reduced.kinematics import (
    _matvec,
    _twists,
    check_vectors,
    relative_joint_poses,
)
from rbnotes.multibody.reduced.link import require_tree
from rbnotes.unchecked import se3

if TYPE_CHECKING:
    from rbnotes.multibody.reduced.tree import Tree


def jacobian_product(tree: Tree, q: ArrayLike, x: ArrayLike) -> Array:
    """Return ``J x (..., n, 6)``: the body twists for joint velocities ``x (..., k)`` (Sueda Algorithm 5).

    ``x`` may be any virtual motion; for the actual velocities the result equals
    :func:`~rbnotes.multibody.reduced.twists`.

    Raises
    ------
    InvalidArgument
        If the shape of ``q`` or ``x`` does not fit.
    """
    require_tree(tree)
    q, x = check_vectors(tree, q=q, x=x)
    return _twists(tree, q, x, se3.Ad_inverse(relative_joint_poses(tree, q)))


def jacobian_rate_product(tree: Tree, q: ArrayLike, qdot: ArrayLike, x: ArrayLike) -> Array:
    """Return ``Jdot x (..., n, 6)`` for coordinates that change at qdot ``(..., k)`` (Sueda Algorithm 5).

    For ``x = qdot`` it is the part of the bodies' accelerations that is independent of qddot.

    Raises
    ------
    InvalidArgument
        If the shape of ``q``, ``qdot`` or ``x`` does not fit.
    """
    require_tree(tree)
    return _jacobian_rate_product(tree, *check_vectors(tree, q=q, qdot=qdot, x=x))


def _jacobian_rate_product(tree: Tree, q: Array, qdot: Array, x: Array) -> Array:
    A = se3.Ad_inverse(relative_joint_poses(tree, q))
    return _matvec(
        tree.joint_to_body_adjoints, jacobian_product_and_rate(tree, q, qdot, x, np.zeros_like(x), A)[1]
    )


def bias_acceleration(tree: Tree, q: ArrayLike, qdot: ArrayLike) -> Array:
    """Return ``Jdot qdot (..., n, 6)``: the rates of the body twists while ``qddot`` is zero.

    Raises
    ------
    InvalidArgument
        If the shape of ``q`` or ``qdot`` does not fit.
    """
    require_tree(tree)
    q, qdot = check_vectors(tree, q=q, qdot=qdot)
    return _jacobian_rate_product(tree, q, qdot, qdot)


def mass_product(tree: Tree, q: ArrayLike, x: ArrayLike) -> Array:
    """Return ``M_r x = J^T M J x (..., k)`` in linear time, without the mass matrix.

    Raises
    ------
    InvalidArgument
        If the shape of ``q`` or ``x`` does not fit.
    """
    require_tree(tree)
    q, x = check_vectors(tree, q=q, x=x)
    A = se3.Ad_inverse(relative_joint_poses(tree, q))
    return generalized_forces(tree, q, _matvec(tree.inertias, _twists(tree, q, x, A)), A)


def jacobian_transpose_product(tree: Tree, q: ArrayLike, y: ArrayLike) -> Array:
    """Return ``J^T y (..., k)``: the joint forces of body wrenches ``y (..., n, 6)`` (Sueda Algorithm 6).

    Wrenches are in the frames of their bodies.

    Raises
    ------
    InvalidArgument
        If the shape of ``q`` or ``y`` does not fit.
    """
    require_tree(tree)
    q, y = tree.check_vector("q", q), arguments.array("y", y, len(tree.links), 6)
    shape = arguments.common_shape(q=q.shape[:-1], y=y.shape[:-2])
    q, y = np.broadcast_to(q, (*shape, tree.num_coordinates)), np.broadcast_to(y, (*shape, *y.shape[-2:]))
    return generalized_forces(tree, q, y, se3.Ad_inverse(relative_joint_poses(tree, q)))


def jacobian_product_and_rate(
    tree: Tree, q: Array, qdot: Array, x: Array, xdot: Array, A: Array
) -> tuple[Array, Array]:
    """Return ``J x`` and its rate ``Jdot x + J xdot``, both ``(..., n, 6)`` and in the frames of the joints.

    Parameters
    ----------
    A
        Adjoints ``(..., n, 6, 6)`` that map twists from the frame of the parent's joint to each joint's.
    """
    # One more row than there are links: the last one, index -1, is the world at rest.
    y, z = (np.zeros((*q.shape[:-1], len(tree.links) + 1, 6)) for _ in range(2))
    for i, (link, parent, coordinates) in enumerate(
        zip(tree.links, tree.parents, tree.coordinate_slices, strict=True)
    ):
        S, Sdot = (
            link.joint.compute_motion_subspace(q[..., coordinates]),
            link.joint.compute_motion_subspace_rate(q[..., coordinates], qdot[..., coordinates]),
        )
        adjoint, joint_ad = A[..., i, :, :], se3.ad(_matvec(S, qdot[..., coordinates]))
        parent_twist = _matvec(adjoint, y[..., parent, :])
        y[..., i, :] = parent_twist + _matvec(S, x[..., coordinates])
        # The frame moves at S qdot, so every other twist changes by the bracket with minus that twist.
        z[..., i, :] = _matvec(adjoint, z[..., parent, :]) - _matvec(joint_ad, parent_twist)
        z[..., i, :] += _matvec(Sdot, x[..., coordinates]) + _matvec(S, xdot[..., coordinates])
    return y[..., :-1, :], z[..., :-1, :]


def generalized_forces(tree: Tree, q: Array, wrenches: Array, A: Array) -> Array:
    """Return ``J^T`` times body wrenches ``(..., n, 6)``; A as for :func:`jacobian_product_and_rate`."""
    total = subtree_wrenches(tree, wrenches, A)
    result = np.zeros(q.shape)
    for i, (link, coordinates) in enumerate(zip(tree.links, tree.coordinate_slices, strict=True)):
        result[..., coordinates] = _matvec(
            link.joint.compute_motion_subspace(q[..., coordinates]).mT, total[..., i, :]
        )
    return result


def subtree_wrenches(tree: Tree, wrenches: Array, A: Array) -> Array:
    """Return the sum of the wrenches ``(..., n, 6)`` on each link and on all links beyond it.

    The sums are in the frames of the joints; A as for :func:`jacobian_product_and_rate`.
    """
    total = _matvec(tree.joint_to_body_adjoints.mT, wrenches)
    for i in reversed(range(len(tree.links))):
        if tree.parents[i] >= 0:
            transpose = A[..., i, :, :].mT
            total[..., tree.parents[i], :] += _matvec(transpose, total[..., i, :])
    return total
