"""Composite bodies, and the principal frame of a body (Sueda 1.7.1)."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.inertia.spatial import MassProperties, mass_properties
from rbnotes.unchecked import se3, spatial_inertia

EQUAL_COMPONENT_RATIO = 1 - 1e-6
"""Ratio of a component of an axis to its largest above which both count as equal.

Rounding must not decide the sign of an axis.
"""


class PrincipalFrame(NamedTuple):
    """Frame at the center of mass along the principal axes.

    Attributes
    ----------
    E
        Pose ``(..., 4, 4)`` of the frame in the body frame, m, right-handed.
    moments
        Principal moments of inertia ``(..., 3)``, ascending, kg m^2.
    """

    E: Array
    moments: Array


def composite(bodies: Sequence[MassProperties], frames: ArrayLike) -> MassProperties:
    """Return the mass properties of bodies welded together, in a common frame (Sueda 1.7.1, (1.25), (1.26)).

    Parameters
    ----------
    bodies : n mass properties, each in its own frame
    frames : (n, 4, 4)
        Poses of their frames in the common frame, m.

    Raises
    ------
    InvalidArgument
        If there is not one pose for each body, or one of the bodies cannot exist.
    """
    frames = arguments.frame("frames", frames)
    bodies = arguments.instances("bodies", bodies, MassProperties)
    if frames.ndim != 3 or len(frames) != len(bodies) or not len(bodies):
        raise InvalidArgument("frames", f"shape {frames.shape}", f"one pose for each of {len(bodies)} bodies")
    bodies = [mass_properties(*body) for body in bodies]
    centers = [se3.transform_points(E, body.com) for E, body in zip(frames, bodies, strict=True)]
    mass = _sum(body.mass for body in bodies)
    com = _sum(body.mass[..., None] * c for body, c in zip(bodies, centers, strict=True)) / mass[..., None]
    # Summed about the common center, so that a distant origin costs no digits.
    M = _sum(
        spatial_inertia.transform_inertia(
            se3.frame(E[:3, :3], c - com),
            spatial_inertia.spatial_inertia(body.mass, body.inertia, np.zeros(3)),
        )
        for E, body, c in zip(frames, bodies, centers, strict=True)
    )
    inertia = M[..., :3, :3]
    return MassProperties(mass, (inertia + inertia.mT) / 2, com)


def principal_frame(body: MassProperties) -> PrincipalFrame:
    """Return the center of mass and principal axes of a body (Sueda 1.7.1).

    Eigenvectors may be left-handed and of any sign. Here the largest component of the first two axes is
    positive (the first one if several are equal), and the third axis makes the frame right-handed. If moments
    are equal, as for a ball, any axes of their common plane or space are principal.

    Raises
    ------
    InvalidArgument
        If ``body`` is not a ``MassProperties``.
    """
    arguments.require_instance("body", body, MassProperties)
    body = mass_properties(*body)
    moments, axes = np.linalg.eigh(body.inertia)
    sizes = np.abs(axes)
    largest = np.argmax(
        sizes >= EQUAL_COMPONENT_RATIO * np.max(sizes, axis=-2, keepdims=True), axis=-2, keepdims=True
    )
    axes = axes * np.sign(np.take_along_axis(axes, largest, axis=-2))
    axes[..., 2] = np.cross(axes[..., 0], axes[..., 1])
    return PrincipalFrame(se3.frame(axes, body.com), moments)


def _sum(terms: Iterable[Array]) -> Array:
    return functools.reduce(np.add, terms)
