"""Steps of time integrators from the equations that define them, for a force that bends."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rbnotes.arguments import Array
from rbnotes.checking import complex_step

Force = Callable[[Array, Array], Array]
Equations = Callable[[Array], Array]


def bend(y: Array, u: Array) -> Array:
    """What the force has beyond its tangent at the start, for displacements y and changes of velocity u."""
    return np.array([y[0] * y[1] + u[2] ** 2 / 2, y[2] ** 2 - y[0] * u[1], u[0] * u[1] + y[1] ** 3])


def bent_force(f: Array, K: Array, D: Array, x: Array, v: Array, share: float = 1.0) -> Force:
    """A nonlinear force with the value f and the slopes K, D at (x, v) ``(3,)``.

    A ``share`` of zero makes it affine.
    """

    def force(y: Array, u: Array) -> Array:
        return f + K @ (y - x) + D @ (u - v) + share * bend(y - x, u - v)

    return force


def newton_step(equations: Equations, guess: Array) -> Array:
    """The point where the tangent of the equations vanishes, their slopes by complex steps."""
    return guess - np.linalg.solve(complex_step(equations, guess), equations(guess))


def root_on_the_way(equations_at: Callable[[float], Equations], guess: Array, h: float) -> Array:
    """Root of the equations of a step of size h, followed from the guess, their root for a step of size zero.

    Raises
    ------
    ArithmeticError
        If the iteration does not converge.
    """
    for size in np.linspace(0.0, h, 9)[1:]:
        equations = equations_at(size)
        for _ in range(30):
            guess, last = newton_step(equations, guess), guess
            if np.max(np.abs(guess - last)) < 1e-13 * (1 + np.max(np.abs(guess))):
                break
        else:
            raise ArithmeticError("Newton's iteration does not converge")
    return guess


def implicit_euler_equations(M: Array, force: Force, x: Array, v: Array) -> Callable[[float], Equations]:
    """``x1 = x + h v1``, ``M (v1 - v) = h f(x1, v1)``, for each h, in ``(x1, v1)``."""

    def equations_at(h: float) -> Equations:
        def equations(end: Array) -> Array:
            x1, v1 = np.split(end, 2)
            return np.concatenate([x1 - x - h * v1, M @ (v1 - v) - h * force(x1, v1)])

        return equations

    return equations_at


def trapezoidal_equations(M: Array, force: Force, x: Array, v: Array) -> Callable[[float], Equations]:
    """Positions move with the mean of the velocities, momenta with the mean of the forces of both ends."""

    def equations_at(h: float) -> Equations:
        def equations(end: Array) -> Array:
            x1, v1 = np.split(end, 2)
            mean_force = (force(x1, v1) + force(x, v)) / 2
            return np.concatenate([x1 - x - h * (v1 + v) / 2, M @ (v1 - v) - h * mean_force])

        return equations

    return equations_at
