"""Colliders of a model as arrays, and compiled contact detection."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbnotes.arguments import Array
from rbnotes.compiled.compilation import compiled_function
from rbnotes.compiled.record_layout import CONTACT_POINT_SIZE
from rbnotes.contact import Collider, ContactPoints
from rbnotes.contact.detection import collision_filter, combine_coefficients
from rbnotes.dynamics import WORLD
from rbnotes.multibody.packing.refusals import unsupported_error
from rbnotes.shapes import Plane, RoundedBox
from rbnotes.unchecked.frozen import construct_unchecked

CONTACT_COLUMNS = 2 + CONTACT_POINT_SIZE
"""Numbers of a contact: two shapes, then position (3), normal (3), gap."""


class PackedColliders(NamedTuple):
    """Colliders of a model as arrays.

    Attributes
    ----------
    integers
        Body of each collider, the world being the last body; then the pairs of bodies that do not touch.
    floats
        Pose in the body, half extents and radius of each collider.
    bodies
        Body of each collider ``(k,)``, or ``WORLD``.
    mu
        Friction coefficients of all pairs of colliders ``(k, k)``.
    restitution
        Restitution coefficients of all pairs of colliders ``(k, k)``.
    """

    integers: NDArray[np.uint64]
    floats: Array
    bodies: NDArray[np.intp]
    mu: Array
    restitution: Array

    def detect_contacts(self, poses: Array, margin: float) -> ContactPoints:
        """Return the contacts with gaps up to a margin, for valid poses, from compiled code."""
        body_poses = np.concatenate([poses.ravel(), np.eye(4).ravel()])
        find_contacts, capacity = compiled_function("find_shape_contacts"), 8 * len(poses) + 8
        while True:
            contacts = np.empty((capacity, CONTACT_COLUMNS))
            count = find_contacts(
                self.integers, self.floats, body_poses, np.array([margin]), contacts.ravel()
            )
            if count <= capacity:
                break
            capacity *= 2
        contacts = contacts[:count]
        a, b = contacts[:, 0].astype(np.intp), contacts[:, 1].astype(np.intp)
        return construct_unchecked(
            ContactPoints,
            a=self.bodies[a],
            b=self.bodies[b],
            position=contacts[:, 2:5],
            normal=contacts[:, 5:8],
            gap=contacts[:, 8],
            mu=self.mu[a, b],
            restitution=self.restitution[a, b],
        )


def pack_colliders(
    colliders: Sequence[Collider], num_bodies: int, excluded_pairs: Sequence[tuple[int, int]]
) -> PackedColliders:
    """Return the colliders as arrays.

    Raises
    ------
    InvalidArgument
        If two planes may touch, a coefficient of friction is infinite, or compiled steps do not support a
        shape.
    """
    for each in colliders:
        if not isinstance(each.collision_geometry, RoundedBox | Plane):
            raise unsupported_error(f"colliders of the type {type(each.collision_geometry).__name__}")
    is_allowed = collision_filter(excluded_pairs)
    planes = [each for each in colliders if isinstance(each.collision_geometry, Plane)]
    if any(is_allowed(first, second) for first, second in combinations(planes, 2)):
        raise unsupported_error("two planes that may touch")
    bodies = [num_bodies if each.body == WORLD else each.body for each in colliders]
    excluded = {
        tuple(sorted(num_bodies if body == WORLD else body for body in pair)) for pair in excluded_pairs
    }
    rows = [_shape_numbers(each) for each in colliders]
    integers = np.concatenate([bodies, np.array(sorted(excluded), dtype=int).ravel()])
    mu, restitution = (
        np.array([getattr(each, name) for each in colliders]) for name in ("mu", "restitution")
    )
    combined_mu = combine_coefficients(mu[:, None], mu)
    if np.any(np.isinf(combined_mu)):
        raise unsupported_error("infinite coefficients of friction")
    return PackedColliders(
        integers.astype(np.uint64),
        np.concatenate([np.zeros(0), *rows]),
        np.array([each.body for each in colliders], dtype=np.intp),
        combined_mu,
        combine_coefficients(restitution[:, None], restitution),
    )


def _shape_numbers(collider: Collider) -> Array:
    """Return the frame, the half extents and the radius of a collider."""
    surface = collider.collision_geometry
    half, radius = (
        (surface.half_extents, surface.radius) if isinstance(surface, RoundedBox) else (np.zeros(3), np.inf)
    )
    return np.concatenate([collider.frame.ravel(), half, [radius]])
