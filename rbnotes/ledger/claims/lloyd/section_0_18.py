"""Lloyd 0.18: attaching to an attached component.

As in section 0.17, the oracle is the motion of least action, without a KKT system.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from rbnotes.attachments import (
    Attachment,
    NullSpaceReduction,
    eliminate_attachment,
    elimination_order,
    null_space_reduction,
    point_on_points,
)
from rbnotes.dynamics import BilateralRows, StepProblem, solve_step
from rbnotes.ledger.claims.lloyd.section_0_17.attachments import negative_regularization, step_problem
from rbnotes.ledger.oracles.attachments import effective_mass, effective_rows, soft_constrained_motion
from rbnotes.ledger.oracles.constrained_systems import energy_matrix
from rbnotes.ledger.quantities import INVERSE_MASS, MASS, MOMENTUM, NUMBER, VELOCITY, vector_quantity
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing.strategies import arrays, positive_numbers, spd_matrices, vectors

section = Section(
    "lloyd/s0.18",
    chapter="attachments-on-attachments",
    arguments={
        "G": Argument(NUMBER, "one row for each constraint, over the generalized coordinates of the system"),
        "va": Argument(VELOCITY, "of the respective coordinates, in their order"),
        "vb": Argument(VELOCITY, "of the respective coordinates, in their order"),
        "M": Argument(
            MASS,
            ("in the generalized coordinates of the system (arbitrary), the attached ones last"),
        ),
        "onto_active": Argument(
            NUMBER, "one matrix for each attachment, over the coordinates of the next component"
        ),
        "onto_next": Argument(
            NUMBER, "one matrix for each attachment, over the coordinates of the next component"
        ),
        "Gb": Argument(NUMBER, "one row for each attached coordinate, over those of its masters"),
        "Gk": Argument(NUMBER, "one row for each attached coordinate, over those of its masters"),
        "f": Argument(
            MOMENTUM,
            ("in the generalized coordinates of the system (arbitrary), the attached ones last"),
        ),
        "S": Argument(INVERSE_MASS, "one for each constraint"),
        "ga": Argument(VELOCITY, "one for each constraint"),
        "gb": Argument(VELOCITY, "of the respective coordinates, in their order"),
        "gk": Argument(VELOCITY, "of the respective coordinates, in their order"),
        "mj": Argument(MASS),
        "mm": Argument(MASS),
        "mk": Argument(MASS),
        "ma": Argument(MASS),
        "v": Argument(VELOCITY, "of the respective coordinates, in their order"),
        "w1": Argument(NUMBER),
        "w2": Argument(NUMBER),
        "m1": Argument(MASS),
        "m2": Argument(MASS),
    },
)


# Sizes: active components, remaining attached components, the eliminated component; constraints.
A, B, K, ROWS = 3, 2, 2, 1
SIZE, REMAINING = A + B + K, A + B
ALPHA, BETA, LAST = slice(0, A), slice(A, REMAINING), slice(REMAINING, SIZE)
IDENTITY = np.eye(K)


def chain_attachments(G):
    """Return rows ``(G_ba G_bb)`` in which the second component of beta is a master of the first."""
    G = G.copy()
    G[:, BETA] = np.triu(G[:, BETA], 1) + np.eye(B)
    return G


ATTACHED_SYSTEM = {
    "M": spd_matrices(SIZE, arrays),
    "G": arrays(ROWS, SIZE),
    "Gb": arrays(B, REMAINING).map(chain_attachments),
    "Gk": arrays(K, REMAINING),
}
CHAINED_ATTACHMENTS = {"Gb": "of two attached components the second is a master of the first"}
FULL_SYSTEM = {
    **ATTACHED_SYSTEM,
    "f": arrays(SIZE),
    "S": vectors(ROWS, 0.25, 2.0),
    "ga": arrays(ROWS),
    "gb": arrays(B),
    "gk": arrays(K),
}
WithNegativeR: Any = negative_regularization(FULL_SYSTEM, ROWS)


def blocks(M):
    return [[M[row, column] for column in (ALPHA, BETA, LAST)] for row in (ALPHA, BETA, LAST)]


def constrained_motion(M, G, Gb, Gk, f, S, ga, gb, gk):
    """Return v and the multipliers of constraints, beta and k with the signs of the notes."""
    attached = np.vstack([np.hstack([Gb, np.zeros((B, K))]), np.hstack([Gk, IDENTITY])])
    v, soft_impulses, hard_impulses = soft_constrained_motion(
        M, f, (G, ga, S), (attached, np.concatenate([gb, gk]))
    )
    return v, -soft_impulses, -hard_impulses[:B], -hard_impulses[B:]


def whole_printed(M, G, Gb, Gk, f, R, ga, gb, gk):
    """Solve (0.25) with the regularization matrix diag(R)."""
    (Maa, Mab, Mak), (Mba, Mbb, Mbk), (Mka, Mkb, Mkk) = blocks(M)
    Gaa, Gab, Gak = G[:, ALPHA], G[:, BETA], G[:, LAST]
    Gba, Gbb, Gka, Gkb = Gb[:, ALPHA], Gb[:, BETA], Gk[:, ALPHA], Gk[:, BETA]
    zero_rows_b, zero_rows_k, zero_b_k = np.zeros((ROWS, B)), np.zeros((ROWS, K)), np.zeros((B, K))
    zero_b, zero_k = np.zeros((B, B)), np.zeros((K, K))
    zero_columns_b, zero_columns_k, zero_k_b = np.zeros((B, ROWS)), np.zeros((K, ROWS)), np.zeros((K, B))
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
    """Reduce to the active components in one step, with all masters of both attachments."""
    inverse = np.linalg.inv(Gb[:, BETA])
    onto_active = Attachment(1, {0: -inverse @ Gb[:, ALPHA]}, inverse @ gb)
    onto_both = Attachment(2, {0: -Gk[:, ALPHA], 1: -Gk[:, BETA]}, gk)
    space = null_space_reduction([A, B, K], (onto_active, onto_both))
    system = StepProblem(M, f, BilateralRows(G, ga, S))
    expanded_step = space.expand(solve_step(space.reduce(system)))
    forces = space.attachment_forces(system, expanded_step)
    return np.concatenate(
        [expanded_step.velocity, -expanded_step.bilateral, -inverse.T @ forces[:B], -forces[B:]]
    )


def without_k(M, G, Gb, Gk, f=None, S=None, ga=None, gb=None, gk=None):
    """Return the system without k; the attachments of beta are among its rows, without regularization."""
    space = null_space_reduction([REMAINING, K], [Attachment(1, {0: -Gk}, np.zeros(K) if gk is None else gk)])
    rows = np.vstack([G, np.hstack([Gb, np.zeros((B, K))])])
    targets = None if ga is None else np.concatenate([ga, gb])
    regularization = None if S is None else np.concatenate([S, np.zeros(B)])
    return space.reduce(step_problem(M, np.zeros(SIZE) if f is None else f, rows, targets, regularization))


def without_k_printed(M, G, Gb, Gk, f, R, ga, gb, gk):
    """Solve (0.26), with (0.27) to (0.35) and the regularization matrix diag(R)."""
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
    zero_columns = np.zeros((B, ROWS))
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
    step = solve_step(without_k(M, G, Gb, Gk, f, S, ga, gb, gk))
    v, soft_impulses = step.velocity, step.bilateral
    return np.concatenate([v, -soft_impulses])


def without_k_reference(M, G, Gb, Gk, f, S, ga, gb, gk):
    """Minimize the action over all admissible motions, with the penalty (G v - g)^2 / (2 R) per row.

    The admissible motions satisfy the attachments. The multipliers follow from the balance of forces.
    """
    v, constraints, beta, _ = constrained_motion(M, G, Gb, Gk, f, S, ga, gb, gk)
    return np.concatenate([v[:REMAINING], constraints, beta])


def force_reference(M, G, Gb, Gk, f, S, ga, gb, gk):
    """Compare with the residual of the equations of motion with the effective inertia."""
    v, constraints, beta, _ = constrained_motion(M, G, Gb, Gk, f, S, ga, gb, gk)
    return effective_mass(M, Gk) @ v[:REMAINING] + effective_rows(G, Gk).T @ constraints + Gb.T @ beta


@section.conditional("e0.25", "The full system with one attachment listed separately")
class e0_25(WithNegativeR):
    formula = r"\begin{pmatrix} \mathbf M_{\alpha\alpha} & \mathbf M_{\alpha\beta} & \mathbf M_{\alpha k} & \mathbf G_{\alpha\alpha}^T & \mathbf G_{\beta\alpha}^T & \mathbf G_{k\alpha}^T \\ \mathbf M_{\beta\alpha} & \mathbf M_{\beta\beta} & \mathbf M_{\beta k} & \mathbf G_{\alpha\beta}^T & \mathbf G_{\beta\beta}^T & \mathbf G_{k\beta}^T \\ \mathbf M_{k\alpha} & \mathbf M_{k\beta} & \mathbf M_{kk} & \mathbf G_{\alpha k}^T & 0 & \mathbf I \\ \mathbf G_{\alpha\alpha} & \mathbf G_{\alpha\beta} & \mathbf G_{\alpha k} & \mathbf R_\alpha & 0 & 0 \\ \mathbf G_{\beta\alpha} & \mathbf G_{\beta\beta} & 0 & 0 & 0 & 0 \\ \mathbf G_{k\alpha} & \mathbf G_{k\beta} & \mathbf I & 0 & 0 & 0 \end{pmatrix} \begin{pmatrix} \mathbf v_\alpha \\ \mathbf v_\beta \\ \mathbf v_k \\ \boldsymbol\lambda_\alpha \\ \boldsymbol\lambda_\beta \\ \boldsymbol\lambda_k \end{pmatrix} = \begin{pmatrix} \mathbf f_\alpha \\ \mathbf f_\beta \\ \mathbf f_k \\ \mathbf g_\alpha \\ \mathbf g_\beta \\ \mathbf g_k \end{pmatrix}"
    result = Result(
        vector_quantity((VELOCITY, 7), (MOMENTUM, 5)),
        "of all coordinates, those of k last, then of the constraints, then of the attachment",
    )

    def printed(M, G, Gb, Gk, f, R, ga, gb, gk):
        return whole_printed(M, G, Gb, Gk, f, R, ga, gb, gk)

    def library(M, G, Gb, Gk, f, R, ga, gb, gk):
        return whole_library(M, G, Gb, Gk, f, np.abs(R), ga, gb, gk)

    def reference(M, G, Gb, Gk, f, R, ga, gb, gk):
        """Minimize the action over all admissible motions, with the penalty (G v - g)^2 / (2 |R|) per row.

        The admissible motions satisfy the attachments. The multipliers follow from the balance of forces.
        """
        return np.concatenate(constrained_motion(M, G, Gb, Gk, f, np.abs(R), ga, gb, gk))

    def holds_when(M, G, Gb, Gk, f, R, ga, gb, gk):
        return np.all(R < 0)

    special = CHAINED_ATTACHMENTS
    remark = "The multipliers have the opposite sign of the forces, and the condition is that of (0.19)."
    implements = (StepProblem, null_space_reduction)


@section.conditional("e0.26", "The system without k")
class e0_26(WithNegativeR):
    formula = r"\begin{pmatrix} \mathbf M'_{\alpha\alpha} & \mathbf M'_{\alpha\beta} & \mathbf G'^T_{\alpha\alpha} & \mathbf G_{\beta\alpha}^T \\ \mathbf M'_{\beta\alpha} & \mathbf M'_{\beta\beta} & \mathbf G'^T_{\alpha\beta} & \mathbf G_{\beta\beta}^T \\ \mathbf G'_{\alpha\alpha} & \mathbf G'_{\alpha\beta} & \mathbf R_\alpha & 0 \\ \mathbf G_{\beta\alpha} & \mathbf G_{\beta\beta} & 0 & 0 \end{pmatrix} \begin{pmatrix} \mathbf v_\alpha \\ \mathbf v_\beta \\ \boldsymbol\lambda_\alpha \\ \boldsymbol\lambda_\beta \end{pmatrix} = \begin{pmatrix} \mathbf f'_\alpha \\ \mathbf f'_\beta \\ \mathbf g'_\alpha \\ \mathbf g_\beta \end{pmatrix}"
    result = Result(
        vector_quantity((VELOCITY, 5), (MOMENTUM, 3)), "of the remaining coordinates, then of the constraints"
    )

    def printed(M, G, Gb, Gk, f, R, ga, gb, gk):
        return without_k_printed(M, G, Gb, Gk, f, R, ga, gb, gk)

    def library(M, G, Gb, Gk, f, R, ga, gb, gk):
        return without_k_library(M, G, Gb, Gk, f, np.abs(R), ga, gb, gk)

    def reference(M, G, Gb, Gk, f, R, ga, gb, gk):
        """Minimize the action over all admissible motions, with the penalty (G v - g)^2 / (2 |R|) per row.

        The admissible motions satisfy the attachments. The multipliers follow from the balance of forces.
        """
        return without_k_reference(M, G, Gb, Gk, f, np.abs(R), ga, gb, gk)

    def holds_when(M, G, Gb, Gk, f, R, ga, gb, gk):
        return np.all(R < 0)

    special = CHAINED_ATTACHMENTS
    remark = (
        r"The blocks are (0.27) to (0.35). The elimination does not change $\mathbf R_\alpha$, so that the condition is that of "
        "(0.19)."
    )
    implements = NullSpaceReduction.reduce


# ------------------------------------------------------------------------------------------------------------
# One attachment after the other, along the graph of attachments.


CHAIN = (point_on_points(0, [3], [1.0]), point_on_points(1, [0], [1.0]), point_on_points(2, [1], [1.0]))
"""j on the active particle 3, m on j, k on m."""
BLOCK_SIZE = 2
"""Velocities of a component of the graph below."""
SIZES = (BLOCK_SIZE,) * 4
GRAPH = {
    "M": spd_matrices(8, arrays),
    "onto_active": arrays(3, BLOCK_SIZE, BLOCK_SIZE),
    "onto_next": arrays(3, BLOCK_SIZE, BLOCK_SIZE),
    "f": arrays(8),
}
"""Components 0, 1 and 2, each attached to the next one and to the active component 3."""


NO_DRIFT = np.zeros((3, BLOCK_SIZE))


def eliminate_particles(masses, order):
    """Return the effective mass of the active particle after eliminating the chain in the given order."""
    system = StepProblem(np.diag(np.repeat(masses, 3)), np.zeros(12))
    for attachment in order:
        system = eliminate_attachment(system, [3, 3, 3, 3], attachment)
    return system.mass[9, 9]


def attachment_graph(onto_active, onto_next):
    """Return the attachments; component 2 is attached to the active component alone, by both blocks."""
    chain = [Attachment(k, {3: -onto_active[k], k + 1: -onto_next[k]}) for k in (0, 1)]
    return [*chain, Attachment(2, {3: -onto_active[2] - onto_next[2]})]


def all_velocities(onto_active, onto_next, v_active, drift=NO_DRIFT):
    """Return all velocities, masters first; each attached velocity satisfies its own constraint."""
    v = np.zeros((4, BLOCK_SIZE))
    v[3] = v_active
    for k in (2, 1, 0):
        for i in range(BLOCK_SIZE):
            v[k, i] = drift[k, i] - onto_active[k][i] @ v[3] - onto_next[k][i] @ v[k + 1]
    return v.ravel()


def graph_energy(M, onto_active, onto_next):
    """Compare with the kinetic energy of all components, with velocities computed masters first."""
    return energy_matrix(M, lambda v: all_velocities(onto_active, onto_next, v), BLOCK_SIZE)


def three_particle_velocities(w1, w2, v):
    """Return the velocities of two particles and of a third one between them."""
    return np.concatenate([v, w1 * v[:3] + w2 * v[3:]])


MASTERS = {
    "w1": positive_numbers(),
    "w2": positive_numbers(),
    "m1": positive_numbers(),
    "m2": positive_numbers(),
    "mk": positive_numbers(),
}


def two_masters_library(w1, w2, m1, m2, mk):
    masses = np.diag(np.repeat([m1, m2, mk], 3))
    space = null_space_reduction([3, 3, 3], (point_on_points(2, (0, 1), (w1, w2)),))
    return space.reduce(StepProblem(masses, np.zeros(9))).mass


def two_masters_reference(w1, w2, m1, m2, mk):
    """Compare with the kinetic energy of three particles, with the velocity of the third eliminated."""
    return energy_matrix(
        np.diag(np.repeat([m1, m2, mk], 3)), lambda v: three_particle_velocities(w1, w2, v), 6
    )


ATTACHED_TO_BOTH = {"G": arrays(K, REMAINING), "va": vectors(A), "vb": vectors(B)}


def attached_to_both_library(G, va, vb):
    space = null_space_reduction([A, B, K], [Attachment(2, {0: -G[:, ALPHA], 1: -G[:, BETA]})])
    return space.expand_velocities(np.concatenate([va, vb]))[REMAINING:]


def attached_to_both_reference(G, va, vb):
    """Combine motions that the row of the attachment in (0.25) allows: projections onto its null space."""
    row = np.hstack([G, IDENTITY])
    motions = (np.eye(SIZE) - row.T @ np.linalg.solve(row @ row.T, row))[:REMAINING]
    weights = np.linalg.solve(motions[:, :REMAINING].T, np.concatenate([va, vb]))
    return weights @ motions[:, REMAINING:]


@section.holds("t801", "Elimination of one attachment at a time")
class t801:
    formula = r"\text{the null-space reduction can still be done, one attachment at a time, starting with those to which no other components are attached}"
    inputs = {name: GRAPH[name] for name in ("M", "onto_active", "onto_next")}
    result = Result(MASS, "of the active coordinates, which are the last")

    def printed(M, onto_active, onto_next):
        """Apply (0.27) to components 0, 1 and 2 in turn, each with all remaining components."""
        for k in (0, 1, 2):
            Gk = np.zeros((BLOCK_SIZE, len(M) - BLOCK_SIZE))
            Gk[:, -BLOCK_SIZE:] += onto_active[k]
            Gk[:, :BLOCK_SIZE] += onto_next[k]
            remaining, eliminated = slice(BLOCK_SIZE, None), slice(0, BLOCK_SIZE)
            M = (
                M[remaining, remaining]
                - M[remaining, eliminated] @ Gk
                - Gk.T @ M[eliminated, remaining]
                + Gk.T @ M[eliminated, eliminated] @ Gk
            )
        return M

    def library(M, onto_active, onto_next):
        system = StepProblem(M, np.zeros(8))
        for attachment in elimination_order(reversed(attachment_graph(onto_active, onto_next))):
            system = eliminate_attachment(system, SIZES, attachment)
        return system.mass[-BLOCK_SIZE:, -BLOCK_SIZE:]

    reference = graph_energy
    implements = (eliminate_attachment, elimination_order)


@section.erratum("t849", "The order of elimination")
class t849:
    formula = r"\text{the masters of } k \text{ are unattached or attached only to components } j > k"
    inputs = {name: positive_numbers() for name in ("mj", "mm", "mk", "ma")}
    result = Result(MASS)

    def printed(mj, mm, mk, ma):
        """Eliminate m first, then k, then j.

        The masters of m and k, which are j and m, are only attached to components that are eliminated later
        or are active.
        """
        return eliminate_particles([mj, mm, mk, ma], (CHAIN[1], CHAIN[2], CHAIN[0]))

    def library(mj, mm, mk, ma):
        return eliminate_particles([mj, mm, mk, ma], elimination_order(CHAIN))

    def reference(mj, mm, mk, ma):
        """Sum the masses of a chain of particles that move together."""
        return mj + mm + mk + ma

    exact = "both forms sum the same four masses"
    correction = "The masters of $k$ are unattached, or are attached components $j > k$."
    replacement = "Now, assuming that the attachments form a directed acyclic graph, order this graph such that for each attached component $k$, its masters are either unattached or themselves attached components $j > k$."
    remark = (
        r"The later statement that $\mathbf G_{k\beta}$ only contains entries for components $j > "
        "k$ is correct. According to the printed sentence, a component may be eliminated before "
        "another one that is attached to it, whose mass is then lost."
    )
    effect = (
        "A force of 12 N on four joined particles of 1 kg each moves them at 4.0 m/s after one second "
        "instead of 3.0 m/s."
    )
    implements = elimination_order


@section.conditional("t851", "Recursion for the forces alone")
class t851:
    formula = r"\text{we can recursively compute } \mathbf f'_\alpha \text{ and } \mathbf f'_\beta \text{ in the prescribed order}"
    inputs = {**GRAPH, "drift": arrays(3, BLOCK_SIZE)}
    condition_inputs = {**inputs, "drift": st.just(NO_DRIFT)}
    arguments = {"drift": Argument(VELOCITY, "of the attached coordinates, by component")}
    result = Result(MOMENTUM, "of the active coordinates, which are the last")

    def printed(M, onto_active, onto_next, f, drift):
        """Apply (0.33) and (0.34) to components 0, 1 and 2 in turn, without drift and masses."""
        f = np.reshape(f, (4, BLOCK_SIZE)).copy()
        for k in (0, 1, 2):
            f[3] = f[3] - onto_active[k].T @ f[k]
            f[k + 1] = f[k + 1] - onto_next[k].T @ f[k]
        return f[3]

    def library(M, onto_active, onto_next, f, drift):
        attachments = [
            Attachment(each.component, each.blocks, bias)
            for each, bias in zip(attachment_graph(onto_active, onto_next), drift, strict=True)
        ]
        return null_space_reduction(SIZES, attachments).reduce(StepProblem(M, f)).momentum

    def reference(M, onto_active, onto_next, f, drift):
        """Compare with differences of the action by the active velocities; it is a quadratic function."""

        def action(v_active):
            v = all_velocities(onto_active, onto_next, v_active, drift)
            return v @ M @ v / 2 - f @ v

        return np.array([(action(-unit) - action(unit)) / 2 for unit in np.eye(BLOCK_SIZE)])

    def holds_when(M, onto_active, onto_next, f, drift):
        return not np.any(drift)

    condition = r"the attachments have no drift, $\mathbf g_k = 0$"
    remark = (
        r"Otherwise $\mathbf f'$ also contains $-(\mathbf M_{\alpha k}-\mathbf G_{k\alpha}^T\mathbf M_{kk})\mathbf "
        r"g_k$, which requires the masses."
    )
    implements = NullSpaceReduction.reduce


@section.holds("d1", "An attachment to attached components")
class d1:
    formula = r"\mathbf v_k + \mathbf G_{k\alpha}\mathbf v_\alpha + \mathbf G_{k\beta}\mathbf v_\beta = 0"
    inputs = ATTACHED_TO_BOTH
    result = Result(VELOCITY, "of the attached coordinates")

    def printed(G, va, vb):
        """Return the v_k for which the sum vanishes."""
        at_zero = G[:, ALPHA] @ va + G[:, BETA] @ vb
        return np.linalg.solve(IDENTITY, -at_zero)

    library = attached_to_both_library
    reference = attached_to_both_reference
    implements = NullSpaceReduction.expand_velocities


@section.holds("d2", "Velocity of an attached component")
class d2:
    formula = r"\mathbf v_k = -\mathbf G_{k\alpha}\mathbf v_\alpha - \mathbf G_{k\beta}\mathbf v_\beta"
    inputs = ATTACHED_TO_BOTH
    result = Result(VELOCITY, "of the attached coordinates")

    def printed(G, va, vb):
        Gka, Gkb = G[:, ALPHA], G[:, BETA]
        return -Gka @ va - Gkb @ vb

    library = attached_to_both_library
    reference = attached_to_both_reference

    remark = r"The text above assumes $\mathbf g_k = 0$; otherwise the term $+\mathbf g_k$ is added."
    implements = NullSpaceReduction.expand_velocities


@section.holds("t857", "Velocities in reverse order")
class t857:
    formula = r"\mathbf G_{k\beta} \text{ only contains entries for components } j > k \text{ and hence the velocities } \mathbf v_\beta \text{ have already been updated}"
    inputs = {
        "onto_active": arrays(3, BLOCK_SIZE, BLOCK_SIZE),
        "onto_next": arrays(3, BLOCK_SIZE, BLOCK_SIZE),
        "v": arrays(BLOCK_SIZE),
    }
    result = Result(VELOCITY, "of all coordinates, the active ones last")

    def printed(onto_active, onto_next, v):
        v_k = np.zeros((4, BLOCK_SIZE))
        v_k[3] = v
        for k in (2, 1, 0):
            v_k[k] = -onto_active[k] @ v_k[3] - onto_next[k] @ v_k[k + 1]
        return v_k.ravel()

    def library(onto_active, onto_next, v):
        return null_space_reduction(SIZES, attachment_graph(onto_active, onto_next)).expand_velocities(v)

    def reference(onto_active, onto_next, v):
        """Solve the constraints of all attached components at once, as one linear system."""
        left, right = np.eye(8), np.zeros(8)
        for k in range(3):
            eliminated, following = (
                slice(BLOCK_SIZE * k, BLOCK_SIZE * k + BLOCK_SIZE),
                slice(BLOCK_SIZE * k + BLOCK_SIZE, BLOCK_SIZE * k + 2 * BLOCK_SIZE),
            )
            left[eliminated, following] += onto_next[k]
            left[eliminated, 6:] += onto_active[k]
        right[6:] = v
        return np.linalg.solve(left, right)

    implements = (null_space_reduction, NullSpaceReduction.expand_velocities)


@section.holds("t859#a", "Coupling of two masters")
class t859_a:
    formula = r"\text{if a component is attached to more than one master, the resulting mass matrix for those masters is no longer block diagonal}"
    inputs = MASTERS
    result = Result(MASS, "between the two masters, along the axes of the world")

    def printed(w1, w2, m1, m2, mk):
        return w1 * w2 * mk * np.eye(3)

    def library(w1, w2, m1, m2, mk):
        return two_masters_library(w1, w2, m1, m2, mk)[:3, 3:]

    def reference(w1, w2, m1, m2, mk):
        """Compare with the mixed part of the kinetic energy of three particles, the third eliminated."""
        return two_masters_reference(w1, w2, m1, m2, mk)[:3, 3:]

    implements = NullSpaceReduction.reduce


@section.misprint("t859#b", "Equation that shows the coupling of two masters")
class t859_b:
    formula = r"\text{`to note from (0.35)':}\quad \mathbf g'_\alpha = \mathbf g_\alpha - \mathbf G_{\alpha k}\mathbf g_k"
    inputs = MASTERS
    result = Result(MASS, "of the two masters, along the axes of the world")

    def printed(w1, w2, m1, m2, mk):
        """Evaluate (0.35) for one row with zero right-hand sides; masses do not enter."""
        Gak, ga, gk = np.array([[w1, w2, m1]]), np.zeros(1), np.zeros(3)
        return ga - Gak @ gk

    library = two_masters_library
    reference = two_masters_reference
    undefined = "the right-hand side of a constraint is not a mass matrix"
    correction = r"From (0.27): both masters are active here, and $-\mathbf G_{k\alpha}$ has a block with the weight of each."
    replacement = "One important thing to note from (0.27) is that if a component is attached to more than one master, the resulting mass matrix for those masters is no longer block diagonal."
    implements = NullSpaceReduction.reduce


@section.definition("d3", "A particle that is attached to two others")
class d3:
    formula = r"\mathbf v_k = w_1\mathbf v_1 + w_2\mathbf v_2"
    defines = (r"\mathbf v_k",)
    implements = point_on_points


@section.definition("d4", "Mass matrix of the two masters without the attached particle")
class d4:
    formula = r"\begin{pmatrix} m_1\mathbf I & 0 \\ 0 & m_2\mathbf I \end{pmatrix}"
    implements = StepProblem


@section.holds("d5", "Mass matrix of the two masters with the attached particle")
class d5:
    formula = r"\begin{pmatrix} (m_1 + w_1^2 m_k)\mathbf I & w_1 w_2 m_k\mathbf I \\ w_2 w_1 m_k\mathbf I & (m_2 + w_2^2 m_k)\mathbf I \end{pmatrix}"
    inputs = MASTERS
    result = Result(MASS, "of the two masters, along the axes of the world")

    def printed(w1, w2, m1, m2, mk):
        I3 = np.eye(3)
        return np.block(
            [
                [(m1 + w1**2 * mk) * I3, w1 * w2 * mk * I3],
                [w2 * w1 * mk * I3, (m2 + w2**2 * mk) * I3],
            ]
        )

    library = two_masters_library
    reference = two_masters_reference
    implements = NullSpaceReduction.reduce


# ------------------------------------------------------------------------------------------------------------
# The blocks of the system from which one attached component has been eliminated.


CONSTRAINT_ROWS = slice(0, ROWS)
"""Rows of the constraints, which precede those of the attachments of beta."""


@section.holds("e0.27", "Effective inertia, block alpha alpha")
class e0_27:
    formula = r"\mathbf M'_{\alpha\alpha} = \mathbf M_{\alpha\alpha} - \mathbf M_{\alpha k}\mathbf G_{k\alpha} - \mathbf G_{k\alpha}^T\mathbf M_{k\alpha} + \mathbf G_{k\alpha}^T\mathbf M_{kk}\mathbf G_{k\alpha}"
    any_size = True
    inputs = ATTACHED_SYSTEM
    result = Result(MASS, "of the remaining coordinates, alpha or beta")

    def printed(M, G, Gb, Gk):
        (Maa, _, Mak), _, (Mka, _, Mkk) = blocks(M)
        Gka = Gk[:, ALPHA]
        return Maa - Mak @ Gka - Gka.T @ Mka + Gka.T @ Mkk @ Gka

    def library(M, G, Gb, Gk):
        return without_k(M, G, Gb, Gk).mass[ALPHA, ALPHA]

    def reference(M, G, Gb, Gk):
        """Compare with the kinetic energy of all components, with the velocity of k eliminated."""
        return effective_mass(M, Gk)[ALPHA, ALPHA]

    special = CHAINED_ATTACHMENTS
    implements = NullSpaceReduction.reduce


@section.holds("e0.28", "Effective inertia, block alpha beta")
class e0_28:
    formula = r"\mathbf M'_{\alpha\beta} = \mathbf M_{\alpha\beta} - \mathbf M_{\alpha k}\mathbf G_{k\beta} - \mathbf G_{k\alpha}^T\mathbf M_{k\beta} + \mathbf G_{k\alpha}^T\mathbf M_{kk}\mathbf G_{k\beta}"
    any_size = True
    inputs = ATTACHED_SYSTEM
    result = Result(MASS, "of the remaining coordinates, alpha or beta")

    def printed(M, G, Gb, Gk):
        (_, Mab, Mak), _, (_, Mkb, Mkk) = blocks(M)
        Gka, Gkb = Gk[:, ALPHA], Gk[:, BETA]
        return Mab - Mak @ Gkb - Gka.T @ Mkb + Gka.T @ Mkk @ Gkb

    def library(M, G, Gb, Gk):
        return without_k(M, G, Gb, Gk).mass[ALPHA, BETA]

    def reference(M, G, Gb, Gk):
        """Compare with the kinetic energy of all components, with the velocity of k eliminated."""
        return effective_mass(M, Gk)[ALPHA, BETA]

    special = CHAINED_ATTACHMENTS
    implements = NullSpaceReduction.reduce


@section.holds("e0.29", "Effective inertia, block beta alpha")
class e0_29:
    formula = r"\mathbf M'_{\beta\alpha} = \mathbf M_{\beta\alpha} - \mathbf M_{\beta k}\mathbf G_{k\alpha} - \mathbf G_{k\beta}^T\mathbf M_{k\alpha} + \mathbf G_{k\beta}^T\mathbf M_{kk}\mathbf G_{k\alpha}"
    any_size = True
    inputs = ATTACHED_SYSTEM
    result = Result(MASS, "of the remaining coordinates, alpha or beta")

    def printed(M, G, Gb, Gk):
        _, (Mba, _, Mbk), (Mka, _, Mkk) = blocks(M)
        Gka, Gkb = Gk[:, ALPHA], Gk[:, BETA]
        return Mba - Mbk @ Gka - Gkb.T @ Mka + Gkb.T @ Mkk @ Gka

    def library(M, G, Gb, Gk):
        return without_k(M, G, Gb, Gk).mass[BETA, ALPHA]

    def reference(M, G, Gb, Gk):
        """Compare with the kinetic energy of all components, with the velocity of k eliminated."""
        return effective_mass(M, Gk)[BETA, ALPHA]

    special = CHAINED_ATTACHMENTS
    implements = NullSpaceReduction.reduce


@section.holds("e0.30", "Effective inertia, block beta beta")
class e0_30:
    formula = r"\mathbf M'_{\beta\beta} = \mathbf M_{\beta\beta} - \mathbf M_{\beta k}\mathbf G_{k\beta} - \mathbf G_{k\beta}^T\mathbf M_{k\beta} + \mathbf G_{k\beta}^T\mathbf M_{kk}\mathbf G_{k\beta}"
    any_size = True
    inputs = ATTACHED_SYSTEM
    result = Result(MASS, "of the remaining coordinates, alpha or beta")

    def printed(M, G, Gb, Gk):
        _, (_, Mbb, Mbk), (_, Mkb, Mkk) = blocks(M)
        Gkb = Gk[:, BETA]
        return Mbb - Mbk @ Gkb - Gkb.T @ Mkb + Gkb.T @ Mkk @ Gkb

    def library(M, G, Gb, Gk):
        return without_k(M, G, Gb, Gk).mass[BETA, BETA]

    def reference(M, G, Gb, Gk):
        """Compare with the kinetic energy of all components, with the velocity of k eliminated."""
        return effective_mass(M, Gk)[BETA, BETA]

    special = CHAINED_ATTACHMENTS
    implements = NullSpaceReduction.reduce


@section.holds("e0.31", "Constraints on the remaining components, block alpha")
class e0_31:
    formula = (
        r"\mathbf G'_{\alpha\alpha} = \mathbf G_{\alpha\alpha} - \mathbf G_{\alpha k}\mathbf G_{k\alpha}"
    )
    inputs = ATTACHED_SYSTEM
    result = Result(NUMBER, "one row for each constraint, over the remaining coordinates")

    def printed(M, G, Gb, Gk):
        Gaa, Gak, Gka = G[:, ALPHA], G[:, LAST], Gk[:, ALPHA]
        return Gaa - Gak @ Gka

    def library(M, G, Gb, Gk):
        return without_k(M, G, Gb, Gk).bilateral.rows[CONSTRAINT_ROWS, ALPHA]

    def reference(M, G, Gb, Gk):
        """Apply the constraints to unit velocities of the remaining components, with v_k eliminated."""
        return effective_rows(G, Gk)[:, ALPHA]

    exact = "both forms sum the same few products in the same order"
    special = CHAINED_ATTACHMENTS
    implements = NullSpaceReduction.reduce


@section.holds("e0.32", "Constraints on the remaining components, block beta")
class e0_32:
    formula = r"\mathbf G'_{\alpha\beta} = \mathbf G_{\alpha\beta} - \mathbf G_{\alpha k}\mathbf G_{k\beta}"
    inputs = ATTACHED_SYSTEM
    result = Result(NUMBER, "one row for each constraint, over the remaining coordinates")

    def printed(M, G, Gb, Gk):
        Gab, Gak, Gkb = G[:, BETA], G[:, LAST], Gk[:, BETA]
        return Gab - Gak @ Gkb

    def library(M, G, Gb, Gk):
        return without_k(M, G, Gb, Gk).bilateral.rows[CONSTRAINT_ROWS, BETA]

    def reference(M, G, Gb, Gk):
        """Apply the constraints to unit velocities of the remaining components, with v_k eliminated."""
        return effective_rows(G, Gk)[:, BETA]

    exact = "both forms sum the same few products in the same order"
    special = CHAINED_ATTACHMENTS
    implements = NullSpaceReduction.reduce


@section.holds("e0.33", "Forces on the remaining components, block alpha")
class e0_33:
    formula = r"\mathbf f'_\alpha = \mathbf f_\alpha - \mathbf G_{k\alpha}^T\mathbf f_k - (\mathbf M_{\alpha k} - \mathbf G_{k\alpha}^T\mathbf M_{kk})\mathbf g_k"
    any_size = True
    inputs = FULL_SYSTEM
    result = Result(MOMENTUM, "of the remaining coordinates, alpha or beta")

    def printed(M, G, Gb, Gk, f, S, ga, gb, gk):
        Mak, Mkk, Gka = M[ALPHA, LAST], M[LAST, LAST], Gk[:, ALPHA]
        return f[ALPHA] - Gka.T @ f[LAST] - (Mak - Gka.T @ Mkk) @ gk

    def library(M, G, Gb, Gk, f, S, ga, gb, gk):
        return without_k(M, G, Gb, Gk, f, S, ga, gb, gk).momentum[ALPHA]

    def reference(M, G, Gb, Gk, f, S, ga, gb, gk):
        """Compare with the effective inertia from the energy, times the motion of least action."""
        return force_reference(M, G, Gb, Gk, f, S, ga, gb, gk)[ALPHA]

    special = CHAINED_ATTACHMENTS
    implements = NullSpaceReduction.reduce


@section.holds("e0.34", "Forces on the remaining components, block beta")
class e0_34:
    formula = r"\mathbf f'_\beta = \mathbf f_\beta - \mathbf G_{k\beta}^T\mathbf f_k - (\mathbf M_{\beta k} - \mathbf G_{k\beta}^T\mathbf M_{kk})\mathbf g_k"
    any_size = True
    inputs = FULL_SYSTEM
    result = Result(MOMENTUM, "of the remaining coordinates, alpha or beta")

    def printed(M, G, Gb, Gk, f, S, ga, gb, gk):
        Mbk, Mkk, Gkb = M[BETA, LAST], M[LAST, LAST], Gk[:, BETA]
        return f[BETA] - Gkb.T @ f[LAST] - (Mbk - Gkb.T @ Mkk) @ gk

    def library(M, G, Gb, Gk, f, S, ga, gb, gk):
        return without_k(M, G, Gb, Gk, f, S, ga, gb, gk).momentum[BETA]

    def reference(M, G, Gb, Gk, f, S, ga, gb, gk):
        """Compare with the effective inertia from the energy, times the motion of least action."""
        return force_reference(M, G, Gb, Gk, f, S, ga, gb, gk)[BETA]

    special = CHAINED_ATTACHMENTS
    implements = NullSpaceReduction.reduce


@section.holds("e0.35", "Right-hand sides of the remaining constraints")
class e0_35:
    formula = r"\mathbf g'_\alpha = \mathbf g_\alpha - \mathbf G_{\alpha k}\mathbf g_k"
    inputs = FULL_SYSTEM
    result = Result(VELOCITY, "one for each constraint")

    def printed(M, G, Gb, Gk, f, S, ga, gb, gk):
        Gak = G[:, LAST]
        return ga - Gak @ gk

    def library(M, G, Gb, Gk, f, S, ga, gb, gk):
        return without_k(M, G, Gb, Gk, f, S, ga, gb, gk).bilateral.target[CONSTRAINT_ROWS]

    def reference(M, G, Gb, Gk, f, S, ga, gb, gk):
        """Apply the constraints on the remaining components to the constrained motion of least action."""
        v, constraints, *_ = constrained_motion(M, G, Gb, Gk, f, S, ga, gb, gk)
        return effective_rows(G, Gk) @ v[:REMAINING] - S * constraints

    special = CHAINED_ATTACHMENTS
    implements = NullSpaceReduction.reduce
