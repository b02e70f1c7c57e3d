"""Joints whose motion subspace is a block of columns: spherical joints, quaternions, external joints.

They have one element for each coordinate. At the last of them pose, columns and bias acceleration are written
to the block, which starts at ``k``, and the columns are copied in world coordinates to the records of the
elements. Only the last element has a body; inertia and wrenches pass through the elements one column after
the other, as for revolute joints at one point.

These joints are rare, so their steps are functions that are not inlined, and the code for all others stays
short.
"""

from math import nan

from rbnotes.compiled.decorators import jit_fma, jit_fma_inline
from rbnotes.compiled.recursions.element_steps import propagate_motion, write_world_pose
from rbnotes.compiled.simd.lanes import (
    broadcast_like,
    element_offset,
    greater,
    read,
    read_strided,
    select,
    select_by_width,
    sqrt,
    write,
    write_result,
)
from rbnotes.compiled.simd.memory import (
    add6,
    read3,
    read6,
    read9,
    read_constant3,
    read_constant9,
    write3,
    write6,
    write9,
)
from rbnotes.compiled.simd.spatial_algebra import (
    matmul3,
    matvec3,
    sine_cosine,
    twist_in_world,
)
from rbnotes.compiled.tree_layout import (
    ACCELERATION,
    BALL,
    BIAS_ACCELERATION,
    COLUMN,
    COLUMNS,
    CONSTANTS_SIZE,
    ELEMENT_COUNT,
    EXTERNAL_OFFSET,
    EXTERNAL_SIZE,
    EXTERNAL_START,
    FORCE,
    FORCES,
    HEADER_SIZE,
    INCLUDES_POSITION,
    IS_PRESCRIBED,
    JOINT_FRAME,
    JOINT_POSE,
    KIND,
    LANES,
    ONE,
    POSE_POSITION,
    POSITION,
    POSITIONS,
    QUATERNION,
    RATE,
    RATES,
    RECORD_SIZE,
    ROW_SIZE,
    SIX_LANES,
    THREE_LANES,
    ZERO,
    U,
)

_MAX_SERIES_SQUARE = 1.0


@jit_fma_inline
def read4(x, o, like):
    """Read four numbers."""
    a, b, c = read3(x, o, like)
    return a, b, c, read(x, o + THREE_LANES, like)


@jit_fma_inline
def stumpff(square):
    """Return the functions c_1 to c_5 of the squared angle: ``c_i = sum of (-square)^j / (2 j + i)!``."""
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
    is_far = greater(square, _MAX_SERIES_SQUARE)
    divisor = select(is_far, square, 1.0)
    c1 = select(is_far, s / select(is_far, angle, 1.0), 1.0 - square * (1 / 6 - square * c5))
    c2 = select(is_far, (1.0 - c) / divisor, 0.5 - square * c4)
    c3 = select(is_far, (1.0 - c1) / divisor, 1 / 6 - square * c5)
    c4 = select(is_far, (0.5 - c2) / divisor, c4)
    c5 = select(is_far, (1 / 6 - c3) / divisor, c5)
    return c1, c2, c3, c4, c5


@jit_fma
def evaluate_rotation_vector(work, k, like):
    """Write pose, columns and bias acceleration of a rotation vector."""
    x, y, z = read3(work, k + POSITIONS, like)
    a, d, e = read3(work, k + RATES, like)
    zero = broadcast_like(0.0, like)
    square = x * x + y * y + z * z
    c1, c2, c3, c4, c5 = stumpff(square)
    c = 1.0 - c2 * square
    write9(
        work,
        k + JOINT_POSE,
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
    write3(work, k + JOINT_POSE + POSE_POSITION, zero, zero, zero)
    i = k + COLUMNS
    # The right Jacobian, c_1 - c_2 hat(q) + c_3 q q^T, column by column.
    write6(work, i, c1 + c3 * x * x, c3 * x * y - c2 * z, c3 * x * z + c2 * y, zero, zero, zero)
    i += SIX_LANES
    write6(work, i, c3 * x * y + c2 * z, c1 + c3 * y * y, c3 * y * z - c2 * x, zero, zero, zero)
    i += SIX_LANES
    write6(work, i, c3 * x * z - c2 * y, c3 * y * z + c2 * x, c1 + c3 * z * z, zero, zero, zero)
    # Its rate times v: c_2 and c_3 multiply q x v and q x (q x v).
    f, g, h = y * e - z * d, z * a - x * e, x * d - y * a
    along = x * a + y * d + z * e
    rate_2, rate_3 = along * (2.0 * c4 - c3), along * (3.0 * c5 - c4)
    write6(
        work,
        k + BIAS_ACCELERATION,
        rate_3 * (y * h - z * g) - rate_2 * f + c3 * (d * h - e * g),
        rate_3 * (z * f - x * h) - rate_2 * g + c3 * (e * f - a * h),
        rate_3 * (x * g - y * f) - rate_2 * h + c3 * (a * g - d * f),
        zero,
        zero,
        zero,
    )


@jit_fma
def evaluate_quaternion(work, k, reduced, like):
    """Write pose, columns and bias acceleration of a quaternion; if `reduced`, for its angular velocity."""
    w, x, y, z = read4(work, k + POSITIONS, like)  # scalar first
    a, d, e, f = read4(work, k + RATES, like)
    square = w * w + x * x + y * y + z * z
    i = 2.0 / select(greater(square, 0.0), square, nan)
    zero, one = broadcast_like(0.0, like), broadcast_like(1.0, like)
    write9(
        work,
        k + JOINT_POSE,
        1.0 - i * (y * y + z * z),
        i * (x * y - w * z),
        i * (x * z + w * y),
        i * (x * y + w * z),
        1.0 - i * (x * x + z * z),
        i * (y * z - w * x),
        i * (x * z - w * y),
        i * (y * z + w * x),
        1.0 - i * (x * x + y * y),
    )
    write3(work, k + JOINT_POSE + POSE_POSITION, zero, zero, zero)
    # Angular velocity: twice the vector part of q^-1 qdot.
    w0 = i * (w * d - x * a - y * f + z * e)
    w1 = i * (w * e - y * a - z * d + x * f)
    w2 = i * (w * f - z * a - x * e + y * d)
    along = -i * (w * a + x * d + y * e + z * f)
    c = k + COLUMNS
    if reduced:
        write3(work, k + RATES, w0, w1, w2)
        write6(work, c, one, zero, zero, zero, zero, zero)
        c += SIX_LANES
        write6(work, c, zero, one, zero, zero, zero, zero)
        c += SIX_LANES
        write6(work, c, zero, zero, one, zero, zero, zero)
        c += SIX_LANES
        write6(work, c, zero, zero, zero, zero, zero, zero)
        write(work, k + RATES + THREE_LANES, zero)
        write6(work, k + BIAS_ACCELERATION, zero, zero, zero, zero, zero, zero)
        t, p, q, r = read4(work, k + FORCES, like)
        # The torques do the same work as the forces on the quaternion; forces along it do none.
        write3(
            work,
            k + FORCES,
            0.5 * (w * p - x * t - y * r + z * q),
            0.5 * (w * q - y * t - z * p + x * r),
            0.5 * (w * r - z * t - x * q + y * p),
        )
    else:
        write6(work, c, -i * x, -i * y, -i * z, zero, zero, zero)
        c += SIX_LANES
        write6(work, c, i * w, -i * z, i * y, zero, zero, zero)
        c += SIX_LANES
        write6(work, c, i * z, i * w, -i * x, zero, zero, zero)
        c += SIX_LANES
        write6(work, c, -i * y, i * x, i * w, zero, zero, zero)
        write6(work, k + BIAS_ACCELERATION, along * w0, along * w1, along * w2, zero, zero, zero)


@jit_fma_inline
def first_element(integers, e):
    """Return the first element of the joint with the last element e."""
    return e + ONE - integers[HEADER_SIZE + e * ROW_SIZE + ELEMENT_COUNT]


@jit_fma_inline
def is_prescribed(integers, e):
    """Return True if the acceleration of the joint is prescribed."""
    return integers[HEADER_SIZE + first_element(integers, e) * ROW_SIZE + IS_PRESCRIBED] > ZERO


@jit_fma_inline
def store_result(work, workspace, out, e, number, like):
    """Store the result of an element's coordinate; results of eight states are scattered later."""
    write_result(out, e - ONE, work, workspace.records + element_offset(e, RECORD_SIZE, like) + FORCE, number)


@jit_fma
def store_quaternion_accelerations(integers, work, workspace, out, e, like):
    """Replace the accelerations of the angular velocity by those of the quaternion."""
    k, j = workspace.block, first_element(integers, e)
    load_coordinates(work, workspace, j, U(4), like)
    w, x, y, z = read4(work, k + POSITIONS, like)
    a, d, e, f = read4(work, k + RATES, like)
    p, q, r = read3(work, k + FORCES, like)
    square = w * w + x * x + y * y + z * z
    # In the frame of q the constraint gives the scalar part, the angular acceleration the vector part.
    scalar = -(a * a + d * d + e * e + f * f)
    i = 2.0 / square
    along = i * (w * a + x * d + y * e + z * f)
    w0 = i * (w * d - x * a - y * f + z * e)
    w1 = i * (w * e - y * a - z * d + x * f)
    w2 = i * (w * f - z * a - x * e + y * d)
    g = 0.5 * square * (p + along * w0)
    h = 0.5 * square * (q + along * w1)
    l = 0.5 * square * (r + along * w2)
    store_result(work, workspace, out, j, (w * scalar - x * g - y * h - z * l) / square, like)
    store_result(work, workspace, out, j + ONE, (x * scalar + w * g + y * l - z * h) / square, like)
    store_result(work, workspace, out, j + U(2), (y * scalar + w * h + z * g - x * l) / square, like)
    store_result(work, workspace, out, j + U(3), (z * scalar + w * l + x * h - y * g) / square, like)


@jit_fma
def load_external_joint(external, offset, stride, work, k, m, like):
    """Copy pose, columns and bias acceleration of an external joint to the block."""
    for c in range(U(12)):
        write(work, k + JOINT_POSE + LANES * c, read_strided(external, offset + c, stride, like))
    offset += U(12)
    for c in range(U(6) * m):
        write(work, k + COLUMNS + LANES * c, read_strided(external, offset + c, stride, like))
    offset += U(6) * m
    for c in range(U(6)):
        write(work, k + BIAS_ACCELERATION + LANES * c, read_strided(external, offset + c, stride, like))


@jit_fma_inline
def load_coordinates(work, workspace, j, m, like):
    """Copy coordinates, rates and forces of the m elements from j to the block."""
    for c in range(m):
        o, k = workspace.records + element_offset(j + c, RECORD_SIZE, like), workspace.block + LANES * c
        write(work, k + POSITIONS, read(work, o + POSITION, like))
        write(work, k + RATES, read(work, o + RATE, like))
        write(work, k + FORCES, read(work, o + FORCE, like))


@jit_fma_inline
def joint_pose(floats, work, e, k, like):
    """Return the pose of the joint in the frame of its parent."""
    c = element_offset(e, CONSTANTS_SIZE, 0.0)
    R = read_constant9(floats, c + JOINT_FRAME, like, False)
    p0, p1, p2 = read_constant3(floats, c + JOINT_FRAME + POSE_POSITION, like, False)
    includes_position = broadcast_like(floats[c + INCLUDES_POSITION], like)
    t0, t1, t2 = read3(work, k + JOINT_POSE + POSE_POSITION, like)
    t0, t1, t2 = matvec3(R, t0, t1, t2)
    joint_rotation = read9(work, k + JOINT_POSE, like)
    return matmul3(R, joint_rotation), (
        p0 + includes_position * t0,
        p1 + includes_position * t1,
        p2 + includes_position * t2,
    )


@jit_fma
def update_multi_dof_joint(
    integers, floats, work, workspace, external, first, reduced, e, state, parent, like
):
    """Write pose, columns, twist and acceleration of a joint with the last element e."""
    row, k = HEADER_SIZE + e * ROW_SIZE, workspace.block
    kind, m, j = integers[row + KIND], integers[row + ELEMENT_COUNT], first_element(integers, e)
    prescribed = not reduced or is_prescribed(integers, e)
    load_coordinates(work, workspace, j, m, like)
    if kind == BALL:
        evaluate_rotation_vector(work, k, like)
    elif kind == QUATERNION:
        evaluate_quaternion(work, k, not prescribed, like)
    else:
        offset = (
            select_by_width(integers[EXTERNAL_OFFSET], first * integers[EXTERNAL_SIZE], like)
            + integers[row + EXTERNAL_START]
        )
        load_external_joint(external, offset, integers[EXTERNAL_SIZE], work, k, m, like)
    R, p = write_world_pose(work, state, parent, joint_pose(floats, work, e, k, like), like)
    zero = broadcast_like(0.0, like)
    u0, u1, u2, u3, u4, u5 = zero, zero, zero, zero, zero, zero
    a0, a1, a2, a3, a4, a5 = read6(work, k + BIAS_ACCELERATION, like)
    a0, a1, a2, a3, a4, a5 = twist_in_world(R, p, a0, a1, a2, a3, a4, a5)
    for c in range(m):
        o = workspace.records + element_offset(j + c, RECORD_SIZE, like)
        w0, w1, w2, w3, w4, w5 = read6(work, k + COLUMNS + SIX_LANES * c, like)
        w0, w1, w2, w3, w4, w5 = twist_in_world(R, p, w0, w1, w2, w3, w4, w5)
        write6(work, o + COLUMN, w0, w1, w2, w3, w4, w5)
        v, a = read(work, k + RATES + LANES * c, like), read(work, k + FORCES + LANES * c, like)
        write(work, o + FORCE, a)
        u0, u1, u2, u3, u4, u5 = u0 + w0 * v, u1 + w1 * v, u2 + w2 * v, u3 + w3 * v, u4 + w4 * v, u5 + w5 * v
        if prescribed:
            a0, a1, a2 = a0 + w0 * a, a1 + w1 * a, a2 + w2 * a
            a3, a4, a5 = a3 + w3 * a, a4 + w4 * a, a5 + w5 * a
    propagate_motion(work, state, parent, u0, u1, u2, u3, u4, u5, like)
    add6(work, state + ACCELERATION, a0, a1, a2, a3, a4, a5)
