"""Enumeration of all complementary choices for small problems: slow, but valid for every matrix.

Each choice sets either z_i or w_i of every pair to zero and tests whether q lies in the cone of the rest:
``w - M z = q`` with the others nonnegative. There are ``2^n`` choices.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.optimize import nnls

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.complementarity.block_principal_pivoting import refine_active_set
from rbnotes.complementarity.certificate import find_infeasibility_certificate
from rbnotes.complementarity.problems import LCP, to_dense
from rbnotes.complementarity.residuals import box_residuals
from rbnotes.complementarity.scaling import scale_matrix, two_sided_scaling
from rbnotes.complementarity.solution import Solution, Status

MAX_ENUMERATED_PAIRS = 8
"""Largest number of pairs that is enumerated."""


def enumeration(problem: LCP, *, tolerance: float = 1e-10) -> Solution:
    """Solve an LCP of up to eight pairs by trying all complementary choices.

    Parameters
    ----------
    problem
        LCP with any M.
    tolerance
        Accepted relative residual, see :class:`rbnotes.complementarity.residuals.Residuals`.

    Returns
    -------
    Solution
        Choice with the smallest residual. Statuses: solved, infeasible (with a certificate), no solution.

    Raises
    ------
    InvalidArgument
        If there are more than eight pairs.
    """
    arguments.require_instance("problem", problem, LCP)
    tolerance = arguments.positive_number("tolerance", tolerance)
    if problem.size > MAX_ENUMERATED_PAIRS:
        raise InvalidArgument("problem", f"{problem.size} pairs", f"at most {MAX_ENUMERATED_PAIRS}")
    z_scale, w_scale = two_sided_scaling(problem.M)
    M, q = scale_matrix(to_dense(problem.M), z_scale, w_scale), w_scale * problem.q
    best: Array = np.zeros(problem.size)
    residuals = box_residuals(problem, best)
    for choice in product((False, True), repeat=problem.size):
        if residuals.relative <= tolerance:
            break
        is_basic = np.array(choice)
        values, _ = nnls(np.where(is_basic, -M, np.eye(len(q))), q)
        z = refine_active_set(problem, z_scale * np.where(is_basic, values, 0.0))
        candidate = box_residuals(problem, z)
        if candidate.relative < residuals.relative:
            best, residuals = z, candidate
    status, certificate = Status.SOLVED, None
    if not residuals.relative <= tolerance:
        certificate = find_infeasibility_certificate(problem)
        status = Status.NO_SOLUTION if certificate is None else Status.INFEASIBLE
    w = problem.M @ best + problem.q
    return Solution(status, best, w, residuals, "enumeration", certificate=certificate)
