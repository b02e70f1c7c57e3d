"""Lloyd 0.22.1: variation of the damping force of a frame spring on body A with the poses."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from rbnotes import se3
from rbnotes.forces import at_constant_world_velocity, frame_spring_forces
from rbnotes.inertia import LINEAR_FIRST
from rbnotes.ledger.claims.lloyd.section_0_22 import CHANGES_OF_AXES, POSES, VELOCITIES, library_forces
from rbnotes.ledger.claims.lloyd.section_0_22_1 import section
from rbnotes.ledger.claims.lloyd.section_0_22_1.body_a_force import (
    VISCOUS_VARIATION,
    library_variation,
    variation,
)
from rbnotes.ledger.oracles.bodies import bracket
from rbnotes.ledger.oracles.frame_springs import frame_spring_quantities, origin_velocities, to_body
from rbnotes.ledger.quantities import FORCE, LENGTH, VELOCITY
from rbnotes.ledger.record import Result
from rbnotes.testing import derivative
from rbnotes.testing.strategies import rotations, vectors


def arm_variation_printed(R, p, delta_theta):
    return -R @ bracket(p) @ delta_theta


def arm_variation_library(R, p, delta_theta):
    return R @ se3.Gamma(p)[:, :3] @ delta_theta


def arm_variation_reference(R, p, delta_theta):
    """Compare with differences of R p while R rotates about a body axis."""
    return derivative(lambda t: R @ Rotation.from_rotvec(t * delta_theta).as_matrix() @ p).value


def damping_force_A_library(poses, velocities, d_t, d_r, delta):
    return library_variation(poses, velocities, delta, d_t=d_t, d_r=d_r)[0]


def damping_force_A_reference(poses, velocities, d_t, d_r, delta):
    """Compare with differences, along motions of both bodies, of forces computed in the world frame."""
    return variation(poses, velocities, delta, d_t=d_t, d_r=d_r)[0]


@section.holds("d2", "Velocity of the origin of frame 1")
class d2:
    formula = r"\dot{\mathbf x}_1={}^W\mathbf v_A+{}^W\boldsymbol\omega_A\times{}^W\mathbf p_1"
    inputs = {"poses": POSES, "velocities": VELOCITIES}
    result = Result(VELOCITY, "along the axes of the world")

    def printed(poses, velocities):
        n = frame_spring_quantities(poses)
        v_A, omega_A = velocities[:2]
        return v_A + np.cross(omega_A, n.R_AW @ n.p_1)

    def library(poses, velocities):
        phi = to_body(poses[:2, :3, :3], velocities).reshape(2, 6)[:, LINEAR_FIRST]
        return se3.point_velocity(poses[0], poses[2, :3, 3], phi[0])

    def reference(poses, velocities):
        """Compare with differences in time along motions of the two bodies."""
        return origin_velocities(poses, velocities)[0]

    implements = se3.point_velocity


@section.holds("d3#a", "Variation of the arm with the rotation of A")
class d3_a:
    formula = r"{}^W\delta\mathbf p_1=\delta\mathbf R_{AW}\,\mathbf p_1=\mathbf R_{AW}[\delta\boldsymbol\theta_A]\mathbf p_1"
    inputs = {"R_AW": rotations(), "p_1": vectors(), "delta_theta": vectors()}
    result = Result(LENGTH, "along the axes of the world")

    def printed(R, p, delta_theta):
        return R @ bracket(delta_theta) @ p

    library = arm_variation_library
    reference = arm_variation_reference
    implements = se3.Gamma


@section.holds("d3#b", "Variation of the arm with the rotation of A, as a matrix")
class d3_b:
    formula = r"{}^W\delta\mathbf p_1=-\mathbf R_{AW}[\mathbf p_1]\delta\boldsymbol\theta_A"
    inputs = {"R_AW": rotations(), "p_1": vectors(), "delta_theta": vectors()}
    result = Result(LENGTH, "along the axes of the world")
    printed = arm_variation_printed
    library = arm_variation_library
    reference = arm_variation_reference
    implements = se3.Gamma


@section.holds("d4", "Velocity of the origin of frame 2")
class d4:
    formula = r"\dot{\mathbf x}_2={}^W\mathbf v_B+{}^W\boldsymbol\omega_B\times{}^W\mathbf p_2"
    inputs = {"poses": POSES, "velocities": VELOCITIES}
    result = Result(VELOCITY, "along the axes of the world")

    def printed(poses, velocities):
        n = frame_spring_quantities(poses)
        v_B, omega_B = velocities[2:]
        return v_B + np.cross(omega_B, n.R_BW @ n.p_2)

    def library(poses, velocities):
        phi = to_body(poses[:2, :3, :3], velocities).reshape(2, 6)[:, LINEAR_FIRST]
        return se3.point_velocity(poses[1], poses[3, :3, 3], phi[1])

    def reference(poses, velocities):
        """Compare with differences in time along motions of the two bodies."""
        return origin_velocities(poses, velocities)[1]

    implements = se3.point_velocity


@section.holds("d5", "Variation of the arm with the rotation of B")
class d5:
    formula = r"{}^W\delta\mathbf p_2=-\mathbf R_{BW}[\mathbf p_2]\delta\boldsymbol\theta_B"
    inputs = {"R_BW": rotations(), "p_2": vectors(), "delta_theta": vectors()}
    result = Result(LENGTH, "along the axes of the world")
    printed = arm_variation_printed
    library = arm_variation_library
    reference = arm_variation_reference
    implements = se3.Gamma


@section.erratum("e0.44#a", "Variation of the damping force on A")
class e0_44_a:
    formula = r"\delta\mathbf f_{Ad}=d_t\mathbf R_{AW}^T(-\boldsymbol\omega_B\times(\mathbf R_{BW}[\mathbf p_2]\delta\boldsymbol\theta_B)+\boldsymbol\omega_A\times(\mathbf R_{AW}[\mathbf p_1]\delta\boldsymbol\theta_A))+\mathbf f_{Ad}\times\delta\boldsymbol\omega_A"
    edit = (r"\times\delta\boldsymbol\omega_A", r"\times\delta\boldsymbol\theta_A")
    inputs = VISCOUS_VARIATION
    result = Result(FORCE, "on A, along its axes")

    def printed(poses, velocities, d_t, d_r, delta):
        n = frame_spring_quantities(poses)
        omega_A, omega_B = velocities[1], velocities[3]
        dtheta_A, dtheta_B = delta[1], delta[3]
        domega_A = np.zeros(3)  # the velocities are constant
        f_Ad = library_forces(poses, velocities, d_t=d_t, d_r=d_r).w[0]
        first = -np.cross(omega_B, n.R_BW @ bracket(n.p_2) @ dtheta_B)
        second = np.cross(omega_A, n.R_AW @ bracket(n.p_1) @ dtheta_A)
        return d_t * n.R_AW.T @ (first + second) + np.cross(f_Ad, domega_A)

    library = damping_force_A_library
    reference = damping_force_A_reference
    primitives = CHANGES_OF_AXES
    correction = r"The last term is $\mathbf f_{Ad}\times\delta\boldsymbol\theta_A$."
    remark = (
        r"$\delta\boldsymbol\omega_A$ is the variation of the angular velocity, with respect to "
        "which section 0.22.2 differentiates. It is zero here, because the velocities are "
        "constant in the world. Code with the printed term puts the rotation of the force into "
        r"the wrong Jacobian. (0.43) has a similar error: $\boldsymbol\omega$ in place of "
        r"$\delta\boldsymbol\theta$."
    )
    effect = (
        "The motion is the same, but Newton's method converges more slowly: for a body of 1 kg on a "
        "damper of 100 N s/m and a step of 10 ms it takes 7 iterations instead of 3."
    )
    implements = (frame_spring_forces, at_constant_world_velocity)


@section.erratum("e0.44#b", "Variation of the damping force on A, in body axes")
class e0_44_b:
    formula = r"-d_t\mathbf R_{BA}[{}^B\boldsymbol\omega_B][\mathbf p_2]\delta\boldsymbol\theta_B+d_t[{}^A\boldsymbol\omega_A][\mathbf p_1]\delta\boldsymbol\theta_A+\mathbf f_{Ad}\times\delta\boldsymbol\omega_A"
    edit = (r"\times\delta\boldsymbol\omega_A", r"\times\delta\boldsymbol\theta_A")
    inputs = VISCOUS_VARIATION
    result = Result(FORCE, "on A, along its axes")

    def printed(poses, velocities, d_t, d_r, delta):
        n = frame_spring_quantities(poses)
        omega_A, omega_B = to_body(poses[:2, :3, :3], velocities)[[1, 3]]
        dtheta_A, dtheta_B = delta[1], delta[3]
        domega_A = np.zeros(3)  # the velocities are constant
        f_Ad = library_forces(poses, velocities, d_t=d_t, d_r=d_r).w[0]
        return (
            -d_t * n.R_BA @ bracket(omega_B) @ bracket(n.p_2) @ dtheta_B
            + d_t * bracket(omega_A) @ bracket(n.p_1) @ dtheta_A
            + np.cross(f_Ad, domega_A)
        )

    library = damping_force_A_library
    reference = damping_force_A_reference
    primitives = CHANGES_OF_AXES
    correction = r"The last term is $\mathbf f_{Ad}\times\delta\boldsymbol\theta_A$."
    implements = (frame_spring_forces, at_constant_world_velocity)
