"""Sueda 2.4.5: a ball joint with Euler angles. The oracles differentiate scipy's rotations and exponentials."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from rbnotes import so3
from rbnotes.joints import (
    Composite,
    EulerSpherical,
    Prismatic,
    Revolute,
)
from rbnotes.ledger.oracles.bodies import bracket
from rbnotes.ledger.oracles.joint_poses import (
    motion_subspace,
    motion_subspace_rate,
    rotation_sequence,
    screws,
)
from rbnotes.ledger.oracles.twists import twist_from_matrix
from rbnotes.ledger.quantities import NUMBER, RATE
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing import complex_step, derivative, jacobian
from rbnotes.testing.strategies import frames, vectors

CHAPTER = "spheres-without-singularities"
ANGLES = {"q": vectors(3, -3, 3)}
MOVING = {**ANGLES, "qdot": vectors()}

# A turn, a slide across its axis, a turn about a third axis: S has angular and linear parts.
MIXED = Composite(Revolute((1.0, 0.0, 0.0)), Prismatic((0.0, 1.0, 0.0)), Revolute((0.0, 0.0, 1.0)))
MIXED_POSE = screws([1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 1, 0, 0, 0])


def rotation(q):
    return Rotation.from_euler("XZX", q).as_matrix()


def slope(q, i):
    """``R^T dR/dq_i`` by differences of scipy's rotations."""
    return rotation(q).T @ derivative(lambda t: rotation(q + t * np.eye(3)[i])).value


def unbracketed(X):
    return np.array([X[2, 1], X[0, 2], X[1, 0]])


def euler_columns(q):
    """S as (2.34) prints it."""
    s2, s3 = np.sin(q[1:])
    c2, c3 = np.cos(q[1:])
    upper = np.array([[c2, 0, 1], [-c3 * s2, s3, 0], [s2 * s3, c3, 0]])
    return np.vstack([upper, np.zeros((3, 3))])


def euler_columns_rate(q, qdot):
    """Its rate as (2.35) prints it."""
    s2, s3 = np.sin(q[1:])
    c2, c3 = np.cos(q[1:])
    q2dot, q3dot = qdot[1:]
    first = [-s2 * q2dot, s3 * s2 * q3dot - c3 * c2 * q2dot, c2 * s3 * q2dot + s2 * c3 * q3dot]
    upper = np.column_stack([first, [0, c3 * q3dot, -s3 * q3dot], np.zeros(3)])
    return np.vstack([upper, np.zeros((3, 3))])


@claim(
    "sueda/s2.4.5/e2.29",
    "A column of S is a twist: how the pose changes with one coordinate, seen from the body",
)
class e2_29:
    formula = r"[S_i] \equiv E^{-1}\,\frac{dE}{dq_i}"
    defines = (r"[S_i]",)
    inputs = {"E0": frames(), **ANGLES}
    result = NUMBER

    def printed(E0, q):
        E, slopes = E0 @ MIXED_POSE(q), E0 @ np.moveaxis(complex_step(MIXED_POSE, q), -1, 0)
        return np.column_stack([twist_from_matrix(np.linalg.inv(E) @ slope) for slope in slopes])

    def library(E0, q):
        return MIXED.motion_subspace(q)

    oracle = (
        "rates of the rotation vector and of the position seen from where the body is, by scipy's rotations"
    )

    def reference(E0, q):
        """How the body that moves on is turned and shifted, seen from the body as it is."""

        def place(q):
            turn = Rotation.from_matrix(E0[:3, :3]) * Rotation.from_rotvec([q[0], 0, 0])
            return turn * Rotation.from_rotvec([0, 0, q[2]]), E0[:3, 3] + turn.apply([0, q[1], 0])

        here, at = place(q)

        def seen(q):
            turn, x = place(q)
            return np.append((here.inv() * turn).as_rotvec(), here.inv().apply(x - at))

        return jacobian(seen, q).value

    verdict = Verdict.DEFINITION
    remark = r"Where the parent holds the joint, $E_0$, cancels: $E^{-1}dE = Q^{-1}dQ$."
    implemented_by = ("rbnotes.joints.JointType",)
    chapter = CHAPTER


@claim("sueda/s2.4.5/t894", "Similar to (1.8): the columns times their rates are the body's twist")
class t894:
    formula = r"\dot E = E\,[\phi],\quad \phi = \textstyle\sum_i S_i\dot q_i"
    inputs = {"E0": frames(), **MOVING}
    result = RATE

    def printed(E0, q, qdot):
        E = E0 @ MIXED_POSE(q)
        return E @ sum(
            np.vstack([np.column_stack([bracket(S[:3]), S[3:]]), np.zeros(4)]) * rate
            for S, rate in zip(motion_subspace(MIXED_POSE, q).T, qdot, strict=True)
        )

    def library(E0, q, qdot):
        S = MIXED.motion_subspace(q) @ qdot
        X = np.zeros((4, 4))
        X[:3, :3], X[:3, 3] = so3.hat(S[:3]), S[3:]
        return E0 @ MIXED.transform(q) @ X

    oracle = "differences of where scipy's rotations and the slide between them take the body"

    def reference(E0, q, qdot):
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

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.joints.JointType",)
    chapter = CHAPTER


@claim("sueda/s2.4.5/e2.30", "Only rotations are involved: the rotation matrix is enough")
class e2_30:
    formula = r"[S_i] \equiv R^\top\frac{dR}{dq_i}"
    inputs = {"E0": frames(), **ANGLES}
    result = NUMBER

    def printed(E0, q):
        R, slopes = rotation(q), np.moveaxis(complex_step(rotation_sequence("XZX"), q), -1, 0)
        upper = np.column_stack([unbracketed(R.T @ slope[:3, :3]) for slope in slopes])
        return np.vstack([upper, np.zeros((3, 3))])

    def library(E0, q):
        return EulerSpherical("XZX").motion_subspace(q)

    oracle = (
        "angular velocity and velocity of the placed ball joint's origin, by differences of scipy's rotations"
    )

    def reference(E0, q):
        """Both, seen from the body; the origin of the body is the centre of the ball."""
        start = Rotation.from_matrix(E0[:3, :3]) * Rotation.from_euler("XZX", q)

        def seen(q):
            turn = Rotation.from_matrix(E0[:3, :3]) * Rotation.from_euler("XZX", q)
            origin = E0[:3, 3] + E0[:3, :3] @ Rotation.from_euler("XZX", q).apply(np.zeros(3))
            return np.append((start.inv() * turn).as_rotvec(), start.inv().apply(origin - E0[:3, 3]))

        return jacobian(seen, q).value

    verdict = Verdict.HOLDS
    remark = (
        r"$E$ is no rotation matrix where $E_0$ has a translation; but this does not change, and the lower half "
        r"of $S$ is zero all the same."
    )
    implemented_by = ("rbnotes.joints.EulerSpherical",)
    chapter = CHAPTER


@claim("sueda/s2.4.5/e2.31", "Rotation matrix of XZX Euler angles")
class e2_31:
    formula = (
        r"R = \begin{pmatrix} c_2 & -s_2c_3 & s_2s_3 \\ c_1s_2 & c_1c_2c_3 - s_1s_3 & -s_1c_3 - c_1c_2s_3 \\"
        r" s_1s_2 & c_1s_3 + s_1c_2c_3 & c_1c_3 - s_1c_2s_3 \end{pmatrix}"
    )
    inputs = ANGLES
    result = NUMBER

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

    oracle = "scipy's Euler angles, each axis carried along by the turns before"

    def reference(q):
        return rotation(q)

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.joints.EulerSpherical",)
    chapter = CHAPTER


@claim("sueda/s2.4.5/e2.32", "Pose of a ball joint")
class e2_32:
    formula = r"Q = \begin{pmatrix} R & 0 \\ 0 & 1 \end{pmatrix}"
    inputs = ANGLES
    result = NUMBER

    def printed(q):
        return np.block([[rotation(q), np.zeros((3, 1))], [np.zeros((1, 3)), np.ones((1, 1))]])

    def library(q):
        return EulerSpherical("XZX").transform(q)

    oracle = "scipy's exponentials of twists about the three axes, one after the other"

    def reference(q):
        return rotation_sequence("XZX")(q)

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.joints.EulerSpherical",)
    chapter = CHAPTER


@claim("sueda/s2.4.5/t910", "The product of the transposed rotation and its derivative is skew symmetric")
class t910:
    formula = r"R^\top\frac{dR}{dq_i} = -\Big(R^\top\frac{dR}{dq_i}\Big)^{\!\top}"
    inputs = {**ANGLES, "u": vectors()}
    result = NUMBER

    def printed(q, u):
        """For the derivative in some direction, of which those by one angle are the unit ones."""
        R, slopes = rotation_sequence("XZX")(q)[:3, :3], complex_step(rotation_sequence("XZX"), q)[:3, :3]
        return -(R.T @ (slopes @ u)).T

    def library(q, u):
        return so3.hat(EulerSpherical("XZX").motion_subspace(q)[:3] @ u)

    oracle = "differences of scipy's rotations"

    def reference(q, u):
        return rotation(q).T @ derivative(lambda t: rotation(q + t * u)).value

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.joints.EulerSpherical",)
    chapter = CHAPTER


@claim("sueda/s2.4.5/e2.33", "How the rotation changes with the first angle")
class e2_33:
    formula = (
        r"R^\top\frac{dR}{dq_1} = \begin{pmatrix} 0 & -s_2s_3 & -c_3s_2 \\ s_2s_3 & 0 & -c_2 \\"
        r" c_3s_2 & c_2 & 0 \end{pmatrix}"
    )
    inputs = ANGLES
    result = NUMBER

    def printed(q):
        s2, s3 = np.sin(q[1:])
        c2, c3 = np.cos(q[1:])
        return np.array([[0, -s2 * s3, -c3 * s2], [s2 * s3, 0, -c2], [c3 * s2, c2, 0]])

    def library(q):
        return so3.hat(EulerSpherical("XZX").motion_subspace(q)[:3, 0])

    oracle = "differences of scipy's rotations"

    def reference(q):
        return slope(q, 0)

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.joints.EulerSpherical",)
    chapter = CHAPTER


@claim("sueda/s2.4.5/t914#a", "The first column: the matrix without its bracket, and three zeros")
class t914_a:
    formula = r"\text{`The bottom three rows are zero'}"
    inputs = ANGLES
    result = NUMBER

    def printed(q):
        return np.concatenate([unbracketed(slope(q, 0)), np.zeros(3)])

    def library(q):
        return EulerSpherical("XZX").motion_subspace(q)[:, 0]

    oracle = "how the axes and the origin of a body on scipy's rotations move, seen from it"

    def reference(q):
        start = Rotation.from_euler("XZX", q)

        def seen(t):
            turn = Rotation.from_euler("XZX", q + np.array([t, 0, 0]))
            return np.append((start.inv() * turn).as_rotvec(), turn.apply(np.zeros(3)))

        return derivative(seen).value

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.joints.EulerSpherical",)
    chapter = CHAPTER


@claim("sueda/s2.4.5/t914#b", "The other columns come the same way")
class t914_b:
    formula = r"\text{`Repeating for the 2nd and 3rd rows'}"
    inputs = ANGLES
    result = NUMBER

    def printed(q):
        """The derivatives by the second and the third angle, in the rows where the text puts them."""
        first, second, third = (unbracketed(slope(q, i)) for i in range(3))
        upper = np.column_stack([first, np.zeros(3), np.zeros(3)])
        upper[1:] = second, third
        return upper

    def library(q):
        return EulerSpherical("XZX").motion_subspace(q)[:3]

    oracle = "the angular velocities for unit rates, by the complex step through scipy's exponentials"

    def reference(q):
        return motion_subspace(rotation_sequence("XZX"), q)[:3]

    verdict = Verdict.MISPRINT
    correction = r"Repeating for the 2nd and 3rd *columns*: the derivatives by $q_2$ and $q_3$."
    remark = "The text says columns where it begins, and (2.34) has them there."
    implemented_by = ("rbnotes.joints.EulerSpherical",)
    chapter = CHAPTER


@claim("sueda/s2.4.5/e2.34", "Jacobian of a ball joint with XZX Euler angles")
class e2_34:
    formula = (
        r"S = \begin{pmatrix} c_2 & 0 & 1 \\ -c_3s_2 & s_3 & 0 \\ s_2s_3 & c_3 & 0 \\ 0&0&0 \\ 0&0&0 \\"
        r" 0&0&0 \end{pmatrix}"
    )
    inputs = ANGLES
    result = NUMBER
    printed = euler_columns

    def library(q):
        return EulerSpherical("XZX").motion_subspace(q)

    oracle = "the complex step through scipy's exponentials about the three axes"

    def reference(q):
        return motion_subspace(rotation_sequence("XZX"), q)

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.joints.EulerSpherical",)
    chapter = CHAPTER


@claim("sueda/s2.4.5/e2.35", "Rate of the Jacobian of a ball joint with XZX Euler angles")
class e2_35:
    formula = (
        r"\dot S = \begin{pmatrix} -s_2\dot q_2 & 0 & 0 \\ s_3s_2\dot q_3 - c_3c_2\dot q_2 & c_3\dot q_3 & 0 \\"
        r" c_2s_3\dot q_2 + s_2c_3\dot q_3 & -s_3\dot q_3 & 0 \\ 0&0&0 \\ 0&0&0 \\ 0&0&0 \end{pmatrix}"
    )
    inputs = MOVING
    result = RATE
    printed = euler_columns_rate

    def library(q, qdot):
        return EulerSpherical("XZX").motion_subspace_rate(q, qdot)

    oracle = "differences, along moving angles, of the columns that the complex step gives"

    def reference(q, qdot):
        return motion_subspace_rate(rotation_sequence("XZX"), q, qdot)

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.joints.EulerSpherical",)
    chapter = CHAPTER
