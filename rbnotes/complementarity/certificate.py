"""Proofs that a complementarity problem is infeasible: a sum of its rows that nothing meets (Lloyd 0.3).

Feasible is a z within its bounds whose ``w = M z + q`` is nonnegative where z has no upper bound and
nonpositive where it has no lower one. If y is nonnegative where z has a lower bound and nonpositive where it
has an upper one, so zero where it has both, all feasible points have ``w^T y >= 0``. But

    w^T y = (M^T y)^T z + q^T y,

and if even the z within the bounds for which that is largest makes it negative, there is no feasible point.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from rbnotes.arguments import Array
from rbnotes.complementarity.problems import LCP, BoxLCP

CERTAIN = 1e-11
"""What a proof may be off by, relative to the terms that each of its numbers is a sum of."""


def contradicts(y: Array, product: Array, terms: Array, q: Array, lower: Array, upper: Array) -> bool:
    """Whether y ``(n,)`` proves that there is no feasible point.

    Parameters
    ----------
    product, terms
        ``M^T y``, and the same with absolute values throughout: what rounding is relative to.
    """
    below, above = np.isfinite(lower), np.isfinite(upper)
    if np.any((y < -CERTAIN) & below) or np.any((y > CERTAIN) & above):
        return False
    rounded = np.where(np.abs(product) <= CERTAIN * terms, 0.0, product)
    if np.any((rounded < 0) & ~below) or np.any((rounded > 0) & ~above):
        return False
    bound = np.where(rounded > 0, np.where(above, upper, 0.0), np.where(below, lower, 0.0))
    most = rounded * bound
    size = np.sum(np.abs(most)) + np.abs(q) @ np.abs(y)
    return bool(np.sum(most) + q @ y < -CERTAIN * size)


def infeasibility_certificate(problem: LCP | BoxLCP) -> Array | None:
    """A proof y ``(n,)`` that there is no feasible point, with entries of at most 1; None if none is found.

    It is searched for by a linear program: the least ``q^T y`` plus the largest ``(M^T y)^T z``. What comes
    out is verified.
    """
    M, q, n = problem.M, problem.q, problem.size
    lower, upper = problem.lower, problem.upper
    below, above = np.isfinite(lower), np.isfinite(upper)
    # The unknowns are y, and a bound t on what each z with two bounds contributes.
    both, one_below, one_above, free = below & above, below & ~above, above & ~below, ~below & ~above
    Mt, twice = sparse.csr_array(M).T.tocsr(), np.flatnonzero(both)
    pick = -sparse.eye_array(n, format="csr")[twice]
    empty = sparse.csr_array((n, len(twice)))
    falling = sparse.hstack([sparse.vstack([Mt[one_below], -Mt[one_above]]), empty[one_below | one_above]])
    sums = [
        sparse.hstack([sparse.diags_array(side[twice]) @ Mt[twice], pick[:, twice]])
        for side in (lower, upper)
    ]
    limits = sparse.vstack([falling, *sums], format="csr")
    cost = np.append(q, np.ones(len(twice)))
    shift = np.where(one_below, lower, np.where(one_above, upper, 0.0))
    cost[:n] += M @ shift
    y_low = np.where(one_below | both, 0.0, -1.0)
    y_high = np.where(one_above | both, 0.0, 1.0)
    found = linprog(
        cost,
        A_ub=limits,
        b_ub=np.zeros(limits.shape[0]),
        A_eq=sparse.hstack([Mt[free], empty[free]], format="csr") if np.any(free) else None,
        b_eq=np.zeros(int(np.sum(free))) if np.any(free) else None,
        bounds=np.column_stack(
            [np.append(y_low, [-np.inf] * len(twice)), np.append(y_high, [np.inf] * len(twice))]
        ),
    )
    if found.x is None:
        return None
    y: Array = found.x[:n]
    proof = contradicts(y, M.T @ y, abs(M).T @ np.abs(y), q, lower, upper)
    return y if proof else None
