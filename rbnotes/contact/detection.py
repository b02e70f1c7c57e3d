"""Collision detection between bodies.

Of the libraries that could do this, coal (formerly hpp-fcl) reports one deepest point for most pairs and has
a few hundred megabytes of dependencies, python-fcl reports nothing for bodies that are close but do not
overlap, and MuJoCo and Bullet are whole simulators. For the shapes of this book a few short modules suffice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import KDTree

from rbnotes import arguments
from rbnotes.arguments import Array, IntArray, InvalidArgument
from rbnotes.contact.convex import PlacedSolid, convex_manifold, plane_manifold
from rbnotes.contact.distance import Core
from rbnotes.contact.height_fields import height_field_manifold
from rbnotes.contact.manifolds import ContactManifold, empty_manifold, rounded_box_manifold
from rbnotes.dynamics import WORLD
from rbnotes.shapes import CollisionGeometry, ConvexShape, Ground, HeightField, RoundedBox, Shape
from rbnotes.unchecked.contact_axes import contact_axes
from rbnotes.unchecked.frozen import set_fields


@dataclass(frozen=True, eq=False)
class Collider:
    """Shape attached to a body or to the world.

    The coefficients of friction and restitution of a pair are the geometric means of those of the two
    colliders.

    Attributes
    ----------
    body
        Index of the body, or ``WORLD``.
    shape
        :class:`~rbnotes.shapes.Box`, ``Sphere``, ``Capsule``, ``Cylinder``, ``Cone``, ``Ellipsoid``,
        ``ConvexMesh``, ``RoundedBox``, ``Plane`` or ``HeightField``.
    frame
        Pose of the shape in the body ``(4, 4)``, m.
    mu
        Friction coefficient, dimensionless; infinite for contacts that stick while they push.
    restitution
        Coefficient of restitution, 0 to 1, dimensionless.

    Raises
    ------
    InvalidArgument
        If ``body`` is not a body or WORLD, ``frame`` is not a pose, ``mu`` is negative, or ``restitution`` is
        not in [0, 1].
    """

    body: int
    shape: Shape
    frame: Array = field(default_factory=lambda: np.eye(4))
    mu: float = 0.5
    restitution: float = 0.0

    def __post_init__(self) -> None:
        is_integer = isinstance(self.body, int | np.integer) and not isinstance(self.body, bool)
        if not is_integer or self.body < WORLD:
            got = arguments.format_value(self.body)
            raise InvalidArgument("body", got, "the number of a body, or WORLD")
        arguments.require_instance("shape", self.shape, Shape)
        _ = self.shape.collision_geometry  # raises an error if there is none
        restitution = arguments.real_number("restitution", self.restitution, minimum=0, maximum=1)
        set_fields(
            self,
            frame=arguments.with_ndim("frame", arguments.frame("frame", self.frame), 2),
            mu=friction_coefficient("mu", self.mu),
            restitution=restitution,
        )

    @cached_property
    def collision_geometry(self) -> CollisionGeometry:
        """Geometry for which contacts are computed."""
        return self.shape.collision_geometry


@dataclass(frozen=True, eq=False)
class ContactPoints:
    """Points at which bodies touch or nearly touch.

    Attributes
    ----------
    a
        Index of the body that the normal pushes ``(c,)``, or ``WORLD``.
    b
        Index of the body that is pushed the other way ``(c,)``, or ``WORLD``.
    position
        Midpoints between the surfaces, in the world ``(c, 3)``, m.
    normal
        Unit vectors from b to a, in the world ``(c, 3)``: ``N v`` is the separation velocity.
    gap
        Distances of the surfaces along the normal ``(c,)``, negative if they overlap, m.
    mu
        Friction coefficients ``(c,)``, dimensionless.
    restitution
        Coefficients of restitution ``(c,)``, 0 to 1, dimensionless.
    """

    a: IntArray
    b: IntArray
    position: Array
    normal: Array
    gap: Array
    mu: Array
    restitution: Array

    def __len__(self) -> int:
        return len(self.gap)

    @cached_property
    def axes(self) -> Array:
        """Normals and tangents in the world, as rows ``(c, 3, 3)``; see :func:`tangent_directions`."""
        return contact_axes(self.normal)

    def __getitem__(self, selection: Any) -> ContactPoints:
        """Return the points selected by a mask or by indices."""
        return ContactPoints(
            self.a[selection],
            self.b[selection],
            self.position[selection],
            self.normal[selection],
            self.gap[selection],
            self.mu[selection],
            self.restitution[selection],
        )


def collide(
    shape_a: Shape, pose_a: ArrayLike, shape_b: Shape, pose_b: ArrayLike, margin: float = 0.0
) -> ContactManifold:
    """Return the contact points of two shapes with gaps of at most ``margin``.

    Contact points of boxes are the corners of the overlap of two faces, the ends of an edge, or a single
    point; capsules that lie flat touch in two points, spheres in one. The normal is the direction between the
    closest points or, for overlapping cores, the direction of least overlap. If a face or edge lies nearly
    flat on a face, it is the normal of that face (:data:`~rbnotes.contact.manifolds.FLAT_TOLERANCE`). For
    several equally good directions (spheres with the same center) see
    :func:`~rbnotes.contact.distance.separating_axis`.

    Parameters
    ----------
    shape_a, shape_b
        Shapes as for :class:`Collider`; at most one of them is a plane or a height field.
    pose_a, pose_b : (4, 4)
        Poses of the shapes' frames in the world, m.
    margin
        Largest gap, m.

    Raises
    ------
    InvalidArgument
        If both shapes are planes or height fields.
    """
    pose_a = arguments.with_ndim("pose_a", arguments.frame("pose_a", pose_a), 2)
    pose_b = arguments.with_ndim("pose_b", arguments.frame("pose_b", pose_b), 2)
    margin = arguments.real_number("margin", margin, minimum=0)
    for name, shape in (("shape_a", shape_a), ("shape_b", shape_b)):
        arguments.require_instance(name, shape, Shape)
    return _narrow_phase(shape_a.collision_geometry, pose_a, shape_b.collision_geometry, pose_b, margin)


def contact_points(
    colliders: Sequence[Collider],
    poses: ArrayLike,
    margin: float = 0.0,
    *,
    excluded_pairs: Sequence[tuple[int, int]] = (),
) -> ContactPoints:
    """Return all contact points between bodies, and between bodies and the world.

    Parameters
    ----------
    colliders
        Shapes of the bodies and the world.
    poses : (n, 4, 4)
        Poses of the bodies, m.
    margin
        Largest gap, m.
    excluded_pairs
        Pairs of bodies (indices, or ``WORLD``) that do not collide, such as neighbors at a joint.

    Raises
    ------
    InvalidArgument
        If ``poses`` are not poses or ``margin`` is negative.
    """
    poses = arguments.with_ndim("poses", arguments.frame("poses", poses), 3)
    colliders, excluded_pairs = check_colliders(colliders, len(poses)), check_excluded_pairs(excluded_pairs)
    for collider in colliders:
        if collider.body >= len(poses):
            raise InvalidArgument("colliders", f"body {collider.body}", f"numbers below {len(poses)}")
    return contact_points_unchecked(
        colliders, poses, arguments.real_number("margin", margin, minimum=0), excluded_pairs
    )


def check_colliders(colliders: Sequence[Collider], num_bodies: int) -> tuple[Collider, ...]:
    """Return the colliders as a tuple after checking that their bodies exist."""
    result = arguments.instances("colliders", colliders, Collider)
    for collider in result:
        if collider.body >= num_bodies:
            raise InvalidArgument(
                "colliders", f"body {collider.body}", f"one of {num_bodies}, counted from 0"
            )
    return result


def check_excluded_pairs(excluded_pairs: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Return the pairs of indices of bodies as a tuple after checking them."""
    pairs = arguments.instances("excluded_pairs", excluded_pairs, tuple, list, np.ndarray)
    if not all(arguments.indices("excluded_pairs", pair, minimum=WORLD).shape == (2,) for pair in pairs):
        raise InvalidArgument("excluded_pairs", arguments.format_value(pairs), "pairs of numbers of bodies")
    return tuple((int(a), int(b)) for a, b in pairs)


def contact_points_unchecked(
    colliders: Sequence[Collider], poses: Array, margin: float, excluded_pairs: Sequence[tuple[int, int]]
) -> ContactPoints:
    """Return :func:`contact_points` for valid poses, without checks."""
    collider_poses = [_collider_pose(collider, poses) for collider in colliders]
    is_allowed = collision_filter(excluded_pairs)
    firsts: list[Collider] = []
    seconds: list[Collider] = []
    manifolds = [empty_manifold()]
    for i, j in _broad_phase(colliders, collider_poses, margin):
        first, second = colliders[i], colliders[j]
        if not is_allowed(first, second):
            continue
        manifold = _narrow_phase(
            first.collision_geometry, collider_poses[i], second.collision_geometry, collider_poses[j], margin
        )
        manifolds.append(manifold)
        firsts += [first] * len(manifold.gap)
        seconds += [second] * len(manifold.gap)
    (a, mu_a, restitution_a), (b, mu_b, restitution_b) = map(_surface_data, (firsts, seconds))
    position, normal, gap = map(np.concatenate, zip(*manifolds, strict=True))
    return ContactPoints(
        a,
        b,
        position,
        normal,
        gap,
        combine_coefficients(mu_a, mu_b),
        combine_coefficients(restitution_a, restitution_b),
    )


def _surface_data(colliders: Sequence[Collider]) -> tuple[IntArray, Array, Array]:
    """Return bodies, coefficients of friction and of restitution of colliders, each ``(c,)``."""
    bodies = np.array([collider.body for collider in colliders], dtype=np.intp)
    mu, restitution = (
        np.array([getattr(collider, name) for collider in colliders]) for name in ("mu", "restitution")
    )
    return bodies, mu, restitution


def collision_filter(excluded_pairs: Sequence[tuple[int, int]]) -> Callable[[Collider, Collider], bool]:
    """Return a predicate that is true if two colliders belong to different bodies that may collide."""
    excluded = {frozenset(pair) for pair in excluded_pairs}

    def is_allowed(first: Collider, second: Collider) -> bool:
        return first.body != second.body and frozenset((first.body, second.body)) not in excluded

    return is_allowed


def combine_coefficients(first: Any, second: Any) -> Any:
    """Return the coefficient of friction or restitution of a pair, the geometric mean of both.

    It is zero if one of them is, even if the other is infinite.
    """
    has_friction = np.minimum(first, second) > 0
    return np.sqrt(np.where(has_friction, first, 0.0) * np.where(has_friction, second, 0.0))


def friction_coefficient(name: str, value: Any) -> float:
    """Return a coefficient of friction, a nonnegative number or infinity.

    Raises
    ------
    InvalidArgument
        If it is anything else; the message calls it ``name``.
    """
    is_infinite = isinstance(value, float) and value == np.inf
    return np.inf if is_infinite else arguments.real_number(name, value, minimum=0)


def _narrow_phase(
    a: CollisionGeometry, pose_a: Array, b: CollisionGeometry, pose_b: Array, margin: float
) -> ContactManifold:
    """Return the manifold of two shapes by the algorithm for their types."""
    if isinstance(a, Ground):
        if isinstance(b, Ground):
            got = f"a {type(a).__name__} and a {type(b).__name__}"
            raise InvalidArgument("shape_a, shape_b", got, "at most one: both are fixed to the world")
        flipped = _narrow_phase(b, pose_b, a, pose_a, margin)
        return flipped._replace(normal=-flipped.normal)
    if isinstance(b, HeightField):
        return height_field_manifold(_place_solid(a, pose_a), b, pose_b, margin)
    if isinstance(b, Ground):
        return plane_manifold(_place_solid(a, pose_a), pose_b[:3, 2], pose_b[:3, 3], margin)
    if isinstance(a, RoundedBox) and isinstance(b, RoundedBox):
        return rounded_box_manifold(_core(a, pose_a), a.radius, _core(b, pose_b), b.radius, margin)
    return convex_manifold(_place_solid(a, pose_a), _place_solid(b, pose_b), margin)


def _place_solid(shape: ConvexShape, pose: Array) -> PlacedSolid:
    return PlacedSolid(shape, pose[:3, :3], pose[:3, 3])


def _core(shape: RoundedBox, pose: Array) -> Core:
    return Core(shape.half_extents, pose[:3, :3], pose[:3, 3])


def _collider_pose(collider: Collider, poses: Array) -> Array:
    if collider.body == WORLD:
        return collider.frame
    pose: Array = poses[collider.body] @ collider.frame
    return pose


def _broad_phase(
    colliders: Sequence[Collider], collider_poses: list[Array], margin: float
) -> list[tuple[int, int]]:
    """Return the pairs whose bounding spheres are within the margin, except those within the world."""
    count = len(colliders)
    centers = np.array([pose[:3, 3] for pose in collider_poses]).reshape(count, 3)
    geometries = [collider.collision_geometry for collider in colliders]
    is_bounded = np.array([isinstance(each, ConvexShape) for each in geometries], dtype=bool)
    bounded = np.flatnonzero(is_bounded)
    radii = np.array([each.bounding_radius if isinstance(each, ConvexShape) else 0.0 for each in geometries])
    pairs = [bounded[overlapping_spheres(centers[bounded], radii[bounded] + margin / 2)]]
    for i in np.flatnonzero(~is_bounded):
        ground = geometries[i]
        highest = float(np.max(ground.heights)) if isinstance(ground, HeightField) else 0.0
        heights = (centers - centers[i]) @ collider_poses[i][:3, 2] - highest - radii
        others = np.flatnonzero((heights <= margin) & (is_bounded | (np.arange(count) > i)))
        pairs.append(np.stack([others, np.full(len(others), i)], axis=1))
    candidates = np.sort(np.concatenate(pairs), axis=1)
    is_movable = np.array([collider.body != WORLD for collider in colliders], dtype=bool)
    candidates = candidates[np.any(is_movable[candidates], axis=1)]
    return [(int(i), int(j)) for i, j in candidates[np.lexsort(candidates.T[::-1])]]


def overlapping_spheres(centers: Array, radii: Array) -> IntArray:
    """Return the pairs ``(p, 2)`` of spheres that overlap, without checks.

    Spheres whose radii differ by less than a factor of two share one tree. With few sizes, the cost for each
    sphere hardly depends on the number of spheres.
    """
    sizes = np.frexp(radii)[1]
    members = [np.flatnonzero(sizes == size) for size in np.unique(sizes)]
    trees = [KDTree(centers[each]) for each in members]
    pairs = [np.zeros((0, 2), dtype=np.intp)]
    for i, first in enumerate(members):
        for j, second in enumerate(members[: i + 1]):
            max_distance = np.max(radii[first]) + np.max(radii[second])
            near = trees[i].sparse_distance_matrix(trees[j], max_distance, output_type="ndarray")
            a, b = first[near["i"]], second[near["j"]]
            is_pair = (near["v"] <= radii[a] + radii[b]) & ((a < b) | (i != j))
            pairs.append(np.stack([a, b], axis=1)[is_pair])
    return np.concatenate(pairs)
