"""Lloyd 0.11: softening constraints with regularization."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import strategies as st

from rbnotes.constraints.soft_constraints import soft_energy, soft_force, target_and_regularization
from rbnotes.dynamics import BilateralRows, StepProblem, UnilateralRows, solve_step
from rbnotes.ledger import quantities as units
from rbnotes.ledger.oracles.soft_constraints import (
    curved_constraint,
    elastic_work,
    soft_contacts,
    soft_multiplier,
    soft_step,
    step_errors,
    value_and_slope_at_zero,
)
from rbnotes.ledger.quantities import (
    DAMPING,
    FORCE,
    INVERSE_MASS,
    LENGTH,
    MASS,
    MOMENTUM,
    NUMBER,
    RATE,
    STIFFNESS,
    TIME,
    TORQUE,
    VELOCITY,
    stacked_quantity,
    vector_quantity,
)
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing import complex_step
from rbnotes.testing.strategies import (
    full_rank_matrices,
    matrices,
    numbers,
    positive_numbers,
    spd_matrices,
    vectors,
)

section = Section(
    "lloyd/s0.11",
    chapter="regularization",
    arguments={
        "phi": Argument(LENGTH, "one for each constraint"),
        "alpha": Argument(NUMBER / STIFFNESS, "one for each constraint"),
        "q": Argument(
            NUMBER,
            (
                "coordinates on which the errors of two constraints depend: phi = (q[0]**2 + q[1] * q[2] - 1,"
                " sin(q[3]) + q[0] * q[1] - q[2])"
            ),
        ),
        "rate": Argument(VELOCITY, "one for each constraint"),
        "dampers": Argument(DAMPING, "one for each constraint"),
        "beta": Argument(TIME, "one for each constraint"),
        "start": Argument(LENGTH, "one for each constraint"),
        "middle": Argument(LENGTH, "one for each constraint"),
        "end": Argument(LENGTH, "one for each constraint"),
        "h": Argument(TIME),
        "v": Argument(RATE, "in the coordinates of the whole system, whatever they are"),
        "a": Argument(NUMBER / TIME**2, "in the coordinates of the whole system, whatever they are"),
        "M": Argument(MASS, "in the coordinates of the whole system, whatever they are"),
        "G": Argument(NUMBER, "one row for each constraint, over the coordinates of the whole system"),
        "b": Argument(MOMENTUM, "in the coordinates of the whole system, whatever they are"),
        "force": Argument(FORCE, "one for each constraint"),
        "error": Argument(LENGTH),
        "ratio": Argument(RATE),
        "push": Argument(NUMBER),
        "depth": Argument(LENGTH),
        "speed": Argument(VELOCITY),
        "share": Argument(NUMBER),
    },
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
    "start": vectors(K),
    "middle": vectors(K),
    "end": vectors(K),
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
    return soft_step(M, G, b, phi, alpha, 0 * IDENTITY, h)[1]


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
    inputs = ERROR_PATH
    result = Result(FORCE, "one for each constraint")

    def printed(start, middle, end, alpha, beta, h):
        mean_phi, mean_rate = (start + 4 * middle + end) / 6, (end - start) / h
        return np.linalg.solve(alpha, -mean_phi - beta @ mean_rate)

    def library(start, middle, end, alpha, beta, h):
        return soft_force((start + 4 * middle + end) / 6, (end - start) / h, alpha, beta)

    def reference(start, middle, end, alpha, beta, h):
        """Average the momentary multiplier along a path by quadrature.

        The path is quadratic in time and passes through the three errors.
        """
        nodes, weights = np.polynomial.legendre.leggauss(3)
        total = np.zeros(K)
        for s, weight in zip(nodes, weights, strict=True):
            error = middle + (end - start) / 2 * s + (end + start - 2 * middle) / 2 * s**2
            rate = ((end - start) / 2 + (end + start - 2 * middle) * s) * 2 / h
            total += weight / 2 * np.linalg.lstsq(alpha, -error - beta @ rate, rcond=None)[0]
        return total

    implements = soft_force


@section.erratum("e0.8", "The force law with the averages substituted")
class e0_8:
    formula = r"\boldsymbol\alpha\bar{\boldsymbol\lambda} = -\boldsymbol\phi_k + \left(\tfrac h2 + \boldsymbol\beta\right)\bar{\dot{\boldsymbol\phi}} \approx -\boldsymbol\phi_k + \left(\tfrac h2 + \boldsymbol\beta\right)\mathbf G\mathbf v_{k+1}"
    edit = (r"-\boldsymbol\phi_k + \left(\tfrac h2", r"-\boldsymbol\phi_k - \left(\tfrac h2\mathbf I")
    inputs = STEP
    result = Result(FORCE, "one for each constraint")

    def printed(M, G, b, phi, alpha, beta, h):
        v, _ = soft_step(M, G, b, phi, alpha, beta, h)
        return np.linalg.solve(alpha, -phi + (h / 2 * IDENTITY + beta) @ G @ v)

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
        return rows_reference(phi, alpha, h / 2 * IDENTITY + beta, h)

    correction = (
        r"$\boldsymbol\gamma \equiv (\tfrac12\mathbf I + \boldsymbol\beta/h)^{-1}$ because the "
        r"bold letter denotes a matrix $\boldsymbol\beta$; likewise $\tfrac h2\mathbf I$ before."
    )
    replacement = r"Now defining $\boldsymbol\gamma \equiv (\tfrac12\mathbf I + \boldsymbol\beta/h)^{-1}$, we can rearrange this as"
    remark = "Array code silently adds the number to every entry of the matrix."
    implements = target_and_regularization


@section.holds("d4", "The softened constraint as a row of a KKT system")
class d4:
    formula = r"\mathbf G\mathbf v_{k+1} + \frac{\boldsymbol\gamma\boldsymbol\alpha}{h^2}\tilde{\boldsymbol\lambda} = -\frac{\boldsymbol\gamma\boldsymbol\phi_k}h"
    inputs = {**ROWS, "rate": vectors(K)}
    result = Result(MOMENTUM, "one for each constraint")

    def printed(phi, alpha, beta, h, rate):
        """Return the impulse from the row, for given ``G v``."""
        gamma = np.linalg.inv(1 / 2 * IDENTITY + beta / h)
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

    remark = r"With $\tilde{\boldsymbol\lambda} = h\bar{\boldsymbol\lambda}$, see the text below the display."
    implements = target_and_regularization


@section.erratum("t446", "The constraint impulse")
class t446:
    formula = (
        r"\tilde{\boldsymbol\lambda} \equiv \bar{\boldsymbol\lambda}\ \text{denotes the constraint impulse}"
    )
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
    units_mismatch = "a factor $h$ is missing: the print equates a force and an impulse"
    remark = r"As in (0.10), with $\tilde{\mathbf z} \equiv h\bar{\mathbf z}$."
    implements = solve_step


@section.holds("e0.9", "KKT system with softened constraints")
class e0_9:
    formula = r"\begin{pmatrix} \mathbf M & -\mathbf G^T \\ \mathbf G & \boldsymbol\gamma\boldsymbol\alpha/h^2 \end{pmatrix}\begin{pmatrix} \mathbf v_{k+1} \\ \tilde{\boldsymbol\lambda} \end{pmatrix} = \begin{pmatrix} \mathbf b \\ -\boldsymbol\gamma\boldsymbol\phi_k/h \end{pmatrix}"
    inputs = STEP
    result = Result(
        vector_quantity((VELOCITY, 4), (MOMENTUM, 2)),
        "in the coordinates of the whole system, then of the constraints",
    )

    def printed(M, G, b, phi, alpha, beta, h):
        gamma = np.linalg.inv(1 / 2 * IDENTITY + beta / h)
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
        return rows_reference(phi, alpha, h / 2 * IDENTITY, h)

    implements = target_and_regularization


@section.holds("d5#a", "The multiplier without damping")
class d5_a:
    formula = r"\boldsymbol\beta = 0:\quad \bar{\boldsymbol\lambda} = -\tfrac12\boldsymbol\alpha^{-1}(h\mathbf G\mathbf v_{k+1} + 2\boldsymbol\phi_k)"
    inputs = UNDAMPED_STEP
    result = Result(FORCE, "one for each constraint")

    def printed(M, G, b, phi, alpha, h):
        v, _ = soft_step(M, G, b, phi, alpha, 0 * IDENTITY, h)
        return -np.linalg.inv(alpha) / 2 @ (h * G @ v + 2 * phi)

    library = undamped_library
    reference = undamped_reference
    implements = solve_step


@section.holds("d5#b", "The multiplier without damping is the mean error times the stiffness")
class d5_b:
    formula = r"\bar{\boldsymbol\lambda} \approx -\tfrac12\boldsymbol\alpha^{-1}(\boldsymbol\phi_{k+1} + \boldsymbol\phi_k)"
    inputs = UNDAMPED_STEP
    result = Result(FORCE, "one for each constraint")

    def printed(M, G, b, phi, alpha, h):
        v, _ = soft_step(M, G, b, phi, alpha, 0 * IDENTITY, h)
        phi_next = phi + h * G @ v
        return -np.linalg.inv(alpha) / 2 @ (phi_next + phi)

    library = undamped_library
    reference = undamped_reference
    remark = "This is exact for constraints that are linear in the positions."
    implements = solve_step


@section.misprint("t457", "The multiplier is the mean error times the stiffness")
class t457:
    formula = r"\bar{\boldsymbol\lambda}\ \text{is the average value of}\ \boldsymbol\phi\ \text{times the restoring stiffness}"
    inputs = UNDAMPED_STEP
    result = Result(FORCE, "one for each constraint")

    def printed(M, G, b, phi, alpha, h):
        v, _ = soft_step(M, G, b, phi, alpha, 0 * IDENTITY, h)
        return np.linalg.inv(alpha) @ (phi + h / 2 * G @ v)

    library = undamped_library
    reference = undamped_reference
    correction = (
        r"minus the average value of $\boldsymbol\phi$ times the stiffness, as in the preceding display"
    )
    replacement = r"implying that $\bar{\boldsymbol\lambda}$ is approximately equal to minus the average value of $\boldsymbol\phi$ during the step, times the restoring stiffness."
    implements = solve_step


# ------------------------------------------------------------------------------------------------------------
# Energy and force of a softened constraint.


DAMPED_ROWS = {"phi": vectors(K), "rate": vectors(K), "alpha": spd_matrices(K), "dampers": spd_matrices(K)}


ENERGY = {"q": vectors(N), "alpha": spd_matrices(K)}


@section.holds("d1", "Potential energy of a softened constraint")
class d1:
    formula = r"U(\mathbf q) = \tfrac12\boldsymbol\phi^T\boldsymbol\alpha^{-1}\boldsymbol\phi"
    inputs = {"phi": vectors(K), "alpha": spd_matrices(K)}
    result = Result(units.ENERGY, "one for each constraint")

    def printed(phi, alpha):
        return 1 / 2 * phi @ np.linalg.inv(alpha) @ phi

    def library(phi, alpha):
        return soft_energy(phi, alpha)

    oracle = "Compare with the work against linear springs of inverse stiffness alpha, by quadrature."
    reference = elastic_work
    implements = soft_energy


@section.holds("d2", "Force of a softened constraint")
class d2:
    formula = r"\mathbf f_c = -\frac{\partial U}{\partial\mathbf q} = -\mathbf G^T\boldsymbol\alpha^{-1}\boldsymbol\phi = \mathbf G^T\boldsymbol\lambda,\quad \boldsymbol\lambda\equiv-\boldsymbol\alpha^{-1}\boldsymbol\phi"
    inputs = ENERGY
    arguments = {"alpha": Argument(NUMBER / TORQUE, "one for each constraint")}
    result = Result(TORQUE, "the force, by phi and by the multipliers: the same row twice")

    def printed(q, alpha):
        """Return the last two of the printed expressions."""
        G, phi = complex_step(curved_constraint, q), curved_constraint(q)
        multiplier = -np.linalg.inv(alpha) @ phi
        return np.stack([-G.T @ np.linalg.inv(alpha) @ phi, G.T @ multiplier])

    def library(q, alpha):
        G = complex_step(curved_constraint, q)
        force = G.T @ soft_force(curved_constraint(q), np.zeros(K), alpha)
        return np.stack([force, force])

    def reference(q, alpha):
        """Differentiate the work by complex steps, for two nonlinear constraint functions."""
        force = -complex_step(lambda y: elastic_work(curved_constraint(y), alpha), q)
        return np.array([force, force])

    primitives = ("rbnotes.ledger.oracles.soft_constraints.curved_constraint", "rbnotes.testing.complex_step")
    implements = soft_force


@section.holds("e0.7", "The multiplier with damping")
class e0_7:
    formula = r"\boldsymbol\lambda = -\boldsymbol\alpha^{-1}(\boldsymbol\phi + \boldsymbol\beta\dot{\boldsymbol\phi})"
    inputs = DAMPED_ROWS
    result = Result(FORCE, "one for each constraint")

    def printed(phi, rate, alpha, dampers):
        beta = alpha @ dampers
        return -np.linalg.inv(alpha) @ (phi + beta @ rate)

    def library(phi, rate, alpha, dampers):
        return soft_force(phi, rate, alpha, alpha @ dampers)

    oracle = (
        "Compare with the negative gradients, by complex steps, of the work of the springs and of half the "
        "power dissipated by dampers with the coefficients alpha^-1 beta."
    )
    reference = soft_multiplier
    implements = soft_force


@section.holds("t432", "The full damping term")
class t432:
    formula = (
        r"-\partial\boldsymbol\lambda/\partial\dot{\boldsymbol\phi} = \boldsymbol\alpha^{-1}\boldsymbol\beta"
    )
    inputs = {name: ROWS[name] for name in ("phi", "alpha", "beta")}
    result = Result(DAMPING, "a row and a column for each constraint")

    def printed(phi, alpha, beta):
        return np.linalg.inv(alpha) @ beta

    def library(phi, alpha, beta):
        at_rest = soft_force(phi, np.zeros(K), alpha, beta)
        return np.stack([at_rest - soft_force(phi, unit, alpha, beta) for unit in IDENTITY], axis=1)

    def reference(phi, alpha, beta):
        """Solve the balance alpha lambda = -(phi + beta dphi/dt) for each unit rate."""

        def solve_balance(rate):
            error = phi + sum(column * part for column, part in zip(beta.T, rate, strict=True))
            return np.linalg.lstsq(alpha, error, rcond=None)[0]

        return np.stack([solve_balance(unit) - solve_balance(0 * unit) for unit in IDENTITY], axis=1)

    implements = soft_force


# ------------------------------------------------------------------------------------------------------------
# Approximations of averages over a step, along a motion with nonlinear constraints.


# A motion q + v t + a t^2 / 2.
PATH = {"q": vectors(N), "v": vectors(N), "a": vectors(N)}


def mean_library_multiplier(q, v, a, h, beta):
    """Return minus the mean multiplier from the library's row, for unit compliance and the rate ``G v``."""
    phi, _, rate = step_errors(q, v, a, h)
    target, regularization = target_and_regularization(phi, 1.0, beta, h)
    return np.linalg.solve(regularization, rate - target) / h


def value_and_derivative_at_zero(mean):
    """Return the value and the derivative at h = 0 of an average over the motion, by a complex step."""
    return mean(np.zeros(1)), complex_step(mean, np.zeros(1))[:, 0]


def average(function):
    """Return the mean of a function of time over a step of size h, by Gauss quadrature."""

    def mean(h):
        nodes, weights = np.polynomial.legendre.leggauss(6)
        return sum(w / 2 * function(h[0] * (s + 1) / 2) for s, w in zip(nodes, weights, strict=True))

    return mean


@section.holds("t438#a", "The mean error from the errors at both ends")
class t438_a:
    formula = r"\bar{\boldsymbol\phi} \approx (\boldsymbol\phi_{k+1} + \boldsymbol\phi_k)/2"
    inputs = PATH
    result = Result(
        stacked_quantity(NUMBER, RATE),
        (
            "the mean of phi over a step of size h on the path q + t v + t**2 a/2: value and "
            "derivative by h, at h = 0"
        ),
    )

    def printed(q, v, a):
        def mean(h):
            start, end, _ = step_errors(q, v, a, h)
            return (end + start) / 2

        return value_and_slope_at_zero(mean)

    def library(q, v, a):
        return value_and_slope_at_zero(lambda h: mean_library_multiplier(q, v, a, h, 0.0))

    def reference(q, v, a):
        """Average two nonlinear constraint functions by quadrature: value and derivative at h = 0."""
        mean = average(lambda t: curved_constraint(q + t * v + t**2 / 2 * a))
        return np.array(value_and_derivative_at_zero(mean))

    tolerance = 1e-08
    remark = (
        "The error is of second order: $h^2/12$ times the second derivative, that of the trapezoidal rule."
    )
    primitives = ("rbnotes.ledger.oracles.soft_constraints.curved_constraint", "rbnotes.testing.complex_step")
    implements = target_and_regularization


@section.holds("t438#b", "The mean rate from the rate at the end")
class t438_b:
    formula = r"\bar{\dot{\boldsymbol\phi}} \approx \mathbf G\mathbf v_{k+1}"
    inputs = PATH
    result = Result(
        RATE, "the mean of the rate of phi over a step of size h on the path q + t v + t**2 a/2, at h = 0"
    )

    def printed(q, v, a):
        return value_and_slope_at_zero(lambda h: step_errors(q, v, a, h)[2])[0]

    def library(q, v, a):
        return value_and_slope_at_zero(
            lambda h: mean_library_multiplier(q, v, a, h, 1.0) - mean_library_multiplier(q, v, a, h, 0.0)
        )[0]

    def reference(q, v, a):
        """Average the rate of two nonlinear constraint functions over a vanishing step, by quadrature."""

        def rate(t):
            return complex_step(
                lambda s: curved_constraint(q + (t + s[0]) * v + (t + s[0]) ** 2 / 2 * a), np.zeros(1)
            )[:, 0]

        return average(rate)(np.zeros(1))

    tolerance = 1e-08
    remark = "The error is of first order, because velocities and rows change within the step."
    primitives = ("rbnotes.ledger.oracles.soft_constraints.curved_constraint", "rbnotes.testing.complex_step")
    implements = target_and_regularization


@section.holds("t438#c", "The error at the end")
class t438_c:
    formula = r"\boldsymbol\phi_{k+1} \approx \boldsymbol\phi_k + h\mathbf G\mathbf v_{k+1}"
    inputs = PATH
    result = Result(
        stacked_quantity(NUMBER, RATE),
        (
            "phi at the end of a step of size h on the path q + t v + t**2 a/2: value and derivative"
            " by h, at h = 0"
        ),
    )

    def printed(q, v, a):
        def end(h):
            start, _, rate = step_errors(q, v, a, h)
            return start + h * rate

        return value_and_slope_at_zero(end)

    def library(q, v, a):
        return value_and_slope_at_zero(
            lambda h: 2 * mean_library_multiplier(q, v, a, h, 0.0) - curved_constraint(q)
        )

    def reference(q, v, a):
        """Evaluate two nonlinear constraint functions along the motion: value and derivative at h = 0."""
        return np.array(
            value_and_derivative_at_zero(lambda h: curved_constraint(q + h[0] * v + h[0] ** 2 / 2 * a))
        )

    tolerance = 1e-08
    remark = "The error is of second order; the changes of the velocity and of the row both contribute."
    primitives = ("rbnotes.ledger.oracles.soft_constraints.curved_constraint", "rbnotes.testing.complex_step")
    implements = target_and_regularization


# ------------------------------------------------------------------------------------------------------------
# Softened contacts, which push or are inactive.


SOFT_STEP_FUNCTIONS = (target_and_regularization, solve_step)
# Compliance and damping time of each contact.
CONTACTS = {**STEP, "alpha": vectors(K, 0.25, 2), "beta": vectors(K, 0.125, 2)}


def coupled_matrices():
    """Return positive definite matrices whose off-diagonal terms make one contact work against the other."""
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
    for pushing in itertools.product((False, True), repeat=K):
        active = np.array(pushing)
        system = np.block([[M, -G.T], [G, R]])
        system[N:][~active] = np.eye(N + K)[N:][~active]
        v, z = np.split(np.linalg.solve(system, np.concatenate([b, np.where(active, g, 0.0)])), [N])
        w = G @ v + R @ z - g
        solutions.append((np.min([z, w]), v, z, w))
    return max(solutions, key=lambda found: found[0])[1:]


def printed_contacts(M, G, b, phi, alpha, beta, h):
    """Return the velocities, average forces and w of problem (0.10) with matrices alpha and beta."""
    gamma = np.linalg.inv(IDENTITY / 2 + beta / h)
    v, z, w = solve_by_active_sets(M, G, b, gamma @ alpha / h**2, -gamma @ phi / h)
    return v, z / h, w


def library_contacts(M, G, b, phi, alpha, beta, h):
    target, regularization = target_and_regularization(phi, alpha, beta, h)
    solved = solve_step(StepProblem(M, b, unilateral=UnilateralRows(G, target, regularization)))
    v, z = solved.velocity, solved.unilateral
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
    inputs = CONTACTS
    result = Result(
        vector_quantity((VELOCITY, 4), (MOMENTUM, 2)),
        "in the coordinates of the whole system, then of the constraints",
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
    inputs = {name: STEP[name] for name in ("phi", "alpha", "beta", "h")} | {
        "rate": vectors(K),
        "force": vectors(K, 0.0, 2.0),
    }
    result = Result(LENGTH, "one for each constraint")

    def printed(phi, alpha, beta, h, rate, force):
        return alpha @ force + phi + (h / 2 * IDENTITY + beta) @ rate

    def library(phi, alpha, beta, h, rate, force):
        target, regularization = target_and_regularization(phi, alpha, beta, h)
        return (h / 2 * IDENTITY + beta) @ (rate + regularization @ (h * force) - target)

    def reference(phi, alpha, beta, h, rate, force):
        """Compare with alpha times the mean excess of the force over spring and damper, by quadrature."""
        nodes, weights = np.polynomial.legendre.leggauss(2)
        mean_force = np.zeros(K)
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

    given = {**COUPLED_SPRINGS, "alpha": DIAGONAL}
    holds_when = has_diagonal_compliance
    condition = r"$\boldsymbol\alpha$ is diagonal: each contact has its own spring"
    remark = "The equality holds for all matrices, but the sign of its right-hand side does not."
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

    given = {**COUPLED_DAMPERS, "beta": DIAGONAL}
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

    given = {**CONTACT_STATES, "push": numbers(-0.875, 0.875)}
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

    remark = r"The damping is strong if $\beta > -\phi_k/\dot\phi_k - h/2$ and no other force acts."
    exact = "in free motion all three forms only multiply and subtract the same two numbers"
    implements = solve_step
