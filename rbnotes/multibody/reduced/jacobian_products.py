"""Products with the Jacobian of a tree, its rate and its transpose, without these matrices (Sueda 2.10).

A row of J repeats that of the parent, seen from another frame. What the parent's row times a vector is, has
been found when it is the child's turn, so each product takes one sweep over the links: from the roots to the
leaves for J and Jdot, the other way round for the transpose. The cost grows as the number n of links, where
filling J (:func:`~rbnotes.multibody.reduced.jacobian`) takes as many blocks as the depths of all links add up to.

All functions broadcast over leading axes: for a product with several vectors, stack these along one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.multibody.reduced.kinematics import (
    _matvec,
    _relative_joint_poses,
    _twists,
    check_vectors,
)
from rbnotes.multibody.reduced.model import Tree
from rbnotes.unchecked import se3


def jacobian_product(tree: Tree, q: ArrayLike, x: ArrayLike) -> Array:
    """``J x (..., n, 6)``: body twists that joint velocities ``x (..., k)`` make (Sueda Algorithm 5).

    With what moves the tree, the same as :func:`~rbnotes.multibody.reduced.twists`; any virtual motion will do.

    Raises InvalidArgument if the shape of ``q`` or ``x`` does not fit.
    """
    arguments.require_instance("tree", tree, Tree)
    q, x = check_vectors(tree, q=q, x=x)
    return _twists(tree, q, x, se3.Ad_inverse(_relative_joint_poses(tree, q)))


def jacobian_rate_product(tree: Tree, q: ArrayLike, qdot: ArrayLike, x: ArrayLike) -> Array:
    """``Jdot x (..., n, 6)`` while the coordinates change at qdot ``(..., k)`` (Sueda Algorithm 5).

    For ``x = qdot`` it is what of the bodies' accelerations does not come from those of the joints.

    Raises InvalidArgument if the shape of ``q``, ``qdot`` or ``x`` does not fit.
    """
    arguments.require_instance("tree", tree, Tree)
    return _jacobian_dot_product(tree, *check_vectors(tree, q=q, qdot=qdot, x=x))


def _jacobian_dot_product(tree: Tree, q: Array, qdot: Array, x: Array) -> Array:
    A = se3.Ad_inverse(_relative_joint_poses(tree, q))
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
    arguments.require_instance("tree", tree, Tree)
    q, qdot = check_vectors(tree, q=q, qdot=qdot)
    return _jacobian_dot_product(tree, q, qdot, qdot)


def mass_product(tree: Tree, q: ArrayLike, x: ArrayLike) -> Array:
    """Return ``M_r x = J^T M J x (..., k)`` in linear time, without the mass matrix.

    Raises
    ------
    InvalidArgument
        If the shape of ``q`` or ``x`` does not fit.
    """
    arguments.require_instance("tree", tree, Tree)
    q, x = check_vectors(tree, q=q, x=x)
    A = se3.Ad_inverse(_relative_joint_poses(tree, q))
    return generalized_forces(tree, q, _matvec(tree.inertias, _twists(tree, q, x, A)), A)


def jacobian_transpose_product(tree: Tree, q: ArrayLike, y: ArrayLike) -> Array:
    """``J^T y (..., k)``: joint forces that body wrenches ``y (..., n, 6)`` come to (Sueda Algorithm 6).

    Wrenches in the frames of the bodies that they act on.

    Raises InvalidArgument if the shape of ``q`` or ``y`` does not fit.
    """
    arguments.require_instance("tree", tree, Tree)
    q, y = tree.check_vector("q", q), arguments.array("y", y, len(tree.links), 6)
    shape = arguments.common_shape(q=q.shape[:-1], y=y.shape[:-2])
    q, y = np.broadcast_to(q, (*shape, tree.num_coordinates)), np.broadcast_to(y, (*shape, *y.shape[-2:]))
    return generalized_forces(tree, q, y, se3.Ad_inverse(_relative_joint_poses(tree, q)))


def jacobian_product_and_rate(
    tree: Tree, q: Array, qdot: Array, x: Array, xdot: Array, A: Array
) -> tuple[Array, Array]:
    """``J x`` and its rate ``Jdot x + J xdot``, both ``(..., n, 6)`` and in the frames of the joints.

    Parameters
    ----------
    A
        Adjoints ``(..., n, 6, 6)`` that take twists from the frame of the parent's joint to each joint's.
    """
    # One more than there are links: the world rests, and is the last one, number -1.
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
        # Seen from a frame that moves at S qdot, everything else moves the other way.
        z[..., i, :] = _matvec(adjoint, z[..., parent, :]) - _matvec(joint_ad, parent_twist)
        z[..., i, :] += _matvec(Sdot, x[..., coordinates]) + _matvec(S, xdot[..., coordinates])
    return y[..., :-1, :], z[..., :-1, :]


def generalized_forces(tree: Tree, q: Array, wrenches: Array, A: Array) -> Array:
    """``J^T`` times body wrenches ``(..., n, 6)``; A as for :func:`moved`."""
    total = subtree_wrenches(tree, wrenches, A)
    result = np.zeros(q.shape)
    for i, (link, coordinates) in enumerate(zip(tree.links, tree.coordinate_slices, strict=True)):
        result[..., coordinates] = _matvec(
            np.swapaxes(link.joint.compute_motion_subspace(q[..., coordinates]), -1, -2), total[..., i, :]
        )
    return result


def subtree_wrenches(tree: Tree, wrenches: Array, A: Array) -> Array:
    """What body wrenches ``(..., n, 6)`` come to at each joint, with all that hangs on it.

    In the frames of the joints; A as for :func:`moved`.
    """
    total = _matvec(np.swapaxes(tree.joint_to_body_adjoints, -1, -2), wrenches)
    for i in reversed(range(len(tree.links))):
        if tree.parents[i] >= 0:
            transpose = np.swapaxes(A[..., i, :, :], -1, -2)
            total[..., tree.parents[i], :] += _matvec(transpose, total[..., i, :])
    return total
