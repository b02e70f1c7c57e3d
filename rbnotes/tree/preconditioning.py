"""Linearly implicit steps by conjugate gradients, preconditioned along the tree (Sueda 2.13).

Such a step solves with ``M - h D - h^2 K``. Multiplied with a vector, this takes two sweeps over the links
and the blocks of K and D; what is inverted in linear time is the part of it that hands nothing on except
along the tree: mass, springs and dampers in the joints, of bodies against the world and against their
parents. Where there are no others the preconditioner is the inverse; it leaves the others to the iteration.

>>> import numpy as np
>>> from scipy.sparse.linalg import cg
>>> from rbnotes import inertia, joints
>>> from rbnotes.dynamics import State
>>> from rbnotes.tree import Link, Tree, TreeSystem
>>> from rbnotes.tree import step_operator, step_preconditioner
>>> rod = inertia.spatial_inertia(1.0, 0.1 * np.eye(3), [0.5, 0.0, 0.0])
>>> link = Link("rod", joints.Revolute(), rod, stiffness=1e4)
>>> system = TreeSystem(Tree([link]))
>>> state, h = State(q=[0.1], qdot=[0.0]), 0.01
>>> matrix = step_operator(system, state, h)
>>> inverse = step_preconditioner(system, state, h)
>>> impulse = h * system.force(state)
>>> v, failed = cg(matrix, impulse, M=inverse.operator, rtol=1e-12)
>>> v.round(3).tolist()
[-7.407]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.sparse.linalg import LinearOperator

from rbnotes import arguments
from rbnotes.arguments import Array, SingularConfiguration
from rbnotes.dynamics import Forces, State
from rbnotes.tree.dynamics import _forbidden_inertia
from rbnotes.tree.inverse_inertia import _T, InverseInertia, factor_inertia, joint_blocks
from rbnotes.tree.kinematics import _times
from rbnotes.tree.model import Tree
from rbnotes.tree.products import jacobian_product, jacobian_transpose_product
from rbnotes.tree.system import TreeSystem


@dataclass(frozen=True, eq=False)
class StepPreconditioner:
    """The inverse of what of ``M - h D - h^2 K`` runs along the tree; made by :func:`step_preconditioner`."""

    inertia: InverseInertia
    """Of the joints' velocities."""
    particles: Array
    """Inverses ``(p, 3, 3)`` of the blocks of the particles, 1/kg."""
    exact: bool
    """Whether nothing is left out: then it is the inverse of :func:`step_operator`."""
    definite: bool
    """Whether it is positive definite, if symmetric; conjugate gradients need that. Springs that are pressed
    together may make it indefinite where h is large."""

    def solve(self, x: ArrayLike) -> Array:
        """Velocities ``(N,)`` from momenta, of particles and joints.

        Raises InvalidArgument if the shape of ``x`` does not fit.
        """
        count = 3 * len(self.particles)
        x = arguments.one_vector("x", x, count + self.inertia.tree.size)
        of_particles = _times(self.particles, x[:count].reshape(-1, 3)).ravel()
        return np.append(of_particles, self.inertia.solve(x[count:]))

    @property
    def operator(self) -> LinearOperator:
        """For the solvers of ``scipy.sparse.linalg``."""
        size = 3 * len(self.particles) + self.inertia.tree.size
        return LinearOperator((size, size), matvec=lambda x: self.solve(x.ravel()), dtype=np.float64)


def step_operator(system: TreeSystem, state: State, h: float) -> LinearOperator:
    """``M - h D - h^2 K`` of particles and joints ``(N, N)``, as products in linear time.

    With the derivatives of applied and joint forces, as :meth:`~rbnotes.tree.TreeSystem.forces` has them;
    symmetric if those are.

    Raises InvalidArgument if ``h`` is not positive.
    """
    h = _checked(system, state, h)
    count = state.v.size
    tree, q = system.tree, state.q
    applied, on_joints = _stiff(system, state, h)
    masses = np.repeat(system.masses, 3)
    forbidden = [
        (own, _forbidden_inertia(tree, q, i))
        for i, (link, own) in enumerate(zip(tree.links, tree.slices, strict=True))
        if link.joint.constraints
    ]

    def product(x: Array) -> Array:
        x = x.ravel()
        twists = jacobian_product(tree, q, x[count:])
        momenta = np.append(_times(tree.inertias, twists), masses * x[:count])
        momenta += applied @ np.append(twists, x[:count])
        wrenches = momenta[: twists.size].reshape(twists.shape)
        handed = jacobian_transpose_product(tree, q, wrenches) + on_joints @ x[count:]
        for own, held in forbidden:
            handed[own] += held @ x[count:][own]
        return np.append(momenta[twists.size :], handed)

    return LinearOperator((state.size, state.size), matvec=product, dtype=np.float64)


def step_preconditioner(system: TreeSystem, state: State, h: float) -> StepPreconditioner:
    """The inverse of :func:`step_operator`, without the forces between bodies that are not parent and child.

    Left out are derivatives between such bodies, between bodies and particles, between particles, and between
    different joints.

    Raises
    ------
    InvalidArgument
        If ``h`` is not positive.
    SingularConfiguration
        If a joint is in a singular state, or springs that push take away its inertia; the message names it.
    """
    h, tree = _checked(system, state, h), system.tree
    applied, on_joints = _stiff(system, state, h)
    bodies, parents, particles, whole = _along_the_tree(tree, len(system.masses), applied)
    blocks = joint_blocks(tree, on_joints)
    inertia = factor_inertia(tree, state.q, joints=blocks, bodies=bodies, parents=parents)
    particles += system.masses[:, None, None] * np.eye(3)
    if np.any(np.abs(np.linalg.det(particles)) < 1e-12 * system.masses**3):
        raise SingularConfiguration("h", "springs that take away a particle's inertia", "a smaller step")
    definite = inertia.definite and bool(np.all(np.linalg.eigvalsh((particles + _T(particles)) / 2) > 0))
    exact = whole and np.array_equal(blocks, on_joints)
    return StepPreconditioner(inertia, np.linalg.inv(particles), exact, definite)


def _checked(system: TreeSystem, state: State, h: float) -> float:
    """The size of the step, of these."""
    arguments.instance("system", system, TreeSystem)
    arguments.instance("state", state, State)
    return arguments.number("h", h)


def _stiff(system: TreeSystem, state: State, h: float) -> tuple[Any, Array]:
    """``-h D - h^2 K`` of the applied forces, on bodies and particles, sparse; and of the joint forces."""
    applied, driven = system._applied(system.maximal(state)), system._driven(state)
    tree = system.tree
    on_joints = _weighed(driven, h)
    on_joints += np.diag(h * tree.stacked("damping") + h**2 * tree.stacked("stiffness"))
    return _weighed(Forces(applied.f, *map(sparse.csr_array, applied[1:])), h), on_joints


def _weighed(forces: Forces, h: float) -> Any:
    return -h * forces.D - h**2 * forces.K


def _along_the_tree(tree: Tree, count: int, applied: Any) -> tuple[Array, Array, Array, bool]:
    """Blocks of bodies, of bodies and their parents, of particles; and whether there are no others."""
    n = len(tree.links)
    entries = sparse.coo_array(applied)
    entries.sum_duplicates()
    entries.eliminate_zeros()
    (rows, columns), values = entries.coords, entries.data
    # Six numbers for a body, then three for a particle; the latter counted as bodies without parents.
    one, other = (np.where(at < 6 * n, at // 6, n + (at - 6 * n) // 3) for at in (rows, columns))
    place, across = (np.where(at < 6 * n, at % 6, (at - 6 * n) % 3) for at in (rows, columns))
    parent = np.append(tree.parents, np.full(count, -1)).astype(int)
    bodies, parents = np.zeros((n, 6, 6)), np.zeros((n, 2, 6, 6))
    particles = np.zeros((count, 3, 3))
    own, up, down = one == other, parent[one] == other, parent[other] == one
    body = own & (one < n)
    bodies[one[body], place[body], across[body]] = values[body]
    parents[one[up], 0, place[up], across[up]] = values[up]
    parents[other[down], 1, place[down], across[down]] = values[down]
    loose = own & (one >= n)
    particles[one[loose] - n, place[loose], across[loose]] = values[loose]
    return bodies, parents, particles, bool(np.all(own | up | down))
