"""What recursions over bodies are written in, from complex steps of poses: adjoints, joint maps, inertias.

Frames and adjoints are those of the bodies; the parent of a body that hangs in the world is the world.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from rbnotes.arguments import Array
from rbnotes.ledger.oracles import chains
from rbnotes.ledger.oracles.bodies import bracket, kinetic_energy_matrix
from rbnotes.ledger.oracles.pose_chains import rate

ZERO = np.zeros((3, 3))


@dataclass(frozen=True, eq=False)
class Parts:
    """Of n bodies at some state, each computed when it is first asked for."""

    assembly: chains.Assembly
    """Bodies and joints at rest."""
    q: Array
    """Coordinates ``(k,)``, rad or m."""
    qdot: Array
    """Their rates ``(k,)``, rad/s or m/s."""

    @property
    def parents(self) -> tuple[int, ...]:
        return self.assembly.parents

    @cached_property
    def own(self) -> list[slice]:
        """Where each joint's coordinates are among all."""
        return chains.parts(self.assembly)

    @cached_property
    def G(self) -> Array:
        """Poses ``(n, 4, 4)`` in the parents."""
        return relative_poses(self.assembly, self.q)

    @cached_property
    def A(self) -> Array:
        """Adjoints ``(n, 6, 6)`` of their inverses."""
        return np.stack([ad_of_pose(np.linalg.inv(pose)) for pose in self.G])

    @cached_property
    def S(self) -> list[Array]:
        """Twists ``(6, k_i)`` in the parents for unit rates."""
        each = zip(self.assembly.kinds, self._to_bodies, self.own, strict=True)
        return [A @ chains.joint_jacobian(kind, self.q[own]) for kind, A, own in each]

    @cached_property
    def Sdot(self) -> list[Array]:
        """Their rates."""
        each = zip(self.assembly.kinds, self._to_bodies, self.own, strict=True)
        return [A @ _joint_rate(kind, self.q[own], self.qdot[own]) for kind, A, own in each]

    @cached_property
    def J(self) -> Array:
        """Inertias ``(n, 6, 6)``."""
        bodies = zip(self.assembly.masses, self.assembly.inertias, self.assembly.centres, strict=True)
        return np.stack([kinetic_energy_matrix(m, inertia, c) for m, inertia, c in bodies])

    @cached_property
    def v(self) -> Array:
        """Twists ``(n, 6)``."""
        return chains.twists(self.assembly, self.q, self.qdot)

    @cached_property
    def load(self) -> Array:
        """Weights ``(n, 6)``."""
        E = chains.poses(self.assembly, self.q)
        return np.stack([weight(self.assembly, i, E[i]) for i in range(len(E))])

    @cached_property
    def _to_bodies(self) -> list[Array]:
        """Adjoints from the frames of the joints."""
        pairs = zip(self.assembly.joints, self.assembly.bodies, strict=True)
        return [ad_of_pose(np.linalg.inv(body) @ joint) for joint, body in pairs]

    def vdot(self, qddot: Array) -> Array:
        """Rates ``(n, 6)`` of the twists at these accelerations."""
        return self.bias + self.along(qddot)

    def along(self, rates: Array) -> Array:
        """Twists ``(n, 6)`` for rates of the coordinates, or parts of them."""
        return chains.twists(self.assembly, self.q, rates)

    @cached_property
    def bias(self) -> Array:
        """Rates ``(n, 6)`` of the twists while the coordinates change steadily."""
        return chains.twist_rates(self.assembly, self.q, self.qdot, np.zeros_like(self.q))

    def children(self, i: int) -> list[int]:
        return [k for k, parent in enumerate(self.parents) if parent == i]


@dataclass(frozen=True, eq=False)
class Stacked:
    """The same of all bodies as matrices: six rows for each."""

    at: Parts
    """The same, body by body."""

    @cached_property
    def S(self) -> Array:
        return diagonal(self.at.S)

    @cached_property
    def Sdot(self) -> Array:
        return diagonal(self.at.Sdot)

    @cached_property
    def J(self) -> Array:
        return diagonal(self.at.J)

    @cached_property
    def to_children(self) -> Array:
        return diagonal(self.at.A)

    @cached_property
    def of_parents(self) -> Array:
        """Hands each body what its parent has."""
        n = len(self.at.parents)
        chosen = np.zeros((6 * n, 6 * n))
        for i, parent in enumerate(self.at.parents):
            if parent >= 0:
                chosen[6 * i : 6 * i + 6, 6 * parent : 6 * parent + 6] = np.eye(6)
        return chosen

    @cached_property
    def Gamma(self) -> Array:
        result: Array = self.to_children @ self.of_parents
        return result

    @cached_property
    def G(self) -> Array:
        return propagated(self.at)

    @cached_property
    def ad_Sqdot(self) -> Array:
        """With the minus of the paper's symbol."""
        each = zip(self.at.S, self.at.own, strict=True)
        return diagonal([-ad_of_twist(S @ self.at.qdot[own]) for S, own in each])

    @cached_property
    def ad_v(self) -> Array:
        """With the minus of the paper's symbol, and the twists."""
        return diagonal([-ad_of_twist(v).T for v in self.at.v])

    def ad_vdot(self, qddot: Array) -> Array:
        """With the minus of the paper's symbol, and the rates of the twists, as it is printed."""
        return diagonal([-ad_of_twist(rate).T for rate in self.at.vdot(qddot)])

    def f_e(self, wrenches: Array) -> Array:
        """Loads of all bodies, all with a minus."""
        loads: Array = -(self.at.load + wrenches).ravel()
        return loads


def stacked(assembly: chains.Assembly, q: Array, qdot: Array) -> Stacked:
    """Of an assembly; those asked for last are kept."""
    return _stacked(assembly, q.tobytes(), qdot.tobytes())


@lru_cache(maxsize=128)
def _stacked(assembly: chains.Assembly, q: bytes, qdot: bytes) -> Stacked:
    return Stacked(_parts(assembly, q, qdot))


def _joint_rate(kind: str, q: Array, qdot: Array) -> Array:
    """How a joint's twists in its own frame change along the motion."""

    def twists(x: Array) -> Array:
        return chains.joint_jacobian(kind, x)

    return rate(twists, q, qdot)


def parts(assembly: chains.Assembly, q: Array, qdot: Array) -> Parts:
    """Of an assembly; those asked for last are kept."""
    return _parts(assembly, q.tobytes(), qdot.tobytes())


@lru_cache(maxsize=128)
def _parts(assembly: chains.Assembly, q: bytes, qdot: bytes) -> Parts:
    return Parts(assembly, np.frombuffer(q), np.frombuffer(qdot))


def relative_poses(assembly: chains.Assembly, q: Array) -> Array:
    """Poses ``(..., n, 4, 4)`` of the bodies in their parents, from what their joints do alone."""
    found = []
    for i, (kind, part) in enumerate(zip(assembly.kinds, chains.parts(assembly), strict=True)):
        parent = assembly.parents[i]
        before = np.eye(4) if parent < 0 else np.linalg.inv(assembly.bodies[parent])
        F = assembly.joints[i]
        after = np.linalg.inv(F) @ assembly.bodies[i]
        found.append(before @ F @ chains.joint_motion(kind, q[..., part]) @ after)
    return np.stack(found, axis=-3)


def ad_of_pose(E: Array) -> Array:
    """Adjoint ``(6, 6)`` of a pose."""
    return np.block([[E[:3, :3], ZERO], [bracket(E[:3, 3]) @ E[:3, :3], E[:3, :3]]])


def ad_of_twist(xi: Array) -> Array:
    """The Lie bracket with a twist, as a matrix."""
    return np.block([[bracket(xi[:3]), ZERO], [bracket(xi[3:]), bracket(xi[:3])]])


def weight(assembly: chains.Assembly, i: int, E: Array) -> Array:
    """Of a body, as a wrench in its frame."""
    pull = assembly.masses[i] * E[:3, :3].T @ assembly.gravity
    return np.concatenate([np.cross(assembly.centres[i], pull), pull])


def diagonal(blocks: list[Array] | Array) -> Array:
    """Blocks on the diagonal of one matrix."""
    rows, columns = sum(len(B) for B in blocks), sum(B.shape[1] for B in blocks)
    result, row, column = np.zeros((rows, columns)), 0, 0
    for B in blocks:
        result[row : row + len(B), column : column + B.shape[1]] = B
        row, column = row + len(B), column + B.shape[1]
    return result


def propagated(at: Parts) -> Array:
    """``G (6 n, 6 n)``: the twist of each body for unit twists of all joints, one at a time.

    Each joint twist is handed from body to body by conjugation with poses.
    """
    n = len(at.parents)
    G = np.zeros((6 * n, 6 * n))
    for j in range(n):
        for i in range(n):
            path, k = [], i
            while k not in (j, -1):
                path.append(k)
                k = at.parents[k]
            if k == j:
                pose = np.eye(4)
                for step in reversed(path):
                    pose = pose @ at.G[step]
                G[6 * i : 6 * i + 6, 6 * j : 6 * j + 6] = ad_of_pose(np.linalg.inv(pose))
    return G
