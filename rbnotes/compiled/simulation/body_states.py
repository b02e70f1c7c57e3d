"""Conversion between poses and twists of body frames and the states of the centers of mass."""

from rbnotes.compiled.decorators import jit_noalloc
from rbnotes.compiled.linear_algebra import add_scaled, cross, matvec, matvec_transposed, norm, subtract


@jit_noalloc
def read_body_states(bodies, motion, state):
    """Write orientations, positions and velocities of the bodies; the last row is the world."""
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
    """Write angular velocities and velocities of the centers of mass."""
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
