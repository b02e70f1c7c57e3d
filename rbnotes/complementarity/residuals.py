"""Residuals of complementarity problems: violation of each condition, and the natural residual."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from rbnotes import arguments
from rbnotes.arguments import Array, Matrix
from rbnotes.complementarity.problems import LCP, BoxLCP
from rbnotes.unchecked.linear_algebra import max_abs

ROUNDING_FRACTION = 0.1
"""Size of errors, relative to their terms and to the accepted error, below which they are rounding."""
DATA_NOISE_FRACTION = 1e-4
"""The same for data that are differences of larger numbers, such as velocities perpendicular to gravity."""


@dataclass(frozen=True)
class Residuals:
    """Largest violations of all conditions; all are zero at an exact solution.

    Attributes
    ----------
    complementarity
        Largest product of a pair, in the units of ``z w`` (power or energy).
    feasibility
        Violation of the bounds by z, in its unit.
    dual_feasibility
        Size of w of the wrong sign where no bound of z allows it, in its unit.
    natural
        Natural residual ``max |z - P(z - w)|`` with the projection P on the bounds, ``max |min(z, w)|`` for
        an LCP; z and w in any unit, as numbers.
    equations
        Largest error of ``M x - G^T lambda - N^T z = f`` and ``G x = g``, in their units, else zero.
    relative
        Dimensionless natural residual, with z scaled by its effect on w, and error of the equations, relative
        to the data of each row. Solutions are accepted on this residual.
    """

    complementarity: float
    feasibility: float
    dual_feasibility: float
    natural: float
    equations: float
    relative: float


def box_residuals(problem: LCP | BoxLCP, z: ArrayLike) -> Residuals:
    """Return the residuals of z ``(n,)`` as a solution of an LCP or box LCP.

    Raises
    ------
    InvalidArgument
        If the shape of ``z`` does not fit.
    """
    arguments.require_instance("problem", problem, LCP, BoxLCP)
    return box_residuals_unchecked(problem, arguments.single_vector("z", z, problem.size))


def box_residuals_unchecked(problem: LCP | BoxLCP, z: Array) -> Residuals:
    """Return the residuals of z, which may be larger than arguments are allowed to be."""
    return residual_scale(problem).residuals(z, problem.M @ z + problem.q)


def residual_scale(problem: LCP | BoxLCP) -> ResidualScale:
    """Return the scales of the errors of a problem."""
    bounds = () if isinstance(problem, LCP) else (problem.lower, problem.upper)
    return ResidualScale.from_data(problem.M, problem.q, *bounds, is_symmetric=problem.is_symmetric)


@dataclass(frozen=True, eq=False)
class ResidualScale:
    """Scales of the errors of an LCP or box LCP, from the data of each row.

    The scale of a row is the size of q and of the effect on it of the impulses that q requires, one by one.
    It does not depend on z, since a divergent iterate would excuse any error. Only the rounding of the terms
    is added, up to the effect of the largest q in the row.

    Attributes
    ----------
    unit_responses
        Changes ``(n,)`` of w per unit of z, in the units of w per z; see :func:`unit_response`.
    row_scale
        Scales ``(n,)`` of the rows, in the units of w.
    rounding_cap
        Largest rounding ``(n,)`` of the rows: that of the largest q, in the units of w.
    M
        Absolute values of M ``(n, n)``, in the units of w per z.
    q
        Absolute values of q ``(n,)``, in the unit of w.
    lower
        Lower bounds of z ``(n,)``, in its unit; None for an LCP.
    upper
        Upper bounds of z ``(n,)``, in its unit; None for an LCP.
    """

    unit_responses: Array
    row_scale: Array
    rounding_cap: Array
    M: Matrix
    q: Array
    lower: Array | None
    upper: Array | None

    @classmethod
    def from_data(
        cls,
        M: Matrix,
        q: Array,
        lower: Array | None = None,
        upper: Array | None = None,
        *,
        is_symmetric: bool,
    ) -> ResidualScale:
        """Return the scales of a problem with matrix M ``(n, n)``; without bounds it is an LCP."""
        unit_responses = unit_response(M)
        expected = np.maximum(-q / unit_responses, 0.0)
        if lower is not None and upper is not None:
            expected = np.abs(np.clip(-q / unit_responses, lower, upper)) + np.abs(np.clip(0.0, lower, upper))
        M, q, unit = abs(M), np.abs(q), np.sqrt(unit_responses)
        sizes = np.maximum(q, unit_responses * expected)
        cap = unit * max_abs(sizes / unit)
        row_scale = q + M @ expected
        if not is_symmetric and M.size:
            # Rows and columns may have units of their own; those of rows follow from their largest entries.
            largest = M.max(axis=1)
            largest = largest.toarray().ravel() if sparse.issparse(largest) else largest
            has_entries = largest > 0
            row_cap = largest * max_abs(sizes[has_entries] / largest[has_entries])
            cap = np.where(has_entries, np.minimum(cap, row_cap), cap)
            # Small diagonal entries say nothing about the size of z.
            row_scale = np.minimum(row_scale, q + cap)
        return cls(unit_responses, row_scale, cap, M, q, lower, upper)

    def residuals(self, z: Array, w: Array) -> Residuals:
        """Return the residuals of pairs ``(n,)``."""
        scales = row_scales(self.row_scale, self.q + self.M @ np.abs(z), self.rounding_cap)
        return pair_residuals(z, w, scales, self.unit_responses, self.lower, self.upper)


def row_scales(row_scale: Array, terms: Array, rounding_cap: Array) -> Array:
    """Return the scales of errors of rows: their data, or the rounding of their terms up to a cap.

    The scale is at least the rounding of the largest data.
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
    """Return the residuals of pairs (z, w), where ``unit_responses_i z_i`` is about the effect on ``w_i``.

    Errors of w are relative to ``scales (n,)``. Without bounds the residuals are those of an LCP, with bounds
    zero and infinity.
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
    """Return the change of ``w_i`` per unit of ``z_i``, or of some w if that is zero."""
    responses = np.array(M.diagonal())
    for index in np.flatnonzero(responses <= 0):
        responses[index] = abs(M[:, [index]]).max()
    responses[responses <= 0] = 1.0
    return responses


def max_or_nan(*errors: float) -> float:
    """Return the largest of several errors; NaN if one of them is NaN, which ``max`` may lose."""
    return float(np.max(errors))


def _min_or_zero(values: Array) -> float:
    return float(values.min()) if values.size else 0.0


def max_relative_error(error: Array, scale: Array) -> float:
    """Return the largest error relative to the scale of its row; infinity for an error with zero scale."""
    has_scale = scale != 0.0
    return max_abs(error[has_scale] / scale[has_scale]) if np.all(error[~has_scale] == 0.0) else np.inf
