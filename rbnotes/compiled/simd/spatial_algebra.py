"""Spatial algebra with fused products: twists, wrenches and articulated inertias by components.

A twist is ``(w, u)``, a wrench ``(n, f)``, an articulated inertia ``[[I, H], [H^T, M]]`` with symmetric I and
M: 21 numbers, upper triangles and H by rows. Each is a scalar or a vector of eight. Functions take
components, not arrays, so that all of them stay in registers.
"""

import math

import numpy as np

from rbnotes.compiled.decorators import jit_fma_inline
from rbnotes.compiled.simd.lanes import absolute, greater, select

MAX_ANGLE = 2.0**19
"""Largest angle; beyond it sine and cosine are NaN here, and callers use the reference."""

_ROUNDING_SHIFT = 1.5 * 2.0**52  # adding and subtracting it rounds to an integer
_QUARTERS_PER_RADIAN = 2 / math.pi
# A quarter turn in three parts, the first two of 33 bits: their products with integers below 2^20 are exact.
_QUARTER_1 = float(np.floor(math.pi / 2 * 2.0**32) / 2.0**32)
_QUARTER_2 = 6.077100506303966e-11
_QUARTER_3 = 2.0222662487959506e-21


@jit_fma_inline
def sine_cosine(x):
    """Return sine and cosine to two units in the last place, without branches; NaN for large angles."""
    k = (x * _QUARTERS_PER_RADIAN + _ROUNDING_SHIFT) - _ROUNDING_SHIFT
    x = select(greater(MAX_ANGLE, absolute(x)), x, math.nan)
    r = ((x - k * _QUARTER_1) - k * _QUARTER_2) - k * _QUARTER_3
    z = r * r
    # Taylor series: the first neglected term is below 5e-17 on an eighth of a turn.
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
    cosine = 0.5 - z * cosine
    cosine = 1.0 - z * cosine
    quarter = k - 4.0 * ((k * 0.25 + _ROUNDING_SHIFT) - _ROUNDING_SHIFT)  # -2 to 2
    odd = greater(0.5, absolute(absolute(quarter) - 1.0))
    s = select(odd, cosine, sine)
    c = select(odd, sine, cosine)
    s = select(greater(absolute(quarter - 0.5), 1.0), -s, s)
    c = select(greater(absolute(quarter + 0.5), 1.0), -c, c)
    return s, c


@jit_fma_inline
def cross(a0, a1, a2, b0, b1, b2):
    """Return the cross product."""
    return a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0


@jit_fma_inline
def dot6(a, b):
    """Return the product of a twist and a wrench."""
    a0, a1, a2, a3, a4, a5 = a
    b0, b1, b2, b3, b4, b5 = b
    return (a0 * b0 + a1 * b1 + a2 * b2) + (a3 * b3 + a4 * b4 + a5 * b5)


@jit_fma_inline
def twist_in_world(R, p, w0, w1, w2, u0, u1, u2):
    """Transform a twist from a frame with the pose ``(R, p)``."""
    w0, w1, w2 = matvec3(R, w0, w1, w2)
    u0, u1, u2 = matvec3(R, u0, u1, u2)
    a0, a1, a2 = cross(p[0], p[1], p[2], w0, w1, w2)
    return w0, w1, w2, u0 + a0, u1 + a1, u2 + a2


@jit_fma_inline
def momentum(m, c, J, w0, w1, w2, u0, u1, u2):
    """Return the momentum of a rigid body with mass, first moment and inertia (00, 01, 02, 11, 12, 22)."""
    h0, h1, h2 = c
    J00, J01, J02, J11, J12, J22 = J
    return (
        J00 * w0 + J01 * w1 + J02 * w2 + h1 * u2 - h2 * u1,
        J01 * w0 + J11 * w1 + J12 * w2 + h2 * u0 - h0 * u2,
        J02 * w0 + J12 * w1 + J22 * w2 + h0 * u1 - h1 * u0,
        m * u0 + w1 * h2 - w2 * h1,
        m * u1 + w2 * h0 - w0 * h2,
        m * u2 + w0 * h1 - w1 * h0,
    )


@jit_fma_inline
def articulated_inertia_product(I, H, M, w0, w1, w2, u0, u1, u2):
    """Return the product of an articulated inertia and a twist or acceleration."""
    I00, I01, I02, I11, I12, I22 = I
    H00, H01, H02, H10, H11, H12, H20, H21, H22 = H
    M00, M01, M02, M11, M12, M22 = M
    return (
        (I00 * w0 + I01 * w1 + I02 * w2) + (H00 * u0 + H01 * u1 + H02 * u2),
        (I01 * w0 + I11 * w1 + I12 * w2) + (H10 * u0 + H11 * u1 + H12 * u2),
        (I02 * w0 + I12 * w1 + I22 * w2) + (H20 * u0 + H21 * u1 + H22 * u2),
        (H00 * w0 + H10 * w1 + H20 * w2) + (M00 * u0 + M01 * u1 + M02 * u2),
        (H01 * w0 + H11 * w1 + H21 * w2) + (M01 * u0 + M11 * u1 + M12 * u2),
        (H02 * w0 + H12 * w1 + H22 * w2) + (M02 * u0 + M12 * u1 + M22 * u2),
    )


@jit_fma_inline
def subtract_outer_product(I, H, M, U, g):
    """Return an articulated inertia minus ``U g^T``, where g is U over the inertia of a free coordinate."""
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


@jit_fma_inline
def motion_cross(w0, w1, w2, u0, u1, u2, a0, a1, a2, b0, b1, b2):
    """Return ``ad(w, u) (a, b)``, the rate of a motion vector that is constant in a moving frame."""
    return (
        w1 * a2 - w2 * a1,
        w2 * a0 - w0 * a2,
        w0 * a1 - w1 * a0,
        w1 * b2 - w2 * b1 + u1 * a2 - u2 * a1,
        w2 * b0 - w0 * b2 + u2 * a0 - u0 * a2,
        w0 * b1 - w1 * b0 + u0 * a1 - u1 * a0,
    )


@jit_fma_inline
def matmul3(A, B):
    """Return the product of two 3 x 3 matrices, nine numbers each, by rows."""
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


@jit_fma_inline
def transpose3(A):
    """Return the transpose of nine numbers by rows."""
    A00, A01, A02, A10, A11, A12, A20, A21, A22 = A
    return A00, A10, A20, A01, A11, A21, A02, A12, A22


@jit_fma_inline
def matvec3(A, x0, x1, x2):
    """Return the product of a 3 x 3 matrix and a vector."""
    A00, A01, A02, A10, A11, A12, A20, A21, A22 = A
    return A00 * x0 + A01 * x1 + A02 * x2, A10 * x0 + A11 * x1 + A12 * x2, A20 * x0 + A21 * x1 + A22 * x2
