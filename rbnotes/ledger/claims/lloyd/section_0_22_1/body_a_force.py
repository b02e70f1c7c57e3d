"""Lloyd 0.22.1: the position Jacobian of a frame spring, variation by variation (body B has a module of its own).

Each variation is compared with differences of the respective quantity, along motions of both bodies
at constant velocities in world components. Arguments and rows are ordered as in
:mod:`rbnotes.ledger.claims.lloyd.section_0_22`.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from rbnotes import se3
from rbnotes.forces import frame_spring_forces
from rbnotes.forces.body_forces import directional_force
from rbnotes.inertia import LINEAR_FIRST
from rbnotes.ledger.claims.lloyd.section_0_22 import (
    CHANGES_OF_AXES,
    ELASTIC,
    MOTIONS_AND_AXES,
    PAIRS,
    POSES,
    TO_BODY,
    VELOCITIES,
    VISCOUS,
    library_forces,
)
from rbnotes.ledger.claims.lloyd.section_0_22_1 import section
from rbnotes.ledger.claims.lloyd.section_0_22_1.rotation_vector import U_printed
from rbnotes.ledger.oracles.frame_springs import (
    ZERO_VELOCITIES,
    axial,
    force_variations,
    forces,
    frame_1_as_body_A,
    frame_spring_quantities,
    origins,
    pose_derivative,
    to_body,
)
from rbnotes.ledger.quantities import FORCE, LENGTH, NUMBER, stacked_quantity
from rbnotes.ledger.record import Argument, Result
from rbnotes.testing import derivative
from rbnotes.testing.strategies import positive_numbers, vectors

DELTA = {"delta": VELOCITIES}
ELASTIC_VARIATION = {**ELASTIC, **DELTA}
VISCOUS_VARIATION = {**VISCOUS, **DELTA}
IDENTITY = np.eye(3)


def variation(poses, velocities, delta, **stiffness):
    """Return the change of (f_A, tau_A, f_B, tau_B) along one variation of the poses."""
    return force_variations(poses, velocities, delta[None], **stiffness)[0]


def library_variation(poses, velocities, delta, **stiffness):
    return (library_forces(poses, velocities, **stiffness).K @ delta.ravel()).reshape(4, 3)


def U_of(poses):
    n = frame_spring_quantities(poses)
    return U_printed(n.phi * n.u)


WHOLE = {"poses": POSES, "velocities": VELOCITIES, "k_t": positive_numbers(), "k_r": positive_numbers(),
         "d_t": positive_numbers(), "d_r": positive_numbers()}  # fmt: skip


@section.holds("d1", "Variation of the frame origins with the poses of the bodies")
class d1:
    formula = r"\delta\mathbf x_1={}^W\delta\mathbf x_A-{}^W\mathbf p_1\times\delta\,{}^W\boldsymbol\theta_A,\quad\delta\mathbf x_2={}^W\delta\mathbf x_B-{}^W\mathbf p_2\times\delta\,{}^W\boldsymbol\theta_B"
    inputs = {**PAIRS, **DELTA}
    arguments = {
        "delta": Argument(
            stacked_quantity(LENGTH, NUMBER),
            "small motions of A, then of B (translation, rotation), along the axes of the world",
        )
    }
    result = Result(LENGTH, "of frame 1, then of frame 2, along the axes of the world")

    def printed(poses, delta):
        n = frame_spring_quantities(poses)
        dx_A, dtheta_A, dx_B, dtheta_B = delta
        dx_1 = dx_A - np.cross(n.R_AW @ n.p_1, dtheta_A)
        dx_2 = dx_B - np.cross(n.R_BW @ n.p_2, dtheta_B)
        return np.array([dx_1, dx_2])

    def library(poses, delta):
        increments = to_body(poses[:2, :3, :3], delta).reshape(2, 6)[:, LINEAR_FIRST]
        return se3.point_velocity(poses[:2], poses[2:, :3, 3], increments)

    def reference(poses, delta):
        """Compare with differences in time along motions of the two bodies."""
        return pose_derivative(origins, poses, delta[None], axes="world")[0]

    implements = se3.point_velocity


@section.holds("t1056#a", "Force on frame 1 when only that frame rotates")
class t1056_a:
    formula = r"\delta\mathbf f_{1k}=\mathbf f_{1k}\times\delta\,{}^1\boldsymbol\theta_A"
    inputs = {**ELASTIC, "delta_theta": vectors()}
    result = Result(FORCE, "on frame 1, along its axes")

    def printed(poses, k_t, k_r, delta_theta):
        n = frame_spring_quantities(poses)
        f_1k = k_t * n.R_1W.T @ (n.x_2 - n.x_1)
        return np.cross(f_1k, delta_theta)

    def library(poses, k_t, k_r, delta_theta):
        spring = frame_1_as_body_A(poses)
        force = library_forces(spring, ZERO_VELOCITIES, k_t, k_r)
        # The origins do not move, so that only frame 1 rotates relative to the force.
        return force.K[:3, 3:6] @ delta_theta

    def reference(poses, k_t, k_r, delta_theta):
        """Compare with differences, along motions of both bodies, of forces computed in the world frame."""
        delta = np.array([0 * delta_theta, delta_theta, 0 * delta_theta, 0 * delta_theta])
        return variation(frame_1_as_body_A(poses), ZERO_VELOCITIES, delta, k_t=k_t, k_r=k_r)[0]

    primitives = (
        "rbnotes.ledger.oracles.frame_springs.frame_1_as_body_A",
        "rbnotes.ledger.oracles.frame_springs.to_body",
        "rbnotes.ledger.oracles.frame_springs.to_world",
    )
    implements = frame_spring_forces


@section.misprint("t1056#b", "Force on A when only that frame rotates")
class t1056_b:
    formula = r"{}^A\mathbf f_{1k}\times\boldsymbol\theta_A"
    inputs = {**ELASTIC, "delta_theta": vectors()}
    result = Result(FORCE, "on A, along its axes")

    def printed(poses, k_t, k_r, delta_theta):
        n = frame_spring_quantities(poses)
        theta_A = Rotation.from_matrix(n.R_AW).as_rotvec()
        A_f_1k = n.R_1A @ (k_t * n.R_1W.T @ (n.x_2 - n.x_1))
        return np.cross(A_f_1k, theta_A)

    def library(poses, k_t, k_r, delta_theta):
        force = poses[0, :3, :3] @ library_forces(poses, ZERO_VELOCITIES, k_t, k_r).w[0]
        return directional_force(1.0, force, poses[0], poses[2, :3, 3]).K[3:, :3] @ delta_theta

    def reference(poses, k_t, k_r, delta_theta):
        """Compare with differences of the components in A of a constant world force while A rotates."""
        # The axes of A rotate relative to a force that is constant in the world.
        force = poses[0, :3, :3] @ forces(poses, ZERO_VELOCITIES, k_t=k_t, k_r=k_r)[0]
        return derivative(
            lambda t: (poses[0, :3, :3] @ Rotation.from_rotvec(t * delta_theta).as_matrix()).T @ force
        ).value

    primitives = TO_BODY
    correction = r"${}^A\mathbf f_{1k}\times\delta\boldsymbol\theta_A$, with the $\delta$."
    replacement = r"With respect to A, this variation is described by ${}^A\mathbf f_{1k}\times\delta\boldsymbol\theta_A$, where ${}^A\mathbf f_{1k} \equiv \mathbf R_{1A}\mathbf f_{1k}$."
    implements = directional_force


@section.holds("e0.43#a", "Variation of the elastic force on A")
class e0_43_a:
    formula = r"\delta\mathbf f_{Ak}=k_t\mathbf R_{AW}^T(\delta\mathbf x_2-\delta\mathbf x_1)+{}^A\mathbf f_{1k}\times\delta\boldsymbol\theta_A"
    inputs = ELASTIC_VARIATION
    result = Result(FORCE, "on A, along its axes")

    def printed(poses, k_t, k_r, delta):
        n = frame_spring_quantities(poses)
        dx_1, dx_2 = pose_derivative(origins, poses, delta[None])[0]
        dtheta_A = delta[1]
        A_f_1k = n.R_1A @ (k_t * n.R_1W.T @ (n.x_2 - n.x_1))
        return k_t * n.R_AW.T @ (dx_2 - dx_1) + np.cross(A_f_1k, dtheta_A)

    def library(poses, k_t, k_r, delta):
        return library_variation(poses, ZERO_VELOCITIES, delta, k_t=k_t, k_r=k_r)[0]

    def reference(poses, k_t, k_r, delta):
        """Compare with differences, along motions of both bodies, of forces computed in the world frame."""
        return variation(poses, ZERO_VELOCITIES, delta, k_t=k_t, k_r=k_r)[0]

    primitives = MOTIONS_AND_AXES
    implements = frame_spring_forces


@section.erratum("e0.43#b", "Variation of the elastic force on A, in variations of the bodies")
class e0_43_b:
    formula = r"k_t(-\delta\mathbf x_A+\mathbf p_1\times\boldsymbol\omega_A+\mathbf R_{BA}\delta\mathbf x_B-\mathbf R_{BA}\mathbf p_2\times\boldsymbol\omega_B)+{}^A\mathbf f_{1k}\times\delta\boldsymbol\theta_A"
    edits = (
        (r"\boldsymbol\omega_A", r"\delta\boldsymbol\theta_A"),
        (r"\boldsymbol\omega_B", r"\delta\boldsymbol\theta_B"),
    )
    inputs = {
        "poses": POSES,
        "velocities": VELOCITIES,
        "k_t": positive_numbers(),
        "k_r": positive_numbers(),
        **DELTA,
    }
    result = Result(FORCE, "on A, along its axes")

    def printed(poses, velocities, k_t, k_r, delta):
        n = frame_spring_quantities(poses)
        omega_A, omega_B = to_body(poses[:2, :3, :3], velocities)[[1, 3]]
        dx_A, dtheta_A, dx_B, _ = delta
        A_f_1k = n.R_1A @ (k_t * n.R_1W.T @ (n.x_2 - n.x_1))
        moves = -dx_A + np.cross(n.p_1, omega_A) + n.R_BA @ dx_B - n.R_BA @ np.cross(n.p_2, omega_B)
        return k_t * moves + np.cross(A_f_1k, dtheta_A)

    def library(poses, velocities, k_t, k_r, delta):
        return library_variation(poses, velocities, delta, k_t=k_t, k_r=k_r)[0]

    def reference(poses, velocities, k_t, k_r, delta):
        """Compare with differences, along motions of both bodies, of forces computed in the world frame."""
        return variation(poses, velocities, delta, k_t=k_t, k_r=k_r)[0]

    primitives = CHANGES_OF_AXES
    correction = (
        r"$\delta\boldsymbol\theta_A$ and $\delta\boldsymbol\theta_B$ in place of the angular "
        r"velocities $\boldsymbol\omega_A$ and $\boldsymbol\omega_B$ (which 0.22 defines, so that "
        "code with them runs). The assembled matrix is correct."
    )
    units_mismatch = "the printed factor is an angular velocity, not a small rotation"
    remark = r"Read $\mathbf R_{BA}\mathbf p_2\times\cdot$ as $\mathbf R_{BA}(\mathbf p_2\times\cdot)$."
    no_simulation = "It is a variation in a derivation, not a quantity that a time step uses."
    implements = frame_spring_forces


@section.holds("t1050", "Variations in world axes")
class t1050:
    formula = r"{}^W\delta\mathbf x_A=\mathbf R_{AW}\delta\mathbf x_A,\quad{}^W\delta\boldsymbol\theta_A=\mathbf R_{AW}\delta\boldsymbol\theta_A"
    inputs = {**PAIRS, **DELTA}
    result = Result(
        stacked_quantity(LENGTH, NUMBER), "of A (translation, rotation), along the axes of the world"
    )

    def printed(poses, delta):
        n = frame_spring_quantities(poses)
        return np.array([n.R_AW @ delta[0], n.R_AW @ delta[1]])

    def library(poses, delta):
        rotation_pose = np.eye(4)
        rotation_pose[:3, :3] = poses[0, :3, :3]
        twist = se3.Ad(rotation_pose) @ np.concatenate([delta[1], delta[0]])
        return np.array([twist[3:], twist[:3]])

    def reference(poses, delta):
        """Compare with differences of the pose of A under translation and rotation along its axes."""
        rate = pose_derivative(lambda varied_poses: varied_poses[:, 0], poses, delta[None])[0]
        return np.array([rate[:3, 3], axial(rate[:3, :3] @ poses[0, :3, :3].T)])

    implements = se3.Ad
