"""Simulation runs in compiled code, with the results of the reference.

The reference takes an exceptional step, after which compiled code continues.
"""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from rbnotes.arguments import Array
from rbnotes.compiled.compilation import compiled_function
from rbnotes.compiled.record_layout import (
    BEFORE,
    CALLBACK_ADDRESS,
    CONTACT_SIZE,
    CONTACT_WORK,
    CONTACTS_FULL,
    ENERGY,
    FORCE_WORK,
    HAS_FORCES,
    IMPULSE,
    INTEGRATOR_WORK,
    JOINT_WORK,
    MATCH_RADIUS,
    MOTION_SIZE,
    NEEDS_REFERENCE,
    NUM_CONTACTS,
    NUM_LAST_CONTACTS,
    NUM_RECORDS,
    NUM_STEPS,
    NUM_STEPS_TAKEN,
    SEPARATION_WORK,
    SETTINGS_SIZE,
    SLOP,
    SUMMARY_SIZE,
    TIME,
    WORKSPACE_TOO_SMALL,
    H,
)
from rbnotes.contact import ContactPoints
from rbnotes.dynamics import State, States, zero_forces
from rbnotes.multibody.maximal.stepping import Integrator, StepContext, StepResult
from rbnotes.multibody.maximal.trajectory import MaximalTrajectory
from rbnotes.multibody.packing.contact_tables import contact_points, contact_records, contact_table
from rbnotes.multibody.packing.packed_model import PackedModel
from rbnotes.multibody.packing.python_callbacks import PythonCallbacks, state_from_array
from rbnotes.multibody.simulation_options import Progress
from rbnotes.multibody.step_failures import name_step_failures
from rbnotes.multibody.step_records import (
    ContactRecords,
    RestartData,
    Work,
    join_contact_records,
    single_contact_record,
)
from rbnotes.multibody.step_settings import StepSettings

CONTACTS_PER_BODY = 8
"""Initial size of the contact arrays, per body."""

MAX_STEPS_PER_CALL = 1024
"""Most steps without a chance for a user to interrupt."""

WORK_COLUMNS = [FORCE_WORK, JOINT_WORK, CONTACT_WORK, SEPARATION_WORK, INTEGRATOR_WORK]
"""Columns of a summary in the order of :class:`~rbnotes.multibody.step_records.Work`."""


def padded_contacts(contacts: Array, last_contacts: Array, num_bodies: int) -> tuple[Array, Array]:
    """Return the contacts of a run and its last ones with impulses in larger arrays, with place for more.

    `num_bodies` is zero if the bodies do not touch.
    """
    size = max(
        CONTACTS_PER_BODY * (num_bodies + 1) if num_bodies else 0, 2 * len(contacts), 2 * len(last_contacts)
    )
    padded = np.zeros((2, size, CONTACT_SIZE))
    padded[0, : len(contacts)], padded[1, : len(last_contacts)] = contacts, last_contacts
    return padded[0], padded[1]


def run_settings(
    settings: StepSettings, steps: int, t: float, num_contacts: int, num_last_contacts: int
) -> Array:
    """Return the settings of a run without callbacks, see :mod:`rbnotes.compiled.record_layout`."""
    result: Array = np.zeros(SETTINGS_SIZE)
    result[H], result[SLOP] = settings.h, settings.slop
    result[MATCH_RADIUS] = settings.friction.matching_distance
    result[NUM_STEPS], result[TIME] = steps, t
    result[NUM_CONTACTS], result[NUM_LAST_CONTACTS] = num_contacts, num_last_contacts
    return result


class CompiledRun:
    """Compiled simulation: its state and the results of the steps so far."""

    def __init__(
        self, packed: PackedModel, context: StepContext, state: State, points: ContactPoints, steps: int
    ) -> None:
        self.packed, self.context = packed, context
        self.count, rows = len(state.E), len(self.packed.row_order)
        self.times = [state.t]
        self.motions = np.empty((steps + 1, self.count, MOTION_SIZE))
        self.motions[0] = _motion_array(state)
        self.initial_energy = context.model.energy(state)
        self.summaries, self.impulses = np.empty((steps, SUMMARY_SIZE)), np.empty((steps, rows))
        self.num_done, self.records = 0, list[ContactRecords]()
        self.start_from(state, points)

    def start_from(self, state: State, points: ContactPoints) -> None:
        """Continue from a state with these contacts."""
        last_impulses = self.context.settings.friction.last_impulses
        self.motion, self.contacts = _motion_array(state), contact_table(points, count=self.count)
        self.last_contacts = (
            contact_table(*last_impulses, count=self.count)
            if last_impulses is not None
            else np.zeros((0, CONTACT_SIZE))
        )
        self.has_impulses = last_impulses is not None

    def advance(self, steps: int) -> tuple[int, int]:
        """Take steps; return the number of steps taken and the status."""
        max_bodies = self.count if len(self.packed.colliders.bodies) else 0
        contacts, last_contacts = padded_contacts(self.contacts, self.last_contacts, max_bodies)
        max_contacts = len(contacts)
        settings = run_settings(
            self.context.settings, steps, self.times[-1], len(self.contacts), len(self.last_contacts)
        )
        settings[HAS_FORCES] = self.context.model.applied_forces is not zero_forces
        callbacks = PythonCallbacks(self.context, self.count)
        settings[CALLBACK_ADDRESS] = callbacks.address
        first = self.num_done
        summaries = self.summaries[first : first + steps]
        records = np.empty((3 * max_contacts * min(steps, 32), CONTACT_SIZE))
        workspace = np.zeros(self.packed.workspace_size(max_contacts))
        arrays = (
            settings,
            self.motion,
            contacts,
            last_contacts,
            self.motions[first + 1 : first + 1 + steps],
            summaries,
            self.impulses[first : first + steps],
            records,
            callbacks.buffer,
            workspace,
        )
        status = compiled_function("take_steps")(*self.packed[:2], *(each.reshape(-1) for each in arrays))
        if status == WORKSPACE_TOO_SMALL:
            raise AssertionError("the workspace of a packed model is too small")
        if callbacks.error is not None:
            t = self.times[-1] + settings[NUM_STEPS_TAKEN] * self.context.settings.h
            points = contact_points(contacts[: int(settings[NUM_CONTACTS])], self.count)
            with name_step_failures(t, points, self.context.model.body_names):
                raise callbacks.error
        num_steps_taken, num_records = int(settings[NUM_STEPS_TAKEN]), int(settings[NUM_RECORDS])
        if num_steps_taken:
            self.contacts, self.last_contacts = (
                contacts[: int(settings[NUM_CONTACTS])].copy(),
                last_contacts[: int(settings[NUM_LAST_CONTACTS])].copy(),
            )
            self._append_records(summaries[:num_steps_taken], records[:num_records])
        return num_steps_taken, status

    def _append_records(self, summaries: Array, records: Array) -> None:
        """Append the times and the contacts of steps."""
        h = self.context.settings.h
        self.times += accumulate([h] * len(summaries), initial=self.times.pop())
        self.num_done += len(summaries)
        self.records.append(contact_records(records, summaries, self.count))
        self.has_impulses |= bool(len(records))

    def take_reference_step(self, integrator: Integrator) -> None:
        """Take one step by the reference."""
        self.context.settings.friction.last_impulses = self.last_impulses
        with name_step_failures(self.times[-1], self.points, self.context.model.body_names):
            joints = self.context.start_joints(self.state.E)
            result = integrator.step(self.context, self.state, self.points, joints)
        self._append_step(result)
        self.start_from(result.state, result.points)

    def _append_step(self, result: StepResult) -> None:
        """Append the results of a step of the reference."""
        step = self.num_done
        self.motions[step + 1] = _motion_array(result.state)
        self.summaries[step, ENERGY] = self.context.model.energy(result.state)
        self.summaries[step, WORK_COLUMNS] = result.work
        self.impulses[step] = result.multipliers[self.packed.row_order]
        self.times.append(result.state.t)
        self.num_done += 1
        self.records.append(single_contact_record(result.contacts))

    @property
    def state(self) -> State:
        """State after the last step."""
        return state_from_array(self.motion, self.times[-1])

    @property
    def points(self) -> ContactPoints:
        """Contacts at the state."""
        return contact_points(self.contacts, self.count)

    @property
    def last_impulses(self) -> tuple[ContactPoints, Array] | None:
        """Contacts and impulses of the last velocity update with contacts."""
        if not self.has_impulses:
            return None
        return contact_points(self.last_contacts, self.count), self.last_contacts[:, IMPULSE:BEFORE]

    def trajectory(self) -> MaximalTrajectory:
        """Return the trajectory of the run."""
        count = len(self.motions)
        E, phi = self.motions[..., :16].reshape(count, self.count, 4, 4), self.motions[..., 16:]
        particles, coordinates = np.zeros((count, 0, 3)), np.zeros((count, 0))
        states = States(E, phi, particles, particles, coordinates, coordinates, np.array(self.times))
        joint_impulses = np.empty_like(self.impulses)
        joint_impulses[:, self.packed.row_order] = self.impulses
        return MaximalTrajectory(
            states,
            np.concatenate([[self.initial_energy], self.summaries[:, ENERGY]]),
            coordinates,
            coordinates,
            joint_impulses,
            coordinates[1:],
            coordinates[1:],
            join_contact_records(self.records),
            Work(*self.summaries[:, WORK_COLUMNS].T),
            RestartData(self.points, self.last_impulses),
            compiled=True,
        )


def take_compiled_steps(
    packed: PackedModel,
    context: StepContext,
    integrator: Integrator,
    state: State,
    points: ContactPoints,
    steps: int,
    progress: Progress | None,
) -> MaximalTrajectory:
    """Take steps from a state with these contacts and the last impulses of the friction model.

    Parameters
    ----------
    packed, context
        Results of :func:`~rbnotes.multibody.packing.compiled_steps.compile_context`.
    """
    simulation, num_done = CompiledRun(packed, context, state, points, steps), 0
    while num_done < steps:
        num_steps_taken, status = simulation.advance(
            1 if progress is not None else min(steps - num_done, MAX_STEPS_PER_CALL)
        )
        num_done += num_steps_taken
        if status == NEEDS_REFERENCE or (status == CONTACTS_FULL and not num_steps_taken):
            simulation.take_reference_step(integrator)
            num_done += 1
            num_steps_taken = 1
        if progress is not None and num_steps_taken:
            progress(num_done, steps)
    return simulation.trajectory()


def _motion_array(state: State) -> Array:
    """Return poses and twists ``(n, 22)``."""
    return np.concatenate([state.E.reshape(-1, 16), state.phi], axis=1)
