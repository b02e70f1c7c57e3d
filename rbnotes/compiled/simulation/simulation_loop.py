"""Simulation loop over flat arrays, for :mod:`rbnotes.multibody.packing.simulation_runs`."""

from typing import Any, NamedTuple

from rbnotes.compiled.array_views import view_at
from rbnotes.compiled.collision.narrow_phase import SHAPE_SIZE
from rbnotes.compiled.contact_solver.joint_constraints import (
    Bodies,
    JointGeometry,
    Joints,
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
from rbnotes.compiled.simulation.body_states import read_body_states, read_velocities, write_motion
from rbnotes.compiled.simulation.joint_tree import (
    JointTree,
    TreeFactor,
    TreeKinematics,
    TreeWorkspace,
)
from rbnotes.compiled.simulation.python_callbacks import CallbackBuffers
from rbnotes.compiled.simulation.rattle_step import (
    RattleContext,
    StepRecords,
    StepStart,
    StepWorkspace,
    compute_joints,
    prepare_joints,
    take_step,
)
from rbnotes.compiled.simulation.step_contacts import Colliders
from rbnotes.compiled.structure_references import reference
from rbnotes.unchecked.stabilization import JOINT_ERROR_TOLERANCE

# Header of the integers: numbers of bodies, joints, rows, couplings, envelope entries, shapes, pairs of
# bodies that do not touch, links and their directions.
HEADER_SIZE = 9


class SimulationModel(NamedTuple):
    """Parts of the model that all steps of a run share.

    Attributes
    ----------
    bodies, joints, tree, colliders
        The parts of :class:`~rbnotes.compiled.simulation.rattle_step.RattleContext`.
    gravity
        Acceleration of gravity in the world, m/s^2.
    """

    bodies: Any
    joints: Any
    tree: Any
    colliders: Any
    gravity: Any


@jit_noalloc
def read_model(integers, floats):
    """Return the :class:`SimulationModel`, whose arrays are views."""
    n, k, m, p, s, c = integers[0], integers[1], integers[2], integers[3], integers[5], integers[6]
    num_links, num_directions = integers[7], integers[8]
    body, offset = view_at(integers, HEADER_SIZE, (k,))
    parent, offset = view_at(integers, offset, (k,))
    row_start, offset = view_at(integers, offset, (k + 1,))
    rotation_kind, offset = view_at(integers, offset, (k,))
    coupled, offset = view_at(integers, offset, (p, 4))
    row_bodies, offset = view_at(integers, offset, (m, 2))
    first_column, offset = view_at(integers, offset, (m,))
    row_offset, offset = view_at(integers, offset, (m,))
    link_body, offset = view_at(integers, offset, (num_links,))
    link_base, offset = view_at(integers, offset, (num_links,))
    link_joint, offset = view_at(integers, offset, (num_links,))
    link_side, offset = view_at(integers, offset, (num_links,))
    first_direction, offset = view_at(integers, offset, (num_links + 1,))
    shape_body, offset = view_at(integers, offset, (s,))
    excluded_pairs, offset = view_at(integers, offset, (c, 2))
    mass, offset = view_at(floats, 0, (n,))
    J, offset = view_at(floats, offset, (n, 3, 3))
    inverse_mass, offset = view_at(floats, offset, (n + 1,))
    J_inverse, offset = view_at(floats, offset, (n + 1, 3, 3))
    com, offset = view_at(floats, offset, (n, 3))
    bounding_radii, offset = view_at(floats, offset, (n,))
    axis, offset = view_at(floats, offset, (k, 3))
    rows, offset = view_at(floats, offset, (m, 6))
    frame, offset = view_at(floats, offset, (k, 3, 3))
    origin, offset = view_at(floats, offset, (k, 3))
    parent_frame, offset = view_at(floats, offset, (k, 3, 3))
    parent_origin, offset = view_at(floats, offset, (k, 3))
    directions, offset = view_at(floats, offset, (num_directions, 6))
    geometry, offset = view_at(floats, offset, (s, SHAPE_SIZE))
    mu, offset = view_at(floats, offset, (s, s))
    restitution, offset = view_at(floats, offset, (s, s))
    gravity, offset = view_at(floats, offset, (3,))
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
    tree = JointTree(link_body, link_base, link_joint, link_side, first_direction, directions)
    colliders = Colliders(shape_body, geometry, excluded_pairs, mu, restitution, bounding_radii)
    return SimulationModel(bodies, joints, tree, colliders, (gravity[0], gravity[1], gravity[2]))


@jit_noalloc
def allocate_tree_factor(x, offset, l, d):
    """Allocate the factors of l links with d directions at index `offset`; return the next index, too."""
    inertia, offset = view_at(x, offset, (48 * l,))
    columns, offset = view_at(x, offset, (8 * d,))
    rows, offset = view_at(x, offset, (8 * d,))
    inverse_pivots, offset = view_at(x, offset, (d,))
    return TreeFactor(inertia, columns, rows, inverse_pivots), offset


@jit_noalloc
def allocate_tree_workspace(x, offset, n, m, l, d):
    """Allocate the working memory of l links with d directions; return the next index, too."""
    inertia, offset = view_at(x, offset, (n, 3, 3))
    inverse_displacements, offset = view_at(x, offset, (n, 3, 3))
    gaps, offset = view_at(x, offset, (8 * l,))
    wrenches, offset = view_at(x, offset, (8 * l,))
    motions, offset = view_at(x, offset, (8 * l,))
    loads, offset = view_at(x, offset, (d,))
    rows, offset = view_at(x, offset, (m,))
    factor, offset = allocate_tree_factor(x, offset, l, d)
    return TreeWorkspace(factor, inertia, inverse_displacements, gaps, wrenches, motions, loads, rows), offset


@jit_noalloc
def allocate_states(x, offset, n, k, m, envelope_size, l, d):
    """Allocate the states of n bodies, with the world, and of k joints with m rows at index `offset`.

    The joints have an envelope of this size, and l links with d directions. Returns the next index, too.
    """
    R, offset = view_at(x, offset, (n, 3, 3))
    p, offset = view_at(x, offset, (n, 3))
    center, offset = view_at(x, offset, (n, 3))
    v, offset = view_at(x, offset, (n, 6))
    constraint_error, offset = view_at(x, offset, (m,))
    jacobian, offset = view_at(x, offset, (m, 2, 6))
    responses, offset = view_at(x, offset, (m, 2, 6))
    factor, offset = view_at(x, offset, (envelope_size,))
    axes, offset = view_at(x, offset, (k, 3, 3))
    arms, offset = view_at(x, offset, (k, 2, 3))
    geometry = JointGeometry(axes, arms)
    directions, offset = view_at(x, offset, (8 * d,))
    link_arms, offset = view_at(x, offset, (24 * l + 8,))
    tree_factor, offset = allocate_tree_factor(x, offset, l, d)
    system = JointSystem(jacobian, responses, factor)
    tree = TreeKinematics(directions, link_arms, tree_factor)
    return BodyStates(R, p, center, v, geometry, constraint_error, system, tree), offset


@jit_noalloc
def allocate_step_workspace(x, offset, n, k, m, envelope_size, l, d, max_contacts):
    """Allocate the results and the working memory of a step at index `offset`; return the next index, too."""
    contacts, offset = view_at(x, offset, (4, max_contacts, CONTACT_SIZE))
    last_contacts, offset = view_at(x, offset, (2, max_contacts, CONTACT_SIZE))
    summary, offset = view_at(x, offset, (NUM_FIRST_CONTACTS,))
    impulses, offset = view_at(x, offset, (3, m))
    v, offset = view_at(x, offset, (n, 6))
    incoming, offset = view_at(x, offset, (n, 6))
    means, offset = view_at(x, offset, (n, 6))
    target, offset = view_at(x, offset, (m,))
    correction, offset = view_at(x, offset, (m,))
    D, offset = view_at(x, offset, (n, 3, 3))
    displaced_responses, offset = view_at(x, offset, (m, 2, 6))
    lower, offset = view_at(x, offset, (envelope_size,))
    upper, offset = view_at(x, offset, (envelope_size,))
    poses, offset = view_at(x, offset, (n, 4, 4))
    contact_points, offset = view_at(x, offset, (max_contacts, 2 + CONTACT_POINT_SIZE))
    series, offset = view_at(x, offset, (SERIES_SIZE,))
    rotation, offset = view_at(x, offset, (3, 3))
    tree, offset = allocate_tree_workspace(x, offset, n, m, l, d)
    records = StepRecords(contacts, last_contacts, summary, impulses)
    return (
        records,
        StepWorkspace(
            v,
            incoming,
            means,
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
            tree,
        ),
        offset,
    )


@jit_noalloc
def allocate_callbacks(x, settings, n):
    """Allocate the buffers of callbacks, and the velocity changes by applied forces."""
    motion, offset = view_at(x, 0, (n, MOTION_SIZE))
    wrenches, offset = view_at(x, offset, (n, 6))
    force_velocity, offset = view_at(x, offset, (n + 1, 6))
    time, offset = view_at(x, offset, (1,))
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
    summaries,
    impulses,
    records,
    callback_buffer,
    workspace,
):
    """Take steps until all are done, one needs the reference, or an array is full; return the status.

    Motions are ``(n, 22)``, those after each step ``(T, n, 22)``. The contacts at the start and the last ones
    with impulses, rows of ``CONTACT_SIZE`` numbers, are read at the start and written at the end.
    ``callback_buffer`` and ``workspace`` are working memory, initially zero.
    """
    model = reference(read_model(integers, floats))
    bodies, joints, tree = model.bodies, model.joints, model.tree
    count, size, max_contacts = len(bodies.mass), len(joints.first_column), len(contacts)
    sizes = count + 1, integers[1], size, integers[4], integers[7], integers[8]
    callbacks, force_velocity = allocate_callbacks(callback_buffer, settings, count)
    parameters = StepParameters(
        settings[H], model.gravity, settings[SLOP], settings[MATCH_RADIUS], force_velocity
    )
    context = RattleContext(
        bodies, joints, tree, model.colliders, reference(parameters), reference(callbacks)
    )
    record_views, workspace_views, offset = allocate_step_workspace(workspace, 0, *sizes, max_contacts)
    first_state, offset = allocate_states(workspace, offset, *sizes)
    second_state, offset = allocate_states(workspace, offset, *sizes)
    step_records, step_workspace = reference(record_views), reference(workspace_views)
    initial, final = reference(first_state), reference(second_state)
    if offset > len(workspace):
        return WORKSPACE_TOO_SMALL
    read_body_states(bodies, motion, initial)
    read_body_states(bodies, motion, final)
    num_contacts, num_last_contacts, num_written = (
        int(settings[NUM_CONTACTS]),
        int(settings[NUM_LAST_CONTACTS]),
        0,
    )
    copy_rows(contacts, num_contacts, step_records.contacts[0])
    settings[NUM_STEPS_TAKEN], settings[NUM_RECORDS] = 0.0, 0.0
    if not compute_joints(joints, initial, step_workspace.series):
        return NEEDS_REFERENCE
    for r in range(size):
        if abs(initial.constraint_error[r]) > JOINT_ERROR_TOLERANCE:
            return NEEDS_REFERENCE
    max_mobility = prepare_joints(bodies, joints, tree, initial, num_contacts, step_workspace)
    if max_mobility < 0:
        return NEEDS_REFERENCE
    for n in range(int(settings[NUM_STEPS])):
        start = StepStart(initial, max_mobility, num_contacts, last_contacts[:num_last_contacts])
        status, max_mobility, num_impacts, num_second, num_new = take_step(
            context, start, final, step_records, step_workspace
        )
        num_first = num_impacts + num_contacts
        if status == STEP_TAKEN and num_written + num_first + num_second > len(records):
            status = CONTACTS_FULL
        if status != STEP_TAKEN:
            return status
        copy_rows(step_records.contacts[3], num_impacts, records[num_written:])
        copy_rows(step_records.contacts[0], num_contacts, records[num_written + num_impacts :])
        copy_rows(step_records.contacts[1], num_second, records[num_written + num_first :])
        num_written += num_first + num_second
        for i in range(NUM_FIRST_CONTACTS):
            summaries[n, i] = step_records.summary[i]
        summaries[n, NUM_FIRST_CONTACTS], summaries[n, NUM_SECOND_CONTACTS] = num_first, num_second
        for r in range(size):
            impulses[n, r] = (
                step_records.impulses[0, r] + step_records.impulses[1, r] + step_records.impulses[2, r]
            )
        if num_contacts:
            num_last_contacts = num_contacts
            copy_rows(step_records.last_contacts[0], num_last_contacts, last_contacts)
        if num_second:
            num_last_contacts = num_second
            copy_rows(step_records.last_contacts[1], num_last_contacts, last_contacts)
        num_contacts = num_new
        copy_rows(step_records.contacts[2], num_contacts, step_records.contacts[0])
        copy_rows(step_records.contacts[2], num_contacts, contacts)
        write_motion(bodies, final, motion)
        copy_rows(motion, count, states[n])
        read_velocities(bodies, motion, final)  # a run that continues from there reads them, too
        initial, final = final, initial
        (
            settings[NUM_STEPS_TAKEN],
            settings[NUM_RECORDS],
            settings[NUM_CONTACTS],
            settings[NUM_LAST_CONTACTS],
        ) = (
            n + 1,
            num_written,
            num_contacts,
            num_last_contacts,
        )
    return STEP_TAKEN
