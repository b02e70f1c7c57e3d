"""A kick: new velocities and impulses of joints and contacts, as :mod:`rbnotes.maximal.stepping` has it."""

from collections import namedtuple

import numpy as np

from rbnotes.kernels._distance import bare, dot, length, plain
from rbnotes.kernels._envelope import solved
from rbnotes.kernels._flight import applied
from rbnotes.kernels._friction import copy
from rbnotes.kernels._joined import pushed, responses, six, speeds_along
from rbnotes.kernels._rubbing import carried, contact_rows, delassus, let_go, remembered, rubbed
from rbnotes.kernels._tables import AFTER, BEFORE, GAP, IMPULSE, MU, RESTITUTION

TOLERANCE, ITERATIONS = 1e-8, np.int64(50)
"""Of the friction, by default (:func:`rbnotes.friction.newton_friction`). Of a literal number there would be
a compiled copy of its own."""

Plan = namedtuple("Plan", "h gravity slop reach push")
"""Of all steps: size, gravity, overlap that is left alone, and how far a contact moves; and of a kick the
velocities ``(n + 1, 6)`` that applied forces give."""

Held = namedtuple("Held", "rows moves factor")
"""Rows of the joints where the bodies are, what impulses along them change, the factor of their system."""

Place = namedtuple("Place", "R p x v apart held")
"""Orientations, origins of the bodies' frames, centres of mass, velocities, errors of the joints and what
their impulses do."""


@bare
def joints_solved(joints, held, v, target, impulses):
    """Writes the joint impulses that take velocities to the target, and adds what they change."""
    speeds_along(held.rows, joints.body_of, v, impulses)
    for r in range(len(impulses)):
        impulses[r] = target[r] - impulses[r]
    solved(held.factor, joints.first, joints.at, impulses)
    pushed(held.moves, joints.body_of, impulses, v)


@bare
def kinetic(bodies, v):
    """Energy of the motion."""
    total = 0.0
    for b in range(len(bodies.mass)):
        w, u = (v[b, 0], v[b, 1], v[b, 2]), (v[b, 3], v[b, 4], v[b, 5])
        total += (dot(w, applied(bodies.J[b], w)) + bodies.mass[b] * dot(u, u)) / 2
    return total


@plain
def kicked(bodies, joints, place, plan, contacts, bounces_at, target, before, old, memory, v, impulses):
    """Replaces v, the velocities with the forces, by those under joints and contacts, and writes impulses.

    Returns the residual of the friction, and whether all went well: whether friction converged, and impacts
    leave no more energy than there would be without contacts.

    Parameters
    ----------
    bounces_at
        Contacts that approach faster than this velocity, below zero, bounce, where a step starts; where it
        ends those that would are left out.
    before
        Velocities before forces and impulses.
    old, memory
        Where the impulses of the last kick were, and room for those of this one.
    """
    count, held = len(contacts), place.held
    rows = contact_rows(contacts, place.R, place.x)
    body_of, along = rows
    moves, speeds, fallen = np.empty((3 * count, 2, 6)), np.empty(count), np.zeros(3 * count)
    responses(bodies, body_of, along, moves)
    velocities_written(contacts, rows, before, BEFORE)
    falling(bodies, rows, plan, fallen)
    least_speeds(contacts, plan, bounces_at, fallen, speeds)
    free_motion, mu = np.empty((len(v), 6)), np.empty(count)
    for b in range(len(v)):
        copy(v[b], free_motion[b])
    joints_solved(joints, held, free_motion, target, impulses)
    free = np.empty(3 * count)
    speeds_along(along, body_of, free_motion, free)
    for i in range(count):
        free[3 * i] -= speeds[i]
        mu[i] = contacts[i, MU]
    W = delassus(rows, moves, joints, held)
    let_go(W, free, rows, bodies, v, free_motion)
    start = carried(contacts, old, plan.reach)
    found, left, well = rubbed(W, free, mu, start, TOLERANCE, ITERATIONS)
    pushed(moves, body_of, found, v)
    joints_solved(joints, held, v, target, impulses)
    borrowed, bounces = 0.0, False
    for i in range(count):
        if speeds[i] > 0 and contacts[i, RESTITUTION] > 0:
            bounces = True
            for k in range(3 * i, 3 * i + 3):
                borrowed -= found[k] * fallen[k]
    if bounces:
        well = well and kinetic(bodies, v) + borrowed <= kinetic(bodies, free_motion) * (1 + 1e-12)
    velocities_written(contacts, rows, v, AFTER)
    for i in range(count):
        for k in range(3):
            contacts[i, IMPULSE + k] = found[3 * i + k]
    remembered(contacts, memory)
    return left, well


@bare
def falling(bodies, rows, plan, fallen):
    """Writes velocities along the rows of contacts that come of half a step's fall and applied forces."""
    for r in range(len(fallen)):
        for side in range(2):
            fallen[r] += six(rows.along[r, side], plan.push[rows.body_of[r, side]])
            if rows.body_of[r, side] < len(bodies.mass):
                for k in range(3):
                    fallen[r] += rows.along[r, side, 3 + k] * (plan.h / 2 * plan.gravity[k])


@bare
def slow(plan):
    """The velocity with which contacts approach that fall for two steps from rest: slower ones rest."""
    return -2 * plan.h * length(plan.gravity)


@bare
def least_speeds(contacts, plan, bounces_at, fallen, speeds):
    """Writes least normal velocities."""
    for i in range(len(contacts)):
        approach, gap = contacts[i, BEFORE], contacts[i, GAP]
        hits = contacts[i, RESTITUTION] > 0 and approach < bounces_at and gap + plan.h * approach <= 0
        if hits:
            speeds[i] = max(fallen[3 * i] - contacts[i, RESTITUTION] * approach, 0.0)
        else:
            speeds[i] = min(-gap / plan.h, 0.0)


@bare
def velocities_written(contacts, rows, v, at):
    """Writes velocities along the rows of the contacts."""
    for i in range(len(contacts)):
        for k in range(3):
            r, total = 3 * i + k, 0.0
            for side in range(2):
                total += six(rows.along[r, side], v[rows.body_of[r, side]])
            contacts[i, at + k] = total


@plain
def corrected(contacts, place, v):
    """Writes the velocities of contacts after the joints' impulses were corrected."""
    velocities_written(contacts, contact_rows(contacts, place.R, place.x), v, AFTER)


@plain
def touching_now(near, plan, there, arrived, kept):
    """Keeps the contacts that are held at the end of a step; the others meet in the next one."""
    rows, count = contact_rows(near, there.R, there.x), 0
    velocities_written(near, rows, arrived, BEFORE)
    bounces_at = slow(plan)
    for i in range(len(near)):
        coming, gap = near[i, BEFORE], near[i, GAP]
        bounces = near[i, RESTITUTION] > 0 and coming < bounces_at
        later = gap > plan.slop and coming < -gap / plan.h
        if not (bounces or later):
            copy(near[i], kept[count])
            count += 1
    return count
