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
    universal     3 4 5, and the rotation perpendicular to both axes of its cross

The cross of a universal joint has one axis along x of the parent's frame and one along y of the body's. The
rotation it forbids is about their common perpendicular, which stays put in neither frame: its row depends on
the poses and is no row of the relative twist.

All functions take the poses of all bodies ``(n, 4, 4)`` and order twists the same way, six for each body.
Multipliers push along the rows: ``M dphi/dt = wrenches + G^T multipliers``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
    "universal": (3, 4, 5),
}
"""Numbers of the relative twist that each kind of joint keeps at zero; a universal joint has one row more."""


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
        """Numbers of the relative twist that are zero (a universal joint has another row after them)."""
        return ROWS[self.kind]

    @property
    def count(self) -> int:
        """Number m of its constraints: six less its degrees of freedom."""
        return len(self.rows) + (self.kind == "universal")


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
    return _relative_pose(joint, _poses_of((joint,), poses))


def relative_twist(joint: Joint, poses: ArrayLike, twists: ArrayLike) -> Array:
    """Twist ``(6,)`` of the body relative to the parent in the body's joint frame (Sueda eq. (1.69)).

    It is the body twist of :func:`relative_pose`.

    Parameters
    ----------
    poses : (n, 4, 4)
    twists : (n, 6)
    """
    own, other = _joint_twists(joint, *_moving((joint,), poses, twists))
    return own - other


def joint_rows(joint: Joint, poses: ArrayLike) -> Array:
    """Rows G ``(m, 6 n)`` of one joint: ``G @ twists.ravel()`` is zero (Sueda eq. (1.69)).

    Parameters
    ----------
    poses : (n, 4, 4)
    """
    return joint_matrix((joint,), poses).toarray()


def joint_matrix(joints: Sequence[Joint], poses: ArrayLike) -> sparse.csr_array:
    """Rows of several joints, one below the other, sparse ``(m, 6 n)`` (Sueda eq. (1.70))."""
    poses = _poses_of(joints, poses)
    G = sparse.lil_array((sum(joint.count for joint in joints), 6 * len(poses)))
    start = 0
    for joint in joints:
        rows = slice(start, start + joint.count)
        on_body, on_parent = _blocks(joint, poses)
        G[rows, _columns(joint.body)] = on_body
        if joint.parent is not None:
            G[rows, _columns(joint.parent)] = on_parent
        start += joint.count
    return G.tocsr()


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
    return _error(joint, _poses_of((joint,), poses))


def joint_errors(joints: Sequence[Joint], poses: ArrayLike) -> Array:
    """Errors of several joints ``(m,)``, in the order of :func:`joint_matrix`."""
    poses = _poses_of(joints, poses)
    return np.concatenate([np.zeros(0), *(_error(joint, poses) for joint in joints)])


def joint_drift(joint: Joint, poses: ArrayLike, twists: ArrayLike) -> Array:
    """``Gdot @ twists.ravel() (m,)``: what the rows make of the motion itself.

    Accelerations that keep the joint together satisfy ``G @ accelerations + drift = 0``.

    Parameters
    ----------
    poses : (n, 4, 4)
    twists : (n, 6)
    """
    return _drift(joint, *_moving((joint,), poses, twists))


def joint_drifts(joints: Sequence[Joint], poses: ArrayLike, twists: ArrayLike) -> Array:
    """Drifts of several joints ``(m,)``, in the order of :func:`joint_matrix`."""
    poses, twists = _moving(joints, poses, twists)
    return np.concatenate([np.zeros(0), *(_drift(joint, poses, twists) for joint in joints)])


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
    checked = arguments.vector("multipliers", multipliers, joint.count)
    of_body, of_parent = _blocks(joint, _poses_of((joint,), poses))
    return Reaction(checked @ of_body, checked @ of_parent)


_BODY_AXIS = np.array([0.0, 1.0, 0.0])


def _blocks(joint: Joint, poses: Array) -> tuple[Array, Array]:
    """Rows ``(m, 6)`` times the twist of the body and times that of the parent, which may be the world."""
    forbidden = _forbidden(joint, poses)
    return forbidden @ se3.Ad_inverse(joint.frame), -forbidden @ _parent_adjoint(joint, poses)


def _drift(joint: Joint, poses: Array, twists: Array) -> Array:
    own, other = _joint_twists(joint, poses, twists)
    # Seen from the body's joint frame, the parent's twist changes with the motion of both.
    drift = _forbidden(joint, poses) @ (se3.ad(own) @ other)
    if joint.kind == "universal":
        omega = own[:3] - other[:3]
        axis_rate = np.cross(_parent_axis(joint, poses), omega)
        drift[-1] += np.cross(axis_rate, _BODY_AXIS) @ omega
    return drift


def _error(joint: Joint, poses: Array) -> Array:
    X = _relative_pose(joint, poses)
    R, p = X[:3, :3], X[:3, 3]
    if joint.kind in ("ball", "universal"):
        allowed = R
    elif 2 in joint.rows:
        allowed = np.eye(3)
    else:  # the rotation about z that leaves the least
        allowed = so3.exp([0.0, 0.0, np.arctan2(R[1, 0] - R[0, 1], R[0, 0] + R[1, 1])])
    misfit = np.concatenate([so3.log(allowed.T @ R), allowed.T @ p])[list(joint.rows)]
    if joint.kind != "universal":
        return misfit
    # R is a rotation about x, then one about z by this angle, then one about y.
    return np.append(misfit, np.arctan2(-R[0, 1], np.hypot(R[0, 0], R[0, 2])))


def _forbidden(joint: Joint, poses: Array) -> Array:
    """Matrix ``(m, 6)`` that picks what is forbidden out of the relative twist."""
    rows = np.eye(6)[list(joint.rows)]
    if joint.kind != "universal":
        return rows
    perpendicular = np.cross(_parent_axis(joint, poses), _BODY_AXIS)
    return np.vstack([rows, np.append(perpendicular, np.zeros(3))])


def _parent_axis(joint: Joint, poses: Array) -> Array:
    """The axis of a cross that is fixed in the parent, in the joint frame of the body."""
    return _relative_pose(joint, poses)[0, :3]


def _relative_pose(joint: Joint, poses: Array) -> Array:
    return se3.inverse(_parent_pose(joint, poses) @ joint.parent_frame) @ poses[joint.body] @ joint.frame


def _joint_twists(joint: Joint, poses: Array, twists: Array) -> tuple[Array, Array]:
    """Twists of the body and of the parent, both in the body's joint frame."""
    own = se3.Ad_inverse(joint.frame) @ twists[joint.body]
    if joint.parent is None:
        return own, np.zeros(6)
    return own, _parent_adjoint(joint, poses) @ twists[joint.parent]


def _parent_adjoint(joint: Joint, poses: Array) -> Array:
    return se3.Ad(se3.inverse(poses[joint.body] @ joint.frame) @ _parent_pose(joint, poses))


def _parent_pose(joint: Joint, poses: Array) -> Array:
    return np.eye(4) if joint.parent is None else poses[joint.parent]


def _columns(body: int) -> slice:
    return slice(6 * body, 6 * body + 6)


def _poses(poses: ArrayLike) -> Array:
    checked = arguments.frame("poses", poses)
    if checked.ndim != 3:
        raise InvalidArgument("poses", f"shape {checked.shape}", "one pose for each body, shape (n, 4, 4)")
    return checked


def _poses_of(joints: Sequence[Joint], poses: ArrayLike) -> Array:
    """Poses, of as many bodies as the joints know."""
    checked = _poses(poses)
    for joint in joints:
        last = max(joint.body, -1 if joint.parent is None else joint.parent)
        if last >= len(checked):
            raise InvalidArgument("poses", f"poses of {len(checked)} bodies", f"at least {last + 1}")
    return checked


def _moving(joints: Sequence[Joint], poses: ArrayLike, twists: ArrayLike) -> tuple[Array, Array]:
    checked = _poses_of(joints, poses)
    velocities = arguments.twist("twists", twists)
    if velocities.shape != (len(checked), 6):
        raise InvalidArgument("twists", f"shape {velocities.shape}", f"shape ({len(checked)}, 6)")
    return checked, velocities


def _index(name: str, index: Any, count: int | None = None) -> int:
    if isinstance(index, bool) or not isinstance(index, (int, np.integer)) or index < 0:
        raise InvalidArgument(name, repr(index), "the index of a body")
    if count is not None and index >= count:
        raise InvalidArgument(name, str(index), f"the index of one of {count} bodies")
    return int(index)
