"""How well a vector solves a complementarity problem: each law by itself, and the natural residual."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.complementarity.problems import LCP, BoxLCP


@dataclass(frozen=True)
class Residuals:
    """Largest violations; all zero at an exact solution."""

    complementarity: float
    """Largest product of a pair, in the units of ``z w`` (power or energy)."""
    feasibility: float
    """How far z leaves its bounds."""
    dual_feasibility: float
    """How far w has the wrong sign where no bound of z allows it."""
    natural: float
    """``max |z - P(z - w)|`` with P the projection on the bounds: ``max |min(z, w)|`` for an LCP."""
    equations: float
    """Largest error of ``M x - G^T lambda - N^T z = f`` and ``G x = g``; zero where there are none."""
    relative: float
    """The natural residual, with z measured by the w that it makes, and the equations' error, each relative
    to the terms it is a difference of. Solutions are accepted on this one: it has no units."""


def box_residuals(problem: LCP | BoxLCP, z: ArrayLike) -> Residuals:
    """Residuals of z ``(n,)`` as a solution of an LCP or box LCP."""
    z = arguments.vector("z", z, problem.size)
    w = problem.M @ z + problem.q
    bounds = () if isinstance(problem, LCP) else (problem.lower, problem.upper)
    return pair_residuals(z, w, size_of_terms(w, problem.q), effect(problem.M), *bounds)


def pair_residuals(
    z: Array, w: Array, size: float, effects: Array, lower: Array | None = None, upper: Array | None = None
) -> Residuals:
    """Residuals of pairs (z, w), where ``z_i`` has about the effect ``effects_i z_i`` on ``w_i``.

    ``size`` is that of the terms which w is a difference of. Without bounds the residuals are those of an
    LCP, whose bounds are zero and infinity.
    """
    if lower is None or upper is None:
        return Residuals(
            complementarity=largest(z * w),
            feasibility=max(0.0, -_least(z)),
            dual_feasibility=max(0.0, -_least(w)),
            natural=largest(np.minimum(z, w)),
            equations=0.0,
            relative=ratio(largest(np.minimum(effects * z, w)), size),
        )
    rising, falling = np.maximum(w, 0.0), np.maximum(-w, 0.0)
    open_below, open_above = np.isinf(lower), np.isinf(upper)
    above, below = np.where(open_below, 0.0, z - lower), np.where(open_above, 0.0, upper - z)
    scaled = effects * z - np.clip(effects * z - w, effects * lower, effects * upper)
    return Residuals(
        complementarity=max(largest(rising * above), largest(falling * below)),
        feasibility=max(0.0, -_least(above), -_least(below)),
        dual_feasibility=max(largest(rising[open_below]), largest(falling[open_above])),
        natural=largest(z - np.clip(z - w, lower, upper)),
        equations=0.0,
        relative=ratio(largest(scaled), size),
    )


def size_of_terms(w: Array, q: Array) -> float:
    """The larger of q and of ``M z = w - q``."""
    return max(largest(q), largest(w - q))


def effect(M: Any) -> Array:
    """How much a unit of ``z_i`` changes ``w_i``, or some w if that is nothing: turns z into units of w."""
    effects = np.array(M.diagonal())
    for index in np.flatnonzero(effects <= 0):
        effects[index] = abs(M[:, [index]]).max()
    effects[effects <= 0] = 1.0
    return effects


def largest(values: Array) -> float:
    """The largest absolute value, zero if there is none."""
    return float(np.abs(values).max()) if values.size else 0.0


def _least(values: Array) -> float:
    return float(values.min()) if values.size else 0.0


def ratio(error: float, size: float) -> float:
    """The error relative to a size; zero where both are."""
    if error == 0.0:
        return 0.0
    return error / size if size > 0 else np.inf
