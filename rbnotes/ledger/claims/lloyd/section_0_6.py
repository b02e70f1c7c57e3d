"""Lloyd 0.6: solution of a general KKT system."""

from __future__ import annotations

import numpy as np

from rbnotes.constraints import KKT, factor_kkt, kkt_matrix
from rbnotes.ledger.oracles.constrained_systems import constrained_system, lagrangian_slopes
from rbnotes.ledger.quantities import MASS, MOMENTUM, NUMBER, VELOCITY, vector_quantity
from rbnotes.ledger.record import Argument, Result
from rbnotes.ledger.section import Section
from rbnotes.testing.strategies import full_rank_matrices, spd_matrices, vectors

section = Section(
    "lloyd/s0.6",
    chapter="constraints-and-kkt",
    any_size=True,
    arguments={
        "M": Argument(MASS, "in the generalized coordinates of the system (arbitrary)"),
        "G": Argument(NUMBER, "one row for each constraint, over the generalized coordinates of the system"),
        "v": Argument(VELOCITY, "in the generalized coordinates of the system (arbitrary)"),
        "multipliers": Argument(MOMENTUM, "one for each constraint"),
        "b": Argument(MOMENTUM, "in the generalized coordinates of the system (arbitrary)"),
        "g": Argument(VELOCITY, "one for each constraint"),
    },
)


N, K = 4, 2
SYSTEM = {
    "M": spd_matrices(N),
    "G": full_rank_matrices(K, N),
    "b": vectors(N),
    "g": vectors(K),
}
KKT_FUNCTIONS = (factor_kkt, KKT.solve)


def velocity_library(M, G, b, g):
    return factor_kkt(M, G).solve(b, g)[0]


def velocity_reference(M, G, b, g):
    """Solve the whole system, assembled row by row, by elimination."""
    return constrained_system(M, G, b, g)[0]


@section.holds("e0.3", "A KKT system")
class e0_3:
    formula = r"\begin{pmatrix} \mathbf M & -\mathbf G^T \\ \mathbf G & 0 \end{pmatrix} \begin{pmatrix} \mathbf v \\ \boldsymbol\lambda \end{pmatrix} = \begin{pmatrix} \mathbf b \\ \mathbf g \end{pmatrix}"
    inputs = {"M": SYSTEM["M"], "G": SYSTEM["G"], "v": vectors(N), "multipliers": vectors(K)}
    result = Result(
        vector_quantity((MOMENTUM, 4), (VELOCITY, 2)),
        "in the generalized coordinates of the system, then of the constraints",
    )

    def printed(M, G, v, multipliers):
        return np.block([[M, -G.T], [G, np.zeros((len(G), len(G)))]]) @ np.concatenate([v, multipliers])

    def library(M, G, v, multipliers):
        return kkt_matrix(M, G) @ np.concatenate([v, multipliers])

    def reference(M, G, v, multipliers):
        """Compare with differences of the Lagrangian: kinetic energy minus the work of the multipliers."""
        return lagrangian_slopes(M, np.zeros(len(v)), G, np.zeros(len(G)), v, multipliers)

    remark = (
        r"It states $\mathbf M\mathbf v = \mathbf b + \mathbf G^T\boldsymbol\lambda$ and $\mathbf G\mathbf"
        r" v = \mathbf g$."
    )
    implements = kkt_matrix


@section.holds("d1#a", "Multipliers of a KKT system")
class d1_a:
    formula = r"\boldsymbol\lambda = (\mathbf G\mathbf M^{-1}\mathbf G^T)^{-1}(\mathbf g - \mathbf G\mathbf M^{-1}\mathbf b)"
    inputs = SYSTEM
    result = Result(MOMENTUM, "one for each constraint")

    def printed(M, G, b, g):
        Mi = np.linalg.inv(M)
        return np.linalg.inv(G @ Mi @ G.T) @ (g - G @ Mi @ b)

    def library(M, G, b, g):
        return factor_kkt(M, G).solve(b, g)[1]

    def reference(M, G, b, g):
        """Solve the whole system, assembled row by row, by elimination."""
        return constrained_system(M, G, b, g)[1]

    tolerance = 1e-08
    remark = (
        r"The inverse exists if the rows of $\mathbf G$ are independent. Redundant rows leave "
        r"$\boldsymbol\lambda$ undetermined, but not $\mathbf G^T\boldsymbol\lambda$."
    )
    implements = KKT_FUNCTIONS


@section.holds("d1#b", "Velocities of a KKT system")
class d1_b:
    formula = r"\mathbf v = \mathbf M^{-1}\mathbf b + \mathbf M^{-1}\mathbf G^T(\mathbf G\mathbf M^{-1}\mathbf G^T)^{-1}(\mathbf g - \mathbf G\mathbf M^{-1}\mathbf b)"
    inputs = SYSTEM
    result = Result(VELOCITY, "in the generalized coordinates of the system")

    def printed(M, G, b, g):
        Mi = np.linalg.inv(M)
        return Mi @ b + Mi @ G.T @ np.linalg.inv(G @ Mi @ G.T) @ (g - G @ Mi @ b)

    library = velocity_library
    reference = velocity_reference
    tolerance = 1e-08
    implements = KKT_FUNCTIONS


@section.holds("d2", "Velocities of a KKT system by the projection")
class d2:
    formula = r"\mathbf v = \mathbf M^{-1}\bigl(\mathbf P_f\mathbf b + \mathbf G^T(\mathbf G\mathbf M^{-1}\mathbf G^T)^{-1}\mathbf g\bigr)"
    inputs = SYSTEM
    result = Result(VELOCITY, "in the generalized coordinates of the system")

    def printed(M, G, b, g):
        Mi = np.linalg.inv(M)
        Pf = np.eye(len(M)) - G.T @ np.linalg.inv(G @ Mi @ G.T) @ G @ Mi
        return Mi @ (Pf @ b + G.T @ np.linalg.inv(G @ Mi @ G.T) @ g)

    library = velocity_library
    reference = velocity_reference
    tolerance = 1e-08
    implements = KKT_FUNCTIONS
