"""Model in joint coordinates as a few flat arrays, which the compiled simulation loop of trees reads."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbnotes.arguments import Array
from rbnotes.compiled.record_layout import tree_workspace_size
from rbnotes.contact.prediction import bounding_radii
from rbnotes.dynamics import zero_forces
from rbnotes.multibody.model import Model
from rbnotes.multibody.packing.packed_colliders import PackedColliders, pack_colliders
from rbnotes.multibody.packing.packed_tree import (
    BALL,
    BodyPlacement,
    Part,
    moving_parts,
    pack_tree,
    with_armature,
    without_springs_and_gravity,
)
from rbnotes.multibody.packing.refusals import unsupported_error
from rbnotes.multibody.reduced.constraints import JointLimit
from rbnotes.multibody.reduced.tree import Tree
from rbnotes.multibody.tree_free_motion import FreeMotion
from rbnotes.unchecked import se3


class PackedTreeModel(NamedTuple):
    """Arrays that :func:`rbnotes.compiled.simulation.tree_simulation_loop.read_tree` reads.

    Attributes
    ----------
    integers
        Counts and indices, then the integers of the packed tree.
    packed_floats
        Floats of the packed tree, without gravity and springs, with the armature.
    floats
        Parts, bodies, joints, colliders and gravity.
    colliders
        Colliders, for contact detection.
    fixed_energy
        Potential energy of gravity of the bodies that are fixed to the world, J.
    """

    integers: NDArray[np.uint64]
    packed_floats: Array
    floats: Array
    colliders: PackedColliders
    fixed_energy: float

    def workspace_size(self, max_contacts: int) -> int:
        """Return the size of the working memory of a run with at most this number of contacts."""
        parts, coordinates, bodies = (int(each) for each in self.integers[:3])
        return tree_workspace_size(parts, coordinates, bodies, max_contacts)


@lru_cache(maxsize=16)
def pack_tree_model(model: Model) -> PackedTreeModel:
    """Pack a model; runs of the same model share the arrays.

    Raises
    ------
    InvalidArgument
        If compiled steps do not support it.
    """
    tree, count = model.tree, len(model.bodies)
    _refuse_features(model)
    parts, bodies = moving_parts(tree)
    for part in parts:
        if part.axis is None and part.kind != BALL:
            raise unsupported_error(f"joints of the type {type(part.joint).__name__} in reduced coordinates")
    colliders = pack_colliders(model.colliders, count, model.excluded_indices)
    packed = with_armature(without_springs_and_gravity(pack_tree(tree)), tree.armature)
    free = _free_parts(tree, parts)
    num_parts, num_colliders = len(parts), len(colliders.bodies)
    header = [
        num_parts,
        tree.num_coordinates,
        count,
        num_colliders,
        (len(colliders.integers) - num_colliders) // 2,
        len(packed.integers),
        len(free.parts),
    ]
    integers: list[Any] = [
        header,
        [num_parts if part.parent < 0 else part.parent for part in parts],
        [part.start for part in parts],
        [part.count for part in parts],
        free.parts,
        free.first_translations,
        _origins(parts),
        [num_parts if part < 0 else part for part, _ in bodies],
        colliders.integers,
        packed.integers,
    ]
    gains = model.actuator_gains
    floats = [
        *_part_arrays(parts),
        tree.armature,
        _support(parts, tree.num_coordinates),
        *free.arrays,
        *_body_arrays(bodies),
        *(tree.joint_parameter(name) for name in ("stiffness", "spring_reference", "damping")),
        gains.kp,
        gains.kd,
        gains.force_limit,
        gains.offset(np.ones(tree.num_coordinates)),
        *_joint_limits(model),
        bounding_radii(model.colliders, count),
        colliders.floats,
        colliders.mu,
        colliders.restitution,
        model.gravity,
    ]
    return PackedTreeModel(
        np.concatenate([np.ravel(each).astype(np.uint64) for each in integers]),
        packed.floats,
        np.concatenate([np.ravel(each).astype(float) for each in floats]),
        colliders,
        _fixed_energy(tree, bodies),
    )


def _refuse_features(model: Model) -> None:
    """Raise an error for a part of the model that compiled steps do not support."""
    constraints = sorted({type(each).__name__ for each in model.constraints if type(each) is not JointLimit})
    for is_unsupported, feature in (
        (model.force_law is not zero_forces, "forces"),
        (bool(constraints), f"constraints of the type {', '.join(constraints)}"),
        (bool(model.bearings), "bearings"),
        (bool(np.any(model.joint_friction)), "dry friction in joints"),
    ):
        if is_unsupported:
            raise unsupported_error(f"{feature} in reduced coordinates")


class _FreeParts(NamedTuple):
    """Parts that move as free bodies (:class:`rbnotes.compiled.simulation.free_parts.FreeParts`)."""

    parts: list[int]
    first_translations: list[int]
    arrays: list[Array]


def _free_parts(tree: Tree, parts: list[Part]) -> _FreeParts:
    """Return the parts with rotation vectors that move as free bodies.

    Raises
    ------
    InvalidArgument
        If the coordinates of a free body begin with its rotation.
    """
    single, is_free = FreeMotion.of_tree(tree, tree.armature).single, np.zeros(tree.num_coordinates)
    part_at, free, translations = {part.start: i for i, part in enumerate(parts)}, [], []
    for joint, own in zip(single.joints, single.coordinates, strict=True):
        is_free[own] = 1.0
        rotation = int(own[-3])
        if rotation not in part_at or parts[part_at[rotation]].kind != BALL:
            raise unsupported_error(f"free bodies on {joint} joints in reduced coordinates")
        free.append(part_at[rotation])
        translations.append(int(own[0]) if len(own) == 6 else tree.num_coordinates)
    inverse = np.linalg.inv(single.inertias)
    return _FreeParts(free, translations, [single.centers, single.inertias, inverse, is_free])


def _origins(parts: list[Part]) -> list[int]:
    """Return the part at whose origin the spatial vectors of each part are taken.

    It is the first one of its root with mass, or the last before the root branches.
    """
    children: list[list[int]] = [[] for _ in parts]
    origins: list[int] = []
    for i, part in enumerate(parts):
        if part.parent >= 0:
            children[part.parent].append(i)
    for i, part in enumerate(parts):
        if part.parent >= 0:
            origins.append(origins[part.parent])
            continue
        origin = i
        while parts[origin].inertia[5, 5] == 0 and len(children[origin]) == 1:
            origin = children[origin][0]
        origins.append(origin)
    return origins


def _support(parts: list[Part], num_coordinates: int) -> Array:
    """Return 1 for the coordinates up to each one that move its part, otherwise 0, padded ``(k, w)``."""
    support: Array = np.zeros((num_coordinates, -(-num_coordinates // 8) * 8))
    for part in parts:
        for j in range(part.start, part.start + part.count):
            if part.parent >= 0:
                parent = parts[part.parent]
                support[j] = support[parent.start + parent.count - 1]
            support[j, part.start : j + 1] = 1.0
    return support


def _part_arrays(parts: list[Part]) -> list[Array]:
    """Return placements, rates, masses, centers of mass, and inertias about them."""
    placements = np.array([part.placement for part in parts]).reshape(-1, 4, 4)
    inertias = np.array([part.inertia for part in parts]).reshape(-1, 6, 6)
    mass = inertias[:, 5, 5]
    moments = np.stack([inertias[:, 2, 4], inertias[:, 0, 5], inertias[:, 1, 3]], axis=-1)
    centers = moments / np.where(mass > 0, mass, 1.0)[:, None]
    squares = np.sum(centers * moments, axis=1)[:, None, None]
    central = inertias[:, :3, :3] - squares * np.eye(3) + moments[:, :, None] * centers[:, None, :]
    rates = np.array([part.axis or (0.0, 0.0) for part in parts]).reshape(-1, 2)
    return [placements[:, :3, :3], placements[:, :3, 3], rates, mass, centers, central]


def _body_arrays(bodies: list[BodyPlacement]) -> list[Array]:
    """Return the orientations and positions of the bodies in their parts."""
    frames = np.array([frame for _, frame in bodies]).reshape(-1, 4, 4)
    return [frames[:, :3, :3], frames[:, :3, 3]]


def _fixed_energy(tree: Tree, bodies: list[BodyPlacement]) -> float:
    """Return the potential energy of gravity of the bodies that are fixed to the world."""
    weights, centers = tree.weights_and_centers
    return -sum(
        float(weight @ se3.transform_points(frame, center))
        for (part, frame), weight, center in zip(bodies, weights, centers, strict=True)
        if part < 0
    )


def _joint_limits(model: Model) -> tuple[Array, Array]:
    """Return the lower and upper limits of all coordinates; infinite without a limit."""
    tree = model.tree
    lower, upper = np.full(tree.num_coordinates, -np.inf), np.full(tree.num_coordinates, np.inf)
    for each in model.constraints:
        if isinstance(each, JointLimit):
            index = tree.coordinate_slices[tree.index(each.link)].start + each.coordinate
            lower[index], upper[index] = max(lower[index], each.lower), min(upper[index], each.upper)
    return lower, upper
