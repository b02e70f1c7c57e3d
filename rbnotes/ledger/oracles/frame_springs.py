"""Frame springs from a potential and a dissipation function; forces in world axes.

All arguments and results use Lloyd's order, linear part first: velocities and variations are rows (linear A,
angular A, linear B, angular B). Poses ``(4, 4, 4)`` are those of the bodies A and B in the world, of frame 1
in A and of frame 2 in B.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from rbnotes.arguments import Array
from rbnotes.testing import derivative

UNIT_VARIATIONS = np.eye(12).reshape(12, 4, 3)
ZERO_VELOCITIES = np.zeros((4, 3))


class FrameSpringQuantities(NamedTuple):
    """Hold the quantities of section 0.22 under their printed names."""

    R_AW: Array
    R_BW: Array
    R_1W: Array
    R_2W: Array
    R_1A: Array
    R_2B: Array
    R_1B: Array
    R_A1: Array
    R_B1: Array
    R_BA: Array
    R_AB: Array
    R_21: Array
    R_12: Array
    x_1: Array
    x_2: Array
    p_1: Array
    p_2: Array
    phi: float
    u: Array


def frame_spring_quantities(poses: Array) -> FrameSpringQuantities:
    """Return the rotations R_XY from frame X to frame Y, the origins, and the axis and angle of R_21."""
    E_A, E_B, X_1, X_2 = poses
    R_AW, R_BW, R_1A, R_2B = poses[:, :3, :3]
    R_1W, R_2W = R_AW @ R_1A, R_BW @ R_2B
    R_21 = R_1W.T @ R_2W
    rotation_vector = Rotation.from_matrix(R_21).as_rotvec()
    phi = float(np.linalg.norm(rotation_vector))
    return FrameSpringQuantities(
        R_AW=R_AW,
        R_BW=R_BW,
        R_1W=R_1W,
        R_2W=R_2W,
        R_1A=R_1A,
        R_2B=R_2B,
        R_1B=R_BW.T @ R_1W,
        R_A1=R_1A.T,
        R_B1=R_1W.T @ R_BW,
        R_BA=R_AW.T @ R_BW,
        R_AB=R_BW.T @ R_AW,
        R_21=R_21,
        R_12=R_21.T,
        x_1=(E_A @ X_1)[:3, 3],
        x_2=(E_B @ X_2)[:3, 3],
        p_1=X_1[:3, 3],
        p_2=X_2[:3, 3],
        phi=phi,
        u=rotation_vector / phi,
    )


def vary_poses(poses: Array, variations: Array, t: float, axes: str = "body") -> Array:
    """Return the poses ``(N, 4, 4, 4)`` after t times each of the variations ``(N, 4, 3)`` of A and B."""
    result = np.tile(poses, (len(variations), 1, 1, 1))
    for body, R in enumerate(poses[:2, :3, :3]):
        translation, rotation = (
            t * variations[:, 2 * body],
            Rotation.from_rotvec(t * variations[:, 2 * body + 1]),
        )
        if axes == "body":
            result[:, body, :3, :3] = R @ rotation.as_matrix()
            result[:, body, :3, 3] += translation @ R.T
        else:
            result[:, body, :3, :3] = rotation.as_matrix() @ R
            result[:, body, :3, 3] += translation
    return result


def to_world(R: Array, four: Array) -> Array:
    """Rotate rows (linear A, angular A, linear B, angular B) from body to world axes.

    R is ``(..., 2, 3, 3)``.
    """
    result: Array = np.einsum("...bij,...bkj->...bki", R, four.reshape(*four.shape[:-2], 2, 2, 3)).reshape(
        *np.broadcast_shapes(R.shape[:-3], four.shape[:-2]), 4, 3
    )
    return result


def to_body(R: Array, four: Array) -> Array:
    """Rotate rows from world to body axes: the inverse of :func:`to_world`."""
    return to_world(np.swapaxes(R, -1, -2), four)


def body_twists(poses: Array, velocities: Array) -> Array:
    """Return the body twists ``(2, 6)`` of A and B, linear part first, from velocities in the world."""
    return to_body(poses[:2, :3, :3], velocities).reshape(2, 6)


def world_forces(
    poses: Array, velocities: Array, k_t: float = 0.0, k_r: float = 0.0, d_t: float = 0.0, d_r: float = 0.0
) -> Array:
    """Return the rows (f_A, tau_A, f_B, tau_B) in world axes for poses ``(N, 4, 4, 4)``."""
    R = poses[:, :2, :3, :3]
    arms = np.einsum("nbij,nbj->nbi", R, poses[:, 2:, :3, 3])
    points = poses[:, :2, :3, 3] + arms
    v, w = velocities[..., ::2, :], velocities[..., 1::2, :]
    point_velocities = v + np.cross(w, arms)
    axes = R @ poses[:, 2:, :3, :3]
    rotation_vector = Rotation.from_matrix(axes[:, 1] @ np.swapaxes(axes[:, 0], -1, -2)).as_rotvec()
    spring_force = k_t * (points[:, 1] - points[:, 0]) + d_t * (
        point_velocities[:, 1] - point_velocities[:, 0]
    )
    spring_torque = k_r * rotation_vector + d_r * (w[..., 1, :] - w[..., 0, :])
    on_A, on_B = (
        spring_torque + np.cross(arms[:, 0], spring_force),
        -spring_torque - np.cross(arms[:, 1], spring_force),
    )
    return np.stack([spring_force, on_A, -spring_force, on_B], axis=1)


def forces(poses: Array, velocities: Array, axes: str = "body", **stiffness: float) -> Array:
    """Return the rows (f_A, tau_A, f_B, tau_B), shape ``(4, 3)``, at one pair of poses."""
    rows = world_forces(poses[None], velocities, **stiffness)
    result: Array = (to_body(poses[None, :2, :3, :3], rows) if axes == "body" else rows)[0]
    return result


def force_variations(
    poses: Array,
    velocities: Array,
    variations: Array,
    axes: str = "body",
    rotating_share: float = 0.0,
    **stiffness: float,
) -> Array:
    """Return the derivatives ``(N, 4, 3)`` of the forces along variations of the poses.

    The velocities rotate by the fraction ``rotating_share`` of the bodies' rotations: 0 keeps them constant
    in the world, 1 in the bodies.
    """
    rotation_vectors = variations.reshape(-1, 2, 2, 3)[:, :, 1]
    if axes == "body":
        rotation_vectors = np.einsum("bij,nbj->nbi", poses[:2, :3, :3], rotation_vectors)

    def rows(t: float) -> Array:
        varied_poses = vary_poses(poses, variations, t, axes)
        rotations = (
            Rotation.from_rotvec((rotating_share * t * rotation_vectors).reshape(-1, 3))
            .as_matrix()
            .reshape(-1, 2, 3, 3)
        )
        rows_in_world = world_forces(varied_poses, to_world(rotations, velocities), **stiffness)
        return to_body(varied_poses[:, :2, :3, :3], rows_in_world) if axes == "body" else rows_in_world

    return derivative(rows).value


def pose_derivative(
    function: Callable[[Array], Array], poses: Array, variations: Array, axes: str = "body"
) -> Array:
    """Return the derivative of a function of poses ``(N, 4, 4, 4)`` along the variations ``(N, 4, 3)``."""
    return derivative(lambda t: function(vary_poses(poses, variations, t, axes))).value


def origins(poses: Array) -> Array:
    """Return the origins x_1, x_2 ``(N, 2, 3)`` of frames 1 and 2."""
    return (poses[:, :2] @ poses[:, 2:])[..., :3, 3]


def orientations(poses: Array) -> Array:
    """Return the orientations R_1W, R_2W ``(N, 2, 3, 3)``."""
    return (poses[:, :2] @ poses[:, 2:])[..., :3, :3]


def axial(W: Array) -> Array:
    """Return the axial vectors ``(..., 3)`` of skew-symmetric matrices."""
    return np.stack([W[..., 2, 1], W[..., 0, 2], W[..., 1, 0]], axis=-1)


def energy(poses: Array, k_t: float, k_r: float) -> Array:
    """Return the potential energy ``(N,)`` of distance and angle."""
    x, R = origins(poses), orientations(poses)
    rotation_vectors = Rotation.from_matrix(np.swapaxes(R[:, 0], -1, -2) @ R[:, 1]).as_rotvec()
    result: Array = (
        k_t * np.sum((x[:, 1] - x[:, 0]) ** 2, axis=-1) / 2 + k_r * np.sum(rotation_vectors**2, axis=-1) / 2
    )
    return result


def relative_rates(poses: Array) -> Array:
    """Return the Jacobian ``(6, 12)`` of (x_2' - x_1', omega_2 - omega_1) in the body velocities."""
    x, R = (pose_derivative(part, poses, UNIT_VARIATIONS) for part in (origins, orientations))
    angular_velocities = axial(R @ np.swapaxes(orientations(poses[None]), -1, -2))
    return np.concatenate([x[:, 1] - x[:, 0], angular_velocities[:, 1] - angular_velocities[:, 0]], axis=-1).T


def frames_as_bodies(poses: Array) -> Array:
    """Return the poses with the frames 1 and 2 as the bodies A and B."""
    return np.array([poses[0] @ poses[2], poses[1] @ poses[3], np.eye(4), np.eye(4)])


def frame_1_as_body_A(poses: Array) -> Array:
    """Return the poses with frame 1 as body A and body B unchanged."""
    return np.array([poses[0] @ poses[2], poses[1], np.eye(4), poses[3]])


def elastic_forces(poses: Array, k_t: float, k_r: float) -> Array:
    """Return minus the derivatives of the potential along motions of the bodies, in body axes."""
    return -pose_derivative(
        lambda varied_poses: energy(varied_poses, k_t, k_r), poses, UNIT_VARIATIONS
    ).reshape(4, 3)


def viscous_forces(poses: Array, velocities: Array, d_t: float, d_r: float) -> Array:
    """Return minus the derivatives of the dissipation function along body velocities, in body axes.

    The dissipation function is ``d_t |x_2' - x_1'|^2 / 2 + d_r |omega_2 - omega_1|^2 / 2``.
    """
    rates = relative_rates(poses)
    body_velocities = to_body(poses[:2, :3, :3], velocities).ravel()
    return -(rates.T @ np.diag([d_t] * 3 + [d_r] * 3) @ rates @ body_velocities).reshape(4, 3)


def origin_velocities(poses: Array, velocities: Array) -> Array:
    """Return the velocities ``(2, 3)`` of the origins of frames 1 and 2, in the world."""
    result: Array = pose_derivative(origins, poses, velocities[None], axes="world")[0]
    return result
