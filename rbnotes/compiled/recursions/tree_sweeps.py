"""Sweeps over all elements, for one state or for eight states at once.

The type of ``like`` selects which; ``first`` is the first of the eight states. For one state, eight elements
that do not depend on each other are processed at once.
"""

from rbnotes.compiled.decorators import jit_fma, jit_fma_inline
from rbnotes.compiled.recursions.element_steps import (
    inertia_and_wrench,
    joint_transform,
    propagate_acceleration,
    propagate_articulated_inertia,
    propagate_axis_motion,
    propagate_wrench,
    read_inertia_and_wrench,
    read_pose,
    spring_force,
    write_inertia_and_wrench,
    write_pose,
)
from rbnotes.compiled.recursions.multi_dof_joints import (
    first_element,
    is_prescribed,
    store_quaternion_accelerations,
    store_result,
    update_multi_dof_joint,
)
from rbnotes.compiled.simd.gather_scatter import gather, prefetch, scatter
from rbnotes.compiled.simd.lanes import broadcast8, broadcast_like, element_offset, read, write
from rbnotes.compiled.simd.memory import (
    add6,
    read3,
    read6,
    read9,
    read_packed3,
    read_packed6,
    read_packed9,
    write3,
    write6,
    write9,
    write_packed6,
)
from rbnotes.compiled.simd.spatial_algebra import (
    cross,
    matmul3,
    matvec3,
    transpose3,
)
from rbnotes.compiled.tree_layout import (
    ACCELERATION,
    ACCELERATION_CHANGE,
    AXIS,
    BODY_FRAMES_OFFSET,
    CONSTANTS_SIZE,
    FORCE,
    GRAVITY_OFFSET,
    HAS_TRANSLATION,
    HEADER_SIZE,
    INNER_COLUMN,
    IS_PRESCRIBED,
    KIND,
    LANES,
    NUM_BODIES,
    NUM_COORDINATES,
    NUM_ELEMENTS,
    NUM_PADDED_ELEMENTS,
    NUM_SLOTS,
    ONE,
    OWN_SLOT,
    PARENT,
    PARENT_SLOT,
    POSE,
    POSE_POSITION,
    POSITION,
    QUATERNION,
    RATE,
    RECORD_SIZE,
    ROW_SIZE,
    SLOT_IS_OCCUPIED,
    SLOT_SIZE,
    STATE_SIZE,
    TWIST,
    WORKSPACE_OFFSET,
    WRENCH,
    ZERO,
    U,
    Workspace,
)


@jit_fma_inline
def single_workspace(integers):
    """Return the workspace for one state, which follows the constants."""
    groups = integers[NUM_PADDED_ELEMENTS] // LANES
    states = integers[WORKSPACE_OFFSET] + groups * RECORD_SIZE
    slots = states + groups * STATE_SIZE
    return Workspace(integers[WORKSPACE_OFFSET], states, slots, slots + integers[NUM_SLOTS] * SLOT_SIZE)


@jit_fma_inline
def batch_workspace(integers):
    """Return the workspace for eight states; coordinates are padded to a multiple of eight."""
    states = (integers[NUM_PADDED_ELEMENTS] + LANES) * RECORD_SIZE
    slots = states + (integers[NUM_PADDED_ELEMENTS] + LANES) * STATE_SIZE
    return Workspace(ZERO, states, slots, slots + integers[NUM_SLOTS] * SLOT_SIZE)


@jit_fma_inline
def state_offsets(integers, workspace, e, like):
    """Return the offsets of the states of an element and of its parent."""
    parent = integers[HEADER_SIZE + e * ROW_SIZE + PARENT]
    return workspace.states + element_offset(e, STATE_SIZE, like), workspace.states + element_offset(
        parent, STATE_SIZE, like
    )


@jit_fma_inline
def gather_states(integers, work, workspace, q, v, f, first, e, like):
    """Read coordinates, rates and forces of eight elements from e in eight states."""
    size, o = integers[NUM_COORDINATES], workspace.records + element_offset(e, RECORD_SIZE, like)
    j = e - ONE
    offset, count = first * size + j, min(LANES, size - j)
    gather(q, offset, size, count, work, o + POSITION, RECORD_SIZE)
    gather(v, offset, size, count, work, o + RATE, RECORD_SIZE)
    gather(f, offset, size, count, work, o + FORCE, RECORD_SIZE)


@jit_fma_inline
def prefetch_states(integers, q, v, f, out, first, e):
    """Prefetch the inputs and outputs of the next eight states.

    The hardware prefetcher does not predict this access pattern: eight rows, eight numbers of each.
    """
    index = first * integers[NUM_COORDINATES] + (integers[NUM_COORDINATES] + e - ONE) * LANES
    prefetch(q, index)
    prefetch(v, index)
    prefetch(f, index)
    prefetch(out, index)


@jit_fma_inline
def scatter_results(integers, work, workspace, out, first, like):
    """Write the results of eight states."""
    size = integers[NUM_COORDINATES]
    for j in range(ZERO, size, LANES):
        o = workspace.records + element_offset(j + ONE, RECORD_SIZE, like) + FORCE
        scatter(out, first * size + j, size, min(LANES, size - j), work, o, RECORD_SIZE)


@jit_fma_inline
def initialize_world(integers, floats, work, workspace, like):
    """Initialize the world, which accelerates upwards in place of gravity."""
    h, g = workspace.states, integers[GRAVITY_OFFSET]
    zero, one = broadcast_like(0.0, like), broadcast_like(1.0, like)
    write9(work, h + POSE, one, zero, zero, zero, one, zero, zero, zero, one)
    write3(work, h + POSE + POSE_POSITION, zero, zero, zero)
    write6(work, h + TWIST, zero, zero, zero, zero, zero, zero)
    g0, g1, g2 = read_packed3(floats, g)
    g0, g1, g2 = broadcast_like(-g0, like), broadcast_like(-g1, like), broadcast_like(-g2, like)
    write6(work, h + ACCELERATION, zero, zero, zero, g0, g1, g2)
    write6(work, workspace.records + WRENCH, zero, zero, zero, zero, zero, zero)


@jit_fma_inline
def subtract_spring_force(floats, c, work, o, like, per_element):
    """Subtract the spring and damper force from the force."""
    force = read(work, o + FORCE, like)
    write(work, o + FORCE, force - spring_force(floats, c, work, o, like, per_element))


@jit_fma_inline
def propagate_joint(integers, floats, work, workspace, external, first, reduced, e, pose, like):
    """Write pose, columns, twist and acceleration of a joint at its last element.

    `pose` is the pose of a single-axis joint in its parent's frame.
    """
    h = HEADER_SIZE + e * ROW_SIZE
    kind = integers[h + KIND]
    if kind == AXIS:
        o = workspace.records + element_offset(e, RECORD_SIZE, like)
        state, parent = state_offsets(integers, workspace, e, like)
        prescribed = integers[h + IS_PRESCRIBED] > ZERO or not reduced
        has_translation = integers[h + HAS_TRANSLATION] > ZERO
        c = element_offset(e, CONSTANTS_SIZE, 0.0)
        propagate_axis_motion(floats, c, work, o, state, parent, pose, has_translation, prescribed, like)
    elif kind == INNER_COLUMN:
        state, _ = state_offsets(integers, workspace, e, like)
        zero = broadcast_like(0.0, like)
        write6(work, state + TWIST, zero, zero, zero, zero, zero, zero)
        write6(work, state + ACCELERATION, zero, zero, zero, zero, zero, zero)
    else:
        state, _ = state_offsets(integers, workspace, e, like)
        _, parent = state_offsets(integers, workspace, first_element(integers, e), like)
        update_multi_dof_joint(
            integers, floats, work, workspace, external, first, reduced, e, state, parent, like
        )


@jit_fma_inline
def group_offsets(workspace, e):
    """Return the offsets of constants, records and states of the eight elements from e."""
    return (
        element_offset(e, CONSTANTS_SIZE, 0.0),
        workspace.records + element_offset(e, RECORD_SIZE, 0.0),
        workspace.states + element_offset(e, STATE_SIZE, 0.0),
    )


@jit_fma_inline
def forward_sweep_single(integers, floats, workspace, q, v, f, reduced):
    """Compute the motions of all elements, the inertias of their bodies, and the wrenches on them.

    ``f`` holds accelerations at prescribed joints and forces elsewhere; without ``reduced``, accelerations.
    """
    elements, filled, row = integers[NUM_ELEMENTS], integers[NUM_PADDED_ELEMENTS], broadcast8(0.0)
    for e in range(ONE, elements):
        o = workspace.records + element_offset(e, RECORD_SIZE, 0.0)
        floats[o + POSITION], floats[o + RATE], floats[o + FORCE] = q[e - ONE], v[e - ONE], f[e - ONE]
    for e in range(ZERO, filled, LANES):
        c, o, h = group_offsets(workspace, e)
        if reduced:
            subtract_spring_force(floats, c, floats, o, row, True)
        write_pose(floats, h, joint_transform(floats, c, floats, o, True, row, True))
    initialize_world(integers, floats, floats, workspace, 0.0)
    for e in range(ONE, elements):
        pose = read_pose(floats, workspace.states + element_offset(e, STATE_SIZE, 0.0), 0.0)
        propagate_joint(integers, floats, floats, workspace, floats, ZERO, reduced, e, pose, 0.0)
    for e in range(ZERO, filled, LANES):
        c, o, h = group_offsets(workspace, e)
        write_inertia_and_wrench(floats, o, inertia_and_wrench(floats, c, floats, h, row, True))


@jit_fma_inline
def forward_sweep_batch(integers, floats, work, workspace, external, q, v, f, out, first, reduced, like):
    """Run the forward sweep for eight states; if `reduced`, leave inertias to the inward sweep."""
    elements = integers[NUM_ELEMENTS]
    initialize_world(integers, floats, work, workspace, like)
    for begin in range(ONE, elements, LANES):
        gather_states(integers, work, workspace, q, v, f, first, begin, like)
        for e in range(begin, min(begin + LANES, elements)):
            c, o = (
                element_offset(e, CONSTANTS_SIZE, 0.0),
                workspace.records + element_offset(e, RECORD_SIZE, like),
            )
            state, _ = state_offsets(integers, workspace, e, like)
            prefetch_states(integers, q, v, f, out, first, e)
            if reduced:
                subtract_spring_force(floats, c, work, o, like, False)
            pose = joint_transform(
                floats, c, work, o, integers[HEADER_SIZE + e * ROW_SIZE + HAS_TRANSLATION] > ZERO, like, False
            )
            propagate_joint(integers, floats, work, workspace, external, first, reduced, e, pose, like)
            if not reduced:
                write_inertia_and_wrench(work, o, inertia_and_wrench(floats, c, work, state, like, False))


@jit_fma_inline
def articulated_body_sweeps(integers, floats, work, workspace, out, stored, like):
    """Compute all accelerations by the articulated-body algorithm (Sueda 2.12, Algorithm 9).

    The inward sweep eliminates free coordinates, the outward sweep adds their accelerations. Inertias and
    wrenches are ``stored``, or computed in the inward sweep.
    """
    elements = integers[NUM_ELEMENTS]
    for back in range(ONE, elements):
        e = elements - back
        h = HEADER_SIZE + e * ROW_SIZE
        c, o = (
            element_offset(e, CONSTANTS_SIZE, 0.0),
            workspace.records + element_offset(e, RECORD_SIZE, like),
        )
        x = workspace.slots + integers[h + OWN_SLOT] * SLOT_SIZE
        y = workspace.slots + integers[h + PARENT_SLOT] * SLOT_SIZE
        shared = integers[h + SLOT_IS_OCCUPIED] > ZERO
        state, _ = state_offsets(integers, workspace, e, like)
        weight = (
            read_inertia_and_wrench(work, o, like)
            if stored
            else inertia_and_wrench(floats, c, work, state, like, False)
        )
        propagate_articulated_inertia(
            floats, c, work, o, state, x, y, shared, weight, integers[h + IS_PRESCRIBED] > ZERO, like
        )
    zero = broadcast_like(0.0, like)
    write6(work, workspace.records + ACCELERATION_CHANGE, zero, zero, zero, zero, zero, zero)
    for e in range(ONE, elements):
        h = HEADER_SIZE + e * ROW_SIZE
        o = workspace.records + element_offset(e, RECORD_SIZE, like)
        state, _ = state_offsets(integers, workspace, e, like)
        parent_record = workspace.records + element_offset(integers[h + PARENT], RECORD_SIZE, like)
        a = propagate_acceleration(work, o, state, parent_record, integers[h + IS_PRESCRIBED] > ZERO, like)
        store_result(work, workspace, out, e, a, like)
        if integers[h + KIND] == QUATERNION and not is_prescribed(integers, e):
            store_quaternion_accelerations(integers, work, workspace, out, e, like)


@jit_fma_inline
def inverse_dynamics_sweep(integers, floats, work, workspace, out, springs, like):
    """Compute the generalized forces of the wrenches on all elements, of springs and of dampers.

    After an outward sweep this completes the recursive Newton-Euler algorithm (Sueda 2.10, Algorithm 5).
    """
    elements = integers[NUM_ELEMENTS]
    for back in range(ONE, elements):
        e = elements - back
        h = HEADER_SIZE + e * ROW_SIZE
        o = workspace.records + element_offset(e, RECORD_SIZE, like)
        parent_record = workspace.records + element_offset(integers[h + PARENT], RECORD_SIZE, like)
        force = propagate_wrench(work, o, parent_record, like)
        if springs:
            force = force + spring_force(floats, element_offset(e, CONSTANTS_SIZE, 0.0), work, o, like, False)
        store_result(work, workspace, out, e, force, like)


@jit_fma_inline
def body_pose(integers, floats, workspace, b):
    """Return the pose of body b, and the element that carries it, for one state."""
    offset, e = (
        integers[BODY_FRAMES_OFFSET] + b * U(12),
        integers[HEADER_SIZE + integers[NUM_ELEMENTS] * ROW_SIZE + b],
    )
    h = workspace.states + element_offset(e, STATE_SIZE, 0.0) + POSE
    R, (p0, p1, p2) = read9(floats, h, 0.0), read3(floats, h + POSE_POSITION, 0.0)
    t0, t1, t2 = read_packed3(floats, offset + U(9))
    t0, t1, t2 = matvec3(R, t0, t1, t2)
    return matmul3(R, read_packed9(floats, offset)), p0 + t0, p1 + t1, p2 + t2, e


@jit_fma
def write_body_vectors(integers, floats, workspace, field, out):
    """Write the twists or accelerations of all bodies, for one state."""
    for b in range(integers[NUM_BODIES]):
        R, p0, p1, p2, e = body_pose(integers, floats, workspace, b)
        w0, w1, w2, u0, u1, u2 = read6(
            floats, workspace.states + element_offset(e, STATE_SIZE, 0.0) + field, 0.0
        )
        x0, x1, x2 = cross(w0, w1, w2, p0, p1, p2)
        T = transpose3(R)
        w0, w1, w2 = matvec3(T, w0, w1, w2)
        u0, u1, u2 = matvec3(T, u0 + x0, u1 + x1, u2 + x2)
        write_packed6(out, b * U(6), w0, w1, w2, u0, u1, u2)


@jit_fma
def clear_wrenches(integers, floats, workspace):
    """Set the wrenches on all elements to zero, for one state."""
    for e in range(integers[NUM_ELEMENTS]):
        o = workspace.records + element_offset(e, RECORD_SIZE, 0.0)
        write6(floats, o + WRENCH, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@jit_fma
def add_body_wrenches(integers, floats, workspace, wrenches, sign):
    """Add wrenches on the bodies to those on their elements, for one state."""
    for b in range(integers[NUM_BODIES]):
        R, p0, p1, p2, e = body_pose(integers, floats, workspace, b)
        n0, n1, n2, f0, f1, f2 = read_packed6(wrenches, b * U(6))
        n0, n1, n2 = matvec3(R, sign * n0, sign * n1, sign * n2)
        f0, f1, f2 = matvec3(R, sign * f0, sign * f1, sign * f2)
        x0, x1, x2 = cross(p0, p1, p2, f0, f1, f2)
        o = workspace.records + element_offset(e, RECORD_SIZE, 0.0)
        add6(floats, o + WRENCH, n0 + x0, n1 + x1, n2 + x2, f0, f1, f2)
