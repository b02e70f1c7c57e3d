"""Lloyd 0.11: softened contacts, which push or are off."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import strategies as st

from rbnotes.constraints.soft_constraints import target_and_regularization
from rbnotes.dynamics import StepProblem, UnilateralRows, solve_step
from rbnotes.ledger.claims.lloyd.section_0_11 import IDENTITY, STEP, K, N
from rbnotes.ledger.oracles.soft_constraints import soft_contacts
from rbnotes.ledger.quantities import (
    FORCE,
    LENGTH,
    MOMENTUM,
    NUMBER,
    RATE,
    STIFFNESS,
    TIME,
    VELOCITY,
    vector_quantity,
)
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing.strategies import numbers, positive_numbers, vectors

ROWS = ("rbnotes.constraints.soft_constraints.target_and_regularization",)
SOLVED = (*ROWS, "rbnotes.dynamics.solve_step")
# One contact per row: its compliance, its damping time.
CONTACTS = {**STEP, "alpha": vectors(K, 0.25, 2), "beta": vectors(K, 0.125, 2)}


QUANTITIES = {
    "alpha": NUMBER / STIFFNESS,
    "b": MOMENTUM,
    "beta": TIME,
    "depth": LENGTH,
    "error": LENGTH,
    "force": FORCE,
    "phi": LENGTH,
    "push": NUMBER,
    "rate": VELOCITY,
    "ratio": RATE,
    "speed": VELOCITY,
}


def coupling():
    """Positive definite matrices that make one push work against the other."""
    return vectors(K, 0.5, 2).map(lambda r: np.outer(r * [1, -1], r * [1, -1]) + IDENTITY / 20)


# Springs, or dampers, that the contacts share; mostly deep inside, or mostly apart.
SPRUNG = {**STEP, "phi": vectors(K, -4.0, 0.5), "alpha": coupling(), "beta": positive_numbers(0.125, 2)}
DAMPED = {**STEP, "phi": vectors(K, -0.5, 4.0), "alpha": positive_numbers(0.25, 2), "beta": coupling()}
DIAGONAL = vectors(K, 0.25, 2).map(np.diag)
# An error, a rate with its sign, and another force.
MOVING = {
    "error": st.one_of(numbers(0.25, 2), numbers(-2, -0.25)),
    "ratio": numbers(0.25, 2),
    "push": st.one_of(numbers(-200, -40), numbers(40, 200), numbers(-1, 1)),
}
# beta = depth / speed + share h, about where it is large enough.
LEAVING = {
    "depth": numbers(0.25, 2),
    "speed": numbers(0.25, 2),
    "share": numbers(-1.5, 0.5),
    "h": numbers(0.03125, 0.0625),
}


def by_active_rows(M, G, b, R, g):
    """Solve 0 <= z, w = G v + R z - g >= 0, with z or w zero in each row, by trying all sets of active rows."""
    solutions = []
    for pushing in itertools.product((False, True), repeat=K):
        on = np.array(pushing)
        system = np.block([[M, -G.T], [G, R]])
        system[N:][~on] = np.eye(N + K)[N:][~on]
        v, z = np.split(np.linalg.solve(system, np.concatenate([b, np.where(on, g, 0.0)])), [N])
        w = G @ v + R @ z - g
        solutions.append((np.min([z, w]), v, z, w))
    return max(solutions, key=lambda found: found[0])[1:]


def printed_contacts(M, G, b, phi, alpha, beta, h):
    """Problem (0.10) with matrices alpha and beta: velocities, average forces and w."""
    gamma = np.linalg.inv(IDENTITY / 2 + beta / h)
    v, z, w = by_active_rows(M, G, b, gamma @ alpha / h**2, -gamma @ phi / h)
    return v, z / h, w


def library_contacts(M, G, b, phi, alpha, beta, h):
    target, softness = target_and_regularization(phi, alpha, beta, h)
    solved = solve_step(StepProblem(M, b, unilateral=UnilateralRows(G, target, softness)))
    v, z = solved.velocity, solved.unilateral
    return v, z / h, G @ v + softness @ z - target


def signs(values):
    return np.where(values > -1e-9, 1.0, -1.0)


def own_springs(M, G, b, phi, alpha, beta, h):
    return alpha[0, 1] == 0 and alpha[1, 0] == 0


def own_dampers(M, G, b, phi, alpha, beta, h):
    return beta[0, 1] == 0 and beta[1, 0] == 0


def keeps_its_sign(error, ratio, push):
    return error * (ratio * error + push / 16) > 0


@claim("lloyd/s0.11/e0.10", "The same for unilateral constraints")
class e0_10:
    formula = (
        r"\begin{pmatrix} \mathbf M & -\mathbf N^T \\"
        r" \mathbf N & \boldsymbol\gamma\boldsymbol\alpha/h^2 \end{pmatrix}\begin{pmatrix} \mathbf "
        r"v_{k+1} \\ \tilde{\mathbf z} \end{pmatrix} + \begin{pmatrix} -\mathbf b \\"
        r" \boldsymbol\gamma\boldsymbol\phi_k/h \end{pmatrix} = \begin{pmatrix} 0 \\"
        r" \mathbf w \end{pmatrix},\quad 0 \le \tilde{\mathbf z} \perp \mathbf w \ge 0"
    )
    inputs = CONTACTS
    result = vector_quantity((VELOCITY, 4), (MOMENTUM, 2))

    def printed(M, G, b, phi, alpha, beta, h):
        v, force, _ = printed_contacts(M, G, b, phi, np.diag(alpha), np.diag(beta), h)
        return np.concatenate([v, h * force])

    def library(M, G, b, phi, alpha, beta, h):
        v, force, _ = library_contacts(M, G, b, phi, alpha, beta, h)
        return np.concatenate([v, h * force])

    oracle = "springs and dampers that push or are off: every combination tried"

    def reference(M, G, b, phi, alpha, beta, h):
        v, force, _ = soft_contacts(M, G, b, phi, np.diag(alpha), np.diag(beta), h)
        return np.concatenate([v, h * force])

    equivalent_mutants = {
        "in printed_contacts: swapped operands in `gamma @ alpha`": "both are diagonal here",
        "in printed_contacts: swapped operands in `-gamma @ phi`": "gamma is diagonal here",
        "in by_active_rows: negated value in `system[N:][~on] = np.eye(N + K)[N:][~on]`": "the equation is z = 0",
    }
    verdict = Verdict.HOLDS
    implemented_by = SOLVED
    chapter = "regularization"


@claim("lloyd/s0.11/d6", "The complementary variable, worked backwards")
class d6:
    formula = (
        r"\left(\tfrac h2 + \boldsymbol\beta\right)\mathbf w "
        r"= \boldsymbol\alpha\bar{\mathbf z} + \boldsymbol\phi_k + \left(\tfrac h2 + "
        r"\boldsymbol\beta\right)\bar{\dot{\boldsymbol\phi}}"
    )
    inputs = {name: STEP[name] for name in ("phi", "alpha", "beta", "h")} | {
        "rate": vectors(K),
        "force": vectors(K, 0.0, 2.0),
    }
    result = LENGTH

    def printed(phi, alpha, beta, h, rate, force):
        return alpha @ force + phi + (h / 2 * IDENTITY + beta) @ rate

    def library(phi, alpha, beta, h, rate, force):
        target, softness = target_and_regularization(phi, alpha, beta, h)
        return (h / 2 * IDENTITY + beta) @ (rate + softness @ (h * force) - target)

    oracle = "by how much the force exceeds that of spring and damper, averaged by quadrature, times alpha"

    def reference(phi, alpha, beta, h, rate, force):
        nodes, weights = np.polynomial.legendre.leggauss(2)
        wanted = np.zeros(K)
        for node, weight in zip(nodes, weights, strict=True):
            error = phi + h * (node + 1) / 2 * rate
            wanted += weight / 2 * np.linalg.lstsq(alpha, -error - beta @ rate, rcond=None)[0]
        return np.sum(alpha * (force - wanted), axis=1)

    verdict = Verdict.HOLDS
    implemented_by = ROWS
    chapter = "regularization"


@claim("lloyd/s0.11/d7", "A contact that pushes")
class d7:
    formula = (
        r"\bar{\mathbf z} > 0:\quad \boldsymbol\alpha\bar{\mathbf z} "
        r"= -\boldsymbol\phi_k - \left(\tfrac h2 + \boldsymbol\beta\right)\bar{\dot{\boldsymbol\phi}} > 0"
    )
    inputs = SPRUNG
    result = vector_quantity((LENGTH, 2), (NUMBER, 2))
    constants = (LENGTH,)

    def printed(M, G, b, phi, alpha, beta, h):
        v, force, _ = printed_contacts(M, G, b, phi, alpha, beta * IDENTITY, h)
        right = -phi - (h / 2 + beta) * (G @ v)
        return np.concatenate([right, np.ones(K)]) if np.all(force > 1e-9) else np.append(phi, phi)

    def library(M, G, b, phi, alpha, beta, h):
        v, force, _ = library_contacts(M, G, b, phi, alpha, beta, h)
        right = -phi - (h / 2 + beta) * (G @ v)
        return np.concatenate([right, signs(right)]) if np.all(force > 1e-9) else np.append(phi, phi)

    oracle = (
        "alpha times the forces of springs and dampers that push, and their signs, all combinations tried"
    )

    def reference(M, G, b, phi, alpha, beta, h):
        _, force, _ = soft_contacts(M, G, b, phi, alpha, beta * IDENTITY, h)
        left = np.sum(alpha * force, axis=1)
        return np.array([left, np.sign(left)]).ravel() if min(force) > 1e-9 else np.tile(phi, 2)

    equivalent_mutants = {
        "in printed_contacts: swapped operands in `gamma @ alpha`": "gamma is a multiple of the identity here",
        "in printed_contacts: swapped operands in `-gamma @ phi`": "gamma is a multiple of the identity here",
        "in printed_contacts: dropped factor `h` in `z / h`": "only the sign of the force is asked for",
        "in by_active_rows: negated value in `system[N:][~on] = np.eye(N + K)[N:][~on]`": "the equation is z = 0",
        "in by_active_rows: negated z in `[z, w]`": "where all push, w is zero, and decides between the cases",
    }
    verdict = Verdict.CONDITIONAL
    given = {**SPRUNG, "alpha": DIAGONAL}
    holds_when = own_springs
    condition = r"$\boldsymbol\alpha$ is diagonal: each contact has its own spring"
    remark = "The equality holds for all matrices, the sign of its right side does not."
    implemented_by = SOLVED
    chapter = "regularization"


@claim("lloyd/s0.11/d8", "A contact that is off")
class d8:
    formula = (
        r"\mathbf w > 0:\quad \boldsymbol\phi_k"
        r" + \left(\tfrac h2 + \boldsymbol\beta\right)\bar{\dot{\boldsymbol\phi}} > 0"
    )
    inputs = DAMPED
    result = vector_quantity((LENGTH, 2), (NUMBER, 2))
    constants = (LENGTH,)

    def printed(M, G, b, phi, alpha, beta, h):
        v, _, w = printed_contacts(M, G, b, phi, alpha * IDENTITY, beta, h)
        left = phi + (h / 2 * IDENTITY + beta) @ G @ v
        return np.concatenate([left, np.ones(K)]) if np.all(w > 1e-9) else np.append(phi, phi)

    def library(M, G, b, phi, alpha, beta, h):
        _, _, w = library_contacts(M, G, b, phi, alpha, beta, h)
        left = (h / 2 * IDENTITY + beta) @ w
        return np.concatenate([left, signs(left)]) if np.all(w > 1e-9) else np.append(phi, phi)

    oracle = "(h/2 + beta) w of contacts that push or are off, and the signs, all combinations tried"

    def reference(M, G, b, phi, alpha, beta, h):
        _, _, w = soft_contacts(M, G, b, phi, alpha * IDENTITY, beta, h)
        scaled = h / 2 * w + np.sum(beta * w, axis=1)
        return np.array([scaled, np.sign(scaled)]).ravel() if min(w) > 1e-9 else np.tile(phi, 2)

    equivalent_mutants = {
        "dropped factor `alpha` in `alpha * IDENTITY`": "springs do not count where all contacts are off",
        "in printed_contacts: *": "only the sign of w is asked for, and where all are off z is zero",
        "in by_active_rows: negated value in `system[N:][~on] = np.eye(N + K)[N:][~on]`": "the equation is z = 0",
        "in by_active_rows: flipped sign in `G @ v + R @ z`": "where all contacts are off z is zero",
        "in by_active_rows: dropped `R @ z` in `G @ v + R @ z`": "where all contacts are off z is zero",
    }
    verdict = Verdict.CONDITIONAL
    given = {**DAMPED, "beta": DIAGONAL}
    holds_when = own_dampers
    condition = r"$\boldsymbol\beta$ is diagonal: each contact has its own damper"
    implemented_by = SOLVED
    chapter = "regularization"


@claim("lloyd/s0.11/t479#a", "Which contacts push, from the signs of error and rate")
class t479_a:
    formula = (
        r"\phi_k < 0,\ \dot\phi_k < 0 \Rightarrow \mathbf z > 0;\qquad "
        r"\phi_k > 0,\ \dot\phi_k > 0 \Rightarrow \mathbf z = 0"
    )
    inputs = MOVING
    result = NUMBER

    def printed(error, ratio, push):
        return float(error < 0)

    def library(error, ratio, push):
        target, softness = target_and_regularization([error], 0.01, 0.5, 1 / 16)
        momentum = np.array([ratio * error + push / 16])
        return float(
            solve_step(
                StepProblem(np.eye(1), momentum, unilateral=UnilateralRows(np.eye(1), target, softness))
            ).unilateral[0]
            > 0
        )

    oracle = "the force that spring and damper of a unit mass would have without contact: does it push?"

    def reference(error, ratio, push):
        h, beta = 1 / 16, 1 / 2
        after = ratio * error + h * push
        return float(error + (h / 2 + beta) * after < 0)

    verdict = Verdict.CONDITIONAL
    given = {**MOVING, "push": numbers(-0.875, 0.875)}
    holds_when = keeps_its_sign
    condition = "no other force changes the sign of the rate within the step"
    remark = "The contact force depends on the velocity at the end of the step, not on that at its start."
    exact = "both results are flags"
    implemented_by = ("rbnotes.dynamics.solve_step",)
    chapter = "regularization"


@claim("lloyd/s0.11/t479#b", "Strong damping lets a contact go while it is still inside")
class t479_b:
    formula = (
        r"\phi_k < 0,\ \dot\phi_k > 0,\ \boldsymbol\beta \text{ large}:\quad "
        r"\mathbf z = 0 \text{ although } \phi_{k+1} < 0"
    )
    inputs = LEAVING
    result = LENGTH

    def printed(depth, speed, share, h):
        """Depth at the end of a step at the old velocity, if beta is so large that the contact lets go; else 0."""
        beta = depth / speed + share * h
        large = beta > depth / speed - h / 2
        return min(0.0, h * speed - depth) * large

    def library(depth, speed, share, h):
        beta = depth / speed + share * h
        target, softness = target_and_regularization([-depth], 0.01, beta, h)
        momentum = np.array([speed])
        rows = UnilateralRows(np.eye(1), target, softness)
        solved = solve_step(StepProblem(np.eye(1), momentum, unilateral=rows))
        v, z = solved.velocity, solved.unilateral
        return min(0.0, h * v[0] - depth) * (z[0] == 0)

    oracle = "a unit mass on a spring and damper that pushes or is off: how deep it is after the step, if off"

    def reference(depth, speed, share, h):
        one, beta = np.eye(1), depth / speed + share * h
        v, force, _ = soft_contacts(one, one, np.array([speed]), np.array([-depth]), one / 100, beta * one, h)
        return min(0.0, h * v[0] - depth) if force[0] == 0 else 0.0

    verdict = Verdict.HOLDS
    remark = r"Large: $\beta > -\phi_k/\dot\phi_k - h/2$, if no other force acts."
    exact = "in free flight all three only multiply and subtract the same two numbers"
    implemented_by = ("rbnotes.dynamics.solve_step",)
    chapter = "regularization"
