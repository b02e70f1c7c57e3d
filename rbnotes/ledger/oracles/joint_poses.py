"""Joint poses as products of SciPy's matrix exponentials, and S and its rate as their derivatives.

A pose is a function from coordinates ``(k,)``, real or complex, to Q ``(4, 4)``. The columns of S are complex
steps; its rate is a finite difference along a straight line of coordinates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from rbnotes.arguments import Array
from rbnotes.ledger.oracles.twists import twist_from_matrix, twist_matrix
from rbnotes.testing import complex_step, derivative

Pose = Callable[[Array], Array]


def screws(*twists: Sequence[float] | Array) -> Pose:
    """Return the product of exponentials ``exp(q1 xi1) exp(q2 xi2) ...``."""
    generators = [twist_matrix(np.asarray(xi, dtype=np.float64)) for xi in twists]

    def pose(q: Array) -> Array:
        Q: Array = np.eye(4)
        for rate, generator in zip(q, generators, strict=True):
            Q = Q @ expm(rate * generator)
        return Q

    return pose


def rotation_sequence(sequence: str) -> Pose:
    """Return the rotation about intrinsic axes, such as ``"XZX"``."""
    return screws(*(np.eye(6)["XYZ".index(letter)] for letter in sequence))


def translations(*axes: Sequence[float] | Array) -> Pose:
    """Return the translations along fixed axes."""
    return screws(*(np.concatenate([np.zeros(3), axis]) for axis in axes))


def rotation_vector_pose(q: Array) -> Array:
    """Return the pose rotated by the rotation vector ``q (3,)``."""
    result: Array = expm(sum(rate * twist_matrix(unit) for rate, unit in zip(q, np.eye(6), strict=False)))
    return result


def motion_subspace(pose: Pose, q: Array) -> Array:
    """Return S ``(6, k)``, whose columns are the twists of ``Q^-1 dQ/dq_i``."""
    inverse, partials = np.linalg.inv(pose(q)), complex_step(pose, q)
    return np.stack([twist_from_matrix(inverse @ partials[..., i]) for i in range(len(q))], axis=-1)


def motion_subspace_rate(pose: Pose, q: Array, qdot: Array) -> Array:
    """Return the time derivative ``(6, k)`` of S at the coordinate rates ``qdot (k,)``."""
    return derivative(lambda t: motion_subspace(pose, q + t * qdot)).value


def rotation_from_vector(q: Array) -> Array:
    """Return the rotation ``(3, 3)`` with the rotation vector ``q (3,)``, by SciPy's quaternions."""
    result: Array = Rotation.from_rotvec(q).as_matrix()
    return result


def rotation_vector_jacobian(q: Array) -> Array:
    """Return the body angular velocities ``(3, 3)`` for unit rates of a rotation vector, by differences."""
    R = rotation_from_vector(q)

    def column(unit: Array) -> Array:
        X = R.T @ derivative(lambda t: rotation_from_vector(q + t * unit)).value
        return np.array([X[2, 1], X[0, 2], X[1, 0]])

    return np.stack([column(unit) for unit in np.eye(3)], axis=-1)
