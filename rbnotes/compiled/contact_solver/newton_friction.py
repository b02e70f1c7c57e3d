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
    best_residual, steps, evaluated = natural_residual(W, free, mu, r, rho, mobility), 0, 0
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
            set_contact_vector(new, i, project_on_cone(contact_vector(new, i), mu[i]))
        candidate_residual = natural_residual(W, free, mu, new, rho, mobility)
        has_improved = candidate_residual < best_residual / 2
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
def project_on_cone(x, mu):
    """Project an impulse on the friction cone."""
    size, half_angle = math.sqrt(x[1] * x[1] + x[2] * x[2]), math.atan(mu)
    cos, sin = math.cos(half_angle), math.sin(half_angle)
    if size * cos <= x[0] * sin and x[0] >= 0:
        return x
    if size * sin <= -x[0] * cos:
        return 0.0, 0.0, 0.0
    along_edge = x[0] * cos + size * sin
    ratio = along_edge * sin / size if size > 0 else 0.0
    return along_edge * cos, ratio * x[1], ratio * x[2]


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
def stepped_impulse(r, u, rho):
    """Return ``r - rho u``."""
    return r[0] - rho * u[0], r[1] - rho * u[1], r[2] - rho * u[2]


@jit_noalloc
def friction_bound(mu, normal):
    """Return the largest friction impulse ``mu a``; zero without a positive normal impulse."""
    return mu * normal if normal > 0 else 0.0


@jit_noalloc
def project_on_admissible_impulses(x, bound):
    """Project an impulse on a nonnegative normal part and friction within the bound."""
    normal = 0.0 if x[0] < 0 else x[0]
    size = math.sqrt(x[1] * x[1] + x[2] * x[2])
    if size > bound:
        return normal, bound / size * x[1], bound / size * x[2]
    return normal, x[1], x[2]


@jit_noalloc
def natural_map(W, free, mu, r, rho, F):
    """Write F, the difference between the impulses and the projections of :func:`stepped_impulse`."""
    for i in range(len(mu)):
        impulse = contact_vector(r, i)
        x = stepped_impulse(impulse, contact_velocity(W, free, r, i), rho[i])
        y = project_on_admissible_impulses(x, friction_bound(mu[i], x[0]))
        set_contact_vector(F, i, (impulse[0] - y[0], impulse[1] - y[1], impulse[2] - y[2]))


@jit_noalloc
def natural_residual(W, free, mu, r, rho, mobility):
    """Return the natural residual of impulses (:func:`rbnotes.friction.residuals.natural_residual`)."""
    worst, fastest, fastest_response = 0.0, 0.0, 0.0
    for i in range(len(mu)):
        impulse, u = contact_vector(r, i), contact_velocity(W, free, r, i)
        y = project_on_admissible_impulses(
            stepped_impulse(impulse, u, rho[i]), friction_bound(mu[i], impulse[0])
        )
        for k in range(3):
            worst = nan_max(worst, mobility[i] * abs(impulse[k] - y[k]))
            fastest = nan_max(fastest, abs(free[3 * i + k]))
            fastest_response = nan_max(fastest_response, mobility[i] * abs(impulse[k]))
        if not mobility[i] > 0:
            worst = nan_max(worst, -u[0])
    unit = fastest if fastest > 0 else fastest_response
    return worst / unit if unit > 0 else worst


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
        impulse, u = contact_vector(r, i), contact_velocity(W, free, r, i)
        x = stepped_impulse(impulse, u, rho[i])
        bound = friction_bound(mu[i], x[0])
        y = project_on_admissible_impulses(x, bound)
        set_contact_vector(F, i, (impulse[0] - y[0], impulse[1] - y[1], impulse[2] - y[2]))
        projection_derivative(x, bound, mu[i], P)
        for a in range(3):
            row = 3 * i + a
            for j in range(len(r)):
                product = P[a, 0] * W[3 * i, j] + P[a, 1] * W[3 * i + 1, j] + P[a, 2] * W[3 * i + 2, j]
                derivative[row, j] = rho[i] * product
            derivative[row, row] += 1.0
            for b in range(3):
                derivative[row, 3 * i + b] -= P[a, b]


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
