"""How well a vector solves a complementarity problem: each law by itself, and the natural residual."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, Matrix
from rbnotes.complementarity.problems import LCP, BoxLCP

ROUNDING = 0.1
"""Errors below this times the accepted one, relative to the terms that they are left of, are rounding."""
NOISE = 1e-4
"""The same for data that are left of larger ones, such as velocities across the way of the weight."""


@dataclass(frozen=True)
class Residuals:
    """Largest violations; all zero at an exact solution."""

    complementarity: float
    """Largest product of a pair, in the units of ``z w`` (power or energy)."""
    feasibility: float
    """How far z leaves its bounds, in its unit."""
    dual_feasibility: float
    """How far w has the wrong sign where no bound of z allows it, in its unit."""
    natural: float
    """``max |z - P(z - w)|`` with P the projection on the bounds: ``max |min(z, w)|`` for an LCP; z and w are
    compared as numbers, in their units."""
    equations: float
    """Largest error of ``M x - G^T lambda - N^T z = f`` and ``G x = g``, in their units; zero where there are
    none."""
    relative: float
    """The natural residual, with z measured by the w that it makes, and the equations' error, row by row
    relative to the data. Solutions are accepted on this one: it has no units."""


def box_residuals(problem: LCP | BoxLCP, z: ArrayLike) -> Residuals:
    """Residuals of z ``(n,)`` as a solution of an LCP or box LCP.

    Raises InvalidArgument if the shape of ``z`` does not fit.
    """
    arguments.instance("problem", problem, LCP, BoxLCP)
    z = arguments.one_vector("z", z, problem.size)
    return yardstick(problem).residuals(z, problem.M @ z + problem.q)


def yardstick(problem: LCP | BoxLCP) -> Yardstick:
    """What the errors of a problem are measured by."""
    bounds = () if isinstance(problem, LCP) else (problem.lower, problem.upper)
    return Yardstick.of(problem.M, problem.q, *bounds)


@dataclass(frozen=True, eq=False)
class Yardstick:
    """What the errors of an LCP or box LCP are measured by: its data, row by row.

    The size of a row is that of q and of what the impulses that q asks for do to it, taken one by one. z
    itself has no say, for an iterate that diverges would excuse any error; only rounding of its terms is
    forgiven, and never more than the largest of q is worth in the row.
    """

    effects: Array
    """Change ``(n,)`` of w for a unit of z, in the units of w per z; see :func:`effect`."""
    own: Array
    """Size ``(n,)`` of each row, in the unit of its w."""
    cap: Array
    """Size ``(n,)`` that rounding gives a row at most: that of the largest q, in the unit of its w."""
    M: Matrix
    """Absolute values ``(n, n)``, in the units of w per z."""
    q: Array
    """Absolute values ``(n,)``, in the unit of w."""
    lower: Array | None
    """Least z ``(n,)``, in its unit; None for an LCP."""
    upper: Array | None
    """Largest z ``(n,)``, in its unit; None for an LCP."""

    @classmethod
    def of(cls, M: Matrix, q: Array, lower: Array | None = None, upper: Array | None = None) -> Yardstick:
        """That of a problem with matrix M ``(n, n)``; without bounds it is an LCP."""
        effects = effect(M)
        expected = np.maximum(-q / effects, 0.0)
        if lower is not None and upper is not None:
            expected = np.abs(np.clip(-q / effects, lower, upper)) + np.abs(np.clip(0.0, lower, upper))
        M, q, unit = abs(M), np.abs(q), np.sqrt(effects)
        cap = unit * largest(np.maximum(q, effects * expected) / unit)
        return cls(effects, q + M @ expected, cap, M, q, lower, upper)

    def residuals(self, z: Array, w: Array) -> Residuals:
        """Residuals of pairs ``(n,)``."""
        size = row_sizes(self.own, self.q + self.M @ np.abs(z), self.cap)
        return pair_residuals(z, w, size, self.effects, self.lower, self.upper)


def row_sizes(own: Array, terms: Array, cap: Array) -> Array:
    """What errors of rows are relative to: their data, or the rounding of their terms, up to a cap.

    And never less than the rounding that the data may have come with: that of the largest of them.
    """
    result: Array = np.maximum(np.maximum(own, np.minimum(ROUNDING * terms, cap)), NOISE * cap)
    return result


def pair_residuals(
    z: Array, w: Array, size: Array, effects: Array, lower: Array | None = None, upper: Array | None = None
) -> Residuals:
    """Residuals of pairs (z, w), where ``z_i`` has about the effect ``effects_i z_i`` on ``w_i``.

    ``size (n,)`` is what errors of w are relative to. Without bounds the residuals are those of an LCP, whose
    bounds are zero and infinity.
    """
    if lower is None or upper is None:
        return Residuals(
            complementarity=largest(z * w),
            feasibility=worst(0.0, -_least(z)),
            dual_feasibility=worst(0.0, -_least(w)),
            natural=largest(np.minimum(z, w)),
            equations=0.0,
            relative=ratio(np.minimum(effects * z, w), size),
        )
    rising, falling = np.maximum(w, 0.0), np.maximum(-w, 0.0)
    open_below, open_above = np.isinf(lower), np.isinf(upper)
    above, below = np.where(open_below, 0.0, z - lower), np.where(open_above, 0.0, upper - z)
    scaled = effects * z - np.clip(effects * z - w, effects * lower, effects * upper)
    return Residuals(
        complementarity=worst(largest(rising * above), largest(falling * below)),
        feasibility=worst(0.0, -_least(above), -_least(below)),
        dual_feasibility=worst(largest(rising[open_below]), largest(falling[open_above])),
        natural=largest(z - np.clip(z - w, lower, upper)),
        equations=0.0,
        relative=ratio(scaled, size),
    )


def effect(M: Matrix) -> Array:
    """How much a unit of ``z_i`` changes ``w_i``, or some w if that is nothing: turns z into units of w."""
    effects = np.array(M.diagonal())
    for index in np.flatnonzero(effects <= 0):
        effects[index] = abs(M[:, [index]]).max()
    effects[effects <= 0] = 1.0
    return effects


def largest(values: Array) -> float:
    """The largest absolute value, zero if there is none."""
    return float(np.abs(values).max()) if values.size else 0.0


def worst(*errors: float) -> float:
    """The largest of several errors; NaN if one of them is, which ``max`` may lose."""
    return float(np.max(errors))


def _least(values: Array) -> float:
    return float(values.min()) if values.size else 0.0


def ratio(error: Array, size: Array) -> float:
    """The largest error relative to the size of its row; an error where there is no size is infinitely so."""
    wrong = error != 0.0
    with np.errstate(divide="ignore"):
        return largest(error[wrong] / size[wrong])
