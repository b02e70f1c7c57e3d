"""Many forces on bodies and particles, with sparse Jacobians in the coordinates of the whole system.

A group of forces of one kind is evaluated at once, on arrays; :func:`assemble` sums the groups, and
:class:`ForceGroups` are their sum as a force that every system and every step takes. For that,
particles and the world count as frames that are carried along: a particle is one that cannot turn, the
world one that cannot move, and the rows and columns of what cannot move are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from rbnotes import arguments
from rbnotes._frozen import keep
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.dynamics import WORLD, Forces, State
from rbnotes.forces import _path, _wrenches, body_forces
from rbnotes.forces.attachment import NO_PARTICLE, Attachments, Indices
from rbnotes.forces.path import STIFFNESS, PotentialLaw, active_flags, dissipated_power, path_energy
from rbnotes.forces.tension import TensionLaw

FIXED = -1


class Carriers(NamedTuple):
    """What carries points: the m bodies, the p particles as frames of their own, and last the world."""

    E: Array
    """Poses ``(m + p + 1, 4, 4)``."""
    phi: Array
    """Twists ``(m + p + 1, 6)``."""
    coordinates: Indices
    """Numbers of the six coordinates in the system ``(m + p + 1, 6)``, ``FIXED`` where there is none."""


class Located(NamedTuple):
    """Forces of one group, each of s on N coordinates of the system."""

    coordinates: Indices
    """Their numbers ``(s, N)``, ``FIXED`` where nothing can move."""
    f: Array
    """``(s, N)``."""
    K: Array
    """``(s, N, N)``."""
    D: Array
    """``(s, N, N)``."""

    @classmethod
    def on_carriers(cls, coordinates: Indices, wrenches: tuple[Array, Array, Array]) -> Located:
        """From coordinates ``(s, n, 6)`` of carriers and their :class:`~rbnotes.forces.BodyForces`."""
        w, K, D = wrenches
        shape = K.shape[:-1]
        return cls(coordinates.reshape(shape), w.reshape(shape), K, D)


class Carried(NamedTuple):
    """Points of s chains, n of each, with what carries them."""

    coordinates: Indices
    """``(s, n, 6)``."""
    E: Array
    """``(s, n, 4, 4)``."""
    x: Array
    """In what carries them ``(s, n, 3)``."""
    phi: Array
    """``(s, n, 6)``."""


class ForceGroup(Protocol):
    """Forces of one kind."""

    def forces(self, state: State) -> Located:
        """Forces on coordinates of the state, with their derivatives."""

    def energy(self, state: State) -> float:
        """Potential energy, J."""

    def dissipated_power(self, state: State) -> float:
        """Power that the forces take out of the motion, W."""


@dataclass(frozen=True, eq=False)
class Paths:
    """Tensions of one law along s paths: springs, muscles, spring-dampers.

    Raises InvalidArgument if ``law`` is no function, ``stiffness`` is not one of the names, or the shape of
    ``active`` does not fit.
    """

    law: TensionLaw
    """Parameters that are arrays have one entry per path."""
    points: Attachments
    """``(s, n)`` or, for one path, ``(n,)``; see :func:`rbnotes.forces.attachment.through`."""
    active: ArrayLike | None = None
    """Segments that count to the length ``(n-1,)``, true or false; all by default."""
    stiffness: str = "exact"
    """See :func:`rbnotes.forces.body_forces.path_wrenches`."""

    def __post_init__(self) -> None:
        arguments.function("law", self.law, "L", "Ldot")
        arguments.instance("points", self.points, Attachments)
        arguments.choice("stiffness", self.stiffness, STIFFNESS)
        points = self.points.shape[-1:]
        if not points or points[0] < 2:
            raise InvalidArgument("points", f"shape {self.points.shape}", "two points or more of each path")
        active_flags(points[0] - 1, self.active)
        _check_parameters(self.law, self.points.shape[:-1])

    def forces(self, state: State) -> Located:
        """Forces at this state with their derivatives; raises InvalidArgument if it is no ``State``."""
        arguments.instance("state", state, State)
        coordinates, E, x, phi = _carried(self.points, state)
        active = active_flags(x.shape[-2] - 1, self.active)
        if np.any(self.points.body != WORLD):
            wrenches = body_forces.known_path_wrenches(self.law, E, x, phi, active, self.stiffness)
            return Located.on_carriers(coordinates, wrenches)
        # Nothing turns: the points' own coordinates will do.
        terms = _path.path_terms(self.law, E[..., :3, 3] + x, phi[..., 3:], active)
        shape = terms.D.shape[:-1]
        where, f = coordinates[..., 3:].reshape(shape), terms.f.reshape(shape)
        return Located(where, f, terms.stiffness(self.stiffness), terms.D)

    def energy(self, state: State) -> float:
        """Potential energy, J; raises InvalidArgument if a law has none, or ``state`` is no ``State``."""
        arguments.instance("state", state, State)
        law: object = self.law
        if not hasattr(law, "energy"):
            raise InvalidArgument("law", type(law).__name__, "a law with a potential energy")
        potential: PotentialLaw = law  # type: ignore[assignment]
        _, E, x, phi = _carried(self.points, state)
        points, _ = _wrenches.carried_points(E, x, phi)
        if not np.all(active_flags(points.shape[-2] - 1, self.active)):
            # Their tension acts over a length that the law does not see: no energy has that force.
            raise InvalidArgument("active", "passive segments", "all segments active, for the energy")
        return float(np.sum(path_energy(potential, points)))

    def dissipated_power(self, state: State) -> float:
        """Power that velocities make forces take, W; raises InvalidArgument if ``state`` is no ``State``."""
        arguments.instance("state", state, State)
        _, E, x, phi = _carried(self.points, state)
        return float(np.sum(dissipated_power(self.law, *_wrenches.carried_points(E, x, phi), self.active)))


def _check_parameters(law: object, paths: tuple[int, ...]) -> None:
    """Refuse a law one of whose arrays has neither one entry nor one for each path."""
    for name, value in getattr(law, "__dict__", {}).items():
        if isinstance(value, np.ndarray) and value.ndim and value.shape not in ((1,), paths):
            wanted = f"one number, or one for each path: shape {paths}" if paths else "one number"
            raise InvalidArgument(f"law.{name}", f"shape {value.shape}", wanted)


@dataclass(frozen=True, eq=False)
class ZeroLengthSprings:
    """Springs of rest length zero between s pairs of points.

    Raises InvalidArgument if ``k`` is negative.
    """

    k: ArrayLike
    """Stiffness ``(s,)`` or a number, N/m."""
    points: Attachments
    """``(s, 2)`` or ``(2,)``."""

    def __post_init__(self) -> None:
        arguments.instance("points", self.points, Attachments)
        if self.points.shape[-1:] != (2,):
            raise InvalidArgument("points", f"shape {self.points.shape}", "pairs of points, (s, 2) or (2,)")
        keep(self, k=arguments.scalar("k", self.k, minimum=0.0))
        arguments.common_shape(k=np.shape(self.k), points=self.points.shape[:-1])

    def forces(self, state: State) -> Located:
        """Forces at this state with their derivatives; raises InvalidArgument if it is no ``State``."""
        arguments.instance("state", state, State)
        coordinates, E, x, _ = _carried(self.points, state)
        return Located.on_carriers(coordinates, _wrenches.zero_length_spring(np.asarray(self.k), E, x))

    def energy(self, state: State) -> float:
        """Potential energy, J; raises InvalidArgument if ``state`` is no ``State``."""
        arguments.instance("state", state, State)
        _, E, x, _ = _carried(self.points, state)
        return float(np.sum(_wrenches.zero_length_energy(np.asarray(self.k), E, x)))

    def dissipated_power(self, state: State) -> float:
        """Zero; raises InvalidArgument if ``state`` is no ``State``."""
        arguments.instance("state", state, State)
        return 0.0


@dataclass(frozen=True, eq=False)
class Pulls:
    """Forces ``k a``, constant in the world, on s points.

    Raises InvalidArgument if the shape of ``k`` or ``a`` does not fit.
    """

    k: ArrayLike
    """Factors ``(s,)`` or a number, N."""
    a: ArrayLike
    """Directions ``(s, 3)`` or ``(3,)`` in world coordinates, without unit."""
    points: Attachments
    """``(s,)`` or ``()``."""

    def __post_init__(self) -> None:
        arguments.instance("points", self.points, Attachments)
        keep(self, k=arguments.scalar("k", self.k), a=arguments.vector("a", self.a))
        arguments.common_shape(k=np.shape(self.k), a=np.shape(self.a)[:-1], points=self.points.shape)

    def forces(self, state: State) -> Located:
        """Forces at this state with their derivatives; raises InvalidArgument if it is no ``State``."""
        arguments.instance("state", state, State)
        coordinates, E, x, _ = _carried(_column(self.points), state)
        k, a = np.asarray(self.k), np.asarray(self.a)
        return Located.on_carriers(coordinates, _wrenches.directional_force(k, a, E[:, 0], x[:, 0]))

    def energy(self, state: State) -> float:
        """``-k a^T x`` of all points, J; raises InvalidArgument if ``state`` is no ``State``."""
        arguments.instance("state", state, State)
        _, E, x, _ = _carried(_column(self.points), state)
        k, a = np.asarray(self.k), np.asarray(self.a)
        return float(np.sum(_wrenches.directional_energy(k, a, E[:, 0], x[:, 0])))

    def dissipated_power(self, state: State) -> float:
        """Zero; raises InvalidArgument if ``state`` is no ``State``."""
        arguments.instance("state", state, State)
        return 0.0


@dataclass(frozen=True, eq=False)
class Damping:
    """Viscous damping ``-d phi`` of bodies.

    Raises InvalidArgument if ``d`` is negative.
    """

    d: ArrayLike
    """Coefficients ``(s,)`` or one, N m s and N s/m; see
    :func:`rbnotes.forces.body_forces.viscous_damping`."""
    bodies: ArrayLike
    """Numbers of the bodies ``(s,)``."""

    def __post_init__(self) -> None:
        keep(self, d=arguments.scalar("d", self.d, minimum=0.0))
        keep(self, bodies=arguments.indices("bodies", self.bodies))
        arguments.common_shape(d=np.shape(self.d), bodies=np.shape(self.bodies))

    def forces(self, state: State) -> Located:
        """Forces at this state with their derivatives; raises InvalidArgument if it is no ``State``."""
        arguments.instance("state", state, State)
        numbers = self._numbers(state)
        coordinates = carriers(state).coordinates[numbers]
        return Located(coordinates, *_wrenches.viscous_damping(np.asarray(self.d), state.phi[numbers]))

    def energy(self, state: State) -> float:
        """Zero; raises InvalidArgument if ``state`` is no ``State``."""
        arguments.instance("state", state, State)
        return 0.0

    def dissipated_power(self, state: State) -> float:
        """``d |phi|^2`` summed over the bodies, W; raises InvalidArgument if ``state`` is no ``State``."""
        arguments.instance("state", state, State)
        return float(np.sum(np.asarray(self.d)[..., None] * state.phi[self._numbers(state)] ** 2))

    def _numbers(self, state: State) -> Indices:
        numbers: Indices = np.atleast_1d(np.asarray(self.bodies))
        _in_range("bodies", numbers, len(state.E))
        return numbers


def assemble(groups: Iterable[ForceGroup], state: State) -> Forces:
    """Sum of all forces with sparse Jacobians.

    A body that carries several points of one path, or of several groups, receives their sum.

    Raises
    ------
    InvalidArgument
        If a point is attached to a body or particle that the state does not have.
    SingularConfiguration
        If a segment of a path has length zero.
    """
    arguments.instance("state", state, State)
    groups = checked_groups(groups)
    f = np.zeros(state.size)
    K, D = _Entries(state.size), _Entries(state.size)
    for group in groups:
        where, f_group, K_group, D_group = group.forces(state)
        moves = where != FIXED
        np.add.at(f, where[moves], f_group[moves])
        K.add(where, K_group)
        D.add(where, D_group)
    return Forces(f, K.matrix(), D.matrix())


@dataclass(frozen=True, eq=False)
class ForceGroups:
    """The sum of groups as one force on a system, a :data:`rbnotes.dynamics.ForceLaw`.

    >>> from rbnotes.dynamics import FreeSystem, State, implicit_euler, integrate
    >>> from rbnotes.forces import ForceGroups, LinearSpring, Paths
    >>> from rbnotes.forces import on_particle, on_world, through
    >>> ends = through(on_world([0.0, 0.0, 0.0]), on_particle(0))
    >>> spring = Paths(LinearSpring(100.0, rest_length=1.0), ends)
    >>> hanging = FreeSystem(masses=[1.0], applied=ForceGroups([spring]))
    >>> start = State(x=[[0.0, 0.0, -1.0]])
    >>> states = integrate(implicit_euler, hanging, start, 0.1, 100)
    >>> states.x[-1, 0].round(4).tolist()
    [0.0, 0.0, -1.0981]

    Raises InvalidArgument if ``groups`` does not fit.
    """

    groups: Sequence[ForceGroup]
    """The forces that are added, in N and N m."""

    def __post_init__(self) -> None:
        keep(self, groups=checked_groups(self.groups))

    def __call__(self, state: State) -> Forces:
        """:func:`assemble` of the groups, and its errors: InvalidArgument, SingularConfiguration."""
        arguments.instance("state", state, State)
        return assemble(self.groups, state)

    def energy(self, state: State) -> float:
        """Potential energy, J; raises InvalidArgument if a law has none, or ``state`` is no ``State``."""
        arguments.instance("state", state, State)
        return sum(group.energy(state) for group in self.groups)

    def dissipated_power(self, state: State) -> float:
        """Power that velocities make forces take, W; raises InvalidArgument if ``state`` is no ``State``."""
        arguments.instance("state", state, State)
        return sum(group.dissipated_power(state) for group in self.groups)


def checked_groups(groups: Iterable[ForceGroup]) -> tuple[ForceGroup, ...]:
    """The groups as a tuple, each with what a group can do."""
    result = arguments.instances("groups", groups, object)
    for number, group in enumerate(result):
        arguments.provides(f"groups[{number}]", group, "forces", "energy", "dissipated_power")
    return result


def carriers(state: State) -> Carriers:
    """Everything that can carry a point, as one array of frames."""
    m, p = len(state.E), len(state.x)
    E = np.tile(np.eye(4), (m + p + 1, 1, 1))
    phi = np.zeros((m + p + 1, 6))
    coordinates = np.full((m + p + 1, 6), FIXED, dtype=np.intp)
    E[:m], phi[:m] = state.E, state.phi
    E[m : m + p, :3, 3], phi[m : m + p, 3:] = state.x, state.v
    coordinates[:m] = np.arange(6 * m).reshape(m, 6)
    coordinates[m : m + p, 3:] = 6 * m + np.arange(3 * p).reshape(p, 3)
    return Carriers(E, phi, coordinates)


class _Entries:
    """Entries of a sparse matrix, gathered block by block."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.rows, self.columns = [np.zeros(0, dtype=np.intp)], [np.zeros(0, dtype=np.intp)]
        self.values = [np.zeros(0)]

    def add(self, where: Indices, blocks: Array) -> None:
        """Blocks ``(s, N, N)`` at the coordinates ``where (s, N)``."""
        rows, columns = np.broadcast_arrays(where[:, :, None], where[:, None, :])
        blocks = np.broadcast_to(blocks, rows.shape)
        kept = (rows != FIXED) & (columns != FIXED) & (blocks != 0)
        self.rows.append(rows[kept])
        self.columns.append(columns[kept])
        self.values.append(blocks[kept])

    def matrix(self) -> sparse.csc_array:
        entries = np.concatenate(self.rows), np.concatenate(self.columns)
        return sparse.coo_array((np.concatenate(self.values), entries), shape=(self.size, self.size)).tocsc()


def _carried(points: Attachments, state: State) -> Carried:
    body, particle = np.atleast_2d(points.body), np.atleast_2d(points.particle)
    m, p = len(state.E), len(state.x)
    _in_range("points", body[body != WORLD], m)
    _in_range("points", particle[particle != NO_PARTICLE], p)
    numbers = np.select([particle != NO_PARTICLE, body != WORLD], [m + particle, body], m + p)
    E, phi, coordinates = carriers(state)
    return Carried(coordinates[numbers], E[numbers], points.x.reshape(*body.shape, 3), phi[numbers])


def _column(points: Attachments) -> Attachments:
    shape = (-1, 1)
    return Attachments(points.body.reshape(shape), points.particle.reshape(shape), points.x.reshape(-1, 1, 3))


def _in_range(name: str, numbers: Indices, count: int) -> None:
    if np.any((numbers < 0) | (numbers >= count)):
        raise InvalidArgument(name, f"number {numbers.max(initial=-1)}", f"one of {count}, counted from 0")
