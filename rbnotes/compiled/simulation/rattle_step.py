"""Steps of :mod:`rbnotes.multibody.maximal.rattle_integrator`, compiled: kick, flight, kick, and the account of the energy.

What is out of the ordinary is left to the reference: joints that are apart or repeat each other, friction
that Newton's method does not find, steps that are too long. Python is asked for applied forces, and where
bodies that overlap are to be moved.
"""

import math
from collections import namedtuple

from rbnotes.compiled.collision.distance import jit_inline, jit_noalloc, norm
from rbnotes.compiled.collision.narrow_phase import PLACE_SIZE, find_contacts
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
    dot6,
    free_constraint_accelerations,
    impulse_responses,
    joint_errors,
    joint_jacobian,
)
from rbnotes.compiled.contact_solver.newton_friction import copy_array, nan_max
from rbnotes.compiled.contact_solver.velocity_update import (
    kinetic_energy,
    resting_velocity,
    select_active_contacts,
    solve_joint_impulses,
    solve_velocities,
    update_contact_velocities,
)
from rbnotes.compiled.record_layout import (
    AFTER,
    BEFORE,
    CONTACT_WORK,
    CONTACTS_FULL,
    ENERGY,
    FORCE_WORK,
    GAP,
    IMPULSE,
    INTEGRATOR_WORK,
    JOINT_WORK,
    MU,
    NEEDS_REFERENCE,
    OVERLAPPING,
    POSITION,
    RESIDUAL,
    RESTITUTION,
    SEPARATION_WORK,
    STEP_TAKEN,
)
from rbnotes.compiled.simulation.body_states import contact_margin, write_poses
from rbnotes.compiled.simulation.free_motion import (
    advance_free_motion,
    displacement_derivatives,
    energy,
)
from rbnotes.compiled.simulation.python_callbacks import (
    applied_force_work,
    evaluate_applied_forces,
    separate_bodies,
)
from rbnotes.unchecked.stabilization import (
    ENERGY_CHANGE_TOLERANCE,
    MAX_NEWTON_ITERATIONS,
    PROJECTION_REGULARIZATION,
    PROJECTION_TOLERANCE,
)

Colliders = namedtuple("Colliders", "body numbers pairs mu restitution sizes")
"""The colliders: their bodies, their numbers, pairs that may touch, coefficients of all pairs, and how far
the surface of each body reaches from its origin."""

StepRecords = namedtuple("StepRecords", "contacts pushes sums impulses")
"""What a step leaves: contacts at its start, those of its second kick, and those that are near at its end;
where both pushed; energy, works and residual; and the joints' impulses of both kicks."""

StepWorkspace = namedtuple(
    "StepWorkspace", "v arrived target back D moved lower upper poses places series turn"
)
"""Velocities, numbers for each row, displacements, systems, poses, places of contact, terms of a series."""


@jit_noalloc
def factor_joint_system(bodies, joints, state):
    """Writes what joints do where the bodies are; the largest mobility, below zero where rows may repeat."""
    system, max_mobility = state.held, 0.0
    joint_jacobian(joints, state.R, state.x, system.rows)
    impulse_responses(bodies, joints.row_bodies, system.rows, system.moves)
    assemble_joint_system(joints, system.rows, system.moves, system.factor)
    for r in range(len(joints.first)):
        max_mobility = max(max_mobility, system.factor[joints.at[r] + r])
    return max_mobility if factor_cholesky(system.factor, joints.first, joints.at) else -1.0


@jit_inline
def take_step(
    bodies,
    joints,
    colliders,
    parameters,
    callbacks,
    initial,
    max_mobility,
    count,
    final,
    records,
    memory,
    workspace,
):
    """Takes a step from here to there, with so many contacts at its start.

    How it ended, the largest mobility of the joints there, and how many contacts the second kick had, and how
    many are near now.
    """
    v, incoming, target = workspace.v, workspace.arrived, workspace.target
    if not evaluate_applied_forces(bodies, callbacks, parameters, initial):
        return NEEDS_REFERENCE, max_mobility, 0, 0
    add_force_impulses(parameters, initial.v, v)
    contacts, previous, max_residual, is_converged = records.contacts[0, :count], memory, 0.0, True
    joint_velocity_target(bodies, joints, parameters.h, initial, max_mobility, workspace.back, target)
    if count:
        previous = records.pushes[0, :count]
        max_residual, is_converged = solve_velocities(
            bodies,
            joints,
            initial,
            parameters,
            contacts,
            resting_velocity(parameters),
            target,
            initial.v,
            memory,
            previous,
            v,
            records.impulses[0],
        )
    else:
        solve_joint_impulses(joints, initial.held, v, target, records.impulses[0])
    if not is_converged or not constrained_free_motion(
        bodies, joints, parameters.h, initial, v, records.impulses[0], final, workspace
    ):
        return NEEDS_REFERENCE, max_mobility, 0, 0
    update_contact_velocities(contacts, initial, v)
    integrator_work = energy(bodies, parameters.gravity, final.x, final.v) - energy(
        bodies, parameters.gravity, initial.x, v
    )
    integrator_work += gravity_work(bodies, parameters, initial.v, v)
    joint_work = joint_impulse_work(joints, initial.held, initial.v, v, records.impulses[0])
    contact_work, force_work = (
        contact_impulse_work(contacts),
        applied_force_work(bodies, parameters, initial.v, v),
    )

    status, num_near = find_step_contacts(
        bodies, colliders, parameters, final, records.contacts[2], workspace, parameters.slop
    )
    separation = 0.0
    if status == OVERLAPPING:
        separation -= energy(bodies, parameters.gravity, final.x, final.v)
        if not separate_bodies(bodies, callbacks, final) or not joint_errors(
            joints, final.R, final.x, final.apart
        ):
            return NEEDS_REFERENCE, max_mobility, 0, 0
        separation += energy(bodies, parameters.gravity, final.x, final.v)
        status, num_near = find_step_contacts(
            bodies, colliders, parameters, final, records.contacts[2], workspace, math.inf
        )
    if status != STEP_TAKEN:
        return status, max_mobility, 0, 0
    max_mobility = factor_joint_system(bodies, joints, final)
    if max_mobility < 0:
        return NEEDS_REFERENCE, max_mobility, 0, 0
    for b in range(len(incoming)):
        copy_array(final.v[b], incoming[b])
    for r in range(len(target)):
        target[r] = 0.0
    callbacks.time[0] += parameters.h
    if not evaluate_applied_forces(bodies, callbacks, parameters, final):
        return NEEDS_REFERENCE, max_mobility, 0, 0
    if (
        callbacks.evaluate_applied_forces
    ):  # those that depend on velocities, at those that result but for the contacts
        add_force_impulses(parameters, incoming, final.v)
        solve_joint_impulses(joints, final.held, final.v, target, records.impulses[1])
        if not evaluate_applied_forces(bodies, callbacks, parameters, final):
            return NEEDS_REFERENCE, max_mobility, 0, 0
    add_force_impulses(parameters, incoming, final.v)
    num_second = select_active_contacts(
        records.contacts[2, :num_near], parameters, final, incoming, records.contacts[1]
    )
    second_contacts = records.contacts[1, :num_second]
    if num_second:
        residual, is_converged = solve_velocities(
            bodies,
            joints,
            final,
            parameters,
            second_contacts,
            -math.inf,
            target,
            incoming,
            previous,
            records.pushes[1, :num_second],
            final.v,
            records.impulses[1],
        )
        max_residual = nan_max(max_residual, residual)
    else:
        solve_joint_impulses(joints, final.held, final.v, target, records.impulses[1])
    integrator_work += gravity_work(bodies, parameters, incoming, final.v)
    force_work += applied_force_work(bodies, parameters, incoming, final.v)
    joint_work += joint_impulse_work(joints, final.held, incoming, final.v, records.impulses[1])
    contact_work += contact_impulse_work(second_contacts)
    if not is_converged or not is_energy_consistent(
        bodies, joints, parameters, initial.v, final.v, joint_work + integrator_work
    ):
        return NEEDS_REFERENCE, max_mobility, 0, 0
    sums = records.sums
    sums[ENERGY] = energy(bodies, parameters.gravity, final.x, final.v)
    sums[JOINT_WORK], sums[CONTACT_WORK], sums[INTEGRATOR_WORK], sums[RESIDUAL] = (
        joint_work,
        contact_work,
        integrator_work,
        max_residual,
    )
    sums[FORCE_WORK], sums[SEPARATION_WORK] = force_work, separation
    return STEP_TAKEN, max_mobility, num_second, num_near


@jit_noalloc
def is_energy_consistent(bodies, joints, parameters, before, after, work):
    """Whether joints and flight change the energy by little enough."""
    fall_speed, mass = parameters.h * norm(parameters.gravity), 0.0
    for b in range(len(bodies.mass)):
        mass += bodies.mass[b]
    scale = (
        max(kinetic_energy(bodies, before), kinetic_energy(bodies, after))
        + fall_speed * fall_speed * mass / 2
    )
    return len(joints.body) == 0 or abs(work) <= ENERGY_CHANGE_TOLERANCE * scale


@jit_noalloc
def add_force_impulses(parameters, v, out):
    """Writes velocities with half a step's impulse of gravity and of applied forces."""
    for b in range(len(v)):
        gravity_time = parameters.h / 2 if b < len(v) - 1 else 0.0
        for k in range(3):
            out[b, k] = v[b, k] + parameters.push[b, k]
            out[b, 3 + k] = v[b, 3 + k] + gravity_time * parameters.gravity[k] + parameters.push[b, 3 + k]


@jit_noalloc
def max_abs(x):
    """The largest size of some numbers."""
    size = 0.0
    for i in range(len(x)):
        size = nan_max(size, abs(x[i]))
    return size


@jit_noalloc
def joint_velocity_target(bodies, joints, h, initial, max_mobility, correction, target):
    """Writes velocities along rows that have the joints together after a flight, to second order in h."""
    free_constraint_accelerations(bodies, joints, initial.R, initial.x, initial.v, target)
    # As the reference has it, with rows a little soft: to first order in that.
    for r in range(len(target)):
        target[r] = -initial.apart[r] / h - h / 2 * target[r]
        correction[r] = target[r]
    solve_cholesky(initial.held.factor, joints.first, joints.at, correction)
    for r in range(len(target)):
        target[r] -= PROJECTION_REGULARIZATION * max_mobility * correction[r]


@jit_noalloc
def constrained_free_motion(bodies, joints, h, initial, v, impulses, final, workspace):
    """Flies, with the joint impulses and velocities corrected so that the joints come together again."""
    size, system, error, joint_error = len(impulses), initial.held, math.inf, final.apart
    if size == 0:
        return advance_free_motion(bodies, h, initial, v, final, workspace)
    lower, upper = workspace.lower, workspace.upper
    for _ in range(MAX_NEWTON_ITERATIONS):
        if not advance_free_motion(bodies, h, initial, v, final, workspace):
            return False
        if not joint_errors(joints, final.R, final.x, joint_error):
            return False
        before, error = error, max_abs(joint_error)
        if error <= PROJECTION_TOLERANCE:
            return True
        if not error <= before / 2:
            return False
        joint_jacobian(joints, final.R, final.x, final.held.rows)
        displacement_derivatives(bodies, h, v, workspace.D)
        assemble_error_derivative(
            joints, final.held.rows, system.moves, workspace.D, h, workspace.moved, lower, upper
        )
        max_mobility = 0.0
        for r in range(size):
            max_mobility = max(max_mobility, abs(upper[joints.at[r] + r]))
        for r in range(size):
            upper[joints.at[r] + r] += PROJECTION_REGULARIZATION * max_mobility
        if not factor_lu(lower, upper, joints.first, joints.at):
            return False
        solve_lu(lower, upper, joints.first, joints.at, joint_error)
        for r in range(size):
            joint_error[r] = -joint_error[r]
            impulses[r] += joint_error[r]
        add_impulses(system.moves, joints.row_bodies, joint_error, v)
    return False


@jit_noalloc
def find_step_contacts(bodies, colliders, parameters, state, contacts, workspace, slop):
    """Writes the contacts that may close within the next step; how that ended, and how many there are."""
    if len(colliders.pairs) == 0:
        return STEP_TAKEN, 0
    write_poses(state, workspace.poses)
    margin = contact_margin(bodies, colliders.sizes, parameters.h, parameters.gravity, state)
    places = workspace.places
    count = find_contacts(colliders.numbers, colliders.body, colliders.pairs, workspace.poses, margin, places)
    if count > len(contacts):
        return CONTACTS_FULL, 0
    for i in range(count):
        a, b = int(places[i, 0]), int(places[i, 1])
        contacts[i, 0], contacts[i, 1] = colliders.body[a], colliders.body[b]
        for k in range(PLACE_SIZE):
            contacts[i, POSITION + k] = places[i, 2 + k]
        contacts[i, MU], contacts[i, RESTITUTION] = colliders.mu[a, b], colliders.restitution[a, b]
        if contacts[i, GAP] < -slop:
            return OVERLAPPING, 0
    return STEP_TAKEN, count


@jit_noalloc
def joint_impulse_work(joints, system, before, after, impulses):
    """Impulses times mean velocities."""
    total = 0.0
    for r in range(len(impulses)):
        for side in range(2):
            b = joints.row_bodies[r, side]
            total += (
                impulses[r]
                * (dot6(system.rows[r, side], before[b]) + dot6(system.rows[r, side], after[b]))
                / 2
            )
    return total


@jit_noalloc
def gravity_work(bodies, parameters, before, after):
    """That of the weights in a kick."""
    total = 0.0
    for b in range(len(bodies.mass)):
        for k in range(3):
            mean = (before[b, 3 + k] + after[b, 3 + k]) / 2
            total += bodies.mass[b] * parameters.h / 2 * parameters.gravity[k] * mean
    return total


@jit_noalloc
def contact_impulse_work(contacts):
    """Impulses times mean velocities."""
    total = 0.0
    for i in range(len(contacts)):
        for k in range(3):
            mean = (contacts[i, BEFORE + k] + contacts[i, AFTER + k]) / 2
            total += contacts[i, IMPULSE + k] * mean
    return total
