"""Lloyd 0.8: on demand pivoting for a mixed LCP formulation."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rbnotes.arguments import Array
from rbnotes.complementarity import LCP, Basis, PivotingData
from rbnotes.dynamics import BilateralRows, StepProblem, UnilateralRows, lcp_from_step
from rbnotes.ledger.oracles.constrained_systems import constrained_system
from rbnotes.ledger.oracles.index_partitions import ordered_indices, split_indices
from rbnotes.ledger.quantities import INVERSE_MASS, MOMENTUM, VELOCITY, matrix_quantity, vector_quantity
from rbnotes.ledger.record import Verdict, claim
from rbnotes.testing.strategies import full_rank_matrices, matrices, spd_matrices, vectors

CHAPTER = "pivoting"
SIZE, EQUATIONS, ROWS = 4, 2, 4
PARTITIONS = st.sampled_from([(0,), (2,), (1, 3), (2, 0), (0, 1, 3), (3, 2, 1)])
MIXED = {
    "M": spd_matrices(SIZE),
    "G": full_rank_matrices(EQUATIONS, SIZE),
    "N": matrices(ROWS, SIZE),
    "f": vectors(SIZE),
    "g": vectors(EQUATIONS),
    "n": vectors(ROWS),
    "alpha": PARTITIONS,
}
PIVOTED = {
    "M": st.builds(lambda M, S: M + S - S.T, spd_matrices(ROWS), matrices(ROWS, ROWS)),
    "q": vectors(ROWS),
    "alpha": PARTITIONS,
}
SORTED = ("rbnotes.ledger.oracles.index_partitions",)
COLUMN = {"M": PIVOTED["M"], "alpha": PARTITIONS, "choice": st.integers(0, 2)}


QUANTITIES = {"f": MOMENTUM, "g": VELOCITY, "n": VELOCITY, "q": VELOCITY}


def blocks(M: Array, alpha: tuple[int, ...]) -> tuple[Array, Array, Array, Array]:
    a, b = split_indices(alpha, ROWS)
    return M[np.ix_(a, a)], M[np.ix_(a, b)], M[np.ix_(b, a)], M[np.ix_(b, b)]


def basic(values):
    """What is solved for: z of alpha, then w of the others."""
    count = len(values["alpha"])
    return vector_quantity((MOMENTUM, count), (VELOCITY, ROWS - count))


def nonbasic(values):
    """What stays on the right: w of alpha, then z of the others."""
    count = len(values["alpha"])
    return vector_quantity((VELOCITY, count), (MOMENTUM, ROWS - count))


def slacks(M: Array, G: Array, N: Array, f: Array, g: Array, n: Array, z: Array) -> Array:
    """w under the given z, from the whole mixed system."""
    pushed = f + sum(weight * row for weight, row in zip(z, N, strict=True))
    x, _ = constrained_system(M, G, pushed, g)
    return np.array([row @ x for row in N]) - n


def inverse_and_rows(M: Array, G: Array, N: Array) -> tuple[Array, Array]:
    """The inverse of A, and N-bar, as defined in the section before."""
    A = np.block([[M, -G.T], [G, np.zeros((EQUATIONS, EQUATIONS))]])
    return np.linalg.inv(A), np.hstack([N, np.zeros((ROWS, EQUATIONS))])


def exchanged(M: Array, q: Array, alpha: tuple[int, ...]) -> tuple[Array, Array]:
    """``w = M z + q`` solved for z of alpha and w of beta: by elimination, all pairs at once."""
    basic_z = np.isin(np.arange(ROWS), alpha)
    left = np.where(basic_z, -M, np.eye(ROWS))
    right = np.where(basic_z, np.eye(ROWS), -M)
    order = ordered_indices(alpha, ROWS)
    return np.linalg.solve(left, -right)[np.ix_(order, order)], np.linalg.solve(left, q)[order]


def basis_of(M: Array, q: Array, alpha: tuple[int, ...]) -> Basis:
    basis = Basis(PivotingData(LCP(M, q)))
    for s in alpha:
        basis.exchange(s)
    basis.recompute_values()
    return basis


def pivoted_library_column(M: Array, alpha: tuple[int, ...], r: int) -> Array:
    return basis_of(M, np.zeros(ROWS), alpha).pivoted_column(r)[ordered_indices(alpha, ROWS)]


@claim("lloyd/s0.8/d1#a", "The LCP matrix partitioned by the basis")
class d1_a:
    formula = (
        r"\begin{pmatrix} \mathbf M_{\alpha\alpha} & \mathbf M_{\alpha\beta} \\"
        r" \mathbf M_{\beta\alpha} & \mathbf M_{\beta\beta} \end{pmatrix} "
        r"= \begin{pmatrix} \bar{\mathbf N}_\alpha\mathbf A^{-1}\bar{\mathbf N}_\alpha^T & \bar{\mathbf "
        r"N}_\alpha\mathbf A^{-1}\bar{\mathbf N}_\beta^T \\"
        r" \bar{\mathbf N}_\beta\mathbf A^{-1}\bar{\mathbf N}_\alpha^T & \bar{\mathbf N}_\beta\mathbf "
        r"A^{-1}\bar{\mathbf N}_\beta^T \end{pmatrix}"
    )
    inputs = MIXED
    result = INVERSE_MASS

    def printed(M, G, N, f, g, n, alpha):
        a, b = split_indices(alpha, ROWS)
        Ai, padded = inverse_and_rows(M, G, N)
        Na, Nb = padded[a], padded[b]
        return np.block([[Na @ Ai @ Na.T, Na @ Ai @ Nb.T], [Nb @ Ai @ Na.T, Nb @ Ai @ Nb.T]])

    def library(M, G, N, f, g, n, alpha):
        order = ordered_indices(alpha, ROWS)
        return lcp_from_step(StepProblem(M, f, BilateralRows(G, g), UnilateralRows(N, n))).M[
            np.ix_(order, order)
        ]

    oracle = "how w answers to a unit of each z, from the whole mixed system"

    def reference(M, G, N, f, g, n, alpha):
        """How w answers to a unit of each z, in the order of the partition."""
        order = ordered_indices(alpha, ROWS)
        at_zero = slacks(M, G, N, f, g, n, np.zeros(ROWS))
        answers = [slacks(M, G, N, f, g, n, np.eye(ROWS)[j]) - at_zero for j in order]
        return np.stack(answers, axis=1)[order]

    tolerance = 1e-08
    primitives = SORTED
    equivalent_mutants = {
        "in inverse_and_rows: negated G in `[G, np.zeros((EQUATIONS, EQUATIONS))]`": "changes the sign of lambda alone",
        "in inverse_and_rows: dropped minus in `-G.T`": "changes the sign of lambda alone",
        "in inverse_and_rows: negated N in `[N, np.zeros((ROWS, EQUATIONS))]`": "N stands on both sides",
    }
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.dynamics.lcp_from_step",)
    chapter = CHAPTER


@claim("lloyd/s0.8/d1#b", "The LCP vector partitioned by the basis")
class d1_b:
    formula = (
        r"\begin{pmatrix} \mathbf q_\alpha \\"
        r" \mathbf q_\beta \end{pmatrix} "
        r"= \begin{pmatrix} \bar{\mathbf N}_\alpha\mathbf A^{-1}\mathbf b \\"
        r" \bar{\mathbf N}_\beta\mathbf A^{-1}\mathbf b \end{pmatrix}"
    )
    inputs = MIXED
    result = VELOCITY

    def printed(M, G, N, f, g, n, alpha):
        a, b = split_indices(alpha, ROWS)
        Ai, padded = inverse_and_rows(M, G, N)
        Na, Nb = padded[a], padded[b]
        right = np.concatenate((f, g))
        return np.concatenate([Na @ Ai @ right, Nb @ Ai @ right])

    def library(M, G, N, f, g, n, alpha):
        return lcp_from_step(StepProblem(M, f, BilateralRows(G, g), UnilateralRows(N, n))).q[
            ordered_indices(alpha, ROWS)
        ]

    oracle = "w without contact impulses, from the whole mixed system"

    def reference(M, G, N, f, g, n, alpha):
        """w without contact impulses."""
        return slacks(M, G, N, f, g, n, np.zeros(ROWS))[ordered_indices(alpha, ROWS)]

    tolerance = 1e-08
    primitives = SORTED
    verdict = Verdict.ERRATUM
    correction = (
        r"$\begin{pmatrix} \bar{\mathbf N}_\alpha\mathbf A^{-1}\mathbf b - \mathbf n_\alpha \\ "
        r"\bar{\mathbf N}_\beta\mathbf A^{-1}\mathbf b - \mathbf n_\beta \end{pmatrix}$, as in the "
        r"section before. Without $\mathbf n$ contacts neither rebound nor take up penetration, and gaps "
        r"close at once."
    )
    implemented_by = ("rbnotes.dynamics.lcp_from_step",)
    chapter = CHAPTER


@claim("lloyd/s0.8/e0.4#a", "The pivoted matrix")
class e0_4_a:
    formula = (
        r"\mathbf M' = \begin{pmatrix} \mathbf M_{\alpha\alpha}^{-1} & -\mathbf "
        r"M_{\alpha\alpha}^{-1}\mathbf M_{\alpha\beta} \\"
        r" \mathbf M_{\beta\alpha}\mathbf M_{\alpha\alpha}^{-1} & \mathbf M_{\beta\beta} + \mathbf "
        r"M_{\beta\alpha}\mathbf M'_{\alpha\beta} \end{pmatrix}"
    )
    inputs = PIVOTED
    quantities = {"M": INVERSE_MASS}

    def result(values):
        return matrix_quantity(basic(values), nonbasic(values))

    def printed(M, q, alpha):
        Maa, Mab, Mba, Mbb = blocks(M, alpha)
        Pab = -np.linalg.inv(Maa) @ Mab
        return np.block(
            [[np.linalg.inv(Maa), -np.linalg.inv(Maa) @ Mab], [Mba @ np.linalg.inv(Maa), Mbb + Mba @ Pab]]
        )

    def library(M, q, alpha):
        basis, order = basis_of(M, q, alpha), ordered_indices(alpha, ROWS)
        return np.stack([basis.pivoted_column(r) for r in order], axis=1)[order]

    oracle = "w = M z + q solved for the basic variables by elimination, for matrices that are not symmetric"

    def reference(M, q, alpha):
        return exchanged(M, q, alpha)[0]

    tolerance = 1e-08
    primitives = SORTED
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.complementarity.Basis.pivoted_column",)
    chapter = CHAPTER


@claim("lloyd/s0.8/e0.4#b", "The pivoted vector")
class e0_4_b:
    formula = (
        r"\mathbf q' = \begin{pmatrix} -\mathbf M_{\alpha\alpha}^{-1}\mathbf q_\alpha \\"
        r" \mathbf q_\beta + \mathbf M_{\beta\alpha}\mathbf q'_\alpha \end{pmatrix}"
    )
    inputs = PIVOTED
    quantities = {"M": INVERSE_MASS}
    result = basic

    def printed(M, q, alpha):
        a, b = split_indices(alpha, ROWS)
        Maa, _, Mba, _ = blocks(M, alpha)
        qa = -np.linalg.inv(Maa) @ q[a]
        return np.concatenate([qa, q[b] + Mba @ qa])

    def library(M, q, alpha):
        basis = basis_of(M, q, alpha)
        return np.where(basis.is_basic, basis.z, basis.w)[ordered_indices(alpha, ROWS)]

    oracle = "w = M z + q solved for the basic variables by elimination, for matrices that are not symmetric"

    def reference(M, q, alpha):
        return exchanged(M, q, alpha)[1]

    tolerance = 1e-08
    primitives = SORTED
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.complementarity.Basis.recompute_values",)
    chapter = CHAPTER


@claim("lloyd/s0.8/d2", "A column of the pivoted matrix with index in alpha")
class d2:
    formula = (
        r"\mathbf m'_r = \begin{pmatrix} \mathbf m'_{\alpha r} \\"
        r" \mathbf m'_{\beta r} \end{pmatrix} "
        r"= \begin{pmatrix} \mathbf M_{\alpha\alpha}^{-1}\mathbf e_r \\"
        r" \mathbf M_{\beta\alpha}\mathbf m'_{\alpha r} \end{pmatrix},\quad r \in \alpha"
    )
    inputs = COLUMN
    quantities = {"M": INVERSE_MASS}

    def result(values):
        return basic(values) / VELOCITY

    def printed(M, alpha, choice):
        Maa, _, Mba, _ = blocks(M, alpha)
        unit = np.eye(len(alpha))[choice % len(alpha)]
        m_a = np.linalg.inv(Maa) @ unit
        return np.concatenate([m_a, Mba @ m_a])

    def library(M, alpha, choice):
        return pivoted_library_column(M, alpha, alpha[choice % len(alpha)])

    oracle = "w = M z + q solved for the basic variables by elimination"

    def reference(M, alpha, choice):
        return exchanged(M, np.zeros(ROWS), alpha)[0][:, choice % len(alpha)]

    tolerance = 1e-08
    primitives = SORTED
    verdict = Verdict.HOLDS
    remark = r"$\mathbf e_r$ has as many entries as $\alpha$, the one at the place of r in $\alpha$ being 1."
    implemented_by = ("rbnotes.complementarity.Basis.pivoted_column",)
    chapter = CHAPTER


@claim("lloyd/s0.8/d3", "A column of the pivoted matrix with index in beta")
class d3:
    formula = (
        r"\mathbf m'_r = \begin{pmatrix} -\mathbf M_{\alpha\alpha}^{-1}\mathbf m_{\alpha r} \\"
        r" \mathbf m_{\beta r} + \mathbf M_{\beta\alpha}\mathbf m'_{\alpha r} \end{pmatrix},\quad "
        r"r \in \beta"
    )
    inputs = COLUMN
    quantities = {"M": INVERSE_MASS}

    def result(values):
        return basic(values) / MOMENTUM

    def printed(M, alpha, choice):
        a, b = split_indices(alpha, ROWS)
        Maa, _, Mba, _ = blocks(M, alpha)
        r = b[choice % len(b)]
        m_a = -np.linalg.inv(Maa) @ M[a, r]
        return np.concatenate([m_a, M[b, r] + Mba @ m_a])

    def library(M, alpha, choice):
        b = split_indices(alpha, ROWS)[1]
        return pivoted_library_column(M, alpha, b[choice % len(b)])

    oracle = "w = M z + q solved for the basic variables by elimination"

    def reference(M, alpha, choice):
        b = split_indices(alpha, ROWS)[1]
        return exchanged(M, np.zeros(ROWS), alpha)[0][:, len(alpha) + choice % len(b)]

    tolerance = 1e-08
    primitives = SORTED
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.complementarity.Basis.pivoted_column",)
    chapter = CHAPTER
