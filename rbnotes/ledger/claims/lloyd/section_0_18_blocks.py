"""Lloyd 0.18: the blocks of the system from which one attached component has been eliminated."""

from __future__ import annotations

from rbnotes.ledger.claims.lloyd.section_0_18 import (
    ALPHA,
    BETA,
    CHAPTER,
    FOLLOWING_ENERGY,
    FOLLOWING_ROWS,
    KEPT,
    LAST,
    LEFT,
    ONE_ON_THE_OTHER,
    REDUCE,
    ROWS,
    TIED,
    WHOLE,
    blocks,
    force_reference,
    motion,
    without_k,
)
from rbnotes.ledger.oracles.attachments import effective_mass, effective_rows
from rbnotes.ledger.quantities import INVERSE_MASS, MASS, MOMENTUM, NUMBER, VELOCITY
from rbnotes.ledger.record import Verdict, claim

ABOVE = slice(0, ROWS)
"""Rows of the constraints, above those of the attachments of beta."""


QUANTITIES = {
    "Gb": NUMBER,
    "Gk": NUMBER,
    "S": INVERSE_MASS,
    "f": MOMENTUM,
    "ga": VELOCITY,
    "gb": VELOCITY,
    "gk": VELOCITY,
}


@claim("lloyd/s0.18/e0.27", "Effective inertia, block alpha alpha")
class e0_27:
    formula = (
        r"\mathbf M'_{\alpha\alpha} = \mathbf M_{\alpha\alpha} - \mathbf M_{\alpha k}\mathbf G_{k\alpha}"
        r" - \mathbf G_{k\alpha}^T\mathbf M_{k\alpha}"
        r" + \mathbf G_{k\alpha}^T\mathbf M_{kk}\mathbf G_{k\alpha}"
    )
    inputs = TIED
    result = MASS

    def printed(M, G, Gb, Gk):
        (Maa, _, Mak), _, (Mka, _, Mkk) = blocks(M)
        Gka = Gk[:, ALPHA]
        return Maa - Mak @ Gka - Gka.T @ Mka + Gka.T @ Mkk @ Gka

    def library(M, G, Gb, Gk):
        return without_k(M, G, Gb, Gk).mass[ALPHA, ALPHA]

    oracle = FOLLOWING_ENERGY

    def reference(M, G, Gb, Gk):
        return effective_mass(M, Gk)[ALPHA, ALPHA]

    special = ONE_ON_THE_OTHER
    verdict = Verdict.HOLDS
    implemented_by = REDUCE
    chapter = CHAPTER


@claim("lloyd/s0.18/e0.28", "Effective inertia, block alpha beta")
class e0_28:
    formula = (
        r"\mathbf M'_{\alpha\beta} = \mathbf M_{\alpha\beta} - \mathbf M_{\alpha k}\mathbf G_{k\beta}"
        r" - \mathbf G_{k\alpha}^T\mathbf M_{k\beta}"
        r" + \mathbf G_{k\alpha}^T\mathbf M_{kk}\mathbf G_{k\beta}"
    )
    inputs = TIED
    result = MASS

    def printed(M, G, Gb, Gk):
        (_, Mab, Mak), _, (_, Mkb, Mkk) = blocks(M)
        Gka, Gkb = Gk[:, ALPHA], Gk[:, BETA]
        return Mab - Mak @ Gkb - Gka.T @ Mkb + Gka.T @ Mkk @ Gkb

    def library(M, G, Gb, Gk):
        return without_k(M, G, Gb, Gk).mass[ALPHA, BETA]

    oracle = FOLLOWING_ENERGY

    def reference(M, G, Gb, Gk):
        return effective_mass(M, Gk)[ALPHA, BETA]

    special = ONE_ON_THE_OTHER
    verdict = Verdict.HOLDS
    implemented_by = REDUCE
    chapter = CHAPTER


@claim("lloyd/s0.18/e0.29", "Effective inertia, block beta alpha")
class e0_29:
    formula = (
        r"\mathbf M'_{\beta\alpha} = \mathbf M_{\beta\alpha} - \mathbf M_{\beta k}\mathbf G_{k\alpha}"
        r" - \mathbf G_{k\beta}^T\mathbf M_{k\alpha}"
        r" + \mathbf G_{k\beta}^T\mathbf M_{kk}\mathbf G_{k\alpha}"
    )
    inputs = TIED
    result = MASS

    def printed(M, G, Gb, Gk):
        _, (Mba, _, Mbk), (Mka, _, Mkk) = blocks(M)
        Gka, Gkb = Gk[:, ALPHA], Gk[:, BETA]
        return Mba - Mbk @ Gka - Gkb.T @ Mka + Gkb.T @ Mkk @ Gka

    def library(M, G, Gb, Gk):
        return without_k(M, G, Gb, Gk).mass[BETA, ALPHA]

    oracle = FOLLOWING_ENERGY

    def reference(M, G, Gb, Gk):
        return effective_mass(M, Gk)[BETA, ALPHA]

    special = ONE_ON_THE_OTHER
    verdict = Verdict.HOLDS
    implemented_by = REDUCE
    chapter = CHAPTER


@claim("lloyd/s0.18/e0.30", "Effective inertia, block beta beta")
class e0_30:
    formula = (
        r"\mathbf M'_{\beta\beta} = \mathbf M_{\beta\beta} - \mathbf M_{\beta k}\mathbf G_{k\beta}"
        r" - \mathbf G_{k\beta}^T\mathbf M_{k\beta}"
        r" + \mathbf G_{k\beta}^T\mathbf M_{kk}\mathbf G_{k\beta}"
    )
    inputs = TIED
    result = MASS

    def printed(M, G, Gb, Gk):
        _, (_, Mbb, Mbk), (_, Mkb, Mkk) = blocks(M)
        Gkb = Gk[:, BETA]
        return Mbb - Mbk @ Gkb - Gkb.T @ Mkb + Gkb.T @ Mkk @ Gkb

    def library(M, G, Gb, Gk):
        return without_k(M, G, Gb, Gk).mass[BETA, BETA]

    oracle = FOLLOWING_ENERGY

    def reference(M, G, Gb, Gk):
        return effective_mass(M, Gk)[BETA, BETA]

    special = ONE_ON_THE_OTHER
    verdict = Verdict.HOLDS
    implemented_by = REDUCE
    chapter = CHAPTER


@claim("lloyd/s0.18/e0.31", "Constraints on the components that stay, block alpha")
class e0_31:
    formula = (
        r"\mathbf G'_{\alpha\alpha} = \mathbf G_{\alpha\alpha} - \mathbf G_{\alpha k}\mathbf G_{k\alpha}"
    )
    inputs = TIED
    result = NUMBER

    def printed(M, G, Gb, Gk):
        Gaa, Gak, Gka = G[:, ALPHA], G[:, LAST], Gk[:, ALPHA]
        return Gaa - Gak @ Gka

    def library(M, G, Gb, Gk):
        return without_k(M, G, Gb, Gk).bilateral.rows[ABOVE, ALPHA]

    oracle = FOLLOWING_ROWS

    def reference(M, G, Gb, Gk):
        return effective_rows(G, Gk)[:, ALPHA]

    exact = "both sum the same few products in the same order"
    special = ONE_ON_THE_OTHER
    verdict = Verdict.HOLDS
    implemented_by = REDUCE
    chapter = CHAPTER


@claim("lloyd/s0.18/e0.32", "Constraints on the components that stay, block beta")
class e0_32:
    formula = r"\mathbf G'_{\alpha\beta} = \mathbf G_{\alpha\beta} - \mathbf G_{\alpha k}\mathbf G_{k\beta}"
    inputs = TIED
    result = NUMBER

    def printed(M, G, Gb, Gk):
        Gab, Gak, Gkb = G[:, BETA], G[:, LAST], Gk[:, BETA]
        return Gab - Gak @ Gkb

    def library(M, G, Gb, Gk):
        return without_k(M, G, Gb, Gk).bilateral.rows[ABOVE, BETA]

    oracle = FOLLOWING_ROWS

    def reference(M, G, Gb, Gk):
        return effective_rows(G, Gk)[:, BETA]

    exact = "both sum the same few products in the same order"
    special = ONE_ON_THE_OTHER
    verdict = Verdict.HOLDS
    implemented_by = REDUCE
    chapter = CHAPTER


@claim("lloyd/s0.18/e0.33", "Forces on the components that stay, block alpha")
class e0_33:
    formula = (
        r"\mathbf f'_\alpha = \mathbf f_\alpha - \mathbf G_{k\alpha}^T\mathbf f_k"
        r" - (\mathbf M_{\alpha k} - \mathbf G_{k\alpha}^T\mathbf M_{kk})\mathbf g_k"
    )
    inputs = WHOLE
    result = MOMENTUM

    def printed(M, G, Gb, Gk, f, S, ga, gb, gk):
        Mak, Mkk, Gka = M[ALPHA, LAST], M[LAST, LAST], Gk[:, ALPHA]
        return f[ALPHA] - Gka.T @ f[LAST] - (Mak - Gka.T @ Mkk) @ gk

    def library(M, G, Gb, Gk, f, S, ga, gb, gk):
        return without_k(M, G, Gb, Gk, f, S, ga, gb, gk).momentum[ALPHA]

    oracle = LEFT

    def reference(M, G, Gb, Gk, f, S, ga, gb, gk):
        return force_reference(M, G, Gb, Gk, f, S, ga, gb, gk)[ALPHA]

    special = ONE_ON_THE_OTHER
    verdict = Verdict.HOLDS
    implemented_by = REDUCE
    chapter = CHAPTER


@claim("lloyd/s0.18/e0.34", "Forces on the components that stay, block beta")
class e0_34:
    formula = (
        r"\mathbf f'_\beta = \mathbf f_\beta - \mathbf G_{k\beta}^T\mathbf f_k"
        r" - (\mathbf M_{\beta k} - \mathbf G_{k\beta}^T\mathbf M_{kk})\mathbf g_k"
    )
    inputs = WHOLE
    result = MOMENTUM

    def printed(M, G, Gb, Gk, f, S, ga, gb, gk):
        Mbk, Mkk, Gkb = M[BETA, LAST], M[LAST, LAST], Gk[:, BETA]
        return f[BETA] - Gkb.T @ f[LAST] - (Mbk - Gkb.T @ Mkk) @ gk

    def library(M, G, Gb, Gk, f, S, ga, gb, gk):
        return without_k(M, G, Gb, Gk, f, S, ga, gb, gk).momentum[BETA]

    oracle = LEFT

    def reference(M, G, Gb, Gk, f, S, ga, gb, gk):
        return force_reference(M, G, Gb, Gk, f, S, ga, gb, gk)[BETA]

    special = ONE_ON_THE_OTHER
    verdict = Verdict.HOLDS
    implemented_by = REDUCE
    chapter = CHAPTER


@claim("lloyd/s0.18/e0.35", "Right sides of the constraints that stay")
class e0_35:
    formula = r"\mathbf g'_\alpha = \mathbf g_\alpha - \mathbf G_{\alpha k}\mathbf g_k"
    inputs = WHOLE
    result = VELOCITY

    def printed(M, G, Gb, Gk, f, S, ga, gb, gk):
        Gak = G[:, LAST]
        return ga - Gak @ gk

    def library(M, G, Gb, Gk, f, S, ga, gb, gk):
        return without_k(M, G, Gb, Gk, f, S, ga, gb, gk).bilateral.target[ABOVE]

    oracle = "the constraints on the components that stay, applied to the constrained motion of least action"

    def reference(M, G, Gb, Gk, f, S, ga, gb, gk):
        v, constraints, *_ = motion(M, G, Gb, Gk, f, S, ga, gb, gk)
        return effective_rows(G, Gk) @ v[:KEPT] - S * constraints

    special = ONE_ON_THE_OTHER
    verdict = Verdict.HOLDS
    implemented_by = REDUCE
    chapter = CHAPTER
