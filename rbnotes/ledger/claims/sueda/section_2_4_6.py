"""Sueda 2.4.6: the universal joint. The oracles differentiate scipy's rotations and exponentials."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from rbnotes import so3
from rbnotes.joints import EulerSpherical, Universal
from rbnotes.ledger.joint_quantities import coordinates, velocities
from rbnotes.ledger.oracles.joint_poses import motion_subspace, motion_subspace_rate, rotation_sequence
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import NUMBER, RATE
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing import derivative
from rbnotes.testing.strategies import vectors

section = Section(
    "sueda/s2.4.6",
    chapter="joint-types",
    page_2019=Page(26, last=27),
    page_2021=Page(35, last=38),
    arguments={
        "q": Argument(coordinates, "coordinates of the joint"),
        "qdot": Argument(velocities, "rates of the coordinates of the joint"),
    },
)


ANGLES = {"q": vectors(2, -3, 3)}
MOTION = {**ANGLES, "qdot": vectors(2)}
ONE_AT_A_TIME = {
    "q": st.shared(st.tuples(vectors(2, -3, 3), vectors(2), st.booleans()), key="universal").map(
        lambda drawn: drawn[0] * (np.array([1, 0]) if drawn[2] else 1)
    ),
    "qdot": st.shared(st.tuples(vectors(2, -3, 3), vectors(2), st.booleans()), key="universal").map(
        lambda drawn: drawn[1] * (1 if drawn[2] else np.array([0, 1]))
    ),
}


def rotation(q):
    """Return the rotation about x, then about the new y."""
    return Rotation.from_euler("XY", q).as_matrix()


def universal_columns(q):
    """Return S as (2.39) prints it."""
    s2, c2 = np.sin(q[1]), np.cos(q[1])
    return np.array([[c2, 0], [0, 1], [s2, 0], [0, 0], [0, 0], [0, 0]])


@section.conditional("t922", "A universal joint does not rotate about z")
class t922:
    page_2019 = Page(26)
    page_2021 = Page(37)
    formula = r"\omega_z = 0"
    inputs = MOTION
    result = Result(RATE, "in the moving frame")

    def printed(q, qdot):
        """Return the body's angular velocity if it only rotates about x and y at the rates of its angles."""
        return np.array([qdot[0], qdot[1], 0])

    def library(q, qdot):
        return Universal().motion_subspace(q)[:3] @ qdot

    def reference(q, qdot):
        """Compare with differences of scipy's rotations about x and the new y."""
        X = rotation(q).T @ derivative(lambda t: rotation(q + t * qdot)).value
        return np.array([X[2, 1], X[0, 2], X[1, 0]])

    condition_inputs = ONE_AT_A_TIME

    def holds_when(q, qdot):
        return abs(np.sin(q[1]) * qdot[0]) < 1e-9

    condition = r"the second angle is zero or the first one is constant: $\dot q_1\sin q_2 = 0$"
    remark = (
        "The third of the XYZ angles is zero: the $y$ axis of the body stays perpendicular to the $x$ "
        r"axis of the parent. But the body rotates about its $z$ axis, with $\dot q_1\sin q_2$, as in "
        r"(2.39), and about that of the parent, with $\dot q_2\sin q_1$."
    )
    implements = Universal


@section.holds("e2.36", "Rotation matrix of XYZ Euler angles")
class e2_36:
    formula = r"R = \begin{pmatrix} c_2c_3 & -c_2s_3 & s_2 \\ c_1s_3 + s_1s_2c_3 & c_1c_3 - s_1s_2s_3 & -s_1c_2 \\ s_1s_3 - c_1s_2c_3 & s_1c_3 + c_1s_2s_3 & c_1c_2 \end{pmatrix}"
    inputs = {"q": vectors(3, -3, 3)}
    result = Result(NUMBER, "takes coordinates of the moving frame to those of the fixed one")

    def printed(q):
        (s1, s2, s3), (c1, c2, c3) = np.sin(q), np.cos(q)
        return np.array(
            [
                [c2 * c3, -c2 * s3, s2],
                [c1 * s3 + s1 * s2 * c3, c1 * c3 - s1 * s2 * s3, -s1 * c2],
                [s1 * s3 - c1 * s2 * c3, s1 * c3 + c1 * s2 * s3, c1 * c2],
            ]
        )

    def library(q):
        return EulerSpherical("XYZ").transform(q)[:3, :3]

    def reference(q):
        """Compare with scipy's Euler angles about rotated axes."""
        return Rotation.from_euler("XYZ", q).as_matrix()

    implements = EulerSpherical


@section.holds("e2.37", "Rotation matrix of a universal joint: XYZ angles with the third one zero")
class e2_37:
    formula = (
        r"R = \begin{pmatrix} c_2 & 0 & s_2 \\ s_1s_2 & c_1 & -s_1c_2 \\ -c_1s_2 & s_1 & c_1c_2 \end{pmatrix}"
    )
    inputs = ANGLES
    result = Result(NUMBER, "takes coordinates of the moving frame to those of the fixed one")

    def printed(q):
        (s1, s2), (c1, c2) = np.sin(q), np.cos(q)
        return np.array([[c2, 0, s2], [s1 * s2, c1, -s1 * c2], [-c1 * s2, s1, c1 * c2]])

    def library(q):
        return Universal().transform(q)[:3, :3]

    def reference(q):
        """Compare with scipy's XYZ Euler angles, the third one zero."""
        return Rotation.from_euler("XYZ", [*q, 0]).as_matrix()

    remark = (
        "The zero is the constraint: the $y$ axis of the body has no component along the $x$ axis of the "
        "parent."
    )
    implements = Universal


@section.holds("e2.38", "Pose of a universal joint")
class e2_38:
    formula = r"Q = \begin{pmatrix} R & 0 \\ 0 & 1 \end{pmatrix}"
    inputs = ANGLES
    result = Result(NUMBER, "of the moving frame in the fixed one")

    def printed(q):
        return np.block([[rotation(q), np.zeros((3, 1))], [np.zeros((1, 3)), np.ones((1, 1))]])

    def library(q):
        return Universal().transform(q)

    def reference(q):
        """Compare with scipy's exponentials of twists about x and about the new y."""
        return rotation_sequence("XY")(q)

    implements = Universal


@section.demonstration("t934#a", "S of a universal joint has two columns")
class t934_a:
    formula = r"S \in \mathbb R^{6\times2}"
    result = Result(NUMBER, "rows and columns of S")

    def printed():
        return [6, 2]

    def library():
        return Universal().motion_subspace([0.5, 1.0]).shape

    def reference():
        """Compare with the independent twists, by the complex step through scipy's exponentials."""
        S = motion_subspace(rotation_sequence("XY"), np.array([0.5, 1.0]))
        return [len(S), np.linalg.matrix_rank(S)]

    tolerance = 0.0
    implements = Universal


@section.holds("t934#b", "Both derivatives of the rotation matrix are skew-symmetric in the body frame")
class t934_b:
    formula = r"R^\top\frac{dR}{dq_i} = -\Big(R^\top\frac{dR}{dq_i}\Big)^{\!\top}"
    inputs = MOTION
    result = Result(RATE, "in the moving frame")

    def printed(q, qdot):
        """Evaluate for the sum of both derivatives, each times the rate of its angle."""
        (s1, s2), (c1, c2) = np.sin(q), np.cos(q)
        R = np.array([[c2, 0, s2], [s1 * s2, c1, -s1 * c2], [-c1 * s2, s1, c1 * c2]])
        dR_dq1 = np.array([[0, 0, 0], [c1 * s2, -s1, -c1 * c2], [s1 * s2, c1, -s1 * c2]])
        dR_dq2 = np.array([[-s2, 0, c2], [s1 * c2, 0, s1 * s2], [-c1 * c2, 0, -c1 * s2]])
        return -(R.T @ (dR_dq1 * qdot[0] + dR_dq2 * qdot[1])).T

    def library(q, qdot):
        return so3.hat(Universal().motion_subspace(q)[:3] @ qdot)

    def reference(q, qdot):
        """Compare with differences of scipy's rotations."""
        return rotation(q).T @ derivative(lambda t: rotation(q + t * qdot)).value

    implements = Universal


@section.holds("e2.39", "Jacobian of a universal joint")
class e2_39:
    formula = r"S = \begin{pmatrix} c_2 & 0 \\ 0 & 1 \\ s_2 & 0 \\ 0&0 \\ 0&0 \\ 0&0 \end{pmatrix}"
    inputs = ANGLES
    result = Result(NUMBER, "a column for each coordinate of the joint, in the frame that it moves")
    printed = universal_columns

    def library(q):
        return Universal().motion_subspace(q)

    def reference(q):
        """Compare with the complex step through scipy's exponentials."""
        return motion_subspace(rotation_sequence("XY"), q)

    remark = "The columns are orthonormal at every $q$: a universal joint has no singularity."
    implements = Universal


@section.holds("e2.40", "Rate of the Jacobian of a universal joint")
class e2_40:
    formula = r"\dot S = \begin{pmatrix} -s_2\dot q_2 & 0 \\ 0 & 0 \\ c_2\dot q_2 & 0 \\ 0&0 \\ 0&0 \\ 0&0 \end{pmatrix}"
    inputs = MOTION
    result = Result(RATE, "a column for each coordinate of the joint, in the frame that it moves")

    def printed(q, qdot):
        s2, c2, q2dot = np.sin(q[1]), np.cos(q[1]), qdot[1]
        return np.array([[-s2 * q2dot, 0], [0, 0], [c2 * q2dot, 0], [0, 0], [0, 0], [0, 0]])

    def library(q, qdot):
        return Universal().motion_subspace_rate(q, qdot)

    def reference(q, qdot):
        """Compare with differences, along moving angles, of the columns that the complex step gives."""
        return motion_subspace_rate(rotation_sequence("XY"), q, qdot)

    implements = Universal
