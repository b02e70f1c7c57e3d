"""Steps one after the other, from flat arrays and into them (:mod:`rbnotes.kernels.running`)."""

import numpy as np

from rbnotes.kernels._joined import Bodies, Joints, errors
from rbnotes.kernels._distance import plain
from rbnotes.kernels._kicks import Held
from rbnotes.kernels._poses import read_bodies, read_velocities, written_poses, written_twists
from rbnotes.kernels._rattle import CROWDED, FINE, UNUSUAL, Found, Place, Plan, Shapes, held_at, step
from rbnotes.kernels._rubbing import CONTACT
from rbnotes.kernels._touching import SHAPE
from rbnotes.maximal.rattle import APART

# Of the header of the whole numbers: bodies, joints, rows, couples, numbers within the envelope, shapes, pairs.
HEADER = 7

# What is told, and told back: step, slop, reach, steps, contacts, pushes; steps taken, records written.
H, SLOP, REACH, STEPS, NEAR, PUSHES, DONE, WRITTEN = 0, 1, 2, 3, 4, 5, 6, 7
TOLD = 8

# Of a step: energy, works of joints, contacts and motion, residual, contacts of the first kick and of the second.
SUMS = 7

MOTION = 22
"""Numbers of a body: pose (16) and twist (6)."""


@plain
def cut(x, at, size):
    """Some of the numbers, and where the next ones are."""
    return x[at : at + size], at + size


@plain
def mechanism(whole, numbers):
    """Bodies and joints, the shapes they carry, and gravity."""
    n, k, m, p, s, c = whole[0], whole[1], whole[2], whole[3], whole[5], whole[6]
    body, at = cut(whole, HEADER, k)
    parent, at = cut(whole, at, k)
    begin, at = cut(whole, at, k + 1)
    turns, at = cut(whole, at, k)
    couples, at = cut(whole, at, 4 * p)
    first, at = cut(whole, at, m)
    place_of, at = cut(whole, at, m)
    shape_body, at = cut(whole, at, s)
    pairs, at = cut(whole, at, 2 * c)
    mass, at = cut(numbers, 0, n)
    J, at = cut(numbers, at, 9 * n)
    lightness, at = cut(numbers, at, n + 1)
    J_inverse, at = cut(numbers, at, 9 * n + 9)
    com, at = cut(numbers, at, 3 * n)
    sizes, at = cut(numbers, at, n)
    axis, at = cut(numbers, at, 3 * k)
    rows, at = cut(numbers, at, 6 * m)
    frame, at = cut(numbers, at, 9 * k)
    place, at = cut(numbers, at, 3 * k)
    parent_frame, at = cut(numbers, at, 9 * k)
    parent_place, at = cut(numbers, at, 3 * k)
    shapes, at = cut(numbers, at, SHAPE * s)
    mu, at = cut(numbers, at, s * s)
    restitution, at = cut(numbers, at, s * s)
    gravity, at = cut(numbers, at, 3)
    bodies = Bodies(
        mass, J.reshape(n, 3, 3), lightness, J_inverse.reshape(n + 1, 3, 3), com.reshape(n, 3)
    )
    joints = Joints(
        body,
        parent,
        begin,
        turns,
        axis.reshape(k, 3),
        rows.reshape(m, 6),
        frame.reshape(k, 3, 3),
        place.reshape(k, 3),
        parent_frame.reshape(k, 3, 3),
        parent_place.reshape(k, 3),
        couples.reshape(p, 4),
        first,
        place_of,
    )
    carried = Shapes(
        shape_body,
        shapes.reshape(s, SHAPE),
        pairs.reshape(c, 2),
        mu.reshape(s, s),
        restitution.reshape(s, s),
        sizes,
    )
    return bodies, joints, carried, (gravity[0], gravity[1], gravity[2])


@plain
def room_for(bodies, joints, body_of, size):
    """A place with room for all numbers."""
    n, m = len(bodies.mass) + 1, len(joints.first)
    held = Held(body_of, np.empty((m, 2, 6)), np.empty((m, 2, 6)), np.empty(size), joints.first, joints.at)
    return Place(np.empty((n, 3, 3)), np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 6)), np.zeros(m), held)


@plain
def run(whole, numbers, told, motion, near, pushes, states, sums, impulses, records):
    """Takes steps until all are taken, or one is unusual, or there is no room for another one's contacts.

    Motions are ``(n, 22)``, those after each step ``(T, n, 22)``; contacts and remembered
    impulses ``(room, CONTACT)`` are those at the start, and then those at the end.
    """
    bodies, joints, shapes, gravity = mechanism(whole, numbers)
    count, size, room = len(bodies.mass), len(joints.first), len(near)
    plan = Plan(told[H], gravity, told[SLOP], told[REACH])
    body_of = np.empty((size, 2), np.int64)
    for i in range(len(joints.body)):
        for r in range(joints.begin[i], joints.begin[i + 1]):
            body_of[r, 0], body_of[r, 1] = joints.body[i], joints.parent[i]
    here, there = room_for(bodies, joints, body_of, whole[4]), room_for(bodies, joints, body_of, whole[4])
    found = Found(
        np.empty((3, room, CONTACT)),
        np.zeros(3, np.int64),
        np.empty((2, room, CONTACT)),
        np.zeros(5),
        np.zeros((2, size)),
    )
    E, phi = np.empty((count, 4, 4)), np.empty((count, 6))
    for b in range(count):
        for i in range(4):
            for j in range(4):
                E[b, i, j] = motion[b, 4 * i + j]
        phi[b] = motion[b, 16:]
    read_bodies(bodies, E, phi, here)
    read_bodies(bodies, E, phi, there)
    found.counts[0], kept = int(told[NEAR]), int(told[PUSHES])
    found.contacts[0, : found.counts[0]] = near[: found.counts[0]]
    told[DONE], told[WRITTEN] = 0.0, 0.0
    if not errors(joints, here.R, here.x, here.apart):
        return UNUSUAL
    for r in range(size):
        if abs(here.apart[r]) > APART:
            return UNUSUAL
    largest = held_at(bodies, joints, here)
    if largest < 0:
        return UNUSUAL
    written = 0
    for n in range(int(told[STEPS])):
        ended, largest = step(bodies, joints, shapes, plan, here, largest, there, found, pushes[:kept])
        new = found.counts[0] + found.counts[1]
        if ended == FINE and written + new > len(records):
            ended = CROWDED
        if ended != FINE:
            return ended
        records[written : written + found.counts[0]] = found.contacts[0, : found.counts[0]]
        records[written + found.counts[0] : written + new] = found.contacts[1, : found.counts[1]]
        written += new
        for i in range(5):
            sums[n, i] = found.sums[i]
        sums[n, 5], sums[n, 6] = found.counts[0], found.counts[1]
        for r in range(size):
            impulses[n, r] = found.impulses[0, r] + found.impulses[1, r]
        for i in range(2):
            if found.counts[i]:
                kept = found.counts[i]
                pushes[:kept] = found.pushes[i, :kept]
        found.counts[0] = found.counts[2]
        found.contacts[0, : found.counts[0]] = found.contacts[2, : found.counts[0]]
        near[: found.counts[0]] = found.contacts[0, : found.counts[0]]
        written_poses(there, E)
        written_twists(bodies, there.R, there.v, phi)
        for b in range(count):
            for i in range(4):
                for j in range(4):
                    motion[b, 4 * i + j] = E[b, i, j]
            motion[b, 16:] = phi[b]
        states[n] = motion
        read_velocities(bodies, phi, there.R, there.v)  # as a run that goes on from there
        here, there = there, here
        told[DONE], told[WRITTEN], told[NEAR], told[PUSHES] = n + 1, written, found.counts[0], kept
    return FINE
