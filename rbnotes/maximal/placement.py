"""Where joints are: their types between bodies, and all that follows from the poses of these.

:func:`placed` checks poses; a :class:`Placement` and what it gives check nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from rbnotes import _se3, arguments
from rbnotes._frozen import keep
from rbnotes._linear import apply
from rbnotes.arguments import Array, ArrayField, InvalidArgument, Matrix
from rbnotes.dynamics import WORLD
from rbnotes.joints import JointType
from rbnotes.joints._annihilator import annihilator, annihilator_rate, steady_rows, turns
from rbnotes.joints._nearest import misfit, nearest_rates


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint type between two bodies; :func:`~rbnotes.maximal.hinge` and its like make the common ones.

    Raises
    ------
    InvalidArgument
        If the kind is no joint type, ``body`` is no body, ``parent`` is no body or WORLD, or the same as
        ``body``, or ``frame`` or ``parent_frame`` is no pose.
    """

    kind: JointType
    """How the frame of the body may stand in that of the parent."""
    body: int
    """Index of the body in the system."""
    frame: ArrayField = None
    """Joint frame ``(4, 4)`` in the body; the body's own frame by default."""
    parent: int = WORLD
    """Index of the parent, or :data:`~rbnotes.dynamics.WORLD`."""
    parent_frame: ArrayField = None
    """Joint frame ``(4, 4)`` in the parent, or in the world; the parent's own frame by default."""

    def __post_init__(self) -> None:
        if not isinstance(self.kind, JointType):
            raise InvalidArgument("kind", repr(self.kind), "a joint type, such as rbnotes.joints.Revolute()")
        keep(self, body=body_index("body", self.body), parent=parent_index(self.parent))
        if self.body == self.parent:
            raise InvalidArgument("parent", f"{self.parent}", "another body than the joint's own")
        for name in ("frame", "parent_frame"):
            given = getattr(self, name)
            checked = arguments.frame(name, np.eye(4) if given is None else given)
            if checked.shape != (4, 4):
                raise InvalidArgument(name, f"shape {checked.shape}", "one frame of shape (4, 4)")
            keep(self, **{name: checked})

    @property
    def count(self) -> int:
        """Number m of its constraints: six less its degrees of freedom."""
        return 6 - self.kind.freedom

    @cached_property
    def adjoint(self) -> Array:
        """Adjoint ``(6, 6)`` from the body to its joint frame, which never changes."""
        return _se3.Ad_inverse(self.frame)

    @property
    def last(self) -> int:
        """The larger one of the indices of its bodies."""
        return max(self.body, self.parent)


class Group(NamedTuple):
    """Joints of one type: everything about them is computed at once."""

    kind: JointType
    members: Array
    """Their places ``(g,)`` among all joints."""
    rows: Array
    """Places ``(g, m)`` of their rows among all rows."""
    turns: bool
    """Whether the rows change with the relative pose."""


class Layout:
    """What does not change with the poses of k joints, nor with the number of bodies."""

    def __init__(self, joints: tuple[Joint, ...]) -> None:
        self.body = np.array([joint.body for joint in joints], dtype=int)
        self.parent = np.array([joint.parent for joint in joints], dtype=int)
        self.bodies = 1 + max((joint.last for joint in joints), default=-1)
        """Smallest number of bodies that these joints need."""
        self.frames = np.array([joint.frame for joint in joints]).reshape(-1, 4, 4)
        self.parent_frames = np.array([joint.parent_frame for joint in joints]).reshape(-1, 4, 4)
        self.own_adjoint = np.array([joint.adjoint for joint in joints]).reshape(-1, 6, 6)

        counts = np.array([joint.count for joint in joints], dtype=int)
        self.size = int(np.sum(counts))
        self.joint = np.repeat(np.arange(len(joints)), counts)
        """Which joint each row belongs to."""
        starts = np.cumsum(counts) - counts
        members: dict[JointType, list[int]] = {}
        for place, joint in enumerate(joints):
            members.setdefault(joint.kind, []).append(place)
        self.groups = [
            Group(
                kind,
                np.array(places),
                starts[places][:, None] + np.arange(6 - kind.freedom),
                turns(kind),
            )
            for kind, places in members.items()
        ]


_layout = lru_cache(maxsize=64)(Layout)


class Placement:
    """Where k joints are, with the poses of all bodies; rows of several joints stand one below the other."""

    def __init__(self, joints: Sequence[Joint], poses: Array) -> None:
        self.poses = poses
        self.count = len(poses)
        self.layout = _layout(tuple(joints))
        self._coordinates: dict[JointType, Array] = {}

    @cached_property
    def parent_poses(self) -> Array:
        """Of the parents themselves, in the joint frames of the bodies."""
        everything = np.concatenate([self.poses, np.eye(4)[None]])  # the world comes last, as number -1
        layout = self.layout
        result: Array = _se3.inverse(everything[layout.body] @ layout.frames) @ everything[layout.parent]
        return result

    @cached_property
    def parent_adjoint(self) -> Array:
        return _se3.Ad(self.parent_poses)

    @cached_property
    def relative_poses(self) -> Array:
        return _se3.inverse(self.parent_poses @ self.layout.parent_frames)

    def coordinates(self, group: Group) -> Array:
        """Coordinates ``(g, k)`` of the nearest poses that the joints of one type allow."""
        if group.kind not in self._coordinates:
            self._coordinates[group.kind] = group.kind._coordinates_of(self.relative_poses[group.members])
        return self._coordinates[group.kind]

    @cached_property
    def rows(self) -> list[Array]:
        """For each type, rows ``(g, m, 6)`` times a relative twist, or ``(m, 6)`` if they never change."""
        return [
            annihilator(group.kind, self.coordinates(group)) if group.turns else steady_rows(group.kind)
            for group in self.layout.groups
        ]

    def twists(self, twists: Array) -> tuple[Array, Array]:
        """Those of the bodies and those of the parents, both in the joint frame of the body."""
        everything = np.concatenate([twists, np.zeros((1, 6))])
        own = apply(self.layout.own_adjoint, everything[self.layout.body])
        return own, apply(self.parent_adjoint, everything[self.layout.parent])

    def blocks(self) -> Array:
        """Rows ``(m, 2, 6)``: times the twist of the body, and times that of the parent."""
        blocks = np.empty((self.layout.size, 2, 6))
        for group, A in zip(self.layout.groups, self.rows, strict=True):
            blocks[group.rows, 0] = A @ self.layout.own_adjoint[group.members]
            blocks[group.rows, 1] = -A @ self.parent_adjoint[group.members]
        return blocks

    def matrix(self) -> sparse.csr_array:
        """The rows as a sparse matrix ``(m, 6 n)``."""
        values = self.blocks()
        # The world has columns, too: the last ones.
        layout, count = self.layout, self.count
        ends = np.stack([layout.body, np.where(layout.parent == WORLD, count, layout.parent)], axis=1)
        columns = 6 * ends[layout.joint, :, None] + np.arange(6)
        starts = 12 * np.arange(len(values) + 1)
        G = sparse.csr_array((values.ravel(), columns.ravel(), starts), shape=(len(values), 6 * count + 6))
        return G[:, : 6 * count]

    def rows_like(self, mass: Matrix) -> Matrix:
        """The rows ``(m, 6 n)``, sparse if the mass matrix is, else dense: quicker for few bodies."""
        if sparse.issparse(mass):
            return self.matrix()
        layout, count = self.layout, self.count
        G = np.zeros((layout.size, count + 1, 6))  # the world has columns, too: the last ones
        if layout.size:
            values, number = self.blocks(), np.arange(layout.size)
            G[number, layout.body[layout.joint]] = values[:, 0]
            G[number, layout.parent[layout.joint]] = values[:, 1]
        return G[:, :count].reshape(layout.size, 6 * count)

    def errors(self) -> Array:
        """By how much the joints are apart ``(m,)``."""
        errors = np.empty(self.layout.size)
        for group in self.layout.groups:
            q = self.coordinates(group)
            apart = misfit(group.kind._transform(q), self.relative_poses[group.members])
            errors[group.rows] = apply(annihilator(group.kind, q), apart)
        return errors

    def drifts(self, twists: Array) -> Array:
        """What the rows make of the motion itself ``(m,)``."""
        own, other = self.twists(twists)
        # Seen from the body's joint frame, the parent's twist changes with the motion of both.
        seen = apply(_se3.ad(own), other)
        relative = own - other
        drifts = np.empty(self.layout.size)
        for group, A in zip(self.layout.groups, self.rows, strict=True):
            drift = apply(A, seen[group.members])
            if group.turns:
                q, X = self.coordinates(group), self.relative_poses[group.members]
                twist = relative[group.members]
                qdot = nearest_rates(group.kind, q, X, twist)
                drift = drift + apply(annihilator_rate(group.kind, q, qdot), twist)
            drifts[group.rows] = drift
        return drifts


def placed(joints: Sequence[Joint], poses: ArrayLike) -> Placement:
    """Joints at poses ``(n, 4, 4)`` that come from outside."""
    result = Placement(arguments.instances("joints", joints, Joint), checked_poses(poses))
    if result.layout.bodies > result.count:
        expected = f"at least {result.layout.bodies}"
        raise InvalidArgument("poses", f"poses of {result.count} bodies", expected)
    return result


def checked_poses(poses: ArrayLike) -> Array:
    """Poses ``(n, 4, 4)``, one for each body."""
    checked = arguments.frame("poses", poses)
    if checked.ndim != 3:
        raise InvalidArgument("poses", f"shape {checked.shape}", "one pose for each body, shape (n, 4, 4)")
    return checked


def body_index(name: str, index: Any, count: int | None = None) -> int:
    """The index of a body, of one of ``count`` if that is given."""
    if isinstance(index, bool) or not isinstance(index, (int, np.integer)) or index < 0:
        raise InvalidArgument(name, repr(index), f"the index of a body{' or WORLD' * (name == 'parent')}")
    if count is not None and index >= count:
        raise InvalidArgument(name, str(index), f"the index of one of {count} bodies")
    return int(index)


def checked_twists(twists: ArrayLike, count: int) -> Array:
    """Twists ``(n, 6)``, one for each body."""
    checked = arguments.twist("twists", twists)
    if checked.shape != (count, 6):
        raise InvalidArgument("twists", f"shape {checked.shape}", f"shape ({count}, 6)")
    return checked


def parent_index(index: Any, count: int | None = None) -> int:
    """The index of a body, of one of ``count`` if that is given, or ``WORLD``."""
    if not isinstance(index, bool) and isinstance(index, (int, np.integer)) and index == WORLD:
        return WORLD
    return body_index("parent", index, count)
