"""Packed tree: a few flat arrays that the compiled sweeps read.

Composites are split into joints of one part each, with massless parts in between; fixed joints are merged
into their parents. A single-axis joint gets a frame that has the axis as axis 2. A part has as many elements
as coordinates; its last element has the body.

All quantities are in world axes, but not about the world's origin: far from there, rounding would exceed the
inertia of a body about itself. A root of the tree carries the origin along while it translates before any
mass, up to the first joint that does not translate: these positions are omitted.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbnotes.arguments import Array, InvalidArgument
from rbnotes.compiled import tree_layout as layout
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
from rbnotes.multibody.packing.external_joints import JointSlices
from rbnotes.multibody.reduced import Tree
from rbnotes.unchecked import se3

AXIS, INNER_COLUMN, BALL, QUATERNION, EXTERNAL = (int(kind) for kind in layout.KINDS)

_BLOCK_KINDS: dict[type[JointType], int] = {ExponentialSpherical: BALL, QuaternionSpherical: QUATERNION}

MIN_INERTIA_RATIO = 1e-11
"""Ratio to the inertia of the subtree below which inertias along free coordinates may be rounding errors.

The reference, with its own test, then decides. Both tests together would not, as their rounding differs.
"""


@dataclass(eq=False)
class Part:
    """Joint that moves as one piece, with the bodies fixed to it; mutable, since bodies are added later.

    Attributes
    ----------
    joint
        Joint between the part and its parent.
    parent
        Index of the parent part; -1 is the world.
    placement
        Pose ``(4, 4)`` of its frame at zero coordinates in the frame of the parent, m.
    start
        Index of its first coordinate.
    axis
        Angle in rad and distance in m per unit of the coordinate; None if S has several columns.
    inertia
        Spatial inertia ``(6, 6)`` of the bodies fixed to it, in its frame, kg m^2, kg m and kg.
    carried_inertia
        Size of the subtree's inertia, see :attr:`rbnotes.multibody.reduced.Tree.mean_subtree_inertias`.
    last_element
        Index of its last element.
    """

    joint: JointType
    parent: int
    placement: Array
    start: int
    axis: tuple[float, float] | None
    inertia: Array = field(default_factory=lambda: np.zeros((6, 6)))
    carried_inertia: float = 0.0
    last_element: int = 0

    @property
    def count(self) -> int:
        """Return the number of its coordinates."""
        return 1 if self.axis else self.joint.num_coordinates

    @property
    def kind(self) -> int:
        """Return the code of its kind in the compiled recursions."""
        return AXIS if self.axis else _BLOCK_KINDS.get(type(self.joint), EXTERNAL)


class BodyPlacement(NamedTuple):
    """Placement of a link's body.

    Attributes
    ----------
    part
        Index of the part that it is fixed to; -1 is the world.
    frame
        Frame ``(4, 4)`` in the frame of the part.
    """

    part: int
    frame: Array


def moving_parts(tree: Tree) -> tuple[list[Part], list[BodyPlacement]]:
    """Return the moving parts of all joints, and the placements of the bodies."""
    parts: list[Part] = []
    link_frames: list[BodyPlacement] = []  # frames of the links' joints
    bodies: list[BodyPlacement] = []
    for i, link in enumerate(tree.links):
        part, frame = link_frames[tree.parents[i]] if tree.parents[i] >= 0 else BodyPlacement(-1, np.eye(4))
        frame = frame @ link.placement
        start, first = tree.coordinate_slices[i].start, len(parts)
        for joint in _flatten(link.joint):
            if isinstance(joint, Fixed):
                frame = frame @ joint.pose
                continue
            for single, axis, to_axis, count in _elementary_joints(joint):
                parts.append(Part(single, part, frame @ to_axis, start, axis))
                part, frame = len(parts) - 1, se3.inverse(to_axis)
                start += count
        link_frames.append(BodyPlacement(part, frame))
        bodies.append(BodyPlacement(part, frame @ link.body_frame))
        if part >= 0 and link.inertia is not None:
            motion_transform = se3.Ad_inverse(bodies[-1].frame)
            parts[part].inertia += motion_transform.T @ link.inertia @ motion_transform
        for link_part in parts[first:]:
            link_part.carried_inertia = float(tree.mean_subtree_inertias[i])
    return parts, bodies


def _flatten(joint: JointType) -> list[JointType]:
    if isinstance(joint, Composite) and type(joint).compute_transform is Composite.compute_transform:
        return [inner for part in joint.parts for inner in _flatten(part)]
    return [joint]


def _elementary_joints(joint: JointType) -> list[tuple[JointType, tuple[float, float] | None, Array, int]]:
    """Return single-axis joints with their rates and axis frames, or the joint itself."""
    # A derived class may override the motion.
    kind = type(joint)
    if isinstance(joint, Revolute | Prismatic | Helical) and kind in (Revolute, Prismatic, Helical):
        rates = (1.0, 0.0) if kind is Revolute else (0.0, 1.0)
        if isinstance(joint, Helical):
            rates = (1.0, joint.pitch)
        return [(joint, rates, _axis_frame(np.array(joint.axis)), 1)]
    if kind in (Translational, PlanarTranslation):
        return [
            (joint, (0.0, 1.0), _axis_frame(axis), 1)
            for axis in joint.compute_motion_subspace(np.zeros(joint.num_coordinates))[3:].T
        ]
    if kind is not QuaternionSpherical and joint.num_coordinate_constraints:
        got = f"a {joint} joint, which has constraints on its own coordinates"
        raise InvalidArgument(
            "tree", got, "no such joints but quaternions; the functions of rbnotes.multibody.reduced do"
        )
    if joint.num_coordinates > 6:
        got = f"a {joint} joint of {joint.num_coordinates} coordinates"
        raise InvalidArgument(
            "tree", got, "at most 6 a joint; the functions of rbnotes.multibody.reduced take more"
        )
    return [(joint, None, np.eye(4), joint.num_coordinates)]


def _axis_frame(axis: Array) -> Array:
    """Return a frame whose axis 2 is a given unit vector."""
    frame = np.eye(4)
    helper = np.eye(3)[np.argmin(np.abs(axis))]
    if abs(axis[2]) != 1 or axis[2] < 0:
        first = np.cross(helper, axis)
        first = first / np.linalg.norm(first)
        frame[:3, :3] = np.stack([first, np.cross(axis, first), axis], axis=1)
    return frame


class PackedTree(NamedTuple):
    """Arrays that the compiled sweeps read, see :mod:`rbnotes.compiled.tree_layout`.

    Attributes
    ----------
    integers
        Header, and a row of indices for each element.
    floats
        Constants, gravity, body placements; then the workspace of one evaluation.
    external
        External joints.
    """

    integers: NDArray[np.uint64]
    floats: Array
    external: tuple[JointSlices, ...]

    @property
    def rows(self) -> NDArray[np.uint64]:
        """Rows of the elements ``(elements, ...)``, the world first."""
        start, count = int(layout.HEADER_SIZE), int(self.integers[layout.NUM_ELEMENTS])
        return self.integers[start : start + count * int(layout.ROW_SIZE)].reshape(count, -1)

    @property
    def constants(self) -> Array:
        """Constants of groups of eight elements ``(groups, ..., 8)``."""
        groups = int(self.integers[layout.NUM_PADDED_ELEMENTS] // layout.LANES)
        return self.floats[: groups * int(layout.CONSTANTS_SIZE)].reshape(groups, -1, int(layout.LANES))

    @property
    def springs(self) -> Array:
        """Stiffness, damping and reference of the elements ``(groups, 3, 8)``."""
        return self.constants[:, -3:]

    @property
    def gravity(self) -> Array:
        """Gravity, as the sweeps read it."""
        return self.floats[
            int(self.integers[layout.GRAVITY_OFFSET]) : int(self.integers[layout.BODY_FRAMES_OFFSET])
        ]

    def copy(self) -> PackedTree:
        """Return a copy with its own arrays."""
        numbers = aligned_zeros(self.floats.size)
        numbers[:] = self.floats
        return PackedTree(self.integers.copy(), numbers, self.external)

    @property
    def batch_workspace_size(self) -> int:
        """Size of the workspace for eight states."""
        num_padded, slots = (
            int(self.integers[layout.NUM_PADDED_ELEMENTS]),
            int(self.integers[layout.NUM_SLOTS]),
        )
        return layout.workspace_size(num_padded + int(layout.LANES), slots)


def aligned_zeros(size: int) -> Array:
    """Return zeros aligned for vectors of eight numbers."""
    zeros = np.zeros(size + 8)
    start = -(zeros.ctypes.data // 8) % 8
    return zeros[start : start + size]


def pack_tree(tree: Tree) -> PackedTree:
    """Pack a tree into arrays."""
    parts, bodies = moving_parts(tree)
    size = 1
    for part in parts:
        size += part.count
        part.last_element = size - 1
    lanes = int(layout.LANES)
    num_padded = (size + lanes - 1) // lanes * lanes
    rows_of_elements = np.zeros((size, layout.ROW_SIZE), dtype=np.uint64)
    constants = np.zeros((int(layout.CONSTANTS_SIZE) // lanes, num_padded))
    external_size, external = 0, list[JointSlices]()
    reach = np.zeros(len(parts))  # largest distance from the origin, estimated from placements
    springs = np.stack([tree.joint_parameter(name) for name in ("stiffness", "damping", "spring_reference")])
    includes_position = _position_flags(parts)
    for i, part in enumerate(parts):
        e, parent = part.last_element, 0 if part.parent < 0 else parts[part.parent].last_element
        elements = slice(e + 1 - part.count, e + 1)
        rows_of_elements[elements, layout.KIND] = INNER_COLUMN
        rows_of_elements[elements, layout.PARENT] = [parent, *range(e + 1 - part.count, e)]
        rows_of_elements[elements, layout.COORDINATE] = part.start + np.arange(part.count)
        R, p = part.placement[:3, :3], includes_position[i] * part.placement[:3, 3]
        reach[i] = np.linalg.norm(p) + (reach[part.parent] if part.parent >= 0 else 0.0)
        # The inertia along an axis is rounded like one about the origin.
        constants[-4, elements] = MIN_INERTIA_RATIO * part.carried_inertia * (1.0 + reach[i] ** 2)
        constants[-3:, elements] = springs[:, part.start : part.start + part.count]
        rows_of_elements[e, layout.KIND], rows_of_elements[e, layout.ELEMENT_COUNT] = part.kind, part.count
        rows_of_elements[e, layout.HAS_TRANSLATION] = part.axis is not None and part.axis != (1.0, 0.0)
        rows_of_elements[e, layout.IS_PRESCRIBED] = (
            part.kind == QUATERNION
        )  # a quaternion has one coordinate more than an angular velocity
        constants[:-5, e] = (
            *R.flat,
            *p,
            *(part.axis or (0.0, 0.0)),
            includes_position[i],
            *_body_constants(part.inertia),
        )
        if part.kind == EXTERNAL:
            end = external_size + int(layout.EXTERNAL_FIXED_SIZE) + 6 * part.count
            rows_of_elements[e, layout.EXTERNAL_START] = external_size
            elements = slice(part.start, part.start + part.count)
            external.append(JointSlices(part.joint, elements, slice(external_size, end)))
            external_size = end
    slots = _assign_slots(rows_of_elements)
    body_frames = np.array([(*frame[:3, :3].flat, *frame[:3, 3]) for _, frame in bodies]).reshape(-1)
    body_elements = [parts[part].last_element if part >= 0 else 0 for part, _ in bodies]
    grouped_constants = constants.reshape(-1, num_padded // lanes, lanes).swapaxes(0, 1)
    ends = np.cumsum([constants.size, 3, body_frames.size, external_size])
    workspace_offset = (int(ends[-1]) + 7) // 8 * 8
    header = (
        size,
        num_padded,
        tree.num_coordinates,
        len(bodies),
        *ends[:3],
        external_size,
        workspace_offset,
        slots,
    )
    floats = aligned_zeros(workspace_offset + layout.workspace_size(num_padded // lanes, slots))
    floats[: ends[2]] = np.concatenate([grouped_constants.ravel(), np.asarray(tree.gravity), body_frames])
    rows = np.concatenate(
        [
            np.array([*header], dtype=np.uint64),
            rows_of_elements.ravel(),
            np.array(body_elements, dtype=np.uint64),
        ]
    )
    return PackedTree(rows, floats, tuple(external))


def _position_flags(parts: list[Part]) -> list[float]:
    """Return 0 for each part that carries the origin of its root along, 1 for the others."""
    children = [0] * len(parts)
    for part in parts:
        if part.parent >= 0:
            children[part.parent] += 1
    flags: list[float] = []
    for part in parts:
        above = part.parent
        if above < 0:
            flags.append(0.0)
            continue
        axis = parts[above].axis
        slides = axis is not None and axis[0] == 0.0 and not np.any(parts[above].inertia)
        flags.append(0.0 if slides and flags[above] == 0.0 and children[above] == 1 else 1.0)
    return flags


def _body_constants(M: Array) -> tuple[float, ...]:
    """Return mass, center of mass, and d, x and y of the central inertia ``d + x x^T + y y^T``."""
    mass = M[5, 5]
    h = np.array([M[2, 4], M[0, 5], M[1, 3]])
    center = h / mass if mass > 0 else np.zeros(3)
    central_inertia = M[:3, :3] - (h @ center) * np.eye(3) + np.outer(h, center)
    (least, *others), axes = np.linalg.eigh(central_inertia)
    x, y = np.sqrt(np.array(others) - least)[:, None] * axes.T[1:]
    return mass, *center, least, *x, *y


def prescribe_accelerations(packed_tree: PackedTree, coordinates: NDArray[np.intp]) -> PackedTree:
    """Return the same tree with prescribed accelerations at the joints of some coordinates."""
    result = packed_tree.copy()
    is_selected = np.isin(result.rows[:, layout.COORDINATE], coordinates)
    is_selected[0] = False
    result.rows[is_selected, layout.IS_PRESCRIBED] = 1
    is_spring_selected = np.zeros(int(result.integers[layout.NUM_PADDED_ELEMENTS]), dtype=bool)
    is_spring_selected[: is_selected.size] = is_selected
    result.springs[:, :2] *= ~is_spring_selected.reshape(-1, 1, int(layout.LANES))
    return result


def with_armature(packed_tree: PackedTree, armature: Array) -> PackedTree:
    """Return the same tree with rotors of these inertias ``(k,)``."""
    result = packed_tree.copy()
    padded = np.zeros(int(result.integers[layout.NUM_PADDED_ELEMENTS]))
    padded[1 : len(armature) + 1] = armature
    result.constants[:, -5] = padded.reshape(-1, int(layout.LANES))
    return result


def without_springs(packed_tree: PackedTree) -> PackedTree:
    """Return the same tree without springs and dampers."""
    result = packed_tree.copy()
    result.springs[:] = 0.0
    return result


def without_springs_and_gravity(packed_tree: PackedTree) -> PackedTree:
    """Return the same tree without springs, dampers and gravity."""
    result = without_springs(packed_tree)
    result.gravity[:] = 0.0
    return result


def _assign_slots(rows_of_elements: NDArray[np.uint64]) -> int:
    """Assign slots for the inertias of children, and reuse those that were read; return their number."""
    size = len(rows_of_elements)
    world, unused = 0, 1
    slots, free_slots, count = [unused] * size, list[int](), 2
    slots[0] = world
    has_received = [False] * size
    for e in reversed(range(1, size)):
        parent = int(rows_of_elements[e, layout.PARENT])
        if parent and not has_received[parent]:
            slots[parent] = free_slots.pop() if free_slots else count
            count = max(count, slots[parent] + 1)
        rows_of_elements[e, layout.OWN_SLOT], rows_of_elements[e, layout.PARENT_SLOT] = (
            slots[e],
            slots[parent],
        )
        rows_of_elements[e, layout.SLOT_IS_OCCUPIED] = has_received[parent]
        has_received[parent] = True
        if slots[e] != unused:
            free_slots.append(slots[e])  # freed last: parent and child never share a slot
    return count
