"""Sueda 1.1: position representation."""

from __future__ import annotations

import numpy as np
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from rbnotes import se3, so3
from rbnotes.ledger.oracles.bodies import bracket
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import LENGTH, NUMBER, POSE
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing.strategies import frames, rotation_vectors, rotations, vectors

section = Section(
    "sueda/s1.1",
    chapter="frames-and-twists",
    page_2019=Page(1, last=2),
    page_2021=Page(3),
    arguments={
        "R": Argument(NUMBER, "of the body in the world"),
        "p": Argument(LENGTH, "origin of the body, in the world"),
        "r": Argument(NUMBER, "rotation vector, the same in the world and in the rotated frame"),
        "E": Argument(POSE, "of the body in the world"),
        "x": Argument(LENGTH, "of a point"),
        "first": Argument(NUMBER, "rotation vector, the same in the world and in the rotated frame"),
        "second": Argument(NUMBER, "rotation vector, the same in the world and in the rotated frame"),
        "E1": Argument(POSE, "of two bodies in the world"),
        "E2": Argument(POSE, "of two bodies in the world"),
    },
)


ROTATION = {"r": rotation_vectors()}
ROTATION_AND_POINT = {"r": rotation_vectors(), "x": vectors()}
POSE_AND_POINT = {"E": frames(), "x": vectors()}


def frame_printed(R, p):
    return np.block([[R, p[:, None]], [np.zeros(3), 1.0]])


def frame_library(R, p):
    return se3.frame(R, p)


def frame_reference(R, p):
    axes_and_origin = [np.append(R @ axis, 0) for axis in np.eye(3)]
    return np.stack([*axes_and_origin, np.append(p, 1)], axis=-1)


@section.definition("e1.1", "The pose of a body as a 4 x 4 matrix")
class e1_1:
    formula = r"{}^0_iE = \begin{pmatrix} {}^0_iR & {}^0\mathbf p \\ 0 & 1 \end{pmatrix}"
    inputs = {"R": rotations(), "p": vectors()}
    result = Result(POSE, "of the body in the world")
    defines = (r"{}^0_iE",)
    printed = frame_printed
    library = frame_library
    oracle = "Compute the columns: the axes of the frame in the world, then its origin."
    reference = frame_reference
    exact = "all forms copy the same numbers and compute only products with unit vectors"
    implements = se3.frame


@section.holds("t19", "The columns of a pose: axes and origin of the frame in the world")
class t19:
    formula = r"{}^0_iE = \begin{pmatrix} {}^0\mathbf e_1 & {}^0\mathbf e_2 & {}^0\mathbf e_3 & {}^0\mathbf p \\ 0 & 0 & 0 & 1 \end{pmatrix}:\ \text{axis directions and origin of the frame, in the world}"
    inputs = {"r": rotation_vectors(), "p": vectors()}
    result = Result(POSE, "of the body in the world")

    def printed(r, p):
        """Return the columns of (1.1)."""
        return frame_printed(expm(bracket(r)), p)

    def library(r, p):
        """Return the frame's axes and origin in the world."""
        E = se3.frame(so3.exp(r), p)
        ends = se3.transform_points(E, np.vstack([np.eye(3), np.zeros(3)]))
        return np.vstack([np.column_stack([*(ends[:3] - ends[3]), ends[3]]), E[3]])

    def reference(r, p):
        """Compare with the axes of the world, rotated by scipy, and the origin of the frame."""
        axes = Rotation.from_rotvec(r).apply(np.eye(3))
        return np.column_stack([*(np.append(axis, 0) for axis in axes), np.append(p, 1)])

    implements = (se3.frame, se3.transform_points)


@section.holds("e1.2", "World position of a point given in body coordinates")
class e1_2:
    formula = r"{}^0\mathbf x = {}^0_iE\,{}^i\mathbf x"
    inputs = POSE_AND_POINT
    arguments = {"x": Argument(LENGTH, "in the frame of the body")}
    result = Result(LENGTH, "in the world")

    def printed(E, x):
        return (E @ np.append(x, 1))[:3]

    def library(E, x):
        return se3.transform_points(E, x)

    def reference(E, x):
        """Add to the origin of the frame each coordinate times its axis."""
        origin, axes = E[:3, 3], E[:3, :3].T
        return origin + sum(coordinate * axis for coordinate, axis in zip(x, axes, strict=True))

    exact = (
        "each number is a sum of three products and an offset, which all forms round in the same way unless the "
        "processor fuses them"
    )
    implements = se3.transform_points


@section.holds("e1.3#a", "The rows of a rotation matrix are orthonormal", chapter="rotations")
class e1_3_a:
    formula = "RR^T = I"
    inputs = ROTATION_AND_POINT
    result = Result(LENGTH, "the given point")

    def printed(r, x):
        R = expm(bracket(r))
        return R @ R.T @ x

    def library(r, x):
        R = so3.exp(r)
        return R @ R.T @ x

    def reference(r, x):
        """Check that the product of matrix exponentials leaves any vector unchanged."""
        return x

    implements = so3.exp


@section.holds("e1.3#b", "The columns of a rotation matrix are orthonormal", chapter="rotations")
class e1_3_b:
    formula = "R^TR = I"
    inputs = ROTATION_AND_POINT
    result = Result(LENGTH, "the given point")

    def printed(r, x):
        R = expm(bracket(r))
        return R.T @ R @ x

    def library(r, x):
        R = so3.exp(r)
        return R.T @ R @ x

    def reference(r, x):
        """Check that the product of matrix exponentials leaves any vector unchanged."""
        return x

    implements = so3.exp


@section.holds("e1.3#c", "A rotation matrix has determinant 1", chapter="rotations")
class e1_3_c:
    formula = r"\det R = 1"
    inputs = ROTATION
    result = Result(NUMBER)

    def printed(r):
        return np.linalg.det(expm(bracket(r)))

    def library(r):
        return np.linalg.det(so3.exp(r))

    def reference(r):
        """Compare with the number one, for matrix exponentials of skew-symmetric matrices."""
        return 1.0

    exact = "the determinant is the same for all rotations"
    implements = so3.exp


@section.holds("t29#a", "The inverse of a rotation matrix is its transpose", chapter="rotations")
class t29_a:
    formula = "R^{-1} = R^T"
    inputs = ROTATION
    result = Result(NUMBER, "takes coordinates of the world to those of the body")

    def printed(r):
        return expm(bracket(r)).T

    def library(r):
        return so3.exp(r).T

    def reference(r):
        """Compare with the numerical inverse of the matrix exponential."""
        return np.linalg.inv(expm(bracket(r)))

    implements = so3.exp


@section.holds(
    "t29#b", "Rotation matrices form a group: a product of rotations is a rotation", chapter="rotations"
)
class t29_b:
    formula = r"R_1, R_2 \in SO(3) \;\Rightarrow\; R_1R_2 \in SO(3)"
    inputs = {"first": rotation_vectors(), "second": rotation_vectors()}
    result = Result(NUMBER, "of the first rotation after the second")

    def printed(first, second):
        return expm(bracket(first)) @ expm(bracket(second))

    def library(first, second):
        return so3.exp(first) @ so3.exp(second)

    def reference(first, second):
        """Compare with the rotation of the product of two unit quaternions, by scipy."""
        return (Rotation.from_rotvec(first) * Rotation.from_rotvec(second)).as_matrix()

    remark = "The set also contains the identity and the transpose of each member, so it is a group."
    implements = so3.exp


@section.holds("t29#c", "The columns of a rotation matrix follow the right-hand rule", chapter="rotations")
class t29_c:
    formula = r"\mathbf r_1\times\mathbf r_2 = \mathbf r_3"
    inputs = ROTATION
    result = Result(NUMBER, "of the third axis of the body, in the world")

    def printed(r):
        R = expm(bracket(r))
        return np.cross(R[:, 0], R[:, 1])

    def library(r):
        R = so3.exp(r)
        return np.cross(R[:, 0], R[:, 1])

    def reference(r):
        """Compare with the third axis, rotated by scipy."""
        return Rotation.from_rotvec(r).apply(np.eye(3)[2])

    remark = (
        r"This is equivalent to $\det R = 1$; if the determinant is $-1$, the cross product is $-\mathbf "
        "r_3$."
    )
    implements = so3.exp


@section.holds("t31", "Poses form a group: a product of poses is a pose")
class t31:
    formula = r"E_1, E_2 \in SE(3) \;\Rightarrow\; E_1E_2 = \begin{pmatrix} R_1R_2 & R_1\mathbf p_2 + \mathbf p_1 \\ 0 & 1 \end{pmatrix} \in SE(3)"
    inputs = {"E1": frames(), "E2": frames()}
    result = Result(POSE, "of the first pose after the second")

    def printed(E1, E2):
        return E1 @ E2

    def library(E1, E2):
        return se3.frame(E1[:3, :3] @ E2[:3, :3], se3.transform_points(E1, E2[:3, 3]))

    def reference(E1, E2):
        """Compare with the rotation and the origin of the second pose, rotated by scipy and translated by the first."""
        first, second = Rotation.from_matrix(E1[:3, :3]), Rotation.from_matrix(E2[:3, :3])
        E = np.eye(4)
        E[:3, :3] = (first * second).as_matrix()
        E[:3, 3] = E1[:3, 3] + first.apply(E2[:3, 3])
        return E

    remark = "The inverse also has this form, see (1.4)."
    implements = (se3.frame, se3.transform_points)


@section.holds("e1.4", "Inverse of a pose")
class e1_4:
    formula = r"\begin{pmatrix} R & \mathbf p \\ 0 & 1 \end{pmatrix}^{-1} = \begin{pmatrix} R^T & -R^T\mathbf p \\ 0 & 1 \end{pmatrix}"
    inputs = {"E": frames()}
    result = Result(POSE, "of the world in the body")

    def printed(E):
        R, p = E[:3, :3], E[:3, 3]
        last = np.array([[0.0, 0.0, 0.0, 1.0]])
        return np.concatenate([np.column_stack([R.T, -R.T @ p]), last])

    def library(E):
        return se3.inverse(E)

    def reference(E):
        """Compare with the numerical inverse of the 4 x 4 matrix."""
        return np.linalg.inv(E)

    implements = se3.inverse


@section.misprint("t35", "Matrix that transforms points from the world to the body")
class t35:
    page_2019 = Page(2, "${}^0_iE^{-1}$ transforms points from 0 to $i$")
    page_2021 = Page(3, page_2019.content)
    formula = r"{}^i_0E^{-1}\ \text{transforms points from 0 to}\ i"
    inputs = POSE_AND_POINT
    arguments = {"x": Argument(LENGTH, "in the world")}
    result = Result(LENGTH, "in the frame of the body")

    def printed(E, x):
        to_body = np.linalg.inv(E)
        return (np.linalg.inv(to_body) @ np.append(x, 1))[:3]

    def library(E, x):
        return se3.transform_points(se3.inverse(E), x)

    def reference(E, x):
        """Compare with the body coordinates that solve R x = y - p."""
        return np.linalg.solve(E[:3, :3], x - E[:3, 3])

    correction = "${}^0_iE^{-1} = {}^i_0E$ transforms points from 0 to $i$"
    replacement = "In other words, ${}^0_iE$ transforms points from $i$ to 0, whereas ${}^0_iE^{-1}$ transforms points from 0 to $i$."
    remark = (
        "The preceding sentence is right. ${}^i_0E^{-1}$ equals ${}^0_iE$, which transforms points from "
        "$i$ to 0."
    )
    implements = (se3.inverse, se3.transform_points)
