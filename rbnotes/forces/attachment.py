"""Where points are attached: to the world, to particles, to rigid bodies; and the state that carries them.

The coordinates of a system of m bodies and p particles are the body-frame increments of the bodies, six
each, then the positions of the particles, three each: ``6 m + 3 p`` in all. Velocities are stacked alike.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbnotes import arguments, se3
from rbnotes.arguments import Array, InvalidArgument

Indices = NDArray[np.intp]

WORLD, PARTICLE, BODY = range(3)


@dataclass(frozen=True)
class State:
    """Poses and twists of m bodies, positions and velocities of p particles."""

    E: Array = field(default_factory=lambda: np.zeros((0, 4, 4)))
    """Poses of the bodies ``(m, 4, 4)``."""
    phi: Array = field(default_factory=lambda: np.zeros((0, 6)))
    """Their twists in body coordinates ``(m, 6)``, rad/s and m/s."""
    x: Array = field(default_factory=lambda: np.zeros((0, 3)))
    """Particles in world coordinates ``(p, 3)``, m."""
    v: Array = field(default_factory=lambda: np.zeros((0, 3)))
    """Their velocities ``(p, 3)``, m/s."""

    def __post_init__(self) -> None:
        for name, check in (
            ("E", arguments.frame),
            ("phi", arguments.twist),
            ("x", arguments.vector),
            ("v", arguments.vector),
        ):
            object.__setattr__(self, name, check(name, getattr(self, name)))
        m, p = len(self.phi), len(self.v)
        for name, shape in (("E", (m, 4, 4)), ("phi", (m, 6)), ("x", (p, 3)), ("v", (p, 3))):
            if getattr(self, name).shape != shape:
                got = f"shape {getattr(self, name).shape}"
                raise InvalidArgument(name, got, f"shape {shape}, for {m} bodies and {p} particles")

    @property
    def size(self) -> int:
        """Number of coordinates, ``6 m + 3 p``."""
        return self.phi.size + self.v.size

    @property
    def velocity(self) -> Array:
        """Twists, then velocities of the particles, in one vector ``(6 m + 3 p,)``."""
        return np.concatenate([self.phi.ravel(), self.v.ravel()])

    def moved(self, increment: ArrayLike) -> State:
        """The state after ``E <- E exp([xi])`` and ``x <- x + dx``, increments stacked as coordinates are."""
        increment = arguments.vector("increment", increment, self.size)
        xi, dx = np.split(increment, [self.phi.size])
        return State(self.E @ se3.exp(xi.reshape(-1, 6)), self.phi, self.x + dx.reshape(-1, 3), self.v)

    def with_velocity(self, velocity: ArrayLike) -> State:
        """The state with other velocities, stacked as in :attr:`velocity`."""
        velocity = arguments.vector("velocity", velocity, self.size)
        phi, v = np.split(velocity, [self.phi.size])
        return State(self.E, phi.reshape(-1, 6), self.x, v.reshape(-1, 3))


@dataclass(frozen=True)
class Attachments:
    """Points ``(...)``, each fixed in the world, carried by a particle, or carried by a body.

    Made by :func:`on_world`, :func:`on_particle` and :func:`on_body`, strung to paths by :func:`through`.
    """

    kind: Indices
    """``WORLD``, ``PARTICLE`` or ``BODY`` ``(...)``."""
    index: Indices
    """Number of the particle or body ``(...)``; 0 for the world."""
    x: Array
    """Coordinates in the world or in the body ``(..., 3)``, m; zero for particles."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array of points."""
        return self.kind.shape


def on_world(x: ArrayLike) -> Attachments:
    """Points that stay at ``x (..., 3)`` in world coordinates."""
    x = arguments.vector("x", x)
    return _attachments(WORLD, np.zeros(x.shape[:-1], dtype=np.intp), x)


def on_particle(index: ArrayLike) -> Attachments:
    """Points that are the particles with these numbers ``(...)``."""
    index = _numbers("index", index)
    return _attachments(PARTICLE, index, np.zeros((*index.shape, 3)))


def on_body(index: ArrayLike, x: ArrayLike) -> Attachments:
    """Points with coordinates ``x (..., 3)`` in the bodies with these numbers ``(...)``."""
    return _attachments(BODY, _numbers("index", index), arguments.vector("x", x))


def through(*points: Attachments) -> Attachments:
    """Paths ``(..., n)`` through the given points ``(...)``, in this order."""
    if len(points) < 2:
        raise InvalidArgument("points", f"{len(points)}", "two or more")
    shape = np.broadcast_shapes(*(point.shape for point in points))
    return Attachments(
        np.stack([np.broadcast_to(point.kind, shape) for point in points], axis=-1),
        np.stack([np.broadcast_to(point.index, shape) for point in points], axis=-1),
        np.stack([np.broadcast_to(point.x, (*shape, 3)) for point in points], axis=-2),
    )


def _attachments(kind: int, index: Indices, x: Array) -> Attachments:
    shape = np.broadcast_shapes(index.shape, x.shape[:-1])
    return Attachments(
        np.full(shape, kind, dtype=np.intp), np.broadcast_to(index, shape), np.broadcast_to(x, (*shape, 3))
    )


def _numbers(name: str, value: ArrayLike) -> Indices:
    numbers = np.asarray(value)
    if not np.issubdtype(numbers.dtype, np.integer) or np.any(numbers < 0):
        raise InvalidArgument(name, f"{numbers!r:.60}", "integers, 0 or more")
    return numbers.astype(np.intp)
