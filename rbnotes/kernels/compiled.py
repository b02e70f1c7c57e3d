"""A tree with compiled recursions: the functions of :mod:`rbnotes.tree` as methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbnotes import arguments
from rbnotes import tree as reference
from rbnotes.arguments import Array
from rbnotes.kernels import _layout as layout
from rbnotes.kernels._code import code
from rbnotes.kernels.bending import Bends
from rbnotes.kernels.general import Outside
from rbnotes.kernels.packing import Packed, packed, parts_of, room, told, weightless, without_springs
from rbnotes.tree import Tree
from rbnotes.tree.dynamics import _applied
from rbnotes.tree.inverse_inertia import forbidden_accelerations
from rbnotes.tree.kinematics import alike
from rbnotes.tree.recursive import Hybrid, _checked, _told
from rbnotes.tree.tangent import DynamicsDerivatives

_flat, _empty = np.ascontiguousarray, np.empty
_NONE = 0.0
"""No wrenches: told from other zeros by identity, which takes no time."""
_NOTHING = np.zeros(0)


class CompiledTree:
    """A packed tree; its methods take states ``(..., k)``, one or many, and cost O(n) a state for n links.

    Shapes are checked before, and numbers by the result, which would not be finite. Calls for one state use
    room that the object holds: one thread at a time. Those for many states have their own room, and let other
    threads run beside them. Angles of 2^19 rad and more, 83,000 turns, are the reference's, at its speed, for
    all joints and states of the call: take whole turns off before.

    Raises InvalidArgument if ``tree`` is no ``Tree``.
    """

    def __init__(self, tree: Tree) -> None:
        arguments.instance("tree", tree, Tree)
        self.tree = tree
        self._packed = packed(tree)
        self._whole, self._numbers, given = self._packed
        start, size = (int(self._whole[i]) for i in (layout.GIVEN_AT, layout.GIVEN_SIZE))
        self._outside = Outside(given, start, size, tree.size)
        self._driven: dict[bytes, Packed] = {}
        self._one, self._square = (tree.size,), (tree.size, tree.size)
        self._simple = not given
        self._free = not any(link.joint.constraints for link in tree.links)

    def __reduce__(self) -> tuple[Any, ...]:
        return CompiledTree, (self.tree,)

    @cached_property
    def _forward(self) -> Callable[..., int]:
        return code("forward_one")

    @cached_property
    def _inverse(self) -> Callable[..., int]:
        return code("inverse_one")

    @cached_property
    def _resting_tree(self) -> Packed:
        return weightless(self._packed)

    @cached_property
    def _without_springs(self) -> Packed:
        return without_springs(self._packed)

    @cached_property
    def _weightless(self) -> Array:
        return self._resting_tree.numbers

    def forward_dynamics(
        self, q: ArrayLike, qdot: ArrayLike, tau: ArrayLike = 0.0, wrenches: ArrayLike = _NONE
    ) -> Array:
        """Accelerations ``(..., k)``, as :func:`rbnotes.tree.forward_dynamics` (Sueda 2.12, Algorithm 9).

        Raises
        ------
        InvalidArgument
            If an argument has a wrong shape or is not finite.
        SingularConfiguration
            If the mass matrix is singular; the message names the joints.
        """
        # The simple case has the shortest way, since each check of an argument takes as long as a link: the
        # compiled code does them.
        if wrenches is _NONE and (self._simple or self._outside.ready(self._numbers, q, qdot)):
            out: Array = _empty(self._one)
            if not self._forward(self._whole, self._numbers, q, qdot, tau, out):
                return out
            many = self._many("forward", self._packed, q, qdot, tau)
            if many is not None:
                return many
        q, qdot = self.tree.checked("q", q), self.tree.checked("qdot", qdot)
        return self._accelerations(q, qdot, *_applied(self.tree, tau, wrenches, q=q, qdot=qdot))

    def _accelerations(self, q: Array, qdot: Array, tau: Array, wrenches: Array) -> Array:
        pushed = tau + self._pushed(q, wrenches) if wrenches.ndim else tau
        found = self._states("forward", self._packed, q, qdot, pushed)
        return reference.forward_dynamics(self.tree, q, qdot, tau, wrenches) if found is None else found

    def inverse_dynamics(
        self, q: ArrayLike, qdot: ArrayLike, qddot: ArrayLike, wrenches: ArrayLike = _NONE
    ) -> Array:
        """Applied joint forces ``(..., k)``, as :func:`rbnotes.tree.inverse_dynamics` (Sueda 2.12, Alg. 9).

        Raises
        ------
        InvalidArgument
            If an argument has a wrong shape or is not finite.
        """
        if wrenches is _NONE and (self._simple or self._outside.ready(self._numbers, q, qdot)):
            out: Array = _empty(self._one)
            if not self._inverse(self._whole, self._numbers, q, qdot, qddot, out):
                return out
            many = self._many("inverse", self._packed, q, qdot, qddot)
            if many is not None:
                return many
        q, qdot = self.tree.checked("q", q), self.tree.checked("qdot", qdot)
        qddot = self.tree.checked("qddot", qddot)
        return self._taken(q, qdot, qddot, _applied(self.tree, 0.0, wrenches, q=q, qdot=qdot, qddot=qddot)[1])

    def _taken(self, q: Array, qdot: Array, qddot: Array, wrenches: Array) -> Array:
        found = self._states("inverse", self._packed, q, qdot, qddot)
        if found is None:
            return reference.inverse_dynamics(self.tree, q, qdot, qddot, wrenches)
        return found - self._pushed(q, wrenches) if wrenches.ndim else found

    def hybrid_dynamics(
        self,
        q: ArrayLike,
        qdot: ArrayLike,
        accelerations: Mapping[str, ArrayLike],
        tau: ArrayLike = 0.0,
        wrenches: ArrayLike = _NONE,
    ) -> Hybrid:
        """Accelerations and forces, as :func:`rbnotes.tree.hybrid_dynamics` (Sueda 2.12, Algorithm 9).

        Raises
        ------
        InvalidArgument
            If an argument has a wrong shape or is not finite, or there is no link of a name.
        SingularConfiguration
            If a joint that is not driven is in a singular state, or nothing heavy moves with it.
        """
        arguments.instance("accelerations", accelerations, Mapping)
        given, driven = _told(self.tree, accelerations)
        q, qdot, given, tau, wrenches = _checked(self.tree, q, qdot, given, tau, wrenches)
        pushed = tau + self._pushed(q, wrenches) if np.any(wrenches) else tau
        found = self._states("forward", self._with(driven), q, qdot, np.where(driven, given, pushed))
        if found is None:
            return reference.hybrid_dynamics(self.tree, q, qdot, accelerations, tau, wrenches)
        if not np.any(driven):
            return Hybrid(found, np.array(tau))
        return Hybrid(found, np.where(driven, self._taken(q, qdot, found, wrenches), tau))

    def _with(self, driven: NDArray[np.bool_]) -> Packed:
        """The packed tree with some coordinates driven; that of the last ones asked for is kept."""
        which = driven.tobytes()
        if which not in self._driven:
            self._driven = {which: told(self._packed, np.flatnonzero(driven))}
        return self._driven[which]

    def inverse_dynamics_derivatives(
        self, q: ArrayLike, qdot: ArrayLike, qddot: ArrayLike, wrenches: ArrayLike = _NONE
    ) -> DynamicsDerivatives:
        """Exact derivatives ``(..., k, k)``, as :func:`rbnotes.tree.inverse_dynamics_derivatives`.

        Second derivatives of columns that do not rest in their joint are compiled for joints given as
        functions, and those of the joint itself for all others (balls, splines).

        Raises
        ------
        InvalidArgument
            If an argument has a wrong shape or is not finite, or a joint has no second derivatives of S.
        SingularConfiguration
            If a joint given as a function is in a singular state.
        """
        if wrenches is _NONE and self._bends.none:
            by_q, by_v = _empty(self._square), _empty(self._square)
            given: tuple[Any, ...] = q, qdot, qddot, _NOTHING, _NOTHING
            if not self._slopes_into(*given, by_q.reshape(-1), by_v.reshape(-1)):
                return DynamicsDerivatives(by_q, by_v)
        q, qdot, qddot = alike(self.tree, q=q, qdot=qdot, qddot=qddot)
        wrenches = _applied(self.tree, 0.0, wrenches, q=q)[1]
        found = self._slopes(q, qdot, qddot, None, wrenches)
        return found or reference.inverse_dynamics_derivatives(self.tree, q, qdot, qddot, wrenches)

    def _slopes(
        self, q: Array, qdot: Array, qddot: Array, tau: Array | None, wrenches: Array
    ) -> DynamicsDerivatives | None:
        """Of accelerations under forces, or of forces if none are given; None as :meth:`_states` has it."""
        lead = np.broadcast_shapes(q.shape[:-1], wrenches.shape[:-2])
        states = [np.broadcast_to(each, (*lead, *self._one)) for each in (q, qdot, qddot)]
        forces = None if tau is None else np.broadcast_to(tau, (*lead, *self._one))
        applied = np.broadcast_to(wrenches, (*lead, *wrenches.shape[-2:]))
        by_q, by_v = np.empty((2, *lead, *self._one, *self._one))
        for where in np.ndindex(lead):
            args = [_flat(each[where]) for each in states]
            f = _NOTHING if forces is None else _flat(forces[where])
            to = by_q[where].reshape(-1), by_v[where].reshape(-1)
            if not self._outside.fill(self._numbers, *args[:2]) or self._slopes_into(
                *args, f, applied[where].ravel() if wrenches.ndim else _NOTHING, *to
            ):
                return None
        return DynamicsDerivatives(by_q, by_v)

    def _slopes_into(self, q: Array, qdot: Array, qddot: Array, *more: Array) -> int:
        """Slopes at a state for which the joints outside were evaluated; whether something is wrong.

        More are forces, wrenches and where the slopes go.
        """
        tau, wrenches, *to = more
        bends = self._bends.at(q, qdot, qddot)
        if bends is None:
            return 1
        given = self._whole, self._numbers, q, qdot, qddot, tau, wrenches, bends, *to
        return code("slopes_one")(*given)

    def forward_dynamics_derivatives(
        self, q: ArrayLike, qdot: ArrayLike, tau: ArrayLike = 0.0, wrenches: ArrayLike = _NONE
    ) -> DynamicsDerivatives:
        """Exact derivatives ``(..., k, k)``, as :func:`rbnotes.tree.forward_dynamics_derivatives`.

        Those of inverse dynamics, and the mass matrix that comes along with them, factored along the tree.

        Raises
        ------
        InvalidArgument
            If an argument has a wrong shape or is not finite.
        SingularConfiguration
            If the mass matrix is singular; the message names the joints.
        """
        if wrenches is _NONE and (self._simple or self._outside.ready(self._numbers, q, qdot)):
            qddot: Array = _empty(self._one)
            given: tuple[Any, ...] = q, qdot, qddot, tau, _NOTHING
            if not self._forward(self._whole, self._numbers, q, qdot, tau, qddot):
                by_q, by_v = _empty(self._square), _empty(self._square)
                if not self._slopes_into(*given, by_q.reshape(-1), by_v.reshape(-1)):
                    return DynamicsDerivatives(by_q, by_v)
        q, qdot = self.tree.checked("q", q), self.tree.checked("qdot", qdot)
        tau, wrenches = _applied(self.tree, tau, wrenches, q=q, qdot=qdot)
        qddot = self._accelerations(q, qdot, tau, wrenches)
        at, moving = (np.broadcast_to(each, qddot.shape) for each in (q, qdot))
        found = self._slopes(at, moving, qddot, tau, wrenches)
        return found or reference.forward_dynamics_derivatives(self.tree, q, qdot, tau, wrenches)

    @cached_property
    def _bends(self) -> Bends:
        """Joints whose columns do not rest in them."""
        parts = parts_of(self.tree)[0]
        return Bends(((part.joint, part.start) for part in parts if part.axis is None), self.tree.size)

    def bias_forces(self, q: ArrayLike, qdot: ArrayLike) -> Array:
        """Joint forces of gravity and of the velocities ``(..., k)``, as :func:`rbnotes.tree.bias_forces`.

        Raises
        ------
        InvalidArgument
            If an argument has a wrong shape or is not finite.
        """
        q, qdot = self.tree.checked("q", q), self.tree.checked("qdot", qdot)
        found = self._states("inverse", self._without_springs, q, qdot, self._resting)
        return reference.bias_forces(self.tree, q, qdot) if found is None else found

    def inverse_mass_product(self, q: ArrayLike, x: ArrayLike) -> Array:
        """``M_r^-1 x (..., k)``, as :func:`rbnotes.tree.inverse_mass_product` (Sueda Algorithm 10).

        Raises
        ------
        InvalidArgument
            If an argument has a wrong shape or is not finite.
        SingularConfiguration
            If the mass matrix is singular; the message names the joints.
        """
        if self._free and (self._simple or self._outside.ready(self._weightless, q, self._resting)):
            out: Array = _empty(self._one)
            if not self._forward(self._whole, self._weightless, q, self._resting, x, out):
                return out
        q, x = alike(self.tree, q=q, x=x)
        found = self._states("forward", self._resting_tree, q, np.zeros_like(q), x)
        if found is None:
            return reference.inverse_mass_product(self.tree, q, x)
        return found if self._free else found + forbidden_accelerations(self.tree, q, x)

    def mass_product(self, q: ArrayLike, x: ArrayLike) -> Array:
        """``M_r x (..., k)``, as :func:`rbnotes.tree.mass_product`.

        Raises
        ------
        InvalidArgument
            If an argument has a wrong shape or is not finite.
        """
        q, x = alike(self.tree, q=q, x=x)
        found = self._states("inverse", self._resting_tree, q, np.zeros_like(q), x)
        return reference.mass_product(self.tree, q, x) if found is None else found

    def jacobian_product(self, q: ArrayLike, x: ArrayLike) -> Array:
        """``J x (..., n, 6)``, as :func:`rbnotes.tree.jacobian_product` (Sueda Algorithm 5).

        Raises
        ------
        InvalidArgument
            If an argument has a wrong shape or is not finite.
        """
        return self._motions(*alike(self.tree, q=q, x=x))[0]

    def bias_acceleration(self, q: ArrayLike, qdot: ArrayLike) -> Array:
        """``Jdot qdot (..., n, 6)``, as :func:`rbnotes.tree.bias_acceleration`.

        Raises
        ------
        InvalidArgument
            If an argument has a wrong shape or is not finite.
        """
        return self._motions(*alike(self.tree, q=q, qdot=qdot))[1]

    def jacobian_transpose_product(self, q: ArrayLike, y: ArrayLike) -> Array:
        """``J^T y (..., k)``, as :func:`rbnotes.tree.jacobian_transpose_product` (Sueda Algorithm 6).

        Raises
        ------
        InvalidArgument
            If an argument has a wrong shape or is not finite.
        """
        q, y = self.tree.checked("q", q), arguments.array("y", y, len(self.tree.links), 6)
        arguments.common_shape(q=q.shape[:-1], y=y.shape[:-2])
        return self._pushed(q, y)

    def _pushed(self, q: Array, wrenches: Array) -> Array:
        shape = np.broadcast_shapes(q.shape[:-1], wrenches.shape[:-2])
        q = np.broadcast_to(q, (*shape, self.tree.size))
        wrenches = np.broadcast_to(wrenches, (*shape, *wrenches.shape[-2:]))
        result, push = np.empty(q.shape), code("forces_one")
        for where in np.ndindex(shape):
            out = np.empty(self._one)
            filled = self._outside.fill(self._weightless, q[where], self._resting)
            args = _flat(q[where]), self._resting, wrenches[where].ravel(), out
            if not filled or push(self._whole, self._weightless, *args):
                out = reference.jacobian(self.tree, q[where]).T @ wrenches[where].ravel()
            result[where] = out
        return result

    @cached_property
    def _resting(self) -> Array:
        return np.zeros(self._one)

    def _motions(self, q: Array, qdot: Array) -> tuple[Array, Array]:
        n, see = len(self.tree.links), code("motions_one")
        result = np.empty((2, *q.shape[:-1], n, 6))
        for where in np.ndindex(q.shape[:-1]):
            out = np.empty((2, 6 * n))
            filled = self._outside.fill(self._weightless, q[where], qdot[where])
            args = _flat(q[where]), _flat(qdot[where]), self._resting, *out
            if not filled or see(self._whole, self._weightless, *args):
                at = reference.motion(self.tree, q[where], qdot[where])
                out = np.stack([at.phi.ravel(), at.drift.ravel()])
            result[:, *where] = out.reshape(2, n, 6)
        return result[0], result[1]

    def _states(self, which: str, of: Packed, q: Array, qdot: Array, third: Array) -> Array | None:
        """One state or many; None if some number of the result is not finite."""
        shapes = {"q": q.shape[:-1], "qdot": qdot.shape[:-1], "the third argument": third.shape[:-1]}
        out: Array = np.empty((*arguments.common_shape(**shapes), *self._one))
        states = [_flat(np.broadcast_to(each, out.shape)).ravel() for each in (q, qdot, third)]
        if out.size == 0:
            return out
        if out.ndim == 1:
            filled = self._outside.fill(of.numbers, q, qdot)
            failed = not filled or code(f"{which}_one")(of.whole, of.numbers, *states, out)
            return None if failed else out
        count = out.size // self.tree.size
        rows = [each.reshape(count, -1) for each in states]
        given = self._outside.rows(*rows[:2])
        if given is None:
            return None
        rows = [given, *rows]
        if count < layout.LANES:  # some of them more than once
            rows = [np.resize(each, (int(layout.LANES), each.shape[1])) for each in rows]
        found = self._run(which, of, *rows)
        return None if found is None else found.ravel()[: out.size].reshape(out.shape)

    def _many(self, which: str, of: Packed, *states: object) -> Array | None:
        """Of arrays of states that need no conversion; None if they are others, or a result is not finite.

        Numbers are not looked at before: what is not finite would be so in the result.
        """
        rows = [each for each in states if type(each) is np.ndarray]
        if not self._simple or len(rows) < len(states) or rows[0].ndim != 2 or len(rows[0]) < layout.LANES:
            return None
        expected = (len(rows[0]), self.tree.size)
        if any(each.shape != expected or each.dtype != np.float64 or not each.flags.carray for each in rows):
            return None
        return self._run(which, of, np.zeros((len(rows[0]), 0)), *rows) if self.tree.size else None

    def _run(self, which: str, of: Packed, given: Array, *states: Array) -> Array | None:
        """The batch, of eight states or more."""
        out = np.empty(states[0].shape)
        flat = [each.reshape(-1) for each in (given, *states, out)]
        failed = code(f"{which}_many")(of.whole, of.numbers, room(of.lanes_size), *flat)
        return None if failed else out
