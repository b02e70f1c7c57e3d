"""Lloyd 0.9.1: symplectic Euler."""

from __future__ import annotations

import numpy as np

from rbnotes.dynamics import State, mechanical_system, symplectic_euler
from rbnotes.ledger.claims.lloyd.section_0_9_2 import NONLINEAR_FORCES, STEP, N, nonlinear_system, stack_state
from rbnotes.ledger.oracles.nonlinear_forces import nonlinear_force
from rbnotes.ledger.quantities import DAMPING, FORCE, LENGTH, MASS, STIFFNESS, TIME, VELOCITY, vector_quantity
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing import jacobian

section = Section(
    "lloyd/s0.9.1",
    chapter="time-stepping",
    arguments={
        "M": Argument(MASS, "in the generalized coordinates of the system (arbitrary)"),
        "f": Argument(FORCE, "in the generalized coordinates of the system (arbitrary)"),
        "K": Argument(STIFFNESS, "in the generalized coordinates of the system (arbitrary)"),
        "D": Argument(DAMPING, "in the generalized coordinates of the system (arbitrary)"),
        "x": Argument(LENGTH, "in the generalized coordinates of the system (arbitrary)"),
        "v": Argument(VELOCITY, "in the generalized coordinates of the system (arbitrary)"),
        "h": Argument(TIME),
    },
)


POTENTIAL_STEP = {name: STEP[name] for name in ("M", "x", "v", "h")}


def potential_force(x):
    """Return the force of a coupled, nonlinear potential."""
    return -np.array([x[0] + x[1] ** 3, 3 * x[0] * x[1] ** 2 + np.sin(x[2]), x[1] * np.cos(x[2]) + x[2] ** 3])


def potential_step(M, x, v, h):
    """Take the printed step under the force of that potential."""
    v1 = np.linalg.solve(M, M @ v + h * potential_force(x))
    return np.concatenate([x + h * v1, v1])


def step_jacobian(step, x, v):
    """Return A, the derivative of the state after the step with respect to the state before."""
    return jacobian(lambda state: step(*np.split(state, 2)), np.concatenate([x, v])).value


def symplectic_form(M):
    """Return the matrix J of the symplectic form with mass matrix M."""
    J = np.zeros((2 * N, 2 * N))
    J[:N, N:], J[N:, :N] = M, -M
    return J


@section.holds("d1#a", "A step of symplectic Euler")
class d1_a:
    formula = r"\mathbf x^{k+1} = \mathbf x^k + h\dot{\mathbf x}^{k+1},\quad \mathbf M\dot{\mathbf x}^{k+1} = \mathbf M\dot{\mathbf x}^k + h\mathbf f^k"
    inputs = STEP
    result = Result(
        vector_quantity((LENGTH, 3), (VELOCITY, 3)),
        "positions, then velocities, in the generalized coordinates of the system",
    )

    def printed(M, f, K, D, x, v, h):
        v1 = np.linalg.solve(M, M @ v + h * f)
        return np.concatenate([x + h * v1, v1])

    def library(M, f, K, D, x, v, h):
        return stack_state(symplectic_euler(nonlinear_system(M, f, K, D, x, v), State(q=x, qdot=v), h))

    def reference(M, f, K, D, x, v, h):
        """Compare with second differences of three successive positions, as in leapfrog integration.

        The positions satisfy ``M (x1 - 2 x0 + x_before) / h^2 = f``.
        """
        before = x - h * v
        after = np.linalg.solve(M / h**2, M @ (2 * x - before) / h**2 + nonlinear_force(f, K, D, x, v)(x, v))
        return np.concatenate([after, (after - x) / h])

    primitives = NONLINEAR_FORCES
    any_size = True
    implements = symplectic_euler


@section.holds("d1#b", "Symplectic Euler is symplectic")
class d1_b:
    formula = r"\mathbf f = -\frac{\partial U}{\partial\mathbf x} \;\Rightarrow\; A^T J A = J,\quad J = \begin{pmatrix} 0 & \mathbf M \\ -\mathbf M & 0 \end{pmatrix}"
    inputs = POTENTIAL_STEP
    result = Result(MASS, "positions, then velocities, in the generalized coordinates of the system")

    def printed(M, x, v, h):
        A = step_jacobian(lambda x, v: potential_step(M, x, v, h), x, v)
        return A.T @ symplectic_form(M) @ A

    def library(M, x, v, h):
        system = mechanical_system(
            M, lambda x, v: potential_force(x), lambda x, v: np.zeros((N, N)), lambda x, v: np.zeros((N, N))
        )

        def step(x, v):
            return stack_state(symplectic_euler(system, State(q=x, qdot=v), h))

        A = step_jacobian(step, x, v)
        return A.T @ symplectic_form(M) @ A

    def reference(M, x, v, h):
        """Check that the derivative of the step, by differences, preserves the symplectic form."""
        return np.kron([[0.0, 1.0], [-1.0, 0.0]], M)

    remark = (
        "This holds for forces with a potential, which excludes damping. $A$ is the derivative of the step."
    )
    implements = symplectic_euler
