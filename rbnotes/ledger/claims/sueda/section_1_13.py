"""Sueda 1.13: contact and friction as a single quadratic program."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy.optimize import nnls

from rbnotes.complementarity import LCP, QP, lcp_from_qp, lemke, qp_from_lcp, solve
from rbnotes.contact import Contacts
from rbnotes.dynamics import StepProblem, UnilateralRows, solve_step
from rbnotes.friction import dual_qp, friction_contact_problem, single_qp
from rbnotes.friction.bounded_friction import support_function
from rbnotes.friction.facets import facet_directions
from rbnotes.ledger.oracles.quadratic_programs import contact_velocities
from rbnotes.ledger.pages import Page
from rbnotes.ledger.quantities import ENERGY, FORCE, MASS, MOMENTUM, NUMBER, TIME, VELOCITY
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing.strategies import arrays, matrices, numbers, positive_numbers, vectors

SYSTEM_COORDINATES = "in the coordinates of the whole system"

section = Section(
    "sueda/s1.13",
    chapter="friction",
    page_2019=Page(18, last=19),
    page_2021=Page(23, last=25),
    arguments={
        "M": Argument(MASS, "in the coordinates of the whole system, whatever they are"),
        "N": Argument(NUMBER, "rows of the contacts, over the coordinates of the whole system"),
        "f": Argument(MOMENTUM, "in the coordinates of the whole system, whatever they are"),
        "T": Argument(NUMBER, "rows of the contacts, over the coordinates of the whole system"),
        "mu": Argument(NUMBER),
        "alpha": Argument(MOMENTUM, "of the contacts, in their order"),
        "h": Argument(TIME),
        "beta": Argument(MOMENTUM, "of the contacts, in their order"),
        "lam": Argument(MOMENTUM, "of the contacts, in their order"),
    },
)


SIZE, CONTACTS, FACETS = 5, 2, 4
MOVING = {
    "M": arrays(SIZE, SIZE).map(lambda A: A @ A.T / SIZE + 0.5 * np.eye(SIZE)),
    "N": arrays(CONTACTS, SIZE).filter(lambda N: bool(np.linalg.svd(N)[1][-1] > 0.2)),
    "f": vectors(SIZE),
}
TANGENTS = np.linspace(-1, 2, CONTACTS * 2 * SIZE).reshape(CONTACTS, 2, SIZE)
PUSHED = {**MOVING, "alpha": vectors(CONTACTS, 0.0, 2.0), "T": arrays(CONTACTS, 2, SIZE)}
# One contact: its normal impulse, its four tangential ones.
PYRAMID = {"mu": numbers(0.25, 1.0), "alpha": positive_numbers(), "beta": vectors(FACETS, 0.0, 1.0)}
ONE_FACET = {
    **PYRAMID,
    "beta": st.builds(
        lambda size, k: size * np.eye(FACETS)[k % FACETS], numbers(0.0, 1.0), st.integers(0, 255)
    ),
}
TWO = {"mu": numbers(0.25, 1.0), "lam": vectors((1 + FACETS) * CONTACTS, 0.0, 2.0)}


def one_printed(mu, alpha, beta):
    b1, b2, b3, b4 = beta
    return np.array([mu, -1.0, -1.0, -1.0, -1.0]) @ np.array([alpha, b1, b2, b3, b4])


def unused_normal(mu, alpha, beta):
    """Return mu times the normal impulse that is left when (alpha, beta) is made up of edges of the pyramid."""
    edges = np.zeros((1 + FACETS, 1 + FACETS))
    edges[0], edges[1:, 1:] = 1, mu * np.eye(FACETS)
    return mu * np.linalg.solve(edges, np.append(alpha, beta))[0]


SINGLE = (single_qp, dual_qp)


@section.erratum("e1.84", "Velocities from the contact impulses")
class e1_84:
    page_2019 = Page(18)
    page_2021 = Page(24)
    formula = r"M\Phi + N^T\alpha = \tilde f"
    edit = ("+ N^T", "- N^T")
    inputs = {name: PUSHED[name] for name in ("M", "N", "f", "alpha")}
    result = Result(VELOCITY, SYSTEM_COORDINATES)

    def printed(M, N, f, alpha):
        return np.linalg.solve(M, f - N.T @ alpha)

    def library(M, N, f, alpha):
        zero = np.zeros((CONTACTS, 2))
        smooth = Contacts.from_directions(N, TANGENTS, 0.0)
        space = friction_contact_problem(StepProblem(M, f, contacts=smooth))
        return space.apply_impulses(np.column_stack([alpha, zero]))[0]

    def reference(M, N, f, alpha):
        """Compare with the sum of the momenta, contact by contact.

        Momenta add up: f~, and each impulse along its row.
        """
        total = np.array(f, dtype=float)
        for size, row in zip(alpha, N, strict=True):
            total += size * row
        return np.linalg.solve(M, total)

    combined_with = ("sueda/s1.13/e1.83",)
    correction = r"$M\Phi - N^T\alpha = \tilde f$"
    remark = (
        "As printed, the impulses that (1.83) finds pull the bodies together: the approach velocity is "
        "not taken away but doubled. (The same sign in (1.73) does no harm, since a joint's multiplier "
        "may have any sign.)"
    )
    effect = "A body that meets the floor at 1 m/s goes on into it at 2 m/s."
    implements = friction_contact_problem


@section.holds("t668#a", "The dual variables are the impulses of the contacts")
class t668_a:
    formula = r"\text{`The dual variables, } \alpha\text{, are the contact impulse magnitudes'}"
    inputs = MOVING
    result = Result(MOMENTUM, "one for each contact")

    def printed(M, N, f):
        """Solve the dual program (1.83) by its optimality conditions."""
        return lemke(LCP(N @ np.linalg.solve(M, N.T), N @ np.linalg.solve(M, f))).z

    def library(M, N, f):
        return solve_step(StepProblem(M, f, unilateral=UnilateralRows(N))).unilateral

    def reference(M, N, f):
        """Compare with the residual of the momentum, written as a combination of impulses along the rows.

        Momentum after the step less that before it, as a combination of the contacts' directions.
        """
        gained = M @ contact_velocities(M, f, N, np.zeros((0, SIZE))) - f
        return np.linalg.lstsq(N.T, gained, rcond=None)[0]

    tolerance = 1e-08
    remark = r"Of the step with velocities: $M\Phi$ and $\tilde f$ are momenta. In N s, never in N."
    implements = solve_step


@section.misprint("t668#b", "What contacts apply to the bodies")
class t668_b:
    page_2019 = Page(18)
    page_2021 = Page(24)
    formula = r"\text{The product}\ N^T\alpha\ \text{represents the generalized force (wrench) that the contact constraints apply}"
    inputs = {**PUSHED, "h": positive_numbers(0.125, 0.5)}
    result = Result(FORCE, SYSTEM_COORDINATES)

    def printed(M, N, f, alpha, T, h):
        return N.T @ alpha

    def library(M, N, f, alpha, T, h):
        zero = np.zeros((CONTACTS, 2))
        space = friction_contact_problem(StepProblem(M, f, contacts=Contacts.from_directions(N, T, 0.0)))
        return (M @ space.apply_impulses(np.column_stack([alpha, zero]))[0] - f) / h

    def reference(M, N, f, alpha, T, h):
        """Compare with the power at unit velocities of forces that make these impulses in one step.

        Each force times the separation velocity that a unit velocity makes.
        """
        forces = alpha / h
        return np.array([sum(forces * [row @ unit for row in N]) for unit in np.eye(SIZE)])

    tolerance = 1e-08
    correction = r"$N^T\alpha$ is the generalized impulse; the force is $N^T\alpha/h$"
    replacement = r"The product $N^T\alpha$ represents the generalized impulse that the contact constraints apply to the rigid bodies; the generalized force (wrench) is $N^T\alpha/h$."
    units_mismatch = r"a factor $1/h$ is missing: an impulse is called a force"
    remark = (
        r"The sentence before calls $\alpha$ impulses, and 1.10 divides by $h$ where it computes the reactions "
        r"of joints. As a force it is wrong by the factor $h$."
    )
    implements = friction_contact_problem


@section.holds("e1.85", "The bound on the tangential impulses of one contact")
class e1_85:
    formula = r"\begin{pmatrix} \mu & -1 & -1 & -1 & -1 \end{pmatrix} \begin{pmatrix} \alpha \\ \beta_1 \\ \beta_2 \\ \beta_3 \\ \beta_4 \end{pmatrix} \ge 0"
    inputs = PYRAMID
    result = Result(MOMENTUM, SYSTEM_COORDINATES)
    printed = one_printed

    def library(mu, alpha, beta):
        contact = Contacts(np.zeros((1, 3, 3)), mu)
        return (dual_qp(StepProblem(np.eye(3), np.zeros(3), contacts=contact)).A @ np.append(alpha, beta))[-1]

    def reference(mu, alpha, beta):
        """Compare with the slack of the normal impulse for impulses along edges of the pyramid."""
        return unused_normal(mu, alpha, beta)

    implements = dual_qp


@section.holds("t670", "Four tangential constraints for each contact")
class t670:
    formula = r"T\ \text{`is going to have four times as many rows as the normal matrix,}\ N\text{'}"
    inputs = {"N": st.integers(1, 4).flatmap(lambda contacts: matrices(contacts, SIZE))}
    result = Result(NUMBER, SYSTEM_COORDINATES)

    def printed(N):
        return 4 * len(N)

    def library(N):
        """Impulses that the bounds of the program take from what the normal impulses allow."""
        rows = np.stack([N, N + 1, N - 1], axis=1)
        problem = StepProblem(np.eye(SIZE), np.zeros(SIZE), contacts=Contacts(rows, 0.5))
        return np.sum(dual_qp(problem).A == -1)

    def reference(N):
        """Count the contacts, the two axes of each tangent plane, and the two directions of each axis."""
        pushes = [(row, axis, sense) for row in range(N.shape[0]) for axis in "uv" for sense in (1, -1)]
        return len(pushes)

    exact = "counts of rows"
    remark = "Both senses of two tangents, since the impulses are not to be negative."
    implements = dual_qp


@section.conditional("t674", "The bound on the tangential impulses bounds the size of the friction impulse")
class t674:
    page_2019 = Page(19)
    page_2021 = Page(24)
    formula = (
        r"f_\parallel \le \mu f_\perp:\ \text{with the four-sided pyramid, this can be expressed as}\ (1.85)"
    )
    inputs = PYRAMID
    result = Result(MOMENTUM, SYSTEM_COORDINATES)

    printed = one_printed

    def library(mu, alpha, beta):
        return mu * alpha - support_function(beta @ facet_directions(FACETS), "disc")

    def reference(mu, alpha, beta):
        """Compare with the norm of the friction impulse, summed as a vector.

        What the size of the friction impulse leaves: the impulse summed up as a vector of the tangent plane.
        """
        first, second = beta[0] - beta[2], beta[1] - beta[3]
        return alpha * mu - np.hypot(first, second)

    given = ONE_FACET

    def holds_when(mu, alpha, beta):
        """At most one of the tangents is used."""
        return np.sum(beta != 0) <= 1

    condition = "friction acts along one of the four tangents"
    remark = (
        r"Elsewhere the pyramid allows less than Coulomb's cone, down to $1/\sqrt2$ of it midway between "
        r"two tangents."
    )
    implements = (support_function, facet_directions)


@section.holds("e1.86", "The bounds of two contacts")
class e1_86:
    formula = r"\begin{pmatrix} \mu & 0 & -1 & -1 & -1 & -1 & 0 & 0 & 0 & 0 \\ 0 & \mu & 0 & 0 & 0 & 0 & -1 & -1 & -1 & -1 \end{pmatrix} \begin{pmatrix} \alpha_1 & \alpha_2 & \beta_{11} & \cdots & \beta_{14} & \beta_{21} & \cdots & \beta_{24} \end{pmatrix}^T \ge 0"
    inputs = TWO
    result = Result(MOMENTUM, "one for each contact")

    def printed(mu, lam):
        E = np.array(
            [
                [mu, 0, -1, -1, -1, -1, 0, 0, 0, 0],
                [0, mu, 0, 0, 0, 0, -1, -1, -1, -1],
            ]
        )
        return E @ lam

    def library(mu, lam):
        contacts = Contacts(np.zeros((CONTACTS, 3, 3)), mu)
        return (dual_qp(StepProblem(np.eye(3), np.zeros(3), contacts=contacts)).A @ lam)[-CONTACTS:]

    def reference(mu, lam):
        """Compare with the slack of the normal impulse of each contact for impulses along edges of the pyramid.

        Contact by contact.
        """
        alpha, beta = lam[:CONTACTS], lam[CONTACTS:].reshape(CONTACTS, FACETS)
        return np.array(
            [
                unused_normal(mu, push, pushes_along_edges)
                for push, pushes_along_edges in zip(alpha, beta, strict=True)
            ]
        )

    implements = dual_qp


@section.definition("e1.87", "Normal and tangential impulses, and their rows, as one")
class e1_87:
    formula = r"\lambda = \begin{pmatrix} \alpha \\ \beta \end{pmatrix},\quad C = \begin{pmatrix} N \\ T \end{pmatrix}"
    defines = (r"\lambda", "C")
    implements = SINGLE


# ------------------------------------------------------------------------------------------------------------
# Contact and friction as quadratic programs.


RUBBED = {
    **MOVING,
    "T": arrays(CONTACTS, 2, SIZE),
    "mu": numbers(0.0, 1.0),
}
IMPULSES = {**RUBBED, "lam": vectors((1 + FACETS) * CONTACTS, 0.0, 2.0)}


def least_energy(M, f, pushes):
    """Velocities after those pushes along the rows that leave the least kinetic energy."""
    L = np.linalg.cholesky(M)
    sizes, _ = nnls(np.linalg.solve(L, pushes.T), -np.linalg.solve(L, f))
    return np.linalg.solve(M, f + pushes.T @ sizes)


def facet_rows(T):
    """For each contact both tangents, and both turned round."""
    return np.concatenate([T, -T], axis=1).reshape(-1, SIZE)


def velocity_by_lcp(M, N, f, T, mu):
    """Solve the optimality conditions of the program (1.88) by Lemke's method."""
    C, Mi = np.vstack((N, facet_rows(T))), np.linalg.inv(M)
    E = np.array(
        [
            [mu, 0, -1, -1, -1, -1, 0, 0, 0, 0],
            [0, mu, 0, 0, 0, 0, -1, -1, -1, -1],
        ]
    )
    zero = np.zeros((CONTACTS, CONTACTS))
    conditions = LCP(np.block([[C @ Mi @ C.T, -E.T], [E, zero]]), np.append(C @ Mi @ f, np.zeros(CONTACTS)))
    lam = lemke(conditions).z[: len(C)]
    return Mi @ (f + C.T @ lam)


PRIMAL = (lcp_from_qp, qp_from_lcp)


@section.holds("t658", "The friction program has an equivalent linear complementarity problem")
class t658:
    formula = r"0 \le \lambda \perp CM^{-1}C^T\lambda + CM^{-1}\tilde f - E^T\gamma \ge 0,\quad 0 \le \gamma \perp E\lambda \ge 0"
    inputs = RUBBED
    result = Result(VELOCITY, SYSTEM_COORDINATES)
    printed = velocity_by_lcp

    def library(M, N, f, T, mu):
        return single_qp(StepProblem(M, f, contacts=Contacts.from_directions(N, T, mu))).velocity

    def reference(M, N, f, T, mu):
        """Compare with the primal program: least change of momentum with N Phi >= mu |T_k Phi|, all active sets tried."""
        rows = [N[c] + mu * way * T[c, k] for c in range(CONTACTS) for k in (0, 1) for way in (1, -1)]
        return contact_velocities(M, f, np.array(rows), np.zeros((0, SIZE)))

    tolerance = 1e-08
    remark = "The notes do not print it; these are the optimality conditions of (1.88)."
    implements = single_qp


@section.holds("e1.83", "The dual of the contact program")
class e1_83:
    formula = r"\text{minimize}\quad \frac12\alpha^T N M^{-1} N^T\alpha + \alpha^T N M^{-1}\tilde f \quad \text{subject to}\quad \alpha \ge 0"
    inputs = MOVING
    result = Result(VELOCITY, SYSTEM_COORDINATES)

    def printed(M, N, f):
        """Solve the program, and M Phi = f~ + N^T alpha with impulses that push."""
        Mi = np.linalg.inv(M)
        Q, c = N @ Mi @ N.T, N @ Mi @ f
        alpha = lemke(LCP(Q, c)).z
        return Mi @ (f + N.T @ alpha)

    def library(M, N, f):
        lcp = lcp_from_qp(QP(M, -f, N, np.zeros(CONTACTS)))
        alpha = solve(qp_from_lcp(lcp), "block_principal_pivoting").x
        return np.linalg.solve(M, f + N.T @ alpha)

    def reference(M, N, f):
        """Find the impulses that minimize the kinetic energy, by nonnegative least squares."""
        return least_energy(M, f, N)

    tolerance = 1e-08
    remark = (
        r"With $M\Phi = \tilde f + N^T\alpha$: the sign of the linear term belongs to impulses that push."
    )
    implements = PRIMAL


@section.holds("e1.88#a", "What the single program minimises")
class e1_88_a:
    formula = r"\frac12\lambda^T C M^{-1} C^T\lambda + \lambda^T C M^{-1}\tilde f"
    inputs = IMPULSES
    result = Result(ENERGY, SYSTEM_COORDINATES)

    def printed(M, N, f, T, mu, lam):
        C, Mi = np.vstack((N, facet_rows(T))), np.linalg.inv(M)
        return 1 / 2 * lam @ C @ Mi @ C.T @ lam + lam @ C @ Mi @ f

    def library(M, N, f, T, mu, lam):
        return dual_qp(StepProblem(M, f, contacts=Contacts.from_directions(N, T, mu))).objective(lam)

    def reference(M, N, f, T, mu, lam):
        """Compare with the kinetic energy added by the impulses, from the momenta.

        Kinetic energy that the impulses add.
        """
        total = np.array(f, dtype=float)
        for contact in range(CONTACTS):
            total += lam[contact] * N[contact]
            pushes_along_edges = lam[CONTACTS + FACETS * contact :][:FACETS]
            total += (pushes_along_edges[0] - pushes_along_edges[2]) * T[contact, 0] + (
                pushes_along_edges[1] - pushes_along_edges[3]
            ) * T[contact, 1]
        return total @ np.linalg.solve(M, total) / 2 - f @ np.linalg.solve(M, f) / 2

    implements = dual_qp


@section.holds("e1.88#b", "Contact and friction as a single quadratic program")
class e1_88_b:
    formula = r"\text{minimize}\quad \frac12\lambda^T C M^{-1} C^T\lambda + \lambda^T C M^{-1}\tilde f \quad \text{subject to}\quad \lambda \ge 0,\ E\lambda \ge 0"
    inputs = RUBBED
    result = Result(VELOCITY, SYSTEM_COORDINATES)

    printed = velocity_by_lcp

    def library(M, N, f, T, mu):
        return single_qp(StepProblem(M, f, contacts=Contacts.from_directions(N, T, mu))).velocity

    def reference(M, N, f, T, mu):
        """Minimize the kinetic energy over impulses along the edges of the pyramids, by nonnegative least squares.

        Least kinetic energy over the pushes along the four edges of each pyramid, a normal and mu times a facet.
        """
        edges = [
            N[contact] + mu * way * T[contact, axis]
            for contact in range(CONTACTS)
            for axis in (0, 1)
            for way in (1, -1)
        ]
        return least_energy(M, f, np.array(edges))

    tolerance = 1e-08
    remark = (
        r"Convex, but not Coulomb's law: a contact that slides is held off, with $N\Phi = "
        r"\mu\max_k\lvert T_k\Phi\rvert$, the larger of its two tangential speeds: the dual of the "
        r"four-sided pyramid."
    )
    implements = single_qp
