"""Steps of :mod:`rbnotes.maximal.rattle`, compiled: kick, flight, kick, and the account of the energy.

What is out of the ordinary is left to the reference: joints that are apart or repeat each other, friction
that Newton's method does not find, steps that are too long. Python is asked for applied forces, and where
bodies that overlap are to be moved.
"""

import math
from collections import namedtuple

from rbnotes.constraints._stabilization import SOFTNESS
from rbnotes.kernels._asking import forced, moved_apart, work_of_forces
from rbnotes.kernels._distance import bare, length, once
from rbnotes.kernels._envelope import cholesky, factored, factors_solved, solved
from rbnotes.kernels._flight import displacements, energy, flown
from rbnotes.kernels._friction import copy, larger
from rbnotes.kernels._joined import errors, pushed, rates, responses, rows_at, six, slope, system
from rbnotes.kernels._kicks import corrected, joints_solved, kicked, kinetic, slow, touching_now
from rbnotes.kernels._poses import reach_of, written_poses
from rbnotes.kernels._tables import (
    AFTER,
    BEFORE,
    CROWDED,
    ENERGY,
    FINE,
    GAP,
    IMPULSE,
    MU,
    OF_CONTACTS,
    OF_FORCES,
    OF_JOINTS,
    OF_MOTION,
    OF_SEPARATION,
    OVERLAPPING,
    POSITION,
    RESIDUAL,
    RESTITUTION,
    UNUSUAL,
)
from rbnotes.kernels._touching import PLACE, touching
from rbnotes.maximal.mechanism import PROJECTED
from rbnotes.maximal.rattle import CORRECTIONS, TRUSTED

Shapes = namedtuple("Shapes", "body numbers pairs mu restitution sizes")
"""The colliders: their bodies, their numbers, pairs that may touch, coefficients of all pairs, and how far
the surface of each body reaches from its origin."""

Found = namedtuple("Found", "contacts pushes sums impulses")
"""What a step leaves: contacts at its start, those of its second kick, and those that are near at its end;
where both pushed; energy, works and residual; and the joints' impulses of both kicks."""

Room = namedtuple("Room", "v arrived target back D moved lower upper poses places series turn")
"""Velocities, numbers for each row, displacements, systems, poses, places of contact, terms of a series."""


@bare
def held_at(bodies, joints, place):
    """Writes what joints do where the bodies are; the largest mobility, below zero where rows may repeat."""
    held, largest = place.held, 0.0
    rows_at(joints, place.R, place.x, held.rows)
    responses(bodies, joints.body_of, held.rows, held.moves)
    system(joints, held.rows, held.moves, held.factor)
    for r in range(len(joints.first)):
        largest = max(largest, held.factor[joints.at[r] + r])
    return largest if cholesky(held.factor, joints.first, joints.at) else -1.0


@once
def step(bodies, joints, shapes, plan, asking, here, largest, count, there, found, memory, room):
    """Takes a step from here to there, with so many contacts at its start.

    How it ended, the largest mobility of the joints there, and how many contacts the second kick had, and how
    many are near now.
    """
    v, arrived, target = room.v, room.arrived, room.target
    if not forced(bodies, asking, plan, here):
        return UNUSUAL, largest, 0, 0
    weighed(plan, here.v, v)
    near, old, left, well = found.contacts[0, :count], memory, 0.0, True
    flight_target(bodies, joints, plan.h, here, largest, room.back, target)
    if count:
        old = found.pushes[0, :count]
        left, well = kicked(
            bodies, joints, here, plan, near, slow(plan), target, here.v, memory, old, v, found.impulses[0]
        )
    else:
        joints_solved(joints, here.held, v, target, found.impulses[0])
    if not well or not flight(bodies, joints, plan.h, here, v, found.impulses[0], there, room):
        return UNUSUAL, largest, 0, 0
    corrected(near, here, v)
    gained = energy(bodies, plan.gravity, there.x, there.v) - energy(bodies, plan.gravity, here.x, v)
    gained += work_of_weight(bodies, plan, here.v, v)
    joint_work = work_of_joints(joints, here.held, here.v, v, found.impulses[0])
    contact_work, push_work = work_of_contacts(near), work_of_forces(bodies, plan, here.v, v)

    ended, new = looked(bodies, shapes, plan, there, found.contacts[2], room, plan.slop)
    separation = 0.0
    if ended == OVERLAPPING:
        separation -= energy(bodies, plan.gravity, there.x, there.v)
        if not moved_apart(bodies, asking, there) or not errors(joints, there.R, there.x, there.apart):
            return UNUSUAL, largest, 0, 0
        separation += energy(bodies, plan.gravity, there.x, there.v)
        ended, new = looked(bodies, shapes, plan, there, found.contacts[2], room, math.inf)
    if ended != FINE:
        return ended, largest, 0, 0
    largest = held_at(bodies, joints, there)
    if largest < 0:
        return UNUSUAL, largest, 0, 0
    for b in range(len(arrived)):
        copy(there.v[b], arrived[b])
    for r in range(len(target)):
        target[r] = 0.0
    asking.time[0] += plan.h
    if not forced(bodies, asking, plan, there):
        return UNUSUAL, largest, 0, 0
    if asking.forced:  # those that depend on velocities, at those that result but for the contacts
        weighed(plan, arrived, there.v)
        joints_solved(joints, there.held, there.v, target, found.impulses[1])
        if not forced(bodies, asking, plan, there):
            return UNUSUAL, largest, 0, 0
    weighed(plan, arrived, there.v)
    second = touching_now(found.contacts[2, :new], plan, there, arrived, found.contacts[1])
    touched = found.contacts[1, :second]
    if second:
        residual, well = kicked(
            bodies,
            joints,
            there,
            plan,
            touched,
            -math.inf,
            target,
            arrived,
            old,
            found.pushes[1, :second],
            there.v,
            found.impulses[1],
        )
        left = larger(left, residual)
    else:
        joints_solved(joints, there.held, there.v, target, found.impulses[1])
    gained += work_of_weight(bodies, plan, arrived, there.v)
    push_work += work_of_forces(bodies, plan, arrived, there.v)
    joint_work += work_of_joints(joints, there.held, arrived, there.v, found.impulses[1])
    contact_work += work_of_contacts(touched)
    if not well or not trusted(bodies, joints, plan, here.v, there.v, joint_work + gained):
        return UNUSUAL, largest, 0, 0
    sums = found.sums
    sums[ENERGY] = energy(bodies, plan.gravity, there.x, there.v)
    sums[OF_JOINTS], sums[OF_CONTACTS], sums[OF_MOTION], sums[RESIDUAL] = (
        joint_work,
        contact_work,
        gained,
        left,
    )
    sums[OF_FORCES], sums[OF_SEPARATION] = push_work, separation
    return FINE, largest, second, new


@bare
def trusted(bodies, joints, plan, before, after, work):
    """Whether joints and flight change the energy by little enough."""
    fallen, mass = plan.h * length(plan.gravity), 0.0
    for b in range(len(bodies.mass)):
        mass += bodies.mass[b]
    scale = max(kinetic(bodies, before), kinetic(bodies, after)) + fallen * fallen * mass / 2
    return len(joints.body) == 0 or abs(work) <= TRUSTED * scale


@bare
def weighed(plan, v, out):
    """Writes velocities with half a step's impulse of gravity and of applied forces."""
    for b in range(len(v)):
        falls = plan.h / 2 if b < len(v) - 1 else 0.0
        for k in range(3):
            out[b, k] = v[b, k] + plan.push[b, k]
            out[b, 3 + k] = v[b, 3 + k] + falls * plan.gravity[k] + plan.push[b, 3 + k]


@bare
def largest_of(x):
    """The largest size of some numbers."""
    size = 0.0
    for i in range(len(x)):
        size = larger(size, abs(x[i]))
    return size


@bare
def flight_target(bodies, joints, h, here, largest, back, target):
    """Writes velocities along rows that have the joints together after a flight, to second order in h."""
    rates(bodies, joints, here.R, here.x, here.v, target)
    # As the reference has it, with rows a little soft: to first order in that.
    for r in range(len(target)):
        target[r] = -here.apart[r] / h - h / 2 * target[r]
        back[r] = target[r]
    solved(here.held.factor, joints.first, joints.at, back)
    for r in range(len(target)):
        target[r] -= SOFTNESS * largest * back[r]


@bare
def flight(bodies, joints, h, here, v, impulses, there, room):
    """Flies, with the joint impulses and velocities corrected so that the joints come together again."""
    size, held, error, missing = len(impulses), here.held, math.inf, there.apart
    if size == 0:
        return flown(bodies, h, here, v, there, room)
    lower, upper = room.lower, room.upper
    for _ in range(CORRECTIONS):
        if not flown(bodies, h, here, v, there, room):
            return False
        if not errors(joints, there.R, there.x, missing):
            return False
        before, error = error, largest_of(missing)
        if error <= PROJECTED:
            return True
        if not error <= before / 2:
            return False
        rows_at(joints, there.R, there.x, there.held.rows)
        displacements(bodies, h, v, room.D)
        slope(joints, there.held.rows, held.moves, room.D, h, room.moved, lower, upper)
        largest = 0.0
        for r in range(size):
            largest = max(largest, abs(upper[joints.at[r] + r]))
        for r in range(size):
            upper[joints.at[r] + r] += SOFTNESS * largest
        if not factored(lower, upper, joints.first, joints.at):
            return False
        factors_solved(lower, upper, joints.first, joints.at, missing)
        for r in range(size):
            missing[r] = -missing[r]
            impulses[r] += missing[r]
        pushed(held.moves, joints.body_of, missing, v)
    return False


@bare
def looked(bodies, shapes, plan, place, contacts, room, slop):
    """Writes the contacts that may close within the next step; how that ended, and how many there are."""
    if len(shapes.pairs) == 0:
        return FINE, 0
    written_poses(place, room.poses)
    margin = reach_of(bodies, shapes.sizes, plan.h, plan.gravity, place)
    places = room.places
    count = touching(shapes.numbers, shapes.body, shapes.pairs, room.poses, margin, places)
    if count > len(contacts):
        return CROWDED, 0
    for i in range(count):
        a, b = int(places[i, 0]), int(places[i, 1])
        contacts[i, 0], contacts[i, 1] = shapes.body[a], shapes.body[b]
        for k in range(PLACE):
            contacts[i, POSITION + k] = places[i, 2 + k]
        contacts[i, MU], contacts[i, RESTITUTION] = shapes.mu[a, b], shapes.restitution[a, b]
        if contacts[i, GAP] < -slop:
            return OVERLAPPING, 0
    return FINE, count


@bare
def work_of_joints(joints, held, before, after, impulses):
    """Impulses times mean velocities."""
    total = 0.0
    for r in range(len(impulses)):
        for side in range(2):
            b = joints.body_of[r, side]
            total += (
                impulses[r] * (six(held.rows[r, side], before[b]) + six(held.rows[r, side], after[b])) / 2
            )
    return total


@bare
def work_of_weight(bodies, plan, before, after):
    """That of the weights in a kick."""
    total = 0.0
    for b in range(len(bodies.mass)):
        for k in range(3):
            mean = (before[b, 3 + k] + after[b, 3 + k]) / 2
            total += bodies.mass[b] * plan.h / 2 * plan.gravity[k] * mean
    return total


@bare
def work_of_contacts(contacts):
    """Impulses times mean velocities."""
    total = 0.0
    for i in range(len(contacts)):
        for k in range(3):
            mean = (contacts[i, BEFORE + k] + contacts[i, AFTER + k]) / 2
            total += contacts[i, IMPULSE + k] * mean
    return total
