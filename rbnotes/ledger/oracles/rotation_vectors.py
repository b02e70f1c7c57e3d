"""SciPy's rotation vectors of moving frames, and their rates by differences.

``w`` is the rotation vector of R_21, ``omega`` the angular velocity of frame 2 relative to frame 1, in frame
1.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.spatial.transform import Rotation

from rbnotes.arguments import Array
from rbnotes.testing import derivative


def rotation_vector_at(w: Array, omega: Array, t: float) -> Array:
    """Return the rotation vector after the time t."""
    return nearest_rotation_vector(Rotation.from_rotvec(t * omega) * Rotation.from_rotvec(w), w)


def nearest_rotation_vector(rotation: Rotation, w: Array) -> Array:
    """Return the rotation vector, of the two with norm up to 2 pi, that is nearer to w."""
    short: Array = rotation.as_rotvec()
    angle = np.linalg.norm(short)
    long = short - 2 * np.pi * short / angle if angle > 0 else short
    return min(short, long, key=lambda each: float(np.linalg.norm(each - w)))


def angle_axis_rate(function: Callable[[float, Array], Array], w: Array, omega: Array) -> Array:
    """Return the time derivative of a function of angle and axis."""

    def value(t: float) -> Array:
        vector = rotation_vector_at(w, omega, t)
        angle = float(np.linalg.norm(vector))
        return function(angle, vector / angle)

    return derivative(value).value


def rotation_vector_rate(w: Array, omega: Array) -> Array:
    """Return the time derivative of the rotation vector."""
    return derivative(lambda t: rotation_vector_at(w, omega, t)).value


def rotation_vector_rates(w: Array) -> Array:
    """Return the rates ``(3, 3)`` of the rotation vector for unit angular velocities in frame 1."""
    return np.stack([rotation_vector_rate(w, axis) for axis in np.eye(3)], axis=-1)


def rotation_vector_rates_in_frame_2(w: Array) -> Array:
    """Return the rates ``(3, 3)`` of the rotation vector for unit angular velocities in frame 2."""
    initial = Rotation.from_rotvec(w)

    def rate(axis: Array) -> Array:
        return derivative(
            lambda t: nearest_rotation_vector(initial * Rotation.from_rotvec(t * axis), w)
        ).value

    return np.stack([rate(axis) for axis in np.eye(3)], axis=-1)


def rotation_to_B(R_2B: Array, w: Array, omega: Array, t: float) -> Array:
    """Return R_1B after the time t, with frame 2 fixed in B."""
    result: Array = R_2B @ Rotation.from_rotvec(rotation_vector_at(w, omega, t)).as_matrix().T
    return result
