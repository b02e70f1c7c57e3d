"""Lloyd 0.5: constraint satisfaction as projection, velocities and the whole system."""

from __future__ import annotations

import numpy as np

from rbnotes.constraints import constrained_velocity, force_projection, kkt_inverse, velocity_projection
from rbnotes.ledger.claims.lloyd.section_0_5 import CHAPTER, IDENTITY, SYSTEM, K, N
from rbnotes.ledger.oracles.constrained_systems import (
    constrained_system,
    least_constraint,
    project_velocity,
)
from rbnotes.ledger.quantities import MOMENTUM, NUMBER, VELOCITY, matrix_quantity, vector_quantity
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing.strategies import vectors

MOVING = {**SYSTEM, "v": vectors(N)}


def P_v(M, G):
    Mi = np.linalg.inv(M)
    return IDENTITY - Mi @ G.T @ np.linalg.inv(G @ Mi @ G.T) @ G


def velocity_projection_reference(M, G):
    return np.stack([project_velocity(M, G, unit) for unit in IDENTITY], axis=1)


@claim("lloyd/s0.5/t100", "Satisfying constraints is a projection")
class t100:
    formula = (
        r"\mathbf P_f\mathbf P_f = \mathbf P_f,\quad \mathbf P_v\mathbf P_v = \mathbf P_v"
        r"\qquad\text{(Constraint Satisfaction as Projection)}"
    )
    inputs = SYSTEM
    result = NUMBER

    def printed(M, G):
        Mi = np.linalg.inv(M)
        held = G.T @ np.linalg.inv(G @ Mi @ G.T) @ G
        Pf, Pv = IDENTITY - held @ Mi, IDENTITY - Mi @ held
        return np.array([Pf @ Pf, Pv @ Pv])

    def library(M, G):
        return np.array([force_projection(M, G), velocity_projection(M, G)])

    oracle = "the total force and the admissible velocity of each unit, by Gauss's principle, once"

    def reference(M, G):
        forces = [least_constraint(M, G, unit) for unit in IDENTITY]
        return np.array([np.stack(forces, axis=1), velocity_projection_reference(M, G)])

    equivalent_mutants = {
        "swapped operands in `IDENTITY - held @ Mi`": "the square of a matrix does not know its sign",
        "swapped operands in `IDENTITY - Mi @ held`": "the square of a matrix does not know its sign",
        "dropped factor `Pf` in `Pf @ Pf`": "that is the claim",
        "dropped factor `Pv` in `Pv @ Pv`": "that is the claim",
    }
    verdict = Verdict.HOLDS
    remark = (
        r"Oblique ones: symmetric only where $\mathbf M$ takes the range of $\mathbf G^T$ to itself, as with masses that "
        "are all equal."
    )
    implemented_by = (
        "rbnotes.constraints.force_projection",
        "rbnotes.constraints.velocity_projection",
    )
    chapter = CHAPTER


@claim("lloyd/s0.5/t126", "The impulse that satisfies velocity constraints")
class t126:
    formula = r"\text{impulse } \mathbf M^{-1}\mathbf G^T\boldsymbol\lambda"
    inputs = MOVING
    result = MOMENTUM

    def printed(M, G, v):
        Mi = np.linalg.inv(M)
        multipliers = np.linalg.inv(G @ Mi @ G.T) @ (0.0 - G @ v)
        return Mi @ G.T @ multipliers

    def library(M, G, v):
        return G.T @ constrained_velocity(M, G, v)[1]

    oracle = "change of momentum to the nearest admissible velocity in kinetic energy, by least squares"

    def reference(M, G, v):
        return M @ project_velocity(M, G, v) - M @ v

    verdict = Verdict.ERRATUM
    correction = (
        r"The impulse is $\mathbf G^T\boldsymbol\lambda$; $\mathbf M^{-1}\mathbf G^T\boldsymbol\lambda$ "
        r"is the change of velocity that it makes, as the display that follows has it."
    )
    units_mismatch = r"$M^{-1} G^T\lambda$ is a velocity, not an impulse"
    implemented_by = ("rbnotes.constraints.constrained_velocity",)
    chapter = CHAPTER


@claim("lloyd/s0.5/d7", "Velocity after the constraint impulse")
class d7:
    formula = (
        r"\dot{\mathbf x}' = \dot{\mathbf x} - \mathbf M^{-1}\mathbf G^T(\mathbf G\mathbf M^{-1}\mathbf "
        r"G^T)^{-1}\mathbf G\dot{\mathbf x}"
    )
    inputs = MOVING
    result = VELOCITY

    def printed(M, G, v):
        Mi = np.linalg.inv(M)
        return v - Mi @ G.T @ np.linalg.inv(G @ Mi @ G.T) @ G @ v

    def library(M, G, v):
        return constrained_velocity(M, G, v)[0]

    oracle = "the nearest admissible velocity in kinetic energy, by least squares"
    reference = project_velocity
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.constraints.constrained_velocity",)
    chapter = CHAPTER


@claim("lloyd/s0.5/d8", "Velocity after the constraint impulse as a projection")
class d8:
    formula = r"\dot{\mathbf x}' = \mathbf P_v\dot{\mathbf x}"
    inputs = MOVING
    result = VELOCITY

    def printed(M, G, v):
        return P_v(M, G) @ v

    def library(M, G, v):
        return velocity_projection(M, G) @ v

    oracle = "the nearest admissible velocity in kinetic energy, by least squares"
    reference = project_velocity
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
    result = NUMBER
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
    result = NUMBER

    def printed(M, G):
        Mi = np.linalg.inv(M)
        return (IDENTITY - G.T @ np.linalg.inv(G @ Mi @ G.T) @ G @ Mi).T

    def library(M, G):
        return velocity_projection(M, G)

    oracle = "the nearest admissible velocity to each unit velocity, by least squares"
    reference = velocity_projection_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.constraints.velocity_projection",)
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
    result = matrix_quantity(
        vector_quantity((VELOCITY, 4), (MOMENTUM, 2)), vector_quantity((MOMENTUM, 4), (VELOCITY, 2))
    )

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
