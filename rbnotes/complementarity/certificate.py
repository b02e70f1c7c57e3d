"""Certificates of infeasibility of complementarity problems (Lloyd 0.3).

A feasible point is a z within its bounds whose ``w = M z + q`` is nonnegative if z has no upper bound and
nonpositive if it has no lower one. If y is nonnegative where z has a lower bound and nonpositive where it has
an upper one, so zero where it has both, all feasible points satisfy ``w^T y >= 0``. But

    w^T y = (M^T y)^T z + q^T y,

and if its largest value over all z within the bounds is negative, there is no feasible point.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from rbnotes.arguments import Array
from rbnotes.complementarity.problems import LCP, BoxLCP

CERTIFICATE_TOLERANCE = 1e-11
"""Accepted error of a certificate, relative to the terms of each of its sums."""


def is_infeasibility_certificate(
    y: Array, product: Array, terms: Array, q: Array, lower: Array, upper: Array
) -> bool:
    """Return True if y ``(n,)`` proves that there is no feasible point.

    Parameters
    ----------
    product, terms
        ``M^T y``, and the same with absolute values, which scales the rounding.
    """
    has_lower, has_upper = np.isfinite(lower), np.isfinite(upper)
    if np.any((y < -CERTIFICATE_TOLERANCE) & has_lower) or np.any((y > CERTIFICATE_TOLERANCE) & has_upper):
        return False
    product_or_zero = np.where(np.abs(product) <= CERTIFICATE_TOLERANCE * terms, 0.0, product)
    if np.any((product_or_zero < 0) & ~has_lower) or np.any((product_or_zero > 0) & ~has_upper):
        return False
    bound = np.where(product_or_zero > 0, np.where(has_upper, upper, 0.0), np.where(has_lower, lower, 0.0))
    largest_terms = product_or_zero * bound
    size = np.sum(np.abs(largest_terms)) + np.abs(q) @ np.abs(y)
    return bool(np.sum(largest_terms) + q @ y < -CERTIFICATE_TOLERANCE * size)


def find_infeasibility_certificate(problem: LCP | BoxLCP) -> Array | None:
    """Return a proof y ``(n,)``, with entries of at most 1, that there is no feasible point, or None.

    A linear program minimizes ``q^T y`` plus the largest ``(M^T y)^T z``. The result is verified.
    """
    M, q, n = problem.M, problem.q, problem.size
    lower, upper = problem.lower, problem.upper
    has_lower, has_upper = np.isfinite(lower), np.isfinite(upper)
    # The unknowns are y, and a bound t on what each z with two bounds contributes.
    both, one_below, one_above, free = (
        has_lower & has_upper,
        has_lower & ~has_upper,
        has_upper & ~has_lower,
        ~has_lower & ~has_upper,
    )
    Mt, two_sided = sparse.csr_array(M).T.tocsr(), np.flatnonzero(both)
    pick = -sparse.eye_array(n, format="csr")[two_sided]
    empty = sparse.csr_array((n, len(two_sided)))
    falling = sparse.hstack([sparse.vstack([Mt[one_below], -Mt[one_above]]), empty[one_below | one_above]])
    sums = [
        sparse.hstack([sparse.diags_array(side[two_sided]) @ Mt[two_sided], pick[:, two_sided]])
        for side in (lower, upper)
    ]
    limits = sparse.vstack([falling, *sums], format="csr")
    cost = np.append(q, np.ones(len(two_sided)))
    shift = np.where(one_below, lower, np.where(one_above, upper, 0.0))
    cost[:n] += M @ shift
    y_low = np.where(one_below | both, 0.0, -1.0)
    y_high = np.where(one_above | both, 0.0, 1.0)
    result = linprog(
        cost,
        A_ub=limits,
        b_ub=np.zeros(limits.shape[0]),
        A_eq=sparse.hstack([Mt[free], empty[free]], format="csr") if np.any(free) else None,
        b_eq=np.zeros(int(np.sum(free))) if np.any(free) else None,
        bounds=np.column_stack(
            [np.append(y_low, [-np.inf] * len(two_sided)), np.append(y_high, [np.inf] * len(two_sided))]
        ),
    )
    if result.x is None:
        return None
    y: Array = result.x[:n]
    is_proof = is_infeasibility_certificate(y, M.T @ y, abs(M).T @ np.abs(y), q, lower, upper)
    return y if is_proof else None
