"""Constraints on a tree: closed loops, gears, prescribed motion, limits, attached particles (Sueda 2.8, 2.9).

Steps satisfy ``G v+ = -bias_velocity - gamma g``, accelerations the same with two derivatives (Baumgarte;
Sueda 1.12): the caller chooses the part of the error that a step removes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, ArrayField, InvalidArgument
from rbnotes.dynamics import State
from rbnotes.joints import ExponentialSpherical
from rbnotes.multibody.reduced.constraint_protocol import (
    BodyConstraint,
    BodyConstraintRows,
    ConstraintRows,
    KinematicState,
    body_point_kinematics,
    check_link_names,
    check_rows_arguments,
)
from rbnotes.multibody.reduced.tree import Tree
from rbnotes.unchecked import so3
from rbnotes.unchecked.frozen import set_fields
from rbnotes.unchecked.linear_algebra import cross

JointMotion = Callable[[float], tuple[ArrayLike, ArrayLike, ArrayLike]]
"""Coordinates, velocities and accelerations ``(k,)`` of a joint at a time."""

BodyMotion = Callable[[float, Array, Array], tuple[ArrayLike, ArrayLike]]
"""Body twist ``(6,)`` and its rate at a time, for the body's pose ``(4, 4)`` and twist ``(6,)``.

For motions given in world coordinates: ``v = R^T v_world`` and ``dv/dt = R^T a_world - w x v``.
"""


@dataclass(frozen=True, eq=False)
class LoopClosure(BodyConstraint):
    """Coincidence of a point of one body with a point of another.

    If the joint of the first body is a revolute joint with the axis of the closing joint, only two directions
    are constrained: a third row would repeat the rows of the other joints and make the system singular (Sueda
    eqs. (2.94), (2.95)). The two directions turn with the first body; rows and bias account for that (eq.
    (2.97) does not).

    Attributes
    ----------
    a
        Name of the first body's link.
    x_a
        Point ``(3,)`` in the frame of body a, m.
    b
        Name of the second body's link; None is the world.
    x_b
        Point ``(3,)`` in the frame of body b, m.
    axis
        Unit vector ``(3,)`` of the closing revolute joint in the joint frame of body a, without a row along
        it. None: the point is held in all directions, as by a spherical joint.
    axis_follows_body
        True if the directions across the axis turn with body a. If False, they are constant at each state, as
        in the rows of Sueda eqs. (2.95), (2.97): equivalent while the loop is closed and nothing slides along
        the axis.

    Raises
    ------
    InvalidArgument
        If the bodies are the same.
    """

    a: str
    x_a: ArrayField
    b: str | None
    x_b: ArrayField
    axis: ArrayField = None
    axis_follows_body: bool = True

    unilateral = False

    def __post_init__(self) -> None:
        check_link_names(self, "a", *(() if self.b is None else ("b",)))
        if self.a == self.b:
            raise InvalidArgument("b", repr(self.b), "another body than a")
        for name in ("x_a", "x_b"):
            set_fields(self, **{name: arguments.single_vector(name, getattr(self, name))})
        if self.axis is not None:
            axis = arguments.with_ndim("axis", arguments.unit_vector("axis", self.axis), 1)
            set_fields(self, axis=axis)

    def body_rows(self, tree: Tree, kinematics: KinematicState, state: State, t: float) -> BodyConstraintRows:
        """Return the rows on body twists that keep the two points together."""
        first, second = (
            body_point_kinematics(tree, kinematics, *point)
            for point in ((self.a, self.x_a), (self.b, self.x_b))
        )
        gap, bias = first.position - second.position, first.bias_acceleration - second.bias_acceleration
        blocks = {**first.body_blocks, **{i: -block for i, block in second.body_blocks.items()}}
        directions: Array = np.eye(3)
        if self.axis is not None:
            i = tree.index(self.a)
            directions = perpendicular_pair(self.axis) @ kinematics.joint_poses[i, :3, :3].T
        if self.axis is not None and self.axis_follows_body:
            # The gap in the joint frame of a, which turns: with its angular velocity w in the world,
            # d/dt (R^T gap) = R^T (dgap/dt - w x gap).
            R = kinematics.body_poses[i, :3, :3]
            w = R @ kinematics.phi[i, :3]
            speed = np.sum([block @ kinematics.phi[j] for j, block in blocks.items()], axis=0)
            bias = bias - 2 * cross(w, speed) + cross(w, cross(w, gap))
            blocks[i] = blocks[i] + so3.hat(gap) @ R @ np.eye(3, 6)
        generalized_rows, zero = np.zeros((len(directions), state.size)), np.zeros(len(directions))
        blocks = {j: directions @ block for j, block in blocks.items()}
        return BodyConstraintRows(blocks, generalized_rows, directions @ gap, zero, directions @ bias)


@dataclass(frozen=True)
class Gear:
    """Gear between two joints: ``ratio q_a = q_b``; equal angles with ratio 1.

    Attributes
    ----------
    a
        Name of the link whose coordinate, rad or m, is multiplied.
    b
        Name of the link whose coordinate, rad or m, is the product.
    ratio
        Coordinate of b per coordinate of a, dimensionless between like ones.

    Raises
    ------
    InvalidArgument
        If ``ratio`` is not a finite number.
    """

    a: str
    b: str
    ratio: float = 1.0

    unilateral = False

    def __post_init__(self) -> None:
        check_link_names(self, "a", "b")
        set_fields(self, ratio=arguments.real_number("ratio", self.ratio))

    def rows(self, tree: Tree, state: State, t: float) -> ConstraintRows:
        """Return the rows of the gear.

        Raises
        ------
        InvalidArgument
            If the tree has no such link, or another argument is invalid.
        """
        check_rows_arguments(tree, state, t)
        first, second = (_velocity_index(tree, name) for name in (self.a, self.b))
        G = np.zeros((1, state.size))
        G[0, first], G[0, second] = self.ratio, -1.0
        offset = state.v.size
        error = self.ratio * state.q[first - offset] - state.q[second - offset]
        return ConstraintRows(G, np.array([error]), np.zeros(1), np.zeros(1))


@dataclass(frozen=True)
class PrescribedJoint:
    """Prescribed motion of a joint (Sueda 2.9).

    Attributes
    ----------
    link
        Name of the link that the joint carries.
    motion
        Function from the time, s, to coordinates ``(k,)``, rad or m, velocities and accelerations.

    Raises
    ------
    InvalidArgument
        If ``motion`` is not a function.
    """

    link: str
    motion: JointMotion

    unilateral = False

    def __post_init__(self) -> None:
        check_link_names(self, "link")
        arguments.require_function("motion", self.motion, "t")

    def rows(self, tree: Tree, state: State, t: float) -> ConstraintRows:
        """Return the rows of the prescribed motion.

        Raises
        ------
        InvalidArgument
            If the tree has no such link, or another argument is invalid.
        """
        check_rows_arguments(tree, state, t)
        coordinates = tree.coordinate_slices[tree.index(self.link)]
        count = coordinates.stop - coordinates.start
        q, qdot, qddot = (_prescribed_value(self.link, value, count) for value in self.motion(t))
        G = np.zeros((count, state.size))
        G[:, state.v.size + coordinates.start : state.v.size + coordinates.stop] = np.eye(count)
        return ConstraintRows(G, state.q[coordinates] - q, -qdot, -qddot)


@dataclass(frozen=True)
class PrescribedBody(BodyConstraint):
    """Prescribed components of a body's twist; its pose is not constrained.

    Attributes
    ----------
    link
        Name of the body's link.
    components
        Indices of the prescribed components of the twist, angular ones first.
    motion
        Function from time, s, pose ``(4, 4)`` and twist ``(6,)`` to the prescribed twist, rad/s and m/s, and
        its rate.

    Raises
    ------
    InvalidArgument
        If ``motion`` is not a function.
    """

    link: str
    components: Sequence[int]
    motion: BodyMotion

    unilateral = False

    def __post_init__(self) -> None:
        check_link_names(self, "link")
        arguments.require_function("motion", self.motion, "t", "E", "phi")
        components = arguments.indices("components", self.components)
        set_fields(self, components=tuple(int(number) for number in components.ravel()))
        if not set(self.components) <= set(range(6)) or len(set(self.components)) < len(self.components):
            raise InvalidArgument("components", repr(self.components), "different indices from 0 to 5")

    def body_rows(self, tree: Tree, kinematics: KinematicState, state: State, t: float) -> BodyConstraintRows:
        """Return the rows that prescribe components of the body's twist at the time t."""
        i, components = tree.index(self.link), list(self.components)
        prescribed = arguments.call_user_function(
            f"motion of {self.link!r}", self.motion, t, kinematics.body_poses[i], kinematics.phi[i]
        )
        twist, rate = (_prescribed_value(self.link, value, 6) for value in prescribed)
        generalized_rows, error = np.zeros((len(components), state.size)), np.zeros(len(components))
        return BodyConstraintRows(
            {i: np.eye(6)[components]}, generalized_rows, error, -twist[components], -rate[components]
        )


@dataclass(frozen=True, eq=False)
class AttachedParticle(BodyConstraint):
    """Attachment of a particle to a point of a body, or of the world (Sueda 2.7).

    Attributes
    ----------
    particle
        Index of the particle among those of the tree.
    link
        Name of the body's link; None is the world.
    x
        Point ``(3,)`` in the body's frame, m.

    Raises
    ------
    InvalidArgument
        If ``particle`` is negative or the shape of ``x`` does not fit.
    """

    particle: int
    link: str | None
    x: ArrayField

    unilateral = False

    def __post_init__(self) -> None:
        arguments.count("particle", self.particle)
        check_link_names(self, *(() if self.link is None else ("link",)))
        set_fields(self, x=arguments.single_vector("x", self.x))

    def body_rows(self, tree: Tree, kinematics: KinematicState, state: State, t: float) -> BodyConstraintRows:
        """Return the rows on body twists and on the velocities of particles and joints, for the time t.

        Raises
        ------
        InvalidArgument
            If the state has no such particle.
        """
        if not 0 <= self.particle < len(state.x):
            raise InvalidArgument("particle", str(self.particle), f"an index below {len(state.x)}")
        point = body_point_kinematics(tree, kinematics, self.link, self.x)
        G = np.zeros((3, state.size))
        G[:, 3 * self.particle : 3 * self.particle + 3] = np.eye(3)
        blocks = {i: -block for i, block in point.body_blocks.items()}
        return BodyConstraintRows(
            blocks, G, state.x[self.particle] - point.position, np.zeros(3), -point.bias_acceleration
        )


@dataclass(frozen=True)
class JointLimit:
    """Bounds of a coordinate; either may be infinite.

    Attributes
    ----------
    link
        Name of the link that the joint carries.
    lower
        Least coordinate, rad or m.
    upper
        Largest coordinate, rad or m.
    coordinate
        Index of the coordinate among those of the joint.

    Raises
    ------
    InvalidArgument
        If ``coordinate`` is negative or the shape of ``lower`` or ``upper`` does not fit.
    """

    link: str
    lower: float = -np.inf
    upper: float = np.inf
    coordinate: int = 0

    unilateral = True

    def __post_init__(self) -> None:
        check_link_names(self, "link")
        arguments.count("coordinate", self.coordinate)
        for name in ("lower", "upper"):
            bound = arguments.with_ndim(name, arguments.extended_real_array(name, getattr(self, name)), 0)
            set_fields(self, **{name: float(bound)})
        if not self.lower < self.upper:
            raise InvalidArgument("lower", f"{self.lower:g}, upper {self.upper:g}", "lower < upper")

    def rows(self, tree: Tree, state: State, t: float) -> ConstraintRows:
        """Return the rows of the finite bounds.

        Raises
        ------
        InvalidArgument
            If the tree has no such link, or another argument is invalid.
        """
        check_rows_arguments(tree, state, t)
        coordinates = tree.coordinate_slices[tree.index(self.link)]
        if not 0 <= self.coordinate < coordinates.stop - coordinates.start:
            raise InvalidArgument("coordinate", str(self.coordinate), f"one of the joint of {self.link!r}")
        q = state.q[coordinates.start + self.coordinate]
        bounds = [(1.0, q - self.lower), (-1.0, self.upper - q)]
        bounds = [(sign, gap) for sign, gap in bounds if np.isfinite(gap)]
        G = np.zeros((len(bounds), state.size))
        G[:, state.v.size + coordinates.start + self.coordinate] = [sign for sign, _ in bounds]
        zero = np.zeros(len(bounds))
        return ConstraintRows(G, np.array([gap for _, gap in bounds]), zero, zero)


@dataclass(frozen=True)
class RotationLimit:
    """Bound of the angle of a spherical joint whose coordinates are a rotation vector.

    Attributes
    ----------
    link
        Name of the link that the joint carries.
    upper
        Largest angle, rad.

    Raises
    ------
    InvalidArgument
        If ``upper`` is not in (0, pi].
    """

    link: str
    upper: float

    unilateral = True

    def __post_init__(self) -> None:
        check_link_names(self, "link")
        upper = arguments.real_number("upper", self.upper, minimum=0.0, maximum=np.pi)
        set_fields(self, upper=arguments.positive_number("upper", upper))

    def rows(self, tree: Tree, state: State, t: float) -> ConstraintRows:
        """Return the row of the bound.

        Raises
        ------
        InvalidArgument
            If the joint of the link has other coordinates, or another argument is invalid.
        """
        check_rows_arguments(tree, state, t)
        index = tree.index(self.link)
        joint, own = tree.links[index].joint, tree.coordinate_slices[index]
        if not isinstance(joint, ExponentialSpherical):
            raise InvalidArgument("link", f"{self.link!r} on {joint!r:.60}", "an ExponentialSpherical joint")
        q, qdot = state.q[own], state.qdot[own]
        angle = float(np.linalg.norm(q))
        # Without a rotation, the axis is that of the motion.
        direction = q if angle > 0 else qdot
        axis = direction / max(float(np.linalg.norm(direction)), np.finfo(float).tiny)
        G = np.zeros((1, state.size))
        G[0, state.v.size + own.start : state.v.size + own.stop] = -axis
        across = qdot - (axis @ qdot) * axis
        bias = -np.array([across @ across / angle if angle > 0 else 0.0])
        return ConstraintRows(G, np.array([self.upper - angle]), np.zeros(1), bias)


@dataclass(frozen=True, eq=False)
class PlaneLimit(BodyConstraint):
    """Frictionless contact of a point of a body with a plane, whose normal points to the allowed side.

    Attributes
    ----------
    link
        Name of the body's link.
    x
        Point ``(3,)`` in the body's frame, m.
    normal
        Unit vector ``(3,)`` in the world, dimensionless.
    offset
        Distance of the plane from the world's origin along the normal, m.

    Raises
    ------
    InvalidArgument
        If ``normal`` is not of unit length, ``offset`` is not a finite number, or the shape of ``x`` does not
        fit.
    """

    link: str
    x: ArrayField
    normal: ArrayField
    offset: float = 0.0

    unilateral = True

    def __post_init__(self) -> None:
        check_link_names(self, "link")
        normal = arguments.with_ndim("normal", arguments.unit_vector("normal", self.normal), 1)
        set_fields(
            self,
            x=arguments.single_vector("x", self.x),
            normal=normal,
            offset=arguments.real_number("offset", self.offset),
        )

    def body_rows(self, tree: Tree, kinematics: KinematicState, state: State, t: float) -> BodyConstraintRows:
        """Return the row on body twists of the point's distance from the plane."""
        point = body_point_kinematics(tree, kinematics, self.link, self.x)
        gap, normal_row = np.array([self.normal @ point.position - self.offset]), self.normal[None]
        blocks = {i: normal_row @ block for i, block in point.body_blocks.items()}
        return BodyConstraintRows(
            blocks, np.zeros((1, state.size)), gap, np.zeros(1), normal_row @ point.bias_acceleration
        )


def perpendicular_pair(axis: ArrayLike) -> Array:
    """Return two orthonormal directions ``(2, 3)`` perpendicular to a unit vector (Sueda eq. (2.94)).

    Raises
    ------
    InvalidArgument
        If ``axis`` is not of unit length.
    """
    axis = arguments.with_ndim("axis", arguments.unit_vector("axis", axis), 1)
    second = cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    second /= np.linalg.norm(second)
    return np.stack([cross(second, axis), second])


def _velocity_index(tree: Tree, name: str) -> int:
    """Return the index of the only velocity of a link's joint."""
    coordinates = tree.coordinate_slices[tree.index(name)]
    if coordinates.stop - coordinates.start != 1:
        raise InvalidArgument(
            "a, b", f"{name!r} with {coordinates.stop - coordinates.start} coordinates", "joints with one"
        )
    return 3 * len(tree.masses) + int(coordinates.start)


def _prescribed_value(link: str, value: ArrayLike, count: int) -> Array:
    """Return the prescribed value of a link: as many numbers as required, or one for all."""
    prescribed = arguments.array(f"motion of {link!r}", value)
    if prescribed.shape not in ((), (count,)):
        raise InvalidArgument(
            f"motion of {link!r}", f"shape {prescribed.shape}", f"a number, or shape ({count},)"
        )
    return np.broadcast_to(prescribed, (count,))
