"""The sweeps' steps at a joint whose S is a block of columns: balls, and joints given from outside.

``k`` is where its block starts; the rest is as in :mod:`rbnotes.kernels._steps`. A joint of several
coordinates is freed one column after the other, as if hinges sat in one place. These joints are rare: their
steps are functions that the sweeps call, so that the code of all others stays short.
"""

from math import nan, sqrt

from rbnotes.kernels._algebra import (
    apart,
    bias,
    bracket,
    inertia_times,
    inertia_up_frame,
    inlined,
    momentum,
    motion_down_frame,
    product,
    sine_cosine,
    times,
    without,
    wrench_up_frame,
)
from rbnotes.kernels._layout import (
    BLOCK_RATES,
    BODY,
    COLUMNS,
    DRIFT,
    FORCES,
    FRAME,
    GAIN,
    GAINS,
    MOTION,
    SMALLEST,
    TURN,
    TWIST,
    U,
)
from rbnotes.kernels._memory import add6, read3, read6, read9, read10, write3, write6, write9
from rbnotes.kernels._steps import hand_over, own_and_carried

_POSITION = U(9)
_QUATERNION, _ITS_RATE = COLUMNS + U(24), COLUMNS + U(30)  # where no joint of four columns has any
_SERIES_BELOW = 1.0


@inlined
def stumpff(square):
    """Functions c_1 to c_5 of the squared angle: ``c_i = sum of (-square)^j / (2 j + i)!``."""
    c4 = 1 / 1124000727777607680000
    c5 = 1 / 25852016738884976640000
    c4 = 1 / 2432902008176640000 - square * c4
    c5 = 1 / 51090942171709440000 - square * c5
    c4 = 1 / 6402373705728000 - square * c4
    c5 = 1 / 121645100408832000 - square * c5
    c4 = 1 / 20922789888000 - square * c4
    c5 = 1 / 355687428096000 - square * c5
    c4 = 1 / 87178291200 - square * c4
    c5 = 1 / 1307674368000 - square * c5
    c4 = 1 / 479001600 - square * c4
    c5 = 1 / 6227020800 - square * c5
    c4 = 1 / 3628800 - square * c4
    c5 = 1 / 39916800 - square * c5
    c4 = 1 / 40320 - square * c4
    c5 = 1 / 362880 - square * c5
    c4 = 1 / 720 - square * c4
    c5 = 1 / 5040 - square * c5
    c4 = 1 / 24 - square * c4
    c5 = 1 / 120 - square * c5
    angle = sqrt(square)
    s, c = sine_cosine(angle)
    far = square >= _SERIES_BELOW
    safe = square if far else 1.0
    c1 = s / angle if far else 1 - square * (1 / 6 - square * c5)
    c2 = (1 - c) / safe if far else 0.5 - square * c4
    c3 = (1 - c1) / safe if far else 1 / 6 - square * c5
    c4 = (0.5 - c2) / safe if far else c4
    c5 = (1 / 6 - c3) / safe if far else c5
    return c1, c2, c3, c4, c5


@apart
def ball(work, k, n):
    """Pose, columns and drift of a rotation vector, at ``TURN`` when called, its rates at ``BLOCK_RATES``."""
    for lane in range(n):
        b = k + lane
        x, y, z = read3(work, b + n * TURN, n)
        a, d, e = read3(work, b + n * BLOCK_RATES, n)
        square = x * x + y * y + z * z
        c1, c2, c3, c4, c5 = stumpff(square)
        c = 1 - c2 * square
        write9(
            work,
            b + n * TURN,
            n,
            c + c2 * x * x,
            c2 * x * y - c1 * z,
            c2 * x * z + c1 * y,
            c2 * y * x + c1 * z,
            c + c2 * y * y,
            c2 * y * z - c1 * x,
            c2 * z * x - c1 * y,
            c2 * z * y + c1 * x,
            c + c2 * z * z,
        )
        write3(work, b + n * (TURN + _POSITION), n, 0.0, 0.0, 0.0)
        i = b + n * COLUMNS
        # The right Jacobian, c_1 - c_2 hat(q) + c_3 q q^T, column by column.
        write6(work, i, n, c1 + c3 * x * x, c3 * x * y - c2 * z, c3 * x * z + c2 * y, 0.0, 0.0, 0.0)
        i += n * TWIST
        write6(work, i, n, c3 * x * y + c2 * z, c1 + c3 * y * y, c3 * y * z - c2 * x, 0.0, 0.0, 0.0)
        i += n * TWIST
        write6(work, i, n, c3 * x * z - c2 * y, c3 * y * z + c2 * x, c1 + c3 * z * z, 0.0, 0.0, 0.0)
        # Its rate times the rates v: what c_2 and c_3 multiply is q x v and q x (q x v).
        f, g, h = y * e - z * d, z * a - x * e, x * d - y * a
        along = x * a + y * d + z * e
        rate_2, rate_3 = along * (2 * c4 - c3), along * (3 * c5 - c4)
        write6(
            work,
            b + n * DRIFT,
            n,
            rate_3 * (y * h - z * g) - rate_2 * f + c3 * (d * h - e * g),
            rate_3 * (z * f - x * h) - rate_2 * g + c3 * (e * f - a * h),
            rate_3 * (x * g - y * f) - rate_2 * h + c3 * (a * g - d * f),
            0.0,
            0.0,
            0.0,
        )


@apart
def quaternion(work, k, reduced, n):
    """The same of a quaternion; reduced, the coordinates are those of its angular velocity.

    The quaternion and its rate are kept for :func:`expanded`.
    """
    for lane in range(n):
        b = k + lane
        x, y, z = read3(work, b + n * TURN, n)
        w = work[b + n * (TURN + U(3))]
        a, d, e = read3(work, b + n * BLOCK_RATES, n)
        f = work[b + n * (BLOCK_RATES + U(3))]
        w, x, y, z = x, y, z, w  # scalar first
        square = w * w + x * x + y * y + z * z
        i = 2 / (square if square > 0 else nan)
        write6(work, b + n * _QUATERNION, n, w, x, y, z, 0.0, 0.0)
        write6(work, b + n * _ITS_RATE, n, a, d, e, f, 0.0, 0.0)
        write9(
            work,
            b + n * TURN,
            n,
            1 - i * (y * y + z * z),
            i * (x * y - w * z),
            i * (x * z + w * y),
            i * (x * y + w * z),
            1 - i * (x * x + z * z),
            i * (y * z - w * x),
            i * (x * z - w * y),
            i * (y * z + w * x),
            1 - i * (x * x + y * y),
        )
        write3(work, b + n * (TURN + _POSITION), n, 0.0, 0.0, 0.0)
        # Angular velocity: twice the vector part of q^-1 qdot.
        w0 = i * (w * d - x * a - y * f + z * e)
        w1 = i * (w * e - y * a - z * d + x * f)
        w2 = i * (w * f - z * a - x * e + y * d)
        along = -i * (w * a + x * d + y * e + z * f)
        c = b + n * COLUMNS
        if reduced:
            write3(work, b + n * BLOCK_RATES, n, w0, w1, w2)
            write6(work, c, n, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
            c += n * TWIST
            write6(work, c, n, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0)
            c += n * TWIST
            write6(work, c, n, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
            write6(work, b + n * DRIFT, n, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
            t, p, q = read3(work, b + n * FORCES, n)
            r = work[b + n * (FORCES + U(3))]
            # Torques do the work of the forces on the quaternion: those along it do none.
            write3(
                work,
                b + n * FORCES,
                n,
                0.5 * (w * p - x * t - y * r + z * q),
                0.5 * (w * q - y * t - z * p + x * r),
                0.5 * (w * r - z * t - x * q + y * p),
            )
        else:
            write6(work, c, n, -i * x, -i * y, -i * z, 0.0, 0.0, 0.0)
            c += n * TWIST
            write6(work, c, n, i * w, -i * z, i * y, 0.0, 0.0, 0.0)
            c += n * TWIST
            write6(work, c, n, i * z, i * w, -i * x, 0.0, 0.0, 0.0)
            c += n * TWIST
            write6(work, c, n, -i * y, i * x, i * w, 0.0, 0.0, 0.0)
            write6(work, b + n * DRIFT, n, along * w0, along * w1, along * w2, 0.0, 0.0, 0.0)


@apart
def expanded(work, k, n):
    """Accelerations of a quaternion, in place of those of its angular velocity."""
    for lane in range(n):
        b = k + lane
        w, x, y, z, _, _ = read6(work, b + n * _QUATERNION, n)
        a, d, e, f, _, _ = read6(work, b + n * _ITS_RATE, n)
        p, q, r = read3(work, b + n * BLOCK_RATES, n)
        square = w * w + x * x + y * y + z * z
        # Seen from q: the constraint gives the scalar part, the angular acceleration the others.
        scalar = -(a * a + d * d + e * e + f * f)
        i = 2 / square
        along = i * (w * a + x * d + y * e + z * f)
        w0 = i * (w * d - x * a - y * f + z * e)
        w1 = i * (w * e - y * a - z * d + x * f)
        w2 = i * (w * f - z * a - x * e + y * d)
        g = 0.5 * square * (p + along * w0)
        h = 0.5 * square * (q + along * w1)
        j = 0.5 * square * (r + along * w2)
        write3(
            work,
            b + n * BLOCK_RATES,
            n,
            (w * scalar - x * g - y * h - z * j) / square,
            (x * scalar + w * g + y * j - z * h) / square,
            (y * scalar + w * h + z * g - x * j) / square,
        )
        work[b + n * (BLOCK_RATES + U(3))] = (z * scalar + w * j + x * h - y * g) / square


@apart
def placed(work, k, numbers, r, n):
    """The joint's pose, behind the frame in which it rests."""
    R0 = read9(numbers, r + FRAME, U(1))
    s0, s1, s2 = read3(numbers, r + FRAME + _POSITION, U(1))
    for lane in range(n):
        b = k + lane
        t0, t1, t2 = read3(work, b + n * (TURN + _POSITION), n)
        a0, a1, a2 = times(R0, t0, t1, t2)
        write3(work, b + n * (TURN + _POSITION), n, s0 + a0, s1 + a1, s2 + a2)
        R00, R01, R02, R10, R11, R12, R20, R21, R22 = product(R0, read9(work, b + n * TURN, n))
        write9(work, b + n * TURN, n, R00, R01, R02, R10, R11, R12, R20, R21, R22)


@apart
def block_velocity(work, o, p, k, m, n):
    """The motion of the joint's frame, and in place of the own drift all of it."""
    for lane in range(n):
        b = k + lane
        w0, w1, w2, u0, u1, u2 = read6(work, p + lane + n * MOTION, n)
        t0, t1, t2 = read3(work, b + n * (TURN + _POSITION), n)
        R = read9(work, b + n * TURN, n)
        w0, w1, w2, u0, u1, u2 = motion_down_frame(R, t0, t1, t2, w0, w1, w2, u0, u1, u2)
        a0, a1, a2, b0, b1, b2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for j in range(m):
            v = work[b + n * (BLOCK_RATES + j)]
            s0, s1, s2, s3, s4, s5 = read6(work, b + n * (COLUMNS + TWIST * j), n)
            a0 += s0 * v
            a1 += s1 * v
            a2 += s2 * v
            b0 += s3 * v
            b1 += s4 * v
            b2 += s5 * v
        c0, c1, c2, c3, c4, c5 = bracket(w0, w1, w2, u0, u1, u2, a0, a1, a2, b0, b1, b2)
        d0, d1, d2, d3, d4, d5 = read6(work, b + n * DRIFT, n)
        write6(work, b + n * DRIFT, n, d0 + c0, d1 + c1, d2 + c2, d3 + c3, d4 + c4, d5 + c5)
        write6(work, o + lane + n * MOTION, n, w0 + a0, w1 + a1, w2 + a2, u0 + b0, u1 + b1, u2 + b2)


@apart
def block_acceleration(work, o, p, k, m, n, moved_at):
    """Of the coordinates, the last one freed first, and of the frame; with zero gains they are the forces."""
    for lane in range(n):
        b = k + lane
        a0, a1, a2, b0, b1, b2 = read6(work, p + lane + n * moved_at, n)
        t0, t1, t2 = read3(work, b + n * (TURN + _POSITION), n)
        R = read9(work, b + n * TURN, n)
        a0, a1, a2, b0, b1, b2 = motion_down_frame(R, t0, t1, t2, a0, a1, a2, b0, b1, b2)
        d0, d1, d2, d3, d4, d5 = read6(work, b + n * DRIFT, n)
        a0, a1, a2, b0, b1, b2 = a0 + d0, a1 + d1, a2 + d2, b0 + d3, b1 + d4, b2 + d5
        for i in range(m):
            j = m - i - U(1)
            g0, g1, g2, g3, g4, g5 = read6(work, b + n * (GAINS + TWIST * j), n)
            s0, s1, s2, s3, s4, s5 = read6(work, b + n * (COLUMNS + TWIST * j), n)
            qdd = work[b + n * (FORCES + j)]
            qdd -= g0 * a0 + g1 * a1 + g2 * a2 + g3 * b0 + g4 * b1 + g5 * b2
            work[b + n * (BLOCK_RATES + j)] = qdd
            a0 += s0 * qdd
            a1 += s1 * qdd
            a2 += s2 * qdd
            b0 += s3 * qdd
            b1 += s4 * qdd
            b2 += s5 * qdd
        write6(work, o + lane + n * moved_at, n, a0, a1, a2, b0, b1, b2)


@apart
def rest_of_block(work, o, x, y, k, m, told, adds, carries, numbers, r, n):
    """Articulated inertia and wrench, less what the joint lets go, handed to the parent.

    A joint that is told its accelerations lets nothing go: they take wrenches, as drifts do.
    """
    smallest = numbers[r + SMALLEST]
    body = read10(numbers, r + BODY, U(1))
    for lane in range(n):
        b = k + lane
        w0, w1, w2, u0, u1, u2 = read6(work, o + lane + n * MOTION, n)
        I, H, M, P = own_and_carried(work, x + lane, carries, body, n, w0, w1, w2, u0, u1, u2)
        p0, p1, p2, p3, p4, p5 = P
        d0, d1, d2, d3, d4, d5 = read6(work, b + n * DRIFT, n)
        for j in range(m):
            s0, s1, s2, s3, s4, s5 = read6(work, b + n * (COLUMNS + TWIST * j), n)
            if told:
                qdd = work[b + n * (FORCES + j)]
                write6(work, b + n * (GAINS + TWIST * j), n, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
                d0 += s0 * qdd
                d1 += s1 * qdd
                d2 += s2 * qdd
                d3 += s3 * qdd
                d4 += s4 * qdd
                d5 += s5 * qdd
                continue
            U0, U1, U2, U3, U4, U5 = inertia_times(I, H, M, s0, s1, s2, s3, s4, s5)
            D = s0 * U0 + s1 * U1 + s2 * U2 + s3 * U3 + s4 * U4 + s5 * U5
            size = s0 * s0 + s1 * s1 + s2 * s2 + s3 * s3 + s4 * s4 + s5 * s5
            i = 1 / (D if D > smallest * size else nan)
            force = work[b + n * (FORCES + j)]
            force -= s0 * p0 + s1 * p1 + s2 * p2 + s3 * p3 + s4 * p4 + s5 * p5
            work[b + n * (FORCES + j)] = force * i
            write6(work, b + n * (GAINS + TWIST * j), n, U0 * i, U1 * i, U2 * i, U3 * i, U4 * i, U5 * i)
            I, H, M = without(
                I, H, M, (U0, U1, U2, U3, U4, U5), (U0 * i, U1 * i, U2 * i, U3 * i, U4 * i, U5 * i)
            )
            force *= i
            p0 += U0 * force
            p1 += U1 * force
            p2 += U2 * force
            p3 += U3 * force
            p4 += U4 * force
            p5 += U5 * force
        f0, f1, f2, f3, f4, f5 = inertia_times(I, H, M, d0, d1, d2, d3, d4, d5)
        t0, t1, t2 = read3(work, b + n * (TURN + _POSITION), n)
        R = read9(work, b + n * TURN, n)
        p0, p1, p2, p3, p4, p5 = wrench_up_frame(
            R, t0, t1, t2, p0 + f0, p1 + f1, p2 + f2, p3 + f3, p4 + f4, p5 + f5
        )
        I, H, M = inertia_up_frame(I, H, M, R, t0, t1, t2)
        hand_over(work, y + lane, n, adds, I, H, M, p0, p1, p2, p3, p4, p5)


@apart
def block_load(work, o, x, k, m, numbers, r, n):
    """The wrench that the body needs for its motion and acceleration."""
    body = read10(numbers, r + BODY, U(1))
    for lane in range(n):
        w0, w1, w2, u0, u1, u2 = read6(work, o + lane + n * MOTION, n)
        a0, a1, a2, b0, b1, b2 = read6(work, o + lane + n * GAIN, n)
        f0, f1, f2, f3, f4, f5 = momentum(body, a0, a1, a2, b0, b1, b2)
        p0, p1, p2, p3, p4, p5 = bias(body, w0, w1, w2, u0, u1, u2)
        write6(work, x + lane, n, f0 + p0, f1 + p1, f2 + p2, f3 + p3, f4 + p4, f5 + p5)


@apart
def block_inward(work, x, y, k, m, n):
    """The forces on the coordinates, and the wrench handed to the parent's load."""
    for lane in range(n):
        b = k + lane
        p0, p1, p2, p3, p4, p5 = read6(work, x + lane, n)
        for j in range(m):
            s0, s1, s2, s3, s4, s5 = read6(work, b + n * (COLUMNS + TWIST * j), n)
            work[b + n * (FORCES + j)] = s0 * p0 + s1 * p1 + s2 * p2 + s3 * p3 + s4 * p4 + s5 * p5
        t0, t1, t2 = read3(work, b + n * (TURN + _POSITION), n)
        R = read9(work, b + n * TURN, n)
        p0, p1, p2, p3, p4, p5 = wrench_up_frame(R, t0, t1, t2, p0, p1, p2, p3, p4, p5)
        add6(work, y + lane, n, True, p0, p1, p2, p3, p4, p5)
