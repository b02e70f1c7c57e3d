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
from rbnotes.testing.strategies import arrays, matrices, numbers, positive_numbers, spd_matrices, vectors

SYSTEM_COORDINATES = "in the generalized coordinates of the system"

section = Section(
    "sueda/s1.13",
    chapter="friction",
    page_2019=Page(18, last=19),
    page_2021=Page(23, last=25),
    arguments={
        "M": Argument(MASS, "in the generalized coordinates of the system"),
        "N": Argument(NUMBER, "rows of the contacts, over the generalized coordinates of the system"),
        "f": Argument(MOMENTUM, "in the generalized coordinates of the system"),
        "T": Argument(NUMBER, "rows of the contacts, over the generalized coordinates of the system"),
        "mu": Argument(NUMBER),
        "alpha": Argument(MOMENTUM, "of the contacts, in their order"),
        "h": Argument(TIME),
        "beta": Argument(MOMENTUM, "of the contacts, in their order"),
        "lam": Argument(MOMENTUM, "of the contacts, in their order"),
    },
)


SIZE, CONTACTS, FACETS = 5, 2, 4
MOTION = {
    "M": spd_matrices(SIZE, arrays),
    "N": arrays(CONTACTS, SIZE).filter(lambda N: bool(np.linalg.svd(N)[1][-1] > 0.2)),
    "f": vectors(SIZE),
}
TANGENTS = np.linspace(-1, 2, CONTACTS * 2 * SIZE).reshape(CONTACTS, 2, SIZE)
IMPULSE_INPUTS = {**MOTION, "alpha": vectors(CONTACTS, 0.0, 2.0), "T": arrays(CONTACTS, 2, SIZE)}
# One contact: its normal impulse and its four tangential impulses.
PYRAMID = {"mu": numbers(0.25, 1.0), "alpha": positive_numbers(), "beta": vectors(FACETS, 0.0, 1.0)}
ONE_FACET = {
    **PYRAMID,
    "beta": st.builds(
        lambda size, k: size * np.eye(FACETS)[k % FACETS], numbers(0.0, 1.0), st.integers(0, 255)
    ),
}
TWO_CONTACTS = {"mu": numbers(0.25, 1.0), "lam": vectors((1 + FACETS) * CONTACTS, 0.0, 2.0)}


def friction_bound_printed(mu, alpha, beta):
    b1, b2, b3, b4 = beta
    return np.array([mu, -1.0, -1.0, -1.0, -1.0]) @ np.array([alpha, b1, b2, b3, b4])


def normal_slack(mu, alpha, beta):
    """Return mu times the normal impulse that remains if edges of the pyramid make up (alpha, beta)."""
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
    any_size = True
    inputs = {name: IMPULSE_INPUTS[name] for name in ("M", "N", "f", "alpha")}
    result = Result(VELOCITY, SYSTEM_COORDINATES)

    def printed(M, N, f, alpha):
        return np.linalg.solve(M, f - N.T @ alpha)

    def library(M, N, f, alpha):
        zero = np.zeros((len(N), 2))
        contacts = Contacts.from_directions(N, np.resize(TANGENTS, (len(N), 2, len(M))), 0.0)
        problem = friction_contact_problem(StepProblem(M, f, contacts=contacts))
        return problem.apply_impulses(np.column_stack([alpha, zero]))[0]

    def reference(M, N, f, alpha):
        """Compare with the sum of the momenta, contact by contact."""
        total = np.array(f, dtype=float)
        for size, row in zip(alpha, N, strict=True):
            total += size * row
        return np.linalg.solve(M, total)

    combined_with = ("sueda/s1.13/e1.83",)
    correction = r"$M\Phi - N^T\alpha = \tilde f$"
    remark = (
        "As printed, the impulses of (1.83) pull the bodies together: the velocity of approach is "
        "doubled instead of removed. (The same sign in (1.73) is harmless, because the multiplier of a "
        "joint may have either sign.)"
    )
    effect = "A body that hits the floor at 1 m/s continues into it at 2 m/s."
    implements = friction_contact_problem


@section.holds("t668#a", "The dual variables are the impulses of the contacts")
class t668_a:
    formula = r"\text{`The dual variables, } \alpha\text{, are the contact impulse magnitudes'}"
    any_size = True
    inputs = MOTION
    result = Result(MOMENTUM, "one for each contact")

    def printed(M, N, f):
        """Solve the dual program (1.83) by its optimality conditions."""
        return lemke(LCP(N @ np.linalg.solve(M, N.T), N @ np.linalg.solve(M, f))).z

    def library(M, N, f):
        return solve_step(StepProblem(M, f, unilateral=UnilateralRows(N))).unilateral

    def reference(M, N, f):
        """Compare with the residual of the momentum as a combination of impulses along the rows."""
        residual = M @ contact_velocities(M, f, N, np.zeros((0, SIZE))) - f
        return np.linalg.lstsq(N.T, residual, rcond=None)[0]

    tolerance = 1e-08
    remark = (
        r"This holds for the step with velocities, where $M\Phi$ and $\tilde f$ are momenta. The "
        "impulses are in N s, not in N."
    )
    implements = solve_step


@section.misprint("t668#b", "Generalized impulse of the contacts")
class t668_b:
    page_2019 = Page(18)
    page_2021 = Page(24)
    formula = r"\text{The product}\ N^T\alpha\ \text{represents the generalized force (wrench) that the contact constraints apply}"
    inputs = {**IMPULSE_INPUTS, "h": positive_numbers(0.125, 0.5)}
    result = Result(FORCE, SYSTEM_COORDINATES)

    def printed(M, N, f, alpha, T, h):
        return N.T @ alpha

    def library(M, N, f, alpha, T, h):
        zero = np.zeros((CONTACTS, 2))
        problem = friction_contact_problem(StepProblem(M, f, contacts=Contacts.from_directions(N, T, 0.0)))
        return (M @ problem.apply_impulses(np.column_stack([alpha, zero]))[0] - f) / h

    def reference(M, N, f, alpha, T, h):
        """Compare with the power of the contact forces for unit velocities."""
        forces = alpha / h
        return np.array([sum(forces * [row @ unit for row in N]) for unit in np.eye(SIZE)])

    tolerance = 1e-08
    correction = r"$N^T\alpha$ is the generalized impulse; the force is $N^T\alpha/h$"
    replacement = r"The product $N^T\alpha$ represents the generalized impulse that the contact constraints apply to the rigid bodies; the generalized force (wrench) is $N^T\alpha/h$."
    units_mismatch = "a factor $1/h$ is missing: an impulse is called a force"
    remark = (
        r"The preceding sentence calls $\alpha$ impulses, and 1.10 divides by $h$ in the reactions of "
        "joints. As a force the product is wrong by the factor $h$."
    )
    implements = friction_contact_problem


@section.holds("e1.85", "Bound on the tangential impulses of one contact")
class e1_85:
    formula = r"\begin{pmatrix} \mu & -1 & -1 & -1 & -1 \end{pmatrix} \begin{pmatrix} \alpha \\ \beta_1 \\ \beta_2 \\ \beta_3 \\ \beta_4 \end{pmatrix} \ge 0"
    inputs = PYRAMID
    result = Result(MOMENTUM)
    printed = friction_bound_printed

    def library(mu, alpha, beta):
        contact = Contacts(np.zeros((1, 3, 3)), mu)
        return (dual_qp(StepProblem(np.eye(3), np.zeros(3), contacts=contact)).A @ np.append(alpha, beta))[-1]

    def reference(mu, alpha, beta):
        """Compare with the slack of the normal impulse for impulses along edges of the pyramid."""
        return normal_slack(mu, alpha, beta)

    implements = dual_qp


@section.holds("t670", "Four tangential rows for each contact")
class t670:
    formula = r"T\ \text{`is going to have four times as many rows as the normal matrix,}\ N\text{'}"
    inputs = {"N": st.integers(1, 4).flatmap(lambda contacts: matrices(contacts, SIZE))}
    result = Result(NUMBER)

    def printed(N):
        return 4 * len(N)

    def library(N):
        """Count the tangential impulses in the friction bounds of the program."""
        rows = np.stack([N, N + 1, N - 1], axis=1)
        problem = StepProblem(np.eye(SIZE), np.zeros(SIZE), contacts=Contacts(rows, 0.5))
        return np.sum(dual_qp(problem).A == -1)

    def reference(N):
        """Count the contacts, the two axes of each tangent plane, and the two directions of each axis."""
        directions = [(row, axis, sign) for row in range(N.shape[0]) for axis in "uv" for sign in (1, -1)]
        return len(directions)

    exact = "counts of rows"
    remark = "There are both directions of two tangents, because the impulses must not be negative."
    implements = dual_qp


@section.conditional(
    "t674", "Bound on the tangential impulses as a bound on the norm of the friction impulse"
)
class t674:
    page_2019 = Page(19)
    page_2021 = Page(24)
    formula = (
        r"f_\parallel \le \mu f_\perp:\ \text{with the four-sided pyramid, this can be expressed as}\ (1.85)"
    )
    inputs = PYRAMID
    result = Result(MOMENTUM)

    printed = friction_bound_printed

    def library(mu, alpha, beta):
        return mu * alpha - support_function(beta @ facet_directions(FACETS), "disc")

    def reference(mu, alpha, beta):
        """Compare with the norm of the friction impulse, summed as a vector."""
        first, second = beta[0] - beta[2], beta[1] - beta[3]
        return alpha * mu - np.hypot(first, second)

    condition_inputs = ONE_FACET

    def holds_when(mu, alpha, beta):
        """Return True if at most one of the tangents is used."""
        return np.sum(beta != 0) <= 1

    condition = "friction acts along one of the four tangents"
    remark = (
        r"In other directions the pyramid permits less friction than Coulomb's cone, down to $1/\sqrt2$ "
        "of it midway between two tangents."
    )
    implements = (support_function, facet_directions)


@section.holds("e1.86", "Bounds on the tangential impulses of two contacts")
class e1_86:
    formula = r"\begin{pmatrix} \mu & 0 & -1 & -1 & -1 & -1 & 0 & 0 & 0 & 0 \\ 0 & \mu & 0 & 0 & 0 & 0 & -1 & -1 & -1 & -1 \end{pmatrix} \begin{pmatrix} \alpha_1 & \alpha_2 & \beta_{11} & \cdots & \beta_{14} & \beta_{21} & \cdots & \beta_{24} \end{pmatrix}^T \ge 0"
    inputs = TWO_CONTACTS
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
        """Compare with the slack of the normal impulse of each contact for impulses along edges of the pyramid."""
        alpha, beta = lam[:CONTACTS], lam[CONTACTS:].reshape(CONTACTS, FACETS)
        return np.array(
            [normal_slack(mu, normal, tangential) for normal, tangential in zip(alpha, beta, strict=True)]
        )

    implements = dual_qp


@section.definition("e1.87", "Normal and tangential impulses and their rows, stacked")
class e1_87:
    formula = r"\lambda = \begin{pmatrix} \alpha \\ \beta \end{pmatrix},\quad C = \begin{pmatrix} N \\ T \end{pmatrix}"
    defines = (r"\lambda", "C")
    implements = SINGLE


# ------------------------------------------------------------------------------------------------------------
# Contact and friction as quadratic programs.


FRICTION_INPUTS = {
    **MOTION,
    "T": arrays(CONTACTS, 2, SIZE),
    "mu": numbers(0.0, 1.0),
}
IMPULSES = {**FRICTION_INPUTS, "lam": vectors((1 + FACETS) * CONTACTS, 0.0, 2.0)}


def least_energy(M, f, rows):
    """Return the velocities of least kinetic energy after nonnegative impulses along the rows."""
    L = np.linalg.cholesky(M)
    impulses, _ = nnls(np.linalg.solve(L, rows.T), -np.linalg.solve(L, f))
    return np.linalg.solve(M, f + rows.T @ impulses)


def facet_rows(T):
    """Return both tangents of each contact and their negatives."""
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
    inputs = FRICTION_INPUTS
    result = Result(VELOCITY, SYSTEM_COORDINATES)
    printed = velocity_by_lcp

    def library(M, N, f, T, mu):
        return single_qp(StepProblem(M, f, contacts=Contacts.from_directions(N, T, mu))).velocity

    def reference(M, N, f, T, mu):
        """Compare with the primal program: least change of momentum with N Phi >= mu |T_k Phi|, all active sets tried."""
        rows = [N[c] + mu * sign * T[c, k] for c in range(CONTACTS) for k in (0, 1) for sign in (1, -1)]
        return contact_velocities(M, f, np.array(rows), np.zeros((0, SIZE)))

    tolerance = 1e-08
    remark = "The notes do not print the problem; these are the optimality conditions of (1.88)."
    implements = single_qp


@section.holds("e1.83", "Dual of the contact program")
class e1_83:
    formula = r"\text{minimize}\quad \frac12\alpha^T N M^{-1} N^T\alpha + \alpha^T N M^{-1}\tilde f \quad \text{subject to}\quad \alpha \ge 0"
    any_size = True
    inputs = MOTION
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


@section.holds("e1.88#a", "Objective of the single quadratic program")
class e1_88_a:
    formula = r"\frac12\lambda^T C M^{-1} C^T\lambda + \lambda^T C M^{-1}\tilde f"
    inputs = IMPULSES
    result = Result(ENERGY)

    def printed(M, N, f, T, mu, lam):
        C, Mi = np.vstack((N, facet_rows(T))), np.linalg.inv(M)
        return 1 / 2 * lam @ C @ Mi @ C.T @ lam + lam @ C @ Mi @ f

    def library(M, N, f, T, mu, lam):
        return dual_qp(StepProblem(M, f, contacts=Contacts.from_directions(N, T, mu))).objective(lam)

    def reference(M, N, f, T, mu, lam):
        """Compare with the kinetic energy added by the impulses, from the momenta."""
        total = np.array(f, dtype=float)
        for contact in range(CONTACTS):
            total += lam[contact] * N[contact]
            tangential = lam[CONTACTS + FACETS * contact :][:FACETS]
            total += (tangential[0] - tangential[2]) * T[contact, 0] + (tangential[1] - tangential[3]) * T[
                contact, 1
            ]
        return total @ np.linalg.solve(M, total) / 2 - f @ np.linalg.solve(M, f) / 2

    implements = dual_qp


@section.holds("e1.88#b", "Contact and friction as a single quadratic program")
class e1_88_b:
    formula = r"\text{minimize}\quad \frac12\lambda^T C M^{-1} C^T\lambda + \lambda^T C M^{-1}\tilde f \quad \text{subject to}\quad \lambda \ge 0,\ E\lambda \ge 0"
    inputs = FRICTION_INPUTS
    result = Result(VELOCITY, SYSTEM_COORDINATES)

    printed = velocity_by_lcp

    def library(M, N, f, T, mu):
        return single_qp(StepProblem(M, f, contacts=Contacts.from_directions(N, T, mu))).velocity

    def reference(M, N, f, T, mu):
        """Minimize the kinetic energy over impulses along the edges of the pyramids, by nonnegative least squares."""
        edges = [
            N[contact] + mu * sign * T[contact, axis]
            for contact in range(CONTACTS)
            for axis in (0, 1)
            for sign in (1, -1)
        ]
        return least_energy(M, f, np.array(edges))

    tolerance = 1e-08
    remark = (
        "The program is convex, but it does not give Coulomb's law: a sliding contact separates with "
        r"$N\Phi = \mu\max_k\lvert T_k\Phi\rvert$, where the maximum is the larger of its two "
        "tangential speeds. These velocities are on the dual cone of the four-sided pyramid."
    )
    implements = single_qp
