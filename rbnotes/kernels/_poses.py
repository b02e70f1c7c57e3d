"""From poses and twists of bodies' frames to centres of mass and their velocities, and back."""

import math

from rbnotes.kernels._distance import cross, less, plain, plus
from rbnotes.kernels._flight import applied, applied_back


@plain
def read_bodies(bodies, E, phi, place):
    """Writes orientations, places and velocities; behind those of the bodies stands the world, at rest."""
    count, R = len(bodies.mass), place.R
    R[count], place.p[count], place.x[count], place.v[count] = 0.0, 0.0, 0.0, 0.0
    for i in range(3):
        R[count, i, i] = 1.0
    for b in range(count):
        for i in range(3):
            for j in range(3):
                R[b, i, j] = E[b, i, j]
        arm = applied(R[b], bodies.com[b])
        for i in range(3):
            place.p[b, i] = E[b, i, 3]
            place.x[b, i] = E[b, i, 3] + arm[i]
    read_velocities(bodies, phi, R, place.v)


@plain
def read_velocities(bodies, phi, R, v):
    """Writes spins and velocities of centres."""
    for b in range(len(bodies.mass)):
        w, c = (phi[b, 0], phi[b, 1], phi[b, 2]), bodies.com[b]
        v[b, 0], v[b, 1], v[b, 2] = w
        u = plus((phi[b, 3], phi[b, 4], phi[b, 5]), 1.0, cross(w, c))
        v[b, 3], v[b, 4], v[b, 5] = applied(R[b], u)


@plain
def written_poses(place, E):
    """Writes the poses of the bodies' frames, and of the world if there is room for it."""
    for b in range(len(E)):
        for i in range(3):
            for j in range(3):
                E[b, i, j] = place.R[b, i, j]
            E[b, i, 3], E[b, 3, i] = place.p[b, i], 0.0
        E[b, 3, 3] = 1.0


@plain
def written_twists(bodies, R, v, phi):
    """Writes the twists of the bodies' frames."""
    for b in range(len(bodies.mass)):
        w, c = (v[b, 0], v[b, 1], v[b, 2]), bodies.com[b]
        phi[b, 0], phi[b, 1], phi[b, 2] = w
        phi[b, 3], phi[b, 4], phi[b, 5] = less(applied_back(R[b], (v[b, 3], v[b, 4], v[b, 5])), cross(w, c))


@plain
def reach_of(bodies, sizes, h, gravity, R, v):
    """How far apart bodies may be that close a gap in the step, as :func:`rbnotes.contact.nearby.reach`."""
    fastest = 0.0
    for b in range(len(bodies.mass)):
        w, c = (v[b, 0], v[b, 1], v[b, 2]), bodies.com[b]
        u = less(applied_back(R[b], (v[b, 3], v[b, 4], v[b, 5])), cross(w, c))
        spin = math.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
        fastest = max(fastest, math.sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) + spin * sizes[b])
    pull = math.sqrt(gravity[0] * gravity[0] + gravity[1] * gravity[1] + gravity[2] * gravity[2])
    return 2 * h * (fastest + h * pull)
