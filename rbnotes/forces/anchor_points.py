"""Where points are attached: to the world, to particles, to bodies of a :class:`rbnotes.dynamics.State`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.dynamics import WORLD

Indices = NDArray[np.intp]

NO_PARTICLE = -1


@dataclass(frozen=True, eq=False)
class AnchorPoints:
    """Points ``(...)``, each fixed in the world, carried by a particle, or carried by a body.

    Made by :func:`on_world`, :func:`on_particle` and :func:`on_body`, strung to paths by :func:`path_through`.
    """

    body: Indices
    """Numbers of the bodies ``(...)``; :data:`~rbnotes.dynamics.WORLD` for the world, and for particles."""
    particle: Indices
    """Numbers of the particles ``(...)``; ``NO_PARTICLE`` for points of bodies and the world."""
    x: Array
    """Coordinates in the world or in the body ``(..., 3)``, m; zero for particles."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array of points."""
        return self.body.shape


def on_world(x: ArrayLike) -> AnchorPoints:
    """Points that stay at ``x (..., 3)`` in world coordinates.

    Raises InvalidArgument if the shape of ``x`` does not fit.
    """
    x = arguments.vector("x", x)
    return _anchor_points(np.array(WORLD), np.array(NO_PARTICLE), x)


def on_particle(index: ArrayLike) -> AnchorPoints:
    """Points that are the particles with these numbers ``(...)``.

    Raises InvalidArgument if ``index`` is not a number of particles.
    """
    return _anchor_points(np.array(WORLD), _check_indices("index", index), np.zeros(3))


def on_body(index: ArrayLike, x: ArrayLike) -> AnchorPoints:
    """Points with coordinates ``x (..., 3)`` in the bodies with these numbers ``(...)``.

    Raises InvalidArgument if the shape of ``x`` does not fit.
    """
    return _anchor_points(_check_indices("index", index), np.array(NO_PARTICLE), arguments.vector("x", x))


def path_through(*points: AnchorPoints) -> AnchorPoints:
    """Paths ``(..., n)`` through the given points ``(...)``, in this order.

    Raises InvalidArgument if ``points`` is no ``Attachments``.
    """
    arguments.instances("points", points, AnchorPoints)
    if len(points) < 2:
        raise InvalidArgument("points", f"{len(points)}", "two or more")
    try:
        shape = np.broadcast_shapes(*(point.shape for point in points))
    except ValueError as error:
        got = "shapes " + ", ".join(str(point.shape) for point in points)
        raise InvalidArgument("points", got, "shapes that broadcast") from error
    return AnchorPoints(
        np.stack([np.broadcast_to(point.body, shape) for point in points], axis=-1),
        np.stack([np.broadcast_to(point.particle, shape) for point in points], axis=-1),
        np.stack([np.broadcast_to(point.x, (*shape, 3)) for point in points], axis=-2),
    )


def _anchor_points(body: Indices, particle: Indices, x: Array) -> AnchorPoints:
    shape = arguments.common_shape(index=np.broadcast(body, particle).shape, x=x.shape[:-1])
    return AnchorPoints(
        np.broadcast_to(body, shape), np.broadcast_to(particle, shape), np.broadcast_to(x, (*shape, 3))
    )


def _check_indices(name: str, value: ArrayLike) -> Indices:
    return arguments.indices(name, value)
