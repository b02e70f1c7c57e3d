"""Time steps of Lloyd 0.9 for any mechanical system: ``M dv/dt = f``.

The implicit schemes are linearly implicit: the force at the end of the step is linearized at the start, with
K = +df along increments of the positions and D = +df/dv. Each comes down to one
:class:`~rbnotes.dynamics.step_problem.StepProblem` for the new velocities. Constraints, contact and friction
are added to that: each step takes the function that solves it, and :mod:`rbnotes.dynamics.constrained_steps`
has another one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.integrate import solve_ivp
from scipy.sparse.linalg import splu

from rbnotes import arguments
from rbnotes.arguments import Array, Matrix, SingularConfiguration
from rbnotes.dynamics.ignored_parts import EQUATIONS, IMPULSES, check_ignored_parts
from rbnotes.dynamics.mechanical_system import MechanicalSystem
from rbnotes.dynamics.state import State, States
from rbnotes.dynamics.step_problem import StepProblem
from rbnotes.unchecked.frozen import replace_unchecked

StepSolver = Callable[[StepProblem, float], Array]
"""Function from a problem and the fraction of a step to velocities ``(N,)``. The fraction is 1, or 1/2 in the
first half of Bridson-Marino. :func:`solve_unconstrained_step` is one without constraints."""


class TimeStepper(Protocol):
    """Time step, such as any scheme of this module."""

    def __call__(self, system: MechanicalSystem, state: State, h: float, *, solve: StepSolver = ...) -> State:
        """Return the state after a step of ``h``, s."""


def solve_unconstrained_step(problem: StepProblem, fraction: float = 1.0) -> Array:
    """Solve for the velocities ``mass^-1 momentum (N,)`` without constraints.

    Raises
    ------
    InvalidArgument
        If ``problem`` is not a ``StepProblem``.
    SingularConfiguration
        If the mass is singular.
    """
    arguments.require_instance("problem", problem, StepProblem)
    try:
        if sparse.issparse(problem.mass):
            result: Array = splu(problem.mass).solve(problem.momentum)
            return result
        return np.linalg.solve(problem.mass, problem.momentum)
    except (RuntimeError, np.linalg.LinAlgError) as error:
        raise SingularConfiguration("mass", "a singular matrix of the step", "a regular one") from error


def accounted_parts(solve: StepSolver) -> tuple[str, ...]:
    """Return the parts of a system that a step with a function for its problems accounts for."""
    return () if solve is solve_unconstrained_step else IMPULSES


@dataclass(frozen=True)
class Scheme:
    """Time step in two halves: forces change the velocities, and the velocities move the system.

    Constraints and contacts add impulses in between.

    Raises InvalidArgument if ``problem`` or ``advance`` is not a function.

    Attributes
    ----------
    problem
        Function from system, state and step size to the problem for the new velocities, without constraints.
    advance
        Function from system, initial state, new velocities and step size to the state at the end.
    """

    problem: Callable[[MechanicalSystem, State, float], StepProblem]
    advance: Callable[[MechanicalSystem, State, Array, float], State]

    def __post_init__(self) -> None:
        arguments.require_function("problem", self.problem, "system", "state", "h")
        arguments.require_function("advance", self.advance, "system", "state", "velocity", "h")

    def __call__(
        self,
        system: MechanicalSystem,
        state: State,
        h: float,
        *,
        solve: StepSolver = solve_unconstrained_step,
    ) -> State:
        """Return the state after a step of ``h``, s; ``solve`` adds impulses of constraints and contacts.

        Raises InvalidArgument if ``h`` is not positive, ``solve`` is not a function that returns velocities,
        or ``system`` is a model with parts that the step leaves out: servos; without ``solve`` also
        constraints, limits, contacts and friction in joints.
        """
        arguments.require_instance("state", state, State)
        arguments.require_function("solve", solve)
        check_ignored_parts(system, accounted_parts(solve))
        solved = solve(self.problem(system, state, h), 1.0)
        velocity = arguments.single_vector("solve(problem)", solved, state.size)
        return self.advance(system, state, velocity, h)


def symplectic_euler_problem(system: MechanicalSystem, state: State, h: float) -> StepProblem:
    """Return the problem ``M v+ = M v + h f`` (Lloyd 0.9.1; for bodies Sueda 1.8, eq. (1.28)).

    Raises InvalidArgument if ``h`` is not positive.
    """
    arguments.require_methods("system", system, "mass_matrix", "force")
    arguments.require_instance("state", state, State)
    mass = system.mass_matrix(state)
    return StepProblem(mass, mass @ state.velocity + _check_step_size(h) * system.force(state))


def linearly_implicit_problem(
    M: Matrix, v: ArrayLike, f: ArrayLike, K: Matrix, D: Matrix, h: float
) -> StepProblem:
    """Return the problem ``(M - h D - h^2 K) v+ = (M - h D) v + h f`` (corrected form of Sueda eq. (1.30)).

    Implicit Euler solves ``M (v+ - v) = h f`` with f at the end of the step. To first order in the step that
    force is ``f + h K v+ + D (v+ - v)``, in body coordinates too, where x does not change at the rate v.

    Parameters
    ----------
    M, K, D : (n, n)
        Inertia, kg, K = +df/dx along the velocities, N/m, and D = +df/dv, N s/m; each dense, or a
        scipy.sparse array. The result has the format of M.
    v, f : (n,)
        Velocities, m/s, and the sum of all forces, N, those that depend on velocities included, at the start.
    h : float
        Step size, s.

    Raises
    ------
    InvalidArgument
        If ``h`` is not positive or a shape does not fit.
    """
    h = _check_step_size(h)
    v = arguments.single_vector("v", v, None)
    n = v.shape[-1]
    f = arguments.single_vector("f", f, n)
    M, K, D = (arguments.matrix(name, value, n, n) for name, value in (("M", M), ("K", K), ("D", D)))
    return _linearly_implicit_problem(M, v, f, K, D, h)


def _linearly_implicit_problem(M: Matrix, v: Array, f: Array, K: Matrix, D: Matrix, h: float) -> StepProblem:
    effective_mass = subtract(M, h * D)
    return StepProblem(subtract(effective_mass, h**2 * K), effective_mass @ v + h * f)


def linearly_implicit_velocity(
    M: Matrix, v: ArrayLike, f: ArrayLike, K: Matrix, D: Matrix, h: float
) -> Array:
    """Return the velocities ``(n,)`` after a step of linearly implicit Euler.

    Raises
    ------
    InvalidArgument
        If ``h`` is not positive or a shape does not fit.
    SingularConfiguration
        If ``M - h D - h^2 K`` is singular.
    """
    return solve_unconstrained_step(linearly_implicit_problem(M, v, f, K, D, h))


def implicit_euler_problem(system: MechanicalSystem, state: State, h: float) -> StepProblem:
    """Return the problem ``(M - h D - h^2 K) v+ = (M - h D) v + h f`` (Lloyd 0.9.2).

    Raises InvalidArgument if ``h`` is not positive.
    """
    arguments.require_methods("system", system, "mass_matrix", "linearized_force")
    arguments.require_instance("state", state, State)
    h = _check_step_size(h)
    return _linearly_implicit_problem(
        system.mass_matrix(state), state.velocity, *system.linearized_force(state), h
    )


def trapezoidal_problem(system: MechanicalSystem, state: State, h: float) -> StepProblem:
    """Return the problem ``(M - h/2 D - h^2/4 K) v+ = (M - h/2 D + h^2/4 K) v + h f`` (Lloyd 0.9.3).

    Raises InvalidArgument if ``h`` is not positive.
    """
    arguments.require_methods("system", system, "mass_matrix", "linearized_force")
    arguments.require_instance("state", state, State)
    h = _check_step_size(h)
    v, (f, K, D) = state.velocity, system.linearized_force(state)
    effective_mass = subtract(system.mass_matrix(state), h / 2 * D)
    return StepProblem(
        subtract(effective_mass, h**2 / 4 * K), effective_mass @ v + h**2 / 4 * (K @ v) + h * f
    )


def advance_by_new_velocity(system: MechanicalSystem, state: State, velocity: Array, h: float) -> State:
    """Advance positions with the new velocities, by ``h v+`` (for bodies Sueda 1.8, eq. (1.29)).

    Raises InvalidArgument if ``h`` is not positive or the shape of ``velocity`` does not fit.
    """
    arguments.require_methods("system", system, "retract")
    arguments.require_instance("state", state, State)
    velocity, h = arguments.single_vector("velocity", velocity, state.size), _check_step_size(h)
    return system.retract(state, h * velocity, h)._with_velocity(velocity)


def advance_by_mean_velocity(system: MechanicalSystem, state: State, velocity: Array, h: float) -> State:
    """Advance positions with the mean of old and new velocities, by ``h/2 (v + v+)``.

    Raises InvalidArgument if ``h`` is not positive or the shape of ``velocity`` does not fit.
    """
    arguments.require_methods("system", system, "retract")
    arguments.require_instance("state", state, State)
    velocity, h = arguments.single_vector("velocity", velocity, state.size), _check_step_size(h)
    return system.retract(state, h / 2 * (state.velocity + velocity), h)._with_velocity(velocity)


symplectic_euler = Scheme(symplectic_euler_problem, advance_by_new_velocity)
"""Symplectic Euler: velocities from the force at the start, then positions (Lloyd 0.9.1); of first order."""

implicit_euler = Scheme(implicit_euler_problem, advance_by_new_velocity)
"""Linearly implicit Euler (Lloyd 0.9.2): of first order, and stable for stiff springs and dampers."""

trapezoidal = Scheme(trapezoidal_problem, advance_by_mean_velocity)
"""Linearized trapezoidal rule (Lloyd 0.9.3): of second order if the mass matrix is constant and K and D are
exact, so not on trees; conserves the energy of linear springs."""


def bridson_marino(
    system: MechanicalSystem, state: State, h: float, *, solve: StepSolver = solve_unconstrained_step
) -> State:
    """Advance explicitly in positions and implicitly in velocities, of second order (Lloyd 0.9.4).

    K has no effect: ``system.linearized_force`` gives it with D.

    Two problems are solved: for the velocities halfway, which move the positions, and for the new ones.
    Of second order for constant mass matrices.

    Raises
    ------
    InvalidArgument
        If ``h`` is not positive, ``solve`` is not a function, or the step leaves out parts of ``system``,
        as for :class:`Scheme`.
    SingularConfiguration
        If ``M - h/2 D`` is singular.
    """
    arguments.require_methods("system", system, "mass_matrix", "force", "linearized_force", "retract")
    arguments.require_instance("state", state, State)
    arguments.require_function("solve", solve)
    check_ignored_parts(system, accounted_parts(solve))
    h = _check_step_size(h)
    v, (f, _, D) = state.velocity, system.linearized_force(state)
    mass = subtract(system.mass_matrix(state), h / 2 * D)
    momentum = mass @ v
    first = StepProblem(mass, momentum + h / 2 * f)
    midpoint_velocity = solve(first, 0.5)
    end_state = system.retract(
        state, h * arguments.single_vector("solve(problem)", midpoint_velocity, state.size), h
    )
    end_momentum = momentum + h / 2 * (f + system.force(end_state))
    second = replace_unchecked(first, momentum=arguments.single_vector("momentum", end_momentum, state.size))
    return end_state.with_velocity(solve(second, 1.0))


def runge_kutta(
    system: MechanicalSystem,
    state: State,
    h: float,
    *,
    rtol: float = 1e-10,
    atol: float = 1e-12,
    max_evaluations: int = 500_000,
) -> State:
    """Integrate to nearly machine precision by the adaptive method DOP853 of SciPy.

    The reference for all others. Positions are increments from those at the start, whose rate is
    :meth:`State.increment_rate`: a Munthe-Kaas method, for bodies.

    Parameters
    ----------
    rtol, atol
        Accepted errors, relative and in the units of positions and velocities, of
        :func:`scipy.integrate.solve_ivp`.
    max_evaluations
        Largest number of evaluations of the forces.

    Raises
    ------
    InvalidArgument
        If ``atol`` is not positive, ``max_evaluations`` is negative, the shape of ``h`` or ``rtol`` does not
        fit, or ``system`` is a model with contacts, limits, friction in joints or servos.
    SingularConfiguration
        If the method gives up, or would need more evaluations.
    """
    arguments.require_methods("system", system, "retract", "acceleration")
    arguments.require_instance("state", state, State)
    check_ignored_parts(system, (EQUATIONS,))
    h, rtol, atol = (
        _check_step_size(h),
        arguments.positive_number("rtol", rtol),
        arguments.positive_number("atol", atol),
    )

    remaining = arguments.count("max_evaluations", max_evaluations)

    def rates(t: float, stacked: Array) -> Array:
        nonlocal remaining
        remaining -= 1
        if remaining < 0:
            raise SingularConfiguration(
                "max_evaluations", f"{max_evaluations}, used up", f"more, or h below {h:g}"
            )
        increment, velocity = np.split(stacked, 2)
        current = system.retract(state, increment, t).with_velocity(velocity)
        return np.concatenate([state.increment_rate(increment, velocity), system.acceleration(current)])

    start = np.concatenate([np.zeros(state.size), state.velocity])
    solution = solve_ivp(rates, (0.0, h), start, method="DOP853", rtol=rtol, atol=atol)
    if not solution.success:
        raise SingularConfiguration("state", solution.message, "a motion that continues for the whole step")
    increment, velocity = np.split(solution.y[:, -1], 2)
    return system.retract(state, increment, h).with_velocity(velocity)


def integrate(
    step: Callable[[MechanicalSystem, State, float], State],
    system: MechanicalSystem,
    state: State,
    h: float,
    steps: int,
) -> States:
    """Return the states after 0, 1, ..., ``steps`` steps of size h.

    Raises
    ------
    InvalidArgument
        If there is no step, or ``step`` writes into the state.
    """
    arguments.require_methods("system", system, "retract")
    arguments.require_instance("state", state, State)
    h = _check_step_size(h)
    steps = arguments.count("steps", steps, minimum=1)
    arguments.require_function("step", step, "system", "state", "h")
    states = [state]
    for _ in range(steps):
        states.append(arguments.call_user_function("step", step, system, states[-1], h))
        arguments.require_instance("step(system, state, h)", states[-1], State)
    return States.stack(states)


def effective_force(problem: StepProblem, inertia: Matrix, v: ArrayLike, h: float) -> Array:
    """Return the force f ``(n,)`` with ``momentum = inertia v + h f`` (Lloyd 0.9).

    With the mass matrix it is ``f_hat`` of the notes, with the mass of the step ``f_tilde``.

    Raises InvalidArgument if ``h`` is not positive or the shape of ``inertia`` or ``v`` does not fit.
    """
    arguments.require_instance("problem", problem, StepProblem)
    v = arguments.single_vector("v", v, problem.size)
    result: Array = (
        problem.momentum - arguments.matrix("inertia", inertia, len(v), len(v)) @ v
    ) / _check_step_size(h)
    return result


def subtract(M: Matrix, change: Matrix) -> Matrix:
    """Return ``M - change``, sparse if M is."""
    if sparse.issparse(M):
        return sparse.csc_array(M) - sparse.csc_array(change)
    return M - (change.toarray() if sparse.issparse(change) else change)


def _check_step_size(h: float) -> float:
    return arguments.positive_number("h", h)
