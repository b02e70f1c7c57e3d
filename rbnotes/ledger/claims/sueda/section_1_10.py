"""Sueda 1.10: joint constraints. The oracles: moving frames, and forces on point masses."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy.linalg import block_diag, null_space

from rbnotes import se3
from rbnotes.constraints import factor_kkt, kkt_matrix
from rbnotes.dynamics import Forces, State, constrained_step, symplectic_euler
from rbnotes.inertia import spatial_inertia
from rbnotes.joints import ExponentialSpherical, Fixed, Revolute
from rbnotes.ledger.oracles.bodies import bracket, kinetic_energy_matrix, motion, point_masses
from rbnotes.ledger.oracles.constrained_systems import constrained_system
from rbnotes.ledger.oracles.point_mass_dynamics import inertial_wrench, unconstrained_step
from rbnotes.ledger.oracles.quadratic_programs import admissible_velocities, minimizer
from rbnotes.ledger.oracles.twists import adjoint_by_conjugation, twist_from_matrix
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import (
    ACCELERATION,
    ADJOINT,
    ENERGY,
    FORCE,
    INERTIA,
    LENGTH,
    MASS,
    MOMENTUM,
    NUMBER,
    POSE,
    RATE,
    TIME,
    TWIST,
    VELOCITY,
    WRENCH,
    TupleQuantity,
    vector_quantity,
)
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.multibody import maximal
from rbnotes.multibody.maximal import MaximalModel, joint_velocity_constraints
from rbnotes.testing import complex_step, derivative
from rbnotes.testing.strategies import (
    arrays,
    frames,
    full_rank_matrices,
    inertias,
    masses,
    matrices,
    positive_numbers,
    spd_matrices,
    twists,
    vectors,
)

SYSTEM_COORDINATES = "in the generalized coordinates of the system"

section = Section(
    "sueda/s1.10",
    chapter="joints",
    page_2019=Page(15, last=16),
    page_2021=Page(20, last=22),
    arguments={
        "Ei": Argument(POSE, "of the body i in the world"),
        "Ek": Argument(POSE, "of the body k in the world"),
        "J": Argument(POSE, "of the joint in the first body"),
        "phi_i": Argument(TWIST, "of the body i, in its frame"),
        "phi_k": Argument(TWIST, "of the body k, in its frame"),
        "E": Argument(POSE, "of one frame in another"),
        "E1": Argument(POSE, "of the bodies in the world"),
        "E2": Argument(POSE, "of the bodies in the world"),
        "E3": Argument(POSE, "of the bodies in the world"),
        "J1": Argument(POSE, "of the joint in the first body"),
        "J2": Argument(POSE, "of the joint in the first body"),
        "Phi": Argument(TWIST, "of all bodies, each in its frame"),
        "body_i": Argument(TupleQuantity((MASS, LENGTH, INERTIA))),
        "body_k": Argument(TupleQuantity((MASS, LENGTH, INERTIA))),
        "f_i": Argument(WRENCH, "of the body i, in its frame"),
        "f_k": Argument(WRENCH, "of the body k, in its frame"),
        "h": Argument(TIME),
        "M": Argument(MASS, "in the generalized coordinates of the system"),
        "f": Argument(FORCE, "in the generalized coordinates of the system"),
        "G": Argument(NUMBER, "one row for each constraint, over the generalized coordinates of the system"),
        "B": Argument(NUMBER, "columns in the generalized coordinates of the system"),
        "a": Argument(NUMBER, "in the generalized coordinates of the system"),
        "direction_i": Argument(TWIST, "of the body i, in its frame"),
        "direction_k": Argument(TWIST, "of the body k, in its frame"),
        "lam": Argument(MOMENTUM, "one for each constraint"),
    },
)


# Two bodies i and k, a joint frame J in the first, and their twists.
PAIR = {"Ei": frames(), "Ek": frames(), "J": frames(), "phi_i": twists(), "phi_k": twists()}
# Three bodies, and a joint frame in the first for each of the others.
STAR = {"E1": frames(), "E2": frames(), "E3": frames(), "J1": frames(), "J2": frames(), "Phi": arrays(18)}


def joint_and_poses(kind, Ei, Ek, J):
    """Return a joint of body 0 to body 1, and the poses of the two."""
    poses = np.stack([Ei, Ek])
    return maximal.joint_from_world_frame(kind, Ei @ J, poses, 0, 1), poses


def relative_twist_reference(Ei, Ek, J, phi_i, phi_k):
    """Return the twist of the joint frame of i relative to the frame of k that currently coincides with it."""
    pose_i, pose_k = motion(Ei, phi_i), motion(Ek, phi_k)
    in_k = np.linalg.inv(Ek) @ Ei @ J
    return twist_from_matrix(derivative(lambda t: np.linalg.inv(pose_k(t) @ in_k) @ pose_i(t) @ J).value)


def relative_twist_printed(Ei, Ek, J, phi_i, phi_k):
    from_i = adjoint_by_conjugation(np.linalg.inv(J))
    from_k = adjoint_by_conjugation(np.linalg.inv(Ei @ J) @ Ek)
    return from_i @ phi_i - from_k @ phi_k


def ball_reference(Ei, Ek, J, phi_i, phi_k):
    """Compare with differences of the gap between two coincident points, one of each body.

    The gap is measured along the axes of the joint.
    """
    pose_i, pose_k = motion(Ei, phi_i), motion(Ek, phi_k)
    x_i, x_k = J[:, 3], np.linalg.inv(Ek) @ Ei @ J[:, 3]
    gap = derivative(lambda t: pose_i(t) @ x_i - pose_k(t) @ x_k).value
    return (Ei @ J)[:3, :3].T @ gap[:3]


def hinge_reference(Ei, Ek, J, phi_i, phi_k):
    """Compare with differences of the tilt between two coincident axes, one of each body, and of the gap.

    The gap is measured along the axes of the joint.
    """
    pose_i, pose_k = motion(Ei, phi_i), motion(Ek, phi_k)
    in_k = np.linalg.inv(Ek) @ Ei @ J

    def separation(t):
        of_i, of_k = pose_i(t) @ J, pose_k(t) @ in_k
        x, y, _ = of_i[:3, :3].T
        z_of_k = of_k[:3, 2]
        return np.concatenate([[y @ z_of_k, -x @ z_of_k], of_i[:3, 3] - of_k[:3, 3]])

    rates = derivative(separation).value
    return np.concatenate([rates[:2], (Ei @ J)[:3, :3].T @ rates[2:]])


def hinge_blocks(Ei, Ek, J):
    from_i = adjoint_by_conjugation(np.linalg.inv(J))
    from_k = adjoint_by_conjugation(np.linalg.inv(Ei @ J) @ Ek)
    return np.delete(from_i, 2, axis=0), np.delete(-from_k, 2, axis=0)


PIN_FRAME = np.linalg.inv(np.array([[0.6, -0.8, 0, 0.5], [0.8, 0.6, 0, -0.25], [0, 0, 1, 1], [0, 0, 0, 1]]))
POSES = np.stack([np.eye(4), np.array([[0, 0, 1, 0.5], [1, 0, 0, 1], [0, 1, 0, -0.25], [0, 0, 0, 1.0]])])


@section.misprint("e1.69#a", "Relative twist of two bodies in a joint frame of the first")
class e1_69_a:
    page_2019 = Page(15, r"${}^j_i\mathrm{Ad}\,\phi_i - {}^j_k\mathrm{Ad}\,\phi_k$")
    page_2021 = Page(20, page_2019.content)
    formula = r"\delta\phi_j = {}^j\mathrm{Ad}\,\phi_i - {}^j\mathrm{Ad}\,\phi_k"
    edits = (
        (r"{}^j\mathrm{Ad}\,\phi_i", r"{}^j_i\mathrm{Ad}\,\phi_i"),
        (r"{}^j\mathrm{Ad}\,\phi_k", r"{}^j_k\mathrm{Ad}\,\phi_k"),
    )
    inputs = PAIR
    result = Result(TWIST, "in the frame of the joint")

    def printed(Ei, Ek, J, phi_i, phi_k):
        j_Ad = adjoint_by_conjugation(np.linalg.inv(J))
        return j_Ad @ phi_i - j_Ad @ phi_k

    def library(Ei, Ek, J, phi_i, phi_k):
        joint, poses = joint_and_poses(Fixed(), Ei, Ek, J)
        return maximal.relative_twist(joint, poses, np.stack([phi_i, phi_k]))

    oracle = (
        "Compare with differences of the joint frame of the first body relative to the second, along "
        "motions of both."
    )
    reference = relative_twist_reference
    correction = (
        r"${}^j_i\mathrm{Ad}\,\phi_i - {}^j_k\mathrm{Ad}\,\phi_k$: the lower indices distinguish the "
        "adjoints"
    )
    remark = "(2.8) has the lower indices."
    implements = maximal.relative_twist


@section.misprint("e1.69#b", "Relative twist through the world frame: three adjoints, not four")
class e1_69_b:
    page_2019 = Page(
        15,
        r"$\begin{pmatrix} {}^j_i\mathrm{Ad} & -{}^j_i\mathrm{Ad}\,{}^i_0\mathrm{Ad}\,{}^0_k\mathrm{Ad} \end{pmatrix}$",
    )
    page_2021 = Page(20, page_2019.content)
    formula = r"\delta\phi_j = \begin{pmatrix} {}^j\mathrm{Ad} & -{}^j\mathrm{Ad}\,{}^i\mathrm{Ad}\,{}^0\mathrm{Ad}\,{}^k\mathrm{Ad} \end{pmatrix}\begin{pmatrix} \phi_i \\ \phi_k \end{pmatrix}"
    edit = (
        r"{}^j\mathrm{Ad} & -{}^j\mathrm{Ad}\,{}^i\mathrm{Ad}\,{}^0\mathrm{Ad}\,{}^k\mathrm{Ad}",
        r"{}^j_i\mathrm{Ad} & -{}^j_i\mathrm{Ad}\,{}^i_0\mathrm{Ad}\,{}^0_k\mathrm{Ad}",
    )
    inputs = PAIR
    result = Result(TWIST, "in the frame of the joint")

    def printed(Ei, Ek, J, phi_i, phi_k):
        j_Ad, i_Ad = adjoint_by_conjugation(np.linalg.inv(J)), adjoint_by_conjugation(np.linalg.inv(Ei))
        zero_Ad, k_Ad = adjoint_by_conjugation(Ek), adjoint_by_conjugation(np.linalg.inv(Ek))
        return np.hstack([j_Ad, -j_Ad @ i_Ad @ zero_Ad @ k_Ad]) @ np.concatenate([phi_i, phi_k])

    def library(Ei, Ek, J, phi_i, phi_k):
        joint, poses = joint_and_poses(Fixed(), Ei, Ek, J)
        return maximal.constraint_jacobian([joint], poses).toarray() @ np.concatenate([phi_i, phi_k])

    oracle = (
        "Compare with differences of the joint frame of the first body relative to the second, along "
        "motions of both."
    )
    reference = relative_twist_reference
    correction = (
        r"$\begin{pmatrix} {}^j_i\mathrm{Ad} & -{}^j_i\mathrm{Ad}\,{}^i_0\mathrm{Ad}\,{}^0_k\mathrm{Ad} "
        r"\end{pmatrix}$: from $k$ to the world, to $i$, to the joint. The last ${}^k\mathrm{Ad}$ is "
        "superfluous; (2.8) does not have it."
    )
    implements = maximal.constraint_jacobian


@section.holds("t570#a", "Inverse of an adjoint")
class t570_a:
    page_2019 = Page(15, r"${}^i_0\mathrm{Ad} = {}^0_i\mathrm{Ad}^{-1}$")
    page_2021 = Page(20, page_2019.content)
    formula = r"{}^i\mathrm{Ad} = {}^0\mathrm{Ad}^{-1}"
    inputs = {"E": frames()}
    result = Result(ADJOINT, "takes twists of the outer to the inner frame")

    def printed(E):
        return np.linalg.inv(adjoint_by_conjugation(E))

    def library(E):
        return se3.Ad_inverse(E)

    def reference(E):
        """Compare with the conjugation of 4 x 4 twist matrices with the inverse pose."""
        return adjoint_by_conjugation(np.linalg.inv(E))

    remark = r"With the lower indices, which the text omits, ${}^i_0\mathrm{Ad} = {}^0_i\mathrm{Ad}^{-1}$."
    implements = se3.Ad_inverse


@section.holds("t570#b", "Ball joint: relative twist without the top three rows")
class t570_b:
    formula = r"\delta\phi_j \text{ without rows 1, 2, 3}"
    inputs = PAIR
    result = Result(VELOCITY, "in the frame of the joint")

    def printed(Ei, Ek, J, phi_i, phi_k):
        return relative_twist_printed(Ei, Ek, J, phi_i, phi_k)[3:]

    def library(Ei, Ek, J, phi_i, phi_k):
        joint, poses = joint_and_poses(ExponentialSpherical(), Ei, Ek, J)
        return maximal.constraint_jacobian([joint], poses).toarray() @ np.concatenate([phi_i, phi_k])

    reference = ball_reference
    implements = maximal.constraint_jacobian


@section.holds("t570#c", "Hinge about z: relative twist without the third row")
class t570_c:
    formula = r"\delta\phi_j \text{ without row 3}"
    inputs = PAIR
    result = Result(vector_quantity((RATE, 2), (VELOCITY, 3)), "in the frame of the joint")

    def printed(Ei, Ek, J, phi_i, phi_k):
        return np.delete(relative_twist_printed(Ei, Ek, J, phi_i, phi_k), 2)

    def library(Ei, Ek, J, phi_i, phi_k):
        joint, poses = joint_and_poses(Revolute(), Ei, Ek, J)
        return maximal.constraint_jacobian([joint], poses).toarray() @ np.concatenate([phi_i, phi_k])

    reference = hinge_reference
    remark = (
        "Fixed, ball, hinge, slider, cylindrical and planar joints all follow from dropping rows. A "
        "universal joint does not: it prevents the rotation about the common perpendicular of two axes, "
        "one in each body, which is not an axis of a frame that is fixed in either body."
    )
    implements = maximal.constraint_jacobian


@section.demonstration("t572", "Sizes of G: fixed, hinged, and three bodies on two hinges")
class t572:
    formula = r"6\times12,\quad 5\times12,\quad (5+5)\times(6+6+6)"
    result = Result(NUMBER, "rows and columns for each of the three")

    def printed():
        return [6, 12, 5, 12, 5 + 5, 6 + 6 + 6]

    def library():
        pair, three = np.stack([np.eye(4)] * 2), np.stack([np.eye(4)] * 3)
        hinges = [maximal.Joint(Revolute(), 0, parent=1), maximal.Joint(Revolute(), 0, parent=2)]
        return [
            *maximal.constraint_jacobian([maximal.Joint(Fixed(), 0, parent=1)], pair).shape,
            *maximal.constraint_jacobian([maximal.Joint(Revolute(), 0, parent=1)], pair).shape,
            *maximal.constraint_jacobian(hinges, three).shape,
        ]

    def reference():
        """Compare with the ranks of the rates at which the joints open for all unit twists, by differences."""
        E, F, frame = POSES[0], POSES[1], PIN_FRAME
        pairs = np.eye(12).reshape(12, 2, 6)
        fixed_joint_rates = [relative_twist_reference(E, F, frame, *unit) for unit in pairs]
        hinge_rates = [hinge_reference(E, F, frame, *unit) for unit in pairs]
        triples = np.eye(18).reshape(18, 3, 6)
        star = [
            np.append(hinge_reference(E, F, frame, a, b), hinge_reference(E, F @ F, frame, a, c))
            for a, b, c in triples
        ]
        return [
            n
            for rates in (fixed_joint_rates, hinge_rates, star)
            for n in (np.linalg.matrix_rank(rates), len(rates))
        ]

    tolerance = 0.0
    implements = maximal.constraint_jacobian


@section.holds("e1.70", "Rows of two hinges among three bodies")
class e1_70:
    formula = r"\begin{pmatrix} G_{11} & G_{12} & 0 \\ G_{21} & 0 & G_{23} \end{pmatrix}\begin{pmatrix} \phi_1 \\ \phi_2 \\ \phi_3 \end{pmatrix} = \begin{pmatrix} 0 \\ 0 \end{pmatrix}"
    inputs = STAR
    result = Result(vector_quantity(*2 * ((RATE, 2), (VELOCITY, 3))), "of both joints, each in its frame")

    def printed(E1, E2, E3, J1, J2, Phi):
        G11, G12 = hinge_blocks(E1, E2, J1)
        G21, G23 = hinge_blocks(E1, E3, J2)
        zero = np.zeros((5, 6))
        return np.block([[G11, G12, zero], [G21, zero, G23]]) @ Phi

    def library(E1, E2, E3, J1, J2, Phi):
        poses = np.stack([E1, E2, E3])
        joints = [
            maximal.joint_from_world_frame(Revolute(), E1 @ J1, poses, 0, 1),
            maximal.joint_from_world_frame(Revolute(), E1 @ J2, poses, 0, 2),
        ]
        return maximal.constraint_jacobian(joints, poses) @ Phi

    def reference(E1, E2, E3, J1, J2, Phi):
        """Compare with differences of the separation of axes and points of both hinges along three motions."""
        phi1, phi2, phi3 = Phi.reshape(3, 6)
        rates = [hinge_reference(E1, E2, J1, phi1, phi2), hinge_reference(E1, E3, J2, phi1, phi3)]
        return np.concatenate(rates)

    remark = (
        "The check uses twists that the hinges do not allow; the product is then the rate at which the "
        "hinges separate."
    )
    implements = maximal.constraint_jacobian


# ------------------------------------------------------------------------------------------------------------
# A step with joints, as a minimum and as a linear system.


OPTIMUM = {"M": spd_matrices(6), "G": full_rank_matrices(2, 6), "f": vectors(6)}
BODY = st.tuples(masses(), vectors(), inertias())
STEP = {
    "body_i": BODY,
    "body_k": BODY,
    "phi_i": twists(),
    "phi_k": twists(),
    "f_i": twists(),
    "f_k": twists(),
    "h": positive_numbers(0.125, 1),
}


def two_bodies(body_i, body_k, f_i, f_k, joints=()):
    inertias_ = [spatial_inertia(m, J, c) for m, c, J in (body_i, body_k)]
    forces = Forces.without_derivatives(np.concatenate([f_i, f_k]))
    return MaximalModel(np.stack(inertias_), joints, np.zeros(3), lambda state: forces)


LINES = {
    "M": spd_matrices(6),
    "G": full_rank_matrices(2, 6),
    "f": vectors(6),
    "Phi": vectors(6),
    "lam": vectors(2),
}
PIN_ROWS = np.hstack(hinge_blocks(POSES[0], POSES[1], PIN_FRAME))


@section.holds("t576", "The step of all bodies as one linear system")
class t576:
    formula = r"\mathbf M\Phi = \tilde{\mathbf f},\quad \tilde f_i = M_i\phi_i^{(k)} + h\left(\mathrm{ad}(\phi_i^{(k)})^TM_i\phi_i^{(k)} + \mathbf f_\text{body}(E_i^{(k)})\right)"
    inputs = STEP
    result = Result(TWIST, "of both bodies, each in its frame")

    def printed(body_i, body_k, phi_i, phi_k, f_i, f_k, h):
        masses_, momenta = [], []
        for (m, c, J), phi, f_body in ((body_i, phi_i, f_i), (body_k, phi_k, f_k)):
            M, w, v, zero = (
                kinetic_energy_matrix(m, J, c),
                bracket(phi[:3]),
                bracket(phi[3:]),
                np.zeros((3, 3)),
            )
            ad = np.block([[w, zero], [v, w]])
            masses_.append(M)
            momenta.append(M @ phi + h * (ad.T @ M @ phi + f_body))
        return np.linalg.solve(block_diag(*masses_), np.concatenate(momenta))

    def library(body_i, body_k, phi_i, phi_k, f_i, f_k, h):
        state = State(np.stack([np.eye(4)] * 2), np.stack([phi_i, phi_k]))
        pair = two_bodies(body_i, body_k, f_i, f_k)
        return constrained_step(symplectic_euler, pair, state, h, lambda state, h: []).state.phi.ravel()

    def reference(body_i, body_k, phi_i, phi_k, f_i, f_k, h):
        """Compare with steps with the accelerations for which six point masses of each body need the wrenches."""
        return unconstrained_step((body_i, body_k), (phi_i, phi_k), (f_i, f_k), h)

    tolerance = 1e-08
    implements = constrained_step


@section.holds("e1.71", "A step without joints minimizes a quadratic function")
class e1_71:
    formula = r"\operatorname*{minimize}_\Phi\ \tfrac12\Phi^T\mathbf M\Phi - \Phi^T\tilde{\mathbf f}"
    any_size = True
    inputs = {"M": spd_matrices(6), "f": vectors(6)}
    result = Result(ACCELERATION, SYSTEM_COORDINATES)

    def printed(M, f):
        def objective(Phi):
            return 1 / 2 * Phi @ M @ Phi - Phi @ f

        return minimizer(objective, np.zeros((0, len(f))))

    def library(M, f):
        return factor_kkt(M).solve(f)[0]

    def reference(M, f):
        """Compare with the solution of M Phi = f."""
        return np.linalg.solve(M, f)

    tolerance = 1e-08
    implements = factor_kkt


@section.holds("e1.72", "A step with joints minimizes the same function over the admissible velocities")
class e1_72:
    formula = r"\operatorname*{minimize}_\Phi\ \tfrac12\Phi^T\mathbf M\Phi - \Phi^T\tilde{\mathbf f}\quad\text{subject to}\quad \mathbf G\Phi = 0"
    any_size = True
    inputs = OPTIMUM
    result = Result(ACCELERATION, SYSTEM_COORDINATES)

    def printed(M, G, f):
        def objective(Phi):
            return 1 / 2 * Phi @ M @ Phi - Phi @ f

        return minimizer(objective, G)

    def library(M, G, f):
        return factor_kkt(M, G).solve(f)[0]

    def reference(M, G, f):
        """Solve Newton's equation with the impulses of the joints, which act along their rows."""
        return constrained_system(M, G, f, np.zeros(len(G)))[0]

    tolerance = 1e-08
    implements = factor_kkt


@section.conditional("t586#a", "KKT system for a semidefinite mass matrix")
class t586_a:
    page_2019 = Page(16)
    page_2021 = Page(
        21,
        "`always positive definite': the first half of the condition; independent rows are not asked for",
    )
    formula = r"\mathbf M \succeq 0:\quad \text{(1.72) can be converted into a single linear system, (1.73)}"
    inputs = {"B": matrices(6, 3), "a": vectors(6), "G": full_rank_matrices(2, 6)}
    result = Result(NUMBER, SYSTEM_COORDINATES)

    def printed(B, a, G):
        M = B @ B.T
        zero = np.zeros(2)
        return np.linalg.solve(kkt_matrix(M, G), np.concatenate([M @ a, zero]))[:6]

    def reference(B, a, G):
        """Compare with the admissible velocity of least objective and least norm, by the pseudoinverse."""
        Z = null_space(G)
        return Z @ np.linalg.pinv(B.T @ Z, rcond=1e-9) @ (B.T @ a)

    condition_inputs = {
        "B": matrices(6, 5).filter(lambda B: bool(np.linalg.svd(B)[1][-1] > 0.3)),
        "a": vectors(6),
        "G": full_rank_matrices(2, 6),
    }

    def holds_when(B, a, G):
        """Return True if M is positive definite on the four admissible velocities."""
        return np.linalg.svd(B.T @ np.linalg.svd(G)[2][2:].T)[1][3:].sum() > 1e-6

    tolerance = 1e-08
    condition = (
        r"$\mathbf M$ is positive definite on the velocities with $\mathbf G\Phi = 0$, and the rows of "
        r"$\mathbf G$ are independent"
    )
    remark = (
        "The mass matrix of bodies is positive definite; a massless part makes it semidefinite. The "
        "objective is then still convex, but the system is singular if the joints do not fix the "
        "massless part."
    )
    implements = kkt_matrix


@section.holds("t586#b", "The mass matrix of bodies is positive definite, and the objective convex")
class t586_b:
    formula = r"\mathbf M \succeq 0:\quad \frac{d^2}{dt^2}\Bigl(\tfrac12\Phi^T\mathbf M\Phi - \Phi^T\tilde{\mathbf f}\Bigr) = \dot\Phi^T\mathbf M\dot\Phi \ge 0\ \text{along straight lines}"
    inputs = {"body_i": BODY, "body_k": BODY, "direction_i": twists(), "direction_k": twists()}
    result = Result(ENERGY, SYSTEM_COORDINATES)

    def printed(body_i, body_k, direction_i, direction_k):
        """Return the curvature of the objective along a line, with the blocks of the spatial inertia."""
        M = [
            np.block([[J - m * bracket(c) @ bracket(c), m * bracket(c)], [-m * bracket(c), m * np.eye(3)]])
            for m, c, J in (body_i, body_k)
        ]
        direction = np.append(direction_i, direction_k)
        return direction @ block_diag(*M) @ direction

    def library(body_i, body_k, direction_i, direction_k):
        zeros = np.zeros(6)
        direction = np.append(direction_i, direction_k)
        return direction @ two_bodies(body_i, body_k, zeros, zeros).mass_matrix(State(POSES)) @ direction

    def reference(body_i, body_k, direction_i, direction_k):
        """Compare with the sum of masses times squared velocities of six points of each body."""
        total = 0.0
        for (m, c, J), twist in ((body_i, direction_i), (body_k, direction_k)):
            each, points = point_masses(m, J, c)
            total += each * np.sum((np.cross(twist[:3], points) + twist[3:]) ** 2)
        return total

    remark = (
        "'(Semi)' refers to a body without extent or without mass, for which some velocities have no energy."
    )
    implements = MaximalModel


@section.holds("e1.73", "The KKT system of a step with joints")
class e1_73:
    formula = r"\begin{pmatrix} \mathbf M & \mathbf G^T \\ \mathbf G & 0 \end{pmatrix}\begin{pmatrix} \Phi \\ \lambda \end{pmatrix} = \begin{pmatrix} \tilde{\mathbf f} \\ 0 \end{pmatrix}"
    any_size = True
    inputs = OPTIMUM
    result = Result(
        vector_quantity((ACCELERATION, 6), (FORCE, 2)),
        "in the generalized coordinates of the system, then of the constraints",
    )

    def printed(M, G, f):
        zero = np.zeros((len(G), len(G)))
        matrix = np.block([[M, G.T], [G, zero]])
        return np.linalg.solve(matrix, np.append(f, np.zeros(len(G))))

    def library(M, G, f):
        Phi, multipliers = factor_kkt(M, G).solve(f)
        return np.concatenate([Phi, -multipliers])

    def reference(M, G, f):
        """Compare with virtual work for Phi; lambda follows from the residual of the momentum along G^T."""
        Phi = admissible_velocities(M, G, f)
        return np.concatenate([Phi, np.linalg.lstsq(G.T, f - M @ Phi, rcond=None)[0]])

    tolerance = 1e-08
    remark = (
        r"Here $\lambda$ is minus the impulse on the bodies; the library's multiplier, with $-\mathbf "
        r"G^T$, is the impulse itself. If rows of $\mathbf G$ are dependent, as in closed loops, the "
        r"matrix is singular: $\Phi$ is still unique, $\lambda$ is not."
    )
    implements = factor_kkt


@section.holds("t590", "Joint reactions from the multipliers of a step")
class t590:
    formula = r"-\mathbf G^T\lambda/h"
    inputs = STEP
    result = Result(WRENCH, "on both bodies, each in its frame")
    constants = (LENGTH,)

    def printed(body_i, body_k, phi_i, phi_k, f_i, f_k, h):
        M = block_diag(*(kinetic_energy_matrix(m, J, c) for m, c, J in (body_i, body_k)))
        momentum = M @ unconstrained_step((body_i, body_k), (phi_i, phi_k), (f_i, f_k), h)
        residual = momentum - M @ admissible_velocities(M, PIN_ROWS, momentum)
        lam = np.linalg.lstsq(PIN_ROWS.T, residual, rcond=None)[0]
        return -PIN_ROWS.T @ lam / h

    def library(body_i, body_k, phi_i, phi_k, f_i, f_k, h):
        joint = maximal.joint_from_world_frame(Revolute(), POSES[0] @ PIN_FRAME, POSES, 0, 1)
        pair, state = two_bodies(body_i, body_k, f_i, f_k, [joint]), State(POSES, np.stack([phi_i, phi_k]))
        rows = [joint_velocity_constraints(pair, state)]
        step = constrained_step(symplectic_euler, pair, state, h, lambda state, h: rows)
        return np.concatenate(maximal.joint_reactions(joint, POSES, step.bilateral_impulses / h))

    def reference(body_i, body_k, phi_i, phi_k, f_i, f_k, h):
        """Compare with the wrenches on the six point masses of each body, beyond the given ones.

        The bodies move with the velocities that the hinge allows.
        """
        M = block_diag(*(kinetic_energy_matrix(m, J, c) for m, c, J in (body_i, body_k)))
        free_velocities = unconstrained_step((body_i, body_k), (phi_i, phi_k), (f_i, f_k), h)
        velocities = np.split(admissible_velocities(M, PIN_ROWS, M @ free_velocities), 2)
        bodies = ((body_i, phi_i, f_i, velocities[0]), (body_k, phi_k, f_k, velocities[1]))
        wrenches = [inertial_wrench(m, c, J, phi, (new - phi) / h) - f for (m, c, J), phi, f, new in bodies]
        return np.concatenate(wrenches)

    tolerance = 1e-08
    remark = "These are wrenches on the bodies, each in the frame of its body, averaged over the step."
    implements = maximal.joint_reactions


@section.holds("e1.74", "The two rows of the KKT system")
class e1_74:
    formula = r"\begin{aligned} \mathbf M\Phi + \mathbf G^T\lambda &= \tilde{\mathbf f} \\ \mathbf G\Phi &= 0 \end{aligned}"
    inputs = LINES
    arguments = {
        "f": Argument(MOMENTUM, "in the generalized coordinates of the system"),
        "Phi": Argument(VELOCITY, "of all bodies, each in its frame"),
    }
    result = Result(
        vector_quantity((MOMENTUM, 6), (VELOCITY, 2)),
        "in the generalized coordinates of the system, then of the constraints",
    )

    def printed(M, G, f, Phi, lam):
        return np.concatenate([M @ Phi + G.T @ lam - f, G @ Phi])

    def library(M, G, f, Phi, lam):
        return kkt_matrix(M, G) @ np.concatenate([Phi, -lam]) - np.concatenate([f, np.zeros(2)])

    def reference(M, G, f, Phi, lam):
        """Compare with the gradient of the Lagrangian of (1.72), by complex steps."""

        def lagrangian(x):
            return x[:6] @ M @ x[:6] / 2 - x[:6] @ f + x[6:] @ (G @ x[:6])

        return complex_step(lagrangian, np.concatenate([Phi, lam]))

    remark = (
        "The check compares residuals away from the solution. The multipliers are impulses, not forces, "
        r"and with this sign they are subtracted from $\tilde{\mathbf f}$."
    )
    implements = kkt_matrix


@section.definition("m1", "Output of the sample program: names and masses of its two bodies")
class m1:
    remark = (
        "The program is not part of the notes. The chapter simulates two bodies of 10 g, one hinged to "
        "the world and one to the other body."
    )
    implements = (MaximalModel, constrained_step)
