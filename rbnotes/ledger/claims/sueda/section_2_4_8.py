"""Sueda 2.4.8: a ball joint with exponential coordinates, S and its rate. The oracles use scipy's rotations."""

from __future__ import annotations

import warnings

import numpy as np
from hypothesis import strategies as st
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from rbnotes import so3
from rbnotes.joints import EulerSpherical, ExponentialSpherical, QuaternionSpherical
from rbnotes.ledger.joint_quantities import coordinates, velocities
from rbnotes.ledger.oracles.bodies import bracket
from rbnotes.ledger.oracles.joint_poses import (
    motion_subspace,
    motion_subspace_rate,
    rotation_from_vector,
    rotation_sequence,
    rotation_vector_jacobian,
    rotation_vector_pose,
)
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import LENGTH, NUMBER, RATE
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing import derivative, jacobian
from rbnotes.testing.strategies import (
    nonsingular_rotation_vectors,
    nonzero_vectors,
    numbers,
    rotations,
    unit_vectors,
    vectors,
)

COLUMNS_OF_JOINT = "a column for each coordinate of the joint, in the frame that it moves"

section = Section(
    "sueda/s2.4.8",
    chapter="spheres-without-singularities",
    page_2019=Page(27, last=28),
    page_2021=Page(38, last=40),
    arguments={
        "q": Argument(coordinates, "coordinates of the joint"),
        "p": Argument(NUMBER, "quaternion of the moving frame in the fixed one, of any length"),
        "pdot": Argument(RATE, "rate of the quaternion of the moving frame in the fixed one"),
        "stretch": Argument(NUMBER, "multiple of the quaternion that is added to its rate"),
        "R": Argument(NUMBER, "of the moving frame in the fixed one"),
        "u": Argument(NUMBER, "rates of the coordinates of the joint"),
        "qdot": Argument(velocities, "rates of the coordinates of the joint"),
        "a": Argument(NUMBER, "axis, the same in both frames"),
        "n": Argument(NUMBER),
        "x": Argument(LENGTH, "of a point, in the frame that the joint moves"),
    },
)


ROTATION_VECTOR = {"q": vectors(3, -4, 4)}
AWAY_FROM_ZERO = {"q": nonsingular_rotation_vectors(vectors(3, -4, 4), 0.25)}
MOTION = {**AWAY_FROM_ZERO, "qdot": nonzero_vectors()}
WITH_ZERO = {
    "q": st.builds(lambda q, factor: q * factor, vectors(3, -4, 4), st.sampled_from((0, 1, 1))),
    "qdot": nonzero_vectors(),
}
I = np.eye(3)


def vector_of_bracket(X):
    return np.array([X[2, 1], X[0, 2], X[1, 0]])


def rotation_derivatives(q):
    """Return the slices dR/dq_i ``(3, 3, 3)`` as (2.43) prints them, i first."""
    R = expm(bracket(q))
    slices = [(q[i] * bracket(q) + bracket(bracket(q) @ (I - R) @ I[i])) / (q @ q) @ R for i in range(3)]
    return np.stack(slices)


def printed_columns(q):
    """Return the upper half of S as (2.44) prints it."""
    R = expm(bracket(q))
    return np.stack([vector_of_bracket(R.T @ partial) for partial in rotation_derivatives(q)], axis=-1)


def A(q):
    """Evaluate (2.46)."""
    R = expm(bracket(q))
    B = [q[i] * bracket(q) for i in range(3)]
    C = [bracket(bracket(q) @ (I - R) @ I[i]) for i in range(3)]
    d = 1 / (q @ q)
    return [(B[i] + C[i]) * d for i in range(3)]


def Adot(q, qdot):
    """Return the second to the fifth line of (2.47)."""
    R = expm(bracket(q))
    Rdot = sum(partial * rate for partial, rate in zip(rotation_derivatives(q), qdot, strict=True))
    B = [q[i] * bracket(q) for i in range(3)]
    C = [bracket(bracket(q) @ (I - R) @ I[i]) for i in range(3)]
    d = 1 / (q @ q)
    Bdot = [qdot[i] * bracket(q) + q[i] * bracket(qdot) for i in range(3)]
    Cdot = [bracket(bracket(qdot) @ (I - R) @ I[i] - bracket(q) @ Rdot @ I[i]) for i in range(3)]
    ddot = -2 * (q @ qdot) / (q @ q) ** 2
    return [(Bdot[i] + Cdot[i]) * d + (B[i] + C[i]) * ddot for i in range(3)]


def printed_columns_rate(q, qdot):
    """Return the upper half of the rate of S as (2.47) prints it."""
    R = expm(bracket(q))
    Rdot = sum(partial * rate for partial, rate in zip(rotation_derivatives(q), qdot, strict=True))
    return np.stack(
        [
            vector_of_bracket(Rdot.T @ Ai @ R + R.T @ Aidot @ R + R.T @ Ai @ Rdot)
            for Ai, Aidot in zip(A(q), Adot(q, qdot), strict=True)
        ],
        axis=-1,
    )


@section.holds("t948", "Every rotation matrix is the exponential of a skew-symmetric matrix")
class t948:
    formula = r"R = \exp([q])"
    inputs = {"R": rotations()}
    result = Result(NUMBER, "takes coordinates of the moving frame to those of the fixed one")

    def printed(R):
        return expm(bracket(Rotation.from_matrix(R).as_rotvec()))

    def library(R):
        return so3.exp(so3.log(R))

    def reference(R):
        """Compare with the rotation itself, for angles up to and including half a turn."""
        return R

    implements = (so3.exp, so3.log)


@section.holds("e2.42", "Pose of a ball joint with exponential coordinates")
class e2_42:
    formula = r"R = \exp([q]),\quad Q = \begin{pmatrix} R & 0 \\ 0 & 1 \end{pmatrix}"
    inputs = ROTATION_VECTOR
    result = Result(NUMBER, "of the moving frame in the fixed one")

    def printed(q):
        return np.block([[expm(bracket(q)), np.zeros((3, 1))], [np.zeros((1, 3)), np.ones((1, 1))]])

    def library(q):
        return ExponentialSpherical().transform(q)

    def reference(q):
        """Compare with scipy's rotation with this rotation vector, by quaternions."""
        Q = np.eye(4)
        Q[:3, :3] = rotation_from_vector(q)
        return Q

    implements = ExponentialSpherical


@section.holds("e2.43", "Derivatives of a rotation with respect to its rotation vector")
class e2_43:
    formula = r"\frac{\partial R}{\partial q_i} = \frac{q_i[q] + [[q](I - R)e_i]}{q^\top q}\,R"
    inputs = AWAY_FROM_ZERO
    result = Result(NUMBER, "of the map from the moving to the fixed frame, one matrix for each coordinate")
    printed = rotation_derivatives

    def library(q):
        joint = ExponentialSpherical()
        return joint.transform(q)[:3, :3] @ so3.hat(joint.motion_subspace(q)[:3].T)

    def reference(q):
        """Compare with differences of scipy's rotations."""
        return np.moveaxis(jacobian(rotation_from_vector, q).value, -1, 0)

    remark = (
        r"This holds for $q \ne 0$; the limit at zero is printed below it. Near zero the rounding error "
        "of the quotient is about $10^{-16}/|q|$, but never more than the error of the limit, $|q|/2$: "
        r"any $\varepsilon$ below $10^{-8}$ is suitable."
    )
    implements = ExponentialSpherical


@section.holds("t956", "Limit of the derivatives at the identity")
class t956:
    formula = r"q \to 0:\quad R = I,\quad \frac{\partial R}{\partial q_i} = [e_i]"
    inputs = {"u": vectors()}
    result = Result(NUMBER, "the map from the moving to the fixed frame, then its rate, at the identity")

    def printed(u):
        """Return the rotation and its derivative in any direction, from those by the coordinates."""
        R, partials = np.eye(3), [bracket(e) for e in np.eye(3)]
        return np.vstack(
            [R, sum(partial * component for partial, component in zip(partials, u, strict=True))]
        )

    def library(u):
        joint, zero = ExponentialSpherical(), np.zeros(3)
        R = joint.transform(zero)[:3, :3]
        return np.vstack([R, R @ so3.hat(joint.motion_subspace(zero)[:3] @ u)])

    def reference(u):
        """Compare with scipy's rotations about a fixed axis at time zero, and differences along them."""
        rate = derivative(lambda t: Rotation.from_rotvec(t * u).as_matrix())
        return np.vstack([Rotation.from_rotvec(0 * u).as_matrix(), rate.value])

    implements = ExponentialSpherical


@section.holds("e2.44", "Jacobian of a ball joint with exponential coordinates")
class e2_44:
    formula = r"[S_i] = R^\top\frac{\partial R}{\partial q_i}"
    inputs = AWAY_FROM_ZERO
    result = Result(NUMBER, COLUMNS_OF_JOINT)
    printed = printed_columns

    def library(q):
        return ExponentialSpherical().motion_subspace(q)[:3]

    def reference(q):
        """Compare with differences of scipy's rotations, in the body frame."""
        return rotation_vector_jacobian(q)

    remark = (
        "This is the right Jacobian of SO(3). It has three rows; the $S$ of the joint has three rows of "
        "zeros below them."
    )
    implements = ExponentialSpherical


@section.holds("e2.45", "Rate of the rotation matrix from the rates of the rotation vector")
class e2_45:
    formula = r"\dot R = \sum_i \frac{\partial R}{\partial q_i}\,\dot q_i"
    inputs = MOTION
    result = Result(RATE, "of the map from the moving to the fixed frame")

    def printed(q, qdot):
        return sum(partial * rate for partial, rate in zip(rotation_derivatives(q), qdot, strict=True))

    def library(q, qdot):
        joint = ExponentialSpherical()
        return joint.transform(q)[:3, :3] @ so3.hat(joint.motion_subspace(q)[:3] @ qdot)

    def reference(q, qdot):
        """Compare with differences of scipy's rotations along a straight line of rotation vectors."""
        return derivative(lambda t: rotation_from_vector(q + t * qdot)).value

    implements = ExponentialSpherical


@section.holds("e2.46", "Factors of the derivative of a rotation")
class e2_46:
    page_2019 = Page(28, "$d$ in italics, a number")
    page_2021 = Page(39, page_2019.content)
    formula = r"\frac{\partial R}{\partial q_i} = A_iR,\quad A_i = (B_i + C_i)\,d,\quad B_i = q_i[q],\quad C_i = [[q](I - R)e_i],\quad d = \frac{1}{q^\top q}"
    inputs = AWAY_FROM_ZERO
    result = Result(NUMBER, "of the map from the moving to the fixed frame, one matrix for each coordinate")

    def printed(q):
        return np.stack(A(q)) @ expm(bracket(q))

    def library(q):
        return so3.hat(so3.left_jacobian(q).T) @ so3.exp(q)

    def reference(q):
        """Compare with differences of scipy's rotations."""
        return np.moveaxis(jacobian(rotation_from_vector, q).value, -1, 0)

    remark = (
        "$d$ is a scalar, which the conversion of the text set in bold. $A_i$ is the matrix of column $i$ of the "
        "left Jacobian of SO(3): the angular velocity in the fixed frame."
    )
    implements = so3.left_jacobian


@section.conditional("e2.47#a", "Rate of the Jacobian of a ball joint with exponential coordinates")
class e2_47_a:
    page_2019 = Page(28)
    page_2021 = Page(
        39,
        r"(2.52), the same; section 3.2.7 adds on page 68 that $\mathsf q \approx 0$ is singular",
        fixed=True,
    )
    formula = r"[\dot S_i] = \dot R^\top A_iR + R^\top\dot A_iR + R^\top A_i\dot R"
    inputs = WITH_ZERO
    result = Result(RATE, COLUMNS_OF_JOINT)
    printed = printed_columns_rate

    def library(q, qdot):
        return ExponentialSpherical().motion_subspace_rate(q, qdot)[:3]

    def reference(q, qdot):
        """Compare with differences along the motion of complex steps of scipy's exponential."""
        return motion_subspace_rate(rotation_vector_pose, q, qdot)[:3]

    condition_inputs = MOTION

    def holds_when(q, qdot):
        return q @ q > 0

    condition = r"$q \ne 0$"
    undefined = "at q = 0 the quotients d and its rate divide by zero"
    remark = (
        r"The notes give limits at $q = 0$ for $R$ and its derivatives, but none for $\dot S$. The limit "
        r"is $\dot S = -[\dot q]/2$; it is not zero, as a constant $S = I$ would suggest. Near zero the "
        "rounding error of the formula is about $10^{-16}/|q|^2$: for $|q| < 10^{-8}$ no digit is right, "
        r"and $\dot S\dot q$ is equally wrong."
    )
    implements = ExponentialSpherical


@section.holds("e2.47#b", "Rates of the factors of the derivative of a rotation")
class e2_47_b:
    formula = r"\dot A_i = (\dot B_i + \dot C_i)\,d + (B_i + C_i)\,\dot d,\quad \dot B_i = \dot q_i[q] + q_i[\dot q],\quad \dot C_i = [[\dot q](I - R)e_i - [q]\dot Re_i],\quad \dot d = \frac{-2q^\top\dot q}{(q^\top q)^2}"
    inputs = MOTION
    result = Result(RATE, "one matrix for each coordinate: rates of its bracket in the fixed frame")

    def printed(q, qdot):
        return np.stack(Adot(q, qdot))

    def library(q, qdot):
        return so3.hat(so3.left_jacobian_dot(q, qdot).T)

    def reference(q, qdot):
        """Compare with differences along the motion of the derivatives of scipy's rotations, in the fixed frame."""

        def angular_velocities(t):
            """Return the angular velocities for unit rates of each coordinate, in the fixed frame."""
            R, S = rotation_from_vector(q + t * qdot), motion_subspace(rotation_vector_pose, q + t * qdot)[:3]
            return np.stack([np.cross(R @ column, I).T for column in S.T])

        return derivative(angular_velocities).value

    implements = so3.left_jacobian_dot


# ------------------------------------------------------------------------------------------------------------
# Singularities of the coordinates of a ball joint, and their change during the motion.


NEAR_FULL_TURN = {"q": st.builds(np.multiply, unit_vectors(), numbers(4.8, 7.5)), "qdot": vectors()}
SPHERES = {"a": unit_vectors(), "n": st.sampled_from((1, 2, 3))}


def reparameterized(q):
    return (1 - 2 * np.pi / np.linalg.norm(q)) * q


def new_rates(q, qdot):
    """Evaluate the last step but one of the text."""
    return np.linalg.inv(rotation_vector_jacobian(reparameterized(q))) @ (rotation_vector_jacobian(q) @ qdot)


def shortest_vector(q):
    """Return the rotation vector of at most half a turn, by scipy's quaternions."""
    return Rotation.from_rotvec(q).as_rotvec()


def shortest_vector_rate(q, qdot):
    return derivative(lambda t: shortest_vector(q + t * qdot)).value


def determinant(sequence, R):
    """Return the determinant of the angular columns at angles that give R; scipy chooses one of several solutions."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        angles = Rotation.from_matrix(R).as_euler(sequence)
    return np.linalg.det(motion_subspace(rotation_sequence(sequence), angles)[:3])


@section.holds("t946#a", "Exponential coordinates also have a singularity")
class t946_a:
    formula = r"\text{`No matter which 3-parameter representation we choose'}"
    inputs = {"q": vectors(3, -6, 6).filter(lambda q: bool(np.linalg.norm(q) >= 0.25))}
    result = Result(NUMBER)

    def printed(q):
        """Return det S of the upper rows, which is zero a whole number of turns away from the origin."""
        half = np.linalg.norm(q) / 2
        return (np.sin(half) / half) ** 2

    def library(q):
        return np.linalg.det(ExponentialSpherical().motion_subspace(q)[:3])

    def reference(q):
        """Compare with the determinant of angular velocities for unit rates, by differences of scipy's rotations."""
        return np.linalg.det(rotation_vector_jacobian(q))

    implements = ExponentialSpherical


@section.holds("t946#b", "A quaternion needs a constraint: its length changes without any rotation")
class t946_b:
    formula = r"\text{`we would need to add a constraint to keep the quaternion be of unit length'}"
    inputs = {"p": nonzero_vectors(4, 0.5), "pdot": vectors(4), "stretch": numbers()}
    result = Result(
        RATE, "angular velocity in the moving frame, then half the rate of the square of the length"
    )

    def printed(p, pdot, stretch):
        """Return the angular velocity, for rates with any multiple of p added, and the rate of p.p/2 without it."""
        s, v, sdot, vdot = p[0], p[1:], pdot[0], pdot[1:]
        velocity = 2 * (s * vdot - sdot * v - np.cross(v, vdot)) / (p @ p)
        return np.append(velocity, p @ pdot)

    def library(p, pdot, stretch):
        joint = QuaternionSpherical()
        return np.append(
            joint.motion_subspace(p)[:3] @ (pdot + stretch * p),
            joint.coordinate_constraint_jacobian(p) @ pdot,
        )

    def reference(p, pdot, stretch):
        """Compare with differences of scipy's rotations of the lengthened quaternion, and of its squared length."""

        def R(p):
            return Rotation.from_quat(np.roll(p, -1)).as_matrix()

        X = R(p).T @ derivative(lambda t: R(p + t * (pdot + stretch * p))).value
        return np.array(
            [X[2, 1], X[0, 2], X[1, 0], derivative(lambda t: np.sum((p + t * pdot) ** 2) / 2).value.item()]
        )

    remark = (
        "$S$ of a quaternion has four columns and rank three everywhere. It has no singularity, but the "
        "reduced mass matrix is singular without the constraint."
    )
    implements = QuaternionSpherical


@section.holds("t946#c", "Switching between ZYX and ZYZ angles avoids the singularities of both")
class t946_c:
    formula = r"\text{`switch the coordinate chart on the fly (e.g., between ZYX and ZYZ)'}"
    inputs = {"R": rotations()}
    result = Result(NUMBER)

    def printed(R):
        """Return the sum of the squares of both determinants: it is at least 1, so one of them is above 0.7."""
        return 1 + R[2, 1] ** 2

    def library(R):
        Q = np.eye(4)
        Q[:3, :3] = R
        joints = [EulerSpherical("ZYX"), EulerSpherical("ZYZ")]
        return sum(
            np.linalg.det(joint.motion_subspace(joint.nearest_coordinates(Q))[:3]) ** 2 for joint in joints
        )

    def reference(R):
        """Compare with determinants of the columns by complex steps, at scipy's angles."""
        return determinant("ZYX", R) ** 2 + determinant("ZYZ", R) ** 2

    remark = (
        r"ZYX is singular where $R_{31} = \pm1$ and ZYZ where $R_{33} = \pm1$; because a row of $R$ has "
        "length 1, both cannot be true. Not every pair is suitable: XYZ and ZYX are both singular at a "
        "quarter turn about $y$."
    )
    implements = EulerSpherical


@section.holds("t972#a", "On the spheres of radius 2 n pi, only the rate along q rotates the body")
class t972_a:
    formula = r"\text{`singularities on the spheres of radius }2n\pi\text{'}"
    inputs = {**SPHERES, "u": vectors()}
    result = Result(NUMBER, "angular velocity in the fixed frame")

    def printed(a, n, u):
        """Return the angular velocity on the sphere, at the point in the direction a."""
        return a * (a @ u)

    def library(a, n, u):
        return ExponentialSpherical().motion_subspace(2 * n * np.pi * a)[:3] @ u

    def reference(a, n, u):
        """Compare with differences of scipy's rotations through the sphere."""
        X = derivative(lambda t: rotation_from_vector(2 * n * np.pi * a + t * u)).value
        return np.array([X[2, 1], X[0, 2], X[1, 0]])

    remark = "The rank of $S$ is one: two of three rates do not rotate the body. At $q = 0$, $S = I$."
    implements = ExponentialSpherical


@section.holds("t972#b", "All rotation vectors of length 2 n pi give the identity")
class t972_b:
    formula = r"\text{`a rotation of }2\pi\text{ about any axis is equivalent to no rotation at all'}"
    inputs = {**SPHERES, "x": vectors()}
    result = Result(LENGTH, "in the fixed frame")

    def printed(a, n, x):
        return x

    def library(a, n, x):
        return ExponentialSpherical().transform(2 * n * np.pi * a)[:3, :3] @ x

    def reference(a, n, x):
        """Compare with scipy's rotation about the axis, by quaternions."""
        return Rotation.from_rotvec(2 * n * np.pi * a).apply(x)

    exact = "both forms return the point unchanged, except for the rounding errors of the multiples of 2 pi"
    implements = ExponentialSpherical


@section.misprint("t972#c", "Radius of the second shell that collapses to the identity")
class t972_c:
    page_2019 = Page(28)
    page_2021 = Page(39)
    formula = r"\text{`}2\pi\text{ distant from the origin (and }4, \ldots\text{)'}"
    inputs = {"a": unit_vectors(), "x": nonzero_vectors()}
    result = Result(LENGTH, "in the fixed frame")

    def printed(a, x):
        """Return a point rotated by the rotation vector of the second length in the parentheses."""
        return expm(bracket(4 * a)) @ x

    def library(a, x):
        return ExponentialSpherical().transform(4 * np.pi * a)[:3, :3] @ x

    def reference(a, x):
        """Check that a full turn is the identity: the point stays in place."""
        return x

    correction = r"The radius is $2\pi$; the further shells are at the other multiples of $2\pi$."
    replacement = r"the entire shell of points $2\pi$ distant from the origin (and $4\pi, \ldots$) collapses to the identity in $\mathrm{SO}(3)$."
    remark = r"The preceding sentence gives the right radius of the spheres, $2n\pi$."
    implements = ExponentialSpherical


@section.holds("t972#d", "A rotation vector shortened by a full turn gives the same rotation")
class t972_d:
    formula = r"q \leftarrow (1 - 2\pi/\|q\|)\,q"
    inputs = {"q": NEAR_FULL_TURN["q"]}
    result = Result(
        NUMBER, "takes coordinates of the moving to those of the fixed frame; below it the shorter vector"
    )

    def printed(q):
        """Return the rotation and the new vector."""
        return np.vstack([expm(bracket(reparameterized(q))), reparameterized(q)])

    def library(q):
        joint = ExponentialSpherical()
        shorter = joint.reparametrize(q, np.zeros(3))[0]
        return np.vstack([joint.transform(shorter)[:3, :3], shorter])

    def reference(q):
        """Compare with scipy's rotation with the longer vector, and its vector of at most half a turn."""
        return np.vstack([rotation_from_vector(q), shortest_vector(q)])

    remark = (
        "This holds at every length but zero. The length of the new vector is the difference of $|q|$ "
        r"and $2\pi$; its direction is opposite if $|q| < 2\pi$. The formulas for $R$ and $S$ do not "
        "change, so that no chart has to be stored, unlike with Euler angles."
    )
    implements = ExponentialSpherical


@section.holds("t972#e", "Near a full turn, the shortened vector is far from a singularity")
class t972_e:
    formula = r"\text{`a good way to avoid singularities'}"
    inputs = {"q": NEAR_FULL_TURN["q"]}
    result = Result(NUMBER)

    def printed(q):
        """Return det S at the new rotation vector."""
        half = np.linalg.norm(reparameterized(q)) / 2
        return (np.sin(half) / half) ** 2

    def library(q):
        joint = ExponentialSpherical()
        return np.linalg.det(joint.motion_subspace(joint.reparametrize(q, np.zeros(3))[0])[:3])

    def reference(q):
        """Compare with differences of scipy's rotations at the rotation vector of at most half a turn."""
        return np.linalg.det(rotation_vector_jacobian(shortest_vector(q)))

    remark = (
        r"Within 1.5 of $2\pi$ the determinant is above 0.8 after the change; before, it falls to zero. "
        r"The shorter vector is better from $|q| = \pi$ on; the library changes at $1.5\pi$."
    )
    implements = ExponentialSpherical


@section.holds("t972#f", "Rates of the shortened rotation vector")
class t972_f:
    formula = r"\dot q = S^{-1}S_{\mathrm{prev}}\,\dot q_{\mathrm{prev}}"
    inputs = NEAR_FULL_TURN
    result = Result(RATE, "of the coordinates of the joint")
    printed = new_rates

    def library(q, qdot):
        return ExponentialSpherical().reparametrize(q, qdot)[1]

    def reference(q, qdot):
        """Compare with differences of scipy's rotation vectors of at most half a turn along the motion."""
        return shortest_vector_rate(q, qdot)

    remark = (
        r"$S$ means the three angular rows, as in (2.44); the $6\times3$ matrix of the joint has no "
        "inverse."
    )
    implements = ExponentialSpherical


@section.holds("t972#g", "Rate of S from the new coordinates and rates")
class t972_g:
    formula = (
        r"\text{`compute }\dot S\text{ using Eq. (2.47) with the new values of }q\text{ and }\dot q\text{'}"
    )
    inputs = NEAR_FULL_TURN
    result = Result(RATE, COLUMNS_OF_JOINT)

    def printed(q, qdot):
        """Evaluate with the rate of S by differences, as (2.47) has its own record."""
        return motion_subspace_rate(rotation_vector_pose, reparameterized(q), new_rates(q, qdot))[:3]

    def library(q, qdot):
        joint = ExponentialSpherical()
        return joint.motion_subspace_rate(*joint.reparametrize(q, qdot))[:3]

    def reference(q, qdot):
        """Compare with differences of complex steps of exponentials, along scipy's shorter rotation vectors."""
        return motion_subspace_rate(rotation_vector_pose, shortest_vector(q), shortest_vector_rate(q, qdot))[
            :3
        ]

    remark = (
        r"If the length of the old vector is close to $2\pi$, the new vector is close to zero, where "
        "(2.47) loses all digits and is finally undefined; see its condition. Change the vector long "
        r"before, or use $\dot S = -[\dot q]/2$ there."
    )
    implements = ExponentialSpherical
