"""What a constraint on a tree is: rows on velocities, with what they are to be (Sueda 2.8, 2.9).

Rows are on the velocities of a :class:`~rbnotes.multibody.reduced.system.TreeSystem`, those of its particles, then those
of its joints. A row on body twists is one on joint velocities by J: ``G_m phi = (G_m J) qdot``.

    g(state, t) = 0,        dg/dt = G v + rate,        d^2g/dt^2 = G dv/dt + drift.

Constraints on bodies know their ``G_m`` as a block for each body that they are about (:class:`BodyRows`), so
that one may do without J: :mod:`rbnotes.multibody.reduced.dual_dynamics` does.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import NamedTuple, Protocol

import numpy as np

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.dynamics import State
from rbnotes.multibody.reduced.kinematics import BodyKinematics
from rbnotes.multibody.reduced.system import TreeSystem
from rbnotes.unchecked import se3, so3


class ConstraintRows(NamedTuple):
    """One constraint of m rows, at one state and time."""

    G: Array
    """Rows ``(m, N)``, in the unit of the constraints per unit of the positions: without unit, or m from
    rad.
    """
    error: Array
    """g ``(m,)``, rad or m; zero where only velocities are constrained."""
    bias_velocity: Array
    """What of dg/dt does not come from the velocities ``(m,)``, m/s or rad/s: minus a prescribed velocity."""
    bias_acceleration: Array
    """What of d^2g/dt^2 does not come from the accelerations ``(m,)``, m/s^2 or rad/s^2: ``Gdot v``, less a
    prescribed one.
    """


class KinematicState(Protocol):
    """Where the links are and how they move; a :class:`~rbnotes.multibody.reduced.BodyKinematics` knows that."""

    @property
    def joint_poses(self) -> Array:
        """Frames of the joints ``(n, 4, 4)``."""
        ...

    @property
    def body_poses(self) -> Array:
        """Frames of the bodies ``(n, 4, 4)``."""
        ...

    @property
    def phi(self) -> Array:
        """Body twists ``(n, 6)``."""
        ...


class BodyConstraintRows(NamedTuple):
    """The same rows before J: on the twists of some bodies, and on velocities of particles and joints."""

    body_blocks: Mapping[int, Array]
    """``G_m`` by the number of the link, ``(m, 6)`` each."""
    generalized_rows: Array
    """``G_r (m, N)``, on the velocities of particles and joints."""
    error: Array
    """As in :class:`ConstraintRows`."""
    bias_velocity: Array
    """As in :class:`ConstraintRows`."""
    bias_acceleration: Array
    """What of d^2g/dt^2 comes neither from the accelerations nor from the rates of the twists ``(m,)``."""

    def to_generalized(self, kinematics: BodyKinematics) -> ConstraintRows:
        """``G_r + G_m J``, whose drift has ``G_m Jdot qdot``, too (Sueda eq. (2.102))."""
        G, drift = self.generalized_rows.copy(), self.bias_acceleration
        for i, block in self.body_blocks.items():
            G[:, G.shape[1] - kinematics.J.shape[-1] :] += block @ kinematics.J[i]
            drift = drift + block @ kinematics.bias_acceleration[i]
        return ConstraintRows(G, self.error, self.bias_velocity, drift)


class Constraint(Protocol):
    """An equation, or an inequality ``g >= 0``."""

    @property
    def unilateral(self) -> bool:
        """Whether it is an inequality."""
        ...

    def rows(self, system: TreeSystem, state: State, t: float) -> ConstraintRows:
        """Its rows at a state, with targets for the time t."""
        ...


class BodyConstraint(ABC):
    """A constraint on the motion of bodies: its rows come by blocks."""

    @abstractmethod
    def body_rows(
        self, system: TreeSystem, kinematics: KinematicState, state: State, t: float
    ) -> BodyConstraintRows:
        """Its rows on body twists and on the velocities of particles and joints, for the time t."""

    def rows(self, system: TreeSystem, state: State, t: float) -> ConstraintRows:
        """Its rows at a state, with targets for the time t.

        Raises InvalidArgument if ``t`` is no finite number.
        """
        check_rows_arguments(system, state, t)
        kinematics = system.body_kinematics(state)
        return self.body_rows(system, kinematics, state, t).to_generalized(kinematics)


class PointKinematics(NamedTuple):
    """A point of a body: where it is, how velocities move it, and its acceleration at constant velocities."""

    position: Array
    jacobian: Array
    bias_acceleration: Array


def point_kinematics(
    system: TreeSystem, state: State, kinematics: BodyKinematics, link: str | None, x: Array
) -> PointKinematics:
    """Of a point ``x (3,)`` in the frame of a body, or of the world (Sueda eqs. (2.87), (2.88), (2.93))."""
    position, blocks, bias_acceleration = body_point_kinematics(system, kinematics, link, x)
    rows = BodyConstraintRows(
        blocks, np.zeros((3, state.size)), position, np.zeros(3), bias_acceleration
    ).to_generalized(kinematics)
    return PointKinematics(position, rows.G, rows.bias_acceleration)


class BodyPointKinematics(NamedTuple):
    """A point of a body: its place, how the body's twist moves it, its acceleration at a constant twist."""

    position: Array
    body_blocks: dict[int, Array]
    """One block ``(3, 6)``, by the number of the link; none of the world."""
    bias_acceleration: Array


def body_point_kinematics(
    system: TreeSystem, kinematics: KinematicState, link: str | None, x: Array
) -> BodyPointKinematics:
    """As :func:`point_motion`, by the body's own twist instead of velocities."""
    if link is None:
        return BodyPointKinematics(x, {}, np.zeros(3))
    i = system.tree.index(link)
    E, phi = kinematics.body_poses[i], kinematics.phi[i]
    point_jacobian = E[:3, :3] @ se3.Gamma(x)
    bias_acceleration = E[:3, :3] @ so3.hat(phi[:3]) @ se3.Gamma(x) @ phi
    return BodyPointKinematics(se3.transform_points(E, x), {i: point_jacobian}, bias_acceleration)


def check_rows_arguments(system: TreeSystem, state: State, t: float) -> None:
    """Arguments of a constraint's rows."""
    arguments.require_instance("system", system, TreeSystem)
    arguments.require_instance("state", state, State)
    arguments.real_number("t", t)


def check_link_names(constraint: object, *names: str) -> None:
    """Fields of a constraint that are names of links."""
    for name in names:
        arguments.text(name, getattr(constraint, name))
