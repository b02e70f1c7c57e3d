"""Sueda 1.13: contact and friction as quadratic programs."""

from __future__ import annotations

import numpy as np
from scipy.optimize import nnls

from rbnotes.complementarity import LCP, QP, lcp_from_qp, lemke, qp_from_lcp, solve
from rbnotes.contact import Contacts
from rbnotes.dynamics import StepProblem
from rbnotes.friction import dual_qp, single_qp
from rbnotes.ledger.claims.sueda.section_1_13 import CHAPTER, CONTACTS, FACETS, MOVING, SIZE
from rbnotes.ledger.oracles.quadratic_programs import contact_velocities
from rbnotes.ledger.quantities import ENERGY, MOMENTUM, NUMBER, VELOCITY
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing.strategies import arrays, numbers, vectors

RUBBED = {
    **MOVING,
    "T": arrays(CONTACTS, 2, SIZE),
    "mu": numbers(0.0, 1.0),
}
IMPULSES = {**RUBBED, "lam": vectors((1 + FACETS) * CONTACTS, 0.0, 2.0)}


QUANTITIES = {"T": NUMBER, "f": MOMENTUM, "lam": MOMENTUM}


def least_energy(M, f, pushes):
    """Velocities after those pushes along the rows that leave the least kinetic energy."""
    L = np.linalg.cholesky(M)
    sizes, _ = nnls(np.linalg.solve(L, pushes.T), -np.linalg.solve(L, f))
    return np.linalg.solve(M, f + pushes.T @ sizes)


def facet_rows(T):
    """For each contact both tangents, and both turned round."""
    return np.concatenate([T, -T], axis=1).reshape(-1, SIZE)


def velocity_by_lcp(M, N, f, T, mu):
    """The program (1.88) solved through its optimality conditions, by Lemke's method."""
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


PAIRS = "the facets of a pyramid come in opposite pairs"
LEAST = "of all pushes those that leave the least kinetic energy, by nonnegative least squares"
PRIMAL = ("rbnotes.complementarity.lcp_from_qp", "rbnotes.complementarity.qp_from_lcp")


@claim("sueda/s1.13/t658", "The friction program has an equivalent linear complementarity problem")
class t658:
    formula = (
        r"0 \le \lambda \perp CM^{-1}C^T\lambda + CM^{-1}\tilde f - E^T\gamma \ge 0,\quad "
        r"0 \le \gamma \perp E\lambda \ge 0"
    )
    inputs = RUBBED
    result = VELOCITY
    printed = velocity_by_lcp

    def library(M, N, f, T, mu):
        return single_qp(StepProblem(M, f, contacts=Contacts.from_directions(N, T, mu))).velocity

    oracle = "the primal program: least change of momentum with N Phi >= mu |T_k Phi|, all active sets tried"

    def reference(M, N, f, T, mu):
        rows = [N[c] + mu * way * T[c, k] for c in range(CONTACTS) for k in (0, 1) for way in (1, -1)]
        return contact_velocities(M, f, np.array(rows), np.zeros((0, SIZE)))

    tolerance = 1e-08
    verdict = Verdict.HOLDS
    remark = "The notes do not print it; these are the optimality conditions of (1.88)."
    equivalent_mutants = {"negated facet_rows(T) in `np.vstack((N, facet_rows(T)))`": PAIRS}
    implemented_by = ("rbnotes.friction.single_qp",)
    chapter = CHAPTER


@claim("sueda/s1.13/e1.83", "The dual of the contact program")
class e1_83:
    formula = (
        r"\text{minimize}\quad \frac12\alpha^T N M^{-1} N^T\alpha + \alpha^T N M^{-1}\tilde f \quad"
        r" \text{subject to}\quad \alpha \ge 0"
    )
    inputs = MOVING
    result = VELOCITY

    def printed(M, N, f):
        """The program solved, and M Phi = f~ + N^T alpha: impulses that push."""
        Mi = np.linalg.inv(M)
        Q, c = N @ Mi @ N.T, N @ Mi @ f
        alpha = lemke(LCP(Q, c)).z
        return Mi @ (f + N.T @ alpha)

    def library(M, N, f):
        lcp = lcp_from_qp(QP(M, -f, N, np.zeros(CONTACTS)))
        alpha = solve(qp_from_lcp(lcp), "block_principal_pivoting").x
        return np.linalg.solve(M, f + N.T @ alpha)

    oracle = LEAST

    def reference(M, N, f):
        return least_energy(M, f, N)

    tolerance = 1e-08
    verdict = Verdict.HOLDS
    remark = (
        r"With $M\Phi = \tilde f + N^T\alpha$: the sign of the linear term belongs to impulses that push."
    )
    implemented_by = PRIMAL
    chapter = CHAPTER


@claim("sueda/s1.13/e1.88#a", "What the single program minimises")
class e1_88_a:
    formula = r"\frac12\lambda^T C M^{-1} C^T\lambda + \lambda^T C M^{-1}\tilde f"
    inputs = IMPULSES
    result = ENERGY

    def printed(M, N, f, T, mu, lam):
        C, Mi = np.vstack((N, facet_rows(T))), np.linalg.inv(M)
        return 1 / 2 * lam @ C @ Mi @ C.T @ lam + lam @ C @ Mi @ f

    def library(M, N, f, T, mu, lam):
        return dual_qp(StepProblem(M, f, contacts=Contacts.from_directions(N, T, mu))).objective(lam)

    oracle = "the kinetic energy that the impulses add, from the momenta"

    def reference(M, N, f, T, mu, lam):
        """Kinetic energy that the impulses add."""
        total = np.array(f, dtype=float)
        for contact in range(CONTACTS):
            total += lam[contact] * N[contact]
            rubs = lam[CONTACTS + FACETS * contact :][:FACETS]
            total += (rubs[0] - rubs[2]) * T[contact, 0] + (rubs[1] - rubs[3]) * T[contact, 1]
        return total @ np.linalg.solve(M, total) / 2 - f @ np.linalg.solve(M, f) / 2

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.friction.dual_qp",)
    chapter = CHAPTER


@claim("sueda/s1.13/e1.88#b", "Contact and friction as a single quadratic program")
class e1_88_b:
    formula = (
        r"\text{minimize}\quad \frac12\lambda^T C M^{-1} C^T\lambda + \lambda^T C M^{-1}\tilde f \quad"
        r" \text{subject to}\quad \lambda \ge 0,\ E\lambda \ge 0"
    )
    inputs = RUBBED
    result = VELOCITY

    printed = velocity_by_lcp

    def library(M, N, f, T, mu):
        return single_qp(StepProblem(M, f, contacts=Contacts.from_directions(N, T, mu))).velocity

    oracle = "least kinetic energy over pushes along the edges of the pyramids, by nonnegative least squares"

    def reference(M, N, f, T, mu):
        """Least kinetic energy over the pushes along the four edges of each pyramid, a normal and mu times a facet."""
        edges = [
            N[contact] + mu * way * T[contact, axis]
            for contact in range(CONTACTS)
            for axis in (0, 1)
            for way in (1, -1)
        ]
        return least_energy(M, f, np.array(edges))

    tolerance = 1e-08
    equivalent_mutants = {"negated facet_rows(T) in `np.vstack((N, facet_rows(T)))`": PAIRS}
    verdict = Verdict.HOLDS
    remark = (
        r"Convex, but not Coulomb's law: a contact that slides is held off, with $N\Phi = "
        r"\mu\max_k\lvert T_k\Phi\rvert$, the larger of its two tangential speeds: the dual of the "
        r"four-sided pyramid."
    )
    implemented_by = ("rbnotes.friction.single_qp",)
    chapter = CHAPTER
