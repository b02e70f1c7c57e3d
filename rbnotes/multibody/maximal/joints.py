"""Joints between bodies with six coordinates each: which relative twists they forbid (Sueda 1.10).

A joint is a type of :mod:`rbnotes.joints`, any of them, put between two bodies: the *body* and the *parent*
(another body, or the world). It has a frame in each; the type says how that of the body may stand and move in
that of the parent. The relative twist, body less parent, is written in the joint frame of the body, and is
held by the rows that annihilate the type's Jacobian S (:func:`rbnotes.joints.constraint_forces`). Of joints whose
allowed twists are spanned by axes these are just numbers of the twist, angular ones first:

    joint         forbids           leaves
    fixed         0 1 2 3 4 5       nothing
    ball                3 4 5       every rotation
    hinge         0 1   3 4 5       rotation about z
    slider        0 1 2 3 4         translation along z
    cylindrical   0 1   3 4         rotation about z, translation along z
    planar        0 1       5       rotation about z, translation along x and y
    universal           3 4 5 and   rotation about x of the parent's frame and about y of the body's
                   a combination

The cross of a universal joint forbids rotation about the common perpendicular of its two axes, which stays
put in neither frame: that row depends on the poses, as do those of a spline or of an arm of several joints.
Where a joint is apart they are those of the nearest pose that it allows.

All functions take the poses of all bodies ``(n, 4, 4)`` and order twists the same way, six for each body.
Multipliers push along the rows: ``M dphi/dt = wrenches + G^T multipliers``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from rbnotes import arguments
from rbnotes import joints as types
from rbnotes.arguments import Array
from rbnotes.dynamics import WORLD
from rbnotes.joints import JointType
from rbnotes.multibody.maximal.joint_kinematics import Joint as Joint
from rbnotes.multibody.maximal.joint_kinematics import (
    body_index,
    checked_poses,
    checked_twists,
    joint_kinematics,
    parent_index,
)
from rbnotes.unchecked import se3


class JointReaction(NamedTuple):
    """What a joint does to the two bodies it connects: wrenches ``(6,)``, each in its body's own frame."""

    on_body: Array
    """Wrench ``(6,)`` on the body in its frame, N m and N."""
    on_parent: Array
    """Wrench ``(6,)`` on the parent, N m and N, in its frame; in the world's, about its origin, if the parent
    is the world."""


def fixed(body: int, frame: Any = None, parent: int = WORLD, parent_frame: Any = None) -> Joint:
    """A joint that holds the body to its parent (Sueda 1.10).

    Raises InvalidArgument as :class:`~rbnotes.multibody.maximal.Joint` does.
    """
    return Joint(types.Fixed(), body, frame, parent, parent_frame)


def spherical(body: int, frame: Any = None, parent: int = WORLD, parent_frame: Any = None) -> Joint:
    """A joint about whose origin the body turns as it likes (Sueda 1.10).

    Raises InvalidArgument as :class:`~rbnotes.multibody.maximal.Joint` does.
    """
    return Joint(types.ExponentialSpherical(), body, frame, parent, parent_frame)


def revolute(body: int, frame: Any = None, parent: int = WORLD, parent_frame: Any = None) -> Joint:
    """A joint about whose z axis the body turns (Sueda 1.10).

    Raises InvalidArgument as :class:`~rbnotes.multibody.maximal.Joint` does.
    """
    return Joint(types.Revolute(), body, frame, parent, parent_frame)


def prismatic(body: int, frame: Any = None, parent: int = WORLD, parent_frame: Any = None) -> Joint:
    """A joint along whose z axis the body slides (Sueda 1.10).

    Raises InvalidArgument as :class:`~rbnotes.multibody.maximal.Joint` does.
    """
    return Joint(types.Prismatic(), body, frame, parent, parent_frame)


def cylindrical(body: int, frame: Any = None, parent: int = WORLD, parent_frame: Any = None) -> Joint:
    """A joint along and about whose z axis the body slides and turns (Sueda 1.10).

    Raises InvalidArgument as :class:`~rbnotes.multibody.maximal.Joint` does.
    """
    return Joint(types.Cylindrical(), body, frame, parent, parent_frame)


def planar(body: int, frame: Any = None, parent: int = WORLD, parent_frame: Any = None) -> Joint:
    """A joint in whose xy plane the body slides and turns (Sueda 1.10).

    Raises InvalidArgument as :class:`~rbnotes.multibody.maximal.Joint` does.
    """
    return Joint(types.Free2D(), body, frame, parent, parent_frame)


def universal(body: int, frame: Any = None, parent: int = WORLD, parent_frame: Any = None) -> Joint:
    """A cross, turning about x of the parent's frame, that carries the body, turning about y of its own.

    Raises InvalidArgument as :class:`~rbnotes.multibody.maximal.Joint` does.
    """
    return Joint(types.Universal(), body, frame, parent, parent_frame)


def joint_from_world_frame(
    kind: JointType,
    frame: ArrayLike,
    poses: ArrayLike,
    body: int,
    parent: int = WORLD,
    q: ArrayLike | None = None,
) -> Joint:
    """A joint at a place of the world, for bodies as they stand.

    Parameters
    ----------
    kind
        Its type.
    frame : (4, 4)
        Its frame in the parent, seen from the world, m.
    poses : (n, 4, 4)
        Poses of all bodies, m.
    q : (k,)
        Coordinates at which the joint stands, rad or m; its home by default, where both frames coincide in
        most types.

    Raises
    ------
    InvalidArgument
        If ``frame`` or ``poses`` are no poses, ``body`` is no body, ``parent`` is no body or WORLD, or the
        shape of ``q`` does not fit.
    """
    arguments.require_instance("kind", kind, JointType)
    frame = arguments.with_ndim("frame", arguments.frame("frame", frame), 2)
    poses = checked_poses(poses)
    q = kind.neutral if q is None else arguments.with_ndim("q", kind._check_coordinates("q", q), 1)
    body = body_index("body", body, len(poses))
    parent = parent_index(parent, len(poses))
    of_parent = frame if parent == WORLD else se3.inverse(poses[parent]) @ frame
    of_body = frame @ kind.compute_transform(q)
    return Joint(kind, body, se3.inverse(poses[body]) @ of_body, parent, of_parent)


def relative_pose(joint: Joint, poses: ArrayLike) -> Array:
    """Pose ``(4, 4)`` of the body's joint frame in that of the parent: the Q of its type, if together.

    Raises InvalidArgument if ``poses`` are no poses.
    """
    arguments.require_instance("joint", joint, Joint)
    result: Array = joint_kinematics((joint,), poses).relative_poses[0]
    return result


def relative_twist(joint: Joint, poses: ArrayLike, twists: ArrayLike) -> Array:
    """Twist ``(6,)`` of the body relative to the parent in the body's joint frame (Sueda eq. (1.69)).

    It is the body twist of :func:`relative_pose`.

    Parameters
    ----------
    poses : (n, 4, 4)
        Of the bodies in the world, m.
    twists : (n, 6)
        Of the bodies in their coordinates, rad/s and m/s.

    Raises
    ------
    InvalidArgument
        If ``poses`` are no poses or the shape of ``twists`` does not fit.
    """
    arguments.require_instance("joint", joint, Joint)
    kinematics = joint_kinematics((joint,), poses)
    body_twists, parent_twists = kinematics.joint_frame_twists(checked_twists(twists, kinematics.num_bodies))
    result: Array = body_twists[0] - parent_twists[0]
    return result


def joint_rows(joint: Joint, poses: ArrayLike) -> Array:
    """Rows G ``(m, 6 n)`` of one joint: ``G @ twists.ravel()`` is zero (Sueda eq. (1.69)).

    Parameters
    ----------
    poses : (n, 4, 4)
        Of the bodies in the world, m.

    Raises
    ------
    InvalidArgument
        If ``poses`` are no poses.
    """
    arguments.require_instance("joint", joint, Joint)
    result: Array = joint_matrix((joint,), poses).toarray()
    return result


def joint_matrix(joints: Sequence[Joint], poses: ArrayLike) -> sparse.csr_array:
    """Rows of several joints, one below the other, sparse ``(m, 6 n)`` (Sueda eq. (1.70)).

    Raises InvalidArgument if ``poses`` are no poses.
    """
    return joint_kinematics(joints, poses).constraint_matrix()


def joint_error(joint: Joint, poses: ArrayLike) -> Array:
    """By how much a joint is apart ``(m,)``, in rad and m; zero where it is together.

    The relative pose is the nearest one that the joint allows, followed by a rotation vector and a
    translation, of which these are the parts along the rows. Along a motion it changes at the rate
    ``joint_rows @ twists`` to first order: exactly where it is zero, and elsewhere up to terms of its own
    size times the relative twist.

    Parameters
    ----------
    poses : (n, 4, 4)
        Of the bodies in the world, m.

    Raises
    ------
    InvalidArgument
        If ``poses`` are no poses.
    """
    arguments.require_instance("joint", joint, Joint)
    return joint_errors((joint,), poses)


def joint_errors(joints: Sequence[Joint], poses: ArrayLike) -> Array:
    """Errors of several joints ``(m,)``, in the order of :func:`joint_matrix`.

    Raises InvalidArgument if ``poses`` are no poses.
    """
    return joint_kinematics(joints, poses).pose_errors()


def joint_bias_acceleration(joint: Joint, poses: ArrayLike, twists: ArrayLike) -> Array:
    """``Gdot @ twists.ravel() (m,)``: what the rows make of the motion itself.

    Accelerations that keep the joint together satisfy ``G @ accelerations + drift = 0``.

    Parameters
    ----------
    poses : (n, 4, 4)
        Of the bodies in the world, m.
    twists : (n, 6)
        Of the bodies in their coordinates, rad/s and m/s.

    Raises
    ------
    InvalidArgument
        If ``poses`` are no poses or the shape of ``twists`` does not fit.
    """
    arguments.require_instance("joint", joint, Joint)
    return joint_bias_accelerations((joint,), poses, twists)


def joint_bias_accelerations(joints: Sequence[Joint], poses: ArrayLike, twists: ArrayLike) -> Array:
    """Drifts of several joints ``(m,)``, in the order of :func:`joint_matrix`.

    Raises InvalidArgument if ``poses`` are no poses or the shape of ``twists`` does not fit.
    """
    kinematics = joint_kinematics(joints, poses)
    return kinematics.bias_accelerations(checked_twists(twists, kinematics.num_bodies))


def joint_reactions(joint: Joint, poses: ArrayLike, multipliers: ArrayLike) -> JointReaction:
    """Wrenches with which a joint acts on its body and on its parent, N m and N (Sueda 1.10).

    Impulses, if the multipliers are those of a step. Seen from one place the two are opposite, and together
    they do no work on motions that the joint allows.

    Parameters
    ----------
    poses : (n, 4, 4)
        Of the bodies in the world, m.
    multipliers : (m,)
        Of this joint, such that ``M dphi/dt = wrenches + G^T multipliers``. (Sueda's lambda is the negative.)

    Raises
    ------
    InvalidArgument
        If ``poses`` are no poses or the shape of ``multipliers`` does not fit.
    """
    arguments.require_instance("joint", joint, Joint)
    joint_multipliers = arguments.single_vector("multipliers", multipliers, joint.num_constraints)
    on_body, on_parent = np.einsum(
        "m,mbi->bi", joint_multipliers, joint_kinematics((joint,), poses).row_blocks()
    )
    return JointReaction(on_body, on_parent)
