"""Sueda 1.13: contact and friction as a single quadratic program."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy.optimize import nnls

from rbnotes.checking.strategies import arrays, numbers, positive_numbers, vectors
from rbnotes.complementarity import LCP, QP, lcp_from_qp, lemke, qp_from_lcp, solve_lcp
from rbnotes.friction import ContactProblem, Contacts, dual_qp, single_qp
from rbnotes.ledger.record import Record, Verdict

CHAPTER = "friction"
COMMON = {"chapter": CHAPTER, "verdict": Verdict.HOLDS}
SIZE, CONTACTS, FACETS = 5, 2, 4
MOVING = {
    "M": arrays(SIZE, SIZE).map(lambda A: A @ A.T / SIZE + 0.5 * np.eye(SIZE)),
    "N": arrays(CONTACTS, SIZE).filter(lambda N: bool(np.linalg.svd(N)[1][-1] > 0.2)),
    "f": vectors(SIZE),
}
PUSHED = {**MOVING, "alpha": vectors(CONTACTS, 0.0, 2.0)}
RUBBED = {
    **MOVING,
    "T": arrays(CONTACTS, 2, SIZE),
    "mu": numbers(0.0, 1.0),
}
IMPULSES = {**RUBBED, "lam": vectors((1 + FACETS) * CONTACTS, 0.0, 2.0)}
# One contact: its normal impulse, its four tangential ones.
PYRAMID = {"mu": numbers(0.0, 1.0), "alpha": positive_numbers(), "beta": vectors(FACETS, 0.0, 1.0)}
ONE_FACET = {
    **PYRAMID,
    "beta": st.builds(
        lambda size, k: size * np.eye(FACETS)[k], numbers(0.0, 1.0), st.integers(0, FACETS - 1)
    ),
}
TWO = {"mu": numbers(0.0, 1.0), "lam": vectors((1 + FACETS) * CONTACTS, 0.0, 2.0)}


# --- contact only ---------------------------------------------------------------------------------------


def contact_printed(M, N, f):
    """The program solved, and M Phi = f~ + N^T alpha: impulses that push."""
    Mi = np.linalg.inv(M)
    Q, c = N @ Mi @ N.T, N @ Mi @ f
    alpha = lemke(LCP(Q, c)).z
    return Mi @ (f + N.T @ alpha)


def contact_library(M, N, f):
    lcp = lcp_from_qp(QP(M, -f, N, np.zeros(CONTACTS)))
    alpha = solve_lcp(qp_from_lcp(lcp), "active_set").x
    return np.linalg.solve(M, f + N.T @ alpha)


def contact_reference(M, N, f):
    return least_energy(M, f, N)


def least_energy(M, f, pushes):
    """Velocities after those pushes along the rows that leave the least kinetic energy."""
    L = np.linalg.cholesky(M)
    sizes, _ = nnls(np.linalg.solve(L, pushes.T), -np.linalg.solve(L, f))
    return np.linalg.solve(M, f + pushes.T @ sizes)


def velocity_printed(M, N, f, alpha):
    return np.linalg.solve(M, f - N.T @ alpha)


def velocity_library(M, N, f, alpha):
    problem = ContactProblem(M, f, Contacts(N, np.zeros((CONTACTS, 2, SIZE)), 0.0))
    zero = np.zeros((CONTACTS, 2))
    return problem.moved_by(np.column_stack([alpha, zero]))[0]


def velocity_reference(M, N, f, alpha):
    """Momenta add up: f~, and each impulse along its row."""
    total = np.array(f, dtype=float)
    for size, row in zip(alpha, N, strict=True):
        total += size * row
    return np.linalg.solve(M, total)


def wrench_printed(M, N, f, alpha):
    return N.T @ alpha


def wrench_reference(M, N, f, alpha):
    """Power of the contacts at unit velocities: each impulse times the separation velocity."""
    return np.array(
        [sum(size * (row @ unit) for size, row in zip(alpha, N, strict=True)) for unit in np.eye(SIZE)]
    )


# --- the pyramid ----------------------------------------------------------------------------------------


def one_printed(mu, alpha, beta):
    b1, b2, b3, b4 = beta
    return np.array([mu, -1.0, -1.0, -1.0, -1.0]) @ np.array([alpha, b1, b2, b3, b4])


def one_library(mu, alpha, beta):
    contact = Contacts(np.zeros((1, 3)), np.zeros((1, 2, 3)), mu)
    return (dual_qp(ContactProblem(np.eye(3), np.zeros(3), contact)).A @ np.append(alpha, beta))[-1]


def one_reference(mu, alpha, beta):
    """What the sum of the tangential impulses leaves of mu times the normal one."""
    return alpha * mu - np.linalg.norm(beta, 1)


def size_reference(mu, alpha, beta):
    """What the size of the friction impulse leaves: the impulse summed up as a vector of the tangent plane."""
    first, second = beta[0] - beta[2], beta[1] - beta[3]
    return alpha * mu - np.hypot(first, second)


def two_printed(mu, lam):
    E = np.array(
        [
            [mu, 0, -1, -1, -1, -1, 0, 0, 0, 0],
            [0, mu, 0, 0, 0, 0, -1, -1, -1, -1],
        ]
    )
    return E @ lam


def two_library(mu, lam):
    contacts = Contacts(np.zeros((CONTACTS, 3)), np.zeros((CONTACTS, 2, 3)), mu)
    return (dual_qp(ContactProblem(np.eye(3), np.zeros(3), contacts)).A @ lam)[-CONTACTS:]


def two_reference(mu, lam):
    """Contact by contact."""
    alpha, beta = lam[:CONTACTS], lam[CONTACTS:].reshape(CONTACTS, FACETS)
    return np.array([mu * push - sum(rubs) for push, rubs in zip(alpha, beta, strict=True)])


# --- the single program ---------------------------------------------------------------------------------


def facet_rows(T):
    """For each contact both tangents, and both turned round."""
    return np.concatenate([T, -T], axis=1).reshape(-1, SIZE)


def objective_printed(M, N, f, T, mu, lam):
    C, Mi = np.vstack((N, facet_rows(T))), np.linalg.inv(M)
    return 1 / 2 * lam @ C @ Mi @ C.T @ lam + lam @ C @ Mi @ f


def objective_library(M, N, f, T, mu, lam):
    return dual_qp(ContactProblem(M, f, Contacts(N, T, mu))).objective(lam)


def objective_reference(M, N, f, T, mu, lam):
    """Kinetic energy that the impulses add."""
    total = np.array(f, dtype=float)
    for contact in range(CONTACTS):
        total += lam[contact] * N[contact]
        rubs = lam[CONTACTS + FACETS * contact :][:FACETS]
        total += (rubs[0] - rubs[2]) * T[contact, 0] + (rubs[1] - rubs[3]) * T[contact, 1]
    return total @ np.linalg.solve(M, total) / 2 - f @ np.linalg.solve(M, f) / 2


def single_printed(M, N, f, T, mu):
    """The program solved through its optimality conditions, by Lemke's method."""
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


def single_library(M, N, f, T, mu):
    return single_qp(ContactProblem(M, f, Contacts(N, T, mu))).velocity


def single_reference(M, N, f, T, mu):
    """Least kinetic energy over the pushes along the four edges of each pyramid, a normal and mu times a facet."""
    edges = [
        N[contact] + mu * way * T[contact, axis]
        for contact in range(CONTACTS)
        for axis in (0, 1)
        for way in (1, -1)
    ]
    return least_energy(M, f, np.array(edges))


LEAST = "of all pushes those that leave the least kinetic energy, by nonnegative least squares"
PRIMAL = ("rbnotes.complementarity.lcp_from_qp", "rbnotes.complementarity.qp_from_lcp")
SINGLE = ("rbnotes.friction.single_qp", "rbnotes.friction.dual_qp")

RECORDS = [
    Record(
        id="sueda/s1.13/e1.83",
        title="The dual of the contact program",
        formula=r"\text{minimize}\quad \frac12\alpha^T N M^{-1} N^T\alpha + \alpha^T N M^{-1}\tilde f \quad \text{subject to}\quad "
        r"\alpha \ge 0",
        remark=r"With $M\Phi = \tilde f + N^T\alpha$: the sign of the linear term belongs to impulses that push.",
        oracle=LEAST,
        implemented_by=PRIMAL,
        inputs=MOVING,
        printed=contact_printed,
        library=contact_library,
        reference=contact_reference,
        tolerance=1e-8,
        **COMMON,
    ),
    Record(
        id="sueda/s1.13/e1.84",
        title="Velocities from the contact impulses",
        formula=r"M\Phi + N^T\alpha = \tilde f",
        correction=r"$M\Phi - N^T\alpha = \tilde f$",
        remark=r"As printed, the impulses that (1.83) finds pull the bodies together: the approach velocity is not taken away but "
        r"doubled. (The same sign in (1.73) does no harm, since a joint's multiplier may have any sign.)",
        oracle="momenta added up, contact by contact",
        implemented_by=("rbnotes.friction.ContactProblem",),
        inputs=PUSHED,
        printed=velocity_printed,
        library=velocity_library,
        reference=velocity_reference,
        chapter=CHAPTER,
        verdict=Verdict.ERRATUM,
    ),
    Record(
        id="sueda/s1.13/t668",
        title="What contacts apply to the bodies",
        formula=r"\text{The product}\ N^T\alpha\ \text{represents the generalized force (wrench) that the contact constraints "
        r"apply}",
        remark=r"An impulse, N s, as $\alpha$ is: the force is $N^T\alpha/h$.",
        oracle="power: each impulse times the separation velocity that a unit velocity makes",
        implemented_by=("rbnotes.friction.ContactProblem",),
        inputs=PUSHED,
        printed=wrench_printed,
        reference=wrench_reference,
        **COMMON,
    ),
    Record(
        id="sueda/s1.13/e1.85",
        title="The bound on the tangential impulses of one contact",
        formula=r"\begin{pmatrix} \mu & -1 & -1 & -1 & -1 \end{pmatrix} \begin{pmatrix} \alpha \\ \beta_1 \\ \beta_2 \\ \beta_3 "
        r"\\ \beta_4 \end{pmatrix} \ge 0",
        oracle="what the sum of the tangential impulses leaves of mu times the normal one",
        implemented_by=SINGLE,
        inputs=PYRAMID,
        printed=one_printed,
        library=one_library,
        reference=one_reference,
        **COMMON,
    ),
    Record(
        id="sueda/s1.13/t674",
        title="The bound on the tangential impulses bounds the size of the friction impulse",
        formula=r"f_\parallel \le \mu f_\perp:\ \text{with the four-sided pyramid, this can be expressed as}\ (1.85)",
        condition="friction acts along one of the four tangents",
        remark=r"Elsewhere the pyramid allows less than Coulomb's cone, down to $1/\sqrt2$ of it midway between two tangents.",
        oracle="the friction impulse added up as a vector, and its length",
        implemented_by=SINGLE,
        inputs=PYRAMID,
        given=ONE_FACET,
        printed=one_printed,
        reference=size_reference,
        chapter=CHAPTER,
        verdict=Verdict.CONDITIONAL,
    ),
    Record(
        id="sueda/s1.13/e1.86",
        title="The bounds of two contacts",
        formula=r"\begin{pmatrix} \mu & 0 & -1 & -1 & -1 & -1 & 0 & 0 & 0 & 0 \\ 0 & \mu & 0 & 0 & 0 & 0 & -1 & -1 & -1 & -1 "
        r"\end{pmatrix} \begin{pmatrix} \alpha_1 & \alpha_2 & \beta_{11} & \cdots & \beta_{14} & \beta_{21} & \cdots & \beta_{24} "
        r"\end{pmatrix}^T \ge 0",
        oracle="the bound of each contact by itself",
        implemented_by=SINGLE,
        inputs=TWO,
        printed=two_printed,
        library=two_library,
        reference=two_reference,
        **COMMON,
    ),
    Record(
        id="sueda/s1.13/e1.87",
        title="Normal and tangential impulses, and their rows, as one",
        formula=r"\lambda = \begin{pmatrix} \alpha \\ \beta \end{pmatrix},\quad C = \begin{pmatrix} N \\ T \end{pmatrix}",
        implemented_by=SINGLE,
        chapter=CHAPTER,
        verdict=Verdict.DEFINITION,
    ),
    Record(
        id="sueda/s1.13/e1.88#a",
        title="What the single program minimises",
        formula=r"\frac12\lambda^T C M^{-1} C^T\lambda + \lambda^T C M^{-1}\tilde f",
        oracle="the kinetic energy that the impulses add, from the momenta",
        implemented_by=SINGLE,
        inputs=IMPULSES,
        printed=objective_printed,
        library=objective_library,
        reference=objective_reference,
        **COMMON,
    ),
    Record(
        id="sueda/s1.13/e1.88#b",
        title="Contact and friction as a single quadratic program",
        formula=r"\text{minimize}\quad \frac12\lambda^T C M^{-1} C^T\lambda + \lambda^T C M^{-1}\tilde f \quad \text{subject to}"
        r"\quad \lambda \ge 0,\ E\lambda \ge 0",
        remark=r"Convex, but not Coulomb's law: a contact that slides is held off, with $N\Phi = \mu\,\lvert T\Phi\rvert$.",
        oracle="least kinetic energy over pushes along the edges of the pyramids, by nonnegative least squares",
        implemented_by=SINGLE,
        inputs=RUBBED,
        printed=single_printed,
        library=single_library,
        reference=single_reference,
        tolerance=1e-8,
        **COMMON,
    ),
]
