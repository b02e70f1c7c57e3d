"""Loop joint: a joint of any type that closes a loop of a tree."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rbnotes import arguments
from rbnotes.arguments import ArrayField, InvalidArgument
from rbnotes.dynamics import WORLD, State
from rbnotes.joints import JointType
from rbnotes.multibody.joint_kinematics import Joint, JointKinematics
from rbnotes.multibody.reduced.constraint_protocol import (
    BodyConstraint,
    BodyConstraintRows,
    KinematicState,
    check_link_names,
)
from rbnotes.multibody.reduced.constraints import LoopClosure
from rbnotes.multibody.reduced.tree import Tree
from rbnotes.unchecked.frozen import construct_unchecked, set_fields


@dataclass(frozen=True, eq=False)
class LoopJoint(BodyConstraint):
    """Joint that closes a loop: its type restricts the pose of a frame of one body in a frame of another.

    It has a row for each direction that the joint type does not allow, six for a ``Fixed()`` joint, as in
    maximal coordinates (:func:`rbnotes.multibody.maximal.constraint_jacobian`). Rows that repeat those of the
    other joints are allowed; then only the motion is unique, not the reactions. The rate of the error is that
    of the rows exactly where the error is zero. If several rows vary with the relative pose, as for spline
    joints, the bias acceleration is that of velocities that satisfy the rows.

    Attributes
    ----------
    joint
        Joint type: the poses of frame ``E_a`` in frame ``E_b`` that it allows.
    a
        Name of the first body's link.
    E_a
        Joint frame ``(4, 4)`` in the frame of body a, m.
    b
        Name of the second body's link; None is the world.
    E_b
        Joint frame ``(4, 4)`` in the frame of body b, m.
    connection
        The joint between body 0, which is a, and body 1 or the world, which is b.

    Raises
    ------
    InvalidArgument
        If the bodies are the same, ``joint`` is not a joint type, or a frame is not a pose.
    """

    joint: JointType
    a: str
    E_a: ArrayField
    b: str | None
    E_b: ArrayField

    connection: Joint = field(init=False, repr=False)

    unilateral = False

    def __post_init__(self) -> None:
        arguments.require_instance("joint", self.joint, JointType)
        check_link_names(self, "a", *(() if self.b is None else ("b",)))
        if self.a == self.b:
            raise InvalidArgument("b", repr(self.b), "another body than a")
        for name in ("E_a", "E_b"):
            frame = arguments.with_ndim(name, arguments.frame(name, getattr(self, name)), 2)
            set_fields(self, **{name: frame})
        connection = construct_unchecked(
            Joint,
            kind=self.joint,
            body=0,
            frame=self.E_a,
            parent=WORLD if self.b is None else 1,
            parent_frame=self.E_b,
        )
        set_fields(self, connection=connection)

    def body_rows(self, tree: Tree, kinematics: KinematicState, state: State, t: float) -> BodyConstraintRows:
        """Return the rows on body twists that keep the relative pose among those that the joint allows."""
        bodies = [tree.index(name) for name in (self.a, self.b) if name is not None]
        joint = JointKinematics([self.connection], kinematics.body_poses[bodies])
        blocks, error = joint.row_blocks(), joint.constraint_error()
        return BodyConstraintRows(
            {body: blocks[:, k] for k, body in enumerate(bodies)},
            np.zeros((len(error), state.size)),
            error,
            np.zeros(len(error)),
            joint.constraint_bias_acceleration(kinematics.phi[bodies]),
        )


LoopConstraint = LoopClosure | LoopJoint
"""Constraints that close a loop, which are joints in maximal coordinates."""
