"""Simulation runs in joint coordinates in compiled code, with the results of the reference.

The step of :mod:`rbnotes.multibody.verlet_step` is compiled for joints that turn about or move along axes,
ball joints, floating bases and free bodies, with springs, dampers, actuators, joint limits and contacts with
the default friction model. The reference takes exceptional steps: impacts of elastic bodies, reached limits,
bodies that cannot be separated, rotation vectors that grow too long, and servos or contacts that the compiled
methods do not solve. Its results are those of the reference to rounding, and after the separation of
overlapping bodies to the tolerance of that problem.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from rbnotes.arguments import Array
from rbnotes.compiled.compilation import compiled_function
from rbnotes.compiled.record_layout import (
    BEFORE,
    CALLBACK_ADDRESS,
    CONTACT_SIZE,
    CONTACTS_FULL,
    ENERGY,
    IMPULSE,
    NEEDS_REFERENCE,
    NUM_CONTACTS,
    NUM_LAST_CONTACTS,
    NUM_RECORDS,
    NUM_STEPS_TAKEN,
    SUMMARY_SIZE,
    WORKSPACE_TOO_SMALL,
)
from rbnotes.contact import ContactPoints
from rbnotes.contact.prediction import contact_margin
from rbnotes.dynamics import State
from rbnotes.dynamics.state import EMPTY_STATE
from rbnotes.multibody.applied_forces import SampledCommands, actuator_commands
from rbnotes.multibody.packing.compiled_steps import compile_settings
from rbnotes.multibody.packing.contact_tables import contact_points, contact_records, contact_table
from rbnotes.multibody.packing.packed_tree_model import PackedTreeModel, pack_tree_model
from rbnotes.multibody.packing.python_callbacks import CALLBACK_TYPE
from rbnotes.multibody.packing.simulation_runs import (
    MAX_STEPS_PER_CALL,
    WORK_COLUMNS,
    padded_contacts,
    run_settings,
)
from rbnotes.multibody.reduced.kinematics import body_poses_and_twists
from rbnotes.multibody.step_series import StepSeries
from rbnotes.multibody.step_settings import StepSettings
from rbnotes.multibody.verlet_step import TreeStepper
from rbnotes.unchecked.frozen import replace_unchecked


def compile_stepper(stepper: TreeStepper) -> CompiledTreeStepper:
    """Compile the steps of a stepper.

    Raises
    ------
    InvalidArgument
        If compiled steps do not support the model or an option.
    MissingExtra
        If numba is not installed.
    """
    packed = pack_tree_model(stepper.model)
    settings = compile_settings(stepper.settings)
    compiled_function("take_tree_steps")
    return CompiledTreeStepper(replace(stepper, settings=settings), packed)


@dataclass(frozen=True, eq=False)
class CompiledTreeStepper:
    """Compiled steps of a model in the coordinates of its tree.

    Attributes
    ----------
    reference
        Stepper that takes exceptional steps.
    packed
        Model as arrays.
    """

    reference: TreeStepper
    packed: PackedTreeModel

    @property
    def settings(self) -> StepSettings:
        """Step size, friction and impacts."""
        return self.reference.settings

    def predict_contacts(self, state: State) -> ContactPoints:
        """Return the contacts that could close within the next step, from the velocities of the bodies."""
        model = self.reference.model
        if not model.colliders:
            return contact_points(np.zeros((0, CONTACT_SIZE)), len(model.bodies))
        E, phi = body_poses_and_twists(model.tree, state.q, state.qdot)
        margin = contact_margin(model.colliders, phi, self.settings.h, model.tree.gravity)
        return self.packed.colliders.detect_contacts(E, margin)

    def steps(self, series: StepSeries, points: ContactPoints) -> Iterator[tuple[int, ContactPoints]]:
        """Write the steps of a series from its first state with these contacts.

        Yields how many steps are done, and the contacts at the end of the last one.

        Raises
        ------
        NotSolved
            If contacts and constraints contradict each other.
        SingularConfiguration
            If a joint is in a singular state.
        """
        num_done, count = 0, series.num_steps
        while num_done < count:
            batch = _Batch(self, series, points, num_done, min(count - num_done, MAX_STEPS_PER_CALL))
            num_taken = batch.run()
            if num_taken:
                num_done, points = num_done + num_taken, batch.points
                yield num_done, points
            if batch.error is not None:
                raise batch.error
            if batch.status == NEEDS_REFERENCE or (batch.status == CONTACTS_FULL and not num_taken):
                result = self.reference.step(series.state(num_done), points)
                num_done, points = num_done + 1, result.points
                series.write_result(self.reference.model, num_done, result)
                yield num_done, points


class _Batch:
    """Steps of one call of compiled code, with its arrays.

    `status` is that of the last step, and `error` an exception of the control, or None.
    """

    def __init__(
        self, stepper: CompiledTreeStepper, series: StepSeries, points: ContactPoints, first: int, steps: int
    ) -> None:
        self._stepper, self._model = stepper, stepper.reference.model
        self._series, self._first, self._steps = series, first, steps
        self._bodies, self._k = len(self._model.bodies), series.q.shape[1]
        friction, packed = stepper.settings.friction, stepper.packed
        start_contacts = contact_table(points, count=self._bodies)
        last_contacts: Array = np.zeros((0, CONTACT_SIZE))
        if friction.last_impulses is not None:
            last_contacts = contact_table(*friction.last_impulses, count=self._bodies)
        self._contacts, self._last_contacts = padded_contacts(
            start_contacts, last_contacts, self._bodies if len(packed.colliders.bodies) else 0
        )
        max_contacts = len(self._contacts)
        self._settings = run_settings(
            stepper.settings, steps, float(series.t[first]), len(start_contacts), len(last_contacts)
        )
        self._buffer = np.zeros(3 * self._k + 1)
        self._callback = CALLBACK_TYPE(self._write_commands)
        self._samples: Array = np.zeros((steps + 1, self._k))
        control = stepper.reference.control
        if control is None:
            self._samples[:] = self._model.actuator_gains.default_command
        elif isinstance(control, SampledCommands):
            own = control.samples[first : first + steps + 1]
            self._samples[:, self._model.joint_indices] = own
        else:
            self._settings[CALLBACK_ADDRESS] = ctypes.cast(self._callback, ctypes.c_void_p).value or 0
        self._summaries = np.empty((steps, SUMMARY_SIZE))
        self._records = np.empty((2 * max_contacts * min(steps, 32), CONTACT_SIZE))
        self.status = 0
        self.error: BaseException | None = None

    def run(self) -> int:
        """Take the steps; return the number of steps taken."""
        packed, series = self._stepper.packed, self._series
        states, own = (
            slice(self._first, self._first + self._steps + 1),
            slice(self._first, self._first + self._steps),
        )
        arrays = (
            self._settings,
            self._contacts,
            self._last_contacts,
            self._samples,
            *(each[states] for each in (series.q, series.qdot, series.E, series.phi)),
            self._summaries,
            series.actuator_impulses[own],
            self._records,
            self._buffer,
            np.zeros(packed.workspace_size(len(self._contacts))),
        )
        self.status = compiled_function("take_tree_steps")(
            *packed[:3], *(each.reshape(-1) for each in arrays)
        )
        if self.status == WORKSPACE_TOO_SMALL:
            raise AssertionError("the workspace of a packed model is too small")
        num_taken, num_records = int(self._settings[NUM_STEPS_TAKEN]), int(self._settings[NUM_RECORDS])
        if num_taken:
            self._store_last_impulses(has_contacts=num_records > 0)
            self._write_results(num_taken, self._records[:num_records])
        return num_taken

    @property
    def points(self) -> ContactPoints:
        """Contacts at the end of the last step."""
        return contact_points(self._contacts[: int(self._settings[NUM_CONTACTS])], self._bodies)

    def _store_last_impulses(self, *, has_contacts: bool) -> None:
        """Store the last contacts with impulses for the next solution of the friction model."""
        friction = self._stepper.settings.friction
        if has_contacts or friction.last_impulses is not None:
            last = self._last_contacts[: int(self._settings[NUM_LAST_CONTACTS])]
            friction.last_impulses = contact_points(last, self._bodies), last[:, IMPULSE:BEFORE]

    def _write_results(self, num_taken: int, records: Array) -> None:
        """Write the results of the steps that compiled code did not write."""
        series, first, last = self._series, self._first, self._first + num_taken
        summaries = self._summaries[:num_taken]
        series.t[first + 1 : last + 1] = np.cumsum(
            [series.t[first], *num_taken * [self._stepper.settings.h]]
        )[1:]
        series.energies[first + 1 : last + 1] = summaries[:, ENERGY] + self._stepper.packed.fixed_energy
        series.work[:, first:last] = summaries[:, WORK_COLUMNS].T
        series.contacts.append(contact_records(records, summaries, self._bodies))

    def _write_commands(self, request: int) -> int:
        """Write the commands at the state in the buffer; return zero on success."""
        try:
            k = self._k
            state = replace_unchecked(
                EMPTY_STATE,
                q=self._buffer[:k].copy(),
                qdot=self._buffer[k : 2 * k].copy(),
                t=self._buffer[-1],
            )
            self._buffer[2 * k : 3 * k] = actuator_commands(
                self._model, self._stepper.reference.control, state
            )
        except BaseException as error:  # compiled code cannot raise it: it stops, then the caller raises
            self.error = error
            return 1
        return 0
