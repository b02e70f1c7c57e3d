"""Compiled tree: the functions of :mod:`rbnotes.multibody.reduced` as methods."""

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
from rbnotes.multibody.reduced.dynamics import check_applied_forces
from rbnotes.multibody.reduced.dynamics_derivatives import DynamicsDerivatives
from rbnotes.multibody.reduced.inverse_mass import coordinate_constraint_accelerations
from rbnotes.multibody.reduced.kinematics import check_vectors
from rbnotes.multibody.reduced.recursive_dynamics import (
    HybridDynamicsResult,
    check_dynamics_arguments,
    prescribed_accelerations,
)

_flat, _empty = np.ascontiguousarray, np.empty
_NO_WRENCHES = 0.0
"""Default of `wrenches`, compared by identity."""
_EMPTY_VECTOR = np.zeros(0)


class CompiledTree:
    """Packed tree with compiled recursions.

    The methods take states ``(..., k)``, one or many, and cost O(n) per state for n links. They have the
    names, arguments and results of the functions of :mod:`rbnotes.multibody.reduced`; not all of these are
    compiled.

    Shapes are checked before the call. Entries that are not finite are found in the result. Calls for one
    state use the workspace of the object, so only one thread may make them at a time; calls for many states
    allocate their own workspace and run in parallel. If an angle is 2^19 rad (83,000 turns) or more, the
    reference evaluates the whole call at its own speed; subtract whole turns first.

    Raises InvalidArgument if ``tree`` is not a ``Tree``.
    """

    def __init__(self, tree: Tree) -> None:
        arguments.require_instance("tree", tree, Tree)
        self.tree = tree
        self._packed = pack_tree(tree)
        self._integers, self._floats, external_joints = self._packed
        start, size = (int(self._integers[i]) for i in (layout.EXTERNAL_OFFSET, layout.EXTERNAL_SIZE))
        self._external = ExternalJoints(external_joints, start, size, tree.num_coordinates)
        self._prescribed_trees: dict[bytes, PackedTree] = {}
        self._vector_shape, self._matrix_shape = (
            (tree.num_coordinates,),
            (tree.num_coordinates, tree.num_coordinates),
        )
        self._has_no_external_joints = not external_joints
        self._has_no_coordinate_constraints = not any(
            link.joint.num_coordinate_constraints for link in tree.links
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return CompiledTree, (self.tree,)

    @cached_property
    def _forward_dynamics_entry(self) -> Callable[..., int]:
        return compiled_function("forward_dynamics_single")

    @cached_property
    def _inverse_dynamics_entry(self) -> Callable[..., int]:
        return compiled_function("inverse_dynamics_single")

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
        """Return the accelerations ``(..., k)`` (Sueda 2.12, Algorithm 9).

        The reference is :func:`rbnotes.multibody.reduced.forward_dynamics`.

        Raises
        ------
        InvalidArgument
            If an argument has a wrong shape or is not finite.
        SingularConfiguration
            If the mass matrix is singular; the message names the joints.
        """
        # In the simple case compiled code checks the arguments: each check in Python takes as long as a link.
        if wrenches is _NO_WRENCHES and (
            self._has_no_external_joints or self._external.try_fill(self._floats, q, qdot)
        ):
            out: Array = _empty(self._vector_shape)
            if not self._forward_dynamics_entry(self._integers, self._floats, q, qdot, tau, out):
                return out
            many = self._evaluate_array("forward_dynamics", self._packed, q, qdot, tau)
            if many is not None:
                return many
        q, qdot = self.tree.check_vector("q", q), self.tree.check_vector("qdot", qdot)
        return self._accelerations(q, qdot, *check_applied_forces(self.tree, tau, wrenches, q=q, qdot=qdot))

    def _accelerations(self, q: Array, qdot: Array, tau: Array, wrenches: Array) -> Array:
        total_forces = tau + self._generalized_forces(q, wrenches) if wrenches.ndim else tau
        result = self._evaluate("forward_dynamics", self._packed, q, qdot, total_forces)
        return reference.forward_dynamics(self.tree, q, qdot, tau, wrenches) if result is None else result

    def inverse_dynamics(
        self, q: ArrayLike, qdot: ArrayLike, qddot: ArrayLike, wrenches: ArrayLike = _NO_WRENCHES
    ) -> Array:
        """Return the applied joint forces ``(..., k)`` (Sueda 2.10, Algorithm 5).

        The reference is :func:`rbnotes.multibody.reduced.inverse_dynamics`.

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
            many = self._evaluate_array("inverse_dynamics", self._packed, q, qdot, qddot)
            if many is not None:
                return many
        q, qdot = self.tree.check_vector("q", q), self.tree.check_vector("qdot", qdot)
        qddot = self.tree.check_vector("qddot", qddot)
        return self._inverse_dynamics(
            q, qdot, qddot, check_applied_forces(self.tree, 0.0, wrenches, q=q, qdot=qdot, qddot=qddot)[1]
        )

    def _inverse_dynamics(self, q: Array, qdot: Array, qddot: Array, wrenches: Array) -> Array:
        result = self._evaluate("inverse_dynamics", self._packed, q, qdot, qddot)
        if result is None:
            return reference.inverse_dynamics(self.tree, q, qdot, qddot, wrenches)
        return result - self._generalized_forces(q, wrenches) if wrenches.ndim else result

    def hybrid_dynamics(
        self,
        q: ArrayLike,
        qdot: ArrayLike,
        accelerations: Mapping[str, ArrayLike],
        tau: ArrayLike = 0.0,
        wrenches: ArrayLike = _NO_WRENCHES,
    ) -> HybridDynamicsResult:
        """Return accelerations and forces if some accelerations are prescribed (Sueda 2.12, Algorithm 9).

        The reference is :func:`rbnotes.multibody.reduced.hybrid_dynamics`.

        Raises
        ------
        InvalidArgument
            If an argument has a wrong shape or is not finite, or no link has one of the names.
        SingularConfiguration
            If a free joint is in a singular state, or moves no mass.
        """
        arguments.require_instance("accelerations", accelerations, Mapping)
        prescribed, is_prescribed = prescribed_accelerations(self.tree, accelerations)
        q, qdot, prescribed, tau, wrenches = check_dynamics_arguments(
            self.tree, q, qdot, prescribed, tau, wrenches
        )
        total_forces = tau + self._generalized_forces(q, wrenches) if np.any(wrenches) else tau
        result = self._evaluate(
            "forward_dynamics",
            self._prescribed_tree(is_prescribed),
            q,
            qdot,
            np.where(is_prescribed, prescribed, total_forces),
        )
        if result is None:
            return reference.hybrid_dynamics(self.tree, q, qdot, accelerations, tau, wrenches)
        if not np.any(is_prescribed):
            return HybridDynamicsResult(result, np.array(tau))
        return HybridDynamicsResult(
            result, np.where(is_prescribed, self._inverse_dynamics(q, qdot, result, wrenches), tau)
        )

    def _prescribed_tree(self, is_prescribed: NDArray[np.bool_]) -> PackedTree:
        """Return the packed tree with prescribed coordinates; the last one is cached."""
        key = is_prescribed.tobytes()
        if key not in self._prescribed_trees:
            self._prescribed_trees = {
                key: prescribe_accelerations(self._packed, np.flatnonzero(is_prescribed))
            }
        return self._prescribed_trees[key]

    def inverse_dynamics_derivatives(
        self, q: ArrayLike, qdot: ArrayLike, qddot: ArrayLike, wrenches: ArrayLike = _NO_WRENCHES
    ) -> DynamicsDerivatives:
        """Return the exact derivatives ``(..., k, k)`` of inverse dynamics.

        The reference is :func:`rbnotes.multibody.reduced.inverse_dynamics_derivatives`. Second derivatives of
        motion subspaces that are not constant are compiled for joints given as functions; other joints
        (spherical joints, splines) evaluate their own.

        Raises
        ------
        InvalidArgument
            If an argument has a wrong shape or is not finite, or a joint has no second derivatives of S.
        SingularConfiguration
            If a joint given as a function is in a singular state.
        """
        if wrenches is _NO_WRENCHES and self._subspace_derivatives.is_empty:
            derivatives_q, derivatives_qdot = _empty(self._matrix_shape), _empty(self._matrix_shape)
            inputs: tuple[Any, ...] = q, qdot, qddot, _EMPTY_VECTOR, _EMPTY_VECTOR
            if not self._write_derivatives(*inputs, derivatives_q.reshape(-1), derivatives_qdot.reshape(-1)):
                return DynamicsDerivatives(derivatives_q, derivatives_qdot)
        q, qdot, qddot = check_vectors(self.tree, q=q, qdot=qdot, qddot=qddot)
        wrenches = check_applied_forces(self.tree, 0.0, wrenches, q=q)[1]
        result = self._derivatives(q, qdot, qddot, None, wrenches)
        return result or reference.inverse_dynamics_derivatives(self.tree, q, qdot, qddot, wrenches)

    def _derivatives(
        self, q: Array, qdot: Array, qddot: Array, tau: Array | None, wrenches: Array
    ) -> DynamicsDerivatives | None:
        """Return the derivatives of accelerations under `tau`, or of forces without it; None on failure."""
        leading_axes = np.broadcast_shapes(q.shape[:-1], wrenches.shape[:-2])
        states = [np.broadcast_to(each, (*leading_axes, *self._vector_shape)) for each in (q, qdot, qddot)]
        forces = None if tau is None else np.broadcast_to(tau, (*leading_axes, *self._vector_shape))
        all_wrenches = np.broadcast_to(wrenches, (*leading_axes, *wrenches.shape[-2:]))
        derivatives_q, derivatives_qdot = np.empty(
            (2, *leading_axes, *self._vector_shape, *self._vector_shape)
        )
        for index in np.ndindex(leading_axes):
            args = [_flat(each[index]) for each in states]
            f = _EMPTY_VECTOR if forces is None else _flat(forces[index])
            outputs = derivatives_q[index].reshape(-1), derivatives_qdot[index].reshape(-1)
            if not self._external.fill(self._floats, *args[:2]) or self._write_derivatives(
                *args, f, all_wrenches[index].ravel() if wrenches.ndim else _EMPTY_VECTOR, *outputs
            ):
                return None
        return DynamicsDerivatives(derivatives_q, derivatives_qdot)

    def _write_derivatives(self, q: Array, qdot: Array, qddot: Array, *more: Array) -> int:
        """Write the derivatives at one state; return zero, or a nonzero code on failure.

        The external joints must be evaluated at this state. The remaining arguments are the forces, the
        wrenches and the two arrays of derivatives.
        """
        tau, wrenches, *outputs = more
        subspace_derivatives = self._subspace_derivatives.evaluate(q, qdot, qddot)
        if subspace_derivatives is None:
            return 1
        inputs = self._integers, self._floats, q, qdot, qddot, tau, wrenches, subspace_derivatives, *outputs
        return compiled_function("dynamics_derivatives")(*inputs)

    def forward_dynamics_derivatives(
        self, q: ArrayLike, qdot: ArrayLike, tau: ArrayLike = 0.0, wrenches: ArrayLike = _NO_WRENCHES
    ) -> DynamicsDerivatives:
        """Return the exact derivatives ``(..., k, k)`` of forward dynamics.

        The reference is :func:`rbnotes.multibody.reduced.forward_dynamics_derivatives`. They follow from
        those of inverse dynamics and the mass matrix, factored along the tree.

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
            inputs: tuple[Any, ...] = q, qdot, qddot, tau, _EMPTY_VECTOR
            if not self._forward_dynamics_entry(self._integers, self._floats, q, qdot, tau, qddot):
                derivatives_q, derivatives_qdot = _empty(self._matrix_shape), _empty(self._matrix_shape)
                if not self._write_derivatives(
                    *inputs, derivatives_q.reshape(-1), derivatives_qdot.reshape(-1)
                ):
                    return DynamicsDerivatives(derivatives_q, derivatives_qdot)
        q, qdot = self.tree.check_vector("q", q), self.tree.check_vector("qdot", qdot)
        tau, wrenches = check_applied_forces(self.tree, tau, wrenches, q=q, qdot=qdot)
        qddot = self._accelerations(q, qdot, tau, wrenches)
        broadcast_q, broadcast_qdot = (np.broadcast_to(each, qddot.shape) for each in (q, qdot))
        result = self._derivatives(broadcast_q, broadcast_qdot, qddot, tau, wrenches)
        return result or reference.forward_dynamics_derivatives(self.tree, q, qdot, tau, wrenches)

    @cached_property
    def _subspace_derivatives(self) -> SubspaceDerivatives:
        """Joints whose motion subspace is not constant."""
        parts = moving_parts(self.tree)[0]
        return SubspaceDerivatives(
            ((part.joint, part.start) for part in parts if part.axis is None), self.tree.num_coordinates
        )

    def bias_forces(self, q: ArrayLike, qdot: ArrayLike) -> Array:
        """Return the joint forces of gravity and velocities ``(..., k)``.

        The reference is :func:`rbnotes.multibody.reduced.bias_forces`.

        Raises
        ------
        InvalidArgument
            If an argument has a wrong shape or is not finite.
        """
        q, qdot = self.tree.check_vector("q", q), self.tree.check_vector("qdot", qdot)
        result = self._evaluate("inverse_dynamics", self._without_springs, q, qdot, self._zero_rates)
        return reference.bias_forces(self.tree, q, qdot) if result is None else result

    def inverse_mass_product(self, q: ArrayLike, x: ArrayLike) -> Array:
        """Return ``M_r^-1 x (..., k)`` (Sueda Algorithm 10).

        The reference is :func:`rbnotes.multibody.reduced.inverse_mass_product`.

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
        result = self._evaluate("forward_dynamics", self._unforced_tree, q, np.zeros_like(q), x)
        if result is None:
            return reference.inverse_mass_product(self.tree, q, x)
        return (
            result
            if self._has_no_coordinate_constraints
            else result + coordinate_constraint_accelerations(self.tree, q, x)
        )

    def mass_product(self, q: ArrayLike, x: ArrayLike) -> Array:
        """Return ``M_r x (..., k)``.

        The reference is :func:`rbnotes.multibody.reduced.mass_product`.

        Raises
        ------
        InvalidArgument
            If an argument has a wrong shape or is not finite.
        """
        q, x = check_vectors(self.tree, q=q, x=x)
        result = self._evaluate("inverse_dynamics", self._unforced_tree, q, np.zeros_like(q), x)
        return reference.mass_product(self.tree, q, x) if result is None else result

    def jacobian_product(self, q: ArrayLike, x: ArrayLike) -> Array:
        """Return ``J x (..., n, 6)`` (Sueda Algorithm 5).

        The reference is :func:`rbnotes.multibody.reduced.jacobian_product`.

        Raises
        ------
        InvalidArgument
            If an argument has a wrong shape or is not finite.
        """
        return self._body_motions(*check_vectors(self.tree, q=q, x=x))[0]

    def bias_acceleration(self, q: ArrayLike, qdot: ArrayLike) -> Array:
        """Return ``Jdot qdot (..., n, 6)``.

        The reference is :func:`rbnotes.multibody.reduced.bias_acceleration`.

        Raises
        ------
        InvalidArgument
            If an argument has a wrong shape or is not finite.
        """
        return self._body_motions(*check_vectors(self.tree, q=q, qdot=qdot))[1]

    def jacobian_transpose_product(self, q: ArrayLike, y: ArrayLike) -> Array:
        """Return ``J^T y (..., k)`` (Sueda Algorithm 6).

        The reference is :func:`rbnotes.multibody.reduced.jacobian_transpose_product`.

        Raises
        ------
        InvalidArgument
            If an argument has a wrong shape or is not finite.
        """
        q, y = self.tree.check_vector("q", q), arguments.array("y", y, len(self.tree.links), 6)
        arguments.common_shape(q=q.shape[:-1], y=y.shape[:-2])
        return self._generalized_forces(q, y)

    def _generalized_forces(self, q: Array, wrenches: Array) -> Array:
        """Return ``J^T wrenches`` for each state; the reference replaces failed calls."""
        shape = np.broadcast_shapes(q.shape[:-1], wrenches.shape[:-2])
        q = np.broadcast_to(q, (*shape, self.tree.num_coordinates))
        wrenches = np.broadcast_to(wrenches, (*shape, *wrenches.shape[-2:]))
        result, entry = np.empty(q.shape), compiled_function("generalized_forces")
        for index in np.ndindex(shape):
            out = np.empty(self._vector_shape)
            filled = self._external.fill(self._unforced_floats, q[index], self._zero_rates)
            args = _flat(q[index]), self._zero_rates, wrenches[index].ravel(), out
            if not filled or entry(self._integers, self._unforced_floats, *args):
                out = reference.jacobian(self.tree, q[index]).T @ wrenches[index].ravel()
            result[index] = out
        return result

    @cached_property
    def _zero_rates(self) -> Array:
        return np.zeros(self._vector_shape)

    def _body_motions(self, q: Array, qdot: Array) -> tuple[Array, Array]:
        """Return twists and bias accelerations of the bodies; the reference replaces failed calls."""
        n, entry = len(self.tree.links), compiled_function("body_motions")
        result = np.empty((2, *q.shape[:-1], n, 6))
        for index in np.ndindex(q.shape[:-1]):
            out = np.empty((2, 6 * n))
            filled = self._external.fill(self._unforced_floats, q[index], qdot[index])
            args = _flat(q[index]), _flat(qdot[index]), self._zero_rates, *out
            if not filled or entry(self._integers, self._unforced_floats, *args):
                body_kinematics = reference.body_kinematics(self.tree, q[index], qdot[index])
                out = np.stack([body_kinematics.phi.ravel(), body_kinematics.bias_acceleration.ravel()])
            result[:, *index] = out.reshape(2, n, 6)
        return result[0], result[1]

    def _evaluate(
        self, name: str, packed_tree: PackedTree, q: Array, qdot: Array, third: Array
    ) -> Array | None:
        """Evaluate an entry at one state or many; return None if a result is not finite."""
        shapes = {"q": q.shape[:-1], "qdot": qdot.shape[:-1], "the third argument": third.shape[:-1]}
        out: Array = np.empty((*arguments.common_shape(**shapes), *self._vector_shape))
        states = [_flat(np.broadcast_to(each, out.shape)).ravel() for each in (q, qdot, third)]
        if out.size == 0:
            return out
        if out.ndim == 1:
            filled = self._external.fill(packed_tree.floats, q, qdot)
            failed = not filled or compiled_function(f"{name}_single")(
                packed_tree.integers, packed_tree.floats, *states, out
            )
            return None if failed else out
        count = out.size // self.tree.num_coordinates
        rows = [each.reshape(count, -1) for each in states]
        external = self._external.evaluate_batch(*rows[:2])
        if external is None:
            return None
        rows = [external, *rows]
        if count < layout.LANES:  # repeat some of them
            rows = [np.resize(each, (int(layout.LANES), each.shape[1])) for each in rows]
        result = self._evaluate_batch(name, packed_tree, *rows)
        return None if result is None else result.ravel()[: out.size].reshape(out.shape)

    def _evaluate_array(self, name: str, packed_tree: PackedTree, *states: object) -> Array | None:
        """Evaluate an entry for float arrays of eight or more states; return None for others or on failure.

        Entries are not checked before: the result is not finite if one of them is not.
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
        """Evaluate an entry at eight or more states."""
        out = np.empty(states[0].shape)
        flat = [each.reshape(-1) for each in (external, *states, out)]
        failed = compiled_function(f"{name}_batch")(
            packed_tree.integers, packed_tree.floats, aligned_zeros(packed_tree.batch_workspace_size), *flat
        )
        return None if failed else out
