"""The sweeps' steps at a node of one axis, or of none, for all lanes of a batch at once.

Records are in ``own`` from ``o`` on and in ``parent`` from ``p`` on; slots in ``mine`` from ``x`` on and in
``theirs`` from ``y`` on, constants in ``numbers`` from ``r`` on; ``n`` is the number of lanes. The arrays may
be one and the same, but only of different arrays does the compiler see whether they overlap, and does several
lanes at once.
"""

from math import nan

from rbnotes.kernels._algebra import (
    apart,
    bias,
    bracket,
    hinged_up,
    inertia_times,
    inertia_up,
    inertia_up_0,
    inlined,
    momentum,
    motion_down,
    motion_down_0,
    sine_cosine,
    without,
    wrench_up,
    wrench_up_0,
)
from rbnotes.kernels._layout import (
    BODY,
    COSINE,
    DISTANCE,
    FORCE,
    GAIN,
    MOTION,
    RATE,
    RATES,
    SCREW_0,
    SCREW_2,
    SHIFT,
    SMALLEST,
    U,
)
from rbnotes.kernels._memory import add6, add9, read3, read6, read9, read10, write3, write6

_H, _M, _P = U(6), U(15), U(21)  # in a slot: I, H, M and the wrench


@inlined
def turn(kind, own, o, numbers, r, n):
    """Cosine, sine and distance of the own screw; the coordinate stands where the distance will."""
    c0, s0, d0 = read3(numbers, r + SCREW_2, U(1))
    ka, kb = numbers[r + RATES], numbers[r + RATES + U(1)]
    if kind == SHIFT or ka == 0:
        for lane in range(n):
            b = o + lane
            write3(own, b + n * COSINE, n, c0, s0, d0 + kb * own[b + n * DISTANCE])
    else:
        for lane in range(n):
            b = o + lane
            q = own[b + n * DISTANCE]
            s, c = sine_cosine(ka * q)
            write3(own, b + n * COSINE, n, c * c0 - s * s0, s * c0 + c * s0, d0 + kb * q)


@inlined
def velocity(own, o, parent, p, numbers, r, n):
    """The motion of the node's frame."""
    c0, s0, d0 = read3(numbers, r + SCREW_0, U(1))
    ka, kb = numbers[r + RATES], numbers[r + RATES + U(1)]
    for lane in range(n):
        b = o + lane
        w0, w1, w2, u0, u1, u2 = read6(parent, p + lane + n * MOTION, n)
        w0, w1, w2, u0, u1, u2 = motion_down_0(w0, w1, w2, u0, u1, u2, c0, s0, d0)
        c, s, d = read3(own, b + n * COSINE, n)
        w0, w1, w2, u0, u1, u2 = motion_down(w0, w1, w2, u0, u1, u2, c, s, d)
        v = own[b + n * RATE]
        write6(own, b + n * MOTION, n, w0, w1, w2 + ka * v, u0, u1, u2 + kb * v)


@inlined
def acceleration(own, o, parent, p, numbers, r, n, moved_at):
    """Of the coordinate, from gain and force, and of the frame, kept at ``moved_at`` in all records."""
    c0, s0, d0 = read3(numbers, r + SCREW_0, U(1))
    ka, kb = numbers[r + RATES], numbers[r + RATES + U(1)]
    for lane in range(n):
        b = o + lane
        w0, w1, w2, u0, u1, u2 = read6(own, b + n * MOTION, n)
        a0, a1, a2, b0, b1, b2 = read6(parent, p + lane + n * moved_at, n)
        a0, a1, a2, b0, b1, b2 = motion_down_0(a0, a1, a2, b0, b1, b2, c0, s0, d0)
        c, s, d = read3(own, b + n * COSINE, n)
        a0, a1, a2, b0, b1, b2 = motion_down(a0, a1, a2, b0, b1, b2, c, s, d)
        v = own[b + n * RATE]
        a0 += w1 * (ka * v)
        a1 -= w0 * (ka * v)
        b0 += u1 * (ka * v) + w1 * (kb * v)
        b1 -= u0 * (ka * v) + w0 * (kb * v)
        g0, g1, g2, g3, g4, g5 = read6(own, b + n * GAIN, n)
        qdd = own[b + n * FORCE] - (g0 * a0 + g1 * a1 + g2 * a2 + g3 * b0 + g4 * b1 + g5 * b2)
        own[b + n * RATE] = qdd
        write6(own, b + n * moved_at, n, a0, a1, a2 + ka * qdd, b0, b1, b2 + kb * qdd)


@inlined
def rest_of_hinge(own, o, mine, x, theirs, y, adds, carries, numbers, r, n):
    """Articulated inertia and wrench of what a hinge carries, less what it lets go, handed to the parent."""
    cosine, sine, a = read3(numbers, r + SCREW_0, U(1))
    smallest = numbers[r + SMALLEST]
    body = read10(numbers, r + BODY, U(1))
    for lane in range(n):
        b = o + lane
        w0, w1, w2, u0, u1, u2 = read6(own, b + n * MOTION, n)
        I, H, M, P = own_and_carried(mine, x + lane, carries, body, n, w0, w1, w2, u0, u1, u2)
        I00, I01, I02, I11, I12, I22 = I
        H00, H01, H02, H10, H11, H12, H20, H21, H22 = H
        M00, M01, M02, M11, M12, M22 = M
        p0, p1, p2, p3, p4, p5 = P
        inverse = 1 / (I22 if I22 > smallest else nan)
        g0 = I02 * inverse
        g1 = I12 * inverse
        g3 = H20 * inverse
        g4 = H21 * inverse
        g5 = H22 * inverse
        tau = own[b + n * FORCE]
        force = tau - p2
        own[b + n * FORCE] = force * inverse
        write6(own, b + n * GAIN, n, g0, g1, 1.0, g3, g4, g5)
        I00 -= I02 * g0
        I01 -= I02 * g1
        I11 -= I12 * g1
        H00 -= I02 * g3
        H01 -= I02 * g4
        H02 -= I02 * g5
        H10 -= I12 * g3
        H11 -= I12 * g4
        H12 -= I12 * g5
        M00 -= H20 * g3
        M01 -= H20 * g4
        M02 -= H20 * g5
        M11 -= H21 * g4
        M12 -= H21 * g5
        M22 -= H22 * g5
        v = own[b + n * RATE]
        c0 = w1 * v
        c1 = -w0 * v
        c3 = u1 * v
        c4 = -u0 * v
        p0 += I00 * c0 + I01 * c1 + H00 * c3 + H01 * c4 + g0 * force
        p1 += I01 * c0 + I11 * c1 + H10 * c3 + H11 * c4 + g1 * force
        p3 += H00 * c0 + H10 * c1 + M00 * c3 + M01 * c4 + g3 * force
        p4 += H01 * c0 + H11 * c1 + M01 * c3 + M11 * c4 + g4 * force
        p5 += H02 * c0 + H12 * c1 + M02 * c3 + M12 * c4 + g5 * force
        c, s, d = read3(own, b + n * COSINE, n)
        p0, p1, p2, p3, p4, p5 = wrench_up(p0, p1, tau, p3, p4, p5, c, s, d)
        p0, p1, p2, p3, p4, p5 = wrench_up_0(p0, p1, p2, p3, p4, p5, cosine, sine, a)
        I, H, M = hinged_up(
            (I00, I01, I11),
            (H00, H01, H02, H10, H11, H12),
            (M00, M01, M02, M11, M12, M22),
            c,
            s,
            d,
            cosine,
            sine,
            a,
        )
        hand_over(theirs, y + lane, n, adds, I, H, M, p0, p1, p2, p3, p4, p5)


@inlined
def own_and_carried(mine, z, carries, body, n, w0, w1, w2, u0, u1, u2):
    """Articulated inertia and wrench of a body and of what it carries."""
    J00, J01, J02, J11, J12, J22, h0, h1, h2, m = body
    p0, p1, p2, p3, p4, p5 = bias(body, w0, w1, w2, u0, u1, u2)
    I00, I01, I02, I11, I12, I22 = read6(mine, z, n)
    H00, H01, H02, H10, H11, H12, H20, H21, H22 = read9(mine, z + n * _H, n)
    M00, M01, M02, M11, M12, M22 = read6(mine, z + n * _M, n)
    P0, P1, P2, P3, P4, P5 = read6(mine, z + n * _P, n)
    return (
        (
            J00 + (I00 if carries else 0.0),
            J01 + (I01 if carries else 0.0),
            J02 + (I02 if carries else 0.0),
            J11 + (I11 if carries else 0.0),
            J12 + (I12 if carries else 0.0),
            J22 + (I22 if carries else 0.0),
        ),
        (
            H00 if carries else 0.0,
            (H01 if carries else 0.0) - h2,
            (H02 if carries else 0.0) + h1,
            (H10 if carries else 0.0) + h2,
            H11 if carries else 0.0,
            (H12 if carries else 0.0) - h0,
            (H20 if carries else 0.0) - h1,
            (H21 if carries else 0.0) + h0,
            H22 if carries else 0.0,
        ),
        (
            m + (M00 if carries else 0.0),
            M01 if carries else 0.0,
            M02 if carries else 0.0,
            m + (M11 if carries else 0.0),
            M12 if carries else 0.0,
            m + (M22 if carries else 0.0),
        ),
        (
            p0 + (P0 if carries else 0.0),
            p1 + (P1 if carries else 0.0),
            p2 + (P2 if carries else 0.0),
            p3 + (P3 if carries else 0.0),
            p4 + (P4 if carries else 0.0),
            p5 + (P5 if carries else 0.0),
        ),
    )


@inlined
def cleared(x, o, size):
    """Zeros from o on."""
    for i in range(size):
        x[o + i] = 0.0


@inlined
def hand_over(theirs, y, n, adds, I, H, M, p0, p1, p2, p3, p4, p5):
    """To the parent's slot, beside what is there from other children."""
    I00, I01, I02, I11, I12, I22 = I
    H00, H01, H02, H10, H11, H12, H20, H21, H22 = H
    M00, M01, M02, M11, M12, M22 = M
    add6(theirs, y, n, adds, I00, I01, I02, I11, I12, I22)
    add9(theirs, y + n * _H, n, adds, H00, H01, H02, H10, H11, H12, H20, H21, H22)
    add6(theirs, y + n * _M, n, adds, M00, M01, M02, M11, M12, M22)
    add6(theirs, y + n * _P, n, adds, p0, p1, p2, p3, p4, p5)


@inlined
def rest_of_screw(kind, own, o, mine, x, theirs, y, adds, carries, numbers, r, n):
    """As for a hinge, for any motion along axis 2, or none."""
    cosine, sine, a = read3(numbers, r + SCREW_0, U(1))
    ka, kb = numbers[r + RATES], numbers[r + RATES + U(1)]
    smallest = numbers[r + SMALLEST]
    body = read10(numbers, r + BODY, U(1))
    held = 1.0 if kind == SHIFT else 0.0
    for lane in range(n):
        b = o + lane
        w0, w1, w2, u0, u1, u2 = read6(own, b + n * MOTION, n)
        I, H, M, P = own_and_carried(mine, x + lane, carries, body, n, w0, w1, w2, u0, u1, u2)
        U0, U1, U2, U3, U4, U5 = inertia_times(I, H, M, 0.0, 0.0, ka, 0.0, 0.0, kb)
        D = ka * U2 + kb * U5 + held
        inverse = 1 / (D if D > smallest else nan)
        g0 = U0 * inverse
        g1 = U1 * inverse
        g2 = U2 * inverse
        g3 = U3 * inverse
        g4 = U4 * inverse
        g5 = U5 * inverse
        p0, p1, p2, p3, p4, p5 = P
        force = own[b + n * FORCE] - ka * p2 - kb * p5
        own[b + n * FORCE] = force * inverse
        write6(own, b + n * GAIN, n, g0, g1, g2, g3, g4, g5)
        I, H, M = without(I, H, M, (U0, U1, U2, U3, U4, U5), (g0, g1, g2, g3, g4, g5))
        v = own[b + n * RATE]
        c0 = w1 * (ka * v)
        c1 = -w0 * (ka * v)
        c3 = u1 * (ka * v) + w1 * (kb * v)
        c4 = -u0 * (ka * v) - w0 * (kb * v)
        f0, f1, f2, f3, f4, f5 = inertia_times(I, H, M, c0, c1, 0.0, c3, c4, 0.0)
        p0 += f0 + g0 * force
        p1 += f1 + g1 * force
        p2 += f2 + g2 * force
        p3 += f3 + g3 * force
        p4 += f4 + g4 * force
        p5 += f5 + g5 * force
        c, s, d = read3(own, b + n * COSINE, n)
        p0, p1, p2, p3, p4, p5 = wrench_up(p0, p1, p2, p3, p4, p5, c, s, d)
        p0, p1, p2, p3, p4, p5 = wrench_up_0(p0, p1, p2, p3, p4, p5, cosine, sine, a)
        I, H, M = inertia_up(I, H, M, c, s, d)
        I, H, M = inertia_up_0(I, H, M, cosine, sine, a)
        hand_over(theirs, y + lane, n, adds, I, H, M, p0, p1, p2, p3, p4, p5)


@apart
def rest_of_told(work, o, x, y, adds, carries, numbers, r, n):
    """As for a screw, where its acceleration is told, and stands for its force: nothing is let go.

    Such joints are rare: the sweeps call this.
    """
    cosine, sine, a = read3(numbers, r + SCREW_0, U(1))
    ka, kb = numbers[r + RATES], numbers[r + RATES + U(1)]
    body = read10(numbers, r + BODY, U(1))
    for lane in range(n):
        b = o + lane
        w0, w1, w2, u0, u1, u2 = read6(work, b + n * MOTION, n)
        I, H, M, P = own_and_carried(work, x + lane, carries, body, n, w0, w1, w2, u0, u1, u2)
        v, qdd = work[b + n * RATE], work[b + n * FORCE]
        write6(work, b + n * GAIN, n, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        c0, c1, _, c3, c4, _ = bracket(w0, w1, w2, u0, u1, u2, 0.0, 0.0, ka * v, 0.0, 0.0, kb * v)
        f0, f1, f2, f3, f4, f5 = inertia_times(I, H, M, c0, c1, ka * qdd, c3, c4, kb * qdd)
        p0, p1, p2, p3, p4, p5 = P
        c, s, d = read3(work, b + n * COSINE, n)
        p0, p1, p2, p3, p4, p5 = wrench_up(p0 + f0, p1 + f1, p2 + f2, p3 + f3, p4 + f4, p5 + f5, c, s, d)
        p0, p1, p2, p3, p4, p5 = wrench_up_0(p0, p1, p2, p3, p4, p5, cosine, sine, a)
        I, H, M = inertia_up(I, H, M, c, s, d)
        I, H, M = inertia_up_0(I, H, M, cosine, sine, a)
        hand_over(work, y + lane, n, adds, I, H, M, p0, p1, p2, p3, p4, p5)


@inlined
def driven(own, o, parent, p, load, x, numbers, r, n):
    """Motion and acceleration of the node's frame, and the wrench that its body needs for them."""
    c0, s0, d0 = read3(numbers, r + SCREW_0, U(1))
    ka, kb = numbers[r + RATES], numbers[r + RATES + U(1)]
    body = read10(numbers, r + BODY, U(1))
    for lane in range(n):
        b = o + lane
        c, s, d = read3(own, b + n * COSINE, n)
        w0, w1, w2, u0, u1, u2 = read6(parent, p + lane + n * MOTION, n)
        w0, w1, w2, u0, u1, u2 = motion_down_0(w0, w1, w2, u0, u1, u2, c0, s0, d0)
        w0, w1, w2, u0, u1, u2 = motion_down(w0, w1, w2, u0, u1, u2, c, s, d)
        a0, a1, a2, b0, b1, b2 = read6(parent, p + lane + n * GAIN, n)
        a0, a1, a2, b0, b1, b2 = motion_down_0(a0, a1, a2, b0, b1, b2, c0, s0, d0)
        a0, a1, a2, b0, b1, b2 = motion_down(a0, a1, a2, b0, b1, b2, c, s, d)
        v, qdd = own[b + n * RATE], own[b + n * FORCE]
        w2 += ka * v
        u2 += kb * v
        a0 += w1 * (ka * v)
        a1 -= w0 * (ka * v)
        a2 += ka * qdd
        b0 += u1 * (ka * v) + w1 * (kb * v)
        b1 -= u0 * (ka * v) + w0 * (kb * v)
        b2 += kb * qdd
        write6(own, b + n * MOTION, n, w0, w1, w2, u0, u1, u2)
        write6(own, b + n * GAIN, n, a0, a1, a2, b0, b1, b2)
        f0, f1, f2, f3, f4, f5 = momentum(body, a0, a1, a2, b0, b1, b2)
        p0, p1, p2, p3, p4, p5 = bias(body, w0, w1, w2, u0, u1, u2)
        write6(load, x + lane, n, f0 + p0, f1 + p1, f2 + p2, f3 + p3, f4 + p4, f5 + p5)


@inlined
def inward(own, o, load, x, theirs, y, numbers, r, n):
    """The force on the coordinate, and the wrench handed to the parent's load."""
    c0, s0, d0 = read3(numbers, r + SCREW_0, U(1))
    ka, kb = numbers[r + RATES], numbers[r + RATES + U(1)]
    for lane in range(n):
        b = o + lane
        c, s, d = read3(own, b + n * COSINE, n)
        p0, p1, p2, p3, p4, p5 = read6(load, x + lane, n)
        own[b + n * FORCE] = ka * p2 + kb * p5
        p0, p1, p2, p3, p4, p5 = wrench_up(p0, p1, p2, p3, p4, p5, c, s, d)
        p0, p1, p2, p3, p4, p5 = wrench_up_0(p0, p1, p2, p3, p4, p5, c0, s0, d0)
        add6(theirs, y + lane, n, True, p0, p1, p2, p3, p4, p5)
