"""Putting a mechanism together: coordinates at which its loops are closed, and velocities they allow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.constraints.kkt import factor_kkt
from rbnotes.constraints.stabilization import NotProjected, project_positions
from rbnotes.dynamics import State
from rbnotes.errors import NotConverged
from rbnotes.tree.parts import checked_constraints, label
from rbnotes.tree.rows import Constraint, ConstraintRows
from rbnotes.tree.system import TreeSystem

CLOSED = 1e-10
"""Largest error that a closed constraint may have, rad or m."""
STEPS = 100
"""After so many Newton steps a constraint is said not to close."""


def assembled(
    system: TreeSystem, constraints: Sequence[Constraint], state: State, *, held: Iterable[str] = ()
) -> State:
    """The state at which all equations hold that is near to a given one.

    Coordinates and particles move by Newton steps, the least in the norm of the masses; then velocities are
    changed by the least impulse.

    Parameters
    ----------
    constraints
        Equations: loops, gears, prescribed motions at the state's time, attached particles.
    held
        Links whose joints keep their coordinates and velocities, such as the crank of a linkage.

    Raises
    ------
    NotConverged
        If the constraints cannot be met from there: the message names those that stay open and by how much,
        and its ``solution`` is the state that came out.
    InvalidArgument
        If there is an inequality among the constraints.
    InconsistentConstraints
        If equations want velocities that contradict each other.
    """
    arguments.instance("system", system, TreeSystem)
    arguments.instance("state", state, State)
    constraints = checked_constraints(constraints)
    held = arguments.instances("held", held, str)
    for each in constraints:
        if each.unilateral:
            raise InvalidArgument("constraints", label(each), "equations only")
    moves = _movable(system, state, held)

    def at(change: Array) -> State:
        increment = np.zeros(state.size)
        increment[moves] = change
        return system.moved(state, increment, 0.0)

    def errors(change: Array) -> Array:
        return _stacked(system, constraints, at(change)).error

    def rows(change: Array) -> Array:
        return _stacked(system, constraints, at(change)).G[:, moves]

    mass = system.mass(state)[np.ix_(moves, moves)]
    try:
        reached = project_positions(
            np.zeros(len(mass)), mass, errors, rows, tolerance=CLOSED, max_iterations=STEPS
        )
    except NotProjected as error:
        short = at(error.solution.positions)
        raise NotConverged(_left_open(system, constraints, short), short, error.residual) from error
    return _nearest_motion(system, constraints, at(reached.positions), moves)


def _movable(system: TreeSystem, state: State, held: Iterable[str]) -> NDArray[np.bool_]:
    """Which velocities ``(N,)`` are not those of held joints."""
    moves = np.ones(state.size, dtype=bool)
    for name in held:
        own = system.tree.slices[system.tree.index(name)]
        moves[state.v.size + own.start : state.v.size + own.stop] = False
    if not np.any(moves):
        raise InvalidArgument("held", "everything that moves", "something left to move")
    return moves


def _stacked(system: TreeSystem, constraints: Sequence[Constraint], state: State) -> ConstraintRows:
    """All equations, those of joints on their own coordinates first."""
    tree = system.tree
    own = [link.joint._constraint(state.q[part]) for link, part in zip(tree.links, tree.slices, strict=True)]
    G = system.coordinate_rows(state).rows
    parts = [ConstraintRows(G, np.concatenate(own), np.zeros(len(G)), np.zeros(len(G)))]
    parts += [each.rows(system, state, state.t) for each in constraints]
    return ConstraintRows(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _nearest_motion(
    system: TreeSystem, constraints: Sequence[Constraint], state: State, moves: NDArray[np.bool_]
) -> State:
    """The state with the velocities that the least impulse on what moves makes."""
    G, _, rate, _ = _stacked(system, constraints, state)
    velocity = state.velocity
    mass = system.mass(state)[np.ix_(moves, moves)]
    wanted = -rate - G[:, ~moves] @ velocity[~moves]
    velocity[moves] = factor_kkt(mass, G[:, moves]).solve(mass @ velocity[moves], wanted)[0]
    return state.with_velocity(velocity)


def _left_open(system: TreeSystem, constraints: Sequence[Constraint], state: State) -> str:
    sizes = [float(np.linalg.norm(each.rows(system, state, state.t).error)) for each in constraints]
    parts = [
        f"{label(each)} by {size:.3g}" for each, size in zip(constraints, sizes, strict=True) if size > CLOSED
    ]
    return f"left open: {', '.join(parts)}; they cannot be met, or not from these coordinates"
