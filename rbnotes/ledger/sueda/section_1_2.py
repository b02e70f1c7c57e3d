"""Sueda 1.2: velocity representation."""

from __future__ import annotations

import numpy as np

from rbnotes import se3, so3
from rbnotes.checking import derivative
from rbnotes.checking.strategies import frames, twists, vectors
from rbnotes.ledger.oracles import bracket, motion
from rbnotes.ledger.record import Record, Verdict

CHAPTER = "frames-and-twists"
MOVING = {"E": frames(), "phi": twists()}


def twist_matrix(phi):
    return np.concatenate([np.column_stack([bracket(phi[:3]), phi[3:]]), np.zeros((1, 4))])


def twist_matrix_library(phi):
    return se3.hat(phi)


def twist_matrix_reference(phi):
    """Column by column: what the twist does to the axes and to the origin."""
    turned = [np.append(np.cross(phi[:3], axis), 0) for axis in np.eye(3)]
    return np.stack([*turned, np.append(phi[3:], 0)], axis=-1)


def cross_printed(a, b):
    x, y, z = a
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]) @ b


def cross_library(a, b):
    return so3.hat(a) @ b


def cross_reference(a, b):
    return np.cross(a, b)


def frame_rate_printed(E, phi):
    return E @ twist_matrix(phi)


def frame_rate_library(E, phi):
    return E @ se3.hat(phi)


def frame_rate_reference(E, phi):
    return derivative(motion(E, phi)).value


def rotation_rate_printed(E, phi):
    return E[:3, :3] @ bracket(phi[:3])


def rotation_rate_library(E, phi):
    return E[:3, :3] @ so3.hat(phi[:3])


def rotation_rate_reference(E, phi):
    return derivative(motion(E, phi)).value[:3, :3]


RECORDS = [
    Record(
        id="sueda/s1.2/e1.5",
        title="A twist: angular velocity, then linear velocity, in body coordinates",
        verdict=Verdict.DEFINITION,
        chapter=CHAPTER,
        formula=r"{}^i\phi_i = \begin{pmatrix} {}^i\omega_i \\ {}^i\mathbf v_i \end{pmatrix}",
        implemented_by=("rbnotes.se3", "rbnotes.arguments.twist"),
        remark="The notes themselves say that some authors stack the linear part first; Lloyd does.",
    ),
    Record(
        id="sueda/s1.2/e1.6",
        title="A twist as a 4 x 4 matrix",
        verdict=Verdict.DEFINITION,
        chapter=CHAPTER,
        formula=r"[{}^i\phi_i] = \begin{pmatrix} [{}^i\omega_i] & {}^i\mathbf v_i \\ 0 & 0 \end{pmatrix}",
        oracle="what the twist does to the axes, by cross products, and to the origin",
        implemented_by=("rbnotes.se3.hat", "rbnotes.se3.vee"),
        inputs={"phi": twists()},
        library=twist_matrix_library,
        reference=twist_matrix_reference,
    ),
    Record(
        id="sueda/s1.2/e1.7",
        title="The matrix of a cross product",
        verdict=Verdict.HOLDS,
        chapter="rotations",
        formula=r"[a]\,b = a\times b,\quad [a] = \begin{pmatrix} 0 & -a_z & a_y \\ a_z & 0 & -a_x \\ "
        r"-a_y & a_x & 0 \end{pmatrix}",
        oracle="numpy's cross product",
        implemented_by=("rbnotes.so3.hat", "rbnotes.so3.vee"),
        inputs={"a": vectors(), "b": vectors()},
        printed=cross_printed,
        library=cross_library,
        reference=cross_reference,
    ),
    Record(
        id="sueda/s1.2/e1.8",
        title="Time derivative of a pose",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        formula=r"{}^0_i\dot E = {}^0_iE \begin{pmatrix} [{}^i\omega_i] & {}^i\mathbf v_i \\ 0 & 0 \end{pmatrix}",
        oracle="differences along a body that turns about a fixed axis while its origin flies straight",
        implemented_by=("rbnotes.se3.hat",),
        remark=r"The twist in world coordinates is not $E[\phi]$, as the text suggests, but "
        r"$\dot EE^{-1} = E[\phi]E^{-1}$, see (1.15).",
        inputs=MOVING,
        printed=frame_rate_printed,
        library=frame_rate_library,
        reference=frame_rate_reference,
    ),
    Record(
        id="sueda/s1.2/e1.9",
        title="Time derivative of a rotation matrix",
        verdict=Verdict.HOLDS,
        chapter="rotations",
        formula=r"{}^0_i\dot R = {}^0_iR\,[{}^i\omega_i]",
        oracle="differences along a body that turns about a fixed axis of the world",
        implemented_by=("rbnotes.so3.hat",),
        inputs=MOVING,
        printed=rotation_rate_printed,
        library=rotation_rate_library,
        reference=rotation_rate_reference,
    ),
]
