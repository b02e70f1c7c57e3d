"""Semismooth Newton method for Coulomb's law, as in :mod:`rbnotes.friction.semismooth_newton`.

Impulses r, velocities u and F are ``(3 c,)``, three numbers for each contact; mu, mobility, its reciprocal
rho and units are ``(c,)``.
"""

import math

from rbnotes.compiled.array_allocation import empty, zeros
from rbnotes.compiled.array_views import view_at
from rbnotes.compiled.contact_solver.contact_operator import contact_scales, contact_velocities, newton_step
from rbnotes.compiled.decorators import jit_alloc, jit_noalloc
from rbnotes.compiled.linear_algebra import copy_array, nan_max
from rbnotes.friction.semismooth_newton import (
    MAX_DAMPING,
    MAX_STAGNATION_RATIO,
    MIN_DAMPING,
    ROUNDING_RESIDUAL,
    STAGNATION_WINDOW,
    SUFFICIENT_DECREASE,
)


@jit_alloc
def solve_newton(operator, u_free, mu, initial_guess, tolerance, max_iterations, best_impulses):
    """Write the best impulses near the initial guess; return their residual and the number of steps.

    `operator` is the :class:`~rbnotes.compiled.contact_solver.contact_operator.ContactOperator`.
    """
    memory = empty(33 * len(mu) + max_iterations + 1)
    return take_newton_steps(
        operator, u_free, mu, initial_guess, tolerance, max_iterations, memory, best_impulses
    )


@jit_noalloc
def take_newton_steps(operator, u_free, mu, initial_guess, tolerance, max_iterations, memory, best_impulses):
    """Do the work of :func:`solve_newton`.

    `memory` has 33 numbers for each contact, and one for each step and the start.
    """
    size, count = len(u_free), len(mu)
    scales, offset = view_at(memory, 0, (3, count))
    vectors, offset = view_at(memory, offset, (7, size))
    P, offset = view_at(memory, offset, (count, 3, 3))
    merits, _ = view_at(memory, offset, (max_iterations + 1,))
    mobility, rho, units = scales[0], scales[1], scales[2]
    write_scales(operator, mobility, rho, units)
    r, u, F, step = vectors[0], vectors[1], vectors[2], vectors[3]
    trial, trial_u, trial_F = vectors[4], vectors[5], vectors[6]
    copy_array(initial_guess, r)
    copy_array(initial_guess, best_impulses)
    contact_velocities(operator, u_free, r, u)
    best_residual, steps, evaluated = natural_residual(u, u_free, mu, r, rho, mobility), 0, 0
    natural_map(u, mu, r, rho, F)
    damping, has_improved = MIN_DAMPING, True
    while (
        best_residual > tolerance or (has_improved and best_residual > ROUNDING_RESIDUAL)
    ) and steps < max_iterations:
        merit = scaled_norm(F, units)
        merits[evaluated] = merit
        evaluated += 1
        if (
            evaluated > STAGNATION_WINDOW
            and merit > MAX_STAGNATION_RATIO * merits[evaluated - 1 - STAGNATION_WINDOW]
        ):
            break
        projection_derivatives(u, mu, r, rho, P)
        is_decreasing = False
        while damping <= MAX_DAMPING and steps < max_iterations:
            newton_step(operator, F, P, rho, units, damping, step)
            for i in range(size):
                trial[i] = r[i] - step[i]
            steps += 1
            contact_velocities(operator, u_free, trial, trial_u)
            natural_map(trial_u, mu, trial, rho, trial_F)
            is_decreasing = scaled_norm(trial_F, units) <= SUFFICIENT_DECREASE * merit
            if is_decreasing:
                break
            damping *= 10
        if not is_decreasing:
            break
        copy_array(trial, r)
        copy_array(trial_u, u)
        copy_array(trial_F, F)
        damping = max(damping / 30, MIN_DAMPING)
        for i in range(count):
            set_contact_vector(trial, i, project_on_cone(contact_vector(trial, i), mu[i]))
        contact_velocities(operator, u_free, trial, trial_u)
        candidate_residual = natural_residual(trial_u, u_free, mu, trial, rho, mobility)
        has_improved = candidate_residual < best_residual / 2
        if candidate_residual < best_residual:
            copy_array(trial, best_impulses)
            best_residual = candidate_residual
    return best_residual, steps


@jit_noalloc
def write_scales(operator, mobility, rho, units):
    """Write the mean mobilities of the contacts, their reciprocals, and the units of impulses."""
    contact_scales(operator, mobility, rho)
    for i in range(len(units)):
        units[i] = math.sqrt(rho[i]) if rho[i] > 0 else 1.0


@jit_alloc
def open_contact(operator, u_free, mu, r):
    """Move the impulses r ``(3 c,)`` along a Newton step until the first pushing contact opens, in place.

    If redundant contacts cannot all stay closed, the derivative of F is nearly singular and the step shifts
    impulses from those that separate to those that approach, without an effect on the motion.
    """
    size, count = len(u_free), len(mu)
    mobility, rho, units = empty(count), empty(count), empty(count)
    u, F, step, P = empty(size), empty(size), empty(size), zeros((count, 3, 3))
    write_scales(operator, mobility, rho, units)
    contact_velocities(operator, u_free, r, u)
    natural_map(u, mu, r, rho, F)
    projection_derivatives(u, mu, r, rho, P)
    newton_step(operator, F, P, rho, units, MIN_DAMPING, step)
    fraction = 1.0
    for i in range(count):
        if P[i, 0, 0] > 0 and step[3 * i] > 0:
            fraction = min(fraction, r[3 * i] / step[3 * i])
    for k in range(size):
        r[k] -= fraction * step[k]


@jit_noalloc
def contact_vector(r, i):
    """Return the three numbers of contact i."""
    return r[3 * i], r[3 * i + 1], r[3 * i + 2]


@jit_noalloc
def set_contact_vector(r, i, x):
    """Write the three numbers of contact i."""
    r[3 * i], r[3 * i + 1], r[3 * i + 2] = x


@jit_noalloc
def project_on_cone(x, mu):
    """Project an impulse on the friction cone."""
    size, slope = math.sqrt(x[1] * x[1] + x[2] * x[2]), math.hypot(1.0, mu)
    cos, sin = 1 / slope, mu / slope  # of the cone's half angle
    if size * cos <= x[0] * sin and x[0] >= 0:
        return x
    if size * sin <= -x[0] * cos:
        return 0.0, 0.0, 0.0
    along_edge = x[0] * cos + size * sin
    ratio = along_edge * sin / size if size > 0 else 0.0
    return along_edge * cos, ratio * x[1], ratio * x[2]


@jit_noalloc
def stepped_impulse(r, u, rho):
    """Return ``r - rho u``."""
    return r[0] - rho * u[0], r[1] - rho * u[1], r[2] - rho * u[2]


@jit_noalloc
def friction_bound(mu, normal):
    """Return the largest friction impulse ``mu a``; zero unless the normal impulse is positive."""
    return mu * normal if normal > 0 else 0.0


@jit_noalloc
def project_on_admissible_impulses(x, bound):
    """Return an impulse with a pushing normal part and friction within the bound."""
    normal = 0.0 if x[0] < 0 else x[0]
    size = math.sqrt(x[1] * x[1] + x[2] * x[2])
    if size > bound:
        return normal, bound / size * x[1], bound / size * x[2]
    return normal, x[1], x[2]


@jit_noalloc
def natural_map(u, mu, r, rho, F):
    """Write F, the difference between the impulses and the projections of :func:`stepped_impulse`."""
    for i in range(len(mu)):
        impulse = contact_vector(r, i)
        x = stepped_impulse(impulse, contact_vector(u, i), rho[i])
        y = project_on_admissible_impulses(x, friction_bound(mu[i], x[0]))
        set_contact_vector(F, i, (impulse[0] - y[0], impulse[1] - y[1], impulse[2] - y[2]))


@jit_noalloc
def natural_residual(u, u_free, mu, r, rho, mobility):
    """Return the natural residual of impulses (:func:`rbnotes.friction.residuals.natural_residual`)."""
    worst, fastest, fastest_response = 0.0, 0.0, 0.0
    for i in range(len(mu)):
        impulse, velocity = contact_vector(r, i), contact_vector(u, i)
        y = project_on_admissible_impulses(
            stepped_impulse(impulse, velocity, rho[i]), friction_bound(mu[i], impulse[0])
        )
        for k in range(3):
            worst = nan_max(worst, mobility[i] * abs(impulse[k] - y[k]))
            fastest = nan_max(fastest, abs(u_free[3 * i + k]))
            fastest_response = nan_max(fastest_response, mobility[i] * abs(impulse[k]))
        if not mobility[i] > 0:
            worst = nan_max(worst, -velocity[0])
    unit = fastest if fastest > 0 else fastest_response
    return worst / unit if unit > 0 else worst


@jit_noalloc
def scaled_norm(F, units):
    """Return the norm of F, with the numbers of each contact divided by its unit."""
    total = 0.0
    for k in range(len(F)):
        total += (F[k] / units[k // 3]) ** 2
    return math.sqrt(total)


@jit_noalloc
def projection_derivatives(u, mu, r, rho, P):
    """Write generalized derivatives ``(c, 3, 3)`` of the projections of :func:`stepped_impulse`."""
    for i in range(len(mu)):
        x = stepped_impulse(contact_vector(r, i), contact_vector(u, i), rho[i])
        projection_derivative(x, friction_bound(mu[i], x[0]), mu[i], P[i])


@jit_noalloc
def projection_derivative(x, bound, mu, P):
    """Write the derivative of the projection of x on the law."""
    for a in range(3):
        for b in range(3):
            P[a, b] = 0.0
    if not x[0] > 0:
        return
    P[0, 0] = 1.0
    size = math.sqrt(x[1] * x[1] + x[2] * x[2])
    if size <= bound:
        P[1, 1] = P[2, 2] = 1.0
        return
    t1, t2, ratio = x[1] / size, x[2] / size, bound / size
    P[1, 0], P[2, 0] = mu * t1, mu * t2
    P[1, 1], P[2, 2] = ratio * (1 - t1 * t1), ratio * (1 - t2 * t2)
    P[1, 2] = P[2, 1] = -ratio * t1 * t2
