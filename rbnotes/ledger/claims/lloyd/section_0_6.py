"""Lloyd 0.6: solution of a general KKT system."""

from __future__ import annotations

import numpy as np

from rbnotes.constraints import factor_kkt, kkt_matrix
from rbnotes.ledger import quantities as units
from rbnotes.ledger.oracles.constrained_systems import constrained_system
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing.strategies import full_rank_matrices, spd_matrices, vectors

CHAPTER = "constraints-and-kkt"
N, K = 4, 2
IDENTITY = np.eye(N)
SYSTEM = {
    "M": spd_matrices(N),
    "G": full_rank_matrices(K, N),
    "b": vectors(N),
    "g": vectors(K),
}
SOLVED = ("rbnotes.constraints.factor_kkt", "rbnotes.constraints.KKT.solve")
ELIMINATION = "the whole system assembled row by row and solved by elimination"


QUANTITIES = {"b": units.MOMENTUM, "g": units.VELOCITY, "multipliers": units.MOMENTUM}


def velocity_library(M, G, b, g):
    return factor_kkt(M, G).solve(b, g)[0]


def velocity_reference(M, G, b, g):
    return constrained_system(M, G, b, g)[0]


@claim("lloyd/s0.6/e0.3", "A KKT system")
class e0_3:
    formula = (
        r"\begin{pmatrix} \mathbf M & -\mathbf G^T \\ \mathbf G & 0 \end{pmatrix}"
        r" \begin{pmatrix} \mathbf v \\ \boldsymbol\lambda \end{pmatrix}"
        r" = \begin{pmatrix} \mathbf b \\ \mathbf g \end{pmatrix}"
    )
    inputs = {"M": SYSTEM["M"], "G": SYSTEM["G"], "v": vectors(N), "multipliers": vectors(K)}
    result = units.vector_quantity((units.MOMENTUM, 4), (units.VELOCITY, 2))

    def printed(M, G, v, multipliers):
        return np.block([[M, -G.T], [G, np.zeros((K, K))]]) @ np.concatenate([v, multipliers])

    def library(M, G, v, multipliers):
        return kkt_matrix(M, G) @ np.concatenate([v, multipliers])

    oracle = "momentum less the constraint impulses, row by row, and the speeds across the constraints"

    def reference(M, G, v, multipliers):
        momentum = sum(column * part for column, part in zip(M.T, v, strict=True))
        impulse = sum(size * row for size, row in zip(multipliers, G, strict=True))
        return np.append(momentum - impulse, [sum(row * v) for row in G])

    verdict = Verdict.HOLDS
    remark = r"It says $\mathbf M\mathbf v = \mathbf b + \mathbf G^T\boldsymbol\lambda$ and $\mathbf G\mathbf v = \mathbf g$."
    implemented_by = ("rbnotes.constraints.kkt_matrix",)
    chapter = CHAPTER


@claim("lloyd/s0.6/d1#a", "Multipliers of a KKT system")
class d1_a:
    formula = (
        r"\boldsymbol\lambda = (\mathbf G\mathbf M^{-1}\mathbf G^T)^{-1}"
        r"(\mathbf g - \mathbf G\mathbf M^{-1}\mathbf b)"
    )
    inputs = SYSTEM
    result = units.MOMENTUM

    def printed(M, G, b, g):
        Mi = np.linalg.inv(M)
        return np.linalg.inv(G @ Mi @ G.T) @ (g - G @ Mi @ b)

    def library(M, G, b, g):
        return factor_kkt(M, G).solve(b, g)[1]

    oracle = ELIMINATION

    def reference(M, G, b, g):
        return constrained_system(M, G, b, g)[1]

    tolerance = 1e-08
    verdict = Verdict.HOLDS
    implemented_by = SOLVED
    chapter = CHAPTER


@claim("lloyd/s0.6/d1#b", "Velocities of a KKT system")
class d1_b:
    formula = (
        r"\mathbf v = \mathbf M^{-1}\mathbf b"
        r" + \mathbf M^{-1}\mathbf G^T(\mathbf G\mathbf M^{-1}\mathbf G^T)^{-1}"
        r"(\mathbf g - \mathbf G\mathbf M^{-1}\mathbf b)"
    )
    inputs = SYSTEM
    result = units.VELOCITY

    def printed(M, G, b, g):
        Mi = np.linalg.inv(M)
        return Mi @ b + Mi @ G.T @ np.linalg.inv(G @ Mi @ G.T) @ (g - G @ Mi @ b)

    library = velocity_library
    oracle = ELIMINATION
    reference = velocity_reference
    tolerance = 1e-08
    verdict = Verdict.HOLDS
    implemented_by = SOLVED
    chapter = CHAPTER


@claim("lloyd/s0.6/d2", "Velocities of a KKT system by the projection")
class d2:
    formula = (
        r"\mathbf v = \mathbf M^{-1}\bigl(\mathbf P_f\mathbf b"
        r" + \mathbf G^T(\mathbf G\mathbf M^{-1}\mathbf G^T)^{-1}\mathbf g\bigr)"
    )
    inputs = SYSTEM
    result = units.VELOCITY

    def printed(M, G, b, g):
        Mi = np.linalg.inv(M)
        Pf = IDENTITY - G.T @ np.linalg.inv(G @ Mi @ G.T) @ G @ Mi
        return Mi @ (Pf @ b + G.T @ np.linalg.inv(G @ Mi @ G.T) @ g)

    library = velocity_library
    oracle = ELIMINATION
    reference = velocity_reference
    tolerance = 1e-08
    verdict = Verdict.HOLDS
    implemented_by = SOLVED
    chapter = CHAPTER
