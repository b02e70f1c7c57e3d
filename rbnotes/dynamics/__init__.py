"""Dynamics: the state of a system, its equations of motion, and the linear problem of a time step.

:class:`State` holds bodies, particles and generalized coordinates. The schemes of Lloyd 0.9 work for any
:class:`MechanicalSystem`: a :class:`rbnotes.Model`, or functions by :func:`mechanical_system`. Every step,
with constraints and contacts, is a :class:`StepProblem`; a :class:`Reduction` ``v = J v_reduced + bias``
states it in fewer velocities.

>>> import numpy as np
>>> from rbnotes.dynamics import State, integrate, mechanical_system
>>> from rbnotes.dynamics import trapezoidal
>>> one, none = np.eye(1), np.zeros((1, 1))
>>> pull, stiffness = lambda q, qdot: -4 * q, lambda q, qdot: -4 * one
>>> spring = mechanical_system(one, pull, stiffness, lambda q, qdot: none)
>>> states = integrate(trapezoidal, spring, State(q=[1.0]), 0.01, 157)
>>> states.q[-1].round(2).tolist()
[-1.0]
"""

from rbnotes.dynamics.constrained_steps import (
    ConstrainedStepResult,
    ConstraintFunction,
    add_constraints,
    constrain_scheme,
    constrained_step,
)
from rbnotes.dynamics.free_body_schemes import (
    energy_conserving_euler,
    implicit_momentum_conserving_euler,
    momentum_conserving_euler,
)
from rbnotes.dynamics.free_system import (
    GRAVITY,
    body_acceleration,
    gravity_wrench,
    gyroscopic_wrench,
    kinetic_energy,
    spatial_momentum,
)
from rbnotes.dynamics.fully_implicit import (
    FullyImplicitScheme,
    fully_implicit_euler,
    implicit_midpoint,
)
from rbnotes.dynamics.mechanical_system import (
    ForceLaw,
    Forces,
    MechanicalSystem,
    mechanical_system,
    zero_forces,
)
from rbnotes.dynamics.reduction import Reduction
from rbnotes.dynamics.schemes import (
    Scheme,
    StepSolver,
    TimeStepper,
    advance_by_mean_velocity,
    advance_by_new_velocity,
    bridson_marino,
    effective_force,
    implicit_euler,
    implicit_euler_problem,
    integrate,
    linearly_implicit_problem,
    linearly_implicit_velocity,
    runge_kutta,
    solve_unconstrained_step,
    symplectic_euler,
    symplectic_euler_problem,
    trapezoidal,
    trapezoidal_problem,
)
from rbnotes.dynamics.solve_step import (
    box_lcp_from_step,
    eliminate_velocities,
    expand_compliance,
    factor_step,
    lcp_from_step,
    qp_from_step,
    recover_unknowns,
    solve_step,
    step_residuals,
)
from rbnotes.dynamics.state import WORLD, State, States
from rbnotes.dynamics.step_problem import (
    BilateralRows,
    ContactRows,
    StepProblem,
    StepSolution,
    UnilateralRows,
    VelocityConstraintRows,
)

__all__ = [
    "GRAVITY",
    "WORLD",
    "BilateralRows",
    "ConstrainedStepResult",
    "ConstraintFunction",
    "ContactRows",
    "ForceLaw",
    "Forces",
    "FullyImplicitScheme",
    "MechanicalSystem",
    "Reduction",
    "Scheme",
    "State",
    "States",
    "StepProblem",
    "StepSolution",
    "StepSolver",
    "TimeStepper",
    "UnilateralRows",
    "VelocityConstraintRows",
    "add_constraints",
    "advance_by_mean_velocity",
    "advance_by_new_velocity",
    "body_acceleration",
    "box_lcp_from_step",
    "bridson_marino",
    "constrain_scheme",
    "constrained_step",
    "effective_force",
    "eliminate_velocities",
    "energy_conserving_euler",
    "expand_compliance",
    "factor_step",
    "fully_implicit_euler",
    "gravity_wrench",
    "gyroscopic_wrench",
    "implicit_euler",
    "implicit_euler_problem",
    "implicit_midpoint",
    "implicit_momentum_conserving_euler",
    "integrate",
    "kinetic_energy",
    "lcp_from_step",
    "linearly_implicit_problem",
    "linearly_implicit_velocity",
    "mechanical_system",
    "momentum_conserving_euler",
    "qp_from_step",
    "recover_unknowns",
    "runge_kutta",
    "solve_step",
    "solve_unconstrained_step",
    "spatial_momentum",
    "step_residuals",
    "symplectic_euler",
    "symplectic_euler_problem",
    "trapezoidal",
    "trapezoidal_problem",
    "zero_forces",
]
