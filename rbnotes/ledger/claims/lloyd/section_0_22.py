"""Lloyd 0.22: the forces of a frame spring, and helpers of the records of 0.22.1-0.22.3.

The oracle does not use the section's formulas: the forces are gradients of a potential of the distance and the
angle between two frames, or of a dissipation function of their relative velocities; their Jacobians are
differences of forces that are computed in the world and then transformed to the bodies.

Lloyd stacks linear before angular parts, and so do all arguments and results here: velocities and variations
are rows (linear A, angular A, linear B, angular B).
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from rbnotes import se3
from rbnotes.arguments import Array
from rbnotes.forces import FrameSpring, frame_spring_forces
from rbnotes.forces.frame_spring import frame_displacement
from rbnotes.forces.world_axes import at_constant_world_velocity, rotate_to_world
from rbnotes.forces.wrenches import BodyForces
from rbnotes.inertia import LINEAR_FIRST
from rbnotes.ledger.oracles.frame_springs import (
    ZERO_VELOCITIES,
    axial,
    body_twists,
    elastic_forces,
    frame_spring_quantities,
    frames_as_bodies,
    orientations,
    origin_velocities,
    pose_derivative,
    to_body,
    viscous_forces,
)
from rbnotes.ledger.quantities import (
    ANGULAR_MOMENTUM,
    DAMPING,
    FORCE,
    NUMBER,
    POSE,
    RATE,
    STIFFNESS,
    TORQUE,
    VELOCITY,
    stacked_quantity,
)
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.se3 import frame
from rbnotes.testing.strategies import align_rotations, arrays, positive_numbers, round_numbers

section = Section(
    "lloyd/s0.22",
    chapter="frame-springs",
    arguments={
        "poses": Argument(POSE, "of the bodies A and B in the world, of frame 1 in A, of frame 2 in B"),
        "k_t": Argument(STIFFNESS),
        "k_r": Argument(TORQUE),
        "velocities": Argument(
            stacked_quantity(VELOCITY, RATE),
            "linear and angular of A, then of B, along the axes of the world",
        ),
        "d_t": Argument(DAMPING),
        "d_r": Argument(ANGULAR_MOMENTUM),
    },
)


TO_BODY = ("rbnotes.ledger.oracles.frame_springs.to_body",)
CHANGES_OF_AXES = (
    "rbnotes.ledger.oracles.frame_springs.to_body",
    "rbnotes.ledger.oracles.frame_springs.to_world",
)
MOTIONS_AND_AXES = (
    "rbnotes.ledger.oracles.frame_springs.vary_poses",
    "rbnotes.ledger.oracles.frame_springs.to_body",
    "rbnotes.ledger.oracles.frame_springs.to_world",
)
MOTIONS_IN_THE_WORLD = (
    "rbnotes.ledger.oracles.frame_springs.vary_poses",
    "rbnotes.ledger.oracles.frame_springs.to_world",
)
LLOYD_ORDER = np.concatenate([LINEAR_FIRST, 6 + LINEAR_FIRST])


def _poses(entries: Array) -> Array:
    """Return the poses of A and B in the world, of 1 in A and of 2 in B.

    The rotation of frame 2 relative to frame 1 is at most 2.8.
    """
    rotation_vectors, origins = entries.reshape(2, 4, 3)
    frames = np.zeros((4, 4, 4))
    rotations = Rotation.from_rotvec(rotation_vectors * [[1], [1], [1], [0.8]]).as_matrix()
    frames[:, :3, :3] = align_rotations(rotations)  # products of two decimals would have four
    frames[:, :3, 3], frames[:, 3, 3] = origins, 1
    E_A, X_1, X_2, relative_pose = frames
    E_B = _rigid(E_A @ X_1 @ relative_pose @ np.linalg.inv(X_2))
    E_B[:3, 3] = round_numbers(E_B[:3, 3])
    return np.array([E_A, E_B, X_1, X_2])


def _rigid(E: Array) -> Array:
    E[3] = 0, 0, 0, 1
    return E


def _frames_differ(entries: Array) -> bool:
    relative_rotation = align_rotations(Rotation.from_rotvec(0.8 * entries[9:12]).as_matrix())
    return bool(np.linalg.norm(entries[9:12]) >= 0.5 and -1 < np.trace(relative_rotation) < 2.9)


def _common_axis_poses(entries: Array) -> Array:
    """Return poses whose frames on the bodies are rotated about the axis of the relative rotation."""
    rotation_vectors = entries[:12].reshape(4, 3)
    axis = rotation_vectors[3] / np.linalg.norm(rotation_vectors[3])
    common_axis_rotations = np.vstack(
        [
            rotation_vectors[0],
            rotation_vectors[1, 0] * axis,
            rotation_vectors[2, 0] * axis,
            rotation_vectors[3],
        ]
    )
    return _poses(np.concatenate([common_axis_rotations.ravel(), entries[12:]]))


POSES = arrays(24).filter(_frames_differ).map(_poses)
COMMON_AXIS_POSES = arrays(24).filter(_frames_differ).map(_common_axis_poses)
PAIRS = {"poses": POSES}
VELOCITIES = arrays(4, 3)
ELASTIC = {"poses": POSES, "k_t": positive_numbers(), "k_r": positive_numbers()}
VISCOUS = {"poses": POSES, "velocities": VELOCITIES, "d_t": positive_numbers(), "d_r": positive_numbers()}


def library_forces(
    poses: Array, velocities: Array, k_t=0.0, k_r=0.0, d_t=0.0, d_r=0.0, axes="body", follow=0.0
) -> BodyForces:
    """Return the library's forces for velocities in world axes.

    The forces are ``(4, 3)``, and K and D have the order of Lloyd.
    """
    X_1, X_2 = poses[2:]
    spring = FrameSpring.isotropic(X_1, X_2, k_t, k_r, d_t, d_r)
    E = poses[:2]
    phi = body_twists(poses, velocities)[:, LINEAR_FIRST]
    forces = frame_spring_forces(spring, E, phi)
    at_constant_velocity = at_constant_world_velocity(forces, phi)
    forces = forces._replace(K=(1 - follow) * at_constant_velocity.K + follow * forces.K)
    if axes == "world":
        forces = rotate_to_world(forces, E)
    order = np.ix_(LLOYD_ORDER, LLOYD_ORDER)
    return BodyForces(forces.w[:, LINEAR_FIRST].reshape(4, 3), forces.K[order], forces.D[order])


def displacement_library(poses):
    return frame_displacement(FrameSpring.isotropic(*poses[2:], 1.0, 1.0), poses[:2])


@section.definition("d1", "Poses of the frames that a frame spring joins")
class d1:
    formula = r"\mathbf X_{1W}\equiv\begin{pmatrix}\mathbf R_{1W}&\mathbf x_1\\0&1\end{pmatrix},\quad\mathbf X_{2W}\equiv\begin{pmatrix}\mathbf R_{2W}&\mathbf x_2\\0&1\end{pmatrix}"
    defines = (r"\mathbf X_{1W}", r"\mathbf X_{2W}")
    remark = (
        "Lloyd's index pair reads from frame 1 to W. The indices of E in this book have the opposite order."
    )
    implements = (frame_displacement, frame)


@section.holds("d2", "Displacement between the two frames")
class d2:
    formula = r"\mathbf X_{1W}^{-1}\mathbf X_{2W}=\begin{pmatrix}\mathbf R_{21}&\mathbf R_{1W}^T\mathbf x_2-\mathbf R_{1W}^T\mathbf x_1\\0&1\end{pmatrix}"
    inputs = PAIRS
    result = Result(POSE, "takes coordinates of frame 2 to those of frame 1")

    def printed(poses):
        n = frame_spring_quantities(poses)
        zero, one = np.zeros((1, 3)), np.ones((1, 1))
        return np.block(
            [[n.R_21, (n.R_1W.T @ n.x_2 - n.R_1W.T @ n.x_1)[:, None]], [zero, one]],
        )

    library = displacement_library

    def reference(poses):
        """Solve X_1W X = X_2W numerically as an equation of 4 x 4 matrices."""
        return np.linalg.solve(poses[0] @ poses[2], poses[1] @ poses[3])

    implements = frame_displacement


@section.holds("t996", "Rotation from frame 2 to frame 1")
class t996:
    formula = r"\mathbf R_{21}=\mathbf R_{1W}^T\mathbf R_{2W}"
    inputs = PAIRS
    result = Result(NUMBER, "takes coordinates of frame 2 to those of frame 1")

    def printed(poses):
        n = frame_spring_quantities(poses)
        return n.R_1W.T @ n.R_2W

    def library(poses):
        return displacement_library(poses)[:3, :3]

    def reference(poses):
        """Compare with the direction cosines between the axes of the two frames."""
        # Components of the axes of frame 2 along those of frame 1.
        frame_1, frame_2 = poses[0] @ poses[2], poses[1] @ poses[3]
        return np.array([[frame_1[:3, i] @ frame_2[:3, j] for j in range(3)] for i in range(3)])

    exact = (
        "each number is one sum of three products, and all forms round in the same way if the processor does not "
        "fuse them"
    )
    implements = frame_displacement


@section.holds("e0.37", "Elastic forces and torques on frames 1 and 2")
class e0_37:
    formula = r"\begin{aligned}\mathbf f_{1k}&=k_t\mathbf R_{1W}^T(\mathbf x_2-\mathbf x_1),&\boldsymbol\tau_{1k}&=k_r(\phi\mathbf u),\\\mathbf f_{2k}&=-k_t\mathbf R_{2W}^T(\mathbf x_2-\mathbf x_1),&\boldsymbol\tau_{2k}&=-k_r\mathbf R_{12}(\phi\mathbf u)\end{aligned}"
    inputs = ELASTIC
    result = Result(
        stacked_quantity(FORCE, TORQUE),
        "on frame 1, then on frame 2 (force, moment), each along its own axes",
    )

    def printed(poses, k_t, k_r):
        n = frame_spring_quantities(poses)
        f_1k = k_t * n.R_1W.T @ (n.x_2 - n.x_1)
        tau_1k = k_r * (n.phi * n.u)
        f_2k = -k_t * n.R_2W.T @ (n.x_2 - n.x_1)
        tau_2k = -k_r * n.R_12 @ (n.phi * n.u)
        return np.array([f_1k, tau_1k, f_2k, tau_2k])

    def library(poses, k_t, k_r):
        return library_forces(frames_as_bodies(poses), ZERO_VELOCITIES, k_t, k_r).w

    def reference(poses, k_t, k_r):
        """Compare with differences of the potential k_t dist^2/2 + k_r angle^2/2 along motions of A and B."""
        return elastic_forces(frames_as_bodies(poses), k_t, k_r)

    primitives = ("rbnotes.ledger.oracles.frame_springs.frames_as_bodies",)
    remark = (
        r"$\mathbf R_{12}$ does not change its own axis; hence "
        r"$\boldsymbol\tau_{2k}=-k_r\,\phi\mathbf u$ as well."
    )
    implements = frame_spring_forces


@section.holds("e0.38", "Damping forces and torques on frames 1 and 2")
class e0_38:
    formula = r"\begin{aligned}\mathbf f_{1d}&=d_t\mathbf R_{1W}^T(\dot{\mathbf x}_2-\dot{\mathbf x}_1),&\boldsymbol\tau_{1d}&=d_r\mathbf R_{1W}^T(\boldsymbol\omega_2-\boldsymbol\omega_1),\\\mathbf f_{2d}&=-d_t\mathbf R_{2W}^T(\dot{\mathbf x}_2-\dot{\mathbf x}_1),&\boldsymbol\tau_{2d}&=-d_r\mathbf R_{2W}^T(\boldsymbol\omega_2-\boldsymbol\omega_1)\end{aligned}"
    inputs = VISCOUS
    result = Result(
        stacked_quantity(FORCE, TORQUE),
        "on frame 1, then on frame 2 (force, moment), each along its own axes",
    )

    def printed(poses, velocities, d_t, d_r):
        n = frame_spring_quantities(poses)
        dx_1, omega_1, dx_2, omega_2 = velocities
        f_1d = d_t * n.R_1W.T @ (dx_2 - dx_1)
        tau_1d = d_r * n.R_1W.T @ (omega_2 - omega_1)
        f_2d = -d_t * n.R_2W.T @ (dx_2 - dx_1)
        tau_2d = -d_r * n.R_2W.T @ (omega_2 - omega_1)
        return np.array([f_1d, tau_1d, f_2d, tau_2d])

    def library(poses, velocities, d_t, d_r):
        return library_forces(frames_as_bodies(poses), velocities, d_t=d_t, d_r=d_r).w

    def reference(poses, velocities, d_t, d_r):
        """Differentiate the dissipation function d_t |x2' - x1'|^2/2 + d_r |omega2 - omega1|^2/2.

        The relative velocities are differences along motions of the bodies.
        """
        return viscous_forces(frames_as_bodies(poses), velocities, d_t, d_r)

    primitives = (
        "rbnotes.ledger.oracles.frame_springs.frames_as_bodies",
        "rbnotes.ledger.oracles.frame_springs.to_body",
    )
    remark = (
        r"While $\mathbf x_1\ne\mathbf x_2$ these forces also damp a common rotation of both "
        r"frames, and their couple $(\mathbf x_1-\mathbf x_2)\times\mathbf f$ changes the angular "
        "momentum of the pair. The library's ``damping='displacement'`` does neither."
    )
    implements = frame_spring_forces


# ------------------------------------------------------------------------------------------------------------
# Frame springs on bodies: poses, forces and velocities of their frames.


def origin_velocities_printed(poses, velocities):
    n = frame_spring_quantities(poses)
    v_A, omega_A, v_B, omega_B = velocities
    p_1_world, p_2_world = n.R_AW @ n.p_1, n.R_BW @ n.p_2
    return np.array([v_A + np.cross(omega_A, p_1_world), v_B + np.cross(omega_B, p_2_world)])


@section.definition("d3", "Poses of the bodies")
class d3:
    formula = r"\mathbf X_{AW}=\begin{pmatrix}\mathbf R_{AW}&\mathbf x_A\\0&1\end{pmatrix},\quad\mathbf X_{BW}=\begin{pmatrix}\mathbf R_{BW}&\mathbf x_B\\0&1\end{pmatrix}"
    defines = (r"\mathbf X_{AW}", r"\mathbf X_{BW}")
    implements = frame_spring_forces


@section.definition("d4", "Poses of the frames in their bodies")
class d4:
    formula = r"\mathbf X_{1A}=\begin{pmatrix}\mathbf R_{1A}&\mathbf p_1\\0&1\end{pmatrix},\quad\mathbf X_{2B}=\begin{pmatrix}\mathbf R_{2B}&\mathbf p_2\\0&1\end{pmatrix}"
    defines = (r"\mathbf X_{1A}", r"\mathbf X_{2B}")
    implements = FrameSpring


@section.holds("e0.39", "Elastic forces and torques on the bodies")
class e0_39:
    formula = r"\begin{aligned}\mathbf f_{Ak}&=k_t\mathbf R_{AW}^T(\mathbf x_2-\mathbf x_1),&\boldsymbol\tau_{Ak}&=k_r\mathbf R_{1A}(\phi\mathbf u)+\mathbf p_1\times\mathbf f_{Ak},\\\mathbf f_{Bk}&=-k_t\mathbf R_{BW}^T(\mathbf x_2-\mathbf x_1),&\boldsymbol\tau_{Bk}&=-k_r\mathbf R_{1B}(\phi\mathbf u)+\mathbf p_2\times\mathbf f_{Bk}\end{aligned}"
    inputs = ELASTIC
    result = Result(
        stacked_quantity(FORCE, TORQUE), "on A, then on B (force, moment), each along its own axes"
    )

    def printed(poses, k_t, k_r):
        n = frame_spring_quantities(poses)
        f_Ak = k_t * n.R_AW.T @ (n.x_2 - n.x_1)
        tau_Ak = k_r * n.R_1A @ (n.phi * n.u) + np.cross(n.p_1, f_Ak)
        f_Bk = -k_t * n.R_BW.T @ (n.x_2 - n.x_1)
        tau_Bk = -k_r * n.R_1B @ (n.phi * n.u) + np.cross(n.p_2, f_Bk)
        return np.array([f_Ak, tau_Ak, f_Bk, tau_Bk])

    def library(poses, k_t, k_r):
        return library_forces(poses, ZERO_VELOCITIES, k_t, k_r).w

    oracle = (
        "Compare with differences of the potential k_t dist^2/2 + k_r angle^2/2 along motions of the "
        "two bodies."
    )
    reference = elastic_forces
    implements = frame_spring_forces


@section.holds("e0.40", "Damping forces and torques on the bodies")
class e0_40:
    formula = r"\begin{aligned}\mathbf f_{Ad}&=d_t\mathbf R_{AW}^T(\dot{\mathbf x}_2-\dot{\mathbf x}_1),&\boldsymbol\tau_{Ad}&=d_r\mathbf R_{AW}^T(\boldsymbol\omega_2-\boldsymbol\omega_1)+\mathbf p_1\times\mathbf f_{Ad},\\\mathbf f_{Bd}&=-d_t\mathbf R_{BW}^T(\dot{\mathbf x}_2-\dot{\mathbf x}_1),&\boldsymbol\tau_{Bd}&=-d_r\mathbf R_{BW}^T(\boldsymbol\omega_2-\boldsymbol\omega_1)+\mathbf p_2\times\mathbf f_{Bd}\end{aligned}"
    inputs = VISCOUS
    result = Result(
        stacked_quantity(FORCE, TORQUE), "on A, then on B (force, moment), each along its own axes"
    )

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

    oracle = "Differentiate the dissipation function d_t |x2' - x1'|^2/2 + d_r |omega2 - omega1|^2/2."
    reference = viscous_forces
    primitives = TO_BODY
    implements = frame_spring_forces


@section.holds("e0.41", "Velocities of the origins of the frames")
class e0_41:
    formula = r"\dot{\mathbf x}_1=\mathbf v_A+\boldsymbol\omega_A\times{}^W\mathbf p_1,\quad\dot{\mathbf x}_2=\mathbf v_B+\boldsymbol\omega_B\times{}^W\mathbf p_2"
    inputs = {"poses": POSES, "velocities": VELOCITIES}
    result = Result(VELOCITY, "of frame 1, then of frame 2, along the axes of the world")
    printed = origin_velocities_printed

    def library(poses, velocities):
        phi = to_body(poses[:2, :3, :3], velocities).reshape(2, 6)[:, LINEAR_FIRST]
        return se3.point_velocity(poses[:2], poses[2:, :3, 3], phi)

    oracle = "Compare with differences in time along motions of the two bodies."
    reference = origin_velocities
    implements = se3.point_velocity


@section.holds("e0.42", "Angular velocities of the frames")
class e0_42:
    formula = r"\boldsymbol\omega_1=\boldsymbol\omega_A,\quad\boldsymbol\omega_2=\boldsymbol\omega_B"
    inputs = {"poses": POSES, "velocities": VELOCITIES}
    result = Result(RATE, "of frame 1, then of frame 2, along the axes of the world")

    def printed(poses, velocities):
        omega_1 = velocities[1]
        omega_2 = velocities[3]
        return np.array([omega_1, omega_2])

    def library(poses, velocities):
        body = to_body(poses[:2, :3, :3], velocities).reshape(2, 6)[:, LINEAR_FIRST]
        at_frames = np.einsum("bij,bj->bi", se3.Ad_inverse(poses[2:]), body)
        return np.einsum("bij,bj->bi", orientations(poses[None])[0], at_frames[:, :3])

    def reference(poses, velocities):
        """Compare with differences in time along motions of the two bodies."""
        rotation_rates = pose_derivative(orientations, poses, velocities[None], axes="world")[0]
        return axial(rotation_rates @ np.swapaxes(orientations(poses[None])[0], -1, -2))

    primitives = ("rbnotes.ledger.oracles.frame_springs.orientations",)
    remark = (
        "The components are those of the world. The components in the frame itself are rotated by the "
        "offset rotation."
    )
    implements = se3.Ad_inverse
