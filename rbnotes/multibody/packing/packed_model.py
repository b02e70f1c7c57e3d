"""Model in maximal coordinates as a few flat arrays, which the compiled simulation loop reads.

Frames are moved to the centers of mass. Joints that share bodies are ordered close together, so that the
system of their impulses has a narrow envelope.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import reverse_cuthill_mckee

from rbnotes.arguments import Array
from rbnotes.compiled.record_layout import AXIS_ROTATION, FREE_ROTATION, NO_ROTATION, workspace_size
from rbnotes.contact.prediction import bounding_radii
from rbnotes.dynamics import WORLD
from rbnotes.joints import (
    Cylindrical,
    ExponentialSpherical,
    Fixed,
    Free2D,
    JointType,
    PlanarTranslation,
    Prismatic,
    QuaternionSpherical,
    Revolute,
    Translational,
)
from rbnotes.joints.subspaces import complement
from rbnotes.joints.unchecked_constraint_forces import constant_constraint_rows
from rbnotes.multibody.joint_kinematics import Joint
from rbnotes.multibody.maximal.model import MaximalModel
from rbnotes.multibody.packing.packed_colliders import PackedColliders, pack_colliders
from rbnotes.multibody.packing.refusals import unsupported_error


class PackedModel(NamedTuple):
    """Arrays that :func:`rbnotes.compiled.simulation.simulation_loop.read_model` reads.

    Attributes
    ----------
    integers
        Counts and indices.
    floats
        Inertias, joint frames, constraint rows, colliders and gravity.
    row_order
        Indices of the constraint rows in the order of the reference ``(m,)``.
    colliders
        Colliders, for contact detection.
    """

    integers: NDArray[np.uint64]
    floats: Array
    row_order: NDArray[np.intp]
    colliders: PackedColliders

    def workspace_size(self, max_contacts: int) -> int:
        """Return the size of the working memory of a run with at most this number of contacts."""
        bodies, joints, rows, _, envelope, _, _, links, directions = (int(each) for each in self.integers[:9])
        return workspace_size(bodies, joints, rows, envelope, links, directions, max_contacts)


@lru_cache(maxsize=16)
def pack_model(model: MaximalModel) -> PackedModel:
    """Pack a model; runs of the same model share the arrays.

    Raises
    ------
    InvalidArgument
        If compiled steps do not support it: they do not support joints whose constraint rows are not
        constant, helical joints, some colliders
        (:func:`~rbnotes.multibody.packing.packed_colliders.pack_colliders`), and models without bodies.
    """
    count = len(model.inertias)
    colliders = pack_colliders(model.colliders, count, model.excluded_pairs or ())
    if not count:
        raise unsupported_error("a model without bodies")
    rotations = [_free_rotation(joint.kind) for joint in model.joints]
    order = _joint_order(model.joints)
    joints = [model.joints[i] for i in order]
    num_colliders = len(colliders.bodies)
    num_excluded_pairs = (len(colliders.integers) - num_colliders) // 2
    sizes = [joint.num_constraints for joint in joints]
    body = [joint.body for joint in joints]
    parent = [count if joint.parent == WORLD else joint.parent for joint in joints]
    row_start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp)
    coupled = _coupled_joints(joints)
    first = _first_entries(row_start, coupled)
    offsets = np.concatenate([[0], np.cumsum(np.arange(1, len(first) + 1) - first)]).astype(int)
    links, directions = _links(joints, count)
    header = [
        count,
        len(joints),
        row_start[-1],
        len(coupled),
        offsets[-1],
        num_colliders,
        num_excluded_pairs,
        len(links.body),
        len(directions),
    ]
    integers: list[Any] = [
        header,
        body,
        parent,
        row_start,
        [rotations[i][0] for i in order],
        coupled,
        np.repeat(np.reshape([body, parent], (2, -1)).T, sizes, axis=0),
        first,
        offsets[:-1] - first,
        *links,
        colliders.integers,
    ]
    starts = np.cumsum([0, *(joint.num_constraints for joint in model.joints)])
    rows = [np.arange(joint.num_constraints) + starts[i] for i, joint in zip(order, joints, strict=True)]
    floats = [
        *_body_arrays(model),
        bounding_radii(model.colliders, count),
        [rotations[i][1] for i in order],
        *(constant_constraint_rows(joint.kind) for joint in joints),
        *_joint_frames(model, joints),
        directions,
        colliders.floats,
        colliders.mu,
        colliders.restitution,
        model.gravity,
    ]
    return PackedModel(
        np.concatenate([np.ravel(each).astype(np.uint64) for each in integers]),
        np.concatenate([np.ravel(each).astype(float) for each in floats]),
        np.concatenate([np.zeros(0, dtype=np.intp), *rows]),
        colliders,
    )


def _free_rotation(kind: JointType) -> tuple[int, Array]:
    """Return the kind and the axis of a joint's free rotation.

    Raises
    ------
    InvalidArgument
        If its constraint rows are not supported.
    """
    match kind:
        case Fixed() | Prismatic() | PlanarTranslation() | Translational():
            return NO_ROTATION, np.zeros(3)
        case Revolute():
            return AXIS_ROTATION, np.array(kind.axis)
        case Cylindrical():
            return AXIS_ROTATION, np.array(kind.axis)
        case Free2D():
            return AXIS_ROTATION, np.array([0.0, 0.0, 1.0])
        case ExponentialSpherical() | QuaternionSpherical():
            return FREE_ROTATION, np.zeros(3)
    raise unsupported_error(f"joints of the type {type(kind).__name__}")


class _Links(NamedTuple):
    """Links of a tree, as :class:`rbnotes.compiled.simulation.joint_tree.JointTree` describes them."""

    body: list[int]
    base: list[int]
    joint: list[int]
    side: list[int]
    first_direction: list[int]


def _links(joints: Sequence[Joint], count: int) -> tuple[_Links, Array]:
    """Return the links from the roots outwards, and the directions of their joints ``(d, 6)``.

    There are none if the joints form loops.
    """
    neighbors: dict[int, list[tuple[int, int, int]]] = {}
    for i, joint in enumerate(joints):
        neighbors.setdefault(joint.parent, []).append((i, 0, joint.body))
        neighbors.setdefault(joint.body, []).append((i, 1, joint.parent))
    found: dict[int, tuple[int, int, int]] = {}  # base, joint and side of each body
    for root in sorted(neighbors):  # the world, -1, is the first
        if root in found:
            continue
        if root != WORLD:
            found[root] = WORLD, len(joints), 0
        pending = [root]
        while pending:
            base = pending.pop()
            for i, side, body in neighbors[base]:
                if body == WORLD or body in found:
                    if base == WORLD or found[base][1] != i:
                        return _Links([], [], [], [], [0]), np.zeros((0, 6))
                    continue
                found[body] = base, i, side
                pending.append(body)
    number = {body: link for link, body in enumerate(found)}
    parts = [
        np.eye(6) if i == len(joints) else _free_directions(joints[i].kind) for _, i, _ in found.values()
    ]
    links = _Links(
        list(found),
        [number.get(base, len(found)) for base, _, _ in found.values()],
        [i for _, i, _ in found.values()],
        [side for _, _, side in found.values()],
        [0, *np.cumsum([len(each) for each in parts], dtype=int).tolist()],
    )
    return links, np.concatenate([np.zeros((0, 6)), *parts])


@lru_cache(maxsize=256)
def _free_directions(kind: JointType) -> Array:
    """Return the directions in the joint frame ``(d, 6)`` along which a joint moves."""
    result: Array = complement(constant_constraint_rows(kind).T).T
    return result


def _joint_order(joints: Sequence[Joint]) -> list[int]:
    """Return an order of the joints in which those that share a body are close together."""
    if not joints:
        return []
    coupled = _coupled_joints(joints)
    first, second = coupled[:, 0], coupled[:, 1]
    shares_body = np.zeros((len(joints), len(joints)), dtype=np.int8)
    shares_body[first, second] = shares_body[second, first] = 1
    return [int(i) for i in reverse_cuthill_mckee(sparse.csr_array(shares_body), True)]


def _coupled_joints(joints: Sequence[Joint]) -> NDArray[np.intp]:
    """Return the pairs of joints ``(p, 4)`` that share a moving body, and its side in each."""
    sides: dict[int, list[tuple[int, int]]] = {}
    for i, joint in enumerate(joints):
        for side, body in enumerate((joint.body, joint.parent)):
            if body != WORLD:
                sides.setdefault(body, []).append((i, side))
    coupled = sorted(
        (i, j, side, other)
        for each in sides.values()
        for i, side in each
        for j, other in each
        if j < i or (j == i and side == other)
    )
    return np.array(coupled, dtype=np.intp).reshape(-1, 4)


def _first_entries(row_start: NDArray[np.intp], coupled: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the first nonzero column of each row of the joint system, for pairs of coupled joints."""
    firsts = np.arange(len(row_start) - 1)
    np.minimum.at(firsts, coupled[:, 0], coupled[:, 1])
    result: NDArray[np.intp] = np.repeat(row_start[:-1][firsts], np.diff(row_start))
    return result


def _body_arrays(model: MaximalModel) -> list[Array]:
    """Return masses, inertias, their inverses with those of the world, and centers of mass."""
    mass, J, com = model.free_system.mass_properties
    inverse_mass = np.append(1 / mass, 0.0)
    J_inverse = np.concatenate([np.linalg.inv(J), np.zeros((1, 3, 3))])
    return [mass, J, inverse_mass, J_inverse, com]


def _joint_frames(model: MaximalModel, joints: Sequence[Joint]) -> list[Array]:
    """Return the joint frames and their origins from the centers of mass of bodies and parents."""
    com = np.concatenate([model.free_system.mass_properties.com, np.zeros((1, 3))])  # the world is last
    own = np.array([joint.frame for joint in joints]).reshape(-1, 4, 4)
    others = np.array([_parent_joint_frame(joint) for joint in joints]).reshape(-1, 4, 4)
    body, parent = (
        np.array([getattr(each, name) for each in joints], dtype=int) for name in ("body", "parent")
    )
    return [own[:, :3, :3], own[:, :3, 3] - com[body], others[:, :3, :3], others[:, :3, 3] - com[parent]]


def _parent_joint_frame(joint: Joint) -> Array:
    """Return the frame in the parent that coincides with the body's joint frame at zero coordinates."""
    pose = joint.kind.pose if isinstance(joint.kind, Fixed) else np.eye(4)
    result: Array = joint.parent_frame @ pose
    return result
