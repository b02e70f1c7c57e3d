"""Joints between bodies: errors, rows, and the systems for their impulses.

Bodies move by velocities ``(6,)``: the spin in the body's own frame, and the velocity of its centre of mass
in the world. The world is the last body; it has no velocity, and nothing moves it. A row has two blocks, one
for each body; all joints are of kinds whose rows do not turn (:mod:`rbnotes.multibody.maximal.joint_kinematics`).
"""

import math
from collections import namedtuple

from rbnotes.compiled.collision.distance import (
    add_scaled,
    column,
    cross,
    dot,
    jit_noalloc,
    scale,
    subtract,
)
from rbnotes.compiled.record_layout import AXIS_ROTATION, FREE_ROTATION
from rbnotes.compiled.simulation.free_motion import matvec, matvec_transposed

Bodies = namedtuple("Bodies", "mass J lightness J_inverse com")
"""Masses ``(n,)``, inertias about the centres of mass ``(n, 3, 3)``, their inverses and the world's, which
are zero; and the centres in the bodies' frames ``(n, 3)``."""

Joints = namedtuple(
    "Joints",
    "body parent begin turns axis rows frame place parent_frame parent_place couples body_of first at",
)
"""Of each joint its bodies, its first row (and behind them the number of rows), the rotations that it leaves
(:data:`~rbnotes.compiled.record_layout.ROTATION_KINDS`) and their axis; rows ``(m, 6)`` in the joint's frame; both frames and
their origins, seen from the centres of mass; pairs of joints ``(p, 4)`` that share a body, which counts as
the first or the second one of each; of each row its bodies ``(m, 2)``; and the envelope of their system."""


@jit_noalloc
def joint_origins(joints, R, x, i):
    """Where joint i has its origin, from the centres of body and parent; and the parent its own one."""
    b, p = joints.body[i], joints.parent[i]
    arm = matvec(R[b], joints.place[i])
    own = add_scaled((x[b, 0], x[b, 1], x[b, 2]), 1.0, arm)
    centre = (x[p, 0], x[p, 1], x[p, 2])
    return arm, subtract(own, centre), matvec(R[p], joints.parent_place[i])


@jit_noalloc
def joint_errors(joints, R, x, out):
    """Writes by how much the joints are apart; false where that is by a quarter turn or more."""
    for i in range(len(joints.body)):
        b, p = joints.body[i], joints.parent[i]
        _, from_parent, place = joint_origins(joints, R, x, i)
        # Axes of the body's joint frame, and the place of its origin, in the joint frame of the parent.
        F, P = joints.frame[i], joints.parent_frame[i]
        turn0 = matvec_transposed(P, matvec_transposed(R[p], matvec(R[b], column(F, 0))))
        turn1 = matvec_transposed(P, matvec_transposed(R[p], matvec(R[b], column(F, 1))))
        turn2 = matvec_transposed(P, matvec_transposed(R[p], matvec(R[b], column(F, 2))))
        displacement = matvec_transposed(P, matvec_transposed(R[p], subtract(from_parent, place)))
        doubled_axis = (
            turn1[2] - turn2[1],
            turn2[0] - turn0[2],
            turn0[1] - turn1[0],
        )  # of the axis, by the sine
        if joints.turns[i] == FREE_ROTATION:
            displacement = (dot(turn0, displacement), dot(turn1, displacement), dot(turn2, displacement))
            rotation_vector = (0.0, 0.0, 0.0)
        else:
            if joints.turns[i] == AXIS_ROTATION:
                # The nearest rotation about the axis, taken back.
                a = (joints.axis[i, 0], joints.axis[i, 1], joints.axis[i, 2])
                rotated_axis = add_scaled(add_scaled(scale(a[0], turn0), a[1], turn1), a[2], turn2)
                sine = dot(a, doubled_axis)
                cosine = turn0[0] + turn1[1] + turn2[2] - dot(a, rotated_axis)
                size = math.sqrt(sine * sine + cosine * cosine)
                if not size > 0:
                    return False
                sine, cosine = -sine / size, cosine / size
                turn0 = rotate_about_axis(a, cosine, sine, turn0)
                turn1 = rotate_about_axis(a, cosine, sine, turn1)
                turn2 = rotate_about_axis(a, cosine, sine, turn2)
                displacement = rotate_about_axis(a, cosine, sine, displacement)
                doubled_axis = (turn1[2] - turn2[1], turn2[0] - turn0[2], turn0[1] - turn1[0])
            trace = turn0[0] + turn1[1] + turn2[2]
            if not trace > 1:
                return False
            # The rotation vector, from the quaternion.
            scalar = math.sqrt(1 + trace) / 2
            half = scale(1 / (4 * scalar), doubled_axis)
            sine = math.sqrt(dot(half, half))
            rotation_vector = scale(2 * math.atan2(sine, scalar) / sine if sine > 0 else 2.0, half)
        for r in range(joints.begin[i], joints.begin[i + 1]):
            row = joints.rows[r]
            out[r] = (
                dot(row, rotation_vector)
                + row[3] * displacement[0]
                + row[4] * displacement[1]
                + row[5] * displacement[2]
            )
    return True


@jit_noalloc
def rotate_about_axis(a, cosine, sine, x):
    """A vector turned about an axis."""
    return add_scaled(add_scaled(scale(cosine, x), sine, cross(a, x)), (1 - cosine) * dot(a, x), a)


@jit_noalloc
def joint_jacobian(joints, R, x, G):
    """Writes the rows ``(m, 2, 6)``: times the velocity of the body, and times that of the parent."""
    for i in range(len(joints.body)):
        b, p = joints.body[i], joints.parent[i]
        _, from_parent, _ = joint_origins(joints, R, x, i)
        s = (joints.place[i, 0], joints.place[i, 1], joints.place[i, 2])
        for r in range(joints.begin[i], joints.begin[i + 1]):
            row = joints.rows[r]
            moment = matvec(joints.frame[i], row)
            force = matvec(joints.frame[i], (row[3], row[4], row[5]))
            write_block(G, r, 0, add_scaled(moment, 1.0, cross(s, force)), 1.0, matvec(R[b], force))
            force = matvec(R[b], force)
            moment = add_scaled(matvec(R[b], moment), 1.0, cross(from_parent, force))
            write_block(G, r, 1, scale(-1.0, matvec_transposed(R[p], moment)), -1.0, force)


@jit_noalloc
def write_block(G, r, side, moment, sign, force):
    """Writes one block of a row."""
    G[r, side, 0], G[r, side, 1], G[r, side, 2] = moment
    G[r, side, 3], G[r, side, 4], G[r, side, 5] = sign * force[0], sign * force[1], sign * force[2]


@jit_noalloc
def impulse_responses(bodies, row_bodies, rows, out):
    """Writes what impulses along rows ``(m, 2, 6)`` change of the velocities; of each row its two bodies."""
    for r in range(len(rows)):
        for side in range(2):
            b, row = row_bodies[r, side], rows[r, side]
            angular_change = matvec(bodies.J_inverse[b], row)
            for k in range(3):
                out[r, side, k] = angular_change[k]
                out[r, side, 3 + k] = bodies.lightness[b] * row[3 + k]


@jit_noalloc
def dot6(x, y):
    """The product of two blocks."""
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2] + x[3] * y[3] + x[4] * y[4] + x[5] * y[5]


@jit_noalloc
def constraint_velocities(rows, row_bodies, v, out):
    """Writes velocities along rows ``(m, 2, 6)``."""
    for r in range(len(rows)):
        out[r] = dot6(rows[r, 0], v[row_bodies[r, 0]]) + dot6(rows[r, 1], v[row_bodies[r, 1]])


@jit_noalloc
def add_impulses(responses, row_bodies, impulses, v):
    """Adds to velocities what impulses along rows change."""
    for r in range(len(responses)):
        for side in range(2):
            b = row_bodies[r, side]
            for k in range(6):
                v[b, k] += impulses[r] * responses[r, side, k]


@jit_noalloc
def assemble_joint_system(joints, G, responses, S):
    """Writes ``G M^-1 G^T`` within its envelope."""
    for r in range(len(S)):
        S[r] = 0.0
    for n in range(len(joints.couples)):
        i, j, side, other = joints.couples[n]
        for r in range(joints.begin[i], joints.begin[i + 1]):
            for c in range(joints.begin[j], min(joints.begin[j + 1], r + 1)):
                S[joints.at[r] + c] += dot6(G[r, side], responses[c, other])


@jit_noalloc
def assemble_error_derivative(joints, G, responses, D, h, displaced_responses, lower, upper):
    """Writes how errors at the end of the flight change with impulses at its start, within the envelope.

    G are the rows at the end; ``responses`` the responses at the start, which displace bodies by D; ``displaced_responses``, as
    large as those, is room.
    """
    for r in range(len(lower)):
        lower[r], upper[r] = 0.0, 0.0
    for r in range(len(responses)):
        for side in range(2):
            displacement = matvec(D[joints.row_bodies[r, side]], responses[r, side])
            for k in range(3):
                displaced_responses[r, side, k] = displacement[k]
                displaced_responses[r, side, 3 + k] = h * responses[r, side, 3 + k]
    for n in range(len(joints.couples)):
        i, j, side, other = joints.couples[n]
        for r in range(joints.begin[i], joints.begin[i + 1]):
            for c in range(joints.begin[j], joints.begin[j + 1]):
                if c < r:
                    lower[joints.at[r] + c] += dot6(G[r, side], displaced_responses[c, other])
                    if i != j:
                        upper[joints.at[r] + c] += dot6(G[c, other], displaced_responses[r, side])
                else:
                    upper[joints.at[c] + r] += dot6(G[r, side], displaced_responses[c, other])


@jit_noalloc
def free_constraint_accelerations(bodies, joints, R, x, v, out):
    """Writes how the velocities along the rows change while the bodies move freely."""
    for i in range(len(joints.body)):
        b, p = joints.body[i], joints.parent[i]
        arm, from_parent, _ = joint_origins(joints, R, x, i)
        spin, angular_acceleration = angular_motion(bodies, R, v, b)
        spin_p, angular_acceleration_p = angular_motion(bodies, R, v, p)
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
        F = joints.frame[i]
        relative_rotation = matvec_transposed(F, matvec_transposed(R[b], relative_rotation))
        relative_acceleration = matvec_transposed(F, matvec_transposed(R[b], relative_acceleration))
        for r in range(joints.begin[i], joints.begin[i + 1]):
            row = joints.rows[r]
            out[r] = (
                dot(row, relative_rotation)
                + row[3] * relative_acceleration[0]
                + row[4] * relative_acceleration[1]
                + row[5] * relative_acceleration[2]
            )


@jit_noalloc
def angular_motion(bodies, R, v, b):
    """Angular velocity of a body in the world, and its rate if nothing pushes."""
    w = (v[b, 0], v[b, 1], v[b, 2])
    if b == len(bodies.mass):
        return w, w
    angular_acceleration = matvec(bodies.J_inverse[b], cross(matvec(bodies.J[b], w), w))
    return matvec(R[b], w), matvec(R[b], angular_acceleration)
