"""Conversion of a model to maximal coordinates: bodies with six coordinates each, joints as constraints."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.dynamics import WORLD, State
from rbnotes.joints import Composite, ExponentialSpherical, JointType, Prismatic
from rbnotes.multibody.joint_kinematics import joint_kinematics
from rbnotes.multibody.maximal import Joint, MaximalModel
from rbnotes.multibody.model import Model, check_no_particles, free_joint_coordinates
from rbnotes.multibody.model_joint_space import joint_map_near, joint_poses_in_parents
from rbnotes.multibody.reduced.loop_joint import LoopConstraint, LoopJoint
from rbnotes.multibody.reduced.tree import Tree
from rbnotes.unchecked import se3
from rbnotes.unchecked.linear_algebra import matvec


class TreeCoordinates(NamedTuple):
    """Coordinates and velocities of the tree of a model.

    Attributes
    ----------
    q
        Coordinates ``(..., k)``, rad and m.
    qdot
        Velocities ``(..., k)``, rad/s and m/s.
    """

    q: Array
    qdot: Array


@dataclass(frozen=True, eq=False)
class MaximalCoordinates:
    """Equivalent model in maximal coordinates, with the conversion of states both ways.

    :func:`maximal_coordinates` makes it.

    Attributes
    ----------
    model
        Model in joint coordinates.
    maximal_model
        Bodies in the order of the model, the joints between them, and the colliders.
    """

    model: Model
    maximal_model: MaximalModel

    def maximal_state(self, state: State) -> State:
        """Return the poses and twists of all bodies at a state of the model.

        Raises
        ------
        InvalidArgument
            If ``state`` does not fit the model.
        """
        return self.model.body_state(state)

    def model_state(self, state: State, *, near: State | None = None) -> State:
        """Return the state of the model at poses and twists of all bodies that satisfy the joints.

        Parameters
        ----------
        near
            State of the model at an earlier time, within half a turn of each joint. The coordinates continue
            those of this state: angles count turns, and curves and surfaces have the nearby point. By default
            angles are within one turn.

        Raises
        ------
        InvalidArgument
            If ``state`` does not have the bodies of the model, its poses violate a joint by more than
            1e-6 rad or m, or ``near`` does not fit the model.
        """
        arguments.require_instance("state", state, State)
        bodies = self.model.bodies
        if len(state.E) != len(bodies) or state.size != 6 * len(bodies):
            raise InvalidArgument(
                "state", f"{len(state.E)} poses", f"poses and twists of {len(bodies)} bodies"
            )
        joints = self.maximal_model.joints
        if joints:
            error = float(np.max(np.abs(joint_kinematics(joints, state.E).constraint_error()), initial=0.0))
            if error > 1e-6:
                raise InvalidArgument(
                    "state", f"joint errors of {error:.3g}", "poses that satisfy the joints"
                )
        if near is None:
            q, qdot = tree_coordinates(self.model, state.E, state.phi)
        else:
            q, A = joint_map_near(self.model, state.E, self._tree_coordinates_near(near))
            qdot = A @ state.velocity
        return self.model.state_from_tree(State(q=q, qdot=qdot, t=state.t))

    def _tree_coordinates_near(self, near: State) -> Array:
        arguments.require_instance("near", near, State)
        expected = self.model.state()
        if any(getattr(near, name).shape != getattr(expected, name).shape for name in ("E", "q", "x")):
            raise InvalidArgument("near", "another number of coordinates", "a state of the model")
        result: Array = self.model.tree_state(near).q
        return result


def tree_coordinates(model: Model, E: Array, phi: Array) -> TreeCoordinates:
    """Return coordinates and velocities ``(..., k)`` of a model's tree at poses and twists of all bodies.

    Coordinates are those nearest to the poses; angles are within one turn.
    """
    tree = model.tree
    q = np.zeros((*E.shape[:-3], tree.num_coordinates))
    qdot = np.zeros_like(q)
    free, links_by_joint = list(model.free_body_indices), dict[JointType, list[int]]()
    q[..., model.free_coordinates], qdot[..., model.free_coordinates] = free_joint_coordinates(
        E[..., free, :, :], phi[..., free, :]
    )
    for i, body in enumerate(model.bodies):
        if not body.is_free:
            links_by_joint.setdefault(tree.links[i].joint, []).append(i)
    if not links_by_joint:
        return TreeCoordinates(q, qdot)
    poses = joint_poses_in_parents(tree, E)
    twists = _joint_twists(tree, poses, phi)
    for joint, links in links_by_joint.items():
        placements = np.array([tree.links[i].placement for i in links])
        slices = [tree.coordinate_slices[i] for i in links]
        own = np.array([range(each.start, each.stop) for each in slices], dtype=int)
        q[..., own] = joint.compute_nearest_coordinates(se3.inverse(placements) @ poses[..., links, :, :])
        S = joint.compute_motion_subspace(q[..., own])
        qdot[..., own] = _nearest_rates(S, twists[..., links, :])
    return TreeCoordinates(q, qdot)


def _joint_twists(tree: Tree, poses: Array, phi: Array) -> Array:
    """Return the twists of the joints from those of the bodies, ``(..., n, 6)``.

    `poses` are those of the joint frames in the frames of the parents.
    """
    twists = matvec(se3.Ad(tree.body_frames), phi)
    world: Array = np.zeros((*phi.shape[:-2], 1, 6))  # it comes last, with index -1
    parent_twists = np.concatenate([twists, world], axis=-2)[..., list(tree.parents), :]
    return twists - matvec(se3.Ad_inverse(poses), parent_twists)


def _nearest_rates(S: Array, twists: Array) -> Array:
    """Return the joint velocities ``(..., k)`` whose twists are nearest to given ones ``(..., 6)``."""
    if S.shape[-1] == 1:  # much faster than the general case
        column = S[..., 0]
        rates: Array = np.sum(column * twists, axis=-1) / np.sum(column * column, axis=-1)
        return rates[..., None]
    return matvec(np.linalg.pinv(S), twists)


def maximal_coordinates(model: Model) -> MaximalCoordinates:
    """Return the equivalent model of free bodies whose joints are constraints, and the conversion of states.

    Loop joints become joints, too. So do loop closures: a spherical joint, or one that also slides along the
    axis of the closure.

    Springs, dampers, armature, actuators, friction, bearings, limits and other constraints stay in the
    coordinates of the joints, which are functions of the poses: :mod:`rbnotes.multibody.model_joint_space`.

    Raises
    ------
    InvalidArgument
        If a body has no mass, or is a point without moments of inertia, or the model has particles.
    """
    arguments.require_instance("model", model, Model)
    check_no_particles(model, "none, for maximal coordinates")
    return _convert(model)


@lru_cache(maxsize=16)  # repeated runs of one model also share its packed arrays
def _convert(model: Model) -> MaximalCoordinates:
    """Return the same for a model without particles."""
    tree = model.tree
    joints: list[Joint] = []
    for i, (body, parent) in enumerate(zip(model.bodies, tree.parents, strict=True)):
        if body.spatial_inertia is None:
            raise InvalidArgument(f"body {body.name!r}", "no mass", "a mass, for maximal coordinates")
        if body.shape is None or body.inertia is not None:
            label = f"body {body.name!r}: inertia in maximal coordinates"
            arguments.positive_definite(label, body.spatial_inertia, 6)
        link = tree.links[i]
        if body.is_free:
            continue
        parent_frame = link.placement
        if parent >= 0:
            parent_frame = se3.inverse(tree.body_frames[parent]) @ parent_frame
        joints.append(
            Joint(
                link.joint,
                i,
                se3.inverse(link.body_frame),
                WORLD if parent < 0 else parent,
                parent_frame,
            )
        )
    loops = [each for each in model.constraints if isinstance(each, LoopConstraint)]
    joints += [_joint_of_loop(tree, loop) for loop in loops]
    maximal_model = MaximalModel(
        tree.inertias,
        joints,
        model.gravity,
        model.force_law,
        model.colliders,
        model.excluded_indices,
        [body.name for body in model.bodies],
    )
    return MaximalCoordinates(model, maximal_model)


def _joint_of_loop(tree: Tree, loop: LoopConstraint) -> Joint:
    """Return the joint between two bodies that allows the same motions as a loop joint or a loop closure."""
    body, parent = tree.index(loop.a), WORLD if loop.b is None else tree.index(loop.b)
    if isinstance(loop, LoopJoint):
        return Joint(loop.joint, body, loop.E_a, parent, loop.E_b)
    kind: JointType = ExponentialSpherical()
    if loop.axis is not None:
        axis = tree.body_frames[body][:3, :3].T @ loop.axis
        kind = Composite(kind, Prismatic(axis))
    frame, parent_frame = (se3.frame(np.eye(3), point) for point in (loop.x_a, loop.x_b))
    return Joint(kind, body, frame, parent, parent_frame)
