"""Lloyd 0.17: the system in the velocities of the active components, block by block."""

from __future__ import annotations

import numpy as np

from rbnotes.attachments import (
    NullSpaceReduction,
)
from rbnotes.dynamics import solve_step
from rbnotes.ledger.claims.lloyd.section_0_17 import section
from rbnotes.ledger.claims.lloyd.section_0_17.attachments import (
    ALPHA,
    ATTACHED,
    ATTACHED_SYSTEM,
    BETA,
    FULL_SYSTEM,
    WITHOUT_DRIFT,
    WithNegativeR,
    blocks,
    constrained_motion,
    reduced_problem,
)
from rbnotes.ledger.oracles.attachments import (
    effective_mass,
    effective_rows,
)
from rbnotes.ledger.quantities import (
    MASS,
    MOMENTUM,
    NUMBER,
    VELOCITY,
    vector_quantity,
)
from rbnotes.ledger.record import Result


def reduced_printed(M, Gba, G, f, g, R, gb):
    """Solve (0.20), with (0.21) to (0.24) and the regularization matrix diag(R)."""
    Maa, Mab, Mba, Mbb = blocks(M)
    Gaa, Gab, fa, fb = G[:, ALPHA], G[:, BETA], f[ALPHA], f[BETA]
    M1 = Maa - Mab @ Gba - Gba.T @ Mba + Gba.T @ Mbb @ Gba
    G1 = Gaa - Gab @ Gba
    f1 = fa - Gba.T @ fb - (Mab - Gba.T @ Mbb) @ gb
    gamma1 = g - Gab @ gb
    return np.linalg.solve(np.block([[M1, G1.T], [G1, np.diag(R)]]), np.concatenate([f1, gamma1]))


def reduced_library(M, Gba, G, f, g, S, gb):
    solved = solve_step(reduced_problem(M, Gba, G, f, g, S, gb))
    v, soft_impulses = solved.velocity, solved.bilateral
    return np.concatenate([v, -soft_impulses])


def reduced_reference(M, Gba, G, f, g, S, gb):
    """Minimize the action over all admissible motions, with the penalty (G v - g)^2 / (2 R) per row.

    The admissible motions satisfy the attachments. The multipliers follow from the balance of forces.
    """
    v, multipliers, _ = constrained_motion(M, Gba, G, f, g, S, gb)
    return np.concatenate([v[ALPHA], multipliers])


def force_reference(M, Gba, G, f, g, S, gb):
    """Compare with the effective inertia from the energy, times the motion of least action.

    The multipliers times the effective rows are added.
    """
    v, multipliers, _ = constrained_motion(M, Gba, G, f, g, S, gb)
    return effective_mass(M, Gba) @ v[ALPHA] + effective_rows(G, Gba).T @ multipliers


def target_reference(M, Gba, G, f, g, S, gb):
    """Apply the constraints on the active components to the motion of least action.

    The regularization times the multipliers is subtracted.
    """
    v, multipliers, _ = constrained_motion(M, Gba, G, f, g, S, gb)
    return effective_rows(G, Gba) @ v[ALPHA] - S * multipliers


@section.conditional("e0.20", "The reduced system")
class e0_20(WithNegativeR):
    formula = r"\begin{pmatrix} \mathbf M' & \mathbf G'^T \\ \mathbf G' & \mathbf R_\alpha \end{pmatrix} \begin{pmatrix} \mathbf v_\alpha \\ \boldsymbol\lambda_\alpha \end{pmatrix} = \begin{pmatrix} \mathbf f' \\ \boldsymbol\gamma' \end{pmatrix}"
    result = Result(
        vector_quantity((VELOCITY, 4), (MOMENTUM, 2)), "of the active coordinates, then of the constraints"
    )

    def printed(M, Gba, G, f, g, R, gb):
        return reduced_printed(M, Gba, G, f, g, R, gb)

    def library(M, Gba, G, f, g, R, gb):
        return reduced_library(M, Gba, G, f, g, np.abs(R), gb)

    def reference(M, Gba, G, f, g, R, gb):
        """Minimize the action over all admissible motions, with the penalty (G v - g)^2 / (2 |R|) per row.

        The admissible motions satisfy the attachments. The multipliers follow from the balance of forces.
        """
        return reduced_reference(M, Gba, G, f, g, np.abs(R), gb)

    def holds_when(M, Gba, G, f, g, R, gb):
        return np.all(R < 0)

    remark = (
        r"The blocks are (0.21) to (0.24). The reduction does not change $\mathbf R_\alpha$, so that the condition is that of "
        "(0.19)."
    )
    implements = NullSpaceReduction.reduce


@section.holds("e0.21", "Effective inertia of the active components")
class e0_21:
    formula = r"\mathbf M' = \mathbf M_{\alpha\alpha} - \mathbf M_{\alpha\beta}\mathbf G_{\beta\alpha} - \mathbf G_{\beta\alpha}^T\mathbf M_{\beta\alpha} + \mathbf G_{\beta\alpha}^T\mathbf M_{\beta\beta}\mathbf G_{\beta\alpha}"
    inputs = ATTACHED_SYSTEM
    result = Result(MASS, "of the active coordinates")

    def printed(M, Gba):
        Maa, Mab, Mba, Mbb = blocks(M)
        return Maa - Mab @ Gba - Gba.T @ Mba + Gba.T @ Mbb @ Gba

    def library(M, Gba):
        return reduced_problem(M, Gba).mass

    oracle = "Compare with the kinetic energy of all components as a function of the active velocities."
    reference = effective_mass
    implements = NullSpaceReduction.reduce


@section.holds("e0.22", "Constraints on the active components")
class e0_22:
    formula = r"\mathbf G' = \mathbf G_{\alpha\alpha} - \mathbf G_{\alpha\beta}\mathbf G_{\beta\alpha}"
    any_size = True
    inputs = {name: FULL_SYSTEM[name] for name in ("M", "Gba", "G")}
    result = Result(NUMBER, "one row for each constraint, over the active coordinates")

    def printed(M, Gba, G):
        Gaa, Gab = G[:, ALPHA], G[:, BETA]
        return Gaa - Gab @ Gba

    def library(M, Gba, G):
        return reduced_problem(M, Gba, G).bilateral.rows

    def reference(M, Gba, G):
        """Apply the constraints to unit velocities of the active components.

        The attached velocities follow from the active ones.
        """
        return effective_rows(G, Gba)

    exact = (
        "each number is one sum of few products in one order, and all forms round in the same way if the "
        "processor does not fuse them"
    )
    implements = NullSpaceReduction.reduce


@section.holds("e0.23", "Forces on the active components")
class e0_23:
    formula = r"\mathbf f' = \mathbf f_\alpha - \mathbf G_{\beta\alpha}^T\mathbf f_\beta - (\mathbf M_{\alpha\beta} - \mathbf G_{\beta\alpha}^T\mathbf M_{\beta\beta})\mathbf g_\beta"
    any_size = True
    inputs = FULL_SYSTEM
    result = Result(MOMENTUM, "of the active coordinates")

    def printed(M, Gba, G, f, g, S, gb):
        _, Mab, _, Mbb = blocks(M)
        fa, fb = f[ALPHA], f[BETA]
        return fa - Gba.T @ fb - (Mab - Gba.T @ Mbb) @ gb

    def library(M, Gba, G, f, g, S, gb):
        return reduced_problem(M, Gba, G, f, g, S, gb).momentum

    reference = force_reference
    remark = "Section 0.21 prints the last term with the opposite sign."
    implements = NullSpaceReduction.reduce


@section.holds("e0.24", "Right-hand sides of the constraints on the active components")
class e0_24:
    formula = r"\boldsymbol\gamma' = \mathbf g_\alpha - \mathbf G_{\alpha\beta}\mathbf g_\beta"
    any_size = True
    inputs = FULL_SYSTEM
    result = Result(VELOCITY, "one for each constraint")

    def printed(M, Gba, G, f, g, S, gb):
        Gab = G[:, BETA]
        return g - Gab @ gb

    def library(M, Gba, G, f, g, S, gb):
        return reduced_problem(M, Gba, G, f, g, S, gb).bilateral.target

    reference = target_reference
    implements = NullSpaceReduction.reduce


@section.holds("t774#a", "Forces and right-hand sides for attachments without drift")
class t774_a:
    formula = r"\mathbf g_\beta = 0:\quad \mathbf f' = \mathbf f_\alpha - \mathbf G_{\beta\alpha}^T\mathbf f_\beta,\quad \boldsymbol\gamma' = \mathbf g_\alpha"
    any_size = True
    inputs = WITHOUT_DRIFT
    result = Result(
        vector_quantity((MOMENTUM, 4), (VELOCITY, 2)), "of the active coordinates, then of the constraints"
    )

    def printed(M, Gba, G, f, g, S):
        fa, fb = f[ALPHA], f[BETA]
        return np.concatenate([fa - Gba.T @ fb, g])

    def library(M, Gba, G, f, g, S):
        small = reduced_problem(M, Gba, G, f, g, S)
        return np.concatenate([small.momentum, small.bilateral.target])

    def reference(M, Gba, G, f, g, S):
        """Apply the effective inertia and the rows of the active components to the least-action motion."""
        case = (M, Gba, G, f, g, S, np.zeros(ATTACHED))
        return np.concatenate([force_reference(*case), target_reference(*case)])

    implements = NullSpaceReduction.reduce
