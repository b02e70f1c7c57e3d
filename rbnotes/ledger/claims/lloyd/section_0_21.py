"""Lloyd 0.21: reduction with parametrically controlled components.

As in section 0.17, the oracle is the motion of least action; the controlled velocities are prescribed, and the
force on them is the residual of the momentum.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rbnotes.attachments import Attachment, NullSpaceReduction, null_space_reduction, solve_prescribed_motion
from rbnotes.dynamics import StepSolution
from rbnotes.ledger.claims.lloyd.section_0_17.attachments import (
    R_IS_NEGATIVE,
    negative_regularization,
    step_problem,
)
from rbnotes.ledger.oracles.attachments import (
    attached_velocities,
    effective_mass,
    effective_rows,
    soft_constrained_motion,
)
from rbnotes.ledger.quantities import INVERSE_MASS, MASS, MOMENTUM, NUMBER, VELOCITY, vector_quantity
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing.strategies import arrays, spd_matrices, vectors

section = Section(
    "lloyd/s0.21",
    chapter="attachments-on-attachments",
    arguments={
        "M": Argument(
            MASS,
            "in the generalized coordinates of the system (arbitrary): active, controlled, attached",
        ),
        "G": Argument(NUMBER, "one row for each constraint, over the generalized coordinates of the system"),
        "Gb": Argument(NUMBER, "one row for each attached coordinate, over the others"),
        "fa": Argument(MOMENTUM, "of the respective coordinates, in their order"),
        "fb": Argument(MOMENTUM, "of the respective coordinates, in their order"),
        "S": Argument(INVERSE_MASS, "one for each constraint"),
        "gs": Argument(VELOCITY, "one for each constraint"),
        "gb": Argument(VELOCITY, "of the respective coordinates, in their order"),
        "vr": Argument(VELOCITY, "of the respective coordinates, in their order"),
    },
)


# Sizes: active, controlled and attached components; constraints, those of alpha first.
A, P, B, ROWS, ROWS_OF_ALPHA = 3, 2, 2, 3, 2
SIZE, REMAINING = A + P + B, A + P
ALPHA, RHO, BETA = slice(0, A), slice(A, REMAINING), slice(REMAINING, SIZE)
IDENTITY = np.eye(B)

ATTACHED_SYSTEM = {
    "M": spd_matrices(SIZE, arrays),
    "G": arrays(ROWS, SIZE),
    "Gb": arrays(B, REMAINING),
}
FULL_SYSTEM = {
    **ATTACHED_SYSTEM,
    "fa": arrays(A),
    "fb": arrays(B),
    "S": vectors(ROWS, 0.25, 2.0),
    "gs": arrays(ROWS),
    "gb": arrays(B),
    "vr": arrays(P),
}
WithNegativeR: Any = negative_regularization(
    FULL_SYSTEM, ROWS, R_IS_NEGATIVE.replace(r"R_\alpha", r"R_\sigma")
)


def constraint_blocks(G, Gb):
    """Return G_sa, G_sr, G_sb, G_ba and G_br."""
    return G[:, ALPHA], G[:, RHO], G[:, BETA], Gb[:, ALPHA], Gb[:, RHO]


def blocks(M):
    return [[M[row, column] for column in (ALPHA, RHO, BETA)] for row in (ALPHA, RHO, BETA)]


def constrained_motion(M, G, Gb, fa, fb, S, gs, gb, vr):
    """Return v, the multipliers with the signs of the notes, and the force on rho."""
    hard = np.vstack([np.hstack([Gb, IDENTITY]), np.eye(SIZE)[RHO]])
    f = np.concatenate([fa, np.zeros(P), fb])
    v, soft_impulses, hard_impulses = soft_constrained_motion(
        M, f, (G, gs, S), (hard, np.concatenate([gb, vr]))
    )
    return v, -soft_impulses, -hard_impulses[:B], hard_impulses[B:]


def reduce_attachments(M, G, Gb, f=None, S=None, gs=None, gb=None):
    """Return the whole system, its null space, and the system without the attached components."""
    system = step_problem(M, np.zeros(SIZE) if f is None else f, G, gs, S)
    space = null_space_reduction(
        (REMAINING, B), (Attachment(1, {0: -Gb}, np.zeros(B) if gb is None else gb),)
    )
    return system, space, space.reduce(system)


def library_motion(M, G, Gb, fa, fb, S, gs, gb, vr):
    """Return the library's motion of the remaining components."""
    forces = np.zeros(SIZE)
    forces[ALPHA], forces[BETA] = fa, fb
    return solve_prescribed_motion(
        reduce_attachments(M, G, Gb, forces, S, gs, gb)[2], range(A, REMAINING), vr
    )


def all_forces(M, G, Gb, fa, fb, S, gs, gb, vr):
    """Return the forces on all components, including the actuation force on the controlled ones."""
    force = library_motion(M, G, Gb, fa, fb, S, gs, gb, vr).actuation_force
    return np.block([fa, force, fb])


def whole_printed(M, G, Gb, fa, fb, R, gs, gb, vr):
    """Solve the whole system with the regularization matrix diag(R) for v_alpha, f_rho, v_beta, lambda."""
    (Maa, Mar, Mab), (Mra, Mrr, Mrb), (Mba, Mbr, Mbb) = blocks(M)
    Gsa, Gsr, Gsb, Gba, Gbr = constraint_blocks(G, Gb)
    zero_rows, zero = np.zeros((ROWS, B)), np.zeros((B, B))
    zero_columns = np.zeros((B, ROWS))
    system = np.block(
        [
            [Maa, Mar, Mab, Gsa.T, Gba.T],
            [Mra, Mrr, Mrb, Gsr.T, Gbr.T],
            [Mba, Mbr, Mbb, Gsb.T, IDENTITY],
            [Gsa, Gsr, Gsb, np.diag(R), zero_rows],
            [Gba, Gbr, IDENTITY, zero_columns, zero],
        ]
    )
    right = np.concatenate([fa, np.zeros(P), fb, gs, gb])
    return solve_for_force(system, right, vr)


def reduced_printed(M, G, Gb, fa, fb, R, gs, gb, vr):
    """Solve the reduced system with the blocks (0.21) to (0.24) for v_alpha, f'_rho and lambda."""
    (Maa, Mar, Mab), (Mra, Mrr, Mrb), (Mba, Mbr, Mbb) = blocks(M)
    Gsa, Gsr, Gsb, Gba, Gbr = constraint_blocks(G, Gb)
    Maa1 = Maa - Mab @ Gba - Gba.T @ Mba + Gba.T @ Mbb @ Gba
    Mar1 = Mar - Mab @ Gbr - Gba.T @ Mbr + Gba.T @ Mbb @ Gbr
    Mra1 = Mra - Mrb @ Gba - Gbr.T @ Mba + Gbr.T @ Mbb @ Gba
    Mrr1 = Mrr - Mrb @ Gbr - Gbr.T @ Mbr + Gbr.T @ Mbb @ Gbr
    Gsa1, Gsr1 = Gsa - Gsb @ Gba, Gsr - Gsb @ Gbr
    fa1 = fa - Gba.T @ fb - (Mab - Gba.T @ Mbb) @ gb
    system = np.block([[Maa1, Mar1, Gsa1.T], [Mra1, Mrr1, Gsr1.T], [Gsa1, Gsr1, np.diag(R)]])
    return solve_for_force(system, np.concatenate([fa1, np.zeros(P), gs - Gsb @ gb]), vr)


def solve_for_force(system, right, vr):
    """Solve a system in which the force on rho is unknown and the velocity of rho is given."""
    prescribed_terms = system[:, RHO] @ vr
    unknown = system.copy()
    unknown[:, RHO] = -np.eye(len(system))[:, RHO]
    return np.linalg.solve(unknown, right - prescribed_terms)


def whole_library(M, G, Gb, fa, fb, S, gs, gb, vr):
    motion = library_motion(M, G, Gb, fa, fb, S, gs, gb, vr)
    f = all_forces(M, G, Gb, fa, fb, S, gs, gb, vr)
    problem, space, _ = reduce_attachments(M, G, Gb, f, S, gs, gb)
    v = space.expand_velocities(motion.velocity)
    attachment_forces = space.attachment_forces(problem, StepSolution(v, motion.bilateral_impulses))
    return np.concatenate(
        [v[ALPHA], motion.actuation_force, v[BETA], -motion.bilateral_impulses, -attachment_forces]
    )


def reduced_library(M, G, Gb, fa, fb, S, gs, gb, vr):
    motion = library_motion(M, G, Gb, fa, fb, S, gs, gb, vr)
    f = all_forces(M, G, Gb, fa, fb, S, gs, gb, vr)
    reduced_system = reduce_attachments(M, G, Gb, f, S, gs, gb)[2]
    return np.concatenate([motion.velocity[ALPHA], reduced_system.momentum[RHO], -motion.bilateral_impulses])


def reduced_reference(M, G, Gb, fa, fb, S, gs, gb, vr):
    """Minimize the action over all admissible motions, with the penalty (G v - g)^2 / (2 R) per row.

    The force f'_rho is the power of all forces, including the inertial force of the drift, on unit controlled
    velocities.
    """
    v, multipliers, _, force = constrained_motion(M, G, Gb, fa, fb, S, gs, gb, vr)
    total = np.concatenate([fa, force, fb]) - M @ np.concatenate([np.zeros(REMAINING), gb])
    powers = [attached_velocities(Gb, unit) @ total for unit in np.eye(REMAINING)[RHO]]
    return np.concatenate([v[ALPHA], powers, multipliers])


def force_reference(M, G, Gb, fa, fb, S, gs, gb, vr):
    """Compare with the residual of the equations of motion with the effective inertia."""
    v, multipliers, *_ = constrained_motion(M, G, Gb, fa, fb, S, gs, gb, vr)
    return effective_mass(M, Gb) @ v[:REMAINING] + effective_rows(G, Gb).T @ multipliers


def uncontrolled_printed(M, G, Gb, fa, fb, R, gs, gb, vr, rows):
    """Solve the system without the controlled components for v_alpha and lambda, with the given rows."""
    (Maa, Mar, Mab), _, (Mba, Mbr, Mbb) = blocks(M)
    Gsa, Gsr, Gsb, Gba, Gbr = constraint_blocks(G, Gb)
    Maa1 = Maa - Mab @ Gba - Gba.T @ Mba + Gba.T @ Mbb @ Gba
    Mar1 = Mar - Mab @ Gbr - Gba.T @ Mbr + Gba.T @ Mbb @ Gbr
    Gsa1, Gsr1 = Gsa - Gsb @ Gba, Gsr - Gsb @ Gbr
    f1 = fa - Gba.T @ fb - (Mab - Gba.T @ Mbb) @ gb - Mar1 @ vr
    g1 = (gs - Gsb @ gb)[rows] - Gsr1 @ vr
    system = np.block([[Maa1, Gsa1[rows].T], [Gsa1[rows], np.diag(R)[rows, rows]]])
    return np.linalg.solve(system, np.concatenate([f1, g1]))


def uncontrolled_library(M, G, Gb, fa, fb, S, gs, gb, vr):
    motion = library_motion(M, G, Gb, fa, fb, S, gs, gb, vr)
    return np.concatenate((motion.velocity[:A], -motion.bilateral_impulses))


def uncontrolled_reference(M, G, Gb, fa, fb, S, gs, gb, vr):
    """Minimize the action over all admissible motions, with the penalty (G v - g)^2 / (2 R) per row.

    The admissible motions satisfy the attachments and the prescribed velocities. The multipliers follow from
    the balance of forces.
    """
    v, multipliers, *_ = constrained_motion(M, G, Gb, fa, fb, S, gs, gb, vr)
    return np.concatenate([v[ALPHA], multipliers])


@section.conditional("d1", "The full system with controlled components")
class d1(WithNegativeR):
    formula = r"\begin{pmatrix} \mathbf M_{\alpha\alpha} & \mathbf M_{\alpha\rho} & \mathbf M_{\alpha\beta} & \mathbf G_{\sigma\alpha}^T & \mathbf G_{\beta\alpha}^T \\ \mathbf M_{\rho\alpha} & \mathbf M_{\rho\rho} & \mathbf M_{\rho\beta} & \mathbf G_{\sigma\rho}^T & \mathbf G_{\beta\rho}^T \\ \mathbf M_{\beta\alpha} & \mathbf M_{\beta\rho} & \mathbf M_{\beta\beta} & \mathbf G_{\sigma\beta}^T & \mathbf I \\ \mathbf G_{\sigma\alpha} & \mathbf G_{\sigma\rho} & \mathbf G_{\sigma\beta} & \mathbf R_\sigma & 0 \\ \mathbf G_{\beta\alpha} & \mathbf G_{\beta\rho} & \mathbf I & 0 & 0 \end{pmatrix} \begin{pmatrix} \mathbf v_\alpha \\ \mathbf v_\rho \\ \mathbf v_\beta \\ \boldsymbol\lambda_\sigma \\ \boldsymbol\lambda_\beta \end{pmatrix} = \begin{pmatrix} \mathbf f_\alpha \\ \mathbf f_\rho \\ \mathbf f_\beta \\ \mathbf g_\sigma \\ \mathbf g_\beta \end{pmatrix}"
    result = Result(
        vector_quantity((VELOCITY, 3), (MOMENTUM, 2), (VELOCITY, 2), (MOMENTUM, 5)),
        "active velocities, controlled forces, attached velocities, then multipliers of both kinds",
    )

    def printed(M, G, Gb, fa, fb, R, gs, gb, vr):
        return whole_printed(M, G, Gb, fa, fb, R, gs, gb, vr)

    def library(M, G, Gb, fa, fb, R, gs, gb, vr):
        return whole_library(M, G, Gb, fa, fb, np.abs(R), gs, gb, vr)

    def reference(M, G, Gb, fa, fb, R, gs, gb, vr):
        """Minimize the action over all admissible motions, with the penalty (G v - g)^2 / (2 |R|) per row.

        The admissible motions satisfy the attachments and the prescribed velocities. The multipliers follow
        from the balance of forces.
        """
        v, constraints, attachments, force = constrained_motion(M, G, Gb, fa, fb, np.abs(R), gs, gb, vr)
        return np.concatenate([v[ALPHA], force, v[BETA], constraints, attachments])

    def holds_when(M, G, Gb, fa, fb, R, gs, gb, vr):
        return np.all(R < 0)

    remark = "The multipliers have the opposite sign of the forces, and the condition is that of (0.19)."
    implements = solve_prescribed_motion


@section.conditional("d2", "The system without the attached components")
class d2(WithNegativeR):
    formula = r"\begin{pmatrix} \mathbf M'_{\alpha\alpha} & \mathbf M'_{\alpha\rho} & \mathbf G'^T_{\sigma\alpha} \\ \mathbf M'_{\rho\alpha} & \mathbf M'_{\rho\rho} & \mathbf G'^T_{\sigma\rho} \\ \mathbf G'_{\sigma\alpha} & \mathbf G'_{\sigma\rho} & \mathbf R_\sigma \end{pmatrix} \begin{pmatrix} \mathbf v_\alpha \\ \mathbf v_\rho \\ \boldsymbol\lambda_\sigma \end{pmatrix} = \begin{pmatrix} \mathbf f'_\alpha \\ \mathbf f'_\rho \\ \mathbf g'_\sigma \end{pmatrix}"
    result = Result(
        vector_quantity((VELOCITY, 3), (MOMENTUM, 5)),
        "active velocities, controlled forces, then multipliers of constraints",
    )

    def printed(M, G, Gb, fa, fb, R, gs, gb, vr):
        return reduced_printed(M, G, Gb, fa, fb, R, gs, gb, vr)

    def library(M, G, Gb, fa, fb, R, gs, gb, vr):
        return reduced_library(M, G, Gb, fa, fb, np.abs(R), gs, gb, vr)

    def reference(M, G, Gb, fa, fb, R, gs, gb, vr):
        """Minimize the action over all admissible motions, with the penalty (G v - g)^2 / (2 |R|) per row.

        The admissible motions satisfy the attachments and the prescribed velocities. The multipliers follow
        from the balance of forces.
        """
        return reduced_reference(M, G, Gb, fa, fb, np.abs(R), gs, gb, vr)

    def holds_when(M, G, Gb, fa, fb, R, gs, gb, vr):
        return np.all(R < 0)

    remark = (
        r"The blocks are those of the next display. The reduction does not change $\mathbf R_\sigma$, "
        "so the condition is that of (0.19)."
    )
    implements = solve_prescribed_motion


@section.erratum("d4", "The force that moves the controlled components")
class d4:
    formula = r"\mathbf f_\rho = \mathbf M'_{\rho\alpha}\mathbf v_\alpha + \mathbf M'_{\rho\rho}\mathbf v_\rho + \mathbf G'^T_{\sigma\rho}\boldsymbol\lambda_\sigma + \mathbf G_{\beta\rho}^T\mathbf f_\beta - (\mathbf M_{\rho\beta} - \mathbf G_{\beta\rho}^T\mathbf M_{\beta\beta})\mathbf g_\beta"
    edit = (
        r"- (\mathbf M_{\rho\beta} - \mathbf G_{\beta\rho}^T\mathbf M_{\beta\beta})\mathbf g_\beta",
        r"+ (\mathbf M_{\rho\beta} - \mathbf G_{\beta\rho}^T\mathbf M_{\beta\beta})\mathbf g_\beta",
    )
    inputs = FULL_SYSTEM
    result = Result(MOMENTUM, "of the controlled coordinates")

    def printed(M, G, Gb, fa, fb, S, gs, gb, vr):
        """Evaluate the display with the motion of the library."""
        motion = library_motion(M, G, Gb, fa, fb, S, gs, gb, vr)
        _, (Mra, Mrr, Mrb), (Mba, Mbr, Mbb) = blocks(M)
        _, Gsr, Gsb, Gba, Gbr = constraint_blocks(G, Gb)
        Mra1 = Mra - Mrb @ Gba - Gbr.T @ Mba + Gbr.T @ Mbb @ Gba
        Mrr1 = Mrr - Mrb @ Gbr - Gbr.T @ Mbr + Gbr.T @ Mbb @ Gbr
        Gsr1, lambda_s = Gsr - Gsb @ Gbr, -motion.bilateral_impulses
        return (
            Mra1 @ motion.velocity[ALPHA]
            + Mrr1 @ vr
            + Gsr1.T @ lambda_s
            + Gbr.T @ fb
            - (Mrb - Gbr.T @ Mbb) @ gb
        )

    def library(M, G, Gb, fa, fb, S, gs, gb, vr):
        return library_motion(M, G, Gb, fa, fb, S, gs, gb, vr).actuation_force

    def reference(M, G, Gb, fa, fb, S, gs, gb, vr):
        """Minimize the action over all admissible motions, with the penalty (G v - g)^2 / (2 R) per row.

        The admissible motions satisfy the attachments and the prescribed velocities. The multipliers follow
        from the balance of forces.
        """
        return constrained_motion(M, G, Gb, fa, fb, S, gs, gb, vr)[-1]

    correction = (
        r"The last term has a plus sign: "
        r"$+(\mathbf M_{\rho\beta} - \mathbf G_{\beta\rho}^T\mathbf M_{\beta\beta})\mathbf g_\beta$."
    )
    remark = r"The sign is that of $\mathbf f'_\rho$ above."
    implements = solve_prescribed_motion


@section.misprint("d5#a", "The system of the active components alone: the indices")
class d5_a:
    formula = r"\begin{pmatrix} \mathbf M'_{\alpha\alpha} & \mathbf G'^T_{\alpha\alpha} \\ \mathbf G'_{\alpha\alpha} & \mathbf R_\alpha \end{pmatrix} \begin{pmatrix} \mathbf v_\alpha \\ \boldsymbol\lambda_\sigma \end{pmatrix} = \begin{pmatrix} \mathbf f'_\alpha - \mathbf M'_{\alpha\rho}\mathbf v_\rho \\ \mathbf g'_\alpha - \mathbf G'_{\sigma\rho}\mathbf v_\rho \end{pmatrix}"
    edits = (
        (r"\mathbf G'^T_{\alpha\alpha}", r"\mathbf G'^T_{\sigma\alpha}"),
        (r"\mathbf G'_{\alpha\alpha}", r"\mathbf G'_{\sigma\alpha}"),
        (r"\mathbf R_\alpha", r"\mathbf R_\sigma"),
        (r"\mathbf g'_\alpha", r"\mathbf g'_\sigma"),
    )
    inputs = FULL_SYSTEM
    result = Result(
        vector_quantity((VELOCITY, 3), (MOMENTUM, 3)), "of the active coordinates, then of the constraints"
    )

    def printed(M, G, Gb, fa, fb, S, gs, gb, vr):
        """Take the rows of alpha where alpha is printed, although the sizes do not match those of sigma."""
        rows = slice(0, ROWS_OF_ALPHA)
        return uncontrolled_printed(M, G, Gb, fa, fb, -S, gs, gb, vr, rows)

    library = uncontrolled_library
    reference = uncontrolled_reference
    undefined = "alpha has fewer rows than sigma has multipliers, so that the sizes do not match"
    correction = (
        r"$\mathbf G'_{\sigma\alpha}$, $\mathbf R_\sigma$ and $\mathbf g'_\sigma$ in place of "
        r"$\mathbf G'_{\alpha\alpha}$, $\mathbf R_\alpha$ and $\mathbf g'_\alpha$, because the "
        "rows are still those of all constraints."
    )
    implements = solve_prescribed_motion


@section.conditional("d5#b", "The system of the active components alone: the sign of the regularization")
class d5_b(WithNegativeR):
    formula = r"\begin{pmatrix} \mathbf M'_{\alpha\alpha} & \mathbf G'^T_{\sigma\alpha} \\ \mathbf G'_{\sigma\alpha} & \mathbf R_\sigma \end{pmatrix} \begin{pmatrix} \mathbf v_\alpha \\ \boldsymbol\lambda_\sigma \end{pmatrix} = \begin{pmatrix} \mathbf f'_\alpha - \mathbf M'_{\alpha\rho}\mathbf v_\rho \\ \mathbf g'_\sigma - \mathbf G'_{\sigma\rho}\mathbf v_\rho \end{pmatrix}"
    result = Result(
        vector_quantity((VELOCITY, 3), (MOMENTUM, 3)), "of the active coordinates, then of the constraints"
    )

    def printed(M, G, Gb, fa, fb, R, gs, gb, vr):
        return uncontrolled_printed(M, G, Gb, fa, fb, R, gs, gb, vr, slice(0, ROWS))

    def library(M, G, Gb, fa, fb, R, gs, gb, vr):
        return uncontrolled_library(M, G, Gb, fa, fb, np.abs(R), gs, gb, vr)

    def reference(M, G, Gb, fa, fb, R, gs, gb, vr):
        """Minimize the action over all admissible motions, with the penalty (G v - g)^2 / (2 |R|) per row.

        The admissible motions satisfy the attachments and the prescribed velocities. The multipliers follow
        from the balance of forces.
        """
        return uncontrolled_reference(M, G, Gb, fa, fb, np.abs(R), gs, gb, vr)

    def holds_when(M, G, Gb, fa, fb, R, gs, gb, vr):
        return np.all(R < 0)

    remark = "The check uses the indices of all constraints. The condition is that of (0.19)."
    implements = solve_prescribed_motion


# ------------------------------------------------------------------------------------------------------------
# The blocks of the system from which the attached components have been eliminated.


@section.holds("d3#a", "Effective inertia, block alpha alpha")
class d3_a:
    formula = r"\mathbf M'_{\alpha\alpha} = \mathbf M_{\alpha\alpha} - \mathbf M_{\alpha\beta}\mathbf G_{\beta\alpha} - \mathbf G_{\beta\alpha}^T\mathbf M_{\beta\alpha} + \mathbf G_{\beta\alpha}^T\mathbf M_{\beta\beta}\mathbf G_{\beta\alpha}"
    any_size = True
    inputs = ATTACHED_SYSTEM
    result = Result(MASS, "of the remaining coordinates, active or controlled")

    def printed(M, G, Gb):
        (Maa, _, Mab), _, (Mba, _, Mbb) = blocks(M)
        Gba = Gb[:, ALPHA]
        return Maa - Mab @ Gba - Gba.T @ Mba + Gba.T @ Mbb @ Gba

    def library(M, G, Gb):
        return reduce_attachments(M, G, Gb)[2].mass[ALPHA, ALPHA]

    def reference(M, G, Gb):
        """Compare with the kinetic energy of all components as a function of the active velocities."""
        return effective_mass(M, Gb)[ALPHA, ALPHA]

    implements = NullSpaceReduction.reduce


@section.holds("d3#b", "Effective inertia, block alpha rho")
class d3_b:
    formula = r"\mathbf M'_{\alpha\rho} = \mathbf M_{\alpha\rho} - \mathbf M_{\alpha\beta}\mathbf G_{\beta\rho} - \mathbf G_{\beta\alpha}^T\mathbf M_{\beta\rho} + \mathbf G_{\beta\alpha}^T\mathbf M_{\beta\beta}\mathbf G_{\beta\rho}"
    any_size = True
    inputs = ATTACHED_SYSTEM
    result = Result(MASS, "of the remaining coordinates, active or controlled")

    def printed(M, G, Gb):
        (_, Mar, Mab), _, (_, Mbr, Mbb) = blocks(M)
        Gba, Gbr = Gb[:, ALPHA], Gb[:, RHO]
        return Mar - Mab @ Gbr - Gba.T @ Mbr + Gba.T @ Mbb @ Gbr

    def library(M, G, Gb):
        return reduce_attachments(M, G, Gb)[2].mass[ALPHA, RHO]

    def reference(M, G, Gb):
        """Compare with the kinetic energy of all components as a function of the active velocities."""
        return effective_mass(M, Gb)[ALPHA, RHO]

    implements = NullSpaceReduction.reduce


@section.holds("d3#c", "Effective inertia, block rho alpha")
class d3_c:
    formula = r"\mathbf M'_{\rho\alpha} = \mathbf M_{\rho\alpha} - \mathbf M_{\rho\beta}\mathbf G_{\beta\alpha} - \mathbf G_{\beta\rho}^T\mathbf M_{\beta\alpha} + \mathbf G_{\beta\rho}^T\mathbf M_{\beta\beta}\mathbf G_{\beta\alpha}"
    any_size = True
    inputs = ATTACHED_SYSTEM
    result = Result(MASS, "of the remaining coordinates, active or controlled")

    def printed(M, G, Gb):
        _, (Mra, _, Mrb), (Mba, _, Mbb) = blocks(M)
        Gba, Gbr = Gb[:, ALPHA], Gb[:, RHO]
        return Mra - Mrb @ Gba - Gbr.T @ Mba + Gbr.T @ Mbb @ Gba

    def library(M, G, Gb):
        return reduce_attachments(M, G, Gb)[2].mass[RHO, ALPHA]

    def reference(M, G, Gb):
        """Compare with the kinetic energy of all components as a function of the active velocities."""
        return effective_mass(M, Gb)[RHO, ALPHA]

    implements = NullSpaceReduction.reduce


@section.holds("d3#d", "Effective inertia, block rho rho")
class d3_d:
    formula = r"\mathbf M'_{\rho\rho} = \mathbf M_{\rho\rho} - \mathbf M_{\rho\beta}\mathbf G_{\beta\rho} - \mathbf G_{\beta\rho}^T\mathbf M_{\beta\rho} + \mathbf G_{\beta\rho}^T\mathbf M_{\beta\beta}\mathbf G_{\beta\rho}"
    any_size = True
    inputs = ATTACHED_SYSTEM
    result = Result(MASS, "of the remaining coordinates, active or controlled")

    def printed(M, G, Gb):
        _, (_, Mrr, Mrb), (_, Mbr, Mbb) = blocks(M)
        Gbr = Gb[:, RHO]
        return Mrr - Mrb @ Gbr - Gbr.T @ Mbr + Gbr.T @ Mbb @ Gbr

    def library(M, G, Gb):
        return reduce_attachments(M, G, Gb)[2].mass[RHO, RHO]

    def reference(M, G, Gb):
        """Compare with the kinetic energy of all components as a function of the active velocities."""
        return effective_mass(M, Gb)[RHO, RHO]

    implements = NullSpaceReduction.reduce


@section.holds("d3#e", "Constraints on the remaining components, block alpha")
class d3_e:
    formula = r"\mathbf G'_{\sigma\alpha} = \mathbf G_{\sigma\alpha} - \mathbf G_{\sigma\beta}\mathbf G_{\beta\alpha}"
    any_size = True
    inputs = ATTACHED_SYSTEM
    result = Result(NUMBER, "one row for each constraint, over the remaining coordinates")

    def printed(M, G, Gb):
        Gsa, Gsb, Gba = G[:, ALPHA], G[:, BETA], Gb[:, ALPHA]
        return Gsa - Gsb @ Gba

    def library(M, G, Gb):
        return reduce_attachments(M, G, Gb)[2].bilateral.rows[:, ALPHA]

    def reference(M, G, Gb):
        """Apply the constraints to unit velocities of the remaining components.

        The attached velocities are eliminated.
        """
        return effective_rows(G, Gb)[:, ALPHA]

    exact = "both forms sum the same few products in the same order"
    implements = NullSpaceReduction.reduce


@section.holds("d3#f", "Constraints on the remaining components, block rho")
class d3_f:
    formula = (
        r"\mathbf G'_{\sigma\rho} = \mathbf G_{\sigma\rho} - \mathbf G_{\sigma\beta}\mathbf G_{\beta\rho}"
    )
    any_size = True
    inputs = ATTACHED_SYSTEM
    result = Result(NUMBER, "one row for each constraint, over the remaining coordinates")

    def printed(M, G, Gb):
        Gsr, Gsb, Gbr = G[:, RHO], G[:, BETA], Gb[:, RHO]
        return Gsr - Gsb @ Gbr

    def library(M, G, Gb):
        return reduce_attachments(M, G, Gb)[2].bilateral.rows[:, RHO]

    def reference(M, G, Gb):
        """Apply the constraints to unit velocities of the remaining components.

        The attached velocities are eliminated.
        """
        return effective_rows(G, Gb)[:, RHO]

    implements = NullSpaceReduction.reduce


@section.erratum("d3#g", "Forces on the active components")
class d3_g:
    formula = r"\mathbf f'_\alpha = \mathbf f_\alpha - \mathbf G_{\beta\alpha}^T\mathbf f_\beta + (\mathbf M_{\alpha\beta} - \mathbf G_{\beta\alpha}^T\mathbf M_{\beta\beta})\mathbf g_\beta"
    edit = (
        r"+ (\mathbf M_{\alpha\beta} - \mathbf G_{\beta\alpha}^T\mathbf M_{\beta\beta})\mathbf g_\beta",
        r"- (\mathbf M_{\alpha\beta} - \mathbf G_{\beta\alpha}^T\mathbf M_{\beta\beta})\mathbf g_\beta",
    )
    inputs = FULL_SYSTEM
    result = Result(MOMENTUM, "of the active coordinates")

    def printed(M, G, Gb, fa, fb, S, gs, gb, vr):
        Mab, Mbb, Gba = M[ALPHA, BETA], M[BETA, BETA], Gb[:, ALPHA]
        return fa - Gba.T @ fb + (Mab - Gba.T @ Mbb) @ gb

    def library(M, G, Gb, fa, fb, S, gs, gb, vr):
        f = np.concatenate((fa, vr, fb))  # the forces on the controlled components are arbitrary
        return reduce_attachments(M, G, Gb, f, S, gs, gb)[2].momentum[ALPHA]

    def reference(M, G, Gb, fa, fb, S, gs, gb, vr):
        """Compare with the effective inertia from the energy, times the motion of least action."""
        return force_reference(M, G, Gb, fa, fb, S, gs, gb, vr)[ALPHA]

    combined_with = ("lloyd/s0.21/d1",)
    correction = (
        r"The last term has a minus sign, as in (0.23): "
        r"$-(\mathbf M_{\alpha\beta} - \mathbf G_{\beta\alpha}^T\mathbf M_{\beta\beta})\mathbf g_\beta$."
    )
    effect = (
        "A double pendulum with masses of 1 kg and rods of 1 m, released at 1.5 rad, gains 16.7 J in two "
        "seconds without a drive."
    )
    implements = NullSpaceReduction.reduce


@section.erratum("d3#h", "Forces on the controlled components")
class d3_h:
    formula = r"\mathbf f'_\rho = \mathbf f_\rho - \mathbf G_{\beta\rho}^T\mathbf f_\beta + (\mathbf M_{\rho\beta} - \mathbf G_{\beta\rho}^T\mathbf M_{\beta\beta})\mathbf g_\beta"
    edit = (
        r"+ (\mathbf M_{\rho\beta} - \mathbf G_{\beta\rho}^T\mathbf M_{\beta\beta})\mathbf g_\beta",
        r"- (\mathbf M_{\rho\beta} - \mathbf G_{\beta\rho}^T\mathbf M_{\beta\beta})\mathbf g_\beta",
    )
    inputs = FULL_SYSTEM
    result = Result(MOMENTUM, "of the controlled coordinates")

    def printed(M, G, Gb, fa, fb, S, gs, gb, vr):
        """Evaluate the display with the f_rho of the library."""
        fr = library_motion(M, G, Gb, fa, fb, S, gs, gb, vr).actuation_force
        Mrb, Mbb, Gbr = M[RHO, BETA], M[BETA, BETA], Gb[:, RHO]
        return fr - Gbr.T @ fb + (Mrb - Gbr.T @ Mbb) @ gb

    def library(M, G, Gb, fa, fb, S, gs, gb, vr):
        f = all_forces(M, G, Gb, fa, fb, S, gs, gb, vr)
        return reduce_attachments(M, G, Gb, f, S, gs, gb)[2].momentum[RHO]

    def reference(M, G, Gb, fa, fb, S, gs, gb, vr):
        """Compare with the effective inertia from the energy, times the motion of least action."""
        return force_reference(M, G, Gb, fa, fb, S, gs, gb, vr)[RHO]

    correction = (
        r"The last term has a minus sign, as in (0.23): "
        r"$-(\mathbf M_{\rho\beta} - \mathbf G_{\beta\rho}^T\mathbf M_{\beta\beta})\mathbf g_\beta$."
    )
    implements = NullSpaceReduction.reduce


@section.misprint("d3#i", "Right-hand sides of the remaining constraints")
class d3_i:
    formula = r"\mathbf g'_\alpha = \mathbf g_\alpha - \mathbf G_{\sigma\beta}\mathbf g_\beta"
    edit = (r"\mathbf g'_\alpha = \mathbf g_\alpha", r"\mathbf g'_\sigma = \mathbf g_\sigma")
    inputs = FULL_SYSTEM
    result = Result(VELOCITY, "one for each constraint")

    def printed(M, G, Gb, fa, fb, S, gs, gb, vr):
        """Take the rows of alpha, although sigma has more."""
        ga, Gsb = gs[:ROWS_OF_ALPHA], G[:, BETA]
        return ga - Gsb @ gb

    def library(M, G, Gb, fa, fb, S, gs, gb, vr):
        return reduce_attachments(M, G, Gb, None, S, gs, gb)[2].bilateral.target

    def reference(M, G, Gb, fa, fb, S, gs, gb, vr):
        """Apply the constraints on the remaining components to the motion of least action."""
        v, multipliers, *_ = constrained_motion(M, G, Gb, fa, fb, S, gs, gb, vr)
        return effective_rows(G, Gb) @ v[:REMAINING] - S * multipliers

    undefined = "g of alpha has fewer rows than G of sigma, so that the sizes do not match"
    correction = (
        r"$\mathbf g'_\sigma = \mathbf g_\sigma - \mathbf G_{\sigma\beta}\mathbf g_\beta$: the "
        "index is that of the preceding system."
    )
    implements = NullSpaceReduction.reduce
