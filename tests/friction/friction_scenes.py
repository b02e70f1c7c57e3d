"""Contact problems with closed-form solutions, and random ones."""

import numpy as np

from rbnotes.contact import Contacts, contact_axes
from rbnotes.dynamics import BilateralRows, StepProblem

GRAVITY = 9.81


def particle(impulse, mass=1.0, mu=0.5, tangents=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)), normal=(0.0, 0.0, 1.0)):
    """Return a particle on a plane at the origin, with momentum ``impulse``."""
    contacts = Contacts([[normal, *tangents]], [mu])
    return StepProblem(mass * np.eye(3), impulse, contacts=contacts)


def incline(angle, mu, mass=2.0, heading=0.0):
    """Return the forces on a particle on a slope: weight as momentum, so that velocities are accelerations.

    ``heading`` turns the first tangent away from the line of steepest descent.
    """
    normal = np.array([np.sin(angle), 0.0, np.cos(angle)])
    down, across = np.array([np.cos(angle), 0.0, -np.sin(angle)]), np.array([0.0, 1.0, 0.0])
    first = np.cos(heading) * down + np.sin(heading) * across
    second = np.cross(normal, first)
    return particle([0, 0, -mass * GRAVITY], mass, mu, (first, second), normal), down


def heap(rng, bodies=4, contacts=7, equations=0, mu=(0.1, 0.9), ratio=1.0):
    """Return bodies of unequal inertia that touch in random points and move into each other.

    Each is on average ``ratio`` times as heavy as the one before.
    """
    size = 6 * bodies
    inertia = np.zeros((size, size))
    for body in range(bodies):
        A = rng.normal(size=(6, 6))
        block = slice(6 * body, 6 * body + 6)
        inertia[block, block] = ratio**body * (A @ A.T + np.diag(rng.uniform(0.5, 3.0, 6)))
    normals = rng.normal(size=(contacts, 3))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    directions = contact_axes(normals)
    rows = np.zeros((contacts, 3, size))
    for i in range(contacts):
        first = int(rng.integers(bodies))
        for body, sign in ((first, 1.0), ((first + 1) % bodies, -1.0)):
            if body or sign > 0:  # some of them touch the world
                arm = rng.normal(size=3)
                moments = np.cross(arm, directions[i])
                rows[i, :, 6 * body : 6 * body + 6] = sign * np.hstack([moments, directions[i]])
    equations = BilateralRows(rng.normal(size=(equations, size))) if equations else BilateralRows()
    momentum = inertia @ rng.normal(size=size)
    contacts = Contacts(rows, rng.uniform(*mu, contacts))
    return StepProblem(inertia, momentum, equations, contacts=contacts)


def stack(boxes, ratio, mu=0.5, speed=1.0):
    """Return cubes on top of each other, four contacts each; each ``ratio`` times as heavy as the one below.

    They slide and spin, and gravity has acted for 0.01 s.
    """
    size = 6 * boxes
    masses = ratio ** np.arange(boxes)
    inertia = np.diag(np.concatenate([[mass / 6] * 3 + [mass] * 3 for mass in masses]))
    frame = np.array([[0, 0, 1.0], [1.0, 0, 0], [0, 1.0, 0]])
    rows = []
    for box in range(boxes):
        for corner in np.array([[0.5, 0.5], [0.5, -0.5], [-0.5, 0.5], [-0.5, -0.5]]):
            row = np.zeros((3, size))
            bottom, top = np.append(corner, -0.5), np.append(corner, 0.5)
            row[:, 6 * box : 6 * box + 6] = np.hstack([np.cross(bottom, frame), frame])
            if box:
                row[:, 6 * box - 6 : 6 * box] = -np.hstack([np.cross(top, frame), frame])
            rows.append(row)
    v = np.tile([0, 0, 0.3 * speed, speed, 0.3 * speed, -0.01 * GRAVITY], boxes)
    return StepProblem(inertia, inertia @ v, contacts=Contacts(rows, mu))
