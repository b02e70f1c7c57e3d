"""First-order steps of the simulator by a scheme of :mod:`rbnotes.dynamics`: velocities, then positions.

A step updates the velocities at its start, with the whole impulse of the forces, and then moves the bodies
(Lloyd 0.10; Sueda 1.8, 1.10). Joints constrain the new velocities along their rows at the start, so that
poses drift apart by about h^2 and are projected back.
"""

from __future__ import annotations

from dataclasses import dataclass

from rbnotes.contact import ContactPoints, unchecked
from rbnotes.contact.body_pair_jacobian import relative_velocities
from rbnotes.contact.prediction import normal_velocity_targets_unchecked
from rbnotes.dynamics import Scheme, State
from rbnotes.multibody.maximal.impacts import solve_sequential_impacts
from rbnotes.multibody.maximal.joint_space import JointConfiguration
from rbnotes.multibody.maximal.model import joint_velocity_constraints, project_poses_unchecked
from rbnotes.multibody.maximal.stepping import (
    ContactTargets,
    Equations,
    ForceImpulses,
    StepContext,
    StepResult,
    VelocityConstraints,
    energy_account,
    merge_start_contacts,
    min_normal_velocities,
    resolve_overlaps,
    solve_velocities,
)
from rbnotes.unchecked.frozen import replace_unchecked


@dataclass(frozen=True)
class FirstOrderIntegrator:
    """Integrator made of a scheme.

    Attributes
    ----------
    scheme
        Function from a state to the linear problem of its step.
    """

    scheme: Scheme

    def step(
        self, context: StepContext, state: State, points: ContactPoints, joints: JointConfiguration
    ) -> StepResult:
        """Take one step from a state with these contacts and joints."""
        model, h = context.model, context.settings.h
        free_system = model.free_system
        bilateral = joint_velocity_constraints(model, state, gamma=context.settings.error_reduction_rate)
        equations = Equations(bilateral.rows, bilateral.target)
        rows, mass = unchecked.contact_jacobian(points, state.E), model.mass_matrix(state)
        initial_velocity = state.velocity
        impacts = solve_sequential_impacts(
            context.settings, points, rows, mass, equations.G, initial_velocity, model.gravity
        )
        if impacts is not None:
            state = state.with_velocity(impacts.velocity)
        velocity = state.velocity
        problem = self.scheme.problem(model, state, h)
        forces = ForceImpulses(
            gravity=h * free_system.gravity_force(state),
            applied=h * free_system.linearized_applied_forces(state).f,
        )
        targets = normal_velocity_targets_unchecked(
            points, relative_velocities(rows, velocity)[:, 0], h, model.gravity
        )
        contacts = ContactTargets(points, rows, min_normal_velocities(context, points, targets))
        update = solve_velocities(context, problem, velocity, forces, equations, contacts)
        updates = [update]
        if impacts is not None:
            updates.insert(0, impacts.velocity_update(points, rows, initial_velocity, equations.G, 0))

        end_state = self.scheme.advance(model, state, update.after, h)
        projected_state = (
            replace_unchecked(end_state, E=project_poses_unchecked(model, end_state.E))
            if context.settings.uses_projection
            else end_state
        )
        end_joints = context.move_joints(joints, projected_state.E)
        end_constraints = VelocityConstraints(end_joints, projected_state, projected_state.t)
        separated_state, end_points, end_constraints = resolve_overlaps(
            context, projected_state, end_constraints
        )
        start_state = state.with_velocity(update.after)
        energies = [model.energy(each) for each in (start_state, end_state, separated_state)]
        work = energy_account(updates, energies)
        # The remaining momentum: the rotation of frames, and the implicit part of the forces.
        unexplained_impulse = (
            problem.momentum - mass @ velocity - sum(forces) - (problem.mass - mass) @ update.after
        )
        work = work._replace(integrator=work.integrator + float(unexplained_impulse @ update.mean_velocity))
        no_impulse = update.actuator_impulse
        return StepResult(
            separated_state,
            end_points,
            merge_start_contacts(updates),
            work,
            sum((each.multipliers for each in updates[1:]), updates[0].multipliers),
            no_impulse,
            no_impulse,
            end_constraints.joints,
        )
