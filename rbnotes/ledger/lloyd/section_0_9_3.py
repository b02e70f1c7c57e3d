"""Lloyd 0.9.3: the trapezoidal rule. Checked as implicit Euler is, on forces that are linear."""

from __future__ import annotations

import numpy as np

from rbnotes.integrators import State, trapezoidal
from rbnotes.ledger.lloyd.section_0_9_2 import STEP, N, linear_system
from rbnotes.ledger.record import Verdict, claim


def step_library(M, K, D, f0, x, v, h):
    return np.concatenate(trapezoidal(linear_system(M, K, D, f0), State(x, v), h))


def step_reference(M, K, D, f0, x, v, h):
    identity = np.eye(N)
    equations = np.block([[identity, -h / 2 * identity], [-h / 2 * K, M - h / 2 * D]])
    start = np.concatenate([x + h / 2 * v, M @ v + h / 2 * (f0 + f0 + K @ x + D @ v)])
    return np.linalg.solve(equations, start)


def velocity_library(M, K, D, f0, x, v, h):
    return step_library(M, K, D, f0, x, v, h)[N:]


def velocity_reference(M, K, D, f0, x, v, h):
    return step_reference(M, K, D, f0, x, v, h)[N:]


def second_arrangement(M, K, D, f0, x, v, h):
    f = f0 + K @ x + D @ v
    M_hat = M - h / 2 * D - h**2 / 4 * K
    f_tilde = f + h / 2 * K @ v
    return np.linalg.solve(M_hat, M_hat @ v + h * f_tilde)


@claim("lloyd/s0.9.3/d1", "The trapezoidal rule for the velocities")
class d1:
    formula = (
        r"\dot{\mathbf x}^{k+1} = \dot{\mathbf x}^k + \tfrac h2\mathbf M^{-1}\left(\mathbf f(\dot{\mathbf "
        r"x}^{k+1},\mathbf x^{k+1}) + \mathbf f(\dot{\mathbf x}^k,\mathbf x^k)\right)"
    )
    inputs = STEP
    library = velocity_library
    oracle = "the two equations of the rule for a linear force, solved at once for positions and velocities"
    reference = velocity_reference
    verdict = Verdict.DEFINITION
    implemented_by = (
        "rbnotes.integrators.trapezoidal",
        "rbnotes.integrators.trapezoidal_system",
        "rbnotes.integrators.VelocitySystem.force_beside",
    )
    chapter = "time-stepping"


@claim("lloyd/s0.9.3/d2", "A step of the linearised trapezoidal rule")
class d2:
    formula = (
        r"\mathbf x^{k+1} = \mathbf x^k + \tfrac h2(\dot{\mathbf x}^{k+1} + \dot{\mathbf x}^k),\quad "
        r"\left(\mathbf M - \tfrac h2\tfrac{\partial\mathbf f}{\partial\dot{\mathbf x}} - "
        r"\tfrac{h^2}4\tfrac{\partial\mathbf f}{\partial\mathbf x}\right)\dot{\mathbf x}^{k+1} "
        r"= \left(\mathbf M - \tfrac h2\tfrac{\partial\mathbf f}{\partial\dot{\mathbf x}} + "
        r"\tfrac{h^2}4\tfrac{\partial\mathbf f}{\partial\mathbf x}\right)\dot{\mathbf x}^k + h\mathbf f^k"
    )
    inputs = STEP

    def printed(M, K, D, f0, x, v, h):
        f = f0 + K @ x + D @ v
        right = (M - h / 2 * D + h**2 / 4 * K) @ v + h * f
        v1 = np.linalg.solve(M - h / 2 * D - h**2 / 4 * K, right)
        return np.concatenate([x + h / 2 * (v1 + v), v1])

    library = step_library
    oracle = "the two equations of the rule for a linear force, solved at once for positions and velocities"
    reference = step_reference
    verdict = Verdict.HOLDS
    implemented_by = (
        "rbnotes.integrators.trapezoidal",
        "rbnotes.integrators.trapezoidal_system",
        "rbnotes.integrators.VelocitySystem.force_beside",
    )
    chapter = "time-stepping"


@claim("lloyd/s0.9.3/d3", "The step with a changed force")
class d3:
    formula = r"\hat{\mathbf M}\dot{\mathbf x}^{k+1} = \mathbf M\dot{\mathbf x}^k + h\hat{\mathbf f}^k"
    inputs = STEP

    def printed(M, K, D, f0, x, v, h):
        f = f0 + K @ x + D @ v
        M_hat = M - h / 2 * D - h**2 / 4 * K
        f_hat = f - 1 / 2 * D @ v + h / 4 * K @ v
        return np.linalg.solve(M_hat, M @ v + h * f_hat)

    library = velocity_library
    oracle = "the two equations of the rule for a linear force, solved at once for positions and velocities"
    reference = velocity_reference
    verdict = Verdict.HOLDS
    remark = r"With the right $\hat{\mathbf f}^k$, see the next display."
    implemented_by = (
        "rbnotes.integrators.trapezoidal",
        "rbnotes.integrators.trapezoidal_system",
        "rbnotes.integrators.VelocitySystem.force_beside",
    )
    chapter = "time-stepping"


@claim("lloyd/s0.9.3/d4", "Mass and force of that arrangement")
class d4:
    formula = (
        r"\hat{\mathbf M} \equiv \mathbf M - \tfrac h2\tfrac{\partial\mathbf f}{\partial\dot{\mathbf x}} "
        r"- \tfrac{h^2}4\tfrac{\partial\mathbf f}{\partial\mathbf x},\quad "
        r"\hat{\mathbf f}^k \equiv \mathbf f^k - \tfrac12\tfrac{\partial\mathbf f}{\partial\dot{\mathbf "
        r"x}}\dot{\mathbf x}^k + \tfrac{h^2}4\tfrac{\partial\mathbf f}{\partial\mathbf x}\dot{\mathbf x}^k"
    )
    inputs = STEP

    def printed(M, K, D, f0, x, v, h):
        f = f0 + K @ x + D @ v
        M_hat = M - h / 2 * D - h**2 / 4 * K
        f_hat = f - 1 / 2 * D @ v + h**2 / 4 * K @ v
        return np.linalg.solve(M_hat, M @ v + h * f_hat)

    library = velocity_library
    oracle = "the two equations of the rule for a linear force, solved at once for positions and velocities"
    reference = velocity_reference
    verdict = Verdict.ERRATUM
    correction = (
        r"$\hat{\mathbf f}^k \equiv \mathbf f^k - \tfrac12\tfrac{\partial\mathbf f}{\partial\dot{\mathbf "
        r"x}}\dot{\mathbf x}^k + \tfrac h4\tfrac{\partial\mathbf f}{\partial\mathbf x}\dot{\mathbf x}^k$"
    )
    remark = (
        "The force is multiplied by $h$ in the display before, so its last term carries $h/4$. As "
        "printed the units do not agree either."
    )
    implemented_by = (
        "rbnotes.integrators.trapezoidal",
        "rbnotes.integrators.trapezoidal_system",
        "rbnotes.integrators.VelocitySystem.force_beside",
    )
    chapter = "time-stepping"


@claim("lloyd/s0.9.3/d5", "The step as a change of the velocities")
class d5:
    formula = (
        r"\hat{\mathbf M}\dot{\mathbf x}^{k+1} = \hat{\mathbf M}\dot{\mathbf x}^k + h\tilde{\mathbf f}^k"
    )
    inputs = STEP
    printed = second_arrangement
    library = velocity_library
    oracle = "the two equations of the rule for a linear force, solved at once for positions and velocities"
    reference = velocity_reference
    verdict = Verdict.HOLDS
    implemented_by = (
        "rbnotes.integrators.trapezoidal",
        "rbnotes.integrators.trapezoidal_system",
        "rbnotes.integrators.VelocitySystem.force_beside",
    )
    chapter = "time-stepping"


@claim("lloyd/s0.9.3/d6", "The force of that arrangement")
class d6:
    formula = (
        r"\tilde{\mathbf f}^k \equiv \mathbf f^k + \tfrac h2\tfrac{\partial\mathbf f}{\partial\mathbf "
        r"x}\dot{\mathbf x}^k"
    )
    inputs = STEP
    printed = second_arrangement
    library = velocity_library
    oracle = "the two equations of the rule for a linear force, solved at once for positions and velocities"
    reference = velocity_reference
    verdict = Verdict.HOLDS
    implemented_by = (
        "rbnotes.integrators.trapezoidal",
        "rbnotes.integrators.trapezoidal_system",
        "rbnotes.integrators.VelocitySystem.force_beside",
    )
    chapter = "time-stepping"
