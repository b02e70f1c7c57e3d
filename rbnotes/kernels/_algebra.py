"""Motions, wrenches and articulated inertias, number by number: the straight-line algebra of the sweeps.

A frame is screwed along axis 2 of another one by an angle (cosine c, sine s) and a distance d; permuted
arguments make it a screw along axis 0. *Down* is from a parent's frame to a child's, *up* is back. A motion
is ``(w, u)``, a wrench ``(n, f)``, an articulated inertia ``[[I, H], [H^T, M]]`` with I and M symmetric: 21
numbers, upper triangles and H by rows.
"""

import math

import numpy as np
from numba import njit

OPTIONS = {"error_model": "numpy", "fastmath": {"contract"}}
"""No checks for division by zero, which would keep loops from being vectorised; fused products."""

apart = njit(_nrt=False, **OPTIONS)
"""Of functions that allocate nothing: they do not count references, which takes longer than a step."""

inlined = njit(forceinline=True, _nrt=False, **OPTIONS)

LARGEST_ANGLE = 2.0**19
"""Beyond it the sine and the cosine are NaN here; callers have the reference answer."""

_ROUND = 1.5 * 2.0**52  # added and subtracted again, it rounds to a whole number
_QUARTERS = 2 / math.pi
# A quarter turn in three parts, the first two of 33 bits: whole numbers below 2^20 times them are exact.
_QUARTER_1 = float(np.floor(math.pi / 2 * 2.0**32) / 2.0**32)
_QUARTER_2 = 6.077100506303966e-11
_QUARTER_3 = 2.0222662487959506e-21


@inlined
def sine_cosine(x):
    """Within two units in the last place, without branches; NaN for angles that are too large."""
    k = (x * _QUARTERS + _ROUND) - _ROUND
    r = ((x - k * _QUARTER_1) - k * _QUARTER_2) - k * _QUARTER_3
    z = r * r
    # Taylor: the first term left out is below 5e-17 on an eighth of a turn.
    sine = 1 / 6227020800 - z * (1 / 1307674368000)
    sine = 1 / 39916800 - z * sine
    sine = 1 / 362880 - z * sine
    sine = 1 / 5040 - z * sine
    sine = 1 / 120 - z * sine
    sine = 1 / 6 - z * sine
    sine = r - r * z * sine
    cosine = 1 / 87178291200 - z * (1 / 20922789888000)
    cosine = 1 / 479001600 - z * cosine
    cosine = 1 / 3628800 - z * cosine
    cosine = 1 / 40320 - z * cosine
    cosine = 1 / 720 - z * cosine
    cosine = 1 / 24 - z * cosine
    cosine = 1 / 2 - z * cosine
    cosine = 1 - z * cosine
    quarter = k - 4 * ((k * 0.25 + _ROUND) - _ROUND)  # -2 to 2
    odd = abs(quarter) == 1
    s = cosine if odd else sine
    c = sine if odd else cosine
    s = -s if quarter < 0 or quarter == 2 else s
    c = -c if quarter > 0 or quarter == -2 else c
    large = not (abs(x) <= LARGEST_ANGLE)
    return math.nan if large else s, math.nan if large else c


@inlined
def motion_down(w0, w1, w2, u0, u1, u2, c, s, d):
    """A motion in a frame that is screwed along axis 2."""
    x0 = u0 + d * w1
    x1 = u1 - d * w0
    return c * w0 + s * w1, c * w1 - s * w0, w2, c * x0 + s * x1, c * x1 - s * x0, u2


@inlined
def motion_down_0(w0, w1, w2, u0, u1, u2, c, s, d):
    """The same along axis 0."""
    a1, a2, a0, b1, b2, b0 = motion_down(w1, w2, w0, u1, u2, u0, c, s, d)
    return a0, a1, a2, b0, b1, b2


@inlined
def wrench_up(n0, n1, n2, f0, f1, f2, c, s, d):
    """A wrench given in a frame that is screwed along axis 2, seen from before."""
    x0 = c * f0 - s * f1
    x1 = s * f0 + c * f1
    return c * n0 - s * n1 - d * x1, s * n0 + c * n1 + d * x0, n2, x0, x1, f2


@inlined
def wrench_up_0(n0, n1, n2, f0, f1, f2, c, s, d):
    """The same along axis 0."""
    a1, a2, a0, b1, b2, b0 = wrench_up(n1, n2, n0, f1, f2, f0, c, s, d)
    return a0, a1, a2, b0, b1, b2


@inlined
def symmetric_up(a, b, c_, d_, e, f, c, s):
    """A symmetric matrix (00, 01, 02, 11, 12, 22) turned about axis 2."""
    x0 = c * a - s * b
    x1 = c * b - s * d_
    y1 = s * b + c * d_
    y0 = s * a + c * b
    return c * x0 - s * x1, s * x0 + c * x1, c * c_ - s * e, s * y0 + c * y1, s * c_ + c * e, f


@inlined
def moved_along_2(I, H, M, d):
    """Inertia of what is farther along axis 2 by d."""
    I00, I01, I02, I11, I12, I22 = I
    H00, H01, H02, H10, H11, H12, H20, H21, H22 = H
    M00, M01, M02, M11, M12, _ = M
    G00 = H00 - d * M01
    G01 = H01 - d * M11
    G02 = H02 - d * M12
    G10 = H10 + d * M00
    G11 = H11 + d * M01
    G12 = H12 + d * M02
    I00 = I00 - d * (H01 + G01)
    I01 = I01 + d * (H00 - G11)
    I02 = I02 - d * H21
    I11 = I11 + d * (H10 + G10)
    I12 = I12 + d * H20
    return (I00, I01, I02, I11, I12, I22), (G00, G01, G02, G10, G11, G12, H20, H21, H22), M


@inlined
def inertia_up(I, H, M, c, s, d):
    """An articulated inertia given in a frame that is screwed along axis 2, seen from before."""
    H00, H01, H02, H10, H11, H12, H20, H21, H22 = H
    a0 = c * H00 - s * H10
    a1 = c * H01 - s * H11
    a2 = c * H02 - s * H12
    b0 = s * H00 + c * H10
    b1 = s * H01 + c * H11
    b2 = s * H02 + c * H12
    G = (
        c * a0 - s * a1,
        s * a0 + c * a1,
        a2,
        c * b0 - s * b1,
        s * b0 + c * b1,
        b2,
        c * H20 - s * H21,
        s * H20 + c * H21,
        H22,
    )
    I00, I01, I02, I11, I12, I22 = I
    M00, M01, M02, M11, M12, M22 = M
    I_turned = symmetric_up(I00, I01, I02, I11, I12, I22, c, s)
    M_turned = symmetric_up(M00, M01, M02, M11, M12, M22, c, s)
    return moved_along_2(I_turned, G, M_turned, d)


@inlined
def inertia_up_0(I, H, M, c, s, d):
    """The same along axis 0."""
    I, H, M = onward(I, H, M)
    I, H, M = inertia_up(I, H, M, c, s, d)
    return back(I, H, M)


@inlined
def onward(I, H, M):
    """An articulated inertia by axes 1, 2, 0: what was along axis 0 is along axis 2 then."""
    I00, I01, I02, I11, I12, I22 = I
    H00, H01, H02, H10, H11, H12, H20, H21, H22 = H
    M00, M01, M02, M11, M12, M22 = M
    return (
        (I11, I12, I01, I22, I02, I00),
        (H11, H12, H10, H21, H22, H20, H01, H02, H00),
        (M11, M12, M01, M22, M02, M00),
    )


@inlined
def back(I, H, M):
    """Axes 1, 2, 0 in their own order again."""
    I11, I12, I01, I22, I02, I00 = I
    H11, H12, H10, H21, H22, H20, H01, H02, H00 = H
    M11, M12, M01, M22, M02, M00 = M
    return (
        (I00, I01, I02, I11, I12, I22),
        (H00, H01, H02, H10, H11, H12, H20, H21, H22),
        (M00, M01, M02, M11, M12, M22),
    )


@inlined
def hinged_up(I, H, M, c, s, d, cosine, sine, a):
    """Up the screw along axis 2, then along axis 0, where a hinge about axis 2 has freed the torque about it.

    Row 2 of I and of H is zero then: I is (00, 01, 11), H its first two rows.
    """
    I00, I01, I11 = I
    H00, H01, H02, H10, H11, H12 = H
    M00, M01, M02, M11, M12, M22 = M
    x0 = c * I00 - s * I01
    x1 = c * I01 - s * I11
    y0 = s * I00 + c * I01
    y1 = s * I01 + c * I11
    I00, I01, I11 = c * x0 - s * x1, s * x0 + c * x1, s * y0 + c * y1
    a0 = c * H00 - s * H10
    a1 = c * H01 - s * H11
    a2 = c * H02 - s * H12
    b0 = s * H00 + c * H10
    b1 = s * H01 + c * H11
    b2 = s * H02 + c * H12
    H00, H01, H10, H11 = c * a0 - s * a1, s * a0 + c * a1, c * b0 - s * b1, s * b0 + c * b1
    M00, M01, M02, M11, M12, M22 = symmetric_up(M00, M01, M02, M11, M12, M22, c, s)
    G00 = H00 - d * M01
    G01 = H01 - d * M11
    G02 = a2 - d * M12
    G10 = H10 + d * M00
    G11 = H11 + d * M01
    G12 = b2 + d * M02
    I00, I01, I11 = I00 - d * (H01 + G01), I01 + d * (H00 - G11), I11 + d * (H10 + G10)
    # Axes 1, 2, 0 from here on: rows of what was axis 2 are zero.
    e0 = cosine * G11 - sine * G12
    e1 = sine * G11 + cosine * G12
    I_turned = (cosine * cosine * I11, cosine * sine * I11, cosine * I01, sine * sine * I11, sine * I01, I00)
    H_turned = (
        cosine * e0,
        cosine * e1,
        cosine * G10,
        sine * e0,
        sine * e1,
        sine * G10,
        cosine * G01 - sine * G02,
        sine * G01 + cosine * G02,
        G00,
    )
    M_turned = symmetric_up(M11, M12, M01, M22, M02, M00, cosine, sine)
    I, H, M = moved_along_2(I_turned, H_turned, M_turned, a)
    return back(I, H, M)


@inlined
def inertia_times(I, H, M, w0, w1, w2, u0, u1, u2):
    """Wrench or momentum of an articulated inertia."""
    I00, I01, I02, I11, I12, I22 = I
    H00, H01, H02, H10, H11, H12, H20, H21, H22 = H
    M00, M01, M02, M11, M12, M22 = M
    return (
        I00 * w0 + I01 * w1 + I02 * w2 + H00 * u0 + H01 * u1 + H02 * u2,
        I01 * w0 + I11 * w1 + I12 * w2 + H10 * u0 + H11 * u1 + H12 * u2,
        I02 * w0 + I12 * w1 + I22 * w2 + H20 * u0 + H21 * u1 + H22 * u2,
        H00 * w0 + H10 * w1 + H20 * w2 + M00 * u0 + M01 * u1 + M02 * u2,
        H01 * w0 + H11 * w1 + H21 * w2 + M01 * u0 + M11 * u1 + M12 * u2,
        H02 * w0 + H12 * w1 + H22 * w2 + M02 * u0 + M12 * u1 + M22 * u2,
    )


@inlined
def without(I, H, M, U, g):
    """An articulated inertia less ``U g^T``, where g is U over the inertia along a free coordinate."""
    I00, I01, I02, I11, I12, I22 = I
    H00, H01, H02, H10, H11, H12, H20, H21, H22 = H
    M00, M01, M02, M11, M12, M22 = M
    U0, U1, U2, U3, U4, U5 = U
    g0, g1, g2, g3, g4, g5 = g
    return (
        (I00 - U0 * g0, I01 - U0 * g1, I02 - U0 * g2, I11 - U1 * g1, I12 - U1 * g2, I22 - U2 * g2),
        (
            H00 - U0 * g3,
            H01 - U0 * g4,
            H02 - U0 * g5,
            H10 - U1 * g3,
            H11 - U1 * g4,
            H12 - U1 * g5,
            H20 - U2 * g3,
            H21 - U2 * g4,
            H22 - U2 * g5,
        ),
        (M00 - U3 * g3, M01 - U3 * g4, M02 - U3 * g5, M11 - U4 * g4, M12 - U4 * g5, M22 - U5 * g5),
    )


@inlined
def momentum(body, w0, w1, w2, u0, u1, u2):
    """Of a rigid body: its inertia (00, 01, 02, 11, 12, 22), first moment (3) and mass, times a motion."""
    J00, J01, J02, J11, J12, J22, h0, h1, h2, m = body
    return (
        J00 * w0 + J01 * w1 + J02 * w2 + h1 * u2 - h2 * u1,
        J01 * w0 + J11 * w1 + J12 * w2 + h2 * u0 - h0 * u2,
        J02 * w0 + J12 * w1 + J22 * w2 + h0 * u1 - h1 * u0,
        m * u0 + w1 * h2 - w2 * h1,
        m * u1 + w2 * h0 - w0 * h2,
        m * u2 + w0 * h1 - w1 * h0,
    )


@inlined
def bias(body, w0, w1, w2, u0, u1, u2):
    """Wrench that a body needs to move on at its twist in a frame that moves with it."""
    L0, L1, L2, P0, P1, P2 = momentum(body, w0, w1, w2, u0, u1, u2)
    return (
        w1 * L2 - w2 * L1 + u1 * P2 - u2 * P1,
        w2 * L0 - w0 * L2 + u2 * P0 - u0 * P2,
        w0 * L1 - w1 * L0 + u0 * P1 - u1 * P0,
        w1 * P2 - w2 * P1,
        w2 * P0 - w0 * P2,
        w0 * P1 - w1 * P0,
    )


@inlined
def bracket(w0, w1, w2, u0, u1, u2, a0, a1, a2, b0, b1, b2):
    """``ad(w, u) (a, b)``: how a motion changes that is at rest in a moving frame."""
    return (
        w1 * a2 - w2 * a1,
        w2 * a0 - w0 * a2,
        w0 * a1 - w1 * a0,
        w1 * b2 - w2 * b1 + u1 * a2 - u2 * a1,
        w2 * b0 - w0 * b2 + u2 * a0 - u0 * a2,
        w0 * b1 - w1 * b0 + u0 * a1 - u1 * a0,
    )


@inlined
def turned_up(A, R):
    """A symmetric matrix, turned by a rotation (nine numbers, by rows)."""
    A00, A01, A02, A11, A12, A22 = A
    R00, R01, R02, R10, R11, R12, R20, R21, R22 = R
    B00 = R00 * A00 + R01 * A01 + R02 * A02
    B01 = R00 * A01 + R01 * A11 + R02 * A12
    B02 = R00 * A02 + R01 * A12 + R02 * A22
    B10 = R10 * A00 + R11 * A01 + R12 * A02
    B11 = R10 * A01 + R11 * A11 + R12 * A12
    B12 = R10 * A02 + R11 * A12 + R12 * A22
    B20 = R20 * A00 + R21 * A01 + R22 * A02
    B21 = R20 * A01 + R21 * A11 + R22 * A12
    B22 = R20 * A02 + R21 * A12 + R22 * A22
    return (
        B00 * R00 + B01 * R01 + B02 * R02,
        B00 * R10 + B01 * R11 + B02 * R12,
        B00 * R20 + B01 * R21 + B02 * R22,
        B10 * R10 + B11 * R11 + B12 * R12,
        B10 * R20 + B11 * R21 + B12 * R22,
        B20 * R20 + B21 * R21 + B22 * R22,
    )


@inlined
def product(A, B):
    """Of two 3 x 3 matrices, nine numbers each, by rows."""
    A00, A01, A02, A10, A11, A12, A20, A21, A22 = A
    B00, B01, B02, B10, B11, B12, B20, B21, B22 = B
    return (
        A00 * B00 + A01 * B10 + A02 * B20,
        A00 * B01 + A01 * B11 + A02 * B21,
        A00 * B02 + A01 * B12 + A02 * B22,
        A10 * B00 + A11 * B10 + A12 * B20,
        A10 * B01 + A11 * B11 + A12 * B21,
        A10 * B02 + A11 * B12 + A12 * B22,
        A20 * B00 + A21 * B10 + A22 * B20,
        A20 * B01 + A21 * B11 + A22 * B21,
        A20 * B02 + A21 * B12 + A22 * B22,
    )


@inlined
def transposed(A):
    """Of nine numbers by rows."""
    A00, A01, A02, A10, A11, A12, A20, A21, A22 = A
    return A00, A10, A20, A01, A11, A21, A02, A12, A22


@inlined
def times(A, x0, x1, x2):
    """A 3 x 3 matrix times a vector."""
    A00, A01, A02, A10, A11, A12, A20, A21, A22 = A
    return A00 * x0 + A01 * x1 + A02 * x2, A10 * x0 + A11 * x1 + A12 * x2, A20 * x0 + A21 * x1 + A22 * x2


@inlined
def inertia_up_frame(I, H, M, R, t0, t1, t2):
    """An articulated inertia in any frame, seen from before."""
    H = product(product(R, H), transposed(R))
    I, H, M = moved_along_2(turned_up(I, R), H, turned_up(M, R), t2)
    for t in (t0, t1):
        I, H, M = onward(I, H, M)
        I, H, M = moved_along_2(I, H, M, t)
    return onward(I, H, M)  # the third time: all axes are where they were


@inlined
def motion_down_frame(R, t0, t1, t2, w0, w1, w2, u0, u1, u2):
    """A motion in any frame."""
    T = transposed(R)
    a0, a1, a2 = times(T, w0, w1, w2)
    b0, b1, b2 = times(T, u0 + w1 * t2 - w2 * t1, u1 + w2 * t0 - w0 * t2, u2 + w0 * t1 - w1 * t0)
    return a0, a1, a2, b0, b1, b2


@inlined
def wrench_up_frame(R, t0, t1, t2, n0, n1, n2, f0, f1, f2):
    """A wrench given in any frame, seen from before."""
    a0, a1, a2 = times(R, n0, n1, n2)
    b0, b1, b2 = times(R, f0, f1, f2)
    return a0 + t1 * b2 - t2 * b1, a1 + t2 * b0 - t0 * b2, a2 + t0 * b1 - t1 * b0, b0, b1, b2
