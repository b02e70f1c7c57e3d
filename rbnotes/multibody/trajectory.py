"""Result of a simulation of a model: motion, energies, contacts and events, by the names of bodies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.contact import Collider
from rbnotes.dynamics import State, States
from rbnotes.multibody.channels import (
    DIRECTIONS,
    Channel,
    check_channel_names,
    coordinate_units,
    join_units,
    particle_name,
    plot_channels,
)
from rbnotes.multibody.coordinate_conversion import TreeCoordinates, tree_coordinates
from rbnotes.multibody.model import Model
from rbnotes.multibody.step_records import (
    ContactEvent,
    ContactRecord,
    ContactRecords,
    RestartData,
    Work,
    contact_events,
)
from rbnotes.unchecked.linear_algebra import matvec

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from rbnotes.viewer import Scene

DEFAULT_VIEW = (-1.0, 0.4)
"""Default direction from a scene to the camera: azimuth and elevation, rad."""


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Motion of a model in T steps.

    A terminal event ends the motion at its time, which is then the last one.

    Attributes
    ----------
    model
        Model of the scene.
    body_states
        Poses ``E (T + 1, n, 4, 4)`` and twists ``phi (T + 1, n, 6)`` of all bodies, in the order of the
        model, and the particles ``x``, ``v (T + 1, p, 3)``.
    energies
        Kinetic energy and the potential of gravity ``(T + 1,)``, J.
    contacts
        Contacts of each step ``(T,)``; their bodies are numbered as in the model.
    work
        Work by cause in each step ``(T,)``, J: ``energies[1:]`` is ``energies[0] + cumsum(work.total)``.
        ``applied_forces`` is that of forces, joint springs, dampers, actuators and friction in joints;
        ``joints`` that of constraints.
    actuator_impulses
        Impulses of the actuators along the coordinates of the tree in each step ``(T, k)``, N m s or N s.
    friction_impulses
        Impulses of dry friction in joints and bearings in each step ``(T, k)``, N m s or N s.
    restart
        Data that :func:`~rbnotes.multibody.simulate` needs to continue, in addition to the state.
    coordinates
        Coordinates and velocities of the model's tree; None where they follow from ``body_states``.
    joint_impulses
        Impulses along the rows of the joints in each step ``(T, m)``, N m s and N s, in the order of
        ``maximal_coordinates(model).maximal_model.joints``, for the model of ``with_particles_as_bodies`` if
        there are particles; None in reduced coordinates.
    with_particles_as_bodies
        Trajectory of the same motion in which the particles are the last bodies, from which a run continues;
        None without particles.
    recorded
        Channels that ``record`` of :func:`~rbnotes.multibody.simulate` names.
    compiled
        True if compiled code took the steps.
    events
        For each of the ``events`` of :func:`~rbnotes.multibody.simulate`, the states in which it happened at
        the times ``events[i].t``, s.
    terminating_event
        Index of the terminal event that ended the motion; None if it continued for all steps.
    """

    model: Model
    body_states: States
    energies: Array
    contacts: ContactRecords
    work: Work[Array]
    actuator_impulses: Array
    friction_impulses: Array
    restart: RestartData
    coordinates: TreeCoordinates | None = None
    joint_impulses: Array | None = None
    with_particles_as_bodies: Trajectory | None = None
    recorded: Mapping[str, Channel] = field(default_factory=dict)
    compiled: bool = False
    events: tuple[States, ...] = ()
    terminating_event: int | None = None

    def __repr__(self) -> str:
        end = "" if self.terminating_event is None else f" (events[{self.terminating_event}])"
        times = f"{self.t[0]:g} s to {self.t[-1]:g} s{end}"
        return f"<Trajectory: {len(self.t)} states, {times}, of {self.model!r}>"

    @cached_property
    def contact_events(self) -> tuple[ContactEvent, ...]:
        """Contact events in the order of time."""
        return contact_events(self.contacts, self.t[1:].tolist())

    @property
    def t(self) -> Array:
        """Times ``(T + 1,)``, s."""
        return self.body_states.t

    @cached_property
    def _tree_coordinates(self) -> TreeCoordinates:
        """Coordinates and velocities of the tree, computed when they are first read."""
        if self.coordinates is not None:
            return self.coordinates
        return tree_coordinates(self.model, self.body_states.E, self.body_states.phi)

    @property
    def tree_q(self) -> Array:
        """Coordinates ``(T + 1, k)`` of the model's tree, rad and m."""
        return self._tree_coordinates.q

    @property
    def tree_qdot(self) -> Array:
        """Velocities ``(T + 1, k)`` of the model's tree, rad/s and m/s."""
        return self._tree_coordinates.qdot

    @cached_property
    def states(self) -> States:
        """States of the model at the T + 1 times."""
        bodies, free, joints = self.body_states, list(self.model.free_body_indices), self.model.joint_indices
        q: Array = np.zeros((len(self.t), 0))
        qdot = q
        if len(joints):  # free bodies alone need no coordinates
            q, qdot = self.tree_q[:, joints], self.tree_qdot[:, joints]
        return States(bodies.E[:, free], bodies.phi[:, free], bodies.x, bodies.v, q, qdot, bodies.t)

    def poses(self, name: str) -> Array:
        """Return the poses ``(T + 1, 4, 4)`` of a body in the world, m.

        Raises
        ------
        InvalidArgument
            If there is no body of this name.
        """
        result: Array = self.body_states.E[:, self.model.index(name)]
        return result

    def twists(self, name: str) -> Array:
        """Return the twists ``(T + 1, 6)`` of a body in its own frame, rad/s and m/s.

        Raises
        ------
        InvalidArgument
            If there is no body of this name.
        """
        result: Array = self.body_states.phi[:, self.model.index(name)]
        return result

    def q(self, name: str) -> Array:
        """Return the coordinates ``(T + 1, k)`` of the joint that carries a body, rad or m.

        Raises
        ------
        InvalidArgument
            If there is no body of this name, or no joint carries it.
        """
        return self._joint_columns(self.tree_q, name)

    def qdot(self, name: str) -> Array:
        """Return the velocities ``(T + 1, k)`` of the joint that carries a body, rad/s or m/s.

        Raises
        ------
        InvalidArgument
            If there is no body of this name, or no joint carries it.
        """
        return self._joint_columns(self.tree_qdot, name)

    def channel(self, name: str) -> Channel:
        """Return a quantity over time by its name, in which "body" stands for the name of a body.

        =========================  ==================================================================
        name                       values
        =========================  ==================================================================
        ``energy``                 kinetic energy and the potential of gravity, J
        ``contacts``               number of contacts that push, at the start or the end of each step
        ``body``                   position of the origin of the body frame in the world, m
        ``body.velocity``          velocity of that origin in the world, m/s
        ``body.angular_velocity``  angular velocity in world axes, rad/s
        ``body.contact_force``     sum of the contact forces on the body in world axes, N
        ``body.contact_torque``    their moment about the origin of the body frame in world axes, N m
        ``body.q``                 coordinates of the joint that carries the body, rad or m
        ``body.qdot``              velocities of that joint, rad/s or m/s
        ``body.torque``            torques of the actuator of that joint, N m
        ``body.force``             the same for a sliding joint, N
        ``body.friction``          dry friction of that joint and its bearing, N m or N
        ``particle[0]``            position of the first particle in the world, m
        ``particle[0].velocity``   velocity of that particle in the world, m/s
        =========================  ==================================================================

        Forces are means over the steps; their times are the ends of the steps.

        Raises
        ------
        InvalidArgument
            If the model has no such quantity.
        """
        return trajectory_channel(self, check_channel_names("name", [name], self.model)[0])

    def plot(self, *names: str) -> tuple[Figure, Array]:
        """Return a figure with one panel for each channel, and its axes ``(n,)``.

        It needs matplotlib.

        Parameters
        ----------
        *names
            Names of channels, as for :meth:`channel`; those that were recorded by default.

        Raises
        ------
        InvalidArgument
            If the model has no such channel, or there is none.
        """
        names = check_channel_names("names", names or tuple(self.recorded), self.model)
        if not names:
            raise InvalidArgument("names", "none", "names of channels, or recorded ones")
        return plot_channels([trajectory_channel(self, name) for name in names])

    def scene(
        self,
        description: str = "The motion of the bodies.",
        *,
        colors: Sequence[str] | None = None,
        view: tuple[float, float] = DEFAULT_VIEW,
        poster: float | None = None,
        labels: Iterable[str] = (),
    ) -> Scene:
        """Return an animated 3-D scene of the motion, to which more can be added.

        Bodies appear as their collision geometry, or else their shape, or else axes. Particles are small
        balls, of a size that the scene chooses.

        Parameters
        ----------
        description
            Content of the scene in a sentence, for readers who cannot see it.
        colors
            Names of the colors of the bodies, used in turn. The ground is gray, particles are red.
        view
            Direction to the camera: azimuth about z from x, and elevation, rad.
        poster
            Time that the scene shows before it plays, s; the first one by default.
        labels
            Names of the bodies and particles whose names stand beside them, such as ``"particle[0]"``.

        Raises
        ------
        InvalidArgument
            If a color or a label is unknown, the shape of ``view`` does not fit, or ``poster`` is not a time
            of the motion.
        """
        from rbnotes.multibody.visualization import COLORS, scene

        colliders = list(self.model.colliders)
        for index, body in enumerate(self.model.bodies):
            if body.shape is not None and not body.geometries:
                colliders.append(Collider(index, body.shape))
        chosen = COLORS if colors is None else colors
        particle_names = map(particle_name, range(len(self.model.particles)))
        names = (*(body.name for body in self.model.bodies), *particle_names)
        checked_labels = arguments.instances("labels", labels, str)
        labeled = {names.index(arguments.choice("labels", each, names)): each for each in checked_labels}
        return scene(self.body_states, colliders, description, chosen, view, poster, labeled)

    def energy_figure(self, stored_energy: Callable[[State], float] | None = None) -> tuple[Figure, Axes]:
        """Return a figure of the energies and the work by cause over time, and its axes.

        It needs matplotlib, which the extra ``book`` installs.

        Parameters
        ----------
        stored_energy
            Function from the state of all bodies to the energy of springs and muscles, J: ``energy`` of the
            model's :class:`~rbnotes.forces.ForceGroups`. Without it their work is one curve with that of
            dampers.

        Raises
        ------
        InvalidArgument
            If ``stored_energy`` is not a function.
        """
        from rbnotes.multibody.visualization import energy_figure

        return energy_figure(self.body_states, self.energies, self.work._asdict(), stored_energy)

    def _joint_columns(self, values: Array, name: str) -> Array:
        index = self.model.index(arguments.text("name", name))
        if self.model.bodies[index].is_free:
            raise InvalidArgument("name", f"{name!r}, a free body", "a body on a joint")
        return values[:, self.model.tree.coordinate_slices[index]]


def record_channels(motion: Trajectory, names: Iterable[str]) -> Trajectory:
    """Return the trajectory with these channels in its field ``recorded``; the names are valid."""
    recorded = {name: trajectory_channel(motion, name) for name in names}
    return replace(motion, recorded=recorded) if recorded else motion


def trajectory_channel(motion: Trajectory, name: str) -> Channel:
    """Return a channel of a trajectory by a valid name."""
    if motion.with_particles_as_bodies is not None:
        return trajectory_channel(motion.with_particles_as_bodies, name)
    model, step_ends = motion.model, motion.t[1:]
    h = np.diff(motion.t)
    if name == "energy":
        return Channel(name, motion.t, motion.energies, "J")
    if name == "contacts":
        counts = [_num_pushing_contacts(record) for record in motion.contacts]
        return Channel(name, step_ends, np.array(counts, dtype=float), "")
    if any(name == body.name for body in model.bodies):
        return Channel(name, motion.t, motion.poses(name)[:, :3, 3], "m", DIRECTIONS)
    body_name, _, quantity = name.rpartition(".")
    index = model.index(body_name)
    body, rotations = model.bodies[index], motion.poses(body_name)[:, :3, :3]
    if quantity == "velocity":
        values = matvec(rotations, motion.twists(body_name)[:, 3:])
        return Channel(name, motion.t, values, "m/s", DIRECTIONS)
    if quantity == "angular_velocity":
        values = matvec(rotations, motion.twists(body_name)[:, :3])
        return Channel(name, motion.t, values, "rad/s", DIRECTIONS)
    if quantity == "contact_force":
        impulses = np.array([_contact_impulse(record, index) for record in motion.contacts])
        return Channel(name, step_ends, impulses / h[:, None], "N", DIRECTIONS)
    if quantity == "contact_torque":
        origins = motion.poses(body_name)[:, :3, 3]
        impulses = np.array(
            [
                _contact_angular_impulse(record, index, start, end)
                for record, start, end in zip(motion.contacts, origins[:-1], origins[1:], strict=True)
            ]
        )
        return Channel(name, step_ends, impulses / h[:, None], "N m", DIRECTIONS)
    units = coordinate_units(body)
    labels = tuple(f"{quantity}[{i}]" for i in range(len(units))) if len(units) > 1 else ()
    own = model.tree.coordinate_slices[index]
    if quantity == "q":
        return Channel(name, motion.t, motion.tree_q[:, own], join_units(units), labels)
    if quantity == "qdot":
        rates = [f"{unit}/s" for unit in units]
        return Channel(name, motion.t, motion.tree_qdot[:, own], join_units(rates), labels)
    impulses = motion.friction_impulses if quantity == "friction" else motion.actuator_impulses
    force_units = ["N m" if unit == "rad" else "N" for unit in units]
    return Channel(name, step_ends, impulses[:, own] / h[:, None], join_units(force_units), labels)


def _contact_impulse(record: ContactRecord, index: int) -> Array:
    """Return the sum of the contact impulses on a body ``(3,)``."""
    impulses, points = record.world_impulses, record.points
    result: Array = np.sum(impulses[points.a == index], axis=0) - np.sum(impulses[points.b == index], axis=0)
    return result


def _contact_angular_impulse(record: ContactRecord, index: int, start: Array, end: Array) -> Array:
    """Return the moment of the contact impulses on a body about a point, at its positions in the step.

    Positions within a halved step are interpolated.
    """
    points = record.points
    origins = start + record.step_fractions[:, None] * (end - start)
    moments = np.cross(points.position - origins, record.world_impulses)
    result: Array = np.sum(moments[points.a == index], axis=0) - np.sum(moments[points.b == index], axis=0)
    return result


def _num_pushing_contacts(record: ContactRecord) -> int:
    """Return the largest number of contacts that push at the same time of a step."""
    is_pushing = record.impulses[:, 0] > 0
    points, fractions = record.points[is_pushing], record.step_fractions[is_pushing]
    # Both halves of a halved step have the contacts between them.
    contacts = np.unique(np.column_stack([fractions, points.a, points.b, points.position]), axis=0)
    return int(np.max(np.unique(contacts[:, 0], return_counts=True)[1], initial=0))
