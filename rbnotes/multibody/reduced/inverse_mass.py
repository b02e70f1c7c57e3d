"""Products with the inverse mass matrix in linear time, with additions for implicit steps (Sueda 2.13).

A joint with all links beyond it responds to the acceleration of its parent with a wrench, and the factor
between the two is an inertia: that of its body and of all bodies beyond, reduced by the motion of the joints
on the way. One sweep from the leaves to the roots finds these *articulated inertias*. They depend on
coordinates, not on forces: each further right side takes two sweeps of small products.

The same sweeps invert more than a mass matrix,

    M_r + J^T B J + P,

if P couples no two joints, and B couples bodies only with themselves and with their parents, because neither
adds a path between links. Joint springs and dampers, those between a body and the world, and those between a
body and its parent add such terms to a linearly implicit step.
"""

from __future__ import annotations

from collections.abc import Collection, Container
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument, SingularConfiguration
from rbnotes.multibody.reduced.dynamics import _coordinate_constraint_inertia
from rbnotes.multibody.reduced.kinematics import (
    _matvec,
    _nearby_inertia_ratios,
    check_vectors,
    relative_joint_poses,
)
from rbnotes.multibody.reduced.link import Link
from rbnotes.multibody.reduced.tree import Tree
from rbnotes.unchecked import se3


class JointPivot(NamedTuple):
    """Result of the sweep at one link, in the frame of its joint.

    Attributes
    ----------
    S
        Motion subspace of the joint ``(..., 6, k)``.
    A
        Adjoint ``(..., 6, 6)`` that maps twists from the frame of the parent's joint.
    inverse_joint_inertia
        ``Psi (..., k, k)``: acceleration of the joint by a force along its coordinates.
    parent_wrench
        Wrench on the parent ``(..., 6, k)`` by the joint's acceleration.
    parent_acceleration
        Reduction ``(..., k, 6)`` of the joint's acceleration by that of the parent.
    articulated_inertia
        Articulated inertia ``(..., 6, 6)``: inertia of the body with the joints beyond it free.
    """

    S: Array
    A: Array
    inverse_joint_inertia: Array
    parent_wrench: Array
    parent_acceleration: Array
    articulated_inertia: Array


@dataclass(frozen=True, eq=False)
class InverseMass:
    """Inverse ``(M_r + J^T B J + P)^-1`` in factored form; :func:`factor_mass_matrix` makes it.

    Attributes
    ----------
    tree
        Links and their joints.
    pivots
        Pivot of each link.
    shape
        Leading axes of the coordinates.
    is_positive_definite
        True if the symmetric part of every pivot is positive definite. A symmetric matrix is then positive
        definite, as conjugate gradients require.
    """

    tree: Tree
    pivots: tuple[JointPivot, ...]
    shape: tuple[int, ...]
    is_positive_definite: bool

    def solve(self, x: ArrayLike) -> Array:
        """Return the joint accelerations ``(..., k)`` under forces ``x (..., k)`` along the joints alone.

        Several right sides are stacked as rows.

        Raises
        ------
        InvalidArgument
            If the shape of ``x`` does not fit.
        """
        return self._solve(self.tree.check_vector("x", x))

    def _solve(self, x: Array) -> Array:
        """Return ``M_r^-1 x`` by a sweep to the root and one from the root."""
        shape = arguments.common_shape(coordinates=self.shape, x=x.shape[:-1])
        x = np.broadcast_to(x, (*shape, self.tree.num_coordinates))
        # One more row than there are links: the last one, index -1, is the world at rest.
        wrenches, rates = (np.zeros((*shape, len(self.pivots) + 1, 6)) for _ in range(2))
        y = np.zeros(x.shape)
        for i in reversed(range(len(self.pivots))):
            S, A, inverse_joint_inertia, parent_wrench, _, _ = self.pivots[i]
            coordinates, parent = self.tree.coordinate_slices[i], self.tree.parents[i]
            y[..., coordinates] = _matvec(
                inverse_joint_inertia, x[..., coordinates] - _matvec(S.mT, wrenches[..., i, :])
            )
            wrenches[..., parent, :] += _matvec(A.mT, wrenches[..., i, :]) + _matvec(
                parent_wrench, y[..., coordinates]
            )
        for i, (S, A, _, _, parent_acceleration, _) in enumerate(self.pivots):
            coordinates, parent_rate = self.tree.coordinate_slices[i], rates[..., self.tree.parents[i], :]
            y[..., coordinates] -= _matvec(parent_acceleration, parent_rate)
            rates[..., i, :] = _matvec(A, parent_rate) + _matvec(S, y[..., coordinates])
        return y

    def matrix(self) -> Array:
        """Return the inverse ``(..., k, k)`` in quadratic time: each row of the identity is a right side."""
        expanded_factors = InverseMass(
            self.tree, tuple(JointPivot(*map(_insert_axis, p)) for p in self.pivots), (), False
        )
        unit = np.broadcast_to(
            np.eye(self.tree.num_coordinates),
            (*self.shape, self.tree.num_coordinates, self.tree.num_coordinates),
        )
        return expanded_factors.solve(unit).mT


def factor_mass_matrix(
    tree: Tree,
    q: ArrayLike,
    *,
    joint_terms: ArrayLike = 0.0,
    body_terms: ArrayLike = 0.0,
    parent_terms: ArrayLike | None = None,
    locked: Collection[str] = (),
) -> InverseMass:
    """Factor ``M_r + J^T B J + P`` in linear time (Sueda Algorithm 10, its first loop).

    Along constrained coordinates of joints, such as the length of a quaternion, the mass matrix is zero;
    an inertia is added there as in :meth:`~rbnotes.multibody.reduced.Tree.mass_matrix`.

    Parameters
    ----------
    q
        Coordinates ``(..., k)``, rad or m.
    joint_terms
        P ``(..., k, k)``, kg m^2 or kg, zero between different joints, or its diagonal ``(k,)`` or one
        number: for a step of size h ``-h D - h^2 K`` with the derivatives D and K of joint forces (eq.
        (2.79), where D has the other sign).
    body_terms
        The diagonal blocks of B ``(..., n, 6, 6)``, in body coordinates, kg, kg m and kg m^2.
    parent_terms
        The blocks of B ``(..., n, 2, 6, 6)`` between each body and its parent: its rows with the parent's
        columns, then the parent's rows with its columns. None by default; without effect on roots.
    locked
        Names of links whose joints are locked: the block of the other joints is inverted, and the result is
        zero for the locked ones.

    Raises
    ------
    InvalidArgument
        If P couples joints, or a name is not that of a link.
    SingularConfiguration
        If a joint is in a singular state, no mass moves with it, or the additions cancel its inertia; the
        message names it.
    """
    arguments.require_instance("tree", tree, Tree)
    q, n = tree.check_vector("q", q), len(tree.links)
    P = _check_joint_terms(tree, joint_terms)
    B = arguments.array("body_terms", body_terms)
    if B.shape[-3:] != (n, 6, 6) and (B.ndim or B):
        raise InvalidArgument("body_terms", f"shape {B.shape}", f"shape (..., {n}, 6, 6), or 0")
    C = None if parent_terms is None else arguments.array("parent_terms", parent_terms, n, 2, 6, 6)
    shape = arguments.common_shape(
        q=q.shape[:-1],
        joints=P.shape[:-2],
        bodies=B.shape[:-3],
        parents=() if C is None else C.shape[:-4],
    )
    locked_links = {tree.index(name) for name in arguments.instances("locked", locked, str)}
    return _factor_mass_matrix(
        tree, np.broadcast_to(q, (*shape, tree.num_coordinates)), P, B, C, locked_links
    )


def _factor_mass_matrix(
    tree: Tree,
    q: Array,
    P: Array,
    B: Array | float = 0.0,
    C: Array | None = None,
    locked_links: Container[int] = (),
) -> InverseMass:
    """Return the same as :func:`factor_mass_matrix`, at q with all leading axes; locked links are indices."""
    shape, n = q.shape[:-1], len(tree.links)
    A, to_bodies = se3.Ad_inverse(relative_joint_poses(tree, q)), tree.joint_to_body_adjoints
    # The second inertia is that with all joints beyond locked; it sets the scale of rounding.
    inertias, rigid = (
        np.array(np.broadcast_to(to_bodies.mT @ each @ to_bodies, (*shape, n, 6, 6)))
        for each in (tree.inertias + B, tree.inertias)
    )
    pivots: list[JointPivot | None] = [None] * n
    is_definite = True
    for i in reversed(range(n)):
        link, parent, coordinates = tree.links[i], tree.parents[i], tree.coordinate_slices[i]
        S, articulated, parent_adjoint = (
            link.joint.compute_motion_subspace(q[..., coordinates]),
            inertias[..., i, :, :],
            A[..., i, :, :],
        )
        joint_term, constraint_inertia = (
            P[..., coordinates, coordinates],
            _coordinate_constraint_inertia(tree, q, i),
        )
        if i in locked_links:
            inverse_joint_inertia = np.zeros((*shape, S.shape[-1], S.shape[-1]))
        else:
            size = S.mT @ rigid[..., i, :, :] @ S
            size = size * _nearby_inertia_ratios(link.joint, q[..., coordinates], S)[..., None]
            size = size + constraint_inertia + np.abs(joint_term)
            inverse_joint_inertia, is_positive = _invert_joint_inertia(
                link, S.mT @ articulated @ S + constraint_inertia + joint_term, size
            )
            is_definite = is_definite and is_positive
        if parent < 0:
            parent_wrench, parent_acceleration = (
                np.zeros(S.shape),
                np.zeros(S.mT.shape),
            )  # the parent is the world
        else:
            down, up = articulated @ parent_adjoint, parent_adjoint.mT @ articulated
            propagated = up @ parent_adjoint
            if C is not None:
                to_parent, from_parent = to_bodies[i].mT, to_bodies[parent].mT
                own_block = to_parent @ C[..., i, 0, :, :] @ to_bodies[parent]
                parent_block = from_parent @ C[..., i, 1, :, :] @ to_bodies[i]
                down, up, propagated = (
                    down + own_block,
                    up + parent_block,
                    propagated + parent_adjoint.mT @ own_block + parent_block @ parent_adjoint,
                )
            parent_wrench, parent_acceleration = up @ S, inverse_joint_inertia @ S.mT @ down
            inertias[..., parent, :, :] += propagated - parent_wrench @ parent_acceleration
            rigid[..., parent, :, :] += parent_adjoint.mT @ rigid[..., i, :, :] @ parent_adjoint
        pivots[i] = JointPivot(
            S, parent_adjoint, inverse_joint_inertia, parent_wrench, parent_acceleration, articulated
        )
    return InverseMass(tree, tuple(p for p in pivots if p is not None), shape, is_definite)


def inverse_mass_product(tree: Tree, q: ArrayLike, x: ArrayLike) -> Array:
    """Return ``M_r^-1 x (..., k)`` for generalized forces ``x (..., k)`` in linear time (Sueda Algorithm 10).

    For several right sides at the same coordinates, :func:`factor_mass_matrix` does the first sweep once.

    Raises
    ------
    InvalidArgument
        If the shape of ``q`` or ``x`` does not fit.
    SingularConfiguration
        If a joint is in a singular state, or no mass moves with it; the message names it.
    """
    arguments.require_instance("tree", tree, Tree)
    q, x = check_vectors(tree, q=q, x=x)
    return _factor_mass_matrix(tree, q, np.zeros((tree.num_coordinates, tree.num_coordinates)))._solve(x)


def inverse_mass_matrix(tree: Tree, q: ArrayLike) -> Array:
    """Return ``M_r^-1 (..., k, k)`` in quadratic time, without M_r (Sueda 2.13).

    Raises
    ------
    InvalidArgument
        If the shape of ``q`` does not fit.
    SingularConfiguration
        As for :func:`inverse_mass_product`.
    """
    inverse = factor_mass_matrix(tree, q).matrix()
    return (inverse + inverse.mT) / 2


def coordinate_constraint_accelerations(tree: Tree, q: Array, x: Array) -> Array:
    """Return the part ``(..., k)`` of ``M_r^-1 x`` along the constrained coordinates of joints.

    Nothing moves along it. The inertia there is the one that
    :func:`~rbnotes.multibody.reduced.dynamics.regularized_mass_matrix` adds.
    """
    result = np.zeros(x.shape)
    for i, (link, coordinates) in enumerate(zip(tree.links, tree.coordinate_slices, strict=True)):
        if link.joint.num_coordinate_constraints:
            rows = link.joint.compute_coordinate_constraint_jacobian(q[..., coordinates])
            inverse = np.linalg.inv(rows @ rows.mT)
            components = _matvec(inverse @ inverse, _matvec(rows, x[..., coordinates]))
            result[..., coordinates] = _matvec(rows.mT, components) / tree.mean_subtree_inertias[i]
    return result


def joint_diagonal_blocks(tree: Tree, matrix: Array) -> Array:
    """Return a matrix ``(..., k, k)`` without the blocks between different joints."""
    result = np.zeros(matrix.shape)
    for coordinates in tree.coordinate_slices:
        result[..., coordinates, coordinates] = matrix[..., coordinates, coordinates]
    return result


def _check_joint_terms(tree: Tree, value: ArrayLike) -> Array:
    """Return the joint terms as matrices; raise an error if they couple joints."""
    terms, k = arguments.array("joint_terms", value), tree.num_coordinates
    if terms.ndim < 2:
        if terms.shape not in ((), (k,)):
            raise InvalidArgument("joint_terms", f"shape {terms.shape}", f"shape (..., {k}, {k}) or ({k},)")
        return np.diag(np.broadcast_to(terms, (k,)))
    if terms.shape[-2:] != (k, k):
        raise InvalidArgument("joint_terms", f"shape {terms.shape}", f"shape (..., {k}, {k}) or ({k},)")
    P = terms
    coupling = np.abs(P - joint_diagonal_blocks(tree, P))
    if np.any(coupling):
        indices = np.argwhere(coupling.reshape(-1, k, k).max(axis=0))[0]
        ends = [own.stop for own in tree.coordinate_slices]
        row, column = (tree.links[int(np.searchsorted(ends, index, "right"))].name for index in indices)
        got = f"{row!r} coupled with {column!r}"
        raise InvalidArgument("joint_terms", got, "blocks on the diagonal, one for each joint")
    return P


def _invert_joint_inertia(link: Link, joint_inertia: Array, size: Array) -> tuple[Array, bool]:
    """Return the inverse of a joint inertia ``(..., k, k)``, and True where it is positive definite.

    Scaling by its size makes the test independent of units and masses, and separates rounding from a small
    inertia.
    """
    if not joint_inertia.shape[-1]:
        return joint_inertia, True
    diagonal = np.diagonal(size, axis1=-2, axis2=-1)
    scale = 1 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))[..., None]
    scaled = joint_inertia * scale * scale.mT
    smallest = float(np.min(np.linalg.svd(scaled, compute_uv=False), initial=np.inf))
    if smallest < 100 * np.finfo(float).eps:
        got = f"{link.name!r} without inertia along its {link.joint} joint ({smallest:.3g}, scaled)"
        raise SingularConfiguration("q", got, "joints away from singular states, with inertia beyond them")
    is_positive = bool(np.min(np.linalg.eigvalsh((scaled + scaled.mT) / 2), initial=np.inf) > 0)
    return scale * np.linalg.inv(scaled) * scale.mT, is_positive


def _insert_axis(part: Array) -> Array:
    """Insert an axis for several right sides."""
    return part[..., None, :, :]
