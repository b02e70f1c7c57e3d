"""Step of a model in joint coordinates by a scheme of :mod:`rbnotes.dynamics`, of first order.

The scheme determines the linear problem of the step from the state at its start. Contacts, constraints and
limits are rows on the new velocities, and positions advance with these. Errors of positions are reduced by
the velocities (Baumgarte), removed by a displacement, or left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from rbnotes.arguments import Array, InvalidArgument
from rbnotes.contact import ContactPoints, Contacts
from rbnotes.dynamics import (
    BilateralRows,
    FullyImplicitScheme,
    Scheme,
    State,
    StepProblem,
    StepSolution,
    VelocityConstraintRows,
    add_constraints,
)
from rbnotes.multibody.applied_forces import Control, actuated_tree, applied_power, tree_actuator_forces
from rbnotes.multibody.bounded_rows import dry_friction_rows, solve_with_bounded_rows
from rbnotes.multibody.maximal.impacts import (
    ImpactSequence,
    may_have_sequential_impacts,
    solve_sequential_impacts,
)
from rbnotes.multibody.maximal.stepping import StepResult, solve_contacts
from rbnotes.multibody.model import Model
from rbnotes.multibody.reduced.constrained_dynamics import velocity_constraints
from rbnotes.multibody.reduced.contact import tree_contacts
from rbnotes.multibody.reduced.tree import Tree
from rbnotes.multibody.separation import (
    generalized_mass_matrix,
    predict_model_contacts,
    separate_bodies,
)
from rbnotes.multibody.step_records import ContactRecord, Work
from rbnotes.multibody.step_series import StepSeries, gravity_and_kinetic_energies, take_steps
from rbnotes.multibody.step_settings import StepSettings

PROJECTION_THRESHOLD = 1e-10
"""Smallest error of the equations that is removed by a displacement, rad or m."""


@dataclass(frozen=True, eq=False)
class SchemeStepper:
    """Steps of a model in the coordinates of its tree by a scheme.

    Attributes
    ----------
    model
        Model of the scene.
    settings
        Step size, friction, stabilization and impacts.
    scheme
        Scheme of the velocities and positions.
    control
        Function to the commands at a state.
    """

    model: Model
    settings: StepSettings
    scheme: Scheme | FullyImplicitScheme
    control: Control | None = None

    def steps(self, series: StepSeries, points: ContactPoints) -> Iterator[tuple[int, ContactPoints]]:
        """Write the steps of a series from its first state with these contacts, see :func:`take_steps`."""
        return take_steps(self.model, self.step, series, points)

    def step(self, state: State, points: ContactPoints) -> StepResult:
        """Take one step from a state with these contacts.

        Raises
        ------
        NotSolved
            If contacts and constraints contradict each other.
        """
        model, tree, h = self.model, self._tree, self.settings.h
        gamma, initial = self.settings.error_reduction_rate, state
        rows = velocity_constraints(tree, model.constraints, state, h, gamma)
        contacts = tree_contacts(tree, state, points, h, gamma=gamma) if len(points) else None
        impacts = None
        if contacts is not None and may_have_sequential_impacts(self.settings, points):
            impacts = self._sequential_impacts(state, points, contacts, rows)
        if impacts is not None:
            state = state.with_velocity(impacts.velocity)
            contacts = tree_contacts(tree, state, points, h, gamma=gamma)
        has_friction = model.joint_friction > 0
        friction_rows = np.eye(len(has_friction))[has_friction]
        bounded = dry_friction_rows(friction_rows, h * model.joint_friction[has_friction])
        solutions: list[tuple[StepSolution, Array]] = []

        def solve(problem: StepProblem) -> StepSolution:
            return solve_contacts(self.settings.friction, problem, points)

        def solve_velocities(problem: StepProblem, fraction: float) -> Array:
            constrained = replace(add_constraints(problem, rows), contacts=contacts)
            solution, impulse = solve_with_bounded_rows(constrained, bounded, solve, state.qdot)
            solutions.append((solution, friction_rows.T @ impulse))
            return solution.velocity

        end_state = self.scheme(tree, state, h, solve=solve_velocities)
        solution, friction_impulse = solutions[-1]
        if impacts is not None:
            solution = replace(
                solution,
                bilateral=solution.bilateral + impacts.multipliers,
                normal=solution.normal + impacts.contacts[:, 0],
                tangential=solution.tangential + impacts.contacts[:, 1:],
            )
        record = _contact_record(points, contacts, initial.qdot, solution)
        actuators = [tree_actuator_forces(model, self.control, each) for each in (state, end_state)]
        powers = [
            applied_power(model, each, f) for each, f in zip((state, end_state), actuators, strict=True)
        ]
        mean_velocity = (initial.qdot + solution.velocity) / 2
        applied = h * (powers[0] + powers[1]) / 2 + float(friction_impulse @ mean_velocity)
        constraint_impulse = np.zeros(len(mean_velocity))
        for each in rows:
            is_equation = isinstance(each, BilateralRows)
            multipliers = solution.bilateral if is_equation else solution.unilateral
            constraint_impulse = constraint_impulse + each.rows.T @ multipliers
        joints = float(constraint_impulse @ mean_velocity)
        corrected, end_points = self._correct_positions(tree.reparametrize(end_state))
        energies = gravity_and_kinetic_energies(model, [initial, end_state, corrected])
        contact_work = float(np.sum(record.work))
        work = Work(
            applied_forces=applied,
            joints=joints,
            contacts=contact_work,
            stabilization=float(energies[2] - energies[1]),
            integrator=float(energies[1] - energies[0]) - applied - joints - contact_work,
        )
        impulse = h * (actuators[0] + actuators[1]) / 2
        return StepResult(corrected, end_points, record, work, np.zeros(0), impulse, friction_impulse)

    def _sequential_impacts(
        self, state: State, points: ContactPoints, contacts: Contacts, rows: Sequence[VelocityConstraintRows]
    ) -> ImpactSequence | None:
        """Return the impacts at the start of the step; None if there are none."""
        model = self.model
        kinematics = model.tree.body_kinematics(state)
        mass = generalized_mass_matrix(model, state.q, kinematics.J)
        equations = np.concatenate([each.rows for each in rows if isinstance(each, BilateralRows)])
        return solve_sequential_impacts(
            self.settings, points, contacts.rows, mass, equations, state.qdot, model.tree.gravity
        )

    def predict_contacts(self, state: State) -> ContactPoints:
        """Return the contacts that could close within the next step, from the velocities of the bodies."""
        return predict_model_contacts(self.model, state, self.settings.h)

    @cached_property
    def _tree(self) -> Tree:
        return actuated_tree(self.model, self.control)

    def _correct_positions(self, state: State) -> tuple[State, ContactPoints]:
        """Return the state after the projection, if that is the stabilization, and its contacts."""
        if not self.settings.uses_projection:
            return state, self.predict_contacts(state)
        return separate_bodies(self.model, state, self.settings.h, self.settings.slop, PROJECTION_THRESHOLD)


def _contact_record(
    points: ContactPoints, contacts: Contacts | None, before: Array, solution: StepSolution
) -> ContactRecord:
    """Return the record of contacts whose rows act on the velocities of the tree."""
    at_start: Array = np.zeros(len(points))
    if contacts is None:
        empty: Array = np.zeros((0, 3))
        return ContactRecord(points, empty, empty, empty, solution.residual, at_start)
    before, after = ((contacts.rows @ each).reshape(-1, 3) for each in (before, solution.velocity))
    return ContactRecord(points, solution.contact_impulses, before, after, solution.residual, at_start)


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
