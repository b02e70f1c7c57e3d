"""Lloyd 0.22.1: variation of the forces of a frame spring on body B with the poses.

Oracle and arguments are those of :mod:`rbnotes.ledger.claims.lloyd.section_0_22_1`.
"""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from rbnotes.forces import at_constant_world_velocity, frame_spring_forces
from rbnotes.ledger.claims.lloyd.section_0_22 import CHANGES_OF_AXES, MOTIONS_AND_AXES, library_forces
from rbnotes.ledger.claims.lloyd.section_0_22_1 import section
from rbnotes.ledger.claims.lloyd.section_0_22_1.body_a_force import (
    ELASTIC_VARIATION,
    VISCOUS_VARIATION,
    U_of,
    library_variation,
    variation,
)
from rbnotes.ledger.oracles.bodies import bracket
from rbnotes.ledger.oracles.frame_springs import ZERO_VELOCITIES, frame_spring_quantities, origin_velocities
from rbnotes.ledger.quantities import FORCE, TORQUE
from rbnotes.ledger.record import Result
from rbnotes.testing.strategies import numbers


def elastic_torque_B_library(poses, k_t, k_r, delta):
    return library_variation(poses, ZERO_VELOCITIES, delta, k_t=k_t, k_r=k_r)[3]


def elastic_torque_B_reference(poses, k_t, k_r, delta):
    """Compare with differences, along motions of both bodies, of forces computed in the world frame."""
    return variation(poses, ZERO_VELOCITIES, delta, k_t=k_t, k_r=k_r)[3]


def interpolated_components(R, omega, share):
    """Return the components of a vector in axes interpolated from the body (share 0) to the world (1)."""
    own = R.T @ omega
    return Rotation.from_rotvec(share * Rotation.from_matrix(R).as_rotvec()).apply(own)


def in_body_axes(poses, velocities, d_t, d_r, delta, share):
    return share == 0


@section.holds("e0.50", "Variation of the elastic force on B")
class e0_50:
    formula = r"\delta\mathbf f_{Bk}=k_t(-\delta\mathbf x_B+\mathbf p_2\times\delta\boldsymbol\theta_B+\mathbf R_{AB}\delta\mathbf x_A-\mathbf R_{AB}\mathbf p_1\times\delta\boldsymbol\theta_A)+{}^B\mathbf f_{2k}\times\delta\boldsymbol\theta_B"
    inputs = ELASTIC_VARIATION
    result = Result(FORCE, "on B, along its axes")

    def printed(poses, k_t, k_r, delta):
        n = frame_spring_quantities(poses)
        dx_A, dtheta_A, dx_B, dtheta_B = delta
        B_f_2k = n.R_2B @ (-k_t * n.R_2W.T @ (n.x_2 - n.x_1))
        moves = -dx_B + np.cross(n.p_2, dtheta_B) + n.R_AB @ dx_A - n.R_AB @ np.cross(n.p_1, dtheta_A)
        return k_t * moves + np.cross(B_f_2k, dtheta_B)

    def library(poses, k_t, k_r, delta):
        return library_variation(poses, ZERO_VELOCITIES, delta, k_t=k_t, k_r=k_r)[2]

    def reference(poses, k_t, k_r, delta):
        """Compare with differences, along motions of both bodies, of forces computed in the world frame."""
        return variation(poses, ZERO_VELOCITIES, delta, k_t=k_t, k_r=k_r)[2]

    primitives = CHANGES_OF_AXES
    remark = r"Read $\mathbf R_{AB}\mathbf p_1\times\cdot$ as $\mathbf R_{AB}(\mathbf p_1\times\cdot)$."
    implements = frame_spring_forces


@section.conditional("e0.51", "Variation of the damping force on B")
class e0_51:
    formula = r"\delta\mathbf f_{Bd}=d_t[\boldsymbol\omega_B][\mathbf p_2]\delta\boldsymbol\theta_B-d_t\mathbf R_{AB}[\boldsymbol\omega_A][\mathbf p_1]\delta\boldsymbol\theta_A+{}^B\mathbf f_{2d}\times\delta\boldsymbol\theta_B"
    inputs = {**VISCOUS_VARIATION, "share": numbers(0.125, 1.0)}
    result = Result(FORCE, "on B, along its axes")

    def printed(poses, velocities, d_t, d_r, delta, share):
        n = frame_spring_quantities(poses)
        omega_A, omega_B = (
            interpolated_components(R, omega, share)
            for R, omega in ((n.R_AW, velocities[1]), (n.R_BW, velocities[3]))
        )
        dtheta_A, dtheta_B = delta[1], delta[3]
        dx_1, dx_2 = origin_velocities(poses, velocities)
        B_f_2d = n.R_2B @ (-d_t * n.R_2W.T @ (dx_2 - dx_1))
        return (
            d_t * bracket(omega_B) @ bracket(n.p_2) @ dtheta_B
            - d_t * n.R_AB @ bracket(omega_A) @ bracket(n.p_1) @ dtheta_A
            + np.cross(B_f_2d, dtheta_B)
        )

    def library(poses, velocities, d_t, d_r, delta, share):
        return library_variation(poses, velocities, delta, d_t=d_t, d_r=d_r)[2]

    def reference(poses, velocities, d_t, d_r, delta, share):
        """Compare with differences, along motions of both bodies, of forces computed in the world frame."""
        return variation(poses, velocities, delta, d_t=d_t, d_r=d_r)[2]

    primitives = MOTIONS_AND_AXES
    holds_when = in_body_axes
    condition_inputs = {**VISCOUS_VARIATION, "share": st.just(0.0)}
    condition = (
        "The angular velocities are written in the axes of their own bodies, "
        r"${}^B\boldsymbol\omega_B$ and ${}^A\boldsymbol\omega_A$, as in (0.44). Section 0.22 defines "
        "the same letters in world axes; with world components, the right-hand side is wrong."
    )
    remark = (
        "The velocities are constant in the world. The notes state that the quantities of the assembled "
        "matrix are local."
    )
    implements = (frame_spring_forces, at_constant_world_velocity)


@section.erratum("d15", "Variation of the elastic torque on B")
class d15:
    formula = r"\delta\boldsymbol\tau_{Bk}=-k_r\mathbf R_{1B}\mathbf U^T\mathbf R_{A1}\delta\boldsymbol\theta_A+k_r\mathbf R_{1B}\mathbf U^T\mathbf R_{B1}\delta\boldsymbol\theta_B+\mathbf p_2\times\delta\mathbf f_{Bk}"
    edits = ((r"=-k_r\mathbf R", r"=+k_r\mathbf R"), (r"_A+k_r\mathbf R", r"_A-k_r\mathbf R"))
    inputs = ELASTIC_VARIATION
    result = Result(TORQUE, "on B, along its axes")

    def printed(poses, k_t, k_r, delta):
        n, U = frame_spring_quantities(poses), U_of(poses)
        dtheta_A, dtheta_B = delta[1], delta[3]
        df_Bk = library_variation(poses, ZERO_VELOCITIES, delta, k_t=k_t, k_r=k_r)[2]
        return (
            -k_r * n.R_1B @ U.T @ n.R_A1 @ dtheta_A
            + k_r * n.R_1B @ U.T @ n.R_B1 @ dtheta_B
            + np.cross(n.p_2, df_Bk)
        )

    library = elastic_torque_B_library
    reference = elastic_torque_B_reference
    primitives = CHANGES_OF_AXES
    correction = (
        r"Both signs of $k_r$ are reversed, because the torque on B is *minus* $k_r\mathbf "
        r"R_{1B}(\phi\mathbf u)$: $+k_r\mathbf R_{1B}\mathbf U^T\mathbf "
        r"R_{A1}\delta\boldsymbol\theta_A-k_r\mathbf R_{1B}\mathbf U^T\mathbf "
        r"R_{B1}\delta\boldsymbol\theta_B+\mathbf p_2\times\delta\mathbf f_{Bk}$."
    )
    remark = (
        "ArtiSynth's `FrameSpring` (artisynth_core, commit 0ec17b06) negates the block of A in the rows of B."
    )
    effect = (
        "A flywheel on a frame spring, released at 0.1 rad, reaches an amplitude of 1.3 rad after a "
        "second of implicit Euler with the printed derivative, which should damp the motion. The "
        "assembled matrices of the notes are right."
    )
    implements = frame_spring_forces


@section.erratum("e0.52", "Variation of the elastic torque on B, with the rotational term separated")
class e0_52:
    formula = r"\delta\boldsymbol\tau_{Bk}=-k_r\mathbf R_{1B}\mathbf U^T\mathbf R_{A1}\delta\boldsymbol\theta_A+k_r\mathbf R_{1B}\mathbf U\mathbf R_{B1}\delta\boldsymbol\theta_B+\boldsymbol\tau_B\times\delta\boldsymbol\theta_B+\mathbf p_2\times\delta\mathbf f_{Bk}"
    edits = (
        (r"=-k_r\mathbf R", r"=+k_r\mathbf R"),
        (r"_A+k_r\mathbf R", r"_A-k_r\mathbf R"),
        (r"\boldsymbol\tau_B\times", r"{}^B\boldsymbol\tau_{2k}\times"),
    )
    inputs = ELASTIC_VARIATION
    result = Result(TORQUE, "on B, along its axes")

    def printed(poses, k_t, k_r, delta):
        n, U = frame_spring_quantities(poses), U_of(poses)
        dtheta_A, dtheta_B = delta[1], delta[3]
        df_Bk = library_variation(poses, ZERO_VELOCITIES, delta, k_t=k_t, k_r=k_r)[2]
        tau_B = library_forces(poses, ZERO_VELOCITIES, k_t, k_r).w[3]
        return (
            -k_r * n.R_1B @ U.T @ n.R_A1 @ dtheta_A
            + k_r * n.R_1B @ U @ n.R_B1 @ dtheta_B
            + np.cross(tau_B, dtheta_B)
            + np.cross(n.p_2, df_Bk)
        )

    library = elastic_torque_B_library
    reference = elastic_torque_B_reference
    primitives = CHANGES_OF_AXES
    correction = (
        r"$+k_r\mathbf R_{1B}\mathbf U^T\mathbf R_{A1}\delta\boldsymbol\theta_A-k_r\mathbf "
        r"R_{1B}\mathbf U\mathbf "
        r"R_{B1}\delta\boldsymbol\theta_B+{}^B\boldsymbol\tau_{2k}\times\delta\boldsymbol\theta_B+\mathbf"
        r" p_2\times\delta\mathbf f_{Bk}$: both signs of $k_r$, and "
        r"${}^B\boldsymbol\tau_{2k}=-k_r\mathbf R_{1B}(\phi\mathbf u)$ alone, not the total torque"
        " on B. The assembled matrix is correct in all three respects."
    )
    implements = frame_spring_forces


@section.erratum("e0.53", "Variation of the damping torque on B")
class e0_53:
    formula = r"\delta\boldsymbol\tau_{Bd}={}^B\boldsymbol\tau_{1d}\times\delta\boldsymbol\theta_B+\mathbf p_2\times\delta\mathbf f_{Bd}"
    edit = (r"\boldsymbol\tau_{1d}", r"\boldsymbol\tau_{2d}")
    inputs = VISCOUS_VARIATION
    result = Result(TORQUE, "on B, along its axes")

    def printed(poses, velocities, d_t, d_r, delta):
        n = frame_spring_quantities(poses)
        dtheta_B = delta[3]
        tau_1d = d_r * n.R_1W.T @ (velocities[3] - velocities[1])
        B_tau_1d = n.R_1B @ tau_1d
        df_Bd = library_variation(poses, velocities, delta, d_t=d_t, d_r=d_r)[2]
        return np.cross(B_tau_1d, dtheta_B) + np.cross(n.p_2, df_Bd)

    def library(poses, velocities, d_t, d_r, delta):
        return library_variation(poses, velocities, delta, d_t=d_t, d_r=d_r)[3]

    def reference(poses, velocities, d_t, d_r, delta):
        """Compare with differences, along motions of both bodies, of forces computed in the world frame."""
        return variation(poses, velocities, delta, d_t=d_t, d_r=d_r)[3]

    primitives = CHANGES_OF_AXES
    correction = (
        r"${}^B\boldsymbol\tau_{2d}\times\delta\boldsymbol\theta_B$, the torque on frame 2, which "
        r"is the opposite of ${}^B\boldsymbol\tau_{1d}$."
    )
    implements = (frame_spring_forces, at_constant_world_velocity)
