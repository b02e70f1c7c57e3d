"""Sueda 1.13: contact and friction as a single quadratic program."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rbnotes.complementarity import LCP, lemke
from rbnotes.contact import Contacts
from rbnotes.dynamics import StepProblem, UnilateralRows, solve_step
from rbnotes.friction import dual_qp, friction_contact_problem
from rbnotes.friction.bounded_friction import support_function
from rbnotes.friction.facets import facet_directions
from rbnotes.ledger.oracles.quadratic_programs import contact_velocities
from rbnotes.ledger.quantities import FORCE, MOMENTUM, NUMBER, VELOCITY
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing.strategies import arrays, matrices, numbers, positive_numbers, vectors

CHAPTER = "friction"
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


QUANTITIES = {"T": NUMBER, "alpha": MOMENTUM, "beta": MOMENTUM, "f": MOMENTUM, "lam": MOMENTUM}


def one_printed(mu, alpha, beta):
    b1, b2, b3, b4 = beta
    return np.array([mu, -1.0, -1.0, -1.0, -1.0]) @ np.array([alpha, b1, b2, b3, b4])


def unused_normal(mu, alpha, beta):
    """mu times the normal impulse that is left when (alpha, beta) is made up of edges of the pyramid."""
    edges = np.zeros((1 + FACETS, 1 + FACETS))
    edges[0], edges[1:, 1:] = 1, mu * np.eye(FACETS)
    return mu * np.linalg.solve(edges, np.append(alpha, beta))[0]


SINGLE = ("rbnotes.friction.single_qp", "rbnotes.friction.dual_qp")


@claim("sueda/s1.13/e1.84", "Velocities from the contact impulses")
class e1_84:
    formula = r"M\Phi + N^T\alpha = \tilde f"
    inputs = {name: PUSHED[name] for name in ("M", "N", "f", "alpha")}
    result = VELOCITY

    def printed(M, N, f, alpha):
        return np.linalg.solve(M, f - N.T @ alpha)

    def library(M, N, f, alpha):
        zero = np.zeros((CONTACTS, 2))
        smooth = Contacts.from_directions(N, TANGENTS, 0.0)
        space = friction_contact_problem(StepProblem(M, f, contacts=smooth))
        return space.apply_impulses(np.column_stack([alpha, zero]))[0]

    oracle = "momenta added up, contact by contact"

    def reference(M, N, f, alpha):
        """Momenta add up: f~, and each impulse along its row."""
        total = np.array(f, dtype=float)
        for size, row in zip(alpha, N, strict=True):
            total += size * row
        return np.linalg.solve(M, total)

    combined_with = ("sueda/s1.13/e1.83",)
    verdict = Verdict.ERRATUM
    correction = r"$M\Phi - N^T\alpha = \tilde f$"
    remark = (
        "As printed, the impulses that (1.83) finds pull the bodies together: the approach velocity is "
        "not taken away but doubled. (The same sign in (1.73) does no harm, since a joint's multiplier "
        "may have any sign.)"
    )
    implemented_by = ("rbnotes.friction.contact_problem",)
    chapter = CHAPTER


@claim("sueda/s1.13/t668#a", "The dual variables are the impulses of the contacts")
class t668_a:
    formula = r"\text{`The dual variables, } \alpha\text{, are the contact impulse magnitudes'}"
    inputs = MOVING
    result = MOMENTUM

    def printed(M, N, f):
        """The dual program (1.83), by its optimality conditions."""
        return lemke(LCP(N @ np.linalg.solve(M, N.T), N @ np.linalg.solve(M, f))).z

    def library(M, N, f):
        return solve_step(StepProblem(M, f, unilateral=UnilateralRows(N))).unilateral

    oracle = "what is missing in the momentum, made up of pushes along the rows"

    def reference(M, N, f):
        """Momentum after the step less that before it, as a combination of the contacts' directions."""
        gained = M @ contact_velocities(M, f, N, np.zeros((0, SIZE))) - f
        return np.linalg.lstsq(N.T, gained, rcond=None)[0]

    tolerance = 1e-08
    verdict = Verdict.HOLDS
    remark = r"Of the step with velocities: $M\Phi$ and $\tilde f$ are momenta. In N s, never in N."
    implemented_by = ("rbnotes.dynamics.solve_step",)
    chapter = CHAPTER


@claim("sueda/s1.13/t668#b", "What contacts apply to the bodies")
class t668_b:
    formula = (
        r"\text{The product}\ N^T\alpha\ \text{represents the generalized force (wrench) that the contact "
        r"constraints apply}"
    )
    inputs = {**PUSHED, "h": positive_numbers(0.125, 0.5)}
    result = FORCE

    def printed(M, N, f, alpha, T, h):
        return N.T @ alpha

    def library(M, N, f, alpha, T, h):
        zero = np.zeros((CONTACTS, 2))
        space = friction_contact_problem(StepProblem(M, f, contacts=Contacts.from_directions(N, T, 0.0)))
        return (M @ space.apply_impulses(np.column_stack([alpha, zero]))[0] - f) / h

    oracle = "power at unit velocities of forces that make these impulses in one step"

    def reference(M, N, f, alpha, T, h):
        """Each force times the separation velocity that a unit velocity makes."""
        forces = alpha / h
        return np.array([sum(forces * [row @ unit for row in N]) for unit in np.eye(SIZE)])

    tolerance = 1e-08
    verdict = Verdict.MISPRINT
    correction = r"$N^T\alpha$ is the generalized impulse; the force is $N^T\alpha/h$"
    units_mismatch = r"a factor $1/h$ is missing: an impulse is called a force"
    remark = (
        r"The sentence before calls $\alpha$ impulses, and 1.10 divides by $h$ where it computes the reactions "
        r"of joints. As a force it is wrong by the factor $h$."
    )
    implemented_by = ("rbnotes.friction.contact_problem",)
    chapter = CHAPTER


@claim("sueda/s1.13/e1.85", "The bound on the tangential impulses of one contact")
class e1_85:
    formula = (
        r"\begin{pmatrix} \mu & -1 & -1 & -1 & -1 \end{pmatrix} \begin{pmatrix} \alpha \\ \beta_1 \\"
        r" \beta_2 \\ \beta_3 \\ \beta_4 \end{pmatrix} \ge 0"
    )
    inputs = PYRAMID
    result = MOMENTUM
    printed = one_printed

    def library(mu, alpha, beta):
        contact = Contacts(np.zeros((1, 3, 3)), mu)
        return (dual_qp(StepProblem(np.eye(3), np.zeros(3), contacts=contact)).A @ np.append(alpha, beta))[-1]

    oracle = "what is left of the normal impulse when the impulses are made up of edges of the pyramid"

    def reference(mu, alpha, beta):
        return unused_normal(mu, alpha, beta)

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.friction.dual_qp",)
    chapter = CHAPTER


@claim("sueda/s1.13/t670", "Four tangential constraints for each contact")
class t670:
    formula = r"T\ \text{`is going to have four times as many rows as the normal matrix,}\ N\text{'}"
    inputs = {"N": st.integers(1, 4).flatmap(lambda contacts: matrices(contacts, SIZE))}
    result = NUMBER

    def printed(N):
        return 4 * len(N)

    def library(N):
        """Impulses that the bounds of the program take from what the normal impulses allow."""
        rows = np.stack([N, N + 1, N - 1], axis=1)
        problem = StepProblem(np.eye(SIZE), np.zeros(SIZE), contacts=Contacts(rows, 0.5))
        return np.sum(dual_qp(problem).A == -1)

    oracle = "each contact, each of the two axes of its plane, each of their two senses: counted out"

    def reference(N):
        pushes = [(row, axis, sense) for row in range(N.shape[0]) for axis in "uv" for sense in (1, -1)]
        return len(pushes)

    exact = "counts of rows"
    verdict = Verdict.HOLDS
    remark = "Both senses of two tangents, since the impulses are not to be negative."
    implemented_by = ("rbnotes.friction.dual_qp",)
    chapter = CHAPTER


@claim("sueda/s1.13/t674", "The bound on the tangential impulses bounds the size of the friction impulse")
class t674:
    formula = (
        r"f_\parallel \le \mu f_\perp:\ \text{with the four"
        r"-sided pyramid, this can be expressed as}\ (1.85)"
    )
    inputs = PYRAMID
    result = MOMENTUM

    printed = one_printed

    def library(mu, alpha, beta):
        return mu * alpha - support_function(beta @ facet_directions(FACETS), "disc")

    oracle = "the friction impulse added up as a vector, and its length"

    def reference(mu, alpha, beta):
        """What the size of the friction impulse leaves: the impulse summed up as a vector of the tangent plane."""
        first, second = beta[0] - beta[2], beta[1] - beta[3]
        return alpha * mu - np.hypot(first, second)

    verdict = Verdict.CONDITIONAL
    given = ONE_FACET

    def holds_when(mu, alpha, beta):
        """At most one of the tangents is used."""
        return np.sum(beta != 0) <= 1

    condition = "friction acts along one of the four tangents"
    remark = (
        r"Elsewhere the pyramid allows less than Coulomb's cone, down to $1/\sqrt2$ of it midway between "
        r"two tangents."
    )
    implemented_by = (
        "rbnotes.friction.bounded_friction.support_function",
        "rbnotes.friction.facets.facet_directions",
    )
    chapter = CHAPTER


@claim("sueda/s1.13/e1.86", "The bounds of two contacts")
class e1_86:
    formula = (
        r"\begin{pmatrix} \mu & 0 & -1 & -1 & -1 & -1 & 0 & 0 & 0 & 0 \\"
        r" 0 & \mu & 0 & 0 & 0 & 0 & -1 & -1 & -1 & -1 \end{pmatrix} \begin{pmatrix} \alpha_1 & \alpha_2 "
        r"& \beta_{11} & \cdots & \beta_{14} & \beta_{21} & \cdots & \beta_{24} \end{pmatrix}^T \ge 0"
    )
    inputs = TWO
    result = MOMENTUM

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

    oracle = "each contact by itself: what its pushes along edges of the pyramid leave of the normal impulse"

    def reference(mu, lam):
        """Contact by contact."""
        alpha, beta = lam[:CONTACTS], lam[CONTACTS:].reshape(CONTACTS, FACETS)
        return np.array([unused_normal(mu, push, rubs) for push, rubs in zip(alpha, beta, strict=True)])

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.friction.dual_qp",)
    chapter = CHAPTER


@claim("sueda/s1.13/e1.87", "Normal and tangential impulses, and their rows, as one")
class e1_87:
    formula = (
        r"\lambda = \begin{pmatrix} \alpha \\ \beta \end{pmatrix},\quad C = \begin{pmatrix} N \\"
        r" T \end{pmatrix}"
    )
    defines = (r"\lambda", "C")
    verdict = Verdict.DEFINITION
    implemented_by = SINGLE
    chapter = CHAPTER
