"""Constrained dynamics of a tree: steps, accelerations, and constraint forces (Sueda 2.8, 2.9).

Everything here works for a :class:`~rbnotes.multibody.reduced.Tree` and for a tree in fewer velocities, whose
constraints act on the whole tree: ``G_R = G J``, plus the bias of J.

This module forms the mass matrix and the rows and solves them together, for accelerations and for the steps
of any scheme: the method for many constraints on few links. The dual method,
:mod:`rbnotes.multibody.reduced.dual_dynamics`, finds the accelerations of many links under few constraints in
linear time, from the same rows.

Multipliers push: ``M dv/dt = f + G^T lambda``. (The notes have ``+ G^T lambda`` on the left side, so that
their multipliers are minus these.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache

import numpy as np

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument, SingularConfiguration
from rbnotes.complementarity import METHODS
from rbnotes.dynamics import (
    MechanicalSystem,
    State,
    StepProblem,
    StepSolution,
    VelocityConstraintRows,
    solve_step,
)
from rbnotes.multibody.reduced.constraint_protocol import BodyConstraint, Constraint, ConstraintRows
from rbnotes.multibody.reduced.constraint_stacking import (
    ConstraintPart,
    check_constraints,
    constraint_label,
    dependent_equations,
    name_inequalities,
    refuse_contradictions,
    split_multipliers,
    stack_parts,
)
from rbnotes.multibody.reduced.constraints import PrescribedJoint
from rbnotes.multibody.reduced.reduced_tree import ReducedTree
from rbnotes.multibody.reduced.tree import Tree
from rbnotes.unchecked.stabilization import check_error_reduction_rate

ACTIVE_TOLERANCE = 1e-9
"""Largest gap and speed of an active inequality: rad, m and a second."""


def constraint_rows(
    system: MechanicalSystem, constraint: Constraint, state: State, t: float
) -> ConstraintRows:
    """Return the rows of a constraint on the velocities of a system (Sueda eqs. (2.98), (2.102)).

    For a tree in fewer velocities, they are rows on these.

    Raises
    ------
    InvalidArgument
        If ``t`` is not a finite number.
    """
    arguments.require_instance("state", state, State)
    tree = _check_tree(system)
    arguments.require_methods("constraint", constraint, "rows")
    arguments.real_number("t", t)
    return constraint_rows_at_state(tree, state)(constraint, t)


def _check_tree(system: MechanicalSystem) -> Tree | ReducedTree:
    """Return a system after checking that it is a tree, with all of its velocities or with fewer."""
    if not isinstance(system, Tree | ReducedTree):
        got = type(system).__name__
        raise InvalidArgument("system", got, "a Tree, or a tree from reduce_coordinates or attach_particles")
    return system


def constraint_rows_at_state(
    tree: Tree | ReducedTree, state: State
) -> Callable[[Constraint, float], ConstraintRows]:
    """Return a function that evaluates rows at a state; the kinematics are computed at most once."""
    if isinstance(tree, ReducedTree):
        full_tree, full_state, reduction = tree.tree, tree.expand(state), tree.acceleration_reduction(state)
    else:
        full_tree, full_state, reduction = tree, state, None
    kinematics = cache(lambda: full_tree.body_kinematics(full_state))

    def rows(constraint: Constraint, t: float) -> ConstraintRows:
        if isinstance(constraint, BodyConstraint):
            full_rows = constraint.body_rows(full_tree, kinematics(), full_state, t).to_generalized(
                kinematics()
            )
        else:
            full_rows = constraint.rows(full_tree, full_state, t)
        if reduction is None:
            return full_rows
        G, error, rate, bias = full_rows
        return ConstraintRows(G @ reduction.J, error, rate, bias + G @ reduction.bias)

    return rows


def velocity_constraints(
    system: MechanicalSystem, constraints: Iterable[Constraint], state: State, h: float, gamma: float = 0.0
) -> list[VelocityConstraintRows]:
    """Return the rows on the velocities after a step of size h (Sueda eqs. (2.99), (2.101), (2.107)).

    Equations remove the part ``gamma h`` of their errors at the start (Sueda eq. (1.82), as
    :func:`rbnotes.constraints.stabilization.velocity_target`). Inequalities that could close within the step
    are included: their velocities may close the gap but not more, ``G v+ >= -gap / h``. Prescribed motions
    have the velocities of the end of the step.

    Raises
    ------
    InvalidArgument
        If ``h`` is not positive or ``gamma`` is not in [0, 2/h].
    InconsistentConstraints
        If equations contradict each other; the message names them.
    """
    tree = _check_tree(system)
    arguments.require_instance("state", state, State)
    h = arguments.positive_number("h", h)
    gamma = check_error_reduction_rate(gamma, h)
    constraints = check_constraints(constraints)
    parts, rows = (
        [_coordinate_constraint_part(tree, state, acceleration=False)],
        constraint_rows_at_state(tree, state),
    )
    for constraint in constraints:
        G, _, rate, _ = rows(constraint, state.t + h)
        error = rows(constraint, state.t).error if constraint.unilateral or gamma else 0.0
        target = -rate - gamma * error
        if constraint.unilateral:
            target = -rate - np.maximum(error, 0.0) / h - gamma * np.minimum(error, 0.0)
        parts.append(ConstraintPart(constraint_label(constraint), G, target, constraint.unilateral))
    refuse_contradictions(parts, state.velocity)
    return list(stack_parts(parts))


def constrained_acceleration(
    system: MechanicalSystem,
    constraints: Iterable[Constraint],
    state: State,
    alpha: float = 0.0,
    beta: float = 0.0,
    *,
    method: str = "block_principal_pivoting",
) -> tuple[Array, Array]:
    """Return accelerations ``(N,)`` and multipliers ``(m,)`` (Sueda eqs. (2.98), (2.103), (2.105), (2.106)).

    The multipliers are those of the joints' own constraints, then those of the given ones in their order.

    An inequality acts only while it is active: closed and not opening. If its gap is open or opens, its
    multipliers are zero, and the acceleration may be negative. (Sueda eq. (2.105) omits this condition.)

    Parameters
    ----------
    alpha, beta
        Rates of Baumgarte's stabilization, 1/s: accelerations are
        ``-bias_acceleration - 2 alpha (G v + bias_velocity) - beta^2 g``.
    method
        Method of :func:`rbnotes.dynamics.solve_step`, if inequalities are active:
        ``"block_principal_pivoting"``, or ``"cvxpy"`` for a general solver of quadratic programs.

    Raises
    ------
    InvalidArgument
        If a closed inequality closes further: this requires an impact, not an acceleration.
    InconsistentConstraints
        If equations contradict each other; the message names them.
    NotSolved
        If inequalities contradict each other or the equations; the message names the inequalities.
    """
    tree = _check_tree(system)
    arguments.require_instance("state", state, State)
    constraints = check_constraints(constraints)
    alpha, beta, method = _check_options(alpha, beta, method)
    parts, active_rows = _acceleration_constraints(tree, constraints, state, alpha, beta)
    solution = _solve_accelerations(tree, state, parts, method)
    return solution.velocity, np.concatenate(split_multipliers(parts, active_rows, solution))


def constraint_forces(
    system: MechanicalSystem,
    constraints: Sequence[Constraint],
    state: State,
    alpha: float = 0.0,
    beta: float = 0.0,
    *,
    method: str = "block_principal_pivoting",
) -> list[Array]:
    """Return the multipliers ``(m,)`` of each constraint: the forces along its rows, N m or N.

    Raises
    ------
    SingularConfiguration
        If equations are redundant: then the motion is determined, but the distribution of the forces is not.
        The message names the equations.
    InvalidArgument, InconsistentConstraints, NotSolved
        As for :func:`constrained_acceleration`.
    """
    tree = _check_tree(system)
    arguments.require_instance("state", state, State)
    constraints = check_constraints(constraints)
    alpha, beta, method = _check_options(alpha, beta, method)
    return _multipliers_by_constraint(tree, constraints, state, alpha, beta, method, object)


def prescribed_forces(
    system: MechanicalSystem,
    constraints: Sequence[Constraint],
    state: State,
    *,
    method: str = "block_principal_pivoting",
) -> dict[str, Array]:
    """Return the joint forces ``(k,)`` by link that prescribed motions require, N m or N (Sueda 2.9).

    They add to the joints' springs and dampers and to all other forces on the system, and equal
    :func:`~rbnotes.multibody.reduced.inverse_dynamics` if all joints are prescribed. With the multipliers
    of the notes' eq. (2.106) they are *minus* ``pG^T p lambda``.

    Parameters
    ----------
    constraints
        All constraints, those of type :class:`~rbnotes.multibody.reduced.constraints.PrescribedJoint` among
        them.

    Raises
    ------
    SingularConfiguration
        If other equations repeat the prescribed motions, so that they may carry some of the load.
    InvalidArgument, InconsistentConstraints, NotSolved
        As for :func:`constrained_acceleration`.
    """
    tree = _check_tree(system)
    arguments.require_instance("state", state, State)
    constraints = check_constraints(constraints)
    _, _, method = _check_options(0.0, 0.0, method)
    forces = _multipliers_by_constraint(tree, constraints, state, 0.0, 0.0, method, PrescribedJoint)
    return {
        each.link: force
        for each, force in zip(constraints, forces, strict=True)
        if isinstance(each, PrescribedJoint)
    }


def _coordinate_constraint_part(
    tree: Tree | ReducedTree, state: State, *, acceleration: bool
) -> ConstraintPart:
    """Return the constraints of joints on their own coordinates, as rows on velocities or accelerations."""
    rows = tree.coordinate_constraint_rows(state, acceleration=acceleration)
    return ConstraintPart("a joint's own constraint", rows.rows, rows.target)


def acceleration_constraints(
    tree: Tree | ReducedTree,
    constraints: Iterable[Constraint],
    state: State,
    alpha: float,
    beta: float,
    evaluate_rows: Callable[[Constraint], ConstraintRows],
) -> tuple[list[ConstraintPart], list[Array]]:
    """Return the rows on accelerations and, for each constraint, a mask of its active rows."""
    parts = [_coordinate_constraint_part(tree, state, acceleration=True)]
    active_rows = [np.ones(len(parts[0].G), dtype=bool)]
    for constraint in constraints:
        G, error, rate, bias_acceleration = evaluate_rows(constraint)
        speed = G @ state.velocity + rate
        is_active = np.ones(len(G), dtype=bool)
        if constraint.unilateral:
            closed = error <= ACTIVE_TOLERANCE
            if np.any(closed & (speed < -ACTIVE_TOLERANCE)):
                got = f"{constraint_label(constraint)} closed and closing at {-np.min(speed[closed]):.3g}"
                raise InvalidArgument("state", got, "a state after the impact, which a step computes")
            is_active = closed & (speed <= ACTIVE_TOLERANCE)
        target = -bias_acceleration - 2 * alpha * speed - beta**2 * error
        parts.append(
            ConstraintPart(
                constraint_label(constraint), G[is_active], target[is_active], constraint.unilateral
            )
        )
        active_rows.append(is_active)
    return parts, active_rows


def _acceleration_constraints(
    tree: Tree | ReducedTree, constraints: Iterable[Constraint], state: State, alpha: float, beta: float
) -> tuple[list[ConstraintPart], list[Array]]:
    rows = constraint_rows_at_state(tree, state)
    return acceleration_constraints(tree, constraints, state, alpha, beta, lambda each: rows(each, state.t))


def _multipliers_by_constraint(
    tree: Tree | ReducedTree,
    constraints: Sequence[Constraint],
    state: State,
    alpha: float,
    beta: float,
    method: str,
    required_type: type,
) -> list[Array]:
    """Return the multipliers by constraint; those of the required type are unique."""
    parts, active_rows = _acceleration_constraints(tree, constraints, state, alpha, beta)
    forces = split_multipliers(parts, active_rows, _solve_accelerations(tree, state, parts, method))[1:]
    dependent = dependent_equations(parts)
    if any(
        part.name in dependent
        for part, each in zip(parts[1:], constraints, strict=True)
        if isinstance(each, required_type)
    ):
        got = " and ".join(dependent) + " with dependent rows"
        raise SingularConfiguration(
            "constraints", got, "independent rows: the distribution of forces is undetermined"
        )
    return forces


def _solve_accelerations(
    tree: Tree | ReducedTree, state: State, parts: list[ConstraintPart], method: str
) -> StepSolution:
    problem = StepProblem(tree.mass_matrix(state), tree.force(state), *stack_parts(parts))
    refuse_contradictions(parts, problem.momentum / np.diag(problem.mass))
    with name_inequalities(parts):
        return solve_step(problem, method=method)


def _check_options(alpha: float, beta: float, method: str) -> tuple[float, float, str]:
    rates = (
        arguments.real_number("alpha", alpha, minimum=0.0),
        arguments.real_number("beta", beta, minimum=0.0),
    )
    return *rates, arguments.choice("method", method, METHODS)
