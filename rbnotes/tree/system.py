"""A tree that moves: the protocol of :mod:`rbnotes.dynamics` in joint coordinates (Sueda 2.3, 2.5, 2.7).

The state is ``State(q=..., qdot=...)``, with particles ``x``, ``v`` beside it where deformable things hang on
the tree. Whatever acts on bodies and particles (springs, muscles, frame springs, dampers) acts on the
*maximal* state, the poses and twists of all links, and is handed to the joints by ``J^T``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes._frozen import changed
from rbnotes.arguments import Array, ArrayField, InvalidArgument
from rbnotes.dynamics import BilateralRows, ForceLaw, Forces, Reduction, State, no_forces
from rbnotes.tree.dynamics import (
    _joint_forces,
    accelerations,
    coordinate_constraints,
    driving_force,
    kinetic_energy_of,
    potential_energy_of,
    regular_mass_matrix,
)
from rbnotes.tree.kinematics import Motion, _jacobian_at, _motion_at, placed
from rbnotes.tree.model import Tree
from rbnotes.tree.tangent import _geometric_stiffness, _variation, own_wrenches


@dataclass(frozen=True, eq=False)
class TreeSystem:
    """A tree and particles under gravity, joint forces and forces on bodies and particles.

    Raises
    ------
    InvalidArgument
        If a mass is not positive.
    """

    tree: Tree
    """Links, their joints and gravity."""
    masses: ArrayField = ()
    """Of the particles ``(p,)``, kg."""
    applied: ForceLaw = no_forces
    """Forces on bodies and particles besides gravity, as a function of the maximal state."""
    driven: ForceLaw | None = None
    """Joint forces besides those of the links' springs and dampers, as a function of the state; their f, K
    and D have the k coordinates of the tree."""

    def __post_init__(self) -> None:
        arguments.instance("tree", self.tree, Tree)
        arguments.force_law("applied", self.applied)
        if self.driven is not None:
            arguments.force_law("driven", self.driven)
        masses = arguments.exactly("masses", arguments.positive("masses", self.masses, None), 1)
        object.__setattr__(self, "masses", masses)

    def motion(self, state: State) -> Motion:
        """Poses, twists, Jacobian and drift of the tree.

        Raises InvalidArgument if ``state`` is no ``State``.
        """
        arguments.instance("state", state, State)
        self._check(state)
        return _motion_at(self.tree, state.q, state.qdot)

    def maximal(self, state: State) -> State:
        """Poses and twists of all links, and the particles: what forces on bodies see.

        Raises InvalidArgument if ``state`` is no ``State``.
        """
        arguments.instance("state", state, State)
        self._check(state)
        return _seen(state, *placed(self.tree, state.q, state.qdot))

    def reduction(self, state: State) -> Reduction:
        """All velocities, of bodies and particles, from those of particles and joints (Sueda eq. (2.89)).

        For velocities: without a drift.

        Raises InvalidArgument if ``state`` is no ``State``.
        """
        arguments.instance("state", state, State)
        self._check(state)
        return Reduction(self._with_particles(_jacobian_at(self.tree, state.q)))

    def acceleration_reduction(self, state: State) -> Reduction:
        """The same for accelerations: the drift is ``Jdot qdot`` (Sueda eqs. (2.2), (2.90)).

        Raises InvalidArgument if ``state`` is no ``State``.
        """
        arguments.instance("state", state, State)
        at = self.motion(state)
        return Reduction(self._with_particles(at.J), np.append(at.drift, np.zeros(state.v.size)))

    def mass(self, state: State) -> Array:
        """Masses of the particles, and ``J^T M J`` of the tree ``(N, N)`` (Sueda eqs. (2.18), (2.92)).

        Along what constraints on the joints' own coordinates forbid, such as the length of a quaternion,
        nothing moves, and ``J^T M J`` is zero. There it is given an inertia of the size of what the joint
        carries: what the constraints allow does not change, and the matrix is regular.

        Raises InvalidArgument if ``state`` is no ``State``.
        """
        arguments.instance("state", state, State)
        self._check(state)
        count = state.v.size
        M = np.zeros((state.size, state.size))
        M[:count, :count] = np.diag(np.repeat(self.masses, 3))
        M[count:, count:] = regular_mass_matrix(self.tree, state.q)
        return M

    def force(self, state: State) -> Array:
        """All forces ``(N,)``: on particles, then those that drive the joints (Sueda eq. (2.73)).

        Raises InvalidArgument if ``state`` is no ``State``.
        """
        arguments.instance("state", state, State)
        at = self.motion(state)
        return self._force(state, at, self._applied(_seen(state, at.bodies, at.phi)).f, self._driven(state).f)

    def forces(self, state: State) -> Forces:
        """The same, with the derivatives that linearly implicit Euler keeps (Sueda eq. (2.79)).

        K and D are those of applied and joint forces. How J, gravity and the gyroscopic wrenches change
        with the coordinates is left out: of first order in the step like all the rest that scheme leaves.
        It is in :meth:`tangent`.

        Raises InvalidArgument if ``state`` is no ``State``.
        """
        arguments.instance("state", state, State)
        at = self.motion(state)
        applied, driven = self._applied(_seen(state, at.bodies, at.phi)), self._driven(state)
        J, count = self._with_particles(at.J), state.v.size
        K, D = J.T @ (applied.K @ J), J.T @ (applied.D @ J)
        K[count:, count:] += driven.K - np.diag(self.tree.stacked("stiffness"))
        D[count:, count:] += driven.D - np.diag(self.tree.stacked("damping"))
        return Forces(self._force(state, at, applied.f, driven.f), K, D)

    def tangent(self, state: State, acceleration: ArrayLike) -> Forces:
        """``force - mass acceleration (N,)``, with all its derivatives: exact ones.

        That is what a fully implicit step makes zero. K and D hold all that :meth:`forces` leaves out: how J,
        gravity, the bodies' own motion and their inertia change with coordinates and velocities. They are as
        exact as those of the applied and driving forces.

        Parameters
        ----------
        acceleration
            Of particles and joints ``(N,)``.

        Raises
        ------
        InvalidArgument
            If the shape of ``acceleration`` does not fit.
        """
        arguments.instance("state", state, State)
        acceleration = arguments.one_vector("acceleration", acceleration, state.size)
        self._check(state)
        tree, count = self.tree, state.v.size
        of_particles, of_joints = np.split(acceleration, [count])
        varied = _variation(tree, state.q, state.qdot, of_joints)
        own, own_q, own_qdot = own_wrenches(tree, varied)
        applied, driven = self._applied(_seen(state, varied.bodies, varied.phi)), self._driven(state)
        own += applied.f[: own.size].reshape(own.shape)
        on_particles = np.repeat(self.masses, 3) * (np.tile(tree.gravity, len(self.masses)) - of_particles)
        on_particles += applied.f[own.size :]

        J = self._with_particles(varied.J)
        turned = np.zeros_like(J)
        turned[: own.size, count:] = varied.phi_q.reshape(own.size, -1)
        K, D = applied.K @ J + applied.D @ turned, applied.D @ J
        K[: own.size, count:] += own_q.reshape(own.size, -1)
        D[: own.size, count:] += own_qdot.reshape(own.size, -1)
        f, K, D = J.T @ np.append(own, on_particles), J.T @ K, J.T @ D

        held, held_q = self._held(state, of_joints)
        f[count:] += _joint_forces(tree, state.q, state.qdot) + driven.f - held
        K[count:, count:] += _geometric_stiffness(tree, state.q, own) + driven.K - held_q
        K[count:, count:] -= np.diag(tree.stacked("stiffness"))
        D[count:, count:] += driven.D - np.diag(tree.stacked("damping"))
        return Forces(f, K, D)

    def acceleration(self, state: State) -> Array:
        """Accelerations of particles and joints ``(N,)``, with the joints' own constraints kept to.

        Raises
        ------
        InvalidArgument
            If ``state`` is no ``State``.
        SingularConfiguration
            If some joint is in a singular state.
        """
        arguments.instance("state", state, State)
        M, force, count = self.mass(state), self.force(state), state.v.size
        of_joints = accelerations(self.tree, state.q, state.qdot, M[count:, count:], force[count:])
        return np.append(force[:count] / np.repeat(self.masses, 3), of_joints)

    def coordinate_rows(self, state: State, *, acceleration: bool = False) -> BilateralRows:
        """Constraints that joints have on their own coordinates, such as that a quaternion is a unit one.

        On velocities, or on accelerations.

        Raises InvalidArgument if ``state`` is no ``State``.
        """
        arguments.instance("state", state, State)
        self._check(state)
        own, drift = coordinate_constraints(self.tree, state.q, state.qdot)
        rows = np.zeros((len(own), state.size))
        rows[:, state.v.size :] = own
        return BilateralRows(rows, -drift if acceleration else 0.0)

    def moved(self, state: State, increment: ArrayLike, h: float) -> State:
        """Particles and coordinates plus the increment; velocities kept.

        Raises InvalidArgument if ``h`` is no finite number or the shape of ``increment`` does not fit.
        """
        arguments.instance("state", state, State)
        return state.moved(increment, h)

    def reparametrised(self, state: State) -> State:
        """The same motion in coordinates away from singular states (Sueda 2.4.8): before a step.

        Raises InvalidArgument if ``state`` is no ``State``.
        """
        arguments.instance("state", state, State)
        self._check(state)
        q, qdot = state.q.copy(), state.qdot.copy()
        for link, own in zip(self.tree.links, self.tree.slices, strict=True):
            q[own], qdot[own] = link.joint.reparametrise(q[own], qdot[own])
        return replace(state, q=q, qdot=qdot)

    def energy(self, state: State) -> float:
        """Kinetic energy, and the potential of gravity, joint springs and applied forces that have one, J.

        Raises InvalidArgument if ``state`` is no ``State``.
        """
        arguments.instance("state", state, State)
        at = self.maximal(state)
        moving = kinetic_energy_of(self.tree, at.phi) + np.sum(self.masses[:, None] * state.v**2) / 2
        potential = potential_energy_of(self.tree, state.q, at.E)
        potential -= np.sum(self.masses[:, None] * state.x * self.tree.gravity)
        stored = getattr(self.applied, "energy", None)
        return float(moving + potential) + (0.0 if stored is None else stored(at))

    def _applied(self, at: State) -> Forces:
        """Forces on the maximal state, as :meth:`maximal` gives it."""
        f, K, D = self.applied(at)
        return Forces(arguments.vector("applied: f", f, at.size), K, D)

    def _held(self, state: State, of_joints: Array) -> tuple[Array, Array]:
        """What :meth:`mass` adds to ``J^T M J``, times accelerations ``(k,)``; and its derivative by q."""
        k = self.tree.size
        held, by_q = np.zeros(k), np.zeros((k, k))
        for link, own, size in zip(self.tree.links, self.tree.slices, self.tree.carried, strict=True):
            if link.joint.constraints:
                now, a = state.q[own], of_joints[own]
                rows = link.joint._constraint_rows(now)
                slopes = link.joint._constraint_rows_dot(*np.broadcast_arrays(now, np.eye(len(a))))
                held[own] = size * rows.T @ (rows @ a)
                by_q[own, own] = size * (np.swapaxes(slopes, 1, 2) @ (rows @ a)).T
                by_q[own, own] += size * rows.T @ (slopes @ a).T
        return held, by_q

    def _force(self, state: State, at: Motion, applied: Array, driven: Array) -> Array:
        on_bodies, on_particles = np.split(applied, [at.phi.size])
        on_joints = driving_force(self.tree, at, on_bodies.reshape(at.phi.shape))
        on_joints += _joint_forces(self.tree, state.q, state.qdot) + driven
        return np.append(np.kron(self.masses, self.tree.gravity) + on_particles, on_joints)

    def _driven(self, state: State) -> Forces:
        k = self.tree.size
        if self.driven is None:
            return Forces(np.zeros(k), np.zeros((k, k)), np.zeros((k, k)))
        f, K, D = self.driven(state)
        f = arguments.vector("driven: f", f, k)
        K, D = (_dense(arguments.matrix(f"driven: {n}", m, k, k)) for n, m in (("K", K), ("D", D)))
        return Forces(f, K, D)

    def _with_particles(self, J: Array) -> Array:
        J = J.reshape(6 * len(self.tree.links), self.tree.size)
        count = 3 * len(self.masses)
        whole = np.zeros((J.shape[0] + count, count + J.shape[1]))
        whole[: J.shape[0], count:] = J
        whole[J.shape[0] :, :count] = np.eye(count)
        return whole

    def _check(self, state: State) -> None:
        k, p = self.tree.size, len(self.masses)
        if state.q.shape != (k,) or state.qdot.shape != (k,) or len(state.x) != p or len(state.E):
            got = (
                f"q {state.q.shape}, qdot {state.qdot.shape}, {len(state.x)} particles, {len(state.E)} bodies"
            )
            each = ", ".join(f"{link.joint.coordinates} of {link.name!r}" for link in self.tree.links)
            raise InvalidArgument("state", got, f"q and qdot of shape ({k},), {each}, and {p} particles")


def _seen(state: State, bodies: Array, phi: Array) -> State:
    """What forces on bodies and particles see of a state of the tree."""
    return changed(State(bodies, phi), x=state.x, v=state.v, t=state.t)


def _dense(matrix: Any) -> Array:
    dense: Array = matrix.toarray() if hasattr(matrix, "toarray") else matrix
    return dense
