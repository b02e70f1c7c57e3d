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

from rbnotes import arguments, se3
from rbnotes.arguments import Array
from rbnotes.tree.model import Tree


class Poses(NamedTuple):
    """Where a tree is, in the world."""

    joints: Array
    """Frames of the joints, after they moved ``(..., n, 4, 4)``."""
    bodies: Array
    """Frames of the bodies ``(..., n, 4, 4)``."""


def poses(tree: Tree, q: ArrayLike) -> Poses:
    """Poses of joints and bodies at coordinates ``q (..., k)`` (Sueda eqs. (2.3), (2.6))."""
    q = arguments.vector("q", q, tree.size)
    joints: list[Array] = []
    for link, parent, own in zip(tree.links, tree.parents, tree.slices, strict=True):
        step = link.placement @ link.joint.transform(q[..., own])
        joints.append(step if parent < 0 else joints[parent] @ step)
    stacked = np.stack(joints, axis=-3)
    return Poses(stacked, stacked @ np.stack([link.body for link in tree.links]))


def twists(tree: Tree, q: ArrayLike, qdot: ArrayLike) -> Array:
    """Body twists ``(..., n, 6)`` of all bodies (Sueda eq. (2.11)), without the Jacobian."""
    q, qdot = _both(tree, q, qdot)
    at_joints: list[Array] = []
    for i, (link, own) in enumerate(zip(tree.links, tree.slices, strict=True)):
        twist = _times(link.joint.S(q[..., own]), qdot[..., own])
        parent = tree.parents[i]
        if parent >= 0:
            twist = twist + _times(_from_parent(tree, i, q), at_joints[parent])
        at_joints.append(twist)
    return np.stack(
        [_times(_to_body(tree, i), twist) for i, twist in enumerate(at_joints)],
        axis=-2,
    )


def jacobian(tree: Tree, q: ArrayLike) -> Array:
    """J ``(..., 6 n, k)``: twists of all bodies from joint velocities (Sueda eq. (2.14), Algorithm 1)."""
    q = arguments.vector("q", q, tree.size)
    rows: list[Array] = []
    for i, (link, own) in enumerate(zip(tree.links, tree.slices, strict=True)):
        row = np.zeros((*q.shape[:-1], 6, tree.size))
        parent = tree.parents[i]
        if parent >= 0:
            row += _from_parent(tree, i, q) @ rows[parent]
        row[..., own] = link.joint.S(q[..., own])
        rows.append(row)
    return np.concatenate([_to_body(tree, i) @ row for i, row in enumerate(rows)], axis=-2)


def jacobian_dot(tree: Tree, q: ArrayLike, qdot: ArrayLike) -> Array:
    """Rate ``(..., 6 n, k)`` of J (Sueda eqs. (2.15) to (2.17), the right form of Algorithm 2)."""
    q, qdot = _both(tree, q, qdot)
    rows: list[Array] = []
    rates: list[Array] = []
    for i, (link, own) in enumerate(zip(tree.links, tree.slices, strict=True)):
        S = link.joint.S(q[..., own])
        row, rate = np.zeros((2, *q.shape[:-1], 6, tree.size))
        parent = tree.parents[i]
        if parent >= 0:
            A = _from_parent(tree, i, q)
            row += A @ rows[parent]
            # Seen from a frame that moves at the twist S qdot, everything else moves the other way.
            rate += A @ rates[parent] - se3.ad(_times(S, qdot[..., own])) @ row
        row[..., own] = S
        rate[..., own] = link.joint.Sdot(q[..., own], qdot[..., own])
        rows.append(row)
        rates.append(rate)
    return np.concatenate([_to_body(tree, i) @ rate for i, rate in enumerate(rates)], axis=-2)


def _from_parent(tree: Tree, i: int, q: Array) -> Array:
    """Adjoint ``(..., 6, 6)`` that takes twists in the frame of the parent's joint to that of joint i."""
    link = tree.links[i]
    return se3.Ad_inverse(link.placement @ link.joint.transform(q[..., tree.slices[i]]))


def _to_body(tree: Tree, i: int) -> Array:
    """Adjoint ``(6, 6)`` from the frame of joint i to that of its body, which never changes."""
    return se3.Ad_inverse(tree.links[i].body)


def _both(tree: Tree, q: ArrayLike, qdot: ArrayLike) -> tuple[Array, Array]:
    q, qdot = arguments.vector("q", q, tree.size), arguments.vector("qdot", qdot, tree.size)
    shape = arguments.common_shape(q=q.shape[:-1], qdot=qdot.shape[:-1])
    return np.broadcast_to(q, (*shape, tree.size)), np.broadcast_to(qdot, (*shape, tree.size))


def _times(A: Array, x: Array) -> Array:
    return np.einsum("...ij,...j->...i", A, x)
