"""Lloyd 0.5: constraint satisfaction as projection, forces."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rbnotes.arguments import Array
from rbnotes.constraints import (
    constrained_force,
    constrained_velocity,
    force_projection,
    kkt_inverse,
    velocity_projection,
)
from rbnotes.ledger.oracles.constrained_systems import (
    constrained_system,
    least_constraint,
    least_squares_multipliers,
    project_velocity,
)
from rbnotes.ledger.quantities import (
    ACCELERATION,
    FORCE,
    LENGTH,
    MASS,
    MOMENTUM,
    NUMBER,
    VELOCITY,
    matrix_quantity,
    vector_quantity,
)
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing import derivative
from rbnotes.testing.strategies import full_rank_matrices, matrices, spd_matrices, vectors

SYSTEM_COORDINATES = "in the generalized coordinates of the system"

section = Section(
    "lloyd/s0.5",
    chapter="constraints-and-kkt",
    any_size=True,
    arguments={
        "M": Argument(MASS, "in the generalized coordinates of the system (arbitrary)"),
        "G": Argument(NUMBER, "one row for each constraint, over the generalized coordinates of the system"),
        "H": Argument(
            NUMBER / LENGTH, "one row for each constraint, over the generalized coordinates of the system"
        ),
        "v": Argument(VELOCITY, "in the generalized coordinates of the system (arbitrary)"),
        "f": Argument(FORCE, "in the generalized coordinates of the system (arbitrary)"),
    },
)


N, K = 4, 2
SYSTEM = {"M": spd_matrices(N), "G": full_rank_matrices(K, N)}
FORCED_SYSTEM = {**SYSTEM, "f": vectors(N)}
# One row that varies along the motion, as G + (H x)^T.
VARYING_ROW = {
    "M": spd_matrices(3),
    "G": full_rank_matrices(1, 3),
    "H": matrices(3, 3).map(lambda A: A + A.T),
    "v": vectors(3),
    "f": vectors(3),
}


def tangent_velocity(G: Array, v: Array) -> Array:
    return v - np.linalg.pinv(G) @ (G @ v)


def has_constant_row(M, G, H, v, f):
    """Return True if the row does not change along the tangent."""
    along = np.cross(G[0], np.cross(v, G[0]))
    return abs(along @ H @ along) <= 1e-12


def P_f(M, G):
    Mi = np.linalg.inv(M)
    return np.eye(len(M)) - G.T @ np.linalg.inv(G @ Mi @ G.T) @ G @ Mi


@section.conditional("d1", "Constraints on velocity and acceleration")
class d1:
    formula = r"\mathbf G\dot{\mathbf x} = 0 \quad\text{and}\quad \mathbf G\ddot{\mathbf x} = 0"
    any_size = False
    inputs = VARYING_ROW
    result = Result(ACCELERATION, SYSTEM_COORDINATES)

    def printed(M, G, H, v, f):
        """Return the acceleration for which the constraint force gives ``G a = 0``."""
        Mi = np.linalg.inv(M)
        multiplier = np.linalg.inv(G @ Mi @ G.T) @ (0.0 - G @ Mi @ f)
        return Mi @ (f + G.T @ multiplier)

    def library(M, G, H, v, f):
        v = tangent_velocity(G, v)
        return np.linalg.solve(M, constrained_force(M, G, f, -v[None] @ H @ v)[0])

    def reference(M, G, H, v, f):
        """Find the acceleration that keeps G v = 0 along the motion, with dG/dt by differentiation.

        The normal changes as ``G + (H x)^T``.
        """
        v = v - (G[0] @ v) / (G[0] @ G[0]) * G[0]

        def drift(t: float) -> Array:
            return (G + (H @ (v * t))[None]) @ v

        Z, particular = np.linalg.svd(G)[2][1:].T, np.linalg.pinv(G) @ -derivative(drift).value
        return particular + Z @ np.linalg.solve(Z.T @ M @ Z, Z.T @ (f - M @ particular))

    condition_inputs = {**VARYING_ROW, "H": st.just(np.zeros((3, 3)))}
    special = {"H": "second derivatives of a constraint: symmetric"}
    holds_when = has_constant_row
    condition = (
        r"$\mathbf G$ does not change along the motion. If it does, $\mathbf G\dot{\mathbf x} = 0$"
        r" at all times requires $\mathbf G\ddot{\mathbf x} = -\dot{\mathbf G}\dot{\mathbf x}$."
    )
    remark = (
        r"Example: with $\mathbf G\ddot{\mathbf x} = 0$, a bead leaves a curved rail along the "
        "tangent, because the centripetal force is missing."
    )
    effect = (
        "A pendulum with a rod of one meter, released from the horizontal, is 3.28 m long after "
        "one second; with the rate of the rows it is 1.01 m long."
    )
    implements = constrained_force


@section.holds("t106", "Constraint forces lie in the range of G^T")
class t106:
    formula = r"\mathbf f - \mathbf f_x \in \operatorname{range}\mathbf G^T"
    inputs = FORCED_SYSTEM
    result = Result(FORCE, SYSTEM_COORDINATES)

    def printed(M, G, f):
        """Return the force in the range of G^T that cancels the acceleration across the constraints."""
        Mi = np.linalg.inv(M)
        return G.T @ np.linalg.solve(G @ Mi @ G.T, -G @ Mi @ f)

    def library(M, G, f):
        return constrained_force(M, G, f)[0] - f

    def reference(M, G, f):
        """Find the force of Gauss's principle of least constraint, by least squares."""
        return least_constraint(M, G, f) - f

    remark = "They do no work on admissible motions. This does not include friction."
    implements = constrained_force


@section.holds("d2", "Constraint forces cancel the acceleration across the constraints")
class d2:
    formula = r"\mathbf G\ddot{\mathbf x} = \mathbf G\mathbf M^{-1}(\mathbf f_x + \mathbf G^T\boldsymbol\lambda) = 0"
    inputs = FORCED_SYSTEM
    result = Result(FORCE, "one for each constraint")

    def printed(M, G, f):
        """Return the multipliers at which the printed expression, which is affine in them, is zero."""
        Mi = np.linalg.inv(M)

        def acceleration_across(multipliers):
            return G @ Mi @ (f + G.T @ multipliers)

        at_zero = acceleration_across(np.zeros(len(G)))
        responses = np.stack([acceleration_across(unit) - at_zero for unit in np.eye(len(G))], axis=1)
        return np.linalg.solve(responses, -at_zero)

    def library(M, G, f):
        return constrained_force(M, G, f)[1]

    def reference(M, G, f):
        """Solve Gauss's principle by least squares, and write the constraint force in the rows of G."""
        return least_squares_multipliers(least_constraint(M, G, f) - f, G)

    remark = "As in the preceding display, the rows are assumed not to change along the motion."
    implements = constrained_force


@section.holds("d3", "Multipliers of the constraint forces")
class d3:
    formula = (
        r"\boldsymbol\lambda = -(\mathbf G\mathbf M^{-1}\mathbf G^T)^{-1}\mathbf G\mathbf M^{-1}\mathbf f_x"
    )
    inputs = FORCED_SYSTEM
    result = Result(FORCE, "one for each constraint")

    def printed(M, G, f):
        return -np.linalg.inv(G @ np.linalg.inv(M) @ G.T) @ G @ np.linalg.inv(M) @ f

    def library(M, G, f):
        return constrained_force(M, G, f)[1]

    def reference(M, G, f):
        """Solve Gauss's principle by least squares, and write the constraint force in the rows of G."""
        return least_squares_multipliers(least_constraint(M, G, f) - f, G)

    tolerance = 1e-08
    remark = (
        r"The inverse exists if the rows of $\mathbf G$ are independent. Redundant rows leave "
        r"$\boldsymbol\lambda$ undetermined, but not $\mathbf G^T\boldsymbol\lambda$."
    )
    implements = constrained_force


@section.holds("d4", "Total force under constraints")
class d4:
    formula = r"\mathbf f = \mathbf f_x - \mathbf G^T(\mathbf G\mathbf M^{-1}\mathbf G^T)^{-1}\mathbf G\mathbf M^{-1}\mathbf f_x"
    inputs = FORCED_SYSTEM
    result = Result(FORCE, SYSTEM_COORDINATES)

    def printed(M, G, f):
        Mi = np.linalg.inv(M)
        return f - G.T @ np.linalg.inv(G @ Mi @ G.T) @ G @ Mi @ f

    def library(M, G, f):
        return constrained_force(M, G, f)[0]

    oracle = (
        "Compare with mass times the acceleration of Gauss's principle of least constraint, by least squares."
    )
    reference = least_constraint
    implements = constrained_force


@section.holds("d5", "Total force as a projection of the applied one")
class d5:
    formula = r"\mathbf f = \mathbf P_f\mathbf f_x"
    inputs = FORCED_SYSTEM
    result = Result(FORCE, SYSTEM_COORDINATES)

    def printed(M, G, f):
        return P_f(M, G) @ f

    def library(M, G, f):
        return force_projection(M, G) @ f

    oracle = (
        "Compare with mass times the acceleration of Gauss's principle of least constraint, by least squares."
    )
    reference = least_constraint
    implements = force_projection


@section.holds("d6", "Projection of forces")
class d6:
    formula = r"\mathbf P_f \equiv \mathbf I - \mathbf G^T(\mathbf G\mathbf M^{-1}\mathbf G^T)^{-1}\mathbf G\mathbf M^{-1}"
    inputs = SYSTEM
    result = Result(NUMBER, SYSTEM_COORDINATES)
    printed = P_f

    def library(M, G):
        return force_projection(M, G)

    def reference(M, G):
        """Apply Gauss's principle of least constraint to each unit force."""
        return np.stack([least_constraint(M, G, unit) for unit in np.eye(len(M))], axis=1)

    implements = force_projection


# ------------------------------------------------------------------------------------------------------------
# Constraint satisfaction as projection: velocities and the whole system.


MOVING_SYSTEM = {**SYSTEM, "v": vectors(N)}


def P_v(M, G):
    Mi = np.linalg.inv(M)
    return np.eye(len(M)) - Mi @ G.T @ np.linalg.inv(G @ Mi @ G.T) @ G


def velocity_projection_reference(M, G):
    """Find the nearest admissible velocity to each unit velocity, by least squares."""
    return np.stack([project_velocity(M, G, unit) for unit in np.eye(len(M))], axis=1)


@section.holds("t100", "Constraint satisfaction is a projection")
class t100:
    formula = r"\mathbf P_f\mathbf P_f = \mathbf P_f,\quad \mathbf P_v\mathbf P_v = \mathbf P_v\qquad\text{(Constraint Satisfaction as Projection)}"
    inputs = SYSTEM
    result = Result(NUMBER, "of forces, then of velocities, in the generalized coordinates of the system")

    def printed(M, G):
        Mi = np.linalg.inv(M)
        multiplier_map = G.T @ np.linalg.inv(G @ Mi @ G.T) @ G
        Pf, Pv = np.eye(len(M)) - multiplier_map @ Mi, np.eye(len(M)) - Mi @ multiplier_map
        return np.array([Pf @ Pf, Pv @ Pv])

    def library(M, G):
        return np.array([force_projection(M, G), velocity_projection(M, G)])

    def reference(M, G):
        """Apply Gauss's principle to each unit force and to each unit velocity."""
        forces = [least_constraint(M, G, unit) for unit in np.eye(len(M))]
        return np.array([np.stack(forces, axis=1), velocity_projection_reference(M, G)])

    remark = (
        r"The projections are oblique. They are symmetric only if $\mathbf M$ takes the range of "
        r"$\mathbf G^T$ to itself, for example if all masses are equal."
    )
    implements = (force_projection, velocity_projection)


@section.erratum("t126", "The impulse that satisfies velocity constraints")
class t126:
    formula = r"\text{impulse } \mathbf M^{-1}\mathbf G^T\boldsymbol\lambda"
    inputs = MOVING_SYSTEM
    result = Result(MOMENTUM, SYSTEM_COORDINATES)

    def printed(M, G, v):
        Mi = np.linalg.inv(M)
        multipliers = np.linalg.inv(G @ Mi @ G.T) @ (0.0 - G @ v)
        return Mi @ G.T @ multipliers

    def library(M, G, v):
        return G.T @ constrained_velocity(M, G, v)[1]

    def reference(M, G, v):
        """Compare with the momentum change to the nearest admissible velocity in kinetic energy."""
        return M @ project_velocity(M, G, v) - M @ v

    correction = (
        r"The impulse is $\mathbf G^T\boldsymbol\lambda$; $\mathbf M^{-1}\mathbf "
        r"G^T\boldsymbol\lambda$ is the resulting change of velocity, as in the next display."
    )
    replacement = r"Similarly, we can ensure that velocity constraints are satisfied by applying an impulse $\mathbf G^T\boldsymbol\lambda$, so that the constrained velocity $\dot{\mathbf x}^\prime$ is given by"
    units_mismatch = r"$M^{-1} G^T\lambda$ is a velocity, not an impulse"
    effect = "A body of 2 kg that hits the floor at 1 m/s continues into it at 0.5 m/s."
    implements = constrained_velocity


@section.holds("d7", "Velocity after the constraint impulse")
class d7:
    formula = r"\dot{\mathbf x}' = \dot{\mathbf x} - \mathbf M^{-1}\mathbf G^T(\mathbf G\mathbf M^{-1}\mathbf G^T)^{-1}\mathbf G\dot{\mathbf x}"
    inputs = MOVING_SYSTEM
    result = Result(VELOCITY, SYSTEM_COORDINATES)

    def printed(M, G, v):
        Mi = np.linalg.inv(M)
        return v - Mi @ G.T @ np.linalg.inv(G @ Mi @ G.T) @ G @ v

    def library(M, G, v):
        return constrained_velocity(M, G, v)[0]

    oracle = "Compare with the nearest admissible velocity in kinetic energy, by least squares."
    reference = project_velocity
    implements = constrained_velocity


@section.holds("d8", "Velocity after the constraint impulse as a projection")
class d8:
    formula = r"\dot{\mathbf x}' = \mathbf P_v\dot{\mathbf x}"
    inputs = MOVING_SYSTEM
    result = Result(VELOCITY, SYSTEM_COORDINATES)

    def printed(M, G, v):
        return P_v(M, G) @ v

    def library(M, G, v):
        return velocity_projection(M, G) @ v

    oracle = "Compare with the nearest admissible velocity in kinetic energy, by least squares."
    reference = project_velocity
    implements = velocity_projection


@section.holds("d9", "Projection of velocities")
class d9:
    formula = r"\mathbf P_v \equiv \mathbf I - \mathbf M^{-1}\mathbf G^T(\mathbf G\mathbf M^{-1}\mathbf G^T)^{-1}\mathbf G"
    inputs = SYSTEM
    result = Result(NUMBER, SYSTEM_COORDINATES)
    printed = P_v

    def library(M, G):
        return velocity_projection(M, G)

    reference = velocity_projection_reference
    implements = velocity_projection


@section.holds("d10", "The two projections are transposes of each other")
class d10:
    formula = r"\mathbf P_v = \mathbf P_f^T"
    inputs = SYSTEM
    result = Result(NUMBER, SYSTEM_COORDINATES)

    def printed(M, G):
        Mi = np.linalg.inv(M)
        return (np.eye(len(M)) - G.T @ np.linalg.inv(G @ Mi @ G.T) @ G @ Mi).T

    def library(M, G):
        return velocity_projection(M, G)

    reference = velocity_projection_reference
    implements = velocity_projection


@section.holds("d11", "Block inverse of the KKT matrix")
class d11:
    formula = r"\begin{pmatrix} \mathbf M & -\mathbf G^T \\ \mathbf G & 0 \end{pmatrix}^{-1} = \begin{pmatrix} \mathbf M^{-1}\mathbf P_f & \mathbf M^{-1}\mathbf G^T\mathbf S^{-1} \\ -\mathbf S^{-1}\mathbf G\mathbf M^{-1} & \mathbf S^{-1} \end{pmatrix},\quad \mathbf S = \mathbf G\mathbf M^{-1}\mathbf G^T"
    inputs = SYSTEM
    result = Result(
        matrix_quantity(
            vector_quantity((VELOCITY, 4), (MOMENTUM, 2)), vector_quantity((MOMENTUM, 4), (VELOCITY, 2))
        ),
        "in the generalized coordinates of the system, then of the constraints",
    )

    def printed(M, G):
        Mi = np.linalg.inv(M)
        S = G @ Mi @ G.T
        Pf = np.eye(len(M)) - G.T @ np.linalg.inv(S) @ G @ Mi
        return np.block(
            [[Mi @ Pf, Mi @ G.T @ np.linalg.inv(S)], [-np.linalg.inv(S) @ G @ Mi, np.linalg.inv(S)]]
        )

    def library(M, G):
        return kkt_inverse(M, G)

    def reference(M, G):
        """Solve the whole system for each unit right-hand side by elimination."""
        size = len(M)
        units = np.eye(size + len(G))
        columns = [np.concatenate(constrained_system(M, G, u[:size], u[size:])) for u in units]
        return np.stack(columns, axis=1)

    tolerance = 1e-08
    implements = kkt_inverse
