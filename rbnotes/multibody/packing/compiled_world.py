"""Compiled world: contact detection, friction, and whole time steps in compiled code."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbnotes.arguments import Array, InvalidArgument
from rbnotes.compiled.compilation import compiled_function
from rbnotes.contact import Collider, ContactPoints
from rbnotes.contact.detection import collision_filter
from rbnotes.dynamics import WORLD, State, StepProblem, StepSolution
from rbnotes.friction import FrictionModel, semismooth_newton_friction
from rbnotes.friction.contact_problem import DelassusProblem
from rbnotes.friction.semismooth_newton import TOLERANCE, newton_search, solve_friction
from rbnotes.multibody.maximal import Integrator, Trajectory, World
from rbnotes.multibody.maximal.stepping import Progress, StepContext
from rbnotes.multibody.packing.packed_world import PackedWorld, pack_world, pair_coefficients
from rbnotes.multibody.packing.simulation_runs import is_supported, run_compiled
from rbnotes.shapes import Plane, RoundedBox
from rbnotes.unchecked.frozen import construct_unchecked

CONTACT_COLUMNS = 9
"""Numbers of a contact: two shapes, position (3), normal (3), gap."""


class PackedShapes(NamedTuple):
    """Colliders of a world as arrays.

    Attributes
    ----------
    integers
        Body of each collider, the world being the last body; then the pairs of bodies that do not touch.
    floats
        Pose in the body, half extents and radius of each collider.
    """

    integers: NDArray[np.uint64]
    floats: Array


@dataclass(frozen=True, eq=False)
class CompiledWorld(World):
    """World with compiled steps, for :func:`rbnotes.multibody.maximal.simulate`; :func:`compile` makes one.

    Contact detection, the default friction model and the default step are compiled: the step of
    :data:`~rbnotes.multibody.maximal.rattle` with projection and simultaneous impacts, under gravity and
    applied forces, with joints whose constraint rows are constant (fixed, spherical, revolute, prismatic,
    cylindrical, planar). Python evaluates the forces, and the displacement that separates overlapping bodies,
    during a step. The reference takes steps with other options or joints, those with forces or constraints in
    joint coordinates, and exceptional ones: those with
    dependent constraint rows, friction that Newton's method does not solve, or a too long step. The results
    are those of the reference to rounding. If contacts can share an impulse in many ways, rounding selects
    one of them, and with it the spin of a body that slides on all of them.
    """

    def detect_contacts(self, poses: Array, margin: float) -> ContactPoints:
        """Return the contacts with gaps up to a margin, for valid poses."""
        bodies = np.concatenate([poses.ravel(), np.eye(4).ravel()])
        find, capacity = compiled_function("find_shape_contacts"), 8 * len(poses) + 8
        while True:
            places = np.empty((capacity, CONTACT_COLUMNS))
            count = find(*self._shapes, bodies, np.array([margin]), places.ravel())
            if count <= capacity:
                break
            capacity *= 2
        places = places[:count]
        a, b = places[:, 0].astype(np.intp), places[:, 1].astype(np.intp)
        mu, restitution = self._coefficients
        return construct_unchecked(
            ContactPoints,
            a=self._bodies[a],
            b=self._bodies[b],
            position=places[:, 2:5],
            normal=places[:, 5:8],
            gap=places[:, 8],
            mu=mu[a, b],
            restitution=restitution[a, b],
        )

    def prepare_friction_model(self, model: FrictionModel) -> FrictionModel:
        """Return the model, or its compiled form if it is the default."""
        return (
            replace(model, solve=_compiled_newton_friction)
            if model.solve is semismooth_newton_friction
            else model
        )

    def run(
        self,
        context: StepContext,
        integrator: Integrator,
        state: State,
        points: ContactPoints,
        steps: int,
        progress: Progress | None,
    ) -> Trajectory:
        """Take steps from a state with these contacts."""
        packed = self._packed_world
        ordinary = (
            is_supported(context, integrator) and context.friction.model.solve is _compiled_newton_friction
        )
        if packed is None or not ordinary:
            return super().run(context, integrator, state, points, steps, progress)
        return run_compiled(packed, context, integrator, state, points, steps, progress)

    @cached_property
    def _packed_world(self) -> PackedWorld | None:
        integers, floats = self._shapes
        bodies, excluded = np.split(integers.astype(np.intp), [len(self.colliders)])
        return pack_world(self, bodies, excluded.reshape(-1, 2), floats)

    @cached_property
    def _bodies(self) -> NDArray[np.intp]:
        return np.array([each.body for each in self.colliders], dtype=np.intp)

    @cached_property
    def _coefficients(self) -> tuple[Array, Array]:
        return pair_coefficients(self)

    @cached_property
    def _shapes(self) -> PackedShapes:
        return pack_shapes(self)


def pack_shapes(world: World) -> PackedShapes:
    """Return the colliders as arrays.

    Raises
    ------
    InvalidArgument
        If two planes may touch, or a shape is not supported by compiled steps.
    """
    for each in world.colliders:
        if not isinstance(each.collision_geometry, RoundedBox | Plane):
            name = type(each.collision_geometry).__name__
            expected = "boxes, spheres, capsules and planes in compiled steps"
            raise InvalidArgument("colliders", f"a {name}", expected)
    colliders, count = world.colliders, len(world.mechanism.inertias)
    excluded_pairs = world.excluded_pairs or ()
    is_allowed = collision_filter(excluded_pairs)
    planes = [each for each in colliders if isinstance(each.collision_geometry, Plane)]
    if any(is_allowed(first, second) for first, second in combinations(planes, 2)):
        expected = "at most one: two half-spaces do not touch"
        raise InvalidArgument("colliders", "two planes that may touch", expected)
    bodies = [count if each.body == WORLD else each.body for each in colliders]
    excluded = {tuple(sorted(count if body == WORLD else body for body in pair)) for pair in excluded_pairs}
    rows = [_shape_numbers(each) for each in colliders]
    integers = np.concatenate([bodies, np.array(sorted(excluded), dtype=int).ravel()])
    return PackedShapes(integers.astype(np.uint64), np.concatenate([np.zeros(0), *rows]))


def _shape_numbers(collider: Collider) -> Array:
    surface = collider.collision_geometry
    half, radius = (
        (surface.half_extents, surface.radius) if isinstance(surface, RoundedBox) else (np.zeros(3), np.inf)
    )
    return np.concatenate([collider.frame.ravel(), half, [radius]])


def _compiled_newton_friction(
    problem: StepProblem,
    *,
    initial_guess: ArrayLike | None = None,
    tolerance: float = TOLERANCE,
    max_iterations: int = 50,
    raise_on_failure: bool = True,
) -> StepSolution:
    return solve_friction(_solve_newton, problem, initial_guess, tolerance, max_iterations, raise_on_failure)


def _solve_newton(
    space: DelassusProblem, r: Array, tolerance: float, max_iterations: int
) -> tuple[Array, float, int]:
    """Search for impulses as :func:`rbnotes.friction.semismooth_newton.newton_search`."""
    result: Any = np.empty(r.size + 1)
    steps = compiled_function("solve_friction")(
        np.array([max_iterations], dtype=np.uint64),
        np.ascontiguousarray(space.delassus_matrix).ravel(),
        np.ascontiguousarray(space.free_contact_velocities).ravel(),
        np.ascontiguousarray(space.mu),
        np.ascontiguousarray(r).ravel(),
        np.array([tolerance]),
        result,
    )
    if steps > max_iterations:
        return newton_search(space, r, tolerance, max_iterations)
    return result[:-1].reshape(-1, 3), float(result[-1]), steps
