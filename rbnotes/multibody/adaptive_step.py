"""Step of a model without contacts, constraints and dry friction by an adaptive method of SciPy.

The method integrates ``M(q) dqdot/dt = f(q, qdot, t)`` with a given accuracy, in as many steps of its own as
that takes. The work of springs, dampers, actuators and other forces is the integral of their power, by
Gauss-Legendre quadrature over the step.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rbnotes.arguments import Array, InvalidArgument
from rbnotes.contact import ContactPoints
from rbnotes.contact.detection import contact_points_unchecked
from rbnotes.dynamics import State
from rbnotes.multibody.applied_forces import Control, actuated_tree, applied_power, tree_actuator_forces
from rbnotes.multibody.maximal.stepping import StepResult
from rbnotes.multibody.maximal.trajectory import ContactRecord, Work
from rbnotes.multibody.model import Model
from rbnotes.multibody.reduced.adaptive_integration import integrate_adaptively
from rbnotes.multibody.reduced.tree import Tree
from rbnotes.multibody.step_failures import describe_contacts
from rbnotes.multibody.verlet_step import gravity_and_kinetic_energies

NODES, WEIGHTS = np.add(np.polynomial.legendre.leggauss(8), [[1.0], [0.0]]) / 2
"""Points and weights of the quadrature on the interval from 0 to 1."""


@dataclass(frozen=True, eq=False)
class AdaptiveStepper:
    """Steps of a smooth model in the coordinates of its tree.

    Attributes
    ----------
    model
        Model of the scene.
    h
        Time between recorded states, s.
    method
        Name of the method in :mod:`scipy.integrate`.
    rtol
        Accepted relative error of a step of the method.
    atol
        Accepted absolute error of a step of the method, in the units of the coordinates and velocities.
    slop
        Overlap that is not a contact, m.
    control
        Function to the commands at a state.
    """

    model: Model
    h: float
    method: str
    rtol: float
    atol: float
    slop: float
    control: Control | None = None

    def step(self, state: State, points: ContactPoints) -> StepResult:
        """Return the state after the time h, with the work in it.

        Raises
        ------
        InvalidArgument
            If bodies touch.
        SingularConfiguration
            If the method fails.
        """
        times = state.t + self.h * np.append(NODES, 1.0)
        path = integrate_adaptively(
            self._tree, state, times, method=self.method, rtol=self.rtol, atol=self.atol
        )
        states = [path[i] for i in range(len(times))]
        for each in states:
            end_points, end_state = self.predict_contacts(each), each
            if len(end_points):
                pairs = describe_contacts(end_points, [body.name for body in self.model.bodies])
                got = f"{self.method!r}, and at t = {each.t:g} s {pairs}"
                raise InvalidArgument("scheme", got, "'rattle' for motions with contacts")
        powers = np.array([self._powers(each) for each in states[:-1]])
        applied, actuators = self.h * WEIGHTS @ powers[:, 0], self.h * WEIGHTS @ powers[:, 1:]
        start_energy, end_energy = gravity_and_kinetic_energies(self.model, [state, end_state])
        work = Work(
            applied_forces=float(applied),
            joints=0.0,
            contacts=0.0,
            stabilization=0.0,
            integrator=float(end_energy - start_energy - applied),
        )
        empty = np.zeros((0, 3))
        contacts = ContactRecord(end_points, empty, empty, empty, 0.0, np.zeros(0))
        no_friction = np.zeros_like(actuators)
        return StepResult(end_state, end_points, contacts, work, np.zeros(0), actuators, no_friction)

    def predict_contacts(self, state: State) -> ContactPoints:
        """Return the contacts with overlaps larger than the slop."""
        poses = self.model.tree.maximal_state(state).E
        return contact_points_unchecked(self.model.colliders, poses, -self.slop, self.model.excluded_indices)

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
