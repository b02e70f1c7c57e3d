"""Quadratic programs and linear complementarity problems (Lloyd 0.3, 0.7, 0.8).

>>> from rbnotes.complementarity import LCP, solve
>>> solution = solve(LCP(M=[[2.0, 1.0], [1.0, 2.0]], q=[-5.0, 1.0]))
>>> solution.z.tolist(), solution.w.tolist(), solution.status.value
([2.5, 0.0], [0.0, 3.5], 'solved')
"""

from rbnotes.complementarity.basis import Basis, LazyColumns, PivotingData
from rbnotes.complementarity.block_principal_pivoting import (
    block_principal_pivoting,
    refine_active_set,
)
from rbnotes.complementarity.conversions import (
    box_unknowns,
    lcp_from_box,
    lcp_from_qp,
    qp_from_box,
    qp_from_lcp,
    qp_minimizer,
)
from rbnotes.complementarity.cvxpy_solver import ParametrizedQP
from rbnotes.complementarity.elimination import Elimination
from rbnotes.complementarity.enumeration import enumeration
from rbnotes.complementarity.gauss_seidel import gauss_seidel
from rbnotes.complementarity.lemke import lemke
from rbnotes.complementarity.principal_pivoting import principal_pivoting
from rbnotes.complementarity.problems import LCP, QP, BoxLCP
from rbnotes.complementarity.residuals import Residuals, box_residuals
from rbnotes.complementarity.solution import NotSolved, QPSolution, Solution, Statistics, Status
from rbnotes.complementarity.solver import METHODS, solve

__all__ = [
    "LCP",
    "METHODS",
    "QP",
    "Basis",
    "BoxLCP",
    "Elimination",
    "LazyColumns",
    "NotSolved",
    "ParametrizedQP",
    "PivotingData",
    "QPSolution",
    "Residuals",
    "Solution",
    "Statistics",
    "Status",
    "block_principal_pivoting",
    "box_residuals",
    "box_unknowns",
    "enumeration",
    "gauss_seidel",
    "lcp_from_box",
    "lcp_from_qp",
    "lemke",
    "principal_pivoting",
    "qp_from_box",
    "qp_from_lcp",
    "qp_minimizer",
    "refine_active_set",
    "solve",
]
