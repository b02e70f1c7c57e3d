"""Protocol of constraints on a tree: rows on velocities, with their errors and biases (Sueda 2.8, 2.9).

Rows act on the velocities of a :class:`~rbnotes.multibody.reduced.Tree`: those of its particles,
then those of its joints. A row on body twists is a row on joint velocities by J: ``G_m phi = (G_m J) qdot``.

    g(state, t) = 0,        dg/dt = G v + bias_velocity,        d^2g/dt^2 = G dv/dt + bias_acceleration.

Constraints on bodies provide ``G_m`` as one block for each body (:class:`BodyConstraintRows`), so that J is
not needed: :mod:`rbnotes.multibody.reduced.dual_dynamics` uses these blocks.
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
from rbnotes.multibody.reduced.tree import Tree
from rbnotes.unchecked import se3, so3


class ConstraintRows(NamedTuple):
    """Rows of one constraint at one state and time; it has m rows.

    Attributes
    ----------
    G
        Rows ``(m, N)``, in the unit of the constraints per unit of the positions: dimensionless, or m from
        rad.
    error
        Constraint error g ``(m,)``, rad or m; zero where only velocities are constrained.
    bias_velocity
        Part of dg/dt ``(m,)`` that is independent of the velocities, m/s or rad/s: minus a prescribed
        velocity.
    bias_acceleration
        Part of d^2g/dt^2 ``(m,)`` that is independent of the accelerations, m/s^2 or rad/s^2: ``Gdot v``,
        less a prescribed acceleration.
    """

    G: Array
    error: Array
    bias_velocity: Array
    bias_acceleration: Array


class KinematicState(Protocol):
    """Poses and twists of the links, such as a :class:`~rbnotes.multibody.reduced.BodyKinematics`."""

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
    """Rows of a constraint on the twists of some bodies and on the velocities of particles and joints.

    Attributes
    ----------
    body_blocks
        Blocks ``(m, 6)`` of ``G_m`` by the index of the link.
    generalized_rows
        ``G_r (m, N)``, on the velocities of particles and joints.
    error
        Constraint error, as in :class:`ConstraintRows`.
    bias_velocity
        Bias velocity, as in :class:`ConstraintRows`.
    bias_acceleration
        Part of d^2g/dt^2 ``(m,)`` that is independent of the accelerations and of the rates of the twists.
    """

    body_blocks: Mapping[int, Array]
    generalized_rows: Array
    error: Array
    bias_velocity: Array
    bias_acceleration: Array

    def to_generalized(self, kinematics: BodyKinematics) -> ConstraintRows:
        """Return rows ``G_r + G_m J``, with ``G_m Jdot qdot`` in their bias (Sueda eq. (2.102))."""
        G, bias = self.generalized_rows.copy(), self.bias_acceleration
        for i, block in self.body_blocks.items():
            G[:, G.shape[1] - kinematics.J.shape[-1] :] += block @ kinematics.J[i]
            bias = bias + block @ kinematics.bias_acceleration[i]
        return ConstraintRows(G, self.error, self.bias_velocity, bias)


class Constraint(Protocol):
    """Equation ``g = 0`` or inequality ``g >= 0`` on a tree."""

    @property
    def unilateral(self) -> bool:
        """True for an inequality."""
        ...

    def rows(self, tree: Tree, state: State, t: float) -> ConstraintRows:
        """Return the rows at a state, with biases for the time t."""
        ...


class BodyConstraint(ABC):
    """Constraint on the motion of bodies, given by blocks for the bodies."""

    @abstractmethod
    def body_rows(self, tree: Tree, kinematics: KinematicState, state: State, t: float) -> BodyConstraintRows:
        """Return the rows on body twists and on the velocities of particles and joints, for the time t."""

    def rows(self, tree: Tree, state: State, t: float) -> ConstraintRows:
        """Return the rows at a state, with biases for the time t.

        Raises
        ------
        InvalidArgument
            If ``t`` is not a finite number.
        """
        check_rows_arguments(tree, state, t)
        kinematics = tree.body_kinematics(state)
        return self.body_rows(tree, kinematics, state, t).to_generalized(kinematics)


class PointKinematics(NamedTuple):
    """Kinematics of a point of a body or the world.

    Attributes
    ----------
    position
        Position ``(3,)`` in the world, m.
    jacobian
        Jacobian ``(3, N)`` from the velocities of the state to the velocity of the point.
    bias_acceleration
        Acceleration ``(3,)`` at constant velocities of the state, m/s^2.
    """

    position: Array
    jacobian: Array
    bias_acceleration: Array


def point_kinematics(
    tree: Tree, state: State, kinematics: BodyKinematics, link: str | None, x: Array
) -> PointKinematics:
    """Return the kinematics of a point ``x (3,)`` of a body or the world (Sueda eqs. (2.87), (2.93))."""
    position, blocks, bias_acceleration = body_point_kinematics(tree, kinematics, link, x)
    rows = BodyConstraintRows(
        blocks, np.zeros((3, state.size)), position, np.zeros(3), bias_acceleration
    ).to_generalized(kinematics)
    return PointKinematics(position, rows.G, rows.bias_acceleration)


class BodyPointKinematics(NamedTuple):
    """Kinematics of a point of a body or the world with respect to the body's twist.

    Attributes
    ----------
    position
        Position ``(3,)`` in the world, m.
    body_blocks
        Jacobian ``(3, 6)`` from the body's twist, by the index of the link; empty for a point of the world.
    bias_acceleration
        Acceleration ``(3,)`` at a constant twist, m/s^2.
    """

    position: Array
    body_blocks: dict[int, Array]
    bias_acceleration: Array


def body_point_kinematics(
    tree: Tree, kinematics: KinematicState, link: str | None, x: Array
) -> BodyPointKinematics:
    """Return the kinematics of a point as :func:`point_kinematics`, but with respect to body twists."""
    if link is None:
        return BodyPointKinematics(x, {}, np.zeros(3))
    i = tree.index(link)
    E, phi = kinematics.body_poses[i], kinematics.phi[i]
    point_jacobian = E[:3, :3] @ se3.Gamma(x)
    bias_acceleration = E[:3, :3] @ so3.hat(phi[:3]) @ se3.Gamma(x) @ phi
    return BodyPointKinematics(se3.transform_points(E, x), {i: point_jacobian}, bias_acceleration)


def check_rows_arguments(tree: Tree, state: State, t: float) -> None:
    """Check the arguments of a constraint's rows."""
    arguments.require_instance("tree", tree, Tree)
    arguments.require_instance("state", state, State)
    arguments.real_number("t", t)


def check_link_names(constraint: object, *names: str) -> None:
    """Check fields of a constraint that are names of links."""
    for name in names:
        arguments.text(name, getattr(constraint, name))
