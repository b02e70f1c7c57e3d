"""Dynamics: the state of a system, how it moves, and the linear problem of a time step.

One :class:`State` for bodies, particles and generalised coordinates; one protocol, :class:`MechanicalSystem`,
for all that moves; the schemes of Lloyd 0.9 written once against it; one :class:`StepProblem` that every
step, constraint and contact ends in; one :class:`Reduction` ``v = J v_reduced + drift``.

>>> import numpy as np
>>> from rbnotes.dynamics import State, System, integrate, trapezoidal
>>> one, none = np.eye(1), np.zeros((1, 1))
>>> pull, stiffness = lambda q, qdot: -4 * q, lambda q, qdot: -4 * one
>>> spring = System(one, pull, stiffness, lambda q, qdot: none)
>>> states = integrate(trapezoidal, spring, State(q=[1.0]), 0.01, 157)
>>> states.q[-1].round(2).tolist()
[-1.0]
"""

from rbnotes.dynamics.bodies import (
    GRAVITY,
    FreeSystem,
    body_acceleration,
    gravity_wrench,
    gyroscopic_damping,
    gyroscopic_wrench,
    kinetic_energy,
    world_momentum,
)
from rbnotes.dynamics.constrained import (
    ConstrainedStep,
    RowsAt,
    constrained,
    constrained_step,
    with_rows,
)
from rbnotes.dynamics.free_motion import implicit_keeping_momentum, keeping_energy, keeping_momentum
from rbnotes.dynamics.fully_implicit import (
    Differentiable,
    FullyImplicit,
    fully_implicit_euler,
    implicit_midpoint,
)
from rbnotes.dynamics.motion import ForceLaw, Forces, MechanicalSystem, System, free_acceleration, no_forces
from rbnotes.dynamics.reduction import Reduction
from rbnotes.dynamics.schemes import (
    Scheme,
    Solve,
    Step,
    bridson_marino,
    force_beside,
    implicit_euler,
    implicit_euler_problem,
    integrate,
    linearly_implicit_problem,
    linearly_implicit_velocity,
    move_by_mean_velocity,
    move_by_new_velocity,
    runge_kutta,
    solve_free,
    symplectic_euler,
    symplectic_euler_problem,
    trapezoidal,
    trapezoidal_problem,
)
from rbnotes.dynamics.solve_step import (
    box_from_step,
    elimination,
    factor_step,
    hardened,
    lcp_from_step,
    qp_from_step,
    solve_step,
    step_residuals,
    step_unknowns,
)
from rbnotes.dynamics.state import WORLD, State, States
from rbnotes.dynamics.step_problem import (
    BilateralRows,
    ContactRows,
    Rows,
    StepProblem,
    StepSolution,
    UnilateralRows,
)

__all__ = [
    "GRAVITY",
    "WORLD",
    "BilateralRows",
    "ConstrainedStep",
    "ContactRows",
    "Differentiable",
    "ForceLaw",
    "Forces",
    "FreeSystem",
    "FullyImplicit",
    "MechanicalSystem",
    "Reduction",
    "Rows",
    "RowsAt",
    "Scheme",
    "Solve",
    "State",
    "States",
    "Step",
    "StepProblem",
    "StepSolution",
    "System",
    "UnilateralRows",
    "body_acceleration",
    "box_from_step",
    "bridson_marino",
    "constrained",
    "constrained_step",
    "elimination",
    "factor_step",
    "force_beside",
    "free_acceleration",
    "fully_implicit_euler",
    "gravity_wrench",
    "gyroscopic_damping",
    "gyroscopic_wrench",
    "hardened",
    "implicit_euler",
    "implicit_euler_problem",
    "implicit_keeping_momentum",
    "implicit_midpoint",
    "integrate",
    "keeping_energy",
    "keeping_momentum",
    "kinetic_energy",
    "lcp_from_step",
    "linearly_implicit_problem",
    "linearly_implicit_velocity",
    "move_by_mean_velocity",
    "move_by_new_velocity",
    "no_forces",
    "qp_from_step",
    "runge_kutta",
    "solve_free",
    "solve_step",
    "step_residuals",
    "step_unknowns",
    "symplectic_euler",
    "symplectic_euler_problem",
    "trapezoidal",
    "trapezoidal_problem",
    "with_rows",
    "world_momentum",
]
