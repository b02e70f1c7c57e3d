"""Lemke's method with lexicographic pivoting.

The method follows a path of almost complementary bases of ``w = M z + q + d z_0``, from large z_0 to z_0 = 0.
It requires less of M than the other methods: it solves friction problems whose matrices are neither positive
semidefinite nor P-matrices, and ends in a ray if the path leads nowhere. The lexicographic rule, which breaks
ties by all of ``[B^-1 q, B^-1]``, prevents cycles.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.complementarity.block_principal_pivoting import refine_active_set
from rbnotes.complementarity.certificate import verify_certificate
from rbnotes.complementarity.problems import LCP, to_dense
from rbnotes.complementarity.residuals import box_residuals
from rbnotes.complementarity.solution import Solution, Statistics, Status, judge_status

Indices = NDArray[np.int_]

PIVOT_TOLERANCE = 1e-10
"""Size of entries of the entering column, relative to its largest, below which they do not block."""

TIE_TOLERANCE = 1e-11
"""Difference of ratios, relative to the largest entry of ``B^-1 q``, below which they are tied."""


NEARLY_SOLVED_RESIDUAL = 1e-6
"""Relative residual below which a ray may be due to rounding."""


def lemke(
    problem: LCP,
    *,
    covering_vector: ArrayLike = 1.0,
    tolerance: float = 1e-10,
    max_pivots: int | None = None,
) -> Solution:
    """Solve an LCP by Lemke's method.

    Parameters
    ----------
    problem
        LCP with any M; if M is copositive-plus (for example positive semidefinite), a ray proves
        infeasibility.
    covering_vector : (n,) or float
        Positive covering vector d, dimensionless.
    tolerance
        Accepted relative residual, see :class:`rbnotes.complementarity.residuals.Residuals`.
    max_pivots
        Largest number of pivots; by default ``50 n + 1000``.

    Returns
    -------
    Solution
        Solution; ``statistics.pivots`` includes the pivot that brings z_0 in. Possible statuses: solved,
        infeasible or nearly infeasible (the ray is the certificate), secondary ray, ill-conditioned,
        iteration limit.

    Raises
    ------
    InvalidArgument
        If ``covering_vector`` is negative, or zero where q is negative; if ``tolerance`` is not positive or
        ``max_pivots`` is negative.
    """
    arguments.require_instance("problem", problem, LCP)
    n, tolerance = problem.size, arguments.positive_number("tolerance", tolerance)
    covering_vector = arguments.array("covering_vector", covering_vector)
    if covering_vector.shape not in ((), (n,)):
        raise InvalidArgument(
            "covering_vector", f"shape {covering_vector.shape}", f"shape ({n},) or one number"
        )
    covering_vector = np.broadcast_to(covering_vector, (n,))
    covering_vector = np.where(np.abs(covering_vector) <= 1 / arguments.MAX_ABS_VALUE, 0.0, covering_vector)
    if np.any(covering_vector < 0) or np.any((covering_vector == 0) & (problem.q < 0)):
        got = f"smallest entry {np.min(covering_vector):.3g}"
        raise InvalidArgument("covering_vector", got, "nonnegative entries, positive where q is negative")
    limit = 50 * n + 1000 if max_pivots is None else arguments.count("max_pivots", max_pivots)
    z, status, pivots, ray = _follow_path(to_dense(problem.M), problem.q, covering_vector, limit)
    certificate, residuals = None, box_residuals(problem, z)
    if status is Status.SOLVED or residuals.relative < NEARLY_SOLVED_RESIDUAL:
        z = refine_active_set(problem, z)
        residuals = box_residuals(problem, z)
        status = judge_status(status, residuals, tolerance)
    if ray is not None and status is not Status.SOLVED:
        proof = verify_certificate(problem, ray)
        if proof is not None:
            status, certificate = proof
    w = problem.M @ z + problem.q
    return Solution(status, z, w, residuals, "lemke", Statistics(pivots=pivots), certificate=certificate)


def _follow_path(
    M: Array, q: Array, covering_vector: Array, limit: int
) -> tuple[Array, Status, int, Array | None]:
    """Follow the path; return z, the status, the number of pivots and the z part of a ray.

    Variables are numbered w (0 to n - 1), z (n to 2n - 1), z_0 (2n); ``rows`` holds ``[B^-1 q, B^-1]``.
    """
    n = len(q)
    basis = np.arange(n)
    rows = np.hstack([q[:, None], np.eye(n)])
    if np.all(q >= 0):
        return np.zeros(n), Status.SOLVED, 0, None
    entering, column = 2 * n, -covering_vector
    # z_0 enters at the value that makes all w nonnegative: the least row of [q, I] / d leaves.
    ratios = np.divide(q, covering_vector, out=np.full(n, np.inf), where=covering_vector > 0)
    tied = np.flatnonzero(ratios <= np.min(ratios) * (1 - TIE_TOLERANCE))
    leaving = _lexicographic_minimum(rows, covering_vector, tied)
    for pivots in range(1, limit + 1):
        leaving_variable = int(basis[leaving])
        _update_tableau(rows, column, leaving)
        basis[leaving] = entering
        if leaving_variable == 2 * n:
            return _basic_solution(basis, rows), Status.SOLVED, pivots, None
        entering = leaving_variable + n if leaving_variable < n else leaving_variable - n
        column = rows[:, 1:] @ (-M[:, entering - n]) if entering >= n else rows[:, 1 + entering].copy()
        blocking = np.flatnonzero(column > PIVOT_TOLERANCE * np.max(np.abs(column)))
        if len(blocking) == 0:
            ray = np.zeros(2 * n + 1)
            ray[basis], ray[entering] = -column, 1.0
            return _basic_solution(basis, rows), Status.SECONDARY_RAY, pivots, ray[n : 2 * n]
        ratios = rows[blocking, 0] / column[blocking]
        tied = blocking[
            ratios <= np.min(ratios) + TIE_TOLERANCE * np.max(np.abs(rows[:, 0])) / np.max(column)
        ]
        artificial_rows = tied[basis[tied] == 2 * n]
        leaving = (
            int(artificial_rows[0]) if len(artificial_rows) else _lexicographic_minimum(rows, column, tied)
        )
    return _basic_solution(basis, rows), Status.ITERATION_LIMIT, limit, None


def _basic_solution(basis: Indices, rows: Array) -> Array:
    """Return z ``(n,)`` of a basis."""
    n = len(basis)
    is_basic_z = (basis >= n) & (basis < 2 * n)
    z = np.zeros(n)
    z[basis[is_basic_z] - n] = rows[is_basic_z, 0]
    return z


def _lexicographic_minimum(rows: Array, column: Array, tied: Indices) -> int:
    """Return the tied row that is lexicographically least when divided by its entry of the column."""
    for k in range(rows.shape[1]):
        if len(tied) == 1:
            break
        ratios = rows[tied, k] / column[tied]
        tied = tied[ratios <= np.min(ratios) + TIE_TOLERANCE * max(1.0, np.max(np.abs(ratios)))]
    return int(tied[0])


def _update_tableau(rows: Array, column: Array, leaving: int) -> None:
    """Update ``[B^-1 q, B^-1]`` when the column replaces a row of the basis."""
    pivot_row = rows[leaving] / column[leaving]
    nonzero_rows = np.flatnonzero(column)
    rows[nonzero_rows] -= column[nonzero_rows, None] * pivot_row
    rows[leaving] = pivot_row
