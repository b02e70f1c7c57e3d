"""Coordinates of the allowed pose nearest to a given pose, for joints with constraint errors.

The pose error xi of a pose X from an allowed pose Q(q) is the rotation vector and the translation of ``Q^-1
X``. The gradient of ``|xi|^2 / 2`` is exactly ``-S^T xi``, because xi changes along the twist up to terms
perpendicular to itself. So the nearest pose satisfies ``S^T xi = 0``. Newton's method solves this equation,
and its time derivative gives the rates of the nearest coordinates.

Arguments are not checked.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from rbnotes.arguments import Array
from rbnotes.unchecked import se3, so3
from rbnotes.unchecked.linear_algebra import matvec, matvec_transposed

MAX_NEWTON_ITERATIONS = 50
MAX_STEP_HALVINGS = 20
STEP_TOLERANCE = 1e-9
"""Relative size of the last Newton step: the next one would be of the size of rounding errors."""
SEARCH_THRESHOLD = 0.05
"""Pose error, in rad and m, above which other starting points are tried."""
NUM_SAMPLES, NUM_STARTS = 1000, 20
"""Number of sampled coordinates, and of the best of them from which the search starts again."""
CURVATURE_TOLERANCE = 1e-12
"""Ratio to the largest curvature below which a curvature counts as zero, as for redundant coordinates."""


class DifferentiableJoint(Protocol):
    """Joint type with the derivatives that the search needs."""

    @property
    def num_coordinates(self) -> int: ...

    def compute_transform(self, q: Array) -> Array: ...

    def compute_motion_subspace(self, q: Array) -> Array: ...

    def compute_motion_subspace_derivative(self, q: Array) -> Array: ...


def pose_error(Q: Array, X: Array) -> Array:
    relative_pose = se3.inverse(Q) @ X
    return np.concatenate([so3.log(relative_pose[..., :3, :3]), relative_pose[..., :3, 3]], axis=-1)


def nearest_rates(joint: DifferentiableJoint, q: Array, X: Array, twist: Array) -> Array:
    S, xi, H = _second_order_expansion(joint, q, X)
    angular = matvec(so3.right_jacobian_inverse(xi[..., :3]), twist[..., :3])
    linear = matvec(joint.compute_transform(q)[..., :3, :3].mT @ X[..., :3, :3], twist[..., 3:])
    return matvec(_symmetric_inverse(H), matvec_transposed(S, np.concatenate([angular, linear], axis=-1)))


def refine_coordinates(joint: DifferentiableJoint, X: Array, q: Array) -> Array:
    """Return coordinates ``(..., k)`` of the nearest pose by descent from the given ones."""
    if joint.num_coordinates == 0 or not q.size:
        return q
    for _ in range(MAX_NEWTON_ITERATIONS):
        S, xi, H = _second_order_expansion(joint, q, X)
        step = matvec(_symmetric_inverse(H, absolute_eigenvalues=True), matvec_transposed(S, xi))
        q, step_size = _line_search(joint, X, q, step, np.sum(xi**2, axis=-1))
        if np.all(step_size <= STEP_TOLERANCE * (1 + np.max(np.abs(q), axis=-1))):
            break
    return q


def search_coordinates(
    joint: DifferentiableJoint,
    X: Array,
    q: Array,
    bounds: tuple[Array | float, Array | float] = (-np.pi, np.pi),
) -> Array:
    """Refine coordinates, and where the error stays large, also the best of many samples in a box."""
    q = refine_coordinates(joint, X, q)
    if joint.num_coordinates == 0 or not q.size:
        return q
    is_far = np.linalg.norm(pose_error(joint.compute_transform(q), X), axis=-1) > SEARCH_THRESHOLD
    if np.any(is_far):
        samples = np.random.default_rng(0).uniform(*bounds, size=(NUM_SAMPLES, joint.num_coordinates))
        targets = X[is_far][:, None]
        distances = np.linalg.norm(pose_error(joint.compute_transform(samples), targets), axis=-1)
        starts = samples[np.argsort(distances, axis=-1)[:, :NUM_STARTS]]
        starts = np.concatenate([q[is_far][:, None], starts], axis=1)
        refined = refine_coordinates(joint, np.broadcast_to(targets, (*starts.shape[:2], 4, 4)), starts)
        distances = np.linalg.norm(pose_error(joint.compute_transform(refined), targets), axis=-1)
        best = np.argmin(np.round(distances, 9), axis=-1)
        q = q.copy()
        q[is_far] = np.take_along_axis(refined, best[:, None, None], axis=1)[:, 0]
    return q


def _line_search(
    joint: DifferentiableJoint, X: Array, q: Array, step: Array, squared_error: Array
) -> tuple[Array, Array]:
    """Return coordinates after a step that does not increase the error, and the size of the step."""
    step_fraction = np.ones((*squared_error.shape, 1))
    rounding = 1e-14 * (1 + squared_error)
    for _ in range(MAX_STEP_HALVINGS):
        new_squared_error = np.sum(
            pose_error(joint.compute_transform(q + step_fraction * step), X) ** 2, axis=-1
        )
        is_worse = new_squared_error > squared_error + rounding
        if not np.any(is_worse):
            break
        step_fraction = np.where(is_worse[..., None], step_fraction / 2, step_fraction)
    else:
        step_fraction = np.where(is_worse[..., None], 0, step_fraction)
    step = step_fraction * step
    return q + step, np.max(np.abs(step), axis=-1)


def _second_order_expansion(joint: DifferentiableJoint, q: Array, X: Array) -> tuple[Array, Array, Array]:
    """Return S, the pose error xi, and the second derivative of |xi|^2 / 2."""
    S, xi = joint.compute_motion_subspace(q), pose_error(joint.compute_transform(q), X)
    # The pose error changes by -N times a small twist of the allowed pose.
    N = np.zeros((*xi.shape[:-1], 6, 6))
    N[..., :3, :3], N[..., 3:, 3:] = so3.left_jacobian_inverse(xi[..., :3]), np.eye(3)
    N[..., 3:, :3] = -so3.hat(xi[..., 3:])
    H = S.mT @ N @ S - np.einsum("...ijk,...i->...jk", joint.compute_motion_subspace_derivative(q), xi)
    return S, xi, (H + H.mT) / 2


def _symmetric_inverse(H: Array, *, absolute_eigenvalues: bool = False) -> Array:
    """Return the pseudoinverse of symmetric matrices, optionally with absolute values of eigenvalues."""
    values, vectors = np.linalg.eigh(H)
    magnitudes = np.abs(values)
    is_curved = magnitudes > CURVATURE_TOLERANCE * np.max(magnitudes, axis=-1, keepdims=True, initial=0.0)
    inverse = np.divide(
        1.0, magnitudes if absolute_eigenvalues else values, out=np.zeros_like(values), where=is_curved
    )
    result: Array = (vectors * inverse[..., None, :]) @ vectors.mT
    return result
