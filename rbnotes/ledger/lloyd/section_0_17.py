"""Lloyd 0.17: null-space reduction of the KKT system for attachments."""

from __future__ import annotations

import numpy as np

from rbnotes.attachments import (
    Attachment,
    ConstrainedSystem,
    eliminate,
    null_space,
    point_on_body,
    reduction_matrix,
)
from rbnotes.checking import derivative
from rbnotes.checking.strategies import arrays, frames, positive_numbers, twists, vectors
from rbnotes.ledger.oracles.bodies import bracket, motion
from rbnotes.ledger.oracles.systems import energy_matrix, least_action, multipliers_of
from rbnotes.ledger.record import Verdict, claim

CHAPTER = "attachments"
ACTIVE, ATTACHED, ROWS = 4, 3, 2
SIZE = ACTIVE + ATTACHED
IDENTITY = np.eye(ATTACHED)
zero, zero_rows, zero_softness = (
    np.zeros(shape) for shape in ((ATTACHED, ATTACHED), (ROWS, ATTACHED), (ROWS, ROWS))
)
zero_columns, zero_below = zero_rows.T, np.zeros((ATTACHED, SIZE))

MASSES = {"M": arrays(SIZE, SIZE).map(lambda A: A @ A.T / SIZE + 0.5 * np.eye(SIZE))}
TIED = {**MASSES, "Gba": arrays(ATTACHED, ACTIVE)}


def attachment_rows(Gba):
    return np.hstack([Gba, np.eye(ATTACHED)])


def tied(C):
    """Rows ``(G_aa G_ab)``, then ``(G_ba I)``."""
    return np.vstack([C[:ROWS], attachment_rows(C[ROWS:, :ACTIVE])])


def independent(C):
    return np.linalg.svd(C)[1][-1] > 0.25


WHOLE = {
    **MASSES,
    "C": arrays(ROWS + ATTACHED, SIZE).map(tied).filter(independent),
    "f": arrays(SIZE),
    "g": arrays(ROWS),
    "gb": arrays(ATTACHED),
}
AT_REST = {**WHOLE, "gb": vectors(1).map(lambda _: np.zeros(ATTACHED))}
REDUCED = ("rbnotes.attachments.NullSpace.reduce",)


def attachment(Gba, gb=None):
    return Attachment(1, {0: -Gba}, np.zeros(ATTACHED) if gb is None else gb)


def reduced(M, Gba, G=None, f=None, g=None, gb=None, R=None):
    space = null_space([ACTIVE, ATTACHED], [attachment(Gba, gb)])
    system = ConstrainedSystem(M, np.zeros(SIZE) if f is None else f, G, g, R)
    return space, space.reduce(system)


def followed(Gba, v_active):
    """All velocities where the attached ones do what their rows of the constraint ask for."""
    return np.concatenate([v_active, [-(row @ v_active) for row in Gba]])


def split(C):
    """G_ba, G_aa, G_ab."""
    return C[ROWS:, :ACTIVE], C[:ROWS, :ACTIVE], C[:ROWS, ACTIVE:]


def whole(M, C, f, g, gb):
    """v, lambda_alpha and lambda_beta of the constrained motion, found without the KKT matrix."""
    v = least_action(M, f, C, np.concatenate([g, gb]))
    multipliers = -multipliers_of(M @ v - f, C)
    return v, multipliers[:ROWS], multipliers[ROWS:]


def blocks(M):
    return M[:ACTIVE, :ACTIVE], M[:ACTIVE, ACTIVE:], M[ACTIVE:, :ACTIVE], M[ACTIVE:, ACTIVE:]


def whole_library(M, C, f, g, gb):
    space, small = reduced(M, C[ROWS:, :ACTIVE], C[:ROWS], f, g, gb)
    v_active, multipliers = small.solve()
    v = space.velocities(v_active)
    forces = space.attachment_forces(ConstrainedSystem(M, f, C[:ROWS], g), v, multipliers)
    return np.concatenate([v, -multipliers, -forces])


def mass_reference(M, Gba):
    return energy_matrix(M, lambda v: followed(Gba, v), ACTIVE)


def rows_reference(M, Gba, G):
    return np.stack([G @ followed(Gba, unit) for unit in np.eye(ACTIVE)], axis=1)


def force_reference(M, C, f, g, gb):
    """What the effective inertia and the constraints of the active components leave over."""
    v, multipliers, _ = whole(M, C, f, g, gb)
    Gba = C[ROWS:, :ACTIVE]
    return mass_reference(M, Gba) @ v[:ACTIVE] + rows_reference(M, Gba, C[:ROWS]).T @ multipliers


def target_reference(M, C, f, g, gb):
    return rows_reference(M, C[ROWS:, :ACTIVE], C[:ROWS]) @ whole(M, C, f, g, gb)[0][:ACTIVE]


def drift_reference(E, x, phi, h):
    """What the velocity of the point changes by while the twist of the body stays as it is."""

    def velocity(t):
        moving = motion(E, phi)(t)
        turned = moving[:3, :3]
        return turned @ (phi[3:] + np.cross(phi[:3], x))

    return h * derivative(velocity).value


# Active velocities, then three attached components: j, k and another one.
SIZES = (ACTIVE, 2, ATTACHED, 1)
FIRST, LAST = ACTIVE + 2, ACTIVE + 2 + ATTACHED
EVERY = sum(SIZES)
PAIR = {"Gka": arrays(ATTACHED, ACTIVE), "Gja": arrays(2, ACTIVE)}


def P_k_printed(Gka):
    zero = [[np.zeros((rows, columns)) for columns in SIZES] for rows in SIZES]
    top = np.hstack((np.eye(ACTIVE), zero[0][1], -Gka.T, zero[0][3]))
    before = np.hstack((zero[1][0], np.eye(2), zero[1][2], zero[1][3]))
    below = np.hstack((zero[3][0], zero[3][1], zero[3][2], np.eye(1)))
    return np.vstack((top, before, np.zeros((ATTACHED, EVERY)), below))


def P_k_library(Gka):
    return reduction_matrix(SIZES, Attachment(2, {0: -Gka}))[0].toarray()


def P_k_reference(Gka):
    """Column by column: forces that the others keep, and a force on k that its masters take over."""
    P = np.zeros((EVERY, EVERY))
    for i, unit in enumerate(np.eye(EVERY)):
        held = unit.copy()
        held[FIRST:LAST] = 0.0
        for force, row in zip(unit[FIRST:LAST], Gka, strict=True):
            held[:ACTIVE] -= force * row
        P[:, i] = held
    return P


def P_j_literal(Gja):
    P = np.eye(EVERY)
    P[ACTIVE:FIRST, ACTIVE:FIRST] = 0.0
    P[:ACTIVE, ACTIVE:FIRST] = -Gja.T
    return P


WITHOUT_KKT = (
    "the constrained motion of least action in the null space of all rows; multipliers by least squares"
)


@claim("lloyd/s0.17/e0.18", "An attachment as a constraint")
class e0_18:
    formula = r"\mathbf v_k + \mathbf G_{k\alpha}\mathbf v_\alpha = 0"
    inputs = {"Gba": arrays(ATTACHED, ACTIVE), "v_active": vectors(ACTIVE)}

    def library(Gba, v_active):
        return reduced(np.eye(SIZE), Gba)[0].velocities(v_active)

    oracle = "the attached velocities, row by row"
    reference = followed
    verdict = Verdict.DEFINITION
    remark = (
        r"The library holds the map that it stands for, $\mathbf v_k = \mathbf J\mathbf v_\alpha$ with "
        r"$\mathbf J = -\mathbf G_{k\alpha}$."
    )
    implemented_by = ("rbnotes.attachments.Attachment",)
    chapter = CHAPTER


@claim("lloyd/s0.17/d1", "All attachments as one constraint")
class d1:
    formula = r"\mathbf I\mathbf v_\beta + \mathbf G_{\beta\alpha}\mathbf v_\alpha = 0"
    verdict = Verdict.DEFINITION
    implemented_by = ("rbnotes.attachments.null_space",)
    chapter = CHAPTER


@claim("lloyd/s0.17/e0.19", "The whole system with its attachments")
class e0_19:
    formula = (
        r"\begin{pmatrix} \mathbf M_{\alpha\alpha} & \mathbf M_{\alpha\beta} & \mathbf G_{\alpha\alpha}^T "
        r"& \mathbf G_{\beta\alpha}^T \\"
        r" \mathbf M_{\beta\alpha} & \mathbf M_{\beta\beta} & \mathbf G_{\alpha\beta}^T & \mathbf I \\"
        r" \mathbf G_{\alpha\alpha} & \mathbf G_{\alpha\beta} & \mathbf R_\alpha & 0 \\"
        r" \mathbf G_{\beta\alpha} & \mathbf I & 0 & 0 \end{pmatrix} \begin{pmatrix} \mathbf v_\alpha \\"
        r" \mathbf v_\beta \\ \boldsymbol\lambda_\alpha \\"
        r" \boldsymbol\lambda_\beta \end{pmatrix} = \begin{pmatrix} \mathbf f_\alpha \\ \mathbf f_\beta \\"
        r" \mathbf g_\alpha \\ \mathbf g_\beta \end{pmatrix}"
    )
    inputs = WHOLE

    def printed(M, C, f, g, gb):
        Maa, Mab, Mba, Mbb = blocks(M)
        Gba, Gaa, Gab = split(C)
        system = np.block(
            [
                [Maa, Mab, Gaa.T, Gba.T],
                [Mba, Mbb, Gab.T, IDENTITY],
                [Gaa, Gab, zero_softness, zero_rows],
                [Gba, IDENTITY, zero_columns, zero],
            ]
        )
        return np.linalg.solve(system, np.concatenate([f, g, gb]))

    library = whole_library
    oracle = WITHOUT_KKT

    def reference(M, C, f, g, gb):
        return np.concatenate(whole(M, C, f, g, gb))

    tolerance = 1e-07
    verdict = Verdict.HOLDS
    remark = (
        r"Here $+\mathbf G^T$ makes the multipliers those of opposite forces: $-\mathbf "
        r"G^T\boldsymbol\lambda$ acts on the components. Checked with hard constraints; about $\mathbf "
        r"R_\alpha$ see the sentence below it."
    )
    implemented_by = (
        "rbnotes.attachments.ConstrainedSystem",
        "rbnotes.attachments.NullSpace",
    )
    chapter = CHAPTER


@claim("lloyd/s0.17/t752", "The regularization matrix in that system")
class t752:
    formula = (
        r"\begin{pmatrix} \mathbf M & \mathbf G^T \\"
        r" \mathbf G & \mathbf R_\alpha \end{pmatrix} \text{ where } \mathbf R_\alpha \text{ is a "
        r"diagonal regularization matrix}"
    )
    inputs = {**WHOLE, "R": vectors(ROWS, 0.25, 2.0)}

    def printed(M, C, f, g, gb, R):
        Maa, Mab, Mba, Mbb = blocks(M)
        Gba, Gaa, Gab = split(C)
        system = np.block(
            [
                [Maa, Mab, Gaa.T, Gba.T],
                [Mba, Mbb, Gab.T, IDENTITY],
                [Gaa, Gab, np.diag(R), zero_rows],
                [Gba, IDENTITY, zero_columns, zero],
            ]
        )
        return np.linalg.solve(system, np.concatenate([f, g, gb]))[:SIZE]

    def library(M, C, f, g, gb, R):
        space, small = reduced(M, C[ROWS:, :ACTIVE], C[:ROWS], f, g, gb, R)
        return space.velocities(small.solve()[0])

    oracle = (
        "the constraint as a quadratic cost of its violation, minimised in the null space of the attachments"
    )

    def reference(M, C, f, g, gb, R):
        """Each soft constraint costs ``(G v - g)^2 / (2 R)``, as a damper between the two would."""
        stiffer = M + sum(np.outer(row, row) / r for row, r in zip(C[:ROWS], R, strict=True))
        pulled = f + sum(row * target / r for row, target, r in zip(C[:ROWS], g, R, strict=True))
        return least_action(stiffer, pulled, C[ROWS:], gb)

    tolerance = 1e-07
    verdict = Verdict.ERRATUM
    correction = (
        r"$-\mathbf R_\alpha$ where $+\mathbf G^T$ stands above it; or $-\mathbf G^T$ above $+\mathbf "
        r"R_\alpha$, as in (0.9)."
    )
    remark = (
        r"With the signs as printed a soft constraint with the $\gamma\alpha/h^2$ of (0.9) pushes away "
        r"from where it should hold."
    )
    implemented_by = ("rbnotes.attachments.ConstrainedSystem",)
    chapter = CHAPTER


@claim("lloyd/s0.17/d2#a", "Velocities of the attached components")
class d2_a:
    formula = r"\mathbf v_\beta = \mathbf g_\beta - \mathbf G_{\beta\alpha}\mathbf v_\alpha"
    inputs = WHOLE

    def printed(M, C, f, g, gb):
        Gba, va = C[ROWS:, :ACTIVE], whole(M, C, f, g, gb)[0][:ACTIVE]
        return gb - Gba @ va

    def library(M, C, f, g, gb):
        space, small = reduced(M, C[ROWS:, :ACTIVE], C[:ROWS], f, g, gb)
        return space.velocities(small.solve()[0])[ACTIVE:]

    oracle = WITHOUT_KKT

    def reference(M, C, f, g, gb):
        return whole(M, C, f, g, gb)[0][ACTIVE:]

    tolerance = 1e-07
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.attachments.NullSpace.velocities",)
    chapter = CHAPTER


@claim("lloyd/s0.17/d2#b", "Multipliers of the attachments")
class d2_b:
    formula = (
        r"\boldsymbol\lambda_\beta = \mathbf f_\beta - \mathbf M_{\beta\alpha}\mathbf v_\alpha + \mathbf "
        r"M_{\beta\beta}\mathbf G_{\beta\alpha}\mathbf v_\alpha - \mathbf M_{\beta\beta}\mathbf g_\beta - "
        r"\mathbf G_{\alpha\beta}^T\boldsymbol\lambda_\alpha"
    )
    inputs = WHOLE

    def printed(M, C, f, g, gb):
        v, la, _ = whole(M, C, f, g, gb)
        _, _, Mba, Mbb = blocks(M)
        va, fb = v[:ACTIVE], f[ACTIVE:]
        Gba, _, Gab = split(C)
        return fb - Mba @ va + Mbb @ Gba @ va - Mbb @ gb - Gab.T @ la

    def library(M, C, f, g, gb):
        return whole_library(M, C, f, g, gb)[SIZE + ROWS :]

    oracle = WITHOUT_KKT

    def reference(M, C, f, g, gb):
        return whole(M, C, f, g, gb)[2]

    tolerance = 1e-07
    verdict = Verdict.HOLDS
    remark = r"The force on the attached components is the opposite, $-\boldsymbol\lambda_\beta$."
    implemented_by = ("rbnotes.attachments.NullSpace.attachment_forces",)
    chapter = CHAPTER


@claim("lloyd/s0.17/e0.20", "The reduced system")
class e0_20:
    formula = (
        r"\begin{pmatrix} \mathbf M' & \mathbf G'^T \\"
        r" \mathbf G' & \mathbf R_\alpha \end{pmatrix} \begin{pmatrix} \mathbf v_\alpha \\"
        r" \boldsymbol\lambda_\alpha \end{pmatrix} = \begin{pmatrix} \mathbf f' \\"
        r" \boldsymbol\gamma' \end{pmatrix}"
    )
    inputs = WHOLE

    def printed(M, C, f, g, gb):
        Maa, Mab, Mba, Mbb = blocks(M)
        Gba, Gaa, Gab = split(C)
        fa, fb = f[:ACTIVE], f[ACTIVE:]
        M1 = Maa - Mab @ Gba - Gba.T @ Mba + Gba.T @ Mbb @ Gba
        G1 = Gaa - Gab @ Gba
        f1 = fa - Gba.T @ fb - (Mab - Gba.T @ Mbb) @ gb
        gamma1 = g - Gab @ gb
        return np.linalg.solve(np.block([[M1, G1.T], [G1, zero_softness]]), np.concatenate([f1, gamma1]))

    def library(M, C, f, g, gb):
        v, multipliers = reduced(M, C[ROWS:, :ACTIVE], C[:ROWS], f, g, gb)[1].solve()
        return np.concatenate([v, -multipliers])

    oracle = WITHOUT_KKT

    def reference(M, C, f, g, gb):
        v, multipliers, _ = whole(M, C, f, g, gb)
        return np.concatenate([v[:ACTIVE], multipliers])

    tolerance = 1e-07
    verdict = Verdict.HOLDS
    remark = r"With (0.21) to (0.24). The reduction leaves $\mathbf R_\alpha$ as it is, whatever its sign."
    implemented_by = REDUCED
    chapter = CHAPTER


@claim("lloyd/s0.17/e0.21", "Effective inertia of the active components")
class e0_21:
    formula = (
        r"\mathbf M' = \mathbf M_{\alpha\alpha} - \mathbf M_{\alpha\beta}\mathbf G_{\beta\alpha} - "
        r"\mathbf G_{\beta\alpha}^T\mathbf M_{\beta\alpha} + \mathbf G_{\beta\alpha}^T\mathbf "
        r"M_{\beta\beta}\mathbf G_{\beta\alpha}"
    )
    inputs = TIED

    def printed(M, Gba):
        Maa, Mab, Mba, Mbb = blocks(M)
        return Maa - Mab @ Gba - Gba.T @ Mba + Gba.T @ Mbb @ Gba

    def library(M, Gba):
        return reduced(M, Gba)[1].M

    oracle = "the kinetic energy of all components while the attached ones follow"
    reference = mass_reference
    verdict = Verdict.HOLDS
    implemented_by = REDUCED
    chapter = CHAPTER


@claim("lloyd/s0.17/e0.22", "Constraints on the active components")
class e0_22:
    formula = r"\mathbf G' = \mathbf G_{\alpha\alpha} - \mathbf G_{\alpha\beta}\mathbf G_{\beta\alpha}"
    inputs = {**TIED, "G": arrays(ROWS, SIZE)}

    def printed(M, Gba, G):
        Gaa, Gab = G[:, :ACTIVE], G[:, ACTIVE:]
        return Gaa - Gab @ Gba

    def library(M, Gba, G):
        return reduced(M, Gba, G)[1].G

    oracle = (
        "what the constraints make of unit velocities of the active components, the attached ones following"
    )
    reference = rows_reference
    verdict = Verdict.HOLDS
    implemented_by = REDUCED
    chapter = CHAPTER


@claim("lloyd/s0.17/e0.23", "Forces on the active components")
class e0_23:
    formula = (
        r"\mathbf f' = \mathbf f_\alpha - \mathbf G_{\beta\alpha}^T\mathbf f_\beta - (\mathbf "
        r"M_{\alpha\beta} - \mathbf G_{\beta\alpha}^T\mathbf M_{\beta\beta})\mathbf g_\beta"
    )
    inputs = WHOLE

    def printed(M, C, f, g, gb):
        _, Mab, _, Mbb = blocks(M)
        Gba, fa, fb = C[ROWS:, :ACTIVE], f[:ACTIVE], f[ACTIVE:]
        return fa - Gba.T @ fb - (Mab - Gba.T @ Mbb) @ gb

    def library(M, C, f, g, gb):
        return reduced(M, C[ROWS:, :ACTIVE], C[:ROWS], f, g, gb)[1].f

    oracle = "the effective inertia from the energy, times the constrained motion of least action"
    reference = force_reference
    tolerance = 1e-07
    verdict = Verdict.HOLDS
    remark = "Section 0.21 prints the last term with the opposite sign."
    implemented_by = REDUCED
    chapter = CHAPTER


@claim("lloyd/s0.17/e0.24", "Right sides of the constraints on the active components")
class e0_24:
    formula = r"\boldsymbol\gamma' = \mathbf g_\alpha - \mathbf G_{\alpha\beta}\mathbf g_\beta"
    inputs = WHOLE

    def printed(M, C, f, g, gb):
        Gab = C[:ROWS, ACTIVE:]
        return g - Gab @ gb

    def library(M, C, f, g, gb):
        return reduced(M, C[ROWS:, :ACTIVE], C[:ROWS], f, g, gb)[1].g

    oracle = "the constraints on the active components, applied to the constrained motion of least action"
    reference = target_reference
    tolerance = 1e-07
    verdict = Verdict.HOLDS
    implemented_by = REDUCED
    chapter = CHAPTER


@claim("lloyd/s0.17/t774#a", "Forces and right sides where attachments do not drift")
class t774_a:
    formula = (
        r"\mathbf g_\beta = 0:\quad \mathbf f' "
        r"= \mathbf f_\alpha - \mathbf G_{\beta\alpha}^T\mathbf f_\beta,\quad \boldsymbol\gamma' "
        r"= \mathbf g_\alpha"
    )
    inputs = AT_REST

    def printed(M, C, f, g, gb):
        Gba, fa, fb = C[ROWS:, :ACTIVE], f[:ACTIVE], f[ACTIVE:]
        return np.concatenate([fa - Gba.T @ fb, g])

    def library(M, C, f, g, gb):
        small = reduced(M, C[ROWS:, :ACTIVE], C[:ROWS], f, g, gb)[1]
        return np.concatenate([small.f, small.g])

    oracle = "the effective inertia and the rows of the active components, applied to the constrained motion"

    def reference(M, C, f, g, gb):
        return np.concatenate([force_reference(M, C, f, g, gb), target_reference(M, C, f, g, gb)])

    tolerance = 1e-07
    verdict = Verdict.HOLDS
    implemented_by = REDUCED
    chapter = CHAPTER


@claim("lloyd/s0.17/t774#b", "What is on the right side if the attachment changes along the motion")
class t774_b:
    formula = r"\mathbf g_\beta = h\dot{\mathbf G}_{\beta\alpha}\mathbf v_\alpha"
    inputs = {"E": frames(), "x": vectors(3), "phi": twists(), "h": positive_numbers(0.25, 1.0)}

    def printed(E, x, phi, h):
        """A point of a body: ``v_k + G v_body = 0`` with ``G = -R (-[x] I)``."""
        R = E[:3, :3]
        Gdot = R @ bracket(phi[:3]) @ np.hstack([bracket(x), -np.eye(3)])
        return h * Gdot @ phi

    def library(E, x, phi, h):
        """That of the acceleration, over one step."""
        return h * point_on_body(1, 0, E, x, phi).drift

    oracle = (
        "a point of a body: what its velocity changes by in a step while the body's twist stays, by "
        "differences"
    )
    reference = drift_reference
    tolerance = 1e-08
    verdict = Verdict.ERRATUM
    correction = r"$\mathbf g_\beta = -h\dot{\mathbf G}_{\beta\alpha}\mathbf v_\alpha$"
    remark = (
        r"The attachment at the end of the step is $\mathbf v_\beta + (\mathbf G_{\beta\alpha} + "
        r"h\dot{\mathbf G}_{\beta\alpha})\mathbf v_\alpha = 0$, and what (0.19) has no room for goes to "
        r"the right. The next sentence, which replaces $\mathbf G_{\beta\alpha}$ by $\mathbf "
        r"G_{\beta\alpha} + h\dot{\mathbf G}_{\beta\alpha}$, is right, and so is the $\mathbf g_\beta$ of "
        r"section 0.19."
    )
    implemented_by = ("rbnotes.attachments.point_on_body",)
    chapter = CHAPTER


@claim("lloyd/s0.17/t774#c", "The attachment at the end of the step, without a right side")
class t774_c:
    formula = (
        r"\mathbf v_\beta + (\mathbf G_{\beta\alpha} + h\dot{\mathbf G}_{\beta\alpha})\mathbf v_\alpha = 0"
    )
    inputs = {"E": frames(), "x": vectors(3), "phi": twists(), "h": positive_numbers(0.25, 1.0)}

    def printed(E, x, phi, h):
        """The point's velocity at the end of the step, by the attachment there, for the twist that the body has."""
        R = E[:3, :3]
        G = R @ np.hstack([bracket(x), -np.eye(3)])
        Gdot = R @ bracket(phi[:3]) @ np.hstack([bracket(x), -np.eye(3)])
        return -(G + h * Gdot) @ phi

    def library(E, x, phi, h):
        attachment = point_on_body(1, 0, E, x, phi)
        return attachment.blocks[0] @ phi + h * attachment.drift

    oracle = "a point of a body: its velocity and what that changes by in a step, by differences of its place"

    def reference(E, x, phi, h):
        """The velocity now, and what it changes by."""
        now = derivative(lambda t: motion(E, phi)(t) @ np.append(x, 1.0)).value[:3]
        return now + drift_reference(E, x, phi, h)

    tolerance = 1e-08
    verdict = Verdict.HOLDS
    remark = "To first order in h."
    implemented_by = ("rbnotes.attachments.point_on_body",)
    chapter = CHAPTER


@claim("lloyd/s0.17/d3", "The reduction as a product of matrices")
class d3:
    formula = (
        r"\mathbf P\mathbf M\mathbf P^T = \begin{pmatrix} \mathbf M'_{\alpha\alpha} & 0 \\"
        r" 0 & 0 \end{pmatrix}"
    )
    inputs = TIED

    def printed(M, Gba):
        P = np.vstack((np.hstack([np.eye(ACTIVE), -Gba.T]), zero_below))
        return P @ M @ P.T

    def library(M, Gba):
        system = ConstrainedSystem(M, np.zeros(SIZE))
        return eliminate(system, [ACTIVE, ATTACHED], attachment(Gba)).M

    oracle = "the kinetic energy of all components while the attached ones follow"

    def reference(M, Gba):
        padded = np.zeros((SIZE, SIZE))
        padded[:ACTIVE, :ACTIVE] = mass_reference(M, Gba)
        return padded

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.attachments.eliminate",)
    chapter = CHAPTER


@claim("lloyd/s0.17/d4", "The matrix of the reduction")
class d4:
    formula = (
        r"\mathbf P \equiv \begin{pmatrix} \mathbf I & -\mathbf G_{\beta\alpha}^T \\ 0 & 0 \end{pmatrix}"
    )
    inputs = {"Gba": arrays(ATTACHED, ACTIVE)}

    def printed(Gba):
        return np.vstack((np.hstack([np.eye(ACTIVE), -Gba.T]), zero_below))

    def library(Gba):
        return reduction_matrix([ACTIVE, ATTACHED], attachment(Gba))[0].toarray()

    oracle = "the velocities that follow each unit velocity of the active components, as rows"

    def reference(Gba):
        """Forces on all components, handed to the active ones so that their power stays."""
        columns = [followed(Gba, unit) for unit in np.eye(ACTIVE)]
        return np.vstack([*columns, *np.zeros((ATTACHED, SIZE))])

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.attachments.reduction_matrix",)
    chapter = CHAPTER


@claim("lloyd/s0.17/d5", "The matrix of the reduction for one attachment")
class d5:
    formula = (
        r"\mathbf P_k \equiv \begin{pmatrix} \mathbf I & 0 & -\mathbf G_{k\alpha}^T & 0 \\"
        r" 0 & \mathbf I & 0 & 0 \\ 0 & 0 & 0 & 0 \\ 0 & 0 & 0 & \mathbf I \end{pmatrix}"
    )
    inputs = {"Gka": PAIR["Gka"]}
    printed = P_k_printed
    library = P_k_library
    oracle = "unit forces: those on k go to its masters, the others stay where they are"
    reference = P_k_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.attachments.reduction_matrix",)
    chapter = CHAPTER


@claim("lloyd/s0.17/t793", "The order of the reductions does not matter")
class t793:
    formula = r"\mathbf P_j\mathbf P_k = \mathbf P_k\mathbf P_j"
    inputs = PAIR

    def printed(Gka, Gja):
        P_k, P_j = P_k_printed(Gka), P_j_literal(Gja)
        return np.stack([P_k @ P_j, P_j @ P_k])

    def library(Gka, Gja):
        P_k = P_k_library(Gka)
        P_j = reduction_matrix(SIZES, Attachment(1, {0: -Gja}))[0].toarray()
        return np.stack([P_k @ P_j, P_j @ P_k])

    oracle = "unit forces: those on j and on k go to their masters, whichever is first"

    def reference(Gka, Gja):
        """Both forces are taken over by the masters, whichever is first."""
        P = P_k_reference(Gka)
        P[:, ACTIVE:FIRST] = 0.0
        for i, row in enumerate(Gja):
            P[:ACTIVE, ACTIVE + i] = -row
        return np.stack([P, P])

    verdict = Verdict.HOLDS
    remark = "True as long as neither component is attached to the other, which this section assumes."
    implemented_by = (
        "rbnotes.attachments.reduction_matrix",
        "rbnotes.attachments.eliminate",
    )
    chapter = CHAPTER
