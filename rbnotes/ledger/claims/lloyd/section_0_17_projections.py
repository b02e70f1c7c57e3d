"""Lloyd 0.17: the reduction as products of matrices, attachment by attachment."""

from __future__ import annotations

import numpy as np

from rbnotes.attachments import Attachment, eliminate_attachment
from rbnotes.dynamics import StepProblem
from rbnotes.ledger.claims.lloyd.section_0_17 import ACTIVE, ATTACHED, CHAPTER, SIZE, TIED
from rbnotes.ledger.oracles.attachments import attached_velocities, effective_mass
from rbnotes.ledger.quantities import MASS, NUMBER
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing.strategies import arrays

# Active velocities, then three attached components: j, k and another one.
SIZES = (ACTIVE, 2, ATTACHED, 1)
FIRST, LAST = ACTIVE + 2, ACTIVE + 2 + ATTACHED
EVERY = sum(SIZES)
ONE = {"Gka": arrays(ATTACHED, ACTIVE)}
PAIR = {**ONE, "Gja": arrays(2, ACTIVE)}


QUANTITIES = {"Gba": NUMBER, "Gja": NUMBER, "Gka": NUMBER}


def P_printed(Gba):
    P = np.zeros((SIZE, SIZE))
    P[:ACTIVE, :ACTIVE], P[:ACTIVE, ACTIVE:] = np.eye(ACTIVE), -Gba.T
    return P


def P_k_printed(Gka):
    P = np.diag(np.repeat([1.0, 1.0, 0.0, 1.0], SIZES))
    P[:ACTIVE, FIRST:LAST] = -Gka.T
    return P


def P_j_printed(Gja):
    P = np.diag(np.repeat([1.0, 0.0, 1.0, 1.0], SIZES))
    P[:ACTIVE, ACTIVE:FIRST] = -Gja.T
    return P


def k_attached(Gka):
    return Attachment(2, {0: -Gka})


def j_attached(Gja):
    return Attachment(1, {0: -Gja})


def forces_handed_on(sizes, attachments):
    """Column by column: what is left of unit forces after the elimination of attachments in an order."""
    columns = []
    for unit in np.eye(sum(sizes)):
        system = StepProblem(np.eye(sum(sizes)), unit)
        for attachment in attachments:
            system = eliminate_attachment(system, sizes, attachment)
        columns.append(system.momentum)
    return np.stack(columns, axis=1)


def handed_on(Gka):
    """Column by column: forces that the others keep, and a force on k that its masters take over."""
    P = np.zeros((EVERY, EVERY))
    for i, unit in enumerate(np.eye(EVERY)):
        held = unit.copy()
        held[FIRST:LAST] = 0.0
        for force, row in zip(unit[FIRST:LAST], Gka, strict=True):
            held[:ACTIVE] -= force * row
        P[:, i] = held
    return P


@claim("lloyd/s0.17/d3", "The reduction as a product of matrices")
class d3:
    formula = (
        r"\mathbf P\mathbf M\mathbf P^T = \begin{pmatrix} \mathbf M'_{\alpha\alpha} & 0 \\"
        r" 0 & 0 \end{pmatrix}"
    )
    inputs = TIED
    result = MASS

    def printed(M, Gba):
        P = P_printed(Gba)
        return P @ M @ P.T

    def library(M, Gba):
        system = StepProblem(M, np.zeros(SIZE))
        return eliminate_attachment(system, [ACTIVE, ATTACHED], Attachment(1, {0: -Gba})).mass

    oracle = "the kinetic energy of all components while the attached ones follow"

    def reference(M, Gba):
        padded = np.zeros((SIZE, SIZE))
        padded[:ACTIVE, :ACTIVE] = effective_mass(M, Gba)
        return padded

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.attachments.eliminate_attachment",)
    chapter = CHAPTER


@claim("lloyd/s0.17/d4", "The matrix of the reduction")
class d4:
    formula = (
        r"\mathbf P \equiv \begin{pmatrix} \mathbf I & -\mathbf G_{\beta\alpha}^T \\ 0 & 0 \end{pmatrix}"
    )
    inputs = {"Gba": arrays(ATTACHED, ACTIVE)}
    result = NUMBER

    def printed(Gba):
        return P_printed(Gba)

    def library(Gba):
        return forces_handed_on([ACTIVE, ATTACHED], [Attachment(1, {0: -Gba})])

    oracle = "the velocities that follow each unit velocity of the active components, as rows"

    def reference(Gba):
        """Forces on all components, handed to the active ones so that their power stays."""
        columns = [attached_velocities(Gba, unit) for unit in np.eye(ACTIVE)]
        return np.vstack([*columns, *np.zeros((ATTACHED, SIZE))])

    exact = "both only place entries and their opposites"
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.attachments.eliminate_attachment",)
    chapter = CHAPTER


@claim("lloyd/s0.17/d5", "The matrix of the reduction for one attachment")
class d5:
    formula = (
        r"\mathbf P_k \equiv \begin{pmatrix} \mathbf I & 0 & -\mathbf G_{k\alpha}^T & 0 \\"
        r" 0 & \mathbf I & 0 & 0 \\ 0 & 0 & 0 & 0 \\ 0 & 0 & 0 & \mathbf I \end{pmatrix}"
    )
    inputs = ONE
    result = NUMBER
    printed = P_k_printed

    def library(Gka):
        return forces_handed_on(SIZES, [k_attached(Gka)])

    oracle = "unit forces: those on k go to its masters, the others stay where they are"
    reference = handed_on
    exact = "both only place entries and their opposites"
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.attachments.eliminate_attachment",)
    chapter = CHAPTER


@claim("lloyd/s0.17/t786", "Attachment by attachment")
class t786:
    formula = (
        r"\mathbf P_j(\mathbf P_k\mathbf M\mathbf P_k^T)\mathbf P_j^T"
        r" = \mathbf P\mathbf M\mathbf P^T"
    )
    inputs = {"M": arrays(EVERY, EVERY).map(lambda A: A @ A.T / EVERY + 0.5 * np.eye(EVERY)), **PAIR}
    result = MASS

    def printed(M, Gka, Gja):
        P_k, P_j = P_k_printed(Gka), P_j_printed(Gja)
        return P_j @ (P_k @ M @ P_k.T) @ P_j.T

    def library(M, Gka, Gja):
        without_k = eliminate_attachment(StepProblem(M, np.zeros(EVERY)), SIZES, k_attached(Gka))
        return eliminate_attachment(without_k, SIZES, j_attached(Gja)).mass

    oracle = "the kinetic energy of all components while j and k follow, both at once"

    def reference(M, Gka, Gja):
        kept = [*range(ACTIVE), EVERY - 1]
        order = [*kept, *range(ACTIVE, EVERY - 1)]
        G = np.zeros((2 + ATTACHED, ACTIVE + 1))
        G[:2, :ACTIVE], G[2:, :ACTIVE] = Gja, Gka
        padded = np.zeros((EVERY, EVERY))
        padded[np.ix_(kept, kept)] = effective_mass(M[np.ix_(order, order)], G)
        return padded

    equivalent_mutants = {
        "in P_j_printed: negated 1.0 in `[1.0, 0.0, 1.0, 1.0]`": "the forces on k have been handed on before"
    }
    verdict = Verdict.HOLDS
    remark = "Here neither component is a master of the other; section 0.18 has the other case."
    implemented_by = ("rbnotes.attachments.eliminate_attachment",)
    chapter = CHAPTER


@claim("lloyd/s0.17/t793", "The order of the reductions does not matter")
class t793:
    formula = r"\mathbf P_j\mathbf P_k = \mathbf P_k\mathbf P_j"
    inputs = PAIR
    result = NUMBER

    def printed(Gka, Gja):
        P_k, P_j = P_k_printed(Gka), P_j_printed(Gja)
        return np.stack([P_k @ P_j, P_j @ P_k])

    def library(Gka, Gja):
        k, j = k_attached(Gka), j_attached(Gja)
        return np.stack([forces_handed_on(SIZES, (k, j)), forces_handed_on(SIZES, (j, k))])

    oracle = "unit forces: those on j and on k go to their masters, whichever is first"

    def reference(Gka, Gja):
        """Both forces are taken over by the masters, whichever is first."""
        P = handed_on(Gka)
        P[:, ACTIVE:FIRST] = 0.0
        for i, row in enumerate(Gja):
            P[:ACTIVE, ACTIVE + i] = -row
        return np.stack([P, P])

    exact = "both only place entries and their opposites"
    equivalent_mutants = {
        "swapped operands in `P_k @ P_j`": "that they commute is the claim",
        "swapped operands in `P_j @ P_k`": "that they commute is the claim",
    }
    verdict = Verdict.HOLDS
    remark = "True as long as neither component is attached to the other, which this section assumes."
    implemented_by = ("rbnotes.attachments.eliminate_attachment",)
    chapter = CHAPTER
