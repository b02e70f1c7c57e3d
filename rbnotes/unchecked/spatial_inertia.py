"""Formulas of :mod:`rbnotes.inertia.spatial` for checked arrays, without argument checks.

Each function has the name, arguments, result and source of the public function that checks its arguments.
"""

from __future__ import annotations

import numpy as np

from rbnotes.arguments import Array
from rbnotes.unchecked import se3, so3

LINEAR_FIRST = np.array([3, 4, 5, 0, 1, 2])
"""Permutation between stacking orders: ``xi[..., LINEAR_FIRST]`` is a twist or wrench in the other order."""


def spatial_inertia(mass: Array, inertia: Array, com: Array) -> Array:
    m, C = mass[..., None, None], so3.hat(com)
    return _blocks(inertia - m * (C @ C), m * C, -m * C, m * np.eye(3))


def spatial_inertia_inverse(mass: Array, inertia: Array, com: Array) -> Array:
    J, C = np.linalg.inv(inertia), so3.hat(com)
    return _blocks(J, -J @ C, C @ J, np.eye(3) / mass[..., None, None] - C @ J @ C)


def spatial_inertia_factor(mass: Array, inertia: Array, com: Array) -> Array:
    root = np.sqrt(mass)[..., None, None]
    zero = np.zeros((3, 3))
    return _blocks(np.linalg.cholesky(inertia), root * so3.hat(com), zero, root * np.eye(3))


def swap_stacking(matrix: Array) -> Array:
    return matrix[..., LINEAR_FIRST[:, None], LINEAR_FIRST]


def transform_inertia(E: Array, M: Array) -> Array:
    A = se3.Ad_inverse(E)
    return A.mT @ M @ A


def _blocks(upper_left: Array, upper_right: Array, lower_left: Array, lower_right: Array) -> Array:
    shape = (*np.broadcast(upper_left, upper_right, lower_right).shape[:-2], 6, 6)
    result = np.empty(shape, np.result_type(upper_left, upper_right, lower_right))
    result[..., :3, :3], result[..., :3, 3:] = upper_left, upper_right
    result[..., 3:, :3], result[..., 3:, 3:] = lower_left, lower_right
    return result
