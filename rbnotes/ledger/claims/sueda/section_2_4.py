"""Sueda 2.4.1-2.4.4 and 2.4.7: joints with constant S. The oracles move points and frames."""

from __future__ import annotations

import numpy as np
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from rbnotes import se3
from rbnotes.joints import Composite, Fixed, PlanarTranslation, Prismatic, Revolute, Translational
from rbnotes.ledger.oracles.joint_poses import motion_subspace, rotation_sequence, screws, translations
from rbnotes.ledger.oracles.twists import twist_matrix
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import (
    LENGTH,
    LINEAR_FIRST_TWIST,
    NUMBER,
    POSE,
    RATE,
    TIME,
    VELOCITY,
)
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.multibody import reduced
from rbnotes.testing.strategies import arrays, frames, numbers, unit_vectors, vectors

OF_JOINT_IN_PARENT = "of the joint in the frame of its parent"

section_2_4_1 = Section(
    "sueda/s2.4.1",
    chapter="joint-types",
    page_2019=Page(24),
    page_2021=Page(33, last=34),
    arguments={
        "E0": Argument(POSE, "of the joint at zero coordinates, in the frame of its parent"),
        "q": Argument(NUMBER, "coordinates of the joint"),
    },
)
section_2_4_2 = Section(
    "sueda/s2.4.2",
    chapter="joint-types",
    page_2019=Page(24, last=25),
    page_2021=Page(34),
    arguments={
        "a": Argument(NUMBER, "direction of the slide, in the frame of the joint"),
        "q": Argument(LENGTH, "coordinates of the joint"),
        "x": Argument(LENGTH, "of a point, in the frame that the joint moves"),
    },
)
section_2_4_3 = Section(
    "sueda/s2.4.3",
    chapter="joint-types",
    page_2019=Page(25),
    page_2021=Page(34),
    arguments={
        "q": Argument(LENGTH, "coordinates of the joint"),
        "x": Argument(LENGTH, "of a point, in the frame that the joint moves"),
        "qdot": Argument(VELOCITY, "rates of the coordinates of the joint"),
    },
)
section_2_4_4 = Section(
    "sueda/s2.4.4",
    chapter="joint-types",
    page_2019=Page(25),
    page_2021=Page(34),
    arguments={
        "q": Argument(LENGTH, "coordinates of the joint"),
        "qdot": Argument(VELOCITY, "rates of the coordinates of the joint"),
    },
)
section_2_4_7 = Section(
    "sueda/s2.4.7",
    chapter="joint-types",
    page_2019=Page(27),
    page_2021=Page(38),
    arguments={
        "q": Argument(NUMBER, "coordinates of the joint"),
        "qdot": Argument(RATE, "rates of the coordinates of the joint"),
    },
)


X, Y, Z = np.eye(3)
OFFSET_FRAME = translations(X)([0.7])
SLIDE = {"a": unit_vectors(), "q": numbers()}
EXACT_ENTRIES = "entries are copied, and a matrix whose square is zero has an exponential of two terms"
EXACT_SUMS = "displacements are sums of two products, which all forms round in the same way"


def placed_joint(joint, E0):
    """Return a tree of a massless link on the joint and a heavy one fixed to it, because a tree needs a mass."""
    link = reduced.Link("moving", joint, placement=E0)
    return reduced.Tree([link, reduced.Link("heavy", Fixed(), np.eye(6), "moving", OFFSET_FRAME)])


def transformed_points(pose):
    """Return the transformed origin and ends of the axes as columns."""
    corners = np.hstack([np.zeros((3, 1)), np.eye(3)])
    return pose[:3, :3] @ corners + pose[:3, 3:]


def num_stationary_twists():
    """Return 6 minus the rank of the velocities of three points, not in line, for the six unit twists."""
    points = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    velocities = [np.concatenate([np.cross(xi[:3], x) + xi[3:] for x in points]) for xi in np.eye(6)]
    return 6 - np.linalg.matrix_rank(np.array(velocities))


@section_2_4_1.misprint("e2.22", "Pose of a joint: its reference transform times its motion")
class e2_22:
    page_2019 = Page(24, r"${}^{j-1}_jE = {}^{j-1}_jE_0\,\mathsf Q_j(\mathsf q_j)$")
    page_2021 = Page(33, r"(2.23), $J_i(\mathsf q_i) = {}^{i-1}_iE = \bar J_i\,Q_i(\mathsf q_i)$")
    formula = r"{}^j_{j-1}E = {}^j_{j-1}E_0\,Q_j(q_j)"
    edit = ("{}^j_{j-1}E", "{}^{j-1}_jE")
    inputs = {"E0": frames(), "q": arrays(2)}
    result = Result(POSE, "of the parent in the frame of the joint")
    constants = (LENGTH,)

    def printed(E0, q):
        E0_inverse = np.linalg.inv(E0)
        return E0_inverse @ screws([1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0])(q)

    def library(E0, q):
        joint = Composite(Revolute(X), Prismatic(Y))
        return se3.inverse(reduced.poses(placed_joint(joint, E0), q).joint_poses[0])

    def reference(E0, q):
        """Compare with the pose of the parent in the joint frame, which is rotated and then translated."""
        R = E0[:3, :3] @ Rotation.from_rotvec(q[0] * X).as_matrix()
        origin = E0[:3, 3] + q[1] * R[:, 1]
        return np.vstack([np.column_stack([R.T, -R.T @ origin]), [0, 0, 0, 1]])

    correction = (
        r"${}^{j-1}_jE = {}^{j-1}_jE_0\,Q_j(q_j)$, as in (2.4): the pose of joint $j$ in its parent. The "
        r"pose of the parent in joint $j$ is the inverse, $Q_j^{-1}\,{}^j_{j-1}E_0$."
    )
    remark = (
        "$E_0$ is the pose of the joint at $q_j = 0$ if $Q_j(0)$ is the identity, as for all joints here "
        "but splines."
    )
    implements = reduced.poses


@section_2_4_1.holds("t858#a", "Fixed joint: Q is the identity")
class t858_a:
    formula = r"Q_j = I"
    inputs = {"E0": frames(), "q": arrays(6)}
    arguments = {"q": Argument(LINEAR_FIRST_TWIST * TIME, "coordinates of the joint")}
    result = Result(LENGTH, "of points of the second body, as columns in the first")
    constants = (LENGTH,)

    def printed(E0, q):
        Q = np.eye(4)
        return transformed_points(screws(*np.roll(np.eye(6), 3, axis=0))(q) @ E0 @ Q)

    def library(E0, q):
        links = [
            reduced.Link("free", Composite(Translational(), Revolute(X), Revolute(Y), Revolute(Z))),
            reduced.Link("fixed to it", Fixed(), np.eye(6), parent="free", placement=E0),
        ]
        return reduced.poses(reduced.Tree(links), q).joint_poses[1, :3] @ np.vstack(
            [np.eye(3, 4, 1), np.ones(4)]
        )

    def reference(E0, q):
        """Compare with the points of the second body as points of the first one, which translates and rotates."""
        rotation = Rotation.from_euler("XYZ", q[3:])
        points = [E0[:3, 3], *(E0[:3, 3] + E0[:3, :3].T)]
        return np.stack([q[:3] + rotation.apply(x) for x in points], axis=-1)

    implements = Fixed


@section_2_4_1.demonstration("t858#b", "The Jacobian of a fixed joint has no columns")
class t858_b:
    formula = r"S \in \mathbb R^{6\times0}"
    result = Result(NUMBER, "rows, then columns")

    def printed():
        return [6, 0]

    def library():
        return Fixed().motion_subspace([]).shape

    def reference():
        """Count the twists that move no point of a body."""
        return [6, num_stationary_twists()]

    tolerance = 0.0
    implements = Fixed


@section_2_4_2.holds("e2.23", "Pose of a prismatic joint")
class e2_23:
    formula = r"Q_j(q_j) = \begin{pmatrix} I & a\,q_j \\ 0 & 1 \end{pmatrix}"
    inputs = SLIDE
    result = Result(POSE, OF_JOINT_IN_PARENT)

    def printed(a, q):
        return np.block([[np.eye(3), (a * q)[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]])

    def library(a, q):
        return Prismatic(a).transform([q])

    def reference(a, q):
        """Compare with scipy's exponential of the twist of unit velocity, times q."""
        return translations(a)([q])

    exact = EXACT_ENTRIES
    remark = (
        "$q$ is a distance if the axis has length 1, which the library requires and the notes do not state."
    )
    implements = Prismatic


@section_2_4_2.holds("t868", "A prismatic joint moves every point by the same vector")
class t868:
    inputs = {**SLIDE, "x": vectors()}
    result = Result(LENGTH, "in the fixed frame of the joint")

    def printed(a, q, x):
        return x + a * q

    def library(a, q, x):
        return se3.transform_points(Prismatic(a).transform([q]), x)

    def reference(a, q, x):
        """Compare with scipy's exponential of the twist of unit velocity, applied to the point."""
        return (translations(a)([q]) @ np.append(x, 1))[:3]

    exact = EXACT_SUMS
    implements = Prismatic


@section_2_4_2.holds("e2.24", "Jacobian of a prismatic joint")
class e2_24:
    formula = r"S = \begin{pmatrix} 0 \\ \mathbf a \end{pmatrix} \in \mathbb R^{6\times1}"
    inputs = SLIDE
    result = Result(NUMBER, "a column for each coordinate of the joint, in the frame that it moves")

    def printed(a, q):
        return np.concatenate([np.zeros(3), a])[:, None]

    def library(a, q):
        return Prismatic(a).motion_subspace([q])

    def reference(a, q):
        """Compare with the complex step through scipy's exponential."""
        return motion_subspace(translations(a), np.array([q]))

    exact = EXACT_ENTRIES
    implements = Prismatic


@section_2_4_3.holds("e2.25", "Pose of a planar joint, which translates in the xy plane")
class e2_25:
    page_2019 = Page(25)
    page_2021 = Page(34, r"(2.27), with any two directions $B \in \mathbb R^{3\times2}$ of motion")
    formula = r"Q_j(q_j) = \begin{pmatrix} I & 0 & q_j \\ 0 & 1 & 0 \\ 0 & 0 & 1 \end{pmatrix}"
    inputs = {"q": vectors(2)}
    result = Result(POSE, OF_JOINT_IN_PARENT)

    def printed(q):
        I, row, column = np.eye(2), np.zeros((1, 2)), np.zeros((2, 1))
        one, zero = np.ones((1, 1)), np.zeros((1, 1))
        return np.block([[I, column, q[:, None]], [row, one, zero], [row, zero, one]])

    def library(q):
        return PlanarTranslation().transform(q)

    def reference(q):
        """Compare with a translation along x, then one along y, by scipy's exponentials."""
        return translations(X, Y)(q)

    exact = EXACT_ENTRIES
    remark = (
        r"The upper left $I$ is $2\times2$. In mechanism theory and in most simulators a planar joint "
        "also rotates about $z$; here this is the 2D free joint of 2.4.10."
    )
    implements = PlanarTranslation


@section_2_4_3.holds("t876", "A planar joint moves every point by the same vector of the plane")
class t876:
    inputs = {"q": vectors(2), "x": vectors()}
    result = Result(LENGTH, "in the fixed frame of the joint")

    def printed(q, x):
        return x + np.array([q[0], q[1], 0])

    def library(q, x):
        return se3.transform_points(PlanarTranslation().transform(q), x)

    def reference(q, x):
        """Compare with scipy's exponentials of two translations, applied to the point."""
        return (translations(X, Y)(q) @ np.append(x, 1))[:3]

    exact = EXACT_SUMS
    implements = PlanarTranslation


@section_2_4_3.holds("e2.26", "Jacobian of a planar joint")
class e2_26:
    page_2019 = Page(25)
    page_2021 = Page(34, r"(2.28), with any two directions $B \in \mathbb R^{3\times2}$ of motion")
    formula = (
        r"S = \begin{pmatrix} 0&0 \\ 0&0 \\ 0&0 \\ 1&0 \\ 0&1 \\ 0&0 \end{pmatrix} \in \mathbb R^{6\times2}"
    )
    inputs = {"q": vectors(2), "qdot": vectors(2)}
    result = Result(VELOCITY, "in the frame that the joint moves")

    def printed(q, qdot):
        S = np.array([[0, 0], [0, 0], [0, 0], [1, 0], [0, 1], [0, 0]])
        return S @ qdot

    def library(q, qdot):
        return PlanarTranslation().motion_subspace(q) @ qdot

    def reference(q, qdot):
        """Compare with the complex step through scipy's exponentials, times the rates."""
        return motion_subspace(translations(X, Y), q) @ qdot

    exact = EXACT_ENTRIES
    implements = PlanarTranslation


@section_2_4_4.holds("e2.27", "Pose of a translational joint")
class e2_27:
    formula = r"Q_j(q_j) = \begin{pmatrix} I & q_j \\ 0 & 1 \end{pmatrix}"
    inputs = {"q": vectors()}
    result = Result(POSE, OF_JOINT_IN_PARENT)

    def printed(q):
        return np.block([[np.eye(3), q[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]])

    def library(q):
        return Translational().transform(q)

    def reference(q):
        """Compare with translations along x, y and z, by scipy's exponentials."""
        return translations(X, Y, Z)(q)

    exact = EXACT_ENTRIES
    implements = Translational


@section_2_4_4.holds("e2.28", "Jacobian of a translational joint")
class e2_28:
    formula = r"S = \begin{pmatrix} 0 \\ I \end{pmatrix} \in \mathbb R^{6\times3}"
    inputs = {"q": vectors(), "qdot": vectors()}
    result = Result(VELOCITY, "in the frame that the joint moves")

    def printed(q, qdot):
        S = np.vstack([np.zeros((3, 3)), np.eye(3)])
        return S @ qdot

    def library(q, qdot):
        return Translational().motion_subspace(q) @ qdot

    def reference(q, qdot):
        """Compare with the complex step through scipy's exponentials, times the rates."""
        return motion_subspace(translations(X, Y, Z), q) @ qdot

    exact = EXACT_ENTRIES
    implements = Translational


@section_2_4_7.holds("e2.41#a", "Pose of a revolute joint about z: the exponential of its twist")
class e2_41_a:
    formula = r"Q(q) = \exp([Sq]) = \begin{pmatrix} \cos q & -\sin q & 0 & 0 \\ \sin q & \cos q & 0 & 0 \\ 0&0&1&0 \\ 0&0&0&1 \end{pmatrix}"
    inputs = {"q": numbers(-7, 7)}
    result = Result(NUMBER, "of the moving frame in the fixed one")

    def printed(q):
        c, s = np.cos(q), np.sin(q)
        return np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])

    def library(q):
        return Revolute().transform([q])

    def reference(q):
        """Compare with scipy's exponential of the matrix of S q."""
        return expm(twist_matrix(q * np.array([0, 0, 1, 0, 0, 0])))

    implements = Revolute


@section_2_4_7.holds("e2.41#b", "Jacobian of a revolute joint")
class e2_41_b:
    formula = r"S = \begin{pmatrix} 0&0&1&0&0&0 \end{pmatrix}^\top"
    inputs = {"q": numbers(-7, 7), "qdot": numbers()}
    result = Result(RATE, "in the moving frame")

    def printed(q, qdot):
        S = np.array([0, 0, 1, 0, 0, 0])
        return S * qdot

    def library(q, qdot):
        return Revolute().motion_subspace([q])[:, 0] * qdot

    def reference(q, qdot):
        """Compare with the complex step through scipy's exponential, times the rate."""
        return motion_subspace(rotation_sequence("Z"), np.array([q]))[:, 0] * qdot

    remark = r"$S$ is constant, so $\dot S = 0$. Bending about $z$, in the notes, is a rotation about $z$."
    implements = Revolute
