"""Coulomb's law along the central path: an interior-point method for all contacts at once.

With de Saxce's change of variable impulses r lie in the friction cones, velocities u raised by
``mu |s| e_n`` in the dual cones, and the two are orthogonal. In the units

    x = (mu a, b),     y = (u / mu + |s|, s)

both are in the same cone of second order, and instead of orthogonal they are made to obey ``x o y = t e``
(the product of the Jordan algebra of that cone) with ever smaller t. Inside the cones this is smooth,
impulses that many contacts could share are shared evenly, and Newton's method gains a digit in each step or
two: scaled as Nesterov and Todd do, with Mehrotra's prediction and correction (Vandenberghe, "The CVXOPT
linear and quadratic cone program solvers", for programs; Acary, Armand, Nguyen and Shpakovych for friction).

The sliding speed ``|s|`` may be given; then it is a convex program, whose path always leads to its end. With
the speeds that the impulses make it is Coulomb's law, and nearly always does.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dgetrf, dgetrs

from rbnotes.arguments import Array
from rbnotes.friction.contact_space import Responses
from rbnotes.friction.laws import residual_in

NEAR = 0.99
"""Part of the way to the boundary of the cones that a step goes at most."""

SHORT = 1e-6
"""A step that can go no farther than this part of its way is the last."""

REGULAR = 1e-14
"""Added to the diagonal of W, relative to its largest entry: contacts that are held fast get some impulse."""

AIMLESS = 8
"""Steps in a row after which the natural residual is to have become smaller."""

_MIRROR = np.array([1.0, -1.0, -1.0])


class _Scaled(NamedTuple):
    """Contacts in units in which their cones are the same, and their impulses about one."""

    W: Array
    """``(3 c, 3 c)``"""
    free: Array
    """``(c, 3)``"""
    raised: Array
    """1 where sliding raises the normal velocity, ``(c,)``."""
    impulse: Array
    """Units of the impulses ``(c, 3)``; zero where a contact has no tangents."""
    speed: float
    """Unit of the sliding speeds of a contact, times ``units``."""
    units: Array


def along_the_central_path(
    space: Responses, tolerance: float, max_iterations: int, sliding: Array | None = None
) -> tuple[Array, float, int]:
    """The best impulses ``(c, 3)``, their natural residual, and the number of iterations.

    Parameters
    ----------
    tolerance
        Of the natural residual; with speeds that are given, the size of the complementarity.
    sliding : (c,), optional
        Sliding speeds, m/s. Those that the impulses make, if not given.
    """
    count = space.count
    best, least = np.zeros((count, 3)), residual_in(space, np.zeros((count, 3)), space.free)
    if not np.abs(space.free).max(initial=0.0) > 0 or least <= tolerance:
        return best, least, 0
    scaled = _scaled(space)
    given = None if sliding is None else sliding * scaled.units / scaled.speed
    x: Array = np.zeros((count, 3))
    x[:, 0] = 1.0
    if given is not None:  # impulses that are too large need no more than a few steps to shrink
        damped = scaled.W + 1e-3 * np.eye(3 * count)
        size = np.linalg.norm(np.linalg.solve(damped, -scaled.free.ravel()).reshape(-1, 3), axis=1)
        x[:, 0] = np.maximum(1.0, size)
    y: Array = np.tile([1.0, 0.0, 0.0], (count, 1))
    iteration = since = 0
    with np.errstate(all="ignore"):  # at the end of the path numbers leave the cones by rounding
        while iteration < max_iterations and since < AIMLESS:
            gap = float(np.sum(x * y)) / count
            impulses = x * scaled.impulse
            size = residual_in(space, impulses, space.velocities(impulses))
            if not np.isfinite(gap + size):
                break
            since += 1
            if size < least or (given is not None and iteration):
                best, least, since = impulses, size, 0
            if (least if given is None else gap) <= tolerance:
                break
            step = _step(scaled, x, y, gap, given)
            if step is None:
                break
            x, y = step
            iteration += 1
    return best, least, iteration


def _scaled(space: Responses) -> _Scaled:
    count, mu = space.count, space.mu
    rubs = mu > 0
    mobility = space.mobility
    units = np.sqrt(np.divide(1.0, mobility, out=np.ones(count), where=mobility > 0))
    speed = float(np.abs(space.free * units[:, None]).max())
    scale = np.repeat(units[:, None], 3, axis=1)
    scale[rubs, 0] /= mu[rubs]
    W = space.delassus * scale.ravel() * scale.ravel()[:, None]
    free = space.free * scale / speed
    # A contact without friction has tangents of its own, along which nothing happens.
    aside = np.repeat(~rubs[:, None], 3, axis=1)
    aside[:, 0] = False
    free[aside] = 0.0
    W[aside.ravel()], W[:, aside.ravel()] = 0.0, 0.0
    W.flat[:: 3 * count + 1] += np.where(aside.ravel(), 1.0, REGULAR * np.abs(np.diagonal(W)).max())
    return _Scaled(W, free, rubs.astype(float), np.where(aside, 0.0, scale * speed), speed, units)


def _step(scaled: _Scaled, x: Array, y: Array, gap: float, given: Array | None) -> tuple[Array, Array] | None:
    """The next point; nothing if the way there is blocked."""
    count = len(x)
    u = scaled.free + (scaled.W @ x.ravel()).reshape(-1, 3)
    if given is None:
        speed = np.sqrt(np.sum(u[:, 1:] ** 2, axis=1) + gap * gap)  # smooth where nothing slides
        slope = (scaled.raised / speed)[:, None] * u[:, 1:]
    else:
        speed, slope = given, np.zeros((count, 2))
    u[:, 0] += scaled.raised * speed
    missing = y - u

    # Scaled so that both are the same point of the cone: Q y = Q^-1 x.
    Q, inverse = _scaling(x, y)
    point = (Q @ y[:, :, None])[:, :, 0]
    A = scaled.W.reshape(count, 3, 3 * count).copy()
    A[:, 0] += np.einsum("ik,ikj->ij", slope, A[:, 1:])
    each = np.arange(count)
    A.reshape(count, 3, count, 3)[each, :, each] += inverse @ inverse
    if not np.all(np.isfinite(A)):
        return None
    # Of LAPACK itself, which says without a warning whether a pivot vanished.
    factors, pivots, singular = dgetrf(A.reshape(3 * count, 3 * count))
    if singular:
        return None

    def direction(product: Array) -> tuple[Array, Array, Array]:
        """The change of x, and those of both in the scaled units, that change ``point o point`` so."""
        both = _quotient(point, product)
        right = (inverse @ both[:, :, None])[:, :, 0] + missing
        dx = dgetrs(factors, pivots, right.ravel())[0].reshape(-1, 3)
        scaled_dx = (inverse @ dx[:, :, None])[:, :, 0]
        return dx, scaled_dx, both - scaled_dx

    square = _product(point, point)
    _, scaled_dx, scaled_dy = direction(-square)
    ahead = min(1.0, _way(point, scaled_dx), _way(point, scaled_dy))
    wanted = -square - _product(scaled_dx, scaled_dy)
    wanted[:, 0] += (1 - ahead) ** 3 * gap
    dx, scaled_dx, scaled_dy = direction(wanted)
    part = min(1.0, NEAR * min(_way(point, scaled_dx), _way(point, scaled_dy)))
    if not part > SHORT:
        return None
    return x + part * dx, y + part * (inverse @ scaled_dy[:, :, None])[:, :, 0]


def _determinant(x: Array) -> Array:
    size = np.linalg.norm(x[:, 1:], axis=1)
    result: Array = (x[:, 0] - size) * (x[:, 0] + size)
    return result


def _scaling(x: Array, y: Array) -> tuple[Array, Array]:
    """Q and its inverse ``(c, 3, 3)``, symmetric, which map the cone to itself, with Q y = Q^-1 x."""
    of_x, of_y = _determinant(x), _determinant(y)
    unit_x, unit_y = x / np.sqrt(of_x)[:, None], y / np.sqrt(of_y)[:, None]
    middle = unit_x + _MIRROR * unit_y
    middle /= np.sqrt(2 * (1 + np.sum(unit_x * unit_y, axis=1)))[:, None]
    Q = np.empty((len(x), 3, 3))
    Q[:, 0] = Q[:, :, 0] = middle
    tangential = middle[:, 1:]
    Q[:, 1:, 1:] = tangential[:, :, None] * tangential[:, None] / (1 + middle[:, 0])[:, None, None]
    Q[:, 1:, 1:] += np.eye(2)
    size = ((of_x / of_y) ** 0.25)[:, None, None]
    return size * Q, _MIRROR[:, None] * Q * _MIRROR / size


def _product(x: Array, y: Array) -> Array:
    """x o y."""
    result: Array = x[:, :1] * y + y[:, :1] * x
    result[:, 0] = np.sum(x * y, axis=1)
    return result


def _quotient(x: Array, product: Array) -> Array:
    """y with x o y = product."""
    y = np.empty_like(product)
    y[:, 0] = (x[:, 0] * product[:, 0] - np.sum(x[:, 1:] * product[:, 1:], axis=1)) / _determinant(x)
    y[:, 1:] = (product[:, 1:] - y[:, :1] * x[:, 1:]) / x[:, :1]
    return y


def _way(x: Array, dx: Array) -> float:
    """How many times dx all points can be moved within the cone."""
    root = np.sqrt(_determinant(x))
    unit = x / root[:, None]
    ahead = np.sum(unit * _MIRROR * dx, axis=1) / root
    part = (dx[:, 0] / root + ahead) / (unit[:, 0] + 1)
    aside = np.linalg.norm(dx[:, 1:] / root[:, None] - part[:, None] * unit[:, 1:], axis=1)
    most = float(np.max(aside - ahead))
    return 1 / most if most > 0 else np.inf
