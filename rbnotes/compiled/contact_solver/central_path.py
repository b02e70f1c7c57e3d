"""Interior-point method for Coulomb's law, as in :mod:`rbnotes.friction.central_path`.

For each contact, x and y are points of the second-order cone: the impulse in units in which all cones are
equal, and the velocity in these units with its normal part raised by the sliding speed. Only islands without
joints are supported. Their linear systems have the size of the bodies, but rounding limits the path to
natural residuals of about 1e-5, from which Newton's method continues.
"""

import math
from typing import Any, NamedTuple

from rbnotes.compiled.array_allocation import empty, zeros
from rbnotes.compiled.contact_solver.contact_operator import (
    contact_scales,
    contact_velocities,
    factor_body_matrix,
    solve_body_matrix,
)
from rbnotes.compiled.contact_solver.newton_friction import natural_residual
from rbnotes.compiled.decorators import jit_alloc, jit_noalloc
from rbnotes.compiled.linear_algebra import add_scaled, copy_array, dot, matvec, nan_max, set_row, subtract
from rbnotes.compiled.structure_references import keep_alive, reference
from rbnotes.friction.central_path import (
    BOUNDARY_FRACTION,
    MAX_STAGNANT_ITERATIONS,
    MIN_STEP_FRACTION,
)


class ConePoints(NamedTuple):
    """Points of c contacts on the central path, and their linearization.

    Attributes
    ----------
    x, y
        Points of the cone ``(c, 3)``.
    dual_residual
        Differences between y and the raised velocities ``(c, 3)``.
    scaling, inverse_scaling
        Symmetric matrices Q and their inverses with ``Q y = Q^-1 x`` ``(c, 3, 3)``.
    scaled
        The points ``Q y`` ``(c, 3)``.
    units
        Units of the impulses, zero along the tangents of contacts without friction ``(c, 3)``.
    K
        Blocks of the linear system ``(c, 3, 3)``.
    """

    x: Any
    y: Any
    dual_residual: Any
    scaling: Any
    inverse_scaling: Any
    scaled: Any
    units: Any
    K: Any


class Direction(NamedTuple):
    """Changes of the points along a step, ``(c, 3)``.

    Attributes
    ----------
    x
        Changes of x.
    scaled_x, scaled_y
        Changes of ``Q^-1 x`` and ``Q y``.
    """

    x: Any
    scaled_x: Any
    scaled_y: Any


@jit_alloc
def follow_central_path(operator, u_free, mu, tolerance, max_iterations, best_impulses):
    """Write the best impulses along the path; return their residual and the number of iterations.

    The path is left at a natural residual of at most `tolerance`. `u_free` are the contact velocities without
    impulses, m/s, and `best_impulses` the impulses, N s, both ``(3 c,)``; `mu` has a number for each contact.
    """
    count = len(mu)
    points = allocate_points(count)
    direction = Direction(empty((count, 3)), empty((count, 3)), empty((count, 3)))
    best_residual, num_iterations = follow_points(
        operator,
        u_free,
        mu,
        tolerance,
        max_iterations,
        reference(points),
        reference(direction),
        best_impulses,
    )
    keep_alive(points)
    keep_alive(direction)
    return best_residual, num_iterations


@jit_alloc
def follow_points(operator, u_free, mu, tolerance, max_iterations, points, direction, best_impulses):
    """Do the work of :func:`follow_central_path`; points and direction are working memory."""
    size, count = len(u_free), len(mu)
    mobility, rho, u, r = empty(count), empty(count), empty(size), zeros(size)
    contact_scales(operator, mobility, rho)
    copy_array(r, best_impulses)
    best_residual = natural_residual(u_free, u_free, mu, r, rho, mobility)
    product = empty((count, 3))
    speed = write_impulse_units(u_free, mu, rho, points)
    if not speed > 0:
        return best_residual, 0
    iteration, num_stagnant = 0, 0
    while iteration < max_iterations and num_stagnant < MAX_STAGNANT_ITERATIONS:
        gap = 0.0
        for i in range(count):
            gap += dot(points.x[i], points.y[i]) / count
            for k in range(3):
                r[3 * i + k] = points.x[i, k] * points.units[i, k] * speed
        contact_velocities(operator, u_free, r, u)
        residual = natural_residual(u, u_free, mu, r, rho, mobility)
        if not math.isfinite(gap + residual):
            break
        num_stagnant += 1
        if residual < best_residual:
            copy_array(r, best_impulses)
            best_residual, num_stagnant = residual, 0
        if best_residual <= tolerance:
            break
        for i in range(count):
            linearize_contact(points, u, mu[i], speed, gap, i)
        if not factor_body_matrix(operator, points.K):
            break
        # Mehrotra's predictor and corrector
        for i in range(count):
            square = jordan_product(points.scaled[i], points.scaled[i])
            set_row(product, i, (-square[0], -square[1], -square[2]))
        find_direction(operator, points, product, direction)
        remaining = 1 - min(1.0, max_step(points.scaled, direction))
        for i in range(count):
            change = jordan_product(direction.scaled_x[i], direction.scaled_y[i])
            for k in range(3):
                product[i, k] -= change[k]
            product[i, 0] += remaining**3 * gap
        find_direction(operator, points, product, direction)
        step_length = min(1.0, BOUNDARY_FRACTION * max_step(points.scaled, direction))
        if not step_length > MIN_STEP_FRACTION:
            break
        for i in range(count):
            change = matvec(points.inverse_scaling[i], direction.scaled_y[i])
            for k in range(3):
                points.x[i, k] += step_length * direction.x[i, k]
                points.y[i, k] += step_length * change[k]
        iteration += 1
    return best_residual, iteration


@jit_alloc
def allocate_points(count):
    """Return uninitialized points of this number of contacts."""
    return ConePoints(
        zeros((count, 3)),
        zeros((count, 3)),
        empty((count, 3)),
        empty((count, 3, 3)),
        empty((count, 3, 3)),
        empty((count, 3)),
        empty((count, 3)),
        empty((count, 3, 3)),
    )


@jit_noalloc
def write_impulse_units(u_free, mu, rho, points):
    """Write the units of the impulses and the initial points; return the unit of the speeds."""
    speed = 0.0
    for i in range(len(mu)):
        unit = math.sqrt(rho[i]) if rho[i] > 0 else 1.0
        points.x[i, 0] = points.y[i, 0] = 1.0
        points.units[i, 0] = unit / mu[i] if mu[i] > 0 else unit
        points.units[i, 1] = points.units[i, 2] = unit if mu[i] > 0 else 0.0
        for k in range(3):
            speed = max(speed, abs(u_free[3 * i + k]) * unit)
    return speed


@jit_noalloc
def linearize_contact(points, u, mu, speed, gap, i):
    """Write residual, scaling and system block of contact i.

    With L, the derivative of the raised velocity by the velocity, and the units s of the impulses, the block
    is ``K = s Q^2 L s``.
    """
    x, y, s = points.x[i], points.y[i], points.units[i]
    v0, v1, v2 = u[3 * i] * s[0] / speed, u[3 * i + 1] * s[1] / speed, u[3 * i + 2] * s[2] / speed
    gradient1, gradient2 = 0.0, 0.0
    if mu > 0:
        sliding = math.sqrt(v1 * v1 + v2 * v2 + gap * gap)  # differentiable for sticking contacts
        v0, gradient1, gradient2 = v0 + sliding, v1 / sliding, v2 / sliding
    set_row(points.dual_residual, i, (y[0] - v0, y[1] - v1, y[2] - v2))
    write_scaling(x, y, points.scaling[i], points.inverse_scaling[i])
    set_row(points.scaled, i, matvec(points.scaling[i], y))
    for a in range(3):
        row = matvec(points.scaling[i], points.scaling[i, a])
        points.K[i, a, 0] = s[a] * row[0] * s[0]
        points.K[i, a, 1] = s[a] * (row[0] * gradient1 + row[1]) * s[1]
        points.K[i, a, 2] = s[a] * (row[0] * gradient2 + row[2]) * s[2]


@jit_noalloc
def write_scaling(x, y, Q, Q_inverse):
    """Write the Nesterov-Todd scaling, symmetric Q that maps the cone to itself with ``Q y = Q^-1 x``."""
    size_x, size_y = math.sqrt(cone_determinant(x)), math.sqrt(cone_determinant(y))
    scale = 1 / math.sqrt(2 * (1 + dot(x, y) / (size_x * size_y)))
    p0, p1, p2 = (
        scale * (x[0] / size_x + y[0] / size_y),
        scale * (x[1] / size_x - y[1] / size_y),
        scale * (x[2] / size_x - y[2] / size_y),
    )
    Q[0, 0], Q[0, 1], Q[0, 2] = p0, p1, p2
    Q[1, 1], Q[1, 2], Q[2, 2] = 1 + p1 * p1 / (1 + p0), p1 * p2 / (1 + p0), 1 + p2 * p2 / (1 + p0)
    Q[1, 0], Q[2, 0], Q[2, 1] = p1, p2, Q[1, 2]
    size = math.sqrt(size_x / size_y)
    for a in range(3):
        for b in range(3):
            sign = 1.0 if (a == 0) == (b == 0) else -1.0
            Q_inverse[a, b] = sign * Q[a, b] / size
            Q[a, b] *= size


@jit_noalloc
def cone_determinant(x):
    """Return ``x0^2 - x1^2 - x2^2``, positive inside the cone."""
    size = math.sqrt(x[1] * x[1] + x[2] * x[2])
    return (x[0] - size) * (x[0] + size)


@jit_noalloc
def jordan_product(x, y):
    """Return ``x o y``."""
    return dot(x, y), x[0] * y[1] + y[0] * x[1], x[0] * y[2] + y[0] * x[2]


@jit_noalloc
def jordan_quotient(x, product):
    """Return y with ``x o y = product``."""
    y0 = (x[0] * product[0] - x[1] * product[1] - x[2] * product[2]) / cone_determinant(x)
    return y0, (product[1] - y0 * x[1]) / x[0], (product[2] - y0 * x[2]) / x[0]


@jit_alloc
def find_direction(operator, points, product, direction):
    """Write the changes for changes `product` of ``x o y``.

    The linear system is ``(L s W s + Q^-2) dx = Q^-1 sum + dual_residual``, where ``sum`` is the sum of the
    scaled changes.
    """
    x = empty(3 * len(product))
    for i in range(len(product)):
        total = jordan_quotient(points.scaled[i], product[i])
        set_row(direction.scaled_y, i, total)
        right = add_scaled(matvec(points.inverse_scaling[i], total), 1.0, points.dual_residual[i])
        right = matvec(points.scaling[i], matvec(points.scaling[i], right))
        for k in range(3):
            x[3 * i + k] = right[k] * points.units[i, k]
    solve_body_matrix(operator, points.K, x)
    for i in range(len(product)):
        for k in range(3):
            unit = points.units[i, k]
            direction.x[i, k] = x[3 * i + k] / unit if unit > 0 else 0.0
        set_row(direction.scaled_x, i, matvec(points.inverse_scaling[i], direction.x[i]))
        set_row(direction.scaled_y, i, subtract(direction.scaled_y[i], direction.scaled_x[i]))


@jit_noalloc
def max_step(scaled, direction):
    """Return the largest multiple of the direction for which all points stay in the cone."""
    inverse_step = 0.0
    for i in range(len(scaled)):
        inverse_step = nan_max(inverse_step, inverse_step_to_boundary(scaled[i], direction.scaled_x[i]))
        inverse_step = nan_max(inverse_step, inverse_step_to_boundary(scaled[i], direction.scaled_y[i]))
    return 1 / inverse_step if inverse_step > 0 else math.inf


@jit_noalloc
def inverse_step_to_boundary(x, dx):
    """Return 1/t for the largest t with x + t dx in the cone; at most 0 if x + t dx stays in it for all t."""
    root = math.sqrt(cone_determinant(x))
    along = (x[0] * dx[0] - x[1] * dx[1] - x[2] * dx[2]) / (root * root)
    normal = (dx[0] / root + along) / (x[0] / root + 1)
    t1, t2 = (dx[1] - normal * x[1]) / root, (dx[2] - normal * x[2]) / root
    return math.sqrt(t1 * t1 + t2 * t2) - along
