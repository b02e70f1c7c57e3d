"""Lloyd 0.9.2: implicit Euler.

The linearised step is exact for a force that is linear, so there it must solve the equations that define the
scheme. Those are put into one linear system for the new positions and velocities together.
"""

from __future__ import annotations

import numpy as np

from rbnotes.checking.strategies import matrices, positive_numbers, spd_matrices, vectors
from rbnotes.integrators import State, System, implicit_euler
from rbnotes.ledger.record import Verdict, claim

N = 3
STEP = {
    "M": spd_matrices(N),
    "K": matrices(N, N).map(lambda A: -(A @ A.T) / N + (A - A.T) / 8),
    "D": matrices(N, N).map(lambda A: -(A @ A.T) / N + (A - A.T) / 8),
    "f0": vectors(N),
    "x": vectors(N),
    "v": vectors(N),
    "h": positive_numbers(0.125, 1.0),
}
DEFINING = (
    "the two equations of implicit Euler for a linear force, solved at once for positions and velocities"
)


def linear_system(M, K, D, f0):
    """A force that is linear in positions and velocities."""
    return System(M, lambda x, v: f0 + K @ x + D @ v, lambda x, v: K, lambda x, v: D)


def step_library(M, K, D, f0, x, v, h):
    return np.concatenate(implicit_euler(linear_system(M, K, D, f0), State(x, v), h))


def step_reference(M, K, D, f0, x, v, h):
    identity = np.eye(N)
    equations = np.block([[identity, -h * identity], [-h * K, M - h * D]])
    return np.linalg.solve(equations, np.concatenate([x, M @ v + h * f0]))


def velocity_library(M, K, D, f0, x, v, h):
    return step_library(M, K, D, f0, x, v, h)[N:]


def velocity_reference(M, K, D, f0, x, v, h):
    return step_reference(M, K, D, f0, x, v, h)[N:]


def first_arrangement(M, K, D, f0, x, v, h):
    f = f0 + K @ x + D @ v
    M_hat = M - h * D - h**2 * K
    f_hat = f - D @ v
    return np.linalg.solve(M_hat, M @ v + h * f_hat)


def second_arrangement(M, K, D, f0, x, v, h):
    f = f0 + K @ x + D @ v
    M_hat = M - h * D - h**2 * K
    f_tilde = f + h * K @ v
    return np.linalg.solve(M_hat, M_hat @ v + h * f_tilde)


@claim("lloyd/s0.9.2/d1", "A step of linearly implicit Euler")
class d1:
    formula = (
        r"\mathbf x^{k+1} = \mathbf x^k + h\dot{\mathbf x}^{k+1},\quad "
        r"\left(\mathbf M - h\tfrac{\partial\mathbf f}{\partial\dot{\mathbf x}} - "
        r"h^2\tfrac{\partial\mathbf f}{\partial\mathbf x}\right)\dot{\mathbf x}^{k+1} "
        r"= \left(\mathbf M - h\tfrac{\partial\mathbf f}{\partial\dot{\mathbf x}}\right)\dot{\mathbf x}^k "
        r"+ h\mathbf f^k"
    )
    inputs = STEP

    def printed(M, K, D, f0, x, v, h):
        f = f0 + K @ x + D @ v
        v1 = np.linalg.solve(M - h * D - h**2 * K, (M - h * D) @ v + h * f)
        return np.concatenate([x + h * v1, v1])

    library = step_library
    oracle = DEFINING
    reference = step_reference
    verdict = Verdict.HOLDS
    implemented_by = (
        "rbnotes.integrators.implicit_euler",
        "rbnotes.integrators.implicit_euler_system",
        "rbnotes.integrators.VelocitySystem.force_beside",
    )
    chapter = "time-stepping"


@claim("lloyd/s0.9.2/d2", "The step with a changed force")
class d2:
    formula = r"\hat{\mathbf M}\dot{\mathbf x}^{k+1} = \mathbf M\dot{\mathbf x}^k + h\hat{\mathbf f}^k"
    inputs = STEP
    printed = first_arrangement
    library = velocity_library
    oracle = DEFINING
    reference = velocity_reference
    verdict = Verdict.HOLDS
    implemented_by = (
        "rbnotes.integrators.implicit_euler",
        "rbnotes.integrators.implicit_euler_system",
        "rbnotes.integrators.VelocitySystem.force_beside",
    )
    chapter = "time-stepping"


@claim("lloyd/s0.9.2/d3", "Mass and force of that arrangement")
class d3:
    formula = (
        r"\hat{\mathbf M} \equiv \mathbf M - h\tfrac{\partial\mathbf f}{\partial\dot{\mathbf x}} - "
        r"h^2\tfrac{\partial\mathbf f}{\partial\mathbf x},\quad "
        r"\hat{\mathbf f}^k \equiv \mathbf f^k - \tfrac{\partial\mathbf f}{\partial\dot{\mathbf "
        r"x}}\dot{\mathbf x}^k"
    )
    inputs = STEP
    printed = first_arrangement
    library = velocity_library
    oracle = DEFINING
    reference = velocity_reference
    verdict = Verdict.HOLDS
    implemented_by = (
        "rbnotes.integrators.implicit_euler",
        "rbnotes.integrators.implicit_euler_system",
        "rbnotes.integrators.VelocitySystem.force_beside",
    )
    chapter = "time-stepping"


@claim("lloyd/s0.9.2/d4", "The step as a change of the velocities")
class d4:
    formula = (
        r"\hat{\mathbf M}\dot{\mathbf x}^{k+1} = \hat{\mathbf M}\dot{\mathbf x}^k + h\tilde{\mathbf f}^k"
    )
    inputs = STEP
    printed = second_arrangement
    library = velocity_library
    oracle = DEFINING
    reference = velocity_reference
    verdict = Verdict.HOLDS
    implemented_by = (
        "rbnotes.integrators.implicit_euler",
        "rbnotes.integrators.implicit_euler_system",
        "rbnotes.integrators.VelocitySystem.force_beside",
    )
    chapter = "time-stepping"


@claim("lloyd/s0.9.2/d5", "The force of that arrangement")
class d5:
    formula = (
        r"\tilde{\mathbf f}^k \equiv \mathbf f^k + h\tfrac{\partial\mathbf f}{\partial\mathbf "
        r"x}\dot{\mathbf x}^k"
    )
    inputs = STEP
    printed = second_arrangement
    library = velocity_library
    oracle = DEFINING
    reference = velocity_reference
    verdict = Verdict.HOLDS
    implemented_by = (
        "rbnotes.integrators.implicit_euler",
        "rbnotes.integrators.implicit_euler_system",
        "rbnotes.integrators.VelocitySystem.force_beside",
    )
    chapter = "time-stepping"
