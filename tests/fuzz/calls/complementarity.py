"""Quadratic programs, linear complementarity problems and their solvers."""

from __future__ import annotations

import numpy as np
from engine import Call
from scipy import sparse

from rbnotes import complementarity as lcp
from rbnotes.complementarity import Elimination

M = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.5], [0.0, 0.5, 3.0]])
Q = np.array([-5.0, 1.0, -2.0])
PROBLEM = lcp.LCP(M, Q)
LARGE = lcp.LCP(sparse.csc_array(M), Q)
BOX = lcp.BoxLCP(M, Q, [0.0, -1.0, -np.inf], [np.inf, 1.0, 2.0])
A, BOUNDS = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]), np.array([0.5, -1.0])
ROWS, TARGETS = np.array([[1.0, 1.0, 1.0]]), np.array([1.0])
QP = {"Q": M, "c": Q, "A": A, "b": BOUNDS, "G": ROWS, "g": TARGETS}
PROGRAM = lcp.QP(**QP)
ELIMINATION = {"M": M, "f": -Q, "N": A, "n": BOUNDS, "G": ROWS, "g": TARGETS}
REDUCED = Elimination(**ELIMINATION)
Z = np.array([1.0, 0.5, 0.25])
SPARSE = {name: ("sparse",) for name in "QAGMN"}
INFINITE = ("infinity", "minus infinity")
BOUNDED = {"M": ("sparse",), "lower": INFINITE, "upper": INFINITE}

CALLS = [
    Call(lcp.QP, QP, fine=SPARSE),
    Call(lcp.LCP, {"M": M, "q": Q}, fine=SPARSE),
    Call(lcp.LCP, {"M": sparse.csc_array(M), "q": Q}, fine=SPARSE),
    Call(lcp.BoxLCP, {"M": M, "q": Q, "lower": np.array([0.0, -1, 0]), "upper": np.ones(3)}, fine=BOUNDED),
    Call(PROGRAM.objective, {"x": Z}),
    *(
        Call(lcp.solve, {"problem": problem, "method": method, "tolerance": 1e-8})
        for problem, method in (
            (PROBLEM, "block_principal_pivoting"),
            (LARGE, "block_principal_pivoting"),
            (BOX, "block_principal_pivoting"),
            (PROBLEM, "principal_pivoting"),
            (PROBLEM, "lemke"),
            (PROBLEM, "gauss_seidel"),
        )
    ),
    Call(lcp.solve, {"problem": PROBLEM, "initial_guess": Z}),
    Call(lcp.solve, {"problem": REDUCED, "method": "principal_pivoting", "tolerance": 1e-8}),
    Call(
        lcp.solve,
        {"problem": PROGRAM, "method": "cvxpy", "solver": "CLARABEL", "tolerance": 1e-6},
        slow=True,
    ),
    Call(lcp.solve, {"problem": PROBLEM, "compiled": True, "tolerance": 1e-9}),
    Call(lcp.solve, {"problem": lcp.QP(M, Q, A, BOUNDS), "compiled": True, "tolerance": 1e-9}),
    Call(lcp.block_principal_pivoting, {"problem": PROBLEM, "initial_guess": Z, "tolerance": 1e-8}),
    Call(lcp.block_principal_pivoting, {"problem": BOX, "initial_guess": Z, "tolerance": 1e-8}),
    Call(lcp.refine_active_set, {"problem": PROBLEM, "z": Z}),
    Call(lcp.enumeration, {"problem": PROBLEM, "tolerance": 1e-8}),
    Call(
        lcp.gauss_seidel,
        {"problem": PROBLEM, "initial_guess": Z, "tolerance": 1e-8, "max_sweeps": 1000, "relaxation": 1.2},
    ),
    Call(lcp.lemke, {"problem": PROBLEM, "covering_vector": np.ones(3), "tolerance": 1e-8, "max_pivots": 50}),
    Call(
        lcp.principal_pivoting, {"problem": PROBLEM, "initial_guess": Z, "tolerance": 1e-8, "max_pivots": 50}
    ),
    Call(lcp.principal_pivoting, {"problem": BOX, "tolerance": 1e-8, "max_pivots": 50}),
    Call(lcp.box_residuals, {"problem": BOX, "z": Z}),
    Call(lcp.lcp_from_qp, {"qp": lcp.QP(M, Q, A, BOUNDS)}),
    Call(lcp.qp_minimizer, {"qp": lcp.QP(M, Q, A, BOUNDS), "z": np.array([0.5, 0.25])}),
    Call(lcp.qp_from_lcp, {"lcp": PROBLEM}),
    Call(lcp.qp_from_box, {"box": BOX}),
    Call(lcp.lcp_from_box, {"box": lcp.BoxLCP(M, Q, [0.0, -1.0, -2.0], [np.inf, 1.0, 2.0])}),
    Call(
        lcp.box_unknowns,
        {"box": lcp.BoxLCP(M, Q, np.zeros(3), np.ones(3)), "z": np.array([0.5, 0.25, 0.5, 0, 0, 0])},
    ),
    Call(Elimination.from_qp, {"qp": PROGRAM}),
    Call(lcp.PivotingData, {"problem": BOX}),
    Call(lcp.Basis, {"data": lcp.PivotingData(PROBLEM)}),
    Call(lcp.LazyColumns, {"size": 3, "build": M.__getitem__}),
    Call(REDUCED.lcp),
    Call(REDUCED.with_dense_matrices),
    Call(REDUCED.recover_unknowns, {"z": np.array([0.5, 0.25])}),
    Call(REDUCED.residuals, {"x": Z, "multipliers": np.array([0.5]), "z": np.array([0.5, 0.25])}),
    Call(
        lcp.ParametrizedQP,
        {"example": PROGRAM, "vary": ("c",), "solver": "CLARABEL", "solver_tolerance": 1e-8},
        slow=True,
    ),
    Call(lcp.ParametrizedQP(PROGRAM).solve, {"qp": PROGRAM, "tolerance": 1e-6}, slow=True),
]
