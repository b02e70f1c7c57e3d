"""Lloyd 0.9.1: symplectic Euler."""

from __future__ import annotations

import numpy as np

from rbnotes.checking import jacobian
from rbnotes.integrators import State, System, symplectic_euler
from rbnotes.ledger.lloyd.section_0_9_2 import STEP, N
from rbnotes.ledger.record import Record, Verdict

MOVING = {name: STEP[name] for name in ("M", "x", "v", "h")}


def pull(x):
    """Force of a coupled, nonlinear potential."""
    return -np.array([x[0] + x[1] ** 3, 3 * x[0] * x[1] ** 2 + np.sin(x[2]), x[1] * np.cos(x[2]) + x[2] ** 3])


def drag(v):
    """Force that also depends on the velocities."""
    return -np.array([v[0] + v[1] ** 3, v[1] * v[2], v[2] - v[0]])


def no_derivative(x, v):
    return np.zeros((N, N))


def step_printed(M, x, v, h):
    v1 = np.linalg.solve(M, M @ v + h * (pull(x) + drag(v)))
    return np.concatenate([x + h * v1, v1])


def step_library(M, x, v, h):
    system = System(M, lambda x, v: pull(x) + drag(v), no_derivative, no_derivative)
    return np.concatenate(symplectic_euler(system, State(x, v), h))


def spring_step_printed(M, x, v, h):
    v1 = np.linalg.solve(M, M @ v + h * pull(x))
    return np.concatenate([x + h * v1, v1])


def spring_step_library(M, x, v, h):
    system = System(M, lambda x, v: pull(x), no_derivative, no_derivative)
    return np.concatenate(symplectic_euler(system, State(x, v), h))


def step_reference(M, x, v, h):
    """A kick with the force at the start, at fixed positions, then a drift at fixed velocities."""
    kick = np.linalg.inv(M) @ (pull(x) + drag(v))
    kicked = np.concatenate([x, v + h * kick])
    drift = np.eye(2 * N)
    drift[:N, N:] = h * np.eye(N)
    return drift @ kicked


def derivative_of(step, M, x, v, h):
    start = np.concatenate([x, v])
    return jacobian(lambda state: step(M, state[:N], state[N:], h), start).value


def area_printed(M, x, v, h):
    """The form that the step's derivative A makes of dx ^ M dv: A^T J A."""
    A = derivative_of(spring_step_printed, M, x, v, h)
    zero = np.zeros((N, N))
    return A.T @ np.block([[zero, M], [-M, zero]]) @ A


def area_library(M, x, v, h):
    A = derivative_of(spring_step_library, M, x, v, h)
    zero = np.zeros((N, N))
    return A.T @ np.block([[zero, M], [-M, zero]]) @ A


def area_reference(M, x, v, h):
    zero = np.zeros((N, N))
    return np.block([[zero, M], [-M, zero]])


RECORDS = [
    Record(
        id="lloyd/s0.9.1/d1#a",
        title="A step of symplectic Euler",
        verdict=Verdict.HOLDS,
        chapter="time-stepping",
        formula=r"\mathbf x^{k+1} = \mathbf x^k + h\dot{\mathbf x}^{k+1},\quad "
        r"\mathbf M\dot{\mathbf x}^{k+1} = \mathbf M\dot{\mathbf x}^k + h\mathbf f^k",
        oracle="a kick with the force at the start at fixed positions, then a drift at fixed velocities",
        implemented_by=("rbnotes.integrators.symplectic_euler",),
        inputs=MOVING,
        printed=step_printed,
        library=step_library,
        reference=step_reference,
    ),
    Record(
        id="lloyd/s0.9.1/d1#b",
        title="It is symplectic",
        verdict=Verdict.HOLDS,
        chapter="time-stepping",
        formula=r"A^T J A = J,\quad J = \begin{pmatrix} 0 & \mathbf M \\ -\mathbf M & 0 \end{pmatrix}",
        remark=r"For forces of a potential; $A$ is the derivative of the step.",
        oracle="the form itself, which the derivative of the step, by differences, must keep",
        implemented_by=("rbnotes.integrators.symplectic_euler",),
        inputs=MOVING,
        printed=area_printed,
        library=area_library,
        reference=area_reference,
        tolerance=1e-7,
    ),
]
