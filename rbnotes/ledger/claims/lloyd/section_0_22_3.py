"""Lloyd 0.22.3: the Jacobians of a frame spring in world coordinates.

The oracle is again the force of section 0.22, here with wrenches, velocities and variations in world axes;
arguments and rows have the same order. The velocities are constant in the world.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from rbnotes import so3
from rbnotes.forces import at_constant_world_velocity, rotate_to_world
from rbnotes.ledger.claims.lloyd.section_0_22 import (
    MOTIONS_AND_AXES,
    MOTIONS_IN_THE_WORLD,
    VELOCITIES,
    VISCOUS,
    library_forces,
)
from rbnotes.ledger.claims.lloyd.section_0_22_1.body_a_force import WHOLE
from rbnotes.ledger.claims.lloyd.section_0_22_1.rotation_vector import U_printed
from rbnotes.ledger.oracles.bodies import bracket
from rbnotes.ledger.oracles.frame_springs import (
    UNIT_VARIATIONS,
    elastic_forces,
    force_variations,
    frame_spring_quantities,
    orientations,
    origin_velocities,
    to_body,
    to_world,
    vary_poses,
    viscous_forces,
    world_forces,
)
from rbnotes.ledger.quantities import (
    ANGULAR_MOMENTUM,
    DAMPING,
    FORCE,
    LENGTH,
    LINEAR_FIRST_TWIST,
    LINEAR_FIRST_WRENCH,
    NUMBER,
    POSE,
    RATE,
    STIFFNESS,
    TIME,
    TORQUE,
    VELOCITY,
    matrix_quantity,
    stacked_quantity,
)
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing import derivative
from rbnotes.testing.strategies import rotations, vectors

OF_BOTH_IN_WORLD = (
    "of A, then of B, linear before angular, along the axes of the world: rows of forces, columns of motions"
)
ON_A_IN_WORLD = "on A, along the axes of the world"

section = Section(
    "lloyd/s0.22.3",
    chapter="frame-spring-stiffness",
    arguments={
        "poses": Argument(POSE, "of the bodies A and B in the world, of frame 1 in A, of frame 2 in B"),
        "velocities": Argument(
            stacked_quantity(VELOCITY, RATE),
            "linear and angular of A, then of B, along the axes of the world",
        ),
        "d_t": Argument(DAMPING),
        "d_r": Argument(ANGULAR_MOMENTUM),
        "R": Argument(NUMBER, "takes coordinates of one frame to those of another"),
        "a": Argument(LENGTH, "in the coordinates that R transforms"),
        "k_t": Argument(STIFFNESS),
        "k_r": Argument(TORQUE),
        "omega": Argument(RATE, "of frame 2 relative to frame 1, along the axes of the world"),
        "delta": Argument(
            stacked_quantity(LENGTH, NUMBER),
            "small motions of A, then of B (translation, rotation), along the axes of the world",
        ),
    },
)


IDENTITY = np.eye(3)
FORCE_INPUTS = {
    "poses": WHOLE["poses"],
    "velocities": VELOCITIES,
    **{n: WHOLE[n] for n in ("k_t", "k_r", "d_t", "d_r")},
}


def force_on_1(poses, velocities, k_t, k_r, d_t, d_r):
    """Return the force on frame 1 in world axes; the force on frame 2 is opposite."""
    n = frame_spring_quantities(poses)
    dx_1, dx_2 = origin_velocities(poses, velocities)
    return k_t * (n.x_2 - n.x_1) + d_t * (dx_2 - dx_1)


def torque_on_1(poses, velocities, k_t, k_r, d_t, d_r):
    """Return the couple on frame 1 in world axes; the couple on frame 2 is opposite."""
    n = frame_spring_quantities(poses)
    return k_r * n.R_1W @ (n.phi * n.u) + d_r * (velocities[3] - velocities[1])


def world_velocity_library(poses, velocities, d_t, d_r):
    return library_forces(poses, velocities, d_t=d_t, d_r=d_r, axes="world").D


def world_velocity_reference(poses, velocities, d_t, d_r):
    """Compare with differences in the velocities of damping forces, all in world components."""
    repeated_poses = np.tile(poses, (12, 1, 1, 1))

    def force(t):
        return world_forces(repeated_poses, velocities + t * UNIT_VARIATIONS, d_t=d_t, d_r=d_r)

    return derivative(force).value.reshape(12, 12).T


def to_world_and_body(poses, columns):
    """Return the matrix in world axes for columns ``(12, 4, 3)`` of unit variations in body axes."""
    R = poses[:2, :3, :3]
    in_world = to_world(R, columns).reshape(12, 12).T
    return in_world @ to_body(R, UNIT_VARIATIONS).reshape(12, 12).T


def rotated_position_reference(poses, velocities, k_t, k_r, d_t, d_r):
    """Compare with differences of body components along motions of both bodies, rotated afterwards.

    The result is rotated into the world with the orientations at the start.
    """

    def rows(t):
        varied_poses = vary_poses(poses, UNIT_VARIATIONS, t, "world")
        forces = world_forces(varied_poses, velocities, k_t, k_r, d_t, d_r)
        return to_world(poses[:2, :3, :3], to_body(varied_poses[:, :2, :3, :3], forces))

    return derivative(rows).value.reshape(12, 12).T


def world_position_library(poses, velocities, k_t, k_r, d_t, d_r):
    return library_forces(poses, velocities, k_t, k_r, d_t, d_r, axes="world").K


def world_position_reference(poses, velocities, k_t, k_r, d_t, d_r):
    """Compare with differences of forces in world axes along motions of both bodies."""
    change = force_variations(
        poses, velocities, UNIT_VARIATIONS, axes="world", k_t=k_t, k_r=k_r, d_t=d_t, d_r=d_r
    )
    return change.reshape(12, 12).T


@section.holds("e0.58", "Velocity Jacobian rotated into world axes")
class e0_58:
    formula = r"{}^W\mathbf J_v=\mathrm{diag}(\mathbf R_{AW},\mathbf R_{AW},\mathbf R_{BW},\mathbf R_{BW})\,\mathbf J_v\,\mathrm{diag}(\mathbf R_{AW}^T,\mathbf R_{AW}^T,\mathbf R_{BW}^T,\mathbf R_{BW}^T)"
    inputs = VISCOUS
    result = Result(matrix_quantity(LINEAR_FIRST_WRENCH, LINEAR_FIRST_TWIST), OF_BOTH_IN_WORLD)

    def printed(poses, velocities, d_t, d_r):
        n, zero = frame_spring_quantities(poses), np.zeros((3, 3))
        left = np.block(
            [
                [n.R_AW, zero, zero, zero],
                [zero, n.R_AW, zero, zero],
                [zero, zero, n.R_BW, zero],
                [zero, zero, zero, n.R_BW],
            ]
        )
        right = np.block(
            [
                [n.R_AW.T, zero, zero, zero],
                [zero, n.R_AW.T, zero, zero],
                [zero, zero, n.R_BW.T, zero],
                [zero, zero, zero, n.R_BW.T],
            ]
        )
        return left @ library_forces(poses, velocities, d_t=d_t, d_r=d_r).D @ right

    library = world_velocity_library
    reference = world_velocity_reference
    implements = rotate_to_world


@section.holds("d1", "Bracket of a rotated vector")
class d1:
    formula = r"\mathbf R[\mathbf a]=[\mathbf R\mathbf a]\mathbf R"
    inputs = {"R": rotations(), "a": vectors()}
    result = Result(LENGTH, "in the coordinates to which R transforms those of a")

    def printed(R, a):
        return bracket(R @ a) @ R

    def library(R, a):
        return so3.hat(R @ a) @ R

    def reference(R, a):
        """Compare with cross products with the axes, computed before the rotation.

        Only the right-hand side is checked.
        """
        # Columns: the cross product of a with each axis, rotated as one body.
        return np.stack([R @ np.cross(a, axis) for axis in IDENTITY], axis=-1)

    implements = so3.hat


@section.holds("d2", "Velocity Jacobian in world coordinates")
class d2:
    formula = r"{}^W\mathbf J_v=\begin{pmatrix}-d_t\mathbf I&d_t[\mathbf p_1]&d_t\mathbf I&-d_t[\mathbf p_2]\\-d_t[\mathbf p_1]&-d_r\mathbf I+d_t[\mathbf p_1][\mathbf p_1]&d_t[\mathbf p_1]&d_r\mathbf I-d_t[\mathbf p_1][\mathbf p_2]\\d_t\mathbf I&-d_t[\mathbf p_1]&-d_t\mathbf I&d_t[\mathbf p_2]\\d_t[\mathbf p_2]&d_r\mathbf I-d_t[\mathbf p_2][\mathbf p_1]&-d_t[\mathbf p_2]&-d_r\mathbf I+d_t[\mathbf p_2][\mathbf p_2]\end{pmatrix}"
    inputs = VISCOUS
    result = Result(matrix_quantity(LINEAR_FIRST_WRENCH, LINEAR_FIRST_TWIST), OF_BOTH_IN_WORLD)

    def printed(poses, velocities, d_t, d_r):
        n = frame_spring_quantities(poses)
        p_1, p_2 = bracket(n.R_AW @ n.p_1), bracket(n.R_BW @ n.p_2)
        return np.block(
            [
                [-d_t * IDENTITY, d_t * p_1, d_t * IDENTITY, -d_t * p_2],
                [-d_t * p_1, -d_r * IDENTITY + d_t * p_1 @ p_1, d_t * p_1, d_r * IDENTITY - d_t * p_1 @ p_2],
                [d_t * IDENTITY, -d_t * p_1, -d_t * IDENTITY, d_t * p_2],
                [d_t * p_2, d_r * IDENTITY - d_t * p_2 @ p_1, -d_t * p_2, -d_r * IDENTITY + d_t * p_2 @ p_2],
            ]
        )

    library = world_velocity_library
    reference = world_velocity_reference
    implements = rotate_to_world


@section.holds("e0.59", "Position Jacobian of the body coordinates, rotated into world axes")
class e0_59:
    formula = r"\begin{pmatrix}-k_t\mathbf I&k_t[\mathbf p_1]+d_t[\boldsymbol\omega_A][\mathbf p_1]+[{}^W\mathbf f_1]&k_t\mathbf I&-k_t[\mathbf p_2]-d_t[\boldsymbol\omega_B][\mathbf p_2]\\-k_t[\mathbf p_1]&[\mathbf p_1]\mathbf J_{01}-k_r{}^W\mathbf U^T+[{}^W\boldsymbol\tau_1]&k_t[\mathbf p_1]&[\mathbf p_1]\mathbf J_{03}+k_r{}^W\mathbf U\\k_t\mathbf I&-k_t[\mathbf p_1]-d_t[\boldsymbol\omega_A][\mathbf p_1]&-k_t\mathbf I&k_t[\mathbf p_2]+d_t[\boldsymbol\omega_B][\mathbf p_2]+[{}^W\mathbf f_2]\\k_t[\mathbf p_2]&[\mathbf p_2]\mathbf J_{21}+k_r{}^W\mathbf U^T&-k_t[\mathbf p_2]&[\mathbf p_2]\mathbf J_{23}-k_r{}^W\mathbf U+[{}^W\boldsymbol\tau_2]\end{pmatrix}"
    inputs = FORCE_INPUTS
    result = Result(matrix_quantity(LINEAR_FIRST_WRENCH, LINEAR_FIRST_TWIST * TIME), OF_BOTH_IN_WORLD)

    def printed(poses, velocities, k_t, k_r, d_t, d_r):
        n = frame_spring_quantities(poses)
        f_1, tau_1 = (
            force_on_1(poses, velocities, k_t, k_r, d_t, d_r),
            torque_on_1(poses, velocities, k_t, k_r, d_t, d_r),
        )
        f_2, tau_2 = -f_1, -tau_1
        U = U_printed(n.R_1W @ (n.phi * n.u))
        p_1, p_2 = bracket(n.R_AW @ n.p_1), bracket(n.R_BW @ n.p_2)
        w_A, w_B = bracket(velocities[1]), bracket(velocities[3])
        J_01 = k_t * p_1 + d_t * w_A @ p_1 + bracket(f_1)
        J_03 = -k_t * p_2 - d_t * w_B @ p_2
        J_21 = -k_t * p_1 - d_t * w_A @ p_1
        J_23 = k_t * p_2 + d_t * w_B @ p_2 + bracket(f_2)
        J_11 = p_1 @ J_01 - k_r * U.T + bracket(tau_1)
        J_13 = p_1 @ J_03 + k_r * U
        J_31 = p_2 @ J_21 + k_r * U.T
        J_33 = p_2 @ J_23 - k_r * U + bracket(tau_2)
        return np.block(
            [
                [-k_t * IDENTITY, J_01, k_t * IDENTITY, J_03],
                [-k_t * p_1, J_11, k_t * p_1, J_13],
                [k_t * IDENTITY, J_21, -k_t * IDENTITY, J_23],
                [k_t * p_2, J_31, -k_t * p_2, J_33],
            ]
        )

    def library(poses, velocities, k_t, k_r, d_t, d_r):
        K = library_forces(poses, velocities, k_t, k_r, d_t, d_r).K
        return to_world_and_body(poses, K.T.reshape(12, 4, 3))

    reference = rotated_position_reference
    primitives = MOTIONS_AND_AXES
    remark = (
        "As the notes state, this is not yet the Jacobian of forces in world axes. The velocities"
        " are constant in the world."
    )
    implements = at_constant_world_velocity


@section.holds("t1253#a", "U in world axes")
class t1253_a:
    formula = r"{}^W\mathbf U=\mathbf R_{1W}\mathbf U\mathbf R_{1W}^T\text{ is defined by (0.45) with }\mathbf u\text{ expressed in world coordinates}"
    inputs = {"poses": FORCE_INPUTS["poses"], "omega": vectors()}
    result = Result(RATE, "along the axes of the world")

    def printed(poses, omega):
        n = frame_spring_quantities(poses)
        return U_printed(n.R_1W @ (n.phi * n.u)) @ omega

    def library(poses, omega):
        n = frame_spring_quantities(poses)
        return n.R_1W @ so3.left_jacobian_inverse(n.phi * n.u) @ n.R_1W.T @ omega

    def reference(poses, omega):
        """Compare with differences of the rotation vector in world components while frame 2 rotates.

        Frame 1 is at rest.
        """
        R_1W, R_2W = orientations(poses[None])[0]

        def vector(t):
            rotated_frame = Rotation.from_rotvec(t * omega).as_matrix() @ R_2W
            return R_1W @ Rotation.from_matrix(R_1W.T @ rotated_frame).as_rotvec()

        return derivative(vector).value

    implements = so3.left_jacobian_inverse


@section.holds("t1253#b", "The rotated Jacobian is not the Jacobian in world coordinates")
class t1253_b:
    formula = r"\text{because of rotating coordinate frames, this is not the world coordinate Jacobian:}\quad\mathbf J_{01}-[{}^W\mathbf f_1]\text{ is its block}"
    inputs = FORCE_INPUTS
    result = Result(FORCE, "force on A by its rotation, along the axes of the world")

    def printed(poses, velocities, k_t, k_r, d_t, d_r):
        """Return the difference between the block of (0.59) and that of the world Jacobian."""
        f_1 = force_on_1(poses, velocities, k_t, k_r, d_t, d_r)
        return bracket(f_1)

    def library(poses, velocities, k_t, k_r, d_t, d_r):
        K = library_forces(poses, velocities, k_t, k_r, d_t, d_r).K
        in_world = world_position_library(poses, velocities, k_t, k_r, d_t, d_r)
        return (to_world_and_body(poses, K.T.reshape(12, 4, 3)) - in_world)[:3, 3:6]

    def reference(poses, velocities, k_t, k_r, d_t, d_r):
        """Compute both by differences of forces along motions of both bodies, and subtract.

        One is rotated into world axes afterwards, the other is computed in world axes.
        """
        case = (poses, velocities, k_t, k_r, d_t, d_r)
        return (rotated_position_reference(*case) - world_position_reference(*case))[:3, 3:6]

    primitives = MOTIONS_AND_AXES
    implements = rotate_to_world


# ------------------------------------------------------------------------------------------------------------
# Missing terms of the rotated position Jacobian, and the position Jacobian in world coordinates.


VARIATION = {**WHOLE, "delta": VELOCITIES}


def world_variation(poses, velocities, k_t, k_r, d_t, d_r, delta):
    stiffness = {"k_t": k_t, "k_r": k_r, "d_t": d_t, "d_r": d_r}
    return force_variations(poses, velocities, delta[None], axes="world", **stiffness)[0]


def body_variation(poses, velocities, k_t, k_r, d_t, d_r, delta):
    """Return the library's change in body axes along variations given in world axes."""
    K = library_forces(poses, velocities, k_t, k_r, d_t, d_r).K
    return (K @ to_body(poses[:2, :3, :3], delta).ravel()).reshape(4, 3)


def world_force_A_library(poses, velocities, k_t, k_r, d_t, d_r, delta):
    K = library_forces(poses, velocities, k_t, k_r, d_t, d_r, axes="world").K
    return K[:3] @ delta.ravel()


def world_force_A_reference(poses, velocities, k_t, k_r, d_t, d_r, delta):
    """Compare with differences of forces in world axes along motions of both bodies."""
    return world_variation(poses, velocities, k_t, k_r, d_t, d_r, delta)[0]


def torque_1_variation(poses, velocities, k_t, k_r, d_t, d_r, delta):
    """Return the change of A_tau_1, the torque on A without the moment of the force, in the axes of A."""
    n = frame_spring_quantities(poses)
    df_A, dtau_A, _, _ = body_variation(poses, velocities, k_t, k_r, d_t, d_r, delta)
    return dtau_A - np.cross(n.p_1, df_A)


def world_torque_variation_library(poses, velocities, k_t, k_r, d_t, d_r, delta):
    K = library_forces(poses, velocities, k_t, k_r, d_t, d_r, axes="world").K
    return K[3:6] @ delta.ravel()


def world_torque_variation_reference(poses, velocities, k_t, k_r, d_t, d_r, delta):
    """Compare with differences of forces in world axes along motions of both bodies."""
    return world_variation(poses, velocities, k_t, k_r, d_t, d_r, delta)[1]


def diagonal_blocks(J):
    return np.array([J[:3, 3:6], J[6:9, 9:], J[3:6, 3:6], J[9:, 9:]])


def virtual_work(poses, velocities, k_t, k_r, d_t, d_r):
    """Return (f_A, tau_A, f_B, tau_B) in world axes as gradients of potential and dissipation function."""
    rows = elastic_forces(poses, k_t, k_r) + viscous_forces(poses, velocities, d_t, d_r)
    return to_world(poses[:2, :3, :3], rows)


@section.holds("d3#a", "Variation of the force on A in world axes")
class d3_a:
    formula = r"\delta\,{}^W\mathbf f_A=\mathbf R_{AW}\,\delta\,{}^A\mathbf f_A+\delta\boldsymbol\theta_A\times{}^W\mathbf f_A"
    inputs = VARIATION
    result = Result(FORCE, ON_A_IN_WORLD)

    def printed(poses, velocities, k_t, k_r, d_t, d_r, delta):
        n = frame_spring_quantities(poses)
        dtheta_A = delta[1]
        df_A = body_variation(poses, velocities, k_t, k_r, d_t, d_r, delta)[0]
        f_A = library_forces(poses, velocities, k_t, k_r, d_t, d_r, axes="world").w[0]
        return n.R_AW @ df_A + np.cross(dtheta_A, f_A)

    library = world_force_A_library
    reference = world_force_A_reference
    primitives = ("rbnotes.ledger.oracles.frame_springs.to_world",)
    implements = rotate_to_world


@section.holds("d3#b", "Variation of the force on A in world axes, with the force on frame 1")
class d3_b:
    formula = r"\mathbf R_{AW}\,\delta\,{}^A\mathbf f_A-[{}^W\mathbf f_1]\delta\boldsymbol\theta_A"
    inputs = VARIATION
    result = Result(FORCE, ON_A_IN_WORLD)

    def printed(poses, velocities, k_t, k_r, d_t, d_r, delta):
        n = frame_spring_quantities(poses)
        dtheta_A = delta[1]
        df_A = body_variation(poses, velocities, k_t, k_r, d_t, d_r, delta)[0]
        f_1 = force_on_1(poses, velocities, k_t, k_r, d_t, d_r)
        return n.R_AW @ df_A - bracket(f_1) @ dtheta_A

    library = world_force_A_library
    reference = world_force_A_reference
    primitives = MOTIONS_IN_THE_WORLD
    implements = rotate_to_world


@section.holds("t1258", "The force on A equals the force on frame 1")
class t1258:
    formula = r"{}^W\mathbf f_A={}^W\mathbf f_1"
    inputs = FORCE_INPUTS
    result = Result(FORCE, ON_A_IN_WORLD)

    def printed(poses, velocities, k_t, k_r, d_t, d_r):
        """Rotate the force on frame 1 by (0.37) and (0.38) into world axes."""
        n = frame_spring_quantities(poses)
        dx_1, dx_2 = origin_velocities(poses, velocities)
        f_1k = k_t * n.R_1W.T @ (n.x_2 - n.x_1)
        f_1d = d_t * n.R_1W.T @ (dx_2 - dx_1)
        return n.R_1W @ (f_1k + f_1d)

    def library(poses, velocities, k_t, k_r, d_t, d_r):
        return library_forces(poses, velocities, k_t, k_r, d_t, d_r, axes="world").w[0]

    def reference(poses, velocities, k_t, k_r, d_t, d_r):
        """Compare with virtual work: gradients of potential and dissipation function along motions of A."""
        return virtual_work(poses, velocities, k_t, k_r, d_t, d_r)[0]

    primitives = (
        "rbnotes.ledger.oracles.frame_springs.axial",
        "rbnotes.ledger.oracles.frame_springs.to_body",
        "rbnotes.ledger.oracles.frame_springs.to_world",
    )
    implements = rotate_to_world


@section.holds("d4", "Torque on A in world axes")
class d4:
    formula = r"{}^W\boldsymbol\tau_A=\mathbf R_{AW}{}^A\boldsymbol\tau_1+\mathbf R_{AW}\mathbf p_1\times{}^W\mathbf f_1"
    inputs = FORCE_INPUTS
    result = Result(TORQUE, ON_A_IN_WORLD)

    def printed(poses, velocities, k_t, k_r, d_t, d_r):
        """Evaluate with the torque on frame 1 in the axes of A, and the force on it in the world.

        Torque and force are those of (0.37) and (0.38).
        """
        n = frame_spring_quantities(poses)
        tau_1 = k_r * (n.phi * n.u) + d_r * n.R_1W.T @ (velocities[3] - velocities[1])
        A_tau_1 = n.R_1A @ tau_1
        f_1 = force_on_1(poses, velocities, k_t, k_r, d_t, d_r)
        return n.R_AW @ A_tau_1 + np.cross(n.R_AW @ n.p_1, f_1)

    def library(poses, velocities, k_t, k_r, d_t, d_r):
        return library_forces(poses, velocities, k_t, k_r, d_t, d_r, axes="world").w[1]

    def reference(poses, velocities, k_t, k_r, d_t, d_r):
        """Compare with virtual work: gradients of potential and dissipation function along motions of A."""
        return virtual_work(poses, velocities, k_t, k_r, d_t, d_r)[1]

    primitives = (
        "rbnotes.ledger.oracles.frame_springs.axial",
        "rbnotes.ledger.oracles.frame_springs.to_body",
        "rbnotes.ledger.oracles.frame_springs.to_world",
    )
    implements = rotate_to_world


@section.erratum("d5#a", "Variation of the torque on A in world axes")
class d5_a:
    formula = r"\delta\,{}^W\boldsymbol\tau_A=\mathbf R_{AW}\,\delta\,{}^A\boldsymbol\tau_1+\delta\boldsymbol\theta_A\times{}^W\boldsymbol\tau_1+(\delta\boldsymbol\theta_A\times{}^W\mathbf p_1)\times{}^W\mathbf f_1"
    edit = (r"\times{}^W\mathbf f_1", r"\times{}^W\mathbf f_1+{}^W\mathbf p_1\times\delta\,{}^W\mathbf f_1")
    inputs = VARIATION
    result = Result(TORQUE, ON_A_IN_WORLD)

    def printed(poses, velocities, k_t, k_r, d_t, d_r, delta):
        n = frame_spring_quantities(poses)
        dtheta_A = delta[1]
        f_1, tau_1 = (
            force_on_1(poses, velocities, k_t, k_r, d_t, d_r),
            torque_on_1(poses, velocities, k_t, k_r, d_t, d_r),
        )
        dA_tau_1 = torque_1_variation(poses, velocities, k_t, k_r, d_t, d_r, delta)
        arm = n.R_AW @ n.p_1
        return n.R_AW @ dA_tau_1 + np.cross(dtheta_A, tau_1) + np.cross(np.cross(dtheta_A, arm), f_1)

    library = world_torque_variation_library
    reference = world_torque_variation_reference
    primitives = MOTIONS_IN_THE_WORLD
    correction = (
        r"One more term, $+{}^W\mathbf p_1\times\delta\,{}^W\mathbf f_1$, because the force in the "
        r"moment also varies. The assembled matrix contains the term as $[\mathbf p_1]\mathbf J_{01}$ "
        "and the blocks beside it."
    )
    effect = (
        "The motion is the same, but Newton's method converges more slowly: for a body of 1 kg on a "
        "spring of 1000 N/m and a step of 10 ms it takes 16 iterations instead of 3. The assembled matrix "
        "of the notes is right."
    )
    implements = rotate_to_world


@section.erratum("d5#b", "Variation of the torque on A in world axes, as matrices")
class d5_b:
    formula = r"\mathbf R_{AW}\,\delta\,{}^A\boldsymbol\tau_1-[{}^W\boldsymbol\tau_1]\delta\boldsymbol\theta_A+[{}^W\mathbf f_1][{}^W\mathbf p_1]\delta\boldsymbol\theta_A"
    edit = (
        r"[{}^W\mathbf p_1]\delta\boldsymbol\theta_A",
        r"[{}^W\mathbf p_1]\delta\boldsymbol\theta_A+[{}^W\mathbf p_1]\,\delta\,{}^W\mathbf f_1",
    )
    inputs = VARIATION
    result = Result(TORQUE, ON_A_IN_WORLD)

    def printed(poses, velocities, k_t, k_r, d_t, d_r, delta):
        n = frame_spring_quantities(poses)
        dtheta_A = delta[1]
        f_1, tau_1 = (
            force_on_1(poses, velocities, k_t, k_r, d_t, d_r),
            torque_on_1(poses, velocities, k_t, k_r, d_t, d_r),
        )
        dA_tau_1 = torque_1_variation(poses, velocities, k_t, k_r, d_t, d_r, delta)
        arm = n.R_AW @ n.p_1
        return n.R_AW @ dA_tau_1 - bracket(tau_1) @ dtheta_A + bracket(f_1) @ bracket(arm) @ dtheta_A

    library = world_torque_variation_library
    reference = world_torque_variation_reference
    primitives = MOTIONS_IN_THE_WORLD
    correction = r"One more term, $+[{}^W\mathbf p_1]\,\delta\,{}^W\mathbf f_1$."
    implements = rotate_to_world


@section.holds("t1267", "From the rotated Jacobian to the Jacobian in world coordinates")
class t1267:
    formula = r"\text{drop }[{}^W\mathbf f_i]\text{ from }\mathbf J_{01},\mathbf J_{23};\ [{}^W\mathbf f_i][\mathbf p_i]\text{ in place of }[{}^W\boldsymbol\tau_i]\text{ in }\mathbf J_{11},\mathbf J_{33}"
    inputs = FORCE_INPUTS
    result = Result(
        stacked_quantity(FORCE, FORCE, TORQUE, TORQUE),
        "blocks of force and of moment by rotation, of A and of B, along the axes of the world",
    )

    def printed(poses, velocities, k_t, k_r, d_t, d_r):
        """Correct the blocks of (0.59) as printed.

        Blocks (0,1) and (2,3) lose [f_1] and [f_2]; in (1,1) and (3,3), [f][p] replaces [tau].
        """
        n = frame_spring_quantities(poses)
        f_1, tau_1 = (
            force_on_1(poses, velocities, k_t, k_r, d_t, d_r),
            torque_on_1(poses, velocities, k_t, k_r, d_t, d_r),
        )
        f_2, tau_2 = -f_1, -tau_1
        p_1, p_2 = bracket(n.R_AW @ n.p_1), bracket(n.R_BW @ n.p_2)
        J = to_world_and_body(
            poses, library_forces(poses, velocities, k_t, k_r, d_t, d_r).K.T.reshape(12, 4, 3)
        )
        J_01 = J[:3, 3:6] - bracket(f_1)
        J_23 = J[6:9, 9:] - bracket(f_2)
        # The blocks (0,1) and (2,3) also enter (1,1) and (3,3).
        J_11 = J[3:6, 3:6] - p_1 @ bracket(f_1) - bracket(tau_1) + bracket(f_1) @ p_1
        J_33 = J[9:, 9:] - p_2 @ bracket(f_2) - bracket(tau_2) + bracket(f_2) @ p_2
        return np.array([J_01, J_23, J_11, J_33])

    def library(poses, velocities, k_t, k_r, d_t, d_r):
        return diagonal_blocks(world_position_library(poses, velocities, k_t, k_r, d_t, d_r))

    def reference(poses, velocities, k_t, k_r, d_t, d_r):
        """Compare with differences of forces in world axes along motions of both bodies."""
        J = world_position_reference(poses, velocities, k_t, k_r, d_t, d_r)
        return np.stack([J[:3, 3:6], J[6:9, 9:], J[3:6, 3:6], J[9:, 9:]])

    primitives = MOTIONS_IN_THE_WORLD
    remark = (
        r"$\mathbf J_{01}$ inside $\mathbf J_{11}$, and $\mathbf J_{23}$ inside $\mathbf J_{33}$, are the "
        r"blocks without $[{}^W\mathbf f_i]$."
    )
    implements = rotate_to_world


@section.holds("d6", "The position Jacobian in world coordinates")
class d6:
    formula = r"{}^W\mathbf J_p=\begin{pmatrix}-k_t\mathbf I&k_t[\mathbf p_1]+d_t[\boldsymbol\omega_A][\mathbf p_1]&k_t\mathbf I&-k_t[\mathbf p_2]-d_t[\boldsymbol\omega_B][\mathbf p_2]\\-k_t[\mathbf p_1]&[\mathbf p_1]\mathbf J_{01}-k_r{}^W\mathbf U^T+[{}^W\mathbf f_1][\mathbf p_1]&k_t[\mathbf p_1]&[\mathbf p_1]\mathbf J_{03}+k_r{}^W\mathbf U\\k_t\mathbf I&-k_t[\mathbf p_1]-d_t[\boldsymbol\omega_A][\mathbf p_1]&-k_t\mathbf I&k_t[\mathbf p_2]+d_t[\boldsymbol\omega_B][\mathbf p_2]\\k_t[\mathbf p_2]&[\mathbf p_2]\mathbf J_{21}+k_r{}^W\mathbf U^T&-k_t[\mathbf p_2]&[\mathbf p_2]\mathbf J_{23}-k_r{}^W\mathbf U+[{}^W\mathbf f_2][\mathbf p_2]\end{pmatrix}"
    inputs = FORCE_INPUTS
    result = Result(matrix_quantity(LINEAR_FIRST_WRENCH, LINEAR_FIRST_TWIST * TIME), OF_BOTH_IN_WORLD)

    def printed(poses, velocities, k_t, k_r, d_t, d_r):
        n = frame_spring_quantities(poses)
        f_1 = force_on_1(poses, velocities, k_t, k_r, d_t, d_r)
        f_2 = -f_1
        U = U_printed(n.R_1W @ (n.phi * n.u))
        p_1, p_2 = bracket(n.R_AW @ n.p_1), bracket(n.R_BW @ n.p_2)
        w_A, w_B = bracket(velocities[1]), bracket(velocities[3])
        J_01 = k_t * p_1 + d_t * w_A @ p_1
        J_03 = -k_t * p_2 - d_t * w_B @ p_2
        J_21 = -k_t * p_1 - d_t * w_A @ p_1
        J_23 = k_t * p_2 + d_t * w_B @ p_2
        J_11 = p_1 @ J_01 - k_r * U.T + bracket(f_1) @ p_1
        J_13 = p_1 @ J_03 + k_r * U
        J_31 = p_2 @ J_21 + k_r * U.T
        J_33 = p_2 @ J_23 - k_r * U + bracket(f_2) @ p_2
        return np.block(
            [
                [-k_t * IDENTITY, J_01, k_t * IDENTITY, J_03],
                [-k_t * p_1, J_11, k_t * p_1, J_13],
                [k_t * IDENTITY, J_21, -k_t * IDENTITY, J_23],
                [k_t * p_2, J_31, -k_t * p_2, J_33],
            ]
        )

    library = world_position_library
    reference = world_position_reference
    primitives = MOTIONS_IN_THE_WORLD
    remark = r"$\mathbf J_{ij}$ are blocks of this matrix, and the velocities are constant in the world."
    implements = (rotate_to_world, at_constant_world_velocity)
