"""Lemke's method with lexicographic pivoting.

It follows a path of almost complementary bases of ``w = M z + q + d z_0``, from z_0 large to z_0 = 0. It asks
less of M than the other methods: it solves friction problems whose matrices are neither positive semidefinite
nor P-matrices, and ends in a ray where the path leads nowhere. The lexicographic rule, under which all of
``[B^-1 q, B^-1]`` decides ties, forbids cycles.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.complementarity.active_set import polish
from rbnotes.complementarity.certificate import contradicts
from rbnotes.complementarity.problems import LCP, dense
from rbnotes.complementarity.residuals import box_residuals
from rbnotes.complementarity.solution import Solution, Statistics, Status

Indices = NDArray[np.int_]

PIVOT = 1e-10
"""Entries of the entering column below this, relative to its largest, do not block."""

TIE = 1e-11
"""Ratios this close, relative to the largest entry of ``B^-1 q``, are tied."""


NEARLY_SOLVED = 1e-6
"""Relative residual below which a ray may be rounding."""


def lemke(
    problem: LCP,
    *,
    cover: ArrayLike = 1.0,
    tolerance: float = 1e-10,
    max_pivots: int | None = None,
) -> Solution:
    """Solve an LCP by Lemke's method.

    Parameters
    ----------
    problem
        Any M; if it is copositive-plus (positive semidefinite, say), a ray means that there is no solution.
    cover : (n,) or float
        The covering vector d, positive.
    tolerance
        Accepted relative residual, see :class:`rbnotes.complementarity.residuals.Residuals`.
    max_pivots
        Give up after so many; by default ``50 n + 1000``.

    Returns
    -------
    Solution
        ``statistics.pivots`` counts the pivot that brings z_0 in. Possible statuses: solved, infeasible
        (the ray proves it, and is the certificate), secondary ray, ill-conditioned, iteration limit.

    Raises
    ------
    InvalidArgument
        If ``cover`` or ``tolerance`` is not positive or ``max_pivots`` is negative.
    """
    arguments.instance("problem", problem, LCP)
    n, tolerance = problem.size, arguments.number("tolerance", tolerance)
    cover = arguments.positive("cover", cover)
    if cover.shape not in ((), (n,)):
        raise InvalidArgument("cover", f"shape {cover.shape}", f"shape ({n},) or one number")
    cover = np.broadcast_to(cover, (n,))
    limit = 50 * n + 1000 if max_pivots is None else arguments.count("max_pivots", max_pivots)
    z, status, pivots, certificate = _follow(dense(problem.M), problem.q, cover, limit)
    residuals = box_residuals(problem, z)
    if status is Status.SECONDARY_RAY and residuals.relative < NEARLY_SOLVED:
        status, certificate = Status.SOLVED, None  # rounding hides where the path ends; judged below
    if status is Status.SOLVED:
        z = polish(problem, z)
        residuals = box_residuals(problem, z)
    if status is Status.SOLVED and not residuals.relative <= tolerance:
        status = Status.ILL_CONDITIONED
    if certificate is not None:
        status = Status.INFEASIBLE
    w = problem.M @ z + problem.q
    return Solution(status, z, w, residuals, "lemke", Statistics(pivots=pivots), certificate=certificate)


def _follow(M: Array, q: Array, cover: Array, limit: int) -> tuple[Array, Status, int, Array | None]:
    """Pivot along the path; returns z, the status, the number of pivots and a certificate of infeasibility.

    Variables are numbered w (0 to n - 1), z (n to 2n - 1), z_0 (2n); ``rows`` holds ``[B^-1 q, B^-1]``.
    """
    n = len(q)
    basis = np.arange(n)
    rows = np.hstack([q[:, None], np.eye(n)])
    if np.all(q >= 0):
        return np.zeros(n), Status.SOLVED, 0, None
    entering, column = 2 * n, -cover
    # z_0 enters at the value that makes the last w nonnegative: the least row of [q, I] / d leaves.
    leaving = _least(rows, cover, np.flatnonzero(q / cover <= np.min(q / cover) * (1 - TIE)))
    for pivots in range(1, limit + 1):
        left = int(basis[leaving])
        _exchange(rows, column, leaving)
        basis[leaving] = entering
        if left == 2 * n:
            return _unknowns(basis, rows), Status.SOLVED, pivots, None
        entering = left + n if left < n else left - n
        column = rows[:, 1:] @ (-M[:, entering - n]) if entering >= n else rows[:, 1 + entering].copy()
        blocking = np.flatnonzero(column > PIVOT * np.max(np.abs(column)))
        if len(blocking) == 0:
            ray = _certificate(M, q, basis, column, entering)
            return _unknowns(basis, rows), Status.SECONDARY_RAY, pivots, ray
        ratios = rows[blocking, 0] / column[blocking]
        tied = blocking[ratios <= np.min(ratios) + TIE * np.max(np.abs(rows[:, 0])) / np.max(column)]
        ends = tied[basis[tied] == 2 * n]
        leaving = int(ends[0]) if len(ends) else _least(rows, column, tied)
    return _unknowns(basis, rows), Status.ITERATION_LIMIT, limit, None


def _unknowns(basis: Indices, rows: Array) -> Array:
    """The z ``(n,)`` of a basis."""
    n = len(basis)
    held = (basis >= n) & (basis < 2 * n)
    z = np.zeros(n)
    z[basis[held] - n] = rows[held, 0]
    return z


def _least(rows: Array, column: Array, tied: Indices) -> int:
    """Of the tied rows the one that is lexicographically least when divided by its entry of the column."""
    for k in range(rows.shape[1]):
        if len(tied) == 1:
            break
        ratios = rows[tied, k] / column[tied]
        tied = tied[ratios <= np.min(ratios) + TIE * max(1.0, np.max(np.abs(ratios)))]
    return int(tied[0])


def _exchange(rows: Array, column: Array, leaving: int) -> None:
    """Update ``[B^-1 q, B^-1]`` when the column enters in the place of a row."""
    pivot_row = rows[leaving] / column[leaving]
    changed = np.flatnonzero(column)
    rows[changed] -= column[changed, None] * pivot_row
    rows[leaving] = pivot_row


def _certificate(M: Array, q: Array, basis: Indices, column: Array, entering: int) -> Array | None:
    """The z part y of the ray, if ``y >= 0, M^T y <= 0, q^T y < 0``: then w^T y < 0 for all z >= 0."""
    n = len(q)
    ray = np.zeros(2 * n + 1)
    ray[basis], ray[entering] = -column, 1.0
    y = ray[n : 2 * n]
    if np.max(np.abs(y), initial=0.0) == 0.0:
        return None
    y = y / np.max(np.abs(y))
    proof = contradicts(y, M.T @ y, np.abs(M).T @ np.abs(y), q, np.zeros(n), np.full(n, np.inf))
    return y if proof else None
