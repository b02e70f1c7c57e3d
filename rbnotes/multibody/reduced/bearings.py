"""Bearings of a tree's joints and closed loops at one state: their sliding velocities and their reactions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rbnotes.arguments import Array, InvalidArgument
from rbnotes.dynamics import State, StepSolution
from rbnotes.friction import Bearing
from rbnotes.friction.bounded_friction import support_function, support_point
from rbnotes.multibody.reduced.constraints import LoopClosure
from rbnotes.multibody.reduced.jacobian_products import subtree_wrenches
from rbnotes.multibody.reduced.joint_reactions import ConstraintOnBodies
from rbnotes.multibody.reduced.kinematics import BodyKinematics
from rbnotes.multibody.reduced.tree import Tree
from rbnotes.unchecked import se3

Bearings = Mapping[str | LoopClosure, Bearing]
"""Bearings by the name of the link that the joint carries, or by the closure of a loop.

The bearing of a link is in the frame of its joint that moves with the body. The bearing of a closure is in
the same frame of its body a, moved to the point ``x_a``.
"""

NORMAL_VELOCITY_TOLERANCE = 1e-9
"""Largest normal velocity in a bearing per joint velocity, relative to the largest sliding one."""

SLIDING_ROUNDING = 1e-12
"""Part of the largest sliding velocity below which a velocity is zero: box friction would follow its sign."""


@dataclass(frozen=True, eq=False)
class JointBearing:
    """Bearing with the motion that its joint allows.

    Attributes
    ----------
    name
        Link that the joint carries, or the closure, as in :data:`Bearings`.
    bearing
        Contact points and their friction.
    S
        Motion subspace ``(6, k)``: the allowed relative twists, in the frame of the bearing.
    joint_velocity_map
        Matrix ``(k, N)`` from velocities of the tree to those that multiply S, in their units.
    relative_twist_map
        Matrix ``(6, 6 n)`` from twists of all bodies to the relative twist, for a closure; else empty.
    """

    name: str | LoopClosure
    bearing: Bearing
    S: Array
    joint_velocity_map: Array
    relative_twist_map: Array

    @cached_property
    def sliding_jacobian(self) -> Array:
        """Sliding velocities ``(c, 2, k)`` of the contacts per joint velocity, without rounding."""
        result: Array = self.bearing.tangent_jacobian @ self.S
        return np.where(np.abs(result) > SLIDING_ROUNDING * np.max(np.abs(result)), result, 0.0)

    @property
    def has_single_motion(self) -> bool:
        """True if there is only one motion: then friction is one force for every cone."""
        return bool(self.S.shape[1] == 1)

    @property
    def contact_rows(self) -> Array:
        """Contacts ``(m, 3, N)`` of a step problem, with prescribed normal impulses.

        A joint with one motion is one contact, along which the generalized friction acts.
        """
        sliding_rows = np.zeros((1, 2, 1)) if self.has_single_motion else self.sliding_jacobian
        if self.has_single_motion:
            sliding_rows[0, 0, 0] = 1.0
        rows = np.zeros((len(sliding_rows), 3, self.joint_velocity_map.shape[1]))
        rows[:, 1:] = sliding_rows @ self.joint_velocity_map
        return rows

    def friction_limits(self, multipliers: Array, cone: str, facets: int) -> Array:
        """Return the bounds ``(m,)`` of friction at these contacts for multipliers ``(c,)`` of any sign."""
        contact_limits: Array = self.bearing.mu * np.abs(multipliers)
        if not self.has_single_motion:
            return contact_limits
        return np.array([contact_limits @ support_function(self.sliding_jacobian[..., 0], cone, facets)])

    def distribute_friction(self, impulses: Array, multipliers: Array, cone: str, facets: int) -> Array:
        """Return the friction ``(c, 2)`` of the bearing's contacts from that of its rows ``(m, 2)``.

        With one motion, all contacts use the same part of their bounds.
        """
        if not self.has_single_motion:
            return impulses
        limit = self.friction_limits(multipliers, cone, facets)[0]
        used_share = impulses[0, 0] / limit if limit > 0 else 0.0
        contact_limits = self.bearing.mu * np.abs(multipliers)
        result: Array = (
            used_share * contact_limits[:, None] * support_point(self.sliding_jacobian[..., 0], cone, facets)
        )
        return result

    def combine_friction(self, contact_friction: Array) -> Array:
        """Invert :meth:`distribute_friction`."""
        if not self.has_single_motion:
            return contact_friction
        return np.array([[np.sum(self.sliding_jacobian[..., 0] * contact_friction), 0.0]])

    def friction_wrench(self, contact_friction: Array) -> Array:
        """Return the impulsive wrench ``(6,)`` of friction ``(c, 2)`` on the body, in the bearing frame."""
        result: Array = np.einsum("cti,ct->i", self.bearing.tangent_jacobian, contact_friction)
        return result

    def driving_wrench(self, wrench: Array) -> Array:
        """Return the part of a wrench ``(6,)`` that drives the joint's motion, ``S (S^T S)^-1 tau``.

        For a revolute joint it is a pure moment about its axis, for a prismatic joint a force along its axis.
        """
        result: Array = self._wrench_per_joint_force @ (self.S.T @ wrench)
        return result

    def reaction(self, joint_wrench: Array, friction_wrench: Array) -> Array:
        """Return the reaction ``(6,)``: the wrench of a joint without its friction and driving parts.

        Parameters
        ----------
        joint_wrench
            Wrench ``(6,)`` through the joint on the body, in the bearing frame. Its part that drives the
            motion does not matter.
        friction_wrench
            Wrench ``(6,)`` of friction at the contacts.
        """
        without_friction = joint_wrench - friction_wrench
        result: Array = without_friction - self.driving_wrench(without_friction)
        return result

    def motion_rows(self, rate_map: Array) -> Array:
        """Return rows ``(k, 6 n)`` from the twists of all bodies to the velocities that multiply S.

        Parameters
        ----------
        rate_map
            Matrix from the twists to the velocities of the tree ``(N, 6 n)``.
        """
        if isinstance(self.name, LoopClosure):
            return np.linalg.pinv(self.S) @ self.relative_twist_map
        return self.joint_velocity_map @ rate_map

    @cached_property
    def _wrench_per_joint_force(self) -> Array:
        """``S (S^T S)^-1``."""
        result: Array = np.linalg.pinv(self.S).T
        return result


def joint_bearings(
    tree: Tree, state: State, kinematics: BodyKinematics, bearings: Bearings
) -> list[JointBearing]:
    """Return the bearings at a state.

    Raises
    ------
    InvalidArgument
        If a joint does not move, or moves along a normal of its bearing; the message names it.
    """
    result = []
    for name, bearing in bearings.items():
        if isinstance(name, LoopClosure):
            S = np.eye(6)[:, :3] if name.axis is None else np.append(name.axis, np.zeros(3))[:, None]
            relative_twist_map = _closure_twist_map(tree, kinematics, name)
            J = kinematics.J.reshape(relative_twist_map.shape[1], -1)
            joint_velocity_map = np.zeros((S.shape[1], state.size))
            joint_velocity_map[:, state.v.size :] = np.linalg.pinv(S) @ relative_twist_map @ J
        else:
            i = tree.index(name)
            coordinates = tree.coordinate_slices[i]
            S, relative_twist_map = (
                tree.links[i].joint.compute_motion_subspace(state.q[coordinates]),
                np.zeros((6, 0)),
            )
            joint_velocity_map = np.zeros((S.shape[1], state.size))
            joint_velocity_map[:, state.v.size + coordinates.start : state.v.size + coordinates.stop] = (
                np.eye(S.shape[1])
            )
        argument = f"bearings[{getattr(name, 'a', name)!r}]"
        if not S.shape[1]:
            raise InvalidArgument(argument, "the bearing of a joint that does not move", "a joint that does")
        joint_bearing = JointBearing(name, bearing, S, joint_velocity_map, relative_twist_map)
        normal_velocity = np.max(np.abs(bearing.normal_jacobian @ S))
        if normal_velocity > NORMAL_VELOCITY_TOLERANCE * np.max(np.abs(S)) * max(
            1.0, 1 / bearing.wrench_scale[0]
        ):
            got = f"a normal along which the joint moves, at {normal_velocity:.3g} per unit of its velocity"
            raise InvalidArgument(argument, got, f"normals across the motion{_describe_motion(tree, name)}")
        result.append(joint_bearing)
    return result


def recover_bearing_reactions(
    tree: Tree,
    bearings: Sequence[JointBearing],
    bearing_friction: Sequence[Array],
    body_impulses: Array,
    external_wrenches: Array,
    constraints: Sequence[ConstraintOnBodies],
    solution: StepSolution,
    parent_adjoints: Array,
) -> tuple[Array, list[Array]]:
    """Return the wrenches through all joints ``(n, 6)``, and the reactions ``(6,)`` of bearings.

    The reactions are impulses without friction and without the driving forces along the joints' motions.

    Parameters
    ----------
    bearing_friction
        Friction ``(c, 2)`` at the contacts of each bearing.
    body_impulses
        Impulses ``(6 n,)`` that the motion of the bodies requires.
    external_wrenches
        Impulses ``(6 n,)`` of contacts, and of forces that are not in `body_impulses`.
    constraints, solution
        Constraints on bodies, and the solution with their multipliers.
    parent_adjoints
        Adjoints ``(n, 6, 6)`` from the joint frame of each parent to that of the link.
    """
    n = len(tree.links)
    closure_wrenches: dict[LoopClosure, Array] = {}
    for constraint, rows, own in constraints:
        multipliers = (solution.unilateral if constraint.unilateral else solution.bilateral)[own]
        wrenches = rows.T @ multipliers
        external_wrenches = external_wrenches + wrenches
        if isinstance(constraint, LoopClosure):
            closure_wrenches[constraint] = wrenches.reshape(n, 6)
    friction_wrenches = []
    for bearing, own_friction in zip(bearings, bearing_friction, strict=True):
        friction_wrenches.append(bearing.friction_wrench(own_friction))
        if isinstance(bearing.name, LoopClosure):
            driving = bearing.driving_wrench(friction_wrenches[-1])
            external_wrenches = external_wrenches + bearing.relative_twist_map.T @ driving
    joint_wrenches = subtree_wrenches(
        tree, (body_impulses - external_wrenches).reshape(n, 6), parent_adjoints
    )
    reactions = []
    for bearing, friction_wrench in zip(bearings, friction_wrenches, strict=True):
        if isinstance(bearing.name, LoopClosure):
            total = closure_wrench(tree, bearing.name, closure_wrenches[bearing.name])
            total = total + bearing.driving_wrench(friction_wrench)
        else:
            total = joint_wrenches[tree.index(bearing.name)]
        reactions.append(bearing.reaction(total, friction_wrench))
    return joint_wrenches, reactions


def _describe_motion(tree: Tree, name: str | LoopClosure) -> str:
    """Return the type and the axis of a joint or closure for messages."""
    if isinstance(name, LoopClosure):
        kind, axis = ("hinge", name.axis) if name.axis is not None else ("spherical joint", None)
    else:
        joint = tree.links[tree.index(name)].joint
        kind, axis = f"{joint} joint", getattr(joint, "axis", None)
    about = "" if axis is None else f" with the axis ({', '.join(f'{x:g}' for x in axis)})"
    return f" of its {kind}{about}"


def closure_wrench(tree: Tree, closure: LoopClosure, body_wrenches: Array) -> Array:
    """Return the wrench ``(6,)`` of a closure on its body a in the bearing frame from wrenches ``(n, 6)``."""
    i = tree.index(closure.a)
    result: Array = se3.Ad(bearing_frame(tree, closure)).T @ body_wrenches[i]
    return result


def bearing_frame(tree: Tree, name: str | LoopClosure) -> Array:
    """Return the frame ``(4, 4)`` of a bearing in the frame of its body: see :data:`Bearings`."""
    body = name.a if isinstance(name, LoopClosure) else name
    frame: Array = se3.inverse(tree.body_frames[tree.index(body)])
    if isinstance(name, LoopClosure):
        frame[:3, 3] = name.x_a
    return frame


def _closure_twist_map(tree: Tree, kinematics: BodyKinematics, closure: LoopClosure) -> Array:
    """Return rows ``(6, 6 n)``: twist of body a relative to body b in the frame of the bearing."""
    i = tree.index(closure.a)
    frame = bearing_frame(tree, closure)
    rows = np.zeros((6, 6 * len(kinematics.body_poses)))
    rows[:, 6 * i : 6 * i + 6] = se3.Ad_inverse(frame)
    if closure.b is not None:
        j = tree.index(closure.b)
        relative_frame = np.linalg.solve(kinematics.body_poses[j], kinematics.body_poses[i] @ frame)
        rows[:, 6 * j : 6 * j + 6] = -se3.Ad_inverse(relative_frame)
    return rows
