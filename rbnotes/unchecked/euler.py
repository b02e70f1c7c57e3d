"""Formulas of :mod:`rbnotes.euler` for checked arrays, without argument checks.

Each function has the name, arguments, result and source of the public function that checks its arguments.
"""

from __future__ import annotations

import numpy as np

from rbnotes.arguments import Array


def to_rotation(angles: Array) -> Array:
    (ct, cf, cp), (st, sf, sp) = _cosines_and_sines(angles)
    return _matrix(
        [
            [ct * cf, ct * sf * sp - st * cp, ct * sf * cp + st * sp],
            [st * cf, st * sf * sp + ct * cp, st * sf * cp - ct * sp],
            [-sf, cf * sp, cf * cp],
        ]
    )


def from_rotation(R: Array) -> Array:
    theta = np.arctan2(R[..., 1, 0], R[..., 0, 0])
    phi = np.arctan2(-R[..., 2, 0], np.hypot(R[..., 0, 0], R[..., 1, 0]))
    psi = np.arctan2(R[..., 2, 1], R[..., 2, 2])
    return np.stack([theta, phi, psi], axis=-1)


def rates_to_velocity(angles: Array) -> Array:
    (ct, cf, _), (st, sf, _) = _cosines_and_sines(angles)
    zero, one = np.zeros_like(ct), np.ones_like(ct)
    return _matrix([[zero, -st, ct * cf], [zero, ct, st * cf], [one, zero, -sf]])


def velocity_to_rates(angles: Array) -> Array:
    (ct, cf, _), (st, sf, _) = _cosines_and_sines(angles)
    zero, one = np.zeros_like(ct), np.ones_like(ct)
    return _matrix([[ct * sf / cf, st * sf / cf, one], [-st, ct, zero], [ct / cf, st / cf, zero]])


def rates_to_velocity_dot(angles: Array, rates: Array) -> Array:
    (ct, cf, _), (st, sf, _) = _cosines_and_sines(angles)
    dt, df, _ = _unstack(rates)
    zero = np.zeros_like(ct * dt)
    return _matrix(
        [
            [zero, -ct * dt, -st * cf * dt - ct * sf * df],
            [zero, -st * dt, ct * cf * dt - st * sf * df],
            [zero, zero, -cf * df],
        ]
    )


def velocity_to_rates_dot(angles: Array, rates: Array) -> Array:
    (ct, cf, _), (st, sf, _) = _cosines_and_sines(angles)
    dt, df, _ = _unstack(rates)
    zero = np.zeros_like(ct * dt)
    tangent, secant2 = sf / cf, 1 / cf**2
    return _matrix(
        [
            [-st * tangent * dt + secant2 * ct * df, ct * tangent * dt + secant2 * st * df, zero],
            [-ct * dt, -st * dt, zero],
            [(-st * dt + ct * tangent * df) / cf, (ct * dt + st * tangent * df) / cf, zero],
        ]
    )


def _cosines_and_sines(angles: Array) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
    return _unstack(np.cos(angles)), _unstack(np.sin(angles))


def _unstack(triples: Array) -> tuple[Array, ...]:
    return triples[..., 0], triples[..., 1], triples[..., 2]


def _matrix(rows: list[list[Array]]) -> Array:
    return np.stack([np.stack(np.broadcast_arrays(*row), axis=-1) for row in rows], axis=-2)
