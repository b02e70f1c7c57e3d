"""Forces on bodies at constant velocities in the world, and in world axes (Lloyd 0.22.3).

K is the derivative of wrenches with respect to poses *at constant velocities*, and a velocity that is
constant in body coordinates rotates with the body. This package keeps twist components constant; these
functions convert :class:`~rbnotes.forces.wrenches.BodyForces` to the other conventions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.forces.wrenches import BodyForces, check_forces
from rbnotes.unchecked import so3


def at_constant_world_velocity(forces: BodyForces, phi: ArrayLike) -> BodyForces:
    """Return the same forces with K at constant world components of velocities (as in Lloyd 0.22.1).

    The angular velocity and the velocity of the body's origin are constant. If the body rotates by theta,
    their body components change by ``(omega x theta, v x theta)``, and K changes by D times that.

    Parameters
    ----------
    forces : BodyForces
        Wrenches ``(..., n, 6)``, with a K that holds twist components.
    phi : (..., n, 6)
        Twists of the bodies in body coordinates, rad/s and m/s.

    Raises
    ------
    InvalidArgument
        If the shape of ``forces`` or ``phi`` does not fit.
    """
    arguments.require_instance("forces", forces, BodyForces)
    forces = BodyForces(*check_forces(forces))
    phi = arguments.twist("phi", phi)
    if phi.shape[-2:-1] != forces.w.shape[-2:-1]:
        raise InvalidArgument("phi", f"shape {phi.shape}", f"twists of {forces.w.shape[-2]} bodies")
    arguments.common_shape(phi=phi.shape[:-2], forces=forces.w.shape[:-2])
    return forces._replace(K=forces.K + forces.D @ _cross_product_blocks(phi))


def rotate_to_world(forces: BodyForces, E: ArrayLike) -> BodyForces:
    """Return the same forces in world axes at the bodies' origins (Lloyd 0.22.3).

    Wrenches, twists and increments all have world components: torque and angular velocity about the body's
    origin, force and velocity of that origin, rotation and displacement of it. The velocities that K
    keeps constant do not change, so Lloyd's world Jacobian is
    ``rotate_to_world(at_constant_world_velocity(forces, phi), E).K``.

    Parameters
    ----------
    forces : BodyForces
        Wrenches ``(..., n, 6)``, K and D ``(..., 6n, 6n)``.
    E : (..., n, 4, 4)
        Poses of the bodies, m.

    Raises
    ------
    InvalidArgument
        If ``E`` is not a pose or the shape of ``forces`` does not fit.
    """
    arguments.require_instance("forces", forces, BodyForces)
    forces = BodyForces(*check_forces(forces))
    R = arguments.frame("E", E)[..., :3, :3]
    if R.shape[-3:-2] != forces.w.shape[-2:-1]:
        raise InvalidArgument("E", f"shape {np.shape(E)}", f"poses of {forces.w.shape[-2]} bodies")
    shape = arguments.common_shape(E=R.shape[:-3], forces=forces.w.shape[:-2])
    forces = BodyForces(*(np.broadcast_to(each, (*shape, *each.shape[-2:])) for each in forces))
    axes = _block_diagonal(np.stack([R, R], axis=-3).reshape(*R.shape[:-3], 2 * R.shape[-3], 3, 3))
    w = (axes @ forces.w.reshape(*forces.w.shape[:-2], 6 * forces.w.shape[-2], 1)).reshape(forces.w.shape)
    # R w changes by R dw, and by -R [w] theta because R turns.
    K, D = (axes @ matrix @ axes.mT for matrix in (forces.K - _cross_product_blocks(forces.w), forces.D))
    return BodyForces(w, K, D)


def _cross_product_blocks(vectors: Array) -> Array:
    """Return the matrix from angular increments to ``(a x theta, b x theta)`` for ``(a, b) (..., n, 6)``."""
    blocks = np.zeros((*vectors.shape, 6))
    blocks[..., :3, :3], blocks[..., 3:, :3] = so3.hat(vectors[..., :3]), so3.hat(vectors[..., 3:])
    return _block_diagonal(blocks)


def _block_diagonal(blocks: Array) -> Array:
    """Return the block-diagonal matrix ``(..., nk, nk)`` of blocks ``(..., n, k, k)``."""
    n, k = blocks.shape[-3:-1]
    indices = np.arange(n)
    result = np.zeros((*blocks.shape[:-3], n, k, n, k))
    result[..., indices, :, indices, :] = np.moveaxis(blocks, -3, 0)
    return result.reshape(*blocks.shape[:-3], n * k, n * k)
