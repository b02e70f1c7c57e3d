"""Sueda 1.1: position representation."""

from __future__ import annotations

import numpy as np
from scipy.linalg import expm

from rbnotes import se3, so3
from rbnotes.checking.strategies import frames, rotation_vectors, rotations, vectors
from rbnotes.ledger.oracles.bodies import bracket
from rbnotes.ledger.record import Verdict, claim

CHAPTER = "frames-and-twists"
ROTATION = {"r": rotation_vectors()}
MOVED_POINT = {"E": frames(), "x": vectors()}


def frame_library(R, p):
    return se3.frame(R, p)


def frame_reference(R, p):
    axes_and_origin = [np.append(R @ axis, 0) for axis in np.eye(3)]
    return np.stack([*axes_and_origin, np.append(p, 1)], axis=-1)


def identity_reference(r):
    return np.eye(3)


@claim("sueda/s1.1/e1.1", "The pose of a body as a 4 x 4 matrix")
class e1_1:
    formula = r"{}^0_iE = \begin{pmatrix} {}^0_iR & {}^0\mathbf p \\ 0 & 1 \end{pmatrix}"
    inputs = {"R": rotations(), "p": vectors()}
    library = frame_library
    oracle = "columns: the frame's axes turned into the world, then its origin"
    reference = frame_reference
    verdict = Verdict.DEFINITION
    implemented_by = ("rbnotes.se3.frame",)
    chapter = CHAPTER


@claim("sueda/s1.1/e1.2", "World position of a point given in body coordinates")
class e1_2:
    formula = r"{}^0\mathbf x = {}^0_iE\,{}^i\mathbf x"
    inputs = MOVED_POINT

    def printed(E, x):
        return (E @ np.append(x, 1))[:3]

    def library(E, x):
        return se3.transform_points(E, x)

    oracle = "walking from the frame's origin along its axes, one coordinate after the other"

    def reference(E, x):
        origin, axes = E[:3, 3], E[:3, :3].T
        return origin + sum(coordinate * axis for coordinate, axis in zip(x, axes, strict=True))

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.se3.transform_points",)
    chapter = CHAPTER


@claim("sueda/s1.1/e1.3#a", "The rows of a rotation matrix are orthonormal")
class e1_3_a:
    formula = "RR^T = I"
    inputs = ROTATION

    def printed(r):
        R = expm(bracket(r))
        return R @ R.T

    def library(r):
        R = so3.exp(r)
        return R @ R.T

    oracle = "the identity, for matrix exponentials of skew-symmetric matrices"
    reference = identity_reference
    verdict = Verdict.HOLDS
    implemented_by = (
        "rbnotes.arguments.rotation",
        "rbnotes.so3.exp",
    )
    chapter = "rotations"


@claim("sueda/s1.1/e1.3#b", "The columns of a rotation matrix are orthonormal")
class e1_3_b:
    formula = "R^TR = I"
    inputs = ROTATION

    def printed(r):
        R = expm(bracket(r))
        return R.T @ R

    def library(r):
        R = so3.exp(r)
        return R.T @ R

    oracle = "the identity, for matrix exponentials of skew-symmetric matrices"
    reference = identity_reference
    verdict = Verdict.HOLDS
    implemented_by = (
        "rbnotes.arguments.rotation",
        "rbnotes.so3.exp",
    )
    chapter = "rotations"


@claim("sueda/s1.1/e1.3#c", "A rotation matrix has determinant 1")
class e1_3_c:
    formula = r"\det R = 1"
    inputs = ROTATION

    def printed(r):
        return np.linalg.det(expm(bracket(r)))

    def library(r):
        return np.linalg.det(so3.exp(r))

    oracle = "the number one, for matrix exponentials of skew-symmetric matrices"

    def reference(r):
        return 1.0

    verdict = Verdict.HOLDS
    implemented_by = (
        "rbnotes.arguments.rotation",
        "rbnotes.so3.exp",
    )
    chapter = "rotations"


@claim("sueda/s1.1/e1.4", "Inverse of a pose")
class e1_4:
    formula = (
        r"\begin{pmatrix} R & \mathbf p \\"
        r" 0 & 1 \end{pmatrix}^{-1} = \begin{pmatrix} R^T & -R^T\mathbf p \\ 0 & 1 \end{pmatrix}"
    )
    inputs = {"E": frames()}

    def printed(E):
        R, p = E[:3, :3], E[:3, 3]
        last = np.array([[0.0, 0.0, 0.0, 1.0]])
        return np.concatenate([np.column_stack([R.T, -R.T @ p]), last])

    def library(E):
        return se3.inverse(E)

    oracle = "numerical inverse of the 4 x 4 matrix"

    def reference(E):
        return np.linalg.inv(E)

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.se3.inverse",)
    chapter = CHAPTER


@claim("sueda/s1.1/t35", "Which matrix takes points from the world to the body")
class t35:
    formula = r"{}^i_0E^{-1}\ \text{transforms points from 0 to}\ i"
    inputs = MOVED_POINT

    def printed(E, x):
        to_body = np.linalg.inv(E)
        return (np.linalg.inv(to_body) @ np.append(x, 1))[:3]

    def library(E, x):
        return se3.transform_points(se3.inverse(E), x)

    oracle = "the body coordinates that solve R x = y - p"

    def reference(E, x):
        return np.linalg.solve(E[:3, :3], x - E[:3, 3])

    verdict = Verdict.MISPRINT
    scan = True
    correction = "${}^0_iE^{-1} = {}^i_0E$ transforms points from 0 to $i$"
    remark = "The sentence before has it right. ${}^i_0E^{-1}$ is ${}^0_iE$ again, which goes from $i$ to 0."
    implemented_by = (
        "rbnotes.se3.inverse",
        "rbnotes.se3.transform_points",
    )
    chapter = CHAPTER
