"""How well a vector solves a complementarity problem: each law by itself, and the natural residual."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, Matrix
from rbnotes.complementarity.problems import LCP, BoxLCP

ROUNDING_FRACTION = 0.1
"""Errors below this times the accepted one, relative to the terms that they are left of, are rounding."""
DATA_NOISE_FRACTION = 1e-4
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
    arguments.require_instance("problem", problem, LCP, BoxLCP)
    z = arguments.single_vector("z", z, problem.size)
    return residual_scale(problem).residuals(z, problem.M @ z + problem.q)


def residual_scale(problem: LCP | BoxLCP) -> ResidualScale:
    """What the errors of a problem are measured by."""
    bounds = () if isinstance(problem, LCP) else (problem.lower, problem.upper)
    return ResidualScale.from_data(problem.M, problem.q, *bounds)


@dataclass(frozen=True, eq=False)
class ResidualScale:
    """What the errors of an LCP or box LCP are measured by: its data, row by row.

    The size of a row is that of q and of what the impulses that q asks for do to it, taken one by one. z
    itself has no say, for an iterate that diverges would excuse any error; only rounding of its terms is
    forgiven, and never more than the largest of q is worth in the row.
    """

    unit_responses: Array
    """Change ``(n,)`` of w for a unit of z, in the units of w per z; see :func:`unit_response`."""
    row_scale: Array
    """Size ``(n,)`` of each row, in the unit of its w."""
    rounding_cap: Array
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
    def from_data(
        cls, M: Matrix, q: Array, lower: Array | None = None, upper: Array | None = None
    ) -> ResidualScale:
        """That of a problem with matrix M ``(n, n)``; without bounds it is an LCP."""
        unit_responses = unit_response(M)
        expected = np.maximum(-q / unit_responses, 0.0)
        if lower is not None and upper is not None:
            expected = np.abs(np.clip(-q / unit_responses, lower, upper)) + np.abs(np.clip(0.0, lower, upper))
        M, q, unit = abs(M), np.abs(q), np.sqrt(unit_responses)
        cap = unit * max_abs(np.maximum(q, unit_responses * expected) / unit)
        return cls(unit_responses, q + M @ expected, cap, M, q, lower, upper)

    def residuals(self, z: Array, w: Array) -> Residuals:
        """Residuals of pairs ``(n,)``."""
        scales = row_scales(self.row_scale, self.q + self.M @ np.abs(z), self.rounding_cap)
        return pair_residuals(z, w, scales, self.unit_responses, self.lower, self.upper)


def row_scales(row_scale: Array, terms: Array, rounding_cap: Array) -> Array:
    """What errors of rows are relative to: their data, or the rounding of their terms, up to a cap.

    And never less than the rounding that the data may have come with: that of the largest of them.
    """
    result: Array = np.maximum(
        np.maximum(row_scale, np.minimum(ROUNDING_FRACTION * terms, rounding_cap)),
        DATA_NOISE_FRACTION * rounding_cap,
    )
    return result


def pair_residuals(
    z: Array,
    w: Array,
    scales: Array,
    unit_responses: Array,
    lower: Array | None = None,
    upper: Array | None = None,
) -> Residuals:
    """Residuals of pairs (z, w), where ``z_i`` has about the effect ``effects_i z_i`` on ``w_i``.

    ``scales (n,)`` is what errors of w are relative to. Without bounds the residuals are those of an LCP, whose
    bounds are zero and infinity.
    """
    if lower is None or upper is None:
        return Residuals(
            complementarity=max_abs(z * w),
            feasibility=max_or_nan(0.0, -_min_or_zero(z)),
            dual_feasibility=max_or_nan(0.0, -_min_or_zero(w)),
            natural=max_abs(np.minimum(z, w)),
            equations=0.0,
            relative=max_relative_error(np.minimum(unit_responses * z, w), scales),
        )
    rising, falling = np.maximum(w, 0.0), np.maximum(-w, 0.0)
    has_no_lower, has_no_upper = np.isinf(lower), np.isinf(upper)
    above, below = np.where(has_no_lower, 0.0, z - lower), np.where(has_no_upper, 0.0, upper - z)
    scaled = unit_responses * z - np.clip(
        unit_responses * z - w, unit_responses * lower, unit_responses * upper
    )
    return Residuals(
        complementarity=max_or_nan(max_abs(rising * above), max_abs(falling * below)),
        feasibility=max_or_nan(0.0, -_min_or_zero(above), -_min_or_zero(below)),
        dual_feasibility=max_or_nan(max_abs(rising[has_no_lower]), max_abs(falling[has_no_upper])),
        natural=max_abs(z - np.clip(z - w, lower, upper)),
        equations=0.0,
        relative=max_relative_error(scaled, scales),
    )


def unit_response(M: Matrix) -> Array:
    """How much a unit of ``z_i`` changes ``w_i``, or some w if that is nothing: turns z into units of w."""
    responses = np.array(M.diagonal())
    for index in np.flatnonzero(responses <= 0):
        responses[index] = abs(M[:, [index]]).max()
    responses[responses <= 0] = 1.0
    return responses


def max_abs(values: Array) -> float:
    """The largest absolute value, zero if there is none."""
    return float(np.abs(values).max()) if values.size else 0.0


def max_or_nan(*errors: float) -> float:
    """The largest of several errors; NaN if one of them is, which ``max`` may lose."""
    return float(np.max(errors))


def _min_or_zero(values: Array) -> float:
    return float(values.min()) if values.size else 0.0


def max_relative_error(error: Array, scale: Array) -> float:
    """The largest error relative to the size of its row; an error where there is no size is infinitely so."""
    is_nonzero = error != 0.0
    with np.errstate(divide="ignore"):
        return max_abs(error[is_nonzero] / scale[is_nonzero])
