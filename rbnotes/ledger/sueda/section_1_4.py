"""Sueda 1.4: the material Jacobian, and its MATLAB transcript."""

from __future__ import annotations

import numpy as np
from scipy.linalg import expm

from rbnotes import se3
from rbnotes.checking import derivative, jacobian
from rbnotes.checking.strategies import frames, twists, vectors
from rbnotes.ledger.oracles import bracket, motion
from rbnotes.ledger.record import Record, Verdict
from rbnotes.ledger.sueda.section_1_2 import twist_matrix

CHAPTER = "frames-and-twists"
MOVING = {"E": frames(), "x": vectors(), "phi": twists()}
PULLED = {"E": frames(), "x": vectors(), "f": vectors()}
IDENTITY = np.eye(3)


def velocity_printed(E, x, phi):
    return E[:3, :3] @ np.concatenate([bracket(x).T, IDENTITY], axis=1) @ phi


def velocity_library(E, x, phi):
    return se3.point_velocity(E, x, phi)


def velocity_reference(E, x, phi):
    pose = motion(E, phi)
    return derivative(lambda t: (pose(t) @ np.append(x, 1))[:3]).value


def velocity_by_labels(E, x, phi):
    J = np.concatenate([bracket(x).T, IDENTITY], axis=1)
    return J @ phi


def wrench_printed(E, x, f):
    J = E[:3, :3] @ np.concatenate([bracket(x).T, IDENTITY], axis=1)
    return J.T @ f


def wrench_library(E, x, f):
    return se3.point_wrench(E, x, f)


def wrench_reference(E, x, f):
    """Moment about the body's origin and force, in the world; then both seen from the body."""
    R = E[:3, :3]
    return np.concatenate([np.linalg.solve(R, np.cross(R @ x, f)), np.linalg.solve(R, f)])


# --- generalized coordinates: a point on the second of two bodies, each on a screw joint -----------------

ARM = {"q": vectors(2), "first": twists(), "second": twists(), "x": vectors(), "f": vectors()}


def screws(q, first, second):
    return expm(q[0] * twist_matrix(first)), expm(q[1] * twist_matrix(second))


def generalized_force_printed(q, first, second, x, f):
    """J maps the joints' velocities to the velocity of the point: one column for each joint that moves alone."""
    A, B = screws(q, first, second)
    here = np.append(x, 1)
    by_first = A @ twist_matrix(first) @ B @ here
    by_second = A @ B @ twist_matrix(second) @ here
    J = np.stack([by_first[:3], by_second[:3]], axis=-1)
    return J.T @ f


def generalized_force_library(q, first, second, x, f):
    A, B = se3.exp(q[0] * first), se3.exp(q[1] * second)
    wrench = se3.point_wrench(A @ B, x, f)
    return np.array([wrench @ se3.Ad_inverse(B) @ first, wrench @ second])


def generalized_force_reference(q, first, second, x, f):
    def work(joints):
        A, B = screws(joints, first, second)
        return f @ (A @ B @ np.append(x, 1))[:3]

    return jacobian(work, q).value


# --- transcript -----------------------------------------------------------------------------------------

POINT = np.array([1.0, 0.0, 0.0])
TRANSLATION = np.array([0, 0, 0, 1.0, 0, 0])
ROTATION = np.array([0, 0, 1.0, 0, 0, 0])


def gamma_transcript():
    return [[0, 0, 0, 1, 0, 0], [0, 0, 1, 0, 1, 0], [0, -1, 0, 0, 0, 1]]


def gamma_library():
    return se3.Gamma(POINT)


def gamma_reference():
    return np.stack([velocity_reference(np.eye(4), POINT, unit) for unit in np.eye(6)], axis=-1)


def sideways_transcript():
    return [0, 1, 0]


def translated_library():
    return se3.point_velocity(np.eye(4), POINT, TRANSLATION)


def translated_reference():
    return velocity_reference(np.eye(4), POINT, TRANSLATION)


def rotated_library():
    return se3.point_velocity(np.eye(4), POINT, ROTATION)


def rotated_reference():
    return velocity_reference(np.eye(4), POINT, ROTATION)


RECORDS = [
    Record(
        id="sueda/s1.4/e1.12#a",
        title="World velocity of a point of a moving body",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        formula=r"{}^0\dot{\mathbf x} = R_i\,\bigl([{}^i\mathbf x]^T\ \ I\bigr)\,\phi_i",
        oracle="differences of the point's position along a motion with this twist",
        implemented_by=("rbnotes.se3.point_velocity", "rbnotes.se3.Gamma"),
        inputs=MOVING,
        printed=velocity_printed,
        library=velocity_library,
        reference=velocity_reference,
    ),
    Record(
        id="sueda/s1.4/e1.12#b",
        title="Which factor is called J and which Gamma",
        verdict=Verdict.MISPRINT,
        chapter=CHAPTER,
        formula=r"\underbrace{R_i\bigl(\underbrace{[{}^i\mathbf x]^T\ \ I}_{J}\bigr)}_{\Gamma}\,\phi_i,"
        r"\qquad {}^0\dot{\mathbf x} = J\phi_i",
        correction=r"$J = R_i\Gamma$ with $\Gamma = \bigl([{}^i\mathbf x]^T\ \ I\bigr)$",
        remark=r"The labels under the braces are exchanged. The text below, the transcript (`J = R*G`) and (1.31) "
        r"have them right; with the printed labels the rotation is missing from ${}^0\dot{\mathbf x} = J\phi_i$.",
        scan=True,
        oracle="differences of the point's position along a motion with this twist",
        implemented_by=("rbnotes.se3.point_velocity", "rbnotes.se3.Gamma"),
        inputs=MOVING,
        printed=velocity_by_labels,
        library=velocity_library,
        reference=velocity_reference,
    ),
    Record(
        id="sueda/s1.4/e1.13",
        title="Body wrench of a world force at a point",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        formula=r"f_i = J^T f_0,\quad J = R_i\Gamma",
        oracle="statics: the force and its moment about the body's origin, in the world, seen from the body",
        implemented_by=("rbnotes.se3.point_wrench",),
        inputs=PULLED,
        printed=wrench_printed,
        library=wrench_library,
        reference=wrench_reference,
    ),
    Record(
        id="sueda/s1.4/t218",
        title="If J maps generalized velocities to a point's velocity, its transpose maps forces back",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        formula=r"\dot{\mathbf x} = J\dot{\mathsf q} \;\Rightarrow\; \mathsf f = J^T f_0",
        oracle="differences of the work of the force, for a point behind two screw joints",
        implemented_by=("rbnotes.se3.point_wrench", "rbnotes.se3.Ad_inverse"),
        inputs=ARM,
        printed=generalized_force_printed,
        library=generalized_force_library,
        reference=generalized_force_reference,
        tolerance=1e-8,
    ),
    Record(
        id="sueda/s1.4/m1#a",
        title="Transcript: Gamma of the point (1, 0, 0)",
        verdict=Verdict.DEMONSTRATION,
        chapter=CHAPTER,
        oracle="velocities of the point for each unit twist, by differences",
        implemented_by=("rbnotes.se3.Gamma",),
        printed=gamma_transcript,
        library=gamma_library,
        reference=gamma_reference,
    ),
    Record(
        id="sueda/s1.4/m1#b",
        title="Transcript: velocity of the point while the body moves along x",
        verdict=Verdict.ERRATUM,
        chapter=CHAPTER,
        formula=r"\phi = (0,0,0,1,0,0)^T:\quad \texttt{vworld} = (0, 1, 0)^T",
        correction=r"$(1, 0, 0)^T$",
        remark="The printed numbers are those of the rotation below.",
        oracle="differences of the point's position while the body moves along x",
        implemented_by=("rbnotes.se3.point_velocity",),
        printed=sideways_transcript,
        library=translated_library,
        reference=translated_reference,
    ),
    Record(
        id="sueda/s1.4/m1#c",
        title="Transcript: velocity of the point while the body turns about z",
        verdict=Verdict.DEMONSTRATION,
        chapter=CHAPTER,
        oracle="differences of the point's position while the body turns about z",
        implemented_by=("rbnotes.se3.point_velocity",),
        printed=sideways_transcript,
        library=rotated_library,
        reference=rotated_reference,
    ),
]
