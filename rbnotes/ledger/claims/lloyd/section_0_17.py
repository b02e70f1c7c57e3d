"""Lloyd 0.17: null-space reduction of the KKT system for attachments.

The oracle is the motion of least action: a minimum under the attachments, with a penalty for each violation of
a softened constraint. It does not solve a KKT system.
"""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rbnotes.attachments import (
    Attachment,
    NullSpaceReduction,
    eliminate_attachment,
    null_space_reduction,
    point_on_body,
    point_on_points,
)
from rbnotes.dynamics import BilateralRows, StepProblem, StepSolution, solve_step
from rbnotes.ledger.oracles.attachments import (
    attached_velocities,
    effective_mass,
    effective_rows,
    soft_constrained_motion,
)
from rbnotes.ledger.oracles.bodies import bracket, motion
from rbnotes.ledger.quantities import (
    ACCELERATION,
    INVERSE_MASS,
    LENGTH,
    MASS,
    MOMENTUM,
    NUMBER,
    POSE,
    TIME,
    TWIST,
    VELOCITY,
    vector_quantity,
)
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing import derivative
from rbnotes.testing.strategies import arrays, frames, positive_numbers, twists, vectors

section = Section(
    "lloyd/s0.17",
    chapter="attachments",
    arguments={
        "Gka": Argument(NUMBER, "one row for each attached coordinate, over those that it is attached to"),
        "v_active": Argument(VELOCITY, "of the coordinates in question, in their order"),
        "weights": Argument(NUMBER, "of the points that carry the attached one"),
        "x": Argument(LENGTH, "of points in the world; where there is a pose E, of one point in its body"),
        "Gba": Argument(NUMBER, "one row for each attached coordinate, over those that it is attached to"),
        "M": Argument(
            MASS,
            (
                "in the coordinates of the whole system, whatever they are: those that are attached after "
                "those that are not"
            ),
        ),
        "G": Argument(NUMBER, "one row for each constraint, over the coordinates of the whole system"),
        "f": Argument(
            MOMENTUM,
            (
                "in the coordinates of the whole system, whatever they are: those that are attached after "
                "those that are not"
            ),
        ),
        "g": Argument(VELOCITY, "one for each constraint"),
        "S": Argument(INVERSE_MASS, "one for each constraint"),
        "gb": Argument(VELOCITY, "of the coordinates in question, in their order"),
        "va": Argument(VELOCITY, "of the coordinates in question, in their order"),
        "la": Argument(MOMENTUM, "one for each constraint"),
        "E": Argument(POSE, "of the body in the world"),
        "phi": Argument(TWIST, "in the frame of the body"),
        "h": Argument(TIME),
        "v": Argument(
            VELOCITY,
            (
                "in the coordinates of the whole system, whatever they are; (2, 3): of points, along the axes"
                " of the world"
            ),
        ),
        "a": Argument(
            ACCELERATION,
            (
                "in the coordinates of the whole system, whatever they are; (2, 3): of points, along the axes"
                " of the world"
            ),
        ),
        "Gja": Argument(NUMBER, "one row for each attached coordinate, over those that it is attached to"),
    },
)


ACTIVE, ATTACHED, ROWS = 4, 3, 2
SIZE = ACTIVE + ATTACHED
ALPHA, BETA = slice(0, ACTIVE), slice(ACTIVE, SIZE)
IDENTITY = np.eye(ATTACHED)

MASSES = {"M": arrays(SIZE, SIZE).map(lambda A: A @ A.T / SIZE + 0.5 * np.eye(SIZE))}
ATTACHED_SYSTEM = {**MASSES, "Gba": arrays(ATTACHED, ACTIVE)}
WITHOUT_DRIFT = {
    **ATTACHED_SYSTEM,
    "G": arrays(ROWS, SIZE),
    "f": arrays(SIZE),
    "g": arrays(ROWS),
    "S": vectors(ROWS, 0.25, 2.0),
}
FULL_SYSTEM = {**WITHOUT_DRIFT, "gb": arrays(ATTACHED)}


def reduction_of(Gba, gb=None) -> NullSpaceReduction:
    return null_space_reduction(
        [ACTIVE, ATTACHED], [Attachment(1, {0: -Gba}, np.zeros(ATTACHED) if gb is None else gb)]
    )


def step_problem(M, f, G=None, g=None, S=None) -> StepProblem:
    """Return the problem of the whole system; arguments that are left out are zero."""
    given = {"rows": G, "target": g, "regularization": S}
    return StepProblem(
        M, f, BilateralRows(**{name: each for name, each in given.items() if each is not None})
    )


def reduced_problem(M, Gba, G=None, f=None, g=None, S=None, gb=None) -> StepProblem:
    return reduction_of(Gba, gb).reduce(step_problem(M, np.zeros(SIZE) if f is None else f, G, g, S))


def constrained_motion(M, Gba, G, f, g, S, gb):
    """Return v and the multipliers of constraints and attachments with the signs of the notes."""
    rows = np.hstack([Gba, IDENTITY])
    v, soft_impulses, hard_impulses = soft_constrained_motion(M, f, (G, g, S), (rows, gb))
    return v, -soft_impulses, -hard_impulses


def blocks(M):
    return M[ALPHA, ALPHA], M[ALPHA, BETA], M[BETA, ALPHA], M[BETA, BETA]


def whole_printed(M, Gba, G, f, g, R, gb):
    """Solve (0.19) with the regularization matrix diag(R)."""
    Maa, Mab, Mba, Mbb = blocks(M)
    Gaa, Gab = G[:, ALPHA], G[:, BETA]
    zero, zero_rows = np.zeros((ATTACHED, ATTACHED)), np.zeros((ROWS, ATTACHED))
    zero_columns = zero_rows.T
    system = np.block(
        [
            [Maa, Mab, Gaa.T, Gba.T],
            [Mba, Mbb, Gab.T, IDENTITY],
            [Gaa, Gab, np.diag(R), zero_rows],
            [Gba, IDENTITY, zero_columns, zero],
        ]
    )
    return np.linalg.solve(system, np.concatenate([f, g, gb]))


def whole_library(M, Gba, G, f, g, S, gb):
    solved = solve_step(reduced_problem(M, Gba, G, f, g, S, gb))
    space = reduction_of(Gba, gb)
    whole = space.expand(solved)
    forces = space.attachment_forces(StepProblem(M, f, BilateralRows(G, g, S)), whole)
    return np.concatenate([whole.velocity, -whole.bilateral, -forces])


SIGN_OF_R = (
    r"$-\mathbf R$ where $+\mathbf G^T$ stands above it; or $-\mathbf G^T$ above $+\mathbf R$, as in "
    r"(0.9)."
)


@section.holds("e0.18", "An attachment as a constraint")
class e0_18:
    formula = r"\mathbf v_k + \mathbf G_{k\alpha}\mathbf v_\alpha = 0"
    inputs = {"Gka": arrays(ATTACHED, ACTIVE), "v_active": vectors(ACTIVE)}
    result = Result(VELOCITY, "of each attached coordinate, in their order")

    def printed(Gka, v_active):
        return -Gka @ v_active

    def library(Gka, v_active):
        return reduction_of(Gka).expand_velocities(v_active)[BETA]

    def reference(Gka, v_active):
        """Compare with the attached velocities as sums over the active ones, row by row."""
        return [-sum(g * v for g, v in zip(row, v_active, strict=True)) for row in Gka]

    exact = "both forms sum the same few products in the same order"
    remark = (
        r"The library stores the corresponding map, $\mathbf v_k = \mathbf J\mathbf v_\alpha$ with"
        r" $\mathbf J = -\mathbf G_{k\alpha}$."
    )
    implements = NullSpaceReduction.expand_velocities


@section.holds("d1", "All attachments as one constraint")
class d1:
    formula = r"\mathbf I\mathbf v_\beta + \mathbf G_{\beta\alpha}\mathbf v_\alpha = 0"
    inputs = {"Gba": arrays(ATTACHED, ACTIVE), "v_active": vectors(ACTIVE)}
    result = Result(VELOCITY, "of the active coordinates, then of the attached ones")

    def printed(Gba, v_active):
        return np.concatenate([v_active, np.linalg.solve(IDENTITY, -Gba @ v_active)])

    def library(Gba, v_active):
        return reduction_of(Gba).expand_velocities(v_active)

    oracle = "Compare with the attached velocities, component by component."
    reference = attached_velocities
    exact = "both forms sum the same few products in the same order"
    implements = (null_space_reduction, NullSpaceReduction.expand_velocities)


@section.erratum("e0.19", "The full system with its attachments")
class e0_19:
    formula = r"\begin{pmatrix} \mathbf M_{\alpha\alpha} & \mathbf M_{\alpha\beta} & \mathbf G_{\alpha\alpha}^T & \mathbf G_{\beta\alpha}^T \\ \mathbf M_{\beta\alpha} & \mathbf M_{\beta\beta} & \mathbf G_{\alpha\beta}^T & \mathbf I \\ \mathbf G_{\alpha\alpha} & \mathbf G_{\alpha\beta} & \mathbf R_\alpha & 0 \\ \mathbf G_{\beta\alpha} & \mathbf I & 0 & 0 \end{pmatrix} \begin{pmatrix} \mathbf v_\alpha \\ \mathbf v_\beta \\ \boldsymbol\lambda_\alpha \\ \boldsymbol\lambda_\beta \end{pmatrix} = \begin{pmatrix} \mathbf f_\alpha \\ \mathbf f_\beta \\ \mathbf g_\alpha \\ \mathbf g_\beta \end{pmatrix}"
    edit = (r"\mathbf R_\alpha & 0", r"-\mathbf R_\alpha & 0")
    inputs = FULL_SYSTEM
    result = Result(
        vector_quantity((VELOCITY, 7), (MOMENTUM, 5)),
        "of all coordinates, the attached ones last, then of constraints and attachments",
    )

    def printed(M, Gba, G, f, g, S, gb):
        return whole_printed(M, Gba, G, f, g, S, gb)

    library = whole_library

    def reference(M, Gba, G, f, g, S, gb):
        """Minimize the action over all admissible motions, with the penalty (G v - g)^2 / (2 R) per row.

        The admissible motions satisfy the attachments. The multipliers follow from the balance of forces.
        """
        return np.concatenate(constrained_motion(M, Gba, G, f, g, S, gb))

    combined_with = ("lloyd/s0.11/e0.9",)
    correction = SIGN_OF_R
    remark = (
        r"The sign $+\mathbf G^T$ means that $-\mathbf G^T\boldsymbol\lambda$ acts on the "
        r"components. A positive $\mathbf R_\alpha$, such as $\gamma\alpha/h^2$ of (0.9), then "
        "increases the violation of a soft constraint, and there is no solution if it equals "
        r"$\mathbf G\mathbf M^{-1}\mathbf G^T$. With hard constraints, $\mathbf R_\alpha = 0$, the"
        " system is correct."
    )
    implements = (StepProblem, NullSpaceReduction)


@section.erratum("t752", "The regularization matrix of the full system")
class t752:
    formula = r"\begin{pmatrix} \mathbf M & \mathbf G^T \\ \mathbf G & \mathbf R_\alpha \end{pmatrix} \text{ where } \mathbf R_\alpha \text{ is a diagonal regularization matrix}"
    inputs = FULL_SYSTEM
    result = Result(VELOCITY, "one for each constraint")

    def printed(M, Gba, G, f, g, S, gb):
        return G @ whole_printed(M, Gba, G, f, g, S, gb)[:SIZE] - g

    def library(M, Gba, G, f, g, S, gb):
        whole = reduction_of(Gba, gb).expand(solve_step(reduced_problem(M, Gba, G, f, g, S, gb)))
        return G @ whole.velocity - g

    def reference(M, Gba, G, f, g, S, gb):
        """Compare with the constraint violations of the motion of least action under the attachments.

        Each violation has the penalty (G v - g)^2 / (2 R).
        """
        return G @ constrained_motion(M, Gba, G, f, g, S, gb)[0] - g

    combined_with = ("lloyd/s0.11/e0.9",)
    correction = SIGN_OF_R
    replacement = r"where $\mathbf R_\alpha$, which stands in the matrix as $-\mathbf R_\alpha$, is a diagonal regularization matrix for the constraints (since attachments are hard constraints, no regularization is included)."
    remark = (
        "Regularization allows a violation that the constraint force reduces. With the printed "
        "signs, that force increases the violation."
    )
    implements = StepProblem


@section.holds("d2#a", "Velocities of the attached components")
class d2_a:
    formula = r"\mathbf v_\beta = \mathbf g_\beta - \mathbf G_{\beta\alpha}\mathbf v_\alpha"
    inputs = {**{name: FULL_SYSTEM[name] for name in ("M", "Gba", "G", "f", "gb")}, "va": arrays(ACTIVE)}
    result = Result(VELOCITY, "of each attached coordinate, in their order")

    def printed(M, Gba, G, f, gb, va):
        return gb - Gba @ va

    def library(M, Gba, G, f, gb, va):
        return reduction_of(Gba, gb).expand_velocities(va)[BETA]

    def reference(M, Gba, G, f, gb, va):
        """Solve the rows of the attachments in (0.19) for the attached velocities."""
        rows = np.hstack([Gba, IDENTITY])
        return np.linalg.solve(rows[:, BETA], gb - rows[:, ALPHA] @ va)

    exact = "both forms sum the same few products in the same order"
    implements = NullSpaceReduction.expand_velocities


@section.holds("d2#b", "Multipliers of the attachments")
class d2_b:
    formula = r"\boldsymbol\lambda_\beta = \mathbf f_\beta - \mathbf M_{\beta\alpha}\mathbf v_\alpha + \mathbf M_{\beta\beta}\mathbf G_{\beta\alpha}\mathbf v_\alpha - \mathbf M_{\beta\beta}\mathbf g_\beta - \mathbf G_{\alpha\beta}^T\boldsymbol\lambda_\alpha"
    inputs = {
        **{name: FULL_SYSTEM[name] for name in ("M", "Gba", "G", "f", "gb")},
        "va": arrays(ACTIVE),
        "la": arrays(ROWS),
    }
    result = Result(MOMENTUM, "of each attached coordinate, in their order")

    def printed(M, Gba, G, f, gb, va, la):
        _, _, Mba, Mbb = blocks(M)
        Gab, fb = G[:, BETA], f[BETA]
        return fb - Mba @ va + Mbb @ Gba @ va - Mbb @ gb - Gab.T @ la

    def library(M, Gba, G, f, gb, va, la):
        space = reduction_of(Gba, gb)
        system = StepProblem(M, f, BilateralRows(G))
        return -space.attachment_forces(system, StepSolution(space.expand_velocities(va), -la))

    def reference(M, Gba, G, f, gb, va, la):
        """Solve the rows of attached components and attachments in (0.19) for both unknowns."""
        attachments = np.hstack([Gba, IDENTITY])
        rows = np.vstack([np.hstack([M[ACTIVE:], G[:, ACTIVE:].T, attachments[:, ACTIVE:].T])])
        known = f[ACTIVE:] - rows[:, :ACTIVE] @ va - rows[:, SIZE : SIZE + ROWS] @ la
        left = np.zeros((2 * ATTACHED, 2 * ATTACHED))
        left[:ATTACHED] = np.hstack([rows[:, ACTIVE:SIZE], rows[:, SIZE + ROWS :]])
        left[ATTACHED:, :ATTACHED] = attachments[:, ACTIVE:]
        right = np.concatenate([known, gb - attachments[:, :ACTIVE] @ va])
        return np.linalg.solve(left, right)[ATTACHED:]

    remark = r"The force on the attached components has the opposite sign, $-\boldsymbol\lambda_\beta$."
    implements = NullSpaceReduction.attachment_forces


# ------------------------------------------------------------------------------------------------------------
# Masters of an attachment, and its right-hand side.


POINTS = 4
"""Number of active points, which include the masters."""
MASTERS = st.permutations(range(POINTS)).map(lambda order: np.array(order[:2]))
BODY_POINT = {"E": frames(), "x": vectors(3), "phi": twists(), "h": positive_numbers(0.25, 1.0)}


def drift_reference(E, x, phi, h):
    """Compare with differences of the velocity of a body point over one step at constant body twist."""

    def velocity(t):
        pose = motion(E, phi)(t)
        rotation = pose[:3, :3]
        return rotation @ (phi[3:] + np.cross(phi[:3], x))

    return h * derivative(velocity).value


@section.holds("t732", "Components on which an attachment depends")
class t732:
    formula = r"\mathbf G_{k\alpha} \text{ is zero except for the master components to which } k \text{ is attached}"
    inputs = {"masters": MASTERS, "weights": vectors(2, 0.25, 2.0), "x": arrays(POINTS, 3)}
    result = Result(NUMBER, "of the attached point by all points, along the axes of the world")

    def printed(masters, weights, x):
        G = np.zeros((3, POINTS, 3))
        for master, weight in zip(masters, weights, strict=True):
            G[:, master] = -weight * np.eye(3)
        return G.reshape(3, 3 * POINTS)

    def library(masters, weights, x):
        attachment = point_on_points(POINTS, [int(j) for j in masters], weights)
        space = null_space_reduction([3] * (POINTS + 1), [attachment])
        return -np.stack([space.expand_velocities(unit)[3 * POINTS :] for unit in np.eye(3 * POINTS)], axis=1)

    def reference(masters, weights, x):
        """Compare with differences of the position of the attached point as each active point moves."""

        def place(points):
            return weights @ points[masters]

        moves = np.eye(3 * POINTS).reshape(-1, POINTS, 3)
        return -np.stack([derivative(lambda t, m=m: place(x + t * m)).value for m in moves], axis=1)

    remark = 'The notes write "sparse except for".'
    implements = NullSpaceReduction.expand_velocities


@section.erratum("t774#b", "Right-hand side for an attachment that changes along the motion")
class t774_b:
    formula = r"\mathbf g_\beta = h\dot{\mathbf G}_{\beta\alpha}\mathbf v_\alpha"
    inputs = BODY_POINT
    result = Result(VELOCITY, "of the attached point, along the axes of the world")

    def printed(E, x, phi, h):
        """Evaluate h Gdot v for a point of a body, where ``v_k + G v_body = 0`` with ``G = -R (-[x] I)``."""
        R = E[:3, :3]
        Gdot = R @ bracket(phi[:3]) @ np.hstack([bracket(x), -np.eye(3)])
        return h * Gdot @ phi

    def library(E, x, phi, h):
        """Return the bias of the acceleration times the step size."""
        return h * point_on_body(1, 0, E, x, phi).bias

    reference = drift_reference
    tolerance = 1e-08
    combined_with = ("lloyd/s0.17/e0.19",)
    correction = r"$\mathbf g_\beta = -h\dot{\mathbf G}_{\beta\alpha}\mathbf v_\alpha$"
    replacement = r"To see that this is generally the case, we note that typically $\mathbf g_\beta = -h\dot{\mathbf G}_{\beta\alpha}\mathbf v_\alpha$."
    remark = (
        r"The attachment at the end of the step is $\mathbf v_\beta + (\mathbf G_{\beta\alpha} + "
        r"h\dot{\mathbf G}_{\beta\alpha})\mathbf v_\alpha = 0$, and the terms that do not appear "
        r"in (0.19) move to the right-hand side. The next sentence, which replaces $\mathbf "
        r"G_{\beta\alpha}$ by $\mathbf G_{\beta\alpha} + h\dot{\mathbf G}_{\beta\alpha}$, is "
        r"correct, and so is the $\mathbf g_\beta$ of section 0.19."
    )
    implements = point_on_body


@section.holds("t774#c", "The attachment at the end of the step, without a right-hand side")
class t774_c:
    formula = (
        r"\mathbf v_\beta + (\mathbf G_{\beta\alpha} + h\dot{\mathbf G}_{\beta\alpha})\mathbf v_\alpha = 0"
    )
    inputs = BODY_POINT
    result = Result(VELOCITY, "of the attached point, along the axes of the world")

    def printed(E, x, phi, h):
        """Return the point's velocity from the attachment at the end of the step, for the old twist."""
        R = E[:3, :3]
        G = R @ np.hstack([bracket(x), -np.eye(3)])
        Gdot = R @ bracket(phi[:3]) @ np.hstack([bracket(x), -np.eye(3)])
        return -(G + h * Gdot) @ phi

    def library(E, x, phi, h):
        point = point_on_body(1, 0, E, x, phi)
        return point.blocks[0] @ phi + h * point.bias

    def reference(E, x, phi, h):
        """Compare with differences of the position of a body point: its velocity and its change in a step."""
        now = derivative(lambda t: motion(E, phi)(t) @ np.append(x, 1.0)).value[:3]
        return now + drift_reference(E, x, phi, h)

    tolerance = 1e-08
    remark = "This holds to first order in h."
    implements = point_on_body


@section.holds("t774#d", "Zero right-hand side for a constant attachment")
class t774_d:
    formula = r"\mathbf G_{\beta\alpha}\text{ constant}:\quad\mathbf g_\beta = 0"
    inputs = {
        "weights": vectors(2, 0.25, 2.0),
        "x": arrays(2, 3),
        "v": arrays(2, 3),
        "a": arrays(2, 3),
    }
    result = Result(ACCELERATION, "of the attached point, along the axes of the world")

    def printed(weights, x, v, a):
        """Return the acceleration ``-G a + g`` of a point between two others, with g = 0."""
        G = -np.hstack([weight * np.eye(3) for weight in weights])
        return -G @ a.ravel()

    def library(weights, x, v, a):
        attachment = point_on_points(2, [0, 1], weights)
        return sum(block @ a[j] for j, block in attachment.blocks.items()) + attachment.bias

    def reference(weights, x, v, a):
        """Compare with differences of the velocity of a point between two points that accelerate."""

        def velocity(t):
            place = derivative(lambda s: weights @ (x + (t + s) * v + (t + s) ** 2 / 2 * a))
            return place.value

        h = 0.125
        # The motion is a parabola: its velocity changes evenly.
        return (velocity(h) - velocity(-h)) / (2 * h)

    implements = point_on_points


# ------------------------------------------------------------------------------------------------------------
# The system in the velocities of the active components, block by block.


def reduced_printed(M, Gba, G, f, g, R, gb):
    """Solve (0.20), with (0.21) to (0.24) and the regularization matrix diag(R)."""
    Maa, Mab, Mba, Mbb = blocks(M)
    Gaa, Gab, fa, fb = G[:, ALPHA], G[:, BETA], f[ALPHA], f[BETA]
    M1 = Maa - Mab @ Gba - Gba.T @ Mba + Gba.T @ Mbb @ Gba
    G1 = Gaa - Gab @ Gba
    f1 = fa - Gba.T @ fb - (Mab - Gba.T @ Mbb) @ gb
    gamma1 = g - Gab @ gb
    return np.linalg.solve(np.block([[M1, G1.T], [G1, np.diag(R)]]), np.concatenate([f1, gamma1]))


def reduced_library(M, Gba, G, f, g, S, gb):
    solved = solve_step(reduced_problem(M, Gba, G, f, g, S, gb))
    v, soft_impulses = solved.velocity, solved.bilateral
    return np.concatenate([v, -soft_impulses])


def reduced_reference(M, Gba, G, f, g, S, gb):
    """Minimize the action over all admissible motions, with the penalty (G v - g)^2 / (2 R) per row.

    The admissible motions satisfy the attachments. The multipliers follow from the balance of forces.
    """
    v, multipliers, _ = constrained_motion(M, Gba, G, f, g, S, gb)
    return np.concatenate([v[ALPHA], multipliers])


def force_reference(M, Gba, G, f, g, S, gb):
    """Compare with the effective inertia from the energy, times the motion of least action.

    The multipliers times the effective rows are added.
    """
    v, multipliers, _ = constrained_motion(M, Gba, G, f, g, S, gb)
    return effective_mass(M, Gba) @ v[ALPHA] + effective_rows(G, Gba).T @ multipliers


def target_reference(M, Gba, G, f, g, S, gb):
    """Apply the constraints on the active components to the motion of least action.

    The regularization times the multipliers is subtracted.
    """
    v, multipliers, _ = constrained_motion(M, Gba, G, f, g, S, gb)
    return effective_rows(G, Gba) @ v[ALPHA] - S * multipliers


@section.holds("e0.20#a", "The reduced system, as a reduction")
class e0_20_a:
    formula = r"\begin{pmatrix} \mathbf M' & \mathbf G'^T \\ \mathbf G' & \mathbf R_\alpha \end{pmatrix} \begin{pmatrix} \mathbf v_\alpha \\ \boldsymbol\lambda_\alpha \end{pmatrix} = \begin{pmatrix} \mathbf f' \\ \boldsymbol\gamma' \end{pmatrix},\quad -\mathbf R_\alpha \text{ positive}"
    inputs = FULL_SYSTEM
    result = Result(
        vector_quantity((VELOCITY, 4), (MOMENTUM, 2)), "of the active coordinates, then of the constraints"
    )

    def printed(M, Gba, G, f, g, S, gb):
        return reduced_printed(M, Gba, G, f, g, -S, gb)

    library = reduced_library
    reference = reduced_reference
    remark = (
        r"The blocks are (0.21) to (0.24). The reduction does not change $\mathbf R_\alpha$, so "
        r"that (0.20) is as correct as (0.19). It is checked with a negative $\mathbf R_\alpha$, "
        "the sign that softens."
    )
    implements = NullSpaceReduction.reduce


@section.erratum("e0.20#b", "The reduced system, with the regularization of (0.9)")
class e0_20_b:
    formula = r"\begin{pmatrix} \mathbf M' & \mathbf G'^T \\ \mathbf G' & \mathbf R_\alpha \end{pmatrix} \begin{pmatrix} \mathbf v_\alpha \\ \boldsymbol\lambda_\alpha \end{pmatrix} = \begin{pmatrix} \mathbf f' \\ \boldsymbol\gamma' \end{pmatrix},\quad \mathbf R_\alpha = \gamma\alpha/h^2"
    edits = (
        (r"\mathbf G' & \mathbf R_\alpha", r"\mathbf G' & -\mathbf R_\alpha"),
        (r",\quad \mathbf R_\alpha = \gamma\alpha/h^2", ""),
    )
    inputs = FULL_SYSTEM
    result = Result(
        vector_quantity((VELOCITY, 4), (MOMENTUM, 2)), "of the active coordinates, then of the constraints"
    )

    def printed(M, Gba, G, f, g, S, gb):
        return reduced_printed(M, Gba, G, f, g, S, gb)

    library = reduced_library
    reference = reduced_reference
    combined_with = ("lloyd/s0.11/e0.9",)
    correction = SIGN_OF_R
    remark = "The sign is that of (0.19)."
    implements = NullSpaceReduction.reduce


@section.holds("e0.21", "Effective inertia of the active components")
class e0_21:
    formula = r"\mathbf M' = \mathbf M_{\alpha\alpha} - \mathbf M_{\alpha\beta}\mathbf G_{\beta\alpha} - \mathbf G_{\beta\alpha}^T\mathbf M_{\beta\alpha} + \mathbf G_{\beta\alpha}^T\mathbf M_{\beta\beta}\mathbf G_{\beta\alpha}"
    inputs = ATTACHED_SYSTEM
    result = Result(MASS, "of the active coordinates")

    def printed(M, Gba):
        Maa, Mab, Mba, Mbb = blocks(M)
        return Maa - Mab @ Gba - Gba.T @ Mba + Gba.T @ Mbb @ Gba

    def library(M, Gba):
        return reduced_problem(M, Gba).mass

    oracle = "Compare with the kinetic energy of all components as a function of the active velocities."
    reference = effective_mass
    implements = NullSpaceReduction.reduce


@section.holds("e0.22", "Constraints on the active components")
class e0_22:
    formula = r"\mathbf G' = \mathbf G_{\alpha\alpha} - \mathbf G_{\alpha\beta}\mathbf G_{\beta\alpha}"
    inputs = {name: FULL_SYSTEM[name] for name in ("M", "Gba", "G")}
    result = Result(NUMBER, "one row for each constraint, over the active coordinates")

    def printed(M, Gba, G):
        Gaa, Gab = G[:, ALPHA], G[:, BETA]
        return Gaa - Gab @ Gba

    def library(M, Gba, G):
        return reduced_problem(M, Gba, G).bilateral.rows

    def reference(M, Gba, G):
        """Apply the constraints to unit velocities of the active components.

        The attached velocities follow from the active ones.
        """
        return effective_rows(G, Gba)

    exact = (
        "each number is one sum of few products in one order, and all forms round alike if the "
        "processor does not fuse them"
    )
    implements = NullSpaceReduction.reduce


@section.holds("e0.23", "Forces on the active components")
class e0_23:
    formula = r"\mathbf f' = \mathbf f_\alpha - \mathbf G_{\beta\alpha}^T\mathbf f_\beta - (\mathbf M_{\alpha\beta} - \mathbf G_{\beta\alpha}^T\mathbf M_{\beta\beta})\mathbf g_\beta"
    inputs = FULL_SYSTEM
    result = Result(MOMENTUM, "of the active coordinates")

    def printed(M, Gba, G, f, g, S, gb):
        _, Mab, _, Mbb = blocks(M)
        fa, fb = f[ALPHA], f[BETA]
        return fa - Gba.T @ fb - (Mab - Gba.T @ Mbb) @ gb

    def library(M, Gba, G, f, g, S, gb):
        return reduced_problem(M, Gba, G, f, g, S, gb).momentum

    reference = force_reference
    remark = "Section 0.21 prints the last term with the opposite sign."
    implements = NullSpaceReduction.reduce


@section.holds("e0.24", "Right-hand sides of the constraints on the active components")
class e0_24:
    formula = r"\boldsymbol\gamma' = \mathbf g_\alpha - \mathbf G_{\alpha\beta}\mathbf g_\beta"
    inputs = FULL_SYSTEM
    result = Result(VELOCITY, "one for each constraint")

    def printed(M, Gba, G, f, g, S, gb):
        Gab = G[:, BETA]
        return g - Gab @ gb

    def library(M, Gba, G, f, g, S, gb):
        return reduced_problem(M, Gba, G, f, g, S, gb).bilateral.target

    reference = target_reference
    implements = NullSpaceReduction.reduce


@section.holds("t774#a", "Forces and right-hand sides for attachments without drift")
class t774_a:
    formula = r"\mathbf g_\beta = 0:\quad \mathbf f' = \mathbf f_\alpha - \mathbf G_{\beta\alpha}^T\mathbf f_\beta,\quad \boldsymbol\gamma' = \mathbf g_\alpha"
    inputs = WITHOUT_DRIFT
    result = Result(
        vector_quantity((MOMENTUM, 4), (VELOCITY, 2)), "of the active coordinates, then of the constraints"
    )

    def printed(M, Gba, G, f, g, S):
        fa, fb = f[ALPHA], f[BETA]
        return np.concatenate([fa - Gba.T @ fb, g])

    def library(M, Gba, G, f, g, S):
        small = reduced_problem(M, Gba, G, f, g, S)
        return np.concatenate([small.momentum, small.bilateral.target])

    def reference(M, Gba, G, f, g, S):
        """Apply the effective inertia and the rows of the active components to the least-action motion."""
        case = (M, Gba, G, f, g, S, np.zeros(ATTACHED))
        return np.concatenate([force_reference(*case), target_reference(*case)])

    implements = NullSpaceReduction.reduce


# ------------------------------------------------------------------------------------------------------------
# The reduction as products of matrices, one attachment after the other.


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
    """Return, column by column, the forces that remain of unit forces after successive eliminations."""
    columns = []
    for unit in np.eye(sum(sizes)):
        system = StepProblem(np.eye(sum(sizes)), unit)
        for attachment in attachments:
            system = eliminate_attachment(system, sizes, attachment)
        columns.append(system.momentum)
    return np.stack(columns, axis=1)


def transfer_to_masters(Gka):
    """Apply unit forces: those on k are transferred to its masters, the others are unchanged."""
    P = np.zeros((TOTAL_SIZE, TOTAL_SIZE))
    for i, unit in enumerate(np.eye(TOTAL_SIZE)):
        transferred = unit.copy()
        transferred[FIRST:LAST] = 0.0
        for force, row in zip(unit[FIRST:LAST], Gka, strict=True):
            transferred[:ACTIVE] -= force * row
        P[:, i] = transferred
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
        padded = np.zeros((SIZE, SIZE))
        padded[:ACTIVE, :ACTIVE] = effective_mass(M, Gba)
        return padded

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

    exact = "both forms only place entries and their opposites"
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
    exact = "both forms only place entries and their opposites"
    implements = eliminate_attachment


@section.holds("t786", "Reduction of one attachment after the other")
class t786:
    formula = r"\mathbf P_j(\mathbf P_k\mathbf M\mathbf P_k^T)\mathbf P_j^T = \mathbf P\mathbf M\mathbf P^T"
    inputs = {
        "M": arrays(TOTAL_SIZE, TOTAL_SIZE).map(lambda A: A @ A.T / TOTAL_SIZE + 0.5 * np.eye(TOTAL_SIZE)),
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
        kept = [*range(ACTIVE), TOTAL_SIZE - 1]
        order = [*kept, *range(ACTIVE, TOTAL_SIZE - 1)]
        G = np.zeros((2 + ATTACHED, ACTIVE + 1))
        G[:2, :ACTIVE], G[2:, :ACTIVE] = Gja, Gka
        padded = np.zeros((TOTAL_SIZE, TOTAL_SIZE))
        padded[np.ix_(kept, kept)] = effective_mass(M[np.ix_(order, order)], G)
        return padded

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

    exact = "both forms only place entries and their opposites"
    remark = "This holds if neither component is attached to the other, as this section assumes."
    implements = eliminate_attachment
