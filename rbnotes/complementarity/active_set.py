"""Guess which variables are at their bounds, solve for the others, correct all wrong guesses at once.

This block principal pivoting is a Newton iteration on ``z = P(z - w)``, usually done after a handful of
linear solves whatever the size. It may stall, since nothing makes it descend; then single pivots finish.

Redundant contacts make M singular. A weight ``delta`` on the diagonal, 1e-8 of it, keeps every guess
solvable; proximal-point steps, with ``delta (z - centre)`` in the place of ``delta z``, take its effect out.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg, sparse
from scipy.sparse.linalg import splu

from rbnotes import arguments
from rbnotes.arguments import Array, Matrix
from rbnotes.complementarity.pivoting import pivoting
from rbnotes.complementarity.problems import LCP, BoxLCP
from rbnotes.complementarity.residuals import Residuals, Yardstick
from rbnotes.complementarity.solution import Solution, Statistics, Status

Factored = tuple[Any, Callable[[Array], Array]]
"""Indices and a solver for the principal submatrix that they choose."""

PROXIMAL = 1e-8
"""The weight delta, relative to the diagonal of M."""

SIGN_TOLERANCE = 1e-12
"""Signs of z and w are believed above this, relative to the terms that w is a difference of."""

MAX_CENTRES = 40
"""Proximal-point steps before single pivots take over."""

SMALL = 400
"""Up to this size sparse matrices are made dense: that is faster."""

PATIENCE = 8
"""Blocks in a row that need not reduce the number of wrong guesses."""


def active_set(
    problem: LCP | BoxLCP, start: ArrayLike | None = None, *, tolerance: float = 1e-10
) -> Solution:
    """Solve an LCP or box LCP with positive semidefinite M or P-matrix M by block principal pivoting.

    Parameters
    ----------
    problem
        M may be sparse.
    start : (n,), optional
        Where z is strictly within its bounds, w is first taken to be zero.
    tolerance
        Accepted relative residual, see :class:`rbnotes.complementarity.residuals.Residuals`.

    Returns
    -------
    Solution
        If blocks do not get there, that of :func:`rbnotes.complementarity.pivoting.pivoting`, started
        from the best guess; its statuses say what is wrong with the problem.

    Raises
    ------
    InvalidArgument
        If ``tolerance`` is not positive or the shape of ``start`` does not fit.
    """
    arguments.instance("problem", problem, LCP, BoxLCP)
    tolerance = arguments.number("tolerance", tolerance)
    blocks = _Blocks(problem)
    side = blocks.first_guess(start)
    centre: Array = np.zeros(problem.size)
    weight = PROXIMAL
    for _ in range(MAX_CENTRES):
        z = blocks.iterate(side, centre, weight * blocks.effects)
        if z is None:
            weight *= 100
            if weight > 1:
                break
            side = blocks.partition(centre, start=True)
            continue
        factored = blocks.factored if weight == PROXIMAL else None
        solution = blocks.solution(blocks.refined(side, z, factored), "active_set", tolerance)
        if solution.solved:
            return solution
        centre, weight = z, max(weight / 10, PROXIMAL)
    rest = pivoting(problem, centre, tolerance=tolerance)
    statistics = replace(rest.statistics, factorizations=blocks.factorizations)
    return replace(rest, method="active_set, pivoting", statistics=statistics)


def polish(problem: LCP | BoxLCP, z: ArrayLike) -> Array:
    """An approximate solution ``(n,)``, made exact if it tells which variables are at their bounds.

    Variables nearer to a bound than their w to zero are put on it, the others solved for, near to z, and
    the signs checked again. Of what comes out, z itself and the point nearest to zero, the one with the
    smallest relative residual is returned.

    Raises InvalidArgument if the shape of ``z`` does not fit.
    """
    arguments.instance("problem", problem, LCP, BoxLCP)
    z = arguments.one_vector("z", z, problem.size)
    blocks = _Blocks(problem)
    z = blocks.clip(z)
    candidates = [z, blocks.clip(0.0 * z)]
    side = blocks.partition(z)
    with contextlib.suppress(linalg.LinAlgError, RuntimeError):
        candidates.append(blocks.refined(side, z))
        near = blocks.iterate(side, z, PROXIMAL * blocks.effects)
        if near is not None:
            candidates.append(blocks.refined(side, near, blocks.factored))
    return min(candidates, key=lambda candidate: blocks.residuals(candidate).relative)


class _Blocks:
    """The problem's data and the iteration's steps. ``side`` is -1, 0, +1: at lower, within, at upper."""

    def __init__(self, problem: LCP | BoxLCP) -> None:
        self.M, self.q, self.symmetric = problem.M, problem.q, problem.symmetric
        if sparse.issparse(self.M) and len(self.q) <= SMALL:
            self.M = self.M.toarray()
        self.bounds = None if isinstance(problem, LCP) else (problem.lower, problem.upper)
        self.yardstick = Yardstick.of(self.M, self.q, *(self.bounds or ()))
        self.effects = self.yardstick.effects
        self.factorizations = 0
        self.factored: Factored | None = None  # of the last block

    def first_guess(self, start: ArrayLike | None) -> Any:
        if start is not None:
            return self.partition(self.clip(arguments.one_vector("start", start, len(self.q))), start=True)
        if self.bounds is None:
            return np.where(self.q < 0, 0, -1)
        lower, upper = self.bounds
        open_below, open_above = np.isinf(lower), np.isinf(upper)
        side = np.where(open_below, np.where(open_above, 0, 1), -1)
        w = self.M @ self.at_bounds(side) + self.q
        side[(side < 0) & (w < 0) & (lower < upper) | (side > 0) & (w > 0)] = 0
        return side

    def partition(self, z: Array, *, start: bool = False) -> Any:
        """Sides that z suggests; as a start, whatever is off its bounds counts as within."""
        w = 0.0 * z if start else self.M @ z + self.q
        if self.bounds is None:
            return np.where(self.effects * z > np.abs(w), 0, -1)
        lower, upper = self.bounds
        scaled, w = self.effects, np.abs(w)
        near_lower = scaled * (z - lower) <= w
        near_upper = scaled * (upper - z) <= w
        side = np.where(near_lower, -1, np.where(near_upper, 1, 0))
        side[near_lower & near_upper & (upper - z < z - lower)] = 1
        return side

    def clip(self, z: Array) -> Array:
        return np.maximum(z, 0.0) if self.bounds is None else np.clip(z, *self.bounds)

    def at_bounds(self, side: Any) -> Array:
        """z with the variables at their bounds there, and zero within."""
        z = np.zeros(len(self.q))
        if self.bounds is not None:
            for value, bound in ((-1, self.bounds[0]), (1, self.bounds[1])):
                z[side == value] = bound[side == value]
        return z

    def solve_within(self, side: Any, weights: Array) -> Factored:
        """Indices within, and a solver for their principal submatrix plus the weights."""
        within = np.flatnonzero(side == 0)
        self.factorizations += 1
        return within, principal_solver(self.M, within, weights, self.symmetric)

    def iterate(self, side: Any, centre: Array, weights: Array) -> Array | None:
        """Blocks until no guess is wrong for the proximal problem; None if they stall. Changes ``side``."""
        best, patience = len(side) + 1, PATIENCE
        while True:
            z = self.at_bounds(side)
            try:
                within, solve = self.factored = self.solve_within(side, weights)
            except (linalg.LinAlgError, RuntimeError):
                return None
            anchored = self.q if self.bounds is None else self.q + self.M @ z
            z[within] = solve(weights[within] * centre[within] - anchored[within])
            w = self.M @ z + self.q
            wrong = self.correct(side, z, w + weights * (z - centre), np.max(np.abs(w - self.q), initial=0.0))
            if wrong == 0:
                return z
            patience = PATIENCE if wrong < best else patience - 1
            best = min(best, wrong)
            if patience < 0:
                return None

    def correct(self, side: Any, z: Array, w: Array, size: float) -> int:
        """Move every variable that is on the wrong side; returns how many there were."""
        small = SIGN_TOLERANCE * max(np.max(np.abs(self.q), initial=0.0), size)
        within = side == 0
        if self.bounds is None:
            wrong = np.where(within, self.effects * z, w) < -small
            side[wrong] = -1 - side[wrong]
            return int(np.count_nonzero(wrong))
        lower, upper = self.bounds
        below = within & (self.effects * (z - lower) < -small)
        above = within & (self.effects * (upper - z) < -small)
        released = ((side < 0) & (w < -small) | (side > 0) & (w > small)) & (lower < upper)
        side[below], side[above], side[released] = -1, 1, 0
        return int(np.count_nonzero(below | above | released))

    def refined(self, side: Any, z: Array, factored: Factored | None = None) -> Array:
        """z with ``w = 0`` within, to rounding, then clipped to its bounds."""
        within, solve = factored or self.solve_within(side, PROXIMAL * self.effects)
        z = np.where(side == 0, z, self.at_bounds(side))
        error = np.inf
        for _ in range(6):
            w = (self.M @ z + self.q)[within]
            previous, error = error, float(np.max(np.abs(w), initial=0.0))
            if not error < 0.5 * previous:
                break
            z[within] -= solve(w)
        return self.clip(z)

    def residuals(self, z: Array) -> Residuals:
        return self.yardstick.residuals(z, self.M @ z + self.q)

    def solution(self, z: Array, method: str, tolerance: float) -> Solution:
        residuals = self.residuals(z)
        status = Status.SOLVED if residuals.relative <= tolerance else Status.ILL_CONDITIONED
        statistics = Statistics(factorizations=self.factorizations)
        return Solution(status, z, self.M @ z + self.q, residuals, method, statistics)


def principal_solver(M: Matrix, within: Any, weights: Array, symmetric: bool) -> Callable[[Array], Array]:
    """Factor the principal submatrix of M plus diagonal weights; raises LinAlgError or RuntimeError."""
    if not len(within):
        return lambda right: right
    if sparse.issparse(M):
        block = M[:, within][within] + sparse.diags_array(weights[within])
        symmetric_mode = {"permc_spec": "MMD_AT_PLUS_A", "options": {"SymmetricMode": True}}
        factors = splu(block.tocsc(), **(symmetric_mode | {"diag_pivot_thresh": 0.0} if symmetric else {}))
        return lambda right: factors.solve(right)
    block = M[np.ix_(within, within)]
    block.flat[:: len(within) + 1] += weights[within]
    if symmetric:
        # The transposed view has the memory order that LAPACK wants, and the same entries.
        triangle, failed = linalg.lapack.dpotrf(block.T, lower=True, clean=False, overwrite_a=True)
        if not failed:
            return lambda right: linalg.lapack.dpotrs(triangle, right, lower=True)[0]
        block = M[np.ix_(within, within)]
        block.flat[:: len(within) + 1] += weights[within]
    factors, pivots, failed = linalg.lapack.dgetrf(block)
    if failed:
        raise linalg.LinAlgError("singular")
    return lambda right: linalg.lapack.dgetrs(factors, pivots, right)[0]
