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
from rbnotes.complementarity.principal_pivoting import principal_pivoting
from rbnotes.complementarity.problems import LCP, BoxLCP
from rbnotes.complementarity.residuals import Residuals, ResidualScale
from rbnotes.complementarity.solution import Solution, Statistics, Status

Factorization = tuple[Any, Callable[[Array], Array]]
"""Indices and a solver for the principal submatrix that they choose."""

PROXIMAL_WEIGHT = 1e-8
"""The weight delta, relative to the diagonal of M."""

SIGN_TOLERANCE = 1e-12
"""Signs of z and w are believed above this, relative to the terms that w is a difference of."""

MAX_PROXIMAL_STEPS = 40
"""Proximal-point steps before single pivots take over."""

MAX_DENSE_SIZE = 400
"""Up to this size sparse matrices are made dense: that is faster."""

MAX_STALLED_BLOCKS = 8
"""Blocks in a row that need not reduce the number of wrong guesses."""


def block_principal_pivoting(
    problem: LCP | BoxLCP, initial_guess: ArrayLike | None = None, *, tolerance: float = 1e-10
) -> Solution:
    """Solve an LCP or box LCP with positive semidefinite M or P-matrix M by block principal pivoting.

    Parameters
    ----------
    problem
        M may be sparse.
    initial_guess : (n,), optional
        Where z is strictly within its bounds, w is first taken to be zero.
    tolerance
        Accepted relative residual, see :class:`rbnotes.complementarity.residuals.Residuals`.

    Returns
    -------
    Solution
        If blocks do not get there, that of :func:`rbnotes.complementarity.principal_pivoting.principal_pivoting`, started
        from the best guess; its statuses say what is wrong with the problem.

    Raises
    ------
    InvalidArgument
        If ``tolerance`` is not positive or the shape of ``initial_guess`` does not fit.
    """
    arguments.require_instance("problem", problem, LCP, BoxLCP)
    tolerance = arguments.positive_number("tolerance", tolerance)
    iteration = _BlockIteration(problem)
    side = iteration.initial_sides(initial_guess)
    center: Array = np.zeros(problem.size)
    weight = PROXIMAL_WEIGHT
    for _ in range(MAX_PROXIMAL_STEPS):
        z = iteration.iterate(side, center, weight * iteration.unit_responses)
        if z is None:
            weight *= 100
            if weight > 1:
                break
            side = iteration.classify(center, is_initial_guess=True)
            continue
        factorization = iteration.factorization if weight == PROXIMAL_WEIGHT else None
        solution = iteration.solution(
            iteration.refine(side, z, factorization), "block_principal_pivoting", tolerance
        )
        if solution.is_solved:
            return solution
        center, weight = z, max(weight / 10, PROXIMAL_WEIGHT)
    single_pivot_solution = principal_pivoting(problem, center, tolerance=tolerance)
    statistics = replace(single_pivot_solution.statistics, factorizations=iteration.factorizations)
    return replace(single_pivot_solution, method="block_principal_pivoting, principal_pivoting", statistics=statistics)


def refine_active_set(problem: LCP | BoxLCP, z: ArrayLike) -> Array:
    """An approximate solution ``(n,)``, made exact if it tells which variables are at their bounds.

    Variables nearer to a bound than their w to zero are put on it, the others solved for, near to z, and
    the signs checked again. Of what comes out, z itself and the point nearest to zero, the one with the
    smallest relative residual is returned.

    Raises InvalidArgument if the shape of ``z`` does not fit.
    """
    arguments.require_instance("problem", problem, LCP, BoxLCP)
    z = arguments.single_vector("z", z, problem.size)
    iteration = _BlockIteration(problem)
    z = iteration.clip(z)
    candidates = [z, iteration.clip(0.0 * z)]
    side = iteration.classify(z)
    with contextlib.suppress(linalg.LinAlgError, RuntimeError):
        candidates.append(iteration.refine(side, z))
        proximal_solution = iteration.iterate(side, z, PROXIMAL_WEIGHT * iteration.unit_responses)
        if proximal_solution is not None:
            candidates.append(iteration.refine(side, proximal_solution, iteration.factorization))
    return min(candidates, key=lambda candidate: iteration.residuals(candidate).relative)


class _BlockIteration:
    """The problem's data and the iteration's steps. ``side`` is -1, 0, +1: at lower, within, at upper."""

    def __init__(self, problem: LCP | BoxLCP) -> None:
        self.M, self.q, self.is_symmetric = problem.M, problem.q, problem.is_symmetric
        if sparse.issparse(self.M) and len(self.q) <= MAX_DENSE_SIZE:
            self.M = self.M.toarray()
        self.bounds = None if isinstance(problem, LCP) else (problem.lower, problem.upper)
        self.residual_scale = ResidualScale.from_data(self.M, self.q, *(self.bounds or ()))
        self.unit_responses = self.residual_scale.unit_responses
        self.factorizations = 0
        self.factorization: Factorization | None = None  # of the last block

    def initial_sides(self, initial_guess: ArrayLike | None) -> Any:
        if initial_guess is not None:
            return self.classify(
                self.clip(arguments.single_vector("initial_guess", initial_guess, len(self.q))),
                is_initial_guess=True,
            )
        if self.bounds is None:
            return np.where(self.q < 0, 0, -1)
        lower, upper = self.bounds
        open_below, open_above = np.isinf(lower), np.isinf(upper)
        side = np.where(open_below, np.where(open_above, 0, 1), -1)
        w = self.M @ self.at_bounds(side) + self.q
        side[(side < 0) & (w < 0) & (lower < upper) | (side > 0) & (w > 0)] = 0
        return side

    def classify(self, z: Array, *, is_initial_guess: bool = False) -> Any:
        """Sides that z suggests; as a start, whatever is off its bounds counts as within."""
        w = 0.0 * z if is_initial_guess else self.M @ z + self.q
        if self.bounds is None:
            return np.where(self.unit_responses * z > np.abs(w), 0, -1)
        lower, upper = self.bounds
        unit_responses, w = self.unit_responses, np.abs(w)
        near_lower = unit_responses * (z - lower) <= w
        near_upper = unit_responses * (upper - z) <= w
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

    def factor_free_block(self, side: Any, weights: Array) -> Factorization:
        """Indices within, and a solver for their principal submatrix plus the weights."""
        free = np.flatnonzero(side == 0)
        self.factorizations += 1
        return free, principal_solver(self.M, free, weights, self.is_symmetric)

    def iterate(self, side: Any, center: Array, weights: Array) -> Array | None:
        """Blocks until no guess is wrong for the proximal problem; None if they stall. Changes ``side``."""
        fewest_wrong, blocks_left = len(side) + 1, MAX_STALLED_BLOCKS
        while True:
            z = self.at_bounds(side)
            try:
                free, solve = self.factorization = self.factor_free_block(side, weights)
            except (linalg.LinAlgError, RuntimeError):
                return None
            offset = self.q if self.bounds is None else self.q + self.M @ z
            z[free] = solve(weights[free] * center[free] - offset[free])
            w = self.M @ z + self.q
            num_wrong = self.correct_sides(
                side, z, w + weights * (z - center), np.max(np.abs(w - self.q), initial=0.0)
            )
            if num_wrong == 0:
                return z
            blocks_left = MAX_STALLED_BLOCKS if num_wrong < fewest_wrong else blocks_left - 1
            fewest_wrong = min(fewest_wrong, num_wrong)
            if blocks_left < 0:
                return None

    def correct_sides(self, side: Any, z: Array, w: Array, size: float) -> int:
        """Move every variable that is on the wrong side; returns how many there were."""
        sign_threshold = SIGN_TOLERANCE * max(np.max(np.abs(self.q), initial=0.0), size)
        is_free = side == 0
        if self.bounds is None:
            is_wrong = np.where(is_free, self.unit_responses * z, w) < -sign_threshold
            side[is_wrong] = -1 - side[is_wrong]
            return int(np.count_nonzero(is_wrong))
        lower, upper = self.bounds
        is_below = is_free & (self.unit_responses * (z - lower) < -sign_threshold)
        is_above = is_free & (self.unit_responses * (upper - z) < -sign_threshold)
        is_released = ((side < 0) & (w < -sign_threshold) | (side > 0) & (w > sign_threshold)) & (
            lower < upper
        )
        side[is_below], side[is_above], side[is_released] = -1, 1, 0
        return int(np.count_nonzero(is_below | is_above | is_released))

    def refine(self, side: Any, z: Array, factorization: Factorization | None = None) -> Array:
        """z with ``w = 0`` within, to rounding, then clipped to its bounds."""
        free, solve = factorization or self.factor_free_block(side, PROXIMAL_WEIGHT * self.unit_responses)
        z = np.where(side == 0, z, self.at_bounds(side))
        error = np.inf
        for _ in range(6):
            w = (self.M @ z + self.q)[free]
            previous, error = error, float(np.max(np.abs(w), initial=0.0))
            if not error < 0.5 * previous:
                break
            z[free] -= solve(w)
        return self.clip(z)

    def residuals(self, z: Array) -> Residuals:
        return self.residual_scale.residuals(z, self.M @ z + self.q)

    def solution(self, z: Array, method: str, tolerance: float) -> Solution:
        residuals = self.residuals(z)
        status = Status.SOLVED if residuals.relative <= tolerance else Status.ILL_CONDITIONED
        statistics = Statistics(factorizations=self.factorizations)
        return Solution(status, z, self.M @ z + self.q, residuals, method, statistics)


def principal_solver(M: Matrix, free: Any, weights: Array, is_symmetric: bool) -> Callable[[Array], Array]:
    """Factor the principal submatrix of M plus diagonal weights; raises LinAlgError or RuntimeError."""
    if not len(free):
        return lambda right: right
    if sparse.issparse(M):
        block = M[:, free][free] + sparse.diags_array(weights[free])
        symmetric_mode = {"permc_spec": "MMD_AT_PLUS_A", "options": {"SymmetricMode": True}}
        factors = splu(block.tocsc(), **(symmetric_mode | {"diag_pivot_thresh": 0.0} if is_symmetric else {}))
        return lambda right: factors.solve(right)
    block = M[np.ix_(free, free)]
    block.flat[:: len(free) + 1] += weights[free]
    if is_symmetric:
        # The transposed view has the memory order that LAPACK wants, and the same entries.
        triangle, failed = linalg.lapack.dpotrf(block.T, lower=True, clean=False, overwrite_a=True)
        if not failed:
            return lambda right: linalg.lapack.dpotrs(triangle, right, lower=True)[0]
        block = M[np.ix_(free, free)]
        block.flat[:: len(free) + 1] += weights[free]
    factors, pivots, failed = linalg.lapack.dgetrf(block)
    if failed:
        raise linalg.LinAlgError("singular")
    return lambda right: linalg.lapack.dgetrs(factors, pivots, right)[0]
