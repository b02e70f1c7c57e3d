"""Free motion of rigid bodies, as in :mod:`rbnotes.dynamics.free_rotation`.

The power series is that of a quaternion and of the angular momentum in the body, so that each term needs few
products. Vectors and quaternions are tuples, the scalar of a quaternion first.
"""

import math

from rbnotes.compiled.decorators import jit_noalloc
from rbnotes.compiled.linear_algebra import (
    add_scaled,
    cross,
    dot,
    matvec,
    matvec_transposed,
    norm,
    quaternion_product,
)
from rbnotes.dynamics.free_rotation import MAX_SERIES_ANGLE, MAX_SERIES_TERMS, MAX_SUBSTEPS

MIN_SERIES_TERM = 1e-18
"""Size below which the terms of a series are neglected."""


@jit_noalloc
def rotate_inverse(q, x):
    """Rotate a vector by the inverse of a unit quaternion."""
    axis = (-q[1], -q[2], -q[3])
    first = cross(axis, x)
    second = cross(axis, first)
    return (
        x[0] + 2 * (q[0] * first[0] + second[0]),
        x[1] + 2 * (q[0] * first[1] + second[1]),
        x[2] + 2 * (q[0] * first[2] + second[2]),
    )


@jit_noalloc
def write_rotation_matrix(q, R):
    """Write the matrix of a unit quaternion."""
    s, x, y, z = q
    R[0, 0], R[0, 1], R[0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - s * z), 2 * (x * z + s * y)
    R[1, 0], R[1, 1], R[1, 2] = 2 * (x * y + s * z), 1 - 2 * (x * x + z * z), 2 * (y * z - s * x)
    R[2, 0], R[2, 1], R[2, 2] = 2 * (x * z - s * y), 2 * (y * z + s * x), 1 - 2 * (x * x + y * y)


@jit_noalloc
def free_rotation(momentum, inverse_inertia, h, workspace):
    """Return the quaternion of the rotation in a time h, for body-frame momentum and inverse inertia."""
    l, w, q = workspace[:, 0:3], workspace[:, 3:6], workspace[:, 6:10]
    l[0, 0], l[0, 1], l[0, 2] = momentum
    w0, w1, w2 = matvec(inverse_inertia, momentum)
    w[0, 0], w[0, 1], w[0, 2] = h * w0, h * w1, h * w2
    q[0, 0], q[0, 1], q[0, 2], q[0, 3] = 1.0, 0.0, 0.0, 0.0
    last = 0
    for k in range(1, MAX_SERIES_TERMS):
        a0, a1, a2, s, x, y, z = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for i in range(k):
            w0, w1, w2 = w[k - 1 - i, 0], w[k - 1 - i, 1], w[k - 1 - i, 2]
            l0, l1, l2 = l[i, 0], l[i, 1], l[i, 2]
            q0, q1, q2, q3 = q[i, 0], q[i, 1], q[i, 2], q[i, 3]
            a0 += l1 * w2 - l2 * w1
            a1 += l2 * w0 - l0 * w2
            a2 += l0 * w1 - l1 * w0
            s -= q1 * w0 + q2 * w1 + q3 * w2
            x += q0 * w0 + q2 * w2 - q3 * w1
            y += q0 * w1 + q3 * w0 - q1 * w2
            z += q0 * w2 + q1 * w1 - q2 * w0
        scale = 0.5 / k
        q[k, 0], q[k, 1], q[k, 2], q[k, 3] = scale * s, scale * x, scale * y, scale * z
        last = k
        if abs(scale * s) + abs(scale * x) + abs(scale * y) + abs(scale * z) < MIN_SERIES_TERM:
            break
        l[k, 0], l[k, 1], l[k, 2] = a0 / k, a1 / k, a2 / k
        w0, w1, w2 = matvec(inverse_inertia, (a0 / k, a1 / k, a2 / k))
        w[k, 0], w[k, 1], w[k, 2] = h * w0, h * w1, h * w2
    s, x, y, z = 0.0, 0.0, 0.0, 0.0
    for k in range(last, -1, -1):  # the smallest first
        s, x, y, z = s + q[k, 0], x + q[k, 1], y + q[k, 2], z + q[k, 3]
    size = math.sqrt(s * s + x * x + y * y + z * z)
    return s / size, x / size, y / size, z / size


@jit_noalloc
def advance_free_motion(bodies, h, initial, v, final, workspace):
    """Write orientations, positions and velocities after a free motion; return False if a body turns too far.

    The next steps start from the origins of the body frames, so the centers are computed from these.
    """
    series, rotation = workspace.series, workspace.rotation
    for b in range(len(bodies.mass)):
        w = (v[b, 0], v[b, 1], v[b, 2])
        series_angles = h * norm(w) / MAX_SERIES_ANGLE
        if not series_angles <= MAX_SUBSTEPS:  # before it is rounded to an integer, which may overflow
            return False
        num_parts = max(1, math.ceil(series_angles))
        momentum = matvec(bodies.J[b], w)
        q = free_rotation(momentum, bodies.J_inverse[b], h / num_parts, series)
        for _ in range(num_parts - 1):
            increment = free_rotation(rotate_inverse(q, momentum), bodies.J_inverse[b], h / num_parts, series)
            q = quaternion_product(q, increment)
            size = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
            q = (q[0] / size, q[1] / size, q[2] / size, q[3] / size)
        write_rotation_matrix(q, rotation)
        for i in range(3):
            for j in range(3):
                row = initial.R[b, i]
                final.R[b, i, j] = row[0] * rotation[0, j] + row[1] * rotation[1, j] + row[2] * rotation[2, j]
            final.v[b, 3 + i] = v[b, 3 + i]
        w = matvec(bodies.J_inverse[b], matvec_transposed(rotation, momentum))
        final.v[b, 0], final.v[b, 1], final.v[b, 2] = w
        arm = matvec(final.R[b], bodies.com[b])
        for i in range(3):
            final.p[b, i] = initial.center[b, i] + h * v[b, 3 + i] - arm[i]
            final.center[b, i] = final.p[b, i] + arm[i]
    return True


@jit_noalloc
def displacement_derivatives(bodies, h, v, D):
    """Write the derivatives ``(n, 3, 3)`` of the final rotation with respect to the angular velocity.

    Rotations are expressed in the final frame, as in ``_displacement_derivative`` of
    :mod:`rbnotes.multibody.maximal.rattle_integrator`. The derivative of a center of mass with respect to
    its velocity is h.
    """
    for b in range(len(bodies.mass)):
        w = (v[b, 0], v[b, 1], v[b, 2])
        J, J_inverse = bodies.J[b], bodies.J_inverse[b]
        momentum = matvec(J, w)
        angle = h * norm(w)
        square = angle * angle
        if angle < 0.1:  # the neglected terms are below rounding
            c2 = 0.5 - square / 24 * (1 - square / 30 * (1 - square / 56 * (1 - square / 90)))
            c3 = (1 - square / 20 * (1 - square / 42 * (1 - square / 72 * (1 - square / 110)))) / 6
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
