"""Lloyd 0.22.1: the position Jacobian of a frame spring, assembled."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rbnotes.forces import at_constant_world_velocity, frame_spring_forces
from rbnotes.ledger.claims.lloyd.section_0_22 import (
    COMMON_AXIS_POSES,
    MOTIONS_AND_AXES,
    POSES,
    library_forces,
)
from rbnotes.ledger.claims.lloyd.section_0_22_1 import section
from rbnotes.ledger.claims.lloyd.section_0_22_1.body_a_force import IDENTITY, WHOLE, U_of
from rbnotes.ledger.claims.lloyd.section_0_22_1.rotation_vector import U_printed
from rbnotes.ledger.oracles.bodies import bracket
from rbnotes.ledger.oracles.frame_springs import (
    UNIT_VARIATIONS,
    ZERO_VELOCITIES,
    force_variations,
    frame_spring_quantities,
    origin_velocities,
    to_body,
)
from rbnotes.ledger.quantities import (
    LINEAR_FIRST_TWIST,
    LINEAR_FIRST_WRENCH,
    TIME,
    TORQUE,
    matrix_quantity,
)
from rbnotes.ledger.record import Result
from rbnotes.testing.strategies import numbers, positive_numbers


def is_fixed_in_world(poses, velocities, k_t, k_r, d_t, d_r, follow):
    return follow == 0


@section.definition("d16", "Variations and forces related by the position Jacobian")
class d16:
    formula = r"\mathbf J_p\equiv\frac{\partial(\mathbf f_A,\boldsymbol\tau_A,\mathbf f_B,\boldsymbol\tau_B)}{\partial(\mathbf x_A,\boldsymbol\theta_A,\mathbf x_B,\boldsymbol\theta_B)}"
    defines = (r"\mathbf J_p",)
    remark = "Linear parts come first here; the library stacks angular parts first."
    implements = frame_spring_forces


@section.conditional("d17", "The position Jacobian in body coordinates")
class d17:
    formula = r"\mathbf J_p=\begin{pmatrix}-k_t\mathbf I&k_t[\mathbf p_1]+d_t[\boldsymbol\omega_A][\mathbf p_1]+[{}^A\mathbf f_1]&k_t\mathbf R_{BA}&-k_t\mathbf R_{BA}[\mathbf p_2]-d_t\mathbf R_{BA}[\boldsymbol\omega_B][\mathbf p_2]\\-k_t[\mathbf p_1]&[\mathbf p_1]\mathbf J_{01}-k_r\mathbf R_{1A}\mathbf U^T\mathbf R_{A1}+[{}^A\boldsymbol\tau_1]&k_t[\mathbf p_1]\mathbf R_{BA}&[\mathbf p_1]\mathbf J_{03}+k_r\mathbf R_{1A}\mathbf U\mathbf R_{B1}\\k_t\mathbf R_{AB}&-k_t\mathbf R_{AB}[\mathbf p_1]-d_t\mathbf R_{AB}[\boldsymbol\omega_A][\mathbf p_1]&-k_t\mathbf I&k_t[\mathbf p_2]+d_t[\boldsymbol\omega_B][\mathbf p_2]+[{}^B\mathbf f_2]\\k_t[\mathbf p_2]\mathbf R_{AB}&[\mathbf p_2]\mathbf J_{21}+k_r\mathbf R_{1B}\mathbf U^T\mathbf R_{A1}&-k_t[\mathbf p_2]&[\mathbf p_2]\mathbf J_{23}-k_r\mathbf R_{1B}\mathbf U\mathbf R_{B1}+[{}^B\boldsymbol\tau_2]\end{pmatrix}"
    inputs = {**WHOLE, "follow": numbers(0.125, 1.0)}
    result = Result(
        matrix_quantity(LINEAR_FIRST_WRENCH, LINEAR_FIRST_TWIST * TIME),
        (
            "of A, then of B, linear before angular, along the axes of each body: rows of forces, columns"
            " of motions"
        ),
    )

    def printed(poses, velocities, k_t, k_r, d_t, d_r, follow):
        n, U = frame_spring_quantities(poses), U_of(poses)
        _, omega_A, _, omega_B = to_body(poses[:2, :3, :3], velocities)
        dx_1, dx_2 = origin_velocities(poses, velocities)
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

    def library(poses, velocities, k_t, k_r, d_t, d_r, follow):
        return library_forces(poses, velocities, k_t, k_r, d_t, d_r, follow=follow).K

    def reference(poses, velocities, k_t, k_r, d_t, d_r, follow):
        """Compare with differences, along motions of both bodies, of forces computed in the world frame.

        The velocities rotate with a fraction of the rotation of their bodies.
        """
        change = force_variations(
            poses, velocities, UNIT_VARIATIONS, rotating_share=follow, k_t=k_t, k_r=k_r, d_t=d_t, d_r=d_r
        )
        return change.reshape(12, 12).T

    primitives = MOTIONS_AND_AXES

    holds_when = is_fixed_in_world
    condition_inputs = {**WHOLE, "follow": st.just(0.0)}
    condition = (
        "The velocities of the bodies are constant in world components. If they are constant in "
        "body components, as in equations of motion in body coordinates, the damping terms "
        "differ."
    )
    remark = (
        "The matrix is correct although the variations (0.43), (0.44), (0.52) and (0.53), which "
        "it is said to combine, are wrong. Section 0.22.3 states that it applies to velocities in"
        " body coordinates, which is wrong."
    )
    implements = (frame_spring_forces, at_constant_world_velocity)


@section.conditional("t1178", "Axes of the quantities in the position Jacobian")
class t1178:
    formula = r"\text{`quantities within the matrix itself are given with respect to either frame A or B, depending on the sub-block':}\quad \mathbf U \text{ of } \phi\,{}^A\mathbf u \text{ or } \phi\,{}^B\mathbf u"
    inputs = {"poses": POSES, "k_r": positive_numbers()}
    result = Result(TORQUE, "of A by B and of B by A, in the axes of frame 1")

    def printed(poses, k_r):
        """Return the U between the rotations in A's row, and its transpose in B's row."""
        n = frame_spring_quantities(poses)
        U_A, U_B = U_printed(n.R_1A @ (n.phi * n.u)), U_printed(n.R_1B @ (n.phi * n.u))
        return k_r * np.stack([U_A, U_B.T])

    def library(poses, k_r):
        n, K = frame_spring_quantities(poses), library_forces(poses, ZERO_VELOCITIES, 0.0, k_r).K
        return np.stack([n.R_A1 @ K[3:6, 9:] @ n.R_1B, n.R_B1 @ K[9:, 3:6] @ n.R_1A])

    def reference(poses, k_r):
        """Remove the rotations on both sides of U from differences of world-frame forces.

        The differences are taken along motions of both bodies.
        """
        n, change = (
            frame_spring_quantities(poses),
            force_variations(poses, ZERO_VELOCITIES, UNIT_VARIATIONS, k_r=k_r),
        )
        on_A, on_B = change[9:, 1], change[3:6, 3]
        return np.stack([(on_A @ n.R_1A).T @ n.R_1B, (on_B @ n.R_1B).T @ n.R_1A])

    primitives = (*MOTIONS_AND_AXES, "rbnotes.ledger.oracles.frame_springs.frame_spring_quantities")
    condition_inputs = {"poses": COMMON_AXIS_POSES, "k_r": positive_numbers()}

    def holds_when(poses, k_r):
        n = frame_spring_quantities(poses)
        return np.abs([n.R_1A @ n.u - n.u, n.R_1B @ n.u - n.u]).max() < 1e-9

    condition = (
        r"The sentence does not include $\mathbf U$: it is the matrix of (0.45) with the axis in "
        "frame 1, and the rotations on both of its sides transform from one body to the other. "
        "Otherwise the axis must have the same components in frame 1, A and B, for example because "
        "frames 1 and 2 are parallel to A and B."
    )
    implements = frame_spring_forces


@section.holds("t1161", "Displays that make up the position Jacobian")
class t1161:
    formula = r"\text{Equations (0.43), (0.44), (0.48), (0.49), (0.50), (0.51), (0.52) and (0.53)}\text{ can be combined to form the positional Jacobian}"
    inputs = WHOLE
    result = Result(
        matrix_quantity(LINEAR_FIRST_WRENCH, LINEAR_FIRST_TWIST * TIME),
        (
            "of A, then of B, linear before angular, along the axes of each body: rows of forces, columns"
            " of motions"
        ),
    )

    def printed(poses, velocities, k_t, k_r, d_t, d_r):
        """Return the coefficients of the pose variations in those displays, at fixed velocities.

        Displays (0.43), (0.44), (0.52) and (0.53) are used as corrected.
        """
        n, U = frame_spring_quantities(poses), U_of(poses)
        zero = np.zeros((3, 3))
        _, omega_A, _, omega_B = to_body(poses[:2, :3, :3], velocities)
        dx_1, dx_2 = origin_velocities(poses, velocities)
        p_1, p_2, w_A, w_B = bracket(n.p_1), bracket(n.p_2), bracket(omega_A), bracket(omega_B)
        f_1 = k_t * (n.x_2 - n.x_1) + d_t * (dx_2 - dx_1)
        A_f_1, B_f_2 = bracket(n.R_AW.T @ f_1), bracket(-n.R_BW.T @ f_1)
        elastic_torque, viscous_torque = k_r * n.R_1W @ (n.phi * n.u), d_r * (velocities[3] - velocities[1])
        A_tau_1, B_tau_2 = (
            bracket(n.R_AW.T @ (elastic_torque + viscous_torque)),
            bracket(-n.R_BW.T @ (elastic_torque + viscous_torque)),
        )
        f_A = np.hstack(
            [
                -k_t * IDENTITY,
                k_t * p_1 + d_t * w_A @ p_1 + A_f_1,
                k_t * n.R_BA,
                -k_t * n.R_BA @ p_2 - d_t * n.R_BA @ w_B @ p_2,
            ]
        )
        f_B = np.hstack(
            [
                k_t * n.R_AB,
                -k_t * n.R_AB @ p_1 - d_t * n.R_AB @ w_A @ p_1,
                -k_t * IDENTITY,
                k_t * p_2 + d_t * w_B @ p_2 + B_f_2,
            ]
        )
        on_A = np.hstack([zero, -k_r * n.R_1A @ U.T @ n.R_A1 + A_tau_1, zero, k_r * n.R_1A @ U @ n.R_B1])
        on_B = np.hstack([zero, k_r * n.R_1B @ U.T @ n.R_A1, zero, -k_r * n.R_1B @ U @ n.R_B1 + B_tau_2])
        return np.vstack([f_A, on_A + p_1 @ f_A, f_B, on_B + p_2 @ f_B])

    def library(poses, velocities, k_t, k_r, d_t, d_r):
        return library_forces(poses, velocities, k_t, k_r, d_t, d_r).K

    def reference(poses, velocities, k_t, k_r, d_t, d_r):
        """Compare with differences, along motions of both bodies, of forces computed in the world frame."""
        change = force_variations(poses, velocities, UNIT_VARIATIONS, k_t=k_t, k_r=k_r, d_t=d_t, d_r=d_r)
        return change.reshape(12, 12).T

    primitives = MOTIONS_AND_AXES
    remark = (
        "The sentence is correct if (0.43), (0.44), (0.52) and (0.53) are corrected. The next "
        "matrix has the correct signs; it does not follow from the four displays as printed."
    )
    implements = (frame_spring_forces, at_constant_world_velocity)
