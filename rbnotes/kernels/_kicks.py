"""A kick: new velocities and impulses of joints and contacts, as :mod:`rbnotes.maximal.stepping` has it."""

from collections import namedtuple

import numpy as np

from rbnotes.kernels._distance import dot, plain
from rbnotes.kernels._envelope import solved
from rbnotes.kernels._flight import applied
from rbnotes.kernels._joined import pushed, responses, speeds_along
from rbnotes.kernels._rubbing import (
    AFTER,
    BEFORE,
    IMPULSE,
    MU,
    RESTITUTION,
    carried,
    contact_rows,
    delassus,
    let_go,
    remembered,
    rubbed,
)

TOLERANCE, ITERATIONS = 1e-8, 50
"""Of the friction, by default (:func:`rbnotes.friction.newton_friction`)."""

Held = namedtuple("Held", "body_of rows moves factor first at")
"""Rows of the joints where the bodies are, their bodies, what impulses along them change, and the factor of
their system with its envelope."""


@plain
def joints_solved(held, v, target, impulses):
    """Writes the joint impulses that take velocities to the target, and adds what they change."""
    speeds_along(held.rows, held.body_of, v, impulses)
    for r in range(len(impulses)):
        impulses[r] = target[r] - impulses[r]
    solved(held.factor, held.first, held.at, impulses)
    pushed(held.moves, held.body_of, impulses, v)


@plain
def kinetic(bodies, v):
    """Energy of the motion."""
    total = 0.0
    for b in range(len(bodies.mass)):
        w, u = (v[b, 0], v[b, 1], v[b, 2]), (v[b, 3], v[b, 4], v[b, 5])
        total += (dot(w, applied(bodies.J[b], w)) + bodies.mass[b] * dot(u, u)) / 2
    return total


@plain
def kicked(bodies, held, rows, contacts, speeds, fallen, reach, target, before, old, memory, v, impulses):
    """Replaces v, the velocities with the forces, by those under joints and contacts, and writes impulses.

    Returns the residual of the friction, and whether all went well: whether friction converged, and impacts
    leave no more energy than there would be without contacts.

    Parameters
    ----------
    rows
        Those of the contacts, into which impulses and velocities are written.
    speeds
        Least normal velocities of the contacts.
    fallen
        What of their change of velocities ``(3 c,)`` comes after a bounce.
    before
        Velocities before forces and impulses.
    old, memory
        Where the impulses of the last kick were, and room for those of this one.
    """
    count = len(contacts)
    body_of, along = rows
    moves = np.empty((3 * count, 2, 6))
    responses(bodies, body_of, along, moves)
    free_motion = v.copy()
    joints_solved(held, free_motion, target, impulses)
    free = np.empty(3 * count)
    speeds_along(along, body_of, free_motion, free)
    for i in range(count):
        free[3 * i] -= speeds[i]
    W = delassus(rows, moves, held.moves, held.body_of, len(impulses) > 0, held.factor, held.first, held.at)
    let_go(W, free, rows, bodies, free_motion)
    start = carried(contacts, old, reach)
    found, left, well = rubbed(W, free, contacts[:, MU].copy(), start, TOLERANCE, ITERATIONS)
    pushed(moves, body_of, found, v)
    joints_solved(held, v, target, impulses)
    borrowed, bounces = 0.0, False
    for i in range(count):
        if speeds[i] > 0 and contacts[i, RESTITUTION] > 0:
            bounces = True
            for k in range(3 * i, 3 * i + 3):
                borrowed -= found[k] * fallen[k]
    if bounces:
        well = well and kinetic(bodies, v) + borrowed <= kinetic(bodies, free_motion) * (1 + 1e-12)
    velocities_written(contacts, rows, before, BEFORE)
    velocities_written(contacts, rows, v, AFTER)
    for i in range(count):
        for k in range(3):
            contacts[i, IMPULSE + k] = found[3 * i + k]
    remembered(contacts, memory)
    return left, well


@plain
def falling(rows, bodies, fall):
    """Velocities along the rows of contacts that come of the same change for all centres."""
    changes, along = np.zeros((len(bodies.mass) + 1, 6)), np.empty(len(rows.along))
    for b in range(len(bodies.mass)):
        for k in range(3):
            changes[b, 3 + k] = fall[k]
    speeds_along(rows.along, rows.body_of, changes, along)
    return along


@plain
def velocities_written(contacts, rows, v, at):
    """Writes velocities along the rows of the contacts."""
    along = np.empty(3 * len(contacts))
    speeds_along(rows.along, rows.body_of, v, along)
    for i in range(len(contacts)):
        for k in range(3):
            contacts[i, at + k] = along[3 * i + k]
