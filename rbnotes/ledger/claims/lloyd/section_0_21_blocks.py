"""Lloyd 0.21: the blocks of the system from which the attached components have been eliminated."""

from __future__ import annotations

import numpy as np

from rbnotes.ledger.claims.lloyd.section_0_21 import (
    ALPHA,
    BETA,
    CHAPTER,
    ENERGY,
    FOLLOWING,
    KEPT,
    LEFT,
    REDUCE,
    RHO,
    ROWS_OF_ALPHA,
    TIED,
    WHOLE,
    all_forces,
    blocks,
    controlled,
    force_reference,
    motion,
    reduced,
)
from rbnotes.ledger.oracles.attachments import effective_mass, effective_rows
from rbnotes.ledger.quantities import INVERSE_MASS, MASS, MOMENTUM, NUMBER, VELOCITY
from rbnotes.ledger.record import Verdict, claim

QUANTITIES = {
    "Gb": NUMBER,
    "S": INVERSE_MASS,
    "fa": MOMENTUM,
    "fb": MOMENTUM,
    "gb": VELOCITY,
    "gs": VELOCITY,
    "vr": VELOCITY,
}


@claim("lloyd/s0.21/d3#a", "Effective inertia, block alpha alpha")
class d3_a:
    formula = (
        r"\mathbf M'_{\alpha\alpha} = \mathbf M_{\alpha\alpha} - \mathbf M_{\alpha\beta}\mathbf G_{\beta\alpha}"
        r" - \mathbf G_{\beta\alpha}^T\mathbf M_{\beta\alpha}"
        r" + \mathbf G_{\beta\alpha}^T\mathbf M_{\beta\beta}\mathbf G_{\beta\alpha}"
    )
    inputs = TIED
    result = MASS

    def printed(M, G, Gb):
        (Maa, _, Mab), _, (Mba, _, Mbb) = blocks(M)
        Gba = Gb[:, ALPHA]
        return Maa - Mab @ Gba - Gba.T @ Mba + Gba.T @ Mbb @ Gba

    def library(M, G, Gb):
        return reduced(M, G, Gb)[2].mass[ALPHA, ALPHA]

    oracle = ENERGY

    def reference(M, G, Gb):
        return effective_mass(M, Gb)[ALPHA, ALPHA]

    verdict = Verdict.HOLDS
    implemented_by = REDUCE
    chapter = CHAPTER


@claim("lloyd/s0.21/d3#b", "Effective inertia, block alpha rho")
class d3_b:
    formula = (
        r"\mathbf M'_{\alpha\rho} = \mathbf M_{\alpha\rho} - \mathbf M_{\alpha\beta}\mathbf G_{\beta\rho}"
        r" - \mathbf G_{\beta\alpha}^T\mathbf M_{\beta\rho}"
        r" + \mathbf G_{\beta\alpha}^T\mathbf M_{\beta\beta}\mathbf G_{\beta\rho}"
    )
    inputs = TIED
    result = MASS

    def printed(M, G, Gb):
        (_, Mar, Mab), _, (_, Mbr, Mbb) = blocks(M)
        Gba, Gbr = Gb[:, ALPHA], Gb[:, RHO]
        return Mar - Mab @ Gbr - Gba.T @ Mbr + Gba.T @ Mbb @ Gbr

    def library(M, G, Gb):
        return reduced(M, G, Gb)[2].mass[ALPHA, RHO]

    oracle = ENERGY

    def reference(M, G, Gb):
        return effective_mass(M, Gb)[ALPHA, RHO]

    verdict = Verdict.HOLDS
    implemented_by = REDUCE
    chapter = CHAPTER


@claim("lloyd/s0.21/d3#c", "Effective inertia, block rho alpha")
class d3_c:
    formula = (
        r"\mathbf M'_{\rho\alpha} = \mathbf M_{\rho\alpha} - \mathbf M_{\rho\beta}\mathbf G_{\beta\alpha}"
        r" - \mathbf G_{\beta\rho}^T\mathbf M_{\beta\alpha}"
        r" + \mathbf G_{\beta\rho}^T\mathbf M_{\beta\beta}\mathbf G_{\beta\alpha}"
    )
    inputs = TIED
    result = MASS

    def printed(M, G, Gb):
        _, (Mra, _, Mrb), (Mba, _, Mbb) = blocks(M)
        Gba, Gbr = Gb[:, ALPHA], Gb[:, RHO]
        return Mra - Mrb @ Gba - Gbr.T @ Mba + Gbr.T @ Mbb @ Gba

    def library(M, G, Gb):
        return reduced(M, G, Gb)[2].mass[RHO, ALPHA]

    oracle = ENERGY

    def reference(M, G, Gb):
        return effective_mass(M, Gb)[RHO, ALPHA]

    verdict = Verdict.HOLDS
    implemented_by = REDUCE
    chapter = CHAPTER


@claim("lloyd/s0.21/d3#d", "Effective inertia, block rho rho")
class d3_d:
    formula = (
        r"\mathbf M'_{\rho\rho} = \mathbf M_{\rho\rho} - \mathbf M_{\rho\beta}\mathbf G_{\beta\rho}"
        r" - \mathbf G_{\beta\rho}^T\mathbf M_{\beta\rho}"
        r" + \mathbf G_{\beta\rho}^T\mathbf M_{\beta\beta}\mathbf G_{\beta\rho}"
    )
    inputs = TIED
    result = MASS

    def printed(M, G, Gb):
        _, (_, Mrr, Mrb), (_, Mbr, Mbb) = blocks(M)
        Gbr = Gb[:, RHO]
        return Mrr - Mrb @ Gbr - Gbr.T @ Mbr + Gbr.T @ Mbb @ Gbr

    def library(M, G, Gb):
        return reduced(M, G, Gb)[2].mass[RHO, RHO]

    oracle = ENERGY

    def reference(M, G, Gb):
        return effective_mass(M, Gb)[RHO, RHO]

    verdict = Verdict.HOLDS
    implemented_by = REDUCE
    chapter = CHAPTER


@claim("lloyd/s0.21/d3#e", "Constraints on the components that stay, block alpha")
class d3_e:
    formula = r"\mathbf G'_{\sigma\alpha} = \mathbf G_{\sigma\alpha} - \mathbf G_{\sigma\beta}\mathbf G_{\beta\alpha}"
    inputs = TIED
    result = NUMBER

    def printed(M, G, Gb):
        Gsa, Gsb, Gba = G[:, ALPHA], G[:, BETA], Gb[:, ALPHA]
        return Gsa - Gsb @ Gba

    def library(M, G, Gb):
        return reduced(M, G, Gb)[2].bilateral.rows[:, ALPHA]

    oracle = FOLLOWING

    def reference(M, G, Gb):
        return effective_rows(G, Gb)[:, ALPHA]

    exact = "both sum the same few products in the same order"
    verdict = Verdict.HOLDS
    implemented_by = REDUCE
    chapter = CHAPTER


@claim("lloyd/s0.21/d3#f", "Constraints on the components that stay, block rho")
class d3_f:
    formula = (
        r"\mathbf G'_{\sigma\rho} = \mathbf G_{\sigma\rho} - \mathbf G_{\sigma\beta}\mathbf G_{\beta\rho}"
    )
    inputs = TIED
    result = NUMBER

    def printed(M, G, Gb):
        Gsr, Gsb, Gbr = G[:, RHO], G[:, BETA], Gb[:, RHO]
        return Gsr - Gsb @ Gbr

    def library(M, G, Gb):
        return reduced(M, G, Gb)[2].bilateral.rows[:, RHO]

    oracle = FOLLOWING

    def reference(M, G, Gb):
        return effective_rows(G, Gb)[:, RHO]

    verdict = Verdict.HOLDS
    implemented_by = REDUCE
    chapter = CHAPTER


@claim("lloyd/s0.21/d3#g", "Forces on the active components")
class d3_g:
    formula = (
        r"\mathbf f'_\alpha = \mathbf f_\alpha - \mathbf G_{\beta\alpha}^T\mathbf f_\beta"
        r" + (\mathbf M_{\alpha\beta} - \mathbf G_{\beta\alpha}^T\mathbf M_{\beta\beta})\mathbf g_\beta"
    )
    inputs = WHOLE
    result = MOMENTUM

    def printed(M, G, Gb, fa, fb, S, gs, gb, vr):
        Mab, Mbb, Gba = M[ALPHA, BETA], M[BETA, BETA], Gb[:, ALPHA]
        return fa - Gba.T @ fb + (Mab - Gba.T @ Mbb) @ gb

    def library(M, G, Gb, fa, fb, S, gs, gb, vr):
        f = np.concatenate((fa, vr, fb))  # whatever acts on the controlled ones
        return reduced(M, G, Gb, f, S, gs, gb)[2].momentum[ALPHA]

    oracle = LEFT

    def reference(M, G, Gb, fa, fb, S, gs, gb, vr):
        return force_reference(M, G, Gb, fa, fb, S, gs, gb, vr)[ALPHA]

    combined_with = ("lloyd/s0.21/d1",)
    equivalent_mutants = {
        "negated vr in `np.concatenate((fa, vr, fb))`": "the forces on controlled components do not enter here"
    }
    verdict = Verdict.ERRATUM
    correction = (
        r"The last term has a minus sign, as in (0.23): "
        r"$-(\mathbf M_{\alpha\beta} - \mathbf G_{\beta\alpha}^T\mathbf M_{\beta\beta})\mathbf g_\beta$."
    )
    implemented_by = REDUCE
    chapter = CHAPTER


@claim("lloyd/s0.21/d3#h", "Forces on the controlled components")
class d3_h:
    formula = (
        r"\mathbf f'_\rho = \mathbf f_\rho - \mathbf G_{\beta\rho}^T\mathbf f_\beta"
        r" + (\mathbf M_{\rho\beta} - \mathbf G_{\beta\rho}^T\mathbf M_{\beta\beta})\mathbf g_\beta"
    )
    inputs = WHOLE
    result = MOMENTUM

    def printed(M, G, Gb, fa, fb, S, gs, gb, vr):
        """With the f_rho that the library finds."""
        fr = controlled(M, G, Gb, fa, fb, S, gs, gb, vr).actuation_force
        Mrb, Mbb, Gbr = M[RHO, BETA], M[BETA, BETA], Gb[:, RHO]
        return fr - Gbr.T @ fb + (Mrb - Gbr.T @ Mbb) @ gb

    def library(M, G, Gb, fa, fb, S, gs, gb, vr):
        f = all_forces(M, G, Gb, fa, fb, S, gs, gb, vr)
        return reduced(M, G, Gb, f, S, gs, gb)[2].momentum[RHO]

    oracle = LEFT

    def reference(M, G, Gb, fa, fb, S, gs, gb, vr):
        return force_reference(M, G, Gb, fa, fb, S, gs, gb, vr)[RHO]

    equivalent_mutants = {
        "in all_forces: negated fa in `[fa, force, fb]`": "only the forces on attached and controlled components enter here"
    }
    verdict = Verdict.ERRATUM
    correction = (
        r"The last term has a minus sign, as in (0.23): "
        r"$-(\mathbf M_{\rho\beta} - \mathbf G_{\beta\rho}^T\mathbf M_{\beta\beta})\mathbf g_\beta$."
    )
    implemented_by = REDUCE
    chapter = CHAPTER


@claim("lloyd/s0.21/d3#i", "Right sides of the constraints that stay")
class d3_i:
    formula = r"\mathbf g'_\alpha = \mathbf g_\alpha - \mathbf G_{\sigma\beta}\mathbf g_\beta"
    inputs = WHOLE
    result = VELOCITY

    def printed(M, G, Gb, fa, fb, S, gs, gb, vr):
        """The rows of alpha, where sigma has more: the sizes do not fit."""
        ga, Gsb = gs[:ROWS_OF_ALPHA], G[:, BETA]
        return ga - Gsb @ gb

    def library(M, G, Gb, fa, fb, S, gs, gb, vr):
        return reduced(M, G, Gb, None, S, gs, gb)[2].bilateral.target

    oracle = "the constraints on the components that stay, applied to the motion of least action"

    def reference(M, G, Gb, fa, fb, S, gs, gb, vr):
        v, multipliers, *_ = motion(M, G, Gb, fa, fb, S, gs, gb, vr)
        return effective_rows(G, Gb) @ v[:KEPT] - S * multipliers

    undefined = "g of alpha has fewer rows than G of sigma: the sizes do not fit"
    equivalent_mutants = {"in reduced: dropped minus in `-Gb`": "the right sides only see the drift"}
    verdict = Verdict.MISPRINT
    correction = (
        r"$\mathbf g'_\sigma = \mathbf g_\sigma - \mathbf G_{\sigma\beta}\mathbf g_\beta$: the index is that of the system "
        "above."
    )
    implemented_by = REDUCE
    chapter = CHAPTER
