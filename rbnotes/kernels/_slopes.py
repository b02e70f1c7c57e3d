"""How forces change with coordinates and velocities: a sweep out and one back, all as seen from the world.

The column J of a joint is a twist along which all moves that it carries. With V the twist and A the
acceleration of what carries the joint itself, the rates of a column that rests in its joint are

    J' = ad(V) J,    J'' = ad(A) J + ad(V) J',

and they are what steady coordinates make of a change of q: of twists, and of their rates. A column S of a
block also moves as seen from its own body, which is at V and A, and

    J' = ad(V) J + S',    J'' = ad(A) J + ad(V) (J' + S') + S'',

where S' and S'' are given from outside, and so is how columns of one block change with each other's
coordinates, which turns the force on them. A rigid body that is at V
answers a change X of its twist by the wrench ``I dX/dt + G X``, and

    G X = ad*(V) I X - I ad(V) X + ad*(X) I V = (C x, -2 P cross x),   x the angular half of X,

where P is the body's momentum and C a matrix of three rows. So a body has 10 numbers of inertia, 9 of C, 3 of
P and 6 of its wrench, which add up to those of all that a joint carries. The mass matrix comes along: its
numbers are columns times momenta that the slopes take, too.
"""

from rbnotes.kernels._algebra import (
    apart,
    bracket,
    cross,
    dot6,
    inlined,
    momentum,
    seen_from_world,
    times,
)
from rbnotes.kernels._blocks import first_of
from rbnotes.kernels._layout import (
    ACCELERATION,
    AXIS,
    BENDS,
    CHANGES,
    COLUMN,
    CONSTANTS,
    COORDINATE,
    ELEMENTS,
    HEADER,
    INERTIA,
    INNER,
    KIND,
    LANES,
    MASS,
    ONE,
    PARENT,
    RECORD,
    SIX,
    SIZE,
    SPRING,
    STATE,
    TWIST,
    WHOLE,
    WRENCH,
    ZERO,
    U,
)
from rbnotes.kernels._memory import near3, near6, near9, put3, put6, read3, read6
from rbnotes.kernels._numbers import place
from rbnotes.kernels._steps import read_pose

# Of an element: the two changes of its column; and what it carries, from the inertia on.
_J1, _J2, _CARRIED, _C, _MOMENTUM, _WRENCH = (U(i) for i in (0, 6, 12, 22, 31, 34))
EXTRA = U(40)
_PARTS = U(28)


@inlined
def bends_of(whole, e, each):
    """Where the numbers of an element start, of a block of which e is the last."""
    first = first_of(whole, e)
    return whole[HEADER + first * WHOLE + COORDINATE] * BENDS + (each - first) * (
        CHANGES + U(6) * (e + ONE - first)
    )


@inlined
def column_of(numbers, room, e):
    """The column J of an element."""
    return read6(numbers, room.records + place(e, RECORD, 0.0) + COLUMN, 0.0)


@inlined
def carried_body(extra, o):
    """Mass, first moment and inertia of all that an element carries."""
    return (
        extra[o + _CARRIED],
        near3(extra, o + _CARRIED + ONE),
        near6(extra, o + _CARRIED + U(4)),
    )


@inlined
def changed_column(whole, numbers, room, extra, e):
    """Changes of the column."""
    o = e * EXTRA
    p = room.states + place(whole[HEADER + e * WHOLE + PARENT], STATE, 0.0)
    j0, j1, j2, j3, j4, j5 = column_of(numbers, room, e)
    v0, v1, v2, v3, v4, v5 = read6(numbers, p + TWIST, 0.0)
    a0, a1, a2, a3, a4, a5 = read6(numbers, p + ACCELERATION, 0.0)
    d0, d1, d2, d3, d4, d5 = bracket(v0, v1, v2, v3, v4, v5, j0, j1, j2, j3, j4, j5)
    put6(extra, o + _J1, d0, d1, d2, d3, d4, d5)
    e0, e1, e2, e3, e4, e5 = bracket(a0, a1, a2, a3, a4, a5, j0, j1, j2, j3, j4, j5)
    f0, f1, f2, f3, f4, f5 = bracket(v0, v1, v2, v3, v4, v5, d0, d1, d2, d3, d4, d5)
    put6(extra, o + _J2, e0 + f0, e1 + f1, e2 + f2, e3 + f3, e4 + f4, e5 + f5)


@apart
def changed_block(whole, numbers, room, extra, bends, e):
    """Changes of the columns of a block, of which e is the last element."""
    own = room.states + place(e, STATE, 0.0)
    R, p = read_pose(numbers, own, 0.0)
    v0, v1, v2, v3, v4, v5 = read6(numbers, own + TWIST, 0.0)
    a0, a1, a2, a3, a4, a5 = read6(numbers, own + ACCELERATION, 0.0)
    for each in range(first_of(whole, e), e + ONE):
        o, b = each * EXTRA, bends_of(whole, e, each)
        j0, j1, j2, j3, j4, j5 = column_of(numbers, room, each)
        s0, s1, s2, s3, s4, s5 = seen_from_world(R, p, *near6(bends, b))
        t0, t1, t2, t3, t4, t5 = seen_from_world(R, p, *near6(bends, b + U(6)))
        d0, d1, d2, d3, d4, d5 = bracket(v0, v1, v2, v3, v4, v5, j0, j1, j2, j3, j4, j5)
        d0, d1, d2, d3, d4, d5 = d0 + s0, d1 + s1, d2 + s2, d3 + s3, d4 + s4, d5 + s5
        put6(extra, o + _J1, d0, d1, d2, d3, d4, d5)
        d0, d1, d2, d3, d4, d5 = d0 + s0, d1 + s1, d2 + s2, d3 + s3, d4 + s4, d5 + s5
        f0, f1, f2, f3, f4, f5 = bracket(v0, v1, v2, v3, v4, v5, d0, d1, d2, d3, d4, d5)
        t0, t1, t2, t3, t4, t5 = t0 + f0, t1 + f1, t2 + f2, t3 + f3, t4 + f4, t5 + f5
        f0, f1, f2, f3, f4, f5 = bracket(a0, a1, a2, a3, a4, a5, j0, j1, j2, j3, j4, j5)
        put6(extra, o + _J2, t0 + f0, t1 + f1, t2 + f2, t3 + f3, t4 + f4, t5 + f5)


@apart
def force_on_changed_columns(whole, numbers, room, extra, bends, table, e):
    """What the force on a block does as its columns change; e is its last element.

    Columns and rows take later elements for carried by earlier ones, whose columns then do not change, while
    the columns of later ones turn along. Columns of one block do neither.
    """
    width, first = table.width, first_of(whole, e)
    R, p = read_pose(numbers, room.states + place(e, STATE, 0.0), 0.0)
    force = near6(extra, e * EXTRA + _WRENCH)
    for by in range(first, e + ONE):
        j = whole[HEADER + by * WHOLE + COORDINATE]
        w0, w1, w2, u0, u1, u2 = column_of(numbers, room, by)
        for of in range(first, e + ONE):
            l = whole[HEADER + of * WHOLE + COORDINATE]
            at = bends_of(whole, e, by) + CHANGES + U(6) * (of - first)
            table.slopes[l * width + j] += dot6(seen_from_world(R, p, *near6(bends, at)), force)
            if by > of:
                j0, j1, j2, j3, j4, j5 = column_of(numbers, room, of)
                turned = bracket(w0, w1, w2, u0, u1, u2, j0, j1, j2, j3, j4, j5)
                table.slopes[l * width + j] += dot6(turned, force)


@inlined
def own_body(whole, numbers, room, extra, e):
    """Inertia, C, momentum and wrench of the element's own body."""
    o, at = e * EXTRA, room.records + place(e, RECORD, 0.0)
    m = numbers[place(e, CONSTANTS, 0.0) + MASS]
    I = read6(numbers, at + INERTIA, 0.0)
    h = read3(numbers, at + INERTIA + SIX, 0.0)
    extra[o + _CARRIED] = m
    put3(extra, o + _CARRIED + ONE, *h)
    put6(extra, o + _CARRIED + U(4), *I)
    w0, w1, w2, u0, u1, u2 = read6(numbers, room.states + place(e, STATE, 0.0) + TWIST, 0.0)
    _, _, _, P0, P1, P2 = momentum(m, h, I, w0, w1, w2, u0, u1, u2)
    put3(extra, o + _MOMENTUM, P0, P1, P2)
    for axis in range(U(3)):
        x0, x1 = 1.0 if axis == ZERO else 0.0, 1.0 if axis == ONE else 0.0
        c0, c1, c2 = answer(m, h, I, w0, w1, w2, u0, u1, u2, x0, x1, 1.0 - x0 - x1)
        extra[o + _C + axis], extra[o + _C + U(3) + axis], extra[o + _C + U(6) + axis] = c0, c1, c2
    put6(extra, o + _WRENCH, *read6(numbers, at + WRENCH, 0.0))


@inlined
def force_bracket(w0, w1, w2, u0, u1, u2, n0, n1, n2, f0, f1, f2):
    """``ad*(w, u) (n, f)``: how a wrench changes that is at rest in a moving frame."""
    a0, a1, a2 = cross(w0, w1, w2, n0, n1, n2)
    b0, b1, b2 = cross(u0, u1, u2, f0, f1, f2)
    c0, c1, c2 = cross(w0, w1, w2, f0, f1, f2)
    return a0 + b0, a1 + b1, a2 + b2, c0, c1, c2


@apart
def answer(m, h, I, w0, w1, w2, u0, u1, u2, x0, x1, x2):
    """The moment ``C x``."""
    a0, a1, a2, a3, a4, a5 = momentum(m, h, I, x0, x1, x2, 0.0, 0.0, 0.0)
    a0, a1, a2, a3, a4, a5 = force_bracket(w0, w1, w2, u0, u1, u2, a0, a1, a2, a3, a4, a5)
    b0, b1, b2, b3, b4, b5 = bracket(w0, w1, w2, u0, u1, u2, x0, x1, x2, 0.0, 0.0, 0.0)
    b0, b1, b2, b3, b4, b5 = momentum(m, h, I, b0, b1, b2, b3, b4, b5)
    c0, c1, c2, c3, c4, c5 = momentum(m, h, I, w0, w1, w2, u0, u1, u2)
    c0, c1, c2, c3, c4, c5 = force_bracket(x0, x1, x2, 0.0, 0.0, 0.0, c0, c1, c2, c3, c4, c5)
    return a0 - b0 + c0, a1 - b1 + c1, a2 - b2 + c2


@inlined
def column_and_row(whole, numbers, room, extra, table, e):
    """What a joint's forces, and those of all joints that carry it, have to do with its coordinate."""
    k, j = whole[SIZE], whole[HEADER + e * WHOLE + COORDINATE]
    o, by_q, mass = e * EXTRA, j * table.width, j * table.mass_width
    by_v = by_q + k
    m, h, I = carried_body(extra, o)
    C = near9(extra, o + _C)
    P0, P1, P2 = near3(extra, o + _MOMENTUM)
    n0, n1, n2, f0, f1, f2 = near6(extra, o + _WRENCH)
    J = column_of(numbers, room, e)
    w0, w1, w2, u0, u1, u2 = J
    d0, d1, d2, d3, d4, d5 = near6(extra, o + _J1)
    e0, e1, e2, e3, e4, e5 = near6(extra, o + _J2)
    # Along the own column: dX/dt = J'' and X = J', and the wrench turns; for velocities 2 J' and J.
    e0, e1, e2, e3, e4, e5 = momentum(m, h, I, e0, e1, e2, e3, e4, e5)
    c0, c1, c2 = times(C, d0, d1, d2)
    c3, c4, c5 = cross(d0, d1, d2, P0, P1, P2)
    n0, n1, n2, f0, f1, f2 = force_bracket(w0, w1, w2, u0, u1, u2, n0, n1, n2, f0, f1, f2)
    q0, q1, q2 = e0 + c0 + n0, e1 + c1 + n1, e2 + c2 + n2
    q3, q4, q5 = e3 + 2 * c3 + f0, e4 + 2 * c4 + f1, e5 + 2 * c5 + f2
    d0, d1, d2, d3, d4, d5 = momentum(m, h, I, d0, d1, d2, d3, d4, d5)
    c0, c1, c2 = times(C, w0, w1, w2)
    c3, c4, c5 = cross(w0, w1, w2, P0, P1, P2)
    v0, v1, v2 = 2 * d0 + c0, 2 * d1 + c1, 2 * d2 + c2
    v3, v4, v5 = 2 * (d3 + c3), 2 * (d4 + c4), 2 * (d5 + c5)
    # Along the columns of joints that carry it: the same, and the force on the own column.
    C00, C01, C02, C10, C11, C12, C20, C21, C22 = C
    a0, a1, a2 = cross(P0, P1, P2, u0, u1, u2)
    a0 = C00 * w0 + C10 * w1 + C20 * w2 + 2 * a0
    a1 = C01 * w0 + C11 * w1 + C21 * w2 + 2 * a1
    a2 = C02 * w0 + C12 * w1 + C22 * w2 + 2 * a2
    w0, w1, w2, u0, u1, u2 = momentum(m, h, I, w0, w1, w2, u0, u1, u2)
    spring = place(e, CONSTANTS, 0.0) + SPRING
    table.slopes[by_q + j] = dot6(J, (q0, q1, q2, q3, q4, q5)) + numbers[spring]
    table.slopes[by_v + j] = dot6(J, (v0, v1, v2, v3, v4, v5)) + numbers[spring + LANES]
    table.mass[mass + j] = dot6(J, (w0, w1, w2, u0, u1, u2))
    above = whole[HEADER + e * WHOLE + PARENT]
    while above != ZERO:
        row, z = HEADER + above * WHOLE, above * EXTRA
        l = whole[row + COORDINATE]
        J = column_of(numbers, room, above)
        table.slopes[l * table.width + j] = dot6(J, (q0, q1, q2, q3, q4, q5))
        table.slopes[l * table.width + k + j] = dot6(J, (v0, v1, v2, v3, v4, v5))
        J1 = near6(extra, z + _J1)
        second = dot6(near6(extra, z + _J2), (w0, w1, w2, u0, u1, u2))
        table.slopes[by_q + l] = second + a0 * J1[0] + a1 * J1[1] + a2 * J1[2]
        twice = 2.0 * dot6(J1, (w0, w1, w2, u0, u1, u2))
        table.slopes[by_v + l] = twice + a0 * J[0] + a1 * J[1] + a2 * J[2]
        table.mass[mass + l] = dot6(J, (w0, w1, w2, u0, u1, u2))
        above = whole[row + PARENT]


@inlined
def slopes(whole, numbers, room, extra, bends, table):
    """Derivatives of the forces that accelerations take, and the mass matrix, into a table of zeros.

    Comes after a sweep outwards, and after the bodies' wrenches.
    """
    elements = whole[ELEMENTS]
    for e in range(ONE, elements):
        kind = whole[HEADER + e * WHOLE + KIND]
        if kind == AXIS:
            changed_column(whole, numbers, room, extra, e)
        elif kind != INNER:
            changed_block(whole, numbers, room, extra, bends, e)
        own_body(whole, numbers, room, extra, e)
    for back in range(ONE, elements):
        e = elements - back
        column_and_row(whole, numbers, room, extra, table, e)
        o, p = e * EXTRA + _CARRIED, whole[HEADER + e * WHOLE + PARENT] * EXTRA + _CARRIED
        for part in range(_PARTS):
            extra[p + part] += extra[o + part]
    for e in range(ONE, elements):
        kind = whole[HEADER + e * WHOLE + KIND]
        if kind != AXIS and kind != INNER:
            force_on_changed_columns(whole, numbers, room, extra, bends, table, e)
