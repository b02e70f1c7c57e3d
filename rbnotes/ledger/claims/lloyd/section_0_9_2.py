"""Lloyd 0.9.2: implicit Euler.

The force is nonlinear, with the value f and the slopes K, D at the start of the step. What the scheme is
checked against are the two equations that define implicit Euler, put into one system for the new positions
and velocities: their first step of Newton's method, with slopes by complex steps, and their root.
"""

from __future__ import annotations

import numpy as np

from rbnotes.dynamics import (
    State,
    System,
    effective_force,
    implicit_euler,
    implicit_euler_problem,
    linearly_implicit_problem,
    solve_unconstrained_step,
)
from rbnotes.ledger.oracles.integration import (
    follow_root,
    implicit_euler_equations,
    newton_step,
)
from rbnotes.ledger.oracles.nonlinear_forces import nonlinear_force, nonlinear_force_derivatives
from rbnotes.ledger.quantities import FORCE, LENGTH, MASS, TIME, VELOCITY, stacked_quantity, vector_quantity
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing import complex_step
from rbnotes.testing.strategies import matrices, numbers, positive_numbers, spd_matrices, vectors

CHAPTER = "time-stepping"
N = 3
SLOPES = matrices(N, N).map(lambda A: -(A @ A.T) / N + (A - A.T) / 8)
STEP = {
    "M": spd_matrices(N),
    "f": vectors(N),
    "K": SLOPES,
    "D": SLOPES,
    "x": vectors(N),
    "v": vectors(N),
    "h": positive_numbers(0.125, 1.0),
}
GENTLE = {
    **STEP,
    "M": spd_matrices(N).map(lambda M: M + np.eye(N) / 2),
    "f": vectors(N, -4.0, 4.0),
    "h": positive_numbers(0.25, 0.5),
    "share": numbers(0.5, 1.0),
}
"""Masses so large that the equations with the force at the end have one root."""
AFFINE = {**GENTLE, "share": numbers(0.0, 0.0)}
SYMMETRIC = {"swapped operands in `M @ v`": "the mass matrix is symmetric, so that v M is M v"}
BENT = ("rbnotes.ledger.oracles.nonlinear_forces",)
ARRANGED = (
    "rbnotes.dynamics.implicit_euler_problem",
    "rbnotes.dynamics.effective_force",
)
NEWTON = "the equations of implicit Euler for a nonlinear force: the first step of Newton's method"


def bent_system(M, f, K, D, x, v):
    """The library's system with a nonlinear force."""
    return System(M, nonlinear_force(f, K, D, x, v), *nonlinear_force_derivatives(K, D, x, v))


def stacked(state):
    """Coordinates, then velocities."""
    return np.concatenate([state.q, state.qdot])


def is_affine(M, f, K, D, x, v, h, share):
    """Is the force at the start the mean of those beside it, on a way that changes positions and velocities?"""
    force, way = nonlinear_force(f, K, D, x, v, share), np.array([0.3, -0.5, 0.2])
    mean = (force(x + way, v - way) + force(x - way, v + way)) / 2
    return np.allclose(mean, force(x, v), rtol=0, atol=1e-9)


def arranged_library(M, f, K, D, x, v, h):
    system = implicit_euler_problem(bent_system(M, f, K, D, x, v), State(q=x, qdot=v), h)
    return np.linalg.solve(system.mass, M @ v + h * effective_force(system, M, v, h))


def change_library(M, f, K, D, x, v, h):
    system = implicit_euler_problem(bent_system(M, f, K, D, x, v), State(q=x, qdot=v), h)
    return v + h * np.linalg.solve(system.mass, effective_force(system, system.mass, v, h))


def newton_reference(M, f, K, D, x, v, h):
    """Positions and velocities after one step of Newton's method from the state at the start."""
    equations = implicit_euler_equations(M, nonlinear_force(f, K, D, x, v), x, v)(h)
    return newton_step(equations, np.concatenate([x, v]))


def velocity_reference(M, f, K, D, x, v, h):
    return newton_reference(M, f, K, D, x, v, h)[N:]


@claim("lloyd/s0.9.2/t276", "The scheme is implicit Euler")
class t276:
    formula = (
        r"\text{Implicit Euler: } \mathbf M\dot{\mathbf x}^{k+1} "
        r"= \mathbf M\dot{\mathbf x}^k + h\,\mathbf f(\mathbf x^{k+1}, \dot{\mathbf x}^{k+1})"
    )
    inputs = GENTLE
    quantities = {"share": FORCE}
    result = vector_quantity((LENGTH, 3), (VELOCITY, 3))
    constants = (LENGTH, TIME)

    def printed(M, f, K, D, x, v, h, share):
        v1 = np.linalg.solve(M - h * D - h**2 * K, (M - h * D) @ v + h * f)
        return np.concatenate([x + h * v1, v1])

    def library(M, f, K, D, x, v, h, share):
        """The library's step again and again, each time with the tangent of the force where it ended."""
        force = nonlinear_force(f, K, D, x, v, share)
        stiffness, damping = nonlinear_force_derivatives(K, D, x, v, share)
        x1, v1 = x, v
        for _ in range(12):
            K1, D1 = stiffness(x1, v1), damping(x1, v1)
            at_start = force(x1, v1) + K1 @ (x - x1) + D1 @ (v - v1)
            v1 = solve_unconstrained_step(linearly_implicit_problem(M, v, at_start, K1, D1, h))
            x1 = x + h * v1
        return np.concatenate([x1, v1])

    oracle = "the root of the two equations of implicit Euler for a nonlinear force"

    def reference(M, f, K, D, x, v, h, share):
        equations_at = implicit_euler_equations(M, nonlinear_force(f, K, D, x, v, share), x, v)
        return follow_root(equations_at, np.concatenate([x, v]), h)

    verdict = Verdict.CONDITIONAL
    given = AFFINE
    holds_when = is_affine
    condition = r"$\mathbf f$ is affine in positions and velocities"
    remark = (
        r"For other forces the display is linearly implicit Euler, one step of Newton's method: as good "
        r"as the root up to $O(h^3)$ in each step, so that the order stays, and cheaper."
    )
    primitives = BENT
    implemented_by = ("rbnotes.dynamics.linearly_implicit_problem",)
    chapter = CHAPTER


@claim("lloyd/s0.9.2/d1", "A step of linearly implicit Euler")
class d1:
    formula = (
        r"\mathbf x^{k+1} = \mathbf x^k + h\dot{\mathbf x}^{k+1},\quad "
        r"\left(\mathbf M - h\tfrac{\partial\mathbf f}{\partial\dot{\mathbf x}}"
        r" - h^2\tfrac{\partial\mathbf f}{\partial\mathbf x}\right)\dot{\mathbf x}^{k+1} "
        r"= \left(\mathbf M - h\tfrac{\partial\mathbf f}{\partial\dot{\mathbf x}}\right)"
        r"\dot{\mathbf x}^k + h\mathbf f^k"
    )
    inputs = STEP
    result = vector_quantity((LENGTH, 3), (VELOCITY, 3))

    def printed(M, f, K, D, x, v, h):
        v1 = np.linalg.solve(M - h * D - h**2 * K, (M - h * D) @ v + h * f)
        return np.concatenate([x + h * v1, v1])

    def library(M, f, K, D, x, v, h):
        return stacked(implicit_euler(bent_system(M, f, K, D, x, v), State(q=x, qdot=v), h))

    oracle = NEWTON
    reference = newton_reference
    verdict = Verdict.HOLDS
    primitives = BENT
    implemented_by = (
        "rbnotes.dynamics.implicit_euler",
        "rbnotes.dynamics.implicit_euler_problem",
    )
    chapter = CHAPTER


@claim("lloyd/s0.9.2/d2", "The step with a changed force")
class d2:
    formula = r"\hat{\mathbf M}\dot{\mathbf x}^{k+1} = \mathbf M\dot{\mathbf x}^k + h\hat{\mathbf f}^k"
    inputs = STEP
    result = VELOCITY

    def printed(M, f, K, D, x, v, h):
        M_hat = M - h * D - h**2 * K
        f_hat = f - D @ v
        return np.linalg.solve(M_hat, M @ v + h * f_hat)

    library = arranged_library
    oracle = NEWTON
    reference = velocity_reference
    verdict = Verdict.HOLDS
    equivalent_mutants = SYMMETRIC
    primitives = BENT
    implemented_by = ARRANGED
    chapter = CHAPTER


@claim("lloyd/s0.9.2/d3", "Mass and force of that arrangement")
class d3:
    formula = (
        r"\hat{\mathbf M} \equiv \mathbf M - h\tfrac{\partial\mathbf f}{\partial\dot{\mathbf x}}"
        r" - h^2\tfrac{\partial\mathbf f}{\partial\mathbf x},\quad "
        r"\hat{\mathbf f}^k \equiv \mathbf f^k"
        r" - \tfrac{\partial\mathbf f}{\partial\dot{\mathbf x}}\dot{\mathbf x}^k"
    )
    inputs = STEP
    result = stacked_quantity(MASS, MASS, MASS, FORCE)

    def printed(M, f, K, D, x, v, h):
        M_hat = M - h * D - h**2 * K
        f_hat = f - D @ v
        return np.vstack([M_hat, f_hat])

    def library(M, f, K, D, x, v, h):
        system = implicit_euler_problem(bent_system(M, f, K, D, x, v), State(q=x, qdot=v), h)
        return np.vstack([system.mass, effective_force(system, M, v, h)])

    oracle = (
        "the momentum that implicit Euler leaves unbalanced, the positions following the new velocities: "
        "its slope, and what is left of it for new velocities of zero"
    )

    def reference(M, f, K, D, x, v, h):
        """M_hat is the slope of the unbalanced momentum along the tangent at the start, h f_hat its rest."""
        equations = implicit_euler_equations(M, nonlinear_force(f, K, D, x, v), x, v)(h)
        start = np.concatenate([x, v])
        slopes, missing = complex_step(equations, start), equations(start)

        def unbalanced(v1):
            moved = np.concatenate([h * v1, v1 - v])
            return (missing + slopes @ moved)[N:]

        at_rest = unbalanced(np.zeros(N))
        M_hat = np.stack([unbalanced(unit) - at_rest for unit in np.eye(N)], axis=1)
        return np.vstack([M_hat, (-at_rest - M @ v) / h])

    verdict = Verdict.HOLDS
    primitives = BENT
    implemented_by = ARRANGED
    chapter = CHAPTER


@claim("lloyd/s0.9.2/d4", "The step as a change of the velocities")
class d4:
    formula = (
        r"\hat{\mathbf M}\dot{\mathbf x}^{k+1} = \hat{\mathbf M}\dot{\mathbf x}^k + h\tilde{\mathbf f}^k"
    )
    inputs = STEP
    result = VELOCITY

    def printed(M, f, K, D, x, v, h):
        M_hat = M - h * D - h**2 * K
        f_tilde = f + h * K @ v
        return np.linalg.solve(M_hat, M_hat @ v + h * f_tilde)

    library = change_library
    oracle = NEWTON
    reference = velocity_reference
    verdict = Verdict.HOLDS
    primitives = BENT
    implemented_by = ARRANGED
    chapter = CHAPTER


@claim("lloyd/s0.9.2/d5", "The force of that arrangement")
class d5:
    formula = (
        r"\tilde{\mathbf f}^k \equiv \mathbf f^k"
        r" + h\tfrac{\partial\mathbf f}{\partial\mathbf x}\dot{\mathbf x}^k"
    )
    inputs = STEP
    result = FORCE

    def printed(M, f, K, D, x, v, h):
        return f + h * K @ v

    def library(M, f, K, D, x, v, h):
        system = implicit_euler_problem(bent_system(M, f, K, D, x, v), State(q=x, qdot=v), h)
        return effective_force(system, system.mass, v, h)

    oracle = "the tangent of the force at the start, where the body is after a step at its old velocities"

    def reference(M, f, K, D, x, v, h):
        force = nonlinear_force(f, K, D, x, v)
        return f + complex_step(lambda t: force(x + h * t[0] * v, v), np.zeros(1))[:, 0]

    verdict = Verdict.HOLDS
    primitives = BENT
    implemented_by = ARRANGED
    chapter = CHAPTER
