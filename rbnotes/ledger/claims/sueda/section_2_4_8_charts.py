"""Sueda 2.4.8: singularities of a ball joint's coordinates, and how to change them on the way."""

from __future__ import annotations

import warnings

import numpy as np
from hypothesis import strategies as st
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from rbnotes.joints import EulerSpherical, ExponentialSpherical, QuaternionSpherical
from rbnotes.ledger.oracles.bodies import bracket
from rbnotes.ledger.oracles.joint_poses import (
    motion_subspace,
    motion_subspace_rate,
    rotation_from_vector,
    rotation_sequence,
    rotation_vector_jacobian,
    rotation_vector_pose,
)
from rbnotes.ledger.quantities import LENGTH, NUMBER, RATE
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing import derivative
from rbnotes.testing.strategies import nonzero_vectors, numbers, rotations, unit_vectors, vectors

CHAPTER = "spheres-without-singularities"
NEAR_A_TURN = {"q": st.builds(np.multiply, unit_vectors(), numbers(4.8, 7.5)), "qdot": vectors()}
SHELLS = {"a": unit_vectors(), "n": st.sampled_from((1, 2, 3))}


QUANTITIES = {"a": NUMBER, "p": NUMBER, "pdot": RATE, "stretch": NUMBER}


def reparameterized(q):
    return (1 - 2 * np.pi / np.linalg.norm(q)) * q


def new_rates(q, qdot):
    """The text's last but one step."""
    return np.linalg.inv(rotation_vector_jacobian(reparameterized(q))) @ (rotation_vector_jacobian(q) @ qdot)


def principal(q):
    """The rotation vector of at most half a turn, by scipy's quaternions."""
    return Rotation.from_rotvec(q).as_rotvec()


def principal_rate(q, qdot):
    return derivative(lambda t: principal(q + t * qdot)).value


def determinant(sequence, R):
    """Of the angular columns of a sequence of angles that reach R; scipy chooses some where many do."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        angles = Rotation.from_matrix(R).as_euler(sequence)
    return np.linalg.det(motion_subspace(rotation_sequence(sequence), angles)[:3])


@claim("sueda/s2.4.8/t946#a", "Exponential coordinates are singular somewhere too")
class t946_a:
    formula = r"\text{`No matter which 3-parameter representation we choose'}"
    inputs = {"q": vectors(3, -6, 6).filter(lambda q: bool(np.linalg.norm(q) >= 0.25))}
    result = NUMBER

    def printed(q):
        """det S of the upper rows: zero a whole number of turns away from the origin."""
        half = np.linalg.norm(q) / 2
        return (np.sin(half) / half) ** 2

    def library(q):
        return np.linalg.det(ExponentialSpherical().motion_subspace(q)[:3])

    oracle = "the determinant of the angular velocities for unit rates, by differences of scipy's rotations"

    def reference(q):
        return np.linalg.det(rotation_vector_jacobian(q))

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.joints.ExponentialSpherical",)
    chapter = CHAPTER


@claim("sueda/s2.4.8/t946#b", "A quaternion needs a constraint: its length changes without any rotation")
class t946_b:
    formula = r"\text{`we would need to add a constraint to keep the quaternion be of unit length'}"
    inputs = {"p": nonzero_vectors(4, 0.5), "pdot": vectors(4), "stretch": numbers()}
    result = RATE

    def printed(p, pdot, stretch):
        """The angular velocity, whatever multiple of p is added to its rates; and the rate of p.p/2 without it."""
        s, v, sdot, vdot = p[0], p[1:], pdot[0], pdot[1:]
        velocity = 2 * (s * vdot - sdot * v - np.cross(v, vdot)) / (p @ p)
        return np.append(velocity, p @ pdot)

    def library(p, pdot, stretch):
        joint = QuaternionSpherical()
        return np.append(
            joint.motion_subspace(p)[:3] @ (pdot + stretch * p),
            joint.coordinate_constraint_jacobian(p) @ pdot,
        )

    oracle = "differences of the rotations that scipy makes of the lengthened quaternion, and of its squared length"

    def reference(p, pdot, stretch):
        def R(p):
            return Rotation.from_quat(np.roll(p, -1)).as_matrix()

        X = R(p).T @ derivative(lambda t: R(p + t * (pdot + stretch * p))).value
        return np.array(
            [X[2, 1], X[0, 2], X[1, 0], derivative(lambda t: np.sum((p + t * pdot) ** 2) / 2).value.item()]
        )

    verdict = Verdict.HOLDS
    remark = (
        r"S of a quaternion has four columns and rank three everywhere: there is no singularity, and the reduced "
        r"mass matrix is singular without the constraint."
    )
    implemented_by = ("rbnotes.joints.QuaternionSpherical",)
    chapter = CHAPTER


@claim("sueda/s2.4.8/t946#c", "Switching between ZYX and ZYZ angles keeps clear of the singularities of both")
class t946_c:
    formula = r"\text{`switch the coordinate chart on the fly (e.g., between ZYX and ZYZ)'}"
    inputs = {"R": rotations()}
    result = NUMBER

    def printed(R):
        """Sum of the squares of both determinants: never below 1, so one of them is above 0.7."""
        return 1 + R[2, 1] ** 2

    def library(R):
        Q = np.eye(4)
        Q[:3, :3] = R
        both = [EulerSpherical("ZYX"), EulerSpherical("ZYZ")]
        return sum(
            np.linalg.det(joint.motion_subspace(joint.nearest_coordinates(Q))[:3]) ** 2 for joint in both
        )

    oracle = "the determinants of the columns that the complex step gives, at scipy's angles"

    def reference(R):
        return determinant("ZYX", R) ** 2 + determinant("ZYZ", R) ** 2

    verdict = Verdict.HOLDS
    remark = (
        r"ZYX is singular where $R_{31} = \pm1$, ZYZ where $R_{33} = \pm1$, and a row has length 1. Not every pair "
        r"will do: XYZ and ZYX are both singular a quarter turn about $y$."
    )
    implemented_by = ("rbnotes.joints.EulerSpherical",)
    chapter = CHAPTER


@claim(
    "sueda/s2.4.8/t972#a", "Singular on the spheres of radius 2 n pi: only the rate along q turns anything"
)
class t972_a:
    formula = r"\text{`singularities on the spheres of radius }2n\pi\text{'}"
    inputs = {**SHELLS, "u": vectors()}
    result = NUMBER

    def printed(a, n, u):
        """The angular velocity on the sphere, at the point in the direction a."""
        return a * (a @ u)

    def library(a, n, u):
        return ExponentialSpherical().motion_subspace(2 * n * np.pi * a)[:3] @ u

    oracle = "differences of scipy's rotations through the sphere"

    def reference(a, n, u):
        X = derivative(lambda t: rotation_from_vector(2 * n * np.pi * a + t * u)).value
        return np.array([X[2, 1], X[0, 2], X[1, 0]])

    verdict = Verdict.HOLDS
    remark = r"Rank one: of three rates, two turn nothing. At $q = 0$, $S = I$."
    implemented_by = ("rbnotes.joints.ExponentialSpherical",)
    chapter = CHAPTER


@claim("sueda/s2.4.8/t972#b", "A whole shell of rotation vectors is no rotation at all")
class t972_b:
    formula = r"\text{`a rotation of }2\pi\text{ about any axis is equivalent to no rotation at all'}"
    inputs = {**SHELLS, "x": vectors()}
    result = LENGTH

    def printed(a, n, x):
        return x

    def library(a, n, x):
        return ExponentialSpherical().transform(2 * n * np.pi * a)[:3, :3] @ x

    oracle = "scipy's rotation about the axis, by quaternions"

    def reference(a, n, x):
        return Rotation.from_rotvec(2 * n * np.pi * a).apply(x)

    exact = "both leave the point where it was but for a rotation by the rounding of whole turns"
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.joints.ExponentialSpherical",)
    chapter = CHAPTER


@claim("sueda/s2.4.8/t972#c", "The second shell that collapses to the identity")
class t972_c:
    formula = r"\text{`}2\pi\text{ distant from the origin (and }4, \ldots\text{)'}"
    inputs = {"a": unit_vectors(), "x": nonzero_vectors()}
    result = LENGTH

    def printed(a, x):
        """A point turned by the rotation vector of the second length in the brackets."""
        return expm(bracket(4 * a)) @ x

    def library(a, x):
        return ExponentialSpherical().transform(4 * np.pi * a)[:3, :3] @ x

    oracle = "the point where it was: no rotation at all"

    def reference(a, x):
        return x

    equivalent_mutants = {
        "dropped factor `ExponentialSpherical().transform(4 * np.pi * a)[:3, :3]` in "
        "`ExponentialSpherical().transform(4 * np.pi * a)[:3, :3] @ x`": "it is the identity, which is the claim",
        "doubled 4 in `4 * np.pi`": "the fourth shell collapses as the second one does",
    }
    verdict = Verdict.MISPRINT
    scan = True
    correction = r"$2\pi$ distant, and further ones at the other multiples of $2\pi$."
    remark = r"The sentence before it has the spheres' radius, $2n\pi$."
    implemented_by = ("rbnotes.joints.ExponentialSpherical",)
    chapter = CHAPTER


@claim("sueda/s2.4.8/t972#d", "Shortened by a turn, a rotation vector gives the same rotation")
class t972_d:
    formula = r"q \leftarrow (1 - 2\pi/\|q\|)\,q"
    inputs = {"q": NEAR_A_TURN["q"]}
    result = NUMBER

    def printed(q):
        """The rotation, and the new vector."""
        return np.vstack([expm(bracket(reparameterized(q))), reparameterized(q)])

    def library(q):
        joint = ExponentialSpherical()
        shorter = joint.reparametrize(q, np.zeros(3))[0]
        return np.vstack([joint.transform(shorter)[:3, :3], shorter])

    oracle = "scipy's rotation with the longer vector, by quaternions, and its vector of at most half a turn"

    def reference(q):
        return np.vstack([rotation_from_vector(q), principal(q)])

    verdict = Verdict.HOLDS
    remark = (
        r"True at every length but zero; the new vector is $|q| - 2\pi$ long, the other way below $2\pi$. It is the "
        r"same formula for R and S before and after: there is no chart to remember, as with Euler angles."
    )
    implemented_by = ("rbnotes.joints.ExponentialSpherical",)
    chapter = CHAPTER


@claim("sueda/s2.4.8/t972#e", "Near a whole turn, the shortened vector is far from singular")
class t972_e:
    formula = r"\text{`a good way to avoid singularities'}"
    inputs = {"q": NEAR_A_TURN["q"]}
    result = NUMBER

    def printed(q):
        """det S, as it is at every rotation vector, at the new one."""
        half = np.linalg.norm(reparameterized(q)) / 2
        return (np.sin(half) / half) ** 2

    equivalent_mutants = {
        "in reparameterized: swapped operands in `1 - 2 * np.pi / np.linalg.norm(q)`": "the opposite vector is as long"
    }

    def library(q):
        joint = ExponentialSpherical()
        return np.linalg.det(joint.motion_subspace(joint.reparametrize(q, np.zeros(3))[0])[:3])

    oracle = "differences of scipy's rotations at the rotation vector of at most half a turn"

    def reference(q):
        return np.linalg.det(rotation_vector_jacobian(principal(q)))

    verdict = Verdict.HOLDS
    remark = (
        r"Within 1.5 of $2\pi$ the determinant is above 0.8 afterwards; before, it falls to zero. From $\pi$ on the "
        r"shorter vector is the better one; the library changes at $1.5\pi$."
    )
    implemented_by = ("rbnotes.joints.ExponentialSpherical",)
    chapter = CHAPTER


@claim("sueda/s2.4.8/t972#f", "The velocities of the shortened vector")
class t972_f:
    formula = r"\dot q = S^{-1}S_{\mathrm{prev}}\,\dot q_{\mathrm{prev}}"
    inputs = NEAR_A_TURN
    result = RATE
    printed = new_rates

    def library(q, qdot):
        return ExponentialSpherical().reparametrize(q, qdot)[1]

    oracle = "differences of scipy's rotation vectors of at most half a turn along the motion"

    def reference(q, qdot):
        return principal_rate(q, qdot)

    verdict = Verdict.HOLDS
    remark = r"With the three angular rows of S, as in (2.44): the joint's $6\times3$ matrix has no inverse."
    implemented_by = ("rbnotes.joints.ExponentialSpherical",)
    chapter = CHAPTER


@claim("sueda/s2.4.8/t972#g", "The rate of S from the new coordinates and velocities")
class t972_g:
    formula = (
        r"\text{`compute }\dot S\text{ using Eq. (2.47) with the new values of }q\text{ and }\dot q\text{'}"
    )
    inputs = NEAR_A_TURN
    result = RATE

    def printed(q, qdot):
        """With the rate of S by differences, as (2.47) has its own record."""
        return motion_subspace_rate(rotation_vector_pose, reparameterized(q), new_rates(q, qdot))[:3]

    def library(q, qdot):
        joint = ExponentialSpherical()
        return joint.motion_subspace_rate(*joint.reparametrize(q, qdot))[:3]

    oracle = "differences of the columns that the complex step gives, along scipy's shorter rotation vectors"

    def reference(q, qdot):
        return motion_subspace_rate(rotation_vector_pose, principal(q), principal_rate(q, qdot))[:3]

    verdict = Verdict.HOLDS
    remark = (
        r"The closer the old vector is to $2\pi$, the closer the new one is to zero, where (2.47) loses its digits and at "
        r"last has no value: see its condition. Shorten well before, or take $\dot S = -[\dot q]/2$ there."
    )
    implemented_by = ("rbnotes.joints.ExponentialSpherical",)
    chapter = CHAPTER
