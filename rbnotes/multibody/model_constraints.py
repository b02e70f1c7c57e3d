"""Constraints of a model at a state of its tree: equations and limits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rbnotes.arguments import Array, InvalidArgument
from rbnotes.dynamics import State
from rbnotes.multibody.model import Model
from rbnotes.multibody.reduced.constrained_dynamics import constraint_rows_at_state
from rbnotes.multibody.reduced.constraint_protocol import Constraint
from rbnotes.multibody.reduced.constraint_stacking import constraint_label
from rbnotes.multibody.reduced.constraints import AttachedParticle, PrescribedBody
from rbnotes.multibody.reduced.dynamics import coordinate_constraints
from rbnotes.multibody.reduced.joint_reactions import constraint_body_jacobian
from rbnotes.unchecked.frozen import replace_unchecked

CONSTRAINT_TOLERANCE = 1e-10
"""Accepted error of constraints after a step, rad or m."""
INITIAL_ERROR = 1e-6
"""Largest accepted violation of constraints by the initial state, rad or m."""


class ConstraintEquations(NamedTuple):
    """Rows of all constraints at one state.

    Attributes
    ----------
    G
        Rows of the equations ``(m, k)``, those of the joints' own coordinates first.
    error
        Errors ``(m,)``, rad or m; zero for the joints' own coordinates, which a step normalizes.
    bias_velocity
        Part of the rates of the errors ``(m,)`` that is independent of the velocities.
    limit_rows
        Rows of the limits ``(l, k)``.
    limit_gap
        Gaps of the limits ``(l,)``, rad or m.
    limit_body_rows
        Rows of the limits on the twists of the bodies ``(l, 6 n)``; zero for those of joint coordinates.
    """

    G: Array
    error: Array
    bias_velocity: Array
    limit_rows: Array
    limit_gap: Array
    limit_body_rows: Array

    @property
    def error_to_correct(self) -> Array:
        """Errors ``(m,)`` beyond the tolerance, zero for the others.

        Corrections within the tolerance would move bodies that friction holds at rest. Errors of redundant
        rows contradict each other by rounding.
        """
        return np.where(np.abs(self.error) > CONSTRAINT_TOLERANCE, self.error, 0.0)


def constraint_equations(model: Model, state: State, t: float) -> ConstraintEquations:
    """Return the constraints at a state of the tree, with prescribed motions at the time t."""
    own_rows, _ = coordinate_constraints(model.tree, state.q, state.qdot)
    stacked, zero = stack_constraints(model, model.constraints, state, t), np.zeros(len(own_rows))
    return stacked._replace(
        G=np.concatenate([own_rows, stacked.G]),
        error=np.concatenate([zero, stacked.error]),
        bias_velocity=np.concatenate([zero, stacked.bias_velocity]),
    )


def stack_constraints(
    model: Model, constraints: Sequence[Constraint], state: State, t: float
) -> ConstraintEquations:
    """Return these constraints at a state of the tree, without those of the joints' own coordinates."""
    tree, k = model.tree, model.tree.num_coordinates
    body_size = 6 * len(model.bodies)
    parts: list[tuple[Array, ...]] = [(np.zeros((0, k)), np.zeros(0), np.zeros(0))]
    limits: list[tuple[Array, ...]] = [(np.zeros((0, k)), np.zeros(0), np.zeros((0, body_size)))]
    rows_of, state_at_t = constraint_rows_at_state(tree, state), replace_unchecked(state, t=t)
    for constraint in constraints:
        G, error, bias_velocity, _ = rows_of(constraint, t)
        if constraint.unilateral:
            body_rows = constraint_body_jacobian(tree, constraint, state_at_t)
            limit_body_rows = np.zeros((len(G), body_size)) if body_rows is None else body_rows
            limits.append((G, error, limit_body_rows))
        else:
            parts.append((G, error, bias_velocity))
    return ConstraintEquations(
        *(np.concatenate(each) for each in zip(*parts, strict=True)),
        *(np.concatenate(each) for each in zip(*limits, strict=True)),
    )


def check_position_constraints(model: Model) -> None:
    """Check that all constraints of a model restrict positions.

    Raises
    ------
    InvalidArgument
        If one prescribes velocities only.
    """
    for constraint in model.constraints:
        if isinstance(constraint, PrescribedBody | AttachedParticle):
            expected = "constraints of joint coordinates or poses"
            raise InvalidArgument("constraints", constraint_label(constraint), expected)


def check_initial_state(model: Model, state: State) -> None:
    """Check that a state of the tree satisfies the constraints of a model.

    Raises
    ------
    InvalidArgument
        If it violates one.
    """
    rows_of = constraint_rows_at_state(model.tree, state)
    for constraint in model.constraints:
        _, error, _, _ = rows_of(constraint, state.t)
        violation = float(np.max(-error if constraint.unilateral else np.abs(error), initial=0.0))
        if violation > INITIAL_ERROR:
            got = f"a violation of {violation:.3g} of {constraint_label(constraint)}"
            expected = "a state that satisfies it; see rbnotes.multibody.reduced.assemble_configuration"
            raise InvalidArgument("state", got, expected)
