"""Lloyd 0.11: the approximations of averages over a step, along a motion of curved constraints."""

from __future__ import annotations

import numpy as np

from rbnotes.constraints.soft_constraints import target_and_regularization
from rbnotes.ledger.claims.lloyd.section_0_11 import N
from rbnotes.ledger.oracles.soft_constraints import (
    curved_constraint,
    step_errors,
    value_and_slope_at_zero,
)
from rbnotes.ledger.quantities import NUMBER, RATE, TIME, stacked_quantity
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing import complex_step
from rbnotes.testing.strategies import vectors

# A motion q + v t + a t^2 / 2.
PATH = {"q": vectors(N), "v": vectors(N), "a": vectors(N)}


QUANTITIES = {"a": RATE / TIME, "q": NUMBER, "v": RATE}


def library_mean(q, v, a, h, beta):
    """Minus the mean multiplier that the library's row gives for unit compliance, for the motion's ``G v``."""
    phi, _, rate = step_errors(q, v, a, h)
    target, softness = target_and_regularization(phi, 1.0, beta, h)
    return np.linalg.solve(softness, rate - target) / h


def slope_at_start(mean):
    """Value and slope at h = 0 of an average over the motion, by a complex step."""
    return mean(np.zeros(1)), complex_step(mean, np.zeros(1))[:, 0]


def average(function):
    """Mean over a step of size h of what depends on time, by Gauss quadrature."""

    def mean(h):
        nodes, weights = np.polynomial.legendre.leggauss(6)
        return sum(w / 2 * function(h[0] * (s + 1) / 2) for s, w in zip(nodes, weights, strict=True))

    return mean


@claim("lloyd/s0.11/t438#a", "The mean error by the errors at both ends")
class t438_a:
    formula = r"\bar{\boldsymbol\phi} \approx (\boldsymbol\phi_{k+1} + \boldsymbol\phi_k)/2"
    inputs = PATH
    result = stacked_quantity(NUMBER, RATE)

    def printed(q, v, a):
        def mean(h):
            start, end, _ = step_errors(q, v, a, h)
            return (end + start) / 2

        return value_and_slope_at_zero(mean)

    def library(q, v, a):
        return value_and_slope_at_zero(lambda h: library_mean(q, v, a, h, 0.0))

    oracle = "value and slope at h = 0 of the mean of two curved constraint functions, by quadrature"

    def reference(q, v, a):
        mean = average(lambda t: curved_constraint(q + t * v + t**2 / 2 * a))
        return np.array(slope_at_start(mean))

    tolerance = 1e-08
    verdict = Verdict.HOLDS
    remark = "Off by a term of second order: the trapezoidal rule, by $h^2/12$ times the second derivative."
    primitives = ("rbnotes.ledger.oracles.soft_constraints.curved_constraint", "rbnotes.testing.complex_step")
    implemented_by = ("rbnotes.constraints.soft_constraints.target_and_regularization",)
    chapter = "regularization"


@claim("lloyd/s0.11/t438#b", "The mean rate by the rate at the end")
class t438_b:
    formula = r"\bar{\dot{\boldsymbol\phi}} \approx \mathbf G\mathbf v_{k+1}"
    inputs = PATH
    result = RATE

    def printed(q, v, a):
        return value_and_slope_at_zero(lambda h: step_errors(q, v, a, h)[2])[0]

    def library(q, v, a):
        return value_and_slope_at_zero(
            lambda h: library_mean(q, v, a, h, 1.0) - library_mean(q, v, a, h, 0.0)
        )[0]

    oracle = "mean rate of two curved constraint functions over a vanishing step, by quadrature"

    def reference(q, v, a):
        def rate(t):
            return complex_step(
                lambda s: curved_constraint(q + (t + s[0]) * v + (t + s[0]) ** 2 / 2 * a), np.zeros(1)
            )[:, 0]

        return average(rate)(np.zeros(1))

    tolerance = 1e-08
    verdict = Verdict.HOLDS
    remark = "Off by a term of first order already, since velocities and rows change within the step."
    primitives = ("rbnotes.ledger.oracles.soft_constraints.curved_constraint", "rbnotes.testing.complex_step")
    implemented_by = ("rbnotes.constraints.soft_constraints.target_and_regularization",)
    chapter = "regularization"


@claim("lloyd/s0.11/t438#c", "The error at the end")
class t438_c:
    formula = r"\boldsymbol\phi_{k+1} \approx \boldsymbol\phi_k + h\mathbf G\mathbf v_{k+1}"
    inputs = PATH
    result = stacked_quantity(NUMBER, RATE)

    def printed(q, v, a):
        def end(h):
            start, _, rate = step_errors(q, v, a, h)
            return start + h * rate

        return value_and_slope_at_zero(end)

    def library(q, v, a):
        return value_and_slope_at_zero(lambda h: 2 * library_mean(q, v, a, h, 0.0) - curved_constraint(q))

    oracle = "value and slope at h = 0 of two curved constraint functions along the motion"

    def reference(q, v, a):
        return np.array(slope_at_start(lambda h: curved_constraint(q + h[0] * v + h[0] ** 2 / 2 * a)))

    tolerance = 1e-08
    verdict = Verdict.HOLDS
    remark = "Off by a term of second order, to which the change of the velocity and of the row both add."
    primitives = ("rbnotes.ledger.oracles.soft_constraints.curved_constraint", "rbnotes.testing.complex_step")
    implemented_by = ("rbnotes.constraints.soft_constraints.target_and_regularization",)
    chapter = "regularization"
