"""Steps of :mod:`rbnotes.maximal.rattle`, compiled: kick, flight, kick, and the account of the energy.

What is out of the ordinary is left to the reference: joints that are apart or repeat each other, bodies that
overlap, friction that Newton's method does not find, steps that are too long.
"""

import math
from collections import namedtuple

import numpy as np

from rbnotes.constraints._stabilization import SOFTNESS
from rbnotes.kernels._distance import dot, length, less, plain
from rbnotes.kernels._envelope import cholesky, factored, factors_solved, solved
from rbnotes.kernels._flight import displacements, energy, flown
from rbnotes.kernels._joined import errors, pushed, rates, responses, rows_at, six, slope, system
from rbnotes.kernels._kicks import (
    Held,
    falling,
    joints_solved,
    kicked,
    kinetic,
    velocities_written,
)
from rbnotes.kernels._poses import reach_of, written_poses
from rbnotes.kernels._rubbing import (
    AFTER,
    BEFORE,
    CONTACT,
    GAP,
    IMPULSE,
    MU,
    POSITION,
    RESTITUTION,
    contact_rows,
    remembered,
)
from rbnotes.kernels._touching import PLACE, touching
from rbnotes.maximal.mechanism import PROJECTED
from rbnotes.maximal.rattle import APART, CORRECTIONS, TRUSTED

FINE, UNUSUAL, CROWDED = 0, 1, 2
"""How a step ended: taken, left to the reference, or left until there is more room for contacts."""

Place = namedtuple("Place", "R p x v apart held")
"""Orientations, origins of the bodies' frames, centres of mass, velocities, errors of the joints and what their impulses do."""

Shapes = namedtuple("Shapes", "body numbers pairs mu restitution sizes")
"""The colliders: their bodies, their numbers, pairs that may touch, coefficients of all pairs, and how far the
surface of each body reaches from its origin."""

Plan = namedtuple("Plan", "h gravity slop reach")
"""Of all steps."""

Found = namedtuple("Found", "contacts counts pushes sums impulses")
"""What a step leaves: contacts at its start, those of its second kick, and those that are near at its end, and
how many; where these kicks pushed; energy, works and residual; and the joints' impulses of both kicks."""


@plain
def held_at(bodies, joints, place):
    """Writes what joints do where the bodies are; the largest mobility, below zero where rows may repeat."""
    held, largest = place.held, 0.0
    rows_at(joints, place.R, place.x, held.rows)
    responses(bodies, held.body_of, held.rows, held.moves)
    system(joints, held.rows, held.moves, held.factor)
    for r in range(len(held.first)):
        largest = max(largest, held.factor[held.at[r] + r])
    return largest if cholesky(held.factor, held.first, held.at) else -1.0


@plain
def step(bodies, joints, shapes, plan, here, largest, there, found, memory):
    """Takes a step from here to there: how it ended, and the largest mobility of the joints there.

    Contacts at the start are the first ones of ``found``, as many as it counts.
    """
    count = len(bodies.mass)
    half = (plan.h / 2 * plan.gravity[0], plan.h / 2 * plan.gravity[1], plan.h / 2 * plan.gravity[2])
    v = here.v.copy()
    for b in range(count):
        for k in range(3):
            v[b, 3 + k] += half[k]
    near, pushes = found.contacts[0, : found.counts[0]], found.pushes[0]
    rows = contact_rows(near, here.R, here.x)
    old, left = memory, 0.0
    target = flight_target(bodies, joints, plan.h, here, largest)
    if len(near):
        pushes = pushes[: len(near)]
        speeds, fallen = first_speeds(near, rows, bodies, plan, here.v, half)
        left, well = kicked(
            bodies,
            here.held,
            rows,
            near,
            speeds,
            fallen,
            plan.reach,
            target,
            here.v,
            old,
            pushes,
            v,
            found.impulses[0],
        )
        if not well:
            return UNUSUAL, largest
        old = pushes
    else:
        joints_solved(here.held, v, target, found.impulses[0])
    if not flight(bodies, joints, plan.h, here, v, found.impulses[0], there):
        return UNUSUAL, largest
    velocities_written(near, rows, v, AFTER)

    start, end = energy(bodies, plan.gravity, here.x, v), energy(bodies, plan.gravity, there.x, there.v)
    before, gained = here.v, end - start
    joint_work = work_of_joints(here.held, before, v, found.impulses[0])
    gained += work_of_weight(bodies, half, before, v)
    contact_work = work_of_contacts(near)

    ended, found.counts[2] = looked(bodies, shapes, plan, there, found.contacts[2])
    if ended != FINE:
        return ended, largest
    largest = held_at(bodies, joints, there)
    if largest < 0:
        return UNUSUAL, largest
    arrived = there.v.copy()
    for b in range(count):
        for k in range(3):
            there.v[b, 3 + k] += half[k]
    target[:] = 0.0
    found.counts[1] = touching_now(found.contacts[2, : found.counts[2]], plan, there, arrived, found.contacts[1])
    touched = found.contacts[1, : found.counts[1]]
    if len(touched):
        pushes = found.pushes[1, : len(touched)]
        rows = contact_rows(touched, there.R, there.x)
        speeds = np.minimum(-touched[:, GAP] / plan.h, 0.0)
        fallen = np.zeros(3 * len(touched))
        residual, well = kicked(
            bodies,
            there.held,
            rows,
            touched,
            speeds,
            fallen,
            plan.reach,
            target,
            arrived,
            old,
            pushes,
            there.v,
            found.impulses[1],
        )
        if not well:
            return UNUSUAL, largest
        left = max(left, residual)
    else:
        joints_solved(there.held, there.v, target, found.impulses[1])
    joint_work += work_of_joints(there.held, arrived, there.v, found.impulses[1])
    gained += work_of_weight(bodies, half, arrived, there.v)
    contact_work += work_of_contacts(touched)
    if len(joints.body):
        fallen_by, mass = plan.h * length(plan.gravity), np.sum(bodies.mass)
        scale = max(kinetic(bodies, here.v), kinetic(bodies, there.v)) + fallen_by * fallen_by * mass / 2
        if not abs(joint_work + gained) <= TRUSTED * scale:
            return UNUSUAL, largest
    sums = found.sums
    sums[0] = energy(bodies, plan.gravity, there.x, there.v)
    sums[1], sums[2], sums[3], sums[4] = joint_work, contact_work, gained, left
    return FINE, largest


@plain
def flight_target(bodies, joints, h, here, largest):
    """Velocities along the rows of the joints that bring them together after a flight, to second order in h."""
    target = np.empty(len(here.apart))
    if len(target):
        rates(bodies, joints, here.R, here.x, here.v, target)
        for r in range(len(target)):
            target[r] = -here.apart[r] / h - h / 2 * target[r]
        # As the reference has it, with rows a little soft: to first order in that.
        back = target.copy()
        solved(here.held.factor, here.held.first, here.held.at, back)
        for r in range(len(target)):
            target[r] -= SOFTNESS * largest * back[r]
    return target


@plain
def first_speeds(near, rows, bodies, plan, v, half):
    """Least normal velocities at the start of a step, and how contacts fall in the kick."""
    count = len(near)
    speeds, fallen = np.empty(count), falling(rows, bodies, half)
    slow = -2 * plan.h * length(plan.gravity)
    velocities_written(near, rows, v, BEFORE)
    for i in range(count):
        approach, gap = near[i, BEFORE], near[i, GAP]
        if near[i, RESTITUTION] > 0 and approach < slow and gap + plan.h * approach <= 0:
            speeds[i] = -near[i, RESTITUTION] * approach
        else:
            speeds[i] = min(-gap / plan.h, 0.0)
        if speeds[i] > 0:
            speeds[i] = max(speeds[i] + fallen[3 * i], 0.0)
    return speeds, fallen


@plain
def flight(bodies, joints, h, here, v, impulses, there):
    """Flies, with the joint impulses and velocities corrected so that the joints come together again."""
    size = len(here.apart)
    if size == 0:
        return flown(bodies, h, here, v, there)
    held, error = here.held, math.inf
    D, moved, missing = np.empty(here.R.shape), np.empty(held.moves.shape), there.apart
    D[len(bodies.mass)] = 0.0
    lower, upper = np.empty(len(held.factor)), np.empty(len(held.factor))
    for _ in range(CORRECTIONS):
        if not flown(bodies, h, here, v, there):
            return False
        if not errors(joints, there.R, there.x, missing):
            return False
        before, error = error, np.max(np.abs(missing))
        if error <= PROJECTED:
            return True
        if not error <= before / 2:
            return False
        rows_at(joints, there.R, there.x, there.held.rows)
        displacements(bodies, h, v, D)
        slope(joints, held.body_of, there.held.rows, held.moves, D, h, moved, lower, upper)
        largest = 0.0
        for r in range(size):
            largest = max(largest, abs(upper[held.at[r] + r]))
        for r in range(size):
            upper[held.at[r] + r] += SOFTNESS * largest
        if not factored(lower, upper, held.first, held.at):
            return False
        factors_solved(lower, upper, held.first, held.at, missing)
        for r in range(size):
            missing[r] = -missing[r]
            impulses[r] += missing[r]
        pushed(held.moves, held.body_of, missing, v)
    return False


@plain
def looked(bodies, shapes, plan, place, contacts):
    """Writes the contacts that may close within the next step; how that ended, and how many there are."""
    if not len(shapes.pairs):
        return FINE, 0
    poses, places = np.empty((len(place.R), 4, 4)), np.empty((len(contacts), 2 + PLACE))
    written_poses(place, poses)
    margin = reach_of(bodies, shapes.sizes, plan.h, plan.gravity, place.R, place.v)
    count = touching(shapes.numbers, shapes.body, shapes.pairs, poses, margin, places)
    if count > len(contacts):
        return CROWDED, 0
    for i in range(count):
        a, b = int(places[i, 0]), int(places[i, 1])
        contacts[i, 0], contacts[i, 1] = shapes.body[a], shapes.body[b]
        contacts[i, POSITION : POSITION + PLACE] = places[i, 2:]
        contacts[i, MU], contacts[i, RESTITUTION] = shapes.mu[a, b], shapes.restitution[a, b]
        if contacts[i, GAP] < -plan.slop:
            return UNUSUAL, 0
    return FINE, count


@plain
def touching_now(near, plan, there, arrived, kept):
    """Keeps the contacts that are held at the end of a step; the others meet in the next one."""
    rows, count = contact_rows(near, there.R, there.x), 0
    slow = -2 * plan.h * length(plan.gravity)
    for i in range(len(near)):
        coming = 0.0
        for side in range(2):
            coming += six(rows.along[3 * i, side], arrived[rows.body_of[3 * i, side]])
        bounces = near[i, RESTITUTION] > 0 and coming < slow
        later = near[i, GAP] > plan.slop and coming < -near[i, GAP] / plan.h
        if not (bounces or later):
            kept[count] = near[i]
            count += 1
    return count


@plain
def work_of_joints(held, before, after, impulses):
    """Impulses times mean velocities."""
    total = 0.0
    for r in range(len(impulses)):
        for side in range(2):
            b = held.body_of[r, side]
            total += impulses[r] * (six(held.rows[r, side], before[b]) + six(held.rows[r, side], after[b])) / 2
    return total


@plain
def work_of_weight(bodies, half, before, after):
    """That of the weights in a kick."""
    total = 0.0
    for b in range(len(bodies.mass)):
        for k in range(3):
            total += bodies.mass[b] * half[k] * (before[b, 3 + k] + after[b, 3 + k]) / 2
    return total


@plain
def work_of_contacts(contacts):
    """Impulses times mean velocities."""
    total = 0.0
    for i in range(len(contacts)):
        for k in range(3):
            mean = (contacts[i, BEFORE + k] + contacts[i, AFTER + k]) / 2
            total += contacts[i, IMPULSE + k] * mean
    return total
