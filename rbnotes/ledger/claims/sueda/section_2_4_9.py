"""Sueda 2.4.9: joints one after the other. The oracles differentiate poses, and push point masses."""

from __future__ import annotations

import numpy as np

from rbnotes import se3
from rbnotes.inertia import spatial_inertia
from rbnotes.joints import Composite, ExponentialSpherical, Fixed, Helical, Revolute, Translational
from rbnotes.ledger.oracles.bodies import point_masses
from rbnotes.ledger.oracles.dalembert import mass_matrix, net_generalized_force
from rbnotes.ledger.oracles.joint_pairs import PITCH, ball_with_arm, hinge_and_screw, joint_pair
from rbnotes.ledger.oracles.pose_products import (
    derivative_along_motion,
    pose_jacobian,
    pose_jacobian_rate,
    random_poses,
    screw_pose,
    translation_pose,
)
from rbnotes.ledger.oracles.twists import adjoint_by_conjugation, twist_from_matrix
from rbnotes.ledger.quantities import LENGTH, NUMBER, POSE, RATE, SCREW, TIME, TORQUE, TWIST, matrix_quantity
from rbnotes.ledger.record import Verdict, claim
from rbnotes.multibody.reduced import Link, Tree, inverse_dynamics_dense
from rbnotes.testing.strategies import arrays, inertias, masses, unit_vectors, vectors

CHAPTER = "joint-types"
COMPOSITE = ("rbnotes.joints.Composite",)

# Joint 1, a ball with an arm of shape A, has three coordinates; joint 2, a hinge and a screw with an arm of
# shape B between them, has two.
PAIR = {
    "A": random_poses(),
    "a": unit_vectors(),
    "B": random_poses(),
    "b": unit_vectors(),
    "q1": arrays(3).filter(np.any),
    "q2": arrays(2),
}
MOVING = {**PAIR, "v1": arrays(3), "v2": arrays(2)}


QUANTITIES = {
    "A": POSE,
    "B": POSE,
    "a": NUMBER,
    "b": NUMBER,
    "q1": NUMBER,
    "q2": NUMBER,
    "q3": NUMBER,
    "v1": RATE,
    "v1dot": RATE / TIME,
    "v2": RATE,
    "v2dot": RATE / TIME,
}


def model(A, a, B, b):
    """The same joints of the library, and the two in a row."""
    one = Composite(ExponentialSpherical(), Fixed(A))
    two = Composite(Revolute(a), Fixed(B), Helical(b, PITCH))
    return one, two, Composite(one, two)


def seen_from_2(Q2):
    """The adjoint from the frame of joint 1 to that of joint 2."""
    return adjoint_by_conjugation(np.linalg.inv(Q2))


def S_reference(A, a, B, b, q1, q2):
    return pose_jacobian(joint_pair(A, a, B, b), np.concatenate([q1, q2]))


def S_library(A, a, B, b, q1, q2):
    return model(A, a, B, b)[2].motion_subspace(np.concatenate([q1, q2]))


def Sdot_reference(A, a, B, b, q1, q2, v1, v2):
    return pose_jacobian_rate(joint_pair(A, a, B, b), np.concatenate([q1, q2]), np.concatenate([v1, v2]))


def Sdot_library(A, a, B, b, q1, q2, v1, v2):
    return model(A, a, B, b)[2].motion_subspace_rate(np.concatenate([q1, q2]), np.concatenate([v1, v2]))


def needed(tree, q1, q2, v1, v2, v1dot, v2dot):
    """Joint forces that a tree of five coordinates needs to move like this."""
    q, v, vdot = np.append(q1, q2), np.append(v1, v2), np.append(v1dot, v2dot)
    return inverse_dynamics_dense(tree, q, v, vdot)


@claim("sueda/s2.4.9/t974", "A composite joint is two joints with a massless body in between")
class t974:
    formula = r"Q = Q_1Q_2:\ \text{`with a massless body in between, with 1 as a parent of 2'}"
    inputs = {
        **MOVING,
        "v1dot": vectors(),
        "v2dot": vectors(2),
        "m": masses(),
        "c": vectors(),
        "J": inertias(),
        "g": vectors(),
    }
    result = TORQUE
    constants = (LENGTH,)

    def printed(A, a, B, b, q1, q2, v1, v2, v1dot, v2dot, m, c, J, g):
        """Joint forces for one body on the composite joint."""
        whole = model(A, a, B, b)[2]
        tree = Tree([Link("body", whole, spatial_inertia(m, J, c))], gravity=g)
        return needed(tree, q1, q2, v1, v2, v1dot, v2dot)

    def library(A, a, B, b, q1, q2, v1, v2, v1dot, v2dot, m, c, J, g):
        """The same for a body on joint 2, which hangs on a link without inertia, which hangs on joint 1."""
        one, two, _ = model(A, a, B, b)
        body = Link("body", two, spatial_inertia(m, J, c), parent="between")
        return needed(Tree([Link("between", one), body], gravity=g), q1, q2, v1, v2, v1dot, v2dot)

    oracle = "d'Alembert's principle for six point masses that move as the product of the two poses says"

    def reference(A, a, B, b, q1, q2, v1, v2, v1dot, v2dot, m, c, J, g):
        each, points = point_masses(m, J, c)
        pose = joint_pair(A, a, B, b)

        def places(q):
            E = pose(q)
            return points @ np.swapaxes(E[..., :3, :3], -1, -2) + E[..., None, :3, 3]

        q, v, vdot = (np.concatenate(pair) for pair in ((q1, q2), (v1, v2), (v1dot, v2dot)))
        masses = np.full(6, each)
        return mass_matrix(places, masses, q) @ vdot - net_generalized_force(places, masses, g, q, v)

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.multibody.reduced.inverse_dynamics_dense",)
    chapter = CHAPTER


@claim("sueda/s2.4.9/e2.48", "Jacobian of two joints in a row")
class e2_48:
    formula = (
        r"S = \begin{pmatrix} {}^2\mathrm{Ad} & S_1 & S_2 \end{pmatrix} \in \mathbb R^{6\times(n_1+n_2)}"
    )
    inputs = PAIR
    result = matrix_quantity(SCREW, NUMBER)
    constants = (LENGTH,)

    def printed(A, a, B, b, q1, q2):
        """Three blocks, of 6, n_1 and n_2 columns."""
        one, two = ball_with_arm(A), hinge_and_screw(a, B, b)
        return np.hstack([seen_from_2(two(q2)), pose_jacobian(one, q1), pose_jacobian(two, q2)])

    library = S_library
    oracle = "complex steps of the product of the two poses"
    reference = S_reference
    verdict = Verdict.MISPRINT
    scan = True
    undefined = "three blocks have 6 + n_1 + n_2 columns, and the left side n_1 + n_2"
    correction = r"$S = \begin{pmatrix} {}^2_1\mathrm{Ad}\,S_1 & S_2 \end{pmatrix}$: two blocks, the first one a product."
    implemented_by = COMPOSITE
    chapter = CHAPTER


@claim("sueda/s2.4.9/t978#a", "What the adjoint in the Jacobian does")
class t978_a:
    formula = r"{}^2_1\mathrm{Ad}:\ \text{`transforms from joint 1's coordinate space to joint 2's coordinate space'}"
    inputs = {**PAIR, "twist": vectors(6)}
    result = TWIST
    constants = (LENGTH,)

    def printed(A, a, B, b, q1, q2, twist):
        """A twist seen from the frame of joint 1, seen from that of joint 2."""
        return np.linalg.inv(adjoint_by_conjugation(hinge_and_screw(a, B, b)(q2))) @ twist

    def library(A, a, B, b, q1, q2, twist):
        return se3.Ad_inverse(model(A, a, B, b)[1].transform(q2)) @ twist

    oracle = "the same motion of a body, as a matrix between frames: Q_2^-1 [twist] Q_2"

    def reference(A, a, B, b, q1, q2, twist):
        return seen_from_2(hinge_and_screw(a, B, b)(q2)) @ twist

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.se3.Ad_inverse",)
    chapter = CHAPTER


@claim("sueda/s2.4.9/t978#b", "The rate of the right block is that of joint 2 alone")
class t978_b:
    formula = r"\tfrac d{dt}S_2:\ \text{`is simply $\dot S_2$, which is computed by joint 2'}"
    inputs = MOVING
    result = matrix_quantity(TWIST, NUMBER)
    constants = (LENGTH,)

    def printed(A, a, B, b, q1, q2, v1, v2):
        return pose_jacobian_rate(hinge_and_screw(a, B, b), q2, v2)

    def library(A, a, B, b, q1, q2, v1, v2):
        return Sdot_library(A, a, B, b, q1, q2, v1, v2)[:, 3:]

    oracle = "differences of the Jacobian of the product of the two poses along the motion"

    def reference(A, a, B, b, q1, q2, v1, v2):
        return Sdot_reference(A, a, B, b, q1, q2, v1, v2)[:, 3:]

    verdict = Verdict.HOLDS
    implemented_by = COMPOSITE
    chapter = CHAPTER


@claim("sueda/s2.4.9/t986", "The twist of joint 2 is the velocity of 2 seen from 1")
class t986:
    formula = r"{}^2\phi_2 = S_2\dot q_2"
    inputs = MOVING
    result = TWIST
    constants = (LENGTH,)

    def printed(A, a, B, b, q1, q2, v1, v2):
        return pose_jacobian(hinge_and_screw(a, B, b), q2) @ v2

    def library(A, a, B, b, q1, q2, v1, v2):
        return model(A, a, B, b)[1].motion_subspace(q2) @ v2

    oracle = "differences of the pose of joint 2 along the motion, seen from where it is"

    def reference(A, a, B, b, q1, q2, v1, v2):
        two = hinge_and_screw(a, B, b)
        return twist_from_matrix(np.linalg.inv(two(q2)) @ derivative_along_motion(two, q2, v2))

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.joints.JointType.motion_subspace",)
    chapter = CHAPTER


@claim("sueda/s2.4.9/e2.51", "Twist of a translational joint")
class e2_51:
    formula = r"S_2\dot q_2 = \begin{pmatrix} 0 \\ \dot q_2 \end{pmatrix} \in \mathbb R^6"
    inputs = {"q": vectors(), "qdot": vectors()}
    result = RATE

    def printed(q, qdot):
        return np.concatenate([np.zeros(3), qdot])

    def library(q, qdot):
        return Translational().motion_subspace(q) @ qdot

    oracle = "differences of a pose without rotation along the motion, seen from where it is"

    def reference(q, qdot):
        return twist_from_matrix(
            np.linalg.inv(translation_pose(q)) @ derivative_along_motion(translation_pose, q, qdot)
        )

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.joints.Translational",)
    chapter = CHAPTER


@claim("sueda/s2.4.9/t994", "Three joints in a row as two")
class t994:
    formula = r"Q = Q_1(Q_2Q_3)"
    inputs = {**PAIR, "c": unit_vectors(), "q3": vectors(1)}
    result = matrix_quantity(SCREW, NUMBER)
    constants = (LENGTH,)

    def printed(A, a, B, b, q1, q2, c, q3):
        """(2.48) twice: for joints 2 and 3, and for joint 1 and these two."""
        one, two = ball_with_arm(A), hinge_and_screw(a, B, b)
        S3, Q3 = np.append(c, np.zeros(3))[:, None], screw_pose(c, q3[0])
        inner = np.hstack([seen_from_2(Q3) @ pose_jacobian(two, q2), S3])
        return np.hstack([seen_from_2(two(q2) @ Q3) @ pose_jacobian(one, q1), inner])

    def library(A, a, B, b, q1, q2, c, q3):
        one, two, _ = model(A, a, B, b)
        return Composite(one, Composite(two, Revolute(c))).motion_subspace(np.concatenate([q1, q2, q3]))

    oracle = "complex steps of the product of the three poses"

    def reference(A, a, B, b, q1, q2, c, q3):
        pair = joint_pair(A, a, B, b)
        return pose_jacobian(
            lambda q: pair(q[..., :5]) @ screw_pose(c, q[..., 5]), np.concatenate([q1, q2, q3])
        )

    verdict = Verdict.HOLDS
    implemented_by = COMPOSITE
    chapter = CHAPTER
