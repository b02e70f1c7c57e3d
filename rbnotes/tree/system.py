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
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.dynamics import (
    BilateralRows,
    ForceLaw,
    Forces,
    Reduction,
    State,
    StepProblem,
    no_forces,
    solve_step,
)
from rbnotes.tree.dynamics import (
    driving_force,
    joint_forces,
    kinetic_energy,
    mass_matrix,
    potential_energy,
)
from rbnotes.tree.kinematics import Motion, jacobian, motion, poses, twists
from rbnotes.tree.model import Tree


@dataclass(frozen=True, eq=False)
class TreeSystem:
    """A tree and particles under gravity, joint forces and forces on bodies and particles.

    Raises
    ------
    InvalidArgument
        If a mass is not positive.
    """

    tree: Tree
    masses: Any = ()
    """Of the particles ``(p,)``, kg."""
    applied: ForceLaw = no_forces
    """Forces on bodies and particles besides gravity, as a function of the maximal state."""
    driven: ForceLaw | None = None
    """Joint forces besides those of the links' springs and dampers, as a function of the state; their f, K
    and D have the k coordinates of the tree."""

    def __post_init__(self) -> None:
        masses = arguments.vector("masses", arguments.positive("masses", self.masses), None)
        object.__setattr__(self, "masses", masses)

    def motion(self, state: State) -> Motion:
        """Poses, twists, Jacobian and drift of the tree."""
        self._check(state)
        return motion(self.tree, state.q, state.qdot)

    def maximal(self, state: State) -> State:
        """Poses and twists of all links, and the particles: what forces on bodies see."""
        self._check(state)
        E = poses(self.tree, state.q).bodies
        return State(E, twists(self.tree, state.q, state.qdot), state.x, state.v, t=state.t)

    def reduction(self, state: State) -> Reduction:
        """All velocities, of bodies and particles, from those of particles and joints (Sueda eq. (2.89)).

        For velocities: without a drift.
        """
        self._check(state)
        return Reduction(self._with_particles(jacobian(self.tree, state.q)))

    def acceleration_reduction(self, state: State) -> Reduction:
        """The same for accelerations: the drift is ``Jdot qdot`` (Sueda eqs. (2.2), (2.90))."""
        at = self.motion(state)
        return Reduction(self._with_particles(at.J), np.append(at.drift, np.zeros(state.v.size)))

    def mass(self, state: State) -> Array:
        """Masses of the particles, and ``J^T M J`` of the tree ``(N, N)`` (Sueda eqs. (2.18), (2.92)).

        Along what constraints on the joints' own coordinates forbid, such as the length of a quaternion,
        nothing moves, and ``J^T M J`` is zero. There it is given the mean inertia of the joint's other
        directions: what the constraints allow does not change, and the matrix is regular.
        """
        self._check(state)
        count = state.v.size
        M = np.zeros((state.size, state.size))
        M[:count, :count] = np.diag(np.repeat(self.masses, 3))
        M[count:, count:] = mass_matrix(self.tree, state.q)
        for link, own in zip(self.tree.links, self.tree.slices, strict=True):
            if link.joint.constraints:
                rows = link.joint.constraint_rows(state.q[own])
                block = M[count + own.start : count + own.stop, count + own.start : count + own.stop]
                block += np.trace(block) / len(block) * rows.T @ rows
        return M

    def force(self, state: State) -> Array:
        """All forces ``(N,)``: on particles, then those that drive the joints (Sueda eq. (2.73))."""
        at = self.motion(state)
        return self._force(state, at, self._applied(state, at).f, self._driven(state).f)

    def forces(self, state: State) -> Forces:
        """The same, with the derivatives that linearly implicit Euler keeps (Sueda eq. (2.79)).

        K and D are those of applied and joint forces. How J, gravity and the gyroscopic wrenches change
        with the coordinates is left out: of first order in the step like all the rest that scheme leaves.
        """
        at = self.motion(state)
        applied, driven = self._applied(state, at), self._driven(state)
        J, count = self._with_particles(at.J), state.v.size
        K, D = J.T @ (applied.K @ J), J.T @ (applied.D @ J)
        K[count:, count:] += driven.K - np.diag(self.tree.stacked("stiffness"))
        D[count:, count:] += driven.D - np.diag(self.tree.stacked("damping"))
        return Forces(self._force(state, at, applied.f, driven.f), K, D)

    def acceleration(self, state: State) -> Array:
        """Accelerations of particles and joints ``(N,)``, with the joints' own constraints kept to.

        Raises
        ------
        SingularConfiguration
            If some joint is in a singular state.
        """
        rows = self.coordinate_rows(state, acceleration=True)
        return solve_step(StepProblem(self.mass(state), self.force(state), rows)).velocity

    def coordinate_rows(self, state: State, *, acceleration: bool = False) -> BilateralRows:
        """Constraints that joints have on their own coordinates, such as that a quaternion is a unit one.

        On velocities, or on accelerations.
        """
        rows, targets = [], []
        for link, own in zip(self.tree.links, self.tree.slices, strict=True):
            if not link.joint.constraints:
                continue
            q, qdot = state.q[own], state.qdot[own]
            row = np.zeros((link.joint.constraints, state.size))
            row[:, state.v.size + own.start : state.v.size + own.stop] = link.joint.constraint_rows(q)
            rows.append(row)
            drift = link.joint.constraint_rows_dot(q, qdot) @ qdot
            targets.append(-drift if acceleration else np.zeros(len(row)))
        if not rows:
            return BilateralRows(np.zeros((0, state.size)))
        return BilateralRows(np.concatenate(rows), np.concatenate(targets))

    def moved(self, state: State, increment: ArrayLike, h: float) -> State:
        """Particles and coordinates plus the increment; velocities kept."""
        return state.moved(increment, h)

    def reparametrised(self, state: State) -> State:
        """The same motion in coordinates away from singular states (Sueda 2.4.8): before a step."""
        self._check(state)
        q, qdot = state.q.copy(), state.qdot.copy()
        for link, own in zip(self.tree.links, self.tree.slices, strict=True):
            q[own], qdot[own] = link.joint.reparametrise(q[own], qdot[own])
        return replace(state, q=q, qdot=qdot)

    def energy(self, state: State) -> float:
        """Kinetic energy, and the potential of gravity, joint springs and applied forces that have one, J."""
        self._check(state)
        moving = kinetic_energy(self.tree, state.q, state.qdot)
        moving += np.sum(self.masses[:, None] * state.v**2) / 2
        potential = potential_energy(self.tree, state.q)
        potential -= np.sum(self.masses[:, None] * state.x * self.tree.gravity)
        stored = getattr(self.applied, "energy", None)
        return float(moving + potential) + (0.0 if stored is None else stored(self.maximal(state)))

    def _applied(self, state: State, at: Motion) -> Forces:
        size = at.phi.size + state.v.size
        f, K, D = self.applied(State(at.bodies, at.phi, state.x, state.v, t=state.t))
        return Forces(arguments.vector("applied: f", f, size), K, D)

    def _force(self, state: State, at: Motion, applied: Array, driven: Array) -> Array:
        on_bodies, on_particles = np.split(applied, [at.phi.size])
        on_joints = driving_force(self.tree, at, on_bodies.reshape(at.phi.shape))
        on_joints += joint_forces(self.tree, state.q, state.qdot) + driven
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
        J = J.reshape(-1, self.tree.size)
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
            raise InvalidArgument("state", got, f"q and qdot of shape ({k},), and {p} particles")


def _dense(matrix: Any) -> Array:
    dense: Array = matrix.toarray() if hasattr(matrix, "toarray") else matrix
    return dense
