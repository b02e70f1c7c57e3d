"""Adjoints, motion subspaces and inertias of a tree, from complex steps of poses.

Frames and adjoints are those of the bodies; the parent of a root body is the world.
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
    """Hold the quantities of n bodies at one state, each computed at its first use.

    Attributes
    ----------
    assembly
        Bodies and joints at rest.
    q
        Coordinates ``(k,)``, rad or m.
    qdot
        Rates of the coordinates ``(k,)``, rad/s or m/s.
    """

    assembly: body_trees.Assembly
    q: Array
    qdot: Array

    @property
    def parents(self) -> tuple[int, ...]:
        """Return the parent of each body, -1 for the world."""
        return self.assembly.parents

    @cached_property
    def coordinate_slices(self) -> list[slice]:
        """Return the slice of each joint's coordinates in the coordinate vector."""
        return body_trees.coordinate_slices(self.assembly)

    @cached_property
    def G(self) -> Array:
        """Return the poses ``(n, 4, 4)`` of the bodies in their parents."""
        return relative_poses(self.assembly, self.q)

    @cached_property
    def A(self) -> Array:
        """Return the adjoints ``(n, 6, 6)`` of the inverse poses."""
        return np.stack([adjoint_matrix(np.linalg.inv(pose)) for pose in self.G])

    @cached_property
    def S(self) -> list[Array]:
        """Return the body twists ``(6, k_i)`` relative to the parents for unit rates."""
        joints = zip(self.assembly.kinds, self._to_bodies, self.coordinate_slices, strict=True)
        return [A @ body_trees.joint_jacobian(kind, self.q[part]) for kind, A, part in joints]

    @cached_property
    def Sdot(self) -> list[Array]:
        """Return the time derivatives of the motion subspaces."""
        each = zip(self.assembly.kinds, self._to_bodies, self.coordinate_slices, strict=True)
        return [A @ _motion_subspace_rate(kind, self.q[own], self.qdot[own]) for kind, A, own in each]

    @cached_property
    def J(self) -> Array:
        """Return the spatial inertias ``(n, 6, 6)``."""
        bodies = zip(self.assembly.masses, self.assembly.inertias, self.assembly.centers, strict=True)
        return np.stack([kinetic_energy_matrix(m, inertia, c) for m, inertia, c in bodies])

    @cached_property
    def v(self) -> Array:
        """Return the body twists ``(n, 6)``."""
        return body_trees.twists(self.assembly, self.q, self.qdot)

    @cached_property
    def gravity_wrenches(self) -> Array:
        """Return the gravity wrenches ``(n, 6)``."""
        E = body_trees.poses(self.assembly, self.q)
        return np.stack([gravity_wrench(self.assembly, i, E[i]) for i in range(len(E))])

    @cached_property
    def _to_bodies(self) -> list[Array]:
        """Return the adjoints from the joint frames to the body frames."""
        pairs = zip(self.assembly.joints, self.assembly.bodies, strict=True)
        return [adjoint_matrix(np.linalg.inv(body) @ joint) for joint, body in pairs]

    def vdot(self, qddot: Array) -> Array:
        """Return the rates ``(n, 6)`` of the twists at the joint accelerations `qddot`."""
        return self.bias_acceleration + self.twists_from_rates(qddot)

    def twists_from_rates(self, rates: Array) -> Array:
        """Return the twists ``(n, 6)`` for the given rates of the coordinates."""
        return body_trees.twists(self.assembly, self.q, rates)

    @cached_property
    def bias_acceleration(self) -> Array:
        """Return the rates ``(n, 6)`` of the twists at constant coordinate rates."""
        return body_trees.twist_rates(self.assembly, self.q, self.qdot, np.zeros_like(self.q))

    def children(self, i: int) -> list[int]:
        """Return the bodies whose parent is body i."""
        return [k for k, parent in enumerate(self.parents) if parent == i]


@dataclass(frozen=True, eq=False)
class StackedBodyMatrices:
    """Stack the quantities of all bodies into matrices with six rows for each body.

    Attributes
    ----------
    bodies
        Quantities of the individual bodies.
    """

    bodies: BodyQuantities

    @cached_property
    def S(self) -> Array:
        """Return the motion subspaces on the diagonal ``(6 n, k)``."""
        return block_diagonal(self.bodies.S)

    @cached_property
    def Sdot(self) -> Array:
        """Return the rates of the motion subspaces on the diagonal ``(6 n, k)``."""
        return block_diagonal(self.bodies.Sdot)

    @cached_property
    def J(self) -> Array:
        """Return the spatial inertias on the diagonal ``(6 n, 6 n)``."""
        return block_diagonal(self.bodies.J)

    @cached_property
    def parent_adjoints(self) -> Array:
        """Return the adjoints from the parents on the diagonal ``(6 n, 6 n)``."""
        return block_diagonal(self.bodies.A)

    @cached_property
    def parent_selection(self) -> Array:
        """Return the matrix ``(6 n, 6 n)`` that maps stacked values of bodies to those of their parents."""
        n = len(self.bodies.parents)
        chosen = np.zeros((6 * n, 6 * n))
        for i, parent in enumerate(self.bodies.parents):
            if parent >= 0:
                chosen[6 * i : 6 * i + 6, 6 * parent : 6 * parent + 6] = np.eye(6)
        return chosen

    @cached_property
    def Gamma(self) -> Array:
        """Return the matrix ``(6 n, 6 n)`` from the twists of all bodies to those of their parents."""
        result: Array = self.parent_adjoints @ self.parent_selection
        return result

    @cached_property
    def G(self) -> Array:
        """Return the matrix ``(6 n, 6 n)`` from joint twists to body twists."""
        return twist_propagation_matrix(self.bodies)

    @cached_property
    def ad_Sqdot(self) -> Array:
        """Return the blocks ``-ad(S qdot)``, with the sign of the paper's symbol."""
        each = zip(self.bodies.S, self.bodies.coordinate_slices, strict=True)
        return block_diagonal([-lie_bracket_matrix(S @ self.bodies.qdot[own]) for S, own in each])

    @cached_property
    def ad_v(self) -> Array:
        """Return the blocks ``-ad(v)^T`` of the body twists, with the sign of the paper's symbol."""
        return block_diagonal([-lie_bracket_matrix(v).T for v in self.bodies.v])

    def ad_vdot(self, qddot: Array) -> Array:
        """Return the blocks ``-ad(vdot)^T`` of the twist rates, with the sign of the paper's symbol."""
        return block_diagonal([-lie_bracket_matrix(rate).T for rate in self.bodies.vdot(qddot)])

    def f_e(self, wrenches: Array) -> Array:
        """Return the stacked applied wrenches of all bodies, with a minus sign."""
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
    """Return the poses ``(..., n, 4, 4)`` of the bodies in their parents, from the joint motions alone."""
    result = []
    for i, (kind, part) in enumerate(
        zip(assembly.kinds, body_trees.coordinate_slices(assembly), strict=True)
    ):
        parent = assembly.parents[i]
        from_parent = np.eye(4) if parent < 0 else np.linalg.inv(assembly.bodies[parent])
        F = assembly.joints[i]
        to_body = np.linalg.inv(F) @ assembly.bodies[i]
        result.append(from_parent @ F @ body_trees.joint_motion(kind, q[..., part]) @ to_body)
    return np.stack(result, axis=-3)


def adjoint_matrix(E: Array) -> Array:
    """Return the adjoint matrix ``(6, 6)`` of a pose."""
    return np.block([[E[:3, :3], ZERO], [bracket(E[:3, 3]) @ E[:3, :3], E[:3, :3]]])


def lie_bracket_matrix(xi: Array) -> Array:
    """Return the matrix of the Lie bracket with a twist."""
    return np.block([[bracket(xi[:3]), ZERO], [bracket(xi[3:]), bracket(xi[:3])]])


def gravity_wrench(assembly: body_trees.Assembly, i: int, E: Array) -> Array:
    """Return the weight of a body as a wrench in its frame."""
    force = assembly.masses[i] * E[:3, :3].T @ assembly.gravity
    return np.concatenate([np.cross(assembly.centers[i], force), force])


def block_diagonal(blocks: list[Array] | Array) -> Array:
    """Return the block-diagonal matrix of the given blocks."""
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
