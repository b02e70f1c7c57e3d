"""Static equilibrium of a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rbnotes import arguments
from rbnotes.arguments import Array, IntArray, InvalidArgument
from rbnotes.constraints.redundant_rows import range_basis
from rbnotes.dynamics import State
from rbnotes.errors import NotConverged
from rbnotes.multibody.model import Model
from rbnotes.multibody.model_derivatives import stiffness
from rbnotes.multibody.model_equations import centered_tree
from rbnotes.multibody.reduced.constrained_dynamics import constraint_rows
from rbnotes.multibody.reduced.constraint_stacking import constraint_label
from rbnotes.unchecked.frozen import replace_unchecked

DIFFERENCE_STEP = 1e-6
"""Increment of the differences of constraint forces, rad and m."""

MIN_STEP_FRACTION = 1e-6
"""Fraction of Newton's step below which the search ends."""

LIMIT_TOLERANCE = 1e-9
"""Accepted violation of a joint limit by the equilibrium, rad or m."""

CLOSURE_TOLERANCE = 1e-8
"""Accepted error of redundant equality constraints, rad or m."""


class _Equations(NamedTuple):
    """Forces and constraints at a configuration.

    Attributes
    ----------
    force
        Generalized forces ``(N,)`` without those of the constraints.
    G
        Rows of the equality constraints ``(m, N)``.
    error
        Errors of the constraints ``(m,)``, rad or m.
    """

    force: Array
    G: Array
    error: Array


class _Linearization(NamedTuple):
    """Equations of Newton's method, linearized at a configuration.

    Attributes
    ----------
    row_basis
        Independent combinations of the rows of the constraints ``(m, r)``, an orthonormal basis of their
        range if rows repeat others.
    jacobian
        Derivative of the forces and of these combinations of the errors with respect to the configuration and
        to multipliers of the combinations ``(n + r, n + r)``.
    """

    row_basis: Array
    jacobian: Array


def equilibrium(
    model: Model,
    initial_guess: State,
    *,
    locked: Sequence[str] = (),
    tolerance: float = 1e-10,
    max_iterations: int = 100,
) -> State:
    """Return the state at rest in which all forces balance, near an initial guess.

    Newton's method with the exact stiffness; its steps are halved until the next one is shorter. Gravity,
    joint springs, the forces of the model and its equality constraints act, prescribed motions at the time of
    the guess; contacts do not. Constraints may repeat others. The
    equilibrium may be unstable: check :func:`~rbnotes.multibody.stiffness`.

    Parameters
    ----------
    initial_guess
        State to start from; its velocities are ignored.
    locked
        Names of bodies whose joint, or free pose, stays as in the initial guess.
    tolerance
        Largest Newton step of the result, rad and m.
    max_iterations
        Largest number of Newton steps.

    Raises
    ------
    InvalidArgument
        If ``initial_guess`` does not fit the model, or a name in ``locked`` is unknown.
    NotConverged
        If no equilibrium is found, the stiffness is singular, constraints contradict each other, or the
        equilibrium is beyond a joint limit; ``solution`` is the last state.
    """
    arguments.require_instance("model", model, Model)
    arguments.require_instance("initial_guess", initial_guess, State)
    model.check_state(initial_guess)
    tolerance = arguments.positive_number("tolerance", tolerance)
    max_iterations = arguments.count("max_iterations", max_iterations, minimum=1)
    unlocked = _unlocked_columns(model, locked)
    state = replace_unchecked(
        initial_guess,
        phi=np.zeros_like(initial_guess.phi),
        v=np.zeros_like(initial_guess.v),
        qdot=np.zeros_like(initial_guess.qdot),
    )
    multipliers: Array = np.zeros(len(_equations(model, state).error))
    for _ in range(max_iterations):
        linearization = _linearize(model, state, multipliers, unlocked)
        step = _newton_step(model, state, multipliers, unlocked, linearization)
        if np.max(np.abs(step[: len(unlocked)]), initial=0.0) <= tolerance:
            _refuse_open_constraints(model, state)
            _refuse_violated_limits(model, state)
            return state
        fraction = 1.0
        while True:
            trial, trial_multipliers = _add_step(model, state, multipliers, unlocked, fraction * step)
            remaining = _newton_step(model, trial, trial_multipliers, unlocked, linearization)
            if np.linalg.norm(remaining) <= (1 - fraction / 2) * np.linalg.norm(step):
                break
            fraction /= 2
            if fraction < MIN_STEP_FRACTION:
                raise NotConverged(
                    "equilibrium: no step from this state reduces the forces; try another initial guess",
                    state,
                    float(np.max(np.abs(step))),
                )
        state, multipliers = trial, trial_multipliers
    message = f"equilibrium: not found in {max_iterations} steps"
    raise NotConverged(message, state, float(np.max(np.abs(step))))


def _unlocked_columns(model: Model, locked: Sequence[str]) -> IntArray:
    """Return the indices in ``state.velocity`` of the bodies and joints that may move."""
    if isinstance(locked, str):
        raise InvalidArgument("locked", repr(locked), "a sequence of names")
    names = arguments.instances("locked", locked, str)
    is_locked = np.zeros(model.tree.num_coordinates, dtype=bool)
    for name in names:
        is_locked[model.tree.coordinate_slices[model.index(name)]] = True
    free_bodies = [np.full(6, model.bodies[i].name in names) for i in model.free_body_indices]
    particles = np.zeros(3 * len(model.particles), dtype=bool)
    return np.flatnonzero(~np.concatenate([*free_bodies, particles, is_locked[model.joint_indices]]))


def _equations(model: Model, state: State) -> _Equations:
    """Return the generalized forces at rest, and the rows and errors of the equality constraints."""
    tree, tree_state, tree_from_model = centered_tree(model, state)
    own_rows = tree.coordinate_constraint_rows(tree_state).rows
    rows: list[Array] = [own_rows]
    errors: list[Array] = [np.zeros(len(own_rows))]
    for constraint in model.constraints:
        if not constraint.unilateral:
            G, error, _, _ = constraint_rows(tree, constraint, tree_state, state.t)
            rows.append(G)
            errors.append(error)
    return _Equations(model.force(state), np.concatenate(rows) @ tree_from_model, np.concatenate(errors))


def _linearize(model: Model, state: State, multipliers: Array, unlocked: IntArray) -> _Linearization:
    """Return the equations of Newton's method at a configuration."""
    G = _equations(model, state).G
    K = stiffness(model, state)
    if np.any(multipliers):
        for column in range(state.size):
            increment = DIFFERENCE_STEP * np.eye(state.size)[column]
            ahead, behind = (
                _equations(model, _retract(model, state, sign * increment)).G for sign in (1, -1)
            )
            K[:, column] += (ahead - behind).T @ multipliers / (2 * DIFFERENCE_STEP)
    basis = range_basis(G[:, unlocked]) if len(unlocked) else np.zeros((len(G), 0))
    if basis is None:
        basis = np.eye(len(G))
    rows = basis.T @ G[:, unlocked]
    no_block: Array = np.zeros((len(rows), len(rows)))
    return _Linearization(basis, np.block([[K[np.ix_(unlocked, unlocked)], rows.T], [rows, no_block]]))


def _newton_step(
    model: Model, state: State, multipliers: Array, unlocked: IntArray, linearization: _Linearization
) -> Array:
    """Return the Newton step in positions and multipliers; raise an error if the matrix is singular."""
    force, G, error = _equations(model, state)
    basis, jacobian = linearization
    residual = np.concatenate([(force + G.T @ multipliers)[unlocked], basis.T @ error])
    try:
        step = np.linalg.solve(jacobian, -residual)
    except np.linalg.LinAlgError:
        step = np.full(len(residual), np.nan)
    if not np.all(np.isfinite(step)):
        message = (
            "equilibrium: the stiffness is singular; lock joints on which no force acts, "
            "or try another initial guess"
        )
        raise NotConverged(message, state, float(np.max(np.abs(residual))))
    return np.concatenate([step[: len(unlocked)], basis @ step[len(unlocked) :]])


def _add_step(
    model: Model, state: State, multipliers: Array, unlocked: IntArray, step: Array
) -> tuple[State, Array]:
    increment = np.zeros(state.size)
    increment[unlocked] = step[: len(unlocked)]
    return _retract(model, state, increment), multipliers + step[len(unlocked) :]


def _retract(model: Model, state: State, increment: Array) -> State:
    """Return the state after an increment, with coordinates of joints away from singular states."""
    state = model.retract(state, increment, 0.0)
    q: Array = np.zeros(model.tree.num_coordinates)
    q[model.joint_indices] = state.q
    for body, own in zip(model.bodies, model.tree.coordinate_slices, strict=True):
        if body.joint is not None:
            q[own], _ = body.joint.compute_reparametrization(q[own], np.zeros_like(q[own]))
    return replace_unchecked(state, q=q[model.joint_indices])


def _refuse_open_constraints(model: Model, state: State) -> None:
    error = float(np.max(np.abs(_equations(model, state).error), initial=0.0))
    if error > CLOSURE_TOLERANCE:
        message = f"equilibrium: constraints contradict each other, with an error of {error:.3g} rad or m"
        raise NotConverged(message, state, error)


def _refuse_violated_limits(model: Model, state: State) -> None:
    tree_state = model.tree_state(state)
    for constraint in model.constraints:
        if constraint.unilateral:
            gap = constraint_rows(model.tree, constraint, tree_state, state.t)[1]
            if np.any(gap < -LIMIT_TOLERANCE):
                message = f"equilibrium: beyond {constraint_label(constraint)} by {-gap.min():.3g}"
                raise NotConverged(message, state, float(-gap.min()))
