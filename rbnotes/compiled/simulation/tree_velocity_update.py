"""Velocity update of a tree in joint coordinates, at fixed positions.

The reference is :mod:`rbnotes.multibody.verlet_step` with :mod:`rbnotes.multibody.joint_impulses`. It takes
over where the contact impulses, the modes of the servos or limits need more than this update does.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from rbnotes.compiled.array_allocation import empty, zeros
from rbnotes.compiled.array_views import view_at
from rbnotes.compiled.contact_solver.contact_impulses import (
    contact_frame,
    search_impulses,
    write_warm_start,
    write_world_impulses,
)
from rbnotes.compiled.contact_solver.contact_operator import dense_operator
from rbnotes.compiled.contact_solver.velocity_update import FRICTION_TOLERANCE, MAX_FRICTION_ITERATIONS
from rbnotes.compiled.decorators import jit_alloc, jit_noalloc, jit_reassoc
from rbnotes.compiled.linear_algebra import (
    add_scaled,
    copy_array,
    cross,
    dot,
    fill_array,
    max_abs,
    nan_max,
    subtract,
)
from rbnotes.compiled.padded_matrices import (
    factor_cholesky,
    multiply,
    multiply_columns,
    multiply_transposed,
    padded_size,
    solve_inward,
    solve_inward_columns,
    solve_outward,
    sum_squares,
)
from rbnotes.compiled.record_layout import AFTER, BEFORE, GAP, IMPULSE, MU, POSITION, A, B
from rbnotes.compiled.structure_references import keep_alive, reference
from rbnotes.friction.contact_problem import CONSTRAINED_MOBILITY_TOLERANCE
from rbnotes.friction.semismooth_newton import ROUNDING_RESIDUAL
from rbnotes.unchecked.bounded_impulses import (
    LINEAR,
    LOWER,
    MAX_MODE_CHANGES,
    RELATIVE_TOLERANCE,
    STIFF_INERTIA_FACTOR,
    UPPER,
)


class JointForces(NamedTuple):
    """Springs, dampers, actuators and limits of all coordinates ``(k,)``.

    Attributes
    ----------
    stiffness, spring_reference, damping
        Parameters of springs and dampers.
    kp, kd, force_limit
        Gains and largest forces of the actuators; force limits may be infinite.
    command_gain
        Force per unit of the command.
    lower, upper
        Limits of the coordinates; they may be infinite.
    """

    stiffness: Any
    spring_reference: Any
    damping: Any
    kp: Any
    kd: Any
    force_limit: Any
    command_gain: Any
    lower: Any
    upper: Any


class UpdateVectors(NamedTuple):
    """Working memory of a velocity update, padded ``(w,)``; the impulses are those over half a step.

    Attributes
    ----------
    gravity, spring, motor, damper
        Impulses of gravity, springs, motors, and of dampers at zero velocity.
    damping
        Impulse of the dampers per velocity.
    offset, gain, bound
        Impulses of the servos at zero velocity and per velocity, and their largest impulses.
    mode
        Modes of the servos (:mod:`rbnotes.multibody.bounded_rows`).
    impulse
        Sum of the impulses at zero velocity, without servos.
    right
        Right-hand side of the equations for the velocity changes.
    implicit
        Implicit terms on the diagonal of the mass matrix.
    solution, ones
        Unknowns of linear systems, and ones.
    unit_responses
        Columns for unit impulses along the coordinates ``(k, w)``.
    """

    gravity: Any
    spring: Any
    motor: Any
    damper: Any
    damping: Any
    offset: Any
    gain: Any
    bound: Any
    mode: Any
    impulse: Any
    right: Any
    implicit: Any
    solution: Any
    ones: Any
    unit_responses: Any


@jit_noalloc
def factor_mass(configuration, implicit):
    """Factor the mass matrix with these terms on its diagonal, unless it is factored with them already.

    Returns False if it is not positive definite.
    """
    M, L, num_changes = configuration.M, configuration.L, 0
    for j in range(len(M)):
        num_changes += implicit[j] != configuration.implicit[j]
    if num_changes == 0:
        return True
    for j in range(len(M)):
        copy_array(M[j], L[j])
        L[j, j] += implicit[j]
        configuration.implicit[j], configuration.impulse[j] = implicit[j], math.nan
    if factor_cholesky(L, configuration.inverse_pivots):
        return True
    fill_array(configuration.implicit, math.nan)
    return False


@jit_noalloc
def write_joint_inertias(joints, configuration, vectors):
    """Write the inertias of all coordinates; return False if the mass matrix is not positive definite.

    They are the reciprocals of the diagonal of the inverse mass matrix, and only needed for implicit forces.
    """
    is_implicit, unit_responses = False, vectors.unit_responses
    for j in range(len(unit_responses)):
        is_implicit = is_implicit or joints.kp[j] > 0 or joints.kd[j] > 0 or joints.damping[j] > 0
        fill_array(unit_responses[j], 0.0)
        unit_responses[j, j], vectors.implicit[j], vectors.ones[j] = 1.0, 0.0, 1.0
    if not is_implicit:
        return True
    if not factor_mass(configuration, vectors.implicit):
        return False
    solve_inward_columns(configuration.L, configuration.inverse_pivots, unit_responses)
    sum_squares(unit_responses, vectors.ones, configuration.inertia)
    for j in range(len(unit_responses)):
        configuration.inertia[j] = 1 / configuration.inertia[j]
    return True


@jit_noalloc
def implicit_fraction(z):
    """Return theta of :func:`rbnotes.multibody.joint_impulses.implicit_fraction`."""
    return 0.5 + z / 12 if z < 1e-3 else -1 / math.expm1(-z) - 1 / z


@jit_noalloc
def write_joint_impulses(joints, configuration, h, command, is_first, vectors):
    """Write the impulses of springs, dampers and actuators (:mod:`rbnotes.multibody.joint_impulses`)."""
    q = configuration.q
    for j in range(len(q)):
        is_servo = joints.kp[j] > 0 or joints.kd[j] > 0
        offset = joints.command_gain[j] * command[j]
        motor = 0.0 if is_servo else max(-joints.force_limit[j], min(joints.force_limit[j], offset))
        vectors.gravity[j], vectors.motor[j] = h / 2 * configuration.gravity[j], h / 2 * motor
        vectors.spring[j] = -h / 2 * joints.stiffness[j] * (q[j] - joints.spring_reference[j])
        vectors.damper[j], vectors.damping[j], vectors.gain[j] = 0.0, 0.0, 0.0
        vectors.offset[j], vectors.bound[j], vectors.mode[j] = 0.0, math.inf, LINEAR
        if is_servo or joints.damping[j] > 0:
            write_implicit_impulse(joints, j, configuration, h, command, is_first, vectors)


@jit_noalloc
def write_implicit_impulse(joints, j, configuration, h, command, is_first, vectors):
    """Write the impulses of the damper and the servo of coordinate j."""
    q, before, inertia = configuration.q, configuration.v, configuration.inertia[j]
    kp, kd = joints.kp[j], joints.kd[j]
    theta = implicit_fraction(h * (joints.damping[j] + kd) / (2 * inertia))
    vectors.damper[j] = -h / 2 * joints.damping[j] * (1 - theta) * before[j]
    vectors.damping[j] = h / 2 * joints.damping[j] * theta
    if kp > 0 or kd > 0:
        s = h * h * kp / (STIFF_INERTIA_FACTOR * inertia + h * h * kp)
        position, delay = q[j], h * (1 + s) / 2
        if not is_first:
            position, delay = q[j] - h * (1 - s) / 2 * before[j], h * s / 2
        offset = joints.command_gain[j] * command[j] - kp * position - kd * (1 - theta) * before[j]
        vectors.offset[j], vectors.gain[j] = h / 2 * offset, h / 2 * (kp * delay + kd * theta)
        vectors.bound[j] = h / 2 * joints.force_limit[j]
        vectors.mode[j] = UPPER if vectors.bound[j] == 0 else LINEAR


@jit_noalloc
def change_modes(velocity, vectors):
    """Change the modes of the servos that contradict their impulses; return True if there are none."""
    is_consistent = True
    for j in range(len(velocity)):
        gain, bound, mode = vectors.gain[j], vectors.bound[j], vectors.mode[j]
        if gain == 0 or bound == 0:
            continue
        scale, impulse = 1.0 if math.isinf(bound) else bound, vectors.offset[j] - gain * velocity[j]
        if mode == LINEAR:
            if abs(impulse) - bound > RELATIVE_TOLERANCE * scale:
                vectors.mode[j], is_consistent = UPPER if impulse > 0 else LOWER, False
        elif bound - mode * impulse > RELATIVE_TOLERANCE * scale:
            vectors.mode[j], is_consistent = LINEAR, False
    return is_consistent


@jit_noalloc
def servo_impulse(vectors, velocity, j):
    """Return the impulse of the servo of coordinate j in its mode; zero without a servo."""
    bound = vectors.bound[j]
    if vectors.mode[j] != LINEAR:
        return vectors.mode[j] * bound
    return max(-bound, min(bound, vectors.offset[j] - vectors.gain[j] * velocity[j]))


@jit_noalloc
def write_contact_rows(tree, configuration, contacts, axes, rows):
    """Write the rows of the normals and tangents on joint velocities; `axes` is memory.

    `rows` is the transposed Jacobian, padded ``(k, w)``: three columns for each contact.
    """
    columns, p = configuration.columns, configuration.p
    for j in range(len(rows)):
        fill_array(rows[j], 0.0)
    for i in range(len(contacts)):
        contact_frame(contacts[i], axes)
        position = (contacts[i, POSITION], contacts[i, POSITION + 1], contacts[i, POSITION + 2])
        for side in range(2):
            body, sign, part = int(contacts[i, A + side]), 1.0 if side == 0 else -1.0, len(tree.parent)
            if body < len(tree.body_part):
                part = tree.body_part[body]
            while part < len(tree.parent):
                origin, first = p[tree.origin[part]], tree.first_coordinate[part]
                arm = subtract(position, (origin[0], origin[1], origin[2]))
                for j in range(first, first + tree.num_coordinates[part]):
                    s = columns[j]
                    u = add_scaled((s[3], s[4], s[5]), 1.0, cross((s[0], s[1], s[2]), arm))
                    for d in range(3):
                        rows[j, 3 * i + d] += sign * dot(axes[d], u)
                part = tree.parent[part]


@jit_noalloc
def write_row_velocities(contacts, rows, v, numbers, start):
    """Write the velocities along the rows of the contacts into the columns from `start`."""
    multiply_transposed(rows, v, numbers)
    for i in range(len(contacts)):
        for d in range(3):
            contacts[i, start + d] = numbers[3 * i + d]


@jit_noalloc
def write_delassus_matrix(configuration, rows, responses, W):
    """Write ``L^-T J^T`` ``(k, w)`` and the contact velocities per unit impulse, padded ``(3 c, w)``."""
    for j in range(len(rows)):
        copy_array(rows[j], responses[j])
    solve_inward_columns(configuration.L, configuration.inverse_pivots, responses)
    multiply_columns(responses, W)


@jit_noalloc
def clear_blocked_rows(W, u_free, rows, configuration, vectors, v, numbers):
    """Clear W along rows that do not move, and free velocities there that are only rounding.

    As in :func:`rbnotes.friction.contact_problem.friction_contact_problem`.
    """
    inverse_inertia, before = vectors.solution, configuration.v
    for j in range(len(v)):
        inverse_inertia[j] = 1 / (configuration.M[j, j] + vectors.implicit[j])
    sum_squares(rows, inverse_inertia, numbers)
    for r in range(len(u_free)):
        if abs(W[r, r]) <= CONSTRAINED_MOBILITY_TOLERANCE * numbers[r]:
            terms = abs(u_free[r])
            for j in range(len(v)):
                change = abs(vectors.right[j]) * inverse_inertia[j]
                terms += abs(rows[j, r]) * (abs(v[j]) + abs(before[j]) + change)
            for i in range(len(u_free)):
                W[r, i], W[i, r] = 0.0, 0.0
            if abs(u_free[r]) <= 1e-12 * terms:
                u_free[r] = 0.0


@jit_reassoc
def velocity_rounding(W, u_free, impulses):
    """Return the rounding of velocities (:func:`rbnotes.friction.residuals.rounding_residual`)."""
    largest, fastest = 0.0, max_abs(u_free)
    for r in range(len(u_free)):
        total = 0.0
        for i in range(len(u_free)):
            total += abs(W[r, i]) * abs(impulses[i])
        largest = nan_max(largest, total)
    return 2.0**-52 * largest / fastest if fastest > 0 else 0.0


@jit_alloc
def solve_contact_problem(configuration, W, responses, u_free, mu, guess, numbers, change):
    """Solve for contact impulses, write them, and the velocities ``(w,)`` that they make.

    W and `responses` are those of :func:`write_delassus_matrix`; the impulses are padded. Returns their
    residual.
    """
    impulses, operator = empty(len(u_free)), dense_operator(W)
    residual = search_impulses(
        reference(operator), u_free, mu, guess, FRICTION_TOLERANCE, MAX_FRICTION_ITERATIONS, impulses
    )
    keep_alive(operator)
    fill_array(numbers, 0.0)
    copy_array(impulses, numbers)
    multiply(responses, numbers, change)
    solve_outward(configuration.L, configuration.inverse_pivots, change)
    return residual


@jit_noalloc
def solve_free_velocities(configuration, vectors, v):
    """Write the velocities without contacts; return False if the mass matrix is not definite.

    Without implicit terms both updates at the same coordinates often have the same impulses: the velocity
    changes of the last ones are used again.
    """
    before, change, num_changes = configuration.v, configuration.change, 0
    for j in range(len(v)):
        is_linear = vectors.mode[j] == LINEAR
        vectors.implicit[j] = vectors.damping[j] + (vectors.gain[j] if is_linear else 0.0)
        servo = vectors.offset[j] if is_linear else vectors.mode[j] * vectors.bound[j]
        vectors.right[j] = vectors.impulse[j] + servo - vectors.implicit[j] * before[j]
    if not factor_mass(configuration, vectors.implicit):
        return False
    for j in range(len(v)):
        num_changes += vectors.right[j] != configuration.impulse[j]
    if num_changes > 0:
        for j in range(len(v)):
            configuration.impulse[j], change[j] = vectors.right[j], vectors.right[j]
        solve_inward(configuration.L, configuration.inverse_pivots, change)
        solve_outward(configuration.L, configuration.inverse_pivots, change)
    for j in range(len(v)):
        v[j] = before[j] + change[j]
    return True


@jit_noalloc
def add_candidates(contacts, u_free, changes, guess, min_speed, is_candidate):
    """Mark the contacts of bodies that close or that the guess pushes; return True if there are new ones.

    A contact closes if its normal velocity, `u_free` plus the change by impulses, is less than `min_speed`.
    All contacts of the two bodies become candidates: their impulses may not be unique, and those of the
    reference depend on all of them.
    """
    has_new = False
    for i in range(len(contacts)):
        opens = u_free[3 * i] + changes[3 * i] >= min_speed  # False for NaN, so that the residual is NaN
        if not is_candidate[i] and (guess[3 * i] > 0 or not opens):
            has_new = True
            for j in range(len(contacts)):
                if contacts[j, A] == contacts[i, A] and contacts[j, B] == contacts[i, B]:
                    is_candidate[j] = True
    return has_new


@jit_alloc
def indices_of(is_candidate):
    """Return the indices of the candidates."""
    indices, count = empty(len(is_candidate), np.int64), 0
    for i in range(len(is_candidate)):
        if is_candidate[i]:
            indices[count] = i
            count += 1
    return indices[:count]


@jit_alloc
def solve_candidates(configuration, rows, numbers, contacts, candidates, problem, vectors, impulses):
    """Write the impulses of some contacts, and their velocity changes to ``vectors.solution``.

    `problem` holds the velocities of the coordinates without contacts, those of all contacts, and a guess of
    the impulses. Returns the residual.
    """
    v, u_free, guess = problem
    k, size, width = len(rows), 3 * len(candidates), padded_size(3 * len(candidates))
    memory = empty((2 * k + size) * width + 3 * size)
    own_rows, offset = view_at(memory, 0, (k, width))
    responses, offset = view_at(memory, offset, (k, width))
    W, offset = view_at(memory, offset, (size, width))
    own_u_free, offset = view_at(memory, offset, (size,))
    own_guess, offset = view_at(memory, offset, (size,))
    mu, _ = view_at(memory, offset, (len(candidates),))
    for j in range(k):
        fill_array(own_rows[j], 0.0)
    for n in range(size):
        r = 3 * candidates[n // 3] + n % 3
        own_u_free[n], own_guess[n], mu[n // 3] = u_free[r], guess[r], contacts[r // 3, MU]
        for j in range(k):
            own_rows[j, n] = rows[j, r]
    write_delassus_matrix(configuration, own_rows, responses, W)
    clear_blocked_rows(W, own_u_free, own_rows, configuration, vectors, v, numbers)
    residual = solve_contact_problem(
        configuration, W, responses, own_u_free, mu, own_guess, numbers, vectors.solution
    )
    for n in range(size):
        impulses[3 * candidates[n // 3] + n % 3] = numbers[n]
    residual = nan_max(residual, velocity_rounding(W, own_u_free, numbers))
    keep_alive(memory)
    return residual


@jit_alloc
def solve_contacts(
    parameters, configuration, rows, numbers, contacts, last_contacts, vectors, v, last_impulses
):
    """Write the impulses of the contacts, and add the velocities that they make; return the residual.

    v holds the velocities without contacts. The candidates, contacts of bodies that would close without
    impulses or that the last impulses push, are solved for. Others become candidates if they close under
    these impulses. `last_impulses` are the contacts with impulses in the world.
    """
    count, residual = len(contacts), 0.0
    u_free, impulses, is_candidate = empty(3 * count), zeros(3 * count), zeros(count, np.bool_)
    guess, axes = zeros(3 * count), empty((3, 3))
    write_warm_start(contacts, last_contacts, parameters.match_radius, axes, guess)
    multiply_transposed(rows, v, numbers)
    copy_array(numbers[: 3 * count], u_free)
    for i in range(count):
        u_free[3 * i] -= min(-contacts[i, GAP] / parameters.h, 0.0)
    fill_array(vectors.solution, 0.0)
    fill_array(numbers, 0.0)
    min_speed = -ROUNDING_RESIDUAL * max_abs(u_free)
    while add_candidates(contacts, u_free, numbers, guess, min_speed, is_candidate):
        residual = solve_candidates(
            configuration,
            rows,
            numbers,
            contacts,
            indices_of(is_candidate),
            (v, u_free, guess),
            vectors,
            impulses,
        )
        multiply_transposed(rows, vectors.solution, numbers)
    for j in range(len(v)):
        v[j] += vectors.solution[j]
    for i in range(count):
        for d in range(3):
            contacts[i, IMPULSE + d] = impulses[3 * i + d]
    write_world_impulses(contacts, axes, last_impulses)
    return residual


@jit_noalloc
def update_velocities(joints, parameters, configuration, problem, vectors, solution):
    """Compute velocities under forces, contacts and servos.

    `problem` holds the rows of the contacts and a number for each, the contacts, those of the previous update
    with their impulses, the commands, and the half of the step, 0 or 1.
    `solution` holds the velocities, the contacts of this update with their impulses in the world, and the
    impulses of the actuators, to which those of this update are added.

    Returns
    -------
    residual : float
        Residual of the contact impulses.
    is_converged : bool
        False if the reference must take the step.
    gravity_work, applied_work : float
        Works of gravity, and of springs, dampers and actuators: impulses times mean velocities.
    """
    rows, numbers, contacts, last_contacts, command, half = problem
    v, last_impulses, actuator_impulses = solution
    before, size, residual = configuration.v, len(v), 0.0
    write_joint_impulses(joints, configuration, parameters.h, command, half == 0, vectors)
    for j in range(size):
        vectors.impulse[j] = vectors.gravity[j] + vectors.spring[j] + vectors.motor[j] + vectors.damper[j]
    write_row_velocities(contacts, rows, before, numbers, BEFORE)
    is_converged, num_changes = False, 0
    while not is_converged and num_changes < MAX_MODE_CHANGES:
        if not solve_free_velocities(configuration, vectors, v):
            return 0.0, False, 0.0, 0.0
        if len(contacts):
            residual = solve_contacts(
                parameters,
                configuration,
                rows,
                numbers,
                contacts,
                last_contacts,
                vectors,
                v,
                last_impulses,
            )
            if not residual <= FRICTION_TOLERANCE:
                return residual, False, 0.0, 0.0
            last_contacts = last_impulses
        is_converged = change_modes(v, vectors)
        num_changes += 1
    write_row_velocities(contacts, rows, v, numbers, AFTER)
    gravity_work, applied_work = 0.0, 0.0
    for j in range(size):
        mean, actuator = (before[j] + v[j]) / 2, vectors.motor[j] + servo_impulse(vectors, v, j)
        actuator_impulses[j] += actuator
        gravity_work += vectors.gravity[j] * mean
        passive = vectors.spring[j] + vectors.damper[j] - vectors.damping[j] * v[j]
        applied_work += (passive + actuator) * mean
    return residual, is_converged, gravity_work, applied_work


@jit_noalloc
def keeps_limits(joints, configuration, v, h, slop):
    """Return True if the velocities v violate no limit.

    In the first half of a step the slop is negative, and the coordinates may reach the limits within the
    step. In the second one, those within the slop of a limit must not move beyond it.
    """
    for j in range(len(v)):
        for sign, gap in (
            (1.0, configuration.q[j] - joints.lower[j]),
            (-1.0, joints.upper[j] - configuration.q[j]),
        ):
            if slop < 0:
                if sign * v[j] < -max(gap, 0.0) / h:
                    return False
            elif gap <= slop and sign * v[j] < 0:
                return False
    return True
