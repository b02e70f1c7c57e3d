"""Projected Gauss-Seidel sweeps for Coulomb's law, contact by contact, for islands without joints.

They converge slowly, but from any impulses: Newton's method continues from their result.
"""

import math

from rbnotes.compiled.array_allocation import empty, zeros
from rbnotes.compiled.decorators import jit_alloc, jit_noalloc
from rbnotes.compiled.linear_algebra import dot6


@jit_alloc
def sweep_contacts(operator, u_free, mu, num_sweeps, r):
    """Improve the impulses r ``(3 c,)`` by sweeps, in place."""
    scales, v = empty((len(mu), 2)), zeros((len(operator.inertias) + 1, 6))
    start_sweeps(operator, r, scales, v)
    run_sweeps(operator, u_free, mu, num_sweeps, scales, v, r)


@jit_noalloc
def start_sweeps(operator, r, scales, v):
    """Write the velocities of the bodies, and the effective masses along normals and tangents ``(c, 2)``.

    That of the tangents is the smallest in any direction. Contacts that the bodies cannot move have none.
    """
    for i in range(len(scales)):
        k = 3 * i
        normal, first, second = (
            mobility(operator, k, k),
            mobility(operator, k + 1, k + 1),
            mobility(operator, k + 2, k + 2),
        )
        coupling = mobility(operator, k + 1, k + 2)
        largest = (first + second) / 2 + math.sqrt((first - second) ** 2 / 4 + coupling * coupling)
        scales[i, 0] = 1 / normal if normal > 0 else 0.0
        scales[i, 1] = 1 / largest if largest > 0 else 0.0
    for k in range(len(r)):
        add_row_impulse(operator, k, r[k], v)


@jit_noalloc
def mobility(operator, k, j):
    """Return the velocity along row k per unit impulse along row j of the same contact."""
    first, second = operator.jacobian[k], operator.responses[j]
    return dot6(first[0], second[0]) + dot6(first[1], second[1])


@jit_noalloc
def add_row_impulse(operator, k, impulse, v):
    """Add the velocity changes of both bodies by an impulse along row k."""
    for side in range(2):
        b = operator.row_bodies[k, side]
        for n in range(6):
            v[b, n] += operator.responses[k, side, n] * impulse


@jit_noalloc
def row_velocity(operator, u_free, v, k):
    """Return the velocity along row k."""
    rows, p, q = operator.jacobian[k], operator.row_bodies[k, 0], operator.row_bodies[k, 1]
    return u_free[k] + dot6(rows[0], v[p]) + dot6(rows[1], v[q])


@jit_noalloc
def run_sweeps(operator, u_free, mu, num_sweeps, scales, v, r):
    """Set the normal impulse of each contact, then its friction, for the velocities v, which are updated."""
    for _ in range(num_sweeps):
        for i in range(len(mu)):
            k = 3 * i
            normal = max(0.0, r[k] - scales[i, 0] * row_velocity(operator, u_free, v, k))
            add_row_impulse(operator, k, normal - r[k], v)
            x = r[k + 1] - scales[i, 1] * row_velocity(operator, u_free, v, k + 1)
            y = r[k + 2] - scales[i, 1] * row_velocity(operator, u_free, v, k + 2)
            size, bound = math.sqrt(x * x + y * y), mu[i] * normal
            if size > bound:
                x, y = bound / size * x, bound / size * y
            add_row_impulse(operator, k + 1, x - r[k + 1], v)
            add_row_impulse(operator, k + 2, y - r[k + 2], v)
            r[k], r[k + 1], r[k + 2] = normal, x, y
