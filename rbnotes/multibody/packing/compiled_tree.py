"""A tree with compiled recursions: the functions of :mod:`rbnotes.multibody.reduced` as methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.compiled import tree_layout as layout
from rbnotes.compiled.compilation import compiled_function
from rbnotes.multibody import reduced as reference
from rbnotes.multibody.packing.external_joints import ExternalJoints
from rbnotes.multibody.packing.motion_subspace_derivatives import SubspaceDerivatives
from rbnotes.multibody.packing.packed_tree import (
    PackedTree,
    aligned_zeros,
    moving_parts,
    pack_tree,
    prescribe_accelerations,
    without_springs,
    without_springs_and_gravity,
)
from rbnotes.multibody.reduced import Tree
from rbnotes.multibody.reduced.dynamics import _check_applied_forces
from rbnotes.multibody.reduced.dynamics_derivatives import DynamicsDerivatives
from rbnotes.multibody.reduced.inverse_mass import coordinate_constraint_accelerations
from rbnotes.multibody.reduced.kinematics import check_vectors
from rbnotes.multibody.reduced.recursive_dynamics import (
    HybridDynamicsResult,
    _check_dynamics_arguments,
    _prescribed_accelerations,
)

_flat, _empty = np.ascontiguousarray, np.empty
_NO_WRENCHES = 0.0
"""No wrenches: told from other zeros by identity, which takes no time."""
_EMPTY_VECTOR = np.zeros(0)


class CompiledTree:
    """A packed tree; its methods take states ``(..., k)``, one or many, and cost O(n) a state for n links.

    Shapes are checked before, and numbers by the result, which would not be finite. Calls for one state use
    room that the object holds: one thread at a time. Those for many states have their own room, and let other
    threads run beside them. Angles of 2^19 rad and more, 83,000 turns, are the reference's, at its speed, for
    all joints and states of the call: take whole turns off before.

    Raises InvalidArgument if ``tree`` is no ``Tree``.
    """

    def __init__(self, tree: Tree) -> None:
        arguments.require_instance("tree", tree, Tree)
        self.tree = tree
        self._packed = pack_tree(tree)
        self._integers, self._floats, given = self._packed
        start, size = (int(self._integers[i]) for i in (layout.EXTERNAL_OFFSET, layout.EXTERNAL_SIZE))
        self._external = ExternalJoints(given, start, size, tree.num_coordinates)
        self._prescribed_trees: dict[bytes, PackedTree] = {}
        self._vector_shape, self._matrix_shape = (
            (tree.num_coordinates,),
            (tree.num_coordinates, tree.num_coordinates),
        )
        self._has_no_external_joints = not given
        self._has_no_coordinate_constraints = not any(
            link.joint.num_coordinate_constraints for link in tree.links
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return CompiledTree, (self.tree,)

    @cached_property
    def _forward_dynamics_entry(self) -> Callable[..., int]:
        return compiled_function("forward_one")

    @cached_property
    def _inverse_dynamics_entry(self) -> Callable[..., int]:
        return compiled_function("inverse_one")

    @cached_property
    def _unforced_tree(self) -> PackedTree:
        return without_springs_and_gravity(self._packed)

    @cached_property
    def _without_springs(self) -> PackedTree:
        return without_springs(self._packed)

    @cached_property
    def _unforced_floats(self) -> Array:
        return self._unforced_tree.floats

    def forward_dynamics(
        self, q: ArrayLike, qdot: ArrayLike, tau: ArrayLike = 0.0, wrenches: ArrayLike = _NO_WRENCHES
    ) -> Array:
        """Accelerations ``(..., k)``, as :func:`rbnotes.multibody.reduced.forward_dynamics` (Sueda 2.12, Algorithm 9).

        Raises
        ------
        InvalidArgument
            If an argument has a wrong shape or is not finite.
        SingularConfiguration
            If the mass matrix is singular; the message names the joints.
        """
        # The simple case has the shortest way, since each check of an argument takes as long as a link: the
        # compiled code does them.
        if wrenches is _NO_WRENCHES and (
            self._has_no_external_joints or self._external.try_fill(self._floats, q, qdot)
        ):
            out: Array = _empty(self._vector_shape)
            if not self._forward_dynamics_entry(self._integers, self._floats, q, qdot, tau, out):
                return out
            many = self._evaluate_array("forward", self._packed, q, qdot, tau)
            if many is not None:
                return many
        q, qdot = self.tree.check_vector("q", q), self.tree.check_vector("qdot", qdot)
        return self._accelerations(q, qdot, *_check_applied_forces(self.tree, tau, wrenches, q=q, qdot=qdot))

    def _accelerations(self, q: Array, qdot: Array, tau: Array, wrenches: Array) -> Array:
        total_forces = tau + self._generalized_forces(q, wrenches) if wrenches.ndim else tau
        found = self._evaluate("forward", self._packed, q, qdot, total_forces)
        return reference.forward_dynamics(self.tree, q, qdot, tau, wrenches) if found is None else found

    def inverse_dynamics(
        self, q: ArrayLike, qdot: ArrayLike, qddot: ArrayLike, wrenches: ArrayLike = _NO_WRENCHES
    ) -> Array:
        """Applied joint forces ``(..., k)``, as :func:`rbnotes.multibody.reduced.inverse_dynamics` (Sueda 2.12, Alg. 9).

        Raises
        ------
        InvalidArgument
            If an argument has a wrong shape or is not finite.
        """
        if wrenches is _NO_WRENCHES and (
            self._has_no_external_joints or self._external.try_fill(self._floats, q, qdot)
        ):
            out: Array = _empty(self._vector_shape)
            if not self._inverse_dynamics_entry(self._integers, self._floats, q, qdot, qddot, out):
                return out
            many = self._evaluate_array("inverse", self._packed, q, qdot, qddot)
            if many is not None:
                return many
        q, qdot = self.tree.check_vector("q", q), self.tree.check_vector("qdot", qdot)
        qddot = self.tree.check_vector("qddot", qddot)
        return self._inverse_dynamics(
            q, qdot, qddot, _check_applied_forces(self.tree, 0.0, wrenches, q=q, qdot=qdot, qddot=qddot)[1]
        )

    def _inverse_dynamics(self, q: Array, qdot: Array, qddot: Array, wrenches: Array) -> Array:
        found = self._evaluate("inverse", self._packed, q, qdot, qddot)
        if found is None:
            return reference.inverse_dynamics(self.tree, q, qdot, qddot, wrenches)
        return found - self._generalized_forces(q, wrenches) if wrenches.ndim else found

    def hybrid_dynamics(
        self,
        q: ArrayLike,
        qdot: ArrayLike,
        accelerations: Mapping[str, ArrayLike],
        tau: ArrayLike = 0.0,
        wrenches: ArrayLike = _NO_WRENCHES,
    ) -> HybridDynamicsResult:
        """Accelerations and forces, as :func:`rbnotes.multibody.reduced.hybrid_dynamics` (Sueda 2.12, Algorithm 9).

        Raises
        ------
        InvalidArgument
            If an argument has a wrong shape or is not finite, or there is no link of a name.
        SingularConfiguration
            If a joint that is not driven is in a singular state, or nothing heavy moves with it.
        """
        arguments.require_instance("accelerations", accelerations, Mapping)
        prescribed, driven = _prescribed_accelerations(self.tree, accelerations)
        q, qdot, prescribed, tau, wrenches = _check_dynamics_arguments(
            self.tree, q, qdot, prescribed, tau, wrenches
        )
        total_forces = tau + self._generalized_forces(q, wrenches) if np.any(wrenches) else tau
        found = self._evaluate(
            "forward", self._prescribed_tree(driven), q, qdot, np.where(driven, prescribed, total_forces)
        )
        if found is None:
            return reference.hybrid_dynamics(self.tree, q, qdot, accelerations, tau, wrenches)
        if not np.any(driven):
            return HybridDynamicsResult(found, np.array(tau))
        return HybridDynamicsResult(
            found, np.where(driven, self._inverse_dynamics(q, qdot, found, wrenches), tau)
        )

    def _prescribed_tree(self, driven: NDArray[np.bool_]) -> PackedTree:
        """The packed tree with some coordinates driven; that of the last ones asked for is kept."""
        key = driven.tobytes()
        if key not in self._prescribed_trees:
            self._prescribed_trees = {key: prescribe_accelerations(self._packed, np.flatnonzero(driven))}
        return self._prescribed_trees[key]

    def inverse_dynamics_derivatives(
        self, q: ArrayLike, qdot: ArrayLike, qddot: ArrayLike, wrenches: ArrayLike = _NO_WRENCHES
    ) -> DynamicsDerivatives:
        """Exact derivatives ``(..., k, k)``, as :func:`rbnotes.multibody.reduced.inverse_dynamics_derivatives`.

        Second derivatives of columns that do not rest in their joint are compiled for joints given as
        functions, and those of the joint itself for all others (balls, splines).

        Raises
        ------
        InvalidArgument
            If an argument has a wrong shape or is not finite, or a joint has no second derivatives of S.
        SingularConfiguration
            If a joint given as a function is in a singular state.
        """
        if wrenches is _NO_WRENCHES and self._subspace_derivatives.is_empty:
            by_q, by_v = _empty(self._matrix_shape), _empty(self._matrix_shape)
            given: tuple[Any, ...] = q, qdot, qddot, _EMPTY_VECTOR, _EMPTY_VECTOR
            if not self._write_derivatives(*given, by_q.reshape(-1), by_v.reshape(-1)):
                return DynamicsDerivatives(by_q, by_v)
        q, qdot, qddot = check_vectors(self.tree, q=q, qdot=qdot, qddot=qddot)
        wrenches = _check_applied_forces(self.tree, 0.0, wrenches, q=q)[1]
        found = self._derivatives(q, qdot, qddot, None, wrenches)
        return found or reference.inverse_dynamics_derivatives(self.tree, q, qdot, qddot, wrenches)

    def _derivatives(
        self, q: Array, qdot: Array, qddot: Array, tau: Array | None, wrenches: Array
    ) -> DynamicsDerivatives | None:
        """Of accelerations under forces, or of forces if none are given; None as :meth:`_states` has it."""
        lead = np.broadcast_shapes(q.shape[:-1], wrenches.shape[:-2])
        states = [np.broadcast_to(each, (*lead, *self._vector_shape)) for each in (q, qdot, qddot)]
        forces = None if tau is None else np.broadcast_to(tau, (*lead, *self._vector_shape))
        applied = np.broadcast_to(wrenches, (*lead, *wrenches.shape[-2:]))
        by_q, by_v = np.empty((2, *lead, *self._vector_shape, *self._vector_shape))
        for where in np.ndindex(lead):
            args = [_flat(each[where]) for each in states]
            f = _EMPTY_VECTOR if forces is None else _flat(forces[where])
            to = by_q[where].reshape(-1), by_v[where].reshape(-1)
            if not self._external.fill(self._floats, *args[:2]) or self._write_derivatives(
                *args, f, applied[where].ravel() if wrenches.ndim else _EMPTY_VECTOR, *to
            ):
                return None
        return DynamicsDerivatives(by_q, by_v)

    def _write_derivatives(self, q: Array, qdot: Array, qddot: Array, *more: Array) -> int:
        """Slopes at a state for which the joints outside were evaluated; whether something is wrong.

        More are forces, wrenches and where the slopes go.
        """
        tau, wrenches, *to = more
        bends = self._subspace_derivatives.evaluate(q, qdot, qddot)
        if bends is None:
            return 1
        given = self._integers, self._floats, q, qdot, qddot, tau, wrenches, bends, *to
        return compiled_function("slopes_one")(*given)

    def forward_dynamics_derivatives(
        self, q: ArrayLike, qdot: ArrayLike, tau: ArrayLike = 0.0, wrenches: ArrayLike = _NO_WRENCHES
    ) -> DynamicsDerivatives:
        """Exact derivatives ``(..., k, k)``, as :func:`rbnotes.multibody.reduced.forward_dynamics_derivatives`.

        Those of inverse dynamics, and the mass matrix that comes along with them, factored along the tree.

        Raises
        ------
        InvalidArgument
            If an argument has a wrong shape or is not finite.
        SingularConfiguration
            If the mass matrix is singular; the message names the joints.
        """
        if wrenches is _NO_WRENCHES and (
            self._has_no_external_joints or self._external.try_fill(self._floats, q, qdot)
        ):
            qddot: Array = _empty(self._vector_shape)
            given: tuple[Any, ...] = q, qdot, qddot, tau, _EMPTY_VECTOR
            if not self._forward_dynamics_entry(self._integers, self._floats, q, qdot, tau, qddot):
                by_q, by_v = _empty(self._matrix_shape), _empty(self._matrix_shape)
                if not self._write_derivatives(*given, by_q.reshape(-1), by_v.reshape(-1)):
                    return DynamicsDerivatives(by_q, by_v)
        q, qdot = self.tree.check_vector("q", q), self.tree.check_vector("qdot", qdot)
        tau, wrenches = _check_applied_forces(self.tree, tau, wrenches, q=q, qdot=qdot)
        qddot = self._accelerations(q, qdot, tau, wrenches)
        at, moving = (np.broadcast_to(each, qddot.shape) for each in (q, qdot))
        found = self._derivatives(at, moving, qddot, tau, wrenches)
        return found or reference.forward_dynamics_derivatives(self.tree, q, qdot, tau, wrenches)

    @cached_property
    def _subspace_derivatives(self) -> SubspaceDerivatives:
        """Joints whose columns do not rest in them."""
        parts = moving_parts(self.tree)[0]
        return SubspaceDerivatives(
            ((part.joint, part.start) for part in parts if part.axis is None), self.tree.num_coordinates
        )

    def bias_forces(self, q: ArrayLike, qdot: ArrayLike) -> Array:
        """Joint forces of gravity and of the velocities ``(..., k)``, as :func:`rbnotes.multibody.reduced.bias_forces`.

        Raises
        ------
        InvalidArgument
            If an argument has a wrong shape or is not finite.
        """
        q, qdot = self.tree.check_vector("q", q), self.tree.check_vector("qdot", qdot)
        found = self._evaluate("inverse", self._without_springs, q, qdot, self._zero_rates)
        return reference.bias_forces(self.tree, q, qdot) if found is None else found

    def inverse_mass_product(self, q: ArrayLike, x: ArrayLike) -> Array:
        """``M_r^-1 x (..., k)``, as :func:`rbnotes.multibody.reduced.inverse_mass_product` (Sueda Algorithm 10).

        Raises
        ------
        InvalidArgument
            If an argument has a wrong shape or is not finite.
        SingularConfiguration
            If the mass matrix is singular; the message names the joints.
        """
        if self._has_no_coordinate_constraints and (
            self._has_no_external_joints
            or self._external.try_fill(self._unforced_floats, q, self._zero_rates)
        ):
            out: Array = _empty(self._vector_shape)
            if not self._forward_dynamics_entry(
                self._integers, self._unforced_floats, q, self._zero_rates, x, out
            ):
                return out
        q, x = check_vectors(self.tree, q=q, x=x)
        found = self._evaluate("forward", self._unforced_tree, q, np.zeros_like(q), x)
        if found is None:
            return reference.inverse_mass_product(self.tree, q, x)
        return (
            found
            if self._has_no_coordinate_constraints
            else found + coordinate_constraint_accelerations(self.tree, q, x)
        )

    def mass_product(self, q: ArrayLike, x: ArrayLike) -> Array:
        """``M_r x (..., k)``, as :func:`rbnotes.multibody.reduced.mass_product`.

        Raises
        ------
        InvalidArgument
            If an argument has a wrong shape or is not finite.
        """
        q, x = check_vectors(self.tree, q=q, x=x)
        found = self._evaluate("inverse", self._unforced_tree, q, np.zeros_like(q), x)
        return reference.mass_product(self.tree, q, x) if found is None else found

    def jacobian_product(self, q: ArrayLike, x: ArrayLike) -> Array:
        """``J x (..., n, 6)``, as :func:`rbnotes.multibody.reduced.jacobian_product` (Sueda Algorithm 5).

        Raises
        ------
        InvalidArgument
            If an argument has a wrong shape or is not finite.
        """
        return self._body_motions(*check_vectors(self.tree, q=q, x=x))[0]

    def bias_acceleration(self, q: ArrayLike, qdot: ArrayLike) -> Array:
        """``Jdot qdot (..., n, 6)``, as :func:`rbnotes.multibody.reduced.bias_acceleration`.

        Raises
        ------
        InvalidArgument
            If an argument has a wrong shape or is not finite.
        """
        return self._body_motions(*check_vectors(self.tree, q=q, qdot=qdot))[1]

    def jacobian_transpose_product(self, q: ArrayLike, y: ArrayLike) -> Array:
        """``J^T y (..., k)``, as :func:`rbnotes.multibody.reduced.jacobian_transpose_product` (Sueda Algorithm 6).

        Raises
        ------
        InvalidArgument
            If an argument has a wrong shape or is not finite.
        """
        q, y = self.tree.check_vector("q", q), arguments.array("y", y, len(self.tree.links), 6)
        arguments.common_shape(q=q.shape[:-1], y=y.shape[:-2])
        return self._generalized_forces(q, y)

    def _generalized_forces(self, q: Array, wrenches: Array) -> Array:
        shape = np.broadcast_shapes(q.shape[:-1], wrenches.shape[:-2])
        q = np.broadcast_to(q, (*shape, self.tree.num_coordinates))
        wrenches = np.broadcast_to(wrenches, (*shape, *wrenches.shape[-2:]))
        result, entry = np.empty(q.shape), compiled_function("forces_one")
        for where in np.ndindex(shape):
            out = np.empty(self._vector_shape)
            filled = self._external.fill(self._unforced_floats, q[where], self._zero_rates)
            args = _flat(q[where]), self._zero_rates, wrenches[where].ravel(), out
            if not filled or entry(self._integers, self._unforced_floats, *args):
                out = reference.jacobian(self.tree, q[where]).T @ wrenches[where].ravel()
            result[where] = out
        return result

    @cached_property
    def _zero_rates(self) -> Array:
        return np.zeros(self._vector_shape)

    def _body_motions(self, q: Array, qdot: Array) -> tuple[Array, Array]:
        n, entry = len(self.tree.links), compiled_function("motions_one")
        result = np.empty((2, *q.shape[:-1], n, 6))
        for where in np.ndindex(q.shape[:-1]):
            out = np.empty((2, 6 * n))
            filled = self._external.fill(self._unforced_floats, q[where], qdot[where])
            args = _flat(q[where]), _flat(qdot[where]), self._zero_rates, *out
            if not filled or entry(self._integers, self._unforced_floats, *args):
                at = reference.body_kinematics(self.tree, q[where], qdot[where])
                out = np.stack([at.phi.ravel(), at.bias_acceleration.ravel()])
            result[:, *where] = out.reshape(2, n, 6)
        return result[0], result[1]

    def _evaluate(
        self, name: str, packed_tree: PackedTree, q: Array, qdot: Array, third: Array
    ) -> Array | None:
        """One state or many; None if some number of the result is not finite."""
        shapes = {"q": q.shape[:-1], "qdot": qdot.shape[:-1], "the third argument": third.shape[:-1]}
        out: Array = np.empty((*arguments.common_shape(**shapes), *self._vector_shape))
        states = [_flat(np.broadcast_to(each, out.shape)).ravel() for each in (q, qdot, third)]
        if out.size == 0:
            return out
        if out.ndim == 1:
            filled = self._external.fill(packed_tree.floats, q, qdot)
            failed = not filled or compiled_function(f"{name}_one")(
                packed_tree.integers, packed_tree.floats, *states, out
            )
            return None if failed else out
        count = out.size // self.tree.num_coordinates
        rows = [each.reshape(count, -1) for each in states]
        external = self._external.evaluate_batch(*rows[:2])
        if external is None:
            return None
        rows = [external, *rows]
        if count < layout.LANES:  # some of them more than once
            rows = [np.resize(each, (int(layout.LANES), each.shape[1])) for each in rows]
        found = self._evaluate_batch(name, packed_tree, *rows)
        return None if found is None else found.ravel()[: out.size].reshape(out.shape)

    def _evaluate_array(self, name: str, packed_tree: PackedTree, *states: object) -> Array | None:
        """Of arrays of states that need no conversion; None if they are others, or a result is not finite.

        Numbers are not looked at before: what is not finite would be so in the result.
        """
        rows = [each for each in states if type(each) is np.ndarray]
        if (
            not self._has_no_external_joints
            or len(rows) < len(states)
            or rows[0].ndim != 2
            or len(rows[0]) < layout.LANES
        ):
            return None
        expected = (len(rows[0]), self.tree.num_coordinates)
        if any(each.shape != expected or each.dtype != np.float64 or not each.flags.carray for each in rows):
            return None
        return (
            self._evaluate_batch(name, packed_tree, np.zeros((len(rows[0]), 0)), *rows)
            if self.tree.num_coordinates
            else None
        )

    def _evaluate_batch(
        self, name: str, packed_tree: PackedTree, external: Array, *states: Array
    ) -> Array | None:
        """The batch, of eight states or more."""
        out = np.empty(states[0].shape)
        flat = [each.reshape(-1) for each in (external, *states, out)]
        failed = compiled_function(f"{name}_many")(
            packed_tree.integers, packed_tree.floats, aligned_zeros(packed_tree.batch_workspace_size), *flat
        )
        return None if failed else out
