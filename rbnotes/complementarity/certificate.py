"""Certificates of infeasibility of complementarity problems and their verification (Lloyd 0.3).

A feasible point is a z within its bounds whose ``w = M z + q`` is nonnegative if z has no upper bound and
nonpositive if it has no lower one. If y is nonnegative where z has a lower bound and nonpositive where it has
an upper one, so zero where it has both, all feasible points satisfy ``w^T y >= 0``. But

    w^T y = (M^T y)^T z + q^T y,

and if its largest value over all z within the bounds is negative, there is no feasible point.

Numbers of floating point are rational, so that a proof can be verified without rounding. A y computed with
rounding satisfies the equations in it only nearly: the nearest exact solution of the equations is verified
in its place. A y that satisfies all conditions to rounding, but not exactly, proves that feasible points are
many orders of magnitude larger than the data suggest: the problem is nearly infeasible.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog

from rbnotes.arguments import Array, Matrix
from rbnotes.complementarity.problems import LCP, BoxLCP, to_dense
from rbnotes.complementarity.solution import Status

BooleanVector = NDArray[np.bool_]

CERTIFICATE_TOLERANCE = 1e-11
"""Error of a certificate to rounding, relative to the terms of each of its sums."""

CONTRADICTION_TOLERANCE = 1e-8
"""Size of a contradiction relative to its terms, below which it may be due to rounding."""

MAX_EXACT_ENTRIES = 100_000
"""Largest number of entries of M for which a certificate is verified exactly."""

MAX_EXACT_UNKNOWNS = 32
"""Largest number of nonzero entries of a certificate for which its equations are solved exactly."""


class Infeasibility(NamedTuple):
    """Status of a problem without feasible points, and its certificate.

    Attributes
    ----------
    status
        ``INFEASIBLE`` if the certificate holds exactly, ``NEARLY_INFEASIBLE`` if it holds to rounding.
    certificate
        Certificate y ``(n,)`` with entries of at most 1, rounded, if it holds exactly.
    """

    status: Status
    certificate: Array | None


class _Bounds(NamedTuple):
    """Bounds of z, infinite if there are none."""

    lower: Array
    upper: Array

    @property
    def has_lower(self) -> BooleanVector:
        result: BooleanVector = np.isfinite(self.lower)
        return result

    @property
    def has_upper(self) -> BooleanVector:
        result: BooleanVector = np.isfinite(self.upper)
        return result


def verify_certificate(problem: LCP | BoxLCP, y: Array) -> Infeasibility | None:
    """Return the infeasibility that y ``(n,)`` proves, or None if it proves nothing."""
    if not np.all(np.isfinite(y)) or not np.any(y):
        return None
    y = y / np.max(np.abs(y))
    M, q, bounds = problem.M, problem.q, _Bounds(problem.lower, problem.upper)
    product, terms = M.T @ y, abs(M).T @ np.abs(y)
    exact = _exact_certificate(M, q, bounds, y, np.abs(product) <= CERTIFICATE_TOLERANCE * terms)
    if exact is not None:
        return Infeasibility(Status.INFEASIBLE, exact)
    if _holds_to_rounding(y, product, terms, q, bounds):
        return Infeasibility(Status.NEARLY_INFEASIBLE, None)
    return None


def _holds_to_rounding(y: Array, product: Array, terms: Array, q: Array, bounds: _Bounds) -> bool:
    """Return True if y, with the product ``M^T y`` and its terms, is a certificate to rounding."""
    has_lower, has_upper = bounds.has_lower, bounds.has_upper
    if np.any((y < -CERTIFICATE_TOLERANCE) & has_lower) or np.any((y > CERTIFICATE_TOLERANCE) & has_upper):
        return False
    product_or_zero = np.where(np.abs(product) <= CERTIFICATE_TOLERANCE * terms, 0.0, product)
    if np.any((product_or_zero < 0) & ~has_lower) or np.any((product_or_zero > 0) & ~has_upper):
        return False
    bound = np.where(
        product_or_zero > 0, np.where(has_upper, bounds.upper, 0.0), np.where(has_lower, bounds.lower, 0.0)
    )
    largest_terms = product_or_zero * bound
    size = np.sum(np.abs(largest_terms)) + np.abs(q) @ np.abs(y)
    return bool(np.sum(largest_terms) + q @ y < -CONTRADICTION_TOLERANCE * size)


def _exact_certificate(
    M: Matrix, q: Array, bounds: _Bounds, y: Array, is_zero: BooleanVector
) -> Array | None:
    """Return a certificate near y that holds exactly, or None.

    It is y without its negligible entries or, if some entries of ``M^T y`` have to be zero, a solution of
    these equations near y; ``is_zero (n,)`` marks entries of ``M^T y`` that are zero to rounding.
    """
    used = np.flatnonzero(y)
    if used.size * M.shape[1] > MAX_EXACT_ENTRIES:
        return None
    rows, y = to_dense(M[used]), y[used]
    is_negligible = _term_fractions(rows, y) <= CERTIFICATE_TOLERANCE
    rows, y, used = rows[~is_negligible], y[~is_negligible], used[~is_negligible]
    equations = rows[:, is_zero & ~(bounds.has_lower & bounds.has_upper)].T
    for weights in ([Fraction(value) for value in y.tolist()], exact_null_vector(equations, y)):
        if weights is not None and _holds_exactly(rows, q, bounds, used, weights):
            return _round_to_floats(len(q), used, weights)
    return None


def _term_fractions(rows: Array, y: Array) -> Array:
    """Return the largest fraction of each y in the sums of a combination of rows; 1 if its row is zero."""
    terms = np.abs(rows * y[:, None])
    sums = terms.sum(axis=0)
    fractions: Array = (terms / np.where(sums > 0, sums, 1.0)).max(axis=1, initial=0.0)
    return np.where(rows.any(axis=1), fractions, 1.0)


def _holds_exactly(rows: Array, q: Array, bounds: _Bounds, used: Any, weights: Sequence[Fraction]) -> bool:
    """Return True if the combination of rows of M with the weights is a certificate, without rounding."""
    for index, weight in zip(used.tolist(), weights, strict=True):
        if (weight < 0 and bounds.has_lower[index]) or (weight > 0 and bounds.has_upper[index]):
            return False
    total = exact_dot(weights, q[used])
    for column, lower, upper in zip(rows.T, bounds.lower.tolist(), bounds.upper.tolist(), strict=True):
        rate = exact_dot(weights, column)
        if rate:
            bound = upper if rate > 0 else lower
            if np.isinf(bound):
                return False
            total += rate * Fraction(bound)
    return total < 0


def exact_dot(weights: Sequence[Fraction], values: Array) -> Fraction:
    """Return the sum of weights times values ``(n,)`` without rounding."""
    return sum(
        (w * Fraction(value) for w, value in zip(weights, values.tolist(), strict=True) if value), Fraction(0)
    )


def exact_null_vector(matrix: Array, approximate: Array) -> list[Fraction] | None:
    """Return an exact solution x of ``matrix x = 0`` near an approximate one, or None if it is too large.

    Gauss-Jordan elimination in rational arithmetic, with complete pivoting; the unknowns that are not
    determined keep their approximate values.

    Parameters
    ----------
    matrix : (m, n)
        Matrix of any rank.
    approximate : (n,)
        Approximate solution.
    """
    if len(approximate) > MAX_EXACT_UNKNOWNS:
        return None
    solution = [Fraction(value) for value in approximate.tolist()]
    rows = [
        {j: Fraction(value) for j, value in enumerate(row) if value}
        for row in np.unique(matrix, axis=0).tolist()
    ]
    pivots: list[tuple[int, dict[int, Fraction]]] = []
    while rows := [row for row in rows if row]:
        best = max(rows, key=lambda row: max(map(abs, row.values())))
        column = max(best, key=lambda j: abs(best[j]))
        rows = [row for row in rows if row is not best]
        pivot_row = {j: value / best[column] for j, value in best.items()}
        for row in [*rows, *(other for _, other in pivots)]:
            factor = row.pop(column, None)
            if factor is not None:
                for j, value in pivot_row.items():
                    if j != column:
                        row[j] = row.get(j, Fraction(0)) - factor * value
                        if not row[j]:
                            del row[j]
        pivots.append((column, pivot_row))
    for column, row in pivots:
        solution[column] = -sum((value * solution[j] for j, value in row.items() if j != column), Fraction(0))
    return solution


def _round_to_floats(size: int, used: Any, weights: Sequence[Fraction]) -> Array:
    y = np.zeros(size)
    largest = max(abs(weight) for weight in weights)
    y[used] = [float(weight / largest) for weight in weights]
    return y


def find_row_certificate(N: Matrix, n: Array, G: Matrix, g: Array) -> Infeasibility | None:
    """Return a verified proof that no x satisfies ``N x >= n (m,)`` and ``G x = g``, or None.

    If ``y >= 0 (m,)`` and ``N^T y + G^T multipliers = 0``, such x satisfy ``n^T y + g^T multipliers <= 0``. A
    linear program looks for a positive sum. The certificate is y, which is zero if the equations contradict
    each other without the inequalities.
    """
    rows, targets = sparse.vstack([sparse.csr_array(N), sparse.csr_array(G)], format="csr"), np.append(n, g)
    is_inequality = np.arange(len(targets)) < len(n)
    result = linprog(
        -targets,
        A_eq=rows.T,
        b_eq=np.zeros(rows.shape[1]),
        bounds=np.column_stack([np.where(is_inequality, 0.0, -1.0), np.ones(len(targets))]),
    )
    if result.x is None or not np.any(result.x):
        return None
    weights: Array = result.x / np.max(np.abs(result.x))
    used = np.flatnonzero(weights)
    if used.size * rows.shape[1] <= MAX_EXACT_ENTRIES:
        dense = rows[used].toarray()
        is_significant = _term_fractions(dense, weights[used]) > CERTIFICATE_TOLERANCE
        dense, used = dense[is_significant], used[is_significant]
        exact = exact_null_vector(dense.T, weights[used])
        if exact is not None and exact_dot(exact, targets[used]) > 0:
            has_sign = [weight >= 0 for weight, row in zip(exact, used, strict=True) if is_inequality[row]]
            if all(has_sign):
                return Infeasibility(Status.INFEASIBLE, _round_to_floats(len(targets), used, exact)[: len(n)])
    error, largest = np.abs(rows.T @ weights), abs(rows).max(axis=0).toarray().ravel()
    contradiction, size = targets @ weights, np.abs(targets) @ np.abs(weights)
    if np.all(error <= CERTIFICATE_TOLERANCE * largest) and contradiction > CONTRADICTION_TOLERANCE * size:
        return Infeasibility(Status.NEARLY_INFEASIBLE, None)
    return None


def find_infeasibility_certificate(problem: LCP | BoxLCP) -> Infeasibility | None:
    """Return a verified proof that there is no feasible point, or None.

    A linear program minimizes ``q^T y`` plus the largest ``(M^T y)^T z`` over y with entries of at most 1.
    """
    M, q, n = problem.M, problem.q, problem.size
    lower, upper = problem.lower, problem.upper
    has_lower, has_upper = np.isfinite(lower), np.isfinite(upper)
    # The unknowns are y, and a bound t on the contribution of each z with two bounds.
    two_bounds, lower_only, upper_only, unbounded = (
        has_lower & has_upper,
        has_lower & ~has_upper,
        has_upper & ~has_lower,
        ~has_lower & ~has_upper,
    )
    Mt, two_sided = sparse.csr_array(M).T.tocsr(), np.flatnonzero(two_bounds)
    selection = -sparse.eye_array(n, format="csr")[two_sided]
    empty = sparse.csr_array((n, len(two_sided)))
    one_sided = sparse.hstack(
        [sparse.vstack([Mt[lower_only], -Mt[upper_only]]), empty[lower_only | upper_only]]
    )
    sums = [
        sparse.hstack([sparse.diags_array(side[two_sided]) @ Mt[two_sided], selection[:, two_sided]])
        for side in (lower, upper)
    ]
    limits = sparse.vstack([one_sided, *sums], format="csr")
    cost = np.append(q, np.ones(len(two_sided)))
    shift = np.where(lower_only, lower, np.where(upper_only, upper, 0.0))
    cost[:n] += M @ shift
    y_low = np.where(lower_only | two_bounds, 0.0, -1.0)
    y_high = np.where(upper_only | two_bounds, 0.0, 1.0)
    result = linprog(
        cost,
        A_ub=limits,
        b_ub=np.zeros(limits.shape[0]),
        A_eq=sparse.hstack([Mt[unbounded], empty[unbounded]], format="csr") if np.any(unbounded) else None,
        b_eq=np.zeros(int(np.sum(unbounded))) if np.any(unbounded) else None,
        bounds=np.column_stack(
            [np.append(y_low, [-np.inf] * len(two_sided)), np.append(y_high, [np.inf] * len(two_sided))]
        ),
    )
    if result.x is None:
        return None
    return verify_certificate(problem, result.x[:n])
