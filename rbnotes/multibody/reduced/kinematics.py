"""Kinematics of a tree: poses, twists, Jacobian and its rate (Sueda 2.1, 2.2).

The twists of all bodies follow from the joint velocities, ``phi = J qdot``, their accelerations from
``J qddot + Jdot qdot``. A row of J belongs to a body, in its own frame. It is filled from that of its parent:
the columns of the parent, transformed to the body's joint, and the columns of the body's own joint.

All functions broadcast over leading axes of q and qdot; twists and poses are those of the n bodies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.joints import JointType
from rbnotes.multibody.reduced.link import require_tree
from rbnotes.unchecked import se3

if TYPE_CHECKING:
    from rbnotes.multibody.reduced.tree import Tree

SMALL_MOTION = 1e-4
"""Twist per unit rate of a coordinate below which the coordinate may be at a singular configuration."""


class Poses(NamedTuple):
    """Poses of a tree in the world.

    Attributes
    ----------
    joint_poses
        Frames of the joints ``(..., n, 4, 4)`` after their motion, in the world, m.
    body_poses
        Frames of the bodies ``(..., n, 4, 4)``, m.
    """

    joint_poses: Array
    body_poses: Array


class BodyKinematics(NamedTuple):
    """Kinematics of a tree for its dynamics, from one pass from roots to leaves.

    Attributes
    ----------
    joint_poses
        Frames of the joints ``(..., n, 4, 4)``, m.
    body_poses
        Frames of the bodies ``(..., n, 4, 4)``, m.
    phi
        Body twists ``(..., n, 6)``, rad/s and m/s.
    J
        Jacobian by bodies ``(..., n, 6, k)``, rad and m per unit of the coordinates.
    bias_acceleration
        Bias accelerations ``Jdot qdot (..., n, 6)``: the rates of the twists at qddot = 0, rad/s^2 and m/s^2.
    """

    joint_poses: Array
    body_poses: Array
    phi: Array
    J: Array
    bias_acceleration: Array


def poses(tree: Tree, q: ArrayLike) -> Poses:
    """Return the poses of joints and bodies at coordinates ``q (..., k)`` (Sueda eqs. (2.3), (2.6)).

    Raises
    ------
    InvalidArgument
        If the shape of ``q`` does not fit.
    """
    require_tree(tree)
    return _poses_unchecked(tree, tree.check_vector("q", q))


def twists(tree: Tree, q: ArrayLike, qdot: ArrayLike) -> Array:
    """Return the twists ``(..., n, 6)`` of all bodies (Sueda eq. (2.11)), without the Jacobian.

    Raises
    ------
    InvalidArgument
        If the shape of ``q`` or ``qdot`` does not fit.
    """
    require_tree(tree)
    return twists_unchecked(tree, *_check_state_vectors(tree, q, qdot))


def body_poses_and_twists(tree: Tree, q: Array, qdot: Array) -> tuple[Array, Array]:
    """Return the frames ``(..., n, 4, 4)`` and twists ``(..., n, 6)`` of the bodies at once."""
    relative_poses = relative_joint_poses(tree, q)
    return _poses(tree, relative_poses).body_poses, _twists(tree, q, qdot, se3.Ad_inverse(relative_poses))


def _twists(tree: Tree, q: Array, qdot: Array, A: Array) -> Array:
    """Return the body twists; A as for :func:`_jacobian`."""
    joint_twists = np.zeros((*q.shape[:-1], len(tree.links), 6))
    for i, (link, parent, coordinates) in enumerate(
        zip(tree.links, tree.parents, tree.coordinate_slices, strict=True)
    ):
        twist = _matvec(link.joint.compute_motion_subspace(q[..., coordinates]), qdot[..., coordinates])
        if parent >= 0:
            twist = twist + _matvec(A[..., i, :, :], joint_twists[..., parent, :])
        joint_twists[..., i, :] = twist
    return _matvec(tree.joint_to_body_adjoints, joint_twists)


def jacobian(tree: Tree, q: ArrayLike) -> Array:
    """Return J ``(..., 6 n, k)``: twists of all bodies from joint velocities (Sueda eq. (2.14), Algorithm 1).

    Raises
    ------
    InvalidArgument
        If the shape of ``q`` does not fit.
    """
    require_tree(tree)
    return _jacobian_unchecked(tree, tree.check_vector("q", q))


def jacobian_rate(tree: Tree, q: ArrayLike, qdot: ArrayLike) -> Array:
    """Return the rate ``(..., 6 n, k)`` of J (Sueda eqs. (2.15) to (2.17), the right form of Algorithm 2).

    Raises
    ------
    InvalidArgument
        If the shape of ``q`` or ``qdot`` does not fit.
    """
    require_tree(tree)
    q, qdot = _check_state_vectors(tree, q, qdot)
    A = se3.Ad_inverse(relative_joint_poses(tree, q))
    return _flatten_bodies(
        tree.joint_to_body_adjoints @ _jacobian_rate(tree, q, qdot, A, _jacobian(tree, q, A))
    )


def body_kinematics(tree: Tree, q: ArrayLike, qdot: ArrayLike) -> BodyKinematics:
    """Return poses, twists, Jacobian and bias accelerations at once.

    Raises
    ------
    InvalidArgument
        If the shape of ``q`` or ``qdot`` does not fit.
    """
    require_tree(tree)
    return body_kinematics_unchecked(tree, *_check_state_vectors(tree, q, qdot))


def _poses_unchecked(tree: Tree, q: Array) -> Poses:
    return _poses(tree, relative_joint_poses(tree, q))


def twists_unchecked(tree: Tree, q: Array, qdot: Array) -> Array:
    """Return the twists of all bodies of a valid state, without checks."""
    return _twists(tree, q, qdot, se3.Ad_inverse(relative_joint_poses(tree, q)))


def _jacobian_unchecked(tree: Tree, q: Array) -> Array:
    return _flatten_bodies(
        tree.joint_to_body_adjoints @ _jacobian(tree, q, se3.Ad_inverse(relative_joint_poses(tree, q)))
    )


def body_kinematics_unchecked(tree: Tree, q: Array, qdot: Array) -> BodyKinematics:
    """Return :func:`body_kinematics` of a valid state, without checks."""
    relative_poses = relative_joint_poses(tree, q)
    A = se3.Ad_inverse(relative_poses)
    J = _jacobian(tree, q, A)
    bias_acceleration = _matvec(_jacobian_rate(tree, q, qdot, A, J), qdot[..., None, :])
    phi = _matvec(J, qdot[..., None, :])
    return BodyKinematics(
        *_poses(tree, relative_poses),
        _matvec(tree.joint_to_body_adjoints, phi),
        tree.joint_to_body_adjoints @ J,
        _matvec(tree.joint_to_body_adjoints, bias_acceleration),
    )


def relative_joint_poses(tree: Tree, q: Array) -> Array:
    """Return the pose ``(..., n, 4, 4)`` of each joint in the frame of its parent."""
    Q = [
        link.joint.compute_transform(q[..., own])
        for link, own in zip(tree.links, tree.coordinate_slices, strict=True)
    ]
    result: Array = tree.placements @ np.stack(Q, axis=-3)
    return result


def _poses(tree: Tree, relative_poses: Array) -> Poses:
    joints = relative_poses.copy()
    for i, parent in enumerate(tree.parents):
        if parent >= 0:
            joints[..., i, :, :] = joints[..., parent, :, :] @ relative_poses[..., i, :, :]
    return Poses(joints, joints @ tree.body_frames)


def _jacobian(tree: Tree, q: Array, A: Array) -> Array:
    """Return J ``(..., n, 6, k)`` in the frames of the joints.

    Parameters
    ----------
    A
        Adjoints ``(..., n, 6, 6)`` that map twists from the frame of the parent's joint to each joint's.
    """
    J = np.zeros((*q.shape[:-1], len(tree.links), 6, tree.num_coordinates))
    for i, (link, parent, coordinates) in enumerate(
        zip(tree.links, tree.parents, tree.coordinate_slices, strict=True)
    ):
        if parent >= 0:
            J[..., i, :, :] = A[..., i, :, :] @ J[..., parent, :, :]
        J[..., i, :, coordinates] = link.joint.compute_motion_subspace(q[..., coordinates])
    return J


def _jacobian_rate(tree: Tree, q: Array, qdot: Array, A: Array, J: Array) -> Array:
    """Return the rate of J ``(..., n, 6, k)``, both in the frames of the joints."""
    Jdot = np.zeros_like(J)
    for i, (link, parent, coordinates) in enumerate(
        zip(tree.links, tree.parents, tree.coordinate_slices, strict=True)
    ):
        if parent >= 0:
            # The frame moves at S qdot: other columns change by the bracket with minus that twist. (The
            # bracket with the joint's own columns is not zero; they are set after that.)
            own_twist = _matvec(J[..., i, :, coordinates], qdot[..., coordinates])
            Jdot[..., i, :, :] = (
                A[..., i, :, :] @ Jdot[..., parent, :, :] - se3.ad(own_twist) @ J[..., i, :, :]
            )
        Jdot[..., i, :, coordinates] = link.joint.compute_motion_subspace_rate(
            q[..., coordinates], qdot[..., coordinates]
        )
    return Jdot


def _flatten_bodies(J: Array) -> Array:
    """Reshape ``(..., n, 6, k)`` to ``(..., 6 n, k)``."""
    return J.reshape(*J.shape[:-3], 6 * J.shape[-3], J.shape[-1])


def check_vectors(tree: Tree, **vectors: ArrayLike) -> list[Array]:
    """Return checked vectors ``(..., k)``, such as coordinates and velocities, with the same leading axes."""
    checked = {name: tree.check_vector(name, value) for name, value in vectors.items()}
    shape = arguments.common_shape(**{name: value.shape[:-1] for name, value in checked.items()})
    return [np.broadcast_to(value, (*shape, tree.num_coordinates)) for value in checked.values()]


def _check_state_vectors(tree: Tree, q: ArrayLike, qdot: ArrayLike) -> tuple[Array, Array]:
    q, qdot = check_vectors(tree, q=q, qdot=qdot)
    return q, qdot


def _nearby_inertia_ratios(joint: JointType, q: Array, S: Array) -> Array:
    """Return the inertia of each coordinate ``(..., k)`` near q relative to that at q: 1 for most.

    A column of S that vanishes at a singular configuration is not computed as zero but as rounding. It is
    therefore compared with the change of the column when the coordinates change by their own size.
    """
    squares = np.sum(S * S, axis=-2)
    is_small = (squares > 0) & (squares < SMALL_MOTION**2)
    if not np.any(is_small):
        return np.ones(squares.shape)
    changes = joint.compute_motion_subspace_derivative(q) * q[..., None, None, :]
    ratios: Array = 1 + np.sum(changes**2, axis=(-3, -1)) * is_small / np.where(is_small, squares, 1.0)
    return ratios


def _matvec(A: Array, x: Array) -> Array:
    product: Array = (A @ x[..., None])[..., 0]
    return product
