"""Several bodies welded into one, and the frame in which its inertia is diagonal (Sueda 1.7.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments, se3
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.inertia.spatial import (
    MassProperties,
    from_spatial_inertia,
    mass_properties,
    spatial_inertia,
    transform_inertia,
)


class PrincipalFrame(NamedTuple):
    """The frame at the centre of mass whose axes are principal."""

    E: Array
    """Its pose ``(4, 4)`` in the body frame, right-handed."""
    moments: Array
    """Principal moments of inertia ``(3,)``, ascending."""


def composite(bodies: Sequence[MassProperties], frames: ArrayLike) -> MassProperties:
    """Mass properties of bodies welded together, in their common frame (Sueda 1.7.1, eqs. (1.25), (1.26)).

    Parameters
    ----------
    bodies : n mass properties, each in its own frame
    frames : (n, 4, 4)
        Poses of these frames in the common one.
    """
    frames = arguments.frame("frames", frames)
    if frames.ndim != 3 or len(frames) != len(bodies) or not len(bodies):
        raise InvalidArgument("frames", f"shape {frames.shape}", f"one pose for each of {len(bodies)} bodies")
    total = sum(transform_inertia(E, spatial_inertia(*body)) for E, body in zip(frames, bodies, strict=True))
    return from_spatial_inertia(total)


def principal_frame(body: MassProperties) -> PrincipalFrame:
    """Centre of mass and principal axes of one body (Sueda 1.7.1).

    The eigenvectors may come out left-handed and with any sign. Here the largest component of the first two
    axes is positive, and the third completes a right-handed frame.
    """
    body = mass_properties(*body)
    if body.inertia.ndim != 2:
        raise InvalidArgument("body", f"inertia of shape {body.inertia.shape}", "a single body")
    moments, axes = np.linalg.eigh(body.inertia)
    largest = np.argmax(np.abs(axes), axis=0)
    axes = axes * np.sign(axes[largest, np.arange(3)])
    axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
    return PrincipalFrame(se3.frame(axes, body.com), moments)
