"""Sueda 2.11: staggered projections. Oracles go through the cases of contact and friction one by one."""

from __future__ import annotations

import numpy as np

from rbnotes.complementarity import LCP, BoxLCP, lemke, solve
from rbnotes.contact import Contacts
from rbnotes.dynamics import StepProblem
from rbnotes.friction import friction_contact_problem, staggered_projections
from rbnotes.friction.bounded_friction import bounded_friction
from rbnotes.friction.staggered_projections import normal_impulses
from rbnotes.ledger.claims.sueda.section_1_13_programs import least_energy
from rbnotes.ledger.oracles import single_contact
from rbnotes.ledger.quantities import ENERGY, FORCE, MOMENTUM, NUMBER, VELOCITY
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing.strategies import arrays, positive_numbers, spd_matrices, vectors

CHAPTER = "friction-in-joints"
STAGGERED = ("rbnotes.friction.staggered_projections",)
CORNERS = np.eye(4)
MOVING = {
    "M": spd_matrices(4),
    "N": arrays(2, 4).map(lambda rows: CORNERS[:2] + rows / 8),
    "v": arrays(4),
    "f": arrays(4),
    "rub": arrays(4),
    "h": positive_numbers(0.125, 1),
}
TANGENTS = np.zeros((2, 2, 4))


QUANTITIES = {"T": NUMBER, "alpha": MOMENTUM, "cached": MOMENTUM, "d": VELOCITY, "limit": MOMENTUM}


@claim("sueda/s2.11/t1391", "The unconstrained velocity")
class t1391:
    formula = r"\dot q^{\text{unc}} = \dot q^{\text{prev}} + hM^{-1}f"
    defines = (r"\dot q^{\text{unc}}",)
    verdict = Verdict.DEFINITION
    implemented_by = ("rbnotes.friction.FrictionContactProblem",)
    chapter = CHAPTER


@claim("sueda/s2.11/e2.113", "The contact program under friction")
class e2_113:
    formula = (
        r"\text{minimize}\quad \tfrac12\alpha^T N M^{-1} N^T\alpha - \alpha^T N(\dot q^{\text{unc}} + "
        r"hM^{-1}f_\beta) \quad\text{subject to}\quad \alpha \ge 0"
    )
    inputs = MOVING
    quantities = {"v": VELOCITY, "rub": FORCE}
    result = VELOCITY

    def printed(M, N, v, f, rub, h):
        """The program solved by its optimality conditions, and f_alpha = -N^T alpha / h with it."""
        Mi = np.linalg.inv(M)
        unc = v + h * Mi @ f
        alpha = lemke(LCP(N @ Mi @ N.T, -N @ (unc + h * Mi @ rub))).z
        f_alpha = -N.T @ alpha / h
        return unc + h * Mi @ (f_alpha + rub)

    def library(M, N, v, f, rub, h):
        smooth = Contacts.from_directions(N, TANGENTS, 0.0)
        space = friction_contact_problem(StepProblem(M, M @ v + h * f + h * rub, contacts=smooth))
        normal = normal_impulses(space, np.zeros((2, 2)))
        return space.apply_impulses(np.column_stack([normal, np.zeros((2, 2))]))[0]

    oracle = "the velocities nearest to those without contact, measured by the masses, with N v >= 0"

    def reference(M, N, v, f, rub, h):
        return least_energy(M, M @ v + h * f + h * rub, N)

    combined_with = ("sueda/s1.13/e1.83",)
    equivalent_mutants = {
        "filled np.zeros((2, 2)) at 1 in `[normal, np.zeros((2, 2))]`": "the tangents here are zero",
    }
    tolerance = 1e-8
    verdict = Verdict.ERRATUM
    correction = (
        r"minimise $\tfrac12\alpha^T N M^{-1} N^T\alpha + \alpha^T N(\dot q^{\text{unc}} + hM^{-1}f_\beta)$, and "
        r"$f_\alpha = N^T\alpha/h$"
    )
    remark = (
        r"$N$ is the normal matrix of 1.11 and 1.13, with $N\dot q \ge 0$ where bodies separate and the dual "
        r"(1.83). With both minus signs of 2.11, bodies that separate are pulled together, and bodies that "
        r"approach are let through. The two signs agree with each other: if the rows of $N$ were the velocities "
        r"of approach, both would be right."
    )
    implemented_by = STAGGERED
    chapter = CHAPTER


@claim("sueda/s2.11/t1395", "The contact force")
class t1395:
    formula = r"f_\alpha = -N^T\alpha/h"
    inputs = {"N": arrays(2, 4), "alpha": arrays(2).map(np.abs), "h": positive_numbers(0.125, 1)}
    result = FORCE

    def printed(N, alpha, h):
        return -N.T @ alpha / h

    def library(N, alpha, h):
        contacts = Contacts.from_directions(N, TANGENTS, 0.0)
        return contacts.rows.T @ np.column_stack([alpha, np.zeros((2, 2))]).ravel() / h

    oracle = "pushes that add up, each along the direction in which its contact opens"

    def reference(N, alpha, h):
        total = np.zeros(4)
        for size, row in zip(alpha, N, strict=True):
            total += (size / h) * row
        return total

    combined_with = ("sueda/s1.13/e1.83",)
    verdict = Verdict.ERRATUM
    correction = r"$f_\alpha = N^T\alpha/h$"
    remark = "The sign of (1.84) again: the contact pulls."
    equivalent_mutants = {
        "filled np.zeros((2, 2)) at 1 in `[alpha, np.zeros((2, 2))]`": "the tangents here are zero",
    }
    implemented_by = ("rbnotes.contact.Contacts",)
    chapter = CHAPTER


RUBBING = {
    "M": spd_matrices(3),
    "T": arrays(2, 3).map(lambda rows: np.eye(3)[:2] + rows / 8),
    "v": arrays(3),
    "f": arrays(3),
    "push": arrays(3),
    "alpha": positive_numbers(),
    "mu": positive_numbers(0.125, 1),
    "h": positive_numbers(0.125, 1),
}


@claim("sueda/s2.11/e2.114", "The friction program under contact")
class e2_114:
    formula = (
        r"\text{minimize}\quad \tfrac12\beta^T T M^{-1} T^T\beta - \beta^T T(\dot q^{\text{unc}} + "
        r"hM^{-1}f_\alpha) \quad\text{subject to}\quad -\mu\alpha \le \beta \le \mu\alpha, \qquad "
        r"f_\beta = -T^T\beta/h"
    )
    inputs = RUBBING
    quantities = {"v": VELOCITY, "push": FORCE}
    result = VELOCITY

    def printed(M, T, v, f, push, alpha, mu, h):
        """The program solved by its optimality conditions, and the velocities that f_beta makes."""
        Mi = np.linalg.inv(M)
        before = v + h * Mi @ f + h * Mi @ push
        wide = np.full(2, mu * alpha)
        beta = solve(BoxLCP(T @ Mi @ T.T, -T @ before, -wide, wide), "principal_pivoting").z
        f_beta = -T.T @ beta / h
        return before + h * Mi @ f_beta

    def library(M, T, v, f, push, alpha, mu, h):
        Mi = np.linalg.inv(M)
        before = v + h * Mi @ (f + push)
        sliding = (T @ before)[None]
        limits = np.array([mu * alpha])
        found = bounded_friction(T @ Mi @ T.T, sliding, limits, "box", 4, np.zeros((1, 2)))
        return before + Mi @ T.T @ found.ravel()

    oracle = "all cases of rows that stick or slide this way or that: the one that agrees with itself"

    def reference(M, T, v, f, push, alpha, mu, h):
        before = v + h * np.linalg.solve(M, f + push)
        return single_contact.box_friction_velocities(M, T, before, mu * np.array([alpha, alpha]))

    tolerance = 1e-8
    verdict = Verdict.HOLDS
    remark = (
        r"Here both minus signs may stand, for $-\beta$ is allowed whenever $\beta$ is. The normal impulses must "
        r"not be negative: see the joints below."
    )
    implemented_by = ("rbnotes.friction.bounded_friction.bounded_friction",)
    chapter = CHAPTER


@claim("sueda/s2.11/t1399", "The friction cone that box constraints make")
class t1399:
    formula = r"\text{`The box constraints can only accommodate a four-sided friction cone'}"
    inputs = {"d": vectors(2), "limit": positive_numbers()}
    result = ENERGY

    def printed(d, limit):
        """The farthest of the four corners along a direction."""
        corners = limit * np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
        return np.max(corners @ d)

    def library(d, limit):
        """How much of a sliding velocity the friction of a light contact can take at most."""
        found = bounded_friction(1e-9 * np.eye(2), -d[None], np.array([limit]), "box", 4, np.zeros((1, 2)))
        return found[0] @ d

    oracle = "the largest value on the square, component by component"

    def reference(d, limit):
        return limit * (np.abs(d[0]) + np.abs(d[1]))

    verdict = Verdict.HOLDS
    remark = (
        r"Along a diagonal, that is $\sqrt 2$ times Coulomb's friction. (The library has the disc, and polygons "
        r"within it, too.)"
    )
    implemented_by = ("rbnotes.friction.bounded_friction.bounded_friction",)
    chapter = CHAPTER


ONE = {
    "M": spd_matrices(3).map(lambda M: np.eye(3) + M / np.trace(M)),
    "v": arrays(3),
    "cached": arrays(3).map(lambda f: f + np.sign(f) / 4),
    "mu": positive_numbers(0.125, 0.5),
    "h": positive_numbers(0.125, 1),
}


def algorithm_7(M, v, cached, mu, h):
    """One step from line 4, without forces, under f_beta as the step before left it; contact along the first axis."""
    # The rows of N are velocities of approach, so that the signs of (2.113) are right.
    N, T = -np.eye(3)[:1], np.eye(3)[1:]
    Mi = np.linalg.inv(M)
    f_beta = np.array([0.0, cached[1], cached[2]])
    f_alpha_0 = np.zeros(3)
    unc = v
    for _ in range(200):
        alpha = lemke(LCP(N @ Mi @ N.T, -N @ (unc + h * Mi @ f_beta))).z
        f_alpha = -N.T @ alpha / h
        change = f_alpha - f_alpha_0
        if np.sqrt(change @ Mi @ change) <= 1e-11:
            break
        f_alpha_0 = f_alpha
        wide = np.full(2, mu * alpha[0])
        beta = solve(BoxLCP(T @ Mi @ T.T, -T @ (unc + h * Mi @ f_alpha), -wide, wide), "principal_pivoting").z
        f_beta = -T.T @ beta / h
    return v + h * Mi @ (f_alpha + f_beta)


@claim("sueda/s2.11/alg7", "Staggered projections")
class alg7:
    formula = (
        r"\text{until } \|f_\alpha - f_\alpha^0\|_{M^{-1}} \le \epsilon: \text{ (2.113), check, (2.114)}; \quad "
        r"\dot q = \dot q^{\text{prev}} + hM^{-1}(f + f_\alpha + f_\beta)"
    )
    inputs = ONE
    quantities = {"cached": FORCE}
    result = VELOCITY
    printed = algorithm_7

    def library(M, v, cached, mu, h):
        contacts = Contacts(np.eye(3)[None], mu)
        before = h * cached[None]
        return staggered_projections(
            StepProblem(M, M @ v, contacts=contacts), initial_guess=before, tolerance=1e-12
        ).velocity

    oracle = "the cases of one contact (open, stuck, sliding), of which one agrees with itself"

    def reference(M, v, cached, mu, h):
        return single_contact.coulomb_box(M, np.eye(3)[0], np.eye(3)[1:], v, mu)

    tolerance = 1e-7
    tolerance_reason = (
        "both iterations stop when they change no more; the error left is some times the change"
    )
    verdict = Verdict.ERRATUM
    correction = (
        "check for convergence only after a friction problem, so that line 22 never applies the friction of an "
        "earlier step"
    )
    remark = (
        r"A body that leaves the ground has $f_\alpha = f_\alpha^0 = 0$ at the first check. The loop ends there, "
        r"and line 22 applies $f_\beta$ of the step before, in this step and in all that follow: friction in "
        r"mid-air, which adds energy. For the rest the algorithm is right (here with rows of $N$ that are "
        r"velocities of approach, for which its signs are)."
    )
    equivalent_mutants = {
        "dropped factor `h` in `h * cached[None]`": "the start of the iteration, which does not change its end"
    }
    implemented_by = STAGGERED
    chapter = CHAPTER
