"""Joint constraints: errors, Jacobians, and the systems of the joint impulses.

The velocity of a body ``(6,)`` is its angular velocity in the body frame and the velocity of its center of
mass in the world. The world is the last body and does not move. A constraint row has a block for each of its
two bodies, and is constant in the joint frame (:mod:`rbnotes.multibody.joint_kinematics`).
"""

import math
from typing import Any, NamedTuple

from rbnotes.compiled.decorators import jit_fma, jit_fma_inline, jit_noalloc
from rbnotes.compiled.linear_algebra import (
    add_scaled,
    column,
    cross,
    dot,
    dot6,
    matvec,
    matvec_transposed,
    scale,
    set_row,
    subtract,
)
from rbnotes.compiled.record_layout import AXIS_ROTATION, FREE_ROTATION
from rbnotes.compiled.simd.lanes import broadcast8, greater, read, select, sqrt, write


class Bodies(NamedTuple):
    """Mass properties of n bodies; arrays of length ``n + 1`` end with the world.

    Attributes
    ----------
    mass
        Masses ``(n,)``.
    J
        Inertias about the centers of mass, in body frames, ``(n, 3, 3)``.
    inverse_mass
        Inverse masses ``(n + 1,)``, zero for the world.
    J_inverse
        Inverse inertias ``(n + 1, 3, 3)``, zero for the world.
    com
        Centers of mass in body frames ``(n, 3)``.
    """

    mass: Any
    J: Any
    inverse_mass: Any
    J_inverse: Any
    com: Any


class Joints(NamedTuple):
    """The k joints between bodies and their m constraint rows.

    Attributes
    ----------
    body
        Body of each joint ``(k,)``.
    parent
        Parent body of each joint ``(k,)``.
    row_start
        First row of each joint, and the number of rows ``(k + 1,)``.
    rotation_kind
        Free rotations, one of :data:`~rbnotes.compiled.record_layout.ROTATION_KINDS`, ``(k,)``.
    axis
        Axis of the free rotation, in the joint frame, ``(k, 3)``.
    rows
        Constraint rows in the joint frame ``(m, 6)``.
    frame
        Orientations of the joint frames in the body ``(k, 3, 3)``.
    origin
        Origins of the joint frames, from the center of mass of the body, ``(k, 3)``.
    parent_frame
        Orientations of the joint frames in the parent ``(k, 3, 3)``.
    parent_origin
        Origins of the joint frames, from the center of mass of the parent, ``(k, 3)``.
    coupled
        Pairs of joints that share a body, and its side (body 0, parent 1) in each, ``(p, 4)``.
    row_bodies
        Body and parent of each row ``(m, 2)``.
    first_column
        First column of each row of the joint system's envelope ``(m,)``.
    row_offset
        Offset of each row: entry ``(i, j)`` stands at ``row_offset[i] + j``, ``(m,)``.
    """

    body: Any
    parent: Any
    row_start: Any
    rotation_kind: Any
    axis: Any
    rows: Any
    frame: Any
    origin: Any
    parent_frame: Any
    parent_origin: Any
    coupled: Any
    row_bodies: Any
    first_column: Any
    row_offset: Any


class JointGeometry(NamedTuple):
    """Joints at one configuration, in world axes.

    Attributes
    ----------
    axes
        Orientations of the joint frames ``(k, 3, 3)``.
    arms
        Origins of the joint frames from the centers of body and parent ``(k, 2, 3)``.
    """

    axes: Any
    arms: Any


@jit_fma
def compute_joint_geometry(joints, R, x, geometry):
    """Write axes and arms of the joint frames at orientations R and centers x."""
    for i in range(len(joints.body)):
        b, p, axes = joints.body[i], joints.parent[i], geometry.axes[i]
        arm = matvec(R[b], joints.origin[i])
        set_row(geometry.arms[i], 0, arm)
        from_parent = add_scaled((x[b, 0], x[b, 1], x[b, 2]), 1.0, arm)
        set_row(geometry.arms[i], 1, subtract(from_parent, (x[p, 0], x[p, 1], x[p, 2])))
        for j in range(3):
            axes[0, j], axes[1, j], axes[2, j] = matvec(R[b], column(joints.frame[i], j))


@jit_fma_inline
def compute_constraint_error(joints, R, geometry, out, scratch):
    """Write the constraint errors of the joints; return False if one is rotated by a quarter turn or more.

    Eight joints are treated at once; `scratch` has room for 192 numbers.
    """
    count = len(joints.body)
    for first in range(0, count, 8):
        last = min(first + 8, count)
        for i in range(first, last):
            write_relative_pose(joints, R, geometry, i, scratch, i - first)
        remove_free_rotations(scratch)
        for i in range(first, last):
            o = ERROR_RESULTS + i - first
            if not scratch[o + 56] > 0:
                return False
            half, scalar = (scratch[o], scratch[o + 8], scratch[o + 16]), scratch[o + 24]
            d0, d1, d2 = scratch[o + 32], scratch[o + 40], scratch[o + 48]
            # the rotation vector from the quaternion
            rotation_vector = scale(angle_ratio(dot(half, half), scalar), half)
            for r in range(joints.row_start[i], joints.row_start[i + 1]):
                row = joints.rows[r]
                out[r] = dot(row, rotation_vector) + row[3] * d0 + row[4] * d1 + row[5] * d2
    return True


ERROR_RESULTS = 128
"""Place of the 64 results of :func:`remove_free_rotations` behind its arguments."""


@jit_fma_inline
def write_relative_pose(joints, R, geometry, i, x, lane):
    """Write the pose of the body's joint frame in that of the parent, the axis and the kind of the joint."""
    p, axes, P = joints.parent[i], geometry.axes[i], joints.parent_frame[i]
    p0, p1, p2 = matvec(R[p], column(P, 0)), matvec(R[p], column(P, 1)), matvec(R[p], column(P, 2))
    for j in range(3):
        axis = axes[0, j], axes[1, j], axes[2, j]
        o = lane + 24 * j
        x[o], x[o + 8], x[o + 16] = dot(p0, axis), dot(p1, axis), dot(p2, axis)
        x[lane + 96 + 8 * j] = joints.axis[i, j]
    displacement = subtract(geometry.arms[i, 1], matvec(R[p], joints.parent_origin[i]))
    o = lane + 72
    x[o], x[o + 8], x[o + 16] = dot(p0, displacement), dot(p1, displacement), dot(p2, displacement)
    x[lane + 120] = float(joints.rotation_kind[i])


@jit_fma
def remove_free_rotations(x):
    """Remove the free rotations of eight joints from their relative poses.

    Writes the vector and the scalar of the remaining rotation's quaternion, the displacement, and the trace
    of the rotation matrix, NaN if the rotation is a quarter turn or more. Balls have no remaining rotation,
    and their displacement is in the frame of the body.
    """
    zero, one = broadcast8(0.0), broadcast8(1.0)
    r0, r1, r2 = read_lanes3(x, 0, zero), read_lanes3(x, 24, zero), read_lanes3(x, 48, zero)
    d, a, kind = read_lanes3(x, 72, zero), read_lanes3(x, 96, zero), read(x, 120, zero)
    is_free, is_axis = greater(kind, FREE_ROTATION - 0.5), greater(kind, AXIS_ROTATION - 0.5)
    own = dot(r0, d), dot(r1, d), dot(r2, d)
    # The nearest rotation about the axis.
    rotated_axis = add_scaled(add_scaled(scale(a[0], r0), a[1], r1), a[2], r2)
    sine = dot(a, (r1[2] - r2[1], r2[0] - r0[2], r0[1] - r1[0]))
    cosine = r0[0] + r1[1] + r2[2] - dot(a, rotated_axis)
    size = sqrt(sine * sine + cosine * cosine)
    size = select(greater(size, 0.0), size, math.nan)
    sine, cosine = select(is_axis, -sine / size, zero), select(is_axis, cosine / size, one)
    r0 = rotate_about_axis(a, cosine, sine, r0)
    r1 = rotate_about_axis(a, cosine, sine, r1)
    r2 = rotate_about_axis(a, cosine, sine, r2)
    d = rotate_about_axis(a, cosine, sine, d)
    trace = select(is_free, broadcast8(3.0), r0[0] + r1[1] + r2[2])
    trace = select(greater(trace, 1.0), trace, math.nan)
    scalar = sqrt(1.0 + trace) * 0.5
    factor = 0.25 / scalar
    o = ERROR_RESULTS
    write(x, o, select(is_free, zero, factor * (r1[2] - r2[1])))
    write(x, o + 8, select(is_free, zero, factor * (r2[0] - r0[2])))
    write(x, o + 16, select(is_free, zero, factor * (r0[1] - r1[0])))
    write(x, o + 24, scalar)
    for j in range(3):
        write(x, o + 32 + 8 * j, select(is_free, own[j], d[j]))
    write(x, o + 56, trace)


@jit_fma_inline
def read_lanes3(x, o, like):
    """Read three vectors of eight numbers."""
    return read(x, o, like), read(x, o + 8, like), read(x, o + 16, like)


@jit_fma_inline
def angle_ratio(sine_squared, cosine):
    """Return an angle below a half turn over the sine of its half."""
    square = sine_squared / (cosine * cosine)
    if square < 1e-6:  # the neglected terms are below rounding
        return 2 / cosine * (1 - square * (1 / 3 - square / 5))
    sine = math.sqrt(sine_squared)
    return 2 * math.atan2(sine, cosine) / sine


@jit_fma_inline
def rotate_about_axis(a, cosine, sine, x):
    """Rotate a vector about a unit axis."""
    return add_scaled(add_scaled(scale(cosine, x), sine, cross(a, x)), (1.0 - cosine) * dot(a, x), a)


@jit_noalloc
def compute_constraint_jacobian(joints, R, geometry, G):
    """Write the constraint rows ``(m, 2, 6)`` for the velocities of body and parent."""
    for i in range(len(joints.body)):
        b, p, from_parent = joints.body[i], joints.parent[i], geometry.arms[i, 1]
        s = (joints.origin[i, 0], joints.origin[i, 1], joints.origin[i, 2])
        for r in range(joints.row_start[i], joints.row_start[i + 1]):
            row = joints.rows[r]
            moment = matvec(joints.frame[i], row)
            force = matvec(joints.frame[i], (row[3], row[4], row[5]))
            write_block(G, r, 0, add_scaled(moment, 1.0, cross(s, force)), 1.0, matvec(R[b], force))
            force = matvec(R[b], force)
            moment = add_scaled(matvec(R[b], moment), 1.0, cross(from_parent, force))
            write_block(G, r, 1, scale(-1.0, matvec_transposed(R[p], moment)), -1.0, force)


@jit_noalloc
def write_block(G, r, side, moment, sign, force):
    """Write one block of a row."""
    G[r, side, 0], G[r, side, 1], G[r, side, 2] = moment
    G[r, side, 3], G[r, side, 4], G[r, side, 5] = sign * force[0], sign * force[1], sign * force[2]


@jit_noalloc
def impulse_responses(bodies, row_bodies, rows, out):
    """Write the velocity changes of both bodies per unit impulse along rows ``(m, 2, 6)``."""
    for r in range(len(rows)):
        for side in range(2):
            b, row = row_bodies[r, side], rows[r, side]
            angular_change = matvec(bodies.J_inverse[b], row)
            for k in range(3):
                out[r, side, k] = angular_change[k]
                out[r, side, 3 + k] = bodies.inverse_mass[b] * row[3 + k]


@jit_noalloc
def constraint_velocities(rows, row_bodies, v, out):
    """Write the velocities along rows ``(m, 2, 6)``."""
    for r in range(len(rows)):
        out[r] = dot6(rows[r, 0], v[row_bodies[r, 0]]) + dot6(rows[r, 1], v[row_bodies[r, 1]])


@jit_noalloc
def add_impulses(responses, row_bodies, impulses, v):
    """Add the velocity changes by impulses along the rows."""
    for r in range(len(responses)):
        for side in range(2):
            b = row_bodies[r, side]
            for k in range(6):
                v[b, k] += impulses[r] * responses[r, side, k]


@jit_noalloc
def assemble_joint_system(joints, G, responses, S):
    """Write ``G M^-1 G^T`` within its envelope."""
    for r in range(len(S)):
        S[r] = 0.0
    for n in range(len(joints.coupled)):
        i, j, side, other = joints.coupled[n]
        for r in range(joints.row_start[i], joints.row_start[i + 1]):
            for c in range(joints.row_start[j], min(joints.row_start[j + 1], r + 1)):
                S[joints.row_offset[r] + c] += dot6(G[r, side], responses[c, other])


@jit_noalloc
def assemble_error_derivative(joints, G, responses, D, h, displaced_responses, lower, upper):
    """Write the derivative of the final joint errors with respect to the initial joint impulses.

    `G` is the final Jacobian and `responses` the initial responses, which displace the bodies by `D`.
    `displaced_responses` is working memory of their shape.
    """
    for r in range(len(lower)):
        lower[r], upper[r] = 0.0, 0.0
    for r in range(len(responses)):
        for side in range(2):
            displacement = matvec(D[joints.row_bodies[r, side]], responses[r, side])
            for k in range(3):
                displaced_responses[r, side, k] = displacement[k]
                displaced_responses[r, side, 3 + k] = h * responses[r, side, 3 + k]
    for n in range(len(joints.coupled)):
        i, j, side, other = joints.coupled[n]
        for r in range(joints.row_start[i], joints.row_start[i + 1]):
            for c in range(joints.row_start[j], r if i == j else joints.row_start[j + 1]):
                lower[joints.row_offset[r] + c] += dot6(G[r, side], displaced_responses[c, other])
                upper[joints.row_offset[r] + c] += dot6(G[c, other], displaced_responses[r, side])
            if i == j:
                upper[joints.row_offset[r] + r] += dot6(G[r, side], displaced_responses[r, other])


@jit_fma_inline
def free_constraint_accelerations(bodies, joints, R, geometry, v, motions, out):
    """Write the accelerations along the constraint rows while the bodies move freely.

    `motions` is working memory ``(n + 1, 6)``: angular velocities and their rates, in the world.
    """
    body, parent, row_start, rows = joints.body, joints.parent, joints.row_start, joints.rows
    arms, all_axes = geometry.arms, geometry.axes
    write_angular_motions(bodies, R, v, motions)
    for i in range(len(body)):
        b, p, axes = body[i], parent[i], all_axes[i]
        arm, from_parent = arms[i, 0], arms[i, 1]
        spin, angular_acceleration = read_motion(motions[b])
        spin_p, angular_acceleration_p = read_motion(motions[p])
        u, u_p = (v[b, 3], v[b, 4], v[b, 5]), (v[p, 3], v[p, 4], v[p, 5])
        origin_velocity = add_scaled(u, 1.0, cross(spin, arm))  # of the body's joint frame
        relative_rotation = subtract(
            subtract(angular_acceleration, angular_acceleration_p), cross(spin, subtract(spin, spin_p))
        )
        relative_velocity = subtract(origin_velocity, add_scaled(u_p, 1.0, cross(spin_p, from_parent)))
        relative_acceleration = add_scaled(
            cross(angular_acceleration, arm), 1.0, cross(spin, cross(spin, arm))
        )
        relative_acceleration = subtract(
            relative_acceleration,
            add_scaled(
                cross(angular_acceleration_p, from_parent), 1.0, cross(spin_p, subtract(origin_velocity, u_p))
            ),
        )
        relative_acceleration = subtract(relative_acceleration, cross(spin, relative_velocity))
        relative_rotation = matvec_transposed(axes, relative_rotation)
        relative_acceleration = matvec_transposed(axes, relative_acceleration)
        for r in range(row_start[i], row_start[i + 1]):
            row = rows[r]
            out[r] = (
                dot(row, relative_rotation)
                + row[3] * relative_acceleration[0]
                + row[4] * relative_acceleration[1]
                + row[5] * relative_acceleration[2]
            )


@jit_fma_inline
def read_motion(motion):
    """Return the two vectors of a row of six numbers."""
    return (motion[0], motion[1], motion[2]), (motion[3], motion[4], motion[5])


@jit_fma_inline
def write_angular_motions(bodies, R, v, motions):
    """Write the angular velocities of all bodies in the world and their rates without torques."""
    J, J_inverse = bodies.J, bodies.J_inverse
    for b in range(len(J)):
        w = (v[b, 0], v[b, 1], v[b, 2])
        motion, rate = motions[b], matvec(J_inverse[b], cross(matvec(J[b], w), w))
        motion[0], motion[1], motion[2] = matvec(R[b], w)
        motion[3], motion[4], motion[5] = matvec(R[b], rate)
    for k in range(6):
        motions[len(J), k] = 0.0
