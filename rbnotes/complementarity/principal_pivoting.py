"""Principal pivoting with columns built on demand (Lloyd 0.8).

The method selects the w_r that violates its sign the most and drives its z_r off its bound until w_r is zero.
A basic z that reaches a bound on the way blocks: it leaves the basis, and the drive continues.

* Symmetric positive semidefinite M (Keller's method): every drive lowers ``z^T M z / 2 + q^T z``, so that
  no basis recurs. Other w may become infeasible on the way; they are driven later.
* Other positive semidefinite M and P-matrices (Dantzig and Cottle's method): a feasible w that would
  become infeasible blocks as well, and is exchanged for its z; each drive leaves fewer infeasible w. If the
  pivot entry is zero, the blocking and the driven pair are exchanged together, and w_r itself is driven. Ties
  between blocking variables are broken lexicographically; a basis that recurs nevertheless is reported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg

from rbnotes import arguments
from rbnotes.arguments import Array, SingularConfiguration
from rbnotes.complementarity.basis import Basis, PivotingData
from rbnotes.complementarity.certificate import find_row_certificate, verify_certificate
from rbnotes.complementarity.elimination import Elimination
from rbnotes.complementarity.problems import LCP, BoxLCP
from rbnotes.complementarity.residuals import Residuals, ResidualScale, residual_scale
from rbnotes.complementarity.solution import QPSolution, Solution, Statistics, Status, judge_status

SIGN_TOLERANCE = 1e-12
"""Size relative to the largest value of the same kind above which signs are significant."""

SINGULAR_TOLERANCE = 1e-9
"""Size of rates and pivot entries, relative to their columns, below which they count as zero."""

NEGATIVE_PIVOT_TOLERANCE = 1e-6
"""Size of negative pivot entries, likewise, above which they are not rounding errors: M is unsuited."""

BooleanVector = NDArray[np.bool_]

PivotCallback = Callable[[Basis, int], Any]


@overload
def principal_pivoting(
    problem: LCP | BoxLCP,
    initial_guess: ArrayLike | None = None,
    *,
    tolerance: float = 1e-10,
    max_pivots: int | None = None,
    callback: PivotCallback | None = None,
) -> Solution: ...


@overload
def principal_pivoting(
    problem: Elimination,
    initial_guess: ArrayLike | None = None,
    *,
    tolerance: float = 1e-10,
    max_pivots: int | None = None,
    callback: PivotCallback | None = None,
) -> QPSolution: ...


def principal_pivoting(
    problem: LCP | BoxLCP | Elimination,
    initial_guess: ArrayLike | None = None,
    *,
    tolerance: float = 1e-10,
    max_pivots: int | None = None,
    callback: PivotCallback | None = None,
) -> Solution:
    """Solve by principal pivoting, building columns on demand.

    Parameters
    ----------
    problem
        Problem with a positive semidefinite M or P-matrix M. (The LCP matrix of an elimination is positive
        semidefinite if its M is.)
    initial_guess : (n,), optional
        Unknowns, in their unit; those strictly within their bounds are basic at the start if they are
        independent and feasible.
    tolerance
        Accepted relative residual, see :class:`rbnotes.complementarity.residuals.Residuals`.
    max_pivots
        Largest number of pivots; by default ``50 n + 1000``.
    callback
        Function called with the basis and the driven index after every pivot.

    Returns
    -------
    Solution
        Solution; ``statistics`` has the number of pivots and, for an elimination, the numbers of solves
        (including those for q, x and lambda) and of solves avoided. Possible statuses: solved, infeasible,
        nearly infeasible, secondary ray (nothing blocks, which proves nothing for a singular nonsymmetric M),
        cycling, unsuited, ill-conditioned, iteration limit.

    Raises
    ------
    InvalidArgument
        If ``tolerance`` is not positive, ``max_pivots`` is negative, or the shape of ``initial_guess`` does
        not fit.
    SingularConfiguration
        If the submatrix of the unbounded variables is singular.
    """
    arguments.require_instance("problem", problem, LCP, BoxLCP, Elimination)
    tolerance = arguments.positive_number("tolerance", tolerance)
    data = PivotingData(problem)
    basis = _initial_basis(data, initial_guess)
    limit = 50 * data.size + 1000 if max_pivots is None else arguments.count("max_pivots", max_pivots)
    try:
        status, ray = _drive_all_pairs(basis, limit, tolerance, callback)
    except linalg.LinAlgError:
        status, ray = Status.UNSUITED, None
    z = np.clip(basis.z, data.lower, data.upper)
    if isinstance(problem, Elimination):
        x, multipliers = problem.kkt.solve(problem.f + problem.N.T @ z, problem.g)
        residuals = problem.residuals_unchecked(x, multipliers, z)
        status, certificate = _status_and_certificate(problem, status, residuals, tolerance, ray)
        num_built = data.columns.num_built
        return QPSolution(
            status,
            z,
            problem.N @ x - problem.n,
            residuals,
            "principal_pivoting",
            Statistics(pivots=basis.num_pivots, solves=num_built + 2, solves_avoided=data.size - num_built),
            certificate,
            x=x,
            multipliers=multipliers,
        )
    w = basis.slack(z)
    residuals = residual_scale(problem).residuals(z, w)
    status, certificate = _status_and_certificate(problem, status, residuals, tolerance, ray)
    statistics = Statistics(pivots=basis.num_pivots)
    return Solution(status, z, w, residuals, "principal_pivoting", statistics, certificate)


def _status_and_certificate(
    problem: LCP | BoxLCP | Elimination,
    status: Status,
    residuals: Residuals,
    tolerance: float,
    ray: Array | None,
) -> tuple[Status, Array | None]:
    """Return the status that the residuals, or else the final ray, justify, and a certificate."""
    status, proof = judge_status(status, residuals, tolerance), None
    if ray is not None and status is not Status.SOLVED:
        if isinstance(problem, Elimination):
            proof = find_row_certificate(problem.N, problem.n, problem.G, problem.g)
        else:
            proof = verify_certificate(problem, ray)
    return (status, None) if proof is None else proof


def _initial_basis(data: PivotingData, initial_guess: ArrayLike | None) -> Basis:
    """Return the basis of the unbounded variables and of those that an initial guess suggests."""
    basis = Basis(data)
    candidates, at_upper = basis.is_unbounded.copy(), basis.at_upper.copy()
    if initial_guess is not None:
        guess = arguments.single_vector("initial_guess", initial_guess, data.size)
        candidates |= (guess > data.lower) & (guess < data.upper)
        at_upper |= np.isfinite(data.upper) & (guess >= data.upper)
    basis = _basis_from_candidates(data, candidates, at_upper)
    while len(violated := _violated_indices(basis)):
        for s in violated:
            basis.leave_basis(int(s))
        if np.any(_is_dependent(basis)):  # after some have left, the others may be dependent
            basis = _basis_from_candidates(data, basis.is_basic, basis.at_upper)
        else:
            basis.recompute_values()
    basis.num_pivots = 0
    return basis


def _basis_from_candidates(data: PivotingData, candidates: BooleanVector, at_upper: BooleanVector) -> Basis:
    """Return the basis of the candidates that are independent; the others are at a bound."""
    basis = Basis(data)
    basis.at_upper = at_upper
    basis.z = np.where(at_upper & ~candidates, data.upper, basis.z)
    has_changed = True
    while has_changed:
        has_changed = False
        for s in map(int, np.flatnonzero(candidates & ~basis.is_basic)):
            if abs(basis.pivoted_diagonal(s)) > SINGULAR_TOLERANCE * np.max(np.abs(basis.columns[s])):
                basis.exchange(s)
                has_changed = True
    if np.any(basis.is_unbounded & ~basis.is_basic):
        got = "a singular block of unbounded variables"
        raise SingularConfiguration("M", got, "unbounded variables that determine each other")
    basis.recompute_values()
    return basis


def _is_dependent(basis: Basis) -> BooleanVector:
    """Return a mask of the basic variables ``(k,)`` that are determined only by rounding."""
    sizes = [np.max(np.abs(basis.columns[s])) for s in basis.basic_indices]
    result: BooleanVector = np.abs(basis.factor_diagonal) <= SINGULAR_TOLERANCE * np.array(sizes)
    return result


def _violated_indices(basis: Basis) -> Any:
    """Return the basic variables that exceed a bound by more than rounding."""
    z, lower, upper = basis.z, basis.data.lower, basis.data.upper
    small = SIGN_TOLERANCE * np.max(np.abs(z), initial=0.0)
    return np.flatnonzero(basis.is_basic & ((z < lower - small) | (z > upper + small)))


def _drive_all_pairs(
    basis: Basis, limit: int, tolerance: float, callback: PivotCallback | None
) -> tuple[Status, Array | None]:
    """Drive all infeasible w to zero, one by one; return the status and the final ray, if any."""
    data = basis.data
    is_fixed = data.lower == data.upper
    # Rounding may make a z with two bounds wrong at both: it would then alternate between them.
    scale = (
        None
        if data.matrix is None
        else ResidualScale.from_data(
            data.matrix, data.q, data.lower, data.upper, is_symmetric=data.is_symmetric
        )
    )
    moved_to_bound = np.zeros(data.size, dtype=bool)
    while True:
        violations = np.where(basis.at_upper, basis.w, -basis.w)
        violations[basis.is_basic | is_fixed] = 0.0
        if np.max(violations, initial=0.0) <= _sign_threshold(basis):
            return Status.SOLVED, None
        r, pivots = int(np.argmax(violations)), basis.num_pivots
        if (
            moved_to_bound[r]
            and scale is not None
            and scale.residuals(basis.z, basis.w).relative <= tolerance
        ):
            return Status.SOLVED, None
        status, ray = _drive_pair(basis, r, limit, callback)
        if status is not None:
            return status, ray
        moved_to_bound[r] |= basis.num_pivots == pivots + 1 and not basis.is_basic[r]
        basis.recompute_values()


def _sign_threshold(basis: Basis) -> float:
    """Return the size below which a w counts as zero."""
    q, w = np.abs(basis.data.q), np.abs(basis.w)
    result: float = SIGN_TOLERANCE * max(np.max(q, initial=0.0), np.max(w, initial=0.0))
    return result


def _drive_pair(
    basis: Basis, r: int, limit: int, callback: PivotCallback | None
) -> tuple[Status | None, Array | None]:
    """Move z_r off its bound until w_r is zero or z_r is at its other bound (status None)."""
    data, direction = basis.data, -1.0 if basis.at_upper[r] else 1.0
    opposite_bound = data.upper[r] if direction > 0 else data.lower[r]
    visited = set()
    is_done = False
    while not is_done:
        if basis.num_pivots >= limit:
            return Status.ITERATION_LIMIT, None
        if (key := basis.is_basic.tobytes() + basis.at_upper.tobytes()) in visited:
            return Status.CYCLING, None
        visited.add(key)
        rates = direction * basis.pivoted_column(r)
        step_to_zero, step_to_bound = abs(basis.w[r]), np.inf
        if not basis.is_basic[r]:  # then w_r is basic, and z_r is the variable that moves
            pivot_entry, size = direction * rates[r], np.max(np.abs(basis.columns[r]))
            if pivot_entry < -NEGATIVE_PIVOT_TOLERANCE * size:
                return Status.UNSUITED, None
            step_to_zero = step_to_zero / pivot_entry if pivot_entry > SINGULAR_TOLERANCE * size else np.inf
            step_to_bound = abs(opposite_bound - basis.z[r])
        step, blocking = _ratio_test(basis, r, rates)
        own_step = min(step_to_zero, step_to_bound)
        if not np.isfinite(min(own_step, step)):
            ray = np.where(basis.is_basic, rates, 0.0)
            ray[r] = direction
            return Status.SECONDARY_RAY, ray
        is_done = own_step <= step * (1 + SIGN_TOLERANCE)
        _advance(basis, r, direction, own_step if is_done else step, rates)
        if not is_done:
            is_done = blocking == r
            if not _pivot_blocking_pair(basis, r, blocking):
                return Status.UNSUITED, None
        elif step_to_bound < step_to_zero:
            basis.at_upper[r], basis.z[r] = direction > 0, opposite_bound
            basis.num_pivots += 1
        elif not basis.is_basic[r]:
            basis.exchange(r)
        if callback is not None:
            callback(basis, r)
    return None, None


def _advance(basis: Basis, r: int, direction: float, step: float, rates: Array) -> None:
    """Change the nonbasic variable of pair r by ``direction * step``, and update the basic ones."""
    basic = basis.is_basic
    basis.z[basic] += step * rates[basic]
    basis.w[~basic] += step * rates[~basic]
    driven_values = basis.w if basic[r] else basis.z
    driven_values[r] += direction * step


def _pivot_blocking_pair(basis: Basis, r: int, s: int) -> bool:
    """Exchange the blocking pair s, together with r if needed; return False if M is unsuited."""
    size = np.max(np.abs(basis.columns[s])) or 1.0
    unit = 1 / size if basis.is_basic[s] else size
    entry = basis.pivoted_diagonal(s) / unit
    if entry < -NEGATIVE_PIVOT_TOLERANCE:
        return False
    if basis.is_basic[s]:
        basis.leave_basis(s)
    else:
        basis.w[s] = 0.0
        basis.exchange(s)
    if entry <= SINGULAR_TOLERANCE and s != r:
        basis.exchange(r)
    return True


def _ratio_test(basis: Basis, r: int, rates: Array) -> tuple[float, int]:
    """Return the largest step of the driving variable and the blocking basic variable."""
    lower, upper = basis.data.lower, basis.data.upper
    magnitude = np.abs(rates)
    rate_thresholds = np.where(
        basis.is_basic,
        SINGULAR_TOLERANCE * np.max(magnitude[basis.is_basic], initial=0.0),
        SINGULAR_TOLERANCE * np.max(magnitude[~basis.is_basic], initial=0.0),
    )
    is_falling, is_rising = rates < -rate_thresholds, rates > rate_thresholds
    step = np.full(basis.data.size, np.inf)
    decreasing, increasing = basis.is_basic & is_falling, basis.is_basic & is_rising
    step[decreasing] = (basis.z - lower)[decreasing] / magnitude[decreasing]
    step[increasing] = (upper - basis.z)[increasing] / magnitude[increasing]
    if not basis.data.is_symmetric:
        slack_magnitudes = np.where(basis.at_upper, -basis.w, basis.w)
        loses_sign = (
            ~basis.is_basic
            & np.where(basis.at_upper, is_rising, is_falling)
            & (slack_magnitudes >= -_sign_threshold(basis))
        )
        loses_sign &= lower < upper
        loses_sign[r] = False
        step[loses_sign] = slack_magnitudes[loses_sign] / magnitude[loses_sign]
    step = np.maximum(step, 0.0)
    least = float(np.min(step, initial=np.inf))
    tied = np.flatnonzero(step <= least * (1 + SIGN_TOLERANCE))
    if not np.isfinite(least) or len(tied) == 1:
        return least, int(tied[0]) if len(tied) else -1
    return least, _break_tie(basis, tied, rates)


def _break_tie(basis: Basis, tied: Any, rates: Array) -> int:
    """Return the tied variable that blocks first if q is raised by (e, e^2, e^3, ...) for tiny e > 0."""
    rows = np.zeros((len(tied), basis.data.size))
    for row, s in zip(rows, tied, strict=True):
        if basis.is_basic[s]:
            row[basis.basic_indices] = -basis.solve_transposed(basis.unit_vector(s))
        else:
            row[basis.basic_indices] = -basis.solve_transposed(basis.columns.entries(s, basis.basic_indices))
            row[s] = 1.0
        row /= -rates[s]
    return int(tied[min(range(len(tied)), key=lambda k: tuple(np.round(rows[k], 12)))])
