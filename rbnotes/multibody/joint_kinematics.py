"""Joints between bodies, and their kinematics at given poses of the bodies.

:func:`joint_kinematics` checks poses; a :class:`JointKinematics` checks nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from rbnotes import arguments
from rbnotes.arguments import Array, ArrayField, InvalidArgument, Matrix
from rbnotes.dynamics import WORLD
from rbnotes.joints import JointType
from rbnotes.joints.unchecked_constraint_forces import (
    constant_constraint_rows,
    constraint_force_basis,
    constraint_force_basis_rate,
    has_constant_constraint_rows,
)
from rbnotes.joints.unchecked_nearest_pose import nearest_rates, pose_error
from rbnotes.unchecked import se3
from rbnotes.unchecked.frozen import set_fields
from rbnotes.unchecked.linear_algebra import matvec


@dataclass(frozen=True, eq=False)
class Joint:
    """Joint of a given type between a body and its parent, which is another body or the world.

    Attributes
    ----------
    kind
        Joint type: the poses of the body's joint frame in the parent's that it allows.
    body
        Index of the body in the system.
    frame
        Joint frame ``(4, 4)`` in the body; the body's own frame by default.
    parent
        Index of the parent, or :data:`~rbnotes.dynamics.WORLD`.
    parent_frame
        Joint frame ``(4, 4)`` in the parent, or in the world; the parent's own frame by default.

    Raises
    ------
    InvalidArgument
        If the kind is not a joint type, ``body`` is not a body, ``parent`` is neither another body nor WORLD,
        or ``frame`` or ``parent_frame`` is not a pose.
    """

    kind: JointType
    body: int
    frame: ArrayField = None
    parent: int = WORLD
    parent_frame: ArrayField = None

    def __post_init__(self) -> None:
        if not isinstance(self.kind, JointType):
            got = arguments.format_value(self.kind)
            raise InvalidArgument("kind", got, "a joint type, such as rbnotes.joints.Revolute()")
        set_fields(self, body=check_body_index("body", self.body), parent=check_parent_index(self.parent))
        if self.body == self.parent:
            raise InvalidArgument("parent", f"{self.parent}", "another body than the joint's own")
        for name in ("frame", "parent_frame"):
            value = getattr(self, name)
            checked = arguments.frame(name, np.eye(4) if value is None else value)
            if checked.shape != (4, 4):
                raise InvalidArgument(name, f"shape {checked.shape}", "one frame of shape (4, 4)")
            set_fields(self, **{name: checked})

    @property
    def num_constraints(self) -> int:
        """Number m of constraints: six less the degrees of freedom."""
        return 6 - self.kind.num_dofs

    @cached_property
    def body_to_joint_adjoint(self) -> Array:
        """Adjoint ``(6, 6)`` from the body to its joint frame, which is constant."""
        return se3.Ad_inverse(self.frame)

    @property
    def max_body_index(self) -> int:
        """Larger one of the indices of the bodies."""
        return max(self.body, self.parent)


class JointGroup(NamedTuple):
    """Joints of one type, which are evaluated together.

    Attributes
    ----------
    kind
        Joint type.
    joint_indices
        Indices ``(g,)`` among all joints.
    row_indices
        Indices ``(g, m)`` of their rows among all rows.
    has_varying_rows
        True if the rows change with the relative pose.
    """

    kind: JointType
    joint_indices: Array
    row_indices: Array
    has_varying_rows: bool


class JointLayout:
    """Layout of k joints, which depends neither on poses nor on the number of bodies."""

    def __init__(self, joints: tuple[Joint, ...]) -> None:
        self.body_indices = np.array([joint.body for joint in joints], dtype=int)
        self.parent_indices = np.array([joint.parent for joint in joints], dtype=int)
        self.min_num_bodies = 1 + max((joint.max_body_index for joint in joints), default=-1)
        """Smallest number of bodies that these joints need."""
        self.frames = np.array([joint.frame for joint in joints]).reshape(-1, 4, 4)
        self.parent_frames = np.array([joint.parent_frame for joint in joints]).reshape(-1, 4, 4)
        self.body_to_joint_adjoints = np.array([joint.body_to_joint_adjoint for joint in joints]).reshape(
            -1, 6, 6
        )

        counts = np.array([joint.num_constraints for joint in joints], dtype=int)
        self.num_rows = int(np.sum(counts))
        self.row_joints = np.repeat(np.arange(len(joints)), counts)
        """Joint index of each row."""
        starts = np.cumsum(counts) - counts
        members: dict[JointType, list[int]] = {}
        for index, joint in enumerate(joints):
            members.setdefault(joint.kind, []).append(index)
        self.groups = [
            JointGroup(
                kind,
                np.array(indices),
                starts[indices][:, None] + np.arange(6 - kind.num_dofs),
                not has_constant_constraint_rows(kind),
            )
            for kind, indices in members.items()
        ]


_cached_layout = lru_cache(maxsize=64)(JointLayout)


class JointKinematics:
    """Kinematics of k joints at the poses of all bodies; the rows of the joints are stacked."""

    def __init__(self, joints: Sequence[Joint], poses: Array) -> None:
        self.poses = poses
        self.num_bodies = len(poses)
        self.layout = _cached_layout(tuple(joints))
        self._coordinates: dict[JointType, Array] = {}

    @cached_property
    def parent_poses(self) -> Array:
        """Poses of the parents in the joint frames of the bodies."""
        all_poses = np.concatenate([self.poses, np.eye(4)[None]])  # the world comes last, with index -1
        layout = self.layout
        result: Array = (
            se3.inverse(all_poses[layout.body_indices] @ layout.frames) @ all_poses[layout.parent_indices]
        )
        return result

    @cached_property
    def parent_adjoint(self) -> Array:
        """Adjoints ``(n, 6, 6)`` of the poses of the parents in the joint frames of the bodies."""
        return se3.Ad(self.parent_poses)

    @cached_property
    def relative_poses(self) -> Array:
        """Poses ``(n, 4, 4)`` of the bodies' joint frames in those of the parents."""
        return se3.inverse(self.parent_poses @ self.layout.parent_frames)

    def coordinates(self, group: JointGroup) -> Array:
        """Return the coordinates ``(g, k)`` of the nearest allowed poses of the joints of one type."""
        if group.kind not in self._coordinates:
            self._coordinates[group.kind] = group.kind.compute_nearest_coordinates(
                self.relative_poses[group.joint_indices]
            )
        return self._coordinates[group.kind]

    @cached_property
    def twist_rows(self) -> list[Array]:
        """Rows ``(g, m, 6)`` times a relative twist for each type, or ``(m, 6)`` if they are constant."""
        return [
            constraint_force_basis(group.kind, self.coordinates(group))
            if group.has_varying_rows
            else constant_constraint_rows(group.kind)
            for group in self.layout.groups
        ]

    def joint_frame_twists(self, twists: Array) -> tuple[Array, Array]:
        """Return the twists of the bodies and of the parents, both in the joint frames of the bodies."""
        all_twists = np.concatenate([twists, np.zeros((1, 6))])
        body_twists = matvec(self.layout.body_to_joint_adjoints, all_twists[self.layout.body_indices])
        return body_twists, matvec(self.parent_adjoint, all_twists[self.layout.parent_indices])

    def row_blocks(self) -> Array:
        """Return the rows ``(m, 2, 6)`` for the twist of the body and for that of the parent."""
        blocks = np.empty((self.layout.num_rows, 2, 6))
        for group, A in zip(self.layout.groups, self.twist_rows, strict=True):
            blocks[group.row_indices, 0] = A @ self.layout.body_to_joint_adjoints[group.joint_indices]
            blocks[group.row_indices, 1] = -A @ self.parent_adjoint[group.joint_indices]
        return blocks

    def constraint_jacobian(self) -> sparse.csr_array:
        """Return the Jacobian of the constraints, sparse ``(m, 6 n)``."""
        values = self.row_blocks()
        # The last columns belong to the world.
        layout, count = self.layout, self.num_bodies
        ends = np.stack(
            [layout.body_indices, np.where(layout.parent_indices == WORLD, count, layout.parent_indices)],
            axis=1,
        )
        columns = 6 * ends[layout.row_joints, :, None] + np.arange(6)
        starts = 12 * np.arange(len(values) + 1)
        G = sparse.csr_array((values.ravel(), columns.ravel(), starts), shape=(len(values), 6 * count + 6))
        return G[:, : 6 * count]

    def constraint_jacobian_like(self, mass: Matrix) -> Matrix:
        """Return the Jacobian ``(m, 6 n)``, sparse if the mass matrix is, else dense."""
        if sparse.issparse(mass):
            return self.constraint_jacobian()
        layout, count = self.layout, self.num_bodies
        G = np.zeros((layout.num_rows, count + 1, 6))  # the last columns belong to the world
        if layout.num_rows:
            values, number = self.row_blocks(), np.arange(layout.num_rows)
            G[number, layout.body_indices[layout.row_joints]] = values[:, 0]
            G[number, layout.parent_indices[layout.row_joints]] = values[:, 1]
        return G[:, :count].reshape(layout.num_rows, 6 * count)

    def constraint_error(self) -> Array:
        """Return the errors of the constraints ``(m,)``."""
        errors = np.empty(self.layout.num_rows)
        for group in self.layout.groups:
            q = self.coordinates(group)
            relative_error = pose_error(
                group.kind.compute_transform(q), self.relative_poses[group.joint_indices]
            )
            errors[group.row_indices] = matvec(constraint_force_basis(group.kind, q), relative_error)
        return errors

    def constraint_bias_acceleration(self, twists: Array) -> Array:
        """Return the bias accelerations ``Gdot phi (m,)`` of the rows."""
        body_twists, parent_twists = self.joint_frame_twists(twists)
        # In the body's joint frame, the parent's twist changes with the motion of both bodies.
        parent_rates = matvec(se3.ad(body_twists), parent_twists)
        relative = body_twists - parent_twists
        biases = np.empty(self.layout.num_rows)
        for group, A in zip(self.layout.groups, self.twist_rows, strict=True):
            bias = matvec(A, parent_rates[group.joint_indices])
            if group.has_varying_rows:
                q, X = self.coordinates(group), self.relative_poses[group.joint_indices]
                twist = relative[group.joint_indices]
                qdot = nearest_rates(group.kind, q, X, twist)
                bias = bias + matvec(constraint_force_basis_rate(group.kind, q, qdot), twist)
            biases[group.row_indices] = bias
        return biases


def joint_kinematics(joints: Sequence[Joint], poses: ArrayLike) -> JointKinematics:
    """Return the kinematics of joints at poses ``(n, 4, 4)``, which are checked."""
    result = JointKinematics(arguments.instances("joints", joints, Joint), check_poses(poses))
    if result.layout.min_num_bodies > result.num_bodies:
        expected = f"at least {result.layout.min_num_bodies}"
        raise InvalidArgument("poses", f"poses of {result.num_bodies} bodies", expected)
    return result


def check_poses(poses: ArrayLike) -> Array:
    """Return checked poses ``(n, 4, 4)``, one for each body."""
    checked = arguments.frame("poses", poses)
    if checked.ndim != 3:
        raise InvalidArgument("poses", f"shape {checked.shape}", "one pose for each body, shape (n, 4, 4)")
    return checked


def check_body_index(name: str, index: Any, count: int | None = None) -> int:
    """Return the index of a body, checked against ``count`` bodies if that is given."""
    if isinstance(index, bool) or not isinstance(index, (int, np.integer)) or index < 0:
        expected = f"the index of a body{' or WORLD' * (name == 'parent')}"
        raise InvalidArgument(name, arguments.format_value(index), expected)
    if count is not None and index >= count:
        raise InvalidArgument(name, str(index), f"the index of one of {count} bodies")
    return int(index)


def check_twists(twists: ArrayLike, count: int) -> Array:
    """Return checked twists ``(n, 6)``, one for each body."""
    checked = arguments.twist("twists", twists)
    if checked.shape != (count, 6):
        raise InvalidArgument("twists", f"shape {checked.shape}", f"shape ({count}, 6)")
    return checked


def check_parent_index(index: Any, count: int | None = None) -> int:
    """Return the index of a body, checked against ``count`` if that is given, or ``WORLD``."""
    if not isinstance(index, bool) and isinstance(index, (int, np.integer)) and index == WORLD:
        return WORLD
    return check_body_index("parent", index, count)
