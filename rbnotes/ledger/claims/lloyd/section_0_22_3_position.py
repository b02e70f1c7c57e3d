"""Lloyd 0.22.3: what the turned position Jacobian lacks, and the position Jacobian in world coordinates."""

from __future__ import annotations

import numpy as np

from rbnotes.ledger import quantities as units
from rbnotes.ledger.claims.lloyd.section_0_22 import (
    CHAPTER,
    MOTIONS_IN_THE_WORLD,
    VELOCITIES,
    library_forces,
)
from rbnotes.ledger.claims.lloyd.section_0_22_1 import WHOLE, WORLD
from rbnotes.ledger.claims.lloyd.section_0_22_1_rotation_vector import U_printed
from rbnotes.ledger.claims.lloyd.section_0_22_3 import (
    AXES,
    COUPLED,
    IDENTITY,
    couple_on_1,
    pull_on_1,
    turned,
    world_position_library,
    world_position_reference,
)
from rbnotes.ledger.oracles.bodies import bracket
from rbnotes.ledger.oracles.frame_springs import (
    elastic_forces,
    force_variations,
    frame_spring_quantities,
    origin_velocities,
    to_body,
    to_world,
    viscous_forces,
)
from rbnotes.ledger.record import Verdict, claim

VARIATION = {**WHOLE, "delta": VELOCITIES}


QUANTITIES = {
    "delta": units.stacked_quantity(units.LENGTH, units.NUMBER),
    "velocities": units.stacked_quantity(units.VELOCITY, units.RATE),
}


def world_variation(poses, velocities, k_t, k_r, d_t, d_r, delta):
    stiffness = {"k_t": k_t, "k_r": k_r, "d_t": d_t, "d_r": d_r}
    return force_variations(poses, velocities, delta[None], axes="world", **stiffness)[0]


def body_variation(poses, velocities, k_t, k_r, d_t, d_r, delta):
    """Change in body axes along variations that are given in world axes, by the library."""
    K = library_forces(poses, velocities, k_t, k_r, d_t, d_r).K
    return (K @ to_body(poses[:2, :3, :3], delta).ravel()).reshape(4, 3)


def world_force_A_library(poses, velocities, k_t, k_r, d_t, d_r, delta):
    K = library_forces(poses, velocities, k_t, k_r, d_t, d_r, axes="world").K
    return K[:3] @ delta.ravel()


def world_force_A_reference(poses, velocities, k_t, k_r, d_t, d_r, delta):
    return world_variation(poses, velocities, k_t, k_r, d_t, d_r, delta)[0]


def couple_variation(poses, velocities, k_t, k_r, d_t, d_r, delta):
    """Change of A_tau_1, the couple on frame 1 in the axes of A: the torque without that of the force."""
    n = frame_spring_quantities(poses)
    df_A, dtau_A, _, _ = body_variation(poses, velocities, k_t, k_r, d_t, d_r, delta)
    return dtau_A - np.cross(n.p_1, df_A)


def world_torque_variation_library(poses, velocities, k_t, k_r, d_t, d_r, delta):
    K = library_forces(poses, velocities, k_t, k_r, d_t, d_r, axes="world").K
    return K[3:6] @ delta.ravel()


def world_torque_variation_reference(poses, velocities, k_t, k_r, d_t, d_r, delta):
    return world_variation(poses, velocities, k_t, k_r, d_t, d_r, delta)[1]


def diagonal_blocks(J):
    return np.array([J[:3, 3:6], J[6:9, 9:], J[3:6, 3:6], J[9:, 9:]])


def virtual_work(poses, velocities, k_t, k_r, d_t, d_r):
    """Rows (f_A, tau_A, f_B, tau_B) in world axes: slopes of the potential and of the dissipation function."""
    rows = elastic_forces(poses, k_t, k_r) + viscous_forces(poses, velocities, d_t, d_r)
    return to_world(poses[:2, :3, :3], rows)


VIRTUAL_WORK = "virtual work: slopes of the potential and of the dissipation function along motions of A"


@claim("lloyd/s0.22.3/d3#a", "Variation of the force on A in world axes")
class d3_a:
    formula = (
        r"\delta\,{}^W\mathbf f_A=\mathbf R_{AW}\,\delta\,{}^A\mathbf f_A"
        r"+\delta\boldsymbol\theta_A\times{}^W\mathbf f_A"
    )
    inputs = VARIATION
    result = units.FORCE

    def printed(poses, velocities, k_t, k_r, d_t, d_r, delta):
        n = frame_spring_quantities(poses)
        dtheta_A = delta[1]
        df_A = body_variation(poses, velocities, k_t, k_r, d_t, d_r, delta)[0]
        f_A = library_forces(poses, velocities, k_t, k_r, d_t, d_r, axes="world").w[0]
        return n.R_AW @ df_A + np.cross(dtheta_A, f_A)

    library = world_force_A_library
    oracle = (
        "differences of forces computed in the world and moved to the bodies, along motions of both "
        "bodies, all in world axes"
    )
    reference = world_force_A_reference
    primitives = ("rbnotes.ledger.oracles.frame_springs.to_world",)
    verdict = Verdict.HOLDS
    implemented_by = (AXES,)
    chapter = CHAPTER


@claim("lloyd/s0.22.3/d3#b", "The same with the force on frame 1")
class d3_b:
    formula = r"\mathbf R_{AW}\,\delta\,{}^A\mathbf f_A-[{}^W\mathbf f_1]\delta\boldsymbol\theta_A"
    inputs = VARIATION
    result = units.FORCE

    def printed(poses, velocities, k_t, k_r, d_t, d_r, delta):
        n = frame_spring_quantities(poses)
        dtheta_A = delta[1]
        df_A = body_variation(poses, velocities, k_t, k_r, d_t, d_r, delta)[0]
        f_1 = pull_on_1(poses, velocities, k_t, k_r, d_t, d_r)
        return n.R_AW @ df_A - bracket(f_1) @ dtheta_A

    library = world_force_A_library
    oracle = (
        "differences of forces computed in the world and moved to the bodies, along motions of both "
        "bodies, all in world axes"
    )
    reference = world_force_A_reference
    primitives = MOTIONS_IN_THE_WORLD
    verdict = Verdict.HOLDS
    implemented_by = (AXES,)
    chapter = CHAPTER


@claim("lloyd/s0.22.3/t1258", "The force on A is that on frame 1")
class t1258:
    formula = r"{}^W\mathbf f_A={}^W\mathbf f_1"
    inputs = COUPLED
    result = units.FORCE

    def printed(poses, velocities, k_t, k_r, d_t, d_r):
        """The force on frame 1 by (0.37) and (0.38), turned into world axes."""
        n = frame_spring_quantities(poses)
        dx_1, dx_2 = origin_velocities(poses, velocities)
        f_1k = k_t * n.R_1W.T @ (n.x_2 - n.x_1)
        f_1d = d_t * n.R_1W.T @ (dx_2 - dx_1)
        return n.R_1W @ (f_1k + f_1d)

    def library(poses, velocities, k_t, k_r, d_t, d_r):
        return library_forces(poses, velocities, k_t, k_r, d_t, d_r, axes="world").w[0]

    oracle = VIRTUAL_WORK

    def reference(poses, velocities, k_t, k_r, d_t, d_r):
        return virtual_work(poses, velocities, k_t, k_r, d_t, d_r)[0]

    primitives = (
        "rbnotes.ledger.oracles.frame_springs.axial",
        "rbnotes.ledger.oracles.frame_springs.to_body",
        "rbnotes.ledger.oracles.frame_springs.to_world",
    )
    verdict = Verdict.HOLDS
    implemented_by = (AXES,)
    chapter = CHAPTER


@claim("lloyd/s0.22.3/d4", "Torque on A in world axes")
class d4:
    formula = (
        r"{}^W\boldsymbol\tau_A=\mathbf R_{AW}{}^A\boldsymbol\tau_1"
        r"+\mathbf R_{AW}\mathbf p_1\times{}^W\mathbf f_1"
    )
    inputs = COUPLED
    result = units.TORQUE

    def printed(poses, velocities, k_t, k_r, d_t, d_r):
        """The torque on frame 1 by (0.37) and (0.38), in the axes of A, and the force on it, in the world."""
        n = frame_spring_quantities(poses)
        tau_1 = k_r * (n.phi * n.u) + d_r * n.R_1W.T @ (velocities[3] - velocities[1])
        A_tau_1 = n.R_1A @ tau_1
        f_1 = pull_on_1(poses, velocities, k_t, k_r, d_t, d_r)
        return n.R_AW @ A_tau_1 + np.cross(n.R_AW @ n.p_1, f_1)

    def library(poses, velocities, k_t, k_r, d_t, d_r):
        return library_forces(poses, velocities, k_t, k_r, d_t, d_r, axes="world").w[1]

    oracle = VIRTUAL_WORK

    def reference(poses, velocities, k_t, k_r, d_t, d_r):
        return virtual_work(poses, velocities, k_t, k_r, d_t, d_r)[1]

    primitives = (
        "rbnotes.ledger.oracles.frame_springs.axial",
        "rbnotes.ledger.oracles.frame_springs.to_body",
        "rbnotes.ledger.oracles.frame_springs.to_world",
    )
    verdict = Verdict.HOLDS
    implemented_by = (AXES,)
    chapter = CHAPTER


@claim("lloyd/s0.22.3/d5#a", "Variation of the torque on A in world axes")
class d5_a:
    formula = (
        r"\delta\,{}^W\boldsymbol\tau_A=\mathbf R_{AW}\,\delta\,{}^A\boldsymbol\tau_1"
        r"+\delta\boldsymbol\theta_A\times{}^W\boldsymbol\tau_1"
        r"+(\delta\boldsymbol\theta_A\times{}^W\mathbf p_1)\times{}^W\mathbf f_1"
    )
    inputs = VARIATION
    result = units.TORQUE

    def printed(poses, velocities, k_t, k_r, d_t, d_r, delta):
        n = frame_spring_quantities(poses)
        dtheta_A = delta[1]
        f_1, tau_1 = (
            pull_on_1(poses, velocities, k_t, k_r, d_t, d_r),
            couple_on_1(poses, velocities, k_t, k_r, d_t, d_r),
        )
        dA_tau_1 = couple_variation(poses, velocities, k_t, k_r, d_t, d_r, delta)
        arm = n.R_AW @ n.p_1
        return n.R_AW @ dA_tau_1 + np.cross(dtheta_A, tau_1) + np.cross(np.cross(dtheta_A, arm), f_1)

    library = world_torque_variation_library
    oracle = (
        "differences of forces computed in the world and moved to the bodies, along motions of both "
        "bodies, all in world axes"
    )
    reference = world_torque_variation_reference
    primitives = MOTIONS_IN_THE_WORLD
    verdict = Verdict.ERRATUM
    correction = (
        r"One more term, $+{}^W\mathbf p_1\times\delta\,{}^W\mathbf f_1$: the force in the moment varies too. The "
        r"assembled matrix has the term, as $[\mathbf p_1]\mathbf J_{01}$ and its neighbours."
    )
    implemented_by = (AXES,)
    chapter = CHAPTER


@claim("lloyd/s0.22.3/d5#b", "The same as matrices")
class d5_b:
    formula = (
        r"\mathbf R_{AW}\,\delta\,{}^A\boldsymbol\tau_1-[{}^W\boldsymbol\tau_1]\delta\boldsymbol\theta_A+["
        r"{}^W\mathbf f_1][{}^W\mathbf p_1]\delta\boldsymbol\theta_A"
    )
    inputs = VARIATION
    result = units.TORQUE

    def printed(poses, velocities, k_t, k_r, d_t, d_r, delta):
        n = frame_spring_quantities(poses)
        dtheta_A = delta[1]
        f_1, tau_1 = (
            pull_on_1(poses, velocities, k_t, k_r, d_t, d_r),
            couple_on_1(poses, velocities, k_t, k_r, d_t, d_r),
        )
        dA_tau_1 = couple_variation(poses, velocities, k_t, k_r, d_t, d_r, delta)
        arm = n.R_AW @ n.p_1
        return n.R_AW @ dA_tau_1 - bracket(tau_1) @ dtheta_A + bracket(f_1) @ bracket(arm) @ dtheta_A

    library = world_torque_variation_library
    oracle = (
        "differences of forces computed in the world and moved to the bodies, along motions of both "
        "bodies, all in world axes"
    )
    reference = world_torque_variation_reference
    primitives = MOTIONS_IN_THE_WORLD
    verdict = Verdict.ERRATUM
    correction = r"One more term, $+[{}^W\mathbf p_1]\,\delta\,{}^W\mathbf f_1$."
    implemented_by = (AXES,)
    chapter = CHAPTER


@claim("lloyd/s0.22.3/t1267", "From the turned Jacobian to that in world coordinates")
class t1267:
    formula = (
        r"\text{drop }[{}^W\mathbf f_i]\text{ from }\mathbf J_{01},\mathbf J_{23};\ [{}^W\mathbf "
        r"f_i][\mathbf p_i]\text{ in place of }[{}^W\boldsymbol\tau_i]\text{ in }\mathbf J_{11},\mathbf "
        r"J_{33}"
    )
    inputs = COUPLED
    result = units.stacked_quantity(units.FORCE, units.FORCE, units.TORQUE, units.TORQUE)

    def printed(poses, velocities, k_t, k_r, d_t, d_r):
        """(0.59) without [f_1] in block (0,1) and [f_2] in (2,3), with [f][p] in place of [tau] in (1,1), (3,3)."""
        n = frame_spring_quantities(poses)
        f_1, tau_1 = (
            pull_on_1(poses, velocities, k_t, k_r, d_t, d_r),
            couple_on_1(poses, velocities, k_t, k_r, d_t, d_r),
        )
        f_2, tau_2 = -f_1, -tau_1
        p_1, p_2 = bracket(n.R_AW @ n.p_1), bracket(n.R_BW @ n.p_2)
        J = turned(poses, library_forces(poses, velocities, k_t, k_r, d_t, d_r).K.T.reshape(12, 4, 3))
        J_01 = J[:3, 3:6] - bracket(f_1)
        J_23 = J[6:9, 9:] - bracket(f_2)
        # The blocks (0,1) and (2,3) also enter (1,1) and (3,3).
        J_11 = J[3:6, 3:6] - p_1 @ bracket(f_1) - bracket(tau_1) + bracket(f_1) @ p_1
        J_33 = J[9:, 9:] - p_2 @ bracket(f_2) - bracket(tau_2) + bracket(f_2) @ p_2
        return np.array([J_01, J_23, J_11, J_33])

    def library(poses, velocities, k_t, k_r, d_t, d_r):
        return diagonal_blocks(world_position_library(poses, velocities, k_t, k_r, d_t, d_r))

    oracle = (
        "differences of forces computed in the world and moved to the bodies, along motions of both "
        "bodies, all in world axes"
    )

    def reference(poses, velocities, k_t, k_r, d_t, d_r):
        J = world_position_reference(poses, velocities, k_t, k_r, d_t, d_r)
        return np.stack([J[:3, 3:6], J[6:9, 9:], J[3:6, 3:6], J[9:, 9:]])

    primitives = MOTIONS_IN_THE_WORLD
    verdict = Verdict.HOLDS
    remark = (
        r"$\mathbf J_{01}$ inside $\mathbf J_{11}$, and $\mathbf J_{23}$ inside $\mathbf J_{33}$, are the "
        r"blocks without $[{}^W\mathbf f_i]$."
    )
    implemented_by = (AXES,)
    chapter = CHAPTER


@claim("lloyd/s0.22.3/d6", "The position Jacobian in world coordinates")
class d6:
    formula = (
        r"{}^W\mathbf J_p=\begin{pmatrix}-k_t\mathbf I&k_t[\mathbf p_1]"
        r"+d_t[\boldsymbol\omega_A][\mathbf p_1]&k_t\mathbf I&-k_t[\mathbf p_2]"
        r"-d_t[\boldsymbol\omega_B][\mathbf p_2]\\"
        r"-k_t[\mathbf p_1]&[\mathbf p_1]\mathbf J_{01}"
        r"-k_r{}^W\mathbf U^T+[{}^W\mathbf f_1][\mathbf p_1]&k_t[\mathbf p_1]&[\mathbf p_1]\mathbf "
        r"J_{03}+k_r{}^W\mathbf U\\k_t\mathbf I&-k_t[\mathbf p_1]"
        r"-d_t[\boldsymbol\omega_A][\mathbf p_1]&-k_t\mathbf I&k_t[\mathbf p_2]"
        r"+d_t[\boldsymbol\omega_B][\mathbf p_2]\\"
        r"k_t[\mathbf p_2]&[\mathbf p_2]\mathbf J_{21}"
        r"+k_r{}^W\mathbf U^T&-k_t[\mathbf p_2]&[\mathbf p_2]\mathbf J_{23}"
        r"-k_r{}^W\mathbf U+[{}^W\mathbf f_2][\mathbf p_2]\end{pmatrix}"
    )
    inputs = COUPLED
    result = units.matrix_quantity(units.LINEAR_FIRST_WRENCH, units.LINEAR_FIRST_TWIST * units.TIME)

    def printed(poses, velocities, k_t, k_r, d_t, d_r):
        n = frame_spring_quantities(poses)
        f_1 = pull_on_1(poses, velocities, k_t, k_r, d_t, d_r)
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
    oracle = (
        "differences of forces computed in the world and moved to the bodies, along motions of both "
        "bodies, all in world axes"
    )
    reference = world_position_reference
    primitives = MOTIONS_IN_THE_WORLD
    verdict = Verdict.HOLDS
    remark = r"$\mathbf J_{ij}$ are blocks of this matrix, and velocities are held in the world."
    implemented_by = (
        AXES,
        WORLD,
    )
    chapter = CHAPTER
