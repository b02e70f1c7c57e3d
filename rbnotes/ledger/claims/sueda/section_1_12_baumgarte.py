"""Sueda 1.12: stabilization, Baumgarte's targets and their rates."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy.linalg import expm

from rbnotes.constraints.stabilization import (
    acceleration_target,
    velocity_target,
)
from rbnotes.dynamics import BilateralRows, StepProblem, UnilateralRows, solve_step
from rbnotes.ledger.quantities import (
    ACCELERATION,
    FORCE,
    LENGTH,
    MOMENTUM,
    NUMBER,
    RATE,
    TIME,
    VELOCITY,
    vector_quantity,
)
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing import complex_step, derivative
from rbnotes.testing.strategies import (
    arrays,
    nonzero_vectors,
    positive_numbers,
    spd_matrices,
    vectors,
)

CHAPTER = "stabilization"

# Baumgarte's targets, on the constraint g(q) = (q^T A1 q / 2 + b1^T q, q^T A2 q / 2 + b2^T q).
BAUMGARTE = {"A1": spd_matrices(3), "A2": spd_matrices(3), "B": arrays(2, 3), "q": arrays(3), "v": arrays(3)}


QUANTITIES = {
    "A1": NUMBER / LENGTH,
    "A2": NUMBER / LENGTH,
    "B": NUMBER,
    "alpha": RATE,
    "beta": RATE,
    "g": LENGTH,
    "gamma": RATE,
    "gap": LENGTH,
    "q": LENGTH,
    "rate": VELOCITY,
    "s": TIME,
    "unit": NUMBER,
    "w": VELOCITY,
}


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


# The unknowns of the system are s times the acceleration and the part w of what went before: for accelerations
# w = 0 and s = 1, for the velocities of (1.73) w is the old velocity and s the step.
ACCELERATION_KKT = {
    "M": spd_matrices(3),
    "G": nonzero_vectors(3).map(lambda row: row[None]),
    "w": vectors(3),
    "target": vectors(1),
    "f": vectors(3),
    "s": positive_numbers(0.125, 0.5),
}


def seen_alike(G, w, target, s):
    """The part of w that makes the target of the unknowns that of the accelerations: G w = (1 - s) target."""
    return w - G[0] * (G @ w - (1 - s) * target) / (G[0] @ G[0])


DRAWN = st.shared(
    st.tuples(*(ACCELERATION_KKT[name] for name in ("G", "w", "target", "s"))), key="system for accelerations"
)
ALIKE = {
    **ACCELERATION_KKT,
    "G": DRAWN.map(lambda drawn: drawn[0]),
    "w": DRAWN.map(lambda drawn: seen_alike(*drawn)),
    "target": DRAWN.map(lambda drawn: drawn[2]),
    "s": DRAWN.map(lambda drawn: drawn[3]),
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


SIGN_OF_LAMBDA = "it changes the sign of the multipliers, which are not looked at"
BAUMGARTE_STEP = (
    "rbnotes.constraints.stabilization.velocity_target",
    "rbnotes.dynamics.solve_step",
)


@claim("sueda/s1.12/e1.82#a", "Baumgarte's target for velocities")
class e1_82_a:
    formula = r"G\dot q = -\gamma g"
    inputs = {"g": vectors(3), "gamma": positive_numbers()}
    result = VELOCITY

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
    result = ACCELERATION

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

    primitives = ("rbnotes.ledger.claims.sueda.section_1_12_baumgarte.quadratic",)
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
    quantities = {"f": MOMENTUM}
    result = vector_quantity((VELOCITY, 3), (MOMENTUM, 1))

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
    inputs = ACCELERATION_KKT
    quantities = {"f": FORCE, "target": ACCELERATION}
    result = ACCELERATION

    def printed(M, G, w, target, f, s):
        unknowns = kkt_solution(M, G, M @ w + s * f, target)
        return (unknowns - w) / s

    def library(M, G, w, target, f, s):
        rows = BilateralRows(G, G @ w + s * target)
        return (solve_step(StepProblem(M, M @ w + s * f, rows)).velocity - w) / s

    oracle = (
        "the acceleration with that target that is nearest, by the masses, to the free one (in the null "
        "space)"
    )

    def reference(M, G, w, target, f, s):
        """The acceleration with G a = target that is nearest, by the masses, to that of the force alone."""
        null = np.linalg.svd(G)[2][1:].T
        some = np.linalg.pinv(G) @ target
        free = np.linalg.solve(M, f)
        return some + null @ np.linalg.solve(null.T @ M @ null, null.T @ M @ (free - some))

    verdict = Verdict.CONDITIONAL
    units_mismatch = r"with velocities for unknowns, their rows are set equal to accelerations"
    given = ALIKE

    def holds_when(M, G, w, target, f, s):
        return np.allclose(G @ w, (1 - s) * target, atol=1e-9)

    condition = (
        r"the unknowns are accelerations and the upper right side holds forces (or, for unknowns $w + s\ddot q$, "
        r"by chance $Gw = (1 - s)$ times the target)"
    )
    equivalent_mutants = {"in kkt_solution: negated G.T in `[M, G.T]`": SIGN_OF_LAMBDA}
    remark = (
        r"The notes' KKT system (1.73) solves for the new twists. There the lower right side must be "
        r"$G\Phi^k$ plus $h$ times the second line."
    )
    implemented_by = ("rbnotes.dynamics.solve_step",)
    chapter = CHAPTER


@claim("sueda/s1.12/t654#c", "The target in the quadratic program of contacts")
class t654_c:
    formula = r"\mathbf C\Phi \ge -\gamma g"
    inputs = TOUCHING
    result = LENGTH

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
    quantities = {"f": MOMENTUM}
    result = LENGTH

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

    equivalent_mutants = {"in kkt_solution: negated G.T in `[M, G.T]`": SIGN_OF_LAMBDA}
    verdict = Verdict.HOLDS
    remark = (
        "All of the error is gone after one step if the rows do not turn, and all but what the step "
        "itself adds if they do."
    )
    implemented_by = BAUMGARTE_STEP
    chapter = CHAPTER


@claim("sueda/s1.12/t654#e", "Rates of 1/h make the units work out")
class t654_e:
    formula = r"\alpha = \beta = \gamma = 1/h:\quad \text{`to make the units work out'}"
    inputs = {
        "g": vectors(2),
        "rate": vectors(2),
        "drift": vectors(2),
        "h": positive_numbers(0.125, 1),
        "unit": positive_numbers(0.25, 4),
    }
    quantities = {"drift": ACCELERATION}
    result = vector_quantity((VELOCITY, 2), (ACCELERATION, 2))

    def printed(g, rate, drift, h, unit):
        """Both targets, counted in another unit of time, and taken back to the old one."""
        steps = h * unit
        velocity = -1 / steps * g
        acceleration = -drift / unit**2 - 2 / steps * rate / unit - (1 / steps) ** 2 * g
        return np.append(velocity * unit, acceleration * unit**2)

    def library(g, rate, drift, h, unit):
        return np.append(velocity_target(g, 1 / h), acceleration_target(g, rate, drift, 1 / h, 1 / h))

    oracle = "the rates of an error that decays within the step, critically damped, from its exponential"

    def reference(g, rate, drift, h, unit):
        """Of exp(-t/h) g, and of the oscillator with the eigenvalue -1/h twice, less what moves anyway."""
        twice = np.array([[0.0, 1.0], [-(h**-2.0), -2 / h]])
        decay = derivative(lambda t: g * np.exp(-t / h)).value
        bent = derivative(lambda t: (twice @ expm(t * twice) @ np.stack([g, rate]))[0]).value
        return np.append(decay, bent - drift)

    tolerance = 1e-08
    verdict = Verdict.HOLDS
    remark = (
        r"Units are not all. With the notes' steps (1.28), (1.29), which move with the new velocities, "
        r"$\alpha = \beta = 1/h$ multiplies errors by 1.618 a step (the golden ratio), and equal rates are stable "
        r"only below $2(\sqrt2 - 1)/h \approx 0.83/h$; if the old velocities move the positions, all of an error "
        r"is gone after two steps."
    )
    implemented_by = (
        "rbnotes.constraints.stabilization.velocity_target",
        "rbnotes.constraints.stabilization.acceleration_target",
    )
    chapter = CHAPTER
