"""Where the bodies of a tree are and how they move: poses, twists, Jacobian and its rate (Sueda 2.1, 2.2).

The twists of all bodies follow from the joint velocities, ``phi = J qdot``, their accelerations from
``J qddot + Jdot qdot``. A row of J belongs to a body, in its own frame, and is filled from that of its
parent: what the parent's joint does, seen from the body's joint, and what the body's own joint adds.

All functions broadcast over leading axes of q and qdot; twists and poses are those of the n bodies.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import _se3, arguments
from rbnotes.arguments import Array
from rbnotes.tree.model import Tree


class Poses(NamedTuple):
    """Where a tree is, in the world."""

    joints: Array
    """Frames of the joints, after they moved ``(..., n, 4, 4)``, in the world, m."""
    bodies: Array
    """Frames of the bodies ``(..., n, 4, 4)``, m."""


class Motion(NamedTuple):
    """Where a tree is and how it moves: all that its dynamics needs, from one pass from roots to leaves."""

    joints: Array
    """Frames of the joints ``(..., n, 4, 4)``, m."""
    bodies: Array
    """Frames of the bodies ``(..., n, 4, 4)``, m."""
    phi: Array
    """Body twists ``(..., n, 6)``, rad/s and m/s."""
    J: Array
    """Jacobian by bodies ``(..., n, 6, k)``, rad and m per unit of the coordinates."""
    drift: Array
    """What of the twists' rates does not come from joint accelerations: ``Jdot qdot``, ``(..., n, 6)``,
    rad/s^2 and m/s^2.
    """


def poses(tree: Tree, q: ArrayLike) -> Poses:
    """Poses of joints and bodies at coordinates ``q (..., k)`` (Sueda eqs. (2.3), (2.6)).

    Raises InvalidArgument if the shape of ``q`` does not fit.
    """
    arguments.instance("tree", tree, Tree)
    return _poses_at(tree, tree.checked("q", q))


def twists(tree: Tree, q: ArrayLike, qdot: ArrayLike) -> Array:
    """Body twists ``(..., n, 6)`` of all bodies (Sueda eq. (2.11)), without the Jacobian.

    Raises InvalidArgument if the shape of ``q`` or ``qdot`` does not fit.
    """
    arguments.instance("tree", tree, Tree)
    return _twists_at(tree, *_both(tree, q, qdot))


def placed(tree: Tree, q: Array, qdot: Array) -> tuple[Array, Array]:
    """Frames ``(..., n, 4, 4)`` and twists ``(..., n, 6)`` of the bodies at once."""
    steps = _steps(tree, q)
    return _poses(tree, steps).bodies, _twists(tree, q, qdot, _se3.Ad_inverse(steps))


def _twists(tree: Tree, q: Array, qdot: Array, A: Array) -> Array:
    """Body twists; A as for :func:`_jacobian`."""
    at_joints = np.zeros((*q.shape[:-1], len(tree.links), 6))
    for i, (link, parent, own) in enumerate(zip(tree.links, tree.parents, tree.slices, strict=True)):
        twist = _times(link.joint._S(q[..., own]), qdot[..., own])
        if parent >= 0:
            twist = twist + _times(A[..., i, :, :], at_joints[..., parent, :])
        at_joints[..., i, :] = twist
    return _times(tree.to_bodies, at_joints)


def jacobian(tree: Tree, q: ArrayLike) -> Array:
    """J ``(..., 6 n, k)``: twists of all bodies from joint velocities (Sueda eq. (2.14), Algorithm 1).

    Raises InvalidArgument if the shape of ``q`` does not fit.
    """
    arguments.instance("tree", tree, Tree)
    return _jacobian_at(tree, tree.checked("q", q))


def jacobian_dot(tree: Tree, q: ArrayLike, qdot: ArrayLike) -> Array:
    """Rate ``(..., 6 n, k)`` of J (Sueda eqs. (2.15) to (2.17), the right form of Algorithm 2).

    Raises InvalidArgument if the shape of ``q`` or ``qdot`` does not fit.
    """
    arguments.instance("tree", tree, Tree)
    q, qdot = _both(tree, q, qdot)
    A = _se3.Ad_inverse(_steps(tree, q))
    return _stacked(tree.to_bodies @ _jacobian_dot(tree, q, qdot, A, _jacobian(tree, q, A)))


def motion(tree: Tree, q: ArrayLike, qdot: ArrayLike) -> Motion:
    """Poses, twists, Jacobian and drift at once, for those who need several of them.

    Raises InvalidArgument if the shape of ``q`` or ``qdot`` does not fit.
    """
    arguments.instance("tree", tree, Tree)
    return _motion_at(tree, *_both(tree, q, qdot))


def _poses_at(tree: Tree, q: Array) -> Poses:
    return _poses(tree, _steps(tree, q))


def _twists_at(tree: Tree, q: Array, qdot: Array) -> Array:
    return _twists(tree, q, qdot, _se3.Ad_inverse(_steps(tree, q)))


def _jacobian_at(tree: Tree, q: Array) -> Array:
    return _stacked(tree.to_bodies @ _jacobian(tree, q, _se3.Ad_inverse(_steps(tree, q))))


def _motion_at(tree: Tree, q: Array, qdot: Array) -> Motion:
    steps = _steps(tree, q)
    A = _se3.Ad_inverse(steps)
    J = _jacobian(tree, q, A)
    drift = _times(_jacobian_dot(tree, q, qdot, A, J), qdot[..., None, :])
    phi = _times(J, qdot[..., None, :])
    return Motion(
        *_poses(tree, steps),
        _times(tree.to_bodies, phi),
        tree.to_bodies @ J,
        _times(tree.to_bodies, drift),
    )


def _steps(tree: Tree, q: Array) -> Array:
    """Pose ``(..., n, 4, 4)`` of each joint in that of its parent."""
    Q = [link.joint._transform(q[..., own]) for link, own in zip(tree.links, tree.slices, strict=True)]
    result: Array = tree.placements @ np.stack(Q, axis=-3)
    return result


def _poses(tree: Tree, steps: Array) -> Poses:
    joints = steps.copy()
    for i, parent in enumerate(tree.parents):
        if parent >= 0:
            joints[..., i, :, :] = joints[..., parent, :, :] @ steps[..., i, :, :]
    return Poses(joints, joints @ tree.body_frames)


def _jacobian(tree: Tree, q: Array, A: Array) -> Array:
    """J ``(..., n, 6, k)`` in the frames of the joints.

    Parameters
    ----------
    A
        Adjoints ``(..., n, 6, 6)`` that take twists from the frame of the parent's joint to each joint's.
    """
    J = np.zeros((*q.shape[:-1], len(tree.links), 6, tree.size))
    for i, (link, parent, own) in enumerate(zip(tree.links, tree.parents, tree.slices, strict=True)):
        if parent >= 0:
            J[..., i, :, :] = A[..., i, :, :] @ J[..., parent, :, :]
        J[..., i, :, own] = link.joint._S(q[..., own])
    return J


def _jacobian_dot(tree: Tree, q: Array, qdot: Array, A: Array, J: Array) -> Array:
    """Rate of J ``(..., n, 6, k)``, both in the frames of the joints."""
    Jdot = np.zeros_like(J)
    for i, (link, parent, own) in enumerate(zip(tree.links, tree.parents, tree.slices, strict=True)):
        if parent >= 0:
            # Seen from a frame that moves at the twist S qdot, everything else moves the other way. (The
            # bracket with the joint's own columns is not zero; they are set after that.)
            own_twist = _times(J[..., i, :, own], qdot[..., own])
            Jdot[..., i, :, :] = (
                A[..., i, :, :] @ Jdot[..., parent, :, :] - _se3.ad(own_twist) @ J[..., i, :, :]
            )
        Jdot[..., i, :, own] = link.joint._Sdot(q[..., own], qdot[..., own])
    return Jdot


def _stacked(J: Array) -> Array:
    """``(..., n, 6, k)`` as ``(..., 6 n, k)``."""
    return J.reshape(*J.shape[:-3], 6 * J.shape[-3], J.shape[-1])


def alike(tree: Tree, **vectors: ArrayLike) -> list[Array]:
    """Vectors ``(..., k)``, such as coordinates and velocities, checked and with the same leading axes."""
    checked = {name: tree.checked(name, value) for name, value in vectors.items()}
    shape = arguments.common_shape(**{name: value.shape[:-1] for name, value in checked.items()})
    return [np.broadcast_to(value, (*shape, tree.size)) for value in checked.values()]


def _both(tree: Tree, q: ArrayLike, qdot: ArrayLike) -> tuple[Array, Array]:
    q, qdot = alike(tree, q=q, qdot=qdot)
    return q, qdot


def _times(A: Array, x: Array) -> Array:
    product: Array = (A @ x[..., None])[..., 0]
    return product
