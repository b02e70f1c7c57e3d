"""Forces and constraints in joint coordinates of a model whose bodies have six coordinates each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rbnotes.arguments import Array
from rbnotes.dynamics import State, StepSolution
from rbnotes.dynamics.state import EMPTY_STATE
from rbnotes.joints import JointType, Prismatic, Revolute
from rbnotes.joints.unchecked_nearest_pose import refine_coordinates
from rbnotes.multibody.applied_forces import Control, actuator_commands
from rbnotes.multibody.bearing_friction import BearingUpdate
from rbnotes.multibody.joint_impulses import joint_impulses
from rbnotes.multibody.joint_kinematics import JointKinematics
from rbnotes.multibody.maximal.joint_space import JointSpaceConstraints, JointSpaceImpulses, Rotors
from rbnotes.multibody.model import Model
from rbnotes.multibody.reduced.bearings import bearing_frame, joint_bearings
from rbnotes.multibody.reduced.constraint_protocol import BodyConstraint
from rbnotes.multibody.reduced.joint_reactions import rows_on_twists
from rbnotes.multibody.reduced.loop_joint import LoopConstraint
from rbnotes.multibody.reduced.tree import Tree
from rbnotes.multibody.separation import generalized_mass_matrix
from rbnotes.unchecked import se3
from rbnotes.unchecked.frozen import replace_unchecked


class JointMap(NamedTuple):
    """Coordinates of a model's tree, and the map to their rates, at poses of all bodies.

    Attributes
    ----------
    q
        Coordinates ``(k,)``, rad or m.
    A
        Matrix ``(k, 6 n)`` of ``qdot = A phi``.
    """

    q: Array
    A: Array


def joint_map(model: Model, E: Array, q: Array) -> JointMap:
    """Return the map to the rates at poses ``(n, 4, 4)`` of all bodies with known coordinates ``(k,)``."""
    return _joint_map(model.tree, joint_poses_in_parents(model.tree, E), q)


def joint_map_near(model: Model, E: Array, near: Array) -> JointMap:
    """Return coordinates and the map to their rates at poses ``(n, 4, 4)`` of all bodies.

    The coordinates continue those of an earlier time: angles count turns.

    Parameters
    ----------
    near
        Coordinates ``(k,)`` at an earlier time, within half a turn.
    """
    tree = model.tree
    poses, q = joint_poses_in_parents(tree, E), np.zeros(tree.num_coordinates)
    for pose, link, own in zip(poses, tree.links, tree.coordinate_slices, strict=True):
        q[own] = _coordinates_near(link.joint, se3.inverse(link.placement) @ pose, near[own])
    return _joint_map(tree, poses, q)


def joint_poses_in_parents(tree: Tree, E: Array) -> Array:
    """Return the joint frames in those of the parents, from poses of the bodies, both ``(..., n, 4, 4)``."""
    poses = E @ se3.inverse(tree.body_frames)
    world = np.broadcast_to(np.eye(4), (*E.shape[:-3], 1, 4, 4))  # it comes last, with index -1
    parent_poses = np.concatenate([poses, world], axis=-3)[..., list(tree.parents), :, :]
    result: Array = se3.inverse(parent_poses) @ poses
    return result


def _coordinates_near(joint: JointType, Q: Array, near: Array) -> Array:
    """Return the coordinates ``(k,)`` of the nearest allowed pose that continue those at an earlier time."""
    if isinstance(joint, Revolute):
        angle = joint.compute_nearest_coordinates(Q)
        result: Array = angle + 2 * np.pi * np.round((near - angle) / (2 * np.pi))
        return result
    if isinstance(joint, Prismatic) or joint.changes_coordinates or joint.num_coordinate_constraints:
        return joint.compute_nearest_coordinates(Q)
    return refine_coordinates(joint, Q, near)


def _joint_map(tree: Tree, poses: Array, q: Array) -> JointMap:
    """Return the map at known coordinates.

    Parameters
    ----------
    poses
        Poses ``(n, 4, 4)`` of the joint frames in those of the parents.
    """
    A: Array = np.zeros((tree.num_coordinates, 6 * len(tree.links)))
    to_joint_frames, from_parents = se3.Ad(tree.body_frames), se3.Ad_inverse(poses)
    for i, (link, parent, own) in enumerate(
        zip(tree.links, tree.parents, tree.coordinate_slices, strict=True)
    ):
        rates = np.linalg.pinv(link.joint.compute_motion_subspace(q[own]))
        A[own, 6 * i : 6 * i + 6] = rates @ to_joint_frames[i]
        if parent >= 0:
            A[own, 6 * parent : 6 * parent + 6] = -rates @ from_parents[i] @ to_joint_frames[parent]
    return JointMap(q, A)


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


@dataclass(frozen=True, eq=False)
class ModelJointSpace:
    """Forces and constraints of a model that act in joint coordinates, at one configuration of its bodies.

    Loop closures and loop joints are not among them: they are joints between bodies.

    Attributes
    ----------
    model
        Model of the scene.
    control
        Function to the commands at a state.
    E
        Poses of the bodies ``(n, 4, 4)``, translations in m.
    joint_map
        Coordinates of the tree, and the map to their rates, at the poses.
    """

    model: Model
    control: Control | None
    E: Array
    joint_map: JointMap

    @classmethod
    def at_coordinates(cls, model: Model, control: Control | None, E: Array, q: Array) -> ModelJointSpace:
        """Return the joint space at poses ``(n, 4, 4)`` of the bodies with known coordinates ``(k,)``."""
        return cls(model, control, E, joint_map(model, E, q))

    def at(self, E: Array) -> ModelJointSpace:
        """Return the joint space at later poses ``(n, 4, 4)``; its coordinates continue those of this one."""
        return replace(self, E=E, joint_map=joint_map_near(self.model, E, self.joint_map.q))

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the forces and constraints."""
        return joint_space_features(self.model, self.control)

    @property
    def has_control(self) -> bool:
        """True if the commands are a function of the state."""
        return self.control is not None

    def coordinates_and_rates(self, velocity: Array) -> tuple[Array, Array]:
        """Return the coordinates and, at twists ``(6 n,)``, their rates, each ``(k,)``."""
        return self.joint_map.q, self.joint_map.A @ velocity

    def constraints(self, state: State, t: float) -> JointSpaceConstraints:
        """Return the equations and limits, with prescribed motions at the time t.

        Constraints of bodies act on their twists, so that joints transmit the forces.

        Parameters
        ----------
        state
            Twists of the bodies, at these poses.
        """
        A, tree_state = self.joint_map.A, self._tree_state(state)
        model, poses = self.model, self.E
        bodies = BodyStates(poses @ se3.inverse(model.tree.body_frames), poses, state.phi)
        no_rows: tuple[Array, ...] = (np.zeros((0, A.shape[1])), np.zeros(0), np.zeros(0))
        equations, limits = [no_rows], [no_rows]
        for constraint in model.constraints:
            if isinstance(constraint, LoopConstraint):
                continue
            if isinstance(constraint, BodyConstraint):
                on_bodies = constraint.body_rows(model.tree, bodies, tree_state, t)
                rows, error, bias_velocity = (
                    rows_on_twists(on_bodies, len(poses)),
                    on_bodies.error,
                    on_bodies.bias_velocity,
                )
            else:
                on_rates = constraint.rows(model.tree, tree_state, t)
                rows, error, bias_velocity = on_rates.G @ A, on_rates.error, on_rates.bias_velocity
            (limits if constraint.unilateral else equations).append((rows, error, bias_velocity))
        G, errors, bias_velocities = (np.concatenate(each) for each in zip(*equations, strict=True))
        limit_rows, limit_gap, _ = (np.concatenate(each) for each in zip(*limits, strict=True))
        return JointSpaceConstraints(G, errors, bias_velocities, limit_rows, limit_gap)

    def rotors(self) -> Rotors:
        """Return the rotors of the joints, which have an armature."""
        armature, (q, A) = self.model.tree.armature, self.joint_map
        has_rotor = armature > 0
        return Rotors(A[has_rotor], armature[has_rotor], q[has_rotor])

    def impulses(self, state: State, control_state: State, h: float, *, is_first: bool) -> JointSpaceImpulses:
        """Return the impulses over the first or the second half of a step of size h.

        Parameters
        ----------
        state
            Twists of the bodies before the impulses, at these poses.
        control_state
            State at the same poses, at which commands are evaluated.
        """
        model, tree, (q, A), tree_state = self.model, self.model.tree, self.joint_map, self._tree_state(state)
        mass = generalized_mass_matrix(model, q, model.tree.body_kinematics(tree_state).J)
        commands = actuator_commands(
            model, self.control, tree_state.with_velocity(A @ control_state.velocity)
        )
        joint_terms = joint_impulses(model, tree_state, mass, commands, h, is_first=is_first)
        deflection = q - tree.joint_parameter("spring_reference")
        springs = -h / 2 * tree.joint_parameter("stiffness") * deflection
        rows = joint_terms.bounded.rows
        return JointSpaceImpulses(
            A.T @ (joint_terms.constant + springs),
            A.T @ (joint_terms.damping[:, None] * A),
            joint_terms.bounded._replace(rows=rows @ A),
            joint_terms.motor,
            rows,
        )

    def bearings(self, state: State, kinematics: JointKinematics) -> JointBearingUpdate | None:
        """Return the bearings in a velocity update, or None if there are none.

        Parameters
        ----------
        state
            Twists of the bodies before the update, at these poses.
        kinematics
            Kinematics of the joints between the bodies at the poses, in the order of :func:`joint_names`.
        """
        tree, bearings = self.model.tree, self.model.bearings
        if not bearings:
            return None
        tree_state = self._tree_state(state)
        at_state = joint_bearings(tree, tree_state, tree.body_kinematics(tree_state), bearings)
        layout, blocks, names = kinematics.layout, kinematics.row_blocks()[:, 0], joint_names(self.model)
        wrench_maps = []
        for bearing in at_state:
            on_body = np.where((layout.row_joints == names.index(bearing.name))[:, None], blocks, 0.0)
            wrench_maps.append(se3.Ad(bearing_frame(tree, bearing.name)).T @ on_body.T)
        return JointBearingUpdate(at_state, self.joint_map.A, wrench_maps)

    def _tree_state(self, state: State) -> State:
        q, qdot = self.coordinates_and_rates(state.velocity)
        return replace_unchecked(EMPTY_STATE, q=q, qdot=qdot, t=state.t)


def joint_names(model: Model) -> list[str | LoopConstraint]:
    """Return the bodies on joints and the loops, in the order of the joints in maximal coordinates."""
    loops = [each for each in model.constraints if isinstance(each, LoopConstraint)]
    return [*(body.name for body in model.bodies if not body.is_free), *loops]


def joint_space_features(model: Model, control: Control | None) -> tuple[str, ...]:
    """Return the forces and constraints that act in the joint coordinates of a model, such as "bearings"."""
    tree = model.tree
    features = {
        "control": control is not None,
        "actuators": bool(model.actuators),
        "bearings": bool(model.bearings),
        "springs in joints": bool(np.any(tree.joint_parameter("stiffness"))),
        "dampers in joints": bool(np.any(tree.joint_parameter("damping"))),
        "dry friction in joints": bool(np.any(model.joint_friction)),
        "armature": bool(np.any(model.tree.armature)),
    }
    features |= {type(each).__name__: not isinstance(each, LoopConstraint) for each in model.constraints}
    return tuple(name for name, is_present in features.items() if is_present)
