"""What else can be tried where a method did not get to a solution: other units, another method, all bases."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from rbnotes.arguments import Array, SingularConfiguration
from rbnotes.complementarity.certificate import infeasibility_certificate
from rbnotes.complementarity.conversions import box_unknowns, lcp_from_box
from rbnotes.complementarity.enumeration import LARGEST, enumeration
from rbnotes.complementarity.lemke import lemke
from rbnotes.complementarity.problems import LCP, BoxLCP
from rbnotes.complementarity.residuals import box_residuals
from rbnotes.complementarity.scaling import scaled, two_sided_units, units
from rbnotes.complementarity.solution import Solution, Status

LARGEST_TABLEAU = 300
"""Lemke's method, whose tableau is dense, is tried on problems of up to so many pairs."""

Method = Callable[[LCP | BoxLCP, Array], Solution]
"""Solves a problem in units ``(n,)`` of z that it is told."""


def second_opinion(
    problem: LCP | BoxLCP, failed: Solution, method: Method, *, tolerance: float = 1e-10
) -> Solution:
    """A solution or a proof that there is none, if one is found; else what the method said.

    Tried are the method itself in units in which all variables have an effect of one, Lemke's method, a
    search for a certificate, and, for small problems, all bases.
    """
    u = units(problem.M)
    if np.any(u != 1.0):
        found = _back(problem, method(scaled(problem, u, u), u), u, u, failed.method)
        if settled(found):
            return found
    if problem.size <= LARGEST_TABLEAU:
        found = _by_lemke(problem, failed, tolerance)
        if settled(found):
            return found
    certificate = infeasibility_certificate(problem)
    if certificate is not None:
        return replace(failed, status=Status.INFEASIBLE, certificate=certificate)
    if isinstance(problem, LCP) and problem.size <= LARGEST:
        found = enumeration(problem, tolerance=tolerance)
        return replace(found, method=f"{failed.method}, enumeration")
    return failed


def settled(solution: Solution) -> bool:
    """Whether there is nothing more to be found out."""
    proved = solution.status is Status.INFEASIBLE and solution.certificate is not None
    return solution.solved or proved or solution.status is Status.ITERATION_LIMIT


def _by_lemke(problem: LCP | BoxLCP, failed: Solution, tolerance: float) -> Solution:
    name = f"{failed.method}, lemke"
    z_units, w_units = two_sided_units(problem.M)
    same = scaled(problem, z_units, w_units)
    if isinstance(same, LCP):
        return _back(problem, lemke(same, tolerance=tolerance), z_units, w_units, name)
    with contextlib.suppress(SingularConfiguration):
        inner = lemke(lcp_from_box(same), tolerance=tolerance)
        if inner.solved:
            z = np.clip(box_unknowns(same, inner.z), same.lower, same.upper)
            return _back(problem, replace(inner, z=z), z_units, w_units, name)
    return failed


def _back(problem: LCP | BoxLCP, inner: Solution, z_units: Array, w_units: Array, name: str) -> Solution:
    """The solution of a problem, from that in other units."""
    z = z_units * inner.z
    certificate = None if inner.certificate is None else w_units * inner.certificate
    return replace(
        inner,
        z=z,
        w=problem.M @ z + problem.q,
        residuals=box_residuals(problem, z),
        certificate=certificate,
        method=name,
    )
