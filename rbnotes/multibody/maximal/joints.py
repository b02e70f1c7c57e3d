"""Joints between bodies with six coordinates each: constraints on relative twists (Sueda 1.10).

A joint is any type of :mod:`rbnotes.joints` between two bodies: the *body* and the *parent*
(another body, or the world). It has a frame in each; the type restricts the pose and motion of the body's
frame in the parent's. The relative twist, body less parent, is written in the joint frame of the body, and
constrained by the rows that annihilate the type's motion subspace S
(:func:`rbnotes.joints.constraint_force_basis`). If axes span the allowed twists, these rows select
components of the twist, angular ones first:

    joint         forbids           leaves
    fixed         0 1 2 3 4 5       nothing
    spherical           3 4 5       every rotation
    revolute      0 1   3 4 5       rotation about z
    prismatic     0 1 2 3 4         translation along z
    cylindrical   0 1   3 4         rotation about z, translation along z
    planar        0 1       5       rotation about z, translation along x and y
    universal           3 4 5 and   rotation about x of the parent's frame and about y of the body's
                   a combination

The cross of a universal joint forbids rotation about the common perpendicular of its two axes, which is
constant in neither frame: that row depends on the poses, as do those of a spline or of a joint composed of
several. If a joint has a pose error, its rows are those of the nearest allowed pose.

All functions take the poses of all bodies ``(n, 4, 4)`` and order twists the same way, six for each body.
Multipliers push along the rows: ``M dphi/dt = wrenches + G^T multipliers``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.dynamics import WORLD
from rbnotes.joints import JointType
from rbnotes.multibody.joint_kinematics import Joint as Joint
from rbnotes.multibody.joint_kinematics import (
    check_body_index,
    check_parent_index,
    check_poses,
    check_twists,
    joint_kinematics,
)
from rbnotes.unchecked import se3


class JointReaction(NamedTuple):
    """Wrenches ``(6,)`` of a joint on the two bodies that it connects, each in the body's own frame.

    Attributes
    ----------
    on_body
        Wrench ``(6,)`` on the body in its frame, N m and N.
    on_parent
        Wrench ``(6,)`` on the parent, N m and N, in its frame; in the world's, about its origin, if the
        parent is the world.
    """

    on_body: Array
    on_parent: Array


def joint_from_world_frame(
    kind: JointType,
    frame: ArrayLike,
    poses: ArrayLike,
    body: int,
    parent: int = WORLD,
    q: ArrayLike | None = None,
) -> Joint:
    """Return a joint with a given frame in the world, for bodies at given poses.

    Parameters
    ----------
    kind
        Joint type.
    frame : (4, 4)
        Joint frame of the parent, in the world, m.
    poses : (n, 4, 4)
        Poses of all bodies, m.
    q : (k,)
        Coordinates of the joint at these poses, rad or m; neutral by default, where both frames coincide in
        most types.

    Raises
    ------
    InvalidArgument
        If ``frame`` or ``poses`` are not poses, ``body`` is not a body, ``parent`` is neither a body nor
        WORLD, or the shape of ``q`` does not fit.
    """
    arguments.require_instance("kind", kind, JointType)
    frame = arguments.with_ndim("frame", arguments.frame("frame", frame), 2)
    poses = check_poses(poses)
    q = kind.neutral if q is None else arguments.with_ndim("q", kind._check_coordinates("q", q), 1)
    body = check_body_index("body", body, len(poses))
    parent = check_parent_index(parent, len(poses))
    parent_frame = frame if parent == WORLD else se3.inverse(poses[parent]) @ frame
    body_frame_in_world = frame @ kind.compute_transform(q)
    return Joint(kind, body, se3.inverse(poses[body]) @ body_frame_in_world, parent, parent_frame)


def relative_twist(joint: Joint, poses: ArrayLike, twists: ArrayLike) -> Array:
    """Return the twist ``(6,)`` of body less parent in the body's joint frame (Sueda eq. (1.69)).

    It is the body twist of the pose of the body's joint frame in that of the parent.

    Parameters
    ----------
    poses : (n, 4, 4)
        Poses of the bodies in the world, m.
    twists : (n, 6)
        Twists of the bodies in body coordinates, rad/s and m/s.

    Raises
    ------
    InvalidArgument
        If ``poses`` are not poses or the shape of ``twists`` does not fit.
    """
    arguments.require_instance("joint", joint, Joint)
    kinematics = joint_kinematics((joint,), poses)
    body_twists, parent_twists = kinematics.joint_frame_twists(check_twists(twists, kinematics.num_bodies))
    result: Array = body_twists[0] - parent_twists[0]
    return result


def constraint_jacobian(joints: Sequence[Joint], poses: ArrayLike) -> sparse.csr_array:
    """Return the Jacobian G of the constraints of joints, sparse ``(m, 6 n)`` (Sueda eqs. (1.69), (1.70)).

    Twists that the joints allow satisfy ``G @ twists.ravel() = 0``. The rows of the joints stand one below
    the other, in their order.

    Parameters
    ----------
    poses : (n, 4, 4)
        Poses of the bodies in the world, m.

    Raises
    ------
    InvalidArgument
        If ``joints`` are not joints or ``poses`` are not poses.
    """
    return joint_kinematics(joints, poses).constraint_jacobian()


def constraint_error(joints: Sequence[Joint], poses: ArrayLike) -> Array:
    """Return the errors ``(m,)`` of the constraints of joints, rad and m, in the order of the rows.

    The relative pose is the nearest allowed one, followed by a rotation vector and a translation; the error
    consists of their components along the rows. Its rate is ``constraint_jacobian @ twists.ravel()``, exactly
    if the error is zero, and otherwise up to terms of the size of the error times the relative twist.

    Parameters
    ----------
    poses : (n, 4, 4)
        Poses of the bodies in the world, m.

    Raises
    ------
    InvalidArgument
        If ``joints`` are not joints or ``poses`` are not poses.
    """
    return joint_kinematics(joints, poses).constraint_error()


def constraint_bias_acceleration(joints: Sequence[Joint], poses: ArrayLike, twists: ArrayLike) -> Array:
    """Return the bias acceleration ``Gdot @ twists.ravel() (m,)`` of the constraints of joints.

    Accelerations that satisfy the joints have ``G @ accelerations.ravel() + bias_acceleration = 0``.

    Parameters
    ----------
    poses : (n, 4, 4)
        Poses of the bodies in the world, m.
    twists : (n, 6)
        Twists of the bodies in body coordinates, rad/s and m/s.

    Raises
    ------
    InvalidArgument
        If ``joints`` are not joints, ``poses`` are not poses or the shape of ``twists`` does not fit.
    """
    kinematics = joint_kinematics(joints, poses)
    return kinematics.constraint_bias_acceleration(check_twists(twists, kinematics.num_bodies))


def joint_reactions(joint: Joint, poses: ArrayLike, multipliers: ArrayLike) -> JointReaction:
    """Return the wrenches of a joint on its body and on its parent, N m and N (Sueda 1.10).

    They are impulses if the multipliers are those of a step. About one point the two are opposite, and
    together they do no work in motions that the joint allows.

    Parameters
    ----------
    poses : (n, 4, 4)
        Poses of the bodies in the world, m.
    multipliers : (m,)
        Multipliers of this joint, such that ``M dphi/dt = wrenches + G^T multipliers``. (Sueda's lambda is
        the negative.)

    Raises
    ------
    InvalidArgument
        If ``poses`` are not poses or the shape of ``multipliers`` does not fit.
    """
    arguments.require_instance("joint", joint, Joint)
    joint_multipliers = arguments.single_vector("multipliers", multipliers, joint.num_constraints)
    on_body, on_parent = np.einsum(
        "m,mbi->bi", joint_multipliers, joint_kinematics((joint,), poses).row_blocks()
    )
    return JointReaction(on_body, on_parent)
