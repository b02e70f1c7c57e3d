"""Mass, center of mass, rotational inertia, and 6 x 6 spatial inertia.

Spatial inertias act on twists ``(omega, v)`` of the body frame: angular part first. Notes that stack the
linear part first have the same matrix with its blocks swapped, see :func:`swap_stacking`.

The functions check their arguments and call the formulas in ``rbnotes/unchecked/spatial_inertia.py``.
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
"""Smallest accepted second moment of mass relative to the largest; zero for a plate except for rounding."""

SECOND_MOMENT_ROUNDING = 1e-12
"""Size of negative second moments, relative to the matrix from which they follow, that count as zero."""


class MassProperties(NamedTuple):
    """Mass, rotational inertia and center of mass of a rigid body.

    Attributes
    ----------
    mass
        Mass ``(...)``, kg.
    inertia
        Rotational inertia ``(..., 3, 3)`` about the center of mass, in the axes of the body frame, kg m^2.
    com
        Center of mass ``(..., 3)`` in the body frame, m.
    """

    mass: Array
    inertia: Array
    com: Array


def mass_properties(mass: ArrayLike, inertia: ArrayLike, com: ArrayLike = (0.0, 0.0, 0.0)) -> MassProperties:
    """Return checked mass properties of a physical body.

    Raises
    ------
    InvalidArgument
        If the mass is not positive, or no distribution of mass has this inertia: its principal moments must
        satisfy ``I1 + I2 >= I3``, that is, all second moments of the mass must be positive or zero.
    """
    return _check_properties(mass, inertia, com, arguments.symmetric)


def spatial_inertia(mass: ArrayLike, inertia: ArrayLike, com: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """Return the spatial inertia ``(..., 6, 6)`` about the body origin (Lloyd 0.1; Si & Guenter 3, eq. (5)).

    Parameters
    ----------
    mass : (...)
        Mass, kg.
    inertia : (..., 3, 3)
        Rotational inertia about the center of mass, in the axes of the body frame, kg m^2.
    com : (..., 3)
        Center of mass in the body frame, m.

    Raises
    ------
    InvalidArgument
        If no body has these properties, see :func:`mass_properties`.
    """
    return unchecked_inertia.spatial_inertia(*_check_properties(mass, inertia, com, arguments.symmetric))


def spatial_inertia_inverse(mass: ArrayLike, inertia: ArrayLike, com: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """Return the inverse ``(..., 6, 6)`` of :func:`spatial_inertia` in closed form (Lloyd 0.1).

    Raises
    ------
    InvalidArgument
        If no body has these properties, or the inertia is singular (a point mass or a thin rod).
    """
    return unchecked_inertia.spatial_inertia_inverse(
        *_check_properties(mass, inertia, com, arguments.positive_definite)
    )


def spatial_inertia_factor(mass: ArrayLike, inertia: ArrayLike, com: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """Return the factor ``G (..., 6, 6)`` of ``G G^T`` (Lloyd 0.1): triangular, linear part first.

    Raises
    ------
    InvalidArgument
        If ``mass`` is not positive, ``inertia`` is not positive definite, or the shape of ``com`` does not
        fit.
    """
    return unchecked_inertia.spatial_inertia_factor(
        *_check_properties(mass, inertia, com, arguments.positive_definite)
    )


def swap_stacking(matrix: ArrayLike) -> Array:
    """Return a matrix ``(..., 6, 6)`` of twists or wrenches in the other stacking order; its own inverse.

    Raises
    ------
    InvalidArgument
        If the shape of ``matrix`` does not fit.
    """
    return unchecked_inertia.swap_stacking(arguments.array("matrix", matrix, 6, 6))


def from_spatial_inertia(M: ArrayLike) -> MassProperties:
    """Return the mass properties of a spatial inertia ``(..., 6, 6)``; see :func:`spatial_inertia`.

    The inertia about the center is a difference, which loses digits far from the origin.

    Raises
    ------
    InvalidArgument
        If ``M`` is not symmetric, or not the spatial inertia of a body.
    """
    return from_symmetric_spatial_inertia(arguments.symmetric("M", M, 6))


def from_symmetric_spatial_inertia(M: Array) -> MassProperties:
    """Return :func:`from_spatial_inertia` for symmetric matrices, without checks of symmetry."""
    mass = arguments.positive_array("mass of M", np.trace(M[..., 3:, 3:], axis1=-2, axis2=-1) / 3)
    first_moment = M[..., :3, 3:]
    com = so3.vee(first_moment) / mass[..., None]
    C = so3.hat(com)
    size = np.max(np.diagonal(M, axis1=-2, axis2=-1), axis=-1)  # the largest entry of a spatial inertia
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
    """Return the physical inertia ``(..., 3, 3)`` nearest to a given one.

    Negative second moments of mass are set to zero. Those that are negative by more than ``tolerance (...)``,
    kg m^2, if it is given, are not changed.

    Raises
    ------
    InvalidArgument
        If ``inertia`` is not symmetric or ``tolerance`` is negative.
    """
    inertia = arguments.symmetric("inertia", inertia)
    rounding = (
        np.asarray(np.inf) if tolerance is None else arguments.real_array("tolerance", tolerance, minimum=0.0)
    )
    arguments.common_shape(inertia=inertia.shape[:-2], tolerance=rounding.shape)
    moments, axes = np.linalg.eigh(_second_moments(inertia))
    return _inertia_from_second_moments(_clip_rounding(moments, rounding), axes)


def transform_inertia(E: ArrayLike, M: ArrayLike) -> Array:
    """Return the spatial inertia ``(..., 6, 6)`` in the frame where the body has pose ``E`` (Sueda (1.26)).

    Kinetic energy does not depend on the frame: ``Ad(E)^-T M Ad(E)^-1``.

    Raises
    ------
    InvalidArgument
        If ``E`` is not a pose or ``M`` is not symmetric.
    """
    E, M = arguments.frame("E", E), arguments.symmetric("M", M, 6)
    arguments.common_shape(E=E.shape[:-2], M=M.shape[:-2])
    return unchecked_inertia.transform_inertia(E, M)


def _check_properties(
    mass: ArrayLike, inertia: ArrayLike, com: ArrayLike, check_matrix: Callable[[str, ArrayLike], Array]
) -> MassProperties:
    """Return checked mass properties; ``check_matrix`` accepts or rejects a singular inertia."""
    body = MassProperties(
        arguments.positive_array("mass", mass), check_matrix("inertia", inertia), arguments.vector("com", com)
    )
    shapes = {"mass": body.mass.shape, "inertia": body.inertia.shape[:-2], "com": body.com.shape[:-1]}
    arguments.common_shape(**shapes)
    _check_realizable("inertia", np.linalg.eigvalsh(_second_moments(body.inertia)))
    return body


def _second_moments(inertia: Array) -> Array:
    """Return the second moments ``(..., 3, 3)`` of mass about its center, nonnegative for a physical body."""
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
    """Return second moments with values between ``-rounding`` and zero set to zero."""
    is_negative = second_moments < -rounding[..., None]
    return np.where(is_negative, second_moments, np.maximum(second_moments, 0.0))


def _inertia_from_second_moments(moments: Array, axes: Array) -> Array:
    """Return the inertia for second moments of mass ``(..., 3)`` along axes."""
    second_moments: Array = axes * moments[..., None, :] @ axes.mT
    total: Array = np.sum(moments, axis=-1)[..., None, None]
    return total * np.eye(3) - second_moments
