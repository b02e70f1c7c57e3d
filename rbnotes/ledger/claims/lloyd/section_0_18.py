"""Lloyd 0.18: attaching to an attached component.

As in section 0.17 the motion of the whole system is that of least action, without a KKT matrix.
"""

from __future__ import annotations

import numpy as np

from rbnotes.attachments import Attachment, null_space_reduction
from rbnotes.dynamics import BilateralRows, StepProblem, solve_step
from rbnotes.ledger import quantities as units
from rbnotes.ledger.claims.lloyd.section_0_17 import LEAST_ACTION, SIGN_OF_R, problem
from rbnotes.ledger.oracles.attachments import (
    effective_mass,
    effective_rows,
    soft_constrained_motion,
)
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing.strategies import arrays, vectors

CHAPTER = "attachments-on-attachments"
# Active components, attached ones that stay for now, and the one that is eliminated; constraints.
A, B, K, ROWS = 3, 2, 2, 1
SIZE, KEPT = A + B + K, A + B
ALPHA, BETA, LAST = slice(0, A), slice(A, KEPT), slice(KEPT, SIZE)
IDENTITY = np.eye(K)
REDUCE = ("rbnotes.attachments.NullSpaceReduction.reduce",)


QUANTITIES = {
    "Gb": units.NUMBER,
    "Gk": units.NUMBER,
    "S": units.INVERSE_MASS,
    "f": units.MOMENTUM,
    "ga": units.VELOCITY,
    "gb": units.VELOCITY,
    "gk": units.VELOCITY,
}


def one_in_beta_on_the_other(G):
    """Rows ``(G_ba G_bb)``: the second component of beta is a master of the first."""
    G = G.copy()
    G[:, BETA] = np.triu(G[:, BETA], 1) + np.eye(B)
    return G


TIED = {
    "M": arrays(SIZE, SIZE).map(lambda S: S @ S.T / SIZE + 0.5 * np.eye(SIZE)),
    "G": arrays(ROWS, SIZE),
    "Gb": arrays(B, KEPT).map(one_in_beta_on_the_other),
    "Gk": arrays(K, KEPT),
}
ONE_ON_THE_OTHER = {"Gb": "of two attached components the second is a master of the first"}
WHOLE = {
    **TIED,
    "f": arrays(SIZE),
    "S": vectors(ROWS, 0.25, 2.0),
    "ga": arrays(ROWS),
    "gb": arrays(B),
    "gk": arrays(K),
}


def blocks(M):
    return [[M[row, column] for column in (ALPHA, BETA, LAST)] for row in (ALPHA, BETA, LAST)]


def motion(M, G, Gb, Gk, f, S, ga, gb, gk):
    """v, and the multipliers of constraints, of beta and of k as the notes have them: of opposite forces."""
    attached = np.vstack([np.hstack([Gb, np.zeros((B, K))]), np.hstack([Gk, IDENTITY])])
    v, push, hold = soft_constrained_motion(M, f, (G, ga, S), (attached, np.concatenate([gb, gk])))
    return v, -push, -hold[:B], -hold[B:]


def whole_printed(M, G, Gb, Gk, f, R, ga, gb, gk):
    """The solution of (0.25) with the regularization matrix diag(R)."""
    (Maa, Mab, Mak), (Mba, Mbb, Mbk), (Mka, Mkb, Mkk) = blocks(M)
    Gaa, Gab, Gak = G[:, ALPHA], G[:, BETA], G[:, LAST]
    Gba, Gbb, Gka, Gkb = Gb[:, ALPHA], Gb[:, BETA], Gk[:, ALPHA], Gk[:, BETA]
    zero_rows_b, zero_rows_k, zero_b_k = np.zeros((ROWS, B)), np.zeros((ROWS, K)), np.zeros((B, K))
    zero_b, zero_k = np.zeros((B, B)), np.zeros((K, K))
    zero_columns_b, zero_columns_k, zero_k_b = zero_rows_b.T, zero_rows_k.T, zero_b_k.T
    system = np.block(
        [
            [Maa, Mab, Mak, Gaa.T, Gba.T, Gka.T],
            [Mba, Mbb, Mbk, Gab.T, Gbb.T, Gkb.T],
            [Mka, Mkb, Mkk, Gak.T, zero_k_b, IDENTITY],
            [Gaa, Gab, Gak, np.diag(R), zero_rows_b, zero_rows_k],
            [Gba, Gbb, zero_b_k, zero_columns_b, zero_b, zero_b_k],
            [Gka, Gkb, IDENTITY, zero_columns_k, zero_k_b, zero_k],
        ]
    )
    return np.linalg.solve(system, np.concatenate([f, ga, gb, gk]))


def whole_library(M, G, Gb, Gk, f, S, ga, gb, gk):
    """Reduced to the active components at once, both attachments with all of their masters."""
    inverse = np.linalg.inv(Gb[:, BETA])
    onto_active = Attachment(1, {0: -inverse @ Gb[:, ALPHA]}, inverse @ gb)
    onto_both = Attachment(2, {0: -Gk[:, ALPHA], 1: -Gk[:, BETA]}, gk)
    space = null_space_reduction([A, B, K], (onto_active, onto_both))
    system = StepProblem(M, f, BilateralRows(G, ga, S))
    whole = space.expand(solve_step(space.reduce(system)))
    forces = space.attachment_forces(system, whole)
    return np.concatenate([whole.velocity, -whole.bilateral, -inverse.T @ forces[:B], -forces[B:]])


def without_k(M, G, Gb, Gk, f=None, S=None, ga=None, gb=None, gk=None):
    """The system without k; the attachments of beta are among its rows, and hard."""
    space = null_space_reduction([KEPT, K], [Attachment(1, {0: -Gk}, np.zeros(K) if gk is None else gk)])
    rows = np.vstack([G, np.hstack([Gb, np.zeros((B, K))])])
    targets = None if ga is None else np.concatenate([ga, gb])
    softness = None if S is None else np.concatenate([S, np.zeros(B)])
    return space.reduce(problem(M, np.zeros(SIZE) if f is None else f, rows, targets, softness))


def without_k_printed(M, G, Gb, Gk, f, R, ga, gb, gk):
    """The solution of (0.26), with (0.27) to (0.35) and the regularization matrix diag(R)."""
    (Maa, Mab, Mak), (Mba, Mbb, Mbk), (Mka, Mkb, Mkk) = blocks(M)
    Gaa, Gab, Gak = G[:, ALPHA], G[:, BETA], G[:, LAST]
    Gba, Gbb, Gka, Gkb = Gb[:, ALPHA], Gb[:, BETA], Gk[:, ALPHA], Gk[:, BETA]
    fa, fb, fk = f[ALPHA], f[BETA], f[LAST]
    Maa1 = Maa - Mak @ Gka - Gka.T @ Mka + Gka.T @ Mkk @ Gka
    Mab1 = Mab - Mak @ Gkb - Gka.T @ Mkb + Gka.T @ Mkk @ Gkb
    Mba1 = Mba - Mbk @ Gka - Gkb.T @ Mka + Gkb.T @ Mkk @ Gka
    Mbb1 = Mbb - Mbk @ Gkb - Gkb.T @ Mkb + Gkb.T @ Mkk @ Gkb
    Gaa1, Gab1 = Gaa - Gak @ Gka, Gab - Gak @ Gkb
    fa1 = fa - Gka.T @ fk - (Mak - Gka.T @ Mkk) @ gk
    fb1 = fb - Gkb.T @ fk - (Mbk - Gkb.T @ Mkk) @ gk
    zero_rows, zero = np.zeros((ROWS, B)), np.zeros((B, B))
    zero_columns = zero_rows.T
    system = np.block(
        [
            [Maa1, Mab1, Gaa1.T, Gba.T],
            [Mba1, Mbb1, Gab1.T, Gbb.T],
            [Gaa1, Gab1, np.diag(R), zero_rows],
            [Gba, Gbb, zero_columns, zero],
        ]
    )
    return np.linalg.solve(system, np.concatenate((fa1, fb1, ga - Gak @ gk, gb)))


def without_k_library(M, G, Gb, Gk, f, S, ga, gb, gk):
    solved = solve_step(without_k(M, G, Gb, Gk, f, S, ga, gb, gk))
    v, push = solved.velocity, solved.bilateral
    return np.concatenate([v, -push])


def without_k_reference(M, G, Gb, Gk, f, S, ga, gb, gk):
    v, constraints, beta, _ = motion(M, G, Gb, Gk, f, S, ga, gb, gk)
    return np.concatenate([v[:KEPT], constraints, beta])


def force_reference(M, G, Gb, Gk, f, S, ga, gb, gk):
    """What the effective inertia and the rows of the components that stay leave over of the motion."""
    v, constraints, beta, _ = motion(M, G, Gb, Gk, f, S, ga, gb, gk)
    return effective_mass(M, Gk) @ v[:KEPT] + effective_rows(G, Gk).T @ constraints + Gb.T @ beta


FOLLOWING_ENERGY = "the kinetic energy of all components while k follows"
FOLLOWING_ROWS = "what the constraints make of unit velocities of the components that stay, k following"
LEFT = "the effective inertia from the energy, times the constrained motion of least action"


@claim("lloyd/s0.18/e0.25", "The whole system with one attachment apart")
class e0_25:
    formula = (
        r"\begin{pmatrix}"
        r" \mathbf M_{\alpha\alpha} & \mathbf M_{\alpha\beta} & \mathbf M_{\alpha k}"
        r" & \mathbf G_{\alpha\alpha}^T & \mathbf G_{\beta\alpha}^T & \mathbf G_{k\alpha}^T \\"
        r" \mathbf M_{\beta\alpha} & \mathbf M_{\beta\beta} & \mathbf M_{\beta k}"
        r" & \mathbf G_{\alpha\beta}^T & \mathbf G_{\beta\beta}^T & \mathbf G_{k\beta}^T \\"
        r" \mathbf M_{k\alpha} & \mathbf M_{k\beta} & \mathbf M_{kk}"
        r" & \mathbf G_{\alpha k}^T & 0 & \mathbf I \\"
        r" \mathbf G_{\alpha\alpha} & \mathbf G_{\alpha\beta} & \mathbf G_{\alpha k}"
        r" & \mathbf R_\alpha & 0 & 0 \\"
        r" \mathbf G_{\beta\alpha} & \mathbf G_{\beta\beta} & 0 & 0 & 0 & 0 \\"
        r" \mathbf G_{k\alpha} & \mathbf G_{k\beta} & \mathbf I & 0 & 0 & 0 \end{pmatrix}"
        r" \begin{pmatrix} \mathbf v_\alpha \\ \mathbf v_\beta \\ \mathbf v_k \\"
        r" \boldsymbol\lambda_\alpha \\ \boldsymbol\lambda_\beta \\ \boldsymbol\lambda_k \end{pmatrix}"
        r" = \begin{pmatrix} \mathbf f_\alpha \\ \mathbf f_\beta \\ \mathbf f_k \\"
        r" \mathbf g_\alpha \\ \mathbf g_\beta \\ \mathbf g_k \end{pmatrix}"
    )
    inputs = WHOLE
    result = units.vector_quantity((units.VELOCITY, 7), (units.MOMENTUM, 5))

    def printed(M, G, Gb, Gk, f, S, ga, gb, gk):
        return whole_printed(M, G, Gb, Gk, f, S, ga, gb, gk)

    library = whole_library
    oracle = LEAST_ACTION

    def reference(M, G, Gb, Gk, f, S, ga, gb, gk):
        return np.concatenate(motion(M, G, Gb, Gk, f, S, ga, gb, gk))

    special = ONE_ON_THE_OTHER
    combined_with = ("lloyd/s0.11/e0.9",)
    verdict = Verdict.ERRATUM
    correction = SIGN_OF_R
    remark = (
        "The multipliers are those of opposite forces, as in (0.19), whose sign of the regularization is carried "
        "over. With hard constraints the system is right."
    )
    implemented_by = ("rbnotes.dynamics.StepProblem", "rbnotes.attachments.null_space_reduction")
    chapter = CHAPTER


@claim("lloyd/s0.18/e0.26#a", "The system without k, as a reduction")
class e0_26_a:
    formula = (
        r"\begin{pmatrix}"
        r" \mathbf M'_{\alpha\alpha} & \mathbf M'_{\alpha\beta} & \mathbf G'^T_{\alpha\alpha} & \mathbf G_{\beta\alpha}^T \\"
        r" \mathbf M'_{\beta\alpha} & \mathbf M'_{\beta\beta} & \mathbf G'^T_{\alpha\beta} & \mathbf G_{\beta\beta}^T \\"
        r" \mathbf G'_{\alpha\alpha} & \mathbf G'_{\alpha\beta} & \mathbf R_\alpha & 0 \\"
        r" \mathbf G_{\beta\alpha} & \mathbf G_{\beta\beta} & 0 & 0 \end{pmatrix}"
        r" \begin{pmatrix} \mathbf v_\alpha \\ \mathbf v_\beta \\ \boldsymbol\lambda_\alpha \\"
        r" \boldsymbol\lambda_\beta \end{pmatrix}"
        r" = \begin{pmatrix} \mathbf f'_\alpha \\ \mathbf f'_\beta \\ \mathbf g'_\alpha \\"
        r" \mathbf g_\beta \end{pmatrix},\quad"
        r" -\mathbf R_\alpha \text{ positive}"
    )
    inputs = WHOLE
    result = units.vector_quantity((units.VELOCITY, 5), (units.MOMENTUM, 3))

    def printed(M, G, Gb, Gk, f, S, ga, gb, gk):
        return without_k_printed(M, G, Gb, Gk, f, -S, ga, gb, gk)

    library = without_k_library
    oracle = LEAST_ACTION
    reference = without_k_reference
    special = ONE_ON_THE_OTHER
    equivalent_mutants = {
        "in without_k_printed: negated zero_columns in `[Gba, Gbb, zero_columns, zero]`": "a block of zeros has no sign"
    }
    verdict = Verdict.HOLDS
    remark = (
        r"With (0.27) to (0.35). The elimination leaves $\mathbf R_\alpha$ as it is; checked with the sign that "
        r"softens, $\mathbf R_\alpha$ negative."
    )
    implemented_by = REDUCE
    chapter = CHAPTER


@claim("lloyd/s0.18/e0.26#b", "The system without k, with the regularization of (0.9)")
class e0_26_b:
    formula = (
        r"\begin{pmatrix}"
        r" \mathbf M'_{\alpha\alpha} & \mathbf M'_{\alpha\beta} & \mathbf G'^T_{\alpha\alpha} & \mathbf G_{\beta\alpha}^T \\"
        r" \mathbf M'_{\beta\alpha} & \mathbf M'_{\beta\beta} & \mathbf G'^T_{\alpha\beta} & \mathbf G_{\beta\beta}^T \\"
        r" \mathbf G'_{\alpha\alpha} & \mathbf G'_{\alpha\beta} & \mathbf R_\alpha & 0 \\"
        r" \mathbf G_{\beta\alpha} & \mathbf G_{\beta\beta} & 0 & 0 \end{pmatrix}"
        r" \begin{pmatrix} \mathbf v_\alpha \\ \mathbf v_\beta \\ \boldsymbol\lambda_\alpha \\"
        r" \boldsymbol\lambda_\beta \end{pmatrix}"
        r" = \begin{pmatrix} \mathbf f'_\alpha \\ \mathbf f'_\beta \\ \mathbf g'_\alpha \\"
        r" \mathbf g_\beta \end{pmatrix},\quad"
        r" \mathbf R_\alpha = \gamma\alpha/h^2"
    )
    inputs = WHOLE
    result = units.vector_quantity((units.VELOCITY, 5), (units.MOMENTUM, 3))

    def printed(M, G, Gb, Gk, f, S, ga, gb, gk):
        return without_k_printed(M, G, Gb, Gk, f, S, ga, gb, gk)

    library = without_k_library
    oracle = LEAST_ACTION
    reference = without_k_reference
    special = ONE_ON_THE_OTHER
    combined_with = ("lloyd/s0.11/e0.9",)
    verdict = Verdict.ERRATUM
    correction = SIGN_OF_R
    remark = "The sign of (0.19) and (0.25), carried over."
    implemented_by = REDUCE
    chapter = CHAPTER
