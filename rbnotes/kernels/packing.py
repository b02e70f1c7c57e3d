"""A tree as a few flat arrays that one compiled program reads, whatever the tree is.

Composites are taken apart into joints of one part each, with massless parts in between, and what is fixed is
added to what carries it. A joint of one axis gets a frame that has it as axis 2. A part has as many elements
as coordinates; the last of them stands for it.

All is seen from the world, but not from its origin: far from there an inertia would have no digits left for
what a body is about itself. A root of the tree takes the origin along, where it slides before anything has
weight, and from there to the first joint that does not: its positions are left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbnotes import _se3
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.joints import (
    Composite,
    ExponentialSpherical,
    Fixed,
    Helical,
    JointType,
    PlanarTranslation,
    Prismatic,
    QuaternionSpherical,
    Revolute,
    Translational,
)
from rbnotes.kernels import _layout as layout
from rbnotes.kernels.general import Place
from rbnotes.tree import Tree

AXIS, INNER, BALL, QUATERNION, GIVEN = (int(kind) for kind in layout.KINDS)

_BLOCKS: dict[type[JointType], int] = {ExponentialSpherical: BALL, QuaternionSpherical: QUATERNION}

SINGULAR_BELOW = 100 * float(np.finfo(float).eps)
"""Inertias along free coordinates are singular if smaller than this times all that is carried."""


@dataclass(eq=False)
class Part:
    """A joint that moves in one piece, with what is fixed to it. Not frozen: bodies are added one by one."""

    joint: JointType
    """How it moves on the part that carries it."""
    parent: int
    """Number of the part that carries it; -1 is the world."""
    placement: Array
    """Pose ``(4, 4)`` of its frame at home in the parent part's, m."""
    start: int
    """Place of its first coordinate among all."""
    axis: tuple[float, float] | None
    """Angle, rad, and distance, m, for each unit of the coordinate, or None if S is a block."""
    inertia: Array = field(default_factory=lambda: np.zeros((6, 6)))
    """Spatial inertia ``(6, 6)`` of the bodies fixed to it, in its frame, kg m^2, kg m and kg."""
    carried: float = 0.0
    """Size of the inertias that its link's joint carries, see :attr:`rbnotes.tree.Tree.carried`."""
    last: int = 0
    """Its last element."""

    @property
    def count(self) -> int:
        return 1 if self.axis else self.joint.coordinates

    @property
    def kind(self) -> int:
        return AXIS if self.axis else _BLOCKS.get(type(self.joint), GIVEN)


class Body(NamedTuple):
    """Where the body of a link is."""

    part: int
    """The part that it is fixed to; -1 is the world."""
    frame: Array
    """Its frame ``(4, 4)`` in the part's."""


def parts_of(tree: Tree) -> tuple[list[Part], list[Body]]:
    """The moving parts of all joints, and the bodies on them."""
    parts: list[Part] = []
    ends: list[Body] = []  # frames of the links' joints
    bodies: list[Body] = []
    for i, link in enumerate(tree.links):
        part, frame = ends[tree.parents[i]] if tree.parents[i] >= 0 else Body(-1, np.eye(4))
        frame = frame @ link.placement
        start, first = tree.slices[i].start, len(parts)
        for joint in _flat(link.joint):
            if isinstance(joint, Fixed):
                frame = frame @ joint.pose
                continue
            for single, axis, to_axis, count in _single(joint):
                parts.append(Part(single, part, frame @ to_axis, start, axis))
                part, frame = len(parts) - 1, _se3.inverse(to_axis)
                start += count
        ends.append(Body(part, frame))
        bodies.append(Body(part, frame @ link.body))
        if part >= 0 and link.inertia is not None:
            seen = _se3.Ad_inverse(bodies[-1].frame)
            parts[part].inertia += seen.T @ link.inertia @ seen
        for own in parts[first:]:
            own.carried = float(tree.carried[i])
    return parts, bodies


def _flat(joint: JointType) -> list[JointType]:
    if isinstance(joint, Composite) and type(joint)._transform is Composite._transform:
        return [inner for part in joint.parts for inner in _flat(part)]
    return [joint]


def _single(joint: JointType) -> list[tuple[JointType, tuple[float, float] | None, Array, int]]:
    """Joints of one coordinate each with their rates and a frame with the axis as axis 2, or the joint."""
    # A class derived from one of these may move otherwise.
    kind = type(joint)
    if isinstance(joint, Revolute | Prismatic | Helical) and kind in (Revolute, Prismatic, Helical):
        rates = (1.0, 0.0) if kind is Revolute else (0.0, 1.0)
        if isinstance(joint, Helical):
            rates = (1.0, joint.pitch)
        return [(joint, rates, _axis_frame(np.array(joint.axis)), 1)]
    if kind in (Translational, PlanarTranslation):
        return [
            (joint, (0.0, 1.0), _axis_frame(axis), 1) for axis in joint._S(np.zeros(joint.coordinates))[3:].T
        ]
    if kind is not QuaternionSpherical and joint.constraints:
        got = f"a {joint} joint, which has constraints on its own coordinates"
        raise InvalidArgument("tree", got, "no such joints but quaternions; the functions of rbnotes.tree do")
    if joint.coordinates > 6:
        got = f"a {joint} joint of {joint.coordinates} coordinates"
        raise InvalidArgument("tree", got, "at most 6 a joint; the functions of rbnotes.tree take more")
    return [(joint, None, np.eye(4), joint.coordinates)]


def _axis_frame(axis: Array) -> Array:
    """A frame turned so that its axis 2 is a given unit vector."""
    frame = np.eye(4)
    helper = np.eye(3)[np.argmin(np.abs(axis))]
    if abs(axis[2]) != 1 or axis[2] < 0:
        first = np.cross(helper, axis)
        first = first / np.linalg.norm(first)
        frame[:3, :3] = np.stack([first, np.cross(axis, first), axis], axis=1)
    return frame


class Packed(NamedTuple):
    """What the compiled sweeps read; the layout is told in :mod:`rbnotes.kernels._layout`."""

    whole: NDArray[np.uint64]
    numbers: Array
    """Constants, springs among them, gravity, places of bodies; behind them room for one evaluation."""
    given: tuple[Place, ...]
    """Joints that are evaluated outside."""

    @property
    def rows(self) -> NDArray[np.uint64]:
        """Of the elements ``(elements, ...)``, the world first."""
        start, count = int(layout.HEADER), int(self.whole[layout.ELEMENTS])
        return self.whole[start : start + count * int(layout.WHOLE)].reshape(count, -1)

    @property
    def constants(self) -> Array:
        """Of eight elements at a time ``(groups, ..., 8)``."""
        groups = int(self.whole[layout.FILLED] // layout.LANES)
        return self.numbers[: groups * int(layout.CONSTANTS)].reshape(groups, -1, int(layout.LANES))

    @property
    def springs(self) -> Array:
        """Stiffness, damping and rest ``(groups, 3, 8)`` of the elements."""
        return self.constants[:, -3:]

    @property
    def gravity(self) -> Array:
        """The numbers of gravity."""
        return self.numbers[int(self.whole[layout.GRAVITY_AT]) : int(self.whole[layout.PLACES_AT])]

    def copy(self) -> Packed:
        """The same, in arrays of its own."""
        numbers = room(self.numbers.size)
        numbers[:] = self.numbers
        return Packed(self.whole.copy(), numbers, self.given)

    @property
    def lanes_size(self) -> int:
        """How many numbers need room where eight states are evaluated at once."""
        filled, slots = int(self.whole[layout.FILLED]), int(self.whole[layout.SLOTS])
        return layout.room_size(filled + int(layout.LANES), slots)


def room(size: int) -> Array:
    """Zeros that start where the processor fetches eight numbers at once."""
    zeros = np.zeros(size + 8)
    start = -(zeros.ctypes.data // 8) % 8
    return zeros[start : start + size]


def packed(tree: Tree) -> Packed:
    """The tree as arrays."""
    parts, bodies = parts_of(tree)
    size = 1
    for part in parts:
        size += part.count
        part.last = size - 1
    lanes = int(layout.LANES)
    filled = (size + lanes - 1) // lanes * lanes
    whole = np.zeros((size, layout.WHOLE), dtype=np.uint64)
    constants = np.zeros((int(layout.CONSTANTS) // lanes, filled))
    given_size, given = 0, list[Place]()
    reach = np.zeros(len(parts))  # of what is away from the origin, as far as placements tell
    springs = np.stack([tree.stacked(name) for name in ("stiffness", "damping", "rest")])
    away = _away(parts)
    for i, part in enumerate(parts):
        e, parent = part.last, 0 if part.parent < 0 else parts[part.parent].last
        own = slice(e + 1 - part.count, e + 1)
        whole[own, layout.KIND] = INNER
        whole[own, layout.PARENT] = [parent, *range(e + 1 - part.count, e)]
        whole[own, layout.COORDINATE] = part.start + np.arange(part.count)
        R, p = part.placement[:3, :3], away[i] * part.placement[:3, 3]
        reach[i] = np.linalg.norm(p) + (reach[part.parent] if part.parent >= 0 else 0.0)
        # Seen from the origin, an inertia along an axis is rounded as one about the origin.
        constants[-4, own] = SINGULAR_BELOW * part.carried * (1.0 + reach[i] ** 2)
        constants[-3:, own] = springs[:, part.start : part.start + part.count]
        whole[e, layout.KIND], whole[e, layout.COUNT] = part.kind, part.count
        whole[e, layout.SLIDES] = part.axis is not None and part.axis != (1.0, 0.0)
        whole[e, layout.TOLD] = part.kind == QUATERNION  # one coordinate more than an angular velocity has
        constants[:-4, e] = *R.flat, *p, *(part.axis or (0.0, 0.0)), away[i], *_of_body(part.inertia)
        if part.kind == GIVEN:
            end = given_size + int(layout.GIVEN_FIXED) + 6 * part.count
            whole[e, layout.GIVEN_FROM] = given_size
            own = slice(part.start, part.start + part.count)
            given.append(Place(part.joint, own, slice(given_size, end)))
            given_size = end
    slots = _slots(whole)
    places = np.array([(*frame[:3, :3].flat, *frame[:3, 3]) for _, frame in bodies]).reshape(-1)
    carriers = [parts[part].last if part >= 0 else 0 for part, _ in bodies]
    grouped = constants.reshape(-1, filled // lanes, lanes).swapaxes(0, 1)
    ends = np.cumsum([constants.size, 3, places.size, given_size])
    room_at = (int(ends[-1]) + 7) // 8 * 8
    header = (size, filled, tree.size, len(bodies), *ends[:3], given_size, room_at, slots)
    numbers = room(room_at + layout.room_size(filled // lanes, slots))
    numbers[: ends[2]] = np.concatenate([grouped.ravel(), np.asarray(tree.gravity), places])
    rows = np.concatenate(
        [np.array([*header], dtype=np.uint64), whole.ravel(), np.array(carriers, dtype=np.uint64)]
    )
    return Packed(rows, numbers, tuple(given))


def _away(parts: list[Part]) -> list[float]:
    """Of each part, 1 if its frame is away from the origin of its root, 0 if it takes the origin along."""
    children = [0] * len(parts)
    for part in parts:
        if part.parent >= 0:
            children[part.parent] += 1
    away: list[float] = []
    for part in parts:
        above = part.parent
        if above < 0:
            away.append(0.0)
            continue
        axis = parts[above].axis
        slides = axis is not None and axis[0] == 0.0 and not np.any(parts[above].inertia)
        away.append(0.0 if slides and away[above] == 0.0 and children[above] == 1 else 1.0)
    return away


def _of_body(M: Array) -> tuple[float, ...]:
    """Mass, center of mass, and the inertia about it as ``d + x x^T + y y^T``: d, x and y."""
    mass = M[5, 5]
    h = np.array([M[2, 4], M[0, 5], M[1, 3]])
    center = h / mass if mass > 0 else np.zeros(3)
    about = M[:3, :3] - (h @ center) * np.eye(3) + np.outer(h, center)
    (least, *others), axes = np.linalg.eigh(about)
    x, y = np.sqrt(np.array(others) - least)[:, None] * axes.T[1:]
    return mass, *center, least, *x, *y


def told(packed_tree: Packed, coordinates: NDArray[np.intp]) -> Packed:
    """The same tree, of which the joints of some coordinates are told their accelerations."""
    result = packed_tree.copy()
    own = np.isin(result.rows[:, layout.COORDINATE], coordinates)
    own[0] = False
    result.rows[own, layout.TOLD] = 1
    spring = np.zeros(int(result.whole[layout.FILLED]), dtype=bool)
    spring[: own.size] = own
    result.springs[:, :2] *= ~spring.reshape(-1, 1, int(layout.LANES))
    return result


def without_springs(packed_tree: Packed) -> Packed:
    """Return the same tree without springs and dampers."""
    result = packed_tree.copy()
    result.springs[:] = 0.0
    return result


def weightless(packed_tree: Packed) -> Packed:
    """Return the same tree without springs, dampers and gravity."""
    result = without_springs(packed_tree)
    result.gravity[:] = 0.0
    return result


def _slots(whole: NDArray[np.uint64]) -> int:
    """Gives places to what elements get from their children, and takes back those that are read. How many."""
    size = len(whole)
    world, nothing = 0, 1
    slots, free, count = [nothing] * size, list[int](), 2
    slots[0] = world
    got = [False] * size
    for e in reversed(range(1, size)):
        parent = int(whole[e, layout.PARENT])
        if parent and not got[parent]:
            slots[parent] = free.pop() if free else count
            count = max(count, slots[parent] + 1)
        whole[e, layout.OWN_SLOT], whole[e, layout.PARENT_SLOT] = slots[e], slots[parent]
        whole[e, layout.SHARED] = got[parent]
        got[parent] = True
        if slots[e] != nothing:
            free.append(slots[e])  # only now: parent and child never share one
    return count
