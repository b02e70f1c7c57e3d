"""Joints between bodies with six coordinates each: which relative twists they forbid (Sueda 1.10).

A joint has a frame in each of its two bodies, the *body* and the *parent* (another body, or the world); in
its zero position the two coincide. The relative twist, body less parent, is written in the joint frame of the
body, and a joint forbids some of its six numbers, angular ones first:

    kind          forbids           leaves
    fixed         0 1 2 3 4 5       nothing
    ball                3 4 5       every rotation
    hinge         0 1   3 4 5       rotation about z
    slider        0 1 2 3 4         translation along z
    cylindrical   0 1   3 4         rotation about z, translation along z
    planar        0 1       5       rotation about z, translation along x and y
    universal           3 4 5 6   rotation about both axes of its cross

The cross of a universal joint has one axis along x of the parent's frame and one along y of the body's. What
it forbids is rotation about their common perpendicular, which stays put in neither frame: no row of the
relative twist, but a combination of rows that depends on the poses. It is counted as number 6.

All functions take the poses of all bodies ``(n, 4, 4)`` and order twists the same way, six for each body.
Multipliers push along the rows: ``M dphi/dt = wrenches + G^T multipliers``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from rbnotes import arguments, se3, so3
from rbnotes.arguments import Array, InvalidArgument

ROWS: dict[str, tuple[int, ...]] = {
    "fixed": (0, 1, 2, 3, 4, 5),
    "ball": (3, 4, 5),
    "hinge": (0, 1, 3, 4, 5),
    "slider": (0, 1, 2, 3, 4),
    "cylindrical": (0, 1, 3, 4),
    "planar": (0, 1, 5),
    "universal": (3, 4, 5, 6),
}
"""Numbers of the relative twist that each kind of joint keeps at zero; 6 is that of the cross."""


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint of one of the kinds of :data:`ROWS`; :func:`hinge` and its like make one.

    Raises
    ------
    InvalidArgument
        If the kind is unknown, a frame is none, or body and parent are the same.
    """

    kind: str
    body: int
    """Index of the body in the system."""
    frame: Any = None
    """Joint frame ``(4, 4)`` in the body; the body's own frame by default."""
    parent: int | None = None
    """Index of the parent; None is the world."""
    parent_frame: Any = None
    """Joint frame ``(4, 4)`` in the parent, or in the world; the parent's own frame by default."""

    def __post_init__(self) -> None:
        arguments.choice("kind", self.kind, tuple(ROWS))
        for name in ("body", "parent"):
            index = getattr(self, name)
            if not (name == "parent" and index is None):
                object.__setattr__(self, name, _index(name, index))
        if self.body == self.parent:
            raise InvalidArgument("parent", f"{self.parent}", "another body than the joint's own")
        for name in ("frame", "parent_frame"):
            given = getattr(self, name)
            checked = arguments.frame(name, np.eye(4) if given is None else given)
            if checked.shape != (4, 4):
                raise InvalidArgument(name, f"shape {checked.shape}", "one frame of shape (4, 4)")
            object.__setattr__(self, name, checked)

    @property
    def rows(self) -> tuple[int, ...]:
        """Numbers of the relative twist that are zero; 6 is that of the cross."""
        return ROWS[self.kind]

    @property
    def count(self) -> int:
        """Number m of its constraints: six less its degrees of freedom."""
        return len(self.rows)

    @cached_property
    def adjoint(self) -> Array:
        """Adjoint ``(6, 6)`` from the body to its joint frame, which never changes."""
        return se3.Ad_inverse(self.frame)

    @property
    def last(self) -> int:
        """The larger one of the indices of its bodies."""
        return self.body if self.parent is None else max(self.body, self.parent)


class Reaction(NamedTuple):
    """What a joint does to the two bodies it connects: wrenches ``(6,)``, each in its body's own frame."""

    on_body: Array
    on_parent: Array
    """In the world's frame, about its origin, if the parent is the world."""


def fixed(body: int, frame: Any = None, parent: int | None = None, parent_frame: Any = None) -> Joint:
    """A joint that holds the body to its parent (Sueda 1.10)."""
    return Joint("fixed", body, frame, parent, parent_frame)


def ball(body: int, frame: Any = None, parent: int | None = None, parent_frame: Any = None) -> Joint:
    """A joint about whose origin the body turns as it likes (Sueda 1.10)."""
    return Joint("ball", body, frame, parent, parent_frame)


def hinge(body: int, frame: Any = None, parent: int | None = None, parent_frame: Any = None) -> Joint:
    """A joint about whose z axis the body turns (Sueda 1.10)."""
    return Joint("hinge", body, frame, parent, parent_frame)


def slider(body: int, frame: Any = None, parent: int | None = None, parent_frame: Any = None) -> Joint:
    """A joint along whose z axis the body slides (Sueda 1.10)."""
    return Joint("slider", body, frame, parent, parent_frame)


def cylindrical(body: int, frame: Any = None, parent: int | None = None, parent_frame: Any = None) -> Joint:
    """A joint along and about whose z axis the body slides and turns (Sueda 1.10)."""
    return Joint("cylindrical", body, frame, parent, parent_frame)


def planar(body: int, frame: Any = None, parent: int | None = None, parent_frame: Any = None) -> Joint:
    """A joint in whose xy plane the body slides and turns (Sueda 1.10)."""
    return Joint("planar", body, frame, parent, parent_frame)


def universal(body: int, frame: Any = None, parent: int | None = None, parent_frame: Any = None) -> Joint:
    """A cross, turning about x of the parent's frame, that carries the body, turning about y of its own."""
    return Joint("universal", body, frame, parent, parent_frame)


def joint_at(kind: str, where: ArrayLike, poses: ArrayLike, body: int, parent: int | None = None) -> Joint:
    """A joint in its zero position at a place of the world, for bodies as they stand.

    Parameters
    ----------
    kind
        One of :data:`ROWS`.
    where : (4, 4)
        Its frame in the world.
    poses : (n, 4, 4)
        Poses of all bodies.
    """
    where, poses = arguments.frame("where", where), _poses(poses)
    body = _index("body", body, len(poses))
    parent = None if parent is None else _index("parent", parent, len(poses))
    of_parent = where if parent is None else se3.inverse(poses[parent]) @ where
    return Joint(kind, body, se3.inverse(poses[body]) @ where, parent, of_parent)


def relative_pose(joint: Joint, poses: ArrayLike) -> Array:
    """Pose ``(4, 4)`` of the body's joint frame in that of the parent; the identity in the zero position."""
    return _Placement((joint,), poses).relative_poses[0]


def relative_twist(joint: Joint, poses: ArrayLike, twists: ArrayLike) -> Array:
    """Twist ``(6,)`` of the body relative to the parent in the body's joint frame (Sueda eq. (1.69)).

    It is the body twist of :func:`relative_pose`.

    Parameters
    ----------
    poses : (n, 4, 4)
    twists : (n, 6)
    """
    own, other = _Placement((joint,), poses).twists(twists)
    return own[0] - other[0]


def joint_rows(joint: Joint, poses: ArrayLike) -> Array:
    """Rows G ``(m, 6 n)`` of one joint: ``G @ twists.ravel()`` is zero (Sueda eq. (1.69)).

    Parameters
    ----------
    poses : (n, 4, 4)
    """
    return joint_matrix((joint,), poses).toarray()


def joint_matrix(joints: Sequence[Joint], poses: ArrayLike) -> sparse.csr_array:
    """Rows of several joints, one below the other, sparse ``(m, 6 n)`` (Sueda eq. (1.70))."""
    placed = _Placement(joints, poses)
    of_body, of_parent = placed.blocks()
    # The world has columns, too: the last ones.
    columns = 6 * np.stack([placed.body, placed.parent], axis=1)[placed.joint, :, None] + np.arange(6)
    values = np.stack([of_body, of_parent], axis=1)
    starts = 12 * np.arange(len(values) + 1)
    G = sparse.csr_array((values.ravel(), columns.ravel(), starts), shape=(len(values), 6 * placed.count + 6))
    return G[:, : 6 * placed.count]


def joint_error(joint: Joint, poses: ArrayLike) -> Array:
    """By how much a joint is apart ``(m,)``, in rad and m; zero where it is together.

    The relative pose is the nearest one that the joint allows, followed by a rotation vector and a
    translation, of which these are the numbers the joint forbids. Along a motion it changes at the rate
    ``joint_rows @ twists`` to first order: exactly where it is zero, and elsewhere up to terms of its own
    size times the relative twist.

    Parameters
    ----------
    poses : (n, 4, 4)
    """
    return joint_errors((joint,), poses)


def joint_errors(joints: Sequence[Joint], poses: ArrayLike) -> Array:
    """Errors of several joints ``(m,)``, in the order of :func:`joint_matrix`."""
    placed = _Placement(joints, poses)
    R, p = placed.relative_poses[:, :3, :3], placed.relative_poses[:, :3, 3]
    allowed = [_nearest_rotation(joint, each) for joint, each in zip(joints, R, strict=True)]
    inverse = np.swapaxes(np.array(allowed).reshape(-1, 3, 3), -1, -2)
    # R is a rotation about x, then one about z by the last number, then one about y.
    across = np.arctan2(-R[:, 0, 1], np.hypot(R[:, 0, 0], R[:, 0, 2]))
    misfits = np.column_stack([so3.log(inverse @ R), np.einsum("kij,kj->ki", inverse, p), across])
    return misfits[placed.joint, placed.row]


def joint_drift(joint: Joint, poses: ArrayLike, twists: ArrayLike) -> Array:
    """``Gdot @ twists.ravel() (m,)``: what the rows make of the motion itself.

    Accelerations that keep the joint together satisfy ``G @ accelerations + drift = 0``.

    Parameters
    ----------
    poses : (n, 4, 4)
    twists : (n, 6)
    """
    return joint_drifts((joint,), poses, twists)


def joint_drifts(joints: Sequence[Joint], poses: ArrayLike, twists: ArrayLike) -> Array:
    """Drifts of several joints ``(m,)``, in the order of :func:`joint_matrix`."""
    placed = _Placement(joints, poses)
    own, other = placed.twists(twists)
    # Seen from the body's joint frame, the parent's twist changes with the motion of both.
    drifts = placed.seven_rows() @ (se3.ad(own) @ other[..., None])
    if placed.has_cross:
        omega = own[:, :3] - other[:, :3]
        turning = np.cross(np.cross(placed.parent_axes, omega), _BODY_AXIS)
        drifts[:, 6, 0] += np.einsum("ki,ki->k", turning, omega)
    return drifts[placed.joint, placed.row, 0]


def reactions(joint: Joint, poses: ArrayLike, multipliers: ArrayLike) -> Reaction:
    """Wrenches with which a joint acts on its body and on its parent, N m and N (Sueda 1.10).

    Impulses, if the multipliers are those of a step. Seen from one place the two are opposite, and together
    they do no work on motions that the joint allows.

    Parameters
    ----------
    poses : (n, 4, 4)
    multipliers : (m,)
        Of this joint, such that ``M dphi/dt = wrenches + G^T multipliers``. (Sueda's lambda is the negative.)
    """
    pushes = arguments.vector("multipliers", multipliers, joint.count)
    of_body, of_parent = _Placement((joint,), poses).blocks()
    return Reaction(pushes @ of_body, pushes @ of_parent)


_BODY_AXIS = np.array([0.0, 1.0, 0.0])


class _Placement:
    """Where k joints are, with the poses of all bodies: frames, adjoints and axes."""

    def __init__(self, joints: Sequence[Joint], poses: ArrayLike) -> None:
        checked = _poses(poses)
        self.count = len(checked)
        self.body = np.array([joint.body for joint in joints], dtype=int)
        parents = [self.count if joint.parent is None else joint.parent for joint in joints]
        self.parent = np.array(parents, dtype=int)
        known = max((joint.last for joint in joints), default=-1)
        if known >= self.count:
            raise InvalidArgument("poses", f"poses of {self.count} bodies", f"at least {known + 1}")
        # One row of G each: which joint it belongs to, and its number there.
        self.joint = np.repeat(np.arange(len(joints)), [joint.count for joint in joints])
        self.row = np.array([row for joint in joints for row in joint.rows], dtype=int)
        self.has_cross = bool(np.any(self.row == 6))

        everything = np.concatenate([checked, np.eye(4)[None]])  # the world comes last
        frames = np.array([joint.frame for joint in joints]).reshape(-1, 4, 4)
        self.parent_frames = np.array([joint.parent_frame for joint in joints]).reshape(-1, 4, 4)
        self.parent_poses = se3.inverse(everything[self.body] @ frames) @ everything[self.parent]
        """Of the parents themselves, in the joint frames of the bodies."""
        self.own_adjoint = np.array([joint.adjoint for joint in joints]).reshape(-1, 6, 6)

    @cached_property
    def parent_adjoint(self) -> Array:
        return se3.Ad(self.parent_poses)

    @cached_property
    def relative_poses(self) -> Array:
        return se3.inverse(self.parent_poses @ self.parent_frames)

    @cached_property
    def parent_axes(self) -> Array:
        """The axis of a cross that is fixed in the parent, in the joint frame of the body."""
        return (self.parent_poses @ self.parent_frames)[:, :3, 0]

    def twists(self, twists: ArrayLike) -> tuple[Array, Array]:
        """Those of the bodies and those of the parents, both in the joint frame of the body."""
        checked = arguments.twist("twists", twists)
        if checked.shape != (self.count, 6):
            raise InvalidArgument("twists", f"shape {checked.shape}", f"shape ({self.count}, 6)")
        everything = np.concatenate([checked, np.zeros((1, 6))])
        own = np.einsum("kij,kj->ki", self.own_adjoint, everything[self.body])
        return own, np.einsum("kij,kj->ki", self.parent_adjoint, everything[self.parent])

    def seven_rows(self) -> Array:
        """Matrices ``(k, 7, 6)``: the numbers of a relative twist, and that of a cross."""
        rows = np.zeros((len(self.body), 7, 6))
        rows[:, :6] = np.eye(6)
        if self.has_cross:
            rows[:, 6, :3] = np.cross(self.parent_axes, _BODY_AXIS)
        return rows

    def blocks(self) -> tuple[Array, Array]:
        """Rows ``(m, 6)`` times the twist of the body, and times that of the parent."""
        rows = self.seven_rows()
        of_body, of_parent = rows @ self.own_adjoint, -rows @ self.parent_adjoint
        return of_body[self.joint, self.row], of_parent[self.joint, self.row]


def _nearest_rotation(joint: Joint, R: Array) -> Array:
    """The rotation ``(3, 3)`` nearest to R that the joint allows; all of them, if it has a centre."""
    if joint.kind in ("ball", "universal"):
        return R
    if 2 in joint.rows:
        return np.eye(3)
    c, s = R[0, 0] + R[1, 1], R[1, 0] - R[0, 1]
    size = np.hypot(c, s)
    if size == 0:  # half a turn about a perpendicular axis: all rotations about z are equally far
        return np.eye(3)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, size]]) / size


def _poses(poses: ArrayLike) -> Array:
    checked = arguments.frame("poses", poses)
    if checked.ndim != 3:
        raise InvalidArgument("poses", f"shape {checked.shape}", "one pose for each body, shape (n, 4, 4)")
    return checked


def _index(name: str, index: Any, count: int | None = None) -> int:
    if isinstance(index, bool) or not isinstance(index, (int, np.integer)) or index < 0:
        raise InvalidArgument(name, repr(index), "the index of a body")
    if count is not None and index >= count:
        raise InvalidArgument(name, str(index), f"the index of one of {count} bodies")
    return int(index)
