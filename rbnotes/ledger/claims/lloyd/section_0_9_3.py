"""Lloyd 0.9.3: the trapezoidal rule, checked as implicit Euler is: on the equations that define it."""

from __future__ import annotations

import numpy as np

from rbnotes.dynamics import (
    State,
    System,
    effective_force,
    solve_unconstrained_step,
    trapezoidal,
    trapezoidal_problem,
)
from rbnotes.ledger.claims.lloyd.section_0_9_2 import (
    AFFINE,
    BENT,
    GENTLE,
    STEP,
    SYMMETRIC,
    N,
    bent_system,
    is_affine,
)
from rbnotes.ledger.oracles.integration import (
    follow_root,
    newton_step,
    trapezoidal_equations,
)
from rbnotes.ledger.oracles.nonlinear_forces import nonlinear_force, nonlinear_force_derivatives
from rbnotes.ledger.quantities import FORCE, LENGTH, MASS, TIME, VELOCITY, stacked_quantity, vector_quantity
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing import complex_step

CHAPTER = "time-stepping"
SYSTEM = ("rbnotes.dynamics.trapezoidal_problem",)
ARRANGED = (*SYSTEM, "rbnotes.dynamics.effective_force")
ROOT = "the root of the two equations of the rule, for a nonlinear force and its arguments as 0.9 has them"
NEWTON = "the equations of the rule for a nonlinear force: the first step of Newton's method"


def rule_library(M, f, K, D, x, v, h, share):
    """The library's step again and again, each time with the tangent of the force where it ended."""
    force = nonlinear_force(f, K, D, x, v, share)
    stiffness, damping = nonlinear_force_derivatives(K, D, x, v, share)
    x1, v1 = x, v
    for _ in range(12):
        K1, D1 = stiffness(x1, v1), damping(x1, v1)
        tangent_at_start = force(x1, v1) + K1 @ (x - x1) + D1 @ (v - v1)
        mean = (f + tangent_at_start) / 2
        tangent = System(M, lambda *_, f=mean: f, lambda *_, K=K1: K, lambda *_, D=D1: D)
        v1 = solve_unconstrained_step(trapezoidal_problem(tangent, State(q=x, qdot=v), h))
        x1 = x + h * (v1 + v) / 2
    return np.concatenate([x1, v1])


def rule_reference(M, f, K, D, x, v, h, share):
    equations_at = trapezoidal_equations(M, nonlinear_force(f, K, D, x, v, share), x, v)
    return follow_root(equations_at, np.concatenate([x, v]), h)


def arranged_library(M, f, K, D, x, v, h):
    system = trapezoidal_problem(bent_system(M, f, K, D, x, v), State(q=x, qdot=v), h)
    return np.linalg.solve(system.mass, M @ v + h * effective_force(system, M, v, h))


def velocity_reference(M, f, K, D, x, v, h):
    """Velocities after one step of Newton's method from the state at the start."""
    equations = trapezoidal_equations(M, nonlinear_force(f, K, D, x, v), x, v)(h)
    return newton_step(equations, np.concatenate([x, v]))[N:]


def arrangement_library(M, f, K, D, x, v, h):
    system = trapezoidal_problem(bent_system(M, f, K, D, x, v), State(q=x, qdot=v), h)
    return np.vstack([system.mass, effective_force(system, M, v, h)])


def arrangement_reference(M, f, K, D, x, v, h):
    """M_hat is the slope of the unbalanced momentum along the tangent at the start, h f_hat its rest."""
    equations = trapezoidal_equations(M, nonlinear_force(f, K, D, x, v), x, v)(h)
    start = np.concatenate([x, v])
    slopes, missing = complex_step(equations, start), equations(start)

    def unbalanced(v1):
        moved = np.concatenate([h * (v1 + v) / 2, v1 - v])
        return (missing + slopes @ moved)[N:]

    at_rest = unbalanced(np.zeros(N))
    M_hat = np.stack([unbalanced(unit) - at_rest for unit in np.eye(N)], axis=1)
    return np.vstack([M_hat, (-at_rest - M @ v) / h])


@claim("lloyd/s0.9.3/d1", "The trapezoidal rule for the velocities")
class d1:
    formula = (
        r"\dot{\mathbf x}^{k+1} = \dot{\mathbf x}^k + \tfrac h2\mathbf M^{-1}\left("
        r"\mathbf f(\dot{\mathbf x}^{k+1},\mathbf x^{k+1})"
        r" + \mathbf f(\dot{\mathbf x}^k,\mathbf x^k)\right)"
    )
    inputs = GENTLE
    quantities = {"share": FORCE}
    result = vector_quantity((LENGTH, 3), (VELOCITY, 3))
    constants = (LENGTH, TIME)

    def printed(M, f, K, D, x, v, h, share):
        force = nonlinear_force(f, K, D, x, v, share)  # f(x, xdot), as introduced in 0.9

        def equations_at(size):
            def equations(end):
                x1, v1 = end[:N], end[N:]
                mean = (force(v1, x1) + force(v, x)) / 2
                return np.concatenate([x1 - x - size / 2 * (v1 + v), M @ (v1 - v) - size * mean])

            return equations

        return follow_root(equations_at, np.concatenate([x, v]), h)

    library = rule_library
    oracle = ROOT
    reference = rule_reference
    verdict = Verdict.MISPRINT
    correction = (
        r"$\mathbf f(\mathbf x^{k+1}, \dot{\mathbf x}^{k+1})$ and "
        r"$\mathbf f(\mathbf x^k, \dot{\mathbf x}^k)$: 0.9 has the positions first."
    )
    primitives = BENT
    implemented_by = SYSTEM
    chapter = CHAPTER


@claim("lloyd/s0.9.3/d2", "A step of the linearised trapezoidal rule")
class d2:
    formula = (
        r"\mathbf x^{k+1} = \mathbf x^k + \tfrac h2(\dot{\mathbf x}^{k+1} + \dot{\mathbf x}^k),\quad "
        r"\left(\mathbf M - \tfrac h2\tfrac{\partial\mathbf f}{\partial\dot{\mathbf x}}"
        r" - \tfrac{h^2}4\tfrac{\partial\mathbf f}{\partial\mathbf x}\right)\dot{\mathbf x}^{k+1} "
        r"= \left(\mathbf M - \tfrac h2\tfrac{\partial\mathbf f}{\partial\dot{\mathbf x}}"
        r" + \tfrac{h^2}4\tfrac{\partial\mathbf f}{\partial\mathbf x}\right)\dot{\mathbf x}^k"
        r" + h\mathbf f^k"
    )
    inputs = GENTLE
    quantities = {"share": FORCE}
    result = vector_quantity((LENGTH, 3), (VELOCITY, 3))
    constants = (LENGTH, TIME)

    def printed(M, f, K, D, x, v, h, share):
        right = (M - h / 2 * D + h**2 / 4 * K) @ v + h * f
        v1 = np.linalg.solve(M - h / 2 * D - h**2 / 4 * K, right)
        return np.concatenate([x + h / 2 * (v1 + v), v1])

    library = rule_library
    oracle = ROOT
    reference = rule_reference
    verdict = Verdict.CONDITIONAL
    given = AFFINE
    holds_when = is_affine
    condition = r"$\mathbf f$ is affine in positions and velocities"
    remark = (
        r"The rule leads to it for the tangent of the force at the start: one step of Newton's method, "
        r"off by $O(h^3)$ in each step, which keeps the second order."
    )
    primitives = BENT
    implemented_by = SYSTEM
    chapter = CHAPTER


@claim("lloyd/s0.9.3/t303", "The tangent of the force leads to the linear step")
class t303:
    formula = (
        r"\mathbf f^{k+1} \approx \mathbf f^k"
        r" + \tfrac{\partial\mathbf f}{\partial\mathbf x}(\mathbf x^{k+1} - \mathbf x^k)"
        r" + \tfrac{\partial\mathbf f}{\partial\dot{\mathbf x}}"
        r"(\dot{\mathbf x}^{k+1} - \dot{\mathbf x}^k)"
        r"\quad\text{leads to the system for } \dot{\mathbf x}^{k+1}"
    )
    inputs = STEP
    result = VELOCITY

    def printed(M, f, K, D, x, v, h):
        right = (M - h / 2 * D + h**2 / 4 * K) @ v + h * f
        return np.linalg.solve(M - h / 2 * D - h**2 / 4 * K, right)

    def library(M, f, K, D, x, v, h):
        return trapezoidal(bent_system(M, f, K, D, x, v), State(q=x, qdot=v), h).qdot

    oracle = NEWTON
    reference = velocity_reference
    verdict = Verdict.HOLDS
    primitives = BENT
    implemented_by = ("rbnotes.dynamics.trapezoidal",)
    chapter = CHAPTER


@claim("lloyd/s0.9.3/d3", "The step with a changed force")
class d3:
    formula = r"\hat{\mathbf M}\dot{\mathbf x}^{k+1} = \mathbf M\dot{\mathbf x}^k + h\hat{\mathbf f}^k"
    inputs = STEP
    result = VELOCITY

    def printed(M, f, K, D, x, v, h):
        M_hat = M - h / 2 * D - h**2 / 4 * K
        f_hat = f - 1 / 2 * D @ v + h / 4 * K @ v
        return np.linalg.solve(M_hat, M @ v + h * f_hat)

    library = arranged_library
    oracle = NEWTON
    reference = velocity_reference
    verdict = Verdict.HOLDS
    remark = r"With the right $\hat{\mathbf f}^k$, see the next display."
    equivalent_mutants = SYMMETRIC
    primitives = BENT
    implemented_by = ARRANGED
    chapter = CHAPTER


@claim("lloyd/s0.9.3/d4", "Mass and force of that arrangement")
class d4:
    formula = (
        r"\hat{\mathbf M} \equiv \mathbf M - \tfrac h2\tfrac{\partial\mathbf f}{\partial\dot{\mathbf x}}"
        r" - \tfrac{h^2}4\tfrac{\partial\mathbf f}{\partial\mathbf x},\quad "
        r"\hat{\mathbf f}^k \equiv \mathbf f^k"
        r" - \tfrac12\tfrac{\partial\mathbf f}{\partial\dot{\mathbf x}}\dot{\mathbf x}^k"
        r" + \tfrac{h^2}4\tfrac{\partial\mathbf f}{\partial\mathbf x}\dot{\mathbf x}^k"
    )
    inputs = STEP
    result = stacked_quantity(MASS, MASS, MASS, FORCE)

    def printed(M, f, K, D, x, v, h):
        M_hat = M - h / 2 * D - h**2 / 4 * K
        f_hat = f - 1 / 2 * D @ v + h**2 / 4 * K @ v
        return np.vstack([M_hat, f_hat])

    library = arrangement_library
    oracle = (
        "the momentum that the rule leaves unbalanced, the positions following the velocities: "
        "its slope, and what is left of it for new velocities of zero"
    )
    reference = arrangement_reference
    verdict = Verdict.ERRATUM
    correction = (
        r"$\hat{\mathbf f}^k \equiv \mathbf f^k"
        r" - \tfrac12\tfrac{\partial\mathbf f}{\partial\dot{\mathbf x}}\dot{\mathbf x}^k"
        r" + \tfrac h4\tfrac{\partial\mathbf f}{\partial\mathbf x}\dot{\mathbf x}^k$"
    )
    units_mismatch = r"a factor $h$ too many in the last term of the force"
    remark = (
        "The force is multiplied by $h$ in the display before, so its last term carries $h/4$. As "
        "printed the units do not agree either."
    )
    primitives = BENT
    implemented_by = ARRANGED
    chapter = CHAPTER


@claim("lloyd/s0.9.3/d5", "The step as a change of the velocities")
class d5:
    formula = (
        r"\hat{\mathbf M}\dot{\mathbf x}^{k+1} = \hat{\mathbf M}\dot{\mathbf x}^k + h\tilde{\mathbf f}^k"
    )
    inputs = STEP
    result = VELOCITY

    def printed(M, f, K, D, x, v, h):
        M_hat = M - h / 2 * D - h**2 / 4 * K
        f_tilde = f + h / 2 * K @ v
        return np.linalg.solve(M_hat, M_hat @ v + h * f_tilde)

    def library(M, f, K, D, x, v, h):
        system = trapezoidal_problem(bent_system(M, f, K, D, x, v), State(q=x, qdot=v), h)
        return v + h * np.linalg.solve(system.mass, effective_force(system, system.mass, v, h))

    oracle = NEWTON
    reference = velocity_reference
    verdict = Verdict.HOLDS
    primitives = BENT
    implemented_by = ARRANGED
    chapter = CHAPTER


@claim("lloyd/s0.9.3/d6", "The force of that arrangement")
class d6:
    formula = (
        r"\tilde{\mathbf f}^k \equiv \mathbf f^k"
        r" + \tfrac h2\tfrac{\partial\mathbf f}{\partial\mathbf x}\dot{\mathbf x}^k"
    )
    inputs = STEP
    result = FORCE

    def printed(M, f, K, D, x, v, h):
        return f + h / 2 * K @ v

    def library(M, f, K, D, x, v, h):
        system = trapezoidal_problem(bent_system(M, f, K, D, x, v), State(q=x, qdot=v), h)
        return effective_force(system, system.mass, v, h)

    oracle = "mean of the forces at both ends, by their tangent, if the body goes on at its old velocities"

    def reference(M, f, K, D, x, v, h):
        force = nonlinear_force(f, K, D, x, v)
        change = complex_step(lambda t: force(x + h * t[0] * v, v), np.zeros(1))[:, 0]
        return (force(x, v) + force(x, v) + change) / 2

    verdict = Verdict.HOLDS
    primitives = BENT
    implemented_by = ARRANGED
    chapter = CHAPTER
