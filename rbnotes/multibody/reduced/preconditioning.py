"""Linearly implicit steps by conjugate gradients, preconditioned along the tree (Sueda 2.13).

Such a step solves with ``M - h D - h^2 K``. A product with this matrix takes two sweeps over the links and
the blocks of K and D. The preconditioner inverts, in linear time, the part that couples only neighbors in the
tree: mass, springs and dampers in the joints, and between bodies and the world or their parents. Without
other springs and dampers it is the exact inverse; otherwise the iteration accounts for them.

>>> import numpy as np
>>> from scipy.sparse.linalg import cg
>>> from rbnotes import inertia, joints
>>> from rbnotes.dynamics import State
>>> from rbnotes.multibody.reduced import Link, Tree
>>> from rbnotes.multibody.reduced import step_operator, step_preconditioner
>>> rod = inertia.spatial_inertia(1.0, 0.1 * np.eye(3), [0.5, 0.0, 0.0])
>>> link = Link("rod", joints.Revolute(), rod, stiffness=1e4)
>>> tree = Tree([link])
>>> state, h = State(q=[0.1], qdot=[0.0]), 0.01
>>> matrix = step_operator(tree, state, h)
>>> inverse = step_preconditioner(tree, state, h)
>>> impulse = h * tree.force(state)
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
from rbnotes.multibody.reduced.dynamics import _coordinate_constraint_inertia
from rbnotes.multibody.reduced.inverse_mass import (
    InverseMass,
    factor_mass_matrix,
    joint_diagonal_blocks,
)
from rbnotes.multibody.reduced.jacobian_products import jacobian_product, jacobian_transpose_product
from rbnotes.multibody.reduced.kinematics import _matvec
from rbnotes.multibody.reduced.tree import Tree


@dataclass(frozen=True, eq=False)
class StepPreconditioner:
    """Inverse of the part of ``M - h D - h^2 K`` along the tree; :func:`step_preconditioner` makes it.

    Attributes
    ----------
    inverse_mass
        Inverse for the joints' velocities.
    particle_inverses
        Inverses ``(p, 3, 3)`` of the blocks of the particles, 1/kg.
    is_exact
        True if nothing is left out: then it is the inverse of :func:`step_operator`.
    is_positive_definite
        True if it is positive definite, provided that it is symmetric; conjugate gradients need that.
        Compressed springs may make it indefinite for large h.
    """

    inverse_mass: InverseMass
    particle_inverses: Array
    is_exact: bool
    is_positive_definite: bool

    def solve(self, x: ArrayLike) -> Array:
        """Return the velocities ``(N,)`` from momenta of particles and joints.

        Raises
        ------
        InvalidArgument
            If the shape of ``x`` does not fit.
        """
        count = 3 * len(self.particle_inverses)
        x = arguments.single_vector("x", x, count + self.inverse_mass.tree.num_coordinates)
        particle_velocities = _matvec(self.particle_inverses, x[:count].reshape(-1, 3)).ravel()
        return np.append(particle_velocities, self.inverse_mass.solve(x[count:]))

    @property
    def operator(self) -> LinearOperator:
        """Linear operator for the solvers of ``scipy.sparse.linalg``."""
        size = 3 * len(self.particle_inverses) + self.inverse_mass.tree.num_coordinates
        return LinearOperator((size, size), matvec=lambda x: self.solve(x.ravel()), dtype=np.float64)


def step_operator(tree: Tree, state: State, h: float) -> LinearOperator:
    """Return ``M - h D - h^2 K`` of particles and joints ``(N, N)``, as products in linear time.

    The derivatives of applied and joint forces are those of
    :meth:`~rbnotes.multibody.reduced.Tree.linearized_force`; the operator is symmetric if they are.

    Raises
    ------
    InvalidArgument
        If ``h`` is not positive.
    """
    h = _check_step(tree, state, h)
    count = state.v.size
    q = state.q
    maximal_block, joint_matrix = _implicit_matrices(tree, state, h)
    masses = np.repeat(tree.masses, 3)
    constraint_inertias = [
        (own, _coordinate_constraint_inertia(tree, q, i))
        for i, (link, own) in enumerate(zip(tree.links, tree.coordinate_slices, strict=True))
        if link.joint.num_coordinate_constraints
    ]

    def product(x: Array) -> Array:
        x = x.ravel()
        twists = jacobian_product(tree, q, x[count:])
        momenta = np.append(_matvec(tree.inertias, twists), masses * x[:count])
        momenta += maximal_block @ np.append(twists, x[:count])
        wrenches = momenta[: twists.size].reshape(twists.shape)
        generalized = jacobian_transpose_product(tree, q, wrenches) + joint_matrix @ x[count:]
        for coordinates, constraint_inertia in constraint_inertias:
            generalized[coordinates] += constraint_inertia @ x[count:][coordinates]
        return np.append(momenta[twists.size :], generalized)

    return LinearOperator((state.size, state.size), matvec=product, dtype=np.float64)


def step_preconditioner(tree: Tree, state: State, h: float) -> StepPreconditioner:
    """Return the inverse of :func:`step_operator`, without forces between bodies that are not neighbors.

    It omits derivatives between such bodies, between bodies and particles, between particles, and between
    different joints.

    Raises
    ------
    InvalidArgument
        If ``h`` is not positive.
    SingularConfiguration
        If a joint is in a singular state, or compressed springs cancel its inertia; the message names it.
    """
    h, tree = _check_step(tree, state, h), tree
    maximal_block, joint_matrix = _implicit_matrices(tree, state, h)
    bodies, parents, particles, is_complete = _tree_blocks(tree, len(tree.masses), maximal_block)
    blocks = joint_diagonal_blocks(tree, joint_matrix)
    inertia = factor_mass_matrix(tree, state.q, joint_terms=blocks, body_terms=bodies, parent_terms=parents)
    particles += tree.masses[:, None, None] * np.eye(3)
    if np.any(np.abs(np.linalg.det(particles)) < 1e-12 * tree.masses**3):
        raise SingularConfiguration("h", "springs that cancel a particle's inertia", "a smaller step")
    definite = inertia.is_positive_definite and bool(
        np.all(np.linalg.eigvalsh((particles + particles.mT) / 2) > 0)
    )
    exact = is_complete and np.array_equal(blocks, joint_matrix)
    return StepPreconditioner(inertia, np.linalg.inv(particles), exact, definite)


def _check_step(tree: Tree, state: State, h: float) -> float:
    """Return the checked step size."""
    arguments.require_instance("tree", tree, Tree)
    arguments.require_instance("state", state, State)
    return arguments.positive_number("h", h)


def _implicit_matrices(tree: Tree, state: State, h: float) -> tuple[Any, Array]:
    """Return ``-h D - h^2 K`` of the applied forces, sparse, and of the joint forces with the armature."""
    applied_forces, applied_joint_forces = (
        tree._linearized_applied_forces(tree.maximal_state(state)),
        tree._driving_forces(state),
    )
    joint_matrix = _implicit_matrix(applied_joint_forces, h)
    joint_matrix += np.diag(h * tree.joint_parameter("damping") + h**2 * tree.joint_parameter("stiffness"))
    joint_matrix += np.diag(tree.armature)
    return _implicit_matrix(
        Forces(applied_forces.f, *map(sparse.csr_array, applied_forces[1:])), h
    ), joint_matrix


def _implicit_matrix(forces: Forces, h: float) -> Any:
    return -h * forces.D - h**2 * forces.K


def _tree_blocks(tree: Tree, count: int, maximal_block: Any) -> tuple[Array, Array, Array, bool]:
    """Return blocks of bodies, of bodies and parents, of particles; and True if there are no others."""
    n = len(tree.links)
    entries = sparse.coo_array(maximal_block)
    entries.sum_duplicates()
    entries.eliminate_zeros()
    (rows, columns), values = entries.coords, entries.data
    # Six numbers for each body, then three for each particle; particles count as bodies without parents.
    row_owner, column_owner = (
        np.where(index < 6 * n, index // 6, n + (index - 6 * n) // 3) for index in (rows, columns)
    )
    row_entry, column_entry = (
        np.where(index < 6 * n, index % 6, (index - 6 * n) % 3) for index in (rows, columns)
    )
    parent = np.append(tree.parents, np.full(count, -1)).astype(int)
    bodies, parents = np.zeros((n, 6, 6)), np.zeros((n, 2, 6, 6))
    particles = np.zeros((count, 3, 3))
    is_diagonal, is_parent_column, is_parent_row = (
        row_owner == column_owner,
        parent[row_owner] == column_owner,
        parent[column_owner] == row_owner,
    )
    is_body = is_diagonal & (row_owner < n)
    bodies[row_owner[is_body], row_entry[is_body], column_entry[is_body]] = values[is_body]
    parents[row_owner[is_parent_column], 0, row_entry[is_parent_column], column_entry[is_parent_column]] = (
        values[is_parent_column]
    )
    parents[column_owner[is_parent_row], 1, row_entry[is_parent_row], column_entry[is_parent_row]] = values[
        is_parent_row
    ]
    is_particle = is_diagonal & (row_owner >= n)
    particles[row_owner[is_particle] - n, row_entry[is_particle], column_entry[is_particle]] = values[
        is_particle
    ]
    return bodies, parents, particles, bool(np.all(is_diagonal | is_parent_column | is_parent_row))
