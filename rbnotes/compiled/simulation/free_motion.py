"""Free motion of rigid bodies, as in :mod:`rbnotes.dynamics.free_rotation`.

The power series is that of a quaternion and of the angular momentum in the body, so that each term needs few
products. Eight bodies rotate at once. Vectors and quaternions are tuples, the scalar of a quaternion first.
"""

import math

from rbnotes.compiled.decorators import jit_fma, jit_fma_inline, jit_noalloc
from rbnotes.compiled.linear_algebra import (
    add_scaled,
    cross,
    dot,
    matvec,
    matvec_transposed,
    nan_max,
    norm,
    quaternion_product,
    set_row,
)
from rbnotes.compiled.simd.lanes import absolute, broadcast8, read, sqrt, sum_lanes, write
from rbnotes.compiled.simd.spatial_algebra import matvec3
from rbnotes.dynamics.free_rotation import MAX_SERIES_ANGLE, MAX_SERIES_TERMS, MAX_SUBSTEPS

MIN_SERIES_TERM = 1e-18
"""Size below which the terms of a series are neglected."""

ARGUMENTS, RESULTS = 80 * MAX_SERIES_TERMS, 80 * MAX_SERIES_TERMS + 96
"""Places of momenta, inverse inertias, and of quaternions and velocities behind the terms of eight series."""


@jit_fma_inline
def rotate_inverse(q, x):
    """Rotate a vector by the inverse of a unit quaternion."""
    axis = (-q[1], -q[2], -q[3])
    first = cross(axis, x)
    second = cross(axis, first)
    return (
        x[0] + 2.0 * (q[0] * first[0] + second[0]),
        x[1] + 2.0 * (q[0] * first[1] + second[1]),
        x[2] + 2.0 * (q[0] * first[2] + second[2]),
    )


@jit_noalloc
def write_rotation_matrix(q, R):
    """Write the matrix of a unit quaternion."""
    s, x, y, z = q
    R[0, 0], R[0, 1], R[0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - s * z), 2 * (x * z + s * y)
    R[1, 0], R[1, 1], R[1, 2] = 2 * (x * y + s * z), 1 - 2 * (x * x + z * z), 2 * (y * z - s * x)
    R[2, 0], R[2, 1], R[2, 2] = 2 * (x * z - s * y), 2 * (y * z + s * x), 1 - 2 * (x * x + y * y)


@jit_fma_inline
def free_rotations(momentum, inverse_inertia, h, series):
    """Return quaternions of eight rotations in a time h, for body-frame momenta and inverse inertias.

    They have unit norm up to rounding.
    """
    zero = broadcast8(0.0)
    write_term(series, 0, momentum, scaled3(h, matvec3(inverse_inertia, *momentum)))
    write_quaternion(series, 0, (broadcast8(1.0), zero, zero, zero))
    last = 0
    for k in range(1, MAX_SERIES_TERMS):
        a0, a1, a2, s, x, y, z = zero, zero, zero, zero, zero, zero, zero
        for i in range(k):
            l0, l1, l2, w0, w1, w2, q0, q1, q2, q3 = read_terms(series, i, k - 1 - i, zero)
            a0 = a0 + (l1 * w2 - l2 * w1)
            a1 = a1 + (l2 * w0 - l0 * w2)
            a2 = a2 + (l0 * w1 - l1 * w0)
            s = s - (q1 * w0 + q2 * w1 + q3 * w2)
            x = x + (q0 * w0 + q2 * w2 - q3 * w1)
            y = y + (q0 * w1 + q3 * w0 - q1 * w2)
            z = z + (q0 * w2 + q1 * w1 - q2 * w0)
        s, x, y, z = s * (0.5 / k), x * (0.5 / k), y * (0.5 / k), z * (0.5 / k)
        write_quaternion(series, k, (s, x, y, z))
        last = k
        if sum_lanes(absolute(s) + absolute(x) + absolute(y) + absolute(z)) < MIN_SERIES_TERM:
            break
        a0, a1, a2 = a0 * (1.0 / k), a1 * (1.0 / k), a2 * (1.0 / k)
        write_term(series, k, (a0, a1, a2), scaled3(h, matvec3(inverse_inertia, a0, a1, a2)))
    s, x, y, z = zero, zero, zero, zero
    for k in range(last, -1, -1):  # the smallest first
        _, _, _, _, _, _, q0, q1, q2, q3 = read_terms(series, k, 0, zero)
        s, x, y, z = s + q0, x + q1, y + q2, z + q3
    return s, x, y, z


@jit_fma_inline
def scaled3(t, a):
    """Return ``t a`` for three vectors of eight numbers."""
    return a[0] * t, a[1] * t, a[2] * t


@jit_fma_inline
def normalized(q):
    """Return unit quaternions."""
    s, x, y, z = q
    size = sqrt(s * s + x * x + y * y + z * z)
    return s / size, x / size, y / size, z / size


@jit_fma_inline
def write_term(series, k, l, w):
    """Write the terms k of the momenta and of the angular velocities."""
    o = 80 * k
    write(series, o, l[0])
    write(series, o + 8, l[1])
    write(series, o + 16, l[2])
    write(series, o + 24, w[0])
    write(series, o + 32, w[1])
    write(series, o + 40, w[2])


@jit_fma_inline
def write_quaternion(series, k, q):
    """Write the terms k of the quaternions."""
    o = 80 * k
    write(series, o + 48, q[0])
    write(series, o + 56, q[1])
    write(series, o + 64, q[2])
    write(series, o + 72, q[3])


@jit_fma_inline
def read_terms(series, i, j, like):
    """Return the terms i of momenta, the terms j of angular velocities, and the terms i of quaternions."""
    o, p = 80 * i, 80 * j + 24
    return (
        read(series, o, like),
        read(series, o + 8, like),
        read(series, o + 16, like),
        read(series, p, like),
        read(series, p + 8, like),
        read(series, p + 16, like),
        read(series, o + 48, like),
        read(series, o + 56, like),
        read(series, o + 64, like),
        read(series, o + 72, like),
    )


@jit_fma
def rotate_eight(h, num_parts, series):
    """Write quaternions and final velocities of eight rotations in a time h, in parts of equal length.

    Momenta and inverse inertias stand at ``ARGUMENTS``, the results at ``RESULTS``.
    """
    like = broadcast8(0.0)
    momentum = (
        read(series, ARGUMENTS, like),
        read(series, ARGUMENTS + 8, like),
        read(series, ARGUMENTS + 16, like),
    )
    inverse_inertia = (
        read(series, ARGUMENTS + 24, like),
        read(series, ARGUMENTS + 32, like),
        read(series, ARGUMENTS + 40, like),
        read(series, ARGUMENTS + 48, like),
        read(series, ARGUMENTS + 56, like),
        read(series, ARGUMENTS + 64, like),
        read(series, ARGUMENTS + 72, like),
        read(series, ARGUMENTS + 80, like),
        read(series, ARGUMENTS + 88, like),
    )
    q = broadcast8(1.0), like, like, like
    for _ in range(num_parts):
        own = rotate_inverse(q, momentum)
        q = normalized(quaternion_product(q, free_rotations(own, inverse_inertia, h / num_parts, series)))
    write(series, RESULTS, q[0])
    write(series, RESULTS + 8, q[1])
    write(series, RESULTS + 16, q[2])
    write(series, RESULTS + 24, q[3])
    w = matvec3(inverse_inertia, *rotate_inverse(q, momentum))
    write(series, RESULTS + 32, w[0])
    write(series, RESULTS + 40, w[1])
    write(series, RESULTS + 48, w[2])


@jit_noalloc
def advance_free_motion(bodies, h, initial, v, final, workspace):
    """Write orientations, positions and velocities after a free motion; return False if a body turns too far.

    Eight bodies rotate at once. The next steps start from the origins of the body frames, so the centers are
    computed from these.
    """
    series, count = workspace.series, len(bodies.mass)
    for first in range(0, count, 8):
        last, max_angle = min(first + 8, count), 0.0
        for b in range(first, last):
            w = (v[b, 0], v[b, 1], v[b, 2])
            max_angle = nan_max(max_angle, h * norm(w) / MAX_SERIES_ANGLE)
            momentum, lane = matvec(bodies.J[b], w), ARGUMENTS + b - first
            series[lane], series[lane + 8], series[lane + 16] = momentum
            for i in range(3):
                for j in range(3):
                    series[lane + 24 + 8 * (3 * i + j)] = bodies.J_inverse[b, i, j]
        for lane in range(last - first, 8):
            for j in range(12):
                series[ARGUMENTS + 8 * j + lane] = 0.0
        if not max_angle <= MAX_SUBSTEPS:  # before it is rounded to an integer, which may overflow
            return False
        rotate_eight(h, max(1, math.ceil(max_angle)), series)
        for b in range(first, last):
            write_final_state(bodies, h, initial, v, final, b, series, b - first, workspace.rotation)
    return True


@jit_fma
def write_final_state(bodies, h, initial, v, final, b, series, lane, rotation):
    """Write the state of a body after a free motion from its rotation, the result in this lane."""
    o = RESULTS + lane
    write_rotation_matrix((series[o], series[o + 8], series[o + 16], series[o + 24]), rotation)
    R, p, center, velocity, start = final.R[b], final.p[b], final.center[b], final.v[b], initial.center[b]
    for i in range(3):
        set_row(R, i, matvec_transposed(rotation, initial.R[b, i]))
        velocity[i], velocity[3 + i] = series[o + 32 + 8 * i], v[b, 3 + i]
    arm = matvec(R, bodies.com[b])
    for i in range(3):
        p[i] = start[i] + h * v[b, 3 + i] - arm[i]
        center[i] = p[i] + arm[i]


@jit_fma
def displacement_derivatives(bodies, h, v, D):
    """Write the derivatives ``(n, 3, 3)`` of the final rotation with respect to the angular velocity.

    Rotations are expressed in the final frame, as in ``_displacement_derivative`` of
    :mod:`rbnotes.multibody.maximal.rattle_integrator`. The derivative of a center of mass with respect to
    its velocity is h.
    """
    inertias, inverse_inertias = bodies.J, bodies.J_inverse
    for b in range(len(inertias)):
        w = (v[b, 0], v[b, 1], v[b, 2])
        J, J_inverse = inertias[b], inverse_inertias[b]
        momentum = matvec(J, w)
        angle = h * norm(w)
        square = angle * angle
        if angle < 0.1:  # the neglected terms are below rounding
            # products with reciprocals: a division takes longer than the rest of a term
            c2 = 1 - square * (1 / 30) * (1 - square * (1 / 56) * (1 - square * (1 / 90)))
            c2 = 0.5 - square * (1 / 24) * c2
            c3 = 1 - square * (1 / 42) * (1 - square * (1 / 72) * (1 - square * (1 / 110)))
            c3 = (1 - square * (1 / 20) * c3) * (1 / 6)
        else:
            c2, c3 = 2 * (math.sin(angle / 2) / angle) ** 2, (angle - math.sin(angle)) / (angle * square)
        for j in range(3):
            e = (1.0 if j == 0 else 0.0, 1.0 if j == 1 else 0.0, 1.0 if j == 2 else 0.0)
            first_cross = cross(w, e)
            second_cross = cross(w, first_cross)
            column = (J[0, j], J[1, j], J[2, j])
            acceleration_change = matvec(J_inverse, add_scaled(cross(momentum, e), -1.0, cross(w, column)))
            for i in range(3):
                jacobian = e[i] - c2 * h * first_cross[i] + c3 * h * h * second_cross[i]
                D[b, i, j] = h * (jacobian + h / 2 * acceleration_change[i])


@jit_noalloc
def energy(bodies, gravity, x, v):
    """Return the kinetic energy and the potential energy of gravity."""
    total = 0.0
    for b in range(len(bodies.mass)):
        w, u = (v[b, 0], v[b, 1], v[b, 2]), (v[b, 3], v[b, 4], v[b, 5])
        kinetic = dot(w, matvec(bodies.J[b], w)) + bodies.mass[b] * dot(u, u)
        total += kinetic / 2 - bodies.mass[b] * dot(gravity, (x[b, 0], x[b, 1], x[b, 2]))
    return total
