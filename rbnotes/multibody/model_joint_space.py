"""Forces and constraints in joint coordinates of a model whose bodies have six coordinates each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rbnotes.arguments import Array
from rbnotes.dynamics import State, StepSolution
from rbnotes.dynamics.state import EMPTY_STATE
from rbnotes.joints.unchecked_nearest_pose import refine_coordinates
from rbnotes.multibody.applied_forces import Control, actuator_commands
from rbnotes.multibody.bearing_friction import BearingUpdate
from rbnotes.multibody.joint_impulses import joint_impulses
from rbnotes.multibody.maximal.joint_kinematics import JointKinematics
from rbnotes.multibody.maximal.joint_space import JointSpaceConstraints, JointSpaceImpulses, Rotors
from rbnotes.multibody.model import Model
from rbnotes.multibody.reduced.bearings import bearing_frame, joint_bearings
from rbnotes.multibody.reduced.constraint_protocol import BodyConstraint, Constraint
from rbnotes.multibody.reduced.constraints import LoopClosure
from rbnotes.multibody.reduced.joint_reactions import rows_on_twists
from rbnotes.multibody.separation import generalized_mass_matrix
from rbnotes.unchecked import se3
from rbnotes.unchecked.frozen import replace_unchecked

HINT_DECIMALS = 2
"""Decimals of the coordinates from which the search for the next ones starts. A trajectory that continues
another one starts from the same ones in spite of rounding.
"""


class JointMap:
    """Coordinates of a model's tree, and the map to their rates, at poses of all bodies.

    The coordinates continue those of an earlier time: angles count turns.

    Parameters
    ----------
    E : (n, 4, 4)
        Poses of the bodies.
    near : (k,)
        Coordinates at an earlier time, within half a turn.
    """

    def __init__(self, model: Model, E: Array, near: Array) -> None:
        tree = model.tree
        self.q: Array = np.zeros(tree.num_coordinates)
        self.A: Array = np.zeros((tree.num_coordinates, 6 * len(tree.links)))
        """Matrix ``(k, 6 n)`` of ``qdot = A phi``."""
        to_joint_frames = se3.Ad(tree.body_frames)
        joint_poses = E @ se3.inverse(tree.body_frames)
        for i, (link, parent, coordinates) in enumerate(
            zip(tree.links, tree.parents, tree.coordinate_slices, strict=True)
        ):
            pose = joint_poses[i]
            if parent >= 0:
                pose = se3.inverse(joint_poses[parent]) @ pose
            Q, joint = se3.inverse(link.placement) @ pose, link.joint
            if joint.changes_coordinates or joint.num_coordinate_constraints:
                q = joint.compute_nearest_coordinates(Q)
            else:
                q = refine_coordinates(joint, Q, np.round(near[coordinates], HINT_DECIMALS))
            rates = np.linalg.pinv(joint.compute_motion_subspace(q))
            self.q[coordinates] = q
            self.A[coordinates, 6 * i : 6 * i + 6] = rates @ to_joint_frames[i]
            if parent >= 0:
                columns = slice(6 * parent, 6 * parent + 6)
                self.A[coordinates, columns] = -rates @ se3.Ad_inverse(pose) @ to_joint_frames[parent]


def track_coordinates(model: Model, E: Array, phi: Array, start: Array) -> tuple[Array, Array]:
    """Return coordinates and rates ``(T, k)`` at poses ``(T, n, 4, 4)``; each continues the one before."""
    q: list[Array] = []
    qdot: list[Array] = []
    for poses, twists in zip(E, phi, strict=True):
        joint_map = JointMap(model, poses, q[-1] if q else start)
        q.append(joint_map.q)
        qdot.append(joint_map.A @ twists.ravel())
    return np.array(q), np.array(qdot)


class BodyStates(NamedTuple):
    """Poses and twists of bodies with six coordinates each, for constraints on them.

    Attributes
    ----------
    joint_poses
        Frames of the joints ``(n, 4, 4)`` on the bodies.
    body_poses
        Frames of the bodies ``(n, 4, 4)``.
    phi
        Body twists ``(n, 6)``.
    """

    joint_poses: Array
    body_poses: Array
    phi: Array


@dataclass(frozen=True, eq=False)
class JointBearingUpdate(BearingUpdate):
    """Bearings in a velocity update of bodies with six coordinates each.

    The impulses along the rows of a joint are those of its reaction, and of the friction at the contacts of
    its bearing that does not act along its motion.

    Attributes
    ----------
    rate_map
        Matrix ``(k, 6 n)`` from the twists to the rates of the coordinates, 1/m and dimensionless.
    wrench_maps
        Matrices ``(6, r)``, m and dimensionless, from the impulses along the rows of all joints between
        bodies to the impulse of each bearing's joint on its body, in the frame of the bearing.

    See :class:`~rbnotes.multibody.bearing_friction.BearingUpdate` for the bearings.
    """

    rate_map: Array
    wrench_maps: Sequence[Array]

    @cached_property
    def motion_rows(self) -> Array:
        """Rows ``(b, 6 n)`` from the twists to the velocities along the motions of the joints."""
        return np.concatenate([each.motion_rows(self.rate_map) for each in self.bearings])

    def reactions(self, solution: StepSolution, bearing_friction: Sequence[Array]) -> list[Array]:
        """Return the reactions ``(6,)`` of the joints, from the impulses along their rows."""
        return [
            bearing.reaction(wrenches @ solution.bilateral[: wrenches.shape[1]], bearing.friction_wrench(own))
            for bearing, wrenches, own in zip(self.bearings, self.wrench_maps, bearing_friction, strict=True)
        ]


@dataclass(eq=False)
class ModelJointSpace:
    """Forces and constraints of a model that act in joint coordinates, except loop closures.

    It follows the coordinates along the motion, so that angles count turns.

    Attributes
    ----------
    model
        Model of the scene.
    control
        Function to the commands at a state.
    q
        Last coordinates ``(k,)`` of the tree, rad or m.
    constraint_list
        Constraints other than loop closures, which are joints between bodies.
    """

    model: Model
    control: Control | None
    q: Array
    constraint_list: Sequence[Constraint] = field(init=False)

    def __post_init__(self) -> None:
        self.constraint_list = [each for each in self.model.constraints if not isinstance(each, LoopClosure)]

    @property
    def has_control(self) -> bool:
        """True if the commands are a function of the state."""
        return self.control is not None

    def constraints(self, state: State, t: float) -> JointSpaceConstraints:
        """Return the equations and limits, with prescribed motions at the time t.

        Constraints of bodies act on their twists, so that joints transmit the forces.
        """
        joint_map = self._joint_map(state)
        tree_state = replace_unchecked(
            EMPTY_STATE, q=joint_map.q, qdot=joint_map.A @ state.velocity, t=state.t
        )
        model, poses, (_, num_columns) = self.model, state.E, joint_map.A.shape
        bodies = BodyStates(poses @ se3.inverse(model.tree.body_frames), poses, state.phi)
        no_rows: tuple[Array, ...] = (np.zeros((0, num_columns)), np.zeros(0), np.zeros(0))
        equations, limits = [no_rows], [no_rows]
        for constraint in self.constraint_list:
            if isinstance(constraint, BodyConstraint):
                on_bodies = constraint.body_rows(model.system, bodies, tree_state, t)
                rows, error, bias_velocity = (
                    rows_on_twists(on_bodies, len(poses)),
                    on_bodies.error,
                    on_bodies.bias_velocity,
                )
            else:
                on_rates = constraint.rows(model.system, tree_state, t)
                rows, error, bias_velocity = on_rates.G @ joint_map.A, on_rates.error, on_rates.bias_velocity
            (limits if constraint.unilateral else equations).append((rows, error, bias_velocity))
        G, errors, bias_velocities = (np.concatenate(each) for each in zip(*equations, strict=True))
        limit_rows, limit_gap, _ = (np.concatenate(each) for each in zip(*limits, strict=True))
        return JointSpaceConstraints(G, errors, bias_velocities, limit_rows, limit_gap)

    def rotors(self, state: State) -> Rotors:
        """Return the rotors of the joints, which have an armature."""
        armature = self.model.system.armature
        if not np.any(armature):
            return Rotors.none(state.size)
        joint_map, has_rotor = self._joint_map(state), armature > 0
        return Rotors(joint_map.A[has_rotor], armature[has_rotor], joint_map.q[has_rotor])

    def impulses(self, state: State, control_state: State, h: float, *, is_first: bool) -> JointSpaceImpulses:
        """Return the impulses over the first or the second half of a step of size h.

        Parameters
        ----------
        state
            Poses, and twists before the impulses.
        control_state
            State at the same poses, at which commands are evaluated.
        """
        model, tree, joint_map = self.model, self.model.tree, self._joint_map(state)
        tree_state = replace_unchecked(
            EMPTY_STATE, q=joint_map.q, qdot=joint_map.A @ state.velocity, t=state.t
        )
        mass = generalized_mass_matrix(model, joint_map.q, model.system.body_kinematics(tree_state).J)
        commands = actuator_commands(
            model, self.control, tree_state.with_velocity(joint_map.A @ control_state.velocity)
        )
        joint_terms = joint_impulses(model, tree_state, mass, commands, h, is_first=is_first)
        deflection = joint_map.q - tree.joint_parameter("spring_reference")
        springs = -h / 2 * tree.joint_parameter("stiffness") * deflection
        rows = joint_terms.bounded.rows
        return JointSpaceImpulses(
            joint_map.A.T @ (joint_terms.constant + springs),
            joint_map.A.T @ (joint_terms.damping[:, None] * joint_map.A),
            joint_terms.bounded._replace(rows=rows @ joint_map.A),
            joint_terms.motor,
            rows,
        )

    def bearings(self, state: State, kinematics: JointKinematics) -> JointBearingUpdate | None:
        """Return the bearings in a velocity update at a state, or None if there are none.

        Parameters
        ----------
        kinematics
            Kinematics of the joints between the bodies at the state, in the order of :func:`joint_names`.
        """
        system, bearings = self.model.system, self.model.bearings
        if not bearings:
            return None
        joint_map = self._joint_map(state)
        tree_state = replace_unchecked(
            EMPTY_STATE, q=joint_map.q, qdot=joint_map.A @ state.velocity, t=state.t
        )
        at_state = joint_bearings(system, tree_state, system.body_kinematics(tree_state), bearings)
        layout, blocks, names = kinematics.layout, kinematics.row_blocks()[:, 0], joint_names(self.model)
        wrench_maps = []
        for bearing in at_state:
            on_body = np.where((layout.row_joints == names.index(bearing.name))[:, None], blocks, 0.0)
            wrench_maps.append(se3.Ad(bearing_frame(system, bearing.name)).T @ on_body.T)
        return JointBearingUpdate(at_state, joint_map.A, wrench_maps)

    def _joint_map(self, state: State) -> JointMap:
        joint_map = JointMap(self.model, state.E, self.q)
        self.q = joint_map.q
        return joint_map


def joint_names(model: Model) -> list[str | LoopClosure]:
    """Return the bodies on joints and the loop closures, in the order of joints in maximal coordinates."""
    closures = [each for each in model.constraints if isinstance(each, LoopClosure)]
    return [*(body.name for body in model.bodies if not body.is_free), *closures]


def uses_joint_space(model: Model, control: Control | None) -> bool:
    """Return True if forces or constraints act in the joint coordinates of a model."""
    losses = (np.any(model.tree.joint_parameter(name)) for name in ("stiffness", "damping"))
    return (
        control is not None
        or bool(model.actuators)
        or bool(model.bearings)
        or any(losses)
        or bool(np.any(model.joint_friction))
        or bool(np.any(model.system.armature))
        or any(not isinstance(each, LoopClosure) for each in model.constraints)
    )
