"""A world that compiled code moves: its contacts, their friction, and whole steps if they are ordinary."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbnotes._frozen import known
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.contact import Collider, ContactPoints, Rounded
from rbnotes.contact.detection import may_touch
from rbnotes.dynamics import WORLD, State, StepProblem, StepSolution
from rbnotes.friction import FrictionModel, newton_friction
from rbnotes.friction.contact_space import Responses
from rbnotes.friction.newton import by_newton, friction_by
from rbnotes.kernels._code import code
from rbnotes.kernels.mechanisms import PackedWorld, coefficients, packed_world
from rbnotes.kernels.running import is_ordinary, run
from rbnotes.maximal import Integrator, Trajectory, World
from rbnotes.maximal.stepping import Progress, Setting

COLUMNS = 9
"""Of a contact: the two shapes, position (3), normal (3), gap."""


class Shapes(NamedTuple):
    """The colliders of a world, as compiled code reads them."""

    whole: NDArray[np.uint64]
    """Of each its body, the world being the last; then the pairs that may touch."""
    numbers: Array
    """Of each its pose in the body, half extents and radius."""


@dataclass(frozen=True, eq=False)
class CompiledWorld(World):
    """A world for :func:`rbnotes.maximal.simulate`, which takes it as any other; :func:`compile` makes one.

    Compiled are the search for contacts, the default friction, and the default step (that of
    :data:`~rbnotes.maximal.rattle`, with projection and simultaneous impacts) under gravity and applied
    forces, with joints whose rows do not turn: fixed, ball, hinge, slider, cylindrical, planar. The forces
    themselves, and the displacement that ends overlaps of bodies, are evaluated by Python in the midst of a
    step. Steps with other options or joints are the reference's, and so are single ones that are out of the
    ordinary: with rows of joints that repeat others, friction that Newton's method does not find, or that are
    too long. Results are those of the reference, but for rounding. Where contacts can share an impulse in
    many ways, rounding decides how they do, and with it how a body spins that slides on all of
    them.
    """

    def touching(self, poses: Array, margin: float) -> ContactPoints:
        """Contacts with gaps up to a margin, for poses that are known to be right."""
        bodies = np.concatenate([poses.ravel(), np.eye(4).ravel()])
        find, room = code("touching_shapes"), 8 * len(poses) + 8
        while True:
            places = np.empty((room, COLUMNS))
            count = find(*self._shapes, bodies, np.array([margin]), places.ravel())
            if count <= room:
                break
            room *= 2
        places = places[:count]
        a, b = places[:, 0].astype(np.intp), places[:, 1].astype(np.intp)
        mu, restitution = self._coefficients
        return known(
            ContactPoints,
            a=self._bodies[a],
            b=self._bodies[b],
            position=places[:, 2:5],
            normal=places[:, 5:8],
            gap=places[:, 8],
            mu=mu[a, b],
            restitution=restitution[a, b],
        )

    def friction(self, model: FrictionModel) -> FrictionModel:
        """The model; compiled, if it is the default."""
        return replace(model, solve=_newton_friction) if model.solve is newton_friction else model

    def run(
        self,
        setting: Setting,
        integrator: Integrator,
        state: State,
        points: ContactPoints,
        steps: int,
        progress: Progress | None,
    ) -> Trajectory:
        """Steps from a state with these contacts."""
        packed = self._packed
        ordinary = is_ordinary(setting, integrator) and setting.friction.model.solve is _newton_friction
        if packed is None or not ordinary:
            return super().run(setting, integrator, state, points, steps, progress)
        return run(packed, setting, integrator, state, points, steps, progress)

    @cached_property
    def _packed(self) -> PackedWorld | None:
        whole, numbers = self._shapes
        bodies, pairs = np.split(whole.astype(np.intp), [len(self.colliders)])
        return packed_world(self, bodies, pairs.reshape(-1, 2), numbers)

    @cached_property
    def _bodies(self) -> NDArray[np.intp]:
        return np.array([each.body for each in self.colliders], dtype=np.intp)

    @cached_property
    def _coefficients(self) -> tuple[Array, Array]:
        return coefficients(self)

    @cached_property
    def _shapes(self) -> Shapes:
        return packed_shapes(self)


def packed_shapes(world: World) -> Shapes:
    """The colliders as arrays.

    Raises
    ------
    InvalidArgument
        If two planes may touch.
    """
    colliders, count = world.colliders, len(world.mechanism.bodies)
    allowed, pairs = may_touch(world.apart or ()), []
    for j, second in enumerate(colliders):
        for i, first in enumerate(colliders[:j]):
            if allowed(first, second):
                pairs.append((i, j))
                if not any(isinstance(each.surface, Rounded) for each in (first, second)):
                    expected = "at most one: two half-spaces do not touch"
                    raise InvalidArgument("colliders", "two planes that may touch", expected)
    bodies = [count if each.body == WORLD else each.body for each in colliders]
    rows = [_numbers(each) for each in colliders]
    whole = np.concatenate([bodies, np.array(sorted(pairs), dtype=int).ravel()])
    return Shapes(whole.astype(np.uint64), np.concatenate([np.zeros(0), *rows]))


def _numbers(collider: Collider) -> Array:
    surface = collider.surface
    half, radius = (
        (surface.half_extents, surface.radius) if isinstance(surface, Rounded) else (np.zeros(3), np.inf)
    )
    return np.concatenate([collider.frame.ravel(), half, [radius]])


def _newton_friction(
    problem: StepProblem,
    *,
    start: ArrayLike | None = None,
    tolerance: float = 1e-8,
    max_iterations: int = 50,
    check: bool = True,
) -> StepSolution:
    return friction_by(_search, problem, start, tolerance, max_iterations, check)


def _search(space: Responses, r: Array, tolerance: float, most: int) -> tuple[Array, float, int]:
    """As :func:`rbnotes.friction.newton.by_newton`."""
    best: Any = np.empty(r.size + 1)
    steps = code("newton_method")(
        np.array([most], dtype=np.uint64),
        np.ascontiguousarray(space.delassus).ravel(),
        np.ascontiguousarray(space.free).ravel(),
        np.ascontiguousarray(space.mu),
        np.ascontiguousarray(r).ravel(),
        np.array([tolerance]),
        best,
    )
    if steps > most:
        return by_newton(space, r, tolerance, most)
    return best[:-1].reshape(-1, 3), float(best[-1]), steps
