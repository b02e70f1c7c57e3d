"""One step of the time integrators of Lloyd 0.9, for ``M dv/dt = f(x, v)`` and ``dx/dt = v``.

The implicit ones are linearly implicit: the force at the end of the step is its linearisation at the start,
with K = +df/dx and D = +df/dv. Each comes down to one linear system for the new velocities,

    M_hat v+ = b,

which is what constraints, contact and friction are added to: each step takes the function that solves it, and
:mod:`rbnotes.stepping` has another one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.sparse.linalg import splu

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument, SingularConfiguration

Matrix = Any
"""``(n, n)``, a NumPy array or a scipy.sparse array."""


class State(NamedTuple):
    """Positions and velocities ``(n,)``."""

    x: Array
    v: Array


class VelocitySystem(NamedTuple):
    """The linear system ``M_hat v+ = b`` for the velocities of one step."""

    M_hat: Matrix
    b: Array
    fraction: float = 1.0
    """Part of the step after which these velocities hold: 1/2 in the first half of Bridson-Marino."""

    def force_beside(self, inertia: Matrix, v: ArrayLike, h: float) -> Array:
        """The force f ``(n,)`` with ``b = inertia v + h f``: how else the step may be arranged (Lloyd 0.9).

        With the mass matrix it is the notes' ``f_hat``, with ``M_hat`` itself their ``f_tilde``.
        """
        v = arguments.vector("v", v, len(self.b))
        return (self.b - arguments.matrix("inertia", inertia, len(v), len(v)) @ v) / _step_size(h)


Solve = Callable[[VelocitySystem], Array]
"""Velocities ``(n,)`` from their system: :func:`solve_free`, or one that satisfies constraints."""


def solve_free(system: VelocitySystem) -> Array:
    """The velocities ``M_hat^-1 b (n,)``, without constraints.

    Raises
    ------
    SingularConfiguration
        If M_hat is singular.
    """
    try:
        if sparse.issparse(system.M_hat):
            return splu(sparse.csc_array(system.M_hat)).solve(system.b)
        return np.linalg.solve(system.M_hat, system.b)
    except (RuntimeError, np.linalg.LinAlgError) as error:
        raise SingularConfiguration(
            "system", "a singular matrix M_hat of the step", "a regular one"
        ) from error


@dataclass(frozen=True)
class System:
    """A mechanical system: its mass matrix, its force, and the force's derivatives."""

    mass: Matrix
    """``(n, n)``, symmetric positive definite; dense or sparse."""
    force: Callable[[Array, Array], ArrayLike]
    """f(x, v) ``(n,)``."""
    stiffness: Callable[[Array, Array], Matrix]
    """K = +df/dx at (x, v), ``(n, n)``, dense or sparse."""
    damping: Callable[[Array, Array], Matrix]
    """D = +df/dv at (x, v), ``(n, n)``, dense or sparse."""

    def __post_init__(self) -> None:
        shape = np.shape(self.mass)
        if len(shape) != 2 or shape[0] != shape[1]:
            raise InvalidArgument("mass", f"shape {shape}", "a square matrix (n, n)")

    def linearise(self, state: State) -> tuple[Array, Matrix, Matrix]:
        """f, K and D at a state, with their shapes checked."""
        n = self.mass.shape[0]
        x, v = (arguments.vector(name, value, n) for name, value in zip("xv", state, strict=True))
        f = arguments.vector("force(x, v)", self.force(x, v), n)
        matrices = self.stiffness(x, v), self.damping(x, v)
        for name, matrix in zip(("stiffness(x, v)", "damping(x, v)"), matrices, strict=True):
            if np.shape(matrix) != (n, n):
                raise InvalidArgument(name, f"shape {np.shape(matrix)}", f"shape ({n}, {n})")
        return f, *matrices


def symplectic_euler_system(system: System, state: State, h: float) -> VelocitySystem:
    """``M v+ = M v + h f`` (Lloyd 0.9.1)."""
    h = _step_size(h)
    f = arguments.vector("force(x, v)", system.force(*state), len(state.v))
    return VelocitySystem(system.mass, system.mass @ state.v + h * f)


def symplectic_euler(system: System, state: State, h: float, *, solve: Solve = solve_free) -> State:
    """Velocities from the force at the start, then positions with the new velocities (Lloyd 0.9.1)."""
    v = solve(symplectic_euler_system(system, state, h))
    return State(state.x + h * v, v)


def linearly_implicit_system(
    M: Matrix, v: ArrayLike, f: ArrayLike, K: Matrix, D: Matrix, h: float
) -> VelocitySystem:
    """``(M - h D - h^2 K) v+ = (M - h D) v + h f`` (right form of Sueda eq. (1.30)).

    Implicit Euler asks for ``M (v+ - v) = h f`` with f at the end of the step. To first order in the step
    that force is ``f + h K v+ + D (v+ - v)``, in body coordinates too, where x does not change at the rate v.

    Parameters
    ----------
    M, K, D : (n, n)
        Inertia, K = +df/dx along the velocities and D = +df/dv; each dense, or a scipy.sparse array.
    v, f : (n,)
        Velocities and the sum of all forces, those that depend on velocities included, at the start.
    h : float
        Step size, s.
    """
    h = _step_size(h)
    v = arguments.vector("v", v, None)
    n = v.shape[-1]
    f = arguments.vector("f", f, n)
    M, K, D = (arguments.matrix(name, value, n, n) for name, value in (("M", M), ("K", K), ("D", D)))
    if any(sparse.issparse(matrix) for matrix in (M, K, D)):
        M, K, D = (sparse.csc_array(matrix) for matrix in (M, K, D))
    damped = M - h * D
    return VelocitySystem(damped - h**2 * K, damped @ v + h * f)


def linearly_implicit_velocity(
    M: Matrix, v: ArrayLike, f: ArrayLike, K: Matrix, D: Matrix, h: float
) -> Array:
    """Velocities ``(n,)`` after a step of linearly implicit Euler, from the system above.

    Raises
    ------
    SingularConfiguration
        If ``M - h D - h^2 K`` is singular.
    """
    return solve_free(linearly_implicit_system(M, v, f, K, D, h))


def implicit_euler_system(system: System, state: State, h: float) -> VelocitySystem:
    """``(M - h D - h^2 K) v+ = (M - h D) v + h f`` (Lloyd 0.9.2)."""
    return linearly_implicit_system(system.mass, state.v, *system.linearise(state), h)


def implicit_euler(system: System, state: State, h: float, *, solve: Solve = solve_free) -> State:
    """Linearly implicit Euler (Lloyd 0.9.2): of first order, and stable for stiff springs and dampers.

    Raises
    ------
    SingularConfiguration
        If ``M - h D - h^2 K`` is singular.
    """
    v = solve(implicit_euler_system(system, state, h))
    return State(state.x + h * v, v)


def trapezoidal_system(system: System, state: State, h: float) -> VelocitySystem:
    """``(M - h/2 D - h^2/4 K) v+ = (M - h/2 D + h^2/4 K) v + h f`` (Lloyd 0.9.3)."""
    h = _step_size(h)
    f, K, D = system.linearise(state)
    damped = system.mass - h / 2 * D
    return VelocitySystem(damped - h**2 / 4 * K, damped @ state.v + h**2 / 4 * (K @ state.v) + h * f)


def trapezoidal(system: System, state: State, h: float, *, solve: Solve = solve_free) -> State:
    """Linearised trapezoidal rule (Lloyd 0.9.3): of second order; keeps the energy of linear springs.

    Raises
    ------
    SingularConfiguration
        If ``M - h/2 D - h^2/4 K`` is singular.
    """
    v = solve(trapezoidal_system(system, state, h))
    return State(state.x + h / 2 * (state.v + v), v)


def bridson_marino(system: System, state: State, h: float, *, solve: Solve = solve_free) -> State:
    """Explicit in positions, implicit in velocities, of second order; does not need K (Lloyd 0.9.4).

    Two systems are solved: for the velocities halfway, which move the positions, and for the new ones.

    Raises
    ------
    SingularConfiguration
        If ``M - h/2 D`` is singular.
    """
    h = _step_size(h)
    n = len(state.v)
    f = arguments.vector("force(x, v)", system.force(*state), n)
    D = system.damping(*state)
    if np.shape(D) != (n, n):
        raise InvalidArgument("damping(x, v)", f"shape {np.shape(D)}", f"shape ({n}, {n})")
    M_hat = system.mass - h / 2 * D
    momentum = M_hat @ state.v
    x = state.x + h * solve(VelocitySystem(M_hat, momentum + h / 2 * f, fraction=0.5))
    f_next = arguments.vector("force(x, v)", system.force(x, state.v), n)
    return State(x, solve(VelocitySystem(M_hat, momentum + h / 2 * (f + f_next))))


def integrate(
    step: Callable[[System, State, float], State], system: System, state: State, h: float, steps: int
) -> State:
    """States after 0, 1, ..., ``steps`` steps: arrays ``(steps + 1, n)``."""
    states = [State(*(np.asarray(value, dtype=np.float64) for value in state))]
    for _ in range(steps):
        states.append(step(system, states[-1], h))
    return State(np.stack([s.x for s in states]), np.stack([s.v for s in states]))


def _step_size(h: float) -> float:
    return float(arguments.positive("h", h))
