"""Fallbacks for methods that fail: other units, another method, enumeration."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from rbnotes.arguments import Array, SingularConfiguration
from rbnotes.complementarity.certificate import find_infeasibility_certificate
from rbnotes.complementarity.conversions import box_unknowns, lcp_from_box
from rbnotes.complementarity.enumeration import MAX_ENUMERATED_PAIRS, enumeration
from rbnotes.complementarity.lemke import lemke
from rbnotes.complementarity.problems import LCP, BoxLCP
from rbnotes.complementarity.residuals import box_residuals
from rbnotes.complementarity.scaling import scale_problem, symmetric_scaling, two_sided_scaling
from rbnotes.complementarity.solution import Solution, Status

MAX_LEMKE_SIZE = 300
"""Largest number of pairs for which Lemke's method, with its dense tableau, is tried."""

ScaledSolver = Callable[[LCP | BoxLCP, Array], Solution]
"""Function that solves a problem in given units ``(n,)`` of z."""


def try_fallbacks(
    problem: LCP | BoxLCP, failed: Solution, method: ScaledSolver, *, tolerance: float = 1e-10
) -> Solution:
    """Return a solution or a certificate of infeasibility if one is found, else the failed solution.

    The fallbacks are the method itself on the equilibrated problem, Lemke's method, a search for a
    certificate, and, for small problems, enumeration.
    """
    scaling = symmetric_scaling(problem.M)
    if np.any(scaling != 1.0):
        candidate = _unscale_solution(
            problem,
            method(scale_problem(problem, scaling, scaling), scaling),
            scaling,
            scaling,
            failed.method,
        )
        if is_conclusive(candidate):
            return candidate
    if problem.size <= MAX_LEMKE_SIZE:
        candidate = _solve_by_lemke(problem, failed, tolerance)
        if is_conclusive(candidate):
            return candidate
    certificate = find_infeasibility_certificate(problem)
    if certificate is not None:
        return replace(failed, status=Status.INFEASIBLE, certificate=certificate)
    if isinstance(problem, LCP) and problem.size <= MAX_ENUMERATED_PAIRS:
        candidate = enumeration(problem, tolerance=tolerance)
        return replace(candidate, method=f"{failed.method}, enumeration")
    return failed


def is_conclusive(solution: Solution) -> bool:
    """Return True if the status needs no fallback."""
    is_proved = solution.status is Status.INFEASIBLE and solution.certificate is not None
    return solution.is_solved or is_proved or solution.status is Status.ITERATION_LIMIT


def _solve_by_lemke(problem: LCP | BoxLCP, failed: Solution, tolerance: float) -> Solution:
    name = f"{failed.method}, lemke"
    z_scale, w_scale = two_sided_scaling(problem.M)
    scaled_problem = scale_problem(problem, z_scale, w_scale)
    if isinstance(scaled_problem, LCP):
        return _unscale_solution(problem, lemke(scaled_problem, tolerance=tolerance), z_scale, w_scale, name)
    with contextlib.suppress(SingularConfiguration):
        inner = lemke(lcp_from_box(scaled_problem), tolerance=tolerance)
        if inner.is_solved:
            z = np.clip(box_unknowns(scaled_problem, inner.z), scaled_problem.lower, scaled_problem.upper)
            return _unscale_solution(problem, replace(inner, z=z), z_scale, w_scale, name)
    return failed


def _unscale_solution(
    problem: LCP | BoxLCP, inner: Solution, z_scale: Array, w_scale: Array, name: str
) -> Solution:
    """Return the solution of a problem from that of the scaled problem."""
    z = z_scale * inner.z
    certificate = None if inner.certificate is None else w_scale * inner.certificate
    return replace(
        inner,
        z=z,
        w=problem.M @ z + problem.q,
        residuals=box_residuals(problem, z),
        certificate=certificate,
        method=name,
    )
