"""Lloyd 0.5: constraint satisfaction as projection."""

from __future__ import annotations

import numpy as np

from rbnotes.arguments import Array
from rbnotes.checking import derivative
from rbnotes.checking.strategies import full_rank_matrices, matrices, spd_matrices, vectors
from rbnotes.constraints import (
    constrained_force,
    constrained_velocity,
    force_projection,
    kkt_inverse,
    velocity_projection,
)
from rbnotes.ledger.oracles.systems import constrained_system
from rbnotes.ledger.record import Verdict, claim

CHAPTER = "constraints-and-kkt"
N, K = 4, 2
SYSTEM = {"M": spd_matrices(N), "G": full_rank_matrices(K, N)}
FORCED = {**SYSTEM, "f": vectors(N)}
MOVING = {**SYSTEM, "v": vectors(N)}
IDENTITY = np.eye(N)


def admissible(G: Array) -> Array:
    """Columns that span the v with ``G v = 0``."""
    return np.linalg.svd(G)[2][len(G) :].T


def nearest_velocity(M: Array, G: Array, v: Array) -> Array:
    """The admissible velocity nearest to v in kinetic energy, by least squares."""
    Z, root = admissible(G), np.linalg.cholesky(M).T
    return Z @ np.linalg.lstsq(root @ Z, root @ v, rcond=None)[0]


def constrained_acceleration(M: Array, G: Array, f: Array) -> Array:
    """Gauss's principle: the admissible acceleration nearest to the free one, weighted with the masses."""
    return nearest_velocity(M, G, np.linalg.solve(M, f))


def tangent_velocity(G: Array, v: Array) -> Array:
    return v - np.linalg.pinv(G) @ (G @ v)


def symmetric(strategy):
    return strategy.map(lambda A: A + A.T)


def range_reference(M, G, f):
    return M @ constrained_acceleration(M, G, f) - f


def force_reference(M, G, f):
    return M @ constrained_acceleration(M, G, f)


def P_f(M, G):
    Mi = np.linalg.inv(M)
    return IDENTITY - G.T @ np.linalg.inv(G @ Mi @ G.T) @ G @ Mi


def P_v(M, G):
    Mi = np.linalg.inv(M)
    return IDENTITY - Mi @ G.T @ np.linalg.inv(G @ Mi @ G.T) @ G


def velocity_projection_reference(M, G):
    return np.stack([nearest_velocity(M, G, unit) for unit in IDENTITY], axis=1)


@claim("lloyd/s0.5/d1", "Constraints on velocity and acceleration")
class d1:
    formula = r"\mathbf G\dot{\mathbf x} = 0 \quad\text{and}\quad \mathbf G\ddot{\mathbf x} = 0"
    inputs = {
        "M": spd_matrices(3),
        "G": full_rank_matrices(1, 3),
        "H": symmetric(matrices(3, 3)),
        "v": vectors(3),
        "f": vectors(3),
    }

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
        v = tangent_velocity(G, v)

        def drift(t: float) -> Array:
            return (G + (H @ (v * t))[None]) @ v

        Z, particular = admissible(G), np.linalg.pinv(G) @ -derivative(drift).value
        return particular + Z @ np.linalg.solve(Z.T @ M @ Z, Z.T @ (f - M @ particular))

    tolerance = 1e-07
    verdict = Verdict.CONDITIONAL
    given = {
        "M": spd_matrices(3),
        "G": full_rank_matrices(1, 3),
        "H": vectors(1).map(lambda _: np.zeros((3, 3))),
        "v": vectors(3),
        "f": vectors(3),
    }
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

    def printed(M, G, f):
        """The nearest that some multipliers come to the constraint force."""
        multipliers = np.linalg.pinv(G.T) @ range_reference(M, G, f)
        return G.T @ multipliers

    def library(M, G, f):
        return constrained_force(M, G, f)[0] - f

    oracle = "the force that Gauss's principle of least constraint asks for, by least squares"
    reference = range_reference
    verdict = Verdict.HOLDS
    remark = "They do no work on motions that the constraints allow; friction is another matter."
    implemented_by = ("rbnotes.constraints.constrained_force",)
    chapter = CHAPTER


@claim("lloyd/s0.5/d2", "Acceleration along the constraints under constraint forces")
class d2:
    formula = (
        r"\mathbf G\ddot{\mathbf x} = \mathbf G\mathbf M^{-1}(\mathbf f_x + \mathbf G^T\boldsymbol\lambda)"
    )
    inputs = {**FORCED, "multipliers": vectors(K)}

    def printed(M, G, f, multipliers):
        return G @ np.linalg.inv(M) @ (f + G.T @ multipliers)

    def library(M, G, f, multipliers):
        """The multipliers that the library needs to give that acceleration are the given ones."""
        wanted = G @ np.linalg.solve(M, f + sum(m * row for m, row in zip(multipliers, G, strict=True)))
        total, found = constrained_force(M, G, f, wanted)
        assert np.allclose(found, multipliers, atol=1e-7 * (1 + np.max(np.abs(found))))
        return G @ np.linalg.solve(M, total)

    oracle = "Newton's law with the constraint forces added one by one"

    def reference(M, G, f, multipliers):
        total = f + sum(m * row for m, row in zip(multipliers, G, strict=True))
        return np.array([row @ np.linalg.solve(M, total) for row in G])

    verdict = Verdict.HOLDS
    remark = "That it is zero for the right multipliers is the next display."
    implemented_by = ("rbnotes.constraints.constrained_force",)
    chapter = CHAPTER


@claim("lloyd/s0.5/d3", "Multipliers of the constraint forces")
class d3:
    formula = (
        r"\boldsymbol\lambda = -(\mathbf G\mathbf M^{-1}\mathbf G^T)^{-1}\mathbf G\mathbf M^{-1}\mathbf "
        r"f_x"
    )
    inputs = FORCED

    def printed(M, G, f):
        return -np.linalg.inv(G @ np.linalg.inv(M) @ G.T) @ G @ np.linalg.inv(M) @ f

    def library(M, G, f):
        return constrained_force(M, G, f)[1]

    oracle = (
        "Gauss's principle of least constraint by least squares; the force missing, as a sum of rows of G"
    )

    def reference(M, G, f):
        """What the constraints must add to f, written as a combination of the rows of G."""
        missing = M @ constrained_acceleration(M, G, f) - f
        return np.linalg.lstsq(np.stack(list(G), axis=1), missing, rcond=None)[0]

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

    def printed(M, G, f):
        Mi = np.linalg.inv(M)
        return f - G.T @ np.linalg.inv(G @ Mi @ G.T) @ G @ Mi @ f

    def library(M, G, f):
        return constrained_force(M, G, f)[0]

    oracle = "mass times the acceleration of Gauss's principle of least constraint, by least squares"
    reference = force_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.constraints.constrained_force",)
    chapter = CHAPTER


@claim("lloyd/s0.5/d5", "Total force as a projection of the applied one")
class d5:
    formula = r"\mathbf f = \mathbf P_f\mathbf f_x"
    inputs = FORCED

    def printed(M, G, f):
        return P_f(M, G) @ f

    def library(M, G, f):
        return force_projection(M, G) @ f

    oracle = "mass times the acceleration of Gauss's principle of least constraint, by least squares"
    reference = force_reference
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
    printed = P_f

    def library(M, G):
        return force_projection(M, G)

    oracle = "the total force for each unit force, by Gauss's principle of least constraint"

    def reference(M, G):
        return np.stack([force_reference(M, G, unit) for unit in IDENTITY], axis=1)

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.constraints.force_projection",)
    chapter = CHAPTER


@claim("lloyd/s0.5/t126", "The impulse that satisfies velocity constraints")
class t126:
    formula = r"\text{impulse } \mathbf M^{-1}\mathbf G^T\boldsymbol\lambda"
    inputs = MOVING

    def printed(M, G, v):
        Mi = np.linalg.inv(M)
        multipliers = np.linalg.inv(G @ Mi @ G.T) @ (0.0 - G @ v)
        return Mi @ G.T @ multipliers

    def library(M, G, v):
        return G.T @ constrained_velocity(M, G, v)[1]

    oracle = "change of momentum to the nearest admissible velocity in kinetic energy, by least squares"

    def reference(M, G, v):
        return M @ nearest_velocity(M, G, v) - M @ v

    verdict = Verdict.ERRATUM
    correction = (
        r"The impulse is $\mathbf G^T\boldsymbol\lambda$; $\mathbf M^{-1}\mathbf G^T\boldsymbol\lambda$ "
        r"is the change of velocity that it makes, as the display that follows has it."
    )
    implemented_by = ("rbnotes.constraints.constrained_velocity",)
    chapter = CHAPTER


@claim("lloyd/s0.5/d7", "Velocity after the constraint impulse")
class d7:
    formula = (
        r"\dot{\mathbf x}' = \dot{\mathbf x} - \mathbf M^{-1}\mathbf G^T(\mathbf G\mathbf M^{-1}\mathbf "
        r"G^T)^{-1}\mathbf G\dot{\mathbf x}"
    )
    inputs = MOVING

    def printed(M, G, v):
        Mi = np.linalg.inv(M)
        return v - Mi @ G.T @ np.linalg.inv(G @ Mi @ G.T) @ G @ v

    def library(M, G, v):
        return constrained_velocity(M, G, v)[0]

    oracle = "the nearest admissible velocity in kinetic energy, by least squares"
    reference = nearest_velocity
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.constraints.constrained_velocity",)
    chapter = CHAPTER


@claim("lloyd/s0.5/d8", "Velocity after the constraint impulse as a projection")
class d8:
    formula = r"\dot{\mathbf x}' = \mathbf P_v\dot{\mathbf x}"
    inputs = MOVING

    def printed(M, G, v):
        return P_v(M, G) @ v

    def library(M, G, v):
        return velocity_projection(M, G) @ v

    oracle = "the nearest admissible velocity in kinetic energy, by least squares"
    reference = nearest_velocity
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.constraints.velocity_projection",)
    chapter = CHAPTER


@claim("lloyd/s0.5/d9", "Projection of velocities")
class d9:
    formula = (
        r"\mathbf P_v \equiv \mathbf I - \mathbf M^{-1}\mathbf G^T(\mathbf G\mathbf M^{-1}\mathbf "
        r"G^T)^{-1}\mathbf G"
    )
    inputs = SYSTEM
    printed = P_v

    def library(M, G):
        return velocity_projection(M, G)

    oracle = "the nearest admissible velocity to each unit velocity, by least squares"
    reference = velocity_projection_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.constraints.velocity_projection",)
    chapter = CHAPTER


@claim("lloyd/s0.5/d10", "The projections are each other's transpose")
class d10:
    formula = r"\mathbf P_v = \mathbf P_f^T"
    inputs = SYSTEM

    def printed(M, G):
        Mi = np.linalg.inv(M)
        return (IDENTITY - G.T @ np.linalg.inv(G @ Mi @ G.T) @ G @ Mi).T

    def library(M, G):
        return force_projection(M, G).T

    oracle = "the nearest admissible velocity to each unit velocity, by least squares"
    reference = velocity_projection_reference
    verdict = Verdict.HOLDS
    implemented_by = (
        "rbnotes.constraints.force_projection",
        "rbnotes.constraints.velocity_projection",
    )
    chapter = CHAPTER


@claim("lloyd/s0.5/d11", "Block inverse of the KKT matrix")
class d11:
    formula = (
        r"\begin{pmatrix} \mathbf M & -\mathbf G^T \\"
        r" \mathbf G & 0 \end{pmatrix}^{-1} "
        r"= \begin{pmatrix} \mathbf M^{-1}\mathbf P_f & \mathbf M^{-1}\mathbf G^T\mathbf S^{-1} \\"
        r" -\mathbf S^{-1}\mathbf G\mathbf M^{-1} & \mathbf S^{-1} \end{pmatrix},\quad \mathbf S "
        r"= \mathbf G\mathbf M^{-1}\mathbf G^T"
    )
    inputs = SYSTEM

    def printed(M, G):
        Mi = np.linalg.inv(M)
        S = G @ Mi @ G.T
        Pf = IDENTITY - G.T @ np.linalg.inv(S) @ G @ Mi
        return np.block(
            [[Mi @ Pf, Mi @ G.T @ np.linalg.inv(S)], [-np.linalg.inv(S) @ G @ Mi, np.linalg.inv(S)]]
        )

    def library(M, G):
        return kkt_inverse(M, G)

    oracle = "the whole system solved for each unit right side by elimination"

    def reference(M, G):
        units = np.eye(N + K)
        return np.stack([np.concatenate(constrained_system(M, G, u[:N], u[N:])) for u in units], axis=1)

    tolerance = 1e-08
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.constraints.kkt_inverse",)
    chapter = CHAPTER
