"""Lloyd 0.18: attaching to an attached component."""

from __future__ import annotations

import numpy as np

from rbnotes.attachments import (
    Attachment,
    ConstrainedSystem,
    eliminate,
    elimination_order,
    null_space,
    point_on_points,
)
from rbnotes.checking.strategies import arrays, numbers, positive_numbers, vectors
from rbnotes.ledger.oracles.systems import energy_matrix, least_action, multipliers_of
from rbnotes.ledger.record import Record, Verdict

CHAPTER = "attachments-on-attachments"
COMMON = {"chapter": CHAPTER, "verdict": Verdict.HOLDS}
# Active components, attached ones that stay for now, and the one that is eliminated.
A, B, K, ROWS = 3, 2, 2, 1
SIZE, KEPT = A + B + K, A + B
ALPHA, BETA, LAST = slice(0, A), slice(A, KEPT), slice(KEPT, SIZE)
IDENTITY = np.eye(K)
zero_softness, zero_k = np.zeros((ROWS, ROWS)), np.zeros((K, K))
zero_rows_b, zero_rows_k, zero_b_k, zero_b = (
    np.zeros(shape) for shape in ((ROWS, B), (ROWS, K), (B, K), (B, B))
)
zero_columns_b, zero_columns_k, zero_k_b = zero_rows_b.T, zero_rows_k.T, zero_b_k.T


def arranged(C):
    """Rows ``(G_aa G_ab G_ak)``, ``(G_ba G_bb 0)`` and ``(G_ka G_kb I)``; G_bb is one on its diagonal."""
    C = C.copy()
    C[ROWS : ROWS + B, LAST] = 0.0
    C[ROWS : ROWS + B, BETA] = np.triu(C[ROWS : ROWS + B, BETA], 1) + np.eye(B)
    C[ROWS + B :, LAST] = IDENTITY
    return C


MASSES = {"M": arrays(SIZE, SIZE).map(lambda S: S @ S.T / SIZE + 0.5 * np.eye(SIZE))}
TIED = {
    **MASSES,
    "C": arrays(ROWS + B + K, SIZE).map(arranged).filter(lambda C: np.linalg.svd(C)[1][-1] > 0.25),
}
WHOLE = {**TIED, "f": arrays(SIZE), "ga": arrays(ROWS), "gb": arrays(B), "gk": arrays(K)}
STILL = {"G": arrays(K, KEPT), "va": vectors(A), "vb": vectors(B)}


def split(C):
    """G_aa, G_ab, G_ak, G_ba, G_bb, G_ka, G_kb."""
    first, second, third = C[:ROWS], C[ROWS : ROWS + B], C[ROWS + B :]
    return (
        *(first[:, part] for part in (ALPHA, BETA, LAST)),
        *(second[:, part] for part in (ALPHA, BETA)),
        *(third[:, part] for part in (ALPHA, BETA)),
    )


def blocks(M):
    return [[M[row, column] for column in (ALPHA, BETA, LAST)] for row in (ALPHA, BETA, LAST)]


def whole(M, C, f, ga, gb, gk):
    """Velocities and the notes' multipliers, found without the KKT matrix."""
    v = least_action(M, f, C, np.concatenate([ga, gb, gk]))
    return v, -multipliers_of(M @ v - f, C)


def followed(C, kept):
    """All velocities where k does what its rows of the constraint ask for, from those that are kept."""
    return np.concatenate([kept, [-(row[:KEPT] @ kept) for row in C[ROWS + B :]]])


def reduced_library(M, C, f, ga, gb, gk):
    """The system without k. Attachments of beta are among its rows, as they are in the notes."""
    attachment = Attachment(1, {0: -C[ROWS + B :, :KEPT]}, gk)
    rows = ConstrainedSystem(M, f, C[: ROWS + B], np.concatenate([ga, gb]))
    return null_space([KEPT, K], [attachment]).reduce(rows)


def at_rest(M, C):
    """The same without forces, for its matrices."""
    return reduced_library(M, C, np.zeros(SIZE), np.zeros(ROWS), np.zeros(B), np.zeros(K))


def mass_reference(M, C):
    return energy_matrix(M, lambda kept: followed(C, kept), KEPT)


def rows_reference(C):
    return np.stack([C[: ROWS + B] @ followed(C, unit) for unit in np.eye(KEPT)], axis=1)


# --- the systems ------------------------------------------------------------------------------------------


def whole_printed(M, C, f, ga, gb, gk):
    (Maa, Mab, Mak), (Mba, Mbb, Mbk), (Mka, Mkb, Mkk) = blocks(M)
    Gaa, Gab, Gak, Gba, Gbb, Gka, Gkb = split(C)
    system = np.block(
        [
            [Maa, Mab, Mak, Gaa.T, Gba.T, Gka.T],
            [Mba, Mbb, Mbk, Gab.T, Gbb.T, Gkb.T],
            [Mka, Mkb, Mkk, Gak.T, zero_k_b, IDENTITY],
            [Gaa, Gab, Gak, zero_softness, zero_rows_b, zero_rows_k],
            [Gba, Gbb, zero_b_k, zero_columns_b, zero_b, zero_b_k],
            [Gka, Gkb, IDENTITY, zero_columns_k, zero_k_b, zero_k],
        ]
    )
    return np.linalg.solve(system, np.concatenate([f, ga, gb, gk]))


def whole_library(M, C, f, ga, gb, gk):
    """Reduced to the active components at once, both attachments with all of their masters."""
    blocks_b = {0: -C[ROWS : ROWS + B, ALPHA]}
    inverse = np.linalg.inv(C[ROWS : ROWS + B, BETA])
    to_a = {0: inverse @ blocks_b[0]}
    to_both = {0: -C[ROWS + B :, ALPHA], 1: -C[ROWS + B :, BETA]}
    space = null_space([A, B, K], [Attachment(1, to_a, inverse @ gb), Attachment(2, to_both, gk)])
    system = ConstrainedSystem(M, f, C[:ROWS], ga)
    v_active, multipliers = space.reduce(system).solve()
    v = space.velocities(v_active)
    forces = space.attachment_forces(system, v, multipliers)
    return np.concatenate([v, -multipliers, -inverse.T @ forces[:B], -forces[B:]])


def whole_reference(M, C, f, ga, gb, gk):
    return np.concatenate(whole(M, C, f, ga, gb, gk))


def reduced_printed(M, C, f, ga, gb, gk):
    (Maa, Mab, Mak), (Mba, Mbb, Mbk), (Mka, Mkb, Mkk) = blocks(M)
    Gaa, Gab, Gak, Gba, Gbb, Gka, Gkb = split(C)
    fa, fb, fk = f[ALPHA], f[BETA], f[LAST]
    Maa1 = Maa - Mak @ Gka - Gka.T @ Mka + Gka.T @ Mkk @ Gka
    Mab1 = Mab - Mak @ Gkb - Gka.T @ Mkb + Gka.T @ Mkk @ Gkb
    Mba1 = Mba - Mbk @ Gka - Gkb.T @ Mka + Gkb.T @ Mkk @ Gka
    Mbb1 = Mbb - Mbk @ Gkb - Gkb.T @ Mkb + Gkb.T @ Mkk @ Gkb
    Gaa1, Gab1 = Gaa - Gak @ Gka, Gab - Gak @ Gkb
    fa1 = fa - Gka.T @ fk - (Mak - Gka.T @ Mkk) @ gk
    fb1 = fb - Gkb.T @ fk - (Mbk - Gkb.T @ Mkk) @ gk
    system = np.block(
        [
            [Maa1, Mab1, Gaa1.T, Gba.T],
            [Mba1, Mbb1, Gab1.T, Gbb.T],
            [Gaa1, Gab1, zero_softness, zero_rows_b],
            [Gba, Gbb, zero_columns_b, zero_b],
        ]
    )
    return np.linalg.solve(system, np.concatenate((fa1, fb1, ga - Gak @ gk, gb)))


def reduced_solution_library(M, C, f, ga, gb, gk):
    v, multipliers = reduced_library(M, C, f, ga, gb, gk).solve()
    return np.concatenate([v, -multipliers])


def reduced_reference(M, C, f, ga, gb, gk):
    v, multipliers = whole(M, C, f, ga, gb, gk)
    return np.concatenate([v[:KEPT], multipliers[: ROWS + B]])


# --- its blocks -------------------------------------------------------------------------------------------


def mass_aa_printed(M, C):
    (Maa, _, Mak), _, (Mka, _, Mkk) = blocks(M)
    *_, Gka, _ = split(C)
    return Maa - Mak @ Gka - Gka.T @ Mka + Gka.T @ Mkk @ Gka


def mass_ab_printed(M, C):
    (_, Mab, Mak), _, (_, Mkb, Mkk) = blocks(M)
    *_, Gka, Gkb = split(C)
    return Mab - Mak @ Gkb - Gka.T @ Mkb + Gka.T @ Mkk @ Gkb


def mass_ba_printed(M, C):
    _, (Mba, _, Mbk), (Mka, _, Mkk) = blocks(M)
    *_, Gka, Gkb = split(C)
    return Mba - Mbk @ Gka - Gkb.T @ Mka + Gkb.T @ Mkk @ Gka


def mass_bb_printed(M, C):
    _, (_, Mbb, Mbk), (_, Mkb, Mkk) = blocks(M)
    *_, Gkb = split(C)
    return Mbb - Mbk @ Gkb - Gkb.T @ Mkb + Gkb.T @ Mkk @ Gkb


def rows_aa_printed(M, C):
    Gaa, _, Gak, _, _, Gka, _ = split(C)
    return Gaa - Gak @ Gka


def rows_ab_printed(M, C):
    _, Gab, Gak, _, _, _, Gkb = split(C)
    return Gab - Gak @ Gkb


def force_a_printed(M, C, f, ga, gb, gk):
    (_, _, Mak), _, (_, _, Mkk) = blocks(M)
    *_, Gka, _ = split(C)
    return f[ALPHA] - Gka.T @ f[LAST] - (Mak - Gka.T @ Mkk) @ gk


def force_b_printed(M, C, f, ga, gb, gk):
    _, (_, _, Mbk), (_, _, Mkk) = blocks(M)
    *_, Gkb = split(C)
    return f[BETA] - Gkb.T @ f[LAST] - (Mbk - Gkb.T @ Mkk) @ gk


def target_printed(M, C, f, ga, gb, gk):
    Gak = C[:ROWS, LAST]
    return ga - Gak @ gk


def force_reference(M, C, f, ga, gb, gk):
    """What the effective inertia and the rows of the kept components leave over of the motion."""
    v, multipliers = whole(M, C, f, ga, gb, gk)
    return mass_reference(M, C) @ v[:KEPT] + rows_reference(C).T @ multipliers[: ROWS + B]


def target_reference(M, C, f, ga, gb, gk):
    return rows_reference(C)[:ROWS] @ whole(M, C, f, ga, gb, gk)[0][:KEPT]


def part(function, *slices):
    """A block of what a function returns."""
    return lambda *values: function(*values)[slices]


# --- orders and velocities --------------------------------------------------------------------------------


def chain_masses(mj, mm, mk, ma):
    return ConstrainedSystem(np.diag(np.repeat([mj, mm, mk, ma], 3)), np.zeros(12))


CHAIN = (point_on_points(0, [3], [1.0]), point_on_points(1, [0], [1.0]), point_on_points(2, [1], [1.0]))
"""j on the active particle 3, m on j, k on m."""


def eliminated(system, order):
    """Effective mass of the active particle after the elimination of the chain in an order."""
    for attachment in order:
        system = eliminate(system, [3, 3, 3, 3], attachment)
    return system.M[9, 9]


def order_printed(mj, mm, mk, ma):
    """m first, then k, then j. The masters of m and k are j and m, which are attached to later ones only."""
    return eliminated(chain_masses(mj, mm, mk, ma), (CHAIN[1], CHAIN[2], CHAIN[0]))


def order_library(mj, mm, mk, ma):
    return eliminated(chain_masses(mj, mm, mk, ma), elimination_order(CHAIN))


def order_reference(mj, mm, mk, ma):
    """Four particles that move as one."""
    return mj + mm + mk + ma


def attached_velocity_printed(G, va, vb):
    Gka, Gkb = G[:, :A], G[:, A:]
    return -Gka @ va - Gkb @ vb


def attached_velocity_library(G, va, vb):
    space = null_space([A, B, K], [Attachment(2, {0: -G[:, :A], 1: -G[:, A:]})])
    return space.velocities(np.concatenate([va, vb]))[KEPT:]


def attached_velocity_reference(G, va, vb):
    """Solve the constraint for the velocity of k."""
    rows = np.hstack([G, IDENTITY])
    others = np.concatenate([va, vb, np.zeros(K)])
    return np.linalg.lstsq(rows[:, KEPT:], -(rows @ others), rcond=None)[0]


# --- two masters ------------------------------------------------------------------------------------------

MASTERS = {
    "w1": numbers(),
    "w2": numbers(),
    "m1": positive_numbers(),
    "m2": positive_numbers(),
    "mk": positive_numbers(),
}


def two_masters(w1, w2, m1, m2, mk):
    masses = np.diag(np.repeat([m1, m2, mk], 3))
    return ConstrainedSystem(masses, np.zeros(9)), null_space(
        [3, 3, 3], (point_on_points(2, (0, 1), (w1, w2)),)
    )


def between_printed(w1, w2, m1, m2, mk):
    I3 = np.eye(3)
    return np.block(
        [
            [(m1 + w1**2 * mk) * I3, w1 * w2 * mk * I3],
            [w2 * w1 * mk * I3, (m2 + w2**2 * mk) * I3],
        ]
    )


def between_library(w1, w2, m1, m2, mk):
    system, space = two_masters(w1, w2, m1, m2, mk)
    return space.reduce(system).M


def between_reference(w1, w2, m1, m2, mk):
    def velocities(v):
        return np.concatenate([v, w1 * v[:3] + w2 * v[3:]])

    return energy_matrix(np.diag(np.repeat([m1, m2, mk], 3)), velocities, 6)


WITHOUT_KKT = (
    "the constrained motion of least action in the null space of all rows; multipliers by least squares"
)
ENERGY = "the kinetic energy of all components while k follows"
FOLLOWING = "what the constraints make of unit velocities of the components that stay, k following"
LEFT = "the effective inertia from the energy, times the constrained motion of least action"
REDUCE = ("rbnotes.attachments.NullSpace.reduce",)


def block_record(key, title, formula, printed, library, reference, inputs, oracle):
    return Record(
        id=f"lloyd/s0.18/e0.{key}",
        title=title,
        formula=formula,
        oracle=oracle,
        implemented_by=REDUCE,
        inputs=inputs,
        printed=printed,
        library=library,
        reference=reference,
        tolerance=1e-7,
        **COMMON,
    )


def library_mass(M, C):
    return at_rest(M, C).M


def library_rows(M, C):
    return at_rest(M, C).G


def library_force(M, C, f, ga, gb, gk):
    return reduced_library(M, C, f, ga, gb, gk).f


def library_target(M, C, f, ga, gb, gk):
    return reduced_library(M, C, f, ga, gb, gk).g[:ROWS]


def reference_rows(M, C):
    return rows_reference(C)


HERE = slice(0, ROWS)

RECORDS = [
    Record(
        id="lloyd/s0.18/d1",
        title="An attachment to attached components",
        formula=r"\mathbf v_k + \mathbf G_{k\alpha}\mathbf v_\alpha + \mathbf G_{k\beta}\mathbf v_\beta = 0",
        implemented_by=("rbnotes.attachments.Attachment",),
        chapter=CHAPTER,
        verdict=Verdict.DEFINITION,
    ),
    Record(
        id="lloyd/s0.18/e0.25",
        title="The whole system with one attachment apart",
        formula=r"\begin{pmatrix} \mathbf M_{\alpha\alpha} & \mathbf M_{\alpha\beta} & \mathbf M_{\alpha k} & \mathbf G_{\alpha\alpha}^T & \mathbf G_{\beta\alpha}^T & \mathbf G_{k\alpha}^T \\ \mathbf M_{\beta\alpha} & \mathbf M_{\beta\beta} & \mathbf M_{\beta k} & \mathbf G_{\alpha\beta}^T & \mathbf G_{\beta\beta}^T & \mathbf G_{k\beta}^T \\ \mathbf M_{k\alpha} & \mathbf M_{k\beta} & \mathbf M_{kk} & \mathbf G_{\alpha k}^T & 0 & \mathbf I \\ \mathbf G_{\alpha\alpha} & \mathbf G_{\alpha\beta} & \mathbf G_{\alpha k} & \mathbf R_\alpha & 0 & 0 \\ \mathbf G_{\beta\alpha} & \mathbf G_{\beta\beta} & 0 & 0 & 0 & 0 \\ \mathbf G_{k\alpha} & \mathbf G_{k\beta} & \mathbf I & 0 & 0 & 0 \end{pmatrix} \begin{pmatrix} \mathbf v_\alpha \\ \mathbf v_\beta \\ \mathbf v_k \\ \boldsymbol\lambda_\alpha \\ \boldsymbol\lambda_\beta \\ \boldsymbol\lambda_k \end{pmatrix} = \begin{pmatrix} \mathbf f_\alpha \\ \mathbf f_\beta \\ \mathbf f_k \\ \mathbf g_\alpha \\ \mathbf g_\beta \\ \mathbf g_k \end{pmatrix}",
        remark=r"The multipliers are those of opposite forces. Checked with hard constraints; with these signs a softness belongs there as $-\mathbf R_\alpha$, see section 0.17.",
        oracle=WITHOUT_KKT,
        implemented_by=("rbnotes.attachments.ConstrainedSystem", "rbnotes.attachments.null_space"),
        inputs=WHOLE,
        printed=whole_printed,
        library=whole_library,
        reference=whole_reference,
        tolerance=1e-7,
        **COMMON,
    ),
    Record(
        id="lloyd/s0.18/e0.26",
        title="The system after the elimination of one attachment",
        formula=r"\begin{pmatrix} \mathbf M'_{\alpha\alpha} & \mathbf M'_{\alpha\beta} & \mathbf G'^T_{\alpha\alpha} & \mathbf G_{\beta\alpha}^T \\ \mathbf M'_{\beta\alpha} & \mathbf M'_{\beta\beta} & \mathbf G'^T_{\alpha\beta} & \mathbf G_{\beta\beta}^T \\ \mathbf G'_{\alpha\alpha} & \mathbf G'_{\alpha\beta} & \mathbf R_\alpha & 0 \\ \mathbf G_{\beta\alpha} & \mathbf G_{\beta\beta} & 0 & 0 \end{pmatrix} \begin{pmatrix} \mathbf v_\alpha \\ \mathbf v_\beta \\ \boldsymbol\lambda_\alpha \\ \boldsymbol\lambda_\beta \end{pmatrix} = \begin{pmatrix} \mathbf f'_\alpha \\ \mathbf f'_\beta \\ \mathbf g'_\alpha \\ \mathbf g_\beta \end{pmatrix}",
        oracle=WITHOUT_KKT,
        implemented_by=REDUCE,
        inputs=WHOLE,
        printed=reduced_printed,
        library=reduced_solution_library,
        reference=reduced_reference,
        tolerance=1e-7,
        **COMMON,
    ),
    *(
        block_record(
            27 + number,
            f"Effective inertia, block {first} {second}",
            rf"\mathbf M'_{{{p}{q}}} = \mathbf M_{{{p}{q}}} - \mathbf M_{{{p} k}}\mathbf G_{{k{q}}} - \mathbf G_{{k{p}}}^T\mathbf M_{{k{q}}} + \mathbf G_{{k{p}}}^T\mathbf M_{{kk}}\mathbf G_{{k{q}}}",
            printed,
            part(library_mass, rows, columns),
            part(mass_reference, rows, columns),
            TIED,
            ENERGY,
        )
        for number, (first, second, p, q, printed, rows, columns) in enumerate(
            (
                ("alpha", "alpha", r"\alpha", r"\alpha", mass_aa_printed, ALPHA, ALPHA),
                ("alpha", "beta", r"\alpha", r"\beta", mass_ab_printed, ALPHA, BETA),
                ("beta", "alpha", r"\beta", r"\alpha", mass_ba_printed, BETA, ALPHA),
                ("beta", "beta", r"\beta", r"\beta", mass_bb_printed, BETA, BETA),
            )
        )
    ),
    *(
        block_record(
            31 + number,
            f"Constraints on the components that stay, block {name}",
            rf"\mathbf G'_{{\alpha{q}}} = \mathbf G_{{\alpha{q}}} - \mathbf G_{{\alpha k}}\mathbf G_{{k{q}}}",
            printed,
            part(library_rows, HERE, columns),
            part(reference_rows, HERE, columns),
            TIED,
            FOLLOWING,
        )
        for number, (name, q, printed, columns) in enumerate(
            (("alpha", r"\alpha", rows_aa_printed, ALPHA), ("beta", r"\beta", rows_ab_printed, BETA))
        )
    ),
    *(
        block_record(
            33 + number,
            f"Forces on the components that stay, block {name}",
            rf"\mathbf f'_{p} = \mathbf f_{p} - \mathbf G_{{k{p}}}^T\mathbf f_k - (\mathbf M_{{{p} k}} - \mathbf G_{{k{p}}}^T\mathbf M_{{kk}})\mathbf g_k",
            printed,
            part(library_force, rows),
            part(force_reference, rows),
            WHOLE,
            LEFT,
        )
        for number, (name, p, printed, rows) in enumerate(
            (("alpha", r"\alpha", force_a_printed, ALPHA), ("beta", r"\beta", force_b_printed, BETA))
        )
    ),
    block_record(
        35,
        "Right sides of the constraints that stay",
        r"\mathbf g'_\alpha = \mathbf g_\alpha - \mathbf G_{\alpha k}\mathbf g_k",
        target_printed,
        library_target,
        target_reference,
        WHOLE,
        "the constraints on the components that stay, applied to the constrained motion of least action",
    ),
    Record(
        id="lloyd/s0.18/t849",
        title="The order of elimination",
        formula=r"\text{the masters of } k \text{ are unattached or attached only to components } j > k",
        correction=r"The masters of $k$ are unattached, or are attached components $j > k$ themselves.",
        remark=r"Further on, where $\mathbf G_{k\beta}$ only contains entries for components $j > k$, it is right. By the sentence as it stands a component may be eliminated before another one that is attached to it, whose mass is then lost.",
        oracle="a chain of particles that move as one: the sum of their masses",
        implemented_by=("rbnotes.attachments.elimination_order",),
        chapter=CHAPTER,
        verdict=Verdict.ERRATUM,
        inputs={name: positive_numbers() for name in ("mj", "mm", "mk", "ma")},
        printed=order_printed,
        library=order_library,
        reference=order_reference,
    ),
    Record(
        id="lloyd/s0.18/d2",
        title="Velocity of an attached component",
        formula=r"\mathbf v_k = -\mathbf G_{k\alpha}\mathbf v_\alpha - \mathbf G_{k\beta}\mathbf v_\beta",
        remark=r"With the $\mathbf g_k = 0$ that the text assumes further up; else $+\mathbf g_k$.",
        oracle="the constraint solved for the velocity of k",
        implemented_by=("rbnotes.attachments.NullSpace.velocities",),
        inputs=STILL,
        printed=attached_velocity_printed,
        library=attached_velocity_library,
        reference=attached_velocity_reference,
        **COMMON,
    ),
    Record(
        id="lloyd/s0.18/d3",
        title="A particle attached to two others",
        formula=r"\mathbf v_k = w_1\mathbf v_1 + w_2\mathbf v_2",
        implemented_by=("rbnotes.attachments.point_on_points",),
        chapter=CHAPTER,
        verdict=Verdict.DEFINITION,
    ),
    Record(
        id="lloyd/s0.18/d4",
        title="Mass matrix of the two without it",
        formula=r"\begin{pmatrix} m_1\mathbf I & 0 \\ 0 & m_2\mathbf I \end{pmatrix}",
        implemented_by=("rbnotes.attachments.ConstrainedSystem",),
        chapter=CHAPTER,
        verdict=Verdict.DEFINITION,
    ),
    Record(
        id="lloyd/s0.18/d5",
        title="Mass matrix of the two with it",
        formula=r"\begin{pmatrix} (m_1 + w_1^2 m_k)\mathbf I & w_1 w_2 m_k\mathbf I \\ w_2 w_1 m_k\mathbf I & (m_2 + w_2^2 m_k)\mathbf I \end{pmatrix}",
        remark="The text before it refers to (0.35), which is about the right sides; the mass matrix is in (0.27) to (0.30).",
        oracle="the kinetic energy of the three particles while the third follows",
        implemented_by=REDUCE,
        inputs=MASTERS,
        printed=between_printed,
        library=between_library,
        reference=between_reference,
        **COMMON,
    ),
]
