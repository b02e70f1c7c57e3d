"""Lloyd 0.11: softened constraints as rows of a KKT system."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rbnotes.constraints.soft_constraints import soft_force, target_and_regularization
from rbnotes.dynamics import BilateralRows, StepProblem, solve_step
from rbnotes.ledger.claims.lloyd.section_0_11 import section
from rbnotes.ledger.oracles.soft_constraints import (
    soft_step,
)
from rbnotes.ledger.quantities import (
    FORCE,
    INVERSE_MASS,
    MOMENTUM,
    VELOCITY,
    stacked_quantity,
    vector_quantity,
)
from rbnotes.ledger.record import Result
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
# The dampers alpha^-1 beta dissipate energy but need not be symmetric.
BETA = st.builds(lambda alpha, S, A: alpha @ (S + A - A.T), ALPHA, spd_matrices(K), matrices(K, K))
ROWS = {
    "phi": vectors(K),
    "alpha": ALPHA,
    "beta": BETA,
    "h": positive_numbers(0.125, 1.0),
}
STEP = {"M": spd_matrices(N), "G": full_rank_matrices(K, N), "b": vectors(N), **ROWS}
UNDAMPED_STEP = {name: strategy for name, strategy in STEP.items() if name != "beta"}
ERROR_PATH = {
    "phi_start": vectors(K),
    "phi_middle": vectors(K),
    "phi_end": vectors(K),
    "alpha": ALPHA,
    "beta": BETA,
    "h": positive_numbers(0.125, 1.0),
}


def softened_problem(M, G, b, phi, alpha, beta, h):
    """Return the problem of a step under softened constraints."""
    return StepProblem(M, b, BilateralRows(G, *target_and_regularization(phi, alpha, beta, h)))


def undamped_library(M, G, b, phi, alpha, h):
    return solve_step(softened_problem(M, G, b, phi, alpha, 0.0, h)).bilateral / h


def undamped_reference(M, G, b, phi, alpha, h):
    """Solve the averaged force law together with M v = b + h G^T lambda."""
    return soft_step(M, G, b, phi, alpha, 0 * alpha, h)[1]


def rows_reference(phi, alpha, relaxation, h):
    """Derive the coefficients of the row from the rates under no impulse and under unit impulses.

    The row is ``G v + R impulse = g``, and the force law ``alpha impulse / h = -phi - relaxed G v``, where
    ``relaxed`` is ``h/2 + beta``.
    """
    zero_impulse_rates = np.linalg.solve(relaxation, -phi)
    unit_impulse_rates = np.linalg.solve(relaxation, -alpha / h - phi[:, None])
    return np.vstack([zero_impulse_rates[:, None] - unit_impulse_rates, zero_impulse_rates])


@section.holds("d3", "The multiplier averaged over a step")
class d3:
    formula = r"\boldsymbol\alpha\bar{\boldsymbol\lambda} = -\bar{\boldsymbol\phi} - \boldsymbol\beta\bar{\dot{\boldsymbol\phi}}"
    any_size = True
    inputs = ERROR_PATH
    result = Result(FORCE, "one for each constraint")

    def printed(phi_start, phi_middle, phi_end, alpha, beta, h):
        mean_phi, mean_rate = (phi_start + 4 * phi_middle + phi_end) / 6, (phi_end - phi_start) / h
        return np.linalg.solve(alpha, -mean_phi - beta @ mean_rate)

    def library(phi_start, phi_middle, phi_end, alpha, beta, h):
        return soft_force((phi_start + 4 * phi_middle + phi_end) / 6, (phi_end - phi_start) / h, alpha, beta)

    def reference(phi_start, phi_middle, phi_end, alpha, beta, h):
        """Average the momentary multiplier along a path by quadrature.

        The path is quadratic in time and passes through the three errors.
        """
        nodes, weights = np.polynomial.legendre.leggauss(3)
        total = 0 * phi_start
        for s, weight in zip(nodes, weights, strict=True):
            error = (
                phi_middle + (phi_end - phi_start) / 2 * s + (phi_end + phi_start - 2 * phi_middle) / 2 * s**2
            )
            rate = ((phi_end - phi_start) / 2 + (phi_end + phi_start - 2 * phi_middle) * s) * 2 / h
            total += weight / 2 * np.linalg.lstsq(alpha, -error - beta @ rate, rcond=None)[0]
        return total

    implements = soft_force


@section.erratum("e0.8", "The force law with the averages substituted")
class e0_8:
    formula = r"\boldsymbol\alpha\bar{\boldsymbol\lambda} = -\boldsymbol\phi_k + \left(\tfrac h2 + \boldsymbol\beta\right)\bar{\dot{\boldsymbol\phi}} \approx -\boldsymbol\phi_k + \left(\tfrac h2 + \boldsymbol\beta\right)\mathbf G\mathbf v_{k+1}"
    edit = (r"-\boldsymbol\phi_k + \left(\tfrac h2", r"-\boldsymbol\phi_k - \left(\tfrac h2\mathbf I")
    any_size = True
    inputs = STEP
    result = Result(FORCE, "one for each constraint")

    def printed(M, G, b, phi, alpha, beta, h):
        v, _ = soft_step(M, G, b, phi, alpha, beta, h)
        return np.linalg.solve(alpha, -phi + (h / 2 * np.eye(len(phi)) + beta) @ G @ v)

    def library(M, G, b, phi, alpha, beta, h):
        return solve_step(softened_problem(M, G, b, phi, alpha, beta, h)).bilateral / h

    def reference(M, G, b, phi, alpha, beta, h):
        """Compare with the momentum that the constraint adds over the step, in terms of the rows of G."""
        v, _ = soft_step(M, G, b, phi, alpha, beta, h)
        return np.linalg.lstsq(h * G.T, M @ v - b, rcond=None)[0]

    correction = (
        r"$\boldsymbol\alpha\bar{\boldsymbol\lambda} = -\boldsymbol\phi_k - \left(\tfrac h2 + "
        r"\boldsymbol\beta\right)\bar{\dot{\boldsymbol\phi}}$, and a minus sign in the second form"
        " as well"
    )
    remark = "Both terms of the preceding display have a minus sign. The next display is correct."
    effect = (
        "A mass of one kilogram on a damped soft constraint, released with an error of one "
        "centimeter, oscillates with an amplitude of 3.3 cm after one second instead of 0.4 cm."
    )
    implements = solve_step


@section.misprint("t442", "The relaxation factor")
class t442:
    formula = r"\boldsymbol\gamma \equiv (1/2 + \boldsymbol\beta/h)^{-1}"
    any_size = True
    inputs = ROWS
    result = Result(
        stacked_quantity(INVERSE_MASS, INVERSE_MASS, VELOCITY),
        "a row and a column for each constraint, with the targets as the last row",
    )

    def printed(phi, alpha, beta, h):
        """Add the number 1/2 to each entry of the matrix beta."""
        gamma = np.linalg.inv(1 / 2 + beta / h)
        return np.vstack([gamma @ alpha / h**2, -gamma @ phi / h])

    def library(phi, alpha, beta, h):
        target, regularization = target_and_regularization(phi, alpha, beta, h)
        return np.vstack([regularization, target])

    def reference(phi, alpha, beta, h):
        """Derive the coefficients of the row from the rates under no impulse and under unit impulses."""
        return rows_reference(phi, alpha, h / 2 * np.eye(len(phi)) + beta, h)

    correction = (
        r"$\boldsymbol\gamma \equiv (\tfrac12\mathbf I + \boldsymbol\beta/h)^{-1}$ because the "
        r"bold letter denotes a matrix $\boldsymbol\beta$; likewise $\tfrac h2\mathbf I$ before."
    )
    replacement = r"Now defining $\boldsymbol\gamma \equiv (\tfrac12\mathbf I + \boldsymbol\beta/h)^{-1}$, we can rearrange this as"
    remark = r"Without the $\mathbf I$, array code silently adds the number to every entry of the matrix."
    implements = target_and_regularization


@section.holds("d4", "The softened constraint as a row of a KKT system")
class d4:
    formula = r"\mathbf G\mathbf v_{k+1} + \frac{\boldsymbol\gamma\boldsymbol\alpha}{h^2}\tilde{\boldsymbol\lambda} = -\frac{\boldsymbol\gamma\boldsymbol\phi_k}h"
    any_size = True
    inputs = {**ROWS, "rate": vectors(K)}
    result = Result(MOMENTUM, "one for each constraint")

    def printed(phi, alpha, beta, h, rate):
        """Return the impulse from the row, for given ``G v``."""
        gamma = np.linalg.inv(1 / 2 * np.eye(len(phi)) + beta / h)
        return np.linalg.solve(gamma @ alpha / h**2, -gamma @ phi / h - rate)

    def library(phi, alpha, beta, h, rate):
        target, regularization = target_and_regularization(phi, alpha, beta, h)
        return np.linalg.solve(regularization, target - rate)

    def reference(phi, alpha, beta, h, rate):
        """Compare with the step size times the mean of the force law at a constant rate, by quadrature."""
        nodes, weights = np.polynomial.legendre.leggauss(2)
        times = h * (nodes + 1) / 2
        forces = [np.linalg.lstsq(alpha, -(phi + t * rate) - beta @ rate, rcond=None)[0] for t in times]
        return h * sum(weight / 2 * force for weight, force in zip(weights, forces, strict=True))

    remark = r"The text below the display defines $\tilde{\boldsymbol\lambda} = h\bar{\boldsymbol\lambda}$."
    implements = target_and_regularization


@section.erratum("t446", "The constraint impulse")
class t446:
    formula = (
        r"\tilde{\boldsymbol\lambda} \equiv \bar{\boldsymbol\lambda}\ \text{denotes the constraint impulse}"
    )
    any_size = True
    inputs = STEP
    result = Result(MOMENTUM, "one for each constraint")

    def printed(M, G, b, phi, alpha, beta, h):
        return soft_step(M, G, b, phi, alpha, beta, h)[1]

    def library(M, G, b, phi, alpha, beta, h):
        return solve_step(softened_problem(M, G, b, phi, alpha, beta, h)).bilateral

    def reference(M, G, b, phi, alpha, beta, h):
        """Write the residual of M v = b as a combination of the rows of G."""
        v, _ = soft_step(M, G, b, phi, alpha, beta, h)
        return np.linalg.lstsq(G.T, M @ v - b, rcond=None)[0]

    correction = r"$\tilde{\boldsymbol\lambda} \equiv h\bar{\boldsymbol\lambda}$"
    replacement = r"where $\tilde{\boldsymbol\lambda} \equiv h\bar{\boldsymbol\lambda}$ denotes the constraint impulse we wish to solve for along with $\mathbf v_{k+1}$."
    units_mismatch = "a factor $h$ is missing: a force is equated to an impulse"
    combined_with = ("lloyd/s0.11/e0.9",)
    remark = (
        r"(0.10) has the corresponding impulse of the contacts, $\tilde{\mathbf z} \equiv "
        r"h\bar{\mathbf z}$."
    )
    effect = (
        "The motion is right, but the force on a support that carries a body of 1 kg reads, with steps of "
        "10 ms, 0.098 N instead of 9.81 N."
    )
    implements = solve_step


@section.holds("e0.9", "KKT system with softened constraints")
class e0_9:
    formula = r"\begin{pmatrix} \mathbf M & -\mathbf G^T \\ \mathbf G & \boldsymbol\gamma\boldsymbol\alpha/h^2 \end{pmatrix}\begin{pmatrix} \mathbf v_{k+1} \\ \tilde{\boldsymbol\lambda} \end{pmatrix} = \begin{pmatrix} \mathbf b \\ -\boldsymbol\gamma\boldsymbol\phi_k/h \end{pmatrix}"
    any_size = True
    inputs = STEP
    result = Result(
        vector_quantity((VELOCITY, 4), (MOMENTUM, 2)),
        "in the generalized coordinates of the system, then of the constraints",
    )

    def printed(M, G, b, phi, alpha, beta, h):
        gamma = np.linalg.inv(1 / 2 * np.eye(len(phi)) + beta / h)
        system = np.block([[M, -G.T], [G, gamma @ alpha / h**2]])
        return np.linalg.solve(system, np.concatenate([b, -gamma @ phi / h]))

    def library(M, G, b, phi, alpha, beta, h):
        solved = solve_step(softened_problem(M, G, b, phi, alpha, beta, h))
        return np.concatenate([solved.velocity, solved.bilateral])

    def reference(M, G, b, phi, alpha, beta, h):
        """Solve the averaged force law together with M v = b + h G^T lambda."""
        v, mean = soft_step(M, G, b, phi, alpha, beta, h)
        return np.concatenate([v, h * mean])

    implements = solve_step


@section.holds("t453", "Without damping the factor is two")
class t453:
    formula = r"\boldsymbol\beta = 0 \;\Rightarrow\; \boldsymbol\gamma = 2"
    any_size = True
    inputs = {name: strategy for name, strategy in ROWS.items() if name != "beta"}
    result = Result(
        stacked_quantity(INVERSE_MASS, INVERSE_MASS, VELOCITY),
        "a row and a column for each constraint, with the targets as the last row",
    )

    def printed(phi, alpha, h):
        gamma = 2
        return np.vstack([gamma * alpha / h**2, -gamma * phi / h])

    def library(phi, alpha, h):
        target, regularization = target_and_regularization(phi, alpha, 0.0, h)
        return np.vstack([regularization, target])

    def reference(phi, alpha, h):
        """Derive the coefficients of the row from the rates under no impulse and under unit impulses."""
        return rows_reference(phi, alpha, h / 2 * np.eye(len(phi)), h)

    implements = target_and_regularization


@section.holds("d5#a", "The multiplier without damping")
class d5_a:
    formula = r"\boldsymbol\beta = 0:\quad \bar{\boldsymbol\lambda} = -\tfrac12\boldsymbol\alpha^{-1}(h\mathbf G\mathbf v_{k+1} + 2\boldsymbol\phi_k)"
    any_size = True
    inputs = UNDAMPED_STEP
    result = Result(FORCE, "one for each constraint")

    def printed(M, G, b, phi, alpha, h):
        v, _ = soft_step(M, G, b, phi, alpha, 0 * alpha, h)
        return -np.linalg.inv(alpha) / 2 @ (h * G @ v + 2 * phi)

    library = undamped_library
    reference = undamped_reference
    implements = solve_step


@section.holds("d5#b", "The multiplier without damping is the mean error times the stiffness")
class d5_b:
    formula = r"\bar{\boldsymbol\lambda} \approx -\tfrac12\boldsymbol\alpha^{-1}(\boldsymbol\phi_{k+1} + \boldsymbol\phi_k)"
    any_size = True
    inputs = UNDAMPED_STEP
    result = Result(FORCE, "one for each constraint")

    def printed(M, G, b, phi, alpha, h):
        v, _ = soft_step(M, G, b, phi, alpha, 0 * alpha, h)
        phi_next = phi + h * G @ v
        return -np.linalg.inv(alpha) / 2 @ (phi_next + phi)

    library = undamped_library
    reference = undamped_reference
    remark = "This is exact for constraints that are linear in the positions."
    implements = solve_step


@section.misprint("t457", "The multiplier is the mean error times the stiffness")
class t457:
    formula = r"\bar{\boldsymbol\lambda}\ \text{is the average value of}\ \boldsymbol\phi\ \text{times the restoring stiffness}"
    any_size = True
    inputs = UNDAMPED_STEP
    result = Result(FORCE, "one for each constraint")

    def printed(M, G, b, phi, alpha, h):
        v, _ = soft_step(M, G, b, phi, alpha, 0 * alpha, h)
        return np.linalg.inv(alpha) @ (phi + h / 2 * G @ v)

    library = undamped_library
    reference = undamped_reference
    correction = (
        r"minus the average value of $\boldsymbol\phi$ times the stiffness, as in the preceding display"
    )
    replacement = r"implying that $\bar{\boldsymbol\lambda}$ is approximately equal to minus the average value of $\boldsymbol\phi$ during the step, times the restoring stiffness."
    implements = solve_step
