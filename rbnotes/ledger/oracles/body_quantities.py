"""What recursions over bodies are written in, from complex steps of poses: adjoints, joint maps, inertias.

Frames and adjoints are those of the bodies; the parent of a body that hangs in the world is the world.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.oracles import body_trees
from rbnotes.ledger.oracles.bodies import bracket, kinetic_energy_matrix
from rbnotes.ledger.oracles.pose_products import derivative_along_motion

ZERO = np.zeros((3, 3))


@dataclass(frozen=True, eq=False)
class BodyQuantities:
    """Quantities of n bodies at one state, each computed at its first use."""

    assembly: body_trees.Assembly
    """Bodies and joints at rest."""
    q: Array
    """Coordinates ``(k,)``, rad or m."""
    qdot: Array
    """Their rates ``(k,)``, rad/s or m/s."""

    @property
    def parents(self) -> tuple[int, ...]:
        return self.assembly.parents

    @cached_property
    def coordinate_slices(self) -> list[slice]:
        """Where each joint's coordinates are among all."""
        return body_trees.coordinate_slices(self.assembly)

    @cached_property
    def G(self) -> Array:
        """Poses ``(n, 4, 4)`` in the parents."""
        return relative_poses(self.assembly, self.q)

    @cached_property
    def A(self) -> Array:
        """Adjoints ``(n, 6, 6)`` of their inverses."""
        return np.stack([adjoint_matrix(np.linalg.inv(pose)) for pose in self.G])

    @cached_property
    def S(self) -> list[Array]:
        """Twists ``(6, k_i)`` in the parents for unit rates."""
        each = zip(self.assembly.kinds, self._to_bodies, self.coordinate_slices, strict=True)
        return [A @ body_trees.joint_jacobian(kind, self.q[own]) for kind, A, own in each]

    @cached_property
    def Sdot(self) -> list[Array]:
        """Their rates."""
        each = zip(self.assembly.kinds, self._to_bodies, self.coordinate_slices, strict=True)
        return [A @ _motion_subspace_rate(kind, self.q[own], self.qdot[own]) for kind, A, own in each]

    @cached_property
    def J(self) -> Array:
        """Inertias ``(n, 6, 6)``."""
        bodies = zip(self.assembly.masses, self.assembly.inertias, self.assembly.centers, strict=True)
        return np.stack([kinetic_energy_matrix(m, inertia, c) for m, inertia, c in bodies])

    @cached_property
    def v(self) -> Array:
        """Twists ``(n, 6)``."""
        return body_trees.twists(self.assembly, self.q, self.qdot)

    @cached_property
    def gravity_wrenches(self) -> Array:
        """Weights ``(n, 6)``."""
        E = body_trees.poses(self.assembly, self.q)
        return np.stack([gravity_wrench(self.assembly, i, E[i]) for i in range(len(E))])

    @cached_property
    def _to_bodies(self) -> list[Array]:
        """Adjoints from the frames of the joints."""
        pairs = zip(self.assembly.joints, self.assembly.bodies, strict=True)
        return [adjoint_matrix(np.linalg.inv(body) @ joint) for joint, body in pairs]

    def vdot(self, qddot: Array) -> Array:
        """Return rates ``(n, 6)`` of the twists at these accelerations."""
        return self.bias_acceleration + self.twists_from_rates(qddot)

    def twists_from_rates(self, rates: Array) -> Array:
        """Return twists ``(n, 6)`` for rates of the coordinates, or parts of them."""
        return body_trees.twists(self.assembly, self.q, rates)

    @cached_property
    def bias_acceleration(self) -> Array:
        """Rates ``(n, 6)`` of the twists while the coordinates change steadily."""
        return body_trees.twist_rates(self.assembly, self.q, self.qdot, np.zeros_like(self.q))

    def children(self, i: int) -> list[int]:
        return [k for k, parent in enumerate(self.parents) if parent == i]


@dataclass(frozen=True, eq=False)
class StackedBodyMatrices:
    """The same of all bodies as matrices: six rows for each."""

    bodies: BodyQuantities
    """The same, body by body."""

    @cached_property
    def S(self) -> Array:
        return block_diagonal(self.bodies.S)

    @cached_property
    def Sdot(self) -> Array:
        return block_diagonal(self.bodies.Sdot)

    @cached_property
    def J(self) -> Array:
        return block_diagonal(self.bodies.J)

    @cached_property
    def parent_adjoints(self) -> Array:
        return block_diagonal(self.bodies.A)

    @cached_property
    def parent_selection(self) -> Array:
        """Matrix ``(6 n, 6 n)`` that maps the stacked values of all bodies to those of their parents."""
        n = len(self.bodies.parents)
        chosen = np.zeros((6 * n, 6 * n))
        for i, parent in enumerate(self.bodies.parents):
            if parent >= 0:
                chosen[6 * i : 6 * i + 6, 6 * parent : 6 * parent + 6] = np.eye(6)
        return chosen

    @cached_property
    def Gamma(self) -> Array:
        result: Array = self.parent_adjoints @ self.parent_selection
        return result

    @cached_property
    def G(self) -> Array:
        return twist_propagation_matrix(self.bodies)

    @cached_property
    def ad_Sqdot(self) -> Array:
        """With the minus of the paper's symbol."""
        each = zip(self.bodies.S, self.bodies.coordinate_slices, strict=True)
        return block_diagonal([-lie_bracket_matrix(S @ self.bodies.qdot[own]) for S, own in each])

    @cached_property
    def ad_v(self) -> Array:
        """With the minus of the paper's symbol, and the twists."""
        return block_diagonal([-lie_bracket_matrix(v).T for v in self.bodies.v])

    def ad_vdot(self, qddot: Array) -> Array:
        """With the minus of the paper's symbol, and the rates of the twists, as it is printed."""
        return block_diagonal([-lie_bracket_matrix(rate).T for rate in self.bodies.vdot(qddot)])

    def f_e(self, wrenches: Array) -> Array:
        """Return the loads of all bodies, with a minus sign."""
        loads: Array = -(self.bodies.gravity_wrenches + wrenches).ravel()
        return loads


def stacked_matrices(assembly: body_trees.Assembly, q: Array, qdot: Array) -> StackedBodyMatrices:
    """Return the stacked matrices of an assembly at one state; the most recent results are cached."""
    return _stacked_matrices(assembly, q.tobytes(), qdot.tobytes())


@lru_cache(maxsize=128)
def _stacked_matrices(assembly: body_trees.Assembly, q: bytes, qdot: bytes) -> StackedBodyMatrices:
    return StackedBodyMatrices(_body_quantities(assembly, q, qdot))


def _motion_subspace_rate(kind: str, q: Array, qdot: Array) -> Array:
    """Return the time derivative of a joint's motion subspace, in its own frame, along the motion."""

    def twists(x: Array) -> Array:
        return body_trees.joint_jacobian(kind, x)

    return derivative_along_motion(twists, q, qdot)


def body_quantities(assembly: body_trees.Assembly, q: Array, qdot: Array) -> BodyQuantities:
    """Return the quantities of an assembly at one state; the most recent results are cached."""
    return _body_quantities(assembly, q.tobytes(), qdot.tobytes())


@lru_cache(maxsize=128)
def _body_quantities(assembly: body_trees.Assembly, q: bytes, qdot: bytes) -> BodyQuantities:
    return BodyQuantities(assembly, np.frombuffer(q), np.frombuffer(qdot))


def relative_poses(assembly: body_trees.Assembly, q: Array) -> Array:
    """Return poses ``(..., n, 4, 4)`` of the bodies in their parents, from what their joints do alone."""
    found = []
    for i, (kind, part) in enumerate(
        zip(assembly.kinds, body_trees.coordinate_slices(assembly), strict=True)
    ):
        parent = assembly.parents[i]
        before = np.eye(4) if parent < 0 else np.linalg.inv(assembly.bodies[parent])
        F = assembly.joints[i]
        after = np.linalg.inv(F) @ assembly.bodies[i]
        found.append(before @ F @ body_trees.joint_motion(kind, q[..., part]) @ after)
    return np.stack(found, axis=-3)


def adjoint_matrix(E: Array) -> Array:
    """Adjoint ``(6, 6)`` of a pose."""
    return np.block([[E[:3, :3], ZERO], [bracket(E[:3, 3]) @ E[:3, :3], E[:3, :3]]])


def lie_bracket_matrix(xi: Array) -> Array:
    """Return the Lie bracket with a twist, as a matrix."""
    return np.block([[bracket(xi[:3]), ZERO], [bracket(xi[3:]), bracket(xi[:3])]])


def gravity_wrench(assembly: body_trees.Assembly, i: int, E: Array) -> Array:
    """Of a body, as a wrench in its frame."""
    pull = assembly.masses[i] * E[:3, :3].T @ assembly.gravity
    return np.concatenate([np.cross(assembly.centers[i], pull), pull])


def block_diagonal(blocks: list[Array] | Array) -> Array:
    """Blocks on the diagonal of one matrix."""
    rows, columns = sum(len(B) for B in blocks), sum(B.shape[1] for B in blocks)
    result, row, column = np.zeros((rows, columns)), 0, 0
    for B in blocks:
        result[row : row + len(B), column : column + B.shape[1]] = B
        row, column = row + len(B), column + B.shape[1]
    return result


def twist_propagation_matrix(quantities: BodyQuantities) -> Array:
    """Return the matrix ``G (6 n, 6 n)`` of the twists of all bodies for a unit twist of each joint.

    Each joint twist is transformed from body to body by conjugation with poses.
    """
    n = len(quantities.parents)
    G = np.zeros((6 * n, 6 * n))
    for j in range(n):
        for i in range(n):
            path, k = [], i
            while k not in (j, -1):
                path.append(k)
                k = quantities.parents[k]
            if k == j:
                pose = np.eye(4)
                for step in reversed(path):
                    pose = pose @ quantities.G[step]
                G[6 * i : 6 * i + 6, 6 * j : 6 * j + 6] = adjoint_matrix(np.linalg.inv(pose))
    return G
