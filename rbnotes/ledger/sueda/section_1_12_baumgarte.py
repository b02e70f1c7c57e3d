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
from rbnotes.integrators import VelocitySystem
from rbnotes.ledger.record import Record, Verdict
from rbnotes.stepping import StepConstraints, solve_step

CHAPTER = "stabilization"

# Baumgarte's targets, on the constraint g(q) = (q^T A1 q / 2 + b1^T q, q^T A2 q / 2 + b2^T q).
BAUMGARTE = {"A1": spd_matrices(3), "A2": spd_matrices(3), "B": arrays(2, 3), "q": arrays(3), "v": arrays(3)}


def quadratic(A1, A2, B, q):
    return np.array([q @ A1 @ q / 2, q @ A2 @ q / 2]) + B @ q


def velocity_level_printed(g, gamma):
    return -gamma * g


def velocity_level_library(g, gamma):
    return velocity_target(g, gamma)


def velocity_level_reference(g, gamma):
    """The rate at time zero of an error that decays as exp(-gamma t)."""
    return derivative(lambda t: g * np.exp(-gamma * t)).value


def acceleration_level_printed(A1, A2, B, q, v, alpha, beta):
    g = quadratic(A1, A2, B, q)
    G = np.stack([A1 @ q, A2 @ q]) + B
    Gdot = np.stack([A1 @ v, A2 @ v])
    return -Gdot @ v - 2 * alpha * G @ v - beta**2 * g


def acceleration_level_library(A1, A2, B, q, v, alpha, beta):
    G = np.stack([A1 @ q, A2 @ q]) + B
    drift = np.array([v @ A1 @ v, v @ A2 @ v])
    return acceleration_target(quadratic(A1, A2, B, q), G @ v, drift, alpha, beta)


def acceleration_level_reference(A1, A2, B, q, v, alpha, beta):
    """What is missing between the second derivative of g along straight motion and that of a damped oscillator."""

    def rate(t):
        return complex_step(lambda s: quadratic(A1, A2, B, q + s * v), np.array([t]))[..., 0]

    straight = derivative(rate).value
    oscillator = np.array([[0.0, 1.0], [-(beta**2), -2 * alpha]])
    start = np.stack([quadratic(A1, A2, B, q), rate(0.0)])
    wanted = derivative(lambda t: (oscillator @ expm(t * oscillator) @ start)[0]).value
    return wanted - straight


LINEAR = {
    "M": spd_matrices(3),
    "G": nonzero_vectors(3).map(lambda row: row[None]),
    "x": vectors(3),
    "f": vectors(3),
    "gamma": positive_numbers(),
    "h": positive_numbers(0.125, 1),
}


def kkt_step_printed(M, G, x, f, gamma, h):
    g = G @ x
    zero = np.zeros((1, 1))
    kkt = np.block([[M, G.T], [G, zero]])
    return np.linalg.solve(kkt, np.concatenate([f, -gamma * g]))


def kkt_step_library(M, G, x, f, gamma, h):
    step = solve_step(VelocitySystem(M, f), StepConstraints(G=G, g=velocity_target(G @ x, gamma)))
    return np.append(step.v, -step.bilateral)


def kkt_step_reference(M, G, x, f, gamma, h):
    """The velocities that leave 1 - h gamma of the error, changed by the least impulse; its negative."""
    free = np.linalg.solve(M, f)
    missing = ((1 - h * gamma) * (G @ x) - G @ (x + h * free)) / h
    impulse = np.linalg.solve(G @ np.linalg.solve(M, G.T), missing)
    return np.append(free + np.linalg.solve(M, G.T @ impulse), -impulse)


def kkt_solution(M, G, upper, lower):
    """The upper unknowns of (1.73)."""
    kkt = np.block([[M, G.T], [G, np.zeros((1, 1))]])
    return np.linalg.solve(kkt, np.concatenate([upper, lower]))[:3]


def upper_side(M, v, f, h, unknowns):
    return f if unknowns == "accelerations" else M @ v + h * f


def as_acceleration(found, v, h, unknowns):
    return found if unknowns == "accelerations" else (found - v) / h


def acceleration_kkt_printed(M, G, v, target, f, h, unknowns):
    found = kkt_solution(M, G, upper_side(M, v, f, h, unknowns), target)
    return as_acceleration(found, v, h, unknowns)


def acceleration_kkt_library(M, G, v, target, f, h, unknowns):
    step = StepConstraints(G=G, g=G @ v + h * target)
    return (solve_step(VelocitySystem(M, M @ v + h * f), step).v - v) / h


def acceleration_kkt_reference(M, G, v, target, f, h, unknowns):
    """The acceleration with G a = target that is nearest, by the masses, to that of the force alone."""
    null = np.linalg.svd(G)[2][1:].T
    some = np.linalg.pinv(G) @ target
    free = np.linalg.solve(M, f)
    return some + null @ np.linalg.solve(null.T @ M @ null, null.T @ M @ (free - some))


ACCELERATION_KKT = {
    "M": spd_matrices(3),
    "G": nonzero_vectors(3).map(lambda row: row[None]),
    "v": vectors(3),
    "target": vectors(1),
    "f": vectors(3),
    "h": positive_numbers(0.125, 0.5),
}


def contact_printed(N, gap, v, gamma, h):
    Phi = _least_change(N, -gamma * gap, v)
    return gap + h * N @ Phi


def contact_library(N, gap, v, gamma, h):
    step = StepConstraints(N=N, n=velocity_target(gap, gamma))
    return gap + h * N @ solve_step(VelocitySystem(np.eye(3), v), step).v


def contact_reference(N, gap, v, gamma, h):
    """The gap of free motion, or the part 1 - h gamma of the old one, whichever is larger."""
    return np.maximum(gap + h * N @ v, (1 - h * gamma) * gap)


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


def at_once_printed(M, G, x, f, h):
    gamma = 1 / h
    return x + h * kkt_solution(M, G, f, -gamma * (G @ x))


def at_once_library(M, G, x, f, h):
    step = StepConstraints(G=G, g=velocity_target(G @ x, 1 / h))
    return x + h * solve_step(VelocitySystem(M, f), step).v


def at_once_reference(M, G, x, f, h):
    """The point of the constraint that is nearest, by the masses, to where the free motion leads."""
    null = np.linalg.svd(G)[2][1:].T
    there = x + h * np.linalg.solve(M, f)
    return null @ np.linalg.solve(null.T @ M @ null, null.T @ M @ there)


def one_over_h_printed(h, moves):
    """The part of an error that a step removes in the long run: all of it."""
    return np.array([1.0])


def one_over_h_library(h, moves):
    return np.array([1 - spectral_radius(acceleration_growth(1 / h, 1 / h, h, moves))])


def one_over_h_reference(h, moves):
    """From steps of a particle held at x = 0, started with an error in x and with one in v."""
    ends = []
    for x, v in ((1.0, 0.0), (0.0, 1.0)):
        force = -2 / h * v - x / h**2
        after = v + h * force
        ends.append([x + h * (after if moves == "new" else v), after])
    return np.array([1 - np.max(np.abs(np.linalg.eigvals(ends)))])


BAUMGARTE_STEP = (
    "rbnotes.constraints.stabilization.velocity_target",
    "rbnotes.stepping.solve_step",
)

RECORDS = [
    Record(
        id="sueda/s1.12/e1.82#a",
        title="Baumgarte's target for velocities",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        formula=r"G\dot q = -\gamma g",
        oracle=r"the rate of an error that decays as exp(-gamma t)",
        implemented_by=("rbnotes.constraints.stabilization.velocity_target",),
        inputs={"g": vectors(3), "gamma": positive_numbers()},
        printed=velocity_level_printed,
        library=velocity_level_library,
        reference=velocity_level_reference,
    ),
    Record(
        id="sueda/s1.12/e1.82#b",
        title="Baumgarte's target for accelerations",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        formula=r"G\ddot q = -\dot G\dot q - 2\alpha G\dot q - \beta^2 g",
        remark=r"Critically damped for $\alpha = \beta$.",
        oracle="second derivatives of the error along straight motion, and of a damped oscillator (matrix exponential)",
        implemented_by=("rbnotes.constraints.stabilization.acceleration_target",),
        inputs={**BAUMGARTE, "alpha": positive_numbers(), "beta": positive_numbers()},
        printed=acceleration_level_printed,
        library=acceleration_level_library,
        reference=acceleration_level_reference,
    ),
    Record(
        id="sueda/s1.12/t654#a",
        title="The target in the KKT system of the twists",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        formula=r"\begin{pmatrix} M & G^\top \\ G & 0 \end{pmatrix}\begin{pmatrix} \Phi \\ \lambda \end{pmatrix} = "
        r"\begin{pmatrix} \tilde f \\ -\gamma g \end{pmatrix}",
        remark=r"Each step multiplies the error of a constraint with constant rows by $1 - h\gamma$: stable for $0 < h\gamma < 2$. "
        r"$\lambda$ is the negative of the impulse, as in (1.73).",
        oracle="the error that is to be left, reached by the least impulse from the free motion",
        implemented_by=BAUMGARTE_STEP,
        inputs=LINEAR,
        printed=kkt_step_printed,
        library=kkt_step_library,
        reference=kkt_step_reference,
    ),
    Record(
        id="sueda/s1.12/t654#b",
        title="The target for accelerations in a KKT system",
        verdict=Verdict.CONDITIONAL,
        chapter=CHAPTER,
        formula=r"\begin{pmatrix} M & G^\top \\ G & 0 \end{pmatrix}\begin{pmatrix} \cdot \\ \lambda \end{pmatrix} = "
        r"\begin{pmatrix} \cdot \\ -\dot G\dot q - 2\alpha G\dot q - \beta^2 g \end{pmatrix}",
        condition="the unknowns are accelerations, and the upper right side holds forces",
        remark=r"The notes' KKT system (1.73) solves for the new twists. There the lower right side must be $G\Phi^k$ plus $h$ times the "
        "second line.",
        oracle="the acceleration with that target that is nearest, by the masses, to the free one (in the null space)",
        implemented_by=(
            "rbnotes.constraints.stabilization.acceleration_target",
            "rbnotes.stepping.solve_step",
        ),
        inputs={**ACCELERATION_KKT, "unknowns": st.sampled_from(["accelerations", "velocities"])},
        given={**ACCELERATION_KKT, "unknowns": st.just("accelerations")},
        printed=acceleration_kkt_printed,
        library=acceleration_kkt_library,
        reference=acceleration_kkt_reference,
    ),
    Record(
        id="sueda/s1.12/t654#c",
        title="The target in the quadratic program of contacts",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        formula=r"\mathbf C\Phi \ge -\gamma g",
        remark=r"With $g$ the gap, negative where bodies overlap. A gap that is still open lets them approach, with $\gamma = 1/h$ just up to "
        "contact.",
        oracle="the gap of free motion, or the part 1 - h gamma of the old one, whichever is larger",
        implemented_by=BAUMGARTE_STEP,
        inputs=TOUCHING,
        printed=contact_printed,
        library=contact_library,
        reference=contact_reference,
    ),
    Record(
        id="sueda/s1.12/t654#d",
        title="A rate of 1/h at the velocity level",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        formula=r"\gamma = 1/h",
        remark="All of the error is gone after one step if the rows do not turn, and all but what the step itself adds if they do.",
        oracle="the point of the constraint that is nearest, by the masses, to where the free motion leads",
        implemented_by=BAUMGARTE_STEP,
        inputs={name: LINEAR[name] for name in ("M", "G", "x", "f", "h")},
        printed=at_once_printed,
        library=at_once_library,
        reference=at_once_reference,
    ),
    Record(
        id="sueda/s1.12/t654#e",
        title="Rates of 1/h at the acceleration level",
        verdict=Verdict.CONDITIONAL,
        chapter=CHAPTER,
        formula=r"\alpha = \beta = 1/h",
        condition="the old velocities move the positions",
        remark=r"The notes' steps (1.28), (1.29) move with the new ones. Then such rates multiply errors by 1.618 a step (the golden ratio), and "
        r"equal rates are stable only below $2(\sqrt2 - 1)/h \approx 0.83/h$.",
        oracle="steps of a particle held at the origin, from two starts; the eigenvalues of what they do",
        implemented_by=(
            "rbnotes.constraints.stabilization.acceleration_growth",
            "rbnotes.constraints.stabilization.largest_stable_step",
        ),
        inputs={"h": positive_numbers(0.125, 1), "moves": st.sampled_from(["old", "new"])},
        given={"h": positive_numbers(0.125, 1), "moves": st.just("old")},
        printed=one_over_h_printed,
        library=one_over_h_library,
        reference=one_over_h_reference,
        tolerance=1e-6,
    ),
]
