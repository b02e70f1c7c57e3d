"""Lloyd 0.22.1: the position Jacobian of a frame spring, variation by variation (body B has a module of its own).

Each variation is compared with differences of the quantity it claims to vary, along motions of both bodies,
while the velocities keep their components in the world. Arguments and rows are ordered as in
:mod:`rbnotes.ledger.lloyd.section_0_22`.
"""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from rbnotes import se3, so3
from rbnotes.checking import derivative
from rbnotes.checking.strategies import positive_numbers, rotations, vectors
from rbnotes.forces.body_forces import directional_force
from rbnotes.inertia import LINEAR_FIRST
from rbnotes.ledger.lloyd.section_0_22 import (
    CHAPTER,
    ELASTIC,
    FORCES,
    MOVING,
    PAIRS,
    POSES,
    VELOCITIES,
    VISCOUS,
    library_forces,
)
from rbnotes.ledger.lloyd.section_0_22_1_rotation_vector import (
    LOG,
    U_printed,
    U_reference,
    U_transposed_reference,
)
from rbnotes.ledger.oracles.bodies import bracket
from rbnotes.ledger.oracles.frame_springs import (
    REST,
    UNITS,
    along,
    forces,
    names,
    orientations,
    origin_velocities,
    origins,
    to_body,
    variations_of_forces,
)
from rbnotes.ledger.record import Verdict, claim

DELTA = {"delta": VELOCITIES}
ELASTIC_VARIATION = {**ELASTIC, **DELTA}
VISCOUS_VARIATION = {**VISCOUS, **DELTA}
IDENTITY = np.eye(3)


def variation(poses, velocities, delta, **stiffness):
    """Change of (f_A, tau_A, f_B, tau_B) along one variation of the poses."""
    return variations_of_forces(poses, velocities, delta[None], **stiffness)[0]


def library_variation(poses, velocities, delta, **stiffness):
    return (library_forces(poses, velocities, **stiffness).K @ delta.ravel()).reshape(4, 3)


def at_frame_1(poses):
    return np.array([poses[0] @ poses[2], poses[1], np.eye(4), poses[3]])


def arm_variation_printed(R, p, turn):
    return -R @ bracket(p) @ turn


def arm_variation_library(R, p, turn):
    return R @ se3.Gamma(p)[:, :3] @ turn


def arm_variation_reference(R, p, turn):
    return derivative(lambda t: R @ Rotation.from_rotvec(t * turn).as_matrix() @ p).value


def damping_force_A_library(poses, velocities, d_t, d_r, delta):
    return library_variation(poses, velocities, delta, d_t=d_t, d_r=d_r)[0]


def damping_force_A_reference(poses, velocities, d_t, d_r, delta):
    return variation(poses, velocities, delta, d_t=d_t, d_r=d_r)[0]


def U_of(poses):
    n = names(poses)
    return U_printed(n.phi * n.u)


def elastic_torque_A_library(poses, k_t, k_r, delta):
    return library_variation(poses, REST, delta, k_t=k_t, k_r=k_r)[1]


def elastic_torque_A_reference(poses, k_t, k_r, delta):
    return variation(poses, REST, delta, k_t=k_t, k_r=k_r)[1]


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


WORLD = "rbnotes.forces.world.hold_world_velocities"
FORCE_DIFFERENCES = (
    "differences of forces computed in the world and moved to the bodies, along motions of both bodies"
)
WHOLE = {"poses": POSES, "velocities": VELOCITIES, "k_t": positive_numbers(), "k_r": positive_numbers(),
         "d_t": positive_numbers(), "d_r": positive_numbers()}  # fmt: skip


@claim("lloyd/s0.22.1/d1", "How the origins of the frames move with the bodies")
class d1:
    formula = (
        r"\delta\mathbf x_1={}^W\delta\mathbf x_A-{}^W\mathbf "
        r"p_1\times\delta\,{}^W\boldsymbol\theta_A,\quad\delta\mathbf x_2"
        r"={}^W\delta\mathbf x_B-{}^W\mathbf p_2\times\delta\,{}^W\boldsymbol\theta_B"
    )
    inputs = {**PAIRS, **DELTA}

    def printed(poses, delta):
        n = names(poses)
        dx_A, dtheta_A, dx_B, dtheta_B = delta
        dx_1 = dx_A - np.cross(n.R_AW @ n.p_1, dtheta_A)
        dx_2 = dx_B - np.cross(n.R_BW @ n.p_2, dtheta_B)
        return np.array([dx_1, dx_2])

    def library(poses, delta):
        increments = to_body(poses[:2, :3, :3], delta).reshape(2, 6)[:, LINEAR_FIRST]
        return se3.point_velocity(poses[:2], poses[2:, :3, 3], increments)

    oracle = MOVING

    def reference(poses, delta):
        return along(origins, poses, delta[None], axes="world")[0]

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.se3.point_velocity",)
    chapter = CHAPTER


@claim("lloyd/s0.22.1/t1056#a", "Force on frame 1 when only that frame turns")
class t1056_a:
    formula = r"\delta\mathbf f_{1k}=\mathbf f_{1k}\times\delta\,{}^1\boldsymbol\theta_A"
    inputs = {**ELASTIC, "turn": vectors()}

    def printed(poses, k_t, k_r, turn):
        n = names(poses)
        f_1k = k_t * n.R_1W.T @ (n.x_2 - n.x_1)
        return np.cross(f_1k, turn)

    def library(poses, k_t, k_r, turn):
        spring = at_frame_1(poses)
        force = library_forces(spring, REST, k_t, k_r)
        # The origins stay, so only frame 1 turns under the force.
        return force.K[:3, 3:6] @ turn

    oracle = FORCE_DIFFERENCES

    def reference(poses, k_t, k_r, turn):
        delta = np.array([0 * turn, turn, 0 * turn, 0 * turn])
        return variation(at_frame_1(poses), REST, delta, k_t=k_t, k_r=k_r)[0]

    verdict = Verdict.HOLDS
    implemented_by = (FORCES,)
    chapter = CHAPTER


@claim("lloyd/s0.22.1/t1056#b", "The same variation with respect to A")
class t1056_b:
    formula = r"{}^A\mathbf f_{1k}\times\boldsymbol\theta_A"
    inputs = {**ELASTIC, "turn": vectors()}

    def printed(poses, k_t, k_r, turn):
        n = names(poses)
        theta_A = Rotation.from_matrix(n.R_AW).as_rotvec()
        A_f_1k = n.R_1A @ (k_t * n.R_1W.T @ (n.x_2 - n.x_1))
        return np.cross(A_f_1k, theta_A)

    def library(poses, k_t, k_r, turn):
        force = poses[0, :3, :3] @ library_forces(poses, REST, k_t, k_r).w[0]
        return directional_force(1.0, force, poses[0], poses[2, :3, 3]).K[3:, :3] @ turn

    oracle = "differences of the components in A of a force that stays in the world, while A turns"

    def reference(poses, k_t, k_r, turn):
        # The axes of A turn under a force that is fixed in the world.
        force = poses[0, :3, :3] @ forces(poses, REST, k_t=k_t, k_r=k_r)[0]
        return derivative(
            lambda t: (poses[0, :3, :3] @ Rotation.from_rotvec(t * turn).as_matrix()).T @ force
        ).value

    verdict = Verdict.MISPRINT
    correction = r"${}^A\mathbf f_{1k}\times\delta\boldsymbol\theta_A$, with the $\delta$."
    implemented_by = ("rbnotes.forces.body_forces.directional_force",)
    chapter = CHAPTER


@claim("lloyd/s0.22.1/e0.43#a", "Variation of the elastic force on A")
class e0_43_a:
    formula = (
        r"\delta\mathbf f_{Ak}=k_t\mathbf R_{AW}^T(\delta\mathbf x_2"
        r"-\delta\mathbf x_1)+{}^A\mathbf f_{1k}\times\delta\boldsymbol\theta_A"
    )
    inputs = ELASTIC_VARIATION

    def printed(poses, k_t, k_r, delta):
        n = names(poses)
        dx_1, dx_2 = along(origins, poses, delta[None])[0]
        dtheta_A = delta[1]
        A_f_1k = n.R_1A @ (k_t * n.R_1W.T @ (n.x_2 - n.x_1))
        return k_t * n.R_AW.T @ (dx_2 - dx_1) + np.cross(A_f_1k, dtheta_A)

    def library(poses, k_t, k_r, delta):
        return library_variation(poses, REST, delta, k_t=k_t, k_r=k_r)[0]

    oracle = FORCE_DIFFERENCES

    def reference(poses, k_t, k_r, delta):
        return variation(poses, REST, delta, k_t=k_t, k_r=k_r)[0]

    verdict = Verdict.HOLDS
    implemented_by = (FORCES,)
    chapter = CHAPTER


@claim("lloyd/s0.22.1/e0.43#b", "The same, in variations of the bodies")
class e0_43_b:
    formula = (
        r"k_t(-\delta\mathbf x_A+\mathbf p_1\times\boldsymbol\omega_A+\mathbf R_{BA}\delta\mathbf x_B"
        r"-\mathbf R_{BA}\mathbf p_2\times\boldsymbol\omega_B)+{}^A\mathbf "
        r"f_{1k}\times\delta\boldsymbol\theta_A"
    )
    inputs = {
        "poses": POSES,
        "velocities": VELOCITIES,
        "k_t": positive_numbers(),
        "k_r": positive_numbers(),
        **DELTA,
    }

    def printed(poses, velocities, k_t, k_r, delta):
        n = names(poses)
        omega_A, omega_B = to_body(poses[:2, :3, :3], velocities)[[1, 3]]
        dx_A, dtheta_A, dx_B, _ = delta
        A_f_1k = n.R_1A @ (k_t * n.R_1W.T @ (n.x_2 - n.x_1))
        moves = -dx_A + np.cross(n.p_1, omega_A) + n.R_BA @ dx_B - n.R_BA @ np.cross(n.p_2, omega_B)
        return k_t * moves + np.cross(A_f_1k, dtheta_A)

    def library(poses, velocities, k_t, k_r, delta):
        return library_variation(poses, velocities, delta, k_t=k_t, k_r=k_r)[0]

    oracle = FORCE_DIFFERENCES

    def reference(poses, velocities, k_t, k_r, delta):
        return variation(poses, velocities, delta, k_t=k_t, k_r=k_r)[0]

    verdict = Verdict.ERRATUM
    correction = (
        r"$\delta\boldsymbol\theta_A$ and $\delta\boldsymbol\theta_B$ in place of the angular velocities "
        r"$\boldsymbol\omega_A$ and $\boldsymbol\omega_B$ (which 0.22 defines, so that code with them "
        r"runs); the assembled matrix has them right."
    )
    remark = r"$\mathbf R_{BA}\mathbf p_2\times\cdot$ reads $\mathbf R_{BA}(\mathbf p_2\times\cdot)$."
    implemented_by = (FORCES,)
    chapter = CHAPTER


@claim("lloyd/s0.22.1/d2", "Velocity of the origin of frame 1")
class d2:
    formula = r"\dot{\mathbf x}_1={}^W\mathbf v_A+{}^W\boldsymbol\omega_A\times{}^W\mathbf p_1"
    inputs = {"poses": POSES, "velocities": VELOCITIES}

    def printed(poses, velocities):
        n = names(poses)
        v_A, omega_A = velocities[:2]
        return v_A + np.cross(omega_A, n.R_AW @ n.p_1)

    def library(poses, velocities):
        phi = to_body(poses[:2, :3, :3], velocities).reshape(2, 6)[:, LINEAR_FIRST]
        return se3.point_velocity(poses[0], poses[2, :3, 3], phi[0])

    oracle = MOVING

    def reference(poses, velocities):
        return origin_velocities(poses, velocities)[0]

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.se3.point_velocity",)
    chapter = CHAPTER


@claim("lloyd/s0.22.1/d3#a", "How the arm turns with A, first form")
class d3_a:
    formula = (
        r"{}^W\delta\mathbf p_1=\delta\mathbf R_{AW}\,\mathbf p_1"
        r"=\mathbf R_{AW}[\delta\boldsymbol\theta_A]\mathbf p_1"
    )
    inputs = {"R_AW": rotations(), "p_1": vectors(), "turn": vectors()}

    def printed(R, p, turn):
        return R @ bracket(turn) @ p

    library = arm_variation_library
    oracle = "differences of R p while R turns about a body axis"
    reference = arm_variation_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.se3.Gamma",)
    chapter = CHAPTER


@claim("lloyd/s0.22.1/d3#b", "How the arm turns with A, as a matrix")
class d3_b:
    formula = r"{}^W\delta\mathbf p_1=-\mathbf R_{AW}[\mathbf p_1]\delta\boldsymbol\theta_A"
    inputs = {"R_AW": rotations(), "p_1": vectors(), "turn": vectors()}
    printed = arm_variation_printed
    library = arm_variation_library
    oracle = "differences of R p while R turns about a body axis"
    reference = arm_variation_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.se3.Gamma",)
    chapter = CHAPTER


@claim("lloyd/s0.22.1/d4", "Velocity of the origin of frame 2")
class d4:
    formula = r"\dot{\mathbf x}_2={}^W\mathbf v_B+{}^W\boldsymbol\omega_B\times{}^W\mathbf p_2"
    inputs = {"poses": POSES, "velocities": VELOCITIES}

    def printed(poses, velocities):
        n = names(poses)
        v_B, omega_B = velocities[2:]
        return v_B + np.cross(omega_B, n.R_BW @ n.p_2)

    def library(poses, velocities):
        phi = to_body(poses[:2, :3, :3], velocities).reshape(2, 6)[:, LINEAR_FIRST]
        return se3.point_velocity(poses[1], poses[3, :3, 3], phi[1])

    oracle = MOVING

    def reference(poses, velocities):
        return origin_velocities(poses, velocities)[1]

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.se3.point_velocity",)
    chapter = CHAPTER


@claim("lloyd/s0.22.1/d5", "How the arm turns with B")
class d5:
    formula = r"{}^W\delta\mathbf p_2=-\mathbf R_{BW}[\mathbf p_2]\delta\boldsymbol\theta_B"
    inputs = {"R_BW": rotations(), "p_2": vectors(), "turn": vectors()}
    printed = arm_variation_printed
    library = arm_variation_library
    oracle = "differences of R p while R turns about a body axis"
    reference = arm_variation_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.se3.Gamma",)
    chapter = CHAPTER


@claim("lloyd/s0.22.1/e0.44#a", "Variation of the damping force on A")
class e0_44_a:
    formula = (
        r"\delta\mathbf f_{Ad}=d_t\mathbf R_{AW}^T(-\boldsymbol\omega_B\times(\mathbf R_{BW}[\mathbf "
        r"p_2]\delta\boldsymbol\theta_B)"
        r"+\boldsymbol\omega_A\times(\mathbf R_{AW}[\mathbf p_1]\delta\boldsymbol\theta_A))"
        r"+\mathbf f_{Ad}\times\delta\boldsymbol\omega_A"
    )
    inputs = VISCOUS_VARIATION

    def printed(poses, velocities, d_t, d_r, delta):
        n = names(poses)
        omega_A, omega_B = velocities[1], velocities[3]
        dtheta_A, dtheta_B = delta[1], delta[3]
        domega_A = np.zeros(3)  # the velocities are held
        f_Ad = forces(poses, velocities, d_t=d_t, d_r=d_r)[0]
        first = -np.cross(omega_B, n.R_BW @ bracket(n.p_2) @ dtheta_B)
        second = np.cross(omega_A, n.R_AW @ bracket(n.p_1) @ dtheta_A)
        return d_t * n.R_AW.T @ (first + second) + np.cross(f_Ad, domega_A)

    library = damping_force_A_library
    oracle = FORCE_DIFFERENCES
    reference = damping_force_A_reference
    verdict = Verdict.MISPRINT
    correction = (
        r"The last term is $\mathbf f_{Ad}\times\delta\boldsymbol\theta_A$: velocities do not vary here."
    )
    remark = "Velocities are held in the world."
    implemented_by = (
        FORCES,
        WORLD,
    )
    chapter = CHAPTER


@claim("lloyd/s0.22.1/e0.44#b", "The same in the axes of the bodies")
class e0_44_b:
    formula = (
        r"-d_t\mathbf R_{BA}[{}^B\boldsymbol\omega_B][\mathbf p_2]\delta\boldsymbol\theta_B"
        r"+d_t[{}^A\boldsymbol\omega_A][\mathbf p_1]\delta\boldsymbol\theta_A"
        r"+\mathbf f_{Ad}\times\delta\boldsymbol\omega_A"
    )
    inputs = VISCOUS_VARIATION

    def printed(poses, velocities, d_t, d_r, delta):
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

    library = damping_force_A_library
    oracle = FORCE_DIFFERENCES
    reference = damping_force_A_reference
    verdict = Verdict.MISPRINT
    correction = r"The last term is $\mathbf f_{Ad}\times\delta\boldsymbol\theta_A$."
    implemented_by = (
        FORCES,
        WORLD,
    )
    chapter = CHAPTER


@claim("lloyd/s0.22.1/t1109", "Relative rotation in terms of the bodies")
class t1109:
    formula = (
        r"\delta\boldsymbol\theta_{21}=\delta\boldsymbol\theta_2-\delta\boldsymbol\theta_1,\quad"
        r"{}^1\delta\boldsymbol\theta_1=\mathbf R_{A1}\delta\boldsymbol\theta_A,\quad"
        r"{}^2\delta\boldsymbol\theta_2=\mathbf R_{B2}\delta\boldsymbol\theta_B"
    )
    inputs = {**PAIRS, **DELTA}

    def printed(poses, delta):
        n = names(poses)
        dtheta_A, dtheta_B = delta[1], delta[3]
        in_1 = n.R_A1 @ dtheta_A
        in_2 = n.R_2B.T @ dtheta_B
        return n.R_21 @ in_2 - in_1

    def library(poses, delta):
        spring = np.array([np.zeros(3), delta[1], np.zeros(3), delta[3]])
        change = library_variation(poses, REST, spring, k_r=1.0)[1]
        n = names(poses)
        return so3.left_jacobian(n.phi * n.u) @ n.R_1A.T @ change

    oracle = "differences of R_21 along motions of both bodies"

    def reference(poses, delta):
        def relative(there):
            R = orientations(there)
            return np.swapaxes(R[:, 0], -1, -2) @ R[:, 1]

        spin = along(relative, poses, delta[None])[0] @ relative(poses[None])[0].T
        return np.array([spin[2, 1], spin[0, 2], spin[1, 0]])

    verdict = Verdict.HOLDS
    implemented_by = (FORCES,)
    chapter = CHAPTER


@claim("lloyd/s0.22.1/e0.46", "Variation of the elastic torque on A")
class e0_46:
    formula = (
        r"\delta\boldsymbol\tau_{Ak}=-k_r\mathbf R_{1A}\mathbf U\mathbf R_{A1}\delta\boldsymbol\theta_A"
        r"+k_r\mathbf R_{1A}\mathbf U\mathbf R_{B1}\delta\boldsymbol\theta_B"
        r"+\mathbf p_1\times\delta\mathbf f_{Ak}"
    )
    inputs = ELASTIC_VARIATION

    def printed(poses, k_t, k_r, delta):
        n, U = names(poses), U_of(poses)
        dtheta_A, dtheta_B = delta[1], delta[3]
        df_Ak = variation(poses, REST, delta, k_t=k_t, k_r=k_r)[0]
        return (
            -k_r * n.R_1A @ U @ n.R_A1 @ dtheta_A
            + k_r * n.R_1A @ U @ n.R_B1 @ dtheta_B
            + np.cross(n.p_1, df_Ak)
        )

    library = elastic_torque_A_library
    oracle = FORCE_DIFFERENCES
    reference = elastic_torque_A_reference
    verdict = Verdict.HOLDS
    implemented_by = (FORCES,)
    chapter = CHAPTER


@claim("lloyd/s0.22.1/d11#a", "Skew part of U, with the axis")
class d11_a:
    formula = (
        r"-k_r\mathbf R_{1A}(\mathbf U-\mathbf U^T)\mathbf R_{A1}"
        r"=k_r\mathbf R_{1A}(\phi[\mathbf u])\mathbf R_{A1}"
    )
    inputs = ELASTIC

    def printed(poses, k_t, k_r):
        n = names(poses)
        return k_r * n.R_1A @ (n.phi * bracket(n.u)) @ n.R_A1

    library = difference_library
    oracle = "U and U^T as differences of the rotation vector, omega in frame 1 and in frame 2"
    reference = difference_reference
    verdict = Verdict.HOLDS
    implemented_by = (
        LOG,
        "rbnotes.so3.right_jacobian_inverse",
    )
    chapter = CHAPTER


@claim("lloyd/s0.22.1/d11#b", "Skew part of U, with the torque")
class d11_b:
    formula = (
        r"-k_r\mathbf R_{1A}(\mathbf U-\mathbf U^T)\mathbf R_{A1}\delta\boldsymbol\theta_A"
        r"={}^A\boldsymbol\tau_{1k}\times\delta\boldsymbol\theta_A"
    )
    inputs = ELASTIC

    def printed(poses, k_t, k_r):
        n = names(poses)
        A_tau_1k = n.R_1A @ (k_r * (n.phi * n.u))
        return bracket(A_tau_1k)

    library = difference_library
    oracle = "U and U^T as differences of the rotation vector, omega in frame 1 and in frame 2"
    reference = difference_reference
    verdict = Verdict.HOLDS
    implemented_by = (
        LOG,
        "rbnotes.so3.right_jacobian_inverse",
    )
    chapter = CHAPTER


@claim("lloyd/s0.22.1/e0.48", "Variation of the elastic torque on A, with the turning torque split off")
class e0_48:
    formula = (
        r"\delta\boldsymbol\tau_{Ak}=-k_r\mathbf R_{1A}\mathbf U^T\mathbf "
        r"R_{A1}\delta\boldsymbol\theta_A+{}^A\boldsymbol\tau_{1k}\times\delta\boldsymbol\theta_A"
        r"+k_r\mathbf R_{1A}\mathbf U\mathbf R_{B1}\delta\boldsymbol\theta_B"
        r"+\mathbf p_1\times\delta\mathbf f_{Ak}"
    )
    inputs = ELASTIC_VARIATION

    def printed(poses, k_t, k_r, delta):
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

    library = elastic_torque_A_library
    oracle = FORCE_DIFFERENCES
    reference = elastic_torque_A_reference
    verdict = Verdict.HOLDS
    implemented_by = (FORCES,)
    chapter = CHAPTER


@claim("lloyd/s0.22.1/e0.49", "Variation of the damping torque on A")
class e0_49:
    formula = (
        r"\delta\boldsymbol\tau_{Ad}={}^A\boldsymbol\tau_{1d}\times\delta\boldsymbol\theta_A"
        r"+\mathbf p_1\times\delta\mathbf f_{Ad}"
    )
    inputs = VISCOUS_VARIATION

    def printed(poses, velocities, d_t, d_r, delta):
        n = names(poses)
        dtheta_A = delta[1]
        tau_1d = d_r * n.R_1W.T @ (velocities[3] - velocities[1])
        A_tau_1d = n.R_1A @ tau_1d
        df_Ad = variation(poses, velocities, delta, d_t=d_t, d_r=d_r)[0]
        return np.cross(A_tau_1d, dtheta_A) + np.cross(n.p_1, df_Ad)

    def library(poses, velocities, d_t, d_r, delta):
        return library_variation(poses, velocities, delta, d_t=d_t, d_r=d_r)[1]

    oracle = FORCE_DIFFERENCES

    def reference(poses, velocities, d_t, d_r, delta):
        return variation(poses, velocities, delta, d_t=d_t, d_r=d_r)[1]

    verdict = Verdict.HOLDS
    remark = "Angular velocities are held in the world."
    implemented_by = (
        FORCES,
        WORLD,
    )
    chapter = CHAPTER


@claim("lloyd/s0.22.1/d16", "What the position Jacobian maps")
class d16:
    formula = (
        r"(\delta\mathbf f_A,\delta\boldsymbol\tau_A,\delta\mathbf f_B,\delta\boldsymbol\tau_B)"
        r"=\mathbf J_p(\delta\mathbf x_A,\delta\boldsymbol\theta_A,\delta\mathbf "
        r"x_B,\delta\boldsymbol\theta_B)"
    )
    verdict = Verdict.DEFINITION
    remark = "Linear parts first; the library stacks angular parts first."
    implemented_by = (FORCES,)
    chapter = CHAPTER


@claim("lloyd/s0.22.1/d17", "The position Jacobian in body coordinates")
class d17:
    formula = (
        r"\mathbf J_p=\begin{pmatrix}-k_t\mathbf I&k_t[\mathbf p_1]"
        r"+d_t[\boldsymbol\omega_A][\mathbf p_1]+[{}^A\mathbf f_1]&k_t\mathbf R_{BA}&-k_t\mathbf "
        r"R_{BA}[\mathbf p_2]-d_t\mathbf R_{BA}[\boldsymbol\omega_B][\mathbf p_2]\\"
        r"-k_t[\mathbf p_1]&[\mathbf p_1]\mathbf J_{01}"
        r"-k_r\mathbf R_{1A}\mathbf U^T\mathbf R_{A1}+[{}^A\boldsymbol\tau_1]&k_t[\mathbf p_1]\mathbf "
        r"R_{BA}&[\mathbf p_1]\mathbf J_{03}+k_r\mathbf R_{1A}\mathbf U\mathbf R_{B1}\\"
        r"k_t\mathbf R_{AB}&-k_t\mathbf R_{AB}[\mathbf p_1]"
        r"-d_t\mathbf R_{AB}[\boldsymbol\omega_A][\mathbf p_1]&-k_t\mathbf I&k_t[\mathbf p_2]"
        r"+d_t[\boldsymbol\omega_B][\mathbf p_2]+[{}^B\mathbf f_2]\\"
        r"k_t[\mathbf p_2]\mathbf R_{AB}&[\mathbf p_2]\mathbf J_{21}"
        r"+k_r\mathbf R_{1B}\mathbf U^T\mathbf R_{A1}&-k_t[\mathbf p_2]&[\mathbf p_2]\mathbf J_{23}"
        r"-k_r\mathbf R_{1B}\mathbf U\mathbf R_{B1}+[{}^B\boldsymbol\tau_2]\end{pmatrix}"
    )
    inputs = {**WHOLE, "held": st.sampled_from(("world", "body"))}

    def printed(poses, velocities, k_t, k_r, d_t, d_r, held):
        n, U = names(poses), U_of(poses)
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

    def library(poses, velocities, k_t, k_r, d_t, d_r, held):
        return library_forces(poses, velocities, k_t, k_r, d_t, d_r, held=held).K

    oracle = (
        "differences of forces computed in the world and moved to the bodies, along motions of both "
        "bodies, velocities held in the world or in the bodies"
    )

    def reference(poses, velocities, k_t, k_r, d_t, d_r, held):
        change = variations_of_forces(poses, velocities, UNITS, held=held, k_t=k_t, k_r=k_r, d_t=d_t, d_r=d_r)
        return change.reshape(12, 12).T

    verdict = Verdict.CONDITIONAL
    given = {**WHOLE, "held": st.just("world")}
    condition = (
        "The velocities of the bodies are held in world components. Where they are held in body "
        "components, as in equations of motion in body coordinates, the terms that damping adds differ."
    )
    remark = (
        "The matrix is right where the variations (0.43), (0.44), (0.52) and (0.53) that it is said to "
        "combine are wrong. 0.22.3 says that it is for velocities in body coordinates: it is not."
    )
    implemented_by = (
        FORCES,
        WORLD,
    )
    chapter = CHAPTER
