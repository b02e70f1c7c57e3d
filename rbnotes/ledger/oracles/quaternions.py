"""Quaternions, scalar first, as complex 2 x 2 matrices with the same product."""

from __future__ import annotations

import numpy as np

from rbnotes.arguments import Array

UNITS = np.array([[[1, 0], [0, 1]], [[1j, 0], [0, -1j]], [[0, 1], [-1, 0]], [[0, 1j], [1j, 0]]])
"""The complex 2 x 2 matrices that represent 1, i, j, k, with the same products."""


def components(matrix: Array) -> Array:
    """Return the quaternion of a complex 2 x 2 matrix."""
    return np.array([matrix[0, 0].real, matrix[0, 0].imag, matrix[0, 1].real, matrix[0, 1].imag])


def multiply(q: Array, p: Array) -> Array:
    """Return the product of two quaternions, by their matrices."""
    return components(np.tensordot(q, UNITS, axes=1) @ np.tensordot(p, UNITS, axes=1))


def rotation_quaternion(u: Array, theta: float) -> Array:
    """Return the quaternion of a rotation about u by theta; it contains half the angle."""
    rates, directions = np.linalg.eigh(-1j * np.tensordot(u, UNITS[1:], axes=1))
    return components(directions * np.exp(1j * rates * theta / 2) @ directions.conj().T)
