"""Frame springs: elastic joints between two bodies that resist displacement and rotation (Lloyd 0.22).

Frame 1 is fixed in body A, frame 2 in body B. Frame 2 stands at the origin r and in the orientation R as
seen from frame 1; its rotation vector is w = log R. The spring has the potential energy

    V = r^T K_t r / 2 + w^T K_r w / 2.

With its slopes f = K_t r and tau = J^-T K_r w (J the left Jacobian of w) the wrench on frame 1 is
``(tau + r x f, f)`` and on frame 2 ``(-R^T tau, -R^T f)``. Where the stiffness is isotropic, as in the notes,
r x f vanishes and tau is k_r w. The torque K_r w without J^-T has a potential for isotropic K_r only.

In body coordinates with the twist components held, the offsets of the frames are constant changes of basis,
so all Jacobians are those of the two frames, sandwiched between adjoints.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments, se3, so3
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.dynamics import WORLD, State
from rbnotes.forces.assembly import Located, carriers
from rbnotes.forces.attachment import Indices
from rbnotes.forces.wrenches import BodyForces

DAMPING = ("origins", "displacement")
NONE = np.zeros((3, 3))


@dataclass(frozen=True, eq=False)
class FrameSpring:
    """Spring and damper between frame 1, fixed in body A, and frame 2, fixed in body B.

    Raises
    ------
    InvalidArgument
        If a stiffness or damping matrix is not symmetric or has a negative eigenvalue.
    """

    X_1: Array
    """Pose of frame 1 in body A ``(..., 4, 4)``."""
    X_2: Array
    """Pose of frame 2 in body B ``(..., 4, 4)``."""
    K_t: Array
    """Translational stiffness ``(..., 3, 3)`` in the axes of frame 1, N/m."""
    K_r: Array
    """Rotational stiffness ``(..., 3, 3)`` in the axes of frame 1, N m/rad."""
    D_t: Array = field(default_factory=NONE.copy)
    """Translational damping ``(..., 3, 3)`` in the axes of frame 1, N s/m."""
    D_r: Array = field(default_factory=NONE.copy)
    """Rotational damping ``(..., 3, 3)`` in the axes of frame 1, N m s/rad."""
    damping: str = "origins"
    """``"origins"`` damps the relative velocity of the two origins, as Lloyd's (0.38) does: it also brakes a
    common rotation of both bodies while the origins are apart, and its two forces leave a couple over.
    ``"displacement"`` damps dr/dt seen from frame 1: no force in a common motion, no couple."""

    def __post_init__(self) -> None:
        for name in ("X_1", "X_2"):
            object.__setattr__(self, name, arguments.frame(name, getattr(self, name)))
        for name in ("K_t", "K_r", "D_t", "D_r"):
            object.__setattr__(self, name, _semidefinite(name, getattr(self, name)))
        arguments.choice("damping", self.damping, DAMPING)

    @classmethod
    def isotropic(
        cls,
        X_1: ArrayLike,
        X_2: ArrayLike,
        k_t: ArrayLike,
        k_r: ArrayLike,
        d_t: ArrayLike = 0.0,
        d_r: ArrayLike = 0.0,
        *,
        damping: str = "origins",
    ) -> FrameSpring:
        """The spring of the notes: one number ``(...)`` each for stiffness and damping."""

        def spread(name: str, value: ArrayLike) -> Array:
            return arguments.scalar(name, value, minimum=0.0)[..., None, None] * np.eye(3)

        return cls(
            arguments.frame("X_1", X_1),
            arguments.frame("X_2", X_2),
            spread("k_t", k_t),
            spread("k_r", k_r),
            spread("d_t", d_t),
            spread("d_r", d_r),
            damping,
        )


def frame_displacement(spring: FrameSpring, E: ArrayLike) -> Array:
    """Pose ``(..., 4, 4)`` of frame 2 in frame 1 (Lloyd 0.22).

    Parameters
    ----------
    E : (..., 2, 4, 4)
        Poses of the bodies A and B.
    """
    E = _bodies("E", arguments.frame("E", E), -3)
    return se3.inverse(E[..., 0, :, :] @ spring.X_1) @ E[..., 1, :, :] @ spring.X_2


def frame_spring_energy(spring: FrameSpring, E: ArrayLike) -> Array:
    """Potential energy ``(...)``, J, for poses ``E (..., 2, 4, 4)`` of the bodies A and B.

    It is continuous everywhere, with a ridge at half turns, where the shortest way back changes sides.
    """
    relative = frame_displacement(spring, E)
    w, r = so3.log(relative[..., :3, :3]), relative[..., :3, 3]
    return (_quadratic(spring.K_t, r) + _quadratic(spring.K_r, w)) / 2


def frame_spring_forces(spring: FrameSpring, E: ArrayLike, phi: ArrayLike) -> BodyForces:
    """Wrenches on the two bodies with exact Jacobians (Lloyd 0.22, eqs. (0.39), (0.40), and 0.22.1, 0.22.2).

    K holds the twist components in body coordinates; for Lloyd's, which holds velocities in the world, see
    :func:`rbnotes.forces.world.hold_world_velocities`, and for Jacobians in world axes
    :func:`rbnotes.forces.world.in_world_axes`.

    Accurate for every angle of rotation from 0 to pi. At exactly pi the torque jumps, for the spring then
    pulls to either side alike: the side is the one :func:`rbnotes.so3.log` takes, and K its one-sided slope.

    Parameters
    ----------
    E : (..., 2, 4, 4)
        Poses of the bodies A and B.
    phi : (..., 2, 6)
        Their twists in body coordinates, rad/s and m/s.

    Returns
    -------
    BodyForces
        w ``(..., 2, 6)``, K and D ``(..., 12, 12)``.
    """
    phi = _bodies("phi", arguments.twist("phi", phi), -2)
    relative = frame_displacement(spring, E)
    R, r = relative[..., :3, :3], relative[..., :3, 3]
    to_frames = _to_frames(spring)
    phi_frames = _apply(to_frames, phi.reshape(*phi.shape[:-2], 12))

    strain_rates = _rates(R, r, seen_from_frame_1=True)
    slopes, hessian = _elastic(spring, so3.log(R), r)
    K = _transposed(strain_rates) @ hessian @ strain_rates + _turning(slopes, R, strain_rates, True)
    w = _apply(_transposed(strain_rates), slopes)

    carried = spring.damping == "displacement"
    rates = _rates(R, r, seen_from_frame_1=carried)
    viscosity = _block_diagonal(spring.D_r, spring.D_t)
    damping_force = _apply(viscosity, _apply(rates, phi_frames))
    D = _transposed(rates) @ viscosity @ rates
    rates_slope = _rates_slope(R, phi_frames, strain_rates, carried)
    K = K + _transposed(rates) @ viscosity @ rates_slope + _turning(damping_force, R, strain_rates, carried)
    w = w + _apply(_transposed(rates), damping_force)

    w = -_apply(_transposed(to_frames), w)
    K, D = (-_transposed(to_frames) @ matrix @ to_frames for matrix in (K, D))
    return BodyForces(w.reshape(*w.shape[:-1], 2, 6), K, D)


def frame_spring_dissipated_power(spring: FrameSpring, E: ArrayLike, phi: ArrayLike) -> Array:
    """Power ``(...)`` that the damper takes out of the motion, W, at least 0; arguments as for the forces."""
    phi = _bodies("phi", arguments.twist("phi", phi), -2)
    relative = frame_displacement(spring, E)
    rates = _rates(
        relative[..., :3, :3], relative[..., :3, 3], seen_from_frame_1=spring.damping == "displacement"
    )
    rate = _apply(rates @ _to_frames(spring), phi.reshape(*phi.shape[:-2], 12))
    return _quadratic(spring.D_r, rate[..., :3]) + _quadratic(spring.D_t, rate[..., 3:])


@dataclass(frozen=True, eq=False)
class FrameSprings:
    """Frame springs between s pairs of bodies, for :func:`rbnotes.forces.assembly.assemble`."""

    spring: FrameSpring
    """Parameters of one spring, or ``(s, ...)`` of each."""
    bodies: ArrayLike
    """Numbers of bodies A and B ``(s, 2)`` or ``(2,)``; :data:`~rbnotes.dynamics.WORLD` for the world."""

    def forces(self, state: State) -> Located:
        numbers, E, phi = self._bodies(state)
        return Located(numbers, frame_spring_forces(self.spring, E, phi))

    def energy(self, state: State) -> float:
        """Potential energy, J."""
        return float(np.sum(frame_spring_energy(self.spring, self._bodies(state)[1])))

    def dissipated_power(self, state: State) -> float:
        """Power that the dampers take out of the motion, W."""
        return float(np.sum(frame_spring_dissipated_power(self.spring, *self._bodies(state)[1:])))

    def _bodies(self, state: State) -> tuple[Indices, Array, Array]:
        numbers = np.atleast_2d(np.asarray(self.bodies))
        bodies = len(state.E)
        good = np.issubdtype(numbers.dtype, np.integer) and numbers.shape[-1:] == (2,) and numbers.ndim == 2
        if not good or np.any((numbers < WORLD) | (numbers >= bodies)):
            got = np.array2string(numbers, threshold=10)
            raise InvalidArgument("bodies", got, f"pairs of numbers from -1 to {bodies - 1}, shape (s, 2)")
        E, phi, _ = carriers(state)  # of which the last is the world
        return numbers, E[numbers], phi[numbers]


# Below, all is written in frame 1, and twists and increments (..., 12) are those of frames 1 and 2, each in
# its own axes. An increment xi turns R by the left increment theta and moves r by delta:
# (theta, delta) = strain_rates xi.


def _to_frames(spring: FrameSpring) -> Array:
    """Twists of the bodies to twists of frames 1 and 2 ``(..., 12, 12)``."""
    return _block_diagonal(se3.Ad_inverse(spring.X_1), se3.Ad_inverse(spring.X_2))


def _rates(R: Array, r: Array, *, seen_from_frame_1: bool) -> Array:
    """Twists to the relative angular velocity and dr/dt ``(..., 6, 12)``.

    Without ``seen_from_frame_1``, the latter is the relative velocity of the origins.
    """
    C = np.zeros((*r.shape[:-1], 6, 12))
    C[..., :3, :3] = C[..., 3:, 3:6] = -np.eye(3)
    C[..., :3, 6:9] = C[..., 3:, 9:] = R
    if seen_from_frame_1:
        C[..., 3:, :3] = so3.hat(r)
    return C


def _elastic(spring: FrameSpring, w: Array, r: Array) -> tuple[Array, Array]:
    """Slopes (tau, f) of the energy along (theta, delta), and their derivative ``(..., 6, 6)``."""
    left_inverse = so3.left_jacobian_inverse(w)
    tau = _apply(_transposed(left_inverse) @ spring.K_r, w)
    # tau solves J^T tau = K_r w, so J^T dtau = K_r dw - (dJ)^T tau, with dw = J^-1 theta.
    dJ = so3.left_jacobian_dot(w[..., None, :], np.eye(3))
    turning = np.einsum("...kij,...i->...jk", dJ, tau)
    tau_slope = _transposed(left_inverse) @ (spring.K_r - turning) @ left_inverse
    return np.concatenate([tau, _apply(spring.K_t, r)], axis=-1), _block_diagonal(tau_slope, spring.K_t)


def _turning(force: Array, R: Array, strain_rates: Array, seen_from_frame_1: bool) -> Array:
    """Slope ``(..., 12, 12)`` of rates^T force along increments, for a force (tau, f) that is held."""
    theta, delta = strain_rates[..., :3, :], strain_rates[..., 3:, :]
    tau, f = so3.hat(force[..., :3]), so3.hat(force[..., 3:])
    G = np.zeros((*force.shape[:-1], 12, 12))
    if seen_from_frame_1:
        G[..., :3, :] = f @ delta
    G[..., 6:9, :] = _transposed(R) @ tau @ theta
    G[..., 9:, :] = _transposed(R) @ f @ theta
    return G


def _rates_slope(R: Array, phi: Array, strain_rates: Array, seen_from_frame_1: bool) -> Array:
    """Slope ``(..., 6, 12)`` of rates phi along increments, for twists phi of the frames that are held."""
    theta, delta = strain_rates[..., :3, :], strain_rates[..., 3:, :]
    angular = -so3.hat(_apply(R, phi[..., 6:9])) @ theta
    linear = -so3.hat(_apply(R, phi[..., 9:])) @ theta
    if seen_from_frame_1:
        linear = linear - so3.hat(phi[..., :3]) @ delta
    return np.concatenate([angular, linear], axis=-2)


def _quadratic(A: Array, x: Array) -> Array:
    return np.einsum("...i,...ij,...j->...", x, A, x)


def _apply(A: Array, x: Array) -> Array:
    return np.einsum("...ij,...j->...i", A, x)


def _transposed(A: Array) -> Array:
    return np.swapaxes(A, -1, -2)


def _block_diagonal(A: Array, B: Array) -> Array:
    n = A.shape[-1]
    result = np.zeros((*np.broadcast_shapes(A.shape[:-2], B.shape[:-2]), n + B.shape[-1], n + B.shape[-1]))
    result[..., :n, :n], result[..., n:, n:] = A, B
    return result


def _semidefinite(name: str, value: ArrayLike) -> Array:
    matrix = arguments.symmetric(name, value)
    eigenvalues = np.linalg.eigvalsh(matrix)
    if np.any(eigenvalues < -1e-12 * np.max(np.abs(eigenvalues), initial=0.0)):
        got = f"smallest eigenvalue {eigenvalues.min():.3g}"
        raise InvalidArgument(name, got, "a matrix without negative eigenvalues")
    return matrix


def _bodies(name: str, value: Array, axis: int) -> Array:
    if value.ndim < -axis or value.shape[axis] != 2:
        wanted = "(..., 2, 4, 4)" if axis == -3 else "(..., 2, 6)"
        raise InvalidArgument(name, f"shape {value.shape}", f"shape {wanted}, one for each of the two bodies")
    return value
