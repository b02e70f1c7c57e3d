"""Frame springs: elastic joints between two bodies that resist displacement and rotation (Lloyd 0.22).

Frame 1 is fixed in body A, frame 2 in body B. Frame 2 has the origin r and the orientation R in
frame 1; its rotation vector is w = log R. The spring has the potential energy

    V = r^T K_t r / 2 + w^T K_r w / 2.

With its derivatives f = K_t r and tau = J^-T K_r w (J the left Jacobian of w) the wrench on frame 1 is
``(tau + r x f, f)`` and on frame 2 ``(-R^T tau, -R^T f)``. Where the stiffness is isotropic, as in the notes,
r x f vanishes and tau is k_r w. The torque K_r w without J^-T has a potential for isotropic K_r only.

In body coordinates with the twist components held, the offsets of the frames are constant changes of basis,
so all Jacobians are those of the two frames between adjoints.

This module checks arguments; the formulas are in ``rbnotes/forces/unchecked_frame_spring.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.dynamics import WORLD, State
from rbnotes.forces import unchecked_frame_spring
from rbnotes.forces.anchor_kinematics import IndexedForces, anchor_frames
from rbnotes.forces.anchor_points import (
    Indices,
    check_bodies,
    require_body_indices,
    resolve_body_names,
)
from rbnotes.forces.wrenches import BodyForces
from rbnotes.unchecked.frozen import construct_unchecked, set_fields

DAMPING_OPTIONS = ("origins", "displacement")
"""Options of translational damping; see :class:`FrameSpring`."""
ZERO_MATRIX = np.zeros((3, 3))


@dataclass(frozen=True, eq=False)
class FrameSpring:
    """Spring and damper between frame 1, fixed in body A, and frame 2, fixed in body B.

    Attributes
    ----------
    X_1
        Pose of frame 1 in body A ``(..., 4, 4)``, m.
    X_2
        Pose of frame 2 in body B ``(..., 4, 4)``, m.
    K_t
        Translational stiffness ``(..., 3, 3)`` in the axes of frame 1, N/m.
    K_r
        Rotational stiffness ``(..., 3, 3)`` in the axes of frame 1, N m/rad.
    D_t
        Translational damping ``(..., 3, 3)`` in the axes of frame 1, N s/m.
    D_r
        Rotational damping ``(..., 3, 3)`` in the axes of frame 1, N m s/rad.
    damping
        Option of damping. ``"origins"`` damps the relative velocity of the two origins, as Lloyd's (0.38)
        does: it also resists a common rotation of both bodies if the origins are apart, and its two forces
        have a couple. ``"displacement"`` damps dr/dt in frame 1: a common motion causes no force, and the
        two forces have no couple.

    Raises
    ------
    InvalidArgument
        If a stiffness or damping matrix is not symmetric or has a negative eigenvalue.
    """

    X_1: Array
    X_2: Array
    K_t: Array
    K_r: Array
    D_t: Array = field(default_factory=ZERO_MATRIX.copy)
    D_r: Array = field(default_factory=ZERO_MATRIX.copy)
    damping: str = "origins"

    def __post_init__(self) -> None:
        for name in ("X_1", "X_2"):
            set_fields(self, **{name: arguments.frame(name, getattr(self, name))})
        for name in ("K_t", "K_r", "D_t", "D_r"):
            set_fields(self, **{name: _check_semidefinite(name, getattr(self, name))})
        arguments.choice("damping", self.damping, DAMPING_OPTIONS)

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
        """Return the spring of the notes, with one number ``(...)`` each for stiffness and damping.

        Raises InvalidArgument if ``X_1`` or ``X_2`` is not a pose, ``k_t``, ``k_r``, ``d_t`` or ``d_r`` is
        negative, or ``damping`` is not one of the names.
        """

        def isotropic_matrix(name: str, value: ArrayLike) -> Array:
            return arguments.real_array(name, value, minimum=0.0)[..., None, None] * np.eye(3)

        return construct_unchecked(
            cls,
            X_1=arguments.frame("X_1", X_1),
            X_2=arguments.frame("X_2", X_2),
            K_t=isotropic_matrix("k_t", k_t),
            K_r=isotropic_matrix("k_r", k_r),
            D_t=isotropic_matrix("d_t", d_t),
            D_r=isotropic_matrix("d_r", d_r),
            damping=arguments.choice("damping", damping, DAMPING_OPTIONS),
        )


def frame_displacement(spring: FrameSpring, E: ArrayLike) -> Array:
    """Return the pose ``(..., 4, 4)`` of frame 2 in frame 1 (Lloyd 0.22).

    Parameters
    ----------
    E : (..., 2, 4, 4)
        Poses of the bodies A and B, m.

    Raises
    ------
    InvalidArgument
        If ``E`` is not a pose.
    """
    arguments.require_instance("spring", spring, FrameSpring)
    return unchecked_frame_spring.frame_displacement(spring, _check_poses(E))


def frame_spring_energy(spring: FrameSpring, E: ArrayLike) -> Array:
    """Return the potential energy ``(...)``, J, for poses ``E (..., 2, 4, 4)`` of the bodies A and B.

    It is continuous, with a kink at half turns, where the shortest rotation is not unique.

    Raises InvalidArgument if ``E`` is not a pose.
    """
    arguments.require_instance("spring", spring, FrameSpring)
    return unchecked_frame_spring.frame_spring_energy(spring, _check_poses(E))


def frame_spring_forces(spring: FrameSpring, E: ArrayLike, phi: ArrayLike) -> BodyForces:
    """Return the wrenches on the two bodies with exact Jacobians (Lloyd eqs. (0.39), (0.40), 0.22.1, 0.22.2).

    K holds the twist components in body coordinates; for Lloyd's, which holds velocities in the world, see
    :func:`rbnotes.forces.world_axes.at_constant_world_velocity`, and for Jacobians in world axes
    :func:`rbnotes.forces.world_axes.rotate_to_world`.

    Accurate for every angle of rotation from 0 to pi. At exactly pi the torque is discontinuous: its
    direction is that of :func:`rbnotes.so3.log`, and K is the one-sided derivative there.

    Parameters
    ----------
    E : (..., 2, 4, 4)
        Poses of the bodies A and B, m.
    phi : (..., 2, 6)
        Their twists in body coordinates, rad/s and m/s.

    Returns
    -------
    BodyForces
        w ``(..., 2, 6)``, K and D ``(..., 12, 12)``.

    Raises
    ------
    InvalidArgument
        If ``E`` is not a pose or the shape of ``phi`` does not fit.
    """
    arguments.require_instance("spring", spring, FrameSpring)
    return BodyForces(*unchecked_frame_spring.frame_spring_forces(spring, *_check_poses_and_twists(E, phi)))


def frame_spring_dissipated_power(spring: FrameSpring, E: ArrayLike, phi: ArrayLike) -> Array:
    """Return the dissipated power ``(...)``, W, at least 0; arguments as for the forces.

    Raises InvalidArgument if ``E`` is not a pose or the shape of ``phi`` does not fit.
    """
    arguments.require_instance("spring", spring, FrameSpring)
    return unchecked_frame_spring.frame_spring_dissipated_power(spring, *_check_poses_and_twists(E, phi))


@dataclass(frozen=True, eq=False)
class FrameSprings:
    """Frame springs between s pairs of bodies, for :func:`rbnotes.forces.assembly.assemble`.

    Raises InvalidArgument if the shape of ``bodies`` does not fit.

    Attributes
    ----------
    spring
        Parameters of one spring, or ``(s, ...)`` of each.
    bodies
        Indices or names of bodies A and B ``(s, 2)`` or ``(2,)``; :data:`~rbnotes.dynamics.WORLD` or
        ``"world"`` for the world.
    """

    spring: FrameSpring
    bodies: ArrayLike

    def __post_init__(self) -> None:
        arguments.require_instance("spring", self.spring, FrameSpring)
        bodies = check_bodies("bodies", self.bodies, minimum=WORLD)
        if bodies.ndim not in (1, 2) or bodies.shape[-1] != 2:
            raise InvalidArgument("bodies", f"shape {bodies.shape}", "pairs of numbers, shape (s, 2) or (2,)")
        set_fields(self, bodies=bodies)

    def resolve_names(self, index: Callable[[str], int]) -> FrameSprings:
        """Return the same forces with indices of bodies instead of names.

        ``index`` is a function from the name of a body to its index; it raises an error if there is none.
        """
        return replace(self, bodies=resolve_body_names(np.asarray(self.bodies), index))

    def forces(self, state: State) -> IndexedForces:
        """Return forces and derivatives; raises InvalidArgument if ``state`` is not a ``State``."""
        arguments.require_instance("state", state, State)
        coordinates, E, phi = self._body_frames(state)
        return IndexedForces.from_wrenches(
            coordinates, unchecked_frame_spring.frame_spring_forces(self.spring, E, phi)
        )

    def energy(self, state: State) -> float:
        """Return the potential energy, J.

        Raises InvalidArgument if ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        return float(
            np.sum(unchecked_frame_spring.frame_spring_energy(self.spring, self._body_frames(state)[1]))
        )

    def dissipated_power(self, state: State) -> float:
        """Return the dissipated power, W.

        Raises InvalidArgument if ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        _, E, phi = self._body_frames(state)
        return float(np.sum(unchecked_frame_spring.frame_spring_dissipated_power(self.spring, E, phi)))

    def _body_frames(self, state: State) -> tuple[Indices, Array, Array]:
        numbers = np.atleast_2d(require_body_indices("bodies", np.asarray(self.bodies)))
        bodies = len(state.E)
        if np.any(numbers >= bodies):
            got = np.array2string(numbers, threshold=10)
            raise InvalidArgument("bodies", got, f"pairs of numbers from -1 to {bodies - 1}, shape (s, 2)")
        E, phi, coordinates = anchor_frames(state)  # index -1, WORLD, is the last frame
        return coordinates[numbers], E[numbers], phi[numbers]


def _check_semidefinite(name: str, value: ArrayLike) -> Array:
    matrix = arguments.symmetric(name, value)
    eigenvalues = np.linalg.eigvalsh(matrix)
    if np.any(eigenvalues < -1e-12 * np.max(np.abs(eigenvalues), initial=0.0)):
        got = f"smallest eigenvalue {eigenvalues.min():.3g}"
        raise InvalidArgument(name, got, "a matrix without negative eigenvalues")
    return matrix


def _check_poses(E: ArrayLike) -> Array:
    return _check_body_axis("E", arguments.frame("E", E), -3)


def _check_poses_and_twists(E: ArrayLike, phi: ArrayLike) -> tuple[Array, Array]:
    E, phi = _check_poses(E), _check_body_axis("phi", arguments.twist("phi", phi), -2)
    arguments.common_shape(E=E.shape[:-3], phi=phi.shape[:-2])
    return E, phi


def _check_body_axis(name: str, value: Array, axis: int) -> Array:
    if value.ndim < -axis or value.shape[axis] != 2:
        expected = "(..., 2, 4, 4)" if axis == -3 else "(..., 2, 6)"
        raise InvalidArgument(
            name, f"shape {value.shape}", f"shape {expected}, one for each of the two bodies"
        )
    return value
