"""Step of a model in joint coordinates by a scheme of :mod:`rbnotes.dynamics`, of first order.

The scheme determines the linear problem of the step from the state at its start. Contacts, constraints and
limits are rows on the new velocities, and positions advance with these. Errors of positions are reduced by
the velocities (Baumgarte), removed by a displacement, or left.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from rbnotes.arguments import Array, InvalidArgument
from rbnotes.contact import ContactPoints
from rbnotes.contact.body_pair_jacobian import relative_velocities
from rbnotes.contact.unchecked import contact_jacobian
from rbnotes.dynamics import (
    BilateralRows,
    ForceLaw,
    FullyImplicitScheme,
    Scheme,
    State,
    StepProblem,
    StepSolution,
    add_constraints,
    solve_step,
)
from rbnotes.multibody.applied_forces import Control, actuator_force_law, applied_power
from rbnotes.multibody.bounded_rows import dry_friction_rows, solve_with_bounded_rows
from rbnotes.multibody.maximal.mechanism import BAUMGARTE, PROJECTION
from rbnotes.multibody.maximal.stepping import solve_contacts
from rbnotes.multibody.maximal.trajectory import ContactRecord, Work
from rbnotes.multibody.maximal.warm_started_friction import WarmStartedFriction
from rbnotes.multibody.model import Model
from rbnotes.multibody.model_constraints import constraint_equations
from rbnotes.multibody.reduced.constrained_dynamics import velocity_constraints
from rbnotes.multibody.reduced.contact import tree_contacts
from rbnotes.multibody.reduced.system import TreeSystem
from rbnotes.multibody.separation import displace_bodies, predict_model_contacts
from rbnotes.multibody.verlet_step import StepResult, gravity_and_kinetic_energy

PROJECTION_THRESHOLD = 1e-10
"""Smallest error of the equations that is removed by a displacement, rad or m."""


@dataclass(frozen=True, eq=False)
class SchemeStepper:
    """Steps of a model in the coordinates of its tree by a scheme."""

    model: Model
    """Model of the scene."""
    h: float
    """Step size, s."""
    scheme: Scheme | FullyImplicitScheme
    """Scheme of the velocities and positions."""
    friction: WarmStartedFriction
    """Friction model that stores the contacts of the last step."""
    stabilization: str
    """Correction of errors: ``"projection"``, ``"baumgarte"`` or ``"none"``."""
    gamma: float
    """Error reduction rate of Baumgarte's stabilization, 1/s."""
    slop: float
    """Overlap that is not corrected, m."""
    control: Control | None = None
    """Function to the commands at a state."""

    def step(self, state: State, points: ContactPoints) -> StepResult:
        """Take one step from a state with these contacts.

        Raises
        ------
        NotSolved
            If contacts and constraints contradict each other.
        """
        model, system, h = self.model, self._system, self.h
        gamma = self.gamma if self.stabilization == BAUMGARTE else 0.0
        rows = velocity_constraints(system, model.constraints, state, h, gamma)
        contacts = tree_contacts(system, state, points, h, gamma=gamma)
        has_friction = model.joint_friction > 0
        friction_rows = np.eye(len(has_friction))[has_friction]
        bounded = dry_friction_rows(friction_rows, h * model.joint_friction[has_friction])
        solutions: list[tuple[StepSolution, Array]] = []

        def solve(problem: StepProblem) -> StepSolution:
            if not len(points):
                return solve_step(problem)
            problem = replace(problem, contacts=contacts)
            return solve_contacts(self.friction, problem, points, np.zeros((len(points), 3)))

        def solve_velocities(problem: StepProblem, fraction: float) -> Array:
            constrained = add_constraints(problem, rows)
            solution, impulse = solve_with_bounded_rows(constrained, bounded, solve, state.qdot)
            solutions.append((solution, friction_rows.T @ impulse))
            return solution.velocity

        end_state = self.scheme(system, state, h, solve=solve_velocities)
        solution, friction_impulse = solutions[-1]
        record = self._contact_record(state, points, solution)
        actuators = [self._actuators(each).f for each in (state, end_state)]
        powers = [
            applied_power(model, each, f) for each, f in zip((state, end_state), actuators, strict=True)
        ]
        mean_velocity = (state.qdot + solution.velocity) / 2
        applied = h * (powers[0] + powers[1]) / 2 + float(friction_impulse @ mean_velocity)
        constraint_impulse = np.zeros(len(mean_velocity))
        for each in rows:
            is_equation = isinstance(each, BilateralRows)
            multipliers = solution.bilateral if is_equation else solution.unilateral
            constraint_impulse = constraint_impulse + each.rows.T @ multipliers
        joints = float(constraint_impulse @ mean_velocity)
        corrected, end_points = self._correct_positions(system.reparametrize(end_state))
        energies = [self._energy(each) for each in (state, end_state, corrected)]
        contact_work = float(np.sum(record.work))
        work = Work(
            applied_forces=applied,
            joints=joints,
            contacts=contact_work,
            stabilization=energies[2] - energies[1],
            integrator=energies[1] - energies[0] - applied - joints - contact_work,
        )
        impulse = h * (actuators[0] + actuators[1]) / 2
        return StepResult(corrected, end_points, record, work, impulse, friction_impulse)

    def predict_contacts(self, state: State) -> ContactPoints:
        """Return the contacts that could close within the next step, from the velocities of the bodies."""
        return predict_model_contacts(self.model, state, self.h)

    @cached_property
    def _actuators(self) -> ForceLaw:
        return actuator_force_law(self.model, self.control)

    @cached_property
    def _system(self) -> TreeSystem:
        return replace(self.model.system, driven=self._actuators)

    def _contact_record(self, state: State, points: ContactPoints, solution: StepSolution) -> ContactRecord:
        kinematics = self.model.system.body_kinematics(state)
        rows = contact_jacobian(points, kinematics.body_poses)
        before, after = (
            relative_velocities(rows, (kinematics.J @ velocity).ravel())
            for velocity in (state.qdot, solution.velocity)
        )
        impulses = solution.contact_impulses if len(points) else np.zeros((0, 3))
        return ContactRecord(points, impulses, before, after, solution.residual)

    def _correct_positions(self, state: State) -> tuple[State, ContactPoints]:
        """Return the state after the projection, if that is the stabilization, and its contacts."""
        points = self.predict_contacts(state)
        if self.stabilization != PROJECTION:
            return state, points
        equations = constraint_equations(self.model, state, state.t)
        overlaps = np.concatenate([points.gap, equations.limit_gap])
        is_valid = np.all(np.abs(equations.error) <= PROJECTION_THRESHOLD) and np.all(overlaps >= -self.slop)
        if is_valid:
            return state, points
        corrected = displace_bodies(self.model, state, points, equations, self.slop)
        return corrected, self.predict_contacts(corrected)

    def _energy(self, state: State) -> float:
        bodies = self.model.system.maximal_state(state)
        return float(gravity_and_kinetic_energy(self.model, bodies.E, bodies.phi, state.qdot))


def check_has_no_bearings(model: Model) -> None:
    """Check that a model has no bearings.

    Raises
    ------
    InvalidArgument
        If it has.
    """
    if model.bearings:
        expected = "none with a scheme of first order"
        raise InvalidArgument("model: bearings", str(len(model.bearings)), expected)
