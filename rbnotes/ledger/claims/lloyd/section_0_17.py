"""Lloyd 0.17: null-space reduction of the KKT system for attachments.

The motion of the whole system is that of least action: a minimum under the attachments, with a cost for each
violation of a softened constraint. No KKT matrix is solved for it.
"""

from __future__ import annotations

import numpy as np

from rbnotes.attachments import Attachment, NullSpaceReduction, null_space_reduction
from rbnotes.dynamics import BilateralRows, StepProblem, StepSolution, solve_step
from rbnotes.ledger.oracles.attachments import attached_velocities, soft_constrained_motion
from rbnotes.ledger.quantities import INVERSE_MASS, MOMENTUM, NUMBER, VELOCITY, vector_quantity
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing.strategies import arrays, vectors

CHAPTER = "attachments"
ACTIVE, ATTACHED, ROWS = 4, 3, 2
SIZE = ACTIVE + ATTACHED
ALPHA, BETA = slice(0, ACTIVE), slice(ACTIVE, SIZE)
IDENTITY = np.eye(ATTACHED)

MASSES = {"M": arrays(SIZE, SIZE).map(lambda A: A @ A.T / SIZE + 0.5 * np.eye(SIZE))}
TIED = {**MASSES, "Gba": arrays(ATTACHED, ACTIVE)}
WITHOUT_DRIFT = {
    **TIED,
    "G": arrays(ROWS, SIZE),
    "f": arrays(SIZE),
    "g": arrays(ROWS),
    "S": vectors(ROWS, 0.25, 2.0),
}
WHOLE = {**WITHOUT_DRIFT, "gb": arrays(ATTACHED)}


QUANTITIES = {
    "Gba": NUMBER,
    "Gka": NUMBER,
    "S": INVERSE_MASS,
    "f": MOMENTUM,
    "g": VELOCITY,
    "gb": VELOCITY,
    "la": MOMENTUM,
    "v_active": VELOCITY,
    "va": VELOCITY,
}


def attached(Gba, gb=None) -> NullSpaceReduction:
    return null_space_reduction(
        [ACTIVE, ATTACHED], [Attachment(1, {0: -Gba}, np.zeros(ATTACHED) if gb is None else gb)]
    )


def problem(M, f, G=None, g=None, S=None) -> StepProblem:
    """The whole system; what is left out is zero."""
    given = {"rows": G, "target": g, "regularization": S}
    return StepProblem(
        M, f, BilateralRows(**{name: each for name, each in given.items() if each is not None})
    )


def reduced(M, Gba, G=None, f=None, g=None, S=None, gb=None) -> StepProblem:
    return attached(Gba, gb).reduce(problem(M, np.zeros(SIZE) if f is None else f, G, g, S))


def motion(M, Gba, G, f, g, S, gb):
    """v, and the multipliers of constraints and attachments as the notes have them: those of opposite forces."""
    rows = np.hstack([Gba, IDENTITY])
    v, push, hold = soft_constrained_motion(M, f, (G, g, S), (rows, gb))
    return v, -push, -hold


def blocks(M):
    return M[ALPHA, ALPHA], M[ALPHA, BETA], M[BETA, ALPHA], M[BETA, BETA]


def whole_printed(M, Gba, G, f, g, R, gb):
    """The solution of (0.19) with the regularization matrix diag(R)."""
    Maa, Mab, Mba, Mbb = blocks(M)
    Gaa, Gab = G[:, ALPHA], G[:, BETA]
    zero, zero_rows = np.zeros((ATTACHED, ATTACHED)), np.zeros((ROWS, ATTACHED))
    zero_columns = zero_rows.T
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
    solved = solve_step(reduced(M, Gba, G, f, g, S, gb))
    space = attached(Gba, gb)
    whole = space.expand(solved)
    forces = space.attachment_forces(StepProblem(M, f, BilateralRows(G, g, S)), whole)
    return np.concatenate([whole.velocity, -whole.bilateral, -forces])


LEAST_ACTION = (
    "the motion of least action under the attachments, with a cost (G v - g)^2 / (2 R) for each violation; "
    "multipliers from the forces that it needs"
)
SIGN_OF_R = (
    r"$-\mathbf R$ where $+\mathbf G^T$ stands above it; or $-\mathbf G^T$ above $+\mathbf R$, as in "
    r"(0.9)."
)


@claim("lloyd/s0.17/e0.18", "An attachment as a constraint")
class e0_18:
    formula = r"\mathbf v_k + \mathbf G_{k\alpha}\mathbf v_\alpha = 0"
    inputs = {"Gka": arrays(ATTACHED, ACTIVE), "v_active": vectors(ACTIVE)}
    result = VELOCITY

    def printed(Gka, v_active):
        return -Gka @ v_active

    def library(Gka, v_active):
        return attached(Gka).expand_velocities(v_active)[BETA]

    oracle = "the attached velocities, row by row"

    def reference(Gka, v_active):
        return [-sum(g * v for g, v in zip(row, v_active, strict=True)) for row in Gka]

    exact = "both sum the same few products in the same order"
    verdict = Verdict.HOLDS
    remark = (
        r"The library holds the map that it stands for, $\mathbf v_k = \mathbf J\mathbf v_\alpha$ with "
        r"$\mathbf J = -\mathbf G_{k\alpha}$."
    )
    implemented_by = ("rbnotes.attachments.NullSpaceReduction.expand_velocities",)
    chapter = CHAPTER


@claim("lloyd/s0.17/d1", "All attachments as one constraint")
class d1:
    formula = r"\mathbf I\mathbf v_\beta + \mathbf G_{\beta\alpha}\mathbf v_\alpha = 0"
    inputs = {"Gba": arrays(ATTACHED, ACTIVE), "v_active": vectors(ACTIVE)}
    result = VELOCITY

    def printed(Gba, v_active):
        return np.concatenate([v_active, np.linalg.solve(IDENTITY, -Gba @ v_active)])

    def library(Gba, v_active):
        return attached(Gba).expand_velocities(v_active)

    oracle = "the attached velocities, component by component"
    reference = attached_velocities
    exact = "both sum the same few products in the same order"
    verdict = Verdict.HOLDS
    implemented_by = (
        "rbnotes.attachments.null_space_reduction",
        "rbnotes.attachments.NullSpaceReduction.expand_velocities",
    )
    chapter = CHAPTER


@claim("lloyd/s0.17/e0.19", "The whole system with its attachments")
class e0_19:
    formula = (
        r"\begin{pmatrix}"
        r" \mathbf M_{\alpha\alpha} & \mathbf M_{\alpha\beta} & \mathbf G_{\alpha\alpha}^T & \mathbf G_{\beta\alpha}^T \\"
        r" \mathbf M_{\beta\alpha} & \mathbf M_{\beta\beta} & \mathbf G_{\alpha\beta}^T & \mathbf I \\"
        r" \mathbf G_{\alpha\alpha} & \mathbf G_{\alpha\beta} & \mathbf R_\alpha & 0 \\"
        r" \mathbf G_{\beta\alpha} & \mathbf I & 0 & 0 \end{pmatrix}"
        r" \begin{pmatrix} \mathbf v_\alpha \\ \mathbf v_\beta \\ \boldsymbol\lambda_\alpha \\"
        r" \boldsymbol\lambda_\beta \end{pmatrix}"
        r" = \begin{pmatrix} \mathbf f_\alpha \\ \mathbf f_\beta \\"
        r" \mathbf g_\alpha \\ \mathbf g_\beta \end{pmatrix}"
    )
    inputs = WHOLE
    result = vector_quantity((VELOCITY, 7), (MOMENTUM, 5))

    def printed(M, Gba, G, f, g, S, gb):
        return whole_printed(M, Gba, G, f, g, S, gb)

    library = whole_library
    oracle = LEAST_ACTION

    def reference(M, Gba, G, f, g, S, gb):
        return np.concatenate(motion(M, Gba, G, f, g, S, gb))

    combined_with = ("lloyd/s0.11/e0.9",)
    verdict = Verdict.ERRATUM
    correction = SIGN_OF_R
    remark = (
        r"Here $+\mathbf G^T$ makes the multipliers those of opposite forces: $-\mathbf G^T\boldsymbol\lambda$ "
        r"acts on the components. A positive $\mathbf R_\alpha$, as $\gamma\alpha/h^2$ of (0.9), then drives a "
        r"soft constraint away from where it should hold, and where its size is that of "
        r"$\mathbf G\mathbf M^{-1}\mathbf G^T$ there is no solution at all. With hard constraints, "
        r"$\mathbf R_\alpha = 0$, the system is right."
    )
    implemented_by = (
        "rbnotes.dynamics.StepProblem",
        "rbnotes.attachments.NullSpaceReduction",
    )
    chapter = CHAPTER


@claim("lloyd/s0.17/t752", "The regularization matrix in that system")
class t752:
    formula = (
        r"\begin{pmatrix} \mathbf M & \mathbf G^T \\"
        r" \mathbf G & \mathbf R_\alpha \end{pmatrix} \text{ where } \mathbf R_\alpha \text{ is a "
        r"diagonal regularization matrix}"
    )
    inputs = WHOLE
    result = VELOCITY

    def printed(M, Gba, G, f, g, S, gb):
        return G @ whole_printed(M, Gba, G, f, g, S, gb)[:SIZE] - g

    def library(M, Gba, G, f, g, S, gb):
        whole = attached(Gba, gb).expand(solve_step(reduced(M, Gba, G, f, g, S, gb)))
        return G @ whole.velocity - g

    oracle = "violations of the constraints by " + LEAST_ACTION

    def reference(M, Gba, G, f, g, S, gb):
        return G @ motion(M, Gba, G, f, g, S, gb)[0] - g

    combined_with = ("lloyd/s0.11/e0.9",)
    verdict = Verdict.ERRATUM
    correction = SIGN_OF_R
    remark = (
        r"What regularization is for: a violation that the constraint's own force brings down. With the "
        r"printed signs that force enlarges it."
    )
    implemented_by = ("rbnotes.dynamics.StepProblem",)
    chapter = CHAPTER


@claim("lloyd/s0.17/d2#a", "Velocities of the attached components")
class d2_a:
    formula = r"\mathbf v_\beta = \mathbf g_\beta - \mathbf G_{\beta\alpha}\mathbf v_\alpha"
    inputs = {**{name: WHOLE[name] for name in ("M", "Gba", "G", "f", "gb")}, "va": arrays(ACTIVE)}
    result = VELOCITY

    def printed(M, Gba, G, f, gb, va):
        return gb - Gba @ va

    def library(M, Gba, G, f, gb, va):
        return attached(Gba, gb).expand_velocities(va)[BETA]

    oracle = "the last two rows of blocks that concern it, solved for what is attached"

    def reference(M, Gba, G, f, gb, va):
        rows = np.hstack([Gba, IDENTITY])
        return np.linalg.solve(rows[:, BETA], gb - rows[:, ALPHA] @ va)

    exact = "both sum the same few products in the same order"
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.attachments.NullSpaceReduction.expand_velocities",)
    chapter = CHAPTER


@claim("lloyd/s0.17/d2#b", "Multipliers of the attachments")
class d2_b:
    formula = (
        r"\boldsymbol\lambda_\beta = \mathbf f_\beta - \mathbf M_{\beta\alpha}\mathbf v_\alpha"
        r" + \mathbf M_{\beta\beta}\mathbf G_{\beta\alpha}\mathbf v_\alpha - \mathbf M_{\beta\beta}\mathbf g_\beta"
        r" - \mathbf G_{\alpha\beta}^T\boldsymbol\lambda_\alpha"
    )
    inputs = {
        **{name: WHOLE[name] for name in ("M", "Gba", "G", "f", "gb")},
        "va": arrays(ACTIVE),
        "la": arrays(ROWS),
    }
    result = MOMENTUM

    def printed(M, Gba, G, f, gb, va, la):
        _, _, Mba, Mbb = blocks(M)
        Gab, fb = G[:, BETA], f[BETA]
        return fb - Mba @ va + Mbb @ Gba @ va - Mbb @ gb - Gab.T @ la

    def library(M, Gba, G, f, gb, va, la):
        space = attached(Gba, gb)
        system = StepProblem(M, f, BilateralRows(G))
        return -space.attachment_forces(system, StepSolution(space.expand_velocities(va), -la))

    oracle = "the rows of blocks of attached components and attachments in (0.19), solved for both unknowns"

    def reference(M, Gba, G, f, gb, va, la):
        attachments = np.hstack([Gba, IDENTITY])
        rows = np.vstack([np.hstack([M[ACTIVE:], G[:, ACTIVE:].T, attachments[:, ACTIVE:].T])])
        known = f[ACTIVE:] - rows[:, :ACTIVE] @ va - rows[:, SIZE : SIZE + ROWS] @ la
        left = np.zeros((2 * ATTACHED, 2 * ATTACHED))
        left[:ATTACHED] = np.hstack([rows[:, ACTIVE:SIZE], rows[:, SIZE + ROWS :]])
        left[ATTACHED:, :ATTACHED] = attachments[:, ACTIVE:]
        right = np.concatenate([known, gb - attachments[:, :ACTIVE] @ va])
        return np.linalg.solve(left, right)[ATTACHED:]

    equivalent_mutants = {"in blocks: swapped indices in `M[ALPHA, BETA]`": "this block is not used here"}
    verdict = Verdict.HOLDS
    remark = r"The force on the attached components is the opposite, $-\boldsymbol\lambda_\beta$."
    implemented_by = ("rbnotes.attachments.NullSpaceReduction.attachment_forces",)
    chapter = CHAPTER
