"""First-order steps of the simulator by a scheme of :mod:`rbnotes.dynamics`: velocities, then positions.

A step updates the velocities at its start, with the whole impulse of the forces, and then moves the bodies
(Lloyd 0.10; Sueda 1.8, 1.10). Joints constrain the new velocities along their rows at the start, so that
poses drift apart by about h^2 and are projected back.
"""

from __future__ import annotations

from dataclasses import dataclass

from rbnotes.contact import ContactPoints, unchecked
from rbnotes.dynamics import Scheme, State
from rbnotes.multibody.maximal.impacts import solve_sequential_impacts
from rbnotes.multibody.maximal.joint_kinematics import JointKinematics
from rbnotes.multibody.maximal.mechanism import joint_velocity_constraints, project_poses_unchecked
from rbnotes.multibody.maximal.stepping import (
    ContactTargets,
    ForceImpulses,
    JointTargets,
    Setting,
    Taken,
    energy_account,
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

    def step(self, setting: Setting, state: State, points: ContactPoints) -> Taken:
        """Take one step from a state with known contacts."""
        mechanism, h = setting.mechanism, setting.h
        free = mechanism.free
        kinematics, initial_velocity = JointKinematics(mechanism.joints, state.E), state.velocity
        impacts = solve_sequential_impacts(setting, kinematics, state, points)
        if impacts is not None:
            state = state.with_velocity(impacts.velocity)
        velocity = state.velocity
        target = joint_velocity_constraints(mechanism, state, gamma=setting.error_reduction_rate).target
        problem = self.scheme.problem(mechanism, state, h)
        forces = ForceImpulses(
            gravity=h * free.gravity_force(state), applied=h * free.linearized_applied_forces(state).f
        )
        rows = unchecked.contact_jacobian(points, state.E)
        contacts = ContactTargets(points, rows, min_normal_velocities(setting, state, points, rows))
        kick = solve_velocities(
            setting, problem, velocity, forces, JointTargets(kinematics, target), contacts
        )
        if impacts is not None:
            kick = impacts.prepend_to(kick, initial_velocity)

        end_state = self.scheme.advance(mechanism, state, kick.after, h)
        projected_state = (
            replace_unchecked(end_state, E=project_poses_unchecked(mechanism, end_state.E))
            if setting.uses_projection
            else end_state
        )
        separated_state, end_points = resolve_overlaps(setting, projected_state)
        start_state = state.with_velocity(kick.after)
        work = energy_account(mechanism, (kick,), (start_state, end_state), separated_state)
        # The remaining momentum: the rotation of frames, and the implicit part of the forces.
        mass = mechanism.mass_matrix(state)
        unexplained_impulse = (
            problem.momentum - mass @ velocity - sum(forces) - (problem.mass - mass) @ kick.after
        )
        work = work._replace(integrator=work.integrator + float(unexplained_impulse @ kick.mean_velocity))
        return Taken(separated_state, end_points, kick.joints, kick.contacts, work)
