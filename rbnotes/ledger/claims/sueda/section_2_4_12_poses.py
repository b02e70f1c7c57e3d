"""Sueda 2.4.12: splines of control frames and Algorithm 3, with poses whose steps fly for part of a second."""

from __future__ import annotations

import numpy as np
from scipy.linalg import expm

from rbnotes.joints import SplineCurve
from rbnotes.ledger.oracles import complex_steps
from rbnotes.ledger.oracles.pose_products import (
    derivative_along_motion,
    pose_jacobian,
    pose_jacobian_derivative,
    random_poses,
)
from rbnotes.ledger.oracles.spline_poses import frame_twists, spline_curve
from rbnotes.ledger.oracles.twists import adjoint_by_conjugation, commutator, twist_matrix
from rbnotes.ledger.quantities import POSE, SCREW, TWIST
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing.strategies import numbers

CHAPTER = "spline-joints"
CURVE = ("rbnotes.joints.SplineCurve",)
B = np.array([[1, -3, 3, -1], [4, 0, -6, 3], [1, 3, 3, -3], [0, 0, 0, 1]]) / 6
POSES = {"C": random_poses(4), "q": numbers(0.0, 1.0)}
MOVING = {**POSES, "qdot": numbers()}


QUANTITIES = {"C": POSE}


def through(C):
    """The joint on the segment of four control frames."""
    return SplineCurve(C, cyclic=False)


def cumulative(powers):
    """Cumulative basis functions 2, 3 and 4, or their derivatives, from the powers of q or theirs."""
    b = B @ powers
    return [b[1] + b[2] + b[3], b[2] + b[3], b[3]]


def pose_library(C, q):
    return through(C).transform([q])


def pose_reference(C, q):
    return spline_curve(C)(np.array([q]))


def S_library(C, q):
    return through(C).motion_subspace([q])[:, 0]


def S_reference(C, q):
    return pose_jacobian(spline_curve(C), np.array([q]))[:, 0]


FLYING = (
    "each step flown along its screw for part of a second, after Cox and de Boor's weights; its complex steps"
)


@claim("sueda/s2.4.12/e2.67", "The pose on a spline of control frames")
class e2_67:
    formula = (
        r"Q(q) = C_1\exp(\Delta C_2\tilde B_2(q))\exp(\Delta C_3\tilde B_3(q))\exp(\Delta C_4\tilde B_4(q)),\quad "
        r"\Delta C_i = \log(C_{i-1}^{-1}C_i)"
    )
    inputs = POSES
    result = POSE

    def printed(C, q):
        b2, b3, b4 = cumulative(np.array([1, q, q**2, q**3]))
        d2, d3, d4 = map(twist_matrix, frame_twists(C))
        return C[0] @ expm(d2 * b2) @ expm(d3 * b3) @ expm(d4 * b4)

    library = pose_library
    oracle = "each step flown along its screw for part of a second, after Cox and de Boor's weights"
    reference = pose_reference
    verdict = Verdict.HOLDS
    remark = r"Defined as long as neighbours are less than half a turn apart, so that the logarithm is the shortest way."
    implemented_by = CURVE
    chapter = CHAPTER


@claim("sueda/s2.4.12/t1070#a", "The Jacobian of a spline joint, with one bracket too many")
class t1070_a:
    formula = r"S = [Q^{-1}(\partial Q/\partial q)]"
    inputs = POSES
    result = SCREW

    def printed(C, q):
        """The matrix whose bracket is to be taken."""
        pose, at = spline_curve(C), np.array([q])
        return np.linalg.inv(pose(at)) @ complex_steps.partial_derivatives(pose, at)[0]

    library = S_library
    oracle = FLYING
    reference = S_reference
    verdict = Verdict.MISPRINT
    undefined = (
        "the bracket is that of a twist, and this is a 4 x 4 matrix already; the left side is a column of six"
    )
    correction = r"$[S] = Q^{-1}(\partial Q/\partial q)$: unbracket the right side, as in (2.29) and (2.44)."
    implemented_by = CURVE
    chapter = CHAPTER


@claim("sueda/s2.4.12/t1070#b", "The rate of the Jacobian, by the chain rule")
class t1070_b:
    formula = r"\dot S = (\partial S/\partial q)\,\dot q"
    inputs = MOVING
    result = TWIST

    def printed(C, q, qdot):
        return pose_jacobian_derivative(spline_curve(C), np.array([q]))[:, 0, 0] * qdot

    def library(C, q, qdot):
        return through(C).motion_subspace_rate([q], [qdot])[:, 0]

    oracle = "differences along the motion of the twists that complex steps of the pose give"

    def reference(C, q, qdot):
        def along(t):
            return pose_jacobian(spline_curve(C), q + t * qdot)

        return derivative_along_motion(along, np.zeros(1), np.ones(1))[:, 0]

    verdict = Verdict.HOLDS
    implemented_by = CURVE
    chapter = CHAPTER


@claim("sueda/s2.4.12/alg3#a", "Algorithm 3: the transform")
class alg3_a:
    formula = r"Q = C_1\exp(\Delta C_2\tilde B_2(q));\quad i = 3, 4:\ Q_i = \exp(\Delta C_i\tilde B_i(q)),\ Q = QQ_i"
    inputs = POSES
    result = POSE

    def printed(C, q):
        d, b = [twist_matrix(step) for step in frame_twists(C)], cumulative(np.array([1, q, q**2, q**3]))
        Q = C[0] @ expm(d[0] * b[0])
        for i in (1, 2):
            Qi = expm(d[i] * b[i])
            Q = Q @ Qi
        return Q

    library = pose_library
    oracle = "each step flown along its screw for part of a second, after Cox and de Boor's weights"
    reference = pose_reference
    verdict = Verdict.HOLDS
    implemented_by = CURVE
    chapter = CHAPTER


@claim("sueda/s2.4.12/alg3#b", "Algorithm 3: the Jacobian")
class alg3_b:
    formula = r"S = \Delta C_2\tilde B_2'(q);\quad i = 3, 4:\ S = \Delta C_i\tilde B_i'(q) + \mathrm{Ad}(Q_i^{-1})\,S"
    inputs = POSES
    result = SCREW

    def printed(C, q):
        d = frame_twists(C)
        b = cumulative(np.array([1, q, q**2, q**3]))
        b_slope = cumulative(np.array([0, 1, 2 * q, 3 * q**2]))
        S = d[0] * b_slope[0]
        for i in (1, 2):
            Ad = adjoint_by_conjugation(np.linalg.inv(expm(twist_matrix(d[i]) * b[i])))
            S = d[i] * b_slope[i] + Ad @ S
        return S

    library = S_library
    oracle = FLYING
    reference = S_reference
    verdict = Verdict.HOLDS
    remark = r"$\Delta C_i$ is a 4 x 4 matrix where it is exponentiated, and its twist, a column of six, where $S$ is."
    implemented_by = CURVE
    chapter = CHAPTER


@claim("sueda/s2.4.12/alg3#c", "Algorithm 3: the derivative of the Jacobian")
class alg3_c:
    formula = (
        r"\begin{aligned} \partial S/\partial q &= \Delta C_2\tilde B_2''(q);\quad\text{then, for }i = 3, 4: \\ "
        r"\partial S/\partial q &= \Delta C_i\tilde B_i''(q) + \mathrm{Ad}_i\left(\partial S/\partial q + \mathrm{ad}_i"
        r"\,\Delta C_i\tilde B_i(q)\right) \end{aligned}"
    )
    inputs = POSES
    result = SCREW

    def printed(C, q):
        """Line by line; S is still that of the round before in line 8, and no more in line 10."""
        d = frame_twists(C)
        b = cumulative(np.array([1, q, q**2, q**3]))
        b_slope = cumulative(np.array([0, 1, 2 * q, 3 * q**2]))
        b_bend = cumulative(np.array([0, 0, 2, 6 * q]))
        S, dS = d[0] * b_slope[0], d[0] * b_bend[0]
        for i in (1, 2):
            Ad = adjoint_by_conjugation(np.linalg.inv(expm(twist_matrix(d[i]) * b[i])))
            ad_step = commutator(S, d[i])
            S = d[i] * b_slope[i] + Ad @ S
            dS = d[i] * b_bend[i] + Ad @ (dS + ad_step * b[i])
        return dS

    def library(C, q):
        return through(C).motion_subspace_derivative([q])[:, 0, 0]

    oracle = "differences of order eight of the twists that complex steps of the pose give"

    def reference(C, q):
        return pose_jacobian_derivative(spline_curve(C), np.array([q]))[:, 0, 0]

    verdict = Verdict.ERRATUM
    scan = True
    correction = (
        r"$\mathrm{Ad}_i\,(\partial S/\partial q + \mathrm{ad}_i\,\Delta C_i\tilde B_i'(q))$ in line 10: with the "
        r"derivative of the basis function, as Algorithm 4 has it in its line 16."
    )
    remark = (
        r"$\mathrm{Ad}_i = \mathrm{Ad}(Q_i^{-1})$, $\mathrm{ad}_i = \mathrm{ad}(S)$. The term $\dot S\dot q$ of accelerations is "
        r"wrong wherever the steps do not commute."
    )
    implemented_by = CURVE
    chapter = CHAPTER
