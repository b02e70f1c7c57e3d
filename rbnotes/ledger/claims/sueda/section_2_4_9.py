"""Sueda 2.4.9: joints in series. The oracles differentiate poses, and use point masses."""

from __future__ import annotations

import numpy as np

from rbnotes import se3
from rbnotes.inertia import spatial_inertia
from rbnotes.joints import Composite, ExponentialSpherical, Fixed, Helical, JointType, Revolute, Translational
from rbnotes.ledger.joint_quantities import coordinates, velocities
from rbnotes.ledger.oracles.bodies import point_masses
from rbnotes.ledger.oracles.dalembert import mass_matrix, net_generalized_force
from rbnotes.ledger.oracles.joint_pairs import (
    PITCH,
    adjoint_rate,
    ball_with_arm,
    hinge_and_screw,
    inverse_adjoint_rate,
    joint_pair,
)
from rbnotes.ledger.oracles.pose_products import (
    derivative_along_motion,
    pose_jacobian,
    pose_jacobian_rate,
    random_poses,
    screw_pose,
    translation_pose,
)
from rbnotes.ledger.oracles.twists import adjoint_by_conjugation, commutator, twist_from_matrix
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import (
    ACCELERATION,
    ADJOINT,
    INERTIA,
    LENGTH,
    MASS,
    NUMBER,
    POSE,
    RATE,
    SCREW,
    TIME,
    TORQUE,
    TWIST,
    matrix_quantity,
)
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.multibody.reduced import Link, Tree, inverse_dynamics_dense
from rbnotes.testing.strategies import arrays, inertias, masses, unit_vectors, vectors

section = Section(
    "sueda/s2.4.9",
    chapter="joint-types",
    page_2019=Page(28, last=29),
    page_2021=Page(40),
    arguments={
        "A": Argument(POSE, "arm at the end of joint 1, a ball joint"),
        "a": Argument(NUMBER, "axis of the hinge of joint 2"),
        "B": Argument(POSE, "arm in joint 2, between its hinge and its screw"),
        "b": Argument(NUMBER, "axis of the screw of joint 2, after B"),
        "q1": Argument(NUMBER, "coordinates of the joint"),
        "q2": Argument(NUMBER, "coordinates of the joint"),
        "v1": Argument(RATE, "rates of the coordinates of the joint"),
        "v2": Argument(RATE, "rates of the coordinates of the joint"),
        "v1dot": Argument(NUMBER / TIME**2, "accelerations of the coordinates of the joint"),
        "v2dot": Argument(NUMBER / TIME**2, "accelerations of the coordinates of the joint"),
        "m": Argument(MASS),
        "c": Argument(LENGTH, "center of mass, in the frame that joint 2 moves"),
        "J": Argument(INERTIA, "about the center of mass, along the axes of that frame"),
        "g": Argument(ACCELERATION, "along the axes of the world"),
        "twist": Argument(TWIST, "in the frame of joint 1"),
        "q": Argument(coordinates, "coordinates of the joint"),
        "qdot": Argument(velocities, "rates of the coordinates of the joint"),
        "q3": Argument(NUMBER, "coordinates of the joint"),
    },
)


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
MOTION = {**PAIR, "v1": arrays(3), "v2": arrays(2)}


def library_joints(A, a, B, b):
    """Return the library's joints and their composite."""
    one = Composite(ExponentialSpherical(), Fixed(A))
    two = Composite(Revolute(a), Fixed(B), Helical(b, PITCH))
    return one, two, Composite(one, two)


def adjoint_to_2(Q2):
    """Return the adjoint from the frame of joint 1 to that of joint 2."""
    return adjoint_by_conjugation(np.linalg.inv(Q2))


def S_reference(A, a, B, b, q1, q2):
    """Compare with complex steps of the product of the two poses."""
    return pose_jacobian(joint_pair(A, a, B, b), np.concatenate([q1, q2]))


def S_library(A, a, B, b, q1, q2):
    return library_joints(A, a, B, b)[2].motion_subspace(np.concatenate([q1, q2]))


def Sdot_reference(A, a, B, b, q1, q2, v1, v2):
    """Compare with differences of the Jacobian of the product of the two poses along the motion."""
    return pose_jacobian_rate(joint_pair(A, a, B, b), np.concatenate([q1, q2]), np.concatenate([v1, v2]))


def Sdot_library(A, a, B, b, q1, q2, v1, v2):
    return library_joints(A, a, B, b)[2].motion_subspace_rate(
        np.concatenate([q1, q2]), np.concatenate([v1, v2])
    )


def tree_joint_forces(tree, q1, q2, v1, v2, v1dot, v2dot):
    """Return the joint forces for these accelerations of a tree of five coordinates."""
    q, v, vdot = np.append(q1, q2), np.append(v1, v2), np.append(v1dot, v2dot)
    return inverse_dynamics_dense(tree, q, v, vdot)


@section.holds("t974", "A composite joint is two joints with a massless body in between")
class t974:
    formula = r"Q = Q_1Q_2:\ \text{`with a massless body in between, with 1 as a parent of 2'}"
    inputs = {
        **MOTION,
        "v1dot": vectors(),
        "v2dot": vectors(2),
        "m": masses(),
        "c": vectors(),
        "J": inertias(),
        "g": vectors(),
    }
    result = Result(TORQUE, "of the coordinates of joint 1, then of joint 2")
    constants = (LENGTH,)

    def printed(A, a, B, b, q1, q2, v1, v2, v1dot, v2dot, m, c, J, g):
        """Return the joint forces for one body on the composite joint."""
        composite = library_joints(A, a, B, b)[2]
        tree = Tree([Link("body", composite, spatial_inertia(m, J, c))], gravity=g)
        return tree_joint_forces(tree, q1, q2, v1, v2, v1dot, v2dot)

    def library(A, a, B, b, q1, q2, v1, v2, v1dot, v2dot, m, c, J, g):
        """Return the joint forces for a body on joint 2, whose parent is a massless link on joint 1."""
        one, two, _ = library_joints(A, a, B, b)
        body = Link("body", two, spatial_inertia(m, J, c), parent="between")
        return tree_joint_forces(Tree([Link("between", one), body], gravity=g), q1, q2, v1, v2, v1dot, v2dot)

    def reference(A, a, B, b, q1, q2, v1, v2, v1dot, v2dot, m, c, J, g):
        """Compare with d'Alembert's principle for six point masses that move with the product of the two poses."""
        each, points = point_masses(m, J, c)
        pose = joint_pair(A, a, B, b)

        def positions(q):
            E = pose(q)
            return points @ np.swapaxes(E[..., :3, :3], -1, -2) + E[..., None, :3, 3]

        q, v, vdot = (np.concatenate(pair) for pair in ((q1, q2), (v1, v2), (v1dot, v2dot)))
        masses = np.full(6, each)
        return mass_matrix(positions, masses, q) @ vdot - net_generalized_force(positions, masses, g, q, v)

    implements = inverse_dynamics_dense


@section.misprint("e2.48", "Jacobian of two joints in series")
class e2_48:
    page_2019 = Page(28, r"$\begin{pmatrix} {}^2_1\mathrm{Ad}\,S_1 & S_2 \end{pmatrix}$")
    page_2021 = Page(40, page_2019.content)
    formula = (
        r"S = \begin{pmatrix} {}^2\mathrm{Ad} & S_1 & S_2 \end{pmatrix} \in \mathbb R^{6\times(n_1+n_2)}"
    )
    edit = (r"{}^2\mathrm{Ad} & S_1", r"{}^2_1\mathrm{Ad}\,S_1")
    inputs = PAIR
    result = Result(
        matrix_quantity(SCREW, NUMBER), "a column for each coordinate, in the frame of the last joint"
    )
    constants = (LENGTH,)

    def printed(A, a, B, b, q1, q2):
        """Stack three blocks, of 6, n_1 and n_2 columns."""
        one, two = ball_with_arm(A), hinge_and_screw(a, B, b)
        return np.hstack([adjoint_to_2(two(q2)), pose_jacobian(one, q1), pose_jacobian(two, q2)])

    library = S_library
    reference = S_reference
    undefined = "three blocks have 6 + n_1 + n_2 columns, but the left-hand side has n_1 + n_2"
    correction = (
        r"$S = \begin{pmatrix} {}^2_1\mathrm{Ad}\,S_1 & S_2 \end{pmatrix}$: two blocks, of which the "
        "first is a product"
    )
    implements = Composite


@section.holds("t978#a", "The adjoint in the Jacobian of two joints")
class t978_a:
    formula = r"{}^2_1\mathrm{Ad}:\ \text{`transforms from joint 1's coordinate space to joint 2's coordinate space'}"
    inputs = {**PAIR, "twist": vectors(6)}
    result = Result(TWIST, "in the frame that joint 2 moves")
    constants = (LENGTH,)

    def printed(A, a, B, b, q1, q2, twist):
        """Transform a twist from the frame of joint 1 to that of joint 2."""
        return np.linalg.inv(adjoint_by_conjugation(hinge_and_screw(a, B, b)(q2))) @ twist

    def library(A, a, B, b, q1, q2, twist):
        return se3.Ad_inverse(library_joints(A, a, B, b)[1].transform(q2)) @ twist

    def reference(A, a, B, b, q1, q2, twist):
        """Compare with the same motion of a body as a matrix between frames: Q_2^-1 [twist] Q_2."""
        return adjoint_to_2(hinge_and_screw(a, B, b)(q2)) @ twist

    implements = se3.Ad_inverse


@section.holds("t978#b", "The rate of the right block is that of joint 2 alone")
class t978_b:
    formula = r"\tfrac d{dt}S_2:\ \text{`is simply $\dot S_2$, which is computed by joint 2'}"
    inputs = MOTION
    result = Result(
        matrix_quantity(TWIST, NUMBER), "a column for each coordinate, in the frame of the last joint"
    )
    constants = (LENGTH,)

    def printed(A, a, B, b, q1, q2, v1, v2):
        return pose_jacobian_rate(hinge_and_screw(a, B, b), q2, v2)

    def library(A, a, B, b, q1, q2, v1, v2):
        return Sdot_library(A, a, B, b, q1, q2, v1, v2)[:, 3:]

    def reference(A, a, B, b, q1, q2, v1, v2):
        """Compare with differences of the Jacobian of the product of the two poses along the motion."""
        return Sdot_reference(A, a, B, b, q1, q2, v1, v2)[:, 3:]

    implements = Composite


@section.holds("t986", "The twist of joint 2 is the velocity of frame 2 relative to frame 1")
class t986:
    formula = r"{}^2\phi_2 = S_2\dot q_2"
    inputs = MOTION
    result = Result(TWIST, "in the frame that joint 2 moves")
    constants = (LENGTH,)

    def printed(A, a, B, b, q1, q2, v1, v2):
        return pose_jacobian(hinge_and_screw(a, B, b), q2) @ v2

    def library(A, a, B, b, q1, q2, v1, v2):
        return library_joints(A, a, B, b)[1].motion_subspace(q2) @ v2

    def reference(A, a, B, b, q1, q2, v1, v2):
        """Compare with differences of the pose of joint 2 along the motion, in its own frame."""
        two = hinge_and_screw(a, B, b)
        return twist_from_matrix(np.linalg.inv(two(q2)) @ derivative_along_motion(two, q2, v2))

    implements = JointType.motion_subspace


@section.holds("e2.51", "Twist of a translational joint")
class e2_51:
    formula = r"S_2\dot q_2 = \begin{pmatrix} 0 \\ \dot q_2 \end{pmatrix} \in \mathbb R^6"
    inputs = {"q": vectors(), "qdot": vectors()}
    result = Result(RATE, "in the frame that the joint moves")

    def printed(q, qdot):
        return np.concatenate([np.zeros(3), qdot])

    def library(q, qdot):
        return Translational().motion_subspace(q) @ qdot

    def reference(q, qdot):
        """Compare with differences of a pose without rotation along the motion, in its own frame."""
        return twist_from_matrix(
            np.linalg.inv(translation_pose(q)) @ derivative_along_motion(translation_pose, q, qdot)
        )

    implements = Translational


@section.holds("t994", "Three joints in series as two")
class t994:
    formula = r"Q = Q_1(Q_2Q_3)"
    inputs = {**PAIR, "c": unit_vectors(), "q3": vectors(1)}
    result = Result(
        matrix_quantity(SCREW, NUMBER), "a column for each coordinate, in the frame of the last joint"
    )
    constants = (LENGTH,)

    def printed(A, a, B, b, q1, q2, c, q3):
        """Evaluate (2.48) twice: for joints 2 and 3, and for joint 1 and these two."""
        one, two = ball_with_arm(A), hinge_and_screw(a, B, b)
        S3, Q3 = np.append(c, np.zeros(3))[:, None], screw_pose(c, q3[0])
        inner = np.hstack([adjoint_to_2(Q3) @ pose_jacobian(two, q2), S3])
        return np.hstack([adjoint_to_2(two(q2) @ Q3) @ pose_jacobian(one, q1), inner])

    def library(A, a, B, b, q1, q2, c, q3):
        one, two, _ = library_joints(A, a, B, b)
        return Composite(one, Composite(two, Revolute(c))).motion_subspace(np.concatenate([q1, q2, q3]))

    def reference(A, a, B, b, q1, q2, c, q3):
        """Compare with complex steps of the product of the three poses."""
        pair = joint_pair(A, a, B, b)
        return pose_jacobian(
            lambda q: pair(q[..., :5]) @ screw_pose(c, q[..., 5]), np.concatenate([q1, q2, q3])
        )

    implements = Composite


# ------------------------------------------------------------------------------------------------------------
# Rates of the adjoint and of the Jacobian of two joints in series.


def ad_matrix(twist):
    """Return the matrix ad, column by column."""
    return np.stack([commutator(twist, unit) for unit in np.eye(6)], axis=-1)


@section.holds("e2.49", "Rate of the left block, by the product rule")
class e2_49:
    formula = (
        r"\tfrac d{dt}({}^2_1\mathrm{Ad}\,S_1) = {}^2_1\dot{\mathrm{Ad}}\,S_1 + {}^2_1\mathrm{Ad}\,\dot S_1"
    )
    inputs = MOTION
    result = Result(
        matrix_quantity(TWIST, NUMBER), "a column for each coordinate, in the frame of the last joint"
    )
    constants = (LENGTH,)

    def printed(A, a, B, b, q1, q2, v1, v2):
        one, two = ball_with_arm(A), hinge_and_screw(a, B, b)
        Ad, Ad_dot = adjoint_to_2(two(q2)), inverse_adjoint_rate(two, q2, v2)
        return Ad_dot @ pose_jacobian(one, q1) + Ad @ pose_jacobian_rate(one, q1, v1)

    def library(A, a, B, b, q1, q2, v1, v2):
        return Sdot_library(A, a, B, b, q1, q2, v1, v2)[:, :3]

    def reference(A, a, B, b, q1, q2, v1, v2):
        """Compare with differences of the Jacobian of the product of the two poses along the motion."""
        return Sdot_reference(A, a, B, b, q1, q2, v1, v2)[:, :3]

    implements = Composite


@section.holds("t982", "Adjoint from parent to child, as the inverse of the adjoint that the joint stores")
class t982:
    formula = r"{}^2_1\mathrm{Ad} = {}^1_2\mathrm{Ad}^{-1}"
    inputs = PAIR
    result = Result(ADJOINT, "takes twists of joint 1 to the frame that joint 2 moves")
    constants = (LENGTH,)

    def printed(A, a, B, b, q1, q2):
        return np.linalg.inv(adjoint_by_conjugation(hinge_and_screw(a, B, b)(q2)))

    def library(A, a, B, b, q1, q2):
        return se3.Ad(se3.inverse(library_joints(A, a, B, b)[1].transform(q2)))

    def reference(A, a, B, b, q1, q2):
        """Compare with the conjugation of 4 x 4 twist matrices with the inverse pose."""
        return adjoint_to_2(hinge_and_screw(a, B, b)(q2))

    implements = (se3.inverse, se3.Ad)


def Ad_dot_library(A, a, B, b, q1, q2, v1, v2):
    two = library_joints(A, a, B, b)[1]
    return se3.Ad_inverse_dot(two.transform(q2), two.motion_subspace(q2) @ v2)


def Ad_dot_reference(A, a, B, b, q1, q2, v1, v2):
    """Compare with differences of the adjoint along the motion, each by conjugation with the inverse pose."""
    return inverse_adjoint_rate(hinge_and_screw(a, B, b), q2, v2)


@section.holds("e2.50#a", "Rate of the adjoint as the rate of an inverse")
class e2_50_a:
    formula = r"{}^2_1\dot{\mathrm{Ad}} = -{}^2_1\mathrm{Ad}\,{}^1_2\dot{\mathrm{Ad}}\,{}^2_1\mathrm{Ad}"
    inputs = MOTION
    result = Result(ADJOINT / TIME, "takes twists of joint 1 to the frame that joint 2 moves")
    constants = (LENGTH,)

    def printed(A, a, B, b, q1, q2, v1, v2):
        two = hinge_and_screw(a, B, b)
        Ad = adjoint_to_2(two(q2))
        return -Ad @ adjoint_rate(two, q2, v2) @ Ad

    library = Ad_dot_library
    reference = Ad_dot_reference
    implements = se3.Ad_inverse_dot


@section.holds("e2.50#b", "Rate of the adjoint from parent to child, with (1.19) substituted")
class e2_50_b:
    formula = r"{}^2_1\dot{\mathrm{Ad}} = -{}^2_1\mathrm{Ad}\,{}^1_2\mathrm{Ad}\,\mathrm{ad}({}^2\phi_2)\,{}^2_1\mathrm{Ad}"
    inputs = MOTION
    result = Result(ADJOINT / TIME, "takes twists of joint 1 to the frame that joint 2 moves")
    constants = (LENGTH,)

    def printed(A, a, B, b, q1, q2, v1, v2):
        two = hinge_and_screw(a, B, b)
        Ad, Ad_inverse = adjoint_to_2(two(q2)), adjoint_by_conjugation(two(q2))
        return -Ad @ Ad_inverse @ ad_matrix(pose_jacobian(two, q2) @ v2) @ Ad

    library = Ad_dot_library
    reference = Ad_dot_reference
    implements = se3.Ad_inverse_dot


@section.holds("e2.50#c", "Rate of the adjoint from parent to child")
class e2_50_c:
    formula = r"{}^2_1\dot{\mathrm{Ad}} = -\mathrm{ad}(S_2\dot q_2)\,{}^2_1\mathrm{Ad}"
    inputs = MOTION
    result = Result(ADJOINT / TIME, "takes twists of joint 1 to the frame that joint 2 moves")
    constants = (LENGTH,)

    def printed(A, a, B, b, q1, q2, v1, v2):
        two = hinge_and_screw(a, B, b)
        return -ad_matrix(pose_jacobian(two, q2) @ v2) @ adjoint_to_2(two(q2))

    library = Ad_dot_library
    reference = Ad_dot_reference
    implements = se3.Ad_inverse_dot


@section.erratum("e2.52", "Rate of the Jacobian of two joints in series")
class e2_52:
    page_2019 = Page(29, r"$\dot S_2$ as a block of its own, with a plus")
    page_2021 = Page(40, page_2019.content)
    formula = r"\dot S = \left(-\mathrm{ad}(S_2\dot q_2)\,{}^2_1\mathrm{Ad}\,S_1 + {}^2_1\mathrm{Ad}\,\dot S_1 - \dot S_2\right)"
    edits = (
        (r"\left(-\mathrm{ad}", r"\begin{pmatrix} -\mathrm{ad}"),
        (r"\dot S_1 - \dot S_2\right)", r"\dot S_1 & \dot S_2 \end{pmatrix}"),
    )
    inputs = MOTION
    result = Result(
        matrix_quantity(TWIST, NUMBER), "a column for each coordinate, in the frame of the last joint"
    )
    constants = (LENGTH,)

    def printed(A, a, B, b, q1, q2, v1, v2):
        """Evaluate with the second block as in (2.48), and the sign in front of it."""
        one, two = ball_with_arm(A), hinge_and_screw(a, B, b)
        Ad = adjoint_to_2(two(q2))
        rotation_term = -ad_matrix(pose_jacobian(two, q2) @ v2) @ Ad @ pose_jacobian(one, q1)
        return np.hstack(
            [rotation_term + Ad @ pose_jacobian_rate(one, q1, v1), -pose_jacobian_rate(two, q2, v2)]
        )

    library = Sdot_library
    reference = Sdot_reference
    correction = (
        r"$\dot S = \begin{pmatrix} -\mathrm{ad}(S_2\dot q_2)\,{}^2_1\mathrm{Ad}\,S_1 + "
        r"{}^2_1\mathrm{Ad}\,\dot S_1 & \dot S_2 \end{pmatrix}$: a separate block, with a plus sign"
    )
    remark = "A difference has $n_1$ columns instead of $n_1+n_2$, and exists only if $n_1 = n_2$."
    implements = Composite
