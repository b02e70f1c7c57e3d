"""Steps one after the other, from flat arrays and into them (:mod:`rbnotes.kernels.running`)."""

from rbnotes.dynamics.free_rotation import TERMS
from rbnotes.kernels._asking import Asking
from rbnotes.kernels._distance import bare, once
from rbnotes.kernels._friction import copy
from rbnotes.kernels._joined import Bodies, Joints, errors
from rbnotes.kernels._kicks import Held, Place, Plan
from rbnotes.kernels._parts import cut
from rbnotes.kernels._poses import read_bodies, read_velocities, written_motion
from rbnotes.kernels._rattle import Found, Room, Shapes, held_at, step
from rbnotes.kernels._tables import (
    ANSWERS,
    CONTACT,
    CRAMPED,
    CROWDED,
    DONE,
    FINE,
    FIRST,
    FORCED,
    MOVED,
    NEAR,
    PUSHES,
    REACH,
    SECOND,
    SLOP,
    STEPS,
    TIME,
    UNUSUAL,
    WRITTEN,
    H,
)
from rbnotes.kernels._touching import PLACE, SHAPE
from rbnotes.maximal.rattle import APART

# Of the header of the whole numbers: bodies, joints, rows, couples, size of the envelope, shapes, pairs.
HEADER = 7


@bare
def mechanism(whole, numbers):
    """Bodies and joints, the shapes they carry, and gravity."""
    n, k, m, p, s, c = whole[0], whole[1], whole[2], whole[3], whole[5], whole[6]
    body, at = cut(whole, HEADER, (k,))
    parent, at = cut(whole, at, (k,))
    begin, at = cut(whole, at, (k + 1,))
    turns, at = cut(whole, at, (k,))
    couples, at = cut(whole, at, (p, 4))
    body_of, at = cut(whole, at, (m, 2))
    first, at = cut(whole, at, (m,))
    place_of, at = cut(whole, at, (m,))
    shape_body, at = cut(whole, at, (s,))
    pairs, at = cut(whole, at, (c, 2))
    mass, at = cut(numbers, 0, (n,))
    J, at = cut(numbers, at, (n, 3, 3))
    lightness, at = cut(numbers, at, (n + 1,))
    J_inverse, at = cut(numbers, at, (n + 1, 3, 3))
    com, at = cut(numbers, at, (n, 3))
    sizes, at = cut(numbers, at, (n,))
    axis, at = cut(numbers, at, (k, 3))
    rows, at = cut(numbers, at, (m, 6))
    frame, at = cut(numbers, at, (k, 3, 3))
    place, at = cut(numbers, at, (k, 3))
    parent_frame, at = cut(numbers, at, (k, 3, 3))
    parent_place, at = cut(numbers, at, (k, 3))
    shapes, at = cut(numbers, at, (s, SHAPE))
    mu, at = cut(numbers, at, (s, s))
    restitution, at = cut(numbers, at, (s, s))
    gravity, at = cut(numbers, at, (3,))
    bodies = Bodies(mass, J, lightness, J_inverse, com)
    joints = Joints(
        body,
        parent,
        begin,
        turns,
        axis,
        rows,
        frame,
        place,
        parent_frame,
        parent_place,
        couples,
        body_of,
        first,
        place_of,
    )
    carried = Shapes(shape_body, shapes, pairs, mu, restitution, sizes)
    return bodies, joints, carried, (gravity[0], gravity[1], gravity[2])


@bare
def copied(x, count, out):
    """Writes some rows into another array."""
    for i in range(count):
        copy(x[i], out[i])


@bare
def place_for(x, at, n, m, size):
    """Room from there on for a place of n bodies and m rows; and where the rest is."""
    R, at = cut(x, at, (n, 3, 3))
    p, at = cut(x, at, (n, 3))
    c, at = cut(x, at, (n, 3))
    v, at = cut(x, at, (n, 6))
    apart, at = cut(x, at, (m,))
    rows, at = cut(x, at, (m, 2, 6))
    moves, at = cut(x, at, (m, 2, 6))
    factor, at = cut(x, at, (size,))
    return Place(R, p, c, v, apart, Held(rows, moves, factor)), at


@bare
def room_for(x, at, n, m, size, room):
    """Room from there on for what a step finds with so many contacts at most, and for the rest."""
    contacts, at = cut(x, at, (3, room, CONTACT))
    pushes, at = cut(x, at, (2, room, CONTACT))
    sums, at = cut(x, at, (FIRST,))
    impulses, at = cut(x, at, (2, m))
    v, at = cut(x, at, (n, 6))
    arrived, at = cut(x, at, (n, 6))
    target, at = cut(x, at, (m,))
    back, at = cut(x, at, (m,))
    D, at = cut(x, at, (n, 3, 3))
    moved, at = cut(x, at, (m, 2, 6))
    lower, at = cut(x, at, (size,))
    upper, at = cut(x, at, (size,))
    poses, at = cut(x, at, (n, 4, 4))
    places, at = cut(x, at, (room, 2 + PLACE))
    series, at = cut(x, at, (TERMS, 10))
    turn, at = cut(x, at, (3, 3))
    found = Found(contacts, pushes, sums, impulses)
    return found, Room(v, arrived, target, back, D, moved, lower, upper, poses, places, series, turn), at


@bare
def asking_in(x, told, n):
    """What Python is asked and answers; and room for what that makes of velocities."""
    motion, at = cut(x, 0, (n, MOVED))
    wrenches, at = cut(x, at, (n, 6))
    push, at = cut(x, at, (n + 1, 6))
    time, at = cut(x, at, (1,))
    time[0] = told[TIME]
    return Asking(int(told[ANSWERS]), told[FORCED] != 0, time, motion, wrenches), push


@once
def run(whole, numbers, told, motion, near, pushes, states, sums, impulses, records, answers, work):
    """Takes steps until all are taken, or one is unusual, or there is no room for another one's contacts.

    Motions are ``(n, 22)``, those after each step ``(T, n, 22)``; contacts and remembered impulses
    ``(room, CONTACT)`` are those at the start, and then those at the end. What Python answers stands in
    ``answers``, ``work`` is room; both are all zeros.
    """
    bodies, joints, shapes, gravity = mechanism(whole, numbers)
    count, size, room = len(bodies.mass), len(joints.first), len(near)
    asking, push = asking_in(answers, told, count)
    plan = Plan(told[H], gravity, told[SLOP], told[REACH], push)
    found, rest, at = room_for(work, 0, count + 1, size, whole[4], room)
    here, at = place_for(work, at, count + 1, size, whole[4])
    there, at = place_for(work, at, count + 1, size, whole[4])
    if at > len(work):
        return CRAMPED
    read_bodies(bodies, motion, here)
    read_bodies(bodies, motion, there)
    close, kept, written = int(told[NEAR]), int(told[PUSHES]), 0
    copied(near, close, found.contacts[0])
    told[DONE], told[WRITTEN] = 0.0, 0.0
    if not errors(joints, here.R, here.x, here.apart):
        return UNUSUAL
    for r in range(size):
        if abs(here.apart[r]) > APART:
            return UNUSUAL
    largest = held_at(bodies, joints, here)
    if largest < 0:
        return UNUSUAL
    for n in range(int(told[STEPS])):
        ended, largest, second, new = step(
            bodies, joints, shapes, plan, asking, here, largest, close, there, found, pushes[:kept], rest
        )
        if ended == FINE and written + close + second > len(records):
            ended = CROWDED
        if ended != FINE:
            return ended
        copied(found.contacts[0], close, records[written:])
        copied(found.contacts[1], second, records[written + close :])
        written += close + second
        for i in range(FIRST):
            sums[n, i] = found.sums[i]
        sums[n, FIRST], sums[n, SECOND] = close, second
        for r in range(size):
            impulses[n, r] = found.impulses[0, r] + found.impulses[1, r]
        if close:
            kept = close
            copied(found.pushes[0], kept, pushes)
        if second:
            kept = second
            copied(found.pushes[1], kept, pushes)
        close = new
        copied(found.contacts[2], close, found.contacts[0])
        copied(found.contacts[2], close, near)
        written_motion(bodies, there, motion)
        copied(motion, count, states[n])
        read_velocities(bodies, motion, there)  # as a run that goes on from there
        here, there = there, here
        told[DONE], told[WRITTEN], told[NEAR], told[PUSHES] = n + 1, written, close, kept
    return FINE
