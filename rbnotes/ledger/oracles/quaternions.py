"""Quaternions, scalar first, as complex 2 x 2 matrices with the same product.

A complex number a + b i stands as the real matrix ((a, -b), (b, a)), so that the matrices are real and 4 x 4.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import expm

from rbnotes.arguments import Array

ZERO, ONE, IMAGINARY = np.zeros((2, 2)), np.eye(2), np.array([[0.0, -1.0], [1.0, 0.0]])
UNITS = np.stack(
    [
        np.block(blocks)
        for blocks in (
            [[ONE, ZERO], [ZERO, ONE]],
            [[IMAGINARY, ZERO], [ZERO, -IMAGINARY]],
            [[ZERO, ONE], [-ONE, ZERO]],
            [[ZERO, IMAGINARY], [IMAGINARY, ZERO]],
        )
    ]
)
"""The complex 2 x 2 matrices that represent 1, i, j, k, with the same products, as real 4 x 4 matrices."""


def components(matrix: Array) -> Array:
    """Return the quaternion of such a matrix."""
    return np.array([matrix[0, 0], matrix[1, 0], matrix[0, 2], matrix[1, 2]])


def multiply(q: Array, p: Array) -> Array:
    """Return the product of two quaternions, by their matrices."""
    return components(np.tensordot(q, UNITS, axes=1) @ np.tensordot(p, UNITS, axes=1))


def rotation_quaternion(u: Array, theta: float) -> Array:
    """Return the quaternion of a rotation about u by theta; it contains half the angle."""
    return components(expm(theta / 2 * np.tensordot(u, UNITS[1:], axes=1)))
