"""Lloyd 0.6: solution of a general KKT system."""

from __future__ import annotations

import numpy as np

from rbnotes.checking.strategies import full_rank_matrices, spd_matrices, vectors
from rbnotes.constraints import factor_kkt
from rbnotes.ledger.oracles.systems import constrained_system
from rbnotes.ledger.record import Record, Verdict

CHAPTER = "constraints-and-kkt"
N, K = 4, 2
IDENTITY = np.eye(N)
COMMON = {
    "verdict": Verdict.HOLDS,
    "chapter": CHAPTER,
    "implemented_by": ("rbnotes.constraints.factor_kkt", "rbnotes.constraints.KKT.solve"),
    "oracle": "the whole system assembled row by row and solved by elimination",
    "inputs": {
        "M": spd_matrices(N),
        "G": full_rank_matrices(K, N),
        "b": vectors(N),
        "g": vectors(K),
    },
    "tolerance": 1e-8,
}


def multipliers_printed(M, G, b, g):
    Mi = np.linalg.inv(M)
    return np.linalg.inv(G @ Mi @ G.T) @ (g - G @ Mi @ b)


def multipliers_library(M, G, b, g):
    return factor_kkt(M, G).solve(b, g)[1]


def multipliers_reference(M, G, b, g):
    return constrained_system(M, G, b, g)[1]


def velocity_printed(M, G, b, g):
    Mi = np.linalg.inv(M)
    return Mi @ b + Mi @ G.T @ np.linalg.inv(G @ Mi @ G.T) @ (g - G @ Mi @ b)


def velocity_library(M, G, b, g):
    return factor_kkt(M, G).solve(b, g)[0]


def velocity_reference(M, G, b, g):
    return constrained_system(M, G, b, g)[0]


def projected_printed(M, G, b, g):
    Mi = np.linalg.inv(M)
    Pf = IDENTITY - G.T @ np.linalg.inv(G @ Mi @ G.T) @ G @ Mi
    return Mi @ (Pf @ b + G.T @ np.linalg.inv(G @ Mi @ G.T) @ g)


RECORDS = [
    Record(
        id="lloyd/s0.6/e0.3",
        title="A KKT system",
        verdict=Verdict.DEFINITION,
        chapter=CHAPTER,
        formula=r"\begin{pmatrix} \mathbf M & -\mathbf G^T \\ \mathbf G & 0 \end{pmatrix} \begin{pmatrix} \mathbf v \\ \boldsymbol\lambda \end{pmatrix} = \begin{pmatrix} \mathbf b \\ \mathbf g \end{pmatrix}",
        implemented_by=("rbnotes.constraints.kkt_matrix", "rbnotes.constraints.factor_kkt"),
    ),
    Record(
        id="lloyd/s0.6/d1#a",
        title="Multipliers of a KKT system",
        formula=r"\boldsymbol\lambda = (\mathbf G\mathbf M^{-1}\mathbf G^T)^{-1}(\mathbf g - \mathbf G\mathbf M^{-1}\mathbf b)",
        printed=multipliers_printed,
        library=multipliers_library,
        reference=multipliers_reference,
        **COMMON,
    ),
    Record(
        id="lloyd/s0.6/d1#b",
        title="Velocities of a KKT system",
        formula=r"\mathbf v = \mathbf M^{-1}\mathbf b + \mathbf M^{-1}\mathbf G^T(\mathbf G\mathbf M^{-1}\mathbf G^T)^{-1}(\mathbf g - \mathbf G\mathbf M^{-1}\mathbf b)",
        printed=velocity_printed,
        library=velocity_library,
        reference=velocity_reference,
        **COMMON,
    ),
    Record(
        id="lloyd/s0.6/d2",
        title="Velocities of a KKT system by the projection",
        formula=r"\mathbf v = \mathbf M^{-1}\bigl(\mathbf P_f\mathbf b + \mathbf G^T(\mathbf G\mathbf M^{-1}\mathbf G^T)^{-1}\mathbf g\bigr)",
        printed=projected_printed,
        library=velocity_library,
        reference=velocity_reference,
        **COMMON,
    ),
]
