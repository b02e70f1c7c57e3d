"""Steps one after the other, from flat arrays and into them (:mod:`rbnotes.kernels.running`)."""

from rbnotes.dynamics.free_rotation import TERMS
from rbnotes.kernels._distance import bare, once
from rbnotes.kernels._friction import copy
from rbnotes.kernels._joined import Bodies, Joints, errors
from rbnotes.kernels._kicks import Held, Place, Plan
from rbnotes.kernels._poses import read_bodies, read_velocities, written_motion
from rbnotes.kernels._rattle import Found, Room, Shapes, held_at, step
from rbnotes.kernels._tables import (
    CONTACT,
    CRAMPED,
    CROWDED,
    DONE,
    FINE,
    NEAR,
    PUSHES,
    REACH,
    SLOP,
    STEPS,
    UNUSUAL,
    WRITTEN,
    H,
)
from rbnotes.kernels._touching import PLACE, SHAPE
from rbnotes.maximal.rattle import APART

# Of the header of the whole numbers: bodies, joints, rows, couples, size of the envelope, shapes, pairs.
HEADER = 7


@bare
def cut(x, at, size):
    """Some of the numbers, and where the next ones are."""
    return x[at : at + size], at + size


@bare
def mechanism(whole, numbers):
    """Bodies and joints, the shapes they carry, and gravity."""
    n, k, m, p, s, c = whole[0], whole[1], whole[2], whole[3], whole[5], whole[6]
    body, at = cut(whole, HEADER, k)
    parent, at = cut(whole, at, k)
    begin, at = cut(whole, at, k + 1)
    turns, at = cut(whole, at, k)
    couples, at = cut(whole, at, 4 * p)
    body_of, at = cut(whole, at, 2 * m)
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
    bodies = Bodies(mass, J.reshape(n, 3, 3), lightness, J_inverse.reshape(n + 1, 3, 3), com.reshape(n, 3))
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
        body_of.reshape(m, 2),
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


@bare
def copied(x, count, out):
    """Writes some rows into another array."""
    for i in range(count):
        copy(x[i], out[i])


@bare
def places_for(x, n, m, size):
    """Room in an array for two places of n bodies and m rows; and where the rest is."""
    R, at = cut(x, 0, 18 * n)
    p, at = cut(x, at, 6 * n)
    c, at = cut(x, at, 6 * n)
    v, at = cut(x, at, 12 * n)
    apart, at = cut(x, at, 2 * m)
    rows, at = cut(x, at, 24 * m)
    moves, at = cut(x, at, 24 * m)
    factor, at = cut(x, at, 2 * size)
    R, p, c, v = R.reshape(2, n, 3, 3), p.reshape(2, n, 3), c.reshape(2, n, 3), v.reshape(2, n, 6)
    apart, factor = apart.reshape(2, m), factor.reshape(2, size)
    rows, moves = rows.reshape(2, m, 2, 6), moves.reshape(2, m, 2, 6)
    first = Place(R[0], p[0], c[0], v[0], apart[0], Held(rows[0], moves[0], factor[0]))
    return first, Place(R[1], p[1], c[1], v[1], apart[1], Held(rows[1], moves[1], factor[1])), at


@bare
def room_for(x, at, n, m, size, room):
    """Room from there on for what a step finds with so many contacts at most, and for the rest."""
    contacts, at = cut(x, at, 3 * CONTACT * room)
    pushes, at = cut(x, at, 2 * CONTACT * room)
    sums, at = cut(x, at, 5)
    impulses, at = cut(x, at, 2 * m)
    v, at = cut(x, at, 6 * n)
    arrived, at = cut(x, at, 6 * n)
    target, at = cut(x, at, m)
    back, at = cut(x, at, m)
    D, at = cut(x, at, 9 * n)
    moved, at = cut(x, at, 12 * m)
    lower, at = cut(x, at, size)
    upper, at = cut(x, at, size)
    poses, at = cut(x, at, 16 * n)
    places, at = cut(x, at, (2 + PLACE) * room)
    series, at = cut(x, at, 10 * TERMS)
    turn, at = cut(x, at, 9)
    found = Found(
        contacts.reshape(3, room, CONTACT), pushes.reshape(2, room, CONTACT), sums, impulses.reshape(2, m)
    )
    rest = Room(
        v.reshape(n, 6),
        arrived.reshape(n, 6),
        target,
        back,
        D.reshape(n, 3, 3),
        moved.reshape(m, 2, 6),
        lower,
        upper,
        poses.reshape(n, 4, 4),
        places.reshape(room, 2 + PLACE),
        series.reshape(TERMS, 10),
        turn.reshape(3, 3),
    )
    return found, rest, at


@once
def run(whole, numbers, told, motion, near, pushes, states, sums, impulses, records, work):
    """Takes steps until all are taken, or one is unusual, or there is no room for another one's contacts.

    Motions are ``(n, 22)``, those after each step ``(T, n, 22)``; contacts and remembered impulses
    ``(room, CONTACT)`` are those at the start, and then those at the end. ``work`` is room, all zeros.
    """
    bodies, joints, shapes, gravity = mechanism(whole, numbers)
    count, size, room = len(bodies.mass), len(joints.first), len(near)
    plan = Plan(told[H], gravity, told[SLOP], told[REACH])
    here, there, at = places_for(work, count + 1, size, whole[4])
    found, rest, at = room_for(work, at, count + 1, size, whole[4], room)
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
            bodies, joints, shapes, plan, here, largest, close, there, found, pushes[:kept], rest
        )
        if ended == FINE and written + close + second > len(records):
            ended = CROWDED
        if ended != FINE:
            return ended
        copied(found.contacts[0], close, records[written:])
        copied(found.contacts[1], second, records[written + close :])
        written += close + second
        for i in range(5):
            sums[n, i] = found.sums[i]
        sums[n, 5], sums[n, 6] = close, second
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
