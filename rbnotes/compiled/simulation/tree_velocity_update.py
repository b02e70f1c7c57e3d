"""Velocity update of a tree in joint coordinates, at fixed positions.

The reference is :mod:`rbnotes.multibody.verlet_step` with :mod:`rbnotes.multibody.joint_impulses`. It takes
over where the contact impulses, the modes of the servos or limits need more than this update does.
"""

import math
from typing import Any, NamedTuple

from rbnotes.compiled.array_allocation import empty
from rbnotes.compiled.contact_solver.contact_impulses import (
    contact_frame,
    search_impulses,
    store_impulses,
    warm_start_impulses,
)
from rbnotes.compiled.contact_solver.contact_operator import dense_operator
from rbnotes.compiled.contact_solver.velocity_update import FRICTION_TOLERANCE, MAX_FRICTION_ITERATIONS
from rbnotes.compiled.decorators import jit_alloc, jit_noalloc
from rbnotes.compiled.linear_algebra import (
    add_scaled,
    copy_array,
    cross,
    dot,
    dot_range,
    fill_array,
    max_abs,
    nan_max,
    reordered_dot_range,
    subtract,
)
from rbnotes.compiled.record_layout import AFTER, BEFORE, GAP, IMPULSE, MU, POSITION, A
from rbnotes.compiled.structure_references import keep_alive, reference
from rbnotes.friction.contact_problem import CONSTRAINED_MOBILITY_TOLERANCE
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
    """Working memory of a velocity update ``(k,)``; the impulses are those over half a step.

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
    momentum
        Right-hand side of the update, without servos.
    right
        The same with servos.
    L
        Mass matrix with the implicit terms, then its Cholesky factor ``(k, k)``.
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
    momentum: Any
    right: Any
    L: Any


@jit_noalloc
def factor_mass(L):
    """Replace the lower triangle of a matrix by its Cholesky factor; return False if it is not definite."""
    for i in range(len(L)):
        for j in range(i):
            L[i, j] = (L[i, j] - reordered_dot_range(L[i], 0, L[j], 0, 0, j)) / L[j, j]
        pivot = L[i, i] - reordered_dot_range(L[i], 0, L[i], 0, 0, i)
        if not pivot > 0:
            return False
        L[i, i] = math.sqrt(pivot)
    return True


@jit_noalloc
def solve_forward(L, x):
    """Replace x by ``L^-1 x``."""
    for i in range(len(x)):
        x[i] = (x[i] - reordered_dot_range(L[i], 0, x, 0, 0, i)) / L[i, i]


@jit_noalloc
def solve_backward(L, x):
    """Replace x by ``L^-T x``."""
    for back in range(len(x)):
        i = len(x) - 1 - back
        x[i] /= L[i, i]
        for j in range(i):
            x[j] -= L[i, j] * x[i]


@jit_noalloc
def copy_mass(M, damping, gain, mode, L):
    """Write the mass matrix with the implicit terms of dampers, and of servos within their limits."""
    for i in range(len(M)):
        for j in range(i + 1):
            L[i, j] = M[i, j]
        L[i, i] += damping[i] + (gain[i] if mode[i] == LINEAR else 0.0)


@jit_noalloc
def implicit_fraction(z):
    """Return theta of :func:`rbnotes.multibody.joint_impulses.implicit_fraction`."""
    return 0.5 + z / 12 if z < 1e-3 else -1 / math.expm1(-z) - 1 / z


@jit_noalloc
def write_joint_impulses(joints, configuration, h, command, is_first, vectors):
    """Write the impulses of springs, dampers and actuators (:mod:`rbnotes.multibody.joint_impulses`).

    Returns False if the mass matrix is not positive definite.
    """
    q, before, L, inverse = configuration.q, configuration.v, vectors.L, vectors.right
    is_implicit = False
    for j in range(len(q)):
        is_servo = joints.kp[j] > 0 or joints.kd[j] > 0
        is_implicit = is_implicit or is_servo or joints.damping[j] > 0
        offset = joints.command_gain[j] * command[j]
        motor = 0.0 if is_servo else max(-joints.force_limit[j], min(joints.force_limit[j], offset))
        vectors.gravity[j], vectors.motor[j] = h / 2 * configuration.gravity[j], h / 2 * motor
        vectors.spring[j] = -h / 2 * joints.stiffness[j] * (q[j] - joints.spring_reference[j])
        vectors.damper[j], vectors.damping[j], vectors.gain[j] = 0.0, 0.0, 0.0
        vectors.offset[j], vectors.bound[j], vectors.mode[j] = 0.0, math.inf, LINEAR
    if is_implicit:
        for i in range(len(q)):
            for j in range(i + 1):
                L[i, j] = configuration.M[i, j]
        if not factor_mass(L):
            return False
        for j in range(len(q)):
            if joints.kp[j] > 0 or joints.kd[j] > 0 or joints.damping[j] > 0:
                for i in range(len(q)):
                    inverse[i] = 1.0 if i == j else 0.0
                solve_forward(L, inverse)
                inertia = 1 / dot_range(inverse, 0, inverse, 0, j, len(q))
                write_implicit_impulse(joints, j, inertia, q, before, h, command, is_first, vectors)
    return True


@jit_noalloc
def write_implicit_impulse(joints, j, inertia, q, before, h, command, is_first, vectors):
    """Write the impulses of the damper and the servo of coordinate j with this inertia."""
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
    """Write the rows ``(3 c, k)`` of the normals and tangents on joint velocities; `axes` is memory."""
    columns, p = configuration.columns, configuration.p
    for i in range(len(contacts)):
        contact_frame(contacts[i], axes)
        for d in range(3):
            fill_array(rows[3 * i + d], 0.0)
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
                        rows[3 * i + d, j] += sign * dot(axes[d], u)
                part = tree.parent[part]


@jit_noalloc
def write_row_velocities(contacts, rows, v, start):
    """Write the velocities along the rows of the contacts into the columns from `start`."""
    for i in range(len(contacts)):
        for d in range(3):
            contacts[i, start + d] = dot_range(rows[3 * i + d], 0, v, 0, 0, len(v))


@jit_noalloc
def write_delassus_matrix(L, rows, responses, W):
    """Write ``L^-1 rows^T`` and the contact velocities per unit impulse ``(3 c, 3 c)``."""
    for r in range(len(rows)):
        copy_array(rows[r], responses[r])
        solve_forward(L, responses[r])
        for i in range(r + 1):
            W[r, i] = reordered_dot_range(responses[r], 0, responses[i], 0, 0, len(L))
            W[i, r] = W[r, i]


@jit_noalloc
def clear_blocked_rows(W, u_free, rows, M, vectors, v):
    """Clear W along rows that do not move, and free velocities there that are only rounding.

    As in :func:`rbnotes.friction.contact_problem.friction_contact_problem`.
    """
    for r in range(len(u_free)):
        mobility, terms = 0.0, abs(u_free[r])
        for j in range(len(v)):
            inertia = M[j, j] + vectors.damping[j]
            if vectors.mode[j] == LINEAR:
                inertia += vectors.gain[j]
            mobility += rows[r, j] * rows[r, j] / inertia
            terms += abs(rows[r, j]) * (abs(v[j]) + abs(vectors.right[j]) / inertia)
        if abs(W[r, r]) <= CONSTRAINED_MOBILITY_TOLERANCE * mobility:
            for i in range(len(u_free)):
                W[r, i], W[i, r] = 0.0, 0.0
            if abs(u_free[r]) <= 1e-12 * terms:
                u_free[r] = 0.0


@jit_noalloc
def velocity_rounding(W, u_free, impulses):
    """Return the rounding of velocities (:func:`rbnotes.friction.residuals.rounding_residual`)."""
    largest, fastest = 0.0, max_abs(u_free)
    for r in range(len(u_free)):
        total = 0.0
        for i in range(len(u_free)):
            total += abs(W[r, i]) * abs(impulses[i])
        largest = nan_max(largest, total)
    return 2.0**-52 * largest / fastest if fastest > 0 else 0.0


@jit_noalloc
def add_contact_impulses(L, responses, impulses, change, v):
    """Add the velocities that contact impulses make; `change` is working memory."""
    for j in range(len(v)):
        change[j] = 0.0
    for r in range(len(impulses)):
        for j in range(len(v)):
            change[j] += responses[r, j] * impulses[r]
    solve_backward(L, change)
    for j in range(len(v)):
        v[j] += change[j]


@jit_noalloc
def solve_free_velocities(M, vectors, v):
    """Write the velocities without contacts; return False if the mass matrix is not definite."""
    copy_mass(M, vectors.damping, vectors.gain, vectors.mode, vectors.L)
    for j in range(len(v)):
        impulse = vectors.mode[j] * vectors.bound[j] if vectors.mode[j] != LINEAR else vectors.offset[j]
        vectors.right[j] = vectors.momentum[j] + impulse
        v[j] = vectors.right[j]
    if not factor_mass(vectors.L):
        return False
    solve_forward(vectors.L, v)
    solve_backward(vectors.L, v)
    return True


@jit_alloc
def solve_contacts(parameters, M, rows, contacts, last_contacts, vectors, v, last_impulses):
    """Write the impulses of the contacts, and add the velocities that they make; return the residual.

    v holds the velocities without contacts. `last_impulses` are the contacts with impulses in the world.
    """
    count, size = len(rows), len(v)
    responses, W, u_free = empty((count, size)), empty((count, count)), empty(count)
    mu, impulses = empty(len(contacts)), empty(count)
    guess = warm_start_impulses(contacts, last_contacts, parameters.match_radius)
    write_delassus_matrix(vectors.L, rows, responses, W)
    for i in range(len(contacts)):
        mu[i] = contacts[i, MU]
        for r in range(3 * i, 3 * i + 3):
            u_free[r] = dot_range(rows[r], 0, v, 0, 0, size)
        u_free[3 * i] -= min(-contacts[i, GAP] / parameters.h, 0.0)
    clear_blocked_rows(W, u_free, rows, M, vectors, v)
    operator = dense_operator(W)
    residual = search_impulses(
        reference(operator), u_free, mu, guess, FRICTION_TOLERANCE, MAX_FRICTION_ITERATIONS, impulses
    )
    keep_alive(operator)
    add_contact_impulses(vectors.L, responses, impulses, vectors.right, v)
    for i in range(len(contacts)):
        for d in range(3):
            contacts[i, IMPULSE + d] = impulses[3 * i + d]
    store_impulses(contacts, last_impulses)
    return nan_max(residual, velocity_rounding(W, u_free, impulses))


@jit_noalloc
def update_velocities(joints, parameters, configuration, problem, vectors, solution):
    """Compute velocities under forces, contacts and servos.

    `problem` holds the rows of the contacts, the contacts, those of the previous update with their impulses,
    the commands, and the half of the step, 0 or 1. `solution` holds the velocities, the contacts of this
    update with their impulses in the world, and the impulses of the actuators, to which those of this update
    are added.

    Returns
    -------
    residual : float
        Residual of the contact impulses.
    is_converged : bool
        False if the reference must take the step.
    gravity_work, applied_work : float
        Works of gravity, and of springs, dampers and actuators: impulses times mean velocities.
    """
    rows, contacts, last_contacts, command, half = problem
    v, last_impulses, actuator_impulses = solution
    M, before, size, residual = configuration.M, configuration.v, len(v), 0.0
    if not write_joint_impulses(joints, configuration, parameters.h, command, half == 0, vectors):
        return 0.0, False, 0.0, 0.0
    for j in range(size):
        momentum = dot_range(M[j], 0, before, 0, 0, size) + vectors.gravity[j] + vectors.spring[j]
        vectors.momentum[j] = momentum + vectors.motor[j] + vectors.damper[j]
    write_row_velocities(contacts, rows, before, BEFORE)
    is_converged, num_changes = False, 0
    while not is_converged and num_changes < MAX_MODE_CHANGES:
        if not solve_free_velocities(M, vectors, v):
            return 0.0, False, 0.0, 0.0
        if len(contacts):
            residual = solve_contacts(parameters, M, rows, contacts, last_contacts, vectors, v, last_impulses)
            if not residual <= FRICTION_TOLERANCE:
                return residual, False, 0.0, 0.0
            last_contacts = last_impulses
        is_converged = change_modes(v, vectors)
        num_changes += 1
    write_row_velocities(contacts, rows, v, AFTER)
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
