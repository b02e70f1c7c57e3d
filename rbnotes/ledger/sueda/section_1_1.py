"""Sueda 1.1: position representation."""

from __future__ import annotations

import numpy as np
from scipy.linalg import expm

from rbnotes import se3, so3
from rbnotes.checking.strategies import frames, rotation_vectors, rotations, vectors
from rbnotes.ledger.oracles import bracket
from rbnotes.ledger.record import Record, Verdict

CHAPTER = "frames-and-twists"
ROTATION = {"r": rotation_vectors()}
MOVED_POINT = {"E": frames(), "x": vectors()}


def frame_library(R, p):
    return se3.frame(R, p)


def frame_reference(R, p):
    axes_and_origin = [np.append(R @ axis, 0) for axis in np.eye(3)]
    return np.stack([*axes_and_origin, np.append(p, 1)], axis=-1)


def point_printed(E, x):
    return (E @ np.append(x, 1))[:3]


def point_library(E, x):
    return se3.transform_points(E, x)


def point_reference(E, x):
    origin, axes = E[:3, 3], E[:3, :3].T
    return origin + sum(coordinate * axis for coordinate, axis in zip(x, axes, strict=True))


def rows_printed(r):
    R = expm(bracket(r))
    return R @ R.T


def rows_library(r):
    R = so3.exp(r)
    return R @ R.T


def columns_printed(r):
    R = expm(bracket(r))
    return R.T @ R


def columns_library(r):
    R = so3.exp(r)
    return R.T @ R


def identity_reference(r):
    return np.eye(3)


def determinant_printed(r):
    return np.linalg.det(expm(bracket(r)))


def determinant_library(r):
    return np.linalg.det(so3.exp(r))


def one_reference(r):
    return 1.0


def inverse_printed(E):
    R, p = E[:3, :3], E[:3, 3]
    last = np.array([[0.0, 0.0, 0.0, 1.0]])
    return np.concatenate([np.column_stack([R.T, -R.T @ p]), last])


def inverse_library(E):
    return se3.inverse(E)


def inverse_reference(E):
    return np.linalg.inv(E)


def back_printed(E, x):
    to_body = np.linalg.inv(E)
    return (np.linalg.inv(to_body) @ np.append(x, 1))[:3]


def back_library(E, x):
    return se3.transform_points(se3.inverse(E), x)


def back_reference(E, x):
    return np.linalg.solve(E[:3, :3], x - E[:3, 3])


RECORDS = [
    Record(
        id="sueda/s1.1/e1.1",
        title="The pose of a body as a 4 x 4 matrix",
        verdict=Verdict.DEFINITION,
        chapter=CHAPTER,
        formula=r"{}^0_iE = \begin{pmatrix} {}^0_iR & {}^0\mathbf p \\ 0 & 1 \end{pmatrix}",
        oracle="columns: the frame's axes turned into the world, then its origin",
        implemented_by=("rbnotes.se3.frame",),
        inputs={"R": rotations(), "p": vectors()},
        library=frame_library,
        reference=frame_reference,
    ),
    Record(
        id="sueda/s1.1/e1.2",
        title="World position of a point given in body coordinates",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        formula=r"{}^0\mathbf x = {}^0_iE\,{}^i\mathbf x",
        oracle="walking from the frame's origin along its axes, one coordinate after the other",
        implemented_by=("rbnotes.se3.transform_points",),
        inputs=MOVED_POINT,
        printed=point_printed,
        library=point_library,
        reference=point_reference,
    ),
    Record(
        id="sueda/s1.1/e1.3#a",
        title="The rows of a rotation matrix are orthonormal",
        verdict=Verdict.HOLDS,
        chapter="rotations",
        formula=r"RR^T = I",
        oracle="the identity, for matrix exponentials of skew-symmetric matrices",
        implemented_by=("rbnotes.arguments.rotation", "rbnotes.so3.exp"),
        inputs=ROTATION,
        printed=rows_printed,
        library=rows_library,
        reference=identity_reference,
    ),
    Record(
        id="sueda/s1.1/e1.3#b",
        title="The columns of a rotation matrix are orthonormal",
        verdict=Verdict.HOLDS,
        chapter="rotations",
        formula=r"R^TR = I",
        oracle="the identity, for matrix exponentials of skew-symmetric matrices",
        implemented_by=("rbnotes.arguments.rotation", "rbnotes.so3.exp"),
        inputs=ROTATION,
        printed=columns_printed,
        library=columns_library,
        reference=identity_reference,
    ),
    Record(
        id="sueda/s1.1/e1.3#c",
        title="A rotation matrix has determinant 1",
        verdict=Verdict.HOLDS,
        chapter="rotations",
        formula=r"\det R = 1",
        oracle="the number one, for matrix exponentials of skew-symmetric matrices",
        implemented_by=("rbnotes.arguments.rotation", "rbnotes.so3.exp"),
        inputs=ROTATION,
        printed=determinant_printed,
        library=determinant_library,
        reference=one_reference,
    ),
    Record(
        id="sueda/s1.1/e1.4",
        title="Inverse of a pose",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        formula=r"\begin{pmatrix} R & \mathbf p \\ 0 & 1 \end{pmatrix}^{-1} = "
        r"\begin{pmatrix} R^T & -R^T\mathbf p \\ 0 & 1 \end{pmatrix}",
        oracle="numerical inverse of the 4 x 4 matrix",
        implemented_by=("rbnotes.se3.inverse",),
        inputs={"E": frames()},
        printed=inverse_printed,
        library=inverse_library,
        reference=inverse_reference,
    ),
    Record(
        id="sueda/s1.1/t35",
        title="Which matrix takes points from the world to the body",
        verdict=Verdict.MISPRINT,
        chapter=CHAPTER,
        formula=r"{}^i_0E^{-1}\ \text{transforms points from 0 to}\ i",
        correction=r"${}^0_iE^{-1} = {}^i_0E$ transforms points from 0 to $i$",
        remark=r"The sentence before has it right. ${}^i_0E^{-1}$ is ${}^0_iE$ again, which goes from $i$ to 0.",
        scan=True,
        oracle="the body coordinates that solve R x = y - p",
        implemented_by=("rbnotes.se3.inverse", "rbnotes.se3.transform_points"),
        inputs=MOVED_POINT,
        printed=back_printed,
        library=back_library,
        reference=back_reference,
    ),
]
