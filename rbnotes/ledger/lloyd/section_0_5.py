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
from rbnotes.ledger.oracles import constrained_system
from rbnotes.ledger.record import Record, Verdict

CHAPTER = "constraints-and-kkt"
N, K = 4, 2
SYSTEM = {"M": spd_matrices(N), "G": full_rank_matrices(K, N)}
FORCED = {**SYSTEM, "f": vectors(N)}
MOVING = {**SYSTEM, "v": vectors(N)}
COMMON = {"chapter": CHAPTER, "verdict": Verdict.HOLDS}
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


def acceleration_printed(M, G, H, v, f):
    """The constraint force is such that ``G a = 0``."""
    Mi = np.linalg.inv(M)
    multiplier = np.linalg.inv(G @ Mi @ G.T) @ (0.0 - G @ Mi @ f)
    return Mi @ (f + G.T @ multiplier)


def acceleration_library(M, G, H, v, f):
    v = tangent_velocity(G, v)
    return np.linalg.solve(M, constrained_force(M, G, f, -v[None] @ H @ v)[0])


def acceleration_reference(M, G, H, v, f):
    """The normal changes as ``G + (H x)^T``; ``G v = 0`` has to stay true along the motion."""
    v = tangent_velocity(G, v)

    def drift(t: float) -> Array:
        return (G + (H @ (v * t))[None]) @ v

    Z, particular = admissible(G), np.linalg.pinv(G) @ -derivative(drift).value
    return particular + Z @ np.linalg.solve(Z.T @ M @ Z, Z.T @ (f - M @ particular))


def symmetric(strategy):
    return strategy.map(lambda A: A + A.T)


def range_printed(M, G, f):
    """The nearest that some multipliers come to the constraint force."""
    multipliers = np.linalg.pinv(G.T) @ range_reference(M, G, f)
    return G.T @ multipliers


def range_library(M, G, f):
    return constrained_force(M, G, f)[0] - f


def range_reference(M, G, f):
    return M @ constrained_acceleration(M, G, f) - f


def reaction_printed(M, G, f, multipliers):
    return G @ np.linalg.inv(M) @ (f + G.T @ multipliers)


def reaction_library(M, G, f, multipliers):
    """The multipliers that the library needs to give that acceleration are the given ones."""
    wanted = G @ np.linalg.solve(M, f + sum(m * row for m, row in zip(multipliers, G, strict=True)))
    total, found = constrained_force(M, G, f, wanted)
    assert np.allclose(found, multipliers, atol=1e-7 * (1 + np.max(np.abs(found))))
    return G @ np.linalg.solve(M, total)


def reaction_reference(M, G, f, multipliers):
    total = f + sum(m * row for m, row in zip(multipliers, G, strict=True))
    return np.array([row @ np.linalg.solve(M, total) for row in G])


def multipliers_printed(M, G, f):
    return -np.linalg.inv(G @ np.linalg.inv(M) @ G.T) @ G @ np.linalg.inv(M) @ f


def multipliers_library(M, G, f):
    return constrained_force(M, G, f)[1]


def multipliers_reference(M, G, f):
    """What the constraints must add to f, written as a combination of the rows of G."""
    missing = M @ constrained_acceleration(M, G, f) - f
    return np.linalg.lstsq(np.stack(list(G), axis=1), missing, rcond=None)[0]


def force_printed(M, G, f):
    Mi = np.linalg.inv(M)
    return f - G.T @ np.linalg.inv(G @ Mi @ G.T) @ G @ Mi @ f


def force_library(M, G, f):
    return constrained_force(M, G, f)[0]


def force_reference(M, G, f):
    return M @ constrained_acceleration(M, G, f)


def P_f(M, G):
    Mi = np.linalg.inv(M)
    return IDENTITY - G.T @ np.linalg.inv(G @ Mi @ G.T) @ G @ Mi


def P_v(M, G):
    Mi = np.linalg.inv(M)
    return IDENTITY - Mi @ G.T @ np.linalg.inv(G @ Mi @ G.T) @ G


def projected_force_printed(M, G, f):
    return P_f(M, G) @ f


def projected_force_library(M, G, f):
    return force_projection(M, G) @ f


def force_projection_reference(M, G):
    return np.stack([force_reference(M, G, unit) for unit in IDENTITY], axis=1)


def impulse_printed(M, G, v):
    Mi = np.linalg.inv(M)
    multipliers = np.linalg.inv(G @ Mi @ G.T) @ (0.0 - G @ v)
    return Mi @ G.T @ multipliers


def impulse_library(M, G, v):
    return G.T @ constrained_velocity(M, G, v)[1]


def impulse_reference(M, G, v):
    return M @ nearest_velocity(M, G, v) - M @ v


def velocity_printed(M, G, v):
    Mi = np.linalg.inv(M)
    return v - Mi @ G.T @ np.linalg.inv(G @ Mi @ G.T) @ G @ v


def velocity_library(M, G, v):
    return constrained_velocity(M, G, v)[0]


def projected_velocity_printed(M, G, v):
    return P_v(M, G) @ v


def projected_velocity_library(M, G, v):
    return velocity_projection(M, G) @ v


def velocity_projection_reference(M, G):
    return np.stack([nearest_velocity(M, G, unit) for unit in IDENTITY], axis=1)


def transposed_printed(M, G):
    Mi = np.linalg.inv(M)
    return (IDENTITY - G.T @ np.linalg.inv(G @ Mi @ G.T) @ G @ Mi).T


def transposed_library(M, G):
    return force_projection(M, G).T


def inverse_printed(M, G):
    Mi = np.linalg.inv(M)
    S = G @ Mi @ G.T
    Pf = IDENTITY - G.T @ np.linalg.inv(S) @ G @ Mi
    return np.block([[Mi @ Pf, Mi @ G.T @ np.linalg.inv(S)], [-np.linalg.inv(S) @ G @ Mi, np.linalg.inv(S)]])


def inverse_reference(M, G):
    units = np.eye(N + K)
    return np.stack([np.concatenate(constrained_system(M, G, u[:N], u[N:])) for u in units], axis=1)


RECORDS = [
    Record(
        id="lloyd/s0.5/d1",
        title="Constraints on velocity and acceleration",
        formula=r"\mathbf G\dot{\mathbf x} = 0 \quad\text{and}\quad \mathbf G\ddot{\mathbf x} = 0",
        condition=r"$\mathbf G$ does not change along the motion. If it does, $\mathbf G\dot{\mathbf x} = 0$ at all times asks for $\mathbf G\ddot{\mathbf x} = -\dot{\mathbf G}\dot{\mathbf x}$.",
        oracle="acceleration that keeps G v = 0 along the motion, the change of G by numerical differentiation",
        remark=r"A bead on a rail: with $\mathbf G\ddot{\mathbf x} = 0$ it leaves every bend on the tangent, since the centripetal force is missing.",
        implemented_by=("rbnotes.constraints.constrained_force",),
        chapter=CHAPTER,
        verdict=Verdict.CONDITIONAL,
        inputs={
            "M": spd_matrices(3),
            "G": full_rank_matrices(1, 3),
            "H": symmetric(matrices(3, 3)),
            "v": vectors(3),
            "f": vectors(3),
        },
        given={
            "M": spd_matrices(3),
            "G": full_rank_matrices(1, 3),
            "H": vectors(1).map(lambda _: np.zeros((3, 3))),
            "v": vectors(3),
            "f": vectors(3),
        },
        printed=acceleration_printed,
        library=acceleration_library,
        reference=acceleration_reference,
        tolerance=1e-7,
    ),
    Record(
        id="lloyd/s0.5/t106",
        title="Constraint forces lie in the range of G^T",
        formula=r"\mathbf f - \mathbf f_x \in \operatorname{range}\mathbf G^T",
        remark="They do no work on motions that the constraints allow; friction is another matter.",
        oracle="the force that Gauss's principle of least constraint asks for, by least squares",
        implemented_by=("rbnotes.constraints.constrained_force",),
        inputs=FORCED,
        printed=range_printed,
        library=range_library,
        reference=range_reference,
        **COMMON,
    ),
    Record(
        id="lloyd/s0.5/d2",
        title="Acceleration along the constraints under constraint forces",
        formula=r"\mathbf G\ddot{\mathbf x} = \mathbf G\mathbf M^{-1}(\mathbf f_x + \mathbf G^T\boldsymbol\lambda)",
        remark="That it is zero for the right multipliers is the next display.",
        oracle="Newton's law with the constraint forces added one by one",
        implemented_by=("rbnotes.constraints.constrained_force",),
        inputs={**FORCED, "multipliers": vectors(K)},
        printed=reaction_printed,
        library=reaction_library,
        reference=reaction_reference,
        **COMMON,
    ),
    Record(
        id="lloyd/s0.5/d3",
        title="Multipliers of the constraint forces",
        formula=r"\boldsymbol\lambda = -(\mathbf G\mathbf M^{-1}\mathbf G^T)^{-1}\mathbf G\mathbf M^{-1}\mathbf f_x",
        oracle="Gauss's principle of least constraint by least squares; the force missing, as a sum of rows of G",
        implemented_by=("rbnotes.constraints.constrained_force",),
        inputs=FORCED,
        printed=multipliers_printed,
        library=multipliers_library,
        reference=multipliers_reference,
        tolerance=1e-8,
        **COMMON,
    ),
    Record(
        id="lloyd/s0.5/d4",
        title="Total force under constraints",
        formula=r"\mathbf f = \mathbf f_x - \mathbf G^T(\mathbf G\mathbf M^{-1}\mathbf G^T)^{-1}\mathbf G\mathbf M^{-1}\mathbf f_x",
        oracle="mass times the acceleration of Gauss's principle of least constraint, by least squares",
        implemented_by=("rbnotes.constraints.constrained_force",),
        inputs=FORCED,
        printed=force_printed,
        library=force_library,
        reference=force_reference,
        **COMMON,
    ),
    Record(
        id="lloyd/s0.5/d5",
        title="Total force as a projection of the applied one",
        formula=r"\mathbf f = \mathbf P_f\mathbf f_x",
        oracle="mass times the acceleration of Gauss's principle of least constraint, by least squares",
        implemented_by=("rbnotes.constraints.force_projection",),
        inputs=FORCED,
        printed=projected_force_printed,
        library=projected_force_library,
        reference=force_reference,
        **COMMON,
    ),
    Record(
        id="lloyd/s0.5/d6",
        title="Projection of forces",
        formula=r"\mathbf P_f \equiv \mathbf I - \mathbf G^T(\mathbf G\mathbf M^{-1}\mathbf G^T)^{-1}\mathbf G\mathbf M^{-1}",
        oracle="the total force for each unit force, by Gauss's principle of least constraint",
        implemented_by=("rbnotes.constraints.force_projection",),
        inputs=SYSTEM,
        printed=P_f,
        library=lambda M, G: force_projection(M, G),
        reference=force_projection_reference,
        **COMMON,
    ),
    Record(
        id="lloyd/s0.5/t126",
        title="The impulse that satisfies velocity constraints",
        formula=r"\text{impulse } \mathbf M^{-1}\mathbf G^T\boldsymbol\lambda",
        correction=r"The impulse is $\mathbf G^T\boldsymbol\lambda$; $\mathbf M^{-1}\mathbf G^T\boldsymbol\lambda$ is the change of velocity that it makes, as the display that follows has it.",
        oracle="change of momentum to the nearest admissible velocity in kinetic energy, by least squares",
        implemented_by=("rbnotes.constraints.constrained_velocity",),
        chapter=CHAPTER,
        verdict=Verdict.ERRATUM,
        inputs=MOVING,
        printed=impulse_printed,
        library=impulse_library,
        reference=impulse_reference,
    ),
    Record(
        id="lloyd/s0.5/d7",
        title="Velocity after the constraint impulse",
        formula=r"\dot{\mathbf x}' = \dot{\mathbf x} - \mathbf M^{-1}\mathbf G^T(\mathbf G\mathbf M^{-1}\mathbf G^T)^{-1}\mathbf G\dot{\mathbf x}",
        oracle="the nearest admissible velocity in kinetic energy, by least squares",
        implemented_by=("rbnotes.constraints.constrained_velocity",),
        inputs=MOVING,
        printed=velocity_printed,
        library=velocity_library,
        reference=nearest_velocity,
        **COMMON,
    ),
    Record(
        id="lloyd/s0.5/d8",
        title="Velocity after the constraint impulse as a projection",
        formula=r"\dot{\mathbf x}' = \mathbf P_v\dot{\mathbf x}",
        oracle="the nearest admissible velocity in kinetic energy, by least squares",
        implemented_by=("rbnotes.constraints.velocity_projection",),
        inputs=MOVING,
        printed=projected_velocity_printed,
        library=projected_velocity_library,
        reference=nearest_velocity,
        **COMMON,
    ),
    Record(
        id="lloyd/s0.5/d9",
        title="Projection of velocities",
        formula=r"\mathbf P_v \equiv \mathbf I - \mathbf M^{-1}\mathbf G^T(\mathbf G\mathbf M^{-1}\mathbf G^T)^{-1}\mathbf G",
        oracle="the nearest admissible velocity to each unit velocity, by least squares",
        implemented_by=("rbnotes.constraints.velocity_projection",),
        inputs=SYSTEM,
        printed=P_v,
        library=lambda M, G: velocity_projection(M, G),
        reference=velocity_projection_reference,
        **COMMON,
    ),
    Record(
        id="lloyd/s0.5/d10",
        title="The projections are each other's transpose",
        formula=r"\mathbf P_v = \mathbf P_f^T",
        oracle="the nearest admissible velocity to each unit velocity, by least squares",
        implemented_by=("rbnotes.constraints.force_projection", "rbnotes.constraints.velocity_projection"),
        inputs=SYSTEM,
        printed=transposed_printed,
        library=transposed_library,
        reference=velocity_projection_reference,
        **COMMON,
    ),
    Record(
        id="lloyd/s0.5/d11",
        title="Block inverse of the KKT matrix",
        formula=r"\begin{pmatrix} \mathbf M & -\mathbf G^T \\ \mathbf G & 0 \end{pmatrix}^{-1} = \begin{pmatrix} \mathbf M^{-1}\mathbf P_f & \mathbf M^{-1}\mathbf G^T\mathbf S^{-1} \\ -\mathbf S^{-1}\mathbf G\mathbf M^{-1} & \mathbf S^{-1} \end{pmatrix},\quad \mathbf S = \mathbf G\mathbf M^{-1}\mathbf G^T",
        oracle="the whole system solved for each unit right side by elimination",
        implemented_by=("rbnotes.constraints.kkt_inverse",),
        inputs=SYSTEM,
        printed=inverse_printed,
        library=lambda M, G: kkt_inverse(M, G),
        reference=inverse_reference,
        tolerance=1e-8,
        **COMMON,
    ),
]
