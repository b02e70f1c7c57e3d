"""Lloyd 0.22: frame springs on bodies: poses, forces and velocities of their frames."""

from __future__ import annotations

import numpy as np

from rbnotes import se3
from rbnotes.inertia import LINEAR_FIRST
from rbnotes.ledger.claims.lloyd.section_0_22 import (
    CHAPTER,
    DISSIPATION,
    ELASTIC,
    ENERGY,
    FORCES,
    MOVING,
    POSES,
    TO_BODY,
    VELOCITIES,
    VISCOUS,
    library_forces,
)
from rbnotes.ledger.oracles.frame_springs import (
    ZERO_VELOCITIES,
    axial,
    elastic_forces,
    frame_spring_quantities,
    orientations,
    origin_velocities,
    pose_derivative,
    to_body,
    viscous_forces,
)
from rbnotes.ledger.quantities import FORCE, RATE, TORQUE, VELOCITY, stacked_quantity
from rbnotes.ledger.record import Verdict, claim

QUANTITIES = {"velocities": stacked_quantity(VELOCITY, RATE)}


def origin_velocities_printed(poses, velocities):
    n = frame_spring_quantities(poses)
    v_A, omega_A, v_B, omega_B = velocities
    p_1_world, p_2_world = n.R_AW @ n.p_1, n.R_BW @ n.p_2
    return np.array([v_A + np.cross(omega_A, p_1_world), v_B + np.cross(omega_B, p_2_world)])


@claim("lloyd/s0.22/d3", "Poses of the bodies")
class d3:
    formula = (
        r"\mathbf X_{AW}=\begin{pmatrix}\mathbf R_{AW}&\mathbf x_A\\"
        r"0&1\end{pmatrix},\quad\mathbf X_{BW}=\begin{pmatrix}\mathbf R_{BW}&\mathbf x_B\\0&1\end{pmatrix}"
    )
    defines = (r"\mathbf X_{AW}", r"\mathbf X_{BW}")
    verdict = Verdict.DEFINITION
    implemented_by = (FORCES,)
    chapter = CHAPTER


@claim("lloyd/s0.22/d4", "Poses of the frames in their bodies")
class d4:
    formula = (
        r"\mathbf X_{1A}=\begin{pmatrix}\mathbf R_{1A}&\mathbf p_1\\"
        r"0&1\end{pmatrix},\quad\mathbf X_{2B}=\begin{pmatrix}\mathbf R_{2B}&\mathbf p_2\\0&1\end{pmatrix}"
    )
    defines = (r"\mathbf X_{1A}", r"\mathbf X_{2B}")
    verdict = Verdict.DEFINITION
    implemented_by = ("rbnotes.forces.frame_spring.FrameSpring",)
    chapter = CHAPTER


@claim("lloyd/s0.22/e0.39", "Elastic forces and torques on the bodies")
class e0_39:
    formula = (
        r"\begin{aligned}\mathbf f_{Ak}&=k_t\mathbf R_{AW}^T(\mathbf x_2"
        r"-\mathbf x_1),&\boldsymbol\tau_{Ak}"
        r"&=k_r\mathbf R_{1A}(\phi\mathbf u)+\mathbf p_1\times\mathbf f_{Ak},\\"
        r"\mathbf f_{Bk}&=-k_t\mathbf R_{BW}^T(\mathbf x_2-\mathbf x_1),&\boldsymbol\tau_{Bk}"
        r"&=-k_r\mathbf R_{1B}(\phi\mathbf u)+\mathbf p_2\times\mathbf f_{Bk}\end{aligned}"
    )
    inputs = ELASTIC
    result = stacked_quantity(FORCE, TORQUE)

    def printed(poses, k_t, k_r):
        n = frame_spring_quantities(poses)
        f_Ak = k_t * n.R_AW.T @ (n.x_2 - n.x_1)
        tau_Ak = k_r * n.R_1A @ (n.phi * n.u) + np.cross(n.p_1, f_Ak)
        f_Bk = -k_t * n.R_BW.T @ (n.x_2 - n.x_1)
        tau_Bk = -k_r * n.R_1B @ (n.phi * n.u) + np.cross(n.p_2, f_Bk)
        return np.array([f_Ak, tau_Ak, f_Bk, tau_Bk])

    def library(poses, k_t, k_r):
        return library_forces(poses, ZERO_VELOCITIES, k_t, k_r).w

    oracle = ENERGY
    reference = elastic_forces
    verdict = Verdict.HOLDS
    implemented_by = (FORCES,)
    chapter = CHAPTER


@claim("lloyd/s0.22/e0.40", "Damping forces and torques on the bodies")
class e0_40:
    formula = (
        r"\begin{aligned}\mathbf f_{Ad}&=d_t\mathbf R_{AW}^T(\dot{\mathbf x}_2"
        r"-\dot{\mathbf x}_1),&\boldsymbol\tau_{Ad}"
        r"&=d_r\mathbf R_{AW}^T(\boldsymbol\omega_2-\boldsymbol\omega_1)"
        r"+\mathbf p_1\times\mathbf f_{Ad},\\"
        r"\mathbf f_{Bd}&=-d_t\mathbf R_{BW}^T(\dot{\mathbf x}_2"
        r"-\dot{\mathbf x}_1),&\boldsymbol\tau_{Bd}"
        r"&=-d_r\mathbf R_{BW}^T(\boldsymbol\omega_2-\boldsymbol\omega_1)"
        r"+\mathbf p_2\times\mathbf f_{Bd}\end{aligned}"
    )
    inputs = VISCOUS
    result = stacked_quantity(FORCE, TORQUE)

    def printed(poses, velocities, d_t, d_r):
        n = frame_spring_quantities(poses)
        dx_1, dx_2 = origin_velocities_printed(poses, velocities)
        omega_1, omega_2 = velocities[1], velocities[3]
        f_Ad = d_t * n.R_AW.T @ (dx_2 - dx_1)
        tau_Ad = d_r * n.R_AW.T @ (omega_2 - omega_1) + np.cross(n.p_1, f_Ad)
        f_Bd = -d_t * n.R_BW.T @ (dx_2 - dx_1)
        tau_Bd = -d_r * n.R_BW.T @ (omega_2 - omega_1) + np.cross(n.p_2, f_Bd)
        return np.array([f_Ad, tau_Ad, f_Bd, tau_Bd])

    def library(poses, velocities, d_t, d_r):
        return library_forces(poses, velocities, d_t=d_t, d_r=d_r).w

    oracle = DISSIPATION
    reference = viscous_forces
    primitives = TO_BODY
    verdict = Verdict.HOLDS
    implemented_by = (FORCES,)
    chapter = CHAPTER


@claim("lloyd/s0.22/e0.41", "Velocities of the origins of the frames")
class e0_41:
    formula = (
        r"\dot{\mathbf x}_1=\mathbf v_A+\boldsymbol\omega_A\times{}^W\mathbf p_1,\quad\dot{\mathbf x}_2"
        r"=\mathbf v_B+\boldsymbol\omega_B\times{}^W\mathbf p_2"
    )
    inputs = {"poses": POSES, "velocities": VELOCITIES}
    result = VELOCITY
    printed = origin_velocities_printed

    def library(poses, velocities):
        phi = to_body(poses[:2, :3, :3], velocities).reshape(2, 6)[:, LINEAR_FIRST]
        return se3.point_velocity(poses[:2], poses[2:, :3, 3], phi)

    oracle = MOVING
    reference = origin_velocities
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.se3.point_velocity",)
    chapter = CHAPTER


@claim("lloyd/s0.22/e0.42", "Angular velocities of the frames")
class e0_42:
    formula = r"\boldsymbol\omega_1=\boldsymbol\omega_A,\quad\boldsymbol\omega_2=\boldsymbol\omega_B"
    inputs = {"poses": POSES, "velocities": VELOCITIES}
    result = RATE

    def printed(poses, velocities):
        omega_1 = velocities[1]
        omega_2 = velocities[3]
        return np.array([omega_1, omega_2])

    def library(poses, velocities):
        body = to_body(poses[:2, :3, :3], velocities).reshape(2, 6)[:, LINEAR_FIRST]
        at_frames = np.einsum("bij,bj->bi", se3.Ad_inverse(poses[2:]), body)
        return np.einsum("bij,bj->bi", orientations(poses[None])[0], at_frames[:, :3])

    oracle = MOVING

    def reference(poses, velocities):
        turning = pose_derivative(orientations, poses, velocities[None], axes="world")[0]
        return axial(turning @ np.swapaxes(orientations(poses[None])[0], -1, -2))

    primitives = ("rbnotes.ledger.oracles.frame_springs.orientations",)
    verdict = Verdict.HOLDS
    remark = "In world components; in components of its own frame each is turned by the offset rotation."
    implemented_by = ("rbnotes.se3.Ad_inverse",)
    chapter = CHAPTER
