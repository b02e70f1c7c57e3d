"""Tree of bodies, by the protocol of :mod:`rbnotes.dynamics` (Sueda 2.3, 2.5, 2.7).

The state is ``State(q=..., qdot=...)``, with particles ``x``, ``v`` if deformable bodies are attached to
the tree. Forces on bodies and particles (springs, muscles, frame springs, dampers) depend on the *maximal*
state, the poses and twists of all links, and act on the joints by ``J^T``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, ArrayField, InvalidArgument
from rbnotes.dynamics import GRAVITY, BilateralRows, ForceLaw, Forces, Reduction, State, zero_forces
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
from rbnotes.multibody.reduced.link import Link, require_fixed_coordinates, sort_links
from rbnotes.unchecked import se3
from rbnotes.unchecked.frozen import construct_unchecked, replace_unchecked, set_fields

JOINT_PARAMETERS = ("stiffness", "damping", "spring_reference")
"""Fields of a link with one number for each coordinate of its joint."""


@dataclass(frozen=True, eq=False)
class Tree(StateRetraction):
    """Links on joints, particles, and the forces on them: a :class:`~rbnotes.dynamics.MechanicalSystem`.

    Functions of ``(tree, q, qdot)``, such as :func:`~rbnotes.multibody.reduced.forward_dynamics`, describe
    the links with the springs and dampers of their joints and gravity; they take other forces as arguments
    ``tau`` and ``wrenches``. The methods of a state include the particles, all forces and the armature.

    Attributes
    ----------
    links
        Links in any order when given; then sorted, otherwise in the given order.
    gravity
        Gravity ``(3,)`` in the world, m/s^2.
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
        If two links have one name, a parent is missing, links form a cycle, no link with mass follows a
        link without mass, or a mass is not positive; the message names the links.
    """

    links: Sequence[Link]
    gravity: ArrayField = GRAVITY
    _: KW_ONLY
    masses: ArrayField = ()
    applied_forces: ForceLaw = zero_forces
    applied_joint_forces: ForceLaw | None = None
    armature: ArrayField = 0.0

    def __post_init__(self) -> None:
        gravity = arguments.vector("gravity", self.gravity)
        if gravity.shape != (3,):
            raise InvalidArgument("gravity", f"shape {gravity.shape}", "shape (3,)")
        set_fields(self, gravity=gravity, links=sort_links(arguments.instances("links", self.links, Link)))
        self._refuse_massless_leaves()
        arguments.require_force_law("applied_forces", self.applied_forces)
        if self.applied_joint_forces is not None:
            arguments.require_force_law("applied_joint_forces", self.applied_joint_forces)
        masses = arguments.with_ndim("masses", arguments.positive_array("masses", self.masses, None), 1)
        armature = arguments.real_array("armature", self.armature, minimum=0.0)
        set_fields(
            self,
            masses=masses,
            armature=arguments.broadcast_to_count("armature", armature, self.num_coordinates),
        )
        if np.any(self.armature):
            self._require_fixed_coordinates()

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """Index of each link's parent ``(n,)``, -1 for the world."""
        return tuple(-1 if link.parent is None else self.index(link.parent) for link in self.links)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """Indices of each link's children."""
        children: list[list[int]] = [[] for _ in self.links]
        for i, parent in enumerate(self.parents):
            if parent >= 0:
                children[parent].append(i)
        return tuple(map(tuple, children))

    @cached_property
    def coordinate_slices(self) -> tuple[slice, ...]:
        """Slice of each link's coordinates among all coordinates."""
        ends = np.cumsum([0, *(link.joint.num_coordinates for link in self.links)]).tolist()
        return tuple(slice(start, end) for start, end in pairwise(ends))

    @property
    def num_coordinates(self) -> int:
        """Number k of coordinates, and of velocities."""
        return self.coordinate_slices[-1].stop if self.links else 0

    @cached_property
    def inertias(self) -> Array:
        """Spatial inertias ``(n, 6, 6)``, zero where there is no mass."""
        massless = np.zeros((6, 6))
        inertias = [massless if link.inertia is None else link.inertia for link in self.links]
        return np.array(inertias).reshape(-1, 6, 6)

    @cached_property
    def mean_subtree_inertias(self) -> Array:
        """Mean diagonal entry ``(n,)`` of the summed inertias of each link and all links beyond it."""
        sizes: Array = np.trace(self.inertias, axis1=-2, axis2=-1) / 6
        for i in reversed(range(len(self.links))):
            if self.parents[i] >= 0:
                sizes[self.parents[i]] += sizes[i]
        return sizes

    @cached_property
    def placements(self) -> Array:
        """Frames ``(n, 4, 4)`` of the joints at rest, each in the joint frame of its parent."""
        return np.array([link.placement for link in self.links]).reshape(-1, 4, 4)

    @cached_property
    def body_frames(self) -> Array:
        """Frames ``(n, 4, 4)`` of the bodies, each in its joint's frame."""
        return np.array([link.body_frame for link in self.links]).reshape(-1, 4, 4)

    @cached_property
    def joint_to_body_adjoints(self) -> Array:
        """Adjoints ``(n, 6, 6)`` that map twists from the joints' frames to the bodies'."""
        return se3.Ad_inverse(self.body_frames)

    @cached_property
    def weights_and_centers(self) -> tuple[Array, Array]:
        """Weights ``(n, 3)`` in the world, N, and the centers of mass ``(n, 3)`` in the bodies' frames, m."""
        masses = self.inertias[:, 5, 5]
        moments = np.stack([self.inertias[:, 2, 4], self.inertias[:, 0, 5], self.inertias[:, 1, 3]], axis=-1)
        positive_masses = np.where(masses > 0, masses, 1.0)
        return masses[:, None] * self.gravity, moments / positive_masses[:, None]

    @cached_property
    def neutral(self) -> Array:
        """Neutral coordinates ``(k,)`` of all joints: mostly zeros."""
        return np.concatenate([np.zeros(0), *(link.joint.neutral for link in self.links)])

    def joint_parameter(self, field: str) -> Array:
        """Return ``stiffness``, ``damping`` or ``spring_reference`` of all coordinates ``(k,)``.

        Raises
        ------
        InvalidArgument
            If ``field`` is not one of the names.
        """
        return self._joint_parameters[arguments.choice("field", field, JOINT_PARAMETERS)].copy()

    @cached_property
    def _joint_parameters(self) -> dict[str, Array]:
        return {
            field: np.concatenate([np.zeros(0), *(getattr(link, field) for link in self.links)])
            for field in JOINT_PARAMETERS
        }

    def check_vector(self, name: str, value: ArrayLike) -> Array:
        """Return an array ``(..., k)`` with one value for each coordinate, such as coordinates or velocities.

        Raises
        ------
        InvalidArgument
            If the number of values is not k; the message lists the number for each link.
        """
        try:
            return arguments.vector(name, value, self.num_coordinates)
        except InvalidArgument as error:
            if not error.got.startswith("shape"):
                raise
            each = ", ".join(f"{link.joint.num_coordinates} of {link.name!r}" for link in self.links)
            raise InvalidArgument(name, error.got, f"{error.expected}: {each}") from error

    def index(self, name: str) -> int:
        """Return the index of the link with this name.

        Raises
        ------
        InvalidArgument
            If there is none.
        """
        if not isinstance(name, str) or name not in self._indices:
            names = ", ".join(map(repr, self._indices))
            raise InvalidArgument("name", arguments.format_value(name), f"one of {names}")
        return self._indices[name]

    @cached_property
    def _indices(self) -> dict[str, int]:
        return {link.name: i for i, link in enumerate(self.links)}

    def coordinates(self, values: Mapping[str, ArrayLike], default: ArrayLike | None = None) -> Array:
        """Return stacked coordinates or velocities ``(k,)`` from values by the names of links.

        The others are taken from ``default (k,)``, which is neutral if not given. For velocities, pass
        ``default=0``.

        Raises
        ------
        InvalidArgument
            If there is no link of a name, or its numbers or ``default`` do not fit.
        """
        arguments.require_instance("values", values, Mapping)
        base = self.neutral if default is None else arguments.array("default", default)
        if base.shape not in ((), (self.num_coordinates,)):
            raise InvalidArgument(
                "default", f"shape {base.shape}", f"a number, or shape ({self.num_coordinates},)"
            )
        result = np.array(np.broadcast_to(base, (self.num_coordinates,)))
        for name, value in values.items():
            joint_slice = self.coordinate_slices[self.index(arguments.text("values: name", name))]
            count = joint_slice.stop - joint_slice.start
            numbers = arguments.array(f"values[{name!r}]", value)
            if numbers.shape not in ((), (count,)) or (numbers.ndim == 0 and count != 1):
                raise InvalidArgument(f"values[{name!r}]", f"shape {numbers.shape}", f"shape ({count},)")
            result[joint_slice] = numbers
        return result

    def body_kinematics(self, state: State) -> BodyKinematics:
        """Return poses, twists, Jacobian and bias accelerations of the tree.

        Raises
        ------
        InvalidArgument
            If ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        self._check_state(state)
        return body_kinematics_unchecked(self, state.q, state.qdot)

    def maximal_state(self, state: State) -> State:
        """Return the poses and twists of all links, and the particles: the argument of forces on bodies.

        Raises
        ------
        InvalidArgument
            If ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        self._check_state(state)
        return _maximal_state(state, *body_poses_and_twists(self, state.q, state.qdot))

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
        return Reduction(self._append_particles(_jacobian_unchecked(self, state.q)))

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
        M[count:, count:] = regularized_mass_matrix(self, state.q) + np.diag(self.armature)
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
        K[count:, count:] += applied_joint_forces.K - np.diag(self.joint_parameter("stiffness"))
        D[count:, count:] += applied_joint_forces.D - np.diag(self.joint_parameter("damping"))
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
        count = state.v.size
        particle_acceleration, joint_acceleration = np.split(acceleration, [count])
        derivatives = _kinematics_derivatives(self, state.q, state.qdot, joint_acceleration)
        body_wrenches, body_wrenches_q, body_wrenches_qdot = body_wrench_derivatives(self, derivatives)
        applied_forces, applied_joint_forces = (
            self._linearized_applied_forces(_maximal_state(state, derivatives.body_poses, derivatives.phi)),
            self._driving_forces(state),
        )
        body_wrenches += applied_forces.f[: body_wrenches.size].reshape(body_wrenches.shape)
        particle_force = np.repeat(self.masses, 3) * (
            np.tile(self.gravity, len(self.masses)) - particle_acceleration
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
            _passive_joint_forces(self, state.q, state.qdot) + applied_joint_forces.f - inertia_forces
        )
        K[count:, count:] += (
            _geometric_stiffness(self, state.q, body_wrenches) + applied_joint_forces.K - inertia_forces_q
        )
        K[count:, count:] -= np.diag(self.joint_parameter("stiffness"))
        D[count:, count:] += applied_joint_forces.D - np.diag(self.joint_parameter("damping"))
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
        M = mass_matrix_from_jacobian(self, state.q, kinematics.J) + np.diag(self.armature)
        joint_acceleration = solve_accelerations(self, state.q, state.qdot, M, force[count:])
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
        constraint_rows, bias = coordinate_constraints(self, state.q, state.qdot)
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
        for link, coordinates in zip(self.links, self.coordinate_slices, strict=True):
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
            kinetic_energy_from_twists(self, maximal_state.phi)
            + np.sum(self.masses[:, None] * state.v**2) / 2
            + rotor_energy_from_rates(self.armature, state.qdot)
        )
        potential = potential_energy_from_poses(self, state.q, maximal_state.E)
        potential -= np.sum(self.masses[:, None] * state.x * self.gravity)
        applied_energy = getattr(self.applied_forces, "energy", None)
        return float(kinetic + potential) + (0.0 if applied_energy is None else applied_energy(maximal_state))

    def _require_fixed_coordinates(self) -> None:
        """Check that the coordinates of joints with armature are independent and fixed."""
        for link, own in zip(self.links, self.coordinate_slices, strict=True):
            if np.any(self.armature[own]):
                require_fixed_coordinates(f"armature of link {link.name!r}", link.joint)

    def _refuse_massless_leaves(self) -> None:
        has_mass = self.inertias[:, 5, 5] > 0
        for i in reversed(range(len(self.links))):
            if has_mass[i] and self.parents[i] >= 0:
                has_mass[self.parents[i]] = True
        for link, link_has_mass in zip(self.links, has_mass, strict=True):
            if not link_has_mass:
                expected = "an inertia, for it or for a link beyond it"
                raise InvalidArgument(f"link {link.name!r}: inertia", "no mass", expected)

    def _with_joint_forces(self, applied_joint_forces: ForceLaw) -> Self:
        """Return the tree under other joint forces, with the cached properties of its links."""
        return construct_unchecked(type(self), **{**vars(self), "applied_joint_forces": applied_joint_forces})

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
        k = self.num_coordinates
        inertia_forces, by_q = np.zeros(k), np.zeros((k, k))
        for link, coordinates, size in zip(
            self.links, self.coordinate_slices, self.mean_subtree_inertias, strict=True
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
        joint_force = generalized_body_force(self, kinematics, body_force.reshape(kinematics.phi.shape))
        joint_force += _passive_joint_forces(self, state.q, state.qdot) + applied_joint_forces
        return np.append(np.kron(self.masses, self.gravity) + particle_force, joint_force)

    def _driving_forces(self, state: State) -> Forces:
        """Return the applied joint forces with their derivatives, zero if there are none."""
        k = self.num_coordinates
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
        J = J.reshape(6 * len(self.links), self.num_coordinates)
        count = 3 * len(self.masses)
        full_jacobian = np.zeros((J.shape[0] + count, count + J.shape[1]))
        full_jacobian[: J.shape[0], count:] = J
        full_jacobian[J.shape[0] :, :count] = np.eye(count)
        return full_jacobian

    def _check_state(self, state: State) -> None:
        k, p = self.num_coordinates, len(self.masses)
        if state.q.shape != (k,) or state.qdot.shape != (k,) or len(state.x) != p or len(state.E):
            got = (
                f"q {state.q.shape}, qdot {state.qdot.shape}, {len(state.x)} particles, {len(state.E)} bodies"
            )
            each = ", ".join(f"{link.joint.num_coordinates} of {link.name!r}" for link in self.links)
            raise InvalidArgument("state", got, f"q and qdot of shape ({k},), {each}, and {p} particles")


def _maximal_state(state: State, bodies: Array, phi: Array) -> State:
    """Return the maximal state of a tree's state, for forces on bodies and particles."""
    return replace_unchecked(EMPTY_STATE, E=bodies, phi=phi, x=state.x, v=state.v, t=state.t)


def _to_dense(matrix: Any) -> Array:
    dense: Array = matrix.toarray() if hasattr(matrix, "toarray") else matrix
    return dense
