"""What a tree does under constraints: steps, accelerations, and the forces it takes (Sueda 2.8, 2.9).

Everything here works for a :class:`~rbnotes.tree.system.TreeSystem` and for one in fewer velocities, whose
constraints act on the whole tree: ``G_R = G J``, with the drift of J on top.

The mass matrix and the rows are formed and solved together, which takes steps and any scheme: the way to go
for many constraints on few links. Accelerations of many links under few constraints take linear time by the
dual, :mod:`rbnotes.tree.dual`, from the same rows.

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
from rbnotes.constraints._stabilization import checked_gamma
from rbnotes.dynamics import Rows, State, StepProblem, StepSolution, solve_step
from rbnotes.tree.constraints import PrescribedJoint
from rbnotes.tree.parts import (
    Part,
    by_part,
    checked_constraints,
    inequalities_named,
    label,
    refuse_contradictions,
    sharing,
    stacked,
)
from rbnotes.tree.reduced import ReducedSystem
from rbnotes.tree.rows import Constraint, ConstraintRows, OnBodies
from rbnotes.tree.system import TreeSystem

JointSystem = TreeSystem | ReducedSystem
"""A tree in all of its velocities, or in fewer."""

TOUCHING = 1e-9
"""Inequalities with a gap, and a speed, of no more than this are active: rad, m and a second."""


def constraint_rows(system: JointSystem, constraint: Constraint, state: State, t: float) -> ConstraintRows:
    """Rows of a constraint on the velocities of a system (Sueda eqs. (2.98), (2.102)).

    For a :class:`~rbnotes.tree.reduced.ReducedSystem`, on the fewer velocities that it has.

    Raises InvalidArgument if ``t`` is no finite number.
    """
    arguments.instance("state", state, State)
    arguments.instance("system", system, TreeSystem, ReducedSystem)
    arguments.provides("constraint", constraint, "rows")
    arguments.real("t", t)
    return _rows_at(system, state)(constraint, t)


def _rows_at(system: JointSystem, state: State) -> Callable[[Constraint, float], ConstraintRows]:
    """Rows of constraints at a state, by the time: how the tree moves is found once, if at all."""
    if isinstance(system, TreeSystem):
        tree, whole, reduction = system, state, None
    else:
        tree, whole, reduction = system.system, system.expanded(state), system.acceleration_reduction(state)
    moving = cache(lambda: tree.motion(whole))

    def rows(constraint: Constraint, t: float) -> ConstraintRows:
        if isinstance(constraint, OnBodies):
            found = constraint.body_rows(tree, moving(), whole, t).on_velocities(moving())
        else:
            found = constraint.rows(tree, whole, t)
        if reduction is None:
            return found
        G, error, rate, drift = found
        return ConstraintRows(G @ reduction.J, error, rate, drift + G @ reduction.drift)

    return rows


def step_rows(
    system: JointSystem, constraints: Iterable[Constraint], state: State, h: float, gamma: float = 0.0
) -> list[Rows]:
    """Rows for the velocities after a step of size h (Sueda eqs. (2.99), (2.101), (2.107)).

    Equations take back the part ``gamma h`` of the errors that they have at the start (Sueda eq. (1.82), as
    :func:`rbnotes.constraints.stabilization.velocity_target`). Inequalities that could close within the step
    hold: their velocities may use up the gap, ``G v+ >= -gap / h``. Where motions
    are told, the velocities are those for the end of the step.

    Raises
    ------
    InvalidArgument
        If ``h`` is not positive or ``gamma`` is not in [0, 2/h].
    InconsistentConstraints
        If equations contradict each other; the message names them.
    """
    arguments.instance("system", system, TreeSystem, ReducedSystem)
    arguments.instance("state", state, State)
    h = arguments.number("h", h)
    gamma = checked_gamma(gamma, h)
    constraints = checked_constraints(constraints)
    parts, rows = [_own(system, state, acceleration=False)], _rows_at(system, state)
    for each in constraints:
        G, _, rate, _ = rows(each, state.t + h)
        error = rows(each, state.t).error if each.unilateral or gamma else 0.0
        target = -rate - gamma * error
        if each.unilateral:
            target = -rate - np.maximum(error, 0.0) / h - gamma * np.minimum(error, 0.0)
        parts.append(Part(label(each), G, target, each.unilateral))
    refuse_contradictions(parts, state.velocity)
    return list(stacked(parts))


def constrained_acceleration(
    system: JointSystem,
    constraints: Iterable[Constraint],
    state: State,
    alpha: float = 0.0,
    beta: float = 0.0,
    *,
    method: str = "active_set",
) -> tuple[Array, Array]:
    """Accelerations ``(N,)`` and multipliers ``(m,)`` (Sueda eqs. (2.98), (2.103), (2.105), (2.106)).

    The multipliers are those of the joints' own constraints, then those of the given ones in their order.

    An inequality has a say only while it is active: closed and not opening. Where its gap is open or opens,
    its multipliers are zero, and the acceleration may be negative. (Sueda eq. (2.105) leaves that out.)

    Parameters
    ----------
    alpha, beta
        Of Baumgarte's stabilisation, 1/s: accelerations are ``-drift - 2 alpha (G v + rate) - beta^2 g``.
    method
        Of :func:`rbnotes.dynamics.solve_step`, if inequalities are active: ``"active_set"``, or
        ``"quadratic"`` for a general solver of quadratic programs.

    Raises
    ------
    InvalidArgument
        If a closed inequality closes further: that takes an impact, which no acceleration is.
    InconsistentConstraints
        If equations contradict each other; the message names them.
    Unsolved
        If inequalities contradict each other or the equations; the message names the inequalities.
    """
    arguments.instance("system", system, TreeSystem, ReducedSystem)
    arguments.instance("state", state, State)
    constraints = checked_constraints(constraints)
    alpha, beta, method = _checked_options(alpha, beta, method)
    parts, kept = _parts(system, constraints, state, alpha, beta)
    solution = _solved(system, state, parts, method)
    return solution.velocity, np.concatenate(by_part(parts, kept, solution))


def constraint_forces(
    system: JointSystem,
    constraints: Sequence[Constraint],
    state: State,
    alpha: float = 0.0,
    beta: float = 0.0,
    *,
    method: str = "active_set",
) -> list[Array]:
    """Multipliers ``(m,)`` of each constraint: the forces with which its rows push, N m or N.

    Raises
    ------
    SingularConfiguration
        If equations repeat each other: then motions are determined, but not which of them carries the load.
        The message names them.
    InvalidArgument, InconsistentConstraints, Unsolved
        As :func:`constrained_acceleration`.
    """
    arguments.instance("system", system, TreeSystem, ReducedSystem)
    arguments.instance("state", state, State)
    constraints = checked_constraints(constraints)
    alpha, beta, method = _checked_options(alpha, beta, method)
    return _forces(system, constraints, state, alpha, beta, method, object)


def prescribed_forces(
    system: JointSystem, constraints: Sequence[Constraint], state: State, *, method: str = "active_set"
) -> dict[str, Array]:
    """Joint forces ``(k,)`` by link that it takes to move joints as they are told, N m or N (Sueda 2.9).

    They come on top of the joints' springs and dampers and of all that acts on the system: what
    :func:`~rbnotes.tree.inverse_dynamics` gives if all joints are prescribed. With the multipliers
    of the notes' eq. (2.106) it is *minus* ``pG^T p lambda``.

    Parameters
    ----------
    constraints
        All constraints, those of type :class:`~rbnotes.tree.constraints.PrescribedJoint` among them.

    Raises
    ------
    SingularConfiguration
        If other equations repeat what the joints are told, so that these may carry some of the load.
    InvalidArgument, InconsistentConstraints, Unsolved
        As :func:`constrained_acceleration`.
    """
    arguments.instance("system", system, TreeSystem, ReducedSystem)
    arguments.instance("state", state, State)
    constraints = checked_constraints(constraints)
    _, _, method = _checked_options(0.0, 0.0, method)
    forces = _forces(system, constraints, state, 0.0, 0.0, method, PrescribedJoint)
    return {
        each.link: force
        for each, force in zip(constraints, forces, strict=True)
        if isinstance(each, PrescribedJoint)
    }


def _own(system: JointSystem, state: State, *, acceleration: bool) -> Part:
    """The constraints of joints on their own coordinates, on velocities or accelerations."""
    if isinstance(system, TreeSystem):
        own = system.coordinate_rows(state, acceleration=acceleration)
        return Part("a joint's own constraint", own.rows, own.target)
    own = system.system.coordinate_rows(system.expanded(state), acceleration=acceleration)
    reduction = system.acceleration_reduction(state) if acceleration else system.reduction(state)
    return Part("a joint's own constraint", own.rows @ reduction.J, own.target - own.rows @ reduction.drift)


def acceleration_parts(
    system: JointSystem,
    constraints: Iterable[Constraint],
    state: State,
    alpha: float,
    beta: float,
    rows_of: Callable[[Constraint], ConstraintRows],
) -> tuple[list[Part], list[Array]]:
    """Rows on accelerations, and for each constraint which of its rows are among them."""
    parts = [_own(system, state, acceleration=True)]
    kept = [np.ones(len(parts[0].G), dtype=bool)]
    for each in constraints:
        G, error, rate, drift = rows_of(each)
        speed = G @ state.velocity + rate
        here = np.ones(len(G), dtype=bool)
        if each.unilateral:
            closed = error <= TOUCHING
            if np.any(closed & (speed < -TOUCHING)):
                got = f"{label(each)} closed and closing at {-np.min(speed[closed]):.3g}"
                raise InvalidArgument("state", got, "a state after the impact: a step finds one")
            here = closed & (speed <= TOUCHING)
        wanted = -drift - 2 * alpha * speed - beta**2 * error
        parts.append(Part(label(each), G[here], wanted[here], each.unilateral))
        kept.append(here)
    return parts, kept


def _parts(
    system: JointSystem, constraints: Iterable[Constraint], state: State, alpha: float, beta: float
) -> tuple[list[Part], list[Array]]:
    rows = _rows_at(system, state)
    return acceleration_parts(system, constraints, state, alpha, beta, lambda each: rows(each, state.t))


def _forces(
    system: JointSystem,
    constraints: Sequence[Constraint],
    state: State,
    alpha: float,
    beta: float,
    method: str,
    wanted: type,
) -> list[Array]:
    """Multipliers by constraint; those of the type that is wanted have one value."""
    parts, kept = _parts(system, constraints, state, alpha, beta)
    forces = by_part(parts, kept, _solved(system, state, parts, method))[1:]
    shared = sharing(parts)
    if any(
        part.name in shared
        for part, each in zip(parts[1:], constraints, strict=True)
        if isinstance(each, wanted)
    ):
        got = " and ".join(shared) + " saying the same"
        raise SingularConfiguration("constraints", got, "independent rows: which of these push is left open")
    return forces


def _solved(system: JointSystem, state: State, parts: list[Part], method: str) -> StepSolution:
    problem = StepProblem(system.mass(state), system.force(state), *stacked(parts))
    refuse_contradictions(parts, problem.momentum / np.diag(problem.mass))
    with inequalities_named(parts):
        return solve_step(problem, method=method)


def _checked_options(alpha: float, beta: float, method: str) -> tuple[float, float, str]:
    rates = arguments.real("alpha", alpha, minimum=0.0), arguments.real("beta", beta, minimum=0.0)
    return *rates, arguments.choice("method", method, METHODS)
