"""Packed world: a few flat arrays that the compiled simulation loop reads.

Frames are moved to the centers of mass. Joints that share bodies are ordered close together, so that the
system of their impulses has a narrow envelope.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import reverse_cuthill_mckee

from rbnotes.arguments import Array
from rbnotes.compiled.record_layout import AXIS_ROTATION, FREE_ROTATION, NO_ROTATION, workspace_size
from rbnotes.contact.detection import combine_coefficients
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
from rbnotes.joints.unchecked_constraint_forces import constant_constraint_rows
from rbnotes.multibody.maximal import Mechanism, World
from rbnotes.multibody.maximal.joint_kinematics import Joint


class PackedWorld(NamedTuple):
    """Arrays that :func:`rbnotes.compiled.simulation.simulation_loop.read_mechanism` reads.

    Attributes
    ----------
    row_order
        Indices of the constraint rows in the order of the reference ``(m,)``.
    """

    integers: NDArray[np.uint64]
    floats: Array
    row_order: NDArray[np.intp]

    def workspace_size(self, max_contacts: int) -> int:
        """Return the size of the working memory of a run with at most this number of contacts."""
        num_bodies, _, num_rows, _, envelope_size = (int(each) for each in self.integers[:5])
        return workspace_size(num_bodies, num_rows, envelope_size, max_contacts)


def pack_world(
    world: World, bodies: NDArray[np.intp], excluded_pairs: NDArray[np.intp], shapes: Array
) -> PackedWorld | None:
    """Pack a world; return None if compiled code does not support it.

    It does not support joints whose constraint rows are not constant, helical joints, and infinite
    coefficients of friction.

    Parameters
    ----------
    bodies, excluded_pairs, shapes
        Bodies of the colliders, the world being the last one; pairs of bodies that do not touch, sorted;
        numbers of the colliders.
    """
    mechanism, count = world.mechanism, len(world.mechanism.inertias)
    rotations = [turn for joint in mechanism.joints if (turn := _free_rotation(joint.kind)) is not None]
    has_infinite_friction = np.any(np.isinf(pair_coefficients(world)[0]))
    if len(rotations) < len(mechanism.joints) or not count or has_infinite_friction:
        return None
    order = _joint_order(mechanism.joints)
    joints = [mechanism.joints[i] for i in order]
    sizes = [joint.num_constraints for joint in joints]
    body = [joint.body for joint in joints]
    parent = [count if joint.parent == WORLD else joint.parent for joint in joints]
    row_start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp)
    coupled = _coupled_joints(joints)
    first = _first_entries(row_start, coupled)
    offsets = np.concatenate([[0], np.cumsum(np.arange(1, len(first) + 1) - first)]).astype(int)
    header = [count, len(joints), row_start[-1], len(coupled), offsets[-1], len(bodies), len(excluded_pairs)]
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
        bodies,
        excluded_pairs,
    ]
    starts = np.cumsum([0, *(joint.num_constraints for joint in mechanism.joints)])
    rows = [np.arange(joint.num_constraints) + starts[i] for i, joint in zip(order, joints, strict=True)]
    floats = [
        *_body_arrays(mechanism),
        bounding_radii(world.colliders, len(mechanism.inertias)),
        [rotations[i][1] for i in order],
        *(constant_constraint_rows(joint.kind) for joint in joints),
        *_joint_frames(mechanism, joints),
        shapes,
        *pair_coefficients(world),
        mechanism.gravity,
    ]
    return PackedWorld(
        np.concatenate([np.ravel(each).astype(np.uint64) for each in integers]),
        np.concatenate([np.ravel(each).astype(float) for each in floats]),
        np.concatenate([np.zeros(0, dtype=np.intp), *rows]),
    )


def _free_rotation(kind: JointType) -> tuple[int, Array] | None:
    """Return the kind and the axis of a joint's free rotation; None if its rows are not supported."""
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
    return None


def _joint_order(joints: Sequence[Joint]) -> list[int]:
    """Return an order of the joints in which those that share a body are close together."""
    shares_body = [[_shares_body(first, second) for second in joints] for first in joints]
    if not joints:
        return []
    return [int(i) for i in reverse_cuthill_mckee(sparse.csr_array(np.array(shares_body, dtype=int)), True)]


def _shares_body(first: Joint, second: Joint) -> bool:
    """Return True if two joints share a moving body."""
    return bool({first.body, first.parent} & {second.body, second.parent} - {WORLD})


def _coupled_joints(joints: Sequence[Joint]) -> NDArray[np.intp]:
    """Return the pairs of joints ``(p, 4)`` that share a body, and its side in each."""
    coupled = [
        (i, j, side, other)
        for i, first in enumerate(joints)
        for j, second in enumerate(joints[: i + 1])
        for side, body in enumerate((first.body, first.parent))
        for other, other_body in enumerate((second.body, second.parent))
        if body == other_body != WORLD
    ]
    return np.array(coupled, dtype=np.intp).reshape(-1, 4)


def _first_entries(row_start: NDArray[np.intp], coupled: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the first nonzero column of each row of the joint system."""
    firsts = np.arange(len(row_start) - 1)
    np.minimum.at(firsts, coupled[:, 0], coupled[:, 1])
    result: NDArray[np.intp] = np.repeat(row_start[:-1][firsts], np.diff(row_start))
    return result


def _body_arrays(mechanism: Mechanism) -> list[Array]:
    """Return masses, inertias, their inverses with those of the world, and centers of mass."""
    mass, J, com = mechanism.free.mass_properties
    inverse_mass = np.append(1 / mass, 0.0)
    J_inverse = np.concatenate([np.linalg.inv(J), np.zeros((1, 3, 3))])
    return [mass, J, inverse_mass, J_inverse, com]


def _joint_frames(mechanism: Mechanism, joints: Sequence[Joint]) -> list[Array]:
    """Return the joint frames and their origins from the centers of mass of bodies and parents."""
    com = np.concatenate([mechanism.free.mass_properties.com, np.zeros((1, 3))])  # the world is last
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


def pair_coefficients(world: World) -> tuple[Array, Array]:
    """Return the friction and restitution coefficients of all pairs of colliders."""
    mu, restitution = (
        np.array([getattr(c, name) for c in world.colliders]) for name in ("mu", "restitution")
    )
    return combine_coefficients(mu[:, None], mu), combine_coefficients(restitution[:, None], restitution)
