"""Conversion between poses and twists of body frames and the states of the centers of mass."""

import math

from rbnotes.compiled.decorators import jit_noalloc
from rbnotes.compiled.linear_algebra import (
    add_scaled,
    cross,
    dot,
    matvec,
    matvec_transposed,
    norm,
    set_row,
    subtract,
)


@jit_noalloc
def read_body_states(bodies, motion, state):
    """Write orientations, positions and velocities of the bodies; the last row is the world.

    Columns 0 to 15 of `motion` are the poses, those from 16 the twists in the body frames.
    """
    count, R = len(bodies.mass), state.R
    for i in range(3):
        state.p[count, i], state.center[count, i] = 0.0, 0.0
        state.v[count, i], state.v[count, 3 + i] = 0.0, 0.0
        for j in range(3):
            R[count, i, j] = 1.0 if i == j else 0.0
    for b in range(count):
        for i in range(3):
            for j in range(3):
                R[b, i, j] = motion[b, 4 * i + j]
        arm = matvec(R[b], bodies.com[b])
        for i in range(3):
            state.p[b, i] = motion[b, 4 * i + 3]
            state.center[b, i] = state.p[b, i] + arm[i]
    read_velocities(bodies, motion, state)


@jit_noalloc
def read_velocities(bodies, motion, state):
    """Write angular velocities in body frames, and velocities of the centers of mass in the world.

    Columns 16 to 21 of `motion` are the twists in the body frames.
    """
    for b in range(len(bodies.mass)):
        w, c, v = (motion[b, 16], motion[b, 17], motion[b, 18]), bodies.com[b], state.v[b]
        v[0], v[1], v[2] = w
        u = add_scaled((motion[b, 19], motion[b, 20], motion[b, 21]), 1.0, cross(w, c))
        v[3], v[4], v[5] = matvec(state.R[b], u)


@jit_noalloc
def write_motion(bodies, state, motion):
    """Write poses and twists of the body frames."""
    for b in range(len(bodies.mass)):
        for i in range(3):
            for j in range(3):
                motion[b, 4 * i + j] = state.R[b, i, j]
            motion[b, 4 * i + 3], motion[b, 12 + i] = state.p[b, i], 0.0
        motion[b, 15] = 1.0
        w, v = body_twist(bodies, state, b)
        motion[b, 16], motion[b, 17], motion[b, 18] = w
        motion[b, 19], motion[b, 20], motion[b, 21] = v


@jit_noalloc
def displace_bodies(bodies, displacements, state):
    """Displace the bodies by the exponentials of twists of their frames; these keep their twists.

    The displacements ``(n + 1, 6)`` are rotation vectors in body frames, and displacements of the centers of
    mass in the world.
    """
    for b in range(len(bodies.mass)):
        R, c, v = state.R[b], bodies.com[b], state.v[b]
        w = (displacements[b, 0], displacements[b, 1], displacements[b, 2])
        u = matvec_transposed(R, (displacements[b, 3], displacements[b, 4], displacements[b, 5]))
        u, square = subtract(u, cross(w, c)), dot(w, w)
        angle = math.sqrt(square)
        # 1 + c1 [w] + c2 [w]^2, and its integral 1 + c2 [w] + c3 [w]^2; neglected terms are below rounding
        c1, c2 = math.sin(angle) / angle if angle > 0 else 1.0, 0.5
        c3 = (1 - square / 20 * (1 - square / 42 * (1 - square / 72 * (1 - square / 110)))) / 6
        if angle > 0:
            c2 = 2 * (math.sin(angle / 2) / angle) ** 2
        if angle > 0.1:
            c3 = (angle - math.sin(angle)) / (angle * square)
        once = cross(w, u)
        shift = add_scaled(add_scaled(u, c2, once), c3, cross(w, once))
        shift, velocity = matvec(R, shift), matvec_transposed(R, (v[3], v[4], v[5]))
        for i in range(3):
            state.p[b, i] += shift[i]
            row = (R[i, 0], R[i, 1], R[i, 2])
            once = cross(row, w)  # a row of R [w]
            set_row(R, i, add_scaled(add_scaled(row, c1, once), c2, cross(once, w)))
        arm, velocity = matvec(R, c), matvec(R, velocity)
        for i in range(3):
            state.center[b, i], v[3 + i] = state.p[b, i] + arm[i], velocity[i]


@jit_noalloc
def write_poses(state, E):
    """Write the poses of the body frames and of the world."""
    for b in range(len(E)):
        for i in range(3):
            for j in range(3):
                E[b, i, j] = state.R[b, i, j]
            E[b, i, 3], E[b, 3, i] = state.p[b, i], 0.0
        E[b, 3, 3] = 1.0


@jit_noalloc
def body_twist(bodies, state, b):
    """Return the angular and the linear half of the twist of a body frame."""
    v = state.v[b]
    w = (v[0], v[1], v[2])
    return w, subtract(matvec_transposed(state.R[b], (v[3], v[4], v[5])), cross(w, bodies.com[b]))


@jit_noalloc
def contact_margin(bodies, sizes, h, gravity, state):
    """Return the largest gap that can close in a step (:func:`rbnotes.contact.prediction.contact_margin`)."""
    fastest = 0.0
    for b in range(len(bodies.mass)):
        w, v = body_twist(bodies, state, b)
        fastest = max(fastest, norm(v) + norm(w) * sizes[b])
    return 2 * h * (fastest + h * norm(gravity))
