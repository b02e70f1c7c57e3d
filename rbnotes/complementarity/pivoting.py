"""Principal pivoting on columns that are built on demand (Lloyd 0.8).

Take the worst w_r of wrong sign and drive its z_r off its bound until w_r is zero. A basic z that reaches a
bound on the way blocks: it leaves the basis, and the drive goes on.

* Symmetric positive semidefinite M (Keller's method): every drive lowers ``z^T M z / 2 + q^T z``, so that no
  basis comes back. Other w may become wrong on the way; they are driven later.
* Other positive semidefinite M and P-matrices (Dantzig and Cottle's method): a right w that would become
  wrong blocks as well, and is exchanged for its z; each drive leaves fewer wrong ones. Where the pivot entry
  is zero, the blocking and the driven pair are exchanged together, and w_r is driven itself. Ties between
  blocking variables are broken lexicographically; a basis that comes back all the same is reported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg

from rbnotes import arguments
from rbnotes.arguments import Array, SingularConfiguration
from rbnotes.complementarity.basis import Basis, Pairs
from rbnotes.complementarity.certificate import contradicts
from rbnotes.complementarity.elimination import Elimination
from rbnotes.complementarity.problems import LCP, BoxLCP
from rbnotes.complementarity.residuals import Yardstick, yardstick
from rbnotes.complementarity.solution import QPSolution, Solution, Statistics, Status, judged

SIGN_TOLERANCE = 1e-12
"""Signs are believed above this, relative to the largest value of the same kind."""

SINGULAR = 1e-9
"""Rates and pivot entries count as zero below this, relative to the columns that they come from."""

NEGATIVE = 1e-6
"""Pivot entries below minus this (likewise) are no rounding errors: M is unsuited."""

Flags = NDArray[np.bool_]

Trace = Callable[[Basis, int], Any]


@overload
def pivoting(
    problem: LCP | BoxLCP,
    start: ArrayLike | None = None,
    *,
    tolerance: float = 1e-10,
    max_pivots: int | None = None,
    trace: Trace | None = None,
) -> Solution: ...


@overload
def pivoting(
    problem: Elimination,
    start: ArrayLike | None = None,
    *,
    tolerance: float = 1e-10,
    max_pivots: int | None = None,
    trace: Trace | None = None,
) -> QPSolution: ...


def pivoting(
    problem: LCP | BoxLCP | Elimination,
    start: ArrayLike | None = None,
    *,
    tolerance: float = 1e-10,
    max_pivots: int | None = None,
    trace: Trace | None = None,
) -> Solution:
    """Solve by principal pivoting, building columns on demand.

    Parameters
    ----------
    problem
        With positive semidefinite M or P-matrix M. (The LCP matrix of an elimination is positive
        semidefinite if its M is.)
    start : (n,), optional
        Variables strictly within their bounds here are basic at the start, as far as they are
        independent and feasible.
    tolerance
        Accepted relative residual, see :class:`rbnotes.complementarity.residuals.Residuals`.
    max_pivots
        Give up after so many; by default ``50 n + 1000``.
    trace
        Called with the basis and the driven index after every pivot, for tables and pictures.

    Returns
    -------
    Solution
        ``statistics`` counts the pivots and, for an elimination, the solves, those for q, x and lambda
        included, and the solves saved. Possible statuses: solved, infeasible, secondary ray (nothing
        blocks, but that proves nothing: M is singular and not symmetric), cycling, unsuited,
        ill-conditioned, iteration limit.

    Raises
    ------
    InvalidArgument
        If ``tolerance`` is not positive, ``max_pivots`` is negative, or the shape of ``start`` does not fit.
    SingularConfiguration
        If the unbounded variables do not determine each other.
    """
    arguments.instance("problem", problem, LCP, BoxLCP, Elimination)
    tolerance = arguments.number("tolerance", tolerance)
    pairs = Pairs(problem)
    basis = _begun(pairs, start)
    limit = 50 * pairs.size + 1000 if max_pivots is None else arguments.count("max_pivots", max_pivots)
    try:
        status, ray = _run(basis, limit, tolerance, trace)
    except linalg.LinAlgError:
        status, ray = Status.UNSUITED, None
    z = np.clip(basis.z, pairs.lower, pairs.upper)
    certificate = None
    if ray is not None and proves_infeasible(basis, ray):
        status, certificate = Status.INFEASIBLE, ray / np.max(np.abs(ray))
    if isinstance(problem, Elimination):
        x, multipliers = problem.kkt.solve(problem.f + problem.N.T @ z, problem.g)
        residuals = problem.residuals_of(x, multipliers, z)
        built = pairs.columns.built
        return QPSolution(
            judged(status, residuals, tolerance),
            z,
            problem.N @ x - problem.n,
            residuals,
            "pivoting",
            Statistics(pivots=basis.pivots, solves=built + 2, solves_saved=pairs.size - built),
            certificate,
            x=x,
            multipliers=multipliers,
        )
    w = basis.slack(z)
    residuals = yardstick(problem).residuals(z, w)
    statistics = Statistics(pivots=basis.pivots)
    return Solution(
        judged(status, residuals, tolerance), z, w, residuals, "pivoting", statistics, certificate
    )


def _begun(pairs: Pairs, start: ArrayLike | None) -> Basis:
    """The basis of the unbounded variables, and of those that a start suggests."""
    basis = Basis(pairs)
    wanted, at_upper = basis.unbounded.copy(), basis.at_upper.copy()
    if start is not None:
        guess = arguments.one_vector("start", start, pairs.size)
        wanted |= (guess > pairs.lower) & (guess < pairs.upper)
        at_upper |= np.isfinite(pairs.upper) & (guess >= pairs.upper)
    basis = _entered(pairs, wanted, at_upper)
    while len(outside := _outside(basis)):
        for s in outside:
            basis.leave(int(s))
        if np.any(_dependent(basis)):  # without those that have left, the others may not determine each other
            basis = _entered(pairs, basis.basic, basis.at_upper)
        else:
            basis.refresh()
    basis.pivots = 0
    return basis


def _entered(pairs: Pairs, wanted: Flags, at_upper: Flags) -> Basis:
    """The basis of the wanted variables, as far as they are independent; the others stand at a bound."""
    basis = Basis(pairs)
    basis.at_upper = at_upper
    basis.z = np.where(at_upper & ~wanted, pairs.upper, basis.z)
    entered = True
    while entered:
        entered = False
        for s in map(int, np.flatnonzero(wanted & ~basis.basic)):
            if abs(basis.diagonal(s)) > SINGULAR * np.max(np.abs(basis.columns[s])):
                basis.exchange(s)
                entered = True
    if np.any(basis.unbounded & ~basis.basic):
        got = "a singular block of unbounded variables"
        raise SingularConfiguration("M", got, "unbounded variables that determine each other")
    basis.refresh()
    return basis


def _dependent(basis: Basis) -> Flags:
    """Which basic variables ``(k,)`` are determined by rounding alone."""
    sizes = [np.max(np.abs(basis.columns[s])) for s in basis.alpha]
    result: Flags = np.abs(basis.factored_diagonal) <= SINGULAR * np.array(sizes)
    return result


def _outside(basis: Basis) -> Any:
    """Basic variables beyond a bound by more than rounding."""
    z, lower, upper = basis.z, basis.pairs.lower, basis.pairs.upper
    small = SIGN_TOLERANCE * np.max(np.abs(z), initial=0.0)
    return np.flatnonzero(basis.basic & ((z < lower - small) | (z > upper + small)))


def _run(basis: Basis, limit: int, tolerance: float, trace: Trace | None) -> tuple[Status, Array | None]:
    """Drive one wrong w after the other to zero; returns the status and, if it ended in one, the ray."""
    pairs = basis.pairs
    fixed = pairs.lower == pairs.upper
    # Rounding may leave a z with two bounds wrong at both: then it goes to and fro.
    measure = None if pairs.matrix is None else Yardstick.of(pairs.matrix, pairs.q, pairs.lower, pairs.upper)
    moved = np.zeros(pairs.size, dtype=bool)
    while True:
        wrong = np.where(basis.at_upper, basis.w, -basis.w)
        wrong[basis.basic | fixed] = 0.0
        if np.max(wrong, initial=0.0) <= _small(basis):
            return Status.SOLVED, None
        r, pivots = int(np.argmax(wrong)), basis.pivots
        if moved[r] and measure is not None and measure.residuals(basis.z, basis.w).relative <= tolerance:
            return Status.SOLVED, None
        status, ray = _drive(basis, r, limit, trace)
        if status is not None:
            return status, ray
        moved[r] |= basis.pivots == pivots + 1 and not basis.basic[r]
        basis.refresh()


def _small(basis: Basis) -> float:
    """Below this a w counts as zero."""
    q, w = np.abs(basis.pairs.q), np.abs(basis.w)
    result: float = SIGN_TOLERANCE * max(np.max(q, initial=0.0), np.max(w, initial=0.0))
    return result


def _drive(basis: Basis, r: int, limit: int, trace: Trace | None) -> tuple[Status | None, Array | None]:
    """Move z_r off its bound until w_r is zero or z_r is at its other bound (status None)."""
    pairs, way = basis.pairs, -1.0 if basis.at_upper[r] else 1.0
    far = pairs.upper[r] if way > 0 else pairs.lower[r]
    visited = set()
    done = False
    while not done:
        if basis.pivots >= limit:
            return Status.ITERATION_LIMIT, None
        if (key := basis.basic.tobytes() + basis.at_upper.tobytes()) in visited:
            return Status.CYCLING, None
        visited.add(key)
        rates = way * basis.column(r)
        to_zero, to_far = abs(basis.w[r]), np.inf
        if not basis.basic[r]:  # then w_r is one of the basic variables, and z_r the one that moves
            slope, size = way * rates[r], np.max(np.abs(basis.columns[r]))
            if slope < -NEGATIVE * size:
                return Status.UNSUITED, None
            to_zero = to_zero / slope if slope > SINGULAR * size else np.inf
            to_far = abs(far - basis.z[r])
        step, blocking = _blocking(basis, r, rates)
        own = min(to_zero, to_far)
        if not np.isfinite(min(own, step)):
            ray = np.where(basis.basic, rates, 0.0)
            ray[r] = way
            return Status.SECONDARY_RAY, ray
        done = own <= step * (1 + SIGN_TOLERANCE)
        _move(basis, r, way, own if done else step, rates)
        if not done:
            done = blocking == r
            if not _pivot(basis, r, blocking):
                return Status.UNSUITED, None
        elif to_far < to_zero:
            basis.at_upper[r], basis.z[r] = way > 0, far
            basis.pivots += 1
        elif not basis.basic[r]:
            basis.exchange(r)
        if trace is not None:
            trace(basis, r)
    return None, None


def _move(basis: Basis, r: int, way: float, step: float, rates: Array) -> None:
    """Change the nonbasic variable of pair r by ``way * step``, and the basic ones with it."""
    basic = basis.basic
    basis.z[basic] += step * rates[basic]
    basis.w[~basic] += step * rates[~basic]
    driven = basis.w if basic[r] else basis.z
    driven[r] += way * step


def _pivot(basis: Basis, r: int, s: int) -> bool:
    """Exchange the blocking pair s, together with r if s alone has no pivot entry; False if M is unsuited."""
    size = np.max(np.abs(basis.columns[s])) or 1.0
    unit = 1 / size if basis.basic[s] else size
    entry = basis.diagonal(s) / unit
    if entry < -NEGATIVE:
        return False
    if basis.basic[s]:
        basis.leave(s)
    else:
        basis.w[s] = 0.0
        basis.exchange(s)
    if entry <= SINGULAR and s != r:
        basis.exchange(r)
    return True


def _blocking(basis: Basis, r: int, rates: Array) -> tuple[float, int]:
    """How far the driving variable can go until a basic variable would change sign, and which that is."""
    lower, upper = basis.pairs.lower, basis.pairs.upper
    magnitude = np.abs(rates)
    small = np.where(
        basis.basic,
        SINGULAR * np.max(magnitude[basis.basic], initial=0.0),
        SINGULAR * np.max(magnitude[~basis.basic], initial=0.0),
    )
    falling, rising = rates < -small, rates > small
    step = np.full(basis.pairs.size, np.inf)
    down, up = basis.basic & falling, basis.basic & rising
    step[down] = (basis.z - lower)[down] / magnitude[down]
    step[up] = (upper - basis.z)[up] / magnitude[up]
    if not basis.pairs.symmetric:
        right = np.where(basis.at_upper, -basis.w, basis.w)
        turning = ~basis.basic & np.where(basis.at_upper, rising, falling) & (right >= -_small(basis))
        turning &= lower < upper
        turning[r] = False
        step[turning] = right[turning] / magnitude[turning]
    step = np.maximum(step, 0.0)
    least = float(np.min(step, initial=np.inf))
    tied = np.flatnonzero(step <= least * (1 + SIGN_TOLERANCE))
    if not np.isfinite(least) or len(tied) == 1:
        return least, int(tied[0]) if len(tied) else -1
    return least, _lexicographic(basis, tied, rates)


def _lexicographic(basis: Basis, tied: Any, rates: Array) -> int:
    """Which of tied variables blocks first if q is raised by (e, e^2, e^3, ...), e > 0 and tiny."""
    rows = np.zeros((len(tied), basis.pairs.size))
    for row, s in zip(rows, tied, strict=True):
        if basis.basic[s]:
            row[basis.alpha] = -basis.solve_transposed(basis.unit(s))
        else:
            row[basis.alpha] = -basis.solve_transposed(basis.columns.rows(s, basis.alpha))
            row[s] = 1.0
        row /= -rates[s]
    return int(tied[min(range(len(tied)), key=lambda k: tuple(np.round(rows[k], 12)))])


def proves_infeasible(basis: Basis, ray: Array) -> bool:
    """Whether no z within the bounds makes w feasible, by the ray along which pivoting found no end.

    A ray of a matrix that is built on demand proves nothing unless M is symmetric.
    """
    pairs = basis.pairs
    if pairs.matrix is None and not pairs.symmetric:
        return False
    y = ray / np.max(np.abs(ray))
    used = np.flatnonzero(y)
    if pairs.matrix is not None:
        product, terms = pairs.matrix.T @ y, abs(pairs.matrix).T @ np.abs(y)
    else:
        product = pairs.columns.combine(used, y[used])
        terms = sum(abs(y[j] * pairs.columns[int(j)]) for j in used)
    return contradicts(y, product, terms, pairs.q, pairs.lower, pairs.upper)
