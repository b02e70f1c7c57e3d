"""Sueda 1.12: stabilization, Baumgarte's targets and their rates."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy.linalg import expm

from rbnotes.checking import complex_step, derivative
from rbnotes.checking.strategies import arrays, nonzero_vectors, positive_numbers, spd_matrices, vectors
from rbnotes.constraints.stabilization import (
    acceleration_growth,
    acceleration_target,
    spectral_radius,
    velocity_target,
)
from rbnotes.dynamics import BilateralRows, StepProblem, UnilateralRows, solve_step
from rbnotes.ledger.record import Verdict, claim

CHAPTER = "stabilization"

# Baumgarte's targets, on the constraint g(q) = (q^T A1 q / 2 + b1^T q, q^T A2 q / 2 + b2^T q).
BAUMGARTE = {"A1": spd_matrices(3), "A2": spd_matrices(3), "B": arrays(2, 3), "q": arrays(3), "v": arrays(3)}


def quadratic(A1, A2, B, q):
    return np.array([q @ A1 @ q / 2, q @ A2 @ q / 2]) + B @ q


LINEAR = {
    "M": spd_matrices(3),
    "G": nonzero_vectors(3).map(lambda row: row[None]),
    "x": vectors(3),
    "f": vectors(3),
    "gamma": positive_numbers(),
    "h": positive_numbers(0.125, 1),
}


def kkt_solution(M, G, upper, lower):
    """The upper unknowns of (1.73)."""
    kkt = np.block([[M, G.T], [G, np.zeros((1, 1))]])
    return np.linalg.solve(kkt, np.concatenate([upper, lower]))[:3]


def upper_side(M, v, f, h, unknowns):
    return f if unknowns == "accelerations" else M @ v + h * f


def as_acceleration(found, v, h, unknowns):
    return found if unknowns == "accelerations" else (found - v) / h


ACCELERATION_KKT = {
    "M": spd_matrices(3),
    "G": nonzero_vectors(3).map(lambda row: row[None]),
    "v": vectors(3),
    "target": vectors(1),
    "f": vectors(3),
    "h": positive_numbers(0.125, 0.5),
}


def _least_change(N, least, v):
    """The velocity nearest to v (unit masses) whose product with the one row is at least this."""
    missing = np.maximum(0.0, least - N @ v)
    return v + N.T @ np.linalg.solve(N @ N.T, missing)


TOUCHING = {
    "N": nonzero_vectors(3).map(lambda row: row[None]),
    "gap": vectors(1),
    "v": vectors(3),
    "gamma": positive_numbers(),
    "h": positive_numbers(0.125, 1),
}


BAUMGARTE_STEP = (
    "rbnotes.constraints.stabilization.velocity_target",
    "rbnotes.dynamics.solve_step",
)


@claim("sueda/s1.12/e1.82#a", "Baumgarte's target for velocities")
class e1_82_a:
    formula = r"G\dot q = -\gamma g"
    inputs = {"g": vectors(3), "gamma": positive_numbers()}

    def printed(g, gamma):
        return -gamma * g

    def library(g, gamma):
        return velocity_target(g, gamma)

    oracle = "the rate of an error that decays as exp(-gamma t)"

    def reference(g, gamma):
        """The rate at time zero of an error that decays as exp(-gamma t)."""
        return derivative(lambda t: g * np.exp(-gamma * t)).value

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.constraints.stabilization.velocity_target",)
    chapter = CHAPTER


@claim("sueda/s1.12/e1.82#b", "Baumgarte's target for accelerations")
class e1_82_b:
    formula = r"G\ddot q = -\dot G\dot q - 2\alpha G\dot q - \beta^2 g"
    inputs = {**BAUMGARTE, "alpha": positive_numbers(), "beta": positive_numbers()}

    def printed(A1, A2, B, q, v, alpha, beta):
        g = quadratic(A1, A2, B, q)
        G = np.stack([A1 @ q, A2 @ q]) + B
        Gdot = np.stack([A1 @ v, A2 @ v])
        return -Gdot @ v - 2 * alpha * G @ v - beta**2 * g

    def library(A1, A2, B, q, v, alpha, beta):
        G = np.stack([A1 @ q, A2 @ q]) + B
        drift = np.array([v @ A1 @ v, v @ A2 @ v])
        return acceleration_target(quadratic(A1, A2, B, q), G @ v, drift, alpha, beta)

    oracle = (
        "second derivatives of the error along straight motion, and of a damped oscillator (matrix "
        "exponential)"
    )

    def reference(A1, A2, B, q, v, alpha, beta):
        """What is missing between the second derivative of g along straight motion and that of a damped oscillator."""

        def rate(t):
            return complex_step(lambda s: quadratic(A1, A2, B, q + s * v), np.array([t]))[..., 0]

        straight = derivative(rate).value
        oscillator = np.array([[0.0, 1.0], [-(beta**2), -2 * alpha]])
        start = np.stack([quadratic(A1, A2, B, q), rate(0.0)])
        wanted = derivative(lambda t: (oscillator @ expm(t * oscillator) @ start)[0]).value
        return wanted - straight

    verdict = Verdict.HOLDS
    remark = r"Critically damped for $\alpha = \beta$."
    implemented_by = ("rbnotes.constraints.stabilization.acceleration_target",)
    chapter = CHAPTER


@claim("sueda/s1.12/t654#a", "The target in the KKT system of the twists")
class t654_a:
    formula = (
        r"\begin{pmatrix} M & G^\top \\ G & 0 \end{pmatrix}\begin{pmatrix} \Phi \\"
        r" \lambda \end{pmatrix} = \begin{pmatrix} \tilde f \\ -\gamma g \end{pmatrix}"
    )
    inputs = LINEAR

    def printed(M, G, x, f, gamma, h):
        g = G @ x
        zero = np.zeros((1, 1))
        kkt = np.block([[M, G.T], [G, zero]])
        return np.linalg.solve(kkt, np.concatenate([f, -gamma * g]))

    def library(M, G, x, f, gamma, h):
        step = solve_step(StepProblem(M, f, BilateralRows(G, velocity_target(G @ x, gamma))))
        return np.append(step.velocity, -step.bilateral)

    oracle = "the error that is to be left, reached by the least impulse from the free motion"

    def reference(M, G, x, f, gamma, h):
        """The velocities that leave 1 - h gamma of the error, changed by the least impulse; its negative."""
        free = np.linalg.solve(M, f)
        missing = ((1 - h * gamma) * (G @ x) - G @ (x + h * free)) / h
        impulse = np.linalg.solve(G @ np.linalg.solve(M, G.T), missing)
        return np.append(free + np.linalg.solve(M, G.T @ impulse), -impulse)

    verdict = Verdict.HOLDS
    remark = (
        r"Each step multiplies the error of a constraint with constant rows by $1 - h\gamma$: stable for "
        r"$0 < h\gamma < 2$. $\lambda$ is the negative of the impulse, as in (1.73)."
    )
    implemented_by = BAUMGARTE_STEP
    chapter = CHAPTER


@claim("sueda/s1.12/t654#b", "The target for accelerations in a KKT system")
class t654_b:
    formula = (
        r"\begin{pmatrix} M & G^\top \\ G & 0 \end{pmatrix}\begin{pmatrix} \cdot \\"
        r" \lambda \end{pmatrix} = \begin{pmatrix} \cdot \\"
        r" -\dot G\dot q - 2\alpha G\dot q - \beta^2 g \end{pmatrix}"
    )
    inputs = {**ACCELERATION_KKT, "unknowns": st.sampled_from(["accelerations", "velocities"])}

    def printed(M, G, v, target, f, h, unknowns):
        found = kkt_solution(M, G, upper_side(M, v, f, h, unknowns), target)
        return as_acceleration(found, v, h, unknowns)

    def library(M, G, v, target, f, h, unknowns):
        rows = BilateralRows(G, G @ v + h * target)
        return (solve_step(StepProblem(M, M @ v + h * f, rows)).velocity - v) / h

    oracle = (
        "the acceleration with that target that is nearest, by the masses, to the free one (in the null "
        "space)"
    )

    def reference(M, G, v, target, f, h, unknowns):
        """The acceleration with G a = target that is nearest, by the masses, to that of the force alone."""
        null = np.linalg.svd(G)[2][1:].T
        some = np.linalg.pinv(G) @ target
        free = np.linalg.solve(M, f)
        return some + null @ np.linalg.solve(null.T @ M @ null, null.T @ M @ (free - some))

    verdict = Verdict.CONDITIONAL
    given = {**ACCELERATION_KKT, "unknowns": st.just("accelerations")}
    condition = "the unknowns are accelerations, and the upper right side holds forces"
    remark = (
        r"The notes' KKT system (1.73) solves for the new twists. There the lower right side must be "
        r"$G\Phi^k$ plus $h$ times the second line."
    )
    implemented_by = (
        "rbnotes.constraints.stabilization.acceleration_target",
        "rbnotes.dynamics.solve_step",
    )
    chapter = CHAPTER


@claim("sueda/s1.12/t654#c", "The target in the quadratic program of contacts")
class t654_c:
    formula = r"\mathbf C\Phi \ge -\gamma g"
    inputs = TOUCHING

    def printed(N, gap, v, gamma, h):
        Phi = _least_change(N, -gamma * gap, v)
        return gap + h * N @ Phi

    def library(N, gap, v, gamma, h):
        rows = UnilateralRows(N, velocity_target(gap, gamma))
        return gap + h * N @ solve_step(StepProblem(np.eye(3), v, unilateral=rows)).velocity

    oracle = "the gap of free motion, or the part 1 - h gamma of the old one, whichever is larger"

    def reference(N, gap, v, gamma, h):
        """The gap of free motion, or the part 1 - h gamma of the old one, whichever is larger."""
        return np.maximum(gap + h * N @ v, (1 - h * gamma) * gap)

    verdict = Verdict.HOLDS
    remark = (
        r"With $g$ the gap, negative where bodies overlap. A gap that is still open lets them approach, "
        r"with $\gamma = 1/h$ just up to contact."
    )
    implemented_by = BAUMGARTE_STEP
    chapter = CHAPTER


@claim("sueda/s1.12/t654#d", "A rate of 1/h at the velocity level")
class t654_d:
    formula = r"\gamma = 1/h"
    inputs = {name: LINEAR[name] for name in ("M", "G", "x", "f", "h")}

    def printed(M, G, x, f, h):
        gamma = 1 / h
        return x + h * kkt_solution(M, G, f, -gamma * (G @ x))

    def library(M, G, x, f, h):
        rows = BilateralRows(G, velocity_target(G @ x, 1 / h))
        return x + h * solve_step(StepProblem(M, f, rows)).velocity

    oracle = "the point of the constraint that is nearest, by the masses, to where the free motion leads"

    def reference(M, G, x, f, h):
        """The point of the constraint that is nearest, by the masses, to where the free motion leads."""
        null = np.linalg.svd(G)[2][1:].T
        there = x + h * np.linalg.solve(M, f)
        return null @ np.linalg.solve(null.T @ M @ null, null.T @ M @ there)

    verdict = Verdict.HOLDS
    remark = (
        "All of the error is gone after one step if the rows do not turn, and all but what the step "
        "itself adds if they do."
    )
    implemented_by = BAUMGARTE_STEP
    chapter = CHAPTER


@claim("sueda/s1.12/t654#e", "Rates of 1/h at the acceleration level")
class t654_e:
    formula = r"\alpha = \beta = 1/h"
    inputs = {"h": positive_numbers(0.125, 1), "moves": st.sampled_from(["old", "new"])}

    def printed(h, moves):
        """The part of an error that a step removes in the long run: all of it."""
        return np.array([1.0])

    def library(h, moves):
        return np.array([1 - spectral_radius(acceleration_growth(1 / h, 1 / h, h, moves))])

    oracle = "steps of a particle held at the origin, from two starts; the eigenvalues of what they do"

    def reference(h, moves):
        """From steps of a particle held at x = 0, started with an error in x and with one in v."""
        ends = []
        for x, v in ((1.0, 0.0), (0.0, 1.0)):
            force = -2 / h * v - x / h**2
            after = v + h * force
            ends.append([x + h * (after if moves == "new" else v), after])
        return np.array([1 - np.max(np.abs(np.linalg.eigvals(ends)))])

    tolerance = 1e-06
    verdict = Verdict.CONDITIONAL
    given = {"h": positive_numbers(0.125, 1), "moves": st.just("old")}
    condition = "the old velocities move the positions"
    remark = (
        r"The notes' steps (1.28), (1.29) move with the new ones. Then such rates multiply errors by "
        r"1.618 a step (the golden ratio), and equal rates are stable only below $2(\sqrt2 - 1)/h \approx "
        r"0.83/h$."
    )
    implemented_by = (
        "rbnotes.constraints.stabilization.acceleration_growth",
        "rbnotes.constraints.stabilization.largest_stable_step",
    )
    chapter = CHAPTER
