"""Lloyd 0.11: softened contacts, which push or are inactive."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import strategies as st

from rbnotes.constraints.soft_constraints import target_and_regularization
from rbnotes.dynamics import StepProblem, UnilateralRows, solve_step
from rbnotes.ledger.claims.lloyd.section_0_11 import section
from rbnotes.ledger.claims.lloyd.section_0_11.rows import IDENTITY, STEP, K
from rbnotes.ledger.oracles.soft_constraints import (
    soft_contacts,
)
from rbnotes.ledger.quantities import (
    LENGTH,
    MOMENTUM,
    NUMBER,
    VELOCITY,
    vector_quantity,
)
from rbnotes.ledger.record import Result
from rbnotes.testing.strategies import (
    numbers,
    positive_numbers,
    vectors,
)

SOFT_STEP_FUNCTIONS = (target_and_regularization, solve_step)
# Compliance and damping time of each contact.
CONTACTS = {**STEP, "alpha": vectors(K, 0.25, 2), "beta": vectors(K, 0.125, 2)}


def coupled_matrices():
    """Return a strategy for positive definite matrices that couple two contacts with opposite signs."""
    return vectors(K, 0.5, 2).map(lambda r: np.outer(r * [1, -1], r * [1, -1]) + IDENTITY / 20)


# Springs, or dampers, that couple the contacts; most draws penetrate, or most are open.
COUPLED_SPRINGS = {
    **STEP,
    "phi": vectors(K, -4.0, 0.5),
    "alpha": coupled_matrices(),
    "beta": positive_numbers(0.125, 2),
}
COUPLED_DAMPERS = {
    **STEP,
    "phi": vectors(K, -0.5, 4.0),
    "alpha": positive_numbers(0.25, 2),
    "beta": coupled_matrices(),
}
DIAGONAL = vectors(K, 0.25, 2).map(np.diag)
# Error, ratio of rate and error, and another force.
CONTACT_STATES = {
    "error": st.one_of(numbers(0.25, 2), numbers(-2, -0.25)),
    "ratio": numbers(0.25, 2),
    "push": st.one_of(numbers(-200, -40), numbers(40, 200), numbers(-1, 1)),
}
# beta = depth / speed + share h, near the value at which the contact releases.
SEPARATING_STATES = {
    "depth": numbers(0.25, 2),
    "speed": numbers(0.25, 2),
    "share": numbers(-1.5, 0.5),
    "h": numbers(0.03125, 0.0625),
}


def solve_by_active_sets(M, G, b, R, g):
    """Solve 0 <= z, w = G v + R z - g >= 0, z w = 0 by trying all sets of active rows."""
    solutions = []
    for is_active in itertools.product((False, True), repeat=len(G)):
        active = np.array(is_active)
        system = np.block([[M, -G.T], [G, R]])
        system[len(M) :][~active] = np.eye(len(system))[len(M) :][~active]
        v, z = np.split(np.linalg.solve(system, np.concatenate([b, np.where(active, g, 0.0)])), [len(M)])
        w = G @ v + R @ z - g
        solutions.append((np.min([z, w]), v, z, w))
    return max(solutions, key=lambda solution: solution[0])[1:]


def printed_contacts(M, G, b, phi, alpha, beta, h):
    """Return the velocities, average forces and w of problem (0.10) with matrices alpha and beta."""
    gamma = np.linalg.inv(np.eye(len(phi)) / 2 + beta / h)
    v, z, w = solve_by_active_sets(M, G, b, gamma @ alpha / h**2, -gamma @ phi / h)
    return v, z / h, w


def library_contacts(M, G, b, phi, alpha, beta, h):
    target, regularization = target_and_regularization(phi, alpha, beta, h)
    step = solve_step(StepProblem(M, b, unilateral=UnilateralRows(G, target, regularization)))
    v, z = step.velocity, step.unilateral
    return v, z / h, G @ v + regularization @ z - target


def signs(values):
    return np.where(values > -1e-9, 1.0, -1.0)


def has_diagonal_compliance(M, G, b, phi, alpha, beta, h):
    return alpha[0, 1] == 0 and alpha[1, 0] == 0


def has_diagonal_damping(M, G, b, phi, alpha, beta, h):
    return beta[0, 1] == 0 and beta[1, 0] == 0


def rate_keeps_sign(error, ratio, push):
    return error * (ratio * error + push / 16) > 0


@section.holds("e0.10", "KKT system with softened unilateral constraints")
class e0_10:
    formula = r"\begin{pmatrix} \mathbf M & -\mathbf N^T \\ \mathbf N & \boldsymbol\gamma\boldsymbol\alpha/h^2 \end{pmatrix}\begin{pmatrix} \mathbf v_{k+1} \\ \tilde{\mathbf z} \end{pmatrix} + \begin{pmatrix} -\mathbf b \\ \boldsymbol\gamma\boldsymbol\phi_k/h \end{pmatrix} = \begin{pmatrix} 0 \\ \mathbf w \end{pmatrix},\quad 0 \le \tilde{\mathbf z} \perp \mathbf w \ge 0"
    any_size = True
    inputs = CONTACTS
    result = Result(
        vector_quantity((VELOCITY, 4), (MOMENTUM, 2)),
        "in the generalized coordinates of the system, then of the constraints",
    )

    def printed(M, G, b, phi, alpha, beta, h):
        v, force, _ = printed_contacts(M, G, b, phi, np.diag(alpha), np.diag(beta), h)
        return np.concatenate([v, h * force])

    def library(M, G, b, phi, alpha, beta, h):
        v, force, _ = library_contacts(M, G, b, phi, alpha, beta, h)
        return np.concatenate([v, h * force])

    def reference(M, G, b, phi, alpha, beta, h):
        """Try all sets of contacts whose springs and dampers push."""
        v, force, _ = soft_contacts(M, G, b, phi, np.diag(alpha), np.diag(beta), h)
        return np.concatenate([v, h * force])

    implements = SOFT_STEP_FUNCTIONS


@section.holds("d6", "Derivation of the complementary variable")
class d6:
    formula = r"\left(\tfrac h2 + \boldsymbol\beta\right)\mathbf w = \boldsymbol\alpha\bar{\mathbf z} + \boldsymbol\phi_k + \left(\tfrac h2 + \boldsymbol\beta\right)\bar{\dot{\boldsymbol\phi}}"
    any_size = True
    inputs = {name: STEP[name] for name in ("phi", "alpha", "beta", "h")} | {
        "rate": vectors(K),
        "force": vectors(K, 0.0, 2.0),
    }
    result = Result(LENGTH, "one for each constraint")

    def printed(phi, alpha, beta, h, rate, force):
        return alpha @ force + phi + (h / 2 * np.eye(len(phi)) + beta) @ rate

    def library(phi, alpha, beta, h, rate, force):
        target, regularization = target_and_regularization(phi, alpha, beta, h)
        return (h / 2 * np.eye(len(phi)) + beta) @ (rate + regularization @ (h * force) - target)

    def reference(phi, alpha, beta, h, rate, force):
        """Compare with alpha times the mean excess of the force over spring and damper, by quadrature."""
        nodes, weights = np.polynomial.legendre.leggauss(2)
        mean_force = 0 * phi
        for node, weight in zip(nodes, weights, strict=True):
            error = phi + h * (node + 1) / 2 * rate
            mean_force += weight / 2 * np.linalg.lstsq(alpha, -error - beta @ rate, rcond=None)[0]
        return np.sum(alpha * (force - mean_force), axis=1)

    implements = target_and_regularization


@section.conditional("d7", "Sign conditions of a pushing contact")
class d7:
    formula = r"\bar{\mathbf z} > 0:\quad \boldsymbol\alpha\bar{\mathbf z} = -\boldsymbol\phi_k - \left(\tfrac h2 + \boldsymbol\beta\right)\bar{\dot{\boldsymbol\phi}} > 0"
    inputs = COUPLED_SPRINGS
    result = Result(vector_quantity((LENGTH, 2), (NUMBER, 2)), "one for each constraint, then their signs")
    constants = (LENGTH,)

    def printed(M, G, b, phi, alpha, beta, h):
        v, force, _ = printed_contacts(M, G, b, phi, alpha, beta * IDENTITY, h)
        right = -phi - (h / 2 + beta) * (G @ v)
        return np.concatenate([right, np.ones(K)]) if np.all(force > 1e-9) else np.append(phi, phi)

    def library(M, G, b, phi, alpha, beta, h):
        v, force, _ = library_contacts(M, G, b, phi, alpha, beta, h)
        right = -phi - (h / 2 + beta) * (G @ v)
        return np.concatenate([right, signs(right)]) if np.all(force > 1e-9) else np.append(phi, phi)

    def reference(M, G, b, phi, alpha, beta, h):
        """Compare with alpha times the forces of pushing springs and dampers, by trying all sets of them."""
        _, force, _ = soft_contacts(M, G, b, phi, alpha, beta * IDENTITY, h)
        left = np.sum(alpha * force, axis=1)
        return np.array([left, np.sign(left)]).ravel() if min(force) > 1e-9 else np.tile(phi, 2)

    condition_inputs = {**COUPLED_SPRINGS, "alpha": DIAGONAL}
    holds_when = has_diagonal_compliance
    condition = r"$\boldsymbol\alpha$ is diagonal: each contact has its own spring"
    remark = (
        r"The equation holds for any $\boldsymbol\alpha$; only the sign of its right-hand side "
        "requires a diagonal one."
    )
    implements = SOFT_STEP_FUNCTIONS


@section.conditional("d8", "Sign conditions of an inactive contact")
class d8:
    formula = r"\mathbf w > 0:\quad \boldsymbol\phi_k + \left(\tfrac h2 + \boldsymbol\beta\right)\bar{\dot{\boldsymbol\phi}} > 0"
    inputs = COUPLED_DAMPERS
    result = Result(vector_quantity((LENGTH, 2), (NUMBER, 2)), "one for each constraint, then their signs")
    constants = (LENGTH,)

    def printed(M, G, b, phi, alpha, beta, h):
        v, _, w = printed_contacts(M, G, b, phi, alpha * IDENTITY, beta, h)
        left = phi + (h / 2 * IDENTITY + beta) @ G @ v
        return np.concatenate([left, np.ones(K)]) if np.all(w > 1e-9) else np.append(phi, phi)

    def library(M, G, b, phi, alpha, beta, h):
        _, _, w = library_contacts(M, G, b, phi, alpha, beta, h)
        left = (h / 2 * IDENTITY + beta) @ w
        return np.concatenate([left, signs(left)]) if np.all(w > 1e-9) else np.append(phi, phi)

    def reference(M, G, b, phi, alpha, beta, h):
        """Compare with (h/2 + beta) w of pushing or inactive contacts, by trying all sets of them."""
        _, _, w = soft_contacts(M, G, b, phi, alpha * IDENTITY, beta, h)
        scaled_w = h / 2 * w + np.sum(beta * w, axis=1)
        return np.array([scaled_w, np.sign(scaled_w)]).ravel() if min(w) > 1e-9 else np.tile(phi, 2)

    condition_inputs = {**COUPLED_DAMPERS, "beta": DIAGONAL}
    holds_when = has_diagonal_damping
    condition = r"$\boldsymbol\beta$ is diagonal: each contact has its own damper"
    implements = SOFT_STEP_FUNCTIONS


@section.conditional("t479#a", "Active contacts from the signs of error and rate")
class t479_a:
    formula = r"\phi_k < 0,\ \dot\phi_k < 0 \Rightarrow \mathbf z > 0;\qquad \phi_k > 0,\ \dot\phi_k > 0 \Rightarrow \mathbf z = 0"
    inputs = CONTACT_STATES
    result = Result(NUMBER, "one for each constraint")

    def printed(error, ratio, push):
        return float(error < 0)

    def library(error, ratio, push):
        target, regularization = target_and_regularization([error], 0.01, 0.5, 1 / 16)
        momentum = np.array([ratio * error + push / 16])
        return float(
            solve_step(
                StepProblem(np.eye(1), momentum, unilateral=UnilateralRows(np.eye(1), target, regularization))
            ).unilateral[0]
            > 0
        )

    def reference(error, ratio, push):
        """Check the sign of the force of a spring and damper on a unit mass without contact."""
        h, beta = 1 / 16, 1 / 2
        after = ratio * error + h * push
        return float(error + (h / 2 + beta) * after < 0)

    condition_inputs = {**CONTACT_STATES, "push": numbers(-0.875, 0.875)}
    holds_when = rate_keeps_sign
    condition = "no other force changes the sign of the rate within the step"
    remark = "The contact force depends on the velocity at the end of the step, not at its start."
    exact = "both results are booleans"
    implements = solve_step


@section.holds("t479#b", "Strong damping releases a contact that still penetrates")
class t479_b:
    formula = r"\phi_k < 0,\ \dot\phi_k > 0,\ \boldsymbol\beta \text{ large}:\quad \mathbf z = 0 \text{ although } \phi_{k+1} < 0"
    inputs = SEPARATING_STATES
    result = Result(LENGTH, "one for each constraint")

    def printed(depth, speed, share, h):
        """Return the depth after a step at the old velocity if beta makes the contact release, else 0."""
        beta = depth / speed + share * h
        large = beta > depth / speed - h / 2
        return min(0.0, h * speed - depth) * large

    def library(depth, speed, share, h):
        beta = depth / speed + share * h
        target, regularization = target_and_regularization([-depth], 0.01, beta, h)
        momentum = np.array([speed])
        rows = UnilateralRows(np.eye(1), target, regularization)
        solved = solve_step(StepProblem(np.eye(1), momentum, unilateral=rows))
        v, z = solved.velocity, solved.unilateral
        return min(0.0, h * v[0] - depth) * (z[0] == 0)

    def reference(depth, speed, share, h):
        """Compare with a unit mass on a spring and damper that can only push: its final penetration."""
        one, beta = np.eye(1), depth / speed + share * h
        v, force, _ = soft_contacts(one, one, np.array([speed]), np.array([-depth]), one / 100, beta * one, h)
        return min(0.0, h * v[0] - depth) if force[0] == 0 else 0.0

    remark = (
        r"If no other force acts, the damping is strong in this sense for $\beta > -\phi_k/\dot\phi_k "
        "- h/2$."
    )
    exact = "in free motion all three forms only multiply and subtract the same two numbers"
    implements = solve_step
