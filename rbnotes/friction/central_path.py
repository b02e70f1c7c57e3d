"""Interior-point method for Coulomb's law, for all contacts at once.

With de Saxce's change of variable, the impulses r lie in the friction cones, the velocities u raised by
``mu |s| e_n`` in the dual cones, and the two are orthogonal. In the scaled variables

    x = (mu a, b),     y = (u / mu + |s|, s)

both lie in the same second-order cone. Orthogonality is replaced by ``x o y = t e`` (the product of the
Jordan algebra of that cone) with decreasing t. Inside the cones this equation is smooth, and impulses that
several contacts could share are distributed evenly. Newton's method gains about a digit in one or two steps;
it uses the Nesterov-Todd scaling and Mehrotra's predictor and corrector (Vandenberghe, "The CVXOPT linear and
quadratic cone program solvers", for programs; Acary, Armand, Nguyen and Shpakovych for friction).

If the sliding speeds ``|s|`` are given, the problem is a convex program, whose central path always leads to a
solution. If they depend on the impulses, the problem is Coulomb's law, for which convergence is usual but not
guaranteed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dgetrf, dgetrs

from rbnotes.arguments import Array
from rbnotes.friction.contact_problem import DelassusProblem
from rbnotes.friction.residuals import natural_residual_unchecked

BOUNDARY_FRACTION = 0.99
"""Largest fraction of the distance to the boundary of the cones that a step may cover."""

MIN_STEP_FRACTION = 1e-6
"""Step fraction below which the iteration ends."""

DIAGONAL_REGULARIZATION = 1e-14
"""Regularization of the diagonal of W, relative to its largest entry; fixed contacts then get an impulse."""

MAX_STAGNANT_ITERATIONS = 8
"""Largest number of consecutive steps without a smaller natural residual."""

_REFLECTION = np.array([1.0, -1.0, -1.0])


class _ScaledProblem(NamedTuple):
    """Contacts in units in which all cones are equal and impulses are of size one.

    Attributes
    ----------
    W
        Delassus matrix ``(3 c, 3 c)``.
    free_contact_velocities
        Contact velocities without impulses ``(c, 3)``.
    has_friction
        One where sliding raises the normal velocity, else zero ``(c,)``.
    impulse_units
        Units of the impulses ``(c, 3)``; zero if a contact has no tangents.
    speed_unit
        Largest product of a free contact velocity and the unit of its contact.
    contact_units
        Unit of each contact ``(c,)``, the square root of its effective mass: velocities are multiplied by it
        and divided by ``speed_unit``.
    """

    W: Array
    free_contact_velocities: Array
    has_friction: Array
    impulse_units: Array
    speed_unit: float
    contact_units: Array


def follow_central_path(
    contact_problem: DelassusProblem, tolerance: float, max_iterations: int, sliding: Array | None = None
) -> tuple[Array, float, int]:
    """Return the best impulses ``(c, 3)``, their natural residual, and the number of iterations.

    Parameters
    ----------
    contact_problem
        Contacts with their Delassus matrix.
    tolerance
        Accepted natural residual; for given sliding speeds, accepted complementarity.
    max_iterations
        Largest number of iterations.
    sliding : (c,), optional
        Prescribed sliding speeds, m/s; by default those that follow from the impulses.
    """
    count = contact_problem.count
    best, best_residual = (
        np.zeros((count, 3)),
        natural_residual_unchecked(
            contact_problem, np.zeros((count, 3)), contact_problem.free_contact_velocities
        ),
    )
    if not np.abs(contact_problem.free_contact_velocities).max(initial=0.0) > 0 or best_residual <= tolerance:
        return best, best_residual, 0
    scaled_problem = _scale_problem(contact_problem)
    prescribed_speeds = (
        None if sliding is None else sliding * scaled_problem.contact_units / scaled_problem.speed_unit
    )
    x: Array = np.zeros((count, 3))
    x[:, 0] = 1.0
    if prescribed_speeds is not None:  # impulses that are too large shrink within a few steps
        damped = scaled_problem.W + 1e-3 * np.eye(3 * count)
        candidate_residual = np.linalg.norm(
            np.linalg.solve(damped, -scaled_problem.free_contact_velocities.ravel()).reshape(-1, 3), axis=1
        )
        x[:, 0] = np.maximum(1.0, candidate_residual)
    y: Array = np.tile([1.0, 0.0, 0.0], (count, 1))
    iteration = stagnant_iterations = 0
    with np.errstate(all="ignore"):  # at the end of the path rounding moves points out of the cones
        while iteration < max_iterations and stagnant_iterations < MAX_STAGNANT_ITERATIONS:
            gap = float(np.sum(x * y)) / count
            impulses = x * scaled_problem.impulse_units
            candidate_residual = natural_residual_unchecked(
                contact_problem, impulses, contact_problem.velocities_from_impulses(impulses)
            )
            if not np.isfinite(gap + candidate_residual):
                break
            stagnant_iterations += 1
            if candidate_residual < best_residual or (prescribed_speeds is not None and iteration):
                best, best_residual, stagnant_iterations = impulses, candidate_residual, 0
            if (best_residual if prescribed_speeds is None else gap) <= tolerance:
                break
            step = _predictor_corrector_step(scaled_problem, x, y, gap, prescribed_speeds)
            if step is None:
                break
            x, y = step
            iteration += 1
    return best, best_residual, iteration


def _scale_problem(contact_problem: DelassusProblem) -> _ScaledProblem:
    """Return the contacts in the units of :class:`_ScaledProblem`."""
    count, mu = contact_problem.count, contact_problem.mu
    has_friction = mu > 0
    mobility = contact_problem.mobility
    units = np.sqrt(np.divide(1.0, mobility, out=np.ones(count), where=mobility > 0))
    speed = float(np.abs(contact_problem.free_contact_velocities * units[:, None]).max())
    scale = np.repeat(units[:, None], 3, axis=1)
    scale[has_friction, 0] /= mu[has_friction]
    W = contact_problem.delassus_matrix * scale.ravel() * scale.ravel()[:, None]
    free_velocities = contact_problem.free_contact_velocities * scale / speed
    # A contact without friction keeps its tangents, along which nothing happens.
    is_unused = np.repeat(~has_friction[:, None], 3, axis=1)
    is_unused[:, 0] = False
    free_velocities[is_unused] = 0.0
    W[is_unused.ravel()], W[:, is_unused.ravel()] = 0.0, 0.0
    W.flat[:: 3 * count + 1] += np.where(
        is_unused.ravel(), 1.0, DIAGONAL_REGULARIZATION * np.abs(np.diagonal(W)).max()
    )
    return _ScaledProblem(
        W, free_velocities, has_friction.astype(float), np.where(is_unused, 0.0, scale * speed), speed, units
    )


def _predictor_corrector_step(
    scaled_problem: _ScaledProblem, x: Array, y: Array, gap: float, prescribed_speeds: Array | None
) -> tuple[Array, Array] | None:
    """Return the next point, or None if the step is blocked."""
    count = len(x)
    u = scaled_problem.free_contact_velocities + (scaled_problem.W @ x.ravel()).reshape(-1, 3)
    if prescribed_speeds is None:
        speed = np.sqrt(np.sum(u[:, 1:] ** 2, axis=1) + gap * gap)  # smooth for sticking contacts
        speed_gradient = (scaled_problem.has_friction / speed)[:, None] * u[:, 1:]
    else:
        speed, speed_gradient = prescribed_speeds, np.zeros((count, 2))
    u[:, 0] += scaled_problem.has_friction * speed
    dual_residual = y - u

    # Scaled so that both are the same point of the cone: Q y = Q^-1 x.
    Q, inverse = _nesterov_todd_scaling(x, y)
    point = (Q @ y[:, :, None])[:, :, 0]
    A = scaled_problem.W.reshape(count, 3, 3 * count).copy()
    A[:, 0] += np.einsum("ik,ikj->ij", speed_gradient, A[:, 1:])
    indices = np.arange(count)
    A.reshape(count, 3, count, 3)[indices, :, indices] += inverse @ inverse
    if not np.all(np.isfinite(A)):
        return None
    # LAPACK itself reports a zero pivot without a warning.
    factors, pivots, singular = dgetrf(A.reshape(3 * count, 3 * count))
    if singular:
        return None

    def newton_direction(product: Array) -> tuple[Array, Array, Array]:
        """Return the change of x, and the scaled changes of x and y, for a change of ``x o y``."""
        scaled_sum = _jordan_quotient(point, product)
        right_hand_side = (inverse @ scaled_sum[:, :, None])[:, :, 0] + dual_residual
        dx = dgetrs(factors, pivots, right_hand_side.ravel())[0].reshape(-1, 3)
        scaled_dx = (inverse @ dx[:, :, None])[:, :, 0]
        return dx, scaled_dx, scaled_sum - scaled_dx

    square = _jordan_product(point, point)
    _, scaled_dx, scaled_dy = newton_direction(-square)
    predictor_step = min(
        1.0, _max_step_to_boundary(point, scaled_dx), _max_step_to_boundary(point, scaled_dy)
    )
    complementarity_change = -square - _jordan_product(scaled_dx, scaled_dy)
    complementarity_change[:, 0] += (1 - predictor_step) ** 3 * gap
    dx, scaled_dx, scaled_dy = newton_direction(complementarity_change)
    step_length = min(
        1.0,
        BOUNDARY_FRACTION
        * min(_max_step_to_boundary(point, scaled_dx), _max_step_to_boundary(point, scaled_dy)),
    )
    if not step_length > MIN_STEP_FRACTION:
        return None
    return x + step_length * dx, y + step_length * (inverse @ scaled_dy[:, :, None])[:, :, 0]


def _jordan_determinant(x: Array) -> Array:
    size = np.linalg.norm(x[:, 1:], axis=1)
    result: Array = (x[:, 0] - size) * (x[:, 0] + size)
    return result


def _nesterov_todd_scaling(x: Array, y: Array) -> tuple[Array, Array]:
    """Return symmetric Q and its inverse ``(c, 3, 3)`` that map the cone to itself, with Q y = Q^-1 x."""
    det_x, det_y = _jordan_determinant(x), _jordan_determinant(y)
    unit_x, unit_y = x / np.sqrt(det_x)[:, None], y / np.sqrt(det_y)[:, None]
    scaling_point = unit_x + _REFLECTION * unit_y
    scaling_point /= np.sqrt(2 * (1 + np.sum(unit_x * unit_y, axis=1)))[:, None]
    Q = np.empty((len(x), 3, 3))
    Q[:, 0] = Q[:, :, 0] = scaling_point
    tangential = scaling_point[:, 1:]
    Q[:, 1:, 1:] = tangential[:, :, None] * tangential[:, None] / (1 + scaling_point[:, 0])[:, None, None]
    Q[:, 1:, 1:] += np.eye(2)
    size = ((det_x / det_y) ** 0.25)[:, None, None]
    return size * Q, _REFLECTION[:, None] * Q * _REFLECTION / size


def _jordan_product(x: Array, y: Array) -> Array:
    """Return x o y."""
    result: Array = x[:, :1] * y + y[:, :1] * x
    result[:, 0] = np.sum(x * y, axis=1)
    return result


def _jordan_quotient(x: Array, product: Array) -> Array:
    """Return y with x o y = product."""
    y = np.empty_like(product)
    y[:, 0] = (x[:, 0] * product[:, 0] - np.sum(x[:, 1:] * product[:, 1:], axis=1)) / _jordan_determinant(x)
    y[:, 1:] = (product[:, 1:] - y[:, :1] * x[:, 1:]) / x[:, :1]
    return y


def _max_step_to_boundary(x: Array, dx: Array) -> float:
    """Return the largest t for which all points ``x + t dx`` lie in the cone."""
    root = np.sqrt(_jordan_determinant(x))
    unit = x / root[:, None]
    along = np.sum(unit * _REFLECTION * dx, axis=1) / root
    normal_part = (dx[:, 0] / root + along) / (unit[:, 0] + 1)
    tangential = np.linalg.norm(dx[:, 1:] / root[:, None] - normal_part[:, None] * unit[:, 1:], axis=1)
    inverse_step = float(np.max(tangential - along))
    return 1 / inverse_step if inverse_step > 0 else np.inf
