"""Nearest pose that a joint allows, and the rates of its coordinates, for bodies with joint errors.

This module checks arguments; the formulas are in ``rbnotes/joints/unchecked_nearest_pose.py``.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.joints import unchecked_nearest_pose
from rbnotes.joints.joint_type import JointType


def pose_error(Q: ArrayLike, X: ArrayLike) -> Array:
    """Return rotation vector and translation ``(..., 6)`` of the pose ``X (..., 4, 4)`` relative to ``Q``.

    Raises InvalidArgument if ``Q`` or ``X`` is not a pose.
    """
    Q, X = arguments.frame("Q", Q), arguments.frame("X", X)
    arguments.common_shape(Q=Q.shape[:-2], X=X.shape[:-2])
    return unchecked_nearest_pose.pose_error(Q, X)


def nearest_rates(joint: JointType, q: ArrayLike, X: ArrayLike, twist: ArrayLike) -> Array:
    """Return rates ``(..., k)`` of the nearest coordinates for a body twist ``(..., 6)`` of X.

    Parameters
    ----------
    q : (..., k)
        The nearest coordinates of X, rad or m, ``joint.nearest_coordinates(X)``.
    X : (..., 4, 4)
        Pose of the moving frame, m.

    Raises
    ------
    InvalidArgument
        If ``X`` is not a pose or the shape of ``q`` or ``twist`` does not fit.
    """
    arguments.require_instance("joint", joint, JointType)
    q, X = arguments.vector("q", q, joint.num_coordinates), arguments.frame("X", X)
    twist = arguments.twist("twist", twist)
    arguments.common_shape(q=q.shape[:-1], X=X.shape[:-2], twist=twist.shape[:-1])
    return unchecked_nearest_pose.nearest_rates(joint, q, X, twist)
