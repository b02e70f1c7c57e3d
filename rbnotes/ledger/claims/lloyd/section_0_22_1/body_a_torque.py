"""Lloyd 0.22.1: variation of the torque of a frame spring on body A, and the relative rotation."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from rbnotes import so3
from rbnotes.forces import at_constant_world_velocity, frame_spring_forces
from rbnotes.ledger.claims.lloyd.section_0_22 import CHANGES_OF_AXES, ELASTIC, PAIRS
from rbnotes.ledger.claims.lloyd.section_0_22_1 import section
from rbnotes.ledger.claims.lloyd.section_0_22_1.body_a_force import (
    DELTA,
    ELASTIC_VARIATION,
    VISCOUS_VARIATION,
    U_of,
    library_variation,
    variation,
)
from rbnotes.ledger.oracles.bodies import bracket
from rbnotes.ledger.oracles.frame_springs import (
    ZERO_VELOCITIES,
    axial,
    frame_spring_quantities,
    orientations,
    pose_derivative,
)
from rbnotes.ledger.oracles.rotation_vectors import rotation_vector_rates, rotation_vector_rates_in_frame_2
from rbnotes.ledger.quantities import NUMBER, TORQUE
from rbnotes.ledger.record import Result


def elastic_torque_A_library(poses, k_t, k_r, delta):
    return library_variation(poses, ZERO_VELOCITIES, delta, k_t=k_t, k_r=k_r)[1]


def elastic_torque_A_reference(poses, k_t, k_r, delta):
    """Compare with differences, along motions of both bodies, of forces computed in the world frame."""
    return variation(poses, ZERO_VELOCITIES, delta, k_t=k_t, k_r=k_r)[1]


def relative_rotation_library(poses, delta):
    change = library_variation(poses, ZERO_VELOCITIES, delta, k_r=1.0)[1]
    n = frame_spring_quantities(poses)
    return so3.left_jacobian(n.phi * n.u) @ n.R_1A.T @ change


def relative_rotation(poses, delta):
    """Compare with differences of R_21 along motions of both bodies.

    The result is the rotation of frame 2 relative to frame 1, in frame 1.
    """

    def relative_rotation(varied_poses):
        R = orientations(varied_poses)
        return np.swapaxes(R[:, 0], -1, -2) @ R[:, 1]

    return axial(
        pose_derivative(relative_rotation, poses, delta[None])[0] @ relative_rotation(poses[None])[0].T
    )


def difference_library(poses, k_t, k_r):
    n = frame_spring_quantities(poses)
    w = so3.log(n.R_21)
    skew = so3.left_jacobian_inverse(w) - so3.right_jacobian_inverse(w)
    return -k_r * n.R_1A @ skew @ n.R_1A.T


def difference_reference(poses, k_t, k_r):
    """Compare U and U^T with differences of the rotation vector, omega in frame 1 and in frame 2."""
    n = frame_spring_quantities(poses)
    w = n.phi * n.u
    return -k_r * n.R_1A @ (rotation_vector_rates(w) - rotation_vector_rates_in_frame_2(w)) @ n.R_1A.T


@section.holds("t1109", "Relative rotation in terms of the bodies")
class t1109:
    formula = r"\delta\boldsymbol\theta_{21}=\delta\boldsymbol\theta_2-\delta\boldsymbol\theta_1,\quad{}^1\delta\boldsymbol\theta_1=\mathbf R_{A1}\delta\boldsymbol\theta_A,\quad{}^2\delta\boldsymbol\theta_2=\mathbf R_{B2}\delta\boldsymbol\theta_B"
    inputs = {**PAIRS, **DELTA}
    result = Result(NUMBER, "along the axes of frame 1")

    def printed(poses, delta):
        n = frame_spring_quantities(poses)
        dtheta_A, dtheta_B = delta[1], delta[3]
        in_1 = n.R_A1 @ dtheta_A
        in_2 = n.R_2B.T @ dtheta_B
        return n.R_21 @ in_2 - in_1

    library = relative_rotation_library

    reference = relative_rotation
    implements = frame_spring_forces


@section.holds("e0.46", "Variation of the elastic torque on A")
class e0_46:
    formula = r"\delta\boldsymbol\tau_{Ak}=-k_r\mathbf R_{1A}\mathbf U\mathbf R_{A1}\delta\boldsymbol\theta_A+k_r\mathbf R_{1A}\mathbf U\mathbf R_{B1}\delta\boldsymbol\theta_B+\mathbf p_1\times\delta\mathbf f_{Ak}"
    inputs = ELASTIC_VARIATION
    result = Result(TORQUE, "on A, along its axes")

    def printed(poses, k_t, k_r, delta):
        n, U = frame_spring_quantities(poses), U_of(poses)
        dtheta_A, dtheta_B = delta[1], delta[3]
        df_Ak = library_variation(poses, ZERO_VELOCITIES, delta, k_t=k_t, k_r=k_r)[0]
        return (
            -k_r * n.R_1A @ U @ n.R_A1 @ dtheta_A
            + k_r * n.R_1A @ U @ n.R_B1 @ dtheta_B
            + np.cross(n.p_1, df_Ak)
        )

    library = elastic_torque_A_library
    reference = elastic_torque_A_reference
    primitives = CHANGES_OF_AXES
    implements = frame_spring_forces


@section.holds("t1113", "The rotation vector in the axes of frame 1 has no rotational term")
class t1113:
    formula = r"\delta(\phi\mathbf u)=\mathbf U\,(\mathbf R_{B1}\delta\boldsymbol\theta_B-\mathbf R_{A1}\delta\boldsymbol\theta_A)\text{ `is already with respect to the rotating frame'}"
    inputs = {**PAIRS, **DELTA}
    result = Result(NUMBER, "along the axes of frame 1")

    def printed(poses, delta):
        n = frame_spring_quantities(poses)
        dtheta_A, dtheta_B = delta[1], delta[3]
        return U_of(poses) @ (n.R_B1 @ dtheta_B - n.R_A1 @ dtheta_A)

    def library(poses, delta):
        """Return the torque of unit stiffness in frame 1."""
        return (
            frame_spring_quantities(poses).R_1A.T
            @ library_variation(poses, ZERO_VELOCITIES, delta, k_r=1.0)[1]
        )

    def reference(poses, delta):
        """Compare with differences of scipy's rotation vector of R_21 along motions of both bodies."""

        def vector(varied_poses):
            R = orientations(varied_poses)
            return Rotation.from_matrix(np.swapaxes(R[:, 0], -1, -2) @ R[:, 1]).as_rotvec()

        return pose_derivative(vector, poses, delta[None])[0]

    remark = (
        r"In world axes, the term $\delta\boldsymbol\theta_1\times\phi\mathbf u$ is added: a "
        r"common rotation of both frames rotates $\phi\mathbf u$ in world axes, but not in the "
        "axes of frame 1."
    )
    implements = frame_spring_forces


@section.holds("d11#a", "Skew part of U, with the axis")
class d11_a:
    formula = r"-k_r\mathbf R_{1A}(\mathbf U-\mathbf U^T)\mathbf R_{A1}=k_r\mathbf R_{1A}(\phi[\mathbf u])\mathbf R_{A1}"
    inputs = ELASTIC
    result = Result(TORQUE, "moments by small rotations, along the axes of A")

    def printed(poses, k_t, k_r):
        n = frame_spring_quantities(poses)
        return k_r * n.R_1A @ (n.phi * bracket(n.u)) @ n.R_A1

    library = difference_library
    reference = difference_reference
    primitives = ("rbnotes.ledger.oracles.frame_springs.frame_spring_quantities",)
    implements = (so3.left_jacobian_inverse, so3.right_jacobian_inverse)


@section.holds("d11#b", "Skew part of U, with the torque")
class d11_b:
    formula = r"-k_r\mathbf R_{1A}(\mathbf U-\mathbf U^T)\mathbf R_{A1}\delta\boldsymbol\theta_A={}^A\boldsymbol\tau_{1k}\times\delta\boldsymbol\theta_A"
    inputs = ELASTIC
    result = Result(TORQUE, "moments by small rotations, along the axes of A")

    def printed(poses, k_t, k_r):
        n = frame_spring_quantities(poses)
        A_tau_1k = n.R_1A @ (k_r * (n.phi * n.u))
        return bracket(A_tau_1k)

    library = difference_library
    reference = difference_reference
    primitives = ("rbnotes.ledger.oracles.frame_springs.frame_spring_quantities",)
    implements = (so3.left_jacobian_inverse, so3.right_jacobian_inverse)


@section.holds("e0.48", "Variation of the elastic torque on A, with the rotational term separated")
class e0_48:
    formula = r"\delta\boldsymbol\tau_{Ak}=-k_r\mathbf R_{1A}\mathbf U^T\mathbf R_{A1}\delta\boldsymbol\theta_A+{}^A\boldsymbol\tau_{1k}\times\delta\boldsymbol\theta_A+k_r\mathbf R_{1A}\mathbf U\mathbf R_{B1}\delta\boldsymbol\theta_B+\mathbf p_1\times\delta\mathbf f_{Ak}"
    inputs = ELASTIC_VARIATION
    result = Result(TORQUE, "on A, along its axes")

    def printed(poses, k_t, k_r, delta):
        n, U = frame_spring_quantities(poses), U_of(poses)
        dtheta_A, dtheta_B = delta[1], delta[3]
        df_Ak = library_variation(poses, ZERO_VELOCITIES, delta, k_t=k_t, k_r=k_r)[0]
        A_tau_1k = n.R_1A @ (k_r * (n.phi * n.u))
        return (
            -k_r * n.R_1A @ U.T @ n.R_A1 @ dtheta_A
            + np.cross(A_tau_1k, dtheta_A)
            + k_r * n.R_1A @ U @ n.R_B1 @ dtheta_B
            + np.cross(n.p_1, df_Ak)
        )

    library = elastic_torque_A_library
    reference = elastic_torque_A_reference
    primitives = CHANGES_OF_AXES
    implements = frame_spring_forces


@section.holds("e0.49", "Variation of the damping torque on A")
class e0_49:
    formula = r"\delta\boldsymbol\tau_{Ad}={}^A\boldsymbol\tau_{1d}\times\delta\boldsymbol\theta_A+\mathbf p_1\times\delta\mathbf f_{Ad}"
    inputs = VISCOUS_VARIATION
    result = Result(TORQUE, "on A, along its axes")

    def printed(poses, velocities, d_t, d_r, delta):
        n = frame_spring_quantities(poses)
        dtheta_A = delta[1]
        tau_1d = d_r * n.R_1W.T @ (velocities[3] - velocities[1])
        A_tau_1d = n.R_1A @ tau_1d
        df_Ad = library_variation(poses, velocities, delta, d_t=d_t, d_r=d_r)[0]
        return np.cross(A_tau_1d, dtheta_A) + np.cross(n.p_1, df_Ad)

    def library(poses, velocities, d_t, d_r, delta):
        return library_variation(poses, velocities, delta, d_t=d_t, d_r=d_r)[1]

    def reference(poses, velocities, d_t, d_r, delta):
        """Compare with differences, along motions of both bodies, of forces computed in the world frame."""
        return variation(poses, velocities, delta, d_t=d_t, d_r=d_r)[1]

    primitives = CHANGES_OF_AXES
    remark = "The angular velocities are constant in the world."
    implements = (frame_spring_forces, at_constant_world_velocity)


@section.misprint("t1149", "The relative rotation in the torque on B")
class t1149:
    formula = r"\text{Replacing }\boldsymbol\omega\text{ with }{}^1\delta\boldsymbol\theta_B-\delta\boldsymbol\theta_A"
    inputs = {**PAIRS, **DELTA}
    result = Result(NUMBER, "along the axes of frame 1")

    def printed(poses, delta):
        n = frame_spring_quantities(poses)
        dtheta_A, dtheta_B = delta[1], delta[3]
        return n.R_B1 @ dtheta_B - dtheta_A

    library = relative_rotation_library
    reference = relative_rotation
    correction = (
        r"${}^1\delta\boldsymbol\theta_B-{}^1\delta\boldsymbol\theta_A$, both in the axes of frame"
        r" 1, as $\mathbf R_{A1}$ in the next display shows."
    )
    replacement = r"Replacing $\boldsymbol\omega$ with ${}^1\delta\boldsymbol\theta_B - {}^1\delta\boldsymbol\theta_A$, we can obtain"
    implements = frame_spring_forces
