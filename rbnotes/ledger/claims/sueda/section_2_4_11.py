"""Sueda 2.4.11: a free joint in space."""

from __future__ import annotations

import numpy as np
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from rbnotes.joints import ExponentialSpherical, Free3D
from rbnotes.ledger.oracles.bodies import bracket
from rbnotes.ledger.oracles.joint_pairs import spatial_free_joint
from rbnotes.ledger.oracles.pose_products import (
    derivative_along_motion,
    make_poses,
    pose_jacobian,
    pose_jacobian_rate,
    rotation_pose,
)
from rbnotes.ledger.oracles.twists import twist_from_matrix
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import (
    ADJOINT,
    LENGTH,
    NUMBER,
    POSE,
    RATE,
    TIME,
    TWIST,
    VELOCITY,
    stacked_quantity,
    vector_quantity,
)
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing import derivative
from rbnotes.testing.strategies import arrays

section = Section(
    "sueda/s2.4.11",
    chapter="joint-types",
    page_2019=Page(30),
    page_2021=Page(41, last=42),
    arguments={
        "r": Argument(NUMBER, "rotation vector of the moving frame in the fixed one"),
        "p": Argument(LENGTH, "origin of the moving frame, in the fixed one"),
        "twist": Argument(TWIST, "of the moving frame, in itself"),
        "q1": Argument(NUMBER, "coordinates of the joint"),
        "q2": Argument(LENGTH, "coordinates of the joint"),
        "v1": Argument(RATE, "rates of the coordinates of the joint"),
        "v2": Argument(VELOCITY, "rates of the coordinates of the joint"),
    },
)


COORDINATES = {"q1": arrays(3).filter(np.any), "q2": arrays(3)}
MOTION = {**COORDINATES, "v1": arrays(3), "v2": arrays(3)}


def twist_along(pose, q, qdot):
    """Return the twist of a pose ``(4, 4)`` along its coordinates, by differences."""
    rate = derivative(lambda t: pose(q + t * qdot)).value
    return twist_from_matrix(np.linalg.inv(pose(q)) @ rate)


@section.holds("t1014", "Free joint in space: any pose and any motion")
class t1014:
    formula = r"\text{`completely unconstrained in 3D'}"
    inputs = {"r": arrays(3).filter(np.any), "p": arrays(3), "twist": arrays(6)}
    result = Result(
        vector_quantity(
            *2 * ((NUMBER, 3), (LENGTH, 1)), (NUMBER, 3), (LENGTH, 4), (NUMBER, 1), (RATE, 3), (VELOCITY, 3)
        ),
        "the pose in the fixed frame, row by row, then the twist in the moving one",
    )

    def printed(r, p, twist):
        """Return the pose of the product of two joints, and its twist along the rates that S gives."""
        q = np.concatenate([r, rotation_pose(r)[:3, :3].T @ p])
        S = pose_jacobian(spatial_free_joint, q)
        qdot = np.linalg.lstsq(S, twist, rcond=None)[0]
        return np.append(spatial_free_joint(q), twist_along(spatial_free_joint, q, qdot))

    def library(r, p, twist):
        joint = Free3D(position_first=False)
        q = joint.nearest_coordinates(make_poses(Rotation.from_rotvec(r).as_matrix(), p))
        qdot = np.linalg.solve(joint.motion_subspace(q), twist)
        return np.append(joint.transform(q), twist_along(joint.transform, q, qdot))

    def reference(r, p, twist):
        """Check that the joint reproduces the prescribed pose and twist."""
        return np.append(make_poses(Rotation.from_rotvec(r).as_matrix(), p), twist)

    primitives = ("rbnotes.ledger.oracles.pose_products.make_poses",)
    remark = (
        "Every pose has such coordinates, with rotation vectors of up to half a turn. At rotation "
        r"vectors of length $2\pi$ a joint with exponential coordinates is singular (2.4.8) and loses "
        "two degrees of freedom."
    )
    implements = Free3D


@section.holds("e2.57", "Free joint in space as a product of two joints")
class e2_57:
    formula = r"Q = Q_1Q_2,\qquad Q_1 = Q_\text{spherical},\quad Q_2 = Q_\text{translational}"
    inputs = COORDINATES
    result = Result(POSE, "of the moving frame in the fixed one")

    def printed(q1, q2):
        Q1, Q2 = np.eye(4), np.eye(4)
        Q1[:3, :3], Q2[:3, 3] = expm(bracket(q1)), q2
        return Q1 @ Q2

    def library(q1, q2):
        return Free3D(position_first=False).transform(np.append(q1, q2))

    def reference(q1, q2):
        """Compare with scipy's rotations of the axes and of the offset."""
        rotation = Rotation.from_rotvec(q1)
        columns = np.stack([*rotation.apply(np.eye(3)), rotation.apply(q2)], axis=-1)
        return np.concatenate([columns, [[0, 0, 0, 1]]])

    remark = "The position is along the rotated axes: the pose is $(R, Rq_2)$, not $(R, q_2)$."
    implements = Free3D


def ball_jacobian(q1):
    """Return the upper half of S_1 of the ball joint."""
    return pose_jacobian(rotation_pose, q1)[..., :3, :]


@section.holds("e2.58", "Jacobian of a free joint in space")
class e2_58:
    formula = r"S = \begin{pmatrix} \hat S_1 & 0 \\ -[q_2]\hat S_1 & I \end{pmatrix} \in \mathbb R^{6\times6}"
    inputs = COORDINATES
    result = Result(ADJOINT, "a column for each coordinate of the joint, in the frame that it moves")

    def printed(q1, q2):
        S1 = ball_jacobian(q1)
        return np.block([[S1, np.zeros((3, 3))], [-bracket(q2) @ S1, np.eye(3)]])

    def library(q1, q2):
        return Free3D(position_first=False).motion_subspace(np.append(q1, q2))

    def reference(q1, q2):
        """Compare with complex steps of the product of the two poses."""
        return pose_jacobian(spatial_free_joint, np.append(q1, q2))

    implements = Free3D


@section.holds("e2.59", "Rate of the Jacobian of a free joint in space")
class e2_59:
    formula = r"\dot S = \begin{pmatrix} \dot{\hat S}_1 & 0 \\ -[\dot q_2]\hat S_1 - [q_2]\dot{\hat S}_1 & 0 \end{pmatrix}"
    inputs = MOTION
    result = Result(ADJOINT / TIME, "a column for each coordinate of the joint, in the frame that it moves")

    def printed(q1, q2, v1, v2):
        S1, S1_dot = ball_jacobian(q1), derivative_along_motion(ball_jacobian, q1, v1)
        zero = np.zeros((3, 3))
        return np.block([[S1_dot, zero], [-bracket(v2) @ S1 - bracket(q2) @ S1_dot, zero]])

    def library(q1, q2, v1, v2):
        return Free3D(position_first=False).motion_subspace_rate(np.append(q1, q2), np.append(v1, v2))

    def reference(q1, q2, v1, v2):
        """Compare with differences of the Jacobian of the product of the two poses along the motion."""
        return pose_jacobian_rate(spatial_free_joint, np.append(q1, q2), np.append(v1, v2))

    implements = Free3D


@section.holds("t1026", "Meaning of the hats: the three rows of the Jacobian of a ball joint")
class t1026:
    formula = r"S_1 = \begin{pmatrix} \hat S_1 \\ 0 \end{pmatrix}"
    inputs = {"q1": COORDINATES["q1"], "v1": arrays(3)}
    result = Result(
        stacked_quantity(NUMBER, RATE),
        "the columns of the joint in the frame that it moves, then their rates",
    )

    def printed(q1, v1):
        """Return Jacobian and rate, both padded with zeros."""
        upper = np.stack([ball_jacobian(q1), derivative_along_motion(ball_jacobian, q1, v1)])
        return np.concatenate([upper, np.zeros((2, 3, 3))], axis=1)

    def library(q1, v1):
        joint = ExponentialSpherical()
        return np.stack([joint.motion_subspace(q1), joint.motion_subspace_rate(q1, v1)])

    def reference(q1, v1):
        """Compare with differences of the pose along three motions, and of these along a fourth."""

        def columns(q):
            rates = np.stack([derivative_along_motion(rotation_pose, q, unit) for unit in np.eye(3)])
            return np.stack(
                [twist_from_matrix(np.linalg.inv(rotation_pose(q)) @ rate) for rate in rates], axis=-1
            )

        def columns_along(steps):
            return np.stack([columns(q1 + t * v1) for t in steps[..., 0]])

        return np.stack([columns(q1), derivative_along_motion(columns_along, np.zeros(1), np.ones(1))])

    implements = ExponentialSpherical
