"""What a constraint on a tree is: rows on velocities, with what they are to be (Sueda 2.8, 2.9).

Rows are on the velocities of a :class:`~rbnotes.tree.system.TreeSystem`, those of its particles, then those
of its joints. A row on body twists is one on joint velocities by J: ``G_m phi = (G_m J) qdot``.

    g(state, t) = 0,        dg/dt = G v + rate,        d^2g/dt^2 = G dv/dt + drift.

Constraints on bodies know their ``G_m`` as a block for each body that they are about (:class:`BodyRows`), so
that one may do without J: :mod:`rbnotes.tree.dual` does.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import NamedTuple, Protocol

import numpy as np

from rbnotes import _se3, _so3, arguments
from rbnotes.arguments import Array
from rbnotes.dynamics import State
from rbnotes.tree.kinematics import Motion
from rbnotes.tree.system import TreeSystem


class ConstraintRows(NamedTuple):
    """One constraint of m rows, at one state and time."""

    G: Array
    """Rows ``(m, N)``, in the unit of the constraints per unit of the positions: without unit, or m from
    rad.
    """
    error: Array
    """g ``(m,)``, rad or m; zero where only velocities are constrained."""
    rate: Array
    """What of dg/dt does not come from the velocities ``(m,)``, m/s or rad/s: minus a prescribed velocity."""
    drift: Array
    """What of d^2g/dt^2 does not come from the accelerations ``(m,)``, m/s^2 or rad/s^2: ``Gdot v``, less a
    prescribed one.
    """


class Moving(Protocol):
    """Where the links are and how they move; a :class:`~rbnotes.tree.Motion` knows that."""

    @property
    def joints(self) -> Array:
        """Frames of the joints ``(n, 4, 4)``."""
        ...

    @property
    def bodies(self) -> Array:
        """Frames of the bodies ``(n, 4, 4)``."""
        ...

    @property
    def phi(self) -> Array:
        """Body twists ``(n, 6)``."""
        ...


class BodyRows(NamedTuple):
    """The same rows before J: on the twists of some bodies, and on velocities of particles and joints."""

    bodies: Mapping[int, Array]
    """``G_m`` by the number of the link, ``(m, 6)`` each."""
    own: Array
    """``G_r (m, N)``, on the velocities of particles and joints."""
    error: Array
    """As in :class:`ConstraintRows`."""
    rate: Array
    """As in :class:`ConstraintRows`."""
    drift: Array
    """What of d^2g/dt^2 comes neither from the accelerations nor from the rates of the twists ``(m,)``."""

    def on_velocities(self, at: Motion) -> ConstraintRows:
        """``G_r + G_m J``, whose drift has ``G_m Jdot qdot``, too (Sueda eq. (2.102))."""
        G, drift = self.own.copy(), self.drift
        for i, block in self.bodies.items():
            G[:, G.shape[1] - at.J.shape[-1] :] += block @ at.J[i]
            drift = drift + block @ at.drift[i]
        return ConstraintRows(G, self.error, self.rate, drift)


class Constraint(Protocol):
    """An equation, or an inequality ``g >= 0``."""

    @property
    def unilateral(self) -> bool:
        """Whether it is an inequality."""
        ...

    def rows(self, system: TreeSystem, state: State, t: float) -> ConstraintRows:
        """Its rows at a state, with targets for the time t."""
        ...


class OnBodies(ABC):
    """A constraint on the motion of bodies: its rows come by blocks."""

    @abstractmethod
    def body_rows(self, system: TreeSystem, at: Moving, state: State, t: float) -> BodyRows:
        """Its rows on body twists and on the velocities of particles and joints, for the time t."""

    def rows(self, system: TreeSystem, state: State, t: float) -> ConstraintRows:
        """Its rows at a state, with targets for the time t.

        Raises InvalidArgument if ``t`` is no finite number.
        """
        check(system, state, t)
        at = system.motion(state)
        return self.body_rows(system, at, state, t).on_velocities(at)


class PointMotion(NamedTuple):
    """A point of a body: where it is, how velocities move it, and its acceleration at constant velocities."""

    place: Array
    rows: Array
    drift: Array


def point_motion(system: TreeSystem, state: State, at: Motion, link: str | None, x: Array) -> PointMotion:
    """Of a point ``x (3,)`` in the frame of a body, or of the world (Sueda eqs. (2.87), (2.88), (2.93))."""
    place, blocks, drift = body_point(system, at, link, x)
    rows = BodyRows(blocks, np.zeros((3, state.size)), place, np.zeros(3), drift).on_velocities(at)
    return PointMotion(place, rows.G, rows.drift)


class BodyPoint(NamedTuple):
    """A point of a body: its place, how the body's twist moves it, its acceleration at a constant twist."""

    place: Array
    rows: dict[int, Array]
    """One block ``(3, 6)``, by the number of the link; none of the world."""
    drift: Array


def body_point(system: TreeSystem, at: Moving, link: str | None, x: Array) -> BodyPoint:
    """As :func:`point_motion`, by the body's own twist instead of velocities."""
    if link is None:
        return BodyPoint(x, {}, np.zeros(3))
    i = system.tree.index(link)
    E, phi = at.bodies[i], at.phi[i]
    moves = E[:3, :3] @ _se3.Gamma(x)
    turning = E[:3, :3] @ _so3.hat(phi[:3]) @ _se3.Gamma(x) @ phi
    return BodyPoint(_se3.transform_points(E, x), {i: moves}, turning)


def check(system: TreeSystem, state: State, t: float) -> None:
    """Arguments of a constraint's rows."""
    arguments.instance("system", system, TreeSystem)
    arguments.instance("state", state, State)
    arguments.real("t", t)


def name_links(constraint: object, *names: str) -> None:
    """Fields of a constraint that are names of links."""
    for name in names:
        arguments.text(name, getattr(constraint, name))
