"""Sueda 2.4.5: a ball joint with Euler angles. The oracles differentiate scipy's rotations and exponentials."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from rbnotes import so3
from rbnotes.joints import (
    Composite,
    EulerSpherical,
    JointType,
    Prismatic,
    QuaternionSpherical,
    Revolute,
    euler_sequences,
)
from rbnotes.ledger.joint_quantities import coordinates, velocities
from rbnotes.ledger.oracles.bodies import bracket
from rbnotes.ledger.oracles.joint_poses import (
    motion_subspace,
    motion_subspace_rate,
    rotation_sequence,
    screws,
)
from rbnotes.ledger.oracles.twists import adjoint_by_conjugation, twist_from_matrix
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import NUMBER, POSE, RATE, TWIST, matrix_quantity
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.multibody import reduced
from rbnotes.testing import complex_step, derivative, jacobian
from rbnotes.testing.strategies import arrays, frames, unit_vectors, vectors

COLUMNS_OF_JOINT = "a column for each coordinate of the joint, in the frame that it moves"

section = Section(
    "sueda/s2.4.5",
    chapter="spheres-without-singularities",
    page_2019=Page(25, last=26),
    page_2021=Page(34, last=36),
    arguments={
        "a": Argument(NUMBER, "axis of the first rotation, in the fixed frame"),
        "b": Argument(NUMBER, "axis of the second rotation, in the frame after the first one"),
        "c": Argument(NUMBER, "axis of the third rotation, in the frame after the first two"),
        "q": Argument(coordinates, "coordinates of the joint"),
        "E0": Argument(POSE, "of the joint at zero coordinates, in the frame of its parent"),
        "qdot": Argument(velocities, "rates of the coordinates of the joint"),
        "u": Argument(NUMBER, "rates of the coordinates of the joint"),
        "P": Argument(POSE, "of the joint at zero coordinates, in the frame of its parent joint"),
        "B": Argument(POSE, "of the body, in the frame of its joint"),
    },
)


ANGLES = {"q": vectors(3, -3, 3)}
MOTION = {**ANGLES, "qdot": vectors()}

# A rotation, a translation across its axis, a rotation about a third axis: S has angular and linear parts.
MIXED_JOINT = Composite(Revolute((1.0, 0.0, 0.0)), Prismatic((0.0, 1.0, 0.0)), Revolute((0.0, 0.0, 1.0)))
MIXED_POSE = screws([1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 1, 0, 0, 0])


def rotation(q):
    return Rotation.from_euler("XZX", q).as_matrix()


def rotation_derivative(q, i):
    """Return ``R^T dR/dq_i`` by differences of scipy's rotations."""
    return rotation(q).T @ derivative(lambda t: rotation(q + t * np.eye(3)[i])).value


def vector_of_bracket(X):
    return np.array([X[2, 1], X[0, 2], X[1, 0]])


def euler_columns(q):
    """Return S as (2.34) prints it."""
    s2, s3 = np.sin(q[1:])
    c2, c3 = np.cos(q[1:])
    upper = np.array([[c2, 0, 1], [-c3 * s2, s3, 0], [s2 * s3, c3, 0]])
    return np.vstack([upper, np.zeros((3, 3))])


def euler_columns_rate(q, qdot):
    """Return the rate of the columns as (2.35) prints it."""
    s2, s3 = np.sin(q[1:])
    c2, c3 = np.cos(q[1:])
    q2dot, q3dot = qdot[1:]
    first = [-s2 * q2dot, s3 * s2 * q3dot - c3 * c2 * q2dot, c2 * s3 * q2dot + s2 * c3 * q3dot]
    upper = np.column_stack([first, [0, c3 * q3dot, -s3 * q3dot], np.zeros(3)])
    return np.vstack([upper, np.zeros((3, 3))])


@section.definition(
    "e2.29", "A column of S: the twist of the pose with respect to one coordinate, in the body frame"
)
class e2_29:
    formula = r"[S_i] \equiv E^{-1}\,\frac{dE}{dq_i}"
    defines = (r"[S_i]",)
    inputs = {"E0": frames(), **ANGLES}
    result = Result(NUMBER, COLUMNS_OF_JOINT)

    def printed(E0, q):
        E, partials = E0 @ MIXED_POSE(q), E0 @ np.moveaxis(complex_step(MIXED_POSE, q), -1, 0)
        return np.column_stack([twist_from_matrix(np.linalg.inv(E) @ partial) for partial in partials])

    def library(E0, q):
        return MIXED_JOINT.motion_subspace(q)

    def reference(E0, q):
        """Compare with derivatives of rotation vector and position relative to the current pose, by scipy's rotations."""

        def pose(q):
            rotation = Rotation.from_matrix(E0[:3, :3]) * Rotation.from_rotvec([q[0], 0, 0])
            return rotation * Rotation.from_rotvec([0, 0, q[2]]), E0[:3, 3] + rotation.apply([0, q[1], 0])

        R0, x0 = pose(q)

        def relative_pose_at(q):
            rotation, x = pose(q)
            return np.append((R0.inv() * rotation).as_rotvec(), R0.inv().apply(x - x0))

        return jacobian(relative_pose_at, q).value

    remark = "The reference transform $E_0$ cancels: $E^{-1}dE = Q^{-1}dQ$."
    implements = JointType


@section.holds("t894", "The columns times the rates are the twist of the body, similar to (1.8)")
class t894:
    formula = r"\dot E = E\,[\phi],\quad \phi = \textstyle\sum_i S_i\dot q_i"
    inputs = {"E0": frames(), **MOTION}
    result = Result(RATE, "rate of the pose of the body in the frame of the parent")

    def printed(E0, q, qdot):
        E = E0 @ MIXED_POSE(q)
        return E @ sum(
            np.vstack([np.column_stack([bracket(S[:3]), S[3:]]), np.zeros(4)]) * rate
            for S, rate in zip(motion_subspace(MIXED_POSE, q).T, qdot, strict=True)
        )

    def library(E0, q, qdot):
        S = MIXED_JOINT.motion_subspace(q) @ qdot
        X = np.zeros((4, 4))
        X[:3, :3], X[:3, 3] = so3.hat(S[:3]), S[3:]
        return E0 @ MIXED_JOINT.transform(q) @ X

    def reference(E0, q, qdot):
        """Compare with differences of the pose after scipy's rotations and the translation between them."""

        def pose(t):
            a, b, c = q + t * qdot
            E = np.eye(4)
            first = E0[:3, :3] @ Rotation.from_rotvec([a, 0, 0]).as_matrix()
            E[:3, :3], E[:3, 3] = (
                first @ Rotation.from_rotvec([0, 0, c]).as_matrix(),
                E0[:3, 3] + b * first[:, 1],
            )
            return E

        return derivative(pose).value

    implements = JointType


@section.holds("e2.30", "Columns of S for a pure rotation")
class e2_30:
    page_2019 = Page(25, r"$d\mathsf R/d\mathsf q$, without the index of the coordinate")
    page_2021 = Page(35, page_2019.content)
    formula = r"[S_i] \equiv R^\top\frac{dR}{dq_i}"
    inputs = {"E0": frames(), **ANGLES}
    result = Result(NUMBER, COLUMNS_OF_JOINT)

    def printed(E0, q):
        R, partials = rotation(q), np.moveaxis(complex_step(rotation_sequence("XZX"), q), -1, 0)
        upper = np.column_stack([vector_of_bracket(R.T @ partial[:3, :3]) for partial in partials])
        return np.vstack([upper, np.zeros((3, 3))])

    def library(E0, q):
        return EulerSpherical("XZX").motion_subspace(q)

    def reference(E0, q):
        """Compare with the angular velocity and the velocity of the origin, by differences of scipy's rotations.

        Both are in the frame of the body, whose origin is the center of the ball.
        """
        initial_rotation = Rotation.from_matrix(E0[:3, :3]) * Rotation.from_euler("XZX", q)

        def relative_pose_at(q):
            current = Rotation.from_matrix(E0[:3, :3]) * Rotation.from_euler("XZX", q)
            origin = E0[:3, 3] + E0[:3, :3] @ Rotation.from_euler("XZX", q).apply(np.zeros(3))
            return np.append(
                (initial_rotation.inv() * current).as_rotvec(),
                initial_rotation.inv().apply(origin - E0[:3, 3]),
            )

        return jacobian(relative_pose_at, q).value

    remark = (
        "$E$ is not a rotation matrix if $E_0$ contains a translation. But this translation is constant, "
        "so the lower half of $S$ is still zero."
    )
    implements = EulerSpherical


@section.holds("e2.31", "Rotation matrix of XZX Euler angles")
class e2_31:
    page_2019 = Page(26)
    page_2021 = Page(36)
    formula = r"R = \begin{pmatrix} c_2 & -s_2c_3 & s_2s_3 \\ c_1s_2 & c_1c_2c_3 - s_1s_3 & -s_1c_3 - c_1c_2s_3 \\ s_1s_2 & c_1s_3 + s_1c_2c_3 & c_1c_3 - s_1c_2s_3 \end{pmatrix}"
    inputs = ANGLES
    result = Result(NUMBER, "takes coordinates of the moving frame to those of the fixed one")

    def printed(q):
        (s1, s2, s3), (c1, c2, c3) = np.sin(q), np.cos(q)
        return np.array(
            [
                [c2, -s2 * c3, s2 * s3],
                [c1 * s2, c1 * c2 * c3 - s1 * s3, -s1 * c3 - c1 * c2 * s3],
                [s1 * s2, c1 * s3 + s1 * c2 * c3, c1 * c3 - s1 * c2 * s3],
            ]
        )

    def library(q):
        return EulerSpherical("XZX").transform(q)[:3, :3]

    def reference(q):
        """Compare with scipy's Euler angles about rotated axes."""
        return rotation(q)

    implements = EulerSpherical


@section.holds("e2.32", "Pose of a ball joint")
class e2_32:
    formula = r"Q = \begin{pmatrix} R & 0 \\ 0 & 1 \end{pmatrix}"
    inputs = ANGLES
    result = Result(NUMBER, "of the moving frame in the fixed one")

    def printed(q):
        return np.block([[rotation(q), np.zeros((3, 1))], [np.zeros((1, 3)), np.ones((1, 1))]])

    def library(q):
        return EulerSpherical("XZX").transform(q)

    def reference(q):
        """Compare with scipy's exponentials of twists about the three axes, one after the other."""
        return rotation_sequence("XZX")(q)

    implements = EulerSpherical


@section.holds("t910", "The product of the transposed rotation matrix and its derivative is skew-symmetric")
class t910:
    formula = r"R^\top\frac{dR}{dq_i} = -\Big(R^\top\frac{dR}{dq_i}\Big)^{\!\top}"
    inputs = {**ANGLES, "u": vectors()}
    result = Result(NUMBER, "in the moving frame")

    def printed(q, u):
        """Evaluate for a derivative in any direction; unit directions are derivatives by one angle."""
        R, partials = rotation_sequence("XZX")(q)[:3, :3], complex_step(rotation_sequence("XZX"), q)[:3, :3]
        return -(R.T @ (partials @ u)).T

    def library(q, u):
        return so3.hat(EulerSpherical("XZX").motion_subspace(q)[:3] @ u)

    def reference(q, u):
        """Compare with differences of scipy's rotations."""
        return rotation(q).T @ derivative(lambda t: rotation(q + t * u)).value

    implements = EulerSpherical


@section.holds("e2.33", "Derivative of the rotation with respect to the first angle")
class e2_33:
    page_2019 = Page(26)
    page_2021 = Page(35, "(2.35), that of XYZ angles")
    formula = r"R^\top\frac{dR}{dq_1} = \begin{pmatrix} 0 & -s_2s_3 & -c_3s_2 \\ s_2s_3 & 0 & -c_2 \\ c_3s_2 & c_2 & 0 \end{pmatrix}"
    inputs = ANGLES
    result = Result(NUMBER, "of the map from the moving to the fixed frame, by the first angle")

    def printed(q):
        s2, s3 = np.sin(q[1:])
        c2, c3 = np.cos(q[1:])
        return np.array([[0, -s2 * s3, -c3 * s2], [s2 * s3, 0, -c2], [c3 * s2, c2, 0]])

    def library(q):
        return so3.hat(EulerSpherical("XZX").motion_subspace(q)[:3, 0])

    def reference(q):
        """Compare with differences of scipy's rotations."""
        return rotation_derivative(q, 0)

    implements = EulerSpherical


@section.holds("t914#a", "First column of S: the vector of the matrix, then three zeros")
class t914_a:
    formula = r"\text{`The bottom three rows are zero'}"
    inputs = ANGLES
    result = Result(NUMBER, "of the first angle, in the moving frame")

    def printed(q):
        return np.concatenate([vector_of_bracket(rotation_derivative(q, 0)), np.zeros(3)])

    def library(q):
        return EulerSpherical("XZX").motion_subspace(q)[:, 0]

    def reference(q):
        """Compare with velocities of the axes and the origin of a body on scipy's rotations, in its own frame."""
        initial_rotation = Rotation.from_euler("XZX", q)

        def relative_pose_at(t):
            current = Rotation.from_euler("XZX", q + np.array([t, 0, 0]))
            return np.append((initial_rotation.inv() * current).as_rotvec(), current.apply(np.zeros(3)))

        return derivative(relative_pose_at).value

    implements = EulerSpherical


@section.misprint("t914#b", "Second and third column of S")
class t914_b:
    page_2019 = Page(26)
    page_2021 = Page(35)
    formula = r"\text{`Repeating for the 2nd and 3rd rows'}"
    inputs = ANGLES
    result = Result(NUMBER, "a column for each angle, in the moving frame")

    def printed(q):
        """Return the derivatives by the second and the third angle, in the rows where the text puts them."""
        first, second, third = (vector_of_bracket(rotation_derivative(q, i)) for i in range(3))
        upper = np.column_stack([first, np.zeros(3), np.zeros(3)])
        upper[1:] = second, third
        return upper

    def library(q):
        return EulerSpherical("XZX").motion_subspace(q)[:3]

    def reference(q):
        """Compare with the angular velocities for unit rates, by the complex step through scipy's exponentials."""
        return motion_subspace(rotation_sequence("XZX"), q)[:3]

    correction = r"Repeating for the 2nd and 3rd *columns*: the derivatives by $q_2$ and $q_3$."
    replacement = "Repeating for the 2nd and 3rd columns, we obtain the final form of $S$ for a spherical joint parameterized by XZX Euler angles:"
    remark = "The text speaks of columns at the beginning, and (2.34) has columns."
    implements = EulerSpherical


@section.holds("e2.34", "Jacobian of a ball joint with XZX Euler angles")
class e2_34:
    page_2019 = Page(26)
    page_2021 = Page(36)
    formula = r"S = \begin{pmatrix} c_2 & 0 & 1 \\ -c_3s_2 & s_3 & 0 \\ s_2s_3 & c_3 & 0 \\ 0&0&0 \\ 0&0&0 \\ 0&0&0 \end{pmatrix}"
    inputs = ANGLES
    result = Result(NUMBER, COLUMNS_OF_JOINT)
    printed = euler_columns

    def library(q):
        return EulerSpherical("XZX").motion_subspace(q)

    def reference(q):
        """Compare with the complex step through scipy's exponentials about the three axes."""
        return motion_subspace(rotation_sequence("XZX"), q)

    remark = (
        "The matrix is singular where $s_2 = 0$, and therefore at $R = I$: no rates of the angles "
        "give an angular velocity in one of the directions."
    )
    implements = EulerSpherical


@section.holds("e2.35", "Rate of the Jacobian of a ball joint with XZX Euler angles")
class e2_35:
    page_2019 = Page(26)
    page_2021 = Page(36)
    formula = r"\dot S = \begin{pmatrix} -s_2\dot q_2 & 0 & 0 \\ s_3s_2\dot q_3 - c_3c_2\dot q_2 & c_3\dot q_3 & 0 \\ c_2s_3\dot q_2 + s_2c_3\dot q_3 & -s_3\dot q_3 & 0 \\ 0&0&0 \\ 0&0&0 \\ 0&0&0 \end{pmatrix}"
    inputs = MOTION
    result = Result(RATE, COLUMNS_OF_JOINT)
    printed = euler_columns_rate

    def library(q, qdot):
        return EulerSpherical("XZX").motion_subspace_rate(q, qdot)

    def reference(q, qdot):
        """Compare with differences, along moving angles, of the columns that the complex step gives."""
        return motion_subspace_rate(rotation_sequence("XZX"), q, qdot)

    implements = EulerSpherical


# ------------------------------------------------------------------------------------------------------------
# Singularities of three angles, and the use of the rate of S.


QUATERNION = np.array([0.5, -0.1, 0.7, 0.5])


def angular_columns(a, b, c, q):
    return motion_subspace(screws(*(np.append(axis, np.zeros(3)) for axis in (a, b, c))), q)[:3]


def limb(P, B):
    """Return a tree of a hinge, a ball joint on its moving frame at P, and the body at B."""
    return reduced.Tree(
        [
            reduced.Link("hinge", Revolute((0.0, 1.0, 0.0))),
            reduced.Link("ball", EulerSpherical("XZX"), np.eye(6), "hinge", P, B),
        ]
    )


@section.holds("t888#a", "Three angles have a singularity, whatever their axes")
class t888_a:
    formula = r"\text{`With any 3-parameter representation, there will be a singularity somewhere.'}"
    inputs = {"a": unit_vectors(), "b": unit_vectors(), "c": unit_vectors(), "q": vectors()}
    result = Result(NUMBER)

    def printed(a, b, c, q):
        """Return det S of the upper rows after half a turn of the second angle.

        It has the opposite sign, so det S vanishes in between.
        """
        rotated_axis = Rotation.from_rotvec(-q[1] * b).as_matrix() @ a
        return np.cross(b, rotated_axis) @ c

    def library(a, b, c, q):
        return -np.linalg.det(Composite(Revolute(a), Revolute(b), Revolute(c)).motion_subspace(q)[:3])

    def reference(a, b, c, q):
        """Compare with the determinant after half a turn of the second angle, by complex steps through exponentials."""
        return np.linalg.det(angular_columns(a, b, c, q + np.array([0, np.pi, 0])))

    remark = (
        r"For any three axes, not only those of a frame, $\det\hat S$ changes its sign within half a "
        "turn of the second angle. In general, by a theorem of topology, no three numbers describe all "
        "rotations one to one and with a regular derivative. The exponential map, for example, is "
        r"regular within the ball of radius $2\pi$ and reaches every rotation there, but a body that "
        "keeps rotating leaves the ball."
    )
    implements = Composite


@section.holds("t888#b", "Singularities of the twelve sequences of angles")
class t888_b:
    formula = r"\text{`a singularity somewhere'}"
    inputs = {"sequence": st.sampled_from(euler_sequences()), "q": vectors(3, -3, 3)}
    result = Result(NUMBER)

    def printed(sequence, q):
        """Return the smallest singular value, which is zero where the last axis is parallel to the first one."""
        cosine = np.cos(q[1]) if sequence[0] == sequence[2] else np.sin(q[1])
        return np.sqrt(1 - abs(cosine))

    def library(sequence, q):
        return EulerSpherical(sequence).distance_to_singularity(q)

    def reference(sequence, q):
        """Compare with the singular values of the columns that the complex step gives."""
        return np.linalg.svd(motion_subspace(rotation_sequence(sequence), q), compute_uv=False)[2]

    tolerance = 1e-8
    remark = (
        r"XZX and every other sequence that repeats its first axis is singular where $\sin q_2 = 0$. A "
        r"sequence of three different axes is singular where $\cos q_2 = 0$."
    )
    implements = EulerSpherical


@section.demonstration(
    "t888#c", "More than three parameters require constraints: a quaternion has four, and one constraint"
)
class t888_c:
    formula = r"\text{`With more than 3 parameters, we require constraints'}"
    result = Result(NUMBER, "parameters, then constraints")

    def printed():
        return [4, 4 - 3]

    def library():
        joint = QuaternionSpherical()
        return [joint.num_coordinates, joint.coordinate_constraint_jacobian(QUATERNION).shape[0]]

    def reference():
        """Count the components of a quaternion and their independent rates that do not rotate, by scipy's rotations."""

        def rotation_at(p):
            return Rotation.from_quat(p).as_matrix()

        partials = [
            derivative(lambda t, e=e: rotation_at(QUATERNION + t * e)).value.ravel() for e in np.eye(4)
        ]
        return [len(partials), len(partials) - np.linalg.matrix_rank(np.array(partials), tol=1e-8)]

    tolerance = 0.0
    implements = QuaternionSpherical


@section.demonstration("t890", "S has one column for each coordinate")
class t890:
    formula = r"S \in \mathbb R^{6\times1},\quad S \in \mathbb R^{6\times3}"
    result = Result(NUMBER, "rows and columns of S, of a hinge and of three angles")

    def printed():
        return [6, 1, 6, 3]

    def library():
        return [
            *Revolute().motion_subspace([0.5]).shape,
            *EulerSpherical("XZX").motion_subspace([0.5, 1.0, 1.5]).shape,
        ]

    def reference():
        """Compare with the independent twists of a hinge and of a ball joint, by complex steps of exponentials."""
        hinge, ball = (
            motion_subspace(rotation_sequence("Z"), np.array([0.5])),
            motion_subspace(rotation_sequence("XZX"), np.array([0.5, 1.0, 1.5])),
        )
        return [n for S in (hinge, ball) for n in (len(S), np.linalg.matrix_rank(S))]

    tolerance = 0.0
    implements = EulerSpherical


@section.holds("t918", "Rate of S in the rate of the Jacobian of a tree")
class t918:
    formula = r"\dot J(i,i) = {}^i_{J_i}\mathrm{Ad}\,\dot S \ne 0"
    inputs = {"P": frames(), "B": frames(), "q": arrays(4), "qdot": arrays(4)}
    result = Result(
        matrix_quantity(TWIST, NUMBER), "rate of the columns of the ball joint, in the frame of the body"
    )

    def printed(P, B, q, qdot):
        return adjoint_by_conjugation(np.linalg.inv(B)) @ euler_columns_rate(q[1:4], qdot[1:4])

    def library(P, B, q, qdot):
        tree = limb(P, B)
        i = tree.index("ball")
        return reduced.jacobian_rate(tree, q, qdot)[6 * i : 6 * i + 6, tree.coordinate_slices[i]]

    def reference(P, B, q, qdot):
        """Compare with differences along the motion of the body's twists for unit rates, by scipy's exponentials.

        A hinge about y moves the frame P that carries the ball joint.
        """
        parent_pose, ball = rotation_sequence("Y")(q[:1]) @ P, rotation_sequence("XZX")
        return motion_subspace_rate(lambda q: parent_pose @ ball(q) @ B, q[1:4], qdot[1:4])

    remark = (
        r"In general, the rate is not zero if $\dot q_2$ or $\dot q_3$ is not zero; a change of the "
        "first angle alone does not change $S$."
    )
    implements = reduced.jacobian_rate
