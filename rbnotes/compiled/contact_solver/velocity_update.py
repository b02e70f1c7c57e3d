"""Velocity update: velocities and impulses under joints and contacts at fixed poses.

The reference is :mod:`rbnotes.multibody.maximal.stepping`.
"""

from typing import Any, NamedTuple

import numpy as np

from rbnotes.compiled.array_allocation import empty, zeros
from rbnotes.compiled.contact_solver.contact_impulses import (
    contact_jacobian,
    solve_contact_impulses,
    store_impulses,
    warm_start_impulses,
)
from rbnotes.compiled.contact_solver.envelope_factors import solve_cholesky
from rbnotes.compiled.contact_solver.joint_constraints import (
    add_impulses,
    constraint_velocities,
    impulse_responses,
)
from rbnotes.compiled.decorators import jit_alloc, jit_noalloc
from rbnotes.compiled.linear_algebra import copy_array, dot, dot6, matvec, norm
from rbnotes.compiled.record_layout import AFTER, BEFORE, GAP, IMPULSE, MU, RESTITUTION
from rbnotes.friction.semismooth_newton import TOLERANCE

FRICTION_TOLERANCE, MAX_FRICTION_ITERATIONS = TOLERANCE, np.int64(50)
"""Defaults of :func:`rbnotes.friction.semismooth_newton_friction`.

A literal integer would be compiled into a copy of its own, hence ``np.int64``."""


class StepParameters(NamedTuple):
    """Parameters that all steps share.

    Attributes
    ----------
    h
        Step size in s.
    gravity
        Acceleration of gravity in the world, m/s^2.
    slop
        Overlap in m that is not corrected.
    match_radius
        Largest distance in m of a contact from its counterpart in the step before.
    force_velocity
        Velocity change by applied forces in half a step ``(n + 1, 6)``.
    """

    h: Any
    gravity: Any
    slop: Any
    match_radius: Any
    force_velocity: Any


class JointSystem(NamedTuple):
    """Linear system of the joint impulses at one configuration.

    Attributes
    ----------
    jacobian
        Constraint rows ``(m, 2, 6)``.
    responses
        Velocity changes per unit impulse ``(m, 2, 6)``.
    factor
        Cholesky factor of ``G M^-1 G^T`` within its envelope.
    """

    jacobian: Any
    responses: Any
    factor: Any


class BodyStates(NamedTuple):
    """Poses and velocities of n bodies and the world, which is the last one.

    Attributes
    ----------
    R
        Orientations ``(n + 1, 3, 3)``.
    p
        Origins of the body frames ``(n + 1, 3)``.
    center
        Centers of mass in the world ``(n + 1, 3)``.
    v
        Angular velocities in body frames and velocities of the centers in the world ``(n + 1, 6)``.
    geometry
        The :class:`~rbnotes.compiled.contact_solver.joint_constraints.JointGeometry` at these poses.
    constraint_error
        Errors of the joint constraints ``(m,)``.
    system
        The :class:`JointSystem` at these poses; in models without loops only where there are contacts.
    tree
        The :class:`~rbnotes.compiled.simulation.joint_tree.TreeKinematics` at these poses.
    """

    R: Any
    p: Any
    center: Any
    v: Any
    geometry: Any
    constraint_error: Any
    system: Any
    tree: Any


class VelocityProblem(NamedTuple):
    """Velocities and contacts before a velocity update, and the velocities that it requires.

    Attributes
    ----------
    state
        The :class:`BodyStates` with the poses of the update.
    contacts
        Contacts ``(c, 20)``; their velocities and impulses are written.
    bounce_threshold
        Negative normal velocity in m/s; contacts that approach faster bounce. It is infinite in updates of
        forces, which follow those of impacts.
    joint_target
        Target velocities of the joint rows ``(m,)``.
    before
        Velocities before forces and impulses ``(n + 1, 6)``.
    last_contacts
        Contacts of the previous update, with their impulses in the world.
    """

    state: Any
    contacts: Any
    bounce_threshold: Any
    joint_target: Any
    before: Any
    last_contacts: Any


class VelocitySolution(NamedTuple):
    """Arrays that a velocity update writes.

    Attributes
    ----------
    v
        Velocities ``(n + 1, 6)``: with the impulses of the forces before the update, with all impulses after
        it.
    joint_impulses
        Impulses along the joint rows ``(m,)``.
    last_contacts
        Contacts of this update, with their impulses in the world ``(c, 20)``.
    """

    v: Any
    joint_impulses: Any
    last_contacts: Any


@jit_noalloc
def solve_joint_impulses(joints, system, velocities, target, impulses):
    """Compute the joint impulses that bring the joint velocities to `target`.

    Solves ``(G M^-1 G^T) impulses = target - G v`` with the Cholesky factor in `system`, and adds
    ``M^-1 G^T impulses`` to `velocities`. Both arrays are written in place.
    """
    constraint_velocities(system.jacobian, joints.row_bodies, velocities, impulses)
    for r in range(len(impulses)):
        impulses[r] = target[r] - impulses[r]
    solve_cholesky(system.factor, joints.first_column, joints.row_offset, impulses)
    add_impulses(system.responses, joints.row_bodies, impulses, velocities)


@jit_noalloc
def kinetic_energy(bodies, v):
    """Return the kinetic energy of all bodies."""
    total = 0.0
    for b in range(len(bodies.mass)):
        w, u = (v[b, 0], v[b, 1], v[b, 2]), (v[b, 3], v[b, 4], v[b, 5])
        total += (dot(w, matvec(bodies.J[b], w)) + bodies.mass[b] * dot(u, u)) / 2
    return total


@jit_alloc
def solve_velocities(bodies, joints, parameters, problem, solution):
    """Compute velocities and impulses under joints and contacts; see :class:`VelocitySolution`.

    Returns
    -------
    friction_residual : float
        Natural residual of the contact impulses.
    is_converged : bool
        True if friction converged and bouncing adds no energy.
    """
    state, contacts, target = problem.state, problem.contacts, problem.joint_target
    v, impulses = solution.v, solution.joint_impulses
    count, system = len(contacts), state.system
    rows = contact_jacobian(contacts, state.R, state.center)
    row_bodies, blocks = rows
    responses, min_velocities = empty((3 * count, 2, 6)), empty(count)
    impulse_responses(bodies, row_bodies, blocks, responses)
    write_contact_velocities(contacts, rows, problem.before, BEFORE)
    min_normal_velocities(contacts, parameters, problem.bounce_threshold, min_velocities)
    free_twists, mu = empty((len(v), 6)), empty(count)
    for b in range(len(v)):
        copy_array(v[b], free_twists[b])
    solve_joint_impulses(joints, system, free_twists, target, impulses)
    u_free = empty(3 * count)
    constraint_velocities(blocks, row_bodies, free_twists, u_free)
    for i in range(count):
        u_free[3 * i] -= min_velocities[i]
        mu[i] = contacts[i, MU]
    initial_guess = warm_start_impulses(contacts, problem.last_contacts, parameters.match_radius)
    contact_impulses, friction_residual, is_converged = solve_contact_impulses(
        (bodies, joints, system),
        rows,
        responses,
        (v, free_twists),
        u_free,
        mu,
        initial_guess,
        FRICTION_TOLERANCE,
        MAX_FRICTION_ITERATIONS,
    )
    add_impulses(responses, row_bodies, contact_impulses, v)
    solve_joint_impulses(joints, system, v, target, impulses)
    has_bounces = False
    for i in range(count):
        has_bounces = has_bounces or min_velocities[i] > 0
    if has_bounces:
        is_converged = is_converged and kinetic_energy(bodies, v) <= kinetic_energy(bodies, free_twists) * (
            1 + 1e-12
        )
    write_contact_velocities(contacts, rows, v, AFTER)
    for i in range(count):
        for k in range(3):
            contacts[i, IMPULSE + k] = contact_impulses[3 * i + k]
    store_impulses(contacts, solution.last_contacts)
    return friction_residual, is_converged


@jit_noalloc
def resting_velocity(parameters):
    """Return the normal velocity after falling for two steps; slower contacts do not bounce."""
    return -2 * parameters.h * norm(parameters.gravity)


@jit_noalloc
def is_rebounding(contact, h, bounce_threshold):
    """Return True for a contact of elastic bodies that would collide within a step."""
    approach = contact[BEFORE]
    return contact[RESTITUTION] > 0 and approach < bounce_threshold and contact[GAP] + h * approach <= 0


@jit_alloc
def has_impacts(contacts, state, parameters):
    """Return True if bodies rebound at the start of a step."""
    write_contact_velocities(contacts, contact_jacobian(contacts, state.R, state.center), state.v, BEFORE)
    count, threshold = 0, resting_velocity(parameters)
    for i in range(len(contacts)):
        count += is_rebounding(contacts[i], parameters.h, threshold)
    return count > 0


@jit_noalloc
def min_normal_velocities(contacts, parameters, bounce_threshold, min_velocities):
    """Write the smallest normal velocities that the contacts allow."""
    for i in range(len(contacts)):
        if is_rebounding(contacts[i], parameters.h, bounce_threshold):
            min_velocities[i] = -contacts[i, RESTITUTION] * contacts[i, BEFORE]
        else:
            min_velocities[i] = min(-contacts[i, GAP] / parameters.h, 0.0)


@jit_noalloc
def write_contact_velocities(contacts, rows, v, start):
    """Write the velocities along the rows of the contacts into the columns from `start`."""
    for i in range(len(contacts)):
        for k in range(3):
            r, total = 3 * i + k, 0.0
            for side in range(2):
                total += dot6(rows.blocks[r, side], v[rows.row_bodies[r, side]])
            contacts[i, start + k] = total


@jit_alloc
def separation_displacements(bodies, joints, slop, state, contacts, displacements):
    """Write the smallest displacements ``(n + 1, 6)`` that remove overlaps; return True on success.

    The masses define their norm, gaps are linearized. This is the problem of frictionless contacts, with
    displacements for velocities, as in :func:`rbnotes.multibody.maximal.stepping.separate_bodies`.
    """
    rows, size = contact_jacobian(contacts, state.R, state.center), 3 * len(contacts)
    responses, u_free, mu = empty((size, 2, 6)), zeros(size), zeros(len(contacts))
    impulse_responses(bodies, rows.row_bodies, rows.blocks, responses)
    for i in range(len(contacts)):
        gap = contacts[i, GAP]
        u_free[3 * i] = gap if gap < -slop else max(gap, 0.0)
    for b in range(len(displacements)):
        for k in range(6):
            displacements[b, k] = 0.0
    impulses, _, is_converged = solve_contact_impulses(
        (bodies, joints, state.system),
        rows,
        responses,
        (displacements, displacements),
        u_free,
        mu,
        zeros(size),
        FRICTION_TOLERANCE,
        MAX_FRICTION_ITERATIONS,
    )
    add_impulses(responses, rows.row_bodies, impulses, displacements)
    return is_converged


@jit_alloc
def update_contact_velocities(contacts, state, v):
    """Write the contact velocities after the correction of the joint impulses."""
    write_contact_velocities(contacts, contact_jacobian(contacts, state.R, state.center), v, AFTER)


@jit_alloc
def select_active_contacts(candidates, parameters, final, incoming, selected):
    """Copy the contacts that are active at the end of a step; return their number."""
    rows = contact_jacobian(candidates, final.R, final.center)
    write_contact_velocities(candidates, rows, incoming, BEFORE)
    return copy_active_contacts(candidates, parameters, selected)


@jit_noalloc
def copy_active_contacts(candidates, parameters, selected):
    """Copy the contacts that are active at their velocities before an update; return their number.

    The other ones close during the next step.
    """
    count, bounce_threshold = 0, resting_velocity(parameters)
    for i in range(len(candidates)):
        approach, gap = candidates[i, BEFORE], candidates[i, GAP]
        rebounds = candidates[i, RESTITUTION] > 0 and approach < bounce_threshold
        closes_later = gap > parameters.slop and approach < -gap / parameters.h
        if not (rebounds or closes_later):
            copy_array(candidates[i], selected[count])
            count += 1
    return count
