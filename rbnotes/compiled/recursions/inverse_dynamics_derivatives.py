"""Derivatives of inverse dynamics: an outward and an inward sweep in world coordinates.

The column J of a joint is the twist of its subtree per unit velocity. With the twist V and the acceleration A
of the joint's parent, the rates of a column that is constant in its joint are

    J' = ad(V) J,    J'' = ad(A) J + ad(V) J',

the derivatives of twists and of their rates with respect to q at constant velocities. A column S of a block
also changes in its own body, which has V and A, and

    J' = ad(V) J + S',    J'' = ad(A) J + ad(V) (J' + S') + S'',

where S' and S'' are inputs, as are the derivatives of the columns of a block with respect to each other's
coordinates, which rotate the force on them. A rigid body with the twist V responds to a change X of its
twist by the wrench ``I dX/dt + G X``, and

    G X = ad*(V) I X - I ad(V) X + ad*(X) I V = (C x, -2 P cross x),   x the angular half of X,

where P is the body's linear momentum and C a 3 x 3 matrix. Each body contributes 10 numbers of inertia, 9 of
C, 3 of P and 6 of its wrench, which are summed over each subtree. The mass matrix is a by-product: its
entries are products of columns with momenta that the derivatives need, too.
"""

from rbnotes.compiled.decorators import jit_fma, jit_fma_inline
from rbnotes.compiled.recursions.element_steps import read_pose
from rbnotes.compiled.recursions.multi_dof_joints import first_element
from rbnotes.compiled.simd.lanes import element_offset
from rbnotes.compiled.simd.memory import (
    read3,
    read6,
    read_packed3,
    read_packed6,
    read_packed9,
    write_packed3,
    write_packed6,
)
from rbnotes.compiled.simd.spatial_algebra import (
    cross,
    dot6,
    matvec3,
    momentum,
    motion_cross,
    twist_in_world,
)
from rbnotes.compiled.tree_layout import (
    ACCELERATION,
    AXIS,
    COLUMN,
    COLUMN_CHANGES_OFFSET,
    CONSTANTS_SIZE,
    COORDINATE,
    HEADER_SIZE,
    INERTIA,
    INNER_COLUMN,
    KIND,
    LANES,
    MASS,
    NUM_COORDINATES,
    NUM_ELEMENTS,
    ONE,
    PARENT,
    RECORD_SIZE,
    ROW_SIZE,
    SIX_LANES,
    SPRING,
    STATE_SIZE,
    SUBSPACE_DERIVATIVES_SIZE,
    TWIST,
    WRENCH,
    ZERO,
    U,
)

# Offsets for an element: both rates of its column; from the inertia on, sums over its subtree.
_COLUMN_RATE, _COLUMN_ACCELERATION, _COMPOSITE, _C, _MOMENTUM, _WRENCH = (
    U(i) for i in (0, 6, 12, 22, 31, 34)
)
EXTRA_SIZE = U(40)
_COMPOSITE_SIZE = U(28)


@jit_fma_inline
def derivative_offset(integers, e, element):
    """Return the offset of an element's input derivatives in a block with the last element e."""
    first = first_element(integers, e)
    return integers[HEADER_SIZE + first * ROW_SIZE + COORDINATE] * SUBSPACE_DERIVATIVES_SIZE + (
        element - first
    ) * (COLUMN_CHANGES_OFFSET + U(6) * (e + ONE - first))


@jit_fma_inline
def motion_subspace_column(floats, workspace, e):
    """Return the column J of an element."""
    return read6(floats, workspace.records + element_offset(e, RECORD_SIZE, 0.0) + COLUMN, 0.0)


@jit_fma_inline
def composite_inertia(extra, o):
    """Return mass, first moment and inertia of the subtree of an element."""
    return (
        extra[o + _COMPOSITE],
        read_packed3(extra, o + _COMPOSITE + ONE),
        read_packed6(extra, o + _COMPOSITE + U(4)),
    )


@jit_fma_inline
def write_column_rates(integers, floats, workspace, extra, e):
    """Write the rates J' and J'' of a column."""
    o = e * EXTRA_SIZE
    p = workspace.states + element_offset(integers[HEADER_SIZE + e * ROW_SIZE + PARENT], STATE_SIZE, 0.0)
    j0, j1, j2, j3, j4, j5 = motion_subspace_column(floats, workspace, e)
    v0, v1, v2, v3, v4, v5 = read6(floats, p + TWIST, 0.0)
    a0, a1, a2, a3, a4, a5 = read6(floats, p + ACCELERATION, 0.0)
    d0, d1, d2, d3, d4, d5 = motion_cross(v0, v1, v2, v3, v4, v5, j0, j1, j2, j3, j4, j5)
    write_packed6(extra, o + _COLUMN_RATE, d0, d1, d2, d3, d4, d5)
    e0, e1, e2, e3, e4, e5 = motion_cross(a0, a1, a2, a3, a4, a5, j0, j1, j2, j3, j4, j5)
    f0, f1, f2, f3, f4, f5 = motion_cross(v0, v1, v2, v3, v4, v5, d0, d1, d2, d3, d4, d5)
    write_packed6(extra, o + _COLUMN_ACCELERATION, e0 + f0, e1 + f1, e2 + f2, e3 + f3, e4 + f4, e5 + f5)


@jit_fma
def write_block_column_rates(integers, floats, workspace, extra, subspace_derivatives, e):
    """Write the rates of the columns of a block with the last element e."""
    state = workspace.states + element_offset(e, STATE_SIZE, 0.0)
    R, p = read_pose(floats, state, 0.0)
    v0, v1, v2, v3, v4, v5 = read6(floats, state + TWIST, 0.0)
    a0, a1, a2, a3, a4, a5 = read6(floats, state + ACCELERATION, 0.0)
    for element in range(first_element(integers, e), e + ONE):
        o, b = element * EXTRA_SIZE, derivative_offset(integers, e, element)
        j0, j1, j2, j3, j4, j5 = motion_subspace_column(floats, workspace, element)
        s0, s1, s2, s3, s4, s5 = twist_in_world(R, p, *read_packed6(subspace_derivatives, b))
        t0, t1, t2, t3, t4, t5 = twist_in_world(R, p, *read_packed6(subspace_derivatives, b + U(6)))
        d0, d1, d2, d3, d4, d5 = motion_cross(v0, v1, v2, v3, v4, v5, j0, j1, j2, j3, j4, j5)
        d0, d1, d2, d3, d4, d5 = d0 + s0, d1 + s1, d2 + s2, d3 + s3, d4 + s4, d5 + s5
        write_packed6(extra, o + _COLUMN_RATE, d0, d1, d2, d3, d4, d5)
        d0, d1, d2, d3, d4, d5 = d0 + s0, d1 + s1, d2 + s2, d3 + s3, d4 + s4, d5 + s5
        f0, f1, f2, f3, f4, f5 = motion_cross(v0, v1, v2, v3, v4, v5, d0, d1, d2, d3, d4, d5)
        t0, t1, t2, t3, t4, t5 = t0 + f0, t1 + f1, t2 + f2, t3 + f3, t4 + f4, t5 + f5
        f0, f1, f2, f3, f4, f5 = motion_cross(a0, a1, a2, a3, a4, a5, j0, j1, j2, j3, j4, j5)
        write_packed6(extra, o + _COLUMN_ACCELERATION, t0 + f0, t1 + f1, t2 + f2, t3 + f3, t4 + f4, t5 + f5)


@jit_fma
def add_column_derivative_forces(integers, floats, workspace, extra, subspace_derivatives, table, e):
    """Add the force derivatives of a block due to its changing columns; e is its last element.

    Derivatives elsewhere treat later elements as carried by earlier ones: columns of earlier elements are
    constant, columns of later elements rotate with them. Neither holds within a block.
    """
    width, first = table.width, first_element(integers, e)
    R, p = read_pose(floats, workspace.states + element_offset(e, STATE_SIZE, 0.0), 0.0)
    force = read_packed6(extra, e * EXTRA_SIZE + _WRENCH)
    for element in range(first, e + ONE):
        j = integers[HEADER_SIZE + element * ROW_SIZE + COORDINATE]
        w0, w1, w2, u0, u1, u2 = motion_subspace_column(floats, workspace, element)
        for force_element in range(first, e + ONE):
            l = integers[HEADER_SIZE + force_element * ROW_SIZE + COORDINATE]
            offset = (
                derivative_offset(integers, e, element)
                + COLUMN_CHANGES_OFFSET
                + U(6) * (force_element - first)
            )
            table.derivatives[l * width + j] += dot6(
                twist_in_world(R, p, *read_packed6(subspace_derivatives, offset)), force
            )
            if element > force_element:
                j0, j1, j2, j3, j4, j5 = motion_subspace_column(floats, workspace, force_element)
                column_change = motion_cross(w0, w1, w2, u0, u1, u2, j0, j1, j2, j3, j4, j5)
                table.derivatives[l * width + j] += dot6(column_change, force)


@jit_fma_inline
def initialize_composite(integers, floats, workspace, extra, e):
    """Write inertia, C, momentum and wrench of the element's own body."""
    o, offset = e * EXTRA_SIZE, workspace.records + element_offset(e, RECORD_SIZE, 0.0)
    m = floats[element_offset(e, CONSTANTS_SIZE, 0.0) + MASS]
    I = read6(floats, offset + INERTIA, 0.0)
    h = read3(floats, offset + INERTIA + SIX_LANES, 0.0)
    extra[o + _COMPOSITE] = m
    write_packed3(extra, o + _COMPOSITE + ONE, *h)
    write_packed6(extra, o + _COMPOSITE + U(4), *I)
    w0, w1, w2, u0, u1, u2 = read6(floats, workspace.states + element_offset(e, STATE_SIZE, 0.0) + TWIST, 0.0)
    _, _, _, P0, P1, P2 = momentum(m, h, I, w0, w1, w2, u0, u1, u2)
    write_packed3(extra, o + _MOMENTUM, P0, P1, P2)
    for axis in range(U(3)):
        x0, x1 = 1.0 if axis == ZERO else 0.0, 1.0 if axis == ONE else 0.0
        c0, c1, c2 = gyroscopic_moment(m, h, I, w0, w1, w2, u0, u1, u2, x0, x1, 1.0 - x0 - x1)
        extra[o + _C + axis], extra[o + _C + U(3) + axis], extra[o + _C + U(6) + axis] = c0, c1, c2
    write_packed6(extra, o + _WRENCH, *read6(floats, offset + WRENCH, 0.0))


@jit_fma_inline
def force_cross(w0, w1, w2, u0, u1, u2, n0, n1, n2, f0, f1, f2):
    """Return ``ad*(w, u) (n, f)``, the rate of a wrench that is constant in a moving frame."""
    a0, a1, a2 = cross(w0, w1, w2, n0, n1, n2)
    b0, b1, b2 = cross(u0, u1, u2, f0, f1, f2)
    c0, c1, c2 = cross(w0, w1, w2, f0, f1, f2)
    return a0 + b0, a1 + b1, a2 + b2, c0, c1, c2


@jit_fma
def gyroscopic_moment(m, h, I, w0, w1, w2, u0, u1, u2, x0, x1, x2):
    """Return the moment ``C x`` in the wrench ``G X`` (see the module) for an angular velocity x."""
    a0, a1, a2, a3, a4, a5 = momentum(m, h, I, x0, x1, x2, 0.0, 0.0, 0.0)
    a0, a1, a2, a3, a4, a5 = force_cross(w0, w1, w2, u0, u1, u2, a0, a1, a2, a3, a4, a5)
    b0, b1, b2, b3, b4, b5 = motion_cross(w0, w1, w2, u0, u1, u2, x0, x1, x2, 0.0, 0.0, 0.0)
    b0, b1, b2, b3, b4, b5 = momentum(m, h, I, b0, b1, b2, b3, b4, b5)
    c0, c1, c2, c3, c4, c5 = momentum(m, h, I, w0, w1, w2, u0, u1, u2)
    c0, c1, c2, c3, c4, c5 = force_cross(x0, x1, x2, 0.0, 0.0, 0.0, c0, c1, c2, c3, c4, c5)
    return a0 - b0 + c0, a1 - b1 + c1, a2 - b2 + c2


@jit_fma_inline
def write_force_derivatives(integers, floats, workspace, extra, table, e):
    """Write the derivatives between the forces of a joint and its ancestors and their coordinates."""
    k, j = integers[NUM_COORDINATES], integers[HEADER_SIZE + e * ROW_SIZE + COORDINATE]
    o, q_row, mass_row = e * EXTRA_SIZE, j * table.width, j * table.mass_width
    qdot_row = q_row + k
    m, h, I = composite_inertia(extra, o)
    C = read_packed9(extra, o + _C)
    P0, P1, P2 = read_packed3(extra, o + _MOMENTUM)
    n0, n1, n2, f0, f1, f2 = read_packed6(extra, o + _WRENCH)
    J = motion_subspace_column(floats, workspace, e)
    w0, w1, w2, u0, u1, u2 = J
    d0, d1, d2, d3, d4, d5 = read_packed6(extra, o + _COLUMN_RATE)
    e0, e1, e2, e3, e4, e5 = read_packed6(extra, o + _COLUMN_ACCELERATION)
    # Own column: dX/dt = J'' and X = J', and the wrench rotates; for velocities 2 J' and J.
    e0, e1, e2, e3, e4, e5 = momentum(m, h, I, e0, e1, e2, e3, e4, e5)
    c0, c1, c2 = matvec3(C, d0, d1, d2)
    c3, c4, c5 = cross(d0, d1, d2, P0, P1, P2)
    n0, n1, n2, f0, f1, f2 = force_cross(w0, w1, w2, u0, u1, u2, n0, n1, n2, f0, f1, f2)
    q0, q1, q2 = e0 + c0 + n0, e1 + c1 + n1, e2 + c2 + n2
    q3, q4, q5 = e3 + 2 * c3 + f0, e4 + 2 * c4 + f1, e5 + 2 * c5 + f2
    d0, d1, d2, d3, d4, d5 = momentum(m, h, I, d0, d1, d2, d3, d4, d5)
    c0, c1, c2 = matvec3(C, w0, w1, w2)
    c3, c4, c5 = cross(w0, w1, w2, P0, P1, P2)
    v0, v1, v2 = 2 * d0 + c0, 2 * d1 + c1, 2 * d2 + c2
    v3, v4, v5 = 2 * (d3 + c3), 2 * (d4 + c4), 2 * (d5 + c5)
    # Columns of ancestors: the same, and the force on the own column.
    C00, C01, C02, C10, C11, C12, C20, C21, C22 = C
    a0, a1, a2 = cross(P0, P1, P2, u0, u1, u2)
    a0 = C00 * w0 + C10 * w1 + C20 * w2 + 2 * a0
    a1 = C01 * w0 + C11 * w1 + C21 * w2 + 2 * a1
    a2 = C02 * w0 + C12 * w1 + C22 * w2 + 2 * a2
    w0, w1, w2, u0, u1, u2 = momentum(m, h, I, w0, w1, w2, u0, u1, u2)
    spring = element_offset(e, CONSTANTS_SIZE, 0.0) + SPRING
    table.derivatives[q_row + j] = dot6(J, (q0, q1, q2, q3, q4, q5)) + floats[spring]
    table.derivatives[qdot_row + j] = dot6(J, (v0, v1, v2, v3, v4, v5)) + floats[spring + LANES]
    table.mass[mass_row + j] = dot6(J, (w0, w1, w2, u0, u1, u2))
    ancestor = integers[HEADER_SIZE + e * ROW_SIZE + PARENT]
    while ancestor != ZERO:
        row, z = HEADER_SIZE + ancestor * ROW_SIZE, ancestor * EXTRA_SIZE
        l = integers[row + COORDINATE]
        J = motion_subspace_column(floats, workspace, ancestor)
        table.derivatives[l * table.width + j] = dot6(J, (q0, q1, q2, q3, q4, q5))
        table.derivatives[l * table.width + k + j] = dot6(J, (v0, v1, v2, v3, v4, v5))
        J1 = read_packed6(extra, z + _COLUMN_RATE)
        ancestor_q_term = dot6(read_packed6(extra, z + _COLUMN_ACCELERATION), (w0, w1, w2, u0, u1, u2))
        table.derivatives[q_row + l] = ancestor_q_term + a0 * J1[0] + a1 * J1[1] + a2 * J1[2]
        ancestor_qdot_term = 2.0 * dot6(J1, (w0, w1, w2, u0, u1, u2))
        table.derivatives[qdot_row + l] = ancestor_qdot_term + a0 * J[0] + a1 * J[1] + a2 * J[2]
        table.mass[mass_row + l] = dot6(J, (w0, w1, w2, u0, u1, u2))
        ancestor = integers[row + PARENT]


@jit_fma_inline
def inverse_dynamics_derivatives(integers, floats, workspace, extra, subspace_derivatives, table):
    """Write the derivatives of the generalized forces, and the mass matrix, into a table of zeros.

    Requires an outward sweep and the wrenches on the bodies.
    """
    elements = integers[NUM_ELEMENTS]
    for e in range(ONE, elements):
        kind = integers[HEADER_SIZE + e * ROW_SIZE + KIND]
        if kind == AXIS:
            write_column_rates(integers, floats, workspace, extra, e)
        elif kind != INNER_COLUMN:
            write_block_column_rates(integers, floats, workspace, extra, subspace_derivatives, e)
        initialize_composite(integers, floats, workspace, extra, e)
    for back in range(ONE, elements):
        e = elements - back
        write_force_derivatives(integers, floats, workspace, extra, table, e)
        o, p = (
            e * EXTRA_SIZE + _COMPOSITE,
            integers[HEADER_SIZE + e * ROW_SIZE + PARENT] * EXTRA_SIZE + _COMPOSITE,
        )
        for part in range(_COMPOSITE_SIZE):
            extra[p + part] += extra[o + part]
    for e in range(ONE, elements):
        kind = integers[HEADER_SIZE + e * ROW_SIZE + KIND]
        if kind != AXIS and kind != INNER_COLUMN:
            add_column_derivative_forces(integers, floats, workspace, extra, subspace_derivatives, table, e)
