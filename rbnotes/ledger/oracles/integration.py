"""Steps of time integrators from the equations that define them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.oracles.nonlinear_forces import Force
from rbnotes.testing import complex_step

Equations = Callable[[Array], Array]


def newton_step(equations: Equations, guess: Array) -> Array:
    """Return the result of one Newton step on the equations, with a complex-step Jacobian."""
    return guess - np.linalg.solve(complex_step(equations, guess), equations(guess))


def follow_root(equations_at: Callable[[float], Equations], guess: Array, h: float) -> Array:
    """Return the root of the equations of a step of size h, by continuation from the root at size zero.

    Raises
    ------
    ArithmeticError
        If the iteration does not converge.
    """
    for size in np.linspace(0.0, h, 4)[1:]:
        equations = equations_at(size)
        for _ in range(30):
            guess, last = newton_step(equations, guess), guess
            if np.max(np.abs(guess - last)) < 1e-13 * (1 + np.max(np.abs(guess))):
                break
        else:
            raise ArithmeticError("Newton's iteration does not converge")
    # Each further step doubles the number of right digits; exact arithmetic has a hundred of them.
    for _ in range(2):
        guess = newton_step(equations, guess)
    return guess


def implicit_euler_equations(M: Array, force: Force, x: Array, v: Array) -> Callable[[float], Equations]:
    """Return a function of h with the equations ``x1 = x + h v1``, ``M (v1 - v) = h f(x1, v1)``."""

    def equations_at(h: float) -> Equations:
        def equations(end: Array) -> Array:
            x1, v1 = np.split(end, 2)
            return np.concatenate([x1 - x - h * v1, M @ (v1 - v) - h * force(x1, v1)])

        return equations

    return equations_at


def trapezoidal_equations(M: Array, force: Force, x: Array, v: Array) -> Callable[[float], Equations]:
    """Return a function of h: the equations of the trapezoidal rule for positions and momenta."""

    def equations_at(h: float) -> Equations:
        def equations(end: Array) -> Array:
            x1, v1 = np.split(end, 2)
            mean_force = (force(x1, v1) + force(x, v)) / 2
            return np.concatenate([x1 - x - h * (v1 + v) / 2, M @ (v1 - v) - h * mean_force])

        return equations

    return equations_at


def half_step_velocity(M: Array, force: Force, x: Array, v: Array, h: float) -> Array:
    """Return one Newton step for ``M (u - v) = h/2 f(x, u)``: implicit Euler over half a step at fixed x."""
    return newton_step(lambda u: M @ (u - v) - h / 2 * force(x, u), v)


def midpoint_acceleration_positions(M: Array, force: Force, x: Array, v: Array, h: float) -> Array:
    """Return the positions after a step with the mid-step acceleration, ``M (x1 - x - h v) = h^2/2 f(x, u)``.

    The force is linearized in the velocities.
    """
    u = half_step_velocity(M, force, x, v, h)
    tangent = force(x, v) + complex_step(lambda t: force(x, v + t[0] * (u - v)), np.zeros(1))[:, 0]
    result: Array = x + h * v + h**2 / 2 * np.linalg.solve(M, tangent)
    return result


def trapezoidal_velocity(M: Array, force: Force, x: Array, x1: Array, v: Array, h: float) -> Array:
    """Return the new velocities w of the trapezoidal rule ``M (w - v) = h/2 (f(x, v) + f(x1, w))``.

    Both positions are known. One Newton step starts from the old velocities, with the derivatives of the
    first half of the step.
    """
    residual = h / 2 * (force(x, v) + force(x1, v))
    jacobian = complex_step(lambda w: M @ (w - v) - h / 2 * force(x, w), v)
    return v + np.linalg.solve(jacobian, residual)
