"""Motion of a model without contacts, constraints and dry friction by an adaptive method of SciPy.

The method integrates ``M(q) dqdot/dt = f(q, qdot, t)`` in steps of its own, whose dense output gives the
recorded states: recording does not shorten these steps. The work of springs, dampers, actuators and other
forces is the integral of their power. In each step of the method the power is that of the polynomial through
its values at eight Gauss-Legendre points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.polynomial import legendre

from rbnotes.arguments import Array, InvalidArgument
from rbnotes.contact import ContactPoints
from rbnotes.contact.detection import contact_points_unchecked
from rbnotes.dynamics import State
from rbnotes.multibody.applied_forces import Control, actuated_tree, applied_power, tree_actuator_forces
from rbnotes.multibody.events import Event, EventDetector, EventOccurrence
from rbnotes.multibody.maximal.stepping import StepResult
from rbnotes.multibody.model import Model
from rbnotes.multibody.reduced.adaptive_integration import AdaptiveStep, adaptive_steps
from rbnotes.multibody.reduced.tree import Tree
from rbnotes.multibody.step_failures import describe_contacts
from rbnotes.multibody.step_records import ContactRecord, Work
from rbnotes.multibody.step_series import StepSeries, gravity_and_kinetic_energies
from rbnotes.multibody.step_settings import StepSettings

NODES, _ = legendre.leggauss(8)
"""Times within a step of the method, from -1 to 1, at which the power is evaluated."""
MIN_LAST_STEP = 1e-9
"""Shortest last step of a motion that an event ends, as a part of h; a shorter one joins the step before."""


@dataclass(frozen=True, eq=False)
class AdaptiveStepper:
    """Motion of a smooth model in the coordinates of its tree, recorded at equal steps of time.

    Attributes
    ----------
    model
        Model of the scene.
    settings
        Time between recorded states, and the overlap that is not a contact.
    method
        Name of the method in :mod:`scipy.integrate`.
    rtol
        Accepted relative error of a step of the method.
    atol
        Accepted absolute error of a step of the method, in the units of the coordinates and velocities.
    control
        Function to the commands at a state.
    events
        Events to find.
    """

    model: Model
    settings: StepSettings
    method: str
    rtol: float
    atol: float
    control: Control | None = None
    events: Sequence[Event] = ()

    def steps(self, series: StepSeries, points: ContactPoints) -> Iterator[tuple[int, ContactPoints]]:
        """Write the states of a series after each time h until a terminal event, with the work in between.

        Yields how many are done, and the contacts, of which there are none.

        Raises
        ------
        InvalidArgument
            If bodies touch.
        SingularConfiguration
            If the method fails.
        """
        state, count = series.state(0), series.num_steps
        times = np.cumsum([state.t] + count * [self.settings.h])
        detector = EventDetector(self.model, self.events, state)
        recorded, integral, index = state, np.zeros(1 + state.size), 1
        recorded_integral, pending = integral, list[EventOccurrence]()
        for step in adaptive_steps(self._tree, state, times[-1], self.method, self.rtol, self.atol):
            due = times[index : int(np.searchsorted(times, step.end_time, side="right"))]
            found = detector.detect(step.start_time, np.union1d(due, step.end_time), step.state_at)
            is_last = any(self.events[each.event].terminal for each in found)
            if is_last:
                end = found[-1].state.t
                step = step._replace(end_time=end)
                due = np.append(due[due < end - MIN_LAST_STEP * self.settings.h], end)
            pending += found
            step_integral = self._integrate_powers(step)
            for t in due:
                reached = step.state_at(t)
                no_points = self._require_no_contacts(reached)
                reached_integral = integral + step_integral(t)
                result = self._result(recorded, reached, no_points, reached_integral - recorded_integral)
                series.write_result(self.model, index, result)
                num_occurred = sum(each.state.t <= t for each in pending)
                series.events.extend(pending[:num_occurred])
                yield index, no_points
                recorded, recorded_integral, pending = reached, reached_integral, pending[num_occurred:]
                index += 1
            if is_last:
                return
            integral = integral + step_integral(step.end_time)

    def _result(self, start: State, end: State, no_points: ContactPoints, integrals: Array) -> StepResult:
        """Return the result between two recorded states.

        `integrals` are the work of the applied forces and the impulses of the actuators ``(1 + k,)``.
        """
        applied, actuators = float(integrals[0]), integrals[1:]
        start_energy, end_energy = gravity_and_kinetic_energies(self.model, [start, end])
        work = Work(
            applied_forces=applied,
            joints=0.0,
            contacts=0.0,
            stabilization=0.0,
            integrator=float(end_energy - start_energy - applied),
        )
        empty, no_friction = np.zeros((0, 3)), np.zeros_like(actuators)
        contacts = ContactRecord(no_points, empty, empty, empty, 0.0, np.zeros(0))
        return StepResult(end, no_points, contacts, work, np.zeros(0), actuators, no_friction)

    def _integrate_powers(self, step: AdaptiveStep) -> Callable[[float], Array]:
        """Return the integral ``(1 + k,)`` of the powers from the start of a step to a time within it."""
        center, half = (step.start_time + step.end_time) / 2, (step.end_time - step.start_time) / 2
        states = [step.state_at(center + half * node) for node in NODES]
        for each in states:
            self._require_no_contacts(each)
        powers = np.array([self._powers(each) for each in states])
        coefficients = half * legendre.legint(legendre.legfit(NODES, powers, len(NODES) - 1), lbnd=-1.0)

        def integral(t: float) -> Array:
            result: Array = legendre.legval((t - center) / half, coefficients)
            return result

        return integral

    def _require_no_contacts(self, state: State) -> ContactPoints:
        """Return the contacts of a state without any; raise an error if bodies touch."""
        points = self.predict_contacts(state)
        if len(points):
            pairs = describe_contacts(points, [body.name for body in self.model.bodies])
            got = f"{self.method!r}, and at t = {state.t:g} s {pairs}"
            raise InvalidArgument("scheme", got, "'rattle' for motions with contacts")
        return points

    def predict_contacts(self, state: State) -> ContactPoints:
        """Return the contacts with overlaps larger than the slop."""
        poses = self.model.tree.maximal_state(state).E
        return contact_points_unchecked(
            self.model.colliders, poses, -self.settings.slop, self.model.excluded_indices
        )

    @cached_property
    def _tree(self) -> Tree:
        return actuated_tree(self.model, self.control)

    def _powers(self, state: State) -> Array:
        """Return the power of the applied forces, and the forces of the actuators ``(1 + k,)``."""
        actuators = tree_actuator_forces(self.model, self.control, state)
        return np.append(applied_power(self.model, state, actuators), actuators)


def check_is_smooth(model: Model, method: str) -> None:
    """Check that a model has no constraints and no dry friction.

    Raises
    ------
    InvalidArgument
        If it has; the message names the method.
    """
    expected = f"none with scheme={method!r}"
    for name, count in (("constraints", len(model.constraints)), ("bearings", len(model.bearings))):
        if count:
            raise InvalidArgument(f"model: {name}", str(count), expected)
    if np.any(model.joint_friction):
        raise InvalidArgument("model: joint_friction", f"{np.max(model.joint_friction):g}", expected)
