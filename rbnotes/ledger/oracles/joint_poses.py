"""Poses of joints as products of scipy's matrix exponentials, and S and its rate as their derivatives.

A pose is a function of the coordinates ``(k,)`` and gives Q ``(4, 4)``, for complex coordinates too; S is
taken from it by the complex step, column by column, its rate by differences along straight coordinates.
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
    """Screw motions, each carried along by those before it: ``exp(q1 xi1) exp(q2 xi2) ...``."""
    generators = [twist_matrix(np.asarray(xi, dtype=np.float64)) for xi in twists]

    def pose(q: Array) -> Array:
        Q: Array = np.eye(4)
        for rate, generator in zip(q, generators, strict=True):
            Q = Q @ expm(rate * generator)
        return Q

    return pose


def rotation_sequence(sequence: str) -> Pose:
    """Return a rotation about carried axes of the frame, such as ``"XZX"``."""
    return screws(*(np.eye(6)["XYZ".index(letter)] for letter in sequence))


def translations(*axes: Sequence[float] | Array) -> Pose:
    """Return translations along fixed axes."""
    return screws(*(np.concatenate([np.zeros(3), axis]) for axis in axes))


def rotation_vector_pose(q: Array) -> Array:
    """Return the turn with the rotation vector ``q (3,)``."""
    result: Array = expm(sum(rate * twist_matrix(unit) for rate, unit in zip(q, np.eye(6), strict=False)))
    return result


def motion_subspace(pose: Pose, q: Array) -> Array:
    """S ``(6, k)``: the twists of ``Q^-1 dQ/dq_i``."""
    inverse, slopes = np.linalg.inv(pose(q)), complex_step(pose, q)
    return np.stack([twist_from_matrix(inverse @ slopes[..., i]) for i in range(len(q))], axis=-1)


def motion_subspace_rate(pose: Pose, q: Array, qdot: Array) -> Array:
    """Return the rate ``(6, k)`` of S while the coordinates change at ``qdot (k,)``."""
    return derivative(lambda t: motion_subspace(pose, q + t * qdot)).value


def rotation_from_vector(q: Array) -> Array:
    """Return the rotation ``(3, 3)`` with the rotation vector ``q (3,)``, by scipy's quaternions."""
    result: Array = Rotation.from_rotvec(q).as_matrix()
    return result


def rotation_vector_jacobian(q: Array) -> Array:
    """Body angular velocities ``(3, 3)`` for unit rates of a rotation vector, by differences."""
    R = rotation_from_vector(q)

    def column(unit: Array) -> Array:
        X = R.T @ derivative(lambda t: rotation_from_vector(q + t * unit)).value
        return np.array([X[2, 1], X[0, 2], X[1, 0]])

    return np.stack([column(unit) for unit in np.eye(3)], axis=-1)
