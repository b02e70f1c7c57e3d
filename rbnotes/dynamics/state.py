"""State of a mechanical system: bodies, particles, generalized coordinates, and their velocities.

Velocities are stacked as the twists of the m bodies, six numbers each, the velocities of the p particles,
three each, and those of the l generalized coordinates: ``N = 6 m + 3 p + l`` in all. Increments of the
positions, forces and Jacobians are stacked alike; bodies move by increments ``E exp([xi])``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, ArrayField, InvalidArgument
from rbnotes.unchecked import se3
from rbnotes.unchecked.frozen import replace_unchecked, set_writable_fields

WORLD = -1
"""Index of the world in place of a body; bodies are numbered from 0."""


@dataclass(frozen=True, eq=False)
class State:
    """Positions and velocities at one time. Each part may be omitted; omitted velocities are zero.

    Attributes
    ----------
    E
        Poses of the bodies ``(m, 4, 4)``, m; one ``(4, 4)`` counts as one body.
    phi
        Their twists in body coordinates ``(m, 6)``, rad/s and m/s.
    x
        Particles in world coordinates ``(p, 3)``, m.
    v
        Their velocities ``(p, 3)``, m/s.
    q
        Generalized or joint coordinates ``(k,)``, rad or m.
    qdot
        Their velocities ``(l,)``, rad/s or m/s; if l is not k, the model relates them to the rates of q.
    t
        Time, s.

    Raises
    ------
    InvalidArgument
        If shapes do not fit together, or ``E`` is not a pose.
    """

    E: ArrayField = ()
    phi: ArrayField = ()
    x: ArrayField = ()
    v: ArrayField = ()
    q: ArrayField = ()
    qdot: ArrayField = ()
    t: float = 0.0

    def __post_init__(self) -> None:
        E = arguments.frame("E", _as_stack("E", self.E, 4, 4))
        x = arguments.vector("x", _as_stack("x", self.x, 3))
        q = _check_one_axis("q", self.q)
        phi = arguments.twist("phi", _zeros_if_omitted(self.phi, (len(E), 6)))
        v = arguments.vector("v", _zeros_if_omitted(self.v, x.shape))
        qdot = _check_one_axis("qdot", _zeros_if_omitted(self.qdot, q.shape))
        expected = {"E": (len(E), 4, 4), "phi": (len(E), 6), "x": (len(x), 3), "v": (len(x), 3)}
        for name, value in {"E": E, "phi": phi, "x": x, "v": v}.items():
            if value.shape != expected[name]:
                got = f"shape {value.shape}"
                expected_value = f"shape {expected[name]}, for {len(E)} bodies and {len(x)} particles"
                raise InvalidArgument(name, got, expected_value)
        t = arguments.real_number("t", self.t)
        set_writable_fields(self, E=E, phi=phi, x=x, v=v, q=q, qdot=qdot, t=t)

    @property
    def size(self) -> int:
        """Number N of velocities."""
        return int(self.phi.size + self.v.size + self.qdot.size)

    @property
    def velocity(self) -> Array:
        """All velocities ``(N,)``."""
        return np.concatenate([self.phi.ravel(), self.v.ravel(), self.qdot])

    def split(self, stacked: ArrayLike, name: str = "stacked") -> tuple[Array, Array, Array]:
        """Return the parts ``(m, 6)``, ``(p, 3)`` and ``(l,)`` of a vector stacked like velocities.

        ``name`` is its name in errors.

        Raises InvalidArgument if the shape of ``stacked`` does not fit.
        """
        return self._split(arguments.single_vector(name, stacked, self.size))

    def _split(self, stacked: Array) -> tuple[Array, Array, Array]:
        first, second = self.phi.size, self.phi.size + self.v.size
        return stacked[:first].reshape(-1, 6), stacked[first:second].reshape(-1, 3), stacked[second:]

    def retract(self, increment: ArrayLike, h: float = 0.0) -> State:
        """Return the state with ``E exp([xi])``, ``x + dx``, ``q + dq`` and equal velocities after a time h.

        Parameters
        ----------
        increment
            ``(N,)``.

        Raises
        ------
        InvalidArgument
            If there are not as many velocities as coordinates q.
        """
        if self.q.shape != self.qdot.shape:
            got = f"{self.q.size} coordinates and {self.qdot.size} velocities"
            raise InvalidArgument("q", got, "equal numbers of both, or a model that relates them")
        xi, dx, dq = self.split(increment, "increment")
        E = self.E @ se3.exp(arguments.twist_vector("increment", xi)) if len(xi) else self.E
        return replace_unchecked(
            self, E=E, x=self.x + dx, q=self.q + dq, t=self.t + arguments.real_number("h", h)
        )

    def with_velocity(self, velocity: ArrayLike) -> State:
        """Return the state with other velocities ``(N,)``.

        Raises InvalidArgument if the shape of ``velocity`` does not fit.
        """
        return self._with_velocity(arguments.single_vector("velocity", velocity, self.size))

    def _with_velocity(self, velocity: Array) -> State:
        phi, v, qdot = self._split(velocity)
        return replace_unchecked(self, phi=phi, v=v, qdot=qdot)

    def increment_rate(self, increment: ArrayLike, velocity: ArrayLike) -> Array:
        """Return the rate ``(N,)`` of the increment of :meth:`retract` for a velocity ``(N,)``.

        Raises InvalidArgument if the shape of ``increment`` or ``velocity`` does not fit;
        SingularConfiguration if an angle in ``increment`` is a positive multiple of 2 pi.
        """
        xi, _, _ = self.split(increment, "increment")
        phi, v, qdot = self.split(velocity, "velocity")
        if len(xi):
            xi = arguments.twist_vector("increment", xi, full_turns=False)
            phi = np.einsum("nij,nj->ni", se3.right_jacobian_inverse(xi), phi)
        return np.concatenate([phi.ravel(), v.ravel(), qdot])


@dataclass(frozen=True, eq=False)
class States:
    """States at T times; each array has a leading axis of times before those of :class:`State`.

    Attributes
    ----------
    E
        Poses ``(T, m, 4, 4)``, m.
    phi
        Body twists ``(T, m, 6)``, rad/s and m/s.
    x
        Positions of particles ``(T, p, 3)``, m.
    v
        Velocities of particles ``(T, p, 3)``, m/s.
    q
        Coordinates ``(T, k)``, rad or m.
    qdot
        Velocities of the coordinates ``(T, l)``, rad/s or m/s.
    t
        Times ``(T,)``, s.
    """

    E: Array
    phi: Array
    x: Array
    v: Array
    q: Array
    qdot: Array
    t: Array

    @classmethod
    def stack(cls, states: Sequence[State]) -> States:
        """Return the states stacked along a new leading axis.

        Raises InvalidArgument if ``states`` does not fit.
        """
        states = arguments.instances("states", states, State)
        if not states:
            raise InvalidArgument("states", "none", "one or more")
        return cls(*(np.stack([getattr(s, name) for s in states]) for name in cls.__dataclass_fields__))

    def __len__(self) -> int:
        return len(self.t)

    def __getitem__(self, index: int) -> State:
        """Return the state at one of the times."""
        return State(*(getattr(self, name)[index] for name in self.__dataclass_fields__))

    @property
    def velocity(self) -> Array:
        """All velocities ``(T, N)``."""
        count = len(self)
        return np.concatenate([self.phi.reshape(count, -1), self.v.reshape(count, -1), self.qdot], axis=1)


def _shape(value: Any) -> tuple[int, ...] | None:
    """Return the shape of a value, or None if it is not an array: its conversion reports the error."""
    try:
        shape: tuple[int, ...] = np.shape(value)
        return shape
    except Exception:  # an object's own __array__ may raise anything
        return None


def _as_stack(name: str, value: Any, *shape: int) -> Any:
    """Return an empty tuple as an empty stack, and one array of the shape as a stack of one."""
    if isinstance(value, tuple) and not value:
        return np.zeros((0, *shape))
    if name == "E" and len(_shape(value) or ()) == 1:
        expected_value = "poses (m, 4, 4); joint coordinates are given by name, State(q=..., qdot=...)"
        raise InvalidArgument(name, f"shape {_shape(value)}", expected_value)
    return arguments.array(name, value)[None] if _shape(value) == shape else value


def _zeros_if_omitted(value: Any, shape: tuple[int, ...]) -> Any:
    if isinstance(value, tuple) and not value:
        return np.zeros(shape)
    return [value] if _shape(value) == shape[1:] and len(shape) > 1 else value


def _check_one_axis(name: str, value: Any) -> Array:
    result = arguments.vector(name, value, None)
    if result.ndim != 1:
        raise InvalidArgument(name, f"shape {result.shape}", "a vector (one axis)")
    return result


EMPTY_STATE = State()
"""State without bodies, particles and coordinates, at t = 0.

``replace_unchecked(EMPTY_STATE, q=q, qdot=qdot, t=t)`` is the state of valid arrays, without checks.
"""
