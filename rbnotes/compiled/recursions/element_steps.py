"""Steps of the recursions at one element, for one state, eight states, or eight elements at once.

All quantities are in world axes, about one origin for each root of the tree and the elements that it carries.
The record of an element starts at ``o``, its state at ``h``, the state of its parent at ``p``, and its
constants start at ``c``. ``like`` has the type of the numbers (:mod:`rbnotes.compiled.simd.lanes`);
``per_element`` is True if eight elements are evaluated at once, which have different constants.
"""

from math import nan

from rbnotes.compiled.decorators import jit_fma_inline
from rbnotes.compiled.simd.lanes import broadcast_like, greater, read, select, write
from rbnotes.compiled.simd.memory import (
    add6,
    add9,
    read3,
    read6,
    read9,
    read_constant,
    read_constant3,
    read_constant9,
    write3,
    write6,
    write9,
)
from rbnotes.compiled.simd.spatial_algebra import (
    articulated_inertia_product,
    cross,
    dot6,
    matmul3,
    matvec3,
    motion_cross,
    sine_cosine,
    subtract_outer_product,
)
from rbnotes.compiled.tree_layout import (
    ACCELERATION,
    ACCELERATION_CHANGE,
    ARMATURE,
    CENTER_OF_MASS,
    CENTRAL_INERTIA,
    COLUMN,
    FORCE,
    GAIN,
    INCLUDES_POSITION,
    INERTIA,
    JOINT_FRAME,
    LANES,
    MASS,
    MIN_INERTIA,
    POSE,
    POSE_POSITION,
    POSITION,
    RATE,
    SCREW_RATES,
    SLOT_H,
    SLOT_M,
    SLOT_WRENCH,
    SPRING,
    THREE_LANES,
    TWIST,
    WRENCH,
)


@jit_fma_inline
def joint_transform(constants, c, work, o, has_translation, like, per_element):
    """Return the pose of a single-axis joint in the frame of its parent."""
    R00, R01, R02, R10, R11, R12, R20, R21, R22 = read_constant9(
        constants, c + JOINT_FRAME, like, per_element
    )
    t0, t1, t2 = read_constant3(constants, c + JOINT_FRAME + POSE_POSITION, like, per_element)
    q = read(work, o + POSITION, like)
    joint_angle = q
    if has_translation:
        angle = read_constant(constants, c + SCREW_RATES, like, per_element)
        distance = read_constant(constants, c + SCREW_RATES + LANES, like, per_element)
        d = read_constant(constants, c + INCLUDES_POSITION, like, per_element) * (distance * q)
        joint_angle = angle * q
        t0, t1, t2 = t0 + d * R02, t1 + d * R12, t2 + d * R22
    s, cosine = sine_cosine(joint_angle)
    R00, R01 = cosine * R00 + s * R01, cosine * R01 - s * R00
    R10, R11 = cosine * R10 + s * R11, cosine * R11 - s * R10
    R20, R21 = cosine * R20 + s * R21, cosine * R21 - s * R20
    return (R00, R01, R02, R10, R11, R12, R20, R21, R22), (t0, t1, t2)


@jit_fma_inline
def read_pose(work, h, like):
    """Read a rotation and a position."""
    return read9(work, h + POSE, like), read3(work, h + POSE + POSE_POSITION, like)


@jit_fma_inline
def write_pose(work, h, pose):
    """Write a rotation and a position."""
    R, p = pose
    write9(work, h + POSE, *R)
    write3(work, h + POSE + POSE_POSITION, *p)


@jit_fma_inline
def spring_force(constants, c, work, o, like, per_element):
    """Return the force of the joint's spring and damper."""
    stiffness, damping, reference = read_constant3(constants, c + SPRING, like, per_element)
    q, v = read(work, o + POSITION, like), read(work, o + RATE, like)
    return stiffness * (q - reference) + damping * v


@jit_fma_inline
def write_world_pose(work, h, p, pose, like):
    """Write the pose in the world, from the pose in the parent's frame."""
    R, (p0, p1, p2) = read_pose(work, p, like)
    R00, R01, R02, R10, R11, R12, R20, R21, R22 = R
    L, (t0, t1, t2) = pose
    p0, p1, p2 = (
        p0 + R00 * t0 + R01 * t1 + R02 * t2,
        p1 + R10 * t0 + R11 * t1 + R12 * t2,
        p2 + R20 * t0 + R21 * t1 + R22 * t2,
    )
    # The cross product of two columns would be cheaper as third column, but doubles errors from link to link.
    world_pose = matmul3(R, L), (p0, p1, p2)
    write_pose(work, h, world_pose)
    return world_pose


@jit_fma_inline
def propagate_motion(work, h, p, u0, u1, u2, u3, u4, u5, like):
    """Write twist and acceleration from those of the parent and the joint twist u, constant in its frame."""
    v0, v1, v2, v3, v4, v5 = read6(work, p + TWIST, like)
    b0, b1, b2, b3, b4, b5 = read6(work, p + ACCELERATION, like)
    c0, c1, c2, c3, c4, c5 = motion_cross(v0, v1, v2, v3, v4, v5, u0, u1, u2, u3, u4, u5)
    write6(work, h + TWIST, v0 + u0, v1 + u1, v2 + u2, v3 + u3, v4 + u4, v5 + u5)
    write6(work, h + ACCELERATION, b0 + c0, b1 + c1, b2 + c2, b3 + c3, b4 + c4, b5 + c5)


@jit_fma_inline
def propagate_axis_motion(constants, c, work, o, h, p, pose, has_translation, prescribed, like):
    """Write pose, column, twist and acceleration of a single-axis joint."""
    R, (p0, p1, p2) = write_world_pose(work, h, p, pose, like)
    z0, z1, z2 = R[2], R[5], R[8]
    w0, w1, w2 = z0, z1, z2
    s0, s1, s2 = cross(p0, p1, p2, z0, z1, z2)
    if has_translation:
        angle = read_constant(constants, c + SCREW_RATES, like, False)
        distance = read_constant(constants, c + SCREW_RATES + LANES, like, False)
        w0, w1, w2 = angle * z0, angle * z1, angle * z2
        s0, s1, s2 = angle * s0 + distance * z0, angle * s1 + distance * z1, angle * s2 + distance * z2
    write6(work, o + COLUMN, w0, w1, w2, s0, s1, s2)
    q = read(work, o + RATE, like)
    v0, v1, v2, v3, v4, v5 = read6(work, p + TWIST, like)
    a0, a1, a2, a3, a4, a5 = read6(work, p + ACCELERATION, like)
    c0, c1, c2, c3, c4, c5 = motion_cross(v0, v1, v2, v3, v4, v5, w0, w1, w2, s0, s1, s2)
    write6(work, h + TWIST, v0 + w0 * q, v1 + w1 * q, v2 + w2 * q, v3 + s0 * q, v4 + s1 * q, v5 + s2 * q)
    a0, a1, a2, a3, a4, a5 = a0 + c0 * q, a1 + c1 * q, a2 + c2 * q, a3 + c3 * q, a4 + c4 * q, a5 + c5 * q
    if prescribed:
        f = read(work, o + FORCE, like)
        a0, a1, a2, a3, a4, a5 = a0 + w0 * f, a1 + w1 * f, a2 + w2 * f, a3 + s0 * f, a4 + s1 * f, a5 + s2 * f
    write6(work, h + ACCELERATION, a0, a1, a2, a3, a4, a5)


@jit_fma_inline
def inertia_and_wrench(constants, c, work, h, like, per_element):
    """Return the body's inertia about the origin, and the wrench of its motion and acceleration.

    Sums are written term by term, so that each term is one instruction.
    """
    m = read_constant(constants, c + MASS, like, per_element)
    c0, c1, c2 = read_constant3(constants, c + CENTER_OF_MASS, like, per_element)
    least = read_constant(constants, c + CENTRAL_INERTIA, like, per_element)
    x0, x1, x2 = read_constant3(constants, c + CENTRAL_INERTIA + LANES, like, per_element)
    y0, y1, y2 = read_constant3(constants, c + CENTRAL_INERTIA + LANES + THREE_LANES, like, per_element)
    R = read9(work, h + POSE, like)
    R00, R01, R02, R10, R11, R12, R20, R21, R22 = R
    p0, p1, p2 = read3(work, h + POSE + POSE_POSITION, like)
    w0, w1, w2, u0, u1, u2 = read6(work, h + TWIST, like)
    a0, a1, a2, b0, b1, b2 = read6(work, h + ACCELERATION, like)
    c0, c1, c2 = (
        p0 + R00 * c0 + R01 * c1 + R02 * c2,
        p1 + R10 * c0 + R11 * c1 + R12 * c2,
        p2 + R20 * c0 + R21 * c1 + R22 * c2,
    )
    x0, x1, x2 = matvec3(R, x0, x1, x2)
    y0, y1, y2 = matvec3(R, y0, y1, y2)
    J00, J01, J02 = least + x0 * x0 + y0 * y0, x0 * x1 + y0 * y1, x0 * x2 + y0 * y2
    J11, J12, J22 = least + x1 * x1 + y1 * y1, x1 * x2 + y1 * y2, least + x2 * x2 + y2 * y2
    # Velocity of the center of mass, and the force that accelerates it.
    u0, u1, u2 = u0 + w1 * c2 - w2 * c1, u1 + w2 * c0 - w0 * c2, u2 + w0 * c1 - w1 * c0
    f0 = m * (b0 + a1 * c2 - a2 * c1 + w1 * u2 - w2 * u1)
    f1 = m * (b1 + a2 * c0 - a0 * c2 + w2 * u0 - w0 * u2)
    f2 = m * (b2 + a0 * c1 - a1 * c0 + w0 * u1 - w1 * u0)
    L0, L1, L2 = (
        J00 * w0 + J01 * w1 + J02 * w2,
        J01 * w0 + J11 * w1 + J12 * w2,
        J02 * w0 + J12 * w1 + J22 * w2,
    )
    n0 = J00 * a0 + J01 * a1 + J02 * a2 + w1 * L2 - w2 * L1 + c1 * f2 - c2 * f1
    n1 = J01 * a0 + J11 * a1 + J12 * a2 + w2 * L0 - w0 * L2 + c2 * f0 - c0 * f2
    n2 = J02 * a0 + J12 * a1 + J22 * a2 + w0 * L1 - w1 * L0 + c0 * f1 - c1 * f0
    h0, h1, h2 = m * c0, m * c1, m * c2
    J00, J01, J02 = J00 + h1 * c1 + h2 * c2, J01 - h0 * c1, J02 - h0 * c2
    J11, J12, J22 = J11 + h0 * c0 + h2 * c2, J12 - h1 * c2, J22 + h0 * c0 + h1 * c1
    return (J00, J01, J02, J11, J12, J22, h0, h1, h2), (n0, n1, n2, f0, f1, f2)


@jit_fma_inline
def read_inertia_and_wrench(work, o, like):
    """Read an inertia about the origin with its first moment, and a wrench."""
    return read9(work, o + INERTIA, like), read6(work, o + WRENCH, like)


@jit_fma_inline
def write_inertia_and_wrench(work, o, load):
    """Write an inertia about the origin with its first moment, and a wrench."""
    inertia, wrench = load
    write9(work, o + INERTIA, *inertia)
    write6(work, o + WRENCH, *wrench)


@jit_fma_inline
def articulated_inertia(work, x, m, inertia, like):
    """Return the body's inertia plus the articulated inertia in its slot, which starts at ``x``."""
    I00, I01, I02, I11, I12, I22, h0, h1, h2 = inertia
    k0, k1, k2, k3, k4, k5 = read6(work, x, like)
    I = (I00 + k0, I01 + k1, I02 + k2, I11 + k3, I12 + k4, I22 + k5)
    k0, k1, k2, k3, k4, k5, k6, k7, k8 = read9(work, x + SLOT_H, like)
    H = (k0, k1 - h2, k2 + h1, k3 + h2, k4, k5 - h0, k6 - h1, k7 + h0, k8)
    k0, k1, k2, k3, k4, k5 = read6(work, x + SLOT_M, like)
    return I, H, (m + k0, k1, k2, m + k3, k4, m + k5)


@jit_fma_inline
def propagate_articulated_inertia(constants, c, work, o, h, x, y, shared, load, prescribed, like):
    """Add the articulated inertia and wrench of an element to the slot of its parent.

    The slot of the element starts at ``x``, that of the parent at ``y``. If it is ``shared``, it already
    holds the contributions of other children.
    """
    m = read_constant(constants, c + MASS, like, False)
    inertia, (p0, p1, p2, p3, p4, p5) = load
    k0, k1, k2, k3, k4, k5 = read6(work, x + SLOT_WRENCH, like)
    p0, p1, p2, p3, p4, p5 = p0 + k0, p1 + k1, p2 + k2, p3 + k3, p4 + k4, p5 + k5
    s = read6(work, o + COLUMN, like)
    I, H, M = articulated_inertia(work, x, m, inertia, like)
    U0, U1, U2, U3, U4, U5 = articulated_inertia_product(I, H, M, *s)
    D = dot6(s, (U0, U1, U2, U3, U4, U5)) + read_constant(constants, c + ARMATURE, like, False)
    s0, s1, s2, s3, s4, s5 = s
    force = read(work, o + FORCE, like) - s0 * p0 - s1 * p1 - s2 * p2 - s3 * p3 - s4 * p4 - s5 * p5
    i = broadcast_like(0.0, like)
    if not prescribed:
        i = 1.0 / D
        least = read_constant(constants, c + MIN_INERTIA, like, False)
        write(work, o + FORCE, select(greater(D, least), force * i, nan))
    g = (U0 * i, U1 * i, U2 * i, U3 * i, U4 * i, U5 * i)
    g0, g1, g2, g3, g4, g5 = g
    write6(work, h + GAIN, g0, g1, g2, g3, g4, g5)
    # Read again: there are too few registers to keep it, and a store would take longer.
    I, H, M = articulated_inertia(work, x, m, inertia, like)
    I, H, M = subtract_outer_product(I, H, M, (U0, U1, U2, U3, U4, U5), g)
    p0, p1, p2 = p0 + g0 * force, p1 + g1 * force, p2 + g2 * force
    p3, p4, p5 = p3 + g3 * force, p4 + g4 * force, p5 + g5 * force
    if shared:
        add6(work, y, *I)
        add9(work, y + SLOT_H, *H)
        add6(work, y + SLOT_M, *M)
        add6(work, y + SLOT_WRENCH, p0, p1, p2, p3, p4, p5)
    else:
        write6(work, y, *I)
        write9(work, y + SLOT_H, *H)
        write6(work, y + SLOT_M, *M)
        write6(work, y + SLOT_WRENCH, p0, p1, p2, p3, p4, p5)


@jit_fma_inline
def propagate_acceleration(work, o, h, parent, prescribed, like):
    """Write the acceleration of the coordinate and its contribution to the accelerations of the children."""
    a0, a1, a2, a3, a4, a5 = read6(work, parent + ACCELERATION_CHANGE, like)
    a = read(work, o + FORCE, like)
    if not prescribed:
        g = read6(work, h + GAIN, like)
        s0, s1, s2, s3, s4, s5 = read6(work, o + COLUMN, like)
        g0, g1, g2, g3, g4, g5 = g
        a = (a - g0 * a0 - g1 * a1 - g2 * a2) - (g3 * a3 + g4 * a4 + g5 * a5)
        write(work, o + FORCE, a)
        a0, a1, a2, a3, a4, a5 = a0 + s0 * a, a1 + s1 * a, a2 + s2 * a, a3 + s3 * a, a4 + s4 * a, a5 + s5 * a
    write6(work, o + ACCELERATION_CHANGE, a0, a1, a2, a3, a4, a5)
    return a


@jit_fma_inline
def propagate_wrench(work, o, parent, like):
    """Return the force on a coordinate, and add the wrench on its subtree to the parent."""
    w = read6(work, o + WRENCH, like)
    add6(work, parent + WRENCH, *w)
    return dot6(read6(work, o + COLUMN, like), w)
