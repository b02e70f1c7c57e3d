"""Lloyd 0.17: null-space reduction of the KKT system for attachments.

The oracle is the motion of least action: a minimum under the attachments, with a penalty for each violation of
a softened constraint. It does not solve a KKT system.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from rbnotes.attachments import (
    Attachment,
    NullSpaceReduction,
    null_space_reduction,
)
from rbnotes.dynamics import BilateralRows, StepProblem, StepSolution, solve_step
from rbnotes.ledger.claims.lloyd.section_0_17 import section
from rbnotes.ledger.oracles.attachments import (
    attached_velocities,
    soft_constrained_motion,
)
from rbnotes.ledger.quantities import (
    INVERSE_MASS,
    MOMENTUM,
    VELOCITY,
    vector_quantity,
)
from rbnotes.ledger.record import Argument, Result
from rbnotes.testing.strategies import arrays, spd_matrices, vectors

ACTIVE, ATTACHED, ROWS = 4, 3, 2
SIZE = ACTIVE + ATTACHED
ALPHA, BETA = slice(0, ACTIVE), slice(ACTIVE, SIZE)
IDENTITY = np.eye(ATTACHED)

MASSES = {"M": spd_matrices(SIZE, arrays)}
ATTACHED_SYSTEM = {**MASSES, "Gba": arrays(ATTACHED, ACTIVE)}
WITHOUT_DRIFT = {
    **ATTACHED_SYSTEM,
    "G": arrays(ROWS, SIZE),
    "f": arrays(SIZE),
    "g": arrays(ROWS),
    "S": vectors(ROWS, 0.25, 2.0),
}
FULL_SYSTEM = {**WITHOUT_DRIFT, "gb": arrays(ATTACHED)}


def reduction_of(Gba, gb=None) -> NullSpaceReduction:
    return null_space_reduction(
        [ACTIVE, ATTACHED], [Attachment(1, {0: -Gba}, np.zeros(ATTACHED) if gb is None else gb)]
    )


def step_problem(M, f, G=None, g=None, S=None) -> StepProblem:
    """Return the problem of all components; omitted arguments are zero."""
    fields = {"rows": G, "target": g, "regularization": S}
    return StepProblem(
        M, f, BilateralRows(**{name: each for name, each in fields.items() if each is not None})
    )


def reduced_problem(M, Gba, G=None, f=None, g=None, S=None, gb=None) -> StepProblem:
    return reduction_of(Gba, gb).reduce(step_problem(M, np.zeros(SIZE) if f is None else f, G, g, S))


def constrained_motion(M, Gba, G, f, g, S, gb):
    """Return v and the multipliers of constraints and attachments with the signs of the notes."""
    rows = np.hstack([Gba, IDENTITY])
    v, soft_impulses, hard_impulses = soft_constrained_motion(M, f, (G, g, S), (rows, gb))
    return v, -soft_impulses, -hard_impulses


def blocks(M):
    return M[ALPHA, ALPHA], M[ALPHA, BETA], M[BETA, ALPHA], M[BETA, BETA]


def whole_printed(M, Gba, G, f, g, R, gb):
    """Solve (0.19) with the regularization matrix diag(R)."""
    Maa, Mab, Mba, Mbb = blocks(M)
    Gaa, Gab = G[:, ALPHA], G[:, BETA]
    zero, zero_rows = np.zeros((ATTACHED, ATTACHED)), np.zeros((ROWS, ATTACHED))
    zero_columns = np.zeros((ATTACHED, ROWS))
    system = np.block(
        [
            [Maa, Mab, Gaa.T, Gba.T],
            [Mba, Mbb, Gab.T, IDENTITY],
            [Gaa, Gab, np.diag(R), zero_rows],
            [Gba, IDENTITY, zero_columns, zero],
        ]
    )
    return np.linalg.solve(system, np.concatenate([f, g, gb]))


def whole_library(M, Gba, G, f, g, S, gb):
    step = solve_step(reduced_problem(M, Gba, G, f, g, S, gb))
    space = reduction_of(Gba, gb)
    expanded_step = space.expand(step)
    forces = space.attachment_forces(StepProblem(M, f, BilateralRows(G, g, S)), expanded_step)
    return np.concatenate([expanded_step.velocity, -expanded_step.bilateral, -forces])


R_IS_NEGATIVE = (
    r"$-\mathbf R_\alpha$ is the compliance: $\mathbf R_\alpha = -\gamma\alpha/h^2$ in the letters of (0.9)"
)


def negative_regularization(system, rows, condition_text=R_IS_NEGATIVE):
    """Return a base class of records that are true only if the regularization coefficients R are negative.

    The inputs are those of a system whose compliances S are replaced by R of either sign; forms take |R| as
    the compliance.
    """
    negative = vectors(rows, -2.0, -0.25)
    either_sign = {
        "R" if name == "S" else name: st.one_of(negative, vectors(rows, 0.25, 2.0)) if name == "S" else each
        for name, each in system.items()
    }

    class NegativeRegularization:
        inputs = either_sign
        condition_inputs = {**either_sign, "R": negative}
        arguments = {"R": Argument(INVERSE_MASS, "one for each constraint; its compliance is |R|")}
        condition = condition_text

    return NegativeRegularization


WithNegativeR: Any = negative_regularization(FULL_SYSTEM, ROWS)


@section.holds("e0.18", "An attachment as a constraint")
class e0_18:
    formula = r"\mathbf v_k + \mathbf G_{k\alpha}\mathbf v_\alpha = 0"
    inputs = {"Gka": arrays(ATTACHED, ACTIVE), "v_active": vectors(ACTIVE)}
    result = Result(VELOCITY, "of each attached coordinate, in their order")

    def printed(Gka, v_active):
        return -Gka @ v_active

    def library(Gka, v_active):
        return reduction_of(Gka).expand_velocities(v_active)[BETA]

    def reference(Gka, v_active):
        """Compare with the attached velocities as sums over the active ones, row by row."""
        return [-sum(g * v for g, v in zip(row, v_active, strict=True)) for row in Gka]

    exact = "both forms sum the same few products in the same order"
    remark = (
        r"The library stores the corresponding map, $\mathbf v_k = \mathbf J\mathbf v_\alpha$ with"
        r" $\mathbf J = -\mathbf G_{k\alpha}$."
    )
    implements = NullSpaceReduction.expand_velocities


@section.holds("d1", "All attachments as one constraint")
class d1:
    formula = r"\mathbf I\mathbf v_\beta + \mathbf G_{\beta\alpha}\mathbf v_\alpha = 0"
    inputs = {"Gba": arrays(ATTACHED, ACTIVE), "v_active": vectors(ACTIVE)}
    result = Result(VELOCITY, "of the active coordinates, then of the attached ones")

    def printed(Gba, v_active):
        return np.concatenate([v_active, np.linalg.solve(IDENTITY, -Gba @ v_active)])

    def library(Gba, v_active):
        return reduction_of(Gba).expand_velocities(v_active)

    oracle = "Compare with the attached velocities, component by component."
    reference = attached_velocities
    exact = "both forms sum the same few products in the same order"
    implements = (null_space_reduction, NullSpaceReduction.expand_velocities)


@section.conditional("e0.19", "The full system with its attachments")
class e0_19(WithNegativeR):
    formula = r"\begin{pmatrix} \mathbf M_{\alpha\alpha} & \mathbf M_{\alpha\beta} & \mathbf G_{\alpha\alpha}^T & \mathbf G_{\beta\alpha}^T \\ \mathbf M_{\beta\alpha} & \mathbf M_{\beta\beta} & \mathbf G_{\alpha\beta}^T & \mathbf I \\ \mathbf G_{\alpha\alpha} & \mathbf G_{\alpha\beta} & \mathbf R_\alpha & 0 \\ \mathbf G_{\beta\alpha} & \mathbf I & 0 & 0 \end{pmatrix} \begin{pmatrix} \mathbf v_\alpha \\ \mathbf v_\beta \\ \boldsymbol\lambda_\alpha \\ \boldsymbol\lambda_\beta \end{pmatrix} = \begin{pmatrix} \mathbf f_\alpha \\ \mathbf f_\beta \\ \mathbf g_\alpha \\ \mathbf g_\beta \end{pmatrix}"
    result = Result(
        vector_quantity((VELOCITY, 7), (MOMENTUM, 5)),
        "of all coordinates, the attached ones last, then of constraints and attachments",
    )

    def printed(M, Gba, G, f, g, R, gb):
        return whole_printed(M, Gba, G, f, g, R, gb)

    def library(M, Gba, G, f, g, R, gb):
        return whole_library(M, Gba, G, f, g, np.abs(R), gb)

    def reference(M, Gba, G, f, g, R, gb):
        """Minimize the action over all admissible motions, with the penalty (G v - g)^2 / (2 |R|) per row.

        The admissible motions satisfy the attachments. The multipliers follow from the balance of forces.
        """
        return np.concatenate(constrained_motion(M, Gba, G, f, g, np.abs(R), gb))

    def holds_when(M, Gba, G, f, g, R, gb):
        return np.all(R < 0)

    remark = (
        r"The sign $+\mathbf G^T$ means that $-\mathbf G^T\boldsymbol\lambda$ acts on the components. The notes do not "
        r"say which sign $\mathbf R_\alpha$ has. A positive one increases the violation of a soft constraint, and there is no "
        r"solution if it equals $\mathbf G\mathbf M^{-1}\mathbf G^T$. (0.9) has $-\mathbf G^T$ above $+\gamma\alpha/h^2$. With "
        r"hard constraints, $\mathbf R_\alpha = 0$, no condition is needed. ArtiSynth's "
        r"`KKTSolver` (artisynth_core, commit 1b16f6ab) puts $-\mathbf R$ below $+\mathbf G^T$, with a positive $\mathbf R$."
    )
    implements = (StepProblem, NullSpaceReduction)


@section.conditional("t752", "The regularization matrix of the full system")
class t752(WithNegativeR):
    formula = (
        r"\text{`where } \mathbf R_\alpha \text{ is a diagonal regularization matrix for the constraints'}"
    )
    result = Result(VELOCITY, "one for each constraint")

    def printed(M, Gba, G, f, g, R, gb):
        return G @ whole_printed(M, Gba, G, f, g, R, gb)[:SIZE] - g

    def library(M, Gba, G, f, g, R, gb):
        expanded_step = reduction_of(Gba, gb).expand(
            solve_step(reduced_problem(M, Gba, G, f, g, np.abs(R), gb))
        )
        return G @ expanded_step.velocity - g

    def reference(M, Gba, G, f, g, R, gb):
        """Compare with the constraint violations of the motion of least action under the attachments.

        Each violation has the penalty (G v - g)^2 / (2 |R|).
        """
        return G @ constrained_motion(M, Gba, G, f, g, np.abs(R), gb)[0] - g

    def holds_when(M, Gba, G, f, g, R, gb):
        return np.all(R < 0)

    remark = (
        "Regularization allows a violation that the constraint force reduces. With a positive matrix and the "
        "printed signs, that force increases the violation."
    )
    implements = StepProblem


@section.holds("d2#a", "Velocities of the attached components")
class d2_a:
    formula = r"\mathbf v_\beta = \mathbf g_\beta - \mathbf G_{\beta\alpha}\mathbf v_\alpha"
    inputs = {**{name: FULL_SYSTEM[name] for name in ("M", "Gba", "G", "f", "gb")}, "va": arrays(ACTIVE)}
    result = Result(VELOCITY, "of each attached coordinate, in their order")

    def printed(M, Gba, G, f, gb, va):
        return gb - Gba @ va

    def library(M, Gba, G, f, gb, va):
        return reduction_of(Gba, gb).expand_velocities(va)[BETA]

    def reference(M, Gba, G, f, gb, va):
        """Solve the rows of the attachments in (0.19) for the attached velocities."""
        rows = np.hstack([Gba, IDENTITY])
        return np.linalg.solve(rows[:, BETA], gb - rows[:, ALPHA] @ va)

    exact = "both forms sum the same few products in the same order"
    implements = NullSpaceReduction.expand_velocities


@section.holds("d2#b", "Multipliers of the attachments")
class d2_b:
    formula = r"\boldsymbol\lambda_\beta = \mathbf f_\beta - \mathbf M_{\beta\alpha}\mathbf v_\alpha + \mathbf M_{\beta\beta}\mathbf G_{\beta\alpha}\mathbf v_\alpha - \mathbf M_{\beta\beta}\mathbf g_\beta - \mathbf G_{\alpha\beta}^T\boldsymbol\lambda_\alpha"
    inputs = {
        **{name: FULL_SYSTEM[name] for name in ("M", "Gba", "G", "f", "gb")},
        "va": arrays(ACTIVE),
        "la": arrays(ROWS),
    }
    result = Result(MOMENTUM, "of each attached coordinate, in their order")

    def printed(M, Gba, G, f, gb, va, la):
        _, _, Mba, Mbb = blocks(M)
        Gab, fb = G[:, BETA], f[BETA]
        return fb - Mba @ va + Mbb @ Gba @ va - Mbb @ gb - Gab.T @ la

    def library(M, Gba, G, f, gb, va, la):
        space = reduction_of(Gba, gb)
        system = StepProblem(M, f, BilateralRows(G))
        return -space.attachment_forces(system, StepSolution(space.expand_velocities(va), -la))

    def reference(M, Gba, G, f, gb, va, la):
        """Solve the rows of attached components and attachments in (0.19) for both unknowns."""
        attachments = np.hstack([Gba, IDENTITY])
        rows = np.vstack([np.hstack([M[ACTIVE:], G[:, ACTIVE:].T, attachments[:, ACTIVE:].T])])
        known_terms = f[ACTIVE:] - rows[:, :ACTIVE] @ va - rows[:, SIZE : SIZE + ROWS] @ la
        left = np.zeros((2 * ATTACHED, 2 * ATTACHED))
        left[:ATTACHED] = np.hstack([rows[:, ACTIVE:SIZE], rows[:, SIZE + ROWS :]])
        left[ATTACHED:, :ATTACHED] = attachments[:, ACTIVE:]
        right = np.concatenate([known_terms, gb - attachments[:, :ACTIVE] @ va])
        return np.linalg.solve(left, right)[ATTACHED:]

    remark = r"The force on the attached components has the opposite sign, $-\boldsymbol\lambda_\beta$."
    implements = NullSpaceReduction.attachment_forces
