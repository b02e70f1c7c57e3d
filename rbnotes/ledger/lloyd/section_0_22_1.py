"""Lloyd 0.22.1: the position Jacobian of a frame spring, variation by variation.

Each variation is compared with differences of the quantity it claims to vary, along motions of both bodies,
while the velocities keep their components in the world. Arguments and rows are ordered as in
:mod:`rbnotes.ledger.lloyd.section_0_22`.
"""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from rbnotes import quaternion, se3, so3
from rbnotes.checking import derivative
from rbnotes.checking.strategies import positive_numbers, rotation_vectors, rotations, vectors
from rbnotes.forces.body_forces import directional_force
from rbnotes.inertia import LINEAR_FIRST
from rbnotes.ledger.lloyd.section_0_22 import (
    CHAPTER,
    ELASTIC,
    FORCES,
    MOVING,
    PAIRS,
    POSES,
    REST,
    UNITS,
    VELOCITIES,
    VISCOUS,
    along,
    forces,
    library_forces,
    names,
    orientations,
    origin_velocities_reference,
    origins,
    to_body,
    variations_of_forces,
)
from rbnotes.ledger.oracles import bracket
from rbnotes.ledger.record import Record, Verdict

DELTA = {"delta": VELOCITIES}
ELASTIC_VARIATION = {**ELASTIC, **DELTA}
VISCOUS_VARIATION = {**VISCOUS, **DELTA}
IDENTITY = np.eye(3)


def variation(poses, velocities, delta, **stiffness):
    """Change of (f_A, tau_A, f_B, tau_B) along one variation of the poses."""
    return variations_of_forces(poses, velocities, delta[None], **stiffness)[0]


def library_variation(poses, velocities, delta, **stiffness):
    return (library_forces(poses, velocities, **stiffness).K @ delta.ravel()).reshape(4, 3)


# --- displacements of the origins, elastic force on A ---------------------------------------------------


def origin_shifts_printed(poses, delta):
    n = names(poses)
    dx_A, dtheta_A, dx_B, dtheta_B = delta
    dx_1 = dx_A - np.cross(n.R_AW @ n.p_1, dtheta_A)
    dx_2 = dx_B - np.cross(n.R_BW @ n.p_2, dtheta_B)
    return np.array([dx_1, dx_2])


def origin_shifts_library(poses, delta):
    increments = to_body(poses[:2, :3, :3], delta).reshape(2, 6)[:, LINEAR_FIRST]
    return se3.point_velocity(poses[:2], poses[2:, :3, 3], increments)


def origin_shifts_reference(poses, delta):
    return along(origins, poses, delta[None], axes="world")[0]


def force_in_frame_1_printed(poses, k_t, k_r, turn):
    n = names(poses)
    f_1k = k_t * n.R_1W.T @ (n.x_2 - n.x_1)
    return np.cross(f_1k, turn)


def force_in_frame_1_library(poses, k_t, k_r, turn):
    spring = at_frame_1(poses)
    force = library_forces(spring, REST, k_t, k_r)
    # The origins stay, so only frame 1 turns under the force.
    return force.K[:3, 3:6] @ turn


def at_frame_1(poses):
    return np.array([poses[0] @ poses[2], poses[1], np.eye(4), poses[3]])


def force_in_frame_1_reference(poses, k_t, k_r, turn):
    delta = np.array([0 * turn, turn, 0 * turn, 0 * turn])
    return variation(at_frame_1(poses), REST, delta, k_t=k_t, k_r=k_r)[0]


def force_turned_to_A_printed(poses, k_t, k_r, turn):
    n = names(poses)
    theta_A = Rotation.from_matrix(n.R_AW).as_rotvec()
    A_f_1k = n.R_1A @ (k_t * n.R_1W.T @ (n.x_2 - n.x_1))
    return np.cross(A_f_1k, theta_A)


def force_turned_to_A_library(poses, k_t, k_r, turn):
    force = poses[0, :3, :3] @ library_forces(poses, REST, k_t, k_r).w[0]
    return directional_force(1.0, force, poses[0], poses[2, :3, 3]).K[3:, :3] @ turn


def force_turned_to_A_reference(poses, k_t, k_r, turn):
    # The axes of A turn under a force that is fixed in the world.
    force = poses[0, :3, :3] @ forces(poses, REST, k_t=k_t, k_r=k_r)[0]
    return derivative(
        lambda t: (poses[0, :3, :3] @ Rotation.from_rotvec(t * turn).as_matrix()).T @ force
    ).value


def elastic_force_A_printed(poses, k_t, k_r, delta):
    n = names(poses)
    dx_1, dx_2 = along(origins, poses, delta[None])[0]
    dtheta_A = delta[1]
    A_f_1k = n.R_1A @ (k_t * n.R_1W.T @ (n.x_2 - n.x_1))
    return k_t * n.R_AW.T @ (dx_2 - dx_1) + np.cross(A_f_1k, dtheta_A)


def elastic_force_A_expanded(poses, velocities, k_t, k_r, delta):
    n = names(poses)
    omega_A, omega_B = to_body(poses[:2, :3, :3], velocities)[[1, 3]]
    dx_A, dtheta_A, dx_B, _ = delta
    A_f_1k = n.R_1A @ (k_t * n.R_1W.T @ (n.x_2 - n.x_1))
    moves = -dx_A + np.cross(n.p_1, omega_A) + n.R_BA @ dx_B - n.R_BA @ np.cross(n.p_2, omega_B)
    return k_t * moves + np.cross(A_f_1k, dtheta_A)


def elastic_force_A_library(poses, k_t, k_r, delta):
    return library_variation(poses, REST, delta, k_t=k_t, k_r=k_r)[0]


def elastic_force_A_reference(poses, k_t, k_r, delta):
    return variation(poses, REST, delta, k_t=k_t, k_r=k_r)[0]


def elastic_force_A_moving_library(poses, velocities, k_t, k_r, delta):
    return library_variation(poses, velocities, delta, k_t=k_t, k_r=k_r)[0]


def elastic_force_A_moving_reference(poses, velocities, k_t, k_r, delta):
    return variation(poses, velocities, delta, k_t=k_t, k_r=k_r)[0]


# --- velocities of the origins, damping force on A ------------------------------------------------------


def origin_velocity_1_printed(poses, velocities):
    n = names(poses)
    v_A, omega_A = velocities[:2]
    return v_A + np.cross(omega_A, n.R_AW @ n.p_1)


def origin_velocity_1_library(poses, velocities):
    phi = to_body(poses[:2, :3, :3], velocities).reshape(2, 6)[:, LINEAR_FIRST]
    return se3.point_velocity(poses[0], poses[2, :3, 3], phi[0])


def origin_velocity_1_reference(poses, velocities):
    return origin_velocities_reference(poses, velocities)[0]


def origin_velocity_2_printed(poses, velocities):
    n = names(poses)
    v_B, omega_B = velocities[2:]
    return v_B + np.cross(omega_B, n.R_BW @ n.p_2)


def origin_velocity_2_library(poses, velocities):
    phi = to_body(poses[:2, :3, :3], velocities).reshape(2, 6)[:, LINEAR_FIRST]
    return se3.point_velocity(poses[1], poses[3, :3, 3], phi[1])


def origin_velocity_2_reference(poses, velocities):
    return origin_velocities_reference(poses, velocities)[1]


def arm_variation_middle(R, p, turn):
    return R @ bracket(turn) @ p


def arm_variation_printed(R, p, turn):
    return -R @ bracket(p) @ turn


def arm_variation_library(R, p, turn):
    return R @ se3.Gamma(p)[:, :3] @ turn


def arm_variation_reference(R, p, turn):
    return derivative(lambda t: R @ Rotation.from_rotvec(t * turn).as_matrix() @ p).value


def damping_force_A_printed(poses, velocities, d_t, d_r, delta):
    n = names(poses)
    omega_A, omega_B = velocities[1], velocities[3]
    dtheta_A, dtheta_B = delta[1], delta[3]
    domega_A = np.zeros(3)  # the velocities are held
    f_Ad = forces(poses, velocities, d_t=d_t, d_r=d_r)[0]
    first = -np.cross(omega_B, n.R_BW @ bracket(n.p_2) @ dtheta_B)
    second = np.cross(omega_A, n.R_AW @ bracket(n.p_1) @ dtheta_A)
    return d_t * n.R_AW.T @ (first + second) + np.cross(f_Ad, domega_A)


def damping_force_A_expanded(poses, velocities, d_t, d_r, delta):
    n = names(poses)
    omega_A, omega_B = to_body(poses[:2, :3, :3], velocities)[[1, 3]]
    dtheta_A, dtheta_B = delta[1], delta[3]
    domega_A = np.zeros(3)  # the velocities are held
    f_Ad = forces(poses, velocities, d_t=d_t, d_r=d_r)[0]
    return (
        -d_t * n.R_BA @ bracket(omega_B) @ bracket(n.p_2) @ dtheta_B
        + d_t * bracket(omega_A) @ bracket(n.p_1) @ dtheta_A
        + np.cross(f_Ad, domega_A)
    )


def damping_force_A_library(poses, velocities, d_t, d_r, delta):
    return library_variation(poses, velocities, delta, d_t=d_t, d_r=d_r)[0]


def damping_force_A_reference(poses, velocities, d_t, d_r, delta):
    return variation(poses, velocities, delta, d_t=d_t, d_r=d_r)[0]


# --- the derivative of the rotation vector --------------------------------------------------------------


def axis_angle(w):
    phi = np.linalg.norm(w)
    return phi, w / phi


def turning(w, omega):
    """The rotation vector of R_21 while frame 2 turns against 1 with omega, in frame 1."""
    start = Rotation.from_rotvec(w)
    return lambda t: (Rotation.from_rotvec(t * omega) * start).as_rotvec()


def rate_of(function):
    """Reference for the rate of a function of angle and axis."""
    return lambda w, omega: derivative(lambda t: function(*axis_angle(turning(w, omega)(t)))).value


def half_cosine_printed(w, omega):
    return rate_of(lambda phi, u: np.cos(phi / 2) * u)(w, omega)


def half_cosine_middle(w, omega):
    phi, _ = axis_angle(w)
    dphi = rate_of(lambda phi, u: phi)(w, omega)
    return -1 / 2 * np.sin(phi / 2) * dphi


def half_cosine_last(w, omega):
    phi, u = axis_angle(w)
    return -1 / 2 * np.sin(phi / 2) * omega @ u


def half_cosine_library(w, omega):
    return quaternion.derivative_from_base(quaternion.from_rotation_vector(w), omega)[0]


def half_cosine_reference(w, omega):
    return rate_of(lambda phi, u: np.cos(phi / 2))(w, omega)


def half_sine_middle(w, omega):
    phi, u = axis_angle(w)
    dphi = rate_of(lambda phi, u: phi)(w, omega)
    du = rate_of(lambda phi, u: u)(w, omega)
    return 1 / 2 * np.cos(phi / 2) * dphi * u + np.sin(phi / 2) * du


def half_sine_printed(w, omega):
    phi, u = axis_angle(w)
    return 1 / 2 * (np.cos(phi / 2) * omega + np.sin(phi / 2) * np.cross(omega, u))


def half_sine_library(w, omega):
    return quaternion.derivative_from_base(quaternion.from_rotation_vector(w), omega)[1:]


def half_sine_reference(w, omega):
    return rate_of(lambda phi, u: np.sin(phi / 2) * u)(w, omega)


def angle_rate_printed(w, omega):
    _, u = axis_angle(w)
    return omega @ u


def angle_rate_library(w, omega):
    return w @ so3.left_jacobian_inverse(w) @ omega / so3.angle(so3.exp(w))


def angle_rate_reference(w, omega):
    return rate_of(lambda phi, u: phi)(w, omega)


def cot(x):
    return 1 / np.tan(x)


def axis_rate_printed(w, omega):
    phi, u = axis_angle(w)
    return 1 / 2 * (cot(phi / 2) * omega - cot(phi / 2) * (omega @ u) * u + np.cross(omega, u))


def axis_rate_library(w, omega):
    phi = so3.angle(so3.exp(w))
    return (IDENTITY - np.outer(w, w) / phi**2) @ so3.left_jacobian_inverse(w) @ omega / phi


def axis_rate_reference(w, omega):
    return rate_of(lambda phi, u: u)(w, omega)


def vector_rate_middle(w, omega):
    phi, u = axis_angle(w)
    dphi, du = rate_of(lambda phi, u: phi)(w, omega), rate_of(lambda phi, u: u)(w, omega)
    return dphi * u + phi * du


def vector_rate_printed(w, omega):
    phi, u = axis_angle(w)
    return (omega @ u) * u + phi / 2 * (cot(phi / 2) * (omega - (omega @ u) * u) + np.cross(omega, u))


def vector_rate_library(w, omega):
    return so3.left_jacobian_inverse(w) @ omega


def vector_rate_reference(w, omega):
    return derivative(turning(w, omega)).value


def U_printed(w):
    phi, u = axis_angle(w)
    return (
        1 / 2 * (phi * cot(phi / 2) * IDENTITY + (2 - phi * cot(phi / 2)) * np.outer(u, u) - phi * bracket(u))
    )


def U_library(w):
    return so3.left_jacobian_inverse(w)


def U_reference(w):
    return np.stack([derivative(turning(w, axis)).value for axis in IDENTITY], axis=-1)


def limit_printed():
    return np.array(2.0)


def limit_library():
    # U has the trace 1 + phi cot(phi/2).
    return np.trace(so3.left_jacobian_inverse([0.0, 0.0, 1e-8])) - 1


def limit_reference():
    # Richardson: the next term is of order phi^2.
    near, nearer = (phi * cot(phi / 2) for phi in (2e-3, 1e-3))
    return np.array((4 * nearer - near) / 3)


def no_rotation_printed():
    return np.eye(3)


def no_rotation_library():
    return so3.left_jacobian_inverse(np.zeros(3))


def no_rotation_reference():
    return np.stack([derivative(turning(np.zeros(3), axis)).value for axis in IDENTITY], axis=-1)


def U_transposed_printed(w):
    phi, u = axis_angle(w)
    return (
        1 / 2 * (phi * cot(phi / 2) * IDENTITY + (2 - phi * cot(phi / 2)) * np.outer(u, u) + phi * bracket(u))
    )


def U_transposed_library(w):
    return so3.right_jacobian_inverse(w)


def U_transposed_reference(w):
    # With the components of omega in frame 2 instead, the same derivative is U^T.
    start = Rotation.from_rotvec(w)

    def rate(axis):
        return derivative(lambda t: (start * Rotation.from_rotvec(t * axis)).as_rotvec()).value

    return np.stack([rate(axis) for axis in IDENTITY], axis=-1)


# --- torques on A ---------------------------------------------------------------------------------------


def U_of(poses):
    n = names(poses)
    return U_printed(n.phi * n.u)


def relative_turn_printed(poses, delta):
    n = names(poses)
    dtheta_A, dtheta_B = delta[1], delta[3]
    in_1 = n.R_A1 @ dtheta_A
    in_2 = n.R_2B.T @ dtheta_B
    return n.R_21 @ in_2 - in_1


def relative_turn_library(poses, delta):
    spring = np.array([np.zeros(3), delta[1], np.zeros(3), delta[3]])
    change = library_variation(poses, REST, spring, k_r=1.0)[1]
    n = names(poses)
    return so3.left_jacobian(n.phi * n.u) @ n.R_1A.T @ change


def relative_turn_reference(poses, delta):
    def relative(there):
        R = orientations(there)
        return np.swapaxes(R[:, 0], -1, -2) @ R[:, 1]

    spin = along(relative, poses, delta[None])[0] @ relative(poses[None])[0].T
    return np.array([spin[2, 1], spin[0, 2], spin[1, 0]])


def elastic_torque_A_printed(poses, k_t, k_r, delta):
    n, U = names(poses), U_of(poses)
    dtheta_A, dtheta_B = delta[1], delta[3]
    df_Ak = variation(poses, REST, delta, k_t=k_t, k_r=k_r)[0]
    return (
        -k_r * n.R_1A @ U @ n.R_A1 @ dtheta_A + k_r * n.R_1A @ U @ n.R_B1 @ dtheta_B + np.cross(n.p_1, df_Ak)
    )


def elastic_torque_A_symmetric(poses, k_t, k_r, delta):
    n, U = names(poses), U_of(poses)
    dtheta_A, dtheta_B = delta[1], delta[3]
    df_Ak = variation(poses, REST, delta, k_t=k_t, k_r=k_r)[0]
    A_tau_1k = n.R_1A @ (k_r * (n.phi * n.u))
    return (
        -k_r * n.R_1A @ U.T @ n.R_A1 @ dtheta_A
        + np.cross(A_tau_1k, dtheta_A)
        + k_r * n.R_1A @ U @ n.R_B1 @ dtheta_B
        + np.cross(n.p_1, df_Ak)
    )


def elastic_torque_A_library(poses, k_t, k_r, delta):
    return library_variation(poses, REST, delta, k_t=k_t, k_r=k_r)[1]


def elastic_torque_A_reference(poses, k_t, k_r, delta):
    return variation(poses, REST, delta, k_t=k_t, k_r=k_r)[1]


def difference_middle(poses, k_t, k_r):
    n = names(poses)
    return k_r * n.R_1A @ (n.phi * bracket(n.u)) @ n.R_A1


def difference_printed(poses, k_t, k_r):
    n = names(poses)
    A_tau_1k = n.R_1A @ (k_r * (n.phi * n.u))
    return bracket(A_tau_1k)


def difference_library(poses, k_t, k_r):
    n = names(poses)
    w = so3.log(n.R_21)
    skew = so3.left_jacobian_inverse(w) - so3.right_jacobian_inverse(w)
    return -k_r * n.R_1A @ skew @ n.R_1A.T


def difference_reference(poses, k_t, k_r):
    """U and U^T as derivatives of the rotation vector, with omega in frame 1 and in frame 2."""
    n = names(poses)
    w = n.phi * n.u
    return -k_r * n.R_1A @ (U_reference(w) - U_transposed_reference(w)) @ n.R_1A.T


def damping_torque_A_printed(poses, velocities, d_t, d_r, delta):
    n = names(poses)
    dtheta_A = delta[1]
    tau_1d = d_r * n.R_1W.T @ (velocities[3] - velocities[1])
    A_tau_1d = n.R_1A @ tau_1d
    df_Ad = variation(poses, velocities, delta, d_t=d_t, d_r=d_r)[0]
    return np.cross(A_tau_1d, dtheta_A) + np.cross(n.p_1, df_Ad)


def damping_torque_A_library(poses, velocities, d_t, d_r, delta):
    return library_variation(poses, velocities, delta, d_t=d_t, d_r=d_r)[1]


def damping_torque_A_reference(poses, velocities, d_t, d_r, delta):
    return variation(poses, velocities, delta, d_t=d_t, d_r=d_r)[1]


# --- frame B --------------------------------------------------------------------------------------------


def elastic_force_B_printed(poses, k_t, k_r, delta):
    n = names(poses)
    dx_A, dtheta_A, dx_B, dtheta_B = delta
    B_f_2k = n.R_2B @ (-k_t * n.R_2W.T @ (n.x_2 - n.x_1))
    moves = -dx_B + np.cross(n.p_2, dtheta_B) + n.R_AB @ dx_A - n.R_AB @ np.cross(n.p_1, dtheta_A)
    return k_t * moves + np.cross(B_f_2k, dtheta_B)


def elastic_force_B_library(poses, k_t, k_r, delta):
    return library_variation(poses, REST, delta, k_t=k_t, k_r=k_r)[2]


def elastic_force_B_reference(poses, k_t, k_r, delta):
    return variation(poses, REST, delta, k_t=k_t, k_r=k_r)[2]


def damping_force_B_printed(poses, velocities, d_t, d_r, delta):
    n = names(poses)
    omega_A, omega_B = to_body(poses[:2, :3, :3], velocities)[[1, 3]]
    dtheta_A, dtheta_B = delta[1], delta[3]
    dx_1, dx_2 = origin_velocities_reference(poses, velocities)
    B_f_2d = n.R_2B @ (-d_t * n.R_2W.T @ (dx_2 - dx_1))
    return (
        d_t * bracket(omega_B) @ bracket(n.p_2) @ dtheta_B
        - d_t * n.R_AB @ bracket(omega_A) @ bracket(n.p_1) @ dtheta_A
        + np.cross(B_f_2d, dtheta_B)
    )


def damping_force_B_library(poses, velocities, d_t, d_r, delta):
    return library_variation(poses, velocities, delta, d_t=d_t, d_r=d_r)[2]


def damping_force_B_reference(poses, velocities, d_t, d_r, delta):
    return variation(poses, velocities, delta, d_t=d_t, d_r=d_r)[2]


def vector_in_B(R_2B, w, omega):
    """R_1B and R_1B (phi u) while frame 2, fixed in B, turns against 1 with omega, in frame 1."""
    rotation_vector = turning(w, omega)

    def R_1B(t):
        return R_2B @ Rotation.from_rotvec(rotation_vector(t)).as_matrix().T

    return R_1B, lambda t: R_1B(t) @ rotation_vector(t)


def vector_in_B_product(R_2B, w, omega):
    R_1B, _ = vector_in_B(R_2B, w, omega)
    dR_1B = derivative(R_1B).value
    return R_1B(0) @ vector_rate_reference(w, omega) + dR_1B @ w


def vector_in_B_with_U(R_2B, w, omega):
    R_1B, _ = vector_in_B(R_2B, w, omega)
    dR_1B = derivative(R_1B).value
    return R_1B(0) @ U_printed(w) @ omega + dR_1B @ w


def vector_in_B_expanded(R_2B, w, omega):
    R_1B = vector_in_B(R_2B, w, omega)[0](0)
    return R_1B @ U_printed(w) @ omega - R_1B @ bracket(omega) @ w


def vector_in_B_exchanged(R_2B, w, omega):
    R_1B = vector_in_B(R_2B, w, omega)[0](0)
    return R_1B @ U_printed(w) @ omega + R_1B @ bracket(w) @ omega


def vector_in_B_printed(R_2B, w, omega):
    R_1B = vector_in_B(R_2B, w, omega)[0](0)
    return R_1B @ U_printed(w).T @ omega


def vector_in_B_library(R_2B, w, omega):
    return R_2B @ so3.exp(-w) @ so3.right_jacobian_inverse(w) @ omega


def vector_in_B_reference(R_2B, w, omega):
    return derivative(vector_in_B(R_2B, w, omega)[1]).value


def rotation_rate_middle(R_2B, w, omega):
    R_12 = Rotation.from_rotvec(w).as_matrix().T
    return R_2B @ R_12 @ bracket(omega)


def rotation_rate_printed(R_2B, w, omega):
    R_1B = vector_in_B(R_2B, w, omega)[0](0)
    return -R_1B @ bracket(omega)


def rotation_rate_library(R_2B, w, omega):
    return -R_2B @ so3.exp(-w) @ so3.hat(omega)


def rotation_rate_reference(R_2B, w, omega):
    return derivative(vector_in_B(R_2B, w, omega)[0]).value


def elastic_torque_B_printed(poses, k_t, k_r, delta):
    n, U = names(poses), U_of(poses)
    dtheta_A, dtheta_B = delta[1], delta[3]
    df_Bk = variation(poses, REST, delta, k_t=k_t, k_r=k_r)[2]
    return (
        -k_r * n.R_1B @ U.T @ n.R_A1 @ dtheta_A
        + k_r * n.R_1B @ U.T @ n.R_B1 @ dtheta_B
        + np.cross(n.p_2, df_Bk)
    )


def elastic_torque_B_symmetric(poses, k_t, k_r, delta):
    n, U = names(poses), U_of(poses)
    dtheta_A, dtheta_B = delta[1], delta[3]
    df_Bk = variation(poses, REST, delta, k_t=k_t, k_r=k_r)[2]
    tau_B = forces(poses, REST, k_t=k_t, k_r=k_r)[3]
    return (
        -k_r * n.R_1B @ U.T @ n.R_A1 @ dtheta_A
        + k_r * n.R_1B @ U @ n.R_B1 @ dtheta_B
        + np.cross(tau_B, dtheta_B)
        + np.cross(n.p_2, df_Bk)
    )


def elastic_torque_B_library(poses, k_t, k_r, delta):
    return library_variation(poses, REST, delta, k_t=k_t, k_r=k_r)[3]


def elastic_torque_B_reference(poses, k_t, k_r, delta):
    return variation(poses, REST, delta, k_t=k_t, k_r=k_r)[3]


def damping_torque_B_printed(poses, velocities, d_t, d_r, delta):
    n = names(poses)
    dtheta_B = delta[3]
    tau_1d = d_r * n.R_1W.T @ (velocities[3] - velocities[1])
    B_tau_1d = n.R_1B @ tau_1d
    df_Bd = variation(poses, velocities, delta, d_t=d_t, d_r=d_r)[2]
    return np.cross(B_tau_1d, dtheta_B) + np.cross(n.p_2, df_Bd)


def damping_torque_B_library(poses, velocities, d_t, d_r, delta):
    return library_variation(poses, velocities, delta, d_t=d_t, d_r=d_r)[3]


def damping_torque_B_reference(poses, velocities, d_t, d_r, delta):
    return variation(poses, velocities, delta, d_t=d_t, d_r=d_r)[3]


# --- the whole matrix -----------------------------------------------------------------------------------


def position_jacobian_printed(poses, velocities, k_t, k_r, d_t, d_r, held):
    n, U = names(poses), U_of(poses)
    _, omega_A, _, omega_B = to_body(poses[:2, :3, :3], velocities)
    dx_1, dx_2 = origin_velocities_reference(poses, velocities)
    pull = k_t * (n.x_2 - n.x_1) + d_t * (dx_2 - dx_1)
    twist = k_r * n.R_1W @ (n.phi * n.u) + d_r * (velocities[3] - velocities[1])
    A_f_1, A_tau_1 = n.R_AW.T @ pull, n.R_AW.T @ twist
    B_f_2, B_tau_2 = n.R_BW.T @ (-pull), n.R_BW.T @ (-twist)
    p_1, p_2, w_A, w_B = bracket(n.p_1), bracket(n.p_2), bracket(omega_A), bracket(omega_B)
    J_01 = k_t * p_1 + d_t * w_A @ p_1 + bracket(A_f_1)
    J_03 = -k_t * n.R_BA @ p_2 - d_t * n.R_BA @ w_B @ p_2
    J_21 = -k_t * n.R_AB @ p_1 - d_t * n.R_AB @ w_A @ p_1
    J_23 = k_t * p_2 + d_t * w_B @ p_2 + bracket(B_f_2)
    J_11 = p_1 @ J_01 - k_r * n.R_1A @ U.T @ n.R_A1 + bracket(A_tau_1)
    J_13 = p_1 @ J_03 + k_r * n.R_1A @ U @ n.R_B1
    J_31 = p_2 @ J_21 + k_r * n.R_1B @ U.T @ n.R_A1
    J_33 = p_2 @ J_23 - k_r * n.R_1B @ U @ n.R_B1 + bracket(B_tau_2)
    return np.block(
        [
            [-k_t * IDENTITY, J_01, k_t * n.R_BA, J_03],
            [-k_t * p_1, J_11, k_t * p_1 @ n.R_BA, J_13],
            [k_t * n.R_AB, J_21, -k_t * IDENTITY, J_23],
            [k_t * p_2 @ n.R_AB, J_31, -k_t * p_2, J_33],
        ]
    )


def position_jacobian_library(poses, velocities, k_t, k_r, d_t, d_r, held):
    return library_forces(poses, velocities, k_t, k_r, d_t, d_r, held=held).K


def position_jacobian_reference(poses, velocities, k_t, k_r, d_t, d_r, held):
    change = variations_of_forces(poses, velocities, UNITS, held=held, k_t=k_t, k_r=k_r, d_t=d_t, d_r=d_r)
    return change.reshape(12, 12).T


WORLD = "rbnotes.forces.world.hold_world_velocities"
LOG = "rbnotes.so3.left_jacobian_inverse"
FORCE_DIFFERENCES = (
    "differences of forces computed in the world and moved to the bodies, along motions of both bodies"
)
VECTOR_DIFFERENCES = "differences of scipy's rotation vector while frame 2 turns against frame 1"
TURN = {
    "w": rotation_vectors().filter(lambda w: bool(0.2 < np.linalg.norm(w) < 3)),
    "omega": vectors(),
}
WITH_OFFSET = {"R_2B": rotations(), **TURN}
WHOLE = {"poses": POSES, "velocities": VELOCITIES, "k_t": positive_numbers(), "k_r": positive_numbers(),
         "d_t": positive_numbers(), "d_r": positive_numbers()}  # fmt: skip

RECORDS = [
    Record(
        id="lloyd/s0.22.1/d1",
        title="How the origins of the frames move with the bodies",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=("rbnotes.se3.point_velocity",),
        formula=r"\delta\mathbf x_1={}^W\delta\mathbf x_A-{}^W\mathbf p_1\times\delta\,{}^W\boldsymbol\theta_A,"
        r"\quad\delta\mathbf x_2={}^W\delta\mathbf x_B-{}^W\mathbf p_2\times\delta\,{}^W\boldsymbol\theta_B",
        oracle=MOVING,
        inputs={**PAIRS, **DELTA},
        printed=origin_shifts_printed,
        library=origin_shifts_library,
        reference=origin_shifts_reference,
    ),
    Record(
        id="lloyd/s0.22.1/t1056#a",
        title="Force on frame 1 when only that frame turns",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(FORCES,),
        formula=r"\delta\mathbf f_{1k}=\mathbf f_{1k}\times\delta\,{}^1\boldsymbol\theta_A",
        oracle=FORCE_DIFFERENCES,
        inputs={**ELASTIC, "turn": vectors()},
        printed=force_in_frame_1_printed,
        library=force_in_frame_1_library,
        reference=force_in_frame_1_reference,
    ),
    Record(
        id="lloyd/s0.22.1/t1056#b",
        title="The same variation with respect to A",
        verdict=Verdict.MISPRINT,
        chapter=CHAPTER,
        implemented_by=("rbnotes.forces.body_forces.directional_force",),
        formula=r"{}^A\mathbf f_{1k}\times\boldsymbol\theta_A",
        correction=r"${}^A\mathbf f_{1k}\times\delta\boldsymbol\theta_A$, with the $\delta$.",
        oracle="differences of the components in A of a force that stays in the world, while A turns",
        inputs={**ELASTIC, "turn": vectors()},
        printed=force_turned_to_A_printed,
        library=force_turned_to_A_library,
        reference=force_turned_to_A_reference,
    ),
    Record(
        id="lloyd/s0.22.1/e0.43#a",
        title="Variation of the elastic force on A",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(FORCES,),
        formula=r"\delta\mathbf f_{Ak}=k_t\mathbf R_{AW}^T(\delta\mathbf x_2-\delta\mathbf x_1)"
        r"+{}^A\mathbf f_{1k}\times\delta\boldsymbol\theta_A",
        oracle=FORCE_DIFFERENCES,
        inputs=ELASTIC_VARIATION,
        printed=elastic_force_A_printed,
        library=elastic_force_A_library,
        reference=elastic_force_A_reference,
    ),
    Record(
        id="lloyd/s0.22.1/e0.43#b",
        title="The same, in variations of the bodies",
        verdict=Verdict.ERRATUM,
        chapter=CHAPTER,
        implemented_by=(FORCES,),
        formula=r"k_t(-\delta\mathbf x_A+\mathbf p_1\times\boldsymbol\omega_A+\mathbf R_{BA}\delta\mathbf x_B"
        r"-\mathbf R_{BA}\mathbf p_2\times\boldsymbol\omega_B)+{}^A\mathbf f_{1k}\times\delta\boldsymbol\theta_A",
        correction=r"$\delta\boldsymbol\theta_A$ and $\delta\boldsymbol\theta_B$ in place of the angular "
        r"velocities $\boldsymbol\omega_A$ and $\boldsymbol\omega_B$ (which 0.22 defines, so that code with "
        r"them runs); the assembled matrix has them right.",
        remark=r"$\mathbf R_{BA}\mathbf p_2\times\cdot$ reads $\mathbf R_{BA}(\mathbf p_2\times\cdot)$.",
        oracle=FORCE_DIFFERENCES,
        inputs={
            "poses": POSES,
            "velocities": VELOCITIES,
            "k_t": positive_numbers(),
            "k_r": positive_numbers(),
            **DELTA,
        },
        printed=elastic_force_A_expanded,
        library=elastic_force_A_moving_library,
        reference=elastic_force_A_moving_reference,
    ),
    Record(
        id="lloyd/s0.22.1/d2",
        title="Velocity of the origin of frame 1",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=("rbnotes.se3.point_velocity",),
        formula=r"\dot{\mathbf x}_1={}^W\mathbf v_A+{}^W\boldsymbol\omega_A\times{}^W\mathbf p_1",
        oracle=MOVING,
        inputs={"poses": POSES, "velocities": VELOCITIES},
        printed=origin_velocity_1_printed,
        library=origin_velocity_1_library,
        reference=origin_velocity_1_reference,
    ),
    Record(
        id="lloyd/s0.22.1/d3#a",
        title="How the arm turns with A, first form",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=("rbnotes.se3.Gamma",),
        formula=r"{}^W\delta\mathbf p_1=\delta\mathbf R_{AW}\,\mathbf p_1"
        r"=\mathbf R_{AW}[\delta\boldsymbol\theta_A]\mathbf p_1",
        oracle="differences of R p while R turns about a body axis",
        inputs={"R_AW": rotations(), "p_1": vectors(), "turn": vectors()},
        printed=arm_variation_middle,
        library=arm_variation_library,
        reference=arm_variation_reference,
    ),
    Record(
        id="lloyd/s0.22.1/d3#b",
        title="How the arm turns with A, as a matrix",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=("rbnotes.se3.Gamma",),
        formula=r"{}^W\delta\mathbf p_1=-\mathbf R_{AW}[\mathbf p_1]\delta\boldsymbol\theta_A",
        oracle="differences of R p while R turns about a body axis",
        inputs={"R_AW": rotations(), "p_1": vectors(), "turn": vectors()},
        printed=arm_variation_printed,
        library=arm_variation_library,
        reference=arm_variation_reference,
    ),
    Record(
        id="lloyd/s0.22.1/d4",
        title="Velocity of the origin of frame 2",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=("rbnotes.se3.point_velocity",),
        formula=r"\dot{\mathbf x}_2={}^W\mathbf v_B+{}^W\boldsymbol\omega_B\times{}^W\mathbf p_2",
        oracle=MOVING,
        inputs={"poses": POSES, "velocities": VELOCITIES},
        printed=origin_velocity_2_printed,
        library=origin_velocity_2_library,
        reference=origin_velocity_2_reference,
    ),
    Record(
        id="lloyd/s0.22.1/d5",
        title="How the arm turns with B",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=("rbnotes.se3.Gamma",),
        formula=r"{}^W\delta\mathbf p_2=-\mathbf R_{BW}[\mathbf p_2]\delta\boldsymbol\theta_B",
        oracle="differences of R p while R turns about a body axis",
        inputs={"R_BW": rotations(), "p_2": vectors(), "turn": vectors()},
        printed=arm_variation_printed,
        library=arm_variation_library,
        reference=arm_variation_reference,
    ),
    Record(
        id="lloyd/s0.22.1/e0.44#a",
        title="Variation of the damping force on A",
        verdict=Verdict.MISPRINT,
        chapter=CHAPTER,
        implemented_by=(FORCES, WORLD),
        formula=r"\delta\mathbf f_{Ad}=d_t\mathbf R_{AW}^T(-\boldsymbol\omega_B\times(\mathbf R_{BW}[\mathbf p_2]"
        r"\delta\boldsymbol\theta_B)+\boldsymbol\omega_A\times(\mathbf R_{AW}[\mathbf p_1]"
        r"\delta\boldsymbol\theta_A))+\mathbf f_{Ad}\times\delta\boldsymbol\omega_A",
        correction=r"The last term is $\mathbf f_{Ad}\times\delta\boldsymbol\theta_A$: velocities do not vary "
        r"here.",
        remark="Velocities are held in the world.",
        oracle=FORCE_DIFFERENCES,
        inputs=VISCOUS_VARIATION,
        printed=damping_force_A_printed,
        library=damping_force_A_library,
        reference=damping_force_A_reference,
    ),
    Record(
        id="lloyd/s0.22.1/e0.44#b",
        title="The same in the axes of the bodies",
        verdict=Verdict.MISPRINT,
        chapter=CHAPTER,
        implemented_by=(FORCES, WORLD),
        formula=r"-d_t\mathbf R_{BA}[{}^B\boldsymbol\omega_B][\mathbf p_2]\delta\boldsymbol\theta_B"
        r"+d_t[{}^A\boldsymbol\omega_A][\mathbf p_1]\delta\boldsymbol\theta_A"
        r"+\mathbf f_{Ad}\times\delta\boldsymbol\omega_A",
        correction=r"The last term is $\mathbf f_{Ad}\times\delta\boldsymbol\theta_A$.",
        oracle=FORCE_DIFFERENCES,
        inputs=VISCOUS_VARIATION,
        printed=damping_force_A_expanded,
        library=damping_force_A_library,
        reference=damping_force_A_reference,
    ),
    Record(
        id="lloyd/s0.22.1/d6#a",
        title="Rate of the scalar part of the quaternion, left side",
        verdict=Verdict.MISPRINT,
        chapter=CHAPTER,
        implemented_by=("rbnotes.quaternion.derivative_from_base",),
        formula=r"\frac{d\cos(\phi/2)\,\mathbf u}{dt}=-\tfrac12\sin(\phi/2)\,\boldsymbol\omega\cdot\mathbf u",
        correction=r"$\frac{d\cos(\phi/2)}{dt}$: the scalar part has no $\mathbf u$.",
        oracle="differences of cos(phi/2) while frame 2 turns against frame 1",
        inputs=TURN,
        printed=half_cosine_printed,
        library=half_cosine_library,
        reference=half_cosine_reference,
    ),
    Record(
        id="lloyd/s0.22.1/d6#b",
        title="Rate of the scalar part, by the chain rule",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=("rbnotes.quaternion.derivative_from_base",),
        formula=r"-\tfrac12\sin(\phi/2)\,\dot\phi",
        oracle="differences of cos(phi/2) while frame 2 turns against frame 1",
        inputs=TURN,
        printed=half_cosine_middle,
        library=half_cosine_library,
        reference=half_cosine_reference,
    ),
    Record(
        id="lloyd/s0.22.1/d6#c",
        title="Rate of the scalar part, from the angular velocity",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=("rbnotes.quaternion.derivative_from_base",),
        formula=r"-\tfrac12\sin(\phi/2)\,\boldsymbol\omega\cdot\mathbf u",
        oracle="differences of cos(phi/2) while frame 2 turns against frame 1",
        inputs=TURN,
        printed=half_cosine_last,
        library=half_cosine_library,
        reference=half_cosine_reference,
    ),
    Record(
        id="lloyd/s0.22.1/d6#d",
        title="Rate of the vector part, by the product rule",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=("rbnotes.quaternion.derivative_from_base",),
        formula=r"\frac{d\sin(\phi/2)\mathbf u}{dt}=\tfrac12\cos(\phi/2)\dot\phi\,\mathbf u"
        r"+\sin(\phi/2)\dot{\mathbf u}",
        oracle="differences of sin(phi/2) u while frame 2 turns against frame 1",
        inputs=TURN,
        printed=half_sine_middle,
        library=half_sine_library,
        reference=half_sine_reference,
    ),
    Record(
        id="lloyd/s0.22.1/d6#e",
        title="Rate of the vector part, from the angular velocity",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=("rbnotes.quaternion.derivative_from_base",),
        formula=r"\frac{d\sin(\phi/2)\mathbf u}{dt}=\tfrac12(\cos(\phi/2)\boldsymbol\omega"
        r"+\sin(\phi/2)\,\boldsymbol\omega\times\mathbf u)",
        oracle="differences of sin(phi/2) u while frame 2 turns against frame 1",
        inputs=TURN,
        printed=half_sine_printed,
        library=half_sine_library,
        reference=half_sine_reference,
    ),
    Record(
        id="lloyd/s0.22.1/d7",
        title="Rate of the angle",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(LOG,),
        formula=r"\dot\phi=\boldsymbol\omega\cdot\mathbf u",
        oracle=VECTOR_DIFFERENCES,
        inputs=TURN,
        printed=angle_rate_printed,
        library=angle_rate_library,
        reference=angle_rate_reference,
    ),
    Record(
        id="lloyd/s0.22.1/d8",
        title="Rate of the axis",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(LOG,),
        formula=r"\dot{\mathbf u}=\tfrac12(\cot(\phi/2)\boldsymbol\omega"
        r"-\cot(\phi/2)(\boldsymbol\omega\cdot\mathbf u)\mathbf u+\boldsymbol\omega\times\mathbf u)",
        oracle=VECTOR_DIFFERENCES,
        inputs=TURN,
        printed=axis_rate_printed,
        library=axis_rate_library,
        reference=axis_rate_reference,
        tolerance=1e-8,
    ),
    Record(
        id="lloyd/s0.22.1/d9#a",
        title="Rate of the rotation vector, by the product rule",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(LOG,),
        formula=r"\frac{d(\phi\mathbf u)}{dt}=\dot\phi\,\mathbf u+\phi\,\dot{\mathbf u}",
        oracle=VECTOR_DIFFERENCES,
        inputs=TURN,
        printed=vector_rate_middle,
        library=vector_rate_library,
        reference=vector_rate_reference,
        tolerance=1e-8,
    ),
    Record(
        id="lloyd/s0.22.1/d9#b",
        title="Rate of the rotation vector",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(LOG,),
        formula=r"\frac{d(\phi\mathbf u)}{dt}=(\boldsymbol\omega\cdot\mathbf u)\mathbf u+\frac\phi2\left("
        r"\cot(\phi/2)(\boldsymbol\omega-(\boldsymbol\omega\cdot\mathbf u)\mathbf u)"
        r"+\boldsymbol\omega\times\mathbf u\right)",
        oracle=VECTOR_DIFFERENCES,
        inputs=TURN,
        printed=vector_rate_printed,
        library=vector_rate_library,
        reference=vector_rate_reference,
    ),
    Record(
        id="lloyd/s0.22.1/e0.45",
        title="The matrix U: derivative of the rotation vector",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(LOG,),
        formula=r"\frac{d(\phi\mathbf u)}{dt}=\mathbf U\boldsymbol\omega,\quad\mathbf U\equiv\tfrac12\left("
        r"\phi\cot(\phi/2)\mathbf I+(2-\phi\cot(\phi/2))\mathbf u\mathbf u^T-\phi[\mathbf u]\right)",
        oracle=VECTOR_DIFFERENCES,
        remark=r"$\mathbf U$ is the inverse of the left Jacobian of SO(3).",
        inputs={"w": TURN["w"]},
        printed=U_printed,
        library=U_library,
        reference=U_reference,
    ),
    Record(
        id="lloyd/s0.22.1/d10",
        title="Limit of its coefficient at angle zero",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(LOG,),
        formula=r"\lim_{\phi\to0}\phi\cot(\phi/2)=2",
        oracle="extrapolation from two small angles",
        printed=limit_printed,
        library=limit_library,
        reference=limit_reference,
        tolerance=1e-12,
    ),
    Record(
        id="lloyd/s0.22.1/t1107",
        title="U at angle zero",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(LOG,),
        formula=r"\phi=0:\ \mathbf U=\mathbf I",
        oracle=VECTOR_DIFFERENCES + ", from the identity",
        printed=no_rotation_printed,
        library=no_rotation_library,
        reference=no_rotation_reference,
    ),
    Record(
        id="lloyd/s0.22.1/t1109",
        title="Relative rotation in terms of the bodies",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(FORCES,),
        formula=r"\delta\boldsymbol\theta_{21}=\delta\boldsymbol\theta_2-\delta\boldsymbol\theta_1,\quad"
        r"{}^1\delta\boldsymbol\theta_1=\mathbf R_{A1}\delta\boldsymbol\theta_A,\quad"
        r"{}^2\delta\boldsymbol\theta_2=\mathbf R_{B2}\delta\boldsymbol\theta_B",
        oracle="differences of R_21 along motions of both bodies",
        inputs={**PAIRS, **DELTA},
        printed=relative_turn_printed,
        library=relative_turn_library,
        reference=relative_turn_reference,
    ),
    Record(
        id="lloyd/s0.22.1/e0.46",
        title="Variation of the elastic torque on A",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(FORCES,),
        formula=r"\delta\boldsymbol\tau_{Ak}=-k_r\mathbf R_{1A}\mathbf U\mathbf R_{A1}\delta\boldsymbol\theta_A"
        r"+k_r\mathbf R_{1A}\mathbf U\mathbf R_{B1}\delta\boldsymbol\theta_B"
        r"+\mathbf p_1\times\delta\mathbf f_{Ak}",
        oracle=FORCE_DIFFERENCES,
        inputs=ELASTIC_VARIATION,
        printed=elastic_torque_A_printed,
        library=elastic_torque_A_library,
        reference=elastic_torque_A_reference,
    ),
    Record(
        id="lloyd/s0.22.1/d11#a",
        title="Skew part of U, with the axis",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(LOG, "rbnotes.so3.right_jacobian_inverse"),
        formula=r"-k_r\mathbf R_{1A}(\mathbf U-\mathbf U^T)\mathbf R_{A1}"
        r"=k_r\mathbf R_{1A}(\phi[\mathbf u])\mathbf R_{A1}",
        oracle="U and U^T as differences of the rotation vector, omega in frame 1 and in frame 2",
        inputs=ELASTIC,
        printed=difference_middle,
        library=difference_library,
        reference=difference_reference,
    ),
    Record(
        id="lloyd/s0.22.1/d11#b",
        title="Skew part of U, with the torque",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(LOG, "rbnotes.so3.right_jacobian_inverse"),
        formula=r"-k_r\mathbf R_{1A}(\mathbf U-\mathbf U^T)\mathbf R_{A1}\delta\boldsymbol\theta_A"
        r"={}^A\boldsymbol\tau_{1k}\times\delta\boldsymbol\theta_A",
        oracle="U and U^T as differences of the rotation vector, omega in frame 1 and in frame 2",
        inputs=ELASTIC,
        printed=difference_printed,
        library=difference_library,
        reference=difference_reference,
    ),
    Record(
        id="lloyd/s0.22.1/e0.47",
        title="The transpose of U",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=("rbnotes.so3.right_jacobian_inverse",),
        formula=r"\mathbf U^T\equiv\tfrac12\left(\phi\cot(\phi/2)\mathbf I"
        r"+(2-\phi\cot(\phi/2))\mathbf u\mathbf u^T+\phi[\mathbf u]\right)",
        oracle="U^T is what takes omega in frame 2 to the rate: differences of scipy's rotation vector",
        remark=r"$\mathbf U^T$ is the inverse of the right Jacobian of SO(3).",
        inputs={"w": TURN["w"]},
        printed=U_transposed_printed,
        library=U_transposed_library,
        reference=U_transposed_reference,
    ),
    Record(
        id="lloyd/s0.22.1/e0.48",
        title="Variation of the elastic torque on A, with the turning torque split off",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(FORCES,),
        formula=r"\delta\boldsymbol\tau_{Ak}=-k_r\mathbf R_{1A}\mathbf U^T\mathbf R_{A1}\delta\boldsymbol\theta_A"
        r"+{}^A\boldsymbol\tau_{1k}\times\delta\boldsymbol\theta_A"
        r"+k_r\mathbf R_{1A}\mathbf U\mathbf R_{B1}\delta\boldsymbol\theta_B"
        r"+\mathbf p_1\times\delta\mathbf f_{Ak}",
        oracle=FORCE_DIFFERENCES,
        inputs=ELASTIC_VARIATION,
        printed=elastic_torque_A_symmetric,
        library=elastic_torque_A_library,
        reference=elastic_torque_A_reference,
    ),
    Record(
        id="lloyd/s0.22.1/e0.49",
        title="Variation of the damping torque on A",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(FORCES, WORLD),
        formula=r"\delta\boldsymbol\tau_{Ad}={}^A\boldsymbol\tau_{1d}\times\delta\boldsymbol\theta_A"
        r"+\mathbf p_1\times\delta\mathbf f_{Ad}",
        oracle=FORCE_DIFFERENCES,
        remark="Angular velocities are held in the world.",
        inputs=VISCOUS_VARIATION,
        printed=damping_torque_A_printed,
        library=damping_torque_A_library,
        reference=damping_torque_A_reference,
    ),
    Record(
        id="lloyd/s0.22.1/e0.50",
        title="Variation of the elastic force on B",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(FORCES,),
        formula=r"\delta\mathbf f_{Bk}=k_t(-\delta\mathbf x_B+\mathbf p_2\times\delta\boldsymbol\theta_B"
        r"+\mathbf R_{AB}\delta\mathbf x_A-\mathbf R_{AB}\mathbf p_1\times\delta\boldsymbol\theta_A)"
        r"+{}^B\mathbf f_{2k}\times\delta\boldsymbol\theta_B",
        oracle=FORCE_DIFFERENCES,
        remark=r"$\mathbf R_{AB}\mathbf p_1\times\cdot$ reads $\mathbf R_{AB}(\mathbf p_1\times\cdot)$.",
        inputs=ELASTIC_VARIATION,
        printed=elastic_force_B_printed,
        library=elastic_force_B_library,
        reference=elastic_force_B_reference,
    ),
    Record(
        id="lloyd/s0.22.1/e0.51",
        title="Variation of the damping force on B",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=(FORCES, WORLD),
        formula=r"\delta\mathbf f_{Bd}=d_t[\boldsymbol\omega_B][\mathbf p_2]\delta\boldsymbol\theta_B"
        r"-d_t\mathbf R_{AB}[\boldsymbol\omega_A][\mathbf p_1]\delta\boldsymbol\theta_A"
        r"+{}^B\mathbf f_{2d}\times\delta\boldsymbol\theta_B",
        oracle=FORCE_DIFFERENCES,
        remark="Velocities are held in the world; their components here are those in their own bodies.",
        inputs=VISCOUS_VARIATION,
        printed=damping_force_B_printed,
        library=damping_force_B_library,
        reference=damping_force_B_reference,
    ),
    Record(
        id="lloyd/s0.22.1/d12#a",
        title="Rate of the rotation vector in B, by the product rule",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=("rbnotes.so3.right_jacobian_inverse",),
        formula=r"\frac{d(\mathbf R_{1B}(\phi\mathbf u))}{dt}=\mathbf R_{1B}\frac{d(\phi\mathbf u)}{dt}"
        r"+\dot{\mathbf R}_{1B}(\phi\mathbf u)",
        oracle="differences of R_1B (phi u) while frame 2, fixed in B, turns against frame 1",
        inputs=WITH_OFFSET,
        printed=vector_in_B_product,
        library=vector_in_B_library,
        reference=vector_in_B_reference,
    ),
    Record(
        id="lloyd/s0.22.1/d12#b",
        title="The same with U",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=("rbnotes.so3.right_jacobian_inverse",),
        formula=r"\mathbf R_{1B}\mathbf U\boldsymbol\omega+\dot{\mathbf R}_{1B}(\phi\mathbf u)",
        oracle="differences of R_1B (phi u) while frame 2, fixed in B, turns against frame 1",
        inputs=WITH_OFFSET,
        printed=vector_in_B_with_U,
        library=vector_in_B_library,
        reference=vector_in_B_reference,
    ),
    Record(
        id="lloyd/s0.22.1/d13#a",
        title="Rate of the rotation from 1 to B, middle expression",
        verdict=Verdict.ERRATUM,
        chapter=CHAPTER,
        implemented_by=("rbnotes.so3.hat",),
        formula=r"\dot{\mathbf R}_{1B}=\mathbf R_{2B}\mathbf R_{12}[\boldsymbol\omega]",
        correction=r"$-\mathbf R_{2B}\mathbf R_{12}[\boldsymbol\omega]$, as the end of the line has it.",
        oracle="differences of R_1B while frame 2, fixed in B, turns against frame 1",
        inputs=WITH_OFFSET,
        printed=rotation_rate_middle,
        library=rotation_rate_library,
        reference=rotation_rate_reference,
    ),
    Record(
        id="lloyd/s0.22.1/d13#b",
        title="Rate of the rotation from 1 to B",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=("rbnotes.so3.hat",),
        formula=r"\dot{\mathbf R}_{1B}=-\mathbf R_{1B}[\boldsymbol\omega]",
        oracle="differences of R_1B while frame 2, fixed in B, turns against frame 1",
        inputs=WITH_OFFSET,
        printed=rotation_rate_printed,
        library=rotation_rate_library,
        reference=rotation_rate_reference,
    ),
    Record(
        id="lloyd/s0.22.1/d14#a",
        title="Rate of the rotation vector in B, expanded",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=("rbnotes.so3.right_jacobian_inverse",),
        formula=r"\mathbf R_{1B}\mathbf U\boldsymbol\omega-\mathbf R_{1B}[\boldsymbol\omega](\phi\mathbf u)",
        oracle="differences of R_1B (phi u) while frame 2, fixed in B, turns against frame 1",
        inputs=WITH_OFFSET,
        printed=vector_in_B_expanded,
        library=vector_in_B_library,
        reference=vector_in_B_reference,
    ),
    Record(
        id="lloyd/s0.22.1/d14#b",
        title="The same with the bracket exchanged",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=("rbnotes.so3.right_jacobian_inverse",),
        formula=r"\mathbf R_{1B}\mathbf U\boldsymbol\omega+\mathbf R_{1B}[\phi\mathbf u]\boldsymbol\omega",
        oracle="differences of R_1B (phi u) while frame 2, fixed in B, turns against frame 1",
        inputs=WITH_OFFSET,
        printed=vector_in_B_exchanged,
        library=vector_in_B_library,
        reference=vector_in_B_reference,
    ),
    Record(
        id="lloyd/s0.22.1/d14#c",
        title="Rate of the rotation vector in B",
        verdict=Verdict.HOLDS,
        chapter=CHAPTER,
        implemented_by=("rbnotes.so3.right_jacobian_inverse",),
        formula=r"\frac{d(\mathbf R_{1B}(\phi\mathbf u))}{dt}=\mathbf R_{1B}\mathbf U^T\boldsymbol\omega",
        oracle="differences of R_1B (phi u) while frame 2, fixed in B, turns against frame 1",
        inputs=WITH_OFFSET,
        printed=vector_in_B_printed,
        library=vector_in_B_library,
        reference=vector_in_B_reference,
    ),
    Record(
        id="lloyd/s0.22.1/d15",
        title="Variation of the elastic torque on B",
        verdict=Verdict.ERRATUM,
        chapter=CHAPTER,
        implemented_by=(FORCES,),
        formula=r"\delta\boldsymbol\tau_{Bk}=-k_r\mathbf R_{1B}\mathbf U^T\mathbf R_{A1}\delta\boldsymbol\theta_A"
        r"+k_r\mathbf R_{1B}\mathbf U^T\mathbf R_{B1}\delta\boldsymbol\theta_B"
        r"+\mathbf p_2\times\delta\mathbf f_{Bk}",
        correction=r"Both signs of $k_r$ are reversed, for the torque on B is *minus* $k_r\mathbf R_{1B}"
        r"(\phi\mathbf u)$: $+k_r\mathbf R_{1B}\mathbf U^T\mathbf R_{A1}\delta\boldsymbol\theta_A"
        r"-k_r\mathbf R_{1B}\mathbf U^T\mathbf R_{B1}\delta\boldsymbol\theta_B"
        r"+\mathbf p_2\times\delta\mathbf f_{Bk}$.",
        oracle=FORCE_DIFFERENCES,
        inputs=ELASTIC_VARIATION,
        printed=elastic_torque_B_printed,
        library=elastic_torque_B_library,
        reference=elastic_torque_B_reference,
    ),
    Record(
        id="lloyd/s0.22.1/e0.52",
        title="Variation of the elastic torque on B, with the turning torque split off",
        verdict=Verdict.ERRATUM,
        chapter=CHAPTER,
        implemented_by=(FORCES,),
        formula=r"\delta\boldsymbol\tau_{Bk}=-k_r\mathbf R_{1B}\mathbf U^T\mathbf R_{A1}\delta\boldsymbol\theta_A"
        r"+k_r\mathbf R_{1B}\mathbf U\mathbf R_{B1}\delta\boldsymbol\theta_B"
        r"+\boldsymbol\tau_B\times\delta\boldsymbol\theta_B+\mathbf p_2\times\delta\mathbf f_{Bk}",
        correction=r"$+k_r\mathbf R_{1B}\mathbf U^T\mathbf R_{A1}\delta\boldsymbol\theta_A"
        r"-k_r\mathbf R_{1B}\mathbf U\mathbf R_{B1}\delta\boldsymbol\theta_B"
        r"+{}^B\boldsymbol\tau_{2k}\times\delta\boldsymbol\theta_B+\mathbf p_2\times\delta\mathbf f_{Bk}$: "
        r"both signs of $k_r$, and ${}^B\boldsymbol\tau_{2k}=-k_r\mathbf R_{1B}(\phi\mathbf u)$ alone, not the "
        r"whole torque on B. The assembled matrix has all three right.",
        oracle=FORCE_DIFFERENCES,
        inputs=ELASTIC_VARIATION,
        printed=elastic_torque_B_symmetric,
        library=elastic_torque_B_library,
        reference=elastic_torque_B_reference,
    ),
    Record(
        id="lloyd/s0.22.1/e0.53",
        title="Variation of the damping torque on B",
        verdict=Verdict.ERRATUM,
        chapter=CHAPTER,
        implemented_by=(FORCES, WORLD),
        formula=r"\delta\boldsymbol\tau_{Bd}={}^B\boldsymbol\tau_{1d}\times\delta\boldsymbol\theta_B"
        r"+\mathbf p_2\times\delta\mathbf f_{Bd}",
        correction=r"${}^B\boldsymbol\tau_{2d}\times\delta\boldsymbol\theta_B$: the torque on frame 2, which is "
        r"the opposite of ${}^B\boldsymbol\tau_{1d}$.",
        oracle=FORCE_DIFFERENCES,
        inputs=VISCOUS_VARIATION,
        printed=damping_torque_B_printed,
        library=damping_torque_B_library,
        reference=damping_torque_B_reference,
    ),
    Record(
        id="lloyd/s0.22.1/d16",
        title="What the position Jacobian maps",
        verdict=Verdict.DEFINITION,
        chapter=CHAPTER,
        implemented_by=(FORCES,),
        formula=r"(\delta\mathbf f_A,\delta\boldsymbol\tau_A,\delta\mathbf f_B,\delta\boldsymbol\tau_B)"
        r"=\mathbf J_p(\delta\mathbf x_A,\delta\boldsymbol\theta_A,\delta\mathbf x_B,\delta\boldsymbol\theta_B)",
        remark="Linear parts first; the library stacks angular parts first.",
    ),
    Record(
        id="lloyd/s0.22.1/d17",
        title="The position Jacobian in body coordinates",
        verdict=Verdict.CONDITIONAL,
        chapter=CHAPTER,
        implemented_by=(FORCES, WORLD),
        formula=r"\mathbf J_p=\begin{pmatrix}"
        r"-k_t\mathbf I&k_t[\mathbf p_1]+d_t[\boldsymbol\omega_A][\mathbf p_1]+[{}^A\mathbf f_1]&"
        r"k_t\mathbf R_{BA}&-k_t\mathbf R_{BA}[\mathbf p_2]-d_t\mathbf R_{BA}[\boldsymbol\omega_B][\mathbf p_2]\\"
        r"-k_t[\mathbf p_1]&[\mathbf p_1]\mathbf J_{01}-k_r\mathbf R_{1A}\mathbf U^T\mathbf R_{A1}"
        r"+[{}^A\boldsymbol\tau_1]&k_t[\mathbf p_1]\mathbf R_{BA}&"
        r"[\mathbf p_1]\mathbf J_{03}+k_r\mathbf R_{1A}\mathbf U\mathbf R_{B1}\\"
        r"k_t\mathbf R_{AB}&-k_t\mathbf R_{AB}[\mathbf p_1]-d_t\mathbf R_{AB}[\boldsymbol\omega_A][\mathbf p_1]&"
        r"-k_t\mathbf I&k_t[\mathbf p_2]+d_t[\boldsymbol\omega_B][\mathbf p_2]+[{}^B\mathbf f_2]\\"
        r"k_t[\mathbf p_2]\mathbf R_{AB}&[\mathbf p_2]\mathbf J_{21}+k_r\mathbf R_{1B}\mathbf U^T\mathbf R_{A1}&"
        r"-k_t[\mathbf p_2]&[\mathbf p_2]\mathbf J_{23}-k_r\mathbf R_{1B}\mathbf U\mathbf R_{B1}"
        r"+[{}^B\boldsymbol\tau_2]\end{pmatrix}",
        condition="The velocities of the bodies are held in world components. Where they are held in body "
        "components, as in equations of motion in body coordinates, the terms that damping adds differ.",
        remark=r"The matrix is right where the variations (0.43), (0.44), (0.52) and (0.53) that it is said to "
        r"combine are wrong. 0.22.3 says that it is for velocities in body coordinates: it is not.",
        oracle=FORCE_DIFFERENCES + ", velocities held in the world or in the bodies",
        inputs={**WHOLE, "held": st.sampled_from(("world", "body"))},
        given={**WHOLE, "held": st.just("world")},
        printed=position_jacobian_printed,
        library=position_jacobian_library,
        reference=position_jacobian_reference,
    ),
]
