"""Friction of bearings in a velocity update: bounds that grow with the reactions of the joints (Sueda 2.11).

The friction of a bearing on a joint with one motion is dry friction along that motion. Its bound follows from
the reaction of the joint, which the contacts of the bearing share. The reaction is what the motion of the
bodies beyond the joint requires besides the other forces: their changes of momentum in the update, and their
inertial forces in the motion without forces that follows or precedes it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rbnotes.arguments import Array, InvalidArgument
from rbnotes.contact.body_pair_jacobian import BodyPairJacobian
from rbnotes.dynamics import State, StepProblem, StepSolution
from rbnotes.errors import NotConverged
from rbnotes.friction.anderson_acceleration import AndersonAcceleration
from rbnotes.multibody.bounded_rows import BoundedRows, dry_friction_rows, solve_with_bounded_rows
from rbnotes.multibody.model import Model
from rbnotes.multibody.reduced.bearings import JointBearing, joint_bearings, recover_bearing_reactions
from rbnotes.multibody.reduced.dynamics import (
    generalized_body_force,
    gyroscopic_and_gravity_wrenches,
    solve_accelerations,
)
from rbnotes.multibody.reduced.joint_reactions import ConstraintOnBodies, constraints_on_bodies
from rbnotes.multibody.reduced.kinematics import BodyKinematics, relative_joint_poses
from rbnotes.multibody.reduced.model import Tree
from rbnotes.unchecked import se3
from rbnotes.unchecked.linear_algebra import matvec

CONE_SECTION = "disc"
"""Section of the friction cone at the contacts of bearings."""
BEARING_TOLERANCE = 1e-8
"""Accepted change of the reactions of bearings, relative to them."""
MAX_BEARING_ITERATIONS = 100
"""Largest number of problems for the friction of bearings in a velocity update."""
ANDERSON_DEPTH = 6
"""Number of iterations that Anderson acceleration combines."""


@dataclass(frozen=True, eq=False)
class BearingUpdate:
    """Bearings of a model in one velocity update.

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

    @cached_property
    def bearings(self) -> list[JointBearing]:
        """Bearings at the state."""
        return joint_bearings(self.model.system, self.state, self.kinematics, self.model.bearings)

    def rows(self, multipliers: list[Array]) -> BoundedRows:
        """Return one row of dry friction for each bearing, at normal multipliers of its contacts."""
        bounds = [
            each.friction_limits(own, CONE_SECTION, 0)[0]
            for each, own in zip(self.bearings, multipliers, strict=True)
        ]
        motions = np.concatenate([each.joint_velocity_map for each in self.bearings])
        return dry_friction_rows(motions, np.array(bounds))

    def normal_multipliers(
        self, solution: StepSolution, friction: Array, multipliers: list[Array]
    ) -> list[Array]:
        """Return the multipliers of each bearing's contacts under the impulses of an update.

        Parameters
        ----------
        friction
            Impulses along the motions of the bearings ``(b,)``.
        multipliers
            Multipliers that bounded the friction.
        """
        contact_friction = [
            bearing.distribute_friction(np.array([[impulse, 0.0]]), own, CONE_SECTION, 0)
            for bearing, impulse, own in zip(self.bearings, friction, multipliers, strict=True)
        ]
        reactions = recover_bearing_reactions(
            self.model.system,
            self.bearings,
            contact_friction,
            self._momentum_changes(solution.velocity).ravel(),
            self.wrenches
            + self.contact_rows.T @ solution.contact_impulses.ravel()
            + self.limit_rows.T @ solution.unilateral,
            self._body_constraints,
            solution,
            self._parent_adjoints,
        )[1]
        return [each.bearing.load_distribution @ w for each, w in zip(self.bearings, reactions, strict=True)]

    @cached_property
    def _parent_adjoints(self) -> Array:
        return se3.Ad_inverse(relative_joint_poses(self.model.tree, self.state.q))

    @cached_property
    def _body_constraints(self) -> list[ConstraintOnBodies]:
        """Equality constraints that act on bodies."""
        equations = [each for each in self.model.constraints if not each.unilateral]
        return constraints_on_bodies(self.model.system, equations, self.state)

    def _momentum_changes(self, velocity: Array) -> Array:
        """Return the momenta ``(n, 6)`` that the update and half of the motion without forces require."""
        tree, state = self.weightless_tree, self.state
        change = matvec(tree.inertias, self.kinematics.J @ (velocity - state.qdot))
        moving_state = state.with_velocity(velocity if self.is_first else state.qdot)
        kinematics = self.model.system.body_kinematics(moving_state)
        force = generalized_body_force(tree, kinematics, np.zeros(()))
        acceleration = solve_accelerations(tree, moving_state.q, moving_state.qdot, self.mass, force)
        body_accelerations = kinematics.J @ acceleration + kinematics.bias_acceleration
        gyroscopic = gyroscopic_and_gravity_wrenches(tree, moving_state.q, moving_state.qdot)
        result: Array = change + self.half_step * (matvec(tree.inertias, body_accelerations) - gyroscopic)
        return result


def solve_with_bearings(
    problem: StepProblem,
    bounded: BoundedRows,
    bearings: BearingUpdate,
    solve: Callable[[StepProblem], StepSolution],
) -> tuple[StepSolution, Array, BoundedRows]:
    """Return the solution, the impulses of all bounded rows, and these rows, those of bearings last.

    The reactions bound the friction, which changes the reactions: a fixed-point iteration that starts without
    friction. For large coefficients the solution may not be unique.

    Raises
    ------
    NotConverged
        If the reactions do not settle: joints with large friction may jam.
    """
    counts = [each.bearing.count for each in bearings.bearings]
    ends = np.cumsum(counts)[:-1]
    multipliers: Array = np.zeros(sum(counts))
    acceleration = AndersonAcceleration(ANDERSON_DEPTH)
    change = np.inf
    for _ in range(MAX_BEARING_ITERATIONS):
        own: list[Array] = list(np.split(multipliers, ends))
        rows = bounded.join(bearings.rows(own))
        solution, impulse = solve_with_bounded_rows(problem, rows, solve, bearings.state.qdot)
        friction = impulse[len(bounded.offset) :]
        reaction = np.concatenate(bearings.normal_multipliers(solution, friction, own))
        size = float(np.linalg.norm(reaction))
        change = float(np.linalg.norm(reaction - multipliers)) / (size or 1.0)
        if change <= BEARING_TOLERANCE:
            return solution, impulse, rows
        multipliers = acceleration.next_argument(multipliers, reaction)
    message = f"friction of bearings: the reactions change by {change:.2g} of their size; joints may jam"
    raise NotConverged(message, solution.velocity, change)


def check_bearings(model: Model) -> None:
    """Check that each bearing fits its joint, at the neutral configuration.

    Raises
    ------
    InvalidArgument
        If a bearing has a joint with more than one motion, or with a motion along a normal.
    """
    state = State(q=model.tree.neutral, qdot=np.zeros(model.tree.num_coordinates))
    kinematics = model.system.body_kinematics(state)
    for bearing in joint_bearings(model.system, state, kinematics, model.bearings):
        if not bearing.has_single_motion:
            label = f"bearings[{getattr(bearing.name, 'a', bearing.name)!r}]"
            got = f"a joint with {bearing.S.shape[1]} motions"
            raise InvalidArgument(label, got, "a joint with one, such as Revolute or Prismatic")
