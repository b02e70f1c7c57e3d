"""The formulas of :mod:`rbnotes.forces.path`, on arrays that have been checked: nothing is checked here.

Points ``x (..., n+1, 3)`` and their velocities ``v`` have one shape; ``active (n,)`` are the flags of the
segments as numbers, 1 where a segment counts. The only error is that of a segment without a direction.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rbnotes.arguments import Array, SingularConfiguration
from rbnotes.forces.tension import TensionLaw

DIRECTION_ROUNDING = 8 * np.finfo(float).eps
"""Length of a segment, relative to its coordinates, below which its direction is lost by rounding."""


class PathForceTerms(NamedTuple):
    """Forces on the points of a path, with their derivatives.

    Attributes
    ----------
    material
        Part of df/dx from dF/dL.
    rate
        Part of df/dx from dF/dLdot.
    geometric
        Part of df/dx from the rotation of the segments under tension.
    D
        Derivative df/dv.
    f
        Forces on the points.
    F
        Tension.
    """

    material: Array
    rate: Array
    geometric: Array
    D: Array
    f: Array
    F: Array

    def stiffness(self, kind: str) -> Array:
        """Return df/dx or its approximation, see :data:`rbnotes.forces.path.STIFFNESS_OPTIONS`."""
        geometric = (
            np.where(_as_scalar_matrix(self.F) < 0, 0.0, self.geometric) if kind == "taut" else self.geometric
        )
        if kind in ("exact", "taut"):
            return self.material + self.rate + geometric
        K = self.material + geometric
        return K if kind == "positional" else symmetric_part(K)


def symmetric_part(matrix: Array) -> Array:
    return (matrix + matrix.mT) / 2


def path_segments(x: Array) -> tuple[Array, Array]:
    difference = np.diff(x, axis=-2)
    lengths: Array = np.linalg.norm(difference, axis=-1)
    size = np.max(np.abs(x), axis=-1)
    degenerate = lengths <= DIRECTION_ROUNDING * np.maximum(size[..., :-1], size[..., 1:])
    if np.any(degenerate):
        *path, segment = (int(index) for index in np.argwhere(degenerate)[0])
        of_path = f" of path {tuple(path)}" if path else ""
        got = f"coinciding points {segment} and {segment + 1}{of_path}"
        raise SingularConfiguration("x", got, "segments longer than zero")
    return difference / lengths[..., None], lengths


def length_gradient(x: Array, active: Array) -> Array:
    u, _ = path_segments(x)
    return _gradient(u, _incidence(active))


def length_hessian(x: Array, active: Array) -> Array:
    u, lengths = path_segments(x)
    return _hessian(u, lengths, _incidence(active))


def path_length(x: Array, v: Array, active: Array) -> tuple[Array, Array]:
    return _path_length(*path_segments(x), v, active)


def path_terms(law: TensionLaw, x: Array, v: Array, active: Array) -> PathForceTerms:
    """Return forces of a tension along a path and the parts of their derivatives."""
    u, lengths = path_segments(x)
    active_incidence, full_incidence = _incidence(active), _incidence(np.ones(len(active)))
    a, b = _gradient(u, active_incidence), _gradient(u, full_incidence)
    H_a, H_b = _hessian(u, lengths, active_incidence), _hessian(u, lengths, full_incidence)

    F, F_L, F_Ldot = (np.asarray(each) for each in law(*_path_length(u, lengths, v, active)))
    Ldot_x = np.sum(H_a * v.reshape(*v.shape[:-2], 1, 3 * v.shape[-2]), axis=-1)
    b_column = b[..., :, None]
    return PathForceTerms(
        material=-_as_scalar_matrix(F_L) * b_column * a[..., None, :],
        rate=-_as_scalar_matrix(F_Ldot) * b_column * Ldot_x[..., None, :],
        geometric=-_as_scalar_matrix(F) * H_b,
        D=-_as_scalar_matrix(F_Ldot) * b_column * a[..., None, :],
        f=(-F[..., None] * b).reshape(x.shape),
        F=F,
    )


def _path_length(u: Array, lengths: Array, v: Array, active: Array) -> tuple[Array, Array]:
    rates = np.sum(u * np.diff(v, axis=-2), axis=-1)
    return lengths @ active, rates @ active


def _as_scalar_matrix(number: Array) -> Array:
    return number[..., None, None]


def _gradient(u: Array, incidence: Array) -> Array:
    gradient = incidence.T @ u
    return gradient.reshape(*gradient.shape[:-2], 3 * gradient.shape[-2])


def direction_derivatives(u: Array, lengths: Array) -> Array:
    """Return du/dx ``(..., s, 3, 3)``, 1/m, of segment directions with respect to their end points."""
    derivatives: Array = (np.eye(3) - u[..., :, None] * u[..., None, :]) / lengths[..., None, None]
    return derivatives


def _hessian(u: Array, lengths: Array, incidence: Array) -> Array:
    derivatives = direction_derivatives(u, lengths)
    blocks: Array = np.einsum("sp,...sij,sq->...piqj", incidence, derivatives, incidence, optimize=True)
    size = 3 * incidence.shape[1]
    return blocks.reshape(*u.shape[:-2], size, size)


def _incidence(active: Array) -> Array:
    """Return the incidence matrix ``(n, n+1)`` with zero rows for passive segments."""
    return active[:, None] * np.diff(np.eye(len(active) + 1), axis=0)
