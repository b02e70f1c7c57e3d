"""Free bodies and particles under gravity and applied forces (Sueda 1.6; Lloyd 0.9).

A body's inertia ``M (6, 6)`` is about the origin of its frame, which may lie anywhere in the body, and its
twist is in that frame, so that

    M dphi/dt = ad(phi)^T M phi + weight + applied wrenches.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from rbnotes import arguments, inertia
from rbnotes.arguments import Array, InvalidArgument, Matrix
from rbnotes.dynamics.mechanical_system import (
    ForceLaw,
    Forces,
    StateRetraction,
    subtract_inertial_force,
    zero_forces,
)
from rbnotes.dynamics.state import State
from rbnotes.unchecked import se3, so3

GRAVITY = (0.0, 0.0, -9.81)
"""Standard gravity along -z, m/s^2."""

MAX_DENSE_SIZE = 300
"""Largest number of velocities for which dense matrices are faster."""


def gyroscopic_wrench(M: ArrayLike, phi: ArrayLike) -> Array:
    """Return the gyroscopic wrench ``ad(phi)^T M phi (..., 6)`` (Sueda 1.6, eq. (1.21)).

    It does no work.

    Raises InvalidArgument if ``M`` is not positive definite or the shape of ``phi`` does not fit.
    """
    return _gyroscopic_wrench(*_check_inertia_and_twist(M, phi))


def gravity_wrench(E: ArrayLike, M: ArrayLike, g: ArrayLike) -> Array:
    """Return the body wrench ``(..., 6)`` of gravity ``g (3,)`` in world axes (Sueda 1.6, eq. (1.22)).

    The force acts at the center of mass; about another origin of the body frame it has a moment.

    Raises InvalidArgument if ``E`` is not a pose, ``M`` is not a spatial inertia, or the shape of ``g`` does
    not fit.
    """
    mass, _, com = inertia.from_spatial_inertia(M)
    E, g = arguments.frame("E", E), arguments.vector("g", g)
    arguments.common_shape(E=E.shape[:-2], M=mass.shape, g=g.shape[:-1])
    return se3.point_wrench(E, com, mass[..., None] * g)


def body_acceleration(M: ArrayLike, phi: ArrayLike, wrench: ArrayLike) -> Array:
    """Return the body acceleration ``(..., 6)``: ``M dphi/dt = ad(phi)^T M phi + wrench`` (Sueda eq. (1.21)).

    Raises InvalidArgument if ``M`` is not positive definite or the shape of ``phi`` or ``wrench`` does not
    fit.
    """
    wrench = arguments.twist("wrench", wrench)
    M, phi = _check_inertia_and_twist(M, phi, wrench=wrench.shape[:-1])
    force = _gyroscopic_wrench(M, phi) + wrench
    return np.linalg.solve(M, force[..., None])[..., 0]


def spatial_momentum(M: ArrayLike, E: ArrayLike, phi: ArrayLike) -> Array:
    """Return angular momentum about the origin, then linear momentum ``(..., 6)``, in world coordinates.

    Raises InvalidArgument if ``M`` is not positive definite, ``E`` is not a pose, or the shape of ``phi``
    does not fit.
    """
    E = arguments.frame("E", E)
    M, phi = _check_inertia_and_twist(M, phi, E=E.shape[:-2])
    momentum = np.einsum("...ij,...j->...i", M, phi)
    result: Array = np.einsum("...ji,...j->...i", se3.Ad_inverse(E), momentum)
    return result


def kinetic_energy(M: ArrayLike, phi: ArrayLike) -> Array:
    """Return the kinetic energy ``phi^T M phi / 2 (...)``, J.

    Raises InvalidArgument if ``M`` is not positive definite or the shape of ``phi`` does not fit.
    """
    M, phi = _check_inertia_and_twist(M, phi)
    result: Array = np.einsum("...i,...ij,...j->...", phi, M, phi) / 2
    return result


@dataclass(frozen=True, eq=False)
class FreeSystem(StateRetraction):
    """Valid bodies and particles of a model without their constraints: its mass matrix and forces.

    Attributes
    ----------
    inertias
        Spatial inertias of the bodies ``(m, 6, 6)``, kg m^2, kg m and kg, positive definite.
    masses
        Masses of the particles ``(p,)``, kg.
    gravity
        Gravity ``(3,)`` in world axes, m/s^2.
    applied_forces
        Forces besides gravity.
    force_name
        Name of the applied forces in errors.
    """

    inertias: Array
    masses: Array
    gravity: Array
    applied_forces: ForceLaw
    force_name: str = "applied_forces"

    @property
    def size(self) -> int:
        """Number N of velocities."""
        return 6 * len(self.inertias) + 3 * len(self.masses)

    @cached_property
    def sparse_mass_matrix(self) -> sparse.csc_array:
        """Mass matrix ``(N, N)``, sparse."""
        return sparse.csc_array(self._block_diagonal(self.inertias, self.masses))

    @cached_property
    def sparse_inverse_mass_matrix(self) -> sparse.csc_array:
        """Inverse of the mass matrix ``(N, N)``, sparse."""
        return sparse.csc_array(self._block_diagonal(np.linalg.inv(self.inertias), 1 / self.masses))

    @cached_property
    def mass_properties(self) -> inertia.MassProperties:
        """Masses ``(m,)``, inertias about the centers of mass ``(m, 3, 3)``, and these ``(m, 3)``."""
        return inertia.from_spatial_inertia(self.inertias)

    @cached_property
    def body_weights(self) -> Array:
        """Weights of the bodies ``(m, 3)`` in the world, N."""
        result: Array = self.mass_properties.mass[:, None] * self.gravity
        return result

    @cached_property
    def _mass_matrix(self) -> Matrix:
        return self.sparse_mass_matrix.toarray() if self.size <= MAX_DENSE_SIZE else self.sparse_mass_matrix

    def mass_matrix(self, state: State) -> Matrix:
        """Return the mass matrix ``(N, N)``, sparse if it is large.

        Raises InvalidArgument if ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        return self._mass_matrix

    def force(self, state: State) -> Array:
        """Return gyroscopic wrenches, gravity and applied forces ``(N,)``.

        Raises InvalidArgument if ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        return self.gyroscopic_wrenches(state) + self.external_force(state)

    def gyroscopic_wrenches(self, state: State) -> Array:
        """Return the gyroscopic wrenches of the bodies ``(N,)``.

        Raises InvalidArgument if ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        self._check_state(state)
        return np.concatenate([_gyroscopic_wrench(self.inertias, state.phi).ravel(), np.zeros(state.x.size)])

    def external_force(self, state: State) -> Array:
        """Return gravity and applied forces ``(N,)``, without gyroscopic wrenches.

        Raises InvalidArgument if ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        return self.gravity_force(state) + self.linearized_applied_forces(state).f

    def gravity_force(self, state: State) -> Array:
        """Return gravity ``(N,)``: wrenches on bodies, forces on particles.

        Raises InvalidArgument if ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        self._check_state(state)
        bodies = se3.point_wrench(state.E, self.mass_properties.com, self.body_weights)
        return np.concatenate([bodies.ravel(), np.outer(self.masses, self.gravity).ravel()])

    def linearized_force(self, state: State) -> Forces:
        """Return all forces with derivatives; those of applied forces are the given ones.

        Raises InvalidArgument if ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        D = self._block_diagonal(
            _gyroscopic_wrench_derivative(self.inertias, state.phi), np.zeros(len(self.masses))
        )
        own_forces = self.gyroscopic_wrenches(state) + self.gravity_force(state)
        return Forces(
            own_forces, self.gravity_stiffness(state), sparse.csc_array(D)
        ) + self.linearized_applied_forces(state)

    def linearized_residual(self, state: State, acceleration: ArrayLike) -> Forces:
        """Return ``force - mass acceleration`` with the derivatives of the force: the mass is constant.

        Raises InvalidArgument if the shape of ``acceleration`` does not fit.
        """
        arguments.require_instance("state", state, State)
        return subtract_inertial_force(self.linearized_force(state), self.sparse_mass_matrix, acceleration)

    def gravity_stiffness(self, state: State) -> sparse.csc_array:
        """Return the derivative ``(N, N)`` of gravity wrenches with respect to rotations.

        Its blocks are ``Gamma(c)^T [R^T w]``.

        Raises InvalidArgument if ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        self._check_state(state)
        local = np.einsum("nji,nj->ni", state.E[:, :3, :3], self.body_weights)
        blocks = np.zeros((len(local), 6, 6))
        blocks[:, :, :3] = se3.Gamma(self.mass_properties.com).mT @ so3.hat(local)
        return sparse.csc_array(self._block_diagonal(blocks, np.zeros(len(self.masses))))

    def linearized_applied_forces(self, state: State) -> Forces:
        """Return the applied forces with derivatives.

        Raises InvalidArgument if ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        self._check_state(state)
        name = self.force_name
        forces: Forces = arguments.call_user_function(name, self.applied_forces, state)
        if self.applied_forces is zero_forces:
            return forces
        if not isinstance(forces, Forces):
            raise InvalidArgument(name, type(forces).__name__, "a function that returns Forces")
        f = arguments.single_vector(name, forces.f, state.size)
        K = arguments.matrix_without_copy(f"{name} K", forces.K, state.size, state.size)
        return Forces(f, K, arguments.matrix_without_copy(f"{name} D", forces.D, state.size, state.size))

    def acceleration(self, state: State) -> Array:
        """Return the accelerations ``M^-1 f (N,)``.

        Raises InvalidArgument if ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        result: Array = self.sparse_inverse_mass_matrix @ self.force(state)
        return result

    def energy(self, state: State) -> float:
        """Return the kinetic energy and the potential of gravity, zero with all masses at the origin, J.

        The potential of applied forces is not included.

        Raises InvalidArgument if ``state`` is not a ``State``.
        """
        return self.kinetic_energy(state) + self.gravity_energy(state)

    def kinetic_energy(self, state: State) -> float:
        """Return the kinetic energy, J.

        Raises InvalidArgument if ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        self._check_state(state)
        velocity = state.velocity
        return float(velocity @ (self.sparse_mass_matrix @ velocity) / 2)

    def gravity_energy(self, state: State) -> float:
        """Return the potential of gravity, zero with all masses at the origin, J.

        Raises InvalidArgument if ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        self._check_state(state)
        centers = se3.transform_points(state.E, self.mass_properties.com)
        weight = np.sum(self.body_weights * centers) + np.sum(self.masses[:, None] * self.gravity * state.x)
        return -float(weight)

    def _check_state(self, state: State) -> None:
        counts = len(state.E), len(state.x), len(state.q)
        if counts != (len(self.inertias), len(self.masses), 0):
            got = "{} bodies, {} particles and {} coordinates".format(*counts)
            expected = f"{len(self.inertias)} bodies and {len(self.masses)} particles"
            raise InvalidArgument("state", got, expected)

    def _block_diagonal(self, bodies: Array, particles: Array) -> Any:
        """Return blocks ``(m, 6, 6)`` and numbers ``(p,)`` on the diagonal of ``(N, N)``."""
        return sparse.block_diag([*bodies, sparse.diags_array(np.repeat(particles, 3))], format="csc")


def _check_inertia_and_twist(
    M: ArrayLike, phi: ArrayLike, **other_shapes: tuple[int, ...]
) -> tuple[Array, Array]:
    """Check inertias and twists, and that all leading axes broadcast."""
    M, phi = arguments.positive_definite("M", M, 6), arguments.twist("phi", phi)
    arguments.common_shape(M=M.shape[:-2], phi=phi.shape[:-1], **other_shapes)
    return M, phi


def _gyroscopic_wrench(M: Array, phi: Array) -> Array:
    result: Array = np.einsum("...ji,...jk,...k->...i", se3.ad(phi), M, phi)
    return result


def _gyroscopic_wrench_derivative(M: Array, phi: Array) -> Array:
    momentum = (M @ phi[..., None])[..., 0]
    result = se3.ad(phi).mT @ M
    linear = so3.hat(momentum[..., 3:])
    result[..., :3, :3] += so3.hat(momentum[..., :3])
    result[..., :3, 3:] += linear
    result[..., 3:, :3] += linear
    return result
