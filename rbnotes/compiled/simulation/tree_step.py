"""Steps of a model in joint coordinates, as in :mod:`rbnotes.multibody.verlet_step`.

The reference takes exceptional steps: those with impacts of elastic bodies, with reached limits, with servos
or contacts that this update does not solve, and of bodies that cannot be separated. Python evaluates
commands that are a function of the state.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from rbnotes.compiled.array_allocation import empty, zeros
from rbnotes.compiled.array_views import view_at
from rbnotes.compiled.contact_solver.velocity_update import (
    FRICTION_TOLERANCE,
    copy_active_contacts,
    is_rebounding,
    resting_velocity,
)
from rbnotes.compiled.decorators import jit_alloc, jit_fma, jit_inline, jit_noalloc
from rbnotes.compiled.linear_algebra import copy_array, fill_array, nan_max, norm
from rbnotes.compiled.padded_matrices import padded_size
from rbnotes.compiled.record_layout import (
    BEFORE,
    CONTACT_WORK,
    ENERGY,
    FORCE_WORK,
    GAP,
    INTEGRATOR_WORK,
    JOINT_WORK,
    NEEDS_REFERENCE,
    OVERLAPPING,
    REQUEST_COMMANDS,
    RESIDUAL,
    SEPARATION_WORK,
    STEP_TAKEN,
)
from rbnotes.compiled.recursions.tree_sweeps import (
    articulated_body_sweeps,
    forward_sweep_single,
    single_workspace,
)
from rbnotes.compiled.simulation.free_parts import advance_free_parts
from rbnotes.compiled.simulation.python_callbacks import call_python
from rbnotes.compiled.simulation.step_contacts import contact_impulse_work, detect_step_contacts
from rbnotes.compiled.simulation.tree_kinematics import (
    fastest_surface_speed,
    kinetic_energies,
    potential_energy,
    update_configuration,
    write_body_poses,
    write_twists,
)
from rbnotes.compiled.simulation.tree_velocity_update import (
    factor_mass,
    keeps_limits,
    solve_contact_problem,
    update_velocities,
    write_contact_rows,
    write_delassus_matrix,
    write_joint_inertias,
    write_row_velocities,
)
from rbnotes.joints.spherical import WRAP_THRESHOLD

FIRST_HALF, SECOND_HALF = np.int64(0), np.int64(1)
"""Halves of a step. A literal would be compiled into a copy of its own, hence ``np.int64``."""


class TreeContext(NamedTuple):
    """Model and parameters that all steps of a run share.

    Attributes
    ----------
    tree
        The :class:`~rbnotes.compiled.simulation.tree_kinematics.PartTree`.
    free
        The :class:`~rbnotes.compiled.simulation.free_parts.FreeParts`.
    joints
        The :class:`~rbnotes.compiled.simulation.tree_velocity_update.JointForces`.
    colliders
        The :class:`~rbnotes.compiled.simulation.step_contacts.Colliders`.
    recursions
        The :class:`PackedRecursions`.
    parameters
        The :class:`TreeParameters`.
    commands
        The :class:`CommandBuffers`.
    """

    tree: Any
    free: Any
    joints: Any
    colliders: Any
    recursions: Any
    parameters: Any
    commands: Any


class PackedRecursions(NamedTuple):
    """Packed tree without gravity and springs (:mod:`rbnotes.compiled.tree_layout`), for free motions.

    Attributes
    ----------
    integers, floats
        Arrays of the packed tree.
    no_force
        Zeros ``(k,)``.
    """

    integers: Any
    floats: Any
    no_force: Any


class TreeParameters(NamedTuple):
    """Parameters that all steps share.

    Attributes
    ----------
    h
        Step size in s.
    gravity
        Acceleration of gravity in the world, m/s^2.
    slop
        Overlap in m that is not corrected.
    match_radius
        Largest distance in m of a contact from its counterpart in the step before.
    """

    h: Any
    gravity: Any
    slop: Any
    match_radius: Any


class CommandBuffers(NamedTuple):
    """Commands of the actuators.

    Attributes
    ----------
    address
        Address of the C function that evaluates them in Python; zero if they are given.
    samples
        Commands at the start and after each step ``(T + 1, k)``; without a function.
    time, q, v
        State of the evaluation ``(1,)``, ``(k,)`` and ``(k,)``.
    command
        Commands ``(k,)``, written by the function.
    """

    address: Any
    samples: Any
    time: Any
    q: Any
    v: Any
    command: Any


class TreeRecords(NamedTuple):
    """Results of one step.

    Attributes
    ----------
    contacts
        Contacts of the first update, of the second one, and at the end of the step ``(3, c, 20)``.
    last_contacts
        Contacts with their impulses in the world, of both updates ``(2, c, 20)``.
    summary
        Works and residual, in the order of :mod:`~rbnotes.compiled.record_layout`.
    actuators
        Impulses of the actuators ``(k,)``.
    """

    contacts: Any
    last_contacts: Any
    summary: Any
    actuators: Any


class TreeWorkspace(NamedTuple):
    """Working memory of one step.

    Attributes
    ----------
    vectors
        The :class:`~rbnotes.compiled.simulation.tree_velocity_update.UpdateVectors`.
    v
        Velocities after an update ``(k,)``.
    stages
        Velocities and accelerations of the Runge-Kutta stages, and coordinates ``(8, k)``.
    poses
        Poses of the bodies and of the world ``(n + 1, 4, 4)``.
    contact_points
        Shapes and places of contacts ``(c, 9)``.
    axes
        Normal and tangents of a contact ``(3, 3)``.
    rows
        Rows of the contacts, transposed and padded ``(k w,)``.
    row_numbers
        A number for each row, padded ``(w,)``.
    series
        Terms of the power series of free rotations.
    """

    vectors: Any
    v: Any
    stages: Any
    poses: Any
    contact_points: Any
    axes: Any
    rows: Any
    row_numbers: Any
    series: Any


@jit_noalloc
def evaluate_commands(commands, configuration, v, n):
    """Return the commands at sample n or, from Python, at the velocities v, and False if Python raised."""
    if commands.address == 0:
        return commands.samples[n], True
    copy_array(configuration.q, commands.q)
    copy_array(v, commands.v)
    return commands.command, call_python(commands.address, REQUEST_COMMANDS) == 0


@jit_fma
def free_accelerations(recursions, q, v, out):
    """Write the accelerations ``(k,)`` without forces."""
    integers, floats = recursions.integers, recursions.floats
    workspace = single_workspace(integers)
    forward_sweep_single(integers, floats, workspace, q, v, recursions.no_force, True)
    articulated_body_sweeps(integers, floats, floats, workspace, out, True, 0.0)


@jit_noalloc
def write_stage(q, v, h, rate, acceleration, stage_q, stage_v):
    """Write the state after a time h with these rates."""
    for j in range(len(q)):
        stage_q[j], stage_v[j] = q[j] + h * rate[j], v[j] + h * acceleration[j]


@jit_noalloc
def advance_free_motion(recursions, h, initial, v, final, stages):
    """Write coordinates and velocities after a motion without forces, by a Runge-Kutta step of order four.

    As in :mod:`rbnotes.multibody.tree_free_motion`; the velocities are not yet scaled, and free parts follow.
    Returns False if they are not finite.
    """
    q = initial.q
    v2, v3, v4, a1, a2, a3, a4, stage_q = (
        stages[0],
        stages[1],
        stages[2],
        stages[3],
        stages[4],
        stages[5],
        stages[6],
        stages[7],
    )
    free_accelerations(recursions, q, v, a1)
    write_stage(q, v, h / 2, v, a1, stage_q, v2)
    free_accelerations(recursions, stage_q, v2, a2)
    write_stage(q, v, h / 2, v2, a2, stage_q, v3)
    free_accelerations(recursions, stage_q, v3, a3)
    write_stage(q, v, h, v3, a3, stage_q, v4)
    free_accelerations(recursions, stage_q, v4, a4)
    total = 0.0
    for j in range(len(q)):
        final.q[j] = q[j] + h / 6 * (v[j] + 2 * v2[j] + 2 * v3[j] + v4[j])
        final.v[j] = v[j] + h / 6 * (a1[j] + 2 * a2[j] + 2 * a3[j] + a4[j])
        total += final.q[j] + final.v[j]
    return math.isfinite(total)


@jit_noalloc
def needs_reparametrization(tree, q):
    """Return True if a rotation vector is long, so that the reference replaces it by a shorter one."""
    for i in range(len(tree.parent)):
        first = tree.first_coordinate[i]
        if tree.num_coordinates[i] == 3 and norm((q[first], q[first + 1], q[first + 2])) > WRAP_THRESHOLD:
            return True
    return False


@jit_noalloc
def exceeds_limits(joints, q, slop):
    """Return True if a coordinate is beyond a limit by more than the slop."""
    count = 0
    for j in range(len(q)):
        count += q[j] - joints.lower[j] < -slop or joints.upper[j] - q[j] < -slop
    return count > 0


@jit_noalloc
def predict_contacts(context, configuration, workspace, slop, contacts):
    """Write the contacts that may close within the next step; return the status and their number."""
    tree, colliders, parameters = context.tree, context.colliders, context.parameters
    if len(colliders.body) == 0:
        return STEP_TAKEN, 0
    write_twists(tree, configuration)
    write_body_poses(tree, configuration, workspace.poses)
    fastest = fastest_surface_speed(tree, colliders.bounding_radii, configuration)
    margin = 2 * parameters.h * (fastest + parameters.h * norm(parameters.gravity))
    return detect_step_contacts(colliders, workspace.poses, margin, slop, workspace.contact_points, contacts)


@jit_noalloc
def contact_rows_memory(workspace, num_coordinates, num_contacts):
    """Return the memory of the rows of contacts ``(k, w)``, and of a number for each."""
    width = padded_size(3 * num_contacts)
    rows, _ = view_at(workspace.rows, 0, (num_coordinates, width))
    return rows, workspace.row_numbers[:width]


@jit_alloc
def separate_bodies(tree, parameters, configuration, contacts, workspace):
    """Displace the coordinates by the smallest displacement that removes overlaps; return True on success.

    The mass matrix defines its norm, gaps are linearized
    (:func:`rbnotes.multibody.separation.separate_bodies`). This is the problem of frictionless contacts, with
    displacements for velocities.
    """
    count, vectors = 3 * len(contacts), workspace.vectors
    rows, numbers = contact_rows_memory(workspace, len(configuration.q), len(contacts))
    write_contact_rows(tree, configuration, contacts, workspace.axes, rows)
    W, responses = empty((count, rows.shape[1])), empty(rows.shape)
    u_free, zero, mu = zeros(count), zeros(count), zeros(len(contacts))
    fill_array(vectors.implicit, 0.0)
    if not factor_mass(configuration, vectors.implicit):
        return False
    write_delassus_matrix(configuration, rows, responses, W)
    for i in range(len(contacts)):
        gap = contacts[i, GAP]
        u_free[3 * i] = gap if gap < -parameters.slop else max(gap, 0.0)
    residual = solve_contact_problem(configuration, W, responses, u_free, mu, zero, numbers, vectors.solution)
    for j in range(len(configuration.q)):
        configuration.q[j] += vectors.solution[j]
    return residual <= FRICTION_TOLERANCE


@jit_noalloc
def has_impacts(parameters, contacts, rows, v, numbers):
    """Return True if bodies rebound at the start of a step."""
    write_row_velocities(contacts, rows, v, numbers, BEFORE)
    count, threshold = 0, resting_velocity(parameters)
    for i in range(len(contacts)):
        count += is_rebounding(contacts[i], parameters.h, threshold)
    return count > 0


@jit_noalloc
def select_active_contacts(context, configuration, candidates, workspace, selected):
    """Copy the contacts that are active at the end of a step, and write their rows; return their number."""
    k, axes = len(configuration.q), workspace.axes
    rows, numbers = contact_rows_memory(workspace, k, len(candidates))
    write_contact_rows(context.tree, configuration, candidates, axes, rows)
    write_row_velocities(candidates, rows, configuration.v, numbers, BEFORE)
    count = copy_active_contacts(candidates, context.parameters, selected)
    if count < len(candidates):
        rows, _ = contact_rows_memory(workspace, k, count)
        write_contact_rows(context.tree, configuration, selected[:count], axes, rows)
    return count


@jit_inline
def take_step(context, initial, final, num_contacts, last_contacts, n, records, workspace):
    """Take step n; write the state at its end and the records.

    Returns
    -------
    status : int
        Status of the step, see :mod:`rbnotes.compiled.record_layout`.
    num_second, num_contacts : int
        Numbers of contacts of the second velocity update, and of those near at the end.
    """
    tree, joints, recursions, parameters = (
        context.tree,
        context.joints,
        context.recursions,
        context.parameters,
    )
    v, vectors, h, slop = workspace.v, workspace.vectors, parameters.h, parameters.slop
    contacts, actuators = records.contacts[0, :num_contacts], records.actuators
    for j in range(len(v)):
        actuators[j] = 0.0
    rows, numbers = contact_rows_memory(workspace, len(v), num_contacts)
    write_contact_rows(tree, initial, contacts, workspace.axes, rows)
    if has_impacts(parameters, contacts, rows, initial.v, numbers):
        return NEEDS_REFERENCE, 0, 0
    command, is_done = evaluate_commands(context.commands, initial, initial.v, n)
    if not is_done:
        return NEEDS_REFERENCE, 0, 0
    first_residual, is_converged, gravity_work, applied_work = update_velocities(
        joints,
        parameters,
        initial,
        (rows, numbers, contacts, last_contacts, command, FIRST_HALF),
        vectors,
        (v, records.last_contacts[0, :num_contacts], actuators),
    )
    if not (is_converged and keeps_limits(joints, initial, v, h, -1.0)):
        return NEEDS_REFERENCE, 0, 0
    contact_work = contact_impulse_work(contacts)
    if num_contacts:
        last_contacts = records.last_contacts[0, :num_contacts]
    if not advance_free_motion(recursions, h, initial, v, final, workspace.stages):
        return NEEDS_REFERENCE, 0, 0
    if not advance_free_parts(tree, context.free, h, initial, v, final, workspace.series):
        return NEEDS_REFERENCE, 0, 0
    if needs_reparametrization(tree, final.q) or exceeds_limits(joints, final.q, slop):
        return NEEDS_REFERENCE, 0, 0
    is_free, momentum = context.free.is_free, vectors.solution
    kinetic, start_energy = kinetic_energies(initial.M, v, is_free, momentum)
    integrator_work = gravity_work - kinetic - potential_energy(tree, parameters.gravity, initial)
    update_configuration(tree, parameters.gravity, final)
    kinetic, end_energy = kinetic_energies(final.M, final.v, is_free, momentum)
    if end_energy > 0:
        factor = math.sqrt(start_energy / end_energy)
        for j in range(len(v)):
            final.v[j] *= 1.0 if is_free[j] != 0 else factor
        kinetic += start_energy - end_energy
    moved_energy = kinetic + potential_energy(tree, parameters.gravity, final)
    integrator_work += moved_energy

    status, num_contacts = predict_contacts(context, final, workspace, slop, records.contacts[2])
    separation = 0.0
    if status == OVERLAPPING:
        if not separate_bodies(tree, parameters, final, records.contacts[2, :num_contacts], workspace):
            return NEEDS_REFERENCE, 0, 0
        if needs_reparametrization(tree, final.q) or exceeds_limits(joints, final.q, 0.0):
            return NEEDS_REFERENCE, 0, 0
        update_configuration(tree, parameters.gravity, final)
        kinetic, _ = kinetic_energies(final.M, final.v, is_free, momentum)
        separation = kinetic + potential_energy(tree, parameters.gravity, final) - moved_energy
        status, num_contacts = predict_contacts(context, final, workspace, math.inf, records.contacts[2])
    if status != STEP_TAKEN:
        return status, 0, 0

    if not write_joint_inertias(joints, final, vectors):
        return NEEDS_REFERENCE, 0, 0
    num_second = select_active_contacts(
        context, final, records.contacts[2, :num_contacts], workspace, records.contacts[1]
    )
    rows, numbers = contact_rows_memory(workspace, len(v), num_second)
    contacts, second_actuators, applied_at_end = records.contacts[1, :num_second], workspace.stages[0], 0.0
    context.commands.time[0] += h
    copy_array(final.v, v)
    second_residual, is_converged = 0.0, True
    # A function of the state is evaluated again at the resulting velocities.
    for _ in range(1 if context.commands.address == 0 else 2):
        command, is_done = evaluate_commands(context.commands, final, v, n + 1)
        if not is_done:
            return NEEDS_REFERENCE, 0, 0
        for j in range(len(v)):
            second_actuators[j] = 0.0
        second_residual, is_converged, gravity_work, applied_at_end = update_velocities(
            joints,
            parameters,
            final,
            (rows, numbers, contacts, last_contacts, command, SECOND_HALF),
            vectors,
            (v, records.last_contacts[1, :num_second], second_actuators),
        )
        if not is_converged:
            return NEEDS_REFERENCE, 0, 0
        if num_second:
            last_contacts = records.last_contacts[1, :num_second]
    if not keeps_limits(joints, final, v, h, slop):
        return NEEDS_REFERENCE, 0, 0
    copy_array(v, final.v)
    for j in range(len(v)):
        actuators[j] += second_actuators[j]
    summary = records.summary
    kinetic, _ = kinetic_energies(final.M, v, is_free, momentum)
    summary[ENERGY] = kinetic + potential_energy(tree, parameters.gravity, final)
    summary[CONTACT_WORK] = contact_work + contact_impulse_work(contacts)
    summary[INTEGRATOR_WORK], summary[FORCE_WORK] = (
        integrator_work + gravity_work,
        applied_work + applied_at_end,
    )
    summary[RESIDUAL] = nan_max(first_residual, second_residual)
    summary[JOINT_WORK], summary[SEPARATION_WORK] = 0.0, separation
    return STEP_TAKEN, num_second, num_contacts
