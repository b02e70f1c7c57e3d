"""Lloyd 0.21: reduction with parametrically controlled components."""

from __future__ import annotations

import numpy as np

from rbnotes.attachments import Attachment, ConstrainedSystem, null_space, solve_controlled
from rbnotes.checking.strategies import arrays
from rbnotes.ledger.oracles.systems import energy_matrix, least_action, multipliers_of
from rbnotes.ledger.record import Record, Verdict

CHAPTER = "attachments-on-attachments"
COMMON = {"chapter": CHAPTER, "verdict": Verdict.HOLDS}
# Active components, controlled ones, attached ones; constraints.
A, P, B, ROWS = 3, 2, 2, 1
SIZE, KEPT = A + P + B, A + P
ALPHA, RHO, BETA = slice(0, A), slice(A, KEPT), slice(KEPT, SIZE)
IDENTITY = np.eye(B)
zero_softness, zero_b = np.zeros((ROWS, ROWS)), np.zeros((B, B))
zero_rows = np.zeros((ROWS, B))
zero_columns = zero_rows.T


def arranged(C):
    """Rows ``(G_sa G_sr G_sb)``, then ``(G_ba G_br I)``."""
    C = C.copy()
    C[ROWS:, BETA] = IDENTITY
    return C


def independent(C):
    """Constraints and attachments can be met by the components that are not controlled."""
    return np.linalg.svd(C[:, [*range(A), *range(KEPT, SIZE)]])[1][-1] > 0.25


MASSES = {"M": arrays(SIZE, SIZE).map(lambda S: S @ S.T / SIZE + 0.5 * np.eye(SIZE))}
TIED = {**MASSES, "C": arrays(ROWS + B, SIZE).map(arranged).filter(independent)}
WHOLE = {**TIED, "fa": arrays(A), "fb": arrays(B), "gs": arrays(ROWS), "gb": arrays(B), "vr": arrays(P)}


def split(C):
    """G_sa, G_sr, G_sb, G_ba, G_br."""
    return C[:ROWS, ALPHA], C[:ROWS, RHO], C[:ROWS, BETA], C[ROWS:, ALPHA], C[ROWS:, RHO]


def blocks(M):
    return [[M[row, column] for column in (ALPHA, RHO, BETA)] for row in (ALPHA, RHO, BETA)]


def whole(M, C, fa, fb, gs, gb, vr):
    """v, the notes' multipliers and f_rho: the motion of least action that does what is prescribed."""
    prescribed = np.eye(SIZE)[RHO]
    rows = np.vstack([C, prescribed])
    f = np.concatenate([fa, np.zeros(P), fb])
    v = least_action(M, f, rows, np.concatenate([gs, gb, vr]))
    weights = multipliers_of(M @ v - f, rows)
    return v, -weights[: ROWS + B], weights[ROWS + B :]


def followed(C, kept):
    return np.concatenate([kept, [-(row[:KEPT] @ kept) for row in C[ROWS:]]])


def mass_reference(M, C):
    return energy_matrix(M, lambda kept: followed(C, kept), KEPT)


def rows_reference(C):
    return np.stack([C[:ROWS] @ followed(C, unit) for unit in np.eye(KEPT)], axis=1)


def force_reference(M, C, fa, fb, gs, gb, vr):
    """What the effective inertia and the rows of the components that stay leave over of the motion."""
    v, multipliers, _ = whole(M, C, fa, fb, gs, gb, vr)
    return mass_reference(M, C) @ v[:KEPT] + rows_reference(C).T @ multipliers[:ROWS]


def reduced(M, C, f, gs, gb):
    system = ConstrainedSystem(M, f, C[:ROWS], gs)
    space = null_space((KEPT, B), (Attachment(1, {0: -C[ROWS:, :KEPT]}, gb),))
    return system, space, space.reduce(system)


def at_rest(M, C):
    return reduced(M, C, np.zeros(SIZE), np.zeros(ROWS), np.zeros(B))[2]


def controlled(M, C, fa, fb, gs, gb, vr):
    """All velocities, multipliers as in the notes, and the force on the controlled components."""
    system, space, small = reduced(M, C, np.concatenate((fa, np.zeros(P), fb)), gs, gb)
    motion = solve_controlled(small, range(A, KEPT), vr)
    v = space.velocities(motion.v)
    return system, space, motion, v


# --- the whole system ---------------------------------------------------------------------------------


def whole_printed(M, C, fa, fb, gs, gb, vr):
    """The left side, for the motion as it should be."""
    v, multipliers, _ = whole(M, C, fa, fb, gs, gb, vr)
    (Maa, Mar, Mab), (Mra, Mrr, Mrb), (Mba, Mbr, Mbb) = blocks(M)
    Gsa, Gsr, Gsb, Gba, Gbr = split(C)
    system = np.block(
        [
            [Maa, Mar, Mab, Gsa.T, Gba.T],
            [Mra, Mrr, Mrb, Gsr.T, Gbr.T],
            [Mba, Mbr, Mbb, Gsb.T, IDENTITY],
            [Gsa, Gsr, Gsb, zero_softness, zero_rows],
            [Gba, Gbr, IDENTITY, zero_columns, zero_b],
        ]
    )
    return system @ np.concatenate((v, multipliers))


def whole_library(M, C, fa, fb, gs, gb, vr):
    """What acts on the components, and what the rows give, by the library's motion."""
    system, space, motion, v = controlled(M, C, fa, fb, gs, gb, vr)
    push = np.zeros(SIZE)
    push[RHO] = motion.force
    loaded = ConstrainedSystem(M, system.f + push, C[:ROWS], gs)
    attachments = space.attachment_forces(loaded, v, motion.multipliers)
    forces = M @ v - C.T @ np.concatenate((motion.multipliers, attachments))
    return np.concatenate((forces, C @ v))


def whole_reference(M, C, fa, fb, gs, gb, vr):
    fr = whole(M, C, fa, fb, gs, gb, vr)[2]
    return np.concatenate([fa, fr, fb, gs, gb])


def reduced_printed(M, C, fa, fb, gs, gb, vr):
    """The left side of the reduced system, for the motion as it should be, with effective masses from energy."""
    v, multipliers, _ = whole(M, C, fa, fb, gs, gb, vr)
    mass, rows = mass_reference(M, C), rows_reference(C)
    Maa1, Mar1, Mra1, Mrr1 = mass[ALPHA, ALPHA], mass[ALPHA, RHO], mass[RHO, ALPHA], mass[RHO, RHO]
    Gsa1, Gsr1 = rows[:, ALPHA], rows[:, RHO]
    system = np.block([[Maa1, Mar1, Gsa1.T], [Mra1, Mrr1, Gsr1.T], [Gsa1, Gsr1, zero_softness]])
    return system @ np.concatenate((v[:KEPT], multipliers[:ROWS]))


def reduced_library(M, C, fa, fb, gs, gb, vr):
    _, _, motion, _ = controlled(M, C, fa, fb, gs, gb, vr)
    f = np.concatenate((fa, motion.force, fb))
    small = reduced(M, C, f, gs, gb)[2]
    return np.concatenate((small.f, small.g))


def reduced_reference(M, C, fa, fb, gs, gb, vr):
    """Power of all forces, and of the inertia of the drift, on unit velocities that keep the attachments."""
    fr = whole(M, C, fa, fb, gs, gb, vr)[2]
    drift = np.concatenate([np.zeros(KEPT), gb])
    total = np.concatenate([fa, fr, fb]) - M @ drift
    powers = [followed(C, unit) @ total for unit in np.eye(KEPT)]
    return np.concatenate([powers, gs - C[:ROWS] @ drift])


# --- its blocks ---------------------------------------------------------------------------------------------


def mass_aa_printed(M, C):
    (Maa, _, Mab), _, (Mba, _, Mbb) = blocks(M)
    Gba = C[ROWS:, ALPHA]
    return Maa - Mab @ Gba - Gba.T @ Mba + Gba.T @ Mbb @ Gba


def mass_ar_printed(M, C):
    (_, Mar, Mab), _, (_, Mbr, Mbb) = blocks(M)
    Gba, Gbr = C[ROWS:, ALPHA], C[ROWS:, RHO]
    return Mar - Mab @ Gbr - Gba.T @ Mbr + Gba.T @ Mbb @ Gbr


def mass_ra_printed(M, C):
    _, (Mra, _, Mrb), (Mba, _, Mbb) = blocks(M)
    Gba, Gbr = C[ROWS:, ALPHA], C[ROWS:, RHO]
    return Mra - Mrb @ Gba - Gbr.T @ Mba + Gbr.T @ Mbb @ Gba


def mass_rr_printed(M, C):
    _, (_, Mrr, Mrb), (_, Mbr, Mbb) = blocks(M)
    Gbr = C[ROWS:, RHO]
    return Mrr - Mrb @ Gbr - Gbr.T @ Mbr + Gbr.T @ Mbb @ Gbr


def rows_a_printed(M, C):
    Gsa, _, Gsb, Gba, _ = split(C)
    return Gsa - Gsb @ Gba


def rows_r_printed(M, C):
    _, Gsr, Gsb, _, Gbr = split(C)
    return Gsr - Gsb @ Gbr


def force_a_printed(M, C, fa, fb, gs, gb, vr):
    (_, _, Mab), _, (_, _, Mbb) = blocks(M)
    Gba = C[ROWS:, ALPHA]
    return fa - Gba.T @ fb + (Mab - Gba.T @ Mbb) @ gb


def force_r_printed(M, C, fa, fb, gs, gb, vr):
    """With the f_rho that it takes."""
    _, (_, _, Mrb), (_, _, Mbb) = blocks(M)
    fr, Gbr = whole(M, C, fa, fb, gs, gb, vr)[2], C[ROWS:, RHO]
    return fr - Gbr.T @ fb + (Mrb - Gbr.T @ Mbb) @ gb


def target_printed(M, C, fa, fb, gs, gb, vr):
    Gsb = C[:ROWS, BETA]
    return gs - Gsb @ gb


def target_reference(M, C, fa, fb, gs, gb, vr):
    return rows_reference(C) @ whole(M, C, fa, fb, gs, gb, vr)[0][:KEPT]


# --- the controlled components ------------------------------------------------------------------------------


def needed_printed(M, C, fa, fb, gs, gb, vr):
    v, multipliers, _ = whole(M, C, fa, fb, gs, gb, vr)
    mass, rows = mass_reference(M, C), rows_reference(C)
    _, (_, _, Mrb), (_, _, Mbb) = blocks(M)
    Gbr, Gsr1 = C[ROWS:, RHO], rows[:, RHO]
    return (
        mass[RHO, ALPHA] @ v[ALPHA]
        + mass[RHO, RHO] @ vr
        + Gsr1.T @ multipliers[:ROWS]
        + Gbr.T @ fb
        - (Mrb - Gbr.T @ Mbb) @ gb
    )


def needed_library(M, C, fa, fb, gs, gb, vr):
    return controlled(M, C, fa, fb, gs, gb, vr)[2].force


def needed_reference(M, C, fa, fb, gs, gb, vr):
    return whole(M, C, fa, fb, gs, gb, vr)[2]


def rest_library(M, C, fa, fb, gs, gb, vr):
    motion = controlled(M, C, fa, fb, gs, gb, vr)[2]
    return np.concatenate((motion.v[:A], -motion.multipliers))


def rest_reference(M, C, fa, fb, gs, gb, vr):
    v, multipliers, _ = whole(M, C, fa, fb, gs, gb, vr)
    return np.concatenate([v[ALPHA], multipliers[:ROWS]])


def library_mass(M, C):
    return at_rest(M, C).M


def library_rows(M, C):
    return at_rest(M, C).G


def library_force_a(M, C, fa, fb, gs, gb, vr):
    return reduced(M, C, np.concatenate((fa, np.zeros(P), fb)), gs, gb)[2].f[ALPHA]


def library_force_r(M, C, fa, fb, gs, gb, vr):
    _, _, motion, _ = controlled(M, C, fa, fb, gs, gb, vr)
    return reduced(M, C, np.concatenate((fa, motion.force, fb)), gs, gb)[2].f[RHO]


def library_target(M, C, fa, fb, gs, gb, vr):
    return reduced(M, C, np.concatenate((fa, np.zeros(P), fb)), gs, gb)[2].g


def reference_rows(M, C):
    return rows_reference(C)


def part(function, *slices):
    """A block of what a function returns."""
    return lambda *values: function(*values)[slices]


ALL = slice(None)
ENERGY = "the kinetic energy of all components while the attached ones follow"
FOLLOWING = (
    "what the constraints make of unit velocities of the components that stay, the attached ones following"
)
WITHOUT_KKT = (
    "the motion of least action with all rows and the prescribed velocities; multipliers by least squares"
)
LEFT = (
    "the effective inertia from the energy, times the motion of least action with the prescribed velocities"
)
REDUCE = ("rbnotes.attachments.NullSpace.reduce",)
CONTROL = ("rbnotes.attachments.solve_controlled",)

RECORDS = [
    Record(
        id="lloyd/s0.21/d1",
        title="The whole system with controlled components",
        formula=r"\begin{pmatrix} \mathbf M_{\alpha\alpha} & \mathbf M_{\alpha\rho} & \mathbf M_{\alpha\beta} & \mathbf G_{\sigma\alpha}^T & \mathbf G_{\beta\alpha}^T \\ \mathbf M_{\rho\alpha} & \mathbf M_{\rho\rho} & \mathbf M_{\rho\beta} & \mathbf G_{\sigma\rho}^T & \mathbf G_{\beta\rho}^T \\ \mathbf M_{\beta\alpha} & \mathbf M_{\beta\rho} & \mathbf M_{\beta\beta} & \mathbf G_{\sigma\beta}^T & \mathbf I \\ \mathbf G_{\sigma\alpha} & \mathbf G_{\sigma\rho} & \mathbf G_{\sigma\beta} & \mathbf R_\sigma & 0 \\ \mathbf G_{\beta\alpha} & \mathbf G_{\beta\rho} & \mathbf I & 0 & 0 \end{pmatrix} \begin{pmatrix} \mathbf v_\alpha \\ \mathbf v_\rho \\ \mathbf v_\beta \\ \boldsymbol\lambda_\sigma \\ \boldsymbol\lambda_\beta \end{pmatrix} = \begin{pmatrix} \mathbf f_\alpha \\ \mathbf f_\rho \\ \mathbf f_\beta \\ \mathbf g_\sigma \\ \mathbf g_\beta \end{pmatrix}",
        remark=r"Checked with hard constraints; with these signs a softness belongs there as $-\mathbf R_\sigma$, see section 0.17.",
        oracle=WITHOUT_KKT,
        implemented_by=CONTROL,
        inputs=WHOLE,
        printed=whole_printed,
        library=whole_library,
        reference=whole_reference,
        tolerance=1e-7,
        **COMMON,
    ),
    Record(
        id="lloyd/s0.21/d2",
        title="The system without the attached components",
        formula=r"\begin{pmatrix} \mathbf M'_{\alpha\alpha} & \mathbf M'_{\alpha\rho} & \mathbf G'^T_{\sigma\alpha} \\ \mathbf M'_{\rho\alpha} & \mathbf M'_{\rho\rho} & \mathbf G'^T_{\sigma\rho} \\ \mathbf G'_{\sigma\alpha} & \mathbf G'_{\sigma\rho} & \mathbf R_\sigma \end{pmatrix} \begin{pmatrix} \mathbf v_\alpha \\ \mathbf v_\rho \\ \boldsymbol\lambda_\sigma \end{pmatrix} = \begin{pmatrix} \mathbf f'_\alpha \\ \mathbf f'_\rho \\ \mathbf g'_\sigma \end{pmatrix}",
        remark="With the forces as they should be, see below.",
        oracle="the power of all forces, and of the inertia of the drift, on motions that keep the attachments",
        implemented_by=REDUCE,
        inputs=WHOLE,
        printed=reduced_printed,
        library=reduced_library,
        reference=reduced_reference,
        tolerance=1e-7,
        **COMMON,
    ),
    *(
        Record(
            id=f"lloyd/s0.21/d3#{letter}",
            title=f"Effective inertia, block {first} {second}",
            formula=rf"\mathbf M'_{{{p}{q}}} = \mathbf M_{{{p}{q}}} - \mathbf M_{{{p}\beta}}\mathbf G_{{\beta{q}}} - \mathbf G_{{\beta{p}}}^T\mathbf M_{{\beta{q}}} + \mathbf G_{{\beta{p}}}^T\mathbf M_{{\beta\beta}}\mathbf G_{{\beta{q}}}",
            oracle=ENERGY,
            implemented_by=REDUCE,
            inputs=TIED,
            printed=printed,
            library=part(library_mass, rows, columns),
            reference=part(mass_reference, rows, columns),
            **COMMON,
        )
        for letter, first, second, p, q, printed, rows, columns in (
            ("a", "alpha", "alpha", r"\alpha", r"\alpha", mass_aa_printed, ALPHA, ALPHA),
            ("b", "alpha", "rho", r"\alpha", r"\rho", mass_ar_printed, ALPHA, RHO),
            ("c", "rho", "alpha", r"\rho", r"\alpha", mass_ra_printed, RHO, ALPHA),
            ("d", "rho", "rho", r"\rho", r"\rho", mass_rr_printed, RHO, RHO),
        )
    ),
    *(
        Record(
            id=f"lloyd/s0.21/d3#{letter}",
            title=f"Constraints on the components that stay, block {name}",
            formula=rf"\mathbf G'_{{\sigma{q}}} = \mathbf G_{{\sigma{q}}} - \mathbf G_{{\sigma\beta}}\mathbf G_{{\beta{q}}}",
            oracle=FOLLOWING,
            implemented_by=REDUCE,
            inputs=TIED,
            printed=printed,
            library=part(library_rows, ALL, columns),
            reference=part(reference_rows, ALL, columns),
            **COMMON,
        )
        for letter, name, q, printed, columns in (
            ("e", "alpha", r"\alpha", rows_a_printed, ALPHA),
            ("f", "rho", r"\rho", rows_r_printed, RHO),
        )
    ),
    *(
        Record(
            id=f"lloyd/s0.21/d3#{letter}",
            title=f"Forces on the {name} components",
            formula=rf"\mathbf f'_{p} = \mathbf f_{p} - \mathbf G_{{\beta{p}}}^T\mathbf f_\beta + (\mathbf M_{{{p}\beta}} - \mathbf G_{{\beta{p}}}^T\mathbf M_{{\beta\beta}})\mathbf g_\beta",
            correction=rf"The last term has a minus sign, as in (0.23): $-(\mathbf M_{{{p}\beta}} - \mathbf G_{{\beta{p}}}^T\mathbf M_{{\beta\beta}})\mathbf g_\beta$.",
            oracle=LEFT,
            implemented_by=REDUCE,
            chapter=CHAPTER,
            verdict=Verdict.ERRATUM,
            inputs=WHOLE,
            printed=printed,
            library=library,
            reference=part(force_reference, rows),
            tolerance=1e-7,
        )
        for letter, name, p, printed, library, rows in (
            ("g", "active", r"\alpha", force_a_printed, library_force_a, ALPHA),
            ("h", "controlled", r"\rho", force_r_printed, library_force_r, RHO),
        )
    ),
    Record(
        id="lloyd/s0.21/d3#i",
        title="Right sides of the constraints that stay",
        formula=r"\mathbf g'_\alpha = \mathbf g_\alpha - \mathbf G_{\sigma\beta}\mathbf g_\beta",
        correction=r"$\mathbf g'_\sigma = \mathbf g_\sigma - \mathbf G_{\sigma\beta}\mathbf g_\beta$: the index is that of the system above.",
        oracle="the constraints on the components that stay, applied to the motion of least action",
        implemented_by=REDUCE,
        chapter=CHAPTER,
        verdict=Verdict.MISPRINT,
        inputs=WHOLE,
        library=library_target,
        reference=target_reference,
        tolerance=1e-7,
    ),
    Record(
        id="lloyd/s0.21/d4",
        title="The force that moves the controlled components",
        formula=r"\mathbf f_\rho = \mathbf M'_{\rho\alpha}\mathbf v_\alpha + \mathbf M'_{\rho\rho}\mathbf v_\rho + \mathbf G'^T_{\sigma\rho}\boldsymbol\lambda_\sigma + \mathbf G_{\beta\rho}^T\mathbf f_\beta - (\mathbf M_{\rho\beta} - \mathbf G_{\beta\rho}^T\mathbf M_{\beta\beta})\mathbf g_\beta",
        correction=r"The last term has a plus sign: $+(\mathbf M_{\rho\beta} - \mathbf G_{\beta\rho}^T\mathbf M_{\beta\beta})\mathbf g_\beta$.",
        remark=r"The sign of $\mathbf f'_\rho$ above, carried over.",
        oracle=WITHOUT_KKT,
        implemented_by=CONTROL,
        chapter=CHAPTER,
        verdict=Verdict.ERRATUM,
        inputs=WHOLE,
        printed=needed_printed,
        library=needed_library,
        reference=needed_reference,
        tolerance=1e-7,
    ),
    Record(
        id="lloyd/s0.21/d5",
        title="The system of the active components alone",
        formula=r"\begin{pmatrix} \mathbf M'_{\alpha\alpha} & \mathbf G'^T_{\alpha\alpha} \\ \mathbf G'_{\alpha\alpha} & \mathbf R_\alpha \end{pmatrix} \begin{pmatrix} \mathbf v_\alpha \\ \boldsymbol\lambda_\sigma \end{pmatrix} = \begin{pmatrix} \mathbf f'_\alpha - \mathbf M'_{\alpha\rho}\mathbf v_\rho \\ \mathbf g'_\alpha - \mathbf G'_{\sigma\rho}\mathbf v_\rho \end{pmatrix}",
        correction=r"$\mathbf G'_{\sigma\alpha}$, $\mathbf R_\sigma$ and $\mathbf g'_\sigma$ in the place of $\mathbf G'_{\alpha\alpha}$, $\mathbf R_\alpha$ and $\mathbf g'_\alpha$: the rows are still those of all constraints.",
        oracle=WITHOUT_KKT,
        implemented_by=CONTROL,
        chapter=CHAPTER,
        verdict=Verdict.MISPRINT,
        inputs=WHOLE,
        library=rest_library,
        reference=rest_reference,
        tolerance=1e-7,
    ),
]
