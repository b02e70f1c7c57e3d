"""Lloyd 0.9.1: symplectic Euler."""

from __future__ import annotations

import numpy as np

from rbnotes.checking import jacobian
from rbnotes.integrators import State, System, symplectic_euler
from rbnotes.ledger.lloyd.section_0_9_2 import STEP, N
from rbnotes.ledger.record import Verdict, claim

MOVING = {name: STEP[name] for name in ("M", "x", "v", "h")}


def pull(x):
    """Force of a coupled, nonlinear potential."""
    return -np.array([x[0] + x[1] ** 3, 3 * x[0] * x[1] ** 2 + np.sin(x[2]), x[1] * np.cos(x[2]) + x[2] ** 3])


def drag(v):
    """Force that also depends on the velocities."""
    return -np.array([v[0] + v[1] ** 3, v[1] * v[2], v[2] - v[0]])


def no_derivative(x, v):
    return np.zeros((N, N))


def spring_step_printed(M, x, v, h):
    v1 = np.linalg.solve(M, M @ v + h * pull(x))
    return np.concatenate([x + h * v1, v1])


def spring_step_library(M, x, v, h):
    system = System(M, lambda x, v: pull(x), no_derivative, no_derivative)
    return np.concatenate(symplectic_euler(system, State(x, v), h))


def derivative_of(step, M, x, v, h):
    start = np.concatenate([x, v])
    return jacobian(lambda state: step(M, state[:N], state[N:], h), start).value


@claim("lloyd/s0.9.1/d1#a", "A step of symplectic Euler")
class d1_a:
    formula = (
        r"\mathbf x^{k+1} = \mathbf x^k + h\dot{\mathbf x}^{k+1},\quad \mathbf M\dot{\mathbf x}^{k+1} "
        r"= \mathbf M\dot{\mathbf x}^k + h\mathbf f^k"
    )
    inputs = MOVING

    def printed(M, x, v, h):
        v1 = np.linalg.solve(M, M @ v + h * (pull(x) + drag(v)))
        return np.concatenate([x + h * v1, v1])

    def library(M, x, v, h):
        system = System(M, lambda x, v: pull(x) + drag(v), no_derivative, no_derivative)
        return np.concatenate(symplectic_euler(system, State(x, v), h))

    oracle = "a kick with the force at the start at fixed positions, then a drift at fixed velocities"

    def reference(M, x, v, h):
        """A kick with the force at the start, at fixed positions, then a drift at fixed velocities."""
        kick = np.linalg.inv(M) @ (pull(x) + drag(v))
        kicked = np.concatenate([x, v + h * kick])
        drift = np.eye(2 * N)
        drift[:N, N:] = h * np.eye(N)
        return drift @ kicked

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.integrators.symplectic_euler",)
    chapter = "time-stepping"


@claim("lloyd/s0.9.1/d1#b", "It is symplectic")
class d1_b:
    formula = r"A^T J A = J,\quad J = \begin{pmatrix} 0 & \mathbf M \\ -\mathbf M & 0 \end{pmatrix}"
    inputs = MOVING

    def printed(M, x, v, h):
        """The form that the step's derivative A makes of dx ^ M dv: A^T J A."""
        A = derivative_of(spring_step_printed, M, x, v, h)
        zero = np.zeros((N, N))
        return A.T @ np.block([[zero, M], [-M, zero]]) @ A

    def library(M, x, v, h):
        A = derivative_of(spring_step_library, M, x, v, h)
        zero = np.zeros((N, N))
        return A.T @ np.block([[zero, M], [-M, zero]]) @ A

    oracle = "the form itself, which the derivative of the step, by differences, must keep"

    def reference(M, x, v, h):
        zero = np.zeros((N, N))
        return np.block([[zero, M], [-M, zero]])

    tolerance = 1e-07
    verdict = Verdict.HOLDS
    remark = "For forces of a potential; $A$ is the derivative of the step."
    implemented_by = ("rbnotes.integrators.symplectic_euler",)
    chapter = "time-stepping"
