"""Sueda 2.4.9: rates of the adjoint and of the Jacobian of two joints in a row."""

from __future__ import annotations

import numpy as np

from rbnotes import se3
from rbnotes.ledger.claims.sueda.section_2_4_9 import (
    CHAPTER,
    COMPOSITE,
    MOVING,
    PAIR,
    Sdot_library,
    Sdot_reference,
    model,
    seen_from_2,
)
from rbnotes.ledger.oracles.joint_pairs import (
    adjoint_rate,
    ball_with_arm,
    hinge_and_screw,
    inverse_adjoint_rate,
)
from rbnotes.ledger.oracles.pose_products import pose_jacobian, pose_jacobian_rate
from rbnotes.ledger.oracles.twists import adjoint_by_conjugation, commutator
from rbnotes.ledger.quantities import ADJOINT, LENGTH, NUMBER, POSE, RATE, TIME, TWIST, matrix_quantity
from rbnotes.ledger.record import Verdict, claim

QUANTITIES = {
    "A": POSE,
    "B": POSE,
    "a": NUMBER,
    "b": NUMBER,
    "q1": NUMBER,
    "q2": NUMBER,
    "v1": RATE,
    "v2": RATE,
}


def bracket_of(twist):
    """The matrix ad, column by column."""
    return np.stack([commutator(twist, unit) for unit in np.eye(6)], axis=-1)


@claim("sueda/s2.4.9/e2.49", "The rate of the left block, by the product rule")
class e2_49:
    formula = (
        r"\tfrac d{dt}({}^2_1\mathrm{Ad}\,S_1) = {}^2_1\dot{\mathrm{Ad}}\,S_1 + {}^2_1\mathrm{Ad}\,\dot S_1"
    )
    inputs = MOVING
    result = matrix_quantity(TWIST, NUMBER)
    constants = (LENGTH,)

    def printed(A, a, B, b, q1, q2, v1, v2):
        one, two = ball_with_arm(A), hinge_and_screw(a, B, b)
        Ad, Ad_dot = seen_from_2(two(q2)), inverse_adjoint_rate(two, q2, v2)
        return Ad_dot @ pose_jacobian(one, q1) + Ad @ pose_jacobian_rate(one, q1, v1)

    def library(A, a, B, b, q1, q2, v1, v2):
        return Sdot_library(A, a, B, b, q1, q2, v1, v2)[:, :3]

    oracle = "differences of the Jacobian of the product of the two poses along the motion"

    def reference(A, a, B, b, q1, q2, v1, v2):
        return Sdot_reference(A, a, B, b, q1, q2, v1, v2)[:, :3]

    verdict = Verdict.HOLDS
    implemented_by = COMPOSITE
    chapter = CHAPTER


@claim("sueda/s2.4.9/t982", "Parent seen from child: the inverse of what the joint stores")
class t982:
    formula = r"{}^2_1\mathrm{Ad} = {}^1_2\mathrm{Ad}^{-1}"
    inputs = PAIR
    result = ADJOINT
    constants = (LENGTH,)

    def printed(A, a, B, b, q1, q2):
        return np.linalg.inv(adjoint_by_conjugation(hinge_and_screw(a, B, b)(q2)))

    def library(A, a, B, b, q1, q2):
        return se3.Ad(se3.inverse(model(A, a, B, b)[1].transform(q2)))

    oracle = "conjugation of 4 x 4 twist matrices with the inverse pose"

    def reference(A, a, B, b, q1, q2):
        return seen_from_2(hinge_and_screw(a, B, b)(q2))

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.se3.inverse", "rbnotes.se3.Ad")
    chapter = CHAPTER


def Ad_dot_library(A, a, B, b, q1, q2, v1, v2):
    two = model(A, a, B, b)[1]
    return se3.Ad_inverse_dot(two.transform(q2), two.motion_subspace(q2) @ v2)


def Ad_dot_reference(A, a, B, b, q1, q2, v1, v2):
    return inverse_adjoint_rate(hinge_and_screw(a, B, b), q2, v2)


ALONG_THE_MOTION = "differences of the adjoint along the motion, each by conjugation with the inverse pose"


AD_DOT = ("rbnotes.se3.Ad_inverse_dot",)


@claim("sueda/s2.4.9/e2.50#a", "Rate of the adjoint as the rate of an inverse")
class e2_50_a:
    formula = r"{}^2_1\dot{\mathrm{Ad}} = -{}^2_1\mathrm{Ad}\,{}^1_2\dot{\mathrm{Ad}}\,{}^2_1\mathrm{Ad}"
    inputs = MOVING
    result = ADJOINT / TIME
    constants = (LENGTH,)

    def printed(A, a, B, b, q1, q2, v1, v2):
        two = hinge_and_screw(a, B, b)
        Ad = seen_from_2(two(q2))
        return -Ad @ adjoint_rate(two, q2, v2) @ Ad

    library = Ad_dot_library
    oracle = ALONG_THE_MOTION
    reference = Ad_dot_reference
    verdict = Verdict.HOLDS
    implemented_by = AD_DOT
    chapter = CHAPTER


@claim("sueda/s2.4.9/e2.50#b", "The same with the rate of the adjoint from (1.19)")
class e2_50_b:
    formula = (
        r"{}^2_1\dot{\mathrm{Ad}} = -{}^2_1\mathrm{Ad}\,{}^1_2\mathrm{Ad}\,\mathrm{ad}({}^2\phi_2)\,"
        r"{}^2_1\mathrm{Ad}"
    )
    inputs = MOVING
    result = ADJOINT / TIME
    constants = (LENGTH,)

    def printed(A, a, B, b, q1, q2, v1, v2):
        two = hinge_and_screw(a, B, b)
        back, there = seen_from_2(two(q2)), adjoint_by_conjugation(two(q2))
        return -back @ there @ bracket_of(pose_jacobian(two, q2) @ v2) @ back

    library = Ad_dot_library
    oracle = ALONG_THE_MOTION
    reference = Ad_dot_reference
    equivalent_mutants = {
        "swapped operands in `-back @ there`": "the two adjoints are each other's inverse",
        "swapped operands in `-back @ there @ bracket_of(pose_jacobian(two, q2) @ v2)`": "the first two are one",
    }
    verdict = Verdict.HOLDS
    implemented_by = AD_DOT
    chapter = CHAPTER


@claim("sueda/s2.4.9/e2.50#c", "The rate of the adjoint from parent to child")
class e2_50_c:
    formula = r"{}^2_1\dot{\mathrm{Ad}} = -\mathrm{ad}(S_2\dot q_2)\,{}^2_1\mathrm{Ad}"
    inputs = MOVING
    result = ADJOINT / TIME
    constants = (LENGTH,)

    def printed(A, a, B, b, q1, q2, v1, v2):
        two = hinge_and_screw(a, B, b)
        return -bracket_of(pose_jacobian(two, q2) @ v2) @ seen_from_2(two(q2))

    library = Ad_dot_library
    oracle = ALONG_THE_MOTION
    reference = Ad_dot_reference
    verdict = Verdict.HOLDS
    implemented_by = AD_DOT
    chapter = CHAPTER


@claim("sueda/s2.4.9/e2.52", "Rate of the Jacobian of two joints in a row")
class e2_52:
    formula = (
        r"\dot S = \left(-\mathrm{ad}(S_2\dot q_2)\,{}^2_1\mathrm{Ad}\,S_1 + {}^2_1\mathrm{Ad}\,\dot S_1 - "
        r"\dot S_2\right)"
    )
    inputs = MOVING
    result = matrix_quantity(TWIST, NUMBER)
    constants = (LENGTH,)

    def printed(A, a, B, b, q1, q2, v1, v2):
        """With the second block where (2.48) has it, and the sign in front of it."""
        one, two = ball_with_arm(A), hinge_and_screw(a, B, b)
        Ad = seen_from_2(two(q2))
        turning = -bracket_of(pose_jacobian(two, q2) @ v2) @ Ad @ pose_jacobian(one, q1)
        return np.hstack([turning + Ad @ pose_jacobian_rate(one, q1, v1), -pose_jacobian_rate(two, q2, v2)])

    library = Sdot_library
    oracle = "differences of the Jacobian of the product of the two poses along the motion"
    reference = Sdot_reference
    verdict = Verdict.ERRATUM
    scan = True
    correction = (
        r"$\dot S = \begin{pmatrix} -\mathrm{ad}(S_2\dot q_2)\,{}^2_1\mathrm{Ad}\,S_1 + "
        r"{}^2_1\mathrm{Ad}\,\dot S_1 & \dot S_2 \end{pmatrix}$: a block of its own, with a plus"
    )
    remark = r"Read as a difference, it has $n_1$ columns instead of $n_1+n_2$, and no value at all unless $n_1 = n_2$."
    implemented_by = COMPOSITE
    chapter = CHAPTER
