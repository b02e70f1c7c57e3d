"""Semismooth Newton method for Coulomb's law, as in :mod:`rbnotes.friction.semismooth_newton`.

Impulses r, velocities u and F are ``(3 c,)``, three numbers for each contact; the Delassus matrix W is
``(3 c, 3 c)``; mu, mobility, its reciprocal rho and units are ``(c,)``.
"""

import math

import numpy as np
from numba.extending import overload
from numba.np.linalg import _LAPACK, F_INT_nptype

from rbnotes.compiled.decorators import jit_alloc, jit_noalloc
from rbnotes.compiled.linear_algebra import copy_array, nan_max
from rbnotes.friction.residuals import VELOCITY_RESIDUAL_WEIGHT
from rbnotes.friction.semismooth_newton import (
    MAX_DAMPING,
    MAX_STAGNATION_RATIO,
    MIN_DAMPING,
    ROUNDING_RESIDUAL,
    STAGNATION_WINDOW,
    SUFFICIENT_DECREASE,
)


@jit_alloc
def solve_newton(W, free, mu, initial_guess, tolerance, max_iterations, best_impulses):
    """Write the best impulses near the initial guess; return their residual and the number of steps."""
    size, count = len(free), len(mu)
    mobility, rho, units = np.empty(count), np.empty(count), np.empty(count)
    contact_scales(W, mobility, rho)
    for i in range(count):
        units[i] = math.sqrt(rho[i]) if rho[i] > 0 else 1.0
    r, new, F, trial = np.empty(size), np.empty(size), np.empty(size), np.empty(size)
    A, derivative, merits = np.empty((size, size)), np.empty((size, size)), np.empty(max_iterations + 1)
    copy_array(initial_guess, r)
    copy_array(initial_guess, best_impulses)
    best_residual, steps, evaluated = scaled_natural_residual(W, free, mu, r, rho, mobility, trial), 0, 0
    damping, has_improved = MIN_DAMPING, True
    while (
        best_residual > tolerance or (has_improved and best_residual > ROUNDING_RESIDUAL)
    ) and steps < max_iterations:
        natural_map_and_derivative(W, free, mu, r, rho, F, derivative)
        merit = scaled_norm(F, units)
        merits[evaluated] = merit
        evaluated += 1
        if (
            evaluated > STAGNATION_WINDOW
            and merit > MAX_STAGNATION_RATIO * merits[evaluated - 1 - STAGNATION_WINDOW]
        ):
            break
        is_decreasing = False
        while damping <= MAX_DAMPING and steps < max_iterations:
            newton_step(F, derivative, units, damping, A, new)
            for i in range(size):
                new[i] = r[i] - new[i]
            steps += 1
            natural_map(W, free, mu, new, rho, trial)
            is_decreasing = scaled_norm(trial, units) <= SUFFICIENT_DECREASE * merit
            if is_decreasing:
                break
            damping *= 10
        if not is_decreasing:
            break
        copy_array(new, r)
        damping = max(damping / 30, MIN_DAMPING)
        for i in range(count):
            set_contact_vector(new, i, project_to_cone(contact_vector(new, i), mu[i]))
        candidate_residual = scaled_natural_residual(W, free, mu, new, rho, mobility, trial)
        has_improved = candidate_residual < best_residual / 10
        if candidate_residual < best_residual:
            copy_array(new, best_impulses)
            best_residual = candidate_residual
    return best_residual, steps


@jit_noalloc
def contact_scales(W, mobility, rho):
    """Write the mean mobility of each contact and its reciprocal, zero for an immobile contact."""
    for i in range(len(mobility)):
        mobility[i] = (W[3 * i, 3 * i] + W[3 * i + 1, 3 * i + 1] + W[3 * i + 2, 3 * i + 2]) / 3
        rho[i] = 1 / mobility[i] if mobility[i] > 0 else 0.0


@jit_noalloc
def contact_vector(r, i):
    """Return the three numbers of contact i."""
    return r[3 * i], r[3 * i + 1], r[3 * i + 2]


@jit_noalloc
def set_contact_vector(r, i, x):
    """Write the three numbers of contact i."""
    r[3 * i], r[3 * i + 1], r[3 * i + 2] = x


@jit_noalloc
def cone_region(x, mu):
    """Return the region of the projection on the cone: 0 inside, 1 apex, 2 surface."""
    size = math.sqrt(x[1] * x[1] + x[2] * x[2])
    return 1 if mu * size <= -x[0] else 0 if size <= mu * x[0] and x[0] >= 0 else 2


@jit_noalloc
def project_to_cone(x, mu):
    """Project an impulse on the friction cone."""
    region = cone_region(x, mu)
    if region == 0:
        return x
    if region == 1:
        return 0.0, 0.0, 0.0
    size = math.sqrt(x[1] * x[1] + x[2] * x[2])
    normal = (x[0] + mu * size) / (1 + mu * mu)
    return normal, mu * normal * (x[1] / size), mu * normal * (x[2] / size)


@jit_noalloc
def contact_velocity(W, free, r, i):
    """Return the velocity of contact i under all impulses."""
    u0, u1, u2 = contact_vector(free, i)
    for j in range(len(r)):
        u0 += W[3 * i, j] * r[j]
        u1 += W[3 * i + 1, j] * r[j]
        u2 += W[3 * i + 2, j] * r[j]
    return u0, u1, u2


@jit_noalloc
def projection_argument(r, u, mu, rho):
    """Return ``r - rho (u + mu |u_t| n)``."""
    speed = math.sqrt(u[1] * u[1] + u[2] * u[2])
    return r[0] - rho * (u[0] + mu * speed), r[1] - rho * u[1], r[2] - rho * u[2]


@jit_noalloc
def natural_map(W, free, mu, r, rho, F):
    """Write F, the difference between the impulses and the projections of :func:`projection_argument`."""
    for i in range(len(mu)):
        contact_impulse = contact_vector(r, i)
        x = project_to_cone(
            projection_argument(contact_impulse, contact_velocity(W, free, r, i), mu[i], rho[i]), mu[i]
        )
        set_contact_vector(
            F, i, (contact_impulse[0] - x[0], contact_impulse[1] - x[1], contact_impulse[2] - x[2])
        )


@jit_noalloc
def scaled_natural_residual(W, free, mu, r, rho, mobility, F):
    """Return the natural residual of impulses (:func:`rbnotes.friction.residuals.natural_residual`)."""
    natural_map(W, free, mu, r, rho, F)
    worst, speed, scale, fastest = 0.0, 0.0, 0.0, 0.0
    for k in range(len(r)):
        i = k // 3
        worst, speed = nan_max(worst, abs(F[k])), nan_max(speed, mobility[i] * abs(F[k]))
        scale = nan_max(scale, nan_max(abs(r[k]), rho[i] * abs(free[k])))
        fastest = nan_max(fastest, abs(free[k]))
    natural = 0.0 if scale == 0 else worst / scale
    return nan_max(natural, VELOCITY_RESIDUAL_WEIGHT * speed / fastest) if fastest > 0 else natural


@jit_noalloc
def scaled_norm(F, units):
    """Return the norm of F, with the numbers of each contact divided by its unit."""
    total = 0.0
    for k in range(len(F)):
        total += (F[k] / units[k // 3]) ** 2
    return math.sqrt(total)


@jit_alloc
def natural_map_and_derivative(W, free, mu, r, rho, F, derivative):
    """Write F and one of its generalized derivatives ``(3 c, 3 c)``."""
    P = np.empty((3, 3))
    for i in range(len(mu)):
        contact_impulse, u = contact_vector(r, i), contact_velocity(W, free, r, i)
        speed = math.sqrt(u[1] * u[1] + u[2] * u[2])
        x = projection_argument(contact_impulse, u, mu[i], rho[i])
        y = project_to_cone(x, mu[i])
        set_contact_vector(
            F, i, (contact_impulse[0] - y[0], contact_impulse[1] - y[1], contact_impulse[2] - y[2])
        )
        projection_derivative(x, y, mu[i], P)
        # Derivative of u + mu |u_t| n by u.
        along = mu[i] / speed if speed > 0 else 0.0
        for a in range(3):
            by0, by1, by2 = P[a, 0], P[a, 1] + P[a, 0] * along * u[1], P[a, 2] + P[a, 0] * along * u[2]
            row = 3 * i + a
            for j in range(len(r)):
                product = by0 * W[3 * i, j] + by1 * W[3 * i + 1, j] + by2 * W[3 * i + 2, j]
                derivative[row, j] = rho[i] * product
            derivative[row, row] += 1.0
            for b in range(3):
                derivative[row, 3 * i + b] -= P[a, b]


@jit_noalloc
def projection_derivative(x, y, mu, P):
    """Write the derivative of the projection y of x on the cone."""
    region = cone_region(x, mu)
    for a in range(3):
        for b in range(3):
            P[a, b] = 1.0 if region == 0 and a == b else 0.0
    if region == 2:
        size, flat = math.sqrt(x[1] * x[1] + x[2] * x[2]), 1 / (1 + mu * mu)
        t1, t2, ratio, steep = x[1] / size, x[2] / size, mu * y[0] / size, mu * mu * flat
        P[0, 0] = flat
        P[0, 1] = P[1, 0] = mu * flat * t1
        P[0, 2] = P[2, 0] = mu * flat * t2
        P[1, 1] = steep * t1 * t1 + ratio * (1 - t1 * t1)
        P[2, 2] = steep * t2 * t2 + ratio * (1 - t2 * t2)
        P[1, 2] = P[2, 1] = (steep - ratio) * t1 * t2


@jit_alloc
def newton_step(F, derivative, units, damping, A, step):
    """Write the step to be subtracted from the impulses; A is working memory."""
    size = len(F)
    for i in range(size):
        unit = units[i // 3]
        for j in range(size):
            A[j, i] = derivative[i, j] * units[j // 3] / unit
        A[i, i] += damping
        step[i] = F[i] / unit
    solve_transposed(A, step)
    for i in range(size):
        step[i] *= units[i // 3]


def solve_transposed(A, x):
    """Replace x by the solution of ``A^T y = x``; overwrites A."""
    x[:] = np.linalg.solve(A.T, x)


@overload(solve_transposed)
def _overload_solve_transposed(A, x):
    # Calls LAPACK like numba's solve, whose checks and copies take longer to compile than this whole module.
    gesv, double = _LAPACK().numba_xgesv(A.dtype), ord("d")

    def solve(A, x):
        size = len(x)
        pivots = np.empty(size, F_INT_nptype)
        if gesv(double, size, 1, A.ctypes, size, pivots.ctypes, x.ctypes, size) != 0:
            x[:] = np.nan

    return solve
