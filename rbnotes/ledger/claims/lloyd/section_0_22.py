"""Lloyd 0.22: the forces of a frame spring; and what the records of 0.22.1-0.22.3 are built from.

The oracle is mechanics without the section's formulas: the forces are slopes of a potential of the distance
and the angle between two frames, or of a dissipation function of their relative velocities; their Jacobians
are differences of forces that are computed in the world and then moved to the bodies.

Lloyd stacks linear before angular parts, and so do all arguments and results here: velocities and variations
are rows (linear A, angular A, linear B, angular B).
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from rbnotes.arguments import Array
from rbnotes.forces.frame_spring import FrameSpring, frame_displacement, frame_spring_forces
from rbnotes.forces.world_axes import at_constant_world_velocity, rotate_to_world
from rbnotes.forces.wrenches import BodyForces
from rbnotes.inertia import LINEAR_FIRST
from rbnotes.ledger.oracles.frame_springs import (
    ZERO_VELOCITIES,
    body_twists,
    elastic_forces,
    frame_spring_quantities,
    frames_as_bodies,
    viscous_forces,
)
from rbnotes.ledger.quantities import FORCE, NUMBER, POSE, RATE, TORQUE, VELOCITY, stacked_quantity
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing.strategies import arrays, positive_numbers

CHAPTER = "frame-springs"
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
FORCES = "rbnotes.forces.frame_spring.frame_spring_forces"
DISPLACEMENT = "rbnotes.forces.frame_spring.frame_displacement"
LLOYD_ORDER = np.concatenate([LINEAR_FIRST, 6 + LINEAR_FIRST])


QUANTITIES = {"velocities": stacked_quantity(VELOCITY, RATE)}


def _poses(entries: Array) -> Array:
    """Poses of A and B in the world, of 1 in A and 2 in B; frame 2 is turned by at most 2.8 against 1."""
    turns, origins = entries.reshape(2, 4, 3)
    frames = np.zeros((4, 4, 4))
    frames[:, :3, :3] = Rotation.from_rotvec(turns * [[1], [1], [1], [0.8]]).as_matrix()
    frames[:, :3, 3], frames[:, 3, 3] = origins, 1
    E_A, X_1, X_2, apart = frames
    return np.array([E_A, _rigid(E_A @ X_1 @ apart @ np.linalg.inv(X_2)), X_1, X_2])


def _rigid(E: Array) -> Array:
    E[3] = 0, 0, 0, 1
    return E


def _turned_apart(entries: Array) -> bool:
    return bool(np.linalg.norm(entries[9:12]) >= 0.5)


def _poses_about_one_axis(entries: Array) -> Array:
    """The same with the frames on the bodies turned about the axis that frame 2 is turned about."""
    turns = entries[:12].reshape(4, 3)
    axis = turns[3] / np.linalg.norm(turns[3])
    about_it = np.vstack([turns[0], turns[1, 0] * axis, turns[2, 0] * axis, turns[3]])
    return _poses(np.concatenate([about_it.ravel(), entries[12:]]))


POSES = arrays(24).filter(_turned_apart).map(_poses)
ABOUT_ONE_AXIS = arrays(24).filter(_turned_apart).map(_poses_about_one_axis)
PAIRS = {"poses": POSES}
VELOCITIES = arrays(4, 3)
ELASTIC = {"poses": POSES, "k_t": positive_numbers(), "k_r": positive_numbers()}
VISCOUS = {"poses": POSES, "velocities": VELOCITIES, "d_t": positive_numbers(), "d_r": positive_numbers()}


def library_forces(
    poses: Array, velocities: Array, k_t=0.0, k_r=0.0, d_t=0.0, d_r=0.0, axes="body", follow=0.0
) -> BodyForces:
    """The library's forces at velocities in world axes; w is ``(4, 3)`` and K, D are in Lloyd's order."""
    X_1, X_2 = poses[2:]
    spring = FrameSpring.isotropic(X_1, X_2, k_t, k_r, d_t, d_r)
    E = poses[:2]
    phi = body_twists(poses, velocities)[:, LINEAR_FIRST]
    found = frame_spring_forces(spring, E, phi)
    held = at_constant_world_velocity(found, phi)
    found = found._replace(K=(1 - follow) * held.K + follow * found.K)
    if axes == "world":
        found = rotate_to_world(found, E)
    order = np.ix_(LLOYD_ORDER, LLOYD_ORDER)
    return BodyForces(found.w[:, LINEAR_FIRST].reshape(4, 3), found.K[order], found.D[order])


def displacement_library(poses):
    return frame_displacement(FrameSpring.isotropic(*poses[2:], 1.0, 1.0), poses[:2])


ENERGY = "differences of the potential k_t dist^2/2 + k_r angle^2/2 along motions of the two bodies"
DISSIPATION = (
    "slope of d_t |x2' - x1'|^2/2 + d_r |omega2 - omega1|^2/2, relative velocities from moving the bodies"
)
MOVING = "differences in time along motions of the two bodies"


@claim("lloyd/s0.22/d1", "Poses of the frames that a frame spring joins")
class d1:
    formula = (
        r"\mathbf X_{1W}\equiv\begin{pmatrix}\mathbf R_{1W}&\mathbf x_1\\"
        r"0&1\end{pmatrix},\quad\mathbf X_{2W}\equiv\begin{pmatrix}\mathbf R_{2W}&\mathbf x_2\\"
        r"0&1\end{pmatrix}"
    )
    defines = (r"\mathbf X_{1W}", r"\mathbf X_{2W}")
    verdict = Verdict.DEFINITION
    remark = "Lloyd's index pair reads from frame 1 to W: our E with the indices exchanged."
    implemented_by = (
        DISPLACEMENT,
        "rbnotes.se3.frame",
    )
    chapter = CHAPTER


@claim("lloyd/s0.22/d2", "Displacement between the two frames")
class d2:
    formula = (
        r"\mathbf X_{1W}^{-1}\mathbf X_{2W}"
        r"=\begin{pmatrix}\mathbf R_{21}&\mathbf R_{1W}^T\mathbf x_2-\mathbf R_{1W}^T\mathbf x_1\\"
        r"0&1\end{pmatrix}"
    )
    inputs = PAIRS
    result = POSE

    def printed(poses):
        n = frame_spring_quantities(poses)
        zero, one = np.zeros((1, 3)), np.ones((1, 1))
        return np.block(
            [[n.R_21, (n.R_1W.T @ n.x_2 - n.R_1W.T @ n.x_1)[:, None]], [zero, one]],
        )

    library = displacement_library
    oracle = "numerical solution of X_1W X = X_2W as 4 x 4 matrices"

    def reference(poses):
        return np.linalg.solve(poses[0] @ poses[2], poses[1] @ poses[3])

    verdict = Verdict.HOLDS
    implemented_by = (DISPLACEMENT,)
    chapter = CHAPTER


@claim("lloyd/s0.22/t996", "Rotation from frame 2 to frame 1")
class t996:
    formula = r"\mathbf R_{21}=\mathbf R_{1W}^T\mathbf R_{2W}"
    inputs = PAIRS
    result = NUMBER

    def printed(poses):
        n = frame_spring_quantities(poses)
        return n.R_1W.T @ n.R_2W

    def library(poses):
        return displacement_library(poses)[:3, :3]

    oracle = "direction cosines between the axes of the two frames"

    def reference(poses):
        # The axes of frame 2 measured along those of frame 1.
        frame_1, frame_2 = poses[0] @ poses[2], poses[1] @ poses[3]
        return np.array([[frame_1[:3, i] @ frame_2[:3, j] for j in range(3)] for i in range(3)])

    exact = "each number is one sum of three products: where a processor does not fuse them, all round alike"
    verdict = Verdict.HOLDS
    implemented_by = (DISPLACEMENT,)
    chapter = CHAPTER


@claim("lloyd/s0.22/e0.37", "Elastic forces and torques on frames 1 and 2")
class e0_37:
    formula = (
        r"\begin{aligned}\mathbf f_{1k}&=k_t\mathbf R_{1W}^T(\mathbf x_2"
        r"-\mathbf x_1),&\boldsymbol\tau_{1k}&=k_r(\phi\mathbf u),\\"
        r"\mathbf f_{2k}&=-k_t\mathbf R_{2W}^T(\mathbf x_2-\mathbf x_1),&\boldsymbol\tau_{2k}"
        r"&=-k_r\mathbf R_{12}(\phi\mathbf u)\end{aligned}"
    )
    inputs = ELASTIC
    result = stacked_quantity(FORCE, TORQUE)

    def printed(poses, k_t, k_r):
        n = frame_spring_quantities(poses)
        f_1k = k_t * n.R_1W.T @ (n.x_2 - n.x_1)
        tau_1k = k_r * (n.phi * n.u)
        f_2k = -k_t * n.R_2W.T @ (n.x_2 - n.x_1)
        tau_2k = -k_r * n.R_12 @ (n.phi * n.u)
        return np.array([f_1k, tau_1k, f_2k, tau_2k])

    def library(poses, k_t, k_r):
        return library_forces(frames_as_bodies(poses), ZERO_VELOCITIES, k_t, k_r).w

    oracle = ENERGY

    def reference(poses, k_t, k_r):
        return elastic_forces(frames_as_bodies(poses), k_t, k_r)

    primitives = ("rbnotes.ledger.oracles.frame_springs.frames_as_bodies",)
    equivalent_mutants = {
        "swapped operands in `-k_r * n.R_12 @ (n.phi * n.u)`": "the rotation leaves its own axis alone, its inverse too"
    }
    verdict = Verdict.HOLDS
    remark = r"$\mathbf R_{12}$ leaves its own axis alone, so $\boldsymbol\tau_{2k}=-k_r\,\phi\mathbf u$ too."
    implemented_by = (FORCES,)
    chapter = CHAPTER


@claim("lloyd/s0.22/e0.38", "Damping forces and torques on frames 1 and 2")
class e0_38:
    formula = (
        r"\begin{aligned}\mathbf f_{1d}&=d_t\mathbf R_{1W}^T(\dot{\mathbf x}_2"
        r"-\dot{\mathbf x}_1),&\boldsymbol\tau_{1d}"
        r"&=d_r\mathbf R_{1W}^T(\boldsymbol\omega_2-\boldsymbol\omega_1),\\"
        r"\mathbf f_{2d}&=-d_t\mathbf R_{2W}^T(\dot{\mathbf x}_2"
        r"-\dot{\mathbf x}_1),&\boldsymbol\tau_{2d}"
        r"&=-d_r\mathbf R_{2W}^T(\boldsymbol\omega_2-\boldsymbol\omega_1)\end{aligned}"
    )
    inputs = VISCOUS
    result = stacked_quantity(FORCE, TORQUE)

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

    oracle = DISSIPATION

    def reference(poses, velocities, d_t, d_r):
        return viscous_forces(frames_as_bodies(poses), velocities, d_t, d_r)

    primitives = (
        "rbnotes.ledger.oracles.frame_springs.frames_as_bodies",
        "rbnotes.ledger.oracles.frame_springs.to_body",
    )
    verdict = Verdict.HOLDS
    remark = (
        r"While $\mathbf x_1\ne\mathbf x_2$ these forces also brake a common rotation of both frames, and "
        r"their couple $(\mathbf x_1-\mathbf x_2)\times\mathbf f$ changes the angular momentum of the "
        r"pair; the library's ``damping='displacement'`` does neither."
    )
    implemented_by = (FORCES,)
    chapter = CHAPTER
