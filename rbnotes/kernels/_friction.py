"""Newton's method for Coulomb's law, as :mod:`rbnotes.friction.newton` has it, number by number.

Impulses r, velocities u and F are ``(3 c,)``, three of each contact; the Delassus matrix W is ``(3 c, 3 c)``;
mu, mobility, its reciprocal rho and units are ``(c,)``.
"""

import math

import numpy as np
from numba.extending import overload
from numba.np.linalg import _LAPACK, F_INT_nptype

from rbnotes.friction.laws import COARSE
from rbnotes.friction.newton import ENOUGH, EXACT, LEAST, MOST, PATIENT, SLOW
from rbnotes.kernels._distance import bare, plain


@plain
def newton(W, free, mu, start, tolerance, most, best):
    """Writes the best impulses near the start; their residual, and the number of steps."""
    size, count = len(free), len(mu)
    mobility, rho, units = np.empty(count), np.empty(count), np.empty(count)
    for i in range(count):
        mobility[i] = (W[3 * i, 3 * i] + W[3 * i + 1, 3 * i + 1] + W[3 * i + 2, 3 * i + 2]) / 3
        rho[i] = 1 / mobility[i] if mobility[i] > 0 else 0.0
        units[i] = math.sqrt(rho[i]) if rho[i] > 0 else 1.0
    r, new, F, tried = np.empty(size), np.empty(size), np.empty(size), np.empty(size)
    A, slope, merits = np.empty((size, size)), np.empty((size, size)), np.empty(most + 1)
    copy(start, r)
    copy(start, best)
    least, steps, evaluated = residual(W, free, mu, r, rho, mobility, tried), 0, 0
    damping, gained = LEAST, True
    while (least > tolerance or (gained and least > EXACT)) and steps < most:
        equation(W, free, mu, r, rho, F, slope)
        merit = size_in(F, units)
        merits[evaluated] = merit
        evaluated += 1
        if evaluated > PATIENT and merit > SLOW * merits[evaluated - 1 - PATIENT]:
            break
        shrinks = False
        while damping <= MOST and steps < most:
            newton_step(F, slope, units, damping, A, new)
            for i in range(size):
                new[i] = r[i] - new[i]
            steps += 1
            error(W, free, mu, new, rho, tried)
            shrinks = size_in(tried, units) <= ENOUGH * merit
            if shrinks:
                break
            damping *= 10
        if not shrinks:
            break
        copy(new, r)
        damping = max(damping / 30, LEAST)
        for i in range(count):
            put(new, i, projected(get(new, i), mu[i]))
        left = residual(W, free, mu, new, rho, mobility, tried)
        gained = left < least / 10
        if left < least:
            copy(new, best)
            least = left
    return least, steps


@bare
def copy(x, out):
    """Writes numbers into another array."""
    for i in range(len(x)):
        out[i] = x[i]


@bare
def get(r, i):
    """Of one contact."""
    return r[3 * i], r[3 * i + 1], r[3 * i + 2]


@bare
def put(r, i, x):
    """Writes those of one contact."""
    r[3 * i], r[3 * i + 1], r[3 * i + 2] = x


@bare
def part_of(x, mu):
    """Where an impulse is projected on: 0 is itself, within the cone, 1 the apex, 2 the surface."""
    size = math.sqrt(x[1] * x[1] + x[2] * x[2])
    return 1 if mu * size <= -x[0] else 0 if size <= mu * x[0] and x[0] >= 0 else 2


@bare
def projected(x, mu):
    """The nearest impulse of the cone."""
    part = part_of(x, mu)
    if part == 0:
        return x
    if part == 1:
        return 0.0, 0.0, 0.0
    size = math.sqrt(x[1] * x[1] + x[2] * x[2])
    normal = (x[0] + mu * size) / (1 + mu * mu)
    return normal, mu * normal * (x[1] / size), mu * normal * (x[2] / size)


@bare
def velocity(W, free, r, i):
    """Of one contact under all impulses."""
    u0, u1, u2 = get(free, i)
    for j in range(len(r)):
        u0 += W[3 * i, j] * r[j]
        u1 += W[3 * i + 1, j] * r[j]
        u2 += W[3 * i + 2, j] * r[j]
    return u0, u1, u2


@bare
def stepped(r, u, mu, rho):
    """An impulse less its velocity, scaled and raised by mu times the sliding speed."""
    speed = math.sqrt(u[1] * u[1] + u[2] * u[2])
    return r[0] - rho * (u[0] + mu * speed), r[1] - rho * u[1], r[2] - rho * u[2]


@bare
def error(W, free, mu, r, rho, F):
    """Writes F: what impulses change by when their velocities are subtracted and the cones projected on."""
    for i in range(len(mu)):
        own = get(r, i)
        x = projected(stepped(own, velocity(W, free, r, i), mu[i], rho[i]), mu[i])
        put(F, i, (own[0] - x[0], own[1] - x[1], own[2] - x[2]))


@bare
def residual(W, free, mu, r, rho, mobility, F):
    """The natural residual of impulses (:func:`rbnotes.friction.laws.natural_residual`)."""
    error(W, free, mu, r, rho, F)
    worst, speed, scale, fastest = 0.0, 0.0, 0.0, 0.0
    for k in range(len(r)):
        i = k // 3
        worst, speed = larger(worst, abs(F[k])), larger(speed, mobility[i] * abs(F[k]))
        scale = larger(scale, larger(abs(r[k]), rho[i] * abs(free[k])))
        fastest = larger(fastest, abs(free[k]))
    natural = 0.0 if scale == 0 else worst / scale
    return larger(natural, COARSE * speed / fastest) if fastest > 0 else natural


@bare
def larger(a, b):
    """The larger number; NaN if one of them is, which ``max`` may lose."""
    return a if a >= b or a != a else b


@bare
def size_in(F, units):
    """Of F, each contact's in units of its own."""
    total = 0.0
    for k in range(len(F)):
        total += (F[k] / units[k // 3]) ** 2
    return math.sqrt(total)


@plain
def equation(W, free, mu, r, rho, F, slope):
    """Writes F and one of its generalised derivatives ``(3 c, 3 c)``."""
    P = np.empty((3, 3))
    for i in range(len(mu)):
        own, u = get(r, i), velocity(W, free, r, i)
        speed = math.sqrt(u[1] * u[1] + u[2] * u[2])
        x = stepped(own, u, mu[i], rho[i])
        y = projected(x, mu[i])
        put(F, i, (own[0] - y[0], own[1] - y[1], own[2] - y[2]))
        projection_slope(x, y, mu[i], P)
        # How the raised velocities change with those of the contacts.
        along = mu[i] / speed if speed > 0 else 0.0
        for a in range(3):
            by0, by1, by2 = P[a, 0], P[a, 1] + P[a, 0] * along * u[1], P[a, 2] + P[a, 0] * along * u[2]
            row = 3 * i + a
            for j in range(len(r)):
                product = by0 * W[3 * i, j] + by1 * W[3 * i + 1, j] + by2 * W[3 * i + 2, j]
                slope[row, j] = rho[i] * product
            slope[row, row] += 1.0
            for b in range(3):
                slope[row, 3 * i + b] -= P[a, b]


@bare
def projection_slope(x, y, mu, P):
    """Writes how the projection y of x on the cone changes with x."""
    part = part_of(x, mu)
    for a in range(3):
        for b in range(3):
            P[a, b] = 1.0 if part == 0 and a == b else 0.0
    if part == 2:
        size, flat = math.sqrt(x[1] * x[1] + x[2] * x[2]), 1 / (1 + mu * mu)
        t1, t2, ratio, steep = x[1] / size, x[2] / size, mu * y[0] / size, mu * mu * flat
        P[0, 0] = flat
        P[0, 1] = P[1, 0] = mu * flat * t1
        P[0, 2] = P[2, 0] = mu * flat * t2
        P[1, 1] = steep * t1 * t1 + ratio * (1 - t1 * t1)
        P[2, 2] = steep * t2 * t2 + ratio * (1 - t2 * t2)
        P[1, 2] = P[2, 1] = (steep - ratio) * t1 * t2


@plain
def newton_step(F, slope, units, damping, A, step):
    """Writes a step of Newton's method, to be subtracted; A is room."""
    size = len(F)
    for i in range(size):
        own = units[i // 3]
        for j in range(size):
            A[j, i] = slope[i, j] * units[j // 3] / own
        A[i, i] += damping
        step[i] = F[i] / own
    eliminated(A, step)
    for i in range(size):
        step[i] *= units[i // 3]


def eliminated(A, x):
    """Replaces x by what the transpose of A takes to it; A is room from then on."""
    x[:] = np.linalg.solve(A.T, x)


@overload(eliminated)
def _eliminated(A, x):
    # LAPACK as numba's own solve calls it, whose checks and copies take longer to compile than all else here.
    gesv, double = _LAPACK().numba_xgesv(A.dtype), ord("d")

    def factored(A, x):
        size = len(x)
        pivots = np.empty(size, F_INT_nptype)
        if gesv(double, size, 1, A.ctypes, size, pivots.ctypes, x.ctypes, size) != 0:
            x[:] = np.nan

    return factored
