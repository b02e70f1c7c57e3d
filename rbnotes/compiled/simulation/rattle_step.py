"""One RATTLE step: velocity update, free motion, velocity update, and the energy account.

The reference is :mod:`rbnotes.multibody.maximal.rattle_integrator`, which takes over exceptional steps:
large joint errors, dependent joint rows, friction that Newton's method and the central path do not solve, and
long steps. Python evaluates applied forces, and separates overlapping bodies of models with joints.
"""

import math
from typing import Any, NamedTuple

from rbnotes.compiled.contact_solver.envelope_factors import (
    factor_cholesky,
    factor_lu,
    solve_cholesky,
    solve_lu,
)
from rbnotes.compiled.contact_solver.joint_constraints import (
    add_impulses,
    assemble_error_derivative,
    assemble_joint_system,
    compute_constraint_error,
    compute_constraint_jacobian,
    compute_joint_geometry,
    constraint_velocities,
    free_constraint_accelerations,
    impulse_responses,
)
from rbnotes.compiled.contact_solver.velocity_update import (
    VelocityProblem,
    VelocitySolution,
    has_impacts,
    kinetic_energy,
    resting_velocity,
    select_active_contacts,
    separation_displacements,
    solve_joint_impulses,
    solve_velocities,
    update_contact_velocities,
)
from rbnotes.compiled.decorators import jit_inline, jit_noalloc
from rbnotes.compiled.linear_algebra import copy_array, copy_rows, max_abs, nan_max, norm
from rbnotes.compiled.record_layout import (
    CONTACT_WORK,
    ENERGY,
    FORCE_WORK,
    INTEGRATOR_WORK,
    JOINT_WORK,
    NEEDS_REFERENCE,
    OVERLAPPING,
    RESIDUAL,
    SEPARATION_WORK,
    STEP_TAKEN,
)
from rbnotes.compiled.simulation.body_states import contact_margin, displace_bodies, write_poses
from rbnotes.compiled.simulation.free_motion import (
    advance_free_motion,
    displacement_derivatives,
    energy,
)
from rbnotes.compiled.simulation.joint_tree import (
    correct_tree_impulses,
    factor_tree_velocities,
    joint_velocities,
    solve_tree_velocities,
)
from rbnotes.compiled.simulation.python_callbacks import (
    applied_force_work,
    evaluate_applied_forces,
    separate_bodies,
)
from rbnotes.compiled.simulation.step_contacts import contact_impulse_work, detect_step_contacts
from rbnotes.compiled.structure_references import reference
from rbnotes.unchecked.stabilization import (
    ENERGY_CHANGE_TOLERANCE,
    MAX_NEWTON_ITERATIONS,
    PROJECTION_REGULARIZATION,
    PROJECTION_TOLERANCE,
)


class RattleContext(NamedTuple):
    """Bodies, joints, colliders and parameters that all steps of a run share.

    Attributes
    ----------
    bodies
        The :class:`~rbnotes.compiled.contact_solver.joint_constraints.Bodies`.
    joints
        The :class:`~rbnotes.compiled.contact_solver.joint_constraints.Joints`.
    tree
        The :class:`~rbnotes.compiled.simulation.joint_tree.JointTree`.
    colliders
        The :class:`~rbnotes.compiled.simulation.step_contacts.Colliders`.
    parameters
        The :class:`~rbnotes.compiled.contact_solver.velocity_update.StepParameters`.
    callbacks
        The :class:`~rbnotes.compiled.simulation.python_callbacks.CallbackBuffers`.
    """

    bodies: Any
    joints: Any
    tree: Any
    colliders: Any
    parameters: Any
    callbacks: Any


class StepStart(NamedTuple):
    """Start of a step.

    Attributes
    ----------
    state
        The :class:`~rbnotes.compiled.contact_solver.velocity_update.BodyStates`.
    max_mobility
        Largest mobility of the joints, zero in models without loops.
    num_contacts
        Number of contacts, the first rows of ``StepRecords.contacts[0]``.
    last_contacts
        Contacts of the previous velocity update, with their impulses in the world.
    """

    state: Any
    max_mobility: Any
    num_contacts: Any
    last_contacts: Any


class StepRecords(NamedTuple):
    """Results of one step.

    Attributes
    ----------
    contacts
        Contacts of the first update, of the second one, at the end of the step, and of impacts
        ``(4, c, 20)``.
    last_contacts
        Contacts with their impulses in the world, of both updates ``(2, c, 20)``.
    summary
        Energy, works and residual, in the order of :mod:`~rbnotes.compiled.record_layout`.
    impulses
        Joint impulses of both updates and of impacts ``(3, m)``.
    """

    contacts: Any
    last_contacts: Any
    summary: Any
    impulses: Any


class StepWorkspace(NamedTuple):
    """Working memory of one step.

    Attributes
    ----------
    v
        Velocities ``(n + 1, 6)``.
    incoming
        Velocities at the end of the free motion ``(n + 1, 6)``.
    means
        Mean velocities of an update ``(n + 1, 6)``.
    target
        Target velocities of the joint rows ``(m,)``.
    correction
        Regularization of the target, or mean velocities along the joint rows ``(m,)``.
    D
        Displacement derivatives ``(n + 1, 3, 3)``.
    displaced_responses
        Displacements per unit impulse ``(m, 2, 6)``.
    lower
        Lower factor of the error derivative, by rows.
    upper
        Upper factor of the error derivative, by columns.
    poses
        Poses of bodies and world ``(n + 1, 4, 4)``.
    contact_points
        Shapes and places of contacts ``(c, 9)``.
    series
        Terms of the free rotation's power series.
    rotation
        Rotation matrix of a free motion ``(3, 3)``.
    tree
        The :class:`~rbnotes.compiled.simulation.joint_tree.TreeWorkspace`.
    """

    v: Any
    incoming: Any
    means: Any
    target: Any
    correction: Any
    D: Any
    displaced_responses: Any
    lower: Any
    upper: Any
    poses: Any
    contact_points: Any
    series: Any
    rotation: Any
    tree: Any


@jit_noalloc
def factor_joint_system(bodies, joints, state):
    """Write and factor the joint system; return the largest mobility, negative if rows may be dependent."""
    system, max_mobility = state.system, 0.0
    compute_constraint_jacobian(joints, state.R, state.geometry, system.jacobian)
    impulse_responses(bodies, joints.row_bodies, system.jacobian, system.responses)
    assemble_joint_system(joints, system.jacobian, system.responses, system.factor)
    for r in range(len(joints.first_column)):
        max_mobility = max(max_mobility, system.factor[joints.row_offset[r] + r])
    return max_mobility if factor_cholesky(system.factor, joints.first_column, joints.row_offset) else -1.0


@jit_noalloc
def compute_joints(joints, state, scratch):
    """Write geometry and errors of the joints; return False if one is rotated by a quarter turn or more."""
    compute_joint_geometry(joints, state.R, state.center, state.geometry)
    return compute_constraint_error(joints, state.R, state.geometry, state.constraint_error, scratch)


@jit_noalloc
def prepare_joints(bodies, joints, tree, state, num_contacts, workspace):
    """Write and factor the systems of the joints; return the largest mobility, negative on failure.

    Trees need the system of the multipliers only where contacts couple them, and no mobility.
    """
    if len(tree.body) == 0:
        return factor_joint_system(bodies, joints, state)
    if not factor_tree_velocities(bodies, joints, tree, state, workspace.tree):
        return -1.0
    return 0.0 if num_contacts == 0 or factor_joint_system(bodies, joints, state) > 0 else -1.0


@jit_noalloc
def solve_joints(joints, tree, state, v, target, impulses, workspace):
    """Compute the joint impulses that bring the joint velocities to `target`, and add their effect to v."""
    if len(tree.body) == 0:
        solve_joint_impulses(joints, state.system, v, target, impulses)
    else:
        solve_tree_velocities(joints, tree, state, v, target, impulses, workspace.tree)


@jit_inline
def take_step(context, start, final, records, workspace):
    """Take a step; write the state at its end and the records.

    Returns
    -------
    status : int
        Status of the step, see :mod:`rbnotes.compiled.record_layout`.
    max_mobility : float
        Largest mobility of the joints at the end.
    num_impacts, num_second, num_contacts : int
        Numbers of contacts of the impacts, of the second velocity update, and of those near at the end.
    """
    bodies, joints, tree, colliders, parameters, callbacks = context
    initial, max_mobility, count = start.state, start.max_mobility, start.num_contacts
    v, incoming, target = workspace.v, workspace.incoming, workspace.target
    contacts, last_contacts = records.contacts[0, :count], start.last_contacts
    max_residual, is_converged, num_impacts, contact_work, joint_work = 0.0, True, 0, 0.0, 0.0
    start_energy = kinetic_energy(bodies, initial.v)
    for r in range(len(target)):
        records.impulses[2, r] = 0.0
    if count and has_impacts(contacts, initial, parameters):
        num_impacts, impacts, impulses = count, records.contacts[3, :count], records.impulses[2]
        for b in range(len(v)):
            copy_array(initial.v[b], incoming[b])
            copy_array(initial.v[b], v[b])
        copy_rows(contacts, count, impacts)
        constraint_velocities(initial.system.jacobian, joints.row_bodies, initial.v, target)
        problem = VelocityProblem(
            initial, impacts, resting_velocity(parameters), target, incoming, last_contacts
        )
        last_contacts = records.last_contacts[0, :count]
        solution = VelocitySolution(v, impulses, last_contacts)
        max_residual, is_converged = solve_velocities(
            bodies, joints, parameters, reference(problem), reference(solution)
        )
        if not is_converged:
            return NEEDS_REFERENCE, max_mobility, 0, 0, 0
        contact_work = contact_impulse_work(impacts)
        joint_work = joint_impulse_work(joints, tree, initial, incoming, v, impulses, workspace)
        for b in range(len(v)):
            copy_array(v[b], initial.v[b])
    if not evaluate_applied_forces(bodies, callbacks, parameters, initial):
        return NEEDS_REFERENCE, max_mobility, 0, 0, 0
    add_force_impulses(parameters, initial.v, v)
    joint_velocity_target(bodies, joints, parameters.h, initial, max_mobility, workspace, target)
    if count:
        problem = VelocityProblem(initial, contacts, -math.inf, target, initial.v, last_contacts)
        last_contacts = records.last_contacts[0, :count]
        solution = VelocitySolution(v, records.impulses[0], last_contacts)
        residual, is_converged = solve_velocities(
            bodies, joints, parameters, reference(problem), reference(solution)
        )
        max_residual = nan_max(max_residual, residual)
    else:
        solve_joints(joints, tree, initial, v, target, records.impulses[0], workspace)
    if not is_converged or not constrained_free_motion(
        bodies, joints, tree, parameters.h, initial, v, records.impulses[0], final, workspace
    ):
        return NEEDS_REFERENCE, max_mobility, 0, 0, 0
    if len(target):
        update_contact_velocities(contacts, initial, v)
    integrator_work = energy(bodies, parameters.gravity, final.center, final.v) - energy(
        bodies, parameters.gravity, initial.center, v
    )
    integrator_work += gravity_work(bodies, parameters, initial.v, v)
    joint_work += joint_impulse_work(joints, tree, initial, initial.v, v, records.impulses[0], workspace)
    contact_work += contact_impulse_work(contacts)
    force_work = applied_force_work(bodies, parameters, initial.v, v)

    status, num_contacts = find_step_contacts(
        bodies, colliders, parameters, final, records.contacts[2], workspace, parameters.slop
    )
    separation = 0.0
    if status == OVERLAPPING:
        separation -= energy(bodies, parameters.gravity, final.center, final.v)
        if len(target) == 0 and separation_displacements(
            bodies, joints, parameters.slop, final, records.contacts[2, :num_contacts], incoming
        ):
            displace_bodies(bodies, incoming, final)
        elif not separate_bodies(bodies, callbacks, final) or not compute_joints(
            joints, final, workspace.series
        ):
            return NEEDS_REFERENCE, max_mobility, 0, 0, 0
        separation += energy(bodies, parameters.gravity, final.center, final.v)
        status, num_contacts = find_step_contacts(
            bodies, colliders, parameters, final, records.contacts[2], workspace, math.inf
        )
    if status != STEP_TAKEN:
        return status, max_mobility, 0, 0, 0
    max_mobility = prepare_joints(bodies, joints, tree, final, num_contacts, workspace)
    if max_mobility < 0:
        return NEEDS_REFERENCE, max_mobility, 0, 0, 0
    for b in range(len(incoming)):
        copy_array(final.v[b], incoming[b])
    for r in range(len(target)):
        target[r] = 0.0
    callbacks.time[0] += parameters.h
    if not evaluate_applied_forces(bodies, callbacks, parameters, final):
        return NEEDS_REFERENCE, max_mobility, 0, 0, 0
    if callbacks.has_forces:  # evaluated at the velocities without contact impulses
        add_force_impulses(parameters, incoming, final.v)
        solve_joints(joints, tree, final, final.v, target, records.impulses[1], workspace)
        if not evaluate_applied_forces(bodies, callbacks, parameters, final):
            return NEEDS_REFERENCE, max_mobility, 0, 0, 0
    add_force_impulses(parameters, incoming, final.v)
    num_second = select_active_contacts(
        records.contacts[2, :num_contacts], parameters, final, incoming, records.contacts[1]
    )
    second_contacts = records.contacts[1, :num_second]
    if num_second:
        second_problem = VelocityProblem(final, second_contacts, -math.inf, target, incoming, last_contacts)
        second_solution = VelocitySolution(
            final.v, records.impulses[1], records.last_contacts[1, :num_second]
        )
        residual, is_converged = solve_velocities(
            bodies, joints, parameters, reference(second_problem), reference(second_solution)
        )
        max_residual = nan_max(max_residual, residual)
    else:
        solve_joints(joints, tree, final, final.v, target, records.impulses[1], workspace)
    integrator_work += gravity_work(bodies, parameters, incoming, final.v)
    force_work += applied_force_work(bodies, parameters, incoming, final.v)
    joint_work += joint_impulse_work(joints, tree, final, incoming, final.v, records.impulses[1], workspace)
    contact_work += contact_impulse_work(second_contacts)
    if not is_converged or not is_energy_consistent(
        bodies, joints, parameters, start_energy, final.v, joint_work + integrator_work
    ):
        return NEEDS_REFERENCE, max_mobility, 0, 0, 0
    final_energy, summary = energy(bodies, parameters.gravity, final.center, final.v), records.summary
    if not math.isfinite(final_energy):
        return NEEDS_REFERENCE, max_mobility, 0, 0, 0
    summary[ENERGY] = final_energy
    summary[JOINT_WORK], summary[CONTACT_WORK], summary[INTEGRATOR_WORK], summary[RESIDUAL] = (
        joint_work,
        contact_work,
        integrator_work,
        max_residual,
    )
    summary[FORCE_WORK], summary[SEPARATION_WORK] = force_work, separation
    return STEP_TAKEN, max_mobility, num_impacts, num_second, num_contacts


@jit_noalloc
def is_energy_consistent(bodies, joints, parameters, start_energy, after, work):
    """Return True if joints and free motion change the energy by at most the tolerance.

    ``start_energy`` is the kinetic energy at the start of the step.
    """
    fall_speed, mass = parameters.h * norm(parameters.gravity), 0.0
    for b in range(len(bodies.mass)):
        mass += bodies.mass[b]
    scale = max(start_energy, kinetic_energy(bodies, after)) + fall_speed * fall_speed * mass / 2
    return len(joints.body) == 0 or abs(work) <= ENERGY_CHANGE_TOLERANCE * scale


@jit_noalloc
def add_force_impulses(parameters, v, out):
    """Write velocities with half a step's impulse of gravity and of applied forces."""
    for b in range(len(v)):
        gravity_time = parameters.h / 2 if b < len(v) - 1 else 0.0
        for k in range(3):
            out[b, k] = v[b, k] + parameters.force_velocity[b, k]
            out[b, 3 + k] = (
                v[b, 3 + k] + gravity_time * parameters.gravity[k] + parameters.force_velocity[b, 3 + k]
            )


@jit_noalloc
def joint_velocity_target(bodies, joints, h, initial, max_mobility, workspace, target):
    """Write the joint velocities that cancel the joint errors after a step, to second order in h."""
    correction, error, R, v = workspace.correction, initial.constraint_error, initial.R, initial.v
    free_constraint_accelerations(bodies, joints, R, initial.geometry, v, workspace.means, target)
    for r in range(len(target)):
        target[r] = -error[r] / h - h / 2 * target[r]
        correction[r] = target[r]
    if max_mobility == 0:
        return
    # The reference regularizes the rows; here to first order in the regularization.
    solve_cholesky(initial.system.factor, joints.first_column, joints.row_offset, correction)
    for r in range(len(target)):
        target[r] -= PROJECTION_REGULARIZATION * max_mobility * correction[r]


@jit_inline
def constrained_free_motion(bodies, joints, tree, h, initial, v, impulses, final, workspace):
    """Advance the bodies, and correct joint impulses and velocities until the joint errors vanish."""
    error, constraint_error = math.inf, final.constraint_error
    if len(impulses) == 0:
        return advance_free_motion(bodies, h, initial, v, final, workspace)
    for _ in range(MAX_NEWTON_ITERATIONS):
        if not advance_free_motion(bodies, h, initial, v, final, workspace):
            return False
        if not compute_joints(joints, final, workspace.series):
            return False
        before, error = error, max_abs(constraint_error)
        if error <= PROJECTION_TOLERANCE:
            return True
        if not error <= before / 2:
            return False
        displacement_derivatives(bodies, h, v, workspace.D)
        if len(tree.body) == 0:
            is_corrected = correct_impulses(joints, h, initial, final, v, impulses, workspace)
        else:
            is_corrected = correct_tree_impulses(
                bodies, joints, tree, h, initial, final, workspace.D, v, impulses, workspace.tree
            )
        if not is_corrected:
            return False
    return False


@jit_noalloc
def correct_impulses(joints, h, initial, final, v, impulses, workspace):
    """Take a Newton step of the joint impulses and velocities; return False if a pivot is zero."""
    size, system, correction = len(impulses), initial.system, final.constraint_error
    lower, upper = workspace.lower, workspace.upper
    compute_constraint_jacobian(joints, final.R, final.geometry, final.system.jacobian)
    assemble_error_derivative(
        joints,
        final.system.jacobian,
        system.responses,
        workspace.D,
        h,
        workspace.displaced_responses,
        lower,
        upper,
    )
    max_mobility = 0.0
    for r in range(size):
        max_mobility = max(max_mobility, abs(upper[joints.row_offset[r] + r]))
    for r in range(size):
        upper[joints.row_offset[r] + r] += PROJECTION_REGULARIZATION * max_mobility
    if not factor_lu(lower, upper, joints.first_column, joints.row_offset):
        return False
    solve_lu(lower, upper, joints.first_column, joints.row_offset, correction)
    for r in range(size):
        correction[r] = -correction[r]
        impulses[r] += correction[r]
    add_impulses(system.responses, joints.row_bodies, correction, v)
    return True


@jit_noalloc
def find_step_contacts(bodies, colliders, parameters, state, contacts, workspace, slop):
    """Write the contacts that may close within the next step; return the status and their number."""
    if len(colliders.body) == 0:
        return STEP_TAKEN, 0
    write_poses(state, workspace.poses)
    margin = contact_margin(bodies, colliders.bounding_radii, parameters.h, parameters.gravity, state)
    return detect_step_contacts(colliders, workspace.poses, margin, slop, workspace.contact_points, contacts)


@jit_noalloc
def joint_impulse_work(joints, tree, state, before, after, impulses, workspace):
    """Return the sum of joint impulses times mean velocities."""
    total, means = 0.0, workspace.means
    for b in range(len(means)):
        for k in range(6):
            means[b, k] = (before[b, k] + after[b, k]) / 2
    if len(tree.body) == 0:
        constraint_velocities(state.system.jacobian, joints.row_bodies, means, workspace.correction)
    else:
        joint_velocities(joints, state.R, state.geometry, means, workspace.correction)
    for r in range(len(impulses)):
        total += impulses[r] * workspace.correction[r]
    return total


@jit_noalloc
def gravity_work(bodies, parameters, before, after):
    """Return the work of gravity over half a step: impulses times mean velocities."""
    total = 0.0
    for b in range(len(bodies.mass)):
        for k in range(3):
            mean = (before[b, 3 + k] + after[b, 3 + k]) / 2
            total += bodies.mass[b] * parameters.h / 2 * parameters.gravity[k] * mean
    return total
