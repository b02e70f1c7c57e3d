"""How forces change with coordinates and velocities: a sweep out and one back, all as seen from the world.

For nodes of one axis, or none. The column J of a joint is a twist along which all moves that it carries. With
V the twist and A the acceleration of what carries the joint itself,

    J' = ad(V) J,    J'' = ad(A) J + ad(V) J'

are what steady coordinates make of a change of q: of twists, and of their rates. A rigid body that is at V
answers a change X of its twist by the wrench ``I dX/dt + G X``, and

    G X = ad*(V) I X - I ad(V) X + ad*(X) I V = (C x, -2 P cross x),   x the angular half of X,

where P is the body's momentum and C a matrix of three rows. So a body has 10 numbers of inertia, 9 of C, 3 of
P and 6 of its wrench, which add up to those of all that a joint carries.
"""

from rbnotes.kernels._algebra import apart, bias, bracket, inlined, momentum, sine_cosine, times, turned_up
from rbnotes.kernels._layout import (
    BODIES,
    BODY,
    COORDINATE,
    GRAVITY_AT,
    HEADER,
    KIND,
    NODES,
    ONE,
    PARENT,
    PLACES_AT,
    RATES,
    REAL,
    SCREW_0,
    SCREW_2,
    SHIFT,
    SIZE,
    SPRINGS_AT,
    WHOLE,
    ZERO,
    U,
)
from rbnotes.kernels._memory import read3, read6, read9, read10, write3, write6, write9

# Of a node: pose, column, its two changes, twist, acceleration; and what it carries, from INERTIA on.
_R, _P, _J, _J1, _J2, _V, _A, INERTIA, _C, _MOMENTUM, _WRENCH = (
    U(i) for i in (0, 9, 12, 18, 24, 30, 36, 42, 52, 61, 64)
)
RECORD = U(70)
_CARRIED = U(28)


@inlined
def placed_node(whole, numbers, room, q, i):
    """The pose of a node and its column, from the pose of the node before."""
    h, r = HEADER + i * WHOLE, i * REAL
    o, p = i * RECORD, whole[h + PARENT] * RECORD
    R00, R01, R02, R10, R11, R12, R20, R21, R22 = read9(room, p + _R, ONE)
    p0, p1, p2 = read3(room, p + _P, ONE)
    c, s, d = read3(numbers, r + SCREW_0, ONE)
    p0, p1, p2 = p0 + d * R00, p1 + d * R10, p2 + d * R20
    R01, R02 = c * R01 + s * R02, c * R02 - s * R01
    R11, R12 = c * R11 + s * R12, c * R12 - s * R11
    R21, R22 = c * R21 + s * R22, c * R22 - s * R21
    c, s, d = read3(numbers, r + SCREW_2, ONE)
    ka, kb = 0.0, 0.0
    if whole[h + KIND] != SHIFT:
        ka, kb = numbers[r + RATES], numbers[r + RATES + ONE]
        angle = q[whole[h + COORDINATE]]
        sine, cosine = sine_cosine(ka * angle)
        c, s, d = c * cosine - s * sine, s * cosine + c * sine, d + kb * angle
    p0, p1, p2 = p0 + d * R02, p1 + d * R12, p2 + d * R22
    R00, R01 = c * R00 + s * R01, c * R01 - s * R00
    R10, R11 = c * R10 + s * R11, c * R11 - s * R10
    R20, R21 = c * R20 + s * R21, c * R21 - s * R20
    write9(room, o + _R, ONE, R00, R01, R02, R10, R11, R12, R20, R21, R22)
    write3(room, o + _P, ONE, p0, p1, p2)
    w0, w1, w2 = ka * R02, ka * R12, ka * R22
    u0, u1, u2 = cross(p0, p1, p2, w0, w1, w2)
    write6(room, o + _J, ONE, w0, w1, w2, u0 + kb * R02, u1 + kb * R12, u2 + kb * R22)


@inlined
def cross(a0, a1, a2, b0, b1, b2):
    return a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0


@inlined
def dot6(x, o, a0, a1, a2, b0, b1, b2):
    """Of what is kept from o on."""
    c0, c1, c2, d0, d1, d2 = read6(x, o, ONE)
    return a0 * c0 + a1 * c1 + a2 * c2 + b0 * d0 + b1 * d1 + b2 * d2


@inlined
def moving_node(whole, room, v, a, i):
    """Changes of the column, and the motion of the node."""
    h = HEADER + i * WHOLE
    o, p = i * RECORD, whole[h + PARENT] * RECORD
    j0, j1, j2, j3, j4, j5 = read6(room, o + _J, ONE)
    v0, v1, v2, v3, v4, v5 = read6(room, p + _V, ONE)
    a0, a1, a2, a3, a4, a5 = read6(room, p + _A, ONE)
    d0, d1, d2, d3, d4, d5 = bracket(v0, v1, v2, v3, v4, v5, j0, j1, j2, j3, j4, j5)
    write6(room, o + _J1, ONE, d0, d1, d2, d3, d4, d5)
    e0, e1, e2, e3, e4, e5 = bracket(a0, a1, a2, a3, a4, a5, j0, j1, j2, j3, j4, j5)
    f0, f1, f2, f3, f4, f5 = bracket(v0, v1, v2, v3, v4, v5, d0, d1, d2, d3, d4, d5)
    write6(room, o + _J2, ONE, e0 + f0, e1 + f1, e2 + f2, e3 + f3, e4 + f4, e5 + f5)
    rate, second = 0.0, 0.0
    if whole[h + KIND] != SHIFT:
        rate, second = v[whole[h + COORDINATE]], a[whole[h + COORDINATE]]
    v0, v1, v2, v3, v4, v5 = (
        v0 + rate * j0,
        v1 + rate * j1,
        v2 + rate * j2,
        v3 + rate * j3,
        v4 + rate * j4,
        v5 + rate * j5,
    )
    write6(room, o + _V, ONE, v0, v1, v2, v3, v4, v5)
    write6(
        room,
        o + _A,
        ONE,
        a0 + second * j0 + rate * d0,
        a1 + second * j1 + rate * d1,
        a2 + second * j2 + rate * d2,
        a3 + second * j3 + rate * d3,
        a4 + second * j4 + rate * d4,
        a5 + second * j5 + rate * d5,
    )


@inlined
def own_body(numbers, room, i):
    """Inertia, C, momentum and wrench of the node's own body."""
    o = i * RECORD
    A00, A01, A02, A11, A12, A22, h0, h1, h2, m = read10(numbers, i * REAL + BODY, ONE)
    R = read9(room, o + _R, ONE)
    p0, p1, p2 = read3(room, o + _P, ONE)
    A00, A01, A02, A11, A12, A22 = turned_up((A00, A01, A02, A11, A12, A22), R)
    h0, h1, h2 = times(R, h0, h1, h2)
    # About the world's origin: with x = p + y, the sum of m (|x|^2 - x x^T).
    k0, k1, k2 = h0 + m * p0, h1 + m * p1, h2 + m * p2
    both = h0 * p0 + h1 * p1 + h2 * p2 + k0 * p0 + k1 * p1 + k2 * p2
    A00 += both - h0 * p0 - p0 * k0
    A11 += both - h1 * p1 - p1 * k1
    A22 += both - h2 * p2 - p2 * k2
    A01 -= h0 * p1 + p0 * k1
    A02 -= h0 * p2 + p0 * k2
    A12 -= h1 * p2 + p1 * k2
    body = (A00, A01, A02, A11, A12, A22, k0, k1, k2, m)
    write6(room, o + INERTIA, ONE, A00, A01, A02, A11, A12, A22)
    write3(room, o + INERTIA + U(6), ONE, k0, k1, k2)
    room[o + INERTIA + U(9)] = m
    w0, w1, w2, u0, u1, u2 = read6(room, o + _V, ONE)
    L0, L1, L2, P0, P1, P2 = momentum(body, w0, w1, w2, u0, u1, u2)
    write3(room, o + _MOMENTUM, ONE, P0, P1, P2)
    for axis in range(U(3)):
        x0, x1 = 1.0 if axis == ZERO else 0.0, 1.0 if axis == ONE else 0.0
        c0, c1, c2 = answer(body, w0, w1, w2, u0, u1, u2, x0, x1, 1.0 - x0 - x1)
        room[o + _C + axis], room[o + _C + U(3) + axis], room[o + _C + U(6) + axis] = c0, c1, c2
    f0, f1, f2, f3, f4, f5 = bias(body, w0, w1, w2, u0, u1, u2)
    a0, a1, a2, b0, b1, b2 = read6(room, o + _A, ONE)
    g0, g1, g2, g3, g4, g5 = momentum(body, a0, a1, a2, b0, b1, b2)
    write6(room, o + _WRENCH, ONE, f0 + g0, f1 + g1, f2 + g2, f3 + g3, f4 + g4, f5 + g5)


@inlined
def force_bracket(w0, w1, w2, u0, u1, u2, n0, n1, n2, f0, f1, f2):
    """``ad*(w, u) (n, f)``: how a wrench changes that is at rest in a moving frame."""
    a0, a1, a2 = cross(w0, w1, w2, n0, n1, n2)
    b0, b1, b2 = cross(u0, u1, u2, f0, f1, f2)
    c0, c1, c2 = cross(w0, w1, w2, f0, f1, f2)
    return a0 + b0, a1 + b1, a2 + b2, c0, c1, c2


@apart
def answer(body, w0, w1, w2, u0, u1, u2, x0, x1, x2):
    """The moment ``C x``."""
    a0, a1, a2, a3, a4, a5 = momentum(body, x0, x1, x2, 0.0, 0.0, 0.0)
    a0, a1, a2, a3, a4, a5 = force_bracket(w0, w1, w2, u0, u1, u2, a0, a1, a2, a3, a4, a5)
    b0, b1, b2, b3, b4, b5 = bracket(w0, w1, w2, u0, u1, u2, x0, x1, x2, 0.0, 0.0, 0.0)
    b0, b1, b2, b3, b4, b5 = momentum(body, b0, b1, b2, b3, b4, b5)
    c0, c1, c2, c3, c4, c5 = momentum(body, w0, w1, w2, u0, u1, u2)
    c0, c1, c2, c3, c4, c5 = force_bracket(x0, x1, x2, 0.0, 0.0, 0.0, c0, c1, c2, c3, c4, c5)
    return a0 - b0 + c0, a1 - b1 + c1, a2 - b2 + c2


@inlined
def applied_wrenches(whole, numbers, room, wrenches):
    """Of the bodies, less what they take from the wrenches of their nodes."""
    for b in range(whole[BODIES]):
        place = whole[PLACES_AT] + b * U(12)
        o = whole[HEADER + whole[NODES] * WHOLE + b] * RECORD
        R, p = read9(numbers, place, ONE), read3(numbers, place + U(9), ONE)
        n0, n1, n2, f0, f1, f2 = read6(wrenches, b * U(6), ONE)
        for _ in range(U(2)):  # to the node, and from there to the world
            n0, n1, n2 = times(R, n0, n1, n2)
            f0, f1, f2 = times(R, f0, f1, f2)
            a0, a1, a2 = cross(p[0], p[1], p[2], f0, f1, f2)
            n0, n1, n2 = n0 + a0, n1 + a1, n2 + a2
            R, p = read9(room, o + _R, ONE), read3(room, o + _P, ONE)
        x = o + _WRENCH
        g0, g1, g2, g3, g4, g5 = read6(room, x, ONE)
        write6(room, x, ONE, g0 - n0, g1 - n1, g2 - n2, g3 - f0, g4 - f1, g5 - f2)


@inlined
def column_and_row(whole, numbers, room, by_q, by_v, i):
    """What a joint's forces, and those of all joints that carry it, have to do with its coordinate."""
    k, h, o = whole[SIZE], HEADER + i * WHOLE, i * RECORD
    j = whole[h + COORDINATE]
    body = read10(room, o + INERTIA, ONE)
    C = read9(room, o + _C, ONE)
    P0, P1, P2 = read3(room, o + _MOMENTUM, ONE)
    n0, n1, n2, f0, f1, f2 = read6(room, o + _WRENCH, ONE)
    w0, w1, w2, u0, u1, u2 = read6(room, o + _J, ONE)
    d0, d1, d2, d3, d4, d5 = read6(room, o + _J1, ONE)
    e0, e1, e2, e3, e4, e5 = read6(room, o + _J2, ONE)
    # Along the own column: dX/dt = J'' and X = J', and the wrench turns; for velocities 2 J' and J.
    e0, e1, e2, e3, e4, e5 = momentum(body, e0, e1, e2, e3, e4, e5)
    c0, c1, c2 = times(C, d0, d1, d2)
    c3, c4, c5 = cross(d0, d1, d2, P0, P1, P2)
    n0, n1, n2, f0, f1, f2 = force_bracket(w0, w1, w2, u0, u1, u2, n0, n1, n2, f0, f1, f2)
    q0, q1, q2 = e0 + c0 + n0, e1 + c1 + n1, e2 + c2 + n2
    q3, q4, q5 = e3 + 2 * c3 + f0, e4 + 2 * c4 + f1, e5 + 2 * c5 + f2
    d0, d1, d2, d3, d4, d5 = momentum(body, d0, d1, d2, d3, d4, d5)
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
    w0, w1, w2, u0, u1, u2 = momentum(body, w0, w1, w2, u0, u1, u2)
    spring = whole[SPRINGS_AT] + j + j + j
    by_q[j * k + j] = dot6(room, o + _J, q0, q1, q2, q3, q4, q5) + numbers[spring]
    by_v[j * k + j] = dot6(room, o + _J, v0, v1, v2, v3, v4, v5) + numbers[spring + ONE]
    above = whole[h + PARENT]
    while above != 0:
        g, z = HEADER + above * WHOLE, above * RECORD
        if whole[g + KIND] != SHIFT:
            l = whole[g + COORDINATE]
            by_q[l * k + j] = dot6(room, z + _J, q0, q1, q2, q3, q4, q5)
            by_v[l * k + j] = dot6(room, z + _J, v0, v1, v2, v3, v4, v5)
            b0, b1, b2 = read3(room, z + _J1, ONE)
            second = dot6(room, z + _J2, w0, w1, w2, u0, u1, u2)
            by_q[j * k + l] = second + a0 * b0 + a1 * b1 + a2 * b2
            b0, b1, b2 = read3(room, z + _J, ONE)
            twice = 2 * dot6(room, z + _J1, w0, w1, w2, u0, u1, u2)
            by_v[j * k + l] = twice + a0 * b0 + a1 * b1 + a2 * b2
        above = whole[g + PARENT]


@inlined
def slopes(whole, numbers, room, q, v, a, wrenches, by_q, by_v):
    """Derivatives ``(k, k)`` of the forces that accelerations take; what is written to is zero before."""
    nodes = whole[NODES]
    write9(room, _R, ONE, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    for axis in range(U(3)):  # the world falls upwards
        room[_A + U(3) + axis] = -numbers[whole[GRAVITY_AT] + axis]
    for i in range(ONE, nodes):
        placed_node(whole, numbers, room, q, i)
        moving_node(whole, room, v, a, i)
        own_body(numbers, room, i)
    applied_wrenches(whole, numbers, room, wrenches)
    for back in range(ONE, nodes):
        i = nodes - back
        h = HEADER + i * WHOLE
        if whole[h + KIND] != SHIFT:
            column_and_row(whole, numbers, room, by_q, by_v, i)
        o, p = i * RECORD + INERTIA, whole[h + PARENT] * RECORD + INERTIA
        for part in range(_CARRIED):
            room[p + part] += room[o + part]
