"""Block principal pivoting: guess the variables at their bounds, solve, correct all wrong guesses at once.

This is a Newton iteration on ``z = P(z - w)``, which usually ends after a few linear solves whatever the
size. It may stall, since no merit function decreases; then single pivots finish.

Redundant contacts make M singular. A weight ``delta`` on the diagonal, 1e-8 of it, makes every guess
solvable; proximal-point steps, with ``delta (z - center)`` in place of ``delta z``, remove its effect.
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
"""Indices of the free variables and a solver for their principal submatrix."""

PROXIMAL_WEIGHT = 1e-8
"""Weight delta relative to the diagonal of M."""

SIGN_TOLERANCE = 1e-12
"""Size of z and w, relative to the terms of w, above which their signs are significant."""

MAX_PROXIMAL_STEPS = 40
"""Largest number of proximal-point steps before single pivots."""

MAX_DENSE_SIZE = 400
"""Largest size of sparse matrices that are converted to dense ones, which are then faster."""

MAX_STALLED_BLOCKS = 8
"""Largest number of consecutive blocks that do not reduce the number of wrong guesses."""


def block_principal_pivoting(
    problem: LCP | BoxLCP, initial_guess: ArrayLike | None = None, *, tolerance: float = 1e-10
) -> Solution:
    """Solve an LCP or box LCP with positive semidefinite M or P-matrix M by block principal pivoting.

    Parameters
    ----------
    problem
        LCP or box LCP; M may be sparse.
    initial_guess : (n,), optional
        Unknowns, in their unit; those strictly within their bounds are free in the first guess.
    tolerance
        Accepted relative residual, see :class:`rbnotes.complementarity.residuals.Residuals`.

    Returns
    -------
    Solution
        Solution; if block pivoting fails, that of
        :func:`rbnotes.complementarity.principal_pivoting.principal_pivoting`, started from the best guess.

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
    return replace(
        single_pivot_solution, method="block_principal_pivoting, principal_pivoting", statistics=statistics
    )


def refine_active_set(problem: LCP | BoxLCP, z: ArrayLike) -> Array:
    """Refine an approximate solution ``(n,)`` that identifies the variables at their bounds.

    Variables that are nearer to a bound than their w to zero are set to the bound; the others are solved for,
    close to z. Of the result, z itself and the point nearest to zero, the one with the smallest relative
    residual is returned.

    Raises
    ------
    InvalidArgument
        If the shape of ``z`` does not fit.
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
    """Steps of the iteration; ``side`` is -1, 0, +1 for variables at lower bound, free, at upper bound."""

    def __init__(self, problem: LCP | BoxLCP) -> None:
        self.M, self.q, self.is_symmetric = problem.M, problem.q, problem.is_symmetric
        if sparse.issparse(self.M) and len(self.q) <= MAX_DENSE_SIZE:
            self.M = self.M.toarray()
        self.bounds = None if isinstance(problem, LCP) else (problem.lower, problem.upper)
        self.residual_scale = ResidualScale.from_data(
            self.M, self.q, *(self.bounds or ()), is_symmetric=self.is_symmetric
        )
        self.unit_responses = self.residual_scale.unit_responses
        self.factorizations = 0
        self.factorization: Factorization | None = None  # factorization of the last block

    def initial_sides(self, initial_guess: ArrayLike | None) -> Any:
        """Return the sides of a guess; without one, the variables with w of the wrong sign are free."""
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
        """Return the sides suggested by z; in an initial guess, all variables off their bounds are free."""
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
        """Return z with the variables at their bounds, and zero for the free ones."""
        z = np.zeros(len(self.q))
        if self.bounds is not None:
            for value, bound in ((-1, self.bounds[0]), (1, self.bounds[1])):
                z[side == value] = bound[side == value]
        return z

    def factor_free_block(self, side: Any, weights: Array) -> Factorization:
        """Return the free indices and a solver for their principal submatrix plus the weights."""
        free = np.flatnonzero(side == 0)
        self.factorizations += 1
        return free, principal_solver(self.M, free, weights, self.is_symmetric)

    def iterate(self, side: Any, center: Array, weights: Array) -> Array | None:
        """Iterate until all guesses are right for the proximal problem, or return None. Changes ``side``."""
        min_wrong, blocks_left = len(side) + 1, MAX_STALLED_BLOCKS
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
            blocks_left = MAX_STALLED_BLOCKS if num_wrong < min_wrong else blocks_left - 1
            min_wrong = min(min_wrong, num_wrong)
            if blocks_left < 0:
                return None

    def correct_sides(self, side: Any, z: Array, w: Array, size: float) -> int:
        """Move every variable on the wrong side; return their number."""
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
        """Return z with ``w = 0`` for free variables, to rounding, then clipped to its bounds."""
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
    """Factor the principal submatrix of M plus diagonal weights.

    Raises
    ------
    LinAlgError, RuntimeError
        If the submatrix is singular.
    """
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
        # The transposed view has the memory order of LAPACK and, by symmetry, the same entries.
        triangle, failed = linalg.lapack.dpotrf(block.T, lower=True, clean=False, overwrite_a=True)
        if not failed:
            return lambda right: linalg.lapack.dpotrs(triangle, right, lower=True)[0]
        block = M[np.ix_(free, free)]
        block.flat[:: len(free) + 1] += weights[free]
    factors, pivots, failed = linalg.lapack.dgetrf(block)
    if failed:
        raise linalg.LinAlgError("singular")
    return lambda right: linalg.lapack.dgetrs(factors, pivots, right)[0]
