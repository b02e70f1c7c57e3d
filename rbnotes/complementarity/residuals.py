"""How well a vector solves a complementarity problem: each law by itself, and the natural residual."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array
from rbnotes.complementarity.problems import LCP, BoxLCP, MixedLCP


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


def mixed_residuals(problem: MixedLCP, z: ArrayLike, x: ArrayLike, multipliers: ArrayLike) -> Residuals:
    """Residuals of z ``(m,)``, x ``(d,)`` and lambda ``(k,)`` as a solution of a mixed LCP."""
    x = arguments.vector("x", x, len(problem.f))
    z = arguments.vector("z", z, problem.size)
    multipliers = arguments.vector("multipliers", multipliers, len(problem.g))
    forces = np.array([problem.M @ x, -(problem.G.T @ multipliers), -(problem.N.T @ z), -problem.f])
    motion, force = np.sum(forces, axis=0), np.max(np.abs(forces), axis=0)
    # The motion that such forces would make alone: x itself may be zero because they balance.
    inertia = np.abs(problem.M.diagonal())
    reach = np.maximum(np.abs(x), force / np.where(inertia > 0, inertia, inertia.max() or 1.0))
    gap = problem.G @ x - problem.g
    tied = max(_largest(abs(problem.G) @ reach), _largest(problem.g))
    speed = max(_largest(abs(problem.N) @ reach), _largest(problem.n))
    # An impulse z_i changes w_i by about z_i |N_i|^2 / m, with m the size of M.
    effects = np.asarray((problem.N * problem.N).sum(axis=1)) / (inertia.max() or 1.0)
    pairs = pair_residuals(z, problem.N @ x - problem.n, speed, np.where(effects > 0, effects, 1.0))
    return replace(
        pairs,
        equations=max(_largest(motion), _largest(gap)),
        relative=max(pairs.relative, _ratio(_largest(motion), _largest(force)), _ratio(_largest(gap), tied)),
    )


def pair_residuals(
    z: Array, w: Array, size: float, effects: Array, lower: Array | None = None, upper: Array | None = None
) -> Residuals:
    """Residuals of pairs (z, w), where ``z_i`` has about the effect ``effects_i z_i`` on ``w_i``.

    ``size`` is that of the terms which w is a difference of. Without bounds the residuals are those of an
    LCP, whose bounds are zero and infinity.
    """
    if lower is None or upper is None:
        return Residuals(
            complementarity=_largest(z * w),
            feasibility=max(0.0, -_least(z)),
            dual_feasibility=max(0.0, -_least(w)),
            natural=_largest(np.minimum(z, w)),
            equations=0.0,
            relative=_ratio(_largest(np.minimum(effects * z, w)), size),
        )
    rising, falling = np.maximum(w, 0.0), np.maximum(-w, 0.0)
    open_below, open_above = np.isinf(lower), np.isinf(upper)
    above, below = np.where(open_below, 0.0, z - lower), np.where(open_above, 0.0, upper - z)
    scaled = effects * z - np.clip(effects * z - w, effects * lower, effects * upper)
    return Residuals(
        complementarity=max(_largest(rising * above), _largest(falling * below)),
        feasibility=max(0.0, -_least(above), -_least(below)),
        dual_feasibility=max(_largest(rising[open_below]), _largest(falling[open_above])),
        natural=_largest(z - np.clip(z - w, lower, upper)),
        equations=0.0,
        relative=_ratio(_largest(scaled), size),
    )


def size_of_terms(w: Array, q: Array) -> float:
    """The larger of q and of ``M z = w - q``."""
    return max(_largest(q), _largest(w - q))


def effect(M: Any) -> Array:
    """How much a unit of ``z_i`` changes ``w_i``, or some w if that is nothing: turns z into units of w."""
    effects = np.array(M.diagonal())
    for index in np.flatnonzero(effects <= 0):
        effects[index] = abs(M[:, [index]]).max()
    effects[effects <= 0] = 1.0
    return effects


def _largest(values: Array) -> float:
    return float(np.abs(values).max()) if values.size else 0.0


def _least(values: Array) -> float:
    return float(values.min()) if values.size else 0.0


def _ratio(error: float, size: float) -> float:
    if error == 0.0:
        return 0.0
    return error / size if size > 0 else np.inf
