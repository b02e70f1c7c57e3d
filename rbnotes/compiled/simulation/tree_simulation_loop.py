"""Simulation loop in joint coordinates, for :mod:`rbnotes.multibody.packing.tree_simulation_runs`."""

from rbnotes.compiled.array_views import view_at
from rbnotes.compiled.collision.narrow_phase import SHAPE_SIZE
from rbnotes.compiled.decorators import jit_inline, jit_noalloc
from rbnotes.compiled.linear_algebra import copy_array, copy_rows
from rbnotes.compiled.padded_matrices import padded_size
from rbnotes.compiled.record_layout import (
    CALLBACK_ADDRESS,
    CONTACT_POINT_SIZE,
    CONTACT_SIZE,
    CONTACTS_FULL,
    MATCH_RADIUS,
    NEEDS_REFERENCE,
    NUM_CONTACTS,
    NUM_FIRST_CONTACTS,
    NUM_LAST_CONTACTS,
    NUM_RECORDS,
    NUM_SECOND_CONTACTS,
    NUM_STEPS,
    NUM_STEPS_TAKEN,
    SERIES_SIZE,
    SLOP,
    STEP_TAKEN,
    TIME,
    WORKSPACE_TOO_SMALL,
    H,
)
from rbnotes.compiled.simulation.free_parts import FreeParts
from rbnotes.compiled.simulation.step_contacts import Colliders
from rbnotes.compiled.simulation.tree_kinematics import (
    PartTree,
    TreeConfiguration,
    update_configuration,
    write_body_poses,
    write_body_twists,
    write_twists,
)
from rbnotes.compiled.simulation.tree_step import (
    CommandBuffers,
    PackedRecursions,
    TreeContext,
    TreeParameters,
    TreeRecords,
    TreeWorkspace,
    take_step,
)
from rbnotes.compiled.simulation.tree_velocity_update import (
    JointForces,
    UpdateVectors,
    write_joint_inertias,
)
from rbnotes.compiled.structure_references import reference

# Header of the integers: numbers of parts, coordinates, bodies, shapes, pairs of bodies that do not touch,
# integers of the packed tree, and free parts.
TREE_HEADER_SIZE = 7


@jit_noalloc
def read_tree(integers, floats):
    """Return tree, free parts, joint forces, colliders and gravity; their arrays are views."""
    parts, k, n, s, e = integers[0], integers[1], integers[2], integers[3], integers[4]
    parent, offset = view_at(integers, TREE_HEADER_SIZE, (parts,))
    first_coordinate, offset = view_at(integers, offset, (parts,))
    num_coordinates, offset = view_at(integers, offset, (parts,))
    free_part, offset = view_at(integers, offset, (integers[6],))
    first_translation, offset = view_at(integers, offset, (integers[6],))
    origin, offset = view_at(integers, offset, (parts,))
    body_part, offset = view_at(integers, offset, (n,))
    shape_body, offset = view_at(integers, offset, (s,))
    excluded_pairs, _ = view_at(integers, offset, (e, 2))
    placement_rotation, offset = view_at(floats, 0, (parts, 3, 3))
    placement_position, offset = view_at(floats, offset, (parts, 3))
    rates, offset = view_at(floats, offset, (parts, 2))
    mass, offset = view_at(floats, offset, (parts,))
    center, offset = view_at(floats, offset, (parts, 3))
    inertia, offset = view_at(floats, offset, (parts, 3, 3))
    armature, offset = view_at(floats, offset, (k,))
    support, offset = view_at(floats, offset, (k, padded_size(k)))
    free_center, offset = view_at(floats, offset, (integers[6], 3))
    free_inertia, offset = view_at(floats, offset, (integers[6], 3, 3))
    inverse_inertia, offset = view_at(floats, offset, (integers[6], 3, 3))
    is_free, offset = view_at(floats, offset, (k,))
    body_rotation, offset = view_at(floats, offset, (n, 3, 3))
    body_position, offset = view_at(floats, offset, (n, 3))
    stiffness, offset = view_at(floats, offset, (k,))
    spring_reference, offset = view_at(floats, offset, (k,))
    damping, offset = view_at(floats, offset, (k,))
    kp, offset = view_at(floats, offset, (k,))
    kd, offset = view_at(floats, offset, (k,))
    force_limit, offset = view_at(floats, offset, (k,))
    command_gain, offset = view_at(floats, offset, (k,))
    lower, offset = view_at(floats, offset, (k,))
    upper, offset = view_at(floats, offset, (k,))
    bounding_radii, offset = view_at(floats, offset, (n,))
    geometry, offset = view_at(floats, offset, (s, SHAPE_SIZE))
    mu, offset = view_at(floats, offset, (s, s))
    restitution, offset = view_at(floats, offset, (s, s))
    gravity, offset = view_at(floats, offset, (3,))
    tree = PartTree(
        parent,
        first_coordinate,
        num_coordinates,
        origin,
        placement_rotation,
        placement_position,
        rates,
        mass,
        center,
        inertia,
        armature,
        support,
        body_part,
        body_rotation,
        body_position,
    )
    joints = JointForces(
        stiffness, spring_reference, damping, kp, kd, force_limit, command_gain, lower, upper
    )
    free = FreeParts(free_part, first_translation, free_center, free_inertia, inverse_inertia, is_free)
    colliders = Colliders(shape_body, geometry, excluded_pairs, mu, restitution, bounding_radii)
    return tree, free, joints, colliders, (gravity[0], gravity[1], gravity[2])


@jit_noalloc
def allocate_configuration(x, offset, parts, k):
    """Allocate a configuration of P parts with k coordinates at index `offset`; return the next index."""
    q, offset = view_at(x, offset, (k,))
    v, offset = view_at(x, offset, (k,))
    R, offset = view_at(x, offset, (parts + 1, 3, 3))
    p, offset = view_at(x, offset, (parts + 1, 3))
    columns, offset = view_at(x, offset, (k, 6))
    width = padded_size(k)
    component_rows, offset = view_at(x, offset, (6, width))
    M, offset = view_at(x, offset, (k, width))
    implicit, offset = view_at(x, offset, (k,))
    L, offset = view_at(x, offset, (k, width))
    inverse_pivots, offset = view_at(x, offset, (k,))
    impulse, offset = view_at(x, offset, (k,))
    change, offset = view_at(x, offset, (width,))
    inertia, offset = view_at(x, offset, (width,))
    gravity, offset = view_at(x, offset, (k,))
    composite, offset = view_at(x, offset, (parts, 13))
    twists, offset = view_at(x, offset, (parts + 1, 6))
    for i in range(3):
        R[parts, i, i] = 1.0
    configuration = TreeConfiguration(
        q,
        v,
        R,
        p,
        columns,
        component_rows,
        M,
        implicit,
        L,
        inverse_pivots,
        impulse,
        change,
        inertia,
        gravity,
        composite,
        twists,
    )
    return configuration, offset


@jit_noalloc
def allocate_tree_workspace(x, offset, k, n, max_contacts):
    """Allocate the results and the working memory of a step at index `offset`; return the next index, too."""
    contacts, offset = view_at(x, offset, (3, max_contacts, CONTACT_SIZE))
    last_contacts, offset = view_at(x, offset, (2, max_contacts, CONTACT_SIZE))
    summary, offset = view_at(x, offset, (NUM_FIRST_CONTACTS,))
    actuators, offset = view_at(x, offset, (k,))
    width, rows_width = padded_size(k), padded_size(3 * max_contacts)
    vectors, offset = view_at(x, offset, (14, width))
    unit_responses, offset = view_at(x, offset, (k, width))
    v, offset = view_at(x, offset, (k,))
    stages, offset = view_at(x, offset, (8, k))
    poses, offset = view_at(x, offset, (n + 1, 4, 4))
    contact_points, offset = view_at(x, offset, (max_contacts, 2 + CONTACT_POINT_SIZE))
    axes, offset = view_at(x, offset, (3, 3))
    rows, offset = view_at(x, offset, (k * rows_width,))
    row_numbers, offset = view_at(x, offset, (rows_width,))
    series, offset = view_at(x, offset, (SERIES_SIZE,))
    update_vectors = UpdateVectors(
        vectors[0],
        vectors[1],
        vectors[2],
        vectors[3],
        vectors[4],
        vectors[5],
        vectors[6],
        vectors[7],
        vectors[8],
        vectors[9],
        vectors[10],
        vectors[11],
        vectors[12],
        vectors[13],
        unit_responses,
    )
    records = TreeRecords(contacts, last_contacts, summary, actuators)
    return (
        records,
        TreeWorkspace(update_vectors, v, stages, poses, contact_points, axes, rows, row_numbers, series),
        offset,
    )


@jit_noalloc
def allocate_commands(x, settings, samples, k):
    """Return the buffers of the commands, with these samples."""
    q, offset = view_at(x, 0, (k,))
    v, offset = view_at(x, offset, (k,))
    command, offset = view_at(x, offset, (k,))
    time, offset = view_at(x, offset, (1,))
    time[0] = settings[TIME]
    return CommandBuffers(int(settings[CALLBACK_ADDRESS]), samples, time, q, v, command)


@jit_inline
def run_tree_steps(
    integers,
    packed_integers,
    packed_floats,
    floats,
    settings,
    contacts,
    last_contacts,
    samples,
    q,
    v,
    poses,
    twists,
    summaries,
    actuators,
    records,
    command_buffer,
    workspace,
):
    """Take steps until all are done, one needs the reference, or an array is full; return the status.

    Coordinates and velocities ``(T + 1, k)`` are given at the start; poses ``(T + 1, n, 4, 4)`` and twists of
    the bodies ``(T + 1, n, 6)`` are written after each step, as they are. The contacts at the start and the
    last ones with impulses, rows of ``CONTACT_SIZE`` numbers, are read at the start and written at the end.
    ``command_buffer`` and ``workspace`` are working memory, initially zero.
    """
    tree, free, joints, colliders, gravity = read_tree(integers, floats)
    parts, k, n, max_contacts = integers[0], integers[1], integers[2], len(contacts)
    parameters = TreeParameters(settings[H], gravity, settings[SLOP], settings[MATCH_RADIUS])
    commands = allocate_commands(command_buffer, settings, samples, k)
    record_views, workspace_views, offset = allocate_tree_workspace(workspace, 0, k, n, max_contacts)
    first, offset = allocate_configuration(workspace, offset, parts, k)
    second, offset = allocate_configuration(workspace, offset, parts, k)
    no_force, offset = view_at(workspace, offset, (k,))
    if offset > len(workspace):
        return WORKSPACE_TOO_SMALL
    recursions = PackedRecursions(packed_integers, packed_floats, no_force)
    context = TreeContext(
        reference(tree),
        reference(free),
        reference(joints),
        reference(colliders),
        reference(recursions),
        reference(parameters),
        reference(commands),
    )
    context = reference(context)
    step_records, step_workspace = reference(record_views), reference(workspace_views)
    initial, final = reference(first), reference(second)
    settings[NUM_STEPS_TAKEN], settings[NUM_RECORDS] = 0.0, 0.0
    copy_array(q[0], initial.q)
    copy_array(v[0], initial.v)
    update_configuration(context.tree, gravity, initial)
    if not write_joint_inertias(context.joints, initial, step_workspace.vectors):
        return NEEDS_REFERENCE
    num_contacts, num_last_contacts, num_written = (
        int(settings[NUM_CONTACTS]),
        int(settings[NUM_LAST_CONTACTS]),
        0,
    )
    copy_rows(contacts, num_contacts, step_records.contacts[0])
    for step in range(int(settings[NUM_STEPS])):
        num_first = num_contacts
        status, num_second, num_new = take_step(
            context,
            initial,
            final,
            num_first,
            last_contacts[:num_last_contacts],
            step,
            step_records,
            step_workspace,
        )
        if status == STEP_TAKEN and num_written + num_first + num_second > len(records):
            status = CONTACTS_FULL
        if status != STEP_TAKEN:
            return status
        copy_rows(step_records.contacts[0], num_first, records[num_written:])
        copy_rows(step_records.contacts[1], num_second, records[num_written + num_first :])
        num_written += num_first + num_second
        for i in range(NUM_FIRST_CONTACTS):
            summaries[step, i] = step_records.summary[i]
        summaries[step, NUM_FIRST_CONTACTS], summaries[step, NUM_SECOND_CONTACTS] = num_first, num_second
        copy_array(step_records.actuators, actuators[step])
        if num_first:
            num_last_contacts = num_first
            copy_rows(step_records.last_contacts[0], num_last_contacts, last_contacts)
        if num_second:
            num_last_contacts = num_second
            copy_rows(step_records.last_contacts[1], num_last_contacts, last_contacts)
        num_contacts = num_new
        copy_rows(step_records.contacts[2], num_contacts, step_records.contacts[0])
        copy_rows(step_records.contacts[2], num_contacts, contacts)
        copy_array(final.q, q[step + 1])
        copy_array(final.v, v[step + 1])
        write_twists(context.tree, final)
        write_body_poses(context.tree, final, poses[step + 1])
        write_body_twists(context.tree, final, poses[step + 1], twists[step + 1])
        initial, final = final, initial
        (
            settings[NUM_STEPS_TAKEN],
            settings[NUM_RECORDS],
            settings[NUM_CONTACTS],
            settings[NUM_LAST_CONTACTS],
        ) = (
            step + 1,
            num_written,
            num_contacts,
            num_last_contacts,
        )
    return STEP_TAKEN
