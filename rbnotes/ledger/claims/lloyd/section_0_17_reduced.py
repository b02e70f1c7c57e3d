"""Lloyd 0.17: the system in the velocities of the active components, block by block."""

from __future__ import annotations

import numpy as np

from rbnotes.dynamics import solve_step
from rbnotes.ledger.claims.lloyd.section_0_17 import (
    ALPHA,
    ATTACHED,
    BETA,
    CHAPTER,
    LEAST_ACTION,
    SIGN_OF_R,
    TIED,
    WHOLE,
    WITHOUT_DRIFT,
    blocks,
    motion,
    reduced,
)
from rbnotes.ledger.oracles.attachments import effective_mass, effective_rows
from rbnotes.ledger.quantities import INVERSE_MASS, MASS, MOMENTUM, NUMBER, VELOCITY, vector_quantity
from rbnotes.ledger.record import Verdict, claim

REDUCED = ("rbnotes.attachments.NullSpaceReduction.reduce",)


QUANTITIES = {"Gba": NUMBER, "S": INVERSE_MASS, "f": MOMENTUM, "g": VELOCITY, "gb": VELOCITY}


def reduced_printed(M, Gba, G, f, g, R, gb):
    """The solution of (0.20), with (0.21) to (0.24) and the regularization matrix diag(R)."""
    Maa, Mab, Mba, Mbb = blocks(M)
    Gaa, Gab, fa, fb = G[:, ALPHA], G[:, BETA], f[ALPHA], f[BETA]
    M1 = Maa - Mab @ Gba - Gba.T @ Mba + Gba.T @ Mbb @ Gba
    G1 = Gaa - Gab @ Gba
    f1 = fa - Gba.T @ fb - (Mab - Gba.T @ Mbb) @ gb
    gamma1 = g - Gab @ gb
    return np.linalg.solve(np.block([[M1, G1.T], [G1, np.diag(R)]]), np.concatenate([f1, gamma1]))


def reduced_library(M, Gba, G, f, g, S, gb):
    solved = solve_step(reduced(M, Gba, G, f, g, S, gb))
    v, push = solved.velocity, solved.bilateral
    return np.concatenate([v, -push])


def reduced_reference(M, Gba, G, f, g, S, gb):
    v, multipliers, _ = motion(M, Gba, G, f, g, S, gb)
    return np.concatenate([v[ALPHA], multipliers])


def force_reference(M, Gba, G, f, g, S, gb):
    """What the effective inertia and the constraints of the active components leave over of the motion."""
    v, multipliers, _ = motion(M, Gba, G, f, g, S, gb)
    return effective_mass(M, Gba) @ v[ALPHA] + effective_rows(G, Gba).T @ multipliers


def target_reference(M, Gba, G, f, g, S, gb):
    """What the constraints ask of the active velocities: what they get, and what softness gives away."""
    v, multipliers, _ = motion(M, Gba, G, f, g, S, gb)
    return effective_rows(G, Gba) @ v[ALPHA] - S * multipliers


@claim("lloyd/s0.17/e0.20#a", "The reduced system, as a reduction")
class e0_20_a:
    formula = (
        r"\begin{pmatrix} \mathbf M' & \mathbf G'^T \\"
        r" \mathbf G' & \mathbf R_\alpha \end{pmatrix}"
        r" \begin{pmatrix} \mathbf v_\alpha \\ \boldsymbol\lambda_\alpha \end{pmatrix}"
        r" = \begin{pmatrix} \mathbf f' \\ \boldsymbol\gamma' \end{pmatrix},\quad"
        r" -\mathbf R_\alpha \text{ positive}"
    )
    inputs = WHOLE
    result = vector_quantity((VELOCITY, 4), (MOMENTUM, 2))

    def printed(M, Gba, G, f, g, S, gb):
        return reduced_printed(M, Gba, G, f, g, -S, gb)

    library = reduced_library
    oracle = LEAST_ACTION
    reference = reduced_reference
    verdict = Verdict.HOLDS
    remark = (
        r"With (0.21) to (0.24). The reduction leaves $\mathbf R_\alpha$ as it is, so that what is right in (0.19) "
        r"is right here; checked with the sign that softens, $\mathbf R_\alpha$ negative."
    )
    implemented_by = REDUCED
    chapter = CHAPTER


@claim("lloyd/s0.17/e0.20#b", "The reduced system, with the regularization of (0.9)")
class e0_20_b:
    formula = (
        r"\begin{pmatrix} \mathbf M' & \mathbf G'^T \\"
        r" \mathbf G' & \mathbf R_\alpha \end{pmatrix}"
        r" \begin{pmatrix} \mathbf v_\alpha \\ \boldsymbol\lambda_\alpha \end{pmatrix}"
        r" = \begin{pmatrix} \mathbf f' \\ \boldsymbol\gamma' \end{pmatrix},\quad"
        r" \mathbf R_\alpha = \gamma\alpha/h^2"
    )
    inputs = WHOLE
    result = vector_quantity((VELOCITY, 4), (MOMENTUM, 2))

    def printed(M, Gba, G, f, g, S, gb):
        return reduced_printed(M, Gba, G, f, g, S, gb)

    library = reduced_library
    oracle = LEAST_ACTION
    reference = reduced_reference
    combined_with = ("lloyd/s0.11/e0.9",)
    verdict = Verdict.ERRATUM
    correction = SIGN_OF_R
    remark = "The sign of (0.19), carried over."
    implemented_by = REDUCED
    chapter = CHAPTER


@claim("lloyd/s0.17/e0.21", "Effective inertia of the active components")
class e0_21:
    formula = (
        r"\mathbf M' = \mathbf M_{\alpha\alpha} - \mathbf M_{\alpha\beta}\mathbf G_{\beta\alpha}"
        r" - \mathbf G_{\beta\alpha}^T\mathbf M_{\beta\alpha}"
        r" + \mathbf G_{\beta\alpha}^T\mathbf M_{\beta\beta}\mathbf G_{\beta\alpha}"
    )
    inputs = TIED
    result = MASS

    def printed(M, Gba):
        Maa, Mab, Mba, Mbb = blocks(M)
        return Maa - Mab @ Gba - Gba.T @ Mba + Gba.T @ Mbb @ Gba

    def library(M, Gba):
        return reduced(M, Gba).mass

    oracle = "the kinetic energy of all components while the attached ones follow"
    reference = effective_mass
    verdict = Verdict.HOLDS
    implemented_by = REDUCED
    chapter = CHAPTER


@claim("lloyd/s0.17/e0.22", "Constraints on the active components")
class e0_22:
    formula = r"\mathbf G' = \mathbf G_{\alpha\alpha} - \mathbf G_{\alpha\beta}\mathbf G_{\beta\alpha}"
    inputs = {name: WHOLE[name] for name in ("M", "Gba", "G")}
    result = NUMBER

    def printed(M, Gba, G):
        Gaa, Gab = G[:, ALPHA], G[:, BETA]
        return Gaa - Gab @ Gba

    def library(M, Gba, G):
        return reduced(M, Gba, G).bilateral.rows

    oracle = (
        "what the constraints make of unit velocities of the active components, the attached ones following"
    )

    def reference(M, Gba, G):
        return effective_rows(G, Gba)

    exact = (
        "each number is one sum of few products, taken in one order: where a processor does not fuse "
        "them, all round alike"
    )
    verdict = Verdict.HOLDS
    implemented_by = REDUCED
    chapter = CHAPTER


@claim("lloyd/s0.17/e0.23", "Forces on the active components")
class e0_23:
    formula = (
        r"\mathbf f' = \mathbf f_\alpha - \mathbf G_{\beta\alpha}^T\mathbf f_\beta"
        r" - (\mathbf M_{\alpha\beta} - \mathbf G_{\beta\alpha}^T\mathbf M_{\beta\beta})\mathbf g_\beta"
    )
    inputs = WHOLE
    result = MOMENTUM

    def printed(M, Gba, G, f, g, S, gb):
        _, Mab, _, Mbb = blocks(M)
        fa, fb = f[ALPHA], f[BETA]
        return fa - Gba.T @ fb - (Mab - Gba.T @ Mbb) @ gb

    def library(M, Gba, G, f, g, S, gb):
        return reduced(M, Gba, G, f, g, S, gb).momentum

    oracle = "the effective inertia from the energy, times the constrained motion of least action"
    reference = force_reference
    equivalent_mutants = {"in blocks: swapped indices in `M[BETA, ALPHA]`": "this block is not used here"}
    verdict = Verdict.HOLDS
    remark = "Section 0.21 prints the last term with the opposite sign."
    implemented_by = REDUCED
    chapter = CHAPTER


@claim("lloyd/s0.17/e0.24", "Right sides of the constraints on the active components")
class e0_24:
    formula = r"\boldsymbol\gamma' = \mathbf g_\alpha - \mathbf G_{\alpha\beta}\mathbf g_\beta"
    inputs = WHOLE
    result = VELOCITY

    def printed(M, Gba, G, f, g, S, gb):
        Gab = G[:, BETA]
        return g - Gab @ gb

    def library(M, Gba, G, f, g, S, gb):
        return reduced(M, Gba, G, f, g, S, gb).bilateral.target

    oracle = "the constraints on the active components, applied to the constrained motion of least action"
    reference = target_reference
    verdict = Verdict.HOLDS
    implemented_by = REDUCED
    chapter = CHAPTER


@claim("lloyd/s0.17/t774#a", "Forces and right sides where attachments do not drift")
class t774_a:
    formula = (
        r"\mathbf g_\beta = 0:\quad"
        r" \mathbf f' = \mathbf f_\alpha - \mathbf G_{\beta\alpha}^T\mathbf f_\beta,\quad"
        r" \boldsymbol\gamma' = \mathbf g_\alpha"
    )
    inputs = WITHOUT_DRIFT
    result = vector_quantity((MOMENTUM, 4), (VELOCITY, 2))

    def printed(M, Gba, G, f, g, S):
        fa, fb = f[ALPHA], f[BETA]
        return np.concatenate([fa - Gba.T @ fb, g])

    def library(M, Gba, G, f, g, S):
        small = reduced(M, Gba, G, f, g, S)
        return np.concatenate([small.momentum, small.bilateral.target])

    oracle = "the effective inertia and the rows of the active components, applied to the constrained motion"

    def reference(M, Gba, G, f, g, S):
        case = (M, Gba, G, f, g, S, np.zeros(ATTACHED))
        return np.concatenate([force_reference(*case), target_reference(*case)])

    verdict = Verdict.HOLDS
    implemented_by = REDUCED
    chapter = CHAPTER
