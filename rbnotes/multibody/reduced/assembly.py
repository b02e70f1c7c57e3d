"""Assembly of mechanisms: coordinates that close the loops, and velocities that the constraints allow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from rbnotes import arguments
from rbnotes.arguments import Array, BoolArray, InvalidArgument
from rbnotes.constraints.kkt import factor_kkt
from rbnotes.constraints.stabilization import ProjectionNotConverged, project_positions
from rbnotes.dynamics import State
from rbnotes.errors import NotConverged
from rbnotes.multibody.reduced.constraint_protocol import Constraint, ConstraintRows
from rbnotes.multibody.reduced.constraint_stacking import check_constraints, constraint_label
from rbnotes.multibody.reduced.tree import Tree

CLOSURE_TOLERANCE = 1e-10
"""Largest error that a closed constraint may have, rad or m."""
MAX_NEWTON_STEPS = 100
"""Number of Newton steps after which the assembly fails."""


def assemble_configuration(
    tree: Tree, constraints: Sequence[Constraint], state: State, *, locked: Iterable[str] = ()
) -> State:
    """Return a state near the given one that satisfies all equations.

    Newton steps move coordinates and particles by the displacement that is smallest in the norm of the mass
    matrix. Then the smallest impulse changes the velocities.

    Parameters
    ----------
    constraints
        Equations: loops, gears, prescribed motions at the state's time, attached particles.
    locked
        Links whose joints keep their coordinates and velocities, such as the crank of a linkage.

    Raises
    ------
    NotConverged
        If Newton's method finds no such state: the message names the open constraints and their errors, and
        ``solution`` is the last state.
    InvalidArgument
        If there is an inequality among the constraints.
    InconsistentConstraints
        If equations require velocities that contradict each other.
    """
    arguments.require_instance("tree", tree, Tree)
    arguments.require_instance("state", state, State)
    constraints = check_constraints(constraints)
    locked = arguments.instances("locked", locked, str)
    for constraint in constraints:
        if constraint.unilateral:
            raise InvalidArgument("constraints", constraint_label(constraint), "equations only")
    is_free = _unlocked_velocities(tree, state, locked)

    def state_at(change: Array) -> State:
        increment = np.zeros(state.size)
        increment[is_free] = change
        return tree.retract(state, increment, 0.0)

    def errors(change: Array) -> Array:
        return _stack_equations(tree, constraints, state_at(change)).error

    def rows(change: Array) -> Array:
        return _stack_equations(tree, constraints, state_at(change)).G[:, is_free]

    mass = tree.mass_matrix(state)[np.ix_(is_free, is_free)]
    try:
        projection = project_positions(
            np.zeros(len(mass)),
            mass,
            errors,
            rows,
            tolerance=CLOSURE_TOLERANCE,
            max_iterations=MAX_NEWTON_STEPS,
        )
    except ProjectionNotConverged as error:
        last_state = state_at(error.solution.positions)
        raise NotConverged(
            _open_constraints_message(tree, constraints, last_state), last_state, error.residual
        ) from error
    return _project_velocities(tree, constraints, state_at(projection.positions), is_free)


def _unlocked_velocities(tree: Tree, state: State, locked: Iterable[str]) -> BoolArray:
    """Return a mask ``(N,)`` of the velocities that do not belong to locked joints."""
    is_free = np.ones(state.size, dtype=bool)
    for name in locked:
        coordinates = tree.coordinate_slices[tree.index(name)]
        is_free[state.v.size + coordinates.start : state.v.size + coordinates.stop] = False
    if not np.any(is_free):
        raise InvalidArgument("locked", "all joints", "at least one joint that may move")
    return is_free


def _stack_equations(tree: Tree, constraints: Sequence[Constraint], state: State) -> ConstraintRows:
    """Return all equations; those of joints on their own coordinates come first."""
    coordinate_errors = [
        link.joint.compute_coordinate_constraint(state.q[part])
        for link, part in zip(tree.links, tree.coordinate_slices, strict=True)
    ]
    G = tree.coordinate_constraint_rows(state).rows
    parts = [ConstraintRows(G, np.concatenate(coordinate_errors), np.zeros(len(G)), np.zeros(len(G)))]
    parts += [each.rows(tree, state, state.t) for each in constraints]
    return ConstraintRows(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _project_velocities(
    tree: Tree, constraints: Sequence[Constraint], state: State, is_free: BoolArray
) -> State:
    """Return the state with the velocities after the smallest impulse on the free coordinates."""
    G, _, rate, _ = _stack_equations(tree, constraints, state)
    velocity = state.velocity
    mass = tree.mass_matrix(state)[np.ix_(is_free, is_free)]
    target = -rate - G[:, ~is_free] @ velocity[~is_free]
    velocity[is_free] = factor_kkt(mass, G[:, is_free]).solve(mass @ velocity[is_free], target)[0]
    return state.with_velocity(velocity)


def _open_constraints_message(tree: Tree, constraints: Sequence[Constraint], state: State) -> str:
    sizes = [float(np.linalg.norm(each.rows(tree, state, state.t).error)) for each in constraints]
    parts = [
        f"{constraint_label(each)} by {size:.3g}"
        for each, size in zip(constraints, sizes, strict=True)
        if size > CLOSURE_TOLERANCE
    ]
    return f"left open: {', '.join(parts)}; they cannot be met, or not from these coordinates"
