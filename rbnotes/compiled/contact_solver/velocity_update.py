"""A kick: new velocities and impulses of joints and contacts, as :mod:`rbnotes.multibody.maximal.stepping` has it."""

from collections import namedtuple

import numpy as np

from rbnotes.compiled.collision.distance import dot, jit_alloc, jit_noalloc, norm
from rbnotes.compiled.contact_solver.contact_impulses import (
    clear_blocked_directions,
    contact_jacobian,
    delassus_matrix,
    solve_contact_impulses,
    store_impulses,
    warm_start_impulses,
)
from rbnotes.compiled.contact_solver.envelope_factors import solve_cholesky
from rbnotes.compiled.contact_solver.joint_constraints import (
    add_impulses,
    constraint_velocities,
    dot6,
    impulse_responses,
)
from rbnotes.compiled.contact_solver.newton_friction import copy_array
from rbnotes.compiled.record_layout import AFTER, BEFORE, GAP, IMPULSE, MU, RESTITUTION
from rbnotes.compiled.simulation.free_motion import matvec

FRICTION_TOLERANCE, MAX_FRICTION_ITERATIONS = 1e-8, np.int64(50)
"""Of the friction, by default (:func:`rbnotes.friction.semismooth_newton_friction`). Of a literal number there would be
a compiled copy of its own."""

StepParameters = namedtuple("StepParameters", "h gravity slop reach push")
"""Of all steps: size, gravity, overlap that is left alone, and how far a contact moves; and of a kick the
velocities ``(n + 1, 6)`` that applied forces give."""

JointSystem = namedtuple("JointSystem", "rows moves factor")
"""Rows of the joints where the bodies are, what impulses along them change, the factor of their system."""

BodyStates = namedtuple("BodyStates", "R p x v apart held")
"""Orientations, origins of the bodies' frames, centres of mass, velocities, errors of the joints and what
their impulses do."""


@jit_noalloc
def solve_joint_impulses(joints, system, velocities, target, impulses):
    """Writes the joint impulses that take velocities to the target, and adds what they change."""
    constraint_velocities(system.rows, joints.row_bodies, velocities, impulses)
    for r in range(len(impulses)):
        impulses[r] = target[r] - impulses[r]
    solve_cholesky(system.factor, joints.first, joints.at, impulses)
    add_impulses(system.moves, joints.row_bodies, impulses, velocities)


@jit_noalloc
def kinetic_energy(bodies, v):
    """Energy of the motion."""
    total = 0.0
    for b in range(len(bodies.mass)):
        w, u = (v[b, 0], v[b, 1], v[b, 2]), (v[b, 3], v[b, 4], v[b, 5])
        total += (dot(w, matvec(bodies.J[b], w)) + bodies.mass[b] * dot(u, u)) / 2
    return total


@jit_alloc
def solve_velocities(
    bodies,
    joints,
    state,
    parameters,
    contacts,
    bounce_threshold,
    target,
    before,
    previous,
    memory,
    v,
    impulses,
):
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
    count, system = len(contacts), state.held
    rows = contact_jacobian(contacts, state.R, state.x)
    row_bodies, blocks = rows
    responses, min_velocities, force_velocities = (
        np.empty((3 * count, 2, 6)),
        np.empty(count),
        np.zeros(3 * count),
    )
    impulse_responses(bodies, row_bodies, blocks, responses)
    write_contact_velocities(contacts, rows, before, BEFORE)
    force_velocity_changes(bodies, rows, parameters, force_velocities)
    min_normal_velocities(contacts, parameters, bounce_threshold, force_velocities, min_velocities)
    unforced, mu = np.empty((len(v), 6)), np.empty(count)
    for b in range(len(v)):
        copy_array(v[b], unforced[b])
    solve_joint_impulses(joints, system, unforced, target, impulses)
    free = np.empty(3 * count)
    constraint_velocities(blocks, row_bodies, unforced, free)
    for i in range(count):
        free[3 * i] -= min_velocities[i]
        mu[i] = contacts[i, MU]
    W = delassus_matrix(rows, responses, joints, system)
    clear_blocked_directions(W, free, rows, bodies, v, unforced)
    initial_guess = warm_start_impulses(contacts, previous, parameters.reach)
    contact_impulses, friction_residual, is_converged = solve_contact_impulses(
        W, free, mu, initial_guess, FRICTION_TOLERANCE, MAX_FRICTION_ITERATIONS
    )
    add_impulses(responses, row_bodies, contact_impulses, v)
    solve_joint_impulses(joints, system, v, target, impulses)
    force_work, has_bounces = 0.0, False
    for i in range(count):
        if min_velocities[i] > 0 and contacts[i, RESTITUTION] > 0:
            has_bounces = True
            for k in range(3 * i, 3 * i + 3):
                force_work -= contact_impulses[k] * force_velocities[k]
    if has_bounces:
        is_converged = is_converged and kinetic_energy(bodies, v) + force_work <= kinetic_energy(
            bodies, unforced
        ) * (1 + 1e-12)
    write_contact_velocities(contacts, rows, v, AFTER)
    for i in range(count):
        for k in range(3):
            contacts[i, IMPULSE + k] = contact_impulses[3 * i + k]
    store_impulses(contacts, memory)
    return friction_residual, is_converged


@jit_noalloc
def force_velocity_changes(bodies, rows, parameters, force_velocities):
    """Writes velocities along the rows of contacts that come of half a step's fall and applied forces."""
    for r in range(len(force_velocities)):
        for side in range(2):
            force_velocities[r] += dot6(rows.along[r, side], parameters.push[rows.row_bodies[r, side]])
            if rows.row_bodies[r, side] < len(bodies.mass):
                for k in range(3):
                    force_velocities[r] += rows.along[r, side, 3 + k] * (
                        parameters.h / 2 * parameters.gravity[k]
                    )


@jit_noalloc
def resting_velocity(parameters):
    """The velocity with which contacts approach that fall for two steps from rest: slower ones rest."""
    return -2 * parameters.h * norm(parameters.gravity)


@jit_noalloc
def min_normal_velocities(contacts, parameters, bounce_threshold, force_velocities, min_velocities):
    """Writes least normal velocities."""
    for i in range(len(contacts)):
        approach, gap = contacts[i, BEFORE], contacts[i, GAP]
        hits = (
            contacts[i, RESTITUTION] > 0
            and approach < bounce_threshold
            and gap + parameters.h * approach <= 0
        )
        if hits:
            min_velocities[i] = max(force_velocities[3 * i] - contacts[i, RESTITUTION] * approach, 0.0)
        else:
            min_velocities[i] = min(-gap / parameters.h, 0.0)


@jit_noalloc
def write_contact_velocities(contacts, rows, v, at):
    """Writes velocities along the rows of the contacts."""
    for i in range(len(contacts)):
        for k in range(3):
            r, total = 3 * i + k, 0.0
            for side in range(2):
                total += dot6(rows.along[r, side], v[rows.row_bodies[r, side]])
            contacts[i, at + k] = total


@jit_alloc
def update_contact_velocities(contacts, state, v):
    """Writes the velocities of contacts after the joints' impulses were corrected."""
    write_contact_velocities(contacts, contact_jacobian(contacts, state.R, state.x), v, AFTER)


@jit_alloc
def select_active_contacts(candidates, parameters, final, incoming, selected):
    """Keeps the contacts that are held at the end of a step; the others meet in the next one."""
    rows, count = contact_jacobian(candidates, final.R, final.x), 0
    write_contact_velocities(candidates, rows, incoming, BEFORE)
    bounce_threshold = resting_velocity(parameters)
    for i in range(len(candidates)):
        approach, gap = candidates[i, BEFORE], candidates[i, GAP]
        bounces = candidates[i, RESTITUTION] > 0 and approach < bounce_threshold
        closes_later = gap > parameters.slop and approach < -gap / parameters.h
        if not (bounces or closes_later):
            copy_array(candidates[i], selected[count])
            count += 1
    return count
