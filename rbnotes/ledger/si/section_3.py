"""Si & Guenter 3: geometric preliminaries."""

from __future__ import annotations

import numpy as np
from scipy.linalg import expm

from rbnotes import se3
from rbnotes.checking import derivative
from rbnotes.checking.strategies import frames, inertias, masses, rotations, twists, vectors
from rbnotes.inertia import spatial_inertia
from rbnotes.ledger.oracles import bracket, kinetic_energy_matrix, motion, point_masses
from rbnotes.ledger.record import Record, Verdict
from rbnotes.ledger.sueda.section_1_1 import frame_library, frame_reference
from rbnotes.ledger.sueda.section_1_2 import cross_library, cross_printed, cross_reference, twist_matrix
from rbnotes.ledger.sueda.section_1_5 import (
    adjoint_by_conjugation,
    lie_bracket_library,
    lie_bracket_reference,
)

CHAPTER = "frames-and-twists"
BODY = {"m": masses(), "r": vectors(), "Ic": inertias()}
PUSHED = {**BODY, "v": twists(), "vdot": twists()}


def twist_printed(T, v):
    return np.linalg.inv(T) @ derivative(motion(T, v)).value


def twist_library(T, v):
    return se3.hat(v)


def twist_reference(T, v):
    return twist_matrix(v)


def vector_library(v):
    return se3.vee(twist_matrix(v))


def vector_reference(v):
    return v


def conjugation_printed(T, g):
    X = T @ twist_matrix(g) @ np.linalg.inv(T)
    return np.array([X[2, 1], X[0, 2], X[1, 0], X[0, 3], X[1, 3], X[2, 3]])


def conjugation_reference(T, g):
    """The same motion seen from the outer frame: its spin, and the velocity of its point at the outer origin."""
    R, t = T[:3, :3], T[:3, 3]
    spin = R @ g[:3]
    return np.concatenate([spin, R @ g[3:] + np.cross(spin, -t)])


def adjoint_printed(T, g):
    R, t = T[:3, :3], T[:3, 3]
    return np.block([[R, np.zeros((3, 3))], [t @ R, R]]) @ g


def adjoint_library(T, g):
    return se3.Ad(T) @ g


def adjoint_reference(T, g):
    return adjoint_by_conjugation(T) @ g


def commutator_printed(a, b):
    A, B = twist_matrix(a), twist_matrix(b)
    X = A @ B - B @ A
    return np.array([X[2, 1], X[0, 2], X[1, 0], X[0, 3], X[1, 3], X[2, 3]])


def commutator_reference(a, b):
    """Rate at which Ad(exp(t a)) b starts to change, by differences of conjugations."""
    return derivative(lambda t: adjoint_by_conjugation(expm(t * twist_matrix(a))) @ b).value


def bracket_printed(a, b):
    w, v = bracket(a[:3]), a[3:]
    return np.block([[w, np.zeros((3, 3))], [v, w]]) @ b


def dual_printed(T, f):
    return adjoint_by_conjugation(T).T @ f


def dual_library(T, f):
    return se3.Ad(T).T @ f


def dual_reference(T, f):
    """The wrench that has, on every unit twist of the inner frame, the power that ``f`` has in the outer one."""
    return np.array([f @ conjugation_reference(T, unit) for unit in np.eye(6)])


def small_dual_printed(g, f):
    w, v = bracket(g[:3]), bracket(g[3:])
    zero = np.zeros((3, 3))
    return np.block([[w, zero], [v, w]]).T @ f


def small_dual_library(g, f):
    return se3.ad(g).T @ f


def small_dual_reference(g, f):
    return np.array([f @ lie_bracket_reference(g, unit) for unit in np.eye(6)])


def newton_euler_printed(m, r, Ic, v, vdot):
    J = kinetic_energy_matrix(m, Ic, r)
    w, u = bracket(v[:3]), bracket(v[3:])
    zero = np.zeros((3, 3))
    dual = np.block([[w, zero], [u, w]]).T
    return J @ vdot - dual @ J @ v


def newton_euler_library(m, r, Ic, v, vdot):
    J = spatial_inertia(m, Ic, r)
    return J @ vdot - se3.ad(v).T @ J @ v


def newton_euler_reference(m, r, Ic, v, vdot):
    """Force and moment, in the body frame, that six point masses of a body need for their accelerations."""
    each, points = point_masses(m, Ic, r)
    X = twist_matrix(v)
    accelerations = (np.column_stack([points, np.ones(6)]) @ (twist_matrix(vdot) + X @ X).T)[:, :3]
    forces = each * accelerations
    return np.concatenate([np.sum(np.cross(points, forces), axis=0), np.sum(forces, axis=0)])


def inertia_printed(m, r, Ic):
    C = bracket(r)
    return np.block([[Ic - m * C @ C, m * C], [-m * C, m * np.eye(3)]])


def inertia_library(m, r, Ic):
    return spatial_inertia(m, Ic, r)


def inertia_reference(m, r, Ic):
    return kinetic_energy_matrix(m, Ic, r)


RECORDS = [
    Record(
        id="si/s3/d1",
        title="Rigid motions as 4 x 4 matrices",
        verdict=Verdict.DEFINITION,
        chapter=CHAPTER,
        formula=r"(\mathbf R, \mathbf t) = \begin{bmatrix} \mathbf R & \mathbf t \\ 0 & 1 \end{bmatrix}",
        oracle="columns: the frame's axes turned into the outer frame, then its origin",
        implemented_by=("rbnotes.se3.frame",),
        inputs={"R": rotations(), "t": vectors()},
        library=frame_library,
        reference=frame_reference,
    ),
    Record(
        id="si/s3/e1",
        title="The generalized velocity of a body frame",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        formula=r"\hat{\mathbf v} = \mathbf T^{-1}\dot{\mathbf T} = "
        r"\begin{bmatrix} [\omega] & v \\ 0 & 0 \end{bmatrix}",
        oracle="the angular velocity and the velocity of the origin, seen from the body, of a motion made from them",
        implemented_by=("rbnotes.se3.hat",),
        inputs={"T": frames(), "v": twists()},
        printed=twist_printed,
        library=twist_library,
        reference=twist_reference,
    ),
    Record(
        id="si/s3/d2",
        title="The matrix of a cross product",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        formula=r"[\omega] = \begin{bmatrix} 0 & -\omega_3 & \omega_2 \\ \omega_3 & 0 & -\omega_1 \\ "
        r"-\omega_2 & \omega_1 & 0 \end{bmatrix}",
        oracle="numpy's cross product",
        implemented_by=("rbnotes.so3.hat",),
        inputs={"a": vectors(), "b": vectors()},
        printed=cross_printed,
        library=cross_library,
        reference=cross_reference,
    ),
    Record(
        id="si/s3/t59",
        title="A twist as a vector, angular part first",
        verdict=Verdict.DEFINITION,
        chapter=CHAPTER,
        formula=r"\hat{\mathbf v}^\vee = \mathbf v = [\omega^T, v^T]^T",
        oracle="the vector that the matrix was made from",
        implemented_by=("rbnotes.se3.vee",),
        inputs={"v": twists()},
        library=vector_library,
        reference=vector_reference,
    ),
    Record(
        id="si/s3/t61",
        title="The adjoint mapping as a conjugation",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        formula=r"\mathrm{Ad}_{\mathbf T}\mathbf g = \mathbf T\hat{\mathbf g}\mathbf T^{-1}",
        oracle="the same motion seen from the outer frame: its spin and the velocity at the outer origin",
        implemented_by=("rbnotes.se3.Ad",),
        inputs={"T": frames(), "g": twists()},
        printed=conjugation_printed,
        library=adjoint_library,
        reference=conjugation_reference,
    ),
    Record(
        id="si/s3/e2",
        title="The adjoint mapping as a matrix",
        verdict=Verdict.MISPRINT,
        chapter=CHAPTER,
        formula=r"\mathrm{Ad}_{\mathbf T}\mathbf g = \begin{bmatrix} \mathbf R & 0 \\ "
        r"\mathbf t\mathbf R & \mathbf R \end{bmatrix}\begin{bmatrix} \omega \\ v \end{bmatrix}",
        correction=r"The lower left block is $[\mathbf t]\mathbf R$, with the bracket of a cross product.",
        scan=True,
        oracle="conjugation of 4 x 4 twist matrices with the pose",
        implemented_by=("rbnotes.se3.Ad",),
        inputs={"T": frames(), "g": twists()},
        printed=adjoint_printed,
        library=adjoint_library,
        reference=adjoint_reference,
    ),
    Record(
        id="si/s3/t67",
        title="The Lie bracket of two twists as a commutator",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        formula=r"\mathrm{ad}_{\mathbf g_1}\mathbf g_2 = \hat{\mathbf g}_1\hat{\mathbf g}_2 - "
        r"\hat{\mathbf g}_2\hat{\mathbf g}_1",
        oracle="the rate of the adjoint mapping along the exponential of the first twist, by differences",
        implemented_by=("rbnotes.se3.ad",),
        inputs={"a": twists(), "b": twists()},
        printed=commutator_printed,
        library=lie_bracket_library,
        reference=commutator_reference,
    ),
    Record(
        id="si/s3/e3",
        title="The Lie bracket of two twists as a matrix",
        verdict=Verdict.MISPRINT,
        chapter=CHAPTER,
        formula=r"\mathrm{ad}_{\mathbf g_1}\mathbf g_2 = \begin{bmatrix} [\omega_1] & 0 \\ v_1 & [\omega_1] "
        r"\end{bmatrix}\begin{bmatrix} \omega_2 \\ v_2 \end{bmatrix}",
        correction=r"The lower left block is $[v_1]$, with the bracket of a cross product.",
        scan=True,
        oracle="the commutator of the 4 x 4 twist matrices",
        implemented_by=("rbnotes.se3.ad",),
        inputs={"a": twists(), "b": twists()},
        printed=bracket_printed,
        library=lie_bracket_library,
        reference=lie_bracket_reference,
    ),
    Record(
        id="si/s3/d3#a",
        title="The dual of the adjoint is its transpose",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        formula=r"\mathrm{Ad}_{\mathbf T}^* = \mathrm{Ad}_{\mathbf T}^T",
        oracle="the power of the wrench on every unit twist of the inner frame, seen from the outer one",
        implemented_by=("rbnotes.se3.Ad",),
        inputs={"T": frames(), "f": twists()},
        printed=dual_printed,
        library=dual_library,
        reference=dual_reference,
    ),
    Record(
        id="si/s3/d3#b",
        title="The dual of the Lie bracket is its transpose",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        formula=r"\mathrm{ad}_{\mathbf g}^* = \mathrm{ad}_{\mathbf g}^T",
        oracle="the power of the wrench on the commutator with every unit twist",
        implemented_by=("rbnotes.se3.ad",),
        inputs={"g": twists(), "f": twists()},
        printed=small_dual_printed,
        library=small_dual_library,
        reference=small_dual_reference,
    ),
    Record(
        id="si/s3/e4",
        title="The Newton-Euler equations of a body",
        verdict=Verdict.HOLDS,
        chapter="spatial-inertia",
        formula=r"\mathbf f = \mathbf J\dot{\mathbf v} - \mathrm{ad}_{\mathbf v}^*\mathbf J\mathbf v",
        oracle="force and moment that six point masses need for their accelerations, in the body frame",
        implemented_by=("rbnotes.inertia.spatial_inertia", "rbnotes.se3.ad"),
        inputs=PUSHED,
        printed=newton_euler_printed,
        library=newton_euler_library,
        reference=newton_euler_reference,
    ),
    Record(
        id="si/s3/e5",
        title="The generalized inertia of a body",
        verdict=Verdict.HOLDS,
        chapter="spatial-inertia",
        formula=r"\mathbf J = \begin{bmatrix} \mathcal I - m[\mathbf r]^2 & m[\mathbf r] \\ "
        r"-m[\mathbf r] & m\mathbf I \end{bmatrix}",
        oracle="the kinetic energy of six point masses with this mass, centre and inertia",
        implemented_by=("rbnotes.inertia.spatial_inertia",),
        inputs=BODY,
        printed=inertia_printed,
        library=inertia_library,
        reference=inertia_reference,
    ),
]
