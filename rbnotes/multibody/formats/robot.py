"""Robot: a tree with names of joints, their limits, frames and visuals from a robot file."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.dynamics import zero_forces
from rbnotes.joints import Free3D
from rbnotes.multibody.actuators import Actuator
from rbnotes.multibody.body import Body, Geometry, ground_geometries
from rbnotes.multibody.model import Model
from rbnotes.multibody.reduced.constraint_protocol import Constraint
from rbnotes.multibody.reduced.constraints import Gear, JointLimit
from rbnotes.multibody.reduced.hyper_reduction import JointCoordinates, linear_coordinates
from rbnotes.multibody.reduced.link import Link
from rbnotes.multibody.reduced.tree import Tree
from rbnotes.shapes import Shape
from rbnotes.unchecked import se3
from rbnotes.unchecked.frozen import set_fields


class Mimic(NamedTuple):
    """Coupling of a joint to another: its only coordinate is ``multiplier * q + offset``.

    Attributes
    ----------
    joint
        Name of the joint with the coordinate q.
    multiplier
        Ratio of the coordinates, dimensionless, rad/m or m/rad.
    offset
        Coordinate at ``q = 0``, rad or m.
    """

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class RobotJoint:
    """Properties of a joint in a file besides its motion; bounds are of its only coordinate, rad or m.

    Attributes
    ----------
    name
        Name of the joint in the file.
    link
        Link of the tree that the joint carries.
    lower
        Least coordinate, rad or m.
    upper
        Largest coordinate, rad or m.
    effort
        Largest force of its motor, N m or N.
    velocity
        Largest speed, rad/s or m/s.
    friction
        Dry friction, N m or N: that of the joint in a :class:`~rbnotes.multibody.Model`; trees have none.
    mimic
        Coupling to another joint; None if the joint moves independently.

    Raises
    ------
    InvalidArgument
        If a bound is NaN, or the lower one exceeds the upper one; the message names the joint.
    """

    name: str
    link: str
    lower: float = -np.inf
    upper: float = np.inf
    effort: float = np.inf
    velocity: float = np.inf
    friction: float = 0.0
    mimic: Mimic | None = None

    def __post_init__(self) -> None:
        if not self.lower <= self.upper:
            got = f"lower {self.lower:g}, upper {self.upper:g}"
            raise InvalidArgument(f"joint {self.name!r}: limit", got, "lower <= upper")
        for name in ("effort", "velocity", "friction"):
            if not getattr(self, name) >= 0:
                got = f"{getattr(self, name):g}"
                raise InvalidArgument(f"joint {self.name!r}: {name}", got, "a number that is not negative")


class Frame(NamedTuple):
    """Frame with a pose ``(4, 4)`` in the joint frame of a link of the tree.

    Attributes
    ----------
    link
        Link of the frame; None is the world.
    pose
        Pose ``(4, 4)`` in the joint frame of the link, m.
    """

    link: str | None
    pose: Array


class LinkGeometry(NamedTuple):
    """Shape at a pose ``(4, 4)`` in the joint frame of a link of the tree, to draw or for collisions.

    Attributes
    ----------
    link
        Link of the solid; None is the world.
    pose
        Pose ``(4, 4)`` in the joint frame of the link, m.
    solid
        Shape to draw or to collide.
    """

    link: str | None
    pose: Array
    solid: Shape


def unique_name(name: str, used_names: Collection[str]) -> str:
    """Return the name, with as many underscores appended as needed to make it unique."""
    while name in used_names:
        name += "_"
    return name


@dataclass(frozen=True, eq=False)
class Robot:
    """Tree with the names of its joints, their limits, other frames and visuals.

    Attributes
    ----------
    tree
        Links and their joints, without particles, applied forces and armature.
    name
        Name of the robot.
    joints
        Properties of joints, given as a sequence, stored as a mapping by their names.
    frames
        Frames by the names of the file's links, including those welded to others or to the world.
    visuals
        Solids to draw, each fixed to a link.
    collisions
        Solids for collisions, each fixed to a link.
    unsupported_collisions
        Collision geometries of the file that are not solids of this package, such as meshes of other formats:
        one phrase each, which starts with the link.
    repairs
        Changes that made the robot valid, one sentence each.
    excluded_pairs
        Names of links of the tree that do not touch each other; ``"world"`` for the world. Links that a joint
        connects never touch.
    group_states
        Named configurations: coordinates of joints, rad or m, by names of states and of the links that the
        joints carry, as for :meth:`~rbnotes.multibody.Model.state`.

    Raises
    ------
    InvalidArgument
        If two joints have one name or carry one link, a joint's link or the joint that it mimics is missing,
        one of these two has not exactly one coordinate, or joints mimic each other in a cycle; the message
        names the joint. If a pair or a state names a link that the tree does not have. If the tree has
        particles, applied forces or armature.
    """

    tree: Tree
    name: str = "robot"
    joints: Any = ()
    frames: Mapping[str, Frame] = field(default_factory=dict)
    visuals: Sequence[LinkGeometry] = ()
    collisions: Sequence[LinkGeometry] = ()
    unsupported_collisions: Sequence[str] = ()
    repairs: Sequence[str] = ()
    excluded_pairs: Sequence[tuple[str, str]] = ()
    group_states: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        arguments.require_instance("tree", self.tree, Tree)
        _refuse_forces(self.tree)
        by_name: dict[str, RobotJoint] = {}
        links: set[str] = set()
        joints = self.joints.values() if isinstance(self.joints, Mapping) else self.joints
        for joint in joints:
            coordinates = self.tree.coordinate_slices[self.tree.index(joint.link)]
            if joint.name in by_name or joint.link in links:
                raise InvalidArgument("joints", f"two for {joint.name!r} or {joint.link!r}", "one for each")
            needs_one_coordinate = (
                joint.mimic is not None or np.isfinite(joint.lower) or np.isfinite(joint.upper)
            )
            if needs_one_coordinate and coordinates.stop - coordinates.start != 1:
                got = f"{coordinates.stop - coordinates.start} coordinates"
                raise InvalidArgument(f"joint {joint.name!r}", got, "one, which is bounded or mimics")
            by_name[joint.name] = joint
            links.add(joint.link)
        set_fields(self, joints=MappingProxyType(by_name))
        for name in by_name:
            self._resolve_mimic(name)
        self._check_pairs_and_states()

    def _check_pairs_and_states(self) -> None:
        """Check that excluded pairs and named states belong to links of the tree."""
        pairs = arguments.instances("excluded_pairs", self.excluded_pairs, tuple, list)
        names = [*(link.name for link in self.tree.links), "world"]
        for pair in pairs:
            if len(pair) != 2 or not all(name in names for name in pair):
                raise InvalidArgument("excluded_pairs", repr(pair), "pairs of " + ", ".join(map(repr, names)))
        set_fields(self, excluded_pairs=tuple((a, b) for a, b in pairs))
        arguments.require_instance("group_states", self.group_states, Mapping)
        for name, values in self.group_states.items():
            try:
                self.tree.coordinates(values)
            except InvalidArgument as error:
                label = f"group_states[{name!r}]: {error.name}"
                raise InvalidArgument(label, error.got, error.expected) from None

    def __repr__(self) -> str:
        return f"<Robot {self.name!r}: {len(self.tree.links)} links, {self.tree.num_coordinates} coordinates>"

    def __reduce__(self) -> tuple[Any, ...]:
        joints = tuple(self.joints.values())  # a read-only mapping cannot be pickled
        solids = (self.visuals, self.collisions, self.unsupported_collisions)
        semantics = (self.excluded_pairs, self.group_states)
        return Robot, (self.tree, self.name, joints, self.frames, *solids, self.repairs, *semantics)

    @property
    def limits(self) -> tuple[JointLimit, ...]:
        """Return the joints' limits as constraints of a tree.

        Raises
        ------
        InvalidArgument
            If both bounds of a joint are the same, so that it does not move.
        """
        joint_limits = []
        for joint in self.joints.values():
            if joint.lower == joint.upper:
                raise InvalidArgument(f"joint {joint.name!r}: limit", f"{joint.lower:g} twice", "a range")
            if np.isfinite(joint.lower) or np.isfinite(joint.upper):
                joint_limits.append(JointLimit(joint.link, joint.lower, joint.upper))
        return tuple(joint_limits)

    def model(
        self,
        *,
        ground: Shape | Sequence[Geometry] = (),
        mu: float = 0.5,
        restitution: float = 0.0,
        collisions: bool = True,
        actuators: Sequence[Actuator] = (),
    ) -> Model:
        """Return the robot as a model, with limits, friction and mimics of joints, and collision geometry.

        The bodies have the names of the links. Links that a joint connects do not touch, nor do those of
        :attr:`excluded_pairs`; all others can. A first link on a :class:`~rbnotes.joints.Free3D` joint
        becomes a free body.

        Parameters
        ----------
        ground
            Fixed shape, or geometries, as for :class:`~rbnotes.multibody.Model`.
        mu, restitution
            Coefficients of friction and restitution of all contacts, dimensionless.
        collisions
            If False, nothing touches the robot: for files with geometry that has no contacts.
        actuators
            Motors and servos on the joints, by the names of the links that they carry.

        Raises
        ------
        InvalidArgument
            If a collision geometry is not supported, such as a mesh, or a mimic joint has an offset; the
            message names the link or joint. If links do not touch the first one, which is fixed to the world,
            and there is a ground, which they would not touch either.
        """
        constraints: list[Constraint] = list(self.limits)
        for joint in self.joints.values():
            if joint.mimic is not None:
                leader, multiplier, offset = self._resolve_mimic(joint.name)
                if offset:
                    raise InvalidArgument(f"joint {joint.name!r}: mimic", f"an offset of {offset:g}", "zero")
                constraints.append(Gear(leader.link, joint.link, multiplier))
        if collisions and self.unsupported_collisions:
            raise InvalidArgument(
                self.unsupported_collisions[0],
                "no solid of this package",
                "collisions=False, or another shape",
            )
        excluded_pairs = self.excluded_pairs if collisions else ()
        fixed_pairs = [pair for pair in excluded_pairs if "world" in pair]
        if fixed_pairs and ground_geometries(ground):
            got = f"a shape that the excluded pair {fixed_pairs[0]!r} does not touch"
            raise InvalidArgument("ground", got, "none, or a robot with base=joints.Fixed()")
        placed: list[LinkGeometry] = list(self.collisions) if collisions else []
        return Model(
            [self._body(link, placed) for link in self.tree.links],
            ground=[
                *ground_geometries(ground),
                *(Geometry(each.solid, each.pose) for each in placed if each.link is None),
            ],
            mu=mu,
            restitution=restitution,
            gravity=self.tree.gravity,
            constraints=constraints,
            actuators=actuators,
            excluded_pairs=excluded_pairs,
        )

    def _body(self, link: Link, placed: Sequence[LinkGeometry]) -> Body:
        """Return a link as a body."""
        is_free = isinstance(link.joint, Free3D) and link.parent is None
        geometries = []
        for each in placed:
            if each.link == link.name:
                geometries.append(Geometry(each.solid, se3.inverse(link.body_frame) @ each.pose))
        if is_free:
            return Body(link.name, inertia=link.inertia, pose=link.placement, collision=geometries)
        friction = sum(each.friction for each in self.joints.values() if each.link == link.name)
        return Body.from_link(link, collision=geometries, joint_friction=friction)

    @cached_property
    def coordinates(self) -> JointCoordinates:
        """Map from the coordinates of joints that mimic none to those of all joints, in tree order.

        :func:`~rbnotes.multibody.reduced.reduce_coordinates` takes it.
        """
        J, offset = np.eye(self.tree.num_coordinates), np.zeros(self.tree.num_coordinates)
        dependent = []
        for joint in self.joints.values():
            if joint.mimic is None:
                continue
            leader, multiplier, constant = self._resolve_mimic(joint.name)
            coordinate, leader_coordinate = self._coordinate(joint.link), self._coordinate(leader.link)
            J[coordinate] = multiplier * np.eye(self.tree.num_coordinates)[leader_coordinate]
            offset[coordinate] = constant
            dependent.append(coordinate)
        return linear_coordinates(np.delete(J, dependent, axis=1), offset)

    def joint(self, name: str) -> RobotJoint:
        """Return the joint with this name.

        Raises
        ------
        InvalidArgument
            If there is none.
        """
        arguments.text("name", name)
        if name not in self.joints:
            raise InvalidArgument("name", repr(name), "one of " + ", ".join(map(repr, self.joints)))
        robot_joint: RobotJoint = self.joints[name]
        return robot_joint

    def joint_of_link(self, link: str) -> RobotJoint:
        """Return the properties of the joint that carries a link of the tree.

        A joint without properties has the name of the link, with an underscore appended if it is taken.

        Raises
        ------
        InvalidArgument
            If ``link`` is not one of the names.
        """
        arguments.text("link", link)
        self.tree.index(link)
        return self._joints_by_link[link]

    @cached_property
    def _joints_by_link(self) -> dict[str, RobotJoint]:
        joints_by_link, names = {joint.link: joint for joint in self.joints.values()}, set(self.joints)
        for link in self.tree.links:
            if link.name not in joints_by_link:
                name = unique_name(link.name, names)
                joints_by_link[link.name] = RobotJoint(name, link.name)
                names.add(name)
        return joints_by_link

    def _coordinate(self, link: str) -> int:
        return int(self.tree.coordinate_slices[self.tree.index(link)].start)

    def _resolve_mimic(self, name: str) -> tuple[RobotJoint, float, float]:
        """Return the independent joint that a joint follows, with multiplier and offset."""
        multiplier, offset = 1.0, 0.0
        joint, visited = self.joints[name], [name]
        while joint.mimic is not None:
            leader, ratio, constant = joint.mimic
            label = f"joint {joint.name!r}: mimic"
            multiplier, offset = multiplier * ratio, offset + multiplier * constant
            arguments.real_array(label, [multiplier, offset])
            if leader not in self.joints:
                names = ", ".join(map(repr, self.joints))
                raise InvalidArgument(label, repr(leader), f"a joint that moves: one of {names}")
            if leader in visited:
                raise InvalidArgument(label, " -> ".join([*visited, leader]), "no cycle")
            visited.append(leader)
            joint = self.joints[leader]
        coordinates = self.tree.coordinate_slices[self.tree.index(joint.link)]
        if len(visited) > 1 and coordinates.stop - coordinates.start != 1:
            got = f"{joint.name!r} with {coordinates.stop - coordinates.start} coordinates"
            raise InvalidArgument(f"joint {name!r}: mimic", got, "a joint with one")
        return joint, multiplier, offset


def _refuse_forces(tree: Tree) -> None:
    """Check that a tree has links and gravity alone, which is all that models and files of robots use."""
    parts = {
        "masses": len(tree.masses) > 0,
        "applied_forces": tree.applied_forces is not zero_forces,
        "applied_joint_forces": tree.applied_joint_forces is not None,
        "armature": bool(np.any(tree.armature)),
    }
    for name, is_given in parts.items():
        if is_given:
            raise InvalidArgument(f"tree: {name}", "a value", "a tree of links and gravity alone")
