"""Enumeration of all complementary choices for small problems: slow, but valid for every matrix.

Each choice puts every z at one of its bounds or sets its w to zero, and looks for nonnegative distances from
the bounds and nonnegative w that solve the equations. A choice without a solution has a proof of it: the
distance of the right side from the cone of the columns (Farkas' lemma).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice, product

import numpy as np
from scipy.optimize import nnls

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.complementarity.block_principal_pivoting import refine_active_set
from rbnotes.complementarity.certificate import (
    CERTIFICATE_TOLERANCE,
    exact_dot,
    exact_null_vector,
    find_infeasibility_certificate,
)
from rbnotes.complementarity.problems import LCP, BoxLCP, to_dense
from rbnotes.complementarity.residuals import box_residuals
from rbnotes.complementarity.scaling import scale_problem, two_sided_scaling
from rbnotes.complementarity.solution import Solution, Status

MAX_ENUMERATED_PAIRS = 8
"""Largest number of pairs that is enumerated."""

MAX_REFUTED_CHOICES = 2**MAX_ENUMERATED_PAIRS
"""Largest number of choices that are refuted in rational arithmetic."""

REFINED_DISTANCE = 1e-3
"""Distance from a solution, relative to the right side, up to which a choice is refined."""


def enumeration(problem: LCP | BoxLCP, *, tolerance: float = 1e-10) -> Solution:
    """Solve an LCP or box LCP of up to eight pairs by trying all complementary choices.

    Parameters
    ----------
    problem
        Problem with any M. There are 2 choices for each z with one bound, 3 for each with two.
    tolerance
        Accepted relative residual, see :class:`rbnotes.complementarity.residuals.Residuals`.

    Returns
    -------
    Solution
        Choice with the smallest residual. Statuses: solved, infeasible (with a certificate), nearly
        infeasible, no solution (all choices have been refuted in rational arithmetic), ill-conditioned.

    Raises
    ------
    InvalidArgument
        If there are more than eight pairs.
    """
    arguments.require_instance("problem", problem, LCP, BoxLCP)
    tolerance = arguments.positive_number("tolerance", tolerance)
    if problem.size > MAX_ENUMERATED_PAIRS:
        raise InvalidArgument("problem", f"{problem.size} pairs", f"at most {MAX_ENUMERATED_PAIRS}")
    z_scale, w_scale = two_sided_scaling(problem.M)
    scaled = scale_problem(problem, z_scale, w_scale)
    best: Array = np.clip(np.zeros(problem.size), problem.lower, problem.upper)
    residuals = box_residuals(problem, best)
    for matrix, right, to_unknowns, start in _choices(scaled):
        if residuals.relative <= tolerance:
            break
        values, distance = nnls(matrix, right)
        z = np.clip(z_scale * (start + to_unknowns @ values), problem.lower, problem.upper)
        is_near = distance <= REFINED_DISTANCE * np.linalg.norm(right)
        for each in (z, refine_active_set(problem, z)) if is_near else (z,):
            candidate = box_residuals(problem, each)
            if candidate.relative < residuals.relative:
                best, residuals = each, candidate
    status, certificate = Status.SOLVED, None
    if not residuals.relative <= tolerance:
        proof = find_infeasibility_certificate(problem)
        status = Status.NO_SOLUTION if proof is None and _has_no_solution(scaled) else Status.ILL_CONDITIONED
        status, certificate = (status, None) if proof is None else proof
    w = problem.M @ best + problem.q
    return Solution(status, best, w, residuals, "enumeration", certificate=certificate)


def _choices(problem: LCP | BoxLCP) -> Iterator[tuple[Array, Array, Array, Array]]:
    """Yield the system of each choice: its solutions ``matrix x = right, x >= 0`` and ``z = start + map x``.

    The unknowns x are distances of z from its bounds and sizes of w.
    """
    M, q, n = to_dense(problem.M), problem.q, problem.size
    has_lower, has_upper = np.isfinite(problem.lower), np.isfinite(problem.upper)
    options = [
        [value for value, allowed in ((-1, low), (1, high), (0, True)) if allowed]
        for low, high in zip(has_lower, has_upper, strict=True)
    ]
    reference = np.where(has_lower, problem.lower, np.where(has_upper, problem.upper, 0.0))
    inward = np.where(has_lower, 1.0, -1.0)
    for choice in product(*options):
        side = np.array(choice)
        inside = np.flatnonzero(side == 0)
        both = inside[(has_lower & has_upper)[inside]]
        unbounded = inside[(~has_lower & ~has_upper)[inside]]
        start = np.where(side > 0, problem.upper, reference)
        # Columns: distances inside, negative parts of unbounded z, w, distances from the upper bounds.
        outside = np.flatnonzero(side != 0)
        columns = len(inside) + len(unbounded) + len(outside) + len(both)
        to_unknowns = np.zeros((n, columns))
        to_unknowns[inside, np.arange(len(inside))] = inward[inside]
        to_unknowns[unbounded, len(inside) + np.arange(len(unbounded))] = 1.0
        matrix = np.zeros((n + len(both), columns))
        matrix[:n] = -M @ to_unknowns
        first = len(inside) + len(unbounded)
        matrix[outside, first + np.arange(len(outside))] = -side[outside]
        rows, first = n + np.arange(len(both)), first + len(outside)
        matrix[rows, np.searchsorted(inside, both)] = 1.0
        matrix[rows, first + np.arange(len(both))] = 1.0
        right = np.append(q + M @ start, (problem.upper - problem.lower)[both])
        yield matrix, right, to_unknowns, start


def _has_no_solution(problem: LCP | BoxLCP) -> bool:
    """Return True if all choices are refuted; False if rounding hides it, or there are too many."""
    choices = list(islice(_choices(problem), MAX_REFUTED_CHOICES + 1))
    return len(choices) <= MAX_REFUTED_CHOICES and all(
        _is_refuted(matrix, right) for matrix, right, _, _ in choices
    )


def _is_refuted(matrix: Array, right: Array) -> bool:
    """Return True if a vector proves that no nonnegative x solves ``matrix x = right``.

    It has a positive product with the right side, and none with a column of the matrix: a vector near the
    remainder of the least squares solution.
    """
    normal = right - matrix @ nnls(matrix, right)[0]
    products = matrix.T @ normal
    sizes = np.linalg.norm(matrix, axis=0) * np.linalg.norm(normal)
    touching = matrix[:, np.abs(products) <= CERTIFICATE_TOLERANCE * sizes]
    for weights in ([Fraction(value) for value in normal.tolist()], exact_null_vector(touching.T, normal)):
        if (
            weights is not None
            and exact_dot(weights, right) > 0
            and all(exact_dot(weights, column) <= 0 for column in matrix.T)
        ):
            return True
    return False
