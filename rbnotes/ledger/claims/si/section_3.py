"""Si & Guenter 3: geometric preliminaries."""

from __future__ import annotations

import numpy as np
from scipy.linalg import expm

from rbnotes import se3
from rbnotes.inertia import spatial_inertia
from rbnotes.ledger.claims.sueda.section_1_1 import frame_library, frame_printed, frame_reference
from rbnotes.ledger.claims.sueda.section_1_2 import cross_library, cross_printed, cross_reference
from rbnotes.ledger.claims.sueda.section_1_5 import lie_bracket_library
from rbnotes.ledger.oracles.bodies import bracket, kinetic_energy_matrix, motion, point_masses
from rbnotes.ledger.oracles.twists import adjoint_by_conjugation, commutator, twist_matrix
from rbnotes.ledger.quantities import (
    AREA,
    FORCE,
    INERTIA,
    LENGTH,
    MASS,
    NUMBER,
    POSE,
    POSE_RATE,
    RATE,
    SPATIAL_INERTIA,
    TIME,
    TWIST,
    VELOCITY,
    WRENCH,
)
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.so3 import hat
from rbnotes.testing import derivative
from rbnotes.testing.strategies import frames, inertias, masses, rotations, twists, vectors

section = Section(
    "si/s3",
    chapter="frames-and-twists",
    arguments={
        "R": Argument(NUMBER, "of the body in the world"),
        "t": Argument(LENGTH, "origin of the body, in the world"),
        "T": Argument(POSE, "of the body in the world"),
        "v": Argument(TWIST, "in the frame of the body"),
        "a": Argument(TWIST, "of two motions, in one frame"),
        "b": Argument(TWIST, "of two motions, in one frame"),
        "g": Argument(TWIST, "in the frame of the body"),
        "x": Argument(LENGTH, "in the frame of the body"),
        "push": Argument(FORCE, "along the axes of the world"),
        "f": Argument(WRENCH, "in the frame in which the body has its pose T"),
        "m": Argument(MASS),
        "r": Argument(LENGTH, "center of mass, in the frame of the body"),
        "Ic": Argument(INERTIA, "about the center of mass, along the axes of the body"),
        "vdot": Argument(TWIST / TIME, "in the frame of the body"),
    },
)


BODY = {"m": masses(), "r": vectors(), "Ic": inertias()}
MOVING_BODY = {**BODY, "v": twists(), "vdot": twists()}


def conjugation_reference(T, g):
    """Express the motion in the outer frame: its angular velocity and the velocity at the outer origin."""
    R, t = T[:3, :3], T[:3, 3]
    omega = R @ g[:3]
    return np.concatenate([omega, R @ g[3:] + np.cross(omega, -t)])


def adjoint_library(T, g):
    return se3.Ad(T) @ g


@section.definition("d1", "Rigid motions as 4 x 4 matrices")
class d1:
    formula = r"\begin{bmatrix} \mathbf R & \mathbf t \\ 0 & 1 \end{bmatrix}"
    inputs = {"R": rotations(), "t": vectors()}
    result = Result(POSE, "of the body in the world")
    printed = frame_printed
    library = frame_library
    oracle = "Compute the columns: the rotated axes of the frame, then its origin."
    reference = frame_reference
    exact = "all forms copy the same numbers and compute only products with unit vectors"
    implements = se3.frame


@section.holds("e1", "The generalized velocity of a body frame")
class e1:
    formula = r"\hat{\mathbf v} = \mathbf T^{-1}\dot{\mathbf T} = \begin{bmatrix} [\omega] & v \\ 0 & 0 \end{bmatrix}"
    inputs = {"T": frames(), "omega": vectors(), "u": vectors()}
    arguments = {
        "omega": Argument(RATE, "angular velocity of the body, along the axes of the world"),
        "u": Argument(VELOCITY, "of the origin of the body, along the axes of the world"),
    }
    result = Result(POSE_RATE, "in the frame of the body")

    def printed(T, omega, u):
        def pose(t):
            E = T.copy()
            E[:3, :3] = expm(t * bracket(omega)) @ T[:3, :3]
            E[:3, 3] += t * u
            return E

        return np.linalg.inv(T) @ derivative(pose).value

    def library(T, omega, u):
        R_transposed = T[:3, :3].T
        return se3.hat(np.concatenate([R_transposed @ omega, R_transposed @ u]))

    def reference(T, omega, u):
        """Compare with the velocities of the tips of the axes and of the origin, seen from the body."""
        axes = T[:3, :3].T
        columns = [axes @ np.cross(omega, axis) for axis in axes]
        return np.vstack([np.column_stack([*columns, axes @ u]), np.zeros(4)])

    implements = se3.hat


@section.holds("d2", "The matrix of a cross product")
class d2:
    formula = r"[\omega] = \begin{bmatrix} 0 & -\omega_3 & \omega_2 \\ \omega_3 & 0 & -\omega_1 \\ -\omega_2 & \omega_1 & 0 \end{bmatrix}"
    inputs = {"a": vectors(), "b": vectors()}
    arguments = {
        "a": Argument(LENGTH, "of two motions, in one frame"),
        "b": Argument(LENGTH, "of two motions, in one frame"),
    }
    result = Result(AREA, "in the frame of a and b")
    printed = cross_printed
    library = cross_library
    reference = cross_reference
    exact = "each number is one difference of two products, and all forms round in the same way if the processor does not fuse them"
    implements = hat


@section.definition("t59", "A twist as a vector, angular part first")
class t59:
    formula = r"\mathbf v = [\omega^T, v^T]^T,\quad \hat{\mathbf v}^\vee = \mathbf v"
    defines = (r"\mathbf v", r"\hat{\mathbf v}^\vee")
    inputs = {"v": twists()}
    result = Result(TWIST, "in the frame of the body")

    def printed(v):
        X = twist_matrix(v)
        return np.array([X[2, 1], X[0, 2], X[1, 0], X[0, 3], X[1, 3], X[2, 3]])

    def library(v):
        return se3.vee(twist_matrix(v))

    def reference(v):
        """Check that the vector from which the matrix was built is returned."""
        return v

    exact = "entries are read from a matrix without any computation"
    implements = se3.vee


@section.misprint("t61", "The adjoint mapping as a conjugation")
class t61:
    formula = r"\mathrm{Ad}_{\mathbf T}\mathbf g = \mathbf T\hat{\mathbf g}\mathbf T^{-1}"
    inputs = {"T": frames(), "g": twists()}
    result = Result(TWIST, "of the motion, expressed in the outer frame")

    def printed(T, g):
        return T @ twist_matrix(g) @ np.linalg.inv(T)

    library = adjoint_library
    reference = conjugation_reference
    correction = (
        r"$\mathrm{Ad}_{\mathbf T}\mathbf g = (\mathbf T\hat{\mathbf g}\mathbf T^{-1})^\vee$, or "
        "with a hat on the left side as well"
    )
    replacement = r"For $\mathbf T \in \mathrm{SE}(3)$ and $\mathbf g = [\omega^T, v^T]^T$, the adjoint mapping is defined as $\mathrm{Ad}_{\mathbf T}\mathbf g = (\mathbf T\hat{\mathbf g}\mathbf T^{-1})^\vee$, or in matrix form as"
    undefined = "the left side is a vector of six numbers, and the right side is a 4 x 4 matrix"
    remark = "The formula is correct with the operator of the preceding line, which is missing here."
    implements = se3.Ad


@section.misprint("e2", "The adjoint mapping as a matrix")
class e2:
    formula = r"\mathrm{Ad}_{\mathbf T}\mathbf g = \begin{bmatrix} \mathbf R & 0 \\ \mathbf t\mathbf R & \mathbf R \end{bmatrix}\begin{bmatrix} \omega \\ v \end{bmatrix}"
    edit = (r"\mathbf t\mathbf R &", r"[\mathbf t]\mathbf R &")
    inputs = {"T": frames(), "g": twists()}
    result = Result(TWIST, "of the motion, expressed in the outer frame")

    def printed(T, g):
        R, t = T[:3, :3], T[:3, 3]
        return np.block([[R, np.zeros((3, 3))], [t @ R, R]]) @ g

    library = adjoint_library

    def reference(T, g):
        """Conjugate 4 x 4 twist matrices with the pose."""
        return adjoint_by_conjugation(T) @ g

    undefined = "the vector in the lower left does not fill a block of 3 x 3"
    scan = True
    correction = r"The lower left block is $[\mathbf t]\mathbf R$, with the bracket of a cross product."
    implements = se3.Ad


@section.misprint("t67", "The Lie bracket of two twists as a commutator")
class t67:
    formula = r"\mathrm{ad}_{\mathbf g_1}\mathbf g_2 = \hat{\mathbf g}_1\hat{\mathbf g}_2 - \hat{\mathbf g}_2\hat{\mathbf g}_1"
    inputs = {"a": twists(), "b": twists()}
    result = Result(TWIST / TIME, "in the frame of a and b")

    def printed(a, b):
        A, B = twist_matrix(a), twist_matrix(b)
        return A @ B - B @ A

    library = lie_bracket_library

    def reference(a, b):
        """Differentiate the adjoint mapping along the exponential of the first twist, by differences."""
        return derivative(lambda t: adjoint_by_conjugation(expm(t * twist_matrix(a))) @ b).value

    correction = (
        r"$\mathrm{ad}_{\mathbf g_1}\mathbf g_2 "
        r"= (\hat{\mathbf g}_1\hat{\mathbf g}_2 - \hat{\mathbf g}_2\hat{\mathbf g}_1)^\vee$"
    )
    replacement = r"We can also define the adjoint mapping using the Lie bracket: $\mathrm{ad}_{\mathbf g} : \mathrm{se}(3) \mapsto \mathrm{se}(3)$, defined as $\mathrm{ad}_{\mathbf g_1}\mathbf g_2 = (\hat{\mathbf g}_1\hat{\mathbf g}_2 - \hat{\mathbf g}_2\hat{\mathbf g}_1)^\vee$ or"
    undefined = "the left side is a vector of six numbers, and the right side is a 4 x 4 matrix"
    remark = "The same operator is missing as in the definition of the adjoint mapping."
    implements = se3.ad


@section.misprint("e3", "The Lie bracket of two twists as a matrix")
class e3:
    formula = r"\mathrm{ad}_{\mathbf g_1}\mathbf g_2 = \begin{bmatrix} [\omega_1] & 0 \\ v_1 & [\omega_1] \end{bmatrix}\begin{bmatrix} \omega_2 \\ v_2 \end{bmatrix}"
    edit = (r"v_1 & [\omega_1]", r"[v_1] & [\omega_1]")
    inputs = {"a": twists(), "b": twists()}
    result = Result(TWIST / TIME, "in the frame of a and b")

    def printed(a, b):
        w, v = bracket(a[:3]), a[3:]
        return np.block([[w, np.zeros((3, 3))], [v, w]]) @ b

    library = lie_bracket_library
    oracle = "Compare with the commutator of the 4 x 4 twist matrices."
    reference = commutator
    undefined = "the vector in the lower left does not fill a block of 3 x 3"
    scan = True
    correction = "The lower left block is $[v_1]$, with the bracket of a cross product."
    implements = se3.ad


@section.definition("t71", "A generalized force: the moment, then the force")
class t71:
    formula = r"\mathbf f = [\mathbf m^T, \mathbf h^T]^T"
    defines = (r"\mathbf f",)
    inputs = {"T": frames(), "x": vectors(), "push": vectors()}
    result = Result(WRENCH, "in the frame of the body")

    def printed(T, x, push):
        """Return the wrench of a force, given in the outer frame, at a point of the body."""
        h = T[:3, :3].T @ push
        m = np.cross(x, h)
        return np.concatenate([m, h])

    def library(T, x, push):
        return se3.point_wrench(T, x, push)

    def reference(T, x, push):
        """Compute the power of the force while the body moves with each unit twist, by differences.

        The product of a wrench with a twist is a power.
        """
        paths = [motion(T, unit) for unit in np.eye(6)]
        return np.array([push @ derivative(lambda t, E=E: (E(t) @ np.append(x, 1))[:3]).value for E in paths])

    implements = se3.point_wrench


@section.holds("d3#a", "The dual of the adjoint is its transpose")
class d3_a:
    formula = r"\mathrm{Ad}_{\mathbf T}^* = \mathrm{Ad}_{\mathbf T}^T"
    inputs = {"T": frames(), "f": twists()}
    result = Result(WRENCH, "in the frame with the pose T")

    def printed(T, f):
        return adjoint_by_conjugation(T).T @ f

    def library(T, f):
        return se3.Ad(T).T @ f

    def reference(T, f):
        """Compare with the power of the wrench on every unit twist of the inner frame.

        The twists are expressed in the outer frame.
        """
        return np.array([f @ conjugation_reference(T, unit) for unit in np.eye(6)])

    exact = (
        "a transposed matrix contains the powers on unit twists: the same products, which round "
        "alike if they are not fused"
    )
    implements = se3.Ad


@section.holds("d3#b", "The dual of the Lie bracket is its transpose")
class d3_b:
    formula = r"\mathrm{ad}_{\mathbf g}^* = \mathrm{ad}_{\mathbf g}^T"
    inputs = {"g": twists(), "f": twists()}
    arguments = {"g": Argument(TWIST, "in one frame with f"), "f": Argument(WRENCH, "in the frame of g")}
    result = Result(WRENCH / TIME, "in the frame of g and f")

    def printed(g, f):
        w, v = bracket(g[:3]), bracket(g[3:])
        zero = np.zeros((3, 3))
        return np.block([[w, zero], [v, w]]).T @ f

    def library(g, f):
        return se3.ad(g).T @ f

    def reference(g, f):
        """Compare with the power of the wrench on the commutator with every unit twist."""
        return np.array([f @ commutator(g, unit) for unit in np.eye(6)])

    exact = (
        "a transposed matrix contains the powers on unit twists: the same products, which round "
        "alike if they are not fused"
    )
    implements = se3.ad


@section.holds("e4", "The Newton-Euler equations of a body", chapter="spatial-inertia")
class e4:
    formula = r"\mathbf f = \mathbf J\dot{\mathbf v} - \mathrm{ad}_{\mathbf v}^*\mathbf J\mathbf v"
    inputs = MOVING_BODY
    result = Result(WRENCH, "in the frame of the body")

    def printed(m, r, Ic, v, vdot):
        J = kinetic_energy_matrix(m, Ic, r)
        w, u = bracket(v[:3]), bracket(v[3:])
        zero = np.zeros((3, 3))
        dual = np.block([[w, zero], [u, w]]).T
        return J @ vdot - dual @ J @ v

    def library(m, r, Ic, v, vdot):
        J = spatial_inertia(m, Ic, r)
        return J @ vdot - se3.ad(v).T @ J @ v

    def reference(m, r, Ic, v, vdot):
        """Compute the force and moment in the body frame for the accelerations of six point masses."""
        each, points = point_masses(m, Ic, r)
        X = twist_matrix(v)
        accelerations = (np.column_stack([points, np.ones(6)]) @ (twist_matrix(vdot) + X @ X).T)[:, :3]
        forces = each * accelerations
        return np.concatenate([np.sum(np.cross(points, forces), axis=0), np.sum(forces, axis=0)])

    implements = (spatial_inertia, se3.ad)


@section.holds("e5", "The generalized inertia of a body", chapter="spatial-inertia")
class e5:
    formula = r"\mathbf J = \begin{bmatrix} \mathcal I - m[\mathbf r]^2 & m[\mathbf r] \\ -m[\mathbf r] & m\mathbf I \end{bmatrix}"
    inputs = BODY
    result = Result(SPATIAL_INERTIA, "in the frame of the body")

    def printed(m, r, Ic):
        C = bracket(r)
        return np.block([[Ic - m * C @ C, m * C], [-m * C, m * np.eye(3)]])

    def library(m, r, Ic):
        return spatial_inertia(m, Ic, r)

    def reference(m, r, Ic):
        """Compare with the kinetic energy of six point masses with this mass, center and inertia."""
        return kinetic_energy_matrix(m, Ic, r)

    implements = spatial_inertia
