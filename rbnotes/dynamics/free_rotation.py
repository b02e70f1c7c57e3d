"""Free rotation of bodies: Euler's equations, solved to rounding by their Taylor series.

The angular momentum l is constant in the world; in the body frame it is ``R^T l``, so that

    dR/dt = R [omega],    J omega = R^T l.

Both sides are products of series in time. With ``R = sum R_k t^k`` and ``omega = sum w_k t^k``,

    (k + 1) R_(k+1) = sum_i R_i [w_(k-i)],    J w_k = R_k^T l,

each coefficient follows from those before it, for all bodies at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rbnotes.arguments import Array, SingularConfiguration
from rbnotes.unchecked import so3
from rbnotes.unchecked.linear_algebra import matvec

MAX_SERIES_ANGLE = 0.3
"""Largest angle of one series, rad: larger rotations take several substeps."""

MAX_SERIES_TERMS = 40
"""Most terms of a series; at that angle thirty leave less than rounding."""

MAX_SUBSTEPS = 1000
"""Largest number of substeps of a step."""


class FreeRotation(NamedTuple):
    """Result of the free rotation of bodies.

    Attributes
    ----------
    rotation
        Rotations from the frames at the start to those at the end ``(n, 3, 3)``.
    omega
        Angular velocities in the frames at the end ``(n, 3)``.
    """

    rotation: Array
    omega: Array


def integrate_free_rotation(inertias: Array, omega: Array, h: float) -> FreeRotation:
    """Integrate the free rotation of bodies for a time h: momentum and energy are conserved to rounding.

    Parameters
    ----------
    inertias : (n, 3, 3)
        Inertias about the centers of mass, in the body frames.
    omega : (n, 3)
        Angular velocities in the body frames.

    Raises
    ------
    SingularConfiguration
        If a body turns in the step by more than ``MAX_SERIES_ANGLE * MAX_SUBSTEPS`` rad.
    """
    angle = h * float(np.max(np.linalg.norm(omega, axis=1), initial=0.0))
    if not angle <= MAX_SERIES_ANGLE * MAX_SUBSTEPS:
        got = f"{h:g} s for a spin of {angle / h:.3g} rad/s"
        raise SingularConfiguration(
            "h", got, f"turns of at most {MAX_SERIES_ANGLE * MAX_SUBSTEPS:g} rad in a step"
        )
    substeps = max(1, int(np.ceil(angle / MAX_SERIES_ANGLE)))
    momentum, inverse = matvec(inertias, omega), np.linalg.inv(inertias)
    rotation = _rotation_series(momentum, inverse, h / substeps)
    local_momentum = matvec(rotation.mT, momentum)
    for _ in range(substeps - 1):
        increment = _rotation_series(local_momentum, inverse, h / substeps)
        rotation = rotation @ increment
        local_momentum = matvec(increment.mT, local_momentum)
    # Products of series are rotations to rounding; one step of Newton's method keeps rounding from adding up.
    rotation = 1.5 * rotation - 0.5 * rotation @ rotation.mT @ rotation
    return FreeRotation(rotation, matvec(inverse, matvec(rotation.mT, momentum)))


def _rotation_series(momentum: Array, inverse: Array, h: float) -> Array:
    """Return the rotations ``(n, 3, 3)`` of one series; its terms contain the powers of h."""
    count = len(momentum)
    terms = np.zeros((MAX_SERIES_TERMS, count, 3, 3))
    omega_terms = np.zeros((MAX_SERIES_TERMS, count, 3, 3))
    terms[0] = np.eye(3)
    omega_terms[0] = h * so3.hat(matvec(inverse, momentum))
    for k in range(1, MAX_SERIES_TERMS):
        terms[k] = np.sum(terms[:k] @ omega_terms[k - 1 :: -1], axis=0) / k
        if np.max(np.abs(terms[k]), initial=0.0) < 1e-18:
            break
        local_momentum = (momentum[:, None] @ terms[k])[:, 0]
        omega_terms[k] = h * so3.hat(matvec(inverse, local_momentum))
    result: Array = np.sum(terms[k::-1], axis=0)  # the smallest first
    return result
