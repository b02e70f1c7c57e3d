"""Lloyd 0.22.3: the Jacobians of a frame spring in world coordinates.

The oracle is again the force of section 0.22, here with wrenches, velocities and variations in world axes;
arguments and rows are ordered as there. Velocities are held in the world.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from rbnotes import so3
from rbnotes.ledger import quantities as units
from rbnotes.ledger.claims.lloyd.section_0_22 import (
    CHAPTER,
    MOTIONS_AND_AXES,
    VELOCITIES,
    VISCOUS,
    library_forces,
)
from rbnotes.ledger.claims.lloyd.section_0_22_1 import WHOLE, WORLD
from rbnotes.ledger.claims.lloyd.section_0_22_1_rotation_vector import U_printed
from rbnotes.ledger.oracles.bodies import bracket
from rbnotes.ledger.oracles.frame_springs import (
    UNIT_VARIATIONS,
    force_variations,
    frame_spring_quantities,
    orientations,
    origin_velocities,
    to_body,
    to_world,
    vary_poses,
    world_forces,
)
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing import derivative
from rbnotes.testing.strategies import rotations, vectors

IDENTITY = np.eye(3)
AXES = "rbnotes.forces.world_axes.rotate_to_world"
COUPLED = {
    "poses": WHOLE["poses"],
    "velocities": VELOCITIES,
    **{n: WHOLE[n] for n in ("k_t", "k_r", "d_t", "d_r")},
}


QUANTITIES = {"a": units.LENGTH, "velocities": units.stacked_quantity(units.VELOCITY, units.RATE)}


def pull_on_1(poses, velocities, k_t, k_r, d_t, d_r):
    """Force on frame 1, in world axes; that on frame 2 is the opposite."""
    n = frame_spring_quantities(poses)
    dx_1, dx_2 = origin_velocities(poses, velocities)
    return k_t * (n.x_2 - n.x_1) + d_t * (dx_2 - dx_1)


def couple_on_1(poses, velocities, k_t, k_r, d_t, d_r):
    """Couple on frame 1, in world axes; that on frame 2 is the opposite."""
    n = frame_spring_quantities(poses)
    return k_r * n.R_1W @ (n.phi * n.u) + d_r * (velocities[3] - velocities[1])


def world_velocity_library(poses, velocities, d_t, d_r):
    return library_forces(poses, velocities, d_t=d_t, d_r=d_r, axes="world").D


def world_velocity_reference(poses, velocities, d_t, d_r):
    there = np.tile(poses, (12, 1, 1, 1))

    def force(t):
        return world_forces(there, velocities + t * UNIT_VARIATIONS, d_t=d_t, d_r=d_r)

    return derivative(force).value.reshape(12, 12).T


def turned(poses, columns):
    """Matrix in world axes from columns ``(12, 4, 3)`` that belong to unit variations in body axes."""
    R = poses[:2, :3, :3]
    in_world = to_world(R, columns).reshape(12, 12).T
    return in_world @ to_body(R, UNIT_VARIATIONS).reshape(12, 12).T


def rotated_position_reference(poses, velocities, k_t, k_r, d_t, d_r):
    """Components in the bodies, along motions of both; seen in the world where the bodies were."""

    def rows(t):
        there = vary_poses(poses, UNIT_VARIATIONS, t, "world")
        found = world_forces(there, velocities, k_t, k_r, d_t, d_r)
        return to_world(poses[:2, :3, :3], to_body(there[:, :2, :3, :3], found))

    return derivative(rows).value.reshape(12, 12).T


def world_position_library(poses, velocities, k_t, k_r, d_t, d_r):
    return library_forces(poses, velocities, k_t, k_r, d_t, d_r, axes="world").K


def world_position_reference(poses, velocities, k_t, k_r, d_t, d_r):
    change = force_variations(
        poses, velocities, UNIT_VARIATIONS, axes="world", k_t=k_t, k_r=k_r, d_t=d_t, d_r=d_r
    )
    return change.reshape(12, 12).T


@claim("lloyd/s0.22.3/e0.58", "Velocity Jacobian turned into world axes")
class e0_58:
    formula = (
        r"{}^W\mathbf J_v=\mathrm{diag}(\mathbf R_{AW},\mathbf R_{AW},\mathbf R_{BW},\mathbf "
        r"R_{BW})\,\mathbf J_v\,\mathrm{diag}(\mathbf R_{AW}^T,\mathbf R_{AW}^T,\mathbf R_{BW}^T,\mathbf "
        r"R_{BW}^T)"
    )
    inputs = VISCOUS
    result = units.matrix_quantity(units.LINEAR_FIRST_WRENCH, units.LINEAR_FIRST_TWIST)

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
    oracle = (
        "differences in the velocities of damping forces, computed in the world and moved to the bodies; "
        "world components throughout"
    )
    reference = world_velocity_reference
    verdict = Verdict.HOLDS
    implemented_by = (AXES,)
    chapter = CHAPTER


@claim("lloyd/s0.22.3/d1", "Bracket of a turned vector")
class d1:
    formula = r"\mathbf R[\mathbf a]=[\mathbf R\mathbf a]\mathbf R"
    inputs = {"R": rotations(), "a": vectors()}
    result = units.LENGTH

    def printed(R, a):
        return bracket(R @ a) @ R

    def library(R, a):
        return so3.hat(R @ a) @ R

    oracle = "cross products with the axes, computed before turning; this checks the right-hand side"

    def reference(R, a):
        # Columns: the cross product of a with each axis, turned as one body.
        return np.stack([R @ np.cross(a, axis) for axis in IDENTITY], axis=-1)

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.so3.hat",)
    chapter = CHAPTER


@claim("lloyd/s0.22.3/d2", "Velocity Jacobian in world coordinates")
class d2:
    formula = (
        r"{}^W\mathbf J_v=\begin{pmatrix}-d_t\mathbf I&d_t[\mathbf p_1]&d_t\mathbf I&-d_t[\mathbf p_2]\\"
        r"-d_t[\mathbf p_1]&-d_r\mathbf I+d_t[\mathbf p_1][\mathbf p_1]&d_t[\mathbf p_1]&d_r\mathbf I"
        r"-d_t[\mathbf p_1][\mathbf p_2]\\d_t\mathbf I&-d_t[\mathbf p_1]&-d_t\mathbf I&d_t[\mathbf p_2]\\"
        r"d_t[\mathbf p_2]&d_r\mathbf I-d_t[\mathbf p_2][\mathbf p_1]&-d_t[\mathbf p_2]&-d_r\mathbf I"
        r"+d_t[\mathbf p_2][\mathbf p_2]\end{pmatrix}"
    )
    inputs = VISCOUS
    result = units.matrix_quantity(units.LINEAR_FIRST_WRENCH, units.LINEAR_FIRST_TWIST)

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
    oracle = (
        "differences in the velocities of damping forces, computed in the world and moved to the bodies; "
        "world components throughout"
    )
    reference = world_velocity_reference
    equivalent_mutants = {
        "swapped operands in `d_t * p_1 @ p_1`": "both factors are the same matrix",
        "swapped operands in `d_t * p_2 @ p_2`": "both factors are the same matrix",
    }
    verdict = Verdict.HOLDS
    implemented_by = (AXES,)
    chapter = CHAPTER


@claim("lloyd/s0.22.3/e0.59", "Position Jacobian of the body coordinates, turned into world axes")
class e0_59:
    formula = (
        r"\begin{pmatrix}-k_t\mathbf I&k_t[\mathbf p_1]"
        r"+d_t[\boldsymbol\omega_A][\mathbf p_1]+[{}^W\mathbf f_1]&k_t\mathbf I&-k_t[\mathbf p_2]"
        r"-d_t[\boldsymbol\omega_B][\mathbf p_2]\\"
        r"-k_t[\mathbf p_1]&[\mathbf p_1]\mathbf J_{01}"
        r"-k_r{}^W\mathbf U^T+[{}^W\boldsymbol\tau_1]&k_t[\mathbf p_1]&[\mathbf p_1]\mathbf J_{03}"
        r"+k_r{}^W\mathbf U\\k_t\mathbf I&-k_t[\mathbf p_1]"
        r"-d_t[\boldsymbol\omega_A][\mathbf p_1]&-k_t\mathbf I&k_t[\mathbf p_2]"
        r"+d_t[\boldsymbol\omega_B][\mathbf p_2]+[{}^W\mathbf f_2]\\"
        r"k_t[\mathbf p_2]&[\mathbf p_2]\mathbf J_{21}"
        r"+k_r{}^W\mathbf U^T&-k_t[\mathbf p_2]&[\mathbf p_2]\mathbf J_{23}"
        r"-k_r{}^W\mathbf U+[{}^W\boldsymbol\tau_2]\end{pmatrix}"
    )
    inputs = COUPLED
    result = units.matrix_quantity(units.LINEAR_FIRST_WRENCH, units.LINEAR_FIRST_TWIST * units.TIME)

    def printed(poses, velocities, k_t, k_r, d_t, d_r):
        n = frame_spring_quantities(poses)
        f_1, tau_1 = (
            pull_on_1(poses, velocities, k_t, k_r, d_t, d_r),
            couple_on_1(poses, velocities, k_t, k_r, d_t, d_r),
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
        return turned(poses, K.T.reshape(12, 4, 3))

    oracle = (
        "differences of forces computed in the world and moved to the bodies, along motions of both "
        "bodies; in body axes, the result turned"
    )
    reference = rotated_position_reference
    primitives = MOTIONS_AND_AXES
    verdict = Verdict.HOLDS
    remark = (
        "This is not yet the Jacobian of forces in world axes, as the notes say; velocities are held in "
        "the world."
    )
    implemented_by = (WORLD,)
    chapter = CHAPTER


@claim("lloyd/s0.22.3/t1253#a", "U in world axes")
class t1253_a:
    formula = (
        r"{}^W\mathbf U=\mathbf R_{1W}\mathbf U\mathbf R_{1W}^T"
        r"\text{ is defined by (0.45) with }\mathbf u\text{ expressed in world coordinates}"
    )
    inputs = {"poses": COUPLED["poses"], "omega": vectors()}
    result = units.RATE

    def printed(poses, omega):
        n = frame_spring_quantities(poses)
        return U_printed(n.R_1W @ (n.phi * n.u)) @ omega

    def library(poses, omega):
        n = frame_spring_quantities(poses)
        return n.R_1W @ so3.left_jacobian_inverse(n.phi * n.u) @ n.R_1W.T @ omega

    oracle = "differences of the world components of the rotation vector while frame 2 turns in the world, 1 at rest"

    def reference(poses, omega):
        R_1W, R_2W = orientations(poses[None])[0]

        def vector(t):
            turned = Rotation.from_rotvec(t * omega).as_matrix() @ R_2W
            return R_1W @ Rotation.from_matrix(R_1W.T @ turned).as_rotvec()

        return derivative(vector).value

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.so3.left_jacobian_inverse",)
    chapter = CHAPTER


@claim("lloyd/s0.22.3/t1253#b", "It is not the Jacobian in world coordinates")
class t1253_b:
    formula = (
        r"\text{because of rotating coordinate frames, this is not the world coordinate Jacobian:}\quad"
        r"\mathbf J_{01}-[{}^W\mathbf f_1]\text{ is its block}"
    )
    inputs = COUPLED
    result = units.FORCE

    def printed(poses, velocities, k_t, k_r, d_t, d_r):
        """By how much the block of (0.59) differs from that of the world's Jacobian."""
        f_1 = pull_on_1(poses, velocities, k_t, k_r, d_t, d_r)
        return bracket(f_1)

    def library(poses, velocities, k_t, k_r, d_t, d_r):
        K = library_forces(poses, velocities, k_t, k_r, d_t, d_r).K
        in_world = world_position_library(poses, velocities, k_t, k_r, d_t, d_r)
        return (turned(poses, K.T.reshape(12, 4, 3)) - in_world)[:3, 3:6]

    oracle = (
        "both by differences of forces, along motions of both bodies: turned afterwards, and in world axes"
    )

    def reference(poses, velocities, k_t, k_r, d_t, d_r):
        case = (poses, velocities, k_t, k_r, d_t, d_r)
        return (rotated_position_reference(*case) - world_position_reference(*case))[:3, 3:6]

    primitives = MOTIONS_AND_AXES
    verdict = Verdict.HOLDS
    implemented_by = (AXES,)
    chapter = CHAPTER
