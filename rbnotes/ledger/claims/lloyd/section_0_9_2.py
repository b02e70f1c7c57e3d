"""Lloyd 0.9.2: implicit Euler.

The force is nonlinear, with the value f and the derivatives K, D at the start of the step. The oracle is the
system of the two equations that define implicit Euler, in the new positions and velocities: its first Newton
step, with derivatives by complex steps, and its root.
"""

from __future__ import annotations

import numpy as np

from rbnotes.dynamics import (
    State,
    effective_force,
    implicit_euler,
    implicit_euler_problem,
    linearly_implicit_problem,
    mechanical_system,
    solve_unconstrained_step,
)
from rbnotes.ledger.oracles.integration import follow_root, implicit_euler_equations, newton_step
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
from rbnotes.testing.strategies import (
    matrices,
    numbers,
    positive_numbers,
    round_numbers,
    spd_matrices,
    vectors,
)

SYSTEM_COORDINATES = "in the generalized coordinates of the system"

section = Section(
    "lloyd/s0.9.2",
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


N = 3
JACOBIANS = matrices(N, N).map(lambda A: round_numbers(-(A @ A.T) / N + (A - A.T) / 8))
STEP = {
    "M": spd_matrices(N),
    "f": vectors(N),
    "K": JACOBIANS,
    "D": JACOBIANS,
    "x": vectors(N),
    "v": vectors(N),
    "h": positive_numbers(0.125, 1.0),
}
CONVERGENT_STEP = {
    **STEP,
    "M": spd_matrices(N).map(lambda M: M + np.eye(N) / 2),
    "f": vectors(N, -4.0, 4.0),
    "h": positive_numbers(0.25, 0.5),
    "share": numbers(0.5, 1.0),
}
"""Inputs with masses so large that the implicit equations have one root."""
AFFINE = {**CONVERGENT_STEP, "share": numbers(0.0, 0.0)}
NONLINEAR_FORCES = ("rbnotes.ledger.oracles.nonlinear_forces",)
EFFECTIVE_SYSTEM = (implicit_euler_problem, effective_force)


def nonlinear_system(M, f, K, D, x, v):
    """Return the library's system with a nonlinear force."""
    return mechanical_system(M, nonlinear_force(f, K, D, x, v), *nonlinear_force_derivatives(K, D, x, v))


def stack_state(state):
    """Return the coordinates, then the velocities."""
    return np.concatenate([state.q, state.qdot])


def is_affine(M, f, K, D, x, v, h, share):
    """Return True if the force at the start is the mean of the forces at two opposite displacements."""
    force, displacement = nonlinear_force(f, K, D, x, v, share), np.resize([0.3, -0.5, 0.2], len(x))
    mean = (force(x + displacement, v - displacement) + force(x - displacement, v + displacement)) / 2
    return np.allclose(mean, force(x, v), rtol=0, atol=1e-9)


def effective_system_library(M, f, K, D, x, v, h):
    system = implicit_euler_problem(nonlinear_system(M, f, K, D, x, v), State(q=x, qdot=v), h)
    return np.linalg.solve(system.mass, M @ v + h * effective_force(system, M, v, h))


def change_library(M, f, K, D, x, v, h):
    system = implicit_euler_problem(nonlinear_system(M, f, K, D, x, v), State(q=x, qdot=v), h)
    return v + h * np.linalg.solve(system.mass, effective_force(system, system.mass, v, h))


def newton_reference(M, f, K, D, x, v, h):
    """Take the first Newton step on the equations of implicit Euler for a nonlinear force."""
    equations = implicit_euler_equations(M, nonlinear_force(f, K, D, x, v), x, v)(h)
    return newton_step(equations, np.concatenate([x, v]))


def velocity_reference(M, f, K, D, x, v, h):
    """Take the first Newton step on the equations of implicit Euler for a nonlinear force."""
    return newton_reference(M, f, K, D, x, v, h)[len(x) :]


@section.conditional("t276", "The scheme is implicit Euler")
class t276:
    formula = r"\text{Implicit Euler: } \mathbf M\dot{\mathbf x}^{k+1} = \mathbf M\dot{\mathbf x}^k + h\,\mathbf f(\mathbf x^{k+1}, \dot{\mathbf x}^{k+1})"
    inputs = CONVERGENT_STEP
    result = Result(
        vector_quantity((LENGTH, 3), (VELOCITY, 3)),
        "positions, then velocities, in the generalized coordinates of the system",
    )
    constants = (LENGTH, TIME)

    def printed(M, f, K, D, x, v, h, share):
        v1 = np.linalg.solve(M - h * D - h**2 * K, (M - h * D) @ v + h * f)
        return np.concatenate([x + h * v1, v1])

    def library(M, f, K, D, x, v, h, share):
        """Repeat the library's step with the tangent of the force at its previous end."""
        force = nonlinear_force(f, K, D, x, v, share)
        stiffness, damping = nonlinear_force_derivatives(K, D, x, v, share)
        x1, v1 = x, v
        for _ in range(12):
            K1, D1 = stiffness(x1, v1), damping(x1, v1)
            at_start = force(x1, v1) + K1 @ (x - x1) + D1 @ (v - v1)
            v1 = solve_unconstrained_step(linearly_implicit_problem(M, v, at_start, K1, D1, h))
            x1 = x + h * v1
        return np.concatenate([x1, v1])

    def reference(M, f, K, D, x, v, h, share):
        """Find the root of the two equations of implicit Euler for a nonlinear force."""
        equations_at = implicit_euler_equations(M, nonlinear_force(f, K, D, x, v, share), x, v)
        return follow_root(equations_at, np.concatenate([x, v]), h)

    condition_inputs = AFFINE
    holds_when = is_affine
    condition = r"$\mathbf f$ is affine in positions and velocities"
    remark = (
        "For other forces, the display is linearly implicit Euler, which is one step of Newton's "
        "method. It differs from the root by $O(h^3)$ in each step, so that the order is the "
        "same, and it is cheaper."
    )
    primitives = NONLINEAR_FORCES
    implements = linearly_implicit_problem


@section.holds("d1", "A step of linearly implicit Euler")
class d1:
    formula = r"\mathbf x^{k+1} = \mathbf x^k + h\dot{\mathbf x}^{k+1},\quad \left(\mathbf M - h\tfrac{\partial\mathbf f}{\partial\dot{\mathbf x}} - h^2\tfrac{\partial\mathbf f}{\partial\mathbf x}\right)\dot{\mathbf x}^{k+1} = \left(\mathbf M - h\tfrac{\partial\mathbf f}{\partial\dot{\mathbf x}}\right)\dot{\mathbf x}^k + h\mathbf f^k"
    inputs = STEP
    result = Result(
        vector_quantity((LENGTH, 3), (VELOCITY, 3)),
        "positions, then velocities, in the generalized coordinates of the system",
    )

    def printed(M, f, K, D, x, v, h):
        v1 = np.linalg.solve(M - h * D - h**2 * K, (M - h * D) @ v + h * f)
        return np.concatenate([x + h * v1, v1])

    def library(M, f, K, D, x, v, h):
        return stack_state(implicit_euler(nonlinear_system(M, f, K, D, x, v), State(q=x, qdot=v), h))

    reference = newton_reference
    primitives = NONLINEAR_FORCES
    implements = (implicit_euler, implicit_euler_problem)


@section.holds("d2", "The step with a modified force")
class d2:
    formula = r"\hat{\mathbf M}\dot{\mathbf x}^{k+1} = \mathbf M\dot{\mathbf x}^k + h\hat{\mathbf f}^k"
    inputs = STEP
    result = Result(VELOCITY, SYSTEM_COORDINATES)

    def printed(M, f, K, D, x, v, h):
        M_hat = M - h * D - h**2 * K
        f_hat = f - D @ v
        return np.linalg.solve(M_hat, M @ v + h * f_hat)

    library = effective_system_library
    reference = velocity_reference
    primitives = NONLINEAR_FORCES
    implements = EFFECTIVE_SYSTEM


@section.holds("d3", "Mass and force of the rearranged step")
class d3:
    formula = r"\hat{\mathbf M} \equiv \mathbf M - h\tfrac{\partial\mathbf f}{\partial\dot{\mathbf x}} - h^2\tfrac{\partial\mathbf f}{\partial\mathbf x},\quad \hat{\mathbf f}^k \equiv \mathbf f^k - \tfrac{\partial\mathbf f}{\partial\dot{\mathbf x}}\dot{\mathbf x}^k"
    inputs = STEP
    result = Result(
        stacked_quantity(MASS, MASS, MASS, FORCE),
        "a matrix in the generalized coordinates of the system, and the force below it as its last row",
    )

    def printed(M, f, K, D, x, v, h):
        M_hat = M - h * D - h**2 * K
        f_hat = f - D @ v
        return np.vstack([M_hat, f_hat])

    def library(M, f, K, D, x, v, h):
        system = implicit_euler_problem(nonlinear_system(M, f, K, D, x, v), State(q=x, qdot=v), h)
        return np.vstack([system.mass, effective_force(system, M, v, h)])

    def reference(M, f, K, D, x, v, h):
        """Evaluate the residual momentum of implicit Euler at zero velocities, and its derivative.

        M_hat is the derivative of the residual with respect to the new velocities, and -h f_hat - M v its
        value at zero.
        """
        equations = implicit_euler_equations(M, nonlinear_force(f, K, D, x, v), x, v)(h)
        initial_state = np.concatenate([x, v])
        tangent, residual = complex_step(equations, initial_state), equations(initial_state)

        def residual_momentum(v1):
            change = np.concatenate([h * v1, v1 - v])
            return (residual + tangent @ change)[len(x) :]

        at_rest = residual_momentum(0 * v)
        M_hat = np.stack([residual_momentum(unit) - at_rest for unit in np.eye(len(v))], axis=1)
        return np.vstack([M_hat, (-at_rest - M @ v) / h])

    primitives = NONLINEAR_FORCES
    implements = EFFECTIVE_SYSTEM


@section.holds("d4", "The step in terms of the velocity change")
class d4:
    formula = (
        r"\hat{\mathbf M}\dot{\mathbf x}^{k+1} = \hat{\mathbf M}\dot{\mathbf x}^k + h\tilde{\mathbf f}^k"
    )
    inputs = STEP
    result = Result(VELOCITY, SYSTEM_COORDINATES)

    def printed(M, f, K, D, x, v, h):
        M_hat = M - h * D - h**2 * K
        f_tilde = f + h * K @ v
        return np.linalg.solve(M_hat, M_hat @ v + h * f_tilde)

    library = change_library
    reference = velocity_reference
    primitives = NONLINEAR_FORCES
    implements = EFFECTIVE_SYSTEM


@section.holds("d5", "Force of the rearranged step")
class d5:
    formula = r"\tilde{\mathbf f}^k \equiv \mathbf f^k + h\tfrac{\partial\mathbf f}{\partial\mathbf x}\dot{\mathbf x}^k"
    inputs = STEP
    result = Result(FORCE, SYSTEM_COORDINATES)

    def printed(M, f, K, D, x, v, h):
        return f + h * K @ v

    def library(M, f, K, D, x, v, h):
        system = implicit_euler_problem(nonlinear_system(M, f, K, D, x, v), State(q=x, qdot=v), h)
        return effective_force(system, system.mass, v, h)

    def reference(M, f, K, D, x, v, h):
        """Evaluate the force linearized at the start, at the position after a step at the old velocities."""
        force = nonlinear_force(f, K, D, x, v)
        return f + complex_step(lambda t: force(x + h * t[0] * v, v), np.zeros(1))[:, 0]

    primitives = NONLINEAR_FORCES
    implements = EFFECTIVE_SYSTEM
