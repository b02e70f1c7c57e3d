"""A tree as a few flat arrays that one compiled program reads, whatever the tree is.

Composites are taken apart into joints of one part each, with massless nodes in between, and what is fixed is
added to what carries it. Frames are then chosen as Denavit and Hartenberg do: a joint about or along one axis
has it as axis 2, and from its parent's frame two screws lead to it, along axis 0 of the parent and along its
own axis. One child of each node can have this for nothing; for others a node without coordinates stands in
between, which is screwed along the parent's axis 2. All other joints have a general frame and a block of
columns S.
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
from rbnotes.tree import Tree

HINGE, SCREW, SHIFT, BALL, QUATERNION, GIVEN = (int(kind) for kind in layout.KINDS)

_BLOCKS: dict[type[JointType], int] = {ExponentialSpherical: BALL, QuaternionSpherical: QUATERNION}

PARALLEL_BELOW = 1e-14
"""Axes at a smaller angle, in radians, count as parallel."""
NEARLY_PARALLEL_BELOW = 1e-2
"""At smaller angles the common normal of two axes is badly determined, and is not used."""

SINGULAR_BELOW = 100 * float(np.finfo(float).eps)
"""Inertias along free coordinates are singular if smaller than this times all that is carried."""


@dataclass(eq=False)
class Part:
    """A joint that moves in one piece, with what is fixed to it."""

    joint: JointType
    parent: int
    placement: Array
    """Of its frame at home in the parent part's."""
    start: int
    """Of its coordinates among all."""
    axis: tuple[float, float] | None
    """Angle and distance for each unit of the coordinate, or None if S is a block."""
    inertia: Array = field(default_factory=lambda: np.zeros((6, 6)))
    shift: Array = field(default_factory=lambda: np.eye(4))
    """The final frame in the one that it had before frames were chosen."""
    node: int = 0
    carried: float = 0.0


class Body(NamedTuple):
    """Where the body of a link is."""

    part: int
    """The part that it is fixed to; -1 is the world."""
    frame: Array
    """Its frame ``(4, 4)`` in the part's."""


@dataclass(eq=False)
class Node:
    """One step of the sweeps."""

    kind: int
    parent: int
    screw_0: tuple[float, float, float] = (1.0, 0.0, 0.0)
    """Cosine, sine and distance along axis 0 of the parent's frame."""
    screw_2: tuple[float, float, float] = (1.0, 0.0, 0.0)
    """The same along the own axis, at home."""
    rates: tuple[float, float] = (0.0, 0.0)
    frame: Array | None = None
    """Of a block at home ``(4, 4)``."""
    part: int = -1


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
    if kind in (Revolute, Prismatic, Helical):
        rates = (1.0, 0.0) if kind is Revolute else (0.0, 1.0)
        if isinstance(joint, Helical):
            rates = (1.0, joint.pitch)
        return [(joint, rates, _axis_frame(np.array(joint.axis)), 1)]  # type: ignore[attr-defined]
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


class Screws(NamedTuple):
    """``P = along 2 (before) * along 0 * along 2 (after)``."""

    before: Array
    along_0: tuple[float, float, float]
    after: Array


def screws(P: Array) -> Screws | None:
    """Three screws that make up a frame, along its axis 2, the common normal and the other axis 2.

    None where the axes are nearly parallel, but not quite.
    """
    R, t = P[:3, :3], P[:3, 3]
    sine = float(np.hypot(R[0, 2], R[1, 2]))
    if PARALLEL_BELOW <= sine < NEARLY_PARALLEL_BELOW:
        return None
    if sine < PARALLEL_BELOW:
        cosine, sine = float(np.sign(R[2, 2])), 0.0
        a = float(np.hypot(t[0], t[1]))
        normal = np.array([t[0] / a, t[1] / a, 0.0]) if a > 0 else np.array([1.0, 0.0, 0.0])
        before, after = 0.0, cosine * float(t[2])
    else:
        length = float(np.hypot(sine, R[2, 2]))
        cosine, sine = float(R[2, 2]) / length, sine / length
        normal = np.array([-R[1, 2], R[0, 2], 0.0])
        normal = normal / np.linalg.norm(normal)
        a = float(normal @ t)
        after = float(normal[1] * t[0] - normal[0] * t[1]) / sine
        before = float(t[2]) - after * cosine
    first = _screw_2(normal[0], normal[1], before)
    middle = _screw_0(cosine, sine, a)
    last = np.linalg.solve(middle, _se3.inverse(first) @ P)
    return Screws(first, (cosine, sine, a), _screw_2(last[0, 0], last[1, 0], after))


def _screw_2(c: float, s: float, d: float) -> Array:
    length = np.hypot(c, s)
    c, s = c / length, s / length
    return np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, d], [0, 0, 0, 1.0]])


def _screw_0(c: float, s: float, d: float) -> Array:
    return np.array([[1, 0, 0, d], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1.0]])


def _numbers(screw: Array) -> tuple[float, float, float]:
    """Cosine, sine and distance of a screw along axis 2."""
    return float(screw[0, 0]), float(screw[1, 0]), float(screw[2, 3])


def nodes_of(parts: list[Part]) -> list[Node]:
    """Nodes in the order of the parts, with frames chosen; node 0 is the world."""
    nodes = [Node(SHIFT, 0)]
    for i, part in enumerate(parts):
        parent = 0 if part.parent < 0 else parts[part.parent].node
        P = part.placement if part.parent < 0 else _se3.inverse(parts[part.parent].shift) @ part.placement
        if part.axis is None:
            kind = _BLOCKS.get(type(part.joint), GIVEN)
            nodes.append(Node(kind, parent, frame=P, part=i))
            part.node = len(nodes) - 1
            continue
        found = screws(P)
        if found is None:
            parent, found = _general(nodes, parent, P)
        elif not np.array_equal(found.before, np.eye(4)) and not _negligible(found.before):
            nodes.append(Node(SHIFT, parent, screw_2=_numbers(found.before)))
            parent = len(nodes) - 1
        # The own frame starts behind the last screw, which the joint's own motion commutes with, and from
        # there it is moved to where the first child needs it.
        home = _for_first_child(parts, i, found.after)
        part.shift = _se3.inverse(found.after) @ home
        kind = HINGE if part.axis == (1.0, 0.0) else SCREW
        nodes.append(Node(kind, parent, found.along_0, _numbers(home), part.axis, part=i))
        part.node = len(nodes) - 1
    return nodes


def _general(nodes: list[Node], parent: int, P: Array) -> tuple[int, Screws]:
    """Any frame at all: two nodes that shift it along axes 0, 1 and 2, and screws without distances there."""
    x, y, z = (float(number) for number in P[:3, 3])
    R = P[:3, :3]
    sine = float(np.hypot(R[0, 2], R[1, 2]))
    turn = _screw_2(-R[1, 2] / sine, R[0, 2] / sine, 0.0)
    nodes.append(Node(SHIFT, parent, (1.0, 0.0, x), (0.0, 1.0, 0.0)))
    nodes.append(Node(SHIFT, len(nodes) - 1, (1.0, 0.0, y), _numbers(_screw_2(0.0, -1.0, z) @ turn)))
    tilt = _screw_0(
        float(R[2, 2]) / float(np.hypot(sine, R[2, 2])), sine / float(np.hypot(sine, R[2, 2])), 0.0
    )
    last = tilt[:3, :3].T @ turn[:3, :3].T @ R
    return len(nodes) - 1, Screws(
        np.eye(4), (float(tilt[1, 1]), float(tilt[2, 1]), 0.0), _screw_2(last[0, 0], last[1, 0], 0.0)
    )


def _negligible(screw: Array) -> bool:
    return bool(np.max(np.abs(screw - np.eye(4))) < 1e-15)


def _for_first_child(parts: list[Part], i: int, after: Array) -> Array:
    """The screw along the own axis with which the first child of one axis needs none in between."""
    for child in parts[i + 1 :]:
        if child.parent == i and child.axis is not None:
            found = screws(after @ child.placement)
            if found is not None:
                return found.before
    return np.eye(4)


class Packed(NamedTuple):
    """What the compiled sweeps read; the layout is told in :mod:`rbnotes.kernels._layout`."""

    whole: NDArray[np.uint64]
    numbers: Array
    """Constants of the nodes, springs, gravity, places of bodies; behind them room for one evaluation."""
    given: tuple[tuple[JointType, slice, slice], ...]
    """Joints that are evaluated outside, with their coordinates and the places of their numbers."""


def packed(tree: Tree) -> Packed:
    """The tree as arrays."""
    parts, bodies = parts_of(tree)
    nodes = nodes_of(parts)
    children = [0] * len(nodes)
    for node in nodes[1:]:
        children[node.parent] += 1
    slots, room = _slots(nodes)
    whole = np.zeros((len(nodes), layout.WHOLE), dtype=np.uint64)
    real = np.zeros((len(nodes), layout.REAL))
    slots_at = len(nodes) * layout.RECORD
    block = slots_at + max(room * layout.SLOT, len(nodes) * layout.TWIST)
    given_count, given, opened = 0, [], set()
    for i in reversed(range(len(nodes))):
        node = nodes[i]
        adds = node.parent in opened
        opened.add(node.parent)
        at_slot, at_parent = (slots_at + slots[each] * layout.SLOT for each in (i, node.parent))
        whole[i, :7] = node.kind, node.parent, 0, at_slot, at_parent, adds, children[i] > 0
        real[i, 0:3], real[i, 3:6], real[i, 6:8] = node.screw_0, node.screw_2, node.rates
        if node.part < 0:
            continue
        part = parts[node.part]
        whole[i, 2], real[i, 8] = part.start, SINGULAR_BELOW * part.carried
        to_own = _se3.Ad(part.shift)
        M = to_own.T @ part.inertia @ to_own
        real[i, 9:15] = M[:3, :3][np.triu_indices(3)]
        real[i, 15:19] = M[2, 4], M[0, 5], M[1, 3], M[5, 5]
        if node.frame is not None:
            count = part.joint.coordinates
            whole[i, 7:9] = count, block
            block += layout.BLOCK
            real[i, 19:28], real[i, 28:31] = node.frame[:3, :3].ravel(), node.frame[:3, 3]
            if node.kind == GIVEN:
                whole[i, 9] = given_count
                end = given_count + int(layout.GIVEN_FIXED) + 6 * count
                given.append((part.joint, slice(part.start, part.start + count), slice(given_count, end)))
                given_count = end
    places = np.zeros((len(bodies), 12))
    carriers = np.zeros(len(bodies), dtype=np.uint64)
    for b, (index, frame) in enumerate(bodies):
        seen = frame if index < 0 else _se3.inverse(parts[index].shift) @ frame
        carriers[b] = 0 if index < 0 else parts[index].node
        places[b, :9], places[b, 9:] = seen[:3, :3].ravel(), seen[:3, 3]
    springs = np.stack([tree.stacked(name) for name in ("stiffness", "damping", "rest")], axis=-1)
    constants = (real.ravel(), springs.ravel(), np.asarray(tree.gravity), places.ravel())
    ends = np.cumsum([each.size for each in constants])
    header = (len(nodes), tree.size, len(bodies), *ends, given_count, slots_at, block)
    numbers = np.concatenate([*constants, np.zeros(given_count + block)])
    return Packed(
        np.concatenate([np.array(header, dtype=np.uint64), whole.ravel(), carriers]), numbers, tuple(given)
    )


def told(packed_tree: Packed, coordinates: NDArray[np.intp]) -> Packed:
    """The same tree, of which the joints of some coordinates are told their accelerations."""
    whole, numbers = packed_tree.whole.copy(), packed_tree.numbers.copy()
    start, nodes = int(layout.HEADER), int(whole[layout.NODES])
    rows = whole[start : start + nodes * int(layout.WHOLE)].reshape(nodes, -1)
    moving = (rows[:, layout.KIND] != SHIFT) & np.isin(rows[:, layout.COORDINATE], coordinates)
    rows[moving, layout.TOLD] = 1
    rows[moving & (rows[:, layout.KIND] == HINGE), layout.KIND] = SCREW
    springs = numbers[int(whole[layout.SPRINGS_AT]) : int(whole[layout.GRAVITY_AT])].reshape(-1, 3)
    springs[coordinates, :2] = 0.0
    return Packed(whole, numbers, packed_tree.given)


def _slots(nodes: list[Node]) -> tuple[list[int], int]:
    """A place for the inertia and wrench that reach each node from its children; free ones are used again."""
    slots, free, room = [0] * len(nodes), list[int](), 1  # place 0 is the world's
    for i in reversed(range(1, len(nodes))):
        for each in (i, nodes[i].parent):  # no children: the own one is room to work in
            if each and slots[each] == 0:
                slots[each] = free.pop() if free else room
                room = max(room, slots[each] + 1)
        free.append(slots[i])  # only now: parent and child never share one
    return slots, room
