"""Simulation loop over flat arrays, for :mod:`rbnotes.multibody.packing.simulation_runs`."""

from rbnotes.compiled.array_views import view_at
from rbnotes.compiled.collision.narrow_phase import SHAPE_SIZE
from rbnotes.compiled.contact_solver.joint_constraints import (
    Bodies,
    Joints,
    compute_constraint_error,
)
from rbnotes.compiled.contact_solver.velocity_update import BodyStates, JointSystem, StepParameters
from rbnotes.compiled.decorators import jit_inline, jit_noalloc
from rbnotes.compiled.linear_algebra import copy_rows
from rbnotes.compiled.record_layout import (
    CALLBACK_ADDRESS,
    CONTACT_POINT_SIZE,
    CONTACT_SIZE,
    CONTACTS_FULL,
    HAS_FORCES,
    MATCH_RADIUS,
    MOTION_SIZE,
    NEEDS_REFERENCE,
    NUM_FIRST_CONTACTS,
    NUM_LAST_CONTACTS,
    NUM_NEAR,
    NUM_RECORDS,
    NUM_SECOND_CONTACTS,
    NUM_STEPS,
    NUM_STEPS_TAKEN,
    SLOP,
    STEP_TAKEN,
    TIME,
    WORKSPACE_TOO_SMALL,
    H,
)
from rbnotes.compiled.simulation.body_states import read_body_states, read_velocities, write_motion
from rbnotes.compiled.simulation.python_callbacks import CallbackBuffers
from rbnotes.compiled.simulation.rattle_step import (
    Colliders,
    StepContext,
    StepRecords,
    StepStart,
    StepWorkspace,
    factor_joint_system,
    take_step,
)
from rbnotes.dynamics.free_rotation import MAX_SERIES_TERMS
from rbnotes.unchecked.stabilization import JOINT_ERROR_TOLERANCE

# Header of the integers: numbers of bodies, joints, rows, couplings, envelope entries, shapes and pairs of
# bodies that do not touch.
HEADER_SIZE = 7


@jit_noalloc
def read_model(integers, floats):
    """Return views of bodies, joints and colliders, and gravity."""
    n, k, m, p, s, c = integers[0], integers[1], integers[2], integers[3], integers[5], integers[6]
    body, at = view_at(integers, HEADER_SIZE, (k,))
    parent, at = view_at(integers, at, (k,))
    row_start, at = view_at(integers, at, (k + 1,))
    rotation_kind, at = view_at(integers, at, (k,))
    coupled, at = view_at(integers, at, (p, 4))
    row_bodies, at = view_at(integers, at, (m, 2))
    first_column, at = view_at(integers, at, (m,))
    row_offset, at = view_at(integers, at, (m,))
    shape_body, at = view_at(integers, at, (s,))
    excluded_pairs, at = view_at(integers, at, (c, 2))
    mass, at = view_at(floats, 0, (n,))
    J, at = view_at(floats, at, (n, 3, 3))
    inverse_mass, at = view_at(floats, at, (n + 1,))
    J_inverse, at = view_at(floats, at, (n + 1, 3, 3))
    com, at = view_at(floats, at, (n, 3))
    bounding_radii, at = view_at(floats, at, (n,))
    axis, at = view_at(floats, at, (k, 3))
    rows, at = view_at(floats, at, (m, 6))
    frame, at = view_at(floats, at, (k, 3, 3))
    origin, at = view_at(floats, at, (k, 3))
    parent_frame, at = view_at(floats, at, (k, 3, 3))
    parent_origin, at = view_at(floats, at, (k, 3))
    geometry, at = view_at(floats, at, (s, SHAPE_SIZE))
    mu, at = view_at(floats, at, (s, s))
    restitution, at = view_at(floats, at, (s, s))
    gravity, at = view_at(floats, at, (3,))
    bodies = Bodies(mass, J, inverse_mass, J_inverse, com)
    joints = Joints(
        body,
        parent,
        row_start,
        rotation_kind,
        axis,
        rows,
        frame,
        origin,
        parent_frame,
        parent_origin,
        coupled,
        row_bodies,
        first_column,
        row_offset,
    )
    colliders = Colliders(shape_body, geometry, excluded_pairs, mu, restitution, bounding_radii)
    return bodies, joints, colliders, (gravity[0], gravity[1], gravity[2])


@jit_noalloc
def allocate_states(x, at, n, m, envelope_size):
    """Allocate the states of n bodies and m joint rows at index `at`; return the next index, too."""
    R, at = view_at(x, at, (n, 3, 3))
    p, at = view_at(x, at, (n, 3))
    center, at = view_at(x, at, (n, 3))
    v, at = view_at(x, at, (n, 6))
    constraint_error, at = view_at(x, at, (m,))
    jacobian, at = view_at(x, at, (m, 2, 6))
    responses, at = view_at(x, at, (m, 2, 6))
    factor, at = view_at(x, at, (envelope_size,))
    return BodyStates(R, p, center, v, constraint_error, JointSystem(jacobian, responses, factor)), at


@jit_noalloc
def allocate_step_workspace(x, at, n, m, envelope_size, max_contacts):
    """Allocate the results and the working memory of a step at index `at`; return the next index, too."""
    contacts, at = view_at(x, at, (3, max_contacts, CONTACT_SIZE))
    last_contacts, at = view_at(x, at, (2, max_contacts, CONTACT_SIZE))
    sums, at = view_at(x, at, (NUM_FIRST_CONTACTS,))
    impulses, at = view_at(x, at, (2, m))
    v, at = view_at(x, at, (n, 6))
    incoming, at = view_at(x, at, (n, 6))
    target, at = view_at(x, at, (m,))
    correction, at = view_at(x, at, (m,))
    D, at = view_at(x, at, (n, 3, 3))
    displaced_responses, at = view_at(x, at, (m, 2, 6))
    lower, at = view_at(x, at, (envelope_size,))
    upper, at = view_at(x, at, (envelope_size,))
    poses, at = view_at(x, at, (n, 4, 4))
    contact_points, at = view_at(x, at, (max_contacts, 2 + CONTACT_POINT_SIZE))
    series, at = view_at(x, at, (MAX_SERIES_TERMS, 10))
    rotation, at = view_at(x, at, (3, 3))
    records = StepRecords(contacts, last_contacts, sums, impulses)
    return (
        records,
        StepWorkspace(
            v,
            incoming,
            target,
            correction,
            D,
            displaced_responses,
            lower,
            upper,
            poses,
            contact_points,
            series,
            rotation,
        ),
        at,
    )


@jit_noalloc
def allocate_callbacks(x, settings, n):
    """Allocate the buffers of callbacks, and the velocity changes by applied forces."""
    motion, at = view_at(x, 0, (n, MOTION_SIZE))
    wrenches, at = view_at(x, at, (n, 6))
    force_velocity, at = view_at(x, at, (n + 1, 6))
    time, at = view_at(x, at, (1,))
    time[0] = settings[TIME]
    return CallbackBuffers(
        int(settings[CALLBACK_ADDRESS]), settings[HAS_FORCES] != 0, time, motion, wrenches
    ), force_velocity


@jit_inline
def run_steps(
    integers,
    floats,
    settings,
    motion,
    contacts,
    last_contacts,
    states,
    sums,
    impulses,
    records,
    callback_buffer,
    workspace,
):
    """Take steps until all are taken, one is exceptional, or an array is full; return the status.

    Motions are ``(n, 22)``, those after each step ``(T, n, 22)``. The contacts at the start and the last ones
    with impulses, rows of ``CONTACT_SIZE`` numbers, are read at the start and written at the end.
    ``callback_buffer`` and ``workspace`` are working memory, initially zero.
    """
    bodies, joints, colliders, gravity = read_model(integers, floats)
    count, size, max_contacts = len(bodies.mass), len(joints.first_column), len(contacts)
    callbacks, force_velocity = allocate_callbacks(callback_buffer, settings, count)
    parameters = StepParameters(settings[H], gravity, settings[SLOP], settings[MATCH_RADIUS], force_velocity)
    context = StepContext(bodies, joints, colliders, parameters, callbacks)
    step_records, step_workspace, at = allocate_step_workspace(
        workspace, 0, count + 1, size, integers[4], max_contacts
    )
    initial, at = allocate_states(workspace, at, count + 1, size, integers[4])
    final, at = allocate_states(workspace, at, count + 1, size, integers[4])
    if at > len(workspace):
        return WORKSPACE_TOO_SMALL
    read_body_states(bodies, motion, initial)
    read_body_states(bodies, motion, final)
    num_near, num_last_contacts, num_written = int(settings[NUM_NEAR]), int(settings[NUM_LAST_CONTACTS]), 0
    copy_rows(contacts, num_near, step_records.contacts[0])
    settings[NUM_STEPS_TAKEN], settings[NUM_RECORDS] = 0.0, 0.0
    if not compute_constraint_error(joints, initial.R, initial.center, initial.constraint_error):
        return NEEDS_REFERENCE
    for r in range(size):
        if abs(initial.constraint_error[r]) > JOINT_ERROR_TOLERANCE:
            return NEEDS_REFERENCE
    max_mobility = factor_joint_system(bodies, joints, initial)
    if max_mobility < 0:
        return NEEDS_REFERENCE
    for n in range(int(settings[NUM_STEPS])):
        start = StepStart(initial, max_mobility, num_near, last_contacts[:num_last_contacts])
        status, max_mobility, num_second, num_new = take_step(
            context, start, final, step_records, step_workspace
        )
        if status == STEP_TAKEN and num_written + num_near + num_second > len(records):
            status = CONTACTS_FULL
        if status != STEP_TAKEN:
            return status
        copy_rows(step_records.contacts[0], num_near, records[num_written:])
        copy_rows(step_records.contacts[1], num_second, records[num_written + num_near :])
        num_written += num_near + num_second
        for i in range(NUM_FIRST_CONTACTS):
            sums[n, i] = step_records.sums[i]
        sums[n, NUM_FIRST_CONTACTS], sums[n, NUM_SECOND_CONTACTS] = num_near, num_second
        for r in range(size):
            impulses[n, r] = step_records.impulses[0, r] + step_records.impulses[1, r]
        if num_near:
            num_last_contacts = num_near
            copy_rows(step_records.last_contacts[0], num_last_contacts, last_contacts)
        if num_second:
            num_last_contacts = num_second
            copy_rows(step_records.last_contacts[1], num_last_contacts, last_contacts)
        num_near = num_new
        copy_rows(step_records.contacts[2], num_near, step_records.contacts[0])
        copy_rows(step_records.contacts[2], num_near, contacts)
        write_motion(bodies, final, motion)
        copy_rows(motion, count, states[n])
        read_velocities(bodies, motion, final)  # a run that continues from there reads them, too
        initial, final = final, initial
        settings[NUM_STEPS_TAKEN], settings[NUM_RECORDS], settings[NUM_NEAR], settings[NUM_LAST_CONTACTS] = (
            n + 1,
            num_written,
            num_near,
            num_last_contacts,
        )
    return STEP_TAKEN
