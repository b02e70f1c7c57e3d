"""Roll, pitch and yaw (Lloyd 0.4): rotations about z, then the new y', then the new x''.

``angles = (theta, phi, psi)`` and ``R = Rz(theta) Ry(phi) Rx(psi)``. The angular
velocity is in base coordinates.

>>> from rbnotes import euler
>>> euler.from_rotation(euler.to_rotation([0.1, 0.2, 0.3])).round(6).tolist()
[0.1, 0.2, 0.3]

The functions check their arguments and call the formulas in ``rbnotes/unchecked/euler.py``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, SingularConfiguration
from rbnotes.unchecked import euler

MIN_COSINE_OF_PITCH = 1e-6
"""Smallest accepted |cos(phi)|: closer to gimbal lock the rates lose over six of their sixteen digits."""


def to_rotation(angles: ArrayLike) -> Array:
    """Return the rotation matrix ``(..., 3, 3)``: about z by theta, y' by phi, x'' by psi (Lloyd 0.4).

    Raises
    ------
    InvalidArgument
        If the shape of ``angles`` does not fit.
    """
    return euler.to_rotation(arguments.vector("angles", angles))


def from_rotation(R: ArrayLike) -> Array:
    """Return the angles ``(..., 3)`` of a rotation matrix, with phi between -pi/2 and pi/2.

    Raises
    ------
    InvalidArgument
        If ``R`` is not a rotation matrix.
    SingularConfiguration
        If ``|cos(phi)| < MIN_COSINE_OF_PITCH``, where only theta -+ psi is determined.
    """
    R = arguments.rotation("R", R)
    _check_gimbal_lock("R", np.hypot(R[..., 0, 0], R[..., 1, 0]))
    return euler.from_rotation(R)


def rates_to_velocity(angles: ArrayLike) -> Array:
    """Return the matrix ``(..., 3, 3)`` from rates to the angular velocity in base coordinates (Lloyd 0.4).

    Raises
    ------
    InvalidArgument
        If the shape of ``angles`` does not fit.
    """
    return euler.rates_to_velocity(arguments.vector("angles", angles))


def velocity_to_rates(angles: ArrayLike) -> Array:
    """Return the matrix ``(..., 3, 3)`` from the angular velocity to the rates (Lloyd 0.4, eq. (0.2)).

    It is the inverse of :func:`rates_to_velocity`. Its rows are the constraint rows of the angles.

    Raises
    ------
    InvalidArgument
        If the shape of ``angles`` does not fit.
    SingularConfiguration
        If ``|cos(phi)| < MIN_COSINE_OF_PITCH``; the message says how far it is from zero.
    """
    angles = arguments.vector("angles", angles)
    _check_gimbal_lock("angles", np.cos(angles[..., 1]))
    return euler.velocity_to_rates(angles)


def rates_to_velocity_dot(angles: ArrayLike, rates: ArrayLike) -> Array:
    """Return the time derivative ``(..., 3, 3)`` of :func:`rates_to_velocity` for given ``rates``.

    Raises
    ------
    InvalidArgument
        If the shape of ``angles`` or ``rates`` does not fit.
    """
    return euler.rates_to_velocity_dot(*_check_angles_and_rates(angles, rates))


def velocity_to_rates_dot(angles: ArrayLike, rates: ArrayLike) -> Array:
    """Return the time derivative ``(..., 3, 3)`` of :func:`velocity_to_rates` (Lloyd 0.4).

    Raises
    ------
    InvalidArgument
        If the shape of ``angles`` or ``rates`` does not fit.
    SingularConfiguration
        If ``|cos(phi)| < MIN_COSINE_OF_PITCH``.
    """
    angles, rates = _check_angles_and_rates(angles, rates)
    _check_gimbal_lock("angles", np.cos(angles[..., 1]))
    return euler.velocity_to_rates_dot(angles, rates)


def _check_angles_and_rates(angles: ArrayLike, rates: ArrayLike) -> tuple[Array, Array]:
    """Return checked angles and their rates."""
    angles, rates = arguments.vector("angles", angles), arguments.vector("rates", rates)
    arguments.common_shape(angles=angles.shape[:-1], rates=rates.shape[:-1])
    return angles, rates


def _check_gimbal_lock(name: str, cosine: Array) -> None:
    smallest = np.min(np.abs(cosine), initial=np.inf)
    if smallest < MIN_COSINE_OF_PITCH:
        raise SingularConfiguration(
            name,
            f"|cos(phi)| = {smallest:.3g}, a pitch {smallest:.3g} rad from +-pi/2",
            f"|cos(phi)| of at least {MIN_COSINE_OF_PITCH:g}: "
            "at a pitch of +-pi/2 the first and last axis align",
        )
