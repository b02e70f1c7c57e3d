"""Points attached to the world, to particles, or to bodies of a :class:`rbnotes.dynamics.State`."""

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
    """Points ``(...)``, each fixed in the world, in a particle, or in a body.

    :func:`on_world`, :func:`on_particle` and :func:`on_body` create them; :func:`path_through` joins them to
    paths.
    """

    body: Indices
    """Indices of the bodies ``(...)``; :data:`~rbnotes.dynamics.WORLD` for the world, and for particles."""
    particle: Indices
    """Indices of the particles ``(...)``; ``NO_PARTICLE`` for points of bodies and the world."""
    x: Array
    """Coordinates in the world or in the body ``(..., 3)``, m; zero for particles."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array of points."""
        return self.body.shape


def on_world(x: ArrayLike) -> AnchorPoints:
    """Return points fixed at ``x (..., 3)`` in world coordinates.

    Raises InvalidArgument if the shape of ``x`` does not fit.
    """
    x = arguments.vector("x", x)
    return _anchor_points(np.array(WORLD), np.array(NO_PARTICLE), x)


def on_particle(index: ArrayLike) -> AnchorPoints:
    """Return the particles with these indices ``(...)`` as points.

    Raises InvalidArgument if ``index`` is not an array of indices.
    """
    return _anchor_points(np.array(WORLD), _check_indices("index", index), np.zeros(3))


def on_body(index: ArrayLike, x: ArrayLike) -> AnchorPoints:
    """Return points with coordinates ``x (..., 3)`` in the bodies with these indices ``(...)``.

    Raises InvalidArgument if the shape of ``x`` does not fit.
    """
    return _anchor_points(_check_indices("index", index), np.array(NO_PARTICLE), arguments.vector("x", x))


def path_through(*points: AnchorPoints) -> AnchorPoints:
    """Return paths ``(..., n)`` through the given points ``(...)``, in this order.

    Raises InvalidArgument if a point is not ``AnchorPoints``.
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
