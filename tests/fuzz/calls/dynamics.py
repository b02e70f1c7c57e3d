"""States, systems, schemes, the problem of a step, reductions."""

from __future__ import annotations

import numpy as np
from engine import Call
from scipy import sparse

from rbnotes import Body, Model, dynamics, se3
from rbnotes.dynamics import (
    free_body_schemes,
    free_system,
    fully_implicit,
    schemes,
)
from rbnotes.dynamics.reduction import Reduction

INERTIA = np.diag([1.0, 2.0, 2.5, 4.0, 4.0, 4.0])
E = se3.exp([0.1, 0.2, 0.3, 1.0, 2.0, 3.0])
PHI = np.array([0.5, -0.25, 1.0, 0.25, 0.5, -1.0])
STATE = dynamics.State(E=E, phi=PHI, x=[[1.0, 0.0, 2.0]], v=[[0.5, 0.0, -0.5]])
FREE = Model([Body("body", inertia=INERTIA)], particles=[2.0])
VELOCITY = np.concatenate([PHI, [0.5, 0.25, -0.5]])


def force_at(q, qdot):
    return -4 * q - qdot


def stiffness(q, qdot):
    return -4 * np.eye(2)


def damping(q, qdot):
    return -np.eye(2)


def potential(q):
    return 2 * q @ q


SPRING = {
    "inertia": np.diag([1.0, 2.0]),
    "force": force_at,
    "stiffness": stiffness,
    "damping": damping,
    "potential": potential,
}
SYSTEM = dynamics.mechanical_system(**SPRING)
AT = dynamics.State(q=[1.0, 0.5], qdot=[0.25, -0.5])
M, ROWS = np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([[1.0, 1.0]])
EQUATIONS = dynamics.BilateralRows(ROWS, [0.5])
INEQUALITIES = dynamics.UnilateralRows(np.array([[1.0, -1.0]]), [0.25])
PROBLEM = dynamics.StepProblem(M, [1.0, -2.0], EQUATIONS, INEQUALITIES)
LARGE = dynamics.StepProblem(sparse.csc_array(M), [1.0, -2.0])
SOLUTION = dynamics.solve_step(PROBLEM)
SMALL = {name: ("sparse",) for name in ("M", "K", "D", "J", "mass", "rows", "inertia", "regularization")}
REDUCTION = Reduction(np.array([[1.0, 0.0], [0.5, 1.0], [0.0, 2.0]]), np.array([0.5, 0.0, -0.5]))
FULL = dynamics.StepProblem(np.diag([1.0, 2.0, 3.0]), [1.0, 2.0, -1.0])
REDUCED = dynamics.solve_step(REDUCTION.reduce(FULL))


def rows_at(state, h):
    return [dynamics.BilateralRows(ROWS, [0.1])]


def solve(problem, fraction=1.0):
    return dynamics.solve_unconstrained_step(problem, fraction)


STEP = {"system": SYSTEM, "state": AT, "h": 0.01}
METHODS = [
    (SYSTEM, name, {"state": AT})
    for name in ("mass_matrix", "force", "linearized_force", "acceleration", "energy")
]

CALLS = [
    Call(free_system.gyroscopic_wrench, {"M": INERTIA, "phi": PHI}),
    Call(free_system.gravity_wrench, {"E": E, "M": INERTIA, "g": np.array([0.0, 1.0, -9.81])}),
    Call(free_system.body_acceleration, {"M": INERTIA, "phi": PHI, "wrench": 2 * PHI}),
    Call(free_system.spatial_momentum, {"M": INERTIA, "E": E, "phi": PHI}),
    Call(free_system.kinetic_energy, {"M": INERTIA, "phi": PHI}),
    *(Call(getattr(owner, name), values) for owner, name, values in METHODS),
    Call(SYSTEM.linearized_residual, {"state": AT, "acceleration": np.array([0.5, 0.25])}),
    Call(SYSTEM.retract, {"state": AT, "increment": np.array([0.5, 0.25]), "h": 0.1}),
    Call(
        dynamics.Forces.without_derivatives,
        {"f": np.array([0.5, 0.25])},
        fine={"f": ("longer", "shorter", "a column", "twice")},
    ),
    Call(dynamics.zero_forces, {"state": STATE}),
    Call(dynamics.mechanical_system, SPRING, fine={"inertia": ("sparse",)}, returns_function=True, slow=True),
    Call(
        dynamics.State,
        {"E": E, "phi": PHI, "x": np.ones((1, 3)), "v": np.ones((1, 3)), "t": 0.5},
        fine={"E": ("an empty tuple",), "phi": ("an empty tuple",), "v": ("an empty tuple",)},
    ),
    Call(
        dynamics.State,
        {"q": np.ones(3), "qdot": np.ones(2)},
        fine=dict.fromkeys(("q", "qdot"), ("longer", "shorter")),
    ),
    Call(STATE.split, {"stacked": VELOCITY}),
    Call(STATE.retract, {"increment": 0.1 * VELOCITY, "h": 0.5}),
    Call(STATE.with_velocity, {"velocity": VELOCITY}),
    Call(STATE.increment_rate, {"increment": 0.1 * VELOCITY, "velocity": VELOCITY}),
    Call(dynamics.States.stack, {"states": [STATE, STATE]}),
    Call(schemes.solve_unconstrained_step, {"problem": PROBLEM}),
    Call(schemes.solve_unconstrained_step, {"problem": LARGE}),
    *(
        Call(function, STEP)
        for function in (
            schemes.symplectic_euler_problem,
            schemes.implicit_euler_problem,
            schemes.trapezoidal_problem,
            schemes.bridson_marino,
            fully_implicit.fully_implicit_euler,
            fully_implicit.implicit_midpoint,
        )
    ),
    *(
        Call(scheme.__call__, {**STEP, "solve": solve})
        for scheme in (schemes.symplectic_euler, schemes.implicit_euler, schemes.trapezoidal)
    ),
    Call(schemes.bridson_marino, {**STEP, "solve": solve}),
    Call(schemes.runge_kutta, {**STEP, "rtol": 1e-6, "atol": 1e-8, "max_evaluations": 2000}, slow=True),
    *(
        Call(function, {**STEP, "velocity": np.array([0.5, 1.0])})
        for function in (schemes.advance_by_new_velocity, schemes.advance_by_mean_velocity)
    ),
    *(
        Call(
            function,
            {"M": M, "v": [1.0, 2.0], "f": [0.5, 1.0], "K": -np.eye(2), "D": -0.5 * np.eye(2), "h": 0.01},
            fine=SMALL,
        )
        for function in (schemes.linearly_implicit_problem, schemes.linearly_implicit_velocity)
    ),
    Call(schemes.integrate, {"step": schemes.implicit_euler, **STEP, "steps": 3}),
    Call(schemes.effective_force, {"problem": PROBLEM, "inertia": M, "v": [1.0, 2.0], "h": 0.01}, fine=SMALL),
    *(
        Call(function, {"system": FREE, "state": STATE, "h": 0.01})
        for function in (
            free_body_schemes.external_force_problem,
            free_body_schemes.implicit_external_force_problem,
        )
    ),
    *(
        Call(function, {"system": FREE, "state": STATE, "velocity": VELOCITY, "h": 0.01})
        for function in (
            free_body_schemes.advance_free_motion,
            free_body_schemes.advance_conserving_momentum,
            free_body_schemes.advance_conserving_energy,
        )
    ),
    Call(dynamics.add_constraints, {"problem": LARGE, "rows": [EQUATIONS, INEQUALITIES]}),
    Call(
        dynamics.constrained_step,
        {"scheme": schemes.implicit_euler, **STEP, "constraint_function": rows_at, "evaluate_at": "start"},
    ),
    Call(
        dynamics.constrain_scheme,
        {"scheme": schemes.implicit_euler, "constraint_function": rows_at, "evaluate_at": "start"},
        returns_function=True,
    ),
    Call(fully_implicit.FullyImplicitScheme, {"fraction": 0.5, "tolerance": 1e-8, "max_iterations": 20}),
    Call(Reduction, {"J": REDUCTION.J, "bias": REDUCTION.bias}, fine={"J": ("sparse", "longer", "shorter")}),
    Call(REDUCTION.expand_velocities, {"v_reduced": np.array([0.5, 1.0])}),
    Call(REDUCTION.reduce_forces, {"f": np.array([0.5, 1.0, 2.0])}),
    Call(REDUCTION.reduce, {"problem": FULL}),
    Call(REDUCTION.expand, {"solution": REDUCED}),
    Call(REDUCTION.constraint_forces, {"problem": FULL, "solution": REDUCTION.expand(REDUCED)}),
    Call(
        REDUCTION.compose,
        {"first": Reduction(np.arange(12.0).reshape(4, 3), np.array([0.5, 0.25, 1.0, 2.0]))},
    ),
    *(
        Call(
            kind,
            {"rows": np.array([[1.0, 1.0], [1.0, 2.0]]), "target": [0.5, 1.0], "regularization": [0.5, 1.0]},
            fine={"rows": ("sparse", "longer", "shorter", "an empty tuple")},
        )
        for kind in (dynamics.VelocityConstraintRows, dynamics.BilateralRows, dynamics.UnilateralRows)
    ),
    Call(
        dynamics.StepProblem,
        {"mass": M, "momentum": [1.0, -2.0], "bilateral": EQUATIONS, "unilateral": INEQUALITIES},
        fine=SMALL,
    ),
    Call(LARGE.with_constraints, {"bilateral": EQUATIONS, "unilateral": INEQUALITIES}),
    Call(dynamics.solve_step, {"problem": PROBLEM, "method": "principal_pivoting"}),
    *(
        Call(function, {"problem": PROBLEM})
        for function in (
            dynamics.factor_step,
            dynamics.expand_compliance,
            dynamics.eliminate_velocities,
            dynamics.lcp_from_step,
            dynamics.qp_from_step,
            dynamics.box_lcp_from_step,
        )
    ),
    Call(dynamics.recover_unknowns, {"problem": PROBLEM, "z": [0.5]}),
    Call(dynamics.step_residuals, {"problem": PROBLEM, "solution": SOLUTION}),
    Call(
        schemes.Scheme,
        {"problem": schemes.implicit_euler_problem, "advance": schemes.advance_by_new_velocity},
    ),
]
