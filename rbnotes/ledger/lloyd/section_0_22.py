"""Lloyd 0.22: the forces of a frame spring; and what the records of 0.22.1-0.22.3 are built from.

The oracle is mechanics without the section's formulas: the forces are slopes of a potential of the distance
and the angle between two frames, or of a dissipation function of their relative velocities; their Jacobians
are differences of forces that are computed in the world and then moved to the bodies.

Lloyd stacks linear before angular parts, and so do all arguments and results here: velocities and variations
are rows (linear A, angular A, linear B, angular B).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from rbnotes import se3
from rbnotes.arguments import Array
from rbnotes.checking import derivative
from rbnotes.checking.strategies import arrays, positive_numbers
from rbnotes.forces.frame_spring import FrameSpring, frame_displacement, frame_spring_forces
from rbnotes.forces.world import hold_world_velocities, in_world_axes
from rbnotes.forces.wrenches import BodyForces
from rbnotes.inertia import LINEAR_FIRST
from rbnotes.ledger.record import Verdict, claim

CHAPTER = "frame-springs"
FORCES = "rbnotes.forces.frame_spring.frame_spring_forces"
DISPLACEMENT = "rbnotes.forces.frame_spring.frame_displacement"
UNITS = np.eye(12).reshape(12, 4, 3)
LLOYD_ORDER = np.concatenate([LINEAR_FIRST, 6 + LINEAR_FIRST])


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


POSES = arrays(24).filter(_turned_apart).map(_poses)
PAIRS = {"poses": POSES}
VELOCITIES = arrays(4, 3)
ELASTIC = {"poses": POSES, "k_t": positive_numbers(), "k_r": positive_numbers()}
VISCOUS = {"poses": POSES, "velocities": VELOCITIES, "d_t": positive_numbers(), "d_r": positive_numbers()}


class Names(NamedTuple):
    """The quantities of 0.22 by their printed names."""

    R_AW: Array
    R_BW: Array
    R_1W: Array
    R_2W: Array
    R_1A: Array
    R_2B: Array
    R_1B: Array
    R_A1: Array
    R_B1: Array
    R_BA: Array
    R_AB: Array
    R_21: Array
    R_12: Array
    x_1: Array
    x_2: Array
    p_1: Array
    p_2: Array
    phi: float
    u: Array


def names(poses: Array) -> Names:
    """Rotations R_XY from frame X to frame Y, origins, and the axis and angle of R_21."""
    E_A, E_B, X_1, X_2 = poses
    R_AW, R_BW, R_1A, R_2B = poses[:, :3, :3]
    R_1W, R_2W = R_AW @ R_1A, R_BW @ R_2B
    R_21 = R_1W.T @ R_2W
    rotation_vector = Rotation.from_matrix(R_21).as_rotvec()
    phi = float(np.linalg.norm(rotation_vector))
    return Names(
        R_AW=R_AW,
        R_BW=R_BW,
        R_1W=R_1W,
        R_2W=R_2W,
        R_1A=R_1A,
        R_2B=R_2B,
        R_1B=R_BW.T @ R_1W,
        R_A1=R_1A.T,
        R_B1=R_1W.T @ R_BW,
        R_BA=R_AW.T @ R_BW,
        R_AB=R_BW.T @ R_AW,
        R_21=R_21,
        R_12=R_21.T,
        x_1=(E_A @ X_1)[:3, 3],
        x_2=(E_B @ X_2)[:3, 3],
        p_1=X_1[:3, 3],
        p_2=X_2[:3, 3],
        phi=phi,
        u=rotation_vector / phi,
    )


def moved(poses: Array, variations: Array, t: float, axes: str = "body") -> Array:
    """Poses ``(N, 4, 4, 4)`` after t times each of the variations ``(N, 4, 3)`` of A and B."""
    result = np.tile(poses, (len(variations), 1, 1, 1))
    for body, R in enumerate(poses[:2, :3, :3]):
        shift, turn = t * variations[:, 2 * body], Rotation.from_rotvec(t * variations[:, 2 * body + 1])
        if axes == "body":
            result[:, body, :3, :3] = R @ turn.as_matrix()
            result[:, body, :3, 3] += shift @ R.T
        else:
            result[:, body, :3, :3] = turn.as_matrix() @ R
            result[:, body, :3, 3] += shift
    return result


def to_world(R: Array, four: Array) -> Array:
    """Rows (linear A, angular A, linear B, angular B) from body to world axes; R is ``(..., 2, 3, 3)``."""
    return np.einsum("...bij,...bkj->...bki", R, four.reshape(*four.shape[:-2], 2, 2, 3)).reshape(
        *np.broadcast_shapes(R.shape[:-3], four.shape[:-2]), 4, 3
    )


def to_body(R: Array, four: Array) -> Array:
    """The inverse of :func:`to_world`."""
    return to_world(np.swapaxes(R, -1, -2), four)


def world_forces(poses: Array, velocities: Array, k_t=0.0, k_r=0.0, d_t=0.0, d_r=0.0) -> Array:
    """Rows (f_A, tau_A, f_B, tau_B) in world axes for poses ``(N, 4, 4, 4)``, velocities in world axes."""
    R = poses[:, :2, :3, :3]
    arms = np.einsum("nbij,nbj->nbi", R, poses[:, 2:, :3, 3])
    points = poses[:, :2, :3, 3] + arms
    v, w = velocities[..., ::2, :], velocities[..., 1::2, :]
    flying = v + np.cross(w, arms)
    axes = R @ poses[:, 2:, :3, :3]
    turned = Rotation.from_matrix(axes[:, 1] @ np.swapaxes(axes[:, 0], -1, -2)).as_rotvec()
    pull = k_t * (points[:, 1] - points[:, 0]) + d_t * (flying[:, 1] - flying[:, 0])
    twisting = k_r * turned + d_r * (w[..., 1, :] - w[..., 0, :])
    on_A, on_B = twisting + np.cross(arms[:, 0], pull), -twisting - np.cross(arms[:, 1], pull)
    return np.stack([pull, on_A, -pull, on_B], axis=1)


def forces(poses: Array, velocities: Array, axes: str = "body", **stiffness: float) -> Array:
    """Rows (f_A, tau_A, f_B, tau_B) ``(4, 3)`` at one pair of poses."""
    rows = world_forces(poses[None], velocities, **stiffness)
    return (to_body(poses[None, :2, :3, :3], rows) if axes == "body" else rows)[0]


def variations_of_forces(
    poses: Array,
    velocities: Array,
    variations: Array,
    axes: str = "body",
    held: str = "world",
    **stiffness: float,
) -> Array:
    """Derivatives ``(N, 4, 3)`` of the forces along variations of the poses, velocities held."""
    components = to_body(poses[:2, :3, :3], velocities)

    def rows(t: float) -> Array:
        there = moved(poses, variations, t, axes)
        R = there[:, :2, :3, :3]
        found = world_forces(there, velocities if held == "world" else to_world(R, components), **stiffness)
        return to_body(R, found) if axes == "body" else found

    return derivative(rows).value


def along(function, poses: Array, variations: Array, axes: str = "body") -> Array:
    """Derivative of a function of poses ``(N, 4, 4, 4)`` along each of the variations ``(N, 4, 3)``."""
    return derivative(lambda t: function(moved(poses, variations, t, axes))).value


def origins(poses: Array) -> Array:
    """Origins x_1, x_2 ``(N, 2, 3)`` of frames 1 and 2."""
    return (poses[:, :2] @ poses[:, 2:])[..., :3, 3]


def orientations(poses: Array) -> Array:
    """Orientations R_1W, R_2W ``(N, 2, 3, 3)``."""
    return (poses[:, :2] @ poses[:, 2:])[..., :3, :3]


def axial(W: Array) -> Array:
    """Vectors ``(..., 3)`` of skew-symmetric matrices."""
    return np.stack([W[..., 2, 1], W[..., 0, 2], W[..., 1, 0]], axis=-1)


def library_forces(
    poses: Array, velocities: Array, k_t=0.0, k_r=0.0, d_t=0.0, d_r=0.0, axes="body", held="world"
) -> BodyForces:
    """The library's forces at velocities in world axes; w is ``(4, 3)`` and K, D are in Lloyd's order."""
    spring = FrameSpring.isotropic(poses[2], poses[3], k_t, k_r, d_t, d_r)
    E = poses[:2]
    phi = to_body(E[:, :3, :3], velocities).reshape(2, 6)[:, LINEAR_FIRST]
    found = frame_spring_forces(spring, E, phi)
    if held == "world":
        found = hold_world_velocities(found, phi)
    if axes == "world":
        found = in_world_axes(found, E)
    order = np.ix_(LLOYD_ORDER, LLOYD_ORDER)
    return BodyForces(found.w[:, LINEAR_FIRST].reshape(4, 3), found.K[order], found.D[order])


REST = np.zeros((4, 3))


def displacement_library(poses):
    return frame_displacement(FrameSpring.isotropic(poses[2], poses[3], 1.0, 1.0), poses[:2])


def energy(poses, k_t, k_r):
    """Potential of distance and angle ``(N,)``."""
    x, R = origins(poses), orientations(poses)
    turned = Rotation.from_matrix(np.swapaxes(R[:, 0], -1, -2) @ R[:, 1]).as_rotvec()
    return k_t * np.sum((x[:, 1] - x[:, 0]) ** 2, axis=-1) / 2 + k_r * np.sum(turned**2, axis=-1) / 2


def relative_rates(poses):
    """Matrix ``(6, 12)`` from body velocities to (x_2' - x_1', omega_2 - omega_1), by moving the bodies."""
    x, R = (along(part, poses, UNITS) for part in (origins, orientations))
    spins = axial(R @ np.swapaxes(orientations(poses[None]), -1, -2))
    return np.concatenate([x[:, 1] - x[:, 0], spins[:, 1] - spins[:, 0]], axis=-1).T


def at_the_frames(poses):
    """The same frames 1 and 2, taken as the bodies."""
    return np.array([poses[0] @ poses[2], poses[1] @ poses[3], np.eye(4), np.eye(4)])


def elastic_reference(poses, k_t, k_r):
    return -along(lambda there: energy(there, k_t, k_r), poses, UNITS).reshape(4, 3)


def viscous_reference(poses, velocities, d_t, d_r):
    rates = relative_rates(poses)
    body_velocities = to_body(poses[:2, :3, :3], velocities).ravel()
    return -(rates.T @ np.diag([d_t] * 3 + [d_r] * 3) @ rates @ body_velocities).reshape(4, 3)


def origin_velocities_printed(poses, velocities):
    n = names(poses)
    v_A, omega_A, v_B, omega_B = velocities
    p_1_world, p_2_world = n.R_AW @ n.p_1, n.R_BW @ n.p_2
    return np.array([v_A + np.cross(omega_A, p_1_world), v_B + np.cross(omega_B, p_2_world)])


def origin_velocities_reference(poses, velocities):
    return along(origins, poses, velocities[None], axes="world")[0]


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

    def printed(poses):
        n = names(poses)
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

    def printed(poses):
        n = names(poses)
        return n.R_1W.T @ n.R_2W

    def library(poses):
        return displacement_library(poses)[:3, :3]

    oracle = "direction cosines between the axes of the two frames"

    def reference(poses):
        # The axes of frame 2 measured along those of frame 1.
        frame_1, frame_2 = poses[0] @ poses[2], poses[1] @ poses[3]
        return np.array([[frame_1[:3, i] @ frame_2[:3, j] for j in range(3)] for i in range(3)])

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

    def printed(poses, k_t, k_r):
        n = names(poses)
        f_1k = k_t * n.R_1W.T @ (n.x_2 - n.x_1)
        tau_1k = k_r * (n.phi * n.u)
        f_2k = -k_t * n.R_2W.T @ (n.x_2 - n.x_1)
        tau_2k = -k_r * n.R_12 @ (n.phi * n.u)
        return np.array([f_1k, tau_1k, f_2k, tau_2k])

    def library(poses, k_t, k_r):
        return library_forces(at_the_frames(poses), REST, k_t, k_r).w

    oracle = ENERGY

    def reference(poses, k_t, k_r):
        return elastic_reference(at_the_frames(poses), k_t, k_r)

    verdict = Verdict.HOLDS
    remark = r"$\mathbf R_{12}$ leaves its own axis alone, so $\boldsymbol\tau_{2k}=-k_r\,\phi\mathbf u$ too."
    implemented_by = (
        FORCES,
        "rbnotes.forces.frame_spring.frame_spring_energy",
    )
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

    def printed(poses, velocities, d_t, d_r):
        n = names(poses)
        dx_1, omega_1, dx_2, omega_2 = velocities
        f_1d = d_t * n.R_1W.T @ (dx_2 - dx_1)
        tau_1d = d_r * n.R_1W.T @ (omega_2 - omega_1)
        f_2d = -d_t * n.R_2W.T @ (dx_2 - dx_1)
        tau_2d = -d_r * n.R_2W.T @ (omega_2 - omega_1)
        return np.array([f_1d, tau_1d, f_2d, tau_2d])

    def library(poses, velocities, d_t, d_r):
        return library_forces(at_the_frames(poses), velocities, d_t=d_t, d_r=d_r).w

    oracle = DISSIPATION

    def reference(poses, velocities, d_t, d_r):
        return viscous_reference(at_the_frames(poses), velocities, d_t, d_r)

    verdict = Verdict.HOLDS
    remark = (
        r"While $\mathbf x_1\ne\mathbf x_2$ these forces also brake a common rotation of both frames, and "
        r"their couple $(\mathbf x_1-\mathbf x_2)\times\mathbf f$ changes the angular momentum of the "
        r"pair; the library's ``damping='displacement'`` does neither."
    )
    implemented_by = (
        FORCES,
        "rbnotes.forces.frame_spring.frame_spring_dissipated_power",
    )
    chapter = CHAPTER


@claim("lloyd/s0.22/d3", "Poses of the bodies")
class d3:
    formula = (
        r"\mathbf X_{AW}=\begin{pmatrix}\mathbf R_{AW}&\mathbf x_A\\"
        r"0&1\end{pmatrix},\quad\mathbf X_{BW}=\begin{pmatrix}\mathbf R_{BW}&\mathbf x_B\\0&1\end{pmatrix}"
    )
    verdict = Verdict.DEFINITION
    implemented_by = (FORCES,)
    chapter = CHAPTER


@claim("lloyd/s0.22/d4", "Poses of the frames in their bodies")
class d4:
    formula = (
        r"\mathbf X_{1A}=\begin{pmatrix}\mathbf R_{1A}&\mathbf p_1\\"
        r"0&1\end{pmatrix},\quad\mathbf X_{2B}=\begin{pmatrix}\mathbf R_{2B}&\mathbf p_2\\0&1\end{pmatrix}"
    )
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

    def printed(poses, k_t, k_r):
        n = names(poses)
        f_Ak = k_t * n.R_AW.T @ (n.x_2 - n.x_1)
        tau_Ak = k_r * n.R_1A @ (n.phi * n.u) + np.cross(n.p_1, f_Ak)
        f_Bk = -k_t * n.R_BW.T @ (n.x_2 - n.x_1)
        tau_Bk = -k_r * n.R_1B @ (n.phi * n.u) + np.cross(n.p_2, f_Bk)
        return np.array([f_Ak, tau_Ak, f_Bk, tau_Bk])

    def library(poses, k_t, k_r):
        return library_forces(poses, REST, k_t, k_r).w

    oracle = ENERGY
    reference = elastic_reference
    verdict = Verdict.HOLDS
    implemented_by = (
        FORCES,
        "rbnotes.forces.frame_spring.frame_spring_energy",
    )
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

    def printed(poses, velocities, d_t, d_r):
        n = names(poses)
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
    reference = viscous_reference
    verdict = Verdict.HOLDS
    implemented_by = (
        FORCES,
        "rbnotes.forces.frame_spring.frame_spring_dissipated_power",
    )
    chapter = CHAPTER


@claim("lloyd/s0.22/e0.41", "Velocities of the origins of the frames")
class e0_41:
    formula = (
        r"\dot{\mathbf x}_1=\mathbf v_A+\boldsymbol\omega_A\times{}^W\mathbf p_1,\quad\dot{\mathbf x}_2"
        r"=\mathbf v_B+\boldsymbol\omega_B\times{}^W\mathbf p_2"
    )
    inputs = {"poses": POSES, "velocities": VELOCITIES}
    printed = origin_velocities_printed

    def library(poses, velocities):
        phi = to_body(poses[:2, :3, :3], velocities).reshape(2, 6)[:, LINEAR_FIRST]
        return se3.point_velocity(poses[:2], poses[2:, :3, 3], phi)

    oracle = MOVING
    reference = origin_velocities_reference
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.se3.point_velocity",)
    chapter = CHAPTER


@claim("lloyd/s0.22/e0.42", "Angular velocities of the frames")
class e0_42:
    formula = r"\boldsymbol\omega_1=\boldsymbol\omega_A,\quad\boldsymbol\omega_2=\boldsymbol\omega_B"
    inputs = {"poses": POSES, "velocities": VELOCITIES}

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
        turning = along(orientations, poses, velocities[None], axes="world")[0]
        return axial(turning @ np.swapaxes(orientations(poses[None])[0], -1, -2))

    verdict = Verdict.HOLDS
    remark = "In world components; in components of its own frame each is turned by the offset rotation."
    implemented_by = ("rbnotes.se3.Ad_inverse",)
    chapter = CHAPTER
