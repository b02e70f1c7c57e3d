"""Lloyd 0.17: the reduction as products of matrices, one attachment after the other."""

from __future__ import annotations

import numpy as np

from rbnotes.attachments import (
    Attachment,
    eliminate_attachment,
)
from rbnotes.dynamics import BilateralRows, StepProblem
from rbnotes.ledger.claims.lloyd.section_0_17 import section
from rbnotes.ledger.claims.lloyd.section_0_17.attachments import ACTIVE, ATTACHED, ATTACHED_SYSTEM, SIZE
from rbnotes.ledger.oracles.attachments import (
    attached_velocities,
    effective_mass,
)
from rbnotes.ledger.quantities import (
    MASS,
    NUMBER,
)
from rbnotes.ledger.record import Result
from rbnotes.testing.strategies import arrays, spd_matrices

# Active velocities, then three attached components: j, k and another one.
SIZES = (ACTIVE, 2, ATTACHED, 1)
FIRST, LAST = ACTIVE + 2, ACTIVE + 2 + ATTACHED
TOTAL_SIZE = sum(SIZES)
ATTACHMENT_K = {"Gka": arrays(ATTACHED, ACTIVE)}
ATTACHMENTS_J_K = {**ATTACHMENT_K, "Gja": arrays(2, ACTIVE)}


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


def eliminated_forces(sizes, attachments):
    """Return the forces after successive eliminations, one column for each unit force.

    The unit forces are those of constraints, so that one problem holds all of them.
    """
    units = np.eye(sum(sizes))
    system = StepProblem(units, np.zeros(sum(sizes)), BilateralRows(units))
    for attachment in attachments:
        system = eliminate_attachment(system, sizes, attachment)
    return system.bilateral.rows.T


def transfer_to_masters(Gka):
    """Apply unit forces: those on k are transferred to its masters, the others are unchanged."""
    P = np.zeros((TOTAL_SIZE, TOTAL_SIZE))
    for i, unit in enumerate(np.eye(TOTAL_SIZE)):
        forces = unit.copy()
        forces[FIRST:LAST] = 0.0
        for force, row in zip(unit[FIRST:LAST], Gka, strict=True):
            forces[:ACTIVE] -= force * row
        P[:, i] = forces
    return P


@section.holds("d3", "The reduction as a product of matrices")
class d3:
    formula = r"\mathbf P\mathbf M\mathbf P^T = \begin{pmatrix} \mathbf M'_{\alpha\alpha} & 0 \\ 0 & 0 \end{pmatrix}"
    inputs = ATTACHED_SYSTEM
    result = Result(MASS, "of all coordinates, the attached ones last")

    def printed(M, Gba):
        P = P_printed(Gba)
        return P @ M @ P.T

    def library(M, Gba):
        system = StepProblem(M, np.zeros(SIZE))
        return eliminate_attachment(system, [ACTIVE, ATTACHED], Attachment(1, {0: -Gba})).mass

    def reference(M, Gba):
        """Compare with the kinetic energy of all components as a function of the active velocities."""
        M_all = np.zeros((SIZE, SIZE))
        M_all[:ACTIVE, :ACTIVE] = effective_mass(M, Gba)
        return M_all

    implements = eliminate_attachment


@section.holds("d4", "The matrix of the reduction")
class d4:
    formula = (
        r"\mathbf P \equiv \begin{pmatrix} \mathbf I & -\mathbf G_{\beta\alpha}^T \\ 0 & 0 \end{pmatrix}"
    )
    inputs = {"Gba": arrays(ATTACHED, ACTIVE)}
    result = Result(NUMBER, "of all coordinates, the attached ones last")

    def printed(Gba):
        return P_printed(Gba)

    def library(Gba):
        return eliminated_forces([ACTIVE, ATTACHED], [Attachment(1, {0: -Gba})])

    def reference(Gba):
        """Compare with the attached velocities for each unit velocity of the active components, as rows.

        By equal power, the same matrix transfers the forces on all components to the active ones.
        """
        columns = [attached_velocities(Gba, unit) for unit in np.eye(ACTIVE)]
        return np.vstack([*columns, *np.zeros((ATTACHED, SIZE))])

    exact = "both forms only copy entries and change signs"
    implements = eliminate_attachment


@section.holds("d5", "The matrix of the reduction for one attachment")
class d5:
    formula = r"\mathbf P_k \equiv \begin{pmatrix} \mathbf I & 0 & -\mathbf G_{k\alpha}^T & 0 \\ 0 & \mathbf I & 0 & 0 \\ 0 & 0 & 0 & 0 \\ 0 & 0 & 0 & \mathbf I \end{pmatrix}"
    inputs = ATTACHMENT_K
    result = Result(NUMBER, "of all coordinates, the attached ones last")
    printed = P_k_printed

    def library(Gka):
        return eliminated_forces(SIZES, [k_attached(Gka)])

    reference = transfer_to_masters
    exact = "both forms only copy entries and change signs"
    implements = eliminate_attachment


@section.holds("t786", "Reduction of one attachment after the other")
class t786:
    formula = r"\mathbf P_j(\mathbf P_k\mathbf M\mathbf P_k^T)\mathbf P_j^T = \mathbf P\mathbf M\mathbf P^T"
    inputs = {
        "M": spd_matrices(TOTAL_SIZE, arrays),
        **ATTACHMENTS_J_K,
    }
    result = Result(MASS, "of all coordinates, the attached ones last")

    def printed(M, Gka, Gja):
        P_k, P_j = P_k_printed(Gka), P_j_printed(Gja)
        return P_j @ (P_k @ M @ P_k.T) @ P_j.T

    def library(M, Gka, Gja):
        without_k = eliminate_attachment(StepProblem(M, np.zeros(TOTAL_SIZE)), SIZES, k_attached(Gka))
        return eliminate_attachment(without_k, SIZES, j_attached(Gja)).mass

    def reference(M, Gka, Gja):
        """Compare with the kinetic energy of all components, with v_j and v_k eliminated at once."""
        remaining_indices = [*range(ACTIVE), TOTAL_SIZE - 1]
        order = [*remaining_indices, *range(ACTIVE, TOTAL_SIZE - 1)]
        G = np.zeros((2 + ATTACHED, ACTIVE + 1))
        G[:2, :ACTIVE], G[2:, :ACTIVE] = Gja, Gka
        M_all = np.zeros((TOTAL_SIZE, TOTAL_SIZE))
        M_all[np.ix_(remaining_indices, remaining_indices)] = effective_mass(M[np.ix_(order, order)], G)
        return M_all

    remark = "Neither component is a master of the other here; section 0.18 treats the other case."
    implements = eliminate_attachment


@section.holds("t793", "The order of the reductions does not matter")
class t793:
    formula = r"\mathbf P_j\mathbf P_k = \mathbf P_k\mathbf P_j"
    inputs = ATTACHMENTS_J_K
    result = Result(NUMBER, "of all coordinates, the attached ones last, in either order of the reductions")

    def printed(Gka, Gja):
        P_k, P_j = P_k_printed(Gka), P_j_printed(Gja)
        return np.stack([P_k @ P_j, P_j @ P_k])

    def library(Gka, Gja):
        k, j = k_attached(Gka), j_attached(Gja)
        return np.stack([eliminated_forces(SIZES, (k, j)), eliminated_forces(SIZES, (j, k))])

    def reference(Gka, Gja):
        """Apply unit forces: those on j and k are transferred to their masters, in either order."""
        P = transfer_to_masters(Gka)
        P[:, ACTIVE:FIRST] = 0.0
        for i, row in enumerate(Gja):
            P[:ACTIVE, ACTIVE + i] = -row
        return np.stack([P, P])

    exact = "both forms only copy entries and change signs"
    remark = "This holds if neither component is attached to the other, as this section assumes."
    implements = eliminate_attachment
