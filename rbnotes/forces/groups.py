"""Groups of forces that are evaluated on arrays: path tensions, springs, constant forces, damping."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import InvalidArgument
from rbnotes.dynamics import WORLD, State
from rbnotes.forces import body_forces, unchecked_path, unchecked_wrenches
from rbnotes.forces.anchor_kinematics import (
    IndexedForces,
    anchor_frames,
    anchor_kinematics,
    check_indices,
    single_point_paths,
)
from rbnotes.forces.anchor_points import (
    AnchorPoints,
    Indices,
    check_bodies,
    require_body_indices,
    resolve_body_names,
)
from rbnotes.forces.path import STIFFNESS_OPTIONS, PotentialLaw, active_flags, dissipated_power
from rbnotes.forces.tension import TensionLaw
from rbnotes.unchecked.frozen import set_fields


@dataclass(frozen=True, eq=False)
class PathForces:
    """Tensions of one law along s paths: springs, muscles, spring-dampers.

    Raises InvalidArgument if ``law`` is not a function, ``stiffness`` is not one of the names, or the shape
    of ``active`` does not fit.

    Attributes
    ----------
    law
        Tension law; parameters that are arrays have one entry per path.
    points
        Points of the paths ``(s, n)``, or ``(n,)`` of one path; see
        :func:`rbnotes.forces.anchor_points.path_through`.
    active
        Flags of the segments that count to the length ``(n-1,)``; all by default, dimensionless.
    stiffness
        Stiffness option of :func:`rbnotes.forces.body_forces.path_wrenches`.
    """

    law: TensionLaw
    points: AnchorPoints
    active: ArrayLike | None = None
    stiffness: str = "exact"

    def __post_init__(self) -> None:
        arguments.require_function("law", self.law, "L", "Ldot")
        arguments.require_instance("points", self.points, AnchorPoints)
        arguments.choice("stiffness", self.stiffness, STIFFNESS_OPTIONS)
        points = self.points.shape[-1:]
        if not points or points[0] < 2:
            raise InvalidArgument("points", f"shape {self.points.shape}", "two points or more of each path")
        active_flags(points[0] - 1, self.active)
        _check_law_parameters(self.law, self.points.shape[:-1])

    def resolve_names(self, index: Callable[[str], int]) -> PathForces:
        """Return the same forces with indices of bodies instead of names.

        ``index`` is a function from the name of a body to its index; it raises an error if there is none.
        """
        return replace(self, points=self.points.resolve_names(index))

    def forces(self, state: State) -> IndexedForces:
        """Return forces and derivatives; raises InvalidArgument if ``state`` is not a ``State``."""
        arguments.require_instance("state", state, State)
        coordinates, E, x, phi = anchor_kinematics(self.points, state)
        active = active_flags(x.shape[-2] - 1, self.active)
        if np.any(require_body_indices("points", self.points.body) != WORLD):
            wrench_arrays = body_forces.unchecked_path_wrenches(self.law, E, x, phi, active, self.stiffness)
            return IndexedForces.from_wrenches(coordinates, wrench_arrays)
        # No point is on a body: the coordinates of the points suffice.
        terms = unchecked_path.path_terms(self.law, E[..., :3, 3] + x, phi[..., 3:], active)
        shape = terms.D.shape[:-1]
        indices, f = coordinates[..., 3:].reshape(shape), terms.f.reshape(shape)
        return IndexedForces(indices, f, terms.stiffness(self.stiffness), terms.D)

    def energy(self, state: State) -> float:
        """Return the potential energy, J.

        Raises InvalidArgument if the law has none or a segment is passive, or ``state`` is not a ``State``.
        """
        arguments.require_instance("state", state, State)
        if not isinstance(self.law, PotentialLaw):
            raise InvalidArgument("law", type(self.law).__name__, "a law with a potential energy")
        _, E, x, phi = anchor_kinematics(self.points, state)
        points, _ = unchecked_wrenches.point_kinematics(E, x, phi)
        if not np.all(active_flags(points.shape[-2] - 1, self.active)):
            # The tension of passive segments does work that the law does not include: there is no energy.
            raise InvalidArgument("active", "passive segments", "all segments active, for the energy")
        lengths = np.sum(unchecked_path.path_segments(points)[1], axis=-1)
        return float(np.sum(self.law.energy(lengths)))

    def dissipated_power(self, state: State) -> float:
        """Return the dissipated power, W; raises InvalidArgument if ``state`` is not a ``State``."""
        arguments.require_instance("state", state, State)
        _, E, x, phi = anchor_kinematics(self.points, state)
        return float(
            np.sum(dissipated_power(self.law, *unchecked_wrenches.point_kinematics(E, x, phi), self.active))
        )


def _check_law_parameters(law: object, paths: tuple[int, ...]) -> None:
    """Raise InvalidArgument if an array of a law has neither one entry nor one for each path."""
    for name, value in getattr(law, "__dict__", {}).items():
        if isinstance(value, np.ndarray) and value.ndim and value.shape not in ((1,), paths):
            expected = f"one number, or one for each path: shape {paths}" if paths else "one number"
            raise InvalidArgument(f"law.{name}", f"shape {value.shape}", expected)


@dataclass(frozen=True, eq=False)
class ZeroLengthSprings:
    """Springs of rest length zero between s pairs of points.

    Raises InvalidArgument if ``k`` is negative.

    Attributes
    ----------
    k
        Stiffness ``(s,)`` or one number, N/m.
    points
        Pairs of points ``(s, 2)`` or ``(2,)``.
    """

    k: ArrayLike
    points: AnchorPoints

    def __post_init__(self) -> None:
        arguments.require_instance("points", self.points, AnchorPoints)
        if self.points.shape[-1:] != (2,):
            raise InvalidArgument("points", f"shape {self.points.shape}", "pairs of points, (s, 2) or (2,)")
        set_fields(self, k=arguments.real_array("k", self.k, minimum=0.0))
        arguments.common_shape(k=np.shape(self.k), points=self.points.shape[:-1])

    def resolve_names(self, index: Callable[[str], int]) -> ZeroLengthSprings:
        """Return the same forces with indices of bodies instead of names.

        ``index`` is a function from the name of a body to its index; it raises an error if there is none.
        """
        return replace(self, points=self.points.resolve_names(index))

    def forces(self, state: State) -> IndexedForces:
        """Return forces and derivatives; raises InvalidArgument if ``state`` is not a ``State``."""
        arguments.require_instance("state", state, State)
        coordinates, E, x, _ = anchor_kinematics(self.points, state)
        return IndexedForces.from_wrenches(
            coordinates, unchecked_wrenches.zero_length_spring(np.asarray(self.k), E, x)
        )

    def energy(self, state: State) -> float:
        """Return the potential energy, J; raises InvalidArgument if ``state`` is not a ``State``."""
        arguments.require_instance("state", state, State)
        _, E, x, _ = anchor_kinematics(self.points, state)
        return float(np.sum(unchecked_wrenches.zero_length_energy(np.asarray(self.k), E, x)))

    def dissipated_power(self, state: State) -> float:
        """Return zero; raises InvalidArgument if ``state`` is not a ``State``."""
        arguments.require_instance("state", state, State)
        return 0.0


@dataclass(frozen=True, eq=False)
class ConstantForces:
    """Forces ``k a``, constant in the world, on s points.

    Raises InvalidArgument if the shape of ``k`` or ``a`` does not fit.

    Attributes
    ----------
    k
        Factors ``(s,)`` or one number, N.
    a
        Directions ``(s, 3)`` or ``(3,)`` in world coordinates, dimensionless.
    points
        Points ``(s,)`` or ``()``.
    """

    k: ArrayLike
    a: ArrayLike
    points: AnchorPoints

    def __post_init__(self) -> None:
        arguments.require_instance("points", self.points, AnchorPoints)
        set_fields(self, k=arguments.real_array("k", self.k), a=arguments.vector("a", self.a))
        arguments.common_shape(k=np.shape(self.k), a=np.shape(self.a)[:-1], points=self.points.shape)

    def resolve_names(self, index: Callable[[str], int]) -> ConstantForces:
        """Return the same forces with indices of bodies instead of names.

        ``index`` is a function from the name of a body to its index; it raises an error if there is none.
        """
        return replace(self, points=self.points.resolve_names(index))

    def forces(self, state: State) -> IndexedForces:
        """Return forces and derivatives; raises InvalidArgument if ``state`` is not a ``State``."""
        arguments.require_instance("state", state, State)
        coordinates, E, x, _ = anchor_kinematics(single_point_paths(self.points), state)
        k, a = np.asarray(self.k), np.asarray(self.a)
        return IndexedForces.from_wrenches(
            coordinates, unchecked_wrenches.directional_force(k, a, E[:, 0], x[:, 0])
        )

    def energy(self, state: State) -> float:
        """Return the sum of ``-k a^T x``, J; raises InvalidArgument if ``state`` is not a ``State``."""
        arguments.require_instance("state", state, State)
        _, E, x, _ = anchor_kinematics(single_point_paths(self.points), state)
        k, a = np.asarray(self.k), np.asarray(self.a)
        return float(np.sum(unchecked_wrenches.directional_energy(k, a, E[:, 0], x[:, 0])))

    def dissipated_power(self, state: State) -> float:
        """Return zero; raises InvalidArgument if ``state`` is not a ``State``."""
        arguments.require_instance("state", state, State)
        return 0.0


@dataclass(frozen=True, eq=False)
class Damping:
    """Viscous damping ``-d phi`` of bodies.

    Raises InvalidArgument if ``d`` is negative.

    Attributes
    ----------
    d
        Coefficients ``(s,)`` or one number, N m s and N s/m; see
        :func:`rbnotes.forces.body_forces.viscous_damping`.
    bodies
        Indices or names of the bodies ``(s,)``.
    """

    d: ArrayLike
    bodies: ArrayLike

    def __post_init__(self) -> None:
        set_fields(self, d=arguments.real_array("d", self.d, minimum=0.0))
        set_fields(self, bodies=check_bodies("bodies", self.bodies))
        arguments.common_shape(d=np.shape(self.d), bodies=np.shape(self.bodies))

    def resolve_names(self, index: Callable[[str], int]) -> Damping:
        """Return the same forces with indices of bodies instead of names.

        ``index`` is a function from the name of a body to its index; it raises an error if there is none.
        """
        return replace(self, bodies=resolve_body_names(np.asarray(self.bodies), index))

    def forces(self, state: State) -> IndexedForces:
        """Return forces and derivatives; raises InvalidArgument if ``state`` is not a ``State``."""
        arguments.require_instance("state", state, State)
        numbers = self._body_indices(state)
        coordinates = anchor_frames(state).coordinates[numbers]
        return IndexedForces(
            coordinates, *unchecked_wrenches.viscous_damping(np.asarray(self.d), state.phi[numbers])
        )

    def energy(self, state: State) -> float:
        """Return zero; raises InvalidArgument if ``state`` is not a ``State``."""
        arguments.require_instance("state", state, State)
        return 0.0

    def dissipated_power(self, state: State) -> float:
        """Return the sum of ``d |phi|^2``, W; raises InvalidArgument if ``state`` is not a ``State``."""
        arguments.require_instance("state", state, State)
        return float(np.sum(np.asarray(self.d)[..., None] * state.phi[self._body_indices(state)] ** 2))

    def _body_indices(self, state: State) -> Indices:
        numbers: Indices = np.atleast_1d(require_body_indices("bodies", np.asarray(self.bodies)))
        check_indices("bodies", numbers, len(state.E))
        return numbers
