"""Points attached to the world, to particles, or to bodies of a :class:`rbnotes.dynamics.State`.

Bodies have indices in a state. In the forces of a :class:`rbnotes.multibody.Model` they have names, which the
model replaces by indices.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.dynamics import WORLD
from rbnotes.unchecked.frozen import set_fields

Indices = NDArray[np.intp]

BodyIndices = NDArray[Any]
"""Indices of bodies in a state, or their names in a model."""

NO_PARTICLE = -1

WORLD_NAME = "world"
"""Name of the world among names of bodies."""


@dataclass(frozen=True, eq=False)
class AnchorPoints:
    """Points ``(...)``, each fixed in the world, in a particle, or in a body.

    :func:`on_world`, :func:`on_particle` and :func:`on_body` create them; :func:`path_through` joins them to
    paths.

    Attributes
    ----------
    body
        Indices or names of the bodies ``(...)``; :data:`~rbnotes.dynamics.WORLD` for the world and particles.
    particle
        Indices of the particles ``(...)``; ``NO_PARTICLE`` for points of bodies and the world.
    x
        Coordinates in the world or in the body ``(..., 3)``, m; zero for particles.
    """

    body: BodyIndices
    particle: Indices
    x: Array

    def __post_init__(self) -> None:
        set_fields(self, body=self.body, particle=self.particle, x=self.x)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array of points."""
        return self.body.shape

    def resolve_names(self, index: Callable[[str], int]) -> AnchorPoints:
        """Return the points with indices of bodies instead of names.

        ``index`` is a function from the name of a body to its index; it raises an error if there is none.
        """
        return replace(self, body=resolve_body_names(self.body, index))


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


def on_body(body: ArrayLike, x: ArrayLike) -> AnchorPoints:
    """Return points with coordinates ``x (..., 3)`` in the bodies with these indices or names ``(...)``.

    Raises InvalidArgument if the shape of ``x`` does not fit.
    """
    return _anchor_points(check_bodies("body", body), np.array(NO_PARTICLE), arguments.vector("x", x))


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
    bodies: list[BodyIndices] = [np.broadcast_to(point.body, shape) for point in points]
    if any(body.dtype.kind == "U" for body in bodies):
        bodies = [_names(body) for body in bodies]
    return AnchorPoints(
        np.stack(bodies, axis=-1),
        np.stack([np.broadcast_to(point.particle, shape) for point in points], axis=-1),
        np.stack([np.broadcast_to(point.x, (*shape, 3)) for point in points], axis=-2),
    )


def check_bodies(name: str, value: ArrayLike, minimum: int = 0) -> BodyIndices:
    """Return indices or names of bodies as an array.

    Raises InvalidArgument for anything else.
    """
    if isinstance(value, str) or (isinstance(value, list | tuple | np.ndarray) and _are_texts(value)):
        names = np.asarray(value, dtype=np.str_)
        for each in names.ravel():
            arguments.text(name, str(each))
        return names
    return arguments.indices(name, value, minimum=minimum)


def resolve_body_names(bodies: BodyIndices, index: Callable[[str], int]) -> Indices:
    """Return the indices of bodies; ``index`` gives that of a name."""
    if bodies.dtype.kind != "U":
        return bodies.astype(np.intp)
    indices = [WORLD if name == WORLD_NAME else index(str(name)) for name in bodies.ravel()]
    return np.array(indices, dtype=np.intp).reshape(bodies.shape)


def require_body_indices(name: str, bodies: BodyIndices) -> Indices:
    """Return bodies, which must be indices.

    Raises InvalidArgument if they are names.
    """
    if bodies.dtype.kind == "U":
        names = ", ".join(map(repr, dict.fromkeys(bodies.ravel().tolist())))
        raise InvalidArgument(name, f"names of bodies: {names}", "indices, or names in the forces of a Model")
    return bodies.astype(np.intp)


def _are_texts(value: list[object] | tuple[object, ...] | NDArray[np.generic]) -> bool:
    if isinstance(value, np.ndarray):
        return value.dtype.kind == "U"
    return bool(value) and all(
        isinstance(each, str) or (isinstance(each, list | tuple) and _are_texts(each)) for each in value
    )


def _names(bodies: BodyIndices) -> NDArray[np.str_]:
    """Return names of bodies, with that of the world for points of the world and of particles."""
    if bodies.dtype.kind == "U":
        return bodies.astype(np.str_)
    if np.any(bodies != WORLD):
        raise InvalidArgument("points", "names and indices of bodies", "names of all bodies, or indices")
    return np.full(bodies.shape, WORLD_NAME)


def _anchor_points(body: BodyIndices, particle: Indices, x: Array) -> AnchorPoints:
    shape = arguments.common_shape(index=np.broadcast(body, particle).shape, x=x.shape[:-1])
    return AnchorPoints(
        np.broadcast_to(body, shape), np.broadcast_to(particle, shape), np.broadcast_to(x, (*shape, 3))
    )


def _check_indices(name: str, value: ArrayLike) -> Indices:
    return arguments.indices(name, value)
