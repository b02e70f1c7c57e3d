"""Lloyd 0.5: constraint satisfaction as projection, forces."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rbnotes.arguments import Array
from rbnotes.constraints import constrained_force, force_projection
from rbnotes.ledger.oracles.constrained_systems import least_constraint, least_squares_multipliers
from rbnotes.ledger.quantities import ACCELERATION, FORCE, LENGTH, NUMBER
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing import derivative
from rbnotes.testing.strategies import full_rank_matrices, matrices, spd_matrices, vectors

CHAPTER = "constraints-and-kkt"
N, K = 4, 2
SYSTEM = {"M": spd_matrices(N), "G": full_rank_matrices(K, N)}
FORCED = {**SYSTEM, "f": vectors(N)}
IDENTITY = np.eye(N)
# One row that turns along the motion, as G + (H x)^T.
TURNING = {
    "M": spd_matrices(3),
    "G": full_rank_matrices(1, 3),
    "H": matrices(3, 3).map(lambda A: A + A.T),
    "v": vectors(3),
    "f": vectors(3),
}


QUANTITIES = {"H": NUMBER / LENGTH}


def tangent_velocity(G: Array, v: Array) -> Array:
    return v - np.linalg.pinv(G) @ (G @ v)


def keeps_its_rows(M, G, H, v, f):
    """Whether the row does not change along the tangent."""
    along = np.cross(G[0], np.cross(v, G[0]))
    return abs(along @ H @ along) <= 1e-12


def P_f(M, G):
    Mi = np.linalg.inv(M)
    return IDENTITY - G.T @ np.linalg.inv(G @ Mi @ G.T) @ G @ Mi


@claim("lloyd/s0.5/d1", "Constraints on velocity and acceleration")
class d1:
    formula = r"\mathbf G\dot{\mathbf x} = 0 \quad\text{and}\quad \mathbf G\ddot{\mathbf x} = 0"
    inputs = TURNING
    result = ACCELERATION

    def printed(M, G, H, v, f):
        """The constraint force is such that ``G a = 0``."""
        Mi = np.linalg.inv(M)
        multiplier = np.linalg.inv(G @ Mi @ G.T) @ (0.0 - G @ Mi @ f)
        return Mi @ (f + G.T @ multiplier)

    def library(M, G, H, v, f):
        v = tangent_velocity(G, v)
        return np.linalg.solve(M, constrained_force(M, G, f, -v[None] @ H @ v)[0])

    oracle = "acceleration that keeps G v = 0 along the motion, the change of G by numerical differentiation"

    def reference(M, G, H, v, f):
        """The normal changes as ``G + (H x)^T``; ``G v = 0`` has to stay true along the motion."""
        v = v - (G[0] @ v) / (G[0] @ G[0]) * G[0]

        def drift(t: float) -> Array:
            return (G + (H @ (v * t))[None]) @ v

        Z, particular = np.linalg.svd(G)[2][1:].T, np.linalg.pinv(G) @ -derivative(drift).value
        return particular + Z @ np.linalg.solve(Z.T @ M @ Z, Z.T @ (f - M @ particular))

    verdict = Verdict.CONDITIONAL
    given = {**TURNING, "H": st.just(np.zeros((3, 3)))}
    special = {"H": "second derivatives of a constraint: symmetric"}
    holds_when = keeps_its_rows
    condition = (
        r"$\mathbf G$ does not change along the motion. If it does, $\mathbf G\dot{\mathbf x} = 0$ at all "
        r"times asks for $\mathbf G\ddot{\mathbf x} = -\dot{\mathbf G}\dot{\mathbf x}$."
    )
    remark = (
        r"A bead on a rail: with $\mathbf G\ddot{\mathbf x} = 0$ it leaves every bend on the tangent, "
        r"since the centripetal force is missing."
    )
    implemented_by = ("rbnotes.constraints.constrained_force",)
    chapter = CHAPTER


@claim("lloyd/s0.5/t106", "Constraint forces lie in the range of G^T")
class t106:
    formula = r"\mathbf f - \mathbf f_x \in \operatorname{range}\mathbf G^T"
    inputs = FORCED
    result = FORCE

    def printed(M, G, f):
        """The force in the range of G^T that leaves no acceleration across the constraints."""
        Mi = np.linalg.inv(M)
        return G.T @ np.linalg.solve(G @ Mi @ G.T, -G @ Mi @ f)

    def library(M, G, f):
        return constrained_force(M, G, f)[0] - f

    oracle = "the force that Gauss's principle of least constraint asks for, by least squares"

    def reference(M, G, f):
        return least_constraint(M, G, f) - f

    verdict = Verdict.HOLDS
    remark = "They do no work on motions that the constraints allow; friction is another matter."
    implemented_by = ("rbnotes.constraints.constrained_force",)
    chapter = CHAPTER


@claim("lloyd/s0.5/d2", "Constraint forces are such that no acceleration across the constraints is left")
class d2:
    formula = (
        r"\mathbf G\ddot{\mathbf x}"
        r" = \mathbf G\mathbf M^{-1}(\mathbf f_x + \mathbf G^T\boldsymbol\lambda) = 0"
    )
    inputs = FORCED
    result = FORCE

    def printed(M, G, f):
        """The multipliers at which the printed expression, affine in them, is zero."""
        Mi = np.linalg.inv(M)

        def across(multipliers):
            return G @ Mi @ (f + G.T @ multipliers)

        at_none = across(np.zeros(K))
        answers = np.stack([across(unit) - at_none for unit in np.eye(K)], axis=1)
        return np.linalg.solve(answers, -at_none)

    def library(M, G, f):
        return constrained_force(M, G, f)[1]

    oracle = (
        "Gauss's principle of least constraint by least squares; the force missing, as a sum of rows of G"
    )

    def reference(M, G, f):
        return least_squares_multipliers(least_constraint(M, G, f) - f, G)

    verdict = Verdict.HOLDS
    remark = "Under the premise of the display before, that the rows do not change along the motion."
    implemented_by = ("rbnotes.constraints.constrained_force",)
    chapter = CHAPTER


@claim("lloyd/s0.5/d3", "Multipliers of the constraint forces")
class d3:
    formula = (
        r"\boldsymbol\lambda = -(\mathbf G\mathbf M^{-1}\mathbf G^T)^{-1}\mathbf G\mathbf M^{-1}\mathbf "
        r"f_x"
    )
    inputs = FORCED
    result = FORCE

    def printed(M, G, f):
        return -np.linalg.inv(G @ np.linalg.inv(M) @ G.T) @ G @ np.linalg.inv(M) @ f

    def library(M, G, f):
        return constrained_force(M, G, f)[1]

    oracle = (
        "Gauss's principle of least constraint by least squares; the force missing, as a sum of rows of G"
    )

    def reference(M, G, f):
        """What the constraints must add to f, written as a combination of the rows of G."""
        return least_squares_multipliers(least_constraint(M, G, f) - f, G)

    tolerance = 1e-08
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.constraints.constrained_force",)
    chapter = CHAPTER


@claim("lloyd/s0.5/d4", "Total force under constraints")
class d4:
    formula = (
        r"\mathbf f = \mathbf f_x - \mathbf G^T(\mathbf G\mathbf M^{-1}\mathbf G^T)^{-1}\mathbf G\mathbf "
        r"M^{-1}\mathbf f_x"
    )
    inputs = FORCED
    result = FORCE

    def printed(M, G, f):
        Mi = np.linalg.inv(M)
        return f - G.T @ np.linalg.inv(G @ Mi @ G.T) @ G @ Mi @ f

    def library(M, G, f):
        return constrained_force(M, G, f)[0]

    oracle = "mass times the acceleration of Gauss's principle of least constraint, by least squares"
    reference = least_constraint
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.constraints.constrained_force",)
    chapter = CHAPTER


@claim("lloyd/s0.5/d5", "Total force as a projection of the applied one")
class d5:
    formula = r"\mathbf f = \mathbf P_f\mathbf f_x"
    inputs = FORCED
    result = FORCE

    def printed(M, G, f):
        return P_f(M, G) @ f

    def library(M, G, f):
        return force_projection(M, G) @ f

    oracle = "mass times the acceleration of Gauss's principle of least constraint, by least squares"
    reference = least_constraint
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.constraints.force_projection",)
    chapter = CHAPTER


@claim("lloyd/s0.5/d6", "Projection of forces")
class d6:
    formula = (
        r"\mathbf P_f \equiv \mathbf I - \mathbf G^T(\mathbf G\mathbf M^{-1}\mathbf G^T)^{-1}\mathbf "
        r"G\mathbf M^{-1}"
    )
    inputs = SYSTEM
    result = NUMBER
    printed = P_f

    def library(M, G):
        return force_projection(M, G)

    oracle = "the total force for each unit force, by Gauss's principle of least constraint"

    def reference(M, G):
        return np.stack([least_constraint(M, G, unit) for unit in IDENTITY], axis=1)

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.constraints.force_projection",)
    chapter = CHAPTER
