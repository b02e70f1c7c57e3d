"""Friction of bearings in joint coordinates: the reactions of joints follow from the motion (Sueda 2.11).

The reaction is the difference between the impulse that the bodies beyond the joint require for their motion
and the impulses of the other forces on them. The motion consists of the changes of momentum in the update and
of the inertial forces in the motion without forces that follows or precedes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rbnotes.arguments import Array, InvalidArgument
from rbnotes.contact.body_pair_jacobian import BodyPairJacobian
from rbnotes.dynamics import State, StepSolution
from rbnotes.multibody.bearing_friction import BearingUpdate
from rbnotes.multibody.model import Model
from rbnotes.multibody.reduced.bearings import joint_bearings, recover_bearing_reactions
from rbnotes.multibody.reduced.dynamics import (
    generalized_body_force,
    gyroscopic_and_gravity_wrenches,
    solve_accelerations,
)
from rbnotes.multibody.reduced.joint_reactions import ConstraintOnBodies, constraints_on_bodies
from rbnotes.multibody.reduced.kinematics import BodyKinematics, relative_joint_poses
from rbnotes.multibody.reduced.tree import Tree
from rbnotes.unchecked import se3
from rbnotes.unchecked.linear_algebra import matvec


@dataclass(frozen=True, eq=False)
class TreeBearingUpdate(BearingUpdate):
    """Bearings of a model in one velocity update of its tree.

    Attributes
    ----------
    model
        Model of the scene.
    weightless_tree
        Tree of the model without gravity.
    state
        State of the tree before the update.
    kinematics
        Kinematics of the tree at the state.
    mass
        Mass matrix ``(k, k)``, kg m^2, kg m and kg.
    half_step
        Time over which forces act in the update, s.
    is_first
        True if the motion without forces follows the update.
    wrenches
        Impulses of gravity and of the forces of the model on the bodies ``(6 n,)``, N m s and N s.
    contact_rows
        Rows of the contacts.
    limit_rows
        Rows of the limits on the twists of the bodies ``(l, 6 n)``, m and dimensionless.

    See :class:`~rbnotes.multibody.bearing_friction.BearingUpdate` for the bearings.
    """

    model: Model
    weightless_tree: Tree
    state: State
    kinematics: BodyKinematics
    mass: Array
    half_step: float
    is_first: bool
    wrenches: Array
    contact_rows: BodyPairJacobian
    limit_rows: Array

    @property
    def motion_rows(self) -> Array:
        """Rows ``(b, k)`` from the velocities of the tree to those along the motions of the joints."""
        return self.coordinate_rows

    def reactions(self, solution: StepSolution, bearing_friction: Sequence[Array]) -> list[Array]:
        """Return the reactions ``(6,)`` of the joints, recovered from the motion."""
        return recover_bearing_reactions(
            self.model.tree,
            self.bearings,
            bearing_friction,
            self._momentum_changes(solution.velocity).ravel(),
            self.wrenches
            + self.contact_rows.T @ solution.contact_impulses.ravel()
            + self.limit_rows.T @ solution.unilateral,
            self._body_constraints,
            solution,
            self._parent_adjoints,
        )[1]

    @cached_property
    def _parent_adjoints(self) -> Array:
        return se3.Ad_inverse(relative_joint_poses(self.model.tree, self.state.q))

    @cached_property
    def _body_constraints(self) -> list[ConstraintOnBodies]:
        """Equality constraints that act on bodies."""
        equations = [each for each in self.model.constraints if not each.unilateral]
        return constraints_on_bodies(self.model.tree, equations, self.state)

    def _momentum_changes(self, velocity: Array) -> Array:
        """Return the momenta ``(n, 6)`` that the update and half of the motion without forces require."""
        tree, state = self.weightless_tree, self.state
        change = matvec(tree.inertias, self.kinematics.J @ (velocity - state.qdot))
        moving_state = state.with_velocity(velocity if self.is_first else state.qdot)
        kinematics = self.model.tree.body_kinematics(moving_state)
        force = generalized_body_force(tree, kinematics, np.zeros(()))
        acceleration = solve_accelerations(tree, moving_state.q, moving_state.qdot, self.mass, force)
        body_accelerations = kinematics.J @ acceleration + kinematics.bias_acceleration
        gyroscopic = gyroscopic_and_gravity_wrenches(tree, moving_state.q, moving_state.qdot)
        result: Array = change + self.half_step * (matvec(tree.inertias, body_accelerations) - gyroscopic)
        return result


def check_bearings(model: Model) -> None:
    """Check that each bearing fits its joint, at the neutral configuration.

    Raises
    ------
    InvalidArgument
        If a bearing has a joint with more than one motion, or with a motion along a normal.
    """
    if not model.bearings:
        return
    state = State(q=model.tree.neutral, qdot=np.zeros(model.tree.num_coordinates))
    kinematics = model.tree.body_kinematics(state)
    for bearing in joint_bearings(model.tree, state, kinematics, model.bearings):
        if not bearing.has_single_motion:
            label = f"bearings[{getattr(bearing.name, 'a', bearing.name)!r}]"
            got = f"a joint with {bearing.S.shape[1]} motions"
            raise InvalidArgument(label, got, "a joint with one, such as Revolute or Prismatic")
