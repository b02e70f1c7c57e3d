"""RATTLE for rigid bodies: the default step of the simulator, of second order, with contact and friction.

The free motion of a body is known exactly, including its rotation. Forces, joints and contacts therefore act
as impulses at the ends of each step, and the bodies move freely in between:

    M phi'   = M phi_k                    + G_k^T nu     + C_k^T r,       impacts of elastic bodies,
    M psi    = M phi' + h/2 f(E_k)        + G_k^T lambda + C_k^T p,       first velocity update,
    (E_{k+1}, psi') = free motion of (E_k, psi) for the time h,           free motion,
    M phi_{k+1} = M psi' + h/2 f(E_{k+1}) + G_{k+1}^T mu + C_{k+1}^T p',  second velocity update.

The multipliers lambda satisfy the joints for the *poses* at the end of the free motion, g(E_{k+1}) = 0; mu
satisfy them for the *velocities* there, ``G_{k+1} phi_{k+1} = 0``. The step is its own inverse with -h.
Hence its error is of even order, two, for any joints. Impulses of conservative forces, impulses ``G^T`` times
multipliers that are derivatives of g, and free motions are symplectic maps: the energy
oscillates, by about h^2, and does not drift (Ryckaert, Ciccotti and Berendsen; Andersen; Hairer, Lubich and
Wanner VII.1.4).

Rotors of joints (armature) are bodies of their own with one coordinate each, and move freely, too: their
positions equal the coordinates of the joints at both ends of a step, and their velocities the rates.

Elastic bodies rebound before the forces of the step act: together with these, an impact would leave
velocities with an error of first order. Contacts act in both updates of the forces, too. Before the free
motion bodies may approach at gap/h, so that the gap closes during the motion and no further; after it,
touching bodies may not approach. (As in the nonsmooth RATTLE of Capobianco, Harsch, Eugster and Leine.)
Forces that depend on velocities use predicted velocities after the update, which are accurate to second
order.

Contacts that stick on curved surfaces keep an error of first order. The first update stops the points that
touch at the start, ``C_k psi = (-gap/h, 0, 0)``. Without slip the velocity ``C(E(t)) phi(t)`` vanishes at all
times, although other points come to touch; in the middle of the step the velocity of the first points is
``C_k psi = (-gap/h, 0, 0) - h/2 d/dt (C phi)`` to first order, with the rate along the free motion from
``(E_k, phi_k)``. For an ellipsoid that rolls on a plane this term makes the step one of second order; the
solvers of contacts have no target for tangential velocities yet. It vanishes for rolling balls and cylinders.

Contacts that slide in a direction that turns keep an error of first order, too: the friction of an update
opposes the velocity at its end, so that the two updates of a step have the directions at h/2 and h instead of
those at 0 and h. The same holds for impacts without restitution, whose friction turns with the forces of the
update. An impact before the forces, as for elastic bodies, reduces this error but not its order. In a fixed
direction of sliding both are exact.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from rbnotes.arguments import Array, Matrix
from rbnotes.constraints.kkt import factor_kkt_unchecked
from rbnotes.contact import ContactPoints, unchecked
from rbnotes.contact.body_pair_jacobian import BodyPairJacobian, relative_velocities
from rbnotes.contact.prediction import (
    closing_velocities,
    normal_velocity_targets_unchecked,
    rebounding_contacts,
)
from rbnotes.dynamics import Scheme, State, zero_forces
from rbnotes.dynamics.free_body_schemes import advance_free_motion, external_force_problem
from rbnotes.dynamics.step_problem import unconstrained_problem
from rbnotes.errors import NotConverged
from rbnotes.multibody.maximal.first_order_integrator import FirstOrderIntegrator
from rbnotes.multibody.maximal.impacts import solve_sequential_impacts
from rbnotes.multibody.maximal.joint_space import JointConfiguration, JointSpaceImpulses, Rotors
from rbnotes.multibody.maximal.model import project_poses_unchecked
from rbnotes.multibody.maximal.stepping import (
    ContactTargets,
    Correction,
    Equations,
    ForceImpulses,
    JointSpaceUpdate,
    StepContext,
    StepResult,
    VelocityConstraints,
    VelocityUpdate,
    combine_updates,
    min_normal_velocities,
    persistent_contacts,
    resolve_overlaps,
    solve_velocities,
    solve_with_correction,
)
from rbnotes.multibody.step_settings import SEQUENTIAL
from rbnotes.unchecked import so3
from rbnotes.unchecked.frozen import replace_unchecked
from rbnotes.unchecked.linear_algebra import matvec
from rbnotes.unchecked.stabilization import (
    ENERGY_CHANGE_TOLERANCE,
    JOINT_ERROR_TOLERANCE,
    MAX_NEWTON_ITERATIONS,
    PROJECTION_REGULARIZATION,
    PROJECTION_TOLERANCE,
    least_norm_correction,
)

MAX_HALVINGS = 5
"""Largest number of halvings of a step; then a step of first order is taken, which dissipates energy."""


@dataclass(frozen=True)
class Rattle:
    """Integrator of second order; :data:`rattle` is its instance."""

    def step(
        self, context: StepContext, state: State, points: ContactPoints, joints: JointConfiguration
    ) -> StepResult:
        """Take one step from a state with these contacts and joints."""
        return _step_with_halving(context, state, points, joints, MAX_HALVINGS)

    def try_step(
        self, context: StepContext, state: State, points: ContactPoints, joints: JointConfiguration
    ) -> StepResult | None:
        """Return one step, or None if the joints cannot be satisfied in it."""
        first_half = _first_update_and_free_motion(context, state, points, joints)
        if first_half is None:
            return None
        at_start, end_state, end_constraints = first_half
        first = at_start[-1]
        separated_state, end_points, constraints = resolve_overlaps(context, end_state, end_constraints)
        second = _second_update(context, separated_state, end_points, constraints, first.rotor_velocity)
        model = context.model
        start_state = state.with_velocity(first.after)
        result = combine_updates(
            (*at_start, second),
            separated_state.with_velocity(second.after),
            end_points,
            [model.energy(each) for each in (start_state, end_state, separated_state)],
            sum(joint.num_constraints for joint in model.joints),
        )
        return result._replace(joints=constraints.joints)


rattle = Rattle()
"""Integrator of second order in poses and velocities, which satisfies the joints in both; its energy does not
drift.
"""


first_order_fallback = FirstOrderIntegrator(Scheme(external_force_problem, advance_free_motion))
"""Integrator of first order that satisfies joint velocities and projects poses; it never fails."""


def _step_with_halving(
    context: StepContext, state: State, points: ContactPoints, joints: JointConfiguration, halvings: int
) -> StepResult:
    """Take one step, or two of half the size if the joint impulses are implausibly large.

    Raises
    ------
    NotConverged
        If the constraints of joint coordinates cannot be satisfied.
    """
    if halvings:
        result = rattle.try_step(context, state, points, joints)
    elif joints.joint_space is None:
        result = first_order_fallback.step(context, state, points, joints)
    else:
        message = f"constraints at t = {state.t:g} s: no velocities satisfy them at the end of the step"
        raise NotConverged(message, state.velocity, np.inf)
    # Without joints there are no implausible impulses; prescribed motions may require large ones.
    accepts_any = not context.model.joints or joints.joint_space is not None or not halvings
    if result is not None and (accepts_any or _has_plausible_energy(context, state, result)):
        return result
    half_step = replace(context.settings, h=context.settings.h / 2)
    half_context = replace(context, settings=half_step)
    first = _step_with_halving(half_context, state, points, joints, halvings - 1)
    middle = context.joints_after(first)
    return first.append(_step_with_halving(half_context, first.state, first.points, middle, halvings - 1))


def _has_plausible_energy(context: StepContext, state: State, result: StepResult) -> bool:
    free_system = context.model.free_system
    fall_speed = context.settings.h * float(np.linalg.norm(context.model.gravity))
    speeds = (each.velocity for each in (state, result.state))
    kinetic = max(float(v @ (free_system.sparse_mass_matrix @ v)) / 2 for v in speeds)
    scale = kinetic + fall_speed**2 * float(np.sum(free_system.mass_properties.mass)) / 2
    return bool(abs(result.work.joints + result.work.integrator) <= ENERGY_CHANGE_TOLERANCE * scale)


def _first_update_and_free_motion(
    context: StepContext, state: State, points: ContactPoints, joints: JointConfiguration
) -> tuple[list[VelocityUpdate], State, VelocityConstraints] | None:
    """Return the velocity updates, the state after the free motion and the equations there.

    The result is None if the joints fail.
    """
    model, h = context.model, context.settings.h
    free_system, end_time = model.free_system, state.t + h
    constraints = VelocityConstraints(joints, state, end_time)
    if context.settings.uses_projection and constraints.max_joint_error > JOINT_ERROR_TOLERANCE:
        state = replace_unchecked(state, E=project_poses_unchecked(model, state.E))
        joints = context.move_joints(joints, state.E)
        constraints = VelocityConstraints(joints, state, end_time)
    errors = constraints.error
    mass, rows = context.mass_matrix(state, joints), unchecked.contact_jacobian(points, state.E)
    G, updates = constraints.jacobian_like(mass), []
    impact = _solve_impacts(context, constraints, state, mass, G, points, rows)
    if impact is not None:
        updates.append(impact)
        state = state.with_velocity(impact.after)
    velocity = state.velocity
    responses = free_system.sparse_inverse_mass_matrix @ G.T
    target_errors = np.zeros_like(errors)
    if not context.settings.uses_projection:
        # The errors at the start refer to the prescribed motions at the start.
        start = constraints if joints.joint_space is None else VelocityConstraints(joints, state, state.t)
        target_errors = start.error * (1.0 - context.settings.error_reduction_rate * h)

    # The errors after free motion with the velocity v, to second order in h.
    target = np.zeros_like(errors)
    if len(errors):
        gyroscopic_acceleration = free_system.sparse_inverse_mass_matrix @ free_system.gyroscopic_wrenches(
            state
        )
        target = (target_errors - errors) / h - h / 2 * (
            G @ gyroscopic_acceleration + constraints.bias_acceleration(state.phi)
        )
        target = G @ least_norm_correction(G, responses, -target)

    forces = ForceImpulses(
        gravity=h / 2 * free_system.gravity_force(state),
        applied=h / 2 * free_system.linearized_applied_forces(state).f,
    )
    rotors = joints.rotors()
    mean_rotor_velocity = _mean_rotor_velocity(context, joints, rotors, state, velocity)
    momentum = mass @ velocity + forces.gravity + forces.applied
    joint_space = _first_joint_space_update(context, constraints, state, mass, forces)
    normal_velocities = min_normal_velocities(context, points, closing_velocities(points, h))
    contacts = ContactTargets(points, rows, normal_velocities)

    def solve(correction: Correction | None) -> VelocityUpdate:
        equations, rotor_lead = Equations(G, target), mean_rotor_velocity - rotors.rows @ velocity
        if correction is not None:
            equations = Equations(G, G @ correction.velocity)
            rotor_lead = correction.rotor_velocity - rotors.rows @ correction.velocity
        rotor_impulse = rotors.rows.T @ (rotors.armature * rotor_lead)
        problem = unconstrained_problem(mass, momentum - rotor_impulse)
        update = solve_velocities(context, problem, velocity, forces, equations, contacts, joint_space)
        return update._replace(rotor_velocity=rotors.rows @ update.after + rotor_lead)

    def correct(update: VelocityUpdate) -> Correction | None:
        return _correct_constraints(context, state, joints, update, G, responses, target_errors, rotors)

    has_bearings = joint_space is not None and joint_space.bearings is not None
    corrected = solve_with_correction(solve, correct, num_updates=None if has_bearings else 1)
    if corrected is None:
        return None
    update, correction = corrected
    update = update.add_multipliers(
        correction.velocity, correction.multipliers, G, relative_velocities(rows, correction.velocity)
    )
    updates.append(_add_rotors(update, rotors, rotors.rows @ velocity, correction.rotor_velocity))
    end_state, end_constraints = correction.end_state, correction.end_constraints
    if end_constraints is None:
        end_joints = context.move_joints(joints, end_state.E)
        end_constraints = VelocityConstraints(end_joints, end_state, end_state.t)
    return updates, end_state, end_constraints


def _solve_impacts(
    context: StepContext,
    constraints: VelocityConstraints,
    state: State,
    mass: Matrix,
    G: Matrix,
    points: ContactPoints,
    rows: BodyPairJacobian,
) -> VelocityUpdate | None:
    """Return the impacts of elastic bodies at the start of a step, or None if there are none.

    Parameters
    ----------
    G
        Rows of the equations ``(m, 6 n)``, along which velocities keep their values.
    """
    settings, gravity, velocity = context.settings, context.model.gravity, state.velocity
    approach = relative_velocities(rows, velocity)[:, 0]
    if not np.any(rebounding_contacts(points, approach, settings.h, gravity)):
        return None
    joints, joint_space = constraints.joints, None
    rotors, num_coordinates = joints.rotors(), len(joints.coordinates_and_rates(velocity)[0])
    if settings.impacts == SEQUENTIAL:
        sequence = solve_sequential_impacts(settings, points, rows, mass, G, velocity, gravity)
        if sequence is None:
            return None
        update = sequence.velocity_update(points, rows, velocity, G, num_coordinates)
    else:
        if joints.joint_space is not None and constraints.joint_space is not None:
            joint_space = JointSpaceUpdate(
                JointSpaceImpulses.none(len(velocity), num_coordinates),
                constraints.joint_space.reached_limits(settings.slop),
                joints.joint_space.bearings(state, constraints.kinematics),
            )
        targets = normal_velocity_targets_unchecked(points, approach, settings.h, gravity)
        no_force = np.zeros(len(velocity))
        update = solve_velocities(
            context,
            unconstrained_problem(mass, mass @ velocity),
            velocity,
            ForceImpulses(no_force, no_force),
            Equations(G, G @ velocity),
            ContactTargets(points, rows, targets),
            joint_space,
        )
    return _add_rotors(update, rotors, rotors.rows @ velocity, rotors.rows @ update.after)


def _correct_constraints(
    context: StepContext,
    state: State,
    joints: JointConfiguration,
    update: VelocityUpdate,
    G: Matrix,
    responses: Matrix,
    target_errors: Array,
    rotors: Rotors,
) -> Correction | None:
    """Return the correction of the first update by Newton's method, or None if that does not converge.

    Parameters
    ----------
    joints, G, rotors
        Joints, rows of the equations ``(m, 6 n)``, and rotors, at the start of the step.
    responses
        Velocities of the bodies ``(6 n, m)`` under unit impulses along the rows.
    target_errors
        Errors of the equations ``(m,)`` after the free motion.
    """
    model, h = context.model, context.settings.h
    num_rows, has_rotors = len(target_errors), bool(len(rotors.armature))
    corrected_velocity, rotor_velocity = update.after, update.rotor_velocity
    multipliers, error = np.zeros(num_rows), np.inf
    if not num_rows and not has_rotors:
        end_state = advance_free_motion(model, state, corrected_velocity, h)
        return Correction(corrected_velocity, multipliers, rotor_velocity, end_state)
    if has_rotors:
        # An impulse on bodies that changes the velocity of a rotor by -1.
        rotor_responses = model.free_system.sparse_inverse_mass_matrix @ (rotors.rows.T * rotors.armature)
        responses = np.concatenate([responses, rotor_responses], axis=1)
    for _ in range(MAX_NEWTON_ITERATIONS):
        end_state = advance_free_motion(model, state, corrected_velocity, h)
        joints = context.move_joints(joints, end_state.E)
        end_constraints = VelocityConstraints(joints, end_state, end_state.t)
        residual = end_constraints.error - target_errors
        if has_rotors:
            end_rotors = joints.rotors()
            slip = end_rotors.position - rotors.position - h * rotor_velocity
            residual = np.concatenate([residual, slip])
        error, previous_error = float(np.max(np.abs(residual))), error
        if error <= PROJECTION_TOLERANCE:
            return Correction(corrected_velocity, multipliers, rotor_velocity, end_state, end_constraints)
        if error > previous_error / 2:
            return None
        end_rows = end_constraints.jacobian_like(G)
        if has_rotors:
            end_rows = np.concatenate([end_rows, end_rotors.rows])
        error_derivative = end_rows @ (
            _displacement_derivative(context, corrected_velocity, state.E, end_state.E) @ responses
        )
        if has_rotors:
            error_derivative[num_rows:, num_rows:] += h * np.eye(len(rotors.armature))
        correction = _solve_regularized(error_derivative, residual)
        corrected_velocity, multipliers = (
            corrected_velocity - responses @ correction,
            multipliers - correction[:num_rows],
        )
        rotor_velocity = rotor_velocity + correction[num_rows:]
    return None


def _mean_rotor_velocity(
    context: StepContext, joints: JointConfiguration, rotors: Rotors, state: State, velocity: Array
) -> Array:
    """Return the mean velocities ``(r,)`` that rotors have in the free motion of the bodies."""
    if not len(rotors.armature):
        return np.zeros(0)
    end_state = advance_free_motion(context.model, state, velocity, context.settings.h)
    end_rotors = context.move_joints(joints, end_state.E).rotors()
    result: Array = (end_rotors.position - rotors.position) / context.settings.h
    return result


def _add_rotors(update: VelocityUpdate, rotors: Rotors, before: Array, after: Array) -> VelocityUpdate:
    """Return the update with the velocities ``(r,)`` of rotors before and after it."""
    work = rotors.coupling_work((update.before, update.after), (before, after))
    return update._replace(rotor_velocity=after, rotor_work=work)


def _first_joint_space_update(
    context: StepContext,
    constraints: VelocityConstraints,
    state: State,
    mass: Matrix,
    forces: ForceImpulses,
) -> JointSpaceUpdate | None:
    """Return impulses and reachable limits in joint coordinates, or None without a joint space."""
    impulse, velocity = forces.gravity + forces.applied, state.velocity
    joint_space = constraints.joints.joint_space
    if joint_space is None or constraints.joint_space is None:
        return None
    h, slop = context.settings.h, context.settings.slop
    own = joint_space.impulses(state, state, h, is_first=True)
    velocity_change = own.free_velocity_change(mass, velocity, impulse)
    limits = constraints.joint_space.reachable_limits(velocity, velocity_change, h, slop)
    bearings = joint_space.bearings(state, constraints.kinematics)
    return JointSpaceUpdate(own, limits, bearings)


def _second_update(
    context: StepContext,
    state: State,
    points: ContactPoints,
    constraints: VelocityConstraints,
    rotor_velocity: Array,
) -> VelocityUpdate:
    """Return the velocity update at the end of the free motion; the state has the velocities before it.

    Those of the rotors are given: they differ from those of the joints until the update.
    """
    model, h = context.model, context.settings.h
    free_system, velocity = model.free_system, state.velocity
    joints, joint_space = constraints.joints, constraints.joints.joint_space
    mass = context.mass_matrix(state, joints)
    equations = Equations(constraints.jacobian_like(mass), constraints.velocity_target)
    rows = unchecked.contact_jacobian(points, state.E)
    normal_velocities = relative_velocities(rows, velocity)[:, 0]
    is_persistent = persistent_contacts(points, normal_velocities, h, model.gravity, context.settings.slop)
    points, rows = points[is_persistent], rows.select_groups(is_persistent)
    contacts = ContactTargets(points, rows, closing_velocities(points, h))
    gravity = h / 2 * free_system.gravity_force(state)
    rotors = joints.rotors()
    rotor_slip = rotor_velocity - rotors.rows @ velocity
    start_momentum = mass @ velocity + rotors.rows.T @ (rotors.armature * rotor_slip)

    def forces_at(force_state: State) -> ForceImpulses:
        return ForceImpulses(gravity, h / 2 * free_system.linearized_applied_forces(force_state).f)

    def solve(force_state: State) -> VelocityUpdate:
        forces, joint_update = forces_at(force_state), None
        if joint_space is not None and constraints.joint_space is not None:
            own = joint_space.impulses(state, force_state, h, is_first=False)
            limits = constraints.joint_space.reached_limits(context.settings.slop)
            bearings = joint_space.bearings(state, constraints.kinematics)
            joint_update = JointSpaceUpdate(own, limits, bearings)
        problem = unconstrained_problem(mass, start_momentum + forces.gravity + forces.applied)
        update = solve_velocities(context, problem, velocity, forces, equations, contacts, joint_update)
        return _add_rotors(update, rotors, rotor_velocity, rotors.rows @ update.after)

    # Forces and commands at the resulting velocities, to second order.
    has_forces = model.applied_forces is not zero_forces
    if joint_space is None:
        if not has_forces:
            return solve(state)
        forces = forces_at(state)
        momentum = start_momentum + forces.gravity + forces.applied
        predicted = factor_kkt_unchecked(mass, equations.G).solve_unchecked(momentum, equations.target)[0]
        return solve(state.with_velocity(predicted))  # without contacts
    update = solve(state)
    if not (has_forces or joint_space.has_control):
        return update
    return solve(state.with_velocity(update.after))


def _displacement_derivative(context: StepContext, velocity: Array, poses: Array, end_poses: Array) -> Matrix:
    """Return the derivative ``(6 n, 6 n)`` of displacements with respect to the twists at the start.

    Displacements are in the frames at the end of the free motion. The derivative is of second order in h,
    about the centers of mass, which move uniformly.
    """
    h, (_, J, com) = context.settings.h, context.model.free_system.mass_properties
    omega = velocity.reshape(-1, 6)[:, :3]
    momentum, W = matvec(J, omega), so3.hat(omega)
    spin_up = np.linalg.solve(J, so3.hat(momentum) - W @ J)
    blocks = np.zeros((len(com), 6, 6))
    blocks[:, :3, :3] = h * (so3.right_jacobian(h * omega) + h / 2 * spin_up)
    blocks[:, 3:, 3:] = h * end_poses[:, :3, :3].mT @ poses[:, :3, :3]
    to_center = np.tile(np.eye(6), (len(com), 1, 1))
    to_center[:, 3:, :3] = -so3.hat(com)
    from_center = np.tile(np.eye(6), (len(com), 1, 1))
    from_center[:, 3:, :3] = so3.hat(com)
    numbers = np.arange(len(com) + 1)
    return sparse.bsr_array((from_center @ blocks @ to_center, numbers[:-1], numbers))


def _solve_regularized(matrix: Matrix, residual: Array) -> Array:
    """Return joint impulses for the errors; redundant rows are slightly regularized, as in projections."""
    regularization = PROJECTION_REGULARIZATION * np.max(np.abs(matrix.diagonal()), initial=0.0)
    if sparse.issparse(matrix):
        result: Array = splu(
            sparse.csc_array(matrix + regularization * sparse.eye_array(len(residual)))
        ).solve(residual)
        return result
    return np.linalg.solve(matrix + regularization * np.eye(len(residual)), residual)
