"""Time step in joint coordinates of second order, with contact, friction, impacts and constraints.

Forces, contacts and constraints act as impulses at both ends of a step; in between the bodies move without
forces (Strang splitting; velocity Verlet if the mass matrix is constant):

    M(q_k) (v'' - v_k) = G_k^T nu + C_k^T r,                              impacts of elastic bodies,
    M(q_k) (v - v'') = h/2 f(q_k, v'') + G_k^T lambda + C_k^T p,          first velocity update,
    (q_{k+1}, v')    = motion without forces from (q_k, v) for the time h,
    M(q_{k+1}) (v_{k+1} - v') = h/2 f(q_{k+1}, v_{k+1}) + G_{k+1}^T mu + C_{k+1}^T p',   second update.

The multipliers lambda satisfy the constraints of position at the end of the motion without forces
(:mod:`rbnotes.multibody.tree_free_motion`), ``g(q_{k+1}) = 0``, and mu those of velocity, as in RATTLE.
Joint dampers, servos and dry friction are implicit (:mod:`rbnotes.multibody.joint_impulses`). In maximal
coordinates the same scheme is :mod:`rbnotes.multibody.maximal.rattle_integrator`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.contact import ContactPoints, Contacts, unchecked
from rbnotes.contact.body_pair_jacobian import BodyPairJacobian, relative_velocities
from rbnotes.contact.prediction import (
    closing_velocities,
    normal_velocity_targets_unchecked,
    rebounding_contacts,
)
from rbnotes.dynamics import (
    BilateralRows,
    State,
    StepProblem,
    StepSolution,
    UnilateralRows,
    zero_forces,
)
from rbnotes.dynamics.state import EMPTY_STATE
from rbnotes.errors import NotConverged
from rbnotes.multibody.applied_forces import Control, actuator_commands
from rbnotes.multibody.bearing_friction import solve_with_bearings
from rbnotes.multibody.joint_impulses import JointImpulses, joint_impulses
from rbnotes.multibody.maximal.impacts import solve_sequential_impacts
from rbnotes.multibody.maximal.joint_space import (
    are_limits_reachable,
    split_bounded_impulse,
    unconstrained_velocity_change,
)
from rbnotes.multibody.maximal.stepping import (
    Correction,
    StepResult,
    VelocityUpdate,
    combine_updates,
    persistent_contacts,
    solve_contacts,
    solve_with_correction,
)
from rbnotes.multibody.model import Model
from rbnotes.multibody.model_constraints import (
    CONSTRAINT_TOLERANCE,
    ConstraintEquations,
    constraint_equations,
)
from rbnotes.multibody.reduced.bearings import joint_bearings
from rbnotes.multibody.reduced.dynamics import solve_mass_matrix
from rbnotes.multibody.reduced.kinematics import BodyKinematics
from rbnotes.multibody.reduced.tree import Tree
from rbnotes.multibody.separation import (
    generalized_mass_matrix,
    predict_model_contacts,
    separate_bodies,
)
from rbnotes.multibody.step_records import ContactRecord
from rbnotes.multibody.step_series import StepSeries, gravity_and_kinetic_energies, take_steps
from rbnotes.multibody.step_settings import SEQUENTIAL, StepSettings
from rbnotes.multibody.tree_bearings import TreeBearingUpdate
from rbnotes.multibody.tree_free_motion import FreeMotion
from rbnotes.unchecked import se3
from rbnotes.unchecked.frozen import replace_unchecked

MAX_CONSTRAINT_ITERATIONS = 20
"""Largest number of corrections of the constraint impulses in a step."""
MAX_HALVINGS = 5
"""Largest number of halvings of a step whose constraints cannot be satisfied."""


class GeneralizedForceImpulses(NamedTuple):
    """Impulses of forces over half a step, those of :class:`JointImpulses` excluded.

    Attributes
    ----------
    gravity
        Generalized impulse of gravity ``(k,)``.
    applied
        Generalized impulse of the forces of the model and of joint springs ``(k,)``.
    wrenches
        Impulses of gravity and of the forces of the model on the bodies ``(6 n,)``.
    """

    gravity: Array
    applied: Array
    wrenches: Array


class VelocityConditions(NamedTuple):
    """Conditions on the velocities after an update.

    Attributes
    ----------
    bilateral
        Equality constraints.
    limits
        Limits.
    limit_body_rows
        Rows of the limits on the twists of the bodies ``(l, 6 n)``; zero for those of joint coordinates.
    points
        Contacts.
    rows
        Rows of the contacts at the poses of the update.
    normal_target
        Least normal velocities ``(c,)``, m/s.
    """

    bilateral: BilateralRows
    limits: UnilateralRows
    limit_body_rows: Array
    points: ContactPoints
    rows: BodyPairJacobian
    normal_target: Array


@dataclass(frozen=True, eq=False)
class TreeStepper:
    """Steps of a model in the coordinates of its tree, with the options of a simulation.

    Attributes
    ----------
    model
        Model of the scene.
    settings
        Step size, friction and impacts; positions are projected.
    control
        Function to the commands at a state.
    """

    model: Model
    settings: StepSettings
    control: Control | None = None

    def steps(self, series: StepSeries, points: ContactPoints) -> Iterator[tuple[int, ContactPoints]]:
        """Write the steps of a series from its first state with these contacts, see :func:`take_steps`."""
        return take_steps(self.model, self.step, series, points)

    def step(self, state: State, points: ContactPoints) -> StepResult:
        """Take one step from a state with these contacts; halve it if the constraints require it.

        Raises
        ------
        NotConverged
            If the constraints cannot be satisfied.
        NotSolved
            If contacts and constraints contradict each other.
        SingularConfiguration
            If a joint is in a singular state.
        """
        return self._step_with_halving(state, points, MAX_HALVINGS)

    def _step_with_halving(self, state: State, points: ContactPoints, halvings: int) -> StepResult:
        """Take one step, or two halves if the constraints cannot be satisfied in it."""
        result = self._try_step(state, points)
        if result is not None:
            return result
        if not halvings:
            message = f"constraints at t = {state.t:g} s: no velocities satisfy them at the end of the step"
            raise NotConverged(message, state.qdot, np.inf)
        half = replace(self, settings=replace(self.settings, h=self.settings.h / 2))
        first = half._step_with_halving(state, points, halvings - 1)
        second = half._step_with_halving(first.state, first.points, halvings - 1)
        return first.append(second)

    def _try_step(self, state: State, points: ContactPoints) -> StepResult | None:
        """Return one step, or None if the constraints cannot be satisfied in it."""
        first_half = self._first_update_and_free_motion(state, points)
        if first_half is None:
            return None
        at_start, end_state = first_half
        end_state = self.model.tree.reparametrize(end_state)
        separated_state, end_points = separate_bodies(
            self.model, end_state, self.settings.h, self.settings.slop
        )
        second = self._second_update(separated_state, end_points)
        energies = gravity_and_kinetic_energies(
            self.model, [state.with_velocity(at_start[-1].after), end_state, separated_state]
        )
        return combine_updates(
            (*at_start, second), separated_state.with_velocity(second.after), end_points, energies.tolist()
        )

    def predict_contacts(self, state: State) -> ContactPoints:
        """Return the contacts that could close within the next step, from the velocities of the bodies."""
        return predict_model_contacts(self.model, state, self.settings.h)

    def _first_update_and_free_motion(
        self, state: State, points: ContactPoints
    ) -> tuple[list[VelocityUpdate], State] | None:
        """Return the velocity updates and the state after the free motion, or None if constraints fail."""
        h, tree = self.settings.h, self.model.tree
        kinematics = self.model.tree.body_kinematics(state)
        equations = constraint_equations(self.model, state, state.t + h)
        target = -equations.error_to_correct / h
        mass = generalized_mass_matrix(self.model, state.q, kinematics.J)
        rows = unchecked.contact_jacobian(points, kinematics.body_poses)
        updates = []
        impact = self._solve_impacts(state, kinematics, mass, equations, points, rows)
        if impact is not None:
            updates.append(impact)
            state = state.with_velocity(impact.after)
            kinematics = self.model.tree.body_kinematics(state)
        impulses = self._force_impulses(state, kinematics)
        joints = joint_impulses(
            self.model, state, mass, actuator_commands(self.model, self.control, state), h, is_first=True
        )
        damping = np.diag(joints.damping)
        impulse = impulses.gravity + impulses.applied + joints.constant - joints.damping * state.qdot
        try:
            velocity_change = unconstrained_velocity_change(
                mass, state.qdot, impulse, damping, joints.bounded
            )
        except np.linalg.LinAlgError:
            solve_mass_matrix(tree, state.q, mass, impulse[:, None])  # its error names the joints
            raise
        limits, limit_body_rows = self._reachable_limits(equations, state.qdot, velocity_change)
        conditions = VelocityConditions(
            BilateralRows(equations.G, target),
            limits,
            limit_body_rows,
            points,
            rows,
            closing_velocities(points, h),
        )

        def solve(correction: Correction | None) -> VelocityUpdate:
            corrected = conditions
            if correction is not None:
                bilateral = BilateralRows(equations.G, equations.G @ correction.velocity)
                corrected = conditions._replace(bilateral=bilateral)
            return self._solve_velocities(
                state, kinematics, mass, impulses, joints, corrected, h / 2, is_first=True
            )

        def correct(update: VelocityUpdate) -> Correction | None:
            return self._correct_constraints(state, update, mass, equations.G)

        depends_on_velocity = np.any(joints.damping) or len(joints.bounded.rows) > 0
        num_updates = 2 if depends_on_velocity and self.model.constraints else 1
        corrected = solve_with_correction(
            solve, correct, num_updates=None if self.model.bearings else num_updates
        )
        if corrected is None:
            return None
        update, correction = corrected
        contact_velocities = relative_velocities(rows, (kinematics.J @ correction.velocity).ravel())
        update = update.add_multipliers(
            correction.velocity, correction.multipliers, equations.G, contact_velocities
        )
        return [*updates, update], correction.end_state

    def _solve_impacts(
        self,
        state: State,
        kinematics: BodyKinematics,
        mass: Array,
        equations: ConstraintEquations,
        points: ContactPoints,
        rows: BodyPairJacobian,
    ) -> VelocityUpdate | None:
        """Return the impacts of elastic bodies at the start of the step, or None if there are none."""
        settings, tree, velocity = self.settings, self.model.tree, state.qdot
        approach = relative_velocities(rows, kinematics.phi.ravel())[:, 0]
        if not np.any(rebounding_contacts(points, approach, settings.h, tree.gravity)):
            return None
        count, G = len(velocity), equations.G
        if settings.impacts == SEQUENTIAL:
            own_rows = rows.matrix @ kinematics.J.reshape(-1, count)
            sequence = solve_sequential_impacts(settings, points, own_rows, mass, G, velocity, tree.gravity)
            return (
                None if sequence is None else sequence.velocity_update(points, own_rows, velocity, G, count)
            )
        conditions = VelocityConditions(
            BilateralRows(G, G @ velocity),
            *self._reached_limits(equations),
            points,
            rows,
            normal_velocity_targets_unchecked(points, approach, settings.h, tree.gravity),
        )
        no_force = GeneralizedForceImpulses(np.zeros(count), np.zeros(count), np.zeros(6 * len(tree.links)))
        return self._solve_velocities(
            state, kinematics, mass, no_force, JointImpulses.none(count), conditions, 0.0, is_first=True
        )

    def _reached_limits(self, equations: ConstraintEquations) -> tuple[UnilateralRows, Array]:
        """Return the limits that are reached, and their rows on the bodies."""
        is_reached = equations.limit_gap <= self.settings.slop
        limits = UnilateralRows(equations.limit_rows[is_reached], np.zeros(int(np.sum(is_reached))))
        return limits, equations.limit_body_rows[is_reached]

    def _correct_constraints(
        self, state: State, update: VelocityUpdate, mass: Array, G: Array
    ) -> Correction | None:
        """Return the correction of the first update by Newton's method, or None if that does not converge.

        Parameters
        ----------
        mass, G
            Mass matrix and rows of the equations at the start of the step.
        """
        h, no_rotors = self.settings.h, np.zeros(0)
        velocity, multipliers = update.after, np.zeros(len(G))
        end_state = self._free_motion(state, velocity)
        if not self.model.constraints:
            return Correction(velocity, multipliers, no_rotors, end_state)
        responses = np.linalg.solve(mass, G.T)
        previous_error = np.inf
        for _ in range(MAX_CONSTRAINT_ITERATIONS):
            end_equations = constraint_equations(self.model, end_state, end_state.t)
            error = float(np.max(np.abs(end_equations.error), initial=0.0))
            if error <= CONSTRAINT_TOLERANCE:
                return Correction(velocity, multipliers, no_rotors, end_state)
            if not error <= previous_error / 2:
                return None
            previous_error = error
            system = h * end_equations.G @ responses
            correction = np.linalg.lstsq(system, end_equations.error, rcond=1e-12)[0]
            velocity = velocity - responses @ correction
            multipliers = multipliers - correction
            end_state = self._free_motion(state, velocity)
        return None

    def _reachable_limits(
        self, equations: ConstraintEquations, velocity: Array, velocity_change: Array
    ) -> tuple[UnilateralRows, Array]:
        """Return the limits that may be reached within the step at twice its velocities.

        The second result are their rows on the bodies.
        """
        rows, gap = equations.limit_rows, equations.limit_gap
        h, slop = self.settings.h, self.settings.slop
        is_near = are_limits_reachable(rows, gap, velocity, velocity_change, h, slop)
        limits = UnilateralRows(rows[is_near], -np.maximum(gap[is_near], 0.0) / h)
        return limits, equations.limit_body_rows[is_near]

    def _second_update(self, state: State, points: ContactPoints) -> VelocityUpdate:
        """Return the velocity update after the free motion; the state has the velocities before it."""
        h, tree = self.settings.h, self.model.tree
        kinematics = self.model.tree.body_kinematics(state)
        equations = constraint_equations(self.model, state, state.t)
        mass = generalized_mass_matrix(self.model, state.q, kinematics.J)
        rows = unchecked.contact_jacobian(points, kinematics.body_poses)
        approach = relative_velocities(rows, kinematics.phi.ravel())[:, 0]
        is_persistent = persistent_contacts(points, approach, h, tree.gravity, self.settings.slop)
        points, rows = points[is_persistent], rows.select_groups(is_persistent)
        conditions = VelocityConditions(
            BilateralRows(equations.G, -equations.bias_velocity),
            *self._reached_limits(equations),
            points,
            rows,
            closing_velocities(points, h),
        )

        def solve_with_forces(force_state: State, force_kinematics: BodyKinematics) -> VelocityUpdate:
            impulses = self._force_impulses(force_state, force_kinematics)
            commands = actuator_commands(self.model, self.control, force_state)
            joints = joint_impulses(self.model, state, mass, commands, h, is_first=False)
            return self._solve_velocities(
                state, kinematics, mass, impulses, joints, conditions, h / 2, is_first=False
            )

        update = solve_with_forces(state, kinematics)
        if self.model.force_law is zero_forces and self.control is None:
            return update
        # The forces at the resulting velocities, to second order.
        result_state = state.with_velocity(update.after)
        return solve_with_forces(result_state, self.model.tree.body_kinematics(result_state))

    def _solve_velocities(
        self,
        state: State,
        kinematics: BodyKinematics,
        mass: Array,
        impulses: GeneralizedForceImpulses,
        joints: JointImpulses,
        conditions: VelocityConditions,
        duration: float,
        *,
        is_first: bool,
    ) -> VelocityUpdate:
        """Return the update under forces, joint impulses, constraints, limits and contacts.

        Parameters
        ----------
        duration
            Time over which the forces act, s: zero for impacts.
        """
        before = state.qdot
        bilateral, limits, limit_body_rows, points, rows, normal_target = conditions
        problem = StepProblem(
            mass + np.diag(joints.damping),
            mass @ before + impulses.gravity + impulses.applied + joints.constant,
            bilateral,
            limits,
        )
        if len(points):
            J = kinematics.J.reshape(-1, len(before))
            contacts = Contacts(rows.matrix @ J, points.mu, normal_target)
            problem = replace(problem, contacts=contacts)

        def solve(problem: StepProblem) -> StepSolution:
            return solve_contacts(self.settings.friction, problem, points)

        bearings = None
        if self.model.bearings:
            bearings = TreeBearingUpdate(
                joint_bearings(self.model.tree, state, kinematics, self.model.bearings),
                self.model,
                self._weightless_tree,
                state,
                kinematics,
                mass,
                duration,
                is_first,
                impulses.wrenches,
                rows,
                limit_body_rows,
            )
        solution, bounded_impulse, bounded_rows = solve_with_bearings(
            problem, joints.bounded, bearings, solve, before
        )
        after = solution.velocity
        record = ContactRecord(
            points,
            solution.contact_impulses if len(points) else np.zeros((0, 3)),
            relative_velocities(rows, kinematics.phi.ravel()),
            relative_velocities(rows, (kinematics.J @ after).ravel()),
            solution.residual,
            np.zeros(len(points)),
        )
        constraint_impulse = bilateral.rows.T @ solution.bilateral + limits.rows.T @ solution.unilateral
        actuators, friction = split_bounded_impulse(
            bounded_rows, bounded_rows.rows, joints.motor, bounded_impulse
        )
        applied = impulses.applied + joints.damper - joints.damping * after + actuators + friction
        return VelocityUpdate(
            before,
            after,
            impulses.gravity,
            applied,
            actuators,
            friction,
            constraint_impulse,
            solution.bilateral,
            record,
        )

    def _force_impulses(self, state: State, kinematics: BodyKinematics) -> GeneralizedForceImpulses:
        """Return the impulses over half a step of gravity, joint springs and forces."""
        model, tree, h = self.model, self.model.tree, self.settings.h
        J = kinematics.J.reshape(6 * len(tree.links), tree.num_coordinates)
        weights, centers = tree.weights_and_centers
        gravity = h / 2 * se3.point_wrench(kinematics.body_poses, centers, weights).ravel()
        springs = -tree.joint_parameter("stiffness") * (state.q - tree.joint_parameter("spring_reference"))
        wrenches: Array = np.zeros(len(gravity))
        if model.force_law is not zero_forces:
            bodies = replace_unchecked(EMPTY_STATE, E=kinematics.body_poses, phi=kinematics.phi, t=state.t)
            force = arguments.call_user_function("forces", model.force_law, bodies).f
            force = arguments.vector("forces: f", force, bodies.size)
            wrenches = h / 2 * force
        return GeneralizedForceImpulses(J.T @ gravity, J.T @ wrenches + h / 2 * springs, gravity + wrenches)

    def _free_motion(self, state: State, velocity: Array) -> State:
        """Return the state after the motion without forces, in coordinates that continue those of `state`."""
        h = self.settings.h
        q, qdot = self._tree_motion.advance(state.q, velocity, h)
        return replace(state, q=q, qdot=qdot, t=state.t + h)

    @cached_property
    def _tree_motion(self) -> FreeMotion:
        return FreeMotion.of_tree(self.model.tree, self.model.tree.armature)

    @cached_property
    def _weightless_tree(self) -> Tree:
        return Tree(self.model.tree.links, gravity=np.zeros(3))
