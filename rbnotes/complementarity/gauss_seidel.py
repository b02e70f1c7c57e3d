"""Projected Gauss-Seidel: variable by variable, take the value that zeroes its w, cut off at its bounds.

A sweep is cheap and always leaves z within its bounds, so that it can be stopped at any time. For symmetric
positive definite M it converges (for semidefinite M, if there is a solution), linearly at best, and slowly
for high stacks. With sparse M, variables that do not act on each other are treated together: the result is
that of a sequential sweep, in another order.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument, Matrix
from rbnotes.complementarity.active_set import polish
from rbnotes.complementarity.problems import LCP, BoxLCP
from rbnotes.complementarity.residuals import yardstick
from rbnotes.complementarity.solution import Solution, Statistics, Status

DIVERGED = 1e100
"""Beyond this there is no way back."""


def gauss_seidel(
    problem: LCP | BoxLCP,
    start: ArrayLike | None = None,
    *,
    tolerance: float = 1e-10,
    max_sweeps: int = 10_000,
    relaxation: float = 1.0,
    polished: bool = True,
) -> Solution:
    """Solve an LCP or box LCP by projected Gauss-Seidel, or successive over-relaxation.

    Parameters
    ----------
    problem
        With positive diagonal of M, except for rows of zeros.
    start : (n,), optional
        First iterate, clipped to the bounds; by default the point of the box nearest to zero.
    tolerance
        Accepted relative residual, see :class:`rbnotes.complementarity.residuals.Residuals`.
    max_sweeps
        Stop after so many; with status "iteration limit" if that was too early.
    relaxation
        Factor on each correction, between 0 and 2.
    polished
        Try to solve for the variables off their bounds exactly, after 10, 20, 40, ... sweeps and at the end.

    Returns
    -------
    Solution
        ``statistics.sweeps`` counts the sweeps. Statuses: solved, iteration limit,
        unsuited (it diverges).

    Raises
    ------
    InvalidArgument
        If a diagonal entry of M is not positive, or the relaxation not between 0 and 2.
    """
    arguments.instance("problem", problem, LCP, BoxLCP)
    tolerance = arguments.number("tolerance", tolerance)
    max_sweeps = arguments.count("max_sweeps", max_sweeps)
    relaxation = arguments.number("relaxation", relaxation)
    if relaxation >= 2:
        raise InvalidArgument("relaxation", f"{relaxation:g}", "a number between 0 and 2")
    rates = _rates(problem.M, relaxation)
    z = np.zeros(problem.size) if start is None else arguments.one_vector("start", start, problem.size)
    z = np.clip(z, problem.lower, problem.upper)
    sweep, measure = _sweep(problem, rates), yardstick(problem)
    status, sweeps, next_polish = Status.ITERATION_LIMIT, 0, 10
    while True:
        w = problem.M @ z + problem.q
        residuals = measure.residuals(z, w)
        if np.max(np.abs(z), initial=0.0) > DIVERGED:
            status = Status.UNSUITED
            break
        ends = residuals.relative <= tolerance or sweeps >= max_sweeps
        if polished and (ends or sweeps >= next_polish):
            next_polish *= 2
            exact = polish(problem, z)
            w_exact = problem.M @ exact + problem.q
            residuals_exact = measure.residuals(exact, w_exact)
            if residuals_exact.relative <= tolerance:
                z, w, residuals, ends = exact, w_exact, residuals_exact, True
        if ends:
            break
        sweep(z)
        sweeps += 1
    if residuals.relative <= tolerance:
        status = Status.SOLVED
    return Solution(status, z, w, residuals, "gauss_seidel", Statistics(sweeps=sweeps))


def _rates(M: Matrix, relaxation: float) -> Array:
    """What to divide each w by; variables whose row is zero, which change no w of theirs, stay."""
    diagonal = np.asarray(M.diagonal())
    moving = diagonal != 0
    for i in np.flatnonzero(~moving):
        moving[i] = abs(M[[int(i)]]).max() > 0
    if np.any(diagonal[moving] <= 0):
        got = f"a diagonal entry {diagonal[moving].min():g}"
        raise InvalidArgument("M", got, "a positive diagonal, to divide by")
    result: Array = np.divide(relaxation, diagonal, out=np.zeros(len(diagonal)), where=moving)
    return result


def _sweep(problem: LCP | BoxLCP, rates: Array) -> Callable[[Array], None]:
    """A function that changes z by one sweep."""
    M, q, lower, upper = problem.M, problem.q, problem.lower, problem.upper
    if sparse.issparse(M):
        colours = _colouring(M)
        by_row = sparse.csr_array(M)
        groups = [np.flatnonzero(colours == colour) for colour in range(max(colours, default=-1) + 1)]
        steps = [(rows, by_row[rows], rates[rows], q[rows], lower[rows], upper[rows]) for rows in groups]

        def together(z: Array) -> None:
            for rows, part, rate, shift, low, high in steps:
                z[rows] = np.minimum(np.maximum(z[rows] - rate * (part @ z + shift), low), high)

        return together

    rows = list(zip(M, rates.tolist(), q.tolist(), lower.tolist(), upper.tolist(), strict=True))

    def one_by_one(z: Array) -> None:
        for i, (row, rate, shift, low, high) in enumerate(rows):
            z[i] = min(max(z[i] - rate * (row.dot(z) + shift), low), high)

    return one_by_one


def _colouring(M: Matrix) -> NDArray[np.int_]:
    """Greedy colouring of the graph of M: neighbours get different colours."""
    pattern = sparse.csr_array(abs(M) + abs(M.T))
    colours = np.full(M.shape[0], -1)
    for row in range(M.shape[0]):
        taken = set(colours[pattern.indices[pattern.indptr[row] : pattern.indptr[row + 1]]].tolist())
        colour = 0
        while colour in taken:
            colour += 1
        colours[row] = colour
    return colours
