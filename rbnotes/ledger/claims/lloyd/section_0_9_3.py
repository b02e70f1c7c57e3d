"""Lloyd 0.9.3: the trapezoidal rule. The oracle is the system of equations that defines it."""

from __future__ import annotations

import numpy as np

from rbnotes.dynamics import (
    State,
    effective_force,
    mechanical_system,
    solve_unconstrained_step,
    trapezoidal,
    trapezoidal_problem,
)
from rbnotes.ledger.claims.lloyd.section_0_9_2 import (
    AFFINE,
    CONVERGENT_STEP,
    NONLINEAR_FORCES,
    STEP,
    is_affine,
    nonlinear_system,
)
from rbnotes.ledger.oracles.integration import follow_root, newton_step, trapezoidal_equations
from rbnotes.ledger.oracles.nonlinear_forces import nonlinear_force, nonlinear_force_derivatives
from rbnotes.ledger.quantities import (
    DAMPING,
    FORCE,
    LENGTH,
    MASS,
    STIFFNESS,
    TIME,
    VELOCITY,
    stacked_quantity,
    vector_quantity,
)
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing import complex_step

SYSTEM_COORDINATES = "in the generalized coordinates of the system"

section = Section(
    "lloyd/s0.9.3",
    chapter="time-stepping",
    any_size=True,
    arguments={
        "M": Argument(MASS, "in the generalized coordinates of the system (arbitrary)"),
        "f": Argument(FORCE, "in the generalized coordinates of the system (arbitrary)"),
        "K": Argument(STIFFNESS, "in the generalized coordinates of the system (arbitrary)"),
        "D": Argument(DAMPING, "in the generalized coordinates of the system (arbitrary)"),
        "x": Argument(LENGTH, "in the generalized coordinates of the system (arbitrary)"),
        "v": Argument(VELOCITY, "in the generalized coordinates of the system (arbitrary)"),
        "h": Argument(TIME),
        "share": Argument(FORCE),
    },
)


EFFECTIVE_SYSTEM = (trapezoidal_problem, effective_force)


def rule_library(M, f, K, D, x, v, h, share):
    """Repeat the library's step with the tangent of the force at its previous end."""
    force = nonlinear_force(f, K, D, x, v, share)
    stiffness, damping = nonlinear_force_derivatives(K, D, x, v, share)
    x1, v1 = x, v
    for _ in range(12):
        K1, D1 = stiffness(x1, v1), damping(x1, v1)
        tangent_at_start = force(x1, v1) + K1 @ (x - x1) + D1 @ (v - v1)
        mean = (f + tangent_at_start) / 2
        tangent = mechanical_system(M, lambda *_, f=mean: f, lambda *_, K=K1: K, lambda *_, D=D1: D)
        v1 = solve_unconstrained_step(trapezoidal_problem(tangent, State(q=x, qdot=v), h))
        x1 = x + h * (v1 + v) / 2
    return np.concatenate([x1, v1])


def rule_reference(M, f, K, D, x, v, h, share):
    """Find the root of the two equations of the rule for a nonlinear force.

    The force has its arguments in the order of section 0.9.
    """
    equations_at = trapezoidal_equations(M, nonlinear_force(f, K, D, x, v, share), x, v)
    return follow_root(equations_at, np.concatenate([x, v]), h)


def effective_system_library(M, f, K, D, x, v, h):
    system = trapezoidal_problem(nonlinear_system(M, f, K, D, x, v), State(q=x, qdot=v), h)
    return np.linalg.solve(system.mass, M @ v + h * effective_force(system, M, v, h))


def velocity_reference(M, f, K, D, x, v, h):
    """Take the first Newton step on the equations of the rule for a nonlinear force."""
    equations = trapezoidal_equations(M, nonlinear_force(f, K, D, x, v), x, v)(h)
    return newton_step(equations, np.concatenate([x, v]))[len(x) :]


def mass_and_force_library(M, f, K, D, x, v, h):
    system = trapezoidal_problem(nonlinear_system(M, f, K, D, x, v), State(q=x, qdot=v), h)
    return np.vstack([system.mass, effective_force(system, M, v, h)])


def mass_and_force_reference(M, f, K, D, x, v, h):
    """Evaluate the residual momentum of the trapezoidal rule at zero velocities, and its derivative.

    M_hat is the derivative of the residual with respect to the new velocities, and -h f_hat - M v its value
    at zero.
    """
    equations = trapezoidal_equations(M, nonlinear_force(f, K, D, x, v), x, v)(h)
    initial_state = np.concatenate([x, v])
    tangent_map, residual = complex_step(equations, initial_state), equations(initial_state)

    def residual_momentum(v1):
        change = np.concatenate([h * (v1 + v) / 2, v1 - v])
        return (residual + tangent_map @ change)[len(x) :]

    at_rest = residual_momentum(0 * v)
    M_hat = np.stack([residual_momentum(unit) - at_rest for unit in np.eye(len(v))], axis=1)
    return np.vstack([M_hat, (-at_rest - M @ v) / h])


@section.misprint("d1", "The trapezoidal rule for the velocities")
class d1:
    formula = r"\dot{\mathbf x}^{k+1} = \dot{\mathbf x}^k + \tfrac h2\mathbf M^{-1}\left(\mathbf f(\dot{\mathbf x}^{k+1},\mathbf x^{k+1}) + \mathbf f(\dot{\mathbf x}^k,\mathbf x^k)\right)"
    edits = (
        (r"(\dot{\mathbf x}^{k+1},\mathbf x^{k+1})", r"(\mathbf x^{k+1},\dot{\mathbf x}^{k+1})"),
        (r"(\dot{\mathbf x}^k,\mathbf x^k)", r"(\mathbf x^k,\dot{\mathbf x}^k)"),
    )
    inputs = CONVERGENT_STEP
    result = Result(
        vector_quantity((LENGTH, 3), (VELOCITY, 3)),
        "positions, then velocities, in the generalized coordinates of the system",
    )
    constants = (LENGTH, TIME)

    def printed(M, f, K, D, x, v, h, share):
        force = nonlinear_force(f, K, D, x, v, share)  # f(x, xdot), as introduced in 0.9

        def equations_at(size):
            def equations(end):
                x1, v1 = np.split(end, 2)
                mean = (force(v1, x1) + force(v, x)) / 2
                return np.concatenate([x1 - x - size / 2 * (v1 + v), M @ (v1 - v) - size * mean])

            return equations

        return follow_root(equations_at, np.concatenate([x, v]), h)

    library = rule_library
    reference = rule_reference
    correction = (
        r"$\mathbf f(\mathbf x^{k+1}, \dot{\mathbf x}^{k+1})$ and $\mathbf f(\mathbf x^k, "
        r"\dot{\mathbf x}^k)$: section 0.9 has the positions first."
    )
    primitives = NONLINEAR_FORCES
    implements = trapezoidal_problem


@section.conditional("d2", "A step of the linearized trapezoidal rule")
class d2:
    formula = r"\mathbf x^{k+1} = \mathbf x^k + \tfrac h2(\dot{\mathbf x}^{k+1} + \dot{\mathbf x}^k),\quad \left(\mathbf M - \tfrac h2\tfrac{\partial\mathbf f}{\partial\dot{\mathbf x}} - \tfrac{h^2}4\tfrac{\partial\mathbf f}{\partial\mathbf x}\right)\dot{\mathbf x}^{k+1} = \left(\mathbf M - \tfrac h2\tfrac{\partial\mathbf f}{\partial\dot{\mathbf x}} + \tfrac{h^2}4\tfrac{\partial\mathbf f}{\partial\mathbf x}\right)\dot{\mathbf x}^k + h\mathbf f^k"
    inputs = CONVERGENT_STEP
    result = Result(
        vector_quantity((LENGTH, 3), (VELOCITY, 3)),
        "positions, then velocities, in the generalized coordinates of the system",
    )
    constants = (LENGTH, TIME)

    def printed(M, f, K, D, x, v, h, share):
        right = (M - h / 2 * D + h**2 / 4 * K) @ v + h * f
        v1 = np.linalg.solve(M - h / 2 * D - h**2 / 4 * K, right)
        return np.concatenate([x + h / 2 * (v1 + v), v1])

    library = rule_library
    reference = rule_reference
    condition_inputs = AFFINE
    holds_when = is_affine
    condition = r"$\mathbf f$ is affine in positions and velocities"
    remark = (
        "The rule leads to this step for the force linearized at the start. It is one step of "
        "Newton's method with an error of $O(h^3)$ in each step, which keeps the second order."
    )
    primitives = NONLINEAR_FORCES
    implements = trapezoidal_problem


@section.holds("t303", "Linearizing the force leads to the linear step")
class t303:
    formula = r"\mathbf f^{k+1} \approx \mathbf f^k + \tfrac{\partial\mathbf f}{\partial\mathbf x}(\mathbf x^{k+1} - \mathbf x^k) + \tfrac{\partial\mathbf f}{\partial\dot{\mathbf x}}(\dot{\mathbf x}^{k+1} - \dot{\mathbf x}^k)\quad\text{leads to the system for } \dot{\mathbf x}^{k+1}"
    inputs = STEP
    result = Result(VELOCITY, SYSTEM_COORDINATES)

    def printed(M, f, K, D, x, v, h):
        right = (M - h / 2 * D + h**2 / 4 * K) @ v + h * f
        return np.linalg.solve(M - h / 2 * D - h**2 / 4 * K, right)

    def library(M, f, K, D, x, v, h):
        return trapezoidal(nonlinear_system(M, f, K, D, x, v), State(q=x, qdot=v), h).qdot

    reference = velocity_reference
    primitives = NONLINEAR_FORCES
    implements = trapezoidal


@section.holds("d3", "The step with a modified force")
class d3:
    formula = r"\hat{\mathbf M}\dot{\mathbf x}^{k+1} = \mathbf M\dot{\mathbf x}^k + h\hat{\mathbf f}^k"
    inputs = STEP
    result = Result(VELOCITY, SYSTEM_COORDINATES)

    def printed(M, f, K, D, x, v, h):
        M_hat = M - h / 2 * D - h**2 / 4 * K
        f_hat = f - 1 / 2 * D @ v + h / 4 * K @ v
        return np.linalg.solve(M_hat, M @ v + h * f_hat)

    library = effective_system_library
    reference = velocity_reference
    remark = r"This uses the correct $\hat{\mathbf f}^k$, see the next display."
    primitives = NONLINEAR_FORCES
    implements = EFFECTIVE_SYSTEM


@section.erratum("d4", "Mass and force of the rearranged step")
class d4:
    formula = r"\hat{\mathbf M} \equiv \mathbf M - \tfrac h2\tfrac{\partial\mathbf f}{\partial\dot{\mathbf x}} - \tfrac{h^2}4\tfrac{\partial\mathbf f}{\partial\mathbf x},\quad \hat{\mathbf f}^k \equiv \mathbf f^k - \tfrac12\tfrac{\partial\mathbf f}{\partial\dot{\mathbf x}}\dot{\mathbf x}^k + \tfrac{h^2}4\tfrac{\partial\mathbf f}{\partial\mathbf x}\dot{\mathbf x}^k"
    edit = (
        r"+ \tfrac{h^2}4\tfrac{\partial\mathbf f}{\partial\mathbf x}\dot",
        r"+ \tfrac h4\tfrac{\partial\mathbf f}{\partial\mathbf x}\dot",
    )
    inputs = STEP
    result = Result(
        stacked_quantity(MASS, MASS, MASS, FORCE),
        "a matrix in the generalized coordinates of the system, and the force below it as its last row",
    )

    def printed(M, f, K, D, x, v, h):
        M_hat = M - h / 2 * D - h**2 / 4 * K
        f_hat = f - 1 / 2 * D @ v + h**2 / 4 * K @ v
        return np.vstack([M_hat, f_hat])

    library = mass_and_force_library
    reference = mass_and_force_reference
    correction = (
        r"$\hat{\mathbf f}^k \equiv \mathbf f^k"
        r" - \tfrac12\tfrac{\partial\mathbf f}{\partial\dot{\mathbf x}}\dot{\mathbf x}^k"
        r" + \tfrac h4\tfrac{\partial\mathbf f}{\partial\mathbf x}\dot{\mathbf x}^k$"
    )
    units_mismatch = r"a factor $h$ too many in the last term of the force"
    remark = (
        "The preceding display multiplies the force by $h$, so that its last term has the factor "
        "$h/4$. The units of the printed form do not agree either."
    )
    effect = (
        "Halving the step divides the error by 1.8, whereas the trapezoidal rule divides it by "
        "4.0. A single run does not reveal the error."
    )
    primitives = NONLINEAR_FORCES
    implements = EFFECTIVE_SYSTEM


@section.holds("d5", "The step in terms of the velocity change")
class d5:
    formula = (
        r"\hat{\mathbf M}\dot{\mathbf x}^{k+1} = \hat{\mathbf M}\dot{\mathbf x}^k + h\tilde{\mathbf f}^k"
    )
    inputs = STEP
    result = Result(VELOCITY, SYSTEM_COORDINATES)

    def printed(M, f, K, D, x, v, h):
        M_hat = M - h / 2 * D - h**2 / 4 * K
        f_tilde = f + h / 2 * K @ v
        return np.linalg.solve(M_hat, M_hat @ v + h * f_tilde)

    def library(M, f, K, D, x, v, h):
        system = trapezoidal_problem(nonlinear_system(M, f, K, D, x, v), State(q=x, qdot=v), h)
        return v + h * np.linalg.solve(system.mass, effective_force(system, system.mass, v, h))

    reference = velocity_reference
    primitives = NONLINEAR_FORCES
    implements = EFFECTIVE_SYSTEM


@section.holds("d6", "Force of the rearranged step")
class d6:
    formula = r"\tilde{\mathbf f}^k \equiv \mathbf f^k + \tfrac h2\tfrac{\partial\mathbf f}{\partial\mathbf x}\dot{\mathbf x}^k"
    inputs = STEP
    result = Result(FORCE, SYSTEM_COORDINATES)

    def printed(M, f, K, D, x, v, h):
        return f + h / 2 * K @ v

    def library(M, f, K, D, x, v, h):
        system = trapezoidal_problem(nonlinear_system(M, f, K, D, x, v), State(q=x, qdot=v), h)
        return effective_force(system, system.mass, v, h)

    def reference(M, f, K, D, x, v, h):
        """Average the linearized forces at both ends of a step at the old velocity."""
        force = nonlinear_force(f, K, D, x, v)
        change = complex_step(lambda t: force(x + h * t[0] * v, v), np.zeros(1))[:, 0]
        return (force(x, v) + force(x, v) + change) / 2

    primitives = NONLINEAR_FORCES
    implements = EFFECTIVE_SYSTEM
