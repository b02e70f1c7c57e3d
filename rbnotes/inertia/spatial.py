"""Mass, centre of mass and rotational inertia, and the 6 x 6 spatial inertia they make.

Spatial inertias act on twists ``(omega, v)`` of the body frame: angular part first. Notes that stack the
linear part first have the same matrix with its blocks swapped, see :func:`swap_stacking`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments, se3, so3
from rbnotes.arguments import Array, InvalidArgument

LINEAR_FIRST = np.array([3, 4, 5, 0, 1, 2])
"""``xi[..., LINEAR_FIRST]`` is the twist or wrench ``xi`` in the other stacking order, either way."""

IMPOSSIBLE_BELOW = -1e-10
"""Smallest accepted second moment of mass, relative to the largest: zero for a plate, but for rounding."""

ROUNDING = 1e-12
"""Negative second moments of mass up to this size, relative to the matrix they were read from, are zeros."""


class MassProperties(NamedTuple):
    """What a rigid body's motion knows of the body."""

    mass: Array
    """``(...)``, kg."""
    inertia: Array
    """``(..., 3, 3)`` about the centre of mass, along the axes of the body frame, kg m^2."""
    com: Array
    """``(..., 3)`` centre of mass in the body frame, m."""


def mass_properties(mass: ArrayLike, inertia: ArrayLike, com: ArrayLike = (0.0, 0.0, 0.0)) -> MassProperties:
    """Checked mass properties of a body that can exist.

    Raises
    ------
    InvalidArgument
        If the mass is not positive, or no distribution of mass has this inertia: its principal moments must
        satisfy ``I1 + I2 >= I3``, that is, all second moments of the mass must be positive or zero.
    """
    mass = arguments.positive("mass", mass)
    inertia = arguments.symmetric("inertia", inertia)
    com = arguments.vector("com", com)
    arguments.common_shape(mass=mass.shape, inertia=inertia.shape[:-2], com=com.shape[:-1])
    moments = np.linalg.eigvalsh(inertia)
    second_moments = np.sum(moments, axis=-1, keepdims=True) / 2 - moments
    largest = np.max(np.abs(moments), axis=-1, keepdims=True)
    impossible = np.any(second_moments < IMPOSSIBLE_BELOW * largest, axis=-1)
    if np.any(impossible):
        triple = moments[impossible][0]
        got = "principal moments " + ", ".join(f"{moment:.6g}" for moment in triple)
        expected = "moments of a body: none negative, none larger than the sum of the other two"
        raise InvalidArgument("inertia", got, expected)
    return MassProperties(mass, inertia, com)


def spatial_inertia(mass: ArrayLike, inertia: ArrayLike, com: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """Spatial inertia ``(..., 6, 6)`` about the body frame's origin (Lloyd 0.1; Si & Guenter 3, eq. (5)).

    Parameters
    ----------
    mass : (...)
    inertia : (..., 3, 3)
        About the centre of mass, along the axes of the body frame.
    com : (..., 3)
        Centre of mass in the body frame.

    Raises
    ------
    InvalidArgument
        If no body has these properties, see :func:`mass_properties`.
    """
    mass, inertia, com = mass_properties(mass, inertia, com)
    m, C = mass[..., None, None], so3.hat(com)
    return _blocks(inertia - m * (C @ C), m * C, -m * C, m * np.eye(3))


def spatial_inertia_inverse(mass: ArrayLike, inertia: ArrayLike, com: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """Inverse ``(..., 6, 6)`` of :func:`spatial_inertia` in closed form (Lloyd 0.1).

    Raises
    ------
    InvalidArgument
        As :func:`spatial_inertia`, and if the inertia is singular (a point mass or a thin rod).
    """
    mass, inertia, com = mass_properties(mass, inertia, com)
    J = np.linalg.inv(arguments.positive_definite("inertia", inertia))
    C = so3.hat(com)
    return _blocks(J, -J @ C, C @ J, np.eye(3) / mass[..., None, None] - C @ J @ C)


def spatial_inertia_factor(mass: ArrayLike, inertia: ArrayLike, com: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """Factor ``G (..., 6, 6)`` of the spatial inertia ``G G^T`` (Lloyd 0.1): triangular, linear part first.

    Raises the same errors as :func:`spatial_inertia_inverse`.
    """
    mass, inertia, com = mass_properties(mass, inertia, com)
    L = np.linalg.cholesky(arguments.positive_definite("inertia", inertia))
    root = np.sqrt(mass)[..., None, None]
    zero = np.zeros((3, 3))
    return _blocks(L, root * so3.hat(com), zero, root * np.eye(3))


def swap_stacking(matrix: ArrayLike) -> Array:
    """A 6 x 6 matrix ``(..., 6, 6)`` of twists or wrenches in the other stacking order; its own inverse."""
    matrix = arguments.array("matrix", matrix, 6, 6)
    return matrix[..., LINEAR_FIRST[:, None], LINEAR_FIRST]


def from_spatial_inertia(M: ArrayLike) -> MassProperties:
    """Mass properties of a spatial inertia ``(..., 6, 6)``, the inverse of :func:`spatial_inertia`.

    The inertia about the centre is a difference: far from the origin, its digits are those that ``M`` still
    has beyond mass times squared distance.

    Raises
    ------
    InvalidArgument
        If ``M`` is not symmetric, or not the spatial inertia of a body.
    """
    M = arguments.symmetric("M", M, 6)
    mass = arguments.positive("mass of M", np.trace(M[..., 3:, 3:], axis1=-2, axis2=-1) / 3)
    first_moment = M[..., :3, 3:]
    com = so3.vee((first_moment - np.swapaxes(first_moment, -1, -2)) / 2) / mass[..., None]
    C = so3.hat(com)
    size = np.max(np.abs(M), axis=(-1, -2))
    inertia = M[..., :3, :3] + mass[..., None, None] * (C @ C)
    body = mass_properties(mass, _without_rounding(inertia, ROUNDING * size), com)
    defect = np.max(np.abs(spatial_inertia(*body) - M), axis=(-1, -2))
    if np.any(defect > 1e-10 * size):
        raise InvalidArgument(
            "M", f"a matrix {np.max(defect):.3g} off that form", "blocks of a spatial inertia"
        )
    return body


def transform_inertia(E: ArrayLike, M: ArrayLike) -> Array:
    """Spatial inertia ``(..., 6, 6)`` in a frame where the body has the pose ``E`` (Sueda 1.7.1, eq. (1.26)).

    Kinetic energy does not depend on the frame: ``Ad(E)^-T M Ad(E)^-1``.
    """
    A, M = se3.Ad_inverse(E), arguments.symmetric("M", M, 6)
    arguments.common_shape(E=A.shape[:-2], M=M.shape[:-2])
    return np.swapaxes(A, -1, -2) @ M @ A


def _without_rounding(inertia: Array, rounding: Array) -> Array:
    """The inertia with second moments of mass between ``-rounding`` and zero set to zero."""
    trace = np.trace(inertia, axis1=-2, axis2=-1)[..., None, None]
    moments, axes = np.linalg.eigh(trace / 2 * np.eye(3) - inertia)
    moments = np.where(moments < -rounding[..., None], moments, np.maximum(moments, 0.0))
    second_moments = axes * moments[..., None, :] @ np.swapaxes(axes, -1, -2)
    return np.sum(moments, axis=-1)[..., None, None] * np.eye(3) - second_moments


def _blocks(upper_left: Array, upper_right: Array, lower_left: Array, lower_right: Array) -> Array:
    blocks = np.broadcast_arrays(upper_left, upper_right, lower_left, lower_right)
    upper = np.concatenate(blocks[:2], axis=-1)
    return np.concatenate([upper, np.concatenate(blocks[2:], axis=-1)], axis=-2)
