"""Lloyd 0.22.2: the velocity Jacobian of a frame spring.

Each variation is compared with differences of the damping forces, which are computed in the world and transformed
to the bodies, at fixed poses. Arguments and rows are ordered as in :mod:`rbnotes.ledger.claims.lloyd.section_0_22`.
"""

from __future__ import annotations

import numpy as np

from rbnotes.forces import frame_spring_forces
from rbnotes.ledger.claims.lloyd.section_0_22 import (
    CHANGES_OF_AXES,
    TO_BODY,
    VELOCITIES,
    VISCOUS,
    library_forces,
)
from rbnotes.ledger.oracles.bodies import bracket
from rbnotes.ledger.oracles.frame_springs import (
    UNIT_VARIATIONS,
    ZERO_VELOCITIES,
    forces,
    frame_spring_quantities,
    to_body,
    to_world,
    world_forces,
)
from rbnotes.ledger.quantities import (
    ANGULAR_MOMENTUM,
    DAMPING,
    FORCE,
    LINEAR_FIRST_TWIST,
    LINEAR_FIRST_WRENCH,
    POSE,
    RATE,
    TORQUE,
    VELOCITY,
    matrix_quantity,
    stacked_quantity,
)
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing import derivative

section = Section(
    "lloyd/s0.22.2",
    chapter="frame-springs",
    arguments={
        "poses": Argument(POSE, "of the bodies A and B in the world, of frame 1 in A, of frame 2 in B"),
        "d_t": Argument(DAMPING),
        "d_r": Argument(ANGULAR_MOMENTUM),
        "delta": Argument(
            stacked_quantity(VELOCITY, RATE),
            "changes of the velocities of A, then of B (linear, angular), along the axes of the world",
        ),
        "velocities": Argument(
            stacked_quantity(VELOCITY, RATE),
            "linear and angular of A, then of B, along the axes of the world",
        ),
    },
)


IDENTITY = np.eye(3)
VARIATION = {**{name: VISCOUS[name] for name in ("poses", "d_t", "d_r")}, "delta": VELOCITIES}
DAMPED_MOTION = {name: VISCOUS[name] for name in ("poses", "velocities", "d_t", "d_r")}


def variation_reference(poses, d_t, d_r, delta):
    """Return the change of (f_A, tau_A, f_B, tau_B) for a velocity change ``delta`` in world axes."""
    # The damping forces are linear in the velocities, so that the start is arbitrary.
    initial_velocities = np.arange(12.0).reshape(4, 3) / 10
    return derivative(lambda t: forces(poses, initial_velocities + t * delta, d_t=d_t, d_r=d_r)).value


def variation_library(poses, d_t, d_r, delta):
    D = library_forces(poses, ZERO_VELOCITIES, d_t=d_t, d_r=d_r).D
    return (D @ to_body(poses[:2, :3, :3], delta).ravel()).reshape(4, 3)


def body_components(poses, delta):
    return to_body(poses[:2, :3, :3], delta)


def force_A_library(poses, d_t, d_r, delta):
    return variation_library(poses, d_t, d_r, delta)[0]


def force_A_reference(poses, d_t, d_r, delta):
    """Compare with differences in the velocities of damping forces computed in the world frame."""
    return variation_reference(poses, d_t, d_r, delta)[0]


def torque_A_library(poses, d_t, d_r, delta):
    return variation_library(poses, d_t, d_r, delta)[1]


def torque_A_reference(poses, d_t, d_r, delta):
    """Compare with differences in the velocities of damping forces computed in the world frame."""
    return variation_reference(poses, d_t, d_r, delta)[1]


def velocity_jacobian_reference(poses, velocities, d_t, d_r):
    """Compare with differences in the velocities of damping forces computed in the world frame."""
    poses_12 = np.tile(poses, (12, 1, 1, 1))
    R = poses_12[:, :2, :3, :3]
    initial_velocities = to_body(poses[:2, :3, :3], velocities)

    def force(t):
        return to_body(
            R, world_forces(poses_12, to_world(R, initial_velocities + t * UNIT_VARIATIONS), d_t=d_t, d_r=d_r)
        )

    return derivative(force).value.reshape(12, 12).T


@section.holds("e0.54#a", "Variation of the damping force on A with the velocities")
class e0_54_a:
    formula = r"\delta\mathbf f_{Ad}=d_t\mathbf R_{AW}^T(\delta\mathbf v_B-{}^W\mathbf p_2\times\delta\boldsymbol\omega_B-\delta\mathbf v_A+{}^W\mathbf p_1\times\delta\boldsymbol\omega_A)"
    inputs = VARIATION
    result = Result(FORCE, "on A, along its axes")

    def printed(poses, d_t, d_r, delta):
        n = frame_spring_quantities(poses)
        dv_A, domega_A, dv_B, domega_B = delta
        p_1, p_2 = n.R_AW @ n.p_1, n.R_BW @ n.p_2
        return d_t * n.R_AW.T @ (dv_B - np.cross(p_2, domega_B) - dv_A + np.cross(p_1, domega_A))

    library = force_A_library
    reference = force_A_reference
    primitives = TO_BODY
    implements = frame_spring_forces


@section.holds("e0.54#b", "The same in the axes of the bodies")
class e0_54_b:
    formula = r"d_t\mathbf R_{BA}(\delta\,{}^B\mathbf v_B-[\mathbf p_2]\delta\,{}^B\boldsymbol\omega_B)-d_t(\delta\,{}^A\mathbf v_A-[\mathbf p_1]\delta\,{}^A\boldsymbol\omega_A)"
    inputs = VARIATION
    result = Result(FORCE, "on A, along its axes")

    def printed(poses, d_t, d_r, delta):
        n = frame_spring_quantities(poses)
        dv_A, domega_A, dv_B, domega_B = body_components(poses, delta)
        p_1, p_2 = bracket(n.p_1), bracket(n.p_2)
        return d_t * n.R_BA @ (dv_B - p_2 @ domega_B) - d_t * (dv_A - p_1 @ domega_A)

    library = force_A_library
    reference = force_A_reference
    primitives = TO_BODY
    implements = frame_spring_forces


@section.holds("e0.55#a", "Variation of the damping torque on A with the velocities")
class e0_55_a:
    formula = r"\delta\boldsymbol\tau_{Ad}=d_r\mathbf R_{AW}^T(\delta\boldsymbol\omega_B-\delta\boldsymbol\omega_A)+\mathbf p_1\times\delta\mathbf f_{Ad}"
    inputs = VARIATION
    result = Result(TORQUE, "on A, along its axes")

    def printed(poses, d_t, d_r, delta):
        n = frame_spring_quantities(poses)
        _, domega_A, _, domega_B = delta
        df_Ad = variation_library(poses, d_t, d_r, delta)[0]
        return d_r * n.R_AW.T @ (domega_B - domega_A) + np.cross(n.p_1, df_Ad)

    library = torque_A_library
    reference = torque_A_reference
    primitives = TO_BODY
    implements = frame_spring_forces


@section.holds("e0.55#b", "The same in the axes of the bodies")
class e0_55_b:
    formula = r"d_r\mathbf R_{BA}{}^B\delta\boldsymbol\omega_B-d_r\,\delta\,{}^A\boldsymbol\omega_A+\mathbf p_1\times\delta\mathbf f_{Ad}"
    inputs = VARIATION
    result = Result(TORQUE, "on A, along its axes")

    def printed(poses, d_t, d_r, delta):
        n = frame_spring_quantities(poses)
        _, domega_A, _, domega_B = body_components(poses, delta)
        df_Ad = variation_library(poses, d_t, d_r, delta)[0]
        return d_r * n.R_BA @ domega_B - d_r * domega_A + np.cross(n.p_1, df_Ad)

    library = torque_A_library
    reference = torque_A_reference
    primitives = TO_BODY
    implements = frame_spring_forces


@section.holds("e0.56", "Variation of the damping force on B with the velocities")
class e0_56:
    formula = r"\delta\mathbf f_{Bd}=-d_t(\delta\,{}^B\mathbf v_B-[\mathbf p_2]\delta\,{}^B\boldsymbol\omega_B)+d_t\mathbf R_{AB}(\delta\,{}^A\mathbf v_A-[\mathbf p_1]\delta\,{}^A\boldsymbol\omega_A)"
    inputs = VARIATION
    result = Result(FORCE, "on B, along its axes")

    def printed(poses, d_t, d_r, delta):
        n = frame_spring_quantities(poses)
        dv_A, domega_A, dv_B, domega_B = body_components(poses, delta)
        p_1, p_2 = bracket(n.p_1), bracket(n.p_2)
        return -d_t * (dv_B - p_2 @ domega_B) + d_t * n.R_AB @ (dv_A - p_1 @ domega_A)

    def library(poses, d_t, d_r, delta):
        return variation_library(poses, d_t, d_r, delta)[2]

    def reference(poses, d_t, d_r, delta):
        """Compare with differences in the velocities of damping forces computed in the world frame."""
        return variation_reference(poses, d_t, d_r, delta)[2]

    primitives = TO_BODY
    implements = frame_spring_forces


@section.erratum("e0.57", "Variation of the damping torque on B with the velocities")
class e0_57:
    formula = r"\delta\boldsymbol\tau_{Bd}=-d_r\,{}^B\delta\boldsymbol\omega_B-d_r\mathbf R_{AB}\,\delta\,{}^A\boldsymbol\omega_A+\mathbf p_2\times\delta\mathbf f_{Bd}"
    edit = (r"-d_r\mathbf R_{AB}", r"+d_r\mathbf R_{AB}")
    inputs = VARIATION
    result = Result(TORQUE, "on B, along its axes")

    def printed(poses, d_t, d_r, delta):
        n = frame_spring_quantities(poses)
        _, domega_A, _, domega_B = body_components(poses, delta)
        df_Bd = variation_library(poses, d_t, d_r, delta)[2]
        return -d_r * domega_B - d_r * n.R_AB @ domega_A + np.cross(n.p_2, df_Bd)

    def library(poses, d_t, d_r, delta):
        return variation_library(poses, d_t, d_r, delta)[3]

    def reference(poses, d_t, d_r, delta):
        """Compare with differences in the velocities of damping forces computed in the world frame."""
        return variation_reference(poses, d_t, d_r, delta)[3]

    primitives = TO_BODY
    correction = (
        r"$-d_r\,{}^B\delta\boldsymbol\omega_B+d_r\mathbf "
        r"R_{AB}\,\delta\,{}^A\boldsymbol\omega_A+\mathbf p_2\times\delta\mathbf f_{Bd}$, because "
        "the damper acts on the difference of the angular velocities. The sign in the assembled "
        "matrix is correct."
    )
    implements = frame_spring_forces


@section.holds("t1200", "Displays that make up the velocity Jacobian")
class t1200:
    formula = r"\text{Assembling (0.54), (0.55), (0.56) and (0.57) yields the velocity Jacobian }\mathbf J_v"
    inputs = DAMPED_MOTION
    result = Result(
        matrix_quantity(LINEAR_FIRST_WRENCH, LINEAR_FIRST_TWIST),
        (
            "of A, then of B, linear before angular, along the axes of each body: rows of forces, columns"
            " of motions"
        ),
    )

    def printed(poses, velocities, d_t, d_r):
        """Return the coefficients of the velocity variations in those displays, with (0.57) corrected."""
        n = frame_spring_quantities(poses)
        p_1, p_2, zero = bracket(n.p_1), bracket(n.p_2), np.zeros((3, 3))
        f_A = np.hstack([-d_t * IDENTITY, d_t * p_1, d_t * n.R_BA, -d_t * n.R_BA @ p_2])
        f_B = np.hstack([d_t * n.R_AB, -d_t * n.R_AB @ p_1, -d_t * IDENTITY, d_t * p_2])
        on_A = np.hstack([zero, -d_r * IDENTITY, zero, d_r * n.R_BA])
        on_B = np.hstack([zero, d_r * n.R_AB, zero, -d_r * IDENTITY])
        return np.vstack([f_A, on_A + p_1 @ f_A, f_B, on_B + p_2 @ f_B])

    def library(poses, velocities, d_t, d_r):
        return library_forces(poses, velocities, d_t=d_t, d_r=d_r).D

    reference = velocity_jacobian_reference
    primitives = CHANGES_OF_AXES
    remark = (
        "The sentence is correct if the sign in (0.57) is corrected. The next matrix has the "
        "correct sign; it does not follow from (0.57) as printed."
    )
    implements = frame_spring_forces


@section.definition("d1", "Variations and forces related by the velocity Jacobian")
class d1:
    formula = r"\mathbf J_v\equiv\frac{\partial(\mathbf f_A,\boldsymbol\tau_A,\mathbf f_B,\boldsymbol\tau_B)}{\partial(\mathbf v_A,\boldsymbol\omega_A,\mathbf v_B,\boldsymbol\omega_B)}"
    defines = (r"\mathbf J_v",)
    remark = "Linear parts come first here; the library stacks angular parts first."
    implements = frame_spring_forces


@section.holds("d2", "The velocity Jacobian in body coordinates")
class d2:
    formula = r"\mathbf J_v=\begin{pmatrix}-d_t\mathbf I&d_t[\mathbf p_1]&d_t\mathbf R_{BA}&-d_t\mathbf R_{BA}[\mathbf p_2]\\-d_t[\mathbf p_1]&-d_r\mathbf I+d_t[\mathbf p_1][\mathbf p_1]&d_t[\mathbf p_1]\mathbf R_{BA}&d_r\mathbf R_{BA}-d_t[\mathbf p_1]\mathbf R_{BA}[\mathbf p_2]\\d_t\mathbf R_{AB}&-d_t\mathbf R_{AB}[\mathbf p_1]&-d_t\mathbf I&d_t[\mathbf p_2]\\d_t[\mathbf p_2]\mathbf R_{AB}&d_r\mathbf R_{AB}-d_t[\mathbf p_2]\mathbf R_{AB}[\mathbf p_1]&-d_t[\mathbf p_2]&-d_r\mathbf I+d_t[\mathbf p_2][\mathbf p_2]\end{pmatrix}"
    inputs = DAMPED_MOTION
    result = Result(
        matrix_quantity(LINEAR_FIRST_WRENCH, LINEAR_FIRST_TWIST),
        (
            "of A, then of B, linear before angular, along the axes of each body: rows of forces, columns"
            " of motions"
        ),
    )

    def printed(poses, velocities, d_t, d_r):
        n = frame_spring_quantities(poses)
        p_1, p_2 = bracket(n.p_1), bracket(n.p_2)
        return np.block(
            [
                [-d_t * IDENTITY, d_t * p_1, d_t * n.R_BA, -d_t * n.R_BA @ p_2],
                [
                    -d_t * p_1,
                    -d_r * IDENTITY + d_t * p_1 @ p_1,
                    d_t * p_1 @ n.R_BA,
                    d_r * n.R_BA - d_t * p_1 @ n.R_BA @ p_2,
                ],
                [d_t * n.R_AB, -d_t * n.R_AB @ p_1, -d_t * IDENTITY, d_t * p_2],
                [
                    d_t * p_2 @ n.R_AB,
                    d_r * n.R_AB - d_t * p_2 @ n.R_AB @ p_1,
                    -d_t * p_2,
                    -d_r * IDENTITY + d_t * p_2 @ p_2,
                ],
            ]
        )

    def library(poses, velocities, d_t, d_r):
        return library_forces(poses, velocities, d_t=d_t, d_r=d_r).D

    reference = velocity_jacobian_reference
    primitives = CHANGES_OF_AXES
    remark = "The matrix is symmetric, and its sign is correct where (0.57) is wrong."
    implements = frame_spring_forces
