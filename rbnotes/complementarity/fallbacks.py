"""Fallbacks for methods that fail: other units, another method, enumeration."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from rbnotes.arguments import Array, SingularConfiguration
from rbnotes.complementarity.block_principal_pivoting import refine_active_set
from rbnotes.complementarity.certificate import find_infeasibility_certificate
from rbnotes.complementarity.conversions import box_unknowns, lcp_from_box
from rbnotes.complementarity.enumeration import MAX_ENUMERATED_PAIRS, enumeration
from rbnotes.complementarity.lemke import lemke
from rbnotes.complementarity.problems import LCP, BoxLCP
from rbnotes.complementarity.residuals import box_residuals_unchecked
from rbnotes.complementarity.scaling import scale_problem, symmetric_scaling, two_sided_scaling
from rbnotes.complementarity.solution import Solution, Status, judge_status

MAX_LEMKE_SIZE = 300
"""Largest number of pairs for which Lemke's method, with its dense tableau, is tried."""

ScaledSolver = Callable[[LCP | BoxLCP, Array], Solution]
"""Function that solves a problem in given units ``(n,)`` of z."""


def try_fallbacks(
    problem: LCP | BoxLCP, failed: Solution, method: ScaledSolver, *, tolerance: float = 1e-10
) -> Solution:
    """Return a solution or a certificate of infeasibility if one is found, else the failed solution.

    The fallbacks are the method itself on the equilibrated problem, Lemke's method on the problem with
    equilibrated rows and columns and on the problem itself, a search for a certificate, and, for small
    problems, enumeration.
    """
    ones, symmetric, two_sided = (
        np.ones(problem.size),
        symmetric_scaling(problem.M),
        two_sided_scaling(problem.M),
    )
    attempts: list[tuple[Array, Array, str, ScaledSolver]] = []
    if np.any(symmetric != 1.0):
        attempts.append((symmetric, symmetric, failed.method, method))
    if problem.size <= MAX_LEMKE_SIZE:
        name = f"{failed.method}, lemke"
        for z_scale, w_scale in (two_sided, (ones, ones)):
            attempts.append((z_scale, w_scale, name, partial(_lemke_in_units, tolerance=tolerance)))
    for z_scale, w_scale, name, attempt in attempts:
        with contextlib.suppress(SingularConfiguration):
            inner = attempt(scale_problem(problem, z_scale, w_scale), z_scale)
            candidate = _unscale_solution(problem, inner, z_scale, w_scale, name, tolerance)
            if is_conclusive(candidate):
                return candidate
    proof = find_infeasibility_certificate(problem)
    if proof is not None:
        return replace(failed, status=proof.status, certificate=proof.certificate)
    if problem.size <= MAX_ENUMERATED_PAIRS:
        candidate = enumeration(problem, tolerance=tolerance)
        return replace(candidate, method=f"{failed.method}, enumeration")
    return failed


def is_conclusive(solution: Solution) -> bool:
    """Return True if the status needs no fallback."""
    is_proved = solution.is_infeasible or solution.status is Status.NO_SOLUTION
    return solution.is_solved or is_proved or solution.status is Status.ITERATION_LIMIT


def solve_box_by_lemke(problem: BoxLCP, *, tolerance: float = 1e-10, **options: Any) -> Solution:
    """Solve a box LCP by Lemke's method on :func:`lcp_from_box`.

    The covering vector is zero for the second pairs of variables with two bounds: then, if all variables have
    two bounds, the path ends at a solution for every M.
    """
    lcp = lcp_from_box(problem)
    num_two_sided = int(np.sum(np.isfinite(problem.lower) & np.isfinite(problem.upper)))
    covering_vector = np.append(np.ones(lcp.size - num_two_sided), np.zeros(num_two_sided))
    options = {"covering_vector": covering_vector} | options
    inner = lemke(lcp, tolerance=tolerance, **options)
    z = refine_active_set(problem, box_unknowns(problem, inner.z))
    residuals = box_residuals_unchecked(problem, z)
    status = judge_status(inner.status, residuals, tolerance)
    if status in (Status.INFEASIBLE, Status.NEARLY_INFEASIBLE):  # proved for the LCP, computed with rounding
        status = Status.SECONDARY_RAY
    return replace(
        inner, status=status, z=z, w=problem.M @ z + problem.q, residuals=residuals, certificate=None
    )


def _lemke_in_units(problem: LCP | BoxLCP, units: Array, *, tolerance: float) -> Solution:
    """Solve a scaled problem by Lemke's method; it needs no initial guess, which would be in these units."""
    if isinstance(problem, LCP):
        return lemke(problem, tolerance=tolerance)
    return solve_box_by_lemke(problem, tolerance=tolerance)


def _unscale_solution(
    problem: LCP | BoxLCP, inner: Solution, z_scale: Array, w_scale: Array, name: str, tolerance: float
) -> Solution:
    """Return the solution of a problem from that of the scaled problem, judged by its own residuals."""
    z = z_scale * inner.z
    residuals = box_residuals_unchecked(problem, z)
    status = judge_status(inner.status, residuals, tolerance)
    certificate = None
    if status is Status.INFEASIBLE and inner.certificate is not None:
        certificate = w_scale * inner.certificate
    return replace(
        inner,
        status=status,
        z=z,
        w=problem.M @ z + problem.q,
        residuals=residuals,
        certificate=certificate,
        method=name,
    )
