"""Projected Gauss-Seidel: set each variable in turn so that its w is zero, and clip it to its bounds.

A sweep is cheap and keeps z within its bounds, so that the method can be stopped at any time. It converges
for symmetric positive definite M (for semidefinite M, if there is a solution), linearly at best, and slowly
for high stacks. For sparse M, uncoupled variables are updated together: the result is that of a sequential
sweep in another order.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument, Matrix
from rbnotes.complementarity.block_principal_pivoting import refine_active_set
from rbnotes.complementarity.problems import LCP, BoxLCP
from rbnotes.complementarity.residuals import residual_scale
from rbnotes.complementarity.solution import Solution, Statistics, Status

DIVERGENCE_THRESHOLD = 1e100
"""Size of z above which the iteration counts as divergent."""


def gauss_seidel(
    problem: LCP | BoxLCP,
    initial_guess: ArrayLike | None = None,
    *,
    tolerance: float = 1e-10,
    max_sweeps: int = 10_000,
    relaxation: float = 1.0,
    refine: bool = True,
) -> Solution:
    """Solve an LCP or box LCP by projected Gauss-Seidel, or successive over-relaxation.

    Parameters
    ----------
    problem
        LCP or box LCP; the diagonal of M is positive except in zero rows.
    initial_guess : (n,), optional
        First iterate, in the unit of the unknowns, clipped to the bounds; by default the point of the box
        nearest to zero.
    tolerance
        Accepted relative residual, see :class:`rbnotes.complementarity.residuals.Residuals`.
    max_sweeps
        Largest number of sweeps; the status is "iteration limit" if it is reached.
    relaxation
        Factor on each correction, between 0 and 2, dimensionless.
    refine
        If True, solve for the variables off their bounds exactly after 10, 20, 40, ... sweeps and at the end.

    Returns
    -------
    Solution
        Solution; ``statistics.sweeps`` is the number of sweeps. Statuses: solved, iteration limit, unsuited
        (divergence).

    Raises
    ------
    InvalidArgument
        If a diagonal entry of M is not positive, or the relaxation not between 0 and 2.
    """
    arguments.require_instance("problem", problem, LCP, BoxLCP)
    tolerance = arguments.positive_number("tolerance", tolerance)
    max_sweeps = arguments.count("max_sweeps", max_sweeps)
    relaxation = arguments.positive_number("relaxation", relaxation)
    if relaxation >= 2:
        raise InvalidArgument("relaxation", f"{relaxation:g}", "a number between 0 and 2")
    rates = _relaxation_factors(problem.M, relaxation)
    z = (
        np.zeros(problem.size)
        if initial_guess is None
        else arguments.single_vector("initial_guess", initial_guess, problem.size)
    )
    z = np.clip(z, problem.lower, problem.upper)
    sweep, scale = _make_sweep(problem, rates), residual_scale(problem)
    status, sweeps, next_refinement = Status.ITERATION_LIMIT, 0, 10
    while True:
        w = problem.M @ z + problem.q
        residuals = scale.residuals(z, w)
        if np.max(np.abs(z), initial=0.0) > DIVERGENCE_THRESHOLD:
            status = Status.UNSUITED
            break
        is_finished = residuals.relative <= tolerance or sweeps >= max_sweeps
        if refine and (is_finished or sweeps >= next_refinement):
            next_refinement *= 2
            z_exact = refine_active_set(problem, z)
            w_exact = problem.M @ z_exact + problem.q
            residuals_exact = scale.residuals(z_exact, w_exact)
            if residuals_exact.relative <= tolerance:
                z, w, residuals, is_finished = z_exact, w_exact, residuals_exact, True
        if is_finished:
            break
        sweep(z)
        sweeps += 1
    if residuals.relative <= tolerance:
        status = Status.SOLVED
    return Solution(status, z, w, residuals, "gauss_seidel", Statistics(sweeps=sweeps))


def _relaxation_factors(M: Matrix, relaxation: float) -> Array:
    """Return the factors on each w; variables with zero rows do not change."""
    diagonal = np.asarray(M.diagonal())
    is_movable = diagonal != 0
    for i in np.flatnonzero(~is_movable):
        is_movable[i] = abs(M[[int(i)]]).max() > 0
    if np.any(diagonal[is_movable] <= 0):
        got = f"a diagonal entry {diagonal[is_movable].min():g}"
        raise InvalidArgument("M", got, "a positive diagonal, to divide by")
    result: Array = np.divide(relaxation, diagonal, out=np.zeros(len(diagonal)), where=is_movable)
    return result


def _make_sweep(problem: LCP | BoxLCP, rates: Array) -> Callable[[Array], None]:
    """Return a function that updates z by one sweep."""
    M, q, lower, upper = problem.M, problem.q, problem.lower, problem.upper
    if sparse.issparse(M):
        colors = _greedy_coloring(M)
        by_row = sparse.csr_array(M)
        groups = [np.flatnonzero(colors == color) for color in range(max(colors, default=-1) + 1)]
        steps = [(rows, by_row[rows], rates[rows], q[rows], lower[rows], upper[rows]) for rows in groups]

        def sweep_by_color(z: Array) -> None:
            for rows, part, rate, shift, low, high in steps:
                z[rows] = np.minimum(np.maximum(z[rows] - rate * (part @ z + shift), low), high)

        return sweep_by_color

    rows = list(zip(M, rates.tolist(), q.tolist(), lower.tolist(), upper.tolist(), strict=True))

    def sweep_by_row(z: Array) -> None:
        for i, (row, rate, shift, low, high) in enumerate(rows):
            z[i] = min(max(z[i] - rate * (row.dot(z) + shift), low), high)

    return sweep_by_row


def _greedy_coloring(M: Matrix) -> NDArray[np.int_]:
    """Return a greedy coloring of the graph of M: neighbors get different colors."""
    pattern = sparse.csr_array(abs(M) + abs(M.T))
    colors = np.full(M.shape[0], -1)
    for row in range(M.shape[0]):
        neighbor_colors = set(colors[pattern.indices[pattern.indptr[row] : pattern.indptr[row + 1]]].tolist())
        color = 0
        while color in neighbor_colors:
            color += 1
        colors[row] = color
    return colors
