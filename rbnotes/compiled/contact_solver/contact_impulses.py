"""Contact Jacobian, Delassus matrix, and the contact impulses of Coulomb's law.

A contact is a row of numbers (:mod:`rbnotes.compiled.record_layout`). Last contacts, those of the previous
velocity update, are the same rows with the impulse in world coordinates. The last body is the world.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from rbnotes.compiled.array_allocation import empty, zeros
from rbnotes.compiled.contact_solver.central_path import follow_central_path
from rbnotes.compiled.contact_solver.contact_operator import (
    body_operator,
    contact_scales,
    contact_velocities,
    dense_operator,
)
from rbnotes.compiled.contact_solver.envelope_factors import solve_lower
from rbnotes.compiled.contact_solver.gauss_seidel import sweep_contacts
from rbnotes.compiled.contact_solver.joint_constraints import add_impulses, write_block
from rbnotes.compiled.contact_solver.newton_friction import (
    natural_residual,
    open_contact,
    project_on_cone,
    solve_newton,
)
from rbnotes.compiled.decorators import jit_alloc, jit_noalloc
from rbnotes.compiled.linear_algebra import (
    copy_array,
    cross,
    dot,
    dot6,
    dot_range,
    fill_array,
    matvec_transposed,
    max_abs,
    nan_max,
    norm,
    scale,
    subtract,
)
from rbnotes.compiled.record_layout import IMPULSE, MU, NORMAL, POSITION, A, B
from rbnotes.compiled.structure_references import keep_alive, reference
from rbnotes.friction.contact_problem import CONSTRAINED_MOBILITY_TOLERANCE
from rbnotes.friction.semismooth_newton import ROUNDING_RESIDUAL

PATH_TOLERANCE = 1e-6
"""Natural residual at which Newton's method continues from a central path, unless rounding ends it before."""

PROMISING_RESIDUAL = 1e-5
"""Largest residual at which contacts open one after the other."""

FIRST_SWEEPS, SWEEP_RATIO = 50, 4
"""Sweeps before Newton's method starts again, and their ratio between rounds."""

MAX_ROUNDS, PATH_ROUND = 4, 1
"""Number of rounds in which Newton's method starts again, and the one that follows the central path."""

MAX_OPENED_CONTACTS = 20
"""Largest number of contacts that open after a search."""


class ContactJacobian(NamedTuple):
    """Three rows for each of c contacts: the normal and two tangents.

    Attributes
    ----------
    row_bodies
        Bodies of each row ``(3 c, 2)``.
    blocks
        Jacobian blocks of both bodies ``(3 c, 2, 6)``.
    """

    row_bodies: Any
    blocks: Any


@jit_noalloc
def contact_frame(contact, out):
    """Write the normal and two tangents ``(3, 3)``, as in :mod:`rbnotes.unchecked.contact_axes`."""
    n = (contact[NORMAL], contact[NORMAL + 1], contact[NORMAL + 2])
    least = 0
    for k in range(1, 3):
        if abs(n[k]) < abs(n[least]):
            least = k
    first = cross((1.0 if least == 0 else 0.0, 1.0 if least == 1 else 0.0, 1.0 if least == 2 else 0.0), n)
    first = scale(1 / norm(first), first)
    out[0, 0], out[0, 1], out[0, 2] = n
    out[1, 0], out[1, 1], out[1, 2] = first
    out[2, 0], out[2, 1], out[2, 2] = cross(n, first)


@jit_alloc
def contact_jacobian(contacts, R, x):
    """Return three rows for each contact: along the normal and along both tangents."""
    count = len(contacts)
    rows = ContactJacobian(empty((3 * count, 2), np.int64), empty((3 * count, 2, 6)))
    write_contact_jacobian(contacts, R, x, empty((3, 3)), rows)
    return rows


@jit_noalloc
def write_contact_jacobian(contacts, R, x, axes, rows):
    """Write the rows of :func:`contact_jacobian`; `axes` is working memory."""
    for i in range(len(contacts)):
        contact_frame(contacts[i], axes)
        position = (contacts[i, POSITION], contacts[i, POSITION + 1], contacts[i, POSITION + 2])
        for side in range(2):
            b, sign = int(contacts[i, A + side]), 1.0 if side == 0 else -1.0
            arm = subtract(position, (x[b, 0], x[b, 1], x[b, 2]))
            for k in range(3):
                direction = (axes[k, 0], axes[k, 1], axes[k, 2])
                rows.row_bodies[3 * i + k, side] = b
                moment = scale(sign, matvec_transposed(R[b], cross(arm, direction)))
                write_block(rows.blocks, 3 * i + k, side, moment, sign, direction)


@jit_alloc
def delassus_matrix(rows, responses, joints, system):
    """Return the contact velocities per unit contact impulse ``(3 c, 3 c)``, with the joints enforced."""
    size = len(responses)
    W = zeros((size, size))
    for i in range(0, size, 3):
        for j in range(0, i + 3, 3):
            for side in range(2):
                for other in range(2):
                    if rows.row_bodies[i, side] == rows.row_bodies[j, other]:
                        for a in range(3):
                            for b in range(3):
                                W[i + a, j + b] += dot6(rows.blocks[i + a, side], responses[j + b, other])
    if len(system.responses):
        joint_coupling = zeros((size, len(system.responses)))
        for i in range(size):
            for r in range(len(system.responses)):
                for side in range(2):
                    for other in range(2):
                        if rows.row_bodies[i, side] == joints.row_bodies[r, other]:
                            joint_coupling[i, r] += dot6(rows.blocks[i, side], system.responses[r, other])
            solve_lower(system.factor, joints.first_column, joints.row_offset, joint_coupling[i])
        for i in range(size):
            for j in range(i + 1):
                W[i, j] -= dot_range(joint_coupling[i], 0, joint_coupling[j], 0, 0, len(joint_coupling[i]))
    for i in range(size):
        for j in range(i):
            W[j, i] = W[i, j]
    return W


@jit_noalloc
def clear_blocked_directions(W, u_free, rows, bodies, unconstrained, v):
    """Clear W in directions that the joints block, and free velocities there that are only rounding.

    The rounding is estimated from the velocities with joints, `v`, and without joints, `unconstrained`.
    """
    for r in range(len(u_free)):
        free_effect, terms = 0.0, abs(u_free[r])
        for side in range(2):
            b = rows.row_bodies[r, side]
            if b < len(bodies.mass):
                for k in range(6):
                    inertia = bodies.J[b, k, k] if k < 3 else bodies.mass[b]
                    free_effect += rows.blocks[r, side, k] ** 2 / inertia
                    terms += abs(rows.blocks[r, side, k]) * (abs(v[b, k]) + abs(unconstrained[b, k]))
        if abs(W[r, r]) <= CONSTRAINED_MOBILITY_TOLERANCE * free_effect:
            for j in range(len(u_free)):
                W[r, j], W[j, r] = 0.0, 0.0
            if abs(u_free[r]) <= 1e-12 * terms:
                u_free[r] = 0.0


@jit_alloc
def warm_start_impulses(contacts, last_contacts, match_radius):
    """Return the last impulses near the contacts, projected on their cones, ``(3 c,)``, or zero."""
    impulses = zeros(3 * len(contacts))
    write_warm_start(contacts, last_contacts, match_radius, empty((3, 3)), impulses)
    return impulses


@jit_noalloc
def write_warm_start(contacts, last_contacts, match_radius, axes, impulses):
    """Write the impulses of :func:`warm_start_impulses`, zero before; `axes` is working memory."""
    for i in range(len(contacts)):
        nearest, min_distance_squared = -1, math.inf
        for j in range(len(last_contacts)):
            if last_contacts[j, A] == contacts[i, A] and last_contacts[j, B] == contacts[i, B]:
                distance_squared = 0.0
                for k in range(3):
                    distance_squared += (contacts[i, POSITION + k] - last_contacts[j, POSITION + k]) ** 2
                if distance_squared < min_distance_squared:
                    nearest, min_distance_squared = j, distance_squared
        if nearest >= 0 and math.sqrt(min_distance_squared) < match_radius:
            contact_frame(contacts[i], axes)
            impulse = (
                last_contacts[nearest, IMPULSE],
                last_contacts[nearest, IMPULSE + 1],
                last_contacts[nearest, IMPULSE + 2],
            )
            p = project_on_cone(
                (dot(axes[0], impulse), dot(axes[1], impulse), dot(axes[2], impulse)), contacts[i, MU]
            )
            impulses[3 * i], impulses[3 * i + 1], impulses[3 * i + 2] = p


@jit_alloc
def store_impulses(contacts, last_contacts):
    """Write the contacts with their impulses in world coordinates."""
    write_world_impulses(contacts, empty((3, 3)), last_contacts)


@jit_noalloc
def write_world_impulses(contacts, axes, last_contacts):
    """Do the work of :func:`store_impulses`; `axes` is working memory."""
    for i in range(len(contacts)):
        contact_frame(contacts[i], axes)
        copy_array(contacts[i], last_contacts[i])
        for k in range(3):
            last_contacts[i, IMPULSE + k] = 0.0
            for d in range(3):
                last_contacts[i, IMPULSE + k] += contacts[i, IMPULSE + d] * axes[d, k]


class Islands(NamedTuple):
    """Sets of contacts that bodies and joints couple.

    Attributes
    ----------
    start
        First contact of each set in `contacts`, and the number of contacts ``(k + 1,)``.
    contacts
        Contacts of one set after the other, ascending within each set.
    has_joints
        True if bodies of the set have joints ``(k,)``.
    """

    start: Any
    contacts: Any
    has_joints: Any


@jit_noalloc
def find_root(parent, b):
    """Return the representative of the set of b."""
    while parent[b] != b:
        parent[b] = parent[parent[b]]
        b = parent[b]
    return b


@jit_noalloc
def unite_bodies(parent, first, second):
    """Unite the sets of two bodies; the world, the last body, couples nothing."""
    world = len(parent) - 1
    if first < world and second < world:
        parent[find_root(parent, first)] = find_root(parent, second)


@jit_alloc
def contact_islands(row_bodies, joint_row_bodies, num_bodies, is_candidate):
    """Return the sets of candidates, contacts that may push, that are coupled by bodies and joints."""
    count = len(row_bodies) // 3
    parent, has_joints = empty(num_bodies + 1, np.int64), zeros(num_bodies + 1, np.bool_)
    for b in range(num_bodies + 1):
        parent[b] = b
    for r in range(len(joint_row_bodies)):
        unite_bodies(parent, joint_row_bodies[r, 0], joint_row_bodies[r, 1])
    for i in range(count):
        if is_candidate[i]:
            unite_bodies(parent, row_bodies[3 * i, 0], row_bodies[3 * i, 1])
    for r in range(len(joint_row_bodies)):
        for side in range(2):
            has_joints[find_root(parent, joint_row_bodies[r, side])] = True
    # Islands are numbered by their first contacts.
    number, num_islands = empty(num_bodies + 1, np.int64), 0
    fill_array(number, -1)
    island, sizes = empty(count, np.int64), zeros(count, np.int64)
    island_has_joints = zeros(count, np.bool_)
    for i in range(count):
        if not is_candidate[i]:
            continue
        root = find_root(parent, min(row_bodies[3 * i, 0], row_bodies[3 * i, 1]))
        if number[root] < 0:
            number[root], island_has_joints[num_islands] = num_islands, has_joints[root]
            num_islands += 1
        island[i] = number[root]
        sizes[island[i]] += 1
    start, contacts = zeros(num_islands + 1, np.int64), empty(count, np.int64)
    for k in range(num_islands):
        start[k + 1] = start[k] + sizes[k]
        sizes[k] = start[k]
    for i in range(count):
        if is_candidate[i]:
            contacts[sizes[island[i]]] = i
            sizes[island[i]] += 1
    return Islands(start, contacts, island_has_joints)


@jit_alloc
def select_contacts(rows, responses, contacts):
    """Return the Jacobian and the responses of some contacts, in ascending order."""
    size = 3 * len(contacts)
    if size == len(responses):
        return rows, responses
    selected = ContactJacobian(empty((size, 2), np.int64), empty((size, 2, 6)))
    selected_responses = empty((size, 2, 6))
    copy_contacts(rows, responses, contacts, selected, selected_responses)
    return selected, selected_responses


@jit_noalloc
def copy_contacts(rows, responses, contacts, selected, selected_responses):
    """Copy the Jacobian and the responses of some contacts."""
    for i in range(len(selected_responses)):
        row = 3 * contacts[i // 3] + i % 3
        for side in range(2):
            selected.row_bodies[i, side] = rows.row_bodies[row, side]
            for k in range(6):
                selected.blocks[i, side, k] = rows.blocks[row, side, k]
                selected_responses[i, side, k] = responses[row, side, k]


@jit_alloc
def solve_island(operator, u_free, mu, initial_guess, tolerance, max_iterations, impulses):
    """Write the best impulses of an island; return their residual.

    If Newton's method fails from the initial guess, and the bodies have no joints, it starts again after a
    few sweeps, from the central path, and after more and more sweeps.
    """
    residual = search_impulses(operator, u_free, mu, initial_guess, tolerance, max_iterations, impulses)
    if residual <= tolerance or len(operator.W):
        return residual
    start, candidate, num_sweeps = empty(len(u_free)), empty(len(u_free)), np.int64(FIRST_SWEEPS)
    copy_array(impulses, start)
    for n in range(MAX_ROUNDS):
        if n == PATH_ROUND:
            follow_central_path(operator, u_free, mu, PATH_TOLERANCE, max_iterations, start)
        else:
            sweep_contacts(operator, u_free, mu, num_sweeps, start)
            num_sweeps *= SWEEP_RATIO
        candidate_residual = search_impulses(
            operator, u_free, mu, start, tolerance, max_iterations, candidate
        )
        if candidate_residual < residual:
            copy_array(candidate, impulses)
            residual = candidate_residual
        if residual <= tolerance:
            break
    return residual


@jit_alloc
def search_impulses(operator, u_free, mu, initial_guess, tolerance, max_iterations, impulses):
    """Write the best impulses near the initial guess; return their residual.

    Where Newton's method ends near a solution, with more pushing contacts than the motion can keep closed,
    contacts open one after the other.
    """
    residual, _ = solve_newton(operator, u_free, mu, initial_guess, tolerance, max_iterations, impulses)
    if residual <= tolerance:
        return residual
    start, candidate = empty(len(u_free)), empty(len(u_free))
    copy_array(impulses, start)
    for _ in range(MAX_OPENED_CONTACTS):
        if residual <= tolerance or not residual <= PROMISING_RESIDUAL:
            break
        open_contact(operator, u_free, mu, start)
        candidate_residual, _ = solve_newton(
            operator, u_free, mu, start, tolerance, max_iterations, candidate
        )
        copy_array(candidate, start)
        if candidate_residual < residual:
            copy_array(candidate, impulses)
            residual = candidate_residual
    return residual


@jit_alloc
def solve_contact_impulses(
    model, rows, responses, twists, u_free, mu, initial_guess, tolerance, max_iterations
):
    """Solve each island; return the impulses, the residual, and True on success.

    `model` holds bodies, joints and the joint system, `twists` the velocities of the bodies without and
    with joint impulses. In directions that the joints block, `u_free` is cleared.

    Without joints, the islands consist of the candidates: contacts that would close without impulses, or that
    the initial guess pushes. Other contacts become candidates if they close under the impulses of candidates.
    """
    bodies, joints, _ = model
    count, num_bodies = len(mu), len(bodies.mass)
    impulses, u, mobility, rho = zeros(3 * count), empty(3 * count), empty(count), empty(count)
    fill_array(mobility, 1.0)
    fill_array(rho, 1.0)
    is_candidate, is_new = zeros(count, np.bool_), empty(count, np.bool_)
    numbers = empty(num_bodies + 1, np.int64)
    fastest, all_converged = max_abs(u_free), True
    for i in range(count):
        is_new[i] = len(joints.row_bodies) > 0 or u_free[3 * i] < 0 or initial_guess[3 * i] > 0
        for k in range(3 * i, 3 * i + 3):
            impulses[k], u[k] = initial_guess[k] if is_new[i] else 0.0, u_free[k]
    has_new = True
    while has_new:
        for i in range(count):
            is_candidate[i] = is_candidate[i] or is_new[i]
        fill_array(numbers, -1)
        islands = contact_islands(rows.row_bodies, joints.row_bodies, num_bodies, is_candidate)
        for k in range(len(islands.start) - 1):
            contacts, is_solved = islands.contacts[islands.start[k] : islands.start[k + 1]], True
            for i in contacts:
                is_solved = is_solved and not is_new[i]
            if not is_solved:
                all_converged = all_converged and solve_contacts(
                    model,
                    (rows, responses, twists, u_free, mu),
                    (contacts, islands.has_joints[k], numbers),
                    (tolerance, max_iterations),
                    (impulses, u, mobility, rho),
                )
        has_new = False
        if all_converged and len(joints.row_bodies) == 0:
            twist_changes = zeros((num_bodies + 1, 6))
            add_impulses(responses, rows.row_bodies, impulses, twist_changes)
            min_speed = -ROUNDING_RESIDUAL * fastest
            has_new = find_closing_contacts(rows, u_free, twist_changes, min_speed, is_candidate, is_new, u)
    residual = nan_max(
        natural_residual(u, u_free, mu, impulses, rho, mobility),
        rounding_residual(rows, responses, num_bodies, u_free, impulses),
    )
    return impulses, residual, all_converged and residual <= tolerance


@jit_noalloc
def find_closing_contacts(rows, u_free, twist_changes, min_speed, is_candidate, is_new, u):
    """Mark the contacts that close without being candidates; return True if there are any.

    A contact closes if its normal velocity is less than `min_speed`. The velocities of contacts that are not
    candidates are written to u.
    """
    has_new = False
    for i in range(len(is_candidate)):
        is_new[i] = False
        if not is_candidate[i]:
            for k in range(3 * i, 3 * i + 3):
                u[k] = u_free[k]
                for side in range(2):
                    u[k] += dot6(rows.blocks[k, side], twist_changes[rows.row_bodies[k, side]])
            is_new[i] = u[3 * i] < min_speed
            has_new = has_new or is_new[i]
    return has_new


@jit_alloc
def solve_contacts(model, problem, island, options, results):
    """Solve one island; write its part of the results, whose impulses are the guess; return True on success.

    The results are impulses, velocities, mobilities and their reciprocals of all contacts.
    """
    bodies, joints, system = model
    rows, responses, twists, u_free, mu = problem
    contacts, has_joints, numbers = island
    tolerance, max_iterations = options
    impulses, u, mobility, rho = results
    size = 3 * len(contacts)
    island_rows, island_responses = select_contacts(rows, responses, contacts)
    island_u_free, island_guess, island_mu = empty(size), empty(size), empty(size // 3)
    for i in range(size):
        row = 3 * contacts[i // 3] + i % 3
        island_u_free[i], island_guess[i] = u_free[row], impulses[row]
        island_mu[i // 3] = mu[contacts[i // 3]]
    if has_joints:
        W = delassus_matrix(island_rows, island_responses, joints, system)
        clear_blocked_directions(W, island_u_free, island_rows, bodies, twists[0], twists[1])
        operator = dense_operator(W)
    else:
        operator = body_operator(
            island_rows.row_bodies, island_rows.blocks, island_responses, bodies, numbers
        )
    island_impulses, island_u = empty(size), empty(size)
    operator_reference = reference(operator)
    island_residual = solve_island(
        operator_reference,
        island_u_free,
        island_mu,
        island_guess,
        tolerance,
        max_iterations,
        island_impulses,
    )
    contact_velocities(operator_reference, island_u_free, island_impulses, island_u)
    island_mobility, island_rho = empty(size // 3), empty(size // 3)
    contact_scales(operator_reference, island_mobility, island_rho)
    keep_alive(operator)
    for i in range(size):
        row = 3 * contacts[i // 3] + i % 3
        u_free[row], impulses[row], u[row] = (
            island_u_free[i],
            island_impulses[i],
            island_u[i],
        )
    for i in range(size // 3):
        mobility[contacts[i]], rho[contacts[i]] = island_mobility[i], island_rho[i]
    return island_residual <= tolerance


@jit_alloc
def rounding_residual(rows, responses, num_bodies, u_free, r):
    """Return the rounding of velocities (:func:`rbnotes.friction.residuals.rounding_residual`).

    The terms of the velocities are those of ``J (M^-1 J^T r)``.
    """
    terms, largest, fastest = zeros((num_bodies + 1, 6)), 0.0, 0.0
    for i in range(len(r)):
        for side in range(2):
            b = rows.row_bodies[i, side]
            for k in range(6):
                terms[b, k] += abs(responses[i, side, k] * r[i])
    for i in range(len(r)):
        total = 0.0
        for side in range(2):
            b = rows.row_bodies[i, side]
            for k in range(6):
                total += abs(rows.blocks[i, side, k]) * terms[b, k]
        largest, fastest = nan_max(largest, total), nan_max(fastest, abs(u_free[i]))
    return 2.0**-52 * largest / fastest if fastest > 0 else 0.0
