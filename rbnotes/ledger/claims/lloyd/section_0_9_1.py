"""Lloyd 0.9.1: symplectic Euler."""

from __future__ import annotations

import numpy as np

from rbnotes.dynamics import State, System, symplectic_euler
from rbnotes.ledger.claims.lloyd.section_0_9_2 import BENT, STEP, SYMMETRIC, N, bent_system, stacked
from rbnotes.ledger.oracles.nonlinear_forces import nonlinear_force
from rbnotes.ledger.quantities import LENGTH, MASS, VELOCITY, vector_quantity
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing import jacobian

CHAPTER = "time-stepping"
PULLED = {name: STEP[name] for name in ("M", "x", "v", "h")}


def pull(x):
    """Force of a coupled, nonlinear potential."""
    return -np.array([x[0] + x[1] ** 3, 3 * x[0] * x[1] ** 2 + np.sin(x[2]), x[1] * np.cos(x[2]) + x[2] ** 3])


def pulled_step(M, x, v, h):
    """The printed step under the force of that potential."""
    v1 = np.linalg.solve(M, M @ v + h * pull(x))
    return np.concatenate([x + h * v1, v1])


def step_slopes(step, x, v):
    """A, the derivative of the state after the step with respect to that before."""
    return jacobian(lambda state: step(*np.split(state, 2)), np.concatenate([x, v])).value


def area_form(M):
    """J of the oriented area that two displacements (dx, dv) span, with M between x and v."""
    J = np.zeros((2 * N, 2 * N))
    J[:N, N:], J[N:, :N] = M, -M
    return J


@claim("lloyd/s0.9.1/d1#a", "A step of symplectic Euler")
class d1_a:
    formula = (
        r"\mathbf x^{k+1} = \mathbf x^k + h\dot{\mathbf x}^{k+1},\quad "
        r"\mathbf M\dot{\mathbf x}^{k+1} = \mathbf M\dot{\mathbf x}^k + h\mathbf f^k"
    )
    inputs = STEP
    result = vector_quantity((LENGTH, 3), (VELOCITY, 3))

    def printed(M, f, K, D, x, v, h):
        v1 = np.linalg.solve(M, M @ v + h * f)
        return np.concatenate([x + h * v1, v1])

    def library(M, f, K, D, x, v, h):
        return stacked(symplectic_euler(bent_system(M, f, K, D, x, v), State(q=x, qdot=v), h))

    oracle = "second differences of three successive positions are the acceleration, as in a leapfrog"

    def reference(M, f, K, D, x, v, h):
        """Positions before, at and after the start, with ``M (x1 - 2 x0 + x_before) / h^2 = f``."""
        before = x - h * v
        after = np.linalg.solve(M / h**2, M @ (2 * x - before) / h**2 + nonlinear_force(f, K, D, x, v)(x, v))
        return np.concatenate([after, (after - x) / h])

    equivalent_mutants = SYMMETRIC
    primitives = BENT
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.dynamics.symplectic_euler",)
    chapter = CHAPTER


@claim("lloyd/s0.9.1/d1#b", "It is symplectic")
class d1_b:
    formula = (
        r"\mathbf f = -\frac{\partial U}{\partial\mathbf x}"
        r" \;\Rightarrow\; A^T J A = J,\quad "
        r"J = \begin{pmatrix} 0 & \mathbf M \\ -\mathbf M & 0 \end{pmatrix}"
    )
    inputs = PULLED
    result = MASS

    def printed(M, x, v, h):
        A = step_slopes(lambda x, v: pulled_step(M, x, v, h), x, v)
        return A.T @ area_form(M) @ A

    def library(M, x, v, h):
        system = System(M, lambda x, v: pull(x), lambda x, v: np.zeros((N, N)), lambda x, v: np.zeros((N, N)))

        def step(x, v):
            return stacked(symplectic_euler(system, State(q=x, qdot=v), h))

        A = step_slopes(step, x, v)
        return A.T @ area_form(M) @ A

    oracle = "the form itself, which the derivative of the step, by differences, must keep"

    def reference(M, x, v, h):
        return np.kron([[0.0, 1.0], [-1.0, 0.0]], M)

    verdict = Verdict.HOLDS
    equivalent_mutants = {
        **{
            f"in pull: {change}": "the force of another potential"
            for change in (
                "dropped minus in `-np.array([x[0] + x[1] ** 3, 3 * x[0] * x[1] ** 2 + np.sin(x[2]), "
                "x[1] * np.cos(x[2]) + x[2] ** 3])`",
                "dropped `x[0]` in `x[0] + x[1] ** 3`",
                "flipped sign in `x[1] * np.cos(x[2]) + x[2] ** 3`",
                "dropped `x[2] ** 3` in `x[1] * np.cos(x[2]) + x[2] ** 3`",
                "swapped operands in `x[2] ** 3`",
                "dropped factor `3` in `x[2] ** 3`",
                "doubled 3 in `x[2] ** 3`",
            )
        },
        "in pulled_step: *": "another kick along a potential's slope, another drift along the momentum",
        "in step_slopes: negated*": "the derivative elsewhere, where the step is symplectic as well",
    }
    remark = "For forces of a potential, which damping is not; $A$ is the derivative of the step."
    implemented_by = ("rbnotes.dynamics.symplectic_euler",)
    chapter = CHAPTER
