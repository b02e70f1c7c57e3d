"""Lloyd 0.11: approximations of averages over a step, along a motion with nonlinear constraints."""

from __future__ import annotations

import numpy as np

from rbnotes.constraints.soft_constraints import target_and_regularization
from rbnotes.ledger.claims.lloyd.section_0_11 import section
from rbnotes.ledger.claims.lloyd.section_0_11.rows import N
from rbnotes.ledger.oracles.soft_constraints import (
    curved_constraint,
    step_errors,
    value_and_slope_at_zero,
)
from rbnotes.ledger.quantities import (
    NUMBER,
    RATE,
    stacked_quantity,
)
from rbnotes.ledger.record import Result
from rbnotes.testing import complex_step
from rbnotes.testing.strategies import (
    vectors,
)

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
            "derivative with respect to h, at h = 0"
        ),
    )

    def printed(q, v, a):
        def mean(h):
            phi_start, phi_end, _ = step_errors(q, v, a, h)
            return (phi_end + phi_start) / 2

        return value_and_slope_at_zero(mean)

    def library(q, v, a):
        return value_and_slope_at_zero(lambda h: mean_library_multiplier(q, v, a, h, 0.0))

    def reference(q, v, a):
        """Average two nonlinear constraint functions by quadrature: value and derivative at h = 0."""
        mean = average(lambda t: curved_constraint(q + t * v + t**2 / 2 * a))
        return np.array(value_and_derivative_at_zero(mean))

    tolerance = 1e-08
    tolerance_reason = "values and derivatives at zero are extrapolated from steps of eight sizes"
    remark = (
        "The error is of second order, as for the trapezoidal rule: $h^2/12$ times the second derivative."
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
        def phi_end(h):
            phi_start, _, rate = step_errors(q, v, a, h)
            return phi_start + h * rate

        return value_and_slope_at_zero(phi_end)

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
