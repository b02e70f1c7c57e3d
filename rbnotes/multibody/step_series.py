"""Results of consecutive steps in joint coordinates as arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from rbnotes.arguments import Array
from rbnotes.contact import ContactPoints
from rbnotes.dynamics import State, States
from rbnotes.dynamics.state import EMPTY_STATE
from rbnotes.multibody.events import EventOccurrence
from rbnotes.multibody.maximal.stepping import StepResult
from rbnotes.multibody.model import Model
from rbnotes.multibody.reduced.dynamics import (
    gravity_energy_from_poses,
    kinetic_energy_from_twists,
    rotor_energy_from_rates,
)
from rbnotes.multibody.reduced.kinematics import body_poses_and_twists
from rbnotes.multibody.step_records import ContactRecords, Work, single_contact_record
from rbnotes.unchecked.frozen import replace_unchecked


class StepSeries(NamedTuple):
    """States of a tree with k coordinates at T + 1 times, and the results of the T steps between them.

    Steps write the arrays.

    Attributes
    ----------
    q
        Coordinates ``(T + 1, k)``.
    qdot
        Velocities ``(T + 1, k)``.
    t
        Times ``(T + 1,)``, s.
    E
        Poses of the bodies ``(T + 1, n, 4, 4)``, m.
    phi
        Twists of the bodies ``(T + 1, n, 6)``, rad/s and m/s.
    energies
        Kinetic energy and the potential of gravity ``(T + 1,)``, J.
    work
        Work by cause in each step ``(5, T)``, J, in the order of
        :class:`~rbnotes.multibody.step_records.Work`.
    actuator_impulses
        Impulses of the actuators ``(T, k)``, N m s or N s.
    friction_impulses
        Impulses of dry friction in joints ``(T, k)``, N m s or N s.
    contacts
        Contacts of the steps so far.
    events
        Events in the steps so far, in the order of time.
    """

    q: Array
    qdot: Array
    t: Array
    E: Array
    phi: Array
    energies: Array
    work: Array
    actuator_impulses: Array
    friction_impulses: Array
    contacts: list[ContactRecords]
    events: list[EventOccurrence]

    @classmethod
    def start(cls, model: Model, state: State, steps: int) -> StepSeries:
        """Return the series of a number of steps, of which only the first state is written."""
        k, n, times = model.tree.num_coordinates, len(model.bodies), steps + 1
        series = cls(
            np.empty((times, k)),
            np.empty((times, k)),
            np.empty(times),
            np.empty((times, n, 4, 4)),
            np.empty((times, n, 6)),
            np.empty(times),
            np.empty((len(Work._fields), steps)),
            np.empty((steps, k)),
            np.zeros((steps, k)),
            [],
            [],
        )
        series._write_state(model, 0, state)
        return series

    def first_steps(self, count: int) -> StepSeries:
        """Return the series without the steps after a number of them, which are not written."""
        if count == self.num_steps:
            return self
        states = {
            name: getattr(self, name)[: count + 1] for name in ("q", "qdot", "t", "E", "phi", "energies")
        }
        impulses = {name: getattr(self, name)[:count] for name in ("actuator_impulses", "friction_impulses")}
        return self._replace(**states, **impulses, work=self.work[:, :count])

    @property
    def num_steps(self) -> int:
        """Number of steps."""
        return len(self.t) - 1

    @property
    def work_by_cause(self) -> Work[Array]:
        """Work by cause in each step ``(T,)``, J."""
        return Work(*self.work)

    def state(self, i: int) -> State:
        """Return the state of the tree after i steps."""
        return replace_unchecked(EMPTY_STATE, q=self.q[i], qdot=self.qdot[i], t=float(self.t[i]))

    def write_result(self, model: Model, i: int, result: StepResult) -> None:
        """Write the result of step i, counted from one."""
        self._write_state(model, i, result.state)
        self.work[:, i - 1] = result.work
        self.actuator_impulses[i - 1] = result.actuator_impulse
        self.friction_impulses[i - 1] = result.friction_impulse
        self.contacts.append(single_contact_record(result.contacts))

    def _write_state(self, model: Model, i: int, state: State) -> None:
        """Write the state after i steps."""
        self.q[i], self.qdot[i], self.t[i] = state.q, state.qdot, state.t
        self.E[i], self.phi[i] = body_poses_and_twists(model.tree, state.q, state.qdot)
        self.energies[i] = gravity_and_kinetic_energy(model, self.E[i], self.phi[i], state.qdot)


def take_steps(
    model: Model,
    step: Callable[[State, ContactPoints], StepResult],
    series: StepSeries,
    points: ContactPoints,
) -> Iterator[tuple[int, ContactPoints]]:
    """Write the results of steps, each from the state and the contacts at the end of the last one.

    Yields how many steps are done, and the contacts at the end of the last one.
    """
    state = series.state(0)
    for i in range(1, series.num_steps + 1):
        result = step(state, points)
        state, points = result.state, result.points
        series.write_result(model, i, result)
        yield i, points


def gravity_and_kinetic_energy(model: Model, poses: Array, phi: Array, qdot: Array) -> Array:
    """Return the kinetic energy and the potential of gravity ``(...)`` of poses, twists and velocities, J.

    `qdot` are the velocities of the tree ``(..., k)``, for the rotors of its joints.
    """
    kinetic = kinetic_energy_from_twists(model.tree, phi)
    rotors = rotor_energy_from_rates(model.tree.armature, qdot)
    result: Array = kinetic + rotors + gravity_energy_from_poses(model.tree, poses)
    return result


def gravity_and_kinetic_energies(model: Model, states: Sequence[State]) -> Array:
    """Return the kinetic energy and the potential of gravity at states of the tree ``(n,)``, J."""
    stacked = States.stack(states)
    bodies = body_poses_and_twists(model.tree, stacked.q, stacked.qdot)
    return gravity_and_kinetic_energy(model, *bodies, stacked.qdot)
