"""Fully implicit steps: the equations of motion hold exactly at the end, or in the middle, of the step.

The implicit schemes of Lloyd 0.9 solve one linear problem, with the force linearized at the start of the step
and a constant mass matrix. If masses and forces change much in a step, as those of trees do, Newton's method
iterates until

    f(state) - M(state) (v+ - v) / h = 0

holds at the state that v+ gives. Its linear problems have the exact derivatives of the left-hand side.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument, Matrix, SingularConfiguration
from rbnotes.dynamics.ignored_parts import check_ignored_parts
from rbnotes.dynamics.mechanical_system import MechanicalSystem
from rbnotes.dynamics.schemes import StepSolver, accounted_parts, solve_unconstrained_step, subtract
from rbnotes.dynamics.state import State
from rbnotes.dynamics.step_problem import StepProblem, unconstrained_problem
from rbnotes.errors import NotConverged
from rbnotes.unchecked import se3

MAX_STEP_HALVINGS = 12
"""Largest number of trial fractions of a Newton step: the smallest fraction is 1/2048."""


@dataclass(frozen=True)
class FullyImplicitScheme:
    """Time step whose equations of motion hold at a fraction c of the step.

    There the velocities are ``u = v + c (v+ - v)``, and the increment of the positions is ``c h u``; that of
    the whole step is ``h u``. Newton's method starts at the old velocities. Corrections are halved until the
    residual of the equations decreases, measured by the energy norm of the velocity error.

    ``solve`` adds the constraints: with :func:`~rbnotes.dynamics.constrained_step`, rows at the start.

    Raises InvalidArgument if ``tolerance`` is not positive, ``max_iterations`` is negative, or the shape of
    ``fraction`` does not fit.

    Attributes
    ----------
    fraction
        Fraction c, dimensionless: 1 at the end, 1/2 in the middle of the step.
    tolerance
        Largest change of the positions by the last correction, in rad and m, relative to their increment in
        the step if that is more than 1. The remaining error is about the square of it.
    max_iterations
        Largest number of corrections.
    """

    fraction: float
    tolerance: float = 1e-10
    max_iterations: int = 30

    def __post_init__(self) -> None:
        arguments.real_array("fraction", self.fraction, minimum=0.5, maximum=1.0)
        arguments.positive_number("tolerance", self.tolerance)
        arguments.count("max_iterations", self.max_iterations)

    def __call__(
        self,
        system: MechanicalSystem,
        state: State,
        h: float,
        *,
        solve: StepSolver = solve_unconstrained_step,
    ) -> State:
        """Return the state after a step of size h; see :class:`~rbnotes.dynamics.schemes.TimeStepper`.

        Raises
        ------
        InvalidArgument
            If ``h`` is not positive, or the step leaves out parts of ``system``, as for
            :class:`~rbnotes.dynamics.Scheme`.
        NotConverged
            If the iteration does not converge: ``solution`` is the last state, and ``residual`` the change of
            its positions by the next correction, in rad and m.
        """
        arguments.require_instance("state", state, State)
        if not callable(getattr(system, "linearized_residual", None)):
            raise InvalidArgument("system", type(system).__name__, "a system with linearized_residual")
        h = arguments.positive_number("h", h)
        arguments.require_function("solve", solve)
        arguments.require_methods("system", system, "mass_matrix", "linearized_force", "retract")
        check_ignored_parts(system, accounted_parts(solve))
        equations = _StepEquations(system, state, h, self.fraction, system.mass_matrix(state), solve)
        velocity = state.velocity
        linearized = equations.linearize(velocity)
        for count in range(self.max_iterations + 1):
            correction = solve(linearized.problem(velocity), 1.0) - velocity
            residual = h * float(np.linalg.norm(correction))
            if residual <= self.tolerance * (1 + h * float(np.linalg.norm(velocity))):
                return equations.end_state(velocity + correction)
            improved = (
                None
                if count == self.max_iterations
                else _line_search(equations, linearized, velocity, correction)
            )
            if improved is None:
                break
            velocity, linearized = improved
        message = (
            f"a fully implicit step of {h:g} s ended after {count} corrections; "
            f"the next one would move the positions by {residual:.3g} rad and m"
        )
        raise NotConverged(message, equations.end_state(velocity), residual)


fully_implicit_euler = FullyImplicitScheme(1.0)
"""Implicit (backward) Euler by Newton's method: of first order; dissipates energy."""

implicit_midpoint = FullyImplicitScheme(0.5)
"""The implicit midpoint rule: of second order, for trees and bodies too."""


@dataclass(frozen=True, eq=False)
class _LinearizedEquations:
    """Residual of the equations, times h, and its negative derivative with respect to the new velocities."""

    residual: Array
    mass: Matrix

    def problem(self, velocity: Array) -> StepProblem:
        """Return the problem for the new velocities, linearized at given ones."""
        return StepProblem(self.mass, self.mass @ velocity + self.residual)


@dataclass(frozen=True, eq=False)
class _StepEquations:
    """Equations of one step in the new velocities.

    Attributes
    ----------
    system
        System whose forces are evaluated within the step.
    start
        State at the start.
    h
        Step size, s.
    fraction
        Fraction of the step at which the forces are evaluated.
    mass_matrix
        Mass matrix at the start.
    solve
        Function that solves a step problem under the constraints.
    """

    system: MechanicalSystem
    start: State
    h: float
    fraction: float
    mass_matrix: Matrix
    solve: StepSolver

    def linearize(self, velocity: Array) -> _LinearizedEquations:
        c, h, start = self.fraction, self.h, self.start
        mean = start.velocity + c * (velocity - start.velocity)
        state = self.system.retract(start, c * h * mean, c * h).with_velocity(mean)
        f, K, D = self.system.linearized_residual(state, (velocity - start.velocity) / h)
        K = _with_respect_to_increments(K, start, c * h * mean)
        return _LinearizedEquations(
            h * f, subtract(subtract(self.system.mass_matrix(state), c * h * D), (c * h) ** 2 * K)
        )

    def end_state(self, velocity: Array) -> State:
        mean = self.start.velocity + self.fraction * (velocity - self.start.velocity)
        return self.system.retract(self.start, self.h * mean, self.h).with_velocity(velocity)

    def residual_norm(self, velocity: Array, residual: Array) -> float:
        """Return the residual of equations and constraints as the energy norm of a velocity error."""
        problem = unconstrained_problem(self.mass_matrix, self.mass_matrix @ velocity + residual)
        velocity_error = self.solve(problem, 1.0) - velocity
        return float(np.sqrt(velocity_error @ (self.mass_matrix @ velocity_error)))


def _line_search(
    equations: _StepEquations, linearized: _LinearizedEquations, velocity: Array, correction: Array
) -> tuple[Array, _LinearizedEquations] | None:
    """Return velocities along a correction at which the residual is smaller; None if there are none."""
    step_fraction, initial_norm = 1.0, equations.residual_norm(velocity, linearized.residual)
    for _ in range(MAX_STEP_HALVINGS):
        trial_velocity = velocity + step_fraction * correction
        try:
            trial = equations.linearize(trial_velocity)
            trial_norm = equations.residual_norm(trial_velocity, trial.residual)
        except SingularConfiguration:
            trial_norm = np.inf
        if trial_norm <= (1 - step_fraction / 4) * initial_norm:
            return trial_velocity, trial
        step_fraction /= 2
    return None


def _with_respect_to_increments(K: Matrix, start: State, increment: Array) -> Matrix:
    """Convert K along body twists at the new state to K along the increments."""
    xi, dx, dq = start.split(increment)
    if not len(xi):
        return K
    others = sparse.eye_array(dx.size + dq.size)
    jacobians = sparse.block_diag([*se3.right_jacobian(xi), others], format="csc")
    return K @ jacobians
