"""Formulas of :mod:`rbnotes.forces.wrenches` and of forces between bodies, without argument checks.

Arguments are not checked. Each function has the arguments, result and source of the
public one of its name, there or in :mod:`rbnotes.forces.body_forces`.
"""

from __future__ import annotations

import numpy as np

from rbnotes.arguments import Array
from rbnotes.unchecked import se3, so3

ForceArrays = tuple[Array, Array, Array]
"""Forces or wrenches, K and D."""


def point_kinematics(E: Array, x: Array, phi: Array) -> tuple[Array, Array]:
    return se3.transform_points(E, x), se3.point_velocity(E, x, phi)


def point_jacobians(E: Array, x: Array, phi: Array) -> tuple[Array, Array]:
    R, Gamma = E[..., :3, :3], se3.Gamma(x)
    J = R @ Gamma
    local_velocity = (Gamma @ phi[..., None])[..., 0]
    G = np.zeros(np.broadcast_shapes(J.shape, (*local_velocity.shape[:-1], 3, 6)))
    G[..., :3] = -R @ so3.hat(local_velocity)
    return J, G


def wrenches_from_point_forces(E: Array, x: Array, phi: Array, forces: ForceArrays) -> ForceArrays:
    f, K_points, D_points = forces
    J, G = point_jacobians(E, x, phi)
    n = J.shape[-3]
    Gamma = se3.Gamma(x)
    local_forces = f[..., None, :] @ E[..., :3, :3]  # rows (R^T f)^T
    w = (local_forces @ Gamma)[..., 0, :]

    K_x, D_x = (matrix.reshape(*matrix.shape[:-2], n, 3, n, 3) for matrix in (K_points, D_points))
    K = _blockwise_congruence(J, K_x, J) + _blockwise_congruence(J, D_x, G)
    D = _blockwise_congruence(J, D_x, J)
    rotation_term = Gamma.mT @ so3.hat(local_forces[..., 0, :])
    points = np.arange(n)
    K[..., points, :, points, :3] += np.moveaxis(rotation_term, -3, 0)
    return w, _flatten_blocks(K), _flatten_blocks(D)


def zero_length_spring(k: Array, E: Array, x: Array) -> ForceArrays:
    X = se3.transform_points(E, x)
    tension = k[..., None] * (X[..., 1, :] - X[..., 0, :])
    K = k[..., None, None] * np.kron([[-1.0, 1.0], [1.0, -1.0]], np.eye(3))
    forces = np.stack([tension, -tension], axis=-2), K, np.zeros_like(K)
    return wrenches_from_point_forces(E, x, np.zeros((*X.shape[:-1], 6)), forces)


def zero_length_energy(k: Array, E: Array, x: Array) -> Array:
    X = se3.transform_points(E, x)
    energy: Array = 0.5 * k * np.sum((X[..., 1, :] - X[..., 0, :]) ** 2, axis=-1)
    return energy


def directional_force(k: Array, a: Array, E: Array, x: Array) -> ForceArrays:
    f = k[..., None] * a
    f = np.broadcast_to(f, np.broadcast_shapes(f.shape, x.shape, (*E.shape[:-2], 3)))[..., None, :]
    zeros = np.zeros((*f.shape[:-2], 3, 3))
    phi = np.zeros((*f.shape[:-1], 6))
    w, K, D = wrenches_from_point_forces(E[..., None, :, :], x[..., None, :], phi, (f, zeros, zeros))
    return w[..., 0, :], K, D


def directional_energy(k: Array, a: Array, E: Array, x: Array) -> Array:
    energy: Array = -k * np.sum(se3.transform_points(E, x) * a, axis=-1)
    return energy


def viscous_damping(d: Array, phi: Array) -> ForceArrays:
    shape = np.broadcast_shapes(d.shape, phi.shape[:-1])
    D = np.broadcast_to(-d[..., None, None] * np.eye(6), (*shape, 6, 6))
    return -d[..., None] * phi, np.zeros_like(D), D


def _blockwise_congruence(left: Array, middle: Array, right: Array) -> Array:
    """Return the products ``left^T middle right`` of blocks ``(..., n, 6, n, 6)``."""
    product: Array = np.einsum("...aiu,...aibj,...bjv->...aubv", left, middle, right, optimize=True)
    return product


def _flatten_blocks(blocks: Array) -> Array:
    size = blocks.shape[-1] * blocks.shape[-2]
    return blocks.reshape(*blocks.shape[:-4], size, size)
