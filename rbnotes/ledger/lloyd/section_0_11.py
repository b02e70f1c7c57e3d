"""Lloyd 0.11: softening constraints with regularisation."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import strategies as st

from rbnotes.checking import jacobian
from rbnotes.checking.strategies import (
    full_rank_matrices,
    matrices,
    numbers,
    positive_numbers,
    spd_matrices,
    vectors,
)
from rbnotes.constraints.regularization import regularized_rows, soft_energy, soft_force, solve_regularized
from rbnotes.ledger.record import Verdict, claim

N, K = 4, 2
IDENTITY = np.eye(K)
SOFT = {"phi": vectors(K), "rate": vectors(K), "alpha": spd_matrices(K), "beta": spd_matrices(K)}
STEP = {
    "M": spd_matrices(N),
    "G": full_rank_matrices(K, N),
    "b": vectors(N),
    "phi": vectors(K),
    "alpha": spd_matrices(K),
    "beta": spd_matrices(K),
    "h": positive_numbers(0.125, 1.0),
}
AVERAGED = {
    "start": vectors(K),
    "middle": vectors(K),
    "end": vectors(K),
    "alpha": spd_matrices(K),
    "beta": spd_matrices(K),
    "h": positive_numbers(0.125, 1.0),
}
# Contacts that share springs and dampers strongly.
COUPLED = {**STEP, "beta": matrices(K, K).map(lambda A: A @ A.T + IDENTITY / 20)}
DIAGONAL = {**STEP, "alpha": vectors(K, 0.25, 2).map(np.diag), "beta": vectors(K, 0, 2).map(np.diag)}
SIGNS = {"side": st.sampled_from((1.0, -1.0)), "error": positive_numbers(), "speed": positive_numbers()}
UNDAMPED = {name: strategy for name, strategy in STEP.items() if name != "beta"}
# One contact per row: its compliance, its damping time.
CONTACTS = {**STEP, "alpha": vectors(K, 0.25, 2), "beta": vectors(K, 0, 2)}
DEFINING = "the force law with its averages, solved at once with M v = b + h G^T lambda"


def constraint(q):
    """Two curved constraint functions of four coordinates."""
    return np.array([q[0] ** 2 + q[1] * q[2] - 1, np.sin(q[3]) + q[0] * q[1] - q[2]])


def potential_reference(q, alpha):
    """Work against the force of the springs while the errors grow from zero, by Gauss quadrature."""
    phi = constraint(q)
    nodes, weights = np.polynomial.legendre.leggauss(3)
    return sum(
        w / 2 * phi @ np.linalg.solve(alpha, (s + 1) / 2 * phi) for s, w in zip(nodes, weights, strict=True)
    )


def damped_reference(phi, rate, alpha, beta):
    """alpha lambda balances the error and beta times its rate."""
    return np.linalg.solve(-alpha, phi + np.sum(beta * rate, axis=1))


def step_reference(M, G, b, phi, alpha, beta, h):
    """New velocities and average multipliers, from the averages themselves."""
    mean_error = h / 2 * G
    system = np.block([[M, -h * G.T], [mean_error + beta @ G, alpha]])
    return np.linalg.solve(system, np.concatenate([b, -phi]))


def undamped_library(M, G, b, phi, alpha, h):
    return solve_regularized(M, G, b, regularized_rows(phi, alpha, 0.0, h))[1] / h


def undamped_reference(M, G, b, phi, alpha, h):
    return step_reference(M, G, b, phi, alpha, 0 * IDENTITY, h)[N:]


def contact_reference(M, G, b, phi, alpha, beta, h):
    """New velocities, average contact forces: each soft contact pushes or is off; all combinations are tried."""
    for pushing in itertools.product((False, True), repeat=K):
        on = np.array(pushing)
        system = np.zeros((N + K, N + K))
        system[:N, :N], system[:N, N:] = M, -h * G.T
        system[N:, :N] = on[:, None] * ((h / 2 + beta)[:, None] * G)
        system[N:, N:] = np.diag(np.where(on, alpha, 1.0))
        v, force = np.split(np.linalg.solve(system, np.concatenate([b, -phi * on])), [N])
        wanted = -(phi + (h / 2 + beta) * (G @ v)) / alpha
        if np.all(np.where(on, force >= -1e-12, wanted <= 1e-12)):
            return v, force
    raise ArithmeticError("no combination of contacts is consistent")


def by_active_rows(M, G, b, R, g):
    """Solve 0 <= z, w = G v + R z - g >= 0, with z or w zero in each row, by trying all sets of active rows."""
    for pushing in itertools.product((False, True), repeat=K):
        on = np.array(pushing)
        system = np.block([[M, -G.T], [G, R]])
        system[N:][~on] = np.eye(N + K)[N:][~on]
        v, z = np.split(np.linalg.solve(system, np.concatenate([b, np.where(on, g, 0.0)])), [N])
        w = G @ v + R @ z - g
        if np.all(z >= -1e-12) and np.all(w >= -1e-12):
            return v, z, w
    return np.full(N, np.nan), np.full(K, np.nan), np.full(K, np.nan)


def coupled_contact(M, G, b, phi, alpha, beta, h):
    """Problem (0.10) with matrices alpha and beta: velocities, average forces and w."""
    gamma = np.linalg.inv(IDENTITY / 2 + beta / h)
    v, z, w = by_active_rows(M, G, b, gamma @ alpha / h**2, -gamma @ phi / h)
    return v, z / h, w


def signs(values):
    return np.where(values > -1e-9, 1.0, -1.0)


ENERGY = {"q": vectors(N), "alpha": spd_matrices(K)}
FORCE = ("rbnotes.constraints.regularization.soft_force",)


@claim("lloyd/s0.11/d1", "Potential energy of a softened constraint")
class d1:
    formula = r"U(\mathbf q) = \tfrac12\boldsymbol\phi^T\boldsymbol\alpha^{-1}\boldsymbol\phi"
    inputs = ENERGY

    def printed(q, alpha):
        phi = constraint(q)
        return 1 / 2 * phi @ np.linalg.inv(alpha) @ phi

    def library(q, alpha):
        return soft_energy(constraint(q), alpha)

    oracle = "work against linear springs of inverse stiffness alpha, by quadrature"
    reference = potential_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.constraints.regularization.soft_energy",)
    chapter = "regularization"


@claim("lloyd/s0.11/d2", "Force of a softened constraint")
class d2:
    formula = (
        r"\mathbf f_c = -\frac{\partial U}{\partial\mathbf q} "
        r"= -\mathbf G^T\boldsymbol\alpha^{-1}\boldsymbol\phi"
    )
    inputs = ENERGY

    def printed(q, alpha):
        G = jacobian(constraint, q).value
        return -G.T @ np.linalg.inv(alpha) @ constraint(q)

    def library(q, alpha):
        return jacobian(constraint, q).value.T @ soft_force(constraint(q), np.zeros(K), alpha)

    oracle = "differences of the work, for two curved constraint functions"

    def reference(q, alpha):
        return -jacobian(lambda y: potential_reference(y, alpha), q).value

    verdict = Verdict.HOLDS
    implemented_by = FORCE
    chapter = "regularization"


@claim("lloyd/s0.11/e0.7", "The multiplier with damping")
class e0_7:
    formula = (
        r"\boldsymbol\lambda = -\boldsymbol\alpha^{-1}(\boldsymbol\phi + "
        r"\boldsymbol\beta\dot{\boldsymbol\phi})"
    )
    inputs = SOFT

    def printed(phi, rate, alpha, beta):
        return -np.linalg.inv(alpha) @ (phi + beta @ rate)

    def library(phi, rate, alpha, beta):
        return soft_force(phi, rate, alpha, beta)

    oracle = "the balance alpha lambda = -(phi + beta dphi/dt), solved"
    reference = damped_reference
    verdict = Verdict.HOLDS
    implemented_by = FORCE
    chapter = "regularization"


@claim("lloyd/s0.11/t432", "The full damping term")
class t432:
    formula = (
        r"-\partial\boldsymbol\lambda/\partial\dot{\boldsymbol\phi} "
        r"= \boldsymbol\alpha^{-1}\boldsymbol\beta"
    )
    inputs = SOFT

    def printed(phi, rate, alpha, beta):
        return np.linalg.inv(alpha) @ beta

    def library(phi, rate, alpha, beta):
        return -jacobian(lambda r: soft_force(phi, r, alpha, beta), rate).value

    oracle = "differences of the multiplier with respect to the rate"

    def reference(phi, rate, alpha, beta):
        return -jacobian(lambda r: damped_reference(phi, r, alpha, beta), rate).value

    verdict = Verdict.HOLDS
    implemented_by = FORCE
    chapter = "regularization"


@claim("lloyd/s0.11/d3", "The multiplier averaged over a step")
class d3:
    formula = (
        r"\boldsymbol\alpha\bar{\boldsymbol\lambda} "
        r"= -\bar{\boldsymbol\phi} - \boldsymbol\beta\bar{\dot{\boldsymbol\phi}}"
    )
    inputs = AVERAGED

    def printed(start, middle, end, alpha, beta, h):
        mean_phi, mean_rate = (start + 4 * middle + end) / 6, (end - start) / h
        return np.linalg.solve(alpha, -mean_phi - beta @ mean_rate)

    oracle = "the mean of the momentary multiplier along a path, by quadrature"

    def reference(start, middle, end, alpha, beta, h):
        """Mean of the momentary multiplier along a path, quadratic in time, through three errors."""
        nodes, weights = np.polynomial.legendre.leggauss(3)
        total = np.zeros(K)
        for s, weight in zip(nodes, weights, strict=True):
            error = middle + (end - start) / 2 * s + (end + start - 2 * middle) / 2 * s**2
            rate = ((end - start) / 2 + (end + start - 2 * middle) * s) * 2 / h
            total += weight / 2 * damped_reference(error, rate, alpha, beta)
        return total

    verdict = Verdict.HOLDS
    implemented_by = FORCE
    chapter = "regularization"


@claim("lloyd/s0.11/e0.8", "The averages put in")
class e0_8:
    formula = (
        r"\boldsymbol\alpha\bar{\boldsymbol\lambda} "
        r"= -\boldsymbol\phi_k + \left(\tfrac h2 + \boldsymbol\beta\right)\bar{\dot{\boldsymbol\phi}} "
        r"\approx -\boldsymbol\phi_k + \left(\tfrac h2 + \boldsymbol\beta\right)\mathbf G\mathbf v_{k+1}"
    )
    inputs = STEP

    def printed(M, G, b, phi, alpha, beta, h):
        v = step_reference(M, G, b, phi, alpha, beta, h)[:N]
        return np.linalg.solve(alpha, -phi + (h / 2 * IDENTITY + beta) @ G @ v)

    def library(M, G, b, phi, alpha, beta, h):
        return solve_regularized(M, G, b, regularized_rows(phi, alpha, beta, h))[1] / h

    oracle = "the momentum that the constraint adds over the step, in terms of the rows of G"

    def reference(M, G, b, phi, alpha, beta, h):
        """What the constraint forces add to the momentum, per step size."""
        v = step_reference(M, G, b, phi, alpha, beta, h)[:N]
        return np.linalg.lstsq(h * G.T, M @ v - b, rcond=None)[0]

    verdict = Verdict.ERRATUM
    correction = (
        r"$\boldsymbol\alpha\bar{\boldsymbol\lambda} = -\boldsymbol\phi_k - \left(\tfrac h2 + "
        r"\boldsymbol\beta\right)\bar{\dot{\boldsymbol\phi}}$, and a minus sign in the second form too"
    )
    remark = "Both terms of the display before have a minus sign. The next display has it right."
    implemented_by = ("rbnotes.constraints.regularization.solve_regularized",)
    chapter = "regularization"


@claim("lloyd/s0.11/d4", "The same as a row of a KKT system")
class d4:
    formula = (
        r"\mathbf G\mathbf v_{k+1} + \frac{\boldsymbol\gamma\boldsymbol\alpha}{h^2}"
        r"\tilde{\boldsymbol\lambda} = -\frac{\boldsymbol\gamma\boldsymbol\phi_k}h"
    )
    inputs = STEP

    def printed(M, G, b, phi, alpha, beta, h):
        v, mean = np.split(step_reference(M, G, b, phi, alpha, beta, h), [N])
        gamma = np.linalg.inv(1 / 2 * IDENTITY + beta / h)
        impulse = h * mean
        return G @ v + gamma @ alpha @ impulse / h**2 + gamma @ phi / h + phi

    oracle = "velocities and multipliers of the averaged force law (both sides of the row, plus phi)"

    def reference(M, G, b, phi, alpha, beta, h):
        return phi

    verdict = Verdict.HOLDS
    remark = r"With $\tilde{\boldsymbol\lambda} = h\bar{\boldsymbol\lambda}$, see the text below it."
    implemented_by = ("rbnotes.constraints.regularization.solve_regularized",)
    chapter = "regularization"


@claim("lloyd/s0.11/t446", "The constraint impulse")
class t446:
    formula = (
        r"\tilde{\boldsymbol\lambda} \equiv \bar{\boldsymbol\lambda}\ \text{denotes the constraint "
        r"impulse}"
    )
    inputs = STEP

    def printed(M, G, b, phi, alpha, beta, h):
        return step_reference(M, G, b, phi, alpha, beta, h)[N:]

    def library(M, G, b, phi, alpha, beta, h):
        return solve_regularized(M, G, b, regularized_rows(phi, alpha, beta, h))[1]

    oracle = "the momentum that is missing in M v = b, in terms of the rows of G"

    def reference(M, G, b, phi, alpha, beta, h):
        """What is missing in the momentum, in terms of the rows of G."""
        v = step_reference(M, G, b, phi, alpha, beta, h)[:N]
        return np.linalg.lstsq(G.T, M @ v - b, rcond=None)[0]

    verdict = Verdict.ERRATUM
    correction = r"$\tilde{\boldsymbol\lambda} \equiv h\bar{\boldsymbol\lambda}$"
    remark = r"As (0.10) has it, with $\tilde{\mathbf z} \equiv h\bar{\mathbf z}$."
    implemented_by = ("rbnotes.constraints.regularization.solve_regularized",)
    chapter = "regularization"


@claim("lloyd/s0.11/e0.9", "KKT system with softened constraints")
class e0_9:
    formula = (
        r"\begin{pmatrix} \mathbf M & -\mathbf G^T \\"
        r" \mathbf G & \boldsymbol\gamma\boldsymbol\alpha/h^2 \end{pmatrix}\begin{pmatrix} \mathbf "
        r"v_{k+1} \\ \tilde{\boldsymbol\lambda} \end{pmatrix} = \begin{pmatrix} \mathbf b \\"
        r" -\boldsymbol\gamma\boldsymbol\phi_k/h \end{pmatrix}"
    )
    inputs = STEP

    def printed(M, G, b, phi, alpha, beta, h):
        gamma = np.linalg.inv(1 / 2 * IDENTITY + beta / h)
        system = np.block([[M, -G.T], [G, gamma @ alpha / h**2]])
        return np.linalg.solve(system, np.concatenate([b, -gamma @ phi / h]))

    def library(M, G, b, phi, alpha, beta, h):
        return np.concatenate(solve_regularized(M, G, b, regularized_rows(phi, alpha, beta, h)))

    oracle = DEFINING

    def reference(M, G, b, phi, alpha, beta, h):
        v, mean = np.split(step_reference(M, G, b, phi, alpha, beta, h), [N])
        return np.concatenate([v, h * mean])

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.constraints.regularization.solve_regularized",)
    chapter = "regularization"


@claim("lloyd/s0.11/d5#a", "Without damping")
class d5_a:
    formula = (
        r"\boldsymbol\beta = 0:\quad \bar{\boldsymbol\lambda} "
        r"= -\tfrac12\boldsymbol\alpha^{-1}(h\mathbf G\mathbf v_{k+1} + 2\boldsymbol\phi_k)"
    )
    inputs = UNDAMPED

    def printed(M, G, b, phi, alpha, h):
        v = step_reference(M, G, b, phi, alpha, 0 * IDENTITY, h)[:N]
        return -np.linalg.inv(alpha) / 2 @ (h * G @ v + 2 * phi)

    library = undamped_library
    oracle = DEFINING
    reference = undamped_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.constraints.regularization.solve_regularized",)
    chapter = "regularization"


@claim("lloyd/s0.11/d5#b", "Without damping, the mean error times the stiffness")
class d5_b:
    formula = (
        r"\bar{\boldsymbol\lambda} \approx -\tfrac12\boldsymbol\alpha^{-1}(\boldsymbol\phi_{k+1} + "
        r"\boldsymbol\phi_k)"
    )
    inputs = UNDAMPED

    def printed(M, G, b, phi, alpha, h):
        v = step_reference(M, G, b, phi, alpha, 0 * IDENTITY, h)[:N]
        phi_next = phi + h * G @ v
        return -np.linalg.inv(alpha) / 2 @ (phi_next + phi)

    library = undamped_library
    oracle = DEFINING
    reference = undamped_reference
    verdict = Verdict.HOLDS
    remark = "Exact for constraints that are linear in the positions."
    implemented_by = ("rbnotes.constraints.regularization.solve_regularized",)
    chapter = "regularization"


@claim("lloyd/s0.11/t457", "The mean error times the restoring stiffness")
class t457:
    formula = (
        r"\bar{\boldsymbol\lambda}\ \text{is the average value of}\ \boldsymbol\phi\ \text{times the "
        r"restoring stiffness}"
    )
    inputs = UNDAMPED

    def printed(M, G, b, phi, alpha, h):
        v = step_reference(M, G, b, phi, alpha, 0 * IDENTITY, h)[:N]
        return np.linalg.inv(alpha) @ (phi + h / 2 * G @ v)

    library = undamped_library
    oracle = DEFINING
    reference = undamped_reference
    verdict = Verdict.MISPRINT
    correction = r"minus the average value of $\boldsymbol\phi$ times the stiffness, as in the display before"
    implemented_by = ("rbnotes.constraints.regularization.solve_regularized",)
    chapter = "regularization"


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

    def printed(M, G, b, phi, alpha, beta, h):
        gamma = 1 / (1 / 2 + beta / h)
        v, z, _ = by_active_rows(M, G, b, np.diag(gamma * alpha / h**2), -gamma * phi / h)
        return np.concatenate([v, z])

    def library(M, G, b, phi, alpha, beta, h):
        v, z, _ = by_active_rows(M, G, b, *regularized_rows(phi, alpha, beta, h))
        return np.concatenate([v, z])

    oracle = "springs and dampers that push or are off: every combination tried"

    def reference(M, G, b, phi, alpha, beta, h):
        v, force = contact_reference(M, G, b, phi, alpha, beta, h)
        return np.concatenate([v, h * force])

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.constraints.regularization.regularized_rows",)
    chapter = "regularization"


@claim("lloyd/s0.11/d6", "The complementary variable, worked backwards")
class d6:
    formula = (
        r"\left(\tfrac h2 + \boldsymbol\beta\right)\mathbf w "
        r"= \boldsymbol\alpha\bar{\mathbf z} + \boldsymbol\phi_k + \left(\tfrac h2 + "
        r"\boldsymbol\beta\right)\bar{\dot{\boldsymbol\phi}}"
    )
    inputs = CONTACTS

    def printed(M, G, b, phi, alpha, beta, h):
        v, force = contact_reference(M, G, b, phi, alpha, beta, h)
        return alpha * force + phi + (h / 2 + beta) * (G @ v)

    oracle = "w from its row of (0.10)"

    def reference(M, G, b, phi, alpha, beta, h):
        """(h/2 + beta) w, with w from the rows of the printed problem."""
        v, force = contact_reference(M, G, b, phi, alpha, beta, h)
        gamma = 1 / (1 / 2 + beta / h)
        return (h / 2 + beta) * (G @ v + gamma * alpha / h**2 * (h * force) + gamma * phi / h)

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.constraints.regularization.regularized_rows",)
    chapter = "regularization"


@claim("lloyd/s0.11/d7", "A contact that pushes")
class d7:
    formula = (
        r"\bar{\mathbf z} > 0:\quad \boldsymbol\alpha\bar{\mathbf z} "
        r"= -\boldsymbol\phi_k - \left(\tfrac h2 + \boldsymbol\beta\right)\bar{\dot{\boldsymbol\phi}} > 0"
    )
    inputs = COUPLED

    def printed(M, G, b, phi, alpha, beta, h):
        v, force, _ = coupled_contact(M, G, b, phi, alpha, beta, h)
        right = -phi - (h / 2 * IDENTITY + beta) @ G @ v
        return np.concatenate([right, signs(right)]) if np.all(force > 1e-9) else np.ones(2 * K)

    oracle = "alpha times the forces that solve (0.10), and their signs, by trying all sets of active rows"

    def reference(M, G, b, phi, alpha, beta, h):
        _, force, _ = coupled_contact(M, G, b, phi, alpha, beta, h)
        return (
            np.concatenate([np.sum(alpha * force, axis=1), np.ones(K)])
            if np.all(force > 1e-9)
            else np.ones(2 * K)
        )

    verdict = Verdict.CONDITIONAL
    given = DIAGONAL
    condition = (
        r"$\boldsymbol\alpha$ and $\boldsymbol\beta$ are diagonal: each contact has its own spring and "
        r"damper"
    )
    remark = "The equality holds for all matrices, the sign of its right side does not."
    implemented_by = ("rbnotes.constraints.regularization.regularized_rows",)
    chapter = "regularization"


@claim("lloyd/s0.11/d8", "A contact that is off")
class d8:
    formula = (
        r"\mathbf w > 0:\quad \boldsymbol\phi_k + \left(\tfrac h2 + "
        r"\boldsymbol\beta\right)\bar{\dot{\boldsymbol\phi}} > 0"
    )
    inputs = COUPLED

    def printed(M, G, b, phi, alpha, beta, h):
        v, _, w = coupled_contact(M, G, b, phi, alpha, beta, h)
        left = phi + (h / 2 * IDENTITY + beta) @ G @ v
        return np.concatenate([left, signs(left)]) if np.all(w > 1e-9) else np.ones(2 * K)

    oracle = "(h/2 + beta) w of the solution of (0.10), and the signs, by trying all sets of active rows"

    def reference(M, G, b, phi, alpha, beta, h):
        _, _, w = coupled_contact(M, G, b, phi, alpha, beta, h)
        scaled = h / 2 * w + np.sum(beta * w, axis=1)
        return np.concatenate([scaled, np.ones(K)]) if np.all(w > 1e-9) else np.ones(2 * K)

    verdict = Verdict.CONDITIONAL
    given = DIAGONAL
    condition = (
        r"$\boldsymbol\alpha$ and $\boldsymbol\beta$ are diagonal: each contact has its own spring and "
        r"damper"
    )
    implemented_by = ("rbnotes.constraints.regularization.regularized_rows",)
    chapter = "regularization"


@claim("lloyd/s0.11/t479#a", "Which contacts push, from the signs of error and rate")
class t479_a:
    formula = (
        r"\phi_k < 0,\ \dot\phi_k < 0 \Rightarrow \mathbf z > 0;\qquad \phi_k > 0,\ \dot\phi_k > 0 "
        r"\Rightarrow \mathbf z = 0"
    )
    inputs = {**SIGNS, "push": numbers(-1000, 1000)}

    def printed(side, error, speed, push):
        return 1.0 if side < 0 else 0.0

    oracle = "the sign of error and velocity after the step, for one unit mass"

    def reference(side, error, speed, push):
        """Is the contact of a unit mass on (1.0) or off (0.0)? Its velocity after the step decides."""
        h, beta = 1 / 16, 1 / 2
        after = side * speed + h * push
        return float(side * error + (h / 2 + beta) * after < 0)

    verdict = Verdict.CONDITIONAL
    given = {**SIGNS, "push": numbers(0, 0)}
    condition = "no other force changes the sign of the rate within the step"
    remark = "The contact force depends on the velocity at the end of the step, not on that at its start."
    implemented_by = ("rbnotes.constraints.regularization.regularized_rows",)
    chapter = "regularization"


@claim("lloyd/s0.11/t479#b", "Strong damping lets a contact go while it is still inside")
class t479_b:
    formula = (
        r"\phi_k < 0,\ \dot\phi_k > 0,\ \boldsymbol\beta \text{ large}:\quad \mathbf z "
        r"= 0 \text{ although } \phi_{k+1} < 0"
    )
    inputs = {"depth": numbers(0.25, 2), "speed": numbers(0.25, 2)}

    def printed(depth, speed):
        return [1.0, 1.0]

    oracle = "a body that leaves the ground slowly: its contact force and its depth after the step"

    def reference(depth, speed):
        """A body of unit mass inside the ground, leaving slowly: is the force zero, and is it still inside after?"""
        h = 0.01
        beta = 2 * depth / speed
        fall, G = np.array([speed]), np.eye(1)
        force = max(0.0, -(-depth + (h / 2 + beta) * speed) / 1e-4)
        after = -depth + h * (G @ fall)[0]
        return [float(force == 0), float(after < 0)]

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.constraints.regularization.regularized_rows",)
    chapter = "regularization"
