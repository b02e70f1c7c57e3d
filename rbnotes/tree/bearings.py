"""The bearings of a tree's joints and closed loops at one state: what moves in them, and what they carry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rbnotes import _se3
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.dynamics import State
from rbnotes.friction import Bearing
from rbnotes.friction.bounded import greatest, support
from rbnotes.tree.constraints import LoopClosure
from rbnotes.tree.kinematics import Motion
from rbnotes.tree.system import TreeSystem

Bearings = Mapping[str | LoopClosure, Bearing]
"""Bearings by the name of the link that the joint carries, or by the closure of a loop.

That of a link is in the frame of its joint, the one that moves with the body; that of a closure in the same
frame of its body a, moved to the point ``x_a``."""

WORKLESS = 1e-9
"""Largest normal velocity in a bearing per joint velocity, relative to the largest sliding one."""

ROUNDING = 1e-12
"""Part of the largest sliding velocity up to which one is none: a box would make friction of its sign."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """A bearing with the motion that its joint allows."""

    name: str | LoopClosure
    """The link that the joint carries, or the closure, as in :data:`Bearings`."""
    bearing: Bearing
    """Where its contacts are, and their friction."""
    S: Array
    """Relative twists ``(6, k)`` that are allowed, in the frame of the bearing."""
    rates: Array
    """From velocities of the system to what S is multiplied with ``(k, N)``, without unit between like
    ones."""
    on_bodies: Array
    """From twists of all bodies ``(6, 6 n)`` to the relative twist, for a closure; else empty."""

    @cached_property
    def sliding(self) -> Array:
        """Sliding velocities ``(c, 2, k)`` of the contacts, per rate; zero where they are but rounding."""
        result: Array = self.bearing.tangent_rows @ self.S
        return np.where(np.abs(result) > ROUNDING * np.max(np.abs(result)), result, 0.0)

    @property
    def alone(self) -> bool:
        """Whether there is only one motion: then friction is one force, whatever its section."""
        return bool(self.S.shape[1] == 1)

    @property
    def rows(self) -> Array:
        """As contacts ``(m, 3, N)`` of a step problem, whose normals are held.

        A joint with one motion is one contact, along which the generalised friction acts.
        """
        along = np.zeros((1, 2, 1)) if self.alone else self.sliding
        if self.alone:
            along[0, 0, 0] = 1.0
        rows = np.zeros((len(along), 3, self.rates.shape[1]))
        rows[:, 1:] = along @ self.rates
        return rows

    def limits(self, multipliers: Array, cone: str, facets: int) -> Array:
        """Bounds ``(m,)`` of friction at these contacts, for multipliers ``(c,)`` of either sign."""
        each: Array = self.bearing.mu * np.abs(multipliers)
        if not self.alone:
            return each
        return np.array([each @ support(self.sliding[..., 0], cone, facets)])

    def local(self, impulses: Array, multipliers: Array, cone: str, facets: int) -> Array:
        """Friction ``(c, 2)`` of the bearing's own contacts from that of :attr:`rows` ``(m, 2)``.

        With one motion, all contacts use the same part of what they may.
        """
        if not self.alone:
            return impulses
        limit = self.limits(multipliers, cone, facets)[0]
        part = impulses[0, 0] / limit if limit > 0 else 0.0
        each = self.bearing.mu * np.abs(multipliers)
        result: Array = part * each[:, None] * greatest(self.sliding[..., 0], cone, facets)
        return result

    def together(self, local: Array) -> Array:
        """The inverse of :meth:`local`."""
        if not self.alone:
            return local
        return np.array([[np.sum(self.sliding[..., 0] * local), 0.0]])

    def wrench(self, local: Array) -> Array:
        """Impulsive wrench ``(6,)`` of friction ``(c, 2)`` on the body, in the frame of the bearing."""
        result: Array = np.einsum("cti,ct->i", self.bearing.tangent_rows, local)
        return result

    def driven(self, wrench: Array) -> Array:
        """What of a wrench ``(6,)`` drives the joint's motion, as the wrench ``S (S^T S)^-1 tau``.

        A pure moment about the axis of a hinge, a force along that of a slider.
        """
        result: Array = self._along @ (self.S.T @ wrench)
        return result

    @cached_property
    def _along(self) -> Array:
        """``S (S^T S)^-1``."""
        result: Array = np.linalg.pinv(self.S).T
        return result


def fitted(system: TreeSystem, state: State, at: Motion, bearings: Bearings) -> list[Fitted]:
    """The bearings at a state.

    Raises
    ------
    InvalidArgument
        If a joint does not move, or moves along a normal of its bearing; the message names it.
    """
    found = []
    for name, bearing in bearings.items():
        if isinstance(name, LoopClosure):
            S = np.eye(6)[:, :3] if name.axis is None else np.append(name.axis, np.zeros(3))[:, None]
            on_bodies = _relative(system, at, name)
            J = at.J.reshape(on_bodies.shape[1], -1)
            rates = np.zeros((S.shape[1], state.size))
            rates[:, state.v.size :] = np.linalg.pinv(S) @ on_bodies @ J
        else:
            i = system.tree.index(name)
            own = system.tree.slices[i]
            S, on_bodies = system.tree.links[i].joint._S(state.q[own]), np.zeros((6, 0))
            rates = np.zeros((S.shape[1], state.size))
            rates[:, state.v.size + own.start : state.v.size + own.stop] = np.eye(S.shape[1])
        where = f"bearings[{getattr(name, 'a', name)!r}]"
        if not S.shape[1]:
            raise InvalidArgument(where, "the bearing of a joint that does not move", "a joint that does")
        one = Fitted(name, bearing, S, rates, on_bodies)
        along = np.max(np.abs(bearing.normal_rows @ S))
        if along > WORKLESS * np.max(np.abs(S)) * max(1.0, 1 / bearing.scale[0]):
            got = f"a normal along which the joint moves, at {along:.3g} per unit of its velocity"
            raise InvalidArgument(where, got, "normals across the motion")
        found.append(one)
    return found


def closure_wrench(system: TreeSystem, closure: LoopClosure, on_bodies: Array) -> Array:
    """What a closure gives to its body a ``(6,)``, in the frame of its bearing, of wrenches ``(n, 6)``."""
    i = system.tree.index(closure.a)
    result: Array = _se3.Ad(_place(system, closure)).T @ on_bodies[i]
    return result


def _place(system: TreeSystem, closure: LoopClosure) -> Array:
    """The frame ``(4, 4)`` of a closure's bearing in that of body a."""
    place = np.eye(4)
    place[:3, :3] = system.tree.body_frames[system.tree.index(closure.a), :3, :3].T
    place[:3, 3] = closure.x_a
    return place


def _relative(system: TreeSystem, at: Motion, closure: LoopClosure) -> Array:
    """Rows ``(6, 6 n)``: twist of body a relative to body b in the frame of the bearing."""
    i = system.tree.index(closure.a)
    place = _place(system, closure)
    rows = np.zeros((6, 6 * len(at.bodies)))
    rows[:, 6 * i : 6 * i + 6] = _se3.Ad_inverse(place)
    if closure.b is not None:
        j = system.tree.index(closure.b)
        seen = np.linalg.solve(at.bodies[j], at.bodies[i] @ place)
        rows[:, 6 * j : 6 * j + 6] = -_se3.Ad_inverse(seen)
    return rows
