"""Mechanical system of a tree, by the protocol of :mod:`rbnotes.dynamics` (Sueda 2.3, 2.5, 2.7).

The state is ``State(q=..., qdot=...)``, with particles ``x``, ``v`` if deformable bodies are attached to
the tree. Forces on bodies and particles (springs, muscles, frame springs, dampers) depend on the *maximal*
state, the poses and twists of all links, and act on the joints by ``J^T``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, ArrayField, InvalidArgument
from rbnotes.dynamics import BilateralRows, ForceLaw, Forces, Reduction, State, zero_forces
from rbnotes.dynamics.mechanical_system import StateRetraction
from rbnotes.dynamics.state import EMPTY_STATE
from rbnotes.multibody.reduced.dynamics import (
    _passive_joint_forces,
    coordinate_constraints,
    generalized_body_force,
    kinetic_energy_from_twists,
    mass_matrix_from_jacobian,
    potential_energy_from_poses,
    regularized_mass_matrix,
    rotor_energy_from_rates,
    solve_accelerations,
)
from rbnotes.multibody.reduced.dynamics_derivatives import (
    _geometric_stiffness,
    _kinematics_derivatives,
    body_wrench_derivatives,
)
from rbnotes.multibody.reduced.kinematics import (
    BodyKinematics,
    _jacobian_unchecked,
    body_kinematics_unchecked,
    body_poses_and_twists,
)
from rbnotes.multibody.reduced.model import Tree, require_fixed_coordinates
from rbnotes.unchecked.frozen import replace_unchecked, set_fields


@dataclass(frozen=True, eq=False)
class TreeSystem(StateRetraction):
    """Tree and particles under gravity, joint forces and forces on bodies and particles.

    Attributes
    ----------
    tree
        Links, their joints and gravity.
    masses
        Masses of the particles ``(p,)``, kg.
    applied_forces
        Forces on bodies and particles besides gravity, as a function of the maximal state.
    applied_joint_forces
        Joint forces besides those of the links' springs and dampers, as a function of the state; their f, K
        and D have the k coordinates of the tree.
    armature
        Inertias ``(k,)`` that rotors add to the mass matrix, for each coordinate of the tree, kg m^2 or kg;
        or one number for all.

    Raises
    ------
    InvalidArgument
        If a mass is not positive.
    """

    tree: Tree
    masses: ArrayField = ()
    applied_forces: ForceLaw = zero_forces
    applied_joint_forces: ForceLaw | None = None
    armature: ArrayField = 0.0

    def __post_init__(self) -> None:
        arguments.require_instance("tree", self.tree, Tree)
        arguments.require_force_law("applied_forces", self.applied_forces)
        if self.applied_joint_forces is not None:
            arguments.require_force_law("applied_joint_forces", self.applied_joint_forces)
        masses = arguments.with_ndim("masses", arguments.positive_array("masses", self.masses, None), 1)
        armature = arguments.real_array("armature", self.armature, minimum=0.0)
        k = self.tree.num_coordinates
        set_fields(self, masses=masses, armature=arguments.broadcast_to_count("armature", armature, k))
        for link, own in zip(self.tree.links, self.tree.coordinate_slices, strict=True):
            if np.any(self.armature[own]):
                require_fixed_coordinates(f"armature of link {link.name!r}", link.joint)

    def body_kinematics(self, state: State) -> BodyKinematics:
        """Return poses, twists, Jacobian and bias accelerations of the tree.

        Raises
        ------
        InvalidArgument
            If ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        self._check_state(state)
        return body_kinematics_unchecked(self.tree, state.q, state.qdot)

    def maximal_state(self, state: State) -> State:
        """Return the poses and twists of all links, and the particles: the argument of forces on bodies.

        Raises
        ------
        InvalidArgument
            If ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        self._check_state(state)
        return _maximal_state(state, *body_poses_and_twists(self.tree, state.q, state.qdot))

    def reduction(self, state: State) -> Reduction:
        """Return the map from velocities of particles and joints to bodies and particles (Sueda eq. (2.89)).

        It has no bias; that of accelerations is in :meth:`acceleration_reduction`.

        Raises
        ------
        InvalidArgument
            If ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        self._check_state(state)
        return Reduction(self._append_particles(_jacobian_unchecked(self.tree, state.q)))

    def acceleration_reduction(self, state: State) -> Reduction:
        """Return the same map for accelerations, with the bias ``Jdot qdot`` (Sueda eqs. (2.2), (2.90)).

        Raises
        ------
        InvalidArgument
            If ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        kinematics = self.body_kinematics(state)
        return Reduction(
            self._append_particles(kinematics.J),
            np.append(kinematics.bias_acceleration, np.zeros(state.v.size)),
        )

    def mass_matrix(self, state: State) -> Array:
        """Return the masses of particles and ``J^T M J`` of the tree ``(N, N)`` (Sueda eqs. (2.18), (2.92)).

        The armature is added to the diagonal. Nothing moves along constrained coordinates of joints, such as
        the length of a quaternion, and ``J^T M J`` is zero there. An inertia of the size of the inertia that
        the joint carries is added: it does not change the motion that the constraints allow, and the matrix
        is regular.

        Raises
        ------
        InvalidArgument
            If ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        self._check_state(state)
        count = state.v.size
        M = np.zeros((state.size, state.size))
        M[:count, :count] = np.diag(np.repeat(self.masses, 3))
        M[count:, count:] = regularized_mass_matrix(self.tree, state.q) + np.diag(self.armature)
        return M

    def force(self, state: State) -> Array:
        """Return all forces ``(N,)``: on particles, then on the joints (Sueda eq. (2.73)).

        Raises
        ------
        InvalidArgument
            If ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        return self._total_force(state, self.body_kinematics(state))

    def linearized_force(self, state: State) -> Forces:
        """Return all forces, with the derivatives that linearly implicit Euler keeps (Sueda eq. (2.79)).

        K and D are those of applied and joint forces. The derivatives of J, gravity and the gyroscopic
        wrenches with respect to the coordinates are omitted: they are of first order in the step, like the
        error of that scheme. :meth:`linearized_residual` contains them.

        Raises
        ------
        InvalidArgument
            If ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        kinematics = self.body_kinematics(state)
        applied_forces, applied_joint_forces = (
            self._linearized_applied_forces(_maximal_state(state, kinematics.body_poses, kinematics.phi)),
            self._driving_forces(state),
        )
        J, count = self._append_particles(kinematics.J), state.v.size
        K, D = J.T @ (applied_forces.K @ J), J.T @ (applied_forces.D @ J)
        K[count:, count:] += applied_joint_forces.K - np.diag(self.tree.joint_parameter("stiffness"))
        D[count:, count:] += applied_joint_forces.D - np.diag(self.tree.joint_parameter("damping"))
        return Forces(self._force(state, kinematics, applied_forces.f, applied_joint_forces.f), K, D)

    def linearized_residual(self, state: State, acceleration: ArrayLike) -> Forces:
        """Return ``force - mass_matrix acceleration (N,)``, with all exact derivatives.

        A fully implicit step makes it zero. K and D contain all that :meth:`linearized_force` omits: the
        derivatives of J, gravity, gyroscopic wrenches and inertia by coordinates and velocities. They are as
        exact as those of the applied and driving forces.

        Parameters
        ----------
        acceleration
            Accelerations of particles and joints ``(N,)``.

        Raises
        ------
        InvalidArgument
            If the shape of ``acceleration`` does not fit.
        """
        arguments.require_instance("state", state, State)
        acceleration = arguments.single_vector("acceleration", acceleration, state.size)
        self._check_state(state)
        tree, count = self.tree, state.v.size
        particle_acceleration, joint_acceleration = np.split(acceleration, [count])
        derivatives = _kinematics_derivatives(tree, state.q, state.qdot, joint_acceleration)
        body_wrenches, body_wrenches_q, body_wrenches_qdot = body_wrench_derivatives(tree, derivatives)
        applied_forces, applied_joint_forces = (
            self._linearized_applied_forces(_maximal_state(state, derivatives.body_poses, derivatives.phi)),
            self._driving_forces(state),
        )
        body_wrenches += applied_forces.f[: body_wrenches.size].reshape(body_wrenches.shape)
        particle_force = np.repeat(self.masses, 3) * (
            np.tile(tree.gravity, len(self.masses)) - particle_acceleration
        )
        particle_force += applied_forces.f[body_wrenches.size :]

        J = self._append_particles(derivatives.J)
        twist_derivative = np.zeros_like(J)
        twist_derivative[: body_wrenches.size, count:] = derivatives.phi_q.reshape(body_wrenches.size, -1)
        K, D = applied_forces.K @ J + applied_forces.D @ twist_derivative, applied_forces.D @ J
        K[: body_wrenches.size, count:] += body_wrenches_q.reshape(body_wrenches.size, -1)
        D[: body_wrenches.size, count:] += body_wrenches_qdot.reshape(body_wrenches.size, -1)
        f, K, D = J.T @ np.append(body_wrenches, particle_force), J.T @ K, J.T @ D

        inertia_forces, inertia_forces_q = self._coordinate_constraint_inertia_forces(
            state, joint_acceleration
        )
        inertia_forces += self.armature * joint_acceleration
        f[count:] += (
            _passive_joint_forces(tree, state.q, state.qdot) + applied_joint_forces.f - inertia_forces
        )
        K[count:, count:] += (
            _geometric_stiffness(tree, state.q, body_wrenches) + applied_joint_forces.K - inertia_forces_q
        )
        K[count:, count:] -= np.diag(tree.joint_parameter("stiffness"))
        D[count:, count:] += applied_joint_forces.D - np.diag(tree.joint_parameter("damping"))
        return Forces(f, K, D)

    def acceleration(self, state: State) -> Array:
        """Return the accelerations of particles and joints ``(N,)`` under the joints' own constraints.

        Raises
        ------
        InvalidArgument
            If ``state`` is not a ``State``.
        SingularConfiguration
            If some joint is in a singular state.
        """
        arguments.require_instance("state", state, State)
        kinematics, count = self.body_kinematics(state), state.v.size
        force = self._total_force(state, kinematics)
        M = mass_matrix_from_jacobian(self.tree, state.q, kinematics.J) + np.diag(self.armature)
        joint_acceleration = solve_accelerations(self.tree, state.q, state.qdot, M, force[count:])
        return np.append(force[:count] / np.repeat(self.masses, 3), joint_acceleration)

    def coordinate_constraint_rows(self, state: State, *, acceleration: bool = False) -> BilateralRows:
        """Return the constraints of joints on their own coordinates, such as the unit length of a quaternion.

        The rows are on velocities or on accelerations.

        Raises
        ------
        InvalidArgument
            If ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        self._check_state(state)
        constraint_rows, bias = coordinate_constraints(self.tree, state.q, state.qdot)
        rows = np.zeros((len(constraint_rows), state.size))
        rows[:, state.v.size :] = constraint_rows
        return BilateralRows(rows, -bias if acceleration else 0.0)

    def reparametrize(self, state: State) -> State:
        """Return the same motion in coordinates away from singular states, for the next step (Sueda 2.4.8).

        Raises
        ------
        InvalidArgument
            If ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        self._check_state(state)
        q, qdot = state.q.copy(), state.qdot.copy()
        for link, coordinates in zip(self.tree.links, self.tree.coordinate_slices, strict=True):
            q[coordinates], qdot[coordinates] = link.joint.reparametrize(q[coordinates], qdot[coordinates])
        return replace(state, q=q, qdot=qdot)

    def energy(self, state: State) -> float:
        """Return the kinetic energy and the potential of gravity, joint springs and applied forces, J.

        Raises
        ------
        InvalidArgument
            If ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        maximal_state = self.maximal_state(state)
        kinetic = (
            kinetic_energy_from_twists(self.tree, maximal_state.phi)
            + np.sum(self.masses[:, None] * state.v**2) / 2
            + rotor_energy_from_rates(self.armature, state.qdot)
        )
        potential = potential_energy_from_poses(self.tree, state.q, maximal_state.E)
        potential -= np.sum(self.masses[:, None] * state.x * self.tree.gravity)
        applied_energy = getattr(self.applied_forces, "energy", None)
        return float(kinetic + potential) + (0.0 if applied_energy is None else applied_energy(maximal_state))

    def _linearized_applied_forces(self, maximal_state: State) -> Forces:
        """Return the forces on the maximal state, as :meth:`maximal_state` returns it."""
        if self.applied_forces is zero_forces:
            return zero_forces(maximal_state)
        f, K, D = arguments.call_user_function("applied_forces", self.applied_forces, maximal_state)
        return Forces(arguments.vector("applied_forces: f", f, maximal_state.size), K, D)

    def _coordinate_constraint_inertia_forces(
        self, state: State, joint_acceleration: Array
    ) -> tuple[Array, Array]:
        """Return the inertia forces ``(k,)`` of the coordinate constraints, and their derivative d/dq."""
        k = self.tree.num_coordinates
        inertia_forces, by_q = np.zeros(k), np.zeros((k, k))
        for link, coordinates, size in zip(
            self.tree.links, self.tree.coordinate_slices, self.tree.mean_subtree_inertias, strict=True
        ):
            if link.joint.num_coordinate_constraints:
                joint_q, a = state.q[coordinates], joint_acceleration[coordinates]
                rows = link.joint.compute_coordinate_constraint_jacobian(joint_q)
                row_derivatives = link.joint.compute_coordinate_constraint_jacobian_rate(
                    *np.broadcast_arrays(joint_q, np.eye(len(a)))
                )
                inertia_forces[coordinates] = size * rows.T @ (rows @ a)
                by_q[coordinates, coordinates] = size * (np.swapaxes(row_derivatives, 1, 2) @ (rows @ a)).T
                by_q[coordinates, coordinates] += size * rows.T @ (row_derivatives @ a).T
        return inertia_forces, by_q

    def _total_force(self, state: State, kinematics: BodyKinematics) -> Array:
        maximal_state = _maximal_state(state, kinematics.body_poses, kinematics.phi)
        applied_force = self._linearized_applied_forces(maximal_state).f
        return self._force(state, kinematics, applied_force, self._driving_forces(state).f)

    def _force(
        self, state: State, kinematics: BodyKinematics, applied_force: Array, applied_joint_forces: Array
    ) -> Array:
        body_force, particle_force = np.split(applied_force, [kinematics.phi.size])
        joint_force = generalized_body_force(self.tree, kinematics, body_force.reshape(kinematics.phi.shape))
        joint_force += _passive_joint_forces(self.tree, state.q, state.qdot) + applied_joint_forces
        return np.append(np.kron(self.masses, self.tree.gravity) + particle_force, joint_force)

    def _driving_forces(self, state: State) -> Forces:
        """Return the applied joint forces with their derivatives, zero if there are none."""
        k = self.tree.num_coordinates
        if self.applied_joint_forces is None:
            return Forces(np.zeros(k), np.zeros((k, k)), np.zeros((k, k)))
        f, K, D = arguments.call_user_function("applied_joint_forces", self.applied_joint_forces, state)
        f = arguments.vector("applied_joint_forces: f", f, k)
        K, D = (
            _to_dense(arguments.matrix(f"applied_joint_forces: {n}", m, k, k))
            for n, m in (("K", K), ("D", D))
        )
        return Forces(f, K, D)

    def _append_particles(self, J: Array) -> Array:
        J = J.reshape(6 * len(self.tree.links), self.tree.num_coordinates)
        count = 3 * len(self.masses)
        full_jacobian = np.zeros((J.shape[0] + count, count + J.shape[1]))
        full_jacobian[: J.shape[0], count:] = J
        full_jacobian[J.shape[0] :, :count] = np.eye(count)
        return full_jacobian

    def _check_state(self, state: State) -> None:
        k, p = self.tree.num_coordinates, len(self.masses)
        if state.q.shape != (k,) or state.qdot.shape != (k,) or len(state.x) != p or len(state.E):
            got = (
                f"q {state.q.shape}, qdot {state.qdot.shape}, {len(state.x)} particles, {len(state.E)} bodies"
            )
            each = ", ".join(f"{link.joint.num_coordinates} of {link.name!r}" for link in self.tree.links)
            raise InvalidArgument("state", got, f"q and qdot of shape ({k},), {each}, and {p} particles")


def _maximal_state(state: State, bodies: Array, phi: Array) -> State:
    """Return the maximal state of a tree's state, for forces on bodies and particles."""
    return replace_unchecked(EMPTY_STATE, E=bodies, phi=phi, x=state.x, v=state.v, t=state.t)


def _to_dense(matrix: Any) -> Array:
    dense: Array = matrix.toarray() if hasattr(matrix, "toarray") else matrix
    return dense
