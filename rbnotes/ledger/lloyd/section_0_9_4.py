"""Lloyd 0.9.4: the scheme of Bridson and Marino. Checked on forces that are linear in the velocities."""

from __future__ import annotations

import numpy as np

from rbnotes.integrators import State, bridson_marino
from rbnotes.ledger.lloyd.section_0_9_2 import STEP, linear_system
from rbnotes.ledger.record import Verdict, claim


def halfway_reference(M, K, D, f0, x, v, h):
    """Implicit Euler over half the step at fixed positions: M (u - v) = h/2 f(x, u), solved for u."""
    return np.linalg.solve(np.linalg.inv(M) @ (M - h / 2 * D), v + h / 2 * np.linalg.inv(M) @ (f0 + K @ x))


def position_reference(M, K, D, f0, x, v, h):
    """Positions that are consistent with the acceleration at the half step: M (x1 - x - h v) = h^2/2 f(x, u)."""
    u = halfway_reference(M, K, D, f0, x, v, h)
    return x + h * v + h**2 / 2 * np.linalg.solve(M, f0 + K @ x + D @ u)


@claim("lloyd/s0.9.4/d1", "The intermediate velocity")
class d1:
    formula = (
        r"\left(\mathbf M - \tfrac h2\tfrac{\partial\mathbf f}{\partial\dot{\mathbf "
        r"x}}\right)\dot{\mathbf x}^{k+1/2} "
        r"= \left(\mathbf M - \tfrac h2\tfrac{\partial\mathbf f}{\partial\dot{\mathbf "
        r"x}}\right)\dot{\mathbf x}^k + \tfrac h2\mathbf f^k"
    )
    inputs = STEP

    def printed(M, K, D, f0, x, v, h):
        f = f0 + K @ x + D @ v
        return np.linalg.solve(M - h / 2 * D, (M - h / 2 * D) @ v + h / 2 * f)

    def library(M, K, D, f0, x, v, h):
        return (bridson_marino(linear_system(M, K, D, f0), State(x, v), h).x - x) / h

    oracle = "implicit Euler over half the step at fixed positions, solved for the velocities"
    reference = halfway_reference
    tolerance = 1e-08
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.integrators.bridson_marino",)
    chapter = "time-stepping"


@claim("lloyd/s0.9.4/d2", "The new positions")
class d2:
    formula = r"\mathbf x^{k+1} = \mathbf x^k + h\dot{\mathbf x}^{k+1/2}"
    inputs = STEP

    def printed(M, K, D, f0, x, v, h):
        return x + h * halfway_reference(M, K, D, f0, x, v, h)

    def library(M, K, D, f0, x, v, h):
        return bridson_marino(linear_system(M, K, D, f0), State(x, v), h).x

    oracle = "free flight plus the acceleration of the half step over half the square of the step"
    reference = position_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.integrators.bridson_marino",)
    chapter = "time-stepping"


@claim("lloyd/s0.9.4/d3", "The new velocities")
class d3:
    formula = (
        r"\left(\mathbf M - \tfrac h2\tfrac{\partial\mathbf f}{\partial\dot{\mathbf "
        r"x}}\right)\dot{\mathbf x}^{k+1} "
        r"= \left(\mathbf M - \tfrac h2\tfrac{\partial\mathbf f}{\partial\dot{\mathbf "
        r"x}}\right)\dot{\mathbf x}^k + \tfrac h2(\mathbf f^k + \mathbf f'),\quad "
        r"\mathbf f' \equiv \mathbf f(\dot{\mathbf x}^k, \mathbf x^{k+1})"
    )
    inputs = STEP

    def printed(M, K, D, f0, x, v, h):
        f = f0 + K @ x + D @ v
        x1 = position_reference(M, K, D, f0, x, v, h)
        f1 = f0 + K @ x1 + D @ v
        return np.linalg.solve(M - h / 2 * D, (M - h / 2 * D) @ v + h / 2 * (f + f1))

    def library(M, K, D, f0, x, v, h):
        return bridson_marino(linear_system(M, K, D, f0), State(x, v), h).v

    oracle = "the trapezoidal rule in the velocities with both positions known, solved for the velocities"

    def reference(M, K, D, f0, x, v, h):
        """Trapezoidal in the velocities with both positions known: M (w - v) = h/2 (f(x, v) + f(x1, w)), for w."""
        x1 = position_reference(M, K, D, f0, x, v, h)
        known = M @ v + h / 2 * (2 * f0 + K @ (x + x1) + D @ v)
        return np.linalg.inv(M - h / 2 * D) @ known

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.integrators.bridson_marino",)
    chapter = "time-stepping"
