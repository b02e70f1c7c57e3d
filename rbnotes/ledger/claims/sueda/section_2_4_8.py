"""Sueda 2.4.8: a ball joint with exponential coordinates, S and its rate. The oracles move scipy's rotations."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from rbnotes import so3
from rbnotes.joints import ExponentialSpherical
from rbnotes.ledger.oracles.bodies import bracket
from rbnotes.ledger.oracles.joint_poses import (
    motion_subspace,
    motion_subspace_rate,
    rotation_from_vector,
    rotation_vector_jacobian,
    rotation_vector_pose,
)
from rbnotes.ledger.quantities import NUMBER, RATE
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing import derivative, jacobian
from rbnotes.testing.strategies import (
    nonsingular_rotation_vectors,
    nonzero_vectors,
    rotations,
    vectors,
)

CHAPTER = "spheres-without-singularities"
TURNED = {"q": vectors(3, -4, 4)}
AWAY_FROM_ZERO = {"q": nonsingular_rotation_vectors(vectors(3, -4, 4), 0.25)}
MOVING = {**AWAY_FROM_ZERO, "qdot": nonzero_vectors()}
AT_REST_TOO = {
    "q": st.builds(lambda q, moved: q * moved, vectors(3, -4, 4), st.sampled_from((0, 1, 1))),
    "qdot": nonzero_vectors(),
}
I = np.eye(3)
COMMUTE = "the matrix of a rotation vector and its rotation commute"
SWAPPED = "swapped operands in `bracket(q) @ (I - R)`"


def unbracketed(X):
    return np.array([X[2, 1], X[0, 2], X[1, 0]])


def rotation_slopes(q):
    """The slices dR/dq_i ``(3, 3, 3)`` as (2.43) prints them, i first."""
    R = expm(bracket(q))
    slices = [(q[i] * bracket(q) + bracket(bracket(q) @ (I - R) @ I[i])) / (q @ q) @ R for i in range(3)]
    return np.stack(slices)


def printed_columns(q):
    """The upper half of S as (2.44) prints it."""
    R = expm(bracket(q))
    return np.stack([unbracketed(R.T @ slope) for slope in rotation_slopes(q)], axis=-1)


def A(q):
    """(2.46)."""
    R = expm(bracket(q))
    B = [q[i] * bracket(q) for i in range(3)]
    C = [bracket(bracket(q) @ (I - R) @ I[i]) for i in range(3)]
    d = 1 / (q @ q)
    return [(B[i] + C[i]) * d for i in range(3)]


def Adot(q, qdot):
    """The second to the fifth line of (2.47)."""
    R = expm(bracket(q))
    Rdot = sum(slope * rate for slope, rate in zip(rotation_slopes(q), qdot, strict=True))
    B = [q[i] * bracket(q) for i in range(3)]
    C = [bracket(bracket(q) @ (I - R) @ I[i]) for i in range(3)]
    d = 1 / (q @ q)
    Bdot = [qdot[i] * bracket(q) + q[i] * bracket(qdot) for i in range(3)]
    Cdot = [bracket(bracket(qdot) @ (I - R) @ I[i] - bracket(q) @ Rdot @ I[i]) for i in range(3)]
    ddot = -2 * (q @ qdot) / (q @ q) ** 2
    return [(Bdot[i] + Cdot[i]) * d + (B[i] + C[i]) * ddot for i in range(3)]


def printed_columns_rate(q, qdot):
    """The upper half of the rate of S as (2.47) prints it."""
    R = expm(bracket(q))
    Rdot = sum(slope * rate for slope, rate in zip(rotation_slopes(q), qdot, strict=True))
    return np.stack(
        [
            unbracketed(Rdot.T @ Ai @ R + R.T @ Aidot @ R + R.T @ Ai @ Rdot)
            for Ai, Aidot in zip(A(q), Adot(q, qdot), strict=True)
        ],
        axis=-1,
    )


@claim("sueda/s2.4.8/t948", "Every rotation matrix is the exponential of a skew symmetric matrix")
class t948:
    formula = r"R = \exp([q])"
    inputs = {"R": rotations()}
    result = NUMBER

    def printed(R):
        return expm(bracket(Rotation.from_matrix(R).as_rotvec()))

    def library(R):
        return so3.exp(so3.log(R))

    oracle = "the rotation itself, drawn with angles up to and including half a turn"

    def reference(R):
        return R

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.so3.exp", "rbnotes.so3.log")
    chapter = CHAPTER


@claim("sueda/s2.4.8/e2.42", "A ball joint with a rotation vector for coordinates")
class e2_42:
    formula = r"R = \exp([q]),\quad Q = \begin{pmatrix} R & 0 \\ 0 & 1 \end{pmatrix}"
    inputs = TURNED
    result = NUMBER

    def printed(q):
        return np.block([[expm(bracket(q)), np.zeros((3, 1))], [np.zeros((1, 3)), np.ones((1, 1))]])

    def library(q):
        return ExponentialSpherical().transform(q)

    oracle = "scipy's rotation with this rotation vector, by quaternions"

    def reference(q):
        Q = np.eye(4)
        Q[:3, :3] = rotation_from_vector(q)
        return Q

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.joints.ExponentialSpherical",)
    chapter = CHAPTER


@claim("sueda/s2.4.8/e2.43", "How the rotation changes with its rotation vector")
class e2_43:
    formula = r"\frac{\partial R}{\partial q_i} = \frac{q_i[q] + [[q](I - R)e_i]}{q^\top q}\,R"
    inputs = AWAY_FROM_ZERO
    result = NUMBER
    printed = rotation_slopes

    def library(q):
        joint = ExponentialSpherical()
        return joint.transform(q)[:3, :3] @ so3.hat(joint.motion_subspace(q)[:3].T)

    oracle = "differences of scipy's rotations"

    def reference(q):
        return np.moveaxis(jacobian(rotation_from_vector, q).value, -1, 0)

    equivalent_mutants = {SWAPPED: COMMUTE}
    verdict = Verdict.HOLDS
    remark = (
        r"For $q \ne 0$; the limit at zero is given below it. Near zero the quotient loses digits, about "
        r"$10^{-16}/|q|$, but is never off by more than the limit, $|q|/2$: any $\varepsilon$ below $10^{-8}$ will do."
    )
    implemented_by = ("rbnotes.joints.ExponentialSpherical",)
    chapter = CHAPTER


@claim("sueda/s2.4.8/t956", "The limit of the derivatives where there is no rotation")
class t956:
    formula = r"q \to 0:\quad R = I,\quad \frac{\partial R}{\partial q_i} = [e_i]"
    inputs = {"u": vectors()}
    result = NUMBER

    def printed(u):
        """The rotation, and its derivative in some direction, from those by the coordinates."""
        R, slopes = np.eye(3), [bracket(e) for e in np.eye(3)]
        return np.vstack([R, sum(slope * part for slope, part in zip(slopes, u, strict=True))])

    def library(u):
        joint, none = ExponentialSpherical(), np.zeros(3)
        R = joint.transform(none)[:3, :3]
        return np.vstack([R, R @ so3.hat(joint.motion_subspace(none)[:3] @ u)])

    oracle = "the start of scipy's rotations about a fixed axis, and differences along them"

    def reference(u):
        rate = derivative(lambda t: Rotation.from_rotvec(t * u).as_matrix())
        return np.vstack([Rotation.from_rotvec(0 * u).as_matrix(), rate.value])

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.joints.ExponentialSpherical",)
    chapter = CHAPTER


@claim("sueda/s2.4.8/e2.44", "Jacobian of a ball joint with exponential coordinates")
class e2_44:
    formula = r"[S_i] = R^\top\frac{\partial R}{\partial q_i}"
    inputs = AWAY_FROM_ZERO
    result = NUMBER
    printed = printed_columns

    def library(q):
        return ExponentialSpherical().motion_subspace(q)[:3]

    oracle = "differences of scipy's rotations, seen from the body"

    def reference(q):
        return rotation_vector_jacobian(q)

    equivalent_mutants = {f"in rotation_slopes: {SWAPPED}": COMMUTE}
    verdict = Verdict.HOLDS
    remark = (
        r"The right Jacobian of SO(3). This S has three rows; the joint's has three rows of zeros below them."
    )
    implemented_by = ("rbnotes.joints.ExponentialSpherical",)
    chapter = CHAPTER


@claim("sueda/s2.4.8/e2.45", "Rate of the rotation matrix, from the rates of the rotation vector")
class e2_45:
    formula = r"\dot R = \sum_i \frac{\partial R}{\partial q_i}\,\dot q_i"
    inputs = MOVING
    result = RATE

    def printed(q, qdot):
        return sum(slope * rate for slope, rate in zip(rotation_slopes(q), qdot, strict=True))

    def library(q, qdot):
        joint = ExponentialSpherical()
        return joint.transform(q)[:3, :3] @ so3.hat(joint.motion_subspace(q)[:3] @ qdot)

    oracle = "differences of scipy's rotations along a straight line of rotation vectors"

    def reference(q, qdot):
        return derivative(lambda t: rotation_from_vector(q + t * qdot)).value

    equivalent_mutants = {f"in rotation_slopes: {SWAPPED}": COMMUTE}
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.joints.ExponentialSpherical",)
    chapter = CHAPTER


@claim("sueda/s2.4.8/e2.46", "The derivative of the rotation taken apart")
class e2_46:
    formula = (
        r"\frac{\partial R}{\partial q_i} = A_iR,\quad A_i = (B_i + C_i)\,d,\quad B_i = q_i[q],\quad "
        r"C_i = [[q](I - R)e_i],\quad d = \frac{1}{q^\top q}"
    )
    inputs = AWAY_FROM_ZERO
    result = NUMBER

    def printed(q):
        return np.stack(A(q)) @ expm(bracket(q))

    def library(q):
        return so3.hat(so3.left_jacobian(q).T) @ so3.exp(q)

    oracle = "differences of scipy's rotations"

    def reference(q):
        return np.moveaxis(jacobian(rotation_from_vector, q).value, -1, 0)

    equivalent_mutants = {f"in A: {SWAPPED}": COMMUTE}
    verdict = Verdict.HOLDS
    remark = (
        r"$d$ is a number, though it is set in bold. $A_i$ is the matrix of column $i$ of the left Jacobian of "
        r"SO(3): the angular velocity in the resting frame."
    )
    implemented_by = ("rbnotes.so3.left_jacobian",)
    chapter = CHAPTER


@claim("sueda/s2.4.8/e2.47#a", "Rate of the Jacobian of a ball joint with exponential coordinates")
class e2_47_a:
    formula = r"[\dot S_i] = \dot R^\top A_iR + R^\top\dot A_iR + R^\top A_i\dot R"
    inputs = AT_REST_TOO
    result = RATE
    printed = printed_columns_rate

    def library(q, qdot):
        return ExponentialSpherical().motion_subspace_rate(q, qdot)[:3]

    oracle = "differences along moving coordinates of the columns that the complex step gives, by scipy's exponential"

    def reference(q, qdot):
        return motion_subspace_rate(rotation_vector_pose, q, qdot)[:3]

    given = MOVING

    def holds_when(q, qdot):
        return q @ q > 0

    condition = r"$q \ne 0$"
    undefined = "at q = 0 the quotients d and its rate divide by zero"
    equivalent_mutants = {
        f"in Adot: {SWAPPED}": COMMUTE,
        f"in rotation_slopes: {SWAPPED}": COMMUTE,
        f"in A: {SWAPPED}": COMMUTE,
    }
    verdict = Verdict.CONDITIONAL
    remark = (
        r"The notes give limits at $q = 0$ for $R$ and its derivatives, and none for $\dot S$. It is "
        r"$\dot S = -[\dot q]/2$, not zero, as one would conclude from a constant $S = I$. Near zero the formula "
        r"loses digits like $10^{-16}/|q|^2$: where $|q| < 10^{-8}$ it has none left, and $\dot S\dot q$ is as wrong."
    )
    implemented_by = ("rbnotes.joints.ExponentialSpherical",)
    chapter = CHAPTER


@claim("sueda/s2.4.8/e2.47#b", "The rates of its parts")
class e2_47_b:
    formula = (
        r"\dot A_i = (\dot B_i + \dot C_i)\,d + (B_i + C_i)\,\dot d,\quad \dot B_i = \dot q_i[q] + q_i[\dot q],\quad "
        r"\dot C_i = [[\dot q](I - R)e_i - [q]\dot Re_i],\quad \dot d = \frac{-2q^\top\dot q}{(q^\top q)^2}"
    )
    inputs = MOVING
    result = RATE

    def printed(q, qdot):
        return np.stack(Adot(q, qdot))

    def library(q, qdot):
        return so3.hat(so3.left_jacobian_dot(q, qdot).T)

    oracle = "differences, along moving coordinates, of the derivatives of scipy's rotations seen from the resting frame"

    def reference(q, qdot):
        def angular_velocities(t):
            """Of the body turned by the rotation vector, in the resting frame, for unit rates of each coordinate."""
            R, S = rotation_from_vector(q + t * qdot), motion_subspace(rotation_vector_pose, q + t * qdot)[:3]
            return np.stack([np.cross(R @ column, I).T for column in S.T])

        return derivative(angular_velocities).value

    equivalent_mutants = {f"in Adot: {SWAPPED}": COMMUTE, f"in rotation_slopes: {SWAPPED}": COMMUTE}
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.so3.left_jacobian_dot",)
    chapter = CHAPTER
