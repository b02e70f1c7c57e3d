"""From poses and twists of bodies' frames to centres of mass and their velocities, and back."""

from rbnotes.kernels._distance import bare, cross, length, less, plus
from rbnotes.kernels._flight import applied, applied_back


@bare
def read_bodies(bodies, motion, place):
    """Writes orientations, places, and velocities; behind those of the bodies stands the world, at rest."""
    count, R = len(bodies.mass), place.R
    for i in range(3):
        place.p[count, i], place.x[count, i] = 0.0, 0.0
        place.v[count, i], place.v[count, 3 + i] = 0.0, 0.0
        for j in range(3):
            R[count, i, j] = 1.0 if i == j else 0.0
    for b in range(count):
        for i in range(3):
            for j in range(3):
                R[b, i, j] = motion[b, 4 * i + j]
        arm = applied(R[b], bodies.com[b])
        for i in range(3):
            place.p[b, i] = motion[b, 4 * i + 3]
            place.x[b, i] = place.p[b, i] + arm[i]
    read_velocities(bodies, motion, place)


@bare
def read_velocities(bodies, motion, place):
    """Writes spins and velocities of centres."""
    for b in range(len(bodies.mass)):
        w, c, v = (motion[b, 16], motion[b, 17], motion[b, 18]), bodies.com[b], place.v[b]
        v[0], v[1], v[2] = w
        u = plus((motion[b, 19], motion[b, 20], motion[b, 21]), 1.0, cross(w, c))
        v[3], v[4], v[5] = applied(place.R[b], u)


@bare
def written_motion(bodies, place, motion):
    """Writes poses and twists of the bodies' frames."""
    for b in range(len(bodies.mass)):
        for i in range(3):
            for j in range(3):
                motion[b, 4 * i + j] = place.R[b, i, j]
            motion[b, 4 * i + 3], motion[b, 12 + i] = place.p[b, i], 0.0
        motion[b, 15] = 1.0
        w, v = twist(bodies, place, b)
        motion[b, 16], motion[b, 17], motion[b, 18] = w
        motion[b, 19], motion[b, 20], motion[b, 21] = v


@bare
def written_poses(place, E):
    """Writes the poses of the bodies' frames and of the world."""
    for b in range(len(E)):
        for i in range(3):
            for j in range(3):
                E[b, i, j] = place.R[b, i, j]
            E[b, i, 3], E[b, 3, i] = place.p[b, i], 0.0
        E[b, 3, 3] = 1.0


@bare
def twist(bodies, place, b):
    """Both halves of the twist of a body's frame."""
    v = place.v[b]
    w = (v[0], v[1], v[2])
    return w, less(applied_back(place.R[b], (v[3], v[4], v[5])), cross(w, bodies.com[b]))


@bare
def reach_of(bodies, sizes, h, gravity, place):
    """How far apart bodies may be that close a gap in the step, as :func:`rbnotes.contact.nearby.reach`."""
    fastest = 0.0
    for b in range(len(bodies.mass)):
        w, v = twist(bodies, place, b)
        fastest = max(fastest, length(v) + length(w) * sizes[b])
    return 2 * h * (fastest + h * length(gravity))
