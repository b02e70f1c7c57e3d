"""Lloyd 0.11: softening constraints with regularisation."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rbnotes.constraints.soft_constraints import soft_force, target_and_regularization
from rbnotes.dynamics import BilateralRows, StepProblem, solve_step
from rbnotes.ledger import quantities as units
from rbnotes.ledger.oracles.soft_constraints import soft_step
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing.strategies import (
    full_rank_matrices,
    matrices,
    positive_numbers,
    spd_matrices,
    vectors,
)

N, K = 4, 2
IDENTITY = np.eye(K)
ALPHA = st.shared(spd_matrices(K), key="alpha")
# Dampers alpha^-1 beta that dissipate, whether they are symmetric or not.
BETA = st.builds(lambda alpha, S, A: alpha @ (S + A - A.T), ALPHA, spd_matrices(K), matrices(K, K))
ROWS = {
    "phi": vectors(K),
    "alpha": ALPHA,
    "beta": BETA,
    "h": positive_numbers(0.125, 1.0),
}
STEP = {"M": spd_matrices(N), "G": full_rank_matrices(K, N), "b": vectors(N), **ROWS}
UNDAMPED = {name: strategy for name, strategy in STEP.items() if name != "beta"}
AVERAGED = {
    "start": vectors(K),
    "middle": vectors(K),
    "end": vectors(K),
    "alpha": ALPHA,
    "beta": BETA,
    "h": positive_numbers(0.125, 1.0),
}
FORCE = ("rbnotes.constraints.soft_constraints.soft_force",)
SOLVED = ("rbnotes.dynamics.solve_step",)
DEFINING = "the force law with its averages, solved at once with M v = b + h G^T lambda"


QUANTITIES = {
    "alpha": units.NUMBER / units.STIFFNESS,
    "b": units.MOMENTUM,
    "beta": units.TIME,
    "end": units.LENGTH,
    "middle": units.LENGTH,
    "phi": units.LENGTH,
    "rate": units.VELOCITY,
    "start": units.LENGTH,
}


def softened_problem(M, G, b, phi, alpha, beta, h):
    """The problem of a step under softened constraints."""
    return StepProblem(M, b, BilateralRows(G, *target_and_regularization(phi, alpha, beta, h)))


def undamped_library(M, G, b, phi, alpha, h):
    return solve_step(softened_problem(M, G, b, phi, alpha, 0.0, h)).bilateral / h


def undamped_reference(M, G, b, phi, alpha, h):
    return soft_step(M, G, b, phi, alpha, 0 * IDENTITY, h)[1]


def rows_reference(phi, alpha, relaxed, h):
    """R and g of the row ``G v + R impulse = g``: the rates that go with each unit impulse, and with none.

    ``alpha impulse / h = -phi - relaxed G v``, where ``relaxed`` is ``h/2 + beta``.
    """
    at_none = np.linalg.solve(relaxed, -phi)
    of_units = np.linalg.solve(relaxed, -alpha / h - phi[:, None])
    return np.vstack([at_none[:, None] - of_units, at_none])


@claim("lloyd/s0.11/d3", "The multiplier averaged over a step")
class d3:
    formula = (
        r"\boldsymbol\alpha\bar{\boldsymbol\lambda} "
        r"= -\bar{\boldsymbol\phi} - \boldsymbol\beta\bar{\dot{\boldsymbol\phi}}"
    )
    inputs = AVERAGED
    result = units.FORCE

    def printed(start, middle, end, alpha, beta, h):
        mean_phi, mean_rate = (start + 4 * middle + end) / 6, (end - start) / h
        return np.linalg.solve(alpha, -mean_phi - beta @ mean_rate)

    def library(start, middle, end, alpha, beta, h):
        return soft_force((start + 4 * middle + end) / 6, (end - start) / h, alpha, beta)

    oracle = "the mean of the momentary multiplier along a path, by quadrature"

    def reference(start, middle, end, alpha, beta, h):
        """Mean of the momentary multiplier along a path, quadratic in time, through three errors."""
        nodes, weights = np.polynomial.legendre.leggauss(3)
        total = np.zeros(K)
        for s, weight in zip(nodes, weights, strict=True):
            error = middle + (end - start) / 2 * s + (end + start - 2 * middle) / 2 * s**2
            rate = ((end - start) / 2 + (end + start - 2 * middle) * s) * 2 / h
            total += weight / 2 * np.linalg.lstsq(alpha, -error - beta @ rate, rcond=None)[0]
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
    result = units.FORCE

    def printed(M, G, b, phi, alpha, beta, h):
        v, _ = soft_step(M, G, b, phi, alpha, beta, h)
        return np.linalg.solve(alpha, -phi + (h / 2 * IDENTITY + beta) @ G @ v)

    def library(M, G, b, phi, alpha, beta, h):
        return solve_step(softened_problem(M, G, b, phi, alpha, beta, h)).bilateral / h

    oracle = "the momentum that the constraint adds over the step, in terms of the rows of G"

    def reference(M, G, b, phi, alpha, beta, h):
        """What the constraint forces add to the momentum, per step size."""
        v, _ = soft_step(M, G, b, phi, alpha, beta, h)
        return np.linalg.lstsq(h * G.T, M @ v - b, rcond=None)[0]

    verdict = Verdict.ERRATUM
    correction = (
        r"$\boldsymbol\alpha\bar{\boldsymbol\lambda} = -\boldsymbol\phi_k - \left(\tfrac h2 + "
        r"\boldsymbol\beta\right)\bar{\dot{\boldsymbol\phi}}$, and a minus sign in the second form too"
    )
    remark = "Both terms of the display before have a minus sign. The next display has it right."
    implemented_by = SOLVED
    chapter = "regularization"


@claim("lloyd/s0.11/t442", "The factor of relaxation")
class t442:
    formula = r"\boldsymbol\gamma \equiv (1/2 + \boldsymbol\beta/h)^{-1}"
    inputs = ROWS
    result = units.stacked_quantity(units.INVERSE_MASS, units.INVERSE_MASS, units.VELOCITY)

    def printed(phi, alpha, beta, h):
        """The number 1/2 is added to each entry of a matrix beta."""
        gamma = np.linalg.inv(1 / 2 + beta / h)
        return np.vstack([gamma @ alpha / h**2, -gamma @ phi / h])

    def library(phi, alpha, beta, h):
        target, softness = target_and_regularization(phi, alpha, beta, h)
        return np.vstack([softness, target])

    oracle = (
        "the row's coefficients from the force law: the rates that go with each unit impulse, and with none"
    )

    def reference(phi, alpha, beta, h):
        return rows_reference(phi, alpha, h / 2 * IDENTITY + beta, h)

    verdict = Verdict.MISPRINT
    correction = (
        r"$\boldsymbol\gamma \equiv (\tfrac12\mathbf I + \boldsymbol\beta/h)^{-1}$ for a matrix "
        r"$\boldsymbol\beta$, which the bold letter says it is; likewise $\tfrac h2\mathbf I$ before."
    )
    remark = "Array code adds a number to every entry of a matrix, without a word."
    implemented_by = ("rbnotes.constraints.soft_constraints.target_and_regularization",)
    chapter = "regularization"


@claim("lloyd/s0.11/d4", "The same as a row of a KKT system")
class d4:
    formula = (
        r"\mathbf G\mathbf v_{k+1} + \frac{\boldsymbol\gamma\boldsymbol\alpha}{h^2}"
        r"\tilde{\boldsymbol\lambda} = -\frac{\boldsymbol\gamma\boldsymbol\phi_k}h"
    )
    inputs = {**ROWS, "rate": vectors(K)}
    result = units.MOMENTUM

    def printed(phi, alpha, beta, h, rate):
        """The impulse from the row, for given ``G v``."""
        gamma = np.linalg.inv(1 / 2 * IDENTITY + beta / h)
        return np.linalg.solve(gamma @ alpha / h**2, -gamma @ phi / h - rate)

    def library(phi, alpha, beta, h, rate):
        target, softness = target_and_regularization(phi, alpha, beta, h)
        return np.linalg.solve(softness, target - rate)

    oracle = (
        "step size times the mean of the force law while the error grows at a constant rate, by quadrature"
    )

    def reference(phi, alpha, beta, h, rate):
        nodes, weights = np.polynomial.legendre.leggauss(2)
        times = h * (nodes + 1) / 2
        forces = [np.linalg.lstsq(alpha, -(phi + t * rate) - beta @ rate, rcond=None)[0] for t in times]
        return h * sum(weight / 2 * force for weight, force in zip(weights, forces, strict=True))

    verdict = Verdict.HOLDS
    remark = r"With $\tilde{\boldsymbol\lambda} = h\bar{\boldsymbol\lambda}$, see the text below it."
    implemented_by = ("rbnotes.constraints.soft_constraints.target_and_regularization",)
    chapter = "regularization"


@claim("lloyd/s0.11/t446", "The constraint impulse")
class t446:
    formula = (
        r"\tilde{\boldsymbol\lambda} \equiv \bar{\boldsymbol\lambda}\ \text{denotes the constraint "
        r"impulse}"
    )
    inputs = STEP
    result = units.MOMENTUM

    def printed(M, G, b, phi, alpha, beta, h):
        return soft_step(M, G, b, phi, alpha, beta, h)[1]

    def library(M, G, b, phi, alpha, beta, h):
        return solve_step(softened_problem(M, G, b, phi, alpha, beta, h)).bilateral

    oracle = "the momentum that is missing in M v = b, in terms of the rows of G"

    def reference(M, G, b, phi, alpha, beta, h):
        """What is missing in the momentum, in terms of the rows of G."""
        v, _ = soft_step(M, G, b, phi, alpha, beta, h)
        return np.linalg.lstsq(G.T, M @ v - b, rcond=None)[0]

    verdict = Verdict.ERRATUM
    correction = r"$\tilde{\boldsymbol\lambda} \equiv h\bar{\boldsymbol\lambda}$"
    units_mismatch = r"a factor $h$ is missing: a force is called an impulse"
    remark = r"As (0.10) has it, with $\tilde{\mathbf z} \equiv h\bar{\mathbf z}$."
    implemented_by = SOLVED
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
    result = units.vector_quantity((units.VELOCITY, 4), (units.MOMENTUM, 2))

    def printed(M, G, b, phi, alpha, beta, h):
        gamma = np.linalg.inv(1 / 2 * IDENTITY + beta / h)
        system = np.block([[M, -G.T], [G, gamma @ alpha / h**2]])
        return np.linalg.solve(system, np.concatenate([b, -gamma @ phi / h]))

    def library(M, G, b, phi, alpha, beta, h):
        solved = solve_step(softened_problem(M, G, b, phi, alpha, beta, h))
        return np.concatenate([solved.velocity, solved.bilateral])

    oracle = DEFINING

    def reference(M, G, b, phi, alpha, beta, h):
        v, mean = soft_step(M, G, b, phi, alpha, beta, h)
        return np.concatenate([v, h * mean])

    verdict = Verdict.HOLDS
    implemented_by = SOLVED
    chapter = "regularization"


@claim("lloyd/s0.11/t453", "Without damping the factor is two")
class t453:
    formula = r"\boldsymbol\beta = 0 \;\Rightarrow\; \boldsymbol\gamma = 2"
    inputs = {name: strategy for name, strategy in ROWS.items() if name != "beta"}
    result = units.stacked_quantity(units.INVERSE_MASS, units.INVERSE_MASS, units.VELOCITY)

    def printed(phi, alpha, h):
        gamma = 2
        return np.vstack([gamma * alpha / h**2, -gamma * phi / h])

    def library(phi, alpha, h):
        target, softness = target_and_regularization(phi, alpha, 0.0, h)
        return np.vstack([softness, target])

    oracle = (
        "the row's coefficients from the force law: the rates that go with each unit impulse, and with none"
    )

    def reference(phi, alpha, h):
        return rows_reference(phi, alpha, h / 2 * IDENTITY, h)

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.constraints.soft_constraints.target_and_regularization",)
    chapter = "regularization"


@claim("lloyd/s0.11/d5#a", "Without damping")
class d5_a:
    formula = (
        r"\boldsymbol\beta = 0:\quad \bar{\boldsymbol\lambda} "
        r"= -\tfrac12\boldsymbol\alpha^{-1}(h\mathbf G\mathbf v_{k+1} + 2\boldsymbol\phi_k)"
    )
    inputs = UNDAMPED
    result = units.FORCE

    def printed(M, G, b, phi, alpha, h):
        v, _ = soft_step(M, G, b, phi, alpha, 0 * IDENTITY, h)
        return -np.linalg.inv(alpha) / 2 @ (h * G @ v + 2 * phi)

    library = undamped_library
    oracle = DEFINING
    reference = undamped_reference
    equivalent_mutants = {
        "swapped operands in `-np.linalg.inv(alpha) / 2 @ (h * G @ v + 2 * phi)`": "alpha is symmetric, and so is its inverse"
    }
    verdict = Verdict.HOLDS
    implemented_by = SOLVED
    chapter = "regularization"


@claim("lloyd/s0.11/d5#b", "Without damping, the mean error times the stiffness")
class d5_b:
    formula = (
        r"\bar{\boldsymbol\lambda} \approx -\tfrac12\boldsymbol\alpha^{-1}(\boldsymbol\phi_{k+1} + "
        r"\boldsymbol\phi_k)"
    )
    inputs = UNDAMPED
    result = units.FORCE

    def printed(M, G, b, phi, alpha, h):
        v, _ = soft_step(M, G, b, phi, alpha, 0 * IDENTITY, h)
        phi_next = phi + h * G @ v
        return -np.linalg.inv(alpha) / 2 @ (phi_next + phi)

    library = undamped_library
    oracle = DEFINING
    reference = undamped_reference
    equivalent_mutants = {
        "swapped operands in `-np.linalg.inv(alpha) / 2 @ (phi_next + phi)`": "alpha is symmetric, and so is its inverse"
    }
    verdict = Verdict.HOLDS
    remark = "Exact for constraints that are linear in the positions."
    implemented_by = SOLVED
    chapter = "regularization"


@claim("lloyd/s0.11/t457", "The mean error times the restoring stiffness")
class t457:
    formula = (
        r"\bar{\boldsymbol\lambda}\ \text{is the average value of}\ \boldsymbol\phi\ \text{times the "
        r"restoring stiffness}"
    )
    inputs = UNDAMPED
    result = units.FORCE

    def printed(M, G, b, phi, alpha, h):
        v, _ = soft_step(M, G, b, phi, alpha, 0 * IDENTITY, h)
        return np.linalg.inv(alpha) @ (phi + h / 2 * G @ v)

    library = undamped_library
    oracle = DEFINING
    reference = undamped_reference
    verdict = Verdict.MISPRINT
    correction = r"minus the average value of $\boldsymbol\phi$ times the stiffness, as in the display before"
    implemented_by = SOLVED
    chapter = "regularization"
