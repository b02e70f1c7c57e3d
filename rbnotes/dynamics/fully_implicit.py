"""Fully implicit steps: the equations of motion hold exactly at the end, or in the middle, of the step.

The implicit schemes of Lloyd 0.9 solve one linear problem, with the force linearised at the start of the step
and the mass matrix held. Where masses and forces change much in a step, as those of trees do, Newton's method
goes on until

    f(state) - M(state) (v+ - v) / h = 0

holds at the state that v+ leads to. Its linear problems have the exact derivatives of the left side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeGuard

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from rbnotes import _se3, arguments
from rbnotes.arguments import Array, InvalidArgument, Matrix, SingularConfiguration
from rbnotes.dynamics.motion import Forces, MechanicalSystem
from rbnotes.dynamics.schemes import Solve, less, solve_free
from rbnotes.dynamics.state import State
from rbnotes.dynamics.step_problem import StepProblem, without_conditions
from rbnotes.errors import NotConverged

HALVINGS = 12
"""Shares of a Newton step that are tried: the smallest one is 1/2048."""


class Differentiable(MechanicalSystem, Protocol):
    """A system that knows how what is left of its equations of motion changes."""

    def tangent(self, state: State, acceleration: ArrayLike) -> Forces:
        """``force - mass acceleration (N,)``; K: along increments of the positions, D: by the velocities."""
        ...


@dataclass(frozen=True)
class FullyImplicit:
    """A step whose equations of motion hold at a part c of it.

    There the velocities are ``u = v + c (v+ - v)``, and the positions have moved by ``c h u``; the whole step
    moves them by ``h u``. Newton's method starts at the old velocities. A correction is halved until less is
    left of the equations than before, measured by the kinetic energy of the velocities that it would make.

    Constraints are those of ``solve``: with :func:`~rbnotes.dynamics.constrained_step`, rows at the start.

    Raises InvalidArgument if ``tolerance`` is not positive, ``max_iterations`` is negative, or the shape of
    ``part`` does not fit.
    """

    part: float
    """c, without unit: 1 at the end, 1/2 in the middle of the step."""
    tolerance: float = 1e-10
    """How far the last correction may move the positions, in rad and m; relative to how far they move in the
    step, where that is more than 1. What is left after it is about the square of that."""
    max_iterations: int = 30
    """The most corrections."""

    def __post_init__(self) -> None:
        arguments.scalar("part", self.part, minimum=0.5, maximum=1.0)
        arguments.number("tolerance", self.tolerance)
        arguments.count("max_iterations", self.max_iterations)

    def __call__(
        self, system: MechanicalSystem, state: State, h: float, *, solve: Solve = solve_free
    ) -> State:
        """The state after a step of size h; a :class:`~rbnotes.dynamics.schemes.Step`.

        Parameters
        ----------
        system
            A :class:`Differentiable` one.

        Raises
        ------
        InvalidArgument
            If ``h`` is not positive.
        NotConverged
            If the corrections do not end: ``solution`` is the state after the step that they led to, and
            ``residual`` how far the next one would move its positions, in rad and m.
        """
        arguments.instance("state", state, State)
        if not _has_tangent(system):
            raise InvalidArgument("system", type(system).__name__, "a system with a tangent")
        h = arguments.number("h", h)
        arguments.function("solve", solve)
        arguments.provides("system", system, "mass", "forces", "moved")
        equations = _Equations(system, state, h, self.part, system.mass(state), solve)
        velocity = state.velocity
        now = equations.at(velocity)
        for count in range(self.max_iterations + 1):
            correction = solve(now.problem(velocity), 1.0) - velocity
            residual = h * float(np.linalg.norm(correction))
            if residual <= self.tolerance * (1 + h * float(np.linalg.norm(velocity))):
                return equations.after(velocity + correction)
            found = None if count == self.max_iterations else _downhill(equations, now, velocity, correction)
            if found is None:
                break
            velocity, now = found
        message = (
            f"a fully implicit step of {h:g} s ended after {count} corrections; "
            f"the next one would move the positions by {residual:.3g} rad and m"
        )
        raise NotConverged(message, equations.after(velocity), residual)


fully_implicit_euler = FullyImplicit(1.0)
"""Implicit (backward) Euler by Newton's method: of first order, and takes energy out of the motion."""

implicit_midpoint = FullyImplicit(0.5)
"""The implicit midpoint rule: of second order, for trees and bodies too."""


def _has_tangent(system: MechanicalSystem) -> TypeGuard[Differentiable]:
    return callable(getattr(system, "tangent", None))


@dataclass(frozen=True, eq=False)
class _Linearised:
    """What is left of the equations, times h, and its derivative by the new velocities, with a minus sign."""

    left: Array
    mass: Matrix

    def problem(self, velocity: Array) -> StepProblem:
        """For the new velocities, with what is left of the equations at other ones."""
        return StepProblem(self.mass, self.mass @ velocity + self.left)


@dataclass(frozen=True, eq=False)
class _Equations:
    """Of one step, in the new velocities."""

    system: Differentiable
    start: State
    h: float
    part: float
    inertia: Matrix
    """At the start."""
    solve: Solve

    def at(self, velocity: Array) -> _Linearised:
        c, h, start = self.part, self.h, self.start
        mean = start.velocity + c * (velocity - start.velocity)
        state = self.system.moved(start, c * h * mean, c * h).with_velocity(mean)
        f, K, D = self.system.tangent(state, (velocity - start.velocity) / h)
        K = _along_increments(K, start, c * h * mean)
        return _Linearised(h * f, less(less(self.system.mass(state), c * h * D), (c * h) ** 2 * K))

    def after(self, velocity: Array) -> State:
        mean = self.start.velocity + self.part * (velocity - self.start.velocity)
        return self.system.moved(self.start, self.h * mean, self.h).with_velocity(velocity)

    def excess(self, velocity: Array, left: Array) -> float:
        """What is left of equations and constraints, as the energy norm of velocities that it would make."""
        problem = without_conditions(self.inertia, self.inertia @ velocity + left)
        missing = self.solve(problem, 1.0) - velocity
        return float(np.sqrt(missing @ (self.inertia @ missing)))


def _downhill(
    equations: _Equations, now: _Linearised, velocity: Array, correction: Array
) -> tuple[Array, _Linearised] | None:
    """Velocities along a correction at which less is left of the equations."""
    share, before = 1.0, equations.excess(velocity, now.left)
    for _ in range(HALVINGS):
        there = velocity + share * correction
        try:
            then = equations.at(there)
            after = equations.excess(there, then.left)
        except SingularConfiguration:
            after = np.inf
        if after <= (1 - share / 4) * before:
            return there, then
        share /= 2
    return None


def _along_increments(K: Matrix, start: State, increment: Array) -> Matrix:
    """K along body twists at the moved state as K along the increments themselves."""
    xi, dx, dq = start.split(increment)
    if not len(xi):
        return K
    others = sparse.eye_array(dx.size + dq.size)
    turns = sparse.block_diag([*_se3.right_jacobian(xi), others], format="csc")
    return K @ turns
