"""The allowed pose nearest to a given one: coordinates for bodies whose joint has come apart.

The misfit xi of a pose X from an allowed one Q(q) is the rotation vector and the translation of ``Q^-1 X``.
The gradient of ``|xi|^2 / 2`` is exactly ``-S^T xi``: rotation vectors and translations change along with the
twist, up to terms perpendicular to themselves. So the nearest pose has ``S^T xi = 0``, which Newton's method
solves, and which, differentiated in time, gives the rates of the nearest coordinates.

Arrays are known to be right: nothing is checked here.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from rbnotes import _se3, _so3
from rbnotes._linear import apply, apply_transposed
from rbnotes.arguments import Array

ITERATIONS = 50
HALVINGS = 20
CONVERGED = 1e-9
"""Relative size of a Newton step after which the next one would be rounding."""
FAR = 0.05
"""Misfit, in rad and m, from which on a nearer pose is looked for elsewhere, among so many:"""
SAMPLES, STARTS = 1000, 20
FLAT = 1e-12
"""Curvatures below this share of the largest one count as zero, along coordinates that are redundant."""


class Moving(Protocol):
    """What is needed of a joint type."""

    @property
    def coordinates(self) -> int: ...

    def _transform(self, q: Array) -> Array: ...

    def _S(self, q: Array) -> Array: ...

    def _dS(self, q: Array) -> Array: ...


def misfit(Q: Array, X: Array) -> Array:
    D = _se3.inverse(Q) @ X
    return np.concatenate([_so3.log(D[..., :3, :3]), D[..., :3, 3]], axis=-1)


def nearest_rates(joint: Moving, q: Array, X: Array, twist: Array) -> Array:
    S, xi, H = _expansion(joint, q, X)
    angular = apply(_so3.right_jacobian_inverse(xi[..., :3]), twist[..., :3])
    turned = apply(np.swapaxes(joint._transform(q)[..., :3, :3], -1, -2) @ X[..., :3, :3], twist[..., 3:])
    return apply(_inverse(H), apply_transposed(S, np.concatenate([angular, turned], axis=-1)))


def refine(joint: Moving, X: Array, q: Array) -> Array:
    """Coordinates ``(..., k)`` of the nearest pose, downhill from those given."""
    if joint.coordinates == 0 or not q.size:
        return q
    for _ in range(ITERATIONS):
        S, xi, H = _expansion(joint, q, X)
        step = apply(_inverse(H, positive=True), apply_transposed(S, xi))
        q, last = _downhill(joint, X, q, step, np.sum(xi**2, axis=-1))
        if np.all(last <= CONVERGED * (1 + np.max(np.abs(q), axis=-1))):
            break
    return q


def search(
    joint: Moving, X: Array, q: Array, box: tuple[Array | float, Array | float] = (-np.pi, np.pi)
) -> Array:
    """As :func:`refine`, and where that ends far away, the best of many places in a box, refined."""
    q = refine(joint, X, q)
    if joint.coordinates == 0 or not q.size:
        return q
    far = np.linalg.norm(misfit(joint._transform(q), X), axis=-1) > FAR
    if np.any(far):
        places = np.random.default_rng(0).uniform(*box, size=(SAMPLES, joint.coordinates))
        targets = X[far][:, None]
        distances = np.linalg.norm(misfit(joint._transform(places), targets), axis=-1)
        starts = places[np.argsort(distances, axis=-1)[:, :STARTS]]
        starts = np.concatenate([q[far][:, None], starts], axis=1)
        found = refine(joint, np.broadcast_to(targets, (*starts.shape[:2], 4, 4)), starts)
        distances = np.linalg.norm(misfit(joint._transform(found), targets), axis=-1)
        best = np.argmin(np.round(distances, 9), axis=-1)
        q = q.copy()
        q[far] = np.take_along_axis(found, best[:, None, None], axis=1)[:, 0]
    return q


def _downhill(joint: Moving, X: Array, q: Array, step: Array, before: Array) -> tuple[Array, Array]:
    """A step, halved until it leads no further away, and its length."""
    share = np.ones((*before.shape, 1))
    rounding = 1e-14 * (1 + before)
    for _ in range(HALVINGS):
        after = np.sum(misfit(joint._transform(q + share * step), X) ** 2, axis=-1)
        further = after > before + rounding
        if not np.any(further):
            break
        share = np.where(further[..., None], share / 2, share)
    else:
        share = np.where(further[..., None], 0, share)
    step = share * step
    return q + step, np.max(np.abs(step), axis=-1)


def _expansion(joint: Moving, q: Array, X: Array) -> tuple[Array, Array, Array]:
    """S, the misfit xi, and the second derivative of |xi|^2 / 2."""
    S, xi = joint._S(q), misfit(joint._transform(q), X)
    # The misfit changes by -N times a small twist of the allowed pose.
    N = np.zeros((*xi.shape[:-1], 6, 6))
    N[..., :3, :3], N[..., 3:, 3:] = _so3.left_jacobian_inverse(xi[..., :3]), np.eye(3)
    N[..., 3:, :3] = -_so3.hat(xi[..., 3:])
    H = np.swapaxes(S, -1, -2) @ N @ S - np.einsum("...ijk,...i->...jk", joint._dS(q), xi)
    return S, xi, (H + np.swapaxes(H, -1, -2)) / 2


def _inverse(H: Array, *, positive: bool = False) -> Array:
    """Inverse of symmetric matrices, zero along flat directions; with its eigenvalues positive if asked."""
    values, vectors = np.linalg.eigh(H)
    sizes = np.abs(values)
    curved = sizes > FLAT * np.max(sizes, axis=-1, keepdims=True, initial=0.0)
    inverse = np.divide(1.0, sizes if positive else values, out=np.zeros_like(values), where=curved)
    result: Array = (vectors * inverse[..., None, :]) @ np.swapaxes(vectors, -1, -2)
    return result
