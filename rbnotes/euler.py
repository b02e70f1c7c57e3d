"""Roll, pitch and yaw as Lloyd 0.4 names them: about z, then the new y', then the newest x''.

``angles = (theta, phi, psi)`` and ``R = Rz(theta) Ry(phi) Rx(psi)``. The maps between rates and angular
velocity are for the angular velocity in base coordinates.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, SingularConfiguration

SINGULAR_WITHIN = 1e-6
"""Smallest accepted |cos(phi)|: closer to gimbal lock the rates lose over six of their sixteen digits."""


def to_rotation(angles: ArrayLike) -> Array:
    """Rotation matrix ``(..., 3, 3)``: about z by theta, y' by phi, x'' by psi (Lloyd 0.4)."""
    (ct, cf, cp), (st, sf, sp) = _cosines_and_sines(angles)
    return _matrix(
        [
            [ct * cf, ct * sf * sp - st * cp, ct * sf * cp + st * sp],
            [st * cf, st * sf * sp + ct * cp, st * sf * cp - ct * sp],
            [-sf, cf * sp, cf * cp],
        ]
    )


def from_rotation(R: ArrayLike) -> Array:
    """Angles ``(..., 3)`` of a rotation matrix, with phi between -pi/2 and pi/2.

    Raises
    ------
    SingularConfiguration
        Within ``SINGULAR_WITHIN`` of phi = +-pi/2, where only theta -+ psi is determined.
    """
    R = arguments.rotation("R", R)
    cosine = np.hypot(R[..., 0, 0], R[..., 1, 0])
    _refuse_gimbal_lock("R", cosine)
    return np.stack(
        [
            np.arctan2(R[..., 1, 0], R[..., 0, 0]),
            np.arctan2(-R[..., 2, 0], cosine),
            np.arctan2(R[..., 2, 1], R[..., 2, 2]),
        ],
        axis=-1,
    )


def rates_to_velocity(angles: ArrayLike) -> Array:
    """Matrix ``(..., 3, 3)`` from the rates to the angular velocity in base coordinates (Lloyd 0.4)."""
    (ct, cf, _), (st, sf, _) = _cosines_and_sines(angles)
    zero, one = np.zeros_like(ct), np.ones_like(ct)
    return _matrix([[zero, -st, ct * cf], [zero, ct, st * cf], [one, zero, -sf]])


def velocity_to_rates(angles: ArrayLike) -> Array:
    """Inverse of :func:`rates_to_velocity` (Lloyd 0.4, eq. (0.2)); its rows constrain the single angles.

    Raises
    ------
    SingularConfiguration
        If ``|cos(phi)| < SINGULAR_WITHIN``; the message says how far it is from zero.
    """
    (ct, cf, _), (st, sf, _) = _cosines_and_sines(angles)
    _refuse_gimbal_lock("angles", cf)
    zero, one = np.zeros_like(ct), np.ones_like(ct)
    return _matrix([[ct * sf / cf, st * sf / cf, one], [-st, ct, zero], [ct / cf, st / cf, zero]])


def rates_to_velocity_dot(angles: ArrayLike, rates: ArrayLike) -> Array:
    """Time derivative ``(..., 3, 3)`` of :func:`rates_to_velocity` while the angles change at ``rates``."""
    (ct, cf, _), (st, sf, _) = _cosines_and_sines(angles)
    dt, df, _ = _unstack(arguments.vector("rates", rates))
    zero = np.zeros_like(ct * dt)
    return _matrix(
        [
            [zero, -ct * dt, -st * cf * dt - ct * sf * df],
            [zero, -st * dt, ct * cf * dt - st * sf * df],
            [zero, zero, -cf * df],
        ]
    )


def velocity_to_rates_dot(angles: ArrayLike, rates: ArrayLike) -> Array:
    """Time derivative ``(..., 3, 3)`` of :func:`velocity_to_rates`, the derivatives of its rows (Lloyd 0.4).

    Raises
    ------
    SingularConfiguration
        If ``|cos(phi)| < SINGULAR_WITHIN``.
    """
    (ct, cf, _), (st, sf, _) = _cosines_and_sines(angles)
    _refuse_gimbal_lock("angles", cf)
    dt, df, _ = _unstack(arguments.vector("rates", rates))
    zero = np.zeros_like(ct * dt)
    tangent, secant2 = sf / cf, 1 / cf**2
    return _matrix(
        [
            [-st * tangent * dt + secant2 * ct * df, ct * tangent * dt + secant2 * st * df, zero],
            [-ct * dt, -st * dt, zero],
            [(-st * dt + ct * tangent * df) / cf, (ct * dt + st * tangent * df) / cf, zero],
        ]
    )


def _cosines_and_sines(angles: ArrayLike) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
    angles = arguments.vector("angles", angles)
    return _unstack(np.cos(angles)), _unstack(np.sin(angles))


def _unstack(triples: Array) -> tuple[Array, ...]:
    return triples[..., 0], triples[..., 1], triples[..., 2]


def _matrix(rows: list[list[Array]]) -> Array:
    return np.stack([np.stack(np.broadcast_arrays(*row), axis=-1) for row in rows], axis=-2)


def _refuse_gimbal_lock(name: str, cosine: Array) -> None:
    smallest = np.min(np.abs(cosine), initial=np.inf)
    if smallest < SINGULAR_WITHIN:
        raise SingularConfiguration(
            name,
            f"|cos(phi)| = {smallest:.3g}, a pitch {smallest:.3g} rad from +-pi/2",
            f"|cos(phi)| of at least {SINGULAR_WITHIN:g}: at a pitch of +-pi/2 the first and last axis align",
        )
