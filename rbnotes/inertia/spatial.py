"""Mass, centre of mass and rotational inertia, and the 6 x 6 spatial inertia they make.

Spatial inertias act on twists ``(omega, v)`` of the body frame: angular part first. Notes that stack the
linear part first have the same matrix with its blocks swapped, see :func:`swap_stacking`.

Here arguments are checked; the formulas stand in ``rbnotes/unchecked/spatial_inertia.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.unchecked import so3
from rbnotes.unchecked import spatial_inertia as unchecked_inertia

MIN_RELATIVE_SECOND_MOMENT = -1e-10
"""Smallest accepted second moment of mass, relative to the largest: zero for a plate, but for rounding."""

SECOND_MOMENT_ROUNDING = 1e-12
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
    return _check_properties(mass, inertia, com, arguments.symmetric)


def spatial_inertia(mass: ArrayLike, inertia: ArrayLike, com: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """Spatial inertia ``(..., 6, 6)`` about the body frame's origin (Lloyd 0.1; Si & Guenter 3, eq. (5)).

    Parameters
    ----------
    mass : (...)
        kg.
    inertia : (..., 3, 3)
        About the centre of mass, along the axes of the body frame, kg m^2.
    com : (..., 3)
        Centre of mass in the body frame, m.

    Raises
    ------
    InvalidArgument
        If no body has these properties, see :func:`mass_properties`.
    """
    return unchecked_inertia.spatial_inertia(*_check_properties(mass, inertia, com, arguments.symmetric))


def spatial_inertia_inverse(mass: ArrayLike, inertia: ArrayLike, com: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """Inverse ``(..., 6, 6)`` of :func:`spatial_inertia` in closed form (Lloyd 0.1).

    Raises
    ------
    InvalidArgument
        As :func:`spatial_inertia`, and if the inertia is singular (a point mass or a thin rod).
    """
    return unchecked_inertia.spatial_inertia_inverse(
        *_check_properties(mass, inertia, com, arguments.positive_definite)
    )


def spatial_inertia_factor(mass: ArrayLike, inertia: ArrayLike, com: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """Factor ``G (..., 6, 6)`` of the spatial inertia ``G G^T`` (Lloyd 0.1): triangular, linear part first.

    Raises the same errors as :func:`spatial_inertia_inverse`.

    Raises InvalidArgument if ``mass`` is not positive, ``inertia`` is not positive definite, or the shape of
    ``com`` does not fit.
    """
    return unchecked_inertia.spatial_inertia_factor(
        *_check_properties(mass, inertia, com, arguments.positive_definite)
    )


def swap_stacking(matrix: ArrayLike) -> Array:
    """A 6 x 6 matrix ``(..., 6, 6)`` of twists or wrenches in the other stacking order; its own inverse.

    Raises InvalidArgument if the shape of ``matrix`` does not fit.
    """
    return unchecked_inertia.swap_stacking(arguments.array("matrix", matrix, 6, 6))


def from_spatial_inertia(M: ArrayLike) -> MassProperties:
    """Mass properties of a spatial inertia ``(..., 6, 6)``, the inverse of :func:`spatial_inertia`.

    The inertia about the centre is a difference: far from the origin, its digits are those that ``M`` still
    has beyond mass times squared distance.

    Raises
    ------
    InvalidArgument
        If ``M`` is not symmetric, or not the spatial inertia of a body.
    """
    return from_symmetric_spatial_inertia(arguments.symmetric("M", M, 6))


def from_symmetric_spatial_inertia(M: Array) -> MassProperties:
    """As :func:`from_spatial_inertia`, from matrices that are known to be symmetric."""
    mass = arguments.positive_array("mass of M", np.trace(M[..., 3:, 3:], axis1=-2, axis2=-1) / 3)
    first_moment = M[..., :3, 3:]
    com = so3.vee(first_moment) / mass[..., None]
    C = so3.hat(com)
    size = np.max(np.diagonal(M, axis1=-2, axis2=-1), axis=-1)  # no entry of a body's is larger
    moments, axes = np.linalg.eigh(_second_moments(M[..., :3, :3] + mass[..., None, None] * (C @ C)))
    moments = _clip_rounding(moments, SECOND_MOMENT_ROUNDING * size)
    _check_realizable("inertia in M", moments)
    inertia = _inertia_from_second_moments(moments, axes)
    defect = np.max(np.abs(unchecked_inertia.spatial_inertia(mass, inertia, com) - M), axis=(-1, -2))
    if np.any(defect > 1e-10 * size):
        raise InvalidArgument(
            "M", f"a matrix {np.max(defect):.3g} off that form", "blocks of a spatial inertia"
        )
    return MassProperties(mass, inertia, com)


def nearest_inertia(inertia: ArrayLike, *, tolerance: ArrayLike | None = None) -> Array:
    """Inertia ``(..., 3, 3)`` that some body has, nearest to one that perhaps none has.

    Nearest in the second moments of mass, of which negative ones become zero. Those that are negative by
    more than ``tolerance (...)``, kg m^2, if it is given, are left as they are.

    Raises InvalidArgument if ``inertia`` is not symmetric or ``tolerance`` is negative.
    """
    inertia = arguments.symmetric("inertia", inertia)
    rounding = (
        np.asarray(np.inf) if tolerance is None else arguments.real_array("tolerance", tolerance, minimum=0.0)
    )
    arguments.common_shape(inertia=inertia.shape[:-2], within=rounding.shape)
    moments, axes = np.linalg.eigh(_second_moments(inertia))
    return _inertia_from_second_moments(_clip_rounding(moments, rounding), axes)


def transform_inertia(E: ArrayLike, M: ArrayLike) -> Array:
    """Spatial inertia ``(..., 6, 6)`` in a frame where the body has the pose ``E`` (Sueda 1.7.1, eq. (1.26)).

    Kinetic energy does not depend on the frame: ``Ad(E)^-T M Ad(E)^-1``.

    Raises InvalidArgument if ``E`` is no pose or ``M`` is not symmetric.
    """
    E, M = arguments.frame("E", E), arguments.symmetric("M", M, 6)
    arguments.common_shape(E=E.shape[:-2], M=M.shape[:-2])
    return unchecked_inertia.transform_inertia(E, M)


def _check_properties(
    mass: ArrayLike, inertia: ArrayLike, com: ArrayLike, check_matrix: Callable[[str, ArrayLike], Array]
) -> MassProperties:
    """Mass properties, each checked and all together; for some a singular inertia will do, for some not."""
    body = MassProperties(
        arguments.positive_array("mass", mass), check_matrix("inertia", inertia), arguments.vector("com", com)
    )
    shapes = {"mass": body.mass.shape, "inertia": body.inertia.shape[:-2], "com": body.com.shape[:-1]}
    arguments.common_shape(**shapes)
    _check_realizable("inertia", np.linalg.eigvalsh(_second_moments(body.inertia)))
    return body


def _second_moments(inertia: Array) -> Array:
    """``(..., 3, 3)``, of the mass about its centre: nowhere negative for a body that can exist."""
    trace = np.trace(inertia, axis1=-2, axis2=-1)[..., None, None]
    moments: Array = trace / 2 * np.eye(3) - inertia
    return moments


def _check_realizable(name: str, second_moments: Array) -> None:
    moments = np.sum(second_moments, axis=-1, keepdims=True) - second_moments
    largest = np.max(moments, axis=-1, keepdims=True)
    is_unrealizable = np.any(second_moments < MIN_RELATIVE_SECOND_MOMENT * largest, axis=-1)
    if np.any(is_unrealizable):
        triple = np.sort(moments[is_unrealizable][0])
        got = "principal moments " + ", ".join(f"{moment:.6g}" for moment in triple)
        expected = "moments of a body: none negative, none larger than the sum of the other two"
        raise InvalidArgument(name, got, expected)


def _clip_rounding(second_moments: Array, rounding: Array) -> Array:
    """Those between ``-rounding`` and zero set to zero."""
    is_negative = second_moments < -rounding[..., None]
    return np.where(is_negative, second_moments, np.maximum(second_moments, 0.0))


def _inertia_from_second_moments(moments: Array, axes: Array) -> Array:
    """The inertia whose mass has these second moments ``(..., 3)`` along these axes."""
    second_moments: Array = axes * moments[..., None, :] @ np.swapaxes(axes, -1, -2)
    total: Array = np.sum(moments, axis=-1)[..., None, None]
    return total * np.eye(3) - second_moments
