"""Sueda 2.4.13: Algorithm 4, and the rate of a Jacobian with two columns."""

from __future__ import annotations

import numpy as np
from scipy.linalg import expm

from rbnotes.ledger.claims.sueda.section_2_4_13 import (
    AXES,
    BY_ANGLES,
    CHAPTER,
    MOVING,
    PATCH,
    SURFACE,
    curvature,
    over,
    pose_library,
    pose_reference,
    slope,
    value,
)
from rbnotes.ledger.oracles.pose_products import (
    derivative_along_motion,
    pose_jacobian,
    pose_jacobian_derivative,
)
from rbnotes.ledger.oracles.spline_poses import spline_surface
from rbnotes.ledger.oracles.twists import adjoint_by_conjugation, commutator, twist_matrix
from rbnotes.ledger.quantities import (
    LENGTH,
    LINEAR_FIRST_TWIST,
    NUMBER,
    POSE,
    RATE,
    SCREW,
    TIME,
    TWIST,
    matrix_quantity,
    stacked_quantity,
)
from rbnotes.ledger.record import Verdict, claim

COMPLEX_STEPS = BY_ANGLES + "; complex steps of the pose"
DIFFERENCES = "differences of order eight of the twists that complex steps of such a pose give"


QUANTITIES = {"P": LINEAR_FIRST_TWIST * TIME, "q1": NUMBER, "q2": NUMBER, "qdot": RATE}


def S_library(P, q1, q2):
    return over(P).motion_subspace([q1, q2])


def S_reference(P, q1, q2):
    return pose_jacobian(spline_surface(P), np.array([q1, q2]))


def dS_library(P, q1, q2):
    return over(P).motion_subspace_derivative([q1, q2])


def dS_reference(P, q1, q2):
    return pose_jacobian_derivative(spline_surface(P), np.array([q1, q2]))


def factor(k, P, q1, q2):
    """Q_k of Algorithm 4."""
    return expm(twist_matrix(AXES[k] * value(P[..., k], q1, q2)))


@claim("sueda/s2.4.13/t1108#a", "Sizes of the Jacobian and of its derivative")
class t1108_a:
    formula = r"S \in \mathbb R^{6\times2},\quad \partial S/\partial q \in \mathbb R^{6\times2\times2}"
    result = NUMBER

    def printed():
        return [6, 2, 6, 2, 2]

    def library():
        grid = np.zeros((4, 4, 6))
        return [*S_library(grid, 0.5, 0.5).shape, *dS_library(grid, 0.5, 0.5).shape]

    oracle = "sizes of what differences of a pose with two coordinates give"

    def reference():
        grid = np.zeros((4, 4, 6))
        return [*S_reference(grid, 0.5, 0.5).shape, *dS_reference(grid, 0.5, 0.5).shape]

    exact = "sizes are whole numbers"
    verdict = Verdict.HOLDS
    implemented_by = SURFACE
    chapter = CHAPTER


@claim("sueda/s2.4.13/t1108#b", "The rate of the Jacobian: the MATLAB line")
class t1108_b:
    formula = (
        r"\dot S = (\partial S/\partial q)\,\dot q:\ "
        r"\texttt{Sdot = dSdq(:,:,1)*qdot(1) + dSdq(:,:,2)*qdot(2)}"
    )
    inputs = MOVING
    result = matrix_quantity(TWIST, NUMBER)

    def printed(P, q1, q2, qdot):
        """With the layout of Algorithm 4: (:, i, j) is the derivative of column i by coordinate j."""
        dSdq = dS_reference(P, q1, q2)
        return dSdq[:, :, 0] * qdot[0] + dSdq[:, :, 1] * qdot[1]

    def library(P, q1, q2, qdot):
        return over(P).motion_subspace_rate([q1, q2], qdot)

    oracle = "differences of the Jacobian along the motion"

    def reference(P, q1, q2, qdot):
        def along(t):
            return pose_jacobian(spline_surface(P), np.array([q1, q2]) + t * qdot)

        return derivative_along_motion(along, np.zeros(1), np.ones(1))

    primitives = ("rbnotes.ledger.oracles.spline_poses.spline_surface",)
    verdict = Verdict.HOLDS
    remark = (
        r"The third index counts what is varied: $\partial S/\partial q$ is not symmetric in the last two, and "
        r"contracted over the other one it is wrong. It is a contraction, not a tensor product."
    )
    implemented_by = SURFACE
    chapter = CHAPTER


@claim("sueda/s2.4.13/alg4#a", "Algorithm 4: the transform")
class alg4_a:
    formula = r"Q = \exp(\hat e_1f(C_1, q));\quad k = 2, \ldots, 6:\ Q_k = \exp(\hat e_kf(C_k, q)),\ Q = QQ_k"
    inputs = PATCH
    result = POSE

    def printed(P, q1, q2):
        Q = factor(0, P, q1, q2)
        for k in (1, 2, 3, 4, 5):
            Qk = factor(k, P, q1, q2)
            Q = Q @ Qk
        return Q

    library = pose_library
    oracle = BY_ANGLES
    reference = pose_reference
    verdict = Verdict.HOLDS
    implemented_by = SURFACE
    chapter = CHAPTER


@claim("sueda/s2.4.13/alg4#b", "Algorithm 4: the Jacobian")
class alg4_b:
    formula = (
        r"S_i = \hat e_1\,\partial f_i(C_1, q);\quad k = 2, \ldots, 6:\ S_i = \hat e_k\,\partial f_i(C_k, q) + "
        r"\mathrm{Ad}(Q_k^{-1})\,S_i"
    )
    inputs = PATCH
    result = matrix_quantity(SCREW, NUMBER)

    def printed(P, q1, q2):
        S = np.outer(AXES[0], slope(P[..., 0], q1, q2))
        for k in (1, 2, 3, 4, 5):
            Ad = adjoint_by_conjugation(np.linalg.inv(factor(k, P, q1, q2)))
            slopes = slope(P[..., k], q1, q2)
            for i in (0, 1):
                S[:, i] = AXES[k] * slopes[i] + Ad @ S[:, i]
        return S

    library = S_library
    oracle = COMPLEX_STEPS
    reference = S_reference
    verdict = Verdict.HOLDS
    implemented_by = SURFACE
    chapter = CHAPTER


@claim("sueda/s2.4.13/alg4#c", "Algorithm 4: the derivative of the Jacobian")
class alg4_c:
    formula = (
        r"\partial S_{ij} = \hat e_1\,\partial^2f_{ij}(C_1, q);\quad k = 2, \ldots, 6:\ \partial S_{ij} = \hat e_k\,"
        r"\partial^2f_{ij}(C_k, q) + \mathrm{Ad}(Q_k^{-1})\left(\partial S_{ij} + \mathrm{ad}(S_i)\,\hat e_k\,"
        r"\partial f_j(C_k, q)\right)"
    )
    inputs = PATCH
    result = stacked_quantity(NUMBER, NUMBER, NUMBER, LENGTH, LENGTH, LENGTH)

    def printed(P, q1, q2):
        """With the S_i of the round before in ad_i, as line 13 stands before line 14."""
        S = np.outer(AXES[0], slope(P[..., 0], q1, q2))
        dS = AXES[0][:, None, None] * curvature(P[..., 0], q1, q2)
        for k in (1, 2, 3, 4, 5):
            Ad = adjoint_by_conjugation(np.linalg.inv(factor(k, P, q1, q2)))
            slopes, bends = slope(P[..., k], q1, q2), curvature(P[..., k], q1, q2)
            for i in (0, 1):
                ad_axis = commutator(S[:, i], AXES[k])
                S[:, i] = AXES[k] * slopes[i] + Ad @ S[:, i]
                for j in (0, 1):
                    dS[:, i, j] = AXES[k] * bends[i, j] + Ad @ (dS[:, i, j] + ad_axis * slopes[j])
        return dS

    library = dS_library
    oracle = DIFFERENCES
    reference = dS_reference
    equivalent_mutants = {"swapped indices in `bends[i, j]`": "mixed second derivatives of f are equal"}
    verdict = Verdict.HOLDS
    implemented_by = SURFACE
    chapter = CHAPTER
